"""The gold quantities as functions of the numbers of the text, and those of any template with its alignment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from draw_dataset.core.algebra.polynomial import Polynomial, factors
from draw_dataset.core.alignment import Place, TextNumber
from draw_dataset.core.equations import System
from draw_dataset.core.equations.solution import SolutionKind, solution_set
from draw_dataset.core.problem import Problem
from draw_dataset.core.quantities.solving import ONE, Algebra, Poly, Ratio


class SystemQuantities:
    """The unknowns of a system whose slots hold numbers of a text, as functions of the classes of these numbers.

    Args:
        system: the system.
        slots: the class of the number in each of its slots.
        numbers: the value of each class.
        ones: the classes whose numbers are 1, or 100 percent.

    Attributes:
        numbers: the value of each class of numbers; members of one EquivTNum class are one number.
        ones: the classes whose numbers are 1, or 100 percent.
        count: how many unknowns are determined: all, or none where the system has no unique solution.
    """

    __slots__ = ("_slots", "_vector", "count", "numbers", "ones")

    def __init__(
        self, system: System, slots: Sequence[int], numbers: Sequence[Fraction], ones: Iterable[int] = ()
    ) -> None:
        self.numbers = tuple(numbers)
        self.ones = frozenset(ones)
        self._slots = tuple(slots)
        solutions = solution_set(system)
        unique = solutions.kind is SolutionKind.UNIQUE
        self._vector: tuple[Polynomial, ...] = tuple(solutions.vector) if unique else ()
        self.count = max(len(self._vector) - 1, 0)

    def at(self, algebra: Algebra, numbers: Sequence[Ratio]) -> list[Ratio] | None:
        """Return the unknowns where given quotients stand for the numbers; None where they have no value."""
        if not self._vector:
            return None
        slots = [numbers[i] for i in self._slots]
        values = [_at(polynomial, slots, algebra) for polynomial in self._vector]
        below = values[-1]
        if not below[0]:
            return None
        return [algebra.combine("/", value, below) for value in values[:-1]]


class GoldQuantities(SystemQuantities):
    """The unknowns of a problem's gold derivation, as functions of the classes of its numbers.

    Args:
        problem: the problem.

    Attributes:
        classes: for each number of the text its class.
        class_of: the class of each place that stands for one (see `NumberClasses.of_place`).
    """

    __slots__ = ("class_of", "classes")

    def __init__(self, problem: Problem) -> None:
        derivation, partition = problem.derivation, problem.number_classes
        order: dict[Place, int] = {}
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
        for number in derivation.alignment.values():
            # If the annotation names a number that the text does not have, it is a class by itself.
            place = partition.of_place(number.place)
            if place not in order:
                order[place] = len(values)
                values.append(number.value if number.value is not None else Fraction(0))
        self.classes = tuple(classes)
        self.class_of: Mapping[Place, int] = order
        slots = [order[partition.of_place(place)] for place in derivation.places]
        super().__init__(derivation.template.system, slots, values, ones)


def _at(polynomial: Polynomial, slots: Sequence[Ratio], algebra: Algebra) -> Ratio:
    """Return a polynomial in the slots where numbers stand for them; numbers have the denominator 1."""
    total: Poly = {}
    for monomial, c in polynomial.items():
        term = algebra.constant(c)
        for index in factors(monomial):
            term = algebra.multiply(term, slots[index][0])
        total = algebra.add(total, term)
    return total, ONE


def is_whole(question: str, number: TextNumber) -> bool:
    """Say whether a number is 100 percent, that is, 1."""
    if number.value != 100 or number.end is None:
        return False
    return question[number.end : number.end + 9].lstrip().startswith(("%", "percent", "per cent"))
