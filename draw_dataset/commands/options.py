"""What the subcommands declare alike: themselves, their data, and numbers.

What names of data mean is said by `draw_dataset.catalog`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from draw_dataset.catalog import CONFIGS, Source, find_config, find_split, resolve
from draw_dataset.errors import ChoiceError

GRAMMAR = f"CONFIG, CONFIG/SPLIT, a JSONL file of rows, or - for standard input; CONFIG is one of {', '.join(CONFIGS)}"
"""What a source is, for the help of a command."""


def add_command(parsers: Any, name: str, module: Any, **defaults: Any) -> None:
    """Declare a subcommand, which is a module with `HELP`, `configure` and `run`.

    Args:
        parsers: what `ArgumentParser.add_subparsers` has given.
        name: of the subcommand.
        module: the module.
        defaults: what the arguments get besides; by default, ``run`` is the module's.
    """
    parser = parsers.add_parser(
        name, help=module.HELP, description=module.HELP, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    module.configure(parser)
    parser.set_defaults(**(defaults or {"run": module.run}))


def add_json(parser: argparse._ActionsContainer) -> None:
    """Declare the argument that asks for data instead of text."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Return what reads an argument that is a whole number.

    >>> whole_number(1, 1000)("12")
    12
    """

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= 20) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"expected a whole number from {least} to {most}, but got {text[:40]!r}")
        return int(text)

    return read


def add_sources(parser: argparse.ArgumentParser, nargs: str | None = None, default: str = "") -> None:
    """Declare the sources of a command, given by position, as ``sources``; without nargs the one ``source``.

    Args:
        parser: of the command.
        nargs: how many there may be, as argparse has it.
        default: what is taken if there is none, for the help.
    """
    parser.add_argument(
        "source" if nargs is None else "sources",
        nargs=nargs,
        metavar="SOURCE",
        help=GRAMMAR + (f" (default: {default})" if default else ""),
    )


def add_release(parser: argparse._ActionsContainer, corrected: bool = True) -> None:
    """Declare where the release is found, and whether our corrections are applied to it."""
    parser.add_argument("--data-dir", metavar="DIR", help="the folder of the release's files")
    if corrected:
        parser.add_argument("--corrected", action="store_true", help="the release with the corrections applied")


def add_references(parser: argparse._ActionsContainer, default: str = "") -> None:
    """Declare the data of a command whose positions are taken by something else; see `references_of`."""
    end = f" (default: {default})" if default else ""
    parser.add_argument("--references", metavar="SOURCE", help=f"the problems: {GRAMMAR}{end}")
    parser.add_argument("--config", metavar="NAME", help="the same by configuration, as CONFIG or CONFIG/SPLIT")
    parser.add_argument("--split", metavar="NAME", help="with --config: train, validation, test, fold0 … or all")
    add_release(parser)


def references_of(arguments: argparse.Namespace, default: str | None = None) -> Source:
    """Return the data that ``--references``, or ``--config`` and ``--split``, name.

    Raises:
        ChoiceError: there is no such data, both ways are used, or neither.
    """
    references, config, split = arguments.references, arguments.config, arguments.split
    if references is not None and (config or split):
        given = "--config" if config else "--split"
        raise ChoiceError(f"expected --references or --config and --split, but got {given} with --references")
    if config is None and split is not None:
        raise ChoiceError(f"expected --config with --split {split}, but got none")
    if config is None:
        name = references if references is not None else default
        if name is None:
            raise ChoiceError("expected --references SOURCE, or --config and --split, but got neither")
        return resolve(name)
    if split is None:
        return resolve(config)
    chosen = find_config(config)
    return Source(chosen, find_split(chosen, split))
