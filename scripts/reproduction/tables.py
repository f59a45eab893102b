"""The tables: figures pooled over folds and seeds, the paper's next to ours, other systems, and errors by reason.

The folds of a cross-validation are pooled: the right answers of all folds over the problems of all folds. That gives
one figure a seed; over the seeds there are a mean and a standard deviation. A seed that lacks a fold does not count.
Differences of two settings are taken seed by seed, so that what both have in common drops out.

Tables 3 and 4 come once for each solver (feature set and k): the paper's figures, then ours over the seeds. Table 5 has
all solvers side by side, and those that a user adds as ``NAME=FILE``. A JSONL file holds predictions, as ``draw score``
takes them, for the test problems of one or more of the datasets, ids telling which; they are scored here. A JSON or
TOML file holds figures in percent that someone has reported: ``{"draw1k": {"solution": 52.0, "derivation": 48.0}}``, or
``[draw1k]`` and ``solution = 52.0``.

The tables of errors have, for each solver, dataset and setting: the share of the test problems by the reason of the
verdict, averaged over the seeds; the right answers whose derivation is wrong, and why theirs are; and how many problems
have a template that is equivalent to none of the training problems'.
"""

from __future__ import annotations

import re
import textwrap
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from pathlib import Path
from typing import Any

from draw_dataset.data.statistics import FIGURES
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import ChoiceError, ScoreError, short_repr
from draw_dataset.io.jsonl import decode_json, read_text
from draw_dataset.scoring.files import read_predictions
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.score import score
from draw_dataset.scoring.verdict import Reason
from reproduction.figures import splits_of
from reproduction.jobs import (
    ACCURACIES,
    DATASETS,
    METRICS,
    SOLVERS,
    TABLE3_DATA,
    TABLE3_SETTINGS,
    TABLE4_DATA,
    TABLE4_SETTINGS,
    TABLE5,
    TABLE5_DATA,
    TITLES,
    Accuracies,
    DatasetJob,
    Plan,
    SolverJob,
)
from reproduction.store import CORRECTED, Record, Records

Variant = tuple[str, int | None]  # a solver: its name and its k


@dataclass(frozen=True, slots=True)
class Spread:
    """A figure over the seeds."""

    values: Mapping[int, float]  # its value for each seed, by seed

    @property
    def mean(self) -> float:
        """The mean over the seeds."""
        return fsum(self.values.values()) / len(self.values)

    @property
    def deviation(self) -> float | None:
        """The standard deviation of a sample; None if there is one seed only."""
        if len(self.values) < 2:
            return None
        mean = self.mean
        return sqrt(fsum((value - mean) ** 2 for value in self.values.values()) / (len(self.values) - 1))

    def __sub__(self, other: Spread) -> Spread:
        return Spread({seed: v - other.values[seed] for seed, v in self.values.items() if seed in other.values})

    def __str__(self) -> str:
        if not self.values:
            return "–"
        deviation = self.deviation
        # Adding 0 turns a rounded -0.0 into 0.0.
        mean = f"{round(self.mean, 1) + 0:.1f}"
        return mean if deviation is None else f"{mean} ± {deviation:.1f}"

    def as_data(self) -> dict[str, object]:
        """Return the figure as plain data."""
        if not self.values:
            return {"mean": None, "sd": None, "values": []}
        deviation = self.deviation
        return {
            "mean": round(self.mean, 3),
            "sd": None if deviation is None else round(deviation, 3),
            "values": [round(value, 3) for value in self.values.values()],
        }


EDITIONS = ("v2", "v3")
"""The editions of corrected gold that records may have."""


def corrected_score(record: Record) -> Record:
    """Return the score on corrected gold; empty if the record has none. Older records have that of v2 by itself."""
    found: Record = record["score"].get("corrected") or record.get(CORRECTED) or {}
    return found


def edition_of(record: Record) -> str:
    """Return the edition of corrected gold that a record is scored on; empty if there is none."""
    found = re.search(r"\+corrected-(v\d+)", corrected_score(record).get("signature", ""))
    return found[1] if found else ""


