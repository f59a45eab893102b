"""What can move a score: every option, and how it is written in a signature."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from draw_dataset.errors import ChoiceError, shown

EquationMode = Literal["random", "first", "expected"]

METRIC_VERSION = 1
"""Raised whenever the same predictions could get another score."""


@dataclass(frozen=True, slots=True)
class Options:
    """How predictions are graded.

    Attributes:
        merge_equiv: whether two equivalent numbers in two slots count as one number in one slot.
        tolerance: the largest difference of a solution from gold, relative to gold where gold is larger than one.
        equation: the reference of equation accuracy: one drawn at random, the first, or the expectation over all.
        seed: of the random draw; a problem gets the same draw in any order and process.
    """

    merge_equiv: bool = False
    tolerance: Fraction = Fraction(1, 10_000)
    equation: EquationMode = "random"
    seed: int = 0

    def __post_init__(self) -> None:
        if self.equation not in ("random", "first", "expected"):
            raise ChoiceError(f"equation: expected random, first or expected, but got {shown(self.equation)}")
        if type(self.seed) is not int or self.seed < 0:
            raise ChoiceError(f"seed: expected a whole number from 0, but got {shown(self.seed)}")
        if not 0 <= self.tolerance < 1:
            raise ChoiceError(f"tolerance: expected a number from 0 and below 1, but got {shown(self.tolerance)}")

    def __hash__(self) -> int:
        # Looked up for every prediction, and hashing a Fraction takes longer than all the rest; equality looks at it.
        return hash((self.merge_equiv, self.equation, self.seed))

    def signature(self) -> str:
        """Return the options as the part of a signature that they make up."""
        equation = f"random-seed{self.seed}" if self.equation == "random" else self.equation
        parts = [f"sol:tol{float(self.tolerance):g}", f"eq:{equation}", "abstain:wrong"]
        if self.merge_equiv:
            parts.append("equiv:merged")
        return "|".join(parts)


def check_data_name(data: object) -> None:
    """Refuse a name of data that a signature cannot hold.

    Raises:
        ChoiceError: it is no text, or has a ``|``, which parts a signature.
    """
    if not isinstance(data, str) or "|" in data:
        raise ChoiceError(f"data: expected a name without |, but got {shown(data)}")
