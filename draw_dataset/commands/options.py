"""Shared parts of the ``draw`` commands: command classes, option types, and the options that several commands take.

Command modules import heavy modules inside functions, so that a command loads only what it needs.
"""

from __future__ import annotations

import errno
import importlib.util
import os
import re
import shlex
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from copy import copy
from difflib import get_close_matches
from functools import partial
from inspect import cleandoc
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

from draw_dataset.errors import ChoiceError, DrawError, ExtraMissing, RefusedWarning

if TYPE_CHECKING:
    from draw_dataset.data.catalog import DataRef
    from draw_dataset.derivation.problem import Problem

# Dataset names for help and completion; a test compares them with `draw_dataset.data.catalog`, which is slow to import.
CONFIGS = ("draw1k", "alg514", "dolphin_l", "sample")

GRAMMAR = (
    f"CONFIG, CONFIG/SPLIT, a JSONL file of rows, or - for standard input; CONFIG is one of {', '.join(CONFIGS)}, or "
    "for cross-validation alg514_cv0 to alg514_cv4, dolphin_l_cv0 to dolphin_l_cv4, or gsm8k_derivations or "
    "svamp_derivations"
)

INTERRUPTED = 130  # exit code after Ctrl-C: 128 plus the signal number, as in shells
HELP_NAMES = ["-h", "--help"]
_SETTINGS = {"help_option_names": HELP_NAMES, "max_content_width": 110, "show_default": True}
_UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
_NEGATIVE = re.compile(r"-(\d+|\d*\.\d+)")

# Python arguments in error messages, each with the option that a user types. tests/test_cli_words.py checks that every
# phrase occurs in a message of the package, and that no message is left with an argument.
PHRASES = {
    'the argument data_dir=FOLDER, as in load_dataset("draw1k", data_dir=FOLDER);': "the option --data-dir FOLDER;",
    'load_dataset("draw1k", "sample")': "sample, as in --config sample",
    '", corrected=True)': '") with --corrected',
    "data_dir=": "--data-dir ",
    "corrected must be True or False, or one of": "--corrections: expected one of",
    "did you mean field=": "did you mean --field ",
    "did you mean id_field=": "did you mean --id-field ",
    "question_field=": "--question-field ",
    "solution_field=": "--solution-field ",
    "; field=": "; --field ",
    " and field=": " and --field ",
    "of several samples, sample=0 scores": "of several samples, --answer-sample 0 scores",
    "or a name given with unknowns=": "or, in draw equiv, a name given with --unknowns",
    "unknowns= is empty": "--unknowns is empty",
    "missing='abstain' counts them": "--missing abstain counts them",
    "missing='skip' scores only": "--missing skip scores only",
    "ignore_unknown=True leaves": "--ignore-unknown leaves",
}


def cli_message(message: str) -> str:
    """Return an error message with options in place of Python arguments.

    >>> cli_message("data_dir=/data lacks a file of the release: draw.json")
    '--data-dir /data lacks a file of the release: draw.json'
    """
    for phrase, own in PHRASES.items():
        message = message.replace(phrase, own)
    return message


def suggest(word: str, known: Sequence[str]) -> str:
    """Return the hint for a misspelt word."""
    near = get_close_matches(word, known, 1)
    return f": did you mean {near[0]}?" if near else "."


class Arguments(SimpleNamespace):
    """The values of a command's options and arguments, by name."""


class Option(click.Option):
    """Option with a help section (`group`), an input check (`reads`) and any number of values (`several`).

    An option with a pattern `takes` takes the words after it that match the pattern; without any, it has one empty
    value.
    """

    group = "Options"

    def __init__(
        self, names: Sequence[str], *, reads: str, several: bool, takes: re.Pattern[str] | None, **settings: Any
    ) -> None:
        self.reads, self.several, self.takes = reads, several, takes
        super().__init__(names, **settings)


