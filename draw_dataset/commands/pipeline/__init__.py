"""``draw pipeline``: cleaning archives and grading answers in many processes, here, on Slurm or on Ray."""

from __future__ import annotations

import argparse

from draw_dataset.commands.options import add_command
from draw_dataset.commands.pipeline import clean, grade
from draw_dataset.commands.pipeline import status as status_command

HELP = "clean web archives and grade answers in many processes: here, on Slurm or on Ray"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommands."""
    parser.epilog = (
        "You can stop a run at any time. To continue it, run the same command again.\n\n"
        "examples:\n"
        "  draw pipeline clean --warc archives/ --out pool --tasks 64 --workers 8\n"
        "  draw pipeline grade --predictions 'answers/*.jsonl' --references draw1k/test --out graded --workers 8\n"
        "  draw pipeline status pool"
    )
    commands = parser.add_subparsers(dest="pipeline_command", required=True, metavar="COMMAND")
    for name, module in (("clean", clean), ("grade", grade), ("status", status_command)):
        add_command(commands, name, module, run_action=module.run)


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked for."""
    status: int = arguments.run_action(arguments)
    return status
