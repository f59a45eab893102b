"""Verdicts that one can bet on: right and wrong are proved, anything else is undecided."""

from __future__ import annotations

import pickle
import re
import time
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from draw_dataset import derive, grade, score
from draw_dataset.data.sample import load_sample
from draw_dataset.reading.plain import plain_text
from draw_dataset.scoring.verdict import Reason
from draw_dataset.text.numbers import find_numbers


def row_of(question: str, solution: str) -> dict[str, object]:
    """Return the row that is derived from a problem with a worked solution."""
    made: dict[str, object] = derive([{"question": question, "answer": solution}], preset="gsm8k")[0]
    return made


def row_with_gold(
    question: str, derivation: str, solutions: list[float], same: Sequence[int] = ()
) -> dict[str, object]:
    """Return the row of a problem with a gold derivation; `same` are the numbers that mean one quantity."""
    numbers = find_numbers(question)
    places = [{"sentence": n.sentence, "token": n.token, "value": float(n.value)} for n in numbers]
    slots = sorted(set(re.findall(r"q\d+", derivation)))
    letters = dict(zip(slots, "abcdefgh", strict=False))
    return {
        "id": question,
        "question": question,
        "numbers": [
            {"index": i, "start": n.start, "end": n.end, "text": n.text, **place}
            for i, (n, place) in enumerate(zip(numbers, places, strict=True), 1)
        ],
        "equations": re.sub(r"q(\d+)", lambda q: str(float(numbers[int(q[1]) - 1].value)), derivation).split("; "),
        "solutions": solutions,
        "template": re.sub(r"q\d+", lambda slot: letters[slot[0]], derivation).split("; "),
        "alignment": [{"slot": letters[slot], **places[int(slot[1:]) - 1]} for slot in slots],
        "equiv_tnum": [[places[index - 1] for index in same]] if same else [],
    }


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
        (LAMP, SALE + "The answer isn't 60"),
        (LAMP, SALE + "It is not 60."),
        (LAMP, SALE + "The answer is 60 dozen"),
        (LAMP, SALE + "Answer: 0.6"),
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


# Words beside numbers, and roles

HENS = row_of(
    "A farmer has 4 hens. Each lays 6 eggs, and a crate costs 4 dollars and holds 8 eggs. How much do crates cost?",
    "4*6 = <<4*6=24>>24\n24/8 = <<24/8=3>>3\n3*4 = <<3*4=12>>12\n#### 12",
)
TICKETS = row_with_gold(
    "Adult tickets cost 7 dollars and child tickets cost 4 dollars . 30 tickets brought 162 dollars . "
    "How many adult tickets and how many child tickets were sold ?",
    "q1*m + q2*n = q4; m + n = q3",
    [14.0, 16.0],
)
EQUATIONS = "7x + 4y = 162\nx + y = 30\nx = 14\ny = 16\n"


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("4 hens * 6 eggs = 24. 24 / 8 = 3. 3 * 4 dollars = 12. #### 12", "right"),
        ("4 * 6 = 24. 24 / 8 = 3. 3 * 4 = 12. #### 12", "right"),
        ("4 hens * 6 = 24. 24 / 8 = 3. 3 * 4 hens = 12. #### 12", "wrong"),
        (
            "```python\nhens = 4\nlaid = hens * 6\ncrates = laid / 8\ncost = crates * hens\nprint(cost)\n```\n#### 12",
            "wrong",
        ),
        ("```python\nhens = 4\neggs = hens * 6\ncrates = eggs / 8\ncost = crates * 4\n```\n#### 12", "right"),
    ],
)
def test_words_tell_numbers_of_equal_value_apart(answer: str, status: str) -> None:
    verdict = grade({"answer": answer}, HENS)
    assert (str(verdict.status), verdict.solution) == (status, True), verdict.message


