"""``draw solve``: answers a word problem with a derivation; its subcommands train a solver, run it and score it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from draw_dataset.commands.options import add_json, require_extra
from draw_dataset.commands.solve.confidence import add_min_confidence

HELP = "solve a word problem with its derivation shown; train, run and score solvers"

COMMANDS = ("train", "predict", "evaluate")
"""The subcommands; each is a module of this package. Any other word is the text of a problem."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    listed = "\n".join(f"  draw solve {name:10}{_module(name).HELP}" for name in COMMANDS)
    parser.usage = "draw solve [options] TEXT | FILE | - | train … | predict … | evaluate …"
    parser.further = {name: parser_of(name) for name in COMMANDS}  # type: ignore[attr-defined] # for draw completion
    parser.epilog = (
        f"subcommands, each with a --help of its own:\n{listed}\n\n"
        "Without --model a small solver is used, trained at first use on the package's own sample problems and kept\n"
        "in the cache (DRAW_CACHE_DIR). It knows few templates and is often wrong: train one on the release.\n\n"
        "confidence is the probability that the derivation is right, for problems like those of training; the\n"
        "runner-up is the best other derivation. With --min-confidence the solver abstains when it is less sure.\n\n"
        "exit status: 0 answered, 1 the solver abstains and says why, 2 something is refused\n\n"
        "examples:\n"
        '  draw solve "Nina is six years older than Omar. Their ages sum to 40. How old is each of them?"\n'
        "  draw solve problem.txt --model model.npz\n"
        "  draw solve problem.txt --model model.npz --min-confidence 0.8\n"
        "  draw solve problems.jsonl --model model.npz --json\n"
        "  some-program | draw solve - --json\n"
        "  draw solve train draw1k/train draw1k/validation --out model.npz\n"
        "  draw solve predict draw1k/test --model model.npz --out predictions.jsonl\n"
        "  draw solve evaluate draw1k/test --model model.npz"
    )
    _answer_options(parser)
    parser.add_argument(
        "what",
        nargs=argparse.REMAINDER,
        action=_TextOrCommand,
        metavar="TEXT",
        help="the problem in quotation marks; a file with its text; a .jsonl file with a question in each line; or -",
    )


def run(arguments: argparse.Namespace) -> int:
    """Answer the text, or run the subcommand."""
    # The arrays of a text are small: threads of linear algebra wait for each other, which trebles the work. They are
    # settled when numpy is imported, so this must come before.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    if arguments.solving != "answer" or arguments.model is None:
        require_extra("solver", "HanTa")
    status: int = _module(arguments.solving).run(arguments)
    return status


def _module(name: str) -> Any:
    return import_module(f"draw_dataset.commands.solve.{name}")


def parser_of(name: str) -> argparse.ArgumentParser:
    """Return the parser of a subcommand."""
    module = _module(name)
    parser = argparse.ArgumentParser(
        prog=f"draw solve {name}", description=module.HELP, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    module.configure(parser)
    return parser


def _answer_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", type=Path, metavar="FILE", help="a model that draw solve train has written")
    add_json(parser)
    add_min_confidence(parser)
    parser.add_argument("--svg", type=Path, metavar="FILE", help="also write the figure as SVG")
    parser.add_argument("--no-colour", "--no-color", action="store_true", help="print without colours")


class _TextOrCommand(argparse.Action):
    """Reads what comes after the first word: by the subcommand of that name, or as options about a text.

    A parser of subcommands would take every text for a misspelt subcommand.
    """

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,  # noqa: ARG002 - as argparse calls it
    ) -> None:
        words = [word for word in values or () if word != "--"]
        if not words:
            parser.error("expected the text of a problem, or train, predict or evaluate")
        first, *rest = words
        if first in COMMANDS:
            given = (namespace.model, namespace.json, namespace.svg, namespace.no_colour)
            if any(given) or namespace.min_confidence is not None:
                parser.error(f"expected the options of {first} after it, but got some before it")
            namespace.solving = first
            parser_of(first).parse_args(rest, namespace)
            return
        namespace.solving = "answer"
        namespace.text = first
        after = argparse.ArgumentParser(prog=parser.prog, usage=parser.usage, add_help=False)
        _answer_options(after)
        _, strange = after.parse_known_args(rest, namespace)
        if strange:
            parser.error(f"expected one text, in quotation marks, but got {' '.join(strange)!r} after it")
