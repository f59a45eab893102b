"""Comparison of set-ups with gold: the gold quantities as functions of the numbers of the text.

A quantity with a gold value at the numbers of the text is a candidate. It is rejected if it differs from gold at one
point of a prime field with other numbers, and accepted only by an identity: with letters for the numbers, both are the
same quotient of polynomials. If the most natural reading of the literals fails, the numbers are changed one at a time
to see which break the agreement, and other origins are tried for literals that may come from those. A quantity that
agrees only because a factor of 1, or 100 percent, is left out is a shortcut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, compress, product
from typing import assert_never

from draw_dataset.algebra.grammar import Reader, TokenError, split_equations
from draw_dataset.algebra.nonlinear import ONE, WORK, Algebra, Poly, Ratio
from draw_dataset.algebra.number import read_number
from draw_dataset.algebra.polynomial import PRIME, Polynomial, factors
from draw_dataset.algebra.solution import SolutionKind, solution_set, solve_integers
from draw_dataset.algebra.system import System
from draw_dataset.derivation.derivation import Place, TextNumber
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import LimitError
from draw_dataset.reading.functions import Expression, leaves
from draw_dataset.reading.points import (
    ALL,
    MAX_STEPS,
    ChangedNumbers,
    Dependence,
    FieldNumbers,
    Gold,
    GoldPoints,
    LinearEvaluation,
    NotLinear,
    in_lowest_terms,
    points_of,
)
from draw_dataset.reading.quantities import (
    ConstantOrigin,
    Evaluation,
    Literal,
    NameOrigin,
    Node,
    PairOrigin,
    RestOrigin,
    ResultOrigin,
    SetUp,
    TextOrigin,
    has_names,
    is_plain,
    literals_of,
    numbers_of,
    results_of,
)

MAX_OFFSET = 20  # constants from here on are no distances of consecutive numbers


class SystemQuantities:
    """Unknowns of a system as functions of classes of numbers; `slots` has the class of the number in each slot."""

    __slots__ = ("_slots", "_vector", "count", "numbers", "ones")

    def __init__(
        self, system: System, slots: Sequence[int], numbers: Sequence[Fraction], ones: Iterable[int] = ()
    ) -> None:
        self.numbers = tuple(numbers)
        self.ones = frozenset(ones)  # the classes whose numbers are 1, or 100 percent
        self._slots = tuple(slots)
        solutions = solution_set(system)
        unique = solutions.kind is SolutionKind.UNIQUE
        self._vector: tuple[Polynomial, ...] = tuple(solutions.vector) if unique else ()
        # The determined unknowns: all, or none where the system has no unique solution.
        self.count = max(len(self._vector) - 1, 0)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The unknowns as expressions; empty if they are not known as such."""
        return ()

    @property
    def is_written(self) -> bool:
        """Whether the system is one expression for its unknown."""
        return False

    @property
    def offset(self) -> int:
        """The largest small whole number that the system has as a constant; 0 if there is none."""
        return 0

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
    """Unknowns of a problem's gold derivation as functions of the classes of its numbers."""

    __slots__ = ("__dict__", "_source", "class_of", "classes")

    def __init__(self, problem: Problem) -> None:
        self._source = problem.derivation.template.source
        derivation, partition = problem.derivation, problem.number_classes
        order: dict[Place, int] = {}
        values: list[Fraction] = []
        # If the annotation names a number that the text does not have, it is a class by itself.
        for number in (*problem.numbers, *derivation.alignment.values()):
            place = partition.of_place(number.place)
            if place not in order:
                order[place] = len(values)
                values.append(number.value if number.value is not None else Fraction(0))
        # The class of each number of the text.
        self.classes = tuple([order[partition.of_place(number.place)] for number in problem.numbers])
        whole = [number.value == 1 or is_hundred_percent(problem.question, number) for number in problem.numbers]
        ones = compress(self.classes, whole)
        self.class_of: Mapping[Place, int] = order  # by the place that stands for a class
        slots = [order[partition.of_place(place)] for place in derivation.places]
        super().__init__(derivation.template.system, slots, values, ones)

    @property
    def is_written(self) -> bool:
        """Whether gold is one expression for its unknown, such as ``m = q1 - q2``."""
        tokens = self._source.tokens
        alone = tokens[:2] == (_UNKNOWN, "=") or tokens[-2:] == ("=", _UNKNOWN)
        return alone and ";" not in tokens and tokens.count(_UNKNOWN) == 1 and bool(self.expressions)

    @cached_property
    def offset(self) -> int:
        """The largest small whole number that gold has as a constant; 0 if there is none."""
        written = [int(token) for token in self._source.tokens if isinstance(token, str) and token.isdecimal()]
        return max((value for value in written if value < MAX_OFFSET), default=0)

    @cached_property
    def expressions(self) -> tuple[Expression, ...]:
        """The unknowns as expressions; empty if there are more than two, or an equation is not linear as written."""
        source, forms = self._source, []
        equations = split_equations(source.tokens)
        if not 1 <= len(equations) == len(source.unknowns) <= 2:
            return ()
        try:
            for _, tokens in equations:
                left, right = Reader(tokens, _LinearForms(self._slots)).equation()
                sides = {u: (left, right) if u != _TERM else (right, left) for u in (*left, *right)}
                forms.append({u: _minus(one.get(u, _ZERO), other.get(u, _ZERO)) for u, (one, other) in sides.items()})
        except (TokenError, ArithmeticError):
            return ()
        return _solve_one(*forms) if len(forms) == 1 else _solve_two(*forms)