@pytest.mark.parametrize(
    ("answer", "status", "solution"),
    [
        (f"Let x be the adult tickets, y the child tickets.\n{EQUATIONS}14 adult and 16 child ones", "right", True),
        (f"{EQUATIONS}Answer: x = 14, y = 16", "right", True),
        (f"Let x be the children and y be the adults.\n{EQUATIONS}Answer: 14 and 16", "wrong", True),
        (f"x = child tickets\ny = adult tickets\n{EQUATIONS}Answer: 14 and 16", "wrong", True),
        (f"{EQUATIONS}So 14 child tickets and 16 adult tickets were sold.", "right", False),
        (f"{EQUATIONS}**Answer: Child tickets: 14, adult tickets: 16**", "right", False),
        (f"{EQUATIONS}Answer: adult = 14 and child = 16", "right", True),
    ],
)  # fmt: skip
def test_exchanged_roles_are_found_by_the_words_of_the_problem(answer: str, status: str, solution: bool) -> None:
    verdict = grade({"answer": answer}, TICKETS)
    assert (str(verdict.status), verdict.solution) == (status, solution), verdict.message
    assert (verdict.witness is not None) == (status == "wrong")


FERRY = (
    "A ferry took 14 people for 71 dollars . Grown-ups paid 7 dollars and pupils paid 4 dollars . "
    "How many grown-ups were there ?"
)
WITH_REST = row_with_gold(FERRY, "q3*m + q4*(q1 - m) = q2", [5.0])
WITHOUT_REST = row_with_gold(FERRY, "m + n = q1; q3*m + q4*n = q2", [5.0, 9.0])


@pytest.mark.parametrize("row", [WITH_REST, WITHOUT_REST], ids=["rest", "two"])
@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("Let g be the grown-ups. 7g + 4(14 - g) = 71, so g = 5. There are 5 grown-ups.", "right"),
        ("Let p be the number of pupils. 4p + 7(14 - p) = 71, so p = 9 and there are 14 - 9 = 5.", "right"),
        ("Let g be grown-ups and p be pupils. 7g + 4p = 71 and g + p = 14, so g = 5 and p = 9. So 5.", "right"),
        ("7x + 4(14 - x) = 71, so x = 5.", "right"),
        ("Let x be the number of people that pay 7 dollars. 7x + 4(14 - x) = 71, so x = 5.", "right"),
        ("Let g be grown-ups and p be pupils. 4g + 7p = 71 and g + p = 14, so g = 9 and p = 5. There are 5.", "wrong"),
        ("Let g be the grown-ups. 4g + 7(14 - g) = 71, so g = 9. There are 9 grown-ups.", "wrong"),
        ("Let p be the number of pupils. 7p + 4(14 - p) = 71, so p = 5. There are 5 grown-ups.", "wrong"),
    ],
)
def test_one_letter_and_what_it_leaves_of_a_total_are_two_roles(row: dict[str, Any], answer: str, status: str) -> None:
    verdict = grade({"answer": answer}, row)
    assert str(verdict.status) == status, verdict.message
    assert verdict.certain is (status == "right")
    assert (verdict.witness is not None) == (status == "wrong")


@pytest.mark.parametrize("row", [{**row, "asked": ["m"]} for row in (WITH_REST, WITHOUT_REST)], ids=["rest", "two"])
def test_a_setup_that_gold_s_value_contradicts_is_not_right_in_every_reading(row: dict[str, Any]) -> None:
    verdict = grade({"answer": "4n + 7(14 - n) = 71\nn = 9\nThe answer is 9."}, row)
    assert verdict.first_error is not None
    assert verdict.first_error.because == "Step 1 is wrong: with n = 5 this equation does not hold."
    assert (str(verdict.status), verdict.solution, verdict.certain) == ("right", False, False)
    slip = grade({"answer": "7n + 4(14 - n) = 71\n3n = 15\nn = 6\nThe answer is 6."}, row)
    assert (str(slip.status), slip.solution, slip.certain) == ("right", False, True)


def test_prices_without_a_thing_tell_no_roles() -> None:
    row = row_with_gold(
        "Tickets for adults and children cost 7 and 4 dollars respectively . 30 tickets brought 162 dollars . "
        "How many of each were sold ?",
        "q1*m + q2*n = q4; m + n = q3",
        [14.0, 16.0],
    )
    verdict = grade({"answer": f"Let x be the children and y the adults.\n{EQUATIONS}14 and 16"}, row)
    assert verdict.derivation  # nothing that is read says which ticket costs 7


def test_luck_is_found_although_the_parts_of_gold_are_there() -> None:
    row = row_of(
        "Nia sews 8 masks an hour for 3 hours. She gives 4 masks away and sells 5 masks. How many are left?",
        "8*3 = <<8*3=24>>24\n24-4 = <<24-4=20>>20\n20-5 = <<20-5=15>>15\n#### 15",
    )
    answer = "8 * 3 = 24. 24 - 4 = 20. 20 * 3 = 60. 60 / 4 = 15. The answer is 15."
    verdict = grade({"answer": answer}, row)
    assert (str(verdict.status), str(verdict.reason)) == ("wrong", "lucky"), verdict.message


