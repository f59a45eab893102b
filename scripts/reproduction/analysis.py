"""The question: what goes wrong under each setting, and how much of it do right answers hide.

For each solver, dataset and setting: the share of the test problems by the reason of the verdict, averaged over the
seeds; the right answers whose derivation is wrong, and why theirs are; and how many problems have a template that is
equivalent to none of the training problems'.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from draw_dataset.scoring.verdict import Reason
from reproduction.jobs import TITLES, Plan, SolverJob
from reproduction.store import Records
from reproduction.summary import Variant, pooled
from reproduction.tables import Table, variant_title

Path = tuple[str, ...]
"""The keys under which a record has a count."""

_LUCKY = "right_answer_wrong_derivation"


def error_tables(records: Records, plan: Plan) -> list[Table]:
    """Return two tables for each solver: all verdicts by reason, and the right answers with wrong derivations."""
    verdicts: list[tuple[str, Path]] = [
        (reason, ("score", "counts", reason)) for reason in _occurring(records, ("score", "counts"))
    ]
    lucky: list[tuple[str, Path]] = [
        ("right answer", ("right answer",)),
        ("of these with a wrong derivation", ("score", _LUCKY)),
        *((f"by {reason}", ("lucky_reasons", reason)) for reason in _occurring(records, ("lucky_reasons",))),
        ("template not trained on", ("unseen_templates",)),
        ("of these with a right derivation", ("right_with_unseen_template",)),
    ]
    found = []
    for variant in plan.solvers:
        found.append(_shares(records, plan, variant, "Verdicts by reason", verdicts, [_REASONS]))
        found.append(_shares(records, plan, variant, "Right answers and wrong derivations", lucky, [_UNSEEN]))
    return [table for table in found if table.rows]


_REASONS = (
    "Means over the seeds. The first reason that applies is given: another number of slots, another number of "
    "unknowns, a template with other solutions, or the right template with a wrong number in a slot (alignment)."
)
_UNSEEN = (
    "Means over the seeds. A template is not trained on if that of no training problem is equivalent to it, by the "
    "gold annotation."
)


def _occurring(records: Records, path: Path) -> list[str]:
    """Return the reasons that are counted in any record under some keys, in their order."""
    seen: set[str] = set()
    for job, record in records.items():
        if isinstance(job, SolverJob):
            for key in path:
                record = record[key]
            seen.update(record)
    return [str(reason) for reason in Reason if str(reason) in seen]


def _shares(
    records: Records, plan: Plan, variant: Variant, title: str, columns: list[tuple[str, Path]], notes: list[str]
) -> Table:
    rows = []
    for data, setting in plan.trained(variant):
        found = pooled(records, plan, variant, data, setting)
        if not found.seeds:
            continue
        cells = [f"{TITLES[data]}, {setting}"]
        for _, path in columns:
            if path == ("right answer",):
                cells.append(f"{found.accuracy('solution').mean:.1f}")
            else:
                cells.append(f"{found.share(*path).mean:.1f}")
        rows.append(cells)
    head = ["% of the test problems", *(name for name, _ in columns)]
    return Table(f"{title}; {variant_title(variant)}", head, rows, notes)


def errors_as_data(records: Records, plan: Plan) -> list[dict[str, object]]:
    """Return the counts of every reason as plain data: sums over folds and seeds."""
    lines: list[dict[str, object]] = []
    for variant in plan.solvers:
        for data, setting in plan.trained(variant):
            found = pooled(records, plan, variant, data, setting)
            every = [record for seed in found.seeds.values() for record in seed]
            lines.append(
                {
                    "features": variant[0],
                    "k": variant[1],
                    "data": data,
                    "setting": setting,
                    "tested": sum(record["score"]["n"] for record in every),
                    "reasons": _summed(record["score"]["counts"] for record in every),
                    "right_answer_wrong_derivation": sum(
                        record["score"]["right_answer_wrong_derivation"] for record in every
                    ),
                    "right_answer_wrong_derivation_reasons": _summed(record["lucky_reasons"] for record in every),
                    "abstained": _summed(record["abstained"] for record in every),
                    "unseen_templates": sum(record["unseen_templates"] for record in every),
                    "right_with_unseen_template": sum(record["right_with_unseen_template"] for record in every),
                }
            )
    return lines


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return dict(sorted(total.items()))
