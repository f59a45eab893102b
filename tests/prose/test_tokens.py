"""Tokens of plain text: where they stand, what is glued to what, and what stays one object."""

from __future__ import annotations

import copy
import pickle

import pytest

from draw_dataset.reading.plain import plain_text
from draw_dataset.reading.tokens import Sort, raw_tokens


def test_a_sort_is_one_object_also_in_copies_and_other_processes() -> None:
    token = raw_tokens("x = 3")[0]
    assert token.sort is Sort.NAME
    assert copy.deepcopy(token).sort is Sort.NAME
    assert pickle.loads(pickle.dumps(token)) == token
    assert pickle.loads(pickle.dumps(token)).sort is Sort.NAME
    assert repr(Sort.NAME) == "Sort.NAME"


@pytest.mark.parametrize(
    ("text", "spans", "glued"),
    [
        ("3x + 4", [(0, 1), (1, 2), (3, 4), (5, 6)], [False, True, False, False]),
        ("3 x", [(0, 1), (2, 3)], [False, False]),
        ("total  cost ,x", [(0, 5), (7, 11), (12, 13), (13, 14)], [False, False, False, True]),
        ("5 million + 2", [(0, 9), (10, 11), (12, 13)], [False, False, False]),
        ("1,200 ft. = y", [(0, 5), (6, 9), (10, 11), (12, 13)], [False, False, False, False]),
        ("700x2 = z", [(0, 3), (3, 4), (4, 5), (6, 7), (8, 9)], [False, True, True, False, False]),
    ],
)
def test_tokens_know_their_places_and_whether_they_are_glued(
    text: str, spans: list[tuple[int, int]], glued: list[bool]
) -> None:
    tokens = raw_tokens(text)
    assert [(token.start, token.end) for token in tokens] == spans
    assert [token.glued for token in tokens] == glued


@pytest.mark.parametrize(
    "code", ["def f():\n    return 3 * 4", "from sympy import *\nx = 3 * 4", "import sympy\nx = 3 * 4",
             "import math\nx = 3 * 4", "x = 3 * 4\nprint(x)", "```python\nx = 3 * 4\n```"]
)  # fmt: skip
def test_code_is_found_by_each_of_its_signs(code: str) -> None:
    text = plain_text(code).text
    assert "3 * 4" in text
    assert not any(word in text for word in ("def", "import", "print", "return"))


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("It costs $5 & x^{2}", "It costs $5   x^(2)"),
        ("It costs $5 or a_{1} = {3}", "It costs $5 or a1 =  3 "),
        ("$$x = 3$$ and ~5", " x = 3  and  5"),
        ("- $5\n# Title\n> 'said' `x`", "$5\nTitle\n said   x "),
    ],
)
def test_a_text_without_commands_is_made_plain_all_the_same(text: str, plain: str) -> None:
    assert plain_text(text).text == plain


@pytest.mark.parametrize("written", ["60 : 0.75 = 80", "60:0.75 = 80", "$60 : 0.75 = $80", "(40 + 20) : 0.75 = 80"])
def test_a_colon_between_numbers_before_an_equals_sign_divides(written: str) -> None:
    text = f"Then 0.75 of it is 60, so {written}."
    assert plain_text(text).text == text.replace(" : ", " / ").replace("60:", "60/")


@pytest.mark.parametrize(
    "written",
    ["Step 2: 60 = 5*12", "Step 2 : 60 = 5*12", "at 9:15 = a quarter past", "8:30 = 8.5", "3 : 2 = 6 : 4", "1: 2 = x",
     "the ratio 3:2 = 1.5", "mix them 3:2", "x : 5 = 3", "1:2:3 = x"],
)  # fmt: skip
def test_labels_times_and_ratios_keep_their_colons(written: str) -> None:
    assert plain_text(written).text == written
