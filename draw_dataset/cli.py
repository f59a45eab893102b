"""The command ``draw``: reads the arguments and calls the subcommand."""

from __future__ import annotations

import argparse
import errno
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from io import TextIOWrapper
from typing import Any

from draw_dataset.citation import CITATION
from draw_dataset.commands import register
from draw_dataset.commands.completion import parsers_of
from draw_dataset.commands.options import add_command, check_inputs
from draw_dataset.commands.wording import in_own_terms
from draw_dataset.errors import DrawError, RefusedWarning
from draw_dataset.version import __version__


class _Citation(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(CITATION)
        parser.exit()


COMMANDS = (
    "annotate", "build", "check", "clean", "completion", "crawl", "demo", "derive", "equiv", "evaluate-model",
    "harness", "pipeline", "read", "register", "sample", "score", "show", "solve", "stats", "variants",
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
        add_command(commands, name, import_module(f"draw_dataset.commands.{name.replace('-', '_')}"))
    undo = commands.add_parser("unregister", help=register.UNDO_HELP, description=register.UNDO_HELP)
    undo.set_defaults(run=register.run_undo)
    return parser


def _refuse_unknown(given: Sequence[str]) -> None:
    """End with status 2 if the first word is no command, and name the nearest one."""
    if not given or given[0].startswith("-") or given[0] in (*COMMANDS, "unregister"):
        return
    near = get_close_matches(given[0], [*COMMANDS, "unregister"], 1)
    hint = f": did you mean {near[0]}?" if near else "."
    print(f"draw: unknown command {given[0][:40]!r}{hint} draw --help lists the commands.", file=sys.stderr)
    raise SystemExit(2)


def _refuse_strange(arguments: argparse.Namespace, word: str, parser: argparse.ArgumentParser) -> None:
    """End with status 2 for a word that the command does not take, and name the nearest option.

    argparse would show the usage of ``draw``, which has no options to choose from.
    """
    command = _asked_for(arguments)
    own = dict(parsers_of(parser, parser.prog))[command]
    options = [option for action in own._actions for option in action.option_strings]
    near = get_close_matches(word.partition("=")[0], options, 1) if word.startswith("-") else []
    hint = f": did you mean {near[0]}?" if near else "."
    kind = "option" if word.startswith("-") else "argument"
    own.print_usage(sys.stderr)
    print(f"{command}: unknown {kind} {word[:40]!r}{hint} {command} --help explains all of them.", file=sys.stderr)
    raise SystemExit(2)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand and return its exit status: what it says, 2 for what it refuses, 130 if it is interrupted."""
    given = list(sys.argv[1:] if argv is None else argv)
    _refuse_unknown(given)
    parser = build_parser()
    arguments, strange = parser.parse_known_args(given)
    if strange:
        _refuse_strange(arguments, strange[0], parser)
    arguments.parser = parser  # for draw completion
    if isinstance(sys.stdout, TextIOWrapper):
        # Any text from data can be printed.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        check_inputs(arguments)
        with warnings.catch_warnings():
            warnings.showwarning = partial(_say_warning, _asked_for(arguments), warnings.showwarning)
            status: int = arguments.run(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()  # here, where an error can still be reported
    except DrawError as error:
        print(f"{_asked_for(arguments)}: {in_own_terms(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{_asked_for(arguments)}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone, as with `head`: that is not an error.
        _drop_output()
        return 0
    except OSError as error:
        if error.filename is not None or error.errno not in _UNWRITABLE:
            raise
        print(f"{_asked_for(arguments)}: cannot write the output: {error.strerror}", file=sys.stderr)
        _drop_output()
        return 2
    return status


def _say_warning(
    command: str, usual: Callable[..., None], message: Warning | str, kind: type[Warning], *rest: Any
) -> None:
    """Say that rows were left out as commands say things; every other warning as Python does."""
    if issubclass(kind, RefusedWarning):
        print(f"{command}: {message}", file=sys.stderr)
    else:
        usual(message, kind, *rest)


def _asked_for(arguments: argparse.Namespace) -> str:
    """Return the command as it was typed, with its subcommand: ``draw annotate import``."""
    further = ("action", "solving", "pipeline_command", "variants_command")
    action = next((found for name in further if (found := getattr(arguments, name, None)) is not None), "answer")
    return f"draw {arguments.command}" + (f" {action}" if action != "answer" else "")


INTERRUPTED = 130
"""The exit status of what Ctrl-C ended: 128 and the number of the signal, as shells have it."""

_UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
"""Errors of a standard output that cannot take more."""


def _drop_output() -> None:
    """Drop the rest of the output buffer, which Python would try to write again at exit."""
    with suppress(OSError, ValueError):
        target = sys.stdout.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, target)
        os.close(nowhere)


if __name__ == "__main__":
    sys.exit(main())
