"""The question: how likely does one number of a worked solution come from one source, all others aside.

Points are given for what the words say: the words of a line are those of the sentence that its numbers stand in, units
stand after both, amounts of money have their sign. And for what people do: a result is used soon after it was found;
a divisor of 2 or 4 is the half or the quarter of the text, and a fourth its 25 %, if the line speaks of that; one is
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
from draw_dataset.sources.constants import name_of_constant
from draw_dataset.sources.roles import is_plain
from draw_dataset.sources.words import Surroundings, first_stem, stems_of
from draw_dataset.text import FoundNumber, find_numbers

MAX_PROSE = 20_000
"""Characters of a solution in which the words after numbers are looked for."""

_HUNDREDTH = Fraction(1, 100)
_HALF = Fraction(1, 2)
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
        self._text = work.plain.text
        self._numbers = numbers
        self._around = around
        self._twin = twin
        self._lines: dict[int, tuple[str, frozenset[str], frozenset[Fraction]]] = {}
        self._behind: dict[int, str] = {}
        self._spoken: dict[Fraction, list[tuple[int, str]]] | None = None
        self.square = _SQUARE.search(question) is not None
        self._halves = any(n.value == _HALF or (n.value == 2 and n.kind == "multiplier") for n in numbers)
        self._index = 0
        self._newest = -1
        self._sentences: set[int] = set()
        self._speaking = _NOTHING
        self._hundredths = False
        self._converts = False
        self._percents = False

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
        self._converts = any(not literal.end for literal in literals)
        self._percents = any(self._around[of].percent for of in settled)

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
            return self._of_result(literal, source)
        if source.kind == "name":
            return 3.0
        if source.kind == "text":
            return self._of_text(literal, source, role)
        if source.kind == "rest":
            return 0.3 + self._said_of(literal, source.of[0]) / 5
        if any(self._numbers[of].value == 1 for of in source.of):
            return -2.0
        points = {"product": 0.6, "sum": 0.0, "difference": -0.1, "quotient": -0.6}[source.kind]
        return points + sum(self._said_of(literal, of) for of in source.of) / 5

    def _of_constant(self, literal: Literal, role: str) -> float:
        value = literal.value
        if value == _HUNDREDTH or (value == 100 and (literal.percent or role == "whole")):
            return 4.0
        line = self._line(literal.start)[0]
        if value == 100 and role == "hundred":
            return 1.6
        if value == 100 and self._percents and role == "":
            return 4.0  # 100 - 60, where the text has 60 %
        if value == 100:
            return (3.0 if name_of_constant(value, line) else 2.2) if role in ("factor", "divisor") else -0.5
        if value == 1:
            return 4.5 if self._converts else 3.0 if role in ("whole", "above") else 0.8
        if value == 0:
            return 3.0
        if value == 2 and self._halves:
            return 1.0  # the half, or the double, of the text
        if name_of_constant(value, line):
            return 2.4
        if name_of_constant(value, self._question):
            return 1.4
        if value == 2:
            return 0.5
        return -0.5 if value.denominator == 1 and value <= 12 else -1.5

    def _of_result(self, literal: Literal, source: Source) -> float:
        points = 2.6 if source.of < self._newest else 3.2
        if source.offset or source.scale not in (1, _HUNDREDTH, 100):
            points -= 1.5
        stated = self._setup.results[source.of].stated
        unit, units = self._unit(stated.end), self._units(literal)
        if unit in units:
            points += 0.8
        if self._is_money(literal):
            points += 0.4 if self._has_sign(stated.start) else -0.3
        found_on = self._line(stated.start)[1]
        points += 0.25 * min(4, len(found_on & (self._line(literal.start)[1] | self._speaking)))
        age: int = self._index - source.of
        return points - 0.1 * min(8, age)

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
        if number.kind == "multiplier":
            points += 0.6 if role == "factor" else 0.0 if role == "divisor" else -0.8
        if number.sentence in self._sentences:
            points += 0.4
        if plain and literal.text == number.text and not literal.text.isdigit():
            points += 1.2  # written alike, as 3.00
        rank: int = source.of
        # The earlier of two is meant if nothing else tells them apart.
        return points + self._said_of(literal, rank) - 0.01 * rank

    def _of_form(self, literal: Literal, source: Source, role: str) -> float:
        """Return the points of a number of the text in another form."""
        number, around = self._numbers[source.of], self._around[source.of]
        mentioned = 1.5 * (number.value != literal.value and number.value in self._line(literal.start)[2])
        if source.inverse:
            if source.scale == 1:
                if not 0 < number.value < 1:
                    return -0.5
                said = literal.value == 2 and _DOUBLE.search(self._line(literal.start)[0]) is not None
                return (2.2 if role == "divisor" else 1.4 if role == "factor" else -0.5) + 1.2 * said
            return 0.8 + mentioned if source.scale == 100 else -1.5
        if source.offset:
            if around.percent or 0 < number.value < 1:
                return 1.2 + mentioned
            return 0.6 if abs(source.offset) == 1 and source.scale == 1 else -1.5
        if source.scale == _HUNDREDTH:
            return 2.5 + mentioned if around.percent else 2.5 if around.unit in ("cent", "penny") else -1.0
        if abs(source.scale) == 1:
            return 1.0
        if source.scale in SCALES and name_of_constant(source.scale, around.after):
            return -2.5 if name_of_constant(literal.value, self._line(literal.start)[0]) else 0.2
        return -2.5

    def _said_of(self, literal: Literal, index: int) -> float:
        """Return the points for words that a number of the text and a number of the solution share."""
        around, words = self._around[index], self._line(literal.start)[1]
        points = 0.3 * min(4, len(words & around.near)) + 0.15 * min(4, len(words & around.sentence))
        points += 0.25 * min(3, len(words & around.own))
        unit = self._unit(literal.end)
        if unit:
            points += 1.2 if unit == around.unit else -0.5 if around.unit else 0.0
            points += 0.4 * (unit in around.near)
        elif around.unit and (around.dollars or not self._has_sign(literal.start)):
            points += self._mentioned(literal, around.unit)
        if self._has_sign(literal.start):
            points += 0.6 if around.dollars else -1.2 if around.unit else -0.4
        elif self._is_money(literal):
            points += 0.6 if around.dollars else -0.4
        return points

    def _is_money(self, literal: Literal) -> bool:
        """Say whether a number has a sign of money, or is written with one elsewhere on its line."""
        if self._has_sign(literal.start):
            return True
        begin = self._text.rfind("\n", 0, literal.start)
        spoken = [start for start, _ in self._mentions(literal.value) if begin < start < literal.start]
        return bool(spoken) and all(map(self._has_sign, spoken))

    def _has_sign(self, start: int) -> bool:
        return self._text[max(0, start - 3) : start].rstrip().endswith("$")

    def _mentioned(self, literal: Literal, unit: str) -> float:
        """Return the points for a unit after the same value elsewhere on its line, or on lines before."""
        begin = self._text.rfind("\n", 0, literal.start)
        end = self._text.find("\n", literal.end)
        points = 0.0
        for start, spoken in self._mentions(literal.value):
            if spoken == unit and (start < end or end < 0):
                points = max(points, 1.2 if start > begin else 0.3)
        return points

    def _units(self, literal: Literal) -> set[str]:
        """Return what stands after a number, or after the same value before it on its line."""
        unit = self._unit(literal.end)
        if unit:
            return {unit}
        begin = self._text.rfind("\n", 0, literal.start)
        return {unit for start, unit in self._mentions(literal.value) if unit and begin < start < literal.start}

    def _mentions(self, value: Fraction) -> Sequence[tuple[int, str]]:
        """Return where a value stands in the solution, and the units after it."""
        if self._spoken is None:
            self._spoken = {}
            for number in find_numbers(self._text[:MAX_PROSE]):
                self._spoken.setdefault(number.value, []).append((number.start, self._unit(number.end)))
        return self._spoken.get(value, ())[:20]

    def _unit(self, end: int) -> str:
        found = self._behind.get(end)
        if found is None:
            stop = _NO_WORD.search(self._text, end, end + 30)
            self._behind[end] = found = first_stem(self._text[end : stop.start() if stop else end + 30])
        return found

    def _line(self, start: int) -> tuple[str, frozenset[str], frozenset[Fraction]]:
        """Return the line of a place, its words and its numerals."""
        begin = self._text.rfind("\n", 0, start) + 1
        found = self._lines.get(begin)
        if found is None:
            end = self._text.find("\n", start)
            line = self._text[begin : end if end >= 0 else len(self._text)]
            values = frozenset(Fraction(value) for value in _NUMERAL.findall(line.replace(",", ""))[:40])
            self._lines[begin] = found = line, stems_of(line), values
        return found


_DOUBLE = re.compile(r"\b(?:half|halv\w+|doubl\w+|twice)\b", re.IGNORECASE)
_SQUARE = re.compile(r"\bsquar|\bcub|\barea\b", re.IGNORECASE)
_NO_WORD = re.compile(r"[\d+*/=;,.()\n]|-(?=\s|\d)")
_NUMERAL = re.compile(r"\d{1,12}(?:\.\d{1,8})?")
