"""The question: what stands in the repository, byte for byte.

One Parquet file a split with the typed columns of `features`, a card, the rights, and SHA256SUMS. Nothing in them
depends on the time or the machine: the same release, package and libraries give the same bytes.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from tqdm import tqdm

from draw_dataset.core.problem import Problem
from draw_dataset.features import row_features
from draw_dataset.files.whole import check_target, folder_files, new_folder
from draw_dataset.hub.card import SplitSize, card, rights
from draw_dataset.hub.layout import CHECKSUMS, chosen, file_name
from draw_dataset.release.loading import load_problems
from draw_dataset.sample import load_sample


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
        DrawError: the files of the release cannot be had, or are not the release.
    """
    out = Path(out_dir)
    sources = chosen(only)
    check_target(out.expanduser().resolve(), force)  # before the work, not after it
    problems = {s: load_sample() if s == "sample" else load_problems(s, data_dir) for s in sources}
    sizes: dict[tuple[str, str], SplitSize] = {}
    with new_folder(out, force) as folder:
        parts = [(source, split) for source, splits in problems.items() for split in splits]
        for source, split in tqdm(parts, desc="writing", unit="file", disable=True if quiet else None):
            path = folder / file_name(source, split)
            path.parent.mkdir(exist_ok=True)
            sizes[source, split] = _write(problems[source][split], path)
        _write_text(folder / "README.md", card(problems, sizes))
        _write_text(folder / "LICENSE.md", rights(sources))
        _write_text(folder / CHECKSUMS, _checksums(folder))
    return Build(out, folder_files(out), sum(size.rows for size in sizes.values()))


def _write(problems: Iterable[Problem], path: Path) -> SplitSize:
    # The schema carries the features, so that the types hold even where the card is not read.
    table = pa.Table.from_pylist([problem.to_row() for problem in problems], schema=row_features().arrow_schema)
    pq.write_table(table, path, compression="snappy")
    return SplitSize(rows=table.num_rows, memory=table.nbytes, file=path.stat().st_size)


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _checksums(folder: Path) -> str:
    """Return what ``sha256sum --check`` reads."""
    return "".join(
        f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in folder_files(folder)
    )
