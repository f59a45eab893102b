"""Why two templates are not equivalent: the smallest reason that a person can check by hand.

Different numbers of slots, unknowns or solutions are reasons by themselves. Otherwise a *witness* is searched: slot
values at which the templates disagree. A single choice of values proves nothing, since the slots might correspond in
another way. So the values are two small numbers. They are given to the slots of the first template in one way, and
compared with every way of giving the same numbers to the slots of the second. If all slots get the same number, there
is only one way. The search has a budget; if it ends without a witness, the reason is given without one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb

from draw_dataset.core.equations import Solution, SolutionKind, solution_set, solve_grounded
from draw_dataset.core.equivalence.templates import TemplateLike, read_pair, templates_equivalent
from draw_dataset.core.limits import Meter, comparing
from draw_dataset.core.template import Template
from draw_dataset.errors import LimitError

_PAIRS = ((2, 3), (3, 5), (7, 2), (11, 5))
_MOST_WAYS = 1_000
_SOLVING = 50
"""The cost of solving the smallest system, in units of work."""


@dataclass(frozen=True, slots=True)
class Witness:
    """Values for the slots of the first template that the second template cannot match with the same values.

    Attributes:
        values: a value for each slot of the first template.
        solution: the solution of the first template there.
        other_values: one of the ways to give the same values to the second template's slots.
        other_solution: the solution of the second template there.
        ways: the number of ways; none of them gives the first template's solution.
    """

    values: dict[str, int]
    solution: Solution
    other_values: dict[str, int]
    other_solution: Solution
    ways: int


@dataclass(frozen=True, slots=True)
class Difference:
    """The reason why two templates are not equivalent.

    Attributes:
        code: ``slot count``, ``unknown count``, ``solution kind`` or ``solutions``.
        message: the reason in a sentence.
        witness: slot values that show it, where the reason needs them and small ones suffice.
    """

    code: str
    message: str
    witness: Witness | None = None


def find_difference(
    predicted: TemplateLike,
    gold: TemplateLike,
    names: tuple[str, str] = ("the first", "the second"),
    *,
    unknowns: Iterable[str] | None = None,
) -> Difference | None:
    """Return why two templates are not equivalent; None if they are equivalent.

    >>> print(find_difference("m = a + b", "m = a - b").message)
    with a = 2, b = 2 the first gives m = 4, the second gives m = 0
    >>> print(find_difference("m = a", "m = a*b").message)
    different numbers of slots: 1 (a) and 2 (a, b)

    Args:
        predicted: a template, or its equations.
        gold: another template, or its equations.
        names: what the message calls the two.
        unknowns: the names that are unknowns where equations are given; see `Template`.

    Raises:
        ReadError: the equations cannot be read, or have no unknown.
        LimitError: they are larger than the bounds in `draw_dataset.core.limits`.
    """
    first, second = read_pair(predicted, gold, unknowns)
    if len(first.slots) != len(second.slots):
        return Difference("slot count", f"different numbers of slots: {_counted(first.slots, second.slots)}")
    if len(first.unknowns) != len(second.unknowns):
        counted = _counted(first.unknowns, second.unknowns)
        return Difference("unknown count", f"different numbers of unknowns: {counted}")
    if templates_equivalent(first, second):
        return None
    kinds = solution_set(first.system).kind, solution_set(second.system).kind
    if kinds[0] is not kinds[1]:
        return Difference("solution kind", f"different numbers of solutions: {kinds[0]} and {kinds[1]}")
    witness = _find_witness(first, second)
    if witness is None:
        message = "the solutions differ as functions of the slots, whichever slots correspond"
    else:
        message = (
            f"with {_assignment(witness.values)} {names[0]} gives {_assignment(witness.solution.values)}, "
            + (f"which none of the {witness.ways} ways to fill {names[1]} gives: " if witness.ways > 1 else "")
            + (f"with {_assignment(witness.other_values)} " if witness.ways > 1 else "")
            + f"{'it' if witness.ways > 1 else names[1]} gives {_assignment(witness.other_solution.values)}"
        )
    return Difference("solutions", message, witness)


def _counted(first: tuple[str, ...], second: tuple[str, ...]) -> str:
    return " and ".join(f"{len(names)} ({', '.join(names) or 'none'})" for names in (first, second))


def _assignment(values: dict[str, int] | dict[str, Fraction]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items()) or "nothing"


def _find_witness(first: Template, second: Template) -> Witness | None:
    try:
        return _search(first, second, comparing())
    except LimitError:
        return None


def _search(first: Template, second: Template, meter: Meter) -> Witness | None:
    count = len(first.slots)
    for size in range(count + 1):
        if comb(count, size) > _MOST_WAYS:
            return None
        for usual, special in _PAIRS:
            ours = list(_fillings(first, size, usual, special, meter))
            theirs = list(_fillings(second, size, usual, special, meter))
            # A point at which a system is singular says nothing about the functions.
            if any(solution.kind is not SolutionKind.UNIQUE for _, solution in theirs):
                continue
            reached = {solution.numbers for _, solution in theirs}
            for values, solution in ours:
                if solution.kind is SolutionKind.UNIQUE and solution.numbers not in reached:
                    other_values, other_solution = theirs[0]
                    return Witness(values, solution, other_values, other_solution, len(theirs))
    return None


def _fillings(
    template: Template, size: int, usual: int, special: int, meter: Meter
) -> Iterator[tuple[dict[str, int], Solution]]:
    """Yield every way to give one number to `size` slots and another to the rest, with the solution."""
    for chosen in combinations(template.slots, size):
        meter.spend(_SOLVING)
        values = {slot: special if slot in chosen else usual for slot in template.slots}
        numbers = [Fraction(value) for value in values.values()]
        yield values, solve_grounded(template.system, numbers, template.unknowns, meter)
