"""Gold's quantities as functions of the numbers of the text: of a derivation, or of a worked solution."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from draw_dataset.answers.algebra import Algebra, Coefficient
from draw_dataset.core.algebra.polynomial import Polynomial, factors
from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.problem import Problem
from draw_dataset.core.equations.solution import SolutionKind, solution_set


class DerivedGold:
    """Gold of a problem with a template and an alignment."""

    def __init__(self, problem: Problem) -> None:
        derivation = problem.derivation
        classes = problem.number_classes
        self.problem = problem
        order: dict[object, int] = {}
        values: list[Fraction] = []
        self.class_of: list[int] = []
        for number in problem.numbers:
            place = classes.of_place(number.place)
            if place not in order:
                order[place] = len(values)
                values.append(number.value if number.value is not None else Fraction(0))
            self.class_of.append(order[place])
        self.numbers: tuple[Fraction, ...] = tuple(values)
        self.ones: frozenset[int] = frozenset(
            order[classes.of_place(n.place)] for n in problem.numbers if n.value == 1 or is_whole(problem.question, n)
        )
        self.slots = [order[classes.of_place(place)] for place in derivation.places]
        solutions = solution_set(derivation.template.system)
        self.vector: tuple[Polynomial, ...] | None = (
            tuple(solutions.vector) if solutions.kind is SolutionKind.UNIQUE else None
        )

    def at(self, algebra: Algebra, numbers: Sequence[Coefficient]) -> list[Coefficient] | None:
        """Return gold's unknowns where the numbers have given values."""
        if self.vector is None:
            return None
        slots = [numbers[i] for i in self.slots]
        values = [_at(polynomial, slots, algebra.prime) for polynomial in self.vector]
        below = values[-1]
        if not below:
            return None
        inverse = algebra.inverse(below)
        if algebra.prime:
            return [value * inverse % algebra.prime for value in values[:-1]]
        return [value * inverse for value in values[:-1]]


def _at(polynomial: Polynomial, slots: Sequence[Coefficient], prime: int) -> Coefficient:
    total: Coefficient = 0
    for monomial, c in polynomial.items():
        term: Coefficient = c
        for index in factors(monomial):
            term = term * slots[index] % prime if prime else term * slots[index]
        total += term
    return total % prime if prime else total


def is_whole(question: str, number: TextNumber) -> bool:
    """Say whether a number is 100 percent, which is 1."""
    if number.value != 100 or number.end is None:
        return False
    return question[number.end : number.end + 9].lstrip().startswith(("%", "percent", "per cent"))
