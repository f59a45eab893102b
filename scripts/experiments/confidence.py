"""Experiments on confidence: how often an answer of a given confidence is right, and what each sign of doubt is worth.

Answers of solvers to problems that they have not seen are kept in a folder, one file for each part: one model and what
it is asked, a fold of a cross-validation or a test split. A file is written whole or not at all, so that a run that was
stopped goes on with the parts that are missing. A line has the id of a problem, the prediction, whether its derivation
and its solution are right, what there is to doubt, and no sentence of the data.

The model that is asked about Draw's test split and one-step problems is calibrated as `draw solve train` does it, with
folds of its own training problems. In a cross-validation that would take thirty trainings; there the answers to a fold
get their confidence from a calibration that is fitted on the answers to the other folds, which were held out as well.

An abstention without any derivation has no confidence; it counts as an answer of confidence 0 that is wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from itertools import combinations
from math import log
from pathlib import Path
from typing import Any

from draw_dataset.data.catalog import load
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.problem import Problem
from draw_dataset.deriving.run import derive
from draw_dataset.errors import ChoiceError
from draw_dataset.io.jsonl import read_json_lines, write_json_lines
from draw_dataset.io.plot import COLOURS, INK, plot_file
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.grading import grade
from draw_dataset.solver.confidence import CONFIDENCE_FEATURES, DIRECTIONS, Calibration, Diagnostics
from draw_dataset.solver.systems import load_model, train
from experiments import DATA_DIR, ROOT, experiment, folds, option, print_head, print_row

# What is asked: Draw's train and validation by cross-validation, its test split, the two others by their own folds, and
# one-step problems, which a model of Draw's train and validation is asked about
SETS = {
    "draw-cv": "Draw, cross-validated",
    "draw-test": "Draw test",
    "alg514": "Alg-514",
    "dolphin_l": "Dolphin-L",
    "svamp-even": "SVAMP, one half",
    "mawps": "MAWPS",
}

ONE_STEP = ("svamp-even", "mawps")
BINS = 10
THRESHOLDS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95)
STORE = option("--store", type=Path, default=ROOT / ".doubt", metavar="DIR", help="default .doubt")

Answers = Sequence[Mapping[str, Any]]


@experiment(
    "confidence",
    option("--sets", default=",".join(SETS), metavar="A,B", help=f"some of {', '.join(SETS)}"),
    DATA_DIR,
    option("--sources", type=Path, metavar="DIR", help="the folder with svamp.json and mawps.csv"),
    STORE,
    option("--no-run", action="store_true", help="ask nothing, show what is kept"),
    option("--plots", type=Path, metavar="DIR", help="write reliability.svg and selective.svg there"),
    option("--json", action="store_true", help="print one JSON object"),
)
def run_confidence(arguments: argparse.Namespace) -> None:
    """Measure how often an answer of a given confidence is right, and draw two plots of it (docs/confidence.md).

    For each set a calibrated solver is trained on problems that do not have it, and asked: Draw's train and validation
    by five-fold cross-validation (draw-cv), Draw's test split, Alg-514 and Dolphin-L by their own folds, and one-step
    problems of SVAMP and MAWPS, which a model of Draw has never seen the like of. The answers are kept in a folder, a
    file for each model: a run that was stopped goes on. All sets take about half an hour of processor time.
    """
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
        shown = {SETS[name]: given for name, given in named.items() if name not in ONE_STEP}
        draw_reliability(shown, arguments.plots / "reliability.svg")
        draw_selective(shown, arguments.plots / "selective.svg")
    found = {name: summary(given) for name, given in named.items()}
    if arguments.json:
        print(json.dumps(found))
    else:
        print_summaries(found)


def print_summaries(found: Mapping[str, Mapping[str, Any]]) -> None:
    """Print the tables of the page."""
    figures = ("n", "derivation", "mean confidence", "calibration error", "log loss", "right over wrong")
    print_head("", *(figure.replace("derivation", "right derivation") for figure in figures))
    for name, one in found.items():
        print_row(SETS[name], *(_or_dash(one[figure]) for figure in figures))
    print()
    print_head("answered from", *(SETS[name] for name in found))
    for at, least in enumerate(THRESHOLDS):
        cells = []
        for one in found.values():
            _, count, right, _ = one["selective"][at]
            cells.append(f"{count} ({100 * count / one['n']:.0f} %), {_or_dash(right)}")
        print_row(f"{least:g}", *cells)


def _or_dash(value: float | None) -> str:
    return "–" if value is None else str(value)


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


@dataclass(frozen=True, slots=True)
class Part:
    """One model and what it is asked."""

    name: str  # of its file
    learnt: Sequence[Problem]  # the problems that the model is trained on
    asked: dict[str, Sequence[Problem]]  # the problems that it is asked, by what they are called
    calibrated: bool = False  # whether the model has a calibration of its own


def parts(sets: Sequence[str], data_dir: str | None, sources: Path | None) -> Iterator[Part]:
    """Yield the parts of some sets."""
    if "draw-cv" in sets:
        for fold in folds("draw-cv", data_dir):
            yield Part(fold.name.replace("fold", "draw-cv-"), fold.learnt, {"draw-cv": fold.asked})
    ((_, known, test),) = folds("draw1k", data_dir)
    asked: dict[str, Sequence[Problem]] = {"draw-test": test} if "draw-test" in sets else {}
    if sources is not None:
        asked |= {name: one for name, one in one_step(sources).items() if name in sets}
    if asked:
        yield Part("draw-800", known, asked, calibrated=True)
    for dataset in ("alg514", "dolphin_l"):
        for fold in folds(dataset, data_dir) if dataset in sets else ():
            yield Part(f"{dataset}-{fold.name}", fold.learnt, {dataset: fold.asked})


def one_step(sources: Path) -> dict[str, list[Problem]]:
    """Return the decided rows of SVAMP, of every second problem, and of MAWPS."""
    found = {}
    for name, preset, file, step in (("svamp-even", "svamp", "svamp.json", 2), ("mawps", "mawps", "mawps.csv", 1)):
        rows = [row for row in derive(sources / file, preset=preset) if row["status"] == "decided"]
        found[name] = [Problem.from_row(row) for row in rows[::step]]
    return found


def ask(part: Part, folder: Path) -> None:
    """Train the model of a part, ask it, and keep the answers; nothing is done if they are kept already."""
    path = folder / f"{part.name}.jsonl"
    if path.exists():
        return
    model = train(part.learnt, calibrate=part.calibrated)
    lines = []
    for name, problems in part.asked.items():
        for problem in problems:
            answer, doubt = model.predict_with_diagnostics(problem)
            verdict = grade(answer.to_dict(), PreparedProblem(problem))
            lines.append(
                {
                    "set": name,
                    "id": problem.id,
                    "prediction": answer.to_dict(),
                    "right": bool(verdict.derivation),
                    "solved": bool(verdict.solution),
                    "confidence": answer.confidence,
                    "signs": None if doubt is None else list(doubt.features),
                    "familiarity": None if doubt is None else doubt.familiarity,
                    "unknowns": 0 if answer.derivation is None else len(answer.derivation.template.unknowns),
                }
            )
    folder.mkdir(parents=True, exist_ok=True)
    write_json_lines(path, lines)


def answers(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the kept answers by what was asked, each with its confidence."""
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for line in read_json_lines(path):
            found.setdefault(line.value["set"], {}).setdefault(path.stem, []).append(line.value)
    for parts_of in found.values():
        if len(parts_of) > 1:
            _calibrate_across(list(parts_of.values()))
    return {name: [line for lines in files.values() for line in lines] for name, files in found.items()}


