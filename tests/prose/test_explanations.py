"""Equations out of explanations: named texts, and texts written after the code was finished."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from prose.outcomes import judge, load_cases, same_form

from draw_dataset.reading.extraction import Refusal, extract_equations
from draw_dataset.reading.statements import Kind, statements_of

FILES = ("explanations.toml", "explanations_unseen.toml", "explanations_hard.toml")


@pytest.mark.parametrize("case", [c for name in FILES for c in load_cases(name)], ids=lambda case: case["name"])
def test_the_right_equations_come_out_or_none_with_the_right_reason(case: dict[str, object]) -> None:
    outcome = judge(case)
    assert outcome.verdict == "right", outcome.got


@pytest.mark.parametrize(
    ("file", "least"), [("explanations.toml", 60), ("explanations_unseen.toml", 30), ("explanations_hard.toml", 25)]
)
def test_at_least_95_percent_are_right_and_none_is_silently_wrong(file: str, least: int) -> None:
    verdicts = Counter(judge(case).verdict for case in load_cases(file))
    assert verdicts.total() >= least
    assert verdicts["right"] >= 0.95 * verdicts.total()
    assert verdicts["silent"] == 0


@pytest.mark.parametrize(
    "text",
    [
        "30 = 5 + x (more) + 7",
        'x + y = 5 "boxes" + 3',
        "x + y = 5 (boxes) - 3",
        "twice x + 3 = 15",
        "5 dimes - x = 3",
        "x + y = 10, 000",
        "2,5x = 20",
        "3 x (4 + y) = 18",
        "y = 2 x B + 3x",
        ". 5x = 20",
        "{{{x+1}}}/2 = 5",
        "2{{{x+1}}} = 5",
        "10¢x + 25¢y = $4.50",
        "{{{cross(3)x = 12}}}",
        "x:y = 2:3",
        "20 min + x = 1 hour",
        "x + 2L = 500ml",
        "1/2% of x = 5",
    ],
)
def test_what_may_be_half_of_an_equation_is_not_read(text: str) -> None:
    assert [s.equation for s in statements_of(text) if s.linear] == []


def test_the_judge_tells_a_wrong_set_and_a_simplified_one_from_the_right_one() -> None:
    assert same_form([".10x + .30(10-x) = .25(10)"], ["0.3*(10 - n) + 0.1*n = 10*.25"])
    assert not same_form([".10x + .30(10-x) = .25(10)"], ["10x + .30(10-x) = .25(10)"])
    assert not same_form([".10x + .30(10-x) = .25(10)"], [".10x + .30(10-x) = 2.5"])


def test_a_decimal_that_begins_with_a_dot_keeps_it() -> None:
    (statement,) = statements_of(".10x + .30y = .25")
    assert statement.equation == ".10*x + .30*y = .25"
    (statement,) = statements_of("The equation is .10x = 5.")
    assert statement.equation == ".10*x = 5"


@pytest.mark.parametrize("text", ["y = .25(10)", "y = .25(1)", "y = .25 (1)", "y = .25*(2)", "y=3(2)"])
def test_a_factor_in_brackets_is_no_label(text: str) -> None:
    values = {"y = .25(10)": 2.5, "y = .25(1)": 0.25, "y = .25 (1)": 0.25, "y = .25*(2)": 0.5, "y=3(2)": 6}
    readings = {float(-s.linear.constant / s.linear.coefficients["y"]) for s in statements_of(text) if s.linear}
    assert values[text] in readings
    clean = {
        float(-s.linear.constant / s.linear.coefficients["y"]) for s in statements_of(text) if s.linear and not s.doubt
    }
    assert clean <= {values[text]}


def test_factors_that_count_like_labels_do_not_pass_for_labels() -> None:
    question = "9 pounds at $.50 and $.20 cost 1.5 times 2 dollars. How many pounds of each?"
    start = "x + y = 9 (1)\n.50x + .20y = 1.5 (2)"
    assert extract_equations(question, [start]).reason is Refusal.DOUBTFUL
    product = extract_equations(question, [f"{start}\nx = 4\ny = 5"])
    assert product.equations == () or product.solution == {"x": 4, "y": 5}
    label = extract_equations(question.replace(" times 2", ""), [f"{start}\nx = -1\ny = 10"])
    assert label.equations == ("x + y = 9", ".50*x + .20*y = 1.5")


@pytest.mark.parametrize("text", ["(2) x = 10", "x = 10 (2)"])
def test_a_bracket_that_may_be_a_label_gives_no_certain_reading(text: str) -> None:
    assert all(s.doubt for s in statements_of(text))


def test_a_chain_is_split() -> None:
    kinds = [(s.kind, s.equation) for s in statements_of("y = 90/5 = 18")]
    assert kinds == [(Kind.COMPUTED, "y = 90/5"), (Kind.VALUE, "y = 18")]


def test_definitions_checks_and_words_are_told_apart() -> None:
    text = "Let x = amt at 8%\nx = # of dimes\ndistance = rate * time\n.25 + 2.25 = 2.5\nd = r*t*x\nx > 3\nx^2 = 9"
    assert [s.kind for s in statements_of(text)] == [
        Kind.DEFINITION, Kind.DEFINITION, Kind.WORDS, Kind.CHECK, Kind.FORMULA, Kind.INEQUALITY, Kind.NOT_LINEAR,
    ]  # fmt: skip


def test_an_explanation_of_another_problem_does_not_win() -> None:
    question = "Two numbers together make 53 and their difference is 11. Find them."
    other = "x + y = 20\n.05x + .10y = 1.45\nx = 11\ny = 9"
    own = "x + y = 53\nx - y = 11\n2x = 64\nx = 32, y = 21"
    found = extract_equations(question, [other, own])
    assert (found.equations, found.explanation) == (("x + y = 53", "x - y = 11"), 1)
    assert extract_equations(question, [other]).reason is Refusal.NUMBERS
    assert extract_equations(question, [""]).reason is Refusal.NO_EXPLANATION


def test_a_literal_that_the_question_lacks_is_named() -> None:
    question = "How much 10% acid must be mixed with 30% acid to get 10 liters of 25% acid?"
    found = extract_equations(question, ["x + y = 10\n.10x + .30y = 2.5\nx = 2.5\ny = 7.5"])
    assert found.equations == ("x + y = 10", ".10*x + .30*y = 2.5")
    assert found.missing == (Fraction(5, 2),)


def test_what_was_not_chosen_is_kept_with_its_kind() -> None:
    found = extract_equations("3 more than 2 times a number is 15. Find it.", ["2x + 3 = 15\n2x = 12\nx = 6"])
    assert [(s.kind, s.equation) for s in found.others] == [(Kind.EQUATION, "2*x = 12"), (Kind.VALUE, "x = 6")]
    assert found.solution == {"x": 6}
    assert found.confirmed == 2


def test_a_doubtful_reading_needs_confirmation() -> None:
    question = "Twice a number plus 5 times another is 30. The numbers add up to 9. Find them."
    doubtful = "x + y = 9\nJim 2x + 5y = 30"
    assert extract_equations(question, [doubtful]).reason is Refusal.DOUBTFUL
    assert extract_equations(question, [f"{doubtful}\nx = 5\ny = 4"]).equations == ("x + y = 9", "2*x + 5*y = 30")
