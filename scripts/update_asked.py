"""Writes draw_dataset/data/annotations/asked.json: what the questions of the release ask for, by dataset and id.

What a reader decided (asked_reviewed.json) counts; else the rules of `draw_dataset.checks.suspicions`, if they
decide. With
--check it writes nothing and fails if the file is not current. Prints how many are decided in which way.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from draw_dataset.checks.suspicions import find_asked
from draw_dataset.data.release import DATASETS, load_problems, own_json
from draw_dataset.io.atomic import write_atomically

TARGET = Path(__file__).resolve().parents[1] / "draw_dataset" / "data" / "annotations" / "asked.json"


def asked_text(data_dir: str | None) -> tuple[str, Counter[str]]:
    """Return what the file should hold, and how many are decided by readers, by rules and not at all."""
    by_readers = own_json("asked_reviewed.json")
    counts: Counter[str] = Counter()
    parts = []
    for dataset in DATASETS:
        found: dict[int, list[str]] = {}
        for problems in load_problems(dataset, data_dir).values():
            for problem in problems:
                reviewed = by_readers[dataset].get(str(problem.id))
                asked = list(find_asked(problem)) if reviewed is None else reviewed
                how = "readers" if reviewed is not None else "rules" if asked else "undecided"
                counts[f"{dataset} {how}"] += 1
                if asked:
                    found[int(problem.id)] = asked
        lines = [f"    {json.dumps(str(id_))}: {json.dumps(found[id_])}" for id_ in sorted(found)]
        parts.append(f"  {json.dumps(dataset)}: {{\n" + ",\n".join(lines) + "\n  }")
    return "{\n" + ",\n".join(parts) + "\n}\n", counts


def main(argv: Sequence[str] | None = None) -> int:
    """Write the file, or check it; return 1 if it is not current."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", metavar="DIR", help="the folder with the files of the release")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the file is not current")
    arguments = parser.parse_args(argv)
    text, counts = asked_text(arguments.data_dir)
    print(", ".join(f"{what} {count}" for what, count in sorted(counts.items())))
    if arguments.check:
        current = TARGET.read_text(encoding="utf-8") == text
        print("current" if current else f"{TARGET} is not current: run scripts/update_asked.py")
        return 0 if current else 1
    write_atomically(TARGET, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
