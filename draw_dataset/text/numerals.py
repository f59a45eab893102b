"""Reads the number that a single token holds, and cardinals spelled in several words.

A token that is not a plain word is a numeral with what is glued to it (``$1,200.50``, ``-3``, ``70lb``,
``20-peso``, ``2/3``, ``2½``) or a hyphenated compound that begins with a number word (``twenty-five``,
``two-thirds``, ``three-legged``). One regular expression takes a numeral apart. What stands before it must
be a sign, a currency or an opening mark, and what stands after must not make it something else: an ordinal
(``2nd``), a decade (``1990s``), a range (``5-10``), a clock time or a list (``1,2,3``). A percentage holds
its figure: ``5%`` is 5. Tokens repeat, so readings are remembered. A token holds one number at most: its
position is its identity.

English cardinals are groups below a thousand, each with a scale (thousand, million, ...), in falling order
of scale: ``two million three hundred and five thousand one``. A group is a number below a hundred, or one
followed by ``hundred`` and perhaps by ``and`` and another. The reader takes the longest such beginning and
leaves the rest, so ``five twenty dollar bills`` is 5 and 20, and ``two hundred and three hundred`` is 200
and 300. Its words come in lower case, in a list that ends in an empty word: reading on from any word needs
no check of bounds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from draw_dataset.text.lexicon import (
    BELOW_HUNDRED,
    MEASURES,
    ORDINAL_DENOMINATORS,
    PLURAL_DENOMINATORS,
    SCALES,
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

_LARGE_SCALES = {word: value for word, value in SCALES.items() if value >= 1000}
_NO_SCALE_YET = 10**15


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


def read_cardinal(words: Sequence[str], first: int) -> tuple[int, int]:
    """Return the cardinal that begins at a word, and the place after its last word.

    Args:
        words: lower-case words, the last of which is empty.
        first: the place of the first word; where no cardinal begins, it is returned as the place after.

    >>> read_cardinal("one hundred and five thousand twenty two apples ".split(" "), 0)
    (105022, 7)
    >>> read_cardinal("two hundred and three hundred ".split(" "), 0)
    (200, 2)
    >>> read_cardinal(["apples", ""], 0)
    (0, 0)
    """
    total, after, limit = 0, first, _NO_SCALE_YET
    while True:
        group_start = after + 1 if total and words[after] == "and" else after
        group, group_end = _read_group(words, group_start)
        scale = _LARGE_SCALES.get(words[group_end])
        if group_end == group_start:
            if scale is None or after > first:
                return total, after
            group = 1  # the bare "thousand" of "a thousand"
        if scale is None:
            return total + group, group_end
        if scale >= limit:
            return total, after
        total, after, limit = total + group * scale, group_end + 1, scale


def _read_group(words: Sequence[str], first: int) -> tuple[int, int]:
    """Read a number below a thousand, or some hundreds (fifteen hundred)."""
    group, after = _read_below_hundred(words, first)
    if words[after] != "hundred":
        return group, after
    group, after = (group if after > first else 1) * 100, after + 1
    rest_start = after + 1 if words[after] == "and" else after
    rest, rest_end = _read_below_hundred(words, rest_start)
    if rest_end > rest_start and words[rest_end] != "hundred":
        return group + rest, rest_end
    return group, after


def _read_below_hundred(words: Sequence[str], first: int) -> tuple[int, int]:
    value = BELOW_HUNDRED.get(words[first])
    if value is None:
        return 0, first
    unit = BELOW_HUNDRED.get(words[first + 1], 0) if value >= 20 and value % 10 == 0 else 0
    return (value + unit, first + 2) if 1 <= unit <= 9 else (value, first + 1)
