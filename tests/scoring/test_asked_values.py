"""What is asked for, at the numbers of the text, and how it decides whether an answer's result is right."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from checks.made import derived

from draw_dataset import grade
from draw_dataset.derivation.problem import Problem, asked_values, read_asked
from draw_dataset.errors import RowError

DIGITS = "The digits of a number add up to 9 . The first is 3 more than the second . What is the number ?"
STALL = "Ann sold 30 mugs and bowls for $ 100 . A mug is $ 3 and a bowl $ 4 . How many mugs did she sell ?"


def problem(text: str, derivation: str, *asked: str) -> Problem:
    made = derived(text, derivation)
    return replace(made, asked=asked, equations=("x = 1",))


NUMBER = problem(DIGITS, "m + n = q1; m - n = q2", "10*m + n")
MUGS = problem(STALL, "m + n = q1; q3*m + q4*n = q2", "m")


@pytest.mark.parametrize(
    ("asked", "values"),
    [
        (("m", "n"), (6, 3)),
        (("10*m + n",), (63,)),
        (("m - q2", "1/2*n"), (3, Fraction(3, 2))),
        (("q1 - m", "1/q1*m", "0.01*q1*n", "q1*q2"), (3, Fraction(2, 3), Fraction(27, 100), 27)),
        (("m + m", "7"), (12, 7)),
        (("m/(q1 - 3*q2)",), ()),
        ((), ()),
    ],
    ids=["unknowns", "digits", "numbers", "products and quotients", "sums and constants", "over zero", "not decided"],
)
def test_expressions_have_values(asked: tuple[str, ...], values: tuple[Fraction, ...]) -> None:
    assert asked_values(replace(NUMBER, asked=asked)) == values


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("10*x", "problem 1: asked: expected gold's unknowns, but got x"),
        ("m +", "asked: "),
        ("q9", "expected q1 to q2"),
        ("m*n", "linear"),
        ("m; n = 2", "expected one expression"),
        ("m = n", "asked: "),
        ("", "asked: "),
    ],
)
def test_what_cannot_be_read_is_bad_gold(asked: str, message: str) -> None:
    with pytest.raises(RowError, match=message):
        asked_values(replace(NUMBER, asked=(asked,)))


@pytest.mark.parametrize(
    ("asked", "is_unknown"),
    [("m", True), ("(n)", True), ("1*m", True), ("2*m", False), ("m + n", False), ("q1", False)],
)
def test_an_unknown_is_told_from_a_function_of_unknowns(asked: str, is_unknown: bool) -> None:
    (expression,) = read_asked(replace(NUMBER, asked=(asked,)))
    assert expression.is_unknown is is_unknown


def test_values_are_those_of_gold_as_it_is_annotated() -> None:
    aligned = tuple(replace(one, value=11.0) if one.value == 9 else one for one in NUMBER.alignment)
    assert asked_values(replace(NUMBER, alignment=aligned, asked=("m",))) == (7,)


SET_UP = "Let x be the first digit and y the second: x + y = 9 and x = y + 3, so y = 3 and x = 6. "


@pytest.mark.parametrize(
    ("given", "answer", "right"),
    [
        (NUMBER, SET_UP + "The number is 63.", True),
        (NUMBER, SET_UP + "The number is 36.", False),
        (MUGS, "x + y = 30, 3x + 4y = 100, so y = 10 and x = 20. She sold 20 mugs.", True),
        (MUGS, "x + y = 30, 3x + 4y = 100, so y = 10. There are 10 bowls.", False),
    ],
    ids=["the number", "its digits the wrong way round", "what is asked for", "only the other unknown"],
)
def test_the_result_must_be_what_is_asked_for(given: Problem, answer: str, right: bool) -> None:
    verdict = grade({"answer": answer}, given.to_row())
    assert verdict.derivation
    assert verdict.solution is right


def test_templates_are_not_held_against_it() -> None:
    row = NUMBER.to_row()
    assert (
        grade("m + n = q1; m - n = q2", row).solution == grade("m + n = q1; m - n = q2", {**row, "asked": []}).solution
    )
