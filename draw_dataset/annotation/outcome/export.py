"""Problems from files into a store, and annotated rows out of it.

A line of an imported file is a JSON object with ``id``, ``question`` and ``equations`` (a list of texts, or one text).
Rows with gold are taken as well (`draw_dataset.core.problem`), but their gold is not looked at. Every other field stays
with the problem and comes out again. Two are known: ``look_at``, reasons why a person should look at the problem even
if its text decides everything, and ``source`` with the changes of cleaning, which can be taken back.

An exported line is a row, followed by ``annotated`` (how it was settled, see `settlement`), ``annotators``, and the
other fields that came in; ``edited_from`` has the imported text where an annotator has changed it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from draw_dataset.annotation.outcome.settlement import Settled
from draw_dataset.annotation.store.work import StoredProblem
from draw_dataset.errors import RowError, shown

GOLD = ("numbers", "solutions", "template", "alignment", "equiv_tnum", "derivation", "findings")
"""The fields of a row that annotation makes anew."""

OURS = ("annotated", "annotators")
"""What an export adds to a row."""

EDITED_FROM = "edited_from"


@dataclass(frozen=True, slots=True)
class Exported:
    """What comes out of a store.

    Attributes:
        rows: the annotated rows in the order of their import.
        counts: how many were settled in which way.
        left_out: the ids of the problems that are not settled, by reason.
    """

    rows: tuple[dict[str, Any], ...]
    counts: Mapping[str, int]
    left_out: Mapping[str, tuple[int, ...]]


def read_problems(path: Path) -> Iterator[StoredProblem]:
    """Yield the problems of a JSONL file; blank lines are passed over.

    Raises:
        RowError: the file cannot be read, or a line is no problem; says which and why.
    """
    try:
        with path.open(encoding="utf-8-sig") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield _problem(line, f"{path}, line {number}")
    except (OSError, UnicodeDecodeError) as error:
        raise RowError(f"{path}: expected a JSONL file of problems, but got {error}") from error


def _problem(line: str, where: str) -> StoredProblem:
    try:
        row = json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise RowError(f"{where}: expected a JSON object, but got {str(error)[:200]}") from error
    if not isinstance(row, dict):
        raise RowError(f"{where}: expected a JSON object, but got {shown(row)}")
    missing = [name for name in ("id", "question", "equations") if name not in row]
    if missing:
        raise RowError(f"{where}: expected id, question and equations, but {', '.join(missing)} is missing")
    equations = [row["equations"]] if isinstance(row["equations"], str) else row["equations"]
    if not isinstance(equations, list) or not all(isinstance(equation, str) for equation in equations):
        raise RowError(f"{where}: equations: expected a list of texts, but got {shown(equations)}")
    if type(row["id"]) is not int or not isinstance(row["question"], str):
        got = f"{shown(row['id'])} and {shown(row['question'])}"
        raise RowError(f"{where}: expected a whole number as id and a text as question, but got {got}")
    known = {"id", "question", "equations", *GOLD, *OURS}
    extra = {name: value for name, value in row.items() if name not in known}
    return StoredProblem(row["id"], row["question"], tuple(equations), extra)


def _no_number(text: str) -> object:
    raise ValueError(f"{text}, which is no JSON")


def export_rows(settled: Iterable[Settled]) -> Exported:
    """Return the rows of what is settled."""
    rows: list[dict[str, Any]] = []
    counts: Counter[str] = Counter()
    left_out: dict[str, list[int]] = {}
    for one in settled:
        if one.work is None:
            left_out.setdefault(one.how, []).append(one.entry.stored.id)
            continue
        counts[one.how] += 1
        row = one.work.problem().to_row() | {"annotated": one.how, "annotators": list(one.annotators)}
        row |= {name: value for name, value in one.entry.stored.extra.items() if name not in row}
        if one.work.question != one.work.original:
            row[EDITED_FROM] = one.work.original
        rows.append(row)
    return Exported(tuple(rows), dict(counts), {why: tuple(ids) for why, ids in left_out.items()})


def as_line(value: Mapping[str, Any]) -> str:
    r"""Return plain data as one line of JSON, readable where that can be written at all.

    >>> print(as_line({"é": 1}), as_line({"é": "\ud800"}))
    {"é": 1} {"\u00e9": "\ud800"}
    """
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a character, which came in escaped and goes out so
        return json.dumps(value)
    return text


def as_columns(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return an exported row as a table holds it: the fields that not every row has as one JSON text.

    >>> as_columns({"id": 1, "question": "…", "annotated": "automatic", "source": {"page": 3}})
    {'id': 1, 'question': '…', 'annotated': 'automatic', 'extra': '{"source": {"page": 3}}'}
    """
    fixed = {"id", "question", "equations", *GOLD, *OURS}
    extra = {name: value for name, value in row.items() if name not in fixed}
    columns = {name: value for name, value in row.items() if name in fixed}
    return {**columns, "extra": as_line(extra)}
