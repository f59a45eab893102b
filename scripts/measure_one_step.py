"""Prints what one-step problems do to the solver, as Markdown: asked without being learnt, and learnt besides Draw.

The rows of SVAMP and MAWPS are derived, and those that are decided are used. A model of Draw's train split is compared
with models that learn from these rows as well (draw solve train --also), on the rows of the source that it has not seen
and on Draw's validation split. Nothing of Draw's test split is looked at.

    python scripts/measure_one_step.py --data-dir ../shared/release --sources ../shared/sources
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from reproduction.threads import one_thread

from draw_dataset.catalog import load
from draw_dataset.core.problem import Problem

FILES = {"SVAMP": ("svamp", "svamp.json"), "MAWPS": ("mawps", "mawps.csv")}

Asked = dict[str, Sequence[Problem]]


def decided(folder: Path) -> dict[str, list[Problem]]:
    """Return the decided rows of each source."""
    from draw_dataset.sources.bulk import derive

    return {
        name: [Problem.from_row(row) for row in derive(folder / file, preset=preset) if row["status"] == "decided"]
        for name, (preset, file) in FILES.items()
    }


def models(data_dir: str | None, sources: Path) -> Iterator[tuple[str, Sequence[Problem], Asked]]:
    """Yield what is learnt from, by name, and what is asked then."""
    draw: list[Problem] = load("draw1k/train", data_dir)
    validation: Asked = {"Draw validation": load("draw1k/validation", data_dir)}
    rows = decided(sources)
    svamp, mawps = rows["SVAMP"], rows["MAWPS"]
    yield "Draw", draw, {**validation, **rows}
    yield "Draw and MAWPS", [*draw, *mawps], {**validation, "SVAMP": svamp}
    yield "Draw and SVAMP", [*draw, *svamp], {**validation, "MAWPS": mawps}
    even, odd = [*svamp[::2], *mawps[::2]], {"SVAMP, odd": svamp[1::2], "MAWPS, odd": mawps[1::2]}
    yield "Draw and even rows of both", [*draw, *even], {**validation, **odd}
    rest, even_asked = [*svamp[1::2], *mawps[1::2]], {"SVAMP, even": svamp[::2], "MAWPS, even": mawps[::2]}
    yield "Draw and odd rows of both", [*draw, *rest], {**validation, **even_asked}


def main(argv: Sequence[str] | None = None) -> int:
    """Train the models, ask them, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", metavar="DIR", help="the folder of the release's files")
    parser.add_argument("--sources", type=Path, required=True, metavar="DIR", help="with svamp.json and mawps.csv")
    parser.add_argument(
        "--calibrate", action="store_true", help="also print the mean confidence; takes six times longer"
    )
    parser.add_argument("--templates", type=int, metavar="K", help="that the solver tries (default all)")
    parser.add_argument("--only", type=int, metavar="N", help="only the model of this number, from 1")
    arguments = parser.parse_args(argv)
    one_thread()
    from draw_dataset.scoring.reference import Reference
    from draw_dataset.scoring.score import score
    from draw_dataset.solver import train

    print("| learnt from | asked | n | solution / derivation | two or more unknowns | mean confidence |")
    print("|---|---|---|---|---|---|")
    for number, (name, learnt, asked) in enumerate(models(arguments.data_dir, arguments.sources), 1):
        if arguments.only not in (None, number):
            continue
        model = train(learnt, k=arguments.templates, calibrate=arguments.calibrate)
        for what, problems in asked.items():
            answers = model.predict_all(problems)
            found = score([answer.to_dict() for answer in answers], [Reference(problem) for problem in problems])
            several = sum(a.derivation is not None and len(a.derivation.template.unknowns) > 1 for a in answers)
            sure = [answer.confidence or 0.0 for answer in answers]
            told = f"{sum(sure) / len(sure):.2f}" if arguments.calibrate else "–"
            right = f"{100 * found.solution_accuracy:.1f} / {100 * found.derivation_accuracy:.1f}"
            print(f"| {name} | {what} | {len(problems)} | {right} | {several} | {told} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
