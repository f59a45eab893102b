"""Datasets of the Hugging Face library: in memory, streamed, in folders, saved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from datasets import Dataset, DatasetDict, load_from_disk
from sources.source_problems import GSM8K, SVAMP

from draw_dataset import derive
from draw_dataset.cli import main
from draw_dataset.errors import ChoiceError


@pytest.fixture(scope="module")
def gsm8k() -> Dataset:
    return Dataset.from_list([{"question": p["question"], "answer": p["answer"]} for p in GSM8K])


def test_a_dataset_gives_a_dataset(gsm8k: Dataset) -> None:
    rows = derive(gsm8k, preset="gsm8k")
    assert isinstance(rows, Dataset)
    assert rows["id"][:] == [0, 1, 2, 3]
    assert rows["status"][:] == ["decided", "decided", "decided", "refused"]
    assert rows[0]["derivation"] == "m = (q1*q2 - q3)*q4"
    assert "answer" not in rows.column_names


def test_ids_that_are_texts_stay_texts() -> None:
    rows = derive(Dataset.from_list(SVAMP), preset="svamp")
    assert rows["id"][:] == ["s-1", "s-2"]
    assert rows[1]["alternatives"] == ["m = q2*q3"]


def test_several_processes_give_the_same(gsm8k: Dataset) -> None:
    assert derive(gsm8k, preset="gsm8k", num_proc=2)[:] == derive(gsm8k, preset="gsm8k")[:]


def test_a_streamed_dataset_is_derived_as_it_is_read(gsm8k: Dataset) -> None:
    rows = derive(gsm8k.to_iterable_dataset(), preset="gsm8k")
    assert next(iter(rows))["status"] == "decided"
    assert len(list(rows)) == 4


def test_a_dataset_without_the_columns_is_refused(gsm8k: Dataset) -> None:
    with pytest.raises(ChoiceError, match=r"rationale.*question, answer"):
        derive(gsm8k, solution="rationale")
    with pytest.raises(ChoiceError, match=r"\btest\b"):
        derive(DatasetDict({"test": gsm8k}), preset="gsm8k")


def test_the_command_takes_a_folder_of_the_shape_of_the_hub(
    tmp_path: Path, gsm8k: Dataset, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "gsm8k" / "main"
    folder.mkdir(parents=True)
    gsm8k.to_parquet(folder / "test-00000-of-00001.parquet")
    (tmp_path / "gsm8k" / "README.md").write_text(
        "---\nconfigs:\n- config_name: main\n  data_files:\n  - split: test\n    path: main/test-*\n---\n",
        encoding="utf-8",
    )
    out, saved = tmp_path / "rows.jsonl", tmp_path / "saved"
    command = ["derive", str(tmp_path / "gsm8k"), "--preset", "gsm8k", "--config", "main", "--split", "test", "--quiet"]
    assert main([*command, "--out", str(out), "--out-dataset", str(saved)]) == 0
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert rows == derive([{"question": p["question"], "answer": p["answer"]} for p in GSM8K], preset="gsm8k")
    loaded = load_from_disk(str(saved))
    assert loaded["derivation"][:] == [row["derivation"] for row in rows]
    # What was saved can be derived from again, and a folder that is not there is refused.
    assert main(["derive", str(tmp_path / "none"), "--preset", "gsm8k", "--quiet"]) == 2
    assert "cannot load the dataset" in capsys.readouterr().err
    missing = tmp_path / "none.jsonl"
    assert main(["derive", str(missing), "--preset", "gsm8k"]) == 2
    assert capsys.readouterr().err == f"draw derive: {missing}: file not found\n"  # and no bar, as this is no terminal


def test_the_command_saves_a_dataset_alone(tmp_path: Path) -> None:
    source = tmp_path / "svamp.json"
    source.write_text(json.dumps(SVAMP), encoding="utf-8")
    saved = tmp_path / "saved"
    assert main(["derive", str(source), "--preset", "svamp", "--out-dataset", str(saved), "--quiet"]) == 0
    assert load_from_disk(str(saved))["id"][:] == ["s-1", "s-2"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["saved", "svamp.json"]
    assert main(["derive", str(source), "--preset", "svamp", "--out-dataset", str(saved), "--quiet"]) == 2
