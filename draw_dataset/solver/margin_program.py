"""Learning the weights at once: the largest margin between right and wrong candidates, as a quadratic program.

The program is that of ZDC (Zhou, Dai and Chen 2015): the least ½‖w‖² + C Σ ξ such that in every problem the right
candidate leads each wrong one by 1 - ξ, with a ξ ≥ 0 for each pair and C = 0.01. A problem has thousands of pairs, so
they are generated as they are needed: at first `WRONG` wrong candidates a problem, drawn at random; then, round by
round, up to as many that violate the margin most and are not there yet, until none is new, or the training error
settles.

Between two rounds the program over the pairs at hand is solved in its dual, by coordinate descent (Hsieh and others
2008): each pair i has a weight α in [0, C], w is the sum of the α times the differences of features, and one pair after
the other takes the α that is best while all others stay. The scores of all candidates of a problem are made at once;
only pairs that are not in order by them are looked at one by one.

Of several right candidates the one that is scored best now is compared. ZDC also stops where the error of an inner
cross-validation rises, which would take five times as long and is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from draw_dataset.solver.features import KINDS
from draw_dataset.solver.layout import ColumnLayout, Weights
from draw_dataset.solver.learner import Example, Place, Update, gold_places, score_at
from draw_dataset.solver.search import Candidates, Floats, Searcher

C = 0.01
"""What a pair may weigh at most."""

WRONG = 300
"""Wrong candidates of a problem that are drawn at first, and that are added in a round at most."""

ROUNDS = 12
"""Rounds of adding pairs, at most."""

PASSES = 12
"""Times that all pairs are looked at between two rounds, at most."""

TOLERANCE = 0.05
"""How far a margin may be from what it should be."""

SCALE = 64
"""The weights are given out this many times as large: they are small, and rounded later. The order stays the same."""

Pair = tuple[Place, Place]
"""A right and a wrong candidate of a problem."""


class MarginProgram:
    """Weights that solve the program.

    Args:
        layout: the templates.
        attributes: how many attributes of each kind there are.
    """

    def __init__(self, layout: ColumnLayout, attributes: Mapping[str, int]) -> None:
        shapes = {kind: (attributes[kind], len(layout.columns[kind]) + 1) for kind in KINDS}
        self.weights: dict[str, Weights] = {kind: np.zeros(shape, dtype=np.float32) for kind, shape in shapes.items()}
        self._layout = layout
        self._searcher = Searcher(layout, self.weights, exact=False)

    def learn(self, examples: Sequence[Example], seed: int, watch: Callable[[int, int], None]) -> None:
        """Solve the program for examples.

        Args:
            examples: the examples; those without a right candidate teach nothing.
            seed: of the candidates that are drawn at first, and of the order of the examples.
            watch: is told after each round which it was, and how many examples were wrong before it.
        """
        rng = np.random.default_rng(seed)
        pairs: list[dict[Pair, float]] = [{} for _ in examples]
        before = len(examples) + 1
        for turn in range(ROUNDS):
            added = wrong = 0
            for example, held in zip(examples, pairs, strict=True):
                new, is_wrong = self._generated(example, held, rng if turn == 0 else None)
                held.update(dict.fromkeys(new, 0.0))
                added += len(new)
                wrong += is_wrong
            watch(turn, wrong)
            if not added or (turn > 1 and wrong >= before):
                break
            before = wrong if turn else before
            for _ in range(PASSES):
                furthest = max([self._descend(examples[i], pairs[i]) for i in rng.permutation(len(examples))])
                if furthest <= TOLERANCE:
                    break

    def scaled(self) -> dict[str, Weights]:
        """Return the weights, scaled."""
        return {kind: w * np.float32(SCALE) for kind, w in self.weights.items()}

    def _scored(self, example: Example) -> list[tuple[Candidates, Floats]]:
        """Return the candidates that are the same whatever the weights: those that need no beam."""
        enumerated = {c.group: c.which for c in example.ready}
        return self._searcher.scored(example.encoded, enumerated, example.ready)

    def _generated(
        self, example: Example, held: Mapping[Pair, float], rng: np.random.Generator | None
    ) -> tuple[list[Pair], bool]:
        """Return the pairs to add for an example, drawn or the worst, and whether it is answered wrongly."""
        scored = self._scored(example)
        golds = gold_places(self._layout, example, scored)
        if not golds:
            return [], False
        right = max(golds, key=lambda gold: score_at(scored, gold))
        value = score_at(scored, right)
        for b, t, c in golds:
            scored[b][1][t, c] = -np.inf
        sizes = [scores.size for _, scores in scored]
        flat = np.concatenate([scores.ravel() for _, scores in scored])
        if rng is not None:
            there = np.flatnonzero(np.isfinite(flat))
            chosen = rng.permutation(there)[:WRONG]
        else:
            near = np.flatnonzero(flat > value - 1 + TOLERANCE)
            chosen = near[np.argsort(-flat[near], kind="stable")][: WRONG + len(held)]
        starts = np.cumsum([0, *sizes])
        found: list[Pair] = []
        for at in chosen.tolist():
            b = int(np.searchsorted(starts, at, side="right")) - 1
            t, c = divmod(at - int(starts[b]), scored[b][1].shape[1])
            if (right, (b, t, c)) not in held:
                found.append((right, (b, t, c)))
        return found[:WRONG], bool(flat.max(initial=-np.inf) >= value)

    def _descend(self, example: Example, held: dict[Pair, float]) -> float:
        """Give the pairs of an example better weights; return how far the worst margin was from what it should be."""
        if not held:
            return 0.0
        scored = self._scored(example)
        furthest = 0.0
        for (right, wrong), alpha in held.items():
            margin = score_at(scored, right) - score_at(scored, wrong)
            off = _off(margin, alpha)
            if off > TOLERANCE:
                furthest = max(furthest, off)
                held[right, wrong] = self._step(example, scored, right, wrong, alpha)
        return furthest

    def _step(
        self, example: Example, scored: Sequence[tuple[Candidates, Floats]], right: Place, wrong: Place, alpha: float
    ) -> float:
        """Give one pair the best weight while all others stay, and return it."""
        change = Update(self._layout, example.encoded)
        change.add(scored[right[0]][0], right[1], right[2], 1.0)
        change.add(scored[wrong[0]][0], wrong[1], wrong[2], -1.0)
        blocks = change.blocks()
        norm = sum(float((difference * difference).sum()) for _, _, difference in blocks)
        if not norm:
            return alpha
        # The weights have moved since the scores were made.
        margin = sum(float((self.weights[kind][where] * difference).sum()) for kind, where, difference in blocks)
        best = min(max(alpha + (1 - margin) / norm, 0.0), C)
        for kind, where, difference in blocks:
            self.weights[kind][where] += np.float32(best - alpha) * difference
        return best


def _off(margin: float, alpha: float) -> float:
    """Return how far a margin is from what the weight of its pair asks for."""
    if margin < 1:
        return 1 - margin if alpha < C else 0.0
    return margin - 1 if alpha > 0 else 0.0
