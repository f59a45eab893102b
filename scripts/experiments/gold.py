"""Experiments on gold: how far readings of the release agree, and how school answers are graded by edition 3."""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

from draw_dataset import grade
from draw_dataset.algebra.number import number_literal
from draw_dataset.algebra.solution import solve
from draw_dataset.data.catalog import load
from draw_dataset.derivation.derivation import Derivation
from draw_dataset.derivation.equivalence import canonical_key
from draw_dataset.derivation.problem import Problem, asked_values
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


def read_readings(folder: Path, dataset: str, reader: int | str) -> dict[int, Reading]:
    """Return the readings of a dataset by a reader, by id; none if there are none."""
    path = folder / f"{dataset}.{reader}.jsonl"
    return {line.value["id"]: line.value for line in read_json_lines(path)} if path.is_file() else {}


def gives_the_same(problem: Problem, one: str, other: str) -> bool:
    """Decide whether one of two derivations of a problem has all quantities of the other."""
    try:
        return has_quantities(problem, one, other) or has_quantities(problem, other, one)
    except DrawError:
        return False


def has_quantities(problem: Problem, one: str, other: str) -> bool:
    """Decide whether a derivation of a problem has all quantities of another one."""
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


@experiment("fresh", option("--differences", action="store_true", help="print what differs"), DATA_DIR)
def run_fresh(arguments: argparse.Namespace) -> None:
    """Compare edition 3 with a reading of 375 random rows by someone who saw no annotation (docs/gold.md).

    A derivation agrees if it, gold or one of its alternatives has all quantities of the other, with the numbers joined
    that edition 3 joins. Groups count where they have a number of gold.
    """
    columns = "read", "derivation differs", "asked differs", "groups differ", "excluded by both"
    print_head("dataset", *columns, right=range(1, 1 + len(columns)))
    for dataset in DATASETS:
        tally: Counter[str] = Counter()
        rows = {problem.id: problem for problem in load(dataset, arguments.data_dir, True)}
        for id_, reading in read_readings(READINGS, dataset, "fresh").items():
            problem = rows.get(id_)
            if problem is None or reading["status"] == EXCLUDED:
                tally["excluded"] += problem is None and reading["status"] == EXCLUDED
                tally["derivation"] += (problem is None) != (reading["status"] == EXCLUDED)
                continue
            tally["read"] += 1
            index = {number.place: number.index for number in problem.numbers}
            used = {index[place] for place in problem.derivation.places}
            groups = {frozenset(index[number.place] for number in group) for group in problem.equiv_tnum}
            golds = [problem.derivation.q_notation(), *problem.alternatives]
            differs = {
                "derivation": not any(gives_the_same(problem, reading["d"], gold) for gold in golds),
                "asked": values_asked(problem, reading) != sorted(asked_values(problem)),
                "groups": {one for one in map(frozenset, reading.get("same", ())) if one & used}
                != {one for one in groups if one & used},
            }
            tally.update(name for name, differ in differs.items() if differ)
            if arguments.differences and any(differs.values()):
                print(json.dumps({"id": id_, **differs, "reading": reading["d"], "gold": golds}))
        print_row(dataset, *(tally[name] for name in ("read", "derivation", "asked", "groups", "excluded")))


# School answers to problems of consecutive numbers. They are written from the row, so a reader of answers has not seen
# them; what is asked are the numbers themselves, the smallest of which is gold's unknown.


@experiment(
    "consecutive",
    option("--count", type=int, default=60, metavar="N", help="problems drawn at random (default: 60)"),
    option("--seed", type=int, default=0, metavar="S", help="default: 0"),
    option("--show", action="store_true", help="print the answers that are not right"),
    DATA_DIR,
)
def run_consecutive(arguments: argparse.Namespace) -> None:
    """Grade school answers to problems of consecutive numbers, on edition 3 and as published (docs/gold.md)."""
    corrected = {problem.id: problem for problem in load("dolphin_l", arguments.data_dir, True)}
    published = {problem.id: problem for problem in load("dolphin_l", arguments.data_dir)}
    offered = [problem for problem in corrected.values() if _offsets(problem)]
    drawn = random.Random(arguments.seed).sample(offered, min(arguments.count, len(offered)))
    print_head(
        "answers", "n", "derivation", "solution", "derivation, published", "solution, published", right=range(1, 6)
    )
    for style, write in SCHOOL_STYLES.items():
        tally: Counter[str] = Counter()
        for problem in drawn:
            answer = write(problem, _offsets(problem))
            for name, row in (("", corrected[problem.id]), ("published ", published[problem.id])):
                verdict = grade({"answer": answer}, row)
                tally[f"{name}derivation"] += verdict.derivation
                tally[f"{name}solution"] += verdict.solution
                if arguments.show and not name and not (verdict.derivation and verdict.solution):
                    print(f"{style} {problem.id} {verdict.reason}: {verdict.message}\n{answer}\n")
        names = "derivation", "solution", "published derivation", "published solution"
        print_row(style, len(drawn), *(tally[name] for name in names))


