"""Scoring a file whose records have their own question, solution and answer, without rows."""

from __future__ import annotations

import csv
import json
import shlex
from collections.abc import Sequence
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from draw_dataset import grade, score, score_file
from draw_dataset.cli import main
from draw_dataset.data.sample import load_sample
from draw_dataset.errors import ChoiceError, ProblemFieldsError, RowError, ScoreError
from draw_dataset.scoring.files import Judged
from draw_dataset.scoring.files import score_file as score_file_with_rows
from draw_dataset.scoring.problem_layouts import find_problem_layout
from draw_dataset.scoring.score import score as score_with_rows
from draw_dataset.scoring.verdict import Verdict

EGGS: dict[str, Any] = {
    "question": "Eggs cost $2. Bo buys 3 eggs and pays with $10. How much does he get back?",
    "solution": "3*2 = 6 and 10-6 = 4. #### 4",
    "answer": "3 eggs are 3*2 = $6, so he gets 10-6 = $4.",
}
SUM: dict[str, Any] = {
    "question": "Mia and Tom are 30 together. Mia is 4 years older. How old is Tom?",
    "solution": 13,
    "answer": "13",
}


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_each_record_is_graded_as_grade_does(tmp_path: Path) -> None:
    wrong = {**EGGS, "question": EGGS["question"].replace("3", "5"), "solution": "10 - 5*2 = 0", "answer": "10 - 5 = 5"}
    path, judged, notes = write(tmp_path / "own.jsonl", [EGGS, wrong, SUM]), list[Judged](), list[str]()
    found = score_file(path, judged=judged.append, note=notes.append)
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
    found = score_file(write(tmp_path / "own.jsonl", lines))
    assert (found.problems, found.samples, found.pass_at(1), found.pass_at(2)) == (1, 2, 0.5, 1.0)
    lines[1]["question"] = "How many are 2 and 3?"
    with pytest.raises(ScoreError, match="line 2: expected one question for each id"):
        score_file(write(tmp_path / "own.jsonl", lines))


def test_a_list_of_answers_has_samples(tmp_path: Path) -> None:
    chat = [{"role": "user", "content": EGGS["question"]}, {"role": "assistant", "content": EGGS["answer"]}]
    for name, answers, right in (("responses", [EGGS["answer"], "?"], 0.5), ("messages", chat, 1.0)):
        line = {"question": EGGS["question"], "answer": EGGS["solution"], name: answers}
        judged: list[Judged] = []
        found = score_file(write(tmp_path / "own.jsonl", [line]), judged=judged.append)
        assert (found.problems, found.pass_at(1)) == (1, right)
        assert [one.sample for one in judged] == ([0, 1] if name == "responses" else [None])


def fields(entry: Any, field: str | None = None) -> tuple[str, str, str] | None:
    found = find_problem_layout([entry], field=field)
    return None if found is None else (found.question, found.solution, found.answer)


def test_fields_are_found_by_their_names() -> None:
    question = {"question": "How many?"}
    assert fields({**question, "answer": "4", "response": "It is 4"}) == ("question", "answer", "response")
    assert fields({**question, "solution": "4", "answer": "4"}) == ("question", "solution", "answer")
    assert fields({**question, "gold": "4", "mine": "4"}, "mine") == ("question", "gold", "mine")
    for other in ({"id": 1, "answer": "4"}, {**question, "answer": "4"}, {"answer": "4", "gold": 4}, "4"):
        assert fields(other) is None


@pytest.mark.parametrize(
    ("question", "solution", "answer"),
    [
        ("Question", "Solution", "Answer"),
        ("Problem Text", "Gold Answer", "Model Output"),
        ("question", "correct_answer", "llm_answer"),
        ("question", "expected", "generated"),
        ("question", "answer", "answers"),
    ],
)
@pytest.mark.parametrize("is_table", [True, False])
def test_fields_may_be_written_in_other_ways(
    question: str, solution: str, answer: str, is_table: bool, tmp_path: Path
) -> None:
    record = {question: EGGS["question"], solution: EGGS["solution"], answer: EGGS["answer"]}
    path = tmp_path / ("own.csv" if is_table else "own.jsonl")
    if is_table:
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([record.keys(), record.values()])
    else:
        write(path, [record])
    assert score_file(path).counts == {"right": 1}


