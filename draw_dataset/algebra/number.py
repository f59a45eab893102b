"""Exact values of numbers, their text, and rounding: literals of equations, ints, floats and decimals."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import gcd

from draw_dataset.algebra.limits import MAX_DIGITS
from draw_dataset.errors import LimitError, ReadError, short_repr

Number = int | float | Decimal | Fraction


def exact(value: Number) -> Fraction:
    """Return the exact value of a finite number; a float means its shortest decimal, and a bool is no number.

    >>> exact(0.1)
    Fraction(1, 10)
    """
    if isinstance(value, float):
        return _shortest(value)
    if isinstance(value, Decimal):
        if not value.is_finite() or abs(value.adjusted()) > MAX_DIGITS:
            raise ReadError("number", f"a finite number of at most {MAX_DIGITS} digits", repr(value)[:60])
        return Fraction(value)
    if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
        return Fraction(value)
    raise ReadError("number", "an int, float, Decimal or Fraction", f"{short_repr(value)} ({type(value).__name__})")


@lru_cache(maxsize=1 << 12)
def _shortest(value: float) -> Fraction:
    """Return the shortest decimal of a float; cached, because rows repeat few values."""
    if not math.isfinite(value):
        raise ReadError("number", "a finite number", repr(value))
    return Fraction(float.__repr__(value))  # numpy's float64 is a float with another repr


def from_float64(value: Number) -> Fraction:
    """Return the number that a stored float64 stands for: a simple fraction if the float is the nearest to one.

    A row stores one third as 0.3333333333333333, and as 0.3333333333 once pandas has written it as JSON. Only floats of
    at least 15 digits or of ten decimals, and denominators up to 1000 are tried, so that no decimal that a person wrote
    is mistaken for a fraction.

    >>> from_float64(0.3333333333333333), from_float64(0.6666666667), from_float64(0.15), from_float64(2.5)
    (Fraction(1, 3), Fraction(2, 3), Fraction(3, 20), Fraction(5, 2))
    """
    return _from_float64(value) if type(value) is float else exact(value)


@lru_cache(maxsize=1 << 12)
def _from_float64(value: float) -> Fraction:
    decimal = exact(value)
    if len(str(decimal.numerator)) >= 15 or decimal.denominator > 10**9:
        simple = Fraction(value).limit_denominator(1000)
        if float(simple) == value or round(float(simple), _JSON_DECIMALS) == value:
            return simple
    return decimal


_JSON_DECIMALS = 10  # that pandas, and so `Dataset.to_json`, writes


FLOAT32_TOLERANCE = Fraction(1, 1_000_000)
"""The largest relative difference of a stored value from the exact one: the release stores some values with 24 bits."""


def equals_stored(stored: Number, value: Fraction) -> bool:
    """Decide whether a stored value is this number, except for rounding when it was stored.

    >>> equals_stored(0.3333333432674408, Fraction(1, 3)), equals_stored(0.33, Fraction(1, 3))
    (True, False)
    """
    return abs(exact(stored) - value) <= FLOAT32_TOLERANCE * max(Fraction(1), abs(value))


def is_rounded(value: Fraction, stated: Fraction, step: Fraction | None = None) -> bool:
    """Decide whether a stated number is a value: exactly, or correctly rounded to the last digit written.

    Rounding counts only if the value needs more digits than are written, and if at least two significant digits are.
    `step` is what the last written digit counts, such as 1/100 for 3.00; by default as few digits as the number needs.

    >>> is_rounded(Fraction(10, 3), Fraction("3.33")), is_rounded(Fraction(100, 3), Fraction(33))
    (True, True)
    >>> is_rounded(Fraction(5), Fraction("5.01")), is_rounded(Fraction(20, 3), Fraction(7))
    (False, False)
    >>> is_rounded(Fraction("2.999"), Fraction(3)), is_rounded(Fraction("2.999"), Fraction(3), Fraction(1, 100))
    (False, True)
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


CARRIED_ROUNDING = Fraction(1, 200)
"""The largest relative difference of two sides of an equation that are equal except for numbers rounded on the way."""


