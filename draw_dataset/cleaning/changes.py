"""Edits of a question that can be shown, replayed and undone one by one.

A change is a replacement at an offset into the text *as posted*; changes do not overlap. So the cleaned text is the
posted text with all changes applied, and undoing one of them, in any order, is applying the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from draw_dataset.errors import RowError, shown


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """One replacement.

    Attributes:
        start: the offset of its first character in the posted text.
        before: what stands there.
        after: what replaces it.
        kind: why: ``help``, ``thanks``, ``greeting``, ``textbook``, ``unit`` or ``blank``.
    """

    start: int
    before: str
    after: str
    kind: str

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Change:
        """Read it from plain data.

        Raises:
            RowError: a field is missing or of another type.
        """
        try:
            change = cls(data["start"], data["before"], data["after"], data["kind"])
        except (KeyError, TypeError) as error:
            raise RowError(f"change: expected start, before, after and kind, but got {shown(data)}") from error
        if type(change.start) is not int or not all(
            isinstance(text, str) for text in (change.before, change.after, change.kind)
        ):
            raise RowError(f"change: expected a whole number and three texts, but got {shown(data)}")
        return change


def apply_changes(posted: str, changes: Iterable[Change]) -> str:
    """Return the posted text with changes applied.

    >>> changes = [Change(4, "10ml", "10 ml", "unit"), Change(18, " Thanks!", "", "thanks")]
    >>> apply_changes("Add 10ml to 20 ml. Thanks!", changes)
    'Add 10 ml to 20 ml.'

    Raises:
        RowError: a change does not fit the text, or overlaps another.
    """
    pieces: list[str] = []
    position = 0
    for change in sorted(changes):
        end = change.start + len(change.before)
        if change.start < position or posted[change.start : end] != change.before:
            got = posted[change.start : end]
            raise RowError(f"change at {change.start}: expected {shown(change.before)}, but the text has {shown(got)}")
        pieces += posted[position : change.start], change.after
        position = end
    return "".join([*pieces, posted[position:]])


def undo(posted: str, changes: Sequence[Change], undone: Iterable[int]) -> tuple[str, tuple[Change, ...]]:
    """Return the text, and the changes left, once some changes are undone.

    Args:
        posted: the text as posted.
        changes: all changes applied to it.
        undone: the places in `changes` of those to undo.

    >>> undo("Add 10ml. Thanks!", [Change(4, "10ml", "10 ml", "unit"), Change(9, " Thanks!", "", "thanks")], [0])
    ('Add 10ml.', (Change(start=9, before=' Thanks!', after='', kind='thanks'),))
    """
    gone = set(undone)
    left = tuple(change for place, change in enumerate(changes) if place not in gone)
    return apply_changes(posted, left), left
