"""lm-evaluation-harness: what the YAML tasks of ``lm_eval_tasks`` call.

lm-eval finds the tasks by ``--include_path``; ``draw harness lm-eval`` prints that folder. Every task loads its rows by
`documents`, so ``--metadata '{"data": "rows.jsonl"}'`` asks about your own rows. A document has the prompt, gold as an
answer, and the row as text, so that logged samples can be graded again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from statistics import fmean
from typing import Any

from draw_dataset.adapters.common import EXPLANATION, as_text, grade_response, label_of, rows_of
from draw_dataset.errors import ScoreError, short_repr
from draw_dataset.prompting import answer_for, question_for, system_for
from draw_dataset.scoring.prompted import find_style

SPLIT = "test"
"""The one split that every task has."""


def task_folder() -> Path:
    """Return the folder of the tasks, for ``--include_path``."""
    return Path(str(files("draw_dataset.adapters").joinpath("lm_eval_tasks")))


def documents(
    data: str, prompt_style: str = "marked", data_dir: str | None = None, corrected: bool = False, **_: Any
) -> Mapping[str, Any]:
    """Return the documents of a task by split. The arguments are ``metadata`` of the task and the command line."""
    from datasets import Dataset

    rows = rows_of(data, data_dir, corrected)
    label = label_of(data, rows, corrected)
    return {SPLIT: Dataset.from_list([{**_document(row, prompt_style), "data": label} for row in rows])}


def _document(row: Mapping[str, Any], style: str) -> dict[str, Any]:
    chosen = find_style(style)
    return {
        "id": str(row.get("id")),
        "problem": question_for(row, chosen),
        "system": system_for(chosen),
        "gold": answer_for(row, chosen),
        "prompt_style": chosen.label(),
        "row": as_text(row),
    }


def marked_shots() -> list[dict[str, Any]]:
    """Return the worked examples of marked tasks: the train split of our sample."""
    return [_document(row, "marked") for row in rows_of("sample/train")]


def plain_shots() -> list[dict[str, Any]]:
    """Return the worked examples of plain tasks: the train split of our sample."""
    return [_document(row, "plain") for row in rows_of("sample/train")]


def process_results(doc: Mapping[str, Any], results: Sequence[str | Sequence[str]]) -> dict[str, Any]:
    """Return the components of a response and its explanation; of several (``repeats``) means, and a list."""
    responses = [response for one in results for response in (one if isinstance(one, (list, tuple)) else [one])]
    if not responses:
        raise ScoreError(f"document {short_repr(doc.get('id'))}: expected at least one response, but got none")
    grades = [grade_response(response or "", doc["row"], doc["prompt_style"]) for response in responses]
    figures = [one.figures() for one in grades]
    means = {name: fmean(one[name] for one in figures) for name in figures[0]}
    explanations = [one.explanation() for one in grades]
    return {**means, EXPLANATION: explanations[0] if len(explanations) == 1 else explanations}


def explained(explanations: Sequence[Mapping[str, Any] | Sequence[Mapping[str, Any]]]) -> float:
    """Return the share of responses whose first wrong step is named, from their explanations.

    >>> explained([{"first_error": None}, [{"first_error": {"index": 0}}, {"first_error": None}]])
    0.25
    """
    each = [[one] if isinstance(one, Mapping) else one for one in explanations]
    return fmean(fmean(one["first_error"] is not None for one in several) for several in each)
