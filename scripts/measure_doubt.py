"""Prints the figures of docs/doubt.md: how often an answer of a given confidence is right, and draws its two plots.

For each set a calibrated solver is trained on problems that do not have it, and asked: Draw's train and validation by
five-fold cross-validation (draw-cv), Draw's test split, Alg-514 and Dolphin-L by their own folds, and one-step problems
of SVAMP and MAWPS, which a model of Draw has never seen the like of. The answers are kept in a folder, a file for each
model: a run that was stopped goes on. All sets take about half an hour of processor time.

    python scripts/measure_doubt.py --data-dir ../shared/release --sources ../shared/sources
    python scripts/measure_doubt.py --sets draw-cv --data-dir ../shared/release
    python scripts/measure_doubt.py --no-run --plots docs/images
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from doubt.asking import SETS, answers, ask, parts
from doubt.reliability import (
    THRESHOLDS,
    Answers,
    bins,
    calibration_error,
    confidence_of,
    draw_reliability,
    draw_selective,
    log_loss,
    ranking_quality,
    selective,
)
from reproduction.threads import one_thread

from draw_dataset.errors import ChoiceError, DrawError

ROOT = Path(__file__).resolve().parents[1]
TITLES = {
    "draw-cv": "Draw, cross-validated",
    "draw-test": "Draw test",
    "alg514": "Alg-514",
    "dolphin_l": "Dolphin-L",
    "svamp-even": "SVAMP, one half",
    "mawps": "MAWPS",
}
ONE_STEP = ("svamp-even", "mawps")


def summary(given: Answers) -> dict[str, Any]:
    """Return the figures of a set."""
    quality = ranking_quality(given)
    return {
        "n": len(given),
        "derivation": round(100 * sum(a["right"] for a in given) / len(given), 1),
        "solution": round(100 * sum(a["solved"] for a in given) / len(given), 1),
        "mean confidence": round(100 * sum(map(confidence_of, given)) / len(given), 1),
        "calibration error": round(calibration_error(given), 3),
        "log loss": round(log_loss(given), 3),
        "right over wrong": None if quality is None else round(quality, 3),
        "bins": [[b.low, b.count, round(b.confidence, 3), round(b.accuracy, 3)] for b in bins(given)],
        "selective": [[least, *_rounded(selective(given, least))] for least in THRESHOLDS],
    }


def _rounded(found: tuple[int, float | None, float | None]) -> tuple[int, float | None, float | None]:
    count, *shares = found
    first, second = [None if share is None else round(100 * share, 1) for share in shares]
    return count, first, second


def as_markdown(named: Mapping[str, Answers]) -> str:
    """Return the tables of the page."""
    found = {name: summary(given) for name, given in named.items()}
    lines = [
        "| | n | right derivation | mean confidence | calibration error | log loss | right over wrong |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, one in found.items():
        told = [one["n"], one["derivation"], one["mean confidence"], one["calibration error"], one["log loss"]]
        lines.append(f"| {TITLES[name]} | {' | '.join(map(str, told))} | {_or_dash(one['right over wrong'])} |")
    lines += ["", f"| answered from | {' | '.join(TITLES[name] for name in found)} |", "|---" * (1 + len(found)) + "|"]
    for at, least in enumerate(THRESHOLDS):
        cells = []
        for one in found.values():
            _, count, right, _ = one["selective"][at]
            cells.append(f"{count} ({100 * count / one['n']:.0f} %), {_or_dash(right)}")
        lines.append(f"| {least:g} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _or_dash(value: float | None) -> str:
    return "–" if value is None else str(value)


def main(argv: Sequence[str] | None = None) -> int:
    """Ask what is missing, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=",".join(SETS), metavar="A,B", help=f"some of {', '.join(SETS)}")
    parser.add_argument("--data-dir", metavar="DIR", help="the folder of the release's files")
    parser.add_argument("--sources", type=Path, metavar="DIR", help="the folder with svamp.json and mawps.csv")
    parser.add_argument("--store", type=Path, default=ROOT / ".doubt", metavar="DIR", help="default .doubt")
    parser.add_argument("--no-run", action="store_true", help="ask nothing, show what is kept")
    parser.add_argument("--plots", type=Path, metavar="DIR", help="write reliability.svg and selective.svg there")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args(argv)
    one_thread()
    try:
        sets = arguments.sets.split(",")
        strange = [name for name in sets if name not in SETS]
        if strange:
            raise ChoiceError(f"--sets: expected some of {', '.join(SETS)}, but got {strange[0]!r}")
        if not arguments.no_run:
            for part in parts(sets, arguments.data_dir, arguments.sources):
                print(f"asking {part.name}", file=sys.stderr, flush=True)
                ask(part, arguments.store)
        kept = answers(arguments.store)
        named = {name: kept[name] for name in SETS if name in kept and name in sets}
        if not named:
            raise ChoiceError(f"{arguments.store}: expected answers, but there are none yet; run without --no-run")
        if arguments.plots is not None:
            shown = {TITLES[name]: given for name, given in named.items() if name not in ONE_STEP}
            draw_reliability(shown, arguments.plots / "reliability.svg")
            draw_selective(shown, arguments.plots / "selective.svg")
    except DrawError as error:
        print(f"measure_doubt.py: {error}", file=sys.stderr)
        return 2
    if arguments.json:
        print(json.dumps({name: summary(given) for name, given in named.items()}))
    else:
        print(as_markdown(named))
    return 0


if __name__ == "__main__":
    sys.exit(main())
