"""Under which conditions a score was made: every option that can move it, and the signature that tells them.

A `Signature` says which rows were scored (their name, a digest of their gold, how many), every option, what was done
about rows without a prediction, and the versions. Scores with equal signatures can be compared; those of the same rows
can stand in one table. Its text, as in sacrebleu, is what is printed and copied.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from draw_dataset.core.references import POLICY
from draw_dataset.errors import ChoiceError, shown
from draw_dataset.version import __version__

EquationMode = Literal["random", "first", "expected"]
Missing = Literal["error", "abstain"]

METRIC_VERSION = 2
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


@dataclass(frozen=True, slots=True)
class Signature:
    """The conditions of a score; `str` gives the text.

    >>> print(Signature("sample/test", 0xABCDEF0123, 30, Options(seed=7), "abstain", version="1.0"))
    deriv|data:sample/test@cdef0123|n:30|sol:tol0.0001|eq:random-seed7|abstain:wrong|missing:abstain|\
const:constant-only-if-no-number-fits|metric:2|version:1.0

    Attributes:
        data: what the rows are called, as in ``draw1k/test``.
        digest: a number that stands for the gold of all rows, in whatever order: the sum of their hashes.
        count: how many rows there were, each with a prediction.
        options: how predictions were graded.
        missing: what was done about rows without a prediction.
        constants: how constants of equations are treated.
        metric: the version of the metric.
        version: the version of this package.

    Raises:
        ChoiceError: the name of the data cannot stand in a signature.
    """

    data: str
    digest: int
    count: int
    options: Options
    missing: Missing = "error"
    constants: str = POLICY
    metric: int = METRIC_VERSION
    version: str = __version__

    def __post_init__(self) -> None:
        check_data_name(self.data)

    @property
    def rows(self) -> str:
        """Which rows, whatever they are called: equal for the same gold, and as good as never for another."""
        return f"{self.digest % (1 << 256):064x}"

    def __str__(self) -> str:
        options = self.options
        equation = f"random-seed{options.seed}" if options.equation == "random" else options.equation
        parts = [
            "deriv",
            f"data:{self.data}@{self.rows[-8:]}",
            f"n:{self.count}",
            f"sol:tol{float(options.tolerance):g}",
            f"eq:{equation}",
            "abstain:wrong",
            *(["equiv:merged"] if options.merge_equiv else []),
            *([f"missing:{self.missing}"] if self.missing != "error" else []),
            f"const:{self.constants.replace(' ', '-')}",
            f"metric:{self.metric}",
            f"version:{self.version}",
        ]
        return "|".join(parts)


def check_data_name(data: object) -> None:
    """Refuse a name of data that cannot stand in a signature.

    Raises:
        ChoiceError: it is no text, cannot be printed, or has a ``|``, which parts a signature.
    """
    if not isinstance(data, str) or "|" in data or not data.isprintable():
        raise ChoiceError(f"data: expected a printable name without |, but got {shown(data)}")
