"""How a model of this system is read from a file, without believing anything in it.

Its weights are tables as those of other systems (see `saved_parts`). A model is good for the version of the features
that it was saved with, and for no other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from draw_dataset.errors import ModelError, shown
from draw_dataset.solver.array_archive import Arrays
from draw_dataset.solver.kazb.columns import Columns
from draw_dataset.solver.kazb.encoding import ATTRIBUTE_KINDS
from draw_dataset.solver.kazb.model import VERSION, KazbModel
from draw_dataset.solver.kazb.options import TABLES, KazbOptions
from draw_dataset.solver.kazb.readings import COMPARISONS, Nouns
from draw_dataset.solver.layout import Vocabulary
from draw_dataset.solver.model_file import MAX_WEIGHTS
from draw_dataset.solver.saved_parts import (
    PLACES,
    VALUES,
    read_inventory,
    read_weights,
    texts,
    typed,
)

MAX_KEPT = 100_000
"""Derivations that a beam may keep."""

ARRAYS = {f"{table} {part}": kind for table in TABLES for part, kind in (("places", PLACES), ("values", VALUES))}
"""The arrays of a model, and their types."""


def read_kazb(about: Mapping[str, Any], arrays: Arrays) -> KazbModel:
    """Return the model that a file holds.

    Raises:
        ModelError: its features are others than those of this version.
        ValueError: something does not fit; KeyError: something is lacking.
    """
    if about.get("features") != VERSION:
        got = shown(about.get("features"))
        raise ModelError(f"expected features of version {VERSION}, but got {got}; train the model again")
    nouns = typed(about["nouns"], str, "nouns")
    if nouns not in get_args(Nouns):
        raise ValueError(f"nouns: {shown(nouns)}")
    seed = typed(about["seed"], int, "seed")
    width, share = (typed(number, int, "beam") for number in typed(about["beam"], list, "beam"))
    if seed < 0 or not (1 <= width <= MAX_KEPT and 1 <= share <= MAX_KEPT):
        raise ValueError(f"seed {shown(seed)}, beam {shown([width, share])}")
    inventory = read_inventory(about)
    columns = Columns(inventory)
    named = typed(about["attributes"], dict, "attributes")
    attributes = {kind: Vocabulary(texts(named[kind], f"attributes of {kind}")) for kind in ATTRIBUTE_KINDS}
    if tuple(attributes["pair"].names[-len(COMPARISONS) :]) != COMPARISONS:
        raise ValueError("the attributes of pairs end otherwise")
    shapes = columns.shapes(*(len(attributes[kind]) for kind in ATTRIBUTE_KINDS))
    if sum(rows * wide for rows, wide in shapes.values()) > MAX_WEIGHTS:
        raise ValueError(f"more than {MAX_WEIGHTS} weights")
    return KazbModel(
        inventory=inventory,
        columns=columns,
        attributes=attributes,
        weights={kind: read_weights(arrays, kind, shape, filler=False) for kind, shape in shapes.items()},
        lexicon=frozenset(texts(about["lexicon"], "lexicon")),
        nouns=nouns,
        seed=seed,
        options=KazbOptions(width=width, share=share),
        signature=typed(about["signature"], str, "signature"),
    )
