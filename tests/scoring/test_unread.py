"""Nothing fails silently: how many predictions could not be read, the first with its cause, and what was meant."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from answers.test_styles import ROW
from metric.metric_inputs import ROWS, metric

from draw_dataset import compare_scores, grade, score
from draw_dataset.cli import main
from draw_dataset.data.sample import load_sample, load_sample_answers
from draw_dataset.errors import UnreadWarning
from draw_dataset.report.page import page_html
from draw_dataset.scoring.prediction import hint_for, is_prose, meant_rank

SAMPLE = ["--config", "sample", "--split", "test"]
PROSE = "Let x be the first number and y the other one. Then x + y = 12 and x - y = 2, so x = 7 and y = 5."
ABSTAINING: list[Any] = [None] * (len(ROWS) - 2)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Q1*x = Q2", "q1"),
        ("x + y = Q1; Q3*x + Q4*y = Q2", "q1"),
        ("x + y = q1; q3*x + Q4*y = q2", "q4"),
        ("x + y = q_1; q_3*x + q_4*y = q_2", "q1"),
        ("x + y = q_{1}; x - y = q_{2}", "q1"),
        ("x + y = q₁; x - y = q₂", "q1"),
        ("x + y = #1; x - y = #2", "q1"),
        ("x + y = number1; x - y = number2", "q1"),
        ("x + y = num_1; x - y = num_2", "q1"),
        ("x + y = N1; x - y = N2", "q1"),
    ],
)
def test_a_number_written_in_another_way_is_recognised(text: str, name: str) -> None:
    verdict = grade(text, ROW)
    assert not verdict.derivation
    assert str(verdict.reason) in ("unreadable", "not linear")
    assert f"did you mean {name}?" in verdict.message


def test_numbers_are_counted_from_one() -> None:
    assert grade("x + y = q0; x - y = q1", ROW).message.endswith("numbers are counted from q1")


@pytest.mark.parametrize("text", ["Q1 + Q2 = q1; q3*Q1 + q4*Q2 = q2", "n1 + n2 = q1; q3*n1 + q4*n2 = q2"])
def test_an_unknown_may_have_any_name_where_the_derivation_is_right(text: str) -> None:
    assert grade(text, ROW).derivation


@pytest.mark.parametrize("text", ["1. x + y = q1; 2. q3*x + q4*y = q2", "1. x + y = q1\n2. q3*x + q4*y = q2"])
def test_a_numbered_list_is_not_read_as_factors_without_a_word(text: str) -> None:
    for given in (text, {"derivation": text}):
        verdict = grade(given, ROW)
        assert (verdict.derivation, str(verdict.reason)) == (False, "unreadable")
        assert verdict.message.endswith("got a numbered list; leave out the list numbers 1. 2.")
    verdict = grade(text.replace(". ", ") "), ROW)
    assert verdict.message.endswith("; leave out the list numbers 1) 2)")
    assert grade("1. x + y = q1; q3*x + q4*y = q2", ROW).derivation  # a factor that changes nothing
    assert str(grade("1.5*x + y = q1; 2. *x = q2", ROW).reason) != "unreadable"


def test_an_answer_that_is_none_abstains_and_one_that_is_no_string_is_named() -> None:
    assert str(grade({"answer": None}, ROW).reason) == "abstained"
    verdict = grade({"answer": ["x = 1"]}, ROW)
    assert (str(verdict.reason), verdict.message) == ("unreadable", "answer: expected a string, but got ['x = 1']")


def test_two_numbers_called_n1_and_n2_are_unknowns_beside_numbers_of_the_text() -> None:
    assert str(grade("n1 + n2 = q2; q3*n1 + q4*n2 = q1", ROW).reason) == "alignment"


def test_prose_and_q_notation_are_told_apart() -> None:
    assert is_prose(PROSE)
    assert not is_prose("speed + time = q1; speed - 2*time = q2")
    assert meant_rank("x + y = q1; 2*y = q2 + 3") == ""


# draw score.


def written(path: Path, lines: Iterable[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return str(path)


def scored(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["score", *arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_some_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = [row["derivation"] for row in ROWS]
    texts[2] = texts[5] = "x + y = #1"
    path = written(tmp_path / "p.jsonl", [{"id": r["id"], "prediction": t} for r, t in zip(ROWS, texts, strict=True)])
    status, out, err = scored(capsys, path, *SAMPLE)
    assert status == 0
    assert "could not be read" in out
    assert err.count("\n") == 1
    assert err.startswith(
        f"draw score: p: 2 of 30 predictions could not be read. The first (problem {ROWS[2]['id']}): "
    )
    assert "did you mean q1?" in err


def test_none_that_can_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "p.jsonl", [{"id": row["id"], "prediction": PROSE} for row in ROWS])
    status, out, err = scored(capsys, path, *SAMPLE)
    assert status == 3
    assert out.count("deriv|data:sample/test@") == 1  # the table is printed all the same
    assert "None of 30 predictions could be read." in err
    assert "give --field prediction" in err
    status, _, err = scored(capsys, path, *SAMPLE, "--field", "prediction")
    assert (status, err) == (0, "")


@pytest.mark.parametrize(("unread", "expected"), [(30, 3), (29, 3), (16, 3), (15, 0), (1, 0)])
def test_most_that_cannot_be_read_are_no_success(
    unread: int, expected: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = ["= ="] * unread + [row["derivation"] for row in ROWS[unread:]]
    path = written(tmp_path / "p.jsonl", [{"id": r["id"], "prediction": t} for r, t in zip(ROWS, texts, strict=True)])
    status, _, err = scored(capsys, path, *SAMPLE)
    assert status == expected
    assert err.count("\n") == 1
    assert f"The first (problem {ROWS[0]['id']}): unreadable: " in err


def test_abstentions_do_not_count_as_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = [None] * 27 + ["= ="] * 2 + [ROWS[-1]["derivation"]]
    path = written(tmp_path / "p.jsonl", [{"id": r["id"], "prediction": t} for r, t in zip(ROWS, texts, strict=True)])
    assert scored(capsys, path, *SAMPLE)[0] == 3


def test_one_file_of_two_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = written(tmp_path / "good.jsonl", [{"id": row["id"], "derivation": row["derivation"]} for row in ROWS])
    bad = written(tmp_path / "bad.jsonl", [{"id": row["id"], "derivation": "= ="} for row in ROWS])
    status, _, err = scored(capsys, good, bad, *SAMPLE)
    assert status == 3
    assert err.startswith("draw score: bad: None of 30 predictions could be read.")


def test_rows_without_a_line_are_not_predictions_that_could_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "p.jsonl", [{"id": row["id"], "prediction": "= ="} for row in ROWS[:3]])
    status, _, err = scored(capsys, path, *SAMPLE, "--missing", "abstain")
    assert status == 3
    assert "None of 3 predictions could be read." in err
    nothing = written(tmp_path / "nothing.jsonl", [])
    assert scored(capsys, nothing, *SAMPLE, "--missing", "abstain")[::2] == (0, "")


def test_answers_of_which_none_can_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "p.jsonl", [{"id": row["id"], "answer": "I would rather not."} for row in ROWS])
    status, _, err = scored(capsys, path, *SAMPLE)
    assert status == 3
    assert err.endswith("unread: no equation and no number was found.\n")  # no hint: it was read as an answer


@pytest.mark.parametrize("field", ["completion", "output", "model_answer"])
def test_the_field_that_was_meant(field: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "p.jsonl", [{"id": row["id"], field: PROSE} for row in ROWS])
    status, _, err = scored(capsys, path, *SAMPLE)
    assert status == 0
    assert err == f'draw score: {path}: using "{field}" as the answer\n'
    # A field that no line has: refused at once, as nothing can be scored.
    status, out, err = scored(capsys, path, *SAMPLE, "--field", "anser")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "line 1: expected the field anser, but got the keys [" in err
    assert f": did you mean --field {field}?" in err


def test_a_field_that_is_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "p.jsonl", [{"id": row["id"], "answer": 7} for row in ROWS])
    assert (
        "expected a string as answer, or null to abstain, but got 7"
        in scored(capsys, path, *SAMPLE, "--field", "answer")[2]
    )
    status, _, err = scored(capsys, path, *SAMPLE)
    assert status == 3
    assert 'a number alone goes into "solutions": [7]' in err


def test_naming_the_field_of_answers_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines: list[dict[str, Any]] = [{"id": row["id"], "answer": None} for row in ROWS]
    lines[0]["answer"] = f"```\n{ROWS[0]['derivation']}\n```\nAnswer: 1"
    lines[0]["prompt_style"] = "marked/1"
    path = written(tmp_path / "p.jsonl", lines)
    status, plain, _ = scored(capsys, path, *SAMPLE, "--format", "json")
    assert scored(capsys, path, *SAMPLE, "--format", "json", "--field", "answer") == (status, plain, "")
    assert json.loads(plain)["systems"][0]["counts"] == {"abstained": 29, "slip": 1}
    again = written(tmp_path / "again.jsonl", [{**lines[0], "sample": number} for number in (0, 1)])
    both = json.loads(scored(capsys, again, *SAMPLE, "--field", "answer", "--missing", "skip", "--format", "json")[1])
    assert both["systems"][0]["derivation"]["pass@2"] == 1.0


def test_other_ids_than_gold_s(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "p.jsonl", [{"id": 7_000 + i, "prediction": "x = q1"} for i in range(30)])
    status, out, err = scored(capsys, path, *SAMPLE)
    assert (status, out, err.count("\n")) == (2, "", 1)
    some = ", ".join(str(row["id"]) for row in ROWS[:3])
    assert f"line 1: Unknown id 7000: expected one of the 30 ids of sample/test ({some}, …)" in err
    as_texts = written(tmp_path / "t.jsonl", [{"id": str(row["id"]), "prediction": "x = q1"} for row in ROWS])
    status, _, err = scored(capsys, as_texts, *SAMPLE)
    assert status == 0
    assert err.count("ids are strings here and matched as numbers") == 1
    other_type = written(tmp_path / "o.jsonl", [{"id": f"0{row['id']}", "prediction": "x = q1"} for row in ROWS])
    assert "Unknown id '091'" in scored(capsys, other_type, *SAMPLE)[2]


def test_the_rule_and_the_status_are_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "--help"]) == 0
    out = capsys.readouterr().out
    assert "3 scored, but more than half of one file's predictions could not be read" in " ".join(out.split())
    assert "--match" in out


def test_the_rule_by_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "p.jsonl", [{"id": row["id"], "prediction": row["derivation"]} for row in ROWS])
    for match in ("auto", "algorithm1", "quantities"):
        status, out, _ = scored(capsys, path, *SAMPLE, "--match", match, "--format", "json")
        system = json.loads(out)["systems"][0]
        assert (status, system["derivation_accuracy"]) == (0, 1.0)
        assert system["match"] == ("algorithm1" if match == "auto" else match)
        assert f"|match:{system['match']}|" in system["signature"]


# The metric.


def warned(predictions: list[Any], **options: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        metric().compute(predictions=predictions, references=ROWS[: len(predictions)], **options)
    return [str(w.message) for w in caught if issubclass(w.category, UnreadWarning)]


def test_the_metric_warns_once() -> None:
    assert warned(["x = q1", None, {"solutions": [1]}]) == []
    (message,) = warned(["x = q1", "x = #1", "= ="])
    assert "2 of 3 predictions could not be read. The first (predictions[1], problem" in message
    assert "did you mean q1?" in message
    (message,) = warned(["x + y = Q1", "x = q1"])
    assert message.endswith("did you mean q1?")


def test_the_metric_warns_strongly_if_nothing_can_be_read() -> None:
    (message,) = warned([PROSE] * 3)
    assert "None of 3 predictions could be read." in message
    assert 'text="answer"' in message
    assert message.endswith("All accuracies are therefore zero.")
    assert warned([PROSE] * 3, text="answer") == []


def test_the_metric_hints_at_fields_that_it_does_not_look_at() -> None:
    (message,) = warned([{"completion": PROSE}] * 2)
    assert 'give {"answer": text}' in message


def test_batches_warn_as_the_one_call_does() -> None:
    module = metric()
    module.add_batch(predictions=["x = #1", "x = q1"], references=ROWS[:2])
    with pytest.warns(UnreadWarning, match="1 of 2 predictions could not be read"):
        module.compute()


@pytest.mark.parametrize("prediction", [7, [1], {"template": [1]}, {"a": "b"}, "x = 1/0", b"x", {"answer": True}])
def test_every_prediction_has_a_hint_or_none(prediction: Any) -> None:
    assert isinstance(hint_for(prediction, "file"), str)


# What a score says.


def test_undecided_unread_and_no_derivation_are_counted() -> None:
    found = score([{"solutions": ROWS[0]["solutions"]}, "= =", *ABSTAINING], ROWS).to_dict()
    assert (found["undecided"], found["unread"], found["no_derivation"]) == (0, 1, 1)
    assert found["counts"] == {"abstained": 28, "unreadable": 1, "no-derivation": 1}


def test_every_form_of_a_table_says_what_is_undecided_and_unread(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = load_sample_answers("hasty")
    path = written(tmp_path / "p.jsonl", [{"id": id_, "answer": answer} for id_, answer in answers.items()])
    options = [path, *SAMPLE, "--samples", "100"]
    system = json.loads(scored(capsys, *options, "--format", "json")[1])["systems"][0]
    certain = f"{100 * system['derivation_accuracy_certain']:.1f}"
    undecided, unread, without = (system[name] for name in ("undecided", "unread", "no_derivation"))
    assert undecided == round(30 * (system["derivation_accuracy"] - system["derivation_accuracy_certain"]))
    assert min(undecided, unread, without) > 0
    markdown = scored(capsys, *options, "--format", "markdown")[1]
    assert f"| in every reading | {certain} |" in markdown
    assert f"| in one reading only | {undecided} |" in markdown
    assert f"| could not be read | {unread} |" in markdown
    assert f"| no derivation | {without} |" in markdown
    lines = [line.split() for line in scored(capsys, *options)[1].splitlines()]
    assert ["in", "every", "reading", certain] in lines
    assert ["in", "one", "reading", "only", str(undecided)] in lines
    rows = [row for row in ROWS if row["id"] in answers]
    found = metric().compute(predictions=[answers[row["id"]] for row in rows], references=rows, text="answer")
    assert [found[name] for name in ("undecided", "unread", "no_derivation")] == [undecided, unread, without]
    table = compare_scores({"p": score([{"answer": answers[row["id"]]} for row in rows], rows)}, samples=20)
    assert (
        f"in every reading of the numbers: p {certain} (in one reading only: {undecided}). Could not be read: {unread}."
        in (table.readings_note)
    )


def test_the_page_says_how_sure_derivations_are() -> None:
    table = compare_scores({"gold": score([row["derivation"] for row in ROWS], ROWS)}, samples=20)
    assert "in every reading of the numbers: gold 100.0 (in one reading only: 0)" in page_html(table, {})


def test_solutions_alone_are_graded_on_solutions_everywhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    predictions: list[Any] = [{"solutions": row["solutions"]} for row in ROWS]
    verdict = grade(predictions[0], ROWS[0])
    assert (verdict.derivation, verdict.solution, str(verdict.reason)) == (False, True, "no-derivation")
    expected = score(predictions, ROWS, data="sample/test").to_dict()
    assert (expected["solution_accuracy"], expected["derivation_accuracy"]) == (1.0, 0.0)
    assert expected["counts"] == {"no-derivation": 30}
    assert metric().compute(predictions=predictions, references=ROWS, data="sample/test") == expected
    path = written(tmp_path / "p.jsonl", [{"id": row["id"], "solutions": row["solutions"]} for row in ROWS])
    status, out, err = scored(capsys, path, *SAMPLE, "--format", "json")
    system = json.loads(out)["systems"][0]
    assert (status, err) == (0, "")
    assert {name: system[name] for name in expected} == expected


def test_plain_answers_in_python_are_warned_of() -> None:
    rows = load_sample()["test"][:3]
    with pytest.warns(UnreadWarning, match="None of 3 predictions could be read.*All accuracies are therefore zero"):
        score(["Bo pays 3 dollars, so he has 4 left."] * 3, rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score([{"answer": "Bo pays 3 dollars, so he has 4 left."}] * 3, rows)
