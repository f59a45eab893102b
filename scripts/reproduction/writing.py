"""The question: how do the tables leave: as text, Markdown, JSON and a plot, in a folder, and in the README."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from draw_dataset.errors import ChoiceError, FolderError
from draw_dataset.files import write_whole
from reproduction.analysis import error_tables, errors_as_data
from reproduction.jobs import DatasetJob, Plan
from reproduction.paper import ACCURACIES, METRICS, TABLE5
from reproduction.plot import save_plot
from reproduction.store import Records, write_records
from reproduction.summary import pooled
from reproduction.systems import System
from reproduction.tables import readme_table, tables_of

BEGIN = "<!-- reproduce_tables.py writes what stands between these lines -->"
END = "<!-- end of what reproduce_tables.py writes -->"

RECORDS = "jobs.jsonl"
MARKDOWN = "tables.md"
PLOT = "tables.svg"


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
    for variant in plan.variants:
        for data, setting in plan.trained():
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
        "quoted_solution_accuracies": {data: quoted._asdict() for data, quoted in TABLE5.items()},
        "systems": [system.as_data() for system in systems],
        "errors": errors_as_data(records, plan),
    }


def write_folder(folder: Path, records: Records, plan: Plan, systems: Sequence[System], plot: bool) -> list[Path]:
    """Write the records, the Markdown and the plot into a folder, and return the files.

    Raises:
        FolderError: they cannot be written.
        ExtraMissing: the plot is wanted and matplotlib is not installed.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FolderError(f"cannot make the folder {folder}: {error}") from error
    written = [folder / RECORDS, folder / MARKDOWN]
    write_records(written[0], records)
    write_whole(written[1], as_markdown(records, plan, systems, plot))
    if plot:
        save_plot(records, plan, folder / PLOT)
        written.append(folder / PLOT)
    return written


def update_readme(path: Path, records: Records, plan: Plan) -> None:
    """Put the figures in short between the two marks of a README.

    Raises:
        ChoiceError: the file does not have the marks once each, in this order.
        FolderError: it cannot be read or written.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FolderError(f"cannot read {path}: {error}") from error
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise ChoiceError(f"{path}: expected the lines {BEGIN!r} and {END!r} once each, in this order")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    table = readme_table(records, plan).to_markdown(0)
    seeds = "One seed." if plan.seeds == 1 else f"Means over {plan.seeds} seeds."
    note = f"{seeds}\n\n" + "\n".join(f"- {line}" for line in _conditions(records, plan))
    write_whole(path, f"{before}{BEGIN}\n\n{table}\n\n{note}\n\n{END}{after}")


def _conditions(records: Records, plan: Plan) -> list[str]:
    """Return under which conditions the figures hold: what the signatures of all records have in common."""
    chosen = [record for job, record in records.items() if not isinstance(job, DatasetJob)]
    expected = len(plan.jobs())
    lines = [] if len(records) == expected else [f"Incomplete: {len(records)} of {expected} jobs are stored."]
    scores = sorted({_common(record["score"]["signature"], ("data", "n")) for record in chosen})
    models = sorted({_common(record["model"], ("train", "k", "seed", "n")) for record in chosen})
    lines += [f"Scores: `{signature}`" for signature in scores]
    lines += [f"Models: `{signature}`" for signature in models]
    codes = {job.as_data()["kind"]: record["code"] for job, record in records.items()}
    lines.append("Code: " + ", ".join(f"`{kind}:{code}`" for kind, code in sorted(codes.items())))
    return lines


def _common(signature: str, without: Sequence[str]) -> str:
    return "|".join(part for part in signature.split("|") if part.split(":")[0] not in without)
