"""``draw solve``: an answer with its derivation, or why there is none; training, predicting, evaluating."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from interpreter import NO_NETWORK, ROOT, run
from update_sample_model import main as update_sample_model

from draw_dataset import Problem
from draw_dataset.cli import main
from draw_dataset.commands.solve import sample_model
from draw_dataset.derivation.problem import write_rows
from draw_dataset.solver.model import Model
from draw_dataset.solver.systems import load_model, save_model, train
from draw_dataset.text.numbers import locate_numbers

TEXT = "Max and Nora have 50 cards together. Nora has 8 more than Max. How many does each have?"
ANSWER = """\
answer of the solver

  Max and Nora have [50]q1 cards together. Nora has [8]q2 more than Max. How
  many does each have?

answer    m + n = a; m - n = b
          m + n = q1; m - n = q2
          slot a = 50 (q1)
          slot b = 8 (q2)
equations m + n = 50; m - n = 8
solution  m = 29, n = 21
in words  Nora: 29, Max: 21
runner-up m + n = q2; m - n = q1
"""


@pytest.fixture(scope="session")
def saved(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "stories.npz"
    save_model(model, path)
    return path


@pytest.fixture
def rows(problems: list[Problem], tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    write_rows(path, problems[24:])
    return path


@pytest.mark.usefixtures("small_sample")
def test_an_answer_shows_derivation_equations_and_solution(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", TEXT, "--model", str(saved), "--no-colour"]) == 0
    captured = capsys.readouterr()
    assert captured.out == ANSWER
    assert captured.err == ""


@pytest.mark.usefixtures("small_sample")
def test_options_may_stand_before_the_text(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "--model", str(saved), "--no-colour", TEXT]) == 0
    assert capsys.readouterr().out == ANSWER
    assert main(["solve", "--json", TEXT, "--model", str(saved)]) == 0
    assert json.loads(capsys.readouterr().out)["derivation"] == "m + n = q1; m - n = q2"


@pytest.mark.usefixtures("small_sample")
def test_the_text_may_come_from_standard_input(
    saved: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    assert main(["solve", "-", "--model", str(saved), "--no-colour"]) == 0
    assert capsys.readouterr().out == ANSWER
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe 3")))
    assert main(["solve", "-", "--model", str(saved)]) == 2
    assert "UTF-8" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"id": 1, "question": "What is 3 and 4?"}')))
    assert main(["solve", "-", "--model", str(saved)]) == 2
    assert "JSON" in capsys.readouterr().err
    assert main(["solve", TEXT, "--model", "nowhere.npz"]) == 2
    assert capsys.readouterr().err.startswith("draw solve: nowhere.npz: ")


def test_an_answer_as_json_says_everything(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", TEXT.replace("50", "51"), "--model", str(saved), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["solution"] == {"m": "59/2", "n": "43/2"}
    assert answer["named"] == {"Nora": 29.5, "Max": 21.5}
    assert answer["asked"] == ["Nora", "Max"]
    assert answer["equations"] == ["m + n = 51", "m - n = 8"]
    assert answer["numbers"][0] == {"index": 1, "text": "51", "value": "51"}
    assert answer["reason"] is None
    assert answer["model"].startswith("solver|train:TD|")


def test_a_fraction_is_shown_exactly_and_rounded(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", TEXT.replace("50", "51"), "--model", str(saved)]) == 0
    assert "solution  m = 59/2 (about 29.5), n = 43/2 (about 21.5)" in capsys.readouterr().out


def test_what_the_question_asks_for_is_said_first(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = TEXT.replace("does each", "does Max")
    assert main(["solve", text, "--model", str(saved)]) == 0
    assert "\nin words  Max: 21; also Nora: 29\n" in capsys.readouterr().out
    assert main(["solve", text, "--model", str(saved), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert list(answer["named"].items()) == [("Max", 21), ("Nora", 29)]
    assert answer["asked"] == ["Max"]


def test_unknowns_without_names_keep_their_letters(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "Together they are 50, and what has 8 more is left. Nora and Max know."
    assert main(["solve", text, "--model", str(saved)]) == 0
    out = capsys.readouterr().out
    assert "solution  m = 29, n = 21\n" in out
    assert "in words" not in out
    assert main(["solve", text, "--model", str(saved), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["named"], answer["asked"]) == ({}, [])


def test_the_figure_can_be_kept(saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figure = tmp_path / "figure.svg"
    assert main(["solve", TEXT, "--model", str(saved), "--svg", str(figure)]) == 0
    drawn = figure.read_text(encoding="utf-8")
    assert "m + n = q1; m - n = q2" in drawn
    assert "gold" not in drawn.lower()
    assert main(["solve", TEXT, "--model", str(saved), "--svg", "/nowhere/figure.svg"]) == 2
    assert "/nowhere/figure.svg" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no numbers"),
        ("How many cards does Nora have?", "no numbers"),
        ("Nora has 8 cards. How many does she have?", "too few numbers"),
        ("Max has " + " cards and ".join(map(str, range(2, 60))) + " cards . How many has he ?", "too many numbers"),
        ("Nora hat 8 Karten mehr als Max , zusammen sind es 50 Karten . Wie viele hat jeder ?", "unknown words"),
        ("3 和 5 的 和 是 多少", "unknown words"),
        ("Nora has 8 cards and Max has 9 . " * 1250, "too long"),
    ],
)
def test_abstentions_say_why_and_have_an_exit_status(
    saved: Path, text: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["solve", text, "--model", str(saved)]) == 1
    assert capsys.readouterr().out.startswith(f"no answer: {reason}: ")
    assert main(["solve", text, "--model", str(saved), "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["reason"], answer["derivation"], answer["solutions"]) == (reason, None, None)
    assert (answer["named"], answer["asked"]) == ({}, [])


def test_more_numbers_than_slots_are_no_hindrance(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "Max and Nora have 50 cards together . Nora has 8 more than Max , 12 , 13 , 14 , 15 and 16 . How many each ?"
    assert main(["solve", text, "--model", str(saved), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert len(answer["numbers"]) == 7
    assert len(answer["alignment"]) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "expected TEXT, or a command (train, predict, evaluate)"),
        ([TEXT, "more"], "expected one text, in quotation marks, but got 'more' after it"),
        (["Max", "has", "3"], "expected one text, in quotation marks"),
        (["--json", "train", "sample", "--out", "m.npz"], "expected the options of train after it"),
        (["train", "sample"], "Missing option '--out'"),
        (["train", "sample", "--out", "m.npz", "--k", "0"], "expected a whole number from 1 to 1000000, but got '0'"),
        (["train", "sample", "--out", "m.npz", "--seed", "-1"], "expected"),
        (["predict", "sample/test"], "Missing option '--model'"),
    ],
)
def test_bad_usage(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--help"], ["train", "--help"], ["predict", "--help"], ["evaluate", "--help"]])
def test_every_help_has_examples(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", *arguments]) == 0
    assert "Examples:" in capsys.readouterr().out


def test_training_predicting_and_scoring_fit_together(
    problems: list[Problem], rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_rows(tmp_path / "train.jsonl", problems[:24])
    path = tmp_path / "model.npz"
    trained = ["solve", "train", str(tmp_path / "train.jsonl"), "--out", str(path), "--setting", "TE*", "--k", "2"]
    assert main([*trained, "--rule", "perceptron", "--epochs", "4", "--seed", "3", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["problems"], told["templates"]) == (24, 3)
    assert (
        "train:TE*-first|features:extended|k:2|rule:perceptron|epochs:4|seed:3|relations:read|n:24@"
        in told["signature"]
    )

    predictions = tmp_path / "predictions.jsonl"
    assert main(["solve", "predict", str(rows), "--model", str(path), "--out", str(predictions)]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.findall(r"\d+", captured.err) == ["12", "0"]
    assert main(["score", str(predictions), "--references", str(rows), "--format", "json"]) == 0
    scored = json.loads(capsys.readouterr().out)["systems"][0]

    assert main(["solve", "evaluate", str(rows), "--model", str(path), "--json"]) == 0
    evaluated = json.loads(capsys.readouterr().out)
    assert evaluated["systems"][0]["derivation_accuracy"] == scored["derivation_accuracy"] == 1.0
    assert evaluated["systems"][0]["signature"] == scored["signature"]
    assert evaluated["model"] == told["signature"]


def test_evaluate_prints_accuracies_and_both_signatures(
    saved: Path, rows: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["solve", "evaluate", str(rows), "--model", str(saved)]) == 0
    out = capsys.readouterr().out
    assert "derivation accuracy" in out
    assert "deriv|data:rows.jsonl@" in out
    assert out.splitlines()[-1].startswith("model: solver|train:TD|")


def test_questions_alone_are_enough_to_predict(saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = tmp_path / "questions.jsonl"
    lines = [{"id": 7, "question": TEXT}, {"id": 8, "question": "How many?"}, {"id": 7, "question": TEXT}]
    questions.write_text("\n".join(map(json.dumps, lines)) + "\n\n", encoding="utf-8")
    assert main(["solve", "predict", str(questions), "--model", str(saved)]) == 0
    captured = capsys.readouterr()
    first, second = map(json.loads, captured.out.splitlines())
    assert first["prediction"]["solutions"] == [21.0, 29.0]
    assert second == {"id": 8, "prediction": None, "reason": "no numbers", "message": "the text has no number"}
    assert re.findall(r"\d+", captured.err) == ["2", "1"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 1: expected JSON, but got"),
        ('{"question": "3"}', "line 1: expected an object with an id and a question"),
        ('{"id": 1, "question": 3}', "line 1: expected an object with an id and a question"),
        ('{"id": 1, "question": "3"}\n{"id": 1, "question": "4"}', "expected one question for each id"),
        ('{"id": 1, "question": "3", "numbers": []}', "line 1: row 1: expected the fields id, question"),
        ("", "expected problems, but got none"),
    ],
)
def test_bad_questions_are_named(
    saved: Path, tmp_path: Path, line: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text(line, encoding="utf-8")
    assert main(["solve", "predict", str(questions), "--model", str(saved)]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "nothing", "--out", "m.npz"], "Unknown data 'nothing': There are draw1k"),
        (["train", "sample/tests", "--out", "m.npz"], "did you mean sample/test?"),
        (["train", "missing.jsonl", "--out", "m.npz"], "missing.jsonl: file not found"),
        (["train", __file__, "--corrected", "--out", "m.npz"], "Corrections are for the release"),
        (["train", "sample", "--out", "/nowhere/m.npz"], "cannot write /nowhere/m.npz: there is no folder /nowhere"),
        (["train", "sample/test", "--rule", "luck", "--out", "m.npz"], "rule: expected one of perceptron, margin"),
        (["evaluate", "sample/test", "--model", "missing.npz"], "missing.npz: file not found"),
        (["a text with 2 numbers and 3", "--model", "missing.npz"], "missing.npz: file not found"),
    ],
)
def test_refusals_say_what_was_expected(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""


def test_the_name_of_the_data_is_looked_at_before_any_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a|b.jsonl").touch()
    assert main(["solve", "evaluate", str(tmp_path / "a|b.jsonl"), "--model", "missing.npz"]) == 2
    assert "'a|b.jsonl'" in capsys.readouterr().err


def test_a_training_problem_whose_derivation_cannot_be_read_is_named(
    problems: list[Problem], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.jsonl"
    row = problems[1].to_row() | {"template": ["m = a *"]}
    path.write_text(json.dumps(problems[0].to_row()) + "\n" + json.dumps(row) + "\n", encoding="utf-8")
    assert main(["solve", "train", str(path), "--out", str(tmp_path / "m.npz")]) == 2
    assert "problem 1: " in capsys.readouterr().err
    assert not (tmp_path / "m.npz").exists()


def test_a_model_may_go_to_standard_output_and_come_from_standard_input(
    problems: list[Problem], rows: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "draw_dataset.cli", "solve"]
    trained = subprocess.run(
        [*command, "train", str(rows), "--epochs", "1", "--out", "-"], capture_output=True, check=True
    )
    assert trained.stdout.startswith(b"PK")
    assert b"wrote -: 3 templates from 12 problems" in trained.stderr
    solved = subprocess.run([*command, TEXT, "--model", "-", "--json"], input=trained.stdout, capture_output=True)
    assert json.loads(solved.stdout)["model"].startswith("solver|")


def test_questions_may_come_from_standard_input(
    saved: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = json.dumps({"id": "seven", "question": TEXT}) + "\r\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbf" + lines.encode())))
    assert main(["solve", "predict", "-", "--model", str(saved), "--out", "-"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["id"] == "seven"
    assert re.findall(r"\d+", captured.err) == ["1", "0"]


def behind_a_reader_that_leaves(arguments: list[str]) -> subprocess.CompletedProcess[bytes]:
    """Run draw with a standard output that nobody reads."""
    read, write = os.pipe()
    os.close(read)
    try:
        return subprocess.run(
            [sys.executable, "-m", "draw_dataset.cli", *arguments], stdout=write, stderr=subprocess.PIPE, check=False
        )
    finally:
        os.close(write)


def test_figures_and_models_are_there_even_if_nobody_reads_what_is_printed(
    saved: Path, rows: Path, tmp_path: Path
) -> None:
    figure, model = tmp_path / "figure.svg", tmp_path / "model.npz"
    done = behind_a_reader_that_leaves(["solve", TEXT, "--model", str(saved), "--svg", str(figure)])
    assert b"Traceback" not in done.stderr
    assert figure.read_text(encoding="utf-8").startswith("<svg")
    done = behind_a_reader_that_leaves(["solve", "train", str(rows), "--epochs", "1", "--out", str(model)])
    assert b"Traceback" not in done.stderr
    assert len(load_model(model).inventory) == 3


def test_a_text_on_standard_input_has_a_limit(
    saved: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a " * (1 << 20))))
    assert main(["solve", "-", "--model", str(saved)]) == 2
    assert "1048576" in capsys.readouterr().err


def test_models_of_another_format_or_feature_set_are_refused(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with np.load(saved) as file:
        arrays = {name: file[name] for name in file.files}
    about = json.loads(bytes(arrays["about"]))
    for change, message in [
        ({"format": 999}, "expected a model of format"),
        ({"features": ["extended", 999]}, "expected the feature set extended of version"),
        ({"features": ["other", 1]}, "expected one of paper, extended, inferred, zdc, but got 'other'"),
    ]:
        path = tmp_path / "model.npz"
        changed = np.frombuffer(json.dumps(about | change).encode(), dtype=np.uint8)
        np.savez(path, **(arrays | {"about": changed}))
        assert main(["solve", TEXT, "--model", str(path)]) == 2
        assert message in capsys.readouterr().err


@pytest.mark.usefixtures("small_sample")
def test_a_model_cut_short_is_refused(saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "half.npz"
    path.write_bytes(saved.read_bytes()[: saved.stat().st_size // 2])
    assert main(["solve", TEXT, "--model", str(path)]) == 2
    assert "half.npz: " in capsys.readouterr().err


@pytest.fixture
def small_sample(problems: list[Problem], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a solver that was trained on a few problems in the place of the shipped one."""
    save_model(train([*problems[:20], *problems[20:24]], calibrate=False), tmp_path / "sample.npz")
    monkeypatch.setattr(sys.modules[sample_model.__module__], "files", lambda _: tmp_path)


