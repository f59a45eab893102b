"""Records of datasets as problems, presets that name their fields, and derived rows.

A derived row has the fields of every row and four more: ``status`` is ``decided`` (one derivation), ``ambiguous``
(several, the others being its `alternatives`) or ``refused``; ``reason`` says why it is refused; ``readings`` counts
the derivations, which may be more than are listed; ``constants`` names the numbers that the text does not have. A
verified row also has ``siblings``: how many siblings its derivations give the answers of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

from draw_dataset.derivation.derivation import Derivation, TextNumber
from draw_dataset.derivation.problem import (
    AMBIGUOUS,
    LARGEST,
    REFUSED,
    AlignedNumber,
    Problem,
    ProblemId,
    is_problem_id,
)
from draw_dataset.errors import ChoiceError, short_repr
from draw_dataset.text.tokens import MAX_CHARACTERS

DECIDED = "decided"
STATUSES = (DECIDED, AMBIGUOUS, REFUSED)

MAX_ALTERNATIVES = 31  # further derivations that a row lists


class Reason(StrEnum):
    """Why no derivation is given for a problem; the value is what a row says."""

    BROKEN = "broken input"
    MISSING = "missing field"
    NO_NUMBERS = "no number in the text"
    NOT_IN_TEXT = "number not in the text"
    CONTRADICTION = "reference does not come to its own answer"
    NO_DERIVATION = "nothing leads to the answer"
    ANSWER = "answer is no number"
    COMPARISON = "comparison"
    INEQUALITY = "inequality"
    REMAINDER = "division with remainder"
    LEAST_MULTIPLE = "least common multiple"
    GREATEST_DIVISOR = "greatest common divisor"
    CLOCK = "clock time"
    PATTERN = "number pattern"
    POWER = "root or power of an unknown"
    NOT_LINEAR = "not linear in its unknowns"
    NOT_ONE_SOLUTION = "equations without one solution"
    UNREADABLE = "equations that cannot be read"
    TOO_LARGE = "too large"
    TRANSFER = "does not transfer"


class Refusal(Exception):
    """A problem that no derivation is given for; never leaves this package."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}" if self.detail else str(self.reason)


@dataclass(frozen=True, slots=True)
class SourceProblem:
    """A problem of some dataset, by what its fields mean."""

    id: ProblemId
    question: str
    equations: str | None = None  # equations with unknowns, or an expression that is the answer
    formula: str | None = None  # a formula that is written for children, with units, steps and results: "7+2=9"
    solution: str | None = None
    answer: object = None  # the answer as it stands
    places: Sequence[int | None] = ()  # for each literal of the equations its offset in the question, if that is known


@dataclass(frozen=True, slots=True)
class Derived:
    """The derivations of a problem."""

    numbers: tuple[TextNumber, ...]
    equations: tuple[str, ...]  # with the numbers as written
    derivations: tuple[Derivation, ...]  # the most natural first
    readings: int  # how many there are in all
    solutions: tuple[Fraction, ...]  # the values of the unknowns
    constants: tuple[str, ...] = ()  # numbers of the derivation that the text does not have, each with its name
    asked: tuple[str, ...] = ()  # what the question asks for, where that is known
    siblings: int = 0  # how many siblings the derivations give the answers of
    steps: tuple[str, ...] = ()  # the quantities on the way to the result, each with a name


def derived_row(source: SourceProblem, derived: Derived) -> dict[str, Any]:
    """Return the row of a problem with its derivations."""
    gold, *others = derived.derivations
    try:
        solutions = tuple([float(value) for value in derived.solutions])
    except OverflowError:
        raise Refusal(Reason.TOO_LARGE, "the solutions") from None
    problem = Problem(
        id=source.id,
        question=source.question,
        numbers=derived.numbers,
        equations=derived.equations,
        solutions=solutions,
        template=gold.template.equations,
        alignment=tuple(
            [AlignedNumber(slot, n.sentence or 0, n.token, float(n.value or 0)) for slot, n in gold.alignment.items()]
        ),
        alternatives=tuple([other.q_notation() for other in others[:MAX_ALTERNATIVES]]),
        asked=derived.asked,
        status=AMBIGUOUS if derived.readings > 1 else DECIDED,
    )
    more = {"reason": "", "readings": min(derived.readings, LARGEST), "constants": list(derived.constants)}
    return problem.to_row() | more | {"steps": list(derived.steps)}


def refused_row(id_: ProblemId, question: str, numbers: Sequence[TextNumber], refusal: Refusal) -> dict[str, Any]:
    """Return the row of a problem that no derivation is given for."""
    problem = Problem(id_, question, tuple(numbers), (), (), (), (), status=REFUSED, reason=str(refusal))
    return problem.to_row() | {"readings": 0, "constants": [], "steps": []}


def reason_of(row: Mapping[str, Any]) -> str:
    """Return the kind of a refused row's reason, without its detail."""
    return str(row.get("reason") or "").partition(":")[0]


Names = str | Sequence[str]  # the name of a field, or the names of several that belong together