def test_a_number_worked_out_in_the_head_is_no_luck() -> None:
    row = row_of(
        "Mo has 2 shelves with 9 books each and 3 boxes with 5 books each. He sells a box. How many books are left?",
        "2*9 = <<2*9=18>>18\n3*5 = <<3*5=15>>15\n15-5 = <<15-5=10>>10\n18+10 = <<18+10=28>>28\n#### 28",
    )
    verdict = grade({"answer": "2 * 9 = 18 books. The 2 boxes left have 2 * 5 = 10. 18 + 10 = 28. #### 28"}, row)
    assert str(verdict.status) != "wrong", verdict.message


def test_equations_are_not_right_by_what_may_have_been_in_the_head() -> None:
    question = "A choir that is 30 years old has 30 tenors . Tenors are two-fifths of it . How many sing in it ?"
    row = row_with_gold(question, "q3*m = q2", [75.0])
    assert grade({"answer": "(2/5) * x = 30 tenors\nx = 75\nAnswer: 75"}, row).derivation
    assert str(grade({"answer": "(2/5) * x = 30 years\nx = 75\nAnswer: 75"}, row).status) == "wrong"


def test_a_difference_of_two_numbers_is_not_a_one_that_may_be_left_out() -> None:
    question = (
        "Ira has 5 tapes and 4 discs . A disc costs 1 time what a tape costs and 1 dollar more . All cost 22 dollars . "
        "What do a tape and a disc cost ?"
    )
    row = row_with_gold(question, "n - q3*m = q4; q1*m + q2*n = q5", [2.0, 3.0])
    assert grade({"answer": "y - x = 1\n5x + 4y = 22\nx = 2\ny = 3"}, row).derivation
    assert not grade({"answer": "y - x = 5 - 4\n5x + 4y = 22\nx = 2\ny = 3"}, row).derivation


def test_names_in_a_list_have_a_value_each() -> None:
    answer = "7 * adult + 4 * child = 162\nadult + child = 30\nSo adult = 14 and child = 16."
    verdict = grade({"answer": answer}, TICKETS)
    assert (str(verdict.status), verdict.solution) == ("right", True), verdict.message


def test_a_witness_is_found_where_two_numbers_are_one_quantity() -> None:
    question = "A crew of 6 digs 48 metres . All 6 dig alike . 6 metres are left out . What does each dig ?"
    row = row_with_gold(question, "m = (q2 - q4)/q1", [7.0], same=(1, 3))
    verdict = grade({"answer": "48 + 6 = 54. 54 / 6 = 9. The answer is 9."}, row)
    assert str(verdict.status) == "wrong", verdict.message
    assert verdict.witness is not None
    lucky = grade({"answer": "48 / 6 = 8. 8 - 1 = 7. The answer is 7."}, row)
    assert lucky.message


def test_a_name_that_is_a_word_divides_like_any_other() -> None:
    row = row_of(
        "Each belt needs 5 feet of rope. Of 600 feet 5 friends get 20 feet each. How many belts can be made?",
        "5*20 = <<5*20=100>>100\n600-100 = <<600-100=500>>500\n500/5 = <<500/5=100>>100\n#### 100",
    )
    code = "feet = 5\ngifts = 5 * 20\nrest = 600 - gifts\nbelts = rest / feet\nprint(belts)"
    assert grade({"answer": f"```python\n{code}\n```\n#### 100"}, row).derivation
    unread = code.replace("gifts", "given")  # a word that names nothing, so that nothing behind it is read
    assert str(grade({"answer": f"```python\n{unread}\n```\n#### 100"}, row).status) != "wrong"


def test_python_adds_to_what_it_has_and_repeats() -> None:
    code = "total = 0\nfor _ in range(6):\n    total += 8\ntotal -= 5\nprint(total)"
    assert grade({"answer": f"```python\n{code}\n```\nThe answer is 43."}, PENS).derivation
    assert grade({"answer": "```python\nprint(6 * 8 - 5)\n```\nThe answer is 43."}, PENS).derivation
    open_loop = "pens = 6 * 8\nwhile pens > 43:\n    pens -= 1\nprint(pens)"
    assert str(grade({"answer": f"```python\n{open_loop}\n```\nThe answer is 43."}, PENS).status) != "wrong"