# An equation that is linear in its unknowns: the expression that each is multiplied with, and under `_TERM` the other
# side of the equation, which has no unknown.
LinearForm = dict[int, Expression]
_TERM = -1
_UNKNOWN = 1  # the token of the first unknown
_ZERO: Expression = ("c", Fraction(0))
_ONE: Expression = ("c", Fraction(1))


def _solve_one(form: LinearForm) -> tuple[Expression, ...]:
    """Return the unknown of an equation; empty if it is not determined."""
    below = form.get(0, _ZERO)
    return () if below == _ZERO else (_divided(form.get(_TERM, _ZERO), below),)


def _solve_two(one: LinearForm, other: LinearForm) -> tuple[Expression, ...]:
    """Return the two unknowns of two equations by Cramer's rule; empty if they are not determined."""
    (a, b, c), (d, e, f) = [[form.get(place, _ZERO) for place in (0, 1, _TERM)] for form in (one, other)]
    below = _minus(_times(a, e), _times(b, d))
    if below == _ZERO:
        return ()
    first, second = _minus(_times(c, e), _times(f, b)), _minus(_times(a, f), _times(d, c))
    return _divided(first, below), _divided(second, below)


# Expressions without a zero, a factor of one or a sign that can be avoided.


def _negative(value: Expression) -> Expression | None:
    """Return what an expression is the negative of, if it is written so."""
    if value[0] == "c":
        return ("c", -value[1]) if value[1] < 0 else None
    return value[2] if value[:2] == ("-", _ZERO) else None


def _negated(value: Expression) -> Expression:
    if value[0] == "c":
        return ("c", -value[1])
    if value[0] == "-":
        return value[2] if value[1] == _ZERO else ("-", value[2], value[1])
    return ("-", _ZERO, value)


def _minus(one: Expression, other: Expression) -> Expression:
    if other == _ZERO:
        return one
    if one[0] == other[0] == "c":
        return ("c", one[1] - other[1])
    positive, opposite = _negative(other), _negative(one)
    if positive is not None:
        return positive if one == _ZERO else ("+", one, positive)
    if opposite is not None:
        return _negated(("+", opposite, other))
    return _negated(other) if one == _ZERO else ("-", one, other)


def _times(one: Expression, other: Expression) -> Expression:
    if _ZERO in (one, other):
        return _ZERO
    if one == _ONE or other == _ONE:
        return other if one == _ONE else one
    for factor, rest in ((one, other), (other, one)):
        positive = _negative(factor)
        if positive is not None:
            return _negated(_times(positive, rest))
    return ("*", one, other)


def _divided(above: Expression, below: Expression) -> Expression:
    positive = _negative(below)
    if positive is not None:
        return _divided(_negated(above), positive)
    return above if below == _ONE or above == _ZERO else ("/", above, below)


