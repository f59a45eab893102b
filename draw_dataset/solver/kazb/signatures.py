"""What the slots of a template are to this system, and what they are called across templates.

A template is looked at expanded, as sums of terms. Each term with an unknown is one *occurrence* of it and is a slot of
its own, to be filled by a noun; each number slot is one slot for all its occurrences. A slot has two kinds of names.
One says what it is in the whole system of equations, the other what it is in each of its equations alone, so that
templates share what they have in common. Names are made by colour refinement: slots, unknowns, terms and equations are
the nodes of a graph, and each takes the colours of its neighbours into its own, some rounds long. Slots that a symmetry
exchanges so have the same name. The name of two slots adds which terms, equation or unknown they share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations
from math import gcd

from draw_dataset.core.template import Template

ROUNDS = 4
"""Rounds in which colours spread; equations, terms and slots of the release are at most as far from each other."""

MAX_PARALLELS = 4
"""Pairs of terms of one template whose relations are compared."""

Term = tuple[int, int, tuple[int, ...]]
"""A term: its unknown (or the count of unknowns, for a constant term), its coefficient, its number slots."""

Colours = dict[tuple[str, int, int], str]
"""The colour of each node: (``s`` slot, ``u`` unknown, ``t`` term or ``e`` equation, its numbers)."""


@dataclass(frozen=True, slots=True)
class SlotPlan:
    """The slots of one template in the order in which they are filled: occurrences of unknowns, then numbers.

    Attributes:
        unknowns: for each occurrence, which unknown it is one of.
        numbers: for each number slot, which slot of the template class it is.
        names: for each slot, its names.
        pairs: the names of each two slots, the earlier one first.
        constants: for each slot, the literals that stand in a term with it.
        parallels: two terms that have an unknown and a number each: occurrence and number, occurrence and number.
        parallel_names: the names of these.
        terms: the terms as (equation, unknown or None, coefficient, number slots in this order).
    """

    unknowns: tuple[int, ...]
    numbers: tuple[int, ...]
    names: tuple[tuple[str, ...], ...]
    pairs: dict[tuple[int, int], tuple[str, ...]]
    constants: tuple[tuple[str, ...], ...]
    parallels: tuple[tuple[int, int, int, int], ...]
    parallel_names: tuple[str, ...]
    terms: tuple[tuple[int, int | None, int, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class _Slot:
    """A slot: a number slot of the class, or an occurrence of an unknown; and the terms that it stands in."""

    number: int | None
    unknown: int | None
    terms: tuple[tuple[int, int], ...]

    def node(self) -> tuple[str, int, int]:
        return ("s", self.number, 0) if self.number is not None else ("t", *self.terms[0])

    def equations(self) -> list[int]:
        return sorted({e for e, _ in self.terms})


def plan_of(template: Template, slots: Sequence[str]) -> SlotPlan:
    """Return the slots of a template and their names.

    >>> plan = plan_of(Template("m + n = a; b*m + c*n = d"), "abcd")
    >>> len(plan.unknowns), len(plan.numbers)
    (4, 4)
    >>> len({names[0] for names in plan.names})  # m and n are interchangeable, and so are b and c
    5

    Args:
        template: the template.
        slots: its slots, in the order that its class numbers them.
    """
    number = [list(slots).index(slot) for slot in template.slots]
    system = template.system
    equations: list[list[Term]] = [
        _oriented([(column, coefficient, tuple(number[i] for i in members)) for column, coefficient, members in terms])
        for terms in system.terms
    ]
    whole = _colours(equations, range(len(equations)), system.unknown_count)
    alone = [_colours(equations, [e], system.unknown_count) for e in range(len(equations))]
    found = _slots(equations, len(slots), system.unknown_count)

    def order(slot: _Slot) -> tuple[bool, list[str], str, int]:
        own = [alone[e][slot.node()] for e in slot.equations()]
        index = slot.number if slot.number is not None else slot.terms[0][0]
        return slot.number is not None, own, whole.get(slot.node(), ""), index

    # By their colours first, so that two slots come in the same order in every template that has them.
    found.sort(key=order)
    key, keys = _digest(sorted(whole.values())), [_digest(sorted(colours.values())) for colours in alone]

    def name(slot: _Slot) -> tuple[str, ...]:
        inside = tuple(f"{keys[e]} {alone[e][slot.node()]}" for e in slot.equations())
        return (f"{key} {whole.get(slot.node(), '')}", *dict.fromkeys(inside))

    def pair(one: _Slot, other: _Slot) -> tuple[str, ...]:
        shared = sorted(set(one.terms) & set(other.terms))
        same = one.unknown is not None and one.unknown == other.unknown
        both = sorted({*one.equations()} & {*other.equations()})
        told = f"{whole.get(one.node(), '')} {whole.get(other.node(), '')} {same:d}"
        names = [f"{key} {told} {bool(both):d} {' '.join(sorted(whole['t', e, t] for e, t in shared))}"]
        for e in both:
            terms = " ".join(sorted(alone[e]["t", e, t] for at, t in shared if at == e))
            names.append(f"{keys[e]} {alone[e][one.node()]} {alone[e][other.node()]} {same:d} {terms}")
        if not both and one.terms and other.terms:
            e, f = one.equations()[0], other.equations()[0]
            names.append(f"{keys[e]} {alone[e][one.node()]} {keys[f]} {alone[f][other.node()]} {same:d}")
        return tuple(dict.fromkeys(names))

    at_number = {slot.number: i for i, slot in enumerate(found) if slot.number is not None}
    at_term = {slot.terms[0]: i for i, slot in enumerate(found) if slot.number is None}
    parallels, parallel_names = _parallels(equations, at_number, at_term, whole, key)
    return SlotPlan(
        unknowns=tuple(slot.unknown for slot in found if slot.unknown is not None),
        numbers=tuple(slot.number for slot in found if slot.number is not None),
        names=tuple(name(slot) for slot in found),
        pairs={(i, j): pair(found[i], found[j]) for i, j in combinations(range(len(found)), 2)},
        constants=tuple(_constants(equations, slot) for slot in found),
        parallels=parallels,
        parallel_names=parallel_names,
        terms=tuple(
            (e, column if column < system.unknown_count else None, coefficient, tuple(at_number[m] for m in members))
            for e, terms in enumerate(equations)
            for column, coefficient, members in terms
        ),
    )


def _oriented(terms: list[Term]) -> list[Term]:
    """Return an equation without a common factor, with the sign that is the same however it was written."""
    factor = gcd(*(coefficient for _, coefficient, _ in terms)) or 1
    signs = [sorted((len(members), sign * c) for _, c, members in terms) for sign in (1, -1)]
    factor = -factor if signs[1] > signs[0] else factor
    return [(column, coefficient // factor, members) for column, coefficient, members in terms]


def _slots(equations: Sequence[Sequence[Term]], slot_count: int, unknown_count: int) -> list[_Slot]:
    standing: list[list[tuple[int, int]]] = [[] for _ in range(slot_count)]
    found = []
    for e, terms in enumerate(equations):
        for t, (column, _, members) in enumerate(terms):
            if column < unknown_count:
                found.append(_Slot(None, column, ((e, t),)))
            for member in set(members):
                standing[member].append((e, t))
    return found + [_Slot(slot, None, tuple(terms)) for slot, terms in enumerate(standing)]


def _colours(equations: Sequence[Sequence[Term]], chosen: Sequence[int], unknown_count: int) -> Colours:
    """Return the colours of all nodes of some equations."""
    colours: Colours = {}
    edges: dict[tuple[str, int, int], list[tuple[str, int, int]]] = {}

    def join(one: tuple[str, int, int], other: tuple[str, int, int]) -> None:
        edges.setdefault(one, []).append(other)
        edges.setdefault(other, []).append(one)

    for e in chosen:
        # An equation that is its own negative does not say which of its terms have the minus.
        flat = sorted((len(members), c) for _, c, members in equations[e])
        mirrored = flat == sorted((degree, -c) for degree, c in flat)
        colours["e", e, 0] = "e"
        for t, (column, coefficient, members) in enumerate(equations[e]):
            value = abs(coefficient) if mirrored else coefficient
            colours["t", e, t] = f"t{value}{'u' if column < unknown_count else 'c'}"
            join(("t", e, t), ("e", e, 0))
            if column < unknown_count:
                colours["u", column, 0] = "u"
                join(("t", e, t), ("u", column, 0))
            for member in members:
                colours["s", member, 0] = "s"
                join(("t", e, t), ("s", member, 0))
    for _ in range(ROUNDS):
        colours = {
            node: _digest([colour, *sorted(colours[near] for near in edges.get(node, ()))])
            for node, colour in colours.items()
        }
    return colours


def _digest(texts: Sequence[str]) -> str:
    return blake2b("|".join(texts).encode(), digest_size=8).hexdigest()


def _constants(equations: Sequence[Sequence[Term]], slot: _Slot) -> tuple[str, ...]:
    found = {abs(equations[e][t][1]) for e, t in slot.terms}
    return tuple(str(value) for value in sorted(found) if value != 1)


def _parallels(
    equations: Sequence[Sequence[Term]],
    at_number: dict[int, int],
    at_term: dict[tuple[int, int], int],
    whole: Colours,
    key: str,
) -> tuple[tuple[tuple[int, int, int, int], ...], tuple[str, ...]]:
    """Return pairs of terms that have an unknown and a number each, and their names."""
    products = [(e, t) for e, terms in enumerate(equations) for t in range(len(terms)) if (e, t) in at_term]
    products = [(e, t) for e, t in products if equations[e][t][2]]
    found, names = [], []
    for one, other in list(combinations(products, 2))[:MAX_PARALLELS]:
        first, second = (at_number[min(equations[e][t][2])] for e, t in (one, other))
        found.append((at_term[one], first, at_term[other], second))
        names.append(f"{key} {' '.join(sorted(whole['t', e, t] for e, t in (one, other)))}")
    return tuple(found), tuple(names)
