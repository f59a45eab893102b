"""The command ``draw``: reads the arguments and calls the subcommand."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper

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
    "annotate", "build", "check", "clean", "crawl", "demo", "equiv", "pipeline", "read", "register", "sample", "score",
    "show", "solve", "stats",
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
    if isinstance(sys.stdout, TextIOWrapper):
        # Whatever a text from data holds, it can be printed.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status: int = arguments.run(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()  # here, where what goes wrong can still be said
    except DrawError as error:
        print(f"draw {arguments.command}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader of our output has gone, as `head` does: not an error of ours.
        _drop_output()
        return 0
    except OSError as error:
        if error.filename is not None or error.errno not in _UNWRITABLE:
            raise
        print(f"draw {arguments.command}: cannot write the output: {error.strerror}", file=sys.stderr)
        _drop_output()
        return 2
    return status


_UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
"""Why standard output may take no more."""


def _drop_output() -> None:
    """Lose what is left in the buffer of standard output, which Python would try to write once more at the end."""
    with suppress(OSError, ValueError):
        target = sys.stdout.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, target)
        os.close(nowhere)


if __name__ == "__main__":
    sys.exit(main())
