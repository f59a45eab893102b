"""`draw_dataset.load`: data by the names of the commands, as `load_dataset` gives it."""

from __future__ import annotations

import json
from pathlib import Path

import datasets
import pytest
from datasets import Dataset, DatasetDict
from interpreter import NO_NETWORK, OFFLINE, run

import draw_dataset
from draw_dataset.data.sample import load_sample
from draw_dataset.errors import ChoiceError, RowError


def test_the_sample_is_there_offline_and_in_any_folder(tmp_path: Path) -> None:
    (tmp_path / "draw1k").mkdir()
    code = (
        "import draw_dataset\n"
        "print(sorted(draw_dataset.load('sample')), len(draw_dataset.load('draw_sample/test')))\n"
        "print(draw_dataset.load('sample/all').num_rows)\n"
    )
    told = run(NO_NETWORK + code, tmp_path, **OFFLINE)
    assert told.splitlines() == ["['test', 'train', 'validation'] 30", "120"]


def test_rows_are_those_of_load_dataset_and_of_the_same_cache() -> None:
    ours, theirs = draw_dataset.load("sample"), datasets.load_dataset("draw_sample")
    assert isinstance(ours, DatasetDict)
    assert {split: rows.cache_files for split, rows in ours.items()} == {
        split: rows.cache_files for split, rows in theirs.items()
    }
    assert isinstance(draw_dataset.load("sample/test"), Dataset)


def test_a_file_of_rows_is_a_dataset(tmp_path: Path) -> None:
    first, second = (problem.to_row() for problem in load_sample()["test"][:2])
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in (first, {**second, "status": "decided"})))
    rows = draw_dataset.load(str(path))
    assert isinstance(rows, Dataset)
    assert rows[0] == {**first, "status": ""}
    assert rows["status"][:] == ["", "decided"]


@pytest.mark.parametrize("name", ["draw-1k", "sample/tests", "nothing", "draw1k_cv0", "-"])
def test_another_name_is_refused(name: str) -> None:
    with pytest.raises(ChoiceError, match=r"expected the name of data|Unknown"):
        draw_dataset.load(name)


def test_what_cannot_be_corrected_is_refused(tmp_path: Path) -> None:
    for name in ("gsm8k_derivations/test", str(tmp_path / "rows.jsonl")):
        with pytest.raises(ChoiceError, match="Corrections are for the release"):
            draw_dataset.load(name, corrected=True)
    with pytest.raises(ChoiceError, match="v9"):
        draw_dataset.load("draw1k", corrected="v9")
    with pytest.raises(RowError):
        draw_dataset.load(str(tmp_path / "rows.jsonl"))


@pytest.mark.release
def test_the_release_is_loaded_by_split_fold_and_edition(release_dir: Path) -> None:
    test = draw_dataset.load("draw1k/test", data_dir=release_dir)
    assert test.num_rows == 200
    assert draw_dataset.load("alg514/cv0/train", data_dir=release_dir).num_rows == 412
    corrected = draw_dataset.load("draw1k/test", corrected=True, data_dir=release_dir)
    assert corrected["correction"][:] != test["correction"][:]
    assert not any(test["correction"][:])
