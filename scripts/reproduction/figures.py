"""The problems that a job trains on and tests, and the figures that come of it.

Draw-1k trains on its train split, and where the job says so on the validation split or another dataset besides; it is
always tested on its test split. Alg-514 and Dolphin-L train on everything that is not in the fold tested, as the
release prescribes, the development set included.

For a smoke run the embedded sample stands in for all three: its own splits for Draw-1k's, and two folds of some of its
validation and train problems for the others, so that no test problem is trained on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from draw_dataset.data.manifest import FOLDS
from draw_dataset.data.release import load_problems
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.equivalence import canonical_key
from draw_dataset.derivation.problem import Problem
from draw_dataset.derivation.template import Template
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.score import score
from draw_dataset.scoring.verdict import Verdict
from reproduction.jobs import FOLD_COUNTS, SOLVERS, DatasetJob, Job, SolverJob
from reproduction.store import Record

DOLPHINS = 40  # problems of the sample that stand in for Dolphin-L
DEVELOPMENT = 10  # those of them that stand in for its development set


class Divided(NamedTuple):
    """The problems of a job."""

    train: list[Problem]  # what it trains on
    test: list[Problem]  # what it is tested on
    name: str  # what the test problems are called in a signature; ``draw score`` calls them the same


@lru_cache(maxsize=8)
def splits_of(source: str, dataset: str, data_dir: str | None) -> dict[str, list[Problem]]:
    """Return the problems of a dataset by split."""
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
    """Return the problems of a job."""
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


def figures_of(job: Job, data_dir: str | None = None) -> Record:
    """Return the figures of a job."""
    return _dataset_figures(job, data_dir) if isinstance(job, DatasetJob) else _solver_figures(job, data_dir)


def _dataset_figures(job: DatasetJob, data_dir: str | None) -> Record:
    from draw_dataset.annotate.evaluation import evaluate_proposals
    from draw_dataset.data.statistics import FIGURES, measure

    problems = all_problems(job.source, job.data, data_dir)
    statistics = measure(problems)
    return {
        "statistics": {figure.name: figure.value(statistics) for figure in FIGURES},
        "annotation": evaluate_proposals(problems).as_data(),
    }


def _solver_figures(job: SolverJob, data_dir: str | None) -> Record:
    # Here: it brings numpy, and a process that only makes tables needs none.
    from draw_dataset.solver.systems import train

    divided = problems_of(job, data_dir)
    known = SOLVERS[job.features]
    options: dict[str, Any] = dict(known.options)
    if not known.system:
        options |= {"choice": job.choice, "k": job.k}
    if job.epochs is not None:
        options["epochs"] = job.epochs
    model = train(divided.train, setting=job.setting, seed=job.seed, **options)  # type: ignore[arg-type]
    answers = model.predict_all(divided.test)
    verdicts: list[Verdict] = []
    found = score(
        [answer.to_dict() for answer in answers],
        [PreparedProblem(problem) for problem in divided.test],
        data=divided.name,
        verdicts=verdicts,
    )
    lucky = [
        (problem.id, str(verdict.reason))
        for problem, verdict in zip(divided.test, verdicts, strict=True)
        if verdict.solution and not verdict.derivation
    ]
    unseen = _unseen(divided.train, divided.test)
    return {
        "model": model.signature,
        "trained_on": len(divided.train),
        "templates": len(model.inventory),
        "score": found.to_dict(),
        "lucky_reasons": dict(sorted(Counter(reason for _, reason in lucky).items())),
        "lucky_ids": sorted(id_ for id_, _ in lucky),
        "abstained": dict(sorted(Counter(str(a.reason) for a in answers if a.reason is not None).items())),
        "unseen_templates": sum(unseen),
        "right_with_unseen_template": sum(
            new and verdict.derivation for new, verdict in zip(unseen, verdicts, strict=True)
        ),
    }


def _unseen(train: Sequence[Problem], test: Sequence[Problem]) -> list[bool]:
    """Decide for each test problem whether its gold template is equivalent to none of the training problems'."""
    known = {canonical_key(Template.coerce(list(problem.template))) for problem in train}
    return [canonical_key(Template.coerce(list(problem.template))) not in known for problem in test]
