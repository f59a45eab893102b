"""Untrusted text: nothing takes more than linear time, however it is made."""

from __future__ import annotations

import time

import pytest

from draw_dataset.errors import ChoiceError, LimitError
from draw_dataset.text.numbers import find_numbers
from draw_dataset.text.tokens import MAX_CHARACTERS

PATTERNS = {
    "digits without end": "9",
    "groups of thousands without end": "1,222,",
    "dotted letters without end": "a.",
    "hyphens without end": "one-",
    "bare hyphens": "-",
    "slashes without end": "1/",
    "apostrophes without end": "x'",
    "brackets": "(",
    "colons between digits": "1:",
    "ones that look for a partner": "one x ",
    "quarters that look for coins": "quarter ",
    "cardinals that look for more": "five hundred and ",
    "cut-off thousands": "1 , 000 , ",
    "abbreviations": "Mr. ",
    "blanks": " ",
    "combining capitals": "İ",
    "lone surrogates": "\ud800",
}
# Far more than a linear pass needs (about 0.3 s), far less than a quadratic one.
SECONDS = 5


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS.keys())
def test_the_longest_text_takes_little_time(pattern: str) -> None:
    text = (pattern * MAX_CHARACTERS)[:MAX_CHARACTERS]
    before = time.thread_time()
    find_numbers(text, "broad", "raw")
    find_numbers(text, "broad", "release")
    assert time.thread_time() - before < SECONDS


def test_a_longer_text_is_refused() -> None:
    with pytest.raises(LimitError, match="100000"):
        find_numbers("5 " * MAX_CHARACTERS)


def test_an_unknown_setting_is_refused_by_name() -> None:
    with pytest.raises(ChoiceError, match=r"'standard'.*'broad'.*'ordinary'.*'wide'"):
        find_numbers("5", "wide")  # type: ignore[arg-type]
