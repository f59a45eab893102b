"""Comparison of one quantity of a set-up with one gold quantity, under one reading of the literals.

The quantity is rejected if it differs from gold at one point of a prime field with other numbers: equal functions agree
everywhere. It is accepted only by an identity: with letters for the numbers, both are the same quotient of polynomials.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from draw_dataset.core.algebra.polynomial import PRIME
from draw_dataset.core.quantities.expressions import Node
from draw_dataset.core.quantities.linear import MAX_STEPS, Dependence, FieldNumbers, LinearEvaluation, NotLinear
from draw_dataset.core.quantities.points import Changed, GoldPoints
from draw_dataset.core.quantities.setup import Evaluation, SetUp
from draw_dataset.core.quantities.solving import WORK, Algebra, Ratio
from draw_dataset.errors import LimitError

COMPARING = 50_000
"""Work for comparing one set-up with gold, as `Algebra` counts it; it limits how many readings are tried."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A quantity that may be a gold quantity in some unit.

    Attributes:
        unknown: the number of the gold unknown.
        node: the expression that is the quantity.
        scale: its unit: the expression is this many times the gold quantity.
    """

    unknown: int
    node: Node
    scale: Fraction


Reading = tuple[tuple[int, int], ...]
"""The literals that are not read in the most natural way, each with the source that is meant."""


class AtPoint:
    """What a set-up determines at one point of the field, under each reading of its literals.

    All gold derivations of a problem ask for the same points, so what was found is kept. Its work is counted each time,
    so that what can be tried does not depend on what was asked for before.

    Args:
        setup: the set-up.
        point: the number of the field that stands for each class of numbers of the text.

    Attributes:
        sources: the values of the literals' sources.
        trials: the readings that were tried, by what was asked for.
    """

    __slots__ = ("_found", "_is_linear", "_natural", "_setup", "sources", "trials")

    def __init__(self, setup: SetUp, point: Sequence[int]) -> None:
        self._setup = setup
        self.sources = FieldNumbers(setup, point)
        self.trials: dict[object, Any] = {}
        self._found: dict[tuple[Node, Reading], tuple[int | None, int]] = {}
        self._is_linear = True
        self._natural: LinearEvaluation | None = None
        try:
            self._natural = LinearEvaluation(self.sources, {})
        except NotLinear:
            self._is_linear = False  # it is hardly linear in another reading
        except (LimitError, ZeroDivisionError):
            pass

    @classmethod
    def of(cls, setup: SetUp, point: Sequence[int]) -> AtPoint:
        """Return what a set-up determines at a point; made when it is first asked for."""
        key = tuple(point)
        found: AtPoint | None = setup.memory.get(key)
        if found is None:
            setup.memory[key] = found = cls(setup, point)
        return found

    def value(self, node: Node, chosen: Mapping[int, int]) -> tuple[int | None, int]:
        """Return the value of an expression and the work for it; None if it has no value, or takes too much work."""
        key = node, tuple(sorted(chosen.items())) if chosen else ()
        found = self._found.get(key)
        if found is None:
            self._found[key] = found = self._value(node, chosen)
        return found

    def _value(self, node: Node, chosen: Mapping[int, int]) -> tuple[int | None, int]:
        if self._is_linear:
            try:
                evaluation = self._evaluation(chosen)
                value, steps = evaluation.value(node)
                return value, steps + evaluation.steps
            except ZeroDivisionError:
                return None, len(self._setup.equations) + 1
            except LimitError:
                return None, MAX_STEPS
            except NotLinear:
                pass
        return self._in_general(node, chosen)

    def _evaluation(self, chosen: Mapping[int, int]) -> LinearEvaluation:
        if self._natural is None:
            return LinearEvaluation(self.sources, chosen)
        if not chosen:
            return self._natural
        depends: Dependence | None = self._setup.memory.get(Dependence)
        if depends is None:
            self._setup.memory[Dependence] = depends = Dependence(self._setup)
        return LinearEvaluation(self.sources, chosen, self._natural, depends)

    def _in_general(self, node: Node, chosen: Mapping[int, int]) -> tuple[int | None, int]:
        field = Algebra(PRIME)
        numbers: list[Ratio] = [field.number(value) for value in self.sources.numbers]
        evaluation = _evaluation(self._setup, field, numbers, chosen)
        try:
            value = None if evaluation is None else evaluation.value(node)
        except LimitError:
            value = None
        return None if value is None else int(value), WORK - field.left + len(self._setup.equations)


class Comparing:
    """One set-up compared with one gold derivation.

    Args:
        setup: the set-up.
        points: the gold quantities at points.

    Attributes:
        left: the work that may still be done.
    """

    __slots__ = ("_at_points", "_field", "_with_letters", "left", "points", "setup")

    def __init__(self, setup: SetUp, points: GoldPoints) -> None:
        self.setup = setup
        self.points = points
        self.left = COMPARING
        self._field = Algebra(PRIME)
        self._at_points: dict[Changed, AtPoint] = {}
        self._with_letters: dict[Changed, tuple[Evaluation | None, int]] = {}

    def same(self, wanted: Wanted, chosen: Mapping[int, int], changed: Changed) -> bool:
        """Say whether a quantity equals the gold quantity at one point where some numbers are changed."""
        there = self.wanted_value(wanted, changed)
        return there is None or self.value(wanted.node, chosen, changed) == there

    def wanted_value(self, wanted: Wanted, changed: Changed) -> int | None:
        """Return the gold quantity at such a point; None if it has no value there."""
        gold = self.points.in_field(changed)
        return None if gold is None else gold[wanted.unknown] * self._field.residue(wanted.scale) % PRIME

    def value(self, node: Node, chosen: Mapping[int, int], changed: Changed) -> int | None:
        """Return the value of an expression at such a point; None if it has no value, or takes too much work."""
        value, steps = self.at(changed).value(node, chosen)
        self.left -= steps
        return value

    def at(self, changed: Changed) -> AtPoint:
        """Return what the set-up determines at such a point."""
        found = self._at_points.get(changed)
        if found is None:
            self._at_points[changed] = found = AtPoint.of(self.setup, self.points.point(changed))
        return found

    def is_proved(self, wanted: Wanted, chosen: Mapping[int, int], changed: Changed) -> bool:
        """Say whether a quantity is the gold quantity as a function: the same quotient with letters for the numbers."""
        numbers, gold = self.points.with_letters(changed)
        known = None if chosen else self._with_letters.get(changed)
        if known is None:
            fresh = Algebra()
            known = _evaluation(self.setup, fresh, numbers, chosen), fresh.left
            if not chosen:
                self._with_letters[changed] = known
        evaluation, left = known
        if evaluation is None or gold is None:
            return False
        algebra = evaluation.algebra
        algebra.left = left
        try:
            above, below = evaluation.known(wanted.node)
            gold_above, gold_below = gold[wanted.unknown]
            ours = algebra.multiply(above, gold_below)
            theirs = algebra.multiply(algebra.multiply(gold_above, below), algebra.constant(wanted.scale))
            return not algebra.add(ours, theirs, -1)
        except (LimitError, ZeroDivisionError):
            return False

    def values(self, numbers: Sequence[Fraction]) -> dict[Node, Fraction]:
        """Return the values of the quantities at the numbers of the text, if they are determined."""
        exact = Algebra()
        evaluation = _evaluation(self.setup, exact, [exact.number(value) for value in numbers], {})
        found: dict[Node, Fraction] = {}
        if evaluation is None:
            return found
        for node, _ in self.setup.quantities:
            try:
                value = evaluation.value(node)
            except LimitError:
                continue
            if value is not None:
                found[node] = Fraction(value)
        return found


def _evaluation(
    setup: SetUp, algebra: Algebra, numbers: Sequence[Ratio], chosen: Mapping[int, int]
) -> Evaluation | None:
    evaluation = Evaluation(setup, algebra, numbers, chosen)
    try:
        evaluation.add_all()
    except (LimitError, ZeroDivisionError):
        return None
    return evaluation
