"""Other readings of the literals of a set-up: is a quantity the gold quantity under one of them, and under all.

If the most natural reading fails, the numbers are changed one at a time. That shows which of them break the agreement.
Other sources are then tried only for literals that may come from those numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

from draw_dataset.core.quantities.comparing import COMPARING, AtPoint, Comparing, Wanted
from draw_dataset.core.quantities.expressions import Node, has_names, literals_of
from draw_dataset.core.quantities.points import ALL, Changed

MAX_LOOKED_AT = 2_000
"""How many readings are looked at for one number; most give the same values as an earlier one."""

MAX_MENDED = 12
"""How many readings are followed further."""

MAX_TOUCHED = 7
"""All readings are tried of up to this many literals that may come from one number."""

_LIKELY = frozenset({"text", "result", "name"})
"""Sources that are tried first. That a literal is a constant, or was computed silently, could explain anything."""


Trial = tuple[int | None, int, tuple[int, ...], tuple[int, ...]]
"""A value, the work to find it, and the literals that are read differently, with the sources that are meant."""


class Trials:
    """The value of one quantity at one point, in readings of some literals; those that change the fewest come first.

    A reading is tried when it is asked for, and kept. Its work is counted each time. Readings that give every literal
    the same value are tried once.

    Args:
        point: the set-up at the point.
        node: the quantity.
        literals: the literals.
        base: the reading that is changed.
        values: for each source of each literal the first source that has its value at the point.
    """

    __slots__ = ("_base", "_found", "_rest")

    def __init__(
        self,
        point: AtPoint,
        node: Node,
        literals: Sequence[int],
        base: Mapping[int, int],
        values: Mapping[int, Sequence[int]],
    ) -> None:
        self._found: list[Trial] = []
        self._rest = self._tried(point, node, literals, base, values)

    def __iter__(self) -> Iterator[Trial]:
        yield from self._found
        for trial in self._rest:
            self._found.append(trial)
            yield trial

    @staticmethod
    def _tried(
        point: AtPoint,
        node: Node,
        literals: Sequence[int],
        base: Mapping[int, int],
        values: Mapping[int, Sequence[int]],
    ) -> Iterator[Trial]:
        before = {i: base.get(i, 0) for i in literals}
        options = {i: [option for option in range(len(values[i])) if option != before[i]] for i in literals}
        outcomes: dict[tuple[tuple[int, int], ...], int | None] = {}
        for changes in range(len(literals) + 1):
            for some in combinations(literals, changes):
                for chosen in product(*[options[i] for i in some]):
                    key = tuple([(i, o) for i, option in zip(some, chosen, strict=True)
                                 if (o := values[i][option]) != values[i][before[i]]])  # fmt: skip
                    steps = 1
                    if key not in outcomes:
                        outcomes[key], work = point.value(node, {**base, **dict(zip(some, chosen, strict=True))})
                        steps += work
                    yield outcomes[key], steps, some, chosen


class Readings:
    """The readings of the literals of one set-up.

    Args:
        comparing: the comparison of the set-up with gold.
        ones: the classes whose numbers are 1, or 100 percent.
    """

    __slots__ = ("_comparing", "_ones", "_reach", "_setup")

    def __init__(self, comparing: Comparing, ones: frozenset[int]) -> None:
        self._comparing = comparing
        self._setup = comparing.setup
        self._ones = ones
        self._reach: dict[int, frozenset[int]] = {}

    def agree_all(self, wanted: Wanted) -> bool:
        """Say whether the agreement holds if a literal is taken for another number of the same value."""
        for index in self._literals(wanted.node):
            first, *rest = self._setup.sources[index]
            for option, source in enumerate(rest, 1):
                alike = first.kind == source.kind == "text" and source.scale == first.scale
                if alike and not self._comparing.same(wanted, {index: option}, ALL):
                    return False
        return True

    def other(self, wanted: Wanted, broken: Sequence[int], others: frozenset[int]) -> dict[int, int] | None:
        """Return another reading of the literals under which a quantity is the gold quantity; None if there is none.

        Numbers that break the agreement are repaired one after the other: only that number is changed, and other
        sources are tried for the literals that may come from it. If one number cannot be repaired, none of the readings
        works. Readings that give every literal the same value there are tried once.

        Args:
            wanted: the quantity.
            broken: the numbers that break the agreement.
            others: the numbers that are not 1.
        """
        literals = [i for i in self._literals(wanted.node) if len(self._setup.sources[i]) > 1]
        found: list[dict[int, int]] = [{}]
        for number in broken:
            if number in self._ones:
                continue
            found = self._mended(wanted, number, literals, found)
            if not found:
                return None
        return next((chosen for chosen in found if self._comparing.same(wanted, chosen, others)), None)

    def _mended(
        self, wanted: Wanted, number: int, literals: Sequence[int], bases: Sequence[dict[int, int]]
    ) -> list[dict[int, int]]:
        """Return readings that extend others and under which a number no longer breaks the agreement."""
        changed = frozenset({number})
        wanted_value = self._comparing.wanted_value(wanted, changed)
        touched = [i for i in literals if number in self._reached(i)]
        if len(touched) > MAX_TOUCHED:
            touched = sorted(touched, key=lambda i: not self._is_open(i, changed))[:MAX_TOUCHED]
        mended: list[dict[int, int]] = []
        looked_at = 0
        for base in bases:
            for value, steps, some, chosen in self._trials(wanted.node, changed, touched, base):
                looked_at += 1
                self._comparing.left -= steps
                if self._comparing.left < 0:
                    return []
                if value == wanted_value:
                    mended.append({**base, **dict(zip(some, chosen, strict=True))})
                    if len(mended) == MAX_MENDED:
                        return mended
                if looked_at == MAX_LOOKED_AT:
                    return mended
        return mended

    def _trials(self, node: Node, changed: Changed, touched: Sequence[int], base: Mapping[int, int]) -> Trials:
        """Return the readings of literals that extend another one, with what a quantity is worth under each.

        The derivations that count for a problem mostly ask for the same.
        """
        point = self._comparing.at(changed)
        key = node, tuple(touched), tuple(sorted(base.items()))
        known: Trials | None = point.trials.get(key)
        if known is None:
            values = {i: self._source_values(i, changed) for i in touched}
            point.trials[key] = known = Trials(point, node, touched, base, values)
        return known

    def _source_values(self, index: int, changed: Changed) -> list[int]:
        """Return for each source of a literal the first that has its value with some numbers changed.

        A result stands for itself.
        """
        numbers = self._comparing.at(changed).sources
        found: list[object] = []
        for option, source in enumerate(self._setup.sources[index]):
            if source.kind in ("result", "rest", "name"):
                found.append((source.kind, source.of, source.scale, source.offset))
                continue
            try:
                found.append(numbers.number(index, option, source))
            except ZeroDivisionError:
                found.append(None)
        return [found.index(value) for value in found]

    def _is_open(self, index: int, changed: Changed) -> bool:
        """Say whether the likely sources of a literal have different values with some numbers changed."""
        if self._comparing.left < COMPARING // 2:
            return True  # finding out what is worth trying must not cost more than trying it
        node: Node = ("number", index)
        likely = [option for option, source in enumerate(self._setup.sources[index]) if source.kind in _LIKELY]
        return len({self._comparing.value(node, {index: option}, changed) for option in likely}) > 1

    def _reached(self, index: int) -> frozenset[int]:
        """Return the numbers that a literal may come from, directly or through results and names."""
        if index not in self._reach:
            inner = self._literals(("number", index))
            self._comparing.left -= len(inner)
            sources = [source for i in inner for source in self._setup.sources[i]]
            self._reach[index] = frozenset(number for source in sources for number in source.numbers())
        return self._reach[index]

    def _literals(self, node: Node) -> list[int]:
        """Return the literals that a quantity may depend on: its own, those of the equations, those of results."""
        found: dict[int, None] = {}
        results: set[int] = set()
        equations = [side for left, right, _ in self._setup.equations for side in (left, right)]
        with_equations = has_names(node)
        todo = [node, *equations] if with_equations else [node]
        while todo:
            for index in literals_of(todo.pop()):
                if index in found:
                    continue
                found[index] = None
                for source in self._setup.sources[index]:
                    named = source.kind == "name"
                    for number in source.results():
                        if number not in results:
                            results.add(number)
                            result = self._setup.results[number].node
                            todo.append(result)
                            named = named or has_names(result)
                    if named and not with_equations:
                        with_equations = True
                        todo += equations
        return list(found)
