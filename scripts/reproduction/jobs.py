"""The jobs that make up the tables, and what the paper prints in its Tables 3, 4 and 5.

A job is the smallest piece that is stored by itself: one model trained and scored (training data, setting, features, k,
seed, fold), or the figures of one dataset. Jobs are plain data, so that they can be sent to another process, named as
files and compared with what is stored. The figures of Table 2 are kept in `draw_dataset.data.statistics`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from draw_dataset.errors import short_repr

FOLDED = ("alg514", "dolphin_l")  # datasets that are cross-validated

# Folds of the cross-validated datasets, by where the problems come from; few for a smoke run
FOLD_COUNTS = {"release": 5, "sample": 2}

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


class Solver(NamedTuple):
    """A solver that the tables know."""

    title: str  # what it is called
    options: Mapping[str, Any]  # how it is trained, as `draw_dataset.solver.systems.train` takes it
    # Version of its figures, raised by hand when a change moves them: stored figures of another version count as
    # missing. tests/solver/test_unchanged.py fails if answers drift; --recompute compares stored figures with the code.
    behaviour: int = 1
    system: bool = True  # whether it stands in Table 5 alone, as the systems of other papers do
    quoted: str = "ours"  # which of the systems in the paper's Table 5 it is built after
    drawn: bool = True  # whether its training draws anything; if not, one seed is enough


# The solvers by name: feature sets of the template-first solver with the rule that they are taught by, then others
SOLVERS: Mapping[str, Solver] = {
    "relations": Solver("extended features, relations read", {"features": "extended"}, system=False),
    "extended": Solver("extended features", {"features": "extended", "relations": False}, system=False),
    "inferred": Solver("inferred features", {"features": "inferred", "rule": "perceptron"}, system=False),
    "paper": Solver("paper features", {"features": "paper", "rule": "perceptron"}, system=False),
    "kazb": Solver("KAZB, nouns nearby", {"system": "kazb"}, behaviour=2, quoted="KAZB", drawn=False),
    "kazb-parsed": Solver(
        "KAZB, nouns parsed", {"system": "kazb", "nouns": "parsed"}, behaviour=2, quoted="KAZB", drawn=False
    ),
    "zdc": Solver("ZDC, margin rule", {"system": "zdc"}, quoted="ZDC"),
    "zdc-qp": Solver("ZDC, quadratic program", {"system": "zdc", "rule": "qp"}, quoted="ZDC"),
    "similarity": Solver("similarity, numbers by context", {"system": "similarity"}, quoted="SWLLR", drawn=False),
    "similarity-rank": Solver(
        "similarity, numbers by rank", {"system": "similarity", "numbers": "rank"}, quoted="SWLLR", drawn=False
    ),
}

# The template-first solvers of the tables, each with its k: the best, with and without what a text states of its
# unknowns, and two readings of the paper's
VARIANTS: tuple[tuple[str, int | None], ...] = (
    ("relations", None),
    ("extended", None),
    ("inferred", 10),
    ("paper", 10),
)

SYSTEMS = tuple(name for name, solver in SOLVERS.items() if solver.system)  # the systems that stand in Table 5 alone

TABLE5_DATA = ("alg514", "draw1k", "dolphin_l")


def folds_of(source: str, data: str) -> tuple[int | None, ...]:
    """Return the folds that are tested on when a model is trained on some data; None stands for a test split.

    >>> folds_of("sample", "alg514"), folds_of("release", "draw1k+alg514")
    ((0, 1), (None,))
    """
    return tuple(range(FOLD_COUNTS[source])) if data in FOLDED else (None,)


@dataclass(frozen=True, slots=True)
class SolverJob:
    """One model, trained and scored."""

    source: str  # where the problems come from: the ``release``, or the embedded ``sample`` standing in for it
    data: str  # what is trained on, a key of `TITLES`
    setting: str  # TE, TE* or TD
    choice: str  # which of the derivations that lead to the gold equations TE and TE* take for right
    features: str  # the feature set of the template-first solver, or the name of another system; a key of `SOLVERS`
    k: int | None  # how many templates are tried; None for all
    seed: int  # of the training
    fold: int | None  # the fold that is tested on; None for Draw-1k, which has a test split
    epochs: int | None = None  # how often each problem is looked at; None for the solver's own choice

    @property
    def variant(self) -> tuple[str, int | None]:
        """Which solver it is: its name and its k."""
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
    """Return the job that plain data describes."""
    try:
        fields = {name: value for name, value in data.items() if name != "kind"}
        job = DatasetJob(**fields) if data["kind"] == "dataset" else SolverJob(**fields)
        hash(job)  # a field that is a list or an object makes no job
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"fields that are not those of a job: {short_repr(data)}") from error
    return job


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be reproduced."""

    tables: tuple[str, ...] = TABLES  # which of the tables
    source: str = "release"  # the release, or the sample
    # the template-first solvers, each a feature set and its k (None for all)
    variants: tuple[tuple[str, int | None], ...] = VARIANTS
    systems: tuple[str, ...] = SYSTEMS  # the other systems of Table 5
    seeds: int = 1
    choice: str = "first"  # see `SolverJob`
    epochs: int | None = None  # see `SolverJob`

    @property
    def solvers(self) -> list[tuple[str, int | None]]:
        """All solvers: the template-first ones, then the other systems, which have no k."""
        others = self.systems if "table5" in self.tables else ()
        return [*self.variants, *((name, None) for name in others)]

    def jobs(self) -> list[Job]:
        """Return the jobs, seed by seed: when a run is interrupted, the seeds before are whole."""
        found: dict[Job, None] = {}
        if "table2" in self.tables:
            found.update((DatasetJob(self.source, data), None) for data in DATASETS)
        for seed in range(self.seeds):
            for solver in self.solvers:
                if seed and not SOLVERS[solver[0]].drawn:
                    continue
                for data, setting in self.trained(solver):
                    found.update((job, None) for job in self.folds(solver, data, setting, seed))
        return list(found)

    def folds(self, solver: tuple[str, int | None], data: str, setting: str, seed: int) -> list[SolverJob]:
        """Return the jobs of one solver under one setting with one seed: one for each fold."""
        # The other systems are trained as they are by themselves.
        choice, epochs = ("first", None) if SOLVERS[solver[0]].system else (self.choice, self.epochs)
        return [
            SolverJob(self.source, data, setting, choice, *solver, seed, fold, epochs)
            for fold in folds_of(self.source, data)
        ]

    def trained(self, solver: tuple[str, int | None] | None = None) -> list[tuple[str, str]]:
        """Return what a solver is trained on, and how, in the order of the tables; by default a template-first one."""
        chosen = []
        if solver is not None and SOLVERS[solver[0]].system:
            return [(data, "TE") for data in TABLE5_DATA] if "table5" in self.tables else []
        if "table3" in self.tables:
            chosen += [(data, setting) for data in TABLE3_DATA for setting in TABLE3_SETTINGS]
        if "table4" in self.tables:
            chosen += [(data, setting) for data in TABLE4_DATA for setting in TABLE4_SETTINGS]
        if "table5" in self.tables:
            chosen += [(data, "TE") for data in TABLE5_DATA]
        return list(dict.fromkeys(chosen))