@pytest.mark.parametrize(
    "record",
    [
        {
            "doc_id": 0,
            "doc": {"question": EGGS["question"], "answer": EGGS["solution"]},
            "target": "4",
            "resps": [[EGGS["answer"]]],
            "filtered_resps": ["4"],
            "filter": "strict-match",
        },
        {
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": EGGS["question"]},
                {"role": "assistant", "content": EGGS["answer"]},
            ],
            "target": EGGS["solution"],
        },
        {
            "conversations": [
                {"from": "human", "value": EGGS["question"]},
                {"from": "gpt", "value": EGGS["answer"]},
            ],
            "answer": EGGS["solution"],
        },
        {
            "prompt": [{"role": "user", "content": [{"type": "text", "text": EGGS["question"]}]}],
            "reward_model": {"ground_truth": EGGS["solution"]},
            "response": EGGS["answer"],
        },
    ],
)
def test_harness_samples_and_chats_hold_their_problem(record: dict[str, Any], tmp_path: Path) -> None:
    judged: list[Judged] = []
    found = score_file(write(tmp_path / "own.jsonl", [record]), judged=judged.append)
    assert (found.counts, judged[0].reference.problem.question) == ({"right": 1}, EGGS["question"])


def test_other_filters_of_a_harness_repeat_the_answers(tmp_path: Path) -> None:
    lines = [
        {"doc": {"question": EGGS["question"], "answer": "4"}, "resps": [["4"]], "filter": name}
        for name in ("strict-match", "flexible-extract")
    ]
    notes: list[str] = []
    assert score_file(write(tmp_path / "own.jsonl", lines), note=notes.append).count == 1
    assert "only records of filter 'strict-match'" in notes[0]


def test_unknown_fields_are_listed_with_the_likely_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = {"Aufgabe": EGGS["question"], "Ergebnis": 4, "LLM Reply (v2)": EGGS["answer"]}
    path = write(tmp_path / "own.jsonl", [record])
    with pytest.raises(ProblemFieldsError, match="got the fields 'Aufgabe', 'Ergebnis', 'LLM Reply"):
        score_file(path)
    assert main(["score", str(path)]) == 2
    advice = "--question-field Aufgabe and --solution-field Ergebnis and --field 'LLM Reply (v2)'?"
    assert f"did you mean {advice}" in capsys.readouterr().err
    named = [word for word in shlex.split(advice.rstrip("?")) if word != "and"]
    assert main(["score", str(path), *named]) == 0
    assert main(["score", str(path), "--references", "sample/test", *named]) == 2
    assert "--question-field and --solution-field are for own problems" in capsys.readouterr().err


def many(numbers: Sequence[int], right: bool = True, **further: Any) -> list[dict[str, Any]]:
    """Return records of the problems in which so many eggs are bought."""
    return [
        {
            "question": EGGS["question"].replace("3", str(number)).replace("$10", "$30"),
            "solution": f"30 - {number}*2 = {30 - number * 2}",
            "answer": f"30-{number}*2 = {30 - number * 2}" if right else f"30-{number} = {30 - number}",
            **further,
        }
        for number in numbers
    ]


def test_a_question_with_its_solution_is_one_problem_whatever_the_ids_say(tmp_path: Path) -> None:
    samples = [line for number in range(3) for line in many(range(4, 9), right=number < 2, sample=number)]
    found = score_file(write(tmp_path / "own.jsonl", samples))
    assert (found.problems, found.count, found.samples) == (5, 15, 3)
    assert (found.pass_at(1), found.pass_at(3)) == (2 / 3, 1.0)
    notes: list[str] = []
    numbered = [{**line, "id": at} for at, line in enumerate(samples)]
    found = score_file(write(tmp_path / "ids.jsonl", numbered), note=notes.append)
    assert (found.problems, found.samples) == (5, 3)
    assert notes[-1].endswith("10 ids repeat a question and its solution; they are samples of one problem")
    other = [*many([4]), {**many([4])[0], "solution": 7}]
    assert score_file(write(tmp_path / "two.jsonl", other)).problems == 2


def systems_of(capsys: pytest.CaptureFixture[str]) -> dict[str, tuple[int, float]]:
    systems = json.loads(capsys.readouterr().out)["systems"]
    return {one["name"]: (one["n"], one["derivation_accuracy"]) for one in systems}


