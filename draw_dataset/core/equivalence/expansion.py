"""Templates in one normal form: products of sums are multiplied out, then names and order are made unique.

The release writes its templates expanded: ``b*m - n = c*d - c``. There are no brackets; each side is a sum of terms,
each term a product of a constant, slots and at most one unknown, and the first term is positive. Expansion is an
algebra for the grammar of equations: a value is a sum of terms, and a term is a rational coefficient with the names in
it. A name in a denominator has a negative exponent. An equation that divides by a sum cannot be written like this, so
it is first multiplied by its denominators.

Two people write the same equation with other names, in another order, with or without brackets. The normal form removes
differences in names, brackets, and the order of equations and unknowns. Slots are taken in the order in which they are
written, so some orders of terms and factors still count. Nothing else is removed: templates that are equivalent only
because one system follows from the other, such as ``m = a*n; m + n = b`` and ``m = a*n; a*n + n = b``, keep different
forms. That comes near to what the paper counts as templates before they are reconciled: 288, 30 and 267, where the
paper has 329, 30 and 273.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import permutations

from draw_dataset.core.algebra import Polynomial, factors
from draw_dataset.core.equations import Names, Reader, Source, System, scan, split_equations, system_of, write
from draw_dataset.core.exact import read_number
from draw_dataset.core.limits import Meter, comparing
from draw_dataset.core.memory import MEGABYTE, remembered
from draw_dataset.core.template import Template
from draw_dataset.errors import LimitError

MAX_TERMS = 500
"""Terms of one expanded side."""

MAX_ORDERS = 4
"""Up to this many unknowns and equations, all their orders are tried; larger systems keep their own order."""

_Monomial = tuple[tuple[int, int], ...]
"""Names and their exponents, in the order of the names' numbers."""

_Terms = dict[_Monomial, Fraction]


class _DividesBySum(Exception):
    """An equation that divides by a sum."""


class _ExpandingAlgebra:
    """Multiplies sums out.

    Its input has been read before, so no number in it is larger than the bounds allow.
    """

    def __init__(self, meter: Meter) -> None:
        self._meter = meter

    def number(self, literal: str) -> _Terms:
        value = Fraction(*read_number(literal))
        return {(): value} if value else {}

    def name(self, token: int) -> _Terms:
        return {((token, 1),): Fraction(1)}

    def group(self, value: _Terms) -> _Terms:
        return value

    def add(self, left: _Terms, right: _Terms) -> _Terms:
        self._meter.spend(len(left) + 8 * len(right))
        total = dict(left)
        for monomial, coefficient in right.items():
            total[monomial] = total.get(monomial, Fraction(0)) + coefficient
        return {monomial: c for monomial, c in total.items() if c}

    def subtract(self, left: _Terms, right: _Terms) -> _Terms:
        return self.add(left, self.negate(right))

    def negate(self, value: _Terms) -> _Terms:
        return {monomial: -c for monomial, c in value.items()}

    def multiply(self, left: _Terms, right: _Terms) -> _Terms:
        if len(left) * len(right) > MAX_TERMS:
            raise LimitError(f"expected at most {MAX_TERMS} terms when the equations are expanded, but got more")
        self._meter.spend(16 * len(left) * len(right))
        total: _Terms = {}
        for first, c in left.items():
            for second, d in right.items():
                monomial = _times(first, second)
                total[monomial] = total.get(monomial, Fraction(0)) + c * d
        return {monomial: c for monomial, c in total.items() if c}

    def divide(self, left: _Terms, right: _Terms) -> _Terms:
        if len(right) != 1:
            raise _DividesBySum
        ((monomial, c),) = right.items()
        return self.multiply(left, {tuple((name, -times) for name, times in monomial): 1 / c})

    def power(self, base: _Terms, exponent: int) -> _Terms:
        total: _Terms = {(): Fraction(1)}
        for _ in range(abs(exponent)):
            total = self.multiply(total, base)
        return total if exponent >= 0 else self.divide({(): Fraction(1)}, total)


def _times(first: _Monomial, second: _Monomial) -> _Monomial:
    exponents = dict(first)
    for name, times in second:
        exponents[name] = exponents.get(name, 0) + times
    return tuple(sorted((name, times) for name, times in exponents.items() if times))


def expand(source: Source, meter: Meter | None = None) -> tuple[str, ...]:
    """Return the equations of a system expanded, each as a string.

    >>> from draw_dataset.core.template import Template
    >>> expand(Template("m + a = b*(n - c) + n; m/a + 2*m = 1/3").source)
    ('m - b*n - n = -1*b*c - a', 'm/a + 2*m = 1/3')

    Args:
        source: the scanned system.
        meter: counts the work; by default a new budget.

    Raises:
        LimitError: an equation has more than `MAX_TERMS` terms, or expanding it takes too much work.
    """
    algebra = _ExpandingAlgebra(meter or comparing())
    written = []
    for number, (_, tokens) in enumerate(split_equations(source.tokens)):
        try:
            difference = algebra.subtract(*Reader(tokens, algebra).equation())
        except _DividesBySum:
            difference = _terms_of(system_of(source), number)
        # If this is not linear, it becomes linear when its denominators are cleared; else the system was refused.
        if not all(_is_linear(monomial) for monomial in difference):
            difference = _terms_of(system_of(source), number)
        written.append(_equation(difference, source))
    return tuple(written)


