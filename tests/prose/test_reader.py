"""The one reader: what explanations and answers are read with, word by word."""

from __future__ import annotations

from fractions import Fraction

import pytest

from draw_dataset import read_answer
from draw_dataset.reading.names import tokens_of
from draw_dataset.reading.statements import Kind, statements_of
from draw_dataset.reading.tokens import Sort

READ = {
    "(1/10 - 1/15) x = 1": ("(1/10 - 1/15)*x = 1", 30),
    "15x cents = 90 cents": ("15*x = 90", 6),
    "x - 15%x = 85": ("x - (0.01*15)*x = 85", 100),
    "x% of 80 = 12": ("x/100*80 = 12", 15),
    "60(5 hours) = x + 20": ("60*5 = x + 20", 280),
    "5 km/h * x = 20 km": ("5*x = 20", 4),
    "x + 10$ = 25$": ("x + 10 = 25", 15),
    "x + 2 million = 5 million": ("x + 2000000 = 5000000", 3_000_000),
    "3 times x = 12": ("3*x = 12", 4),
}


@pytest.mark.parametrize("text", READ)
def test_an_explanation_and_an_answer_are_read_alike(text: str) -> None:
    equation, value = READ[text]
    (statement,) = statements_of(text)
    assert (statement.equation, statement.doubt) == (equation, "")
    assert statement.linear
    assert -statement.linear.constant / statement.linear.coefficients["x"] == value
    assert read_answer(text, []).quantities["x"] == value


@pytest.mark.parametrize(
    "text", [r"So $\frac{x}{2} + 3 = 7$.", r"\[ \frac{x}{2} + 3 = 7 \]", "{{{x/2 + 3 = 7}}}", "$x/2 + 3 = 7$"]
)
def test_latex_is_read_in_explanations(text: str) -> None:
    assert [s.equation for s in statements_of(text)] == ["x/2 + 3 = 7"]


def test_capital_and_small_letters_are_one_name_unless_both_stand_in_one_equation() -> None:
    assert [s.equation for s in statements_of("X + 3 = 7\nx = 4")] == ["x + 3 = 7", "x = 4"]
    assert [s.equation for s in statements_of("X + 3 = 7, solve for x.")] == ["X + 3 = 7"]
    assert [s.equation for s in statements_of("R = 5r + 2")] == ["R = 5*r + 2"]
    assert read_answer("R = 5r + 2 and R + r = 14.", []).quantities == {"R": 12, "r": 2}
    assert read_answer("Let a be the width. A + 3 = 7. So a = 4.", []).quantities == {"a": 4}


@pytest.mark.parametrize("text", ["60(5 apples) = x", "x = 60 (5 hours)", "2(x cm) = 8 cm", "x = 3 4", "x = 5 a b"])
def test_an_equation_that_leaves_out_part_of_its_words_is_not_read(text: str) -> None:
    assert not any(s.linear for s in statements_of(text))


def test_a_letter_behind_a_number_is_a_unit_only_if_it_never_stands_by_itself() -> None:
    assert [t.sort for t in tokens_of("x = 10 L")][-1] is Sort.WORD
    assert [t.sort for t in tokens_of("L + 2 = 12, so 5 L = 50")][-3] is Sort.NAME
    assert read_answer("Then 20 L + x = 32 L.", []).quantities["x"] == 12
    (statement,) = statements_of("20L + x = 32L")
    assert (statement.equation, statement.doubt) == ("20 + x = 32", "l was read as a unit")


def test_letters_side_by_side_are_a_product_only_if_both_are_names() -> None:
    assert statements_of("d = rt\nr = 5, t = 3")[0].kind is Kind.FORMULA
    assert [s.kind for s in statements_of("d = rt")] == [Kind.DEFINITION]
    assert read_answer("r = 5, t = 3, d = rt", "How far does a man walk at 5 mph in 3 hours?").quantities[
        "d"
    ] == Fraction(15)


@pytest.mark.parametrize("text", ["x^5 = 32", "x^2 = 9", "sqrt(x) = 3"])
def test_powers_and_roots_are_not_linear(text: str) -> None:
    assert [s.kind for s in statements_of(text)] == [Kind.NOT_LINEAR]


def test_a_zero_typed_as_an_o_is_read_with_doubt() -> None:
    (statement,) = statements_of(".o5x = 1o0")
    assert statement.equation == ".05*x = 100"
    assert statement.doubt == ".o5 was read as a number"


def test_a_result_in_a_box_is_read_in_explanations() -> None:
    assert [s.equation for s in statements_of(r"\[ 3x = 12 \] so \boxed{x = 4}")] == ["3*x = 12", "x = 4"]
