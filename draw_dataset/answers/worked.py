"""A worked solution as gold: the function of the question's numbers that its result is.

A worked solution is an answer whose derivation is taken for right. Its result is the last quantity that has the value
of its final number. Where one of its literals may come from several numbers of equal value, nobody can tell which is
meant: every such reading is a gold of its own, the most natural first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from draw_dataset.answers.reading import Work, take_apart, text_sources
from draw_dataset.answers.setup import Worked, nearly
from draw_dataset.core.quantities import Algebra, Evaluation, Node, Ratio, literals_of
from draw_dataset.errors import LimitError, ReadError
from draw_dataset.text import find_numbers

MAX_READINGS = 10
"""Readings of a worked solution that are looked at."""


_OF_TEXT = ("text", "result")


class WorkedGold:
    """The result of a worked solution as a function of the numbers of its question, under one reading.

    Attributes:
        numbers: the numbers of the question.
        ones: those that are 1.
    """

    __slots__ = ("_chosen", "_node", "_setup", "numbers", "ones")

    def __init__(self, setup: Worked, node: Node, numbers: Sequence[Fraction], chosen: Mapping[int, int]) -> None:
        self._setup = setup
        self._node = node
        self._chosen = chosen
        self.numbers = tuple(numbers)
        self.ones = frozenset(i for i, value in enumerate(numbers) if value == 1)

    def at(self, algebra: Algebra, numbers: Sequence[Ratio]) -> list[Ratio] | None:
        """Return the result where given quotients stand for the numbers; None where it has no value."""
        evaluation = Evaluation(self._setup, algebra, numbers, self._chosen)
        try:
            evaluation.add_all()
            return [evaluation.known(self._node)]
        except (LimitError, ZeroDivisionError):
            return None


def worked_golds(question: str, solution: str) -> list[WorkedGold]:
    """Return the golds that a worked solution may mean, the most natural first.

    >>> golds = worked_golds("Ann has 16 eggs. She eats 3 and sells the rest for $2 each.", "16-3=13. 13*2=26. A: 26")
    >>> len(golds)
    1

    Raises:
        ReadError: nothing in the solution leads to its final number.
    """
    numbers = tuple(number.value for number in find_numbers(question))
    work = take_apart(solution, text_sources(numbers))
    node = result_of(work, work.finals[-1].value) if work.finals else None
    if node is None:
        raise ReadError("solution", "calculations that lead to its final number", solution[-60:])
    golds = [WorkedGold(work.setup, node, numbers, {})]
    for index in _literals(work.setup, node):
        first, *rest = work.setup.sources[index]
        for option, source in enumerate(rest, 1):
            alike = first.kind in _OF_TEXT and source.kind in _OF_TEXT and first.scale == source.scale
            if source.kind == "constant":
                # 100 - 60 is a percentage, even where another 100 was found before.
                alike = first.kind in _OF_TEXT and work.setup.literals[index].value == 100
            if alike and not source.offset and not source.inverse and len(golds) < MAX_READINGS:
                golds.append(WorkedGold(work.setup, node, numbers, {index: option}))
    return golds


def result_of(work: Work, final: Fraction) -> Node | None:
    """Return the expression whose value a solution gives as its result; it must come to that, but for rounding.

    Args:
        work: the solution, taken apart.
        final: its result.
    """
    values = work.setup.values
    for result in reversed(work.setup.results):
        value = values.get(result.node)
        if result.stated.value == final and value is not None and nearly(value, result.stated.amount, result.stated):
            return result.node
    for node, value in values.items():
        # A conversion by a factor nobody wrote has the value by chance.
        if value == final and all(work.setup.literals[i].end for i in literals_of(node)):
            return node
    return None


def _literals(setup: Worked, node: Node) -> list[int]:
    """Return the literals that a result comes from."""
    found: dict[int, None] = {}
    todo = [node, *(side for left, right, _ in setup.equations for side in (left, right))]
    while todo:
        for index in literals_of(todo.pop()):
            if index not in found:
                found[index] = None
                todo += [setup.results[s.of].node for s in setup.sources[index] if s.kind == "result"]
    return list(found)
