"""Messages from the browser, read strictly: whatever it sends becomes a message or a clear refusal.

A message says which problem it is about and how many decisions its page had seen (`seen`). So a page that is out of
date, because something happened in another window or before the server was killed, decides nothing by mistake.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from draw_dataset.annotation.store.decision import read_seconds
from draw_dataset.core.problem import LONGEST_ID, is_problem_id
from draw_dataset.errors import AnnotationError, shown

NARROWEST, WIDEST, USUAL = 280, 900, 560
"""How wide a figure may be asked for, in pixels."""

LONGEST_STEP = 3600.0
"""The longest time in seconds that one decision may claim; pauses are not counted in it."""

_MAX_TEXT = 20_000
_MAX_NUMBERS = 200

DECISIONS = frozenset(
    {"choose", "same", "apart", "number", "edit", "restore", "flag", "skip", "submit", "reopen", "undo", "redo", "take"}
)
ASKED = DECISIONS | {"open", "next", "previous", "own"}


@dataclass(frozen=True, slots=True)
class Message:
    """A request of a page.

    Attributes:
        do: one of `ASKED`.
        problem: the problem, as `name_of` writes its id; None for the one to continue with.
        seen: how many decisions on it the page had seen.
        seconds: the time spent since the page was shown.
        width: the width available for a figure.
        literal: the value of the equations that is meant.
        numbers: numbers of the text by their rank from 1; 0 for a constant.
        text: a new text, the reason of a flag, or the value of a marked number.
        own: whether an adjudicator looks at their own work.
        which: an annotator, a change of the text, or a word of it, by its rank on the page from 0.
    """

    do: str
    problem: str | None = None
    seen: int | None = None
    seconds: float = 0.0
    width: int = USUAL
    literal: int = 0
    numbers: tuple[int, ...] = ()
    text: str = ""
    own: bool = False
    which: int = 0


def read_message(sent: object) -> Message:
    """Return the message in what a browser sent.

    >>> read_message({"do": "choose", "problem": "7", "seen": 0, "literal": 1, "number": 3}).numbers
    (3,)

    Raises:
        AnnotationError: it is not a message; says what is wrong with it.
    """
    if not isinstance(sent, Mapping):
        raise AnnotationError(f"message: expected an object, but got {shown(sent)}")
    do = sent.get("do")
    if not isinstance(do, str) or do not in ASKED:
        raise AnnotationError(f"message: expected one of {', '.join(sorted(ASKED))}, but got {shown(do)}")
    numbers = sent.get("numbers", [sent["number"]] if "number" in sent else [])
    if not isinstance(numbers, list) or len(numbers) > _MAX_NUMBERS:
        raise AnnotationError(f"message: expected a list of numbers, but got {shown(numbers)}")
    text = sent.get("text", "")
    if not isinstance(text, str) or len(text) > _MAX_TEXT:
        raise AnnotationError(f"message: expected a string of at most {_MAX_TEXT} characters, but got {shown(text)}")
    return Message(
        do=do,
        problem=_problem(sent.get("problem")),
        seen=None if sent.get("seen") is None else _whole(sent, "seen"),
        seconds=min(read_seconds(sent.get("seconds", 0), "message"), LONGEST_STEP),
        width=max(NARROWEST, min(WIDEST, _whole(sent, "width", USUAL))),
        literal=_whole(sent, "literal"),
        numbers=tuple(_whole({"number": number}, "number") for number in numbers),
        text=text,
        own=sent.get("own") is True,
        which=_whole(sent, "which"),
    )


def _whole(sent: Mapping[str, Any], name: str, usual: int = 0) -> int:
    value = sent.get(name, usual)
    # A value from an attribute of the page comes back as a string.
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19:
        value = int(value)
    if type(value) is not int or not 0 <= value < 1 << 62:
        raise AnnotationError(f"message: expected {name} to be a whole number from 0, but got {shown(sent.get(name))}")
    return value


def _problem(value: object) -> str | None:
    if value is None or value == "":
        return None
    if type(value) is int and is_problem_id(value):
        return str(value)
    if not isinstance(value, str) or len(value) > 8 * LONGEST_ID:
        raise AnnotationError(f"message: expected problem to be an id, but got {shown(value)}")
    return value
