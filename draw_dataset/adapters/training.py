"""The question: what does a trainer read.

One record for each row, in a Parquet file that is written whole or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from draw_dataset.adapters.rows import Rows, rows_of
from draw_dataset.files import atomic_file

Record = dict[str, Any]


def records_of(
    source: Rows,
    make: Callable[[Mapping[str, Any], int], Record],
    out: str | os.PathLike[str] | None,
    data_dir: str | os.PathLike[str] | None,
    corrected: bool,
) -> list[Record]:
    """Return the records of rows, and write them to a Parquet file if one is named.

    Args:
        source: the rows.
        make: makes the record of a row, given the row and its number.
        out: the Parquet file to write.
        data_dir: the folder of the release's files.
        corrected: whether to apply our corrections to the release.

    Raises:
        DrawError: a row cannot be read, the name of the data is unknown, or the file cannot be written.
    """
    records = [make(row, at) for at, row in enumerate(rows_of(source, data_dir, corrected))]
    if out is not None:
        # Imported here, since rewards do not need it.
        import pyarrow as pa
        import pyarrow.parquet as pq

        with atomic_file(out, binary=True) as file:
            pq.write_table(pa.Table.from_pylist(records), file)
    return records
