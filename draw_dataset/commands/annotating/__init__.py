"""The subcommands of ``draw annotate``, one module each, shaped like those of ``draw``; here is what they share."""

from __future__ import annotations

import argparse
from pathlib import Path

STORE = Path("work.db")
"""The store, unless another is named."""


def add_store(parser: argparse.ArgumentParser) -> None:
    """Declare the argument that names the store."""
    parser.add_argument(
        "--store", type=Path, default=STORE, metavar="FILE", help=f"the file of annotations (default: {STORE})"
    )


def counted(counts: dict[str, int]) -> str:
    """Return counts as a text.

    >>> counted({"automatic": 3, "open": 0, "refused": 1})
    '3 automatic, 1 refused'
    """
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "none"
