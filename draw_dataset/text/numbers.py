"""Numbers of a text, with their places and exact values: Q(x) of the paper.

The characters ``start:end`` of a number are those of the number alone: ``70`` of ``70lb``. `locate_numbers` adds an
aligned token that the rules do not see; a number before it that had taken it in ends where it begins.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal, NamedTuple

from draw_dataset.derivation.derivation import TextNumber
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import ChoiceError, RowError
from draw_dataset.text.lexicon import BELOW_HUNDRED, LEXICON, Kind, split_words
from draw_dataset.text.numerals import PADDING, NumberPhrase, read_number
from draw_dataset.text.tokens import MARKS, SENTENCE_ENDS, Rule, Token, detect_rule, fold, token_spans, tokenize

# Ordinary English has numbers besides those of the release, where none of 544 ranks is a number of an equation. For the
# setting ``ordinary`` alone:
# * a rank in digits (10th) is its number, except for a grade; a rank in words, and 1st to 3rd, if it can be counted
#   from: a floor, a place in line, a birthday, and from the fourth on a day, week, month or year;
# * a fraction may end like a rank: 1/3rd, 2/5ths;
# * a k after a number is a thousand (25k a year), except for a run of 5k; an m after a sum of money is a million;
# * a time of day is one number, in hours: 5:30 is 5 1/2; a ratio is two;
# * a number word with a capital letter that follows a name, or has an 's, is a name: Charlie Five, Seven's dog.

_RANKS = {
    word: rank
    for rank, word in enumerate(
        split_words(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
            "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
        ),
        start=1,
    )
}
RANK_WORDS = frozenset(_RANKS)
_PLACES = frozenset(split_words("floor place spot position birthday anniversary rung step seat"))
_TIMES = frozenset(split_words("day week month year hour minute game round night"))
_DIGIT_RANK = re.compile(r"(\d{1,4})(?:st|nd|rd|th)(?![a-z])")
_DIGIT_PART = re.compile(r"(\d{1,3})/(\d{1,3})(?:st|nd|rd|ths?)(?![a-z])")
_WHOLE_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)(?!\d)")
_SHORT = re.compile(r"(\$?)(\d{1,3}(?:,\d{3}){1,3}|\d{1,6})(\.\d{1,6})?([km])")
_RUNS = frozenset(
    split_words("run runs ran running runner runners race races raced marathon jog jogs jogged jogging walk")
)
_RATIO_WORDS = frozenset(split_words("ratio ratios odds proportion proportions scale"))
_REACH = 8


class OrdinaryNumber(NamedTuple):
    """A number that only ordinary English has."""

    kind: Literal["rank", "clock", "fraction", "scale"]
    value: Fraction
    after: int  # the place after its last word
    lead: int = 0  # characters of its first word before it


def read_ordinary(words: Sequence[str], place: int) -> OrdinaryNumber | None:
    """Return the rank, the fraction that ends like one, or the time of day that begins at a word, if any.

    >>> read_ordinary("on her 10th birthday    ".split(" "), 2)
    OrdinaryNumber(kind='rank', value=Fraction(10, 1), after=3, lead=0)
    >>> read_ordinary("third in line    ".split(" "), 0), read_ordinary("the third number    ".split(" "), 1)
    (OrdinaryNumber(kind='rank', value=Fraction(3, 1), after=1, lead=0), None)
    >>> read_ordinary("at 5 : 30 .    ".split(" "), 1), read_ordinary("a ratio of 5 : 30    ".split(" "), 3)
    (OrdinaryNumber(kind='clock', value=Fraction(11, 2), after=4, lead=0), None)
    """
    word = words[place]
    rank = _RANKS.get(word)
    if rank is not None:
        return OrdinaryNumber("rank", Fraction(rank), place + 1) if _is_counted(words, place, rank) else None
    if word[-1:] in ("k", "m"):
        return _read_short(words, place)
    if not word[:1].isdigit():
        return None
    digits = _DIGIT_RANK.match(word)
    if digits:
        rank = int(digits.group(1))
        counts = _is_counted(words, place, rank) if rank < 4 else not words[place + 1].startswith("grade")
        return OrdinaryNumber("rank", Fraction(rank), place + 1) if counts else None
    part = _DIGIT_PART.match(word)
    if part and int(part.group(2)):
        return OrdinaryNumber("fraction", Fraction(int(part.group(1)), int(part.group(2))), place + 1)
    clock = _WHOLE_CLOCK.match(word)
    if clock:
        return _read_clock(words, place, int(clock.group(1)), int(clock.group(2)), place + 1)
    minutes = words[place + 2]
    if words[place + 1] == ":" and word.isdigit() and len(word) <= 2 and len(minutes) == 2 and minutes.isdigit():
        return _read_clock(words, place, int(word), int(minutes), place + 3)
    return None


def _read_short(words: Sequence[str], place: int) -> OrdinaryNumber | None:
    """Read an abbreviated number: 25k, $1.5m."""
    match = _SHORT.fullmatch(words[place])
    if match is None:
        return None
    sign, whole, decimals, letter = match.groups()
    is_money = bool(sign) or (place > 0 and words[place - 1] == "$")
    near = words[max(0, place - _REACH) : place + _REACH]
    if not is_money and (letter == "m" or not _RUNS.isdisjoint(near)):
        return None
    value = Fraction(whole.replace(",", "") + (decimals or "")) * (1_000 if letter == "k" else 1_000_000)
    return OrdinaryNumber("scale", value, place + 1, len(sign))


def _is_counted(words: Sequence[str], place: int, rank: int) -> bool:
    following = words[place + 1]
    if following in _PLACES or (following == "in" and words[place + 2] == "line"):
        return True
    return rank >= 4 and following in _TIMES


def _read_clock(words: Sequence[str], place: int, hours: int, minutes: int, after: int) -> OrdinaryNumber | None:
    if hours > 24 or minutes > 59 or not _RATIO_WORDS.isdisjoint(words[max(0, place - _REACH) : place]):
        return None
    return OrdinaryNumber("clock", hours + Fraction(minutes, 60), after)


def is_name(words: Sequence[str], written: Sequence[str], place: int) -> bool:
    """Decide whether a number word is a name; `written` are the words with their capital letters.

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


