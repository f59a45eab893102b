"""Units of measure by name, and the exact factor between two of the same kind."""

from __future__ import annotations

import re
from fractions import Fraction

_KINDS: tuple[tuple[tuple[str, str], ...], ...] = (
    # size in the smallest unit of its kind, and its names
    (("1", "second sec"), ("60", "minute min"), ("3600", "hour hr h"), ("86400", "day"), ("604800", "week")),
    (("1", "month"), ("12", "year yr"), ("120", "decade"), ("1200", "century centurie")),
    (("1", "cent penny pennie ¢"), ("5", "nickel"), ("10", "dime"), ("25", "quarter"), ("100", "dollar buck $")),
    (("1", "inch inche"), ("12", "foot feet ft"), ("36", "yard yd"), ("63360", "mile mi")),
    (("1", "ounce oz"), ("16", "pound lb"), ("32000", "ton")),
    (("1", "milligram mg"), ("1000", "gram g"), ("1000000", "kilogram kg kilo")),
    (("1", "millimeter millimetre mm"), ("10", "centimeter centimetre cm"), ("1000", "meter metre m"),
     ("1000000", "kilometer kilometre km")),
    (("1", "milliliter millilitre ml"), ("1000", "liter litre l")),
    (("1", "cup"), ("2", "pint pt"), ("4", "quart qt"), ("16", "gallon gal")),
    (("1", "percent % percentage"), ("100", "fraction whole")),
    (("1", "one"), ("12", "dozen"), ("1000", "thousand"), ("1000000", "million"), ("1000000000", "billion")),
)  # fmt: skip

_SIZES: dict[str, tuple[int, Fraction]] = {
    name: (kind, Fraction(size)) for kind, units in enumerate(_KINDS) for size, names in units for name in names.split()
}

_WORD = re.compile(r"[^\W\d_]+|[$¢%]")


def unit_named(word: str) -> str | None:
    """Return the unit that a word names, in the singular; None if it names none.

    >>> unit_named("Hours"), unit_named("inches"), unit_named("apples")
    ('hour', 'inche', None)
    """
    folded = word.lower()
    if folded in _SIZES:
        return folded
    folded = folded.removesuffix("s")
    return folded if folded in _SIZES and len(folded) > 1 else None


def units_in(text: str) -> frozenset[str]:
    """Return the units that a text names."""
    return frozenset(unit for word in set(_WORD.findall(text)) if (unit := unit_named(word)) is not None)


def conversion(unit: str, other: str) -> Fraction | None:
    """Return how many of another unit one unit is; None if they are of different kinds.

    >>> conversion("hour", "minute"), conversion("day", "week"), conversion("hour", "mile")
    (Fraction(60, 1), Fraction(1, 7), None)
    """
    (kind, size), (other_kind, other_size) = _SIZES[unit], _SIZES[other]
    return size / other_size if kind == other_kind else None
