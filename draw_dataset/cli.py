"""The command ``draw``: reads the arguments and calls the subcommand."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from draw_dataset import __version__
from draw_dataset.errors import DrawError

CITATION = """\
@inproceedings{upadhyay-chang-2017-annotating,
  title     = {Annotating Derivations: A New Evaluation Strategy and Dataset for Algebra Word Problems},
  author    = {Upadhyay, Shyam and Chang, Ming-Wei},
  booktitle = {Proceedings of the 15th Conference of the European Chapter of the Association for
               Computational Linguistics (EACL)},
  year      = {2017},
}"""


class _Citation(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(CITATION)
        parser.exit()


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all subcommands."""
    parser = argparse.ArgumentParser(
        prog="draw", description="Derivations of algebra word problems: data, metric, annotation and solver."
    )
    parser.add_argument("--version", action="version", version=f"draw {__version__}")
    parser.add_argument("--citation", action=_Citation, nargs=0, help="print what to cite, as BibTeX, and exit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    commands.add_parser(
        "demo", help="decide the paper's own examples", description="Decide the paper's own examples."
    )

    equiv = commands.add_parser(
        "equiv",
        help="say whether two templates are equivalent",
        description="Say whether two templates are equivalent, and how their slots correspond or why they do not.\n"
        "Exit status: 0 equivalent, 1 not equivalent, 2 an argument cannot be read.",
        epilog="examples:\n"
        '  draw equiv "m = a + b*n; m = c - n" "m + n = a; m - c*n = b"\n'
        '  draw equiv --all "m = a + b" "n = a + b"\n'
        '  draw equiv --json "m = a + b" "m = a - b"\n'
        '  draw equiv --unknowns x,y "x + y = a" "x = a - y"',
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    equiv.add_argument("first", metavar="T1", help="a template: equations separated by ';'")
    equiv.add_argument("second", metavar="T2", help="another template")
    equiv.add_argument("--all", action="store_true", help="print every slot map, not just one")
    equiv.add_argument(
        "--limit", type=_positive, default=1000, metavar="N", help="with --all, print at most N maps (default 1000)"
    )
    equiv.add_argument("--json", action="store_true", help="print one JSON object")
    equiv.add_argument(
        "--unknowns", type=_names, metavar="X,Y", help="the names that are unknowns (default m,n,o); others are slots"
    )
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a number from 1, but got {text}")
    return number


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand and return its exit status."""
    arguments = build_parser().parse_args(argv)
    try:
        return _run(arguments)
    except DrawError as error:
        print(f"draw {arguments.command}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader of our output has gone, as `head` does: not an error of ours.
        sys.stderr.close()
        return 0


def _run(arguments: argparse.Namespace) -> int:
    # Each subcommand is imported when it is called, so that the others' dependencies are not needed.
    if arguments.command == "equiv":
        from draw_dataset.commands import equiv

        return equiv.run(
            arguments.first,
            arguments.second,
            all_maps=arguments.all,
            limit=arguments.limit,
            as_json=arguments.json,
            unknowns=arguments.unknowns,
        )
    from draw_dataset.commands import demo

    return demo.run()


if __name__ == "__main__":
    sys.exit(main())
