"""By which rule a derivation is right: Algorithm 1 of the paper, or the quantities that it determines."""

from __future__ import annotations

from typing import Any

import pytest
from answers.test_styles import ROW
from hypothesis import given, settings
from hypothesis import strategies as st
from metric.metric_inputs import ROWS, bundled, metric

from draw_dataset import grade, score
from draw_dataset.data.sample import load_sample_answers
from draw_dataset.errors import ChoiceError
from draw_dataset.scoring.options import MatchMode, Options, signature_parts


def names() -> dict[str, str]:
    """Return which number of the row is what: the total, the two prices, the takings."""
    values = {float(n["value"]): f"q{n['index']}" for n in ROW["numbers"]}
    return {"t": values[120.0], "a": values[9.0], "b": values[5.0], "s": values[940.0]}


NAMES = names()
GOLD = "x + y = {t}; {a}*x + {b}*y = {s}".format(**NAMES)

PIECES = [*"xyz+-*/=;()27", "q1", "q2", "q3", "q4", "q3*x", "q4*y", " = ", "; ", "^2", "1/(x + q1)", "x + y = q1; "]


def graded(prediction: Any, match: MatchMode, row: Any = ROW) -> tuple[bool, str]:
    verdict = grade(prediction, row, match=match)
    return verdict.derivation, str(verdict.reason)


def test_the_gold_that_these_tests_rest_on() -> None:
    assert graded(GOLD, "algorithm1") == graded(GOLD, "quantities") == (True, "right")


@pytest.mark.parametrize(
    ("prediction", "algorithm1", "quantities"),
    [
        ("{a}*x + {b}*({t} - x) = {s}", (False, "unknown count"), (True, "right")),
        ("x + y = {t}; {a}*x = u; {b}*y = v; u + v = {s}", (False, "unknown count"), (True, "right")),
        ("x + y = {t}; {a}*x + {b}*y = {s}", (True, "right"), (True, "right")),
        ("x + y = {t}; {b}*x + {a}*y = {s}", (True, "right"), (True, "right")),
        ("x + y = {s}; {a}*x + {b}*y = {t}", (False, "alignment"), (False, "other")),
        ("x - y = {t}; {a}*x + {b}*y = {s}", (False, "template"), (False, "other")),
        ("x + y = {t}", (False, "unsolvable"), (False, "unsolvable")),
    ],
    ids=[
        "one unknown for two",
        "auxiliary unknowns",
        "gold",
        "unknowns exchanged",
        "numbers exchanged",
        "a wrong sign",
        "too few equations",
    ],
)
def test_what_each_rule_says(prediction: str, algorithm1: tuple[bool, str], quantities: tuple[bool, str]) -> None:
    text = prediction.format(**NAMES)
    assert graded(text, "algorithm1") == algorithm1
    assert graded(text, "quantities") == quantities
    assert graded(text, "auto") == algorithm1


ANSWER = "x + y = 120, 9x + 5y = 940, so x = 85 and y = 35."
ONE_UNKNOWN = "Let x be the adults: 9x + 5(120 - x) = 940, so x = 85 and 120 - 85 = 35."


def test_an_answer_by_either_rule() -> None:
    assert graded({"answer": ANSWER}, "auto") == (True, "right")
    assert graded({"answer": ANSWER}, "quantities") == (True, "right")
    assert graded({"answer": ANSWER}, "algorithm1") == (True, "right")
    assert graded({"answer": ONE_UNKNOWN}, "auto") == (True, "right")
    # Algorithm 1 asks for as many unknowns as gold has.
    verdict = grade({"answer": ONE_UNKNOWN}, ROW, match="algorithm1")
    assert (verdict.derivation, verdict.solution, str(verdict.reason)) == (False, True, "unknown count")
    assert verdict.reading is not None


def test_an_answer_by_algorithm_1_is_its_set_up_in_q_notation() -> None:
    for answer in (ANSWER, ONE_UNKNOWN, ANSWER.replace("+ 5y", "- 5y"), ANSWER.replace("x = 85", "x = 84")):
        verdict = grade({"answer": answer}, ROW, match="algorithm1")
        assert verdict.reading is not None
        by_hand = grade("; ".join(verdict.reading.setup), ROW)
        assert (verdict.derivation, verdict.equation, verdict.slot_map) == (
            by_hand.derivation,
            by_hand.equation,
            by_hand.slot_map,
        )
        assert verdict.solution == grade({"answer": answer}, ROW).solution


