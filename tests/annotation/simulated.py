"""Annotators made of gold: what they would have to decide, and stores full of their work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product

from draw_dataset.annotate.decisions import AnnotationState, StoredProblem
from draw_dataset.annotate.proposal import Origin, Proposal
from draw_dataset.annotate.store import Store
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.equivalence import derivations_equivalent
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import AnnotationError

Choices = dict[int, list[int] | None]
"""The place that each literal comes from; None for a constant."""

TIES = StoredProblem(7, "Two and 2 make 4 . Add 5 .", ("x = 2 + 5",))
"""A problem with one question: where the 2 comes from."""

TWO_QUESTIONS = StoredProblem(
    8, "Ann has 3 bags of 6 pears and 3 boxes . Bob has 6 more bags than Ann .", ("x = 3*6", "y = x + 6")
)
"""A problem with three questions; 3 and 6 stand twice."""


def sample_problems() -> list[Problem]:
    """Return the problems of the embedded sample, gold included."""
    return [problem for listed in load_sample().values() for problem in listed]


def as_stored(problems: Iterable[Problem]) -> list[StoredProblem]:
    """Return problems without their gold."""
    return [StoredProblem(problem.id, problem.question, problem.equations) for problem in problems]


def gold_choices(proposal: Proposal, gold: Problem) -> Choices | None:
    """Return what an annotator who knows gold chooses, overruling what is needed; None if nothing leads to gold."""
    for origins in product(*(_possible(proposal, position, gold) for position in range(len(proposal.literals)))):
        chosen = dict(enumerate(origins))
        try:
            derivation = proposal.derive(chosen)
        except AnnotationError:
            continue
        if derivations_equivalent(derivation, gold.derivation, gold.number_classes):
            overruled = [i for i, literal in enumerate(proposal.literals) if origins[i] != literal.origins[0]]
            wanted = sorted({*proposal.questions, *overruled})
            return {i: _place(chosen[i]) for i in wanted}
    return None


def _possible(proposal: Proposal, position: int, gold: Problem) -> list[Origin]:
    """Return the origins that gold may have: proposed ones first, numbers of gold's classes, or a constant."""
    classes = gold.number_classes
    used = {classes.of_place((a.sentence, a.token)) for a in gold.alignment}
    found = []
    for number in [*(origin.number for origin in proposal.literals[position].origins), *proposal.numbers, None]:
        if number is not None and classes.of_place(number.place) not in used:
            continue
        try:
            origin = proposal.origin(position, number)
        except AnnotationError:
            continue
        if origin not in found:
            found.append(origin)
    return found


def _place(origin: Origin) -> list[int] | None:
    return None if origin.number is None else [origin.number.sentence or 0, origin.number.token]


def annotate(
    store: Store, problem_id: int, annotator: str, choices: Mapping[int, list[int] | None], gold: Problem | None = None,
    seconds: float = 1.0,
) -> AnnotationState:  # fmt: skip
    """Make choices and, with gold, its groups of equivalent numbers; submit."""
    for literal, place in choices.items():
        store.decide(problem_id, annotator, "choose", {"literal": literal, "place": place}, seconds)
    for group in () if gold is None else gold.equiv_tnum:
        places = [[n.sentence, n.token] for n in group]
        store.decide(problem_id, annotator, "equivalent", {"places": places})
    return store.decide(problem_id, annotator, "submit")
