"""Reads the number that sits on a word, as far as it reaches.

A number word is read on as far as a cardinal goes (``one hundred and five``), a numeral is taken apart
(``$1,200.50``, ``70lb``); then what follows and belongs to it is joined to it. In this order: a cut-off
group of thousands (``25 ,000``), the fraction of a mixed number (``2 1/2``, ``two and a half``) or the part
that is counted (``two thirds``), a scale (``2.5 million``, ``two dozen``). Words that are numbers only in
company (``one``, ``odd``, ``third``, ``nickel``) are decided by `context`.

A number of several tokens sits on its leftmost token, as in the release. A unit fraction after ``one`` or
``a`` (``one half``, ``a third``) sits on the part's name, again as in the release: the ``one`` is a
determiner.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from draw_dataset.text import context
from draw_dataset.text.lexicon import (
    ADJECTIVAL_MULTIPLIERS,
    BROAD_WORDS,
    LEXICON,
    PLURAL_DENOMINATORS,
    SCALES,
    SINGULAR_DENOMINATORS,
    Kind,
    WordClass,
)
from draw_dataset.text.numerals import VULGAR_FRACTIONS, read_cardinal, read_numeral

_CUT_OFF_THOUSANDS = re.compile(r"(?:,\d{3}){1,5}(?:\.\d{1,5})?")
_MAX_CUT_OFF_DIGITS = 12

PADDING = ("",) * 4
"""What must follow the words of a text, so that looking ahead needs no check of bounds."""


class Reading(NamedTuple):
    """A number read from words.

    Attributes:
        kind: how it is written.
        value: its value.
        first: the place of the word its characters begin in.
        after: the place after the word its characters end in.
        lead: how many characters of the first word stand before it.
        stop: how many characters of the last word reach to its end; None for all.
    """

    kind: Kind
    value: Fraction
    first: int
    after: int
    lead: int = 0
    stop: int | None = None


def read_number(words: Sequence[str], place: int, broad: bool) -> Reading | None:
    """Return the number that sits on a word, if any.

    Args:
        words: the lower-case, folded words of the whole text, followed by `PADDING`.
        place: the word to read at.
        broad: whether articles, ``next``, ``last`` and ``tens`` are numbers as well.

    >>> words = ["walk", "two", "and", "a", "half", "miles", *PADDING]
    >>> read_number(words, 1, broad=False)
    Reading(kind='fraction', value=Fraction(5, 2), first=1, after=5, lead=0, stop=None)
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
    return None if kind is None else Reading(kind, value, place, place + 1)


def _kind_of_word(words: Sequence[str], place: int, word_class: WordClass, broad: bool) -> Kind | None:
    """Return the kind of a word that is a number by itself, or None where it is none."""
    word = words[place]
    if word_class is WordClass.MULTIPLIER:
        counts = word not in ADJECTIVAL_MULTIPLIERS or context.multiplier_counts(words, place)
        return "multiplier" if counts else None
    if word_class is WordClass.PARITY:
        return "parity" if context.parity_counts(words, place) else None
    if word_class is WordClass.COIN:
        return "coin" if context.coin_counts(words, place) else None
    if word_class is WordClass.ARTICLE:
        counts = _is_free_article(words, place) if broad else context.article_counts(words, place)
        return "article" if counts else None
    return BROAD_WORDS[word] if broad else None


def _is_free_article(words: Sequence[str], place: int) -> bool:
    """Say whether an article belongs to no number that follows it, such as half, dozen or couple."""
    following = words[place + 1]
    return following not in SINGULAR_DENOMINATORS and following not in SCALES and following != "couple"


def _read_part(words: Sequence[str], place: int, value: Fraction) -> Reading | None:
    """Read half, quarter, third ... where it is the name of a part, and quarter where it is the coin."""
    kind = _kind_of_part(words, place)
    if kind is None:
        return None
    if words[place] == "half":
        if words[place + 1] in ("dollar", "dollars"):
            return Reading("coin", value, place, place + 2)
        scale_place = place + 2 if words[place + 1] == "a" else place + 1
        if words[scale_place] in SCALES:
            return Reading("scale", value * SCALES[words[scale_place]], place, scale_place + 1)
    has_determiner = kind == "fraction" and words[place - 1] in ("one", "1")
    return Reading(kind, value, place - 1 if has_determiner else place, place + 1)


