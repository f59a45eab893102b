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


def folded(expression: Expression) -> Expression:
    """Return an expression without constants that a product multiplies and divides by: 8*q1/8*q2 is q1*q2.

    >>> folded(("*", ("/", ("*", ("c", Fraction(8)), ("q", 1)), ("c", Fraction(8))), ("q", 2)))
    ('*', ('q', 1), ('q', 2))
    """
    if expression[0] in ("q", "c"):
        return expression
    if expression[0] in ("+", "-"):
        return (expression[0], folded(expression[1]), folded(expression[2]))
    above, below, factor, count = _factors(expression)
    if count < 2 or factor != 1 or not above:
        return (expression[0], folded(expression[1]), folded(expression[2]))
    found = above[0]
    for part in above[1:]:
        found = ("*", found, part)
    for part in below:
        found = ("/", found, part)
    return found


def _factors(expression: Expression) -> tuple[list[Expression], list[Expression], Fraction, int]:
    """Return what a product multiplies and divides by, its constant factor, and how many constants that is."""
    above: list[Expression] = []
    below: list[Expression] = []
    factor, count = Fraction(1), 0
    todo = [(expression, False)]
    while todo:
        part, divides = todo.pop()
        if part[0] in ("*", "/"):
            todo += [(part[2], divides ^ (part[0] == "/")), (part[1], divides)]
        elif part[0] == "c":
            if divides and not part[1]:
                return [expression], [], Fraction(1), 0
            factor, count = factor / part[1] if divides else factor * part[1], count + 1
        else:
            (below if divides else above).append(folded(part))
    return above, below, factor, count


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
        rank: int = expression[1]
        return numbers[rank - 1]
    if kind == "c":
        value: Fraction = expression[1]
        return value
    left, right = value_of(expression[1], numbers), value_of(expression[2], numbers)
    if left is None or right is None or (kind == "/" and not right):
        return None
    found: Fraction
    if kind == "/":
        found = left / right
    else:
        found = left + right if kind == "+" else left - right if kind == "-" else left * right
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
