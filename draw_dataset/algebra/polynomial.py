"""Sparse polynomials with integer coefficients.

A polynomial is a ``dict`` from monomials to non-zero integers. A monomial packs its exponents into one integer, eight
bits a variable, so that multiplying monomials is adding integers; the top bit of each field is a guard that turns an
overflow into a `LimitError`. The zero polynomial is the empty dict, the constant monomial is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from fractions import Fraction
from heapq import heapify, heappop, heappush
from math import gcd

from draw_dataset.algebra.limits import MAX_BITS, MAX_DEGREE, MAX_SIZE, Meter, check_bits
from draw_dataset.errors import LimitError

Polynomial = dict[int, int]

FIELD = 8  #: bits for one variable's exponent
PRIME = (1 << 61) - 1  #: the prime of the field in which candidates are rejected


def _fixed_point(length: int) -> tuple[int, ...]:
    """Return fixed values without relations between them, the same in every process and version."""
    values = []
    state = 0x9E3779B97F4A7C15
    for _ in range(length):
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        mixed = (state ^ (state >> 29)) * 0xBF58476D1CE4E5B9 % (1 << 64)
        values.append((mixed ^ (mixed >> 32)) % (PRIME - 2) + 2)
    return tuple(values)


POINT = _fixed_point(256)  #: a generic point of the field: its value for each variable

_ONES = int.from_bytes(b"\x01" * 256, "little")
GUARDS = _ONES << (FIELD - 1)  #: the top bit of every exponent: set only by an overflow


def residue(value: Fraction | int) -> int:
    """Return a number of the field."""
    if value.denominator == 1:
        return value.numerator % PRIME
    return value.numerator * pow(value.denominator, -1, PRIME) % PRIME


def variable(index: int) -> int:
    """Return the monomial of one variable."""
    return 1 << (FIELD * index)


class _Factors(dict[int, tuple[int, ...]]):
    """A bounded cache of monomials as tuples of variables; one entry takes a kilobyte at most."""

    def __missing__(self, monomial: int) -> tuple[int, ...]:
        exponents = monomial.to_bytes((monomial.bit_length() + 7) >> 3, "little")  # a byte for each variable
        if sum(exponents) > MAX_DEGREE:
            raise LimitError(f"expected terms of at most {MAX_DEGREE} names, but got a longer one")
        if len(self) >= _MAX_CACHED:
            self.clear()
        self[monomial] = found = tuple([index for index, times in enumerate(exponents) for _ in range(times)])
        return found

    def cache_clear(self) -> None:
        """Forget everything."""
        self.clear()


_MAX_CACHED = 1 << 12
_FACTORS = _Factors()


def factors(monomial: int) -> tuple[int, ...]:
    """Return the variables of a monomial, ascending, each as often as its exponent says, at most `MAX_DEGREE`.

    >>> factors(variable(0) + 2 * variable(3))
    (0, 3, 3)
    """
    return _FACTORS[monomial]


def check_size(polynomials: Iterable[Sized]) -> int:
    """Return how many terms polynomials have together, at most `MAX_SIZE`."""
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


_SMALL = 1 << 60  # integers up to this are divided at full speed
_CALL = 8  # the cost of the smallest product, in units of work


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


def variable_bits(polynomial: Mapping[int, int]) -> int:
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


# Exact division and greatest common divisors, by primitive pseudo-remainder sequences in one variable at a time. Three
# shortcuts avoid them for nearly all real input: a common divisor only contains variables that *every* polynomial
# contains; coprime univariate images modulo a prime rule a variable out; a polynomial may divide the other.

_DIVISOR_CALL = 8  # the cost of a step with the smallest polynomials, in units of work


def divide_exact(dividend: Polynomial, divisor: Polynomial, meter: Meter) -> Polynomial | None:
    """Return the quotient if the primitive `divisor` divides `dividend`, else None.

    The order of the packed integers is a monomial order, so the remainder is zero exactly when the divisor divides. By
    Gauss's lemma the quotient by a primitive polynomial has integer coefficients.
    """
    lead = max(divisor)
    lead_coefficient = divisor[lead]
    divisor_bits = bits(divisor)
    quotient: Polynomial = {}
    rest = dict(dividend)
    meter.spend(_DIVISOR_CALL + len(rest))
    leading = [-m for m in rest]  # monomials of the rest, the largest first; some are stale, some occur twice
    heapify(leading)
    while leading:
        m = -heappop(leading)
        c = rest.get(m, 0)
        if not c:
            continue
        meter.spend(len(divisor) + 1, c.bit_length() * divisor_bits << 2)
        if ((m | GUARDS) - lead) & GUARDS != GUARDS:  # some exponent of the divisor is larger
            return None
        c, odd = divmod(c, lead_coefficient)
        if odd:
            return None
        shift = m - lead
        quotient[shift] = c
        for divided, other in divisor.items():
            m = divided + shift
            known = rest.get(m)
            if known is None:
                rest[m] = -c * other
                heappush(leading, -m)
            elif known == c * other:
                del rest[m]
            else:
                rest[m] = known - c * other
    return quotient


def greatest_common_divisor(polynomials: Sequence[Polynomial], meter: Meter) -> Polynomial:
    """Return the primitive greatest common divisor; zeros are ignored, and without others it is 1."""
    wanted = [p for p in polynomials if p]
    if not wanted:
        return {0: 1}
    common = -1
    for p in wanted:
        common &= variable_bits(p)
        if not common:
            return {0: 1}
    # The monomial part first: it is by far the most frequent common factor.
    meter.spend(sum(map(len, wanted)) * common.bit_count())
    monomial = _common_monomial(wanted)
    if monomial:
        wanted = [{m - monomial: c for m, c in p.items()} for p in wanted]
    shared = _possible_variables(wanted, meter)
    rest = _gcd_by_remainders(wanted, meter) if shared else {0: 1}
    return {m + monomial: c for m, c in rest.items()}


def _common_monomial(polynomials: Sequence[Polynomial]) -> int:
    """Return the largest monomial that divides every term."""
    result = 0
    index = 0
    everything = max(max(p) for p in polynomials)
    while everything >> (FIELD * index):
        shift = FIELD * index
        result += min((m >> shift) & 0xFF for p in polynomials for m in p) << shift
        index += 1
    return result


def _possible_variables(polynomials: Sequence[Polynomial], meter: Meter) -> list[int]:
    """Return the variables that may occur in a common divisor, by proof for those left out.

    If a common divisor contains x, so does its image under values of the other variables that keep a polynomial's
    leading coefficient in x, and that image divides all images. So coprime images prove that x does not occur.
    """
    common = -1
    for p in polynomials:
        common &= variable_bits(p)
    candidates = factors(common)
    return [x for x in candidates if not _coprime_in(x, polynomials, meter)]


def _coprime_in(x: int, polynomials: Sequence[Polynomial], meter: Meter) -> bool:
    gcd_so_far: list[int] = []
    shift = FIELD * x
    for p in polynomials:
        degree = max((m >> shift) & 0xFF for m in p)
        image = [0] * (degree + 1)
        names = 0
        for m, c in p.items():
            e = (m >> shift) & 0xFF
            others = factors(m - (e << shift))
            names += len(others)
            for index in others:
                c = c * POINT[index] % PRIME
            image[e] = (image[e] + c) % PRIME
        meter.spend(_DIVISOR_CALL + len(p) + names + (degree + 1) * (len(gcd_so_far) + 1))
        if not image[-1]:
            return False
        gcd_so_far = _gcd_modular(gcd_so_far, image)
        if len(gcd_so_far) == 1:
            return True
    return False


def _gcd_modular(a: list[int], b: list[int]) -> list[int]:
    """Return the greatest common divisor of two univariate polynomials modulo `PRIME`, lowest term first."""
    while b:
        inverse = pow(b[-1], -1, PRIME)
        a = list(a)
        while len(a) >= len(b):
            q = a[-1] * inverse % PRIME
            offset = len(a) - len(b)
            for i, c in enumerate(b):
                a[offset + i] = (a[offset + i] - q * c) % PRIME
            while a and not a[-1]:
                a.pop()
        a, b = b, a
    return a


def _gcd_by_remainders(polynomials: Sequence[Polynomial], meter: Meter) -> Polynomial:
    result: Polynomial = {}
    # The shortest first: the common divisor is not longer than it.
    for p in sorted(polynomials, key=len):
        result = _gcd_pair(result, p, meter)
        if variable_bits(result) == 0:
            return {0: 1}
    return primitive(result, meter)


_GcdPair = Callable[[Polynomial, Polynomial, Meter], Polynomial]


def _gcd_pair(p: Polynomial, q: Polynomial, meter: Meter) -> Polynomial:
    meter.spend(_DIVISOR_CALL)
    if not p or not q:
        return primitive(p or q, meter)
    common = variable_bits(p) & variable_bits(q)
    if not common:
        return {0: 1}
    x = factors(common)[0]
    content_p, p = _split_content(p, x, meter, _gcd_pair)
    content_q, q = _split_content(q, x, meter, _gcd_pair)
    outer = _gcd_pair(content_p, content_q, meter)
    if len(p) < len(q):
        p, q = q, p
    if divide_exact(p, q, meter) is not None:  # much faster than computing all remainders
        return primitive(multiply(outer, q, meter), meter)
    while q:
        remainder = _pseudo_remainder(p, q, x, meter)
        p, q = q, _split_content(remainder, x, meter, _gcd_pair)[1] if remainder else {}
    if not variable_bits(p) >> (FIELD * x) & 1:
        return outer
    return primitive(multiply(outer, p, meter), meter)


def _coefficients(p: Polynomial, x: int) -> dict[int, Polynomial]:
    """Return the polynomial as one in x: exponent -> coefficient polynomial."""
    shift = FIELD * x
    parts: dict[int, Polynomial] = {}
    for m, c in p.items():
        e = (m >> shift) & 0xFF
        parts.setdefault(e, {})[m - (e << shift)] = c
    return parts


def _split_content(p: Polynomial, x: int, meter: Meter, pair: _GcdPair) -> tuple[Polynomial, Polynomial]:
    """Return the content of p as a polynomial in x, and p divided by it."""
    # The function is passed because `datasets` hashes functions with dill, which never ends if two call each other.
    meter.spend(_DIVISOR_CALL + len(p))
    common: Polynomial = {}
    for part in _coefficients(p, x).values():
        common = pair(common, part, meter)
        if variable_bits(common) == 0:
            return {0: 1}, primitive(p, meter)
    quotient = divide_exact(primitive(p, meter), common, meter)
    if quotient is None:
        raise ArithmeticError("a content does not divide its polynomial")
    return common, quotient


def _pseudo_remainder(p: Polynomial, q: Polynomial, x: int, meter: Meter) -> Polynomial:
    shift = FIELD * x
    q_parts = _coefficients(q, x)
    q_degree = max(q_parts)
    q_lead = q_parts[q_degree]
    while p:
        p_parts = _coefficients(p, x)
        p_degree = max(p_parts)
        if p_degree < q_degree:
            return primitive(p, meter)
        reduced = multiply(p, q_lead, meter)
        lead = {m + ((p_degree - q_degree) << shift): c for m, c in p_parts[p_degree].items()}
        add_product(reduced, lead, q, -1, meter)
        check_overflow(reduced)
        p = primitive(reduced, meter)
    return {}
