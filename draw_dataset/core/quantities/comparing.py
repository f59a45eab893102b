"""Comparison of one quantity of a set-up with one gold quantity, under one reading of the literals.

The quantity is rejected if it differs from gold at one point of a prime field with other numbers: equal functions agree
everywhere. It is accepted only by an identity: with letters for the numbers, both are the same quotient of polynomials.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from draw_dataset.core.algebra.polynomial import PRIME
from draw_dataset.core.quantities.expressions import Node
from draw_dataset.core.quantities.linear import FieldNumbers, LinearEvaluation, NotLinear
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


class Comparing:
    """One set-up compared with one gold derivation.

    In the most natural reading every quantity is asked for at the same points. What the equations determine there is
    found once and kept; the work is counted each time, so that what can be tried does not depend on the order.

    Args:
        setup: the set-up.
        points: the gold quantities at points.

    Attributes:
        left: the work that may still be done.
    """

    __slots__ = ("_at_points", "_field", "_linear", "_sources", "_with_letters", "left", "points", "setup")

    def __init__(self, setup: SetUp, points: GoldPoints) -> None:
        self.setup = setup
        self.points = points
        self.left = COMPARING
        self._field = Algebra(PRIME)
        self._linear = True
        self._sources: dict[Changed, FieldNumbers] = {}
        self._at_points: dict[Changed, tuple[LinearEvaluation, int]] = {}
        self._with_letters: dict[Changed, tuple[Evaluation | None, int]] = {}

    def same(self, wanted: Wanted, chosen: Mapping[int, int], changed: Changed) -> bool:
        """Say whether a quantity equals the gold quantity at one point where some numbers are changed."""
        gold = self.points.in_field(changed)
        if gold is None:
            return True  # gold has no value there
        value = self.value(wanted.node, chosen, changed)
        return value is not None and value == gold[wanted.unknown] * self._field.residue(wanted.scale) % PRIME

    def value(self, node: Node, chosen: Mapping[int, int], changed: Changed) -> int | None:
        """Return the value of an expression at such a point; None if it has no value, or takes too much work."""
        if self._linear:
            try:
                evaluation, steps = self._at_point(chosen, changed)
                self.left -= steps
                return evaluation.value(node)
            except ZeroDivisionError:
                return None
            except NotLinear:
                self._linear = False  # it is not linear with other numbers either
        self._field.left = WORK
        found = self._in_field(node, chosen, changed)
        self.left -= WORK - self._field.left + len(self.setup.equations)
        return found

    def _at_point(self, chosen: Mapping[int, int], changed: Changed) -> tuple[LinearEvaluation, int]:
        """Return what linear equations determine at such a point, and how much work that is."""
        found = None if chosen else self._at_points.get(changed)
        if found is None:
            evaluation = LinearEvaluation(self.sources(changed), chosen)
            found = evaluation, evaluation.steps
            if not chosen:
                self._at_points[changed] = found
        return found

    def sources(self, changed: Changed) -> FieldNumbers:
        """Return the values of the literals' sources at such a point."""
        found = self._sources.get(changed)
        if found is None:
            self._sources[changed] = found = FieldNumbers(self.setup, self.points.point(changed))
        return found

    def _in_field(self, node: Node, chosen: Mapping[int, int], changed: Changed) -> int | None:
        field = self._field
        numbers: list[Ratio] = [field.number(value) for value in self.points.point(changed)]
        evaluation = _evaluation(self.setup, field, numbers, chosen)
        try:
            value = None if evaluation is None else evaluation.value(node)
        except LimitError:
            return None
        return None if value is None else int(value)

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