class _LinearForms:
    """Builds linear forms in the classes of numbers; `slots` has the class of the number in each slot."""

    def __init__(self, slots: Sequence[int]) -> None:
        self._slots = slots

    def number(self, literal: str) -> LinearForm:
        return {_TERM: ("c", Fraction(*read_number(literal)))}

    def name(self, token: int) -> LinearForm:
        return {token >> 1: _ONE} if token & 1 else {_TERM: ("q", self._slots[token >> 1] + 1)}

    def add(self, left: LinearForm, right: LinearForm) -> LinearForm:
        both = {u: ("+", left[u], right[u]) for u in left if u in right}
        return left | right | both

    def subtract(self, left: LinearForm, right: LinearForm) -> LinearForm:
        return left | {u: ("-", left[u], value) if u in left else _minus(_ZERO, value) for u, value in right.items()}

    def multiply(self, left: LinearForm, right: LinearForm) -> LinearForm:
        if set(left) == set(right) == {_TERM}:
            return {_TERM: ("*", left[_TERM], right[_TERM])}
        if set(left) == {_TERM}:
            return {u: _times(left[_TERM], value) for u, value in right.items()}
        factor = self._number_of(right)
        return {u: _times(value, factor) for u, value in left.items()}

    def divide(self, left: LinearForm, right: LinearForm) -> LinearForm:
        below = self._number_of(right)
        return {u: ("/", value, below) for u, value in left.items()}

    def negate(self, value: LinearForm) -> LinearForm:
        return {u: ("-", _ZERO, part) for u, part in value.items()}

    def power(self, base: LinearForm, exponent: int) -> LinearForm:
        number = self._number_of(base)
        found = number if exponent else _ONE
        for _ in range(exponent - 1):
            found = ("*", found, number)
        return {_TERM: found}

    def group(self, value: LinearForm) -> LinearForm:
        return value

    def _number_of(self, form: LinearForm) -> Expression:
        """Return a form without unknowns as an expression."""
        if set(form) != {_TERM}:
            raise ArithmeticError
        return form[_TERM]


def _at(polynomial: Polynomial, slots: Sequence[Ratio], algebra: Algebra) -> Ratio:
    """Return a polynomial at numbers for its slots; numbers have the denominator 1."""
    total: Poly = {}
    for monomial, c in polynomial.items():
        term = algebra.constant(c)
        for index in factors(monomial):
            term = algebra.multiply(term, slots[index][0])
        total = algebra.add(total, term)
    return total, ONE


def is_hundred_percent(question: str, number: TextNumber) -> bool:
    """Decide whether a number is 100 percent, that is, 1."""
    if number.value != 100 or number.end is None:
        return False
    return question[number.end : number.end + 9].lstrip().startswith(("%", "percent", "per cent"))


# Work for comparing one set-up with gold, as `Algebra` counts it; it limits how many readings are tried.
COMPARING = 20_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """A quantity that may be a gold quantity in some unit."""

    unknown: int
    node: Node
    scale: Fraction  # its unit: the expression is this many times the gold quantity


# The literals that are not read in the most natural way, each with the origin that is meant.
Reading = tuple[tuple[int, int], ...]


class AtPoint:
    """Values of a set-up at one point of the field, cached for each reading of its literals.

    The work of a value is counted each time, so that the outcome does not depend on the cache.
    """

    __slots__ = ("_found", "_is_linear", "_natural", "_setup", "origins")

    def __init__(self, setup: SetUp, point: Sequence[int]) -> None:
        self._setup = setup
        self.origins = FieldNumbers(setup, point)  # the values of the literals' origins
        self._found: dict[tuple[Node, Reading], tuple[int | None, int]] = {}
        self._is_linear = True
        self._natural: LinearEvaluation | None = None
        try:
            self._natural = LinearEvaluation(self.origins, {})
        except NotLinear:
            self._is_linear = False  # it is hardly linear in another reading
        except (LimitError, ZeroDivisionError):
            pass

    @classmethod
    def of(cls, setup: SetUp, point: Sequence[int]) -> AtPoint:
        """Return the cached values of a set-up at a point."""
        memory, key = setup.memory, tuple(point)
        found: AtPoint | None = memory.get(key)
        if found is None:
            # What is kept with a set-up must not lead back to it, or only the garbage collector would free both.
            parts: SetUp | None = memory.get(SetUp)
            if parts is None:
                memory[SetUp] = parts = SetUp(setup.literals, setup.origins, setup.equations, setup.results)
            memory[key] = found = cls(parts, point)
        return found

    def value(self, node: Node, chosen: Mapping[int, int]) -> tuple[int | None, int]:
        """Return the value of an expression and the work for it; None if it has no value, or takes too much work."""
        key = node, tuple(sorted(chosen.items())) if chosen else ()
        found = self._found.get(key)
        if found is None:
            self._found[key] = found = self._value(node, chosen)
        return found

    def _value(self, node: Node, chosen: Mapping[int, int]) -> tuple[int | None, int]:
        if self._is_linear:
            try:
                evaluation = self._evaluation(chosen)
                value, steps = evaluation.value(node)
                return value, steps + evaluation.steps
            except ZeroDivisionError:
                return None, len(self._setup.equations) + 1
            except LimitError:
                return None, MAX_STEPS
            except NotLinear:
                pass
        return self._in_general(node, chosen)

    def _evaluation(self, chosen: Mapping[int, int]) -> LinearEvaluation:
        if self._natural is None:
            return LinearEvaluation(self.origins, chosen)
        if not chosen:
            return self._natural
        depends: Dependence | None = self._setup.memory.get(Dependence)
        if depends is None:
            self._setup.memory[Dependence] = depends = Dependence(self._setup)
        return LinearEvaluation(self.origins, chosen, self._natural, depends)

    def _in_general(self, node: Node, chosen: Mapping[int, int]) -> tuple[int | None, int]:
        field = Algebra(PRIME)
        numbers: list[Ratio] = [field.number(value) for value in self.origins.numbers]
        evaluation = _evaluation(self._setup, field, numbers, chosen)
        try:
            value = None if evaluation is None else evaluation.value(node)
        except LimitError:
            value = None
        return None if value is None else int(value), WORK - field.left + len(self._setup.equations)


