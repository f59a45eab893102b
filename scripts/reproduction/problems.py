"""The question: which problems does a job train on, and which does it test.

Draw-1k trains on its train split, and where the job says so on the validation split or another dataset besides; it is
always tested on its test split. Alg-514 and Dolphin-L train on everything that is not in the fold tested, as the
release prescribes, the development set included.

For a smoke run the embedded sample stands in for all three: its own splits for Draw-1k's, and two folds of some of its
validation and train problems for the others, so that no test problem is trained on.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from draw_dataset.core.problem import Problem
from draw_dataset.release import load_problems
from draw_dataset.release.splits import FOLDS
from draw_dataset.sample import load_sample
from reproduction.jobs import FOLD_COUNTS, SolverJob

DOLPHINS = 40
"""Problems of the sample that stand in for Dolphin-L."""

DEVELOPMENT = 10
"""Those of them that stand in for its development set."""


class Divided(NamedTuple):
    """The problems of a job.

    Attributes:
        train: what it trains on.
        test: what it is tested on.
        name: what the test problems are called in a signature; ``draw score`` calls them the same.
    """

    train: list[Problem]
    test: list[Problem]
    name: str


@lru_cache(maxsize=8)
def splits_of(source: str, dataset: str, data_dir: str | None) -> dict[str, list[Problem]]:
    """Return the problems of a dataset by split.

    Raises:
        DrawError: the release cannot be had.
    """
    if source == "release":
        return load_problems(dataset, data_dir)
    sample = load_sample()
    if dataset == "draw1k":
        return sample
    count = FOLD_COUNTS[source]
    if dataset == "alg514":
        return {fold: sample["validation"][i::count] for i, fold in enumerate(FOLDS[:count])}
    folds = {fold: sample["train"][DEVELOPMENT:DOLPHINS][i::count] for i, fold in enumerate(FOLDS[:count])}
    return {**folds, "development": sample["train"][:DEVELOPMENT]}


def all_problems(source: str, dataset: str, data_dir: str | None) -> list[Problem]:
    """Return all problems of a dataset."""
    return [problem for split in splits_of(source, dataset, data_dir).values() for problem in split]


def problems_of(job: SolverJob, data_dir: str | None) -> Divided:
    """Return the problems of a job.

    Raises:
        DrawError: the release cannot be had.
    """
    dataset, _, besides = job.data.partition("+")
    splits = splits_of(job.source, dataset, data_dir)
    prefix = "" if job.source == "release" else "sample-as-"
    if job.fold is not None:
        fold = FOLDS[job.fold]
        train = [problem for name, split in splits.items() if name != fold for problem in split]
        return Divided(train, splits[fold], f"{prefix}{dataset}_cv{job.fold}/test")
    train = list(splits["train"])
    if besides == "validation":
        train += splits["validation"]
    elif besides:
        train += all_problems(job.source, besides, data_dir)
    return Divided(train, splits["test"], f"{prefix}{dataset}/test")
