from __future__ import annotations

import pytest

from draw_dataset.text.tokens import sentences, tokenize


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("He has 5 apples.", "He has 5 apples ."),
        ("It costs $2.50, or 20% more!", "It costs $ 2.50 , or 20 % more !"),
        ("Pour 1,000ml of it", "Pour 1,000ml of it"),
        ("2/3 of 3.5 and .5", "2/3 of 3.5 and .5"),
        ("a 20-dollar bill, twenty-five", "a 20-dollar bill , twenty-five"),
        ("a 12-year-old, 60km/h", "a 12-year-old , 60km/h"),
        ("Ann's dogs don't; we're", "Ann 's dogs do n't ; we 're"),
        ("the boys' room at 5 o'clock", "the boys ' room at 5 o'clock"),
        ("(x+5)=10", "( x + 5 ) = 10"),
        ("x-5 and 2x-3y", "x - 5 and 2x - 3y"),
        ("y = -5", "y = -5"),
        ("won 5-3", "won 5 - 3"),
        ("in 1998-1999", "in 1998-1999"),
        ("a ratio of 3:2", "a ratio of 3 : 2"),
        ("at 5:30 pm", "at 5:30 pm"),
        ("sizes 1,2,3", "sizes 1 , 2 , 3"),
        ("P25,000 or Rs.500", "P 25,000 or Rs. 500"),
        ("two-thirds—or so", "two-thirds — or so"),
        ("He said “5”.", "He said “ 5 ” ."),
        ("see www.a5.org/9 now", "see www.a5.org/9 now"),
        ("Who won??", "Who won ? ?"),
        ("Well... no", "Well ... no"),
    ],
)
def test_marks_are_cut_off(text: str, tokens: str) -> None:
    assert " ".join(token.text for token in tokenize(text, "raw")) == tokens


@pytest.mark.parametrize(
    "text",
    [
        "Mr. Hall met Mrs. Lee. They talked.",
        "He lives on St. Paul Road. She does not.",
        "Take fruit, e.g. 5 pears. Eat it.",
        "It holds 2.5 gal. of oil. It leaks.",
        "A rug is 5 ft. by 6 ft. How large is it?",
        "It left at 5 p.m. It came at 6 p.m.",
        "J. Lee is No. 5. K. Lee is not.",
        "Ann is 5.Bob is 6.",
        "Go to point B. How far is it?",
        "They live on Main St. How far is it?",
        "Is it 5? yes",
    ],
)
def test_a_dot_of_an_abbreviation_ends_no_sentence(text: str) -> None:
    assert len(sentences(text, "raw")) == 2


def test_an_abbreviation_gives_up_its_dot_at_the_end_of_a_sentence() -> None:
    tokens = [token.text for token in tokenize("5 ft. by 6 ft.", "raw")]
    assert tokens == ["5", "ft.", "by", "6", "ft", "."]