def _kind_of_part(words: Sequence[str], place: int) -> Literal["fraction", "coin"] | None:
    word = words[place]
    if word in ("quarter", "quarters"):
        return context.quarter_kind(words, place)
    counts = context.half_counts if word == "half" else context.ordinal_is_part
    return "fraction" if counts(words, place) else None


def _read_from_cardinal(words: Sequence[str], place: int) -> Reading | None:
    value, after = read_cardinal(words, place)
    if after == place:  # a dozen
        return Reading("scale", Fraction(SCALES[words[place]]), place, place + 1)
    reading = join_following(words, Reading("scale" if value >= 1000 else "word", Fraction(value), place, after))
    is_bare_one = words[place] == "one" and reading.after == place + 1
    if is_bare_one and (_is_determiner(words, place) or not context.one_counts(words, place)):
        return None
    return reading


def _read_from_numeral(words: Sequence[str], place: int) -> Reading | None:
    numeral = read_numeral(words[place])
    if numeral is None:
        return None
    reading = Reading(numeral.kind, numeral.value, place, place + 1, numeral.start, numeral.end)
    if not numeral.bare:
        return reading
    if words[place + 1] == "'s" and numeral.value >= 1000:  # the 1990's
        return None
    reading = join_following(words, reading)
    is_bare_one = numeral.value == 1 and reading.after == place + 1
    return None if is_bare_one and _is_determiner(words, place) else reading


def _is_determiner(words: Sequence[str], place: int) -> bool:
    """Say whether a one only introduces the part that follows it: one half, 1 third."""
    return words[place + 1] in SINGULAR_DENOMINATORS and _kind_of_part(words, place + 1) == "fraction"


def join_following(words: Sequence[str], reading: Reading) -> Reading:
    """Return a number together with the words after it that belong to it.

    >>> join_following(["5", "million", "", "", "", ""], Reading("digits", Fraction(5), 0, 1))
    Reading(kind='scale', value=Fraction(5000000, 1), first=0, after=2, lead=0, stop=None)
    """
    if reading.value.denominator == 1:
        if reading.kind == "digits":
            reading = _join_thousands(words, reading)
        reading = _join_fraction(words, reading)
    scale = SCALES.get(words[reading.after])
    if scale is None:
        return reading
    return reading._replace(kind="scale", value=reading.value * scale, after=reading.after + 1, stop=None)


def _join_thousands(words: Sequence[str], reading: Reading) -> Reading:
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


def _join_fraction(words: Sequence[str], reading: Reading) -> Reading:
    after = reading.after
    following = words[after]
    if following == "and":
        return _join_and_fraction(words, reading)
    if following in PLURAL_DENOMINATORS:
        denominator = PLURAL_DENOMINATORS[following]
        # Three quarters and a dime are coins; two halves are what something is cut into.
        is_coin = following == "quarters" and not context.is_taken_of(words, after)
        if is_coin or reading.value in (1, denominator):
            return reading
        return reading._replace(kind="fraction", value=reading.value / denominator, after=after + 1, stop=None)
    if "/" in following or following in VULGAR_FRACTIONS:
        numeral = read_numeral(following)
        if numeral and numeral.kind == "fraction" and numeral.start == 0 and 0 < numeral.value < 1:
            return _add(reading, numeral.value, after + 1, numeral.end)
    return reading


def _join_and_fraction(words: Sequence[str], reading: Reading) -> Reading:
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


def _add(reading: Reading, part: Fraction, after: int, stop: int | None) -> Reading:
    value = reading.value + part if reading.value >= 0 else reading.value - part
    return reading._replace(kind="fraction", value=value, after=after, stop=stop)
