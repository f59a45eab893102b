"""What a value of equations may be besides a number of the text as it stands: a constant, or a number in another unit.

**Constants.** Four habits of those who write equations are known well enough to be told from their form, although a
number of the text is equal to the value:

* the 1 of a reciprocal, as in ``1/45 + 1/30``, says "one part in", never a number of the text;
* the .01 that multiplies a percentage of the text, as in ``.01*1*x`` of "1 %", says "per cent";
* the 1 that a sum of reciprocals is equal to, as in ``(1/9 + 1/6)*x = 1``, may be the whole of a job;
* the 10 and 100 of ``10*x + y`` may be places of a digit, if the text speaks of digits.

The first two are always constants. The others are questions for a person, the constant being one of the answers.

**Units.** A number may be multiplied before it stands in equations: "4 %" may stand as .04, "5 cents" as .05, "$2.50"
as 250 where all is counted in cents, "30 minutes" as one half where all is counted in hours. The words right before and
right after a number say which of these can be meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from enum import Enum
from fractions import Fraction

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.equations import DIGITS, Token
from draw_dataset.core.exact import read_number
from draw_dataset.core.references import Piece

PERCENT = Fraction(1, 100)
"""What "per cent" multiplies by."""

_DIGITS_OF_A_NUMBER = re.compile(r"digit", re.IGNORECASE)
_ENDS = frozenset("=;")
_PLACES = (10, 100, 1000)


class Constancy(Enum):
    """How sure it is that a value is a constant."""

    NEVER = "never"
    """Not if a number of the text fits."""
    PERHAPS = "perhaps"
    ALWAYS = "always"


def constancy(
    question: str, tokens: Sequence[Token], piece: Piece, percentages: Collection[Fraction] = ()
) -> Constancy:
    """Say whether a piece of equations is a constant although numbers of the text fit it.

    Args:
        question: the text.
        tokens: all tokens of the equations.
        piece: the piece.
        percentages: the values of the percentages of the text.
    """
    if piece.value == 1 and piece.end == piece.start + 1:
        if _token(tokens, piece.end) == "/":
            return Constancy.ALWAYS
        if _is_side(tokens, piece) and _has_reciprocal(tokens, piece):
            return Constancy.PERHAPS
    if piece.value == PERCENT and _multiplies(tokens, piece, lambda token: _value(token) in percentages):
        return Constancy.ALWAYS
    if piece.value in _PLACES and _multiplies(tokens, piece, _is_unknown) and _DIGITS_OF_A_NUMBER.search(question):
        return Constancy.PERHAPS
    return Constancy.NEVER


def _token(tokens: Sequence[Token], at: int) -> Token:
    return tokens[at] if 0 <= at < len(tokens) else ";"


def _is_side(tokens: Sequence[Token], piece: Piece) -> bool:
    return _token(tokens, piece.start - 1) in _ENDS and _token(tokens, piece.end) in _ENDS


def _has_reciprocal(tokens: Sequence[Token], piece: Piece) -> bool:
    start = end = piece.start
    while _token(tokens, start - 1) != ";":
        start -= 1
    while _token(tokens, end) != ";":
        end += 1
    return any(tokens[i] == "/" and _value(tokens[i - 1]) == 1 for i in range(start + 1, end))


def _multiplies(tokens: Sequence[Token], piece: Piece, what: Callable[[Token], bool]) -> bool:
    after, before = _token(tokens, piece.end), _token(tokens, piece.start - 1)
    if isinstance(after, int):
        return what(after)
    if after == "*" and what(_token(tokens, piece.end + 1)):
        return True
    return before == "*" and what(_token(tokens, piece.start - 2))


def _is_unknown(token: Token) -> bool:
    return isinstance(token, int)


def _value(token: Token) -> Fraction | None:
    return Fraction(*read_number(token)) if isinstance(token, str) and token[0] in DIGITS else None


_HUNDRED = Fraction(100)
_SIXTY = Fraction(60)
_TWELVE = Fraction(12)

_AFTER: dict[str, tuple[Fraction, ...]] = {
    "%": (PERCENT,), "percent": (PERCENT,), "per cent": (PERCENT,), "pct": (PERCENT,),
    "cent": (PERCENT,), "cents": (PERCENT,), "¢": (PERCENT,), "c": (PERCENT,),
    "dollar": (_HUNDRED,), "dollars": (_HUNDRED,),
    "minute": (1 / _SIXTY,), "minutes": (1 / _SIXTY,), "min": (1 / _SIXTY,), "mins": (1 / _SIXTY,),
    "hour": (_SIXTY,), "hours": (_SIXTY,), "hr": (_SIXTY,), "hrs": (_SIXTY,), "h": (_SIXTY,),
    "inch": (1 / _TWELVE,), "inches": (1 / _TWELVE,), "foot": (_TWELVE,), "feet": (_TWELVE,), "ft": (_TWELVE,),
    "month": (1 / _TWELVE,), "months": (1 / _TWELVE,), "year": (_TWELVE,), "years": (_TWELVE,),
}  # fmt: skip

_COIN = re.compile(r"(?:penn|nickel|dime|quarter)", re.IGNORECASE)
_WORD_AFTER = re.compile(r"[\s-]*(%|¢|per\s+cent\b|[a-z]+)", re.IGNORECASE)
_DOLLAR_BEFORE = re.compile(r"\$\s*$")


def scales(question: str, number: TextNumber) -> tuple[Fraction, ...]:
    """Return the factors, other than 1, by which a number may be multiplied in equations.

    >>> text = "Mix 20 L of a 4 % acid for $ 3 in 30 minutes ."
    >>> [[str(f) for f in scales(text, TextNumber(0, 0, start=s, end=e))] for s, e in [(4, 6), (14, 15), (29, 30)]]
    [[], ['1/100'], ['100']]
    """
    if number.start is None or number.end is None:
        return ()
    if _DOLLAR_BEFORE.search(question, max(0, number.start - 4), number.start) or _COIN.match(number.text):
        return (_HUNDRED,)
    after = _WORD_AFTER.match(question, number.end)
    return _AFTER.get(" ".join(after.group(1).lower().split()), ()) if after else ()