def test_systems_are_compared_by_question(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = write(tmp_path / "first.jsonl", [{**line, "id": at} for at, line in enumerate(many(range(4, 9)))])
    lines = [*many([8, 7]), *many([6, 5, 4], right=False)]
    second = write(tmp_path / "second.jsonl", [{**line, "id": f"x{at}"} for at, line in enumerate(lines)])
    command = ["score", str(first), str(second), "--format", "json"]
    assert main(command) == 0
    assert systems_of(capsys) == {"first": (5, 1.0), "second": (5, 0.4)}
    write(second, [*lines, *many([3])])
    assert main(command) == 2
    assert "first: expected answers to the 6 problems of all systems, but it lacks 1:" in capsys.readouterr().err
    assert main([*command, "--missing", "skip"]) == 0
    assert systems_of(capsys) == {"first": (5, 1.0), "second": (5, 0.4)}
    assert main([*command, "--missing", "abstain"]) == 0
    assert systems_of(capsys) == {"first": (6, 5 / 6), "second": (6, 0.5)}


def test_a_file_of_several_models_is_several_systems(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [*many(range(4, 9), model="small", run=1), *many(range(4, 9), right=False, model="large", run=2)]
    path = write(tmp_path / "own.jsonl", lines)
    assert main(["score", str(path), "--format", "json"]) == 0
    assert systems_of(capsys) == {"small": (5, 1.0), "large": (5, 0.0)}
    assert main(["score", str(path), "--by", "run", "--format", "json"]) == 0
    assert systems_of(capsys) == {"1": (5, 1.0), "2": (5, 0.0)}
    assert main(["score", str(path), "--by", "team"]) == 2
    assert "line 1: expected the field team with the name of a system" in capsys.readouterr().err
    with pytest.raises(ChoiceError, match="the records name 2: small, large"):
        score_file(path)
    one = write(tmp_path / "one.jsonl", many(range(4, 9), model="small"))
    assert main(["score", str(one), "--format", "json"]) == 0
    assert systems_of(capsys) == {"one": (5, 1.0)}


def test_models_in_one_file_are_systems_with_references_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = load_sample()["test"]
    lines = [
        {"id": row.id, "prediction": row.derivation.q_notation() if model == "small" else None, "model": model}
        for model in ("small", "large")
        for row in rows
    ]
    path = write(tmp_path / "both.jsonl", lines)
    command = ["score", str(path), "--references", "sample/test", "--format", "json"]
    assert main(command) == 0
    assert systems_of(capsys) == {"small": (30, 1.0), "large": (30, 0.0)}
    assert main([*command, "--by", "run"]) == 2
    assert "line 1: expected the field run with the name of a system" in capsys.readouterr().err


def test_python_scores_own_problems_as_the_command_does(tmp_path: Path) -> None:
    lines = [*many([4, 5]), *many([6], right=False)]
    path = write(tmp_path / "own.jsonl", lines)
    by_file, by_list = score_file(path), score(lines, keep_verdicts=True)
    assert by_file.to_dict() == by_list.to_dict()
    assert [row["id"] for row in by_list.verdicts] == [1, 2, 3]
    assert all(row["message"] for row in by_list.verdicts)
    verdicts: list[Verdict] = []
    score(lines, verdicts=verdicts)
    assert [verdict.derivation for verdict in verdicts] == [True, True, False]
    for bad in ("text", 7, [{"answer": "4"}]):
        with pytest.raises(ScoreError):
            score(bad)  # type: ignore[arg-type]


def test_bad_records_are_named(tmp_path: Path) -> None:
    for line, kind, told in (
        ({"question": EGGS["question"], "answer": "4"}, ScoreError, "line 2: expected the fields question, solution"),
        ({**EGGS, "solution": "no idea"}, RowError, "line 2: solution: expected"),
        ({**EGGS, "question": " "}, ScoreError, "line 2: expected the text of the problem"),
        ({**EGGS, "id": 1.5}, ScoreError, "line 2: expected a whole number or a string as the id"),
    ):
        with pytest.raises(kind, match=told):
            score_file(write(tmp_path / "own.jsonl", [EGGS, line]))


def test_the_command_needs_nothing_but_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, page = write(tmp_path / "own.jsonl", [EGGS, SUM]), tmp_path / "own.html"
    assert main(["score", str(path), "--format", "json", "--html", str(page)]) == 0
    system = json.loads(capsys.readouterr().out)["systems"][0]
    assert (system["derivation_accuracy"], system["solution_accuracy"]) == (0.5, 1.0)
    assert page.stat().st_size > 10_000
    other = write(tmp_path / "answers.jsonl", [{"id": 91, "answer": "4"}])
    assert main(["score", str(other)]) == 2
    assert f"draw score {other} --references sample/test" in capsys.readouterr().err


def test_nothing_decided_is_a_dash_and_not_a_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, page = write(tmp_path / "own.jsonl", [SUM]), tmp_path / "own.html"
    assert main(["score", str(path), "--html", str(page)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "1 right answer: 0 for the right reason, 0 for a wrong one, 1 not known"
    figures = {line[:28].strip(): line[28:].strip() for line in lines}
    assert [figures[f"{name} accuracy"] for name in ("derivation", "equation")] == ["–", "–"]
    assert figures["solution accuracy"] == "100.0"
    text = page.read_text(encoding="utf-8")
    assert "nothing is decided" in text
    assert "<title>own</title>" in text


def test_few_answers_are_listed_without_intervals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [{**EGGS, "id": "eggs"}, {**SUM, "id": "sum", "answer": "I do not know."}]
    path = write(tmp_path / "own.jsonl", lines)
    assert main(["score", str(path)]) == 0
    out = capsys.readouterr().out
    assert [line.split() for line in out.splitlines()[-3:]] == [
        ["derivation", "solution", "reason"],
        ["eggs", "right", "right", *["right:", "the", "same", "derivation", "as", "gold"]],
        ["sum", "undecided", "wrong", *["unread:", "no", "equation", "and", "no", "number", "was", "found"]],
    ]
    assert "derivation accuracy" in out
    assert "[" not in out
    assert main(["score", str(path), "--format", "markdown"]) == 0
    assert "| eggs | right | right | right: the same derivation as gold |" in capsys.readouterr().out
    assert main(["score", str(write(tmp_path / "pupils.jsonl", [{"pupil": "Mia", **EGGS}]))]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("1 (Mia)  right")
    many = write(tmp_path / "many.jsonl", [{**EGGS, "id": place} for place in range(21)])
    assert main(["score", str(many)]) == 0
    assert "100.0 [100.0, 100.0]" in capsys.readouterr().out


def test_a_k_above_the_samples_is_refused_before_grading(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(
        tmp_path / "own.jsonl", [{**EGGS, "answer": [EGGS["answer"]] * 2}, {**SUM, "answer": ["13", "17", "4"]}]
    )
    rows = write(tmp_path / "samples.jsonl", [{"id": one, "prediction": None} for one in (91, 91, 92)])
    for arguments in ([str(path), "--pass-at", "1,3"], [str(rows), "--references", "sample", "--pass-at", "2"]):
        with monkeypatch.context() as patched:
            patched.setattr("draw_dataset.deriving.own_problems.score_systems", None)
            patched.setattr("draw_dataset.scoring.files.score_file", None)
            assert main(["score", *arguments]) == 2
        assert "--pass-at: expected a k from 1 to" in capsys.readouterr().err
    assert main(["score", str(path), "--pass-at", "1,2"]) == 0
    assert "pass@2" in capsys.readouterr().out


def test_read_grades_by_a_solution(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["read", str(EGGS["answer"]), "--question", EGGS["question"], "--solution"]
    assert main([*given, "10 - 3*2"]) == 0
    lines = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines() if line]
    assert ["derivation", "right (in every reading)"] in lines
    assert ["solution", "right"] in lines
    assert main([*given, "5", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["verdict"]["status"], data["verdict"]["solution"]) == ("undecided", False)
    unclear = ["read", "So u = 13 and v = 17.", "--question", "Mia and Tom are 30 together .", "--solution", "13"]
    assert main(unclear) == 0
    assert "solution    undecided" in capsys.readouterr().out
    assert main(["read", "4", "--id", "91", "--solution", "4"]) == 2
    assert "--solution: expected --question TEXT with it" in capsys.readouterr().err


@pytest.mark.parametrize(("public", "inner"), [(score, score_with_rows), (score_file, score_file_with_rows)])
def test_the_public_functions_take_what_those_with_rows_take(public: Any, inner: Any) -> None:
    taken, given = (set(signature(one).parameters) for one in (public, inner))
    assert given - taken <= {"only"}  # for the command, which splits files


def test_the_public_function_has_workers(tmp_path: Path) -> None:
    rows = load_sample()["test"]
    lines = [{"id": row.id, "prediction": row.derivation.q_notation()} for row in rows]
    path = write(tmp_path / "p.jsonl", lines)
    assert score_file(path, rows, workers=2).to_dict() == score_file(path, rows).to_dict()
    with pytest.raises(ChoiceError, match="workers: expected a whole number from 1"):
        score_file(path, rows, workers=0)
