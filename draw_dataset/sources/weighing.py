"""The question: how natural are all choices of sources together, and which other choices come near the best.

Each source has points by itself (`evidence`). All of them together get points for what people do when they write a
solution down: every result is used, numbers of the text are used once rather than twice and in their order, what is
added counts the same things, and what is multiplied does not.

The best source of each number is taken first. Then one choice at a time is changed, or two numbers of equal value
exchange their sources, as long as that gains points. From the best choice the same two moves lead to the others that
cost next to nothing: each of them, as a whole, is another reading of the solution. Only numbers that the result comes
from are changed then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from itertools import combinations

from draw_dataset.core.quantities import Literal, Source
from draw_dataset.sources.roles import ADDED, MULTIPLIED, is_plain
from draw_dataset.sources.words import Surroundings
from draw_dataset.text import FoundNumber

MARGIN = 1.2
"""Points by which a choice must be better than another, or both are readings of the solution."""

COUNTING = 1.0
"""Further points by which a number that is used twice may be better than one that was counted."""

MAX_SWEEPS = 4
"""Times that all choices are looked at again."""

MAX_WORK = 600
"""Times that all choices together are weighed; a solution that needs more keeps the best so far."""

MAX_NEAR = 64
"""Choices near the best one that are listed."""

Option = tuple[float, Source]
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
        calculations: in which they stand.
        numbers: the numbers of the text.
        around: what stands around each of them.
        units: what each result counts, as far as words after it say so.
        needed: the results that must be used somewhere.
        reached: what says which literals the result comes from, given their sources.
        square: whether the text speaks of areas, where a number is multiplied by itself.
    """

    literals: Sequence[Literal]
    options: Mapping[int, Sequence[Option]]
    calculations: Sequence[Calculation]
    numbers: Sequence[FoundNumber]
    around: Sequence[Surroundings]
    units: Sequence[frozenset[str]]
    needed: frozenset[int]
    reached: Callable[[Mapping[int, Source]], set[int]]
    square: bool


def weigh(given: Given) -> tuple[dict[int, Source], list[dict[int, Source]]]:
    """Return the most natural sources, and the others that come near: for each only what differs from the first."""
    weighing = _Weighing(given)
    best, near = weighing.chosen()
    first = weighing.sources(best)
    others = []
    for which in near:
        found = weighing.sources(which)
        others.append({literal: source for literal, source in found.items() if source != first[literal]})
    return first, others


