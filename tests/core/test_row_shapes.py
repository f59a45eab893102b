"""Rows in the shapes of other libraries score like plain rows; for anything else the error says what to give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import evaluate
import pytest

from draw_dataset import grade, score
from draw_dataset.errors import RowError
from draw_dataset.huggingface.features import rows_dataset
from draw_dataset.sample import load_sample

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
        (lambda ds: ds[0], r"expected a list of rows, but got one row; give \[row\]"),
        (
            lambda ds: {"train": ds, "test": ds},
            r"expected one split, but got train, test; give one, as in ds\['test'\]",
        ),
        (lambda ds: ds["derivation"], r"expected a row, which is a dict .* got a value of type str; give list\(ds\)"),
        (lambda ds: [ds.to_pandas()] * 6, "got a value of type DataFrame; give list"),
        (lambda _: {"a": [1]}, "expected a list of rows, but got a value of type dict; give list"),
        (lambda _: {"id": [1, 2], "question": ["one"]}, "columns of one length"),
        (lambda _: 7, "expected a list of rows, but got a value of type int"),
        (lambda _: "rows.jsonl", "expected a list of rows, but got a value of type str"),
    ],
)
def test_what_is_no_list_of_rows_says_what_to_give(given: Callable[[Any], Any], message: str) -> None:
    dataset = rows_dataset(ROWS)
    with pytest.raises(RowError, match=message):
        score(GOLD, given(dataset))
    with pytest.raises(RowError, match=message):
        evaluate.load("derivation_accuracy").compute(predictions=GOLD, references=given(dataset))