@dataclass(frozen=True, slots=True)
class Pooled:
    """One solver under one setting on one dataset, the folds of each seed pooled."""

    seeds: Mapping[int, tuple[Record, ...]]  # the records of each seed that is whole

    def accuracy(self, metric: str, edition: str = "") -> Spread:
        """Return an accuracy in percent; on an edition of corrected gold, if one is given."""
        found = {}
        for seed, records in self.seeds.items():
            scores = [corrected_score(r) if edition else r["score"] for r in records]
            right = fsum(one[f"{metric}_accuracy"] * one["n"] for one in scores)
            found[seed] = 100 * right / sum(one["n"] for one in scores)
        return Spread(found)

    def with_corrected(self, edition: str) -> Pooled:
        """Return the seeds that are scored on an edition of corrected gold as well."""
        kept = {s: found for s, found in self.seeds.items() if all(edition_of(r) == edition for r in found)}
        return Pooled(kept)

    def share(self, *path: str) -> Spread:
        """Return a count of the records, found by a path of keys, in percent of the problems tested."""
        return Spread(
            {
                seed: 100 * sum(_count(record, path) for record in records) / _total(records)
                for seed, records in self.seeds.items()
            }
        )

    @property
    def tested(self) -> int:
        """How many problems are tested with each seed."""
        return _total(next(iter(self.seeds.values()))) if self.seeds else 0


def _total(records: tuple[Record, ...]) -> int:
    return sum(record["score"]["n"] for record in records)


def _count(record: Record, path: tuple[str, ...]) -> int:
    found = record
    for key in path:
        found = found.get(key, {})
    return found if isinstance(found, int) else 0


def pooled(records: Records, plan: Plan, variant: Variant, data: str, setting: str) -> Pooled:
    """Return what the records say of one solver under one setting on one dataset."""
    seeds = {}
    for seed in range(plan.seeds):
        jobs = plan.folds(variant, data, setting, seed)
        if all(job in records for job in jobs):
            seeds[seed] = tuple(records[job] for job in jobs)
    return Pooled(seeds)


def accuracies(found: Pooled) -> list[Spread]:
    """Return the three accuracies in the order of the paper's columns."""
    return [found.accuracy(metric) for metric in METRICS]


@dataclass(frozen=True, slots=True)
class System:
    """A solver of someone else's."""

    name: str  # what it is called
    file: str  # where its figures come from
    figures: Mapping[str, Mapping[str, float]]  # dataset -> metric -> accuracy in percent
    signatures: Mapping[str, str]  # dataset -> signature, where predictions were scored here

    def as_data(self) -> dict[str, Any]:
        """Return the system as plain data."""
        return {"name": self.name, "file": self.file, "figures": self.figures, "signatures": self.signatures}


def read_system(given: str, source: str, data_dir: str | None) -> System:
    """Return the system that NAME=FILE names."""
    name, equals, file = given.partition("=")
    path = Path(file)
    if not (name and equals and file):
        raise ChoiceError(f"--system: expected NAME=FILE, but got {short_repr(given)}")
    if path.suffix == ".jsonl":
        return _scored(name, path, source, data_dir)
    if path.suffix in (".json", ".toml"):
        return System(name, path.name, _figures(path), {})
    raise ChoiceError(f"--system: expected a file ending in .jsonl, .json or .toml, but got {short_repr(file)}")


def _figures(path: Path) -> dict[str, dict[str, float]]:
    try:
        text = read_text(path, error=ScoreError)
        data = decode_json(text, f"{path}", ScoreError) if path.suffix == ".json" else tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ScoreError(f"{path}: expected figures in TOML, but got {error}") from error
    if not isinstance(data, dict) or not data or not set(data) <= set(DATASETS):
        raise ScoreError(f"{path}: expected figures for some of {', '.join(DATASETS)}, but got {short_repr(data)}")
    for dataset, figures in data.items():
        if not isinstance(figures, dict) or not figures or not set(figures) <= set(METRICS):
            raise ScoreError(f"{path}, {dataset}: expected some of {', '.join(METRICS)}, but got {short_repr(figures)}")
        for metric, value in figures.items():
            if type(value) not in (int, float) or not 0 <= value <= 100:
                raise ScoreError(f"{path}, {dataset}, {metric}: expected a percentage, but got {short_repr(value)}")
    return data


