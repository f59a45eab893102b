"""Templates in one normal form: products of sums are multiplied out, then names and order are made unique.

The release writes its templates expanded: ``b*m - n = c*d - c``. The normal form removes differences in names,
brackets, and the order of equations and unknowns. Slots are taken in the order in which they are written, so some
orders of terms and factors still count. Templates that are equivalent only because one system follows from the other,
such as ``m = a*n; m + n = b`` and ``m = a*n; a*n + n = b``, keep different forms. That is close to the paper's count of
templates before reconciliation (docs/solver.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import permutations

from draw_dataset.algebra.grammar import Names, Source, scan, split_equations, write
from draw_dataset.algebra.limits import MEGABYTE, Meter, comparison_budget, weighted_cache
from draw_dataset.algebra.number import number_text
from draw_dataset.algebra.polynomial import Polynomial, factors
from draw_dataset.algebra.system import Ratio, System, read_sides, system_of
from draw_dataset.derivation.template import Template
from draw_dataset.errors import LimitError

MAX_TERMS = 500  #: terms of one expanded side

MAX_ORDERS = 4
"""Up to this many unknowns and equations, all their orders are tried; larger systems keep their own order."""

_Monomial = tuple[tuple[int, int], ...]  # names and their exponents, in the order of the names' numbers

_Terms = dict[_Monomial, Fraction]


def _times(first: _Monomial, second: _Monomial) -> _Monomial:
    exponents = dict(first)
    for name, times in second:
        exponents[name] = exponents.get(name, 0) + times
    return tuple(sorted((name, times) for name, times in exponents.items() if times))


def expand(source: Source, meter: Meter | None = None) -> tuple[str, ...]:
    """Return the equations of a system expanded, each as a string; work is counted by `meter`, or by a new budget.

    >>> from draw_dataset.derivation.template import Template
    >>> expand(Template("m + a = b*(n - c) + n; m/a + 2*m = 1/3").source)
    ('m - b*n - n = -1*b*c - a', 'm/a + 2*m = 1/3')
    """
    meter = meter or comparison_budget()
    written = []
    for number, (_, tokens) in enumerate(split_equations(source.tokens)):
        value, divisors, work = read_sides(tokens)
        meter.spend(work)
        difference = None if any(len(divisor) > 1 for divisor in divisors) else _laurent_terms(value)
        # An equation that is not linear in this form becomes linear when its denominators are cleared.
        if difference is None or not all(_is_linear(monomial) for monomial in difference):
            difference = _terms_of(system_of(source), number)
        written.append(_equation(difference, source))
    return tuple(written)


def _laurent_terms(value: Ratio) -> _Terms:
    """Return a fraction that divides by names and numbers only, term by term."""
    if len(value.numerator) > MAX_TERMS:
        raise LimitError(f"expected at most {MAX_TERMS} terms when the equations are expanded, but got more")
    below = tuple((factors(name)[0], -times) for ((name, _),), times in (value.denominators or {}).items())
    return {
        _times(tuple(Counter(factors(monomial)).items()), below): Fraction(c, value.scale)
        for monomial, c in value.numerator.items()
    }


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
            slots = Counter(2 * slot for slot in factors(monomial))
            terms[_times(tuple(slots.items()), unknown)] = Fraction(c)
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
    decimal = number_text(coefficient)
    if "/" in decimal:
        if abs(coefficient.numerator) != 1 or coefficient < 0 or not above:
            above.insert(0, str(coefficient.numerator))
        below.append(str(coefficient.denominator))
    elif coefficient != 1 or not above:
        above.insert(0, decimal)
    return "*".join(above) + "".join(f"/{name}" for name in below)


def _weigh_form(form: tuple[str, tuple[str, ...]], template: Template) -> int:
    return 2_000 + len(form[0]) + template.system.weight + 100 * len(template.source.tokens)


@weighted_cache(8 * MEGABYTE, _weigh_form)
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
    meter = comparison_budget()
    for order in orders:
        tokens = tuple(2 * order[t >> 1] + 1 if isinstance(t, int) and t & 1 else t for t in source.tokens)
        try:
            equations = expand(Source(source.text, tokens, source.slots, names), meter)
            few = len(equations) <= MAX_ORDERS
            found += [_number_slots(listed, template) for listed in (permutations(equations) if few else [equations])]
        except LimitError:
            return str(template), template.slots
    text, slots = min(found)
    cancelled = [slot for slot in template.slots if slot not in slots]
    # Cancelled slots still count: without them the form would be that of a smaller template.
    return text + "".join(f"; s{len(slots) + i} cancels" for i in range(len(cancelled))), (*slots, *cancelled)


def _number_slots(equations: tuple[str, ...], template: Template) -> tuple[str, tuple[str, ...]]:
    """Return equations with their slots named by first appearance, and these slots."""
    source = scan("; ".join(equations), Names(slots=frozenset(template.slots)))
    return write(source, lambda token: source.name(token) if token & 1 else f"s{token >> 1}"), source.slots
