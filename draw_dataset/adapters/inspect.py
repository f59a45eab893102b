"""inspect-ai: tasks and a scorer, found by the entry point ``draw_dataset`` of the group ``inspect_ai``.

``inspect eval draw_dataset/draw1k --model … -T style=plain``; a saved log is scored again by ``inspect score LOG
--scorer draw_dataset/derivation_scorer``, that of another task with ``data``. A bad row ends the evaluation.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, GenerateConfig, ResponseSchema
from inspect_ai.scorer import Score, Scorer, Target, accuracy, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate
from inspect_ai.util import JSONSchema

from draw_dataset.adapters.common import as_text, grade_response, label_of, rows_of
from draw_dataset.errors import RowError, short_repr
from draw_dataset.prompting import JSON_SCHEMA, answer_for, prompt_for
from draw_dataset.scoring.prompted import find_style

_ROLES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}


@task
def draw1k(
    style: str = "marked", split: str = "test", shots: int = 0, data_dir: str | None = None, corrected: bool = False
) -> Task:
    """Draw-1k."""
    return _task(f"draw1k/{split}", style, shots, data_dir, corrected)


@task
def alg514(
    style: str = "marked", split: str = "all", shots: int = 0, data_dir: str | None = None, corrected: bool = False
) -> Task:
    """Alg-514."""
    return _task(f"alg514/{split}", style, shots, data_dir, corrected)


@task
def dolphin_l(
    style: str = "marked", split: str = "all", shots: int = 0, data_dir: str | None = None, corrected: bool = False
) -> Task:
    """Dolphin-L."""
    return _task(f"dolphin_l/{split}", style, shots, data_dir, corrected)


@task
def gsm8k(style: str = "plain", split: str = "test", shots: int = 0, data_dir: str | None = None) -> Task:
    """GSM8K with our derivations; without data_dir the texts come from the Hub."""
    return _task(f"gsm8k_derivations/{split}", style, shots, data_dir)


@task
def svamp(style: str = "plain", shots: int = 0, data_dir: str | None = None) -> Task:
    """SVAMP with our derivations; without data_dir the texts come from the Hub."""
    return _task("svamp_derivations/test", style, shots, data_dir)


@task
def draw_sample(style: str = "marked", split: str = "test", shots: int = 0) -> Task:
    """Embedded sample, which needs no file."""
    return _task(f"sample/{split}", style, shots)


@task
def draw_rows(data: str, style: str = "marked", shots: int = 0) -> Task:
    """Rows of a file, such as variants or problems of other sources."""
    return _task(data, style, shots)


def _task(data: str, style: str, shots: int, data_dir: str | None = None, corrected: bool = False) -> Task:
    chosen = find_style(style)
    rows = rows_of(data, data_dir, corrected)
    samples = [_sample(row, chosen.name, shots) for row in rows]
    config = GenerateConfig()
    if chosen.name == "json":
        schema = JSONSchema.model_validate(JSON_SCHEMA)
        config = GenerateConfig(response_schema=ResponseSchema(name="derivation", json_schema=schema))
    return Task(
        dataset=MemoryDataset(samples, name=label_of(data, rows, corrected)),
        solver=generate(),
        scorer=derivation_scorer(),
        config=config,
        version=chosen.version,
    )


def _sample(row: dict[str, Any], style: str, shots: int) -> Sample:
    prompt = prompt_for(row, style, shots)
    messages = [_ROLES[message["role"]](content=message["content"]) for message in prompt.messages]
    return Sample(
        id=row.get("id"),
        input=messages,
        target=answer_for(row, style),
        metadata={"row": as_text(row), "prompt_style": prompt.label},
    )


@scorer(
    metrics={
        "derivation": [accuracy(), stderr()],
        "certain": [accuracy()],
        "solution": [accuracy(), stderr()],
        "readable": [mean()],
        "slip": [mean()],
        "veto": [mean(), stderr()],
        "decided": [mean()],
        "algorithm1": [mean()],
    }
)
def derivation_scorer(data: str | None = None, style: str | None = None, data_dir: str | None = None) -> Scorer:
    """Score derivations. `data` has the rows of samples that carry none; `style` is for samples that do not say it."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - gold is in the row
        row = (state.metadata or {}).get("row")
        if row is None:
            row = _find_row(data, data_dir, state.sample_id)
        label = style or (state.metadata or {}).get("prompt_style") or "plain"
        completion = state.output.completion or ""
        grades = grade_response(completion, row, label)
        reading = grades.verdict.reading
        setup = "; ".join((*reading.setup, *reading.chain)) if reading is not None else ""
        error = grades.verdict.first_error
        told = [f"{grades.verdict.reason}: {grades.verdict.message}", *([] if error is None else [error.because])]
        return Score(
            value=dict(grades.figures()),
            answer=setup or completion[:200],
            explanation="\n".join(told),
            metadata={**grades.explanation(), "prompt_style": label},
        )

    return score


@lru_cache(maxsize=8)
def _rows_by_id(data: str, data_dir: str | None) -> dict[str, str]:
    return {str(row.get("id")): as_text(row) for row in rows_of(data, data_dir)}


def _find_row(data: str | None, data_dir: str | None, sample: object) -> str:
    if data is None:
        raise RowError(f"sample {short_repr(sample)}: expected a row in its metadata, or -S data=NAME, but got neither")
    row = _rows_by_id(data, data_dir).get(str(sample))
    if row is None:
        raise RowError(f"sample {short_repr(sample)}: Unknown id in {data}")
    return row
