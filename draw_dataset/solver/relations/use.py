"""Use of relations: counting those that a candidate's solution breaks, and composing a derivation of them.

A template does not say which of its unknowns is "the first number" or "Mary". So every naming of the unknowns is tried,
and the one that breaks the fewest relations counts. A template with fewer unknowns than the text names (annotators
often write the second number by means of the first) breaks nothing, unless the relations determine all unknowns; then
its solution must be among theirs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice, permutations, product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from draw_dataset.algebra.linear import Elimination
from draw_dataset.algebra.solution import Solution, SolutionKind
from draw_dataset.derivation.derivation import Derivation, TextNumber
from draw_dataset.derivation.equivalence import derivations_equivalent
from draw_dataset.derivation.normal_form import normal_form
from draw_dataset.errors import DrawError
from draw_dataset.solver.relations.forms import ALL, LARGER, RANKS, SMALLER, Form, is_noun
from draw_dataset.solver.relations.statements import Relation, read_relations
from draw_dataset.solver.text import TaggedText

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

WEIGHT = 1.0  # cost of a broken relation; on Draw's train and validation anything from 0.25 to 4 is level
MOST_NOUNS = 4  # nouns that are tried as names of unknowns; a text with more of them is compared without

_NEAR = 1e-6


def count_violations(relations: Sequence[Relation], determined: Sequence[float] | None, solutions: Floats) -> Counts:
    """Return for each solution how many relations it breaks.

    `determined` has the values of all unknowns if the relations leave no others; the first axis of `solutions` is the
    unknown.
    """
    shape = solutions.shape[1:]
    if determined is not None and len(solutions) < len(determined):
        known = np.array(determined).reshape(-1, *(1 for _ in solutions.shape))
        near = np.abs(solutions[None] - known) <= _NEAR * np.maximum(np.abs(known), 1.0)
        return np.where(near.any(axis=0).all(axis=0), 0, len(relations))
    least: Counts | None = None
    for naming in _namings(relations, len(solutions)):
        values = _values_by_name(solutions, naming)
        count = np.zeros(shape, dtype=np.int64)
        for relation in relations:
            count += _violates(relation, values, shape)
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


def _values_by_name(solutions: Floats, naming: Mapping[str, int]) -> dict[str, Floats]:
    values = {name: solutions[place] for name, place in naming.items()}
    if len(solutions) > 1:
        values[LARGER], values[SMALLER] = solutions.max(axis=0), solutions.min(axis=0)
    if len(solutions) == 3:
        values[ALL] = solutions.sum(axis=0)
    return values


def _violates(relation: Relation, values: Mapping[str, Floats], shape: tuple[int, ...]) -> Counts:
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


# Derivations composed of relations that suffice to solve a text: templates that training need not have seen. Every
# relation becomes an equation with its numbers as slots. If the text names its unknowns in two ways, both ways to
# match the names are tried; the larger one must not be smaller, and every relation must hold.


LETTERS = "mno"  # unknowns of a template
MAX_TRIES = 32  # ways to read the relations that are tried
PAYS_FROM = 0.75  # share of composed derivations that must be the annotators' for more to be composed
BELIEVED = (4, 5)  # prior: as if 4 of 5 had been


def compose_derivation(
    relations: Sequence[Relation], numbers: Sequence[TextNumber]
) -> tuple[Derivation, Solution] | None:
    """Return the derivation that the relations of a text make, with its solution; None if they determine none.

    Of several readings one with a positive solution is taken, if there is one.
    """
    best = None
    for forms in _readings(relations):
        found = _solve_forms(forms, numbers)
        if found is not None and all(value > 0 for value in found[1].numbers):
            return found
        best = best or found
    return best


class AnnotationConventions(NamedTuple):
    """How annotators write the relations of a text. Saved models hold these field names."""

    composes: bool  # each relation is an equation; others put m + 170 for "170 more than another" into the next one
    consecutive: bool  # "consecutive" is an equation, too; others write m and m + 1


def learn_conventions(texts: Sequence[TaggedText], right: Sequence[Collection[Derivation]]) -> AnnotationConventions:
    """Return the conventions of the annotators of training problems, given the right derivations of each."""
    made, agreed = Counter[bool](), Counter[bool]()
    for text, derivations in zip(texts, right, strict=True):
        relations = read_relations(text)
        found = compose_derivation(relations, text.numbers)
        if found is not None:
            kind = any(relation.consecutive for relation in relations)
            made[kind] += 1
            agreed[kind] += any(derivations_equivalent(found[0], derivation) for derivation in derivations)
    pays = [agreed[kind] + BELIEVED[0] >= PAYS_FROM * (made[kind] + BELIEVED[1]) for kind in (False, True)]
    return AnnotationConventions(composes=pays[0], consecutive=pays[1])


def _readings(relations: Sequence[Relation]) -> Iterator[list[Form]]:
    """Yield the joint meanings of the relations, each unknown under one name."""
    for forms in islice(product(*(relation.forms for relation in relations)), MAX_TRIES):
        names = frozenset[str]().union(*(form.names for form in forms))
        others = sorted(names - {LARGER, SMALLER})
        if ALL in names or len(others) > len(LETTERS) or len({_kind(name) for name in others}) > 1:
            continue
        if len(others) == len(names) or not others:
            yield list(forms)
        elif len(others) == 2:
            for pair in permutations((LARGER, SMALLER)):
                renamed = dict(zip(others, pair, strict=True))
                yield [form.rename(renamed) for form in forms]


def _kind(name: str) -> str:
    """Return which way of naming unknowns a name belongs to."""
    return "noun" if is_noun(name) else "rank" if name in RANKS else "digit"


def _solve_forms(forms: Sequence[Form], numbers: Sequence[TextNumber]) -> tuple[Derivation, Solution] | None:
    names = sorted(frozenset[str]().union(*(form.names for form in forms)))
    elimination: Elimination[str] = Elimination()
    chosen = [form for form in forms if elimination.add(dict(form.parts))]  # none follows from those before it
    if len(chosen) != len(names):
        return None
    letters = dict(zip(names, LETTERS, strict=False))
    equations = [form.rename(letters).written.replace("<", "").replace(">", "") + " = 0" for form in chosen]
    try:
        derivation = Derivation.read(equations, numbers)
        solution = derivation.solve()
    except DrawError:  # too large, or not linear after all
        return None
    if solution.kind is not SolutionKind.UNIQUE or not derivation.alignment:
        return None
    values = dict(solution.values)
    named = {name: values[letter] for name, letter in letters.items()}
    if named.get(LARGER, Fraction(0)) < named.get(SMALLER, Fraction(0)):
        return None
    fits = all(form.constant + sum(by * named[name] for name, by in form.parts) == 0 for form in forms)
    if not fits:
        return None
    tidied = _multiply_out(derivation, numbers)
    return tidied, tidied.solve()


def _multiply_out(derivation: Derivation, numbers: Sequence[TextNumber]) -> Derivation:
    """Return a derivation multiplied out, as annotators write them; as it is, where a slot cancels out."""
    text, slots = normal_form(derivation.template)
    if "cancels" in text:
        return derivation
    ranks = {number.place: rank for rank, number in enumerate(numbers, 1)}
    names = {f"s{at}": f"q{ranks[derivation.alignment[slot].place]}" for at, slot in enumerate(slots)}
    names |= {f"u{at}": letter for at, letter in enumerate(LETTERS)}
    return Derivation.read(re.sub(r"[su]\d+", lambda found: names[found[0]], text), numbers)
