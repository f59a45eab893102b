"""Predictions made of gold: written differently so that they stay right, or made wrong in four ways."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from rewriting import Place, renamed, rewrite, with_other_unknowns

from draw_dataset import Problem
from draw_dataset.scoring.gold import PreparedProblem

Made = tuple[list[str], dict[str, Place]]
"""The equations of a template, and the place of the number in each slot."""


def gold_of(problem: Problem) -> Made:
    """Return the gold derivation of a problem."""
    return list(problem.template), {a.slot: (a.sentence, a.token) for a in problem.alignment}


def as_prediction(equations: list[str], alignment: dict[str, Place]) -> dict[str, Any]:
    """Return a derivation as a prediction."""
    entries = [{"slot": slot, "sentence": place[0], "token": place[1]} for slot, place in alignment.items()]
    return {"template": equations, "alignment": entries}


def groups_of(problem: Problem) -> list[list[Place]]:
    """Return the places of numbers that mean the same."""
    return [[(n.sentence, n.token) for n in group if n.sentence is not None] for group in problem.equiv_tnum]


def rewrites(
    references: Sequence[PreparedProblem], count: int, seed: int = 11
) -> Iterator[tuple[PreparedProblem, Made]]:
    """Yield gold derivations of random problems, written differently."""
    rng = random.Random(seed)
    for _ in range(count):
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
        yield reference, (rewrite(equations, rng, scale=rng.random() < 0.5, reorder=True), alignment)


def wrong_prediction(
    kind: int, reference: PreparedProblem, others: Sequence[PreparedProblem], rng: random.Random
) -> Made | None:
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


def wrong_ones(
    references: Sequence[PreparedProblem], count: int, seed: int = 12
) -> Iterator[tuple[PreparedProblem, Made]]:
    """Yield predictions for random problems that are made wrong in the four ways in turn; some stay right by chance."""
    rng = random.Random(seed)
    by_slots: dict[int, list[PreparedProblem]] = {}
    for reference in references:
        by_slots.setdefault(len(reference.problem.alignment), []).append(reference)
    done = 0
    while done < count:
        reference = rng.choice(references)
        alike = by_slots[len(reference.problem.alignment)]
        found = wrong_prediction(done % 4, reference, alike if rng.random() < 0.8 else references, rng)
        if found is not None:
            done += 1
            yield reference, found
