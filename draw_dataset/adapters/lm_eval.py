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

from draw_dataset.adapters.common import as_text, grade_response, label_of, rows_of
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


def process_results(doc: Mapping[str, Any], results: Sequence[str | Sequence[str]]) -> dict[str, float]:
    """Return the components of a response; of several (``repeats``) their means."""
    responses = [response for one in results for response in (one if isinstance(one, (list, tuple)) else [one])]
    if not responses:
        raise ScoreError(f"document {short_repr(doc.get('id'))}: expected at least one response, but got none")
    figures = [grade_response(response or "", doc["row"], doc["prompt_style"]).figures() for response in responses]
    return {name: fmean(one[name] for one in figures) for name in figures[0]}
