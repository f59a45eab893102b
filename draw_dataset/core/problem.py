"""Problems and rows: a word problem with its gold derivation, and the one record shape it is exchanged in.

A `Problem` is what our code works with; a row is the same as plain JSON-like data, the shape of the datasets, of JSONL
files (see `draw_dataset.core.rows`) and of references given to the metric::

    id, question, numbers [{index, sentence, token, start, end, text, value}], equations, solutions, template,
    alignment [{slot, sentence, token, value}], equiv_tnum [[{sentence, token, value}]], derivation, findings

`numbers` is the paper's Q(x), counted from 1; `start` and `end` are character offsets into `question`; `derivation` is
the gold derivation in q-notation; `findings` are the codes of known defects of the row. Values are float64 there; a
problem keeps the exact values of its numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from draw_dataset.core.alignment import NumberClasses, TextNumber
from draw_dataset.core.derivation import Derivation
from draw_dataset.core.exact import exact, recovered
from draw_dataset.errors import RowError, shown


@dataclass(frozen=True, slots=True)
class AlignedNumber:
    """One line of a gold alignment, as annotated.

    Attributes:
        slot: the slot of the template.
        sentence: the sentence of the number that fills it, from 0.
        token: its token in the sentence, from 0.
        value: the value as annotated, which may be rounded, or wrong.
    """

    slot: str
    sentence: int
    token: int
    value: float


@dataclass(frozen=True, slots=True)
class Problem:
    """A word problem with its gold derivation.

    Attributes:
        id: the number of the problem in its dataset.
        question: the text.
        numbers: the numbers of the text in their order, with exact values.
        equations: the gold equations as annotated.
        solutions: the gold solutions, possibly rounded.
        template: the gold template as annotated.
        alignment: the gold alignment as annotated.
        equiv_tnum: the groups of numbers that mean the same, as annotated.
        findings: codes of known defects.
    """

    id: int
    question: str
    numbers: tuple[TextNumber, ...]
    equations: tuple[str, ...]
    solutions: tuple[float, ...]
    template: tuple[str, ...]
    alignment: tuple[AlignedNumber, ...]
    equiv_tnum: tuple[tuple[TextNumber, ...], ...] = ()
    findings: tuple[str, ...] = ()

    @property
    def derivation(self) -> Derivation:
        """The gold derivation, its numbers those of the text.

        A value is taken from the text, where it is exact, unless the annotation says something else than its rounding:
        then it is the annotation that the gold solution was made with.

        Raises:
            RowError: the template cannot be read or the alignment does not fit it; names the problem.
        """
        known = {number.place: number for number in self.numbers}
        entries = {a.slot: _as_annotated(a, known.get((a.sentence, a.token))) for a in self.alignment}
        if len(entries) < len(self.alignment):
            raise RowError(f"problem {self.id}: expected each slot aligned once, but got one twice")
        try:
            return Derivation(list(self.template), entries)
        except ValueError as error:
            raise RowError(f"problem {self.id}: gold derivation: {error}") from error

    @property
    def number_classes(self) -> NumberClasses:
        """The groups of equivalent numbers as a partition.

        Raises:
            RowError: two groups share a number; names the problem.
        """
        try:
            return NumberClasses(self.equiv_tnum)
        except ValueError as error:
            raise RowError(f"problem {self.id}: equiv_tnum: {error}") from error

    def to_row(self) -> dict[str, Any]:
        """Return the problem as a row."""
        return {
            "id": self.id,
            "question": self.question,
            "numbers": [
                {
                    "index": n.index,
                    "sentence": n.sentence,
                    "token": n.token,
                    "start": n.start,
                    "end": n.end,
                    "text": n.text,
                    "value": _stored(n),
                }
                for n in self.numbers
            ],
            "equations": list(self.equations),
            "solutions": list(self.solutions),
            "template": list(self.template),
            "alignment": [
                {"slot": a.slot, "sentence": a.sentence, "token": a.token, "value": a.value} for a in self.alignment
            ],
            "equiv_tnum": [
                [{"sentence": n.sentence, "token": n.token, "value": _stored(n)} for n in group]
                for group in self.equiv_tnum
            ],
            "derivation": self.derivation.q_notation(),
            "findings": list(self.findings),
        }

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Problem:
        """Return the problem of a row.

        Raises:
            RowError: a field is missing or is not of its type; says which, of which row.
        """
        if not isinstance(row, Mapping):
            raise RowError(f"row: expected a mapping, but got {shown(row)}")
        where = f"row {shown(row.get('id'))}"
        missing = [name for name in _FIELDS if name not in row]
        if missing:
            raise RowError(f"{where}: expected the fields {', '.join(_FIELDS)}, but {', '.join(missing)} is missing")
        return cls(
            id=_whole(row["id"], f"{where}: id"),
            question=_text(row["question"], f"{where}: question"),
            numbers=tuple(
                _number(n, f"{where}: numbers[{i}]") for i, n in enumerate(_list(row["numbers"], f"{where}: numbers"))
            ),
            equations=_texts(row["equations"], f"{where}: equations"),
            solutions=tuple(_float(v, f"{where}: solutions") for v in _list(row["solutions"], f"{where}: solutions")),
            template=_texts(row["template"], f"{where}: template"),
            alignment=tuple(
                _aligned(a, f"{where}: alignment[{i}]")
                for i, a in enumerate(_list(row["alignment"], f"{where}: alignment"))
            ),
            equiv_tnum=tuple(
                tuple(_member(n, f"{where}: equiv_tnum[{i}]") for n in _list(group, f"{where}: equiv_tnum[{i}]"))
                for i, group in enumerate(_list(row["equiv_tnum"], f"{where}: equiv_tnum"))
            ),
            findings=_texts(row.get("findings", []), f"{where}: findings"),
        )


_FIELDS = ("id", "question", "numbers", "equations", "solutions", "template", "alignment", "equiv_tnum")


_ROUNDING = Fraction(1, 10**6)
"""Relative difference up to which an annotated value is the rounding of the exact one; float32 noise is below."""


def _as_annotated(annotated: AlignedNumber, number: TextNumber | None) -> TextNumber:
    value = exact(annotated.value)
    if number is None:
        return TextNumber(annotated.sentence, annotated.token, value)
    if number.value is not None and abs(number.value - value) <= _ROUNDING * abs(value):
        return number
    return replace(number, value=value)


def _stored(number: TextNumber) -> float | None:
    return None if number.value is None else float(number.value)


def _list(value: object, where: str) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise RowError(f"{where}: expected a list, but got {shown(value)}")
    return list(value)


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise RowError(f"{where}: expected a text, but got {shown(value)}")
    return value


def _texts(value: object, where: str) -> tuple[str, ...]:
    return tuple(_text(item, where) for item in _list(value, where))


def _whole(value: object, where: str) -> int:
    if type(value) is not int or value < 0:
        raise RowError(f"{where}: expected a whole number from 0, but got {shown(value)}")
    return value


def _float(value: object, where: str) -> float:
    if type(value) not in (int, float):
        raise RowError(f"{where}: expected a number, but got {shown(value)}")
    return float(value)  # type: ignore[arg-type]


def _entry(value: object, fields: tuple[str, ...], where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise RowError(f"{where}: expected a mapping with {', '.join(fields)}, but got {shown(value)}")
    missing = [name for name in fields if name not in value]
    if missing:
        raise RowError(f"{where}: expected {', '.join(fields)}, but {', '.join(missing)} is missing")
    return value


def _number(value: object, where: str) -> TextNumber:
    entry = _entry(value, ("index", "sentence", "token", "start", "end", "text", "value"), where)
    return TextNumber(
        sentence=_whole(entry["sentence"], f"{where}.sentence"),
        token=_whole(entry["token"], f"{where}.token"),
        value=recovered(_float(entry["value"], f"{where}.value")),
        index=_whole(entry["index"], f"{where}.index"),
        text=_text(entry["text"], f"{where}.text"),
        start=_whole(entry["start"], f"{where}.start"),
        end=_whole(entry["end"], f"{where}.end"),
    )


def _member(value: object, where: str) -> TextNumber:
    entry = _entry(value, ("sentence", "token", "value"), where)
    return TextNumber(
        _whole(entry["sentence"], f"{where}.sentence"),
        _whole(entry["token"], f"{where}.token"),
        recovered(_float(entry["value"], f"{where}.value")),
    )


def _aligned(value: object, where: str) -> AlignedNumber:
    entry = _entry(value, ("slot", "sentence", "token", "value"), where)
    return AlignedNumber(
        _text(entry["slot"], f"{where}.slot"),
        _whole(entry["sentence"], f"{where}.sentence"),
        _whole(entry["token"], f"{where}.token"),
        _float(entry["value"], f"{where}.value"),
    )
