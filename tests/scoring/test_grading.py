"""Grading one prediction: the three answers, the reasons, and whatever a model may write."""

from __future__ import annotations

import gc
import math
import pickle
import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draw_dataset.algebra.solution import over_common_denominator
from draw_dataset.algebra.system import System
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.equivalence import all_slot_maps
from draw_dataset.derivation.template import Template
from draw_dataset.errors import ChoiceError, LimitError, RowError
from draw_dataset.scoring.gold import PreparedProblem, all_found, intervals, matches
from draw_dataset.scoring.grading import grade
from draw_dataset.scoring.options import Options
from draw_dataset.scoring.verdict import Reason

# Two jugs hold 9 litres together; the larger holds 2 litres more than twice ("q4") what the smaller does.
ROW: dict[str, Any] = {
    "id": 1,
    "question": "Two jugs hold 9 litres . One jug of the two holds 2 litres more than twice the other .",
    "equations": ["x + y = 9", "x = 2*y + 2"],
    "solutions": [20 / 3, 7 / 3],
    "template": ["m + n = a", "m - b * n = c"],
    "alignment": [
        {"slot": "a", "sentence": 0, "token": 3, "value": 9.0},
        {"slot": "b", "sentence": 1, "token": 10, "value": 2.0},
        {"slot": "c", "sentence": 1, "token": 6, "value": 2.0},
    ],
    "equiv_tnum": [
        [{"sentence": 0, "token": 0, "value": 2.0}, {"sentence": 1, "token": 4, "value": 2.0}],
    ],
}
GOLD = {"template": ROW["template"], "alignment": ROW["alignment"]}


def reason_of(prediction: Any, row: dict[str, Any] = ROW, **options: Any) -> str:
    return str(grade(prediction, row, Options(**options)).reason)


def test_gold_is_right_in_every_way() -> None:
    verdict = grade(GOLD, ROW)
    assert (verdict.derivation, verdict.solution, verdict.reason) == (True, True, Reason.RIGHT)
    assert verdict.slot_map == {"a": "a", "b": "b", "c": "c"}
    assert verdict.message == "the same derivation as gold"


def test_numbers_are_found_where_the_row_has_none() -> None:
    reference = PreparedProblem.of(ROW)
    assert [(n.index, n.text) for n in reference.problem.numbers] == [
        (1, "Two"),
        (2, "9"),
        (3, "two"),
        (4, "2"),
        (5, "twice"),
    ]


@pytest.mark.parametrize(
    ("prediction", "reason", "solved"),
    [
        ("x + y = q2; x = q5*y + q4", "right", True),
        ("x = q2 - y; 3*q5*y = 3*x - 3*q4", "right", True),
        ("x + y = q2; x = q4*y + q5", "alignment", True),
        ("x + y = q2; x = q1*y + q4", "alignment", True),
        ("x + y = q2; x = q2*y + q4", "slot count", False),
        ("x + y = q2; x = q4*y + q4", "slot count", True),
        ("x + y = q2; x = q5*y - q4", "template", False),
        ("x + y = q2; x = q5*y + q4 + 0*z; z = 1", "unknown count", True),
        ("x + y = q2", "unsolvable", False),
        ("x + y = q2; x + y = q4", "unsolvable", False),
        ("x * y = q2", "not linear", False),
        ("the jugs hold q2", "unreadable", False),
        ("x + y = q2; x = q5*y + q9", "bad alignment", False),
        ("", "abstained", False),
        (None, "abstained", False),
        ({"template": [], "alignment": []}, "abstained", False),
        ({"template": None}, "abstained", False),
        ({"derivation": "x + y = q2; x = q5*y + q4"}, "right", True),
        ({"alignment": []}, "unreadable", False),
        ({"template": ["m = a"], "alignment": []}, "bad alignment", False),
        ({"template": ["m = a"]}, "bad alignment", False),
        ({"template": ["m = 9"], "alignment": []}, "slot count", False),
        (GOLD | {"id": 1, "model": "x"}, "right", True),
        (GOLD | {"solutions": [1.0]}, "right", False),
        (GOLD | {"solutions": [7 / 3, 20 / 3, 5]}, "right", True),
        (GOLD | {"solutions": "7"}, "unreadable", False),
        (GOLD | {"solutions": [math.nan]}, "unreadable", False),
        (GOLD | {"solutions": ["7"]}, "unreadable", False),
        (GOLD | {"solutions": [1] * 1000}, "too large", False),
        ("x = " + "9" * 1_000_000, "too large", False),
        ("x = q1" + " + q1" * 100_000, "too large", False),
        (7, "unreadable", False),
        (["m = a"], "unreadable", False),
        (math.nan, "unreadable", False),
        ({"template": 7}, "unreadable", False),
        ({"template": {"m": "a"}}, "unreadable", False),
    ],
)
def test_reasons(prediction: Any, reason: str, solved: bool) -> None:
    verdict = grade(prediction, ROW)
    assert (str(verdict.reason), verdict.solution) == (reason, solved)
    assert verdict.derivation == (reason == "right")
    assert verdict.message
    assert pickle.loads(pickle.dumps(verdict)) == verdict


