"""Beam search for the best derivations of a text, over all templates at once.

Slots are filled in a fixed order, occurrences of unknowns first, then numbers. After each slot but the first, the best
partial derivations are kept: so many in all, and so many of one template. For training the beam also runs *held*: a
template with given numbers and open nouns. Both run together, but held derivations only compete with each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from draw_dataset.solver.arrays import SINGULAR_BELOW, Floats, cramer
from draw_dataset.solver.kazb.encoding import MAX_UNKNOWNS, Columns, EncodedReading, Integers, Scores, ScoreTables

# Completions: solutions, comparisons of unknowns, and parallel products. All but the last depend on template and
# numbers alone, so each is solved once a text and cached; training looks at it again and again.


Flags = npt.NDArray[np.bool_]
Keys = npt.NDArray[np.uint64]

_NEAR = 1e-6


class Solved(NamedTuple):
    """Templates with their numbers, solved."""

    templates: Integers  # the template of each
    solvable: Flags  # whether its system has exactly one solution
    solutions: Floats  # the values of the unknowns, padded by zeros
    compared: npt.NDArray[np.int8]  # how the two slots of each row of `Columns.compared` compare
    seen: Flags  # which attributes the solution has

    def scores(self, columns: Columns, tables: ScoreTables) -> Scores:
        """Return the score of each; minus infinity for those that cannot be solved."""
        found = tables.comparisons[self.compared, columns.compared[self.templates, :, 2]].sum(axis=1)
        found += self.seen @ tables.solution
        found[~self.solvable] = -np.inf
        return np.asarray(found)


def solve(columns: Columns, encoded: EncodedReading, templates: Integers, filled: Integers) -> Solved:
    """Solve templates with their numbers."""
    every = np.arange(len(templates))[:, None]
    numbers = np.append(np.zeros(encoded.nouns), encoded.values)
    values = np.ones((len(templates), columns.slots + 1))
    values[:, :-1] = numbers[filled]
    terms = columns.term_coefficients[templates]
    slots = columns.term_slots[templates]
    for depth in range(slots.shape[2]):
        terms = terms * values[every, slots[:, :, depth]]
    size = MAX_UNKNOWNS * (MAX_UNKNOWNS + 1)
    places = every * size + columns.term_places[templates]
    matrix = np.bincount(places.ravel(), terms.ravel(), minlength=len(templates) * size)
    system = matrix.reshape(len(templates), MAX_UNKNOWNS, MAX_UNKNOWNS + 1) + columns.empty_systems[templates]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        determinant, numerators = cramer(system[:, :, :, None])
        scale = np.abs(system[:, :, :MAX_UNKNOWNS]).max(axis=2).prod(axis=1)
        solvable = np.abs(determinant[:, 0]) > SINGULAR_BELOW * scale
        solutions = np.where(solvable, numerators[:, :, 0] / determinant[:, 0], 0.0).T
    unknown = columns.unknown_at[templates]
    values[:, :-1] = np.where(unknown >= 0, solutions[every, np.maximum(unknown, 0)], values[:, :-1])
    first, second = (values[every, columns.compared[templates, :, i]] for i in (0, 1))
    close = np.abs(first - second) <= _NEAR * np.maximum(np.abs(first), 1.0)
    there = np.arange(MAX_UNKNOWNS) <= unknown.max(axis=1, keepdims=True, initial=0)
    positive = ((solutions > 0) | ~there).all(axis=1)
    whole = (np.abs(solutions - np.rint(solutions)) <= _NEAR * np.maximum(np.abs(solutions), 1.0)).all(axis=1)
    return Solved(
        templates=templates,
        solvable=solvable,
        solutions=solutions,
        compared=np.where(close, 2, np.where(first > second, 0, 1)).astype(np.int8),
        seen=np.stack([positive, whole, positive & whole], axis=1),
    )


class Completions:
    """The completions of one text that were met so far."""

    def __init__(self, columns: Columns, encoded: EncodedReading) -> None:
        self._columns, self._encoded = columns, encoded
        drawn = np.random.default_rng(0).integers(1, 2**63, size=columns.slots + 1, dtype=np.uint64)
        self._factors = drawn | np.uint64(1)
        self._keys: Keys = np.zeros(0, dtype=np.uint64)
        self._solved = solve(columns, encoded, np.zeros(0, np.int64), np.zeros((0, columns.slots), np.int64))

    def keys(self, templates: Integers, filled: Integers, nouns: bool = False) -> Keys:
        """Return a number for each template with its numbers, and with its nouns if these are to count.

        Two different ones share a number as rarely as 64 random bits are equal by chance.
        """
        least = 0 if nouns else self._encoded.nouns - 1
        parts = np.maximum(filled - least, 0).astype(np.uint64) * self._factors[:-1]
        return np.asarray(parts.sum(axis=1) + templates.astype(np.uint64) * self._factors[-1])

    def find(self, templates: Integers, filled: Integers) -> tuple[Solved, Integers]:
        """Return all completions, and which of them each complete derivation has."""
        keys = self.keys(templates, filled)
        if not len(self._keys):
            self._add(keys, templates, filled)
        at = np.minimum(np.searchsorted(self._keys, keys), max(len(self._keys) - 1, 0))
        missing = self._keys[at] != keys if len(keys) else np.zeros(0, dtype=bool)
        if missing.any():
            self._add(keys[missing], templates[missing], filled[missing])
            at = np.searchsorted(self._keys, keys)
        return self._solved, at

    def _add(self, keys: Keys, templates: Integers, filled: Integers) -> None:
        new, first = np.unique(keys, return_index=True)
        solved = solve(self._columns, self._encoded, templates[first], filled[first])
        both = np.concatenate([self._keys, new])
        order = np.argsort(both)
        self._keys = both[order]
        pairs: Any = zip(self._solved, solved, strict=True)  # field by field
        self._solved = Solved(*(np.concatenate(both)[order] for both in pairs))

    def parallel(self, templates: Integers, filled: Integers) -> Flags:
        """Decide whether the two terms of each row of `Columns.parallels` are joined alike."""
        width = self._columns.parallels.shape[1]
        slots = self._columns.parallels[templates].reshape(len(templates), 4 * width)
        items = filled[np.arange(len(templates))[:, None], slots].reshape(len(templates), width, 4)
        one = self._encoded.relations[items[:, :, 0], items[:, :, 1]]
        other = self._encoded.relations[items[:, :, 2], items[:, :, 3]]
        return np.asarray((one == other) & (one > 0))


# Training options.


# The families of features that the paper leaves out in turn, and the tables of weights of each
FAMILIES = {
    "document": ("document",),
    "single": ("single", "constant"),
    "pair": ("pair", "parallel"),
    "solution": ("solution",),
}

TABLES = tuple(table for tables in FAMILIES.values() for table in tables)  # the tables of weights


@dataclass(frozen=True, slots=True)
class KazbOptions:
    """How a model is trained; by default as in the paper."""

    penalty: float = 0.1  # by which the sum of the squares of the weights is multiplied (the paper's lambda)
    iterations: int = 50  # steps of L-BFGS, at most
    width: int = 200  # derivations that the beam keeps in all (the paper's k)
    share: int = 20  # derivations that it keeps of one template (the paper's l)
    without: frozenset[str] = frozenset()  # the families of features that are left out, of `FAMILIES`

    @property
    def unused(self) -> tuple[str, ...]:
        """The tables of weights that stay zero."""
        return tuple(kind for family in sorted(self.without) for kind in FAMILIES[family])


Constraint = tuple[
    int, tuple[int, ...]
]  # a template and the number in each of its number slots, in the order of its plan


# States after the first slot that are all kept; only a text far longer than those of the release has more
MAX_UNPRUNED = 20_000

_ENOUGH = 4  # how many times the width of the beam is sorted at first, where there are twice as many


@dataclass(frozen=True, slots=True)
class Found:
    """Complete derivations."""

    templates: Integers  # the template of each
    filled: Integers  # the item in each slot of each
    held: Flags  # whether it was held to given numbers
    scores: Scores  # the score of each


@dataclass(frozen=True, slots=True)
class _States:
    """Partial derivations: which entry of the beam each belongs to, the items in its slots, its score."""

    entries: Integers
    filled: Integers
    scores: Scores


class Beam:
    """The search for the derivations of one text."""

    def __init__(
        self,
        columns: Columns,
        encoded: EncodedReading,
        tables: ScoreTables,
        completions: Completions,
        options: KazbOptions,
        held: tuple[Constraint, ...] = (),
    ) -> None:
        self._columns, self._encoded, self._tables, self._completions = columns, encoded, tables, completions
        self._width, self._share = options.width, options.share
        free = np.flatnonzero(columns.usable & (columns.numbers <= len(encoded.values)))
        self._free = len(free)
        self._templates: Integers = np.concatenate([free, np.array([t for t, _ in held], dtype=np.int64)])
        self._slots = tables.slots[self._templates]
        for entry, (template, numbers) in enumerate(held, start=self._free):
            first = columns.nouns[template]
            allowed = np.full((len(numbers), encoded.items), -np.inf)
            allowed[np.arange(len(numbers)), encoded.nouns + np.array(numbers, dtype=np.int64)] = 0
            self._slots[entry, first : first + len(numbers)] += allowed
        self._nouns, self._numbers = columns.nouns[self._templates], columns.numbers[self._templates]
        self._pairs = tables.pairs.ravel()
        self._completion_scores: Scores = np.zeros(0)
        self._looks = encoded.looks * tables.pairs.shape[1]

    def run(self) -> Found:
        """Return the best complete derivations."""
        states = _States(
            np.arange(len(self._templates)),
            np.zeros((len(self._templates), self._columns.slots), dtype=np.int64),
            self._tables.document[self._templates],
        )
        nouns, items = self._encoded.nouns, self._encoded.items
        for step in range(int(self._nouns.max(initial=0))):
            states = self._step(states, step, (0, nouns), numbers=False)
        without = np.flatnonzero(self._numbers[states.entries] == 0)
        states.scores[without] += self._score_completions(states.entries[without], states.filled[without])
        for step in range(int(self._numbers.max(initial=0))):
            states = self._step(states, step, (nouns, items), numbers=True)
        done = np.flatnonzero(np.isfinite(states.scores))
        entries = states.entries[done]
        return Found(self._templates[entries], states.filled[done], entries >= self._free, states.scores[done])

    def _step(self, states: _States, step: int, items: tuple[int, int], numbers: bool) -> _States:
        """Fill the next open slot (number `step` of its kind) of each state by a range of items, and keep the best."""
        counts = (self._numbers if numbers else self._nouns)[states.entries]
        open_, waiting = np.flatnonzero(counts > step), np.flatnonzero(counts <= step)
        entries, filled = states.entries[open_], states.filled[open_]
        slots = self._nouns[entries] + step if numbers else np.full(len(entries), step)
        grown = self._expand(states.scores[open_], entries, filled, slots, items, numbers)
        first, count = items[0], items[1] - items[0]
        if numbers:
            last = np.flatnonzero((self._numbers[entries] == step + 1)[:, None] & np.isfinite(grown))
            at, item = np.divmod(last, count)
            complete = filled[at]
            complete[np.arange(len(last)), slots[at]] = first + item
            grown.ravel()[last] += self._score_completions(entries[at], complete)
        all_entries = np.concatenate([states.entries[waiting], np.repeat(entries, count)])
        all_scores = np.concatenate([states.scores[waiting], grown.ravel()])
        pruned = numbers or step or len(all_entries) > MAX_UNPRUNED
        kept = self._prune(all_entries, all_scores) if pruned else np.arange(len(all_entries))
        old, new = kept[kept < len(waiting)], kept[kept >= len(waiting)] - len(waiting)
        at, item = np.divmod(new, max(count, 1))
        made = filled[at]
        made[np.arange(len(new)), slots[at]] = first + item
        order = np.concatenate([old, len(waiting) + new])
        return _States(all_entries[order], np.concatenate([states.filled[waiting[old]], made]), all_scores[order])

    def _expand(
        self,
        scores: Scores,
        entries: Integers,
        filled: Integers,
        slots: Integers,
        items: tuple[int, int],
        numbers: bool,
    ) -> Scores:
        """Return the score of each state with each item in its next slot."""
        first, end = items
        grown = scores[:, None] + self._slots[entries, slots, first:end]
        templates = self._templates[entries]
        looks = self._looks[:, first:end]
        for earlier in range(int(slots.max(initial=0))):
            pairs = self._columns.pair_ids[templates, earlier, slots]
            grown += self._pairs.take(pairs[:, None] + looks[filled[:, earlier]])
            if numbers:
                used = np.flatnonzero((earlier >= self._nouns[entries]) & (earlier < slots))
                grown[used, filled[used, earlier] - first] = -np.inf
        return grown

    def _score_completions(self, entries: Integers, filled: Integers) -> Scores:
        """Return the scores of complete derivations beyond those of their parts; minus infinity if unsolvable."""
        templates = self._templates[entries]
        solved, at = self._completions.find(templates, filled)
        if len(self._completion_scores) != len(solved.templates):  # new ones were met
            self._completion_scores = solved.scores(self._columns, self._tables)
        found = self._completion_scores[at]
        joined = self._completions.parallel(templates, filled)
        if joined.any():
            columns = self._columns.parallel_columns[templates]
            found += np.where(joined, self._tables.parallel[columns], 0).sum(axis=1)
        return np.asarray(found)

    def _prune(self, entries: Integers, scores: Scores) -> Integers:
        """Return the best states: a share of each entry, and a width each of the free and of the held ones."""
        some = _ENOUGH * self._width
        if len(scores) > 2 * some:
            # Mostly the best some have enough of different templates; then the others need no sorting.
            worse = -scores
            best = np.flatnonzero((worse <= np.partition(worse, some)[some]) | (entries >= self._free))
            free, held = self._best_states(entries, scores, best)
            if len(free) == self._width:
                return np.concatenate([free, held])
        return np.concatenate(self._best_states(entries, scores, np.flatnonzero(np.isfinite(scores))))

    def _best_states(self, entries: Integers, scores: Scores, among: Integers) -> tuple[Integers, Integers]:
        """Return the best free and the best held of some states, of each entry its share and no more than the width."""
        among = among[np.argsort(-scores[among])]
        own = entries[among]
        by_entry = np.argsort(own.astype(np.int16), kind="stable")  # sorted by radix, which is fast
        counts = np.bincount(own, minlength=len(self._templates))
        ranks = np.arange(len(own)) - np.repeat(np.cumsum(counts) - counts, counts)
        kept = np.sort(by_entry[ranks < self._share])
        is_held = own[kept] >= self._free
        return among[kept[~is_held][: self._width]], among[kept[is_held][: self._width]]
