"""``draw clean``: from the stored pages of a crawl to the pool of problems that can be annotated."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from draw_dataset.commands.options import require_extra
from draw_dataset.errors import BodyDamaged, ChoiceError, FolderError
from draw_dataset.files import atomic_file, json_line, read_text

if TYPE_CHECKING:
    from draw_dataset.crawl import Ledger, StoredPage

HELP = "read the stored pages of a crawl, offline, and write the pool of problems that can be annotated"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "It writes three files: problems.jsonl (the pool), dropped.jsonl (every dropped problem, with the filter and\n"
        "the reason) and funnel.json (the counts). Each is written whole or not at all. The same ledger gives the\n"
        "same bytes. Nothing is fetched. If a filter dropped a problem wrongly, bring it back with --restore.\n\n"
        "examples:\n"
        "  draw clean crawl.sqlite --out pool\n"
        "  draw clean crawl.sqlite --out pool --release ../release --json\n"
        "  draw clean crawl.sqlite --out pool --restore 1234,5678"
    )
    add = parser.add_argument
    add("ledger", type=Path, help="the ledger that draw crawl wrote")
    add("--out", type=Path, required=True, metavar="DIR", help="the folder to write to; made if missing")
    release = "the folder of the release, to drop problems that it has (default DRAW_RELEASE_DIR)"
    add("--release", metavar="DIR", help=release)
    add(
        "--restore",
        metavar="IDS",
        help="keep these ids whatever the filters say: 1,2,3, or @file with one id per line (default none)",
    )
    add("--json", action="store_true", help="print the counts as one JSON object")
    add("--quiet", action="store_true", help="show no progress")


def run(arguments: argparse.Namespace) -> int:
    """Clean, write the files and print the counts."""
    # Here, as the other subcommands do not need them.
    from tqdm import tqdm

    from draw_dataset.cleaning.pool import Cleaning, KnownProblems
    from draw_dataset.crawl import Ledger

    require_extra("crawl", "ftfy")
    folder: Path = arguments.out
    with Ledger.open(arguments.ledger):
        pass  # before a folder is made
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
        atomic_file(folder / "problems.jsonl") as kept,
        atomic_file(folder / "dropped.jsonl") as dropped,
        atomic_file(folder / "funnel.json") as counts,
    ):
        pages = tqdm(
            stored_pages(ledger, damaged),
            unit=" pages",
            file=sys.stderr,
            disable=arguments.quiet or not sys.stderr.isatty(),
        )
        for record in cleaning.run(pages):
            (dropped if record.dropped_by else kept).write(json_line(record.to_json()))
        cleaning.funnel.notes += damaged
        counts.write(json.dumps(cleaning.funnel.to_json(), indent=1, ensure_ascii=False) + "\n")
    for message in damaged:
        print(f"draw clean: ignored: {message}", file=sys.stderr)
    print(json.dumps(cleaning.funnel.to_json()) if arguments.json else cleaning.funnel.to_text())
    return 0


def stored_pages(ledger: Ledger, damaged: list[str]) -> Iterator[StoredPage]:
    """Return the pages of a ledger; a damaged one is noted and ignored."""
    after = -1
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
        ChoiceError: something else is among them, or the file cannot be read.
    """
    words = (read_text(text[1:], error=ChoiceError) if text.startswith("@") else text).replace(",", " ").split()
    wrong = next((word for word in words if not (word.isascii() and word.isdigit() and len(word) < 10)), None)
    if wrong is not None:
        raise ChoiceError(f"--restore: expected ids of questions, but got {wrong!r}")
    return frozenset(map(int, words))
