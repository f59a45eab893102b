"""``draw derive``: rows with derivations from the problems of any dataset."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from draw_dataset.commands.options import add_json, whole_number
from draw_dataset.errors import ChoiceError
from draw_dataset.files import STANDARD, json_line, new_folder
from draw_dataset.files.atomic import check_target, check_writable
from draw_dataset.version import __version__

if TYPE_CHECKING:
    from draw_dataset.sources.files import Record
    from draw_dataset.sources.recipes import Recipe
    from draw_dataset.sources.tally import Tally

HELP = "derive rows from the problems of another dataset: GSM8K, SVAMP, ASDiv, MAWPS, or your own"

PARTLY_READ = 1
"""The exit status where some records could not be read."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "One row comes out for each problem, in order. Its status is decided (one derivation), ambiguous (several;\n"
        "the others are its alternatives, and scoring accepts any of them) or refused, with a reason.\n"
        "To resume a run that was stopped, give the same command again.\n\n"
        "exit status: 0 all problems were read, 1 some records are broken or lack a field, 2 something is refused\n\n"
        "examples:\n"
        "  draw derive svamp.json --preset svamp --out rows.jsonl\n"
        "  draw derive ASDiv.xml --preset asdiv --out rows.jsonl --out-dataset asdiv-rows\n"
        "  draw derive openai/gsm8k --preset gsm8k --config main --split test --out rows.jsonl\n"
        "  draw derive mine.csv --question body --solution rationale --answer result --out rows.jsonl\n"
        "  draw score answers.jsonl --field answer --references rows.jsonl"
    )
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help="a file (.jsonl, .json, .csv, .tsv, .xml), - for JSON lines from standard input, a folder of a dataset, "
        "or the name of a dataset on the Hub",
    )
    parser.add_argument("--preset", metavar="NAME", help="gsm8k, svamp, asdiv or mawps: knows where the fields are")
    own = parser.add_argument_group("the names of your fields (with a preset: only those that differ)")
    own.add_argument("--question", metavar="FIELD", help="the text of the problem; several fields: body,question")
    own.add_argument("--equations", metavar="FIELD", help="equations, or an expression that is the answer")
    own.add_argument("--formula", metavar="FIELD", help="a formula with units and steps: 7+2=9")
    own.add_argument("--solution", metavar="FIELD", help="a worked solution")
    own.add_argument("--answer", metavar="FIELD", help="the answer, a number that the derivation must come to")
    own.add_argument("--id", metavar="FIELD", help="the id (default: id; without one, the position)")
    hub = parser.add_argument_group("datasets of the Hub or of a folder")
    hub.add_argument("--config", metavar="NAME", help="the configuration of the dataset")
    hub.add_argument("--split", metavar="NAME", help="the split of the dataset")
    output = parser.add_argument_group("what is written")
    output.add_argument(
        "--out", default=None, metavar="FILE", help="the rows as JSON lines (default -, standard output)"
    )
    output.add_argument("--out-dataset", type=Path, metavar="DIR", help="the rows as a dataset for load_from_disk")
    output.add_argument("--force", action="store_true", help="replace the folder of --out-dataset if it is not empty")
    output.add_argument("--num-proc", type=whole_number(1, 256), metavar="N", help="how many processes (default 1)")
    output.add_argument("--limit", type=whole_number(1, 10**12), metavar="N", help="only the first N problems")
    output.add_argument("--quiet", action="store_true", help="show no progress")
    add_json(output)


