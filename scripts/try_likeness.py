"""Tries what the solver gains by looking at its nearest training problems, and prints it as Markdown (docs/solver.md).

The similarity system alone answers half of Dolphin-L, so it knows something. Here a template is scored by the solver
with the best way to fill it, plus a weight times the likeness of the text to the nearest training problem that has this
template. Weights are compared on Draw's train and validation by five-fold cross-validation; Dolphin-L's folds are asked
with the weights that are given. All learn from the other datasets, too, as in scripts/measure_joint.py.

    python scripts/try_likeness.py --data-dir ../shared/release
    python scripts/try_likeness.py --only dolphin_l --weights 0,0.5 --data-dir ../shared/release
"""

from __future__ import annotations

from reproduction.threads import one_thread

one_thread()  # before numpy is imported

import argparse  # noqa: E402
import sys  # noqa: E402
from collections import Counter  # noqa: E402
from collections.abc import Iterator, Sequence  # noqa: E402

import numpy as np  # noqa: E402
from measure_joint import folds  # noqa: E402

from draw_dataset.commands.solve.training_data import without_near  # noqa: E402
from draw_dataset.core.derivation import Derivation  # noqa: E402
from draw_dataset.core.equations import SolutionKind  # noqa: E402
from draw_dataset.core.problem import Problem  # noqa: E402
from draw_dataset.scoring.grading import grade  # noqa: E402
from draw_dataset.scoring.reference import Reference  # noqa: E402
from draw_dataset.solver.answerer import SolverAnswer, tagged_or_refused  # noqa: E402
from draw_dataset.solver.inventory import class_key  # noqa: E402
from draw_dataset.solver.layout import attributes_of, encode_text  # noqa: E402
from draw_dataset.solver.model import Model  # noqa: E402
from draw_dataset.solver.search import Searcher  # noqa: E402
from draw_dataset.solver.similarity import Similarity  # noqa: E402
from draw_dataset.solver.training import train_template_first  # noqa: E402

WEIGHTS = "0,0.25,0.5,1,2"
RUNS = ("draw-cv alone", "draw-cv", "dolphin_l")
FIGURES = ("solution", "derivation", "equation")
DEEP = 25
"""Templates of the best score that are looked at; what stands below is never lifted to the top by these weights."""


def candidates(model: Model, nearest: Similarity, problem: Problem) -> Iterator[tuple[float, float, Derivation]]:
    """Yield the best way to fill each of the best templates: its score, the likeness, the derivation."""
    text = tagged_or_refused(problem, "auto", model.inventory, model.lexicon)
    if isinstance(text, SolverAnswer):
        return
    encoded = encode_text(text, attributes_of(text, model.features), model.attributes)
    searcher, chosen = Searcher(model.layout, model.weights), model.chosen(encoded)
    found: list[tuple[float, int, tuple[int, ...]]] = []
    for block, scores in searcher.scored(encoded, chosen, searcher.candidates(encoded, chosen)):
        members = model.layout.groups[block.group].members[block.which]
        best = scores.argmax(axis=1)
        for t, (member, way) in enumerate(zip(members.tolist(), best.tolist(), strict=True)):
            if np.isfinite(scores[t, way]):
                found.append((float(scores[t, way]), member, tuple(block.ways.rows[way].tolist())))
    likeness: dict[str, float] = {}
    for neighbour, like in zip(nearest.neighbours, nearest.likeness(text).tolist(), strict=True):
        key = class_key(nearest.inventory.classes[neighbour.template].template, True)
        likeness[key] = max(like, likeness.get(key, 0.0))
    for score, member, row in sorted(found, reverse=True)[:DEEP]:
        known = model.inventory.classes[member]
        filled = {slot: text.numbers[i] for slot, i in zip(known.slots, row, strict=True)}
        yield score, likeness.get(class_key(known.template, True), 0.0), Derivation(known.template, filled)


def main(argv: Sequence[str] | None = None) -> int:
    """Train and ask fold by fold, and print what came out for each weight."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", metavar="DIR", help="the folder of the release's files")
    parser.add_argument("--only", choices=RUNS, help="one run")
    parser.add_argument("--weights", default=WEIGHTS, metavar="A,B", help=f"of the likeness (default {WEIGHTS})")
    arguments = parser.parse_args(argv)
    weights = [float(weight) for weight in arguments.weights.split(",")]
    print("| run | n | weight of the likeness | solution / derivation / equation |\n|---|---|---|---|")
    for run in RUNS if arguments.only is None else (arguments.only,):
        counts: dict[float, Counter[str]] = {weight: Counter() for weight in weights}
        asked_in_all = 0
        for name, own, others, asked in folds(run, arguments.data_dir):
            learnt = [*own, *without_near(others, asked)]
            model, nearest = train_template_first(learnt), Similarity.learn(learnt)
            asked_in_all += len(asked)
            for problem in asked:
                gold = Reference(problem)
                solvable = [
                    one for one in candidates(model, nearest, problem) if one[2].solve().kind is SolutionKind.UNIQUE
                ]
                for weight in weights if solvable else ():
                    best = max(solvable, key=lambda one: one[0] + weight * one[1])
                    verdict = grade(best[2].q_notation(), gold)
                    counts[weight].update({what: bool(getattr(verdict, what)) for what in FIGURES})
            print(f"{run} {name}: {asked_in_all} asked", file=sys.stderr, flush=True)
        for weight, found in counts.items():
            shares = " / ".join(f"{100 * found[what] / asked_in_all:.1f}" for what in FIGURES)
            print(f"| {run} | {asked_in_all} | {weight:g} | {shares} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
