"""Scores on the release: gold is right however it is written, and what is wrong is what Algorithm 1 says."""

from __future__ import annotations

import multiprocessing
import random
from collections import Counter
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import oracle
import pytest
from rewriting import Place, renamed, rewrite, with_other_unknowns

from draw_dataset import Problem, score
from draw_dataset.release import DATASETS, load_problems
from draw_dataset.scoring.grading import grade
from draw_dataset.scoring.reference import Reference
from draw_dataset.scoring.signature import Options
from draw_dataset.scoring.standard import standard_of

pytestmark = pytest.mark.release

COUNT = 20_000


@pytest.fixture(scope="module")
def problems(release_dir: Path) -> dict[str, list[Problem]]:
    return {name: [p for ps in load_problems(name, release_dir).values() for p in ps] for name in DATASETS}


@pytest.fixture(scope="module")
def references(problems: dict[str, list[Problem]]) -> list[Reference]:
    return [Reference(problem) for listed in problems.values() for problem in listed]


def gold_of(problem: Problem) -> tuple[list[str], dict[str, Place]]:
    return list(problem.template), {a.slot: (a.sentence, a.token) for a in problem.alignment}


def as_prediction(equations: list[str], alignment: dict[str, Place]) -> dict[str, Any]:
    entries = [{"slot": slot, "sentence": place[0], "token": place[1]} for slot, place in alignment.items()]
    return {"template": equations, "alignment": entries}


def groups_of(problem: Problem) -> list[list[Place]]:
    return [[(n.sentence, n.token) for n in group if n.sentence is not None] for group in problem.equiv_tnum]


def test_gold_against_gold(problems: dict[str, list[Problem]]) -> None:
    unsolved = []
    for name, listed in problems.items():
        found = score([as_prediction(*gold_of(p)) for p in listed], [Reference(p) for p in listed], data=name)
        assert found.derivation_accuracy == 1.0
        assert found.equation_accuracy == pytest.approx(1 - found.references_not_gold)
        unsolved += [p.id for p, solved in zip(listed, found.items["solution"], strict=True) if not solved]
    assert sum(map(len, problems.values())) == 2_345
    assert sorted(unsolved) == [2000334, 2000661]  # their templates do not give the gold solutions


def test_rewrites_of_gold_stay_right(references: list[Reference]) -> None:
    rng = random.Random(11)
    options = Options()
    for _ in range(COUNT):
        reference = rng.choice(references)
        equations, alignment = gold_of(reference.problem)
        for group in groups_of(reference.problem):
            # Another number of the class, unless the class fills two slots.
            held = [slot for slot, place in alignment.items() if place in group]
            known = [place for place in group if place in reference.by_place]
            if len(held) == 1 and known:
                alignment[held[0]] = rng.choice(known)
        equations, alignment = renamed(equations, alignment, rng)
        if rng.random() < 0.5:
            equations = with_other_unknowns(equations, rng)
        equations = rewrite(equations, rng, scale=rng.random() < 0.5, reorder=True)
        verdict = grade(as_prediction(equations, alignment), reference, options)
        assert verdict.derivation, (reference.problem.id, equations, alignment)
        assert verdict.solution == standard_of(reference, options).gold_solved, reference.problem.id


@cache
def literal_maps(first: tuple[str, ...], second: tuple[str, ...], exact: bool) -> list[oracle.SlotMap]:
    """TemplEquiv of the literal algorithm; many predictions share their templates."""
    one, other = oracle.read_template(first), oracle.read_template(second)
    return (oracle.template_equiv if exact else oracle.template_equiv_floats)(one, other)


def wrong_prediction(kind: int, reference: Reference, others: list[Reference], rng: random.Random) -> Any:
    """Return numbers swapped (0), another number of the text (1), a sign turned (2), another problem's template (3)."""
    equations, alignment = gold_of(reference.problem)
    places = sorted(reference.by_place)
    if kind == 0 and len(alignment) > 1:
        one, other = rng.sample(sorted(alignment), 2)
        alignment[one], alignment[other] = alignment[other], alignment[one]
    elif kind == 1 and alignment:
        spare = [place for place in places if place not in alignment.values()]
        if spare:
            alignment[rng.choice(sorted(alignment))] = rng.choice(spare)
    elif kind == 2:
        at = rng.randrange(len(equations))
        signs = [i for i, c in enumerate(equations[at]) if c in "+-"]
        if signs:
            i = rng.choice(signs)
            turned = "-" if equations[at][i] == "+" else "+"
            equations[at] = equations[at][:i] + turned + equations[at][i + 1 :]
    else:
        equations, foreign = gold_of(rng.choice(others).problem)
        if len(foreign) > len(places):
            return None
        alignment = dict(zip(foreign, rng.sample(places, len(foreign)), strict=True))
        if rng.random() < 0.5 and len(foreign) == len(reference.problem.alignment):
            # The numbers of gold, so that only the template can be wrong.
            alignment = dict(zip(foreign, gold_of(reference.problem)[1].values(), strict=True))
    return equations, alignment


def test_wrong_predictions_are_judged_as_by_the_literal_algorithm(references: list[Reference]) -> None:
    rng = random.Random(12)
    by_slots: dict[int, list[Reference]] = {}
    for reference in references:
        by_slots.setdefault(len(reference.problem.alignment), []).append(reference)
    seen: Counter[str] = Counter()
    done = 0
    while done < COUNT:
        reference = rng.choice(references)
        alike = by_slots[len(reference.problem.alignment)]
        found = wrong_prediction(done % 4, reference, alike if rng.random() < 0.8 else references, rng)
        if found is None:
            continue
        equations, alignment = found
        done += 1
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
    shared = [Reference.of(row) for row in rows]
    predictions = []
    for i, reference in enumerate(shared):
        found = wrong_prediction(i % 3, reference, shared, rng)
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
