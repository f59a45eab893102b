"""Scoring a set: the figures, the signature, and sets that cannot be scored."""

from __future__ import annotations

import json
from typing import Any

import pytest

from draw_dataset import compare_scores, grade, score
from draw_dataset.data.sample import PREDICTIONS, load_sample, load_sample_predictions
from draw_dataset.errors import ScoreError
from draw_dataset.scoring.options import Options
from draw_dataset.scoring.verdict import Kind, Reason, Verdict

ROWS = [problem.to_row() for problem in load_sample()["test"]]
GOLD = [row["derivation"] for row in ROWS]

# Right, right solution, and lucky (right solution, wrong derivation) in each bundled file.
BUNDLED = {"careful": (26, 28, 2), "lucky": (10, 25, 15), "mixed": (11, 14, 3)}


def bundled(name: str) -> list[Any]:
    predictions = load_sample_predictions(name)
    return [predictions[row["id"]] for row in ROWS]


@pytest.mark.parametrize("name", PREDICTIONS)
def test_the_bundled_predictions(name: str) -> None:
    found = score(bundled(name), ROWS)
    right, solved, lucky = BUNDLED[name]
    assert (found.derivation_accuracy * 30, found.solution_accuracy * 30, found.lucky) == (right, solved, lucky)
    assert sum(found.counts.values()) == found.count == 30
    assert found.counts["right"] == right


def test_a_score_is_a_text_with_its_intervals() -> None:
    found = score(bundled("mixed"), ROWS)
    assert found.to_text() == found.to_text(found.intervals())


def test_gold_scores_one() -> None:
    found = score(GOLD, ROWS)
    assert (found.derivation_accuracy, found.solution_accuracy, found.counts) == (1, 1, {"right": 30})
    assert found.equation_accuracy == pytest.approx(1 - found.references_not_gold)


def test_verdicts_are_those_of_grade() -> None:
    verdicts: list[Verdict] = []
    score(bundled("mixed"), ROWS, verdicts=verdicts)
    assert verdicts == [grade(p, row) for p, row in zip(bundled("mixed"), ROWS, strict=True)]


def test_the_signature_names_all_that_can_move_a_score() -> None:
    plain = str(score(GOLD, ROWS, data="sample/test").signature)
    assert plain.startswith("deriv|data:sample/test@")
    assert "|n:30|match:algorithm1|sol:tol0.0001|eq:random-seed0|abstain:wrong|" in plain
    assert "|metric:6|version:" in plain
    others = [
        score(GOLD[:29], ROWS[:29], data="sample/test"),
        score(GOLD, ROWS, data="other"),
        score(GOLD, [ROWS[0] | {"solutions": [1.0]}, *ROWS[1:]], data="sample/test"),
        *(
            score(GOLD, ROWS, options, data="sample/test")
            for options in (
                Options(merge_equiv=True),
                Options(seed=1),
                Options(equation="first"),
                Options(equation="expected"),
                Options(match="quantities"),
            )
        ),
    ]
    assert len({plain, *(str(found.signature) for found in others)}) == len(others) + 1
    assert len({found.signature for found in others}) == len(others)


def test_order_does_not_matter() -> None:
    forward = score(bundled("lucky"), ROWS)
    backward = score(bundled("lucky")[::-1], ROWS[::-1])
    assert forward.to_dict() == backward.to_dict()


def test_slices_add_up() -> None:
    found = score(bundled("lucky"), ROWS)
    for values in found.slices().values():
        assert sum(v["n"] for v in values.values()) == 30
        total = sum(v["n"] * v["derivation_accuracy"] for v in values.values())
        assert total / 30 == pytest.approx(found.derivation_accuracy)
    assert set(found.slices()["ambiguity"]) == {"ambiguous", "unambiguous"}


def test_the_expected_mode_is_the_mean_over_seeds() -> None:
    expected = score(GOLD, ROWS, Options(equation="expected")).equation_accuracy
    draws = [score(GOLD, ROWS, Options(seed=seed)).equation_accuracy for seed in range(60)]
    assert sum(draws) / 60 == pytest.approx(expected, abs=0.03)


def test_the_figures_are_plain_data() -> None:
    assert json.loads(json.dumps(score(GOLD, ROWS).to_dict()))["n"] == 30


@pytest.mark.parametrize(
    ("predictions", "rows", "message"),
    [
        ([], [], "at least one prediction"),
        ([None], [], "as many predictions as references, but got 1 and 0"),
        (GOLD, ROWS[:3], "but got 30 and 3"),
    ],
)
def test_what_cannot_be_scored_is_refused(predictions: list[Any], rows: list[Any], message: str) -> None:
    with pytest.raises(ScoreError, match=message):
        score(predictions, rows)


def test_right_answers_with_a_wrong_derivation_none_and_one_not_understood_are_three_things() -> None:
    problem = load_sample()["test"][0]
    row, x, y, z = problem.to_row(), *problem.solutions
    answers = {
        Kind.RIGHT: problem.derivation.q_notation(),
        Kind.NONE: {"answer": f"The answer is {x:g}, {y:g} and {z:g}."},
        Kind.UNREAD: {"answer": f"x^7 + y^9*z = 3*x*y/(z-x^5) = 8. So {x:g}, {y:g} and {z:g}."},
        Kind.WRONG: {"template": ["m = a"], "alignment": [row["alignment"][0]], "solutions": [x, y, z]},
    }
    found = score([*answers.values(), {"solutions": [x, y, z]}], [row] * 5)
    assert found.right_answers == {Kind.RIGHT: 1, Kind.NONE: 2, Kind.UNREAD: 1, Kind.WRONG: 1}
    assert found.lucky == 1
    figures = found.to_dict()
    assert figures["right_answer_wrong_derivation"] == figures["right_answer_not_understood"] == 1
    assert figures["right_answer_no_derivation"] == 2
    shown = compare_scores({"one": found}).to_markdown()
    assert "| right answer, wrong derivation | 1 |" in shown
    assert "| right answer, no derivation | 2 |" in shown


@pytest.mark.parametrize("predictions", [None, 5, "m = q1", b"m", {"template": ["m = a"]}])
def test_predictions_that_are_no_list_are_refused(predictions: Any) -> None:
    with pytest.raises(ScoreError, match="predictions: expected a list"):
        score(predictions, ROWS)


def test_every_reason_is_of_one_kind() -> None:
    assert {reason.kind for reason in Reason} == set(Kind)
    assert {reason for reason in Reason if reason.kind is Kind.RIGHT} == {Reason.RIGHT, Reason.SLIP, Reason.SHORTCUT}
