"""Points for the origins of the numbers in a worked solution: of each alone, and of all together.

`Evidence` compares words: those of a solution's line with those of the question's sentence, units, signs of money. It
also knows habits: a result is used soon after it was found, a divisor of 2 is the half of the text, "twice" multiplies.
`Weighing` adds points of all choices together. The weights were set by reading solutions.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import assert_never

from draw_dataset.reading.answer import ParsedAnswer
from draw_dataset.reading.provenance import CONSTANTS, SCALES, NumberOrigins
from draw_dataset.reading.quantities import (
    Change,
    ConstantOrigin,
    Literal,
    NameOrigin,
    Node,
    Origin,
    PairOrigin,
    RestOrigin,
    ResultOrigin,
    Sign,
    TextOrigin,
    as_written,
    is_bare,
    is_plain,
    literals_of,
    numbers_of,
    results_of,
)
from draw_dataset.text.lexicon import BELOW_HUNDRED, split_words, stem
from draw_dataset.text.numbers import FoundNumber
from draw_dataset.text.units import COUNTED, HALF_OR_DOUBLE, name_of_constant

# Numbers of equal value are told apart by what they count: the 4 of "$4 each time she mows the lawn" is meant where a
# solution mentions mowing. Words are compared by their stems; words that are everywhere do not count.

_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")
_STOP = re.compile(r"[.?!](?=\s|$)|\n")
_COMMON = frozenset(
    split_words(
        "a an the of and or to in on at by for from with is are was were be been has have had do does did will would "
        "can could it its he she they we you i his her their our my your this that these those there then than so if "
        "when while as but not no all some any more much many how what which who each every per total left get got "
        "give also after before first another other one two three up out off into them him us me about because since "
        "thus therefore now only just very own make made take took times"
    )
)

NEAR = 8  # words on either side of a number that speak of it
OWN = 4  # words before a number that speak of it alone, if no other number stands between


def stems_of(text: str, most: int | None = None) -> frozenset[str]:
    """Return the stems of the first words of a text, without the common ones.

    >>> sorted(stems_of(" of the red pens that she has", 4))
    ['pen', 'red']
    """
    return frozenset(stem(word) for word in _WORD.findall(text)[:most] if word.lower() not in _COMMON)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands around a number of a question."""

    unit: str  # the stem of the first word after it that says something; empty if there is none
    units: frozenset[str]  # the stems of the words right after it
    own: frozenset[str]  # the stems of the words around it that no other number stands nearer to
    near: frozenset[str]  # those of the words near it in its sentence
    sentence: frozenset[str]  # those of its sentence
    after: str  # what follows it, a few words
    dollars: bool  # whether it is an amount of money
    percent: bool  # whether it is a percentage


def surroundings_of(question: str, numbers: Sequence[FoundNumber]) -> list[Surroundings]:
    """Return the surroundings of each number of a question."""
    words = [(match.start(), match.group()) for match in _WORD.finditer(question)]
    starts = [start for start, _ in words]
    stems = ["" if word.lower() in _COMMON else stem(word) for _, word in words]
    stops = [match.end() for match in _STOP.finditer(question)]
    borders = [0, *(bisect_left(starts, number.end) for number in numbers), len(words)]
    found = []
    for place, number in enumerate(numbers):
        first = bisect_right(stops, number.start)
        begin = stops[first - 1] if first else 0
        end = stops[first] if first < len(stops) else len(question)
        low, high = bisect_left(starts, begin), bisect_left(starts, end)
        before, after = bisect_left(starts, number.start), bisect_left(starts, number.end)
        following = question[number.end : number.end + 10].lstrip(" -").lower()
        behind = stems[after : min(after + 3, high, borders[place + 2])]
        own = stems[max(low, borders[place], before - OWN) : min(after + NEAR, high, borders[place + 2])]
        found.append(
            Surroundings(
                unit=next(filter(None, behind), ""),
                units=_nonempty(behind),
                own=_nonempty(own),
                near=_nonempty(stems[max(low, before - NEAR) : min(after + NEAR, high)]),
                sentence=_nonempty(stems[low:high]),
                after=question[number.end : min(number.end + 24, end)],
                dollars=question[: number.start].rstrip().endswith("$")
                or question[number.end :].lstrip()[:6].lower() == "dollar",
                percent=following.startswith(("%", "percent", "per cent")),
            )
        )
    return found


