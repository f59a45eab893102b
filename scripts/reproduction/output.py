"""How the tables are written: as text, Markdown, JSON and a plot, into a folder and into a page of the docs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from draw_dataset.errors import ChoiceError, FolderError
from draw_dataset.io.atomic import check_writable, write_atomically
from draw_dataset.io.jsonl import read_text
from draw_dataset.io.plot import COLOURS, INK, check_plot, plot_file
from reproduction.jobs import ACCURACIES, METRICS, SOLVERS, TABLE5, TITLES, DatasetJob, Plan, SolverJob
from reproduction.store import Records, write_records
from reproduction.tables import (
    System,
    Variant,
    error_tables,
    errors_as_data,
    pooled,
    seeds_of,
    summary_table,
    tables_of,
    variant_title,
)

BEGIN = "<!-- reproduce_tables.py writes what stands between these lines -->"
BEGIN_TABLE5 = "<!-- reproduce_tables.py writes Table 5 between these lines -->"
END = "<!-- end of what reproduce_tables.py writes -->"

RECORDS = "jobs.jsonl"
MARKDOWN = "tables.md"
PLOT = "tables.svg"

_COLOURS = {"TE": COLOURS[1], "TE*": COLOURS[3], "TD": COLOURS[0]}


def as_text(records: Records, plan: Plan, systems: Sequence[System]) -> str:
    """Return all tables for a terminal."""
    tables = [*tables_of(records, plan, systems), *error_tables(records, plan)]
    return "\n\n\n".join([*(table.to_text() for table in tables), "\n".join(_conditions(records, plan))])


def as_markdown(records: Records, plan: Plan, systems: Sequence[System], plot: bool) -> str:
    """Return all tables in Markdown, with the plot if there is one."""
    ours = "ours with one seed" if plan.seeds == 1 else f"ours as the mean ± standard deviation over {plan.seeds} seeds"
    lead = (
        f"Written by `scripts/reproduce_tables.py`. Figures are percentages: the paper's, and {ours}.\n"
        "The folds of a cross-validation are pooled."
    )
    parts = ["# The tables of the paper, reproduced", lead, *(f"- {line}" for line in _conditions(records, plan))]
    if plot:
        parts.append(f"![Accuracies, ours as bars and the paper's as diamonds]({PLOT})")
    parts += [table.to_markdown(2) for table in tables_of(records, plan, systems)]
    parts += [table.to_markdown(2) for table in error_tables(records, plan)]
    return re.sub(r"(?m)^(- .*)\n\n(?=- )", r"\1\n", "\n\n".join(parts)) + "\n"


def as_data(records: Records, plan: Plan, systems: Sequence[System]) -> dict[str, Any]:
    """Return everything as plain data."""
    accuracies = []
    for variant in plan.solvers:
        for data, setting in plan.trained(variant):
            found = pooled(records, plan, variant, data, setting)
            paper = ACCURACIES.get((data, setting))
            accuracies.append(
                {
                    "features": variant[0],
                    "k": variant[1],
                    "data": data,
                    "setting": setting,
                    "tested": found.tested,
                    "here": {metric: found.accuracy(metric).as_data() for metric in METRICS},
                    "paper": None if paper is None else paper._asdict(),
                }
            )
    return {
        "source": plan.source,
        "seeds": plan.seeds,
        "conditions": _conditions(records, plan),
        "datasets": {
            job.data: {"statistics": record["statistics"], "annotation": record["annotation"]}
            for job, record in records.items()
            if isinstance(job, DatasetJob)
        },
        "accuracies": accuracies,
        "quoted_solution_accuracies": TABLE5,
        "systems": [system.as_data() for system in systems],
        "errors": errors_as_data(records, plan),
    }


def prepare_folder(folder: Path, plot: bool) -> None:
    """Make a folder for the tables, or say at once that they cannot be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FolderError(f"cannot make the folder {folder}: {error.strerror or error}") from error
    check_writable(folder / RECORDS)
    if plot:
        check_plot(folder / PLOT)


def write_folder(folder: Path, records: Records, plan: Plan, systems: Sequence[System], plot: bool) -> list[Path]:
    """Write the records, the Markdown and the plot into a folder, and return the files."""
    written = [folder / RECORDS, folder / MARKDOWN]
    write_records(written[0], records)
    write_atomically(written[1], as_markdown(records, plan, systems, plot))
    if plot:
        save_plot(records, plan, folder / PLOT)
        written.append(folder / PLOT)
    return written


