"""``draw stats``: sources, JSON, plots and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from draw_dataset.cli import main
from draw_dataset.data.sample import load_sample


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    lines = [json.dumps(problem.to_row()) for problem in load_sample()["test"]]
    path.write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    return path


def test_the_sample_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", "sample"]) == 0
    out = capsys.readouterr().out
    assert "What is counted:" in out
    assert out.splitlines()[2].split() == ["problems", "120"]


def test_rows_of_a_file_as_json(rows: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", "sample", str(rows), "--json"]) == 0
    datasets = json.loads(capsys.readouterr().out)["datasets"]
    assert (datasets["sample"]["problems"], datasets[str(rows)]["problems"]) == (120, 30)


def test_a_plot_beside_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", "sample", "--plot", str(tmp_path / "figure.svg")]) == 0
    assert "Template classes by frequency" in (tmp_path / "figure.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "Unknown data 'nothing': There are draw1k, alg514, alg514_cv0"),
        (["nothing.jsonl"], "nothing.jsonl: file not found"),
        (["draw1k", "--data-dir", "/nowhere"], "--data-dir /nowhere (no such folder) lacks 4 files"),
        (["sample", "--plot", "figure.gif"], "expected a file ending in .png, .svg, .pdf, but got 'figure.gif'"),
    ],
)
def test_refusals(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: expected JSON, but got"),
        ("[]", "line 2: expected a JSON object, but got []"),
        ('{"id": 3}', "line 2: row 3: expected the fields"),
    ],
)
def test_a_bad_line_is_named(rows: Path, line: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    first = rows.read_text(encoding="utf-8").split("\n")[0]
    rows.write_text(f"{first}\n{line}\n", encoding="utf-8")
    assert main(["stats", str(rows)]) == 2
    assert f"{rows}, {message}" in capsys.readouterr().err


@pytest.mark.release
def test_the_three_datasets_and_all_of_them(release_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", "--json", "--data-dir", str(release_dir)]) == 0
    datasets = json.loads(capsys.readouterr().out)["datasets"]
    assert [(name, d["problems"], d["templates"]) for name, d in datasets.items()] == [
        ("draw1k", 1000, 226),
        ("alg514", 514, 24),
        ("dolphin_l", 831, 209),
        ("all", 2345, 382),
    ]
