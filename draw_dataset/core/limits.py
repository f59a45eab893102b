"""How much one input may cost: the bounds that keep untrusted text from taking time or memory.

The bounds are far above anything a word problem needs (the public data has at most 6 slots, 3 unknowns and
100 characters an equation) and low enough that reading or comparing the worst admissible input stays well
under a second. Work is counted, not timed, so that a verdict never depends on the machine.
"""

from __future__ import annotations

from draw_dataset.errors import LimitError

MAX_CHARACTERS = 8_000
"""Length of one system of equations as text."""

MAX_DEPTH = 40
"""Nested parentheses."""

MAX_NAMES = 40
"""Different unknowns, and different slots, in one system."""

MAX_EQUATIONS = 40
"""Equations of one system."""

MAX_DIGITS = 100
"""Digits of one literal number, its exponent written out."""

MAX_EXPONENT = 64
"""Exponent of a power."""

MAX_BITS = 4_096
"""Size of a coefficient."""

READING_WORK = 40_000
"""Products of terms while expanding the brackets of one system."""

COMPARING_WORK = 400_000
"""Products of terms while solving or comparing systems symbolically."""

SEARCH_WORK = 500_000
"""Visits to variables in terms while ordering interchangeable slots."""

MAX_FREE_UNKNOWNS = 5
"""Unknowns of a system without a unique solution, all of whose orders are tried."""


class Meter:
    """Counts work down from a budget and raises `LimitError` when it is spent."""

    __slots__ = ("_budget", "_doing", "left")

    def __init__(self, budget: int, doing: str) -> None:
        self.left = budget
        self._budget = budget
        self._doing = doing

    def spend(self, amount: int) -> None:
        """Take `amount` from what is left."""
        self.left -= amount
        if self.left < 0:
            raise LimitError(
                f"{self._doing} took more than {self._budget} steps, the bound for one input; "
                "expected a system with fewer terms, smaller exponents or fewer unknowns"
            )


def comparing() -> Meter:
    """Return a fresh budget for one symbolic computation."""
    return Meter(COMPARING_WORK, "comparing the systems")
