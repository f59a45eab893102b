"""Ways of writing that mislead a reader: each is a problem and an answer of our own, with the right verdict."""

from __future__ import annotations

from typing import Any

import pytest

from draw_dataset import grade
from draw_dataset.deriving.solutions import worked_golds
from draw_dataset.errors import ReadError, RowError
from draw_dataset.reading.answer import cached_number_origins, read_answer
from draw_dataset.scoring.answers import judge_by_any
from draw_dataset.scoring.gold import GoldForAnswers, gold_values
from draw_dataset.text.numbers import find_numbers


def row_of(question: str, gold: str, equations: list[str], solutions: list[float]) -> dict[str, Any]:
    """Return a row whose gold is given in q-notation, each slot named by the number's place: qa is the first."""
    numbers = find_numbers(question)
    slots = sorted({word for word in gold.replace("(", " ").replace(")", " ").split() if word.startswith("q")})
    template, alignment = gold, []
    for place, slot in enumerate(slots):
        letter, number = "abcdefgh"[place], numbers[int(slot[1:]) - 1]
        template = template.replace(slot, letter)
        alignment.append(
            {"slot": letter, "sentence": number.sentence, "token": number.token, "value": float(number.value)}
        )
    listed = [
        {"index": n.index, "sentence": n.sentence, "token": n.token, "start": n.start, "end": n.end, "text": n.text,
         "value": float(n.value)}
        for n in numbers
    ]  # fmt: skip
    return {
        "id": 1, "question": question, "numbers": listed, "equations": equations, "solutions": solutions,
        "template": template.split(" ; "), "alignment": alignment, "equiv_tnum": [], "findings": [],
    }  # fmt: skip


FERRY = row_of(
    "A ferry needs 3 hours for 36 miles with the tide , and 9 hours for the way back . How fast is the tide ?",
    "q1 * m + q1 * n = q2 ; q3 * m - q3 * n = q2",
    ["3*(b+c) = 36", "9*(b-c) = 36"],
    [8.0, 4.0],
)
PAINTERS = row_of(
    "Ada paints a hall in 4 days , Ben in 6 days and Cleo in 3 days . How long do they need together ?",
    "m / q1 + m / q2 + m / q3 = 1",
    ["(1/4 + 1/6 + 1/3)*x = 1"],
    [4 / 3],
)
TOWNS = row_of(
    "Oakby has 3.6 million trees and loses 0.2 million a year . Elmby has 1.2 million and gains 0.1 million a year . "
    "When are they even ?",
    "q1 - q2 * m = q3 + q4 * m",
    ["3600000 - 200000*x = 1200000 + 100000*x"],
    [8.0],
)
WALKERS = row_of(
    "Two walkers 54 km apart go toward each other at 4 km/h and 5 km/h . When do they meet ?",
    "q3 * m + q4 * m = q2",
    ["4*x + 5*x = 54"],
    [6.0],
)
AGES = row_of(
    "A mother is now 3 times as old as her son . 8 years ago she was 5 times as old . How old is each ?",
    "m = q1 * n ; m - q2 = q3 * ( n - q2 )",
    ["m = 3*n", "m - 8 = 5*(n - 8)"],
    [48.0, 16.0],
)
PARTS = row_of(
    "One number is 20 % of another , and the other is 24 more . What are the numbers ?",
    "m = 0.01 * q1 * n ; n = m + q2",
    ["x = 0.01*20*y", "y = x + 24"],
    [6.0, 30.0],
)
WAGES = row_of(
    "A guard earns $ 30 for each day at work and loses $ 6 for each day off . After 20 days he has $ 456 . "
    "How many days did he work ?",
    "q1 * m - q2 * n = q4 ; m + n = q3",
    ["30*x - 6*y = 456", "x + y = 20"],
    [16.0, 4.0],
)
BRINE = row_of(
    "A vat holds 40 liters of brine with 50 % salt . How much must be drained and replaced with brine of 20 % salt to "
    "come to 35 % ?",
    "0.01 * q2 * q1 - 0.01 * q2 * m + 0.01 * q3 * m = 0.01 * q4 * q1",
    ["0.01*50*(40-x) + 0.01*20*x = 0.01*35*40"],
    [20.0],
)

