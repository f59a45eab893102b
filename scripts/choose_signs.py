"""Prints what each sign of doubt is worth (docs/doubt.md, "How it is made"), as Markdown.

It looks at the answers that scripts/measure_doubt.py has kept: to Draw's train and validation in five folds, and to
one-step problems. A calibration by some of the signs is fitted on the answers to four folds and judged on the fifth by
its log loss; fitted on all five, it says how many one-step problems would get a confidence above one half.

    python scripts/measure_doubt.py --data-dir ../shared/release --sources ../shared/sources
    python scripts/choose_signs.py
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import combinations
from math import log
from pathlib import Path

from doubt.asking import doubt_of

from draw_dataset.files import read_json_lines
from draw_dataset.solver.confidence import Calibration
from draw_dataset.solver.signs import DIRECTIONS, SIGNS, Doubt

ROOT = Path(__file__).resolve().parents[1]

Judged = list[tuple[Doubt, bool]]
"""What was seen of answers, and whether they were right."""


def kept(folder: Path) -> tuple[list[Judged], dict[str, Judged]]:
    """Return the answers to each fold of Draw, and those to one-step problems."""
    folds: list[Judged] = []
    others: dict[str, Judged] = {}
    for path in sorted(folder.glob("draw-*.jsonl")):
        lines = [line.value for line in read_json_lines(path) if line.value["signs"]]
        if path.stem.startswith("draw-cv"):
            folds.append([(doubt_of(line), line["right"]) for line in lines])
        for line in lines:
            if line["set"] in ("svamp-even", "mawps"):
                others.setdefault(line["set"], []).append((doubt_of(line), line["right"]))
    return folds, others


def narrowed(judged: Judged, signs: Sequence[int], strange: bool) -> Judged:
    """Return answers with some of the signs only, and all equally familiar if strangeness shall not count."""
    return [(Doubt(tuple(d.signs[i] for i in signs), d.familiarity if strange else 1.0), r) for d, r in judged]


def fitted(judged: Judged, signs: Sequence[int]) -> Calibration:
    """Return the calibration of answers by some of the signs."""
    directions = [DIRECTIONS[i] for i in signs]
    return Calibration.fit([doubt for doubt, _ in judged], [right for _, right in judged], directions)


def loss(folds: Sequence[Judged], signs: Sequence[int]) -> float:
    """Return the log loss of answers, each fold judged by a calibration of the others."""
    total = 0.0
    for at, fold in enumerate(folds):
        calibration = fitted([one for other in range(len(folds)) if other != at for one in folds[other]], signs)
        for doubt, right in fold:
            p = min(max(calibration.probability(doubt), 0.001), 0.999)
            total -= log(p if right else 1 - p)
    return total / sum(map(len, folds))


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line for each choice of signs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, default=ROOT / ".doubt", metavar="DIR", help="default .doubt")
    arguments = parser.parse_args(argv)
    folds, others = kept(arguments.store)
    if len(folds) < 2:
        print(f"choose_signs.py: {arguments.store}: run scripts/measure_doubt.py first", file=sys.stderr)
        return 2
    print(f"| signs | familiarity | log loss on Draw | {' | '.join(f'{name}, above 0.5' for name in others)} |")
    print("|---|---|---|" + "---|" * len(others))
    every = range(len(SIGNS))
    chosen = [c for size in (1, len(SIGNS) - 1, len(SIGNS)) for c in combinations(every, size)]
    for signs in (*chosen, (0, 1)):
        for strange in (False, True) if len(signs) == len(SIGNS) else (False,):
            given = [narrowed(fold, signs, strange) for fold in folds]
            calibration = fitted([one for fold in given for one in fold], signs)
            cells = []
            for judged in others.values():
                sure = [calibration.probability(doubt) > 0.5 for doubt, _ in narrowed(judged, signs, strange)]
                cells.append(f"{100 * sum(sure) / len(sure):.1f} %")
            names = ", ".join(SIGNS[i] for i in signs)
            print(
                f"| {names} | {'yes' if strange else 'no'} | {loss(given, signs):.4f} | {' | '.join(cells)} |",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
