"""Which key does what: one table that the buttons, the help and the script go by."""

from __future__ import annotations

from dataclasses import dataclass

_LETTERS = "acdghijklmqvwxyz"
"""Keys of the tenth number and those after it: the letters that are no command."""


@dataclass(frozen=True, slots=True)
class Key:
    """A command.

    Attributes:
        key: as the browser calls it.
        does: the command's name in messages.
        label: what its button says.
        help: what it does, in a sentence.
    """

    key: str
    does: str
    label: str
    help: str


SUBMIT = Key("Enter", "submit", "Submit and go on", "submit, and go on with the next problem")
MARK = Key("e", "mark", "Equivalents", "mark numbers that mean the same thing; again, or Esc, to end")
UNDO = Key("u", "undo", "Undo", "undo the last decision on this problem")
REDO = Key("r", "redo", "Redo", "do again what was undone")
SKIP = Key("s", "skip", "Skip", "put the problem off and go on with the next")
FLAG = Key("f", "flag", "Flag", "say that the problem is not fit to be annotated, and why")
EDIT = Key("t", "edit", "Edit text", "edit the text of the problem")
REOPEN = Key("o", "reopen", "Open again", "open a problem again that is submitted, flagged or skipped")
NEXT = Key("n", "next", "Next", "go to the next problem")
PREVIOUS = Key("p", "previous", "Previous", "go to the problem before")
HELP = Key("?", "help", "Keys", "show this help")
OWN = Key("o", "own", "Make my own", "decide yourself; what is settled is opened again")
COMPARE = Key("b", "open", "Back to both", "go back to what the annotators said")


def shortcut(index: int) -> str:
    """Return the key of a number by its rank in the text, or nothing if there are more numbers than keys.

    >>> shortcut(3), shortcut(10), shortcut(99)
    ('3', 'a', '')
    """
    if index < 10:
        return str(index)
    return _LETTERS[index - 10] if index - 10 < len(_LETTERS) else ""
