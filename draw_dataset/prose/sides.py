"""Sides of equations, written so that the core can read them, and their numbers.

A percentage becomes ``(0.01*8)``, and ``4 2/3`` a sum in brackets. Everything else is written as it stands, with a sign
for every product and the brackets that are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from draw_dataset.core.quantities import Literal, Node

WrittenNumber = tuple[Fraction, ...]
"""A number written in an equation; of a quotient of two numbers its value, the number above and the number below."""

Written = tuple[str, int]
"""A string, and how tightly it binds."""

SUM, PRODUCT, POWER, ATOM = range(4)


def write_side(node: Node, literals: Sequence[Literal], name: Callable[[str], str] = str) -> str:
    """Return one side as the core reads it.

    Args:
        node: the expression.
        literals: its numbers.
        name: how names are written.
    """
    return write_node(node, lambda index: _number(literals[index]), name)[0]


def write_node(node: Node, number: Callable[[int], Written], name: Callable[[str], str]) -> Written:
    """Return an expression with the brackets that it needs.

    Args:
        node: the expression.
        number: how the literal of a number is written.
        name: how names are written.
    """
    kind = node[0]
    if kind == "number":
        return number(node[1])
    if kind == "name":
        return name(node[1]), ATOM
    if kind == "neg":
        return f"-{held(write_node(node[1], number, name), PRODUCT)}", SUM
    if kind == "^":
        return f"{held(write_node(node[1], number, name), ATOM)}^{node[2]}", POWER
    return joined(write_node(node[1], number, name), kind, write_node(node[2], number, name))


def joined(left: Written, sign: str, right: Written) -> Written:
    """Return two expressions with a sign between them."""
    if sign in "+-":
        text = held(right, PRODUCT)
        return f"{held(left, SUM)} {sign} {f'({text})' if text.startswith('-') else text}", SUM
    return f"{held(left, PRODUCT)}{sign}{held(right, POWER)}", PRODUCT


def held(written: Written, tightness: int) -> str:
    """Return an expression in brackets, unless it binds at least this tightly."""
    text, own = written
    return text if own >= tightness else f"({text})"


def _number(literal: Literal) -> Written:
    text = literal.text.removeprefix("-")
    sign = "-" if text != literal.text else ""
    tightness = ATOM
    if literal.percent:
        text = f"(0.01*{text})"
    elif " " in text:
        text = f"({text.replace(' ', '+')})"
    elif literal.parts is not None:
        tightness = PRODUCT
    elif not _is_written(abs(literal.value), text):
        text = str(abs(literal.value))  # 2 million
    return (f"-{text}", min(tightness, PRODUCT)) if sign else (text, tightness)


def _is_written(value: Fraction, text: str) -> bool:
    """Say whether a number is written as a text of digits: by whole numbers, as reading a fraction costs far more."""
    whole, _, decimals = text.replace(",", "").partition(".")
    scale: int = 10 ** len(decimals)
    return int(whole + decimals) * value.denominator == value.numerator * scale


def numbers_of(node: Node, literals: Sequence[Literal]) -> tuple[WrittenNumber, ...]:
    """Return the numbers of a side in their order, without their signs.

    >>> half = Literal(Fraction(1, 2), 0, 3, "1/2", parts=(Fraction(1), Fraction(2)))
    >>> numbers_of(("*", ("number", 0), ("name", "x")), [half])
    ((Fraction(1, 2), Fraction(1, 1), Fraction(2, 1)),)
    """
    if node[0] == "name":
        return ()
    if node[0] == "number":
        literal = literals[node[1]]
        return (tuple([-n if n.numerator < 0 else n for n in (literal.value, *(literal.parts or ()))]),)
    parts = [numbers_of(part, literals) for part in node[1:] if isinstance(part, tuple)]
    if node[0] == "/" and node[2][0] == "number" and _ends_in_number(node[1]):
        above, below = parts[0][-1][-1], parts[1][0][0]
        if below:
            return (*parts[0][:-1], (above / below, above, below))
    return tuple(number for part in parts for number in part)


def _ends_in_number(node: Node) -> bool:
    while node[0] in ("*", "/", "neg"):
        node = node[-1]
    return bool(node[0] == "number")
