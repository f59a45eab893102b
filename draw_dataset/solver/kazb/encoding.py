"""Templates and readings as arrays for KAZB, and the score tables of a text.

Many pairs of items look alike, so pairs are numbered by their attributes, and every *look* is scored once. Attributes
that training has not seen often enough have no row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations
from math import gcd
from typing import Any

import numpy as np
import numpy.typing as npt

from draw_dataset.derivation.template import Template
from draw_dataset.solver.arrays import Floats, Indices
from draw_dataset.solver.kazb.readings import (
    COMPARISONS,
    Reading,
    document_attributes,
    item_lemmas,
    pair_attributes,
    single_attributes,
)
from draw_dataset.solver.search import Vocabulary, pad
from draw_dataset.solver.templates import Inventory

# Slots of a template and their names across templates. Each term with an unknown is one *occurrence*, a slot filled
# by a noun; each number slot is one slot for all its occurrences. A slot has a name in the whole system and one in
# each of its equations. Names come from colour refinement over slots, unknowns, terms and equations, so symmetric
# slots share a name; the name of two slots adds the terms, equation or unknown they share.


# Rounds in which colours spread; equations, terms and slots of the release are at most as far from each other
ROUNDS = 4

MAX_PARALLELS = 4  # pairs of terms of one template whose relations are compared

# A term: its unknown (or the count of unknowns, for a constant term), its coefficient, its number slots
Term = tuple[int, int, tuple[int, ...]]

# The colour of each node: (``s`` slot, ``u`` unknown, ``t`` term or ``e`` equation, its numbers)
Colours = dict[tuple[str, int, int], str]


@dataclass(frozen=True, slots=True)
class SlotPlan:
    """The slots of one template in the order in which they are filled: occurrences of unknowns, then numbers."""

    unknowns: tuple[int, ...]  # for each occurrence, which unknown it is one of
    numbers: tuple[int, ...]  # for each number slot, which slot of the template class it is
    names: tuple[tuple[str, ...], ...]  # for each slot, its names
    pairs: dict[tuple[int, int], tuple[str, ...]]  # the names of each two slots, the earlier one first
    constants: tuple[tuple[str, ...], ...]  # for each slot, the literals that stand in a term with it
    # two terms that have an unknown and a number each: occurrence and number, occurrence and number
    parallels: tuple[tuple[int, int, int, int], ...]
    parallel_names: tuple[str, ...]  # the names of these
    # the terms as (equation, unknown or None, coefficient, number slots in this order)
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
    """
    number = [list(slots).index(slot) for slot in template.slots]
    system = template.system
    equations: list[list[Term]] = [
        _normalise([(column, coefficient, tuple(number[i] for i in members)) for column, coefficient, members in terms])
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


def _normalise(terms: list[Term]) -> list[Term]:
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


# Templates as padded arrays, one row a template; a filler column weighs nothing. Templates that Cramer's rule cannot
# solve (more than three unknowns, or not square) are never candidates.


MAX_UNKNOWNS = 3

SOLUTION_ATTRIBUTES = ("positive", "whole", "positive and whole")  # of all values of a solution


class Columns:
    """The templates of an inventory as arrays."""

    def __init__(self, inventory: Inventory) -> None:
        self.plans: tuple[SlotPlan, ...] = tuple(plan_of(c.template, c.slots) for c in inventory.classes)
        systems = [c.template.system for c in inventory.classes]
        self.usable = np.array([1 <= s.unknown_count == len(s.rows) <= MAX_UNKNOWNS for s in systems], dtype=bool)
        self.nouns = np.array([len(plan.unknowns) for plan in self.plans], dtype=np.int64)  # occurrences of unknowns
        self.numbers = np.array([len(plan.numbers) for plan in self.plans], dtype=np.int64)  # number slots
        self.slots = int((self.nouns + self.numbers).max(initial=1))  # of the longest template
        self.single, self.constant, self.pair, self.parallel = (Vocabulary() for _ in range(4))
        self.slot_columns = self._by_slot([plan.names for plan in self.plans], self.single)  # by template and slot
        self.constant_columns = self._by_slot([plan.constants for plan in self.plans], self.constant)
        self._add_pairs()
        # by template and slot, the unknown that a slot is an occurrence of; -1 for number slots
        self.unknown_at = np.full((len(self.plans), self.slots), -1, dtype=np.int64)
        for t, plan in enumerate(self.plans):
            self.unknown_at[t, : len(plan.unknowns)] = plan.unknowns
        self._add_parallels()
        self._add_terms([system.unknown_count for system in systems])

    def __len__(self) -> int:
        return len(self.plans)

    def shapes(self, document: int, single: int, constant: int, pair: int) -> dict[str, tuple[int, int]]:
        """Return the shape of each table of weights, given how many attributes of each kind there are."""
        return {
            "document": (document, len(self)),
            "single": (single, len(self.single)),
            "constant": (constant, len(self.constant)),
            "pair": (pair, len(self.pair)),
            "parallel": (1, len(self.parallel)),
            "solution": (len(SOLUTION_ATTRIBUTES), 1),
        }

    def _by_slot(self, lists: Sequence[Sequence[Sequence[str]]], names: Vocabulary) -> Indices:
        numbered = [[[names.add(name) for name in slot] for slot in slots] for slots in lists]
        flat = [slots[s] if s < len(slots) else [] for slots in numbered for s in range(self.slots)]
        found = pad(flat, len(names))
        return found.reshape(len(lists), self.slots, found.shape[1])

    def _add_pairs(self) -> None:
        lists: list[list[int]] = []
        ids = np.full((len(self.plans), self.slots, self.slots), -1, dtype=np.int64)
        compared: list[list[tuple[int, int, int]]] = []
        for t, plan in enumerate(self.plans):
            compared.append([])
            for (i, j), names in plan.pairs.items():
                ids[t, i, j] = len(lists)
                lists.append([self.pair.add(name) for name in names])
                known = len(plan.unknowns)
                if i < known and not (j < known and plan.unknowns[i] == plan.unknowns[j]):
                    compared[-1].append((i, j, int(ids[t, i, j])))
        ids[ids < 0] = len(lists)
        self.pair_ids = ids  # by template, earlier and later slot: the row of `pair_columns`; the last is for no pair
        self.pair_columns = pad([*lists, []], len(self.pair))

        def triples(listed: list[list[tuple[int, int, int]]]) -> npt.NDArray[np.int64]:
            width = max([len(found) for found in listed], default=0)
            filled = [[*found, *[(0, 0, len(lists))] * (width - len(found))] for found in listed]
            return np.array(filled, dtype=np.int64).reshape(len(self.plans), width, 3)

        # By template, pairs of slots as (earlier, later, row of `pair_columns`): those with an unknown, and all.
        self.compared = triples(compared)
        self.all_pairs = triples([[(i, j, int(ids[t, i, j])) for i, j in p.pairs] for t, p in enumerate(self.plans)])

    def _add_parallels(self) -> None:
        width = max([len(plan.parallels) for plan in self.plans], default=0)
        numbered = [[self.parallel.add(name) for name in plan.parallel_names] for plan in self.plans]
        self.parallel_columns = np.full((len(self.plans), width), len(self.parallel), dtype=np.int64)
        # by template, occurrence and number of two terms
        self.parallels = np.zeros((len(self.plans), width, 4), dtype=np.int64)
        for t, plan in enumerate(self.plans):
            count = len(plan.parallels)
            self.parallel_columns[t, :count] = numbered[t]
            self.parallels[t, :count] = np.array(plan.parallels, dtype=np.int64).reshape(count, 4)

    def _add_terms(self, unknown_counts: Sequence[int]) -> None:
        count = len(self.plans)
        width = max([len(plan.terms) for plan in self.plans], default=0)
        depth = max([len(members) for plan in self.plans for *_, members in plan.terms], default=0)
        # by template and term: the place in a matrix of equations by unknowns and right-hand side, the coefficient, and
        # the number slots that are multiplied (the slot after the last counts as 1)
        self.term_places: npt.NDArray[np.int64] = np.zeros((count, width), dtype=np.int64)
        self.term_coefficients: Floats = np.zeros((count, width))
        self.term_slots: npt.NDArray[np.int64] = np.full((count, width, depth), self.slots, dtype=np.int64)
        self.empty_systems: Floats = np.zeros((count, MAX_UNKNOWNS, MAX_UNKNOWNS + 1))
        for t, plan in enumerate(self.plans):
            if not self.usable[t]:
                continue
            for q, (e, unknown, coefficient, members) in enumerate(plan.terms):
                column = MAX_UNKNOWNS if unknown is None else unknown
                self.term_places[t, q] = e * (MAX_UNKNOWNS + 1) + column
                self.term_coefficients[t, q] = coefficient
                self.term_slots[t, q, : len(members)] = members
            for missing in range(unknown_counts[t], MAX_UNKNOWNS):
                self.empty_systems[t, missing, missing] = 1.0


# Sparse rows: sums of weight rows for many small sets at once, and back. Sets are ordered by size; the first row of
# all sets is gathered at once, then the second of all that have two, and so on: a dozen steps over long rows.


Table = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class SparseRows:
    """Sets of rows."""

    count: int  # how many sets there are; the largest come first
    layers: tuple[Indices, ...]  # the first row of each set, the second of each that has one, and so on
    rows: Indices  # all rows, those that are in the most sets first
    back: tuple[Indices, ...]  # the first set of each row, the second, and so on

    @classmethod
    def of(cls, lists: Sequence[Sequence[str]], names: Vocabulary) -> tuple[SparseRows, npt.NDArray[np.int64]]:
        """Return the different sets of known names, and which set each list is."""
        known = [frozenset(names.known(listed)) for listed in lists]
        sets = sorted({*known}, key=lambda one: (-len(one), sorted(one)))
        number = {one: i for i, one in enumerate(sets)}
        standing: dict[int, list[int]] = {}
        for i, one in enumerate(sets):
            for row in sorted(one):
                standing.setdefault(row, []).append(i)
        rows = sorted(standing, key=lambda row: (-len(standing[row]), row))
        made = cls(
            count=len(sets),
            layers=_layers(sorted(one) for one in sets),
            rows=np.array(rows, dtype=np.int32),
            back=_layers(standing[row] for row in rows),
        )
        return made, np.array([number[one] for one in known], dtype=np.int64)

    def gather(self, weights: npt.NDArray[np.float32], precision: type[np.floating[Any]]) -> Table:
        """Return the sum of the rows of each set, with one more column of zeros."""
        found = np.zeros((self.count, weights.shape[1] + 1), dtype=precision)
        for layer in self.layers:
            found[: len(layer), :-1] += weights[layer]
        return found

    def scatter(
        self, table: npt.NDArray[np.float32], columns: npt.NDArray[np.int64], into: npt.NDArray[np.float32]
    ) -> None:
        """Add the entries of each set in a table to all its rows, in some columns."""
        if not self.back:
            return
        found = table[self.back[0]]
        for layer in self.back[1:]:
            found[: len(layer)] += table[layer]
        into[np.ix_(self.rows, columns)] += found


def _layers(lists: Iterable[Sequence[int]]) -> tuple[Indices, ...]:
    """Return the first of each list, the second of each that has one, and so on; the longest lists come first."""
    held = [list(one) for one in lists]
    depth = len(held[0]) if held else 0
    return tuple(np.array([one[k] for one in held if len(one) > k], dtype=np.int32) for k in range(depth))


ATTRIBUTE_KINDS = ("document", "single", "constant", "pair")  # the kinds of attributes that are learnt from texts

# What is seen in a text, by kind: once for the text, for each item (twice), for each ordered pair of items
Seen = Mapping[str, Sequence[Sequence[str]]]


@dataclass(frozen=True, slots=True)
class EncodedReading:
    """A reading as rows of the weight tables."""

    nouns: int  # how many of the items are nouns; the others are numbers
    values: Floats  # the values of the numbers
    document_rows: Indices  # rows of the text's attributes
    singles: SparseRows  # attributes of items
    single_of: npt.NDArray[np.int64]  # ... and at which
    constants: SparseRows  # the lemmas of items
    constant_of: npt.NDArray[np.int64]  # ... and which item has which
    pairs: SparseRows  # attributes of two items, each look once
    looks: npt.NDArray[np.int64]  # ... and the look of each two items
    relations: npt.NDArray[np.int64]  # a number for the verb or preposition between two items; 0 if there is none

    @property
    def items(self) -> int:
        """How many items there are."""
        return len(self.looks)


def extract_attributes(reading: Reading) -> Seen:
    """Return the attributes of a reading by kind."""
    return {
        "document": [document_attributes(reading)],
        "single": single_attributes(reading),
        "constant": [[lemma] if lemma else [] for lemma in item_lemmas(reading)],
        "pair": pair_attributes(reading),
    }


def encode(reading: Reading, seen: Seen, attributes: Mapping[str, Vocabulary]) -> EncodedReading:
    """Return a reading as rows of the weight tables; attributes not seen in training have no row."""
    places = reading.places
    count = len(places)
    singles, single_of = SparseRows.of(seen["single"], attributes["single"])
    constants, constant_of = SparseRows.of(seen["constant"], attributes["constant"])
    pairs, looks = SparseRows.of(seen["pair"], attributes["pair"])
    known = Vocabulary([""])
    told = [known.add(reading.relations.get((here, there), "")) for here in places for there in places]
    return EncodedReading(
        nouns=len(reading.nouns),
        values=np.array([float(value) for value in reading.values]),
        document_rows=np.array(sorted(attributes["document"].known(seen["document"][0])), dtype=np.int32),
        singles=singles,
        single_of=single_of,
        constants=constants,
        constant_of=constant_of,
        pairs=pairs,
        looks=looks.reshape(count, count),
        relations=np.array(told, dtype=np.int64).reshape(count, count),
    )


def frequent_names(seen: Iterable[Seen], kind: str, least: int) -> Vocabulary:
    """Return the names of one kind seen in at least `least` texts; comparisons are always there, and last."""
    texts: dict[str, int] = {}
    for one in seen:
        for name in dict.fromkeys(name for listed in one[kind] for name in listed):
            texts[name] = texts.get(name, 0) + 1
    kept = [name for name, count in texts.items() if count >= least and name not in COMPARISONS]
    return Vocabulary([*kept, *COMPARISONS] if kind == "pair" else kept)


# Score tables, made once a text: template, slot and pair scores. `beam` adds the scores of complete derivations.


Scores = npt.NDArray[np.floating[Any]]
Integers = npt.NDArray[np.int64]
Weights = Mapping[str, npt.NDArray[np.float32]]

TIE = 1e-6  # how much chance weighs where scores are equal: less than any feature

_TIE_ITEMS = 61


@dataclass(frozen=True, slots=True)
class ScoreTables:
    """Scores of the parts of a text for the templates."""

    document: Scores  # by template
    slots: Scores  # by template, slot and item; minus infinity where an item cannot fill a slot
    pairs: Scores  # by look and two slots (a row of `Columns.pair_columns`)
    comparisons: Scores  # by comparison and two slots
    parallel: Scores  # by column; the last is the filler
    solution: Scores  # by attribute of the solution


def tie_breakers(columns: Columns, seed: int) -> Floats:
    """Return a small random number for each template, slot and item."""
    return TIE * np.random.default_rng(seed).random((len(columns), columns.slots, _TIE_ITEMS))


def score_tables(
    columns: Columns, weights: Weights, encoded: EncodedReading, ties: Floats, precision: type[np.floating[Any]]
) -> ScoreTables:
    """Return the scores of a text for the templates."""
    single = _sum_columns(encoded.singles.gather(weights["single"], precision), columns.slot_columns)
    constant = _sum_columns(encoded.constants.gather(weights["constant"], precision), columns.constant_columns)
    slots = np.moveaxis(single[encoded.single_of] + constant[encoded.constant_of], 0, 2).copy()
    slots += ties[:, :, np.arange(encoded.items) % _TIE_ITEMS].astype(precision)
    for_nouns = np.arange(columns.slots) < columns.nouns[:, None]
    is_noun = np.arange(encoded.items) < encoded.nouns
    slots[for_nouns[:, :, None] != is_noun] = -np.inf
    compared = np.zeros((len(COMPARISONS), len(columns.pair) + 1), dtype=precision)
    compared[:, :-1] = weights["pair"][-len(COMPARISONS) :]
    return ScoreTables(
        document=weights["document"][encoded.document_rows].astype(precision).sum(axis=0),
        slots=slots,
        pairs=_sum_columns(encoded.pairs.gather(weights["pair"], precision), columns.pair_columns),
        comparisons=_sum_columns(compared, columns.pair_columns),
        parallel=np.append(weights["parallel"][0].astype(precision), precision(0)),
        solution=weights["solution"][:, 0].astype(precision),
    )


def _sum_columns(table: Scores, columns: npt.NDArray[np.int32]) -> Scores:
    """Return the sums of columns of a table, for each row of it; the last axis of `columns` is summed over."""
    found = np.zeros((len(table), *columns.shape[:-1]), dtype=table.dtype)
    for each in range(columns.shape[-1]):
        found += table[:, columns[..., each]]
    return found
