"""The question: does an answer have gold's derivation: are gold's quantities among its own, as functions of the numbers.

Gold's unknowns are functions of the numbers of the text, and so are the quantities of an answer once its literals are
read. A quantity that has gold's value at the numbers of the text is a candidate. It is gold's if it goes on having
gold's value when the numbers are changed: at a point of a prime field two different functions differ. Where the most
natural reading of the literals fails, the numbers are changed one at a time. That shows which of them break the
agreement, and only literals that may come from those are read in another way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Protocol

from draw_dataset.answers.algebra import PRIME, Algebra, Coefficient
from draw_dataset.answers.expressions import Node, literals_of, names_of
from draw_dataset.answers.setup import Evaluation, SetUp
from draw_dataset.core.algebra.polynomial import POINT
from draw_dataset.errors import LimitError

MAX_READINGS = 240
"""Readings of the literals that are tried for one quantity."""

MAX_MENDED = 4
"""Readings that are gone on with."""

MAX_TOUCHED = 7
"""Literals that may come from one number, of which all readings are tried."""

UNITS: tuple[Fraction, ...] = tuple(map(Fraction, (100, "1/100", 60, "1/60", 12, "1/12", 1000, "1/1000", 3600, "1/3600", 7, 24)))
"""Factors between an answer's unit of an unknown and gold's."""


class Gold(Protocol):
    """Gold's quantities as functions of the numbers of the text."""

    @property
    def numbers(self) -> Sequence[Fraction]:
        """The value of each class of numbers in the text."""

    @property
    def ones(self) -> frozenset[int]:
        """The classes whose numbers are 1, or 100 percent."""

    def at(self, algebra: Algebra, numbers: Sequence[Coefficient]) -> list[Coefficient] | None:
        """Return gold's quantities where the numbers have given values; None where they have none."""


@dataclass(frozen=True, slots=True)
class Match:
    """One of gold's quantities in an answer.

    Attributes:
        unknown: which of gold's.
        node: the expression of the answer.
        scale: the answer's unit: the expression is so many times gold's quantity.
        chosen: how literals are read, where not in the most natural way.
        certain: whether every reading agrees.
        shortcut: whether it is gold's only because some number of the text is 1, as a dropped factor.
    """

    unknown: int
    node: Node
    scale: Fraction
    chosen: dict[int, int]
    certain: bool
    shortcut: bool = False


@dataclass(frozen=True, slots=True)
class Agreement:
    """What of gold's derivation an answer has.

    Attributes:
        matches: the quantities that are gold's.
        near: for each of gold's unknowns without a match: the numbers whose change alone breaks the agreement of a
            quantity that has the right value; None where no quantity has it.
        complete: whether the matches are all of gold's, or depend on every number that gold depends on.
    """

    matches: tuple[Match, ...]
    near: dict[int, tuple[int, ...] | None]
    complete: bool


def points(count: int, only: Iterable[int] | None, numbers: Sequence[Fraction], algebra: Algebra) -> list[Coefficient]:
    """Return values of the numbers in the field: other ones for those that are to change."""
    changed = set(range(count)) if only is None else set(only)
    return [POINT[i] if i in changed else algebra.residue(numbers[i]) for i in range(count)]


