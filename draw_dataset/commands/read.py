"""``draw read``: an answer of a language model with set-up, steps, slips and results marked, and what they come to."""

from __future__ import annotations

import argparse
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from draw_dataset.catalog import SAMPLE, load
from draw_dataset.commands.options import add_json, add_references, references_of, takes_files
from draw_dataset.errors import ChoiceError
from draw_dataset.files import STANDARD, json_line, read_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from draw_dataset.answers.reading import Reading
    from draw_dataset.core.problem import Problem
    from draw_dataset.report.marks import Stretch
    from draw_dataset.scoring.verdict import Verdict

HELP = "read an answer of a language model: mark its set-up, steps, slips and results, and grade it"

MAX_BYTES = 1 << 22
"""Of an answer in a file; what is read of it is less."""

_STYLES = {
    "set-up": "1;32", "definition": "36", "step": "2", "value": "2;4", "slip": "1;4;31", "dropped": "9", "result": "7",
}  # fmt: skip
"""How each kind is drawn on a terminal: bold green, cyan, dim, underlined, bold red, struck through, inverse."""

_LABEL = 12


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "The answer is printed with its marks: in colours on a terminal (not if NO_COLOR is set), as in\n"
        "[set-up: x + y = 20] elsewhere. Below it is what the set-up comes to, with the\n"
        "numbers of the problem written as q1, q2, … If the problem has an id, the verdict follows.\n\n"
        "exit status: 0 read, 2 something is refused\n\n"
        "examples:\n"
        '  draw read "3x + 7x = 120, so 10x = 120 and x = 11" --id 99\n'
        "  draw read --file answer.txt --id 804723 --config draw1k\n"
        "  some-model | draw read - --id 99 --json\n"
        '  draw read "x + y = 20, x = y + 4" --question "Two numbers add up to 20 . One is 4 more ."'
    )
    parser.add_argument("answer", nargs="?", metavar="ANSWER", help="the answer itself, or - for standard input")
    takes_files(parser, "file")
    parser.add_argument("--file", metavar="FILE", help="the file with the answer")
    parser.add_argument("--id", metavar="ID", help="the problem that it answers; then the answer is graded as well")
    parser.add_argument("--question", metavar="TEXT", help="the text of the problem, if it has no id")
    add_references(parser, SAMPLE)
    parser.add_argument("--no-colour", "--no-color", action="store_true", help="print without colours")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read the answer and print what was read."""
    # Here, as the other subcommands do not need them.
    from draw_dataset.answers.reading import read_answer
    from draw_dataset.report.marks import stretches
    from draw_dataset.report.terminal import wants_colour
    from draw_dataset.scoring.grading import grade
    from draw_dataset.scoring.reference import Reference
    from draw_dataset.text import find_numbers

    if (arguments.id is None) == (arguments.question is None):
        raise ChoiceError("expected --id or --question, and not both")
    answer = _answer(arguments)
    verdict = None
    if arguments.id is not None:
        reference = Reference(_chosen(arguments))
        numbers: Sequence[Any] = reference.problem.numbers
        verdict = grade({"answer": answer}, reference)
        reading = verdict.reading or read_answer(answer, reference.problem)
    else:
        numbers = find_numbers(arguments.question)
        reading = read_answer(answer, arguments.question)
    if arguments.json:
        data: dict[str, Any] = {"reading": reading.to_dict()}
        if verdict is not None:
            data["verdict"] = verdict.to_dict()
        print(json_line(data), end="")
        return 0
    colour = wants_colour() and not arguments.no_colour
    print(marked(stretches(answer, reading), colour).rstrip() or "(an empty answer)")
    print()
    if colour:
        print(_line("marks", " ".join(_styled(kind, kind) for kind in _STYLES)))
    print(_line("numbers", ", ".join(_number(i, number) for i, number in enumerate(numbers, 1)) or "none"))
    print("\n".join(summary(reading, verdict)))
    return 0


def _answer(arguments: argparse.Namespace) -> str:
    given = [value for value in (arguments.answer, arguments.file) if value is not None]
    if len(given) != 1:
        raise ChoiceError(f"expected ANSWER or --file, but got {'both' if given else 'neither'}")
    if arguments.answer is not None and arguments.answer != STANDARD:
        text: str = arguments.answer
        return text
    return read_text(given[0], most=MAX_BYTES)


def _chosen(arguments: argparse.Namespace) -> Problem:
    source = references_of(arguments, SAMPLE)
    problems = load(source, arguments.data_dir, arguments.corrected)
    for problem in problems:
        if str(problem.id) == arguments.id:
            return problem
    raise ChoiceError(f"Unknown id {arguments.id}: draw show --list --references {source.title} prints all ids")


def marked(found: Sequence[Stretch], colour: bool) -> str:
    """Return an answer with its marks: by colours, or by brackets that name them.

    >>> from draw_dataset.answers.reading import read_answer
    >>> from draw_dataset.report.marks import stretches
    >>> text = "x = 5 + 3, so x = 9"
    >>> print(marked(stretches(text, read_answer(text, "Add 5 and 3 .")), colour=False))
    [set-up: x = 5 + 3], so [slip: x = [result: 9]]
    """
    return "".join(_coloured(stretch) if colour else _bracketed(stretch) for stretch in found)


def _coloured(stretch: Stretch) -> str:
    kinds = ["result" if part.result else stretch.kind for part in stretch.parts]
    return "".join(_styled(p.text, kind) if kind else p.text for p, kind in zip(stretch.parts, kinds, strict=True))


def _bracketed(stretch: Stretch) -> str:
    inside = "".join(f"[result: {part.text}]" if part.result else part.text for part in stretch.parts)
    return inside if stretch.kind in ("", "result") else f"[{stretch.kind}: {inside}]"


def _styled(text: str, kind: str) -> str:
    return f"\x1b[{_STYLES[kind]}m{text}\x1b[0m"


def summary(reading: Reading, verdict: Verdict | None = None) -> list[str]:
    """Return what an answer comes to, and what is said of it, in a line each."""
    from draw_dataset.report.marks import came_to
    from draw_dataset.report.plain import printable

    lines = came_to(reading)
    if verdict is not None:
        sure = "" if not verdict.derivation else " (in every reading)" if verdict.certain else " (in some reading)"
        lines += [
            ("derivation", f"{'right' if verdict.derivation else 'wrong'}{sure}"),
            ("solution", "right" if verdict.solution else "wrong"),
            ("reason", printable(f"{verdict.reason}: {verdict.message}")),
        ]
    return [_line(label, text) for label, text in lines]


def _line(label: str, text: str) -> str:
    return f"{label:{_LABEL}}{text}"


def _number(rank: int, number: Any) -> str:
    from draw_dataset.report.plain import number_text, printable

    text = printable(number.text or "")
    value = number_text(number.value if number.value is not None else Fraction(0))
    return f"q{rank} = {text}" if text in (value, "") or _plain(text) else f"q{rank} = {text} ({value})"


def _plain(text: str) -> bool:
    return text.replace(",", "").replace(".", "").isdecimal()