class Argument(click.Argument):
    """Positional argument with a help text and an input check."""

    def __init__(self, name: str, *, help: str, reads: str, **settings: Any) -> None:
        super().__init__([name], **settings)
        self.about, self.reads = help, reads  # not self.help, which click 8.5 prints in a section of its own

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:  # noqa: ARG002 - click's signature
        """Return the line of the help."""
        return self.metavar or "", self.about


def option(
    spec: str,
    help: str,
    *,
    dest: str | None = None,
    reads: str = "",
    several: bool = False,
    takes: str | None = None,
    **more: Any,
) -> Option:
    """Return an option: ``--out FILE`` takes a value, ``--gold one|any`` one of the choices, ``--json`` none."""
    # `reads` is "file" or "source" if the values are checked before the command starts; `takes` is a pattern of values.
    names = spec.split()
    metavar = names.pop() if not names[-1].startswith("-") else None
    if metavar and "|" in metavar:
        more["type"], metavar = click.Choice(metavar.split("|")), None
    elif metavar in ("FILE", "DIR", "SOURCE", "URL"):
        more["shell_complete"] = _complete_path
    if metavar is None and "type" not in more:
        more["is_flag"] = True
    if several:
        metavar = f"{metavar}..."
    if several or takes is not None:
        more["multiple"] = True
    pattern = None if takes is None else re.compile(takes)
    declared = [*names, *([dest] if dest else [])]
    return Option(declared, help=help, metavar=metavar, reads=reads, several=several, takes=pattern, **more)


def argument(name: str, metavar: str, help: str, reads: str = "", **more: Any) -> Argument:
    """Return a positional argument; brackets around the metavar make it optional, dots repeat it."""
    if more.get("type") is None:
        more["shell_complete"] = _complete_path
    many = metavar.endswith("...")
    return Argument(
        name, metavar=metavar, help=help, reads=reads, required=metavar[0] != "[", nargs=-1 if many else 1, **more
    )


