"""Which templates with which numbers are right for a problem: what the beam is held to in training.

Numbers that a symmetry of the template exchanges make other derivations, of the same score, and all of them are right.
"""

from __future__ import annotations

import numpy as np

from draw_dataset.core.problem import Problem
from draw_dataset.solver.arrangements import all_ways, enumerable
from draw_dataset.solver.inventory import Inventory
from draw_dataset.solver.kazb.beam import Held
from draw_dataset.solver.kazb.columns import Columns
from draw_dataset.solver.kazb.encoding import EncodedReading
from draw_dataset.solver.kazb.endings import Flags, solve
from draw_dataset.solver.solutions import Floats
from draw_dataset.solver.supervision import Gold

MAX_RIGHT = 100
"""Templates with their numbers that count as right for one problem; those of frequent templates come first."""

_NEAR = 1e-4


def with_equations(golds: tuple[Gold, ...], inventory: Inventory, columns: Columns) -> tuple[Held, ...]:
    """Return right candidates of an inventory as the beam is held to them, with what symmetries make of them."""
    found: dict[Held, None] = {}
    for template, row in golds:
        if columns.usable[template]:
            for symmetry in inventory.classes[template].structure.automorphisms:
                own = [row[i] for i in symmetry]
                found[template, tuple(own[slot] for slot in columns.plans[template].numbers)] = None
    return tuple(sorted(found)[:MAX_RIGHT])


def with_answer(problem: Problem, encoded: EncodedReading, columns: Columns) -> tuple[Held, ...]:
    """Return the templates with numbers whose solution holds all values of the gold answer."""
    wanted = np.array(sorted(float(value) for value in problem.solutions))
    count = len(encoded.values)
    found: list[Held] = []
    for template in np.flatnonzero(columns.usable & (columns.numbers <= count)).tolist():
        slots, unknowns = int(columns.numbers[template]), 1 + max(columns.plans[template].unknowns, default=-1)
        if not 0 < len(wanted) <= unknowns or not enumerable(count, slots):
            continue
        rows = all_ways(count, slots).rows
        filled = np.zeros((len(rows), columns.slots), dtype=np.int64)
        first = int(columns.nouns[template])
        filled[:, first : first + slots] = encoded.nouns + rows
        solved = solve(columns, encoded, np.full(len(rows), template), filled)
        fits = solved.solvable & _holds(solved.solutions[:, :unknowns], wanted)
        found += [(template, tuple(row)) for row in rows[fits].tolist()]
    return tuple(found[:MAX_RIGHT])


def _holds(solutions: Floats, wanted: Floats) -> Flags:
    """Say of each solution whether it has all wanted values, each as often as it is wanted."""
    taken = np.zeros(solutions.shape, dtype=bool)
    holds = np.ones(len(solutions), dtype=bool)
    for value in wanted:
        near = (np.abs(solutions - value) <= _NEAR * max(abs(float(value)), 1.0)) & ~taken
        holds &= near.any(axis=1)
        taken[np.arange(len(solutions)), near.argmax(axis=1)] |= near.any(axis=1)
    return holds
