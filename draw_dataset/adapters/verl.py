"""verl: a reward function, which verl finds by ``pkg://draw_dataset.adapters.verl``, and the training set for it.

Set ``reward.custom_reward_function.path`` to that, and ``name`` to compute_score. verl calls it from threads.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from draw_dataset.adapters.common import (
    COMPONENTS,
    STEPS,
    Record,
    Rows,
    as_text,
    reward_figures,
    reward_progress,
    training_set,
)
from draw_dataset.errors import ChoiceError, ScoreError, short_repr
from draw_dataset.prompting import Prompt

DATA_SOURCE = "draw_dataset"
"""The data source of our records; verl groups what it logs by it."""


def compute_score(
    data_source: str = "",
    solution_str: str = "",
    ground_truth: str | None = None,
    extra_info: Mapping[str, Any] | None = None,
    *,
    prompt_style: str | None = None,
    reward: str = "veto",
    **_: Any,
) -> dict[str, float]:
    """Return the score and every component; `ground_truth` is the row as JSON text.

    By default the score is a one-way veto: 1 for a right result unless its derivation is proved wrong, so ``Answer: 23,
    18`` alone gets 1 if it is right. TRL's `derivation_reward` is this veto. Here ``reward="derivation"`` is stricter:
    it is 1 only for a derivation that is proved right. With ``reward="steps"`` it is the share of the steps before the
    first wrong one, and 1 for a right result under the veto.
    """
    # extra_info or reward_kwargs has the style of the prompt; reward_kwargs may also name the component to reward.
    if reward not in (*COMPONENTS, STEPS):
        raise ChoiceError(f"reward: expected one of {', '.join((*COMPONENTS, STEPS))}, but got {short_repr(reward)}")
    label = prompt_style or (extra_info.get("prompt_style") if isinstance(extra_info, Mapping) else None)
    if not isinstance(label, str) or not isinstance(ground_truth, str):
        raise ScoreError(
            f"{short_repr(data_source)}: expected the row as JSON text in ground_truth and prompt_style in extra_info, "
            f"as to_verl writes them, but got {short_repr(ground_truth)} and {short_repr(label)}"
        )
    figures, _reason = reward_figures(solution_str, ground_truth, label)
    components = dict(zip(COMPONENTS, figures, strict=True))
    if reward == STEPS:
        components[STEPS] = reward_progress(solution_str, ground_truth, label)
    return {"score": components[reward], **components}


def veto_reward(*given: Any, **further: Any) -> dict[str, float]:
    """Return what `compute_score` returns for the veto; arguments as there. The same reward is TRL's `veto_reward`."""
    return compute_score(*given, **{**further, "reward": "veto"})


def proved_reward(*given: Any, **further: Any) -> dict[str, float]:
    """Return what `compute_score` returns for a derivation that is proved right; the same is TRL's `proved_reward`."""
    return compute_score(*given, **{**further, "reward": "derivation"})


def score_only(data_source: str = "", solution_str: str = "", ground_truth: str | None = None, **further: Any) -> float:
    """Return the score alone, for verl.trainer.main_eval, whose ``reward_kwargs`` must give the prompt style."""
    return compute_score(data_source, solution_str, ground_truth, **further)["score"]


def to_verl(
    rows: Rows,
    out: str | os.PathLike[str] | None = None,
    *,
    style: str = "marked",
    shots: int = 0,
    data_dir: str | os.PathLike[str] | None = None,
    corrected: bool = False,
) -> list[Record]:
    """Return the training set in verl's form; the arguments are those of `draw_dataset.adapters.trl.to_trl`."""

    def shape(row: Mapping[str, Any], at: int, prompt: Prompt, gold_answer: str) -> Record:
        return {
            "data_source": DATA_SOURCE,
            "prompt": prompt.messages,
            "ability": "math",
            "reward_model": {"style": "rule", "ground_truth": as_text(row)},
            "extra_info": {
                "index": at,
                "id": str(row.get("id")),
                "prompt_style": prompt.label,
                "gold_answer": gold_answer,
            },
        }

    return training_set(rows, shape, out, style=style, shots=shots, data_dir=data_dir, corrected=corrected)
