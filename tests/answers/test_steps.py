"""Verdicts on steps: where an answer first goes wrong, why, and what would have been right."""

from __future__ import annotations

import json
import pickle
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draw_dataset import derive, grade
from draw_dataset.adapters.common import as_text
from draw_dataset.adapters.trl import step_reward
from draw_dataset.adapters.verl import compute_score
from draw_dataset.cli import main
from draw_dataset.data.sample import load_sample
from draw_dataset.report.svg import answer_html
from draw_dataset.scoring.steps import spans_of
from draw_dataset.scoring.verdict import Verdict

FERRY = derive(
    [
        {
            "question": "A ferry carries 12 cars and 5 vans on each trip. It makes 4 trips in the morning and 3 trips "
            "in the afternoon. Each vehicle pays $6. How much money does the ferry earn in a day?",
            "answer": "It carries 12 + 5 = <<12+5=17>>17 vehicles.\nIt makes 4 + 3 = <<4+3=7>>7 trips.\n"
            "So 17 * 7 = <<17*7=119>>119 vehicles pay.\nIt earns 119 * 6 = $<<119*6=714>>714.\n#### 714",
        }
    ],
    preset="gsm8k",
)[0]


def judge(*steps: str) -> Verdict:
    """Return the verdict on an answer that is given by its steps."""
    return grade({"steps": list(steps)}, FERRY)


def kinds(verdict: Verdict) -> list[str]:
    """Return the kinds of the steps."""
    return [str(step.kind) for step in verdict.steps]


def test_steps_of_a_right_answer_are_right() -> None:
    verdict = judge("12 + 5 = 17 vehicles", "4 + 3 = 7 trips", "17 * 7 = 119", "119 * 6 = 714", "The answer is 714.")
    assert kinds(verdict) == ["right", "right", "right", "right", "unknown"]
    assert [step.function for step in verdict.steps[:2]] == ["q1 + q2", "q3 + q4"]
    assert verdict.steps[2].stated == 119
    assert verdict.first_error is None


def test_distributed_terms_are_right() -> None:
    verdict = judge("12 * 7 = 84", "5 * 7 = 35", "84 + 35 = 119", "119 * 6 = 714", "The answer is 714.")
    assert kinds(verdict)[:4] == ["right"] * 4
    assert verdict.first_error is None


def test_a_slip_names_the_right_value_and_steps_that_follow_from_it_are_right() -> None:
    verdict = judge("12 + 5 = 17", "4 + 3 = 7", "17 * 7 = 129", "129 * 6 = 774", "The answer is 774.")
    assert kinds(verdict) == ["right", "right", "slip", "right", "unknown"]
    error = verdict.first_error
    assert error is not None
    assert (error.index, error.stated, error.expected, error.certain) == (2, 129, 119, True)
    assert error.because == "Step 3 should give 119, not 129."


def test_a_side_with_letters_is_no_slip() -> None:
    verdict = judge("Let x be the money of a day.", "12 + 5 + x = 40", "12 / 4 = 9 / x", "The answer is 40.")
    assert "slip" not in kinds(verdict)


def test_a_slip_that_was_corrected_stays_visible_and_is_no_first_error() -> None:
    verdict = judge("12 + 5 = 18", "No, 12 + 5 = 17", "4 + 3 = 7", "17 * 7 = 119", "119 * 6 = 714", "Answer: 714")
    assert kinds(verdict)[0] == "slip"
    assert verdict.solution
    assert verdict.first_error is None


def test_another_quantity_is_an_error_and_gold_says_what_comes_next() -> None:
    verdict = judge("12 + 5 = 17", "17 * 4 = 68", "68 * 6 = 408", "The answer is 408.")
    error = verdict.first_error
    assert error is not None
    assert (error.index, str(error.kind), error.function, error.expected) == (1, "other", "(q1 + q2)*q3", 7)
    assert "4 + 3 = 7 (trip) comes next" in error.because


def test_multiplying_again_is_said_to_be_that() -> None:
    verdict = judge("12 + 5 = 17", "4 + 3 = 7", "17 * 7 = 119", "119 * 6 = 714", "714 * 6 = 4284", "Answer: 4284")
    error = verdict.first_error
    assert error is not None
    assert error.index == 4
    assert error.because == "Step 5 multiplies by 6 again, which 714 already has; 119 * 6 = 714 was the result."


def test_a_number_from_nowhere_is_foreign_where_it_is_first_mentioned() -> None:
    verdict = judge("12 + 5 = 17", "There are 31 trips.", "17 * 31 = 527", "527 * 6 = 3162", "The answer is 3162.")
    error = verdict.first_error
    assert error is not None
    assert (error.index, str(error.kind)) == (1, "foreign")
    assert "31" in error.because