def _offsets(problem: Problem) -> list[int]:
    """Return the distances of the numbers asked for from the smallest, gold's only unknown; empty if it is not so."""
    if len(problem.asked) < 2 or problem.derivation.template.unknowns != ("m",):
        return []
    found = [re.fullmatch(r"m(?: \+ (\d+))?", text) for text in problem.asked]
    return [int(one[1] or 0) for one in found if one] if all(found) else []


def _equation(problem: Problem, unknown: str, shift: int = 0, factor: int = 1) -> str:
    """Return gold's equation with the values of the numbers, and another unknown for the smallest number."""
    values = {f"q{number.index}": number.value for number in problem.numbers}
    smallest = f"{factor}{unknown}" if factor > 1 else unknown
    if shift:
        smallest = f"({smallest} {'+' if shift > 0 else '-'} {abs(shift)})"
    text = problem.derivation.q_notation().replace("m", smallest)
    return re.sub(r"q\d+", lambda found: number_literal(values[found[0]] or Fraction(0)), text)


def _results(problem: Problem) -> list[int]:
    return [int(value) for value in asked_values(problem)]


def _said(values: Sequence[object]) -> str:
    return (
        " and ".join(map(str, values)) if len(values) == 2 else f"{', '.join(map(str, values[:-1]))} and {values[-1]}"
    )


def _smallest_first(problem: Problem, offsets: Sequence[int]) -> str:
    named = ["x", *(f"x + {offset}" for offset in offsets[1:])]
    values = _results(problem)
    return (
        f"Let the numbers be {_said(named)}.\n{_equation(problem, 'x')}\nx = {values[0]}\n"
        f"So the numbers are {_said(values)}."
    )


def _halves(problem: Problem, offsets: Sequence[int]) -> str:
    smallest = _results(problem)[0]
    parity = smallest % 2
    if offsets[1] % 2:
        return _largest_first(problem, offsets)
    names = [f"2k + {offset + parity}" if offset + parity else "2k" for offset in offsets]
    return (
        f"Call the numbers {_said(names)}, where k is an integer.\n{_equation(problem, 'k', parity, 2)}\n"
        f"k = {(smallest - parity) // 2}\nThe numbers are {_said(_results(problem))}."
    )


def _largest_first(problem: Problem, offsets: Sequence[int]) -> str:
    last = offsets[-1]
    names = [*(f"y - {last - offset}" for offset in offsets[:-1]), "y"]
    values = _results(problem)
    return (
        f"Let y be the largest number. The numbers are {_said(names)}.\n{_equation(problem, 'y', -last)}\n"
        f"y = {values[-1]}\nAnswer: {', '.join(map(str, values))}"
    )


def _middle_first(problem: Problem, offsets: Sequence[int]) -> str:
    middle = offsets[len(offsets) // 2]
    values = _results(problem)
    return (
        f"If n is the number in the middle, we have {_equation(problem, 'n', -middle)}, so n = "
        f"{values[len(values) // 2]}. The numbers are therefore {_said(values)}."
    )


def _each_named(problem: Problem, offsets: Sequence[int]) -> str:
    names = "abcdefgh"[: len(offsets)]
    values = _results(problem)
    steps = [
        f"{after} = {before} + {offsets[at + 1] - offsets[at]}" for at, (before, after) in enumerate(pairwise(names))
    ]
    equation = _equation(problem, "a")
    for name, offset in list(zip(names, offsets, strict=True))[:0:-1]:
        equation = equation.replace(f"(a + {offset})", name)
    solved = ", ".join(f"{name} = {value}" for name, value in zip(names, values, strict=True))
    return "\n".join([*steps, equation, solved])


SCHOOL_STYLES = {
    "x, x + 2, x + 4": _smallest_first,
    "2k + 1, 2k + 3": _halves,
    "y - 4, y - 2, y": _largest_first,
    "n in the middle": _middle_first,
    "b = a + 2, c = b + 2": _each_named,
}
"""The ways in which a school answer calls consecutive numbers; one without a parity has no halves."""
