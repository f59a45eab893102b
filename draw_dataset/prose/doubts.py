"""Doubts: what in a run of tokens makes it unclear how an equation is meant, or whether it is one.

If it cannot be decided, it is a problem, such as an x that may be a times sign, or cents and dollars in one equation.
If it can be decided, but not with certainty, it is a doubt, such as a zero that was typed as an o.
"""

from __future__ import annotations

from collections.abc import Sequence

from draw_dataset.core.quantities import Literal, Node, literals_of
from draw_dataset.prose.tokens import Sort, Token
from draw_dataset.prose.vocabulary import UNIT_LETTERS, UNITS

OPENING, CLOSING = ("(", "["), (")", "]")


def is_unit(token: Token) -> bool:
    """Say whether a token is a unit."""
    return token.sort is Sort.WORD and (token.text in UNITS or token.text in UNIT_LETTERS)


def is_whole(run: Sequence[Token], sides: Sequence[Node], literals: Sequence[Literal]) -> bool:
    """Say whether the sides that were read have every number and every name of a run."""
    spans = [(literals[index].start, literals[index].end) for side in sides for index in literals_of(side)]
    names = sum(map(_count_names, sides))
    for place, token in enumerate(run):
        before = run[place - 1]
        if token.sort is Sort.NAME:
            names -= not (before.text == "/" and place > 1 and is_unit(run[place - 2]))  # the h of km/h
        elif token.sort is Sort.NUMBER and before.text != "^" and not any(a <= token.start < b for a, b in spans):
            return False
    return names == 0


def _count_names(node: Node) -> int:
    if node[0] in ("name", "number"):
        return int(node[0] == "name")
    return sum(_count_names(part) for part in node[1:] if isinstance(part, tuple))


def problem_of(text: str, run: Sequence[Token]) -> str:
    """Return what in a run cannot be decided; empty if everything can."""
    last = len(run) - 1
    for place, token in enumerate(run):
        if token.sort is Sort.PERCENT and place > 1 and run[place - 2].text in ("/", "^"):
            return "a percent sign follows a quotient"  # 1/2% is not one over 2%
        if token.text == "±":
            return "there are two signs in one place"
        if (
            0 < place < last
            and text[token.start : token.end] in ("x", "X")
            and _may_be_times(*run[place - 1 : place + 2])
        ):
            return "an x may be a times sign"
    return ""


def _may_be_times(before: Token, token: Token, after: Token) -> bool:
    """Say whether an x may be a times sign or an unknown, as in 3 x (4 + y)."""
    factor = before.sort in (Sort.NUMBER, Sort.PERCENT) or before.text in CLOSING or is_unit(before)
    if factor and after.sort in (Sort.NUMBER, Sort.CURRENCY):
        return token.glued and after.glued  # 3x4 may be a name with an index
    if before.sort is Sort.NAME and not token.glued and after.sort is Sort.NUMBER:
        return True
    return factor and not token.glued and not after.glued and (after.text in OPENING or after.sort is Sort.NAME)


def unclear(text: str, run: Sequence[Token]) -> str:
    """Return why the reading of a run is not certain; empty if it is."""
    for place, token in enumerate(run):
        written = text[token.start : token.end]
        if token.sort is Sort.NUMBER and not written.startswith(token.text):
            return f"{written} was read as a number"
        if token.sort is Sort.WORD and token.text in UNIT_LETTERS:
            return f"{token.text} was read as a unit"
        if token.text == "of" and run[place - 1].sort is not Sort.PERCENT:
            return "'of' was read as a product"
        if (token.sort is Sort.NAME or token.text in OPENING) and _follows_divisor(run, place):
            return "a factor follows a divisor"
    return ""


def _follows_divisor(run: Sequence[Token], place: int) -> bool:
    """Say whether a factor follows a divisor without a sign: 1/2x is half of x, 12/2x may be either."""
    if place < 2 or run[place - 2].text != "/" or run[place - 1].sort not in (Sort.NUMBER, Sort.NAME):
        return False
    above, below = run[place - 3].value if place > 2 else None, run[place - 1].value
    return above is None or below is None or above >= below


def mixed_units(run: Sequence[Token]) -> str:
    """Say whether a run has units of different size: cents and dollars must not be dropped both."""
    used: dict[str, set[str]] = {}
    for place, token in enumerate(run):
        if token.sort is Sort.CURRENCY:
            used.setdefault("money", set()).add("dollar")
        elif is_unit(token):
            before, after = run[place - 1] if place else None, run[place + 1 : place + 3]
            # A rate such as miles/hour is not a size of its family, and neither is cm^2.
            rate = len(after) == 2 and after[0].text in ("/", "^") and after[1].glued
            if not rate and not (before is not None and before.text == "/" and token.glued):
                family, unit = UNITS[token.text] if token.text in UNITS else UNIT_LETTERS[token.text]
                used.setdefault(family, set()).add(unit)
    mixed = next((units for units in used.values() if len(units) > 1), None)
    return f"units: {' and '.join(sorted(mixed))} in one equation" if mixed else ""
