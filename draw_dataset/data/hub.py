"""Build of the repository on the Hub: a Parquet file for each split, a card, the rights, and SHA256SUMS.

Each dataset of the release is written three times: as published, corrected (``draw1k_corrected``), and clean
(``draw1k_clean``). A cross-validation configuration has no file of its own: the card lists the files of its folds.
Nothing depends on the time or the machine: the same release, package and libraries give the same bytes.
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
from draw_dataset.data.catalog import Folder, find_config, load_dataset_splits
from draw_dataset.data.editions import ROW_SETS, is_clean
from draw_dataset.data.features import row_features
from draw_dataset.data.upload import eval_yaml, task_splits
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
    names = _select_sets(only)
    check_target(out.expanduser().resolve(), force)  # check before the work, not after it
    problems = {name: _load_set(name, data_dir) for name in names}
    sizes: dict[tuple[str, str], SplitSize] = {}
    with new_folder(out, force) as folder:
        parts = [(name, split) for name, splits in problems.items() for split in splits]
        for name, split in tqdm(parts, desc="writing", unit="file", disable=True if quiet else None):
            path = folder / file_name(name, split)
            path.parent.mkdir(exist_ok=True)
            sizes[name, split] = _write(problems[name][split], path)
        write_atomically(folder / "README.md", card(problems, sizes))
        write_atomically(folder / "LICENSE.md", rights(ROW_SETS[name].dataset for name in names))
        published = [name for name in names if ROW_SETS[name].form == "published"]
        if published:  # the tasks are about published gold
            write_atomically(folder / "eval.yaml", eval_yaml(published))
        write_checksums(folder)
    return Build(out, folder_files(out), sum(size.rows for size in sizes.values()))


def _write(problems: Iterable[Problem], path: Path) -> SplitSize:
    # The schema has the features, so that the types are right even if the card is not read.
    table = pa.Table.from_pylist([problem.to_row() for problem in problems], schema=row_features().arrow_schema)
    with atomic_file(path, binary=True) as file:
        pq.write_table(table, file, compression="snappy")
    return SplitSize(rows=table.num_rows, memory=table.nbytes, file=path.stat().st_size)


def _load_set(name: str, data_dir: Folder) -> dict[str, list[Problem]]:
    """Return the rows of a set by split."""
    dataset, form = ROW_SETS[name].dataset, ROW_SETS[name].form
    if form == "published":
        return load_dataset_splits(dataset, data_dir)
    corrected = load_dataset_splits(dataset, data_dir, True)
    if form == "corrected":
        return corrected
    tested = task_splits(dataset)
    return {
        split: [problem for problem in problems if is_clean(problem, tested=split in tested)]
        for split, problems in corrected.items()
    }


def _select_sets(only: Iterable[str] | None) -> list[str]:
    """Return the sets of rows asked for in their usual order; all of them by default."""
    wanted = ROW_SETS if only is None else {n if n in ROW_SETS else find_config(n, ROW_SETS).name for n in only}
    if not wanted:
        raise ChoiceError(f"expected one or more of {', '.join(ROW_SETS)}, but got none")
    return [name for name in ROW_SETS if name in wanted]
