"""On the release Algorithm 1 and quantities agree wherever unknowns and slots correspond, but for named kinds."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from experiments.matches import KINDS, SAME, Compared, against_problem, against_template, template_pairs
from lab import main
from predictions import as_prediction, gold_of, rewrites, wrong_ones

from draw_dataset import grade
from draw_dataset.data.release import DATASETS, load_problems
from draw_dataset.scoring.gold import PreparedProblem

pytestmark = pytest.mark.release

UNEXPLAINED = {kind for kind in KINDS if "not explained" in kind}
ONLY_ALGORITHM_1 = {kind for kind in KINDS if kind.startswith("only Algorithm 1")}


@pytest.fixture(scope="module")
def references(release_dir: Path) -> list[PreparedProblem]:
    return [
        PreparedProblem(problem)
        for name in DATASETS
        for problems in load_problems(name, release_dir).values()
        for problem in problems
    ]


def kinds_of(compared: list[Compared]) -> set[str]:
    return {one.kind for one in compared}


def test_gold_has_its_own_quantities_but_where_it_has_none(references: list[PreparedProblem]) -> None:
    kinds = Counter(against_problem(reference, gold_of(reference.problem)).kind for reference in references)
    assert kinds == {SAME: 2_344, "only Algorithm 1: gold determines no quantities": 1}


def test_rewrites_of_gold_have_its_quantities(references: list[PreparedProblem]) -> None:
    found = [against_problem(*made) for made in rewrites(references, 800)]
    assert kinds_of(found) <= {SAME, "only Algorithm 1: gold determines no quantities"}


def test_what_is_made_wrong_differs_in_named_kinds(references: list[PreparedProblem]) -> None:
    found = [against_problem(*made) for made in wrong_ones(references, 1_200)]
    assert not kinds_of(found) & UNEXPLAINED
    assert sum(one.kind == SAME for one in found) > 1_150


def test_pairs_of_templates(references: list[PreparedProblem]) -> None:
    rng = random.Random(0)
    assert len(template_pairs(references, None)) == 22_430
    found = [one for pair in template_pairs(references, 60) for one in against_template(*pair, rng)]
    assert not kinds_of(found) & (UNEXPLAINED | ONLY_ALGORITHM_1)


def test_the_option_is_both_rules_together(references: list[PreparedProblem]) -> None:
    for reference, made in wrong_ones(references, 400):
        compared = against_problem(reference, made)
        expected = compared.right or compared.kind.startswith("only quantities")
        verdict = grade(as_prediction(*made), reference, match="quantities")
        assert verdict.derivation == expected, compared
        assert grade(as_prediction(*made), reference, match="algorithm1").derivation == compared.right


def test_the_table(release_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["matches", "--data-dir", str(release_dir), "--count", "20", "--pairs", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "| kind | gold | pairs | rewrites | made wrong |"
    compared = next(line for line in lines if line.startswith("| compared | 2345 | "))
    assert compared.endswith(" | 20 | 20 |")
