"""The question: how likely is it that one number of a worked solution comes from one source, looked at alone.

Points are given for what the words say: the words of a line are those of the sentence that its numbers stand in, units
stand after both, amounts of money have their sign. And for what people do: a result is used soon after it was found;
a divisor of 2 or 4 is the half or the quarter of the text, and a fourth its 25 %, if the line mentions that; one is
the whole where something is a part of it, and a number of the text where something is counted; "twice" multiplies. The
weights were set by reading solutions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from draw_dataset.answers.reading import Work
from draw_dataset.answers.sources import CONSTANTS, SCALES, TextSources
from draw_dataset.core.quantities import Literal, Node, Source, literals_of
from draw_dataset.sources.constants import COUNTED, HALF_OR_DOUBLE, name_of_constant
from draw_dataset.sources.lines import Lines
from draw_dataset.sources.roles import ADDED, MULTIPLIED, is_plain
from draw_dataset.sources.words import Surroundings, stems_of
from draw_dataset.text import FoundNumber

_HUNDREDTH = Fraction(1, 100)
_HALF = Fraction(1, 2)
_OF_A_DOZEN = Fraction(1, 12)
_NOTHING: frozenset[str] = frozenset()


class Evidence:
    """Points for the sources of a solution's numbers, one calculation after the other.

    Args:
        question: the text.
        work: the solution, taken apart.
        numbers: the numbers of the text.
        around: what stands around each of them.
        twin: for each result the first that is the same calculation.
    """

    def __init__(
        self,
        question: str,
        work: Work,
        numbers: Sequence[FoundNumber],
        around: Sequence[Surroundings],
        twin: Sequence[int],
    ) -> None:
        self._question = question
        self._setup = work.setup
        self.lines = Lines(work.plain.text)
        self._numbers = numbers
        self._around = around
        self._twin = twin
        self._words = stems_of(question)
        self.square = _SQUARE.search(question) is not None
        self._halves = any(n.value == _HALF or (n.value == 2 and n.kind == "multiplier") for n in numbers)
        self._index = 0
        self._newest = -1
        self._sentences: set[int] = set()
        self._speaking = _NOTHING
        self._hundredths = False
        self._whole = False
        self._converts = False
        self._settled_percents = False
        self._gives = _NOTHING
        self._percents = any(of.percent for of in around)

    def begin(self, index: int, node: Node) -> None:
        """Say which calculation comes next.

        Args:
            index: how many results there are before it.
            node: the calculation.
        """
        self._index = index
        self._newest = max(self._twin[:index], default=-1)
        settled = self._settled(node)
        self._sentences = {self._numbers[of].sentence for of in settled}
        self._speaking = _NOTHING.union(*(self._around[of].near for of in settled))
        literals = [self._setup.literals[i] for i in literals_of(node)]
        self._hundredths = any(literal.value in (_HUNDREDTH, 100) for literal in literals)
        self._whole = any(literal.percent and literal.value == 100 for literal in literals)
        self._converts = any(not literal.end for literal in literals)
        after = self._setup.results[index].stated.end if index < len(self._setup.results) else 0
        self._gives = self.lines.unit(after) if after else _NOTHING
        self._settled_percents = any(self._around[of].percent for of in settled)

    def _settled(self, node: Node) -> set[int]:
        """Return the numbers of the text that a calculation has for certain: those that have its value alone."""
        found = set()
        for index in literals_of(node):
            sources = self._setup.sources[index]
            there = {source.of for source in sources if source.kind == "text" and is_plain(source)}
            if len(there) == 1 and not any(source.kind == "result" for source in sources):
                found.add(there.pop())
        return found

    def more(self, literal: Literal, sources: TextSources) -> list[Source]:
        """Return sources that a reader of answers does without: a fourth for 25 %, a product that is 100."""
        if literal.percent or not literal.value:
            return []
        found = [
            Source("text", i, Fraction(100), inverse=True)
            for i, number in enumerate(self._numbers)
            if self._around[i].percent and number.value not in (0, 1, 100) and literal.value * number.value == 100
        ]
        found += [
            Source("text", i, _OF_A_DOZEN)
            for i, number in enumerate(self._numbers)
            if number.kind == "scale" and "dozen" in number.text.lower() and number.value == 12 * literal.value
        ]
        if literal.value in CONSTANTS and literal.value > 2:
            found += [source for source in sources.of_two(literal) if source.kind == "product"]
        if literal.value.denominator == 1 and literal.value > 1:
            # All but one: the four other phones of five.
            found += [
                Source("text", i, offset=Fraction(-1))
                for i, number in enumerate(self._numbers)
                if number.value == literal.value + 1
            ]
        return found

    def points(self, literal: Literal, source: Source, role: str) -> float:
        """Return the points of one source of a literal."""
        if source.kind == "constant":
            return self._of_constant(literal, role)
        if source.kind == "result":
            return self._of_result(literal, source, role)
        if source.kind == "name":
            return 3.0
        if source.kind == "text":
            return self._of_text(literal, source, role)
        if source.kind == "rest":
            return 0.3 + self._said_of(literal, source.of[0]) / 5
        if any(self._numbers[of].value == 1 for of in source.of):
            first, second = (self._around[of].unit for of in source.of)
            return 2.0 if source.kind == "sum" and first == second != "" else -2.0
        points = {"product": 0.6, "sum": 0.0, "difference": -0.1, "quotient": -0.6}[source.kind]
        one, other = (self._numbers[of] for of in source.of)
        listed = abs(one.index - other.index) == 1 and one.sentence == other.sentence
        if literal.value.denominator == 1 and literal.value <= COUNTED and not (listed and source.kind == "sum"):
            points -= 1.0  # it may have been counted as well
        return points + sum(self._said_of(literal, of) for of in source.of) / 5

    def _of_constant(self, literal: Literal, role: str) -> float:
        value = literal.value
        if value == _HUNDREDTH or (value == 100 and (literal.percent or role == "whole")):
            return 4.0
        line = self.lines.line(literal.start)
        if value == 100 and role == "hundred":
            return 1.6
        if value == 100 and self._settled_percents and role == "":
            return 4.0  # 100 - 60, where the text has 60 %
        if value == 100 and role == "divisor" and self._whole and any(n.value == 100 for n in self._numbers):
            return 1.0  # 25/100 * 100 %: one of them is a number of the text
        if value == 100:
            return (3.0 if name_of_constant(value, line) else 2.2) if role in ("factor", "divisor") else -0.5
        if value == 1:
            return 4.5 if self._converts else 3.0 if role in ("whole", "above") else 0.8
        if value == 0:
            return 3.0
        name = name_of_constant(value, line)
        if name == HALF_OR_DOUBLE and self._halves:
            return 1.0  # that of the text
        if name:
            return 3.0 if value >= 7 and role in MULTIPLIED else 2.4
        if name_of_constant(value, self._question):
            return 1.4
        if value == 2 and len({day.lower() for day in _WEEKDAYS.findall(line)}) != 2:
            return 0.5
        if value.denominator > 1 or value > COUNTED:
            return -1.5
        if len({day.lower() for day in _WEEKDAYS.findall(line)}) == value and role in MULTIPLIED:
            return 3.6  # the days that are listed
        units = self.lines.counted(literal)
        alike = [self._around[i] for i, number in enumerate(self._numbers) if number.value == value]
        if units and not units & self._words:
            return 1.2  # of which the text does not speak
        # The solution counts something that no number of the text counts.
        return 0.3 if units and not any(units & around.near for around in alike) else -0.5

    def _of_result(self, literal: Literal, source: Source, role: str) -> float:
        points = 2.6 if source.of < self._newest else 3.2
        if source.offset or source.scale not in (1, _HUNDREDTH, 100):
            points -= 1.5
        points += 0.3 if role == "above" else -0.3 if role == "divisor" else 0.0
        stated = self._setup.results[source.of].stated
        unit, line = self.lines.unit(stated.end), self.lines.words(literal.start)
        if unit & self.lines.units(literal):
            points += 0.8
        elif unit and not unit & line:
            points -= 0.4
        if self.lines.is_money(literal):
            points += 0.4 if self.lines.has_sign(stated.start) else -0.3
        found_on = self.lines.words(stated.start)
        points += 0.25 * min(4, len(found_on & (line | self._speaking)))
        age: int = self._index - source.of
        return points - 0.15 * min(6, age)

    def _of_text(self, literal: Literal, source: Source, role: str) -> float:
        number, around = self._numbers[source.of], self._around[source.of]
        plain = is_plain(source)
        points = 2.0 if plain else self._of_form(literal, source, role)
        if literal.value == 1 and plain:
            points -= 3.0 if role in ("whole", "above") else 1.0 if number.kind in ("word", "article") else 0.0
        if number.kind in ("coin", "parity", "article"):
            points -= 0.3
        if plain and around.percent and not literal.percent and not self._hundredths:
            points -= 1.5
        if plain and self._hundredths and self._percents and not literal.percent and literal.value != 100:
            points += 0.6 if around.percent else -0.3
        if _TIMES.match(around.after) or (number.kind == "multiplier" and not _EVERY.match(around.after)):
            said = _TIMES_SAID.search(self.lines.line(literal.start)) is not None
            points += (0.6 if said else 0.2) if role == "factor" else 0.0 if role == "divisor" else -0.8
        if number.kind == "rank":
            points -= 0.8
        if self._gives & around.units:
            points += 0.4 if role in ADDED else 0.2 if role == "factor" else 0.0
        if number.sentence in self._sentences:
            points += 0.4
        if plain and literal.text == number.text and not literal.text.isdigit():
            points += 0.8  # written alike, as 3.00
        rank: int = source.of
        # The earlier of two is meant if nothing else tells them apart.
        words = self._said_of(literal, rank)
        return points + (0.4 * words if source.offset and not around.percent else words) - 0.01 * rank

    def _of_form(self, literal: Literal, source: Source, role: str) -> float:
        """Return the points of a number of the text in another form."""
        number, around = self._numbers[source.of], self._around[source.of]
        mentioned = 1.5 * (number.value != literal.value and self.lines.has_numeral(literal.start, number.value))
        if source.inverse:
            if source.scale == 1:
                if not 0 < number.value < 1 or number.kind != "fraction":
                    return -0.5
                said = literal.value == 2 and _DOUBLE.search(self.lines.line(literal.start)) is not None
                return (2.2 if role == "divisor" else 1.4 if role == "factor" else -0.5) + 1.2 * said
            return 0.8 + mentioned if source.scale == 100 else -1.5
        if source.offset:
            if abs(source.offset) == 1 and source.scale == 1:
                if 0 < number.value < 1 and not around.percent:
                    return 1.2 + mentioned
                if number.value == 1:
                    return -3.0  # two is not one more than one
                if source.offset == 1 and any(
                    n.value == 1 and a.unit == around.unit != ""
                    for n, a in zip(self._numbers, self._around, strict=True)
                ):
                    return -1.5  # that one is meant
                others = _OTHERS.search(self.lines.line(literal.start)) is not None
                return -1.5 if around.percent else 0.6 if others or source.offset == 1 else -1.5
            return 1.2 + mentioned if around.percent or 0 < number.value < 1 else -1.5
        if source.scale == _HUNDREDTH:
            return 2.5 + mentioned if around.percent else 2.5 if around.units & _CENTS else -1.0
        if abs(source.scale) == 1:
            return 1.0
        if source.scale == _OF_A_DOZEN and number.kind == "scale":
            return 2.0 if "dozen" in self.lines.line(literal.start).lower() else 0.5
        if source.scale in SCALES and name_of_constant(source.scale, around.after):
            return -2.5 if name_of_constant(literal.value, self.lines.line(literal.start)) else 0.2
        return -6.0  # whatever the words say

    def _said_of(self, literal: Literal, index: int) -> float:
        """Return the points for words that a number of the text and a number of the solution share."""
        around, words = self._around[index], self.lines.words(literal.start)
        points = 0.3 * min(4, len(words & around.near)) + 0.15 * min(4, len(words & around.sentence))
        points += 0.25 * min(3, len(words & around.own))
        units, signed = self.lines.unit(literal.end), self.lines.has_sign(literal.start)
        if units:
            points += 1.2 if units & around.units else -0.5 if around.units else 0.0
            points += 0.4 * bool(units & around.near)
        elif around.units and (around.dollars or not signed):
            points += _MENTIONED[self.lines.mentioned(literal, around.units)]
        if signed:
            points += 0.6 if around.dollars else -1.2 if around.units else -0.4
        elif self.lines.is_money(literal):
            points += 0.6 if around.dollars else -0.4
        return points


_DOUBLE = re.compile(r"\b(?:half|halv\w+|doubl\w+|twice)\b", re.IGNORECASE)
_CENTS = frozenset(("cent", "penny", "penni"))
_TIMES = re.compile(r"\s+times\b", re.IGNORECASE)
_OTHERS = re.compile(
    r"\b(?:others?|another|additional|extra|rest|remain\w*|else|except|but|first|already|more|left)\b", re.IGNORECASE
)
_WEEKDAYS = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)
_TIMES_SAID = re.compile(r"\b(?:times|twice|doubl\w+|tripl\w+|thrice|half|as (?:much|many|old|long|\w+) as)\b", re.I)
_EVERY = re.compile(r"\s+(?:an?|per|each|every)\b", re.IGNORECASE)
_SQUARE = re.compile(r"\bsquar|\bcub|\barea\b", re.IGNORECASE)
_MENTIONED = {"line": 1.2, "before": 0.3, "": 0.0}
"""Points for a unit that stands after the same value elsewhere."""
