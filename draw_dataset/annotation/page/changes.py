"""What was changed in a text before it came here, and how to take one such change back.

A cleaned problem carries a list of ``changes``, each with the words ``before`` and ``after`` and, where known, the rule
that made it and the character where it stands. A change can be taken back as long as its new words still stand in the
text: at their place if they are there, else at the only place where they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from draw_dataset.annotation.page.marking import shown_text

_MOST = 50
"""How many changes are shown."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change that was made to a text.

    Attributes:
        before: the words that stood there.
        after: the words that stand there instead.
        rule: what made it.
        without: the text with the change taken back; None if that cannot be done.
    """

    before: str
    after: str
    rule: str
    without: str | None


def read_changes(logged: object, question: str) -> tuple[Change, ...]:
    """Return the changes that were logged for a text; what is no change is passed over.

    >>> [one] = read_changes([{"rule": "unit", "before": "10ml", "after": "10 ml"}], "Add 10 ml of acid .")
    >>> one.without
    'Add 10ml of acid .'

    Args:
        logged: the ``changes`` of an imported problem, which may be anything.
        question: the text as it is now.
    """
    found: list[Change] = []
    for entry in logged if isinstance(logged, (list, tuple)) else ():
        if not isinstance(entry, Mapping):
            continue
        before, after, rule = (entry.get(name, "") for name in ("before", "after", "rule"))
        if not isinstance(before, str) or not isinstance(after, str) or before == after:
            continue
        without = _without(question, before, after, entry.get("start"))
        found.append(Change(before, after, rule if isinstance(rule, str) else "", without))
    return tuple(found[:_MOST])


def _without(question: str, before: str, after: str, start: object) -> str | None:
    if type(start) is int and 0 <= start <= len(question) and question.startswith(after, start):
        at = start
    elif after and question.count(after) == 1:
        at = question.index(after)
    else:
        return None
    return question[:at] + before + question[at + len(after) :]


def changes_html(changes: tuple[Change, ...]) -> str:
    """Return the list of changes, each with a button that takes it back; nothing if there are none."""
    if not changes:
        return ""
    items = "".join(
        f"<li><span>{escape(change.rule)} <del>{shown_text(change.before) or '∅'}</del> "
        f"<ins>{shown_text(change.after) or '∅'}</ins></span>"
        f'<button type="button" class="dp-button" data-do="restore" data-which="{position}"'
        f"{'' if change.without is not None else ' disabled'}>Take back</button></li>"
        for position, change in enumerate(changes)
    )
    return f'<h3>Changed before it came here</h3><ul class="dp-changes">{items}</ul>'
