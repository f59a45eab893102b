"""Problems and rows: a word problem with its gold derivation, and the record shape in which it is exchanged.

A `Problem` is what our code works with. A row is the same as plain JSON-like data: the shape of the datasets, of JSONL
files (see `draw_dataset.core.rows`) and of references given to the metric::

    id, question, numbers [{index, sentence, token, start, end, text, value}], equations, solutions, template,
    alignment [{slot, sentence, token, value}], equiv_tnum [[{sentence, token, value}]], derivation, findings,
    alternatives, asked

`numbers` is the paper's Q(x), counted from 1. `start` and `end` are character offsets into `question`. `derivation` is
the gold derivation in q-notation. `findings` are the codes of known defects of the row. `alternatives` are further
derivations in q-notation that the text allows. `asked` are the expressions in the template's unknowns that the question
asks for, or nothing if that is not decided. Values are float64 in a row; a problem keeps the exact values of its
numbers.

The last three fields, and `derivation`, may be absent from a row that is read. A row may have further fields. Only
`status` and `reason` of these are kept. `status` says whether a derived gold is ``decided``. If it is ``ambiguous``,
alternatives count as gold does (see `draw_dataset.scoring.alternatives`). If it is ``refused``, there is no gold, and
`reason` says why.

An id is a whole number, as in the release, or a string, as in other sources; 7 and "7" are two ids.

`draw_dataset.core.row_fields` reads the fields.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import copysign, inf
from typing import Any, TypeGuard

from draw_dataset.core.alignment import NumberClasses, TextNumber
from draw_dataset.core.derivation import Derivation
from draw_dataset.core.exact import STORED, exact
from draw_dataset.core.row_fields import (
    LARGEST,
    BadField,
    check_place,
    read_each,
    read_float,
    read_floats,
    read_group,
    read_number,
    read_text,
    read_texts,
    refuse,
    refuse_entry,
)
from draw_dataset.core.row_shapes import not_a_row, plain_row
from draw_dataset.errors import RowError, shown

REFUSED = "refused"
"""The status of a row without gold."""

ProblemId = int | str
"""What a problem is called in its dataset."""

LONGEST_ID = 200
"""How many characters an id may have if it is a string."""


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

    >>> from draw_dataset.sample import load_sample
    >>> problem = load_sample()["train"][0]
    >>> problem.derivation.q_notation(), problem.solutions
    ('m = n + q2; m + n = q3', (23.0, 18.0))
    >>> Problem.from_row(problem.to_row()) == problem
    True

    Attributes:
        id: the id of the problem in its dataset.
        question: the text.
        numbers: the numbers of the text in their order, with exact values.
        equations: the gold equations as annotated.
        solutions: the gold solutions, possibly rounded.
        template: the gold template as annotated.
        alignment: the gold alignment as annotated.
        equiv_tnum: the groups of numbers that mean the same, as annotated.
        findings: codes of known defects.
        alternatives: further derivations in q-notation that the text allows.
        asked: what the question asks for, as expressions in the template's unknowns; empty if that is not decided.
        status: how sure a derived gold is: ``decided``, ``ambiguous`` or ``refused``; empty if the row does not say.
        reason: why it is refused.
    """

    id: ProblemId
    question: str
    numbers: tuple[TextNumber, ...]
    equations: tuple[str, ...]
    solutions: tuple[float, ...]
    template: tuple[str, ...]
    alignment: tuple[AlignedNumber, ...]
    equiv_tnum: tuple[tuple[TextNumber, ...], ...] = ()
    findings: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    status: str = ""
    reason: str = ""
    _derivation: Derivation | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def is_refused(self) -> bool:
        """Whether the row has no gold, because no derivation was found when it was derived from another dataset."""
        return self.status == REFUSED

    @property
    def derivation(self) -> Derivation:
        """The gold derivation, with the numbers of the text; it is read when it is first asked for.

        The value of a number comes from the text, where it is exact. If the annotated value is not a rounding of it,
        the annotated value is used, because the gold solution was made with that.

        Raises:
            RowError: the template cannot be read, the alignment does not fit it, or the row is refused; names the
                problem.
        """
        if self._derivation is None:
            if self.is_refused:
                raise RowError(f"problem {self.id}: expected a gold derivation, but it is refused ({self.reason})")
            object.__setattr__(self, "_derivation", self._read_derivation())
        return self._derivation  # type: ignore[return-value]

    def _read_derivation(self) -> Derivation:
        known = {(number.sentence, number.token): number for number in self.numbers}
        try:
            entries = {a.slot: _as_annotated(a, known.get((a.sentence, a.token))) for a in self.alignment}
            if len(entries) == len(self.alignment):
                return Derivation(list(self.template), entries)
        except ValueError as error:
            raise RowError(f"problem {self.id}: gold derivation: {error}") from error
        raise RowError(f"problem {self.id}: expected each slot aligned once, but got one twice")

    @property
    def number_classes(self) -> NumberClasses:
        """The groups of equivalent numbers as a partition.

        Raises:
            RowError: two groups share a number; names the problem.
        """
        if not self.equiv_tnum:
            return _NO_CLASSES
        try:
            return NumberClasses(self.equiv_tnum)
        except ValueError as error:
            raise RowError(f"problem {self.id}: equiv_tnum: {error}") from error

    def with_gold(self, derivation: Derivation, solutions: Iterable[Fraction]) -> Problem:
        """Return the problem with another gold derivation and its solutions, and without alternatives.

        Args:
            derivation: the derivation, from numbers of the text; its unknowns may have any names.
            solutions: the solutions of the derivation.
        """
        alignment = [
            AlignedNumber(slot, number.sentence or 0, number.token, _stored(number) or 0.0)
            for slot, number in derivation.alignment.items()
        ]
        changed = replace(
            self,
            template=derivation.template.equations,
            alignment=tuple(alignment),
            solutions=tuple([float(value) for value in solutions]),
            alternatives=(),
            asked=(),
        )
        object.__setattr__(changed, "_derivation", derivation)
        return changed

    def to_row(self) -> dict[str, Any]:
        """Return the problem as a row. It has the fields `status` and `reason` only if the problem has them."""
        row: dict[str, Any] = {
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
            "derivation": "" if self.is_refused else self.derivation.q_notation(),
            "findings": list(self.findings),
            "alternatives": list(self.alternatives),
            "asked": list(self.asked),
        }
        if self.status:
            row["status"] = self.status
        if self.reason:
            row["reason"] = self.reason
        return row

    def gold_text(self) -> str:
        """Return the row up to its derivation as one string; a signature has the hash of these strings.

        Alternatives and what is asked are not part of it. A signature mentions them where they were used.

        The string is ``repr`` of the row. It is written directly, because every row that is scored is written this way.
        """
        numbers = [
            f"{{'index': {n.index}, 'sentence': {n.sentence}, 'token': {n.token}, 'start': {n.start}, "
            f"'end': {n.end}, 'text': {n.text!r}, 'value': {_stored(n)}}}"
            for n in self.numbers
        ]
        alignment = [
            f"{{'slot': {a.slot!r}, 'sentence': {a.sentence}, 'token': {a.token}, 'value': {a.value!r}}}"
            for a in self.alignment
        ]
        groups = [
            [{"sentence": n.sentence, "token": n.token, "value": _stored(n)} for n in group]
            for group in self.equiv_tnum
        ]
        return (
            f"{{'id': {self.id!r}, 'question': {self.question!r}, 'numbers': [{', '.join(numbers)}], "
            f"'equations': {list(self.equations)}, 'solutions': {list(self.solutions)}, "
            f"'template': {list(self.template)}, 'alignment': [{', '.join(alignment)}], 'equiv_tnum': {groups}, "
            f"'derivation': {self.derivation.q_notation()!r}}}"
        )

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Problem:
        """Return the problem of a row.

        Args:
            row: a mapping with the fields that the module names.

        Raises:
            RowError: a field is missing or has the wrong type; says which field of which row.
        """
        try:
            return cls._of_row(row)
        except RowError:
            # Numbers and arrays of other libraries become plain only where something is wrong: rows are read often.
            return cls._of_row(plain_row(row))

    @classmethod
    def _of_row(cls, row: Mapping[str, Any]) -> Problem:
        if not isinstance(row, Mapping):
            raise RowError(f"row: {not_a_row(row)}")
        values: dict[str, Any] = {}
        for name, read in _FIELDS.items():
            try:
                values[name] = read(row[name])
            except KeyError:
                missing = ", ".join(name for name in _FIELDS if name not in row)
                raise RowError(
                    f"row {shown(row.get('id'))}: expected the fields {', '.join(_FIELDS)}, but {missing} is missing"
                ) from None
            except BadField as error:
                raise RowError(f"row {shown(row.get('id'))}: {name}{error}") from None
        for name, read in _OPTIONAL.items():
            # If rows of several sources are joined, a field that some of them lack is None.
            if row.get(name) is not None:
                try:
                    values[name] = read(row[name])
                except BadField as error:
                    raise RowError(f"row {shown(row.get('id'))}: {name}{error}") from None
        return cls(**values)


