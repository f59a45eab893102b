"""Verdicts that one can bet on: right and wrong are proved, anything else is undecided."""

from __future__ import annotations

import pickle
import time
from fractions import Fraction

import pytest

from draw_dataset import derive, grade, score
from draw_dataset.data.sample import load_sample


def row_of(question: str, solution: str) -> dict[str, object]:
    """Return the row that is derived from a problem with a worked solution."""
    made: dict[str, object] = derive([{"question": question, "answer": solution}], preset="gsm8k")[0]
    return made


PENS = row_of(
    "Tina has 6 boxes with 8 pens each. She gives 5 pens to a friend. How many pens does she have left?",
    "6*8 = <<6*8=48>>48\n48-5 = <<48-5=43>>43\n#### 43",
)
LAMP = row_of(
    "A shop sells a lamp for $80. It gives 25% off. How much does the lamp cost now?",
    "80*25/100 = <<80*25/100=20>>20\n80-20 = <<80-20=60>>60\n#### 60",
)
EGGS = row_of(
    "Ben packs 4 dozen eggs and 2 loose eggs in boxes of 5. How many boxes does he fill?",
    "4*12 = <<4*12=48>>48\n48+2 = <<48+2=50>>50\n50/5 = <<50/5=10>>10\n#### 10",
)
RIDE = row_of(
    "Uma rides 3 miles at 440 feet per minute. How many minutes does she need?",
    "3*5280 = <<3*5280=15840>>15840\n15840/440 = <<15840/440=36>>36\n#### 36",
)
WORK = "6*8 = 48. 48 - 5 = 43."
SALE = "80*0.25 = 20, 80 - 20 = 60. "


@pytest.mark.parametrize(
    ("row", "answer"),
    [
        (PENS, "**Pens in boxes:** 6 boxes x 8 pens/box = 48 pens.\n\nLeft: 48 pens - 5 pens = **43 pens**."),
        (PENS, "Pens = 6 × Pens per box\n= 6 × 8\n= 48\nLeft = Pens - 5 = 48 - 5 = 43\nAnswer: 43"),
        (PENS, "Tina has 48 pens (6 boxes × 8 pens each), so 48 - 5 = 43 are left."),
        (PENS, r"\[ \text{Total} = 6 \times 8 = 48 \] \[ \text{Left} = 48 - 5 = \boxed{43} \]"),
        (PENS, "```python\nboxes = 6\nper_box = 8\ntotal = boxes * per_box\nleft = total - 5\nprint(left)\n```\n43"),
        (PENS, "8 + 8 + 8 + 8 + 8 + 8 = 48 and 48 - 5 = 43."),
        (PENS, "```python\ntotal = sum([8, 8, 8, 8, 8, 8])\nleft = total - 5\n```\nThe answer is 43."),
        (LAMP, "75% of 80 is 0.75 * 80 = 60 dollars."),
        (LAMP, "80 * (1 - 0.25) = 80 * 0.75 = $60"),
        (
            EGGS,
            "He has (4 dozen eggs (4 * 12 = 48 eggs) + 2 loose eggs) = 50 eggs, and 50 eggs / 5 eggs/box = 10 boxes.",
        ),
        (
            RIDE,
            "1 mile = 5280 feet, so 3 miles * 5280 feet/mile = 15840 feet; 15840 feet / 440 feet/minute = 36 minutes",
        ),
        (PENS, "Тина имеет 6 * 8 = 48 ручек. Осталось 48 - 5 = 43.\n\nОтвет: 43"),
    ],
)
def test_a_sound_answer_is_right(row: dict[str, object], answer: str) -> None:
    verdict = grade({"answer": answer}, row)
    assert (str(verdict.status), verdict.solution) == ("right", True), verdict.message
    assert verdict.witness is None


@pytest.mark.parametrize(
    ("row", "answer"),
    [
        (LAMP, SALE + "#### not 60"),
        (LAMP, SALE + "#### less than 60"),
        (LAMP, SALE + r"\boxed{x}"),
        (LAMP, SALE + "Answer: none"),
        (LAMP, SALE + "#### 60 cents"),
        (LAMP, SALE + "#### 6000"),
        (LAMP, "#### 20\n\nNote: 80*0.25 = 20, 80 - 20 = 60"),
        (LAMP, "<answer>20</answer> " + SALE),
        (PENS, "Answer: 48\n" + WORK),
        (PENS, WORK + "\nThe answer is 48, not 43."),
        (PENS, WORK + "\n#### 43 thousand"),
        (PENS, WORK + "\n\\boxed{43, 48}"),
        (PENS, "<thinking>" + WORK),
        (PENS, "[THINK]" + WORK),
    ],
)
def test_a_wrong_result_does_not_pass(row: dict[str, object], answer: str) -> None:
    assert not grade({"answer": answer}, row).solution


@pytest.mark.parametrize(
    "answer",
    [
        "There are 48 states in the story. The answer is 43.",
        "2 + 2 = 4. 48 cats. The answer is 43",
        "6*8 = 48, 48 - 6 = 42, 42 + 1 = 43",
        "I think it is 43.",
    ],
)
def test_a_way_that_nobody_can_follow_is_not_right(answer: str) -> None:
    verdict = grade({"answer": answer}, PENS)
    assert verdict.solution
    assert not verdict.derivation


