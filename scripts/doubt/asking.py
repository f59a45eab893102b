"""The answers of solvers to problems that they have not seen, one file of lines for each part.

A part is one model and what it is asked: a fold of a cross-validation, or a test split. Its file is written whole or
not at all, so that a run that was stopped goes on with the parts that are missing. A line has the id of a problem, the
prediction, whether its derivation and its solution are right, what there is to doubt, and no sentence of the data.

The model that is asked about Draw's test split and one-step problems is calibrated as `draw solve train` does it, with
folds of its own training problems. In a cross-validation that would take thirty trainings; there the answers to a fold
get their confidence from a calibration that is fitted on the answers to the other folds, which were held out as well.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from draw_dataset.catalog import load_splits, resolve
from draw_dataset.core.problem import Problem
from draw_dataset.files import read_json_lines, write_json_lines
from draw_dataset.scoring.grading import grade
from draw_dataset.scoring.reference import Reference

if TYPE_CHECKING:
    from draw_dataset.solver.signs import Doubt

FOLDS = 5
SETS = ("draw-cv", "draw-test", "alg514", "dolphin_l", "svamp-even", "mawps")
"""What is asked: Draw's train and validation by cross-validation, its test split, the two others by their own folds,
and one-step problems, which a model of Draw's train and validation is asked about."""


@dataclass(frozen=True, slots=True)
class Part:
    """One model and what it is asked.

    Attributes:
        name: of its file.
        learnt: the problems that the model is trained on.
        asked: the problems that it is asked, by what they are called.
        calibrated: whether the model has a calibration of its own.
    """

    name: str
    learnt: Sequence[Problem]
    asked: dict[str, Sequence[Problem]]
    calibrated: bool = False


def parts(sets: Sequence[str], data_dir: str | None, sources: Path | None) -> Iterator[Part]:
    """Yield the parts of some sets."""
    draw = load_splits(resolve("draw1k"), data_dir)
    known = [*draw["train"], *draw["validation"]]
    if "draw-cv" in sets:
        order = list(range(len(known)))
        random.Random(0).shuffle(order)
        for fold in range(FOLDS):
            held = set(order[fold::FOLDS])
            learnt = [known[i] for i in order if i not in held]
            yield Part(f"draw-cv-{fold}", learnt, {"draw-cv": [known[i] for i in sorted(held)]})
    asked: dict[str, Sequence[Problem]] = {"draw-test": draw["test"]} if "draw-test" in sets else {}
    if sources is not None:
        asked |= {name: one for name, one in one_step(sources).items() if name in sets}
    if asked:
        yield Part("draw-800", known, asked, calibrated=True)
    for dataset in ("alg514", "dolphin_l"):
        if dataset in sets:
            folds = load_splits(resolve(dataset), data_dir)
            for name in [name for name in folds if name.startswith("fold")]:
                others = [p for other, problems in folds.items() if other != name for p in problems]
                yield Part(f"{dataset}-{name}", others, {dataset: folds[name]})


def one_step(sources: Path) -> dict[str, list[Problem]]:
    """Return the decided rows of SVAMP, of every second problem, and of MAWPS."""
    from draw_dataset.sources.bulk import derive

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
    from draw_dataset.solver import train

    model = train(part.learnt, calibrate=part.calibrated)
    lines = []
    for name, problems in part.asked.items():
        for problem in problems:
            answer, doubt = model.doubted(problem)
            verdict = grade(answer.to_dict(), Reference(problem))
            lines.append(
                {
                    "set": name,
                    "id": problem.id,
                    "prediction": answer.to_dict(),
                    "right": bool(verdict.derivation),
                    "solved": bool(verdict.solution),
                    "confidence": answer.confidence,
                    "signs": None if doubt is None else list(doubt.signs),
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
    for files in found.values():
        if len(files) > 1:
            _calibrate_across(list(files.values()))
    return {name: [line for lines in files.values() for line in lines] for name, files in found.items()}


def _calibrate_across(folds: Sequence[list[dict[str, Any]]]) -> None:
    """Give the answers of each fold the confidence that those of the other folds teach."""
    from draw_dataset.solver.confidence import Calibration

    for at, fold in enumerate(folds):
        others = [line for other, lines in enumerate(folds) if other != at for line in lines if line["signs"]]
        calibration = Calibration.fit([doubt_of(line) for line in others], [line["right"] for line in others])
        for line in fold:
            line["confidence"] = calibration.probability(doubt_of(line)) if line["signs"] else None


def doubt_of(line: Mapping[str, Any]) -> Doubt:
    """Return what there is to doubt of a kept answer."""
    from draw_dataset.solver.signs import Doubt

    return Doubt(tuple(line["signs"]), line["familiarity"])
