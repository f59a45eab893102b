"""The question: what does a trainer read.

One record for each row, in a Parquet file that is written whole or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Protocol

from draw_dataset.adapters.rows import Rows, rows_of
from draw_dataset.files import atomic_file
from draw_dataset.prompting import Prompt, answer_for, prompt_for
from draw_dataset.scoring.reference import Reference

Record = dict[str, Any]


class Shape(Protocol):
    """Makes the record of a row for one trainer."""

    def __call__(self, row: Mapping[str, Any], at: int, prompt: Prompt, gold_answer: str) -> Record:
        """Return the record of a row with its number, its prompt and its gold as an answer."""


def training_set(
    rows: Rows,
    shape: Shape,
    out: str | os.PathLike[str] | None,
    *,
    style: str,
    shots: int,
    data_dir: str | os.PathLike[str] | None,
    corrected: bool,
) -> list[Record]:
    """Return the records of rows, and write them to a Parquet file if one is named.

    Args:
        rows: the name of data, a file of rows (such as variants), or rows.
        shape: makes the record of a row.
        out: the Parquet file to write.
        style: the style of the prompts.
        shots: how many worked examples come before each problem.
        data_dir: the folder of the release's files.
        corrected: whether to apply our corrections to the release.

    Raises:
        DrawError: a row cannot be read, the name of the data is unknown, or the file cannot be written.
    """
    records = []
    for at, row in enumerate(rows_of(rows, data_dir, corrected)):
        Reference.of(row).check()  # a bad row is refused now, and not in the middle of training
        records.append(shape(row, at, prompt_for(row, style, shots), answer_for(row, style)))
    if out is not None:
        # Imported here, since rewards do not need it.
        import pyarrow as pa
        import pyarrow.parquet as pq

        with atomic_file(out, binary=True) as file:
            pq.write_table(pa.Table.from_pylist(records), file)
    return records
