"""Whether a solution has the gold numbers in it: as a multiset, within a tolerance, in whole numbers.

Each gold number becomes the interval of what is near enough. A solution comes as numerators over one denominator, so
that it is compared by multiplying: a hundred thousand predictions would make a million fractions otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from draw_dataset.core.equations import over_common_denominator

Intervals = tuple[tuple[int, int, int, int], ...]
"""Numerator and denominator of the least number that is near enough, and of the greatest; in ascending order."""


def intervals(wanted: Sequence[Fraction], tolerance: Fraction) -> Intervals:
    """Return what is near enough to each wanted number: relative to it where it is larger than one."""
    found = []
    for number in sorted(wanted):
        margin = tolerance * max(Fraction(1), abs(number))
        low, high = number - margin, number + margin
        found.append((low.numerator, low.denominator, high.numerator, high.denominator))
    return tuple(found)


def all_found(numerators: Sequence[int], denominator: int, wanted: Intervals) -> bool:
    """Say whether each wanted number is in a solution.

    Args:
        numerators: the numerators of the solution in ascending order.
        denominator: their denominator, positive.
        wanted: the wanted numbers as intervals.
    """
    if len(numerators) < len(wanted):
        return False
    # The smallest wanted number takes the smallest that fits: on a line, no other choice does better.
    left = list(numerators)
    for low, low_denominator, high, high_denominator in wanted:
        least, greatest = low * denominator, high * denominator
        for at, value in enumerate(left):
            if value * low_denominator >= least and value * high_denominator <= greatest:
                del left[at]
                break
        else:
            return False
    return True


def same_numbers(got: Sequence[Fraction], wanted: Sequence[Fraction], tolerance: Fraction) -> bool:
    """Say whether each wanted number is among those got, as a multiset, within the tolerance.

    >>> same_numbers([Fraction(2), Fraction(3)], [Fraction(3)], Fraction(0))
    True
    >>> same_numbers([Fraction(3)], [Fraction(3), Fraction(3)], Fraction(0))
    False
    """
    return all_found(*over_common_denominator(got), intervals(wanted, tolerance))
