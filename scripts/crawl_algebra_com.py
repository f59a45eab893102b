"""Fetches the question pages of algebra.com into a ledger: ``draw crawl``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from draw_dataset import cli


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``draw crawl`` and return its exit status."""
    return cli.main(["crawl", *(sys.argv[1:] if argv is None else argv)])


if __name__ == "__main__":
    sys.exit(main())
