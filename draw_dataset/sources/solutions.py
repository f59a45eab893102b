"""A worked solution as gold: the function of the question's numbers that its result is, written as an expression.

A worked solution is an answer whose derivation is taken for right (`draw_dataset.answers`). Its result is the last
calculation that comes to its final number. Each number in it is replaced by what it comes from (`choosing`), up to the
numbers of the text and constants. Where names stand on the way, as in ``x + 2x = 27``, they are eliminated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from math import prod

from draw_dataset.answers.reading import Work, take_apart
from draw_dataset.answers.setup import Worked
from draw_dataset.answers.sources import SCALES, TextSources
from draw_dataset.answers.worked import result_of
from draw_dataset.core.quantities import Algebra, Evaluation, Node, Ratio, Result, SetUp, Source, literals_of, names_of
from draw_dataset.core.quantities.expressions import CONSTANT
from draw_dataset.core.quantities.solving import Poly
from draw_dataset.errors import LimitError
from draw_dataset.sources.choosing import Chosen, choose
from draw_dataset.sources.constants import name_of_constant
from draw_dataset.sources.expressions import (
    ONE,
    Expression,
    constant,
    folded,
    leaves,
    quotient,
    same_function_key,
    value_of,
)
from draw_dataset.sources.rounding import is_rounded
from draw_dataset.sources.words import Surroundings, surroundings_of
from draw_dataset.text import FoundNumber

MAX_READINGS = 32
"""Readings of a solution that are looked at."""

MAX_LISTED = 4_096
"""Readings among which those are looked for."""


@dataclass(frozen=True, slots=True)
class Solved:
    """What a worked solution says.

    Attributes:
        expressions: the functions that its result may be, the most natural first; none if nothing leads to it.
        count: how many readings there are in all; more than the expressions if not all were looked at.
        final: the number that it gives as its result; None if there is none.
    """

    expressions: tuple[Expression, ...]
    count: int
    final: Fraction | None


def read_solution(
    question: str, numbers: Sequence[FoundNumber], solution: str, answer: Fraction | None = None
) -> Solved:
    """Return the functions that the result of a worked solution may be.

    Args:
        question: the text.
        numbers: its numbers.
        solution: the worked solution.
        answer: its result, where it is known otherwise; else the last number that it gives as its result.
    """
    # Only the units that the question speaks of: a reader of answers lists every form that somebody may have used.
    scales = {scale for scale in SCALES if name_of_constant(scale, question)}
    sources = TextSources([number.value for number in numbers], scales=scales)
    around = surroundings_of(question, numbers)
    best: Solved | None = None
    short = tidied(solution)
    for text in (short, solution) if short != solution else (solution,):
        found = _read(question, text, sources, numbers, around, answer)
        if found.expressions and not _has_odd_constant(found.expressions[0], f"{question}\n{solution}"):
            return found
        if best is None or not best.expressions:
            best = found
    return best or Solved((), 0, answer)


def _read(
    question: str,
    solution: str,
    sources: TextSources,
    numbers: Sequence[FoundNumber],
    around: Sequence[Surroundings],
    answer: Fraction | None,
) -> Solved:
    work = take_apart(solution, sources)
    final = answer if answer is not None else work.finals[-1].value if work.finals else None
    if final is None:
        return Solved((), 0, None)
    best: Solved | None = None
    for node in _ends(work, final):
        chosen = choose(question, work, sources, numbers, around, node)
        found = _readings(work, node, chosen, final, sources.values)
        if found.expressions and not _has_odd_constant(found.expressions[0], f"{question}\n{solution}"):
            return found
        if best is None or not best.expressions:
            best = found
    return best or Solved((), 0, final)


def _has_odd_constant(expression: Expression, text: str) -> bool:
    """Say whether an expression has a number that nobody can have counted, and that has no name in a text."""
    return any(
        leaf[0] == "c" and abs(leaf[1]) > COUNTED and name_of_constant(leaf[1], text) is None
        for leaf in leaves(expression)
    )


COUNTED = 12
"""The largest number that a solution may have counted for itself: two parents, ten fingers."""


MAX_ENDS = 3
"""Calculations of a solution that may be the one it ends in."""


def _ends(work: Work, final: Fraction) -> list[Node]:
    """Return the calculations that a solution may end in, the last first."""
    stated = [result.node for result in reversed(work.setup.results) if result.stated.value == final]
    other = result_of(work, final)
    return list(dict.fromkeys([*stated[:MAX_ENDS], *([] if other is None else [other])]))


_PER = re.compile(r"(?<=[A-Za-z\d])\s?/\s?(?!and\b|or\b)[a-z]{3,20}\b(?!\s*[(\d])")


def tidied(solution: str) -> str:
    """Return a solution without what a reader would stumble over: repeated calculations, and "per" as a slash.

    >>> tidied("So 3 cups/day * 2 days = <<3*2=6>>6 cups")
    'So 3 cups * 2 days = <<3*2=6>>6 cups'
    """
    return _PER.sub("", without_copies(solution))


_MARK = re.compile(r"<<([^<>\n]{1,200}?)=([^<>=\n]{1,60})>>")
_RESULT = re.compile(r"\.?\d")
_SPACED = re.compile(r"[\s,]|(?<!\d)\$")


def without_copies(solution: str) -> str:
    """Return a solution without the marks of a calculator that repeat what stands before them.

    >>> without_copies("5 * 2 = $<<5*2=10>>10 in all")
    '5 * 2 = $10 in all'
    >>> without_copies("5 bags of 2 = <<5*2=10>>10 in all")
    '5 bags of 2 = <<5*2=10>>10 in all'
    """
    if "<<" not in solution:
        return solution

    def shortened(match: re.Match[str]) -> str:
        calculation = _SPACED.sub("", match.group(1))
        before = solution[max(0, match.start() - 3 * len(match.group(1)) - 20) : match.start()]
        copied = _SPACED.sub("", before).replace("x", "*").replace("×", "*").endswith(f"{calculation}=")
        return "" if copied and _RESULT.match(solution, match.end()) else match.group()

    return _MARK.sub(shortened, solution)


def _readings(work: Work, node: Node, chosen: Chosen, final: Fraction, numbers: Sequence[Fraction]) -> Solved:
    setup = work.setup
    choices = chosen.choices
    first = {index: choice.source for index, choice in choices.items()}
    for index, sources in enumerate(setup.sources):
        first.setdefault(index, sources[0])
    named = _uses_names(setup, node, first)
    open_ = [i for i in _reached(setup, node, first, chosen.parts) if i in choices and choices[i].others]
    options = [(choices[index].source, *choices[index].others) for index in open_]
    found: dict[object, Expression] = {}
    for way in _ways(options):
        reading = first | dict(zip(open_, way, strict=True))
        try:
            expression = _as_final(_Builder(setup, reading, chosen.parts).expression(node, named), final, numbers)
            expression = None if expression is None else folded(expression)
        except (LimitError, ZeroDivisionError):
            continue
        key = None if expression is None else same_function_key(expression)
        if key is not None and expression is not None:
            found.setdefault(key, expression)
    count = prod(map(len, options))
    return Solved(tuple(found.values()), len(found) if count <= MAX_READINGS else count, final)


def _ways(options: Sequence[Sequence[Source]]) -> list[tuple[Source, ...]]:
    """Return the ways to choose, those first that differ least from the most natural one."""
    ranks = sorted(islice(product(*(range(len(listed)) for listed in options)), MAX_LISTED), key=_changes)
    return [tuple(listed[rank] for listed, rank in zip(options, way, strict=True)) for way in ranks[:MAX_READINGS]]


def _changes(way: tuple[int, ...]) -> int:
    return sum(rank > 0 for rank in way)


def _as_final(expression: Expression, final: Fraction, numbers: Sequence[Fraction]) -> Expression | None:
    """Return an expression that comes to the result, where that is a percentage perhaps a hundred times; else None."""
    sum(1 for _ in leaves(expression))  # checks its length
    value = value_of(expression, numbers)
    if value is None:
        return None
    if is_rounded(value, final):
        return expression
    return ("*", constant(Fraction(100)), expression) if is_rounded(100 * value, final) else None


def _reached(
    setup: SetUp, node: Node, sources: Mapping[int, Source], parts: Mapping[int, tuple[int, int]]
) -> list[int]:
    """Return the literals that a result comes from, by the sources that are chosen."""
    found: dict[int, None] = {}
    todo = [node]
    if _uses_names(setup, node, sources):
        todo += [side for left, right, _ in setup.equations for side in (left, right)]
    while todo:
        for index in literals_of(todo.pop()):
            if index not in found:
                found[index] = None
                if index in parts:
                    todo += [("number", part) for part in parts[index]]
                else:
                    todo += [setup.results[of].node for of in sources[index].results()]
    return list(found)


def _uses_names(setup: SetUp, node: Node, sources: Mapping[int, Source]) -> bool:
    todo, seen = [node], set()
    while todo:
        part = todo.pop()
        if names_of(part):
            return True
        for index in literals_of(part):
            source = sources[index]
            if source.kind == "name":
                return True
            new = [of for of in source.results() if of not in seen]
            seen.update(new)
            todo += [setup.results[of].node for of in new]
    return False


class _Builder:
    """Builds the expression of a result under one reading.

    Args:
        setup: the set-up of the solution.
        sources: where each literal comes from.
        parts: fractions that are two numbers.
    """

    def __init__(self, setup: Worked, sources: Mapping[int, Source], parts: Mapping[int, tuple[int, int]]) -> None:
        self._parts = parts
        self._setup = setup
        self._values = setup.values
        self._sources = sources
        self._results: dict[int, Expression] = {}

    def expression(self, node: Node, named: bool) -> Expression:
        """Return what a calculation is in the numbers of the text.

        Args:
            node: the calculation.
            named: whether names stand on its way.

        Raises:
            LimitError: it is too long, or names in it are not determined.
            ZeroDivisionError: it divides by zero.
        """
        if named:
            return self._eliminated(node)
        # The earlier ones first, as each builds on those before: no recursion from one to the next.
        for index in sorted(self._results_for(node)):
            self._results[index] = self._result(self._setup.results[index])
        return self._plain(node)

    def _results_for(self, node: Node) -> set[int]:
        reached = _reached(self._setup, node, self._sources, self._parts)
        return {of for index in reached for of in self._sources[index].results()}

    def _plain(self, node: Node) -> Expression:
        kind = node[0]
        if kind == "number":
            return self._literal(node[1])
        if kind == "name":
            raise LimitError("the names of the solution are not determined by its equations")
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
            above, below = self._parts[index]
            return quotient(self._literal(above), self._literal(below))
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