def _complete_path(_: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    names = [name for name in CONFIGS if incomplete and name.startswith(incomplete)]
    kind = "dir" if param.metavar == "DIR" else "file"
    return names if names and "SOURCE" in (param.metavar or "") else [CompletionItem(incomplete, type=kind)]


class _PlainHelp(click.Command):
    """Help in sections: a summary, the options by group, and the details as they are written."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write arguments and options by group."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            title = "Arguments" if isinstance(param, click.Argument) else getattr(param, "group", "Options")
            record = param.get_help_record(ctx)
            if record is not None:
                groups.setdefault(title, []).append(record)
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl(records)
        if isinstance(self, click.Group):
            self.format_commands(ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the details with their own line breaks."""
        if self.epilog:
            formatter.write(f"\n{self.epilog}\n")


class Command(_PlainHelp):
    """Command that runs a function of its arguments, reports errors on stderr and returns the exit code."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words of the command."""
        return super().parse_args(ctx, args if ctx.resilient_parsing else list(self._arrange(ctx, args)))

    def _arrange(self, ctx: click.Context, args: Sequence[str]) -> Iterator[str]:
        """Yield options before texts, because click knows no option of several values and no text after a dash."""
        options = {
            name: param
            for param in self.get_params(ctx)
            if isinstance(param, click.Option)
            for name in (*param.opts, *param.secondary_opts)
        }

        def is_option(word: str) -> bool:
            if not word.startswith("-") or word == "-":
                return False
            return word.partition("=")[0] in options or not (" " in word or _NEGATIVE.fullmatch(word))

        texts: list[str] = []
        words = deque(args)
        while words:
            word = words.popleft()
            if word == "--":
                texts += words
                break
            if not is_option(word):
                texts.append(word)
                continue
            name, sign, value = word.partition("=")
            longer = [known for known in options if known.startswith(name) and name.startswith("--")]
            if name not in options and len(longer) == 1:
                (name,) = longer
            param = options.get(name)
            takes = getattr(param, "takes", None)
            if takes is not None and not sign:
                values = []
                while words and takes.fullmatch(words[0]):
                    values.append(words.popleft())
                yield from (f"{name}={value}" for value in values or [""])
                continue
            yield f"{name}{sign}{value}"
            if param is None or param.is_flag or sign:
                continue
            if not words or is_option(words[0]):
                got = f"the option {words[0]}" if words else "nothing"
                raise click.UsageError(f"{name}: expected {param.metavar or 'a value'}, but got {got}.", ctx)
            yield words.popleft()
            while getattr(param, "several", False) and words and not is_option(words[0]):
                yield from (name, words.popleft())
        yield "--"
        yield from texts

    def invoke(self, ctx: click.Context) -> int:
        """Run the function and return the exit code; errors of the package are printed and give 2."""
        name = command_name(ctx)
        try:
            check_inputs(self.params, ctx.params)
            given = {key: list(value) if isinstance(value, tuple) else value for key, value in ctx.params.items()}
            if given.get("corrections") is not None:
                given["corrected"] = given["corrections"]
            with warnings.catch_warnings():
                warnings.showwarning = partial(_show_warning, warnings.showwarning)
                status: int = self.callback(Arguments(**given)) if self.callback else 0
            if sys.stdout is not None:
                sys.stdout.flush()  # here, where an error can still be reported
        except DrawError as error:
            print(f"{name}: {cli_message(str(error))}", file=sys.stderr)
            return 2
        except KeyboardInterrupt:
            print(f"{name}: interrupted", file=sys.stderr)
            return INTERRUPTED
        except BrokenPipeError:  # the reader has gone, as with `head`
            _drop_output()
            return 0
        except OSError as error:
            if error.filename is not None or error.errno not in _UNWRITABLE:
                raise
            print(f"{name}: cannot write the output: {error.strerror}", file=sys.stderr)
            _drop_output()
            return 2
        return status


def _show_warning(usual: Callable[..., None], message: Warning | str, kind: type[Warning], *rest: Any) -> None:
    """Print a warning about refused rows as commands print messages, and every other warning as Python does."""
    if issubclass(kind, RefusedWarning):
        say(str(message))
    else:
        usual(message, kind, *rest)


def _drop_output() -> None:
    """Drop the rest of the output buffer, which Python would try to write again at exit."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


class Group(_PlainHelp, click.Group):
    """Group of commands.

    `default` names the command that takes any other first word; `for_data` the one to advise where data come first.
    """

    def __init__(self, *names: Any, default: str | None = None, for_data: str | None = None, **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.default = default
        self.for_data = for_data

    def summaries(self) -> dict[str, str]:
        """Return the commands, each with the first line of its help."""
        return {name: one.help or "" for name, one in self.commands.items() if not one.hidden}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of the commands in the order of their use."""
        return list(self.summaries())

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the commands with the whole first line of their help."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries().items()))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words before the name of the command."""
        names = self.list_commands(ctx)
        if not args and not ctx.resilient_parsing and not self.invoke_without_command:
            text = "TEXT, or " if self.default else ""
            raise click.UsageError(f"expected {text}a command ({', '.join(names)}), but got nothing.", ctx)
        if self.default and args and args[0] not in (*names, *HELP_NAMES) and not ctx.resilient_parsing:
            takes = {name for one in self.params if isinstance(one, Option) and not one.is_flag for name in one.opts}
            texts = (word for before, word in zip(["", *args], args, strict=False) if before not in takes)
            first = next((word for word in texts if not word.startswith("-")), None)
            if first in names:
                raise click.UsageError(f"expected the options of {first} after it, but got some before it.", ctx)
            args = ["--", self.default, *args]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command; a misspelt one raises with the nearest name."""
        names = self.list_commands(ctx)
        if args[0] not in (*names, self.default) and not ctx.resilient_parsing:
            hint = suggest(args[0], names)
            if self.for_data and (args[0].split("/")[0] in CONFIGS or os.path.isfile(args[0])):
                hint = f": did you mean {ctx.command_path} {self.for_data} {shlex.quote(args[0])}?"
            raise click.UsageError(f"unknown command {args[0][:40]!r}{hint}", ctx)
        return super().resolve_command(ctx, args)


def _entitle(params: Sequence[click.Parameter | str]) -> list[click.Parameter]:
    found, title = [], Option.group
    for param in params:
        if isinstance(param, str):
            title = param
            continue
        found.append(copy(param))  # an option may be in several commands
        if isinstance(param, Option):
            found[-1].__dict__["group"] = title
    return found


def _split_help(function: Callable[..., Any]) -> tuple[str, str]:
    summary, _, details = cleandoc(function.__doc__ or "").partition("\n\n")
    return summary, details


def command(
    *params: click.Parameter | str, parent: Group | None = None, name: str = "", hidden: bool = False, more: str = ""
) -> Callable[[Callable[[Arguments], int]], Command]:
    """Return a decorator that makes a command; its docstring is the help, a text among `params` titles options."""

    def declare(function: Callable[[Arguments], int]) -> Command:
        summary, details = _split_help(function)
        made = Command(
            name or function.__name__.replace("_", "-"), callback=function, params=_entitle(params), help=summary,
            epilog=details + more, hidden=hidden, context_settings=_SETTINGS,
        )  # fmt: skip
        if parent is not None:
            parent.add_command(made)
        return made

    return declare


def group(cls: type[Group] = Group, **more: Any) -> Callable[[Callable[..., None]], Group]:
    """Return a decorator that makes a group of commands of a function, which runs before each of them."""

    def declare(function: Callable[..., None]) -> Group:
        summary, details = _split_help(function)
        name = function.__name__
        return cls(name, callback=function, help=summary, epilog=details, context_settings=_SETTINGS, **more)

    return declare


def command_name(ctx: click.Context) -> str:
    """Return the command as it was typed, such as ``draw annotate import``."""
    default = getattr(ctx.parent and ctx.parent.command, "default", None)
    return ctx.command_path.removesuffix(f" {default}") if default else ctx.command_path


def say(message: str) -> None:
    """Print a message to stderr after the name of the command."""
    print(f"{command_name(click.get_current_context())}: {message}", file=sys.stderr)


def say_written(*paths: str | os.PathLike[str] | None) -> None:
    """Print which files were written, to stderr; not standard output, and none that was not asked for."""
    for path in paths:
        if path is not None and os.fspath(path) != "-":
            say(f"wrote {os.fspath(path)}")


_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf")


def check_svg(path: os.PathLike[str]) -> None:
    """Refuse a file for a figure that cannot be written, or whose name is that of another format."""
    from draw_dataset.io.atomic import check_writable

    stem, ending = os.path.splitext(os.fspath(path))
    if ending.lower() in _PICTURES:
        raise ChoiceError(
            f"--svg: expected a name such as {stem}.svg, but got {os.fspath(path)}; write the SVG and convert it, "
            f"as in rsvg-convert {stem}.svg -o {stem}{ending}"
        )
    check_writable(path)


def say_note(message: str) -> None:
    """Print a note of the package to stderr, with options in place of Python arguments."""
    say(cli_message(message))


def check_inputs(params: Sequence[click.Parameter], given: dict[str, Any]) -> None:
    """Refuse missing files and unknown data names before any work, such as a download, starts."""
    listed: dict[str, list[str]] = {"file": [], "source": []}
    for param in params:
        reads, value = getattr(param, "reads", ""), given.get(param.name or "")
        if reads and value is not None:
            listed[reads] += map(os.fspath, value if isinstance(value, tuple) else [value])
    if not any(listed.values()):
        return
    from draw_dataset.data.catalog import resolve
    from draw_dataset.io.atomic import STANDARD
    from draw_dataset.io.jsonl import check_readable

    if sum(text == STANDARD for texts in listed.values() for text in texts) > 1:
        raise ChoiceError("expected standard input once, but got - more than once")
    for path in listed["file"]:
        check_readable(path)
    for name in listed["source"]:
        file = resolve(name).file
        if file is not None:
            check_readable(file)


def load_problems(source: DataRef | str, arguments: Arguments, *, refused: bool = False) -> list[Problem]:
    """Load problems, with ``--data-dir`` and ``--corrected`` if the command has them."""
    from draw_dataset.data.catalog import load

    return load(source, arguments.data_dir, getattr(arguments, "corrected", False), refused=refused)


def require_extra(extra: str, *modules: str) -> None:
    """Raise ExtraMissing, with the command that installs them, if libraries are not installed."""
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise ExtraMissing(
            f"{' and '.join(missing)} {verb} not installed; install what is missing with: "
            f"pip install 'draw-dataset[{extra}]'"
        )


def use_one_thread() -> None:
    """Keep linear algebra in one thread, because the arrays are small; numpy reads this when it is imported."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")


