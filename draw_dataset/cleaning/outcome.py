"""What comes out of an explanation: statements of several kinds, and the equations chosen among them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

Literal = tuple[Fraction, ...]
"""A number written in an equation; of a quotient of two numbers its value, the number above and the number below."""


MORE_READINGS = "more than one reading"
"""The doubt of a statement whose words can be read in several ways, each a statement of its own."""


class Kind(StrEnum):
    """What a statement of an explanation is."""

    EQUATION = "equation"
    COMPUTED = "computed value"  # x = 90/5
    VALUE = "value"  # x = 18
    DEFINITION = "definition"  # x = number of dimes
    CHECK = "check"  # .25 + 2.25 = 2.5
    WORDS = "words"  # distance = rate * time
    FORMULA = "formula"  # d = r*t: no number of the problem in it
    NOT_LINEAR = "not linear"
    INEQUALITY = "inequality"
    UNREADABLE = "unreadable"


class Reason(StrEnum):
    """Why an explanation gives no equations."""

    NO_EXPLANATION = "no explanation"
    NO_EQUATION = "no equation was found"
    ONLY_ANSWER = "only the answer is given"
    NOT_LINEAR = "an equation is not linear"
    CONTRADICTION = "statements contradict each other"
    UNITS = "units of different size are mixed in one equation"
    NUMBERS = "numbers of the equations are not in the question"
    UNDETERMINED = "the equations do not determine their unknowns"
    DOUBTFUL = "an equation could be read in more than one way and nothing confirms the reading"


@dataclass(frozen=True, slots=True)
class Linear:
    """An equation as the core reads it: the sum of coefficient * unknown, plus the constant, is zero.

    Attributes:
        coefficients: by unknown, none of them zero.
        constant: the rest.
        divisors: linear forms of the same kind that must not vanish.
    """

    coefficients: dict[str, Fraction]
    constant: Fraction
    divisors: tuple[tuple[dict[str, Fraction], Fraction], ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of an explanation.

    Attributes:
        kind: what it is.
        text: the words it was read from.
        line: its line, from 0.
        equation: the equation in the core's plain form; empty unless it could be read.
        doubt: why the reading is not certain; empty if it is.
        literals: the numbers written in it.
        linear: what the core made of it.
        approximate: whether the right side is said to be rounded.
        note: why it could not be read.
    """

    kind: Kind
    text: str
    line: int
    equation: str = ""
    doubt: str = ""
    literals: tuple[Literal, ...] = ()
    linear: Linear | None = None
    approximate: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Extraction:
    """The equations of a question.

    Attributes:
        equations: the chosen set, in the core's plain form; empty if there is a reason.
        solution: the exact value of each unknown.
        reason: why there are none.
        detail: what exactly stood in the way.
        confirmed: how many other statements of the explanation agree with the solution.
        used: the share of the question's numbers that the chosen set uses.
        missing: literals of the chosen set that do not occur in the question, as 2.5 for .25*10.
        explanation: which explanation they come from, from 0.
        others: all statements of that explanation that were not chosen.
    """

    equations: tuple[str, ...] = ()
    solution: dict[str, Fraction] = field(default_factory=dict)
    reason: Reason | None = None
    detail: str = ""
    confirmed: int = 0
    used: Fraction = Fraction(0)
    missing: tuple[Fraction, ...] = ()
    explanation: int | None = None
    others: tuple[Statement, ...] = ()
