"""Whether a set-up has gold's derivation: are gold's quantities among its own, as functions of the numbers.

A quantity that has gold's value at the numbers of the text is a candidate. It is rejected if it differs from gold's at
one point of a prime field where the numbers are others: equal functions agree everywhere. It is accepted only by an
identity: with letters for the numbers, quantity and gold are the same quotient of polynomials.

Where the most natural reading of the literals fails, the numbers are changed one at a time. That shows which of them
break the agreement, and only for literals that may come from those other sources are tried. Numbers that are 1, or 100
percent, may be left out as a factor: such a quantity is a shortcut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice, product
from typing import Protocol

from draw_dataset.core.algebra.polynomial import POINT, PRIME
from draw_dataset.core.quantities.expressions import Node, literals_of, names_of
from draw_dataset.core.quantities.setup import Evaluation, SetUp
from draw_dataset.core.quantities.solving import WORK, Algebra, Poly, Ratio
from draw_dataset.errors import LimitError

COMPARING = 50_000
"""Work of comparing one set-up with gold, as `Algebra` counts it: how many readings of the literals can be tried."""

MAX_LOOKED_AT = 2_000
"""Readings that are looked at for one number; most come to the same as one that was tried."""

MAX_MENDED = 12
"""Readings that are gone on with."""

MAX_TOUCHED = 7
"""Literals that may come from one number, of which all readings are tried."""

MAX_CANDIDATES = 12
"""Quantities of the right value that are looked at for one of gold's."""

UNITS: tuple[Fraction, ...] = tuple(
    map(Fraction, ("100", "1/100", "60", "1/60", "12", "1/12", "1000", "1/1000", "3600", "1/3600", "7", "24"))
)
"""Factors between an answer's unit of an unknown and gold's."""


class Gold(Protocol):
    """Gold's quantities as functions of the numbers of the text."""

    @property
    def numbers(self) -> Sequence[Fraction]:
        """The value of each class of numbers in the text."""

    @property
    def ones(self) -> frozenset[int]:
        """The classes whose numbers are 1, or 100 percent."""

    def at(self, algebra: Algebra, numbers: Sequence[Ratio]) -> list[Ratio] | None:
        """Return gold's quantities where given quotients stand for the numbers; None where they have no value."""


@dataclass(frozen=True, slots=True)
class Match:
    """One of gold's quantities among those of a set-up.

    Attributes:
        unknown: which of gold's.
        node: the expression that is the quantity.
        scale: its unit: the expression is so many times gold's quantity.
        chosen: how literals are read, where not in the most natural way.
        certain: whether every reading of the literals agrees.
        shortcut: whether it is gold's only because some number of the text is 1, as where a factor is dropped.
    """

    unknown: int
    node: Node
    scale: Fraction
    chosen: Mapping[int, int]
    certain: bool
    shortcut: bool = False