def _nonempty(stems: Sequence[str]) -> frozenset[str]:
    return frozenset(filter(None, stems))


# A number of a solution is explained by the word right after it (5 bags), its sign of money, the words of its line, and
# the same value elsewhere on it: "Ann buys 5 bags, so she pays 5*3" says that the 5 of the calculation are bags.

MAX_PROSE = 20_000  # characters of a solution in which values are looked for
MAX_MENTIONS = 20  # places of one value that are looked at
MAX_NUMERALS = 40  # numerals of one line that are looked at

_NO_WORD = re.compile(r"[\d+*/=;,.()\n]|-(?=\s|\d)")
_NUMERAL = re.compile(r"\d{1,12}(?:\.\d{1,8})?")
_SPOKEN = re.compile(
    r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+(?:\.\d{1,8})?|\d{0,12}\.?\d{1,12}|[a-z]{2,9}(?:-[a-z]{3,5})?)(?!\w)",
    re.IGNORECASE,
)
_NOTHING: frozenset[str] = frozenset()


class Lines:
    """The lines of a worked solution, and the words around its numbers."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines: dict[int, tuple[str, frozenset[str]]] = {}
        self._units: dict[int, frozenset[str]] = {}
        self._spoken: dict[tuple[int, int], list[tuple[int, int]]] | None = None  # where each value begins and ends

    def line(self, start: int) -> str:
        """Return the line of a place."""
        return self._line(start)[0]

    def words(self, start: int) -> frozenset[str]:
        """Return the stems of the words of the line of a place."""
        return self._line(start)[1]

    def _line(self, start: int) -> tuple[str, frozenset[str]]:
        begin = self._text.rfind("\n", 0, start) + 1
        found = self._lines.get(begin)
        if found is None:
            end = self._text.find("\n", start)
            line = self._text[begin : end if end >= 0 else len(self._text)]
            self._lines[begin] = found = line, stems_of(line)
        return found

    def has_numeral(self, start: int, value: Fraction) -> bool:
        """Return True if a value stands on the line of a place, in digits."""
        numerals = _NUMERAL.findall(self.line(start).replace(",", ""))
        return any(Fraction(numeral) == value for numeral in numerals[:MAX_NUMERALS])

    def unit(self, end: int) -> frozenset[str]:
        """Return the stems of the words right after a place, up to a sign or a number."""
        found = self._units.get(end)
        if found is None:
            stop = _NO_WORD.search(self._text, end, end + 30)
            self._units[end] = found = stems_of(self._text[end : stop.start() if stop else end + 30], 4)
        return found

    def units(self, literal: Literal) -> frozenset[str]:
        """Return the stems right after a number, or after the same value before it on its line."""
        units = self.unit(literal.end)
        if units:
            return units
        return _NOTHING.union(*(unit for _, unit in self._on_line_before(literal)))

    def counted(self, literal: Literal) -> frozenset[str]:
        """Return the units of a value elsewhere on a number's line: friends for the 3 of "3 friends, so 12/3"."""
        begin = self._text.rfind("\n", 0, literal.start)
        end = self._text.find("\n", literal.end)
        end = end if end >= 0 else len(self._text)
        return _NOTHING.union(*(unit for at, unit in self._mentions(literal.value) if begin < at < end))

    def has_sign(self, start: int) -> bool:
        """Return True if a sign of money stands before a place."""
        return self._text[max(0, start - 3) : start].rstrip().endswith("$")

    def is_money(self, literal: Literal) -> bool:
        """Return True if a number has a sign of money, or is written with one elsewhere on its line."""
        if self.has_sign(literal.start):
            return True
        before = self._on_line_before(literal)
        return bool(before) and all(self.has_sign(start) for start, _ in before)

    def _on_line_before(self, literal: Literal) -> list[tuple[int, frozenset[str]]]:
        """Return where the value of a number stands before it on its line, and the words after it there."""
        begin = self._text.rfind("\n", 0, literal.start)
        return [(at, unit) for at, unit in self._mentions(literal.value) if begin < at < literal.start]

    def find_mention(self, literal: Literal, units: frozenset[str]) -> str:
        """Return where a number's value stands with one of some units: on its ``line``, ``before`` it, or nowhere."""
        begin = self._text.rfind("\n", 0, literal.start)
        end = self._text.find("\n", literal.end)
        found = ""
        for start, spoken in self._mentions(literal.value):
            if spoken & units and (start < end or end < 0):
                if start > begin:
                    return "line"
                found = "before"
        return found

    def _mentions(self, value: Fraction) -> Sequence[tuple[int, frozenset[str]]]:
        """Return where a value stands in the solution, and the words after it."""
        if self._spoken is None:
            self._spoken = {}
            for match in _SPOKEN.finditer(self._text, 0, MAX_PROSE):
                spoken = _value(match.group())
                if spoken is not None:
                    places = self._spoken.setdefault(spoken.as_integer_ratio(), [])
                    if len(places) < MAX_MENTIONS:
                        places.append(match.span())
        return [(start, self.unit(end)) for start, end in self._spoken.get(value.as_integer_ratio(), ())]