def save_plot(records: Records, plan: Plan, path: Path) -> None:
    """Draw the accuracies, a row of panels a solver and a panel a dataset, and save them.

    Bars are ours, with the standard deviation over the seeds where there are several; a diamond is the paper's figure.
    """
    trained = plan.trained()
    columns = list(dict.fromkeys(data for data, _ in trained))
    settings = [setting for setting in _COLOURS if any(setting == s for _, s in trained)]
    size = (2.6 * len(columns) + 0.6, 2.5 * len(plan.variants) + 0.6)
    with plot_file(path, size, {"font.size": 9, "axes.titlesize": 9, "axes.titleweight": "normal"}) as figure:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        panels = figure.subplots(len(plan.variants), len(columns), sharey=True, squeeze=False)
        for row, variant in zip(panels, plan.variants, strict=True):
            for axes, data in zip(row, columns, strict=True):
                _panel(axes, records, plan, variant, data)
            row[0].set_ylabel(f"{variant_title(variant)}\naccuracy, %")
        handles: list[Any] = [Patch(color=_COLOURS[setting], label=setting) for setting in settings]
        handles.append(Line2D([], [], marker="D", color="none", markeredgecolor=INK, label="paper", markersize=5))
        figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), frameon=False)


def _panel(axes: Any, records: Records, plan: Plan, variant: Variant, data: str) -> None:
    """Draw one dataset: a group of bars a metric, a bar a setting."""
    settings = [setting for d, setting in plan.trained() if d == data]
    width = 0.8 / len(settings)
    for i, setting in enumerate(settings):
        found = pooled(records, plan, variant, data, setting)
        paper = ACCURACIES.get((data, setting))
        for j, metric in enumerate(METRICS):
            place = j + (i - (len(settings) - 1) / 2) * width
            spread = found.accuracy(metric)
            if spread.values:
                deviation = spread.deviation
                axes.bar(place, spread.mean, width * 0.92, color=_COLOURS[setting], yerr=deviation, ecolor=INK)
            if paper is not None:
                axes.plot(place, paper[j], marker="D", color="white", markeredgecolor=INK, markersize=5)
    axes.set_xticks(range(len(METRICS)), METRICS)
    axes.set_ylim(0, 100)
    axes.set_title(TITLES[data].replace(", trained on ", ",\n"), loc="left")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def update_page(path: Path, records: Records, plan: Plan) -> None:
    """Put the table of all figures, or Table 5, between the two marks of a page; the first mark says which."""
    text = read_text(path, error=FolderError)
    begins = [mark for mark in (BEGIN, BEGIN_TABLE5) for _ in range(text.count(mark))]
    if len(begins) != 1 or text.count(END) != 1 or text.index(begins[0]) > text.index(END):
        raise ChoiceError(
            f"{path}: expected the line {BEGIN!r} or {BEGIN_TABLE5!r}, then {END!r}, once each, in this order"
        )
    before, rest = text.split(begins[0])
    _, after = rest.split(END)
    made = _table5_of_page(records, plan) if begins[0] == BEGIN_TABLE5 else _figures_of_page(records, plan)
    write_atomically(path, f"{before}{begins[0]}\n\n{made}\n\n{END}{after}")


def _figures_of_page(records: Records, plan: Plan) -> str:
    seeds = "One seed." if plan.seeds == 1 else f"Means over {plan.seeds} seeds."
    conditions = "\n".join(f"- {line}" for line in _conditions(records, plan))
    return "\n\n".join([summary_table(records, plan).to_markdown(0), seeds, conditions])


def _table5_of_page(records: Records, plan: Plan) -> str:
    tables = tables_of(records, replace(plan, tables=("table5",)))
    return "\n\n".join([tables[0].to_markdown(0), *(table.to_markdown(3) for table in tables[1:])])


def _conditions(records: Records, plan: Plan) -> list[str]:
    """Return under which conditions the figures hold: what the signatures of all records have in common."""
    chosen = [record for job, record in records.items() if not isinstance(job, DatasetJob)]
    lines = _seeds(records, plan)
    scores = sorted({_common(record["score"]["signature"], ("data", "n")) for record in chosen})
    models = sorted({_common(record["model"], ("train", "k", "seed", "n")) for record in chosen})
    lines += [f"Scores: `{signature}`" for signature in scores]
    lines += [f"Models: `{signature}`" for signature in models]
    codes = Counter((job.as_data()["kind"], record["code"]) for job, record in records.items())
    told = [f"`{kind}:{code}` ({count} jobs)" for (kind, code), count in sorted(codes.items())]
    behaviours = sorted({record["behaviour"] for job, record in records.items() if isinstance(job, SolverJob)})
    lines.append(f"Behaviour: {', '.join(f'`{one}`' for one in behaviours)}. Code: {', '.join(told)}.")
    return lines


def _seeds(records: Records, plan: Plan) -> list[str]:
    """Return with how many seeds each solver was trained, where that differs."""
    counts = {variant: seeds_of(records, plan, variant) for variant in plan.solvers}
    drawn = {variant: found for variant, found in counts.items() if found and SOLVERS[variant[0]].drawn}
    if all(found == {plan.seeds} for found in drawn.values()):
        return []
    told = [
        f"{variant_title(variant)} {' or '.join(str(count) for count in sorted(found, reverse=True))}"
        for variant, found in drawn.items()
    ]
    return [f"Seeds: {'; '.join(told)}."]


def _common(signature: str, without: Sequence[str]) -> str:
    return "|".join(part for part in signature.split("|") if part.split(":")[0] not in without)
