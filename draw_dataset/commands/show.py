"""``draw show``: one derivation drawn as in the paper's Figure 1, with a predicted one next to it if it is given."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from draw_dataset.catalog import SAMPLE, load
from draw_dataset.commands.options import add_references, references_of, takes_files
from draw_dataset.core.problem import Problem, ProblemId, id_named, name_of
from draw_dataset.errors import ChoiceError, ScoreError, shown
from draw_dataset.files import decode_json, escape, write_atomically
from draw_dataset.files.atomic import check_writable
from draw_dataset.files.jsonl import named

HELP = "draw the derivation of a problem, and what a prediction does differently"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "[12]q2 is a number that a slot holds, [12]q4=q2 one that means the same, (7)q1 one that is not used.\n\n"
        "examples:\n"
        "  draw show 92\n"
        "  draw show --list\n"
        '  draw show 1 --prediction "m = n + q1; m + n = q3"\n'
        "  draw show 804723 --config draw1k --predictions mine.jsonl --svg figure.svg\n"
        "  draw show 7 --references rows.jsonl --html figure.html"
    )
    parser.add_argument("id", nargs="?", metavar="ID", help="the id of the problem")
    parser.add_argument("--list", action="store_true", help="list all ids, with their derivations")
    add_references(parser, SAMPLE)
    takes_files(parser, "predictions")
    given = parser.add_mutually_exclusive_group()
    given.add_argument("--prediction", metavar="TEXT", help="a prediction: q-notation, or a JSON object")
    given.add_argument(
        "--predictions", metavar="FILE", help="predictions: one JSON object with an id per line; - is standard input"
    )
    parser.add_argument("--svg", type=Path, metavar="FILE", help="also write the figure as SVG")
    parser.add_argument("--html", type=Path, metavar="FILE", help="also write the figure as an HTML page")
    parser.add_argument("--no-colour", "--no-color", action="store_true", help="print without colours")


def run(arguments: argparse.Namespace) -> int:
    """Print the figure and write the files."""
    # Here, as the other subcommands do not need them.
    from draw_dataset.report import derivation_html, derivation_svg, derivation_text
    from draw_dataset.report.plain import printable
    from draw_dataset.scoring.reference import Reference

    for target in (arguments.svg, arguments.html):
        if target is not None:
            check_writable(target)
    source = references_of(arguments, SAMPLE)
    problems = load(source, arguments.data_dir, arguments.corrected, refused=True)
    if arguments.list:
        for problem in problems:
            shown_ = f"refused: {problem.reason}" if problem.is_refused else problem.derivation.q_notation()
            print(f"{name_of(problem.id)}\t{shown_}")
        return 0
    problem = _chosen(problems, arguments.id, source.title)
    if problem.is_refused:
        print(f"{printable(problem.question)}\n\nrefused   {printable(problem.reason)}: it has no derivation to show")
        return 0
    reference = Reference(problem)
    prediction = _prediction(arguments, problem.id)
    # Before anything is printed: whoever reads that may be gone after a line.
    if arguments.svg is not None:
        write_atomically(arguments.svg, derivation_svg(reference, prediction) + "\n")
    if arguments.html is not None:
        write_atomically(arguments.html, _document(f"Problem {problem.id}", derivation_html(reference, prediction)))
    print(derivation_text(reference, prediction, colour=False if arguments.no_colour else None))
    return 0


def _chosen(problems: Sequence[Problem], wanted: str | None, source: str) -> Problem:
    advice = f"draw show --list --references {source} prints the {len(problems)} ids there are"
    if wanted is None:
        raise ChoiceError(f"expected the id of a problem, but got none; {advice}")
    # People write a number although the id is a text of digits.
    for id_ in dict.fromkeys((id_named(wanted), wanted)):
        for problem in problems:
            if problem.id == id_:
                return problem
    raise ChoiceError(f"Unknown id {shown(id_named(wanted))} in {source}: {advice}")


def _prediction(arguments: argparse.Namespace, id_: ProblemId) -> Any:
    if arguments.predictions is not None:
        return _read_prediction(arguments.predictions, id_)
    text = arguments.prediction
    if text is None or not text.lstrip().startswith(("{", "[", '"')):
        return text
    return decode_json(text, "--prediction", ScoreError)


def _read_prediction(path: str, wanted: ProblemId) -> Any:
    """Return the prediction for a problem from a file; an empty text, which abstains, stands for null."""
    from draw_dataset.scoring.files import read_predictions

    for _, id_, prediction in read_predictions(path):
        if id_ == wanted:
            return "" if prediction is None else prediction
    raise ChoiceError(f"{named(path)}: expected a prediction for problem {name_of(wanted)}, but got none")


def _document(title: str, fragment: str) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title></head><body>{fragment}</body></html>\n"
    )
