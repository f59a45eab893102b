"""Scores on the release: gold is right however it is written, and what is wrong is what Algorithm 1 says."""

from __future__ import annotations

import multiprocessing
import random
from collections import Counter
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache
from pathlib import Path

import oracle
import pytest
from predictions import as_prediction, gold_of, groups_of, rewrites, wrong_ones, wrong_prediction

from draw_dataset import Problem, score
from draw_dataset.data.release import DATASETS, load_problems
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.grading import grade
from draw_dataset.scoring.options import Options

pytestmark = pytest.mark.release

COUNT = 20_000


@pytest.fixture(scope="module")
def problems(release_dir: Path) -> dict[str, list[Problem]]:
    return {name: [p for ps in load_problems(name, release_dir).values() for p in ps] for name in DATASETS}


@pytest.fixture(scope="module")
def references(problems: dict[str, list[Problem]]) -> list[PreparedProblem]:
    return [PreparedProblem(problem) for listed in problems.values() for problem in listed]


def test_gold_against_gold(problems: dict[str, list[Problem]]) -> None:
    unsolved = []
    for name, listed in problems.items():
        found = score([as_prediction(*gold_of(p)) for p in listed], [PreparedProblem(p) for p in listed], data=name)
        assert found.derivation_accuracy == 1.0
        assert found.equation_accuracy == pytest.approx(1 - found.references_not_gold)
        unsolved += [p.id for p, solved in zip(listed, found.items["solution"], strict=True) if not solved]
    assert sum(map(len, problems.values())) == 2_345
    assert sorted(unsolved) == [2000334, 2000661]  # their templates do not give the gold solutions


def test_rewrites_of_gold_stay_right(references: list[PreparedProblem]) -> None:
    options = Options()
    for reference, (equations, alignment) in rewrites(references, COUNT):
        verdict = grade(as_prediction(equations, alignment), reference, options)
        assert verdict.derivation, (reference.problem.id, equations, alignment)
        assert verdict.solution == reference.gold(options).gold_solved, reference.problem.id


@cache
def literal_maps(first: tuple[str, ...], second: tuple[str, ...], exact: bool) -> list[oracle.SlotMap]:
    """TemplEquiv of the literal algorithm; many predictions share their templates."""
    one, other = oracle.read_template(first), oracle.read_template(second)
    return (oracle.template_equiv if exact else oracle.template_equiv_floats)(one, other)


def test_wrong_predictions_are_judged_as_by_the_literal_algorithm(references: list[PreparedProblem]) -> None:
    seen: Counter[str] = Counter()
    for reference, (equations, alignment) in wrong_ones(references, COUNT):
        verdict = grade(as_prediction(equations, alignment), reference)
        gold_equations, gold_alignment = gold_of(reference.problem)
        expected = False
        if len(alignment) == len(gold_alignment):
            pair = tuple(equations), tuple(gold_equations)
            groups = groups_of(reference.problem)
            expected = oracle.align_equiv(literal_maps(*pair, False), alignment, gold_alignment, groups)
            if verdict.derivation != expected:  # floats may err
                expected = oracle.align_equiv(literal_maps(*pair, True), alignment, gold_alignment, groups)
        assert verdict.derivation == expected, (reference.problem.id, equations, alignment)
        seen[str(verdict.reason)] += 1
    assert seen["right"] > 1_000
    assert min(seen["alignment"], seen["template"]) > 3_000


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_four_at_once_give_the_same_score(kind: str, problems: dict[str, list[Problem]]) -> None:
    rng = random.Random(13)
    rows = [problem.to_row() for problem in rng.sample(problems["draw1k"], 300)]
    shared = [PreparedProblem.of(row) for row in rows]
    predictions = []
    for i, reference in enumerate(shared):
        found = wrong_prediction(i % 3, reference, shared, rng)
        assert found is not None
        predictions.append(as_prediction(*found))
    alone = score(predictions, rows)
    pool: Executor
    if kind == "threads":
        pool = ThreadPoolExecutor(4)
    else:
        pool = ProcessPoolExecutor(4, mp_context=multiprocessing.get_context("spawn"))
    with pool:
        jobs = [pool.submit(score, predictions, given) for given in (rows, shared, shared, rows)]
        results = [job.result(timeout=300) for job in jobs]
    for result in results:
        assert result.to_dict() == alone.to_dict()
        assert result.items == alone.items
        assert result.slices() == alone.slices()
