"""The solutions of a system as functions of its slots.

Over the field of rational functions of the slots a linear system has exactly one solution, none, or infinitely
many; "generically" is meant throughout: for all slot values but those where a determinant or denominator happens
to vanish. Points excluded by a denominator are respected: a solution at which one vanishes is none, and an
infinite set of solutions remembers the hyperplanes taken out of it.

A system of n equations in n unknowns with a determinant that is not zero at one point of a prime field is
regular: that *proves* a unique solution, since a polynomial that vanishes identically vanishes there too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from draw_dataset.core.expression import Row, System
from draw_dataset.core.limits import Meter, comparing
from draw_dataset.core.linear import (
    cross_product,
    cross_product_mod,
    dot_is_zero,
    eliminate,
    primitive_vector,
    reduce_polynomial_rows,
)
from draw_dataset.core.polynomial import POINT, PRIME, Polynomial


class SolutionKind(StrEnum):
    """How many solutions a system has."""

    UNIQUE = "unique"
    NONE = "none"
    INFINITE = "infinite"
    NOT_LINEAR = "not linear"


@dataclass(frozen=True, slots=True)
class SolutionSet:
    """The generic solutions of a system.

    Attributes:
        kind: unique, none or infinite.
        vector: if unique, homogeneous coordinates: unknown j is ``vector[j] / vector[-1]``.
        rows: if infinite, the equations in reduced form for the given order of the unknowns; equal for equal sets.
        excluded: if infinite, the different linear forms whose zeros are taken out, reduced by the rows.
    """

    kind: SolutionKind
    vector: tuple[Polynomial, ...] = ()
    rows: tuple[Row, ...] = ()
    excluded: tuple[Row, ...] = ()


def residues(system: System, values: Sequence[int]) -> list[list[int]]:
    """Return the equations at a point of the prime field."""
    width = system.unknown_count + 1
    rows = []
    for terms in system.terms:
        row = [0] * width
        for column, c, slots in terms:
            for slot in slots:
                c = c * values[slot] % PRIME
            row[column] += c
        rows.append(row)
    return rows


def regular_point(system: System, values: Sequence[int] = POINT) -> list[int] | None:
    """Return the solution at a point in homogeneous coordinates; None unless that proves it unique."""
    if len(system.rows) != system.unknown_count or not system.rows:
        return None
    vector = cross_product_mod(residues(system, values))
    return vector if vector[-1] else None


@lru_cache(maxsize=1 << 13)
def solution_set(system: System) -> SolutionSet:
    """Return the generic solutions of a system."""
    meter = comparing()
    if regular_point(system) is not None:
        return _unique(cross_product(system.rows, meter), system.conditions, meter)
    return solve_rows(system.unknown_count, system.rows, system.conditions, meter)


def solve_rows(n: int, rows: Sequence[Row], conditions: Sequence[Row], meter: Meter) -> SolutionSet:
    """Return the solutions in n unknowns by elimination, for the order of unknowns that the rows are given in."""
    reduced, pivots = reduce_polynomial_rows(rows, meter)
    if n in pivots:
        return SolutionSet(SolutionKind.NONE)
    if len(pivots) == n:
        return _unique(cross_product(reduced, meter), conditions, meter)
    excluded: list[Row] = []
    for condition in conditions:
        rest: Sequence[Polynomial] = condition
        for row, pivot in zip(reduced, pivots, strict=True):
            if rest[pivot]:
                rest = eliminate(rest, row, pivot, meter)
        if not any(rest):
            return SolutionSet(SolutionKind.NONE)
        if any(rest[:n]):  # a constant excludes nothing
            form = _positive(primitive_vector(rest, meter))
            if form not in excluded:
                excluded.append(form)
    return SolutionSet(SolutionKind.INFINITE, (), tuple([_positive(row) for row in reduced]), tuple(excluded))


def _positive(row: Sequence[Polynomial]) -> Row:
    """Return the row or its negative, such that its first leading coefficient is positive."""
    first = next(p for p in row if p)
    sign = 1 if first[max(first)] > 0 else -1
    return tuple([{m: sign * c for m, c in p.items()} for p in row])


def _unique(vector: list[Polynomial], conditions: Sequence[Row], meter: Meter) -> SolutionSet:
    if any(dot_is_zero(condition, vector, meter) for condition in conditions):
        return SolutionSet(SolutionKind.NONE)
    return SolutionSet(SolutionKind.UNIQUE, tuple(vector))
