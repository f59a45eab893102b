"""The question: what does each number of a calculation do there."""

from __future__ import annotations

from collections.abc import Sequence

from draw_dataset.core.quantities import Literal, Node, Source, is_bare, literals_of
from draw_dataset.core.quantities.expressions import as_written

ADDED = ("", "whole")
"""What is added, subtracted, or stands alone."""

_ITSELF = Source("constant").scale

MULTIPLIED = ("factor", "above", "divisor", "hundred")
"""What is multiplied or divided, or divides."""


def is_plain(source: Source) -> bool:
    """Say whether a source is a number, or a result, as it stands."""
    # Most have the scale that a source has by itself; one fraction compared with another takes long.
    return not source.inverse and (source.scale is _ITSELF or source.scale == 1) and not source.offset


def roles_of(node: Node, literals: Sequence[Literal]) -> list[tuple[int, str]]:
    """Return the literals of a calculation in their order, each with what it does there.

    ``whole``: a part is taken from it or added to it; ``hundred``: it is one, and a part is multiplied by it;
    ``above``: it is divided; ``factor``, ``divisor``; else it is added, or stands alone.
    """
    found: list[tuple[int, str]] = []
    todo: list[tuple[Node, str]] = [(node, "")]
    while todo:
        part, role = todo.pop()
        if part[0] == "number":
            found.append((part[1], role))
        elif part[0] in ("+", "-"):
            left, right = part[1], part[2]
            todo.append((right, "whole" if _is_part(left, literals) else ""))
            todo.append((left, "whole" if _is_part(right, literals) else ""))
        elif part[0] == "/":
            todo += [(part[2], "divisor"), (part[1], "above")]
        elif part[0] == "*":
            left, right = part[1], part[2]
            todo.append((right, "hundred" if _is_hundred(right, literals) and _is_part(left, literals) else "factor"))
            todo.append((left, "hundred" if _is_hundred(left, literals) and _is_part(right, literals) else "factor"))
        elif part[0] != "name":
            todo += [(inner, role) for inner in reversed(part[1:]) if isinstance(inner, tuple)]
    return found


def _is_hundred(node: Node, literals: Sequence[Literal]) -> bool:
    return is_bare(node) and literals[literals_of(node)[0]].value == 100


def _is_part(node: Node, literals: Sequence[Literal]) -> bool:
    """Say whether an expression is a part of a whole: a fraction or a percentage."""
    if is_bare(node) and literals[literals_of(node)[0]].percent:
        return True
    value = as_written(node, list(literals))
    return value is not None and value.denominator > 1 and 0 < abs(value) < 1
