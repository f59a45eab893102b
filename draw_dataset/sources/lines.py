"""The question: which words of a worked solution say what a number in it means.

A number is explained by the word right after it (5 bags), by its sign of money, by the words of its line, and by the
same value elsewhere on its line: "Ann buys 5 bags, so she pays 5*3" says that the 5 of the calculation are bags.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from draw_dataset.core.quantities import Literal
from draw_dataset.sources.words import first_stems, stems_of
from draw_dataset.text.lexicon import BELOW_HUNDRED

MAX_PROSE = 20_000
"""Characters of a solution in which values are looked for."""

MAX_MENTIONS = 20
"""Places of one value that are looked at."""

MAX_NUMERALS = 40
"""Numerals of one line that are looked at."""

_NO_WORD = re.compile(r"[\d+*/=;,.()\n]|-(?=\s|\d)")
_NUMERAL = re.compile(r"\d{1,12}(?:\.\d{1,8})?")
_SPOKEN = re.compile(
    r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+(?:\.\d{1,8})?|\d{0,12}\.?\d{1,12}|[a-z]{2,9}(?:-[a-z]{3,5})?)(?!\w)",
    re.IGNORECASE,
)
_NOTHING: frozenset[str] = frozenset()


class Lines:
    """The lines of a worked solution, and the words around its numbers.

    Args:
        text: the plain text of the solution.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines: dict[int, tuple[str, frozenset[str]]] = {}
        self._units: dict[int, frozenset[str]] = {}
        self._spoken: dict[tuple[int, int], list[tuple[int, frozenset[str]]]] | None = None

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
        """Say whether a value stands on the line of a place, in digits."""
        numerals = _NUMERAL.findall(self.line(start).replace(",", ""))
        return any(Fraction(numeral) == value for numeral in numerals[:MAX_NUMERALS])

    def unit(self, end: int) -> frozenset[str]:
        """Return the stems of the words right after a place, up to a sign or a number."""
        found = self._units.get(end)
        if found is None:
            stop = _NO_WORD.search(self._text, end, end + 30)
            self._units[end] = found = first_stems(self._text[end : stop.start() if stop else end + 30])
        return found

    def units(self, literal: Literal) -> frozenset[str]:
        """Return what stands after a number, or after the same value before it on its line."""
        units = self.unit(literal.end)
        if units:
            return units
        begin = self._text.rfind("\n", 0, literal.start)
        return _NOTHING.union(*(unit for at, unit in self._mentions(literal.value) if begin < at < literal.start))

    def counted(self, literal: Literal) -> frozenset[str]:
        """Return what the same value counts elsewhere on the line of a number: the 3 of "3 friends, so 12/3"."""
        begin = self._text.rfind("\n", 0, literal.start)
        end = self._text.find("\n", literal.end)
        end = end if end >= 0 else len(self._text)
        return _NOTHING.union(*(unit for at, unit in self._mentions(literal.value) if begin < at < end))

    def has_sign(self, start: int) -> bool:
        """Say whether a sign of money stands before a place."""
        return self._text[max(0, start - 3) : start].rstrip().endswith("$")

    def is_money(self, literal: Literal) -> bool:
        """Say whether a number has a sign of money, or is written with one elsewhere on its line."""
        if self.has_sign(literal.start):
            return True
        begin = self._text.rfind("\n", 0, literal.start)
        spoken = [start for start, _ in self._mentions(literal.value) if begin < start < literal.start]
        return bool(spoken) and all(map(self.has_sign, spoken))

    def mentioned(self, literal: Literal, units: frozenset[str]) -> str:
        """Say where the value of a number stands with one of some units: on its ``line``, ``before`` it, or nowhere."""
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
                        places.append((match.start(), self.unit(match.end())))
        return self._spoken.get(value.as_integer_ratio(), ())


def _value(word: str) -> Fraction | int | None:
    """Return what a number is worth, in digits or in words."""
    if word[0].isalpha():
        return BELOW_HUNDRED.get(word.lower())
    return int(word) if word.isdigit() else Fraction(word.replace(",", ""))
