"""Learning the weights: which candidate is scored best, and what is changed if it is a wrong one.

Two rules share everything but the change. The **perceptron** (the paper's, averaged) takes the best candidate and the
best right candidate, and moves the weights from the features of the one to those of the other. The **log-linear** rule
makes all right candidates likelier at the cost of all candidates, in proportion to their probabilities, with step sizes
of its own for every weight (AdaGrad). Both look at the problems in a seeded order that changes every epoch, and both
give out the average of the weights over all steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from draw_dataset.solver.arrangements import enumerable
from draw_dataset.solver.feature_set import KINDS
from draw_dataset.solver.layout import Layout, Scene
from draw_dataset.solver.search import Candidates, Floats, Searcher, keys_of, row_keys
from draw_dataset.solver.weights import Indices, Weights

Rule = Literal["perceptron", "loglinear"]

Gold = tuple[int, tuple[int, ...]]
"""A right candidate: a template of the inventory, and the number in each slot, least under the symmetries."""


@dataclass(frozen=True, slots=True)
class Example:
    """A problem to learn from.

    Attributes:
        scene: its text.
        golds: the right candidates.
        chosen: for each group, the templates that are candidates.
        ready: their candidates, as far as they can be made without scores.
    """

    scene: Scene
    golds: tuple[Gold, ...]
    chosen: Mapping[int, Indices]
    ready: tuple[Candidates, ...]


@dataclass(frozen=True, slots=True)
class Rate:
    """How the log-linear rule steps.

    Attributes:
        step: the size of the first step of a weight.
        decay: by how much the weights that are touched shrink at a step.
        margin: what a wrong candidate is given on top of its score while learning.
    """

    step: float = 0.1
    decay: float = 0.0
    margin: float = 0.0


class Change:
    """What is to be added to the tables: by column for the text, by number, by pair and by code of the solution."""

    def __init__(self, layout: Layout, scene: Scene) -> None:
        width = {kind: len(names) + 1 for kind, names in layout.columns.items()}
        self.text = np.zeros((1, width["text"]), dtype=np.float32)
        self.number = np.zeros((scene.count, width["number"]), dtype=np.float32)
        self.pair = np.zeros((scene.count * scene.count, width["pair"]), dtype=np.float32)
        self.solution = np.zeros((len(layout.solution_rows), width["solution"]), dtype=np.float32)


class Learner:
    """Weights that learn.

    Args:
        layout: the templates.
        attributes: how many attributes of each kind there are.
        rule: what is changed.
        rate: how the log-linear rule steps.
    """

    def __init__(
        self,
        layout: Layout,
        attributes: Mapping[str, int],
        rule: Rule,
        rate: Rate = Rate(),  # noqa: B008 - frozen
    ) -> None:
        shapes = {kind: (attributes[kind], len(layout.columns[kind]) + 1) for kind in KINDS}
        self.weights: dict[str, Weights] = {kind: np.zeros(shape, dtype=np.float32) for kind, shape in shapes.items()}
        self._sums: dict[str, Weights] = {kind: np.zeros(shape, dtype=np.float32) for kind, shape in shapes.items()}
        self._squares: dict[str, Weights] = {}
        if rule == "loglinear":
            self._squares = {kind: np.zeros(shape, dtype=np.float32) for kind, shape in shapes.items()}
        self._layout = layout
        self._rule = rule
        self._rate = rate
        self._searcher = Searcher(layout, self.weights)
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
        scored = self._searcher.scored(example.scene, example.chosen, example.ready)
        golds = self._golds(example, scored)
        if not golds:
            return False
        if self._rule == "perceptron":
            return self._perceptron(example.scene, scored, golds)
        return self._loglinear(example.scene, scored, golds)

    def _golds(self, example: Example, scored: Sequence[tuple[Candidates, Floats]]) -> list[tuple[int, int, int]]:
        """Return where the right candidates stand: block, template of the block, way; only those that are solvable."""
        block_of = {(c.group, int(w)): (b, t) for b, (c, _) in enumerate(scored) for t, w in enumerate(c.which)}
        found = []
        n = example.scene.count
        for rank, row in example.golds:
            place = block_of.get(self._layout.place[rank])
            if place is None:
                continue
            b, t = place
            candidates, scores = scored[b]
            group = self._layout.groups[candidates.group]
            exact = enumerable(n, group.slot_count)
            keys = row_keys(n, group.slot_count, group.automorphisms) if exact else keys_of(candidates.rows, n)
            key = int(keys_of(np.array([row], dtype=np.int64).reshape(1, -1), n)[0])
            c = int(np.searchsorted(keys, key))
            if c < len(keys) and keys[c] == key and np.isfinite(scores[t, c]):
                found.append((b, t, c))
        return found

    def _perceptron(
        self, scene: Scene, scored: Sequence[tuple[Candidates, Floats]], golds: Sequence[tuple[int, int, int]]
    ) -> bool:
        best = best_of(scored)
        right = max(golds, key=lambda g: scored[g[0]][1][g[1], g[2]])
        if best is None or best in golds:
            return False
        change = Change(self._layout, scene)
        for (b, t, c), amount in ((right, 1.0), (best, -1.0)):
            candidates = scored[b][0]
            self._add(change, scene, candidates, t, np.array([c]), np.array([amount]))
        self._apply(change, scene)
        return True

    def _loglinear(
        self, scene: Scene, scored: Sequence[tuple[Candidates, Floats]], golds: Sequence[tuple[int, int, int]]
    ) -> bool:
        if self._rate.margin:
            for _, scores in scored:
                scores += self._rate.margin
            for b, t, c in golds:
                scored[b][1][t, c] -= self._rate.margin
        best = best_of(scored)
        top = max(float(scores.max()) for _, scores in scored if scores.size)
        masses = [np.exp(scores - top) for _, scores in scored]
        total = sum(float(mass.sum()) for mass in masses)
        right = np.array([masses[b][t, c] for b, t, c in golds])
        shares = right / right.sum() if right.sum() > 0 else np.full(len(golds), 1 / len(golds))
        for mass in masses:
            mass /= -total
        for (b, t, c), share in zip(golds, shares, strict=True):
            masses[b][t, c] += share
        change = Change(self._layout, scene)
        for (candidates, _), mass in zip(scored, masses, strict=True):
            for t in np.flatnonzero(np.abs(mass).sum(axis=1) > _NEGLIGIBLE).tolist():
                ways = np.flatnonzero(np.abs(mass[t]) > _NEGLIGIBLE / 10)
                self._add(change, scene, candidates, t, ways, mass[t, ways])
        self._apply(change, scene)
        return best not in golds

    def _add(
        self, change: Change, scene: Scene, candidates: Candidates, t: int, ways: npt.NDArray[np.int64], amounts: Floats
    ) -> None:
        """Add the columns of ways to fill a template, each as much as it weighs."""
        group = self._layout.groups[candidates.group]
        at = int(candidates.which[t])
        rows = candidates.rows[ways]
        n = scene.count
        change.text[0, group.text_columns[at]] += amounts.sum()
        for slot in range(group.slot_count):
            held = np.bincount(rows[:, slot], weights=amounts, minlength=n)
            np.add.at(change.number.T, group.slot_columns[at, slot], held[None, :].astype(np.float32))
        for p, (i, j) in enumerate(group.pairs):
            held = np.bincount(rows[:, i] * n + rows[:, j], weights=amounts, minlength=n * n)
            back = held.reshape(n, n).T.ravel()
            np.add.at(change.pair.T, group.pair_columns[at, p, 0], held[None, :].astype(np.float32))
            np.add.at(change.pair.T, group.pair_columns[at, p, 1], back[None, :].astype(np.float32))
        coded = np.bincount(candidates.codes[t, ways], weights=amounts, minlength=len(change.solution))
        np.add.at(change.solution.T, group.solution_columns[at], coded[None, :].astype(np.float32))

    def _apply(self, change: Change, scene: Scene) -> None:
        every_code = np.arange(len(self._layout.solution_attributes), dtype=np.int32)
        one = np.ones((1, len(scene.text_rows)), dtype=np.float32)
        for kind, rows, seen, table in (
            ("text", scene.text_rows, one, change.text),
            ("number", scene.number_rows, scene.number_seen, change.number),
            ("pair", scene.pair_rows, scene.pair_seen, change.pair),
            ("solution", every_code, self._layout.solution_rows, change.solution),
        ):
            table = table[:, :-1]  # the last column is a filler and stays zero
            touched = np.flatnonzero(table.any(axis=0))
            if not len(touched) or not len(rows):
                continue
            gradient = seen.T @ table[:, touched]
            where = np.ix_(rows, touched)
            if self._rule == "perceptron":
                step = gradient
            else:
                squares = self._squares[kind]
                squares[where] += gradient * gradient
                if self._rate.decay:
                    gradient = gradient - np.float32(self._rate.decay) * self.weights[kind][where]
                step = np.float32(self._rate.step) * gradient / (np.sqrt(squares[where]) + np.float32(1e-6))
            self.weights[kind][where] += step
            self._sums[kind][where] += np.float32(self._steps) * step


_NEGLIGIBLE = 1e-4
"""Probability of a template below which it is left out of a step."""


def best_of(scored: Sequence[tuple[Candidates, Floats]]) -> tuple[int, int, int] | None:
    """Return where the best candidate stands: block, template of the block, way; None if there is none."""
    best, found = -np.inf, None
    for b, (_, scores) in enumerate(scored):
        if scores.size:
            at = int(scores.argmax())
            t, c = divmod(at, scores.shape[1])
            if scores[t, c] > best:
                best, found = scores[t, c], (b, t, c)
    return found
