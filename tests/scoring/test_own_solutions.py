"""Scoring a file whose records have their own question, solution and answer, without rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from draw_dataset import grade
from draw_dataset.cli import main
from draw_dataset.deriving.grading import score_with_solutions, solution_fields
from draw_dataset.errors import RowError, ScoreError
from draw_dataset.scoring.files import Judged

EGGS = {
    "question": "Eggs cost $2. Bo buys 3 eggs and pays with $10. How much does he get back?",
    "solution": "3*2 = 6 and 10-6 = 4. #### 4",
    "answer": "3 eggs are 3*2 = $6, so he gets 10-6 = $4.",
}
SUM = {"question": "Mia and Tom are 30 together. Mia is 4 years older. How old is Tom?", "solution": 13, "answer": "13"}


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_each_record_is_graded_as_grade_does(tmp_path: Path) -> None:
    wrong = {**EGGS, "question": EGGS["question"].replace("3", "5"), "solution": "10 - 5*2 = 0", "answer": "10 - 5 = 5"}
    path, judged, notes = write(tmp_path / "own.jsonl", [EGGS, wrong, SUM]), list[Judged](), list[str]()
    found = score_with_solutions(path, judged=judged.append, note=notes.append)
    assert found is not None
    assert [one.reference.problem.id for one in judged] == [1, 2, 3]
    for line, one in zip((EGGS, wrong, SUM), judged, strict=True):
        own = grade(line["answer"], question=line["question"], solution=line["solution"])
        assert (one.verdict.status, one.verdict.reason) == (own.status, own.reason)
    assert (found.count, found.solution_accuracy) == (3, 2 / 3)
    assert notes == [
        f'{path}: using "answer" as the answer, "solution" as gold of each "question"',
        "1 of 3 solutions have no derivation to compare with; there only the result is graded",
    ]


def test_records_with_the_same_id_are_samples(tmp_path: Path) -> None:
    lines = [{**EGGS, "id": "eggs"}, {**EGGS, "id": "eggs", "answer": None}]
    found = score_with_solutions(write(tmp_path / "own.jsonl", lines))
    assert found is not None
    assert (found.problems, found.samples, found.pass_at(1), found.pass_at(2)) == (1, 2, 0.5, 1.0)
    lines[1]["question"] = "How many are 2 and 3?"
    with pytest.raises(ScoreError, match="line 2: expected one question for each id"):
        score_with_solutions(write(tmp_path / "own.jsonl", lines))


def test_a_list_of_answers_has_samples(tmp_path: Path) -> None:
    chat = [{"role": "user", "content": EGGS["question"]}, {"role": "assistant", "content": EGGS["answer"]}]
    for name, answers, right in (("responses", [EGGS["answer"], "?"], 0.5), ("messages", chat, 1.0)):
        line = {"question": EGGS["question"], "answer": EGGS["solution"], name: answers}
        judged: list[Judged] = []
        found = score_with_solutions(write(tmp_path / "own.jsonl", [line]), judged=judged.append)
        assert found is not None
        assert (found.problems, found.pass_at(1)) == (1, right)
        assert [one.sample for one in judged] == ([0, 1] if name == "responses" else [None])


def test_fields_are_found_by_their_names() -> None:
    question = {"question": "How many?"}
    assert solution_fields({**question, "answer": "4", "response": "It is 4"}) == ("question", "answer", "response")
    assert solution_fields({**question, "solution": "4", "answer": "4"}) == ("question", "solution", "answer")
    assert solution_fields({**question, "gold": "4", "mine": "4"}, "mine") == ("question", "gold", "mine")
    for other in ({"id": 1, "answer": "4"}, {**question, "answer": "4"}, {"answer": "4", "gold": 4}, "4"):
        assert solution_fields(other) is None


def test_bad_records_are_named(tmp_path: Path) -> None:
    for line, kind, told in (
        ({"question": EGGS["question"], "answer": "4"}, ScoreError, "line 2: expected the fields question, solution"),
        ({**EGGS, "solution": "no idea"}, RowError, "line 2: solution: expected"),
        ({**EGGS, "question": " "}, ScoreError, "line 2: expected the text of the problem"),
        ({**EGGS, "id": 1.5}, ScoreError, "line 2: expected a whole number or a string as the id"),
    ):
        with pytest.raises(kind, match=told):
            score_with_solutions(write(tmp_path / "own.jsonl", [EGGS, line]))


def test_the_command_needs_nothing_but_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, page = write(tmp_path / "own.jsonl", [EGGS, SUM]), tmp_path / "own.html"
    assert main(["score", str(path), "--format", "json", "--html", str(page)]) == 0
    system = json.loads(capsys.readouterr().out)["systems"][0]
    assert (system["derivation_accuracy"], system["solution_accuracy"]) == (0.5, 1.0)
    assert page.stat().st_size > 10_000
    other = write(tmp_path / "answers.jsonl", [{"id": 91, "answer": "4"}])
    assert main(["score", str(other)]) == 2
    assert f"draw score {other} --references sample/test" in capsys.readouterr().err
