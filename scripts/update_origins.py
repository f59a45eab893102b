"""Writes draw_dataset/scoring/origins.json: digests by which the rows of the release and the sample are known.

With --check it writes nothing and fails if the file is not current. Prints how many rows are known.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from draw_dataset.data.catalog import DATASETS, load_dataset_splits
from draw_dataset.data.corrections import Selection, correct, names
from draw_dataset.derivation.problem import Problem
from draw_dataset.io.atomic import write_atomically
from draw_dataset.scoring.gold import TABLE, annotation_digest

TARGET = Path(__file__).resolve().parents[1] / "draw_dataset" / "scoring" / TABLE


def origins_text(data_dir: str | None) -> tuple[str, dict[str, int]]:
    """Return the text that the file should have, and the number of rows of each dataset."""
    # The preferred name of corrected rows: the latest edition, with all of its corrections.
    selections = sorted(filter(None, map(Selection.of, names())), key=lambda one: (-one.version, one.derivations_only))
    datasets: dict[str, Any] = {}
    counts: dict[str, int] = {}
    for dataset in DATASETS:
        own = load_dataset_splits(dataset, data_dir)
        datasets[dataset] = {split: _known(dataset, problems, selections) for split, problems in own.items()}
        counts[dataset] = sum(map(len, own.values()))
    known = {"selections": [selection.name for selection in selections], "datasets": datasets}
    return json.dumps(known, indent=1) + "\n", counts


def _known(dataset: str, problems: Sequence[Problem], selections: Sequence[Selection]) -> dict[str, Any]:
    corrected = []
    for problem in problems:
        published = annotation_digest(problem)
        named: dict[str, list[str]] = {}
        for selection in selections:
            named.setdefault(annotation_digest(correct(dataset, problem, selection)), []).append(selection.name)
        corrected += [[published, digest, names] for digest, names in named.items() if digest != published]
    return {"published": "".join(map(annotation_digest, problems)), "corrected": corrected}


def main(argv: Sequence[str] | None = None) -> int:
    """Write the file, or check it; return 1 if it is not current."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", metavar="DIR", help="the folder with the files of the release")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the file is not current")
    arguments = parser.parse_args(argv)
    text, counts = origins_text(arguments.data_dir)
    print(", ".join(f"{dataset} {count}" for dataset, count in counts.items()))
    if arguments.check:
        current = TARGET.read_text(encoding="utf-8") == text
        print("current" if current else f"{TARGET} is not current: run scripts/update_origins.py")
        return 0 if current else 1
    write_atomically(TARGET, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
