"""Queue and progress of each annotator; a `Board` keeps the state of all work in memory.

A problem waits if it has questions and too few others have worked on it, or if the annotator has started it. A problem
without questions, or one that is refused, has them once somebody has submitted a derivation that the program does not
decide alone: what people write needs the full number of people. The order of an annotator depends only on the seed, the
name and the ids. Skipped problems come last, the longest skipped first.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from draw_dataset.derivation.problem import ProblemId

DONE = frozenset({"submitted", "flagged"})
_BEGUN = frozenset({"started", *DONE})


class Standing(NamedTuple):
    """The state of somebody's work on a problem."""

    status: str  # as in `AnnotationState.status`
    seconds: float
    last: int  # the number of the last decision on it


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of an annotator."""

    submitted: int
    flagged: int
    skipped: int  # they are also among those left
    left: int
    seconds: float
    median_seconds: float | None  # of submitted problems


@dataclass(frozen=True, slots=True)
class Agenda:
    """The queue of an annotator, and the work already started."""

    problems: tuple[ProblemId, ...]  # all problems in the order of their import
    queue: tuple[ProblemId, ...]  # waiting problems, the next one first
    own: Mapping[ProblemId, Standing]

    @property
    def done(self) -> list[ProblemId]:
        """The problems that the annotator submitted or flagged, in the order of their last decisions."""
        finished = [(work.last, problem) for problem, work in self.own.items() if work.status in DONE]
        return [problem for _, problem in sorted(finished, key=lambda pair: pair[0])]

    @property
    def progress(self) -> Progress:
        """The annotator's progress."""
        statuses = Counter(work.status for work in self.own.values())
        times = [work.seconds for work in self.own.values() if work.status == "submitted"]
        return Progress(
            submitted=statuses["submitted"],
            flagged=statuses["flagged"],
            skipped=statuses["skipped"],
            left=len(self.queue),
            seconds=sum(work.seconds for work in self.own.values()),
            median_seconds=median(times) if times else None,
        )


class Board:
    """The state of all works.

    >>> board = Board([(1, True), (2, True), (3, True)], [(1, 1, Standing("skipped", 3.0, 9))])
    >>> board.note(3, 2, Standing("submitted", 5.0, 10))
    >>> board.note(3, 3, Standing("started", 1.0, 11))
    >>> board.agenda(1, "Ann", seed=0, wanted=2).queue
    (2, 1)
    """

    def __init__(
        self,
        problems: Iterable[tuple[ProblemId, bool]],
        works: Iterable[tuple[ProblemId, int, Standing]],
        written: Iterable[tuple[ProblemId, int]] = (),
    ) -> None:
        self._is_open = dict(problems)
        self._problems = tuple(self._is_open)
        self._begun: Counter[ProblemId] = Counter()
        self._written: dict[ProblemId, set[int]] = {}  # annotators who submitted a derivation of their own
        self._works: dict[int, dict[ProblemId, Standing]] = {}
        self._orders: dict[tuple[int, str], tuple[ProblemId, ...]] = {}
        own = set(written)
        for problem, annotator, standing in works:
            self.note(problem, annotator, standing, is_own=(problem, annotator) in own)

    def note(self, problem: ProblemId, annotator: int, standing: Standing, *, is_own: bool = False) -> None:
        """Record the current state of a work; `is_own` if its derivation is not one that the program decides alone."""
        own = self._works.setdefault(annotator, {})
        before = own.get(problem)
        self._begun[problem] += (standing.status in _BEGUN) - (before is not None and before.status in _BEGUN)
        own[problem] = standing
        if is_own and standing.status == "submitted":
            self._written.setdefault(problem, set()).add(annotator)
        else:
            self._written.get(problem, set()).discard(annotator)

    def agenda(self, annotator: int, name: str, seed: int, wanted: int) -> Agenda:
        """Return the agenda of an annotator; each problem should have `wanted` annotators."""
        own = dict(self._works.get(annotator, {}))
        queue: list[ProblemId] = []
        put_off: list[tuple[int, ProblemId]] = []
        begun, is_open = self._begun, self._is_open
        for problem in self._order(seed, name):
            work = own.get(problem)
            if work is None or work.status not in _BEGUN:
                if not (is_open[problem] or self._written.get(problem)) or begun[problem] >= wanted:
                    continue
                if work is not None and work.status == "skipped":
                    put_off.append((work.last, problem))
                    continue
            elif work.status != "started":
                continue
            queue.append(problem)
        queue += [problem for _, problem in sorted(put_off, key=lambda pair: pair[0])]
        return Agenda(self._problems, tuple(queue), own)

    def _order(self, seed: int, name: str) -> tuple[ProblemId, ...]:
        if (seed, name) not in self._orders:
            begun = hashlib.sha256(f"{seed}\n{name}\n".encode())

            def rank(problem: ProblemId) -> bytes:
                hashed = begun.copy()
                hashed.update(str(problem).encode())
                return hashed.digest()

            self._orders[seed, name] = tuple(sorted(self._problems, key=rank))
        return self._orders[seed, name]
