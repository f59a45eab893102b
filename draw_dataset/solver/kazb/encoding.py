"""A text as arrays: which rows of weights each of its items, and each two of them, look up.

Many pairs of items look alike, so pairs are numbered by what is seen between them, and every *look* is scored once.
What training has not seen often enough has no row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from draw_dataset.solver.arrangements import Indices
from draw_dataset.solver.kazb.incidence import Incidence
from draw_dataset.solver.kazb.readings import (
    COMPARISONS,
    Reading,
    document_attributes,
    item_lemmas,
    pair_attributes,
    single_attributes,
)
from draw_dataset.solver.layout import Vocabulary
from draw_dataset.solver.solutions import Floats

ATTRIBUTE_KINDS = ("document", "single", "constant", "pair")
"""The kinds of attributes that are learnt from texts."""

Seen = Mapping[str, Sequence[Sequence[str]]]
"""What is seen in a text, by kind: once for the text, for each item (twice), for each ordered pair of items."""


@dataclass(frozen=True, slots=True)
class EncodedReading:
    """A reading as rows of the weight tables.

    Attributes:
        nouns: how many of the items are nouns; the others are numbers.
        values: the values of the numbers.
        document_rows: the rows of what is seen in the text.
        singles: what is seen at items ...
        single_of: ... and at which.
        constants: the lemmas of items ...
        constant_of: ... and which item has which.
        pairs: what is seen between two items, each look once ...
        looks: ... and the look of each two items.
        relations: a number for the verb or preposition between two items; 0 if there is none.
    """

    nouns: int
    values: Floats
    document_rows: Indices
    singles: Incidence
    single_of: npt.NDArray[np.int64]
    constants: Incidence
    constant_of: npt.NDArray[np.int64]
    pairs: Incidence
    looks: npt.NDArray[np.int64]
    relations: npt.NDArray[np.int64]

    @property
    def items(self) -> int:
        """How many items there are."""
        return len(self.looks)


def seen_in(reading: Reading) -> Seen:
    """Return what is seen in a reading."""
    return {
        "document": [document_attributes(reading)],
        "single": single_attributes(reading),
        "constant": [[lemma] if lemma else [] for lemma in item_lemmas(reading)],
        "pair": pair_attributes(reading),
    }


def encode(reading: Reading, seen: Seen, attributes: Mapping[str, Vocabulary]) -> EncodedReading:
    """Return a reading as rows of the weight tables; what was not seen in training has no row."""
    places = reading.places
    count = len(places)
    singles, single_of = Incidence.of(seen["single"], attributes["single"])
    constants, constant_of = Incidence.of(seen["constant"], attributes["constant"])
    pairs, looks = Incidence.of(seen["pair"], attributes["pair"])
    known = Vocabulary([""])
    told = [known.add(reading.relations.get((here, there), "")) for here in places for there in places]
    return EncodedReading(
        nouns=len(reading.nouns),
        values=np.array([float(value) for value in reading.values]),
        document_rows=np.array(sorted(attributes["document"].known(seen["document"][0])), dtype=np.int32),
        singles=singles,
        single_of=single_of,
        constants=constants,
        constant_of=constant_of,
        pairs=pairs,
        looks=looks.reshape(count, count),
        relations=np.array(told, dtype=np.int64).reshape(count, count),
    )


def names_of(seen: Iterable[Seen], kind: str, least: int) -> Vocabulary:
    """Return the names of one kind that are seen in at least so many texts; comparisons are always there, and last."""
    texts: dict[str, int] = {}
    for one in seen:
        for name in dict.fromkeys(name for listed in one[kind] for name in listed):
            texts[name] = texts.get(name, 0) + 1
    kept = [name for name, count in texts.items() if count >= least and name not in COMPARISONS]
    return Vocabulary([*kept, *COMPARISONS] if kind == "pair" else kept)
