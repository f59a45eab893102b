"""How fast derivations are proposed."""

from __future__ import annotations

from typing import Any

from benchmarks.measuring import timed
from benchmarks.rows import DATASETS, Row, release_folder
from draw_dataset.annotation.proposal import propose
from draw_dataset.core.problem import Problem
from draw_dataset.errors import AnnotationError
from draw_dataset.release import load_problems
from draw_dataset.sample import load_sample


def section_g(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Propose derivations for every problem, and make the first of each."""
    del rows, quick
    folder = release_folder()
    problems: list[Problem] = [
        problem
        for splits in ([load_problems(name, folder) for name in DATASETS] if folder else [load_sample()])
        for split in splits.values()
        for problem in split
    ]
    # Once: a second time the equations would be remembered.
    asking = timed(lambda: _propose(problems, derive=False))
    deriving = timed(lambda: _propose(problems, derive=True))
    listing = "He wrote " + " , ".join(["3"] * 40) + " ."
    wide = timed(lambda: propose(listing, "x = 3*3 + 3*3 + 3*3 + 3").nth(2187))
    return {
        "problems": len(problems),
        "problems a second, what is open": round(len(problems) / asking),
        "problems a second, with the first derivation, equations read before": round(len(problems) / deriving),
        "ms for 40 numbers and 40^7 candidates, the 2187th made": round(1000 * wide, 1),
        "aim": "at least 500 problems a second",
    }


def _propose(problems: list[Problem], derive: bool) -> None:
    for problem in problems:
        try:
            proposal = propose(problem.question, problem.equations)
        except AnnotationError:
            continue
        if derive:
            proposal.derive()
