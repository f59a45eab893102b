"""Tables of an annotation store: all SQL statements, and the records read from them.

The content of a file is not trusted: a field without the type and form that we write is a `StoreError` that names the
problem. So later code can rely on the values.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NoReturn

from draw_dataset.annotate.agenda import Board, Standing
from draw_dataset.annotate.decisions import (
    AnnotationState,
    Decision,
    StoredProblem,
    fold,
    read_decision,
    read_seconds,
    remaining_decisions,
    same_name,
)
from draw_dataset.derivation.problem import ProblemId
from draw_dataset.errors import AnnotationError, StoreError, short_repr
from draw_dataset.io.jsonl import decode_json

Role = Literal["annotator", "adjudicator"]
"""The role of a person: annotators have their own queue, adjudicators settle disagreements."""
ROLES: tuple[Role, ...] = ("annotator", "adjudicator")

STATUSES = ("automatic", "open", "refused")
"""Status of a problem that nobody has worked on: needs no person, has questions or remarks, cannot be annotated."""


@dataclass(frozen=True, slots=True)
class ProblemEntry:
    """A problem of the store."""

    stored: StoredProblem  # its last revision
    status: str  # one of `STATUSES`
    questions: int
    message: str | None  # why it is refused


@dataclass(frozen=True, slots=True)
class Overlap:
    """A problem that several annotators are done with, at least one of whom submitted it."""

    problem: ProblemId
    state: str  # a string that changes whenever one of their works, or the problem, changes
    settled: bool  # an adjudicator has submitted or flagged it


@dataclass(frozen=True, slots=True)
class RecordedWork:
    """All that is recorded of someone's work on a problem."""

    annotator: str
    revisions: Mapping[int, StoredProblem]  # the problem in all its revisions
    decisions: Sequence[Decision]  # all decisions, in their order

    @property
    def last(self) -> int:
        """The number of the last decision."""
        return self.decisions[-1].number

    def state(self) -> AnnotationState:
        """Return the state that the decisions lead to."""
        return fold(self.revisions, self.annotator, self.decisions)


_MANY = 500  # ids in one statement; SQLite allows a thousand


