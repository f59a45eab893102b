"""What the tables of a store hold, as objects: the one place with the statements that read and write them.

Every function works on an open connection within a transaction of the caller's.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Literal

from draw_dataset.annotation.store.decision import Decision
from draw_dataset.annotation.store.history import fold
from draw_dataset.annotation.store.queue import Waiting
from draw_dataset.annotation.store.work import StoredProblem, Work
from draw_dataset.errors import AnnotationError

Role = Literal["annotator", "adjudicator"]
"""In which role someone works: for a queue of their own, or to settle what others disagree about."""
ROLES: tuple[Role, ...] = ("annotator", "adjudicator")


@dataclass(frozen=True, slots=True)
class ProblemEntry:
    """A problem of the store.

    Attributes:
        stored: the problem as imported last.
        status: ``automatic`` (needs no person), ``open`` (has questions, or is to be looked at) or ``refused``
            (cannot be annotated as it is).
        questions: how many questions it has.
        message: why it is refused; None if it is not.
    """

    stored: StoredProblem
    status: str
    questions: int
    message: str | None


@dataclass(frozen=True, slots=True)
class Overlap:
    """A problem that several annotators are done with, at least one of whom submitted it.

    Attributes:
        problem: its number.
        state: another text whenever one of their works, or the problem, has changed.
        settled: whether an adjudicator has submitted or flagged it.
    """

    problem: int
    state: str
    settled: bool


def now() -> str:
    """Return the time, in UTC, as the store writes it."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def as_json(value: object) -> str:
    """Return plain data as the store writes it."""
    # Escaped, since what comes from elsewhere may hold halves of characters, which SQLite does not take.
    return json.dumps(value, separators=(",", ":"))


def setting(connection: sqlite3.Connection, name: str, default: int) -> int:
    """Return a setting of the store."""
    row = connection.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
    return default if row is None else int(row[0])


def set_setting(connection: sqlite3.Connection, name: str, value: int) -> None:
    """Change a setting of the store."""
    connection.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, str(value)))


def add_annotator(connection: sqlite3.Connection, name: str) -> None:
    """Make an annotator known, who may be known already."""
    connection.execute("INSERT OR IGNORE INTO annotators (name, added) VALUES (?, ?)", (name, now()))


def annotator_number(connection: sqlite3.Connection, name: str) -> int:
    """Return the number of an annotator.

    Raises:
        AnnotationError: there is none of that name; says which there are.
    """
    row = connection.execute("SELECT id FROM annotators WHERE name = ?", (name,)).fetchone()
    if row is None:
        names = [name for (name,) in connection.execute("SELECT name FROM annotators ORDER BY id LIMIT 20")]
        there = ", ".join(names) or "none yet"
        raise AnnotationError(f"expected an annotator of this store ({there}), but got {name!r}")
    return int(row[0])


def entries(connection: sqlite3.Connection, problem: int | None = None) -> Iterator[ProblemEntry]:
    """Yield the problems in the order of their import, or one of them."""
    rows = connection.execute(
        "SELECT p.id, r.question, r.equations, r.extra, p.revision, p.status, p.questions, p.message "
        "FROM problems p JOIN revisions r ON r.problem = p.id AND r.revision = p.revision "
        "WHERE ?1 IS NULL OR p.id = ?1 ORDER BY p.position",
        (problem,),
    )
    for id_, question, equations, extra, revision, status, questions, message in rows:
        yield ProblemEntry(_stored(id_, revision, question, equations, extra), status, questions, message)


def revisions_of(connection: sqlite3.Connection, problem: int) -> dict[int, StoredProblem]:
    """Return a problem in all its revisions.

    Raises:
        AnnotationError: there is no such problem.
    """
    rows = connection.execute(
        "SELECT revision, question, equations, extra FROM revisions WHERE problem = ?", (problem,)
    ).fetchall()
    if not rows:
        raise AnnotationError(f"expected a problem of this store, but got {problem!r}, which it has not")
    return {revision: _stored(problem, revision, *texts) for revision, *texts in rows}


def _stored(problem: int, revision: int, question: str, equations: str, extra: str) -> StoredProblem:
    return StoredProblem(problem, question, tuple(json.loads(equations)), json.loads(extra), revision)


def decisions_of(connection: sqlite3.Connection, problem: int, annotator: int, role: Role) -> list[Decision]:
    """Return all decisions of someone about a problem, in their order."""
    rows = connection.execute(
        "SELECT kind, payload, seconds, revision, at, number FROM decisions "
        "WHERE problem = ? AND annotator = ? AND role = ? ORDER BY number",
        (problem, annotator, role),
    )
    return [_decision(*row) for row in rows]


def _decision(kind: str, payload: str, seconds: float, revision: int, at: str, number: int) -> Decision:
    return Decision(kind, json.loads(payload), seconds, revision, at, number)