@pytest.mark.parametrize("blank", ["\u202f", "\u00a0", "\u2009", " "])
def test_a_blank_may_stand_within_a_number(blank: str) -> None:
    row = row_of(
        "A mill grinds 20 sacks an hour for 3600 hours. How many is that?",
        "20*3600 = <<20*3600=72000>>72000\n#### 72000",
    )
    assert grade({"answer": f"20 × 3{blank}600 = 72{blank}000 sacks".replace("3 600", "3600")}, row).derivation


def test_a_sentence_ends_where_it_ends() -> None:
    row = row_with_gold(
        "A wick is 30 cm long and burns 2 cm an hour . One of 24 cm burns 1 cm an hour . When are they equal ?",
        "q1 - q2*m = q3 - q4*m",
        [6.0],
    )
    verdict = grade({"answer": "Let x be what is asked for. 30 - 2 cm * x = 24 - x. So x = 6."}, row)
    assert verdict.derivation, verdict.message


def test_luck_is_proved_for_gold_that_is_an_equation() -> None:
    row = next(p for p in load_sample()["test"] if p.id == 95).to_row()
    verdict = grade({"answer": "34 - 25 = 9, 60 / 15 = 4, 9 - 4 = 5. The answer is 5."}, row)
    assert str(verdict.reason) == "lucky", verdict.message
    assert verdict.witness is not None
    sound = grade({"answer": "60 - 15 = 45, 34 - 25 = 9, 45 / 9 = 5. The answer is 5."}, row)
    assert (str(sound.status), sound.certain) == ("right", True), sound.message


def test_a_price_in_latex_keeps_its_sign() -> None:
    assert " ".join(plain_text(r"so \(\$5 + \$6 = \$11\) or $x = 2$").text.split()) == "so $5 + $6 = $11 or x = 2"


def test_a_number_added_twice_is_not_multiplied_by_a_two_of_the_text() -> None:
    row = row_of(
        "Gil swims 2 laps before noon and 5 times as many after noon. How many laps does he swim?",
        "5*2 = <<5*2=10>>10\n2+10 = <<2+10=12>>12\n#### 12",
    ) | {"alternatives": [], "status": "decided"}
    assert not grade({"answer": "5 + 2 laps = 7. 5 + 7 = 12. The answer is 12."}, row).derivation
    row = row_of(
        "Gil swims 3 laps before noon and 7 times as many after noon. How many laps does he swim?",
        "7*3 = <<7*3=21>>21\n3+21 = <<3+21=24>>24\n#### 24",
    )
    assert grade({"answer": "7 + 7 + 7 = 21 and 21 + 3 = 24. The answer is 24."}, row).derivation


@pytest.mark.parametrize("half", ["80 / 2 = 40", "1/2 * 80 = 40", "80 * 0.5 = 40"])
def test_a_part_of_the_text_is_certain_however_it_is_written(half: str) -> None:
    row = row_of(
        "Ned bakes 80 rolls. Half of the rolls are sold for 3 coins each. How many coins does he get?",
        "80/2 = <<80/2=40>>40\n40*3 = <<40*3=120>>120\n#### 120",
    )
    verdict = grade({"answer": f"{half}. 40 * 3 = 120. The answer is 120."}, row)
    assert (verdict.derivation, verdict.certain) == (True, True), verdict.message


def test_a_number_that_was_just_calculated_is_that_result() -> None:
    row = row_of(
        "A box holds 6 cups. Ida needs 36 cups, and a box costs $2. How much do her boxes cost?",
        "36/6 = <<36/6=6>>6\n6*2 = <<6*2=12>>12\n#### 12",
    )
    verdict = grade({"answer": "36 cups / 6 = 6 boxes. 6 boxes * $2 = $12. The answer is 12."}, row)
    assert (verdict.derivation, verdict.certain) == (True, True), verdict.message


def test_frozen_gold_is_trusted_although_a_constant_has_no_name() -> None:
    row = row_with_gold(
        "A hall has 21 doors and 12 rows of 6 seats. Each lamp lights four seats before and as many behind. "
        "How many lamps are there?",
        "m = q2*q3/8",
        [9.0],
    )
    derived = {**row, "status": "decided"}
    answer = {"answer": "21 - 12 = 9. The answer is 9."}
    assert str(grade(answer, derived).status) == "undecided"
    assert str(grade(answer, {**derived, "edition": 1}).status) == "wrong"


