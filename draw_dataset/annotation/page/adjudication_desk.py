"""The desk of the adjudication page: the problems that annotators disagree about, until each is settled.

Two works are compared once, and again when one of them has changed.
"""

from __future__ import annotations

from itertools import combinations
from threading import Lock

from draw_dataset.annotation.outcome.comparison import compare
from draw_dataset.annotation.page.adjudication import adjudication_html, agreed_html
from draw_dataset.annotation.page.annotation import annotation_html
from draw_dataset.annotation.page.content import Bar, Entry, Listing, Told
from draw_dataset.annotation.page.desk import Shown, decide, read
from draw_dataset.annotation.page.frame import time_text, trouble_html, window
from draw_dataset.annotation.page.messages import DECISIONS, Message
from draw_dataset.annotation.store.store import Store
from draw_dataset.annotation.store.tables import Overlap
from draw_dataset.annotation.store.work import Work
from draw_dataset.errors import AnnotationError, DrawError, StaleWorkError
from draw_dataset.report.plain import clipped

_SETTLES = frozenset({"take", "flag"})
_LONGEST_BEGINNING = 160


class AdjudicationDesk:
    """Answers the adjudication page.

    Args:
        store: where everything is.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._compared: dict[int, tuple[str, tuple[str, ...]]] = {}
        self._lock = Lock()

    def answer(self, name: str, sent: object) -> Shown:
        """Do what a message asks for and return the page as it is then.

        Args:
            name: who sent it.
            sent: the message, which may be anything.
        """
        try:
            return self._answer(name, sent)
        except DrawError as error:
            return {"html": trouble_html("adjudicate", name, error), "title": "Trouble · draw annotate"}

    def _answer(self, name: str, sent: object) -> Shown:
        message, told = read(sent)
        problem, own = message.problem, message.own or message.do == "own"
        if message.do in DECISIONS:
            try:
                told = self._decided(name, message)
            except DrawError as error:
                told = Told.refusal(error)
                own = message.do not in _SETTLES
            else:
                own = message.do not in _SETTLES and message.do != "submit"
                problem = problem if own else None
        elif name not in self._store.annotators():
            self._store.add_annotator(name)
        disputes = self._disputes()
        order = [overlap.problem for overlap in disputes]
        if message.do in ("next", "previous") and problem in order:
            step = 1 if message.do == "next" else -1
            problem = order[max(0, min(len(order) - 1, order.index(problem) + step))]
        if problem is not None and problem not in order:
            told = told if told.text else Told.refusal(AnnotationError(f"nobody disagrees about problem {problem}"))
            problem, own = None, False
        if problem is None:
            problem = next((overlap.problem for overlap in disputes if not overlap.settled), None)
        if own and problem is not None and message.do == "own":
            told = self._reopened(name, problem, told)
        return self._page(name, problem, own, message, told, disputes)

    def _decided(self, name: str, message: Message) -> Told:
        if message.do not in _SETTLES or message.problem is None:
            return decide(self._store, name, "adjudicator", message)[1]
        works = self._done(message.problem)
        if message.do == "take" and message.which >= len(works):
            raise AnnotationError("take: expected one of the annotators, but they are fewer now")
        taken = works[message.which].annotator if message.do == "take" else None
        told = Told(f"Saved: problem {message.problem} is settled: {f'{taken}’s work' if taken else 'flagged'}.")
        own = self._store.work(message.problem, name, "adjudicator")
        if message.seen is not None and message.seen != own.decided:
            # The answer to the same message may have been lost.
            if own.taken == taken and own.submitted == (taken is not None) and message.seen < own.decided:
                return told
            raise StaleWorkError(f"problem {message.problem} was changed in another window; this is how it stands now")
        flags = [] if taken is not None else [("flag", {"why": message.text.strip()})]
        self._store.adjudicate(message.problem, name, taken, flags, message.seconds)
        return told

    def _reopened(self, name: str, problem: int, told: Told) -> Told:
        """Open the adjudicator's own work again if it is submitted, so that it can be changed."""
        own = self._store.work(problem, name, "adjudicator")
        if not own.submitted and own.flagged is None:
            return told
        self._store.decide(problem, name, "reopen", role="adjudicator")
        return Told("Saved: the problem is open again.")

    def _done(self, problem: int) -> list[Work]:
        return [work for work in self._store.works(problem) if work.submitted or work.flagged is not None]

    def unsettled(self) -> int:
        """Return how many problems wait for an adjudicator."""
        return sum(not overlap.settled for overlap in self._disputes())

    def _disputes(self) -> list[Overlap]:
        """Return the problems whose works differ, settled ones included."""
        return [overlap for overlap in self._store.overlaps() if self._details(overlap)]

    def _details(self, overlap: Overlap) -> tuple[str, ...]:
        """Return in words how the works on a problem differ; nothing if they do not."""
        with self._lock:
            state, details = self._compared.get(overlap.problem, ("", ()))
        if state != overlap.state:
            works = self._done(overlap.problem)
            pairs = combinations([work for work in works if work.submitted], 2)
            found = [comparison for comparison in (compare(one, other) for one, other in pairs) if comparison.differing]
            words = [f"{work.annotator} flagged it: {work.flagged}" for work in works if work.flagged is not None]
            for comparison in found:
                words += comparison.details or (f"they differ in the {' and the '.join(comparison.differing)}",)
            details = tuple(dict.fromkeys(words))
            with self._lock:
                self._compared[overlap.problem] = overlap.state, details
        return details

    def _page(
        self, name: str, problem: int | None, own: bool, message: Message, told: Told, disputes: list[Overlap]
    ) -> Shown:
        bar = self._bar(name, disputes)
        listing = self._listing(disputes, problem)
        if problem is None:
            html = agreed_html(bar, listing, told, len(self._store.overlaps()))
            return {"html": html, "title": "Adjudication · draw annotate"}
        work = self._store.work(problem, name, "adjudicator")
        title = f"Adjudicate {problem} · draw annotate"
        if own:
            html = annotation_html(work, bar, listing, message.width, told, view="adjudicate")
            return {"html": html, "title": title}
        details = next(self._details(overlap) for overlap in disputes if overlap.problem == problem)
        settled = self._store.adjudications(problem).get(problem)
        html = adjudication_html(self._done(problem), details, settled, work, bar, listing, message.width, told)
        return {"html": html, "title": title}

    def _bar(self, name: str, disputes: list[Overlap]) -> Bar:
        settled = sum(overlap.settled for overlap in disputes)
        left = len(disputes) - settled
        seconds = self._store.seconds(name, "adjudicator")
        return Bar(name, settled, len(disputes), (f"{left} left",), left, f"{time_text(seconds)} in all")

    def _listing(self, disputes: list[Overlap], problem: int | None) -> Listing:
        order = [overlap.problem for overlap in disputes]
        shown = window(order, problem)
        entries = []
        for at in shown:
            overlap = disputes[at]
            text = clipped(self._store.problem(overlap.problem).stored.question, _LONGEST_BEGINNING)
            count = len(self._details(overlap))
            note = "settled" if overlap.settled else f"{count} difference{'s' if count > 1 else ''}"
            entries.append(Entry(overlap.problem, "submitted" if overlap.settled else "untouched", text, note))
        left = sum(not overlap.settled for overlap in disputes)
        words = f"{left} of {len(disputes)} to settle" if left else "All are settled."
        return Listing("Disagreements", words, tuple(entries), shown.start, len(order) - shown.stop)