def _value(word: str) -> Fraction | int | None:
    """Return the value of a number in digits or in words."""
    if word[0].isalpha():
        return BELOW_HUNDRED.get(word.lower())
    return int(word) if word.isdigit() else Fraction(word.replace(",", ""))


ADDED = ("", "whole")  # what is added, subtracted, or stands alone
MULTIPLIED = ("factor", "above", "divisor", "hundred")  # what is multiplied or divided, or divides


def roles_of(node: Node, literals: Sequence[Literal]) -> list[tuple[int, str]]:
    """Return the literals of a calculation in their order, each with its role there.

    ``whole``: a part is taken from it or added to it; ``hundred``: a part is multiplied by it, and it is 100;
    ``above``: it is divided; ``factor``, ``divisor``; else it is added, or stands alone.
    """
    found: list[tuple[int, str]] = []
    todo: list[tuple[Node, str]] = [(node, "")]
    while todo:
        part, role = todo.pop()
        if part[0] == "number":
            found.append((part[1], role))
        elif part[0] in ("+", "-"):
            left, right = part[1], part[2]
            todo.append((right, "whole" if _is_part(left, literals) else ""))
            todo.append((left, "whole" if _is_part(right, literals) else ""))
        elif part[0] == "/":
            todo += [(part[2], "divisor"), (part[1], "above")]
        elif part[0] == "*":
            left, right = part[1], part[2]
            todo.append((right, "hundred" if _is_hundred(right, literals) and _is_part(left, literals) else "factor"))
            todo.append((left, "hundred" if _is_hundred(left, literals) and _is_part(right, literals) else "factor"))
        elif part[0] != "name":
            todo += [(inner, role) for inner in reversed(part[1:]) if isinstance(inner, tuple)]
    return found


def _is_hundred(node: Node, literals: Sequence[Literal]) -> bool:
    return is_bare(node) and literals[literals_of(node)[0]].value == 100


def _is_part(node: Node, literals: Sequence[Literal]) -> bool:
    """Return True if an expression is a part of a whole: a fraction or a percentage."""
    if is_bare(node) and literals[literals_of(node)[0]].percent:
        return True
    value = as_written(node, list(literals))
    return value is not None and value.denominator > 1 and 0 < abs(value) < 1


_HUNDREDTH = Fraction(1, 100)
_HALF = Fraction(1, 2)
_OF_A_DOZEN = Fraction(1, 12)