def test_a_chain_of_calculations_by_algorithm_1() -> None:
    row = next(row for row in ROWS if row["id"] == 116)
    verdict = grade({"answer": load_sample_answers("careful")[116]}, row, match="algorithm1")
    assert verdict.reading is not None
    assert not verdict.reading.setup
    assert verdict.reading.chain == ("q3/(60*q2)",)
    assert (verdict.derivation, str(verdict.reason)) == (True, "right")


def test_a_right_answer_is_one_by_its_result_and_not_by_its_set_up() -> None:
    wrong = grade({"answer": ONE_UNKNOWN.replace("x = 85 and 120 - 85 = 35", "x = 80")}, ROW, match="algorithm1")
    assert not wrong.solution
    assert wrong.message.startswith("another template")
    assert grade({"answer": ONE_UNKNOWN}, ROW, match="algorithm1").message.startswith("right answer, another template")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("85 adults and 35 children", "no-derivation"),
        ("Let me think about it.", "unread"),
        ("", "abstained"),
        ("x + y = 120, 9x + 5y = 940, so 4x = 360, x = 90, y = 30", "slip"),
    ],
)
def test_reasons_of_answers_by_algorithm_1(answer: str, reason: str) -> None:
    assert graded({"answer": answer}, "algorithm1")[1] == reason


def test_solutions_of_its_own_that_are_wrong_are_a_slip() -> None:
    prediction = {"derivation": GOLD, "solutions": [1, 2]}
    assert graded(prediction, "quantities") == (True, "slip")
    assert graded(prediction, "algorithm1") == (True, "right")


def test_equation_accuracy_by_quantities() -> None:
    one_unknown = "{a}*x + {b}*({t} - x) = {s}".format(**NAMES)
    assert grade(one_unknown, ROW, Options(equation="expected", match="quantities")).equation == pytest.approx(1)
    assert grade(one_unknown, ROW, Options(equation="expected")).equation == 0
    assert grade({"answer": ANSWER}, ROW).equation is True  # of an answer, what its derivation is


def test_the_signature_names_the_rule_that_was_used() -> None:
    def used(predictions: list[Any], **options: Any) -> str:
        signature = str(score(predictions, [ROW] * len(predictions), **options).signature)
        return signature_parts(signature)["match"]

    assert used([GOLD]) == used([GOLD], match="algorithm1") == used([None]) == "algorithm1"
    assert used([{"answer": ANSWER}]) == used([{"answer": ANSWER}, None]) == "quantities"
    assert used([{"answer": ""}, {"answer": ANSWER}]) == "quantities"
    assert used([GOLD, {"answer": ANSWER}, None, {"answer": ""}]) == "algorithm1+quantities"
    assert used([GOLD, {"answer": ANSWER}], match="quantities") == "quantities"
    assert used([{"answer": ANSWER}], options=Options(match="algorithm1")) == "algorithm1"


def test_equal_rules_have_equal_signatures() -> None:
    assert score([GOLD], [ROW]).signature == score([GOLD], [ROW], match="algorithm1").signature
    assert score([GOLD], [ROW]).signature != score([GOLD], [ROW], match="quantities").signature
    assert score([GOLD], [ROW]).signature != score([{"answer": ANSWER}], [ROW]).signature


def test_the_metric_takes_the_rule() -> None:
    for match in ("auto", "algorithm1", "quantities"):
        found = metric().compute(predictions=bundled("lucky"), references=ROWS, match=match)
        assert found == score(bundled("lucky"), ROWS, match=match).to_dict()
        assert found["match"] == ("algorithm1" if match == "auto" else match)


def test_no_other_rule() -> None:
    with pytest.raises(ChoiceError, match="expected auto, algorithm1 or quantities, but got 'exact'"):
        grade("m = q1", ROW, match="exact")  # type: ignore[arg-type]
    with pytest.raises(ChoiceError, match="match: expected"):
        metric().compute(predictions=["m = q1"], references=[ROW], match="exact")


@pytest.mark.parametrize("text", ["", "bleu|n:1", "deriv|nothing", None])
def test_what_is_no_signature(text: Any) -> None:
    with pytest.raises(ChoiceError, match="signature: expected"):
        signature_parts(text)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), min_size=3, max_size=50).map("".join))
def test_no_text_is_beyond_the_rule_of_quantities(text: str) -> None:
    verdict = grade(text, ROW, match="quantities")
    assert verdict.message
    assert grade(text, ROW, match="algorithm1").derivation <= verdict.derivation
