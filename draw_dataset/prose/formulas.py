"""Formulas between three braces, ``{{{ … }}}``, as plain text.

algebra.com writes and draws formulas like this. Marks that only change the look (``highlight(…)``, colours, empty
quotes between pieces) are dropped. ``system(a=b, c=d)`` and the rows of ``matrix(…)`` become equations separated by
``;``. A subscript ``d[1]`` becomes the name ``d1``, and a mixed number ``4&2/3`` is written with a blank. A crossed-out
factor, a drawing or a radical cannot be read as plain arithmetic: a word replaces it, so that no equation is read
across it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

CROSSED = "crossedout"
"""The word that replaces a crossed-out factor."""

MAX_FORMULA = 2_000
"""How many characters a formula may have."""

MAX_CALLS = 20
"""How many calls of one function a formula may have."""

_FORMULA = re.compile(r"\{\{\{(.*?)\}\}\}", re.DOTALL)
_LOOKS = re.compile(r"\b(?:highlight\w*|red|green|blue|black|brown|orange|purple|pink|large|small)\s*\(", re.IGNORECASE)
_CROSS = re.compile(r"\bcross\s*\(", re.IGNORECASE)
_DRAWING = re.compile(r"\b(?:graph|drawing|number_line|plot|circle|line|locate)\s*\(", re.IGNORECASE)
_SYSTEM = re.compile(r"\bsystem\s*\(", re.IGNORECASE)
_MATRIX = re.compile(r"\bmatrix\s*\(", re.IGNORECASE)
_CALL = re.compile(r"\w\w\s*\(")
"""Stands in every formula with a call."""
_SUBSCRIPT = re.compile(r"(?<![A-Za-z])([A-Za-z])\[\s*(\w{1,4})\s*\]")
_MIXED = re.compile(r"(?<![\d.])(\d+)\s*&\s*(\d+\s*/\s*\d+)")
_TIGHT_BEFORE, _TIGHT_AFTER = ("*", "/", ")"), ("*", "/", "^", "(")


def plain_formulas(text: str) -> str:
    """Return a text with every formula written as plain text.

    >>> plain_formulas('{{{1/5}}}{{{""+""}}}{{{1/x}}} = {{{highlight(4&2/3)}}}').split()
    ['1/5', '+', '1/x', '=', '4', '2/3']
    >>> plain_formulas("{{{system(x+y=10, d[1]=2y)}}}").strip()
    'x+y=10 ; d1=2y'
    """
    pieces: list[str] = []
    position = 0
    # Up to the last end of a formula: after it, searching the end of each beginning would be useless.
    for match in _FORMULA.finditer(text, 0, text.rfind("}}}") + 3):
        between = text[position : match.start()]
        formula = plain_formula(match.group(1))
        after = text[match.end() : match.end() + 1]
        if pieces and "=" in formula and not between.strip(" ") and "=" in pieces[-1]:
            between = " ; "  # two equations side by side
        before = (pieces[-1] + between)[-1:] if pieces else between[-1:]
        if _is_sum(formula) and (
            before in _TIGHT_BEFORE or after in _TIGHT_AFTER or before.isalnum() or after.isalnum()
        ):
            formula = f"{CROSSED} {formula} {CROSSED}"  # it is unclear what belongs to the factor next to it
        pieces += between, f" {formula} "
        position = match.end()
    return "".join([*pieces, text[position:]])


def _is_sum(formula: str) -> bool:
    """Say whether a formula, no equation, has a plus or minus outside of brackets."""
    depth = 0
    for position, sign in enumerate(formula):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(sign, 0)
        if sign in "+-" and depth == 0 and formula[:position].strip(" +-"):
            return "=" not in formula and bool(formula[position + 1 :].strip())
    return False


def plain_formula(formula: str) -> str:
    """Return what stands between the braces as plain text; a word in its place if there is too much of it."""
    if len(formula) > MAX_FORMULA:
        return CROSSED
    text = formula
    if _CALL.search(formula):
        if any(len(name.findall(formula)) > MAX_CALLS for name in (_DRAWING, _CROSS, _LOOKS, _SYSTEM, _MATRIX)):
            return CROSSED
        text = _replace_calls(text, _DRAWING, lambda _: " ")
        text = _replace_calls(text, _CROSS, lambda _: f" {CROSSED} ")
        text = _replace_calls(text, _LOOKS, lambda inner: inner)
        text = _replace_calls(text, _SYSTEM, lambda inner: " ; ".join(part.strip() for part in _split(inner)))
        text = _replace_calls(text, _MATRIX, _matrix_rows)
    text = text.replace('"', " ")
    text = _SUBSCRIPT.sub(lambda m: m.group(1) + ("" if m.group(2).isdigit() else "_") + m.group(2), text)
    return _MIXED.sub(r" \1 \2", text).strip()


def _replace_calls(text: str, name: re.Pattern[str], replace: Callable[[str], str]) -> str:
    """Replace each call of a function by what a function makes of its argument."""
    position = 0
    while (match := name.search(text, position)) is not None:
        end = _closing(text, match.end())
        new = replace(text[match.end() : end])
        text = text[: match.start()] + new + text[end + 1 :]
        position = match.start()  # calls may be nested
    return text


def _closing(text: str, start: int) -> int:
    """Return where the bracket opened before `start` closes; the end of the text if it does not."""
    depth = 1
    for position in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if depth == 0:
            return position
    return len(text)


def _split(text: str) -> list[str]:
    """Cut at the commas that stand in no bracket."""
    parts, depth, start = [], 0, 0
    for position, sign in enumerate(text):
        if sign in "([":
            depth += 1
        elif sign in ")]":
            depth -= 1
        elif sign == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]]


def _matrix_rows(inner: str) -> str:
    entries = [entry.strip().strip('"').strip() for entry in _split(inner)]
    if len(entries) < 3 or not (entries[0].isdigit() and entries[1].isdigit()) or not int(entries[1]):
        return f" {CROSSED} "
    columns, cells = int(entries[1]), entries[2:]
    return " ; ".join(" ".join(cells[start : start + columns]) for start in range(0, len(cells), columns))
