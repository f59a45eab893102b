"""A template with its alignment as a set-up: its literals are the numbers in its slots, its quantities its unknowns."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from draw_dataset.core.equations import System
from draw_dataset.core.quantities.expressions import Literal, Node, Source
from draw_dataset.core.quantities.setup import SetUp


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
