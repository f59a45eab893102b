"""Text to exact linear equations, without rounding and without running the text.

An equation ``left = right`` becomes ``numerator = 0``, where the numerator is that of left minus right (`sides`), and
its denominators become conditions (they must not vanish). An equation is linear if the numerator has degree at most one
in the unknowns, if necessary after dividing out a denominator. So ``12/(15+c) = 9/(15-c)`` and ``x*(x+1) = x^2 + 3``
are linear, and ``x*y = 2`` is not.

The result is a `System`: rows of polynomials in the slots, with one column for each unknown and one for the constant,
``row[0]*u0 + row[1]*u1 + … + row[-1] = 0``. It knows slots and unknowns by number only. Systems that differ only in
their names share one `System`, and results for it are computed once, as long as they are cached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import count, repeat
from operator import attrgetter
from typing import NamedTuple

from draw_dataset.core.algebra import (
    FIELD,
    Polynomial,
    check_overflow,
    check_size,
    content,
    divide_integer,
    factors,
    variable,
    weight,
)
from draw_dataset.core.equations.sides import Factor, cancelled, read_sides
from draw_dataset.core.equations.tokens import (
    NamePolicy,
    Source,
    Token,
    TokenError,
    at_token,
    scan,
    split_equations,
)
from draw_dataset.core.limits import MAX_NAMES, READING_WORK, Meter
from draw_dataset.core.memory import MEGABYTE, remembered
from draw_dataset.errors import LimitError, NotLinearError

Row = tuple[Polynomial, ...]
"""A linear form: a polynomial in the slots for each unknown, and a last one for the constant."""

Term = tuple[int, int, tuple[int, ...]]
"""A term of a linear form: column, coefficient and slots."""

# Names are numbered slots even, unknowns odd; in a row a slot i is variable i.
_UNKNOWN_BITS = sum(0xFF << (FIELD * (2 * j + 1)) for j in range(MAX_NAMES))
_COLUMN = {0: -1} | {variable(2 * j + 1): j for j in range(MAX_NAMES)}


_numbers = count()


class System:
    """A system of linear equations over the slots, with numbers instead of names; immutable.

    Attributes:
        slot_count: how many slots the text names, including those that cancel.
        unknown_count: how many unknowns the text names.
        number: a number that no other system of this process has; the key of cached results.
        rows: the equations.
        conditions: the linear forms that must not vanish, because the text divides by them.
        terms: the equations again, term by term as (column, coefficient, slots), for fast evaluation.
        size: the number of terms in its equations and conditions.
        weight: its size in bytes, roughly.

    Raises:
        LimitError: it is larger than `MAX_SIZE`.
    """

    # Compared and hashed by identity, so that results for a system are cached cheaply.
    __slots__ = (
        "conditions",
        "generic_point",
        "number",
        "rows",
        "size",
        "slot_count",
        "symmetric_point",
        "terms",
        "unknown_count",
        "weight",
    )

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
        self.number = next(_numbers)
        self.generic_point = self.symmetric_point = None
        self.slot_count = slot_count
        self.unknown_count = unknown_count
        self.rows = rows
        self.conditions = conditions
        self.terms = tuple([terms_of(row) if known is None else known for row, known in zip(rows, terms, strict=False)])
        divided = [entry for row in conditions for entry in row]
        self.size = check_size([*self.terms, *divided])
        coefficients = sum([c.bit_length() for terms in self.terms for _, c, _ in terms]) >> 3
        self.weight = 600 + 350 * sum(map(len, self.terms)) + coefficients + weight(divided)


number_of: Callable[..., int] = attrgetter("number")
"""The key under which results for a system are cached."""


def terms_of(row: Row) -> list[Term]:
    """Return a linear form term by term as (column, coefficient, slots)."""
    return [(column, c, factors(m)) for column, entry in enumerate(row) for m, c in entry.items()]


def read_system(text: str, names: NamePolicy) -> tuple[Source, System]:
    """Read a system of equations.

    Raises:
        ReadError: the text is not a system of equations; says where, expected and got.
        NotLinearError: an equation is not linear in the unknowns.
        LimitError: the text is larger than the bounds in `limits`.
    """
    source = scan(text, names)
    return source, system_of(source)


def system_of(source: Source) -> System:
    """Return the system of a scanned text."""
    try:
        return _build_system(source.tokens, len(source.slots), len(source.unknowns))
    except TokenError as error:
        raise at_token(source.text, error) from None


class _Equation(NamedTuple):
    """An equation as a linear form. It is cached, because equations occur again in other systems.

    Attributes:
        row: the linear form without a common divisor; None if the equation is not linear.
        terms: the same term by term; None if a term has too many factors.
        divisors: everything that is divided by.
        work: the work of reading it; it is counted again when the equation comes from the cache.
    """

    row: Row | None
    terms: list[Term] | None
    divisors: tuple[Factor, ...]
    work: int


def _weigh_equation(equation: _Equation, tokens: tuple[Token, ...], _: int) -> int:
    divided = sum([160 + (c.bit_length() >> 3) for factor in equation.divisors for _, c in factor])
    return 600 + 16 * len(tokens) + weight(equation.row or ()) + divided


@remembered(8 * MEGABYTE, _weigh_equation)
def _read_equation(tokens: tuple[Token, ...], unknown_count: int) -> _Equation:
    value, divisors, work = read_sides(tokens)
    meter = _reading()
    row = _linear_form(value.numerator, unknown_count)
    if row is None and value.denominators:
        row = _linear_form(cancelled(value.numerator, value.denominators, meter), unknown_count)
    if row is not None:
        common = content(row, meter)
        if common > 1:
            row = tuple([divide_integer(p, common) for p in row])
    terms: list[Term] | None = None
    with suppress(LimitError):  # the degree is too high: the system reports it, unless another error comes first
        terms = terms_of(row or ())
    return _Equation(row, terms, divisors, work + READING_WORK - meter.left)


def _reading() -> Meter:
    return Meter(READING_WORK, "reading the equations")


def _weigh_system(system: System, tokens: tuple[Token, ...], *_: int) -> int:
    return 300 + 8 * len(tokens) + system.weight


@remembered(24 * MEGABYTE, _weigh_system)
def _build_system(tokens: tuple[Token, ...], slot_count: int, unknown_count: int) -> System:
    rows: list[Row] = []
    terms: list[list[Term] | None] = []
    conditions: dict[Factor, Row] = {}
    meter = _reading()
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
        columns[column][_slots_packed(slots) if slots else 0] = c
    return tuple(columns)


def _slots_packed(monomial: int) -> int:
    """Move slot i from variable 2i, where reading keeps it, to variable i; a variable's exponent is a byte."""
    return int.from_bytes(monomial.to_bytes((monomial.bit_length() + 7) >> 3, "little")[::2], "little")


def _weigh_merged(merged: System, _: System, slot_map: tuple[int, ...]) -> int:
    return merged.weight + 8 * len(slot_map)


@remembered(8 * MEGABYTE, _weigh_merged, key=lambda system, slot_map: (system.number, slot_map))
def merge_slots(system: System, slot_map: tuple[int, ...]) -> System:
    """Return the system in which slot i becomes slot ``slot_map[i]``; several slots may become one.

    The new numbers must be 0, 1, … without a gap.
    """
    monomials = [variable(i) for i in slot_map]

    def renamed(row: Row) -> Row:
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

    rows = tuple([renamed(row) for row in system.rows])
    conditions = tuple([renamed(row) for row in system.conditions])
    return System(max(slot_map) + 1, system.unknown_count, rows, conditions)
