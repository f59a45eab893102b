"""What pages show around the work itself, as data: what happened last, how far one is, and the list of problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from draw_dataset.errors import DrawError

View = Literal["annotate", "adjudicate"]
"""The two pages."""


@dataclass(frozen=True, slots=True)
class Told:
    """What to tell about the last step.

    Attributes:
        text: what happened, or why it did not; may be empty.
        bad: whether the step was refused.
    """

    text: str = ""
    bad: bool = False

    @classmethod
    def refusal(cls, error: DrawError) -> Told:
        """Return why a step was refused."""
        return cls(f"Not saved: {error}", True)


@dataclass(frozen=True, slots=True)
class Bar:
    """What the bar on top shows.

    Attributes:
        name: the annotator.
        done: how many problems are done.
        total: how many there are to do.
        parts: the rest of what there is to say, as in ``2 skipped``.
        disputed: how many problems wait for an adjudicator.
        times: what is said about time besides the clock of the problem, as in ``median 0:42``.
    """

    name: str
    done: int
    total: int
    parts: tuple[str, ...]
    disputed: int
    times: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A problem in the list.

    Attributes:
        problem: its id.
        status: what became of it so far.
        text: how it begins.
        note: what is left to do, or what was done.
    """

    problem: int
    status: str
    text: str
    note: str


@dataclass(frozen=True, slots=True)
class Listing:
    """The list of problems, as far as it is shown.

    Attributes:
        title: what it is a list of.
        left: what is left, in words.
        entries: the problems around the current one.
        before: how many there are before those.
        behind: how many there are after them.
    """

    title: str
    left: str
    entries: tuple[Entry, ...]
    before: int = 0
    behind: int = 0
