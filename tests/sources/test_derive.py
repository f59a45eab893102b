"""Deriving rows: from equations, formulas and worked solutions, and what is refused."""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sources.source_problems import FORMULAS, GSM8K, MAWPS, REFUSED, SVAMP

from draw_dataset import derive
from draw_dataset.algebra.number import is_rounded
from draw_dataset.derivation.problem import Problem
from draw_dataset.deriving.formulas import read_answers
from draw_dataset.deriving.records import PRESETS, Reason
from draw_dataset.errors import ChoiceError
from draw_dataset.text.units import names_of_constant


def one(question: str, **fields: Any) -> dict[str, Any]:
    (row,) = derive([{"question": question, **fields}], **{name: name for name in fields})
    return row


def test_rows_come_out_one_for_each_in_order_with_their_ids() -> None:
    rows = derive(GSM8K, preset="gsm8k")
    assert [row["id"] for row in rows] == [40, 41, 42, 43]
    assert [row["status"] for row in rows] == ["decided", "decided", "decided", "refused"]


def test_a_derived_row_is_a_row() -> None:
    row = derive(SVAMP, preset="svamp")[0]
    problem = Problem.from_row(row)
    assert problem.derivation.q_notation() == row["derivation"] == "m = q1 - q2"
    assert row["id"] == "s-1"
    assert row["question"].startswith("Tom has 76 cards and gives away 25 How many")
    assert [number["value"] for number in row["numbers"]] == [76.0, 25.0]
    assert (row["solutions"], row["equiv_tnum"], row["asked"], row["reason"]) == ([51.0], [], ["m"], "")


def test_a_worked_solution_is_the_function_that_its_result_is() -> None:
    rows = derive(GSM8K, preset="gsm8k")
    assert rows[0]["derivation"] == "m = (q1*q2 - q3)*q4"
    assert rows[1]["derivation"] == "m = q1*(q2/100)*q3"  # a half is not divided by but multiplied with
    assert rows[2]["derivation"] == "m = q1*7"
    assert rows[2]["constants"] == ["7: days in a week"]


def test_a_solution_that_contradicts_itself_is_refused() -> None:
    row = derive(GSM8K, preset="gsm8k")[3]
    assert row["reason"].startswith("reference does not come to its own answer")
    assert (row["derivation"], row["template"], row["alignment"], row["readings"]) == ("", [], [], 0)


def test_numbers_of_equal_value_leave_several_derivations() -> None:
    row = derive(SVAMP, preset="svamp")[1]
    assert row["status"] == "ambiguous"
    assert (row["derivation"], row["alternatives"], row["readings"]) == ("m = q1*q3", ["m = q2*q3"], 2)


def test_numbers_are_used_before_one_is_used_twice() -> None:
    row = one("Ken has 4 red and 4 blue pens.", equations="4 + 4")
    assert (row["derivation"], row["status"], row["readings"]) == ("m = q1 + q2", "decided", 1)


def test_placeholders_settle_what_is_left_open() -> None:
    first, second = derive(MAWPS, preset="mawps")
    assert first["question"] == "Ida picks 12 pears and 5 plums . How many fruits is that ?"
    assert (first["id"], first["derivation"]) == (0, "m = q1 + q2")
    assert (second["derivation"], second["status"]) == ("m = q1 - q3", "decided")


@pytest.mark.parametrize("formula", FORMULAS, ids=str)
def test_formulas_of_children_are_read(formula: str) -> None:
    answer, question = FORMULAS[formula]
    row = one(question, formula=formula, answer=answer)
    assert row["status"] == "decided", row["reason"]
    assert any(is_rounded(Fraction(str(value)), right) for value in row["solutions"] for right in read_answers(answer))


@pytest.mark.parametrize("formula", REFUSED, ids=str)
def test_what_is_no_derivation_is_refused_by_its_name(formula: str) -> None:
    row = one("There are 12 cats, 15 birds and 18 dogs.", formula=formula)
    assert row["status"] == "refused"
    assert row["reason"].partition(":")[0] == REFUSED[formula]


