"""``draw annotate reconcile``: one template for each class of equivalent ones, within and across datasets."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from draw_dataset.catalog import load
from draw_dataset.commands.options import add_json, add_release, add_sources
from draw_dataset.core.rows import write_rows
from draw_dataset.errors import ChoiceError, FolderError

HELP = "count templates before and after reconciling, and write rows with the reconciled ones"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "examples:\n"
        "  draw annotate reconcile draw1k dolphin_l\n"
        "  draw annotate reconcile mine.jsonl theirs.jsonl --out reconciled    # writes reconciled/mine.jsonl, …\n"
        "  draw annotate reconcile sample --json"
    )
    add_sources(parser, "+")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write the rows with reconciled templates here")
    parser.add_argument("--force", action="store_true", help="overwrite files that exist")
    add_release(parser, corrected=False)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the counts and write the rows."""
    # Here, as the other subcommands do not need it.
    from draw_dataset.annotation.proposal.reconciliation import reconcile_problems

    sources = list(dict.fromkeys(arguments.sources))
    targets = {name: arguments.out / f"{Path(name).stem}.jsonl" for name in sources} if arguments.out else {}
    if len(set(targets.values())) < len(targets):
        raise ChoiceError("expected files of different names, as the rows are written under the same names in --out")
    for target in targets.values():
        if target.exists() and not arguments.force:
            raise FolderError(f"{target} exists already; --force overwrites it")
    found = reconcile_problems({name: load(name, arguments.data_dir) for name in sources})
    for name, target in targets.items():
        write_rows(target, found.problems[name])
    counts = {**found.counts, "together": found.together} if len(sources) > 1 else dict(found.counts)
    if arguments.json:
        data: dict[str, object] = {
            name: {"problems": c.problems, "before": c.before, "after": c.after} for name, c in counts.items()
        }
        print(json.dumps({"templates": data, "shared": found.shared, "written": [str(t) for t in targets.values()]}))
        return 0
    width = max(map(len, [*counts, "templates"]))
    print(f"{'templates':{width}}  problems  before  after")
    for name, c in counts.items():
        print(f"{name:{width}}  {c.problems:8}  {c.before:6}  {c.after:5}")
    if len(sources) > 1:
        print(f"in more than one of them: {found.shared}")
    for target in targets.values():
        print(f"wrote {target}")
    return 0
