"""Reads the stored pages of a crawl and writes the pool of problems that can be annotated: ``draw clean``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from draw_dataset import cli


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``draw clean`` and return its exit status."""
    return cli.main(["clean", *(sys.argv[1:] if argv is None else argv)])


if __name__ == "__main__":
    sys.exit(main())
