"""Elimination: linear systems over the rationals, over a prime field and over polynomials.

Dense rows are equations ``row[0]*u0 + … + row[n-1]*u(n-1) + row[n] = 0``. `cross_product` solves n equations in n
unknowns without dividing: the vector of signed maximal minors (H0, …, Hn) is orthogonal to every row, so ``u_j = H_j /
H_n`` wherever H_n, the determinant, is not zero. `reduce_rows` is Gauss-Jordan elimination over the rationals,
`reduce_polynomial_rows` the same over rational functions, both without fractions. `Elimination` takes sparse equations
over named unknowns one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Generic, TypeVar

from draw_dataset.algebra.limits import MAX_SOLUTION_BITS, Meter, check_bits
from draw_dataset.algebra.polynomial import (
    PRIME,
    Polynomial,
    add_product,
    check_overflow,
    content,
    divide_exact,
    divide_integer,
    greatest_common_divisor,
    multiply,
)


def cross_product_integers(rows: Sequence[Sequence[int]]) -> list[int]:
    """Return the signed maximal minors of one or two rows of integers.

    >>> cross_product_integers([[1, 1, -5], [1, -1, -1]])
    [-6, -4, -2]
    """
    if len(rows) == 1:
        ((a, b),) = rows
        return [-b, a]
    (a, b, c), (d, e, f) = rows
    return [b * f - c * e, c * d - a * f, a * e - b * d]


def cross_product_mod(rows: Sequence[Sequence[int]]) -> list[int]:
    """Return the signed maximal minors of n rows of n + 1 residues.

    >>> cross_product_mod([[1, 1, -5], [1, -1, -1]])[2] == PRIME - 2
    True
    """
    if len(rows) <= 2:
        return [c % PRIME for c in cross_product_integers(rows)]
    return _cross_product_by_elimination(rows)


def _cross_product_by_elimination(rows: Sequence[Sequence[int]]) -> list[int]:
    """Return a vector proportional to the minors, zero in its last place if the determinant is zero."""
    n = len(rows)
    matrix = [[c % PRIME for c in row] for row in rows]
    for column in range(n):
        pivot = next((r for r in range(column, n) if matrix[r][column]), None)
        if pivot is None:
            return [0] * (n + 1)
        matrix[column], matrix[pivot] = matrix[pivot], matrix[column]
        head = matrix[column]
        inverse = pow(head[column], -1, PRIME)
        matrix[column] = head = [c * inverse % PRIME for c in head]
        for r in range(n):
            factor = matrix[r][column]
            if r != column and factor:
                matrix[r] = [(c - factor * h) % PRIME for c, h in zip(matrix[r], head, strict=True)]
    return [-row[n] % PRIME for row in matrix] + [1]


def independent_rows(rows: Sequence[Sequence[int]], width: int) -> list[int]:
    """Return the first rows of residues that are independent in their first columns, each by its position.

    >>> independent_rows([[1, 2, 5], [2, 4, 1], [0, 1, 0]], 2)
    [0, 2]
    """
    found: list[int] = []
    reduced: list[tuple[int, list[int]]] = []
    for position, given in enumerate(rows):
        row = [c % PRIME for c in given[:width]]
        for column, head in reduced:
            factor = row[column]
            if factor:
                row = [(c - factor * h) % PRIME for c, h in zip(row, head, strict=True)]
        pivot = next((column for column, c in enumerate(row) if c), None)
        if pivot is not None:
            inverse = pow(row[pivot], -1, PRIME)
            reduced.append((pivot, [c * inverse % PRIME for c in row]))
            found.append(position)
            if len(found) == width:
                break
    return found


def cross_product(rows: Sequence[Sequence[Polynomial]], meter: Meter) -> list[Polynomial]:
    """Return the signed maximal minors of n rows of n + 1 polynomials.

    One or two equations, nearly all there are, are written out. Otherwise minors are built row by row over subsets
    of the columns, each once; a subset is a bit set.
    """
    n = len(rows)
    if n == 2:
        (a, b, c), (d, e, f) = rows
        return [_minor(b, c, e, f, meter), _minor(c, a, f, d, meter), _minor(a, b, d, e, meter)]
    if n == 1:
        ((a, b),) = rows
        return [{m: -c for m, c in b.items()}, a]
    minors: dict[int, Polynomial] = {0: {0: 1}}
    for row in rows:
        larger: dict[int, Polynomial] = {}
        for subset, minor in minors.items():
            if not minor:
                continue
            meter.spend(n)
            for column, entry in enumerate(row):
                if subset >> column & 1 or not entry:
                    continue
                sign = -1 if (subset >> column).bit_count() & 1 else 1
                add_product(larger.setdefault(subset | 1 << column, {}), minor, entry, sign, meter)
        for minor in larger.values():
            check_overflow(minor)
        minors = larger
    everything = (1 << (n + 1)) - 1
    vector = []
    for column in range(n + 1):
        minor = minors.get(everything ^ 1 << column, {})
        vector.append({m: -c for m, c in minor.items()} if (n - column) & 1 else minor)
    return vector


def _minor(a: Polynomial, b: Polynomial, c: Polynomial, d: Polynomial, meter: Meter) -> Polynomial:
    """Return a*d - b*c."""
    minor: Polynomial = {}
    if a and d:
        add_product(minor, a, d, 1, meter)
    if b and c:
        add_product(minor, b, c, -1, meter)
    check_overflow(minor)
    return minor


def dot_is_zero(row: Sequence[Polynomial], vector: Sequence[Polynomial], meter: Meter) -> bool:
    """Decide whether the scalar product of two vectors of polynomials is the zero polynomial."""
    total: Polynomial = {}
    for left, right in zip(row, vector, strict=True):
        if left and right:
            add_product(total, left, right, 1, meter)
    return not total


def reduce_rows(rows: Sequence[Sequence[int]], meter: Meter) -> tuple[list[list[int]], list[int]]:
    """Return the reduced row echelon form over the rationals, without fractions, and its pivot columns.

    Each row of the result is a multiple of that with a one in its pivot column.

    >>> reduce_rows([[1, 1, -5], [1, -1, -1]], Meter(100, "solving"))
    ([[-1, 0, 3], [0, -1, 2]], [0, 1])
    """
    matrix = [list(row) for row in rows]
    pivots: list[int] = []
    for column in range(len(matrix[0]) if matrix else 0):
        top = len(pivots)
        pivot = next((r for r in range(top, len(matrix)) if matrix[r][column]), None)
        if pivot is None:
            continue
        matrix[top], matrix[pivot] = matrix[pivot], matrix[top]
        for r, row in enumerate(matrix):
            if r != top and row[column]:
                matrix[r] = eliminate_integers(row, matrix[top], column, meter)
        pivots.append(column)
    return matrix[: len(pivots)], pivots


def eliminate_integers(row: Sequence[int], head: Sequence[int], column: int, meter: Meter) -> list[int]:
    """Return the row, without common factor, with a column brought to zero by another row that is not zero there."""
    p, q = head[column], row[column]
    lengths = sum(map(int.bit_length, row)), sum(map(int.bit_length, head))
    meter.spend(2 * len(row), 4 * (p.bit_length() * lengths[0] + q.bit_length() * lengths[1]))
    result = [p * c - q * h for c, h in zip(row, head, strict=True)]
    common = gcd(*result)
    if common > 1:
        result = [c // common for c in result]
    if sum(lengths) >= MAX_SOLUTION_BITS:  # otherwise no entry can be too large
        check_bits(result, MAX_SOLUTION_BITS)
    return result


def reduce_polynomial_rows(
    rows: Sequence[Sequence[Polynomial]], meter: Meter
) -> tuple[list[list[Polynomial]], list[int]]:
    """Return the reduced row echelon form over the field of fractions, without fractions.

    Each row of the result is primitive (its entries have no common factor), so it is determined up to its sign
    by the space the rows span and by the order of the columns.
    """
    matrix = [primitive_vector(row, meter) for row in rows]
    pivots: list[int] = []
    for column in range(len(matrix[0]) if matrix else 0):
        top = len(pivots)
        # The shortest pivot keeps the other rows short.
        candidates = [r for r in range(top, len(matrix)) if matrix[r][column]]
        if not candidates:
            continue
        pivot = min(candidates, key=lambda r: len(matrix[r][column]))
        matrix[top], matrix[pivot] = matrix[pivot], matrix[top]
        for r, row in enumerate(matrix):
            if r != top and row[column]:
                matrix[r] = eliminate(row, matrix[top], column, meter)
        pivots.append(column)
    return matrix[: len(pivots)], pivots


def eliminate(row: Sequence[Polynomial], head: Sequence[Polynomial], column: int, meter: Meter) -> list[Polynomial]:
    """Return the row, made primitive, with a column brought to zero by another row that is not zero there."""
    meter.spend(len(row))
    result = []
    for entry, other in zip(row, head, strict=True):
        value = multiply(entry, head[column], meter)
        add_product(value, row[column], other, -1, meter)
        check_overflow(value)
        result.append(value)
    return primitive_vector(result, meter)


def primitive_vector(vector: Sequence[Polynomial], meter: Meter) -> list[Polynomial]:
    """Return a vector of polynomials divided by all that its entries have in common."""
    common = greatest_common_divisor(vector, meter)
    if common != {0: 1}:
        divided = [divide_exact(p, common, meter) if p else p for p in vector]
        vector = [p for p in divided if p is not None]
        if len(vector) != len(divided):
            raise ArithmeticError("a common divisor does not divide")
    integer = content(vector, meter)
    return [divide_integer(p, integer) for p in vector] if integer > 1 else list(vector)


Name = TypeVar("Name", str, int)


class Elimination(Generic[Name]):
    """Equations ``sum of coefficient * unknown + constant = 0`` over named unknowns, kept in reduced row echelon form.

    Rows are integers without a common factor: exact, and far faster than fractions. Each row is kept by its pivot, the
    smallest name that the earlier rows leave in it.

    >>> elimination = Elimination([({"x": Fraction(1), "y": Fraction(1)}, Fraction(-10))])
    >>> elimination.add({"x": Fraction(1), "y": Fraction(-1)}, Fraction(-4)), elimination.values()
    (True, {'x': Fraction(7, 1), 'y': Fraction(3, 1)})
    >>> elimination.reduce({"x": Fraction(2)}, Fraction(-15))
    ({}, 1)
    """

    __slots__ = ("_rows",)

    def __init__(self, equations: Iterable[tuple[Mapping[Name, Fraction], Fraction]] = ()) -> None:
        self._rows: dict[Name, tuple[dict[Name, int], int]] = {}
        for equation in equations:
            self.add(*equation)

    def reduce(self, coefficients: Mapping[Name, Fraction], constant: Fraction) -> tuple[dict[Name, int], int]:
        """Return the rest of an equation after elimination, up to a factor; no unknown and 0 if it follows."""
        rest = _integer_equation(coefficients, constant)
        for pivot, row in self._rows.items():
            if pivot in rest[0]:
                rest = _eliminate_name(rest, row, pivot)
        return rest

    def add(self, coefficients: Mapping[Name, Fraction], constant: Fraction = Fraction(0)) -> bool:
        """Add an equation; False if it follows from those before it or contradicts them."""
        rest = self.reduce(coefficients, constant)
        if not rest[0]:
            return False
        pivot = min(rest[0])
        for other, row in self._rows.items():
            if pivot in row[0]:
                self._rows[other] = _eliminate_name(row, rest, pivot)
        self._rows[pivot] = rest
        return True

    def values(self) -> dict[Name, Fraction]:
        """Return the unknowns that have one value."""
        return {
            pivot: Fraction(-constant, row[pivot]) for pivot, (row, constant) in self._rows.items() if len(row) == 1
        }


def _integer_equation(coefficients: Mapping[Name, Fraction], constant: Fraction) -> tuple[dict[Name, int], int]:
    below = lcm(constant.denominator, *[value.denominator for value in coefficients.values()])
    scaled = {name: value.numerator * (below // value.denominator) for name, value in coefficients.items() if value}
    return scaled, constant.numerator * (below // constant.denominator)


def _eliminate_name(
    equation: tuple[dict[Name, int], int], head: tuple[dict[Name, int], int], pivot: Name
) -> tuple[dict[Name, int], int]:
    """Return an equation, without common factor, from which another one that has an unknown removes it."""
    (rest, constant), (row, row_constant) = equation, head
    own, factor = row[pivot], rest[pivot]
    found = {name: value * own for name, value in rest.items()}
    for name, value in row.items():
        found[name] = found.get(name, 0) - factor * value
    constant = constant * own - factor * row_constant
    common = gcd(constant, *found.values()) or 1
    return {name: value // common for name, value in found.items() if value}, constant // common
