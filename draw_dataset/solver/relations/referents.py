"""Phrases that name unknowns: "the larger number", "another", "the two numbers", "the tens digit", "her sister"."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from draw_dataset.solver.relations.forms import ALL, DIFFERENCE, FIRST, LARGER, SECOND, SMALLER, SUM, Form, noun
from draw_dataset.solver.relations.forms import RANKS as RANK_NAMES
from draw_dataset.solver.relations.sentences import Sentence
from draw_dataset.solver.relations.words import (
    AGES,
    COUNTS,
    DETERMINERS,
    EQUALS,
    KINDS,
    LARGE,
    NO_UNKNOWN,
    NUMBER,
    NUMBERS,
    ONES,
    OWNERS,
    RANKED,
    REVERSED,
    SMALL,
    TENS,
    THAN,
    THEIR,
    WRITTEN_AS,
)

TENS_DIGIT, UNITS_DIGIT = Form.named("tens"), Form.named("units")
WRITTEN, TURNED = (
    Form((("tens", Fraction(by)), ("units", Fraction(11 - by))), Fraction(0), f"{by}*<tens> + {11 - by}*<units>")
    for by in (10, 1)
)
"""A number of two digits, and the one with its digits reversed."""


class Named(NamedTuple):
    """A phrase that names one unknown.

    Attributes:
        form: the unknown.
        end: the place after the phrase.
    """

    form: Form
    end: int


class Plural(NamedTuple):
    """A phrase that names several unknowns.

    Attributes:
        many: how many.
        end: the place after the phrase.
    """

    many: int
    end: int


class Topic(NamedTuple):
    """What a text is about, as far as that decides what its words mean.

    Attributes:
        digits: the digits of a number; then "the number" is made of them.
        numbers: numbers as such; then "it" is one.
        many: how many numbers, if it says so; else 2.
        ages: ages; then a sentence may be about another time.
    """

    digits: bool
    numbers: bool
    many: int
    ages: bool

    @classmethod
    def of(cls, words: Sequence[str]) -> Topic:
        """Return the topic of the words of a text."""
        counts = [
            COUNTS[word]
            for at, word in enumerate(words)
            if word in COUNTS and not NUMBERS.isdisjoint(words[at + 1 : at + 4])
        ]
        return cls(
            digits="digits" in words or any(b == "digit" and a in TENS | ONES for a, b in pairwise(words)),
            numbers=any(word in NUMBER or word in NUMBERS for word in words),
            many=max(counts, default=2),
            ages=not AGES.isdisjoint(words),
        )


class Referents:
    """Finds the unknowns that a sentence names.

    Args:
        sentence: the sentence.
        topic: what the text is about.
    """

    def __init__(self, sentence: Sentence, topic: Topic) -> None:
        self.sentence = sentence
        self.topic = topic

    @property
    def total(self) -> Form | None:
        """The sum of all unknowns; None if there are too many."""
        if self.topic.digits:
            return TENS_DIGIT.plus(UNITS_DIGIT)
        return {2: SUM, 3: Form.named(ALL)}.get(self.topic.many)

    @property
    def difference(self) -> Form | None:
        """The difference of the unknowns; None if they are not two."""
        return DIFFERENCE if self.topic.many == 2 and not self.topic.digits else None

    def named(self, at: int) -> Named | None:
        """Return the unknown that is named at a place."""
        if self.topic.digits:
            return self._digit(at)
        word = self.sentence.word
        if self.topic.numbers and word(at) in ("it", "itself"):
            return Named(FIRST, at + 1)
        return self._compared(at) or self._ranked(at) or self._one(at) or self._number(at) or self._noun(at)

    def plural(self, at: int) -> Plural | None:
        """Return the unknowns that are named together at a place."""
        word = self.sentence.word
        if word(at) == "them":
            return Plural(self.topic.many, at + 1)
        end = self.sentence.skip(at, ("both", "of")) if word(at) == "both" else at
        if word(end) in THEIR or word(end) in ("the", "these", "those", "my", "its"):
            end += 1
        count = COUNTS.get(word(end))
        end = self.sentence.skip(end + (count is not None), KINDS)
        if self.topic.digits:
            return Plural(2, self._after_owner(end + 1)) if word(end) == "digits" else None
        whose = self.sentence.after(end, ("age", "ages"), "of")
        if whose is not None:
            several = COUNTS.get(word(whose))
            return Plural(several, whose + 2) if several is not None and self.sentence.is_noun(whose + 1) else None
        if (word(end) in NUMBERS and end > at) or (word(end) in NUMBER and count is not None):
            return Plural(count or self.topic.many, end + 1)
        return Plural(count, end) if count is not None and word(at) in ("the", "these", "those") else None

    def _compared(self, at: int) -> Named | None:
        """Read "the larger", "the smaller of the two numbers"."""
        word = self.sentence.word
        start = at + 1 if word(at) in DETERMINERS else at
        for words, name in ((LARGE, LARGER), (SMALL, SMALLER)):
            if word(start) in words and word(start + 1) not in THAN:
                return Named(Form.named(name), self._tail(start + 1))
        return None

    def _ranked(self, at: int) -> Named | None:
        """Read "the second number", "first number"."""
        word = self.sentence.word
        start = at + 1 if word(at) in DETERMINERS else at
        rank = RANKED.get(word(start))
        alone = start > at and not self.sentence.is_noun(start + 1)
        if rank is None or (word(at) != "the" and word(start + 1) not in NUMBER and not alone):
            return None
        return Named(Form.named(RANK_NAMES[rank]), self._tail(start + 1))

    def _one(self, at: int) -> Named | None:
        """Read "one number", "one of them", "the other", "another number"."""
        sentence, word = self.sentence, self.sentence.word
        if word(at) == "another":
            return Named(SECOND, self._tail(at + 1))
        if word(at) == "the" and word(at + 1) == "other" and word(at + 2) not in COUNTS and word(at + 2) not in NUMBERS:
            return Named(SECOND, self._tail(at + 2))
        if word(at) != "one":
            return None
        of_several = sentence.after(at + 1, "of") is not None and self.plural(at + 2) is not None
        if word(at + 1) in NUMBER or word(at + 1) in EQUALS or of_several:
            return Named(FIRST, self._tail(at + 1))
        return None

    def _number(self, at: int) -> Named | None:
        """Read "a number", "the same number"."""
        sentence, word = self.sentence, self.sentence.word
        if word(at) not in DETERMINERS:
            return None
        end = sentence.skip(at + 1, KINDS)
        if word(end) not in NUMBER or word(end + 1) == "of":
            return None
        return Named(FIRST, end + 2 if word(end + 1) == "'s" else end + 1)

    def _noun(self, at: int) -> Named | None:
        """Read "Mary", "his brother's age", "the number of boys"."""
        sentence, word = self.sentence, self.sentence.word
        start = at + 1 if word(at) in OWNERS else at
        counted = sentence.after(start, ("number", "age"), "of")
        place = sentence.skip(counted, OWNERS) if counted is not None else start
        if place >= len(sentence):
            return None
        piece = sentence.pieces[place]
        if not piece.is_noun or not piece.word.isalpha() or piece.word in NO_UNKNOWN:
            return None
        end = place + 1
        if word(end) == "'s" and sentence.is_noun(end + 1) and word(end + 1) not in NO_UNKNOWN:
            return self._noun(end + 1)  # Tom's sister is the sister
        if word(end) == "'s":
            end += 2 if sentence.is_noun(end + 1) else 1
        elif word(end) in ("age", "ages"):
            end += 1
        elif counted is not None and word(end) == "in" and sentence.is_noun(end + 2):
            end += 3
        return Named(noun(piece.lemma), end)

    def _digit(self, at: int) -> Named | None:
        """Read "the tens digit", "the original number", "the number with its digits reversed"."""
        sentence, word = self.sentence, self.sentence.word
        start = at + 1 if word(at) in DETERMINERS else at
        for words, form in ((TENS, TENS_DIGIT), (ONES, UNITS_DIGIT)):
            end = sentence.after(start, words)
            if end is not None:
                end = sentence.after(sentence.skip(end, ("'s", "'", "place")), ("digit", "digits"))
                if end is not None:
                    return Named(form, self._after_owner(end))
        end = sentence.skip(start, WRITTEN_AS)
        if start == at or word(end) not in ("number", "integer", "numeral"):
            return None
        new = any(word(place) in ("new", "resulting") for place in range(start, end))
        turned = any(word(place) in REVERSED for place in range(at)) and word(start) not in ("original", "given")
        return Named(TURNED if new or turned else WRITTEN, end + 1)

    def _after_owner(self, at: int) -> int:
        """Return the place after "of the number", if that follows."""
        start = self.sentence.after(at, "of", DETERMINERS)
        if start is None:
            return at
        end = self.sentence.skip(start, WRITTEN_AS)
        return end + 1 if self.sentence.word(end) in ("number", "integer", "numeral") else at

    def _tail(self, at: int) -> int:
        """Return the place after what may follow: the noun, and of how many it is one."""
        sentence, word = self.sentence, self.sentence.word
        at = sentence.skip(at, KINDS)
        if word(at) in NUMBER or word(at) == "one":
            at += 2 if word(at + 1) == "'s" else 1
        if word(at) == "of":
            several = self.plural(at + 1)
            if several is not None:
                return several.end
        return at
