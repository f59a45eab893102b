"""Scores every candidate of a text: all ways to fill the slots of chosen templates, as sums of table entries.

For a text and its templates four tables are made: what the text gives each template, what each number gives each slot,
what each two numbers give each two slots, what each code of a solution gives each template. The score of a candidate is
then a handful of look-ups, made for all candidates of a group at once. Where a template has more ways to be filled than
can be made, its slots are filled one after the other and the best partial fillings are kept (a beam).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from draw_dataset.solver.anatomy import Permutation
from draw_dataset.solver.arrangements import Ranks, arrangements, enumerable, least
from draw_dataset.solver.layout import Group, Layout, Scene
from draw_dataset.solver.solutions import Codes
from draw_dataset.solver.weights import Indices, Weights

Floats = npt.NDArray[np.float64]

BEAM = 500
"""Partial fillings that are kept where a template has too many ways to be filled."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidates of one text: templates of a group, and the ways they are filled.

    Attributes:
        group: the group, by its place in the layout.
        which: the templates, by their places in the group.
        rows: the ways they are filled.
        codes: the code of each solution, by template and way.
    """

    group: int
    which: Indices
    rows: Ranks
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
    """

    def __init__(self, layout: Layout, weights: Mapping[str, Weights]) -> None:
        self.layout = layout
        self.weights = weights

    def text_scores(self, scene: Scene) -> Floats:
        """Return what the text gives to each column of the text features."""
        return np.asarray(self.weights["text"][scene.text_rows].astype(np.float64).sum(axis=0))

    def tables(self, scene: Scene) -> list[Floats]:
        """Return what a text gives to each column: text, numbers, pairs, solutions."""
        w = self.weights
        numbers = w["number"][scene.number_rows].astype(np.float64).T @ scene.number_seen.T
        pairs = w["pair"][scene.pair_rows].astype(np.float64).T @ scene.pair_seen.T
        solutions = w["solution"].astype(np.float64).T @ self.layout.solution_rows.T
        return [self.text_scores(scene), numbers, pairs, solutions]

    def group_tables(self, scene: Scene, tables: Sequence[Floats], group: Group, which: Indices) -> Tables:
        """Return what a text gives to templates of a group."""
        text, numbers, pairs, solutions = tables
        n = scene.count
        forth = pairs[group.pair_columns[which, :, 0]].sum(axis=2)
        back = pairs[group.pair_columns[which, :, 1]].sum(axis=2)
        back = back.reshape(*back.shape[:2], n, n).swapaxes(2, 3).reshape(back.shape)
        coded = solutions[group.solution_columns[which]].sum(axis=1)
        return Tables(
            text=text[group.text_columns[which]].sum(axis=1),
            slots=numbers[group.slot_columns[which]].sum(axis=2),
            pairs=forth + back,
            solutions=np.concatenate([coded, np.full((len(which), 1), -np.inf)], axis=1),
        )

    def score(self, scene: Scene, candidates: Candidates, tables: Tables) -> Floats:
        """Return the score of each candidate, by template and way."""
        group = self.layout.groups[candidates.group]
        rows = candidates.rows
        scores = np.take_along_axis(tables.solutions, candidates.codes.astype(np.int64), axis=1)
        scores += tables.text[:, None]
        for slot in range(group.slot_count):
            scores += tables.slots[:, slot][:, rows[:, slot]]
        for p, (i, j) in enumerate(group.pairs):
            scores += tables.pairs[:, p][:, rows[:, i] * scene.count + rows[:, j]]
        return np.asarray(scores)

    def candidates(self, scene: Scene, chosen: Mapping[int, Indices]) -> list[Candidates]:
        """Return the candidates of chosen templates that can be made without scores: all ways, where they are few.

        Args:
            scene: the text.
            chosen: for each group, the templates.
        """
        found = []
        for g, which in chosen.items():
            group = self.layout.groups[g]
            if group.slot_count <= scene.count and enumerable(scene.count, group.slot_count):
                rows = arrangements(scene.count, group.slot_count, group.automorphisms)
                found.append(Candidates(g, which, rows, group.solver.codes(rows, scene.values, which)))
        return found

    def beam(self, scene: Scene, group_at: int, at: int, tables: Tables) -> Candidates:
        """Return the best candidates of one template that has too many, found slot by slot.

        Args:
            scene: the text.
            group_at: the group, by its place in the layout.
            at: the template, by its place in the group.
            tables: what the text gives to this template alone.
        """
        group = self.layout.groups[group_at]
        n = scene.count
        rows: Ranks = np.arange(n)[:, None]
        scores = tables.slots[0, 0][rows[:, 0]]
        at_pair = {pair: p for p, pair in enumerate(group.pairs)}
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
        rows = np.unique(np.array([least(row, group.automorphisms) for row in rows.tolist()], dtype=np.int64), axis=0)
        which = np.array([at], dtype=np.int32)
        return Candidates(group_at, which, rows, group.solver.codes(rows, scene.values, which))

    def scored(
        self, scene: Scene, chosen: Mapping[int, Indices], ready: Sequence[Candidates]
    ) -> list[tuple[Candidates, Floats]]:
        """Return all candidates of chosen templates with their scores.

        Args:
            scene: the text.
            chosen: for each group, the templates.
            ready: the candidates that need no scores to be made.
        """
        tables = self.tables(scene)
        found = []
        for candidates in ready:
            group = self.layout.groups[candidates.group]
            found.append(
                (candidates, self.score(scene, candidates, self.group_tables(scene, tables, group, candidates.which)))
            )
        for g, which in chosen.items():
            group = self.layout.groups[g]
            if group.slot_count <= scene.count and not enumerable(scene.count, group.slot_count):
                for at in which:
                    own = self.group_tables(scene, tables, group, np.array([at], dtype=np.int32))
                    candidates = self.beam(scene, g, int(at), own)
                    found.append((candidates, self.score(scene, candidates, own)))
        return found


@lru_cache(maxsize=256)
def row_keys(numbers: int, slots: int, automorphisms: tuple[Permutation, ...]) -> npt.NDArray[np.int64]:
    """Return the ways to fill the slots as ascending keys, to find a way among them."""
    return keys_of(arrangements(numbers, slots, automorphisms), numbers)


def keys_of(rows: Ranks, numbers: int) -> npt.NDArray[np.int64]:
    """Return a key for each row, in the order of the rows."""
    return np.asarray(rows @ (numbers ** np.arange(rows.shape[1] - 1, -1, -1, dtype=np.int64)))
