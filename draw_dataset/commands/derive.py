"""``draw derive``: rows with derivations from the problems of any dataset."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from draw_dataset.commands.options import JSON, QUIET, Arguments, argument, command, option, say, whole_number
from draw_dataset.errors import ChoiceError
from draw_dataset.io.atomic import STANDARD, check_apart, check_target, check_writable, new_folder
from draw_dataset.io.jsonl import json_line
from draw_dataset.version import __version__

if TYPE_CHECKING:
    from draw_dataset.deriving.files import Record
    from draw_dataset.deriving.recipe import Recipe
    from draw_dataset.deriving.run import DerivedCounts

PARTLY_READ = 1  # exit code if some records could not be read


@command(
    argument("source", "SOURCE", "file (.jsonl, .json, .csv, .tsv, .xml), -, dataset folder, or dataset on the Hub"),
    option("--preset NAME", "gsm8k, svamp, asdiv or mawps: knows the fields"),
    "Names of your fields (with a preset: only those that differ)",
    option("--question FIELD", "problem text; several fields: body,question"),
    option("--equations FIELD", "equations, or an expression that is the answer"),
    option("--formula FIELD", "formula with units and steps: 7+2=9"),
    option("--solution FIELD", "worked solution"),
    option("--answer FIELD", "final answer, a number that the derivation must give"),
    option("--id FIELD", "id (default: id; without one, the position)"),
    "Datasets of the Hub or of a folder",
    option("--config NAME", "configuration of the dataset"),
    option("--split NAME", "split of the dataset"),
    "Verification",
    option(
        "--verify", "run each derivation on the numbers of its siblings: the same text with other names and numbers"
    ),
    option("--sibling-field NAME", "field that siblings have in common (default: original_id, seed_question, …)"),
    "Output",
    option("--out FILE", "rows as JSON lines (default: -, standard output)"),
    option("--out-dataset DIR", "rows as a dataset for load_from_disk", type=Path),
    option("--force", "replace the folder of --out-dataset if it is not empty"),
    option("--num-proc N", "number of processes (default: 1)", type=whole_number(1, 256)),
    option("--limit N", "only the first N problems", type=whole_number(1, 10**12)),
    QUIET,
    JSON,
)
def derive(arguments: Arguments) -> int:
    """Derive rows from another dataset: GSM8K, SVAMP, ASDiv, MAWPS, or your own.

    One row comes out for each problem, in order. Its status is decided (one derivation), ambiguous (several;
    the others are its alternatives, and scoring accepts any of them) or refused, with a reason.
    The same command resumes an interrupted run.

    With --verify a derivation must give the answers of the problem's siblings, otherwise the next one is taken, and
    the row is refused if none does. The source is read twice.

    Exit status: 0 all problems were read, 1 some records are broken or lack a field, 2 input refused

    Examples:
      draw derive svamp.json --preset svamp --out rows.jsonl
      draw derive ASDiv.xml --preset asdiv --out rows.jsonl --out-dataset asdiv-rows
      draw derive openai/gsm8k --preset gsm8k --config main --split test --out rows.jsonl
      draw derive mine.csv --question body --solution rationale --answer result --out rows.jsonl
      draw derive symbolic.jsonl --preset gsm8k --verify --out rows.jsonl
      draw score answers.jsonl --field answer --references rows.jsonl
    """
    from draw_dataset.deriving.recipe import recipe_for
    from draw_dataset.deriving.records import FIELDS
    from draw_dataset.deriving.run import check_sibling_field

    check_sibling_field(arguments.sibling_field, verify=arguments.verify)
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
    text = json.dumps(tally.to_dict(), ensure_ascii=False) if arguments.json else tally.to_text()
    print(text, file=sys.stderr if out == STANDARD else sys.stdout)
    for reason in ("broken input", "missing field"):
        for id_, why in tally.examples.get(reason, ()):
            say(f"problem {id_}: {why}")
    _check_fields(tally, recipe)
    return PARTLY_READ if tally.broken else 0


def _check_fields(tally: DerivedCounts, recipe: Recipe) -> None:
    """Refuse fields that no problem has all of."""
    if tally.total and tally.reasons["missing field"] == tally.total:
        fields = ", ".join(recipe.fields.names)
        why = next((why for _, why in tally.examples["missing field"]), "")
        hint = "name the right ones with --question, --equations …"
        raise ChoiceError(f"no problem has all of the fields {fields} ({why}): {hint}")


def _write(arguments: Arguments, recipe: Recipe, out: str | None) -> DerivedCounts:
    from draw_dataset.deriving.run import DerivedCounts, derive_rows, find_siblings, read_once, row_file

    progress = not arguments.quiet and sys.stderr.isatty()
    siblings = None
    if arguments.verify:
        if arguments.source == STANDARD:
            raise read_once("standard input")
        field = arguments.sibling_field
        siblings = find_siblings(_records(arguments, recipe), recipe, arguments.num_proc, field=field)
    records = _records(arguments, recipe)
    if out == STANDARD:
        tally = DerivedCounts()
        for row in derive_rows(records, recipe, arguments.num_proc, progress=progress, siblings=siblings):
            sys.stdout.write(json_line(row))
            tally.add(row)
        return tally
    path = Path(out) if out is not None else arguments.out_dataset.with_name(f".{arguments.out_dataset.name}.jsonl")
    check_writable(path)
    check_apart([path], [arguments.source])
    with row_file(path, _inputs(arguments, recipe)) as file:
        if file.done:
            say(f"resuming after {file.done:,} rows")
        if file.kept is not None:
            say(f"a stopped run with other options or another source is kept in {file.kept}")
        rest = islice(records, file.done, None)
        derived = derive_rows(rest, recipe, arguments.num_proc, first=file.done, progress=progress, siblings=siblings)
        for row in derived:
            file.write(row)
        _check_fields(file.counts, recipe)  # before a finished file is replaced
    if arguments.out_dataset is not None:
        _save(path, arguments.out_dataset, file.counts, arguments.force)
        if out is None:
            path.unlink()
    return file.counts


def _records(arguments: Arguments, recipe: Recipe) -> Iterator[Record]:
    from draw_dataset.deriving.files import is_file_of_records, read_records

    source = arguments.source
    if is_file_of_records(source):
        if arguments.config or arguments.split:
            raise ChoiceError("--config and --split are for datasets, but the source is a file")
        records = read_records(source, recipe.element)
    else:
        from draw_dataset.deriving.columns import open_dataset

        records = open_dataset(source, arguments.config, arguments.split)
    return islice(records, arguments.limit)


def _inputs(arguments: Arguments, recipe: Recipe) -> Mapping[str, Any]:
    """Return all inputs of the rows: a change of any of them starts anew."""
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
        "verify": arguments.verify,
        "sibling_field": arguments.sibling_field,
        "preset": recipe.preset,
        "fields": [str(fields.question), fields.equations, fields.formula, fields.solution, fields.answer, fields.id],
        "version": __version__,
    }


class _Rows:
    """Rows of a file that can be iterated repeatedly."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __iter__(self) -> Iterator[dict[str, Any]]:
        from draw_dataset.io.jsonl import read_json_lines

        return (line.value for line in read_json_lines(self._path))


def _save(path: Path, folder: Path, tally: DerivedCounts, force: bool) -> None:
    from draw_dataset.deriving.columns import save_dataset

    with new_folder(folder, force) as work:
        save_dataset(_Rows(path), work, "string" if tally.text_ids else "int64", verified=tally.verifies)
