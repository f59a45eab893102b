"""The question: how is one side of an equation written so that the core reads it, and which numbers does it have.

A percentage becomes ``(0.01*8)``, ``4 2/3`` a sum in brackets; everything else is written as it stands, with the signs
of its products. Brackets stand where they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from draw_dataset.core.quantities import Literal, Node

WrittenNumber = tuple[Fraction, ...]
"""A number written in an equation; of a quotient of two numbers its value, the number above and the number below."""

_SUM, _PRODUCT, _POWER, _ATOM = range(4)


def write_side(node: Node, literals: Sequence[Literal], name: Callable[[str], str] = str) -> str:
    """Return one side as the core reads it.

    Args:
        node: the expression.
        literals: its numbers.
        name: how names are written.
    """
    return _written(node, literals, name)[0]


def _written(node: Node, literals: Sequence[Literal], name: Callable[[str], str]) -> tuple[str, int]:
    def held(part: Node, tightness: int) -> str:
        text, own = _written(part, literals, name)
        return text if own >= tightness else f"({text})"

    kind = node[0]
    if kind == "number":
        return _number(literals[node[1]])
    if kind == "name":
        return name(node[1]), _ATOM
    if kind == "neg":
        return f"-{held(node[1], _PRODUCT)}", _SUM
    if kind == "^":
        return f"{held(node[1], _ATOM)}^{node[2]}", _POWER
    if kind in "+-":
        right = held(node[2], _PRODUCT)
        return f"{held(node[1], _SUM)} {kind} {f'({right})' if right.startswith('-') else right}", _SUM
    return f"{held(node[1], _PRODUCT)}{kind}{held(node[2], _POWER)}", _PRODUCT


def _number(literal: Literal) -> tuple[str, int]:
    text = literal.text.removeprefix("-")
    sign = "-" if text != literal.text else ""
    tightness = _ATOM
    if literal.percent:
        text = f"(0.01*{text})"
    elif " " in text:
        text = f"({text.replace(' ', '+')})"
    elif literal.parts is not None:
        tightness = _PRODUCT
    elif Fraction(text.replace(",", "")) != abs(literal.value):
        text = str(abs(literal.value))  # 2 million
    return (f"-{text}", min(tightness, _PRODUCT)) if sign else (text, tightness)


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
        return (tuple(map(abs, (literal.value, *(literal.parts or ())))),)
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
