"""``draw unregister``: undo ``draw register``."""

from __future__ import annotations

import argparse
import sys

from draw_dataset.registration import unregister

HELP = "undo draw register"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments: there are none."""
    del parser


def run(arguments: argparse.Namespace) -> int:
    """Remove the file, if it is there."""
    del arguments
    removed = unregister()
    for path in removed:
        print(f"removed {path}")
    if not removed:
        print(f"nothing to remove: not registered in {sys.prefix}")
    return 0
