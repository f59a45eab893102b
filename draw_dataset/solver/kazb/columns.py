"""The templates as arrays: which columns of weights each slot and each two slots look up, and their equations.

All templates are searched at once, so the arrays have one row a template and are padded: slots by the greatest number
of slots, columns by one filler after the last column, which weighs nothing. Templates that cannot be solved by Cramer's
rule (other than one to three unknowns, or not as many equations) are never candidates.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from draw_dataset.solver.arrangements import Indices
from draw_dataset.solver.inventory import Inventory
from draw_dataset.solver.kazb.signatures import SlotPlan, plan_of
from draw_dataset.solver.layout import Vocabulary, padded
from draw_dataset.solver.solutions import Floats

MAX_UNKNOWNS = 3

SOLUTION_ATTRIBUTES = ("positive", "whole", "positive and whole")
"""What is seen in a solution: of all its values."""


class Columns:
    """The templates of an inventory as arrays.

    Attributes:
        plans: the slots of each template.
        usable: whether a template can be a candidate.
        nouns: how many occurrences of unknowns each template has.
        numbers: how many number slots.
        slots: how many slots the longest has.
        single, constant, pair, parallel: the names of the columns of each kind.
        slot_columns: by template and slot.
        constant_columns: by template and slot.
        pair_ids: by template, earlier and later slot: the row of `pair_columns`; the last row is for no pair.
        pair_columns: the columns of each two slots of each template.
        unknown_at: by template and slot, the unknown that a slot is an occurrence of; -1 for number slots.
        all_pairs: by template, its pairs of slots: (earlier, later, row of `pair_columns`).
        compared: by template, pairs of slots of which an unknown is one: (earlier, later, row of `pair_columns`).
        parallels: by template, occurrence and number of two terms.
        parallel_columns: by template, their columns.
        term_places: by template and term, the place in a matrix of equations by unknowns and right-hand side.
        term_coefficients: by template and term.
        term_slots: by template and term, the number slots that are multiplied; the slot after the last counts as 1.
        empty_systems: by template, the matrix before the terms are added.
    """

    def __init__(self, inventory: Inventory) -> None:
        self.plans: tuple[SlotPlan, ...] = tuple(plan_of(c.template, c.slots) for c in inventory.classes)
        systems = [c.template.system for c in inventory.classes]
        self.usable = np.array([1 <= s.unknown_count == len(s.rows) <= MAX_UNKNOWNS for s in systems], dtype=bool)
        self.nouns = np.array([len(plan.unknowns) for plan in self.plans], dtype=np.int64)
        self.numbers = np.array([len(plan.numbers) for plan in self.plans], dtype=np.int64)
        self.slots = int((self.nouns + self.numbers).max(initial=1))
        self.single, self.constant, self.pair, self.parallel = (Vocabulary() for _ in range(4))
        self.slot_columns = self._by_slot([plan.names for plan in self.plans], self.single)
        self.constant_columns = self._by_slot([plan.constants for plan in self.plans], self.constant)
        self._add_pairs()
        self.unknown_at = np.full((len(self.plans), self.slots), -1, dtype=np.int64)
        for t, plan in enumerate(self.plans):
            self.unknown_at[t, : len(plan.unknowns)] = plan.unknowns
        self._add_parallels()
        self._add_terms([system.unknown_count for system in systems])

    def __len__(self) -> int:
        return len(self.plans)

    def shapes(self, document: int, single: int, constant: int, pair: int) -> dict[str, tuple[int, int]]:
        """Return the shape of each table of weights, given how many attributes of each kind there are."""
        return {
            "document": (document, len(self)),
            "single": (single, len(self.single)),
            "constant": (constant, len(self.constant)),
            "pair": (pair, len(self.pair)),
            "parallel": (1, len(self.parallel)),
            "solution": (len(SOLUTION_ATTRIBUTES), 1),
        }

    def _by_slot(self, lists: Sequence[Sequence[Sequence[str]]], names: Vocabulary) -> Indices:
        numbered = [[[names.add(name) for name in slot] for slot in slots] for slots in lists]
        flat = [slots[s] if s < len(slots) else [] for slots in numbered for s in range(self.slots)]
        found = padded(flat, len(names))
        return found.reshape(len(lists), self.slots, found.shape[1])

    def _add_pairs(self) -> None:
        lists: list[list[int]] = []
        ids = np.full((len(self.plans), self.slots, self.slots), -1, dtype=np.int64)
        compared: list[list[tuple[int, int, int]]] = []
        for t, plan in enumerate(self.plans):
            compared.append([])
            for (i, j), names in plan.pairs.items():
                ids[t, i, j] = len(lists)
                lists.append([self.pair.add(name) for name in names])
                known = len(plan.unknowns)
                if i < known and not (j < known and plan.unknowns[i] == plan.unknowns[j]):
                    compared[-1].append((i, j, int(ids[t, i, j])))
        ids[ids < 0] = len(lists)
        self.pair_ids = ids
        self.pair_columns = padded([*lists, []], len(self.pair))
        width = max([len(found) for found in compared], default=0)
        filler = (0, 0, len(lists))
        self.compared = np.array(
            [[*found, *[filler] * (width - len(found))] for found in compared], dtype=np.int64
        ).reshape(len(self.plans), width, 3)
        listed = [[(i, j, int(ids[t, i, j])) for i, j in plan.pairs] for t, plan in enumerate(self.plans)]
        width = max([len(found) for found in listed], default=0)
        self.all_pairs = np.array(
            [[*found, *[filler] * (width - len(found))] for found in listed], dtype=np.int64
        ).reshape(len(self.plans), width, 3)

    def _add_parallels(self) -> None:
        width = max([len(plan.parallels) for plan in self.plans], default=0)
        numbered = [[self.parallel.add(name) for name in plan.parallel_names] for plan in self.plans]
        self.parallel_columns = np.full((len(self.plans), width), len(self.parallel), dtype=np.int64)
        self.parallels = np.zeros((len(self.plans), width, 4), dtype=np.int64)
        for t, plan in enumerate(self.plans):
            count = len(plan.parallels)
            self.parallel_columns[t, :count] = numbered[t]
            self.parallels[t, :count] = np.array(plan.parallels, dtype=np.int64).reshape(count, 4)

    def _add_terms(self, unknown_counts: Sequence[int]) -> None:
        count = len(self.plans)
        width = max([len(plan.terms) for plan in self.plans], default=0)
        depth = max([len(members) for plan in self.plans for *_, members in plan.terms], default=0)
        self.term_places: npt.NDArray[np.int64] = np.zeros((count, width), dtype=np.int64)
        self.term_coefficients: Floats = np.zeros((count, width))
        self.term_slots: npt.NDArray[np.int64] = np.full((count, width, depth), self.slots, dtype=np.int64)
        self.empty_systems: Floats = np.zeros((count, MAX_UNKNOWNS, MAX_UNKNOWNS + 1))
        for t, plan in enumerate(self.plans):
            if not self.usable[t]:
                continue
            for q, (e, unknown, coefficient, members) in enumerate(plan.terms):
                column = MAX_UNKNOWNS if unknown is None else unknown
                self.term_places[t, q] = e * (MAX_UNKNOWNS + 1) + column
                self.term_coefficients[t, q] = coefficient
                self.term_slots[t, q, : len(members)] = members
            for missing in range(unknown_counts[t], MAX_UNKNOWNS):
                self.empty_systems[t, missing, missing] = 1.0
