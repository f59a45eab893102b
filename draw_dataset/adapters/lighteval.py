"""lighteval: tasks for ``--custom-tasks draw_dataset.adapters.lighteval``.

The row travels as text in ``doc.specific``. The newest release, 0.13.0, needs older versions of two packages to run at
all; docs/harnesses.md names them.
"""

from __future__ import annotations

from functools import partial
from statistics import fmean
from typing import Any

from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import SampleLevelMetricGrouping
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc, SamplingMethod

from draw_dataset.adapters.common import ALGORITHM1, COMPONENTS, grade_response
from draw_dataset.prompting import answer_for, prompt_for

_NAMES = [*COMPONENTS, ALGORITHM1]


class DerivationGrades(SampleLevelComputation):
    """The grades of a response, for lighteval."""

    def compute(self, doc: Doc, model_response: Any, **_: Any) -> dict[str, float]:
        """Return every component of the first response."""
        return grade_response(
            model_response.final_text[0] or "", doc.specific["row"], doc.specific["prompt_style"]
        ).figures()


METRIC = SampleLevelMetricGrouping(
    metric_name=_NAMES,
    higher_is_better={name: name != "slip" for name in _NAMES},
    category=SamplingMethod.GENERATIVE,
    sample_level_fn=DerivationGrades(),
    corpus_level_fn=dict.fromkeys(_NAMES, fmean),
)


def _document(line: dict[str, Any], task_name: str | None = None, *, style: str) -> Doc:
    from draw_dataset.adapters.common import as_text

    prompt = prompt_for(line, style)
    return Doc(
        task_name=task_name or "",
        query=prompt.question,
        instruction=prompt.system,
        choices=[answer_for(line, style)],
        gold_index=0,
        specific={"row": as_text(line), "prompt_style": prompt.label},
    )


def _config(name: str, repository: str, subset: str, split: str, style: str) -> LightevalTaskConfig:
    return LightevalTaskConfig(
        name=f"{name}_{style}",
        prompt_function=partial(_document, style=style),
        hf_repo=repository,
        hf_subset=subset,
        hf_avail_splits=[split],
        evaluation_splits=[split],
        metrics=[METRIC],
        generation_size=2048,
        stop_sequence=[],
        version=1,
    )


TASKS_TABLE = [
    _config(name, repository, subset, split, style)
    for name, repository, subset, split in (
        ("draw1k", "draw1k", "draw1k", "test"),
        ("draw_sample", "draw_sample", "sample", "test"),
    )
    for style in ("marked", "plain")
]