@dataclass(frozen=True, slots=True)
class Agreement:
    """What of gold's derivation a set-up has.

    Attributes:
        matches: the quantities that are gold's.
        breaking: for each of gold's unknowns without a match, the numbers whose change alone breaks the agreement of a
            quantity that has the right value; None where no quantity has it.
        complete: whether the matches are all of gold's, or depend on every number that gold depends on.
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


def agree(setup: SetUp, gold: Gold, values: Mapping[Node, Fraction] | None = None) -> Agreement:
    """Return what of gold's derivation a set-up has.

    Args:
        setup: the equations and calculations.
        gold: gold's quantities.
        values: what the set-up's quantities come to at the numbers of the text, if that has been found already.
    """
    return _Comparison(setup, gold).agreement(values)


_ONE = Fraction(1)

_ALL = None
"""Every number is changed."""


class _Comparison:
    """One set-up held against one gold."""

    def __init__(self, setup: SetUp, gold: Gold) -> None:
        self._setup = setup
        self._gold = gold
        self._count = len(gold.numbers)
        self._field = Algebra(PRIME)
        self._gold_at: dict[frozenset[int] | None, list[int] | None] = {}
        self._points: dict[frozenset[int] | None, list[Ratio]] = {}
        self._reach: dict[int, frozenset[int]] = {}
        self._left = COMPARING

    def agreement(self, values: Mapping[Node, Fraction] | None) -> Agreement:
        golds = self._gold_values()
        if golds is None:
            return Agreement((), {}, complete=False)
        if values is None:
            values = self._values()
        by_value: dict[Fraction, list[Node]] = {}
        for node in dict.fromkeys(node for node, _ in reversed(self._setup.quantities)):
            if node in values:
                by_value.setdefault(values[node], []).append(node)
        matches: list[Match] = []
        breaking: dict[int, tuple[int, ...] | None] = {}
        for unknown, wanted in enumerate(golds):
            found, broken = self._find(unknown, wanted, by_value)
            if found is not None:
                matches.append(found)
            else:
                breaking[unknown] = broken
        return Agreement(tuple(matches), breaking, self._complete(matches, len(golds)))

    def _gold_values(self) -> list[Fraction] | None:
        exact = Algebra()
        numbers: list[Ratio] = [(exact.constant(value), {(): 1}) for value in self._gold.numbers]
        found = self._gold.at(exact, numbers)
        if found is None:
            return None
        return [Fraction(above.get((), 0)) / Fraction(below[()]) for above, below in found]

    def _values(self) -> dict[Node, Fraction]:
        """Return what the quantities come to at the numbers of the text, where that is determined."""
        exact = Algebra()
        numbers: list[Ratio] = [(exact.constant(value), {(): 1}) for value in self._gold.numbers]
        evaluation = self._evaluation(exact, numbers, {})
        found: dict[Node, Fraction] = {}
        if evaluation is None:
            return found
        for node, _ in self._setup.quantities:
            try:
                value = evaluation.value(node)
            except LimitError:
                continue
            if value is not None:
                found[node] = Fraction(value)
        return found

    def _find(
        self, unknown: int, wanted: Fraction, known: Mapping[Fraction, Sequence[Node]]
    ) -> tuple[Match | None, tuple[int, ...] | None]:
        """Return the match of one of gold's quantities; else the numbers that break the agreement of a candidate.

        Args:
            unknown: which of gold's.
            wanted: its value.
            known: the quantities of the set-up by their value, the latest first.
        """
        breaking: tuple[int, ...] | None = None
        for scale in (_ONE, *UNITS):
            for node in known.get(wanted * scale, ())[:MAX_CANDIDATES]:
                if self._left < 0:
                    return None, breaking
                found, broken = self._match(unknown, node, scale)
                if found is not None:
                    return found, None
                if scale is _ONE and broken is not None and (breaking is None or len(broken) < len(breaking)):
                    breaking = broken
            if not wanted:
                break  # nothing is nothing in every unit
        return None, breaking

    def _match(self, unknown: int, node: Node, scale: Fraction) -> tuple[Match | None, tuple[int, ...] | None]:
        wanted = _Wanted(unknown, node, scale)
        others = frozenset(range(self._count)) - self._gold.ones
        if self._same(wanted, {}, _ALL) and self._proved(wanted, {}, _ALL):
            return Match(unknown, node, scale, {}, certain=self._in_all_readings(wanted)), None
        if self._gold.ones and self._same(wanted, {}, others) and self._proved(wanted, {}, others):
            return Match(unknown, node, scale, {}, certain=False, shortcut=True), None
        broken = tuple(i for i in range(self._count) if not self._same(wanted, {}, frozenset({i})))
        if scale != 1 and not self._setup.equations:
            return None, broken  # of a chain, another unit and another reading at once would prove too much
        chosen = self._other_reading(wanted, broken, others)
        if chosen is None:
            return None, broken
        shortcut = not self._same(wanted, chosen, _ALL)
        if not self._proved(wanted, chosen, others if shortcut else _ALL):
            return None, broken
        return Match(unknown, node, scale, chosen, certain=False, shortcut=shortcut), None

    def _same(self, wanted: _Wanted, chosen: Mapping[int, int], changed: frozenset[int] | None) -> bool:
        """Say whether a quantity is gold's at one point where some numbers are changed."""
        gold = self._gold_in_field(changed)
        if gold is None:
            return True  # gold says nothing there
        self._field.left = WORK
        evaluation = self._evaluation(self._field, self._points[changed], chosen)
        try:
            value = None if evaluation is None else evaluation.value(wanted.node)
        except LimitError:
            value = None
        self._left -= WORK - self._field.left + len(self._setup.equations)
        return value is not None and value == gold[wanted.unknown] * self._field.residue(wanted.scale) % PRIME

    def _gold_in_field(self, changed: frozenset[int] | None) -> list[int] | None:
        if changed not in self._gold_at:
            field, given = self._field, self._gold.numbers
            moved = range(self._count) if changed is None else changed
            values = [POINT[i % len(POINT)] if i in moved else field.residue(given[i]) for i in range(self._count)]
            points: list[Ratio] = [(field.constant(value), {(): 1}) for value in values]
            self._points[changed] = points
            field.left = WORK
            found = self._gold.at(field, points)
            self._gold_at[changed] = None if found is None else [_residue(field, *ratio) for ratio in found]
        return self._gold_at[changed]

    def _proved(self, wanted: _Wanted, chosen: Mapping[int, int], changed: frozenset[int] | None) -> bool:
        """Say whether a quantity is gold's as a function: the same quotient with letters for the numbers."""
        algebra = Algebra()
        moved = range(self._count) if changed is None else changed
        numbers: list[Ratio] = [
            ({(-1 - i,): 1}, {(): 1}) if i in moved else (algebra.constant(value), {(): 1})
            for i, value in enumerate(self._gold.numbers)
        ]
        evaluation = self._evaluation(algebra, numbers, chosen)
        gold = self._gold.at(algebra, numbers)
        if evaluation is None or gold is None:
            return False
        try:
            above, below = evaluation.known(wanted.node)
            gold_above, gold_below = gold[wanted.unknown]
            ours = algebra.multiply(above, gold_below)
            theirs = algebra.multiply(algebra.multiply(gold_above, below), algebra.constant(wanted.scale))
            return not algebra.add(ours, theirs, -1)
        except (LimitError, ZeroDivisionError):
            return False

    def _evaluation(self, algebra: Algebra, numbers: Sequence[Ratio], chosen: Mapping[int, int]) -> Evaluation | None:
        evaluation = Evaluation(self._setup, algebra, numbers, chosen)
        try:
            evaluation.add_all()
        except (LimitError, ZeroDivisionError):
            return None
        return evaluation

    def _literals(self, node: Node) -> list[int]:
        """Return the literals that a quantity may depend on: its own, those of the equations, those of results."""
        found: dict[int, None] = {}
        results: set[int] = set()
        equations = [side for left, right, _ in self._setup.equations for side in (left, right)]
        with_equations = bool(names_of(node))
        todo = [node, *equations] if with_equations else [node]
        while todo:
            for index in literals_of(todo.pop()):
                if index in found:
                    continue
                found[index] = None
                for source in self._setup.sources[index]:
                    named = source.kind == "name"
                    if source.kind == "result" and source.of not in results:
                        results.add(source.of)
                        result = self._setup.results[source.of].node
                        todo.append(result)
                        named = bool(names_of(result))
                    if named and not with_equations:
                        with_equations = True
                        todo += equations
        return list(found)

    def _other_reading(self, wanted: _Wanted, broken: Sequence[int], others: frozenset[int]) -> dict[int, int] | None:
        """Return another reading of the literals under which a quantity is gold's; None if there is none.

        Numbers that break the agreement are mended one after the other: with only that number changed, other sources
        are tried for the literals that may come from it. What cannot be mended for one number cannot be mended at all.
        Readings under which every literal has the same value there are tried once.
        """
        literals = [i for i in self._literals(wanted.node) if len(self._setup.sources[i]) > 1]
        found: list[dict[int, int]] = [{}]
        for number in broken:
            if number in self._gold.ones:
                continue
            changed = frozenset({number})
            touched = [i for i in literals if number in self._reached(i)]
            if len(touched) > MAX_TOUCHED:
                touched = sorted(touched, key=lambda i: not self._is_open(i, changed))[:MAX_TOUCHED]
            values = {i: self._source_values(i, changed) for i in literals}
            outcomes: dict[tuple[object, ...], bool] = {}
            mended: list[dict[int, int]] = []
            readings = (chosen for base in found for chosen in self._readings(touched, base))
            for chosen in islice(readings, MAX_LOOKED_AT):
                key = tuple([values[i][chosen.get(i, 0)] for i in literals])
                same = outcomes.get(key)
                if same is None:
                    if self._left < 0:
                        return None
                    outcomes[key] = same = self._same(wanted, chosen, changed)
                if same:
                    mended.append(chosen)
                    if len(mended) == MAX_MENDED:
                        break
            found = mended
            if not found:
                return None
        return next((chosen for chosen in found if self._same(wanted, chosen, others)), None)

    def _source_values(self, index: int, changed: frozenset[int]) -> list[object]:
        """Return what each source of a literal comes to where some numbers are changed; a result stands for itself."""
        found: list[object] = []
        for option, source in enumerate(self._setup.sources[index]):
            value: object = source
            if source.kind not in ("result", "name"):
                evaluation = Evaluation(self._setup, self._field, self._points[changed], {index: option})
                value = evaluation.value(("number", index))
            found.append(value)
        return found

    def _is_open(self, index: int, changed: frozenset[int]) -> bool:
        """Say whether the sources of a literal come to different values where some numbers are changed."""
        self._field.left = WORK
        first = None
        for option in range(len(self._setup.sources[index])):
            evaluation = Evaluation(self._setup, self._field, self._points[changed], {index: option})
            try:
                value = evaluation.value(("number", index))
            except LimitError:
                return True
            if option and value != first:
                return True
            first = value
        return False

    def _reached(self, index: int) -> frozenset[int]:
        """Return the numbers that a literal may come from, by itself or by the results and names that it may be."""
        if index not in self._reach:
            inner = self._literals(("number", index))
            self._left -= len(inner)
            sources = [source for i in inner for source in self._setup.sources[i]]
            self._reach[index] = frozenset(number for source in sources for number in source.numbers())
        return self._reach[index]

    def _readings(self, literals: Sequence[int], base: Mapping[int, int]) -> Iterator[dict[int, int]]:
        """Yield ways to read literals, those that change the fewest first."""
        options = {i: [o for o in range(len(self._setup.sources[i])) if o != base.get(i, 0)] for i in literals}
        for changes in range(len(literals) + 1):
            for some in combinations(literals, changes):
                for chosen in product(*(options[i] for i in some)):
                    yield {**base, **dict(zip(some, chosen, strict=True))}

    def _in_all_readings(self, wanted: _Wanted) -> bool:
        """Say whether the agreement stays if a literal is taken for another number of the same value."""
        for index in self._literals(wanted.node):
            first, *rest = self._setup.sources[index]
            for option, source in enumerate(rest, 1):
                alike = first.kind == source.kind == "text" and source.scale == first.scale
                if alike and not self._same(wanted, {index: option}, _ALL):
                    return False
        return True

    def _complete(self, matches: Sequence[Match], count: int) -> bool:
        if len(matches) == count:
            return True
        # Who solves for one of several unknowns has understood the problem if that one depends on everything. An
        # expression that happens to be there has not been solved for.
        solved = {match.unknown for match in matches if match.node[0] == "name" or not names_of(match.node)}
        base = self._gold_in_field(_ALL)
        if not solved or base is None:
            return False
        for i in range(self._count):
            changed = frozenset(range(self._count)) - {i}
            other = self._gold_in_field(changed)
            if other is None:
                continue
            moves = [a != b for a, b in zip(base, other, strict=True)]
            if any(moves) and not any(moves[unknown] for unknown in solved):
                return False
        return True


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A quantity that may be one of gold's in some unit."""

    unknown: int
    node: Node
    scale: Fraction


def _residue(field: Algebra, above: Poly, below: Poly) -> int:
    """Return the value of a quotient of two numbers of the field."""
    return int(above.get((), 0)) * int(field.inverse(below[()])) % PRIME
