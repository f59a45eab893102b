"""The controller of the annotation page: the problems of an annotator one by one, resumed where they left off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from draw_dataset.annotation.page.content import Bar, Listing, Notice, time_text
from draw_dataset.annotation.page.controller import PageController, Shown, neighbour, shown
from draw_dataset.annotation.page.messages import DECISIONS, Message
from draw_dataset.annotation.page.views import annotation_html, finished_html
from draw_dataset.annotation.store import Store
from draw_dataset.annotation.store.agenda import Agenda, Progress
from draw_dataset.annotation.store.records import ProblemEntry
from draw_dataset.annotation.store.work import Work
from draw_dataset.core.problem import ProblemId
from draw_dataset.errors import DrawError

_GOES_ON = frozenset({"submit", "skip", "flag"})


class AnnotationController(PageController):
    """Answers the annotation page.

    Args:
        store: where everything is.
        unsettled: counts the problems that wait for an adjudicator.
    """

    view = "annotate"
    role = "annotator"

    def __init__(self, store: Store, unsettled: Callable[[], int]) -> None:
        super().__init__(store)
        self._unsettled = unsettled

    def _answer(self, name: str, message: Message, problem: ProblemId | None, notice: Notice) -> Shown:
        work: Work | None = None
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
            problem = _last(agenda) if problem is None else neighbour(order, problem, step)
        if problem is None:
            problem = _where_left(agenda, fresh=message.do == "open")
        bar = _bar(name, agenda.progress)
        listing = self._own_listing(agenda, order, problem)
        if problem is None:
            # Only here: the first count takes a while in a large store.
            bar = replace(bar, disputed=self._unsettled())
            return shown(finished_html(bar, listing, notice), "All done")
        if work is None or work.problem_id != problem:
            work = self._store.work(problem, name)
        return shown(annotation_html(work, bar, listing, message.width, notice), f"Problem {problem}")

    def _own_listing(self, agenda: Agenda, order: list[ProblemId], problem: ProblemId | None) -> Listing:
        def described(entry: ProblemEntry) -> tuple[str, str]:
            own = agenda.own.get(entry.stored.id)
            status = own.status if own else "untouched" if entry.status == "open" else entry.status
            if own is not None and status == "submitted":
                return status, time_text(own.seconds)
            if status in ("flagged", "skipped"):
                return status, status
            questions = f"{entry.questions} question{'s' if entry.questions > 1 else ''}"
            return status, questions if entry.status == "open" else entry.status

        left = len(agenda.queue)
        words = "Nothing is left." if not left else f"{left} problem{'s' if left > 1 else ''} left"
        return self._listing("Your problems", words, order, set(agenda.queue), problem, described)


def _order(agenda: Agenda) -> list[ProblemId]:
    """Return all problems that the annotator may open: those done, in that order, then the queue, then the rest."""
    known = [*agenda.done, *agenda.queue]
    there = set(known)
    return known + [problem for problem in agenda.problems if problem not in there]


def _last(agenda: Agenda) -> ProblemId | None:
    """Return the problem that was worked on last."""
    return max(agenda.own, key=lambda problem: agenda.own[problem].last, default=None)


def _where_left(agenda: Agenda, fresh: bool) -> ProblemId | None:
    """Return the problem to continue with: the one that was left unfinished, else the next."""
    begun = [problem for problem, work in agenda.own.items() if work.status == "started"]
    if fresh and begun:
        return max(begun, key=lambda problem: agenda.own[problem].last)
    return agenda.queue[0] if agenda.queue else None


def _bar(name: str, progress: Progress) -> Bar:
    done = progress.submitted + progress.flagged
    parts = [f"{progress.left} left"]
    parts += [f"{progress.skipped} skipped"] * bool(progress.skipped)
    parts += [f"{progress.flagged} flagged"] * bool(progress.flagged)
    times = f"{time_text(progress.seconds)} in all"
    if progress.median_seconds is not None:
        times = f"median {time_text(progress.median_seconds)} · {times}"
    return Bar(name, done, done + progress.left, tuple(parts), 0, times)
