"""``draw stats``: the figures of the datasets beside those of the paper's Table 2, with what is counted."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from draw_dataset.commands.sources import load_all
from draw_dataset.release.loading import DATASETS

HELP = "print the paper's Table 2 beside our figures, with definitions, or the figures of your own rows"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "examples:\n"
        "  draw stats                           the three datasets of the release, and all of them together\n"
        "  draw stats sample                    the embedded sample; needs no file\n"
        "  draw stats draw1k rows.jsonl --json\n"
        "  draw stats --plot figure.svg"
    )
    parser.add_argument(
        "sources",
        nargs="*",
        metavar="SOURCE",
        help=f"{', '.join(DATASETS)}, sample, or a JSONL file of rows (default: the three datasets)",
    )
    parser.add_argument("--data-dir", metavar="DIR", help="the folder with the files of the release")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="also draw a figure: .png, .svg or .pdf")


def run(arguments: argparse.Namespace) -> int:
    """Print the figures and draw the plot."""
    # Here, as the other subcommands do not need them.
    from draw_dataset.statistics import measure
    from draw_dataset.statistics.plot import check_plot, save_plot
    from draw_dataset.statistics.table import as_data, as_text

    if arguments.plot is not None:
        check_plot(arguments.plot)  # before the work, not after it
    problems = {name: load_all(name, arguments.data_dir) for name in arguments.sources or DATASETS}
    columns = {name: measure(listed) for name, listed in problems.items()}
    if arguments.plot is not None:
        save_plot(columns, arguments.plot)
    if not arguments.sources:
        columns["all"] = measure(problem for listed in problems.values() for problem in listed)
    print(json.dumps(as_data(columns), ensure_ascii=False) if arguments.json else as_text(columns))
    return 0
