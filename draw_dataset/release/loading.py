"""The datasets of the release as problems, by split."""

from __future__ import annotations

import json
import os
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from draw_dataset.core.problem import Problem
from draw_dataset.release.fetch import locate
from draw_dataset.release.reading import DATA_FILE, read_problem, read_records
from draw_dataset.release.splits import SPLIT_FILES, divide, read_ids

DATASETS = tuple(DATA_FILE)
"""The names of the datasets."""


@lru_cache(maxsize=1)
def known_findings() -> dict[str, dict[int, tuple[str, ...]]]:
    """Return the codes of the known defects: dataset -> id -> codes.

    They are kept with the package because finding them costs more than loading the data; `draw check` finds them anew.
    """
    text = files("draw_dataset.release").joinpath("findings.json").read_text(encoding="utf-8")
    return {
        dataset: {int(id_): tuple(codes) for id_, codes in by_id.items()} for dataset, by_id in json.loads(text).items()
    }


def load_problems(dataset: str, data_dir: str | os.PathLike[str] | None = None) -> dict[str, list[Problem]]:
    """Return the problems of a dataset by split, as published.

    Args:
        dataset: ``draw1k``, ``alg514`` or ``dolphin_l``.
        data_dir: the folder of the release's files; by default DRAW_RELEASE_DIR, our cache, or a download.

    Raises:
        ReleaseRequestError: there is no such dataset.
        DrawError: the files cannot be had, or are not the release.
    """
    return read_split_problems(dataset, locate(dataset, data_dir))


def read_split_problems(dataset: str, paths: dict[str, Path]) -> dict[str, list[Problem]]:
    """Return the problems of a dataset by split, from the paths of its files."""
    codes = known_findings().get(dataset, {})
    problems = [read_problem(r, codes.get(r["iIndex"], ())) for r in read_records(paths[DATA_FILE[dataset]])]
    ids = {split: read_ids(paths[file]) for split, file in SPLIT_FILES[dataset].items()}
    return divide(dataset, [(problem.id, problem) for problem in problems], ids)
