"""The files of the repository on the Hub, byte for byte.

One Parquet file a split with the typed columns of `huggingface.features`, a card, the rights, and SHA256SUMS. A
cross-validation configuration has no file of its own: the card lists the files of its folds. Nothing in them
depends on the time or the machine: the same release, package and libraries give the same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from tqdm import tqdm

from draw_dataset.catalog import DATASETS, find_config, load_dataset_splits
from draw_dataset.core.problem import Problem
from draw_dataset.errors import ChoiceError
from draw_dataset.files import atomic_file, new_folder, write_atomically
from draw_dataset.files.atomic import check_target, folder_files
from draw_dataset.files.checksums import write_checksums
from draw_dataset.hub.card import SplitSize, card, file_name, rights
from draw_dataset.hub.evaluation import eval_yaml
from draw_dataset.huggingface.features import row_features


@dataclass(frozen=True, slots=True)
class Build:
    """A repository that was written.

    Attributes:
        folder: where it stands.
        files: its files and their sizes in bytes, by path in the repository.
        rows: how many rows it holds.
    """

    folder: Path
    files: dict[str, int]
    rows: int


def build(
    out_dir: str | os.PathLike[str],
    only: Iterable[str] | None = None,
    data_dir: str | os.PathLike[str] | None = None,
    *,
    force: bool = False,
    quiet: bool = False,
) -> Build:
    """Write the repository into a folder, whole or not at all.

    Args:
        out_dir: the folder; it may exist if it is empty.
        only: the datasets to write (``draw1k``, ``alg514``, ``dolphin_l``, ``sample``); all by default.
        data_dir: the folder of the release's files; by default DRAW_RELEASE_DIR, our cache, or a download.
        force: replace a folder that is not empty.
        quiet: show no progress bar; there is none either when stderr is no terminal.

    Raises:
        ChoiceError: there is no such dataset.
        FolderError: the folder is not empty, or cannot be written.
        DrawError: the files of the release cannot be read, or are not the release.
    """
    out = Path(out_dir)
    datasets = _chosen(only)
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


def _chosen(only: Iterable[str] | None) -> list[str]:
    """Return the datasets asked for in their usual order; all of them by default.

    Raises:
        ChoiceError: there is no such dataset, or none is asked for.
    """
    wanted = set(DATASETS) if only is None else {find_config(name, DATASETS).name for name in only}
    if not wanted:
        raise ChoiceError(f"expected one or more of {', '.join(DATASETS)}, but got none")
    return [dataset for dataset in DATASETS if dataset in wanted]
