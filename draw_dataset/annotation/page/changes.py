"""What cleaning changed in a text before it came here, and the text with one of these changes taken back or made again.

A cleaned problem carries the text as ``posted`` and a list of ``changes``, each a replacement at an offset into that
text: ``start``, ``before``, ``after`` and its ``kind``. They stand in its ``source``, or beside it. Which of them are
in the text as it is now is found by reading the text along the posted one: at each change either the old words stand or
the new ones, and between changes nothing else. A text that was edited otherwise is no such text; then the changes are
shown, but one can only be taken back whose new words stand in exactly one place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from draw_dataset.annotation.page.marking import shown_text

_MOST = 60
"""How many changes of one text are looked at."""


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """A replacement.

    Attributes:
        start: where it begins in the posted text.
        before: the words that stood there.
        after: the words that replace them.
        kind: why.
    """

    start: int
    before: str
    after: str
    kind: str


@dataclass(frozen=True, slots=True)
class Option:
    """A change that somebody may take back, or make again.

    Attributes:
        change: the change.
        made: whether it is in the text now.
        other: the text with that turned round; None if it cannot be said.
    """

    change: Change
    made: bool
    other: str | None


def change_options(extra: Mapping[str, Any], question: str) -> tuple[Option, ...]:
    """Return the changes of a text in their order, with what turning each round gives; data that is none gives nothing.

    >>> changes = [{"start": 4, "before": "10ml", "after": "10 ml", "kind": "unit"},
    ...            {"start": 9, "before": " Thanks!", "after": "", "kind": "thanks"}]
    >>> extra = {"source": {"posted": "Add 10ml. Thanks!", "changes": changes}}
    >>> [(option.made, option.other) for option in change_options(extra, "Add 10 ml.")]
    [(True, 'Add 10ml.'), (True, 'Add 10 ml. Thanks!')]

    Args:
        extra: what was imported with the problem.
        question: the text as it is now.
    """
    source = extra.get("source")
    source = source if isinstance(source, Mapping) and "changes" in source else extra
    changes, posted = _read(source.get("changes")), source.get("posted")
    made = _made(posted, changes, question.strip()) if isinstance(posted, str) else None
    if not isinstance(posted, str) or made is None:
        return tuple(Option(change, True, _without(question, change)) for change in changes)
    options = []
    for turned, change in enumerate(changes):
        now = [c for i, c in enumerate(changes) if made[i] != (i == turned)]
        options.append(Option(change, made[turned], _applied(posted, now).strip()))
    return tuple(options)


def _read(logged: object) -> list[Change]:
    found = []
    for entry in logged if isinstance(logged, (list, tuple)) else ():
        if isinstance(entry, Mapping):
            start, before, after, kind = (entry.get(name, "") for name in ("start", "before", "after", "kind"))
            texts = isinstance(before, str) and isinstance(after, str) and isinstance(kind, str)
            if texts and type(start) is int and start >= 0 and before != after:
                found.append(Change(start, before, after, kind))
    return sorted(found)[:_MOST]


def _made(posted: str, changes: Sequence[Change], question: str) -> tuple[bool, ...] | None:
    """Return which changes are in a text; None if it is not the posted one with some of them."""
    # Where in the text one may be after each change, with how one came there; that all are made is tried first.
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
                came = _passed(question, _passed(question, position, between), words)
                if came is not None:
                    following.setdefault(came, (*path, made))
        reached = following
        at = end
    for position, path in reached.items():
        if _passed(question, position, posted[at:]) == len(question):
            return path
    return None


def _passed(question: str, position: int | None, words: str) -> int | None:
    """Return where words end that stand at a position; blanks around the whole text do not count."""
    if position is None:
        return None
    words = words.lstrip() if position == 0 else words
    if question.startswith(words, position):
        return position + len(words)
    words = words.rstrip()
    end = position + len(words)
    return end if end == len(question) and question.startswith(words, position) else None


def _applied(posted: str, changes: Iterable[Change]) -> str:
    pieces: list[str] = []
    at = 0
    for change in changes:
        pieces += posted[at : change.start], change.after
        at = change.start + len(change.before)
    return "".join([*pieces, posted[at:]])


def _without(question: str, change: Change) -> str | None:
    alone = bool(change.after) and question.count(change.after) == 1
    return question.replace(change.after, change.before) if alone else None


def changes_html(options: Sequence[Option]) -> str:
    """Return the list of changes, each with a button that turns it round; nothing if there are none."""
    if not options:
        return ""
    back = ' class="is-back"'
    items = "".join(
        f"<li{'' if option.made else back}>"
        f"<span>{_words(option.change.before)} → {_words(option.change.after)} "
        f'<small class="dp-muted">{escape(option.change.kind)}</small></span>'
        f'<button type="button" class="dp-button" data-do="restore" data-which="{which}"'
        f"{'' if option.other is not None else ' disabled'}>"
        f"{'Take back' if option.made else 'Make again'}</button></li>"
        for which, option in enumerate(options)
    )
    return f'<h3>Changed before it came here</h3><ul class="dp-changes">{items}</ul>'


def _words(text: str) -> str:
    return f"<q>{shown_text(text)}</q>" if text else '<span class="dp-muted">nothing</span>'
