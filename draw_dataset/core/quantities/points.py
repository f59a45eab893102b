"""Gold's quantities at points: at the numbers of the text, where some numbers are others, and with letters for them.

Gold is asked for the same points by every answer to its problem, so each is found once and kept with gold.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import Protocol

from draw_dataset.core.algebra.polynomial import POINT, PRIME
from draw_dataset.core.quantities.solving import Algebra, Poly, Ratio

Changed = frozenset[int] | None
"""The numbers that are others than in the text; None for all of them."""

ALL: Changed = None

UNITS: tuple[Fraction, ...] = tuple(
    map(Fraction, ("100", "1/100", "60", "1/60", "12", "1/12", "1000", "1/1000", "3600", "1/3600", "7", "24"))
)
"""Factors between an answer's unit of an unknown and gold's."""


_ONE = Fraction(1)


class Gold(Protocol):
    """Gold's quantities as functions of the numbers of the text."""

    @property
    def numbers(self) -> Sequence[Fraction]:
        """The value of each class of numbers in the text."""

    @property
    def ones(self) -> frozenset[int]:
        """The classes whose numbers are 1, or 100 percent."""

    def __hash__(self) -> int:
        """Return what gold is known by, as what is found of it is kept."""

    def at(self, algebra: Algebra, numbers: Sequence[Ratio]) -> list[Ratio] | None:
        """Return gold's quantities where given quotients stand for the numbers; None where they have no value."""


class GoldPoints:
    """Gold's quantities at points, each found when it is first asked for.

    Args:
        gold: gold's quantities.

    Attributes:
        count: how many classes of numbers there are.
        values: gold's quantities at the numbers of the text; None where they have no value.
        integers: the value of each class, multiplied by a common denominator, and that denominator.
        scaled: for each of gold's quantities its value in each unit: the factor and the value, the own unit first.
        candidates: all these values, in lowest terms: what a quantity must come to, to be one of gold's.
    """

    __slots__ = ("_gold", "_in_field", "_letters", "_points", "candidates", "count", "integers", "scaled", "values")

    def __init__(self, gold: Gold) -> None:
        self._gold = gold
        self.count = len(gold.numbers)
        self.values = _exactly(gold)
        common = lcm(*[value.denominator for value in gold.numbers])
        self.integers = [value.numerator * (common // value.denominator) for value in gold.numbers], common
        # Nothing is nothing in every unit.
        self.scaled = [
            [(scale, value * scale) for scale in ((_ONE, *UNITS) if value else (_ONE,))] for value in self.values or ()
        ]
        self.candidates = frozenset(value.as_integer_ratio() for units in self.scaled for _, value in units)
        self._points: dict[Changed, list[int]] = {}
        self._in_field: dict[Changed, list[int] | None] = {}
        self._letters: dict[Changed, tuple[list[Ratio], list[Ratio] | None]] = {}

    def point(self, changed: Changed) -> list[int]:
        """Return what stands for each number in the field where some are changed."""
        if changed not in self._points:
            field, given = Algebra(PRIME), self._gold.numbers
            moved = range(self.count) if changed is None else changed
            self._points[changed] = [
                POINT[i % len(POINT)] if i in moved else field.residue(given[i]) for i in range(self.count)
            ]
        return self._points[changed]

    def in_field(self, changed: Changed) -> list[int] | None:
        """Return gold's quantities at such a point; None where they have no value."""
        if changed not in self._in_field:
            field = Algebra(PRIME)
            found = self._gold.at(field, [(field.constant(value), {(): 1}) for value in self.point(changed)])
            self._in_field[changed] = None if found is None else [_residue(field, *ratio) for ratio in found]
        return self._in_field[changed]

    def with_letters(self, changed: Changed) -> tuple[list[Ratio], list[Ratio] | None]:
        """Return letters for the numbers that are changed, and gold's quantities as functions of them."""
        if changed not in self._letters:
            algebra = Algebra()
            moved = range(self.count) if changed is None else changed
            numbers: list[Ratio] = [
                ({(-1 - i,): 1}, {(): 1}) if i in moved else (algebra.constant(value), {(): 1})
                for i, value in enumerate(self._gold.numbers)
            ]
            self._letters[changed] = numbers, self._gold.at(algebra, numbers)
        return self._letters[changed]


points_of = lru_cache(maxsize=1 << 10)(GoldPoints)
"""The points of a gold; several answers to one problem share them."""


def in_lowest_terms(above: int, below: int) -> tuple[int, int]:
    """Return numerator and denominator of a quotient whose denominator is positive.

    >>> in_lowest_terms(-6, 4)
    (-3, 2)
    """
    shared = gcd(above, below)
    return above // shared, below // shared


def _exactly(gold: Gold) -> list[Fraction] | None:
    exact = Algebra()
    found = gold.at(exact, [(exact.constant(value), {(): 1}) for value in gold.numbers])
    if found is None:
        return None
    return [Fraction(above.get((), 0)) / Fraction(below[()]) for above, below in found]


def _residue(field: Algebra, above: Poly, below: Poly) -> int:
    """Return the value of a quotient of two numbers of the field."""
    return int(above.get((), 0)) * int(field.inverse(below[()])) % PRIME
