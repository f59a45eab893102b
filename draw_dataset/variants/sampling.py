"""Sampling: which other values can the fields of a problem take.

Values are drawn in two ways, and in mixtures of the two. Either every field that moves is drawn, and the system is
solved. That keeps the numbers of the text simple, but often not the unknowns. Or some equations are *turned round*: the
unknowns are drawn, and each of these equations is solved for one field that occurs only in it and with degree one. The
rest of the system determines the rest.

A candidate is kept if the system has one solution; if each unknown keeps its sign and its place in the order of the
unknowns, has no more decimals than before, and is at most three times as large or small (five times if that gives too
few); and if every field is natural and can be written.

Everything is exact. Hundreds of draws are made for a problem, so they are made in whole numbers: a value is a multiple
of one small unit that the problem's values have in common (see `drawing`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import gcd
from random import Random

from draw_dataset.variants.drawing import Drawing, Plan, drawing_of
from draw_dataset.variants.fields import Puzzle
from draw_dataset.variants.sizes import FACTORS, decimals_of, roundness

MAX_TRIES = 1200
"""How many draws are made for one problem."""

_REDRAWN = 10

Values = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Other values for a problem.

    Attributes:
        values: of the fields.
        solution: of the unknowns.
        tier: 0 if its numbers are near the original's, 1 if they are farther away.
        moved: how many fields have another value than in the original.
        plain: how many numbers and unknowns are as round as the original's.
    """

    values: Values
    solution: Values
    tier: int
    moved: int
    plain: int


def candidates(puzzle: Puzzle, random: Random, tries: int = MAX_TRIES) -> Iterator[Candidate]:
    """Yield candidates as they are found, none twice; the same ones for the same state of the generator.

    Those whose numbers stay near the original's come first.
    """
    seen: set[tuple[int, ...]] = set()
    for tier, factor in enumerate(FACTORS):
        yield from _of_tier(puzzle, random, drawing_of(puzzle, factor), tier, tries // len(FACTORS), seen)


def _of_tier(
    puzzle: Puzzle, random: Random, drawing: Drawing, tier: int, tries: int, seen: set[tuple[int, ...]]
) -> Iterator[Candidate]:
    seen.add(drawing.old)
    for attempt in range(tries):
        plan = drawing.plans[attempt % len(drawing.plans)]
        values = _draw(puzzle, drawing, plan, random)
        if values is None or (plan.turned and not _turn(drawing, plan, values, random)):
            continue
        found = tuple(values)
        if found in seen:
            continue
        seen.add(found)
        # Checks that fail most often and cost least come first; whether numbers can be written comes last.
        solution = drawing.solve(found) if _fields_fit_together(puzzle, drawing, found) else None
        if (
            solution is not None
            and _unknowns_are_natural(puzzle, drawing, solution)
            and all(drawing.allows(field, value) for field, value in enumerate(found))
        ):
            exact = tuple([Fraction(value, drawing.unit) for value in found])
            moved = sum(new != old for new, old in zip(found, drawing.old, strict=True))
            yield Candidate(exact, solution, tier, moved, _plainness(puzzle, exact, solution))


def _draw(puzzle: Puzzle, drawing: Drawing, plan: Plan, random: Random) -> list[int] | None:
    """Draw the fields; draw again if they are out of order or equal."""
    for _ in range(_REDRAWN):
        values = [source.draw(random) for source in drawing.fields]
        if all(values[i] < values[j] for i, j in plan.orders) and _are_different(puzzle, drawing, values, plan.drawn):
            return values
    return None


def _turn(drawing: Drawing, plan: Plan, values: list[int], random: Random) -> bool:
    """Draw the unknowns and solve the turned equations for their fields; say whether that worked."""
    unknowns = [source.draw(random) for source in drawing.unknowns]
    free = list(range(len(unknowns)))
    rows = [drawing.row(equation, values) for equation in plan.rest]
    for row in rows:  # the other equations determine some of the unknowns
        able = [j for j in free if row[j]]
        if not able:
            return False
        j = able[random.randrange(len(able))]
        others = sum([row[i] * unknowns[i] for i in range(len(unknowns)) if i != j])
        unknowns[j], rest = divmod(-(others + row[-1] * drawing.unit), row[j])
        if rest or not drawing.unknowns[j].least <= unknowns[j] <= drawing.unknowns[j].most:
            return False
        free.remove(j)
    if len(rows) > 1 and any(sum(map(_times, row, unknowns)) + row[-1] * drawing.unit for row in rows):
        return False
    for equation, field in plan.turned:
        value = drawing.solved_for(equation, field, values, unknowns)
        if value is None or not drawing.allows(field, value):
            return False
        values[field] = value
    return True


def _times(one: int, other: int) -> int:
    return one * other


def _fields_fit_together(puzzle: Puzzle, drawing: Drawing, values: Sequence[int]) -> bool:
    return (
        all(values[i] < values[j] for i, j in puzzle.orders)
        and _are_different(puzzle, drawing, values, range(len(values)))
        and all(gcd(values[i], values[j]) == drawing.unit for i, j in puzzle.ratios)
    )


def _are_different(puzzle: Puzzle, drawing: Drawing, values: Sequence[int], among: Iterable[int]) -> bool:
    """Say whether none of some fields has the value of another number, unless neither can move."""
    seen = dict.fromkeys(drawing.others, False)
    for position in among:
        value, moves = values[position], puzzle.fields[position].moves
        if value in seen and (moves or seen[value]):
            return False
        seen[value] = seen.get(value, False) or moves
    return True


def _unknowns_are_natural(puzzle: Puzzle, drawing: Drawing, solution: Values) -> bool:
    for new, source in zip(solution, drawing.unknowns, strict=True):
        if not source.holds(new, drawing.unit):
            return False
    modulus, old = puzzle.unknowns.modulus, puzzle.solution
    if modulus > 1 and any((new - was) % modulus for new, was in zip(solution, old, strict=True)):
        return False
    # Unknowns that are equal by chance need not stay so.
    return all(
        (solution[i] > solution[j]) == (old[i] > old[j])
        for i, j in permutations(range(len(old)), 2)
        if old[i] != old[j]
    )


def _plainness(puzzle: Puzzle, values: Values, solution: Values) -> int:
    """Count the fields and unknowns that are as round as before."""
    kept = 0
    for new, old in zip((*values, *solution), (*puzzle.values, *puzzle.solution), strict=True):
        scale = 10 ** min(decimals_of(old), 4)
        kept += not (new * scale) % roundness(old * scale)
    return kept