@dataclass(frozen=True, slots=True)
class Fields:
    """Where the parts of a problem stand in a record."""

    question: Names = "question"  # the text; several fields are joined by a blank
    equations: str | None = None  # equations, or an expression that is the answer
    formula: str | None = None  # a formula with units and steps
    solution: str | None = None
    answer: str | None = None
    id: str | None = "id"  # what the problem is called; where a record lacks it, it is called by its position

    def with_changes(self, given: Mapping[str, Names | None]) -> Fields:
        """Return the fields with some named otherwise; a reference that is given takes the place of the others."""
        chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        for name, value in chosen.items():
            several = name == "question" and isinstance(value, (list, tuple)) and value
            if not all(isinstance(one, str) for one in (value if several else [value])):
                raise ChoiceError(f"{name}: expected the name of a field, but got {short_repr(value)}")
        references = [name for name in REFERENCES if name in chosen]
        if len(references) > 1:
            raise ChoiceError(f"expected one of {', '.join(REFERENCES)}, but got {' and '.join(references)}")
        if references:
            chosen = dict.fromkeys(REFERENCES) | chosen
        return replace(self, **chosen)

    @property
    def names(self) -> list[str]:
        """The fields that a record must have."""
        question = [self.question] if isinstance(self.question, str) else list(self.question)
        return question + [name for name in (self.equations, self.formula, self.solution) if name is not None]


FIELDS = ("question", "equations", "formula", "solution", "answer", "id")  # what a field may be named for
REFERENCES = ("equations", "formula", "solution")  # what a derivation may be read from

Adjust = Callable[[Mapping[str, Any], SourceProblem], SourceProblem]  # what a preset does besides naming fields


def with_names(record: Mapping[str, Any], names: Sequence[str]) -> Mapping[str, Any]:
    """Return a record with its fields by some names, where it writes them in other letters: body for Body.

    >>> with_names({"body": "Ann has 2 pens.", "Formula": "2-1=1"}, ["Body", "Formula"])["Body"]
    'Ann has 2 pens.'
    """
    lacking = [name for name in names if name not in record]
    if not lacking:
        return record
    written = {key.lower(): key for key in record if isinstance(key, str)}
    return {**record, **{name: record[written[name.lower()]] for name in lacking if name.lower() in written}}


def id_of(record: Mapping[str, Any], fields: Fields, position: int) -> ProblemId:
    """Return the id of a problem: its own, or its position from 0.

    >>> id_of({"id": "a7"}, Fields(), 3), id_of({}, Fields(), 3), id_of({"id": 2.5}, Fields(), 3)
    ('a7', 3, 3)
    """
    given = record.get(fields.id) if fields.id is not None else None
    return given if is_problem_id(given) else position


def problem_of(record: Mapping[str, Any], fields: Fields, position: int, adjust: Adjust | None = None) -> SourceProblem:
    """Return a record as a problem."""
    names = [fields.question] if isinstance(fields.question, str) else fields.question
    question = " ".join(_text(record, name).strip() for name in names).strip()
    if not question:
        raise Refusal(Reason.MISSING, f"{' and '.join(names)} is empty")
    if len(question) > MAX_CHARACTERS:
        raise Refusal(Reason.TOO_LARGE, f"a question of {len(question)} characters")
    problem = SourceProblem(
        id=id_of(record, fields, position),
        question=question,
        equations=_reference(record, fields.equations),
        formula=_reference(record, fields.formula),
        solution=_reference(record, fields.solution),
        answer=record.get(fields.answer) if fields.answer is not None else None,
    )
    return problem if adjust is None else adjust(record, problem)


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    if value is None:
        raise Refusal(Reason.MISSING, name)
    if not isinstance(value, str):
        raise Refusal(Reason.MISSING, f"{name} is no text: {short_repr(value)}")
    return value


def _reference(record: Mapping[str, Any], name: str | None) -> str | None:
    if name is None:
        return None
    value = record.get(name)
    if isinstance(value, (list, tuple)) and value and all(isinstance(part, str) for part in value):
        return "; ".join(value)
    text = _text(record, name)
    if not text.strip():
        raise Refusal(Reason.MISSING, f"{name} is empty")
    return text


@dataclass(frozen=True, slots=True)
class Preset:
    """Where the fields of a dataset are."""

    name: str
    title: str  # of the dataset
    fields: Fields
    licence: str  # of the dataset
    adjust: Adjust | None = None  # what is done with a problem besides, if anything
    element: str = "Problem"  # in XML files, the element that is one problem
    also: tuple[str, ...] = ()  # further fields that the adjustment looks at

    @property
    def names(self) -> list[str]:
        """All fields that are looked at, as the dataset was first published with them."""
        return [*self.fields.names, *filter(None, (self.fields.answer, self.fields.id)), *self.also]


# MAWPS as it was published with SVAMP: the text has ``number0``, ``number1`` …, whose values stand in ``Numbers``, and
# the equation is in prefix notation: ``- number0 * number1 number2``. Placeholders do not tell numbers of equal value
# apart, so the other readings are listed as alternatives, and count with ``gold="any"``.

