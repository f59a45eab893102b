"""Functions of the numbers of a text, as expressions: value, identity, q-notation.

``("q", i)`` is the i-th number of the text, from 1; ``("d", i)`` its denominator, so that the parts of a fraction may
stand apart; ``("c", value)`` a constant; and ``(sign, a, b)`` an operation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from operator import add, mul, sub, truediv
from typing import Any

from draw_dataset.algebra.limits import is_long
from draw_dataset.algebra.nonlinear import Algebra, Ratio
from draw_dataset.algebra.number import number_text
from draw_dataset.algebra.polynomial import POINT, PRIME
from draw_dataset.errors import LimitError
from draw_dataset.reading.expressions import ATOM, PRODUCT, SUM, Written, binary, parenthesize

Expression = tuple[Any, ...]

MAX_LEAVES = 300  # numbers and constants of one expression
LEAVES = ("q", "d", "c")

OPERATIONS: Mapping[str, Callable[[Any, Any], Any]] = {"+": add, "-": sub, "*": mul, "/": truediv}


def leaves(expression: Expression) -> Iterator[Expression]:
    """Yield the numbers and constants of an expression in their order."""
    todo, count = [expression], 0
    while todo:
        part = todo.pop()
        if part[0] in LEAVES:
            count += 1
            if count > MAX_LEAVES:
                raise LimitError(f"expected at most {MAX_LEAVES} numbers in one derivation, but got more")
            yield part
        else:
            todo += (part[2], part[1])


def value_of(expression: Expression, numbers: Sequence[Fraction]) -> Fraction | None:
    """Return the value at given numbers; None if it divides by zero or is too long."""
    kind = expression[0]
    if kind in LEAVES:
        leaf: Fraction = expression[1] if kind == "c" else numbers[expression[1] - 1]
        return Fraction(leaf.denominator) if kind == "d" else leaf
    left, right = value_of(expression[1], numbers), value_of(expression[2], numbers)
    if left is None or right is None or (kind == "/" and not right):
        return None
    found: Fraction = OPERATIONS[kind](left, right)
    return None if is_long(found) else found


def point_of(number: int) -> int:
    """Return the value in the field that stands for the i-th number of a text, from 1."""
    return POINT[(number - 1) % len(POINT)]


def combine_residues(sign: str, left: int, right: int) -> int | None:
    """Return the value of an operation in the field; None for a division by zero."""
    if sign == "*":
        return left * right % PRIME
    if sign == "+":
        return (left + right) % PRIME
    if sign == "-":
        return (left - right) % PRIME
    return left * pow(right, -1, PRIME) % PRIME if right else None


def leaf_residue(leaf: Expression) -> int:
    """Return the value of a number or a constant in the field."""
    if leaf[0] == "q":
        return point_of(leaf[1])
    if leaf[0] == "d":
        place: int = -leaf[1] % len(POINT)
        return POINT[place]
    value: Fraction = leaf[1]
    return (
        value.numerator % PRIME
        if value.denominator == 1
        else value.numerator * pow(value.denominator, -1, PRIME) % PRIME
    )


def same_function_key(expression: Expression) -> int | None:
    """Return the value at a point of a prime field, which only equal functions share; None where it has none.

    >>> one, other = ("*", ("q", 1), ("q", 2)), ("*", ("q", 2), ("q", 1))
    >>> same_function_key(one) == same_function_key(other)
    True
    """
    if expression[0] in LEAVES:
        return leaf_residue(expression)
    left, right = same_function_key(expression[1]), same_function_key(expression[2])
    return None if left is None or right is None else combine_residues(expression[0], left, right)


def as_ratio(expression: Expression, numbers: Sequence[Ratio], algebra: Algebra) -> Ratio:
    """Return an expression at given quotients for the numbers; a denominator of the text is a letter of its own.

    Raises:
        LimitError: it takes too much work.
        ZeroDivisionError: it divides by zero.
    """
    kind = expression[0]
    if kind == "q":
        number: Ratio = numbers[expression[1] - 1]
        return number
    if kind == "d":
        return {(-1_000 - expression[1],): 1}, {(): 1}
    if kind == "c":
        return algebra.number(expression[1])
    left, right = as_ratio(expression[1], numbers, algebra), as_ratio(expression[2], numbers, algebra)
    combined: Ratio = algebra.combine(kind, left, right)
    return combined


def q_notation(expression: Expression, labels: Sequence[str] = ()) -> str:
    """Return an expression in q-notation; `labels` are the names of the numbers if they are not q1, q2, ….

    >>> q_notation(("-", ("q", 1), ("*", ("c", Fraction(1, 100)), ("+", ("q", 2), ("q", 3)))))
    'q1 - 0.01*(q2 + q3)'
    """
    return _write(expression, labels)[0]


def _write(expression: Expression, labels: Sequence[str]) -> Written:
    kind = expression[0]
    if kind in ("q", "d"):
        label = labels[expression[1] - 1] if labels else f"q{expression[1]}"
        return (label if kind == "q" else f"denominator({label})"), ATOM
    if kind == "c":
        return _constant(expression[1])
    return binary(_write(expression[1], labels), kind, _write(expression[2], labels))


def _constant(value: Fraction) -> Written:
    text = number_text(abs(value))
    tightness = PRODUCT if "/" in text else ATOM
    return (f"-{parenthesize((text, tightness), PRODUCT)}", SUM) if value < 0 else (text, tightness)
