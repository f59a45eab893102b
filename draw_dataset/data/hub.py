"""Build of the repository on the Hub: a Parquet file for each split, a card, the rights, and SHA256SUMS.

A cross-validation configuration has no file of its own: the card lists the files of its folds. Nothing depends on the
time or the machine: the same release, package and libraries give the same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from tqdm import tqdm

from draw_dataset.data.card import SplitSize, card, file_name, rights
from draw_dataset.data.catalog import DATASETS, find_config, load_dataset_splits
from draw_dataset.data.features import row_features
from draw_dataset.data.upload import eval_yaml
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import ChoiceError
from draw_dataset.io.atomic import (
    atomic_file,
    check_target,
    folder_files,
    new_folder,
    write_atomically,
    write_checksums,
)


@dataclass(frozen=True, slots=True)
class Build:
    """A repository that was written."""

    folder: Path  # where it stands
    files: dict[str, int]  # its files and their sizes in bytes, by path in the repository
    rows: int  # how many rows it holds


def build(
    out_dir: str | os.PathLike[str],
    only: Iterable[str] | None = None,
    data_dir: str | os.PathLike[str] | None = None,
    *,
    force: bool = False,
    quiet: bool = False,
) -> Build:
    """Write the repository into a folder, whole or not at all. `force` replaces a folder that is not empty."""
    out = Path(out_dir)
    datasets = _select_datasets(only)
    check_target(out.expanduser().resolve(), force)  # check before the work, not after it
    problems = {dataset: load_dataset_splits(dataset, data_dir) for dataset in datasets}
    sizes: dict[tuple[str, str], SplitSize] = {}
    with new_folder(out, force) as folder:
        parts = [(dataset, split) for dataset, splits in problems.items() for split in splits]
        for dataset, split in tqdm(parts, desc="writing", unit="file", disable=True if quiet else None):
            path = folder / file_name(dataset, split)
            path.parent.mkdir(exist_ok=True)
            sizes[dataset, split] = _write(problems[dataset][split], path)
        write_atomically(folder / "README.md", card(problems, sizes))
        write_atomically(folder / "LICENSE.md", rights(datasets))
        write_atomically(folder / "eval.yaml", eval_yaml(datasets))
        write_checksums(folder)
    return Build(out, folder_files(out), sum(size.rows for size in sizes.values()))


def _write(problems: Iterable[Problem], path: Path) -> SplitSize:
    # The schema has the features, so that the types are right even if the card is not read.
    table = pa.Table.from_pylist([problem.to_row() for problem in problems], schema=row_features().arrow_schema)
    with atomic_file(path, binary=True) as file:
        pq.write_table(table, file, compression="snappy")
    return SplitSize(rows=table.num_rows, memory=table.nbytes, file=path.stat().st_size)


def _select_datasets(only: Iterable[str] | None) -> list[str]:
    """Return the datasets asked for in their usual order; all of them by default."""
    wanted = set(DATASETS) if only is None else {find_config(name, DATASETS).name for name in only}
    if not wanted:
        raise ChoiceError(f"expected one or more of {', '.join(DATASETS)}, but got none")
    return [dataset for dataset in DATASETS if dataset in wanted]
