"""Everything that takes rows takes derived ones: scores, checks, statistics, pictures, annotation and the solver."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from sources.source_problems import GSM8K, SVAMP

from draw_dataset import derive, grade, score
from draw_dataset.annotate.decisions import fresh_work
from draw_dataset.annotate.intake import read_problems
from draw_dataset.cli import main
from draw_dataset.data.catalog import load
from draw_dataset.errors import RefusedWarning, RowError
from draw_dataset.prompting import answer_for, prompt_for


@pytest.fixture(scope="module")
def rows_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    rows = [*derive(GSM8K, preset="gsm8k"), *derive(SVAMP, preset="svamp")]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_an_ambiguous_row_accepts_any_of_its_derivations() -> None:
    row = derive(SVAMP, preset="svamp")[1]
    assert [grade(text, row).derivation for text in ("m = q1*q3", "m = q2*q3", "m = q1*q2")] == [True, True, False]
    assert [grade(text, row, gold="one").derivation for text in ("m = q1*q3", "m = q2*q3")] == [True, False]
    result = score(["m = q2*q3"], [row])
    assert result.derivation_accuracy == 1
    assert "gold:any" in str(result.signature)


def test_a_worked_solution_grades_answers() -> None:
    row = derive(GSM8K, preset="gsm8k")[0]
    right = "6*8 = 48, 48-5 = 43 jars, so she earns 43*3 = 129 dollars."
    lucky = "6*8 = 48 and 48 + 81 = 129 dollars."
    assert [grade({"answer": text}, row).derivation for text in (right, lucky)] == [True, False]


def test_refused_rows_have_no_gold() -> None:
    rows = derive(GSM8K, preset="gsm8k")
    assert score(["m = (q1*q2 - q3)*q4", None, None, None], rows).count == 3
    with pytest.raises(RowError, match="it is refused"):
        grade("m = q1", rows[3])


def test_a_file_of_derived_rows_is_scored(rows_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    predictions = tmp_path / "predictions.jsonl"
    lines = [{"id": 40, "prediction": "m = (q1*q2 - q3)*q4"}, {"id": 43, "prediction": "m = q1"}]
    predictions.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    command = ["score", str(predictions), "--references", str(rows_file), "--missing", "abstain", "--format", "json"]
    assert main(command) == 0
    captured = capsys.readouterr()
    assert "left out 1 refused rows" in captured.err
    assert '"gold:any' in captured.out or "gold:any" in captured.out


def test_refused_rows_are_left_out_with_a_word(rows_file: Path) -> None:
    with pytest.warns(RefusedWarning, match=r"\b1 row\b"):
        assert len(load(str(rows_file))) == 5
    assert len(load(str(rows_file), refused=True)) == 6


@pytest.mark.parametrize("command", ["check", "stats"])
def test_checks_and_statistics_take_them(command: str, rows_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, str(rows_file)]) in (0, 1)
    assert re.search(r"\b1 row\b", capsys.readouterr().err)


def test_show_says_why_a_row_is_refused(rows_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "43", "--references", str(rows_file)]) == 0
    assert "reference does not come to its own answer" in capsys.readouterr().out
    assert main(["show", "s-1", "--references", str(rows_file)]) == 0
    assert "m = q1 - q2" in capsys.readouterr().out
    assert main(["show", "--list", "--references", str(rows_file)]) == 0
    assert "refused: reference" in capsys.readouterr().out


def test_ambiguous_rows_are_settled_by_hand(
    rows_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["annotate", "import", str(rows_file), "--store", str(tmp_path / "work.db"), "--json"]) == 1
    counts = json.loads(capsys.readouterr().out)["counts"]
    assert (counts["open"], counts["refused"]) == (1, 1)


def test_numbers_to_settle_are_found_by_the_rule_of_the_row(tmp_path: Path) -> None:
    problem = {"question": "Kim turns 12 on her 12th birthday. She gives 5 pens to Tom.", "calculation": "12 - 5"}
    (row,) = derive([problem], equations="calculation")
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    (stored,) = read_problems(path)
    assert [number.text for number in fresh_work(stored, "Ann").numbers] == [n["text"] for n in row["numbers"]]
    assert "12th" in {n["text"] for n in row["numbers"]}


def test_the_solver_learns_from_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    problems = [
        {"question": f"Kim has {n + 9} pens. She gives {n + 2} to Tom.", "calculation": f"{n + 9} - {n + 2}"}
        for n in range(12)
    ]
    path = tmp_path / "rows.jsonl"
    rows = derive(problems, equations="calculation")
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert main(["solve", "train", str(path), "--out", str(tmp_path / "model.npz")]) == 0
    assert (tmp_path / "model.npz").is_file()
    capsys.readouterr()


def test_what_was_derived_in_ordinary_english_passes_the_checks(tmp_path: Path) -> None:
    problems = [
        {"text": "Kim lives on the 9th floor and walks up 4 floors.", "way": "9 + 4"},
        {"text": "Kim works from 8:00 until 11:30.", "way": "11.5 - 8"},
        {"text": "Kim earns 25k and Bo 31k a year.", "way": "25000 + 31000"},
        {"text": "Kim has 8 dozen eggs and eats half of them.", "way": "8*12/2"},
    ]
    rows = derive(problems, question="text", equations="way")
    assert [row["status"] for row in rows] == ["decided"] * 4
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert main(["check", str(path)]) == 0


@pytest.mark.parametrize("style", ["marked", "json"])
def test_prompts_mark_the_numbers_that_were_derived(style: str) -> None:
    problem = {"text": "Kim leaves the 9th floor at 5:30 and walks up 4 floors.", "way": "9 + 4"}
    (row,) = derive([problem], question="text", equations="way")
    prompt = prompt_for(row, style=style)
    assert "[q1: 9th] floor at [q2: 5:30] and walks up [q3: 4]" in prompt.question
    answer = {"answer": answer_for(row, style), "prompt_style": prompt.label}
    assert "q1 + q3" in answer["answer"]
    assert grade(answer, row).derivation
