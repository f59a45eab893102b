"""Prints what comparing answers with the relations that a text states brings, as Markdown (docs/solver.md).

The first table has the accuracies of one trained solver (TD, all templates, seed 0) for each weight of a relation; 0
compares nothing. The second says what is read: of how many texts, how many relations, and how many of these the gold
solution breaks. Then, leaving out consecutive numbers, how many derivations are made of relations, and how many of
these are gold's, as published and as corrected.

The words and the weight were chosen on Draw's train and validation ("draw-cv", five folds).

    python scripts/measure_relations.py --data-dir ../shared/release
    python scripts/measure_relations.py --only draw-cv --weights 0,0.5,1,2 --data-dir ../shared/release
"""

from __future__ import annotations

from reproduction.threads import one_thread

one_thread()  # before numpy is imported

import argparse  # noqa: E402
import sys  # noqa: E402
from collections import Counter  # noqa: E402
from collections.abc import Iterator, Mapping, Sequence  # noqa: E402
from dataclasses import replace  # noqa: E402
from unittest import mock  # noqa: E402

import numpy as np  # noqa: E402
from measure_joint import folds  # noqa: E402

from draw_dataset.catalog import load_splits, resolve  # noqa: E402
from draw_dataset.core.equivalence import derivations_equivalent  # noqa: E402
from draw_dataset.core.problem import Problem  # noqa: E402
from draw_dataset.scoring.grading import grade  # noqa: E402
from draw_dataset.scoring.reference import Reference  # noqa: E402
from draw_dataset.solver import model as model_module  # noqa: E402
from draw_dataset.solver import train  # noqa: E402
from draw_dataset.solver.relations.agreement import broken  # noqa: E402
from draw_dataset.solver.relations.composed import composed  # noqa: E402
from draw_dataset.solver.relations.statements import read_relations  # noqa: E402
from draw_dataset.solver.tagged_text import TaggedText  # noqa: E402

RUNS = ("draw-cv", "draw1k test", "alg514", "dolphin_l")
READ = ("problems", "texts", "relations", "broken", "made", "gold", "corrected")
"""What is counted of texts."""

FIGURES = ("solution", "derivation", "equation")


def parts(run: str, data_dir: str | None) -> Iterator[tuple[list[Problem], list[Problem]]]:
    """Yield the parts of a run: problems to learn from, and problems to ask."""
    if run == "draw1k test":
        splits = load_splits(resolve("draw1k"), data_dir)
        yield [*splits["train"], *splits["validation"]], splits["test"]
        return
    for _, own, _, asked in folds("draw-cv alone" if run == "draw-cv" else run, data_dir):
        yield own, asked


def read_in(problems: Sequence[Problem], corrected: Mapping[int | str, Problem]) -> Counter[str]:
    """Return what the texts of problems state, and what gold makes of it; see READ.

    Args:
        problems: the problems.
        corrected: the same with corrected gold, by id.
    """
    counts: Counter[str] = Counter(problems=len(problems))
    for problem in problems:
        text = TaggedText.of_problem(problem)
        relations = read_relations(text)
        counts.update(texts=bool(relations), relations=len(relations))
        values = np.array([[float(value)] for value in problem.derivation.solve().numbers])
        for relation in relations if len(values) else ():
            counts.update(broken=int(broken([relation], None, values)[0]))
        found = composed(relations, text.numbers)
        if found is None or any(relation.consecutive for relation in relations):
            continue
        gold, mended = problem.derivation, corrected[problem.id].derivation
        counts.update(
            made=1, gold=derivations_equivalent(found[0], gold), corrected=derivations_equivalent(found[0], mended)
        )
    return counts


def main(argv: Sequence[str] | None = None) -> int:
    """Read, train and ask, and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", metavar="DIR", help="the folder of the release's files")
    parser.add_argument("--only", choices=RUNS, help="one run")
    parser.add_argument("--weights", default="0,1", metavar="A,B", help="of a relation (default 0,1)")
    arguments = parser.parse_args(argv)
    weights = [float(weight) for weight in arguments.weights.split(",")]
    read: list[str] = []
    print("| run | n | weight | solution / derivation / equation |\n|---|---:|---:|---|")
    for run in RUNS if arguments.only is None else (arguments.only,):
        stated: Counter[str] = Counter()
        corrected = load_splits(
            resolve(run.split()[0].replace("draw-cv", "draw1k")), arguments.data_dir, corrected=True
        )
        mended = {problem.id: problem for split in corrected.values() for problem in split}
        right: dict[float, Counter[str]] = {weight: Counter() for weight in weights}
        for learnt, asked in parts(run, arguments.data_dir):
            stated.update(read_in(asked, mended))
            trained = train(learnt)
            for weight in weights:
                model = trained if weight else replace(trained, customs=None)
                with mock.patch.object(model_module, "WEIGHT", weight):
                    for problem in asked:
                        verdict = grade(model.predict(problem).to_dict(), Reference(problem))
                        right[weight].update({what: bool(getattr(verdict, what)) for what in FIGURES})
        for weight, found in right.items():
            shares = " / ".join(f"{100 * found[what] / stated['problems']:.1f}" for what in FIGURES)
            print(f"| {run} | {stated['problems']} | {weight:g} | {shares} |", flush=True)
        read.append("| " + " | ".join([run, *(str(stated[what]) for what in READ)]) + " |")
    print(f"\n| run | {' | '.join(READ)} |\n|---|{'---:|' * len(READ)}")
    print("\n".join(read))
    return 0


if __name__ == "__main__":
    sys.exit(main())
