"""Nonlinear systems, solved equation by equation, over the rationals or a prime field.

An equation is a polynomial that must vanish. It is reduced by the solved unknowns: then it follows, contradicts, or is
new. A new one is solved for an unknown in which it is linear, and that unknown is replaced everywhere else, so
auxiliary unknowns such as the time in ``t = 12/(15 + c)`` disappear. An equation that is linear in no unknown waits.
A variable with a negative number stands for a number of the text and is never solved for.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Literal

from draw_dataset.algebra.limits import MAX_BITS, is_long
from draw_dataset.algebra.polynomial import residue
from draw_dataset.errors import LimitError

MAX_TERMS = 240  #: terms of one polynomial
MAX_DEGREE = 16  #: degree of one polynomial
WORK = 60_000  #: products of terms for one system

# Not the packed polynomials of `algebra.polynomial`: here nearly all are numbers or linear, and unknowns are searched,
# counted and replaced. Coefficients are fractions or residues, and variables may have any number, also a negative one.
Coefficient = Fraction | int
Monomial = tuple[int, ...]
Poly = dict[Monomial, Coefficient]
Ratio = tuple[Poly, Poly]  #: numerator and denominator
ONE: Poly = {(): 1}  #: the polynomial one. Polynomials are never changed once they are made, so all may share it
_CONSTANT = frozenset({()})  # the terms of a polynomial that is a number other than zero

Outcome = Literal["new", "follows", "contradicts", "waits"]


class Algebra:
    """Arithmetic with polynomials over the field of a prime, or over the rationals if it is 0; counts its work."""

    residue = staticmethod(residue)

    def __init__(self, prime: int = 0) -> None:
        self.prime = prime
        self.left = WORK

    def _spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise LimitError("the equations took too many steps; expected fewer or simpler ones")

    def constant(self, value: Coefficient) -> Poly:
        """Return a number as a polynomial."""
        if self.prime:
            value = self.residue(value)
        elif value.denominator == 1:
            value = value.numerator  # ints are many times faster than fractions
        return {(): value} if value else {}

    def number(self, value: Coefficient) -> Ratio:
        """Return a number as a quotient of polynomials."""
        return self.constant(value), ONE

    def add(self, a: Poly, b: Poly, sign: int = 1) -> Poly:
        """Return the sum, or the difference."""
        self._spend(len(b))
        result = a.copy()
        p = self.prime
        for m, c in b.items():
            total = result.get(m, 0) + (c if sign == 1 else -c)
            if p:
                total %= p
            elif type(total) is not int or total.bit_length() > MAX_BITS:
                total = _checked(total)
            if total:
                result[m] = total
            else:
                result.pop(m, None)
        if len(result) > MAX_TERMS:
            raise LimitError(f"expected at most {MAX_TERMS} terms in one expression, but got more")
        return result

    def multiply(self, a: Poly, b: Poly) -> Poly:
        """Return the product."""
        if len(a) == 1 and () in a:
            a, b = b, a
        p = self.prime
        if len(b) == 1 and () in b:
            factor = b[()]
            if factor == 1:
                return a
            self._spend(len(a))
            if p:
                return {m: c * factor % p for m, c in a.items()}
            return {m: _checked(c * factor) for m, c in a.items()}
        self._spend(len(a) * len(b))
        result: Poly = {}
        for m1, c1 in a.items():
            for m2, c2 in b.items():
                m = tuple(sorted(m1 + m2)) if m1 and m2 else m1 or m2
                if len(m) > MAX_DEGREE:
                    raise LimitError(f"expected products of at most {MAX_DEGREE} unknowns, but got more")
                total = result.get(m, 0) + c1 * c2
                if p:
                    total %= p
                if total:
                    result[m] = total
                else:
                    result.pop(m, None)
        if len(result) > MAX_TERMS:
            raise LimitError(f"expected at most {MAX_TERMS} terms in one expression, but got more")
        if p:
            return result
        return {m: _checked(c) for m, c in result.items()}

    def inverse(self, value: Coefficient) -> Coefficient:
        """Return one divided by a number."""
        if self.prime:
            return pow(value, -1, self.prime)  # type: ignore[arg-type]
        if value in (1, -1):
            return value
        inverse = Fraction(value.denominator, value.numerator)
        return inverse.numerator if inverse.denominator == 1 else inverse

    def combine(self, sign: str, a: Ratio, b: Ratio) -> Ratio:
        """Return the sum, difference, product or quotient of two quotients."""
        whole = a[1] is ONE and b[1] is ONE  # as nearly everywhere: then there is nothing to cancel
        if sign == "*":
            if whole:
                return self.multiply(a[0], b[0]), ONE
            return self.ratio(self.multiply(a[0], b[0]), self.multiply(a[1], b[1]))
        if sign == "/":
            if not b[0]:
                raise ZeroDivisionError
            return self.ratio(self.multiply(a[0], b[1]), self.multiply(a[1], b[0]))
        way = 1 if sign == "+" else -1
        if whole:
            return self.add(a[0], b[0], way), ONE
        if a[1] == b[1]:
            return self.ratio(self.add(a[0], b[0], way), a[1])
        above = self.add(self.multiply(a[0], b[1]), self.multiply(b[0], a[1]), way)
        return self.ratio(above, self.multiply(a[1], b[1]))

    def ratio(self, above: Poly, below: Poly) -> Ratio:
        """Return a quotient in a simple form: a constant denominator is 1, a common factor of terms is taken out."""
        if below is ONE:
            return above, below
        if len(below) == 1:
            ((m, c),) = below.items()
            if not m:
                if c != 1:
                    above = self.multiply(above, {(): self.inverse(c)})
                return above, ONE
        if above and below:
            shared = _common_monomial([*above, *below])
            if shared:
                above, below = _divide_monomial(above, shared), _divide_monomial(below, shared)
        return above, below

    def substitute(self, poly: Poly, name: int, value: Ratio) -> tuple[Poly, int]:
        """Replace an unknown by a quotient; return the numerator, and the power of the quotient's denominator below."""
        parts: dict[int, Poly] = {}
        for m, c in poly.items():
            if name in m:
                parts.setdefault(m.count(name), {})[tuple([i for i in m if i != name])] = c
        if not parts:
            return poly, 0
        rest = {m: c for m, c in poly.items() if name not in m}
        if rest:
            parts[0] = rest
        degree = max(parts)
        above, below = value
        # By Horner's rule, the highest power first; what is missing of the denominator comes along.
        result = parts[degree]
        missing = ONE
        for times in range(degree - 1, -1, -1):
            result = self.multiply(result, above)
            missing = self.multiply(missing, below)
            if times in parts:
                result = self.add(result, self.multiply(parts[times], missing))
        return result, degree