class GoldComparison:
    """Values and proofs for one set-up and one gold derivation, with a budget of work."""

    __slots__ = ("_at_points", "_field", "_with_letters", "left", "points", "setup")

    def __init__(self, setup: SetUp, points: GoldPoints) -> None:
        self.setup = setup
        self.points = points
        self.left = COMPARING  # remaining work
        self._field = Algebra(PRIME)
        self._at_points: dict[ChangedNumbers, AtPoint] = {}
        self._with_letters: dict[ChangedNumbers, tuple[Evaluation | None, int]] = {}

    def agrees_at(self, wanted: Wanted, chosen: Mapping[int, int], changed: ChangedNumbers) -> bool:
        """Decide whether a quantity equals the gold quantity at one point where some numbers are changed."""
        there = self.wanted_value(wanted, changed)
        return there is None or self.value(wanted.node, chosen, changed) == there

    def wanted_value(self, wanted: Wanted, changed: ChangedNumbers) -> int | None:
        """Return the gold quantity at such a point; None if it has no value there."""
        gold = self.points.in_field(changed)
        return None if gold is None else gold[wanted.unknown] * self._field.residue(wanted.scale) % PRIME

    def value(self, node: Node, chosen: Mapping[int, int], changed: ChangedNumbers) -> int | None:
        """Return the value of an expression at such a point; None if it has no value, or takes too much work."""
        value, steps = self.at(changed).value(node, chosen)
        self.left -= steps
        return value

    def at(self, changed: ChangedNumbers) -> AtPoint:
        """Return the values of the set-up at such a point."""
        found = self._at_points.get(changed)
        if found is None:
            self._at_points[changed] = found = AtPoint.of(self.setup, self.points.point(changed))
        return found

    def is_proved(self, wanted: Wanted, chosen: Mapping[int, int], changed: ChangedNumbers) -> bool:
        """Decide whether a quantity is the gold quantity as a function, with letters for the numbers."""
        numbers, gold = self.points.with_letters(changed)
        known = None if chosen else self._with_letters.get(changed)
        if known is None:
            fresh = Algebra()
            known = _evaluation(self.setup, fresh, numbers, chosen), fresh.left
            if not chosen:
                self._with_letters[changed] = known
        evaluation, left = known
        if evaluation is None or gold is None:
            return False
        algebra = evaluation.algebra
        algebra.left = left
        try:
            above, below = evaluation.known(wanted.node)
            gold_above, gold_below = gold[wanted.unknown]
            ours = algebra.multiply(above, gold_below)
            theirs = algebra.multiply(algebra.multiply(gold_above, below), algebra.constant(wanted.scale))
            return not algebra.add(ours, theirs, -1)
        except (LimitError, ZeroDivisionError):
            return False

    def values(self, numbers: Sequence[Fraction]) -> dict[Node, Fraction]:
        """Return the values of the quantities at the numbers of the text, if they are determined."""
        exact = Algebra()
        evaluation = _evaluation(self.setup, exact, [exact.number(value) for value in numbers], {})
        found: dict[Node, Fraction] = {}
        if evaluation is None:
            return found
        for node, _ in self.setup.quantities:
            try:
                value = evaluation.value(node)
            except LimitError:
                continue
            if value is not None:
                found[node] = Fraction(value)
        return found


def _evaluation(
    setup: SetUp, algebra: Algebra, numbers: Sequence[Ratio], chosen: Mapping[int, int]
) -> Evaluation | None:
    evaluation = Evaluation(setup, algebra, numbers, chosen)
    try:
        evaluation.add_all()
    except (LimitError, ZeroDivisionError):
        return None
    return evaluation