class _Weighing:
    def __init__(self, given: Given) -> None:
        self._given = given
        self._order = list(given.options)
        self._options = [given.options[literal] for literal in self._order]
        place = {literal: at for at, literal in enumerate(self._order)}
        self._role = {place[literal]: role for c in given.calculations for literal, role in c.roles}
        keys: dict[Source, int] = {}
        self._keys = [[keys.setdefault(source, len(keys)) for _, source in options] for options in self._options]
        self._open = [at for at, options in enumerate(self._options) if len(options) > 1]
        self._calculations = [tuple(place[literal] for literal, _ in c.roles) for c in given.calculations]
        self._known: list[dict[Which, tuple[float, Which, Which]]] = [{} for _ in given.calculations]
        self._usable = {
            source.of
            for options in self._options
            for _, source in options
            if source.kind == "text" and (is_plain(source) or source.inverse)
        }
        self._unused = {number: _cost_unused(given.numbers[number]) for number in self._usable}
        self._groups = self._equal()
        self._pairs = [pair for group in self._groups for pair in combinations(group, 2)]
        self._left = MAX_WORK

    def sources(self, which: Which) -> dict[int, Source]:
        return {
            literal: options[option][1]
            for literal, options, option in zip(self._order, self._options, which, strict=True)
        }

    def _equal(self) -> list[list[int]]:
        """Return the numbers of equal value that may come from different places, in their order."""
        by_value: dict[Fraction, list[int]] = {}
        for at in self._open:
            by_value.setdefault(self._given.literals[self._order[at]].value, []).append(at)
        return [listed[:8] for listed in by_value.values() if len(listed) > 1]

    # Points.

    def total(self, which: Which) -> float:
        """Return the points of a choice."""
        self._left -= 1
        total = 0.0
        uses: dict[int, int] = {}
        results: dict[int, int] = {}
        for places, known in zip(self._calculations, self._known, strict=True):
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
            total -= 0.8 * min(2, count - 1)
        for number in self._usable:
            if number not in uses:
                total -= self._unused[number]
        return total - 1.8 * len(self._given.needed - results.keys()) - self._of_order(which)

    def _of_calculation(self, places: Which, which: Which) -> tuple[float, tuple[int, ...], tuple[int, ...]]:
        """Return the points of one calculation, and the numbers and the results that it uses."""
        total = 0.0
        here: dict[int, str] = {}
        plain: list[tuple[int, str]] = []
        found: list[tuple[int, str]] = []
        uses: list[int] = []
        results: list[int] = []
        for at, option in zip(places, which, strict=True):
            points, source = self._options[at][option]
            role = self._role[at]
            total += points
            if source.kind == "constant":
                continue
            key = self._keys[at][option]
            if key in here:
                square = self._given.square and len(places) == 2
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
            a, b = self._given.around[one], self._given.around[other]
            alike = bool(a.unit) and a.unit == b.unit
            if role in ADDED and other_role in ADDED:
                total += 0.5 * alike + (0.4 if a.dollars and b.dollars else -0.4 if a.dollars != b.dollars else 0.0)
            elif role == other_role == "factor":
                if (alike and not self._given.square) or (a.dollars and b.dollars):
                    total -= 1.2
                    continue
                total += 0.4 * alike
            else:
                continue
            if abs(one - other) == 1 and self._given.numbers[one].sentence == self._given.numbers[other].sentence:
                total += 0.4
        return total

    def _of_result_units(self, plain: Sequence[tuple[int, str]], found: Sequence[tuple[int, str]]) -> float:
        """Return the points of numbers of the text that stand in one calculation with results."""
        total = 0.0
        for number, role in plain[:12]:
            unit = self._given.around[number].unit
            for result, other_role in found[:12]:
                if unit and unit in self._given.units[result]:
                    added = role in ADDED and other_role in ADDED
                    total += 0.3 if added else -0.6 if role == other_role == "factor" else 0.0
        return total

    def _of_order(self, which: Which) -> float:
        """Return the cost of numbers of equal value that are first used in another order than in the text."""
        total = 0.0
        for group in self._groups:
            first: list[int] = []
            for at in group:
                source = self._options[at][which[at]][1]
                if source.kind == "text" and source.of not in first:
                    total += 0.3 * sum(of > source.of for of in first)
                    first.append(source.of)
        return total

    # The best choice, and those near it.

    def chosen(self) -> tuple[Which, list[Which]]:
        """Return the best choice, and those that come near it."""
        best = self._improved(tuple([0] * len(self._order)))
        for _ in range(MAX_SWEEPS):
            better, near = self.near(best)
            if better == best:
                break
            best = better  # two changes at once gain what one does not
        return best, near

    def _improved(self, which: Which) -> Which:
        """Return the choice with the most points that single changes and exchanges lead to."""
        best = self.total(which)
        for _ in range(MAX_SWEEPS):
            start = best
            for at in self._open:
                for changed in self._changes(which, at):
                    total = self.total(changed) if self._left > 0 else best
                    if total > best + 1e-9:
                        best, which = total, changed
            for one, other in self._pairs:
                swapped = self._swapped(which, one, other)
                total = self.total(swapped) if swapped is not None and self._left > 0 else best
                if swapped is not None and total > best + 1e-9:
                    best, which = total, swapped
            if best <= start + 1e-9 or self._left <= 0:
                break
        return which

    def near(self, best: Which) -> tuple[Which, list[Which]]:
        """Return the best choice that is found on the way, and other choices that come near, the nearest first."""
        self._left = MAX_WORK
        top = self.total(best)
        found: list[Which] = []
        seen = {best}
        todo: list[tuple[float, Which]] = [(0.0, best)]
        while todo and len(found) < MAX_NEAR and self._left > 0:
            cost, which = heappop(todo)
            if cost < -1e-9:
                return which, []
            if which != best:
                found.append(which)
            for changed, margin in self._moves(which, best):
                if changed in seen or self._left <= 0:
                    continue
                seen.add(changed)
                cost = top - self.total(changed)
                if cost < margin:
                    heappush(todo, (cost, changed))
        return best, found

    def _moves(self, which: Which, best: Which) -> Iterator[tuple[Which, float]]:
        """Yield the choices that are one move away and are other readings, each with what it may cost."""
        reached = self._given.reached(self.sources(which))
        margin = MARGIN + COUNTING * self._is_counted(which, best)
        for at in self._open:
            if self._order[at] not in reached:
                continue
            chosen = self._options[at][which[at]][1]
            for changed in self._changes(which, at):
                other = self._options[at][changed[at]][1]
                if is_rival(chosen, other):
                    yield changed, margin
                elif which == best and self._may_be_counted(which, at, changed[at], reached):
                    yield changed, MARGIN + COUNTING
        for one, other_place in self._pairs:
            swapped = self._swapped(which, one, other_place)
            if swapped is None or not (self._order[one] in reached or self._order[other_place] in reached):
                continue
            if is_rival(self._options[one][which[one]][1], self._options[other_place][which[other_place]][1]):
                yield swapped, margin

    def _is_counted(self, which: Which, best: Which) -> bool:
        """Say whether a choice has a constant where the best one has a number of the text."""
        return any(
            options[now][1].kind == "constant" != options[then][1].kind
            for options, now, then in zip(self._options, which, best, strict=True)
            if now != then
        )

    def _may_be_counted(self, which: Which, at: int, option: int, reached: set[int]) -> bool:
        """Say whether a number that the text has once, and that is used twice, may have been counted: two parents."""
        chosen = self._options[at][which[at]][1]
        points, other = self._options[at][option]
        if chosen.kind != "text" or not is_plain(chosen) or other.kind != "constant" or points < -0.5:
            return False
        if self._role[at] not in MULTIPLIED:
            return False
        used = [self._options[i][which[i]][1] for i, literal in enumerate(self._order) if literal in reached]
        return sum(chosen.of in source.numbers() for source in used) > 1

    def _changes(self, which: Which, at: int) -> Iterator[Which]:
        """Yield the choices with another source of one number."""
        for option in range(len(self._options[at])):
            if option != which[at]:
                yield (*which[:at], option, *which[at + 1 :])

    def _swapped(self, which: Which, one: int, other: int) -> Which | None:
        """Return a choice with the sources of two numbers exchanged; None where one cannot have the other's."""
        first, second = self._keys[one][which[one]], self._keys[other][which[other]]
        if first == second or second not in self._keys[one] or first not in self._keys[other]:
            return None
        changed = list(which)
        changed[one], changed[other] = self._keys[one].index(second), self._keys[other].index(first)
        return tuple(changed)


def _cost_unused(number: FoundNumber) -> float:
    """Return the cost of not using a number; "one" and "two" are often said without being meant."""
    if number.kind != "word":
        return 1.0
    return 0.2 if number.value <= 2 else 0.5


def is_rival(chosen: Source, other: Source) -> bool:
    """Say whether another source is another reading, and not another form of the same."""
    if chosen.kind == "text" and other.kind == "text":
        alike = (chosen.scale, chosen.offset, chosen.inverse) == (other.scale, other.offset, other.inverse)
        halved = other.inverse and other.scale == 1 and is_plain(chosen)
        return chosen.of != other.of and (alike or is_plain(other) or halved)
    return {chosen.kind, other.kind} <= {"text", "result"} and is_plain(chosen) and is_plain(other)
