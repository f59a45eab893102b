"""Grading in parts: merged tallies give the score of all predictions at once, in any cut and order."""

from __future__ import annotations

import json
import random
import tracemalloc
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import RowError, ScoreError
from draw_dataset.scoring.gold_rows import ListedReferences
from draw_dataset.scoring.options import Options
from draw_dataset.scoring.score import Tally, complete, merge_tallies, score, score_shard
from draw_dataset.scoring.significance import bootstrap_interval

SAMPLE = load_sample()["test"]
PROBLEMS = [
    replace(problem, alternatives=("m = q1",), status="ambiguous") if place == 3 else problem
    for place, problem in enumerate(SAMPLE[:12])
]


def predictions(seed: int, count: int) -> list[tuple[Problem, Any]]:
    rng = random.Random(seed)
    made: list[tuple[Problem, Any]] = []
    for _ in range(count):
        problem = rng.choice(PROBLEMS)
        other = rng.choice(PROBLEMS)
        made.append(
            (
                problem,
                rng.choice(
                    [
                        problem.derivation.q_notation(),
                        problem.derivation.q_notation(),
                        other.derivation.q_notation(),
                        "m = q1",
                        None,
                        "what = is = this",
                        {"answer": f"x + 3 = 12 so x = 9. The answer is {other.solutions[0]}."},
                    ]
                ),
            )
        )
    return made


@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options(equation="expected"),
        Options(match="quantities", gold="any"),
        Options(tolerance=Fraction(1, 10)),
    ],
    ids=str,
)
def test_any_cut_in_any_order_gives_the_plain_score(options: Options) -> None:
    graded = predictions(1, 160)
    plain = score([p for _, p in graded], [problem for problem, _ in graded], options, data="some/test")
    references = ListedReferences(PROBLEMS)
    rng = random.Random(2)
    for parts in (1, 3, 40):
        cut: list[list[Any]] = [[] for _ in range(parts)]
        for place, (problem, prediction) in enumerate(graded):
            cut[place * parts // len(graded)].append((problem.id, prediction))
        tallies = [
            score_shard(part, references, options, data="some/test", shard=number) for number, part in enumerate(cut)
        ]
        rng.shuffle(tallies)
        written = [Tally.from_json(json.loads(json.dumps(tally.to_json()))) for tally in tallies]
        result = merge_tallies(written).result()
        assert result.to_dict() == plain.to_dict()
        assert result.slices() == plain.slices()
        assert result.first_unread is not None
        assert plain.first_unread is not None
        assert result.first_unread.cause == plain.first_unread.cause


def test_one_prediction_a_problem_has_the_plain_interval_and_many_a_wider_one() -> None:
    right = [(p.id, p.derivation.q_notation() if place % 3 else None) for place, p in enumerate(SAMPLE)]
    references = ListedReferences(SAMPLE)
    once = score_shard(right, references).result()
    plain = score([prediction for _, prediction in right], SAMPLE)
    interval = bootstrap_interval(plain.items["derivation"], samples=2000)
    assert once.intervals(samples=2000)["derivation"] == (interval.low, interval.high)
    low, high = score_shard(right * 10, references).result().intervals(samples=2000)["derivation"]
    # Ten equal answers to each problem are no ten problems: the interval stays as wide.
    assert high - low == pytest.approx(interval.high - interval.low, abs=0.03)


def test_rows_without_a_prediction_are_refused_or_abstain() -> None:
    references = ListedReferences(PROBLEMS)
    some = [(problem.id, problem.derivation.q_notation()) for problem in PROBLEMS[:9]]
    with pytest.raises(ScoreError, match="of the 12 rows, but 3 have none"):
        complete(score_shard(some, references), references, "error")
    result = complete(score_shard(some, references), references, "abstain")
    assert (result.count, result.counts["abstained"], result.accuracy("derivation")) == (12, 3, 0.75)
    assert "missing:abstain" in str(result.signature)
    skipped = complete(score_shard(some, references), references, "skip")
    assert (skipped.count, skipped.accuracy("derivation")) == (9, 1.0)
    assert "missing:skip" in str(skipped.signature)
    with pytest.raises(ScoreError, match="Unknown id 'nobody'"):
        score_shard([("nobody", None)], references)
    with pytest.raises(ScoreError, match="at least one"):
        merge_tallies([])


def test_tallies_of_other_conditions_or_of_another_shape_do_not_merge() -> None:
    one = score_shard([(PROBLEMS[0].id, None)], PROBLEMS)
    with pytest.raises(ScoreError, match="same options and data"):
        one.merge(score_shard([(PROBLEMS[0].id, None)], PROBLEMS, Options(seed=1)))
    good = one.to_json()
    for broken in ({}, {**good, "count": 2}, {**good, "version": "0"}, {**good, "problems": [[True, 0, 1, 0, 0, 0]]}):
        with pytest.raises(RowError, match="tally"):
            Tally.from_json(broken)
    broken = {**good, "problems": [[PROBLEMS[0].id, 0, 1, 5, 0, 0]]}
    with pytest.raises(RowError, match="sums of 1 predictions"):
        Tally.from_json(broken)


def test_memory_does_not_grow_with_the_number_of_predictions() -> None:
    references = ListedReferences(PROBLEMS)
    text = PROBLEMS[0].derivation.q_notation()
    tally = Tally(Options(), "rows")
    for _ in range(500):
        tally.add(text, references.reference(0))
    tracemalloc.start()
    try:
        for _ in range(3000):
            tally.add(text, references.reference(0))
        grown = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert tally.count == 3500
    assert grown < 20_000
