"""Which problems wait for an annotator, and in which order.

A problem waits if it has questions and fewer others than wanted have worked on it, or if the annotator has begun it.
Every annotator has an order of their own, made of the seed, the name and the problem's number: people do not tire on
the same problems, and problems that are added later do not change the order of those that are there. What was put off
comes last, the longest put off first. What is submitted or flagged waits no more.

Nothing is reserved: two people who begin the last place of a problem at the same moment both keep their work.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Waiting:
    """A problem as one annotator's queue sees it.

    Attributes:
        problem: its number.
        is_open: whether it has questions for people.
        own: the status of the annotator's work; None without any.
        last: the number of the annotator's last decision on it; 0 without any.
        seconds: the time the annotator has spent on it.
        others: how many others have begun, flagged or submitted it.
    """

    problem: int
    is_open: bool
    own: str | None
    last: int
    seconds: float
    others: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an annotator has come.

    Attributes:
        submitted: problems done.
        flagged: problems found unfit.
        skipped: problems put off; they are among those left.
        left: problems waiting.
        seconds: the time spent on all of them.
        median_seconds: the median time of the submitted ones; None without any.
    """

    submitted: int
    flagged: int
    skipped: int
    left: int
    seconds: float
    median_seconds: float | None


def queue_order(problems: Iterable[Waiting], annotator: str, seed: int, wanted: int) -> list[int]:
    """Return the numbers of the problems that wait for an annotator, the next one first.

    >>> put_off, new = Waiting(1, True, "skipped", 9, 3.0, others=0), Waiting(2, True, None, 0, 0.0, others=1)
    >>> queue_order([put_off, new, Waiting(3, True, None, 0, 0.0, others=2)], "Ann", seed=0, wanted=2)
    [2, 1]

    Args:
        problems: all problems.
        annotator: whose queue.
        seed: of the order.
        wanted: how many annotators each problem should have.
    """
    waiting = [w for w in problems if _waits(w, wanted)]
    put_off = sorted((w for w in waiting if w.own == "skipped"), key=lambda w: w.last)
    rest = sorted((w for w in waiting if w.own != "skipped"), key=lambda w: _rank(seed, annotator, w.problem))
    return [w.problem for w in (*rest, *put_off)]


def progress_of(problems: Iterable[Waiting], wanted: int) -> Progress:
    """Return how far an annotator has come."""
    listed = list(problems)
    done = [w.seconds for w in listed if w.own == "submitted"]
    return Progress(
        submitted=len(done),
        flagged=sum(w.own == "flagged" for w in listed),
        skipped=sum(w.own == "skipped" for w in listed),
        left=sum(_waits(w, wanted) for w in listed),
        seconds=sum(w.seconds for w in listed),
        median_seconds=median(done) if done else None,
    )


def _waits(problem: Waiting, wanted: int) -> bool:
    if problem.own in ("submitted", "flagged"):
        return False
    if problem.own == "started":
        return True
    return problem.is_open and problem.others < wanted


def _rank(seed: int, annotator: str, problem: int) -> bytes:
    return hashlib.sha256(f"{seed}\n{annotator}\n{problem}".encode()).digest()
