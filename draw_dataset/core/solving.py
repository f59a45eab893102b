"""Solving a system with numbers in it: exactly, saying whether there is one solution, none or many.

Elimination over the rationals; points at which the text divides by zero are excluded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from draw_dataset.core.expression import System, read_system
from draw_dataset.core.limits import MAX_NAMES
from draw_dataset.core.linear import cross_product_integers, reduce_rows
from draw_dataset.core.polynomial import Polynomial, factors
from draw_dataset.core.solution_set import SolutionKind
from draw_dataset.core.tokens import EVERY_NAME_UNKNOWN, join_equations
from draw_dataset.errors import NotLinearError


@dataclass(frozen=True, slots=True)
class Solution:
    """What a system of equations says about its unknowns.

    Attributes:
        kind: unique, none, infinite or not linear.
        values: the value of each unknown that has only one (all of them if the solution is unique).
    """

    kind: SolutionKind
    values: dict[str, Fraction]

    @property
    def numbers(self) -> tuple[Fraction, ...]:
        """The values without their names, in ascending order."""
        return tuple(sorted(self.values.values()))


def solve(equations: str | Sequence[str]) -> Solution:
    """Solve a system of equations exactly; every name in it is an unknown.

    >>> solve("x + y = 10; x - y = 0.5").values
    {'x': Fraction(21, 4), 'y': Fraction(19, 4)}
    >>> solve("12/(15+c) = 9/(15-c)").values["c"]
    Fraction(15, 7)
    >>> [str(solve(e).kind) for e in ("x + y = 1", "x = x + 1", "x*x = 4", "3/(x-2) = 6/(2*x-4)")]
    ['infinite', 'none', 'not linear', 'infinite']

    Raises:
        ReadError: the text is not a system of equations; says where, expected and got.
        LimitError: it is larger than the bounds in `draw_dataset.core.limits`.
    """
    try:
        source, system = read_system(join_equations(equations), EVERY_NAME_UNKNOWN)
    except NotLinearError:
        return Solution(SolutionKind.NOT_LINEAR, {})
    return solve_grounded(system, (), source.unknowns)


def solve_grounded(system: System, slot_values: Sequence[Fraction], unknowns: Sequence[str]) -> Solution:
    """Solve a system at given values of its slots."""
    n = system.unknown_count
    common = lcm(*[value.denominator for value in slot_values]) if slot_values else 1
    rows = _integer_rows(system, [value.numerator * (common // value.denominator) for value in slot_values], common)
    if len(rows) == n <= 2 and not system.conditions:
        vector = cross_product_integers(rows)
        if vector[n]:
            return Solution(
                SolutionKind.UNIQUE, {name: Fraction(vector[j], vector[n]) for j, name in enumerate(unknowns)}
            )
    reduced, pivots = reduce_rows([[Fraction(c) for c in row] for row in rows])
    nothing = Solution(SolutionKind.NONE, {})
    if n in pivots:
        return nothing
    for condition in system.conditions:
        # On the solutions the condition is what remains of it after the pivot unknowns are replaced.
        rest = [_at(entry, slot_values) for entry in condition]
        for row, pivot in zip(reduced, pivots, strict=True):
            if rest[pivot]:
                factor = rest[pivot]
                rest = [c - factor * h for c, h in zip(rest, row, strict=True)]
        if not any(rest):
            return nothing
    values = {
        unknowns[pivot]: -row[n] for row, pivot in zip(reduced, pivots, strict=True) if not any(row[pivot + 1 : n])
    }
    kind = SolutionKind.UNIQUE if len(pivots) == n else SolutionKind.INFINITE
    return Solution(kind, {name: values[name] for name in unknowns if name in values})


_NAMES = tuple(f"x{i}" for i in range(MAX_NAMES))


def solve_integers(system: System, slot_values: Sequence[int], common: int) -> tuple[list[int], int] | None:
    """Return the numbers that solve a system, without a fraction being made: where many predictions are solved.

    Args:
        system: the system.
        slot_values: the values of its slots, multiplied by a common denominator.
        common: that denominator.

    Returns:
        The numerators in ascending order and their positive denominator; None unless there is one solution.
    """
    n = system.unknown_count
    if len(system.terms) == n <= 2 and not system.conditions:
        vector = cross_product_integers(_integer_rows(system, slot_values, common))
        denominator = vector[n]
        if denominator > 0:
            return sorted(vector[:n]), denominator
        if denominator < 0:
            return sorted([-value for value in vector[:n]]), -denominator
    solution = solve_grounded(system, [Fraction(value, common) for value in slot_values], _NAMES[:n])
    return over_common_denominator(solution.numbers) if solution.kind is SolutionKind.UNIQUE else None


def over_common_denominator(numbers: Sequence[Fraction]) -> tuple[list[int], int]:
    """Return the numerators of numbers in ascending order, and the denominator they have in common.

    >>> over_common_denominator([Fraction(1, 2), Fraction(1, 3)])
    ([2, 3], 6)
    """
    common = lcm(*[number.denominator for number in numbers])
    return sorted([number.numerator * (common // number.denominator) for number in numbers]), common


def _integer_rows(system: System, values: Sequence[int], common: int) -> list[list[int]]:
    """Return the equations at given slot values, each multiplied so that its coefficients are whole.

    The values come multiplied by a common denominator, and a term of lower degree than others in its equation is
    multiplied by that denominator as often as it lacks factors.
    """
    rows = []
    for terms in system.terms:
        degree = max([len(slots) for _, _, slots in terms], default=0) if common > 1 else 0
        row = [0] * (system.unknown_count + 1)
        for column, c, slots in terms:
            for slot in slots:
                c *= values[slot]
            row[column] += c if common == 1 else c * common ** (degree - len(slots))
        rows.append(row)
    return rows


def _at(polynomial: Polynomial, slot_values: Sequence[Fraction]) -> Fraction:
    total = Fraction(0)
    for monomial, c in polynomial.items():
        term = Fraction(c)
        for index in factors(monomial):
            term *= slot_values[index]
        total += term
    return total
