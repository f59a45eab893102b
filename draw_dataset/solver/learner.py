"""Learning the weights: which candidate is scored best, and what is changed if it is a wrong one.

Two rules are offered here (a third is in `margin_program`). The **perceptron** (the paper's) compares the best right
candidate with the best wrong one; if the wrong one is scored at least as high, it moves the weights by one unit, from
the features of the wrong one to those of the right one. The **margin** rule asks for a lead of 1 over the best
candidates of the best wrong templates (up to `RIVALS` of them): it makes the smallest change that gives this lead on
their average, each weighing by what its lead lacks, as the passive-aggressive rule of Crammer and others (2006) does
for one rival. Both look at the problems in a seeded order that changes every epoch, and both give out the average of
the weights over all steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from draw_dataset.solver.arrangements import Indices
from draw_dataset.solver.features import KINDS
from draw_dataset.solver.layout import ColumnLayout, EncodedText, Weights
from draw_dataset.solver.search import Candidates, Floats, Searcher
from draw_dataset.solver.supervision import Gold

LearningRule = Literal["perceptron", "margin", "qp"]

RIVALS = 10
"""Wrong templates, or right ones filled wrongly, that the margin rule looks at together."""

Place = tuple[int, int, int]
"""Where a candidate stands: block of candidates, template of the block, way to fill it."""


@dataclass(frozen=True, slots=True)
class Example:
    """A problem to learn from.

    Attributes:
        encoded: its text.
        golds: the right candidates.
        chosen: for each group, the templates that are candidates.
        ready: their candidates, as far as they can be made without scores.
    """

    encoded: EncodedText
    golds: tuple[Gold, ...]
    chosen: Mapping[int, Indices]
    ready: tuple[Candidates, ...]


Block = tuple[str, tuple[npt.NDArray[Any], ...], npt.NDArray[np.floating[Any]]]
"""A part of a difference of features: the table, the rows and columns in it, and the values there."""


class Update:
    """What is to be added to the tables: by column for the text, by number, by pair and by code of the solution."""

    def __init__(self, layout: ColumnLayout, encoded: EncodedText) -> None:
        width = {kind: len(names) + 1 for kind, names in layout.columns.items()}
        self._layout = layout
        self._encoded = encoded
        self._text = np.zeros((1, width["text"]), dtype=np.float32)
        self._number = np.zeros((encoded.count, width["number"]), dtype=np.float32)
        self._pair = np.zeros((encoded.count * encoded.count, width["pair"]), dtype=np.float32)
        self._solution = np.zeros((len(layout.solution_rows), width["solution"]), dtype=np.float32)

    def add(self, candidates: Candidates, t: int, c: int, amount: float) -> None:
        """Add the columns of one way to fill a template."""
        group = self._layout.groups[candidates.group]
        at = int(candidates.which[t])
        n = self._encoded.count
        forth = len(self._layout.columns["pair"]) + 1
        np.add.at(self._text[0], group.text_columns[at], amount)
        for slot, numbers in enumerate(candidates.ways.slots):
            np.add.at(self._number[numbers[c]], group.slot_columns[at, slot], amount)
        for pair, both in enumerate(candidates.ways.pairs):
            first, second = divmod(int(both[c]), n)
            columns = group.pair_columns[at, pair]
            np.add.at(self._pair[first * n + second], columns[columns < forth], amount)
            np.add.at(self._pair[second * n + first], columns[columns >= forth] - forth, amount)
        np.add.at(self._solution[candidates.codes[t, c]], group.solution_columns[at], amount)

    def blocks(self) -> list[Block]:
        """Return what all this is in the tables of weights."""
        encoded, layout = self._encoded, self._layout
        every_code = np.arange(len(layout.solution_attributes), dtype=np.int32)
        one = np.ones((1, len(encoded.text_rows)), dtype=np.float32)
        found = []
        for kind, rows, seen, table in (
            ("text", encoded.text_rows, one, self._text),
            ("number", encoded.number_rows, encoded.number_seen, self._number),
            ("pair", encoded.pair_rows, encoded.pair_seen, self._pair),
            ("solution", every_code, layout.solution_rows, self._solution),
        ):
            table = table[:, :-1]  # the last column is a filler and stays zero
            touched = np.flatnonzero(table.any(axis=0))
            if len(touched) and len(rows):
                found.append((kind, np.ix_(rows, touched), seen.T @ table[:, touched]))
        return found


class Learner:
    """Weights that learn.

    Args:
        layout: the templates.
        attributes: how many attributes of each kind there are.
        rule: how much is changed.
    """

    def __init__(self, layout: ColumnLayout, attributes: Mapping[str, int], rule: LearningRule) -> None:
        shapes = {kind: (attributes[kind], len(layout.columns[kind]) + 1) for kind in KINDS}
        self.weights: dict[str, Weights] = {kind: np.zeros(shape, dtype=np.float32) for kind, shape in shapes.items()}
        self._sums: dict[str, Weights] = {kind: np.zeros(shape, dtype=np.float32) for kind, shape in shapes.items()}
        self._layout = layout
        self._rule = rule
        self._searcher = Searcher(layout, self.weights, exact=False)
        self._steps = 1

    def learn(self, examples: Sequence[Example], epochs: int, seed: int, watch: Callable[[int, int], None]) -> None:
        """Look at all examples so often.

        Args:
            examples: the examples.
            epochs: how often.
            seed: of their order.
            watch: is told after each epoch which it was, and how many examples were wrong.
        """
        rng = np.random.default_rng(seed)
        for epoch in range(epochs):
            wrong = 0
            for i in rng.permutation(len(examples)):
                wrong += self._look(examples[int(i)])
                self._steps += 1
            watch(epoch, wrong)

    def averaged(self) -> dict[str, Weights]:
        """Return the weights, averaged over all steps."""
        return {kind: w - self._sums[kind] / np.float32(self._steps) for kind, w in self.weights.items()}

    def _look(self, example: Example) -> bool:
        """Learn from an example; say whether it was answered wrongly."""
        scored = self._searcher.scored(example.encoded, example.chosen, example.ready)
        golds = gold_places(self._layout, example, scored)
        if not golds:
            return False
        right = max(golds, key=lambda gold: score_at(scored, gold))
        value = score_at(scored, right)
        for b, t, c in golds:
            scored[b][1][t, c] = -np.inf
        rivals = self._rivals(scored, value)
        if rivals:
            change = Update(self._layout, example.encoded)
            change.add(scored[right[0]][0], right[1], right[2], 1.0)
            leads = np.array([value - score_at(scored, rival) for rival in rivals])
            shares = (1 - leads) / (1 - leads).sum()
            for (b, t, c), share in zip(rivals, shares.tolist(), strict=True):
                change.add(scored[b][0], t, c, -share)
            self._apply(change, float(shares @ leads))
        return any(score_at(scored, rival) >= value for rival in rivals)

    def _rivals(self, scored: Sequence[tuple[Candidates, Floats]], value: float) -> list[Place]:
        """Return the wrong candidates that come too near to a right one of this score: the best of their templates."""
        alone = self._rule == "perceptron"
        found = []
        for b, (_, scores) in enumerate(scored):
            best = scores.max(axis=1, initial=-np.inf)
            near = best >= value if alone else best > value - 1
            found += [(-float(best[t]), b, t) for t in np.flatnonzero(near).tolist()]
        found.sort()
        return [(b, t, int(scored[b][1][t].argmax())) for _, b, t in found[: 1 if alone else RIVALS]]

    def _apply(self, change: Update, lead: float) -> None:
        """Change the weights, given by how much the right candidate leads."""
        found = change.blocks()
        size = np.float32(1)
        if self._rule == "margin":
            norm = sum(float((difference * difference).sum()) for _, _, difference in found)
            size = np.float32((1 - lead) / norm) if norm else np.float32(0)
        for kind, where, difference in found:
            step = size * difference
            self.weights[kind][where] += step
            self._sums[kind][where] += np.float32(self._steps) * step


def score_at(scored: Sequence[tuple[Candidates, Floats]], place: Place) -> float:
    """Return the score of a candidate."""
    b, t, c = place
    return float(scored[b][1][t, c])


def gold_places(layout: ColumnLayout, example: Example, scored: Sequence[tuple[Candidates, Floats]]) -> list[Place]:
    """Return where the right candidates stand, as far as they are solvable."""
    block_of = {(c.group, int(w)): (b, t) for b, (c, _) in enumerate(scored) for t, w in enumerate(c.which)}
    found = []
    n = example.encoded.count
    for rank, row in example.golds:
        place = block_of.get(layout.place[rank])
        if place is None:
            continue
        b, t = place
        candidates, scores = scored[b]
        c = candidates.ways.find(row, n)
        if c is not None and np.isfinite(scores[t, c]):
            found.append((b, t, c))
    return found
