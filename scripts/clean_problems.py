"""Reads the stored pages of a crawl, offline, and writes the pool of problems that can be annotated.

    python scripts/clean_problems.py crawl.sqlite --out pool
    python scripts/clean_problems.py crawl.sqlite --out pool --release ../shared/release --json
    python scripts/clean_problems.py crawl.sqlite --out pool --restore 1234,5678

Three files come out: problems.jsonl (kept), dropped.jsonl (each with the filter that dropped it and why) and
funnel.json (the counts). They are written whole or not at all; the same ledger gives the same bytes. Problems that a
filter dropped wrongly come back with --restore and their ids. Nothing is fetched.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tqdm import tqdm

from draw_dataset.cleaning.files import write_json_line
from draw_dataset.cleaning.known import KnownProblems
from draw_dataset.cleaning.pipeline import Cleaning
from draw_dataset.crawl import Ledger, StoredPage
from draw_dataset.errors import BodyDamaged, ChoiceError, DrawError, FolderError
from draw_dataset.files import whole_file


def stored_pages(ledger: Ledger, damaged: list[str]) -> Iterator[StoredPage]:
    """Return the pages of a ledger; a damaged one is noted and passed over."""
    after = 0
    while True:
        try:
            for page in ledger.bodies(after):
                after = page.id
                yield page
        except BodyDamaged as error:
            damaged.append(str(error))
            after = error.question
            continue
        return


def read_ids(text: str) -> frozenset[int]:
    """Return the ids of ``1,2,3``, or of a file with one a line given as ``@file``.

    Raises:
        ChoiceError: something else is among them.
    """
    if text.startswith("@"):
        try:
            text = Path(text[1:]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ChoiceError(f"--restore: expected a file of ids, but {error}") from error
    words = text.replace(",", " ").split()
    wrong = next((word for word in words if not word.isdigit()), None)
    if wrong is not None:
        raise ChoiceError(f"--restore: expected ids of questions, but got {wrong!r}")
    return frozenset(map(int, words))


def clean(arguments: argparse.Namespace) -> int:
    """Run the cleaning and write its files."""
    folder: Path = arguments.out
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FolderError(f"cannot make {folder}: {error.strerror or error}") from error
    release = arguments.release or os.environ.get("DRAW_RELEASE_DIR")
    cleaning = Cleaning(
        known=KnownProblems(release) if release else None,
        restore=read_ids(arguments.restore) if arguments.restore else frozenset(),
    )
    if not release:
        cleaning.funnel.notes.append(
            "not compared with Draw-1k and Alg-514: that needs the release (--release or DRAW_RELEASE_DIR)"
        )
    damaged: list[str] = []
    with (
        Ledger.open(arguments.ledger) as ledger,
        whole_file(folder / "problems.jsonl") as kept,
        whole_file(folder / "dropped.jsonl") as dropped,
        whole_file(folder / "funnel.json") as counts,
    ):
        pages = tqdm(stored_pages(ledger, damaged), unit=" pages", file=sys.stderr, disable=arguments.quiet)
        for record in cleaning.run(pages):
            write_json_line(dropped if record.dropped_by else kept, record.to_json())
        cleaning.funnel.notes += damaged
        counts.write(json.dumps(cleaning.funnel.to_json(), indent=1, ensure_ascii=False) + "\n")
    for message in damaged:
        print(f"clean_problems: passed over: {message}", file=sys.stderr)
    print(json.dumps(cleaning.funnel.to_json()) if arguments.json else cleaning.funnel.to_text())
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Read the arguments, clean, and return 0, or 2 for what is refused."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ledger", type=Path, help="the ledger that crawl_algebra_com.py wrote")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="the folder to write to; made if missing"
    )
    parser.add_argument(
        "--release", metavar="DIR", help="the files of the release, to drop known problems (default DRAW_RELEASE_DIR)"
    )
    parser.add_argument(
        "--restore", metavar="IDS", help="ids that no filter may drop: 1,2,3 or @file with one a line (default none)"
    )
    parser.add_argument("--json", action="store_true", help="print the counts as one JSON object")
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    try:
        return clean(parser.parse_args(argv))
    except DrawError as error:
        print(f"clean_problems: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
