"""Set-ups: the values of expressions in equations with literals, under one reading of the literals.

The same evaluation serves three purposes, depending on what it gets for the numbers of the text. With their values, it
computes the quantities. With other values in a prime field, it rejects. With letters, it proves that two functions are
the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from draw_dataset.core.quantities.expressions import AS_IT_IS, CONSTANT, Literal, Node, Source, is_worded
from draw_dataset.core.quantities.solving import ONE, Algebra, Coefficient, Outcome, Ratio, Solving
from draw_dataset.errors import LimitError

MAX_DEPTH = 200
"""How deep results may build on each other, and brackets may be nested."""


@dataclass(slots=True)
class Result:
    """The result of a calculation.

    Attributes:
        node: the calculation.
        stated: the literal that is stated as its result.
        at: the statement that says so.
    """

    node: Node
    stated: Literal
    at: int


@dataclass(slots=True)
class SetUp:
    """Equations and calculations whose literals may come from several places.

    Attributes:
        literals: the numbers.
        sources: for each literal where it may come from, the most natural first.
        equations: pairs of sides, and the statement that says so.
        results: the calculations.
        quantities: the expressions that may be what is asked for, and the statement that names them.
        memory: what was computed of literals, sources, equations and results, once they are complete.
    """

    literals: list[Literal]
    sources: list[list[Source]]
    equations: list[tuple[Node, Node, int]] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    quantities: list[tuple[Node, int]] = field(default_factory=list)
    memory: dict[object, Any] = field(default_factory=dict, repr=False, compare=False)

    def add_constant(self, value: Fraction) -> Node:
        """Return an expression for a number that is added by us and is not in the text."""
        self.literals.append(Literal(value, 0, 0, str(value)))
        self.sources.append([CONSTANT])
        return ("number", len(self.literals) - 1)


class Evaluation:
    """Values of expressions under one reading of the literals.

    Args:
        setup: the equations and calculations.
        algebra: the arithmetic.
        numbers: the value for each class of numbers of the text.
        chosen: for each literal the source that is meant; the first if it is not listed.
        zeros: see `Solving`.
    """

    __slots__ = ("_depth", "_ratios", "_results", "algebra", "chosen", "names", "numbers", "setup", "solving")

    def __init__(
        self,
        setup: SetUp,
        algebra: Algebra,
        numbers: Sequence[Ratio],
        chosen: Mapping[int, int] | None = None,
        zeros: bool = True,
    ) -> None:
        self.setup = setup
        self.algebra = algebra
        self.numbers = numbers
        self.chosen = chosen or {}
        self.names: dict[str, int] = {}
        self.solving = Solving(algebra, zeros)
        self._ratios: dict[object, Ratio] = {}
        self._results: dict[int, Ratio] = {}
        self._depth = 0

    def add(self, left: Node, right: Node) -> Outcome:
        """Add the equation that two expressions are equal."""
        a, b = self.ratio(left), self.ratio(right)
        algebra = self.algebra
        return self.solving.add(algebra.add(algebra.multiply(a[0], b[1]), algebra.multiply(b[0], a[1]), -1))

    def add_all(self) -> None:
        """Add all equations of the set-up."""
        for left, right, _ in self.setup.equations:
            self.add(left, right)

    def value(self, node: Node) -> Coefficient | None:
        """Return the value of an expression; None if it is not determined, or divides by zero."""
        try:
            return self.solving.value(self.ratio(node))
        except ZeroDivisionError:
            return None

    def known(self, node: Node) -> Ratio:
        """Return an expression after replacing its names by everything that is known about them."""
        return self.solving.known(self.ratio(node))

    def ratio(self, node: Node) -> Ratio:
        """Return an expression as a quotient of polynomials in its names.

        Raises:
            LimitError: it is too deep or too large.
            ZeroDivisionError: it divides by zero.
        """
        kind = node[0]
        if kind == "name":
            return self._name(node[1])
        # Only whole expressions and literals are cached: hashing every part of an expression would cost more.
        key: object = node[1] if kind == "number" else node if not self._depth else None
        if key is not None:
            found = self._ratios.get(key)
            if found is not None:
                return found
        self._depth += 1
        try:
            if self._depth > MAX_DEPTH:
                raise LimitError(
                    f"expected calculations that depend on each other at most {MAX_DEPTH} deep, but got more"
                )
            found = self._ratio(node)
        finally:
            self._depth -= 1
        if key is not None:
            self._ratios[key] = found
        return found

    def _ratio(self, node: Node) -> Ratio:
        kind = node[0]
        algebra = self.algebra
        if kind == "number":
            return self._literal(node[1])
        if kind == "neg":
            above, below = self.ratio(node[1])
            return algebra.add({}, above, -1), below
        if kind == "^":
            above, below = self.ratio(node[1])
            result: Ratio = (ONE, ONE)
            for _ in range(node[2]):
                result = algebra.multiply(result[0], above), algebra.multiply(result[1], below)
            return result
        return algebra.combine(kind, self.ratio(node[1]), self.ratio(node[2]))

    def _name(self, name: str) -> Ratio:
        index = self.names.get(name)
        if index is None:
            self.names[name] = index = len(self.names)
            # People solve for letters. Names in words stand for other things and are eliminated first.
            self.solving.rank[index] = 0 if is_worded(name) else 1
        return {(index,): 1}, ONE

    def _literal(self, index: int) -> Ratio:
        literal = self.setup.literals[index]
        source = self.setup.sources[index][self.chosen.get(index, 0)]
        algebra = self.algebra
        if source.kind == "constant":
            return algebra.number(literal.amount)
        found = self._source(source)
        if source[2:] == AS_IT_IS:
            return found
        if source.inverse:
            found = algebra.combine("/", (ONE, ONE), found)
        if source.scale != 1:
            found = algebra.multiply(found[0], algebra.constant(source.scale)), found[1]
        if source.offset:
            found = algebra.add(found[0], algebra.multiply(algebra.constant(source.offset), found[1])), found[1]
        return found

    def _source(self, source: Source) -> Ratio:
        if source.kind == "text":
            return self.numbers[int(source.of)]
        if source.kind == "name":
            return self._name(source.of)
        if source.kind == "result":
            return self._result(source.of)
        if source.kind == "rest":
            return self.algebra.combine("-", self.numbers[source.of[0]], self._result(source.of[1]))
        i, j = source.of
        return self.algebra.combine(_SIGNS[source.kind], self.numbers[i], self.numbers[j])

    def _result(self, number: int) -> Ratio:
        found = self._results.get(number)
        if found is None:
            self._results[number] = found = self.ratio(self.setup.results[number].node)
        return found


_SIGNS = {"sum": "+", "difference": "-", "product": "*", "quotient": "/"}
