"""Proposals measured against gold that was hidden from them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from draw_dataset import Problem
from draw_dataset.annotate.evaluation import CAUSES, ProposalEvaluation, evaluate_proposals, find_gold
from draw_dataset.annotate.normal import build_problem
from draw_dataset.annotate.proposal import Origin, propose
from draw_dataset.data.release import load_problems
from draw_dataset.data.sample import load_sample
from draw_dataset.errors import LimitError

QUESTION = "A rope of 7 m is cut in 2 pieces , the first 2 m longer ."
EQUATIONS = "x + y = 7; x = y + 2"


def gold(*, second: bool, constant: bool = False) -> Problem:
    proposal = propose(QUESTION, EQUATIONS)
    origin = Origin(None) if constant else Origin(proposal.numbers[2 if second else 1])
    return build_problem(1, proposal, {1: origin})


def test_gold_is_found_by_its_rank() -> None:
    proposal = propose(QUESTION, EQUATIONS)
    assert find_gold(proposal, gold(second=False)) == 0
    assert find_gold(proposal, gold(second=True)) == 1
    assert find_gold(proposal, gold(second=True, constant=True)) is None


def test_equivalent_numbers_are_gold_too() -> None:
    proposal = propose(QUESTION, EQUATIONS)
    joined = replace(gold(second=True), equiv_tnum=(proposal.numbers[1:],))
    assert find_gold(proposal, joined) == 0


def test_what_is_not_among_the_candidates_has_a_cause() -> None:
    constant = replace(gold(second=True, constant=True), id=2)
    refused = replace(gold(second=True), id=3, equations=("x + y = 7",))
    missing = gold(second=True)
    missing = replace(missing, id=4, alignment=(missing.alignment[0], replace(missing.alignment[1], token=0)))
    measured = evaluate_proposals([gold(second=True), constant, refused, missing, replace(constant, findings=("x",))])
    assert measured.missed == {"refused": (3,), "number not found": (4,), "gold keeps a constant": (2,)}
    assert measured.missed_with_findings == {"gold keeps a constant": (2,)}
    assert set(measured.missed) <= set(CAUSES)
    assert (measured.clean.problems, measured.clean.among, measured.every.problems) == (4, 1, 5)
    assert (measured.needing, measured.questions) == (4, (1, 1, 1, 1))


def test_many_candidates_do_not_matter_if_gold_uses_few_numbers() -> None:
    question = "He wrote " + " , ".join(["3"] * 40) + " ."
    proposal = propose(question, "x = 3 + 3*3 + 3/3 + 3")
    assert proposal.count == 40**6
    problem = build_problem(1, proposal, {i: Origin(proposal.numbers[39]) for i in range(6)})
    assert find_gold(proposal, problem) == 40**6 - 1
    many = build_problem(1, proposal, {i: Origin(proposal.numbers[i]) for i in range(6)}, [proposal.numbers[6:]])
    assert find_gold(proposal, many) is not None
    everything = replace(many, equiv_tnum=(proposal.numbers,), template=("m = a",), alignment=many.alignment[:1])
    with pytest.raises(LimitError, match="candidates to compare"):
        find_gold(proposal, everything)


def test_the_sample_is_proposed_for() -> None:
    measured = evaluate_proposals(problem for split in load_sample().values() for problem in split)
    assert measured.every.problems == 120
    # Three texts have no number at all; in two, gold keeps a 2 that the text has as "twice" or "odd".
    assert measured.missed == {"refused": (50, 90, 109), "other": (32, 72)}
    assert measured.wrong == (32,)
    assert sum(count > 0 for count in measured.questions) == measured.needing


@pytest.fixture(scope="module")
def measured(release_dir: Path) -> dict[str, ProposalEvaluation]:
    return {
        name: evaluate_proposals(problem for split in load_problems(name, release_dir).values() for problem in split)
        for name in ("draw1k", "alg514", "dolphin_l")
    }


@pytest.mark.release
def test_gold_is_among_the_candidates_of_the_release(measured: dict[str, ProposalEvaluation]) -> None:
    assert {name: (e.clean.among, e.clean.problems) for name, e in measured.items()} == {
        "draw1k": (883, 888),
        "alg514": (481, 481),
        "dolphin_l": (640, 641),
    }


@pytest.mark.release
def test_automatic_derivations_of_the_release_are_gold(measured: dict[str, ProposalEvaluation]) -> None:
    assert {name: (e.clean.automatic_right, e.clean.automatic) for name, e in measured.items()} == {
        "draw1k": (714, 717),
        "alg514": (382, 382),
        "dolphin_l": (448, 448),
    }
    assert measured["draw1k"].wrong == (751866, 153373, 879160)


@pytest.mark.release
def test_a_person_is_needed_as_often_as_in_the_paper(measured: dict[str, ProposalEvaluation]) -> None:
    assert {name: e.needing for name, e in measured.items()} == {"draw1k": 213, "alg514": 114, "dolphin_l": 301}
    assert {name: e.p95_questions for name, e in measured.items()} == {"draw1k": 2, "alg514": 2, "dolphin_l": 4}
    assert measured["dolphin_l"].candidates == 2187