def test_every_reason_is_a_reason() -> None:
    assert set(REFUSED.values()) <= {reason.value for reason in Reason}


def test_a_half_of_the_text_is_what_a_division_by_two_means() -> None:
    row = one("Ben has 18 nuts and gives half of them away.", equations="18/2")
    assert row["derivation"] == "m = q1*q2"


@pytest.mark.parametrize(
    ("value", "text", "named"),
    [
        (60, "How many minutes is that?", True),
        (60, "How many boys are there?", False),
        (12, "in a year", True),
        (100, "40 percent of it", True),
        (4, "the perimeter of a square", True),
        (7, "each day of the week", True),
        (37, "in a week of a year", False),
    ],
)
def test_constants_have_names_where_the_text_speaks_of_them(value: int, text: str, named: bool) -> None:
    assert bool(list(names_of_constant(Fraction(value), text))) is named


def test_a_constant_without_a_name_is_not_guessed() -> None:
    row = one("Ann has 12 pens.", equations="12*37")
    assert row["reason"] == "number not in the text: 37"


def test_fields_of_your_own_and_lists_of_equations() -> None:
    rows = derive(
        [{"body": "Two numbers add up to 20.", "ask": "One is 4 more.", "system": ["x + y = 20", "x = y + 4"]}],
        question=["body", "ask"],
        equations="system",
    )
    assert rows[0]["derivation"] == "m + n = q2; m = n + q3"
    assert rows[0]["solutions"] == [12.0, 8.0]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({}, "missing field: question"),
        ({"question": None, "answer": "x"}, "missing field: question"),
        ({"question": 7, "answer": "x"}, "missing field: question is no text: 7"),
        ({"question": "Ann has 3.", "answer": ""}, "missing field: answer is empty"),
        ({"question": "Ann has 3."}, "missing field: answer"),
        ({"question": "a" * 200_000, "answer": "x"}, "too large: a question of 200000 characters"),
        ({"question": "Ann has 3.", "answer": "x" * 50_000}, "too large: a solution of 50000 characters"),
        ({"question": "Ann has none.", "answer": "#### 3"}, "reference does not come to its own answer"),
        ("no record", "broken input: no record: str"),
    ],
)
def test_bad_records_are_refused_by_name(record: Any, reason: str) -> None:
    (row,) = derive([record], preset="gsm8k")
    assert row["status"] == "refused"
    assert row["reason"].startswith(reason)


def test_what_is_asked_for_must_make_sense() -> None:
    with pytest.raises(ChoiceError, match="expected a preset"):
        derive([], question="text")
    with pytest.raises(ChoiceError, match="Unknown preset 'gsm9k'"):
        derive([], preset="gsm9k")
    with pytest.raises(ChoiceError, match="expected one of"):
        derive([], equations="a", solution="b")
    with pytest.raises(ChoiceError, match="num_proc"):
        derive([], preset="gsm8k", num_proc=0)
    with pytest.raises(ChoiceError, match="put it into a list"):
        derive(GSM8K[0], preset="gsm8k")


def test_presets_are_all_there() -> None:
    assert list(PRESETS) == ["gsm8k", "svamp", "asdiv", "mawps"]


@given(st.text(max_size=80), st.text(max_size=120), st.text(max_size=20))
def test_nothing_that_a_record_holds_is_a_crash(question: str, reference: str, answer: str) -> None:
    record = {"question": question, "given": reference, "result": answer}
    for kind in ("equations", "formula", "solution"):
        (row,) = derive([record], **{kind: "given"}, answer="result")
        assert row["status"] in ("decided", "ambiguous", "refused")


@given(st.text(alphabet="0123456789+-*/()=;: .xrn<>#%$,\n", max_size=60))
def test_nothing_like_arithmetic_is_a_crash(reference: str) -> None:
    record = {"question": "Ann has 12 of 15, a half, 20% and 3.", "given": reference}
    for kind in ("equations", "formula", "solution"):
        (row,) = derive([record], **{kind: "given"})
        if row["status"] != "refused":
            assert Problem.from_row(row).derivation.solve().numbers


