"""Numbers of a variant fit its text: ages, times, digits, parts, speeds, and numbers that are said again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from variants.problems import problem_of

from draw_dataset import Problem, make_variants
from draw_dataset.variants.consistency import NOT_WHOLE, SAME_ANSWER, SIGN, Consistency
from draw_dataset.variants.fields import CannotVary, analyse

AGES, GENERATIONS, TIMES, DIGIT = "an age below nothing", "generations out of order", "times out of order", "no digit"
COUNT, PART = "a part of a count that is not whole", "a part above its whole"
SPEED, SPEEDS, FAR = "an unlikely speed", "speeds out of order", "a number far from the original's"


def refusal(problem: Problem, values: Sequence[float], solution: Sequence[float]) -> str:
    """Return the rule that refuses values of the fields and of the unknowns; empty if none does."""
    consistency = Consistency(analyse(problem))
    fits = consistency.accepts(*([Fraction(str(value)) for value in each] for each in (values, solution)))
    assert fits == (not consistency.refused)
    return next(iter(consistency.refused), "")


def row(text: str, template: str, ranks: Sequence[int], roles: Sequence[str], asked: Sequence[str] = ()) -> Problem:
    made = problem_of(text, template, *ranks)
    names = made.derivation.template.unknowns
    return replace(made, roles=tuple(zip(names, roles, strict=True)), asked=tuple(asked))


MOTHER = row(
    "Nina 's mother is 6 years more than 3 times as old as Nina . 4 years ago their ages added up to 42 .",
    "m = a + b*n; m + n = c + d + d", (1, 2, 4, 3), ("age of Nina 's mother", "age of Nina"),
)  # fmt: skip
KIN = row(
    "Olga is 50 years old and her daughter is 20 . How many years ago was Olga 4 times as old as her daughter ?",
    "a - m = c*b - c*m", (1, 3, 2), ("years ago",),
)  # fmt: skip
BORN = row("Pam was 25 when her son was born . Now they are 65 together .", "m + a + m = b", (1, 2), ("age of son",))
OLDER = row(
    "Rob is 30 years older than his son . The sum of their ages is 44 .", "m = n + a; m + n = b", (1, 2),
    ("age of Rob", "age of son"),
)  # fmt: skip
DELAY = row(
    "Al left home at 50 mph . Bo left 2 hours later at 60 mph . 7 hours after Al left they were apart by d miles .",
    "m = a*d + b*d - b*c", (1, 3, 2, 4), ("miles between them",),
)  # fmt: skip
NUMBER = row(
    "The sum of the digits of a two-digit number is 11 . Its tens digit is 5 more than its units digit .",
    "m + n = a; m = n + b", (1, 2), ("tens digit", "units digit"),
)  # fmt: skip
PUPILS = row(
    "A school has boys and girls , 90 together . 40 % of the girls and 60 boys walk , 76 in all .",
    "m + n = a; 0.01*b*m + c = d", (1, 2, 3, 4), ("number of girls", "number of boys"),
)  # fmt: skip
WALK = row("Cy walks to school at 4 mph and back at 3 mph . It takes 7 hours .", "m/a + m/b = c", (1, 2, 3), ("miles",))
TRIP = row(
    "Lou averaged 60 mph for an hour and 50 mph for 2 hours . How far was it ?", "m = a + b*c", (1, 2, 3), ("miles",)
)
MIXTURE = row(
    "Mix 10 liters of a 20 % acid and 30 liters of a 60 % acid . What percent acid is it ?",
    "a*b + c*d = m*(a + c)", (1, 2, 3, 4), ("percentage of acid",),
)  # fmt: skip
REST = row(
    "Of the money 30 % is for rent , 45 % for food , and the rest is 50 dollars .",
    "m = 0.01*a*m + 0.01*b*m + c", (1, 2, 3), ("dollars",),
)  # fmt: skip
PENS = row("Dee pays 2 dollars for 3 pens . What do 9 pens cost ?", "m = a*c/b", (1, 2, 3), ("cost of 9 pens",))


@pytest.mark.parametrize(
    ("problem", "values", "solution", "rule"),
    [
        (MOTHER, (8, 3, 40, 4), (38, 10), ""),
        (MOTHER, (1, 2, 3, 4), (15, 7), GENERATIONS),
        (MOTHER, (8, 9, 90, 4), (89, 9), GENERATIONS),
        (MOTHER, (8, 3, 40, 12), (38, 10), AGES),
        (KIN, (44, 20, 3), (8,), ""),
        (KIN, (40, 30, 3), (5,), GENERATIONS),
        (KIN, (20, 50, 3), (5,), GENERATIONS),
        (KIN, (45, 20, 3), (21,), AGES),
        (BORN, (20, 50), (15,), ""),
        (BORN, (9, 50), (15,), GENERATIONS),
        (OLDER, (9, 50), (29, 20), GENERATIONS),
        (DELAY, (50, 8, 60, 3), (700,), ""),
        (DELAY, (50, 5, 60, 6), (240,), TIMES),
        (NUMBER, (12, 4), (8, 4), ""),
        (NUMBER, (13, 9), (11, 2), DIGIT),
        (NUMBER, (5, -5), (0, 5), DIGIT),
        (PUPILS, (80, 30, 61, 76), (50, 30), ""),
        (PUPILS, (80, 30, 61, 76), (55, 25), COUNT),
        (WALK, (5, 4, 9), (20,), ""),
        (WALK, (19, 4, 9), (30,), SPEED),
        (WALK, (3, 4, 7), (13,), SPEEDS),
        (TRIP, (70, 40, 3), (190,), ""),
        (TRIP, (120, 40, 3), (190,), SPEED),
        (MIXTURE, (20, 10, 20, 50), (30,), ""),
        (MIXTURE, (20, 10, 20, 50), (55,), PART),
        (REST, (20, 40, 70), (175,), ""),
        (REST, (55, 45, 70), (200,), PART),
        (PENS, (9, 4, 8), (4,), ""),
        (PENS, (12, 4, 8), (5,), FAR),
    ],
)  # fmt: skip
def test_a_rule_refuses_numbers_that_do_not_fit_the_text(
    problem: Problem, values: Sequence[float], solution: Sequence[float], rule: str
) -> None:
    assert refusal(problem, values, solution) == rule


def test_the_answer_changes_and_keeps_its_sign() -> None:
    text = "Eve buys 12 caps and gives 5 away ."
    problem = row(text, "m = a - b", (1, 2), ("caps",), ["m", "q1 - 2*m + q2"])
    assert refusal(problem, (15, 8), (7,)) == ""
    assert refusal(row(text, "m = a - b", (1, 2), ("caps",), ["m"]), (15, 8), (7,)) == SAME_ANSWER
    assert refusal(problem, (30, 4), (26,)) == SIGN
    assert refusal(row(text, "m = a - b", (1, 2), ("caps",), ["m/q2 + 3/5"]), (15, 6), (9,)) == NOT_WHOLE


def test_a_check_that_the_original_does_not_pass_is_dropped() -> None:
    odd = row("Fay walks at 40 mph and back at 30 mph . It takes 7 hours .", "m/a + m/b = c", (1, 2, 3), ("miles",))
    assert refusal(odd, (50, 35, 9), (100,)) == ""


@pytest.mark.parametrize(
    ("text", "template", "ranks", "field_of"),
    [
        # The number is said again with its noun, with an article, or both.
        ("A jet flies 900 miles in 3 hours , and the 900 miles back in 5 hours .", "b*m = a; d*n = c",
         (1, 2, 3, 4), (0, 1, 0, 2)),
        ("Mix a 12 % salt and a 30 % salt . How much of 12 % salt is in 9 liters ?", "m = a*c/b", (1, 4, 2), (0, 1, 2)),
    ],
)  # fmt: skip
def test_a_number_that_is_said_again_moves_with_the_first(
    text: str, template: str, ranks: tuple[int, ...], field_of: tuple[int, ...]
) -> None:
    problem = problem_of(text, template, *ranks)
    variable = analyse(problem)
    repeated = [rank for rank, number in enumerate(problem.numbers) if number.value in (900, 12)]
    assert len({variable.columns[rank] for rank in repeated}) == 1
    made = make_variants([problem], 5, inventory=[])
    assert len(made) == 5
    for variant in made:
        assert len({variant["numbers"][rank]["value"] for rank in repeated}) == 1


def test_five_years_ago_are_not_the_five_years_from_now() -> None:
    text = "5 years ago Gus was 7 years older than Hal . In 5 years they will be 60 together . How old is Gus ?"
    variable = analyse(problem_of(text, "m = n + a; m + n = b - 2*c", 2, 4, 3))
    assert variable.columns[0] is None
    assert variable.columns[2] is not None


def test_a_row_is_refused_if_a_repeated_number_may_be_one_of_two() -> None:
    text = "Ida has 5 caps and Jo has 5 caps . They sell the 5 caps for 9 dollars ."
    with pytest.raises(CannotVary, match="says 5 cap again"):
        analyse(problem_of(text, "m = a + b + c", 1, 2, 4))


def test_refused_draws_are_counted_by_rule() -> None:
    made = make_variants([MOTHER, WALK, DELAY], 5, 0, inventory=[])
    assert made.summary()["inconsistent_numbers"] == made.inconsistent()
    assert set(made.inconsistent()) & {GENERATIONS, SPEEDS, TIMES, AGES, SAME_ANSWER}
