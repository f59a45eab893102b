"""How much one input may cost: the bounds that keep untrusted text from taking time or memory.

The bounds are far above anything a word problem needs (the public data has at most 6 slots, 3 unknowns and 100
characters in an equation). They are low enough that reading or comparing the worst input within them stays well under a
second. Work is counted, not timed, so a verdict never depends on the machine.

One unit of work takes about as long as multiplying two terms with small coefficients. Large coefficients cost more: a
product of integers of a and b bits adds a*b / 2^16 units, and a division or a greatest common divisor four times that.
Reading, solving, comparing and ordering each have their own budget. So what a system costs, and whether it is refused,
does not depend on what was cached before.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from draw_dataset.errors import LimitError

MAX_CHARACTERS = 8_000
"""Characters of one system of equations."""

MAX_DEPTH = 40
"""Levels of nested parentheses."""

MAX_NAMES = 40
"""Different unknowns, and different slots, in one system."""

MAX_EQUATIONS = 40
"""Equations of one system."""

MAX_DIGITS = 100
"""Digits of one literal number, with its exponent written out."""

MAX_EXPONENT = 64
"""Exponent of a power."""

MAX_BITS = 4_096
"""Bits of a coefficient, while reading and while comparing."""

MAX_SOLUTION_BITS = 12_000
"""Bits of a number in a solution; Python does not print much longer integers."""

MAX_DEGREE = 64
"""Names in one term, counted with their exponents."""

MAX_SIZE = 4_000
"""Terms of one system after its brackets are multiplied out, and of its solution."""

READING_WORK = 100_000
"""Work while reading one system."""

COMPARING_WORK = 200_000
"""Work of one computation while solving or comparing systems."""

SEARCH_WORK = 400_000
"""Work while ordering interchangeable slots, or until slot maps are found."""

MAP_WORK = 1_000
"""Work that each slot map adds to the budget, so that many cheap maps can be asked for."""

MAX_FREE_UNKNOWNS = 5
"""Unknowns of a system without a unique solution; all their orders are tried."""


class Meter:
    """Counts work down from a budget and raises `LimitError` when the budget is spent."""

    __slots__ = ("_budget", "_doing", "left")

    def __init__(self, budget: int, doing: str) -> None:
        self.left = budget
        self._budget = budget
        self._doing = doing

    def spend(self, steps: int, bits: int = 0) -> None:
        """Take work from what is left.

        Args:
            steps: the work if all integers are small.
            bits: the extra for their size: for each product of two integers, the product of their lengths in bits.
        """
        self.left -= steps + (bits >> 16)
        if self.left < 0:
            raise LimitError(
                f"{self._doing} took more than {self._budget} steps, the bound for one input; "
                "expected a system with fewer terms, smaller numbers and exponents, or fewer unknowns"
            )


def check_bits(numbers: Iterable[int], most: int = MAX_BITS) -> None:
    """Raise `LimitError` if a number has more bits than allowed."""
    if max(map(int.bit_length, numbers), default=0) > most:
        raise LimitError(f"expected numbers of at most {most} bits, but got a larger one")


def is_long(value: Fraction | int) -> bool:
    """Say whether the numerator or the denominator of a number has more than `MAX_BITS` bits."""
    if type(value) is int:
        return value.bit_length() > MAX_BITS
    return value.numerator.bit_length() > MAX_BITS or value.denominator.bit_length() > MAX_BITS


def comparing() -> Meter:
    """Return a fresh budget for one symbolic computation."""
    return Meter(COMPARING_WORK, "comparing the systems")
