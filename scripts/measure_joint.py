"""Prints what the solver gains by learning from all three datasets at once, as Markdown (docs/solver.md).

Choices are made on Draw's train and validation, by five-fold cross-validation: learning from the other folds alone, and
from these with Alg-514 and Dolphin-L. Dolphin-L's folds are then asked once, learning from its other folds with Draw
and Alg-514. Problems that are nearly the same as one that is asked are never learnt from (draw solve train --without).
Below the accuracies stands where the wrong derivations come from.

    python scripts/measure_joint.py --data-dir ../shared/release
    python scripts/measure_joint.py --only dolphin_l --fold fold0 --data-dir ../shared/release
"""

from __future__ import annotations

from reproduction.threads import one_thread

one_thread()  # before numpy is imported

import argparse  # noqa: E402
import random  # noqa: E402
import sys  # noqa: E402
from collections import Counter  # noqa: E402
from collections.abc import Iterator, Sequence  # noqa: E402

from draw_dataset.catalog import load_splits, resolve  # noqa: E402
from draw_dataset.commands.solve.training_data import without_near  # noqa: E402
from draw_dataset.core.problem import Problem  # noqa: E402
from draw_dataset.scoring.grading import grade  # noqa: E402
from draw_dataset.scoring.reference import Reference  # noqa: E402
from draw_dataset.solver import train  # noqa: E402
from draw_dataset.solver.inventory import class_key  # noqa: E402

FOLDS = 5
RUNS = ("draw-cv alone", "draw-cv", "dolphin_l")


def problems_of(dataset: str, data_dir: str | None) -> list[Problem]:
    """Return the problems of a dataset, each text once."""
    splits = load_splits(resolve(dataset), data_dir)
    return list({problem.question: problem for split in splits.values() for problem in split}.values())


def folds(run: str, data_dir: str | None) -> Iterator[tuple[str, list[Problem], list[Problem], list[Problem]]]:
    """Yield the folds of a run: name, own problems to learn from, those of other datasets, problems to ask."""
    if run.startswith("draw-cv"):
        splits = load_splits(resolve("draw1k"), data_dir)
        known = [*splits["train"], *splits["validation"]]
        order = list(range(len(known)))
        random.Random(0).shuffle(order)
        others = [] if "alone" in run else [p for name in ("alg514", "dolphin_l") for p in problems_of(name, data_dir)]
        for fold in range(FOLDS):
            asked = order[fold::FOLDS]
            held = set(asked)
            yield f"fold{fold}", [known[i] for i in order if i not in held], others, [known[i] for i in asked]
        return
    splits = load_splits(resolve(run), data_dir)
    others = [p for name in ("draw1k", "alg514") for p in problems_of(name, data_dir)]
    for name in [name for name in splits if name.startswith("fold")]:
        yield name, [p for other, part in splits.items() if other != name for p in part], others, splits[name]


def kind_of(problem: Problem, derivation: object, known: set[str]) -> str:
    """Return why an answer is wrong: a template that training does not have, another template, or the numbers."""
    key = class_key(problem.derivation.template, True)
    if key not in known:
        return "template not learnt"
    template = getattr(derivation, "template", None)
    return "numbers" if template is not None and class_key(template, True) == key else "another template"


def main(argv: Sequence[str] | None = None) -> int:
    """Train and ask fold by fold, and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", metavar="DIR", help="the folder of the release's files")
    parser.add_argument("--only", choices=RUNS, help="one run")
    parser.add_argument("--fold", metavar="NAME", help="one fold of each run")
    arguments = parser.parse_args(argv)
    print("| run | n | solution / derivation / equation | template not learnt | another template | numbers |")
    print("|---|---|---|---|---|---|")
    for run in RUNS if arguments.only is None else (arguments.only,):
        counts: Counter[str] = Counter()
        for name, own, others, asked in folds(run, arguments.data_dir):
            if arguments.fold not in (None, name):
                continue
            learnt = [*own, *without_near(others, asked)]
            model = train(learnt, relations=False)  # what is learnt, and not what texts state
            known = {class_key(problem.derivation.template, True) for problem in learnt}
            for problem in asked:
                answer = model.predict(problem)
                verdict = grade(answer.to_dict(), Reference(problem))
                counts.update(n=1, solution=bool(verdict.solution), derivation=bool(verdict.derivation))
                counts.update(equation=bool(verdict.equation))
                if not verdict.derivation:
                    counts[kind_of(problem, answer.derivation, known)] += 1
            print(f"{run} {name}: {dict(counts)}", file=sys.stderr, flush=True)
        shares = " / ".join(
            f"{100 * counts[what] / counts['n']:.1f}" for what in ("solution", "derivation", "equation")
        )
        kinds = " | ".join(str(counts[kind]) for kind in ("template not learnt", "another template", "numbers"))
        print(f"| {run} | {counts['n']} | {shares} | {kinds} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
