"""Annotation store: problems, annotators and every decision ever made, in one SQLite file.

A decision is one short transaction; when `decide` returns, it is on the disk. No decision is ever changed or deleted:
undoing is a decision as well. Many threads may use one store object, and many processes one file.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import RLock
from typing import Any

from draw_dataset.annotate.agenda import Agenda, Board, Progress, Standing
from draw_dataset.annotate.decisions import (
    AnnotationState,
    Decision,
    StoredProblem,
    decide,
    fold,
    normal_name,
    read_decision,
    read_id,
    remaining_decisions,
    take_payload,
)
from draw_dataset.annotate.intake import (
    Intake,
    Reading,
    ReadingIntake,
    assess,
    check_new_problems,
    decisions_of_reading,
    import_problems,
    name_some,
)
from draw_dataset.annotate.tables import ROLES, Overlap, ProblemEntry, RecordedWork, Role, StoreTables
from draw_dataset.derivation.derivation import TextNumber
from draw_dataset.derivation.problem import ProblemId, id_named
from draw_dataset.errors import AnnotationError, ChoiceError, StaleWorkError, StoreError, short_repr
from draw_dataset.io.sqlite import Layout, check_whole, explain_errors, open_database, transaction

SCHEMA = 3  # a change of the tables raises it, and a kind of decision that earlier versions cannot read

# From version 2 on ids may be texts: their columns have no type, so that SQLite keeps 7 and "7" apart. Files of version
# 1 are used as they are, with whole numbers only.
TEXT_IDS_SINCE = 2

# From version 3 on decisions may say what is asked, what unknowns are, and a derivation. Files of version 2 have the
# same tables: they become files of version 3 with the first decision of these kinds.
MEANINGS_SINCE = 3
_MEANINGS = frozenset({"asked", "role", "derivation", "take"})

MAX_FIELD = 1 << 26  # bytes, several times the size of an imported line; longer fields are not read

ANNOTATORS_PER_PROBLEM = 2  # unless the store says otherwise

_TABLES = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE problems (
    id NOT NULL PRIMARY KEY,
    position INTEGER NOT NULL UNIQUE,
    revision INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('automatic', 'open', 'refused')),
    questions INTEGER NOT NULL,
    message TEXT
);
CREATE TABLE revisions (
    problem NOT NULL REFERENCES problems (id),
    revision INTEGER NOT NULL,
    question TEXT NOT NULL,
    equations TEXT NOT NULL,
    extra TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (problem, revision)
);
CREATE TABLE annotators (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, added TEXT NOT NULL);
CREATE TABLE decisions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    problem NOT NULL REFERENCES problems (id),
    annotator INTEGER NOT NULL REFERENCES annotators (id),
    role TEXT NOT NULL CHECK (role IN ('annotator', 'adjudicator')),
    revision INTEGER NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    seconds REAL NOT NULL,
    at TEXT NOT NULL
);
CREATE INDEX decisions_of_work ON decisions (problem, annotator, role, number);
CREATE TABLE works (
    problem NOT NULL REFERENCES problems (id),
    annotator INTEGER NOT NULL REFERENCES annotators (id),
    role TEXT NOT NULL,
    status TEXT NOT NULL,
    seconds REAL NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (problem, annotator, role)
);
"""
# `works` has the state after all decisions, so that queues need not compute every state again.

LAYOUT = Layout(
    what="store of annotations",
    version=SCHEMA,
    tables=_TABLES,
    mark="annotators",
    error=StoreError,
    advice="make one with: draw annotate import FILE --store {path}",
    damaged="restore it from a copy",
    kept="Nothing of this step was recorded, everything before it is kept",
)