def _is_linear(monomial: _Monomial) -> bool:
    unknowns = [times for name, times in monomial if name & 1]
    return not unknowns or unknowns == [1]


def _terms_of(system: System, equation: int) -> _Terms:
    """Return an equation in the form of the system, its denominators cleared."""
    terms: _Terms = {}
    row: tuple[Polynomial, ...] = system.rows[equation]
    for column, entry in enumerate(row):
        unknown = ((2 * column + 1, 1),) if column < system.unknown_count else ()
        for monomial, c in entry.items():
            slots: _Monomial = ()
            for slot in factors(monomial):
                slots = _times(slots, ((2 * slot, 1),))
            terms[_times(slots, unknown)] = Fraction(c)
    return terms


def _equation(difference: _Terms, source: Source) -> str:
    def unknown_of(monomial: _Monomial) -> int | None:
        return next((name for name, _ in monomial if name & 1), None)

    left = [(unknown_of(m) or 0, m, c) for m, c in difference.items() if unknown_of(m) is not None]
    # Longer products first, then by the names: an order that does not depend on how the equation was written. Right
    # of the equals sign what is added comes before what is subtracted.
    left.sort(key=lambda term: (term[0], -len(term[1]), term[1]))
    if left and left[0][2] < 0:
        left = [(unknown, m, -c) for unknown, m, c in left]
        difference = {m: -c for m, c in difference.items()}
    right = [(m, -c) for m, c in difference.items() if unknown_of(m) is None]
    right.sort(key=lambda term: (term[1] < 0, -len(term[0]), term[0]))
    return f"{_sum(((m, c) for _, m, c in left), source)} = {_sum(right, source)}"


def _sum(terms: Iterable[tuple[_Monomial, Fraction]], source: Source) -> str:
    written = ""
    for monomial, c in terms:
        if not written:
            written = _term(monomial, c, source)
        else:
            written += f" {'-' if c < 0 else '+'} {_term(monomial, abs(c), source)}"
    return written or "0"


def _term(monomial: _Monomial, coefficient: Fraction, source: Source) -> str:
    above: list[str] = []
    below: list[str] = []
    # Slots before the unknown, as in a*m.
    for name, times in sorted(monomial, key=lambda item: (item[0] & 1, item[0])):
        (above if times > 0 else below).extend([source.name(name)] * abs(times))
    decimal = _decimal(coefficient)
    if decimal is None:
        if abs(coefficient.numerator) != 1 or coefficient < 0 or not above:
            above.insert(0, str(coefficient.numerator))
        below.append(str(coefficient.denominator))
    elif coefficient != 1 or not above:
        above.insert(0, decimal)
    return "*".join(above) + "".join(f"/{name}" for name in below)


def _decimal(value: Fraction) -> str | None:
    """Return a number as a decimal, or None if it has no finite one."""
    rest, digits = value.denominator, 0
    for prime in (2, 5):
        times = 0
        while rest % prime == 0:
            rest //= prime
            times += 1
        digits = max(digits, times)
    if rest != 1:
        return None
    scaled = abs(value) * 10**digits
    text = str(scaled.numerator).rjust(digits + 1, "0")
    whole, decimals = text[: len(text) - digits], text[len(text) - digits :]
    return ("-" if value < 0 else "") + (f"{whole}.{decimals}" if digits else whole)


def _weigh_form(form: tuple[str, tuple[str, ...]], template: Template) -> int:
    return 2_000 + len(form[0]) + template.system.weight + 100 * len(template.source.tokens)


@remembered(8 * MEGABYTE, _weigh_form)
def normal_form(template: Template) -> tuple[str, tuple[str, ...]]:
    """Return the normal form of a template as a string, and its slots in their order there, cancelled ones last.

    >>> normal_form(Template("x + y = p; x = 2*y", unknowns="xy"))[0]
    '2*u0 - u1 = 0; u0 + u1 = s0'
    >>> normal_form(Template("n = m*2; m + n = a")) == normal_form(Template("m - 2*n = 0; a - m = n"))
    True
    """
    source = template.source
    count = len(source.unknowns)
    names = tuple(f"u{i}" for i in range(count))
    orders = list(permutations(range(count))) if count <= MAX_ORDERS else [tuple(range(count))]
    found: list[tuple[str, tuple[str, ...]]] = []
    meter = comparing()
    for order in orders:
        tokens = tuple(2 * order[t >> 1] + 1 if isinstance(t, int) and t & 1 else t for t in source.tokens)
        try:
            equations = expand(Source(source.text, tokens, source.slots, names), meter)
            few = len(equations) <= MAX_ORDERS
            found += [_written(listed, template) for listed in (permutations(equations) if few else [equations])]
        except LimitError:
            return str(template), template.slots
    text, slots = min(found)
    cancelled = [slot for slot in template.slots if slot not in slots]
    # Cancelled slots still count: without them the form would be that of a smaller template.
    return text + "".join(f"; s{len(slots) + i} cancels" for i in range(len(cancelled))), (*slots, *cancelled)


def _written(equations: tuple[str, ...], template: Template) -> tuple[str, tuple[str, ...]]:
    """Return equations with their slots named by first appearance, and these slots."""
    source = scan("; ".join(equations), Names(slots=frozenset(template.slots)))
    return write(source, lambda token: source.name(token) if token & 1 else f"s{token >> 1}"), source.slots
