"""Sizes of numbers: their decimals, how round they are, and how far another number may be from them."""

from __future__ import annotations

from fractions import Fraction

FACTORS = (3, 5)
"""How many times larger or smaller a number may become: the first one is tried first."""

DRAWN_FACTOR = Fraction(2)
"""The same for a number that is drawn."""

MOST_DECIMALS = 4
"""Decimals of an unknown that can be drawn."""


def decimals_of(value: Fraction) -> int:
    """Return how many decimals a number needs; a number that never ends has one more than we ever write.

    >>> decimals_of(Fraction(5, 4)), decimals_of(Fraction(1, 3))
    (2, 5)
    """
    denominator = value.denominator
    if denominator == 1:
        return 0
    return next((d for d in range(1, MOST_DECIMALS + 1) if not 10**d % denominator), MOST_DECIMALS + 1)


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