def last_digit(value: Fraction) -> Fraction:
    """Return the place value of the last digit of a number written as a decimal; at least a millionth.

    A number with more decimals is a fraction, or a float whose last digits are noise.

    >>> last_digit(Fraction("2.50")), last_digit(Fraction(40)), last_digit(Fraction(1, 3))
    (Fraction(1, 10), Fraction(1, 1), Fraction(1, 1000000))
    """
    places = decimal_places(value)
    return Fraction(1, 10 ** (6 if places is None else min(places, 6)))


def decimal_places(value: Fraction) -> int | None:
    """Return how many decimals a number needs; None if no finite decimal is exact.

    >>> decimal_places(Fraction(5, 4)), decimal_places(Fraction(7)), decimal_places(Fraction(1, 3))
    (2, 0, None)
    """
    rest, places = value.denominator, 0
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest //= prime
            power += 1
        places = max(places, power)
    return places if rest == 1 else None


def number_text(value: Fraction) -> str:
    """Return a number exactly: as a decimal if a finite one is exact, else as a fraction.

    >>> number_text(Fraction(1, 10**7)), number_text(Fraction(-5, 2)), number_text(Fraction(1, 3))
    ('0.0000001', '-2.5', '1/3')
    """
    places = decimal_places(value)
    if not places:
        return str(value)
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def number_literal(value: Fraction) -> str:
    """Return a number as an operand of an equation: `number_text`, in brackets if it has a sign or a bar.

    >>> number_literal(Fraction(5, 2)), number_literal(Fraction(-5)), number_literal(Fraction(1, 3))
    ('2.5', '(-5)', '(1/3)')
    """
    text = number_text(value)
    return f"({text})" if value < 0 or "/" in text else text


def short_number(value: Number, digits: int = 6) -> str:
    """Return a number for a person to read: a short fraction as it is, any other number rounded to some digits.

    >>> short_number(Fraction(1, 3)), short_number(Fraction(1, 10**7)), short_number(0.1 + 0.2)
    ('1/3', '1e-07', '0.3')
    >>> short_number(Fraction(10**400))
    '<an integer of 1329 bits>'
    """
    if isinstance(value, Fraction) and value.denominator < 1000 and abs(value.numerator) < 10**12:
        return str(value)
    try:
        return f"{float(value):.{digits}g}"
    except OverflowError:
        return short_repr(round(value))


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


# Sizes of numbers that replace others in variants.

FACTORS = (3, 5)  #: factors by which a number may grow or shrink; the first one is tried first
DRAWN_FACTOR = Fraction(2)  #: the same for a number that is drawn
MOST_DECIMALS = 4  #: decimals of an unknown that can be drawn


def decimals_of(value: Fraction) -> int:
    """Return how many decimals a number needs; a number that never ends has one more than we ever write.

    >>> decimals_of(Fraction(5, 4)), decimals_of(Fraction(1, 3))
    (2, 5)
    """
    places = decimal_places(value)
    return MOST_DECIMALS + 1 if places is None else min(places, MOST_DECIMALS + 1)


def roundness(value: Fraction) -> int:
    """Return the largest round step that divides a whole number at least four times.

    >>> [roundness(Fraction(n)) for n in (12, 20, 60, 500, 1000, 45)]
    [1, 5, 10, 100, 100, 5]
    """
    number, best, step = abs(int(value)), 1, 1
    while step * 4 <= number:
        for round_step in (step, 5 * step):
            if not number % round_step and round_step * 4 <= number:
                best = max(best, round_step)
        step *= 10
    return best


def room(old: Fraction, factor: int) -> tuple[Fraction, Fraction]:
    """Return the smallest and the largest absolute value that another number may have.

    Of small numbers a factor is little room: 2 may become 12.

    >>> [tuple(map(str, room(Fraction(n), 5))) for n in (2, 10, -30)]
    [('2/5', '12'), ('2', '50'), ('6', '150')]
    """
    size = abs(old)
    return size / factor, max(factor * size, min(Fraction(12), 6 * size))
