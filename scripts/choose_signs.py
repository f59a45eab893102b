"""Prints what each sign of doubt is worth (docs/doubt.md, "How it is made"), as Markdown.

Draw's train and validation are cut into five parts; models of four of them are asked about the fifth, and one of all is
asked about one-step problems. A calibration by some of the signs is then fitted on the answers to four parts and judged
on the fifth by its log loss; fitted on all, it says how many one-step problems would get a confidence above one half.

    python scripts/choose_signs.py --data-dir ../shared/release --sources ../shared/sources
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # threads of linear algebra wait for each other here
    os.environ.setdefault(_name, "1")  # before numpy is imported

import argparse  # noqa: E402
import sys  # noqa: E402
from collections.abc import Sequence  # noqa: E402
from itertools import combinations  # noqa: E402
from math import log  # noqa: E402
from pathlib import Path  # noqa: E402

from doubt.asking import parts  # noqa: E402

from draw_dataset.scoring.grading import grade  # noqa: E402
from draw_dataset.scoring.reference import Reference  # noqa: E402
from draw_dataset.solver import train  # noqa: E402
from draw_dataset.solver.confidence import Calibration  # noqa: E402
from draw_dataset.solver.signs import DIRECTIONS, SIGNS, Doubt  # noqa: E402

Judged = list[tuple[Doubt, bool]]
"""What was seen of answers, and whether they were right."""


def asked(data_dir: str | None, sources: Path) -> tuple[list[Judged], dict[str, Judged]]:
    """Return the answers to each part of Draw, and those to one-step problems."""
    folds: list[Judged] = []
    others: dict[str, Judged] = {}
    for part in parts(("draw-cv", "svamp-even", "mawps"), data_dir, sources):
        model = train(part.learnt)
        for name, problems in part.asked.items():
            found: Judged = []
            for problem in problems:
                answer, doubt = model.doubted(problem)
                if doubt is not None:
                    found.append((doubt, bool(grade(answer.to_dict(), Reference(problem)).derivation)))
            if name == "draw-cv":
                folds.append(found)
            else:
                others[name] = found
        print(f"asked {part.name}", file=sys.stderr, flush=True)
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
    parser.add_argument("--data-dir", metavar="DIR", help="the folder of the release's files")
    parser.add_argument("--sources", type=Path, required=True, metavar="DIR", help="with svamp.json and mawps.csv")
    arguments = parser.parse_args(argv)
    folds, others = asked(arguments.data_dir, arguments.sources)
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
