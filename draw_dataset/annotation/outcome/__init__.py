"""The result of annotating: where works differ, how much people agree, which work counts, and the exported rows."""

from __future__ import annotations

from draw_dataset.annotation.outcome.agreement import Agreement, measure_agreement
from draw_dataset.annotation.outcome.comparison import Comparison, compare
from draw_dataset.annotation.outcome.export import Exported, export_rows
from draw_dataset.annotation.outcome.settlement import Overview, Settled, open_disagreements, settle, survey

__all__ = [
    "Agreement",
    "Comparison",
    "Exported",
    "Overview",
    "Settled",
    "compare",
    "export_rows",
    "measure_agreement",
    "open_disagreements",
    "settle",
    "survey",
]
