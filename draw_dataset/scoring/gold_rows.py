"""Gold rows by id: rows in memory, or a file of rows that stays on the disk.

An id of another type is matched if that is unambiguous: the string "91" if all ids are numbers, the number 91 if all
are strings. Several rows may share an id if they are the same (the release has such a pair); one prediction counts for
all of them. A file of rows is first read for the ids and the offsets of the lines, which takes 24 bytes for a row whose
id is a whole number. Rows are read again when their predictions come. So a million rows need no more memory than a
thousand. A row that was refused when it was derived has no gold: it is not a reference, and predictions for it are
ignored.
"""

from __future__ import annotations

import os
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

from draw_dataset.algebra.limits import MEGABYTE, weighted_cache
from draw_dataset.derivation.problem import REFUSED, Problem, ProblemId, is_problem_id, rows_of
from draw_dataset.errors import RowError, ScoreError, short_repr
from draw_dataset.io.jsonl import decode_line, read_json_lines
from draw_dataset.scoring.gold import PreparedProblem, refused_id

_CACHED = 64 * MEGABYTE
"""The weight of the gold of a file that is kept in memory; that of the release weighs less than half of it."""

_NAMED = 5
"""Missing ids that an error names."""


class KnownIds:
    """The ids of rows, in their order."""

    refused: Set[ProblemId] = frozenset()
    """Ids of rows without gold."""

    id_type: type | None = None
    """The type of all ids, if it is one."""

    def __len__(self) -> int:
        raise NotImplementedError

    def positions(self, id_: ProblemId) -> Sequence[int]:
        """Return the positions of the rows with an id; a string of digits is that number if all ids are numbers."""
        meant = as_id_type(id_, self.id_type)
        return () if meant is None else self._find(meant)

    def _find(self, id_: ProblemId) -> Sequence[int]:
        raise NotImplementedError

    def id_at(self, position: int) -> ProblemId:
        """Return the id of a row."""
        raise NotImplementedError

    def is_refused(self, id_: ProblemId) -> bool:
        """Decide whether an id is that of a row without gold."""
        if not self.refused:
            return False
        return id_ in self.refused or as_id_type(id_, self.id_type or int) in self.refused


def as_id_type(id_: ProblemId, wanted: type | None) -> ProblemId | None:
    """Return an id as the type that all ids have; None if no id of that type is written so.

    >>> as_id_type("91", int), as_id_type("091", int), as_id_type(91, str)
    (91, None, '91')
    """
    if wanted is None or type(id_) is wanted:
        return id_
    if isinstance(id_, str):
        is_number = id_.isascii() and id_.removeprefix("-").isdecimal() and len(id_) < 19
        return int(id_) if is_number and str(int(id_)) == id_ else None
    return str(id_) if abs(id_) < 1 << 63 else None


def _only_type(types: set[type]) -> type | None:
    return types.pop() if len(types) == 1 else None


class ListedIds(KnownIds):
    """Ids in memory, without their rows."""

    def __init__(self, ids: Iterable[ProblemId], refused: Iterable[ProblemId] = ()) -> None:
        self._ids = list(ids)
        self.refused = frozenset(refused)
        self._positions: dict[ProblemId, list[int]] = {}
        for position, id_ in enumerate(self._ids):
            self._positions.setdefault(id_, []).append(position)
        self.id_type = _only_type({type(id_) for id_ in self._positions})

    def __len__(self) -> int:
        return len(self._ids)

    def _find(self, id_: ProblemId) -> Sequence[int]:
        return self._positions.get(id_, ())

    def id_at(self, position: int) -> ProblemId:
        """Return the id of a row."""
        return self._ids[position]


class ListedReferences(KnownIds):
    """Rows in memory. Raises `RowError` if gold cannot be read, or two different rows share an id."""

    few = True
    """Whether a score may keep all references."""

    def __init__(self, rows: Iterable[Mapping[str, Any] | Problem | PreparedProblem]) -> None:
        refused_ids: set[ProblemId] = set()
        self.refused = refused_ids
        self._references = []
        for row in rows_of(rows):
            refused = refused_id(row)
            if refused is None:
                self._references.append(PreparedProblem.of(row))
            else:
                refused_ids.add(refused)
        self._positions: dict[ProblemId, list[int]] = {}
        for position, reference in enumerate(self._references):
            found = self._positions.setdefault(reference.problem.id, [])
            if found and self._references[found[0]].problem.to_row() != reference.problem.to_row():
                raise RowError(f"references: expected different ids, but got {short_repr(self.id_at(position))} twice")
            found.append(position)
        self.id_type = _only_type({type(id_) for id_ in self._positions})

    def __len__(self) -> int:
        return len(self._references)

    def _find(self, id_: ProblemId) -> Sequence[int]:
        return self._positions.get(id_, ())

    def id_at(self, position: int) -> ProblemId:
        """Return the id of a row."""
        return self._references[position].problem.id

    def reference(self, position: int) -> PreparedProblem:
        """Return the gold of a row."""
        return self._references[position]

    def located(self, position: int, error: RowError) -> RowError:  # noqa: ARG002 - a file knows more
        """Return the error of a row; it names the problem already."""
        return error


