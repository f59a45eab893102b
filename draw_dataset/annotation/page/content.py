"""The parts of a page around the work itself, as data: the last notice, the progress, the list of problems, the keys.

One table of keys serves the buttons, the help and the script.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from draw_dataset.core.problem import ProblemId
from draw_dataset.errors import DrawError

View = Literal["annotate", "adjudicate"]
"""The two pages."""

_NEIGHBOURS = 3
_SHOWN = 9

_LETTERS = "acdghijklmqvxyz"
"""The keys for the tenth number and later ones: the letters that are not commands."""


@dataclass(frozen=True, slots=True)
class Notice:
    """The message about the last step.

    Attributes:
        text: what happened, or why it did not; may be empty.
        bad: whether the step was refused.
    """

    text: str = ""
    bad: bool = False

    @classmethod
    def refusal(cls, error: DrawError) -> Notice:
        """Return why a step was refused."""
        return cls(f"Not saved: {error}", True)


@dataclass(frozen=True, slots=True)
class Bar:
    """The content of the bar on top.

    Attributes:
        name: the annotator.
        done: how many problems are done.
        total: how many there are to do.
        parts: further facts, such as ``2 skipped``.
        disputed: how many problems wait for an adjudicator.
        times: what is said about time next to the clock of the problem, such as ``median 0:42``.
    """

    name: str
    done: int = 0
    total: int = 0
    parts: tuple[str, ...] = ()
    disputed: int = 0
    times: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A problem in the list.

    Attributes:
        problem: its id.
        status: its status so far.
        text: its first words.
        note: what is left to do, or what was done.
    """

    problem: ProblemId
    status: str
    text: str
    note: str


@dataclass(frozen=True, slots=True)
class Listing:
    """The part of the list of problems that is shown.

    Attributes:
        title: the title of the list.
        left: what is left, in words.
        entries: the problems around the current one.
        before: how many there are before those, in words; empty if none.
        after: how many there are after them.
    """

    title: str
    left: str
    entries: tuple[Entry, ...]
    before: str = ""
    after: str = ""


def window(problems: Sequence[ProblemId], current: ProblemId | None) -> range:
    """Return which part of a long list is shown.

    >>> window(range(100, 150), 130), window([7, 8], None)
    (range(27, 36), range(0, 2))
    """
    at = problems.index(current) if current in problems else 0
    first = max(0, min(at - _NEIGHBOURS, len(problems) - _SHOWN))
    return range(first, min(first + _SHOWN, len(problems)))


def time_text(seconds: float) -> str:
    """Return a time as minutes and seconds.

    >>> time_text(75.4)
    '1:15'
    """
    whole = int(seconds)
    return f"{whole // 60}:{whole % 60:02d}"


@dataclass(frozen=True, slots=True)
class Key:
    """A command.

    Attributes:
        key: the key, as the browser calls it.
        does: the command's name in messages.
        label: the text on its button.
        help: what it does, in a sentence.
    """

    key: str
    does: str
    label: str = ""
    help: str = ""

    @property
    def shown(self) -> str:
        """The text on its button."""
        return "↵" if self.key == "Enter" else self.key


KEYS = {
    "SUBMIT": Key("Enter", "submit", "Submit, next", "submit, and show the next problem"),
    "MARK": Key("e", "mark", "Equivalents", "mark numbers that give the same quantity twice; e or Esc ends"),
    "NUMBER": Key("w", "number", "Mark a number", "mark a word as a number that was not found, such as dozen"),
    "UNDO": Key("u", "undo", "Undo", "undo the last decision on this problem"),
    "REDO": Key("r", "redo", "Redo", "redo what was undone"),
    "SKIP": Key("s", "skip", "Skip", "leave the problem for later, and show the next"),
    "FLAG": Key("f", "flag", "Flag", "say that the problem cannot be annotated, and why"),
    "EDIT": Key("t", "edit", "Edit text", "edit the text of the problem"),
    "REOPEN": Key("o", "reopen", "Open again", "reopen a problem that is submitted, flagged or skipped"),
    "NEXT": Key("n", "next", "Next", "go to the next problem"),
    "PREVIOUS": Key("p", "previous", "Previous", "go to the problem before"),
    "HELP": Key("?", "help", "Keys", "show this help"),
    "OWN": Key("o", "own", "Make my own", "decide yourself; a settled problem is opened again"),
    "COMPARE": Key("b", "open", "Back to both", "go back to what the annotators said"),
}
"""The commands by their names in templates."""


def shortcut(index: int) -> str:
    """Return the key of a number by its rank in the text, or nothing if there are more numbers than keys.

    >>> shortcut(3), shortcut(10), shortcut(99)
    ('3', 'a', '')
    """
    if index < 10:
        return str(index)
    return _LETTERS[index - 10] if index - 10 < len(_LETTERS) else ""
