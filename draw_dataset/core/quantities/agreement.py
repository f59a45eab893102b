"""Agreement of a set-up with gold: are the gold quantities among its own, as functions of the numbers.

A quantity with a gold value at the numbers of the text is a candidate. Whether it is the gold quantity as a function is
decided exactly (`comparing`), first in the most natural reading of the literals and then in others (`readings`).
Numbers that are 1, or 100 percent, may be left out as a factor: such a quantity is a shortcut.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from draw_dataset.core.quantities.comparing import Comparing, Wanted
from draw_dataset.core.quantities.expressions import Node, has_names
from draw_dataset.core.quantities.points import ALL, Gold, points_of
from draw_dataset.core.quantities.readings import Readings
from draw_dataset.core.quantities.setup import SetUp

MAX_CANDIDATES = 12
"""How many quantities with the right value are tried for one gold quantity."""


@dataclass(frozen=True, slots=True)
class Match:
    """A gold quantity that was found among those of a set-up.

    Attributes:
        unknown: the number of the gold unknown.
        node: the expression that is the quantity.
        scale: its unit: the expression is this many times the gold quantity.
        chosen: the reading of literals that are not read in the most natural way.
        certain: whether every reading of the literals agrees.
        shortcut: whether it agrees only because some number of the text is 1, as when a factor is dropped.
    """

    unknown: int
    node: Node
    scale: Fraction
    chosen: Mapping[int, int]
    certain: bool
    shortcut: bool = False


@dataclass(frozen=True, slots=True)
class Agreement:
    """How much of the gold derivation a set-up has.

    Attributes:
        matches: the quantities that are gold quantities.
        breaking: for each gold unknown without a match, the numbers that break the agreement of a quantity with the
            right value when they alone are changed; None if no quantity has the right value.
        complete: whether the matches are all gold quantities, or depend on every number that gold depends on.
    """

    matches: tuple[Match, ...]
    breaking: Mapping[int, tuple[int, ...] | None]
    complete: bool

    @property
    def certain(self) -> bool:
        """Whether it is complete in every reading."""
        return self.complete and all(match.certain for match in self.matches)

    @property
    def shortcut(self) -> bool:
        """Whether it is complete by leaving out numbers that are 1."""
        return self.complete and any(match.shortcut for match in self.matches)


Admits = Callable[[Fraction, Fraction], bool]
"""Decides whether a quantity may be compared in another unit: the factor, and its value in that unit."""


def agree(
    setup: SetUp, gold: Gold, values: Mapping[Node, Fraction] | None = None, admits: Admits | None = None
) -> Agreement:
    """Return how much of the gold derivation a set-up has.

    Args:
        setup: the equations and calculations.
        gold: the gold quantities.
        values: the values of the set-up's quantities at the numbers of the text, if they are known already.
        admits: decides which quantities may be in another unit than gold's; all may if it is not given.
    """
    return _Comparison(setup, gold, admits).agreement(values)


class _Comparison:
    """One set-up compared with one gold."""

    def __init__(self, setup: SetUp, gold: Gold, admits: Admits | None) -> None:
        self._setup = setup
        self._admits = admits
        self._gold = gold
        self._points = points_of(gold)
        self._count = len(gold.numbers)
        self._comparing = Comparing(setup, self._points)
        self._readings = Readings(self._comparing, gold.ones)

    def agreement(self, values: Mapping[Node, Fraction] | None) -> Agreement:
        golds = self._points.values
        if golds is None:
            return Agreement((), {}, complete=False)
        if values is None:
            values = self._comparing.values(self._gold.numbers)
        candidates = self._points.candidates
        by_value: dict[Fraction, list[Node]] = {}
        for node in dict.fromkeys(node for node, _ in reversed(self._setup.quantities)):
            value = values.get(node)
            if value is not None and value.as_integer_ratio() in candidates:
                by_value.setdefault(value, []).append(node)
        matches: list[Match] = []
        breaking: dict[int, tuple[int, ...] | None] = {}
        for unknown in range(len(golds)):
            found, broken = self._find(unknown, by_value) if by_value else (None, None)
            if found is not None:
                matches.append(found)
            else:
                breaking[unknown] = broken
        return Agreement(tuple(matches), breaking, self._complete(matches, len(golds)))

    def _find(
        self, unknown: int, known: Mapping[Fraction, Sequence[Node]]
    ) -> tuple[Match | None, tuple[int, ...] | None]:
        """Return the match of one of gold's quantities; else the numbers that break the agreement of a candidate.

        Args:
            unknown: which of gold's.
            known: the quantities of the set-up by their value, the latest first.
        """
        breaking: tuple[int, ...] | None = None
        for scale, value in self._points.scaled[unknown]:
            nodes = known.get(value, ())[:MAX_CANDIDATES]
            if nodes and scale != 1 and self._admits is not None and not self._admits(scale, value):
                continue
            for node in nodes:
                if self._comparing.left < 0:
                    return None, breaking
                found, broken = self._match(unknown, node, scale)
                if found is not None:
                    return found, None
                if scale == 1 and broken is not None and (breaking is None or len(broken) < len(breaking)):
                    breaking = broken
        return None, breaking

    def _match(self, unknown: int, node: Node, scale: Fraction) -> tuple[Match | None, tuple[int, ...] | None]:
        wanted = Wanted(unknown, node, scale)
        same, proved = self._comparing.same, self._comparing.is_proved
        others = frozenset(range(self._count)) - self._gold.ones
        if same(wanted, {}, ALL) and proved(wanted, {}, ALL):
            return Match(unknown, node, scale, {}, certain=self._readings.agree_all(wanted)), None
        if self._gold.ones and same(wanted, {}, others) and proved(wanted, {}, others):
            return Match(unknown, node, scale, {}, certain=False, shortcut=True), None
        broken = tuple(i for i in range(self._count) if not same(wanted, {}, frozenset({i})))
        if scale != 1 and not self._setup.equations:
            return None, broken  # for a chain, another unit together with another reading would accept too much
        chosen = self._readings.other(wanted, broken, others)
        if chosen is None:
            return None, broken
        shortcut = not same(wanted, chosen, ALL)
        if not proved(wanted, chosen, others if shortcut else ALL):
            return None, broken
        return Match(unknown, node, scale, chosen, certain=False, shortcut=shortcut), None

    def _complete(self, matches: Sequence[Match], count: int) -> bool:
        if len(matches) == count:
            return True
        # An answer may solve for one of several unknowns: it has understood the problem if that one depends on every
        # number. An expression that only occurs somewhere has not been solved for.
        solved = {match.unknown for match in matches if match.node[0] == "name" or not has_names(match.node)}
        base = self._points.in_field(ALL)
        if not solved or base is None:
            return False
        for i in range(self._count):
            changed = frozenset(range(self._count)) - {i}
            other = self._points.in_field(changed)
            if other is None:
                continue
            moves = [a != b for a, b in zip(base, other, strict=True)]
            if any(moves) and not any(moves[unknown] for unknown in solved):
                return False
        return True
