"""``draw solve predict``: the answers to many problems, as ``draw score`` takes them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from draw_dataset.catalog import load, resolve
from draw_dataset.commands.options import GRAMMAR, add_release
from draw_dataset.commands.solving.models import problems_shown
from draw_dataset.core.problem import Problem
from draw_dataset.errors import ChoiceError, RowError, shown
from draw_dataset.files import read_json_lines, write_whole
from draw_dataset.files.jsonl import named

HELP = "answer many problems and write predictions, a JSON object a line"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        'a line is {"id": 7, "prediction": {"template": […], "alignment": […], "solutions": […]}}, or, where the\n'
        'solver abstains, {"id": 7, "prediction": null, "reason": "no numbers", "message": "…"}.\n'
        "draw score reads them. Of a problem only the text is looked at: lines with id and question are enough.\n\n"
        "exit status: 0 predicted, abstentions included, 2 something is refused\n\n"
        "examples:\n"
        "  draw solve predict draw1k/test --model model.npz --out predictions.jsonl\n"
        "  draw score predictions.jsonl --config draw1k --split test\n"
        "  draw solve predict questions.jsonl --model model.npz > predictions.jsonl"
    )
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help=f"{GRAMMAR}; lines with id and question are enough",
    )
    parser.add_argument("--model", type=Path, required=True, metavar="FILE", help="what draw solve train has written")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write there, not to standard output")
    add_release(parser, corrected=False)


def run(arguments: argparse.Namespace) -> int:
    """Write the predictions, and say how many problems have none."""
    # Here, as the other subcommands do not need it.
    from draw_dataset.solver import Model

    model = Model.load(arguments.model)
    given = _problems(arguments.source, arguments.data_dir)
    lines = []
    abstained = 0
    for id_, problem in problems_shown(list(given.items())):
        prediction = model.predict(problem)
        line = {"id": id_, "prediction": prediction.to_dict()}
        if prediction.reason is not None:
            abstained += 1
            line |= {"reason": str(prediction.reason), "message": prediction.message}
        lines.append(json.dumps(line, ensure_ascii=False))
    text = "".join(f"{line}\n" for line in lines)
    if arguments.out is None:
        sys.stdout.write(text)
    else:
        write_whole(arguments.out, text)
    print(f"draw solve predict: {len(lines)} problems, {abstained} without an answer", file=sys.stderr)
    return 0


def _problems(source: str, data_dir: str | None) -> dict[int, str | Problem]:
    """Return the problems of a source by id: of a line that is no row, its question."""
    given = resolve(source)
    if given.file is not None:
        entries = _read_questions(given.file)
    else:
        entries = [(problem.id, problem) for problem in load(given, data_dir)]
    found: dict[int, str | Problem] = {}
    for id_, problem in entries:
        if id_ in found and _text(found[id_]) != _text(problem):
            raise RowError(f"{source}: expected one question for each id, but got two for {id_}")
        found[id_] = problem
    if not found:
        raise ChoiceError(f"{source}: expected problems, but got none")
    return found


def _text(problem: str | Problem) -> str:
    return problem if isinstance(problem, str) else problem.question


def _read_questions(path: str) -> Sequence[tuple[int, str | Problem]]:
    found: list[tuple[int, str | Problem]] = []
    for number, _, entry in read_json_lines(path):
        where = f"{named(path)}, line {number}"
        if type(entry.get("id")) is not int or not isinstance(entry.get("question"), str):
            raise RowError(f"{where}: expected an object with a whole number as id and a question, got {shown(entry)}")
        try:
            # A row says by its numbers how its text is cut into tokens; predictions must count tokens in the same way.
            found.append((entry["id"], Problem.from_row(entry) if "numbers" in entry else entry["question"]))
        except RowError as error:
            raise RowError(f"{where}: {error}") from error
    return found
