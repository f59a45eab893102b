"""Expressions of an answer as text: numbers of the problem written as q1, q2, …, everything else as it was written."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from draw_dataset.answers.setup import Worked
from draw_dataset.core.quantities import Node, Source

_SUM, _PRODUCT, _POWER, _ATOM = range(4)


def write_equation(sides: Sequence[Node], signs: Sequence[str], setup: Worked) -> str:
    """Return expressions that are said to be equal as one text."""
    written = write_node(sides[0], setup)
    for side, sign in zip(sides[1:], signs, strict=True):
        written += f" {'=' if sign == 'is' else sign} {write_node(side, setup)}"
    return written


def write_node(node: Node, setup: Worked) -> str:
    """Return an expression as text."""
    return _written(node, setup)[0]


def _written(node: Node, setup: Worked) -> tuple[str, int]:
    kind = node[0]
    if kind == "number":
        return _literal(node[1], setup)
    if kind == "name":
        return (node[1] if " " not in node[1] else "_".join(node[1].split())), _ATOM
    if kind == "neg":
        return f"-{_held(node[1], setup, _PRODUCT)}", _SUM
    if kind == "^":
        return f"{_held(node[1], setup, _ATOM)}^{node[2]}", _POWER
    if kind in "+-":
        return f"{_held(node[1], setup, _SUM)} {kind} {_held(node[2], setup, _PRODUCT)}", _SUM
    right = _held(node[2], setup, _POWER)
    return f"{_held(node[1], setup, _PRODUCT)}{kind}{right}", _PRODUCT


def _held(node: Node, setup: Worked, tightness: int) -> str:
    text, own = _written(node, setup)
    return text if own >= tightness else f"({text})"


def _literal(index: int, setup: Worked) -> tuple[str, int]:
    literal = setup.literals[index]
    source: Source = setup.sources[index][0]
    if source.kind == "text" and not source.offset:
        name = setup.labels[source.of]
        if source.inverse:
            return (f"{literal.parts[0]}/{name}" if literal.parts else f"1/{name}"), _PRODUCT
        if source.scale == 1:
            return name, _ATOM
        if source.scale == -1:
            return f"-{name}", _SUM
        scale = source.scale
        return (f"{scale}*{name}" if scale.denominator == 1 else f"{_decimal(scale)}*{name}"), _PRODUCT
    text = literal.text + ("%" if literal.percent else "")
    return text, _PRODUCT if "/" in text else _ATOM if not text.startswith("-") else _SUM


def _decimal(value: Fraction) -> str:
    text = f"{float(value):g}"
    return text if len(text) <= 6 else f"({value})"
