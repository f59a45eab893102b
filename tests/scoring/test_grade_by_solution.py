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
    assert "no gold derivation to compare with: none of its calculations comes to 4" in verdict.message


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


STAMPS = "A desk sells cards for $4 and stamps for $3 . Ida buys 9 items for $31 . How many cards does she buy ?"
NAMED: list[Any] = [
    "cards + stamps = 9; 4*cards + 3*stamps = 31",
    "Cards + Stamps = 9\n4 Cards + 3 Stamps = 31",
    "cards + stamps = 9 and 4*cards + 3*stamps = 31",
    "number_of_cards + stamps = 9, 4*number_of_cards + 3*stamps = 31",
    ["cards + stamps = 9", "4*cards + 3*stamps = 31"],
    "4*cards + 3*(9 - cards) = 31",
    "stamps = 9 - cards; 4*cards + 3*stamps = 31",
]


@pytest.mark.parametrize("solution", NAMED, ids=str)
def test_unknowns_of_a_solution_may_have_names_of_several_letters(solution: Any) -> None:
    right = grade("4c + 3s = 31 and c + s = 9, so s = 5 and c = 4.", question=STAMPS, solution=solution)
    assert (right.status, right.solution) == ("right", True)
    assert grade("4*4 + 3*(9 - 4) = 31, so 4 cards.", question=STAMPS, solution=solution).solution
    assert not grade("She buys 31 cards.", question=STAMPS, solution=solution).solution


@pytest.mark.parametrize(
    "solution",
    ["cards + stamps = 9", ["c + s = 9"], "cards * stamps = 20; cards + stamps = 9", "c = 4; c = 5"],
    ids=str,
)
def test_equations_without_one_solution_are_no_gold(solution: Any) -> None:
    with pytest.raises(RowError, match="solution: expected equations with one solution for c"):
        grade("4 cards", question=STAMPS, solution=solution)


def test_a_right_side_is_no_result_while_unknowns_are_open() -> None:
    with pytest.raises(RowError, match="ends in an equation whose unknowns are open"):
        grade("4 cards", question=STAMPS, solution="Let c and s be the items, then 4c + 3s = 31")


def test_named_calculations_have_the_result_of_the_last() -> None:
    assert grade(BACK, question=EGGS, solution="spent = 3*2; back = 10 - spent").status == "right"
    values = "cards = 4; stamps = 5"
    assert grade("She has 4 cards and 5 stamps.", question=STAMPS, solution=values).solution
    assert grade("c = 9 - 5 = 4, s = 5", question=STAMPS, solution=values).status == "undecided"


TICKETS = "A fair sold 14 tickets for $71 . Adults paid $7 and pupils paid $4 . "  # 5 adults and 9 pupils
LETTERS = [
    "a + p = 14; 7*a + 4*p = 71",
    "p + a = 14; 7*a + 4*p = 71",
    "u + v = 14; 7*v + 4*u = 71",
    "adults + pupils = 14; 7*adults + 4*pupils = 71",
    "Let x be the pupils and y the adults. Then x + y = 14 and 4x + 7y = 71, so 4*14 + 3y = 71 and y = 5, x = 9.",
]


@pytest.mark.parametrize("solution", LETTERS)
def test_the_question_says_which_of_gold_s_unknowns_is_asked(solution: str) -> None:
    question = TICKETS + "How many adults came ?"
    assert grade("There are 5 adults.", question=question, solution=solution).solution
    assert not grade("There are 9 adults.", question=question, solution=solution).solution
    other = question.replace("How many adults", "How many of the pupils")
    assert grade("7a + 4b = 71, a + b = 14, so b = 9.", question=other, solution=solution).solution
    assert not grade("There are 5.", question=other, solution=solution).solution


@pytest.mark.parametrize(
    ("asked", "right", "wrong"),
    [
        ("What is the larger number ?", "17", "13"),
        ("Find the smaller number .", "13", "17"),
        ("What are the numbers ?", "17 and 13", "17"),
        ("Find the larger number and the smaller number .", "17 and 13", "17"),
    ],
)
def test_a_question_asks_for_the_larger_the_smaller_or_all(asked: str, right: str, wrong: str) -> None:
    question = f"Two numbers add up to 30 . One is 4 more than the other . {asked}"
    assert grade(right, question=question, solution="x + y = 30; x - y = 4").solution
    assert not grade(wrong, question=question, solution="x + y = 30; x - y = 4").solution


def test_a_verdict_says_that_the_asked_unknown_is_not_clear() -> None:
    question = "Two shelves hold 30 books . The upper one holds 4 more . How many books does Jo see there ?"
    for answer, status in (("She sees 17.", "undecided"), ("x + y = 30, x - y = 4, so x = 17", "right")):
        verdict = grade(answer, question=question, solution="x + y = 30; x - y = 4")
        assert (verdict.status, verdict.solution) == (status, False)
        assert "which of them the question asks for is not clear" in verdict.message
    both = grade("x + y = 30, x - y = 4, so x = 17 and y = 13", question=question, solution="x + y = 30; x - y = 4")
    assert (both.status, both.solution, both.message) == ("right", True, "the same derivation as gold")
    template = grade("m + n = q2; m - n = q3", question=question, solution="x + y = 30; x - y = 4")
    assert template.solution is (template.status == "right")


@pytest.mark.parametrize(
    ("answer", "solution", "told"),
    [
        ("So c = 4 and s = 5.", True, "right answer"),  # the question asks for cards
        ("So s = 4 and c = 5.", False, "wrong answer"),
        ("Let x be the cards and y the stamps. Then x = 4 and y = 5.", True, "right answer"),
        ("Then u = 4 and v = 5.", False, "undecided is the result: 4 and 5 are given"),
        ("v = 5 and u = 4", True, "right answer"),  # the last one is taken for the result
        ("I get 4*4 = 16, so she gets 4 cards and 5 stamps.", True, "right answer"),
        ("31 - 27 = 4, so 5 stamps.", False, "wrong answer"),
    ],
)
def test_several_results_beside_a_number_as_gold(answer: str, solution: bool, told: str) -> None:
    verdict = grade(answer, question=STAMPS, solution=4)
    assert (verdict.status, verdict.solution) == ("undecided", solution)
    assert verdict.message.startswith(told)


@pytest.mark.parametrize("solution", ["24 and 12", "24, 12", "$24 and $12", "24 cards and 12 stamps", "24; 12"])
def test_final_numbers_with_words_are_no_worked_solution(solution: str) -> None:
    verdict = grade(
        "36/3 = 12, so t = 12", question="Two rows have 36 beads . How many are in each ?", solution=solution
    )
    assert (verdict.solution, verdict.message) == (
        False,
        "wrong answer (gold: 24 and 12); no gold derivation to compare with: the solution is only a number",
    )
