"""Reads the number that a single token holds, where the token is not a plain word.

Such a token is a numeral with what is glued to it (``$1,200.50``, ``-3``, ``70lb``, ``20-peso``, ``2/3``,
``2½``) or a hyphenated compound that begins with a number word (``twenty-five``, ``two-thirds``,
``three-legged``). One regular expression takes a numeral apart. What stands before it must be a sign, a
currency or an opening mark, and what stands after must not make it something else: an ordinal (``2nd``), a
decade (``1990s``), a range (``5-10``), a clock time or a list (``1,2,3``). A percentage holds its figure:
``5%`` is 5.

Tokens repeat, so readings are remembered. A token holds one number at most: its position is its identity.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from draw_dataset.text.cardinals import read_cardinal
from draw_dataset.text.lexicon import (
    MEASURES,
    ORDINAL_DENOMINATORS,
    PLURAL_DENOMINATORS,
    SINGULAR_DENOMINATORS,
    Kind,
)

MAX_NUMERAL = 30
"""A numeral of more characters is an identifier, or an attack on the arithmetic, but no quantity."""
_MAX_TOKEN = 100

VULGAR_FRACTIONS: dict[str, Fraction] = {
    "½": Fraction(1, 2),
    "⅓": Fraction(1, 3),
    "⅔": Fraction(2, 3),
    "¼": Fraction(1, 4),
    "¾": Fraction(3, 4),
    "⅕": Fraction(1, 5),
    "⅖": Fraction(2, 5),
    "⅗": Fraction(3, 5),
    "⅘": Fraction(4, 5),
    "⅙": Fraction(1, 6),
    "⅚": Fraction(5, 6),
    "⅛": Fraction(1, 8),
    "⅜": Fraction(3, 8),
    "⅝": Fraction(5, 8),
    "⅞": Fraction(7, 8),
}

_NUMERAL = re.compile(
    rf"""
    ["'(\[{{<=~#]*+
    (?P<sign>[-+]?) (?:(?:us)?[$£€¥₱]|rs\.?|php|p(?=\d\d))?+ (?P<inner_sign>[-+]?)
    (?P<number>
        (?:(?P<whole>\d++)-)? (?P<numerator>\d++) / (?P<denominator>\d++)
      | (?P<before>\d*+) (?P<vulgar>[{"".join(VULGAR_FRACTIONS)}])
      | (?P<integer>\d{{1,3}}(?:,\d{{3}})++(?!\d)|\d++)?+ (?:\.(?P<decimals>\d++))?+
    )
    (?P<rest>.*)
    """,
    re.VERBOSE | re.DOTALL,
)
_MORE_DIGITS = re.compile(r"[-,.:/]?\d")
_ORDINAL_ENDING = re.compile(r"(?:st|nd|rd|th)(?![a-z])")
_DECADE_ENDINGS = frozenset({"s", "'s"})

# Tails with which the number word counts nothing: a one-time fee, a one-way trip; twenty-first.
_IDLE_TAILS = frozenset({("one", "time"), ("one", "way"), ("one", "on"), ("one", "to")})
_RANK_TAILS = frozenset({"first", "second"})


class Numeral(NamedTuple):
    """A number inside a token, ``token[start:end]``; it is bare when only marks follow it in the token."""

    kind: Kind
    value: Fraction
    start: int
    end: int
    bare: bool


def read_numeral(token: str) -> Numeral | None:
    """Return the number held by a lower-case, folded token that is not a plain word, if any.

    >>> read_numeral("$1,200.50")
    Numeral(kind='digits', value=Fraction(2401, 2), start=1, end=9, bare=True)
    >>> read_numeral("three-legged")
    Numeral(kind='word', value=Fraction(3, 1), start=0, end=5, bare=False)
    >>> read_numeral("two-thirds").value, read_numeral("2nd"), read_numeral("5-10")
    (Fraction(2, 3), None, None)
    """
    return _read_short(token) if len(token) <= _MAX_TOKEN else None


@lru_cache(maxsize=8192)
def _read_short(token: str) -> Numeral | None:
    return _read_digits(token) or (_read_compound(token) if "-" in token else None)


def _read_digits(token: str) -> Numeral | None:
    match = _NUMERAL.match(token)
    if match is None or not match["number"] or len(match["number"]) > MAX_NUMERAL:
        return None
    rest = match["rest"]
    if _MORE_DIGITS.match(rest) or _ORDINAL_ENDING.match(rest):
        return None
    kind: Kind = "fraction"
    if match["denominator"]:
        if not int(match["denominator"]):
            return None
        value = Fraction(int(match["numerator"]), int(match["denominator"])) + int(match["whole"] or 0)
    elif match["vulgar"]:
        value = VULGAR_FRACTIONS[match["vulgar"]] + int(match["before"] or 0)
    else:
        integer, decimals = (match["integer"] or "").replace(",", ""), match["decimals"] or ""
        if rest in _DECADE_ENDINGS and len(integer) == 4:
            return None
        kind, value = "digits", Fraction(int(integer + decimals), 10 ** len(decimals))
    start, end = match.span("number")
    for sign in ("sign", "inner_sign"):
        if match[sign] == "-":
            value, start = -abs(value), match.start(sign)
            break
    return Numeral(kind, value, start, end, not any(map(str.isalnum, rest)))


def _read_compound(token: str) -> Numeral | None:
    parts = token.split("-")
    if parts[0] == "half" and parts[1] in MEASURES:
        return Numeral("fraction", Fraction(1, 2), 0, len("half"), False)
    # Empty words close the list for the reader of cardinals.
    value, after = read_cardinal([*parts, "", ""], 0)
    if not after or not all(parts):
        return None
    end = len("-".join(parts[:after]))
    if after == len(parts):
        return Numeral("word", Fraction(value), 0, end, True)
    tail = parts[after]
    denominator = SINGULAR_DENOMINATORS.get(tail) or PLURAL_DENOMINATORS.get(tail)
    if denominator is not None and after == len(parts) - 1:
        # Twenty-fifth is a rank; five-third and two-fifths are parts.
        is_rank = tail in ORDINAL_DENOMINATORS and value >= 20
        return None if is_rank else Numeral("fraction", Fraction(value, denominator), 0, len(token), True)
    # A two-digit number has two digits, but the two is no quantity of the problem.
    if tail in _RANK_TAILS or tail.startswith("digit") or (parts[0], tail) in _IDLE_TAILS:
        return None
    return Numeral("word", Fraction(value), 0, end, False)
