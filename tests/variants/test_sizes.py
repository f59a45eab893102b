"""Variants with more digits, or with decimals: which numbers, and how they are written."""

from __future__ import annotations

from fractions import Fraction

import pytest
from variants.problems import problem_of

from draw_dataset import Problem, make_variants
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.problem import asked_values
from draw_dataset.variants.fields import analyse
from draw_dataset.variants.making import Row, Variant, difficulty_of
from draw_dataset.variants.sizes import enlarged, with_decimals

SAMPLE = [problem for problems in load_sample().values() for problem in problems]


def rows_of(kind: str, text: str, template: str, *ranks: int) -> list[Row]:
    return list(make_variants([problem_of(text, template, *ranks, asked=("m",))], 6, 0, kinds=[kind]))


@pytest.mark.parametrize("kind", ["digits", "decimals"])
def test_undoing_the_changes_gives_the_original(kind: str) -> None:
    sources = {problem.id: problem for problem in SAMPLE}
    rows = make_variants(SAMPLE, 2, 0, kinds=[kind])
    assert len(rows) > 20
    for row in rows:
        variant = Variant.of(row)
        assert not variant.has_own_gold
        assert variant.trap is None
        assert variant.original().question == sources[row["source_id"]].question
        assert row["derivation"] == sources[row["source_id"]].derivation.q_notation()


def test_numbers_grow_together_so_that_each_equation_still_holds() -> None:
    text = "The sum of two numbers is 90 . One number is 4 times the other . What are the numbers ?"
    variable = analyse(problem_of(text, "m + n = a; m = b*n", 2, 3, solutions=(72.0, 18.0)))
    values = {tuple(map(int, one.values)) for one in enlarged(variable)}
    assert values == {(900, 4), (9000, 4), (90000, 4)}
    assert {tuple(map(int, one.solution)) for one in enlarged(variable)} == {(720, 180), (7200, 1800), (72000, 18000)}


def test_larger_numbers_have_more_digits_and_a_comma_from_ten_thousand() -> None:
    text = "The sum of two numbers is 90 . Their difference is 12 . What is the larger number ?"
    rows = rows_of("digits", text, "m + n = a; m - n = b", 2, 3)
    assert len(rows) == 6
    for row in rows:
        total = row["numbers"][1]
        assert total["value"] > 99
        assert ("," in total["text"]) == (total["value"] >= 10000)
        assert row["variant"]["difficulty"]["digits"] == max(len(str(int(n["value"]))) for n in row["numbers"])


@pytest.mark.parametrize(
    ("text", "template", "reason"),
    [
        ("Lena is 12 years old , and Omar is 3 years older . How old is Omar ?", "m = a + b", "older than that"),
        ("Lena has 12 cats and 3 dogs . How many pets does she have ?", "m = a + b", "more digits"),
        ("Lena drives 60 miles per hour for 3 hours . How far does she get ?", "m = a*b", "more digits"),
        ("Of 60 tickets 20 % are sold . How many tickets are sold ?", "m = a*b/100", ""),
    ],
)
def test_some_things_never_become_larger(text: str, template: str, reason: str) -> None:
    made = make_variants([problem_of(text, template, 1, 2, asked=("m",))], kinds=["digits"])
    if reason:
        assert reason in made.refused[1]
    else:
        assert all(row["numbers"][0]["value"] > 99 and row["numbers"][1]["value"] < 100 for row in made)
        assert made.rows


def test_money_has_two_decimals_and_counts_stay_whole() -> None:
    text = "Lena buys 6 pens for $ 7 each and pays with $ 60 . How much money does she get back ?"
    rows = rows_of("decimals", text, "m = c - a*b", 1, 2, 3)
    assert len(rows) == 6
    for row in rows:
        pens, price, paid = row["numbers"]
        assert pens["value"] == int(pens["value"])
        parts = [number["text"] for number in (price, paid) if number["value"] % 1]
        assert parts
        assert all(len(text.partition(".")[2]) == 2 for text in parts)
        (answer,) = asked_values(Problem.from_row(row))
        assert (100 * answer).denominator == 1


def test_hours_have_halves_and_a_counted_answer_stays_whole() -> None:
    text = "A press prints 8 books in an hour . How many books does it print in 6 hours ?"
    for row in rows_of("decimals", text, "m = a*b", 1, 2):
        assert all(answer.denominator == 1 for answer in asked_values(Problem.from_row(row)))
        assert (row["numbers"][1]["value"] * 2) % 1 == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Lena is 12 years old , and Omar is 3 years older . How old is Omar ?", "ages are whole numbers"),
        ("Lena has 12 cats and 3 dogs . How many pets does she have ?", "nothing is measured in whole numbers"),
    ],
)
def test_some_things_have_no_decimals(text: str, reason: str) -> None:
    made = make_variants([problem_of(text, "m = a + b", 1, 2, asked=("m",))], kinds=["decimals"])
    assert made.refused[1] == reason


def test_only_what_is_measured_gets_decimals() -> None:
    text = "Lena buys 6 pens for $ 7 each . How much money does she pay ?"
    made = with_decimals(analyse(problem_of(text, "m = a*b", 1, 2, solutions=(42.0,))))
    assert [mention.style.step for field in made.fields for mention in field.mentions] == [1, Fraction(1, 20)]
    assert made.places == (2,)


def test_difficulty_counts_the_operations_of_gold_and_the_digits_of_the_longest_number() -> None:
    problem = problem_of("Lena has 120 pens , 7 pins and 31 caps . How many are that ?", "m = a + b*c - 1", 1, 2, 3)
    assert difficulty_of(problem, problem) == {"steps": 3, "digits": 3}
    negative = problem_of("The sum is -12 and a part is 7 . What is the other ?", "m = -1*a - b", 1, 2)
    assert difficulty_of(negative, negative) == {"steps": 2, "digits": 2}


def test_every_row_has_its_difficulty() -> None:
    kinds = ["numbers", "digits", "decimals", "traps", "twins", "reversed", "missing", "added", "units"]
    rows = make_variants(SAMPLE[:20], 1, 0, kinds=kinds)
    assert {row["variant"]["kind"] for row in rows} >= {"numbers", "trap", "equal", "twin", "reversed", "added"}
    for row in rows:
        assert set(row["variant"]["difficulty"]) == {"steps", "digits"}
        assert Problem.from_row(row).numbers