def run(arguments: argparse.Namespace) -> int:
    """Derive the rows, write them, and say what became of the problems."""
    # Here, as the other subcommands do not need them.
    from draw_dataset.sources.fields import FIELDS
    from draw_dataset.sources.recipes import recipe_for

    named = {name: getattr(arguments, name) for name in FIELDS}
    if named["question"]:
        named["question"] = named["question"].split(",")
    recipe = recipe_for(arguments.preset, named)
    out = arguments.out
    if arguments.out_dataset is not None:
        check_target(arguments.out_dataset.expanduser().resolve(), arguments.force)
    if out is None and arguments.out_dataset is None:
        out = STANDARD
    tally = _write(arguments, recipe, out)
    told = sys.stderr if out == STANDARD else sys.stdout
    print(json.dumps(tally.to_dict(), ensure_ascii=False) if arguments.json else tally.to_text(), file=told)
    for reason in ("broken input", "missing field"):
        for id_, why in tally.examples.get(reason, ()):
            print(f"draw derive: problem {id_}: {why}", file=sys.stderr)
    if tally.total and tally.reasons["missing field"] == tally.total:
        fields = ", ".join(recipe.fields.names)
        raise ChoiceError(f"no problem has the fields {fields}: name the right ones with --question, --equations …")
    return PARTLY_READ if tally.broken else 0


def _write(arguments: argparse.Namespace, recipe: Recipe, out: str | None) -> Tally:
    from draw_dataset.sources.bulk import derived
    from draw_dataset.sources.output import row_file
    from draw_dataset.sources.tally import Tally

    progress = not arguments.quiet and sys.stderr.isatty()
    records = _records(arguments, recipe)
    if out == STANDARD:
        tally = Tally()
        for row in derived(records, recipe, arguments.num_proc, progress=progress):
            sys.stdout.write(json_line(row))
            tally.add(row)
        return tally
    path = Path(out) if out is not None else arguments.out_dataset.with_name(f".{arguments.out_dataset.name}.jsonl")
    check_writable(path)
    with row_file(path, _made_of(arguments, recipe)) as file:
        if file.done:
            print(f"draw derive: continuing after {file.done:,} rows", file=sys.stderr)
        rest = islice(records, file.done, None)
        for row in derived(rest, recipe, arguments.num_proc, first=file.done, progress=progress):
            file.write(row)
    if arguments.out_dataset is not None:
        _save(path, arguments.out_dataset, file.tally, arguments.force)
        if out is None:
            path.unlink()
    return file.tally


def _records(arguments: argparse.Namespace, recipe: Recipe) -> Iterator[Record]:
    from draw_dataset.sources.files import is_file_of_records, read_records

    source = arguments.source
    if is_file_of_records(source):
        if arguments.config or arguments.split:
            raise ChoiceError("--config and --split are for datasets, but the source is a file")
        records = read_records(source, recipe.element)
    else:
        # Only here, as importing datasets takes seconds.
        from draw_dataset.sources.columns import open_dataset

        records = open_dataset(source, arguments.config, arguments.split)
    return islice(records, arguments.limit)


def _made_of(arguments: argparse.Namespace, recipe: Recipe) -> Mapping[str, Any]:
    """Return what rows are made of: if any of it changes, they are made again."""
    stamp = None
    if arguments.source != STANDARD and os.path.isfile(arguments.source):
        status = os.stat(arguments.source)
        stamp = [status.st_size, status.st_mtime_ns]
    fields = recipe.fields
    return {
        "source": os.path.abspath(arguments.source) if stamp else arguments.source,
        "stamp": stamp,
        "config": arguments.config,
        "split": arguments.split,
        "limit": arguments.limit,
        "preset": recipe.preset,
        "fields": [str(fields.question), fields.equations, fields.formula, fields.solution, fields.answer, fields.id],
        "version": __version__,
    }


class _Rows:
    """The rows of a file, as often as they are asked for."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __iter__(self) -> Iterator[dict[str, Any]]:
        from draw_dataset.files import read_json_lines

        return (line.value for line in read_json_lines(self._path))


def _save(path: Path, folder: Path, tally: Tally, force: bool) -> None:
    from draw_dataset.sources.columns import save_dataset

    with new_folder(folder, force) as work:
        save_dataset(_Rows(path), work, "string" if tally.text_ids else "int64")
