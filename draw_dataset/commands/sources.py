"""The problems that a command line names by configuration and split, as `load_dataset` does, or by a file."""

from __future__ import annotations

from pathlib import Path

from draw_dataset.core.problem import Problem
from draw_dataset.core.rows import read_rows
from draw_dataset.errors import ChoiceError, shown
from draw_dataset.release.corrections import correct
from draw_dataset.release.loading import DATASETS, load_problems
from draw_dataset.release.splits import FOLDS, SPLIT_FILES
from draw_dataset.sample import load_sample

SAMPLE = "sample"
ALL = "all"
"""The split that has all problems of a configuration."""

FOLDED = tuple(name for name in DATASETS if FOLDS[0] in SPLIT_FILES[name])
CONFIGS = (*DATASETS, SAMPLE, *(f"{name}_cv{i}" for name in FOLDED for i in range(len(FOLDS))))
"""The configurations."""


def load_split(config: str, split: str, data_dir: str | None = None, corrected: bool = False) -> list[Problem]:
    """Return the problems of a split.

    Args:
        config: one of `CONFIGS`; in ``alg514_cv0`` the test split is fold 0, and train everything else.
        split: one of its splits, or ``all``.
        data_dir: the folder of the release's files.
        corrected: whether to apply the corrections to the release.

    Raises:
        ChoiceError: there is no such configuration or split; names those there are.
        DrawError: the files cannot be had, or are not the release.
    """
    if config not in CONFIGS:
        raise ChoiceError(f"expected a configuration among {', '.join(CONFIGS)}, but got {shown(config)}")
    dataset, _, number = config.partition("_cv")
    splits = load_sample() if dataset == SAMPLE else load_problems(dataset, data_dir)
    if number:
        fold = FOLDS[int(number)]
        splits = {
            "train": [problem for name, listed in splits.items() if name != fold for problem in listed],
            "test": splits[fold],
        }
    if split == ALL:
        chosen = [problem for listed in splits.values() for problem in listed]
    elif split in splits:
        chosen = splits[split]
    else:
        raise ChoiceError(f"{config}: expected a split among {', '.join([*splits, ALL])}, but got {shown(split)}")
    return [correct(dataset, problem) for problem in chosen] if corrected else chosen


def load_all(source: str, data_dir: str | None = None) -> list[Problem]:
    """Return all problems of a dataset of the release, of the sample, or of a JSONL file of rows.

    Raises:
        ChoiceError: the source is none of these.
        RowError: a line of the file is no row; names the line and the field.
        DrawError: the files of the release cannot be had.
    """
    if source == SAMPLE or source in DATASETS:
        return load_split(source, ALL, data_dir)
    if source.endswith((".jsonl", ".json")) or Path(source).is_file():
        return read_rows(Path(source))
    raise ChoiceError(f"expected {', '.join(DATASETS)}, {SAMPLE} or a JSONL file of rows, but got {source!r}")


def load_source(source: str, data_dir: str | None = None, corrected: bool = False) -> tuple[str, list[Problem]]:
    """Return what the problems of a source are called in a signature, and the problems.

    Args:
        source: CONFIG/SPLIT as in ``draw1k/test``, CONFIG for all its splits, or a JSONL file of rows.
        data_dir: the folder of the release's files.
        corrected: whether to apply the corrections to the release.

    Raises:
        ChoiceError: the source is none of these, or corrections are asked for of a file.
        RowError: a line of the file is no row; names the line and the field.
        DrawError: the files of the release cannot be had.
    """
    if source.endswith((".jsonl", ".json")) or Path(source).is_file():
        if corrected:
            raise ChoiceError(f"--corrected is for the release, but got the file {source}")
        return Path(source).name, read_rows(Path(source))
    config, slash, split = source.partition("/")
    if config not in CONFIGS:
        raise ChoiceError(
            f"expected CONFIG/SPLIT with a configuration among {', '.join(CONFIGS)}, or a JSONL file of rows, "
            f"but got {shown(source)}"
        )
    name = f"{config}/{split if slash else ALL}"
    return f"{name}+corrected" if corrected else name, load_split(config, split if slash else ALL, data_dir, corrected)