def _weigh(reference: PreparedProblem, _: int) -> int:
    problem = reference.problem
    texts = sum(map(len, (problem.question, *problem.equations, *problem.template, *problem.alternatives)))
    members = sum(map(len, problem.equiv_tnum))
    return 4_000 + 4 * texts + 700 * len(problem.numbers) + 500 * len(problem.alignment) + 300 * members


class FiledReferences(KnownIds):
    """The rows of a JSONL file, read when they are needed; blank lines are ignored.

    The file is read twice, so it cannot be a pipe. Raises `RowError` if it cannot be read, a line is not a row with an
    id, or two different rows share an id.
    """

    few = False

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._starts = array("q")
        ids, positions = array("q"), array("q")
        self._by_text: dict[str, list[int]] = {}
        refused_ids: set[ProblemId] = set()
        self.refused = refused_ids
        for line in read_json_lines(path):
            id_ = line.value.get("id")
            if line.value.get("status") == REFUSED and is_problem_id(id_):
                refused_ids.add(id_)
                continue
            if not is_problem_id(id_):
                where = f"{path}, line {line.number}"
                raise RowError(
                    f"{where}: expected a row with an id, a whole number or a string, but got {short_repr(id_)}"
                )
            if isinstance(id_, str):
                self._by_text.setdefault(id_, []).append(len(self._starts))
            else:
                ids.append(id_)
                positions.append(len(self._starts))
            self._starts.append(line.start)
        self.id_type = None if len(ids) and self._by_text else str if self._by_text else int
        order = sorted(range(len(ids)), key=ids.__getitem__)
        self._ids = array("q", [ids[at] for at in order])
        self._positions = array("q", [positions[at] for at in order])
        self._file = self._path.open("rb")
        self._refuse_clashes()
        self._cached = weighted_cache(_CACHED, _weigh)(self._read)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> FiledReferences:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _refuse_clashes(self) -> None:
        ids = self._ids
        pairs = [self._positions[at - 1 : at + 1] for at in range(1, len(ids)) if ids[at] == ids[at - 1]]
        for found in [*pairs, *(positions for positions in self._by_text.values() if len(positions) > 1)]:
            first = self._row(found[0])
            if any(self._row(position) != first for position in found[1:]):
                raise RowError(f"{self._path}: expected different ids, but got {short_repr(first['id'])} twice")

    def _row(self, position: int) -> dict[str, Any]:
        self._file.seek(self._starts[position])
        return decode_line(self._file.readline(), str(self._path))

    def _read(self, position: int) -> PreparedProblem:
        try:
            return PreparedProblem.of(self._row(position))
        except RowError as error:
            raise self.located(position, error) from error

    def located(self, position: int, error: RowError) -> RowError:
        """Return the error of a row with the number of its line."""
        return RowError(f"{self._path}, line {self._line_number(position)}: {error}")

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
        return len(self._starts)

    def _find(self, id_: ProblemId) -> Sequence[int]:
        if isinstance(id_, str):
            return self._by_text.get(id_, ())
        ids = self._ids
        at = bisect_left(ids, id_)
        end = at
        while end < len(ids) and ids[end] == id_:
            end += 1
        return self._positions[at:end]

    def id_at(self, position: int) -> ProblemId:
        """Return the id of a row."""
        id_: ProblemId = self._row(position)["id"]
        return id_

    def reference(self, position: int) -> PreparedProblem:
        """Return the gold of a row; it is read again unless it was used recently."""
        return self._cached(position)


def unknown_id(id_: ProblemId, references: ListedReferences | FiledReferences, data: str) -> str:
    """Return the complaint about an unknown id, with the known one that differs from it only in type."""
    if isinstance(id_, str):
        other: ProblemId = int(id_) if id_.isascii() and id_.isdecimal() and len(id_) < 19 else ""
    else:
        other = str(id_) if abs(id_) < 1 << 63 else ""
    hint = f": there is {short_repr(other)}" if other != "" and references.positions(other) else ""
    some = ", ".join(short_repr(references.id_at(at)) for at in range(min(len(references), 3)))
    more = ", …" if len(references) > 3 else ""
    return f"Unknown id {short_repr(id_)}{hint}: expected one of the {len(references)} ids of {data} ({some}{more})"


def lacking(name: str, references: ListedReferences | FiledReferences, seen: bytearray) -> ScoreError:
    """Return the error about rows without a prediction; `seen` says for each row whether it has one."""
    absent = seen.count(0)
    found: list[ProblemId] = []
    at = seen.find(0)
    while at >= 0 and len(found) < _NAMED:
        if references.id_at(at) not in found:
            found.append(references.id_at(at))
        at = seen.find(0, at + 1)
    more = ", …" if at >= 0 else ""
    return ScoreError(
        f"{name}: expected a prediction for each of the {len(references)} rows, but {absent} "
        f"{'has' if absent == 1 else 'have'} none: {', '.join(map(short_repr, found))}{more} "
        "(missing='skip' scores only rows with a prediction, missing='abstain' counts them as abstentions)"
    )
