from __future__ import annotations

from collections.abc import Callable

import pytest

from draw_dataset.text.numbers import find_numbers

Read = Callable[..., list[str]]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("one-third of it", ["one-third=1/3"]),
        ("Two-thirds of it", ["Two-thirds=2/3"]),
        ("five-third", ["five-third=5/3"]),
        ("two thirds of it", ["two thirds=2/3"]),
        ("5 sixths of it", ["5 sixths=5/6"]),
        ("one half of it", ["one half=1/2"]),
        ("1 third of it", ["1 third=1/3"]),
        ("half the price", ["half=1/2"]),
        ("half an hour, a half-hour trip", ["half=1/2", "half=1/2"]),
        ("a third of it", ["third=1/3"]),
        ("its third is 4", ["third=1/3", "4=4"]),
        ("a quarter of it", ["quarter=1/4"]),
        ("three quarters of it", ["three quarters=3/4"]),
        ("the second half", []),
        ("they met half way", []),
        ("cut into two halves", ["two=2"]),
    ],
)
def test_parts(read: Read, text: str, numbers: list[str]) -> None:
    assert read(text) == numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("2 1/2 hours", ["2 1/2=5/2"]),
        ("2-1/2 hours", ["2-1/2=5/2"]),
        ("two and a half hours", ["two and a half=5/2"]),
        ("3 and a quarter hours", ["3 and a quarter=13/4"]),
        ("one and one-third times", ["one and one-third=4/3"]),
        ("two and a half million", ["two and a half million=2500000"]),
        ("-2 1/2 degrees", ["-2 1/2=-5/2"]),
        ("five and one half of it", ["five=5", "one half=1/2"]),
        ("two and a third man", ["two=2"]),
    ],
)
def test_mixed_numbers(read: Read, text: str, numbers: list[str]) -> None:
    assert read(text) == numbers


def test_a_unit_fraction_sits_on_the_name_of_the_part() -> None:
    (number,) = find_numbers("He ate one half of it .")
    assert (number.token, number.text) == (3, "one half")


def test_the_one_of_a_longer_number_is_not_read_twice(read: Read) -> None:
    assert read("twenty one third") == ["twenty one=21", "third=1/3"]
