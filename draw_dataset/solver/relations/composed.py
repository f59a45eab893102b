"""A derivation made of what the text states, where that is enough to solve it: a template that no training has to show.

Every relation becomes an equation as the text has it, with its numbers as slots. Some texts name their unknowns in two
ways ("the sum of two numbers", "one number is 170 more than the other"). Then both ways to match the names are tried,
and what comes out must fit: the larger one is not smaller, and every relation holds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import islice, permutations, product
from typing import NamedTuple

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.derivation import Derivation
from draw_dataset.core.equations import Solution, SolutionKind
from draw_dataset.core.equivalence import derivations_equivalent, normal_form
from draw_dataset.errors import DrawError
from draw_dataset.solver.relations.forms import ALL, LARGER, RANKS, SMALLER, Form, is_noun
from draw_dataset.solver.relations.statements import Relation, read_relations
from draw_dataset.solver.tagged_text import TaggedText

LETTERS = "mno"
"""What unknowns are called in a template."""

MAX_TRIES = 32
"""Ways to read the relations that are tried."""

PAYS_FROM = 0.75
"""Share of derivations made so that must be those of the annotators, for more of them to be made."""

BELIEVED = (4, 5)
"""What is believed before any is seen: as if 4 of 5 had been."""


def composed(relations: Sequence[Relation], numbers: Sequence[TextNumber]) -> tuple[Derivation, Solution] | None:
    """Return the derivation that the relations of a text make, with its solution; None if they determine none.

    Of several readings one with a positive solution is taken, if there is one.

    Args:
        relations: what the text states.
        numbers: the numbers of the text.
    """
    best = None
    for forms in _readings(relations):
        found = _solved(forms, numbers)
        if found is not None and all(value > 0 for value in found[1].numbers):
            return found
        best = best or found
    return best


class Customs(NamedTuple):
    """What the annotators of some problems do with what their texts state.

    Attributes:
        composes: whether each relation becomes an equation; others write "one number is 170 more than another" as
            m + 170 in the next equation.
        consecutive: whether that numbers are consecutive becomes one, too; others write m and m + 1, or 2m - 1 and
            2m + 1 for odd numbers.
    """

    composes: bool
    consecutive: bool


def customs_of(texts: Sequence[TaggedText], right: Sequence[Collection[Derivation]]) -> Customs:
    """Return the customs of the annotators of training problems.

    Args:
        texts: the problems.
        right: the right derivations of each.
    """
    made, agreed = Counter[bool](), Counter[bool]()
    for text, derivations in zip(texts, right, strict=True):
        relations = read_relations(text)
        found = composed(relations, text.numbers)
        if found is not None:
            kind = any(relation.consecutive for relation in relations)
            made[kind] += 1
            agreed[kind] += any(derivations_equivalent(found[0], derivation) for derivation in derivations)
    pays = [agreed[kind] + BELIEVED[0] >= PAYS_FROM * (made[kind] + BELIEVED[1]) for kind in (False, True)]
    return Customs(composes=pays[0], consecutive=pays[1])


def _readings(relations: Sequence[Relation]) -> Iterator[list[Form]]:
    """Yield what the relations may mean together, each unknown under one name."""
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
                yield [form.renamed(renamed) for form in forms]


def _kind(name: str) -> str:
    """Return which way of naming unknowns a name belongs to."""
    return "noun" if is_noun(name) else "rank" if name in RANKS else "digit"


def _solved(forms: Sequence[Form], numbers: Sequence[TextNumber]) -> tuple[Derivation, Solution] | None:
    names = sorted(frozenset[str]().union(*(form.names for form in forms)))
    chosen = _independent(forms, names)
    if len(chosen) != len(names):
        return None
    letters = dict(zip(names, LETTERS, strict=False))
    equations = [form.renamed(letters).written.replace("<", "").replace(">", "") + " = 0" for form in chosen]
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
    tidied = _tidied(derivation, numbers)
    return tidied, tidied.solve()


def _tidied(derivation: Derivation, numbers: Sequence[TextNumber]) -> Derivation:
    """Return a derivation multiplied out, as annotators write them; as it is, where a slot cancels out."""
    text, slots = normal_form(derivation.template)
    if "cancels" in text:
        return derivation
    ranks = {number.place: rank for rank, number in enumerate(numbers, 1)}
    names = {f"s{at}": f"q{ranks[derivation.alignment[slot].place]}" for at, slot in enumerate(slots)}
    names |= {f"u{at}": letter for at, letter in enumerate(LETTERS)}
    return Derivation.read(re.sub(r"[su]\d+", lambda found: names[found[0]], text), numbers)


def _independent(forms: Sequence[Form], names: Sequence[str]) -> list[Form]:
    """Return the forms of which none follows from those before it."""
    rows: list[list[Fraction]] = []
    chosen = []
    for form in forms:
        row = [dict(form.parts).get(name, Fraction(0)) for name in names]
        for earlier in rows:
            lead = next(at for at, value in enumerate(earlier) if value)
            row = [value - row[lead] / earlier[lead] * known for value, known in zip(row, earlier, strict=True)]
        if any(row):
            rows.append(row)
            chosen.append(form)
    return chosen
