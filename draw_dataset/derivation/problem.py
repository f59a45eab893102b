"""Problems and rows: a word problem with its gold derivation, and the record shape in which it is exchanged.

A row is a problem as plain JSON-like data: the shape of the datasets, of JSONL files and of references given to the
metric; the README lists its columns. Values are float64 in a row; a problem keeps the exact values of its numbers.
`findings`, `alternatives`, `asked`, `roles`, `correction` and `derivation` may be absent from a row that is read. Of
further fields only `status` and `reason` are kept: if a derived gold is ``ambiguous``, alternatives count as gold does;
if it is ``refused``, there is no gold. An id is a whole number, as in the release, or a string; 7 and "7" are two ids.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import copysign, inf, isfinite, isnan, prod
from pathlib import Path
from typing import Any, NoReturn, TypeGuard, TypeVar

from draw_dataset.algebra.number import FLOAT32_TOLERANCE, exact, from_float64
from draw_dataset.algebra.solution import SolutionKind
from draw_dataset.derivation.derivation import Derivation, NumberClasses, TextNumber
from draw_dataset.errors import DrawError, FolderError, ReadError, RowError, short_repr
from draw_dataset.io.jsonl import display_name, read_json_lines, write_json_lines

# Fields of a row. Nearly all rows are well formed, so each field is first recognised quickly; only a field that is not
# recognised is read again, for an error that names the part that is wrong.

LARGEST = (1 << 63) - 1  #: the largest whole number in a row: columns of datasets hold no larger one


class BadField(Exception):
    """A field that does not have its type. Callers prepend the path to the faulty part as the error passes them."""

    def __init__(self, expected: str, got: str) -> None:
        super().__init__(expected, got)
        self._said = f"expected {expected}, but {got}"
        self._path = ""

    def inside(self, part: str) -> BadField:
        """Prepend a part to the path, and return the error."""
        self._path = part + self._path
        return self

    def __str__(self) -> str:
        return f"{self._path}: {self._said}"


def refuse(expected: str, value: object, path: str = "") -> NoReturn:
    """Raise `BadField` for a value."""
    raise BadField(expected, f"got {short_repr(value)}").inside(path)


Item = TypeVar("Item")


def read_list(value: object) -> list[Any] | tuple[Any, ...]:
    """Return a list or tuple."""
    if not isinstance(value, (list, tuple)):
        refuse("a list", value)
    return value


def read_each(value: object, read: Callable[[object], Item]) -> tuple[Item, ...]:
    """Read each item of a list."""
    found: list[Item] = []
    for item in read_list(value):
        try:
            found.append(read(item))
        except BadField as error:
            raise error.inside(f"[{len(found)}]") from None
    return tuple(found)


def read_text(value: object, path: str = "") -> str:
    """Return a string."""
    if type(value) is str:
        return value
    if not isinstance(value, str):
        refuse("a string", value, path)
    return str.__str__(value)  # a string of numpy, or a member of an enumeration


def read_texts(value: object) -> tuple[str, ...]:
    """Return a list of strings as a tuple."""
    return tuple([read_text(item) for item in read_list(value)])


def read_float(value: object, path: str = "") -> float:
    """Return a finite number as a float."""
    if type(value) is float and isfinite(value):
        return value
    if type(value) is int:
        try:
            return float(value)
        except OverflowError:  # an integer larger than any float
            pass
    refuse("a finite number" if type(value) in (int, float) else "a number", value, path)


def read_floats(value: object) -> tuple[float, ...]:
    """Return a list of numbers as floats."""
    return tuple([read_float(item) for item in read_list(value)])


_NUMBER = ("index", "sentence", "token", "start", "end", "text", "value")
_MEMBER = ("sentence", "token", "value")


def read_number(given: Any) -> TextNumber:
    """Return a number of the text, from an entry of `numbers`."""
    try:
        index, sentence, token = given["index"], given["sentence"], given["token"]
        start, end, text, value = given["start"], given["end"], given["text"], given["value"]
    except (KeyError, TypeError, IndexError):
        refuse_entry(given, _NUMBER)
    # One test for five whole numbers: the bits of all of them show whether any is negative or too large.
    if not (
        type(index) is type(sentence) is type(token) is type(start) is type(end) is int
        and 0 <= index | sentence | token | start | end <= LARGEST
    ):
        _refuse_whole(index=index, sentence=sentence, token=token, start=start, end=end)
    if type(text) is not str:
        text = read_text(text, ".text")
    return TextNumber(sentence, token, from_float64(read_float(value, ".value")), index, text, start, end)


def _read_member(given: Any) -> TextNumber:
    try:
        sentence, token, value = given["sentence"], given["token"], given["value"]
    except (KeyError, TypeError, IndexError):
        refuse_entry(given, _MEMBER)
    check_place(sentence, token)
    return TextNumber(sentence, token, from_float64(read_float(value, ".value")))


def read_group(given: object) -> tuple[TextNumber, ...]:
    """Return the numbers of a group of `equiv_tnum`."""
    return tuple([_read_member(member) for member in read_list(given)])


def check_place(sentence: object, token: object) -> None:
    """Refuse a sentence or token that is not a whole number from 0."""
    if not (type(sentence) is int and type(token) is int and 0 <= sentence | token <= LARGEST):
        _refuse_whole(sentence=sentence, token=token)


def _refuse_whole(**parts: object) -> NoReturn:
    wrong = next(name for name, part in parts.items() if type(part) is not int or not 0 <= part <= LARGEST)
    refuse("a whole number from 0", parts[wrong], f".{wrong}")


def refuse_entry(given: object, names: tuple[str, ...]) -> NoReturn:
    """Raise `BadField` for an entry that is not a mapping, or lacks a key."""
    if not isinstance(given, Mapping):
        refuse(f"a mapping with {', '.join(names)}", given)
    missing = ", ".join(name for name in names if name not in given)
    raise BadField(", ".join(names), f"{missing} is missing")


# Rows in other shapes: dicts of columns (``ds[:]``), DataFrames, Arrow tables, rows with numpy arrays. No library is
# imported: a shape is recognised by its methods.

_COLUMN = "question"  # a column that every row has, and whose value in one row is a string

_ADVICE = "give list(ds) of a dataset, or to_dict('records') of a DataFrame"


def rows_of(given: Any, what: str = "references") -> Sequence[Any]:
    """Return the rows of any collection as a sequence; errors call it `what`. The rows themselves are not checked.

    >>> rows_of({"id": [1, 2], "question": ["One pear .", "Two pears ."]})
    [{'id': 1, 'question': 'One pear .'}, {'id': 2, 'question': 'Two pears .'}]
    """
    if isinstance(given, (list, tuple)):
        return given
    if isinstance(given, Mapping):
        return _rows_of_columns(given, what)
    if hasattr(given, "to_dict") and hasattr(given, "columns"):  # a DataFrame
        return list(given.to_dict("records"))
    if hasattr(given, "to_pylist"):  # an Arrow table
        return list(given.to_pylist())
    if hasattr(given, "with_format") and getattr(given, "format", {}).get("type") is not None:  # a formatted dataset
        return list(given.with_format(None))
    if given is None or isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise RowError(f"{what}: expected a list of rows, but got {_kind(given)}; {_ADVICE}")
    return given if isinstance(given, Sequence) or hasattr(given, "__len__") else list(given)  # type: ignore[return-value]


def _rows_of_columns(columns: Mapping[Any, Any], what: str) -> list[dict[Any, Any]]:
    column = columns.get(_COLUMN)
    if isinstance(column, str):
        raise RowError(f"{what}: expected a list of rows, but got one row; give [row]")
    if column is None:
        splits = [str(name) for name, value in columns.items() if hasattr(value, "features")]
        if splits:
            named = ", ".join(splits)
            raise RowError(f"{what}: expected one split, but got {named}; give one, as in ds[{splits[-1]!r}]")
        raise RowError(f"{what}: expected a list of rows, but got {_kind(columns)}; {_ADVICE}")
    lengths = {len(values) if hasattr(values, "__len__") else None for values in columns.values()}
    if len(lengths) != 1:
        raise RowError(f"{what}: expected columns of one length, but got columns of different lengths")
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def plain_row(row: Any) -> Any:
    """Return a row with Python's own lists and numbers instead of arrays and numbers of numpy or pandas.

    >>> class Array(list):
    ...     def tolist(self):
    ...         return list(self)
    >>> plain_row({"id": 1, "solutions": Array([2.0])})
    {'id': 1, 'solutions': [2.0]}
    """
    if hasattr(row, "to_dict") and not hasattr(row, "columns") and not isinstance(row, Mapping):  # a Series
        row = row.to_dict()
    return _plain(row, 0) if isinstance(row, Mapping) else row


def _plain(value: Any, depth: int) -> Any:
    if depth > 8:  # no row is nested that deep; its reader reports what is wrong
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {key: _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, depth + 1) for item in value]
    return value


def not_a_row(value: object) -> str:
    """Return the error message for a value that should be a row."""
    return f"expected a row, which is a dict with question, equations and so on, but got {_kind(value)}; {_ADVICE}"


def _kind(value: object) -> str:
    return "nothing" if value is None else f"a value of type {type(value).__name__}"


REFUSED = "refused"  #: the status of a row without gold
AMBIGUOUS = "ambiguous"  #: the status of a row with several possible derivations, of which gold is only the first
READ_TWICE = 3  #: the first edition of corrections that is a reading of every row, whose alternatives are right, too
EXCLUDED = "excluded"  #: the kind of a correction that says that no derivation is right
ProblemId = int | str  #: the id of a problem in its dataset
LONGEST_ID = 200  #: how many characters an id may have if it is a string


@dataclass(frozen=True, slots=True)
class AlignedNumber:
    """One line of a gold alignment, as annotated."""

    slot: str
    sentence: int
    token: int
    value: float  # as annotated: it may be rounded, or wrong


@dataclass(frozen=True, slots=True)
class AppliedCorrection:
    """The last correction of a row: the edition that has it and its kind, one of `data.corrections.KINDS`."""

    edition: int
    kind: str

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"edition": self.edition, "kind": self.kind}


Role = tuple[str, str]
"""An unknown of gold, and what it is in words of the text: ``("m", "hours of jogging")``."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A word problem with its gold derivation.

    >>> from draw_dataset.data.sample import load_sample
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
        roles: what each of gold's unknowns is, in words of the text; empty if nobody has said it.
        correction: the last correction of the row; None if it is as published.
        status: how sure a derived gold is: ``decided``, ``ambiguous`` or ``refused``; empty if the row does not say.
        reason: why it is refused.
        edition: the edition of frozen gold that it was read for; 0 if nobody read it.
        steps: gold's steps, each with a name, as in ``eaten = q2 + q3``, if the row has them.
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
    roles: tuple[Role, ...] = ()
    correction: AppliedCorrection | None = None
    status: str = ""
    reason: str = ""
    edition: int = 0
    steps: tuple[str, ...] = ()
    _derivation: Derivation | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def is_excluded(self) -> bool:
        """Whether a correction says that no derivation of the problem is right."""
        return self.correction is not None and self.correction.kind == EXCLUDED

    @property
    def is_refused(self) -> bool:
        """Whether the row has no gold: none was found when it was derived, or a correction excludes it."""
        return self.status == REFUSED or self.is_excluded

    @property
    def accepts_alternatives(self) -> bool:
        """Whether alternatives are as right as gold: gold is ambiguous, or the correction of a row says so."""
        return self.status == AMBIGUOUS or (self.correction is not None and self.correction.edition >= READ_TWICE)

    @property
    def role_of(self) -> dict[str, str]:
        """What each of gold's unknowns is, by their names; empty if nobody has said it."""
        return dict(self.roles)

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
                why = f"edition {self.correction.edition} of the corrections excludes it" if self.correction else ""
                why = self.reason or why or "no reason is given"
                raise RowError(f"problem {self.id}: expected a gold derivation, but it is refused ({why})")
            object.__setattr__(self, "_derivation", self._read_derivation())
        return self._derivation  # type: ignore[return-value]

    def _read_derivation(self) -> Derivation:
        known = {(number.sentence, number.token): number for number in self.numbers}
        try:
            entries = {a.slot: _annotated_number(a, known.get((a.sentence, a.token))) for a in self.alignment}
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
            AlignedNumber(slot, number.sentence or 0, number.token, _float_value(number) or 0.0)
            for slot, number in derivation.alignment.items()
        ]
        changed = replace(
            self,
            template=derivation.template.equations,
            alignment=tuple(alignment),
            solutions=tuple([float(value) for value in solutions]),
            alternatives=(),
            asked=(),
            roles=(),
        )
        object.__setattr__(changed, "_derivation", derivation)
        return changed

    def to_row(self) -> dict[str, Any]:
        """Return the problem as a row. It has `status` and what follows only if the problem has them."""
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
                    "value": _float_value(n),
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
                [{"sentence": n.sentence, "token": n.token, "value": _float_value(n)} for n in group]
                for group in self.equiv_tnum
            ],
            "derivation": "" if self.is_refused else self.derivation.q_notation(),
            "findings": list(self.findings),
            "alternatives": list(self.alternatives),
            "asked": list(self.asked),
            "roles": [{"unknown": unknown, "role": role} for unknown, role in self.roles],
            "correction": None if self.correction is None else self.correction.to_json(),
        }
        if self.status:
            row["status"] = self.status
        if self.reason:
            row["reason"] = self.reason
        if self.edition:
            row["edition"] = self.edition
        if self.steps:
            row["steps"] = list(self.steps)
        return row

    def gold_text(self) -> str:
        """Return the row up to its derivation as one string; a signature has the hash of these strings.

        Alternatives and what is asked are not part of it. A signature mentions them where they were used.

        The string is ``repr`` of the row. It is written directly, because every row that is scored is written this way.
        """
        numbers = [
            f"{{'index': {n.index}, 'sentence': {n.sentence}, 'token': {n.token}, 'start': {n.start}, "
            f"'end': {n.end}, 'text': {n.text!r}, 'value': {_float_value(n)}}}"
            for n in self.numbers
        ]
        alignment = [
            f"{{'slot': {a.slot!r}, 'sentence': {a.sentence}, 'token': {a.token}, 'value': {a.value!r}}}"
            for a in self.alignment
        ]
        groups = [
            [{"sentence": n.sentence, "token": n.token, "value": _float_value(n)} for n in group]
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
                where = f"row {short_repr(row.get('id'))}"
                raise RowError(f"{where}: expected the fields {', '.join(_FIELDS)}, but {missing} is missing") from None
            except BadField as error:
                raise RowError(f"row {short_repr(row.get('id'))}: {name}{error}") from None
        for name, read in _OPTIONAL.items():
            # If rows of several sources are joined, a field that some of them lack is None.
            if row.get(name) is not None:
                try:
                    values[name] = read(row[name])
                except BadField as error:
                    raise RowError(f"row {short_repr(row.get('id'))}: {name}{error}") from None
        return cls(**values)


_NO_CLASSES = NumberClasses()


def _annotated_number(annotated: AlignedNumber, number: TextNumber | None) -> TextNumber:
    value = exact(annotated.value)
    if number is None:
        return TextNumber(annotated.sentence, annotated.token, value)
    known = number.value
    if known is not None and (known is value or known == value or abs(known - value) <= FLOAT32_TOLERANCE * abs(value)):
        return number
    return replace(number, value=value)


def _float_value(number: TextNumber) -> float | None:
    if number.value is None:
        return None
    numerator, denominator = number.value.as_integer_ratio()
    try:
        return numerator / denominator
    except OverflowError:  # a text may have a number of hundreds of digits
        return copysign(inf, numerator)


def is_problem_id(value: object) -> TypeGuard[ProblemId]:
    r"""Decide whether a value may be the id of a problem: a whole number from 0, or a printable string.

    >>> [is_problem_id(value) for value in (7, "a/7", -1, True, 7.0, "", "a\n", 10**400)]
    [True, True, False, False, False, False, False, False]
    """
    if type(value) is str:
        return 0 < len(value) <= LONGEST_ID and value.isprintable()
    return type(value) is int and 0 <= value <= LARGEST


def name_of(id_: ProblemId) -> str:
    """Return an id as pages and commands write it; a string that looks like a number is written in quotes.

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


def _read_whole(value: object, path: str = "") -> int:
    if type(value) is not int or not 0 <= value <= LARGEST:
        refuse("a whole number from 0", value, path)
    return value


def _read_steps(value: object) -> tuple[str, ...]:
    """Return the steps of a row; a column of this name that is something else is no concern of ours."""
    lines = value if isinstance(value, (list, tuple)) else ()
    return tuple([line for line in lines if isinstance(line, str)])


def _read_roles(value: object) -> tuple[Role, ...]:
    """Return the roles of a row: a list of entries, or a mapping from unknowns to words."""
    if isinstance(value, Mapping):
        return tuple([(read_text(name), read_text(role, f".{name}")) for name, role in value.items() if role])
    return read_each(value, _read_role)


def _read_role(given: Any) -> Role:
    try:
        return read_text(given["unknown"], ".unknown"), read_text(given["role"], ".role")
    except (KeyError, TypeError, IndexError):
        refuse_entry(given, ("unknown", "role"))


def _read_correction(value: object) -> AppliedCorrection | None:
    """Return the correction of a row. Tables write none as NaN, or as an entry whose fields are None."""
    if isinstance(value, float) and isnan(value):
        return None
    if not isinstance(value, Mapping) or not {"edition", "kind"} <= value.keys():
        refuse_entry(value, ("edition", "kind"))
    edition, kind = value["edition"], value["kind"]
    if edition is None and kind is None:
        return None
    if isinstance(edition, float) and edition.is_integer():
        edition = int(edition)
    return AppliedCorrection(_read_whole(edition, ".edition"), read_text(kind, ".kind"))


def _read_id(value: object) -> ProblemId:
    if not is_problem_id(value):
        refuse(f"a whole number from 0 or a printable string of at most {LONGEST_ID} characters", value)
    return value


_ALIGNED = ("slot", "sentence", "token", "value")


def _read_aligned(given: Any) -> AlignedNumber:
    try:
        slot, sentence, token, value = given["slot"], given["sentence"], given["token"], given["value"]
    except (KeyError, TypeError, IndexError):
        refuse_entry(given, _ALIGNED)
    check_place(sentence, token)
    return AlignedNumber(read_text(slot, ".slot"), sentence, token, read_float(value, ".value"))


_FIELDS: dict[str, Callable[[object], Any]] = {
    "id": _read_id,
    "question": read_text,
    "numbers": lambda value: read_each(value, read_number),
    "equations": read_texts,
    "solutions": read_floats,
    "template": read_texts,
    "alignment": lambda value: read_each(value, _read_aligned),
    "equiv_tnum": lambda value: read_each(value, read_group),
}
"""The fields that a row must have, and how each is read."""

_OPTIONAL: dict[str, Callable[[object], Any]] = {
    "findings": read_texts,
    "alternatives": read_texts,
    "asked": read_texts,
    "roles": _read_roles,
    "correction": _read_correction,
    "status": read_text,
    "reason": read_text,
    "edition": _read_whole,
    "steps": _read_steps,
}
"""The fields that a row may have, and how each is read."""


# The expressions that a question asks for (`asked` of a row): gold may list more, or something else, such as the digits
# of a number. An expression has gold's unknowns, numbers of the text as q1, q2, … and constants, as in ``10*m + n`` or
# ``1/q1*m``. It is linear in the unknowns; its factors depend on the numbers of the text.

Form = tuple[Fraction, ...]
"""A linear form in gold's unknowns: a factor for each of them in their order, and a constant."""


@dataclass(frozen=True, slots=True)
class AskedExpression:
    """An expression that a question asks for."""

    text: str  # as in the row
    unknowns: int  # the count of gold's unknowns
    # Each term as a column of the form, a coefficient, and the positions of its numbers
    terms: tuple[tuple[int, int, tuple[int, ...]], ...]
    divisor: tuple[tuple[int, tuple[int, ...]], ...]  # the divisor of all terms, without columns

    @property
    def is_unknown(self) -> bool:
        """Whether it is one of gold's unknowns as it is."""
        return not any(numbers for *_, numbers in (*self.terms, *self.divisor)) and is_unit(self.form(()) or ())

    @property
    def is_next(self) -> bool:
        """Whether it is one of gold's unknowns and a constant, as the second of consecutive numbers is."""
        if any(numbers for *_, numbers in (*self.terms, *self.divisor)):
            return False
        return is_unit((*(self.form(()) or (Fraction(0),))[:-1], Fraction(0)))

    def form(self, numbers: Sequence[Fraction]) -> Form | None:
        """Return the expression as a linear form, at values of the numbers of the text; None if it divides by zero."""
        divisor = sum([c * prod([numbers[at] for at in places]) for c, places in self.divisor])
        if not divisor:
            return None
        factors = [Fraction(0)] * (self.unknowns + 1)
        for column, c, places in self.terms:
            factors[column] += c * prod([numbers[at] for at in places])
        return tuple([factor / divisor for factor in factors])


def is_unit(form: Form) -> bool:
    """Decide whether a form is one unknown as it is."""
    return not form[-1] and sorted(form[:-1]) == [Fraction(0)] * (len(form) - 2) + [Fraction(1)]


def value_at(form: Form, solution: Sequence[Fraction]) -> Fraction:
    """Return the value of a form for values of gold's unknowns."""
    return sum((factor * value for factor, value in zip(form, solution, strict=False)), form[-1])


def read_asked(problem: Problem) -> tuple[AskedExpression, ...]:
    """Return the expressions that a problem asks for; none if that is not decided."""
    try:
        return tuple([_read_expression(text, problem) for text in problem.asked])
    except DrawError as error:
        raise RowError(f"problem {problem.id}: asked: {error}") from error


_NAME = "asked_for"  # the name of an expression while it is read; gold's unknowns are single letters


def _read_expression(text: str, problem: Problem) -> AskedExpression:
    unknowns = problem.derivation.template.unknowns
    read = Derivation.read(f"{_NAME} = {text}", problem.numbers)
    others = ", ".join(sorted({*read.template.unknowns} - {*unknowns, _NAME}))
    if others:
        raise RowError(f"expected gold's unknowns, but got {others}")
    if len(read.template.system.terms) != 1:
        raise ReadError("expression", "one expression", repr(text)[:60])
    if read.by_rank:
        raise RowError(f"expected the numbers of the text, but the row has none for {text!r}"[:120])
    position = {number.place: at for at, number in enumerate(problem.numbers)}
    places = [position[place] for place in read.places]
    # The equation is kept as one side that is zero, so the expression is divided by the factor of its own name.
    columns = [unknowns.index(name) if name != _NAME else None for name in read.template.unknowns] + [len(unknowns)]
    terms: list[tuple[int, int, tuple[int, ...]]] = []
    divisor: list[tuple[int, tuple[int, ...]]] = []
    for at, c, slots in read.template.system.terms[0]:
        column, numbers = columns[at], tuple([places[slot] for slot in slots])
        if column is None:
            divisor.append((-c, numbers))
        else:
            terms.append((column, c, numbers))
    return AskedExpression(text, len(unknowns), tuple(terms), tuple(divisor))


def asked_values(problem: Problem) -> tuple[Fraction, ...]:
    """Return the values that are asked for, in order; none if that is not decided or gold has no values.

    >>> from dataclasses import replace
    >>> from draw_dataset.data.sample import load_sample
    >>> problem = load_sample()["test"][0]
    >>> problem.asked, [str(value) for value in asked_values(problem)]
    (('m', 'n', 'o'), ['50', '100', '200'])
    >>> asked_values(replace(problem, asked=()))
    ()
    """
    expressions = read_asked(problem)
    if not expressions:
        return ()
    solution = problem.derivation.solve()
    values = [number.value for number in problem.numbers]
    known = [value for value in values if value is not None]
    if solution.kind is not SolutionKind.UNIQUE or len(known) < len(values):
        return ()
    exact = [solution.values[name] for name in problem.derivation.template.unknowns]
    forms = [expression.form(known) for expression in expressions]
    found = [value_at(form, exact) for form in forms if form is not None]
    return tuple(found) if len(found) == len(forms) else ()


def read_rows(path: str | os.PathLike[str]) -> list[Problem]:
    """Return the problems of a JSONL file of rows (``-`` is standard input); blank lines are ignored."""
    problems = []
    for line in read_json_lines(path):
        try:
            problems.append(Problem.from_row(line.value))
        except RowError as error:
            raise RowError(f"{display_name(path)}, line {line.number}: {error}") from error
    return problems


def write_rows(path: Path, problems: Iterable[Problem]) -> None:
    """Write problems as a JSONL file of rows, all of it or nothing."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FolderError(f"cannot write {path}: {error}") from error
    write_json_lines(path, (problem.to_row() for problem in problems))
