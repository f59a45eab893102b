"""Exact values of numbers: of a literal in equations, an int, a float or a decimal."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import gcd

from draw_dataset.core.limits import MAX_DIGITS
from draw_dataset.errors import LimitError, ReadError, shown

Number = int | float | Decimal | Fraction


def exact(value: Number) -> Fraction:
    """Return the exact value of a number; a float means its shortest decimal.

    >>> exact(0.1)
    Fraction(1, 10)

    Raises:
        ReadError: the value is not a finite number (True and False are not numbers here).
    """
    if isinstance(value, float):
        return _shortest(value)
    if isinstance(value, Decimal):
        if not value.is_finite() or abs(value.adjusted()) > MAX_DIGITS:
            raise ReadError("number", f"a finite number of at most {MAX_DIGITS} digits", repr(value)[:60])
        return Fraction(value)
    if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
        return Fraction(value)
    raise ReadError("number", "an int, float, Decimal or Fraction", f"{shown(value)} ({type(value).__name__})")


@lru_cache(maxsize=1 << 12)
def _shortest(value: float) -> Fraction:
    """Return the shortest decimal of a float; remembered, since rows repeat few values."""
    if not math.isfinite(value):
        raise ReadError("number", "a finite number", repr(value))
    return Fraction(float.__repr__(value))  # numpy's float64 is a float with another repr


def recovered(value: Number) -> Fraction:
    """Return the number that a stored float64 stands for: a simple fraction if the float is the nearest to one.

    A row stores one third as 0.3333333333333333, whose shortest decimal is not what the text says. Only floats that
    need at least 15 digits are tried, and only denominators up to 1000, so that no decimal that a person wrote is
    mistaken for a fraction.

    >>> recovered(0.3333333333333333), recovered(0.15), recovered(2.5)
    (Fraction(1, 3), Fraction(3, 20), Fraction(5, 2))
    """
    return _recovered(value) if type(value) is float else exact(value)


@lru_cache(maxsize=1 << 12)
def _recovered(value: float) -> Fraction:
    decimal = exact(value)
    if len(str(decimal.numerator)) >= 15:
        simple = Fraction(value).limit_denominator(1000)
        if float(simple) == value:
            return simple
    return decimal


STORED = Fraction(1, 1_000_000)
"""The largest relative difference between a stored value and the exact one: the release stores some values with 24
bits.
"""


def is_stored(stored: Number, value: Fraction) -> bool:
    """Say whether a stored value is this number, except for rounding when it was stored.

    >>> is_stored(0.3333333432674408, Fraction(1, 3)), is_stored(0.33, Fraction(1, 3))
    (True, False)
    """
    return abs(exact(stored) - value) <= STORED * max(Fraction(1), abs(value))


def is_rounded(value: Fraction, stated: Fraction, step: Fraction | None = None) -> bool:
    """Decide whether a stated number is a value: exactly, or correctly rounded to the last digit written.

    Rounding counts only if the value needs more digits than are written, and if at least two significant digits are.
    Every part of the package that compares a written number with an exact one asks this function. A tolerance is
    nobody's but the metric's, where an option states it.

    >>> is_rounded(Fraction(10, 3), Fraction("3.33")), is_rounded(Fraction(100, 3), Fraction(33))
    (True, True)
    >>> is_rounded(Fraction(5), Fraction("5.01")), is_rounded(Fraction(20, 3), Fraction(7))
    (False, False)
    >>> is_rounded(Fraction("2.999"), Fraction(3)), is_rounded(Fraction("2.999"), Fraction(3), Fraction(1, 100))
    (False, True)

    Args:
        value: the exact value.
        stated: the number that is written.
        step: what the last written digit counts, such as 1/100 for 3.00; by default as few digits as the number needs.
    """
    above, below = value.as_integer_ratio()
    stated_above, stated_below = stated.as_integer_ratio()
    off = abs(above * stated_below - stated_above * below)
    if not off:
        return True
    step_above, step_below = (last_digit(stated) if step is None else step).as_integer_ratio()
    if 2 * off * step_below > below * stated_below * step_above:
        return False
    if abs(stated_above) * step_below < 10 * stated_below * step_above:
        return False
    return above * step_below % (below * step_above) != 0


def last_digit(value: Fraction) -> Fraction:
    """Return what the last digit of a number counts if it is written as a decimal; at least a millionth.

    A number with more decimals is a fraction, or a float whose last digits are noise.

    >>> last_digit(Fraction("2.50")), last_digit(Fraction(40)), last_digit(Fraction(1, 3))
    (Fraction(1, 10), Fraction(1, 1), Fraction(1, 1000000))
    """
    rest, places = value.denominator, 0
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest //= prime
            power += 1
        places = max(places, power)
    return Fraction(1, 10 ** min(places if rest == 1 else 6, 6))


@lru_cache(maxsize=1 << 12)
def read_number(literal: str) -> tuple[int, int]:
    """Return a literal number exactly, as numerator and denominator.

    >>> read_number("1,000.25")
    (4001, 4)
    >>> read_number("2e3")
    (2000, 1)
    """
    digits, _, exponent = literal.replace(",", "").lower().partition("e")
    whole, _, decimals = digits.partition(".")
    if len(exponent) > 4 or len(digits) + abs(int(exponent or 0)) > MAX_DIGITS:
        raise LimitError(f"expected a number of at most {MAX_DIGITS} digits, but got {literal[:40]!r}…")
    shift = int(exponent or 0) - len(decimals)
    numerator, denominator = int(whole + decimals), 1
    if shift >= 0:
        numerator *= 10**shift
    else:
        denominator = 10**-shift
    common = gcd(numerator, denominator)
    return numerator // common, denominator // common
