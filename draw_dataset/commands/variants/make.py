"""``draw variants make``: variants of rows as rows, in a file of JSON lines or a dataset."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from draw_dataset.catalog import Source, load_splits, resolve
from draw_dataset.commands.options import add_json, add_release, add_sources, whole_number
from draw_dataset.core.problem import Problem
from draw_dataset.errors import ChoiceError
from draw_dataset.files import STANDARD, json_line, read_json_lines, write_json_lines
from draw_dataset.files.atomic import check_writable

if TYPE_CHECKING:
    from draw_dataset.variants.making import VariantSet
    from draw_dataset.variants.rivals import Inventory

HELP = "make variants of problems: other numbers, traps, and traps with a twin"

_SHARE = 50
"""Rows that are worked on between two steps of the progress bar."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "kinds:\n"
        "  numbers  other numbers, written as the original writes them; gold is computed again, exactly\n"
        "  traps    an added sentence with a number that has nothing to do with the problem\n"
        "  twins    traps in pairs: in one the added number equals a number of gold, in its twin it does not\n\n"
        "A variant is an ordinary row with source_id and variant. Variants of one source stay in its split. New\n"
        "numbers are chosen so that wrong derivations no longer give the right answers, where that is possible. Rows\n"
        "whose gold is known to be wrong, or that have no plausible variant, are refused: --refused says why.\n\n"
        "exit status: 0 made, 1 no row gave a variant, 2 something is refused\n\n"
        "examples:\n"
        "  draw variants make draw1k/test --count 3 --seed 0 --out v.jsonl\n"
        "  draw variants make rows.jsonl --kind numbers --kind twins --out v.jsonl --refused refused.jsonl\n"
        "  draw variants make draw1k --out-dataset variants    then datasets.load_from_disk('variants')\n"
        "  draw variants make sample/test --with-originals | head"
    )
    add_sources(parser)
    parser.add_argument(
        "--count", type=whole_number(1, 100), default=3, metavar="N", help="how many variants of each kind (default 3)"
    )
    parser.add_argument(
        "--seed",
        type=whole_number(0, 10**9),
        default=0,
        metavar="N",
        help="the same seed gives the same file (default 0)",
    )
    parser.add_argument(
        "--kind", action="append", choices=["numbers", "traps", "twins"], help="what to make (default numbers)"
    )
    parser.add_argument("--out", metavar="FILE", help="write rows there, one JSON object per line (default -)")
    parser.add_argument("--out-dataset", metavar="DIR", help="write a dataset of the datasets library, by split")
    parser.add_argument("--with-originals", action="store_true", help="write each original before its variants")
    parser.add_argument("--refused", metavar="FILE", help="write the ids of rows without a variant, and why")
    parser.add_argument(
        "--inventory",
        metavar="SOURCE",
        help="the problems whose templates are tried as rivals of gold (default: all of SOURCE)",
    )
    add_release(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the variants; print how many, and what stays possible."""
    for path in (arguments.out, arguments.refused):
        if path is not None:
            check_writable(path)
    source = resolve(arguments.source)
    splits = _rows(source, arguments)
    inventory = _inventory(arguments, source, splits)
    made = {split: _made(rows, arguments, inventory, split) for split, rows in splits.items()}
    out = arguments.out or (None if arguments.out_dataset else STANDARD)
    if out is not None:
        write_json_lines(out, _lines(splits, made, arguments.with_originals))
    if arguments.out_dataset:
        _write_dataset(arguments.out_dataset, splits, made, arguments.with_originals)
    if arguments.refused:
        refused = [(id_, why) for one in made.values() for id_, why in one.refused.items()]
        write_json_lines(arguments.refused, ({"id": id_, "reason": why} for id_, why in refused))
    _report(made, arguments.json, to_error=out == STANDARD)
    return 0 if any(made.values()) else 1


def _rows(source: Source, arguments: argparse.Namespace) -> dict[str, list[Any]]:
    """Return the rows by split; those of a file as they stand, so that it shows which are variants themselves."""
    if source.file is not None and not arguments.corrected:
        return {"all": [line.value for line in read_json_lines(source.file)]}
    return {split: list(rows) for split, rows in load_splits(source, arguments.data_dir, arguments.corrected).items()}


def _inventory(arguments: argparse.Namespace, source: Source, splits: dict[str, list[Any]]) -> Inventory:
    from draw_dataset.variants.making import inventory_of

    if arguments.inventory is not None:
        named: Source = resolve(arguments.inventory)
    elif source.config is not None:
        named = Source(source.config)
    else:
        return inventory_of([Problem.from_row(row) for rows in splits.values() for row in rows])
    found = load_splits(named, arguments.data_dir, arguments.corrected)
    return inventory_of([problem for problems in found.values() for problem in problems])


def _made(rows: list[Any], arguments: argparse.Namespace, inventory: Inventory, split: str) -> VariantSet:
    from tqdm import tqdm

    from draw_dataset.variants.making import VariantSet, make_variants

    kinds = arguments.kind or ["numbers"]
    whole = VariantSet([], [], {})
    seen: set[Any] = set()
    with tqdm(total=len(rows), desc=split, unit=" rows", disable=not sys.stderr.isatty(), leave=False) as bar:
        for start in range(0, len(rows), _SHARE):
            some = [row for row in rows[start : start + _SHARE] if _id(row) not in seen]
            seen |= {_id(row) for row in some}
            found = make_variants(some, arguments.count, arguments.seed, kinds=kinds, inventory=inventory)
            whole.rows.extend(found.rows)
            whole.made.extend(found.made)
            whole.refused.update(found.refused)
            bar.update(min(_SHARE, len(rows) - start))
    return whole


def _id(row: Any) -> Any:
    return row.id if isinstance(row, Problem) else row.get("id")


def _lines(splits: dict[str, list[Any]], made: dict[str, VariantSet], with_originals: bool) -> Iterator[dict[str, Any]]:
    for split, rows in splits.items():
        yield from _of_split(rows, made[split], with_originals)


def _of_split(rows: Iterable[Any], made: VariantSet, with_originals: bool) -> Iterator[dict[str, Any]]:
    originals = {_id(row): row.to_row() if isinstance(row, Problem) else row for row in rows} if with_originals else {}
    last: object = None
    for variant in made:
        if with_originals and variant["source_id"] != last:
            yield originals[variant["source_id"]]
        last = variant["source_id"]
        yield variant


def _write_dataset(
    folder: str, splits: dict[str, list[Any]], made: dict[str, VariantSet], with_originals: bool
) -> None:
    """Write a dataset with a split for each split of the source; all ids become texts."""
    from datasets import DatasetDict, List, Value

    from draw_dataset.files import new_folder
    from draw_dataset.huggingface.features import rows_dataset

    if with_originals:
        raise ChoiceError("--with-originals is for --out: the rows of a dataset have the same fields")
    change = {"index": "int32", "start": "int32", "before": "string", "after": "string", "value": "float64"}
    more = {
        "source_id": Value("string"),
        "variant": {
            "kind": Value("string"),
            "number": Value("int32"),
            "seed": Value("int64"),
            "changes": List({name: Value(type_) for name, type_ in change.items()}),
            "topic": Value("string"),
            "role": Value("string"),
            "range": Value("string"),
        },
    }
    found = {}
    for split in splits:
        rows = [{**row, "source_id": str(row["source_id"])} for row in made[split]]
        for row in rows:
            row.pop("status", None)
        if rows:
            found[split] = rows_dataset(rows, more)
    with new_folder(Path(folder)) as target:
        DatasetDict(found).save_to_disk(str(target))


def _report(made: dict[str, VariantSet], as_json: bool, to_error: bool) -> None:
    from draw_dataset.variants.making import VariantSet

    whole = VariantSet(
        [row for one in made.values() for row in one.rows],
        [one for each in made.values() for one in each.made],
        {id_: why for one in made.values() for id_, why in one.refused.items()},
    )
    summary = whole.summary()
    stream = sys.stderr if to_error else sys.stdout
    if as_json:
        print(json_line(summary), end="", file=stream)
        return
    rivals = summary["rivals"]
    print(f"{summary['variants']} variants of {summary['rows_with_variants']} rows", file=stream)
    if rivals["answer_like_gold_on_the_original"]:
        print(
            f"{rivals['answer_like_gold_on_the_original']} wrong derivations give gold's answers on the originals; "
            f"{rivals['up_to_fixed_numbers']} of them differ in fixed numbers only, in "
            f"{rivals['rows_up_to_fixed_numbers']} rows, and {rivals['not_ruled_out']} others are not ruled out, in "
            f"{rivals['rows_not_ruled_out']} rows",
            file=stream,
        )
    if summary["refused"]:
        print(f"{summary['refused']} row{'s' * (summary['refused'] > 1)} gave no variant:", file=stream)
        for why, count in summary["why_refused"].items():
            print(f"  {count:5}  {why}", file=stream)