def _calibrate_across(folds: Sequence[list[dict[str, Any]]]) -> None:
    """Give the answers of each fold the confidence that those of the other folds teach."""
    for at, fold in enumerate(folds):
        others = [line for other, lines in enumerate(folds) if other != at for line in lines if line["signs"]]
        calibration = Calibration.fit([doubt_of(line) for line in others], [line["right"] for line in others])
        for line in fold:
            line["confidence"] = calibration.probability(doubt_of(line)) if line["signs"] else None


def doubt_of(line: Mapping[str, Any]) -> Diagnostics:
    """Return what there is to doubt of a kept answer."""
    return Diagnostics(tuple(line["signs"]), line["familiarity"])


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers of about one confidence."""

    low: float  # the least confidence of the bin
    count: int  # how many answers there are
    confidence: float  # the mean of their confidences
    accuracy: float  # the share that is right


def confidence_of(answer: Mapping[str, Any]) -> float:
    """Return the confidence of an answer."""
    return float(answer["confidence"] or 0.0)


def bins(answers: Answers) -> list[Bin]:
    """Return the answers in bins of equal width, those that are empty left out.

    >>> bins([{"confidence": 0.91, "right": True}, {"confidence": 1.0, "right": False}])
    [Bin(low=0.9, count=2, confidence=0.955, accuracy=0.5)]
    """
    found: dict[int, list[Mapping[str, Any]]] = {}
    for answer in answers:
        found.setdefault(min(int(confidence_of(answer) * BINS), BINS - 1), []).append(answer)
    return [
        Bin(
            low=at / BINS,
            count=len(listed),
            confidence=sum(map(confidence_of, listed)) / len(listed),
            accuracy=sum(answer["right"] for answer in listed) / len(listed),
        )
        for at, listed in sorted(found.items())
    ]


def calibration_error(answers: Answers) -> float:
    """Return the expected calibration error: how far confidence and accuracy of a bin are apart, on average."""
    return sum(one.count * abs(one.confidence - one.accuracy) for one in bins(answers)) / len(answers)


def log_loss(answers: Answers) -> float:
    """Return the mean of -ln(p), p being the probability that was given to what came out."""
    given = [min(max(confidence_of(a), 0.001), 0.999) for a in answers]
    return sum(-log(p if a["right"] else 1 - p) for p, a in zip(given, answers, strict=True)) / len(answers)


def ranking_quality(answers: Answers) -> float | None:
    """Return how often a right answer has more confidence than a wrong one (the area under the curve)."""
    right = [confidence_of(a) for a in answers if a["right"]]
    wrong = [confidence_of(a) for a in answers if not a["right"]]
    if not right or not wrong:
        return None
    return sum((r > w) + (r == w) / 2 for r in right for w in wrong) / (len(right) * len(wrong))


def selective(answers: Answers, least: float) -> tuple[int, float | None, float | None]:
    """Return how many answers are given from a confidence on, and the shares with right derivation and solution."""
    kept = [answer for answer in answers if answer["confidence"] is not None and confidence_of(answer) >= least]
    if not kept:
        return 0, None, None
    shares = [sum(answer[what] for answer in kept) / len(kept) for what in ("right", "solved")]
    return len(kept), shares[0], shares[1]


def curve(answers: Answers) -> tuple[list[float], list[float]]:
    """Return the shares of answers that are given, the surest first, and the accuracy of each share."""
    ordered = sorted(answers, key=confidence_of, reverse=True)
    covered, accurate, right = [], [], 0
    for count, answer in enumerate(ordered, 1):
        right += answer["right"]
        covered.append(count / len(ordered))
        accurate.append(right / count)
    return covered, accurate


def draw_reliability(named: Mapping[str, Answers], path: Path) -> None:
    """Draw accuracy against confidence, a panel a set; the area of a dot is the number of answers."""
    with plot_file(path, (2.7 * len(named) + 0.4, 2.9), {"font.size": 9}) as figure:
        panels = figure.subplots(1, len(named), sharey=True, squeeze=False)[0]
        for axes, (name, answers) in zip(panels, named.items(), strict=True):
            found = bins(answers)
            axes.plot([0, 1], [0, 1], color=INK, linewidth=0.8, linestyle=":")
            axes.plot([b.confidence for b in found], [b.accuracy for b in found], color=COLOURS[0], linewidth=1)
            sizes = [600 * b.count / len(answers) for b in found]
            axes.scatter(
                [b.confidence for b in found], [b.accuracy for b in found], s=sizes, color=COLOURS[0], alpha=0.7
            )
            axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="confidence")
            axes.set_title(f"{name}, error {calibration_error(answers):.3f}", loc="left", fontsize=9)
        panels[0].set_ylabel("right derivations")


def draw_selective(named: Mapping[str, Answers], path: Path) -> None:
    """Draw the accuracy of the surest answers against their share."""
    with plot_file(path, (4.8, 3.2), {"font.size": 9}) as figure:
        axes = figure.subplots()
        for (name, answers), colour in zip(named.items(), COLOURS, strict=False):
            axes.plot(*curve(answers), color=colour, linewidth=1.2, label=name)
        axes.set(xlim=(0, 1), ylim=(0.5, 1.0), xlabel="share of the problems that are answered")
        axes.set_ylabel("right derivations among them")
        axes.legend(frameon=False, loc="lower left")


Judged = list[tuple[Diagnostics, bool]]  # what was seen of answers, and whether they were right


@experiment("built-in", DATA_DIR)
def run_built_in(arguments: argparse.Namespace) -> None:
    """Print how often the built-in model is right on Draw's test split and on its own problems, by confidence."""
    with as_file(files("draw_dataset.solver") / "sample.npz") as path:
        model = load_model(path)
    sample = [problem for split in load_sample().values() for problem in split]
    for name, problems in (("Draw test", load("draw1k/test", arguments.data_dir)), ("sample", sample)):
        print(f"\n{name}\n")
        print_head("confidence", "answers", "mean confidence", "right derivation")
        found = [
            (answer.confidence, grade(answer.to_dict(), PreparedProblem(problem)).derivation)
            for problem, answer in zip(problems, model.predict_all(problems), strict=True)
            if answer.confidence is not None
        ]
        for low, high in (*((at / 5, (at + 1) / 5) for at in range(5)), (0.0, 1.0)):
            own = [one for one in found if low <= one[0] < high or one[0] == high == 1]
            if own:
                mean, right = (sum(values) / len(own) for values in zip(*own, strict=True))
                print_row(f"{low:g} to {high:g}", len(own), f"{mean:.3f}", f"{100 * right:.1f} %")


