"""Templates and texts as arrays: which weights each template and each text looks up.

Templates with the same number of slots have the same ways to be filled; they form a *group* and are scored together.
For each template of a group the layout holds the columns of its text, slot, pair and solution features; for each text
the *encoded text* holds the rows. The score of a number in a slot is then a sum of table entries. There is a table of
weights for each kind of features, attributes by columns; names become numbers once, by a *vocabulary*.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from draw_dataset.solver.arrangements import Indices
from draw_dataset.solver.features import KINDS, FeatureSet
from draw_dataset.solver.inventory import Inventory
from draw_dataset.solver.solutions import CODE_COUNT, SystemSolver, unpack
from draw_dataset.solver.tagged_text import TaggedText
from draw_dataset.solver.template_structure import Permutation, TemplateStructure

Weights = npt.NDArray[np.float32]
"""A table of weights: attributes by columns; the last column is a filler and stays zero."""


class Vocabulary:
    """Numbers names from 0; a name that was not there when it was closed has no number."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.number = {name: i for i, name in enumerate(names)}

    def add(self, name: str) -> int:
        """Return the number of a name, a new one if need be."""
        return self.number.setdefault(name, len(self.number))

    def known(self, names: Iterable[str]) -> list[int]:
        """Return the numbers of those names that have one."""
        number = self.number
        return [number[name] for name in names if name in number]

    @property
    def names(self) -> list[str]:
        """The names in the order of their numbers."""
        return list(self.number)

    def __len__(self) -> int:
        return len(self.number)


@dataclass(frozen=True, slots=True)
class Group:
    """Templates with the same number of slots.

    Attributes:
        members: their places in the inventory, ascending.
        slot_count: how many slots each has.
        automorphisms: the symmetries of each.
        text_columns: columns by template.
        slot_columns: columns by template and slot.
        pair_columns: columns by template and pair of slots; those of the pair reversed are counted on from all columns.
        solution_columns: columns by template.
        solver: solves their systems.
    """

    members: Indices
    slot_count: int
    automorphisms: tuple[tuple[Permutation, ...], ...]
    text_columns: Indices
    slot_columns: Indices
    pair_columns: Indices
    solution_columns: Indices
    solver: SystemSolver


class ColumnLayout:
    """The columns of all templates of an inventory.

    Attributes:
        columns: the names of the columns of each kind.
        groups: the templates by the ways they are filled.
        place: for each template of the inventory, its group and its place in it.
        solution_rows: the attributes of each code of a solution, as a matrix of zeros and ones.
        solution_attributes: their names.
    """

    def __init__(self, inventory: Inventory, features: FeatureSet) -> None:
        self.columns = {kind: Vocabulary() for kind in KINDS}
        named = [_Columns(c.structure, features) for c in inventory.classes]
        for one in named:
            for kind, names in one.names():
                self.columns[kind].add(names)
        sets: dict[int, list[int]] = {}
        for i, c in enumerate(inventory.classes):
            sets.setdefault(c.structure.slot_count, []).append(i)
        self.groups = tuple(self._group(inventory, named, slots, members) for slots, members in sorted(sets.items()))
        self.place = {int(m): (g, t) for g, group in enumerate(self.groups) for t, m in enumerate(group.members)}
        self.solution_attributes = Vocabulary()
        coded = [
            [self.solution_attributes.add(a) for a in features.solution_attributes(unpack(c))]
            for c in range(CODE_COUNT)
        ]
        self.solution_rows = np.zeros((CODE_COUNT, len(self.solution_attributes)), dtype=np.float32)
        for code, attributes in enumerate(coded):
            self.solution_rows[code, attributes] = 1

    def _group(self, inventory: Inventory, named: list[_Columns], slot_count: int, members: list[int]) -> Group:
        pairs = slot_count * (slot_count - 1) // 2
        filler = {kind: len(names) for kind, names in self.columns.items()}

        def array(kind: str, lists: list[list[str]], *shape: int) -> Indices:
            found = padded([self.columns[kind].known(names) for names in lists], filler[kind])
            return found.reshape(len(members), *shape, found.shape[1])

        return Group(
            members=np.array(members, dtype=np.int32),
            slot_count=slot_count,
            automorphisms=tuple(inventory.classes[m].structure.automorphisms for m in members),
            text_columns=array("text", [named[m].text for m in members]),
            slot_columns=array("number", [names for m in members for names in named[m].slots], slot_count),
            pair_columns=self._pair_columns([names for m in members for names in named[m].pairs], len(members), pairs),
            solution_columns=array("solution", [named[m].solution for m in members]),
            solver=SystemSolver([inventory.classes[m] for m in members]),
        )

    def _pair_columns(self, lists: list[list[str]], members: int, pairs: int) -> Indices:
        """Return the columns of pairs, given for each pair forth and back in turn."""
        width = len(self.columns["pair"]) + 1
        found = padded([self.columns["pair"].known(names) for names in lists], width - 1)
        both = found.reshape(members, pairs, 2, found.shape[1]) + np.array([0, width], dtype=np.int32)[:, None]
        return both.reshape(members, pairs, 2 * found.shape[1])


