"""The question: how natural are all choices of sources together.

Each source has points by itself (`evidence`). All of them together get points for what people do when they write a
solution down: every result is used, numbers of the text are used once rather than twice and in their order, what is
added counts the same things, and what is multiplied does not. `searching` looks for the choice that has the most.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from draw_dataset.core.quantities import Literal, Source
from draw_dataset.sources.roles import ADDED, MULTIPLIED, is_plain
from draw_dataset.sources.words import Surroundings
from draw_dataset.text import FoundNumber

Option = tuple[float, Source]
"""A source and its points."""

Which = tuple[int, ...]
"""Which option each number has."""


@dataclass(slots=True)
class Calculation:
    """A calculation or a side of an equation.

    Attributes:
        index: how many results there are before it.
        roles: its literals, each with what it does there.
    """

    index: int
    roles: list[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Given:
    """What is weighed.

    Attributes:
        literals: the numbers of the solution.
        options: for each literal that counts the sources that it may have, with their points, the best first.
        calculations: those in which they are.
        numbers: the numbers of the text.
        around: what stands around each of them.
        units: what each result counts, as far as words after it say so.
        needed: the results that must be used somewhere.
        reached: what says which literals the result comes from, given their sources.
        square: whether the text mentions areas, where a number is multiplied by itself.
    """

    literals: Sequence[Literal]
    options: Mapping[int, Sequence[Option]]
    calculations: Sequence[Calculation]
    numbers: Sequence[FoundNumber]
    around: Sequence[Surroundings]
    units: Sequence[frozenset[str]]
    needed: frozenset[int]
    reached: Callable[[Mapping[int, Source]], Set[int]]
    square: bool


class Weighing:
    """Points of choices, each given by which option every number has.

    Args:
        given: what is weighed.

    Attributes:
        order: the literals, in the order in which a choice names their options.
        options: the options of each.
        keys: for each option a number that is the same for the same source.
        roles: what each literal does in its calculation.
        open: the places of literals that have several options.
        calculations: the places of the literals of each calculation.
        groups: places of equal value among them, in their order.
        weighed: how many choices were weighed so far.
    """

    def __init__(self, given: Given) -> None:
        self.given = given
        self.order = list(given.options)
        self.options = [given.options[literal] for literal in self.order]
        place = {literal: at for at, literal in enumerate(self.order)}
        self.roles = {place[literal]: role for c in given.calculations for literal, role in c.roles}
        keys: dict[Source, int] = {}
        self.keys = [[keys.setdefault(source, len(keys)) for _, source in options] for options in self.options]
        self.open = [at for at, options in enumerate(self.options) if len(options) > 1]
        self.calculations = [tuple(place[literal] for literal, _ in c.roles) for c in given.calculations]
        self._known: list[dict[Which, tuple[float, Which, Which]]] = [{} for _ in given.calculations]
        self._usable = {
            source.of
            for options in self.options
            for _, source in options
            if source.kind == "text" and (is_plain(source) or source.inverse)
        }
        self._unused = {number: _cost_unused(given.numbers[number]) for number in self._usable}
        self._is_share = [
            number.kind in ("fraction", "multiplier") or around.percent or around.after.lstrip().startswith("times")
            for number, around in zip(given.numbers, given.around, strict=True)
        ]
        self._of_result = {c.index: places for c, places in zip(given.calculations, self.calculations, strict=True)}
        self._shares = [
            (at, above)
            for places in self.calculations
            for at in places
            for above in places
            if self.roles[at] == "divisor" and self.roles[above] == "above" and len(self.options[at]) > 1
        ]
        self.groups = self._equal()
        self.weighed = 0

    def sources(self, which: Which) -> dict[int, Source]:
        """Return the source of each literal in a choice."""
        return {
            literal: options[option][1]
            for literal, options, option in zip(self.order, self.options, which, strict=True)
        }

    def _equal(self) -> list[list[int]]:
        """Return the numbers of equal value that may come from different places, in their order."""
        by_value: dict[Fraction, list[int]] = {}
        for at in self.open:
            by_value.setdefault(self.given.literals[self.order[at]].value, []).append(at)
        return [listed[:8] for listed in by_value.values() if len(listed) > 1]

    def total(self, which: Which) -> float:
        """Return the points of a choice."""
        self.weighed += 1
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
        return total - 1.8 * len(self.given.needed - results.keys()) - self._of_order(which) - self._of_shares(which)

    def _of_calculation(self, places: Which, which: Which) -> tuple[float, tuple[int, ...], tuple[int, ...]]:
        """Return the points of one calculation, and the numbers and the results that it uses."""
        total = 0.0
        here: dict[int, str] = {}
        plain: list[tuple[int, str]] = []
        found: list[tuple[int, str]] = []
        uses: list[int] = []
        results: list[int] = []
        for at, option in zip(places, which, strict=True):
            points, source = self.options[at][option]
            role = self.roles[at]
            total += points
            if source.kind == "constant":
                continue
            key = self.keys[at][option]
            if key in here:
                square = self.given.square and len(places) == 2
                twice = role in MULTIPLIED and here[key] in MULTIPLIED and not square
                total -= 2.5 if twice else 1.0
            here[key] = role
            results += source.results()
            uses += source.numbers()
            if source.kind == "text":
                plain.append((source.of, role))
            elif source.kind == "result":
                found.append((source.of, role))
        total += self._of_units(plain) + self._of_result_units(plain, found)
        return total, tuple(uses), tuple(results)

    def _of_units(self, plain: Sequence[tuple[int, str]]) -> float:
        """Return the points of numbers of the text that stand in one calculation."""
        total = 0.0
        for (one, role), (other, other_role) in combinations(plain[:12], 2):
            a, b = self.given.around[one], self.given.around[other]
            alike = bool(a.unit) and a.unit == b.unit and not (self._is_share[one] or self._is_share[other])
            if role in ADDED and other_role in ADDED:
                total += 0.5 * alike + (0.4 if a.dollars and b.dollars else -0.4 if a.dollars != b.dollars else 0.0)
            elif role == other_role == "factor":
                if (alike and not self.given.square) or (a.dollars and b.dollars):
                    total -= 1.2
                    continue
                total += 0.4 * alike
            else:
                continue
            if abs(one - other) == 1 and self.given.numbers[one].sentence == self.given.numbers[other].sentence:
                total += 0.4
        return total

    def _of_result_units(self, plain: Sequence[tuple[int, str]], found: Sequence[tuple[int, str]]) -> float:
        """Return the points of numbers of the text that stand in one calculation with results."""
        total = 0.0
        for number, role in plain[:12]:
            unit = self.given.around[number].unit
            for result, other_role in found[:12]:
                if unit and unit in self.given.units[result] and not self._is_share[number]:
                    added = role in ADDED and other_role in ADDED
                    total += 0.3 if added else -0.6 if role == other_role == "factor" else 0.0
        return total

    def _of_shares(self, which: Which) -> float:
        """Return the cost of sums that are divided by one of their own addends: who shares is seldom what is shared."""
        total = 0.0
        for at, above in self._shares:
            number, whole = self.options[at][which[at]][1], self.options[above][which[above]][1]
            if number.kind != "text" or whole.kind != "result":
                continue
            for place in self._of_result.get(whole.of, ()):
                source = self.options[place][which[place]][1]
                if self.roles[place] in ADDED and source.kind == "text" and source.of == number.of:
                    total += 3.0
                    break
        return total

    def _of_order(self, which: Which) -> float:
        """Return the cost of numbers of equal value that are first used in another order than in the text."""
        total = 0.0
        for group in self.groups:
            first: list[int] = []
            for at in group:
                source = self.options[at][which[at]][1]
                if source.kind == "text" and source.of not in first:
                    total += 0.3 * sum(of > source.of for of in first)
                    first.append(source.of)
        return total


def _cost_unused(number: FoundNumber) -> float:
    """Return the cost of not using a number; "one" and "two" are often said without being meant."""
    if number.kind != "word":
        return 1.0
    return 0.2 if number.value <= 2 else 0.5