class StoreTables:
    """The tables of an open store. Every method works within a transaction of the caller's."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    # Settings and annotators

    def setting(self, name: str, default: int) -> int:
        """Return a setting of the store."""
        row = self._first("SELECT value FROM settings WHERE name = ?", name)
        if row is None:
            return default
        value = row[0]
        if not (isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20):
            self._refuse(f"the setting {name}", "a whole number", value)
        return int(value)

    def set_setting(self, name: str, value: int) -> None:
        """Change a setting of the store."""
        self._connection.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, str(value)))

    def add_annotator(self, name: str) -> str:
        """Insert an annotator unless the name is there already, in capitals or not; return it as it is stored."""
        known = same_name(name, self.annotators())
        if known is None:
            self._connection.execute("INSERT INTO annotators (name, added) VALUES (?, ?)", (name, _now()))
        return known or name

    def annotators(self) -> list[str]:
        """Return the names of all annotators, the oldest first."""
        rows = self._connection.execute("SELECT name FROM annotators ORDER BY id")
        return [self._text(name, "an annotator") for (name,) in rows]

    def annotator(self, name: str) -> tuple[int, str]:
        """Return the number of an annotator, and the name as it is stored."""
        rows = self._connection.execute("SELECT name, id FROM annotators ORDER BY id")
        numbers = {self._text(known, "an annotator"): int(number) for known, number in rows}
        known = same_name(name, numbers)
        if known is None:
            there = ", ".join([*numbers][:20]) or "none yet"
            raise AnnotationError(f"Unknown annotator {name!r}: the store has {there}")
        return numbers[known], known

    def raise_version(self, old: int, new: int) -> None:
        """Give a file of an old version the new one."""
        if self._connection.execute("PRAGMA user_version").fetchone() == (old,):
            self._connection.execute(f"PRAGMA user_version = {new}")

    # Problems

    def has_problem(self, problem: ProblemId) -> bool:
        """Return True if there is a problem of that id."""
        return self._first("SELECT 1 FROM problems WHERE id = ?", problem) is not None

    def entries(self, problems: Sequence[ProblemId] | None = None) -> Iterator[ProblemEntry]:
        """Yield all problems in the order of their import, or some of them in any order."""
        statement = (
            "SELECT p.id, p.revision, r.question, r.equations, r.extra, p.status, p.questions, p.message "
            "FROM problems p LEFT JOIN revisions r ON r.problem = p.id AND r.revision = p.revision "
        )
        if problems is None:
            yield from map(self._entry, self._connection.execute(f"{statement} ORDER BY p.position"))
            return
        for start in range(0, len(problems), _MANY):
            some = problems[start : start + _MANY]
            where = f"WHERE p.id IN ({', '.join('?' * len(some))})"
            yield from map(self._entry, self._connection.execute(statement + where, some))

    def revisions_of(self, problem: ProblemId) -> dict[int, StoredProblem]:
        """Return a problem in all its revisions."""
        rows = self._connection.execute(
            "SELECT problem, revision, question, equations, extra FROM revisions WHERE problem = ?", (problem,)
        )
        found = {stored.revision: stored for stored in map(self._decode_problem, rows)}
        if not found:
            raise AnnotationError(f"Unknown problem {short_repr(problem)}: the store has no problem with this id")
        return found

    def add_problem(self, entry: ProblemEntry, position: int) -> None:
        """Insert a new problem at a position after all others."""
        values = (entry.stored.id, position, entry.stored.revision, entry.status, entry.questions, entry.message)
        self._connection.execute("INSERT INTO problems VALUES (?, ?, ?, ?, ?, ?)", values)
        self._add_revision(entry.stored)

    def update_problem(self, entry: ProblemEntry) -> None:
        """Insert a new revision of a problem and update the status of all work on it."""
        self._add_revision(entry.stored)
        self.update_status(entry)

    def update_status(self, entry: ProblemEntry) -> None:
        """Update the status of a problem and of all work on it."""
        self._connection.execute(
            "UPDATE problems SET revision = ?, status = ?, questions = ?, message = ? WHERE id = ?",
            (entry.stored.revision, entry.status, entry.questions, entry.message, entry.stored.id),
        )
        for role in ROLES:
            for recorded in self.list_works(role, entry.stored.id):
                self._connection.execute(
                    "UPDATE works SET status = ? WHERE problem = ? AND annotator = ? AND role = ?",
                    (recorded.state().status, entry.stored.id, self.annotator(recorded.annotator)[0], role),
                )

    def _add_revision(self, stored: StoredProblem) -> None:
        texts = stored.question, _json(list(stored.equations)), _json(dict(stored.extra))
        values = (stored.id, stored.revision, *texts, _now())
        self._connection.execute("INSERT INTO revisions VALUES (?, ?, ?, ?, ?, ?)", values)

    def last_position(self) -> int:
        """Return the position of the problem that was imported last; 0 without any."""
        return int(self._connection.execute("SELECT ifnull(max(position), 0) FROM problems").fetchone()[0])

    # Decisions

    def decisions_of(self, revisions: Mapping[int, StoredProblem], annotator: int, role: Role) -> list[Decision]:
        """Return all decisions of someone about a problem, in their order."""
        problem = next(iter(revisions.values())).id
        rows = self._connection.execute(
            "SELECT kind, payload, seconds, revision, at, number FROM decisions "
            "WHERE problem = ? AND annotator = ? AND role = ? ORDER BY number",
            (problem, annotator, role),
        )
        return self._decisions(rows, revisions)

    def record(
        self, problem: ProblemId, annotator: int, role: Role, decision: Decision, work: AnnotationState
    ) -> Standing:
        """Insert a decision and the state that it leads to; return that state in short."""
        payload = _json(decision.payload)
        cursor = self._connection.execute(
            "INSERT INTO decisions (problem, annotator, role, revision, kind, payload, seconds, at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (problem, annotator, role, decision.revision, decision.kind, payload, decision.seconds, _now()),
        )
        now = Standing(work.status, work.seconds, cursor.lastrowid or 0)
        self._connection.execute(
            "INSERT OR REPLACE INTO works VALUES (?, ?, ?, ?, ?, ?)", (problem, annotator, role, *now)
        )
        return now

    def list_works(self, role: Role, problem: ProblemId | None = None) -> list[RecordedWork]:
        """Return all work in a role: by problem in the order of import, then by annotator."""
        rows = self._connection.execute(
            "SELECT d.problem, a.name, d.kind, d.payload, d.seconds, d.revision, d.at, d.number "
            "FROM decisions d JOIN annotators a ON a.id = d.annotator JOIN problems p ON p.id = d.problem "
            "WHERE d.role = ?1 AND (?2 IS NULL OR d.problem = ?2) ORDER BY p.position, a.id, d.number",
            (role, problem),
        ).fetchall()
        found: list[RecordedWork] = []
        for id_, of_problem in groupby(rows, key=lambda row: row[0]):
            revisions = self.revisions_of(id_)
            for name, of_work in groupby(of_problem, key=lambda row: row[1]):
                decisions = self._decisions((row[2:] for row in of_work), revisions)
                found.append(RecordedWork(self._text(name, "an annotator"), revisions, decisions))
        return found

    # State of all work

    def board(self) -> Board:
        """Return the state of all annotators' work."""
        # Roles have to be said of problems whose derivation is certain, too.
        waiting = "status != 'refused'" if self.setting("ask_roles", 0) else "status = 'open'"
        problems = self._connection.execute(f"SELECT id, {waiting} FROM problems ORDER BY position").fetchall()
        works = self._connection.execute(
            "SELECT problem, annotator, status, seconds, last FROM works WHERE role = 'annotator'"
        )
        standings = ((row[0], row[1], self._standing(row[0], *row[2:])) for row in works)
        return Board([(id_, bool(is_open)) for id_, is_open in problems], standings, self._written_works())

    def _written_works(self) -> list[tuple[ProblemId, int]]:
        """Return problem and annotator of the submitted works on problems without questions that people derived."""
        rows = self._connection.execute(
            "SELECT DISTINCT w.problem FROM works w JOIN problems p ON p.id = w.problem "
            "WHERE w.role = 'annotator' AND w.status = 'submitted' AND p.status != 'open'"
        ).fetchall()
        works = [(id_, recorded) for (id_,) in rows for recorded in self.list_works("annotator", id_)]
        states = [(id_, recorded.annotator, recorded.state()) for id_, recorded in works]
        return [(id_, self.annotator(name)[0]) for id_, name, state in states if state.submitted and state.is_own]

    def seconds_of(self, annotator: int, role: Role) -> float:
        """Return the time that somebody has spent in a role."""
        rows = self._connection.execute(
            "SELECT problem, status, seconds, last FROM works WHERE annotator = ? AND role = ?", (annotator, role)
        )
        return sum(self._standing(*row).seconds for row in rows)

    def overlaps(self) -> list[Overlap]:
        """Return the problems that several annotators are done with, in the order of their import."""
        rows = self._connection.execute(
            "SELECT p.id, p.revision || ':' || group_concat(w.last), EXISTS (SELECT 1 FROM works s "
            " WHERE s.problem = p.id AND s.role = 'adjudicator' AND s.status IN ('submitted', 'flagged')) "
            "FROM problems p JOIN works w ON w.problem = p.id "
            "WHERE w.role = 'annotator' AND w.status IN ('submitted', 'flagged') "
            "GROUP BY p.id HAVING count(*) > 1 AND sum(w.status = 'submitted') > 0 ORDER BY p.position"
        )
        return [Overlap(id_, str(state), bool(settled)) for id_, state, settled in rows]

    def changes_of_others(self) -> int:
        """Return a number that changes whenever another process or connection has written."""
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def _first(self, statement: str, value: object) -> tuple[Any, ...] | None:
        row: tuple[Any, ...] | None = self._connection.execute(statement, (value,)).fetchone()
        return row

    # Rows, which may be damaged

    def _entry(self, row: Sequence[Any]) -> ProblemEntry:
        """Read a problem: its id, revision, question, equations, extra, status, number of questions, and message."""
        status, questions, message = row[5:]
        where = f"problem {short_repr(row[0])}"
        if status not in STATUSES:
            self._refuse(f"{where}: status", f"one of {', '.join(STATUSES)}", status)
        if message is not None:
            self._text(message, f"{where}: message")
        return ProblemEntry(
            self._decode_problem(row[:5]), status, self._whole(questions, f"{where}: questions"), message
        )

    def _decode_problem(self, row: Sequence[Any]) -> StoredProblem:
        """Read one revision of a problem: its id, revision, question, equations and extra."""
        id_, revision, question, equations, extra = row
        where = f"problem {short_repr(id_)}"
        if type(id_) not in (int, str):
            self._refuse("a problem", "a whole number or a string as id", id_)
        lines = self._decode(equations, f"{where}: equations")
        if type(lines) is not list or not all(type(line) is str for line in lines):
            self._refuse(f"{where}: equations", "a list of strings", lines)
        others = self._decode(extra, f"{where}: extra")
        if type(others) is not dict:
            self._refuse(f"{where}: extra", "an object", others)
        text, number = self._text(question, f"{where}: question"), self._whole(revision, f"{where}: revision")
        return StoredProblem(id_, text, tuple(lines), others, number)

    def _decisions(self, rows: Iterable[Sequence[Any]], revisions: Mapping[int, StoredProblem]) -> list[Decision]:
        """Read the decisions of one work: kind, payload, seconds, revision, time and number of each."""
        problem = next(iter(revisions.values())).id
        found: list[Decision] = []
        try:
            for kind, payload, seconds, revision, at, number in rows:
                where = f"problem {short_repr(problem)}: decision {number}"
                if revision not in revisions:
                    self._refuse(f"{where}: revision", f"one of {', '.join(map(str, revisions))}", revision)
                read = read_decision(kind, self._decode(payload, where), seconds)
                time = self._text(at, f"{where}: time")
                found.append(Decision(read.kind, read.payload, read.seconds, revision, time, number))
            where = f"problem {short_repr(problem)}"
            remaining_decisions(found)
        except AnnotationError as error:
            self._raise_damaged(f"{where}: {error}", error)
        return found

    def _standing(self, problem: ProblemId, status: Any, seconds: Any, last: Any) -> Standing:
        where = f"problem {short_repr(problem)}: a work"
        try:
            return Standing(self._text(status, where), read_seconds(seconds, where), self._whole(last, where))
        except AnnotationError as error:
            self._raise_damaged(str(error), error)

    def _text(self, value: Any, where: str) -> str:
        if type(value) is not str:
            self._refuse(where, "a string", value)
        return str(value)

    def _whole(self, value: Any, where: str) -> int:
        if type(value) is not int:
            self._refuse(where, "a whole number", value)
        return int(value)

    def _decode(self, value: Any, where: str) -> Any:
        try:
            return decode_json(self._text(value, where), where, AnnotationError)
        except AnnotationError as error:
            self._raise_damaged(str(error), error)

    def _refuse(self, where: str, expected: str, got: object) -> NoReturn:
        self._raise_damaged(f"{where}: expected {expected}, but got {short_repr(got)}")

    def _raise_damaged(self, what: str, cause: Exception | None = None) -> NoReturn:
        told = f"{self._path}: {what}. The store is damaged and was not changed: restore it from a copy"
        raise StoreError(told) from cause


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _json(value: object) -> str:
    # Escaped, since imported data may have lone surrogates, which SQLite does not store.
    return json.dumps(value, separators=(",", ":"))
