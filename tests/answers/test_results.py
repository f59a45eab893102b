"""The result of an answer: the number that it gives, and whether that is gold's, rounded or in another unit."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import grade_answers
import pytest
from hypothesis import given
from hypothesis import strategies as st

from draw_dataset import grade, read_answer
from draw_dataset.answers.worked import worked_golds
from draw_dataset.core.exact import is_rounded, last_digit
from draw_dataset.sample import load_sample
from draw_dataset.scoring.answers import Asked, Judged, judge_by_any, values_of
from draw_dataset.scoring.signature import Options
from draw_dataset.scoring.verdict import Reason

PATIO = "Rosa has 40 tiles . She lays 9 in the hall and 14 on the patio . How many tiles are left ?"
PATIO_SOLUTION = "9+14=<<9+14=23>>23. 40-23=<<40-23=17>>17\nA: 17"


def judge(answer: str, question: str = PATIO, solution: str = PATIO_SOLUTION) -> Judged:
    golds = worked_golds(question, solution)
    return judge_by_any(
        answer, [Asked(gold, tuple(range(len(gold.numbers))), values_of(gold), question, chain=True) for gold in golds]
    )


MARKS = {
    "a": "A: {}",
    "hash": "#### {}",
    "hash in a line": "Step 9: #### {}",
    "sentence": "The answer is {}.",
    "colon": "The answer is: {}",
    "bold": "**Answer:** {}",
    "bold word": "**Answer**: {}",
    "box": "\\boxed{{{}}}",
    "box in a sentence": "Therefore, she has $\\boxed{{{}}}$ left.",
    "therefore": "Therefore, the final answer is **{}**.",
    "heading": "### Final Answer\n{}",
    "heading with a colon": "**Final Answer:**\n\n\\[\n{}\n\\]",
}


@pytest.mark.parametrize("mark", MARKS)
def test_the_marked_number_is_the_result(mark: str) -> None:
    steps = "40 - 9 - 14 = 17.\n"
    assert judge(steps + MARKS[mark].format(17)).solution
    wrong = judge(f"{steps}17 - 5 = 12.\n" + MARKS[mark].format(12))
    assert not wrong.solution
    assert not wrong.derivation
    assert [final.value for final in wrong.work.finals] == [12]


@pytest.mark.parametrize(
    "answer",
    [
        "40 - 9 - 14 = 17, but she also breaks some, so she has 12 tiles left in all.",
        "9 + 14 = 23 and 40 - 23 = 17. The answer is 16, 17, 18 or 19.",
        "40 - 9 - 14 = 17 tiles. It could be 10, 17 or 20.",
        "<think>40 - 9 = 31, 31 - 14 = 17, maybe 17 +",
        "<think>nothing</think> Let me see. <think>40 - 9 - 14 = 17",
        "40 - 9 - 14 = 17. She lays 2 a day, so 17 * 2 = 34. The answer is 34.",
        "\\boxed{17} at first. Later she breaks 5, and 17 - 5 = 12 remain: \\boxed{12}",
        "40 - 9 - 14 = 17.\nA: -17",
    ],
)
def test_a_wrong_result_does_not_pass_because_the_right_number_stands_nearby(answer: str) -> None:
    assert not judge(answer).solution


@pytest.mark.parametrize(
    "answer",
    [
        "40 - 9 - 14 = 17. So she has 17 tiles left of the 40.",
        "Of 40 tiles, 9 + 14 = 23 are laid. Since she had 40 and laid 23, she has 17 left.",
        "9 + 14 = 23. Subtracting 23 from 40 leaves 17 tiles.",
        "9 + 14 = 23 and 40 - 23 = 17.\n\nAnswer: 17\n\nCheck: 17 + 23 = 40.",
        "Answer: She lays 9 + 14 = 23 tiles.\n\n40 - 23 = 17.\n\nThus she has 17 tiles left.",
        "9 + 14 = 23, 40 - 23 = 17. Therefore, 17 tiles are left. Since 23 are laid, she needs no more.",
        "40 - 9 - 14 = 17. She has 17 (40 less 23) tiles.",
        "<think>40-9-14, hm</think>40 - 9 - 14 = 17",
        '{"steps": ["9 + 14 = 23", "40 - 23 = 17"], "final_answer": 17}',
    ],
)
def test_a_right_result_is_found_beside_other_numbers(answer: str) -> None:
    verdict = judge(answer)
    assert verdict.solution, [str(final.value) for final in verdict.work.finals]


def test_the_number_beside_the_words_of_the_question_is_the_result() -> None:
    question = "Ola walks 12 miles . She rests after 6 miles . She has 3 hours left . How fast must she walk the rest ?"
    solution = "12-6=<<12-6=6>>6. 6/3=<<6/3=2>>2\nA: 2"
    answer = "12 - 6 = 6 miles remain and 6 / 3 = 2. She needs to walk at 2 miles per hour for the remaining 6 miles."
    assert [final.value for final in judge(answer, question, solution).work.finals] == [2]
    wrong = "She needs to walk at 6 miles per hour for the remaining 2 miles."
    assert not judge(wrong, question, solution).solution


def test_an_unfinished_thought_is_no_answer() -> None:
    row = load_sample()["test"][0].to_row()
    verdict = grade({"answer": "<think>x + y = 20 and x = 12, y = 8"}, row)
    assert verdict.reason is Reason.ABSTAINED
    assert not verdict.derivation
    assert not verdict.solution


def test_signs_are_shown() -> None:
    reading = read_answer("The numbers are 2, -1 and -$3.", "Two numbers .")
    assert [(final.text, final.value) for final in reading.finals] == [("2", 2), ("-1", -1), ("-$3", -3)]


def test_several_marks_give_several_unknowns() -> None:
    row = load_sample()["test"][0].to_row()
    answers = [
        "x + y = 20. \\boxed{12} dimes and \\boxed{8} nickels.",
        "The answer is 12 dimes. The answer is 8 nickels.",
    ]
    for answer in answers:
        assert [final.value for final in read_answer(answer, row).finals] == [12, 8]


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


@given(st.fractions(max_denominator=10**6))
def test_no_other_number_is_a_finite_decimal(value: Fraction) -> None:
    step = last_digit(value)
    if (value / step).denominator == 1:
        assert not is_rounded(value, value + step)


PRICE = "Ida buys tea for 4.20 dollars , cake for 9.45 dollars and milk for 1.35 dollars . She pays with 20 dollars . "
CHANGE = "4.20+9.45+1.35=<<4.20+9.45+1.35=15>>15. 20-15=<<20-15=5>>5\nA: 5"


def test_a_wrong_sum_is_a_slip_and_its_result_wrong() -> None:
    question = PRICE + "How much change does she get ?"
    verdict = judge("$4.20 + $9.45 + $1.35 = $14.99. Change = $20 - $14.99 = $5.01.", question, CHANGE)
    assert not verdict.solution
    assert verdict.reason is Reason.SLIP
    assert verdict.reading.slips[0].expected == 15


def test_what_is_right_as_it_is_written_is_no_slip() -> None:
    question = "A third of 600 seats is taken . How many seats are taken ?"
    reading = read_answer("1/3 = 0.33 and 0.33 * 600 = 198.", question)
    assert not reading.slips


def test_the_tolerance_is_what_the_option_says() -> None:
    row = load_sample()["test"][0].to_row()
    answer = {"answer": "There are 50.004 kg of cement, 100 kg of sand and 200 kg of gravel."}
    tolerances = [Fraction(0), Fraction(1, 10_000), Fraction(1, 1000)]
    assert [grade(answer, row, Options(tolerance=wide)).solution for wide in tolerances] == [False, True, True]


WEEKS = "A plant grows 2 inches a week . How many weeks until it is 6 inches ?"
WEEKS_SOLUTION = "6/2=<<6/2=3>>3\nA: 3"


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("6 / 2 = 3 weeks, which is 3 * 7 = 21 days. It takes 21 days.", True),
        ("6 / 2 = 3 and 3 * 7 = 21. It takes 21 weeks.", False),
        ("6 / 2 = 3 and 3 * 7 = 21. The answer is 21.", False),
        ("6 / 2 = 3 and 3 * 60 = 180. It takes 180 days.", False),
    ],
)
def test_another_unit_is_right_only_if_the_answer_names_it(answer: str, right: bool) -> None:
    verdict = judge(answer, WEEKS, WEEKS_SOLUTION)
    assert verdict.solution is right


def test_a_forgotten_conversion_is_not_another_unit() -> None:
    question = "A dozen rolls need 2 cups of flour . How many cups do 24 rolls and 36 rolls need ?"
    solution = "24+36=<<24+36=60>>60. 60/12=<<60/12=5>>5. 5*2=<<5*2=10>>10\nA: 10"
    wrong = "24 * 2 = <<24*2=48>>48 cups. 36 * 2 = <<36*2=72>>72 cups. 48 + 72 = <<48+72=120>>120 cups.\nA: 120"
    verdict = judge(wrong, question, solution)
    assert not verdict.solution
    assert not verdict.derivation


def test_a_result_stated_again_in_another_unit_is_no_slip() -> None:
    question = "Mia gets 5 dollars a day and buys 4 sweets for 25 cents each . How much is left ?"
    solution = "4*25=<<4*25=100>>100 cents. 100/100=<<100/100=1>>1. 5-1=<<5-1=4>>4\nA: 4"
    verdict = judge("4 sweets * 25 cents = 100 cents = 1 dollar. 5 dollars - 1 dollar = 4 dollars.", question, solution)
    assert verdict.derivation
    assert not verdict.reading.slips


@pytest.mark.answers
@pytest.mark.parametrize("mark", [mark for mark in MARKS if "heading" not in mark and "box in" not in mark])
def test_the_style_of_the_mark_changes_no_verdict(answers_dir: Path, mark: str) -> None:
    """Every second problem, for time; the others agree as well."""
    references, compared = grade_answers.References(None), 0
    with (answers_dir / "gsm8k_models.jsonl").open(encoding="utf-8") as lines:
        entries: list[dict[str, Any]] = [json.loads(line) for line in lines][::2]
    for entry in entries:
        asked = references.of_solution(entry["id"], entry["question"], entry["solution"])
        for answer in entry["answers"].values() if asked else ():
            found = re.search(r"^[ ]*A: *(.*?)\s*\Z", answer, re.MULTILINE)
            if found is None:
                continue
            compared += 1
            one = judge_by_any(answer, asked)
            other = judge_by_any(answer[: found.start()] + MARKS[mark].format(found[1]), asked)
            verdicts = [(j.derivation, j.certain, j.solution, j.reason) for j in (one, other)]
            assert verdicts[0] == verdicts[1], (entry["id"], answer)
    assert compared > 1000