def test_equal_numbers_taken_together_are_no_luck_where_ones_are_left_out_too() -> None:
    row = row_with_gold(
        "Una has 3 pens and 3 cups . One pen costs 16 and one cup 42 . What do all cost ?",
        "m = q1*q4/q3 + q2*q6/q5",
        [174.0],
    )
    verdict = grade({"answer": "16 + 42 = 58. 3 * 58 = 174. The answer is 174."}, {**row, "edition": 1})
    assert str(verdict.status) != "wrong", verdict.message


SOLD = "6*8 = 48, 48-5 = 43. "


@pytest.mark.parametrize(
    "ending",
    [
        r"\boxed{43}. Wait, that is wrong. It should be 40.",
        "The answer is 43. Actually, it is 40.",
        "The answer is 43, no, 40.",
        "#### 40\n#### 43 is wrong",
        r"\boxed{43 + 7}",
        r"\boxed{2 \cdot 43}",
        r"\boxed{43^2}",
        r"\boxed{\sqrt{43}}",
        "The answer is 43 - 3.",
        "The answer is half of 43.",
        "The answer is 43k.",
        "The answer is 40-43.",
        "The answer is between 43 and 48.",
        r"\boxed{>43}",
        r"\boxed{43 \leq x \leq 48}",
        "The answer is forty-one pens.",
    ],
)
def test_a_result_that_is_taken_back_or_only_a_part_of_a_mark_is_none(ending: str) -> None:
    assert not grade({"answer": SOLD + ending}, PENS).solution


@pytest.mark.parametrize(
    "ending",
    [
        r"\boxed{43}",
        r"\boxed{48 - 5 = 43}",
        r"\boxed{43^\circ}",
        "The answer is 43 pens.",
        "The answer is 43!",
        "She does not wait, so 43 are left. The answer is 43.",
        "I hope this helps!\n#### 43",
        "So 43 are left.\n\nI hope this helps! Let me know if you have 2 or 3 more questions.",
    ],
)
def test_a_result_may_stand_beside_signs_and_a_farewell(ending: str) -> None:
    verdict = grade({"answer": SOLD + ending}, PENS)
    assert (str(verdict.status), verdict.solution) == ("right", True), verdict.message


@pytest.mark.parametrize(
    "answer",
    [
        "Let x be the pens left. x = 6*8 - 5 = 43.",
        "Let x be the pens. x = 6*8 = 48. Left are x - 5 = 43.",
    ],
)
def test_an_expression_in_a_letter_that_is_known_gives_the_result(answer: str) -> None:
    verdict = grade({"answer": answer}, PENS)
    assert (str(verdict.status), verdict.solution) == ("right", True), verdict.message


def test_letters_with_each_others_values_are_no_solution() -> None:
    equations = "7a + 4c = 162 and a + c = 30. "
    assert grade({"answer": f"{equations}So a = 14 and c = 16."}, TICKETS).solution
    assert not grade({"answer": f"{equations}So a = 16 and c = 14."}, TICKETS).solution


def test_a_list_with_other_values_is_no_solution() -> None:
    row = row_with_gold(
        "The sum of two numbers is 30 . Their difference is 4 . Find the numbers .",
        "m + n = q2; m - n = q3",
        [17.0, 13.0],
    )
    right = "x + y = 30, x - y = 4. The numbers are 17 and 13."
    assert grade({"answer": right}, row).solution
    assert not grade({"answer": right.replace("13.", "14.")}, row).solution


LISTS = (
    "Answer: " + ", ".join(map(str, range(50))),
    "It is " + " or ".join(map(str, range(10, 50))) + ".",
    "The numbers are " + " and ".join(map(str, range(50))) + ".",
    "Answer: " + " ".join(map(str, range(50))),
    "Answer: " + ", ".join(f"x = {number}" for number in range(50)),
    "Answer: " + ", ".join(f"{number} dollars" for number in range(50)),
    "\n".join(f"- {number} coins" for number in range(50)),
)


@pytest.mark.parametrize("answer", LISTS, ids=[answer[:24] for answer in LISTS])
def test_a_list_of_many_numbers_is_right_nowhere(answer: str) -> None:
    for problems in load_sample().values():
        for problem in problems:
            assert not grade({"answer": answer}, problem).solution, problem.id


