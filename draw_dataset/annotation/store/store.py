"""The store of annotations: problems, annotators and every decision ever made, in one SQLite file.

A decision is one short transaction: the decisions so far are read and folded, the new one is tried on their state, and
recorded if it fits. When `decide` returns it is on the disk; if the process dies before, it never was. No decision is
ever changed or deleted: undoing is a decision, too. One store object may be used by many threads, one file by many
processes; whoever writes waits for the others.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import RLock
from typing import Any

from draw_dataset.annotation.store import tables
from draw_dataset.annotation.store.decision import Decision, normal_name, read_decision
from draw_dataset.annotation.store.history import decided, fold, take_payload
from draw_dataset.annotation.store.intake import MAX_ID, Intake, assess, checked, take_in
from draw_dataset.annotation.store.queue import Progress, Waiting, progress_of, queue_order
from draw_dataset.annotation.store.schema import connect, transaction, translated
from draw_dataset.annotation.store.tables import Overlap, ProblemEntry, Role
from draw_dataset.annotation.store.work import StoredProblem, Work
from draw_dataset.errors import AnnotationError, ChoiceError, StaleWorkError, StoreError, shown

ANNOTATORS_PER_PROBLEM = 2
"""How many annotators a problem should have, unless the store says otherwise."""


class Store:
    """A file of annotations; a context manager.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, Store.open(Path(folder, "work.db"), create=True) as store:
    ...     intake = store.add_problems([StoredProblem(7, "Two and 2 make 4 . Add 5 .", ("x = 2 + 5",))])
    ...     name = store.add_annotator("Ann")
    ...     work = store.decide(store.next_problem("Ann"), "Ann", "choose", {"literal": 0, "place": [0, 2]}, seconds=4)
    ...     work = store.decide(7, "Ann", "submit")
    ...     work.problem().derivation.q_notation(), store.next_problem("Ann")
    ('m = q2 + q4', None)

    Attributes:
        path: the file.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._lock = RLock()
        self._process = os.getpid()
        self.path = path

    @classmethod
    def open(cls, path: str | Path, create: bool = False) -> Store:
        """Open a store.

        Args:
            path: the file.
            create: make it if it is not there.

        Raises:
            StoreError: it is not there, is no store, is damaged, is of a later version, or cannot be read or written.
        """
        return cls(connect(Path(path), create), Path(path))

    def close(self) -> None:
        """Close the file; everything is in it already."""
        with self._lock, translated(self.path):
            self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _using(self, begin: str) -> Iterator[sqlite3.Connection]:
        if os.getpid() != self._process:
            raise StoreError(f"{self.path}: the store was opened in another process; open it anew in this one")
        with self._lock, translated(self.path), transaction(self._connection, begin):
            yield self._connection

    def _reading(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._using("BEGIN")

    def _writing(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._using("BEGIN IMMEDIATE")

    # What there is

    def add_problems(
        self, problems: Iterable[StoredProblem], update: bool = False, *, progress: bool = False
    ) -> Intake:
        """Import problems: all of them, or none if one is refused.

        Args:
            problems: the problems; their revisions do not matter.
            update: whether those that are there otherwise become new revisions.
            progress: whether to show a progress bar on stderr.

        Raises:
            AnnotationError: one cannot be imported, or some are there otherwise; names them.
        """
        from tqdm import tqdm

        # Proposing takes a while, so it is done before anyone has to wait for us.
        listed = tqdm(checked(problems), desc="propose", unit="problem", disable=not progress)
        assessed = [assess(problem) for problem in listed]
        with self._writing() as connection:
            return take_in(connection, assessed, update)

    def problems(self) -> list[ProblemEntry]:
        """Return all problems in the order of their import."""
        with self._reading() as connection:
            return list(tables.entries(connection))

    def problem(self, problem_id: int) -> ProblemEntry:
        """Return one problem.

        Raises:
            AnnotationError: there is no such problem.
        """
        with self._reading() as connection:
            for entry in tables.entries(connection, _known_id(problem_id)):
                return entry
        raise AnnotationError(f"expected a problem of this store, but got {shown(problem_id)}, which it has not")

    def add_annotator(self, name: str) -> str:
        """Make an annotator known, or an adjudicator, and return the name in its normal form.

        Raises:
            AnnotationError: the text is no name (see `names`).
        """
        normal = normal_name(name)
        with self._writing() as connection:
            tables.add_annotator(connection, normal)
        return normal

    def annotators(self) -> list[str]:
        """Return the names of all annotators and adjudicators, in the order in which they came."""
        with self._reading() as connection:
            return [name for (name,) in connection.execute("SELECT name FROM annotators ORDER BY id")]

    @property
    def annotators_per_problem(self) -> int:
        """How many annotators each problem should have."""
        with self._reading() as connection:
            return tables.setting(connection, "annotators_per_problem", ANNOTATORS_PER_PROBLEM)

    @property
    def seed(self) -> int:
        """The seed of the orders of the queues."""
        with self._reading() as connection:
            return tables.setting(connection, "seed", 0)

    def configure(self, annotators_per_problem: int | None = None, seed: int | None = None) -> None:
        """Change the settings of the store; None leaves one as it is.

        Raises:
            AnnotationError: they are no whole numbers, or nobody should annotate.
        """
        settings = {"annotators_per_problem": (annotators_per_problem, 1), "seed": (seed, 0)}
        for name, (value, least) in settings.items():
            if value is not None and (type(value) is not int or not least <= value < 2**63):
                raise AnnotationError(f"{name}: expected a whole number from {least}, but got {shown(value)}")
        with self._writing() as connection:
            for name, (value, _) in settings.items():
                if value is not None:
                    tables.set_setting(connection, name, value)

    # Work

    def work(self, problem_id: int, annotator: str, role: Role = "annotator") -> Work:
        """Return the state of someone's work on a problem.

        Raises:
            AnnotationError: there is no such problem or annotator.
        """
        with self._reading() as connection:
            return _work(connection, _known_id(problem_id), normal_name(annotator), role)

    def decide(
        self,
        problem_id: int,
        annotator: str,
        kind: str,
        payload: Mapping[str, Any] | None = None,
        seconds: float = 0.0,
        *,
        role: Role = "annotator",
        after: int | None = None,
    ) -> Work:
        """Record a decision; when this returns it is on the disk.

        Args:
            problem_id: the problem.
            annotator: whose decision.
            kind: see `decision`.
            payload: what belongs to it.
            seconds: how long it took.
            role: ``adjudicator`` for the work of settling a disagreement, which is apart from one's own annotation.
            after: the `Work.decided` that the decision was made on; None if it does not matter.

        Raises:
            StaleWorkError: others were recorded since `after`, as from another window.
            AnnotationError: the decision is not of its form, or does not fit the state.
            StoreError: it could not be recorded.
        """
        new = read_decision(kind, payload, seconds)
        if new.kind == "take":
            raise AnnotationError("take: expected another kind; an adjudicator takes work with adjudicate")
        with self._writing() as connection:
            return _decide(connection, _known_id(problem_id), normal_name(annotator), role, new, after)

    def undo(self, problem_id: int, annotator: str, seconds: float = 0.0, *, role: Role = "annotator") -> Work:
        """Undo the last decision that is not undone; the same as `decide` with ``undo``."""
        return self.decide(problem_id, annotator, "undo", None, seconds, role=role)

    def history(self, problem_id: int, annotator: str, role: Role = "annotator") -> list[Decision]:
        """Return every decision of someone about a problem, undone ones and undoing included, in their order."""
        with self._reading() as connection:
            tables.revisions_of(connection, _known_id(problem_id))
            number = tables.annotator_number(connection, normal_name(annotator))
            return tables.decisions_of(connection, problem_id, number, role)

    def works(self, problem_id: int | None = None, role: Role = "annotator") -> list[Work]:
        """Return all work that was begun: by problem in the order of import, then in the order of the annotators."""
        return [recorded.folded() for recorded in self._recorded(problem_id, role)]

    def _recorded(self, problem_id: int | None, role: Role) -> list[tables.Recorded]:
        # Folding thousands of works takes seconds, in which nobody should have to wait.
        with self._reading() as connection:
            return tables.all_recorded(connection, role, None if problem_id is None else _known_id(problem_id))

    # Queues

    def queue(self, annotator: str) -> list[int]:
        """Return the ids of the problems that wait for an annotator, the next one first."""
        name = normal_name(annotator)
        with self._reading() as connection:
            waiting = tables.waiting(connection, tables.annotator_number(connection, name))
            wanted = tables.setting(connection, "annotators_per_problem", ANNOTATORS_PER_PROBLEM)
            seed = tables.setting(connection, "seed", 0)
        return queue_order(waiting, name, seed, wanted)

    def next_problem(self, annotator: str) -> int | None:
        """Return the id of the problem that an annotator should look at next; None if all is done."""
        return next(iter(self.queue(annotator)), None)

    def progress(self, annotator: str) -> Progress:
        """Return how far an annotator has come."""
        with self._reading() as connection:
            waiting = tables.waiting(connection, tables.annotator_number(connection, normal_name(annotator)))
            return progress_of(waiting, tables.setting(connection, "annotators_per_problem", ANNOTATORS_PER_PROBLEM))

    def listing(self, annotator: str) -> list[Waiting]:
        """Return all problems as an annotator's queue sees them, in the order of their import."""
        with self._reading() as connection:
            return tables.waiting(connection, tables.annotator_number(connection, normal_name(annotator)))

    def seconds(self, annotator: str, role: Role = "annotator") -> float:
        """Return the time that somebody has spent in a role."""
        with self._reading() as connection:
            number = tables.annotator_number(connection, normal_name(annotator))
            return tables.seconds_of(connection, number, role)

    # Adjudication

    def adjudicate(
        self,
        problem_id: int,
        adjudicator: str,
        take: str | None = None,
        decisions: Iterable[tuple[str, Mapping[str, Any] | None]] = (),
        seconds: float = 0.0,
        *,
        submit: bool = True,
    ) -> Work:
        """Settle a problem in one step: take an annotator's work as it is now, or decide oneself, or both.

        To settle it in many steps, `decide` in the role of an adjudicator.

        Args:
            problem_id: the problem.
            adjudicator: who settles it; made known if need be.
            take: whose work to begin with; it must be submitted. None: with the adjudicator's own so far.
            decisions: kinds and payloads of further decisions.
            seconds: how long all of it took.
            submit: whether to submit it in the end; a problem that is flagged is not.

        Raises:
            AnnotationError: there is no such problem or annotator, the work is not submitted, or a decision does not
                fit; then nothing is recorded.
        """
        id_, name = _known_id(problem_id), normal_name(adjudicator)
        own = [read_decision(kind, payload) for kind, payload in decisions]
        with self._writing() as connection:
            tables.add_annotator(connection, name)
            before = _work(connection, id_, name, "adjudicator")
            steps = [Decision("reopen")] if before.submitted or before.flagged is not None else []
            if take is not None:
                right = _work(connection, id_, normal_name(take), "annotator")
                if not right.submitted:
                    raise AnnotationError(f"problem {id_}: expected submitted work of {take}, but it is {right.status}")
                steps.append(read_decision("take", take_payload(right)))
            steps += own
            if submit and not (steps and steps[-1].kind == "flag"):
                steps.append(Decision("submit"))
            if not steps:
                raise AnnotationError(f"problem {id_}: expected something to decide, but got nothing")
            steps[-1] = read_decision(steps[-1].kind, steps[-1].payload, seconds)
            for step in steps:
                work = _decide(connection, id_, name, "adjudicator", step)
            return work

    def overlaps(self) -> list[Overlap]:
        """Return the problems that several annotators are done with, in the order of their import."""
        with self._reading() as connection:
            return tables.overlaps(connection)

    def adjudications(self, problem_id: int | None = None) -> dict[int, Work]:
        """Return the work that settles each problem: the one that an adjudicator submitted or flagged last."""
        in_time = sorted(self._recorded(problem_id, "adjudicator"), key=lambda recorded: recorded.last)
        works = [recorded.folded() for recorded in in_time]
        return {work.problem_id: work for work in works if work.submitted or work.flagged is not None}


def _work(connection: sqlite3.Connection, problem_id: int, name: str, role: Role) -> Work:
    number = tables.annotator_number(connection, name)
    revisions = tables.revisions_of(connection, problem_id)
    return fold(revisions, name, tables.decisions_of(connection, problem_id, number, role))


def _decide(
    connection: sqlite3.Connection, problem_id: int, name: str, role: Role, new: Decision, after: int | None = None
) -> Work:
    if role not in tables.ROLES:
        raise ChoiceError(f"expected the role {' or '.join(tables.ROLES)}, but got {shown(role)}")
    number = tables.annotator_number(connection, name)
    revisions = tables.revisions_of(connection, problem_id)
    decisions = tables.decisions_of(connection, problem_id, number, role)
    if after is not None and after != len(decisions):
        raise StaleWorkError(
            f"problem {problem_id}: expected the work as it was after {after} decisions, but there are "
            f"{len(decisions)}, as from another window; look at it again. Nothing was recorded"
        )
    new = replace(new, revision=max(revisions))
    work = decided(revisions, name, decisions, new)
    tables.record(connection, problem_id, number, role, new, work)
    return work


def _known_id(problem_id: int) -> int:
    if type(problem_id) is not int or not 0 <= problem_id <= MAX_ID:
        raise AnnotationError(f"expected a problem of this store, but got {shown(problem_id)}")
    return problem_id
