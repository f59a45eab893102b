"""Wrong derivation, no derivation and unread derivation are three kinds, in every figure and on the page."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from metric.metric_inputs import ROWS, metric
from report.pages import listed

from draw_dataset import compare_scores, grade, score
from draw_dataset.data.sample import ANSWERS, PREDICTIONS, load_sample_answers, load_sample_predictions
from draw_dataset.report.page import page_html
from draw_dataset.scoring.files import Judged
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.gold_rows import ListedReferences
from draw_dataset.scoring.score import score_shard
from draw_dataset.scoring.verdict import Kind, Reason

LUCKY = load_sample_predictions("lucky")
RIGHT_ANSWERS = ("right_answer_wrong_derivation", "right_answer_no_derivation", "right_answer_not_understood")


def bare(row: dict[str, Any]) -> dict[str, str]:
    return {"answer": f"The answer is {' and '.join(f'{value:g}' for value in row['solutions'])}."}


def misnamed(row: dict[str, Any]) -> str:
    """Return a derivation with gold's solution whose numbers look as if q1, q2 were meant."""
    return "; ".join(f"Q{place} = {value:g}" for place, value in enumerate(row["solutions"], 1))


def predictions() -> list[Any]:
    """Return 10 bare right answers, 5 unread right answers, 5 unread wrong ones, and 10 that may be lucky."""
    given: list[Any] = [bare(row) for row in ROWS[:10]]
    given += [misnamed(row) for row in ROWS[10:15]]
    given += ["what = is = this"] * 5
    return given + [LUCKY[row["id"]] for row in ROWS[20:]]


def test_every_reason_has_a_kind_and_right_derivations_are_one() -> None:
    assert {reason for reason in Reason if reason.kind is Kind.RIGHT} == {Reason.RIGHT, Reason.SLIP, Reason.SHORTCUT}
    assert {reason for reason in Reason if reason.kind is Kind.NONE} == {Reason.NO_DERIVATION, Reason.ABSTAINED}
    assert {reason.kind for reason in Reason} == set(Kind)


@pytest.mark.parametrize("match", ["algorithm1", "quantities"])
def test_the_kind_of_a_verdict_is_right_where_its_derivation_is(match: Any) -> None:
    kinds = Counter[Kind]()
    given = [(predictions()[place], row) for place, row in enumerate(ROWS)]
    given += [(load_sample_predictions(name)[row["id"]], row) for name in PREDICTIONS for row in ROWS]
    given += [({"answer": load_sample_answers(name)[row["id"]]}, row) for name in ANSWERS for row in ROWS]
    for prediction, row in given:
        verdict = grade(prediction, row, match=match)
        assert verdict.derivation == (verdict.reason.kind is Kind.RIGHT)
        kinds[verdict.reason.kind] += 1
    assert set(kinds) == set(Kind)


def test_bare_and_unread_right_answers_are_no_wrong_derivations() -> None:
    assert [str(grade(misnamed(row), row).reason) for row in ROWS[10:15]] == ["unreadable"] * 5
    found = score(predictions(), ROWS)
    lucky = score([LUCKY[row["id"]] for row in ROWS[20:]], ROWS[20:])
    assert lucky.lucky > 0
    figures = found.to_dict()
    assert [figures[name] for name in RIGHT_ANSWERS] == [lucky.lucky, 10, 5]
    assert (found.lucky, found.no_derivation, found.unread) == (lucky.lucky, 10, 10 + lucky.unread)
    right = sum(found.items["solution"]) - sum(found.items["derivation"])
    assert sum(figures[name] for name in RIGHT_ANSWERS) == right
    assert metric().compute(predictions=predictions(), references=ROWS) == figures


def test_grading_in_parts_counts_the_same_kinds() -> None:
    references = ListedReferences([PreparedProblem.of(row).problem for row in ROWS])
    tally = score_shard([(row["id"], one) for row, one in zip(ROWS, predictions(), strict=True)], references)
    result = type(tally).from_json(json.loads(json.dumps(tally.to_json()))).result()
    assert result.to_dict() == score(predictions(), ROWS).to_dict()


def test_the_page_lists_bare_answers_apart_from_wrong_derivations() -> None:
    given: list[Any] = [*predictions()[:20], bare(ROWS[0]), None, *predictions()[22:]]
    verdicts = [grade(one, row) for one, row in zip(given, ROWS, strict=True)]
    table = compare_scores({"model": score(given, ROWS)}, samples=20)
    judged = [Judged(PreparedProblem.of(row), one, v) for row, one, v in zip(ROWS, given, verdicts, strict=True)]
    page = page_html(table, {"model": judged})
    kinds = Counter(Reason(one.reason).kind for one in listed(page) if one.solution)
    found = table.systems[0].score
    assert (kinds[Kind.WRONG], kinds[Kind.NONE], kinds[Kind.UNREAD]) == (found.lucky, 10, 5)
    assert Counter(one.reason for one in listed(page)) == found.counts
