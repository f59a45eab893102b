"""The question: which figures stand in which table, the paper's next to ours, and how does a table look.

Tables 3 and 4 come once for each solver (feature set and k): the paper's figures, then ours over the seeds. Table 5 has
all solvers side by side, and those that a user adds.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from draw_dataset.statistics import FIGURES
from reproduction.jobs import (
    DATASETS,
    SOLVERS,
    TABLE3_DATA,
    TABLE3_SETTINGS,
    TABLE4_DATA,
    TABLE4_SETTINGS,
    TABLE5_DATA,
    TITLES,
    DatasetJob,
    Plan,
)
from reproduction.paper import ACCURACIES, METRICS, TABLE5, Accuracies
from reproduction.store import Record, Records
from reproduction.summary import CORRECTED, Spread, Variant, accuracies, pooled
from reproduction.systems import System

WIDTH = 110
"""Columns of a terminal that notes are wrapped to."""

NOTHING = "–"
_SHORT = {"solution": "soln", "equation": "eqn", "derivation": "deriv"}


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts.

    Attributes:
        title: what stands above it.
        head: the names of the columns.
        rows: the cells, as many in each row as there are columns; a row with one cell is a heading.
        notes: what stands below it, a sentence each.
    """

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def to_text(self) -> str:
        """Return the table for a terminal."""
        full = [self.head, *(row for row in self.rows if len(row) > 1)]
        widths = [max(len(row[i]) for row in full) for i in range(len(self.head))]
        rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
        lines = [self.title, "", _aligned(self.head, widths), rule]
        lines += [_aligned(row, widths) if len(row) > 1 else f"[{row[0]}]" for row in self.rows]
        for note in self.notes:
            lines += textwrap.wrap(note, WIDTH, initial_indent="  ", subsequent_indent="  ")
        return "\n".join(lines)

    def to_markdown(self, level: int = 3) -> str:
        """Return the table in Markdown, under a heading of a level; no heading with level 0."""
        lines = [f"{'#' * level} {self.title}", ""] if level else []
        lines += [_pipes(self.head), _pipes(["---", *["---:"] * (len(self.head) - 1)])]
        for row in self.rows:
            heading = [f"**{row[0]}**", *[""] * (len(self.head) - 1)]
            lines.append(_pipes(row if len(row) > 1 else heading))
        for note in self.notes:
            lines += ["", *textwrap.wrap(note, WIDTH, break_long_words=False, break_on_hyphens=False)]
        return "\n".join(lines)


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join([cells[0].ljust(widths[0]), *map(str.rjust, cells[1:], widths[1:])]).rstrip()