def test_a_float_of_numpy_is_a_float() -> None:
    assert grade(GOLD | {"solutions": [np.float64(7 / 3), np.float64(20 / 3)]}, ROW).solution


@pytest.mark.parametrize("token", [1.5, "3", True, None, -1, 1e400, [3], 99])
def test_a_token_is_never_converted(token: Any) -> None:
    alignment = [ROW["alignment"][0] | {"token": token}, *ROW["alignment"][1:]]
    assert reason_of({"template": ROW["template"], "alignment": alignment}) == "bad alignment"


def test_the_sentence_names_the_wrong_number() -> None:
    verdict = grade("x + y = q2; x = q5*y + q1", ROW)
    assert verdict.message == 'right answer, wrong number: slot c takes "Two" (q1) where gold takes "2" (q4)'


def test_the_sentence_says_how_templates_differ() -> None:
    assert grade("x + y = q2; x = q5*y - q4", ROW).message == (
        "another template than gold: with a = 2, b = 2, c = 2 it gives x = 2/3, y = 4/3, gold gives m = 2, n = 0"
    )


def test_equivalent_numbers_may_stand_for_each_other() -> None:
    row = ROW | {"equiv_tnum": [[{"sentence": 1, "token": 6, "value": 2.0}, {"sentence": 1, "token": 4, "value": 2.0}]]}
    assert reason_of("x + y = q2; x = q5*y + q3", row) == "right"
    assert reason_of("x + y = q2; x = q5*y + q1", row) == "alignment"


def test_merging_equivalent_numbers_is_an_option() -> None:
    row = ROW | {
        "question": "A 5 % acid and water make 5 % more . How much ?",
        "equations": ["x = 5*y", "y = 5 - x"],
        "solutions": [25 / 6, 5 / 6],
        "template": ["m = a * n", "n = a - m"],
        "alignment": [{"slot": "a", "sentence": 0, "token": 1, "value": 5.0}],
        "equiv_tnum": [[{"sentence": 0, "token": 1, "value": 5.0}, {"sentence": 0, "token": 7, "value": 5.0}]],
    }
    split = "m = q1*n; n = q2 - m"
    assert reason_of(split, row) == "slot count"
    assert reason_of(split, row, merge_equiv=True) == "right"
    assert reason_of("m = q1*n; n = m - q2", row, merge_equiv=True) == "slot count"


def same_numbers(got: list[Fraction], wanted: list[Fraction], tolerance: Fraction) -> bool:
    return all_found(*over_common_denominator(got), intervals(wanted, tolerance))


def test_solutions_need_not_be_in_order_and_are_counted() -> None:
    numbers = [Fraction(n) for n in (1, 2, 2)]
    assert same_numbers(numbers, [Fraction(2), Fraction(1)], Fraction(0))
    assert not same_numbers(numbers, [Fraction(2)] * 3, Fraction(0))
    assert same_numbers([Fraction(10001)], [Fraction(10000)], Fraction(1, 10_000))
    assert not same_numbers([Fraction(10002)], [Fraction(10000)], Fraction(1, 10_000))
    assert same_numbers([Fraction(1, 20000)], [Fraction(0)], Fraction(1, 10_000))
    assert same_numbers([], [], Fraction(0))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("row", "expected a row"),
        (
            {k: v for k, v in ROW.items() if k != "equations"},
            "reference 1: expected the fields .* equations is missing",
        ),
        (ROW | {"template": ["m = "]}, "problem 1: gold derivation"),
        (ROW | {"alignment": ROW["alignment"][:2]}, "problem 1: gold derivation"),
        (ROW | {"equations": ["x + "]}, "problem 1: gold equations: equation 1, column 5"),
        (ROW | {"equations": []}, "problem 1: gold equations"),
        (ROW | {"solutions": [math.nan]}, "row 1: solutions: expected a finite number, but got nan"),
        (
            ROW | {"alignment": [entry | {"value": math.nan} for entry in ROW["alignment"]]},
            r"row 1: alignment\[0\].value: expected a finite number, but got nan",
        ),
        (ROW | {"question": ""}, "problem 1: expected a number of the text"),
    ],
)
def test_bad_gold_is_an_error_that_names_it(row: Any, message: str) -> None:
    for prediction in (GOLD, None):
        with pytest.raises(RowError, match=message):
            grade(prediction, row)


@pytest.mark.parametrize("options", [{"equation": "second"}, {"seed": -1}, {"seed": 1.0}, {"tolerance": Fraction(2)}])
def test_bad_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ChoiceError, match="expected"):
        Options(**options)


