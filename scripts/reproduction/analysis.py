"""The question: what goes wrong under each setting, and how much of it do right answers hide.

For each solver, dataset and setting: the share of the test problems by the reason of the verdict, averaged over the
seeds; the right answers whose derivation is wrong, and why theirs are; and how many problems no template-first solver
could get right, as nothing like their template was trained on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from draw_dataset.scoring.verdict import Reason
from reproduction.jobs import TITLES, Plan
from reproduction.rendering import Table
from reproduction.store import Records
from reproduction.summary import Pooled, Variant, pooled
from reproduction.tables import NOTHING, variant_title

COLUMNS = {
    "right": ("right",),
    "template": ("slot count", "unknown count", "template"),
    "alignment": ("alignment",),
    "abstained": ("abstained",),
}
"""The columns of the table, each with the reasons it holds; what is in none of them is ``other``."""

_OTHER = tuple(str(r) for r in Reason if all(str(r) not in reasons for reasons in COLUMNS.values()))


def error_tables(records: Records, plan: Plan) -> list[Table]:
    """Return a table of errors for each solver."""
    return [_errors(records, plan, variant) for variant in plan.variants] if plan.trained() else []


def _errors(records: Records, plan: Plan, variant: Variant) -> Table:
    head = [
        "% of the test problems",
        *(f"{name}{' wrong' if name in ('template', 'alignment') else ''}" for name in COLUMNS),
        "other",
        "right answer, wrong derivation",
        "of these: template",
        "alignment",
        "template not trained on",
    ]
    rows = []
    for data, setting in plan.trained():
        found = pooled(records, plan, variant, data, setting)
        rows.append([f"{TITLES[data]}, {setting}", *_cells(found)])
    return Table(
        f"Errors; {variant_title(variant)}",
        head,
        rows,
        [
            "Means over the seeds. A wrong template is one with another number of slots or unknowns, or with other "
            "solutions; a wrong alignment has the right template and a wrong number in a slot."
        ],
    )


def _cells(found: Pooled) -> list[str]:
    if not found.seeds:
        return [NOTHING] * (len(COLUMNS) + 5)
    shares = [_mean(found, "score", "counts", reasons=reasons) for reasons in COLUMNS.values()]
    shares.append(_mean(found, "score", "counts", reasons=_OTHER))
    shares.append(found.share("score", "right_answer_wrong_derivation").mean)
    shares.append(_mean(found, "lucky_reasons", reasons=COLUMNS["template"]))
    shares.append(_mean(found, "lucky_reasons", reasons=COLUMNS["alignment"]))
    shares.append(found.share("unseen_templates").mean)
    return [f"{share:.1f}" for share in shares]


def _mean(found: Pooled, *path: str, reasons: tuple[str, ...]) -> float:
    return sum(found.share(*path, reason).mean for reason in reasons)


def errors_as_data(records: Records, plan: Plan) -> list[dict[str, object]]:
    """Return the counts of every reason as plain data: sums over folds and seeds."""
    lines: list[dict[str, object]] = []
    for variant in plan.variants:
        for data, setting in plan.trained():
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
