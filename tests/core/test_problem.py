"""Problems and rows: the round trip, exact values, and rows that are not rows."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import RowError


def row(**changes: Any) -> dict[str, Any]:
    """A row of our own, its fields replaced at will."""
    whole: dict[str, Any] = {
        "id": 7,
        "question": "A third of the 12 eggs broke . How many broke ?",
        "numbers": [
            {"index": 1, "sentence": 0, "token": 1, "start": 2, "end": 7, "text": "third", "value": 1 / 3},
            {"index": 2, "sentence": 0, "token": 4, "start": 15, "end": 17, "text": "12", "value": 12.0},
        ],
        "equations": ["x = (1/3)*12"],
        "solutions": [4.0],
        "template": ["m = a * b"],
        "alignment": [
            {"slot": "a", "sentence": 0, "token": 1, "value": 0.3333333432674408},
            {"slot": "b", "sentence": 0, "token": 4, "value": 12.0},
        ],
        "equiv_tnum": [],
        "derivation": "m = q1*q2",
        "findings": [],
        "alternatives": ["m = q2/q1"],
        "asked": ["m"],
        "roles": [{"unknown": "m", "role": "the third"}],
        "correction": {"edition": 3, "kind": "derivation"},
    }
    return {**whole, **changes}


def test_a_row_and_its_problem_are_the_same() -> None:
    problem = Problem.from_row(row())
    assert problem.to_row() == row()
    assert json.loads(json.dumps(problem.to_row())) == row()


def test_the_derivation_is_exact_although_the_annotation_is_rounded() -> None:
    problem = Problem.from_row(row())
    assert problem.numbers[0].value == Fraction(1, 3)
    assert problem.derivation.solve().values == {"m": 4}
    assert problem.derivation.q_notation() == "m = q1*q2"


def test_an_annotated_value_that_is_no_rounding_is_kept() -> None:
    wrong = [{"slot": "a", "sentence": 0, "token": 1, "value": 0.5}, row()["alignment"][1]]
    assert Problem.from_row(row(alignment=wrong)).derivation.solve().values == {"m": 6}


def test_what_is_not_needed_may_be_absent_or_none() -> None:
    given = row()
    for name in ("findings", "derivation", "alternatives", "asked", "roles", "correction"):
        del given[name]
    bare = row(alternatives=[], asked=[], roles=[], correction=None)
    assert Problem.from_row(given).to_row() == bare
    joined = row(alternatives=None, asked=None, findings=None, roles=None, correction=None, status=None)
    assert Problem.from_row(joined).to_row() == bare
    table = row(alternatives=[], asked=[], roles={"m": None}, correction={"edition": None, "kind": None})
    assert Problem.from_row(table).to_row() == bare
    assert Problem.from_row(table | {"correction": float("nan")}).to_row() == bare


def test_further_fields_do_no_harm_and_the_status_is_kept() -> None:
    given = row(status="ambiguous", source_id=3, variant={"kind": "numbers"}, reason="")
    assert Problem.from_row(given).to_row() == row(status="ambiguous")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": True}, r"row True: id: .*0"),
        ({"id": -1}, "id: "),
        ({"id": 7.0}, "id: "),
        ({"id": 1 << 63}, "id: "),
        ({"id": ""}, "id: "),
        ({"id": "a\tb"}, "id: "),
        ({"id": "\ud800"}, "id: "),
        ({"solutions": [10**400]}, r"solutions: .*1329"),
        ({"solutions": [float("nan")]}, r"solutions: .*nan"),
        ({"question": None}, r"row 7: question: .*None"),
        ({"numbers": {}}, "row 7: numbers: "),
        ({"numbers": [{"index": 1}]}, r"numbers\[0\]: .*sentence"),
        ({"numbers": [3]}, r"numbers\[0\]: "),
        ({"solutions": ["4"]}, r"solutions: .*'4'"),
        ({"equations": "x = 4"}, r"equations: .*'x = 4'"),
        ({"template": [4]}, r"template: .*4"),
        ({"alternatives": "m = q1"}, r"row 7: alternatives: .*'m = q1'"),
        ({"asked": [1]}, r"row 7: asked: .*1"),
        ({"status": 1}, r"row 7: status: .*1"),
        ({"alignment": [{"slot": "a", "sentence": 0, "token": 1.5, "value": 1.0}]}, r"alignment\[0\].token: "),
        ({"equiv_tnum": [[{"sentence": 0, "token": 1}]]}, r"equiv_tnum\[0\]: .*\bvalue\b"),
        ({"equiv_tnum": [3]}, r"equiv_tnum\[0\]: "),
    ],
)
def test_a_row_with_a_wrong_field_is_refused_by_name(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RowError, match=message):
        Problem.from_row(row(**changes))


@pytest.mark.parametrize(
    "field", ["id", "question", "numbers", "equations", "solutions", "template", "alignment", "equiv_tnum"]
)
def test_a_missing_field_is_refused_by_name(field: str) -> None:
    given = row()
    del given[field]
    with pytest.raises(RowError, match=rf"\b{field}\b"):
        Problem.from_row(given)


def test_what_is_no_mapping_is_refused() -> None:
    with pytest.raises(RowError, match=r"\bstr\b"):
        Problem.from_row("row")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"template": ["m = a *"]}, "problem 7: gold derivation: equation 1, column 8"),
        ({"template": ["m = a * c"]}, "problem 7: gold derivation: .*numbers? for"),
        ({"alignment": [row()["alignment"][0]] * 2}, "problem 7: "),
    ],
)
def test_a_bad_gold_derivation_names_its_problem(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RowError, match=message):
        _ = Problem.from_row(row(**changes)).derivation


def test_groups_that_share_a_number_name_their_problem() -> None:
    member = {"sentence": 0, "token": 1, "value": 1.0}
    groups = [[member, {**member, "token": 4}], [member, {**member, "token": 6}]]
    with pytest.raises(RowError, match=r"\b7\b.*equiv_tnum.*\b2\b"):
        _ = Problem.from_row(row(equiv_tnum=groups)).number_classes
