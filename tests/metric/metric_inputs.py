"""What the tests of the metric share: the sample's rows and predictions, and the metric itself."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import evaluate

import draw_dataset  # noqa: F401 - makes the bare name known
from draw_dataset.data.sample import load_sample, load_sample_predictions

ROWS = [problem.to_row() for problem in load_sample()["test"]]


def bundled(name: str) -> list[Any]:
    predictions = load_sample_predictions(name)
    return [predictions[row["id"]] for row in ROWS]


@lru_cache(maxsize=2)
def metric(keep_in_memory: bool = False) -> Any:
    return evaluate.load("derivation_accuracy", keep_in_memory=keep_in_memory)
