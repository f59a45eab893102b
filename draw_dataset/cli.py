"""The command ``draw``: a table of commands, each of which is imported when it is used."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import click

from draw_dataset.commands.options import INTERRUPTED, Arguments, Group, argument, command, command_name, group, suggest
from draw_dataset.version import __version__

COMMANDS = {  # each command with its module in `draw_dataset.commands` and the first line of its help
    "annotate": ("annotate", "Annotate derivations: the program decides what is certain, people decide the rest."),
    "app": ("data", "Open a page that grades one answer or derivation, of the sample or of a problem of your own."),
    "benchmark": (
        "benchmark",
        "Measure step verdicts by experts' labels of the first wrong step: ProcessBench, MR-GSM8K.",
    ),
    "build": ("data", "Write the datasets as a Hugging Face Hub repository (Parquet files and a card), and push it."),
    "check": ("check", "Find defects in the release, the sample or a file of rows."),
    "clean": ("collect", "Clean the stored pages of a crawl, offline, and write the pool of problems to annotate."),
    "completion": ("", "Print a script that completes draw commands and options in bash, zsh or fish."),
    "crawl": ("collect", "Crawl the question pages of algebra.com into a ledger, politely and resumably."),
    "demo": ("data", "Load the embedded sample, score predictions and answers, and write a page; works offline."),
    "derive": ("derive", "Derive rows from another dataset: GSM8K, SVAMP, ASDiv, MAWPS, or your own."),
    "equiv": ("score", "Decide whether two templates are equivalent; show the slot map or the difference."),
    "evaluate-model": ("ask", "Ask a model of an OpenAI-compatible server, save every response, and score them."),
    "harness": ("ask", "Show how to run the metric in an evaluation harness, and write training sets for trainers."),
    "pipeline": ("pipeline", "Clean web archives and grade answers in many processes: here, on Slurm or on Ray."),
    "read": ("score", "Read a model answer: mark its set-up, steps, slips and results, and grade it."),
    "register": ("data", "Register the names draw1k, alg514 … in this environment, without import draw_dataset."),
    "sample": ("collect", "Draw problems to annotate from the pool that draw clean wrote."),
    "score": ("score", "Score prediction files, and compare systems."),
    "show": ("score", "Draw the derivation of a problem, and its difference to a prediction."),
    "solve": ("solve", "Solve a word problem and show its derivation; train, run and score solvers."),
    "stats": ("data", "Print the paper's Table 2 next to our figures, or the figures of your own rows."),
    "unregister": ("data", "Undo draw register."),
    "variants": ("variants", "Make problem variants of 13 kinds, and find derivations from final answers."),
}


class _Commands(Group):
    """The commands of the table; no module is imported before its command is used."""

    def summaries(self) -> dict[str, str]:
        return {name: summary for name, (_, summary) in COMMANDS.items()}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS or not COMMANDS[cmd_name][0]:
            return super().get_command(ctx, cmd_name)
        module = import_module(f"draw_dataset.commands.{COMMANDS[cmd_name][0]}")
        found: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return found

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        found = [CompletionItem(name, help=text) for name, (_, text) in COMMANDS.items() if name.startswith(incomplete)]
        return found + click.Command.shell_complete(self, ctx, incomplete)


def _print_citation(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from draw_dataset.version import CITATION

        print(CITATION)
        ctx.exit()


@click.version_option(__version__, message="draw %(version)s", help="print the version and exit")
@click.option(
    "--citation", is_flag=True, is_eager=True, expose_value=False, callback=_print_citation,
    help="print the BibTeX entry to cite, and exit",
)  # fmt: skip
@group(_Commands, invoke_without_command=True)
def draw() -> None:
    """Load, score, annotate and solve algebra word problems with derivations."""
    ctx = click.get_current_context()
    if ctx.invoked_subcommand is None:
        print(ctx.get_help())


@command(argument("shell", "SHELL", "bash, zsh or fish", type=click.Choice(["bash", "zsh", "fish"])), parent=draw)
def completion(arguments: Arguments) -> int:
    """Print a script that completes draw commands and options in bash, zsh or fish.

    Examples:
      eval "$(draw completion bash)"                          in ~/.bashrc
      eval "$(draw completion zsh)"                           in ~/.zshrc, after compinit
      draw completion fish > ~/.config/fish/completions/draw.fish
    """
    from click.shell_completion import get_completion_class

    shell = get_completion_class(arguments.shell)
    if shell is not None:
        print(shell(draw, {}, "draw", "_DRAW_COMPLETE").source())
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 2 if the command line or its input is refused, 130 if interrupted."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # so that any text of the data can be printed
    try:
        status = draw.main(None if argv is None else list(argv), prog_name="draw", standalone_mode=False)
    except click.UsageError as error:
        ctx = error.ctx or click.Context(draw, info_name="draw")
        name, message = command_name(ctx), error.format_message()
        if isinstance(error, click.NoSuchOption):  # in one wording for all versions of click
            message = f"unknown option {error.option_name!r}{suggest(error.option_name, error.possibilities or [])}"
        usage = ctx.parent if ctx.command.hidden and ctx.parent else ctx
        print(usage.get_usage(), file=sys.stderr)
        print(f"{name}: {message}{'' if message[-1] in '.?' else '.'} See {name} --help.", file=sys.stderr)
        return 2
    except click.Abort:
        return INTERRUPTED
    return int(status or 0)


if __name__ == "__main__":
    sys.exit(main())
