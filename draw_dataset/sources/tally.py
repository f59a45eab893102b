"""How many rows were decided, ambiguous and refused, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from draw_dataset.core.problem import REFUSED
from draw_dataset.sources.record import AMBIGUOUS, DECIDED, STATUSES, Reason, reason_of

MAX_EXAMPLES = 3
"""Rows that are named for each reason."""


@dataclass(slots=True)
class Tally:
    """Counts of derived rows.

    Attributes:
        statuses: how many rows have each status.
        reasons: how many refused rows have each reason.
        examples: for each reason the first rows that have it: the id, and the reason in full.
        text_ids: whether an id is a string.
    """

    statuses: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[tuple[int | str, str]]] = field(default_factory=dict)
    text_ids: bool = False

    def add(self, row: Mapping[str, Any]) -> None:
        """Count a row."""
        self.statuses[row["status"]] += 1
        self.text_ids = self.text_ids or isinstance(row["id"], str)
        if row["status"] == REFUSED:
            reason = reason_of(row)
            self.reasons[reason] += 1
            named = self.examples.setdefault(reason, [])
            if len(named) < MAX_EXAMPLES:
                named.append((row["id"], row["reason"]))

    @property
    def total(self) -> int:
        """How many rows were counted."""
        return sum(self.statuses.values())

    @property
    def broken(self) -> int:
        """How many records could not be read, or lack a field."""
        return self.reasons[Reason.BROKEN.value] + self.reasons[Reason.MISSING.value]

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        return {
            "rows": self.total,
            **{status: self.statuses[status] for status in STATUSES},
            "reasons": dict(self.reasons.most_common()),
            "examples": {
                reason: [{"id": id_, "reason": why} for id_, why in named] for reason, named in self.examples.items()
            },
        }

    def to_text(self) -> str:
        """Return the counts as a small table.

        >>> tally = Tally()
        >>> tally.add({"id": 1, "status": "decided"})
        >>> tally.add({"id": 2, "status": "refused", "reason": "comparison"})
        >>> print(tally.to_text())
        2 rows
          decided           1   50.0 %
          ambiguous         0    0.0 %
          refused           1   50.0 %
            comparison      1   e.g. 2
        """
        width = max([9, *(len(reason) + 2 for reason in self.reasons)])
        lines = [f"{self.total:,} row{'' if self.total == 1 else 's'}"]
        for status in (DECIDED, AMBIGUOUS, REFUSED):
            count = self.statuses[status]
            lines.append(f"  {status:{width}} {count:6,}  {100 * count / max(1, self.total):5.1f} %")
        for reason, count in self.reasons.most_common():
            ids = ", ".join(str(id_) for id_, _ in self.examples[reason])
            lines.append(f"    {reason:{width - 2}} {count:6,}   e.g. {ids}")
        return "\n".join(lines)
