"""Finds the numbers of a text, with their places and exact values: Q(x) of the paper.

The text is cut into tokens (see `tokens`), each is looked at once from left to right, and `phrases` says
which number sits on it and how many tokens it takes. Most tokens are plain words outside the lexicon and
cost one look-up.

The characters ``start:end`` of a number are those of the number alone: ``70`` of ``70lb``, ``1,200.50`` of
``$1,200.50``, all of ``one hundred and five``.

An aligned token is a number because a person said so. Where the rules of `find_numbers` do not see it, it
still enters the list of `locate_numbers`, with its annotated value, at its place in the order of the text.
If the rules took it for a part of the number before it ("5 sixths" as one number), that number ends where
the annotated one begins.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from draw_dataset.core.alignment import TextNumber
from draw_dataset.errors import ChoiceError, RowError
from draw_dataset.text.lexicon import LEXICON, Kind
from draw_dataset.text.ordinary import RANK_WORDS, is_name, read_ordinary
from draw_dataset.text.phrases import PADDING, Reading, read_number
from draw_dataset.text.tokens import MARKS, SENTENCE_ENDS, Rule, Token, detect_rule, fold, token_spans, tokenize

NumberWords = Literal["standard", "broad", "ordinary"]

_STANDS_ALONE = re.compile(r"\s(?:[2-9]|[1-9][0-9]{1,2})(?!\S)")


@dataclass(frozen=True, slots=True)
class FoundNumber:
    """A number of a text: its position is its identity, its value is exact.

    Attributes:
        index: its rank among the numbers of the text, from 1.
        sentence: the sentence it stands in, from 0.
        token: the place in that sentence of the token it sits on, from 0.
        start: the offset of its first character in the text.
        end: the offset after its last character.
        text: ``text[start:end]``, the number as written.
        value: its value; a percentage has its figure, 5 for ``5%``.
        kind: how it is written.
    """

    index: int
    sentence: int
    token: int
    start: int
    end: int
    text: str
    value: Fraction
    kind: Kind


def find_numbers(text: str, number_words: NumberWords = "standard", rule: Rule = "auto") -> list[FoundNumber]:
    """Return the numbers of a text in the order of their tokens.

    Args:
        text: any text of up to `tokens.MAX_CHARACTERS` characters.
        number_words: ``standard``; ``broad`` to read every article, ``next`` and ``last`` as 1 and ``tens`` as 10
            as well; or ``ordinary`` to read ranks, times of day and 25k as well, and no names (see `ordinary`).
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
    return list(_found(text, number_words, detect_rule(text) if rule == "auto" else rule))


def has_number(text: str) -> bool:
    """Say whether a text has a number, as `find_numbers` would.

    Mostly a look is enough: digits between blanks that make 2 to 999 are a number, or a part of one, whatever the rule
    and whatever stands around them.

    >>> has_number("Ann has 20 coins ."), has_number("Ann has a dozen ."), has_number("Ann has coins .")
    (True, True, False)

    Raises:
        LimitError: the text is too long.
    """
    return bool(_STANDS_ALONE.search(fold(text)) or find_numbers(text))


@lru_cache(maxsize=16)
def _found(text: str, number_words: NumberWords, rule: Rule) -> tuple[FoundNumber, ...]:
    # Whoever looks at a text asks for its numbers several times, one text after the other.
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
                reading = Reading(other.kind, other.value, place, other.after, other.lead)
        if reading is None:
            continue
        # The one of "twenty one third" belongs to twenty already.
        start = spans[max(reading.first, resume)][0] + reading.lead
        resume = reading.after
        end = spans[resume - 1][1] if reading.stop is None else spans[resume - 1][0] + reading.stop
        found.append(
            FoundNumber(
                index=len(found) + 1,
                sentence=sentence,
                token=place - sentence_start,
                start=start,
                end=end,
                text=text[start:end],
                value=reading.value,
                kind=reading.kind,
            )
        )
    return tuple(found)


def _cut_marks(words: list[str], spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Cut the marks off words that end in one, in a text that is cut at blanks; return where the words stand then.

    People who put a blank before each mark forget some. A word keeps its mark before a number: in "twenty. Three" there
    are two.
    """
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
    """Return the numbers of a text, and the annotated places that only the annotation knows.

    Args:
        question: the text.
        annotated: annotated places and the value each is said to have.
        number_words: see `find_numbers`.
        rule: how the text is cut into tokens.

    Raises:
        RowError: an annotated place is not in the text.
    """
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
        found = [_ending_before(number, token, rule) for number in found]
        value = (annotated or {})[place]
        found.append(TextNumber(place[0], place[1], value, None, token.text, token.start, token.end))
    found.sort(key=lambda n: (n.sentence or 0, n.token))
    return tuple(
        TextNumber(n.sentence, n.token, n.value, index, n.text, n.start, n.end) for index, n in enumerate(found, 1)
    ), missed


def _ending_before(number: TextNumber, token: Token, rule: Rule) -> TextNumber:
    """Return a number, read again without its end if an annotated token stands in it."""
    if number.start is None or number.end is None or not number.start < token.start < number.end:
        return number
    text = number.text[: token.start - number.start].rstrip()
    again = find_numbers(text, rule=rule)
    if not again:
        return number
    end = number.start + len(text)
    return TextNumber(number.sentence, number.token, again[0].value, number.index, text, number.start, end)
