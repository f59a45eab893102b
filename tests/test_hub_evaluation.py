"""What the Hub reads about evaluations, held against what its own library reads and writes."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from draw_dataset.cli import main
from draw_dataset.data.sample import load_sample_answers
from draw_dataset.data.upload import eval_yaml, task_splits


def answers(folder: Path) -> Path:
    path = folder / "model.jsonl"
    lines = [f'{{"id": {id_}, "answer": {yaml.dump(text, default_style=chr(34), width=10**6).strip()}}}'
             for id_, text in load_sample_answers("careful").items()]  # fmt: skip
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_every_tested_split_has_its_tasks() -> None:
    read = yaml.safe_load(eval_yaml(["draw1k", "alg514", "dolphin_l", "sample"]))
    assert list(read) == ["name", "description", "tasks"]
    assert {(task["config"], task["split"]) for task in read["tasks"]} == {
        ("draw1k", "test"),
        ("sample", "test"),
        *((name, f"fold{i}") for name in ("alg514", "dolphin_l") for i in range(5)),
    }
    assert len({task["id"] for task in read["tasks"]}) == len(read["tasks"]) == 24
    assert task_splits("alg514") == ["fold0", "fold1", "fold2", "fold3", "fold4"]


def test_draw_build_writes_it(tmp_path: Path) -> None:
    assert main(["build", "--out", str(tmp_path / "hub"), "--only", "sample"]) == 0
    read = yaml.safe_load((tmp_path / "hub" / "eval.yaml").read_text("utf-8"))
    assert [task["id"] for task in read["tasks"]] == ["sample_test_derivation", "sample_test_solution"]


def test_the_results_of_a_model_are_read_by_the_library_of_the_hub(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hub = pytest.importorskip("huggingface_hub")
    if not hasattr(hub, "parse_eval_result_entries"):
        pytest.skip("this huggingface_hub does not know .eval_results yet")
    out = tmp_path / "draw.yaml"
    command = ["score", str(answers(tmp_path)), "--references", "sample/test", "--eval-results", str(out)]
    further = ["--hub-dataset", "me/draw", "--hub-revision", "5503434ddd753f426f4b38109466949a1217c2bb",
               "--hub-link", "https://example.org/responses"]  # fmt: skip
    assert main([*command, *further]) == 0
    data = yaml.safe_load(out.read_text("utf-8"))
    entries = hub.parse_eval_result_entries(data)
    assert [(entry.dataset_id, entry.task_id, entry.value) for entry in entries] == [
        ("me/draw", "sample_test_derivation", 100.0),
        ("me/draw", "sample_test_solution", 96.6667),
    ]
    assert entries[0].notes.startswith("deriv|data:sample/test@")
    assert hub.eval_result_entries_to_yaml(entries) == data
    capsys.readouterr()


@pytest.mark.parametrize(
    ("further", "message"),
    [
        (["--references", "sample/test"], "expected --hub-dataset owner/name"),
        (["--references", "sample", "--hub-dataset", "me/draw"], "expected one of draw1k/test"),
        (["--references", "sample/test", "--hub-dataset", "me/../draw"], "expected a repository"),
    ],
)
def test_results_that_cannot_be_written_are_refused_before_the_work(
    further: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "draw.yaml"
    assert main(["score", str(answers(tmp_path)), "--eval-results", str(out), *further]) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()
