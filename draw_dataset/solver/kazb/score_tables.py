"""What the parts of a derivation are scored: tables that are made once a text.

The score of a derivation is what the text gives its template, each item its slot, and each two items their two slots.
What complete derivations add is the matter of `endings`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from draw_dataset.solver.kazb.columns import Columns
from draw_dataset.solver.kazb.encoding import EncodedReading
from draw_dataset.solver.kazb.readings import COMPARISONS
from draw_dataset.solver.solutions import Floats

Scores = npt.NDArray[np.floating[Any]]
Integers = npt.NDArray[np.int64]
Weights = Mapping[str, npt.NDArray[np.float32]]

TIE = 1e-6
"""How much chance weighs where scores are equal: less than any feature."""

_TIE_ITEMS = 61


@dataclass(frozen=True, slots=True)
class ScoreTables:
    """What the parts of a text give to the templates.

    Attributes:
        document: by template.
        slots: by template, slot and item; minus infinity where an item cannot fill a slot.
        pairs: by look and two slots (a row of `Columns.pair_columns`).
        comparisons: by comparison and two slots.
        parallel: by column; the last is the filler.
        solution: by attribute of the solution.
    """

    document: Scores
    slots: Scores
    pairs: Scores
    comparisons: Scores
    parallel: Scores
    solution: Scores


def chances(columns: Columns, seed: int) -> Floats:
    """Return what breaks ties: a small random number for each template, slot and item."""
    return TIE * np.random.default_rng(seed).random((len(columns), columns.slots, _TIE_ITEMS))


def score_tables(
    columns: Columns, weights: Weights, encoded: EncodedReading, ties: Floats, precision: type[np.floating[Any]]
) -> ScoreTables:
    """Return what a text gives to the templates."""
    single = _summed(encoded.singles.gathered(weights["single"], precision), columns.slot_columns)
    constant = _summed(encoded.constants.gathered(weights["constant"], precision), columns.constant_columns)
    slots = np.moveaxis(single[encoded.single_of] + constant[encoded.constant_of], 0, 2).copy()
    slots += ties[:, :, np.arange(encoded.items) % _TIE_ITEMS].astype(precision)
    for_nouns = np.arange(columns.slots) < columns.nouns[:, None]
    is_noun = np.arange(encoded.items) < encoded.nouns
    slots[for_nouns[:, :, None] != is_noun] = -np.inf
    compared = np.zeros((len(COMPARISONS), len(columns.pair) + 1), dtype=precision)
    compared[:, :-1] = weights["pair"][-len(COMPARISONS) :]
    return ScoreTables(
        document=weights["document"][encoded.document_rows].astype(precision).sum(axis=0),
        slots=slots,
        pairs=_summed(encoded.pairs.gathered(weights["pair"], precision), columns.pair_columns),
        comparisons=_summed(compared, columns.pair_columns),
        parallel=np.append(weights["parallel"][0].astype(precision), precision(0)),
        solution=weights["solution"][:, 0].astype(precision),
    )


def _summed(table: Scores, columns: npt.NDArray[np.int32]) -> Scores:
    """Return the sums of columns of a table, for each row of it; the last axis of `columns` is summed over."""
    found = np.zeros((len(table), *columns.shape[:-1]), dtype=table.dtype)
    for each in range(columns.shape[-1]):
        found += table[:, columns[..., each]]
    return found
