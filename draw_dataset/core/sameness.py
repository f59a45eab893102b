"""Whether two systems have the same solutions, once it is known which slot is which.

A slot map is rejected if the two systems, both regular, differ at one point of a prime field: equal functions agree
everywhere. It is accepted only by an identity: the equations are the same up to order and sign, or every equation of
one system, multiplied out at the solution of the other, vanishes as a polynomial.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations

from draw_dataset.core.expression import Row, System
from draw_dataset.core.limits import MAX_FREE_UNKNOWNS, comparing
from draw_dataset.core.linear import dot_is_zero
from draw_dataset.core.polynomial import POINT, PRIME, Polynomial, multiply, rename, variable
from draw_dataset.core.solution_set import SolutionKind, SolutionSet, regular_point, solution_set, solve_rows
from draw_dataset.errors import LimitError


@lru_cache(maxsize=1 << 15)
def same_solutions(predicted: System, gold: System, slot_map: tuple[int, ...]) -> bool:
    """Say whether two systems have the same solutions when slot i of one is slot ``slot_map[i]`` of the other."""
    renamed = _renamed_rows(predicted, slot_map)
    if not predicted.conditions and not gold.conditions and _same_equations(renamed, gold.rows):
        return True
    gold_point = _gold_point(gold)
    if gold_point is None or predicted.conditions or gold.conditions:
        return _same_solution_sets(predicted, gold, slot_map)
    values = [POINT[i] for i in slot_map]
    point = regular_point(predicted, values)
    if point is None:
        return _same_solution_sets(predicted, gold, slot_map)
    # Both are fractions with a common denominator: bring them to the same one and compare.
    ours = [h * gold_point[-1] % PRIME for h in point[:-1]]
    theirs = [h * point[-1] % PRIME for h in gold_point[:-1]]
    if sorted(ours) != sorted(theirs):
        return False
    if len(set(theirs)) < len(theirs):
        return _same_solution_sets(predicted, gold, slot_map)
    columns = [theirs.index(value) for value in ours] + [len(theirs)]
    if _same_equations(renamed, [tuple([row[i] for i in columns]) for row in gold.rows]):
        return True
    vector = solution_set(gold).vector
    matched = [vector[i] for i in columns]
    meter = comparing()
    return all(dot_is_zero(row, matched, meter) for row in renamed)


def _renamed_rows(system: System, slot_map: Sequence[int]) -> list[Row]:
    """Return the equations with slot i renamed to slot ``slot_map[i]``."""
    monomials = [variable(i) for i in slot_map]
    rows: list[Row] = []
    for terms in system.terms:
        row: list[Polynomial] = [{} for _ in range(system.unknown_count + 1)]
        for column, c, slots in terms:
            m = 0
            for slot in slots:
                m += monomials[slot]
            row[column][m] = c
        rows.append(tuple(row))
    return rows


def _same_equations(ours: Sequence[Row], theirs: Sequence[Row]) -> bool:
    """Say whether two systems have the same equations up to order and sign: the cheapest identity."""
    if len(ours) != len(theirs):
        return False
    left = list(theirs)
    for row in ours:
        if row not in left:
            row = tuple([{m: -c for m, c in p.items()} for p in row])
            if row not in left:
                return False
        left.remove(row)
    return True


@lru_cache(maxsize=1 << 12)
def _gold_point(gold: System) -> list[int] | None:
    return regular_point(gold)


def _same_solution_sets(predicted: System, gold: System, slot_map: tuple[int, ...]) -> bool:
    """Decide the cases that one regular point does not: by polynomials alone."""
    ours, theirs = solution_set(predicted), solution_set(gold)
    if ours.kind is not theirs.kind or ours.kind is SolutionKind.NONE:
        return ours.kind is theirs.kind
    monomials = [variable(i) for i in slot_map]
    if ours.kind is SolutionKind.UNIQUE:
        return _same_functions([rename(p, monomials) for p in ours.vector], theirs.vector)
    renamed = _renamed_rows(predicted, slot_map)
    conditions = [tuple(rename(p, monomials) for p in row) for row in predicted.conditions]
    return any(
        one.rows == theirs.rows and _same_members(one.excluded, theirs.excluded)
        for one in reordered_solutions(predicted.unknown_count, renamed, conditions)
    )


def _same_members(ours: Sequence[Row], theirs: Sequence[Row]) -> bool:
    return len(ours) == len(theirs) and all(row in theirs for row in ours)


def _same_functions(ours: Sequence[Polynomial], theirs: Sequence[Polynomial]) -> bool:
    """Say whether two vectors of fractions are equal up to order; equality being transitive, greedily."""
    meter = comparing()
    left = list(theirs[:-1])
    for p in ours[:-1]:
        scaled = multiply(p, theirs[-1], meter)
        found = next((q for q in left if multiply(q, ours[-1], meter) == scaled), None)
        if found is None:
            return False
        left.remove(found)
    return True


def reordered_solutions(n: int, rows: Sequence[Row], conditions: Sequence[Row]) -> Iterator[SolutionSet]:
    """Yield an infinite solution set for every order of its n unknowns."""
    if n > MAX_FREE_UNKNOWNS:
        raise LimitError(
            f"expected at most {MAX_FREE_UNKNOWNS} unknowns in a system without a unique solution, but got {n}"
        )
    for order in permutations(range(n)):
        columns = (*order, n)
        meter = comparing()
        yield solve_rows(
            n,
            [tuple([row[i] for i in columns]) for row in rows],
            [tuple([row[i] for i in columns]) for row in conditions],
            meter,
        )
