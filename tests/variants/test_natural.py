"""Which numbers never change, and which values are natural: the pitfalls, case by case."""

from __future__ import annotations

from fractions import Fraction

import pytest
from variants.problems import problem_of

from draw_dataset import derive
from draw_dataset.variants.fields import Field, VariableProblem, analyse
from draw_dataset.variants.making import make_variants
from draw_dataset.variants.writing import style_of


def field_of(text: str, rank: int) -> Field:
    """Return the field of one number of a text that it fills a slot from."""
    return analyse(problem_of(text, "m = a", rank), must_move=False).fields[0]


@pytest.mark.parametrize(
    ("text", "rank", "why"),
    [
        ("Two numbers add up to 30 .", 1, "a counting word"),
        ("The sum of three consecutive odd integers is 51 .", 1, "a counting word"),
        ("The sum of three consecutive odd integers is 51 .", 2, "odd or even"),
        ("Subtract it from the other three .", 1, "a counting word"),
        ("A jar holds nickels worth 5 dollars .", 1, "a coin"),
        ("In 1998 the club had 40 members .", 1, "a year"),
        ("The train leaves at 3 p.m. and drives 80 miles .", 1, "a clock time"),
        ("How much pure ( 100 % ) juice is in it ?", 1, "a whole"),
        ("The angle and another make 180 degrees .", 1, "a right or straight angle"),
        ("Each of the ants has 6 legs .", 1, "what creatures and things have"),
        ("There are 60 minutes in an hour .", 1, "the size of a unit"),
        ("What is that in a 30 day month ?", 1, "the size of a unit"),
        ("What is that in a 7-day week ?", 1, "the size of a unit"),
        ("It takes 1 hour to walk there .", 1, "a singular"),
        ("Sterling silver is 7.5 % copper .", 1, "the share in a known alloy"),
        ("It is 0.6666667 of a mile .", 1, "cannot be written otherwise"),
    ],
)
def test_some_numbers_never_change(text: str, rank: int, why: str) -> None:
    assert field_of(text, rank).bounds.fixed == why


@pytest.mark.parametrize(
    ("text", "rank", "fine", "odd"),
    [
        ("A 20 % solution is mixed .", 1, 99, 120),
        ("It took 25 minutes .", 1, 59, 75),
        ("He has 20 dollar bills and coins .", 1, 50, 75),
        ("It costs 45 cents , and that is 2 dollars .", 1, 80, 140),
        ("His father is 40 years old .", 1, 60, 100),
        ("Take 0.75 of the line .", 1, Fraction(2, 5), Fraction(9, 5)),
        ("The board is 3 feet and 7 inches long .", 2, 11, 14),
        ("The angle has 35 degrees .", 1, 80, 95),
        ("Buy 5 pens .", 1, 9, 1),
        ("Add three more .", 1, 8, 25),
    ],
)
def test_some_values_are_natural_and_others_are_not(text: str, rank: int, fine: float, odd: float) -> None:
    field = field_of(text, rank)
    assert field.moves
    assert field.allows(Fraction(fine))
    assert not field.allows(Fraction(odd))


@pytest.mark.parametrize(
    ("kind", "text", "value", "other", "written"),
    [
        ("digits", "25 ,000", 25000, 31000, "31 ,000"),
        ("digits", ".70", Fraction(7, 10), Fraction(17, 20), ".85"),
        ("digits", "1,458", 1458, 2010, "2,010"),
        ("digits", "985.00", 985, 1200, None),
        ("digits", "-15", -15, -21, "-21"),
        ("digits", "-15", -15, 21, None),
        ("word", "Three", 3, 7, "Seven"),
        ("word", "three", 3, 30, None),
        ("word", "forty two", 42, 57, "fifty seven"),
        ("word", "one hundred sixty-two", 162, 245, "two hundred forty-five"),
        ("multiplier", "TWICE", 2, 3, "THREE TIMES"),
        ("multiplier", "doubled", 2, 3, "tripled"),
        ("multiplier", "thrice", 3, 2, "twice"),
        ("fraction", "one-third", Fraction(1, 3), Fraction(1, 5), "one-fifth"),
        ("fraction", "Two-fifths", Fraction(2, 5), Fraction(3, 4), "Three-fourths"),
        ("fraction", "2 1/2", Fraction(5, 2), Fraction(7, 2), "3 1/2"),
        ("fraction", "3/4", Fraction(3, 4), Fraction(2, 5), "2/5"),
        ("scale", "2.5 million", 2500000, 3700000, "3.7 million"),
    ],
)
def test_a_value_is_written_as_the_original_is(
    kind: str, text: str, value: Fraction, other: Fraction, written: str | None
) -> None:
    style = style_of(kind, text, Fraction(value))  # type: ignore[arg-type]
    assert style is not None
    assert style.write(Fraction(other)) == written


def variable(text: str, template: str, *ranks: int) -> VariableProblem:
    return analyse(problem_of(text, template, *ranks))


def test_the_same_miles_are_one_number_although_nobody_says_so() -> None:
    text = "A boat goes 16 miles in 2 hours . It goes back the same 16 miles in 4 hours ."
    found = variable(text, "a*m + a*n = b; c*m - c*n = d", 2, 1, 4, 3)
    assert found.field_of == (0, 1, 2, 1)