@pytest.mark.parametrize(
    "answer",
    [
        "6*8 = 48, minus 5 is 43",
        "6*8 = 48, and 5 fewer is 43 pens.",
        "6*8-5 = 43. Check: 43 + 5 = 48.",
        WORK + " Tina has 43 of her 48 pens left.",
        "8+8=16; 16+8=24; 24+8=32; 32+8=40; 40+8=48; 48-5=43",
    ],
)
def test_what_was_not_understood_is_never_called_wrong(answer: str) -> None:
    assert str(grade({"answer": answer}, PENS).status) != "wrong"


def test_luck_is_proved_by_numbers_at_which_both_differ() -> None:
    row = row_of(
        "Kim plants 9 rows of 4 roses. 6 roses die. How many roses are left?",
        "9*4 = <<9*4=36>>36\n36-6 = <<36-6=30>>30\n#### 30",
    )
    verdict = grade({"answer": "6 * 9 = 54, 54 - 6 * 4 = 54 - 24 = 30. The answer is 30."}, row)
    assert (str(verdict.status), str(verdict.reason), verdict.solution) == ("wrong", "lucky", True)
    witness = verdict.witness
    assert witness is not None
    assert str(witness) in verdict.message
    numbers = {"q1": Fraction(9), "q2": Fraction(4), "q3": Fraction(6)} | dict(witness.numbers)
    q1, q2, q3 = numbers.values()
    assert (witness.answer, witness.gold) == (q3 * q1 - q3 * q2, q1 * q2 - q3)
    assert pickle.loads(pickle.dumps(verdict)).witness == witness
    assert verdict.to_dict()["witness"] == witness.to_dict()


def test_a_wrong_result_that_is_calculated_as_written_is_proved_wrong() -> None:
    verdict = grade({"answer": "6 + 8 = 14 and 14 - 5 = 9. The answer is 9."}, PENS)
    assert (str(verdict.status), str(verdict.reason)) == ("wrong", "other")
    assert verdict.witness is not None
    assert (verdict.witness.numbers, verdict.witness.answer, verdict.witness.gold) == ({}, 9, 43)


def test_another_unit_beside_the_result_is_converted() -> None:
    minutes = row_of(
        "Lea swims 45 minutes on each of 4 days. How long does she swim in all?", "45*4 = <<45*4=180>>180\n#### 180"
    )
    verdict = grade({"answer": "45 minutes * 4 = 180 minutes and 180 / 60 = 3 hours. Answer: 3 hours"}, minutes)
    assert (verdict.solution, verdict.derivation) == (True, True)
    assert not grade({"answer": "45 / 4 = 11.25 and so 3 weeks. Answer: 3 weeks"}, minutes).solution


def test_an_undecided_verdict_quotes_what_was_not_understood() -> None:
    verdict = grade({"answer": "Somehow 77 - 34 = 43.\nThe answer is 43."}, PENS)
    assert (str(verdict.status), str(verdict.reason)) == ("undecided", "undecided")
    assert "Somehow 77 - 34 = 43" in verdict.message


def test_scores_bound_what_is_undecided() -> None:
    answers = [WORK, "I think it is 43.", "6 + 8 = 14 and 14 - 5 = 9. The answer is 9.", ""]
    found = score([{"answer": text} for text in answers], [PENS] * 4)
    assert found.derivation_accuracy == 0.25
    assert found.derivation_accuracy_upper == 0.5
    assert found.decided == 0.75
    assert found.to_dict()["derivation_accuracy_upper"] == 0.5


def test_templates_are_decided() -> None:
    row = load_sample()["train"][0].to_row()
    right, wrong, unread = (grade(text, row) for text in ("m = n + q2; m + n = q3", "m = q1; n = q2", "m +"))
    assert [str(verdict.status) for verdict in (right, wrong, unread)] == ["right", "wrong", "undecided"]


HOSTILE = {
    "doubling": ". ".join(f"{2**n} + {2**n} = {2 ** (n + 1)}" for n in range(60)) + ". The answer is 43",
    "chain": ". ".join(f"{6 + 3 * n}+1+1+1={9 + 3 * n}" for n in range(400)) + ". The answer is 43",
    "unexplained": ". ".join("+".join(str(13 + (7 * n + m) % 80) for m in range(39)) + "=43" for n in range(40)),
    "decimals": "\n".join(f"{n}.37 * 1.41 = {1.41 * (n + 0.37):.2f}" for n in range(300)),
    "powers": "9^4^4^4 " * 400,
    "brackets": "((6*8)" * 1300 + " 43",
    "mixed": "6 1/2 + " * 1000,
    "equal values": "\n".join(["6 * 8 = 48", "48 - 5 = 43", "43 + 5 = 48", "48 / 8 = 6"] * 150),
    "open sum": "The total is 2 + 3 + (6 * 8) × pens. The answer is 43",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_takes_long_or_raises(name: str) -> None:
    start = time.thread_time()
    verdict = grade({"answer": HOSTILE[name]}, PENS)
    assert verdict.message
    assert verdict.to_dict()
    # Work is counted; the bound is for busy machines.
    assert time.thread_time() - start < 5
