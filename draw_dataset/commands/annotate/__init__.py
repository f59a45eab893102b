"""``draw annotate``: derivations for new problems, automatic where the text decides, by people where it does not.

Each action is a module here, shaped like the commands of ``draw``; this one has what they share.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

from draw_dataset.commands.options import add_command

HELP = "annotate derivations: the program decides what is certain, people decide the rest"

ACTIONS = ("import", "status", "propose", "serve", "agreement", "adjudicate", "export", "reconcile", "evaluate")
"""The actions in the order of their use; each is a module of this package, `import` with a _."""

STORE = Path("work.db")
"""The store, unless another is named."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their arguments."""
    parser.epilog = (
        "examples:\n"
        "  draw annotate import problems.jsonl --store work.db\n"
        "  draw annotate status --store work.db\n"
        "  draw annotate serve --store work.db\n"
        "  draw annotate agreement --store work.db\n"
        "  draw annotate export --store work.db --out rows.jsonl\n"
        "  draw annotate import --help"
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name in ACTIONS:
        module = import_module(f"draw_dataset.commands.annotate.{'import_' if name == 'import' else name}")
        add_command(actions, name, module, run_action=module.run)


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked for."""
    status: int = arguments.run_action(arguments)
    return status


def add_store(parser: argparse.ArgumentParser) -> None:
    """Declare the argument that names the store."""
    parser.add_argument(
        "--store", type=Path, default=STORE, metavar="FILE", help=f"the file of annotations (default: {STORE})"
    )


def counted(counts: dict[str, int]) -> str:
    """Return counts as a text.

    >>> counted({"automatic": 3, "open": 0, "refused": 1})
    '3 automatic, 1 refused'
    """
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "none"
