"""The command ``draw``: reads the arguments and calls the subcommand."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module

from draw_dataset.citation import CITATION
from draw_dataset.commands import register
from draw_dataset.commands.options import add_command
from draw_dataset.errors import DrawError
from draw_dataset.version import __version__


class _Citation(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(CITATION)
        parser.exit()


COMMANDS = (
    "annotate", "build", "check", "clean", "crawl", "demo", "equiv", "read", "register", "sample", "score", "show",
    "solve", "stats",
)  # fmt: skip
"""The subcommands; each is a module of `draw_dataset.commands` with `HELP`, `configure` and `run`."""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all subcommands."""
    parser = argparse.ArgumentParser(
        prog="draw", description="Derivations of algebra word problems: data, metric, annotation and solver."
    )
    parser.add_argument("--version", action="version", version=f"draw {__version__}")
    parser.add_argument("--citation", action=_Citation, nargs=0, help="print what to cite, as BibTeX, and exit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in COMMANDS:
        add_command(commands, name, import_module(f"draw_dataset.commands.{name}"))
    undo = commands.add_parser("unregister", help=register.UNDO_HELP, description=register.UNDO_HELP)
    undo.set_defaults(run=register.run_undo)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand and return its exit status: what it says, or 2 for what it refuses."""
    arguments = build_parser().parse_args(argv)
    try:
        status: int = arguments.run(arguments)
        sys.stdout.flush()  # here, where what cannot be printed is told like anything else
    except BrokenPipeError:
        # The reader of our output has gone, as `head` does: not an error of ours. What is left goes nowhere.
        _drop_output()
        return 0
    except DrawError as error:
        print(f"draw {arguments.command}: {error}", file=sys.stderr)
        return 2
    except (OSError, UnicodeEncodeError) as error:
        # What the package writes to files has become a DrawError, so this is what it prints.
        _drop_output()
        print(f"draw {arguments.command}: cannot print: {_told(error)}", file=sys.stderr)
        return 2
    return status


def _drop_output() -> None:
    """Send what is still to be printed nowhere, so that Python does not try again when it ends."""
    with open(os.devnull, "w") as nowhere, suppress(OSError, ValueError):
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _told(error: OSError | UnicodeEncodeError) -> str:
    if isinstance(error, UnicodeEncodeError):
        return f"standard output is {error.encoding}, which has no {error.object[error.start : error.start + 1]!a}"
    return error.strerror or str(error)


if __name__ == "__main__":
    sys.exit(main())
