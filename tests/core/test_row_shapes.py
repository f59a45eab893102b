"""Rows in the shapes of other libraries score like plain rows; for anything else the error says what to give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import evaluate
import pytest

from draw_dataset import grade, score
from draw_dataset.data.features import rows_dataset
from draw_dataset.data.sample import load_sample
from draw_dataset.errors import RowError

ROWS = [problem.to_row() for problem in load_sample()["test"][:6]]
GOLD = [row["derivation"] for row in ROWS]

SHAPES: dict[str, Callable[[Any], Any]] = {
    "a dataset": lambda ds: ds,
    "a slice, which is a dict of columns": lambda ds: ds[:],
    "a slice in numpy format": lambda ds: ds.with_format("numpy")[:],
    "a DataFrame": lambda ds: ds.to_pandas(),
    "records of a DataFrame": lambda ds: ds.to_pandas().to_dict("records"),
    "a dataset in numpy format": lambda ds: ds.with_format("numpy"),
    "rows in numpy format": lambda ds: list(ds.with_format("numpy")),
    "a dataset in pandas format": lambda ds: ds.with_format("pandas"),
    "a dataset in arrow format": lambda ds: ds.with_format("arrow"),
    "an iterable dataset": lambda ds: ds.to_iterable_dataset(),
    "a tuple": tuple,
    "a generator": lambda ds: (row for row in ds),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_natural_shape_scores_as_a_list_of_rows(shape: str) -> None:
    dataset = rows_dataset(ROWS)
    found = score([*GOLD[:5], "m = q1"], SHAPES[shape](dataset))
    assert found.accuracy("derivation") == pytest.approx(5 / 6)
    metric = evaluate.load("derivation_accuracy")
    assert metric.compute(predictions=GOLD, references=SHAPES[shape](dataset))["derivation_accuracy"] == 1
    metric.add_batch(predictions=GOLD, references=SHAPES[shape](dataset))
    assert metric.compute()["derivation_accuracy"] == 1


def test_one_row_in_another_shape_is_graded() -> None:
    dataset = rows_dataset(ROWS)
    assert grade(GOLD[0], dataset.with_format("numpy")[0]).derivation
    assert grade(GOLD[0], dataset.to_pandas().iloc[0]).derivation


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda ds: ds[0], r"\[row\]"),
        (
            lambda ds: {"train": ds, "test": ds},
            r"train, test.*\['test'\]",
        ),
        (lambda ds: ds["derivation"], r"\bstr\b.*list\(ds\)"),
        (lambda ds: [ds.to_pandas()] * 6, r"\bDataFrame\b.*\blist\b"),
        (lambda _: {"a": [1]}, r"\bdict\b.*\blist\b"),
        (lambda _: {"id": [1, 2], "question": ["one"]}, "columns of one length"),
        (lambda _: 7, r"\bint\b"),
        (lambda _: "rows.jsonl", r"\bstr\b"),
    ],
)
def test_what_is_no_list_of_rows_says_what_to_give(given: Callable[[Any], Any], message: str) -> None:
    dataset = rows_dataset(ROWS)
    with pytest.raises(RowError, match=message):
        score(GOLD, given(dataset))
    with pytest.raises(RowError, match=message):
        evaluate.load("derivation_accuracy").compute(predictions=GOLD, references=given(dataset))
