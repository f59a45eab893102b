"""Draws problems to annotate from the pool that clean_problems.py wrote.

    python scripts/sample_problems.py pool --count 1000 --out sample.jsonl
    python scripts/sample_problems.py pool --count 200 --seed 7 --by-topic --out sample.jsonl --plot funnel.svg

The draw is random and repeatable: the same pool, count and seed give the same file. Each line is a JSON object with id,
question, equations and solutions, as `draw annotate import` takes it, and under source the text as posted, the changes
made to it, and all other statements of the explanation. The funnel from crawl to sample is printed beside the paper's.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from draw_dataset.cleaning.files import read_json_lines, write_json_line
from draw_dataset.cleaning.funnel import Funnel
from draw_dataset.cleaning.plot import check_plot, save_funnel
from draw_dataset.cleaning.record import Record
from draw_dataset.cleaning.sampling import annotation_row, draw_sample
from draw_dataset.errors import ChoiceError, DrawError, FolderError, RowError
from draw_dataset.files import whole_file


def read_funnel(path: Path) -> Funnel:
    """Return the counts of the cleaning.

    Raises:
        FolderError: there is no such file.
        RowError: it holds something else.
    """
    try:
        return Funnel.from_json(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise FolderError(
            f"cannot read {path}: {error.strerror or error}; is it a folder of clean_problems.py?"
        ) from error
    except ValueError as error:
        raise RowError(f"{path}: expected the counts that clean_problems.py writes, but {error}") from error


def sample(arguments: argparse.Namespace) -> int:
    """Draw, write and report."""
    if arguments.count < 1:
        raise ChoiceError(f"--count: expected at least 1, but got {arguments.count}")
    if arguments.plot is not None:
        check_plot(arguments.plot)  # before the work, not after it
    funnel = read_funnel(arguments.pool / "funnel.json")
    pool = [Record.from_json(data) for data in read_json_lines(arguments.pool / "problems.jsonl")]
    if len(pool) != funnel.steps["deduplicated"]:
        raise RowError(
            f"{arguments.pool}: problems.jsonl has {len(pool)} problems, but funnel.json counts "
            f"{funnel.steps['deduplicated']}: they are of different runs; run clean_problems.py again"
        )
    drawn = draw_sample(pool, arguments.count, arguments.seed, arguments.by_topic)
    funnel.sampled = len(drawn)
    with whole_file(arguments.out) as file:
        for record in drawn:
            write_json_line(file, annotation_row(record))
    if arguments.plot is not None:
        save_funnel(funnel, arguments.plot)
    if len(drawn) < arguments.count:
        print(f"sample_problems: the pool has only {len(pool)} problems, all of them were taken", file=sys.stderr)
    print(json.dumps(funnel.to_json()) if arguments.json else funnel.to_text())
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Read the arguments, draw, and return 0, or 2 for what is refused."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pool", type=Path, help="the folder that clean_problems.py wrote")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the JSONL file to write")
    parser.add_argument("--count", type=int, default=1000, metavar="N", help="how many to draw (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the seed of the draw (default %(default)s)")
    parser.add_argument(
        "--by-topic", action="store_true", help="give each topic its share (default: one draw over all)"
    )
    parser.add_argument("--plot", type=Path, metavar="FILE", help="also draw the funnel: .png, .svg or .pdf")
    parser.add_argument("--json", action="store_true", help="print the funnel as one JSON object")
    try:
        return sample(parser.parse_args(argv))
    except DrawError as error:
        print(f"sample_problems: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