def test_as_many_numbers_as_are_asked_for_may_stand_in_a_row() -> None:
    problem = load_sample()["train"][0]
    for answer in ("Answer: 23, 18", "23 and 18", "Mona is 23, Faisal is 18"):
        assert grade({"answer": answer}, problem).solution, answer
    refused = grade({"answer": "Answer: 23, 18, 41"}, problem)
    assert (refused.solution, refused.reason) == (False, Reason.NO_DERIVATION)
    assert "several numbers" in refused.message


FERRY = row_with_gold(
    "A ferry needs 45 minutes for the 6 miles down the river and 90 minutes for the way back . "
    "How fast is the current in miles per hour , and how fast is the ferry in still water ?",
    "q1/60*(n + m) = q2; q3/60*(n - m) = q2",
    [2, 6],
)
FRIENDS = row_with_gold(
    "Two friends walk in opposite directions . One is twice as fast as the other . After 40 minutes they are 4 miles "
    "apart . How fast is the faster one in miles per hour ?",
    "m = q2*n; q3/60*(m + n) = q4",
    [4, 2],
)


@pytest.mark.parametrize(
    ("row", "answer", "status"),
    [
        (
            FERRY,
            "45 minutes = 3/4 hour, 90 minutes = 3/2 hours. (b + c)*3/4 = 6, so b + c = 8. (b - c)*3/2 = 6, so "
            "b - c = 4. b = 6 and c = 2. The current is 2 mph and the ferry 6 mph.",
            "right",
        ),
        (
            FRIENDS,
            "The speeds are x and 2x. 40 minutes = 2/3 hour. (x + 2x) * 2/3 = 4, so 2x = 4, x = 2. The faster: 4 mph.",
            "right",
        ),
        (FRIENDS, "The speeds are x and 2x. (2/3)(3x) = 4 gives x = 2. The faster one walks at 4 mph.", "undecided"),
        (FRIENDS, "The speeds are x and 3x - 2. x + x = 4, x = 2. The faster one: 4 mph.", "wrong"),
    ],
)
def test_a_part_of_an_hour_is_the_minutes_of_the_text(row: dict[str, object], answer: str, status: str) -> None:
    assert str(grade({"answer": answer}, row).status) == status


AUNT = row_with_gold(
    "Rosa is 9 years older than Tim . 8 years ago , the sum of their ages was 25 . How old is each of them now ?",
    "m - n = q1; m - q2 + n - q2 = q3",
    [25, 16],
)
TWICE = row_with_gold(
    "The sum of two numbers is twice their difference . The larger one is 5 more than twice the smaller one . "
    "Find the numbers .",
    "m + n = q2*(m - n); m = q4*n + q3",
    [15, 5],
)


@pytest.mark.parametrize(
    ("row", "answer", "status"),
    [
        # 1 is 9 - 8, worked out in the head.
        (AUNT, "Tim is x, Rosa x + 9. They were x - 8 and x + 1. x - 8 + x + 1 = 25, x = 16. So 25 and 16.", None),
        (TWICE, "The sum is x + (2x + 5) = 3x + 5, the difference (2x + 5) - x = x + 5. 3x + 5 = 2(x + 5), x = 5. "
                "The numbers are 5 and 15.", "right"),
        (AUNT, "x + y = 41 and x = 25, so y = 16. They are 25 and 16.", None),
    ],
)  # fmt: skip
def test_what_the_answer_put_into_another_form_is_no_luck(
    row: dict[str, object], answer: str, status: str | None
) -> None:
    found = str(grade({"answer": answer}, row).status)
    assert found == status if status else found != "wrong"


@pytest.mark.parametrize(
    ("part", "answer", "status"),
    [
        ("Half", "Half of 36 is 18.", "right"),
        ("Half", "half of 36 = 18", "right"),
        ("A third", "A third of 36 is 12.", "right"),
        ("Half", "Half is red.", "undecided"),
        ("Half", "A third of 36 is 12.", "undecided"),
    ],
)
def test_a_part_of_a_number_in_words_is_a_calculation(part: str, answer: str, status: str) -> None:
    question = f"Ann has 36 beads . {part} of them are red . How many are red ?"
    solution = "36*1/2" if part == "Half" else "36*1/3"
    verdict = grade(answer, question=question, solution=solution)
    assert str(verdict.status) == status, verdict.message
