"""The question: which rows does a harness ask about, and how does a row travel through it.

Harnesses flatten, retype or drop nested fields of a record. So a row travels as one JSON text. Whoever grades reads
that text again; gold is prepared once for each different text.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from draw_dataset.catalog import load, resolve
from draw_dataset.core.memory import MEGABYTE, remembered
from draw_dataset.core.problem import Problem
from draw_dataset.errors import ChoiceError, RowError, shown
from draw_dataset.files.jsonl import decode_line, json_line, read_json_lines
from draw_dataset.scoring.conditions import DataDigest, PredictionKinds
from draw_dataset.scoring.origin import ROWS
from draw_dataset.scoring.reference import Reference, refused_id
from draw_dataset.scoring.signature import Options

Rows = str | os.PathLike[str] | Iterable[Mapping[str, Any] | Problem]
"""The name of data (see `draw_dataset.catalog`), a file of rows, or rows."""

_PREPARED = 256 * MEGABYTE
"""How many bytes of prepared gold are kept: some nine thousand rows."""


def rows_of(
    source: Rows, data_dir: str | os.PathLike[str] | None = None, corrected: bool = False
) -> list[dict[str, Any]]:
    """Return the rows of data. Rows of a file keep every field, such as the source of a variant.

    >>> len(rows_of("sample/test"))
    30

    Raises:
        ChoiceError: the name of the data is unknown.
        RowError: a row is no mapping.
        DrawError: the files of the release cannot be read.
    """
    if isinstance(source, (str, os.PathLike)):
        named = resolve(os.fspath(source))
        if named.file is not None and not corrected:
            return [line.value for line in read_json_lines(named.file)]
        return [problem.to_row() for problem in load(named, data_dir, corrected)]
    if isinstance(source, (bytes, Mapping)) or not isinstance(source, Iterable):
        raise ChoiceError(f"rows: expected the name of data or rows, but got {shown(source)}")
    return [_row(row) for row in source]


def _row(row: Mapping[str, Any] | Problem) -> dict[str, Any]:
    if isinstance(row, Problem):
        return row.to_row()
    if not isinstance(row, Mapping):
        raise RowError(f"rows: expected a row, but got {shown(row)}")
    return dict(row)


def label_of(source: Rows, rows: Iterable[Mapping[str, Any]], corrected: bool = False) -> str:
    """Return the name and the digest of rows, as signatures have them, for the log of a harness.

    >>> label_of("sample/test", rows_of("sample/test")).partition("@")[0]
    'sample/test'

    Args:
        source: as `rows_of` was given it.
        rows: the rows.
        corrected: whether corrections were applied.

    Raises:
        RowError: a row or its gold cannot be read; the message names the problem.
    """
    name = resolve(os.fspath(source)).data_name(corrected) if isinstance(source, (str, os.PathLike)) else ROWS
    digests = {Reference.of(row).digests for row in rows if refused_id(row) is None}
    return DataDigest(Options(), name, digests).signature(PredictionKinds(), len(digests), "error").named_rows


def as_text(row: Mapping[str, Any]) -> str:
    """Return a row as one JSON text."""
    return json_line(row).rstrip("\n")


def gold_of(row: str | Mapping[str, Any] | Reference) -> Reference:
    """Return the gold of a row. The gold of a JSON text is prepared once and kept.

    Raises:
        RowError: the row or its gold cannot be read; the message names the problem.
    """
    return _prepared(row) if isinstance(row, str) else Reference.of(row)


def _weigh(_: Reference, text: str) -> int:
    # A row of Draw-1k has 1,000 characters, and 26,000 bytes once answers to it were graded.
    return 16_000 + 12 * len(text)


@remembered(_PREPARED, _weigh)
def _prepared(text: str) -> Reference:
    reference = Reference.of(decode_line(text.encode("utf-8", "surrogatepass"), "row"))
    reference.check()  # now, with its id, and not as a wrong answer later
    return reference
