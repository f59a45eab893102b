"""Gold quantities at sample points, and fast linear evaluation of set-ups there.

A point is the numbers of the text, some of them changed, or letters for them. Every answer to a problem asks for the
same points, so each is computed once and kept with gold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from heapq import heapify, heappop, heappush
from math import gcd, lcm
from typing import Protocol, assert_never

from draw_dataset.algebra.nonlinear import ONE, Algebra, Poly, Ratio
from draw_dataset.algebra.polynomial import POINT, PRIME, residue
from draw_dataset.errors import LimitError
from draw_dataset.reading.functions import Expression
from draw_dataset.reading.quantities import (
    UNCHANGED,
    Change,
    ConstantOrigin,
    NameOrigin,
    Node,
    PairOrigin,
    RestOrigin,
    ResultOrigin,
    SetUp,
    TextOrigin,
    has_names,
    literals_of,
    results_of,
)

ChangedNumbers = frozenset[int] | None  # the numbers that differ from the text; None for all of them

ALL: ChangedNumbers = None

# Factors between the unit of an unknown in an answer and the unit in gold.
UNITS: tuple[Fraction, ...] = tuple(
    map(Fraction, ("1/100", "100", "60", "1/60", "12", "1/12", "1000", "1/1000", "7", "24", "3600", "1/3600"))
)

_ONE = Fraction(1)


class Gold(Protocol):
    """The gold quantities as functions of the numbers of the text."""

    @property
    def numbers(self) -> Sequence[Fraction]:
        """The value of each class of numbers in the text."""

    @property
    def ones(self) -> frozenset[int]:
        """The classes whose numbers are 1, or 100 percent."""

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The gold quantities as expressions; empty if they are not known as such."""

    @property
    def is_written(self) -> bool:
        """Whether gold itself is written as one expression, and not as equations to be solved."""

    @property
    def offset(self) -> int:
        """The largest small whole number that gold has as a constant, as in ``m + 4``; 0 if there is none."""

    def __hash__(self) -> int:
        """Return the hash under which results for gold are cached."""

    def at(self, algebra: Algebra, numbers: Sequence[Ratio]) -> list[Ratio] | None:
        """Return the gold quantities with given quotients for the numbers; None if they have no value there."""


