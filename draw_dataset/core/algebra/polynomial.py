"""Sparse polynomials with integer coefficients, small and exact.

A polynomial is a plain ``dict`` from monomials to non-zero integers. A monomial packs its exponents into one
integer, eight bits a variable, so that multiplying monomials is adding integers; the top bit of each field is
a guard that turns an overflow into a `LimitError`. The zero polynomial is the empty dict, the constant
monomial is 0. Nothing here knows what a slot or an unknown is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from math import gcd

from draw_dataset.core.limits import MAX_BITS, MAX_DEGREE, MAX_SIZE, Meter, check_bits
from draw_dataset.errors import LimitError

Polynomial = dict[int, int]

FIELD = 8
"""Bits for one variable's exponent."""

PRIME = (1 << 61) - 1
"""The prime of the field in which candidates are rejected."""


def _fixed_point(length: int) -> tuple[int, ...]:
    """Return fixed values without relations between them, the same in every process and version."""
    values = []
    state = 0x9E3779B97F4A7C15
    for _ in range(length):
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        mixed = (state ^ (state >> 29)) * 0xBF58476D1CE4E5B9 % (1 << 64)
        values.append((mixed ^ (mixed >> 32)) % (PRIME - 2) + 2)
    return tuple(values)


POINT = _fixed_point(256)
"""A generic point of the field: its value for each variable."""

_ONES = int.from_bytes(b"\x01" * 256, "little")
GUARDS = _ONES << (FIELD - 1)
"""The top bit of every exponent: set only by an overflow."""


def variable(index: int) -> int:
    """Return the monomial of one variable."""
    return 1 << (FIELD * index)


class _Factors(dict[int, tuple[int, ...]]):
    """A bounded cache of monomials as tuples of variables; one entry takes a kilobyte at most."""

    def __missing__(self, monomial: int) -> tuple[int, ...]:
        exponents = monomial.to_bytes((monomial.bit_length() + 7) >> 3, "little")  # a byte for each variable
        if sum(exponents) > MAX_DEGREE:
            raise LimitError(f"expected terms of at most {MAX_DEGREE} names, but got a longer one")
        if len(self) >= _REMEMBERED:
            self.clear()
        self[monomial] = found = tuple([index for index, times in enumerate(exponents) for _ in range(times)])
        return found

    def cache_clear(self) -> None:
        """Forget everything."""
        self.clear()


_REMEMBERED = 1 << 12
_FACTORS = _Factors()


def factors(monomial: int) -> tuple[int, ...]:
    """Return the variables of a monomial, ascending, each as often as its exponent says.

    >>> factors(variable(0) + 2 * variable(3))
    (0, 3, 3)

    Raises:
        LimitError: there are more than `MAX_DEGREE`.
    """
    return _FACTORS[monomial]


def check_size(polynomials: Iterable[Sized]) -> int:
    """Return how many terms polynomials have together.

    Raises:
        LimitError: there are more than `MAX_SIZE`.
    """
    found = sum(map(len, polynomials))
    if found > MAX_SIZE:
        raise LimitError(f"expected at most {MAX_SIZE} terms when everything is multiplied out, but got {found}")
    return found


def bits(polynomial: Mapping[int, int]) -> int:
    """Return the total length of all coefficients in bits."""
    return sum(map(int.bit_length, polynomial.values()))


def weight(polynomials: Iterable[Polynomial]) -> int:
    """Return the size of polynomials in bytes, roughly."""
    return sum([70 + 250 * len(polynomial) + (bits(polynomial) >> 3) for polynomial in polynomials])


def check_overflow(monomials: Iterable[int]) -> None:
    """Raise `LimitError` if an exponent has grown into its guard bit.

    A product of two checked polynomials cannot grow beyond the guard bit, so checking each result before it is
    multiplied again is enough.
    """
    union = 0
    for monomial in monomials:
        union |= monomial
    if union & GUARDS:
        raise LimitError("expected exponents of at most 127, but got a larger one")