class _Columns:
    """The names of the columns of one template."""

    def __init__(self, structure: TemplateStructure, features: FeatureSet) -> None:
        slots = range(structure.slot_count)
        self.text = features.text_columns(structure)
        self.slots = [features.slot_columns(structure, slot) for slot in slots]
        self.pairs = [
            features.pair_columns(structure, *ordered)
            for i, j in combinations(slots, 2)
            for ordered in ((i, j), (j, i))
        ]
        self.solution = features.solution_columns(structure)

    def names(self) -> list[tuple[str, str]]:
        lists = (("text", [self.text]), ("number", self.slots), ("pair", self.pairs), ("solution", [self.solution]))
        return [(kind, name) for kind, listed in lists for names in listed for name in names]


@dataclass(frozen=True, slots=True)
class EncodedText:
    """A text as rows of the weight tables.

    Attributes:
        count: how many numbers it has.
        values: their values.
        text_rows: the rows of what is seen in the text.
        number_rows: the rows of what is seen at any number ...
        number_seen: ... and at which: numbers by rows, zeros and ones.
        pair_rows: the rows of what is seen between any two numbers ...
        pair_seen: ... and between which: ordered pairs by rows.
    """

    count: int
    values: npt.NDArray[np.float64]
    text_rows: Indices
    number_rows: Indices
    number_seen: npt.NDArray[np.float32]
    pair_rows: Indices
    pair_seen: npt.NDArray[np.float32]


def attributes_of(text: TaggedText, features: FeatureSet) -> dict[str, list[list[str]]]:
    """Return what is seen in a text, by kind: once for the text, for each number, and for each ordered pair."""
    count = len(text.numbers)
    pairs = features.pair_attributes(text)
    return {
        "text": [features.text_attributes(text)],
        "number": features.number_attributes(text),
        "pair": [pairs.get((i, j), []) for i in range(count) for j in range(count)],
    }


def encode_text(
    text: TaggedText, seen: dict[str, list[list[str]]], attributes: Mapping[str, Vocabulary]
) -> EncodedText:
    """Return a text as rows of the weight tables; what was not seen in training has no row."""
    number_rows, number_seen = _incidence(seen["number"], attributes["number"])
    pair_rows, pair_seen = _incidence(seen["pair"], attributes["pair"])
    return EncodedText(
        count=len(text.numbers),
        values=np.array([float(value) for value in text.values]),
        text_rows=np.array(sorted(attributes["text"].known(seen["text"][0])), dtype=np.int32),
        number_rows=number_rows,
        number_seen=number_seen,
        pair_rows=pair_rows,
        pair_seen=pair_seen,
    )


def _incidence(lists: list[list[str]], names: Vocabulary) -> tuple[Indices, npt.NDArray[np.float32]]:
    known = [names.known(listed) for listed in lists]
    rows = sorted({row for listed in known for row in listed})
    at = {row: i for i, row in enumerate(rows)}
    seen = np.zeros((len(lists), len(rows)), dtype=np.float32)
    for i, listed in enumerate(known):
        seen[i, [at[row] for row in listed]] = 1
    return np.array(rows, dtype=np.int32), seen


def padded(lists: Sequence[Sequence[int]], filler: int) -> Indices:
    """Return lists of numbers as one array, short ones filled up.

    >>> padded([[1, 2], [3]], 9).tolist()
    [[1, 2], [3, 9]]
    """
    width = max([len(listed) for listed in lists], default=0)
    return np.array([[*listed, *[filler] * (width - len(listed))] for listed in lists], dtype=np.int32).reshape(
        len(lists), width
    )