@experiment("signs", STORE)
def run_signs(arguments: argparse.Namespace) -> None:
    """Measure what each sign of doubt is worth (docs/confidence.md, "Calibration"), on answers kept by confidence.

    These are answers to Draw's train and validation in five folds, and to one-step problems. A calibration by some of
    the signs is fitted on the answers to four folds and judged on the fifth by its log loss; fitted on all five, it
    says how many one-step problems would get a confidence above one half.
    """
    judged, others = kept_signs(arguments.store)
    if len(judged) < 2:
        raise ChoiceError(f"{arguments.store}: expected kept answers; run lab.py confidence first")
    print_head("signs", "familiarity", "log loss on Draw", *(f"{name}, above 0.5" for name in others))
    every = range(len(CONFIDENCE_FEATURES))
    chosen = [
        c for size in (1, len(CONFIDENCE_FEATURES) - 1, len(CONFIDENCE_FEATURES)) for c in combinations(every, size)
    ]
    for signs in (*chosen, (0, 1)):
        for strange in (False, True) if len(signs) == len(CONFIDENCE_FEATURES) else (False,):
            given = [narrowed(fold, signs, strange) for fold in judged]
            calibration = fitted([one for fold in given for one in fold], signs)
            cells = []
            for asked in others.values():
                sure = [calibration.probability(doubt) > 0.5 for doubt, _ in narrowed(asked, signs, strange)]
                cells.append(f"{100 * sum(sure) / len(sure):.1f} %")
            names = ", ".join(CONFIDENCE_FEATURES[i] for i in signs)
            print_row(names, "yes" if strange else "no", f"{loss(given, signs):.4f}", *cells)


