"""What goes in and what comes out: a problem of some dataset, and the row that is derived from it.

A derived row has the fields of every row, and four more: ``status`` is ``decided`` (one derivation), ``ambiguous``
(several, the others being its `alternatives`) or ``refused``; ``reason`` says why it is refused, else it is empty;
``readings`` is how many derivations there are, which may be more than are listed; ``constants`` names the numbers of
the derivation that the text does not have. A refused row has no equations, no template, no alignment and no derivation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.derivation import Derivation
from draw_dataset.core.problem import REFUSED, AlignedNumber, Problem, ProblemId
from draw_dataset.core.row_fields import LARGEST

DECIDED, AMBIGUOUS = "decided", "ambiguous"
STATUSES = (DECIDED, AMBIGUOUS, REFUSED)

MAX_ALTERNATIVES = 31
"""Further derivations that a row lists."""


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


class Refusal(Exception):
    """A problem that no derivation is given for; never leaves this package.

    Attributes:
        reason: why.
        detail: what exactly, in a few words.
    """

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}" if self.detail else str(self.reason)


@dataclass(frozen=True, slots=True)
class SourceProblem:
    """A problem of some dataset, by what its fields mean.

    Attributes:
        id: what it is called.
        question: the text.
        equations: equations with unknowns, or an expression that is the answer; None if the dataset has none.
        formula: a formula that is written for children, with units, steps and results: "7+2=9"; None if there is none.
        solution: a worked solution; None if there is none.
        answer: the answer as it stands; None if it is not given.
        places: where the dataset itself says that a number of its equations stands: for each literal of the equations
            in their order the offset of the number in the question, or None.
    """

    id: ProblemId
    question: str
    equations: str | None = None
    formula: str | None = None
    solution: str | None = None
    answer: object = None
    places: Sequence[int | None] = ()


@dataclass(frozen=True, slots=True)
class Derived:
    """What was derived of a problem.

    Attributes:
        numbers: the numbers of the text.
        equations: the equations with the numbers as written.
        derivations: the derivations, the most natural first; none if it is refused.
        readings: how many there are in all.
        solutions: what the unknowns come to.
        constants: numbers of the derivation that the text does not have, each with its name.
        asked: what the question asks for, where that is known.
    """

    numbers: tuple[TextNumber, ...]
    equations: tuple[str, ...]
    derivations: tuple[Derivation, ...]
    readings: int
    solutions: tuple[Fraction, ...]
    constants: tuple[str, ...] = ()
    asked: tuple[str, ...] = field(default=())


def derived_row(source: SourceProblem, derived: Derived) -> dict[str, Any]:
    """Return the row of a problem with its derivations.

    Raises:
        Refusal: a solution is too large for a row.
    """
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
        alignment=tuple([_aligned(slot, number) for slot, number in gold.alignment.items()]),
        alternatives=tuple([other.q_notation() for other in others[:MAX_ALTERNATIVES]]),
        asked=derived.asked,
        status=AMBIGUOUS if derived.readings > 1 else DECIDED,
    )
    return problem.to_row() | {
        "reason": "",
        "readings": min(derived.readings, LARGEST),
        "constants": list(derived.constants),
    }


def refused_row(id_: ProblemId, question: str, numbers: Sequence[TextNumber], refusal: Refusal) -> dict[str, Any]:
    """Return the row of a problem that no derivation is given for."""
    problem = Problem(id_, question, tuple(numbers), (), (), (), (), status=REFUSED, reason=str(refusal))
    return problem.to_row() | {"readings": 0, "constants": []}


def _aligned(slot: str, number: TextNumber) -> AlignedNumber:
    return AlignedNumber(slot, number.sentence or 0, number.token, float(number.value or 0))


def reason_of(row: Mapping[str, Any]) -> str:
    """Return the kind of a refused row's reason, without its detail."""
    return str(row.get("reason") or "").partition(":")[0]