class Store:
    """A file of annotations; a context manager.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, Store.open(Path(folder, "work.db"), create=True) as store:
    ...     intake = store.add_problems([StoredProblem(7, "Two and 2 make 4 . Add 5 .", ("x = 2 + 5",))])
    ...     name = store.add_annotator("Ann")
    ...     [waiting] = store.queue("Ann")
    ...     work = store.decide(waiting, "Ann", "choose", {"literal": 0, "place": [0, 2]}, seconds=4)
    ...     work = store.decide(waiting, "Ann", "submit")
    ...     work.problem().derivation.q_notation(), store.queue("Ann")
    ('m = q2 + q4', [])
    """

    def __init__(self, connection: sqlite3.Connection, version: int, path: Path) -> None:
        self._connection = connection
        self._version = version
        self._tables = StoreTables(connection, path)
        self._lock = RLock()
        self._process = os.getpid()
        self._board: tuple[int, Board] | None = None
        self.path = path

    @classmethod
    def open(cls, path: str | Path, create: bool = False) -> Store:
        """Open a store and look through it for damage. Threads may share it; they take turns."""
        path = Path(path)
        connection = open_database(path, LAYOUT, create, threads=True)
        try:
            check_whole(connection, path, LAYOUT)
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_FIELD)
            with explain_errors(path, LAYOUT):
                (version,) = connection.execute("PRAGMA user_version").fetchone()
        except BaseException:
            connection.close()
            raise
        return cls(connection, int(version), path)

    def close(self) -> None:
        """Close the file; everything is in it already."""
        with self._lock, explain_errors(self.path, LAYOUT):
            self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _using(self, begin: str) -> Iterator[StoreTables]:
        if os.getpid() != self._process:
            raise StoreError(f"{self.path}: the store was opened in another process; open it again in this one")
        with self._lock, explain_errors(self.path, LAYOUT), transaction(self._connection, begin):
            yield self._tables

    def _reading(self) -> AbstractContextManager[StoreTables]:
        return self._using("BEGIN")

    def _writing(self) -> AbstractContextManager[StoreTables]:
        return self._using("BEGIN IMMEDIATE")

    # Problems, people and settings

    def add_problems(
        self, problems: Iterable[StoredProblem], update: bool = False, *, progress: bool = False
    ) -> Intake:
        """Import problems: all of them, or none if one is refused."""
        # Imported here: nothing else in a store needs it.
        from tqdm import tqdm

        # Proposing takes a while, so it is done before the file is locked.
        listed = tqdm(check_new_problems(problems), desc="propose", unit="problem", disable=not progress)
        assessed = [assess(problem) for problem in listed]
        text = next((e.stored.id for e in assessed if isinstance(e.stored.id, str)), None)
        if text is not None and self._version < TEXT_IDS_SINCE:
            raise AnnotationError(
                f"{self.path}: expected whole numbers as ids, since the store has version {self._version}, but got "
                f"{short_repr(text)}; import them into a new store"
            )
        with self._writing() as tables:
            self._board = None
            return import_problems(tables, assessed, update)

    def problems(self, ids: Sequence[ProblemId] | None = None) -> list[ProblemEntry]:
        """Return all problems in the order of their import, or those of given ids in that order."""
        if ids is None:
            with self._reading() as tables:
                return list(tables.entries())
        known = [self._check_id(id_) for id_ in ids]
        with self._reading() as tables:
            found = {entry.stored.id: entry for entry in tables.entries(known)}
        missing = next((id_ for id_ in known if id_ not in found), None)
        if missing is not None:
            raise _unknown(missing)
        return [found[id_] for id_ in known]

    def problem(self, problem_id: ProblemId) -> ProblemEntry:
        """Return one problem."""
        return self.problems([problem_id])[0]

    def find(self, name: str) -> ProblemId:
        """Return the id of a problem that a page or a command names."""
        with self._reading() as tables:
            # People write a number although the id is a string of digits.
            for id_ in dict.fromkeys((id_named(name), name)):
                if (isinstance(id_, int) or self._version >= TEXT_IDS_SINCE) and tables.has_problem(
                    self._check_id(id_)
                ):
                    return id_
        raise _unknown(id_named(name))

    def _check_id(self, problem: ProblemId) -> ProblemId:
        """Return an id that can be looked for."""
        try:
            id_ = read_id(problem, "")
        except AnnotationError:
            raise _unknown(problem) from None
        if isinstance(id_, str) and self._version < TEXT_IDS_SINCE:
            raise _unknown(problem)  # SQLite would read it as a number
        return id_

    def add_annotator(self, name: str) -> str:
        """Make an annotator known, or an adjudicator, and return the name as the store has it.

        Names that differ only in case are one; the first spelling stays.
        """
        normal = normal_name(name)
        with self._writing() as tables:
            return tables.add_annotator(normal)

    def annotators(self) -> list[str]:
        """Return the names of all annotators and adjudicators, the oldest first."""
        with self._reading() as tables:
            return tables.annotators()

    @property
    def annotators_per_problem(self) -> int:
        """The number of annotators that each problem should have."""
        with self._reading() as tables:
            return tables.setting("annotators_per_problem", ANNOTATORS_PER_PROBLEM)

    @property
    def seed(self) -> int:
        """The seed of the orders of the queues."""
        with self._reading() as tables:
            return tables.setting("seed", 0)

    @property
    def ask_roles(self) -> bool:
        """Whether work is submitted only if it says what each unknown is and what the question asks for."""
        with self._reading() as tables:
            return bool(tables.setting("ask_roles", 0))

    def configure(
        self, annotators_per_problem: int | None = None, seed: int | None = None, *, ask_roles: bool | None = None
    ) -> None:
        """Change the settings of the store; None leaves one as it is."""
        settings = {"annotators_per_problem": (annotators_per_problem, 1), "seed": (seed, 0)}
        for name, (value, least) in settings.items():
            if value is not None and (type(value) is not int or not least <= value < 2**63):
                raise AnnotationError(f"{name}: expected a whole number from {least}, but got {short_repr(value)}")
        if ask_roles is not None and type(ask_roles) is not bool:
            raise AnnotationError(f"ask_roles: expected True or False, but got {short_repr(ask_roles)}")
        with self._writing() as tables:
            self._board = None
            for name, (value, _) in settings.items():
                if value is not None:
                    tables.set_setting(name, value)
            if ask_roles is not None:
                tables.set_setting("ask_roles", int(ask_roles))

    # AnnotationState

    def work(self, problem_id: ProblemId, annotator: str, role: Role = "annotator") -> AnnotationState:
        """Return the state of someone's work on a problem."""
        with self._reading() as tables:
            return _work(tables, self._check_id(problem_id), normal_name(annotator), role)

    def decide(
        self,
        problem_id: ProblemId,
        annotator: str,
        kind: str,
        payload: Mapping[str, Any] | None = None,
        seconds: float = 0.0,
        *,
        role: Role = "annotator",
        after: int | None = None,
    ) -> AnnotationState:
        """Record a decision; when this returns it is on the disk."""
        new = read_decision(kind, payload, seconds)
        if new.kind == "take":
            raise AnnotationError("take: use adjudicate(), with which an adjudicator takes somebody's work")
        if role not in ROLES:
            raise ChoiceError(f"expected the role {' or '.join(ROLES)}, but got {short_repr(role)}")
        id_, name = self._check_id(problem_id), normal_name(annotator)
        with self._lock:
            with self._writing() as tables:
                number, name = tables.annotator(name)
                work, stands = _decide(tables, id_, (number, name), role, new, after)
            if self._board is not None and role == "annotator":
                self._board[1].note(id_, number, stands, is_own=work.submitted and work.is_own)
        return work

    def add_readings(
        self,
        annotator: str,
        readings: Iterable[Reading],
        numbers: Mapping[ProblemId, Sequence[TextNumber] | None],
        update: bool = False,
    ) -> ReadingIntake:
        """Record readings as the work of an annotator, all in one step; `numbers` are those they count, by problem.

        Readings of other problems are left out. A problem without numbers is counted by the rules of this store.
        """
        name = normal_name(annotator)
        given = list(readings)
        there = {entry.stored.id: entry.stored for entry in self.problems()}
        other = tuple(reading.id for reading in given if reading.id not in there or reading.id not in numbers)
        # Reading takes a while, so it is done before the file is locked.
        found = [
            decisions_of_reading(there[reading.id], name, reading, numbers[reading.id])
            for reading in given
            if reading.id in there and reading.id in numbers
        ]
        unchanged: list[ProblemId] = []
        recorded: list[ProblemId] = []
        differing: list[ProblemId] = []
        with self._writing() as tables:
            self._board = None
            tables.add_annotator(name)
            number, name = tables.annotator(name)
            for read in found:
                if read.refused is not None:
                    continue
                revisions = tables.revisions_of(read.id)
                if max(revisions) != there[read.id].revision:
                    raise AnnotationError(
                        f"problem {read.id} was imported again meanwhile; repeat this import. No reading was recorded"
                    )
                before = tables.decisions_of(revisions, number, "annotator")
                done = remaining_decisions(before)[0]
                same = [(d.kind, d.payload) for d in done] == [(d.kind, d.payload) for d in read.decisions]
                if same and fold(revisions, name, before).is_done:
                    unchanged.append(read.id)
                    continue
                if done and not update:
                    differing.append(read.id)
                    continue
                recorded.append(read.id)
                new = [*(Decision("undo") for _ in done), *read.decisions]
                new = [replace(decision, revision=max(revisions)) for decision in new]
                work = fold(revisions, name, [*before, *new])
                for decision in new:
                    tables.record(read.id, number, "annotator", decision, work)
            tables.raise_version(TEXT_IDS_SINCE, MEANINGS_SINCE)
            if differing:
                raise AnnotationError(
                    f"expected no other work of {name}, but there is some on {len(differing)} problems: "
                    f"{name_some(differing)}. No reading was recorded; --update replaces it and keeps its history"
                )
        flagged = {read.id for read in found if read.decisions and read.decisions[-1].kind == "flag"}
        return ReadingIntake(
            annotator=name,
            recorded=tuple(recorded),
            unchanged=tuple(unchanged),
            flagged=tuple(id_ for id_ in (*recorded, *unchanged) if id_ in flagged),
            other=other,
            refused={read.id: read.refused for read in found if read.refused is not None},
            notes={read.id: read.notes for read in found if read.notes and read.refused is None},
        )

    def history(self, problem_id: ProblemId, annotator: str, role: Role = "annotator") -> list[Decision]:
        """Return every decision of someone about a problem, undone ones and undoing included, in their order."""
        with self._reading() as tables:
            revisions = tables.revisions_of(self._check_id(problem_id))
            number, _ = tables.annotator(normal_name(annotator))
            return tables.decisions_of(revisions, number, role)

    def works(self, problem_id: ProblemId | None = None, role: Role = "annotator") -> list[AnnotationState]:
        """Return all work that was begun: by problem in the order of import, then in the order of the annotators."""
        return [work.state() for work in self._read_works(problem_id, role)]

    def _read_works(self, problem_id: ProblemId | None, role: Role) -> list[RecordedWork]:
        # Folding thousands of works takes seconds, so it is done without a lock.
        with self._reading() as tables:
            return tables.list_works(role, None if problem_id is None else self._check_id(problem_id))

    # Agenda

    def agenda(self, annotator: str) -> Agenda:
        """Return the agenda of an annotator."""
        name = normal_name(annotator)
        with self._reading() as tables:
            number, name = tables.annotator(name)
            changes = tables.changes_of_others()
            if self._board is None or self._board[0] != changes:
                self._board = changes, tables.board()
            wanted = tables.setting("annotators_per_problem", ANNOTATORS_PER_PROBLEM)
            return self._board[1].agenda(number, name, tables.setting("seed", 0), wanted)

    def queue(self, annotator: str) -> list[ProblemId]:
        """Return the ids of the problems that wait for an annotator, the next one first."""
        return list(self.agenda(annotator).queue)

    def progress(self, annotator: str) -> Progress:
        """Return the progress of an annotator."""
        return self.agenda(annotator).progress

    def seconds(self, annotator: str, role: Role = "annotator") -> float:
        """Return the time that somebody has spent in a role."""
        with self._reading() as tables:
            number, _ = tables.annotator(normal_name(annotator))
            return tables.seconds_of(number, role)

    # Adjudication

    def adjudicate(
        self,
        problem_id: ProblemId,
        adjudicator: str,
        take: str | None = None,
        decisions: Iterable[tuple[str, Mapping[str, Any] | None]] = (),
        seconds: float = 0.0,
        *,
        submit: bool = True,
    ) -> AnnotationState:
        """Settle a problem in one step: take an annotator's current work, or make own decisions, or both."""
        id_, name = self._check_id(problem_id), normal_name(adjudicator)
        own = [read_decision(kind, payload) for kind, payload in decisions]
        with self._writing() as tables:
            name = tables.add_annotator(name)
            before = _work(tables, id_, name, "adjudicator")
            steps = [Decision("reopen")] if before.is_done else []
            if take is not None:
                right = _work(tables, id_, normal_name(take), "annotator")
                if not right.submitted:
                    raise AnnotationError(f"problem {id_}: expected submitted work of {take}, but it is {right.status}")
                steps.append(read_decision("take", take_payload(right)))
            steps += own
            if submit and not (steps and steps[-1].kind == "flag"):
                steps.append(Decision("submit"))
            if not steps:
                raise AnnotationError(f"problem {id_}: expected something to decide, but got nothing")
            steps[-1] = read_decision(steps[-1].kind, steps[-1].payload, seconds)
            who = tables.annotator(name)
            for step in steps:
                work, _ = _decide(tables, id_, who, "adjudicator", step)
            return work

    def overlaps(self) -> list[Overlap]:
        """Return the problems that several annotators are done with, in the order of their import."""
        with self._reading() as tables:
            return tables.overlaps()

    def adjudications(self, problem_id: ProblemId | None = None) -> dict[ProblemId, AnnotationState]:
        """Return the work that settles each problem: the one that an adjudicator submitted or flagged last."""
        in_time = sorted(self._read_works(problem_id, "adjudicator"), key=lambda work: work.last)
        works = [work.state() for work in in_time]
        return {work.problem_id: work for work in works if work.is_done}


