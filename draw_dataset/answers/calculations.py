"""Calculations with numbers alone: what they say, and where their results are used.

A calculation gives a result, and its number stands for that result later on. A number that remains after expanding
brackets is such a result as well, and so is an amount in another unit. A wrong result is a slip.
"""

from __future__ import annotations

from fractions import Fraction

from draw_dataset.answers.links import Links
from draw_dataset.answers.setup import Slip, Worked, exact, nearly
from draw_dataset.answers.writings import Writings
from draw_dataset.core.quantities import (
    Evaluation,
    Literal,
    Node,
    Result,
    has_names,
    is_bare,
    is_fraction,
    is_ratio,
    literals_of,
)
from draw_dataset.core.quantities.expressions import as_written
from draw_dataset.prose.relations import Relation

_FACTORS = (2, 3, 4, 5, 7, 8, 10, 12, 16, 24, 30, 36, 52, 60, 100, 365, 1000, 3600)
BETWEEN_UNITS = frozenset(Fraction(*pair) for factor in _FACTORS for pair in ((factor, 1), (1, factor)))
"""Factors between two units."""


class Calculations:
    """Takes the calculations of an answer in their order.

    Args:
        setup: where results, quantities and slips are kept.
        now: what the equations so far determine.
        links: records results, so that later numbers may stand for them.
        writings: the expressions as polynomials.
    """

    def __init__(self, setup: Worked, now: Evaluation, links: Links, writings: Writings) -> None:
        self._setup = setup
        self._now = now
        self._links = links
        self._writings = writings
        self._last: Relation | None = None

    def is_repeated(self, statement: Relation) -> bool:
        """Say whether a calculation is the one before on its line once more, as ``3*4 = <<3*4=12>>12`` has it."""
        last = self._last
        self._last = statement if _is_calculation(statement) else None
        # On another line the same numbers mostly count other things.
        if last is None or self._last is None or last.line != statement.line:
            return False
        written = _written(statement, self._setup.literals)
        return written is not None and written == _written(last, self._setup.literals)

    def expanded(self, at: int, before: Node, after: Node) -> None:
        """Record the origin of a number that remains after expanding brackets: 0.5(40 - x) = 20 - 0.5x."""
        if before[0] in ("name", "number") or not has_names(before) or not has_names(after):
            return
        alone = [(part, minus) for part, minus in _addends(after) if is_bare(part)]
        if len(alone) == 1 and self._writings.form(before) == self._writings.form(after):
            ((part, minus),) = alone
            node = _without_names(before, self._setup.add_constant(Fraction(0)))
            self.result(at, ("neg", node) if minus else node, part)

    def arithmetic(self, at: int, sides: tuple[Node, ...]) -> str:
        """Add a calculation, and return its kind."""
        literals = self._setup.literals
        plain = [
            (number, side) for number, side in enumerate(sides) if is_bare(side) and not is_fraction(side, literals)
        ]
        worked = [side for side in sides if not is_bare(side) or is_fraction(side, literals)]
        bare = plain
        if is_ratio(sides[-1], literals) and len(worked) > 1:
            if is_fraction(sides[-1], literals):
                bare = [*plain, (len(sides) - 1, sides[-1])]
            worked = worked[:-1]
        if not worked:
            return self._conversion(at, sides)
        for side in worked:
            self._setup.quantities.append((side, at))
        expected, written = self._now.value(worked[0]), as_written(worked[0], literals)
        kind = "step"
        first = sides.index(worked[0])
        before: Node | None = None
        for number, side in bare:
            got = self.amount(side)
            literal = self._setup.literals[literals_of(side)[0]]
            # What is calculated with rounded numbers is no slip if it is right as it is written.
            holds = expected is None or nearly(expected, got, literal)
            if not holds and (written is None or not nearly(written, got, literal)):
                if number < first:
                    continue  # what is converted: 40 nickels = 40 * 5 = 200 cents
                if self._in_another_unit(at, worked[0], before, side):
                    continue
                self._setup.slips.append(Slip(at, number, exact(expected), got))
                kind = "slip"
            self.result(at, worked[0], side, wrong=kind == "slip")
            before = side
        return kind

    def _in_another_unit(self, at: int, node: Node, before: Node | None, side: Node) -> bool:
        """Add that the result before is stated again in another unit: 4 * 25 = 100 cents = 1 dollar."""
        if before is None or self._unit(before) == self._unit(side) or not self.amount(before):
            return False
        factor = self.amount(side) / self.amount(before)
        if factor not in BETWEEN_UNITS:
            return False
        self.result(at, ("*", node, self._setup.add_constant(factor)), side)
        return True

    def _conversion(self, at: int, sides: tuple[Node, ...]) -> str:
        """Add that two numbers are the same: 5% = 0.05, or 48 quarts = 12 gallons."""
        one, other = self.amount(sides[0]), self.amount(sides[-1])
        literals = [self._setup.literals[literals_of(side)[0]] for side in (sides[0], sides[-1])]
        if one == other:
            if literals[0].percent != literals[1].percent or literals[0].parts != literals[1].parts:
                self.result(at, sides[0], sides[-1])
        elif one and other and self._unit(sides[0]) != self._unit(sides[-1]) and other / one in BETWEEN_UNITS:
            self.result(at, ("*", sides[0], self._setup.add_constant(other / one)), sides[-1])
        return "remark"

    def _unit(self, node: Node) -> str:
        return self._setup.literals[literals_of(node)[0]].unit

    def result(self, at: int, node: Node, stated: Node, wrong: bool = False) -> None:
        """Record the result of a calculation, and whether it is wrong."""
        literal = self._setup.literals[literals_of(stated)[0]]
        if stated[0] == "neg":
            node = ("neg", node)
        self._links.add(literal, wrong)
        self._setup.results.append(Result(node, literal, at))
        if literal.parts is not None and literal.parts[0] == 1:
            # A worker who does 1/60 of a job in a minute needs 60 minutes; answers rarely say so.
            self._setup.quantities.append((("/", self._setup.add_constant(Fraction(1)), node), at))

    def amount(self, node: Node) -> Fraction:
        """Return what a number is worth that is one side of a statement."""
        literal = self._setup.literals[literals_of(node)[0]]
        value = literal.value / 100 if literal.percent else literal.value
        return -value if node[0] == "neg" else value


def _is_calculation(statement: Relation) -> bool:
    """Say whether a statement is a calculation with numbers alone, and its result."""
    sides = statement.sides
    return len(sides) == 2 and not is_bare(sides[0]) and not any(map(has_names, sides))


def _written(statement: Relation, literals: list[Literal]) -> object:
    """Return the numbers of a calculation and its result; None if that is too long."""
    value = as_written(statement.sides[0], literals)
    if value is None:
        return None
    return [sorted(literals[index].value for index in literals_of(side)) for side in statement.sides], value


def _addends(node: Node, minus: bool = False) -> list[tuple[Node, bool]]:
    """Return the parts of a sum or difference, and whether each is subtracted."""
    if node[0] in ("+", "-"):
        return [*_addends(node[1], minus), *_addends(node[2], minus ^ (node[0] == "-"))]
    return [(node, minus)]


def _without_names(node: Node, zero: Node) -> Node:
    """Return an expression with zero for each name."""
    if node[0] == "name":
        return zero
    if node[0] == "number":
        return node
    return (node[0], *(_without_names(part, zero) if isinstance(part, tuple) else part for part in node[1:]))
