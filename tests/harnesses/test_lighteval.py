"""lighteval, where its release can be imported at all."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from agreement import ROWS, SHARES
from stand_in import Models

adapter = pytest.importorskip(
    "draw_dataset.adapters.lighteval", reason="lighteval is not installed, or cannot be imported", exc_type=Exception
)


@pytest.mark.parametrize("style", ["marked", "plain"])
@pytest.mark.parametrize("model", SHARES)
def test_the_metric_of_a_task_gives_the_known_share(model: str, style: str) -> None:
    task = next(task for task in adapter.TASKS_TABLE if task.name == f"draw_sample_{style}")
    spoken, found = Models(ROWS), []
    for row in ROWS:
        doc = task.prompt_function(row, task.name)
        text = spoken.answer(model, f"{doc.instruction}\n{doc.query}")
        found.append(adapter.METRIC.sample_level_fn.compute(doc, SimpleNamespace(final_text=[text])))
    assert sum(one["derivation"] for one in found) / 30 == SHARES[model]
    assert {one["readable"] for one in found} == {0.0 if model == "garbled" else 1.0}
