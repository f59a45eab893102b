"""Phrases that are one side of a statement: "three times the smaller number", "5 more than the sum of two numbers".

A phrase is a *term*, which may hold other terms, and then the words that follow and change it ("increased by 5"). It
may end at several places and have several meanings; all are returned, the longest first.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, pairwise
from typing import NamedTuple

from draw_dataset.solver.relations.forms import (
    ACTIONS,
    AFTER_ONE,
    AGES,
    ALL,
    CHANGES,
    COUNTS,
    DETERMINERS,
    DIFFERENCE,
    DIFFERENCES,
    EQUALS,
    FIRST,
    KINDS,
    LARGE,
    LARGER,
    LESS,
    MAX_MEANINGS,
    MORE,
    MULTIPLES,
    NO_UNKNOWN,
    NUMBER,
    NUMBERS,
    ONES,
    OWNERS,
    RANKED,
    REVERSED,
    SECOND,
    SMALL,
    SMALLER,
    SUM,
    TENS,
    THAN,
    THEIR,
    TIMES,
    TOTAL,
    UNITS,
    WRITTEN_AS,
    Form,
    Meanings,
    combine,
    noun,
)
from draw_dataset.solver.relations.forms import RANKS as RANK_NAMES
from draw_dataset.solver.text import TaggedText

# Sentences as pieces: words, and numbers of several words in one piece.


_LEFT_OUT = frozenset(("$", "'", '"', "``", "''", "“", "”"))


@dataclass(frozen=True, slots=True)
class Piece:
    """A word, or a number."""

    word: str  # the word in lower case
    lemma: str  # its dictionary form
    is_noun: bool  # whether it is a noun
    number: Form | None  # the number that it is, if it is one


class Sentence:
    """The pieces of a sentence, by their place; beyond its end stand empty words."""

    def __init__(self, pieces: list[Piece]) -> None:
        self.pieces = pieces

    def __len__(self) -> int:
        """Return how many pieces it has."""
        return len(self.pieces)

    def word(self, at: int) -> str:
        """Return the word at a place."""
        return self.pieces[at].word if 0 <= at < len(self.pieces) else ""

    def number(self, at: int) -> Form | None:
        """Return the number at a place; None if none is there."""
        return self.pieces[at].number if 0 <= at < len(self.pieces) else None

    def is_noun(self, at: int) -> bool:
        """Decide whether a noun stands at a place."""
        return 0 <= at < len(self.pieces) and self.pieces[at].is_noun

    def after(self, at: int, *expected: str | Collection[str]) -> int | None:
        """Return the place after words, each given alone or as a choice; None if others stand there."""
        for one in expected:
            word = self.word(at)
            if word != one if isinstance(one, str) else word not in one:
                return None
            at += 1
        return at

    def skip(self, at: int, words: Collection[str]) -> int:
        """Return the first place from here on at which none of these words stands."""
        while self.word(at) in words:
            at += 1
        return at


def _length(words: list[str], at: str) -> int:
    """Return how many words a number takes up from the one that it sits on: of "one half" that is the second."""
    return len(words) - words.index(at) if at in words else max(1, len(words))


def sentences_of(text: TaggedText) -> list[Sentence]:
    """Return the sentences of a text."""
    numbers = {spot: (rank + 1, text.numbers[rank]) for rank, spot in enumerate(text.spots)}
    pieces: list[tuple[int, Piece]] = []
    at = 0
    while at < len(text.words):
        word, number = text.words[at], numbers.get(at)
        if number is not None or word.text not in _LEFT_OUT:
            form = None
            if number is not None:
                rank, found = number
                form = Form.number(found.value or 0, f"q{rank}")
            pieces.append((word.sentence, Piece(word.text, word.lemma, word.is_noun, form)))
        at += 1 if number is None else _length(number[1].text.lower().split(), word.text)
    return [Sentence([piece for _, piece in group]) for _, group in groupby(pieces, key=lambda pair: pair[0])]


# Phrases that name unknowns: "the larger number", "another", "the two numbers", "the tens digit", "her sister".


# A number of two digits, and the one with its digits reversed
TENS_DIGIT, UNITS_DIGIT = Form.unknown("tens"), Form.unknown("units")
WRITTEN, TURNED = (
    Form((("tens", Fraction(by)), ("units", Fraction(11 - by))), Fraction(0), f"{by}*<tens> + {11 - by}*<units>")
    for by in (10, 1)
)


class Named(NamedTuple):
    """A phrase that names one unknown."""

    form: Form  # the unknown
    end: int  # the place after the phrase


class Plural(NamedTuple):
    """A phrase that names several unknowns."""

    many: int
    end: int  # the place after the phrase


class Topic(NamedTuple):
    """Topic of a text, where it decides the meaning of words."""

    digits: bool  # the digits of a number; then "the number" is made of them
    numbers: bool  # numbers as such; then "it" is one
    many: int  # how many numbers, if it says so; else 2
    ages: bool  # ages; then a sentence may be about another time

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
    """Finder of the unknowns that a sentence names."""

    def __init__(self, sentence: Sentence, topic: Topic) -> None:
        self.sentence = sentence
        self.topic = topic

    @property
    def total(self) -> Form | None:
        """The sum of all unknowns; None if there are too many."""
        if self.topic.digits:
            return TENS_DIGIT.plus(UNITS_DIGIT)
        return {2: SUM, 3: Form.unknown(ALL)}.get(self.topic.many)

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
                return Named(Form.unknown(name), self._tail(start + 1))
        return None

    def _ranked(self, at: int) -> Named | None:
        """Read "the second number", "first number"."""
        word = self.sentence.word
        start = at + 1 if word(at) in DETERMINERS else at
        rank = RANKED.get(word(start))
        alone = start > at and not self.sentence.is_noun(start + 1)
        if rank is None or (word(at) != "the" and word(start + 1) not in NUMBER and not alone):
            return None
        return Named(Form.unknown(RANK_NAMES[rank]), self._tail(start + 1))

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
        """Return the place after an optional noun and "of the two numbers"."""
        sentence, word = self.sentence, self.sentence.word
        at = sentence.skip(at, KINDS)
        if word(at) in NUMBER or word(at) == "one":
            at += 2 if word(at + 1) == "'s" else 1
        if word(at) == "of":
            several = self.plural(at + 1)
            if several is not None:
                return several.end
        return at


MAX_DEPTH = 8  # how deep phrases may be nested
MAX_CHANGES = 6  # changes of one phrase ("plus 3 minus 5")
MAX_PARTS = 6  # parts of a sum


class Side(NamedTuple):
    """A phrase with its possible meanings."""

    meanings: Meanings
    end: int  # the place after it


class Sides:
    """Reader of the phrases of a sentence, with a cache by place."""

    def __init__(self, referents: Referents) -> None:
        self.sentence = referents.sentence
        self.referents = referents
        self._terms: dict[int, list[Side]] = {}
        self._sides: dict[int, list[Side]] = {}
        self._depth = 0

    def sides(self, at: int) -> list[Side]:
        """Return the phrases that begin at a place, the longest first."""
        if at not in self._sides:
            self._sides[at] = []  # a phrase that begins with itself has no meaning
            found = []
            for side in self.terms(at):
                for _ in range(MAX_CHANGES):
                    changed = self.changed(side)
                    if changed is None:
                        break
                    side = changed
                found.append(side)
            self._sides[at] = sorted(found, key=lambda side: -side.end)
        return self._sides[at]

    def terms(self, at: int) -> list[Side]:
        """Return the phrases that begin at a place, without words that change them, the longest first."""
        if at not in self._terms:
            if self._depth >= MAX_DEPTH or at >= len(self.sentence):
                return []
            self._terms[at] = []
            self._depth += 1
            kinds = (self._joined, self._pair, self._multiples, self._numbers, self._actions, self._named)
            self._terms[at] = sorted((side for kind in kinds for side in kind(at)), key=lambda side: -side.end)
            self._depth -= 1
        return self._terms[at]

    def changed(self, side: Side) -> Side | None:
        """Return a phrase with the words that follow and change it; None if there are none."""
        start = side.end + 1 if self.sentence.word(side.end) == "," else side.end
        for words, how in CHANGES.items():
            after = self.sentence.after(start if how != "from" else side.end, *words)
            if after is not None:
                for other in self.terms(after):
                    meanings = apply_change(how, side.meanings, other.meanings)
                    if meanings:
                        return Side(meanings, other.end)
        return None

    def parts(self, at: int) -> list[tuple[list[Meanings], int]]:
        """Return phrases joined by "and" that begin at a place, or the unknowns named together there."""
        sentence = self.sentence
        found: list[tuple[list[Meanings], int]] = []
        ages = sentence.after(at, "the", "ages", "of")
        several = self.referents.plural(at)
        if several is not None and several.many == 2:
            both = (
                (TENS_DIGIT, UNITS_DIGIT)
                if self.referents.topic.digits
                else (Form.unknown(LARGER), Form.unknown(SMALLER))
            )
            found.append(([(form,) for form in both], several.end))
        if several is not None and several.many == 3:
            found.append(([(Form.unknown(ALL),)], several.end))
        for first in self.sides(at if ages is None else ages):
            parts, end = [first.meanings], first.end
            while len(parts) < MAX_PARTS and sentence.word(end) in ("and", ",", "plus"):
                after = end + 2 if sentence.after(end, ",", "and") is not None else end + 1
                following = self.sides(after)
                if not following:
                    break
                parts.append(following[0].meanings)
                end = following[0].end
            if len(parts) > 1 or any(len(form.parts) > 1 for form in parts[0]):  # the sum of one number plus another
                found.append((parts, end))
        return found

    def _joined(self, at: int) -> list[Side]:
        """Read "the sum of …", "the difference between … and …", "the product of …", "the quotient of …"."""
        sentence, found = self.sentence, []
        start = at + 1 if sentence.word(at) == "the" else at
        joins = ((TOTAL, ("of",), "plus"), (DIFFERENCES, ("of", "between", "in"), "minus"))
        for names, prepositions, how in (*joins, (("product",), ("of",), "times"), (("quotient",), ("of",), "over")):
            after = sentence.after(start, names, prepositions)
            if after is None:
                continue
            for parts, end in self.parts(after):
                if how != "plus" and len(parts) != 2:
                    continue
                meanings = parts[0]
                for part in parts[1:]:
                    meanings = apply_change(how, meanings, part)
                if how == "minus":  # the difference of two numbers is not negative
                    turned = tuple(form.negative() for form in meanings)
                    meanings = meanings if meanings == (DIFFERENCE,) else (*meanings, *turned)[:MAX_MEANINGS]
                if meanings:
                    found.append(Side(meanings, end))
        return found

    def _pair(self, at: int) -> list[Side]:
        """Read "their sum", "the difference"."""
        sentence = self.sentence
        end = sentence.after(at, THEIR, TOTAL | DIFFERENCES) or sentence.after(at, "the", ("sum", "difference"))
        if end is None or sentence.word(end) in ("of", "between", "in") or self.referents.topic.digits:
            return []
        form = self.referents.difference if sentence.word(end - 1) in DIFFERENCES else self.referents.total
        return [] if form is None else [Side((form,), end)]

    def _multiples(self, at: int) -> list[Side]:
        """Read "three times …", "twice as old as …", "half of …", "20 % of …"."""
        sentence, word = self.sentence, self.sentence.word
        start = at + 1 if word(at) in ("the", "a", "one") else at
        number = sentence.number(start)
        by, after = None, start
        if word(start) in MULTIPLES:
            by, after = number or Form.number(MULTIPLES[word(start)]), start + 1
        elif number is not None and word(start + 1) in TIMES:
            by, after = number, start + 2
        elif number is not None and sentence.after(start + 1, ("%", "percent"), "of") is not None:
            by, after = number.over(Form.number(100, "100")), start + 2
        elif number is not None and number.constant.denominator > 1:
            by, after = number, start + 1
        if by is None:
            return []
        if word(after) == "of":
            after += 1
        elif word(after) == "as":
            ends = [end for end in (after + 2, after + 3) if word(end) == "as"]
            if not ends:
                return []
            after = ends[0] + 1
        return [
            Side(apply_change("times", (by,), side.meanings), side.end)
            for side in self.terms(after)
            if not all(form.is_number for form in side.meanings)
        ]

    def _numbers(self, at: int) -> list[Side]:
        """Read a number, "5 more than …", "3 years older than …"."""
        sentence, word = self.sentence, self.sentence.word
        number = sentence.number(at)
        if number is None:
            if word(at) != "one" or word(at + 1) not in AFTER_ONE:
                return []
            number = Form.number(1, "1")
        if word(at) in MULTIPLES or word(at + 1) in TIMES:
            return []
        end = sentence.skip(at + 1, UNITS)
        if word(end) not in MORE | LESS:
            return [Side((number,), end)]
        than = next((place for place in (end + 1, end + 2) if word(place) in THAN), None)
        if than is None:
            return []
        how = "plus" if word(end) in MORE else "minus"
        return [Side(apply_change(how, side.meanings, (number,)), side.end) for side in self.terms(than + 1)]

    def _actions(self, at: int) -> list[Side]:
        """Read "adding 3 to the number", "multiply a number by 6"."""
        between, how = ACTIONS.get(self.sentence.word(at), ("", ""))
        found = []
        for one in self.terms(at + 1) if how else ():
            after = self.sentence.after(one.end, between)
            for other in self.terms(after) if after is not None else ():
                meanings = apply_change(how, one.meanings, other.meanings)
                if meanings:
                    found.append(Side(meanings, other.end))
        return found

    def _named(self, at: int) -> list[Side]:
        for words in (("the", "same", "as"), ("the", "value", "of")):
            after = self.sentence.after(at, *words)
            if after is not None:
                return self.terms(after)
        named = self.referents.named(at)
        return [] if named is None else [Side((named.form,), named.end)]


def apply_change(how: str, one: Meanings, other: Meanings) -> Meanings:
    """Return the meanings of two joined phrases; ``from`` takes the first from the second."""
    if how == "from":
        return combine(other, one, Form.minus)
    return combine(one, other, {"plus": Form.plus, "minus": Form.minus, "times": Form.times, "over": Form.over}[how])
