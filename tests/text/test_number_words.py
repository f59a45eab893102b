from __future__ import annotations

from collections.abc import Callable

import pytest

from draw_dataset.text.numbers import find_numbers

Read = Callable[..., list[str]]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("twenty-five", ["twenty-five=25"]),
        ("Twenty five men", ["Twenty five=25"]),
        ("one hundred and five men", ["one hundred and five=105"]),
        ("ONE HUNDRED SIXTY-TWO", ["ONE HUNDRED SIXTY-TWO=162"]),
        ("two thousand three hundred and four", ["two thousand three hundred and four=2304"]),
        ("fifteen hundred", ["fifteen hundred=1500"]),
        ("a hundred thousand", ["hundred thousand=100000"]),
        ("half a million", ["half a million=500000"]),
        ("half a dozen eggs and two dozen more", ["half a dozen=6", "two dozen=24"]),
        ("two hundred and three hundred", ["two hundred=200", "three hundred=300"]),
        ("five twenty dollar bills", ["five=5", "twenty=20"]),
        ("twenty five-dollar bills", ["twenty=20", "five=5"]),
        ("three-legged stools", ["three=3"]),
        ("two-hundred-fifty", ["two-hundred-fifty=250"]),
        ("zero", ["zero=0"]),
        ("a two-digit number", []),
        ("a one-time fee", []),
        ("the twenty-first", []),
        ("none of the tones", []),
    ],
)
def test_cardinals(read: Read, text: str, numbers: list[str]) -> None:
    assert read(text) == numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("twice the price", ["twice=2"]),
        ("thrice", ["thrice=3"]),
        ("double the price", ["double=2"]),
        ("its double is 8", ["double=2", "8=8"]),
        ("the sum is tripled", ["tripled=3"]),
        ("a couple of days", ["couple=2"]),
        ("double rooms", []),
        ("a triple play", []),
    ],
)
def test_multipliers(read: Read, text: str, numbers: list[str]) -> None:
    assert read(text) == numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("One box is one larger than the other one.", ["one=1"]),
        ("One of them left one hour later.", ["one=1"]),
        ("Each one costs one dollar.", ["one=1"]),
        ("One pear and two figs cost $3.", ["One=1", "two=2", "3=3"]),
        ("One train goes east, the other west.", []),
        ("They passed one another.", []),
        ("A number decreased by one.", ["one=1"]),
    ],
)
def test_one_is_a_number_only_where_it_counts(read: Read, text: str, numbers: list[str]) -> None:
    assert read(text) == numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("the first of 3", ["3=3"]),
        ("the third day", []),
        ("a third number", []),
        ("two seconds", ["two=2"]),
    ],
)
def test_ordinals_are_no_numbers(read: Read, text: str, numbers: list[str]) -> None:
    assert read(text) == numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("a year ago", ["a=1"]),
        ("an hour later", ["an=1"]),
        ("a week from now", ["a=1"]),
        ("In a week the shop sells 9", ["a=1", "9=9"]),
        ("60 miles an hour", ["60=60"]),
        ("he ran 3 times in a week", ["3=3"]),
        ("a car", []),
    ],
)
def test_an_article_counts_only_where_it_measures_time(read: Read, text: str, numbers: list[str]) -> None:
    assert read(text) == numbers


def test_the_broad_setting_adds_articles_neighbours_and_places(read: Read) -> None:
    text = "a pear , the next day , the last one , the tens digit , a half , a dozen"
    assert read(text) == ["half=1/2", "dozen=12"]
    assert read(text, number_words="broad") == [
        "a=1",
        "next=1",
        "last=1",
        "tens=10",
        "half=1/2",
        "dozen=12",
    ]


def test_a_number_of_several_tokens_sits_on_its_leftmost_token() -> None:
    (number,) = find_numbers("She owes one hundred and five pounds .")
    assert (number.index, number.sentence, number.token) == (1, 0, 2)
    assert (number.start, number.end) == (9, 29)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("He earns 25k a year and owes $1.5M, or $ 3m.", ["25k=25000", "1.5M=1500000", "3m=3000000"]),
        ("He ran a 5k, and jumps 5m far.", ["5=5", "5=5"]),
        ("She has $25k, he 1.5k .", ["25k=25000", "1.5k=1500"]),
        ("The numbers make one hundred twenty-three. Which are they ?", ["one hundred twenty-three=123"]),
        ("He has twenty-one. He eats 4 , or 5, of them ?", ["twenty-one=21", "4=4", "5=5"]),
    ],
)
def test_ordinary_english_has_thousands_as_a_letter_and_marks_without_a_blank(text: str, numbers: list[str]) -> None:
    found = find_numbers(text, "ordinary")
    assert [f"{number.text}={number.value}" for number in found] == numbers
    assert all(text[number.start : number.end] == number.text for number in found)