def add_product(target: Polynomial, left: Polynomial, right: Polynomial, sign: int, meter: Meter) -> None:
    """Add ``sign * left * right`` to `target`, in place."""
    if len(left) == 1 == len(right):  # most products are
        ((m1, c1),) = left.items()
        ((m2, c2),) = right.items()
        c = target.get(m1 + m2, 0) + sign * c1 * c2
        meter.spend(_CALL, c1.bit_length() * c2.bit_length())
        if not -_SMALL < c < _SMALL:
            check_bits((c,))
        if c:
            target[m1 + m2] = c
        else:
            del target[m1 + m2]
        return
    # The lengths of all products together are the product of the lengths together.
    left_bits, right_bits = bits(left), bits(right)
    meter.spend(_CALL + len(left) * len(right), left_bits * right_bits)
    for m1, c1 in left.items():
        c1 *= sign
        for m2, c2 in right.items():
            m = m1 + m2
            c = target.get(m, 0) + c1 * c2
            if c:
                target[m] = c
            else:
                del target[m]
    if left_bits + right_bits >= MAX_BITS:  # otherwise no product can be too large
        meter.spend(len(target) >> 2)
        check_bits(target.values())


def multiply(left: Polynomial, right: Polynomial, meter: Meter) -> Polynomial:
    """Return the product."""
    product: Polynomial = {}
    add_product(product, left, right, 1, meter)
    check_overflow(product)
    return product


def combine(left: Polynomial, left_factor: int, right: Polynomial, right_factor: int, meter: Meter) -> Polynomial:
    """Return ``left_factor * left + right_factor * right``; the factors must not be zero."""
    left_bits, right_bits = bits(left), bits(right)
    factor_bits = max(left_factor.bit_length(), right_factor.bit_length())
    # Terms that are only copied cost a fraction of those that are multiplied.
    meter.spend(1 + len(right) + (len(left) >> 2), (left_bits + right_bits) * factor_bits)
    result = {m: c * left_factor for m, c in left.items()} if left_factor != 1 else dict(left)
    for m, c in right.items():
        total = result.get(m, 0) + c * right_factor
        if total:
            result[m] = total
        else:
            del result[m]
    if left_bits + right_bits + factor_bits >= MAX_BITS:
        check_bits(result.values())
    return result


def content(polynomials: Iterable[Polynomial], meter: Meter) -> int:
    """Return the greatest common integer factor of all coefficients (0 if there are none).

    The cost of dividing by that factor is counted here as well.
    """
    common = 0
    for polynomial in polynomials:
        for c in polynomial.values():
            if common > _SMALL:
                meter.spend(1, common.bit_length() * c.bit_length() << 3)
            common = gcd(common, c)
            if common == 1:
                return 1
    return common


_SMALL = 1 << 60
"""Integers up to this are divided at full speed."""

_CALL = 8
"""The cost of the smallest product, in units of work."""


def divide_integer(polynomial: Polynomial, divisor: int) -> Polynomial:
    """Return the polynomial with every coefficient divided by a common integer factor."""
    return polynomial if divisor == 1 else {m: c // divisor for m, c in polynomial.items()}


def primitive(polynomial: Polynomial, meter: Meter) -> Polynomial:
    """Return the polynomial without common integer factor, its leading coefficient positive."""
    if not polynomial:
        return polynomial
    divisor = content((polynomial,), meter)
    if polynomial[max(polynomial)] < 0:
        divisor = -divisor
    return divide_integer(polynomial, divisor)


def used(polynomial: Mapping[int, int]) -> int:
    """Return a bit set (in bits 0, 8, 16 …) of the variables a polynomial contains."""
    union = 0
    for monomial in polynomial:
        union |= monomial
    # Fold each eight-bit field onto its lowest bit.
    union |= union >> 4
    union |= union >> 2
    union |= union >> 1
    return union & _ONES


def rename(polynomial: Polynomial, monomial_of: Sequence[int]) -> Polynomial:
    """Return the polynomial with variable i replaced by the monomial ``monomial_of[i]`` (a renaming)."""
    return {sum([monomial_of[i] for i in factors(m)]): c for m, c in polynomial.items()}