def test_an_answer_that_stops_early_leaves_something_out() -> None:
    verdict = judge("12 + 5 = 17", "4 + 3 = 7", "17 * 7 = 119", "The answer is 119.")
    error = verdict.first_error
    assert error is not None
    assert str(error.kind) == "left-out"
    assert error.expected == 714
    assert not error.certain


def test_an_equation_that_the_right_value_does_not_satisfy_is_an_error() -> None:
    verdict = judge("Let x be the money.", "x - 6 = 119", "x = 125", "The answer is 125.")
    error = verdict.first_error
    assert error is not None
    assert error.index == 1
    assert "x = 714" in error.because


def test_a_true_quantity_that_leads_nowhere_is_an_aside() -> None:
    verdict = judge(
        "4 - 3 = 1 more trip in the morning", "12 + 5 = 17", "4 + 3 = 7", "17 * 7 = 119", "119 * 6 = 714", "Answer: 714"
    )
    assert verdict.first_error is None
    assert kinds(verdict)[1:5] == ["right"] * 4
    assert kinds(verdict)[0] == "aside"


def test_steps_of_prose_are_lines_and_sentences_with_spans() -> None:
    answer = "Good question!\nIt carries 12 + 5 = 17 vehicles. It makes 4 + 3 = 7 trips.\nSo 17 * 7 = 119, and $714."
    verdict = grade({"answer": answer}, FERRY)
    assert [answer[slice(*step.span)] for step in verdict.steps] == [
        "It carries 12 + 5 = 17 vehicles.",
        "It makes 4 + 3 = 7 trips.",
        "So 17 * 7 = 119, and $714.",
    ]
    assert [step.index for step in verdict.steps] == [0, 1, 2]


def test_given_steps_are_graded_as_the_joined_answer() -> None:
    steps = ["12 + 5 = 17", "4 + 3 = 7", "17 * 7 * 6 = 714", "The answer is 714."]
    assert grade({"steps": steps}, FERRY) == grade({"answer": "\n".join(steps)}, FERRY)


def test_steps_survive_pickling_and_are_plain_data() -> None:
    verdict = judge("12 + 5 = 18", "18 * 7 = 126", "The answer is 126.")
    again = pickle.loads(pickle.dumps(verdict))
    assert again.steps == verdict.steps
    assert again.first_error == verdict.first_error
    data = verdict.steps[0].to_dict()
    assert data["kind"] == "slip"
    assert data["expected"] == "17"


def test_derivations_have_no_steps() -> None:
    row = load_sample()["train"][0].to_row()
    assert grade("m = n + q2; m + n = q3", row).steps == ()
    assert grade(None, row).steps == ()


def test_of_a_system_false_arithmetic_and_false_equations_are_errors() -> None:
    row = next(problem for problem in load_sample()["test"] if problem.id == 95).to_row()
    verdict = grade({"answer": "60 + 25m = 15 + 34m.\nSo 45 = 9m and m = 6."}, row)
    error = verdict.first_error
    assert error is not None
    assert (str(error.kind), error.index, error.expected) == ("slip", 1, 5)
    wrong = grade({"answer": "60 + 34m = 15 + 25m.\nSo 45 = -9m and m = -5."}, row).first_error
    assert wrong is not None
    assert (wrong.index, wrong.because) == (0, "Step 1 is wrong: with m = 5 this equation does not hold.")


@pytest.mark.parametrize("steps", [[], ["", ""], [" "]])
def test_no_steps_abstain(steps: list[str]) -> None:
    verdict = grade({"steps": steps}, FERRY)
    assert str(verdict.reason) == "abstained"
    assert verdict.first_error is None


@pytest.mark.parametrize("steps", ["12 + 5", [1, 2], [None], {"a": 1}, 7, ["a"] * 1001])
def test_steps_that_are_no_strings_are_unreadable(steps: Any) -> None:
    verdict = grade({"steps": steps}, FERRY)
    assert str(verdict.reason) == "unreadable"
    assert "steps" in verdict.message
    assert verdict.steps == ()


@pytest.mark.parametrize(
    "text",
    [
        "12 + 5 = 17. " * 8_000,
        "x" * 100_000,
        "1" * 100_000,
        ". " * 50_000,
        "(" * 50_000 + "1" + ")" * 50_000,
        "\n".join(f"{i} + 1 = {i + 1}" for i in range(8_000)),
        "<think>" + "12 + 5 = 18. " * 5_000,
    ],
)
def test_no_text_takes_long(text: str) -> None:
    verdict = grade({"answer": text}, FERRY)
    start = time.process_time()
    assert len(verdict.steps) <= 300
    assert time.process_time() - start < 5


@given(st.lists(st.text(max_size=20), max_size=8))
def test_each_given_step_has_its_span(steps: list[str]) -> None:
    joined = "\n".join(steps)
    assert [joined[start:end] for start, end in spans_of(steps)] == steps


