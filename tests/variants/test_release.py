"""Variants of the release: how many rows give them, and what probing says of planted derivations."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from experiments.simulating import planted_wrong, right
from variants.problems import solved_by_sympy

from draw_dataset import Problem, grade, probe
from draw_dataset.checks.findings import UNTRUSTED, check_problem
from draw_dataset.data.catalog import load
from draw_dataset.derivation.problem import asked_values
from draw_dataset.variants.making import inventory_of, make_variants
from draw_dataset.variants.probing import cases_of, probe_case

pytestmark = pytest.mark.release


@pytest.mark.parametrize(("name", "share"), [("draw1k", 0.93), ("alg514", 0.92), ("dolphin_l", 0.86)])
def test_most_rows_give_five_variants_and_planted_derivations_are_told(
    name: str, share: float, release_dir: Path
) -> None:
    problems = load(name, release_dir)
    inventory = inventory_of(problems)
    sound = [problem for problem in problems if not UNTRUSTED & set(problem.findings)]
    made = make_variants(Random(2).sample(sound, 40), 5, 0, inventory=inventory)
    assert sum(one.count == 5 for one in made.made) >= share * 40
    cases = [case for case in cases_of(made) if len(case.variants) >= 3][:20]
    wrong = [planted for case in cases if (planted := planted_wrong(case, inventory, Random(f"{case.id}"))) is not None]
    said = [str(probe_case(one.case, one.answers(Random(0)), inventory).verdict) for one in wrong]
    assert said.count("wrong") >= 0.97 * len(said)
    said = [str(probe_case(case, right(case).answers(Random(f"{case.id}"), 0.05), inventory).verdict) for case in cases]
    assert said.count("right") >= 0.9 * len(said)


@pytest.mark.parametrize("name", ["draw1k", "alg514", "dolphin_l"])
def test_rows_with_wrong_gold_are_refused(name: str, release_dir: Path) -> None:
    wrong = [problem for problem in load(name, release_dir) if UNTRUSTED & {*problem.findings}]
    assert wrong
    assert len(make_variants(wrong).refused) == len({problem.id for problem in wrong})


@pytest.mark.parametrize("kind", ["numbers", "traps", "twins"])
def test_answers_are_judged_by_what_is_asked(kind: str, release_dir: Path) -> None:
    problems = [problem for name in ("draw1k", "dolphin_l") for problem in load(name, release_dir)]
    asking = [problem for problem in problems if any("q" in text for text in problem.asked)]
    rows = make_variants(asking, 2, 0, kinds=[kind], inventory=inventory_of(problems))
    assert len(rows.made) >= 16
    answers = {row["id"]: list(asked_values(Problem.from_row(row))) for row in rows}
    assert probe(answers, rows).accuracy == 1


@pytest.mark.parametrize(
    ("kind", "share"),
    [("digits", 0.12), ("decimals", 0.25), ("reversed", 0.55), ("missing", 0.3), ("added", 0.6), ("units", 0.08)],
)
def test_gold_of_other_kinds_is_that_of_sympy(kind: str, share: float, release_dir: Path) -> None:
    problems = Random(4).sample(load("draw1k/train", release_dir, corrected=True), 120)
    made = make_variants(problems, 1, 0, kinds=[kind])
    assert len(made.made) >= share * len(problems)
    sources = {problem.id: {one.code for one in check_problem(problem)} for problem in problems}
    for row in made:
        problem = Problem.from_row(row)
        if problem.is_refused:
            assert kind == "missing"
            continue
        assert solved_by_sympy(problem) == problem.derivation.solve().values
        assert grade(row["derivation"], row).derivation
        assert not {one.code for one in check_problem(problem)} - sources[row["source_id"]]