class GoldPoints:
    """Lazily computed gold quantities at points."""

    __slots__ = ("_gold", "_in_field", "_letters", "_points", "candidates", "count", "integers", "scaled", "values")

    def __init__(self, gold: Gold) -> None:
        self._gold = gold
        self.count = len(gold.numbers)
        self.values = _exactly(gold)  # the gold quantities at the numbers of the text; None where they have no value
        common = lcm(*[value.denominator for value in gold.numbers])
        # The value of each class times a common denominator, and that denominator.
        self.integers = [value.numerator * (common // value.denominator) for value in gold.numbers], common
        # Per gold quantity a factor and a value for each unit, its own unit first. Zero is zero in every unit.
        self.scaled = [
            [(scale, value * scale) for scale in ((_ONE, *UNITS) if value else (_ONE,))] for value in self.values or ()
        ]
        # Every value that a gold quantity may have, in lowest terms.
        self.candidates = frozenset(value.as_integer_ratio() for units in self.scaled for _, value in units)
        self._points: dict[ChangedNumbers, list[int]] = {}
        self._in_field: dict[ChangedNumbers, list[int] | None] = {}
        self._letters: dict[ChangedNumbers, tuple[list[Ratio], list[Ratio] | None]] = {}

    def point(self, changed: ChangedNumbers) -> list[int]:
        """Return the numbers of the field at which some numbers are changed."""
        if changed not in self._points:
            field, given = Algebra(PRIME), self._gold.numbers
            moved = range(self.count) if changed is None else changed
            self._points[changed] = [
                POINT[i % len(POINT)] if i in moved else field.residue(given[i]) for i in range(self.count)
            ]
        return self._points[changed]

    def in_field(self, changed: ChangedNumbers) -> list[int] | None:
        """Return the gold quantities at such a point; None if they have no value there."""
        if changed not in self._in_field:
            field = Algebra(PRIME)
            found = self._gold.at(field, [field.number(value) for value in self.point(changed)])
            self._in_field[changed] = None if found is None else [field_residue(field, *ratio) for ratio in found]
        return self._in_field[changed]

    def with_letters(self, changed: ChangedNumbers) -> tuple[list[Ratio], list[Ratio] | None]:
        """Return letters for the changed numbers, and the gold quantities as functions of them."""
        if changed not in self._letters:
            algebra = Algebra()
            moved = range(self.count) if changed is None else changed
            numbers: list[Ratio] = [
                ({(-1 - i,): 1}, ONE) if i in moved else algebra.number(value)
                for i, value in enumerate(self._gold.numbers)
            ]
            self._letters[changed] = numbers, self._gold.at(algebra, numbers)
        return self._letters[changed]


# The points of a gold derivation; all answers to one problem share them.
points_of = lru_cache(maxsize=1 << 10)(GoldPoints)


def in_lowest_terms(above: int, below: int) -> tuple[int, int]:
    """Return numerator and denominator of a quotient whose denominator is positive.

    >>> in_lowest_terms(-6, 4)
    (-3, 2)
    """
    shared = gcd(above, below)
    return above // shared, below // shared


def _exactly(gold: Gold) -> list[Fraction] | None:
    exact = Algebra()
    found = gold.at(exact, [exact.number(value) for value in gold.numbers])
    if found is None:
        return None
    return [Fraction(above.get((), 0)) / Fraction(below[()]) for above, below in found]


def field_residue(field: Algebra, above: Poly, below: Poly) -> int:
    """Return the value of a quotient of two numbers of the field."""
    return int(above.get((), 0)) * int(field.inverse(below[()])) % PRIME


# Nearly all equations are linear in their names once the numbers are numbers of a prime field. Elimination in that form
# takes a tenth of the time of `Evaluation`, which does the work where `NotLinear` is raised.


MAX_DEPTH = 120  # nesting of results and expressions; `Evaluation` handles deeper ones
MAX_STEPS = 20_000  # work of one elimination
Form = tuple[int, dict[str, int]]  # a number, and the coefficient of each name

_NONE: dict[str, int] = {}


class NotLinear(Exception):
    """An expression is not linear in its names, or too deep."""


class FieldNumbers:
    """Lazily computed values of origins at a point of the field; `numbers` has a value per class of numbers."""

    __slots__ = ("_found", "numbers", "setup")

    def __init__(self, setup: SetUp, numbers: Sequence[int]) -> None:
        self.setup = setup
        self.numbers = numbers
        self._found: dict[tuple[int, int], int] = {}

    def number(self, index: int, option: int, origin: ConstantOrigin | TextOrigin | PairOrigin) -> int:
        """Return the value of an origin, or raise ZeroDivisionError."""
        key = index, option
        found = self._found.get(key)
        if found is None:
            self._found[key] = found = self._number(index, origin)
        return found

    def _number(self, index: int, origin: ConstantOrigin | TextOrigin | PairOrigin) -> int:
        match origin:
            case ConstantOrigin():
                return residue(self.setup.literals[index].amount)
            case TextOrigin():
                return apply_change(self.numbers[origin.number], origin.change)
            case PairOrigin():
                a, b = self.numbers[origin.first], self.numbers[origin.second]
                match origin.sign:
                    case "+":
                        return apply_change(a + b, origin.change)
                    case "-":
                        return apply_change(a - b, origin.change)
                    case "*":
                        return apply_change(a * b, origin.change)
                    case "/":
                        return apply_change(a * _inverse(b), origin.change)
                    case _:
                        assert_never(origin.sign)
            case _:
                assert_never(origin)


NAMED = 1  # the bit of the names in a mask of `Dependence`


class Dependence:
    """Bit masks of the literals that results and equations of a set-up depend on in the most natural reading.

    Only literals with several origins have a bit. All names together have one.
    """

    __slots__ = ("_bits", "_results", "equations")

    def __init__(self, setup: SetUp) -> None:
        several = (index for index, origins in enumerate(setup.origins) if len(origins) > 1)
        self._bits = {index: NAMED << place for place, index in enumerate(several, 1)}
        self._results: list[int] = []
        for result in setup.results:
            self._results.append(self._of(result.node, setup))
        self.equations = [self._of(left, setup) | self._of(right, setup) for left, right, _ in setup.equations]

    def of_result(self, number: int) -> int:
        """Return the mask of a result."""
        return self._results[number]

    def of_literals(self, literals: Iterable[int]) -> int:
        """Return the mask of some literals."""
        mask = 0
        for index in literals:
            mask |= self._bits.get(index, 0)
        return mask

    def _of(self, node: Node, setup: SetUp) -> int:
        mask = NAMED if has_names(node) else 0
        for index in literals_of(node):
            mask |= self._bits.get(index, 0)
            natural = setup.origins[index][0]
            if isinstance(natural, NameOrigin):
                mask |= NAMED
            for number in results_of(natural):
                mask |= self._results[number] if number < len(self._results) else -1
        return mask


class LinearEvaluation:
    """Values of expressions at one point of the field under one reading of the literals.

    Each new equation is solved for a name, in terms of names not solved for yet; those are replaced only when a value
    is asked for, so a further equation costs no more if there are many before it. Results, and the equations up to the
    first that depends on a literal in `chosen`, are taken over from `natural`, the most natural reading.
    Raises NotLinear, ZeroDivisionError or LimitError.
    """

    __slots__ = ("_at", "_chosen", "_depends", "_depth", "_mask", "_natural", "_results", "_rows", "_shared", "steps")

    def __init__(
        self,
        at: FieldNumbers,
        chosen: Mapping[int, int],
        natural: LinearEvaluation | None = None,
        depends: Dependence | None = None,
    ) -> None:
        self._at = at
        self._chosen = chosen
        self._natural = natural
        self._depends = depends
        self._mask = depends.of_literals(chosen) if depends else 0
        self._results: dict[int, Form] = {}
        self._rows: dict[str, tuple[int, Form]] = {}
        self._shared = 0
        self._depth = 0
        self.steps = 0  # the work that adding the equations took: parts of expressions, and terms that were replaced
        equations = at.setup.equations
        if natural is not None and depends is not None:
            mask = self._mask
            self._shared = next((i for i, on in enumerate(depends.equations) if on & mask), len(equations))
            if self._shared < len(equations):
                self._mask |= NAMED  # what is known of names differs too
        for number in range(self._shared, len(equations)):
            self._add(number, *equations[number][:2])

    def value(self, node: Node) -> tuple[int | None, int]:
        """Return the value of an expression and the work; None if it is not determined, or divides by zero."""
        before, known = self.steps, self._results
        self._depth = 0
        if self._natural is not None:
            self._results = known.copy()  # the work must not depend on what was asked for before
        try:
            constant, terms = self._reduce(self._form(node))
        except ZeroDivisionError:
            return None, self.steps - before
        finally:
            self._results = known
            spent, self.steps = self.steps - before, before
        return None if terms else constant, spent

    def _row(self, name: str) -> tuple[int, Form] | None:
        """Return the index of the equation that is solved for a name, and the solution."""
        row = self._rows.get(name)
        if row is None and self._shared and self._natural is not None:
            row = self._natural._rows.get(name)
            if row is not None and row[0] >= self._shared:
                return None
        return row

    def _add(self, number: int, left: Node, right: Node) -> None:
        self._depth = 0
        constant, terms = self._reduce(_plus(self._form(left), self._form(right), -1))
        if not terms:
            return  # it follows from what is known, or contradicts it
        name, factor = next(iter(terms.items()))
        inverse = -_inverse(factor)
        value = constant * inverse % PRIME, {n: c * inverse % PRIME for n, c in terms.items() if n != name}
        self._rows[name] = number, value

    def _reduce(self, form: Form) -> Form:
        """Replace the names that are solved for, each once because its solution has only names solved for later."""
        todo = [(row[0], name) for name in form[1] if (row := self._row(name)) is not None]
        if not todo:
            return form
        heapify(todo)
        constant, terms = form[0], dict(form[1])
        while todo:
            _, name = heappop(todo)
            factor, row = terms.pop(name, 0), self._row(name)
            if not factor or row is None:
                continue
            self.steps += 1 + len(row[1][1])
            if self.steps > MAX_STEPS:
                raise LimitError("the equations took too many steps; expected fewer or simpler ones")
            constant += factor * row[1][0]
            for other, c in row[1][1].items():
                if other not in terms and (later := self._row(other)) is not None:
                    heappush(todo, (later[0], other))
                total = (terms.get(other, 0) + factor * c) % PRIME
                if total:
                    terms[other] = total
                else:
                    terms.pop(other, None)
        return constant % PRIME, terms

    def _form(self, node: Node) -> Form:
        self.steps += 1
        kind = node[0]
        if kind == "number":
            return self._literal(node[1])
        if kind == "name":
            return self._name(node[1])
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise NotLinear
        first = self._form(node[1])
        if kind == "neg":
            found = _times(first, -1)
        elif kind == "^":
            if first[1]:
                raise NotLinear
            found = pow(first[0], node[2], PRIME), _NONE
        else:
            second = self._form(node[2])
            if kind == "+":
                found = _plus(first, second, 1)
            elif kind == "-":
                found = _plus(first, second, -1)
            elif not second[1]:
                found = _times(first, second[0] if kind == "*" else _inverse(second[0]))
            elif kind == "*" and not first[1]:
                found = _times(second, first[0])
            else:
                raise NotLinear
        self._depth -= 1
        return found

    def _name(self, name: str) -> Form:
        """Return a name as far as it is solved: price * count is linear if one of them is a number by now."""
        return self._reduce((0, {name: 1}))

    def _literal(self, index: int) -> Form:
        option = self._chosen.get(index, 0)
        origin = self._at.setup.origins[index][option]
        match origin:
            case ResultOrigin():
                found = self._result(origin.result)
            case TextOrigin() | ConstantOrigin() | PairOrigin():
                return self._at.number(index, option, origin), _NONE
            case RestOrigin():
                found = _plus((self._at.numbers[origin.number], _NONE), self._result(origin.result), -1)
            case NameOrigin():
                found = self._name(origin.name)
            case _:
                assert_never(origin)
        change = origin.change
        if not found[1]:
            return apply_change(found[0], change), _NONE
        if change is UNCHANGED:
            return found
        if change.inverse:
            raise NotLinear
        if change.scale != 1:
            found = _times(found, residue(change.scale))
        return ((found[0] + residue(change.offset)) % PRIME, found[1]) if change.offset else found

    def _result(self, number: int) -> Form:
        natural, depends = self._natural, self._depends
        if natural is not None and depends is not None and not depends.of_result(number) & self._mask:
            natural._depth = 0
            return natural._result(number)
        found = self._results.get(number)
        if found is None:
            before = self.steps
            self._depth += 1
            if self._depth > MAX_DEPTH:
                raise NotLinear
            self._results[number] = found = self._form(self._at.setup.results[number].node)
            self._depth -= 1
            if natural is None:
                self.steps = before  # it is found once, whoever asks first
        return found


def apply_change(value: int, change: Change) -> int:
    """Return a number of the field after a change: inverted, scaled, with an offset."""
    if change is UNCHANGED:
        return value % PRIME
    if change.inverse:
        value = _inverse(value)
    if change.scale != 1:
        value *= residue(change.scale)
    if change.offset:
        value += residue(change.offset)
    return value % PRIME


def _plus(a: Form, b: Form, sign: int) -> Form:
    constant = (a[0] + sign * b[0]) % PRIME
    if not b[1]:
        return constant, a[1]
    terms = dict(a[1])
    for name, c in b[1].items():
        total = (terms.get(name, 0) + sign * c) % PRIME
        if total:
            terms[name] = total
        else:
            terms.pop(name, None)
    return constant, terms


def _times(form: Form, factor: int) -> Form:
    if not form[1]:
        return form[0] * factor % PRIME, _NONE
    if not factor % PRIME:
        return 0, _NONE
    return form[0] * factor % PRIME, {name: c * factor % PRIME for name, c in form[1].items()}


def _inverse(value: int) -> int:
    value %= PRIME
    if not value:
        raise ZeroDivisionError
    return pow(value, -1, PRIME)