NumberWords = Literal["standard", "broad", "ordinary"]

_STANDS_ALONE = re.compile(r"\s(?:[2-9]|[1-9][0-9]{1,2})(?!\S)")


@dataclass(frozen=True, slots=True)
class FoundNumber:
    """A number of a text: its position is its identity, its value is exact."""

    index: int  # its rank among the numbers of the text, from 1
    sentence: int  # from 0
    token: int  # its first token in the sentence, from 0
    start: int
    end: int
    text: str  # text[start:end], the number as written
    value: Fraction  # a percentage has its figure: 5 for 5%
    kind: Kind


def find_numbers(text: str, number_words: NumberWords = "standard", rule: Rule = "auto") -> list[FoundNumber]:
    """Return the numbers of a text in the order of their tokens.

    Args:
        text: any text of up to `tokens.MAX_CHARACTERS` characters.
        number_words: ``standard``; ``broad`` to read every article, ``next`` and ``last`` as 1 and ``tens`` as 10
            as well; or ``ordinary`` to read ranks, times of day and 25k as well, and no names.
        rule: how the text is cut into tokens, see `tokens.tokenize`.

    Raises:
        LimitError: the text is too long.
        ChoiceError: there is no such setting or rule.

    >>> for number in find_numbers("Ann buys three-legged stools at $1,200.50. Half of them break."):
    ...     print(number.index, number.sentence, number.token, number.text, number.value, number.kind)
    1 0 2 three 3 word
    2 0 6 1,200.50 2401/2 digits
    3 1 0 Half 1/2 fraction
    """
    if number_words not in ("standard", "broad", "ordinary"):
        raise ChoiceError(f"number_words must be 'standard', 'broad' or 'ordinary', but got {number_words!r}")
    return list(_find_numbers(text, number_words, detect_rule(text) if rule == "auto" else rule))


def has_number(text: str) -> bool:
    """Decide whether `find_numbers` finds a number in a text.

    >>> has_number("Ann has 20 coins ."), has_number("Ann has a dozen ."), has_number("Ann has coins .")
    (True, True, False)
    """
    # Digits between blanks that make 2 to 999 are a number, or a part of one, under any rule and in any context.
    return bool(_STANDS_ALONE.search(fold(text)) or find_numbers(text))


