"""The question: which results of a solution are not quantities of their own.

A result that does not follow is a slip. One that was read with a factor nobody wrote, or that only says what a number
of the text is, has a better source. And a calculation that stands twice on a line, in words and as a calculator's mark,
is one calculation: the second is the twin of the first.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from draw_dataset.answers.reading import Work
from draw_dataset.answers.setup import Worked, nearly
from draw_dataset.core.quantities import Result, literals_of, names_of
from draw_dataset.text import FoundNumber

_SCALES = frozenset((12, 100, 1_000, 1_000_000))
"""What a dozen, a hundred and the like are."""


def broken_results(setup: Worked, numbers: Sequence[FoundNumber]) -> set[int]:
    """Return the results that no later number stands for.

    Args:
        setup: the set-up of the solution.
        numbers: the numbers of the text.
    """
    slips = {i for i, result in enumerate(setup.results) if not _holds(setup, result)}
    return slips | _guessed(setup, slips) | _spelled_out(setup, numbers)


def _holds(setup: Worked, result: Result) -> bool:
    value = setup.values.get(result.node)
    return value is not None and (value == result.stated.value or nearly(value, result.stated.amount, result.stated))


def _guessed(setup: Worked, slips: Set[int]) -> set[int]:
    """Return the results with a factor nobody wrote or with names in them, where the bare calculation follows."""
    found = set()
    for index, (one, other) in enumerate(zip(setup.results, setup.results[1:], strict=False)):
        if one.stated.amount != other.stated.amount or index + 1 in slips or names_of(other.node):
            continue
        if names_of(one.node) or any(not setup.literals[i].end for i in literals_of(one.node)):
            found.add(index)
    return found


def _spelled_out(setup: Worked, numbers: Sequence[FoundNumber]) -> set[int]:
    """Return the results that only say what a number of the text is: 2 * 12 = 24, where the text has 2 dozen."""
    scaled = {number.value for number in numbers if number.kind == "scale"}
    found = set()
    for index, result in enumerate(setup.results):
        values = sorted(setup.literals[i].value for i in literals_of(result.node))
        if result.node[0] == "*" and len(values) == 2 and result.stated.value in scaled and values[1] in _SCALES:
            found.add(index)
    return found


def solved_names(setup: Worked) -> dict[int, str]:
    """Return the results that only solve an equation for its name: 50/5 after 4x + x = 50 and 5x = 50 is x.

    The equation that was set up first says what the 5 is.
    """
    if not setup.equations:
        return {}
    literals = setup.literals
    stated = [(result.node, result.stated.value) for result in setup.results]
    sides = [(left, literals[right[1]].value) for left, right, _ in setup.equations if right[0] == "number"]
    coefficients = {
        (literals[node[1][1]].value, value): node[2][1]
        for node, value in (*stated, *sides)
        if node[0] == "*" and node[1][0] == "number" and node[2][0] == "name"
    }
    others = [
        {*names_of(left), *names_of(right)} for left, right, _ in setup.equations if left[0] in "+-" or right[0] in "+-"
    ]
    found = {}
    for index, (node, _) in enumerate(stated):
        if node[0] == "/" and node[1][0] == node[2][0] == "number":
            name = coefficients.get((literals[node[2][1]].value, literals[node[1][1]].value))
            if name is not None and any(name in names for names in others):
                found[index] = name
    return found


def twins(work: Work, broken: Set[int]) -> list[int]:
    """Return for each result the first of its line that is the same calculation, perhaps itself."""
    found: list[int] = []
    seen: dict[object, int] = {}
    last: tuple[object, int] = (None, 0)
    literals, text = work.setup.literals, work.plain.text
    for index, result in enumerate(work.setup.results):
        if index in broken:
            found.append(index)
            continue
        amounts = tuple(sorted(literals[i].amount for i in literals_of(result.node)))
        line = text.rfind("\n", 0, work.statements[result.at].start)
        twin = seen.setdefault((line, amounts, result.stated.amount), index)
        if twin == index and last[0] == (line, result.stated.amount):
            twin = last[1]  # said again in other words
        last = (line, result.stated.amount), twin
        found.append(twin)
    return found
