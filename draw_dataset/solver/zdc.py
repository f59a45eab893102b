"""The system ZDC (Zhou, Dai and Chen 2015): number slots only, every template, and the largest margin.

It is the machinery of the template-first solver with the features of `zdc_features` and all templates, taught by the
margin rule of `learner` (the default: it is faster) or by ZDC's own quadratic program
(``rule="qp"``, `margin_program`). ZDC merges equivalent templates by itself, so for it TE is the same as TE*. A trained
one is a `Model`, and is stored as one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from draw_dataset.core.problem import Problem
from draw_dataset.solver.model import Model
from draw_dataset.solver.supervision import Choice, Setting, check_choices
from draw_dataset.solver.training import DEFAULT_EPOCHS, train_template_first

ZdcRule = Literal["margin", "qp"]


def train_zdc(
    problems: Sequence[Problem],
    *,
    setting: Setting = "TD",
    choice: Choice = "first",
    rule: ZdcRule = "margin",
    epochs: int = DEFAULT_EPOCHS,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Model:
    """Train ZDC.

    Args:
        problems: the problems to learn from.
        setting: TD trains on annotated derivations, TE and TE* on equations with templates reconciled.
        choice: under TE and TE*, whether the first consistent derivation is right, or all (latent).
        rule: ``margin``, the rule of the template-first solver, or ``qp``, the quadratic program of the paper.
        epochs: how often the margin rule looks at each problem.
        seed: of what is drawn.
        progress: is told after each epoch or round which it was (from 0), and how many problems were answered wrongly.

    Raises:
        ExtraMissing: the tagger is not installed.
        ChoiceError: an option is none of those offered.
        RowError: the gold of a problem cannot be read; names the problem.
        TrainingError: there is nothing to learn from.
    """
    check_choices(rule=(rule, ZdcRule))
    return train_template_first(
        problems,
        setting="TE*" if setting == "TE" else setting,
        choice=choice,
        features="zdc",
        k=None,
        epochs=epochs,
        seed=seed,
        rule=rule,
        progress=progress,
    )