def test_long_solutions_take_bounded_work() -> None:
    lines, value = [], 5
    for _ in range(200):
        lines.append(f"{value}+3={value + 3}.")
        value += 3
    row = one("Ann has 5 cats and 3 dogs.", solution="\n".join(lines) + f"\n#### {value}")
    assert row["status"] in ("decided", "ambiguous", "refused")
    deep = one("Ann has 3 cats and 3 dogs. " * 30, equations="+".join(["3"] * 150))
    assert deep["readings"] >= 0


@pytest.mark.parametrize(
    ("question", "equation", "derivation"),
    [
        ("Bo has 8 dozen eggs. He packs them into 6 boxes.", "8 * 12 / 6", "m = q1/q2"),
        ("Bo buys 8 dozen eggs at 3 dollars for a dozen.", "3*8", "m = q2*(q1/q3)"),
        ("Bo has 8 dozen eggs. He packs them into 6 boxes.", "96/6", "m = q1/q2"),
        ("Bo has 84 trays for 5 dozen eggs.", "84/5*12", "m = q1/(q2/12)*12"),
        ("Bo cut 14 halves and ate 4 halves. How many whole pears?", "14/2 - 4/2", "m = q1 - q2"),
        ("Ann ate 1/2 of a pie and Bo 1/4 of it.", "(1/2) + (1/4)", "m = q1 + q2"),
        ("There were 2.5 million birds, then 7.5 million.", "7.5/2.5", "m = (q2/1000000)/(q1/1000000)"),
    ],
)
def test_dozens_millions_and_halves_are_numbers_of_the_text(question: str, equation: str, derivation: str) -> None:
    row = one(question, equations=equation)
    assert (row["status"], row["derivation"], row["reason"]) == ("decided", derivation, "")


def test_placeholders_say_which_dozens_are_meant() -> None:
    text = "Bo had number0 dozen eggs and number1 pans , Al had number2 dozen eggs ."
    record = {"Question": text, "Numbers": "8.0 3.0 8.0", "Equation": "/ * number2 12.0 number1", "Answer": 32.0}
    assert derive([record], preset="mawps")[0]["derivation"] == "m = q3/q2"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("formula", "$1,250-$250.50=$999.50"),
        ("equations", "1250-250.5=999.5"),
        ("equations", "1250 - 250.5 ="),
    ],
)
def test_money_and_what_has_no_unknown_is_calculated(kind: str, text: str) -> None:
    row = one("Ann had $1,250 and spent $250.50.", **{kind: text, "answer": "$999.50"})
    assert row["derivation"] == "m = q1 - q2"


def test_mixed_numbers_of_formulas_and_answers() -> None:
    text = "Ann walked 2 1/2 miles and then 1 1/4 miles."
    assert one(text, formula="2 1/2+1 1/4=3 3/4", answer="3 3/4 (miles)")["derivation"] == "m = q1 + q2"
    row = one(text, formula="2 1/2+1 1/4=3 3/4", answer="4 1/4 (miles)")
    assert row["reason"].startswith("reference does not come to its own answer")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"equations": "x = 12 - 5", "answer": 8}, "reference does not come to its own answer"),
        ({"equations": "12 - 5 = x", "answer": 8}, "reference does not come to its own answer"),
        ({"formula": "7:30+2:00=9:30", "answer": "9:30"}, "clock time"),
        ({"formula": "3-3=0", "answer": "0"}, "no number in the text"),
    ],
)
def test_more_that_is_refused_by_its_name(fields: dict[str, Any], reason: str) -> None:
    assert one("Ann had 12 pens at 7:30. She gave 5 to Bob, one third.", **fields)["reason"].startswith(reason)


def test_presets_take_fields_in_small_letters() -> None:
    record = {"body": "Ann has 7 pens and 2 cups.", "question": "How many?", "formula": "7+2=9", "answer": "9 (things)"}
    assert derive([record], preset="asdiv")[0]["derivation"] == "m = q1 + q2"


