"""What the subcommands declare alike: themselves, their data, and numbers.

What names of data mean is said by `draw_dataset.catalog`.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from draw_dataset.catalog import DATASETS, Source, find_config, find_split, resolve
from draw_dataset.errors import ChoiceError, ExtraMissing
from draw_dataset.files import STANDARD
from draw_dataset.files.jsonl import check_readable

GRAMMAR = (
    "CONFIG, CONFIG/SPLIT, a JSONL file of rows, or - for standard input; CONFIG is one of "
    f"{', '.join(DATASETS)}, or for cross-validation alg514_cv0 to alg514_cv4, dolphin_l_cv0 to dolphin_l_cv4"
)
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


def takes_files(parser: argparse._ActionsContainer, *names: str) -> None:
    """Declare which arguments are files that the command reads, so that they are checked before any work."""
    parser.set_defaults(input_files=(*(parser.get_default("input_files") or ()), *names))


def takes_sources(parser: argparse._ActionsContainer, *names: str) -> None:
    """Declare which arguments name data, a configuration or a file of rows, so that they are checked as well."""
    parser.set_defaults(input_sources=(*(parser.get_default("input_sources") or ()), *names))


def check_inputs(arguments: argparse.Namespace) -> None:
    """Refuse files that are not there and data that has no such name, before the release is looked for.

    Raises:
        DrawError: a file cannot be read, a name means nothing, or standard input is to be read twice; says which.
    """
    files = [path for name in getattr(arguments, "input_files", ()) for path in _values(getattr(arguments, name))]
    sources = [name for one in getattr(arguments, "input_sources", ()) for name in _values(getattr(arguments, one))]
    if sum(os.fspath(given) == STANDARD for given in (*files, *sources)) > 1:
        raise ChoiceError("expected standard input once, but got - more than once")
    for path in files:
        check_readable(path)
    for given in sources:
        file = resolve(os.fspath(given)).file
        if file is not None:
            check_readable(file)


def _values(given: Any) -> list[Any]:
    return [] if given is None else list(given) if isinstance(given, (list, tuple)) else [given]


def require_extra(extra: str, *modules: str) -> None:
    """Refuse to begin work that needs libraries which are not installed.

    Raises:
        ExtraMissing: one of them is not there; names the command that installs it.
    """
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise ExtraMissing(
            f"{' and '.join(missing)} {verb} not installed; install what is missing with: "
            f"pip install 'draw-dataset[{extra}]'"
        )


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

    They are checked before the command runs: see `check_inputs`.

    Args:
        parser: of the command.
        nargs: how many there may be, as argparse has it.
        default: what is taken if there is none, for the help.
    """
    name = "source" if nargs is None else "sources"
    takes_sources(parser, name)
    parser.add_argument(
        name,
        nargs=nargs,
        metavar="SOURCE",
        help=GRAMMAR + (f" (default: {default})" if default else ""),
    )


def add_release(parser: argparse._ActionsContainer, corrected: bool = True) -> None:
    """Declare where the release is found, and whether our corrections are applied to it."""
    parser.add_argument("--data-dir", metavar="DIR", help="the folder with the files of the release")
    if corrected:
        parser.add_argument("--corrected", action="store_true", help="use the release with our corrections")
        parser.add_argument(
            "--corrections",
            dest="corrected",
            metavar="VERSION",
            help="use one version of them: v1, v2, or v2-derivations, which leaves equations and solutions as they are",
        )


def add_references(parser: argparse._ActionsContainer, default: str = "") -> None:
    """Declare the data of a command whose positions are taken by something else; see `references_of`."""
    end = f" (default: {default})" if default else ""
    takes_sources(parser, "references")
    parser.add_argument("--references", metavar="SOURCE", help=f"the problems: {GRAMMAR}{end}")
    parser.add_argument("--config", metavar="NAME", help="another way to name the problems: CONFIG or CONFIG/SPLIT")
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
