"""Rows that an edition of the corrections changes, and the sets of rows that ``draw build`` makes of the latest one.

A *clean* row has one right derivation: it is neither excluded nor arguable. A clean row of a test split or a fold also
has no duplicate, so that a model cannot have seen it in another split or dataset.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from draw_dataset.data.catalog import DATASETS
from draw_dataset.data.corrections import KINDS, VERSION, Change, Selection, changes, correct, corrections
from draw_dataset.data.release import DATASETS as RELEASE_DATASETS
from draw_dataset.derivation.problem import READ_TWICE, Problem, ProblemId
from draw_dataset.io.markup import Table


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """A row that an edition has otherwise than it was published."""

    dataset: str
    id: ProblemId
    edition: int  # the edition that changed it last
    kind: str  # one of `KINDS`
    why: str  # what was wrong

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


def changed_rows(edition: int = VERSION) -> list[ChangedRow]:
    """Return the rows that an edition changes, those of earlier editions among them, by dataset and id.

    >>> len(changed_rows(1)), changed_rows(1)[0].id, changed_rows(1)[0].kind
    (35, 55871, 'derivation')
    """
    return [row for dataset in RELEASE_DATASETS for row in _changed_in(dataset, Selection(edition)).values()]


def _changed_in(dataset: str, selection: Selection) -> dict[ProblemId, ChangedRow]:
    if selection.version >= READ_TWICE:
        latest = changes().get(dataset, {})
        found = {id_: ChangedRow(dataset, id_, one.edition, one.kind, one.why) for id_, one in latest.items()}
    else:
        found = {
            id_: ChangedRow(dataset, id_, one.version, one.kind, one.why)
            for id_, one in corrections().get(dataset, {}).items()
            if selection.has(one)
        }
    return dict(sorted(found.items()))


def edition_date() -> str:
    """Return the day of the latest edition, as in ``2026-11-19``."""
    return max(change.date for by_id in changes().values() for change in by_id.values())


def kinds_table(rows: Iterable[ChangedRow]) -> Table:
    """Return the counts of rows by kind and dataset."""
    counts = Counter((row.dataset, row.kind) for row in rows)
    by_kind = [(kind, [counts[dataset, kind] for dataset in RELEASE_DATASETS]) for kind in KINDS]
    by_kind = [(kind, row) for kind, row in by_kind if any(row)]
    by_kind.append(("all", [sum(row[at] for _, row in by_kind) for at in range(len(RELEASE_DATASETS))]))
    return Table([*RELEASE_DATASETS, "all"], [(kind, [*map(str, row), str(sum(row))]) for kind, row in by_kind])


@dataclass(frozen=True, slots=True)
class Comparison:
    """A row as published beside the same row with corrections. Both have the published numbers."""

    dataset: str
    published: Problem
    corrected: Problem
    row: ChangedRow | None  # None if the row is as published
    change: Change | None = None  # the line of edition 3, if that is the edition

    @classmethod
    def of(cls, dataset: str, published: Problem, selection: Selection) -> Comparison:
        """Compare a published row with the same row in a selection of corrections."""
        # Corrections before edition 3 may count other numbers, and q-notation names numbers by their count.
        corrected = replace(correct(dataset, published, selection), numbers=published.numbers)
        change = changes().get(dataset, {}).get(published.id) if selection.version >= READ_TWICE else None
        return cls(dataset, published, corrected, _changed_in(dataset, selection).get(published.id), change)

    @property
    def before(self) -> str:
        """The published derivation in q-notation."""
        return self.published.derivation.q_notation()

    @property
    def after(self) -> str:
        """The corrected derivation in q-notation; empty if no derivation is right."""
        return "" if self.corrected.is_excluded else self.corrected.derivation.q_notation()

    @property
    def groups(self) -> tuple[list[list[int]], list[list[int]]]:
        """The groups of equal numbers before and after, by the indices of the numbers; 0 is no number of the row."""
        return _groups(self.published), _groups(self.corrected)

    @property
    def changes_gold(self) -> bool:
        """Whether derivation, values or groups differ; in other rows only alternatives, asked values or roles do."""
        one, other = self.published, self.corrected
        return other.is_excluded or (one.derivation, one.equiv_tnum) != (other.derivation, other.equiv_tnum)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data; a row that is as published has no kind."""
        row, corrected, change = self.row, self.corrected, self.change
        return {
            "dataset": self.dataset,
            "id": self.published.id,
            "edition": row and row.edition,
            "kind": row and row.kind,
            "meaning": row and KINDS[row.kind],
            "why": row and row.why,
            "question": self.published.question,
            "before": self.before,
            "after": self.after,
            "groups": dict(zip(("before", "after"), self.groups, strict=True)),
            "alternatives": list(corrected.alternatives),
            "asked": list(corrected.asked),
            "roles": corrected.role_of,
            "readers": list(change.readers) if change else [],
            "date": change.date if change else None,
        }


def _groups(problem: Problem) -> list[list[int]]:
    index = {number.place: number.index for number in problem.numbers}
    return [[index.get(number.place) or 0 for number in group] for group in problem.equiv_tnum]


# The sets of rows that `draw build` writes.

Form = Literal["published", "corrected", "clean"]


@dataclass(frozen=True, slots=True)
class RowSet:
    """The rows of a dataset in one form."""

    dataset: str
    form: Form


ROW_SETS: Mapping[str, RowSet] = {
    **{dataset: RowSet(dataset, "published") for dataset in DATASETS},
    **{f"{dataset}_corrected": RowSet(dataset, "corrected") for dataset in RELEASE_DATASETS},
    **{f"{dataset}_clean": RowSet(dataset, "clean") for dataset in RELEASE_DATASETS},
}
"""The sets of rows by name: ``draw1k``, ``draw1k_corrected``, ``draw1k_clean``."""

DUPLICATES = frozenset(("duplicate-id", "duplicate-text", "near-duplicate-split", "near-duplicate-dataset"))
"""The codes of findings that keep a row out of a clean test split or fold."""


def is_clean(problem: Problem, *, tested: bool) -> bool:
    """Decide whether a row of the latest edition is clean; `tested` says that its split is a test split or a fold.

    The one alternative of a row of the kind ``convention`` is its earlier gold in other unknowns or slots, so such a
    row is not arguable.
    """
    kind = "" if problem.correction is None else problem.correction.kind
    arguable = kind == "alternative" or len(problem.alternatives) > (kind == "convention")
    arguable |= "reviewed-arguable" in problem.findings
    return not (problem.is_excluded or arguable or (tested and DUPLICATES & {*problem.findings}))
