"""TRL: rewards for GRPO and similar trainers, and the training set for them.

``GRPOTrainer(reward_funcs=[derivation_reward, readable_reward], reward_weights=[1.0, 0.0], …)`` trains on derivations
and logs both. TRL passes the columns ``row`` and ``prompt_style`` as lists with one entry for each completion, a text
or a list of messages. What follows the last ``</think>`` counts. TRL itself is not imported.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from statistics import fmean
from typing import Any

from draw_dataset.adapters.common import (
    COMPONENTS,
    NOT_TEXT,
    Record,
    Rows,
    as_text,
    reward_figures,
    reward_progress,
    training_set,
)
from draw_dataset.errors import ScoreError, short_repr
from draw_dataset.prompting import Prompt

LogMetric = Callable[[str, float], object]
LogExtra = Callable[[str, list[Any]], object]


def derivation_reward(
    completions: Sequence[Any],
    row: Sequence[str] | None = None,
    prompt_style: Sequence[str] | None = None,
    log_extra: LogExtra | None = None,
    log_metric: LogMetric | None = None,
    **_: Any,
) -> list[float]:
    """Return 1.0 for each completion with a right result and no proof that its derivation is wrong, else 0.0.

    This is a one-way veto, also called `veto_reward`: a derivation that was not understood falls back to the result,
    and so does an answer without any: ``Answer: 23, 18`` alone gets 1.0 if it is right. `proved_reward` pays only for a
    derivation that is proved right. Every component and the reasons are logged.

    A completion that is neither a text nor messages gets the reward of an empty answer; ``not_text`` logs their share.
    `row` has the row of each completion as JSON text. Without `prompt_style`, completions are read as prose.
    """
    graded = _grade_all(completions, row, prompt_style)
    if log_metric is not None and graded:
        for at, name in enumerate(COMPONENTS):
            log_metric(name, fmean(figures[at] for figures, _ in graded))
        log_metric("not_text", fmean(reason == NOT_TEXT for _, reason in graded))
    if log_extra is not None:
        log_extra("reason", [reason for _, reason in graded])
    return _component("veto", graded)


def veto_reward(completions: Sequence[Any], row: Sequence[str] | None = None, **further: Any) -> list[float]:
    """Return what `derivation_reward` returns, under the name of the component: the veto."""
    return derivation_reward(completions, row, **further)


def proved_reward(
    completions: Sequence[Any], row: Sequence[str] | None = None, prompt_style: Sequence[str] | None = None, **_: Any
) -> list[float]:
    """Return 1.0 for each completion with gold's derivation, else 0.0; arguments as in `derivation_reward`."""
    return _component("derivation", _grade_all(completions, row, prompt_style))


def solution_reward(
    completions: Sequence[Any], row: Sequence[str] | None = None, prompt_style: Sequence[str] | None = None, **_: Any
) -> list[float]:
    """Return 1.0 for each completion with a right result, else 0.0. The arguments are those of `derivation_reward`."""
    return _component("solution", _grade_all(completions, row, prompt_style))


def readable_reward(
    completions: Sequence[Any], row: Sequence[str] | None = None, prompt_style: Sequence[str] | None = None, **_: Any
) -> list[float]:
    """Return 1.0 for each completion that could be read, else 0.0. The arguments are those of `derivation_reward`."""
    return _component("readable", _grade_all(completions, row, prompt_style))


def step_reward(
    completions: Sequence[Any], row: Sequence[str] | None = None, prompt_style: Sequence[str] | None = None, **_: Any
) -> list[float]:
    """Return for each completion how far it gets before its first wrong step: 1.0 for a right result under the veto.

    Any other completion gets the share of its steps that stand before the first wrong one, and 0.0 if none can be
    named: so a right result with a wrong number in its set-up gets 0.0.
    Which step it is is proved only in part (docs/answers.md), so this is no default. The arguments are those of
    `derivation_reward`.
    """
    _grade_all(completions, row, prompt_style)
    rows = row or []
    styles = ["plain"] * len(rows) if prompt_style is None else prompt_style
    return [reward_progress(*one) for one in zip(completions, rows, styles, strict=True)]


def _grade_all(
    completions: Sequence[Any], row: Sequence[str] | None, prompt_style: Sequence[str] | None
) -> list[tuple[tuple[float, ...], str]]:
    if row is None:
        raise ScoreError("rewards: expected a column row in the training set, as to_trl writes it, but there is none")
    for name, column in (
        ("completions", completions),
        ("row", row),
        ("prompt_style", [] if prompt_style is None else prompt_style),
    ):
        if isinstance(column, (str, bytes)) or not isinstance(column, Collection):
            raise ScoreError(f"rewards: expected {name} as a list, but got {short_repr(column)}")
    styles = ["plain"] * len(row) if prompt_style is None else prompt_style
    if not len(completions) == len(row) == len(styles):
        got = f"{len(completions)} completions, {len(row)} rows and {len(styles)} styles"
        raise ScoreError(f"rewards: expected a row and a style for each completion, but got {got}")
    return [reward_figures(*one) for one in zip(completions, row, styles, strict=True)]


def _component(name: str, graded: Sequence[tuple[tuple[float, ...], str]]) -> list[float]:
    at = COMPONENTS.index(name)
    return [figures[at] for figures, _ in graded]


def to_trl(
    rows: Rows,
    out: str | os.PathLike[str] | None = None,
    *,
    style: str = "marked",
    shots: int = 0,
    data_dir: str | os.PathLike[str] | None = None,
    corrected: bool = False,
) -> list[Record]:
    """Return the training set: prompts as messages, rows, styles, and gold as answers for supervised training.

    >>> record = to_trl("sample/train")[0]
    >>> list(record), record["prompt"][-1]["role"], record["prompt_style"]
    (['prompt', 'row', 'prompt_style', 'gold_answer', 'id'], 'user', 'marked/1')
    """

    def shape(row: Mapping[str, Any], at: int, prompt: Prompt, gold_answer: str) -> Record:  # noqa: ARG001
        return {
            "prompt": prompt.messages,
            "row": as_text(row),
            "prompt_style": prompt.label,
            "gold_answer": gold_answer,
            "id": str(row.get("id")),
        }

    return training_set(rows, shape, out, style=style, shots=shots, data_dir=data_dir, corrected=corrected)
