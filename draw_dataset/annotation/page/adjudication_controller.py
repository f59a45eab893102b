"""The controller of the adjudication page: the problems that annotators disagree about, until each is settled.

Two works are compared once, and again when one of them has changed.
"""

from __future__ import annotations

from itertools import combinations
from threading import Lock

from draw_dataset.annotation.outcome import compare
from draw_dataset.annotation.page.content import Bar, Listing, Notice, time_text
from draw_dataset.annotation.page.controller import PageController, Shown, neighbour, shown, stale
from draw_dataset.annotation.page.messages import DECISIONS, Message
from draw_dataset.annotation.page.views import adjudication_html, agreed_html, annotation_html
from draw_dataset.annotation.store import Store
from draw_dataset.annotation.store.records import Overlap, ProblemEntry
from draw_dataset.annotation.store.work import Work
from draw_dataset.core.problem import ProblemId
from draw_dataset.errors import AnnotationError, DrawError

_SETTLES = frozenset({"take", "flag"})


class AdjudicationController(PageController):
    """Answers the adjudication page.

    Args:
        store: where everything is.
    """

    view = "adjudicate"
    role = "adjudicator"

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._compared: dict[ProblemId, tuple[str, tuple[str, ...]]] = {}
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
            notice = (
                notice if notice.text else Notice.refusal(AnnotationError(f"nobody disagrees about problem {problem}"))
            )
            problem, own = None, False
        if problem is None:
            problem = next((overlap.problem for overlap in disputes.values() if not overlap.settled), None)
        if problem is not None and message.do == "own":
            notice = self._reopened(name, problem, notice)
        bar, listing = self._bar(name, disputes), self._disputed_listing(disputes, problem)
        if problem is None:
            return shown(agreed_html(bar, listing, notice, len(self._store.overlaps())), "Adjudication")
        work = self._store.work(problem, name, self.role)
        if own:
            html = annotation_html(work, bar, listing, message.width, notice, view=self.view)
        else:
            details = self._details(disputes[problem])
            settled = self._store.adjudications(problem).get(problem)
            html = adjudication_html(self._done(problem), details, settled, work, bar, listing, message.width, notice)
        return shown(html, f"Adjudicate {problem}")

    def _settle(self, name: str, problem: ProblemId | None, message: Message) -> Notice:
        """Take somebody's work, or flag the problem."""
        if problem is None:
            raise AnnotationError(f"{message.do}: expected a problem, but got none")
        works = self._done(problem)
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

    def _reopened(self, name: str, problem: ProblemId, notice: Notice) -> Notice:
        """Open the adjudicator's own work again if it is submitted, so that it can be changed."""
        own = self._store.work(problem, name, self.role)
        if not own.submitted and own.flagged is None:
            return notice
        self._store.decide(problem, name, "reopen", role=self.role)
        return Notice("Saved: the problem is open again.")

    def _done(self, problem: ProblemId) -> list[Work]:
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

    def _bar(self, name: str, disputes: dict[ProblemId, Overlap]) -> Bar:
        settled = sum(overlap.settled for overlap in disputes.values())
        left = len(disputes) - settled
        seconds = self._store.seconds(name, self.role)
        return Bar(name, settled, len(disputes), (f"{left} left",), left, f"{time_text(seconds)} in all")

    def _disputed_listing(self, disputes: dict[ProblemId, Overlap], problem: ProblemId | None) -> Listing:
        def described(entry: ProblemEntry) -> tuple[str, str]:
            overlap = disputes[entry.stored.id]
            count = len(self._details(overlap))
            if overlap.settled:
                return "submitted", "settled"
            return "untouched", f"{count} difference{'s' if count > 1 else ''}"

        left = sum(not overlap.settled for overlap in disputes.values())
        words = f"{left} of {len(disputes)} to settle" if left else "All are settled."
        to_do = {id_ for id_, overlap in disputes.items() if not overlap.settled}
        return self._listing("Disagreements", words, list(disputes), to_do, problem, described)
