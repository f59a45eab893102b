"""Annotated rows out of a store.

An exported row also has ``annotated`` (how it was settled, see `settlement`), ``annotators``, and the other fields that
were imported. If an annotator has changed the text, ``edited_from`` has the imported text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from draw_dataset.annotation.outcome.settlement import Settled
from draw_dataset.annotation.store.intake import FIXED
from draw_dataset.core.problem import ProblemId
from draw_dataset.files import json_line

EDITED_FROM = "edited_from"


@dataclass(frozen=True, slots=True)
class Exported:
    """What comes out of a store.

    Attributes:
        rows: the annotated rows in the order of their import.
        counts: how many were settled in which way.
        left_out: the ids of the problems that are not settled, by reason.
    """

    rows: tuple[dict[str, Any], ...]
    counts: Mapping[str, int]
    left_out: Mapping[str, tuple[ProblemId, ...]]


def export_rows(settled: Iterable[Settled]) -> Exported:
    """Return the rows of what is settled."""
    rows: list[dict[str, Any]] = []
    counts: Counter[str] = Counter()
    left_out: dict[str, list[ProblemId]] = {}
    for one in settled:
        if one.work is None:
            left_out.setdefault(one.how, []).append(one.entry.stored.id)
            continue
        counts[one.how] += 1
        row = one.work.problem().to_row() | {"annotated": one.how, "annotators": list(one.annotators)}
        row |= {name: value for name, value in one.entry.stored.extra.items() if name not in row}
        if one.work.question != one.work.original:
            row[EDITED_FROM] = one.work.original
        rows.append(row)
    return Exported(tuple(rows), dict(counts), {why: tuple(ids) for why, ids in left_out.items()})


def as_columns(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return an exported row for a table: fields that not every row has become one JSON string.

    >>> as_columns({"id": 1, "question": "…", "annotated": "automatic", "source": {"page": 3}})
    {'id': 1, 'question': '…', 'annotated': 'automatic', 'extra': '{"source": {"page": 3}}'}
    """
    extra = {name: value for name, value in row.items() if name not in FIXED}
    return {**{name: value for name, value in row.items() if name in FIXED}, "extra": json_line(extra).rstrip("\n")}
