"""The question: which choice of sources is the most natural, and which others come near it.

The best source of each number is taken first. Then one choice at a time is changed, or two numbers exchange their
sources, as long as that gains points (`weighing`). From the best choice the same two moves lead to the others that cost
next to nothing: each of them, as a whole, is another reading of the solution. Only numbers that the result comes from
are changed then.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from heapq import heappop, heappush
from itertools import combinations

from draw_dataset.core.quantities import Source
from draw_dataset.sources.roles import MULTIPLIED, is_plain
from draw_dataset.sources.weighing import Given, Weighing, Which

MARGIN = 1.2
"""Points by which a choice must be better than another, or both are readings of the solution."""

COUNTING = 1.1
"""Further points by which a number that is used twice may be better than one that was counted."""

LIKELY = 0.2
"""Points of a constant that words speak for."""

MAX_SWEEPS = 4
"""Times that all choices are looked at again."""

MAX_WORK = 600
"""Times that all choices together are weighed; a solution that needs more keeps the best so far."""

MAX_NEAR = 64
"""Choices near the best one that are listed."""

MAX_OPEN = 24
"""Numbers of several sources of which pairs are looked at."""


def search(given: Given) -> tuple[dict[int, Source], list[dict[int, Source]]]:
    """Return the most natural sources, and the others that come near: for each only what differs from the first."""
    if all(len(options) == 1 for options in given.options.values()):
        return {literal: options[0][1] for literal, options in given.options.items()}, []
    weighing = Weighing(given)
    best, near = _Search(weighing).chosen()
    first = weighing.sources(best)
    others = []
    for which in near:
        found = weighing.sources(which)
        others.append({literal: source for literal, source in found.items() if source != first[literal]})
    return first, others


class _Search:
    def __init__(self, weighing: Weighing) -> None:
        self._weighing = weighing
        self._order, self._options = weighing.order, weighing.options
        self._keys, self._open = weighing.keys, weighing.open
        self._pairs = self._exchangeable()

    def _exchangeable(self) -> list[tuple[int, int]]:
        """Return the pairs of numbers that may exchange their sources: of equal value, or with numbers in common."""
        pairs = dict.fromkeys(pair for group in self._weighing.groups for pair in combinations(group, 2))
        numbers = {
            at: {source.of for _, source in self._options[at] if source.kind == "text"} for at in self._open[:MAX_OPEN]
        }
        for one, other in combinations(numbers, 2):
            if len(numbers[one] & numbers[other]) > 1:
                pairs[one, other] = None
        return list(pairs)

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
        limit = self._weighing.weighed + MAX_WORK
        best = self._weighing.total(which)
        for _ in range(MAX_SWEEPS):
            start = best
            for at in self._open:
                for changed in self._changes(which, at):
                    total = self._weighing.total(changed) if self._weighing.weighed < limit else best
                    if total > best + 1e-9:
                        best, which = total, changed
            for one, other in self._pairs:
                swapped = self._swapped(which, one, other)
                total = (
                    self._weighing.total(swapped) if swapped is not None and self._weighing.weighed < limit else best
                )
                if swapped is not None and total > best + 1e-9:
                    best, which = total, swapped
            if best <= start + 1e-9 or self._weighing.weighed >= limit:
                break
        return which

    def near(self, best: Which) -> tuple[Which, list[Which]]:
        """Return the best choice that is found on the way, and other choices that come near, the nearest first."""
        limit = self._weighing.weighed + MAX_WORK
        top = self._weighing.total(best)
        found: list[Which] = []
        seen = {best}
        todo: list[tuple[float, Which]] = [(0.0, best)]
        while todo and len(found) < MAX_NEAR and self._weighing.weighed < limit:
            cost, which = heappop(todo)
            if cost < -1e-9:
                return which, []
            if which != best:
                found.append(which)
            for changed, margin in self._moves(which, best):
                if changed in seen or self._weighing.weighed >= limit:
                    continue
                seen.add(changed)
                cost = top - self._weighing.total(changed)
                if cost < margin:
                    heappush(todo, (cost, changed))
        return best, found

    def _moves(self, which: Which, best: Which) -> Iterator[tuple[Which, float]]:
        """Yield the choices that are one move away and are other readings, each with what it may cost."""
        reached = self._weighing.given.reached(self._weighing.sources(which))
        margin = MARGIN + COUNTING * self._is_counted(which, best)
        for at in self._open:
            if self._order[at] not in reached:
                continue
            chosen = self._source(which, at)
            for changed in self._changes(which, at):
                other = self._options[at][changed[at]][1]
                if is_rival(chosen, other):
                    yield changed, margin
                elif which == best and self._may_be_counted(which, at, changed[at], reached):
                    yield changed, MARGIN + COUNTING
                elif other.kind == "constant" and self._is_likely(chosen, at, changed[at]):
                    yield changed, margin / 2
        for one, second in self._pairs:
            swapped = self._swapped(which, one, second)
            if swapped is None or not (self._order[one] in reached or self._order[second] in reached):
                continue
            if is_rival(self._source(which, one), self._source(which, second)):
                yield swapped, margin

    def _source(self, which: Which, at: int) -> Source:
        return self._options[at][which[at]][1]

    def _is_likely(self, chosen: Source, at: int, option: int) -> bool:
        """Say whether words suggest a constant where a number of the text was chosen."""
        return chosen.kind == "text" and is_plain(chosen) and self._options[at][option][0] >= LIKELY

    def _is_counted(self, which: Which, best: Which) -> bool:
        """Say whether a choice has a constant where the best one has a number of the text."""
        return any(
            options[now][1].kind == "constant" != options[then][1].kind
            for options, now, then in zip(self._options, which, best, strict=True)
            if now != then
        )

    def _may_be_counted(self, which: Which, at: int, option: int, reached: Set[int]) -> bool:
        """Say whether a number may have been counted: one that is used twice, or that words suggest: two parents."""
        chosen = self._source(which, at)
        points, other = self._options[at][option]
        if chosen.kind != "text" or not is_plain(chosen) or other.kind != "constant" or points < -0.5:
            return False
        value = self._weighing.given.literals[self._order[at]].value
        if self._weighing.roles[at] not in MULTIPLIED and value != 1 and not self._has_constant(which, at):
            return False
        used = [self._source(which, i) for i, literal in enumerate(self._order) if literal in reached]
        return sum(chosen.of in source.numbers() for source in used) > 1

    def _has_constant(self, which: Which, at: int) -> bool:
        """Say whether a constant stands in the calculation of a number: the 7 of 7 - 2 days."""
        places = next(places for places in self._weighing.calculations if at in places)
        return any(self._source(which, place).kind == "constant" for place in places)

    def _changes(self, which: Which, at: int) -> Iterator[Which]:
        """Yield the choices with another source of one number."""
        for option in range(len(self._options[at])):
            if option != which[at]:
                yield (*which[:at], option, *which[at + 1 :])

    def _swapped(self, which: Which, one: int, other: int) -> Which | None:
        """Return a choice with the sources of two numbers exchanged; None where one cannot have the other's.

        Two numbers of the text may be exchanged in different forms: the halves of 2 * 5 and 1/2 * 5.
        """
        first, second = self._source(which, one), self._source(which, other)
        mine, its = self._keys[one][which[one]], self._keys[other][which[other]]
        if mine == its:
            return None
        changed = list(which)
        if its in self._keys[one] and mine in self._keys[other]:
            changed[one], changed[other] = self._keys[one].index(its), self._keys[other].index(mine)
            return tuple(changed)
        if first.kind != "text" or second.kind != "text" or first.of == second.of:
            return None
        for at, number in ((one, second.of), (other, first.of)):
            there = [
                i for i, (_, source) in enumerate(self._options[at]) if source.kind == "text" and source.of == number
            ]
            if not there:
                return None
            changed[at] = there[0]
        return tuple(changed)


def is_rival(chosen: Source, other: Source) -> bool:
    """Say whether another source is another reading, and not another form of the same."""
    if chosen.kind == "text" and other.kind == "text":
        alike = (chosen.scale, chosen.offset, chosen.inverse) == (other.scale, other.offset, other.inverse)
        halved = other.inverse and other.scale == 1 and is_plain(chosen)
        return chosen.of != other.of and (alike or is_plain(other) or halved)
    if {chosen.kind, other.kind} == {"text", "rest"}:
        return is_plain(chosen) and is_plain(other)
    return {chosen.kind, other.kind} <= {"text", "result"} and is_plain(chosen) and is_plain(other)
