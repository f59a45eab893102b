"""What training makes as small as it can: the negative log-likelihood of what is right, and its slope.

A problem's likelihood is the share of its right derivations among all, each weighing by the exponential of its score;
nouns, and numbers where several will do, are summed over. Both sums go over what the beam finds: over all derivations
for the whole, and over those held to the right numbers for the right ones, which count in the whole, too. The slope is
the difference of what features are expected under the two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from draw_dataset.solver.kazb.beam import Beam, Found, Held
from draw_dataset.solver.kazb.columns import Columns
from draw_dataset.solver.kazb.encoding import EncodedReading
from draw_dataset.solver.kazb.endings import Endings, Flags
from draw_dataset.solver.kazb.incidence import Incidence
from draw_dataset.solver.kazb.lbfgs import Vector
from draw_dataset.solver.kazb.options import KazbOptions
from draw_dataset.solver.kazb.readings import COMPARISONS
from draw_dataset.solver.kazb.score_tables import Integers, Weights, score_tables
from draw_dataset.solver.solutions import Floats

NEGLIGIBLE = 1e-5
"""A derivation whose share changes the slope by less than this is passed over."""


@dataclass(frozen=True, slots=True)
class Example:
    """A problem to learn from.

    Attributes:
        encoded: its text.
        endings: what its complete derivations show.
        right: the templates with their numbers that are right.
    """

    encoded: EncodedReading
    endings: Endings
    right: tuple[Held, ...]


class WeightSpace:
    """All weights as one vector, and as one table for each kind.

    Args:
        shapes: the shape of each table.
    """

    def __init__(self, shapes: Mapping[str, tuple[int, int]]) -> None:
        self.shapes = dict(shapes)
        self.size = sum(rows * columns for rows, columns in self.shapes.values())

    def tables(self, vector: Vector) -> dict[str, npt.NDArray[np.float32]]:
        """Return the tables of a vector; they share its memory."""
        found, start = {}, 0
        for kind, (rows, columns) in self.shapes.items():
            found[kind] = vector[start : start + rows * columns].reshape(rows, columns)
            start += rows * columns
        return found


class Likelihood:
    """The negative log-likelihood of examples, with a penalty on large weights.

    Args:
        columns: the templates.
        space: the weights.
        examples: what is learnt from.
        options: how it is trained.
        ties: what breaks ties.
        watch: is told after each example.

    Attributes:
        wrong: how many examples had a wrong derivation as their best when it was last called.
    """

    def __init__(
        self,
        columns: Columns,
        space: WeightSpace,
        examples: Sequence[Example],
        options: KazbOptions,
        ties: Floats,
        watch: Callable[[], None] = lambda: None,
    ) -> None:
        self._columns, self._space, self._examples = columns, space, examples
        self._options, self._ties, self._watch = options, ties, watch
        self.wrong = 0

    def __call__(self, vector: Vector) -> tuple[float, Vector]:
        """Return the value and the slope at a vector of weights."""
        slope = np.asarray(2 * self._options.penalty * vector, dtype=np.float32)
        value = self._options.penalty * float(np.dot(vector, vector))
        weights, slopes = self._space.tables(vector), self._space.tables(slope)
        self.wrong = 0
        for example in self._examples:
            value += self._look(example, weights, slopes)
            self._watch()
        for kind in self._options.unused:
            slopes[kind][:] = 0
        return value, slope

    def _look(self, example: Example, weights: Weights, slopes: Weights) -> float:
        encoded = example.encoded
        tables = score_tables(self._columns, weights, encoded, self._ties, np.float32)
        found = Beam(self._columns, encoded, tables, example.endings, self._options, example.right).run()
        right = found.held | _among(self._columns, encoded, found, example.right)
        _, kept = np.unique(example.endings.keys(found.templates, found.filled, nouns=True), return_index=True)
        scores, right = found.scores[kept].astype(np.float64), right[kept]
        if not right.any():
            return 0.0
        self.wrong += not right[scores.argmax()]
        shares = np.exp(scores - scores.max())
        whole, part = float(shares.sum()), float(shares[right].sum())
        amounts = shares / whole - np.where(right, shares / part, 0.0)
        touched = np.abs(amounts) > NEGLIGIBLE
        self._add(example, found, kept[touched], amounts[touched], slopes)
        return float(np.log(whole) - np.log(part))

    def _add(self, example: Example, found: Found, at: Integers, amounts: Floats, slopes: Weights) -> None:
        """Add the features of derivations to the slopes, each with its amount."""
        columns, encoded = self._columns, example.encoded
        templates, filled = found.templates[at], found.filled[at]
        by_template = np.bincount(templates, amounts, minlength=len(columns))
        slopes["document"][encoded.document_rows] += by_template.astype(np.float32)
        slots = np.arange(columns.slots) < (columns.nouns + columns.numbers)[templates][:, None]
        d, s = np.nonzero(slots)
        for kind, by_slot, sets, which in (
            ("single", columns.slot_columns, encoded.singles, encoded.single_of),
            ("constant", columns.constant_columns, encoded.constants, encoded.constant_of),
        ):
            _spread(slopes[kind], sets, which[filled[d, s]], by_slot[templates[d], s], amounts[d])
        first, second, pair = np.moveaxis(columns.all_pairs[templates], 2, 0)
        every = np.arange(len(templates))[:, None]
        looks = encoded.looks[filled[every, first], filled[every, second]]
        own = columns.pair_columns[pair.ravel()]
        _spread(slopes["pair"], encoded.pairs, looks.ravel(), own, np.repeat(amounts, pair.shape[1]))
        self._add_endings(example.endings, templates, filled, amounts, slopes)

    def _add_endings(
        self, endings: Endings, templates: Integers, filled: Integers, amounts: Floats, slopes: Weights
    ) -> None:
        columns = self._columns
        solved, which = endings.find(templates, filled)
        slopes["solution"][:, 0] += (amounts @ solved.seen[which]).astype(np.float32)
        compared = solved.compared[which].astype(np.int64)
        own = columns.pair_columns[columns.compared[templates, :, 2].ravel()]
        touched, table = _collected(
            len(COMPARISONS), len(columns.pair), compared.ravel(), own, np.repeat(amounts, compared.shape[1])
        )
        slopes["pair"][-len(COMPARISONS) :, touched] += table
        joined = np.where(endings.parallel(templates, filled), amounts[:, None], 0.0)
        width = len(columns.parallel) + 1
        parallel = np.bincount(columns.parallel_columns[templates].ravel(), joined.ravel(), minlength=width)
        slopes["parallel"][0] += parallel[:-1].astype(np.float32)


def _spread(
    slope: npt.NDArray[np.float32],
    sets: Incidence,
    which: Integers,
    columns: npt.NDArray[np.int32],
    amounts: Floats,
) -> None:
    """Add `amounts[i]` to the rows of the set `which[i]` in each of `columns[i]`."""
    touched, table = _collected(sets.count, slope.shape[1], which, columns, amounts)
    sets.scatter(table, touched, slope)


def _collected(
    sets: int, width: int, which: Integers, columns: npt.NDArray[np.int32], amounts: Floats
) -> tuple[Integers, npt.NDArray[np.float32]]:
    """Return the columns that are touched, and a table of sets by these columns; the column `width` is a filler."""
    touched = np.flatnonzero(np.bincount(columns.ravel(), minlength=width + 1))
    place = np.zeros(width + 1, dtype=np.int64)
    place[touched] = np.arange(len(touched))
    places = which[:, None] * len(touched) + place[columns]
    weights = np.broadcast_to(amounts[:, None], columns.shape)
    table = np.bincount(places.ravel(), weights.ravel(), minlength=sets * len(touched))
    real = touched < width
    return touched[real], table.reshape(sets, len(touched))[:, real].astype(np.float32)


def _among(columns: Columns, encoded: EncodedReading, found: Found, right: Sequence[Held]) -> Flags:
    """Say of each derivation whether its template and numbers are right ones."""
    is_right = np.zeros(len(found.templates), dtype=bool)
    for template, numbers in right:
        own = np.flatnonzero(found.templates == template)
        first = int(columns.nouns[template])
        given = found.filled[own, first : first + len(numbers)] - encoded.nouns
        is_right[own[(given == np.array(numbers, dtype=np.int64)).all(axis=1)]] = True
    return is_right
