"""Numbers as they were written: the exact value behind an int, a float, a decimal text or a fraction."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from draw_dataset.core.limits import MAX_DIGITS
from draw_dataset.errors import ReadError

Number = int | float | Decimal | Fraction


def exact(value: Number) -> Fraction:
    """Return the exact value of a number; a float means its shortest decimal.

    >>> exact(0.1)
    Fraction(1, 10)

    Raises:
        ReadError: the value is not a finite number (True and False are not numbers here).
    """
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ReadError("number", "a finite number", repr(value))
        return Fraction(repr(value))
    if isinstance(value, Decimal):
        if not value.is_finite() or abs(value.adjusted()) > MAX_DIGITS:
            raise ReadError("number", f"a finite number of at most {MAX_DIGITS} digits", repr(value)[:60])
        return Fraction(value)
    if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
        return Fraction(value)
    raise ReadError("number", "an int, float, Decimal or Fraction", f"{value!r:.60} ({type(value).__name__})")
