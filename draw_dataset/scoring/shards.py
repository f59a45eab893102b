"""Grading predictions that come in many parts: `score_shard` for each part, then `merge_tallies`.

Ray Data, Spark or a plain loop over files give each part to `score_shard` and merge the tallies; docs/scale.md has an
example of each. A problem may have any number of predictions, in any part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from draw_dataset.core.problem import Problem, ProblemId
from draw_dataset.errors import RowError, ScoreError
from draw_dataset.scoring.files import lacking, unknown_id
from draw_dataset.scoring.origin import ROWS
from draw_dataset.scoring.reference import Reference
from draw_dataset.scoring.references import FiledReferences, ListedReferences
from draw_dataset.scoring.signature import Missing, Options
from draw_dataset.scoring.tallied import TalliedScore
from draw_dataset.scoring.tallies import ShardTally

References = ListedReferences | FiledReferences | Iterable[Mapping[str, Any] | Problem | Reference]


def score_shard(
    predictions: Iterable[tuple[ProblemId, Any]],
    references: References,
    options: Options = Options(),  # noqa: B008
    *,
    data: str = ROWS,
    shard: int = 0,
) -> ShardTally:
    """Grade a part of the predictions.

    >>> from draw_dataset.sample import load_sample
    >>> rows = ListedReferences(load_sample()["test"])
    >>> parts = [[(rows.id_at(0), "m = 1")], [(rows.id_at(0), rows.reference(0).problem.derivation.q_notation())]]
    >>> merged = merge_tallies(score_shard(part, rows) for part in parts)
    >>> merged.count, merged.result().accuracy("derivation")
    (2, 0.5)

    Args:
        predictions: the id of a problem and a prediction for it; see `draw_dataset.scoring.prediction`.
        references: the rows; if there are many parts, read them once with `ListedReferences`. Refused rows and their
            predictions are left out.
        options: how to grade.
        data: the name of the rows in the signature.
        shard: the number of the part; it decides which unread prediction is the first of all.

    Raises:
        ScoreError: an id is unknown.
        RowError: a row or its gold cannot be read.
    """
    known = references if isinstance(references, (ListedReferences, FiledReferences)) else ListedReferences(references)
    tally = ShardTally(options, data, shard)
    for place, (id_, prediction) in enumerate(predictions):
        positions = known.positions(id_)
        if not positions and id_ in known.refused:
            continue
        if not positions:
            raise ScoreError(f"shard {shard}, prediction {place}: {unknown_id(id_, known, data)}")
        for position in positions:
            try:
                tally.add(prediction, known.reference(position))
            except RowError as error:
                raise known.located(position, error) from error
    return tally


def merge_tallies(tallies: Iterable[ShardTally]) -> ShardTally:
    """Return the tally of all parts.

    Raises:
        ScoreError: there are no tallies, or they were graded with different options.
    """
    merged: ShardTally | None = None
    for tally in tallies:
        if merged is None:
            merged = ShardTally(tally.options, tally.data, tally.shard)
        merged.merge(tally)
    if merged is None:
        raise ScoreError("tallies: expected at least one, but got none")
    return merged


def complete(tally: ShardTally, references: ListedReferences | FiledReferences, missing: Missing) -> TalliedScore:
    """Return the score of all parts; rows without a prediction are an error, or count as abstentions.

    Raises:
        ScoreError: a row has no prediction, and that is an error; or there is no prediction at all.
    """
    ids = tally.ids
    seen = bytearray(references.id_at(position) in ids for position in range(len(references)))
    if missing == "error" and 0 in seen:
        raise lacking("tallies", references, seen)
    for position, has_prediction in enumerate(seen):
        if not has_prediction:
            tally.add(None, references.reference(position))
    return tally.result(missing)
