"""Measures variants: how many there are, how fast they are made, and what probing says of systems that are known.

Every table of docs/variants.md is printed by one of the subcommands; ``--help`` of each says which.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from tqdm import tqdm

from draw_dataset.catalog import load, resolve
from draw_dataset.core.problem import Problem
from draw_dataset.files import read_json_lines
from draw_dataset.scoring.grading import grade
from draw_dataset.scoring.reference import Reference
from draw_dataset.variants.making import VariantSet, inventory_of, make_variants
from draw_dataset.variants.probing import Case, cases_of, probe_case
from draw_dataset.variants.rivals import Inventory
from draw_dataset.variants.simulating import Answers, Planted, guesses, planted_outside, planted_wrong, right


def read(name: str) -> list[Problem]:
    """Return the problems of a source; of derived rows those that have a derivation."""
    source = resolve(name)
    if source.file is None:
        return load(source)
    rows = [line.value for line in read_json_lines(source.file)]
    return [Problem.from_row(row) for row in rows if row.get("status") != "refused" and row.get("template")]


def made(problems: Sequence[Problem], inventory: Inventory, count: int, kinds: Sequence[str]) -> VariantSet:
    """Return variants with a progress bar."""
    whole = VariantSet([], [], {})
    for start in tqdm(range(0, len(problems), 20), disable=not sys.stderr.isatty(), leave=False):
        found = make_variants(problems[start : start + 20], count, 0, kinds=kinds, inventory=inventory)
        whole.rows.extend(found.rows)
        whole.made.extend(found.made)
        whole.refused.update(found.refused)
    return whole


def coverage(arguments: argparse.Namespace) -> None:
    """Print how many rows give how many variants, and how fast."""
    for name in arguments.sources:
        problems = read(name)
        inventory = inventory_of(problems)
        started = time.process_time()
        found = made(problems, inventory, arguments.count, arguments.kind or ["numbers"])
        seconds = time.process_time() - started
        counts = Counter(min(one.count, 5) for one in found.made)
        by_kind = Counter(row["variant"]["kind"] for row in found)
        print(
            json.dumps(
                {
                    "source": Path(name).name,
                    "rows": len({problem.id for problem in problems}),
                    "five or more": counts[5],
                    "one to four": sum(counts[n] for n in range(1, 5)),
                    "none": len(found.refused),
                    "variants": dict(by_kind),
                    "a second": round(len(found) / seconds),
                    **found.summary()["rivals"],
                    "why none": found.summary()["why_refused"],
                }
            ),
            flush=True,
        )


def identify(arguments: argparse.Namespace) -> None:
    """Print what probing says of planted derivations, by how many variants there are."""
    for name in arguments.sources:
        problems = read(name)
        if arguments.rows:
            problems = Random(1).sample(problems, min(arguments.rows, len(problems)))
        inventory = inventory_of(read(name))
        cases = cases_of(made(problems, inventory, max(arguments.variants), ["numbers"]))
        full = [case for case in cases if len(case.variants) >= max(arguments.variants)]
        for system in SYSTEMS:
            for count in arguments.variants:
                print(json.dumps(_of_system(system, full, count, inventory, name)), flush=True)


SYSTEMS = (
    "gold",
    "gold, 5 % slips",
    "gold, 20 % slips",
    "wrong",
    "wrong, 5 % slips",
    "wrong, 20 % slips",
    "lucky",
    "outside",
    "guessing",
)


def _of_system(system: str, cases: Sequence[Case], count: int, inventory: Inventory, name: str) -> dict[str, Any]:
    said: Counter[str] = Counter()
    # The same answers, taken both ways: how often the planted derivation is named, and what a reader of texts says.
    named = first = reads = agree = planted_count = 0
    for whole in tqdm(cases, desc=f"{system}, {count}", disable=not sys.stderr.isatty(), leave=False):
        case = Case(whole.puzzle, whole.variants[:count])
        random = Random(f"{system}|{case.id}")
        planted, answers = _answers(system, case, inventory, random)
        if answers is None:
            continue
        found = probe_case(case, answers, inventory)
        said[found.verdict] += 1
        if planted is None:
            continue
        planted_count += 1
        written = [told.derivation for told in found.explanations]
        named += planted.written in written
        first += written[:1] == [planted.written]
        # The other way: the same answers with their equations, read and graded on the original.
        text = planted.texts(answers)[case.id]
        verdict = grade({"answer": text}, Reference(case.puzzle.problem))
        reads += verdict.derivation
        agree += (str(found.verdict) == "right") == verdict.derivation
    total = sum(said.values()) or 1
    return {
        "source": Path(name).name,
        "system": system,
        "variants": count,
        "problems": sum(said.values()),
        **{verdict: round(100 * said[verdict] / total, 1) for verdict in ("right", "wrong", "undecided")},
        "named": round(100 * named / (planted_count or 1), 1),
        "named first": round(100 * first / (planted_count or 1), 1),
        "read as right": round(100 * reads / (planted_count or 1), 1),
        "agree": round(100 * agree / (planted_count or 1), 1),
    }


def _answers(system: str, case: Case, inventory: Inventory, random: Random) -> tuple[Planted | None, Answers | None]:
    if system == "guessing":
        return None, guesses(case, random)
    slips = 0.05 if " 5 %" in system else 0.2 if "20 %" in system else 0.0
    if system.startswith("gold"):
        planted: Planted | None = right(case)
    elif system == "outside":
        planted = planted_outside(case, inventory, random)
    else:
        planted = planted_wrong(case, inventory, random, lucky=system == "lucky")
    return (planted, None if planted is None else planted.answers(random, slips))


def agree(arguments: argparse.Namespace) -> None:
    """Print what the metric says of a system's derivations where probing says right, wrong or undecided."""
    rows = [line.value for line in read_json_lines(arguments.variants)]
    predictions = {line.value["id"]: line.value["prediction"] for line in read_json_lines(arguments.predictions)}
    answers = {id_: None if one is None else one.get("solutions") for id_, one in predictions.items()}
    inventory = inventory_of(read(arguments.inventory))
    table: Counter[tuple[str, str]] = Counter()
    for case in tqdm(cases_of([row for row in rows if row.get("variant")]), disable=not sys.stderr.isatty()):
        found = probe_case(case, answers, inventory)
        problems = [case.puzzle.problem, *(variant.problem for variant in case.variants)]
        rights = [grade(predictions[one.id], Reference(one)).derivation for one in problems]
        said = "all right" if all(rights) else "original right" if rights[0] else "original wrong"
        table[str(found.verdict), said] += 1
    for (verdict, said), count in sorted(table.items()):
        print(json.dumps({"from answers": verdict, "by Algorithm 1": said, "problems": count}))


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("coverage", help="the tables of coverage and speed")
    one.add_argument("sources", nargs="+", help="configurations or files of rows")
    one.add_argument("--count", type=int, default=5)
    one.add_argument("--kind", action="append", choices=["numbers", "traps", "twins"])
    one.set_defaults(run=coverage)
    two = commands.add_parser("identify", help="the tables of planted derivations and of the agreement of the two ways")
    two.add_argument("sources", nargs="+")
    two.add_argument("--variants", type=int, nargs="+", default=[0, 1, 2, 3, 5])
    two.add_argument("--rows", type=int, default=0, help="only so many, drawn at random (default: all)")
    two.set_defaults(run=identify)
    three = commands.add_parser("agree", help="a system by its answers and by its derivations")
    three.add_argument("predictions", help="what draw solve predict has written, for originals and variants")
    three.add_argument("variants", help="what draw variants make --with-originals has written")
    three.add_argument("--inventory", default="draw1k")
    three.set_defaults(run=agree)
    arguments = parser.parse_args(argv)
    arguments.run(arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
