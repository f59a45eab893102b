"""A template with its alignment as a set-up: literals are the numbers in slots, quantities are the unknowns.

So a predicted derivation can be compared with the gold quantities just as an answer in prose can. There is one
difference: there are no other readings, since the alignment says which number fills each slot.

Most wrong systems have other values than gold, in every unit. The solution at the numbers of the text shows that, in a
hundredth of the time of a comparison. Only a system that has a value of gold is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from draw_dataset.core.equations import System, solve_integers
from draw_dataset.core.quantities.agreement import Agreement, agree
from draw_dataset.core.quantities.expressions import Literal, Node, Source
from draw_dataset.core.quantities.gold import SystemQuantities
from draw_dataset.core.quantities.points import in_lowest_terms, points_of
from draw_dataset.core.quantities.setup import SetUp
from draw_dataset.errors import LimitError


def setup_of(system: System, classes: Sequence[int]) -> SetUp:
    """Return a system whose slots hold numbers of the text as a set-up.

    Args:
        system: the template's system.
        classes: the class of the number in each slot.
    """
    literals = [Literal(Fraction(0), 0, 0, f"slot {slot}") for slot in range(system.slot_count)]
    setup = SetUp(literals, [[Source("text", class_)] for class_ in classes])
    zero = setup.add_constant(Fraction(0))
    names: list[Node] = [("name", f"m{column}") for column in range(system.unknown_count)]
    for number, terms in enumerate(system.terms):
        total: Node | None = None
        for column, coefficient, slots in terms:
            term = setup.add_constant(Fraction(coefficient))
            for slot in slots:
                term = ("*", term, ("number", slot))
            if column < system.unknown_count:
                term = ("*", term, names[column])
            total = term if total is None else ("+", total, term)
        if total is not None:
            setup.equations.append((total, zero, number))
    setup.quantities = [(name, -1) for name in names]
    return setup


def agree_systems(system: System, classes: Sequence[int], gold: SystemQuantities) -> Agreement:
    """Return how much of the gold derivation a system has whose slots hold numbers of the text.

    A system that solves for one of two unknowns is complete if that one depends on every number. A system that solves
    for as many unknowns as gold, or for more, must have all gold quantities. Otherwise ``m + n = q2; m - n = q1`` would
    pass for gold with q1 and q2 exchanged, since the sum of both is the same.

    Args:
        system: the predicted template's system.
        classes: the class of the number in each slot.
        gold: the gold quantities.
    """
    if _has_no_value_of(system, classes, gold):
        return Agreement((), dict.fromkeys(range(gold.count)), complete=False)
    found = agree(setup_of(system, classes), gold)
    if found.complete and len(found.matches) < gold.count <= system.unknown_count:
        return replace(found, complete=False)
    return found


def _has_no_value_of(system: System, classes: Sequence[int], gold: SystemQuantities) -> bool:
    """Say whether a system has one solution at the numbers of the text, and no gold value is in it."""
    points = points_of(gold)
    if points.values is None:
        return False
    numbers, denominator = points.integers
    try:
        solution = solve_integers(system, [numbers[class_] for class_ in classes], denominator)
    except LimitError:
        return False
    if solution is None:
        return False  # it may determine some of its unknowns all the same
    found, below = solution
    return not any(in_lowest_terms(above, below) in points.candidates for above in found)
