"""The gold quantities at points: at the numbers of the text, with some numbers changed, and with letters for them.

Every answer to a problem asks for the same points, so each is computed once and kept with gold.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import Protocol

from draw_dataset.core.algebra.polynomial import POINT, PRIME
from draw_dataset.core.quantities.solving import ONE, Algebra, Poly, Ratio

Changed = frozenset[int] | None
"""The numbers that differ from the text; None for all of them."""

ALL: Changed = None

UNITS: tuple[Fraction, ...] = tuple(
    map(Fraction, ("100", "1/100", "60", "1/60", "12", "1/12", "1000", "1/1000", "3600", "1/3600", "7", "24"))
)
"""Factors between the unit of an unknown in an answer and the unit in gold."""

_ONE = Fraction(1)


class Gold(Protocol):
    """The gold quantities as functions of the numbers of the text."""

    @property
    def numbers(self) -> Sequence[Fraction]:
        """The value of each class of numbers in the text."""

    @property
    def ones(self) -> frozenset[int]:
        """The classes whose numbers are 1, or 100 percent."""

    def __hash__(self) -> int:
        """Return the hash under which results for gold are cached."""

    def at(self, algebra: Algebra, numbers: Sequence[Ratio]) -> list[Ratio] | None:
        """Return the gold quantities with given quotients for the numbers; None if they have no value there."""


class GoldPoints:
    """The gold quantities at points, each computed when it is first asked for.

    Args:
        gold: the gold quantities.

    Attributes:
        count: how many classes of numbers there are.
        values: the gold quantities at the numbers of the text; None where they have no value.
        integers: the value of each class, multiplied by a common denominator, and that denominator.
        scaled: for each gold quantity its value in each unit, as a factor and a value; its own unit comes first.
        candidates: all these values in lowest terms; a quantity with another value is no gold quantity.
    """

    __slots__ = ("_gold", "_in_field", "_letters", "_points", "candidates", "count", "integers", "scaled", "values")

    def __init__(self, gold: Gold) -> None:
        self._gold = gold
        self.count = len(gold.numbers)
        self.values = _exactly(gold)
        common = lcm(*[value.denominator for value in gold.numbers])
        self.integers = [value.numerator * (common // value.denominator) for value in gold.numbers], common
        # Zero is zero in every unit.
        self.scaled = [
            [(scale, value * scale) for scale in ((_ONE, *UNITS) if value else (_ONE,))] for value in self.values or ()
        ]
        self.candidates = frozenset(value.as_integer_ratio() for units in self.scaled for _, value in units)
        self._points: dict[Changed, list[int]] = {}
        self._in_field: dict[Changed, list[int] | None] = {}
        self._letters: dict[Changed, tuple[list[Ratio], list[Ratio] | None]] = {}

    def point(self, changed: Changed) -> list[int]:
        """Return the numbers of the field at which some numbers are changed."""
        if changed not in self._points:
            field, given = Algebra(PRIME), self._gold.numbers
            moved = range(self.count) if changed is None else changed
            self._points[changed] = [
                POINT[i % len(POINT)] if i in moved else field.residue(given[i]) for i in range(self.count)
            ]
        return self._points[changed]

    def in_field(self, changed: Changed) -> list[int] | None:
        """Return the gold quantities at such a point; None if they have no value there."""
        if changed not in self._in_field:
            field = Algebra(PRIME)
            found = self._gold.at(field, [field.number(value) for value in self.point(changed)])
            self._in_field[changed] = None if found is None else [_residue(field, *ratio) for ratio in found]
        return self._in_field[changed]

    def with_letters(self, changed: Changed) -> tuple[list[Ratio], list[Ratio] | None]:
        """Return letters for the changed numbers, and the gold quantities as functions of them."""
        if changed not in self._letters:
            algebra = Algebra()
            moved = range(self.count) if changed is None else changed
            numbers: list[Ratio] = [
                ({(-1 - i,): 1}, ONE) if i in moved else algebra.number(value)
                for i, value in enumerate(self._gold.numbers)
            ]
            self._letters[changed] = numbers, self._gold.at(algebra, numbers)
        return self._letters[changed]


points_of = lru_cache(maxsize=1 << 10)(GoldPoints)
"""The points of a gold derivation; all answers to one problem share them."""


def in_lowest_terms(above: int, below: int) -> tuple[int, int]:
    """Return numerator and denominator of a quotient whose denominator is positive.

    >>> in_lowest_terms(-6, 4)
    (-3, 2)
    """
    shared = gcd(above, below)
    return above // shared, below // shared


def _exactly(gold: Gold) -> list[Fraction] | None:
    exact = Algebra()
    found = gold.at(exact, [exact.number(value) for value in gold.numbers])
    if found is None:
        return None
    return [Fraction(above.get((), 0)) / Fraction(below[()]) for above, below in found]


def _residue(field: Algebra, above: Poly, below: Poly) -> int:
    """Return the value of a quotient of two numbers of the field."""
    return int(above.get((), 0)) * int(field.inverse(below[()])) % PRIME
