"""``draw register`` and ``draw unregister``: the bare names in this environment without any import, and undone."""

from __future__ import annotations

import argparse
import sys

from draw_dataset.catalog import BARE_NAMES, DATASETS
from draw_dataset.huggingface.metric import METRICS
from draw_dataset.huggingface.registration import register, registered_in, unregister

HELP = "make the names draw1k, alg514 … known in this environment without import draw_dataset"
UNDO_HELP = "undo draw register"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "It writes one .pth file into the environment's site-packages, which imports draw_dataset at every start of\n"
        "the interpreter (a few milliseconds, no Hugging Face library). draw unregister removes the file.\n\n"
        "exit status: 0 registered, 1 not registered (with --status), 2 the environment cannot be written\n\n"
        "examples:\n"
        "  draw register\n"
        "  draw register --status\n"
        "  draw unregister"
    )
    parser.add_argument("--status", action="store_true", help="only show whether the names are registered")


def run(arguments: argparse.Namespace) -> int:
    """Register, or say whether it is done; return 1 if only asked and it is not."""
    if arguments.status:
        files = registered_in()
        for path in files:
            print(f"registered by {path}")
        if not files:
            print(f"not registered in {sys.prefix}")
        return 0 if files else 1
    path, new = register()
    print(f"{'wrote' if new else 'already registered by'} {path}")
    names = [*(name for name, config in BARE_NAMES.items() if config in DATASETS), *METRICS]
    print(f"{', '.join(names)} need no import of draw_dataset in {sys.prefix}; draw unregister undoes it")
    return 0


def run_undo(_: argparse.Namespace) -> int:
    """Remove the file, if it is there."""
    removed = unregister()
    for path in removed:
        print(f"removed {path}")
    if not removed:
        print(f"not registered, so there is nothing to remove in {sys.prefix}")
    return 0