class Matcher:
    """Compares the quantities of one answer with gold's."""

    def __init__(self, setup: SetUp, gold: Gold) -> None:
        self.setup = setup
        self.gold = gold
        self.numbers = list(gold.numbers)
        self.count = len(self.numbers)
        self.algebra = Algebra(PRIME)
        self._gold_at: dict[frozenset[int] | None, list[Coefficient] | None] = {}
        self._relevant: dict[int, list[int]] = {}

    def agreement(self) -> Agreement:
        """Return what of gold's derivation the answer has."""
        exact = Algebra()
        values = self.gold.at(exact, self.numbers)
        if values is None:
            return Agreement((), {}, False)
        evaluation = self._evaluation(Algebra(), self.numbers, {})
        matches: list[Match] = []
        near: dict[int, tuple[int, ...] | None] = {}
        known = self._known(evaluation)
        for unknown, wanted in enumerate(values):
            found, breaking = self._find(unknown, Fraction(wanted), known)
            if found is not None:
                matches.append(found)
            else:
                near[unknown] = breaking
        return Agreement(tuple(matches), near, self._complete(matches, len(values)))

    def _known(self, evaluation: Evaluation | None) -> list[tuple[Node, Fraction]]:
        """Return the quantities whose value is determined, the latest first."""
        if evaluation is None:
            return []
        known: list[tuple[Node, Fraction]] = []
        seen: set[Node] = set()
        for node, _ in reversed(self.setup.quantities):
            if node in seen:
                continue
            seen.add(node)
            try:
                value = evaluation.value(node)
            except (LimitError, ZeroDivisionError):
                continue
            if value is not None:
                known.append((node, Fraction(value)))
        return known

    def _find(
        self, unknown: int, wanted: Fraction, known: list[tuple[Node, Fraction]]
    ) -> tuple[Match | None, tuple[int, ...] | None]:
        breaking: tuple[int, ...] | None = None
        for scale in (Fraction(1), *UNITS):
            candidates = [node for node, value in known if value == wanted * scale]
            for node in candidates[:12]:
                found, broken = self._match(unknown, node, scale)
                if found is not None:
                    return found, None
                if broken is not None and (breaking is None or len(broken) < len(breaking)) and scale == 1:
                    breaking = broken
        return None, breaking

    def _match(self, unknown: int, node: Node, scale: Fraction) -> tuple[Match | None, tuple[int, ...] | None]:
        others = frozenset(range(self.count)) - self.gold.ones
        if self._same(unknown, node, scale, {}, None):
            return Match(unknown, node, scale, {}, self._certain(unknown, node, scale, {})), None
        if self.gold.ones and self._same(unknown, node, scale, {}, others):
            return Match(unknown, node, scale, {}, certain=False, shortcut=True), None
        broken = tuple(i for i in range(self.count) if not self._same(unknown, node, scale, {}, frozenset({i})))
        chosen = self._other_reading(unknown, node, scale, broken, others)
        if chosen is not None:
            shortcut = not self._same(unknown, node, scale, chosen, None)
            return Match(unknown, node, scale, chosen, certain=False, shortcut=shortcut), None
        return None, broken

    def _same(
        self, unknown: int, node: Node, scale: Fraction, chosen: dict[int, int], only: frozenset[int] | None
    ) -> bool:
        """Say whether a quantity is gold's at changed numbers under one reading."""
        if only not in self._gold_at:
            self._gold_at[only] = self.gold.at(self.algebra, points(self.count, only, self.numbers, self.algebra))
        wanted = self._gold_at[only]
        if wanted is None:
            return True  # gold says nothing there
        self.algebra.left = 60_000
        evaluation = self._evaluation(self.algebra, points(self.count, only, self.numbers, self.algebra), chosen)
        if evaluation is None:
            return False
        try:
            value = evaluation.value(node)
        except (LimitError, ZeroDivisionError):
            return False
        return value is not None and value == wanted[unknown] * self.algebra.residue(scale) % PRIME

    def _evaluation(self, algebra: Algebra, numbers: Sequence[Coefficient], chosen: dict[int, int]) -> Evaluation | None:
        evaluation = Evaluation(self.setup, algebra, list(numbers), chosen)
        try:
            evaluation.add_all()
        except (LimitError, ZeroDivisionError):
            return None
        return evaluation

    def _literals(self, node: Node) -> list[int]:
        """Return the literals that a quantity may depend on: its own, those of the set-up, those of results."""
        found: list[int] = []
        todo = [node, *(side for left, right, _ in self.setup.equations for side in (left, right))]
        if not names_of(node):
            todo = [node]
        results: set[int] = set()
        with_equations = bool(names_of(node))
        while todo:
            for index in literals_of(todo.pop()):
                if index in found:
                    continue
                found.append(index)
                for source in self.setup.sources[index]:
                    if source.kind == "result" and source.of not in results:
                        results.add(source.of)  # type: ignore[arg-type]
                        todo.append(self.setup.results[source.of].node)  # type: ignore[index]
                    elif source.kind == "name" and not with_equations:
                        with_equations = True
                        todo += [side for left, right, _ in self.setup.equations for side in (left, right)]
        return found

    def _other_reading(
        self, unknown: int, node: Node, scale: Fraction, broken: tuple[int, ...], others: frozenset[int]
    ) -> dict[int, int] | None:
        """Return another reading of the literals under which a quantity is gold's; None if there is none.

        Numbers that break the agreement are mended one after the other: with only that number changed, other sources
        are tried for the literals that may come from it. What cannot be mended for one number cannot be mended at all.
        """
        literals = [i for i in self._literals(node) if len(self.setup.sources[i]) > 1]
        found: list[dict[int, int]] = [{}]
        tried = 0
        for number in broken:
            if number in self.gold.ones:
                continue
            touched = [i for i in literals if self._touches(i, number)][:MAX_TOUCHED]
            mended: list[dict[int, int]] = []
            for base in found:
                for chosen in self._readings(touched, base):
                    tried += 1
                    if self._same(unknown, node, scale, chosen, frozenset({number})):
                        mended.append(chosen)
                    if tried >= MAX_READINGS or len(mended) >= MAX_MENDED:
                        break
            found = mended[:MAX_MENDED]
            if not found:
                return None
        return next((chosen for chosen in found if self._same(unknown, node, scale, chosen, others)), None)

    def _touches(self, index: int, number: int) -> bool:
        """Say whether a literal may come from a number of the text."""
        for source in self.setup.sources[index]:
            if source.kind not in ("constant", "result", "name"):
                if source.of == number or (isinstance(source.of, tuple) and number in source.of):
                    return True
        return False

    def _readings(self, literals: list[int], base: dict[int, int]) -> Iterable[dict[int, int]]:
        """Yield ways to read literals, those that change the fewest first."""
        for changes in range(len(literals) + 1):
            for some in combinations(literals, changes):
                for options in product(*(range(len(self.setup.sources[i])) for i in some)):
                    chosen = {**base, **dict(zip(some, options, strict=True))}
                    if changes == 0 or all(option != base.get(i, 0) for i, option in zip(some, options, strict=True)):
                        yield chosen

    def _certain(self, unknown: int, node: Node, scale: Fraction, chosen: dict[int, int]) -> bool:
        """Say whether the agreement holds in every reading in which literals come from the text."""
        for index in self._literals(node):
            for option, source in enumerate(self.setup.sources[index]):
                if option and source.kind == "text" and source.scale == self.setup.sources[index][0].scale:
                    if self.setup.sources[index][0].kind != "text":
                        continue
                    if not self._same(unknown, node, scale, {**chosen, index: option}, None):
                        return False
        return True

    def _complete(self, matches: list[Match], count: int) -> bool:
        if len(matches) == count:
            return True
        matches = [match for match in matches if match.node[0] == "name" or not names_of(match.node)]
        if not matches:
            return False
        base = self.gold.at(self.algebra, points(self.count, None, self.numbers, self.algebra))
        if base is None:
            return False
        for i in range(self.count):
            moved = points(self.count, None, self.numbers, self.algebra)
            moved[i] = POINT[200 + i % 40]
            other = self.gold.at(self.algebra, moved)
            if other is None:
                continue
            changes = [a != b for a, b in zip(base, other, strict=True)]
            if any(changes) and not any(changes[match.unknown] for match in matches):
                return False
        return True
