"""Linear systems: text to exact linear equations.

An equation becomes ``numerator = 0``, and its denominators become conditions (they must not vanish). It is linear if
the numerator has degree at most one in the unknowns, if necessary after dividing out a denominator. So
``12/(15+c) = 9/(15-c)`` and ``x*(x+1) = x^2 + 3`` are linear, and ``x*y = 2`` is not. Rows are
``row[0]*u0 + row[1]*u1 + … + row[-1] = 0``, with polynomials in the slots. Systems that differ only in their names
share one `System`, and cached results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import count, repeat
from math import lcm
from operator import attrgetter
from typing import NamedTuple

from draw_dataset.algebra.grammar import (
    DIGITS,
    NamePolicy,
    Reader,
    Source,
    Token,
    TokenError,
    at_token,
    scan,
    split_equations,
)
from draw_dataset.algebra.limits import MAX_NAMES, MEGABYTE, READING_WORK, Meter, check_bits, weighted_cache
from draw_dataset.algebra.number import read_number
from draw_dataset.algebra.polynomial import (
    FIELD,
    Polynomial,
    check_overflow,
    check_size,
    combine,
    content,
    divide_exact,
    divide_integer,
    factors,
    multiply,
    variable,
    weight,
)
from draw_dataset.errors import LimitError, NotLinearError

Factor = tuple[tuple[int, int], ...]  #: a denominator as a sorted tuple of its terms, so that equal ones compare equal


class Ratio:
    """numerator / (scale * denominators): an exact rational function."""

    __slots__ = ("denominators", "numerator", "scale")

    def __init__(self, numerator: Polynomial, scale: int, denominators: dict[Factor, int] | None) -> None:
        self.numerator = numerator
        self.scale = scale
        self.denominators = denominators


_NAMES = tuple(Ratio({variable(token): 1}, 1, None) for token in range(2 * MAX_NAMES))


class _ExactAlgebra:
    """The algebra of exact rational functions."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self.reader: Reader[Ratio]
        self.divisors: dict[Factor, None] = {}  # everything that is divided by, even if it cancels later

    def number(self, literal: str) -> Ratio:
        numerator, denominator = read_number(literal)
        return Ratio({0: numerator} if numerator else {}, denominator, None)

    def name(self, token: int) -> Ratio:
        return _NAMES[token]

    def group(self, value: Ratio) -> Ratio:
        return value

    def add(self, left: Ratio, right: Ratio) -> Ratio:
        return self._plus(left, right, 1)

    def subtract(self, left: Ratio, right: Ratio) -> Ratio:
        return self._plus(left, right, -1)

    def _plus(self, left: Ratio, right: Ratio, sign: int) -> Ratio:
        p, q, denominators = left.numerator, right.numerator, left.denominators
        if denominators != right.denominators:
            denominators = dict(left.denominators or ())
            for factor, times in (right.denominators or {}).items():
                self._meter.spend(len(factor))
                denominators[factor] = max(times, denominators.get(factor, 0))
            p = self._expand(left, denominators)
            q = self._expand(right, denominators)
        scale = left.scale
        if scale != right.scale:
            self._meter.spend(1, scale.bit_length() * right.scale.bit_length() << 2)
            scale = lcm(scale, right.scale)
            check_bits((scale,))
        numerator = combine(p, scale // left.scale, q, sign * scale // right.scale, self._meter)
        return Ratio(numerator, scale, denominators)

    def _expand(self, value: Ratio, denominators: dict[Factor, int]) -> Polynomial:
        """Return the numerator over larger denominators."""
        p = value.numerator
        own = value.denominators or {}
        for factor, times in denominators.items():
            self._meter.spend(len(factor))
            for _ in range(times - own.get(factor, 0)):
                p = multiply(p, dict(factor), self._meter)
        return p

    def negate(self, value: Ratio) -> Ratio:
        return Ratio({m: -c for m, c in value.numerator.items()}, value.scale, value.denominators)

    def multiply(self, left: Ratio, right: Ratio) -> Ratio:
        denominators = left.denominators
        if right.denominators:
            denominators = dict(denominators or ())
            self._meter.spend(len(denominators))
            for factor, times in right.denominators.items():
                self._meter.spend(len(factor))
                denominators[factor] = denominators.get(factor, 0) + times
        scale = left.scale * right.scale
        if scale > 1:
            self._meter.spend(1, left.scale.bit_length() * right.scale.bit_length())
            check_bits((scale,))
        return Ratio(multiply(left.numerator, right.numerator, self._meter), scale, denominators)

    def divide(self, left: Ratio, right: Ratio) -> Ratio:
        return self.multiply(left, self._reciprocal(right))

    def _reciprocal(self, value: Ratio) -> Ratio:
        p = value.numerator
        if not p:
            raise TokenError(self.reader.position - 1, "a divisor other than zero", got="division by zero")
        self._meter.spend(2 * len(p))
        divisor = content((p,), self._meter)
        if p[max(p)] < 0:
            divisor = -divisor
        numerator = {0: value.scale if divisor > 0 else -value.scale}
        for factor, times in (value.denominators or {}).items():
            for _ in range(times):
                numerator = multiply(numerator, dict(factor), self._meter)
        denominators: dict[Factor, int] = {}
        if len(p) == 1:
            # a product of names is divided by name, so that common denominators are recognised.
            for index in factors(next(iter(p))):
                factor = ((variable(index), 1),)
                denominators[factor] = denominators.get(factor, 0) + 1
        else:
            denominators[tuple(sorted(divide_integer(p, divisor).items()))] = 1
        self.divisors.update(dict.fromkeys(denominators))
        return Ratio(numerator, abs(divisor), denominators or None)

    def power(self, base: Ratio, exponent: int) -> Ratio:
        if exponent < 0:
            base, exponent = self._reciprocal(base), -exponent
        result = Ratio({0: 1}, 1, None)
        for _ in range(exponent):
            result = self.multiply(result, base)
        return result


class Sides(NamedTuple):
    """An equation as a rational function."""

    value: Ratio  # left minus right
    divisors: tuple[Factor, ...]  # everything that is divided by
    work: int  # the work of reading it


def read_sides(tokens: tuple[Token, ...]) -> Sides:
    """Read one equation; raise `TokenError` or `LimitError` at a mistake."""
    return _read_sums(tokens) or _read_any(tokens)


def _read_any(tokens: tuple[Token, ...]) -> Sides:
    meter = Meter(READING_WORK, "expanding the brackets")
    algebra = _ExactAlgebra(meter)
    algebra.reader = Reader(tokens, algebra)
    value = algebra.subtract(*algebra.reader.equation())
    del algebra.reader  # the two refer to each other, so only the garbage collector would free them
    return Sides(value, tuple(algebra.divisors), READING_WORK - meter.left)


_SIMPLE = 60  # with this many tokens, and this many digits in its numbers, an equation cannot reach any bound


def _read_sums(tokens: tuple[Token, ...]) -> Sides | None:
    """Return an equation of two sums of plain products, as most are: ``a*m + 2*n = b - n``.

    There is nothing to expand, so the terms are added up one by one, at a fraction of the cost. Brackets around a
    product make no difference. If there is another bracket, a quotient, a power or a mistake, this returns None, and
    the grammar reads the equation.
    """
    if len(tokens) > _SIMPLE:
        return None
    if "(" in tokens:
        tokens = _without_brackets(tokens)
    terms: list[tuple[int, int, int]] = []  # monomial, numerator and denominator
    monomial, numerator, denominator = 0, 1, 1
    digits = 0
    side = 1
    wanted = True  # whether an operand must follow
    for token in tokens:
        if isinstance(token, int):
            monomial += variable(token)
            wanted = False
        elif token == "*":
            if wanted:
                return None
            wanted = True
        elif token == "+" or token == "-" or token == "=":
            if wanted:  # a sign of the next operand
                if token == "=":
                    return None
                numerator = numerator if token == "+" else -numerator
                continue
            terms.append((monomial, numerator, denominator))
            if token == "=":
                if side < 0:
                    return None
                side = -1
            monomial, numerator, denominator = 0, -side if token == "-" else side, 1
            wanted = True
        elif wanted and token[0] in DIGITS and token != ".":
            digits += len(token)
            p, q = read_number(token)
            numerator *= p
            denominator *= q
            wanted = False
        else:
            return None
    if wanted or side > 0 or digits > _SIMPLE:
        return None
    terms.append((monomial, numerator, denominator))
    scale = lcm(*[q for _, _, q in terms])
    found: Polynomial = {}
    for monomial, p, q in terms:
        c = found.get(monomial, 0) + p * (scale // q)
        if c:
            found[monomial] = c
        else:
            found.pop(monomial, None)
    return Sides(Ratio(found, scale, None), (), len(terms))


_AROUND = frozenset("=+-*")


def _without_brackets(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return an equation without the brackets around products that stand between signs: ``(0.01*5)*x + (y) = 3``."""
    last = len(tokens) - 1
    left_out: set[int] = set()
    opened: int | None = None
    for at, token in enumerate(tokens):
        if token == "(":
            opened = at if at == 0 or tokens[at - 1] in _AROUND else None
        elif token == ")":
            if opened is not None and at > opened + 1 and (at == last or tokens[at + 1] in _AROUND):
                left_out |= {opened, at}
            opened = None
        elif isinstance(token, str) and token != "*" and token[0] not in DIGITS:
            opened = None
    return tuple([token for at, token in enumerate(tokens) if at not in left_out]) if left_out else tokens


def cancel_denominators(numerator: Polynomial, denominators: dict[Factor, int], meter: Meter) -> Polynomial:
    """Divide the numerator by the denominators as far as it goes."""
    for factor, times in denominators.items():
        divisor = dict(factor)  # primitive: see `_reciprocal`
        for _ in range(times):
            quotient = divide_exact(numerator, divisor, meter)
            if quotient is None:
                break
            numerator = quotient
    return numerator


Row = tuple[Polynomial, ...]
"""A linear form: a polynomial in the slots for each unknown, and a last one for the constant."""

Term = tuple[int, int, tuple[int, ...]]  #: a term of a linear form: column, coefficient and slots

# Names are numbered slots even, unknowns odd; in a row a slot i is variable i.
_UNKNOWN_BITS = sum(0xFF << (FIELD * (2 * j + 1)) for j in range(MAX_NAMES))
_COLUMN = {0: -1} | {variable(2 * j + 1): j for j in range(MAX_NAMES)}


_numbers = count()


class System:
    """A system of linear equations over the slots, with numbers instead of names; immutable."""

    # No equality of its own: results for a system are cached by its identity.
    __slots__ = (
        "conditions", "generic_point", "number", "rows", "size", "slot_count", "symmetric_point", "terms",
        "unknown_count", "weight",
    )  # fmt: skip

    # Small results that are often needed; the functions that compute them keep them here, in a tuple of one.
    generic_point: tuple[list[int] | None] | None
    symmetric_point: tuple[tuple[int, ...] | None] | None

    def __init__(
        self,
        slot_count: int,
        unknown_count: int,
        rows: tuple[Row, ...],
        conditions: tuple[Row, ...],
        terms: Iterable[list[Term] | None] = repeat(None),
    ) -> None:
        self.number = next(_numbers)  # the key of cached results; no other system of this process has it
        self.generic_point = self.symmetric_point = None
        self.slot_count = slot_count  # including slots that cancel
        self.unknown_count = unknown_count
        self.rows = rows
        self.conditions = conditions  # the linear forms that must not vanish, because the text divides by them
        self.terms = tuple([terms_of(row) if known is None else known for row, known in zip(rows, terms, strict=False)])
        divided = [entry for row in conditions for entry in row]
        self.size = check_size([*self.terms, *divided])
        coefficients = sum([c.bit_length() for terms in self.terms for _, c, _ in terms]) >> 3
        self.weight = 600 + 350 * sum(map(len, self.terms)) + coefficients + weight(divided)


number_of: Callable[..., int] = attrgetter("number")  #: the key under which results for a system are cached


def terms_of(row: Row) -> list[Term]:
    """Return a linear form term by term as (column, coefficient, slots)."""
    return [(column, c, factors(m)) for column, entry in enumerate(row) for m, c in entry.items()]


def read_system(text: str, names: NamePolicy) -> tuple[Source, System]:
    """Read a system of equations; raise `ReadError`, `NotLinearError` or `LimitError`."""
    source = scan(text, names)
    return source, system_of(source)


def system_of(source: Source) -> System:
    """Return the system of a scanned text."""
    try:
        return _build_system(source.tokens, len(source.slots), len(source.unknowns))
    except TokenError as error:
        raise at_token(source.text, error) from None


class _Equation(NamedTuple):
    """An equation as a linear form. It is cached, because equations occur again in other systems."""

    row: Row | None  # the linear form without a common divisor; None if the equation is not linear
    terms: list[Term] | None  # the same term by term; None if a term has too many factors
    divisors: tuple[Factor, ...]  # everything that is divided by
    work: int  # the work of reading it; it is counted again when the equation comes from the cache


def _weigh_equation(equation: _Equation, tokens: tuple[Token, ...], _: int) -> int:
    divided = sum([160 + (c.bit_length() >> 3) for factor in equation.divisors for _, c in factor])
    return 600 + 16 * len(tokens) + weight(equation.row or ()) + divided


@weighted_cache(8 * MEGABYTE, _weigh_equation)
def _read_equation(tokens: tuple[Token, ...], unknown_count: int) -> _Equation:
    value, divisors, work = read_sides(tokens)
    meter = _reading_budget()
    row = _linear_form(value.numerator, unknown_count)
    if row is None and value.denominators:
        row = _linear_form(cancel_denominators(value.numerator, value.denominators, meter), unknown_count)
    if row is not None:
        common = content(row, meter)
        if common > 1:
            row = tuple([divide_integer(p, common) for p in row])
    terms: list[Term] | None = None
    with suppress(LimitError):  # the degree is too high: the system reports it, unless another error comes first
        terms = terms_of(row or ())
    return _Equation(row, terms, divisors, work + READING_WORK - meter.left)


def _reading_budget() -> Meter:
    return Meter(READING_WORK, "reading the equations")


def _weigh_system(system: System, tokens: tuple[Token, ...], *_: int) -> int:
    return 300 + 8 * len(tokens) + system.weight


@weighted_cache(24 * MEGABYTE, _weigh_system)
def _build_system(tokens: tuple[Token, ...], slot_count: int, unknown_count: int) -> System:
    rows: list[Row] = []
    terms: list[list[Term] | None] = []
    conditions: dict[Factor, Row] = {}
    meter = _reading_budget()
    for start, tokens_of_one in split_equations(tokens):
        try:
            equation = _read_equation(tokens_of_one, unknown_count)
        except TokenError as error:
            error.index += start
            raise
        meter.spend(equation.work)
        if equation.row is None:
            raise TokenError(start, "an equation linear in the unknowns", NotLinearError, got="one that is not")
        rows.append(equation.row)
        terms.append(equation.terms)
        for factor in equation.divisors:
            if factor in conditions:
                continue
            condition = _linear_form(dict(factor), unknown_count)
            if condition is None:
                expected = "denominators that are linear in the unknowns"
                raise TokenError(start, expected, NotLinearError, got="one of a higher degree")
            conditions[factor] = condition
    return System(slot_count, unknown_count, tuple(rows), tuple(conditions.values()), terms)


def _linear_form(polynomial: Polynomial, unknown_count: int) -> Row | None:
    """Sort the terms by their unknown; None if a term has more than one."""
    columns: list[Polynomial] = [{} for _ in range(unknown_count + 1)]
    for monomial, c in polynomial.items():
        unknown = monomial & _UNKNOWN_BITS
        column = _COLUMN.get(unknown)
        if column is None:
            return None
        slots = monomial ^ unknown
        columns[column][_pack_slots(slots) if slots else 0] = c
    return tuple(columns)


def _pack_slots(monomial: int) -> int:
    """Move slot i from variable 2i, where reading keeps it, to variable i; a variable's exponent is a byte."""
    return int.from_bytes(monomial.to_bytes((monomial.bit_length() + 7) >> 3, "little")[::2], "little")


def _weigh_merged(merged: System, _: System, slot_map: tuple[int, ...]) -> int:
    return merged.weight + 8 * len(slot_map)


@weighted_cache(8 * MEGABYTE, _weigh_merged, key=lambda system, slot_map: (system.number, slot_map))
def merge_slots(system: System, slot_map: tuple[int, ...]) -> System:
    """Return the system in which slot i becomes slot ``slot_map[i]``; several slots may become one.

    The new numbers must be 0, 1, … without a gap.
    """
    monomials = [variable(i) for i in slot_map]

    def rename_row(row: Row) -> Row:
        entries: list[Polynomial] = []
        for entry in row:
            total: Polynomial = {}
            for m, c in entry.items():
                new = sum([monomials[i] for i in factors(m)])
                total[new] = total.get(new, 0) + c
            total = {m: c for m, c in total.items() if c}
            check_overflow(total)
            entries.append(total)
        return tuple(entries)

    rows = tuple([rename_row(row) for row in system.rows])
    conditions = tuple([rename_row(row) for row in system.conditions])
    return System(max(slot_map) + 1, system.unknown_count, rows, conditions)
