"""The options by which every command is told its data; what the names mean is said by `draw_dataset.catalog`."""

from __future__ import annotations

import argparse

from draw_dataset.catalog import CONFIGS, Source, find_config, find_split, resolve
from draw_dataset.errors import ChoiceError

GRAMMAR = f"CONFIG, CONFIG/SPLIT, a JSONL file of rows, or - for standard input; CONFIG is one of {', '.join(CONFIGS)}"
"""What a source is, for the help of a command."""


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
