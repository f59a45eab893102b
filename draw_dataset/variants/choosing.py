"""Choosing variants: which candidates, taken together, rule out the most rivals.

A variant *rules out* a rival if the rival gives another answer than gold there. Some rivals that answer like gold on
the original are the same function of everything that can move: they differ from gold in fixed numbers only (one for 1,
a coin's name for its value). No variant rules them out. The set is chosen to rule out the others. The choice is greedy:
first the candidate that rules out most of the remaining rivals, then the one that moves the most numbers, gives them
values that no chosen one has, and keeps them as round as they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random

from draw_dataset.variants.columns import column_values, generic_values, gold_rival
from draw_dataset.variants.fields import Puzzle
from draw_dataset.variants.rivals import Inventory, Rival, lucky_rivals
from draw_dataset.variants.sampling import MAX_TRIES, Candidate, candidates
from draw_dataset.variants.steps import one_step_rivals

_POOL = 2
"""How many candidates are drawn for each variant that is wanted."""

_COMPARED = 8
"""How many candidates are compared with the rivals in each turn."""

MAX_RIVALS = 1500
"""How many rivals of one problem are followed."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A set of candidates.

    Attributes:
        chosen: the candidates.
        lucky: how many rivals answer like gold on the original.
        fixed: those of them that differ from gold in fixed numbers only.
        alive: those that could be ruled out, and are not.
    """

    chosen: tuple[Candidate, ...]
    lucky: int
    fixed: tuple[Rival, ...]
    alive: tuple[Rival, ...]


def choose(
    puzzle: Puzzle,
    count: int,
    random: Random,
    inventory: Inventory,
    also: Sequence[Rival] = (),
    tries: int = MAX_TRIES,
) -> Choice:
    """Return a set of candidates that rules out as many rivals as it can.

    Args:
        puzzle: the problem.
        count: how many candidates are wanted; there may be fewer.
        random: what they are drawn with.
        inventory: the templates of the rivals.
        also: derivations that count as well as gold: they must agree with gold at every candidate.
        tries: draws, at most.
    """
    gold = gold_rival(puzzle)
    drawn = candidates(puzzle, random, tries)
    stream = (one for one in drawn if len(_surviving(puzzle, [one], also)) == len(also)) if also else drawn
    pool = list(islice(stream, _POOL * count + 3))
    fixed, open_ = _sorted_out(puzzle, gold, inventory)
    chosen: list[Candidate] = []
    alive = open_
    while pool and len(chosen) < count:
        pool.sort(key=lambda c: (c.tier, -c.moved, -_fresh(c, chosen), -c.plain))
        best, left = _best(puzzle, pool[:_COMPARED], alive)
        pool.remove(best)
        chosen.append(best)
        alive = left
    if alive and chosen:
        # More draws for the rivals that are left: a candidate that rules them out replaces the last one chosen.
        for candidate in islice(stream, 4 * _COMPARED):
            before = _surviving(puzzle, chosen[:-1], open_)
            left = _surviving(puzzle, [candidate], before)
            if len(left) < len(alive):
                chosen[-1], alive = candidate, left
                if not alive:
                    break
    return Choice(tuple(chosen), len(fixed) + len(open_), tuple(fixed), tuple(alive))


def _fresh(candidate: Candidate, chosen: Iterable[Candidate]) -> int:
    return sum(all(value != other.values[i] for other in chosen) for i, value in enumerate(candidate.values))


def _best(puzzle: Puzzle, pool: Sequence[Candidate], alive: list[Rival]) -> tuple[Candidate, list[Rival]]:
    best, left = pool[0], alive
    if not alive:
        return best, left
    left = _surviving(puzzle, [best], alive)
    for candidate in pool[1:]:
        if not left:
            break
        others = _surviving(puzzle, [candidate], alive)
        if len(others) < len(left):
            best, left = candidate, others
    return best, left


def _surviving(puzzle: Puzzle, chosen: Sequence[Candidate], rivals: Sequence[Rival]) -> list[Rival]:
    left = list(rivals)
    for candidate in chosen:
        values = column_values(puzzle, candidate.values)
        wanted = sorted(candidate.solution)
        left = [rival for rival in left if sorted(rival.solve(values) or ()) == wanted]
    return left


def _sorted_out(puzzle: Puzzle, gold: Rival, inventory: Inventory) -> tuple[list[Rival], list[Rival]]:
    """Return the rivals that answer like gold: those that always will, and those that can be ruled out."""
    values = column_values(puzzle, puzzle.values)
    rivals = lucky_rivals(inventory, gold, values)[:MAX_RIVALS]
    wanted = sorted(puzzle.solution)
    rivals += [rival for rival in one_step_rivals(gold) if sorted(rival.solve(values) or ()) == wanted]
    everywhere, movable = generic_values(puzzle, everything=True), generic_values(puzzle, everything=False)
    same, alike = gold.solve(everywhere), gold.solve(movable)
    fixed, open_ = [], []
    for rival in rivals:
        if same is not None and sorted(rival.solve(everywhere) or ()) == sorted(same):
            continue  # gold in another form
        if alike is not None and sorted(rival.solve(movable) or ()) == sorted(alike):
            fixed.append(rival)
        else:
            open_.append(rival)
    return fixed, open_
