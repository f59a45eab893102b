"""Similar texts with different gold: problems with nearly the same words whose gold derivations differ.

Words are compared as in `draw_dataset.text.likeness`, with numbers masked. Two texts with the same numbers are compared
from `THRESHOLD` on. Texts with other numbers are compared only if they are practically equal: many problems differ in
one small word (more for less) and so have another derivation. Derivations are compared by the ranks of their numbers in
the text.
"""

from __future__ import annotations

from collections.abc import Sequence

from draw_dataset.core.derivation import Derivation
from draw_dataset.core.equivalence import derivations_equivalent
from draw_dataset.core.problem import Problem
from draw_dataset.errors import DrawError
from draw_dataset.text.likeness import THRESHOLD, hashed_shingles

SAME_WORDS = 0.95
"""The least likeness of two texts with other numbers."""

SHORTEST = 12
"""How many shingles a text needs to be compared with one of other numbers; short texts are alike by chance."""


def alike_gold(problems: Sequence[Problem]) -> dict[int, str]:
    """Find problems in nearly the words of another whose gold is another derivation; messages by position."""
    by_count: dict[int, list[int]] = {}
    for at, problem in enumerate(problems):
        by_count.setdefault(len(problem.numbers), []).append(at)
    shingles = [frozenset(hashed_shingles(p.question, p.numbers)) for p in problems]
    found: dict[int, list[str]] = {}
    for group in by_count.values():
        holders: dict[int, list[int]] = {}
        for at in group:
            common: dict[int, int] = {}
            for shingle in shingles[at]:
                for other in holders.setdefault(shingle, []):
                    common[other] = common.get(other, 0) + 1
                holders[shingle].append(at)
            for other, count in common.items():
                if _alike(problems, shingles, at, other, count) and not _same(problems[at], problems[other]):
                    found.setdefault(at, []).append(str(problems[other].id))
                    found.setdefault(other, []).append(str(problems[at].id))
    return {
        at: f"expected the derivation of {', '.join(ids[:5])}, whose text is nearly the same, but got another"
        for at, ids in sorted(found.items())
    }


def _alike(problems: Sequence[Problem], shingles: Sequence[frozenset[int]], a: int, b: int, common: int) -> bool:
    likeness = common / (len(shingles[a]) + len(shingles[b]) - common)
    if [n.value for n in problems[a].numbers] == [n.value for n in problems[b].numbers]:
        return likeness >= THRESHOLD
    return likeness >= SAME_WORDS and min(len(shingles[a]), len(shingles[b])) >= SHORTEST


def _same(a: Problem, b: Problem) -> bool:
    try:
        one, other = (Derivation.read(p.derivation.q_notation()) for p in (a, b))
        groups = [
            tuple(rank[n.place] for n in group if n.place in rank)
            for p in (a, b)
            for rank in ({n.place: n.index for n in p.numbers},)
            for group in p.equiv_tnum
        ]
        return derivations_equivalent(one, other) or derivations_equivalent(one, other, _joined(groups))
    except DrawError:
        return True  # nothing can be said


def _joined(groups: Sequence[Sequence[int | None]]) -> list[list[int]]:
    """Return groups without common members: the Equiv groups of both texts together."""
    joined: list[set[int]] = []
    for group in groups:
        members = {rank for rank in group if rank is not None}
        touching = [one for one in joined if one & members]
        joined = [one for one in joined if not one & members]
        joined.append(members.union(*touching))
    return [sorted(one) for one in joined if len(one) > 1]
