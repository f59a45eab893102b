from __future__ import annotations

from collections.abc import Callable

import pytest

Read = Callable[..., list[str]]


@pytest.mark.parametrize("rule", ["raw", "release"])
@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("5", ["5=5"]),
        ("007", ["007=7"]),
        ("$1,200.50", ["1,200.50=2401/2"]),
        (".5 and 0.25", [".5=1/2", "0.25=1/4"]),
        ("5%", ["5=5"]),
        ("70lb of it", ["70=70"]),
        ("a 20-peso bill", ["20=20"]),
        ("2/3 of it", ["2/3=2/3"]),
        ("-3 degrees", ["-3=-3"]),
        ("1,234,567", ["1,234,567=1234567"]),
        ("2.5 million", ["2.5 million=2500000"]),
        ("5 dozen eggs", ["5 dozen=60"]),
        ("the 2nd and 21st", []),
        ("the 1990s", []),
        ("an MP3 player", []),
        ("12/25/2001", []),
        ("1/0", []),
    ],
)
def test_a_numeral_is_read_with_what_is_glued_to_it(read: Read, text: str, numbers: list[str], rule: str) -> None:
    assert read(text, rule=rule) == numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("P25 ,000 in all", ["25 ,000=25000"]),
        ("1 , 000 men", ["1 , 000=1000"]),
        ("1 , 000 , 000 men", ["1 , 000 , 000=1000000"]),
        ("10 000 men", ["10 000=10000"]),
        ("sides of 3 , 400 and 5", ["3=3", "400=400", "5=5"]),
        ("+8 and -.5", ["8=8", "-.5=-1/2"]),
        ("$-5 and -$5", ["-5=-5", "-$5=-5"]),
        ("5-10 of 1,2,3", []),
        ("the early 1990 's", []),
    ],
)
def test_tokenised_text_may_have_numerals_cut_oddly(read: Read, text: str, numbers: list[str]) -> None:
    assert read(text, rule="release") == numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It won 5-3.", ["5=5", "3=3"]),
        ("A ratio of 3:2.", ["3=3", "2=2"]),
        ("2x+3y=-7.", ["2=2", "3=3", "-7=-7"]),
        ("It left at 5:30 pm.", []),
        ("P25,000.", ["25,000=25000"]),
        ("Sizes 1,2,3.", ["1=1", "2=2", "3=3"]),
    ],
)
def test_raw_text_may_hold_several_numbers_between_blanks(read: Read, text: str, numbers: list[str]) -> None:
    assert read(text, rule="raw") == numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("½ cup", ["½=1/2"]),
        ("2½ cups", ["2½=5/2"]),
        ("2 ½ cups", ["2 ½=5/2"]),
        ("1⁄4 cup", ["1⁄4=1/4"]),
        ("−5 degrees", ["−5=-5"]),
        ("５％ of １，０００", ["５=5", "１，０００=1000"]),
        ("5\u00a0cups", ["5=5"]),
        ("“5” and ‘6’", ["5=5", "6=6"]),
        ("٣ cups", ["٣=3"]),
        ("x² cups", []),
    ],
)
def test_typographic_characters_are_understood(read: Read, text: str, numbers: list[str]) -> None:
    assert read(text) == numbers


def test_a_string_of_digits_beyond_the_bound_is_no_number(read: Read) -> None:
    assert read("9" * 30) == ["9" * 30 + "=" + "9" * 30]
    assert read("9" * 31) == []
    assert read("1/" + "9" * 90_000) == []
