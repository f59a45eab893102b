"""A worked solution as gold: the function of the question's numbers that its result is, written as an expression.

A worked solution is an answer whose derivation is taken for right (`draw_dataset.answers`). Its result is the last
calculation that comes to its final number. Each number in it is replaced by what it comes from (`choosing`), up to the
numbers of the text and constants. Where names stand on the way, as in ``x + 2x = 27``, they are eliminated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from draw_dataset.answers.reading import Work, take_apart
from draw_dataset.answers.sources import SCALES, TextSources
from draw_dataset.answers.worked import result_of
from draw_dataset.core.exact import is_rounded
from draw_dataset.core.quantities import Node, literals_of
from draw_dataset.errors import LimitError
from draw_dataset.sources.building import Builder
from draw_dataset.sources.choosing import Chosen, choose
from draw_dataset.sources.constants import COUNTED, name_of_constant
from draw_dataset.sources.expressions import (
    Expression,
    constant,
    folded,
    leaves,
    same_function_key,
    value_of,
)
from draw_dataset.sources.repeats import solved_names
from draw_dataset.sources.tidying import tidied, without_blanks
from draw_dataset.sources.words import Surroundings, surroundings_of
from draw_dataset.text import FoundNumber

MAX_READINGS = 32
"""Readings of a solution that are looked at."""


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
    solution = without_blanks(solution, [number.text for number in numbers])
    short = tidied(solution)
    for text in (short, solution) if short != solution else (solution,):
        found = _read(question, text, sources, numbers, around, answer)
        if found.expressions and odd_constant(found.expressions[0], f"{question}\n{solution}") is None:
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
    for node in _ends(work, final, f"{question}\n{solution}"):
        chosen = choose(question, work, sources, numbers, around, node)
        found = _readings(work, node, chosen, final, sources.values)
        if found.expressions and odd_constant(found.expressions[0], f"{question}\n{solution}") is None:
            return found
        if best is None or not best.expressions:
            best = found
    return best or Solved((), 0, final)


def odd_constant(expression: Expression, text: str) -> Fraction | None:
    """Return a number of an expression that has no name in a text, and that nobody can have counted; None if none.

    What is counted is small and whole, and something is multiplied or divided by it: three people, two ways. A part of
    something (1/3 is left) may have been found without a word, but nobody counts 2.5 hours.
    """
    todo: list[tuple[Expression, bool]] = [(expression, True)]
    while todo:
        part, added = todo.pop()
        if part[0] == "c":
            value: Fraction = abs(part[1])
            uncounted = value > 1 and value.denominator > 1
            if (uncounted or value > (2 if added else COUNTED)) and name_of_constant(value, text) is None:
                return value
        elif part[0] != "q":
            todo += [(inner, part[0] in "+-") for inner in part[1:]]
    return None


MAX_ENDS = 3
"""Calculations of a solution that may be the one it ends in."""


def _ends(work: Work, final: Fraction, text: str) -> list[Node]:
    """Return the calculations that a solution may end in, the last first."""
    literals = work.setup.literals
    stated = [result.node for result in reversed(work.setup.results) if result.stated.value == final]
    other = result_of(work, final)
    solved = {work.setup.results[i].node: ("name", name) for i, name in solved_names(work.setup).items()}
    ends = [*stated, *([] if other is None else [other])]
    found = dict.fromkeys([*(solved[node] for node in ends if node in solved), *ends])
    # A conversion by a factor that nobody wrote, and that has no name, has the value by chance.
    return [
        node
        for node in found
        if all(literals[i].end or name_of_constant(literals[i].value, text) for i in literals_of(node))
    ][:MAX_ENDS]


def _readings(work: Work, node: Node, chosen: Chosen, final: Fraction, numbers: Sequence[Fraction]) -> Solved:
    setup = work.setup
    found: dict[object, Expression] = {}
    for changed in ({}, *chosen.others[: MAX_READINGS - 1]):
        reading = {**chosen.first, **changed}
        try:
            expression = _as_final(Builder(setup, reading, chosen.parts).expression(node), final, numbers)
            expression = None if expression is None else folded(expression)
        except (LimitError, ZeroDivisionError):
            continue
        key = None if expression is None else same_function_key(expression)
        if key is not None and expression is not None and expression[0] not in ("q", "c"):
            found.setdefault(key, expression)  # a number of the text alone is the result by chance
    count = len(chosen.others) + 1
    return Solved(tuple(found.values()), len(found) if count <= MAX_READINGS else count, final)


def _as_final(expression: Expression, final: Fraction, numbers: Sequence[Fraction]) -> Expression | None:
    """Return an expression that comes to the result, where that is a percentage perhaps a hundred times; else None."""
    sum(1 for _ in leaves(expression))  # checks its length
    value = value_of(expression, numbers)
    if value is None:
        return None
    if is_rounded(value, final):
        return expression
    return ("*", constant(Fraction(100)), expression) if is_rounded(100 * value, final) else None
