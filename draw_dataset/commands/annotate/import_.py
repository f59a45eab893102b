"""``draw annotate import``: problems into a store."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from draw_dataset.commands.annotate import add_store, counted
from draw_dataset.commands.options import add_json, takes_sources, whole_number

if TYPE_CHECKING:
    from draw_dataset.annotation.store import Intake, StoredProblem

LARGEST = 2**31 - 1

HELP = "import problems into a store; a new store is made if there is none"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        'Each line of a file is a JSON object with "id", "question" and "equations"; other fields are kept and\n'
        "exported again. Gold of rows is not used. Either all problems of all files are imported or none.\n"
        "Importing the same again changes nothing.\n\n"
        "examples:\n"
        "  draw annotate import problems.jsonl --store work.db\n"
        "  draw annotate import sample --store work.db --annotators-per-problem 3 --seed 7\n"
        "  draw annotate import corrected.jsonl --store work.db --update"
    )
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="a JSONL file of problems; or sample, draw1k, alg514 …"
    )
    takes_sources(parser, "files")
    add_store(parser)
    parser.add_argument(
        "--update",
        action="store_true",
        help="problems that differ from those in the store become new revisions; all work is kept",
    )
    parser.add_argument(
        "--annotators-per-problem",
        type=whole_number(1, LARGEST),
        metavar="N",
        help="how many people annotate each problem (default: 2)",
    )
    parser.add_argument(
        "--seed",
        type=whole_number(0, LARGEST),
        metavar="N",
        help="seed of the order in which each annotator gets the problems (default: 0)",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Import the problems and say what became of them."""
    from draw_dataset.annotation.store import Store
    from draw_dataset.annotation.store.intake import checked

    problems = checked(_problems(arguments.files))  # before a store is made
    with Store.open(arguments.store, create=True) as store:
        intake = store.add_problems(problems, arguments.update, progress=sys.stderr.isatty())
        store.configure(arguments.annotators_per_problem, arguments.seed)
    print(json.dumps(asdict(intake)) if arguments.json else _as_text(intake, arguments.store))
    return 0


def _problems(files: Sequence[str]) -> Iterator[StoredProblem]:
    from draw_dataset.annotation.store import StoredProblem
    from draw_dataset.annotation.store.intake import read_problems
    from draw_dataset.catalog import load, resolve

    for source in map(resolve, files):
        if source.file is not None:
            yield from read_problems(Path(source.file))
        else:
            for problem in load(source):
                yield StoredProblem(problem.id, problem.question, problem.equations)


def _as_text(intake: Intake, store: Path) -> str:
    changed = {"added": len(intake.added), "updated": len(intake.updated), "already there": len(intake.unchanged)}
    lines = [f"{store}: {counted(changed)}"]
    if intake.added or intake.updated:
        lines.append(f"of those added or updated: {counted(dict(intake.counts))}")
    lines += [f"  refused {id_}: {message}" for id_, message in intake.refused.items()]
    return "\n".join(lines)
