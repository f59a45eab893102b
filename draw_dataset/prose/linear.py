"""Linear equations in prose: is a text a linear equation, and what do several of them determine together.

The core decides exactly whether a text is an equation and linear; nothing is evaluated. Equations are then added one by
one to an exact elimination, which knows what a further one adds and which unknowns have one value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from draw_dataset.core.equations import EVERY_NAME_UNKNOWN, Row, Source, read_system, write


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


def read_equation(text: str) -> tuple[str, Linear]:
    """Return an equation in plain form, and what it says of its unknowns.

    Raises:
        NotLinearError: it is not linear.
        ReadError: it is no equation.
        LimitError: it is too large.

    >>> plain, linear = read_equation(".10x + .30(10-x) = .25(10)")
    >>> plain, linear.coefficients["x"] / linear.constant
    ('.10*x + .30*(10 - x) = .25*(10)', Fraction(-2, 5))
    """
    source, system = read_system(text, EVERY_NAME_UNKNOWN)
    coefficients, constant = _form(system.rows[0], source)
    divisors = tuple(_form(condition, source) for condition in system.conditions)
    return write(source, source.name), Linear(coefficients, constant, divisors)


def _form(row: Row, source: Source) -> tuple[dict[str, Fraction], Fraction]:
    # Without slots an entry of a row has a constant term and nothing else.
    values = [Fraction(entry.get(0, 0)) for entry in row]
    return {name: value for name, value in zip(source.unknowns, values[:-1], strict=True) if value}, values[-1]


def residual(linear: Linear, values: dict[str, Fraction]) -> tuple[dict[str, Fraction], Fraction, Fraction]:
    """Put values into an equation.

    Returns:
        What remains of the unknowns without a value, the constant, and the size of the largest term.
    """
    rest: dict[str, Fraction] = {}
    total = size = linear.constant
    size = abs(size)
    for name, coefficient in linear.coefficients.items():
        if name in values:
            term = coefficient * values[name]
            total += term
            size = max(size, abs(term))
        else:
            rest[name] = coefficient
    return rest, total, size


class Elimination:
    """Equations added one by one, kept in reduced form: whole numbers without a common factor, so nothing is rounded.

    An equation says the same if it is multiplied by a number, and whole numbers are calculated with far faster than
    fractions are.
    """

    __slots__ = ("_rows",)

    def __init__(self, equations: Sequence[Linear] = ()) -> None:
        self._rows: dict[str, tuple[dict[str, int], int]] = {}
        for equation in equations:
            self.add(equation)

    def reduce(self, linear: Linear) -> tuple[dict[str, int], int]:
        """Return what an equation says beyond those added, up to a factor: no unknown and zero if nothing."""
        rest, constant = _whole(linear)
        for pivot, (row, row_constant) in self._rows.items():
            if pivot in rest:
                rest, constant = _cleared(rest, constant, pivot, row, row_constant)
        return rest, constant

    def add(self, linear: Linear) -> bool:
        """Add an equation; False if it says nothing new or contradicts those added."""
        rest, constant = self.reduce(linear)
        if not rest:
            return False
        pivot = min(rest)
        for other, (row, row_constant) in list(self._rows.items()):
            if pivot in row:
                self._rows[other] = _cleared(row, row_constant, pivot, rest, constant)
        self._rows[pivot] = (rest, constant)
        return True

    def values(self) -> dict[str, Fraction]:
        """Return the unknowns that have one value."""
        return {
            pivot: Fraction(-constant, row[pivot]) for pivot, (row, constant) in self._rows.items() if len(row) == 1
        }


def _whole(linear: Linear) -> tuple[dict[str, int], int]:
    """Return an equation in whole numbers."""
    constant = linear.constant
    below = lcm(constant.denominator, *(value.denominator for value in linear.coefficients.values()))
    if below == 1:
        return {name: value.numerator for name, value in linear.coefficients.items()}, constant.numerator
    return {name: int(value * below) for name, value in linear.coefficients.items()}, int(constant * below)


def _cleared(
    rest: dict[str, int], constant: int, pivot: str, row: dict[str, int], row_constant: int
) -> tuple[dict[str, int], int]:
    """Return an equation without an unknown, by adding a multiple of another that has it; no factor is common."""
    own, factor = row[pivot], rest[pivot]
    found = {name: value * own for name, value in rest.items()}
    for name, value in row.items():
        found[name] = found.get(name, 0) - factor * value
    constant = constant * own - factor * row_constant
    common = gcd(constant, *found.values()) or 1
    return {name: value // common for name, value in found.items() if value}, constant // common