def whole_number(least: int, most: int) -> Callable[[Any], int]:
    """Return an option type that accepts an integer in [least, most].

    >>> whole_number(1, 1000)("12")
    12
    """

    def read(given: Any) -> int:
        text = str(given)
        if not (text.isascii() and text.isdigit() and len(text) <= 20) or not least <= int(text) <= most:
            raise click.BadParameter(f"expected a whole number from {least} to {most}, but got {text[:40]!r}")
        return int(text)

    return read


def number(expected: str, accepts: Callable[[float], bool]) -> Callable[[Any], float]:
    """Return an option type that accepts some decimal numbers."""

    def read(given: Any) -> float:
        try:
            value = float(given)
        except ValueError:
            value = float("nan")
        if not accepts(value):
            raise click.BadParameter(f"expected {expected}, but got {str(given)[:40]!r}")
        return value

    return read


SAMPLE = CONFIGS[-1]
# With --json, standard output has one JSON object, or one a line, and nothing else; files are named by --out. Where
# rows or a model go to standard output, the object goes to stderr. tests/test_json_output.py runs every command.
JSON = option("--json", "print one JSON object")
JSON_LINES = option("--json", "print one JSON object for each problem")
JSON_FORMAT = option("--json", "the same as --format json")
QUIET = option("--quiet", "show no progress")
NO_COLOUR = option("--no-colour --no-color", "print without colours", dest="no_colour")
STYLE = option("--style NAME", "prompt style: marked, plain or json", default="marked")
SHOTS = option("--shots N", "number of worked examples in the prompt", type=whole_number(0, 59), default=0)
FORMAT = option("--format text|markdown|json", "format of the table", default="text")
FIELDS = [
    option("--field NAME", "field of a record that holds the model answer, as in completion or reply.text"),
    option("--id-field NAME", "field of a record that holds the id"),
]
DATA_DIR = option("--data-dir DIR", "folder with the release files")
CORRECTED = option("--corrected", "use the release with the latest version of our corrections")
RELEASE = [
    DATA_DIR,
    CORRECTED,
    option(
        "--corrections VERSION",
        "use one version of the corrections: v1, v2 or v3, or v2-derivations, which keeps equations and solutions",
    ),
]


def sources(metavar: str = "SOURCE", default: str = "") -> Argument:
    """Return the argument that names data, called ``source``, or ``sources`` if it is repeated."""
    end = f" (default: {default})" if default else ""
    return argument("sources" if metavar.endswith("...") else "source", metavar, GRAMMAR + end, reads="source")


def references(default: str = "") -> list[Option]:
    """Return the options that name data where the positions are taken; see `find_references`."""
    return [
        option(
            "--references SOURCE", f"problems: {GRAMMAR}" + f" (default: {default})" * bool(default), reads="source"
        ),
        option("--config NAME", "another way to name the problems: CONFIG or CONFIG/SPLIT"),
        option("--split NAME", "with --config: train, validation, test, fold0 … or all"),
        *RELEASE,
    ]


def find_references(arguments: Arguments, default: str | None = None) -> DataRef:
    """Return the data that ``--references``, or ``--config`` and ``--split``, name."""
    from draw_dataset.data.catalog import DataRef, find_config, find_split, resolve

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
    return DataRef(chosen, find_split(chosen, split))
