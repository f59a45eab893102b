"""The figures do not depend on the kind of collection that rows come in, or on when rows are made and freed."""

from __future__ import annotations

import gc
from collections import Counter, OrderedDict, UserDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from datasets import Dataset, load_dataset

import draw_dataset  # noqa: F401 - makes the bare names work
from draw_dataset import Problem, score
from draw_dataset.data.features import rows_dataset
from draw_dataset.data.sample import load_sample, load_sample_predictions
from draw_dataset.scoring.evaluate_metric import compute_at_once
from draw_dataset.scoring.gold import PreparedProblem, PreparedProblemCache

pytestmark = pytest.mark.slow

ROWS = [problem.to_row() for problem in load_sample()["test"]]
GOLD = [row["derivation"] for row in ROWS]
LUCKY = [load_sample_predictions("lucky")[row["id"]] for row in ROWS]


@cache
def expected() -> dict[str, Any]:
    return score(LUCKY, ROWS).to_dict()


class Passing(Sequence[Any]):
    """Rows that are made when they are asked for, and freed when nobody holds them: a dataset does the same."""

    def __init__(self, make: Callable[[dict[str, Any]], Any]) -> None:
        self.make = make

    def __len__(self) -> int:
        return len(ROWS)

    def __getitem__(self, at: Any) -> Any:
        return self.make(ROWS[at])

    def __iter__(self) -> Iterator[Any]:
        for row in ROWS:
            gc.collect(0)
            yield self.make(row)


def dataset() -> Dataset:
    return rows_dataset(ROWS)


KINDS: dict[str, Callable[[], Any]] = {
    "tuple": lambda: tuple(ROWS),
    "generator": lambda: (dict(row) for row in ROWS),
    "dataset": dataset,
    "selected": lambda: dataset().select(range(len(ROWS))),
    "slice": lambda: dataset()[:],
    "streamed": lambda: dataset().to_iterable_dataset(),
    "numpy": lambda: dataset().with_format("numpy"),
    "DataFrame": lambda: dataset().to_pandas(),
    "records": lambda: dataset().to_pandas().to_dict("records"),
    "passing dict": lambda: Passing(dict),
    "passing OrderedDict": lambda: Passing(OrderedDict),
    "passing MappingProxyType": lambda: Passing(lambda row: MappingProxyType(dict(row))),
    "passing UserDict": lambda: Passing(UserDict),
    "passing Problem": lambda: Passing(Problem.from_row),
    "passing PreparedProblem": lambda: Passing(PreparedProblem.of),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_collection_of_the_same_rows_gets_the_same_score(kind: str) -> None:
    for _ in range(2):  # the second time, rows may be made where those of the first time were freed
        assert score(GOLD, KINDS[kind]()).derivation_accuracy == 1
        assert score(LUCKY, KINDS[kind]()).to_dict() == expected()
        gc.collect()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("passing Problem", "passing PreparedProblem")])
def test_the_metric_gives_every_collection_the_same_score(kind: str) -> None:
    for _ in range(2):
        assert compute_at_once(LUCKY, KINDS[kind]()) == expected()
        gc.collect()


@pytest.mark.parametrize("make", [dict, OrderedDict, UserDict])
def test_equal_rows_share_a_reference(make: Callable[[Mapping[str, Any]], Any]) -> None:
    cache = PreparedProblemCache()
    first = [cache.prepared(make(row)) for row in ROWS]
    assert [cache.prepared(make(row)) for row in ROWS] == first
    assert len(set(map(id, first))) == len(ROWS)


def test_rows_that_differ_share_no_reference() -> None:
    row = ROWS[0]
    others = [row | {"solutions": [1.0]}, row | {"asked": ["m + 1"]}, row | {"id": "91"}, row | {"status": "ambiguous"}]
    cache = PreparedProblemCache()
    found = [cache.prepared(one).problem for one in [row, *others, row]]
    assert found[0] == found[-1]
    assert len({repr(problem.to_row()) for problem in found}) == len(others) + 1


@pytest.mark.release
def test_ten_calls_on_the_test_split_give_one_score(release_dir: Path, tmp_path: Path) -> None:
    rows = load_dataset("draw1k", split="test", data_dir=str(release_dir), cache_dir=str(tmp_path))
    gold = rows["derivation"][:]
    shifted = gold[1:] + gold[:1]
    found: Counter[tuple[float, ...]] = Counter()
    for _ in range(10):
        gc.collect()
        found[score(gold, rows).derivation_accuracy, score(shifted, rows).derivation_accuracy] += 1
    assert list(found.values()) == [10]
    assert next(iter(found))[0] == 1