_PLACEHOLDER = re.compile(r"\bnumber(\d{1,3})\b")
_SIGNS = frozenset("+-*/")
_BODY = ("Body", "Question")
MAX_PARTS = 400  # signs and numbers of one equation


def _fill_mawps(record: Mapping[str, Any], problem: SourceProblem) -> SourceProblem:
    """Return a problem with its numbers put in, and its equation in the usual notation."""
    values = mawps_values(record.get("Numbers"))
    question, starts = fill_placeholders(problem.question, values)
    parts = (problem.equations or "").split()
    if len(parts) > MAX_PARTS:
        raise Refusal(Reason.TOO_LARGE, f"an equation of {len(parts)} parts")
    equation, places = _infix(parts, values, starts)
    return replace(problem, question=question, equations=equation, places=tuple(places))


def mawps_values(numbers: object) -> list[str]:
    """Return the values of the placeholders of a record."""
    if not isinstance(numbers, str):
        raise Refusal(Reason.MISSING, "Numbers")
    return [_plain_number(text) for text in numbers.split()]


def _plain_number(text: str) -> str:
    """Return a value as people write it: 56 for 56.0."""
    try:
        value = Fraction(text) if len(text) <= 40 else None
    except (ValueError, ZeroDivisionError):
        value = None
    if value is None:
        raise Refusal(Reason.BROKEN, f"Numbers: {text[:20]}")
    return str(value.numerator) if value.denominator == 1 else text


def fill_placeholders(question: str, values: Sequence[str]) -> tuple[str, dict[int, int]]:
    """Return a text with values for its placeholders, and where the value of each begins.

    >>> fill_placeholders("Bo had number0 pens and lost number1 .", ["12", "5"])
    ('Bo had 12 pens and lost 5 .', {0: 7, 1: 24})
    """
    starts: dict[int, int] = {}
    written, end = "", 0
    for match in _PLACEHOLDER.finditer(question):
        which = int(match.group(1))
        if which >= len(values):
            raise Refusal(Reason.BROKEN, f"{match.group()} has no value")
        written += question[end : match.start()]
        starts.setdefault(which, len(written))
        written += values[which]
        end = match.end()
    return written + question[end:], starts


def _infix(parts: Sequence[str], values: Sequence[str], starts: Mapping[int, int]) -> tuple[str, list[int | None]]:
    """Return an equation in prefix notation in the usual one, and where its numbers stand.

    >>> _infix(["-", "number0", "*", "2.0", "number1"], ["12", "5"], {0: 7, 1: 24})
    ('12 - (2 * 5)', [7, None, 24])
    """
    waiting: list[tuple[str, list[int | None]]] = []
    for part in reversed(parts):
        if part in _SIGNS:
            if len(waiting) < 2:
                raise Refusal(Reason.UNREADABLE, "the equation is not in prefix notation")
            (left, places), (right, others) = waiting.pop(), waiting.pop()
            waiting.append((f"({left} {part} {right})", [*places, *others]))
            continue
        match = _PLACEHOLDER.fullmatch(part)
        which = int(match.group(1)) if match else None
        if which is not None and which >= len(values):
            raise Refusal(Reason.BROKEN, f"{part} has no value")
        value = _plain_number(part) if which is None else values[which]
        waiting.append((value, [None if which is None else starts.get(which)]))
    if len(waiting) != 1:
        raise Refusal(Reason.UNREADABLE, "the equation is not in prefix notation")
    equation, places = waiting[0]
    return equation[1:-1] if equation.startswith("(") else equation, places


_PRESETS = (
    # a question and a worked solution, with calculations in <<…>> and the result after ####
    Preset("gsm8k", "GSM8K (openai/gsm8k)", Fields(solution="answer"), "MIT"),
    # a body and a question, an expression such as ( 76.0 - 25.0 ) and its value
    Preset("svamp", "SVAMP (ChilleD/SVAMP)", Fields(_BODY, equations="Equation", answer="Answer", id="ID"), "MIT"),
    # a body and a question, a formula such as 7+2=9 and an answer with its unit, in XML
    Preset("asdiv", "ASDiv V1.0", Fields(_BODY, formula="Formula", answer="Answer", id="ID"), "CC BY-NC 4.0"),
    Preset(
        name="mawps",
        title="MAWPS (as published with SVAMP)",
        fields=Fields(question="Question", equations="Equation", answer="Answer", id="ID"),
        licence="MIT",
        adjust=_fill_mawps,
        also=("Numbers",),
    ),
)
PRESETS: Mapping[str, Preset] = {preset.name: preset for preset in _PRESETS}


def find_preset(name: str) -> Preset:
    """Return a preset by its name."""
    preset = PRESETS.get(name.lower()) if isinstance(name, str) else None
    if preset is None:
        raise ChoiceError(f"Unknown preset {short_repr(name)}: there are {', '.join(PRESETS)}")
    return preset
