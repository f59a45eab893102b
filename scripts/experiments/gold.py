"""Experiment on gold: how far two readings of the release agree, with each other and with the annotation."""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from draw_dataset.algebra.solution import solve
from draw_dataset.data.catalog import load
from draw_dataset.derivation.derivation import Derivation
from draw_dataset.derivation.equivalence import canonical_key
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import DrawError
from draw_dataset.io.jsonl import read_json_lines
from draw_dataset.reading.compare import GoldQuantities, agree_systems
from experiments import DATA_DIR, ROOT, experiment, option, print_head, print_row
from experiments.trust import share

READINGS = ROOT / "scripts" / "gold" / "readings"
DATASETS = ("draw1k", "alg514", "dolphin_l")
EXCLUDED = "excluded"

Reading = Mapping[str, Any]


@experiment(
    "census",
    option("--only", choices=DATASETS, help="one dataset"),
    option("--readings", type=Path, default=READINGS, metavar="DIR", help="default: scripts/gold/readings"),
    option("--differences", action="store_true", help="print a JSON line for each problem on which a reading differs"),
    DATA_DIR,
)
def run_census(arguments: argparse.Namespace) -> None:
    """Measure how far two independent readings of the release agree, and with its gold (docs/gold.md).

    Derivations agree if one has all quantities of the other. Alpha is Krippendorff's, for the templates, which may
    differ although the quantities are equal.
    """
    columns = "problems", "readings agree", "alpha", "asked agree", "both as published", "both as corrected"
    print_head("dataset", *columns, right=range(1, 1 + len(columns)))
    for dataset in (arguments.only,) if arguments.only else DATASETS:
        one, other = (read_readings(arguments.readings, dataset, reader) for reader in (1, 2))
        tally: Counter[str] = Counter()
        pairs: list[tuple[str, str]] = []
        corrected = {problem.id: problem for problem in load(dataset, arguments.data_dir, True)}
        for problem in {problem.id: problem for problem in load(dataset, arguments.data_dir)}.values():
            mine, yours = one.get(problem.id), other.get(problem.id)
            if mine is None or yours is None:
                continue
            tally["problems"] += 1
            if EXCLUDED in (mine["status"], yours["status"]):
                tally["agree"] += mine["status"] == yours["status"]
                continue
            agree = gives_the_same(problem, mine["d"], yours["d"])
            golds = {
                name: [gives_the_same(row, reading["d"], row.derivation.q_notation()) for reading in (mine, yours)]
                for name, row in (("published", problem), ("corrected", corrected[problem.id]))
            }
            pairs.append((template_of(problem, mine["d"]), template_of(problem, yours["d"])))
            tally["agree"] += agree
            tally["asked"] += values_asked(problem, mine) == values_asked(problem, yours)
            tally["read"] += 1
            for name, both in golds.items():
                tally[name] += all(both)
            if arguments.differences and not (agree and all(golds["corrected"])):
                gold = corrected[problem.id].derivation.q_notation()
                line = {"id": problem.id, "readings": [mine["d"], yours["d"]], "agree": agree, "gold": gold}
                print(json.dumps({**line, "as_gold": golds["corrected"]}))
        n, read = tally["problems"], tally["read"]
        alpha = f"{alpha_of(pairs):.3f}" if pairs else "-"
        figures = share(tally["asked"], read), share(tally["published"], read), share(tally["corrected"], read)
        print_row(dataset, n, share(tally["agree"], n), alpha, *figures)


def read_readings(folder: Path, dataset: str, reader: int) -> dict[int, Reading]:
    """Return the readings of a dataset by a reader, by id; none if there are none."""
    path = folder / f"{dataset}.{reader}.jsonl"
    return {line.value["id"]: line.value for line in read_json_lines(path)} if path.is_file() else {}


def gives_the_same(problem: Problem, one: str, other: str) -> bool:
    """Decide whether one of two derivations of a problem has all quantities of the other."""
    try:
        return _has(problem, one, other) or _has(problem, other, one)
    except DrawError:
        return False


def _has(problem: Problem, one: str, other: str) -> bool:
    gold = GoldQuantities(problem.with_gold(Derivation.read(other, problem.numbers), ()))
    derivation = Derivation.read(one, problem.numbers)
    classes = [gold.class_of[place] for place in problem.number_classes.of_places(derivation.places)]
    found = agree_systems(derivation.template.system, classes, gold)
    return found.complete and not found.shortcut


def template_of(problem: Problem, derivation: str) -> str:
    """Return what templates share that differ in names, as a category for alpha."""
    return canonical_key(Derivation.read(derivation, problem.numbers).template)


def values_asked(problem: Problem, reading: Reading) -> list[Fraction] | None:
    """Return the values that a reading says are asked for; None if its equations have no solution."""
    values = {f"q{number.index}": number.value for number in problem.numbers if number.value is not None}

    def filled(text: str) -> str:
        return re.sub(r"q\d+", lambda found: f"({values[found[0]]})", text)

    names = [f"z{place}" for place in range(len(reading["asked"]))]
    asked = [f"{name} = {filled(text)}" for name, text in zip(names, reading["asked"], strict=True)]
    try:
        found = solve([filled(equation) for equation in reading["d"].split(";")] + asked).values
    except (DrawError, KeyError):
        return None
    return sorted(found[name] for name in names if name in found)


def alpha_of(pairs: Sequence[tuple[str, str]]) -> float:
    """Return Krippendorff's alpha of two readers for categories without an order.

    >>> round(alpha_of([("a", "a"), ("b", "b"), ("a", "b"), ("b", "b")]), 3)
    0.533
    """
    count = Counter(category for pair in pairs for category in pair)
    n = sum(count.values())
    observed = sum(one != other for one, other in pairs) / len(pairs)
    expected = 1 - sum(c * (c - 1) for c in count.values()) / (n * (n - 1))
    return 1 - observed / expected if expected else 1.0
