"""Explanations: which derivations explain the answers to a problem and its variants.

A derivation explains an answer if the answer fits what the derivation gives at the values of that variant. All rivals
are compared with all answers at once, in floating point and with a margin for rounding; those that explain the most are
then decided exactly. The simplest come first: the gold template with other numbers, the fewest first; then derivations
read in the answers; then one step from gold; then templates of the inventory, the most frequent first.

For a variant with a trap there is one more rival for each slot: gold with the trap's number in that slot. On other
variants it is gold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from draw_dataset.core.equivalence import canonical_key
from draw_dataset.variants.columns import column_values, generic_values, gold_rival
from draw_dataset.variants.fields import Puzzle
from draw_dataset.variants.given import Asked, Given, Rounding, asked_of, values_of
from draw_dataset.variants.rivals import Evaluated, Floats, Inventory, Rival
from draw_dataset.variants.steps import one_step_rivals

MOST_FOLLOWED = 300
"""How many rivals of one problem are decided exactly."""

SHOWN = 5
"""How many explanations of one problem are given."""


@dataclass(frozen=True, slots=True)
class Item:
    """An answer to a problem or one of its variants.

    Attributes:
        id: of the row.
        kind: ``original``, or the kind of the variant.
        values: of the fields.
        trap: the number of its trap, if it has one.
        given: the numbers of the answer; None if there are none.
    """

    id: int | str
    kind: str
    values: tuple[Fraction, ...]
    trap: Fraction | None
    given: Given | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """A derivation that explains answers.

    Attributes:
        rival: the derivation.
        trapped: the slot that takes the number of a trap; None if none does.
        fits: for each item, whether it is explained.
    """

    rival: Rival
    trapped: int | None
    fits: tuple[bool, ...]

    @property
    def count(self) -> int:
        """How many answers it explains."""
        return sum(self.fits)


class Explainer:
    """Compares derivations with the answers to one problem.

    Args:
        puzzle: the problem.
        items: the answers, to the original and to variants.

    Raises:
        RowError: what the question asks for cannot be read.
    """

    def __init__(self, puzzle: Puzzle, items: Sequence[Item]) -> None:
        self._puzzle = puzzle
        self._items = items
        # What is asked for may have numbers of the text, which every variant has its own of.
        self._asked = [self._asked_at(item.values) for item in items]
        self._gold = gold_rival(puzzle)
        self._points = [column_values(puzzle, item.values) for item in items]
        generic = generic_values(puzzle, everything=False)
        self._generic = generic, self._asked_at(generic[: len(puzzle.fields)])
        # An answer that gold explains exactly is not explained by a rival that must round.
        exact = self._gold_fits(Rounding.NONE)
        self._rounding = [Rounding.NONE if fits else Rounding.DECIMALS for fits in exact]

    def _asked_at(self, values: Sequence[Fraction]) -> Asked:
        return asked_of(self._puzzle.problem, self._puzzle.number_values(tuple(values)))

    def gold(self) -> tuple[bool, ...]:
        """Say of each item whether gold explains it, which is whether it is right."""
        return self._gold_fits(Rounding.COUNTED)

    def _gold_fits(self, rounding: Rounding) -> tuple[bool, ...]:
        found = []
        for item, point, asked in zip(self._items, self._points, self._asked, strict=True):
            solution = self._gold.solve(point)
            ways = [] if solution is None else asked.of_gold(solution)
            found.append(item.given is not None and any(item.given.fits(wanted, rounding) for wanted in ways))
        return tuple(found)

    def fits(self, rival: Rival, trapped: int | None = None) -> tuple[bool, ...]:
        """Say of each item whether a rival explains it."""
        count = len(rival.template.unknowns)
        found = []
        for item, point, asked, rounding in zip(self._items, self._points, self._asked, self._rounding, strict=True):
            solution = None if item.given is None else self._solution(rival, trapped, item, point)
            found.append(
                solution is not None
                and item.given is not None
                and any(
                    item.given.fits(values_of(forms, order, solution), rounding)
                    for forms, order in asked.selections(count, item.given.text)
                )
            )
        return tuple(found)

    def _solution(
        self, rival: Rival, trapped: int | None, item: Item, point: Sequence[Fraction]
    ) -> tuple[Fraction, ...] | None:
        if trapped is None or item.trap is None:
            return rival.solve(point)
        columns = [*rival.columns]
        columns[trapped] = len(point)
        return replace(rival, columns=tuple(columns)).solve([*point, item.trap])

    def best(self, inventory: Inventory, least: int, read: Sequence[Rival] = ()) -> list[Explanation]:
        """Return the rivals that explain the most answers, simplest first; none if none explains enough.

        A rival that is gold, or differs from it in fixed numbers only, is left out.

        Args:
            inventory: the templates of the rivals.
            least: how many answers a rival must explain to be of interest.
            read: derivations that were read in the answers.
        """
        found: list[Explanation] = []
        most = max(least, 1)
        near: list[Rival] = [*read, *one_step_rivals(self._gold)]
        for rival, expected in chain(((one, len(self._items)) for one in near), self._of_inventory(inventory)):
            if expected < most or (len(found) >= MOST_FOLLOWED and expected == most):
                break  # templates of the inventory are in descending order
            fits = self.fits(rival)
            if sum(fits) >= most and not self._is_gold(rival):
                most = sum(fits)
                found.append(Explanation(self._placed(rival), None, fits))
        found += self._trapped()
        most = max((one.count for one in found), default=0)
        kept = [one for one in found if one.count == most]
        kept.sort(key=lambda one: (one.rival.steps, one.rival.rank, len(str(one.rival.template)), str(one.rival)))
        return kept

    def _of_inventory(self, inventory: Inventory) -> Iterator[tuple[Rival, int]]:
        """Yield the rivals that seem to explain the most, with how many answers each seems to explain."""
        groups: list[tuple[Evaluated, NDArray[np.int64]]] = []
        for evaluated in inventory.evaluate(self._points, self._gold.columns):
            counts: NDArray[np.int64] = np.zeros(evaluated.answers[0].shape[:2], np.int64)
            for item, answers, asked in zip(self._items, evaluated.answers, self._asked, strict=True):
                if item.given is not None:
                    counts += self._seem_to_fit(answers, item.given, asked)
            groups.append((evaluated, counts))
        most = max((int(counts.max(initial=0)) for _, counts in groups), default=0)
        # Gold itself is among them, and some may turn out not to fit, so the next ones are decided as well.
        for wanted in range(most, 0, -1):
            for evaluated, counts in groups:
                for rival in evaluated.rivals(counts == wanted):
                    yield rival, wanted

    def _seem_to_fit(self, answers: Floats, given: Given, asked: Asked) -> NDArray[np.bool_]:
        values = np.array([float(value) for value in given.values])
        room = [
            1e-4 * max(abs(v), 1.0) + (float(s) if s is not None and s < 1 else 0.0)
            for v, s in zip(values, given.steps, strict=True)
        ]
        found: NDArray[np.bool_] = np.zeros(answers.shape[:2], bool)
        with np.errstate(invalid="ignore"):
            for forms, order in asked.selections(answers.shape[-1], given.text):
                if not (given.text or len(forms) == len(values)):
                    continue
                chosen = answers[..., list(order)]
                matrix = np.array([[float(f) for f in form] for form in forms])
                outputs = chosen @ matrix[:, :-1].T + matrix[:, -1]
                close = np.abs(outputs[..., :, None] - values) <= np.array(room)
                fits = close.any(axis=-1).all(axis=-1)
                found |= fits if given.text else fits & close.any(axis=-2).all(axis=-1)
        return found

    def _is_gold(self, rival: Rival) -> bool:
        """Say whether a rival always gives the asked values of gold, so that no variant distinguishes them."""
        point, asked = self._generic
        gold, other = self._gold.solve(point), rival.solve(point)
        if gold is None or other is None:
            return False
        given = [item.given for item in self._items if item.given is not None]
        lengths = {len(one.values) for one in given if not one.text}
        ways = asked.of_gold(gold)
        wanted = [sorted(way) for way in ways if len(way) in lengths]
        if any(one.text for one in given):  # a text may give more than is asked
            wanted.append(sorted(ways[0]))
        selections = asked.selections(len(other), text=False)
        return any(sorted(values_of(forms, order, other)) in wanted for forms, order in selections)

    def _placed(self, rival: Rival) -> Rival:
        """Return a rival with the number of its differences from gold, if it has gold's template."""
        if len(rival.columns) != len(self._gold.columns) or rival.steps <= 2:
            return rival
        if canonical_key(rival.template) != canonical_key(self._gold.template):
            return rival
        differing = sum(a != b for a, b in zip(sorted(rival.columns), sorted(self._gold.columns), strict=True))
        return replace(rival, steps=0 if differing <= 1 else 1)

    def _trapped(self) -> Iterator[Explanation]:
        if any(item.trap is not None for item in self._items):
            for slot in range(len(self._gold.columns)):
                fits = self.fits(self._gold, slot)
                if any(fits):
                    yield Explanation(self._gold, slot, fits)
