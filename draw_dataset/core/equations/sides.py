"""One equation as an exact rational function: its left side minus its right side.

Every expression is a fraction of polynomials with integer coefficients in all names. The text is never run: the grammar
walks the tokens, and the algebra here computes with fractions of polynomials. Everything that the text divides by is
recorded, even if it cancels later. Most equations are sums of plain products; these are added up without the grammar.
"""

from __future__ import annotations

from math import lcm
from typing import NamedTuple

from draw_dataset.core.algebra import (
    Polynomial,
    combine,
    content,
    divide_exact,
    divide_integer,
    factors,
    multiply,
    variable,
)
from draw_dataset.core.equations.grammar import Reader
from draw_dataset.core.equations.tokens import DIGITS, Token, TokenError
from draw_dataset.core.exact import read_number
from draw_dataset.core.limits import MAX_NAMES, READING_WORK, Meter, check_bits

Factor = tuple[tuple[int, int], ...]
"""A denominator as a sorted tuple of its terms, so that equal ones compare equal."""


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
            # A product of names is divided by name, so that common denominators are recognised.
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
    """An equation that was read.

    Attributes:
        value: left minus right.
        divisors: everything that is divided by.
        work: the work of reading it.
    """

    value: Ratio
    divisors: tuple[Factor, ...]
    work: int


def read_sides(tokens: tuple[Token, ...]) -> Sides:
    """Read one equation.

    Raises:
        TokenError: the tokens are not an equation.
        LimitError: reading it takes too much work, or it is larger than the bounds in `limits`.
    """
    return _read_sums(tokens) or _read_any(tokens)


def _read_any(tokens: tuple[Token, ...]) -> Sides:
    meter = Meter(READING_WORK, "expanding the brackets")
    algebra = _ExactAlgebra(meter)
    algebra.reader = Reader(tokens, algebra)
    value = algebra.subtract(*algebra.reader.equation())
    del algebra.reader  # the two refer to each other, so only the garbage collector would free them
    return Sides(value, tuple(algebra.divisors), READING_WORK - meter.left)


_SIMPLE = 60
"""With this many tokens, and this many digits in its numbers, an equation cannot reach any bound."""


def _read_sums(tokens: tuple[Token, ...]) -> Sides | None:
    """Return an equation of two sums of plain products, as most are: ``a*m + 2*n = b - n``.

    There is nothing to expand, so the terms are added up one by one, at a fraction of the cost. If there is a bracket,
    a quotient, a power or a mistake, this returns None, and the grammar reads the equation.
    """
    if len(tokens) > _SIMPLE:
        return None
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


def cancelled(numerator: Polynomial, denominators: dict[Factor, int], meter: Meter) -> Polynomial:
    """Divide the numerator by the denominators as far as it goes."""
    for factor, times in denominators.items():
        divisor = dict(factor)  # primitive: see `_reciprocal`
        for _ in range(times):
            quotient = divide_exact(numerator, divisor, meter)
            if quotient is None:
                break
            numerator = quotient
    return numerator
