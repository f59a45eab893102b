"""Gold's quantities as functions of the numbers of the text."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from draw_dataset.core.algebra.polynomial import Polynomial, factors
from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.equations.solution import SolutionKind, solution_set
from draw_dataset.core.problem import Problem
from draw_dataset.core.quantities.solving import Algebra, Poly, Ratio


class GoldQuantities:
    """The unknowns of a problem's gold derivation, as functions of the classes of its numbers.

    Args:
        problem: the problem.

    Attributes:
        numbers: the value of each class of numbers; members of one EquivTNum class are one number.
        classes: for each number of the text its class.
        ones: the classes whose numbers are 1, or 100 percent.
        count: how many unknowns gold has.
    """

    __slots__ = ("_slots", "_vector", "classes", "count", "numbers", "ones")

    def __init__(self, problem: Problem) -> None:
        derivation, partition = problem.derivation, problem.number_classes
        order: dict[object, int] = {}
        values: list[Fraction] = []
        classes: list[int] = []
        ones: set[int] = set()
        for number in problem.numbers:
            place = partition.of_place(number.place)
            if place not in order:
                order[place] = len(values)
                values.append(number.value if number.value is not None else Fraction(0))
            classes.append(order[place])
            if number.value == 1 or is_whole(problem.question, number):
                ones.add(order[place])
        self.numbers = tuple(values)
        self.classes = tuple(classes)
        self.ones = frozenset(ones)
        self._slots = [order[partition.of_place(place)] for place in derivation.places]
        solutions = solution_set(derivation.template.system)
        unique = solutions.kind is SolutionKind.UNIQUE
        self._vector: tuple[Polynomial, ...] = tuple(solutions.vector) if unique else ()
        self.count = max(len(self._vector) - 1, 0)

    def at(self, algebra: Algebra, numbers: Sequence[Ratio]) -> list[Ratio] | None:
        """Return gold's unknowns where given quotients stand for the numbers; None where they have no value."""
        if not self._vector:
            return None
        slots = [numbers[i] for i in self._slots]
        values = [_at(polynomial, slots, algebra) for polynomial in self._vector]
        below = values[-1]
        if not below[0]:
            return None
        return [algebra.combine("/", value, below) for value in values[:-1]]


def _at(polynomial: Polynomial, slots: Sequence[Ratio], algebra: Algebra) -> Ratio:
    """Return a polynomial in the slots where numbers stand for them; numbers have the denominator 1."""
    total: Poly = {}
    for monomial, c in polynomial.items():
        term = algebra.constant(c)
        for index in factors(monomial):
            term = algebra.multiply(term, slots[index][0])
        total = algebra.add(total, term)
    return total, {(): 1}


def is_whole(question: str, number: TextNumber) -> bool:
    """Say whether a number is 100 percent, which is 1."""
    if number.value != 100 or number.end is None:
        return False
    return question[number.end : number.end + 9].lstrip().startswith(("%", "percent", "per cent"))
