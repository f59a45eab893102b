"""Draws problems to annotate from the pool that clean_problems.py wrote: ``draw sample``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from draw_dataset import cli


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``draw sample`` and return its exit status."""
    return cli.main(["sample", *(sys.argv[1:] if argv is None else argv)])


if __name__ == "__main__":
    sys.exit(main())
