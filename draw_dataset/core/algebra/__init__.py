"""Polynomials with integer coefficients, and linear equations over them. Knows neither texts nor templates."""

from draw_dataset.core.algebra.divisor import divide_exact, greatest_common_divisor
from draw_dataset.core.algebra.linear import (
    cross_product,
    cross_product_integers,
    cross_product_mod,
    dot_is_zero,
    eliminate,
    primitive_vector,
    reduce_polynomial_rows,
    reduce_rows,
)
from draw_dataset.core.algebra.polynomial import (
    FIELD,
    POINT,
    PRIME,
    Polynomial,
    check_overflow,
    combine,
    content,
    divide_integer,
    factors,
    multiply,
    primitive,
    rename,
    variable,
)

__all__ = [
    "FIELD",
    "POINT",
    "PRIME",
    "Polynomial",
    "check_overflow",
    "combine",
    "content",
    "cross_product",
    "cross_product_integers",
    "cross_product_mod",
    "divide_exact",
    "divide_integer",
    "dot_is_zero",
    "eliminate",
    "factors",
    "greatest_common_divisor",
    "multiply",
    "primitive",
    "primitive_vector",
    "reduce_polynomial_rows",
    "reduce_rows",
    "rename",
    "variable",
]
