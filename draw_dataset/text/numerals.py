"""Numerals and cardinals: the number that begins at a token, as far as it reaches.

A token holds at most one numeral with its currency or unit (``$1,200.50``, ``70lb``, ``2½``), or one compound
(``twenty-five``), but no ordinal, decade, range, time or list. Words come in lower case, in a list that ends in empty
words, so that looking ahead needs no check of bounds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Literal, NamedTuple

from draw_dataset.text import lexicon
from draw_dataset.text.lexicon import (
    ADJECTIVAL_MULTIPLIERS,
    BELOW_HUNDRED,
    BROAD_WORDS,
    LEXICON,
    MEASURES,
    ORDINAL_DENOMINATORS,
    PLURAL_DENOMINATORS,
    SCALES,
    SINGULAR_DENOMINATORS,
    Kind,
    WordClass,
)

MAX_NUMERAL = 30  #: a numeral of more characters is an identifier, or an attack on the arithmetic, but no quantity
_MAX_TOKEN = 100

VULGAR_FRACTIONS: dict[str, Fraction] = {
    "½": Fraction(1, 2), "⅓": Fraction(1, 3), "⅔": Fraction(2, 3), "¼": Fraction(1, 4), "¾": Fraction(3, 4),
    "⅕": Fraction(1, 5), "⅖": Fraction(2, 5), "⅗": Fraction(3, 5), "⅘": Fraction(4, 5), "⅙": Fraction(1, 6),
    "⅚": Fraction(5, 6), "⅛": Fraction(1, 8), "⅜": Fraction(3, 8), "⅝": Fraction(5, 8), "⅞": Fraction(7, 8),
}  # fmt: skip

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
    # a two-digit number has two digits, but the two is no quantity of the problem.
    if tail in _RANK_TAILS or tail.startswith("digit") or (parts[0], tail) in _IDLE_TAILS:
        return None
    return Numeral("word", Fraction(value), 0, end, False)


def read_cardinal(words: Sequence[str], first: int) -> tuple[int, int]:
    """Return the longest cardinal that begins at a word, and the place after it; 0 and `first` if there is none.

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


# Numbers of several words. After a numeral or cardinal come, in this order: a cut-off group of thousands (``25 ,000``),
# the fraction of a mixed number (``2 1/2``, ``two and a half``) or the part that is counted (``two thirds``), a scale
# (``2.5 million``, ``two dozen``). A number sits on its leftmost token, but ``one half`` and ``a third`` sit on the
# name of the part, as in the release: the ``one`` is a determiner.

_CUT_OFF_THOUSANDS = re.compile(r"(?:,\d{3}){1,5}(?:\.\d{1,5})?")
_MAX_CUT_OFF_DIGITS = 12

PADDING = ("",) * 4  #: the empty words after the words of a text


class NumberPhrase(NamedTuple):
    """A number read from words."""

    kind: Kind
    value: Fraction
    first: int  # the word its characters begin in
    after: int  # the word after its last one
    lead: int = 0  # characters of the first word before it
    stop: int | None = None  # characters of the last word up to its end; None for all


def read_number(words: Sequence[str], place: int, broad: bool) -> NumberPhrase | None:
    """Return the number that sits on a word, if any; `broad` reads articles, ``next``, ``last`` and ``tens`` as well.

    >>> words = ["walk", "two", "and", "a", "half", "miles", *PADDING]
    >>> read_number(words, 1, broad=False)
    NumberPhrase(kind='fraction', value=Fraction(5, 2), first=1, after=5, lead=0, stop=None)
    """
    word = words[place]
    entry = LEXICON.get(word)
    if entry is None:
        return None if word.isalpha() else _read_from_numeral(words, place)
    word_class, value = entry
    if word_class is WordClass.CARDINAL or word_class is WordClass.SCALE:
        return _read_from_cardinal(words, place)
    if word_class is WordClass.PART:
        return _read_part(words, place, value)
    kind = _kind_of_word(words, place, word_class, broad)
    return None if kind is None else NumberPhrase(kind, value, place, place + 1)


def _kind_of_word(words: Sequence[str], place: int, word_class: WordClass, broad: bool) -> Kind | None:
    """Return the kind of a word that is a number by itself; None if it is no number here."""
    word = words[place]
    if word_class is WordClass.MULTIPLIER:
        counts = word not in ADJECTIVAL_MULTIPLIERS or lexicon.multiplier_counts(words, place)
        return "multiplier" if counts else None
    if word_class is WordClass.PARITY:
        return "parity" if lexicon.parity_counts(words, place) else None
    if word_class is WordClass.COIN:
        return "coin" if lexicon.coin_counts(words, place) else None
    if word_class is WordClass.ARTICLE:
        counts = _is_free_article(words, place) if broad else lexicon.article_counts(words, place)
        return "article" if counts else None
    return BROAD_WORDS[word] if broad else None


def _is_free_article(words: Sequence[str], place: int) -> bool:
    """Decide whether an article belongs to no number that follows it, such as half, dozen or couple."""
    following = words[place + 1]
    return following not in SINGULAR_DENOMINATORS and following not in SCALES and following != "couple"


def _read_part(words: Sequence[str], place: int, value: Fraction) -> NumberPhrase | None:
    """Read half, quarter, third ... as the name of a part, or quarter as the coin."""
    kind = _kind_of_part(words, place)
    if kind is None:
        return None
    if words[place] == "half":
        if words[place + 1] in ("dollar", "dollars"):
            return NumberPhrase("coin", value, place, place + 2)
        scale_place = place + 2 if words[place + 1] == "a" else place + 1
        if words[scale_place] in SCALES:
            return NumberPhrase("scale", value * SCALES[words[scale_place]], place, scale_place + 1)
    has_determiner = kind == "fraction" and words[place - 1] in ("one", "1")
    return NumberPhrase(kind, value, place - 1 if has_determiner else place, place + 1)


