"""The figures of a score as plain data: one set of keys for every kind of score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from draw_dataset.scoring.signature import Signature
from draw_dataset.scoring.verdict import ACCURACIES, Kind, Reason


class Figures(Protocol):
    """What every kind of score has; see `draw_dataset.scoring.score.Score` for what each figure means."""

    @property
    def count(self) -> int: ...  # noqa: D102
    @property
    def certain(self) -> float: ...  # noqa: D102
    @property
    def undecided(self) -> int: ...  # noqa: D102
    @property
    def unread(self) -> int: ...  # noqa: D102
    @property
    def counts(self) -> Mapping[str, int]: ...  # noqa: D102
    @property
    def right_answers(self) -> Mapping[Kind, int]: ...  # noqa: D102
    @property
    def mean_references(self) -> float: ...  # noqa: D102
    @property
    def references_not_gold(self) -> float: ...  # noqa: D102
    @property
    def signature(self) -> Signature: ...  # noqa: D102
    def accuracy(self, name: str) -> float: ...  # noqa: D102


def figures_as_data(score: Figures) -> dict[str, Any]:
    """Return the figures of a score as plain data."""
    return {
        **{f"{name}_accuracy": score.accuracy(name) for name in ACCURACIES},
        "derivation_accuracy_certain": score.certain,
        "undecided": score.undecided,
        "unread": score.unread,
        "no_derivation": score.counts.get(Reason.NO_DERIVATION, 0),
        "counts": score.counts,
        "right_answer_wrong_derivation": score.right_answers[Kind.WRONG],
        "right_answer_no_derivation": score.right_answers[Kind.NONE],
        "right_answer_not_understood": score.right_answers[Kind.UNREAD],
        "mean_references": score.mean_references,
        "references_not_gold": score.references_not_gold,
        "n": score.count,
        "match": score.signature.match,
        "signature": str(score.signature),
    }
