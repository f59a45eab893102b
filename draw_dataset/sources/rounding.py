"""The question: is a stated result a value, or that value rounded."""

from __future__ import annotations

from fractions import Fraction


def is_rounded(value: Fraction, stated: Fraction) -> bool:
    """Say whether a result is a value, exactly, or rounded to the places that it has, or to whole ones.

    >>> is_rounded(Fraction(100, 3), Fraction(33)), is_rounded(Fraction(100, 3), Fraction("33.3"))
    (True, True)
    >>> is_rounded(Fraction(100, 3), Fraction(34)), is_rounded(Fraction(1, 4), Fraction(0))
    (False, False)
    """
    if value == stated:
        return True
    for places in range(7):
        if (stated * 10**places).denominator == 1:
            # One digit says little: a quarter is not nought.
            return abs(stated) * 10**places >= 10 and abs(value - stated) <= Fraction(1, 2 * 10**places)
    return abs(value - stated) <= abs(stated) / 10**6
