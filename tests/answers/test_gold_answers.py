"""Gold written as an answer is graded right, in every style of prompt."""

from __future__ import annotations

from pathlib import Path

import pytest

from draw_dataset.data.catalog import load
from draw_dataset.prompting import answer_for
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.grading import grade
from draw_dataset.scoring.prompted import STYLES

ALWAYS_ZERO = {2000547, 2000689, 2001308}  # the smallest number is 0 whatever the numbers of the text are


@pytest.mark.release
@pytest.mark.filterwarnings("ignore::draw_dataset.errors.RefusedWarning")
@pytest.mark.parametrize("dataset", ["draw1k", "alg514", "dolphin_l"])
def test_gold_of_edition_3_is_a_right_answer(dataset: str, release_dir: Path) -> None:
    wrong = set()
    for problem in load(dataset, release_dir, True):
        reference = PreparedProblem(problem)
        for style in STYLES:
            verdict = grade({"answer": answer_for(problem, style), "prompt_style": style}, reference)
            assert verdict.solution, (problem.id, style)
            if not verdict.derivation:
                wrong.add((problem.id, style))
    assert {id_ for id_, _ in wrong} <= ALWAYS_ZERO
