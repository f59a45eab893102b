"""Grading inside `datasets.Dataset.map`: functions hash at once, the result is cached, and a verdict is a plain row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import process_time
from types import FunctionType

import pytest
from datasets import Dataset
from datasets.fingerprint import Hasher
from interpreter import OFFLINE, run

import draw_dataset
from draw_dataset import grade
from draw_dataset.data.sample import load_sample
from draw_dataset.scoring.verdict import COLUMNS

ROWS = [problem.to_row() for problem in load_sample()["test"]][:6]
WHOLE = {"score_file"}  # reads a file of predictions, so nobody calls it for a row
FUNCTIONS = sorted(
    n for n in draw_dataset.__all__ if isinstance(getattr(draw_dataset, n), FunctionType) and n not in WHOLE
)


def caller_of(function: object) -> Callable[[object], object]:
    """Return a function as a user writes it: it calls one of ours by its name."""
    code = compile("lambda row: ours(row)", "<notebook>", "eval")
    made: Callable[[object], object] = eval(code, {"__name__": "__main__", "ours": function})
    return made


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_that_calls_one_of_ours_is_hashed_at_once(name: str) -> None:
    # dill follows every function that a function calls, each time anew, and never ends if two call each other.
    started = process_time()
    assert Hasher.hash(caller_of(getattr(draw_dataset, name)))
    assert process_time() - started < 5


def test_the_hash_is_the_same_after_grading() -> None:
    before = Hasher.hash(caller_of(grade))
    grade(ROWS[0]["derivation"], ROWS[0])
    assert Hasher.hash(caller_of(grade)) == before


def test_verdicts_are_a_column_of_a_dataset() -> None:
    texts = [row["derivation"] for row in ROWS[:4]] + ["m = q9", None]
    rows = Dataset.from_list([{**row, "given": text} for row, text in zip(ROWS, texts, strict=True)])
    graded = rows.map(lambda row: {"verdict": dict(grade(row["given"], row))})
    assert list(graded[0]["verdict"]) == list(COLUMNS)
    assert [one["status"] for one in graded["verdict"]] == ["right"] * 4 + ["undecided"] * 2
    assert graded[0]["verdict"] == dict(grade(texts[0], ROWS[0]))


MAP = """
import draw_dataset
from datasets import load_dataset
from draw_dataset import grade

def verdict_of(row):
    print("graded")
    return {"verdict": dict(grade(row["derivation"], row))}

rows = load_dataset("draw_sample", split="test").map(verdict_of)
print(len(rows))
"""


@pytest.mark.slow
def test_a_second_run_takes_the_verdicts_from_the_cache(tmp_path: Path) -> None:
    first, second = (run(MAP, tmp_path, **OFFLINE).splitlines() for _ in range(2))
    assert (first.count("graded"), second.count("graded")) == (30, 0)
    assert first[-1] == second[-1] == "30"
