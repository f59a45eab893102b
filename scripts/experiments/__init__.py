"""The experiments behind the figures of the docs, and what they share: options, folds, shares, tables in Markdown.

An experiment is a function with the decorator `experiment`; `scripts/lab.py` runs it by name. The first line of its
docstring is its line in ``lab.py --list``, and all of it is its ``--help``.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from draw_dataset.data.catalog import load_splits, resolve
from draw_dataset.derivation.problem import Problem
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.grading import grade

ROOT = Path(__file__).resolve().parents[2]
FOLDS = 5
FIGURES = ("solution", "derivation", "equation")

Option = tuple[tuple[str, ...], dict[str, Any]]
Run = Callable[[argparse.Namespace], None]


class Experiment(NamedTuple):
    """A function that prints figures, and the options that it takes."""

    run: Run
    options: tuple[Option, ...]


EXPERIMENTS: dict[str, Experiment] = {}  # the experiments of the modules that are imported, by name


def option(*names: str, **settings: Any) -> Option:
    """Return an option, given as `argparse.ArgumentParser.add_argument` takes it."""
    return names, settings


def experiment(name: str, *options: Option) -> Callable[[Run], Run]:
    """Return a decorator that gives an experiment its name and its options."""

    def register(run: Run) -> Run:
        EXPERIMENTS[name] = Experiment(run, options)
        return run

    return register


DATA_DIR = option("--data-dir", metavar="DIR", help="the folder of the release's files")


class Fold(NamedTuple):
    """Problems to learn from, and problems to ask."""

    name: str
    learnt: list[Problem]
    asked: list[Problem]


def folds(run: str, data_dir: str | None, corrected: bool = False) -> Iterator[Fold]:
    """Yield the folds of a run.

    ``draw-cv`` divides Draw's train and validation into five; ``draw1k`` learns from both and asks the test split; a
    dataset with folds learns from all that is not in the fold that is asked.
    """
    splits = load_splits(resolve("draw1k" if run == "draw-cv" else run), data_dir, corrected)
    if run == "draw-cv":
        known = [*splits["train"], *splits["validation"]]
        order = list(range(len(known)))
        random.Random(0).shuffle(order)
        for fold in range(FOLDS):
            held = set(order[fold::FOLDS])
            yield Fold(f"fold{fold}", [known[i] for i in order if i not in held], [known[i] for i in sorted(held)])
        return
    for name in ["test"] if "test" in splits else [name for name in splits if name.startswith("fold")]:
        yield Fold(name, [p for other, split in splits.items() if other != name for p in split], splits[name])


def grade_figures(prediction: Any, problem: Problem) -> dict[str, bool]:
    """Return which of the three figures a prediction has right."""
    verdict = grade(prediction, PreparedProblem(problem))
    return {figure: bool(getattr(verdict, figure)) for figure in FIGURES}


def percent(counts: Counter[str], total: int) -> str:
    """Return solution / derivation / equation accuracy.

    >>> percent(Counter(solution=2, derivation=1), 4)
    '50.0 / 25.0 / 0.0'
    """
    return " / ".join(f"{100 * counts[figure] / total:.1f}" for figure in FIGURES)


def print_row(*cells: object) -> None:
    """Print a row of a table in Markdown."""
    print("|" + "".join(f" {cell} |" if cell != "" else " |" for cell in cells), flush=True)


def print_head(*names: str, right: Collection[int] = ()) -> None:
    """Print the head of a table; the columns at some places, from 0, are aligned to the right."""
    print_row(*names)
    print("|" + "".join("---:|" if place in right else "---|" for place in range(len(names))), flush=True)
