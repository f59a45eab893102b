"""Turning the changes of cleaning round: any of them, in any order, whatever else is in the data."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draw_dataset.text.edits import change_options

words = st.text("ab .", max_size=4)


@st.composite
def cleaned(draw: st.DrawFn) -> tuple[str, list[dict[str, Any]], list[bool]]:
    """A posted text, changes that do not overlap, and which of them are made."""
    posted, changes = "", []
    for _ in range(draw(st.integers(0, 5))):
        posted += draw(words)
        before, after = draw(words), draw(words)
        if before != after:
            changes.append({"start": len(posted), "before": before, "after": after, "kind": "x"})
        posted += before
        posted += draw(st.text("ab .", min_size=1, max_size=2))
    return posted, changes, draw(st.lists(st.booleans(), min_size=len(changes), max_size=len(changes)))


def applied(posted: str, changes: list[dict[str, Any]]) -> str:
    for change in reversed(changes):
        posted = posted[: change["start"]] + change["after"] + posted[change["start"] + len(change["before"]) :]
    return posted.strip()


@given(cleaned())
def test_whichever_are_made_turning_one_round_and_back_gives_the_same_text(
    data: tuple[str, list[dict[str, Any]], list[bool]],
) -> None:
    posted, changes, made = data
    question = applied(posted, [change for change, is_made in zip(changes, made, strict=True) if is_made])
    extra = {"source": {"posted": posted, "changes": changes}}
    options = change_options(extra, question)
    assert len(options) == len(changes)
    # Different choices may give one text, so it is the texts that count.
    found = [change for change, option in zip(changes, options, strict=True) if option.made]
    assert applied(posted, found) == question
    for which, option in enumerate(options):
        turned = [c for i, (c, o) in enumerate(zip(changes, options, strict=True)) if o.made != (i == which)]
        assert option.other == applied(posted, turned)


@pytest.mark.parametrize(
    "extra",
    [
        {},
        {"changes": None},
        {"changes": 5},
        {"changes": [None, 7, {"before": "a"}, {"start": "0", "before": "a", "after": "b", "kind": ""}]},
        {"source": "a page", "changes": [{"start": -1, "before": "a", "after": "b", "kind": ""}]},
        {"changes": [{"start": 0, "before": "a", "after": "a", "kind": ""}]},
    ],
)
def test_what_is_no_change_is_passed_over(extra: dict[str, Any]) -> None:
    assert change_options(extra, "a text") == ()


def test_changes_that_do_not_fit_the_posted_text_are_shown_but_not_trusted() -> None:
    extra = {"posted": "something else", "changes": [{"start": 3, "before": "10ml", "after": "10 ml", "kind": "unit"}]}
    [option] = change_options(extra, "10 ml of 5 acids")
    assert option.other == "10ml of 5 acids"
    [option] = change_options(extra, "10 ml and 10 ml")
    assert option.other is None
