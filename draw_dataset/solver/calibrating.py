"""Fits the confidence of a template-first solver: asks models of parts of the training problems about the other parts.

The models that are asked are trained as the solver is, on four fifths of its problems, and nothing but its own training
problems is looked at. They know a little less than the solver, so its confidence is rather too low than too high.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from draw_dataset.core.problem import Problem
from draw_dataset.errors import TrainingError
from draw_dataset.scoring.grading import grade
from draw_dataset.scoring.reference import Reference
from draw_dataset.solver.confidence import FOLDS, Calibration, held_out
from draw_dataset.solver.model import Model
from draw_dataset.solver.signs import Doubt

FEWEST = 50
"""Problems that a calibration needs: of fewer answers nothing about probabilities can be said."""


def can_calibrate(problems: Sequence[Problem]) -> bool:
    """Say whether there are problems enough to calibrate a solver on."""
    return len({problem.question for problem in problems}) >= FEWEST


def calibrated(model: Model, problems: Sequence[Problem], learn: Callable[[Sequence[Problem]], Model]) -> Model:
    """Return a solver that can tell how sure it is.

    Args:
        model: the solver.
        problems: what it was trained on.
        learn: trains a solver as it was trained.

    Raises:
        TrainingError: there are too few problems.
        RowError: the gold of a problem cannot be read.
    """
    if not can_calibrate(problems):
        raise TrainingError(
            f"calibrate: expected at least {FEWEST} problems with different texts, but got {len(problems)}; "
            "train without calibration"
        )
    doubts: list[Doubt] = []
    right: list[bool] = []
    for learnt, asked in held_out(problems, FOLDS, lambda problem: problem.question):
        asking = learn(learnt)
        for problem in asked:
            answer, doubt = asking.doubted(problem)
            if doubt is not None:
                doubts.append(doubt)
                right.append(bool(grade(answer.to_dict(), Reference(problem)).derivation))
    return replace(model, calibration=Calibration.fit(doubts, right))
