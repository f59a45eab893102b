"""The paper's case studies (section 5.3), end to end through `evaluate` on the rows of the release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from metric.metric_inputs import metric

from draw_dataset.data.release import load_problems

pytestmark = pytest.mark.release


def row_of(dataset: str, number: int, folder: Path) -> dict[str, Any]:
    problems = [p for split in load_problems(dataset, folder).values() for p in split if p.id == number]
    assert len(problems) == 1
    return problems[0].to_row()


def verdict_on(prediction: str, row: dict[str, Any], **options: Any) -> dict[str, Any]:
    found = metric().compute(predictions=[prediction], references=[row], return_verdicts=True, **options)
    assert found["right_answer_wrong_derivation"] == int(found["solution_accuracy"] > found["derivation_accuracy"])
    verdict: dict[str, Any] = found["verdicts"][0]
    return verdict


def test_correct_solution_incorrect_equation(release_dir: Path) -> None:
    """The paper counts "one" of "one of the numbers" as q5, so that its q6 and q7 are our q5 and q6.

    As "one" is no number of the text to us, its coefficient of 1 is left out in the wrong derivation.
    """
    row = row_of("dolphin_l", 2001307, release_dir)
    gold = verdict_on("m + n = q2; q4*m - q6*n = q5 + q3", row)
    assert (gold["derivation"], gold["solution"]) == (True, True)
    wrong = verdict_on("m + n = q2; q1*m - n = q6 + q3", row)
    assert (wrong["derivation"], wrong["solution"], wrong["equation"]) == (False, True, False)
    assert wrong["reason"] == "slot count"
    assert wrong["message"].startswith("right answer, ")


def test_correct_solution_incorrect_equation_with_the_paper_s_numbers(release_dir: Path) -> None:
    """The same with the paper's numbers, "one" being q5: the template is gold's, the alignment is not."""
    row = row_of("dolphin_l", 2001307, release_dir)
    one = row["question"].split().index("one", 10)
    place = {"sentence": 1, "token": one - row["question"].split().index(".") - 1}
    start = row["question"].index(" one ") + 1
    numbers = [*row["numbers"], {"text": "one", "value": 1.0, "start": start, "end": start + 3, "index": 0} | place]
    numbers.sort(key=lambda number: number["start"])
    row["numbers"] = [number | {"index": index} for index, number in enumerate(numbers, 1)]
    gold = verdict_on("m + n = q2; q4*m - q7*n = q6 + q3", row)
    assert (gold["derivation"], gold["solution"]) == (True, True)
    wrong = verdict_on("m + n = q2; q1*m - q5*n = q7 + q3", row)
    assert (wrong["derivation"], wrong["solution"], wrong["reason"]) == (False, True, "alignment")
    assert wrong["message"].startswith("right answer, wrong number: ")


def test_correct_equation_incorrect_alignment(release_dir: Path) -> None:
    row = row_of("draw1k", 804723, release_dir)
    gold = verdict_on("m - q3*n = q2; m + n = q4", row)
    assert (gold["derivation"], gold["solution"]) == (True, True)
    wrong = verdict_on("m - q3*n = q1; m + n = q4", row)
    assert (wrong["derivation"], wrong["solution"], wrong["reason"]) == (False, True, "alignment")
    assert wrong["message"] == 'right answer, wrong number: slot b takes "two" (q1) where gold takes "2" (q2)'


def test_bad_approximation_in_equation_accuracy(release_dir: Path) -> None:
    """Some seeds draw a reference that is not gold: it finds gold wrong, and the wrong derivation right."""
    row = row_of("alg514", 6254, release_dir)
    gold, wrong = "q1*m + q2*n = q3; q4*m + q5*n = q6", "q1*m + q2*n = q3; q2*m + q5*n = q6"
    assert verdict_on(gold, row)["derivation"]
    told = verdict_on(wrong, row)
    assert (told["derivation"], told["solution"]) == (False, True)
    seeds = range(40)
    on_gold = [verdict_on(gold, row, seed=seed)["equation"] for seed in seeds]
    on_wrong = [verdict_on(wrong, row, seed=seed)["equation"] for seed in seeds]
    assert True in on_gold
    assert False in on_gold
    assert True in on_wrong
    assert not any(one and other for one, other in zip(on_gold, on_wrong, strict=True))
    drawn = metric().compute(predictions=[gold], references=[row], seed=on_wrong.index(True))
    assert (drawn["references_not_gold"], drawn["equation_accuracy"], drawn["derivation_accuracy"]) == (1, 0, 1)
    expected = metric().compute(predictions=[gold], references=[row], equation="expected")
    assert 0 < expected["equation_accuracy"] < 1
    assert expected["mean_references"] == 4
