"""The command draw check: what it reads, prints and returns."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from checks.made import problem

from draw_dataset.cli import main
from draw_dataset.derivation.problem import Problem


def write(path: Path, *problems: Problem) -> str:
    path.write_text("".join(json.dumps(p.to_row()) + "\n" for p in problems), encoding="utf-8")
    return str(path)


def test_the_sample_has_no_findings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "sample"]) == 0
    assert capsys.readouterr().out == "no findings in sample\n"


def test_rows_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "rows.jsonl", problem(), problem(solutions=(1.0, 1.0)))
    assert main(["check", path]) == 1
    printed = capsys.readouterr().out
    assert re.search(r"^solution-mismatch: .* \(1\)$", printed, re.MULTILINE)
    assert "duplicate-id" in printed
    assert main(["check", path, "--code", "not-derivable"]) == 0


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "rows.jsonl", problem(id=7, solutions=(1.0, 1.0)))
    assert main(["check", path, "--json"]) == 1
    printed = json.loads(capsys.readouterr().out)
    assert printed["counts"] == {"solution-mismatch": 1}
    assert (printed["findings"][0]["id"], printed["findings"][0]["dataset"]) == (7, path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", r"line 2: .*JSON"),
        ('{"id": 3}', "line 2: row 3: "),
        ("[]", r"line 2: .*JSON.*\[\]"),
    ],
)
def test_a_line_that_is_no_row(tmp_path: Path, line: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f"{json.dumps(problem().to_row())}\n{line}\n", encoding="utf-8")
    assert main(["check", str(path)]) == 2
    assert re.search(message, capsys.readouterr().err)


def test_a_field_of_the_wrong_type_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = problem().to_row() | {"question": 7}
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row), encoding="utf-8")
    assert main(["check", str(path)]) == 2
    assert re.search(r"line 1\b.*\bquestion\b.*\b7$", capsys.readouterr().err)


def test_ids_may_be_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = [problem(id=id_, solutions=(1.0, 1.0)) for id_ in ("b", 10, 9)]
    path = write(tmp_path / "rows.jsonl", *wrong)
    assert main(["check", path, "--json", "--code", "solution-mismatch"]) == 1
    assert [finding["id"] for finding in json.loads(capsys.readouterr().out)["findings"]] == [9, 10, "b"]
    assert main(["check", path]) == 1
    assert main(["stats", path]) == 0


def test_an_unknown_target(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "nothing"]) == 2
    assert re.search("'nothing'.*draw1k, alg514, alg514_cv0", capsys.readouterr().err)
