"""MAWPS as it was published with SVAMP: numbers are placeholders, and the equation is in prefix notation.

The text has ``number0``, ``number1`` …, whose values stand in ``Numbers``; the equation is ``- number0 * number1
number2``. Values are put in for the placeholders, and the equation is written in the usual way. The placeholders of the
equation say which numbers are meant. They do not tell numbers of equal value apart, the first of them stands for all;
so the other readings are listed as alternatives, and count with ``gold="any"``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from draw_dataset.sources.fields import Fields
from draw_dataset.sources.presets.preset import Preset
from draw_dataset.sources.record import Reason, Refusal, SourceProblem

_PLACEHOLDER = re.compile(r"\bnumber(\d{1,3})\b")
_SIGNS = frozenset("+-*/")
MAX_PARTS = 400
"""Signs and numbers of one equation."""


def adjusted(record: Mapping[str, Any], problem: SourceProblem) -> SourceProblem:
    """Return a problem with its numbers put in, and its equation in the usual notation.

    Raises:
        Refusal: a placeholder has no value, or the equation is none in prefix notation.
    """
    values = _values(record.get("Numbers"))
    question, starts = filled(problem.question, values)
    parts = (problem.equations or "").split()
    if len(parts) > MAX_PARTS:
        raise Refusal(Reason.TOO_LARGE, f"an equation of {len(parts)} parts")
    places: list[int | None] = []
    equation = infix(parts, values, starts, places)
    return replace(problem, question=question, equations=equation, places=tuple(places))


def _values(numbers: object) -> list[str]:
    if not isinstance(numbers, str):
        raise Refusal(Reason.MISSING, "Numbers")
    return [_shown(text) for text in numbers.split()]


def _shown(text: str) -> str:
    """Return a value as people write it: 56 for 56.0."""
    try:
        value = Fraction(text) if len(text) <= 40 else None
    except (ValueError, ZeroDivisionError):
        value = None
    if value is None:
        raise Refusal(Reason.BROKEN, f"Numbers: {text[:20]}")
    return str(value.numerator) if value.denominator == 1 else text


def filled(question: str, values: Sequence[str]) -> tuple[str, dict[int, int]]:
    """Return a text with values for its placeholders, and where the value of each begins.

    >>> filled("Bo had number0 pens and lost number1 .", ["12", "5"])
    ('Bo had 12 pens and lost 5 .', {0: 7, 1: 24})
    """
    starts: dict[int, int] = {}
    written, end = "", 0
    for match in _PLACEHOLDER.finditer(question):
        which = int(match.group(1))
        if which >= len(values):
            raise Refusal(Reason.BROKEN, f"{match.group()} has no value")
        written += question[end : match.start()]
        starts.setdefault(which, len(written))
        written += values[which]
        end = match.end()
    return written + question[end:], starts


def infix(parts: Sequence[str], values: Sequence[str], starts: Mapping[int, int], places: list[int | None]) -> str:
    """Return an equation in prefix notation in the usual one, and take down where its numbers stand.

    >>> places = []
    >>> infix(["-", "number0", "*", "2.0", "number1"], ["12", "5"], {0: 7, 1: 24}, places), places
    ('12 - (2 * 5)', [7, None, 24])
    """
    waiting: list[str] = []
    found: list[list[int | None]] = []
    for part in reversed(parts):
        if part in _SIGNS:
            if len(waiting) < 2:
                raise Refusal(Reason.UNREADABLE, "the equation is not in prefix notation")
            left, right = waiting.pop(), waiting.pop()
            waiting.append(f"({left} {part} {right})")
            found.append([*found.pop(), *found.pop()])
            continue
        match = _PLACEHOLDER.fullmatch(part)
        which = int(match.group(1)) if match else None
        if which is not None and which >= len(values):
            raise Refusal(Reason.BROKEN, f"{part} has no value")
        waiting.append(_shown(part) if which is None else values[which])
        found.append([None if which is None else starts.get(which)])
    if len(waiting) != 1:
        raise Refusal(Reason.UNREADABLE, "the equation is not in prefix notation")
    places += found[0]
    return waiting[0][1:-1] if waiting[0].startswith("(") else waiting[0]


PRESET = Preset(
    name="mawps",
    title="MAWPS (as published with SVAMP)",
    fields=Fields(question="Question", equations="Equation", answer="Answer", id="ID"),
    licence="MIT",
    adjust=adjusted,
    also=("Numbers",),
)
