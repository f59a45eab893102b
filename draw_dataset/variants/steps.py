"""Derivations that differ from gold in one step.

In a step one operation is replaced (a sum for a difference, a product for a quotient), the two sides of a difference or
a quotient are exchanged, or a number is left out. The resulting template need not occur in any annotated data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from draw_dataset.core.template import Template
from draw_dataset.errors import DrawError
from draw_dataset.variants.rivals import Rival

_TOKEN = re.compile(r"\d+\.?\d*|\.\d+|\w+|\S")
_OTHER = {"+": "-", "-": "+", "*": "/", "/": "*"}
_MOST = 400


def one_step_rivals(gold: Rival) -> list[Rival]:
    """Return the derivations that differ from gold in one step, none twice.

    >>> found = one_step_rivals(Rival(Template("m = a + b"), (0, 1)))
    >>> [str(rival.template) for rival in found]
    ['m = a - b', 'm = b - a', 'm = a', 'm = b']
    """
    column = dict(zip(gold.template.slots, gold.columns, strict=True))
    return [Rival(t, tuple([column[slot] for slot in t.slots]), steps=2) for t in _one_step_templates(gold.template)]


@lru_cache(maxsize=1 << 10)  # most problems share their templates
def _one_step_templates(template: Template) -> tuple[Template, ...]:
    unknowns = frozenset(template.unknowns)
    found: dict[str, Template] = {}
    for text in _changed(_TOKEN.findall(str(template))):
        if len(found) >= _MOST:
            break
        try:
            other = Template(text, unknowns=unknowns)
        except DrawError:
            continue  # not linear, or no equation any more
        if set(other.unknowns) == unknowns and text != str(template):
            found.setdefault(text, other)
    return tuple(found.values())


def _changed(tokens: list[str]) -> Iterator[str]:
    for at, token in enumerate(tokens):
        if token in _OTHER and _joins(tokens, at):
            yield _written([*tokens[:at], _OTHER[token], *tokens[at + 1 :]])
            if token in "-/" or (token == "+" and len(tokens) > at + 1):
                left, right = _operand_before(tokens, at), _operand_after(tokens, at)
                if left is not None and right is not None:
                    sign = "-" if token == "+" else token
                    yield _written([*tokens[:left], *tokens[at + 1 : right], sign, *tokens[left:at], *tokens[right:]])
    for at, token in enumerate(tokens):
        if token in _OTHER and _joins(tokens, at):
            left, right = _operand_before(tokens, at), _operand_after(tokens, at)
            if right is not None:
                yield _written([*tokens[:at], *tokens[right:]])
            if left is not None and token in "+*":
                yield _written([*tokens[:left], *tokens[at + 1 :]])


def _joins(tokens: list[str], at: int) -> bool:
    """Say whether a sign stands between two operands, and is not the sign of one."""
    return at > 0 and (tokens[at - 1][0].isalnum() or tokens[at - 1][0] == "." or tokens[at - 1] == ")")


def _operand_before(tokens: list[str], at: int) -> int | None:
    """Return where the operand before a sign begins: all factors of a term for a sum, one factor for a product."""
    place, depth = at - 1, 0
    weaker = "+-=;" if tokens[at] in "+-" else "+-*/=;"
    while place >= 0:
        if tokens[place] == ")":
            depth += 1
        elif tokens[place] == "(":
            if not depth:
                break
            depth -= 1
        elif not depth and tokens[place] in weaker:
            break
        place -= 1
    return place + 1 if place + 1 < at else None


def _operand_after(tokens: list[str], at: int) -> int | None:
    place, depth = at + 1, 0
    weaker = "+-=;" if tokens[at] in "+-" else "+-*/=;"
    while place < len(tokens):
        if tokens[place] == "(":
            depth += 1
        elif tokens[place] == ")":
            if not depth:
                break
            depth -= 1
        elif not depth and tokens[place] in weaker and place > at + 1:
            break
        place += 1
    return place if place > at + 1 else None


def _written(tokens: list[str]) -> str:
    return " ".join(tokens).replace(" ;", ";")
