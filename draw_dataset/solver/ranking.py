"""Ranking templates by the text alone: the first step of the solver, which keeps the best k.

The weights are taught by the margin rule (see `learner`) over the text features, with nothing of alignments: the best
right template shall lead each of the best wrong ones by 1. The rule looks at as many wrong ones as `RIVALS`, for what
matters is not to be first but to be among the first. On Draw, trained on train, 148 of the 159 problems of validation
whose template is known have it among the best 10; with a perceptron that looks at the best wrong one only, 135.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from draw_dataset.solver.arrangements import Indices
from draw_dataset.solver.layout import ColumnLayout, EncodedText, Weights, padded

RIVALS = 10
"""Wrong templates that a right one shall lead."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Ranks the templates of a layout.

    Attributes:
        weights: text attributes by columns; the last column is zero.
    """

    weights: Weights

    def best(self, layout: ColumnLayout, encoded: EncodedText, k: int) -> dict[int, Indices]:
        """Return the best k templates that a text has numbers enough for, by group."""
        columns, slots = _all_columns(layout)
        scores = _scores(self.weights, columns, encoded)
        scores[slots > encoded.count] = -np.inf
        order = np.argsort(-scores, kind="stable")[:k]
        kept = sorted(int(m) for m in order if np.isfinite(scores[m]))
        return by_group(layout, kept)

    @classmethod
    def learn(
        cls,
        layout: ColumnLayout,
        encoded_texts: Sequence[EncodedText],
        golds: Sequence[frozenset[int]],
        rows: int,
        epochs: int,
        seed: int,
    ) -> Ranking:
        """Return a ranking learnt from texts and their right templates.

        Args:
            layout: the templates.
            encoded_texts: the texts.
            golds: the right templates of each.
            rows: how many text attributes there are.
            epochs: how often each text is looked at.
            seed: of their order.
        """
        columns, slots = _all_columns(layout)
        weights = np.zeros((rows, len(layout.columns["text"]) + 1), dtype=np.float32)
        sums = np.zeros_like(weights)
        rng = np.random.default_rng(seed)
        step = 1
        for _ in range(epochs):
            for i in rng.permutation(len(encoded_texts)):
                encoded, right = encoded_texts[int(i)], sorted(golds[int(i)])
                if right and len(encoded.text_rows):
                    scores = _scores(weights, columns, encoded)
                    scores[slots > encoded.count] = -np.inf
                    change = _lead(scores, right, columns, weights.shape[1], len(encoded.text_rows))
                    touched = np.flatnonzero(change)
                    where = np.ix_(encoded.text_rows, touched)
                    weights[where] += change[touched]
                    sums[where] += np.float32(step) * change[touched]
                step += 1
        return cls(weights - sums / np.float32(step))


def _lead(scores: npt.NDArray[np.float64], right: list[int], columns: Indices, width: int, rows: int) -> Weights:
    """Return what is added to the columns in each row of a text, so that the best right template leads its rivals."""
    best = max(right, key=lambda member: float(scores[member]))
    own = float(scores[best])
    scores[right] = -np.inf
    total = np.zeros(width, dtype=np.float32)
    for rival in np.argsort(-scores, kind="stable")[:RIVALS].tolist():
        missing = 1 - (own - float(scores[rival]))
        if not 0 < missing < np.inf:
            continue
        change = np.zeros(width, dtype=np.float32)
        np.add.at(change, columns[best], 1)
        np.add.at(change, columns[rival], -1)
        change[-1] = 0  # the filler
        norm = float((change * change).sum()) * rows * RIVALS
        if norm:
            total += np.float32(missing / norm) * change
    return total


def by_group(layout: ColumnLayout, members: Sequence[int]) -> dict[int, Indices]:
    """Return templates of the inventory by their groups and places in them."""
    found: dict[int, list[int]] = {}
    for member in members:
        g, t = layout.place[member]
        found.setdefault(g, []).append(t)
    return {g: np.array(found[g], dtype=np.int32) for g in sorted(found)}


def _scores(weights: Weights, columns: Indices, encoded: EncodedText) -> npt.NDArray[np.float64]:
    given = weights[encoded.text_rows].astype(np.float64).sum(axis=0)
    return np.asarray(given[columns].sum(axis=1))


def _all_columns(layout: ColumnLayout) -> tuple[Indices, Indices]:
    """Return the text columns of every template in the order of the inventory, and how many slots each has."""
    filler = len(layout.columns["text"])
    listed: list[list[int]] = [[] for _ in layout.place]
    slots = np.zeros(len(layout.place), dtype=np.int32)
    for group in layout.groups:
        for member, columns in zip(group.members, group.text_columns, strict=True):
            listed[int(member)] = [int(c) for c in columns]
            slots[int(member)] = group.slot_count
    return padded(listed, filler), slots
