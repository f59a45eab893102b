"""Candidate search: all ways to fill the slots of chosen templates, scored as sums of table entries.

Four tables are made for a text: scores of the text for each template, of each number for each slot, of each two numbers
for each two slots, and of each solution code for each template. A candidate's score is then a handful of look-ups, made
for a whole group at once. Templates with too many fillings are filled slot by slot with a beam.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from draw_dataset.solver.arrays import (
    CODE_COUNT,
    SINGULAR,
    Codes,
    Indices,
    Ranks,
    SystemSolver,
    Ways,
    all_ways,
    is_enumerable,
    is_repeated,
    least_row,
    unpack,
)
from draw_dataset.solver.features import KINDS, FeatureSet
from draw_dataset.solver.templates import Inventory, Permutation, TemplateStructure
from draw_dataset.solver.text import TaggedText

# Templates and texts as arrays. Templates with the same number of slots form a *group* and are scored together. The
# layout holds the weight columns of each template's text, slot, pair and solution features; an *encoded text* holds
# the rows. A *vocabulary* turns names into numbers once.


# A table of weights: attributes by columns; the last column is a filler and stays zero
Weights = npt.NDArray[np.float32]


class Vocabulary:
    """Numbers names from 0; a name that was not there when it was closed has no number."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.number = {name: i for i, name in enumerate(names)}

    def add(self, name: str) -> int:
        """Return the number of a name, a new one if need be."""
        return self.number.setdefault(name, len(self.number))

    def known(self, names: Iterable[str]) -> list[int]:
        """Return the numbers of those names that have one."""
        number = self.number
        return [number[name] for name in names if name in number]

    @property
    def names(self) -> list[str]:
        """The names in the order of their numbers."""
        return list(self.number)

    def __len__(self) -> int:
        return len(self.number)


@dataclass(frozen=True, slots=True)
class Group:
    """Templates with the same number of slots."""

    members: Indices  # their places in the inventory, ascending
    slot_count: int  # how many slots each has
    automorphisms: tuple[tuple[Permutation, ...], ...]  # the symmetries of each
    text_columns: Indices
    slot_columns: Indices  # columns by template and slot
    # columns by template and pair of slots; those of the pair reversed are counted on from all columns
    pair_columns: Indices
    solution_columns: Indices
    solver: SystemSolver


class ColumnLayout:
    """The columns of all templates of an inventory."""

    def __init__(self, inventory: Inventory, features: FeatureSet) -> None:
        self.columns = {kind: Vocabulary() for kind in KINDS}  # the names of the columns of each kind
        named = [_Columns(c.structure, features) for c in inventory.classes]
        for one in named:
            for kind, names in one.names():
                self.columns[kind].add(names)
        sets: dict[int, list[int]] = {}
        for i, c in enumerate(inventory.classes):
            sets.setdefault(c.structure.slot_count, []).append(i)
        # the templates by the ways they are filled
        self.groups = tuple(self._group(inventory, named, slots, members) for slots, members in sorted(sets.items()))
        # for each template of the inventory, its group and its place in it
        self.place = {int(m): (g, t) for g, group in enumerate(self.groups) for t, m in enumerate(group.members)}
        self.solution_attributes = Vocabulary()  # their names
        coded = [
            [self.solution_attributes.add(a) for a in features.solution_attributes(unpack(c))]
            for c in range(CODE_COUNT)
        ]
        # the attributes of each code of a solution, as a matrix of zeros and ones
        self.solution_rows = np.zeros((CODE_COUNT, len(self.solution_attributes)), dtype=np.float32)
        for code, attributes in enumerate(coded):
            self.solution_rows[code, attributes] = 1

    def _group(self, inventory: Inventory, named: list[_Columns], slot_count: int, members: list[int]) -> Group:
        pairs = slot_count * (slot_count - 1) // 2
        filler = {kind: len(names) for kind, names in self.columns.items()}

        def array(kind: str, lists: list[list[str]], *shape: int) -> Indices:
            found = pad([self.columns[kind].known(names) for names in lists], filler[kind])
            return found.reshape(len(members), *shape, found.shape[1])

        return Group(
            members=np.array(members, dtype=np.int32),
            slot_count=slot_count,
            automorphisms=tuple(inventory.classes[m].structure.automorphisms for m in members),
            text_columns=array("text", [named[m].text for m in members]),
            slot_columns=array("number", [names for m in members for names in named[m].slots], slot_count),
            pair_columns=self._pair_columns([names for m in members for names in named[m].pairs], len(members), pairs),
            solution_columns=array("solution", [named[m].solution for m in members]),
            solver=SystemSolver([inventory.classes[m] for m in members]),
        )

    def _pair_columns(self, lists: list[list[str]], members: int, pairs: int) -> Indices:
        """Return the columns of pairs, given for each pair forth and back in turn."""
        width = len(self.columns["pair"]) + 1
        found = pad([self.columns["pair"].known(names) for names in lists], width - 1)
        both = found.reshape(members, pairs, 2, found.shape[1]) + np.array([0, width], dtype=np.int32)[:, None]
        return both.reshape(members, pairs, 2 * found.shape[1])