_NO_CLASSES = NumberClasses()


def _as_annotated(annotated: AlignedNumber, number: TextNumber | None) -> TextNumber:
    value = exact(annotated.value)
    if number is None:
        return TextNumber(annotated.sentence, annotated.token, value)
    known = number.value
    if known is not None and (known is value or known == value or abs(known - value) <= STORED * abs(value)):
        return number
    return replace(number, value=value)


def _stored(number: TextNumber) -> float | None:
    if number.value is None:
        return None
    numerator, denominator = number.value.as_integer_ratio()
    try:
        return numerator / denominator
    except OverflowError:  # a text may have a number of hundreds of digits
        return copysign(inf, numerator)


def is_problem_id(value: object) -> TypeGuard[ProblemId]:
    r"""Say whether a value may be the id of a problem: a whole number from 0, or a printable string.

    >>> [is_problem_id(value) for value in (7, "a/7", -1, True, 7.0, "", "a\n", 10**400)]
    [True, True, False, False, False, False, False, False]
    """
    if type(value) is str:
        return 0 < len(value) <= LONGEST_ID and value.isprintable()
    return type(value) is int and 0 <= value <= LARGEST


def name_of(id_: ProblemId) -> str:
    """Return how pages and commands write an id; a string that looks like a number is written in quotes.

    >>> name_of(7), name_of("7"), name_of("a7"), id_named('"7"'), id_named("7")
    ('7', '"7"', 'a7', '7', 7)
    """
    return json.dumps(id_) if isinstance(id_, str) and (id_[:1] == '"' or id_named(id_) != id_) else str(id_)


