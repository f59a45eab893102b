"""Text from data, made safe to show: it cannot control a terminal or break a drawing, and its length is limited."""

from __future__ import annotations

import json
import unicodedata
from fractions import Fraction
from typing import Any

from draw_dataset.errors import shown

MAX_RAW = 300
"""How many characters of a raw prediction are shown."""


def raw_text(given: Any, limit: int = MAX_RAW) -> str:
    """Return a prediction as it was given, on one line; the beginning of one that cannot be written."""
    if given is None:
        return ""
    try:
        text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, default=shown)
    except (ValueError, TypeError, RecursionError):  # too deep, a circle, an integer too long, keys that are no texts
        text = shown(given)
    return printable(clipped(" ".join(clipped(text, 4 * limit).split()), limit))


def number_text(value: float | Fraction, digits: int = 10) -> str:
    """Return a number for a person to read, whatever its size.

    >>> number_text(2.5), number_text(Fraction(1, 3)), number_text(Fraction(10**400))
    ('2.5', '0.3333333333', '<an integer of 1329 bits>')
    """
    try:
        return f"{float(value):.{digits}g}"
    except OverflowError:
        return shown(round(value))


def clipped(text: str, limit: int) -> str:
    """Return the text, or its beginning with an ellipsis."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + "…"


def printable(text: str) -> str:
    r"""Return the text without what a terminal would obey, XML forbids or UTF-8 lacks.

    >>> printable("a\x1b[31mb\tc")
    'a�[31mb c'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character.isspace():
        return " "
    # Controls, format characters such as those that turn the direction of writing, surrogates, unassigned ones.
    return "\ufffd" if unicodedata.category(character)[0] == "C" else character
