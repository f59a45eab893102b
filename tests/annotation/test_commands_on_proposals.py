"""``draw annotate propose``, ``reconcile`` and ``evaluate`` as users call them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from draw_dataset import derivations_equivalent
from draw_dataset.cli import main
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.problem import read_rows, write_rows

ROPE = "A rope of 7 m is cut in 2 pieces , the first 2 m longer ."


def test_propose_prints_what_is_open(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["annotate", "propose", "--question", ROPE, "x + y = 7", "x = y + 2"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"\b2\b.*\b20\b.*\bq2, q3\b", out)
    assert "2 candidates" in out
    assert "m + n = q1; m = n + q3" in out


def test_propose_reads_a_file_and_says_what_it_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "problems.jsonl"
    lines = [
        {"id": 1, "question": ROPE, "equations": ["x + y = 7", "x = y + 2"]},
        {"id": 2, "question": "Nothing to count .", "equations": ["x = 2"]},
        {"id": 3, "question": "He has " + "3 and " * 40 + "3 .", "equations": ["x = 3*3*3*3"]},
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert main(["annotate", "propose", str(path), "--json", "--limit", "2"]) == 1
    first, second, third = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["questions"] == [{"start": 19, "end": 20, "literal": "2", "from": [2, 3]}]
    assert list(second) == ["id", "refused"]
    assert second["refused"].startswith("question: ")
    assert third["count"] == 41**4
    assert len(third["candidates"]) == 2


@pytest.mark.parametrize("content", ["{", "[1]", '{"question": 3, "equations": "x = 1"}', '{"question": "2"}'])
def test_propose_names_the_line_that_is_no_problem(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    path = tmp_path / "problems.jsonl"
    path.write_text(content, encoding="utf-8")
    assert main(["annotate", "propose", str(path)]) == 2
    assert re.search(r"line 1: (question: )?expected", capsys.readouterr().err)


def test_propose_takes_what_every_command_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["annotate", "propose", "sample/validation", "--json"]) == 1  # one of them has no numbers
    assert len(capsys.readouterr().out.splitlines()) == 30
    assert main(["annotate", "propose", "sample/tset"]) == 2
    assert "did you mean sample/test?" in capsys.readouterr().err
    assert main(["annotate", "propose", "x = 3"]) == 2
    assert re.search("--question .*'x = 3'", capsys.readouterr().err)


def test_reconcile_writes_rows_with_the_same_derivations(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train, test = tmp_path / "train.jsonl", tmp_path / "test.jsonl"
    write_rows(train, load_sample()["train"])
    write_rows(test, load_sample()["test"])
    out = tmp_path / "out"
    command = ["annotate", "reconcile", str(train), str(test), "--out", str(out), "--json"]
    assert main(command) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["templates"]["together"]["after"] < printed["templates"]["together"]["before"]
    for before, after in zip(read_rows(train), read_rows(out / "train.jsonl"), strict=True):
        assert derivations_equivalent(after.derivation, before.derivation)
    assert main(command) == 2
    assert "--force" in capsys.readouterr().err
    assert main([*command, "--force"]) == 0


def test_reconcile_refuses_to_write_two_files_to_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "other").mkdir()
    files = [tmp_path / "rows.jsonl", tmp_path / "other" / "rows.jsonl"]
    for path in files:
        write_rows(path, load_sample()["test"])
    assert main(["annotate", "reconcile", *map(str, files), "--out", str(tmp_path / "out")]) == 2
    assert "different names" in capsys.readouterr().err


def test_evaluate_measures_the_sample(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["annotate", "evaluate", "sample", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)["sample"]
    assert data["problems"] == 120
    assert data["missed"]["refused"] == [50, 90, 109]
    assert main(["annotate", "evaluate", "sample"]) == 0
    assert "needing a person" in capsys.readouterr().out
