"""By what a number of a text may be multiplied before it stands in equations.

"4 %" may stand as .04, "5 cents" as .05, "$2.50" as 250 where all is counted in cents, "30 minutes" as one half where
all is counted in hours. The words right before and right behind a number say which of these can be meant.
"""

from __future__ import annotations

import re
from fractions import Fraction

from draw_dataset.core.alignment import TextNumber

_PERCENT = Fraction(1, 100)
_HUNDRED = Fraction(100)
_SIXTY = Fraction(60)
_TWELVE = Fraction(12)

_BEHIND: dict[str, tuple[Fraction, ...]] = {
    "%": (_PERCENT,), "percent": (_PERCENT,), "per cent": (_PERCENT,), "pct": (_PERCENT,),
    "cent": (_PERCENT,), "cents": (_PERCENT,), "¢": (_PERCENT,), "c": (_PERCENT,),
    "dollar": (_HUNDRED,), "dollars": (_HUNDRED,),
    "minute": (1 / _SIXTY,), "minutes": (1 / _SIXTY,), "min": (1 / _SIXTY,), "mins": (1 / _SIXTY,),
    "hour": (_SIXTY,), "hours": (_SIXTY,), "hr": (_SIXTY,), "hrs": (_SIXTY,), "h": (_SIXTY,),
    "inch": (1 / _TWELVE,), "inches": (1 / _TWELVE,), "foot": (_TWELVE,), "feet": (_TWELVE,), "ft": (_TWELVE,),
    "month": (1 / _TWELVE,), "months": (1 / _TWELVE,), "year": (_TWELVE,), "years": (_TWELVE,),
}  # fmt: skip

_COIN = re.compile(r"(?:penn|nickel|dime|quarter)", re.IGNORECASE)
_WORD_BEHIND = re.compile(r"[\s-]*(%|¢|per\s+cent\b|[a-z]+)", re.IGNORECASE)
_DOLLAR_BEFORE = re.compile(r"\$\s*$")


def scales(question: str, number: TextNumber) -> tuple[Fraction, ...]:
    """Return the factors, beside 1, by which a number may be multiplied in equations.

    >>> text = "Mix 20 L of a 4 % acid for $ 3 in 30 minutes ."
    >>> [[str(f) for f in scales(text, TextNumber(0, 0, start=s, end=e))] for s, e in [(4, 6), (14, 15), (29, 30)]]
    [[], ['1/100'], ['100']]
    """
    if number.start is None or number.end is None:
        return ()
    if _DOLLAR_BEFORE.search(question, max(0, number.start - 4), number.start) or _COIN.match(number.text):
        return (_HUNDRED,)
    behind = _WORD_BEHIND.match(question, number.end)
    return _BEHIND.get(" ".join(behind.group(1).lower().split()), ()) if behind else ()