def record(
    connection: sqlite3.Connection, problem: int, annotator: int, role: Role, decision: Decision, work: Work
) -> None:
    """Write down a decision and what it leads to."""
    cursor = connection.execute(
        "INSERT INTO decisions (problem, annotator, role, revision, kind, payload, seconds, at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            problem,
            annotator,
            role,
            decision.revision,
            decision.kind,
            as_json(decision.payload),
            decision.seconds,
            now(),
        ),
    )
    connection.execute(
        "INSERT OR REPLACE INTO works VALUES (?, ?, ?, ?, ?, ?)",
        (problem, annotator, role, work.status, work.seconds, cursor.lastrowid),
    )


@dataclass(frozen=True, slots=True)
class Recorded:
    """All that is recorded of someone's work on a problem; `fold` makes the work of it.

    Attributes:
        annotator: who worked.
        revisions: the problem in all its revisions.
        decisions: all decisions, in their order.
    """

    annotator: str
    revisions: Mapping[int, StoredProblem]
    decisions: Sequence[Decision]

    @property
    def last(self) -> int:
        """The number of the last decision, which says who was later."""
        return self.decisions[-1].number

    def folded(self) -> Work:
        """Return what the decisions come to."""
        return fold(self.revisions, self.annotator, self.decisions)


def all_recorded(connection: sqlite3.Connection, role: Role, problem: int | None = None) -> list[Recorded]:
    """Return what is recorded of all work in a role: by problem in the order of import, then by annotator."""
    rows = connection.execute(
        "SELECT d.problem, a.name, d.kind, d.payload, d.seconds, d.revision, d.at, d.number "
        "FROM decisions d JOIN annotators a ON a.id = d.annotator JOIN problems p ON p.id = d.problem "
        "WHERE d.role = ?1 AND (?2 IS NULL OR d.problem = ?2) ORDER BY p.position, a.id, d.number",
        (role, problem),
    ).fetchall()
    found: list[Recorded] = []
    for id_, of_problem in groupby(rows, key=lambda row: int(row[0])):
        revisions = revisions_of(connection, id_)
        for name, of_work in groupby(of_problem, key=lambda row: str(row[1])):
            found.append(Recorded(name, revisions, [_decision(*row[2:]) for row in of_work]))
    return found


def refresh_status(connection: sqlite3.Connection, problem: int) -> None:
    """Bring up to date what the table of works says about a problem that was imported anew."""
    revisions = revisions_of(connection, problem)
    rows = connection.execute(
        "SELECT w.annotator, w.role, a.name FROM works w JOIN annotators a ON a.id = w.annotator WHERE w.problem = ?",
        (problem,),
    ).fetchall()
    for annotator, role, name in rows:
        work = fold(revisions, name, decisions_of(connection, problem, annotator, role))
        connection.execute(
            "UPDATE works SET status = ? WHERE problem = ? AND annotator = ? AND role = ?",
            (work.status, problem, annotator, role),
        )


def waiting(connection: sqlite3.Connection, annotator: int) -> list[Waiting]:
    """Return all problems as an annotator's queue sees them."""
    rows = connection.execute(
        "SELECT p.id, p.status = 'open', own.status, ifnull(own.last, 0), ifnull(own.seconds, 0.0), "
        "(SELECT count(*) FROM works w WHERE w.problem = p.id AND w.annotator <> ?1 AND w.role = 'annotator' "
        " AND w.status IN ('started', 'flagged', 'submitted')) "
        "FROM problems p LEFT JOIN works own ON own.problem = p.id AND own.annotator = ?1 AND own.role = 'annotator' "
        "ORDER BY p.position",
        (annotator,),
    )
    return [Waiting(id_, bool(is_open), *rest) for id_, is_open, *rest in rows]


def seconds_of(connection: sqlite3.Connection, annotator: int, role: Role) -> float:
    """Return the time that somebody has spent in a role."""
    rows = connection.execute(
        "SELECT ifnull(sum(seconds), 0.0) FROM works WHERE annotator = ? AND role = ?", (annotator, role)
    )
    return float(rows.fetchone()[0])


def overlaps(connection: sqlite3.Connection) -> list[Overlap]:
    """Return the problems that several annotators are done with, in the order of their import."""
    rows = connection.execute(
        "SELECT p.id, p.revision || ':' || group_concat(w.last), EXISTS (SELECT 1 FROM works s "
        " WHERE s.problem = p.id AND s.role = 'adjudicator' AND s.status IN ('submitted', 'flagged')) "
        "FROM problems p JOIN works w ON w.problem = p.id "
        "WHERE w.role = 'annotator' AND w.status IN ('submitted', 'flagged') "
        "GROUP BY p.id HAVING count(*) > 1 AND sum(w.status = 'submitted') > 0 ORDER BY p.position"
    )
    return [Overlap(id_, state, bool(settled)) for id_, state, settled in rows]


def add_revision(connection: sqlite3.Connection, stored: StoredProblem) -> None:
    """Write down a problem as it is imported."""
    connection.execute(
        "INSERT INTO revisions VALUES (?, ?, ?, ?, ?, ?)",
        (
            stored.id,
            stored.revision,
            stored.question,
            as_json(list(stored.equations)),
            as_json(dict(stored.extra)),
            now(),
        ),
    )