@given(st.integers(1, 99))
def test_a_planted_slip_is_found(off: int) -> None:
    wrong = 17 * 7 + off
    verdict = judge("12 + 5 = 17", "4 + 3 = 7", f"17 * 7 = {wrong}", f"{wrong} * 6 = {wrong * 6}", f"#### {wrong * 6}")
    error = verdict.first_error
    assert error is not None
    assert error.index == 2
    assert error.expected == Fraction(119)


SLIPPED = "12 + 5 = 17\n4 + 3 = 7\n17 * 7 = 129\n129 * 6 = 774"
RIGHT = "12 + 5 = 17\n4 + 3 = 7\n17 * 7 = 119\n119 * 6 = 714\nThe answer is 714."


def test_scoring_writes_steps_and_counts_first_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows, answers, steps = (tmp_path / name for name in ("rows.jsonl", "mine.jsonl", "steps.jsonl"))
    rows.write_text(json.dumps({**FERRY, "id": 1}) + "\n", encoding="utf-8")
    answers.write_text(json.dumps({"id": 1, "prediction": {"answer": SLIPPED}}) + "\n", encoding="utf-8")
    assert main(["score", str(answers), "--references", str(rows), "--steps", str(steps)]) == 0
    assert "First wrong steps of answers, by kind:" in capsys.readouterr().out
    (line,) = [json.loads(text) for text in steps.read_text(encoding="utf-8").splitlines()]
    assert (line["id"], line["system"], line["first_error"]) == (1, "mine", 2)
    assert [step["kind"] for step in line["steps"]] == ["right", "right", "slip", "right"]


def test_rewards_of_steps_grow_with_the_quantities_before_the_first_error() -> None:
    row = as_text(FERRY)
    assert step_reward([SLIPPED, RIGHT, "", 7], row=[row] * 4) == [0.5, 1.0, 0.0, 0.0]
    found = compute_score("draw", SLIPPED, row, prompt_style="plain", reward="steps")
    assert found["score"] == found["steps"] == 0.5
    assert "steps" not in compute_score("draw", SLIPPED, row, prompt_style="plain")


def test_the_report_shows_the_first_wrong_step_as_text() -> None:
    verdict = grade({"answer": SLIPPED}, FERRY)
    html = answer_html(SLIPPED, verdict.reading, error=verdict.first_error)
    assert "first error" in html
    assert "17 * 7 = 129: Step 3 should give 119, not 129." in html


def test_a_line_with_many_numbers_is_looked_at_once() -> None:
    verdict = grade({"answer": "1.5." * 20_000}, FERRY)
    start = time.process_time()
    assert verdict.first_error is None or not verdict.solution
    assert time.process_time() - start < 2


@pytest.mark.parametrize("line", ["2L + 8 = 22, so L = 7.", "B + (B - 20) + (B - 10) = 45", "1/2(28) = 14"])
def test_a_letter_is_no_unit_of_a_false_calculation(line: str) -> None:
    verdict = grade({"answer": f"{line}\n{RIGHT}"}, FERRY)
    assert not any(step.kind == "slip" and step.certain for step in verdict.steps)


def test_steps_of_the_row_name_what_comes_next() -> None:
    steps = ["vehicles = q1 + q2", "trips = q3 + q4", "paying_vehicles = vehicles*trips", "m = paying_vehicles*q5"]
    row = {**FERRY, "steps": steps}
    error = grade({"answer": "12 + 5 = 17\n17 * 4 = 68\n68 * 6 = 408\n#### 408"}, row).first_error
    assert error is not None
    assert error.because == "Step 2 calculates 17 * 4 = 68; 4 + 3 = 7 (trips) comes next."


@pytest.mark.parametrize(
    "steps", [None, "a = q1", [1], ["", "=", "a = b", "a = q99", "a = (" * 500, "q1"], ["a = q1/0"]]
)
def test_steps_of_a_row_that_cannot_be_read_are_left_out(steps: Any) -> None:
    error = grade({"answer": SLIPPED}, {**FERRY, "steps": steps}).first_error
    assert error is not None
    assert error.index == 2


def test_doubling_steps_of_a_row_have_an_end() -> None:
    steps = ["a0 = q1 + q2", *(f"a{i} = a{i - 1}*a{i - 1}" for i in range(1, 500))]
    start = time.process_time()
    assert grade({"answer": SLIPPED}, {**FERRY, "steps": steps}).first_error is not None
    assert time.process_time() - start < 1


def test_what_is_said_again_or_leads_nowhere_brings_no_reward() -> None:
    row = as_text(FERRY)
    padded = ["12 + 5 = 17\n" * count + SLIPPED for count in (0, 1, 50)]
    rewards = step_reward(padded, row=[row] * 3)
    assert len(set(rewards)) == 1
    assert step_reward(["There are 12 cars.\n" * 50 + SLIPPED], row=[row]) == rewards[:1]
