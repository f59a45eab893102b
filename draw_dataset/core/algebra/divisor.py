"""Division and greatest common divisors of polynomials.

Both are exact over the rationals; results are primitive (no common integer factor). The divisor is found by the
classical recursion on one variable at a time (primitive pseudo-remainder sequence). Three shortcuts avoid the recursion
for nearly all real input: a common divisor can only contain variables that *every* polynomial contains; if the
univariate image modulo a prime shows no common factor, the variable is not in it either; and if one polynomial divides
the other, it is the common divisor.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from draw_dataset.core.algebra.polynomial import (
    FIELD,
    GUARDS,
    POINT,
    PRIME,
    Polynomial,
    add_product,
    bits,
    check_overflow,
    factors,
    multiply,
    primitive,
    used,
)
from draw_dataset.core.limits import Meter

_CALL = 8
"""The cost of a step with the smallest polynomials, in units of work."""


def divide_exact(dividend: Polynomial, divisor: Polynomial, meter: Meter) -> Polynomial | None:
    """Return the quotient if the primitive `divisor` divides `dividend`, else None.

    Division in several variables by one polynomial, by leading terms in the order of the packed integers,
    which is a monomial order: the remainder is zero exactly when the divisor divides. By Gauss's lemma the
    quotient of integer polynomials by a primitive one has integer coefficients.
    """
    lead = max(divisor)
    lead_coefficient = divisor[lead]
    divisor_bits = bits(divisor)
    quotient: Polynomial = {}
    rest = dict(dividend)
    meter.spend(_CALL + len(rest))
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
        common &= used(p)
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

    If a common divisor contains x then so does its image under any assignment to the other variables that
    keeps some polynomial's leading coefficient in x; that image divides the images of all. So a univariate
    image without common factor proves that x does not occur.
    """
    common = -1
    for p in polynomials:
        common &= used(p)
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
        meter.spend(_CALL + len(p) + names + (degree + 1) * (len(gcd_so_far) + 1))
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
        if used(result) == 0:
            return {0: 1}
    return primitive(result, meter)


def _gcd_pair(p: Polynomial, q: Polynomial, meter: Meter) -> Polynomial:
    meter.spend(_CALL)
    if not p or not q:
        return primitive(p or q, meter)
    common = used(p) & used(q)
    if not common:
        return {0: 1}
    x = factors(common)[0]
    content_p, p = _split_content(p, x, meter)
    content_q, q = _split_content(q, x, meter)
    outer = _gcd_pair(content_p, content_q, meter)
    if len(p) < len(q):
        p, q = q, p
    if divide_exact(p, q, meter) is not None:  # much faster than computing all remainders
        return primitive(multiply(outer, q, meter), meter)
    while q:
        remainder = _pseudo_remainder(p, q, x, meter)
        p, q = q, _split_content(remainder, x, meter)[1] if remainder else {}
    if not used(p) >> (FIELD * x) & 1:
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


def _split_content(p: Polynomial, x: int, meter: Meter) -> tuple[Polynomial, Polynomial]:
    """Return the content of p as a polynomial in x, and p divided by it."""
    meter.spend(_CALL + len(p))
    common: Polynomial = {}
    for part in _coefficients(p, x).values():
        common = _gcd_pair(common, part, meter)
        if used(common) == 0:
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