@pytest.mark.usefixtures("small_sample")
@pytest.mark.usefixtures("small_sample")
def test_without_a_model_the_shipped_one_answers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", TEXT, "--no-colour"]) == 0
    told = capsys.readouterr()
    assert told.out == ANSWER
    assert "built-in model (120 problems" in told.err
    assert "draw solve train" in told.err


@pytest.mark.slow
def test_the_shipped_model_is_current(capsys: pytest.CaptureFixture[str]) -> None:
    assert update_sample_model(["--check"]) == 0, capsys.readouterr().out


def test_the_answer_in_the_documentation_needs_no_network_and_no_file(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "howto" / "solve.md").read_text(encoding="utf-8")
    text = page.partition('draw solve "')[2].partition('"')[0]
    code = NO_NETWORK + f"import sys; from draw_dataset.cli import main; sys.exit(main(['solve', {text!r}]))"
    told = run(code, tmp_path)
    assert "in words  Nina is 23, Omar is 17" in told
    # How sure it is, and what comes second, may differ between machines in the last digit.
    *shown, sure, second = told.partition("\n\n")[2].splitlines()
    assert "\n".join(shown) in page
    assert (sure[:11], second[:10]) == ("confidence ", "runner-up ")


def test_a_figure_shows_what_the_solver_saw(model: Model) -> None:
    from draw_dataset.report.picture import answer_picture

    answer = model.predict(TEXT)
    assert answer.derivation is not None
    picture = answer_picture(TEXT, locate_numbers(TEXT)[0], answer.derivation)
    assert (picture.below.name, picture.below.notation) == ("answer", answer.q_notation)
    assert (picture.above, picture.verdict, picture.solutions) == (None, None, ())


