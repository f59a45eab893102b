"""Expressions in the numbers of a question: built, evaluated exactly, compared as functions and written in q-notation.

An expression is a plain tuple::

    ("q", i)              the number of the text with rank i, from 1
    ("c", value)          a constant
    ("+", a, b)  ("-", a, b)  ("*", a, b)  ("/", a, b)

Two expressions are the same function if they have the same value at a point of a prime field that nobody can hit by
chance; so readings of a solution that come to the same are counted once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from draw_dataset.core.algebra.polynomial import PRIME
from draw_dataset.core.limits import is_long
from draw_dataset.errors import LimitError
from draw_dataset.prose.sides import ATOM, PRODUCT, SUM, Written, held, joined

Expression = tuple[Any, ...]

MAX_LEAVES = 300
"""Numbers and constants of one expression."""

ONE: Expression = ("c", Fraction(1))


def constant(value: Fraction) -> Expression:
    """Return a constant."""
    return ("c", value)


def quotient(above: Expression, below: Expression) -> Expression:
    """Return a quotient; who divides by a reciprocal multiplies.

    >>> quotient(("q", 1), ("/", ONE, ("q", 2)))
    ('*', ('q', 1), ('q', 2))
    """
    if below[0] == "/" and below[1] == ONE:
        return ("*", above, below[2])
    return ("/", above, below)


def leaves(expression: Expression) -> Iterator[Expression]:
    """Yield the numbers and constants of an expression in their order.

    Raises:
        LimitError: there are more than `MAX_LEAVES`.
    """
    todo, count = [expression], 0
    while todo:
        part = todo.pop()
        if part[0] in ("q", "c"):
            count += 1
            if count > MAX_LEAVES:
                raise LimitError(f"expected at most {MAX_LEAVES} numbers in one derivation, but got more")
            yield part
        else:
            todo += (part[2], part[1])


def value_of(expression: Expression, numbers: Sequence[Fraction]) -> Fraction | None:
    """Return the value at given numbers; None if it divides by zero or is too long."""
    kind = expression[0]
    if kind == "q":
        return numbers[expression[1] - 1]
    if kind == "c":
        value: Fraction = expression[1]
        return value
    left, right = value_of(expression[1], numbers), value_of(expression[2], numbers)
    if left is None or right is None or (kind == "/" and not right):
        return None
    found = left + right if kind == "+" else left - right if kind == "-" else left * right
    if kind == "/":
        found = left / right
    return None if is_long(found) else found


def same_function_key(expression: Expression) -> int | None:
    """Return what expressions have in common that are the same function; None where it has no value.

    >>> one, other = ("*", ("q", 1), ("q", 2)), ("*", ("q", 2), ("q", 1))
    >>> same_function_key(one) == same_function_key(other)
    True
    """
    kind = expression[0]
    if kind == "q":
        return pow(3, 1_000_003 * expression[1] + 77, PRIME)
    if kind == "c":
        return int(expression[1].numerator * pow(expression[1].denominator, -1, PRIME) % PRIME)
    left, right = same_function_key(expression[1]), same_function_key(expression[2])
    if left is None or right is None:
        return None
    if kind == "/":
        return left * pow(right, -1, PRIME) % PRIME if right else None
    return (left + right if kind == "+" else left - right if kind == "-" else left * right) % PRIME


def written(expression: Expression) -> str:
    """Return an expression in q-notation.

    >>> written(("-", ("q", 1), ("*", ("c", Fraction(1, 100)), ("+", ("q", 2), ("q", 3)))))
    'q1 - 0.01*(q2 + q3)'
    """
    return _written(expression)[0]


def _written(expression: Expression) -> Written:
    kind = expression[0]
    if kind == "q":
        return f"q{expression[1]}", ATOM
    if kind == "c":
        return _constant(expression[1])
    return joined(_written(expression[1]), kind, _written(expression[2]))


def _constant(value: Fraction) -> Written:
    text = decimal(abs(value))
    tightness = PRODUCT if "/" in text else ATOM
    return (f"-{held((text, tightness), PRODUCT)}", SUM) if value < 0 else (text, tightness)


def decimal(value: Fraction) -> str:
    """Return a number as people write it: a short decimal, else a fraction.

    >>> decimal(Fraction(1, 100)), decimal(Fraction(5, 2)), decimal(Fraction(1, 3))
    ('0.01', '2.5', '1/3')
    """
    if value.denominator == 1:
        return str(value.numerator)
    if 10**6 % value.denominator == 0:
        scaled = value * 10**6
        return f"{scaled.numerator // 10**6}.{scaled.numerator % 10**6:06d}".rstrip("0")
    return f"{value.numerator}/{value.denominator}"
