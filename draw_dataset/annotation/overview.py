"""How far the annotation of a whole store has come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from draw_dataset.annotation.queueing import Progress
from draw_dataset.annotation.settling import open_disagreements, settle
from draw_dataset.annotation.store import Store


@dataclass(frozen=True, slots=True)
class Overview:
    """How far the annotation has come.

    Attributes:
        problems: how many problems are ``automatic``, ``open`` and ``refused``.
        annotators_per_problem: how many annotators each problem should have.
        settled: how many problems are settled, by how; see `settling`.
        unsettled: how many are not, by why.
        annotators: how far each annotator has come.
        refused: the message of each problem that cannot be annotated as it is, by id.
        flagged: who flagged each flagged problem and why, by id.
        disagreements: the ids of the problems that need an adjudicator.
    """

    problems: Mapping[str, int]
    annotators_per_problem: int
    settled: Mapping[str, int]
    unsettled: Mapping[str, int]
    annotators: Mapping[str, Progress]
    refused: Mapping[int, str]
    flagged: Mapping[int, Mapping[str, str]]
    disagreements: tuple[int, ...]

    def as_data(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


def survey(store: Store) -> Overview:
    """Return how far the annotation of a store has come."""
    entries, works = store.problems(), store.works()
    statuses = Counter(entry.status for entry in entries)
    outcomes = settle(store)
    adjudicators = {work.annotator for work in store.works(role="adjudicator")} - {work.annotator for work in works}
    flagged: dict[int, dict[str, str]] = {}
    for work in works:
        if work.flagged is not None:
            flagged.setdefault(work.problem_id, {})[work.annotator] = work.flagged
    return Overview(
        problems={status: statuses[status] for status in ("automatic", "open", "refused")},
        annotators_per_problem=store.annotators_per_problem,
        settled=dict(Counter(outcome.how for outcome in outcomes if outcome.work is not None)),
        unsettled=dict(Counter(outcome.how for outcome in outcomes if outcome.work is None)),
        annotators={name: store.progress(name) for name in store.annotators() if name not in adjudicators},
        refused={entry.stored.id: entry.message or "" for entry in entries if entry.status == "refused"},
        flagged=flagged,
        disagreements=tuple(works[0].problem_id for works in open_disagreements(store)),
    )
