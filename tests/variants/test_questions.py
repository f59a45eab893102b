"""Variants that ask another question: their texts, their gold, and the proof that they are right."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from variants.problems import problem_of, solved_by_sympy

from draw_dataset import Problem, grade, make_variants
from draw_dataset.checks.findings import check_problem
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.problem import asked_values
from draw_dataset.errors import RowError
from draw_dataset.text.numbers import find_numbers
from draw_dataset.variants.fields import CannotVary
from draw_dataset.variants.making import Row, Variant
from draw_dataset.variants.questions import CANNOT_BE_DECIDED, KINDS

SAMPLE = [problem for problems in load_sample().values() for problem in problems]
WITH_GOLD = [kind for kind in KINDS if kind != "missing"]


def texts(kind: str, problem: Problem, count: int = 8) -> list[str]:
    """Return the texts of all variants that some seeds give."""
    found = [row["question"] for seed in range(count) for row in make_variants([problem], 4, seed, kinds=[kind])]
    return sorted(set(found))


def rows_of(kind: str, problem: Problem) -> list[Row]:
    return list(make_variants([problem], 8, 0, kinds=[kind]))


def why(kind: str, problem: Problem) -> str:
    made = make_variants([problem], kinds=[kind])
    assert not made.rows
    return made.refused[problem.id]


@pytest.mark.parametrize("kind", WITH_GOLD)
def test_gold_is_solved_by_sympy_and_graded_right_and_nothing_is_found_wrong(kind: str) -> None:
    rows = make_variants(SAMPLE, 2, 0, kinds=[kind])
    assert len(rows) > {"reversed": 80, "added": 100, "units": 15}[kind]
    findings = {problem.id: {one.code for one in check_problem(problem)} for problem in SAMPLE}
    for row in rows:
        variant = Variant.of(row)
        problem = variant.problem
        assert variant.has_own_gold
        assert variant.trap is None
        assert solved_by_sympy(problem) == problem.derivation.solve().values
        verdict = grade(row["derivation"], row)
        assert verdict.derivation
        assert verdict.solution
        assert not {one.code for one in check_problem(problem)} - findings[row["source_id"]]
        assert asked_values(problem)
        assert {name for name, _ in problem.roles} <= set(problem.derivation.template.unknowns)


@pytest.mark.parametrize("kind", KINDS)
def test_the_numbers_are_those_that_the_rules_find(kind: str) -> None:
    for row in make_variants(SAMPLE, 2, 1, kinds=[kind]):
        found = find_numbers(row["question"], rule="release")
        assert [(n["sentence"], n["token"], n["value"]) for n in row["numbers"]] == [
            (n.sentence, n.token, float(n.value)) for n in found
        ]


@pytest.mark.parametrize("kind", KINDS)
def test_changes_are_replacements_in_the_original_text(kind: str) -> None:
    sources = {problem.id: problem for problem in SAMPLE}
    for row in make_variants(SAMPLE, 1, 2, kinds=[kind]):
        text, last = "", 0
        original = sources[row["source_id"]].question
        for change in row["variant"]["changes"]:
            assert original.startswith(change["before"], change["start"])
            text += original[last : change["start"]] + change["after"]
            last = change["start"] + len(change["before"])
        assert text + original[last:] == row["question"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_bytes(kind: str) -> None:
    written = [json.dumps(list(make_variants(SAMPLE[:40], 2, 3, kinds=[kind]))) for _ in range(2)]
    assert written[0] == written[1]
    assert written[0] != json.dumps(list(make_variants(SAMPLE[:40], 2, 4, kinds=[kind]))) or kind == "units"


def test_the_original_of_a_gold_of_its_own_is_not_guessed() -> None:
    (row,) = make_variants([KITES], 1, 0, kinds=["reversed"])
    with pytest.raises(RowError, match="changes can be undone, but got reversed"):
        Variant.of(row).original()


KITES = problem_of(
    "Lena sold 24 red kites and 18 blue kites . How many kites did she sell ?",
    "m = a + b", 1, 2, solutions=(42.0,), asked=("m",), roles={"m": "kites"},
)  # fmt: skip
TWO = problem_of(
    "The sum of two numbers is 90 . The larger number is 12 more than the smaller number . What are the numbers ?",
    "m + n = a; m - n = b", 2, 3, solutions=(51.0, 39.0), asked=("m", "n"),
    roles={"m": "the larger number", "n": "the smaller number"},
)  # fmt: skip
PASTE = problem_of(
    "A 30 % paste and a 10 % paste are mixed to make 40 grams of a 15 % paste . How many grams of each are there ?",
    "a*m + b*n = c*d; m + n = d", 1, 2, 4, 3, solutions=(10.0, 30.0), asked=("m", "n"),
    roles={"m": "grams of 30% paste", "n": "grams of 10% paste"},
)  # fmt: skip


# Reversed


def test_a_given_number_becomes_the_question() -> None:
    for row in rows_of("reversed", KITES):
        problem = Problem.from_row(row)
        gone = {"24", "18"} - {number["text"] for number in row["numbers"]}
        assert asked_values(problem) == (Fraction(gone.pop()),)
        assert " x " in problem.question
        assert "42" in [number["text"] for number in row["numbers"]]
    questions = texts("reversed", KITES)
    assert any(text.startswith("Lena sold x red kites and 18 blue kites . How many") for text in questions)
    assert any(text.endswith("If the answer to this question is 42 , what is x ?") for text in questions)


def test_of_two_things_that_are_asked_for_one_is_given() -> None:
    start = "The sum of two numbers is 90 . The larger number is x more than the smaller number ."
    assert f"{start} The larger number is 51 . What is x ?" in texts("reversed", TWO)
    for row in rows_of("reversed", TWO):
        assert not any("What are the numbers" in text for text in [row["question"]])


def test_a_number_in_a_role_is_the_number_of_the_text() -> None:
    rows = [row for row in rows_of("reversed", PASTE) if "30 % paste is 10" in row["question"]]
    assert rows
    for row in rows:
        assert row["question"].endswith("The number of grams of the 30 % paste is 10 . What is x ?")
        (group,) = row["equiv_tnum"]
        assert [member["value"] for member in group] == [30.0, 30.0]


def test_an_article_before_a_letter_follows_its_sound() -> None:
    assert any("a 10 % paste" in text and text.startswith("An x % paste") is False for text in texts("reversed", PASTE))
    assert any("and an x % paste" in text or "of an x % paste" in text for text in texts("reversed", PASTE))


def test_another_letter_is_taken_if_the_text_has_x() -> None:
    text = "Spot x has 24 red kites and 18 blue kites . How many kites does it have ?"
    problem = problem_of(text, "m = a + b", 1, 2, solutions=(42.0,), asked=("m",))
    assert all(" y " in one for one in texts("reversed", problem))


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (problem_of("Two pens cost a nickel . How many are that ?", "m = a", 1, asked=("m",)), "a letter"),
        (replace(KITES, asked=()), "not decided"),
        (replace(KITES, alternatives=("m = q2 - q1",)), "several derivations"),
        (replace(TWO, roles=()), "none of them can be stated"),
    ],
)
def test_texts_that_cannot_be_reversed_are_refused_with_the_reason(problem: Problem, reason: str) -> None:
    assert reason in why("reversed", problem)


# Missing


def missing(text: str, template: str, *ranks: int, asked: tuple[str, ...] = ("m",)) -> list[str]:
    return texts("missing", problem_of(text, template, *ranks, asked=asked))


def test_a_number_is_left_out_of_a_comparison() -> None:
    found = texts("missing", TWO)
    assert "The sum of two numbers is 90 . What are the numbers ?" in found
    assert any("The larger number is more than the smaller number ." in text for text in found)


def test_a_count_becomes_some_and_a_measure_several() -> None:
    found = missing("Lena sold 24 red kites and 18 blue kites . How many did she sell ?", "m = a + b", 1, 2)
    assert found == ["Lena sold some red kites and 18 blue kites . How many did she sell ?"]
    found = missing("A train drives 60 miles per hour . How far does it get if it drove for 3 hours ?", "m = a*b", 1, 2)
    assert found == []
    found = missing("A train drove for 3 hours at 60 miles per hour . How far did it get ?", "m = a*b", 1, 2)
    assert found == ["A train drove for several hours at 60 miles per hour . How far did it get ?"]


def test_a_discount_is_not_left_out_because_the_rest_is_a_problem_of_its_own() -> None:
    text = "Lena buys 6 pens at 3 dollars each . A coupon saves 4 dollars . How much does she pay ?"
    found = missing(text, "m = a*b - c", 1, 2, 3)
    assert not any("coupon" not in one for one in found)


def test_a_price_is_left_out_because_nothing_can_be_paid_without_it() -> None:
    text = "Lena buys 6 pens . A pen costs 3 dollars . How much does Lena pay ?"
    assert "Lena buys 6 pens . How much does Lena pay ?" in missing(text, "m = a*b", 1, 2)


def test_nothing_is_left_out_that_another_number_may_tell() -> None:
    problem = problem_of(
        "Lena sold 24 red kites and 18 blue kites , and 42 were sold . How many did she sell ?",
        "m = a + b", 1, 2, asked=("m",),
    )  # fmt: skip
    assert why("missing", problem) == "its text has numbers that gold does not use"


def test_a_row_without_gold_says_so_and_is_left_out_by_its_status() -> None:
    rows = make_variants(SAMPLE, 1, 0, kinds=["missing"])
    assert len(rows) > 25
    for row in rows:
        problem = Variant.of(row).problem
        assert problem.is_refused
        assert problem.reason.startswith(CANNOT_BE_DECIDED)
        assert row["derivation"] == ""
        assert row["solutions"] == row["template"] == row["alignment"] == row["asked"] == []
        assert row["variant"]["difficulty"]["steps"] > 0
        with pytest.raises(RowError, match="cannot be decided"):
            _ = problem.derivation


# Added


def test_one_more_operation_is_asked_for() -> None:
    for row in rows_of("added", KITES):
        problem = Problem.from_row(row)
        assert problem.question.startswith(KITES.question)
        operand = problem.numbers[-1].value or Fraction(0)
        answer = asked_values(problem)[0]
        assert answer in {42 + operand, 42 - operand, 42 * operand, 42 / operand}
        assert row["derivation"].startswith("m = q1 + q2; n = m")


def test_two_answers_are_combined() -> None:
    answers = {asked_values(Problem.from_row(row)) for row in rows_of("added", TWO)}
    assert answers
    assert not any(answer == (Fraction(90),) for answer in answers)  # the text states their sum
    assert not any(answer == (Fraction(12),) for answer in answers)  # and their difference


def test_answers_of_different_kinds_are_not_combined() -> None:
    problem = replace(TWO, roles=(("m", "price of a pen"), ("n", "number of pens")))
    assert why("added", problem) == "its two answers are of different kinds"


def test_nothing_is_added_to_a_time_whose_unit_is_open() -> None:
    text = "Lena paints a wall in 3 hours and a door in 2 hours . How long does she paint ?"
    found = texts("added", problem_of(text, "m = a + b", 1, 2, asked=("m",)))
    assert found
    assert not any("add" in one or "more" in one or "subtract" in one.lower() or "less" in one for one in found)


# Units


def test_a_number_takes_another_unit_and_the_answer_stays() -> None:
    text = "A boat goes 24 miles in 3 hours . How many miles does it go in 5 hours ?"
    rows = rows_of("units", problem_of(text, "m = a/b*c", 1, 2, 3, solutions=(40.0,), asked=("m",)))
    assert rows
    for row in rows:
        assert asked_values(Problem.from_row(row)) == (Fraction(40),)
        assert "minutes" in row["question"]
        assert "1/60*q" in row["derivation"]


def test_the_unit_of_the_answer_is_named_if_the_question_does_not() -> None:
    text = "Lena can paint a wall in 4 hours and Omar in 6 hours . How long do they need together ?"
    found = texts("units", problem_of(text, "1/a*m + 1/b*m = 1", 1, 2, solutions=(2.4,), asked=("m",)))
    assert found
    assert all(one.endswith("? Give the answer in hours .") for one in found)


@pytest.mark.parametrize(
    "text",
    [
        "Lena works 3 days at 5 hours a day . How many hours does she work ?",
        "Lena earns 3 dollars per hour and works 5 shifts . How much does she earn ?",
        "Lena has 3 dollar bills and 5 kites . How many things does she have ?",
    ],
)
def test_rates_working_days_and_notes_keep_their_unit(text: str) -> None:
    assert why("units", problem_of(text, "m = a*b", 1, 2, asked=("m",))) == (
        "no number has a unit that could be another one"
    )


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("reversed", "no number can be replaced by a letter"),
        ("missing", "does not change with any one number"),
        ("added", "its answer is negative"),
        ("units", "no number has a unit"),
    ],
)
def test_a_maker_says_why_it_refuses(kind: str, reason: str) -> None:
    problem = problem_of("There are a few kites . How many are there ?", "m = -4", asked=("m",))
    with pytest.raises(CannotVary, match=reason):
        list(KINDS[kind](problem, Random(0)))