class Evidence:
    """Points for the origins of a solution's numbers, one calculation after the other."""

    def __init__(
        self,
        question: str,
        parsed: ParsedAnswer,
        numbers: Sequence[FoundNumber],
        around: Sequence[Surroundings],
        twin: Sequence[int],
    ) -> None:
        self._question = question
        self._setup = parsed.setup
        self.lines = Lines(parsed.plain.text)
        self._numbers = numbers
        self._around = around
        self._twin = twin
        self._words = stems_of(question)
        self.square = _SQUARE.search(question) is not None
        self._halves = any(n.value == _HALF or (n.value == 2 and n.kind == "multiplier") for n in numbers)
        self._percents = any(of.percent for of in around)
        values = [number.value for number in numbers]
        self._percentages = [(i, value) for i, value in enumerate(values) if around[i].percent]
        self._dozens = [(i, n.value) for i, n in enumerate(numbers) if n.kind == "scale" and "dozen" in n.text.lower()]
        # the numbers of each whole value
        self._wholes: dict[int, list[int]] = {}
        for i, value in enumerate(values):
            if value.denominator == 1:
                self._wholes.setdefault(value.numerator, []).append(i)

    def begin(self, index: int, node: Node) -> None:
        """Prepare for the numbers of a calculation that has so many results before it."""
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
            origins = self._setup.origins[index]
            there = {origin.number for origin in origins if isinstance(origin, TextOrigin) and is_plain(origin)}
            if len(there) == 1 and not any(isinstance(origin, ResultOrigin) for origin in origins):
                found.add(there.pop())
        return found

    def more(self, literal: Literal, origins: NumberOrigins) -> list[Origin]:
        """Return origins that a reader of answers does without: a fourth for 25 %, a product that is 100."""
        if literal.percent or not literal.value:
            return []
        value = literal.value
        found: list[Origin] = [
            TextOrigin(i, Change(Fraction(100), inverse=True))
            for i, number in self._percentages
            if number not in (0, 1, 100) and value * number == 100
        ]
        found += [TextOrigin(i, Change(_OF_A_DOZEN)) for i, number in self._dozens if number == 12 * value]
        if literal.value in CONSTANTS and literal.value > 2:
            found += [origin for origin in origins.of_two(literal) if origin.sign == "*"]
        if value.denominator == 1 and value > 1:
            # All but one: the four other phones of five.
            found += [TextOrigin(i, Change(offset=Fraction(-1))) for i in self._wholes.get(value.numerator + 1, ())]
        return found

    def points(self, literal: Literal, origin: Origin, role: str) -> float:
        """Return the points of one origin of a literal."""
        match origin:
            case ConstantOrigin():
                return self._of_constant(literal, role)
            case ResultOrigin():
                return self._of_result(literal, origin, role)
            case NameOrigin():
                return 3.0
            case TextOrigin():
                return self._of_text(literal, origin, role)
            case RestOrigin():
                return 0.3 + self._said_of(literal, origin.number) / 5
            case PairOrigin():
                return self._of_pair(literal, origin)
            case _:
                assert_never(origin)

    def _of_pair(self, literal: Literal, origin: PairOrigin) -> float:
        one, other = self._numbers[origin.first], self._numbers[origin.second]
        if one.value == 1 or other.value == 1:
            first, second = self._around[origin.first].unit, self._around[origin.second].unit
            return 2.0 if origin.sign == "+" and first == second != "" else -2.0
        points = _PAIR_POINTS[origin.sign]
        listed = abs(one.index - other.index) == 1 and one.sentence == other.sentence
        if literal.value.denominator == 1 and literal.value <= COUNTED and not (listed and origin.sign == "+"):
            points -= 1.0  # it may have been counted as well
        return points + (self._said_of(literal, origin.first) + self._said_of(literal, origin.second)) / 5

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

    def _of_result(self, literal: Literal, origin: ResultOrigin, role: str) -> float:
        points = 2.6 if origin.result < self._newest else 3.2
        if origin.change.offset or origin.change.scale not in (1, _HUNDREDTH, 100):
            points -= 1.5
        points += 0.3 if role == "above" else -0.3 if role == "divisor" else 0.0
        stated = self._setup.results[origin.result].stated
        unit, line = self.lines.unit(stated.end), self.lines.words(literal.start)
        if unit & self.lines.units(literal):
            points += 0.8
        elif unit and not unit & line:
            points -= 0.4
        if self.lines.is_money(literal):
            points += 0.4 if self.lines.has_sign(stated.start) else -0.3
        found_on = self.lines.words(stated.start)
        points += 0.25 * min(4, len(found_on & (line | self._speaking)))
        return points - 0.15 * min(6, self._index - origin.result)

    def _of_text(self, literal: Literal, origin: TextOrigin, role: str) -> float:
        number, around = self._numbers[origin.number], self._around[origin.number]
        plain = is_plain(origin)
        points = 2.0 if plain else self._of_form(literal, origin, role)
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
        # The earlier of two is meant if nothing else tells them apart.
        words = self._said_of(literal, origin.number)
        shifted = origin.change.offset and not around.percent
        return points + (0.4 * words if shifted else words) - 0.01 * origin.number

    def _of_form(self, literal: Literal, origin: TextOrigin, role: str) -> float:
        """Return the points of a number of the text in another form."""
        number, around, change = self._numbers[origin.number], self._around[origin.number], origin.change
        mentioned = 1.5 * (number.value != literal.value and self.lines.has_numeral(literal.start, number.value))
        if change.inverse:
            if change.scale == 1:
                if not 0 < number.value < 1 or number.kind != "fraction":
                    return -0.5
                said = literal.value == 2 and _DOUBLE.search(self.lines.line(literal.start)) is not None
                return (2.2 if role == "divisor" else 1.4 if role == "factor" else -0.5) + 1.2 * said
            return 0.8 + mentioned if change.scale == 100 else -1.5
        if change.offset:
            if abs(change.offset) == 1 and change.scale == 1:
                if 0 < number.value < 1 and not around.percent:
                    return 1.2 + mentioned
                if number.value == 1:
                    return -3.0  # two is not one more than one
                if change.offset == 1 and any(
                    n.value == 1 and a.unit == around.unit != ""
                    for n, a in zip(self._numbers, self._around, strict=True)
                ):
                    return -1.5  # that one is meant
                others = _OTHERS.search(self.lines.line(literal.start)) is not None
                return -1.5 if around.percent else 0.6 if others or change.offset == 1 else -1.5
            return 1.2 + mentioned if around.percent or 0 < number.value < 1 else -1.5
        if change.scale == _HUNDREDTH:
            return 2.5 + mentioned if around.percent else 2.5 if around.units & _CENTS else -1.0
        if abs(change.scale) == 1:
            return 1.0
        if change.scale == _OF_A_DOZEN and number.kind == "scale":
            return 2.0 if "dozen" in self.lines.line(literal.start).lower() else 0.5
        if change.scale in SCALES and name_of_constant(change.scale, around.after):
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
            points += _MENTIONED[self.lines.find_mention(literal, around.units)]
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
_PAIR_POINTS: Mapping[Sign, float] = {"*": 0.6, "+": 0.0, "-": -0.1, "/": -0.6}
_MENTIONED = {"line": 1.2, "before": 0.3, "": 0.0}  # points for a unit that stands after the same value elsewhere


