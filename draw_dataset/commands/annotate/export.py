"""``draw annotate export``: annotated rows out of a store."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from draw_dataset.commands.annotate import add_store, counted
from draw_dataset.commands.options import add_json
from draw_dataset.errors import ChoiceError, shown
from draw_dataset.files import STANDARD, write_json_lines

if TYPE_CHECKING:
    from draw_dataset.annotation.outcome import Exported

HELP = "write the annotated problems as rows or as a dataset"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "policies: adjudicated: what all annotators of a problem agree on, or an adjudicator decided;\n"
        "majority: also what more than half of them agree on; annotator: the work of one person (--annotator).\n"
        "Problems that need no person are in all of them. Files and folders are written whole or not at all.\n\n"
        "examples:\n"
        "  draw annotate export --store work.db --out rows.jsonl\n"
        "  draw annotate export --store work.db --out-dataset annotated --policy majority\n"
        "  draw annotate export --store work.db --out ann.jsonl --annotator Ann\n"
        '  then: draw score mine.jsonl --references rows.jsonl, or datasets.load_from_disk("annotated")'
    )
    add_store(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write a JSONL file of rows; - is standard output")
    parser.add_argument("--out-dataset", type=Path, metavar="DIR", help="write a folder for datasets.load_from_disk")
    parser.add_argument(
        "--policy",
        choices=["adjudicated", "majority", "annotator"],
        help="which work counts, see below (default: adjudicated)",
    )
    parser.add_argument("--annotator", metavar="NAME", help="whose work, for the policy annotator")
    parser.add_argument(
        "--least",
        type=int,
        default=1,
        metavar="N",
        help="how many annotators must have submitted a problem (default: 1)",
    )
    parser.add_argument("--force", action="store_true", help="replace the folder if it exists")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the rows and say what was left out."""
    from draw_dataset.annotation.outcome import export_rows
    from draw_dataset.annotation.outcome.settlement import Policy, settle
    from draw_dataset.annotation.store import Store

    if arguments.out is None and arguments.out_dataset is None:
        raise ChoiceError("expected where to write: --out FILE, --out-dataset DIR or both")
    policy: Policy = arguments.policy or ("annotator" if arguments.annotator is not None else "adjudicated")
    with Store.open(arguments.store) as store:
        exported = export_rows(settle(store, policy, arguments.annotator, arguments.least))
    if arguments.out_dataset is not None:
        write_dataset(exported.rows, arguments.out_dataset, arguments.force)
    if arguments.out is not None:
        write_json_lines(arguments.out, exported.rows)
    told = json.dumps(_as_data(exported, policy)) if arguments.json else _as_text(exported)
    # Rows on standard output are not mixed with words about them.
    print(told, file=sys.stderr if str(arguments.out) == STANDARD else sys.stdout)
    return 0


def write_dataset(rows: Sequence[dict[str, Any]], folder: Path, force: bool = False) -> None:
    """Write exported rows to a folder for `datasets.load_from_disk`, whole or not at all.

    Raises:
        FolderError: it is there and may not be replaced, or cannot be written.
        ChoiceError: some ids are whole numbers and some are texts, which one column does not hold.
    """
    from datasets import Dataset, Features, List, Value

    from draw_dataset.annotation.outcome.export import as_columns
    from draw_dataset.files import new_folder
    from draw_dataset.huggingface.features import row_features

    more = {"annotated": Value("string"), "annotators": List(Value("string")), "extra": Value("string")}
    texts = [row["id"] for row in rows if isinstance(row["id"], str)]
    if texts and len(texts) < len(rows):
        raise ChoiceError(
            f"--out-dataset: expected ids that are all whole numbers or all strings, but got {shown(texts[0])} next to "
            "whole numbers; write them with --out"
        )
    fields = {**row_features(), **({"id": Value("string")} if texts else {}), **more}
    with new_folder(folder, force) as work:
        dataset = Dataset.from_list([as_columns(row) for row in rows], features=Features(fields))
        dataset.save_to_disk(str(work))


def _as_data(exported: Exported, policy: str) -> dict[str, Any]:
    left_out = {why: list(ids) for why, ids in exported.left_out.items()}
    return {"policy": policy, "rows": len(exported.rows), "counts": dict(exported.counts), "left_out": left_out}


def _as_text(exported: Exported) -> str:
    lines = [f"{len(exported.rows)} rows ({counted(dict(exported.counts))})"]
    for why, ids in exported.left_out.items():
        named = ", ".join(map(str, ids[:20])) + (" …" if len(ids) > 20 else "")
        lines.append(f"left out, {why}: {len(ids)} ({named})")
    return "\n".join(lines)