def test_ratios_stay_in_lowest_terms_and_prices_in_order() -> None:
    text = "Share 40 dollars and 90 dollars in the ratio 3 to 2 ."
    found = variable(text, "a*m = b*n; m + n = c + d", 3, 4, 1, 2)
    assert found.ratios == ((0, 1),)
    assert found.orders == ((2, 3),)


def test_an_article_follows_the_sound_of_its_number() -> None:
    text = "Mix a 20 % juice and a 50 % juice to get 30 liters of a 40 % juice . How much of each is that ?"
    problem = problem_of(text, "m + n = a; b*m + c*n = d*a", 3, 1, 2, 4, solutions=(10.0, 20.0))
    texts = [row["question"] for row in make_variants([problem], 60, 3)]
    assert any(" an 8" in text for text in texts)
    assert not any(" a 8" in text or " an 7" in text or " an 2" in text for text in texts)


def test_digits_stay_digits_and_capitals_stay_capitals() -> None:
    text = "Twice the tens digit and the ones digit of a number are 13 . Five more than the first is the second ."
    problem = problem_of(text, "a*m + n = b; m + c = n", 1, 2, 3, solutions=(8 / 3, 23 / 3))
    for row in make_variants([problem], 20, 0):
        assert all(0 <= value <= 9 for value in row["solutions"])
        assert row["question"][0].isupper()


def test_wrong_gold_is_refused_with_its_finding() -> None:
    problem = problem_of("Ann has 5 pens and 9 pins .", "m = a + b", 1, 2, solutions=(14.0,))
    row = problem.to_row() | {"findings": ["reviewed-wrong"]}
    refused = make_variants([row]).refused
    assert list(refused) == [1]
    assert "reviewed-wrong" in refused[1]
    assert len(make_variants([problem])) == 3


def test_a_variant_is_no_source_of_variants() -> None:
    first = make_variants([problem_of("Ann has 5 pens and 9 pins .", "m = a + b", 1, 2, solutions=(14.0,))], 1)
    assert list(make_variants(list(first)).refused.values()) == ["it is a variant itself"]


def test_readings_that_the_text_allows_agree_with_gold_on_every_variant() -> None:
    problem = problem_of("Ann has 5 pens . Bob has 5 pins and 9 caps .", "m = a + b", 1, 3, solutions=(14.0,))
    row = problem.to_row() | {"alternatives": ["m = q2 + q3"], "status": "ambiguous"}
    made = make_variants([row], 5)
    for variant in made:
        values = [number["value"] for number in variant["numbers"]]
        assert values[0] == values[1]
    assert made or list(made.refused) == [1]


def test_a_percentage_that_is_asked_for_stays_below_the_whole() -> None:
    text = "It loses 9 % an hour for 5 hours and ends at 28 % . What was its charge ?"
    added = analyse(problem_of(text, "m = a*b + c", 1, 2, 3, solutions=(73.0,)))
    assert added.unknowns.most == 100
    asked = problem_of("There are 8 red pens and 12 blue ones . What percentage is red ?", "m = 100*a/(a + b)", 1, 2)
    assert analyse(asked).unknowns.most == 100
    counted = problem_of("Of 60 pens 20 % are red . How many are red ?", "m = a*b/100", 1, 2)
    assert analyse(counted).unknowns.most > 100


def test_what_a_solution_has_counted_stays() -> None:
    question = (
        "Jan sees two cats with 17 spots each, a cat with 36 spots, and one with half that many. What is the mean?"
    )
    solution = (
        "2*17=<<2*17=34>>34\n36/2=<<36/2=18>>18\n34+36+18=<<34+36+18=88>>88\n"
        "There are 4 cats, so 88/4=<<88/4=22>>22\n#### 22"
    )
    (row,) = derive([{"question": question, "answer": solution}], preset="gsm8k")
    assert row["constants"] == ["4: of the solution"]
    variants = make_variants([row], count=5)
    assert len(variants) == 5
    assert all(variant["question"].startswith("Jan sees two cats") for variant in variants)


@pytest.mark.parametrize(
    "question",
    ["A train leaves at 5:30 and rides 3 hours at 60 miles an hour. How far?", "Al rides 3 hours at 60 mph. How far?"],
)
def test_derived_rows_keep_their_own_numbers(question: str) -> None:
    (row,) = derive([{"question": question, "way": "3*60"}], equations="way")
    for variant in make_variants([row], count=2, kinds=["numbers", "traps", "twins"]):
        assert len(variant["numbers"]) == len(row["numbers"]) + (variant["variant"]["kind"] != "numbers")
        assert " ." not in variant["question"]
    assert make_variants([row], count=2).refused == {}


def test_minutes_stay_below_an_hour_where_a_text_has_no_blanks_before_marks() -> None:
    (row,) = derive(
        [{"question": "It lasts 2 hours and 45 minutes. How long is it?", "way": "2*60+45"}], equations="way"
    )
    variants = make_variants([row], count=20)
    assert len(variants) == 20
    assert all(variant["numbers"][1]["value"] < 60 for variant in variants)


def test_people_stay_as_tall_as_people_are() -> None:
    assert field_of("The boy is 4 feet tall .", 1).bounds.most == 7
    assert field_of("The boy is 50 inches tall .", 1).bounds.most == 84
    assert field_of("The tower is 40 feet tall .", 1).bounds.most > 84