def id_named(name: str) -> ProblemId:
    """Return the id that pages and commands write like this. There may be no problem with this id."""
    if name.isascii() and name.isdigit() and len(name) < 20:
        return int(name)
    if name[:1] == '"':
        with suppress(ValueError):
            return str(json.loads(name))
    return name


def _id(value: object) -> ProblemId:
    if not is_problem_id(value):
        refuse(f"a whole number from 0 or a printable string of at most {LONGEST_ID} characters", value)
    return value


_ALIGNED = ("slot", "sentence", "token", "value")


def _aligned(given: Any) -> AlignedNumber:
    try:
        slot, sentence, token, value = given["slot"], given["sentence"], given["token"], given["value"]
    except (KeyError, TypeError, IndexError):
        refuse_entry(given, _ALIGNED)
    check_place(sentence, token)
    return AlignedNumber(read_text(slot, ".slot"), sentence, token, read_float(value, ".value"))


_FIELDS: dict[str, Callable[[object], Any]] = {
    "id": _id,
    "question": read_text,
    "numbers": lambda value: read_each(value, read_number),
    "equations": read_texts,
    "solutions": read_floats,
    "template": read_texts,
    "alignment": lambda value: read_each(value, _aligned),
    "equiv_tnum": lambda value: read_each(value, read_group),
}
"""The fields that a row must have, and how each is read."""

_OPTIONAL: dict[str, Callable[[object], Any]] = {
    "findings": read_texts,
    "alternatives": read_texts,
    "asked": read_texts,
    "status": read_text,
    "reason": read_text,
}
"""The fields that a row may have, and how each is read."""
