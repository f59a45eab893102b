"""``draw sample``: problems to annotate, drawn from the pool that ``draw clean`` wrote."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from draw_dataset.errors import ChoiceError, RowError
from draw_dataset.files import STANDARD, decode_json, read_json_lines, read_text, write_json_lines

if TYPE_CHECKING:
    from draw_dataset.cleaning.pool import Funnel

HELP = "draw problems to annotate from the pool that draw clean wrote"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "The draw is random and repeatable: the same pool, count and seed give the same file. Each line is a JSON\n"
        "object with id, question, equations and solutions, as draw annotate import takes it, and under source the\n"
        "text as posted, the changes made to it, and all other statements of the explanation. The funnel from crawl\n"
        "to sample is printed next to the paper's.\n\n"
        "examples:\n"
        "  draw sample pool --count 1000 --out sample.jsonl\n"
        "  draw sample pool --count 200 --seed 7 --by-topic --out sample.jsonl --plot funnel.svg"
    )
    add = parser.add_argument
    add("pool", type=Path, help="the folder that draw clean wrote")
    add("--out", type=Path, required=True, metavar="FILE", help="the JSONL file to write; - is standard output")
    add("--count", type=int, default=1000, metavar="N", help="how many to draw (default %(default)s)")
    add("--seed", type=int, default=0, metavar="N", help="the seed of the draw (default %(default)s)")
    add("--by-topic", action="store_true", help="give each topic its share (default: one draw over all)")
    add("--plot", type=Path, metavar="FILE", help="also draw the funnel: .png, .svg or .pdf")
    add("--json", action="store_true", help="print the funnel as one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Draw, write the files and print the funnel."""
    # Here, as the other subcommands do not need them.
    from draw_dataset.cleaning.pool import Record, draw_sample
    from draw_dataset.cleaning.pool.funnel import save_funnel
    from draw_dataset.cleaning.pool.sample import annotation_row
    from draw_dataset.files.atomic import check_writable
    from draw_dataset.files.plot import check_plot

    if arguments.count < 1:
        raise ChoiceError(f"--count: expected at least 1, but got {arguments.count}")
    check_writable(arguments.out)  # before the work, not after it
    if arguments.plot is not None:
        check_plot(arguments.plot)
    funnel = read_funnel(arguments.pool / "funnel.json")
    pool = [Record.from_json(line.value) for line in read_json_lines(arguments.pool / "problems.jsonl")]
    if len(pool) != funnel.steps["deduplicated"]:
        raise RowError(
            f"{arguments.pool}: problems.jsonl has {len(pool)} problems, but funnel.json counts "
            f"{funnel.steps['deduplicated']}: they are of different runs; run draw clean again"
        )
    drawn = draw_sample(pool, arguments.count, arguments.seed, arguments.by_topic)
    funnel.sampled = len(drawn)
    if arguments.plot is not None:
        save_funnel(funnel, arguments.plot)
    write_json_lines(arguments.out, map(annotation_row, drawn))
    if len(drawn) < arguments.count:
        print(f"draw sample: the pool has only {len(pool)} problems, all of them were taken", file=sys.stderr)
    told = json.dumps(funnel.to_json()) if arguments.json else funnel.to_text()
    print(told, file=sys.stderr if os.fspath(arguments.out) == STANDARD else sys.stdout)
    return 0


def read_funnel(path: Path) -> Funnel:
    """Return the counts of the cleaning.

    Raises:
        RowError: there is no such file, or it holds something else.
    """
    from draw_dataset.cleaning.pool import Funnel

    if not path.exists():
        raise RowError(f"{path}: expected the counts that draw clean writes, but there is no such file")
    return Funnel.from_json(decode_json(read_text(path), str(path)))
