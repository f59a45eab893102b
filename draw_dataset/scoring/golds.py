"""The golds that a file of predictions is held against, found by id: rows in memory, or a file of rows left on disk.

An id may stand for several rows if they are the same (the release has such a pair): one prediction serves all of them.
A file of rows is read once for the ids and the places of the lines, 32 bytes a row, and rows are read again when their
predictions come; so a million rows fit into memory that a thousand need.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from draw_dataset.core.problem import Problem, ProblemId
from draw_dataset.errors import RowError, shown
from draw_dataset.scoring.reference import Reference

_REMEMBERED = 1 << 12
"""References of a file that are kept at hand; the release has fewer."""


class ListedGolds:
    """Rows in memory.

    Args:
        rows: rows, problems or references.

    Raises:
        RowError: a row is none, its gold cannot be read, or two different rows share an id.
    """

    few = True
    """Whether a score may keep all references."""

    def __init__(self, rows: Iterable[Mapping[str, Any] | Problem | Reference]) -> None:
        self._references = [_reference(row) for row in rows]
        self._positions: dict[ProblemId, list[int]] = {}
        for position, reference in enumerate(self._references):
            found = self._positions.setdefault(reference.problem.id, [])
            if found and not _same(self._references[found[0]].problem, reference.problem):
                raise RowError(f"references: expected different ids, but got {reference.problem.id} for two problems")
            found.append(position)

    def __len__(self) -> int:
        return len(self._references)

    def positions(self, id_: ProblemId) -> Sequence[int]:
        """Return the positions of the rows with an id."""
        return self._positions.get(id_, ())

    def id_at(self, position: int) -> ProblemId:
        """Return the id of a row."""
        return self._references[position].problem.id

    def reference(self, position: int) -> Reference:
        """Return the reference of a row."""
        return self._references[position]


def _reference(row: Mapping[str, Any] | Problem | Reference) -> Reference:
    if isinstance(row, Reference):
        return row
    return Reference(row) if isinstance(row, Problem) else Reference.of(row)


def _same(one: Problem, other: Problem) -> bool:
    return one.to_row() == other.to_row()


class FiledGolds:
    """The rows of a JSONL file, read when they are wanted; blank lines are passed over.

    Args:
        path: the file.

    Raises:
        RowError: the file cannot be read, a line is no row with an id, or two different rows share an id.
    """

    few = False

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise RowError(f"{path}: expected a JSONL file of rows, but got {error}") from error
        self._ids = array("q")
        self._starts = array("q")
        start = 0
        for number, line in enumerate(self._file, 1):
            if line.strip():
                self._ids.append(self._id(line, number))
                self._starts.append(start)
            start += len(line)
        order = sorted(range(len(self._ids)), key=self._ids.__getitem__)
        self._order = array("q", order)
        self._sorted_ids = array("q", [self._ids[position] for position in order])
        self._refuse_clashes()
        self._remembered = lru_cache(maxsize=_REMEMBERED)(self._read)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> FiledGolds:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _id(self, line: bytes, number: int) -> int:
        row = self._decode(line, number)
        id_ = row.get("id") if isinstance(row, dict) else None
        if type(id_) is not int or not 0 <= id_ < 1 << 63:
            raise RowError(f"{self._path}, line {number}: expected a row with an id from 0, but got {shown(row)}")
        return id_

    def _decode(self, line: bytes, number: int) -> Any:
        try:
            return json.loads(line.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise RowError(f"{self._path}, line {number}: expected a JSON object, but got {error}") from error

    def _refuse_clashes(self) -> None:
        ids = self._sorted_ids
        for at in range(1, len(ids)):
            if ids[at] == ids[at - 1]:
                one, other = (self._line(self._order[i]) for i in (at - 1, at))
                if json.loads(one) != json.loads(other):
                    raise RowError(f"{self._path}: expected different ids, but got {ids[at]} for two problems")

    def _line(self, position: int) -> bytes:
        self._file.seek(self._starts[position])
        return self._file.readline()

    def _read(self, position: int) -> Reference:
        try:
            return Reference.of(json.loads(self._line(position).decode("utf-8-sig")))
        except RowError as error:
            raise RowError(f"{self._path}, line {self._line_number(position)}: {error}") from error

    def _line_number(self, position: int) -> int:
        """Return the number of a row's line: counted when an error needs it, not kept."""
        self._file.seek(0)
        left, number = self._starts[position], 1
        while left > 0:
            chunk = self._file.read(min(left, 1 << 20))
            number += chunk.count(b"\n")
            left -= len(chunk)
        return number

    def __len__(self) -> int:
        return len(self._ids)

    def positions(self, id_: int) -> Sequence[int]:
        """Return the positions of the rows with an id."""
        ids = self._sorted_ids
        at = bisect_left(ids, id_)
        end = at
        while end < len(ids) and ids[end] == id_:
            end += 1
        return self._order[at:end]

    def id_at(self, position: int) -> int:
        """Return the id of a row."""
        return self._ids[position]

    def reference(self, position: int) -> Reference:
        """Return the reference of a row; reads it unless it was wanted lately."""
        return self._remembered(position)