class Accuracies(NamedTuple):
    """The three accuracies of a system, in percent, in the order of the paper's columns."""

    solution: float
    equation: float
    derivation: float


METRICS = Accuracies._fields  # the metrics, in the order of the paper's columns

# Training on equations and on derivations, by training data and setting
TABLE3 = {
    ("alg514", "TE"): Accuracies(76.2, 72.7, 75.5),
    ("alg514", "TD"): Accuracies(78.4, 73.9, 77.8),
    ("draw1k", "TE"): Accuracies(52.0, 48.0, 48.0),
    ("draw1k", "TD"): Accuracies(55.0, 48.0, 53.0),
    ("dolphin_l", "TE"): Accuracies(55.1, 50.1, 44.2),
    ("dolphin_l", "TD"): Accuracies(57.5, 36.8, 54.9),
}

# Training on two datasets, tested on Draw-1k
TABLE4 = {
    ("draw1k+alg514", "TE"): Accuracies(32.5, 31.5, 29.5),
    ("draw1k+alg514", "TE*"): Accuracies(60.5, 56.0, 54.0),
    ("draw1k+alg514", "TD"): Accuracies(62.0, 53.0, 59.5),
    ("draw1k+dolphin_l", "TE"): Accuracies(41.0, 37.5, 37.5),
    ("draw1k+dolphin_l", "TE*"): Accuracies(58.5, 55.5, 51.5),
    ("draw1k+dolphin_l", "TD"): Accuracies(60.0, 53.0, 58.0),
}

ACCURACIES = {**TABLE3, **TABLE4}


# Solution accuracies of solvers side by side, in percent; ``ours`` is the paper's own solver, trained on equations
TABLE5 = {
    "alg514": {"ours": 76.2, "KAZB": 68.7, "ZDC": 79.7},
    "draw1k": {"ours": 52.0, "KAZB": 43.2},
    "dolphin_l": {"ours": 55.1, "KAZB": 37.5, "SWLLR": 46.3},
}
