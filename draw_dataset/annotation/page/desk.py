"""What happens when somebody does something on a page: a message comes in, a decision is recorded, a page goes out.

A desk keeps no state of anyone's: every answer is made of the store and the message. A decision is confirmed only after
the store has it on the disk. If the answer was lost on the way, as when the server was killed after the decision and
before the answer, the page sends its message again; the desk then finds the decision there and confirms it, and nothing
is recorded twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from draw_dataset.annotation.page.changes import change_options
from draw_dataset.annotation.page.content import Told
from draw_dataset.annotation.page.marking import CONSTANT, said
from draw_dataset.annotation.page.messages import Message, read_message
from draw_dataset.annotation.store.store import Store
from draw_dataset.annotation.store.tables import Role
from draw_dataset.annotation.store.work import Work
from draw_dataset.errors import AnnotationError, StaleWorkError

Shown = dict[str, str]
"""The answer to a message: the ``html`` to show and the ``title`` of the page."""


def read(sent: object) -> tuple[Message, Told]:
    """Return the message that was sent; one that cannot be read only shows where things stand, and why."""
    try:
        return read_message(sent), Told()
    except AnnotationError as error:
        return Message("open"), Told.refusal(error)


def decide(store: Store, name: str, role: Role, message: Message) -> tuple[Work, Told]:
    """Record what a message decides; returns the work after it, on the disk by then.

    Raises:
        DrawError: it does not fit, comes from a page that is out of date, or cannot be recorded.
    """
    if message.problem is None:
        raise AnnotationError(f"{message.do}: expected a problem, but got none")
    before = store.work(message.problem, name, role)
    try:
        kind, payload = decision_of(before, message)
    except AnnotationError:
        if message.seen is not None and message.seen != before.decided:
            raise _stale(message.problem) from None
        raise
    try:
        work = store.decide(message.problem, name, kind, payload, message.seconds, role=role, after=message.seen)
    except StaleWorkError:
        last = store.history(message.problem, name, role)[-1:]
        if message.seen != before.decided - 1 or [(d.kind, dict(d.payload)) for d in last] != [(kind, payload)]:
            raise _stale(message.problem) from None
        return before, Told("Saved before the connection was lost.")
    return work, Told(" ".join(["Saved:", _what(work, kind, payload) + ".", *map(_sentence, work.notices)]))


def _stale(problem: int) -> StaleWorkError:
    return StaleWorkError(f"problem {problem} was changed in another window; this is how it stands now")


def decision_of(work: Work, message: Message) -> tuple[str, dict[str, Any]]:
    """Return the kind and the payload of the decision that a message asks for.

    Raises:
        AnnotationError: it names what is not there.
    """
    if message.do == "choose":
        [number] = _numbers(message, 1)
        place = None if number == CONSTANT else _place(work, number)
        return "choose", {"literal": message.literal, "place": place}
    if message.do == "same":
        return "equivalent", {"places": [_place(work, number) for number in _numbers(message, 2)]}
    if message.do == "apart":
        return "not_equivalent", {"places": [_place(work, number) for number in _numbers(message, 1)]}
    if message.do == "edit":
        return "edit", {"question": message.text.strip()}
    if message.do == "restore":
        options = change_options(work.stored.extra, work.question)
        text = options[message.which].other if message.which < len(options) else None
        if text is None:
            raise AnnotationError("the words of that change are not in the text any more")
        return "edit", {"question": text}
    if message.do == "flag":
        return "flag", {"why": message.text.strip()}
    return message.do, {}


def _numbers(message: Message, least: int) -> Sequence[int]:
    if len(message.numbers) < least or (least == 1 and len(message.numbers) > 1):
        raise AnnotationError(f"{message.do}: expected {least} of the numbers, but got {len(message.numbers)}")
    return message.numbers


def _place(work: Work, number: int) -> list[int]:
    for known in work.numbers:
        if known.index == number and known.sentence is not None:
            return [known.sentence, known.token]
    raise AnnotationError(f"expected a number of the text, q1 to q{len(work.numbers)}, but got q{number}")


_DONE = {
    "edit": "the text of problem {} is changed",
    "flag": "problem {} is flagged",
    "skip": "problem {} is put off",
    "submit": "problem {} is submitted",
    "reopen": "problem {} is open again",
    "undo": "the last decision is undone",
    "redo": "the decision is done again",
}


def _what(work: Work, kind: str, payload: Mapping[str, Any]) -> str:
    if kind == "choose" and work.proposal is not None:
        literal = payload["literal"]
        return f"{work.proposal.literals[literal].text} is {said(work.chosen[literal])}"
    if kind in ("equivalent", "not_equivalent"):
        named = [f"q{work.number_at((sentence, token)).index}" for sentence, token in payload["places"]]
        if kind == "equivalent":
            return f"{' and '.join(named)} mean the same"
        return f"{' and '.join(named)} means what no other number does"
    return _DONE[kind].format(work.problem_id)


def _sentence(notice: str) -> str:
    return f"{notice[:1].upper()}{notice[1:]}."
