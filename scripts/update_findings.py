"""Writes draw_dataset/data/annotations/findings.json: the codes of the known defects of the release, by dataset and id.

With --check it writes nothing and fails if the file is not current.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from draw_dataset.checks.findings import codes_by_id
from draw_dataset.commands.check import find_defects
from draw_dataset.data.release import DATASETS
from draw_dataset.io.atomic import write_atomically

TARGET = Path(__file__).resolve().parents[1] / "draw_dataset" / "data" / "annotations" / "findings.json"


def findings_text(data_dir: str | None) -> str:
    """Return what the file should hold."""
    found = find_defects(DATASETS, data_dir, progress=sys.stderr.isatty())
    # One problem a line, so that a change shows which.
    parts = []
    for dataset, findings in found.items():
        lines = [f"    {json.dumps(str(id_))}: {json.dumps(codes)}" for id_, codes in codes_by_id(findings).items()]
        parts.append(f"  {json.dumps(dataset)}: {{\n" + ",\n".join(lines) + "\n  }")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Write the file, or check it; return 1 if it is not current."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", metavar="DIR", help="the folder with the files of the release")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the file is not current")
    arguments = parser.parse_args(argv)
    text = findings_text(arguments.data_dir)
    if arguments.check:
        current = TARGET.read_text(encoding="utf-8") == text
        print("current" if current else f"{TARGET} is not current: run scripts/update_findings.py")
        return 0 if current else 1
    write_atomically(TARGET, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
