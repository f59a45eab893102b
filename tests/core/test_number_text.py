"""A number has one exact text, one form as an operand, and one short form for people."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draw_dataset.algebra.number import decimal_places, number_literal, number_text, short_number
from draw_dataset.derivation.template import Template


@pytest.mark.parametrize(
    ("value", "exactly", "operand", "short"),
    [
        (Fraction(7), "7", "7", "7"),
        (Fraction(-7), "-7", "(-7)", "-7"),
        (Fraction(5, 2), "2.5", "2.5", "5/2"),
        (Fraction(-1, 4), "-0.25", "(-0.25)", "-1/4"),
        (Fraction(1, 3), "1/3", "(1/3)", "1/3"),
        (Fraction(1, 10**7), "0.0000001", "0.0000001", "1e-07"),
        (Fraction(1, 1024), "0.0009765625", "0.0009765625", "0.000976562"),
        (Fraction(10**15), "1000000000000000", "1000000000000000", "1e+15"),
    ],
)
def test_each_form_of_a_number(value: Fraction, exactly: str, operand: str, short: str) -> None:
    assert (number_text(value), number_literal(value), short_number(value)) == (exactly, operand, short)


@given(st.fractions(max_denominator=10**9))
def test_the_text_of_a_number_is_exact(value: Fraction) -> None:
    assert Fraction(number_text(value)) == value
    assert ("/" in number_text(value)) is (decimal_places(value) is None)


@given(st.fractions(max_denominator=10**4), st.fractions(max_denominator=10**4).filter(bool))
def test_a_literal_may_stand_anywhere_in_an_equation(one: Fraction, other: Fraction) -> None:
    solved = Template(f"m = 3 - {number_literal(one)}/{number_literal(other)}").solve({})
    assert list(solved.numbers) == [3 - one / other]


def test_a_float_is_shown_as_a_decimal() -> None:
    assert short_number(2.5) == "2.5"
    assert short_number(0.1 + 0.2, 10) == "0.3"
    assert short_number(10**400) == "<an integer of 1329 bits>"
