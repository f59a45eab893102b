"""The beam: the best derivations of a text, over all templates at once.

Slots are filled in a fixed order, occurrences of unknowns first, then numbers. After each slot the best partial
derivations are kept: so many in all, and so many of one template; after the very first slot all are. A derivation that
is complete waits for the others. For training the same beam also runs *held*: a template with its numbers given, so
that only nouns are open. Both run in one go; what is held competes only with what is held.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from draw_dataset.solver.kazb.columns import Columns
from draw_dataset.solver.kazb.encoding import EncodedReading
from draw_dataset.solver.kazb.endings import Endings, Flags
from draw_dataset.solver.kazb.options import KazbOptions
from draw_dataset.solver.kazb.score_tables import Integers, Scores, ScoreTables

Held = tuple[int, tuple[int, ...]]
"""A template and the number in each of its number slots, in the order of its plan."""


MAX_UNPRUNED = 20_000
"""States after the first slot that are all kept; only a text far longer than those of the release has more."""

_ENOUGH = 4
"""How many times the width of the beam is sorted at first, where there are twice as many."""


@dataclass(frozen=True, slots=True)
class Found:
    """Complete derivations.

    Attributes:
        templates: the template of each.
        filled: the item in each slot of each.
        held: whether it was held to given numbers.
        scores: the score of each.
    """

    templates: Integers
    filled: Integers
    held: Flags
    scores: Scores


@dataclass(frozen=True, slots=True)
class _States:
    """Partial derivations: which entry of the beam each belongs to, the items in its slots, its score."""

    entries: Integers
    filled: Integers
    scores: Scores


class Beam:
    """The search for the derivations of one text.

    Args:
        columns: the templates.
        encoded: the text.
        tables: what it gives to the templates.
        endings: what complete derivations of it show.
        options: how many derivations are kept.
        held: templates with their numbers, which are searched apart.
    """

    def __init__(
        self,
        columns: Columns,
        encoded: EncodedReading,
        tables: ScoreTables,
        endings: Endings,
        options: KazbOptions,
        held: tuple[Held, ...] = (),
    ) -> None:
        self._columns, self._encoded, self._tables, self._endings = columns, encoded, tables, endings
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
        self._ending_scores: Scores = np.zeros(0)
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
        states.scores[without] += self._ended(states.entries[without], states.filled[without])
        for step in range(int(self._numbers.max(initial=0))):
            states = self._step(states, step, (nouns, items), numbers=True)
        done = np.flatnonzero(np.isfinite(states.scores))
        entries = states.entries[done]
        return Found(self._templates[entries], states.filled[done], entries >= self._free, states.scores[done])

    def _step(self, states: _States, step: int, items: tuple[int, int], numbers: bool) -> _States:
        """Fill the next slot of each state that has one, in all ways, and keep the best; the others stay as they are.

        Args:
            states: the states.
            step: which of the occurrences of unknowns, or of the number slots, is filled.
            items: the first item that may fill it, and the one after the last.
            numbers: whether it is a number slot.
        """
        counts = (self._numbers if numbers else self._nouns)[states.entries]
        open_, waiting = np.flatnonzero(counts > step), np.flatnonzero(counts <= step)
        entries, filled = states.entries[open_], states.filled[open_]
        slots = self._nouns[entries] + step if numbers else np.full(len(entries), step)
        grown = self._grown(states.scores[open_], entries, filled, slots, items, numbers)
        first, count = items[0], items[1] - items[0]
        if numbers:
            last = np.flatnonzero((self._numbers[entries] == step + 1)[:, None] & np.isfinite(grown))
            at, item = np.divmod(last, count)
            complete = filled[at]
            complete[np.arange(len(last)), slots[at]] = first + item
            grown.ravel()[last] += self._ended(entries[at], complete)
        all_entries = np.concatenate([states.entries[waiting], np.repeat(entries, count)])
        all_scores = np.concatenate([states.scores[waiting], grown.ravel()])
        pruned = numbers or step or len(all_entries) > MAX_UNPRUNED
        kept = self._kept(all_entries, all_scores) if pruned else np.arange(len(all_entries))
        old, new = kept[kept < len(waiting)], kept[kept >= len(waiting)] - len(waiting)
        at, item = np.divmod(new, max(count, 1))
        made = filled[at]
        made[np.arange(len(new)), slots[at]] = first + item
        order = np.concatenate([old, len(waiting) + new])
        return _States(all_entries[order], np.concatenate([states.filled[waiting[old]], made]), all_scores[order])

    def _grown(
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

    def _ended(self, entries: Integers, filled: Integers) -> Scores:
        """Return what complete derivations are scored on top of their parts; minus infinity if unsolvable."""
        templates = self._templates[entries]
        solved, at = self._endings.find(templates, filled)
        if len(self._ending_scores) != len(solved.templates):  # new ones were met
            self._ending_scores = solved.scores(self._columns, self._tables)
        found = self._ending_scores[at]
        joined = self._endings.parallel(templates, filled)
        if joined.any():
            columns = self._columns.parallel_columns[templates]
            found += np.where(joined, self._tables.parallel[columns], 0).sum(axis=1)
        return np.asarray(found)

    def _kept(self, entries: Integers, scores: Scores) -> Integers:
        """Return the best states: so many of each entry, and so many of all that are free, and of all that are held."""
        some = _ENOUGH * self._width
        if len(scores) > 2 * some:
            # Mostly the best some have enough of different templates; then the others need no sorting.
            worse = -scores
            best = np.flatnonzero((worse <= np.partition(worse, some)[some]) | (entries >= self._free))
            free, held = self._shared(entries, scores, best)
            if len(free) == self._width:
                return np.concatenate([free, held])
        return np.concatenate(self._shared(entries, scores, np.flatnonzero(np.isfinite(scores))))

    def _shared(self, entries: Integers, scores: Scores, among: Integers) -> tuple[Integers, Integers]:
        """Return the best free and the best held of some states, of each entry its share and no more than the width."""
        among = among[np.argsort(-scores[among])]
        own = entries[among]
        by_entry = np.argsort(own.astype(np.int16), kind="stable")  # sorted by radix, which is fast
        counts = np.bincount(own, minlength=len(self._templates))
        ranks = np.arange(len(own)) - np.repeat(np.cumsum(counts) - counts, counts)
        kept = np.sort(by_entry[ranks < self._share])
        is_held = own[kept] >= self._free
        return among[kept[~is_held][: self._width]], among[kept[is_held][: self._width]]
