"""``draw variants score``: answers to problems and their variants, and what they say about the derivations."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from draw_dataset.catalog import load, resolve
from draw_dataset.commands.options import GRAMMAR, add_release
from draw_dataset.commands.score import systems_of
from draw_dataset.errors import RowError
from draw_dataset.files import atomic_file, json_line, read_json_lines
from draw_dataset.files.atomic import check_writable

if TYPE_CHECKING:
    from draw_dataset.variants.rivals import Inventory
    from draw_dataset.variants.table import ProbeTable

HELP = "find derivations from the final answers to problems and their variants"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        'Each line of a file is {"id": "7-n1", "answer": A}; the answer to the original has the id of the original,\n'
        "here 7. A is a number, a list of numbers, or a text, in which the numbers that it gives as result are found.\n"
        "Predictions with solutions, as draw solve predict writes them, work as well.\n\n"
        "exit status: 0 scored, 2 something is refused\n\n"
        "examples:\n"
        "  draw variants make draw1k/test --count 3 --with-originals --out v.jsonl\n"
        "  draw variants score answers.jsonl --variants v.jsonl\n"
        "  draw variants score one.jsonl other.jsonl --variants v.jsonl --inventory draw1k --html report.html\n"
        "  draw variants score answers.jsonl --variants v.jsonl --field completion --verdicts verdicts.jsonl"
    )
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="answers of a system; the others are compared with the first"
    )
    parser.add_argument("--variants", required=True, metavar="FILE", help="what draw variants make has written")
    parser.add_argument("--field", metavar="NAME", help="the field of a line that is the answer")
    parser.add_argument(
        "--inventory",
        metavar="SOURCE",
        help=f"the problems whose templates are tried as rivals of gold (default: the variants'):  {GRAMMAR}",
    )
    parser.add_argument(
        "--missing",
        choices=["error", "abstain"],
        default="error",
        help="what to do with variants that have no answer (default error)",
    )
    parser.add_argument("--format", choices=["text", "markdown", "json"], default="text")
    parser.add_argument("--json", action="store_const", const="json", dest="format", help="the same as --format json")
    parser.add_argument(
        "--verdicts", type=Path, metavar="FILE", help="write the verdict on every problem, one JSON object per line"
    )
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="write one page with the derivations that explain the answers"
    )
    add_release(parser)


def run(arguments: argparse.Namespace) -> int:
    """Probe the answers and print the table."""
    # Here, as the other subcommands do not need them.
    from draw_dataset.variants.page import write_probe_page
    from draw_dataset.variants.probing import cases_of, probe
    from draw_dataset.variants.table import compare_probes

    if arguments.html:
        check_writable(arguments.html)
    rows = [line.value for line in read_json_lines(arguments.variants)]
    variants = [row for row in rows if row.get("variant") is not None]
    if not variants:
        raise RowError(f"{arguments.variants}: expected variants, but got {len(rows)} rows without the field variant")
    inventory = _inventory(arguments)
    data = Path(arguments.variants).name
    probes = {}
    for name, path in systems_of(arguments.files).items():
        answers = [_answer(line.value, arguments.field) for line in read_json_lines(path)]
        probes[name] = probe(answers, variants, inventory=inventory, data=data, missing=arguments.missing)
    table = compare_probes(probes)
    if arguments.verdicts:
        with atomic_file(arguments.verdicts) as file:
            for name, one in probes.items():
                for problem in one.problems:
                    file.write(json_line({"system": name, **problem.to_dict()}))
    if arguments.html:
        write_probe_page(arguments.html, table, cases_of(variants), title=f"Derivation from answers: {data}")
    print(_formatted(table, arguments.format))
    if arguments.format == "text" and sys.stdout.isatty():
        print("\n--verdicts FILE writes what is said of every problem, --html FILE a page with the explanations.")
    return 0


def _answer(line: dict[str, Any], field: str | None) -> dict[str, Any]:
    if field is None:
        return line
    if field not in line:
        raise RowError(f"line {line.get('id')!r}: expected the field {field}, but it is missing")
    return {"id": line.get("id"), "answer": line[field]}


def _inventory(arguments: argparse.Namespace) -> Inventory | None:
    from draw_dataset.variants.making import inventory_of

    if arguments.inventory is None:
        return None
    return inventory_of(load(resolve(arguments.inventory), arguments.data_dir, arguments.corrected))


def _formatted(table: ProbeTable, form: str) -> str:
    if form == "json":
        return json_line(table.to_dict()).rstrip("\n")
    return table.to_markdown() if form == "markdown" else table.to_text()
