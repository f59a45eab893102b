"""Print the branch coverage that `make test` measured: the total, and every module under a threshold.

    python scripts/list_coverage.py                  modules under 85 %
    python scripts/list_coverage.py --under 95

CONTRIBUTING.md gives the reason for each module in this list. Exit status: 0, or 2 if nothing was measured.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from coverage import Coverage
from coverage.exceptions import NoDataError

ROOT = Path(__file__).resolve().parents[1]


def read_coverage(data_file: Path) -> dict[str, Any]:
    """Return the JSON report of a data file."""
    measured = Coverage(data_file=str(data_file), config_file=str(ROOT / "pyproject.toml"))
    measured.load()
    with tempfile.TemporaryDirectory() as folder:
        measured.json_report(outfile=f"{folder}/coverage.json")
        report: dict[str, Any] = json.loads(Path(folder, "coverage.json").read_text(encoding="utf-8"))
    return report


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the total and the modules under the threshold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--under", type=float, default=85, metavar="PERCENT", help="the threshold (default: 85)")
    parser.add_argument("--data", type=Path, default=ROOT / ".coverage", metavar="FILE", help="measured by make test")
    options = parser.parse_args(arguments)
    try:
        report = read_coverage(options.data)
    except NoDataError:
        print(f"{options.data}: nothing was measured; run make test first", file=sys.stderr)
        return 2
    totals = report["totals"]
    print(
        f"coverage with branches: {totals['percent_covered']:.1f} % "
        f"({totals['covered_lines']}/{totals['num_statements']} lines, "
        f"{totals['covered_branches']}/{totals['num_branches']} branches)"
    )
    percents = {name: file["summary"]["percent_covered"] for name, file in report["files"].items()}
    low = sorted((percent, name) for name, percent in percents.items() if percent < options.under)
    print(f"modules under {options.under:g} %: {len(low)} of {len(percents)}")
    for percent, name in low:
        print(f"{percent:6.1f}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
