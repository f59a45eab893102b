"""The tables of a store: the one place with the statements that read and write them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from draw_dataset.annotation.store.agenda import Board, Standing
from draw_dataset.annotation.store.decision import Decision
from draw_dataset.annotation.store.records import ROLES, Overlap, ProblemEntry, Recorded, Role, RowReader
from draw_dataset.annotation.store.work import StoredProblem, Work
from draw_dataset.core.problem import ProblemId
from draw_dataset.errors import AnnotationError, shown

_MANY = 500
"""How many ids one statement asks for; SQLite allows a thousand."""


class StoreTables:
    """The tables of an open store. Every method works within a transaction of the caller's.

    Args:
        connection: the open file.
        path: its name, for errors.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._read = RowReader(path)

    # Settings and annotators

    def setting(self, name: str, default: int) -> int:
        """Return a setting of the store."""
        row = self._first("SELECT value FROM settings WHERE name = ?", name)
        return default if row is None else self._read.setting(name, row[0])

    def set_setting(self, name: str, value: int) -> None:
        """Change a setting of the store."""
        self._connection.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, str(value)))

    def add_annotator(self, name: str) -> None:
        """Make an annotator known, who may be known already."""
        self._connection.execute("INSERT OR IGNORE INTO annotators (name, added) VALUES (?, ?)", (name, _now()))

    def annotators(self) -> list[str]:
        """Return the names of all annotators, in the order in which they came."""
        rows = self._connection.execute("SELECT name FROM annotators ORDER BY id")
        return [self._read.text(name, "an annotator") for (name,) in rows]

    def annotator_number(self, name: str) -> int:
        """Return the number of an annotator.

        Raises:
            AnnotationError: there is none of that name; says which there are.
        """
        row = self._first("SELECT id FROM annotators WHERE name = ?", name)
        if row is None:
            there = ", ".join(self.annotators()[:20]) or "none yet"
            raise AnnotationError(f"Unknown annotator {name!r}: the store has {there}")
        return int(row[0])

    # Problems

    def has_problem(self, problem: ProblemId) -> bool:
        """Say whether there is a problem of that id."""
        return self._first("SELECT 1 FROM problems WHERE id = ?", problem) is not None

    def entries(self, problems: Sequence[ProblemId] | None = None) -> Iterator[ProblemEntry]:
        """Yield all problems in the order of their import, or some of them in any order."""
        statement = (
            "SELECT p.id, p.revision, r.question, r.equations, r.extra, p.status, p.questions, p.message "
            "FROM problems p LEFT JOIN revisions r ON r.problem = p.id AND r.revision = p.revision "
        )
        if problems is None:
            yield from map(self._read.entry, self._connection.execute(f"{statement} ORDER BY p.position"))
            return
        for start in range(0, len(problems), _MANY):
            some = problems[start : start + _MANY]
            where = f"WHERE p.id IN ({', '.join('?' * len(some))})"
            yield from map(self._read.entry, self._connection.execute(statement + where, some))

    def revisions_of(self, problem: ProblemId) -> dict[int, StoredProblem]:
        """Return a problem in all its revisions.

        Raises:
            AnnotationError: there is no such problem.
        """
        rows = self._connection.execute(
            "SELECT problem, revision, question, equations, extra FROM revisions WHERE problem = ?", (problem,)
        )
        found = {stored.revision: stored for stored in map(self._read.stored, rows)}
        if not found:
            raise AnnotationError(f"Unknown problem {shown(problem)}: the store has no problem with this id")
        return found

    def add_problem(self, entry: ProblemEntry, position: int) -> None:
        """Write down a problem that is new, at a position after all others."""
        values = (entry.stored.id, position, entry.stored.revision, entry.status, entry.questions, entry.message)
        self._connection.execute("INSERT INTO problems VALUES (?, ?, ?, ?, ?, ?)", values)
        self._add_revision(entry.stored)

    def update_problem(self, entry: ProblemEntry) -> None:
        """Write down a new revision of a problem, and how works on it stand then."""
        self._add_revision(entry.stored)
        self._connection.execute(
            "UPDATE problems SET revision = ?, status = ?, questions = ?, message = ? WHERE id = ?",
            (entry.stored.revision, entry.status, entry.questions, entry.message, entry.stored.id),
        )
        for role in ROLES:
            for recorded in self.recorded(role, entry.stored.id):
                self._connection.execute(
                    "UPDATE works SET status = ? WHERE problem = ? AND annotator = ? AND role = ?",
                    (recorded.folded().status, entry.stored.id, self.annotator_number(recorded.annotator), role),
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
        """Return all decisions of someone about a problem, in their order.

        Args:
            revisions: the problem in all its revisions.
            annotator: the annotator's number.
            role: in which role.
        """
        problem = next(iter(revisions.values())).id
        rows = self._connection.execute(
            "SELECT kind, payload, seconds, revision, at, number FROM decisions "
            "WHERE problem = ? AND annotator = ? AND role = ? ORDER BY number",
            (problem, annotator, role),
        )
        return self._read.decisions(rows, revisions)

    def record(self, problem: ProblemId, annotator: int, role: Role, decision: Decision, work: Work) -> Standing:
        """Write down a decision and what it leads to; return how the work stands then."""
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

    def recorded(self, role: Role, problem: ProblemId | None = None) -> list[Recorded]:
        """Return what is recorded of all work in a role: by problem in the order of import, then by annotator."""
        rows = self._connection.execute(
            "SELECT d.problem, a.name, d.kind, d.payload, d.seconds, d.revision, d.at, d.number "
            "FROM decisions d JOIN annotators a ON a.id = d.annotator JOIN problems p ON p.id = d.problem "
            "WHERE d.role = ?1 AND (?2 IS NULL OR d.problem = ?2) ORDER BY p.position, a.id, d.number",
            (role, problem),
        ).fetchall()
        found: list[Recorded] = []
        for id_, of_problem in groupby(rows, key=lambda row: row[0]):
            revisions = self.revisions_of(id_)
            for name, of_work in groupby(of_problem, key=lambda row: row[1]):
                decisions = self._read.decisions((row[2:] for row in of_work), revisions)
                found.append(Recorded(self._read.text(name, "an annotator"), revisions, decisions))
        return found

    # How works stand

    def board(self) -> Board:
        """Return how all works of annotators stand."""
        problems = self._connection.execute("SELECT id, status = 'open' FROM problems ORDER BY position").fetchall()
        works = self._connection.execute(
            "SELECT problem, annotator, status, seconds, last FROM works WHERE role = 'annotator'"
        )
        standings = ((row[0], row[1], self._read.standing(row[0], *row[2:])) for row in works)
        return Board([(id_, bool(is_open)) for id_, is_open in problems], standings)

    def seconds_of(self, annotator: int, role: Role) -> float:
        """Return the time that somebody has spent in a role."""
        rows = self._connection.execute(
            "SELECT problem, status, seconds, last FROM works WHERE annotator = ? AND role = ?", (annotator, role)
        )
        return sum(self._read.standing(*row).seconds for row in rows)

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


def _now() -> str:
    """Return the time, in UTC, as the store writes it."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _json(value: object) -> str:
    """Return plain data as the store writes it."""
    # Escaped, since imported data may have lone surrogates, which SQLite does not store.
    return json.dumps(value, separators=(",", ":"))
