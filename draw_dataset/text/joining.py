"""Joins to a number what follows it and belongs to it.

In this order: a cut-off group of thousands (``25 ,000``), the fraction of a mixed number (``2 1/2``, ``two
and a half``) or the part that is counted (``two thirds``), a scale (``2.5 million``, ``two dozen``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from draw_dataset.text import context
from draw_dataset.text.lexicon import PLURAL_DENOMINATORS, SCALES, SINGULAR_DENOMINATORS, Kind
from draw_dataset.text.numerals import VULGAR_FRACTIONS, read_numeral

_CUT_OFF_THOUSANDS = re.compile(r"(?:,\d{3}){1,5}(?:\.\d{1,5})?")
_MAX_CUT_OFF_DIGITS = 12


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
