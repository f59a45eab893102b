"""Ten ambiguous problems of the sample, and what an annotator who is right answers on the page."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from draw_dataset.annotate.proposal import propose
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.equivalence import derivations_equivalent
from draw_dataset.derivation.problem import Problem

TEN = (4, 10, 16, 22, 63, 76, 79, 99, 101, 102)


@dataclass(frozen=True)
class Answers:
    """What to say about a problem.

    Attributes:
        chosen: the number of each literal that is a question, by its rank in the text; 0 is a constant.
        wrong: another candidate for each of them.
        groups: the numbers that mean the same.
    """

    chosen: dict[int, int]
    wrong: dict[int, int]
    groups: tuple[tuple[int, ...], ...]


def gold_problems() -> dict[int, Problem]:
    return {p.id: p for split in load_sample().values() for p in split if p.id in TEN}


def gold_answers(problem: Problem) -> Answers:
    proposal = propose(problem.question, problem.equations)
    questions = proposal.questions
    rank = {number.place: number.index or 0 for number in proposal.numbers}
    groups = tuple(tuple(rank[number.place] for number in group) for group in problem.equiv_tnum)
    for origins in product(*[proposal.literals[position].origins for position in questions]):
        chosen = dict(zip(questions, origins, strict=True))
        if derivations_equivalent(proposal.derive(chosen), problem.derivation, problem.number_classes):
            ranks = {position: rank[o.number.place] if o.number else 0 for position, o in chosen.items()}
            wrong = {
                position: next(
                    rank[o.number.place] if o.number else 0 for o in proposal.literals[position].origins if o != held
                )
                for position, held in chosen.items()
            }
            return Answers(ranks, wrong, groups)
    raise AssertionError(f"problem {problem.id}: no candidate is gold")


def write_problems(path: Path, *more: dict[str, object]) -> None:
    """Write what `draw annotate import` reads: the ten problems without their gold, and others."""
    lines: list[dict[str, object]] = [
        {"id": p.id, "question": p.question, "equations": list(p.equations)} for p in gold_problems().values()
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in [*lines, *more]), encoding="utf-8")
