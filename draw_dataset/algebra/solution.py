"""Solutions of a system: as functions of its slots, and as numbers if the slots have values.

Functions are *generic*: they hold for all slot values except those where a determinant or denominator vanishes. A point
at which the text divides by zero is no solution. A system of n equations in n unknowns is regular if its determinant is
not zero at one point of a prime field; that *proves* a unique solution, because a polynomial that vanishes identically
vanishes there too. All other systems are solved by elimination.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import permutations
from math import lcm

from draw_dataset.algebra.grammar import EVERY_NAME_UNKNOWN, join_equations
from draw_dataset.algebra.limits import (
    MAX_FREE_UNKNOWNS,
    MAX_NAMES,
    MAX_SOLUTION_BITS,
    MEGABYTE,
    Meter,
    check_bits,
    comparison_budget,
    weighted_cache,
)
from draw_dataset.algebra.linear import (
    cross_product,
    cross_product_integers,
    cross_product_mod,
    dot_is_zero,
    eliminate,
    eliminate_integers,
    independent_rows,
    primitive_vector,
    reduce_polynomial_rows,
    reduce_rows,
)
from draw_dataset.algebra.polynomial import POINT, PRIME, Polynomial, check_size, weight
from draw_dataset.algebra.system import Row, System, Term, number_of, read_system, terms_of
from draw_dataset.errors import LimitError, NotLinearError


class SolutionKind(StrEnum):
    """How many solutions a system has: ``unique``, ``none``, ``infinite``, or ``not linear`` if it is not solved."""

    UNIQUE = "unique"
    NONE = "none"
    INFINITE = "infinite"
    NOT_LINEAR = "not linear"


@dataclass(frozen=True, slots=True)
class SolutionSet:
    """The generic solutions of a system."""

    kind: SolutionKind  # unique, none or infinite
    vector: tuple[Polynomial, ...] = ()  # if unique, homogeneous coordinates: unknown j is ``vector[j] / vector[-1]``
    # If infinite, the equations in reduced form for the given order of the unknowns; equal for equal sets
    rows: tuple[Row, ...] = ()
    # If infinite, the different linear forms whose zeros are taken out, reduced by the rows
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


def regular_point(system: System, values: Sequence[int]) -> list[int] | None:
    """Return the solution at a point in homogeneous coordinates; None unless that proves it unique."""
    if len(system.rows) != system.unknown_count or not system.rows:
        return None
    vector = cross_product_mod(residues(system, values))
    return vector if vector[-1] else None


def generic_point(system: System) -> list[int] | None:
    """Return the solution at the generic point; computed once for a system."""
    if system.generic_point is None:
        system.generic_point = (regular_point(system, POINT),)
    return system.generic_point[0]


def _weigh_solutions(solutions: SolutionSet, _: System) -> int:
    return 400 + weight(solutions.vector) + sum(map(weight, solutions.rows)) + sum(map(weight, solutions.excluded))


@weighted_cache(16 * MEGABYTE, _weigh_solutions, key=number_of)
def solution_set(system: System) -> SolutionSet:
    """Return the generic solutions of a system."""
    meter = comparison_budget()
    if generic_point(system) is not None:
        return _unique(cross_product(system.rows, meter), system.conditions, meter)
    n = system.unknown_count
    chosen = independent_rows(residues(system, POINT), n) if len(system.rows) > n else []
    if len(chosen) < n or not n:
        return solve_rows(n, system.rows, system.conditions, meter)
    vector = cross_product([system.rows[i] for i in chosen], meter)
    if all(dot_is_zero(row, vector, meter) for i, row in enumerate(system.rows) if i not in chosen):
        return _unique(vector, system.conditions, meter)
    return SolutionSet(SolutionKind.NONE)


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
    check_size([entry for row in (*reduced, *excluded) for entry in row])
    return SolutionSet(SolutionKind.INFINITE, (), tuple([_positive(row) for row in reduced]), tuple(excluded))


def _positive(row: Sequence[Polynomial]) -> Row:
    """Return the row or its negative, such that its first leading coefficient is positive."""
    first = next(p for p in row if p)
    sign = 1 if first[max(first)] > 0 else -1
    return tuple([{m: sign * c for m, c in p.items()} for p in row])


def _unique(vector: list[Polynomial], conditions: Sequence[Row], meter: Meter) -> SolutionSet:
    if any(dot_is_zero(condition, vector, meter) for condition in conditions):
        return SolutionSet(SolutionKind.NONE)
    check_size(vector)
    return SolutionSet(SolutionKind.UNIQUE, tuple(vector))


def reordered_solutions(n: int, rows: Sequence[Row], conditions: Sequence[Row]) -> Iterator[SolutionSet]:
    """Yield an infinite solution set for every order of its n unknowns; all of them share one budget."""
    if n > MAX_FREE_UNKNOWNS:
        raise LimitError(
            f"expected at most {MAX_FREE_UNKNOWNS} unknowns in a system without a unique solution, but got {n}"
        )
    meter = comparison_budget()
    for order in permutations(range(n)):
        columns = (*order, n)
        yield solve_rows(
            n,
            [tuple([row[i] for i in columns]) for row in rows],
            [tuple([row[i] for i in columns]) for row in conditions],
            meter,
        )


@dataclass(frozen=True, slots=True)
class Solution:
    """The solution of a system of equations.

    >>> solve("x + y = 10; x - y = 4").numbers
    (Fraction(3, 1), Fraction(7, 1))

    Attributes:
        kind: unique, none, infinite or not linear.
        values: the value of each unknown that has exactly one value. If the solution is unique, these are all unknowns.
    """

    kind: SolutionKind
    values: dict[str, Fraction]

    @property
    def numbers(self) -> tuple[Fraction, ...]:
        """The values without their names, in ascending order."""
        return tuple(sorted(self.values.values()))


def solve(equations: str | Sequence[str]) -> Solution:
    """Solve a system of equations exactly; every name in it is an unknown.

    The command ``draw solve`` solves the text of a word problem; in Python, that is the `predict` of a trained model
    (`draw_dataset.solver.systems.load_model`).

    >>> solve("x + y = 10; x - y = 0.5").values
    {'x': Fraction(21, 4), 'y': Fraction(19, 4)}
    >>> solve("12/(15+c) = 9/(15-c)").values["c"]
    Fraction(15, 7)
    >>> [str(solve(e).kind) for e in ("x + y = 1", "x = x + 1", "x*x = 4", "3/(x-2) = 6/(2*x-4)")]
    ['infinite', 'none', 'not linear', 'infinite']

    Args:
        equations: one string (equations separated by ``;`` or line ends), or a list of equations.

    Returns:
        How many solutions there are, and the values of the unknowns.

    Raises:
        ReadError: the text is not a system of equations; says where, what was expected and what was found.
        LimitError: the text is larger than the bounds in `draw_dataset.algebra.limits`.
    """
    try:
        source, system = read_system(join_equations(equations), EVERY_NAME_UNKNOWN)
    except NotLinearError:
        return Solution(SolutionKind.NOT_LINEAR, {})
    return solve_grounded(system, (), source.unknowns)


def solve_grounded(
    system: System, slot_values: Sequence[Fraction], unknowns: Sequence[str], meter: Meter | None = None
) -> Solution:
    """Solve a system at given values of its slots; raise `LimitError` if that takes too much work."""
    n = system.unknown_count
    meter = meter or comparison_budget()
    meter.spend(4 * system.size)
    common = lcm(*[value.denominator for value in slot_values]) if slot_values else 1
    values = [value.numerator * (common // value.denominator) for value in slot_values]
    rows = [_integer_row(terms, values, common, n) for terms in system.terms]
    if len(rows) == n <= 2 and not system.conditions:
        vector = cross_product_integers(rows)
        if vector[n]:
            return _check_solution(SolutionKind.UNIQUE, unknowns, [Fraction(value, vector[n]) for value in vector[:n]])
    reduced, pivots = reduce_rows(rows, meter)
    nothing = Solution(SolutionKind.NONE, {})
    if n in pivots:
        return nothing
    for condition in system.conditions:
        # On the solutions the condition is what remains of it after the pivot unknowns are replaced.
        rest = _integer_row(terms_of(condition), values, common, n)
        for row, pivot in zip(reduced, pivots, strict=True):
            if rest[pivot]:
                rest = eliminate_integers(rest, row, pivot, meter)
        if not any(rest):
            return nothing
    found: list[Fraction | None] = [None] * n
    for row, pivot in zip(reduced, pivots, strict=True):
        if not any(row[pivot + 1 : n]):
            found[pivot] = Fraction(-row[n], row[pivot])
    return _check_solution(SolutionKind.UNIQUE if len(pivots) == n else SolutionKind.INFINITE, unknowns, found)


def _check_solution(kind: SolutionKind, unknowns: Sequence[str], values: Sequence[Fraction | None]) -> Solution:
    """Return a solution after checking that every number in it can be written."""
    known = {name: value for name, value in zip(unknowns, values, strict=True) if value is not None}
    check_bits([part for value in known.values() for part in value.as_integer_ratio()], MAX_SOLUTION_BITS)
    return Solution(kind, known)


_NAMES = tuple(f"x{i}" for i in range(MAX_NAMES))


def solve_integers(system: System, slot_values: Sequence[int], common: int) -> tuple[list[int], int] | None:
    """Return the solution as ascending numerators and a positive denominator; None unless there is exactly one.

    Slot values come multiplied by their denominator `common`. No fractions are made: many predictions are solved.
    """
    n = system.unknown_count
    if len(system.terms) == n <= 2 and not system.conditions:
        vector = cross_product_integers([_integer_row(terms, slot_values, common, n) for terms in system.terms])
        denominator = vector[n]
        if denominator > 0:
            return sorted(vector[:n]), denominator
        if denominator < 0:
            return sorted([-value for value in vector[:n]]), -denominator
    solution = solve_grounded(system, [Fraction(value, common) for value in slot_values], _NAMES[:n])
    return over_common_denominator(solution.numbers) if solution.kind is SolutionKind.UNIQUE else None


def over_common_denominator(numbers: Sequence[Fraction]) -> tuple[list[int], int]:
    """Return the numerators of numbers over a common denominator, in ascending order, and that denominator.

    >>> over_common_denominator([Fraction(1, 2), Fraction(1, 3)])
    ([2, 3], 6)
    """
    common = lcm(*[number.denominator for number in numbers])
    return sorted([number.numerator * (common // number.denominator) for number in numbers]), common


def _integer_row(terms: Sequence[Term], values: Sequence[int], common: int, unknown_count: int) -> list[int]:
    """Return a linear form at slot values, multiplied so that its coefficients are whole."""
    # The values come multiplied by a common denominator, so a term of lower degree is multiplied by it more often.
    degree = max([len(slots) for _, _, slots in terms], default=0) if common > 1 else 0
    row = [0] * (unknown_count + 1)
    for column, c, slots in terms:
        for slot in slots:
            c *= values[slot]
        row[column] += c if common == 1 else c * common ** (degree - len(slots))
    return row
