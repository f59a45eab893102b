"""Logs of our tasks in inspect-ai and lm-eval: one command scores them again, with the rows that they carry."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from draw_dataset.adapters.common import as_text, rows_of
from draw_dataset.cli import main
from draw_dataset.prompting import answer_for

ROWS = rows_of("sample/test")[:6]


def text_of(row: dict[str, Any], at: int) -> str:
    return "I do not know." if at == 2 else answer_for(row, "marked")


def inspect_log(path: Path) -> Path:
    samples = []
    for at, row in enumerate(ROWS):
        answer = {"choices": [{"message": {"role": "assistant", "content": text_of(row, at)}}]}
        metadata = {"row": as_text(row), "prompt_style": "marked/1"}
        samples.append({"id": row["id"], "epoch": 1, "input": "…", "output": answer, "metadata": metadata})
    if path.suffix == ".json":
        path.write_text(json.dumps({"version": 2, "status": "success", "eval": {}, "samples": samples}))
        return path
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", "{}")
        for sample in samples:
            archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
    return path


def lm_eval_log(path: Path) -> Path:
    lines = []
    for at, row in enumerate(ROWS):
        doc = {"id": str(row["id"]), "row": as_text(row), "prompt_style": "marked/1"}
        # The figures of the sample are beside its answer.
        figures = {"derivation": 1.0, "solution": 1.0, "explanation": {"status": "right", "first_error": None}}
        said = {"resps": [[text_of(row, at)]], "filtered_resps": [text_of(row, at)], "filter": "none"}
        lines.append(json.dumps({"doc_id": at, "doc": doc, **said, **figures}))
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["log.eval", "log.json", "samples_x.jsonl"])
def test_a_log_with_its_rows_needs_no_references(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = (lm_eval_log if name.startswith("samples") else inspect_log)(tmp_path / name)
    assert main(["score", str(path), "--json"]) == 0
    said = capsys.readouterr()
    found = json.loads(said.out)["systems"][0]
    assert (found["n"], found["derivation_accuracy"], found["unread"]) == (6, 5 / 6, 1)
    assert "gold is that of the 6 rows in the logs" in said.err
    assert main(["score", str(path), "--references", "sample/test", "--missing", "skip", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)["systems"][0]
    assert {key: value for key, value in again.items() if key != "signature"} == {
        key: value for key, value in found.items() if key != "signature"
    }


def test_a_file_without_rows_needs_references(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"id": 91, "answer": "m = 3"}\n', encoding="utf-8")
    assert main(["score", str(path)]) == 2
    assert f"draw score {path} --references sample/test" in capsys.readouterr().err
    lines = lm_eval_log(tmp_path / "samples.jsonl").read_text("utf-8").splitlines()
    broken = json.loads(lines[3])
    del broken["doc"]["row"]
    path.write_text("\n".join([*lines[:3], json.dumps(broken)]), encoding="utf-8")
    assert main(["score", str(path)]) == 2
    assert "--references sample/test" in capsys.readouterr().err