# All origins together get points for what people do when they write a solution down: every result is used, numbers of
# the text are used once and in their order, what is added counts the same things, and what is multiplied does not.

Option = tuple[float, Origin]  # an origin and its points
Which = tuple[int, ...]  # which option each number has


@dataclass(slots=True)
class Calculation:
    """A calculation or a side of an equation."""

    index: int  # how many results there are before it
    roles: list[tuple[int, str]]  # its literals, each with what it does there


@dataclass(frozen=True, slots=True)
class OriginChoices:
    """The origins that the numbers of a solution may have."""

    literals: Sequence[Literal]  # the numbers of the solution
    options: Mapping[int, Sequence[Option]]  # for each literal that counts, the best first
    calculations: Sequence[Calculation]  # those in which they are
    numbers: Sequence[FoundNumber]  # the numbers of the text
    around: Sequence[Surroundings]  # what stands around each of them
    units: Sequence[frozenset[str]]  # what each result counts, as far as words after it say so
    needed: frozenset[int]  # the results that must be used somewhere
    reached: Callable[[Mapping[int, Origin]], Set[int]]  # the literals that the result comes from, given their origins
    square: bool  # whether the text mentions areas, where a number is multiplied by itself


class Weighing:
    """Points of choices, each given by which option every number has."""

    def __init__(self, choices: OriginChoices) -> None:
        self.choices = choices
        self.order = list(choices.options)  # the literals, in the order in which a choice names their options
        self.options = [choices.options[literal] for literal in self.order]  # the options of each
        place = {literal: at for at, literal in enumerate(self.order)}
        self.roles = {place[literal]: role for c in choices.calculations for literal, role in c.roles}
        keys: dict[Origin, int] = {}
        # for each option a number that is the same for the same origin
        self.keys = [[keys.setdefault(origin, len(keys)) for _, origin in options] for options in self.options]
        # the places of literals that have several options
        self.open = [at for at, options in enumerate(self.options) if len(options) > 1]
        # the places of the literals of each calculation
        self.calculations = [tuple(place[literal] for literal, _ in c.roles) for c in choices.calculations]
        self._known: list[dict[Which, tuple[float, Which, Which]]] = [{} for _ in choices.calculations]
        self._usable = {
            origin.number
            for options in self.options
            for _, origin in options
            if isinstance(origin, TextOrigin) and (is_plain(origin) or origin.change.inverse)
        }
        self._unused = {number: _cost_unused(choices.numbers[number]) for number in self._usable}
        self._is_share = [
            number.kind in ("fraction", "multiplier") or around.percent or around.after.lstrip().startswith("times")
            for number, around in zip(choices.numbers, choices.around, strict=True)
        ]
        self._of_result = {c.index: places for c, places in zip(choices.calculations, self.calculations, strict=True)}
        self._shares = [
            (at, above)
            for places in self.calculations
            for at in places
            for above in places
            if self.roles[at] == "divisor" and self.roles[above] == "above" and len(self.options[at]) > 1
        ]
        by_value: dict[Fraction, list[int]] = {}
        for at in self.open:
            by_value.setdefault(choices.literals[self.order[at]].value, []).append(at)
        self.groups = [listed[:8] for listed in by_value.values() if len(listed) > 1]  # open places of equal value
        self._totals: dict[Which, float] = {}
        self.weighed = 0  # how many choices were weighed so far, those that were weighed again among them

    def origins(self, which: Which) -> dict[int, Origin]:
        """Return the origin of each literal in a choice."""
        return {literal: options[at][1] for literal, options, at in zip(self.order, self.options, which, strict=True)}

    def total(self, which: Which) -> float:
        """Return the points of a choice."""
        self.weighed += 1
        total = self._totals.get(which)
        if total is None:
            self._totals[which] = total = self._weigh(which)
        return total

    def _weigh(self, which: Which) -> float:
        total = 0.0
        uses: dict[int, int] = {}
        results: dict[int, int] = {}
        for places, known in zip(self.calculations, self._known, strict=True):
            here = tuple([which[at] for at in places])
            found = known.get(here)
            if found is None:
                known[here] = found = self._of_calculation(places, here)
            total += found[0]
            for number in found[1]:
                uses[number] = uses.get(number, 0) + 1
            for result in found[2]:
                results[result] = results.get(result, 0) + 1
        for count in uses.values():
            total -= 0.5 * (count - 1)
        for count in results.values():
            total -= 0.5 * min(2, count - 1)
        for number in self._usable:
            if number not in uses:
                total -= self._unused[number]
        return total - 1.8 * len(self.choices.needed - results.keys()) - self._of_order(which) - self._of_shares(which)

    def _of_calculation(self, places: Which, which: Which) -> tuple[float, tuple[int, ...], tuple[int, ...]]:
        """Return the points of one calculation, and the numbers and the results that it uses."""
        total = 0.0
        here: dict[int, str] = {}
        plain: list[tuple[int, str]] = []
        found: list[tuple[int, str]] = []
        uses: list[int] = []
        results: list[int] = []
        for at, option in zip(places, which, strict=True):
            points, origin = self.options[at][option]
            role = self.roles[at]
            total += points
            if isinstance(origin, ConstantOrigin):
                continue
            key = self.keys[at][option]
            if key in here:
                square = self.choices.square and len(places) == 2
                twice = role in MULTIPLIED and here[key] in MULTIPLIED and not square
                total -= 2.5 if twice else 1.0
            here[key] = role
            results += results_of(origin)
            uses += numbers_of(origin)
            if isinstance(origin, TextOrigin):
                plain.append((origin.number, role))
            elif isinstance(origin, ResultOrigin):
                found.append((origin.result, role))
        total += self._of_units(plain) + self._of_result_units(plain, found)
        return total, tuple(uses), tuple(results)

    def _of_units(self, plain: Sequence[tuple[int, str]]) -> float:
        """Return the points of numbers of the text that stand in one calculation."""
        total = 0.0
        for (one, role), (other, other_role) in combinations(plain[:12], 2):
            a, b = self.choices.around[one], self.choices.around[other]
            alike = bool(a.unit) and a.unit == b.unit and not (self._is_share[one] or self._is_share[other])
            if role in ADDED and other_role in ADDED:
                total += 0.5 * alike + (0.4 if a.dollars and b.dollars else -0.4 if a.dollars != b.dollars else 0.0)
            elif role == other_role == "factor":
                if (alike and not self.choices.square) or (a.dollars and b.dollars):
                    total -= 1.2
                    continue
                total += 0.4 * alike
            else:
                continue
            if abs(one - other) == 1 and self.choices.numbers[one].sentence == self.choices.numbers[other].sentence:
                total += 0.4
        return total

    def _of_result_units(self, plain: Sequence[tuple[int, str]], found: Sequence[tuple[int, str]]) -> float:
        """Return the points of numbers of the text that stand in one calculation with results."""
        total = 0.0
        for number, role in plain[:12]:
            unit = self.choices.around[number].unit
            for result, other_role in found[:12]:
                if unit and unit in self.choices.units[result] and not self._is_share[number]:
                    added = role in ADDED and other_role in ADDED
                    total += 0.3 if added else -0.6 if role == other_role == "factor" else 0.0
        return total

    def _of_shares(self, which: Which) -> float:
        """Return the cost of sums that are divided by one of their own addends: who shares is seldom what is shared."""
        total = 0.0
        for at, above in self._shares:
            number, whole = self.options[at][which[at]][1], self.options[above][which[above]][1]
            if not isinstance(number, TextOrigin) or not isinstance(whole, ResultOrigin):
                continue
            for place in self._of_result.get(whole.result, ()):
                origin = self.options[place][which[place]][1]
                added = self.roles[place] in ADDED
                if added and isinstance(origin, TextOrigin) and origin.number == number.number:
                    total += 3.0
                    break
        return total

    def _of_order(self, which: Which) -> float:
        """Return the cost of numbers of equal value that are first used in another order than in the text."""
        total = 0.0
        for group in self.groups:
            first: list[int] = []
            for at in group:
                origin = self.options[at][which[at]][1]
                if isinstance(origin, TextOrigin) and origin.number not in first:
                    total += 0.3 * sum(number > origin.number for number in first)
                    first.append(origin.number)
        return total


def _cost_unused(number: FoundNumber) -> float:
    """Return the cost of not using a number; "one" and "two" are often said without being meant."""
    if number.kind != "word":
        return 1.0
    return 0.2 if number.value <= 2 else 0.5