def _checked(value: Coefficient) -> Coefficient:
    """Return a coefficient, a whole one as an int; raise `LimitError` if it is too long."""
    if type(value) is not int and value.denominator == 1:
        value = value.numerator
    if is_long(value):
        raise LimitError(f"expected numbers of at most {MAX_BITS} bits, but got a longer one")
    return value


def _common_monomial(monomials: Iterable[Monomial]) -> Monomial:
    """Return the largest monomial that divides all."""
    shared: list[int] | None = None
    for m in monomials:
        if not m:
            return ()
        if shared is None:
            shared = list(m)
            continue
        rest = list(m)
        kept = []
        for i in shared:
            if i in rest:
                rest.remove(i)
                kept.append(i)
        shared = kept
        if not shared:
            return ()
    return tuple(shared or ())


def _divide_monomial(poly: Poly, divisor: Monomial) -> Poly:
    result: Poly = {}
    for m, c in poly.items():
        rest = list(m)
        for i in divisor:
            rest.remove(i)
        result[tuple(rest)] = c
    return result


class EquationSolver:
    """Solves equations one by one for their unknowns.

    Without `zeros` no equation may say that an unknown is zero; in prose that is nearly always a mistake. If several
    unknowns can be solved for, the one with the smallest `rank` is.
    """

    __slots__ = ("_waiting", "_zeros", "algebra", "rank", "solved")

    def __init__(self, algebra: Algebra, zeros: bool = True) -> None:
        self.algebra = algebra
        self._zeros = zeros
        self.solved: dict[int, Ratio] = {}
        self.rank: dict[int, int] = {}
        self._waiting: list[Poly] = []

    def reduce(self, poly: Poly) -> Poly:
        """Return the numerator of a polynomial after its solved unknowns are replaced."""
        for name in {i for m in poly for i in m}:
            if name in self.solved:
                poly, _ = self.algebra.substitute(poly, name, self.solved[name])
        return poly

    def add(self, poly: Poly) -> Outcome:
        """Add an equation: a polynomial that must vanish."""
        rest = self.reduce(poly)
        if not rest:
            return "follows"
        shared = _common_monomial(rest)
        if shared:
            unknowns = {i for i in shared if i >= 0}
            # a single term: its unknown is zero. An unknown that is a factor of several terms is not.
            if self._zeros and len(rest) == 1 and len(unknowns) == 1:
                rest = {(i,): 1 for i in unknowns}
            else:
                rest = _divide_monomial(rest, shared)
        if not _has_unknown(rest):
            return "contradicts"
        if not self._solve(rest):
            self._waiting.append(rest)
            return "waits"
        self._solve_waiting()
        return "new"

    def _solve_waiting(self) -> None:
        progress = True
        while progress and self._waiting:
            progress = False
            for poly in list(self._waiting):
                rest = self.reduce(poly)
                if not _has_unknown(rest):
                    self._waiting.remove(poly)
                elif self._solve(rest):
                    self._waiting.remove(poly)
                    progress = True

    def _solve(self, poly: Poly) -> bool:
        """Solve an equation for an unknown in which it is linear; False if there is none."""
        best: tuple[tuple[int, int, int], int] | None = None
        for name in {i for m in poly for i in m if i >= 0}:
            degree = max(m.count(name) for m in poly)
            if degree != 1:
                continue
            factor = [m for m in poly if name in m]
            constant = len(factor) == 1 and factor[0] == (name,)
            key = (not constant, self.rank.get(name, 0), len(factor))
            if best is None or key < best[0]:
                best = key, name
        if best is None:
            return False
        name = best[1]
        a: Poly = {}
        b: Poly = {}
        p = self.algebra.prime
        for m, c in poly.items():
            if name in m:
                a[tuple([i for i in m if i != name])] = c
            else:
                b[m] = -c % p if p else -c
        value = self.algebra.ratio(b, a)
        for other, (above, below) in self.solved.items():
            if any(name in m for m in above) or any(name in m for m in below):
                self.solved[other] = self._substitute(above, below, name, value)
        self.solved[name] = value
        return True

    def _substitute(self, above: Poly, below: Poly, name: int, value: Ratio) -> Ratio:
        algebra = self.algebra
        above, powers_above = algebra.substitute(above, name, value)
        if below is ONE:
            for _ in range(powers_above):
                below = algebra.multiply(below, value[1])
            return algebra.ratio(above, below)
        below, powers_below = algebra.substitute(below, name, value)
        if not below:
            raise ZeroDivisionError
        for _ in range(powers_below - powers_above):
            above = algebra.multiply(above, value[1])
        for _ in range(powers_above - powers_below):
            below = algebra.multiply(below, value[1])
        return algebra.ratio(above, below)

    def known(self, quotient: Ratio) -> Ratio:
        """Return a quotient of polynomials after its solved unknowns are replaced."""
        above, below = quotient
        if below is ONE and (not above or above.keys() == _CONSTANT):
            return quotient
        for name in {i for part in quotient for m in part for i in m}:
            if name in self.solved:
                above, below = self._substitute(above, below, name, self.solved[name])
        return above, below

    def value(self, quotient: Ratio) -> Coefficient | None:
        """Return the value of a quotient of polynomials, if it is determined."""
        return constant_ratio(self.algebra, *self.known(quotient))


def _has_unknown(poly: Poly) -> bool:
    return any(i >= 0 for m in poly for i in m)


def constant_ratio(algebra: Algebra, above: Poly, below: Poly) -> Coefficient | None:
    """Return the value of a quotient without unknowns; None if it has one, or divides by zero."""
    if not below:
        return None
    if not above:
        return 0
    if below is ONE:
        return above[()] if above.keys() == _CONSTANT else None
    if above.keys() != below.keys():
        return None
    # The same terms above and below cancel if they are in one proportion.
    prime = algebra.prime
    first = next(iter(above))
    factor = above[first] * algebra.inverse(below[first])
    if prime:
        factor %= prime
    if all((c * factor % prime if prime else c * factor) == above[m] for m, c in below.items()):
        return factor
    return None
