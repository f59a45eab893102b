"""The desk of the annotation page: an annotator's problems one after the other, and where they left off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from draw_dataset.annotation.page.annotation import annotation_html, finished_html
from draw_dataset.annotation.page.content import Bar, Entry, Listing, Told
from draw_dataset.annotation.page.desk import Shown, decide, read
from draw_dataset.annotation.page.frame import time_text, trouble_html, window
from draw_dataset.annotation.page.messages import DECISIONS, Message
from draw_dataset.annotation.store.queue import Progress, Waiting
from draw_dataset.annotation.store.store import Store
from draw_dataset.errors import AnnotationError, DrawError
from draw_dataset.report.plain import clipped

_GOES_ON = frozenset({"submit", "skip", "flag"})
_LONGEST_BEGINNING = 160


class AnnotationDesk:
    """Answers the annotation page.

    Args:
        store: where everything is.
        unsettled: counts the problems that wait for an adjudicator.
    """

    def __init__(self, store: Store, unsettled: Callable[[], int]) -> None:
        self._store = store
        self._unsettled = unsettled

    def answer(self, name: str, sent: object) -> Shown:
        """Do what a message asks for and return the page as it is then.

        Args:
            name: who sent it.
            sent: the message, which may be anything.
        """
        try:
            return self._answer(name, sent)
        except DrawError as error:
            return {"html": trouble_html("annotate", name, error), "title": "Trouble · draw annotate"}

    def _answer(self, name: str, sent: object) -> Shown:
        store = self._store
        message, told = read(sent)
        problem = message.problem
        if message.do in DECISIONS:
            try:
                _, told = decide(store, name, "annotator", message)
            except DrawError as error:
                told = Told.refusal(error)
            else:
                problem = None if message.do in _GOES_ON else problem
        elif name not in store.annotators():
            store.add_annotator(name)
        listed = store.listing(name)
        queue = store.queue(name)
        order = _order(listed, queue)
        if message.do in ("next", "previous"):
            problem = _neighbour(listed, order, problem, 1 if message.do == "next" else -1)
        if problem is not None and problem not in order:
            told = told if told.text else Told.refusal(AnnotationError(f"problem {problem} is not in this store"))
            problem = None
        if problem is None:
            problem = _where_left(listed, queue, fresh=message.do == "open")
        return self._page(name, problem, message, told, listed, order)

    def _page(
        self, name: str, problem: int | None, message: Message, told: Told, listed: list[Waiting], order: list[int]
    ) -> Shown:
        bar = _bar(name, self._store.progress(name))
        listing = self._listing(listed, order, problem, bar)
        if problem is None:
            # Only here, as the first count takes a while in a large store.
            bar = replace(bar, disputed=self._unsettled())
            return {"html": finished_html(bar, listing, told), "title": "All done · draw annotate"}
        work = self._store.work(problem, name)
        html = annotation_html(work, bar, listing, message.width, told)
        return {"html": html, "title": f"Problem {problem} · draw annotate"}

    def _listing(self, listed: list[Waiting], order: list[int], problem: int | None, bar: Bar) -> Listing:
        own = {waiting.problem: waiting for waiting in listed}
        shown = window(order, problem)
        entries = [self._entry(own[order[at]]) for at in shown]
        left = bar.total - bar.done
        words = "Nothing is left." if not left else f"{left} problem{'s' if left > 1 else ''} left"
        return Listing("Your problems", words, tuple(entries), shown.start, len(order) - shown.stop)

    def _entry(self, waiting: Waiting) -> Entry:
        entry = self._store.problem(waiting.problem)
        status = waiting.own or ("untouched" if waiting.is_open else entry.status)
        if status in ("submitted", "flagged", "skipped"):
            note = {"submitted": time_text(waiting.seconds)}.get(status, status)
        elif entry.status == "open":
            note = f"{entry.questions} question{'s' if entry.questions > 1 else ''}"
        else:
            note = entry.status
        return Entry(waiting.problem, status, clipped(entry.stored.question, _LONGEST_BEGINNING), note)


def _order(listed: list[Waiting], queue: list[int]) -> list[int]:
    """Return all problems that the annotator may go to: what was done, in that order, then the queue, then the rest."""
    done = sorted((w for w in listed if w.own in ("submitted", "flagged")), key=lambda w: w.last)
    known = [*(w.problem for w in done), *queue]
    there = set(known)
    return known + [w.problem for w in listed if w.problem not in there]


def _neighbour(listed: list[Waiting], order: list[int], problem: int | None, step: int) -> int | None:
    """Return the problem before or after another in the list; from no problem, the one that was worked on last."""
    if problem is None:
        done = max((w for w in listed if w.last), key=lambda w: w.last, default=None)
        return done.problem if done is not None else None
    if problem not in order:
        return None
    return order[max(0, min(len(order) - 1, order.index(problem) + step))]


def _where_left(listed: list[Waiting], queue: list[int], fresh: bool) -> int | None:
    """Return the problem to go on with: the one that was being worked on, if somebody comes back, else the next."""
    begun = max((w for w in listed if w.own == "started"), key=lambda w: w.last, default=None)
    if fresh and begun is not None:
        return begun.problem
    return queue[0] if queue else None


def _bar(name: str, progress: Progress) -> Bar:
    done = progress.submitted + progress.flagged
    parts = [f"{progress.left} left"]
    parts += [f"{progress.skipped} skipped"] * bool(progress.skipped)
    parts += [f"{progress.flagged} flagged"] * bool(progress.flagged)
    times = f"{time_text(progress.seconds)} in all"
    if progress.median_seconds is not None:
        times = f"median {time_text(progress.median_seconds)} · {times}"
    return Bar(name, done, done + progress.left, tuple(parts), 0, times)