MAX_LOOKED_AT = 800  # readings tried per number; most repeat the values of an earlier one
MAX_REPAIRED = 12  # readings kept for the next number
MAX_TOUCHED = 7  # all readings are tried of up to this many literals that may come from one number
# Origins that are tried first. That a literal is a constant, or was computed silently, could explain anything.
_LIKELY = (TextOrigin, ResultOrigin, NameOrigin)
# A value, the work to find it, and the literals that are read differently, with the origins that are meant.
Trial = tuple[int | None, int, tuple[int, ...], tuple[int, ...]]


class Trials:
    """Cached trials of readings, each made on first use; its work is counted each time."""

    __slots__ = ("_found", "_rest")

    def __init__(self, rest: Iterator[Trial]) -> None:
        self._found: list[Trial] = []
        self._rest = rest

    def __iter__(self) -> Iterator[Trial]:
        yield from self._found
        for trial in self._rest:
            self._found.append(trial)
            yield trial


def _try_readings(
    point: AtPoint, node: Node, literals: Sequence[int], base: Mapping[int, int], values: Mapping[int, Sequence[int]]
) -> Iterator[Trial]:
    """Yield the value of a quantity in readings that change `base`, those with the fewest changes first.

    `values` maps each origin of a literal to the first that has its value at the point: readings that give every
    literal the same value are tried once.
    """
    options: dict[int, list[int]] = {}
    changed: dict[int, list[tuple[int, int] | None]] = {}  # the value that each option gives; None for that of `base`
    for i in literals:
        before, known = base.get(i, 0), values[i]
        options[i] = [option for option in range(len(known)) if option != before]
        changed[i] = [None if known[option] == known[before] else (i, known[option]) for option in options[i]]
    outcomes: dict[tuple[tuple[int, int] | None, ...], int | None] = {}
    for changes in range(len(literals) + 1):
        for some in combinations(literals, changes):
            # Both products run side by side, because most readings repeat the values of an earlier one.
            alike = product(*[changed[i] for i in some])
            for chosen, key in zip(product(*[options[i] for i in some]), alike, strict=True):
                if None in key:
                    key = tuple(filter(None, key))
                steps = 1
                if key not in outcomes:
                    outcomes[key], work = point.value(node, {**base, **dict(zip(some, chosen, strict=True))})
                    steps += work
                yield outcomes[key], steps, some, chosen