@pytest.mark.parametrize(
    ("question", "solution", "derivation"),
    [
        (
            "Ida fills half of a tub and spills half of that. She triples what is left. The tub is 4 feet long, "
            "5 feet wide and 3 feet deep. How many cubic feet of water are in it?",
            "The tub holds 4*5*3=<<4*5*3=60>>60 cubic feet.\nThe part that is full is 1/2 * 1/2 = 1/4.\n"
            "Then it is 3 * 1/4 = 3/4.\nSo there are 60 * 3/4 = <<60*3/4=45>>45 cubic feet.\n#### 45",
            "m = q4*q5*q6*(q3*(q1*q2))",
        ),
        (
            "Ann runs six times as fast as Bo. Bo runs at one third of the speed of Cy. Cy runs twice as fast as Di, "
            "who runs 1 mile in an hour. How fast is Ann?",
            "Cy runs 1*2=<<1*2=2>>2 miles in an hour.\nBo runs 2*(1/3) = 2/3 miles in an hour.\n"
            "Ann runs (2/3*6=4 miles in an hour).\n#### 4",
            "m = q4*q3*q2*q1",
        ),
    ],
)
def test_a_fraction_that_a_calculation_came_to_is_that_result(question: str, solution: str, derivation: str) -> None:
    row = one(question, solution=solution)
    assert row["derivation"] == derivation


NINES = "9" * 20


@pytest.mark.parametrize(
    ("question", "fields", "reason"),
    [
        (
            "Ann has 4 cups, 2/3 cups, 3 boxes. Bob has twice as many. How much?",
            {"solution": "4 / 400% = 1.00\n2 - 2 = 0.00\n1 / $3 = 1/3\n1.00 * (1/3) = <<1.00*(1/3)=1/3>>1/3\n#### 1/3"},
            "",
        ),
        (
            "Ann has .5 miles, one third of a mile. The rest is 60%. How long in minutes?",
            {"solution": "x = 50% x 2 = $1\nSo 2 + 1/3 = 7/3\nSo (1.00) / 1 = 1\n7/3 * (1/3) = 7/9 cups.\n#### 7/9"},
            "",
        ),
        (
            "Ann has 31 pens, 1/4 of a box, one third of a cup and $20.",
            {"equations": "20/3x + 20 x 1/3 = 20/3"},
            "equations that cannot be read",
        ),
        (f"Ann has {NINES} pens and {NINES} cups.", {"equations": "*".join([NINES] * 40)}, "too large"),
        (f"Ann has {NINES} pens and {NINES} cups.", {"formula": "*".join([NINES] * 40)}, "too large"),
    ],
    ids=["split and silent", "a name as a source", "only readable when rewritten", "an equation", "a formula"],
)
def test_no_record_ends_a_run(question: str, fields: dict[str, Any], reason: str) -> None:
    names = {name: name for name in fields}
    first, second = derive([{"question": question, **fields}, {"question": "Bo has 2 pens.", **fields}], **names)
    assert (first["id"], second["id"]) == (0, 1)
    assert first["reason"].partition(":")[0] == reason


def test_readings_fit_the_column_of_a_dataset() -> None:
    from datasets import Dataset

    record = {"question": "Ann has 3 cats and 3 dogs.", "sum": "+".join(["3"] * 90)}
    assert derive(Dataset.from_list([record]), equations="sum")[0]["readings"] == 2**63 - 1


PARTS = {
    Fraction(1, 2): ("half", "1/2", "50%"),
    Fraction(1, 4): ("1/4", "25%", "a quarter"),
    Fraction(2, 3): ("2/3", "two thirds"),
    Fraction(3, 4): ("3/4", "75%", ".75"),
    Fraction(1, 5): ("20%", "1/5"),
}


