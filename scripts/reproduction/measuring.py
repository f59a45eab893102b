"""The question: what are the figures of a job."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from draw_dataset.core.equivalence import canonical_key
from draw_dataset.core.problem import Problem
from draw_dataset.core.template import Template
from draw_dataset.scoring.reference import Reference
from draw_dataset.scoring.score import score
from draw_dataset.scoring.verdict import Verdict
from reproduction.jobs import DatasetJob, Job, SolverJob
from reproduction.problems import all_problems, problems_of
from reproduction.store import Record


def figures_of(job: Job, data_dir: str | None = None) -> Record:
    """Return the figures of a job.

    Raises:
        DrawError: the problems cannot be had or learnt from.
    """
    return _dataset_figures(job, data_dir) if isinstance(job, DatasetJob) else _solver_figures(job, data_dir)


def _dataset_figures(job: DatasetJob, data_dir: str | None) -> Record:
    from draw_dataset.annotation.proposal.evaluation import evaluate_proposals
    from draw_dataset.statistics import measure
    from draw_dataset.statistics.figures import FIGURES

    problems = all_problems(job.source, job.data, data_dir)
    statistics = measure(problems)
    return {
        "statistics": {figure.name: figure.value(statistics) for figure in FIGURES},
        "annotation": evaluate_proposals(problems).as_data(),
    }


def _solver_figures(job: SolverJob, data_dir: str | None) -> Record:
    # Here: it brings numpy, and a process that only makes tables needs none.
    from draw_dataset import solver

    divided = problems_of(job, data_dir)
    options: dict[str, Any] = {} if job.epochs is None else {"epochs": job.epochs}
    if job.features == "paper":
        options["rule"] = "perceptron"  # as in the paper, whatever is best with other features
    model = solver.train(
        divided.train,
        setting=job.setting,  # type: ignore[arg-type]
        choice=job.choice,  # type: ignore[arg-type]
        features=job.features,  # type: ignore[arg-type]
        k=job.k,
        seed=job.seed,
        **options,
    )
    answers = model.predict_all(divided.test)
    verdicts: list[Verdict] = []
    found = score(
        [answer.to_dict() for answer in answers],
        [Reference(problem) for problem in divided.test],
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
    """Say of each test problem whether its gold template is equivalent to none of the training problems'."""
    known = {canonical_key(Template.of(list(problem.template))) for problem in train}
    return [canonical_key(Template.of(list(problem.template))) not in known for problem in test]
