"""Which solutions of candidates break what the text states, and how many of its relations.

Which unknown of a template is "the first number", or "Mary", is not known. So every way to name the unknowns is tried,
and the one that breaks the least counts. A template may have fewer unknowns than the text names: annotators often write
the second number by means of the first. Such a template breaks nothing if the relations leave open what the unknowns
are; if they do not, its solution must be among theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product

import numpy as np
import numpy.typing as npt

from draw_dataset.solver.relations.forms import ALL, LARGER, RANKS, SMALLER, Form, is_noun
from draw_dataset.solver.relations.statements import Relation

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

WEIGHT = 1.0
"""What one relation that is broken costs; on Draw's train and validation anything from 0.25 to 4 is level."""

MOST_NOUNS = 4
"""Nouns that are tried as names of unknowns; a text with more of them is compared without."""

_NEAR = 1e-6


def broken(relations: Sequence[Relation], determined: Sequence[float] | None, solutions: Floats) -> Counts:
    """Return for each solution how many relations it breaks.

    Args:
        relations: what the text states.
        determined: the values of all unknowns that it names, if the relations leave no other; None if they do.
        solutions: by unknown, and then by whatever they are of.
    """
    shape = solutions.shape[1:]
    if determined is not None and len(solutions) < len(determined):
        known = np.array(determined).reshape(-1, *(1 for _ in solutions.shape))
        near = np.abs(solutions[None] - known) <= _NEAR * np.maximum(np.abs(known), 1.0)
        return np.where(near.any(axis=0).all(axis=0), 0, len(relations))
    least: Counts | None = None
    for naming in _namings(relations, len(solutions)):
        values = _named(solutions, naming)
        count = np.zeros(shape, dtype=np.int64)
        for relation in relations:
            count += _breaks(relation, values, shape)
        least = count if least is None else np.minimum(least, count)
    return np.zeros(shape, dtype=np.int64) if least is None else least


def _namings(relations: Sequence[Relation], unknowns: int) -> Iterator[dict[str, int]]:
    """Yield the ways to name unknowns: ranks, digits and nouns each by themselves, as they name the same ones."""
    names = {name for relation in relations for form in relation.forms for name in form.names}
    kinds = [
        sorted(names.intersection(RANKS)),
        sorted(names.intersection(("tens", "units"))),
        sorted(filter(is_noun, names)),
    ]
    if len(kinds[2]) > MOST_NOUNS:
        kinds[2] = []
    ways = []
    for kind in kinds:
        places = [*range(unknowns), *[None] * max(0, len(kind) - unknowns)]
        ways.append(list(dict.fromkeys(permutations(places, len(kind)))))
    for chosen in product(*ways):
        yield {
            name: place
            for kind, way in zip(kinds, chosen, strict=True)
            for name, place in zip(kind, way, strict=True)
            if place is not None
        }


def _named(solutions: Floats, naming: Mapping[str, int]) -> dict[str, Floats]:
    values = {name: solutions[place] for name, place in naming.items()}
    if len(solutions) > 1:
        values[LARGER], values[SMALLER] = solutions.max(axis=0), solutions.min(axis=0)
    if len(solutions) == 3:
        values[ALL] = solutions.sum(axis=0)
    return values


def _breaks(relation: Relation, values: Mapping[str, Floats], shape: tuple[int, ...]) -> Counts:
    """Return 1 where a relation does not hold; 0 also if it names unknowns that are not there."""
    known = [form for form in relation.forms if form.names <= values.keys()]
    if not known:
        return np.zeros(shape, dtype=np.int64)
    holds = np.zeros(shape, dtype=bool)
    for form in known:
        holds |= _vanishes(form, values)
    return np.where(holds, 0, 1)


def _vanishes(form: Form, values: Mapping[str, Floats]) -> npt.NDArray[np.bool_]:
    terms = [float(by) * values[name] for name, by in form.parts]
    constant = float(form.constant)
    size = np.maximum(abs(constant), np.max(np.abs(terms), axis=0))
    return np.asarray(np.abs(np.sum(terms, axis=0) + constant) <= _NEAR * np.maximum(size, 1.0))
