"""`grade` with a question and its solution instead of a row, and `grade_many`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from draw_dataset import grade, grade_many
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import ChoiceError, RowError, ScoreError
from draw_dataset.scoring.gold import PreparedProblem

EGGS = "Eggs cost $2 . Bo buys 3 eggs and pays with $10 . How much does he get back ?"
BACK = "3 eggs are 3*2 = $6, so he gets 10-6 = $4"
PAIR = "Two numbers add up to 30 . One is 4 more than the other . What are the numbers ?"
BOTH = "x + y = 30 and x = y + 4, so 2y = 26, y = 13 and x = 17."

WORKED = [
    "3*2=6. 10-6=4. #### 4",
    "He pays 3 * 2 = 6 dollars and gets 10 - 6 = 4 dollars back.",
    "10 - 3*2",
    "10 - 3*2 = 4",
    "x = 10 - 3*2",
    ["x = 10 - 3*2"],
]
FINAL: list[Any] = [4, 4.0, Fraction(4), "4", "$4", "#### 4", "4 dollars", [4]]
SYSTEMS: list[Any] = [
    "x + y = 30; x - y = 4",
    "x + y = 30, x - y = 4",
    ["x + y = 30", "x - y = 4"],
    "Let x and y be the numbers. x + y = 30 and x - y = 4. Adding gives 2x = 34, so x = 17 and y = 13.",
]


@pytest.mark.parametrize("solution", WORKED, ids=str)
def test_gold_is_derived_from_a_solution(solution: Any) -> None:
    verdict = grade(BACK, question=EGGS, solution=solution)
    assert (verdict.status, verdict.solution) == ("right", True)
    wrong = grade("m = q3 - q1", question=EGGS, solution=solution)
    assert (wrong.status, wrong.solution) == ("wrong", False)


@pytest.mark.parametrize("solution", SYSTEMS, ids=str)
def test_gold_is_derived_from_equations(solution: Any) -> None:
    assert grade(BOTH, question=PAIR, solution=solution).status == "right"
    assert grade({"answer": BOTH}, question=PAIR, solution=solution).status == "right"
    assert grade("m + n = q2; m = n + q3", question=PAIR, solution=solution).derivation
    slip = grade(BOTH.replace("17", "18"), question=PAIR, solution=solution)
    assert (slip.status, slip.solution, slip.reason) == ("right", False, "slip")


@pytest.mark.parametrize("solution", FINAL, ids=repr)
def test_with_a_number_alone_the_solution_is_graded_and_the_derivation_is_undecided(solution: Any) -> None:
    right = grade(BACK, question=EGGS, solution=solution)
    assert (right.status, right.reason, right.solution) == ("undecided", "undecided", True)
    assert right.message == "right answer; no gold derivation to compare with: the solution is only a number"
    assert right.reading is not None
    assert right.steps == ()
    wrong = grade("10 - 3 = 7", question=EGGS, solution=solution)
    assert (wrong.status, wrong.solution) == ("undecided", False)


def test_a_solution_from_which_nothing_can_be_derived_says_why() -> None:
    verdict = grade(BACK, question=EGGS, solution="Three eggs at $2 are $6. He gets $4.")
    assert (verdict.status, verdict.solution) == ("undecided", True)
    assert "no gold derivation to compare with: reference does not come to its own answer" in verdict.message


@pytest.mark.parametrize("solution", [[17, 13], "17; 13"], ids=str)
def test_several_final_numbers_must_all_be_given(solution: Any) -> None:
    assert grade(BOTH, question=PAIR, solution=solution).solution
    assert not grade("x = 17", question=PAIR, solution=solution).solution


@pytest.mark.parametrize(
    ("given", "reason"),
    [(None, "abstained"), ("", "abstained"), ("I do not know.", "unread"), ({"solutions": [4]}, "no-derivation")],
)
def test_what_is_wrong_with_a_prediction_is_said_first(given: Any, reason: str) -> None:
    assert grade(given, question=EGGS, solution=4).reason == reason


@pytest.mark.parametrize("solution", [None, "", "no idea", [], True, {"a": 1}, [1, 2, 3, 4], float("nan"), 10**400])
def test_a_solution_without_equations_and_numbers_raises(solution: Any) -> None:
    with pytest.raises(RowError, match="solution: expected a worked solution, equations, or the final number"):
        grade(BACK, question=EGGS, solution=solution)


def test_a_row_or_a_question_is_needed_and_not_both() -> None:
    row = load_sample()["train"][0].to_row()
    with pytest.raises(RowError, match="expected a row, or question= and solution="):
        grade("m = 1")
    with pytest.raises(ChoiceError, match="but got both"):
        grade("m = 1", row, question=EGGS, solution=4)
    with pytest.raises(ChoiceError, match="question: expected the text"):
        grade("m = 1", solution=4)


def test_many_are_graded_as_one_by_one() -> None:
    problems = load_sample()["test"]
    rows = [problem.to_row() for problem in problems for _ in range(2)]
    given = [row["derivation"] if at % 3 else {"answer": "5 + 5 = 10"} for at, row in enumerate(rows)]
    verdicts = grade_many(given, rows, match="quantities")
    assert verdicts == [grade(one, row, match="quantities") for one, row in zip(given, rows, strict=True)]


def test_samples_of_one_problem_share_its_gold(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int | str] = []
    genuine = PreparedProblem.__init__

    def counted(self: PreparedProblem, problem: Problem) -> None:
        made.append(problem.id)
        genuine(self, problem)

    row = load_sample()["train"][0].to_row()
    monkeypatch.setattr(PreparedProblem, "__init__", counted)
    grade_many([row["derivation"]] * 5, row)
    grade_many([row["derivation"]] * 5, [dict(row) for _ in range(5)])
    assert len(made) == 2


def test_as_many_rows_as_predictions() -> None:
    rows = [problem.to_row() for problem in load_sample()["train"][:2]]
    assert grade_many([], []) == []
    with pytest.raises(ScoreError, match="as many predictions as references, but got 1 and 2"):
        grade_many(["m = 1"], rows)
    with pytest.raises(ScoreError, match="expected a list with one for each row"):
        grade_many("m = 1", rows)