class Readings:
    """The readings of the literals of one set-up."""

    __slots__ = ("_comparing", "_ones", "_reach", "_setup")

    def __init__(self, comparing: GoldComparison, ones: frozenset[int]) -> None:
        self._comparing = comparing
        self._setup = comparing.setup
        self._ones = ones
        self._reach: dict[int, frozenset[int]] = {}

    def agree_all(self, wanted: Wanted) -> bool:
        """Decide whether the agreement holds if a literal is taken for another number of the same value."""
        for index in self._literals(wanted.node):
            first, *rest = self._setup.origins[index]
            if not isinstance(first, TextOrigin):
                continue
            for option, origin in enumerate(rest, 1):
                alike = isinstance(origin, TextOrigin) and origin.change.scale == first.change.scale
                if alike and not self._comparing.agrees_at(wanted, {index: option}, ALL):
                    return False
        return True

    def other(self, wanted: Wanted, broken: Sequence[int], others: frozenset[int]) -> dict[int, int] | None:
        """Return another reading of the literals under which a quantity is the gold quantity; None if there is none.

        The broken numbers are repaired one after the other: only that number is changed, and other origins are tried
        for the literals that may come from it. If one number cannot be repaired, none of the readings works.
        """
        literals = [i for i in self._literals(wanted.node) if len(self._setup.origins[i]) > 1]
        found: list[dict[int, int]] = [{}]
        for number in broken:
            if number in self._ones:
                continue
            found = self._repair(wanted, number, literals, found)
            if not found:
                return None
        return next((chosen for chosen in found if self._comparing.agrees_at(wanted, chosen, others)), None)

    def with_constants(self, wanted: Wanted, largest: int, count: int, others: frozenset[int]) -> dict[int, int] | None:
        """Return a reading in which small literals are constants; None if there is none.

        Such is x + 4 for the third of "three odd numbers". Each literal may come from a count or a parity as well, so
        there are too many readings to get there from the most natural one.
        """
        literals = [i for i in self._literals(wanted.node) if len(self._setup.origins[i]) > 1]
        base: dict[int, int] = {}
        for i in literals:
            amount = self._setup.literals[i].amount
            kinds = [isinstance(origin, ConstantOrigin) for origin in self._setup.origins[i]]
            if any(kinds[1:]) and not kinds[0] and amount.denominator == 1 and 0 < amount <= largest + 1:
                base[i] = kinds.index(True)
        found = [base] if base else []
        for number in range(count):
            changed = frozenset({number})
            if found and not self._comparing.agrees_at(wanted, base, changed):
                repaired = self._repair(wanted, number, literals, found)
                found = repaired if repaired or number not in self._ones else found
        return next((chosen for chosen in found if self._comparing.agrees_at(wanted, chosen, others)), None)

    def _repair(
        self, wanted: Wanted, number: int, literals: Sequence[int], bases: Sequence[dict[int, int]]
    ) -> list[dict[int, int]]:
        """Return readings that extend others and under which a number no longer breaks the agreement."""
        changed = frozenset({number})
        wanted_value = self._comparing.wanted_value(wanted, changed)
        touched = [i for i in literals if number in self._reachable(i)]
        if len(touched) > MAX_TOUCHED:
            touched = sorted(touched, key=lambda i: not self._is_open(i, changed))[:MAX_TOUCHED]
        repaired: list[dict[int, int]] = []
        looked_at = 0
        for base in bases:
            for value, steps, some, chosen in self._trials(wanted.node, changed, touched, base):
                looked_at += 1
                self._comparing.left -= steps
                if self._comparing.left < 0:
                    return []
                if value == wanted_value:
                    repaired.append({**base, **dict(zip(some, chosen, strict=True))})
                    if len(repaired) == MAX_REPAIRED:
                        return repaired
                if looked_at == MAX_LOOKED_AT:
                    return repaired
        return repaired

    def _trials(self, node: Node, changed: ChangedNumbers, touched: Sequence[int], base: Mapping[int, int]) -> Trials:
        """Return the readings that extend another one, with the value of a quantity under each.

        They are cached, because the derivations that count for a problem mostly ask for the same.
        """
        point, memory = self._comparing.at(changed), self._setup.memory
        key = point, node, tuple(touched), tuple(sorted(base.items()))
        known: Trials | None = memory.get(key)
        if known is None:
            values = {i: self._origin_values(i, changed) for i in touched}
            memory[key] = known = Trials(_try_readings(point, node, touched, base, values))
        return known

    def _origin_values(self, index: int, changed: ChangedNumbers) -> list[int]:
        """Return for each origin of a literal the first with its value at a point; results and names are their own."""
        numbers = self._comparing.at(changed).origins
        found: list[object] = []
        for option, origin in enumerate(self._setup.origins[index]):
            match origin:
                case ResultOrigin() | RestOrigin() | NameOrigin():
                    found.append(origin)
                case ConstantOrigin() | TextOrigin() | PairOrigin():
                    try:
                        found.append(numbers.number(index, option, origin))
                    except ZeroDivisionError:
                        found.append(None)
                case _:
                    assert_never(origin)
        return [found.index(value) for value in found]

    def _is_open(self, index: int, changed: ChangedNumbers) -> bool:
        """Decide whether the likely origins of a literal have different values with some numbers changed."""
        if self._comparing.left < COMPARING // 2:
            return True  # finding the readings worth trying must not cost more than trying them
        node: Node = ("number", index)
        likely = [option for option, origin in enumerate(self._setup.origins[index]) if isinstance(origin, _LIKELY)]
        return len({self._comparing.value(node, {index: option}, changed) for option in likely}) > 1

    def _reachable(self, index: int) -> frozenset[int]:
        """Return the numbers that a literal may come from, directly or through results and names."""
        if index not in self._reach:
            inner = self._literals(("number", index))
            self._comparing.left -= len(inner)
            origins = [origin for i in inner for origin in self._setup.origins[i]]
            self._reach[index] = frozenset(number for origin in origins for number in numbers_of(origin))
        return self._reach[index]

    def _literals(self, node: Node) -> list[int]:
        """Return the literals that a quantity may depend on: its own, those of the equations, those of results."""
        found: dict[int, None] = {}
        results: set[int] = set()
        equations = [side for left, right, _ in self._setup.equations for side in (left, right)]
        with_equations = has_names(node)
        todo = [node, *equations] if with_equations else [node]
        while todo:
            for index in literals_of(todo.pop()):
                if index in found:
                    continue
                found[index] = None
                for origin in self._setup.origins[index]:
                    named = isinstance(origin, NameOrigin)
                    for number in results_of(origin):
                        if number not in results:
                            results.add(number)
                            result = self._setup.results[number].node
                            todo.append(result)
                            named = named or has_names(result)
                    if named and not with_equations:
                        with_equations = True
                        todo += equations
        return list(found)


MAX_CANDIDATES = 12  # quantities with the right value tried per gold quantity


