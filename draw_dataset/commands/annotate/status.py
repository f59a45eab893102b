"""``draw annotate status``: how far the annotation has come."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from draw_dataset.commands.annotate import add_store, counted
from draw_dataset.commands.options import add_json

if TYPE_CHECKING:
    from draw_dataset.annotation.outcome import Overview

HELP = "show how much is annotated, and what is left"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = "examples:\n  draw annotate status --store work.db\n  draw annotate status --store work.db --json"
    add_store(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the overview."""
    from draw_dataset.annotation.outcome import survey
    from draw_dataset.annotation.store import Store

    with Store.open(arguments.store) as store:
        overview = survey(store)
    print(json.dumps(overview.as_data()) if arguments.json else _as_text(overview))
    return 0


def _as_text(overview: Overview) -> str:
    lines = [
        f"problems: {sum(overview.problems.values())} ({counted(dict(overview.problems))})",
        f"wanted annotators a problem: {overview.annotators_per_problem}",
        f"settled: {sum(overview.settled.values())} ({counted(dict(overview.settled))})",
        f"not settled: {sum(overview.unsettled.values())} ({counted(dict(overview.unsettled))})",
    ]
    if overview.annotators:
        width = max(9, *map(len, overview.annotators))
        lines += ["", f"{'annotator':{width}} submitted  flagged  skipped     left  minutes  median seconds"]
    for name, progress in overview.annotators.items():
        median = "-" if progress.median_seconds is None else f"{progress.median_seconds:.1f}"
        counts = f"{progress.submitted:9} {progress.flagged:8} {progress.skipped:8} {progress.left:8}"
        lines.append(f"{name:{width}} {counts} {progress.seconds / 60:8.1f} {median:>15}")
    sections = {
        "cannot be annotated as they are": overview.refused.items(),
        "flagged": [
            (id_, "; ".join(f"{name}: {why or 'no reason given'}" for name, why in by.items()))
            for id_, by in overview.flagged.items()
        ],
        "for an adjudicator": [(id_, "annotators disagree") for id_ in overview.disagreements],
    }
    for title, listed in sections.items():
        if listed:
            lines += ["", f"{title}:", *(f"  {id_}: {message}" for id_, message in listed)]
    return "\n".join(lines)
