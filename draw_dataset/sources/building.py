"""The question: what is a calculation of a solution in the numbers of the text, if its numbers come from given sources.

Each number is replaced by what it comes from, up to the numbers of the text and constants. Where names stand on the
way, as in ``x + 2x = 27``, they are eliminated.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from draw_dataset.answers.setup import Worked
from draw_dataset.core.quantities import Algebra, Evaluation, Node, Ratio, Result, SetUp, Source
from draw_dataset.core.quantities.expressions import CONSTANT
from draw_dataset.core.quantities.solving import Poly
from draw_dataset.errors import LimitError
from draw_dataset.sources.expressions import ONE, Expression, constant, leaves, quotient
from draw_dataset.sources.reaching import way_to


class Builder:
    """Builds the expression of a result under one reading.

    Args:
        setup: the set-up of the solution.
        sources: where each literal comes from.
        parts: literals that are two numbers.
    """

    def __init__(self, setup: Worked, sources: Mapping[int, Source], parts: Mapping[int, Node]) -> None:
        self._parts = parts
        self._setup = setup
        self._values = setup.values
        self._sources = sources
        self._results: dict[int, Expression] = {}

    def expression(self, node: Node) -> Expression:
        """Return what a calculation is in the numbers of the text.

        Args:
            node: the calculation.

        Raises:
            LimitError: it is too long, or names in it are not determined.
            ZeroDivisionError: it divides by zero.
        """
        way = way_to(self._setup, node, self._sources, self._parts)
        if way.named:
            return self._eliminated(node)
        # The earlier ones first, as each builds on those before: no recursion from one to the next.
        for index in sorted(way.results):
            self._results[index] = self._result(self._setup.results[index])
        return self._plain(node)

    def _plain(self, node: Node) -> Expression:
        kind = node[0]
        if kind == "number":
            return self._literal(node[1])
        if kind == "neg":
            return ("-", constant(Fraction(0)), self._plain(node[1]))
        if kind == "^":
            base = self._plain(node[1])
            found = ONE if not node[2] else base
            for _ in range(node[2] - 1):
                found = ("*", found, base)
            return found
        left, right = self._plain(node[1]), self._plain(node[2])
        if kind == "*" and ONE in (left, right):
            return right if left == ONE else left  # times 100 %
        return quotient(left, right) if kind == "/" else (kind, left, right)

    def _literal(self, index: int) -> Expression:
        if index in self._parts:
            return self._plain(self._parts[index])
        source, literal = self._sources[index], self._setup.literals[index]
        if source.kind == "constant":
            return constant(literal.amount)
        found: Expression
        if source.kind == "text":
            found = ("q", source.of + 1)
        elif source.kind == "result":
            found = self._results[source.of]
        elif source.kind == "rest":
            found = ("-", ("q", source.of[0] + 1), self._results[source.of[1]])
        else:
            i, j = source.of
            found = (_SIGNS[source.kind], ("q", i + 1), ("q", j + 1))
        if source.inverse:
            found = ("/", constant(source.scale), found)
        elif source.scale == _HUNDREDTH:
            found = ("/", found, constant(Fraction(100)))
        elif source.scale == -1:
            found = ("-", constant(source.offset), found)
        elif source.scale != 1:
            found = ("*", constant(source.scale), found)
        if source.offset and source.scale != -1:
            if source.scale < 0:
                plain = ("q", source.of + 1) if source.kind == "text" else self._results[source.of]
                return ("-", constant(source.offset), ("*", constant(-source.scale), plain))
            found = ("+", constant(source.offset), found)
        return found

    def _result(self, result: Result) -> Expression:
        found = self._plain(result.node)
        sum(1 for _ in leaves(found))  # checks its length
        if result.stated.percent and self._values.get(result.node) == result.stated.value:
            return ("/", found, constant(Fraction(100)))  # 100 - 60 = 40%
        return found

    def _eliminated(self, node: Node) -> Expression:
        """Return a calculation with names in it, solved for by the equations of the solution."""
        setup = SetUp(
            self._setup.literals, [[self._sources.get(i, CONSTANT)] for i in range(len(self._setup.literals))]
        )
        setup.equations, setup.results = self._setup.equations, self._setup.results
        ranks = {of for source in self._sources.values() for of in source.numbers()}
        letters: list[Ratio] = [({(-1 - i,): 1}, {(): 1}) for i in range(max(ranks, default=-1) + 1)]
        evaluation = Evaluation(setup, Algebra(), letters)
        evaluation.add_all()
        above, below = evaluation.known(node)
        if any(variable >= 0 for poly in (above, below) for monomial in poly for variable in monomial):
            raise LimitError("the names of the solution are not determined by its equations")
        if all(coefficient < 0 for coefficient in below.values()):
            above, below = ({monomial: -c for monomial, c in poly.items()} for poly in (above, below))
        if len(below) == 1 and () in below:
            return _sum({monomial: Fraction(c) / below[()] for monomial, c in above.items()})
        return ("/", _sum(above), _sum(below))


def _sum(poly: Poly) -> Expression:
    """Return a polynomial as a sum of products."""
    found: Expression | None = None
    for monomial, coefficient in sorted(poly.items(), key=lambda item: (item[1] < 0, item[0])):
        size, negative = abs(Fraction(coefficient)), coefficient < 0
        term: Expression | None = None if size == 1 and monomial else constant(size)
        for variable in sorted(monomial, reverse=True):
            number: Expression = ("q", -variable)
            term = number if term is None else ("*", term, number)
        if term is None:
            term = constant(size)
        if found is None:
            found = ("-", constant(Fraction(0)), term) if negative else term
        else:
            found = ("-" if negative else "+", found, term)
    return found or constant(Fraction(0))


_SIGNS = {"sum": "+", "difference": "-", "product": "*", "quotient": "/"}
_HUNDREDTH = Fraction(1, 100)