def kept_signs(folder: Path) -> tuple[list[Judged], dict[str, Judged]]:
    """Return the answers to each fold of Draw, and those to one-step problems."""
    found: list[Judged] = []
    others: dict[str, Judged] = {}
    for path in sorted(folder.glob("draw-*.jsonl")):
        lines = [line.value for line in read_json_lines(path) if line.value["signs"]]
        if path.stem.startswith("draw-cv"):
            found.append([(doubt_of(line), line["right"]) for line in lines])
        for line in lines:
            if line["set"] in ONE_STEP:
                others.setdefault(line["set"], []).append((doubt_of(line), line["right"]))
    return found, others


def narrowed(judged: Judged, signs: Sequence[int], strange: bool) -> Judged:
    """Return answers with some of the signs only, and all equally familiar if strangeness shall not count."""
    return [(Diagnostics(tuple(d.features[i] for i in signs), d.familiarity if strange else 1.0), r) for d, r in judged]


def fitted(judged: Judged, signs: Sequence[int]) -> Calibration:
    """Return the calibration of answers by some of the signs."""
    directions = [DIRECTIONS[i] for i in signs]
    return Calibration.fit([doubt for doubt, _ in judged], [right for _, right in judged], directions)


def loss(judged: Sequence[Judged], signs: Sequence[int]) -> float:
    """Return the log loss of answers, each fold judged by a calibration of the others."""
    total = 0.0
    for at, fold in enumerate(judged):
        calibration = fitted([one for other in range(len(judged)) if other != at for one in judged[other]], signs)
        for doubt, right in fold:
            p = min(max(calibration.probability(doubt), 0.001), 0.999)
            total -= log(p if right else 1 - p)
    return total / sum(map(len, judged))
