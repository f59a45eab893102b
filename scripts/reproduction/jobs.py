"""The question: which pieces of work make up the tables, and what is each called.

A job is the smallest piece that is stored by itself: one model trained and scored (training data, setting, features, k,
seed, fold), or the figures of one dataset. Jobs are plain data, so that they can be sent to another process, named as
files and compared with what is stored.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from draw_dataset.errors import shown

FOLDED = ("alg514", "dolphin_l")
"""Datasets that are cross-validated."""

FOLD_COUNTS = {"release": 5, "sample": 2}
"""Folds of the cross-validated datasets, by where the problems come from; few for a smoke run."""

DATASETS = ("draw1k", "alg514", "dolphin_l")
TABLE3_DATA = ("alg514", "draw1k", "draw1k+validation", "dolphin_l")
TABLE4_DATA = ("draw1k+alg514", "draw1k+dolphin_l")
TABLE3_SETTINGS = ("TE", "TD")
TABLE4_SETTINGS = ("TE", "TE*", "TD")
TABLES = ("table2", "table3", "table4", "table5")

TITLES = {
    "draw1k": "Draw-1k",
    "draw1k+validation": "Draw-1k, trained on train and validation",
    "alg514": "Alg-514",
    "dolphin_l": "Dolphin-L",
    "draw1k+alg514": "Draw-1k + Alg-514",
    "draw1k+dolphin_l": "Draw-1k + Dolphin-L",
}


def folds_of(source: str, data: str) -> tuple[int | None, ...]:
    """Return the folds that are tested on when a model is trained on some data; None stands for a test split.

    >>> folds_of("sample", "alg514"), folds_of("release", "draw1k+alg514")
    ((0, 1), (None,))
    """
    return tuple(range(FOLD_COUNTS[source])) if data in FOLDED else (None,)


@dataclass(frozen=True, slots=True)
class SolverJob:
    """One model, trained and scored.

    Attributes:
        source: where the problems come from: the ``release``, or the embedded ``sample`` standing in for it.
        data: what is trained on, a key of `TITLES`.
        setting: TE, TE* or TD.
        choice: which of the derivations that lead to the gold equations TE and TE* take for right.
        features: the feature set.
        k: how many templates are tried; None for all.
        seed: of the training.
        fold: the fold that is tested on; None for Draw-1k, which has a test split.
        epochs: how often each problem is looked at; None for the solver's own choice.
    """

    source: str
    data: str
    setting: str
    choice: str
    features: str
    k: int | None
    seed: int
    fold: int | None
    epochs: int | None = None

    @property
    def variant(self) -> tuple[str, int | None]:
        """Which solver it is: its features and its k."""
        return self.features, self.k

    @property
    def name(self) -> str:
        """What the job is called; a file can be called so."""
        parts = [
            self.data,
            self.setting.replace("*", "star"),
            *([] if self.setting == "TD" else [self.choice]),
            self.features,
            f"k{'all' if self.k is None else self.k}",
            *([] if self.epochs is None else [f"epochs{self.epochs}"]),
            f"seed{self.seed}",
            *([] if self.fold is None else [f"fold{self.fold}"]),
        ]
        return ".".join(parts)

    def as_data(self) -> dict[str, Any]:
        """Return the job as plain data."""
        return {"kind": "solver", **asdict(self)}


@dataclass(frozen=True, slots=True)
class DatasetJob:
    """The figures of Table 2 for one dataset."""

    source: str
    data: str

    @property
    def name(self) -> str:
        """What the job is called."""
        return f"{self.data}.statistics"

    def as_data(self) -> dict[str, Any]:
        """Return the job as plain data."""
        return {"kind": "dataset", **asdict(self)}


Job = SolverJob | DatasetJob


def job_of(data: Any) -> Job:
    """Return the job that plain data describes.

    Raises:
        ValueError: it describes none.
    """
    try:
        fields = {name: value for name, value in data.items() if name != "kind"}
        job = DatasetJob(**fields) if data["kind"] == "dataset" else SolverJob(**fields)
        hash(job)  # a field that is a list or an object makes no job
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"fields that are not those of a job: {shown(data)}") from error
    return job


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be reproduced.

    Attributes:
        tables: which of the tables.
        source: the release, or the sample.
        features: the feature sets.
        ks: how many templates are tried; None for all.
        seeds: the seeds.
        choice: see `SolverJob`.
        epochs: see `SolverJob`.
    """

    tables: tuple[str, ...] = TABLES
    source: str = "release"
    features: tuple[str, ...] = ("extended", "paper")
    ks: tuple[int | None, ...] = (10, None)
    seeds: int = 1
    choice: str = "first"
    epochs: int | None = None

    @property
    def variants(self) -> list[tuple[str, int | None]]:
        """The solvers: feature set and k."""
        return [(features, k) for features in self.features for k in self.ks]

    def jobs(self) -> list[Job]:
        """Return the jobs, seed by seed: when a run is interrupted, the seeds before are whole."""
        found: dict[Job, None] = {}
        if "table2" in self.tables:
            found.update((DatasetJob(self.source, data), None) for data in DATASETS)
        for seed in range(self.seeds):
            for features, k in self.variants:
                for data, setting in self.trained():
                    for fold in folds_of(self.source, data):
                        job = SolverJob(self.source, data, setting, self.choice, features, k, seed, fold, self.epochs)
                        found[job] = None
        return list(found)

    def trained(self) -> list[tuple[str, str]]:
        """Return what is trained on, and how, in the order of the tables."""
        chosen = []
        if "table3" in self.tables:
            chosen += [(data, setting) for data in TABLE3_DATA for setting in TABLE3_SETTINGS]
        if "table4" in self.tables:
            chosen += [(data, setting) for data in TABLE4_DATA for setting in TABLE4_SETTINGS]
        if "table5" in self.tables:
            chosen += [(data, "TE") for data in TABLE3_DATA]
        return list(dict.fromkeys(chosen))
