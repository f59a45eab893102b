"""The answers of calibrated solvers to problems that they have not seen, one file of lines for each part.

A part is one model and what it is asked: a fold of a cross-validation, or a test split. Its file is written whole or
not at all, so that a run that was stopped goes on with the parts that are missing. A line has the id of a problem, the
prediction, whether its derivation and its solution are right, the confidence, and no sentence of the data.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from draw_dataset.catalog import load_splits, resolve
from draw_dataset.core.problem import Problem
from draw_dataset.files import read_json_lines, write_json_lines
from draw_dataset.scoring.grading import grade
from draw_dataset.scoring.reference import Reference

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
    """

    name: str
    learnt: Sequence[Problem]
    asked: dict[str, Sequence[Problem]]


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
        yield Part("draw-800", known, asked)
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

    model = train(part.learnt, calibrate=True)
    lines = []
    for name, problems in part.asked.items():
        for problem in problems:
            answer = model.predict(problem)
            verdict = grade(answer.to_dict(), Reference(problem))
            lines.append(
                {
                    "set": name,
                    "id": problem.id,
                    "prediction": answer.to_dict(),
                    "right": bool(verdict.derivation),
                    "solved": bool(verdict.solution),
                    "confidence": answer.confidence,
                    "unknowns": 0 if answer.derivation is None else len(answer.derivation.template.unknowns),
                }
            )
    folder.mkdir(parents=True, exist_ok=True)
    write_json_lines(path, lines)


def answers(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the kept answers by what was asked."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for line in read_json_lines(path):
            found.setdefault(line.value["set"], []).append(line.value)
    return found
