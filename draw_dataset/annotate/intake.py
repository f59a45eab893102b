"""Import of problems into a store: read from files, assessed, compared with the store; all of them or none.

Gold columns of a line are ignored, other fields are exported again; ``look_at`` (reasons for review) and
``number_words`` are also used. A problem that cannot be annotated stays in the store, since its text can be edited.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from draw_dataset.annotate.decisions import StoredProblem, fresh_work, read_id
from draw_dataset.annotate.tables import STATUSES, ProblemEntry, StoreTables
from draw_dataset.derivation.problem import ProblemId
from draw_dataset.errors import AnnotationError, DrawError, RowError, short_repr
from draw_dataset.io.jsonl import decode_json, display_name, read_json_lines

GOLD = (
    "numbers", "solutions", "template", "alignment", "equiv_tnum", "derivation", "findings", "alternatives", "asked",
    "status", "reason", "readings", "constants",
)  # fmt: skip
"""The fields of a row that annotation makes again."""

DERIVED = ("decided", "ambiguous", "refused")
"""The statuses of rows of other sources, whose numbers are found by the rules for ordinary English."""

OURS = ("annotated", "annotators")  # the fields that an export adds

FIXED = frozenset({"id", "question", "equations", *GOLD, *OURS})
"""The fields that have a place of their own; all others stay with the problem as they are."""

_NAMED = 20  # ids in a message


@dataclass(frozen=True, slots=True)
class Intake:
    """Result of an import."""

    added: tuple[ProblemId, ...]
    updated: tuple[ProblemId, ...]  # in the store with other content
    unchanged: tuple[ProblemId, ...]  # in the store with the same content
    counts: Mapping[str, int]  # added and updated problems by status
    refused: Mapping[ProblemId, str]  # messages


def read_problems(path: Path) -> Iterator[StoredProblem]:
    """Yield the problems of a JSONL file, or of standard input if it is called ``-``."""
    for line in read_json_lines(path, error=RowError):
        where = f"{display_name(path)}, line {line.number}"
        row = line.value
        missing = [name for name in ("id", "question", "equations") if name not in row]
        if missing:
            raise RowError(f"{where}: expected id, question and equations, but {', '.join(missing)} is missing")
        equations = [row["equations"]] if isinstance(row["equations"], str) else row["equations"]
        if not isinstance(equations, list):
            raise RowError(f"{where}: equations: expected a list of strings, but got {short_repr(equations)}")
        extra = {name: value for name, value in row.items() if name not in FIXED}
        if row.get("status") in DERIVED:
            extra["number_words"] = "ordinary"
        problem = StoredProblem(row["id"], row["question"], tuple(equations), extra)
        _check(problem, where, RowError)
        yield problem


def check_new_problems(problems: Iterable[StoredProblem]) -> list[StoredProblem]:
    """Return problems that may be imported, each once."""
    found: dict[ProblemId, StoredProblem] = {}
    for problem in problems:
        _check(problem, f"problem {short_repr(problem.id)}", AnnotationError)
        if not _same(found.setdefault(problem.id, problem), problem):
            raise AnnotationError(
                f"problem {problem.id}: expected each id once, but got two different problems with it"
            )
    return list(found.values())


def _check(problem: StoredProblem, where: str, error: type[DrawError]) -> None:
    read_id(problem.id, where, error)
    for name, text in (("question", problem.question), *(("equations", equation) for equation in problem.equations)):
        if not isinstance(text, str) or any("\ud800" <= character <= "\udfff" for character in text):
            raise error(f"{where}: {name}: expected strings that can be written as UTF-8, but got {short_repr(text)}")
    try:
        decode_json(_extra_json(problem.extra), "as they would be read again")
    except (TypeError, ValueError, RecursionError) as cause:  # RowError is a ValueError, too
        raise error(f"{where}: expected other fields as plain data, but got {cause}") from cause


def _extra_json(extra: Mapping[str, Any]) -> str:
    """Return the other fields of a problem in one order."""
    return json.dumps(dict(extra), sort_keys=True, allow_nan=False)


def _same(one: StoredProblem, other: StoredProblem) -> bool:
    return (one.question, one.equations) == (other.question, other.equations) and (
        _extra_json(one.extra) == _extra_json(other.extra)
    )


def assess(stored: StoredProblem) -> ProblemEntry:
    """Decide whether a problem needs a person.

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


def import_problems(tables: StoreTables, assessed: Sequence[ProblemEntry], update: bool) -> Intake:
    """Write problems into a store, within the caller's transaction."""
    there = {entry.stored.id: entry.stored for entry in tables.entries()}
    unchanged = tuple(e.stored.id for e in assessed if e.stored.id in there and _same(there[e.stored.id], e.stored))
    known = set(unchanged)
    changed = [entry for entry in assessed if entry.stored.id in there and entry.stored.id not in known]
    if changed and not update:
        ids = [entry.stored.id for entry in changed]
        first = ", ".join(map(str, ids[:_NAMED])) + (f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else "")
        raise AnnotationError(
            f"expected new problems, or the same as in the store, but {len(ids)} differ from it: {first}. "
            "Nothing was imported; give --update to make them new revisions, which keeps all work and its history"
        )
    for entry in changed:
        tables.update_problem(_with_revision(entry, there[entry.stored.id].revision + 1))
    added = [entry for entry in assessed if entry.stored.id not in there]
    for position, entry in enumerate(added, tables.last_position() + 1):
        tables.add_problem(_with_revision(entry, 1), position)
    new = [*added, *changed]
    counts = Counter(entry.status for entry in new)
    return Intake(
        added=tuple(entry.stored.id for entry in added),
        updated=tuple(entry.stored.id for entry in changed),
        unchanged=unchanged,
        counts={status: counts[status] for status in STATUSES},
        refused={entry.stored.id: entry.message or "" for entry in new if entry.status == "refused"},
    )


def _with_revision(entry: ProblemEntry, revision: int) -> ProblemEntry:
    return replace(entry, stored=replace(entry.stored, revision=revision))
