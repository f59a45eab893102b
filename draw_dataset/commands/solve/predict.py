"""``draw solve predict``: the answers to many problems, as ``draw score`` takes them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from draw_dataset.catalog import load, resolve
from draw_dataset.commands.options import GRAMMAR, add_release
from draw_dataset.commands.solve.confidence import add_min_confidence, answered, check_model
from draw_dataset.core.problem import Problem
from draw_dataset.errors import ChoiceError, RowError, shown
from draw_dataset.files import STANDARD, read_json_lines, write_json_lines
from draw_dataset.files.atomic import check_writable
from draw_dataset.files.jsonl import named

HELP = "answer many problems and write predictions, one JSON object per line"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        'Each line is {"id": 7, "prediction": {"template": […], "alignment": […], "solutions": […]},\n'
        '"confidence": 0.87, "runner_up": "m = q1*q2"}, or, where the solver abstains, {"id": 7, "prediction": null,\n'
        '"reason": "no numbers", "message": "…"}.\n'
        "A model without calibration, and a text without runner-up, leave these out.\n"
        "draw score reads them. Of a problem only the text is looked at: lines with id and question are enough.\n\n"
        "exit status: 0 predicted, abstentions included, 2 something is refused\n\n"
        "examples:\n"
        "  draw solve predict draw1k/test --model model.npz --out predictions.jsonl\n"
        "  draw score predictions.jsonl --config draw1k --split test\n"
        "  draw solve predict draw1k/test --model model.npz --min-confidence 0.8 --out sure.jsonl\n"
        "  draw solve predict questions.jsonl --model model.npz > predictions.jsonl"
    )
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help=f"{GRAMMAR}; lines with id and question are enough",
    )
    parser.add_argument("--model", type=Path, required=True, metavar="FILE", help="what draw solve train has written")
    parser.add_argument("--out", default=STANDARD, metavar="FILE", help="write there (default -, standard output)")
    add_min_confidence(parser)
    add_release(parser, corrected=False)


def run(arguments: argparse.Namespace) -> int:
    """Write the predictions, and say how many problems have none."""
    # Here, as the other subcommands do not need it.
    from draw_dataset.solver import load_model

    check_writable(arguments.out)
    model = load_model(arguments.model)
    check_model(model, arguments.min_confidence)
    given = _problems(arguments.source, arguments.data_dir)
    abstained = 0

    def lines() -> Iterator[dict[str, Any]]:
        nonlocal abstained
        for id_, problem in problems_shown(list(given.items())):
            answer = answered(model, problem, arguments.min_confidence)
            line: dict[str, Any] = {"id": id_, "prediction": answer.to_dict()}
            if answer.confidence is not None:
                line["confidence"] = answer.confidence
            if answer.runner_up is not None:
                line["runner_up"] = answer.runner_up.q_notation
            if answer.reason is not None:
                abstained += 1
                line |= {"reason": str(answer.reason), "message": answer.message}
            yield line

    write_json_lines(arguments.out, lines())
    print(f"draw solve predict: {len(given)} problems, {abstained} without an answer", file=sys.stderr)
    return 0


def problems_shown(problems: list[Any]) -> Any:
    """Return problems to go over, with their progress on stderr, if that is a terminal."""
    from tqdm import tqdm

    return tqdm(problems, desc="solving", unit="problem", disable=not sys.stderr.isatty(), leave=False)


def _problems(source: str, data_dir: str | None) -> dict[int | str, str | Problem]:
    """Return the problems of a source by id: of a line that is no row, its question."""
    given = resolve(source)
    entries: Iterable[tuple[int | str, str | Problem]]
    if given.file is not None:
        entries = read_questions(given.file)
    else:
        entries = [(problem.id, problem) for problem in load(given, data_dir)]
    found: dict[int | str, str | Problem] = {}
    for id_, problem in entries:
        if id_ in found and _text(found[id_]) != _text(problem):
            raise RowError(f"{source}: expected one question for each id, but got two for {shown(id_)}")
        found[id_] = problem
    if not found:
        raise ChoiceError(f"{source}: expected problems, but got none")
    return found


def _text(problem: str | Problem) -> str:
    return problem if isinstance(problem, str) else problem.question


def read_questions(path: str) -> Iterator[tuple[int | str, str | Problem]]:
    """Yield the problems of a file by id: rows, or the questions of other lines.

    Raises:
        RowError: the file cannot be read, or a line has no id or no question; says which.
    """
    for line in read_json_lines(path):
        entry, where = line.value, f"{named(path)}, line {line.number}"
        if type(entry.get("id")) not in (int, str) or not isinstance(entry.get("question"), str):
            raise RowError(f"{where}: expected an object with an id and a question, but got {shown(entry)}")
        try:
            # A row says by its numbers how its text is cut into tokens; predictions must count tokens in the same way.
            yield entry["id"], Problem.from_row(entry) if "numbers" in entry else entry["question"]
        except RowError as error:
            raise RowError(f"{where}: {error}") from error
