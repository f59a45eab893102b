"""How problems come into a store: proposed for, compared with what is there, all of them or none.

A problem that the text decides is annotated by that alone; one with questions, or that the import wants to be looked at
(``look_at``, a list of reasons), waits for people; one that cannot be annotated as it is stays with the reason, since
its text can be edited. A problem that is there already must be the same, unless it is said that it is to be brought up
to date: then it gets a new revision, and work on it moves along.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from draw_dataset.annotation.store.tables import ProblemEntry, add_revision, entries, refresh_status
from draw_dataset.annotation.store.work import StoredProblem, fresh_work
from draw_dataset.errors import AnnotationError, shown

MAX_ID = 2**63 - 1
"""The largest number that a problem may have."""

_SURROGATE = re.compile("[\ud800-\udfff]")

_NAMED = 20
"""How many ids a message names."""


@dataclass(frozen=True, slots=True)
class Intake:
    """What an import has done.

    Attributes:
        added: the ids of new problems.
        updated: the ids of problems that were there otherwise.
        unchanged: the ids of problems that were there just so.
        counts: how many of the added and updated are ``automatic``, ``open`` and ``refused``.
        refused: the message of each refused one, by id.
    """

    added: tuple[int, ...]
    updated: tuple[int, ...]
    unchanged: tuple[int, ...]
    counts: Mapping[str, int]
    refused: Mapping[int, str]


def checked(problems: Iterable[StoredProblem]) -> list[StoredProblem]:
    """Return problems that may be imported, each once.

    Raises:
        AnnotationError: an id is no whole number, a text is none or has halves of characters, which SQLite does not
            take, the other fields are no plain data, or an id stands for two different problems.
    """
    found: dict[int, StoredProblem] = {}
    for problem in problems:
        if type(problem.id) is not int or not 0 <= problem.id <= MAX_ID:
            raise AnnotationError(f"id: expected a whole number from 0 to {MAX_ID}, but got {shown(problem.id)}")
        for text in (problem.question, *problem.equations):
            if not isinstance(text, str) or _SURROGATE.search(text):
                raise AnnotationError(
                    f"problem {problem.id}: expected texts of whole characters, but got {shown(text)}"
                )
        _written(problem)
        if not _same(found.setdefault(problem.id, problem), problem):
            raise AnnotationError(
                f"problem {problem.id}: expected each id once, but got two different problems with it"
            )
    return list(found.values())


def assess(stored: StoredProblem) -> ProblemEntry:
    """Say whether a problem needs a person.

    >>> assess(StoredProblem(1, "Ann has 3 and 4 .", ("x = 3 + 4",))).status
    'automatic'
    """
    work = fresh_work(stored, "")
    if work.proposal is None:
        return ProblemEntry(stored, "refused", 0, work.refusal)
    if work.left:
        return ProblemEntry(stored, "open", len(work.left), None)
    try:
        work.problem()
    except AnnotationError as error:
        return ProblemEntry(stored, "refused", 0, str(error))
    return ProblemEntry(stored, "open" if stored.look_at else "automatic", 0, None)


def take_in(connection: sqlite3.Connection, assessed: Sequence[ProblemEntry], update: bool) -> Intake:
    """Write problems into a store, within a transaction of the caller's.

    Raises:
        AnnotationError: some are there otherwise and are not to be updated; names them.
    """
    there = {entry.stored.id: entry.stored for entry in entries(connection)}
    unchanged = tuple(e.stored.id for e in assessed if e.stored.id in there and _same(there[e.stored.id], e.stored))
    known = set(unchanged)
    changed = [entry for entry in assessed if entry.stored.id in there and entry.stored.id not in known]
    if changed and not update:
        ids = [entry.stored.id for entry in changed]
        named = ", ".join(map(str, ids[:_NAMED])) + (f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else "")
        raise AnnotationError(
            f"expected new problems, or the same as in the store, but {len(ids)} differ from it: {named}. "
            "Nothing was imported; give --update to make them new revisions, which keeps all work and its history"
        )
    for entry in changed:
        old = there[entry.stored.id]
        add_revision(connection, replace(entry.stored, revision=old.revision + 1))
        connection.execute(
            "UPDATE problems SET revision = ?, status = ?, questions = ?, message = ? WHERE id = ?",
            (old.revision + 1, entry.status, entry.questions, entry.message, old.id),
        )
        refresh_status(connection, old.id)
    added = [entry for entry in assessed if entry.stored.id not in there]
    (start,) = connection.execute("SELECT ifnull(max(position), 0) FROM problems").fetchone()
    for position, entry in enumerate(added, start + 1):
        connection.execute(
            "INSERT INTO problems VALUES (?, ?, ?, ?, ?, ?)",
            (entry.stored.id, position, 1, entry.status, entry.questions, entry.message),
        )
        add_revision(connection, replace(entry.stored, revision=1))
    new = [*added, *changed]
    counts = Counter(entry.status for entry in new)
    return Intake(
        added=tuple(entry.stored.id for entry in added),
        updated=tuple(entry.stored.id for entry in changed),
        unchanged=unchanged,
        counts={status: counts[status] for status in ("automatic", "open", "refused")},
        refused={entry.stored.id: entry.message or "" for entry in new if entry.status == "refused"},
    )


def _same(one: StoredProblem, other: StoredProblem) -> bool:
    return (one.question, one.equations, _written(one)) == (other.question, other.equations, _written(other))


def _written(problem: StoredProblem) -> str:
    """Return the other fields of a problem as they are stored, whatever their order."""
    try:
        return json.dumps(dict(problem.extra), sort_keys=True, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise AnnotationError(f"problem {problem.id}: expected other fields as plain data, but got {error}") from error