def _kind_of_part(words: Sequence[str], place: int) -> Literal["fraction", "coin"] | None:
    word = words[place]
    if word in ("quarter", "quarters"):
        return lexicon.quarter_kind(words, place)
    counts = lexicon.half_counts if word == "half" else lexicon.ordinal_is_part
    return "fraction" if counts(words, place) else None


def _read_from_cardinal(words: Sequence[str], place: int) -> NumberPhrase | None:
    value, after = read_cardinal(words, place)
    if after == place:  # a dozen
        return NumberPhrase("scale", Fraction(SCALES[words[place]]), place, place + 1)
    reading = join_following(words, NumberPhrase("scale" if value >= 1000 else "word", Fraction(value), place, after))
    is_bare_one = words[place] == "one" and reading.after == place + 1
    if is_bare_one and (_is_determiner(words, place) or not lexicon.one_counts(words, place)):
        return None
    return reading


def _read_from_numeral(words: Sequence[str], place: int) -> NumberPhrase | None:
    numeral = read_numeral(words[place])
    if numeral is None:
        return None
    reading = NumberPhrase(numeral.kind, numeral.value, place, place + 1, numeral.start, numeral.end)
    if not numeral.bare:
        return reading
    if words[place + 1] == "'s" and numeral.value >= 1000:  # the 1990's
        return None
    reading = join_following(words, reading)
    is_bare_one = numeral.value == 1 and reading.after == place + 1
    return None if is_bare_one and _is_determiner(words, place) else reading


def _is_determiner(words: Sequence[str], place: int) -> bool:
    """Decide whether a one only introduces the part that follows it: one half, 1 third."""
    return words[place + 1] in SINGULAR_DENOMINATORS and _kind_of_part(words, place + 1) == "fraction"


def join_following(words: Sequence[str], reading: NumberPhrase) -> NumberPhrase:
    """Return a number together with the words after it that belong to it.

    >>> join_following(["5", "million", "", "", "", ""], NumberPhrase("digits", Fraction(5), 0, 1))
    NumberPhrase(kind='scale', value=Fraction(5000000, 1), first=0, after=2, lead=0, stop=None)
    """
    if reading.value.denominator == 1:
        if reading.kind == "digits":
            reading = _join_thousands(words, reading)
        reading = _join_fraction(words, reading)
    scale = SCALES.get(words[reading.after])
    if scale is None:
        return reading
    return reading._replace(kind="scale", value=reading.value * scale, after=reading.after + 1, stop=None)


def _join_thousands(words: Sequence[str], reading: NumberPhrase) -> NumberPhrase:
    """Join ``,000`` to ``25``; also ``, 000`` and ``000``, since three noughts are no number of their own."""
    groups, after = "", reading.after
    following = words[after]
    if following[:1] == "," and _CUT_OFF_THOUSANDS.fullmatch(following):
        groups, after = following.replace(",", ""), after + 1
    while len(groups) < _MAX_CUT_OFF_DIGITS and "." not in groups:
        after_comma = after + 1 if words[after] == "," else after
        if words[after_comma] != "000":
            break
        groups, after = groups + "000", after_comma + 1
    if not groups:
        return reading
    size = abs(reading.value) * 10 ** len(groups.partition(".")[0]) + Fraction(groups)
    return reading._replace(value=size if reading.value >= 0 else -size, after=after, stop=None)


def _join_fraction(words: Sequence[str], reading: NumberPhrase) -> NumberPhrase:
    after = reading.after
    following = words[after]
    if following == "and":
        return _join_and_fraction(words, reading)
    if following in PLURAL_DENOMINATORS:
        denominator = PLURAL_DENOMINATORS[following]
        # Three quarters and a dime are coins; two halves are what something is cut into.
        is_coin = following == "quarters" and not lexicon.is_taken_of(words, after)
        if is_coin or reading.value in (1, denominator):
            return reading
        return reading._replace(kind="fraction", value=reading.value / denominator, after=after + 1, stop=None)
    if "/" in following or following in VULGAR_FRACTIONS:
        numeral = read_numeral(following)
        if numeral and numeral.kind == "fraction" and numeral.start == 0 and 0 < numeral.value < 1:
            return _add(reading, numeral.value, after + 1, numeral.end)
    return reading


def _join_and_fraction(words: Sequence[str], reading: NumberPhrase) -> NumberPhrase:
    """Join ``and a half``, ``and one third``, ``and one-half``; not the sum ``five and one half of it``."""
    after = reading.after
    determiner, part = words[after + 1], words[after + 2]
    if determiner in ("a", "one") and part in SINGULAR_DENOMINATORS:
        may_be_rank = determiner == "a" and part not in ("half", "quarter")
        if may_be_rank or words[after + 3] == "of":
            return reading
        return _add(reading, Fraction(1, SINGULAR_DENOMINATORS[part]), after + 3, None)
    if "-" in determiner and part != "of":
        numeral = read_numeral(determiner)
        if numeral and numeral.kind == "fraction" and numeral.bare and 0 < numeral.value < 1:
            return _add(reading, numeral.value, after + 2, None)
    return reading


def _add(reading: NumberPhrase, part: Fraction, after: int, stop: int | None) -> NumberPhrase:
    value = reading.value + part if reading.value >= 0 else reading.value - part
    return reading._replace(kind="fraction", value=value, after=after, stop=stop)
