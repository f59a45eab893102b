"""Hostile texts: each is read to its end, with a reason, in time proportional to its length."""

from __future__ import annotations

import pytest

from draw_dataset.reading.extraction import Refusal, extract_equations
from draw_dataset.reading.plain import CROSSED, plain_formulas
from draw_dataset.reading.segments import MAX_SEGMENT
from draw_dataset.reading.statements import MAX_STATEMENTS, Kind, statements_of

LONG = 60_000
TEXTS = {
    "equations on one line": "x=1 " * 15_000,
    "a number of thousands of digits": "x = " + "1" * 5_000,
    "a decimal of thousands of digits": "x = 0." + "1" * 4_999,
    "one word": "x" * LONG,
    "one sign": "." * LONG,
    "braces that never close": "{{{" * (LONG // 3),
    "lines that go on": "= ]_\n" * (LONG // 5),
    "a label without its number": "step" + " " * LONG + "=",
    "a blank line with an equation behind it": " " * LONG + "x = 1",
    "a remark that never ends": "x = 1 (" + "word " * (LONG // 5),
    "a remark of one word": "x = 1 (" + "w" * LONG,
    "functions within functions": "{{{" + "highlight(" * (LONG // 10) + "}}}",
    "products in brackets in brackets": ("x(" * 240 + "1" + ")" * 240 + " = 3\n") * 40,
    "LaTeX within LaTeX": "\\frac{" * 2_000 + "x" + "}{2}" * 2_000 + " = 3",
    "unknowns in a chain": "\n".join(f"x_{i} + x_{i + 1} = {i}" for i in range(300)),
    "unknowns around one": "\n".join(f"x + x_{i} = {i}" for i in range(300)),
}


@pytest.mark.parametrize("name", TEXTS)
def test_every_text_is_read_and_gives_nothing_with_a_reason(name: str) -> None:
    found = extract_equations("Find 3 and 4.", [TEXTS[name]])
    assert found.equations == ()
    assert found.reason in Refusal


def test_a_stretch_that_is_too_long_is_said_to_be() -> None:
    said = statements_of("x + y = 10\n" + "x + " * MAX_SEGMENT + "y = 3\nx - y = 4")
    assert [s.note for s in said] == ["", "too long", ""]
    assert [s.kind for s in said] == [Kind.EQUATION, Kind.UNREADABLE, Kind.EQUATION]
    assert len(said[1].text) <= MAX_SEGMENT


def test_only_so_many_statements_are_looked_at() -> None:
    said = statements_of("\n".join("x=1 y=2 z=3 " * 20 for _ in range(MAX_STATEMENTS)))
    assert MAX_STATEMENTS <= len(said) < 2 * MAX_STATEMENTS


def test_a_formula_with_too_much_in_it_leaves_a_word() -> None:
    assert plain_formulas("{{{" + "cross(x) + " * 21 + "1 = 2}}}").split() == [CROSSED]
    assert plain_formulas("{{{" + "x + " * 1_000 + "1 = 2}}}").split() == [CROSSED]
    assert "crossedout" in plain_formulas("{{{cross(x) + 1 = 2}}} {{{")