def _pipes(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def variant_title(variant: Variant) -> str:
    """Return what a solver is called.

    >>> variant_title(("paper", None)), variant_title(("zdc", None))
    ('paper features, k = all', 'ZDC, margin rule')
    """
    name, k = variant
    solver = SOLVERS[name]
    return solver.title if solver.system else f"{solver.title}, k = {'all' if k is None else k}"


def seeds_of(records: Records, plan: Plan, variant: Variant) -> set[int]:
    """Return with how many seeds a solver was trained, for all that it was trained on at all."""
    counts = {len(pooled(records, plan, variant, *one).seeds) for one in plan.trained(variant)}
    return counts - {0}


def tables_of(records: Records, plan: Plan, systems: Sequence[System] = ()) -> list[Table]:
    """Return the tables that a plan asks for."""
    found = []
    if "table2" in plan.tables:
        found += [_table2(records, plan), _annotation(records, plan)]
    for name, make in (("table3", _table3), ("table4", _table4)):
        if name in plan.tables:
            # A table of a solver that nobody has trained is left out.
            found += [table for table in (make(records, plan, variant) for variant in plan.variants) if table.rows]
    if "table5" in plan.tables:
        found.append(_table5(records, plan, systems))
        corrected = _table5_corrected(records, plan)
        found += [corrected] if corrected.rows else []
    return found


def _titled(plan: Plan, title: str) -> str:
    return title if plan.source == "release" else f"{title} (smoke run: the embedded sample stands in for the data)"


def _dataset_records(records: Records, plan: Plan) -> dict[str, Record]:
    jobs = {data: DatasetJob(plan.source, data) for data in DATASETS}
    return {data: records[job] for data, job in jobs.items() if job in records}


def _table2(records: Records, plan: Plan) -> Table:
    found = _dataset_records(records, plan)
    head = ["", *(name for data in DATASETS for name in (f"{TITLES[data]}: paper", "here"))]
    rows = []
    for figure in FIGURES:
        cells = [figure.title]
        for data in DATASETS:
            value = found[data]["statistics"][figure.name] if data in found else None
            here = NOTHING if value is None else f"{value:.1f} %" if figure.percent else f"{value:.0f}"
            cells += [figure.paper.get(data, NOTHING), here]
        rows.append(cells)
    return Table(
        _titled(plan, "Table 2: statistics of the datasets"), head, rows, ["`draw stats` says what is counted."]
    )


def _annotation(records: Records, plan: Plan) -> Table:
    """Return what belongs to Table 2 as well: what of the annotation is done without a person."""
    found = {data: record["annotation"] for data, record in _dataset_records(records, plan).items()}
    paper = {data: shown for figure in FIGURES if figure.name == "ambiguity" for data, shown in figure.paper.items()}
    lines: list[tuple[str, Mapping[str, str], tuple[str, ...]]] = [
        ("problems that need a person", paper, ("needing_a_person_percent",)),
        ("gold among the candidates", {}, ("all", "gold_among_candidates_percent")),
        ("automatic ones that are gold", {}, ("all", "automatic_right_percent")),
        ("gold among the candidates, no findings", {}, ("without_findings", "gold_among_candidates_percent")),
        ("automatic ones that are gold, no findings", {}, ("without_findings", "automatic_right_percent")),
    ]
    rows = []
    for title, printed, path in lines:
        cells = [title]
        for data in DATASETS:
            value = found.get(data)
            for key in path:
                value = None if value is None else value[key]
            cells += [printed.get(data, NOTHING), NOTHING if value is None else f"{value:.1f} %"]
        rows.append(cells)
    head = ["", *(name for data in DATASETS for name in (f"{TITLES[data]}: paper", "here"))]
    note = (
        "The derivation is proposed from question and equations alone, then compared with gold. The paper counts as "
        "needing a person what its Table 2 calls ambiguous. `draw annotate evaluate` prints the same."
    )
    return Table(_titled(plan, "Table 2, continued: annotation"), head, rows, [note])


def _accuracy_head() -> list[str]:
    return ["setting", *(f"paper {_SHORT[m]}" for m in METRICS), *(f"here {_SHORT[m]}" for m in METRICS)]


def _accuracy_row(label: str, paper: Accuracies | None, here: Sequence[Spread]) -> list[str]:
    printed = [NOTHING] * len(METRICS) if paper is None else [f"{value:.1f}" for value in paper]
    return [label, *printed, *map(str, here)]


def _difference(more: Accuracies | None, less: Accuracies | None) -> Accuracies | None:
    if more is None or less is None:
        return None
    return Accuracies(*(round(a - b, 1) for a, b in zip(more, less, strict=True)))


def _compared(
    records: Records, plan: Plan, variant: Variant, data: str, settings: Sequence[str], against: str
) -> list[list[str]]:
    """Return the rows of one dataset: each setting, and how far TD is above another; none if there are no figures."""
    found = {setting: pooled(records, plan, variant, data, setting) for setting in settings}
    if not any(one.seeds for one in found.values()):
        return []
    rows = [_accuracy_row(setting, ACCURACIES.get((data, setting)), accuracies(found[setting])) for setting in settings]
    differences = [a - b for a, b in zip(accuracies(found["TD"]), accuracies(found[against]), strict=True)]
    paper = _difference(ACCURACIES.get((data, "TD")), ACCURACIES.get((data, against)))
    return [[TITLES[data]], *rows, _accuracy_row(f"TD - {against}", paper, differences)]


def _table3(records: Records, plan: Plan, variant: Variant) -> Table:
    rows: list[list[str]] = []
    for data in TABLE3_DATA:
        rows += _compared(records, plan, variant, data, TABLE3_SETTINGS, "TE")
    return Table(
        _titled(plan, f"Table 3: training on equations and on derivations; {variant_title(variant)}"),
        _accuracy_head(),
        rows,
    )


def _table4(records: Records, plan: Plan, variant: Variant) -> Table:
    rows: list[list[str]] = []
    for data in TABLE4_DATA:
        rows += _compared(records, plan, variant, data, TABLE4_SETTINGS, "TE*")
    return Table(
        _titled(plan, f"Table 4: two datasets together, tested on Draw-1k; {variant_title(variant)}"),
        _accuracy_head(),
        rows,
        ["Trained on the train split of Draw-1k and all of the other dataset, near duplicates of each other included."],
    )


def _table5(records: Records, plan: Plan, systems: Sequence[System]) -> Table:
    head = ["trained on equations (TE)", "paper soln", *(f"here {_SHORT[m]}" for m in METRICS), "seeds"]
    rows: list[list[str]] = []
    for data in TABLE5_DATA:
        quoted = TABLE5[data]
        here: list[list[str]] = []
        for solver in plan.solvers:
            found = pooled(records, plan, solver, data, "TE")
            if found.seeds:
                printed = quoted.get(SOLVERS[solver[0]].quoted)
                shown = NOTHING if printed is None else f"{printed:.1f}"
                here.append([variant_title(solver), shown, *map(str, accuracies(found)), str(len(found.seeds))])
        for system in systems:
            figures = system.figures.get(data, {})
            cells = [f"{figures[m]:.1f}" if m in figures else NOTHING for m in METRICS]
            if figures:
                here.append([system.name, NOTHING, *cells, NOTHING])
        rows += [[TITLES[data]], *here]
    notes = [
        "Next to each solver stands what the paper prints for the system that it is built after (next to the "
        "feature sets: for its own solver). SWLLR reaches 68.0 on Dolphin-L with over 9000 rules for number "
        "problems, says a footnote there.",
    ]
    return Table(_titled(plan, "Table 5: solvers side by side, trained on equations"), head, rows, notes)


def _table5_corrected(records: Records, plan: Plan) -> Table:
    """Return how the answers of Table 5 score on corrected gold; only of solvers whose records have it."""
    metrics = [(gold, metric) for metric in METRICS for gold in ("score", CORRECTED)]
    names = {"score": "published", CORRECTED: "corrected"}
    head = ["trained on equations (TE)", *(f"{_SHORT[m]}, {names[gold]}" for gold, m in metrics), "seeds"]
    rows: list[list[str]] = []
    for data in TABLE5_DATA:
        here = []
        for solver in plan.solvers:
            found = pooled(records, plan, solver, data, "TE").with_corrected()
            if found.seeds:
                figures = [str(found.accuracy(metric, gold)) for gold, metric in metrics]
                here.append([variant_title(solver), *figures, str(len(found.seeds))])
        rows += [[TITLES[data]], *here] if here else []
    notes = [
        "The same answers, of solvers trained on the gold as published, scored twice: on that gold, and on the gold "
        "with the corrections v2 (docs/known-defects.md).",
    ]
    return Table(_titled(plan, "Table 5 on corrected gold"), head, rows, notes)


def summary_table(records: Records, plan: Plan) -> Table:
    """Return the figures in short: solution / equation / derivation accuracy, a row a setting, a column a solver."""
    head = ["solution / equation / derivation accuracy", "paper", *map(variant_title, plan.variants)]
    rows = []
    for data, setting in plan.trained():
        paper = ACCURACIES.get((data, setting))
        cells = [f"{TITLES[data]}, {setting}", NOTHING if paper is None else _joined(f"{v:.1f}" for v in paper)]
        for variant in plan.variants:
            found = accuracies(pooled(records, plan, variant, data, setting))
            whole = all(spread.values for spread in found)
            cells.append(_joined(f"{spread.mean:.1f}" for spread in found) if whole else NOTHING)
        rows.append(cells)
    return Table(_titled(plan, "Figures"), head, rows)


def _joined(texts: Iterable[str]) -> str:
    return " / ".join(texts)