@st.composite
def worked_problems(draw: st.DrawFn) -> tuple[str, str]:
    """Draw a text with numbers, and a chain of calculations with fractions, percentages and results used again."""
    # Few small numbers, so that many of them have several sources.
    numbers = draw(st.lists(st.sampled_from([*map(Fraction, range(1, 7)), *PARTS]), min_size=2, max_size=4))
    told = [draw(st.sampled_from(PARTS[value])) if value in PARTS else str(value) for value in numbers]
    pool, lines = [*numbers, Fraction(2)], []
    for _ in range(draw(st.integers(1, 6))):
        left, right = (draw(st.sampled_from(pool[-3:]) | st.sampled_from(pool)) for _ in range(2))
        sign = draw(st.sampled_from("-*/" if right else "+-*"))
        value = _CALCULATED[sign](left, right)
        a, b, result = (draw(written_as(number)) for number in (left, right, value))
        lines.append(draw(st.sampled_from(FORMS)).format(a=a, b=b, sign=sign, result=result))
        pool.append(value)
    return f"Ann has {' pens, '.join(told)} cups. How many?", "\n".join([*lines, f"#### {pool[-1]}"])


_CALCULATED: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
}  # fmt: skip
FORMS = (
    "{a} {sign} {b} = {result}",
    "{a} {sign} {b} = <<{a}{sign}{b}={result}>>{result} pens",
    "x = {a} {sign} {b} = {result}",
    "{a}x {sign} {b} = {result}\nx = {a}",
)


def written_as(value: Fraction) -> st.SearchStrategy[str]:
    """Return the ways to write a number: as it is, in brackets, as a percentage, or as a decimal."""
    ways = [str(value), f"({value})"]
    if (100 * value).denominator == 1:
        ways += [f"{100 * value}%", f"{float(value):g}"]
    return st.sampled_from(ways)


@settings(max_examples=1000)
@given(worked_problems())
def test_every_chain_of_calculations_gets_a_row(problem: tuple[str, str]) -> None:
    question, solution = problem
    record = {"question": question, "given": solution}
    for kind in ("solution", "formula", "equations"):
        (row,) = derive([record], **{kind: "given"})
        assert (row["reason"] == "") == (row["status"] != "refused")
        if row["status"] != "refused":
            assert Problem.from_row(row).derivation.solve().numbers


@pytest.mark.parametrize("answer", ["B", "blue", "Yes", True, {"value": "B"}, ["red", "blue"], float("inf")], ids=repr)
@pytest.mark.parametrize("kind", ["equations", "formula", "solution"])
def test_an_answer_that_is_no_number_is_said(kind: str, answer: object) -> None:
    row = one("Ann had 12 pens. She gave 5 to Bob.", **{kind: "12 - 5 = 7", "answer": answer})
    assert (row["status"], row["reason"].partition(":")[0]) == ("refused", "answer is no number")


def test_a_mark_of_a_solution_that_is_no_number_is_said() -> None:
    row = one("Ann had 12 pens. She gave 5 to Bob.", solution="12 - 5 = 7\n#### blue")
    assert row["reason"] == "answer is no number: 'blue'"


@pytest.mark.parametrize("answer", [None, "", "  ", float("nan"), []], ids=repr)
def test_an_answer_that_is_not_given_is_not_compared(answer: object) -> None:
    assert one("Ann had 12 pens. She gave 5 to Bob.", equations="12 - 5", answer=answer)["status"] == "decided"


@pytest.mark.parametrize("answer", ["7 km/h", "x = 7", "€7", "seven", "B) 7", Decimal(7), np.int64(7), np.array([7])])
def test_numbers_are_read_in_answers_of_many_forms(answer: object) -> None:
    text = "Ann had 12 pens. She gave 5 to Bob."
    assert one(text, equations="12 - 5", answer=answer)["status"] == "decided"
    assert one(text, equations="12 + 5", answer=answer)["reason"].startswith(
        "reference does not come to its own answer"
    )


def test_a_worked_solution_gives_the_quantities_on_the_way_with_their_words() -> None:
    question = (
        "Ada fills 4 trays with 6 buns each and eats 3 of them. She sells the rest for $2 each. What does she get?"
    )
    worked = "4*6 = <<4*6=24>>24 buns. 24-3 = <<24-3=21>>21. 21*2 = $<<21*2=42>>42\n#### 42"
    row, refused = derive(
        [{"question": question, "answer": worked}, {"question": "None.", "answer": "#### 1"}], preset="gsm8k"
    )
    assert row["steps"] == ["bun = q1*q2", "result = q1*q2 - q3", "m = (q1*q2 - q3)*q4"]
    assert refused["steps"] == []
