"""Records of jobs with chosen figures, for tests of what is made of them."""

from __future__ import annotations

from typing import Any

from reproduction.jobs import Job, Plan, SolverJob


def accuracies(solution: float, equation: float, derivation: float, n: int = 100, **more: Any) -> dict[str, Any]:
    """Return a record with accuracies in percent."""
    right = round(n * derivation / 100)
    lucky = round(n * (solution - derivation) / 100)
    return {
        "code": "c0de",
        "behaviour": "paper:1",
        "format": 2,
        "model": "solver|train:TD|features:paper|k:10|rule:perceptron|epochs:5|seed:0|n:60@0|version:0.1.0",
        "score": {
            "n": n,
            "solution_accuracy": solution / 100,
            "equation_accuracy": equation / 100,
            "derivation_accuracy": derivation / 100,
            "counts": {"right": right, "alignment": lucky, "template": n - right - lucky},
            "right_answer_wrong_derivation": lucky,
            "signature": f"deriv|data:some@0|n:{n}|sol:tol0.0001|version:0.1.0",
        },
        "lucky_reasons": {"alignment": lucky} if lucky else {},
        "lucky_ids": [],
        "abstained": {},
        "unseen_templates": 10,
        "right_with_unseen_template": 0,
        **more,
    }


PAPER: tuple[tuple[str, int | None], ...] = (("paper", 10),)
PLAN = Plan(("table3", "table4", "table5"), variants=PAPER, systems=(), seeds=2)


def made_records(plan: Plan = PLAN) -> dict[Job, dict[str, Any]]:
    """Return records in which TD is better than TE, and seed 1 better than seed 0."""
    made: dict[Job, dict[str, Any]] = {}
    for job in plan.jobs():
        assert isinstance(job, SolverJob)
        better = {"TE": 0, "TE*": 4, "TD": 8}[job.setting] + 2 * job.seed
        made[job] = accuracies(50 + better / 2, 45, 40 + better, n=100 + 20 * (job.fold or 0), job=job.as_data())
    return made
