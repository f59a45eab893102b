"""``draw read``: an answer of a language model with set-up, steps, slips and results marked, and what they come to."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from draw_dataset.catalog import SAMPLE, load
from draw_dataset.commands.options import add_json, add_references, references_of
from draw_dataset.errors import ChoiceError
from draw_dataset.files import STANDARD, read_text

if TYPE_CHECKING:
    from draw_dataset.answers.reading import Reading
    from draw_dataset.core.problem import Problem

HELP = "read an answer of a language model: its set-up, steps, slips and results"

_COLOURS = {"set-up": "32", "step": "2", "value": "2", "slip": "31", "result": "1", "definition": "36"}
"""How each kind is drawn on a terminal: the codes of its colours."""

_SHOWN = ("set-up", "definition", "step", "value", "slip")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "numbers of the problem are written as q1, q2, … in what was read\n\n"
        "exit status: 0 read, 2 something is refused\n\n"
        "examples:\n"
        '  draw read "60 + 25m = 15 + 34m, so 45 = 9m and m = 6" --id 95\n'
        "  draw read - --id 804723 --config draw1k < answer.txt\n"
        '  draw read "x + y = 20, x = y + 4" --question "Two numbers add up to 20 . One is 4 more ." --json'
    )
    parser.add_argument("answer", metavar="ANSWER", help="the answer, or - to read it from standard input")
    parser.add_argument("--id", metavar="ID", help="the problem that it answers: it is graded, too")
    parser.add_argument("--question", metavar="TEXT", help="the text of the problem, where there is no row")
    add_references(parser, SAMPLE)
    parser.add_argument("--no-colour", "--no-color", action="store_true", help="no colours in the terminal")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read the answer and print what was read."""
    # Here, as the other subcommands do not need them.
    from draw_dataset.answers.reading import read_answer
    from draw_dataset.scoring.grading import grade
    from draw_dataset.scoring.reference import Reference

    if (arguments.id is None) == (arguments.question is None):
        raise ChoiceError("expected --id or --question, and not both")
    answer = read_text(STANDARD) if arguments.answer == STANDARD else arguments.answer
    verdict = None
    if arguments.id is not None:
        reference = Reference(_chosen(arguments))
        verdict = grade({"answer": answer}, reference)
        reading = read_answer(answer, reference.problem)
    else:
        reading = read_answer(answer, arguments.question)
    if arguments.json:
        data: dict[str, Any] = {"reading": reading.to_dict()}
        if verdict is not None:
            data["verdict"] = verdict.to_dict()
        print(json.dumps(data, ensure_ascii=False))
        return 0
    colour = sys.stdout.isatty() and not arguments.no_colour
    print(marked(answer, reading, colour))
    print()
    print("\n".join(summary(reading)))
    if verdict is not None:
        sure = "" if not verdict.derivation else " (in every reading)" if verdict.certain else " (in some reading)"
        print(f"derivation  {'right' if verdict.derivation else 'wrong'}{sure}")
        print(f"solution    {'right' if verdict.solution else 'wrong'}")
        print(f"reason      {verdict.reason}: {verdict.message}")
    return 0


def _chosen(arguments: argparse.Namespace) -> Problem:
    source = references_of(arguments, SAMPLE)
    problems = load(source, arguments.data_dir, arguments.corrected)
    for problem in problems:
        if str(problem.id) == arguments.id:
            return problem
    raise ChoiceError(f"Unknown id {arguments.id}: draw show --list --references {source.title} prints all ids")


def marked(answer: str, reading: Reading, colour: bool) -> str:
    """Return an answer with what was found in it marked: by colours, or by brackets that name it.

    >>> from draw_dataset.answers.reading import read_answer
    >>> text = "x = 5 + 3, so x = 9"
    >>> print(marked(text, read_answer(text, "Add 5 and 3 ."), colour=False))
    [set-up: x = 5 + 3], so [slip: x = 9]
    """
    spans = [(s.start, s.end, s.kind) for s in reading.statements if s.kind in _SHOWN]
    taken = [(start, end) for start, end, _ in spans]
    spans += [
        (f.start, f.end, "result")
        for f in reading.finals
        if not any(start < f.end and f.start < end for start, end in taken)
    ]
    written, at = [], 0
    for start, end, kind in sorted(spans):
        if start < at:
            continue
        written.append(answer[at:start])
        text = answer[start:end]
        written.append(f"\x1b[{_COLOURS[kind]}m{text}\x1b[0m" if colour else f"[{kind}: {text}]")
        at = end
    return "".join([*written, answer[at:]])


def summary(reading: Reading) -> list[str]:
    """Return what an answer comes to, in a line each."""
    lines = [f"set-up      {'; '.join(reading.setup) or 'none'}"]
    letters = {name: value for name, value in reading.quantities.items() if " " not in name}
    if letters:
        lines.append("comes to    " + ", ".join(f"{name} = {value}" for name, value in letters.items()))
    for slip in reading.slips:
        expected = f"; expected {slip.expected}" if slip.expected is not None else ""
        lines.append(f"slip        {' '.join(slip.text.split())}{expected}")
    lines.append("results     " + (", ".join(final.text for final in reading.finals) or "none"))
    lines += [f"doubt       {doubt}" for doubt in reading.doubts]
    return lines