@lru_cache(maxsize=16)
def _find_numbers(text: str, number_words: NumberWords, rule: Rule) -> tuple[FoundNumber, ...]:
    # Cached because callers ask for the numbers of one text several times before they go on to another.
    folded = fold(text)
    spans = token_spans(folded, rule)
    # Small letters of other scripts may be longer than their capitals, so these are made small word by word.
    low = folded.lower() if folded.isascii() else ""
    words = [low[start:end] if low else folded[start:end].lower() for start, end in spans]
    words += PADDING
    broad, ordinary = number_words == "broad", number_words == "ordinary"
    if ordinary and rule == "release":
        spans = _cut_marks(words, spans)
    written = [folded[start:end] for start, end in spans] if ordinary else []
    found: list[FoundNumber] = []
    sentence = sentence_start = resume = 0
    for place in range(len(spans)):
        word = words[place]
        if place < resume or (word not in LEXICON and word.isalpha() and not (ordinary and word in RANK_WORDS)):
            continue
        if word in SENTENCE_ENDS:
            sentence, sentence_start = sentence + 1, place + 1
            continue
        reading = read_number(words, place, broad)
        if ordinary:
            if reading is not None and is_name(words, written, place):
                continue
            other = read_ordinary(words, place)
            if other is not None and (reading is None or other.kind in ("clock", "scale")):
                reading = NumberPhrase(other.kind, other.value, place, other.after, other.lead)
        if reading is None:
            continue
        # The one of "twenty one third" belongs to twenty already.
        start = spans[max(reading.first, resume)][0] + reading.lead
        resume = reading.after
        end = spans[resume - 1][1] if reading.stop is None else spans[resume - 1][0] + reading.stop
        token, written_as = place - sentence_start, text[start:end]
        found.append(FoundNumber(len(found) + 1, sentence, token, start, end, written_as, reading.value, reading.kind))
    return tuple(found)


def _cut_marks(words: list[str], spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Cut final marks off the words of a text whose writer forgot some blanks before them; return the new spans."""
    # a word keeps its mark before a number: in "twenty. Three" there are two.
    kept = list(spans)
    for place, word in enumerate(words):
        stem = word.rstrip(MARKS)
        if stem and stem != word and words[place + 1] not in LEXICON and not words[place + 1][:1].isdigit():
            words[place] = stem
            kept[place] = (spans[place][0], spans[place][0] + len(stem))
    return kept


def locate_numbers(
    question: str,
    annotated: Mapping[tuple[int, int], Fraction] | None = None,
    number_words: NumberWords = "standard",
    rule: Rule = "auto",
) -> tuple[tuple[TextNumber, ...], tuple[tuple[int, int], ...]]:
    """Return the numbers of a text, and the places of `annotated` values that the rules alone do not find."""
    found = [
        TextNumber(n.sentence, n.token, n.value, n.index, n.text, n.start, n.end)
        for n in find_numbers(question, number_words, rule)
    ]
    known = {number.place for number in found}
    missed = tuple(place for place in annotated or {} if place not in known)
    if not missed:
        return tuple(found), ()
    tokens = {(t.sentence, t.index): t for t in tokenize(question, rule)}
    for place in missed:
        token = tokens.get(place)
        if token is None:
            raise RowError(f"expected a number of the text, but got sentence {place[0]}, token {place[1]}, not in it")
        found = [_end_before(number, token, rule) for number in found]
        value = (annotated or {})[place]
        found.append(TextNumber(place[0], place[1], value, None, token.text, token.start, token.end))
    found.sort(key=lambda n: (n.sentence or 0, n.token))
    return tuple(
        TextNumber(n.sentence, n.token, n.value, index, n.text, n.start, n.end) for index, n in enumerate(found, 1)
    ), missed


def _end_before(number: TextNumber, token: Token, rule: Rule) -> TextNumber:
    """Return a number, read again without its end if an annotated token stands in it."""
    if number.start is None or number.end is None or not number.start < token.start < number.end:
        return number
    text = number.text[: token.start - number.start].rstrip()
    again = find_numbers(text, rule=rule)
    if not again:
        return number
    end = number.start + len(text)
    return TextNumber(number.sentence, number.token, again[0].value, number.index, text, number.start, end)


def rule_of(problem: Problem) -> Rule:
    """Return the rule that puts the numbers of a problem at their places; the rule of `detect_rule` if both do."""
    rules: tuple[Rule, ...] = ("release", "raw")
    for rule in sorted(rules, key=lambda rule: rule != detect_rule(problem.question)):
        spans = {(t.sentence, t.index): (t.start, t.end) for t in tokenize(problem.question, rule)}
        if all(n.place in spans and _overlaps(n, *spans[(n.sentence or 0, n.token)]) for n in problem.numbers):
            return rule
    return "auto"


def number_words_of(problem: Problem) -> NumberWords:
    """Return the setting for a problem: derived rows, which have a status, are in ordinary English."""
    return "ordinary" if problem.status else "standard"


def _overlaps(number: TextNumber, start: int, end: int) -> bool:
    return number.start is None or number.end is None or (number.start < end and start < number.end)
