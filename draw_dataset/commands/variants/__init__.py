"""``draw variants``: new numbers and traps for any rows, and the derivation read off from answers to them."""

from __future__ import annotations

import argparse
import os
from importlib import import_module

from draw_dataset.commands.options import add_command

HELP = "make variants of problems (new numbers, traps), and find derivations from final answers alone"

COMMANDS = ("make", "score")
"""The subcommands; each is a module of this package."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommands."""
    parser.epilog = (
        "examples:\n"
        "  draw variants make draw1k/test --count 3 --seed 0 --out v.jsonl\n"
        "  draw variants score answers.jsonl --variants v.jsonl\n\n"
        "each subcommand has a --help of its own."
    )
    commands = parser.add_subparsers(dest="variants_command", required=True, metavar="make | score")
    for name in COMMANDS:
        module = import_module(f"draw_dataset.commands.variants.{name}")
        add_command(commands, name, module, run_action=module.run)


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked for."""
    # The arrays are small: threads of linear algebra would wait for each other. They are settled when numpy is
    # imported, so this must come before.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    status: int = arguments.run_action(arguments)
    return status
