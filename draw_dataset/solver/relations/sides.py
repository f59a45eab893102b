"""Phrases that are one side of a statement: "three times the smaller number", "5 more than the sum of two numbers".

A phrase is read as a *term*, which may hold other terms, and then as far as words follow that change it ("increased by
5"). A phrase may end at several places, and may mean several things. All are returned, the longest first.
"""

from __future__ import annotations

from typing import NamedTuple

from draw_dataset.solver.relations.forms import (
    ALL,
    DIFFERENCE,
    LARGER,
    MAX_MEANINGS,
    SMALLER,
    Form,
    Meanings,
    combined,
)
from draw_dataset.solver.relations.referents import TENS_DIGIT, UNITS_DIGIT, Referents
from draw_dataset.solver.relations.words import (
    ACTIONS,
    AFTER_ONE,
    CHANGES,
    DIFFERENCES,
    LESS,
    MORE,
    MULTIPLES,
    THAN,
    THEIR,
    TIMES,
    TOTAL,
    UNITS,
)

MAX_DEPTH = 8
"""How deep phrases may be nested."""

MAX_CHANGES = 6
"""Changes of one phrase ("plus 3 minus 5")."""

MAX_PARTS = 6
"""Parts of a sum."""


class Side(NamedTuple):
    """A phrase with what it may mean.

    Attributes:
        meanings: what it may mean.
        end: the place after it.
    """

    meanings: Meanings
    end: int


class Sides:
    """Reads the phrases of a sentence; each place once.

    Args:
        referents: finds the unknowns that the sentence names.
    """

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
        """Return the phrases that begin at a place, without what follows and changes them, the longest first."""
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
                    meanings = applied(how, side.meanings, other.meanings)
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
                (TENS_DIGIT, UNITS_DIGIT) if self.referents.topic.digits else (Form.named(LARGER), Form.named(SMALLER))
            )
            found.append(([(form,) for form in both], several.end))
        if several is not None and several.many == 3:
            found.append(([(Form.named(ALL),)], several.end))
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
                    meanings = applied(how, meanings, part)
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
            Side(applied("times", (by,), side.meanings), side.end)
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
        return [Side(applied(how, side.meanings, (number,)), side.end) for side in self.terms(than + 1)]

    def _actions(self, at: int) -> list[Side]:
        """Read "adding 3 to the number", "multiply a number by 6"."""
        between, how = ACTIONS.get(self.sentence.word(at), ("", ""))
        found = []
        for one in self.terms(at + 1) if how else ():
            after = self.sentence.after(one.end, between)
            for other in self.terms(after) if after is not None else ():
                meanings = applied(how, one.meanings, other.meanings)
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


def applied(how: str, one: Meanings, other: Meanings) -> Meanings:
    """Return what two phrases mean together.

    Args:
        how: ``plus``, ``minus``, ``from`` (the first is taken from the second), ``times`` or ``over``.
        one: the first phrase.
        other: the second.
    """
    if how == "from":
        return combined(other, one, Form.minus)
    return combined(one, other, {"plus": Form.plus, "minus": Form.minus, "times": Form.times, "over": Form.over}[how])
