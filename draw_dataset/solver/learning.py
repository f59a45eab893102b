"""Right derivations of training problems, and the rules that learn weights from them.

The **perceptron** (the paper's) compares the best right candidate with the best wrong one; if the wrong one scores at
least as high, it moves the weights by one unit from the wrong one's features to the right one's. The **margin** rule
asks for a lead of 1 over the best candidates of up to `RIVALS` wrong templates and makes the smallest change that gives
this lead on their weighted average (passive-aggressive, Crammer and others 2006). Both shuffle the problems every epoch
by a seed and average the weights over all steps. **qp** is the quadratic program of ZDC, below.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, product
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from draw_dataset.derivation.consistent import consistent_derivations
from draw_dataset.derivation.derivation import Derivation, TextNumber
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import ChoiceError, DrawError, NotLinearError, RowError, TrainingError, short_repr
from draw_dataset.solver.arrays import Indices, least_row
from draw_dataset.solver.features import KINDS
from draw_dataset.solver.search import Candidates, ColumnLayout, EncodedText, Floats, Searcher, Weights
from draw_dataset.solver.templates import Inventory
from draw_dataset.solver.text import TaggedText
from draw_dataset.version import __version__

# Right derivations by the paper's settings. **TD**: the annotated derivation and its variants by numbers of the same
# meaning (EquivTNum). **TE**: the derivations that lead from the text's numbers to the gold equations, the first or
# all (latent). **TE***: TE with the templates of all data reconciled; without that, each normal form is a template.


Setting = Literal["TD", "TE", "TE*"]
Choice = Literal["first", "latent"]

# Derivations of one problem that count as right; the release has up to 2187 that lead to the same equations
MAX_DERIVATIONS = 64

# A right candidate: a template of the inventory, and the number in each slot, least under the symmetries
Gold = tuple[int, tuple[int, ...]]


def check_choices(**given: tuple[str, object]) -> None:
    """Refuse options that are none of those offered, each given with the type that lists them."""
    for name, (value, offered) in given.items():
        if value not in get_args(offered):
            raise ChoiceError(f"{name}: expected one of {', '.join(get_args(offered))}, but got {short_repr(value)}")


def right_derivations(problem: Problem, setting: Setting, choice: Choice) -> list[Derivation]:
    """Return the derivations that count as right for a problem; none if its equations allow none."""
    if setting == "TD":
        return _annotated_derivations(problem)
    try:
        consistent = consistent_derivations(list(problem.equations), problem.numbers)
    except DrawError as error:
        raise RowError(f"problem {problem.id}: gold equations: {error}") from error
    found: list[Derivation] = []
    for rank in range(min(consistent.count, MAX_DERIVATIONS)):
        # Equations may be linear only because two literals are equal that came from two numbers.
        with suppress(NotLinearError):
            found.append(consistent.nth(rank))
        if found and choice == "first":
            break
    return found


def _annotated_derivations(problem: Problem) -> list[Derivation]:
    """Return the gold derivation and its variants by numbers of the same meaning."""
    gold = problem.derivation
    places = {number.place for number in problem.numbers}
    groups = {member.place: group for group in problem.equiv_tnum for member in group}
    choices: list[list[TextNumber]] = []
    for slot in gold.template.slots:
        number = gold.alignment[slot]
        same = [n for n in groups.get(number.place, ()) if n.place in places and n.place != number.place]
        choices.append([number, *same])
    return [
        Derivation(gold.template, dict(zip(gold.template.slots, numbers, strict=True)))
        for numbers in islice(product(*choices), MAX_DERIVATIONS)
        if len({number.place for number in numbers}) == len(numbers)
    ]


def build_inventory(golds: Sequence[Sequence[Derivation]], setting: Setting) -> Inventory:
    """Return the templates of the right derivations of problems, reconciled as the setting wants it."""
    inventory = Inventory.of([t for gold in golds for t in {d.template: None for d in gold}], setting != "TE")
    if not len(inventory):
        raise TrainingError(f"expected problems with derivations to learn from, but got {len(golds)} without any")
    return inventory


def locate_golds(text: TaggedText, golds: Sequence[Derivation], inventory: Inventory) -> tuple[Gold, ...]:
    """Return the right derivations as candidates, without those that have a number not found in the text."""
    rank = {number.place: i for i, number in enumerate(text.numbers)}
    found: dict[Gold, None] = {}
    for derivation in golds:
        located = inventory.locate(derivation)
        if located is not None and all(number.place in rank for number in located[1]):
            member, numbers = located
            automorphisms = inventory.classes[member].structure.automorphisms
            found[member, least_row([rank[number.place] for number in numbers], automorphisms)] = None
    return tuple(found)


def signature(problems: Sequence[Problem], setting: str, choice: str, **options: object) -> str:
    """Return the signature of a training: setting, options, and a hash of the problems."""
    digest = hashlib.sha256()
    for problem in problems:
        digest.update(repr(problem.to_row()).encode())
    learnt_from = setting if setting == "TD" else f"{setting}-{choice}"
    said = "".join(f"|{name}:{value}" for name, value in options.items())
    return f"solver|train:{learnt_from}{said}|n:{len(problems)}@{digest.hexdigest()[:8]}|version:{__version__}"


LearningRule = Literal["perceptron", "margin", "qp"]

RIVALS = 10  # wrong templates, or right ones filled wrongly, that the margin rule looks at together
Place = tuple[int, int, int]  # where a candidate stands: block of candidates, template of the block, way to fill it


@dataclass(frozen=True, slots=True)
class Example:
    """A problem to learn from."""

    encoded: EncodedText  # its text
    golds: tuple[Gold, ...]  # the right candidates
    chosen: Mapping[int, Indices]  # for each group, the templates that are candidates
    ready: tuple[Candidates, ...]  # their candidates, as far as they can be made without scores


# A part of a difference of features: the table, the rows and columns in it, and the values there
Block = tuple[str, tuple[npt.NDArray[Any], ...], npt.NDArray[np.floating[Any]]]


class Update:
    """A change of the weight tables: by column for the text, by number, by pair and by solution code."""

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
        """Return the update as blocks of the weight tables."""
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
    """Weights learnt by the perceptron or the margin rule."""

    def __init__(self, layout: ColumnLayout, attributes: Mapping[str, int], rule: LearningRule) -> None:
        shapes = {kind: (attributes[kind], len(layout.columns[kind]) + 1) for kind in KINDS}
        self.weights: dict[str, Weights] = {kind: np.zeros(shape, dtype=np.float32) for kind, shape in shapes.items()}
        self._sums: dict[str, Weights] = {kind: np.zeros(shape, dtype=np.float32) for kind, shape in shapes.items()}
        self._layout = layout
        self._rule = rule
        self._searcher = Searcher(layout, self.weights, exact=False)
        self._steps = 1

    def learn(self, examples: Sequence[Example], epochs: int, seed: int, watch: Callable[[int, int], None]) -> None:
        """Learn from all examples in each epoch; `watch` gets the epoch and its number of wrong examples."""
        rng = np.random.default_rng(seed)
        for epoch in range(epochs):
            wrong = 0
            for i in rng.permutation(len(examples)):
                wrong += self._look(examples[int(i)])
                self._steps += 1
            watch(epoch, wrong)

    def averaged_weights(self) -> dict[str, Weights]:
        """Return the weights, averaged over all steps."""
        return {kind: w - self._sums[kind] / np.float32(self._steps) for kind, w in self.weights.items()}

    def _look(self, example: Example) -> bool:
        """Learn from an example; say whether it was answered wrongly."""
        scored = self._searcher.score_all(example.encoded, example.chosen, example.ready)
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


# The quadratic program of ZDC (Zhou, Dai and Chen 2015): the least ½‖w‖² + C Σ ξ such that in every problem the right
# candidate leads each wrong one by 1 - ξ, with a ξ ≥ 0 for each pair. A problem has thousands of pairs, so they are
# generated: at first `WRONG` random wrong candidates, then in each round the worst violators, until none is new or
# the training error settles.
# Between rounds the dual is solved by coordinate descent (Hsieh and others 2008): each pair has an α in [0, C], and
# takes the best one while all others stay. Of several right candidates the one scored best counts. ZDC's inner
# cross-validation, which takes five times as long, is left out.


C = 0.01  # largest α of a pair
WRONG = 300  # wrong candidates of a problem that are drawn at first, and that are added in a round at most
ROUNDS = 12  # rounds of adding pairs, at most
PASSES = 12  # over all pairs between two rounds, at most
TOLERANCE = 0.05  # of a margin

SCALE = 64  # of the result: weights are small, and rounded later

Pair = tuple[Place, Place]  # a right and a wrong candidate of a problem


class MarginProgram:
    """Weights that solve the quadratic program."""

    def __init__(self, layout: ColumnLayout, attributes: Mapping[str, int]) -> None:
        shapes = {kind: (attributes[kind], len(layout.columns[kind]) + 1) for kind in KINDS}
        self.weights: dict[str, Weights] = {kind: np.zeros(shape, dtype=np.float32) for kind, shape in shapes.items()}
        self._layout = layout
        self._searcher = Searcher(layout, self.weights, exact=False)

    def learn(self, examples: Sequence[Example], seed: int, watch: Callable[[int, int], None]) -> None:
        """Solve the program; `watch` gets each round and the number of wrong examples before it."""
        rng = np.random.default_rng(seed)
        pairs: list[dict[Pair, float]] = [{} for _ in examples]
        before = len(examples) + 1
        for turn in range(ROUNDS):
            added = wrong = 0
            for example, held in zip(examples, pairs, strict=True):
                new, is_wrong = self._generate_pairs(example, held, rng if turn == 0 else None)
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

    def scaled_weights(self) -> dict[str, Weights]:
        """Return the weights, scaled."""
        return {kind: w * np.float32(SCALE) for kind, w in self.weights.items()}

    def _scored(self, example: Example) -> list[tuple[Candidates, Floats]]:
        """Return the candidates that do not depend on weights: those that need no beam."""
        enumerated = {c.group: c.which for c in example.ready}
        return self._searcher.score_all(example.encoded, enumerated, example.ready)

    def _generate_pairs(
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
        """Improve the α of the pairs of an example; return by how much the worst margin was off."""
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
    """Return how far a margin is off, given the α of its pair."""
    if margin < 1:
        return 1 - margin if alpha < C else 0.0
    return margin - 1 if alpha > 0 else 0.0