class _Columns:
    """The names of the columns of one template."""

    def __init__(self, structure: TemplateStructure, features: FeatureSet) -> None:
        slots = range(structure.slot_count)
        self.text = features.text_columns(structure)
        self.slots = [features.slot_columns(structure, slot) for slot in slots]
        self.pairs = [
            features.pair_columns(structure, *ordered)
            for i, j in combinations(slots, 2)
            for ordered in ((i, j), (j, i))
        ]
        self.solution = features.solution_columns(structure)

    def names(self) -> list[tuple[str, str]]:
        lists = (("text", [self.text]), ("number", self.slots), ("pair", self.pairs), ("solution", [self.solution]))
        return [(kind, name) for kind, listed in lists for names in listed for name in names]


@dataclass(frozen=True, slots=True)
class EncodedText:
    """A text as rows of the weight tables."""

    count: int  # how many numbers it has
    values: npt.NDArray[np.float64]
    text_rows: Indices  # rows of the text's attributes
    number_rows: Indices  # rows of the attributes of any number
    number_seen: npt.NDArray[np.float32]  # numbers by these rows, zeros and ones
    pair_rows: Indices  # rows of the attributes of any two numbers
    pair_seen: npt.NDArray[np.float32]  # ordered pairs by these rows


def attributes_of(text: TaggedText, features: FeatureSet) -> dict[str, list[list[str]]]:
    """Return the attributes of a text by kind: of the text, of each number, and of each ordered pair."""
    count = len(text.numbers)
    pairs = features.pair_attributes(text)
    return {
        "text": [features.text_attributes(text)],
        "number": features.number_attributes(text),
        "pair": [pairs.get((i, j), []) for i in range(count) for j in range(count)],
    }


def encode_text(
    text: TaggedText, seen: dict[str, list[list[str]]], attributes: Mapping[str, Vocabulary]
) -> EncodedText:
    """Return a text as rows of the weight tables; attributes not seen in training have no row."""
    number_rows, number_seen = _incidence(seen["number"], attributes["number"])
    pair_rows, pair_seen = _incidence(seen["pair"], attributes["pair"])
    return EncodedText(
        count=len(text.numbers),
        values=np.array([float(value) for value in text.values]),
        text_rows=np.array(sorted(attributes["text"].known(seen["text"][0])), dtype=np.int32),
        number_rows=number_rows,
        number_seen=number_seen,
        pair_rows=pair_rows,
        pair_seen=pair_seen,
    )


def _incidence(lists: list[list[str]], names: Vocabulary) -> tuple[Indices, npt.NDArray[np.float32]]:
    known = [names.known(listed) for listed in lists]
    rows = sorted({row for listed in known for row in listed})
    at = {row: i for i, row in enumerate(rows)}
    seen = np.zeros((len(lists), len(rows)), dtype=np.float32)
    for i, listed in enumerate(known):
        seen[i, [at[row] for row in listed]] = 1
    return np.array(rows, dtype=np.int32), seen


def pad(lists: Sequence[Sequence[int]], filler: int) -> Indices:
    """Return lists of numbers as one array, short ones filled up.

    >>> pad([[1, 2], [3]], 9).tolist()
    [[1, 2], [3, 9]]
    """
    width = max([len(listed) for listed in lists], default=0)
    return np.array([[*listed, *[filler] * (width - len(listed))] for listed in lists], dtype=np.int32).reshape(
        len(lists), width
    )


Floats = npt.NDArray[np.floating[Any]]