@pytest.mark.usefixtures("small_sample")
def test_a_file_is_solved_as_its_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "problem.txt"
    path.write_text(TEXT, encoding="utf-8")
    assert main(["solve", str(path), "--no-colour"]) == 0
    assert capsys.readouterr().out == ANSWER


@pytest.mark.usefixtures("small_sample")
def test_every_question_of_a_file_of_lines_is_solved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "problems.jsonl"
    lines = [{"id": 1, "question": TEXT}, {"id": "b", "question": "How many cards does Nora have?"}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert main(["solve", str(path), "--no-colour"]) == 1
    first, second = capsys.readouterr().out.split("problem b")
    assert first == f"problem 1\n\n{ANSWER}\n"
    assert "no numbers" in second
    assert main(["solve", str(path), "--json"]) == 1
    assert [json.loads(line)["id"] for line in capsys.readouterr().out.splitlines()] == [1, "b"]
    assert main(["solve", str(path), "--svg", str(tmp_path / "figure.svg")]) == 2
    assert "--svg" in capsys.readouterr().err


def test_one_word_is_no_problem_but_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "problem.txt"]) == 2
    assert capsys.readouterr().err.startswith("draw solve: problem.txt: ")


def test_an_answer_with_little_confidence_is_headed_as_probably_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    for text, wrong in (
        ("Pat has 9 plums , eats 4 . How many are left ?", True),
        ("Nina is six years older than Omar. Their ages sum to 40. How old is each of them?", False),
    ):
        assert main(["solve", text, "--json"]) == 0
        data = json.loads(capsys.readouterr().out)
        assert data["probably_wrong"] is wrong is (data["confidence"] < 0.2)
        assert main(["solve", text]) == 0
        assert capsys.readouterr().out.startswith("probably wrong: confidence 0.") is wrong
