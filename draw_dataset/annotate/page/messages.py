"""Messages of the browser, read strictly, and the data of the page around the work: bar, list, notice and keys.

A message says which problem it is about and how many decisions its page had seen (`seen`). So a page that is out of
date, because something happened in another window or before the server was killed, decides nothing by mistake.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from draw_dataset.annotate.decisions import read_seconds
from draw_dataset.derivation.problem import LONGEST_ID, ProblemId, is_problem_id
from draw_dataset.errors import AnnotationError, DrawError, short_repr

NARROWEST, WIDEST, USUAL = 280, 900, 560  # widths of a figure, in pixels
LONGEST_STEP = 3600.0  # seconds that one decision may claim; pauses are not counted in it
_MAX_TEXT = 20_000
_MAX_NUMBERS = 200

DECISIONS = frozenset(
    {
        *("choose", "same", "apart", "number", "asked", "role", "derivation", "edit", "restore", "flag", "skip"),
        *("submit", "reopen", "undo", "redo", "take"),
    }
)
ASKED = DECISIONS | {"open", "next", "previous", "own"}


@dataclass(frozen=True, slots=True)
class Message:
    """A request of a page."""

    do: str  # one of `ASKED`
    problem: str | None = None  # as `name_of` writes its id; None for the one to continue with
    seen: int | None = None  # how many decisions on it the page had seen
    seconds: float = 0.0  # since the page was shown
    width: int = USUAL  # the width available for a figure
    literal: int = 0  # the value of the equations that is meant
    numbers: tuple[int, ...] = ()  # numbers of the text by their rank from 1; 0 for a constant
    text: str = ""  # a new text, the reason of a flag, the value of a marked number, a role, or a derivation
    texts: tuple[str, ...] | None = None  # the expressions that the question asks for; None for no answer
    unknown: str = ""  # the unknown that a role is of
    own: bool = False  # an adjudicator looks at their own work
    guesses: bool = False  # the figure shows guesses for open values
    which: int = 0  # an annotator, a change of the text, or a word of it, by its rank on the page from 0


def read_message(sent: object) -> Message:
    """Return a browser's message.

    >>> read_message({"do": "choose", "problem": "7", "seen": 0, "literal": 1, "number": 3}).numbers
    (3,)
    """
    if not isinstance(sent, Mapping):
        raise AnnotationError(f"message: expected an object, but got {short_repr(sent)}")
    do = sent.get("do")
    if not isinstance(do, str) or do not in ASKED:
        raise AnnotationError(f"message: expected one of {', '.join(sorted(ASKED))}, but got {short_repr(do)}")
    numbers = sent.get("numbers", [sent["number"]] if "number" in sent else [])
    if not isinstance(numbers, list) or len(numbers) > _MAX_NUMBERS:
        raise AnnotationError(f"message: expected a list of numbers, but got {short_repr(numbers)}")
    text = sent.get("text", "")
    if not isinstance(text, str) or len(text) > _MAX_TEXT:
        raise AnnotationError(
            f"message: expected a string of at most {_MAX_TEXT} characters, but got {short_repr(text)}"
        )
    texts = sent.get("texts")
    if texts is not None and not (
        isinstance(texts, list)
        and len(texts) <= _MAX_NUMBERS
        and all(type(t) is str and len(t) <= _MAX_TEXT for t in texts)
    ):
        raise AnnotationError(f"message: expected a list of expressions, but got {short_repr(texts)}")
    unknown = sent.get("unknown", "")
    if not isinstance(unknown, str):
        raise AnnotationError(f"message: expected an unknown, but got {short_repr(unknown)}")
    return Message(
        do=do,
        problem=_problem(sent.get("problem")),
        seen=None if sent.get("seen") is None else _whole(sent, "seen"),
        seconds=min(read_seconds(sent.get("seconds", 0), "message"), LONGEST_STEP),
        width=max(NARROWEST, min(WIDEST, _whole(sent, "width", USUAL))),
        literal=_whole(sent, "literal"),
        numbers=tuple(_whole({"number": number}, "number") for number in numbers),
        text=text,
        texts=None if texts is None else tuple(text.strip() for text in texts),
        unknown=unknown,
        own=sent.get("own") is True,
        guesses=sent.get("guesses") is True,
        which=_whole(sent, "which"),
    )


def _whole(sent: Mapping[str, Any], name: str, usual: int = 0) -> int:
    value = sent.get(name, usual)
    # A value from an attribute of the page comes back as a string.
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19:
        value = int(value)
    if type(value) is not int or not 0 <= value < 1 << 62:
        raise AnnotationError(
            f"message: expected {name} to be a whole number from 0, but got {short_repr(sent.get(name))}"
        )
    return value


def _problem(value: object) -> str | None:
    if value is None or value == "":
        return None
    if type(value) is int and is_problem_id(value):
        return str(value)
    if not isinstance(value, str) or len(value) > 8 * LONGEST_ID:
        raise AnnotationError(f"message: expected problem to be an id, but got {short_repr(value)}")
    return value


View = Literal["annotate", "adjudicate"]

_NEIGHBOURS = 3
_SHOWN = 9

_LETTERS = "acdghijklmqvxyz"  # keys for the tenth number and later ones: the letters that are not commands


@dataclass(frozen=True, slots=True)
class Notice:
    """The message about the last step."""

    text: str = ""
    bad: bool = False  # the step was refused

    @classmethod
    def refusal(cls, error: DrawError) -> Notice:
        """Return the notice about a refused step."""
        return cls(f"Not saved: {error}", True)

    @classmethod
    def complaint(cls, error: DrawError) -> Notice:
        """Return the notice about a request that nothing was to be saved of."""
        return cls(f"{str(error)[:1].upper()}{str(error)[1:]}.", True)


@dataclass(frozen=True, slots=True)
class Bar:
    """The content of the bar on top."""

    name: str  # of the annotator
    done: int = 0
    total: int = 0
    parts: tuple[str, ...] = ()  # further facts, such as ``2 skipped``
    disputed: int = 0  # problems that wait for an adjudicator
    times: str = ""  # next to the clock of the problem, such as ``median 0:42``; empty if no time was taken


@dataclass(frozen=True, slots=True)
class ListEntry:
    """A problem in the list."""

    problem: ProblemId
    status: str
    text: str  # its first words
    note: str  # what is left to do, or what was done


@dataclass(frozen=True, slots=True)
class Listing:
    """The part of the list of problems that is shown."""

    title: str
    left: str  # what is left, in words
    entries: tuple[ListEntry, ...]  # the problems around the current one
    before: str = ""  # the number of problems before those, in words
    after: str = ""


def window(problems: Sequence[ProblemId], current: ProblemId | None) -> range:
    """Return the part of a long list that is shown.

    >>> window(range(100, 150), 130), window([7, 8], None)
    (range(27, 36), range(0, 2))
    """
    at = problems.index(current) if current in problems else 0
    first = max(0, min(at - _NEIGHBOURS, len(problems) - _SHOWN))
    return range(first, min(first + _SHOWN, len(problems)))


def time_text(seconds: float) -> str:
    """Return a time as minutes and seconds: 75.4 is ``1:15``."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


