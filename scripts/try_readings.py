"""Tries readings of the paper under which two of its findings might come out that do not come out here.

The first: training on the equations of two datasets put together naively falls far below training on one of them (TE on
Draw-1k with Alg-514: 32.5 % solved, 52.0 % alone). Here templates that are not reconciled are still told apart by their
normal form; the reading tried is that the authors told them apart as strings.

The second: equation accuracy prefers TE to TD (Dolphin-L: 50.1 % and 36.8 %). The reference of equation accuracy is
drawn from the derivations that lead to the gold equations; the reading tried is that it was drawn once for the whole
data, by the same rule by which TE takes the derivation that it trains on: the first that fits, or one at random.

A third thing that does not come out is KAZB's 37.5 % on Dolphin-L. The reading tried is that its released code does not
take words like "odd" and "twice" for numbers, as the annotation does: how many gold derivations use them is counted.

    python scripts/try_readings.py templates --data-dir ../shared/release
    python scripts/try_readings.py references --data-dir ../shared/release --seed 0
    python scripts/try_readings.py taught --data-dir ../shared/release    trains nothing: what can be reached at most
    python scripts/try_readings.py words --data-dir ../shared/release     trains nothing, either

Each prints a table in Markdown, of accuracies in percent. docs/systems.md says what they show.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from unittest import mock

from reproduction.figures import all_problems, problems_of
from reproduction.jobs import DATASETS, SOLVERS, TITLES, SolverJob, folds_of
from reproduction.threads import one_thread

from draw_dataset.core.derivation import Derivation
from draw_dataset.core.problem import Problem
from draw_dataset.core.references import consistent_derivations
from draw_dataset.core.template import Template
from draw_dataset.errors import NotLinearError
from draw_dataset.scoring.prepared_gold import drawn_reference
from draw_dataset.scoring.reference import Reference
from draw_dataset.scoring.score import score
from draw_dataset.scoring.signature import EquationMode, Options
from draw_dataset.solver import inventory, train, training

REFERENCES: tuple[EquationMode, ...] = ("random", "first", "expected")


@contextmanager
def templates_as_strings() -> Iterator[None]:
    """Let templates that are not reconciled be told apart by their text, names of unknowns and slots aside."""

    def key(template: Template, reconciled: bool) -> str:
        return inventory.canonical_key(template) if reconciled else str(inventory.renamed(template))

    def slots(template: Template, reconciled: bool) -> tuple[str, ...]:
        return ordered(template, reconciled) if reconciled else tuple(template.slots)

    ordered = inventory.ordered_slots
    with mock.patch.object(inventory, "class_key", key), mock.patch.object(inventory, "ordered_slots", slots):
        yield


@contextmanager
def drawn_once() -> Iterator[None]:
    """Let TE train on the derivation that equation accuracy would draw at random for each problem."""

    def right(problem: Problem, setting: str, choice: str) -> list[Derivation]:  # noqa: ARG001 - as it is called
        if setting == "TD":
            return first(problem, "TD", "first")
        consistent = consistent_derivations(list(problem.equations), problem.numbers)
        start = drawn_reference(Reference(problem), 0, consistent.count)
        for step in range(consistent.count):
            try:
                return [consistent.nth((start + step) % consistent.count)]
            except NotLinearError:
                continue
        return []

    first = training.right_derivations
    with mock.patch.object(training, "right_derivations", right):
        yield


def accuracies(
    data: str, setting: str, references: Sequence[EquationMode], arguments: argparse.Namespace
) -> tuple[list[str], int]:
    """Return solution, equation (by each reference) and derivation accuracy, and how many templates the solver has."""
    answers, problems, templates = [], [], 0
    features, seed = arguments.features, arguments.seed
    for fold in folds_of("release", data)[: arguments.folds]:
        job = SolverJob("release", data, setting, "first", features, 10, seed, fold)
        divided = problems_of(job, arguments.data_dir)
        model = train(divided.train, setting=setting, seed=seed, k=10, **SOLVERS[features].options)  # type: ignore[arg-type]
        answers += [answer.to_dict() for answer in model.predict_all(divided.test)]
        problems += divided.test
        templates = max(templates, len(model.inventory))
    gold = [Reference(problem) for problem in problems]
    scores = [score(answers, gold, Options(equation=mode)) for mode in references]
    figures = [scores[0].solution_accuracy, *(s.equation_accuracy for s in scores), scores[0].derivation_accuracy]
    return [f"{100 * figure:.1f}" for figure in figures], templates


def try_templates(arguments: argparse.Namespace) -> None:
    """Print what comes of templates told apart as strings."""
    print("| TE, tested on Draw-1k | templates told apart by | templates | solution / equation / derivation |")
    print("|---|---|---:|---|")
    for data in arguments.data.split(","):
        found, templates = accuracies(data, "TE", ["random"], arguments)
        print(f"| {TITLES[data]} | normal form | {templates} | {' / '.join(found)} |", flush=True)
        with templates_as_strings():
            found, templates = accuracies(data, "TE", ["random"], arguments)
        print(f"| {TITLES[data]} | text | {templates} | {' / '.join(found)} |", flush=True)


def try_references(arguments: argparse.Namespace) -> None:
    """Print what comes of references that training and scoring share."""
    print(f"| Dolphin-L | trained on | solution | {' | '.join(f'equation, {r}' for r in REFERENCES)} | derivation |")
    print("|---|---|---:|" + "---:|" * (len(REFERENCES) + 1))
    for setting, derivation in (("TD", "gold"), ("TE", "the first that fits"), ("TE", "the one drawn at random")):
        with drawn_once() if "random" in derivation else nullcontext():
            found, _ = accuracies("dolphin_l", setting, REFERENCES, arguments)
        print(f"| {setting} | {derivation} | {' | '.join(found)} |", flush=True)


def try_taught(arguments: argparse.Namespace) -> None:
    """Print how what each setting teaches is scored itself: as far as a solver could get by it."""
    print(f"| what is taught | {' | '.join(f'{TITLES[d]}: {r}' for d in DATASETS for r in REFERENCES)} |")
    print("|---|" + "---:|" * (len(DATASETS) * len(REFERENCES)))
    cells: dict[str, list[str]] = {"gold (TD)": [], "the first that fits (TE)": [], "one at random (TE)": []}
    for data in DATASETS:
        problems = all_problems("release", data, arguments.data_dir)
        gold = [Reference(problem) for problem in problems]
        with drawn_once():
            drawn = [training.right_derivations(problem, "TE", "first")[:1] for problem in problems]
        first = [training.right_derivations(problem, "TE", "first")[:1] for problem in problems]
        annotated = [[problem.derivation] for problem in problems]
        for row, taught in zip(cells.values(), (annotated, first, drawn), strict=True):
            said = [one[0].q_notation() if one else None for one in taught]
            for mode in REFERENCES:
                row.append(f"{100 * score(said, gold, Options(equation=mode)).equation_accuracy:.1f}")
    for name, row in cells.items():
        print(f"| {name} | {' | '.join(row)} |")


def try_words(arguments: argparse.Namespace) -> None:
    """Count the gold derivations that use a word for parity, a multiple or a half as a number."""
    print(f"| | problems | with {', '.join(sorted(WORDS))} as a number | % |\n|---|---:|---:|---:|")
    for dataset in DATASETS:
        problems = {problem.id: problem for problem in all_problems("release", dataset, arguments.data_dir)}.values()
        used = 0
        for problem in problems:
            text = {number.place: number.text.lower() for number in problem.numbers}
            used += any(text.get(number.place, "") in WORDS for number in problem.derivation.alignment.values())
        print(f"| {TITLES[dataset]} | {len(problems)} | {used} | {100 * used / len(problems):.1f} |")


WORDS = frozenset(("odd", "even", "twice", "thrice", "double", "doubled", "triple", "half"))

READINGS = {"templates": try_templates, "references": try_references, "taught": try_taught, "words": try_words}


def main(argv: Sequence[str] | None = None) -> int:
    """Try a reading and print what comes of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reading", choices=list(READINGS))
    parser.add_argument("--features", choices=["inferred", "paper"], default="inferred", help="(default inferred)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the training (default 0)")
    parser.add_argument(
        "--data", default="draw1k,draw1k+alg514,draw1k+dolphin_l", metavar="A,B", help="of templates: what to train on"
    )
    parser.add_argument("--folds", type=int, metavar="N", help="of references: only the first N folds")
    parser.add_argument("--data-dir", metavar="DIR", help="the folder of the release's files")
    arguments = parser.parse_args(argv)
    one_thread()
    READINGS[arguments.reading](arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