def _scored(name: str, path: Path, source: str, data_dir: str | None) -> System:
    predictions: dict[int, Any] = {}
    for where, id_, prediction in read_predictions(path):
        if id_ in predictions:
            raise ScoreError(f"{where}: expected each id once, but got {id_} again")
        predictions[id_] = prediction
    figures: dict[str, dict[str, float]] = {}
    signatures: dict[str, str] = {}
    known: set[int] = set()
    for dataset in DATASETS:
        tested = _tested(dataset, source, data_dir)
        here = [problem for problem in tested if problem.id in predictions]
        known.update(problem.id for problem in here)
        if not here:
            continue
        if len(here) < len(tested):
            raise ScoreError(
                f"{path}: expected predictions for all {len(tested)} test problems of {dataset} or for none, "
                f"but got {len(here)}; a null abstains"
            )
        found = score([predictions[p.id] for p in here], [PreparedProblem(p) for p in here], data=f"{dataset}/tested")
        figures[dataset] = {metric: 100 * getattr(found, f"{metric}_accuracy") for metric in METRICS}
        signatures[dataset] = str(found.signature)
    strange = [id_ for id_ in predictions if id_ not in known]
    if strange or not predictions:
        got = f"{strange[0]} and {len(strange) - 1} more" if strange else "none"
        raise ScoreError(f"{path}: expected ids of test problems, but got {got}")
    return System(name, path.name, figures, signatures)


def _tested(dataset: str, source: str, data_dir: str | None) -> list[Problem]:
    """Return the problems that a dataset is tested on: its test split, or all folds."""
    splits = splits_of(source, dataset, data_dir)
    if "test" in splits:
        return splits["test"]
    return [problem for name, split in splits.items() if name.startswith("fold") for problem in split]


WIDTH = 110  # columns of a terminal that notes are wrapped to

NOTHING = "–"
_SHORT = {"solution": "soln", "equation": "eqn", "derivation": "deriv"}


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts."""

    title: str  # what stands above it
    head: Sequence[str]  # the names of the columns
    # the cells, as many in each row as there are columns; a row with one cell is a heading
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()  # what stands below it, a sentence each

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
    for edition in EDITIONS:
        corrected = _on_corrected_gold(records, plan, edition)
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
        "problems, says a footnote there."
    ]
    return Table(_titled(plan, "Table 5: solvers side by side, trained on equations"), head, rows, notes)


def _on_corrected_gold(records: Records, plan: Plan, edition: str) -> Table:
    """Return how the answers score on an edition of corrected gold; only of solvers whose records have it."""
    metrics = [(gold, metric) for metric in METRICS for gold in ("", edition)]
    head = ["", *(f"{_SHORT[metric]}, {gold or 'published'}" for gold, metric in metrics), "seeds"]
    trained = {"table3": (TABLE3_DATA, TABLE3_SETTINGS), "table4": (TABLE4_DATA, TABLE4_SETTINGS)}
    shown = {(data, setting): None for name in plan.tables if name in trained for data in trained[name][0]
             for setting in trained[name][1]}  # fmt: skip
    shown |= {(data, "TE"): None for data in TABLE5_DATA if "table5" in plan.tables}
    rows: list[list[str]] = []
    for data, setting in shown:
        here = []
        for solver in plan.solvers:
            found = pooled(records, plan, solver, data, setting).with_corrected(edition)
            if found.seeds:
                figures = [str(found.accuracy(metric, gold)) for gold, metric in metrics]
                here.append([f"{variant_title(solver)}, {setting}", *figures, str(len(found.seeds))])
        rows += [[TITLES[data]], *here] if here and [TITLES[data]] not in rows else here
    notes = [
        "The same answers, of solvers trained on the gold as published, scored twice: on that gold, and on the gold "
        f"with the corrections {edition} (docs/gold.md)."
    ]
    return Table(_titled(plan, f"Tables 3 to 5 on corrected gold, {edition}"), head, rows, notes)


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


Keys = tuple[str, ...]  # the keys under which a record has a count

_LUCKY = "right_answer_wrong_derivation"


def error_tables(records: Records, plan: Plan) -> list[Table]:
    """Return two tables for each solver: all verdicts by reason, and the right answers with wrong derivations."""
    verdicts: list[tuple[str, Keys]] = [
        (reason, ("score", "counts", reason)) for reason in _occurring(records, ("score", "counts"))
    ]
    lucky: list[tuple[str, Keys]] = [
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


def _occurring(records: Records, path: Keys) -> list[str]:
    """Return the reasons that are counted in any record under some keys, in their order."""
    seen: set[str] = set()
    for job, record in records.items():
        if isinstance(job, SolverJob):
            for key in path:
                record = record[key]
            seen.update(record)
    return [str(reason) for reason in Reason if str(reason) in seen]


def _shares(
    records: Records, plan: Plan, variant: Variant, title: str, columns: list[tuple[str, Keys]], notes: list[str]
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