@dataclass(frozen=True, slots=True)
class Key:
    """A command."""

    key: str  # as the browser calls it
    does: str  # its name in messages
    label: str = ""
    help: str = ""

    @property
    def shown(self) -> str:
        """The text on its button."""
        return "↵" if self.key == "Enter" else self.key


KEYS = {
    "SUBMIT": Key("Enter", "submit", "Submit, next", "submit, and show the next problem"),
    "MARK": Key("e", "mark", "Equivalents", "mark numbers that give the same quantity twice; e or Esc ends"),
    "NUMBER": Key("w", "number", "Mark a number", "mark a word as a number that was not found, such as gross"),
    "DERIVATION": Key("D", "derivation", "Own equations", "write the derivation yourself, if the equations are wrong"),
    "UNDO": Key("u", "undo", "Undo", "undo the last decision on this problem"),
    "REDO": Key("r", "redo", "Redo", "redo what was undone"),
    "SKIP": Key("s", "skip", "Skip", "leave the problem for later, and show the next"),
    "FLAG": Key("f", "flag", "Flag", "say that the problem cannot be annotated, and why"),
    "EDIT": Key("t", "edit", "Edit text", "edit the text of the problem"),
    "REOPEN": Key("o", "reopen", "Open again", "reopen a problem that is submitted, flagged or skipped"),
    "NEXT": Key("n", "next", "Next", "go to the next problem"),
    "PREVIOUS": Key("p", "previous", "Previous", "go to the problem before"),
    "GUESSES": Key("G", "guesses", "Guesses", "show guesses for open values in the figure, or hide them again"),
    "HELP": Key("?", "help", "Keys", "show this help"),
    "OWN": Key("o", "own", "Make my own", "decide yourself; a settled problem is opened again"),
    "COMPARE": Key("b", "open", "Back to both", "go back to what the annotators said"),
}
"""The commands by their names in templates."""


# Keys of the unknowns, in their order: capital letters, because the small ones choose numbers.
ROLE_KEYS = "MNO"
ASKED_KEYS = "XYZ"
EXPRESSION_KEY, NOTHING_KEY = "A", "Q"


def shortcut(index: int) -> str:
    """Return the key of a number by its rank in the text, or nothing if there are more numbers than keys.

    >>> shortcut(3), shortcut(10), shortcut(99)
    ('3', 'a', '')
    """
    if index < 10:
        return str(index)
    return _LETTERS[index - 10] if index - 10 < len(_LETTERS) else ""
