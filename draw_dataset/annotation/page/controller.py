"""Controllers: a message comes from the page, a decision is recorded, and a new page goes out.

A controller keeps no state: every answer is made from the store and the message. A decision is confirmed only after the
store has written it to the disk. An answer may be lost, for example if the server is killed after the decision and
before the answer. Then the page sends its message again, and the controller finds the decision and confirms it. Nothing
is recorded twice.

The controllers of both pages work in the same way: do what the message asks for, find the order of the problems, go to
a neighbour or to the next problem, and show it. They differ in the order of the problems and in the pages.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar

from draw_dataset.annotation.page.content import Entry, Listing, Notice, View, window
from draw_dataset.annotation.page.messages import Message, read_message
from draw_dataset.annotation.page.template_data import CONSTANT, said
from draw_dataset.annotation.page.views import trouble_html
from draw_dataset.annotation.store import Store
from draw_dataset.annotation.store.records import ProblemEntry, Role
from draw_dataset.annotation.store.work import Work
from draw_dataset.core.problem import ProblemId
from draw_dataset.errors import AnnotationError, DrawError, StaleWorkError
from draw_dataset.report.plain import clipped
from draw_dataset.text import tokenize
from draw_dataset.text.changes import change_options

Shown = dict[str, str]
"""The answer to a message: the ``html`` to show and the ``title`` of the page."""

_LONGEST_BEGINNING = 160


class PageController(ABC):
    """Answers one of the pages.

    Args:
        store: where everything is.
    """

    view: ClassVar[View]
    role: ClassVar[Role]

    def __init__(self, store: Store) -> None:
        self._store = store

    def answer(self, name: str, sent: object) -> Shown:
        """Do what a message asks for and return the new page.

        Args:
            name: who sent it.
            sent: the message, which may be anything.
        """
        try:
            message, notice = Message("open"), Notice()
            problem: ProblemId | None = None
            try:
                message = read_message(sent)
                problem = None if message.problem is None else self._store.find(message.problem)
            except AnnotationError as error:
                # A message that cannot be read changes nothing; the page shows the current state and the error.
                message, notice = Message("open", width=message.width), Notice.refusal(error)
            return self._answer(name, message, problem, notice)
        except DrawError as error:
            return shown(trouble_html(self.view, name, error), "Trouble")

    @abstractmethod
    def _answer(self, name: str, message: Message, problem: ProblemId | None, notice: Notice) -> Shown:
        """Return the answer to a message about a problem of the store, or about none."""

    def _enrol(self, name: str) -> None:
        """Add an annotator who has logged in, for example if the store was replaced by another one."""
        if name not in self._store.annotators():
            self._store.add_annotator(name)

    def _listing(
        self,
        title: str,
        left: str,
        order: Sequence[ProblemId],
        to_do: Collection[ProblemId],
        problem: ProblemId | None,
        described: Callable[[ProblemEntry], tuple[str, str]],
    ) -> Listing:
        """Return the part of a list around a problem.

        Args:
            title: what it is a list of.
            left: what is left, in words.
            order: all problems of the list.
            to_do: those of them that wait for this person.
            problem: the current one.
            described: says the status of a problem, and what there is to note about it.
        """
        shown = window(order, problem)
        entries = []
        for entry in self._store.problems(order[shown.start : shown.stop]):
            status, note = described(entry)
            entries.append(Entry(entry.stored.id, status, clipped(entry.stored.question, _LONGEST_BEGINNING), note))
        before, after = order[: shown.start], order[shown.stop :]
        return Listing(title, left, tuple(entries), _counted(before, to_do), _counted(after, to_do))

    def _decide(self, name: str, problem: ProblemId | None, message: Message) -> tuple[Work, Notice]:
        """Record the decision of a message; return the work after it, which is on the disk by then, and a notice.

        Raises:
            DrawError: it does not fit, comes from a page that is out of date, or cannot be recorded.
        """
        if problem is None:
            raise AnnotationError(f"{message.do}: expected a problem, but got none")
        before = self._store.work(problem, name, self.role)
        try:
            kind, payload = decision_of(before, message)
        except AnnotationError:
            if message.seen is not None and message.seen != before.decided:
                raise stale(problem) from None
            raise
        try:
            work = self._store.decide(problem, name, kind, payload, message.seconds, role=self.role, after=message.seen)
        except StaleWorkError:
            last = self._store.history(problem, name, self.role)[-1:]
            if message.seen != before.decided - 1 or [(d.kind, dict(d.payload)) for d in last] != [(kind, payload)]:
                raise stale(problem) from None
            return before, Notice("Saved before the connection was lost.")
        return work, Notice(" ".join(["Saved:", _what(work, kind, payload) + ".", *map(_sentence, work.notices)]))


def _counted(problems: Sequence[ProblemId], to_do: Collection[ProblemId]) -> str:
    """Say how many problems are not shown, separately for those that wait."""
    waiting = sum(problem in to_do for problem in problems)
    others = len(problems) - waiting
    return ", ".join([f"{waiting} more to do"] * bool(waiting) + [f"{others} with nothing to do"] * bool(others))


def shown(html: str, title: str) -> Shown:
    """Return an answer."""
    return {"html": html, "title": f"{title} · draw annotate"}


def neighbour(order: Sequence[ProblemId], problem: ProblemId, step: int) -> ProblemId:
    """Return the problem before or after one of a list; at the ends of the list the same problem."""
    return order[max(0, min(len(order) - 1, order.index(problem) + step))]


def stale(problem: ProblemId) -> StaleWorkError:
    """Return the error for a page that is out of date."""
    return StaleWorkError(f"problem {problem} was changed in another window; its present state is shown here")


def decision_of(work: Work, message: Message) -> tuple[str, dict[str, Any]]:
    """Return the kind and the payload of the decision that a message asks for.

    Raises:
        AnnotationError: it names something that does not exist.
    """
    if message.do == "choose":
        [number] = _numbers(message, 1)
        place = None if number == CONSTANT else _place(work, number)
        return "choose", {"literal": message.literal, "place": place}
    if message.do == "same":
        return "equivalent", {"places": [_place(work, number) for number in _numbers(message, 2)]}
    if message.do == "apart":
        return "not_equivalent", {"places": [_place(work, number) for number in _numbers(message, 1)]}
    if message.do == "number":
        words = tokenize(work.question)
        if message.which >= len(words):
            raise AnnotationError("number: that word is no longer in the text")
        word = words[message.which]
        return "number", {"place": [word.sentence, word.index], "value": message.text}
    if message.do == "edit":
        return "edit", {"question": message.text.strip()}
    if message.do == "restore":
        options = change_options(work.stored.extra, work.question)
        text = options[message.which].other if message.which < len(options) else None
        if text is None:
            raise AnnotationError("the words of that change are no longer in the text")
        return "edit", {"question": text}
    if message.do == "flag":
        return "flag", {"why": message.text.strip()}
    return message.do, {}


def _numbers(message: Message, least: int) -> Sequence[int]:
    if len(message.numbers) < least or (least == 1 and len(message.numbers) > 1):
        raise AnnotationError(
            f"{message.do}: expected {least} number{'s' * (least > 1)} of the text, but got {len(message.numbers)}"
        )
    return message.numbers


def _place(work: Work, number: int) -> list[int]:
    for known in work.numbers:
        if known.index == number and known.sentence is not None:
            return [known.sentence, known.token]
    raise AnnotationError(f"expected a number of the text, q1 to q{len(work.numbers)}, but got q{number}")


_DONE = {
    "edit": "the text of problem {} is changed",
    "flag": "problem {} is flagged",
    "skip": "problem {} is left for later",
    "submit": "problem {} is submitted",
    "reopen": "problem {} is open again",
    "undo": "the last decision is undone",
    "redo": "the decision is redone",
}


def _what(work: Work, kind: str, payload: Mapping[str, Any]) -> str:
    if kind == "choose" and work.proposal is not None:
        literal = payload["literal"]
        return f"{work.proposal.literals[literal].text} is {said(work.chosen[literal])}"
    if kind == "number":
        number = next((n for n in work.numbers if list(n.place) == list(payload["place"])), None)
        return "a number is marked" if number is None else f"{number.text} is q{number.index}, {number.value}"
    if kind in ("equivalent", "not_equivalent"):
        named = [f"q{work.number_at((sentence, token)).index}" for sentence, token in payload["places"]]
        if kind == "equivalent":
            return f"{' and '.join(named)} mean the same"
        return f"{' and '.join(named)} is no longer equivalent to another number"
    return _DONE[kind].format(work.problem_id)


def _sentence(notice: str) -> str:
    return f"{notice[:1].upper()}{notice[1:]}."