@dataclass(frozen=True, slots=True)
class Match:
    """A gold quantity that was found among those of a set-up."""

    unknown: int
    node: Node
    scale: Fraction  # its unit: the expression is this many times the gold quantity
    chosen: Mapping[int, int]  # the reading of literals that are not read in the most natural way
    certain: bool  # whether every reading of the literals agrees
    shortcut: bool = False  # whether it agrees only because some number of the text is 1, as when a factor is dropped


@dataclass(frozen=True, slots=True)
class Agreement:
    """How much of the gold derivation a set-up has.

    `breaking` has, for each gold unknown without a match, the numbers that break the agreement of a quantity with the
    right value when they alone are changed; None if no quantity has the right value.
    """

    matches: tuple[Match, ...]
    breaking: Mapping[int, tuple[int, ...] | None]
    complete: bool  # whether the matches are all gold quantities, or depend on every number that gold depends on

    @property
    def certain(self) -> bool:
        """Whether it is complete in every reading."""
        return self.complete and all(match.certain for match in self.matches)

    @property
    def shortcut(self) -> bool:
        """Whether it is complete by leaving out numbers that are 1."""
        return self.complete and any(match.shortcut for match in self.matches)


# Decides whether a quantity may be compared in another unit: the factor, and its value in that unit.
Admits = Callable[[Fraction, Fraction], bool]


def agree(
    setup: SetUp, gold: Gold, values: Mapping[Node, Fraction] | None = None, admits: Admits | None = None
) -> Agreement:
    """Return how much of the gold derivation a set-up has.

    `values` are those of its quantities at the numbers of the text, if known. Without `admits` every unit is allowed.
    """
    return _Comparison(setup, gold, admits).agreement(values)


class _Comparison:
    """One set-up compared with one gold."""

    def __init__(self, setup: SetUp, gold: Gold, admits: Admits | None) -> None:
        self._setup = setup
        self._admits = admits
        self._gold = gold
        self._points = points_of(gold)
        self._count = len(gold.numbers)
        self._comparing = GoldComparison(setup, self._points)
        self._readings = Readings(self._comparing, gold.ones)
        self._constants: frozenset[Fraction] | None = None  # those that gold has in any form, if that is known
        if gold.is_written:
            own = [leaf[1] for expression in gold.expressions for leaf in leaves(expression) if leaf[0] == "c"]
            self._constants = frozenset(v for c in own if c for v in (c, 1 / c, 100 * c, c / 100))

    def agreement(self, values: Mapping[Node, Fraction] | None) -> Agreement:
        golds = self._points.values
        if golds is None:
            return Agreement((), {}, complete=False)
        if values is None:
            values = self._comparing.values(self._gold.numbers)
        candidates = self._points.candidates
        by_value: dict[Fraction, list[Node]] = {}
        for node in dict.fromkeys(node for node, _ in reversed(self._setup.quantities)):
            value = values.get(node)
            if value is not None and value.as_integer_ratio() in candidates:
                by_value.setdefault(value, []).append(node)
        matches: list[Match] = []
        breaking: dict[int, tuple[int, ...] | None] = {}
        for unknown in range(len(golds)):
            found, broken = self._find(unknown, by_value) if by_value else (None, None)
            if found is not None:
                matches.append(found)
            else:
                breaking[unknown] = broken
        return Agreement(tuple(matches), breaking, self._is_complete(matches, len(golds)))

    def _find(
        self, unknown: int, known: Mapping[Fraction, Sequence[Node]]
    ) -> tuple[Match | None, tuple[int, ...] | None]:
        """Return the match of a gold quantity, else the numbers that break the agreement of a candidate."""
        breaking: tuple[int, ...] | None = None
        for scale, value in self._points.scaled[unknown]:
            nodes = known.get(value, ())[:MAX_CANDIDATES]
            if nodes and scale != 1 and self._admits is not None and not self._admits(scale, value):
                continue
            for node in nodes:
                if self._comparing.left < 0:
                    return None, breaking
                found, broken = self._match(unknown, node, scale)
                if found is not None:
                    return found, None
                if scale == 1 and broken is not None and (breaking is None or len(broken) < len(breaking)):
                    breaking = broken
        return None, breaking

    def _match(self, unknown: int, node: Node, scale: Fraction) -> tuple[Match | None, tuple[int, ...] | None]:
        wanted = Wanted(unknown, node, scale)
        same, proved = self._comparing.agrees_at, self._comparing.is_proved
        others = frozenset(range(self._count)) - self._gold.ones
        if same(wanted, {}, ALL) and proved(wanted, {}, ALL):
            return Match(unknown, node, scale, {}, certain=self._readings.agree_all(wanted)), None
        if self._gold.ones and same(wanted, {}, others) and proved(wanted, {}, others):
            return Match(unknown, node, scale, {}, certain=False, shortcut=True), None
        broken = tuple(i for i in range(self._count) if not same(wanted, {}, frozenset({i})))
        if scale != 1 and not self._setup.equations:
            return None, broken  # for a chain, another unit together with another reading would accept too much
        found = self._accept(wanted, self._readings.other(wanted, broken, others), others)
        if found is None and self._gold.offset:
            chosen = self._readings.with_constants(wanted, self._gold.offset, self._count, others)
            found = self._accept(wanted, chosen, others)
        return found, None if found is not None else broken

    def _accept(self, wanted: Wanted, chosen: Mapping[int, int] | None, others: frozenset[int]) -> Match | None:
        """Return the match in another reading; None if that takes numbers away, or if it is not proved."""
        if chosen is None:
            return None
        shortcut = not self._comparing.agrees_at(wanted, chosen, ALL)
        if any(self._is_taken_away(i, option, shortcut) for i, option in chosen.items()):
            return None
        if not self._comparing.is_proved(wanted, chosen, others if shortcut else ALL):
            return None
        return Match(wanted.unknown, wanted.node, wanted.scale, chosen, certain=False, shortcut=shortcut)

    def _is_taken_away(self, index: int, option: int, shortcut: bool) -> bool:
        """Decide whether a reading takes a number of the text for a constant that gold does not have.

        If the agreement leaves out a 1, any such constant counts: 4 - 3 with both in the text is no 1.
        """
        first, *_ = origins = self._setup.origins[index]
        value = self._setup.literals[index].amount
        if not isinstance(origins[option], ConstantOrigin) or value in (0, 1):
            return False
        if not isinstance(first, TextOrigin) or not is_plain(first):
            return False
        return shortcut or (self._constants is not None and value not in self._constants)

    def _is_complete(self, matches: Sequence[Match], count: int) -> bool:
        if len(matches) == count:
            return True
        # An answer may solve for one of several unknowns: it has understood the problem if that one depends on every
        # number. An expression that only occurs somewhere has not been solved for.
        solved = {match.unknown for match in matches if match.node[0] == "name" or not has_names(match.node)}
        base = self._points.in_field(ALL)
        if not solved or base is None:
            return False
        for i in range(self._count):
            changed = frozenset(range(self._count)) - {i}
            other = self._points.in_field(changed)
            if other is None:
                continue
            moves = [a != b for a, b in zip(base, other, strict=True)]
            if any(moves) and not any(moves[unknown] for unknown in solved):
                return False
        return True


