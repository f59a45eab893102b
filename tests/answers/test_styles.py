"""One right system is one derivation, however a language model writes it; a wrong one is wrong."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from answers.styles import GOLD, NOTHING, NUMBERS, QUESTION, RIGHT, SOLUTIONS, WRONG

from draw_dataset import DrawError, grade, read_answer
from draw_dataset.text.numbers import find_numbers

_FOUND = find_numbers(QUESTION)
ROW = {
    "id": 1,
    "question": QUESTION,
    "numbers": [
        {"index": n.index, "sentence": n.sentence, "token": n.token, "start": n.start, "end": n.end, "text": n.text,
         "value": float(n.value)}
        for n in _FOUND
    ],
    "equations": ["x + y = 120", "9*x + 5*y = 940"],
    "solutions": list(SOLUTIONS),
    "template": ["m + n = a", "b*m + c*n = d"],
    "alignment": [
        {"slot": slot, "sentence": _FOUND[i].sentence, "token": _FOUND[i].token, "value": float(_FOUND[i].value)}
        for slot, i in zip("abcd", (0, 2, 3, 1), strict=True)
    ],
    "equiv_tnum": [],
    "findings": [],
}  # fmt: skip


def test_the_problem_has_the_numbers_that_the_answers_use() -> None:
    assert tuple(n.text for n in _FOUND) == NUMBERS
    assert grade(GOLD, ROW).derivation


@pytest.mark.parametrize("style", RIGHT)
def test_a_right_system_is_right_in_every_style(style: str) -> None:
    verdict = grade({"answer": RIGHT[style]}, ROW)
    assert verdict.derivation, verdict.message


@pytest.mark.parametrize("style", WRONG)
def test_a_wrong_system_is_wrong(style: str) -> None:
    assert not grade({"answer": WRONG[style]}, ROW).derivation


@pytest.mark.parametrize("style", NOTHING)
def test_an_answer_without_a_derivation_has_none(style: str) -> None:
    verdict = grade({"answer": NOTHING[style]}, ROW)
    assert not verdict.derivation
    assert str(verdict.reason) in ("no-derivation", "unread", "abstained")


@pytest.mark.parametrize("style", [*RIGHT, *WRONG, *NOTHING])
def test_spans_lie_in_the_answer(style: str) -> None:
    answer = {**RIGHT, **WRONG, **NOTHING}[style]
    reading = read_answer(answer, ROW)
    for part in (*reading.statements, *reading.finals, *reading.slips):
        assert 0 <= part.start <= part.end <= len(answer)
        assert part.text == answer[part.start : part.end]


def test_a_slip_is_found_and_does_not_spoil_the_derivation() -> None:
    verdict = grade({"answer": RIGHT["slip"]}, ROW)
    assert verdict.derivation
    assert not verdict.solution
    assert str(verdict.reason) == "slip"
    first = read_answer(RIGHT["slip"], ROW).slips[0]
    assert (first.text, first.expected, first.got) == ("4x = 360", Fraction(340), Fraction(360))


def test_a_set_up_without_a_result_is_not_blamed_for_a_wrong_one() -> None:
    none = grade({"answer": f"x + y = {NUMBERS[0]} and {NUMBERS[2]}x + {NUMBERS[3]}y = {NUMBERS[1]}."}, ROW)
    assert (none.derivation, none.solution, str(none.reason)) == (True, False, "slip")
    assert none.message != grade({"answer": f"x + y = {NUMBERS[0]}"}, ROW).message


def test_a_later_attempt_replaces_an_earlier_one() -> None:
    reading = read_answer(RIGHT["retry"], ROW)
    assert reading.setup == ("x + y = q1", "q3*x + q4*y = q2")
    assert len(reading.attempts) == 2


@pytest.mark.parametrize("row", [7, None, b"7", {"a": 1}])
def test_what_is_no_problem_is_refused_by_name(row: Any) -> None:
    with pytest.raises(DrawError, match=r"^row: expected "):
        read_answer("x = 7", row)
