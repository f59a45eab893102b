"""``draw benchmark``: step verdicts against labels of the first wrong step, on a file of our own."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from draw_dataset import derive
from draw_dataset.cli import main

QUESTION = "A bakery bakes 8 trays of 12 rolls each. It sells 50 rolls and packs the rest in bags of 2. How many bags?"
WORKED = "8*12 = <<8*12=96>>96\n96-50 = <<96-50=46>>46\n46/2 = <<46/2=23>>23\n#### 23"
SLIP = ["8 * 12 = 86 rolls", "86 - 50 = 36 are left", "36 / 2 = 18 bags", "The answer is 18."]
OTHER = ["8 * 12 = 96 rolls", "96 + 50 = 146 rolls", "146 / 2 = 73 bags", "The answer is 73."]
GOOD = ["8 * 12 = 96 rolls", "96 - 50 = 46 are left", "46 / 2 = 23 bags", "The answer is 23."]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Return a file with the row of the problem."""
    path = tmp_path / "rows.jsonl"
    made = derive([{"question": QUESTION, "answer": WORKED}], preset="gsm8k")
    path.write_text("".join(json.dumps(dict(row)) + "\n" for row in made), encoding="utf-8")
    return path


def write(path: Path, lines: list[dict[str, Any]]) -> str:
    """Write JSON lines, and return the path as text."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return str(path)


def processbench(steps: list[str], label: int) -> dict[str, Any]:
    return {"problem": QUESTION, "steps": steps, "label": label}


def test_processbench_has_its_own_measures_with_controls(
    tmp_path: Path, rows: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [processbench(SLIP, 0), processbench(OTHER, 1), processbench(GOOD, -1)]
    file = write(tmp_path / "solutions.jsonl", lines)
    assert main(["benchmark", "processbench", file, "--references", str(rows), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    ours = found["judges"]["step verdicts"]
    assert (ours["error accuracy"], ours["correct accuracy"], ours["F1"]) == (100, 100, 100)
    assert found["judges"]["control: final number, last step"]["error accuracy"] == 0
    assert found["judges"]["control: final number, first step"]["error accuracy"] == 50
    assert found["kinds"]["slip"]["certain"] == {"said": 1, "at the labelled step": 1}
    assert found["with gold"] == 3


def test_the_text_names_the_published_figures_and_that_the_reference_is_used(
    tmp_path: Path, rows: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path / "solutions.jsonl", [processbench(SLIP, 0), processbench(GOOD, -1)])
    assert main(["benchmark", "processbench", file, "--references", str(rows)]) == 0
    text = capsys.readouterr().out
    assert "The reference is used" in text
    assert "o1-mini" in text


def test_mr_gsm8k_takes_gold_from_its_own_solutions(
    tmp_path: Path, rows: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = "A shop sells 7 hats at $9 each. It pays $20 for rent. How much is left?"
    worked = "7*9 = <<7*9=63>>63\n63-20 = <<63-20=43>>43\n#### 43"
    lines = [
        {"question": QUESTION, "steps": SLIP, "first_error_step": 1, "solution": WORKED},
        {
            "question": other,
            "steps": ["7 * 9 = 63", "63 + 20 = 83", "#### 83"],
            "first_error_step": 2,
            "solution": worked,
        },
    ]
    file = write(tmp_path / "solutions.jsonl", lines)
    assert main(["benchmark", "mr-gsm8k", file, "--references", str(rows), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["with gold"] == 2
    assert found["judges"]["step verdicts"]["error accuracy"] == 100
    assert found["judges"]["step verdicts"]["MCC"] is None
    assert main(["benchmark", "mr-gsm8k", file, "--references", str(rows)]) == 0
    assert "All solutions of this file are wrong" in capsys.readouterr().out


@pytest.mark.parametrize(
    "line",
    [
        {"problem": QUESTION, "steps": SLIP},
        {"problem": QUESTION, "steps": [], "label": 0},
        {"problem": QUESTION, "steps": [1], "label": 0},
        {"problem": QUESTION, "steps": SLIP, "label": "0"},
        {"problem": None, "steps": SLIP, "label": 0},
        "a text",
    ],
)
def test_a_bad_line_is_refused_with_its_place(
    line: Any, tmp_path: Path, rows: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path / "solutions.jsonl", [line])
    assert main(["benchmark", "processbench", file, "--references", str(rows)]) == 2
    assert re.search(r"solutions\.jsonl(:|, line )1", capsys.readouterr().err)


def test_an_empty_file_is_refused(tmp_path: Path, rows: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path / "solutions.jsonl", [])
    assert main(["benchmark", "processbench", file, "--references", str(rows)]) == 2
    assert "none" in capsys.readouterr().err


def test_solutions_without_gold_are_not_measured(
    tmp_path: Path, rows: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unknown = {**processbench(["1 + 1 = 2"], -1), "problem": "A problem that nobody has."}
    known = processbench(["1 + 1 = 2"], 0)
    file = write(tmp_path / "both.jsonl", [unknown, known])
    assert main(["benchmark", "processbench", file, "--references", str(rows), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["solutions"], data["with gold"]) == (2, 1)
    assert data["judges"]["step verdicts"]["correct"] == 0
    file = write(tmp_path / "unknown.jsonl", [unknown])
    assert main(["benchmark", "processbench", file, "--references", str(rows)]) == 2
    file = write(tmp_path / "label.jsonl", [{**known, "label": 7}])
    assert main(["benchmark", "processbench", file, "--references", str(rows)]) == 2