# Predicted templates are compared like answers, as set-ups without other readings: the alignment fixes the slots. Only
# a system with a value of gold is compared, because solving it takes a hundredth of the time of a comparison.


def setup_of(system: System, classes: Sequence[int]) -> SetUp:
    """Return a system as a set-up; `classes` has the class of the number in each slot."""
    literals = [Literal(Fraction(0), 0, 0, f"slot {slot}") for slot in range(system.slot_count)]
    setup = SetUp(literals, [[TextOrigin(class_)] for class_ in classes])
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
            setup.add_equation(total, zero, number)
    setup.quantities += [(name, -1) for name in names]
    return setup


def agree_systems(system: System, classes: Sequence[int], gold: SystemQuantities) -> Agreement:
    """Return how much of the gold derivation a system has whose slots hold numbers of the text.

    A system that solves for one of two unknowns is complete if that one depends on every number. A system that solves
    for as many unknowns as gold, or for more, must have all gold quantities. Otherwise ``m + n = q2; m - n = q1`` would
    pass for gold with q1 and q2 exchanged, since the sum of both is the same.
    """
    if _has_no_value_of(system, classes, gold):
        return Agreement((), dict.fromkeys(range(gold.count)), complete=False)
    found = agree(setup_of(system, classes), gold)
    if found.complete and len(found.matches) < gold.count <= system.unknown_count:
        return replace(found, complete=False)
    return found


def _has_no_value_of(system: System, classes: Sequence[int], gold: SystemQuantities) -> bool:
    """Decide whether a system has one solution at the numbers of the text, without a gold value."""
    points = points_of(gold)
    if points.values is None:
        return False
    numbers, denominator = points.integers
    try:
        solution = solve_integers(system, [numbers[class_] for class_ in classes], denominator)
    except LimitError:
        return False
    if solution is None:
        return False  # it may determine some of its unknowns all the same
    found, below = solution
    return not any(in_lowest_terms(above, below) in points.candidates for above in found)
