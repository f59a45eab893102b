"""Reads what ordinary English has besides the numbers of the release: ranks, times of day, and names that are numbers.

The release is about algebra: of its 544 ranks none is a number of an equation, so `find_numbers` does not see them.
In other problems people stand third in line, live on the seventh floor, turn 10 on a 10th birthday, and work from 8:00
until 11:30. Five rules, for the setting ``ordinary`` alone:

* a rank in digits (10th) is its number, but for a grade; a rank in words, and 1st to 3rd, where it is a place that can
  be counted from: a floor, a place in line, a birthday, and from the fourth on a day, week, month or year;
* a fraction may end like a rank: 1/3rd, 2/5ths;
* a k after a number is a thousand (25k a year), but for a run of 5k; an m after a sum of money is a million ($1.5m);
* a time of day is one number, in hours: 5:30 is 5 1/2; a ratio is two;
* a number word with a capital letter that follows a name, or has an 's, is a name: Charlie Five, Seven's dog.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from draw_dataset.text.lexicon import BELOW_HUNDRED, listed

_RANKS = {
    word: rank
    for rank, word in enumerate(
        listed(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
            "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
        ),
        start=1,
    )
}
RANK_WORDS = frozenset(_RANKS)
_PLACES = frozenset(listed("floor place spot position birthday anniversary rung step seat"))
_TIMES = frozenset(listed("day week month year hour minute game round night"))
_DIGIT_RANK = re.compile(r"(\d{1,4})(?:st|nd|rd|th)(?![a-z])")
_DIGIT_PART = re.compile(r"(\d{1,3})/(\d{1,3})(?:st|nd|rd|ths?)(?![a-z])")
_WHOLE_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)(?!\d)")
_SHORT = re.compile(r"(\$?)(\d{1,3}(?:,\d{3}){1,3}|\d{1,6})(\.\d{1,6})?([km])")
_RUNS = frozenset(listed("run runs ran running runner runners race races raced marathon jog jogs jogged jogging walk"))
_RATIO_WORDS = frozenset(listed("ratio ratios odds proportion proportions scale"))
_REACH = 8


class Ordinary(NamedTuple):
    """A number that only ordinary English has.

    Attributes:
        kind: how it is written.
        value: its value.
        after: the place after its last word.
        lead: how many characters of its first word stand before it.
    """

    kind: Literal["rank", "clock", "fraction", "scale"]
    value: Fraction
    after: int
    lead: int = 0


def read_ordinary(words: Sequence[str], place: int) -> Ordinary | None:
    """Return the rank, the fraction that ends like one, or the time of day that begins at a word, if any.

    Args:
        words: the lower-case words of the text, followed by empty ones.
        place: the word to read at.

    >>> read_ordinary("on her 10th birthday    ".split(" "), 2)
    Ordinary(kind='rank', value=Fraction(10, 1), after=3, lead=0)
    >>> read_ordinary("third in line    ".split(" "), 0), read_ordinary("the third number    ".split(" "), 1)
    (Ordinary(kind='rank', value=Fraction(3, 1), after=1, lead=0), None)
    >>> read_ordinary("at 5 : 30 .    ".split(" "), 1), read_ordinary("a ratio of 5 : 30    ".split(" "), 3)
    (Ordinary(kind='clock', value=Fraction(11, 2), after=4, lead=0), None)
    """
    word = words[place]
    rank = _RANKS.get(word)
    if rank is not None:
        return Ordinary("rank", Fraction(rank), place + 1) if _is_counted(words, place, rank) else None
    if word[-1:] in ("k", "m"):
        return _short(words, place)
    if not word[:1].isdigit():
        return None
    digits = _DIGIT_RANK.match(word)
    if digits:
        rank = int(digits.group(1))
        counts = _is_counted(words, place, rank) if rank < 4 else not words[place + 1].startswith("grade")
        return Ordinary("rank", Fraction(rank), place + 1) if counts else None
    part = _DIGIT_PART.match(word)
    if part and int(part.group(2)):
        return Ordinary("fraction", Fraction(int(part.group(1)), int(part.group(2))), place + 1)
    clock = _WHOLE_CLOCK.match(word)
    if clock:
        return _clock(words, place, int(clock.group(1)), int(clock.group(2)), place + 1)
    minutes = words[place + 2]
    if words[place + 1] == ":" and word.isdigit() and len(word) <= 2 and len(minutes) == 2 and minutes.isdigit():
        return _clock(words, place, int(word), int(minutes), place + 3)
    return None


def _short(words: Sequence[str], place: int) -> Ordinary | None:
    """Read 25k and $1.5m."""
    match = _SHORT.fullmatch(words[place])
    if match is None:
        return None
    sign, whole, decimals, letter = match.groups()
    is_money = bool(sign) or (place > 0 and words[place - 1] == "$")
    near = words[max(0, place - _REACH) : place + _REACH]
    if not is_money and (letter == "m" or not _RUNS.isdisjoint(near)):
        return None
    value = Fraction(whole.replace(",", "") + (decimals or "")) * (1_000 if letter == "k" else 1_000_000)
    return Ordinary("scale", value, place + 1, len(sign))


def _is_counted(words: Sequence[str], place: int, rank: int) -> bool:
    following = words[place + 1]
    if following in _PLACES or (following == "in" and words[place + 2] == "line"):
        return True
    return rank >= 4 and following in _TIMES


def _clock(words: Sequence[str], place: int, hours: int, minutes: int, after: int) -> Ordinary | None:
    if hours > 24 or minutes > 59 or not _RATIO_WORDS.isdisjoint(words[max(0, place - _REACH) : place]):
        return None
    return Ordinary("clock", hours + Fraction(minutes, 60), after)


def is_name(words: Sequence[str], written: Sequence[str], place: int) -> bool:
    """Say whether a number word is a name.

    Args:
        words: the lower-case words of the text, followed by empty ones.
        written: the same as they are written.
        place: of the number word.

    >>> is_name(["then", "charlie", "five", "ran", ""], ["Then", "Charlie", "Five", "ran", ""], 2)
    True
    >>> is_name(["five", "cats", ""], ["Five", "cats", ""], 0)
    False
    """
    word = written[place]
    if words[place] not in BELOW_HUNDRED or not word[:1].isupper() or word.isupper():
        return False
    before = written[place - 1] if place else ""
    follows_name = (
        before[:1].isupper() and before.isalpha() and not before.isupper() and words[place - 1] not in BELOW_HUNDRED
    )
    return words[place + 1] == "'s" or (follows_name and place > 1)
