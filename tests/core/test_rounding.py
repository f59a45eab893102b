"""One rule decides whether a written number is a value, exactly or rounded; two others ask something else."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draw_dataset.algebra.number import equals_stored, is_rounded, last_digit
from draw_dataset.derivation.consistent import is_rounding


@pytest.mark.parametrize(
    ("value", "stated", "right"),
    [
        ("100/3", "33", True),
        ("100/3", "33.3", True),
        ("100/3", "33.34", False),
        ("2.456", "2.46", True),
        ("2.456", "2.45", False),  # cut off
        ("2.456", "2.5", True),
        ("20/3", "7", False),  # one digit proves nothing
        ("1/3", "0.3", False),
        ("5", "5.01", False),  # 5 needs no rounding
        ("15", "14.99", False),
        ("53135", "53180", False),
        ("36.92", "37", True),
        ("36.92", "36", False),
        ("-10/3", "-3.33", True),
        ("-10/3", "3.33", False),
        ("2.5", "2.5", True),
    ],
)
def test_a_number_is_exact_or_correctly_rounded(value: str, stated: str, right: bool) -> None:
    assert is_rounded(Fraction(value), Fraction(stated)) is right


@given(st.fractions(max_denominator=999), st.integers(0, 6))
def test_rounding_by_decimal_is_rounding(value: Fraction, places: int) -> None:
    stated = Fraction(round(value, places))
    step = Fraction(1, 10**places)
    assert is_rounded(value, stated, step) is (value == stated or abs(stated) >= 10 * step)
    assert not is_rounded(value, stated + step, step) or 2 * (value - stated) == step


@given(st.integers(-(10**9), 10**9), st.integers(0, 6), st.integers(1, 10**6), st.sampled_from([-1, 1]))
def test_a_number_with_as_many_digits_as_another_is_no_rounding_of_it(n: int, places: int, by: int, sign: int) -> None:
    # At the value's own step nothing is rounded. Written shortest, 0.00167 is 0.001669 with a digit less: a rounding.
    step = Fraction(1, 10**places)
    value, other = n * step, (n + sign * by) * step
    assert not is_rounded(value, other, step)
    if (n + sign * by) % 10:
        assert last_digit(other) == step
        assert not is_rounded(value, other)


def test_a_last_digit_of_zero_that_is_not_written_makes_a_rounding() -> None:
    value, step = Fraction(1669, 10**6), Fraction(1, 10**6)
    assert is_rounded(value, value + step)
    assert not is_rounded(value, value + step, step)


def test_annotators_also_cut_off() -> None:
    third, cut_off = Fraction(2, 3), Fraction("0.66666")
    assert is_rounding(cut_off, third)
    assert not is_rounded(third, cut_off)
    assert is_rounded(third, Fraction("0.67"))
    assert not is_rounding(Fraction("0.67"), third)


def test_a_stored_number_differs_by_the_bits_of_a_float() -> None:
    assert equals_stored(0.3333333432674408, Fraction(1, 3))
    assert not equals_stored(0.33, Fraction(1, 3))
