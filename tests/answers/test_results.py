"""The result of an answer: the number that it gives, and whether that is gold's, rounded or in another unit."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from experiments.answers import References

from draw_dataset import grade, read_answer
from draw_dataset.data.sample import load_sample
from draw_dataset.deriving.solutions import worked_golds
from draw_dataset.scoring.answers import JudgedAnswer, judge_by_any
from draw_dataset.scoring.gold import GoldForAnswers, gold_values
from draw_dataset.scoring.options import Options
from draw_dataset.scoring.verdict import Reason

PATIO = "Rosa has 40 tiles . She lays 9 in the hall and 14 on the patio . How many tiles are left ?"
PATIO_SOLUTION = "9+14=<<9+14=23>>23. 40-23=<<40-23=17>>17\nA: 17"


def judge(answer: str, question: str = PATIO, solution: str = PATIO_SOLUTION) -> JudgedAnswer:
    golds = worked_golds(question, solution)
    return judge_by_any(
        answer,
        [
            GoldForAnswers(gold, tuple(range(len(gold.numbers))), gold_values(gold), question, chain=True)
            for gold in golds
        ],
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


class Marked(NamedTuple):
    """An answer that ends in a marked number: its text before the mark, the number, and the verdict."""

    asked: list[GoldForAnswers]
    before: str
    number: str
    verdict: tuple[object, ...]


def verdict_of(answer: str, asked: list[GoldForAnswers]) -> tuple[object, ...]:
    judged = judge_by_any(answer, asked)
    return judged.derivation, judged.certain, judged.solution, judged.reason


@pytest.fixture(scope="module")
def marked(answers_dir: Path) -> list[Marked]:
    """Every second problem, for time; the others agree as well."""
    references, found = References(None), []
    with (answers_dir / "gsm8k_models.jsonl").open(encoding="utf-8") as lines:
        entries: list[dict[str, Any]] = [json.loads(line) for line in lines][::2]
    for entry in entries:
        asked = references.of_solution(entry["id"], entry["question"], entry["solution"])
        for answer in entry["answers"].values() if asked else ():
            mark = re.search(r"^[ ]*A: *(.*?)\s*\Z", answer, re.MULTILINE)
            if mark is not None:
                found.append(Marked(asked, answer[: mark.start()], mark[1], verdict_of(answer, asked)))
    assert len(found) > 1000
    return found


STYLES = [mark for mark in MARKS if mark != "a" and "heading" not in mark and "box in" not in mark]


@pytest.mark.answers
@pytest.mark.parametrize("mark", STYLES)
def test_the_style_of_the_mark_changes_no_verdict(marked: list[Marked], mark: str) -> None:
    for one in marked[STYLES.index(mark) % 2 :: 2]:  # half of the answers each, so that every answer meets four styles
        assert verdict_of(one.before + MARKS[mark].format(one.number), one.asked) == one.verdict, one.before
