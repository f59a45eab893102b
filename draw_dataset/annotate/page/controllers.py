"""Controllers of the annotation page and the adjudication page: message in, decision recorded, new page out.

A controller keeps no state. A decision is confirmed only after it is on the disk. If an answer is lost, the page sends
its message again, and the controller confirms the decision that it finds, so nothing is recorded twice.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from threading import Lock
from typing import Any, ClassVar

from draw_dataset.annotate.agenda import Agenda, Progress
from draw_dataset.annotate.decisions import AnnotationState, rename_equations
from draw_dataset.annotate.normal import rename_unknowns
from draw_dataset.annotate.outcome import compare
from draw_dataset.annotate.page.messages import (
    DECISIONS,
    Bar,
    ListEntry,
    Listing,
    Message,
    Notice,
    View,
    read_message,
    time_text,
    window,
)
from draw_dataset.annotate.page.render import (
    CONSTANT,
    adjudication_html,
    agreed_html,
    annotation_html,
    finished_html,
    name_asked,
    name_origin,
    trouble_html,
)
from draw_dataset.annotate.store import Store
from draw_dataset.annotate.tables import Overlap, ProblemEntry, Role
from draw_dataset.derivation.problem import ProblemId
from draw_dataset.errors import AnnotationError, DrawError, StaleWorkError
from draw_dataset.report.picture import clip
from draw_dataset.text.edits import change_options
from draw_dataset.text.tokens import tokenize

Shown = dict[str, str]  # the answer to a message: ``html`` and ``title`` of the page

_LONGEST_BEGINNING = 160


class PageController(ABC):
    """Answers one of the pages."""

    view: ClassVar[View]
    role: ClassVar[Role]

    def __init__(self, store: Store) -> None:
        self._store = store

    def answer(self, name: str, sent: object) -> Shown:
        """Execute a message and return the new page."""
        try:
            message, notice = Message("open"), Notice()
            problem: ProblemId | None = None
            # A message that cannot be executed changes nothing; the page shows the current state and the error.
            try:
                message = read_message(sent)
            except AnnotationError as error:
                notice = Notice.refusal(error)
            try:
                problem = None if message.problem is None else self._store.find(message.problem)
            except AnnotationError as error:
                notice = Notice.refusal(error) if message.do in DECISIONS else Notice.complaint(error)
                message = Message("open", width=message.width)
            return self._answer(name, message, problem, notice)
        except DrawError as error:
            return respond(trouble_html(self.view, name, error), "Trouble")

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
        describe: Callable[[ProblemEntry], tuple[str, str]],
    ) -> Listing:
        """Return the part of a list around a problem."""
        shown = window(order, problem)
        entries = []
        for entry in self._store.problems(order[shown.start : shown.stop]):
            status, note = describe(entry)
            entries.append(ListEntry(entry.stored.id, status, clip(entry.stored.question, _LONGEST_BEGINNING), note))
        before, after = order[: shown.start], order[shown.stop :]
        return Listing(title, left, tuple(entries), _count_hidden(before, to_do), _count_hidden(after, to_do))

    def _decide(self, name: str, problem: ProblemId | None, message: Message) -> tuple[AnnotationState, Notice]:
        """Record the decision of a message; return the work after it, which is on the disk by then, and a notice."""
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
        sentences = [f"{notice[:1].upper()}{notice[1:]}." for notice in work.notices]
        return work, Notice(" ".join(["Saved:", _what(work, kind, payload) + ".", *sentences]))


def _count_hidden(problems: Sequence[ProblemId], to_do: Collection[ProblemId]) -> str:
    """Return the number of problems that are not shown, separately for those that wait."""
    waiting = sum(problem in to_do for problem in problems)
    others = len(problems) - waiting
    return ", ".join([f"{waiting} more to do"] * bool(waiting) + [f"{others} with nothing to do"] * bool(others))


def respond(html: str, title: str) -> Shown:
    """Return an answer."""
    return {"html": html, "title": f"{title} · draw annotate"}


def neighbour(order: Sequence[ProblemId], problem: ProblemId, step: int) -> ProblemId:
    """Return the problem before or after one of a list; at the ends of the list the same problem."""
    return order[max(0, min(len(order) - 1, order.index(problem) + step))]


def stale(problem: ProblemId) -> StaleWorkError:
    """Return the error for a page that is out of date."""
    return StaleWorkError(f"problem {problem} was changed in another window; its present state is shown here")


def decision_of(work: AnnotationState, message: Message) -> tuple[str, dict[str, Any]]:
    """Return the kind and the payload of the decision that a message asks for."""
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
    if message.do == "asked":
        names = {shown: unknown for unknown, shown in work.shown_names.items()}
        texts = (
            None if message.texts is None else [rename_unknowns(text, work.numbers, names) for text in message.texts]
        )
        return "asked", {"asked": texts}
    if message.do == "role":
        return "role", {"unknown": message.unknown, "role": " ".join(message.text.split()) or None}
    if message.do == "derivation":
        return "derivation", {"derivation": rename_equations(message.text.strip(), work) or None, "alternatives": []}
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


def _place(work: AnnotationState, number: int) -> list[int]:
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


def _what(work: AnnotationState, kind: str, payload: Mapping[str, Any]) -> str:
    if kind == "choose" and work.proposal is not None:
        literal = payload["literal"]
        return f"{work.proposal.literals[literal].text} is {name_origin(work.chosen[literal])}"
    if kind == "number":
        number = next((n for n in work.numbers if list(n.place) == list(payload["place"])), None)
        return "a number is marked" if number is None else f"{number.text} is q{number.index}, {number.value}"
    if kind == "asked":
        return f"the question asks for {name_asked(work)}" if work.asked is not None else "that answer is taken back"
    if kind == "role":
        name = work.shown_names[payload["unknown"]]
        return f"{name} is {payload['role']}" if payload["role"] else f"what {name} is, is taken back"
    if kind == "derivation":
        return f"the derivation is {work.stated}" if work.stated is not None else "the equations are the imported ones"
    if kind in ("equivalent", "not_equivalent"):
        named = [f"q{work.number_at((sentence, token)).index}" for sentence, token in payload["places"]]
        if kind == "equivalent":
            return f"{' and '.join(named)} mean the same"
        return f"{' and '.join(named)} is no longer equivalent to another number"
    return _DONE[kind].format(work.problem_id)


_GOES_ON = frozenset({"submit", "skip", "flag"})


class AnnotationController(PageController):
    """Answers the annotation page: the problems of an annotator one by one, resumed where they left off."""

    view = "annotate"
    role = "annotator"

    def __init__(self, store: Store, count_unsettled: Callable[[str], int]) -> None:
        super().__init__(store)
        self._unsettled = count_unsettled

    def _answer(self, name: str, message: Message, problem: ProblemId | None, notice: Notice) -> Shown:
        work: AnnotationState | None = None
        if message.do in DECISIONS:
            try:
                work, notice = self._decide(name, problem, message)
            except DrawError as error:
                notice = Notice.refusal(error)
            else:
                problem = None if message.do in _GOES_ON else problem
        else:
            self._enrol(name)
        agenda = self._store.agenda(name)
        order = _order(agenda)
        if message.do in ("next", "previous"):
            step = 1 if message.do == "next" else -1
            last = max(agenda.own, key=lambda id_: agenda.own[id_].last, default=None)
            problem = last if problem is None else neighbour(order, problem, step)
        if problem is None:
            problem = _where_left(agenda, fresh=message.do == "open")
        bar = _bar(name, agenda.progress)
        listing = self._list_own(agenda, order, problem)
        if problem is None:
            # Only here: the first count takes a while in a large store.
            bar = replace(bar, disputed=self._unsettled(name))
            return respond(finished_html(bar, listing, notice), "All done")
        if work is None or work.problem_id != problem:
            work = self._store.work(problem, name)
        asks = self._store.ask_roles
        html = annotation_html(work, bar, listing, message.width, notice, ask_roles=asks, guesses=message.guesses)
        return respond(html, f"Problem {problem}")

    def _list_own(self, agenda: Agenda, order: list[ProblemId], problem: ProblemId | None) -> Listing:
        waiting = set(agenda.queue)

        def describe(entry: ProblemEntry) -> tuple[str, str]:
            own = agenda.own.get(entry.stored.id)
            is_open = entry.status == "open" or entry.stored.id in waiting
            status = own.status if own else "untouched" if is_open else entry.status
            more = "own equations" if entry.status == "refused" else "roles" if self._store.ask_roles else "to check"
            if own is not None and status == "submitted":
                return status, _time(own.seconds) or status
            if status in ("flagged", "skipped"):
                return status, status
            questions = f"{entry.questions} question{'s' if entry.questions > 1 else ''}"
            return status, questions if entry.status == "open" else more if is_open else entry.status

        left = len(agenda.queue)
        words = "Nothing is left." if not left else f"{left} problem{'s' if left > 1 else ''} left"
        return self._listing("Your problems", words, order, waiting, problem, describe)


def _order(agenda: Agenda) -> list[ProblemId]:
    """Return all problems that the annotator may open: those done, in that order, then the queue, then the rest."""
    known = [*agenda.done, *agenda.queue]
    there = set(known)
    return known + [problem for problem in agenda.problems if problem not in there]


def _where_left(agenda: Agenda, fresh: bool) -> ProblemId | None:
    """Return the problem to continue with: the one that was left unfinished, else the next."""
    begun = [problem for problem, work in agenda.own.items() if work.status == "started"]
    if fresh and begun:
        return max(begun, key=lambda problem: agenda.own[problem].last)
    return agenda.queue[0] if agenda.queue else None


def _bar(name: str, progress: Progress) -> Bar:
    done = progress.submitted + progress.flagged
    if not done + progress.left:
        return Bar(name, parts=("No problem waits for you.",))
    parts = [f"{progress.left} left"]
    parts += [f"{progress.skipped} skipped"] * bool(progress.skipped)
    parts += [f"{progress.flagged} flagged"] * bool(progress.flagged)
    # Imported readings took no time that anybody measured.
    times = [("median {}", _time(progress.median_seconds or 0)), ("{} in all", _time(progress.seconds))]
    return Bar(
        name, done, done + progress.left, tuple(parts), 0, " · ".join(text.format(time) for text, time in times if time)
    )


def _time(seconds: float) -> str:
    """Return a time that was measured as a text; empty if it was not."""
    return time_text(seconds) if seconds >= 1 else ""


_SETTLES = frozenset({"take", "flag"})


class AdjudicationController(PageController):
    """Answers the adjudication page: the problems that annotators disagree about, until each is settled."""

    view = "adjudicate"
    role = "adjudicator"

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._compared: dict[ProblemId, tuple[str, tuple[str, ...], frozenset[str]]] = {}
        self._lock = Lock()

    def _answer(self, name: str, message: Message, problem: ProblemId | None, notice: Notice) -> Shown:
        own = message.own or message.do == "own"
        if message.do in DECISIONS:
            settles = message.do in _SETTLES
            try:
                notice = self._settle(name, problem, message) if settles else self._decide(name, problem, message)[1]
            except DrawError as error:
                notice = Notice.refusal(error)
                own = not settles
            else:
                own = not settles and message.do != "submit"
                problem = problem if own else None
        else:
            self._enrol(name)
        disputes = {overlap.problem: overlap for overlap in self._disputes()}
        order = list(disputes)
        if message.do in ("next", "previous") and problem in disputes:
            problem = neighbour(order, problem, 1 if message.do == "next" else -1)
        if problem is not None and problem not in disputes:
            if not notice.text:
                notice = Notice.complaint(AnnotationError(f"nobody disagrees about problem {problem}"))
            problem, own = None, False
        if problem is None:
            # Nobody is invited to decide about work of their own; they may still open it.
            problem = next(
                (o.problem for o in disputes.values() if not o.settled and not self._is_party(name, o)), None
            )
        if problem is not None and message.do == "own":
            notice = self._reopen(name, problem, notice)
        bar, listing = self._bar(name, disputes), self._list_disputes(name, disputes, problem)
        if problem is None:
            own_left = sum(not overlap.settled for overlap in disputes.values())
            return respond(agreed_html(bar, listing, notice, len(self._store.overlaps()), own_left), "Adjudication")
        work = self._store.work(problem, name, self.role)
        if own:
            asks = self._store.ask_roles
            html = annotation_html(
                work, bar, listing, message.width, notice, view=self.view, ask_roles=asks, guesses=message.guesses
            )
        else:
            details = self._details(disputes[problem])
            settled = self._store.adjudications(problem).get(problem)
            html = adjudication_html(
                self._list_finished(problem),
                details,
                settled,
                work,
                bar,
                listing,
                message.width,
                notice,
                is_party=self._is_party(name, disputes[problem]),
            )
        return respond(html, f"Adjudicate {problem}")

    def _settle(self, name: str, problem: ProblemId | None, message: Message) -> Notice:
        """Take somebody's work, or flag the problem."""
        if problem is None:
            raise AnnotationError(f"{message.do}: expected a problem, but got none")
        works = self._list_finished(problem)
        if message.do == "take" and message.which >= len(works):
            raise AnnotationError("take: there are fewer annotators now; reload the page")
        taken = works[message.which].annotator if message.do == "take" else None
        notice = Notice(f"Saved: problem {problem} is settled: {f'{taken}’s work' if taken else 'flagged'}.")
        own = self._store.work(problem, name, self.role)
        if message.seen is not None and message.seen != own.decided:
            # The answer to the same message may have been lost.
            if own.taken == taken and own.submitted == (taken is not None) and message.seen < own.decided:
                return notice
            raise stale(problem)
        flags = [] if taken is not None else [("flag", {"why": message.text.strip()})]
        self._store.adjudicate(problem, name, taken, flags, message.seconds)
        return notice

    def _reopen(self, name: str, problem: ProblemId, notice: Notice) -> Notice:
        """Open the adjudicator's own work again if it is submitted, so that it can be changed."""
        own = self._store.work(problem, name, self.role)
        if not own.is_done:
            return notice
        self._store.decide(problem, name, "reopen", role=self.role)
        return Notice("Saved: the problem is open again.")

    def _list_finished(self, problem: ProblemId) -> list[AnnotationState]:
        return [work for work in self._store.works(problem) if work.is_done]

    def count_unsettled(self, name: str) -> int:
        """Return the number of problems that wait for somebody to adjudicate, without disputes of their own."""
        return sum(not overlap.settled and not self._is_party(name, overlap) for overlap in self._disputes())

    def _is_party(self, name: str, overlap: Overlap) -> bool:
        return name in self._compare(overlap)[1]

    def _disputes(self) -> list[Overlap]:
        """Return the problems whose works differ, settled ones included."""
        return [overlap for overlap in self._store.overlaps() if self._details(overlap)]

    def _details(self, overlap: Overlap) -> tuple[str, ...]:
        """Return the differences of the works on a problem in words."""
        return self._compare(overlap)[0]

    def _compare(self, overlap: Overlap) -> tuple[tuple[str, ...], frozenset[str]]:
        """Return the differences of works in words, and whose they are; compared again when a work has changed."""
        with self._lock:
            state, details, parties = self._compared.get(overlap.problem, ("", (), frozenset()))
        if state != overlap.state:
            works = self._list_finished(overlap.problem)
            pairs = combinations([work for work in works if work.submitted], 2)
            found = [
                comparison for comparison in (compare(one, other) for one, other in pairs) if comparison.is_disputed
            ]
            words = [f"{work.annotator} flagged it: {work.flagged}" for work in works if work.flagged is not None]
            for comparison in found:
                words += comparison.details or (f"they differ in the {' and the '.join(comparison.differing)}",)
            details, parties = tuple(dict.fromkeys(words)), frozenset(work.annotator for work in works)
            with self._lock:
                self._compared[overlap.problem] = overlap.state, details, parties
        return details, parties

    def _bar(self, name: str, disputes: dict[ProblemId, Overlap]) -> Bar:
        settled = sum(overlap.settled for overlap in disputes.values())
        left = len(disputes) - settled
        seconds = self._store.seconds(name, self.role)
        parts = f"{left} left" if disputes else "Nothing to settle."
        invited = self.count_unsettled(name)
        return Bar(
            name, settled, len(disputes), (parts,), invited, f"{time} in all" if (time := _time(seconds)) else ""
        )

    def _list_disputes(self, name: str, disputes: dict[ProblemId, Overlap], problem: ProblemId | None) -> Listing:
        def describe(entry: ProblemEntry) -> tuple[str, str]:
            overlap = disputes[entry.stored.id]
            count = len(self._details(overlap))
            if overlap.settled:
                return "submitted", "settled"
            own = ", yours" if self._is_party(name, overlap) else ""
            return "untouched", f"{count} difference{'s' if count > 1 else ''}{own}"

        left = sum(not overlap.settled for overlap in disputes.values())
        words = f"{left} of {len(disputes)} to settle" if left else "All are settled."
        to_do = {id_ for id_, overlap in disputes.items() if not overlap.settled}
        return self._listing("Disagreements", words, list(disputes), to_do, problem, describe)
