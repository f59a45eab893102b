"""``draw stats``: the figures of the datasets next to those of the paper's Table 2, with what is counted."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from draw_dataset.catalog import load, resolve
from draw_dataset.commands.options import add_json, add_release, add_sources
from draw_dataset.release import DATASETS

HELP = "print the paper's Table 2 next to our figures, with definitions, or the figures of your own rows"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "examples:\n"
        "  draw stats                           the three datasets of the release, and all of them together\n"
        "  draw stats sample                    the embedded sample; needs no file\n"
        "  draw stats draw1k/test rows.jsonl --json\n"
        "  draw stats --plot figure.svg"
    )
    add_sources(parser, "*", "the three datasets of the release")
    add_release(parser)
    add_json(parser)
    parser.add_argument("--plot", type=Path, metavar="FILE", help="also draw a figure: .png, .svg or .pdf")


def run(arguments: argparse.Namespace) -> int:
    """Print the figures and draw the plot."""
    # Here, as the other subcommands do not need them.
    from draw_dataset.files.plot import check_plot
    from draw_dataset.statistics import measure
    from draw_dataset.statistics.plot import save_plot
    from draw_dataset.statistics.table import as_data, as_text

    if arguments.plot is not None:
        check_plot(arguments.plot)  # before the work, not after it
    sources = {source.title: source for source in map(resolve, arguments.sources or DATASETS)}
    problems = {name: load(source, arguments.data_dir, arguments.corrected) for name, source in sources.items()}
    columns = {name: measure(listed) for name, listed in problems.items()}
    if arguments.plot is not None:
        save_plot(columns, arguments.plot)
    if not arguments.sources:
        columns["all"] = measure(problem for listed in problems.values() for problem in listed)
    print(json.dumps(as_data(columns), ensure_ascii=False) if arguments.json else as_text(columns))
    return 0
