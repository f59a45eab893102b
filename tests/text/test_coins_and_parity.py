from __future__ import annotations

from collections.abc import Callable

import pytest

from draw_dataset.text.numbers import find_numbers

Read = Callable[..., list[str]]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("all nickels and dimes", ["nickels=1/20", "dimes=1/10"]),
        ("a penny or a half-dollar", ["penny=1/100", "half-dollar=1/2"]),
        ("5 half dollars", ["5=5", "half dollars=1/2"]),
        ("three quarters and two dimes", ["three=3", "quarters=1/4", "two=2", "dimes=1/10"]),
        ("pounds of nickel", []),
        ("Penny is 12", ["12=12"]),
        ("the second quarter of the year", ["quarter=1/4"]),
        ("sales in the second quarter", []),
    ],
)
def test_coins(read: Read, text: str, numbers: list[str]) -> None:
    assert read(text) == numbers


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("a quarter of the coins", "fraction"),
        ("one coin, a quarter, fell", "coin"),
        ("a quarter more", "fraction"),
    ],
)
def test_a_quarter_is_a_part_or_a_coin(text: str, kind: str) -> None:
    assert [number.kind for number in find_numbers(text) if number.text == "quarter"] == [kind]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("consecutive odd integers", ["odd=2"]),
        ("an even number", ["even=2"]),
        ("consecutive even, positive integers", ["even=2"]),
        ("he does odd jobs", []),
        ("to break even", []),
        ("even though it rained", []),
    ],
)
def test_odd_and_even_integers_are_two_apart(read: Read, text: str, numbers: list[str]) -> None:
    assert read(text) == numbers