def _work(tables: StoreTables, problem: ProblemId, name: str, role: Role) -> AnnotationState:
    number, name = tables.annotator(name)
    revisions = tables.revisions_of(problem)
    return fold(revisions, name, tables.decisions_of(revisions, number, role))


def _decide(
    tables: StoreTables, problem: ProblemId, who: tuple[int, str], role: Role, new: Decision, after: int | None = None
) -> tuple[AnnotationState, Standing]:
    number, name = who
    revisions = tables.revisions_of(problem)
    decisions = tables.decisions_of(revisions, number, role)
    if after is not None and after != len(decisions):
        raise StaleWorkError(
            f"problem {problem}: the page shows the work after {after} decisions, but there are now "
            f"{len(decisions)}: it was changed in another window. Look at it again. Nothing was recorded"
        )
    new = replace(new, revision=max(revisions))
    work = decide(revisions, name, decisions, new)
    if new.kind == "submit" and work.unsaid and tables.setting("ask_roles", 0):
        raise AnnotationError(
            f"problem {problem}: expected everything to be said, but not yet {', '.join(work.unsaid)}"
        )
    if new.kind in _MEANINGS:
        tables.raise_version(TEXT_IDS_SINCE, MEANINGS_SINCE)
    return work, tables.record(problem, number, role, new, work)


def _unknown(problem: object) -> AnnotationError:
    return AnnotationError(f"Unknown problem {short_repr(problem)}: the store has no problem with this id")