def test_equation_accuracy_may_take_a_wrong_reference() -> None:
    """The text has four numbers of value 2, and the equations do not say which were meant."""
    reference = PreparedProblem.of(ROW)
    expected = grade(GOLD, reference, Options(equation="expected"))
    assert expected.derivation
    assert 0 < expected.equation < 1
    assert grade(GOLD, reference, Options(equation="first")).equation is False
    draws = {grade(GOLD, reference, Options(seed=seed)).equation for seed in range(40)}
    assert draws == {True, False}
    again = [grade(GOLD, ROW, Options(seed=3)).equation for _ in range(3)]
    assert len(set(again)) == 1


@pytest.mark.parametrize("mode", ["random", "first", "expected"])
def test_equations_none_of_whose_derivations_is_linear_have_no_reference(mode: Any) -> None:
    row = ROW | {
        "question": "Take 4 and 2 and 5 .",
        "equations": ["4*x^2 - 2*2*x^2 = x - 5"],
        "solutions": [5.0],
        "template": ["m = a"],
        "alignment": [{"slot": "a", "sentence": 0, "token": 5, "value": 5.0}],
        "equiv_tnum": [],
    }
    verdict = grade("m = q3", row, Options(equation=mode))
    assert (verdict.derivation, verdict.solution, verdict.equation) == (True, True, False)


@pytest.mark.parametrize("mode", ["random", "first", "expected"])
def test_the_share_over_all_references_is_one(mode: Any) -> None:
    from draw_dataset.scoring.gold import equation_references

    for problem in load_sample()["test"]:
        found = equation_references(PreparedProblem(problem), Options(equation=mode))
        assert math.isclose(sum(r.weight for r in found.chosen), 1)
        assert 0 <= found.share_not_gold <= 1


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "prediction",
    [
        10**5000,
        nested(5000),
        {"template": nested(5000)},
        {"template": ["m = a"], "alignment": nested(5000)},
        {"template": ["m = a"], "alignment": [{"slot": 10**5000, "sentence": 0, "token": nested(5000)}]},
        {"template": ["m = 3"], "alignment": [], "solutions": nested(5000)},
        {10**5000: 1},
    ],
    ids=["number", "list", "template", "alignment", "entry", "solutions", "key"],
)
def test_what_cannot_be_written_out_gets_a_reason_all_the_same(prediction: Any) -> None:
    verdict = grade(prediction, ROW)
    assert verdict.reason in (Reason.UNREADABLE, Reason.BAD_ALIGNMENT)
    assert len(verdict.message) < 300


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["template", "alignment", "solutions", "slot", "sentence", "token", "derivation"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(json_like)
@settings(max_examples=1000, deadline=None)
def test_any_prediction_gets_a_verdict(prediction: Any) -> None:
    verdict = grade(prediction, ROW)
    assert verdict.reason in Reason
    assert verdict.message
    assert verdict.to_dict()["reason"] == str(verdict.reason)


@pytest.mark.parametrize(
    ("found", "message"),
    [(0, "wrong number: the slots correspond in too many ways to say which"), (1, "wrong number: slot c takes ")],
)
def test_what_is_wrong_is_said_as_far_as_slot_maps_are_found(
    found: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def few(*arguments: Any) -> Iterator[dict[str, str]]:
        yield from islice(all_slot_maps(*arguments), found)
        raise LimitError("expected less work")

    monkeypatch.setattr("draw_dataset.scoring.derivations.all_slot_maps", few)
    wrong = [*ROW["alignment"][:2], {"slot": "c", "sentence": 0, "token": 0}]
    verdict = grade({"template": ROW["template"], "alignment": wrong}, ROW)
    assert verdict.reason is Reason.ALIGNMENT
    assert message in verdict.message


def test_systems_whose_slots_are_merged_are_not_kept_for_it() -> None:
    def kept() -> int:
        gc.collect()
        return sum(isinstance(thing, System) and thing.slot_count == 23 for thing in gc.get_objects())

    names = [f"s{i}" for i in range(23)]
    system = Template("m = " + " + ".join(names)).system
    assert not matches(system, ((0, 0),) * 23, system, ((0, 1),) * 23, merge=True)
    del system
    for module in [module for name, module in sys.modules.items() if name.startswith("draw_dataset.algebra")]:
        for value in list(vars(module).values()):
            if hasattr(value, "cache_weight") and not isinstance(value, type):
                value.cache_clear()
    assert kept() == 0


def test_a_verdict_is_no_truth_value() -> None:
    verdict = grade("m = q1", load_sample()["test"][0])
    assert repr(verdict).startswith("Verdict(status='wrong', derivation=False, ")
    with pytest.raises(ChoiceError, match="three results"):
        bool(verdict)