CARDS = row_of(
    "A card costs $ 60 and $ 25 a month , another $ 15 and $ 34 a month . When are they even ?",
    "q1 + q2 * m = q3 + q4 * m",
    ["60+25*x = 15+34*x"],
    [5.0],
)

RIGHT = {
    "a number of the text that is the result of an equation, too": (
        FERRY, "36 = (b + c) * 3\nSo b + c = 12.\n36 = (b - c) * 9, so b - c = 4.\n2c = 8, c = 4."),
    "a result that the next number of the text equals": (
        row_of("A ferry needs 4 hours for 24 miles with the tide , and 6 hours back . How fast is the tide ?",
               "q1 * m + q1 * n = q2 ; q3 * m - q3 * n = q2", ["4*(b+c) = 24", "6*(b-c) = 24"], [5.0, 1.0]),
        "24 = (b + c) * 4\nThis gives b + c = 6.\n24 = (b - c) * 6\nThis gives b - c = 4.\n2c = 2 and c = 1."),
    "a fraction that is multiplied across": (
        PAINTERS, "Together they paint 1/4 + 1/6 + 1/3 = 9/12 of the hall in a day.\n9x = 12\nx = 4/3 days"),
    "millions": (
        TOWNS, "3.6 - 0.2t = 1.2 + 0.1t\n2.4 = 0.3t\nt = 8 years"),
    "x for times behind a unit": (
        WALKERS, "Each goes speed x time:\n4 km/h x t + 5 km/h x t = 54 km\n9 km/h x t = 54 km\nt = 6 hours"),
    "x for times behind brackets and a unit": (
        row_of("Two cyclists 54 km apart meet after 3 hours . One is 4 km/h faster . How fast is each ?",
               "q1 * m + q1 * n = q0 ; m = n + q2".replace("q2", "q4").replace("q1", "q3").replace("q0", "q2"),
               ["3*x + 3*y = 54", "x = y + 4"], [11.0, 7.0]),
        "distance = v km per hour x 3 hours = 3v km\ndistance = (v + 4) km per hour x 3 hours = 3(v + 4) km\n"
        "3v + 3(v + 4) = 54\n6v + 12 = 54\nv = 7, and the other is 11."),
    "numbers inside the name of a side": (
        AGES, "Mother's age = 3s\nMother's age 8 years ago = 5(s - 8)\n3s - 8 = 5(s - 8)\n3s - 8 = 5s - 40\ns = 16\n"
        "Mother's age = 48"),
    "a name in brackets behind a number": (
        PARTS, "larger number = x + 24\nsmaller number = 0.20 (larger number)\nx = 0.20(x + 24)\nx = 0.2x + 4.8\n"
        "x = 6\nThe numbers are 6 and 30."),
    "expressions in brackets that explain words": (
        WAGES, "He earns 30x. He loses 6(20 - x) = 120 - 6x. What he earns (30x) minus what he loses (120 - 6x) is "
        "equal to $456:\n30x - (120 - 6x) = 456\n36x = 576\nx = 16"),
    "an amount in the words of a side": (
        BRINE, "Salt in the remaining 40 - x liters of old brine = 0.5(40 - x) = 20 - 0.5x\n"
        "Salt in x liters of 20% brine = 0.2x\n(20 - 0.5x + 0.2x)/40 = 0.35\n20 - 0.3x = 14\nx = 20"),
    "a number that is left of brackets, subtracted": (
        AGES, "The mother is 3s. 8 years ago she was 3s - 8, and he was s - 8.\n5(s - 8) = 5s - 40\n3s - 8 = 5s - 40\n"
        "32 = 2s\ns = 16, so she is 48."),
    "rates that have names": (
        PAINTERS, "Ada's rate = 1/4\nBen's rate = 1/6\nCleo's rate = 1/3\nCombined rate = Ada's rate + Ben's rate + "
        "Cleo's rate\nCombined rate = 1/4 + 1/6 + 1/3 = 3/4\nTime = 1 / (3/4)\nTime = 4/3 days"),
    "something that does not hold for the result": (
        PARTS, "y / x = 20\nI mean x = 20/100 of y, so x = 0.2y.\ny = x + 24\n0.8y = 24\ny = 30\nx = 6"),
    "one letter for two things": (
        row_of("Mo lends some money at 9 % and $ 100 less at 7 % . He gets $ 73 . How much does he lend at 9 % ?",
               "0.01 * q1 * m + 0.01 * q3 * n = q4 ; n = m - q2",
               ["0.01*9*x + 0.01*7*y = 73", "y = x - 100"], [500.0, 400.0]),
        "First: I = 0.09x\nSecond: I = 0.07(x - 100)\n73 = 0.09x + 0.07(x - 100)\n80 = 0.16x\nx = 500"),
    "a chain of fractions in LaTeX": (
        PAINTERS, r"$\frac{1}{4}+\frac{1}{6}+\frac{1}{3}=\frac{9}{12}=\frac{3}{4}$. "
        r"Time $=\dfrac{1}{3/4}=\dfrac{4}{3}$ days."),
    "which of two is larger": (
        FERRY, "Let b and c be the speeds, where b > c and c ≠ 0.\n3(b + c) = 36\n9(b - c) = 36\nb = 8 and c = 4"),
    "a part that was written another way before": (
        row_of("Two sums are in the ratio 3 to 7 . Two-fifths of both together are $ 48 . How large are they ?",
               "q2 * n = q3 * m ; q4 * ( m + n ) = q5", ["3*y = 7*x", "0.4*(x + y) = 48"], [36.0, 84.0]),
        "Let them be 3x and 7x.\nTogether they are 3x + 7x = 10x.\n(2/5)(10x) = 4x\n4x = 48\nx = 12\n"
        "So they are 3x = 36 and 7x = 84."),
    "lines that go on, and work that has a letter": (
        PAINTERS, "Let the hall be W.\nrate of Ada = W ÷ 4\nrate of Ben = W ÷ 6\nrate of Cleo = W ÷ 3\n"
        "all rates = W ÷ 4 + W ÷ 6 + W ÷ 3\n = W × (1/4 + 1/6 + 1/3)\n = W × 3/4\n"
        "time = work ÷ rate\n = W ÷ (W × 3/4)\n = 4/3 days"),
    "numbers of equations behind dashes": (
        FERRY, "3(b + c) = 36  ----(1)\n9(b - c) = 36  ----(2)\nFrom (1), b + c = 12.\nb - c = 4\nb = 8, c = 4"),
    "a mixed number in words": (
        row_of("A tap fills a tub in 7 minutes , another in 3 . How many minutes do both need for 1 tub ?",
               "m / q1 + m / q3 = 1".replace("q3", "q2"), ["x/7 + x/3 = 1"], [2.1]),
        "t/7 + t/3 = 1\n10t = 21\nt = 2 and 1/10\nThey need 2 and 1/10 minutes."),
    "a check at the end": (
        FERRY, "3(b + c) = 36\n9(b - c) = 36\nb = 8 and c = 4\n\nSo the boat does 8 and the tide 4.\n\nCheck:\n"
        "3(8 + 4) = 36\n\nAnd 36 = 36, yes."),
    "a slip of which nothing comes": (
        FERRY, "3(b + c) = 36\n9(b - c) = 36\nb + c = 13\nno, b + c = 12\nb - c = 4\nb = 8\nc = 4"),
    "a letter that is a unit elsewhere": (CARDS, "1. 60 + 25m = 15 + 34m\n\nIt is 5."),
    "sides that differ by a letter": (
        CARDS, "Cost of A = 60 + 25m\nCost of B = 15 + 34m\nCost of A = cost of B\nm = 5"),
    "a remark in brackets inside a quotient": (
        PAINTERS, "rate = 1/4 + 1/6 + 1/3\nrate = 3/4\ntime = 1 (the hall) / rate\ntime = 1 / (3/4) = 4/3 days"),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_derivation_is_found(name: str) -> None:
    row, answer = RIGHT[name]
    verdict = grade({"answer": answer}, row)
    assert verdict.derivation, (verdict.message, verdict.reading)
    assert verdict.solution, verdict.message


def test_a_later_attempt_counts_though_a_slip_follows_it() -> None:
    answer = (
        "Let s be the son. She is 3s.\n3s - 8 = 5(s - 8)\n3s - 8 = 5s - 40\n3s - 32 = 5s\ns = -16\n"
        "A negative age, so I made a mistake. Let's reassign.\n3s + 8 = 5(s + 8)\n3s + 8 = 5s + 40\ns = 20"
    )
    verdict = grade({"answer": answer}, AGES)
    assert not verdict.derivation
    assert len(verdict.reading.attempts) == 2


def test_one_solved_step_is_no_attempt() -> None:
    answer = (
        "3(b + c) = 36\n9(b - c) = 36\nb + c = 12\nb - c = 4\n2b = 18\nThat was a mistake.\n"
        "2b = 16, b = 8\n3(8 + c) = 36\nc = 4"
    )
    assert grade({"answer": answer}, FERRY).derivation


DIGITS = row_of(
    "The digits of a two-digit number add up to 9 . With the digits reversed it is 27 less . What is the number ?",
    "m + n = q2 ; 10 * m + n - 10 * n - m = q3".replace("q2", "q1").replace("q3", "q2"),
    ["x + y = 9", "10*x + y = 10*y + x + 27"],
    [6.0, 3.0],
)


def test_one_digit_is_not_the_number() -> None:
    setup = "a + b = 9\n10a + b = 10b + a + 27\n"
    assert grade({"answer": f"{setup}a = 6, b = 3.\n\nThe number is 63."}, DIGITS).solution
    assert not grade({"answer": f"{setup}So a = 6.\n\nThe number is 6."}, DIGITS).solution


def test_a_row_says_what_is_asked_for() -> None:
    row = {**FERRY, "alternatives": [], "asked": ["n"]}
    setup = "3(b + c) = 36\n9(b - c) = 36\n"
    assert grade({"answer": f"{setup}c = 4"}, row).solution
    assert not grade({"answer": f"{setup}b = 8"}, row).solution
    assert grade({"answer": f"{setup}b = 8"}, {**row, "asked": []}).solution
    with pytest.raises(RowError, match="asked"):
        grade({"answer": f"{setup}c = 4"}, {**row, "asked": ["m +"]})


def test_a_number_of_the_text_is_no_result_in_another_unit() -> None:
    verdict = grade({"answer": "60 + 25m = 15 + 34m"}, CARDS)
    assert (verdict.derivation, verdict.solution) == (True, False)


def test_an_implied_time_counts_only_if_nothing_else_follows() -> None:
    setup = "Together they paint 1/4 + 1/6 + 1/12 = 1/2 of the hall in a day."
    row = row_of(
        "Ada paints a hall in 4 days , Ben in 6 and Cleo in 12 . How long do they need together ?",
        "m / q1 + m / q2 + m / q3 = 1", ["(1/4 + 1/6 + 1/12)*x = 1"], [2.0],
    )  # fmt: skip
    assert grade({"answer": f"{setup} So they need 2 days."}, row).derivation
    assert not grade({"answer": f"{setup}\n1/2t = 1/6t\n3t = 9\nSo they need 3 days."}, row).derivation


def test_an_ordinal_is_a_number_where_it_is_calculated_with() -> None:
    question = "Una is first and falls back 5 places . She gains 2 , loses 3 and gains 1 . What is her place ?"
    solution = "1+5=<<1+5=6>>6. 6-2=<<6-2=4>>4. 4+3=<<4+3=7>>7. 7-1=<<7-1=6>>6\nA: 6"
    wrong = "first + 5 = <<1+5=6>>6th. 6th + 2 = <<6+2=8>>8th. 8th - 3 = <<8-3=5>>5th. 5th + 1 = <<5+1=6>>6th\nA: 6"
    assert not judge_by_any(wrong, asked_of(question, solution)).derivation


def test_equations_are_the_result_where_they_are_asked_for() -> None:
    question = "A ferry needs 3 hours for 36 miles with the tide , and 9 hours back . Write a system of equations ."
    row = {**FERRY, "question": question}
    assert grade({"answer": "3(b + c) = 36 and 9(b - c) = 36"}, row).solution


def test_a_neighbour_is_no_rounding() -> None:
    assert grade({"answer": "36 = (b + c)*3, 36 = (b - c)*9, so c = 4."}, FERRY).solution
    verdict = grade({"answer": "36 = (b + c)*3, 36 = (b - c)*9, so c = 4.1."}, FERRY)
    assert (verdict.derivation, verdict.solution, str(verdict.reason)) == (True, False, "slip")


def test_a_whole_number_beside_the_result_is_a_slip() -> None:
    verdict = grade({"answer": "36 = (b + c)*3\n36 = (b - c)*9\nb + c = 13\nc = 4"}, FERRY)
    assert [slip.text for slip in verdict.reading.slips] == ["b + c = 13"]


CHAINS = {
    "what is converted": (
        "Brook has 40 nickels and 3 dollars . How many cents are that ?",
        "40 nickels is equal to 40 x 5 = <<40*5=200>>200 cents. 3 x 100 = 300. 200 + 300 = <<200+300=500>>500\nA: 500",
        "3*100 = 300 and 40*5 = 200, together 300 + 200 = 500.\nA: 500"),
    "a percentage written as two factors": (
        "Her pay is $ 2400 . She saves 20 % of it . How much is left ?",
        "She saves .20*2400 = $<<20*.01*2400=480>>480. Left are 2400-480 = <<2400-480=1920>>1920\nA: 1920",
        "2400 * 0.8 = 1920\nA: 1920"),
    "a fraction in brackets before a number": (
        "Pia has 278 beads . Nils has 11 more than half as many . How many have both ?",
        "Nils = (1/2) 278 + 11 = 150\n278 + 150 = <<278+150=428>>428\nA: 428",
        "278/2 = 139, 139 + 11 = 150, 278 + 150 = 428\nA: 428"),
    "a result in percent": (
        "Of 20 cars 12 are red . What percentage is red ?",
        "12/20 x 100% = 60%\nA: 60",
        "12 / 20 = 0.6, and 0.6 * 100 = 60\nA: 60"),
    "a fraction whose parts are numbers of the text, too": (
        "Three friends have $ 1200 . Ava takes 2/5 of it and Bo takes 2/3 of the rest . What is left ?",
        "2/5*1200=480. 1200-480=720. 2/3*720=480. 480+480=960. 1200-960=240\nA: 240",
        "1200 * 2/5 = 480, 1200 - 480 = 720, 720 * 2/3 = 480, 720 - 480 = 240\nA: 240"),
    "a fraction of the text in two parts": (
        "Ira has 27 pups . Two thirds of them are tan . How many are tan ?",
        "27/3*2=<<27/3*2=18>>18\nA: 18",
        "27 x 2/3 = <<27*2/3=18.0>>18\nA: 18"),
    "a one that was found": (
        "A bun costs $ 4 and a soup 25 % more . What do both cost ?",
        "4 * 25/100 = $<<4*25/100=1>>1 more. 4 + 1 = $<<4+1=5>>5. 4 + 5 = $<<4+5=9>>9\nA: 9",
        "4 * 1.25 = 5, 4 + 5 = 9\nA: 9"),
    "a hundred that is a percentage": (
        "Two friends spend $ 400 in 4 weeks . One pays 60 % . What does the other pay a week ?",
        "400/4=$<<400/4=100>>100 a week. 100-60=<<100-60=40>>40%. 100*(40/100)=$<<100*40/100=40>>40\nA: 40",
        "60/100*400 = 240. 400-240 = 160. 160/4 = 40\nA: 40"),
    "units behind a stroke": (
        "Bo has 40 pens for $ 0.05 each and 20 pads for $ 0.10 each . What are they worth ?",
        "40*0.05=<<40*0.05=2>>2. 20*0.10=<<20*0.10=2>>2. 2+2=<<2+2=4>>4\nA: 4",
        "40 pens * $0.05/pen = $<<40*0.05=2.0>>2.0\n20 pads * $0.10/pad = $<<20*0.10=2.0>>2.0\n2.0 + 2.0 = 4\nA: 4"),
    "what is left of a half": (
        "Ida has 100 caps . Half are red , 3/5 of the rest are blue . How many are neither ?",
        "1/2*100=<<1/2*100=50>>50. 100-50=<<100-50=50>>50. 3/5*50=<<3/5*50=30>>30. 50-30=<<50-30=20>>20\nA: 20",
        "100/2 = <<100/2=50.0>>50 red. 3/5*50 = <<3/5*50=30.0>>30 blue. 50-30 = <<50-30=20>>20\nA: 20"),
    "words for the signs": (
        "Mo has $ 177 and wants $ 500 in 19 weeks . What must he save a week ?",
        "500-177=<<500-177=323>>323. 323/19=<<323/19=17>>17\nA: 17",
        "He needs 323 dollars more. That is 17 dollars a week (323 divided by 19).\nA: 17"),
    "a dozen": (
        "A small pod has 3 dozen seeds , a large one 50 % more . How many seeds are that ?",
        "3 x 12 = <<3*12=36>>36. 36 x 50% = <<36*50*.01=18>>18. 36 + 18 = <<36+18=54>>54. 36 + 54 = 90\nA: 90",
        "3*12 = 36, 36*1.5 = 54, 36 + 54 = 90\nA: 90"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHAINS)
def test_a_chain_is_the_worked_solution(name: str) -> None:
    question, solution, answer = CHAINS[name]
    verdict = judge_by_any(answer, asked_of(question, solution))
    assert verdict.derivation, verdict.message


def asked_of(question: str, solution: str) -> list[GoldForAnswers]:
    """Return what answers are held against, where a worked solution is gold."""
    golds = worked_golds(question, solution)
    return [
        GoldForAnswers(gold, tuple(range(len(gold.numbers))), gold_values(gold), question, chain=True) for gold in golds
    ]


def test_another_unit_and_another_reading_at_once_are_no_proof() -> None:
    question = "Eva has 6 + 4 + 2 gifts and 144 inches of ribbon . How much is there for a gift ?"
    solution = "6+4+2=<<6+4+2=12>>12. 144/12=<<144/12=12>>12\nA: 12"
    answer = "6+4+2 = <<6+4+2=12>>12\n12 x 144 = <<12*144=1728>>1728\n1728/12 = <<1728/12=144>>144\nA: 144"
    assert not judge_by_any(answer, asked_of(question, solution)).derivation


def test_a_worked_solution_that_does_not_come_to_its_result_is_no_gold() -> None:
    with pytest.raises(ReadError):
        worked_golds("Ann has 16 eggs and eats 3 .", "16 - 3 = 12\nA: 12")


SIBLINGS = row_of(
    "Mona is 5 years older than Faisal . Their ages sum to 41 . How old is each of them ?",
    "m = n + q1 ; m + n = q2",
    ["m = n + 5", "m + n = 41"],
    [23.0, 18.0],
)


@pytest.mark.parametrize("end", ["\nAnswer: 23, 17", " \\boxed{23, 17}"])
def test_a_marked_list_with_another_number_is_a_wrong_result(end: str) -> None:
    verdict = grade({"answer": f"M + F = 41 and M = F + 5.{end}"}, SIBLINGS)
    assert (verdict.derivation, verdict.solution, str(verdict.reason)) == (True, False, "slip")


def test_equations_in_q_notation_alone_have_the_result_that_they_come_to() -> None:
    right = grade({"answer": "m = n + q1; m + n = q2"}, SIBLINGS)
    assert (right.derivation, right.solution, str(right.reason)) == (True, True, "right")
    assert not grade({"answer": "m = n - q1; m + 2*n = q2"}, SIBLINGS).solution


def test_a_number_in_millions_is_read_the_same_whatever_was_read_before() -> None:
    question = "There are 7500000 more cats than dogs . Together they are 20000000 . How many dogs are there ?"
    millions = "c = d + 7.5 million and c + d = 20 million."
    expected = ("c = d + q1", "c + d = q2")
    cached_number_origins.cache_clear()
    assert read_answer("x = 7.5 and y = 20", question).setup == ()
    assert read_answer(millions, question).setup == expected
    cached_number_origins.cache_clear()
    assert read_answer(millions, question).setup == expected
    assert read_answer("x = 7.5 and y = 20", question).setup == ()
