"""Scores every candidate of a text: all ways to fill the slots of chosen templates, as sums of table entries.

For a text and its templates four tables are made: what the text gives each template, what each number gives each slot,
what each two numbers give each two slots, what each code of a solution gives each template. The score of a candidate is
then a handful of look-ups, made for all candidates of a group at once. Where a template has more ways to be filled than
can be made, its slots are filled one after the other and the best partial fillings are kept (a beam).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from draw_dataset.solver.arrangements import Indices, Ranks, Ways, all_ways, enumerable, least, repeated
from draw_dataset.solver.layout import ColumnLayout, EncodedText, Group, Weights
from draw_dataset.solver.solutions import SINGULAR, Codes

Floats = npt.NDArray[np.floating[Any]]

BEAM = 500
"""Partial fillings that are kept where a template has too many ways to be filled."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidates of one text: templates of a group, and the ways they are filled.

    Attributes:
        group: the group, by its place in the layout.
        which: the templates, by their places in the group.
        ways: the ways they are filled.
        codes: the code of each solution, by template and way; that of a singular system also where a way repeats one.
    """

    group: int
    which: Indices
    ways: Ways
    codes: Codes


@dataclass(frozen=True, slots=True)
class Tables:
    """What the parts of a text give to the templates of a group.

    Attributes:
        text: by template.
        slots: by template, slot and number.
        pairs: by template, pair of slots and ordered pair of numbers.
        solutions: by template and code; the last entry is for systems without a unique solution.
    """

    text: Floats
    slots: Floats
    pairs: Floats
    solutions: Floats


class Searcher:
    """Makes and scores the candidates of texts.

    Args:
        layout: the templates.
        weights: the weights of each kind; the last column of each is zero.
        exact: whether sums are made as float64, in which those of a finished model are exact; else as float32.
    """

    def __init__(self, layout: ColumnLayout, weights: Mapping[str, Weights], exact: bool = True) -> None:
        self.layout = layout
        self.weights = weights
        self._precision = np.float64 if exact else np.float32

    def text_scores(self, encoded: EncodedText) -> Floats:
        """Return what the text gives to each column of the text features."""
        return np.asarray(self._rows("text", encoded.text_rows).sum(axis=0))

    def _rows(self, kind: str, rows: Indices) -> Floats:
        return self.weights[kind][rows].astype(self._precision, copy=False)

    def tables(self, encoded: EncodedText) -> list[Floats]:
        """Return what a text gives to each column: text, numbers, pairs (forth, then back), solutions."""
        numbers = self._rows("number", encoded.number_rows).T @ encoded.number_seen.T
        pairs = self._rows("pair", encoded.pair_rows).T @ encoded.pair_seen.T
        n = encoded.count
        back = pairs.reshape(len(pairs), n, n).swapaxes(1, 2).reshape(pairs.shape)
        every = np.arange(len(self.layout.solution_attributes), dtype=np.int32)
        solutions = self._rows("solution", every).T @ self.layout.solution_rows.T
        return [self.text_scores(encoded), numbers, np.concatenate([pairs, back]), solutions]

    def group_tables(self, tables: Sequence[Floats], group: Group, which: Indices) -> Tables:
        """Return what a text gives to templates of a group."""
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
        """Return the candidates of chosen templates that can be made without scores: all ways, where they are few.

        Args:
            encoded: the text.
            chosen: for each group, the templates.
        """
        found = []
        for g, which in chosen.items():
            group = self.layout.groups[g]
            if group.slot_count <= encoded.count and enumerable(encoded.count, group.slot_count):
                ways = all_ways(encoded.count, group.slot_count)
                codes = group.solver.codes(ways.rows, encoded.values, which)
                for t, at in enumerate(which.tolist()):
                    if len(group.automorphisms[at]) > 1:
                        codes[t, repeated(encoded.count, group.slot_count, group.automorphisms[at])] = SINGULAR
                found.append(Candidates(g, which, ways, codes))
        return found

    def beam(self, encoded: EncodedText, group_at: int, at: int, tables: Tables) -> Candidates:
        """Return the best candidates of one template that has too many, found slot by slot.

        Args:
            encoded: the text.
            group_at: the group, by its place in the layout.
            at: the template, by its place in the group.
            tables: what the text gives to this template alone.
        """
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
        rows = np.unique(np.array([least(row, symmetries) for row in rows.tolist()], dtype=np.int64), axis=0)
        which = np.array([at], dtype=np.int32)
        return Candidates(group_at, which, Ways.of(rows, n), group.solver.codes(rows, encoded.values, which))

    def scored(
        self, encoded: EncodedText, chosen: Mapping[int, Indices], ready: Sequence[Candidates]
    ) -> list[tuple[Candidates, Floats]]:
        """Return all candidates of chosen templates with their scores.

        Args:
            encoded: the text.
            chosen: for each group, the templates.
            ready: the candidates that need no scores to be made.
        """
        tables = self.tables(encoded)
        found = []
        for candidates in ready:
            group = self.layout.groups[candidates.group]
            found.append((candidates, self.score(candidates, self.group_tables(tables, group, candidates.which))))
        for g, which in chosen.items():
            group = self.layout.groups[g]
            if group.slot_count <= encoded.count and not enumerable(encoded.count, group.slot_count):
                for at in which:
                    own = self.group_tables(tables, group, np.array([at], dtype=np.int32))
                    candidates = self.beam(encoded, g, int(at), own)
                    found.append((candidates, self.score(candidates, own)))
        return found