BEAM = 500  # partial fillings that are kept where a template has too many ways to be filled


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidates of one text: templates of a group, and the ways they are filled."""

    group: int  # the group, by its place in the layout
    which: Indices  # the templates, by their places in the group
    ways: Ways  # the ways they are filled
    # the code of each solution, by template and way; that of a singular system also where a way repeats one
    codes: Codes


@dataclass(frozen=True, slots=True)
class Tables:
    """Scores of the parts of a text for the templates of a group."""

    text: Floats  # by template
    slots: Floats  # by template, slot and number
    pairs: Floats  # by template, pair of slots and ordered pair of numbers
    solutions: Floats  # by template and code; the last entry is for systems without a unique solution


class Searcher:
    """Candidate generation and scoring; exact sums in float64 for a finished model, else in float32."""

    def __init__(self, layout: ColumnLayout, weights: Mapping[str, Weights], exact: bool = True) -> None:
        self.layout = layout
        self.weights = weights
        self._precision = np.float64 if exact else np.float32

    def text_scores(self, encoded: EncodedText) -> Floats:
        """Return the score of a text for each text column."""
        return np.asarray(self._rows("text", encoded.text_rows).sum(axis=0))

    def _rows(self, kind: str, rows: Indices) -> Floats:
        return self.weights[kind][rows].astype(self._precision, copy=False)

    def tables(self, encoded: EncodedText) -> list[Floats]:
        """Return the scores of a text for each column: text, numbers, pairs (forth, then back), solutions."""
        numbers = self._rows("number", encoded.number_rows).T @ encoded.number_seen.T
        pairs = self._rows("pair", encoded.pair_rows).T @ encoded.pair_seen.T
        n = encoded.count
        back = pairs.reshape(len(pairs), n, n).swapaxes(1, 2).reshape(pairs.shape)
        every = np.arange(len(self.layout.solution_attributes), dtype=np.int32)
        solutions = self._rows("solution", every).T @ self.layout.solution_rows.T
        return [self.text_scores(encoded), numbers, np.concatenate([pairs, back]), solutions]

    def group_tables(self, tables: Sequence[Floats], group: Group, which: Indices) -> Tables:
        """Return the scores of a text for templates of a group."""
        text, numbers, pairs, solutions = tables
        coded = solutions[group.solution_columns[which]].sum(axis=1)
        return Tables(
            text=text[group.text_columns[which]].sum(axis=1),
            slots=numbers[group.slot_columns[which]].sum(axis=2),
            pairs=pairs[group.pair_columns[which]].sum(axis=2),
            solutions=np.concatenate([coded, np.full((len(which), 1), -np.inf, dtype=coded.dtype)], axis=1),
        )

    def score(self, candidates: Candidates, tables: Tables) -> Floats:
        """Return the score of each candidate, by template and way."""
        scores = np.take_along_axis(tables.solutions, candidates.codes.astype(np.int64), axis=1)
        scores += tables.text[:, None]
        for slot, numbers in enumerate(candidates.ways.slots):
            scores += tables.slots[:, slot].take(numbers, axis=1)
        for pair, both in enumerate(candidates.ways.pairs):
            scores += tables.pairs[:, pair].take(both, axis=1)
        return np.asarray(scores)

    def candidates(self, encoded: EncodedText, chosen: Mapping[int, Indices]) -> list[Candidates]:
        """Return the candidates of chosen templates that can be made without scores: all ways, where they are few."""
        found = []
        for g, which in chosen.items():
            group = self.layout.groups[g]
            if group.slot_count <= encoded.count and is_enumerable(encoded.count, group.slot_count):
                ways = all_ways(encoded.count, group.slot_count)
                codes = group.solver.codes(ways.rows, encoded.values, which)
                for t, at in enumerate(which.tolist()):
                    if len(group.automorphisms[at]) > 1:
                        codes[t, is_repeated(encoded.count, group.slot_count, group.automorphisms[at])] = SINGULAR
                found.append(Candidates(g, which, ways, codes))
        return found

    def beam(self, encoded: EncodedText, group_at: int, at: int, tables: Tables) -> Candidates:
        """Return the best candidates of one template that has too many, found slot by slot."""
        group = self.layout.groups[group_at]
        n = encoded.count
        rows: Ranks = np.arange(n)[:, None]
        scores = tables.slots[0, 0][rows[:, 0]]
        at_pair = {pair: p for p, pair in enumerate(combinations(range(group.slot_count), 2))}
        for slot in range(1, group.slot_count):
            grown = scores[:, None] + tables.slots[0, slot][None, :]
            for earlier in range(slot):
                table = tables.pairs[0, at_pair[earlier, slot]].reshape(n, n)
                grown = grown + table[rows[:, earlier]]
            taken = np.zeros((len(rows), n), dtype=bool)
            np.put_along_axis(taken, rows, True, axis=1)
            grown[taken] = -np.inf
            best = np.argsort(-grown, axis=None, kind="stable")[:BEAM]
            best = best[np.isfinite(grown.ravel()[best])]
            rows = np.concatenate([rows[best // n], (best % n)[:, None]], axis=1)
            scores = grown.ravel()[best]
        symmetries = group.automorphisms[at]
        rows = np.unique(np.array([least_row(row, symmetries) for row in rows.tolist()], dtype=np.int64), axis=0)
        which = np.array([at], dtype=np.int32)
        return Candidates(group_at, which, Ways.of(rows, n), group.solver.codes(rows, encoded.values, which))

    def score_all(
        self, encoded: EncodedText, chosen: Mapping[int, Indices], ready: Sequence[Candidates]
    ) -> list[tuple[Candidates, Floats]]:
        """Return all candidates of chosen templates with their scores."""
        tables = self.tables(encoded)
        found = []
        for candidates in ready:
            group = self.layout.groups[candidates.group]
            found.append((candidates, self.score(candidates, self.group_tables(tables, group, candidates.which))))
        for g, which in chosen.items():
            group = self.layout.groups[g]
            if group.slot_count <= encoded.count and not is_enumerable(encoded.count, group.slot_count):
                for at in which:
                    own = self.group_tables(tables, group, np.array([at], dtype=np.int32))
                    candidates = self.beam(encoded, g, int(at), own)
                    found.append((candidates, self.score(candidates, own)))
        return found
