"""Edits of a text: apply and undo logged changes, and carry the numbers of a text over an edit.

A change is a replacement at an offset into the text *as posted*; changes do not overlap. If the text was also edited in
another way, a change can only be undone if its new words stand in exactly one place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import Any

from draw_dataset.derivation.derivation import Place, TextNumber
from draw_dataset.errors import RowError, short_repr
from draw_dataset.text.tokens import tokenize

MOST_CHANGES = 60  #: changes of one text that can be undone


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """One replacement."""

    start: int  # the offset of its first character in the posted text
    before: str
    after: str
    kind: str  # the reason, such as unit or thanks

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Change:
        """Read it from plain data."""
        try:
            change = cls(data["start"], data["before"], data["after"], data["kind"])
        except (KeyError, TypeError) as error:
            raise RowError(f"change: expected start, before, after and kind, but got {short_repr(data)}") from error
        if type(change.start) is not int or not all(
            isinstance(text, str) for text in (change.before, change.after, change.kind)
        ):
            raise RowError(f"change: expected a whole number and three strings, but got {short_repr(data)}")
        return change


def apply_changes(posted: str, changes: Iterable[Change]) -> str:
    """Return the posted text with changes applied.

    >>> changes = [Change(4, "10ml", "10 ml", "unit"), Change(18, " Thanks!", "", "thanks")]
    >>> apply_changes("Add 10ml to 20 ml. Thanks!", changes)
    'Add 10 ml to 20 ml.'
    """
    pieces: list[str] = []
    position = 0
    for change in sorted(changes):
        end = change.start + len(change.before)
        if change.start < position or posted[change.start : end] != change.before:
            got = posted[change.start : end]
            raise RowError(
                f"change at {change.start}: expected {short_repr(change.before)}, but the text has {short_repr(got)}"
            )
        pieces += posted[position : change.start], change.after
        position = end
    return "".join([*pieces, posted[position:]])


@dataclass(frozen=True, slots=True)
class ChangeOption:
    """A change that a person may undo, or make again."""

    change: Change
    made: bool  # whether it is in the text now
    other: str | None  # the text with the change undone, or made again; None if that is not possible


def change_options(extra: Mapping[str, Any], question: str) -> tuple[ChangeOption, ...]:
    """Return the logged changes of a text in order, each with the text after undoing it; bad log entries are ignored.

    >>> changes = [{"start": 4, "before": "10ml", "after": "10 ml", "kind": "unit"},
    ...            {"start": 9, "before": " Thanks!", "after": "", "kind": "thanks"}]
    >>> extra = {"source": {"posted": "Add 10ml. Thanks!", "changes": changes}}
    >>> [(option.made, option.other) for option in change_options(extra, "Add 10 ml.")]
    [(True, 'Add 10ml.'), (True, 'Add 10 ml. Thanks!')]
    """
    source = extra.get("source")
    source = source if isinstance(source, Mapping) and "changes" in source else extra
    changes, posted = _read_changes(source.get("changes")), source.get("posted")
    made = _find_made(posted, changes, question.strip()) if isinstance(posted, str) else None
    if not isinstance(posted, str) or made is None:
        return tuple(ChangeOption(change, True, _undo_in_place(question, change)) for change in changes)
    options = []
    for turned, change in enumerate(changes):
        now = [c for i, c in enumerate(changes) if made[i] != (i == turned)]
        options.append(ChangeOption(change, made[turned], apply_changes(posted, now).strip()))
    return tuple(options)


def _read_changes(logged: object) -> list[Change]:
    found = []
    for entry in logged if isinstance(logged, (list, tuple)) else ():
        try:
            change = Change.from_json(entry)
        except RowError:
            continue
        if change.start >= 0 and change.before != change.after:
            found.append(change)
    return sorted(found)[:MOST_CHANGES]


def _find_made(posted: str, changes: Sequence[Change], question: str) -> tuple[bool, ...] | None:
    """Return for each change whether it is in a text; None if that is not the posted text with some of them."""
    # Both texts are read along each other: the positions reached after each change, with the path to each. The path
    # with all changes is tried first.
    reached: dict[int, tuple[bool, ...]] = {0: ()}
    at = 0
    for change in changes:
        end = change.start + len(change.before)
        if change.start < at or posted[change.start : end] != change.before:
            return None
        between = posted[at : change.start]
        following: dict[int, tuple[bool, ...]] = {}
        for made, words in ((True, change.after), (False, change.before)):
            for position, path in reached.items():
                came = _skip(question, _skip(question, position, between), words)
                if came is not None:
                    following.setdefault(came, (*path, made))
        reached = following
        at = end
    for position, path in reached.items():
        if _skip(question, position, posted[at:]) == len(question):
            return path
    return None


def _skip(question: str, position: int | None, words: str) -> int | None:
    """Return the end of the words at a position, if they stand there; blanks around the whole text do not count."""
    if position is None:
        return None
    words = words.lstrip() if position == 0 else words
    if question.startswith(words, position):
        return position + len(words)
    words = words.rstrip()
    end = position + len(words)
    return end if end == len(question) and question.startswith(words, position) else None


def _undo_in_place(question: str, change: Change) -> str | None:
    alone = bool(change.after) and question.count(change.after) == 1
    return question.replace(change.after, change.before) if alone else None


def carry_numbers(
    before: str, numbers: Sequence[TextNumber], after: str, numbers_after: Sequence[TextNumber]
) -> dict[Place, TextNumber]:
    """Return the numbers that an edit keeps, by their places before it: equal token and equal value.

    >>> from draw_dataset.text.numbers import locate_numbers
    >>> before, after = "Add 10ml of 5 acids .", "Add 10 ml of 5 acids ."
    >>> found = carry_numbers(before, locate_numbers(before)[0], after, locate_numbers(after)[0])
    >>> {place: number.place for place, number in found.items()}
    {(0, 3): (0, 4)}
    """
    there = {number.place: number for number in numbers_after}
    if before == after:
        return {n.place: there[n.place] for n in numbers if n.place in there}
    old, new = tokenize(before), tokenize(after)
    matched: dict[Place, Place] = {}
    for start, other, length in _matches([t.text for t in old], [t.text for t in new]):
        for i in range(length):
            one, two = old[start + i], new[other + i]
            matched[one.sentence, one.index] = two.sentence, two.index
    found: dict[Place, TextNumber] = {}
    for number in numbers:
        place = matched.get(number.place)
        if place in there and there[place].value == number.value:
            found[number.place] = there[place]
    return found


def _matches(old: list[str], new: list[str]) -> list[tuple[int, int, int]]:
    """Return runs of equal tokens as (start in the old, start in the new, length): head, tail, longest runs between."""
    shorter = min(len(old), len(new))
    head = 0
    while head < shorter and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < shorter - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    middle = SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False)
    runs = [(head + m.a, head + m.b, m.size) for m in middle.get_matching_blocks()]
    return [(0, 0, head), *runs, (len(old) - tail, len(new) - tail, tail)]
