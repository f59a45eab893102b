"""``draw benchmark``: step verdicts against experts' labels of the first wrong step, by a benchmark's own measures."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt
from statistics import median
from typing import TYPE_CHECKING, Any

import click

from draw_dataset.commands.options import DATA_DIR, GRAMMAR, JSON, Arguments, argument, command, load_problems, option
from draw_dataset.errors import ReadError, short_repr
from draw_dataset.io.jsonl import json_line, read_json_lines
from draw_dataset.io.markup import Table

if TYPE_CHECKING:
    from draw_dataset.scoring.gold import PreparedProblem
    from draw_dataset.scoring.verdict import StepVerdict, Verdict

REFERENCES = "gsm8k_derivations"
RIGHT = -1  # the label of a solution without an error

PUBLISHED = {
    "o1-mini": 93.2,
    "QwQ-32B-Preview": 88.0,
    "Qwen2.5-Math-PRM-72B": 87.3,
    "Qwen2.5-Math-PRM-7B": 82.4,
    "GPT-4o": 79.2,
    "Math-Shepherd-PRM-7B": 47.9,
}
"""Published F1 on the GSM8K part of ProcessBench, in percent; no reference is given to these."""

OURS, CERTAIN, LAST, FIRST, NOWHERE = (
    "step verdicts",
    "step verdicts, certain ones",
    "control: final number, last step",
    "control: final number, first step",
    "control: first number from nowhere",
)


@dataclass(frozen=True, slots=True)
class Solution:
    """A solution of a benchmark: its steps, and the label of its first wrong step."""

    question: str
    steps: tuple[str, ...]
    label: int
    worked: str | None  # gold's worked solution, if the file has it


@dataclass(slots=True)
class Measured:
    """What was measured on a file."""

    total: int = 0
    covered: int = 0  # solutions to problems with gold
    pairs: dict[str, list[tuple[int, int]]] = field(default_factory=dict)  # label and prediction, by judge
    kinds: Counter[tuple[str, bool, bool]] = field(default_factory=Counter)  # kind, certain, at the labelled step
    times: list[float] = field(default_factory=list)  # seconds of processor a solution

    def add(self, judge: str, label: int, predicted: int) -> None:
        """Add a prediction of a judge."""
        self.pairs.setdefault(judge, []).append((label, predicted))


@command(
    argument("name", "NAME", "processbench or mr-gsm8k", type=click.Choice(["processbench", "mr-gsm8k"])),
    argument("file", "FILE", "its solutions as JSON lines", reads="file"),
    option("--references SOURCE", f"problems with gold: {GRAMMAR} (default: {REFERENCES})", reads="source"),
    DATA_DIR,
    JSON,
)
def benchmark(arguments: Arguments) -> int:
    """Measure step verdicts by experts' labels of the first wrong step: ProcessBench, MR-GSM8K.

    A problem is found in the references by its text. One that they lack is derived from the worked solution in the
    file, if there is one. Step verdicts use gold, which published judges are not given; so do the controls.

    Exit status: 0 measured, 2 input refused

    Examples:
      draw benchmark processbench processbench_gsm8k.jsonl --data-dir texts
      draw benchmark mr-gsm8k mr_gsm8k.jsonl --references rows.jsonl --json
    """
    read = _read_processbench if arguments.name == "processbench" else _read_mr_gsm8k
    solutions = [read(line.value, f"{arguments.file}:{line.number}") for line in read_json_lines(arguments.file)]
    if not solutions:
        raise ReadError(str(arguments.file), "solutions", "none")
    problems = _problems(solutions, arguments)
    measured = measure(solutions, problems)
    if not measured.covered:
        raise ReadError(arguments.file, "solutions to problems of the references", "none; name them with --references")
    data = _figures(measured)
    if arguments.json:
        print(json_line({"benchmark": arguments.name, **data}), end="")
    else:
        print("\n".join(_written(arguments.name, data)))
    return 0


# Reading


def _read_processbench(line: Any, where: str) -> Solution:
    label = _any_field(line, ("label",))
    if type(label) is not int or label < RIGHT:
        raise ReadError(where, "label, the number of the first wrong step from 0, or -1", short_repr(label))
    return Solution(_text(line, "problem", where), _steps(line, ("steps",), where), label, None)


def _read_mr_gsm8k(line: Any, where: str) -> Solution:
    step = _any_field(line, ("first_error_step", "model_output_solution_first_error_step"))
    is_step = str(step).isdecimal() and int(step) > 0
    if not is_step and _any_field(line, ("model_output_solution_correctness",)) != "correct":
        raise ReadError(where, "the step of the first error, from 1, or a correct solution", short_repr(step))
    label = int(step) - 1 if is_step else RIGHT
    worked = _any_field(line, ("solution", "ground_truth_solution"))
    return Solution(
        _text(line, "question", where),
        _steps(line, ("steps", "model_output_steps"), where),
        label,
        worked if isinstance(worked, str) else None,
    )


def _any_field(line: Any, names: Sequence[str]) -> Any:
    return next((line[name] for name in names if name in line), None) if isinstance(line, Mapping) else None


def _text(line: Any, name: str, where: str) -> str:
    found = _any_field(line, (name,))
    if not isinstance(found, str):
        raise ReadError(where, f"{name}, a text", short_repr(found))
    return found


def _steps(line: Any, names: Sequence[str], where: str) -> tuple[str, ...]:
    found = _any_field(line, names)
    if not isinstance(found, list) or not found or not all(isinstance(step, str) for step in found):
        raise ReadError(where, f"{names[0]}, a list of strings", short_repr(found))
    return tuple(found)


def _problems(solutions: Sequence[Solution], arguments: Arguments) -> dict[str, PreparedProblem]:
    """Return the problems of the solutions by their text."""
    from draw_dataset.data.catalog import resolve
    from draw_dataset.deriving.run import derive
    from draw_dataset.scoring.gold import PreparedProblem

    wanted = {_plain(solution.question): solution for solution in solutions}
    found = {}
    for problem in load_problems(resolve(arguments.references or REFERENCES), arguments):
        text = _plain(problem.question)
        if text in wanted and text not in found:
            found[text] = PreparedProblem(problem)
    left = [
        {"id": str(number), "question": solution.question, "answer": solution.worked}
        for number, (text, solution) in enumerate(wanted.items())
        if text not in found and solution.worked
    ]
    for row in derive(left, preset="gsm8k", id="id") if left else ():
        if row["status"] != "refused":
            found[_plain(row["question"])] = PreparedProblem.of(row)
    return found


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


# Measuring


def measure(solutions: Iterable[Solution], problems: Mapping[str, PreparedProblem]) -> Measured:
    """Return how step verdicts and the controls agree with the labels."""
    from draw_dataset.scoring.grading import grade

    measured = Measured()
    for solution in solutions:
        problem = problems.get(_plain(solution.question))
        measured.total += 1
        if problem is None:
            continue
        if solution.label >= len(solution.steps):
            steps = f"one of its {len(solution.steps)} steps"
            raise ReadError(short_repr(solution.question), f"a label that is {steps}", str(solution.label))
        measured.covered += 1
        start = time.process_time()
        verdict = grade({"steps": list(solution.steps)}, problem)
        error = first_wrong_step(verdict)
        measured.times.append(time.process_time() - start)
        last = len(solution.steps) - 1
        is_wrong = not verdict.solution
        ours = error.index if error is not None else last if is_wrong else RIGHT
        measured.add(OURS, solution.label, ours)
        certain = error is not None and error.certain
        measured.add(CERTAIN, solution.label, ours if certain or not is_wrong else RIGHT)
        measured.add(LAST, solution.label, last if is_wrong else RIGHT)
        measured.add(FIRST, solution.label, 0 if is_wrong else RIGHT)
        measured.add(NOWHERE, solution.label, _from_nowhere(solution, problem) if is_wrong else RIGHT)
        if error is not None:
            measured.kinds[str(error.kind), error.certain, error.index == solution.label] += 1
    return measured


def first_wrong_step(verdict: Verdict) -> StepVerdict | None:
    """Return the first wrong step; in a solution with the right result, the first step that is false as written."""
    if verdict.first_error is not None or not verdict.solution:
        return verdict.first_error
    return next((step for step in verdict.steps if step.kind == "slip" and step.certain), None)


_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_LEADING = re.compile(r"\s*Step \d+:")


def _from_nowhere(solution: Solution, problem: PreparedProblem) -> int:
    """Return the first step with a number that neither the question nor gold's solution has, else the last step."""
    from draw_dataset.reading.arithmetic import functions_of

    known = {*_numbers(solution.question), *_numbers(solution.worked or ""), *problem.solutions}
    for gold in functions_of(problem.for_answers.gold):
        known.update(value for value, _ in gold.by_value)
    for index, step in enumerate(solution.steps):
        if not known.issuperset(_numbers(_LEADING.sub("", step, count=1))):
            return index
    return len(solution.steps) - 1


def _numbers(text: str) -> Iterator[Fraction]:
    return (Fraction(found.replace(",", "")) for found in _NUMBER.findall(text))


# Figures


def _figures(measured: Measured) -> dict[str, Any]:
    judges = {judge: _measures(pairs) for judge, pairs in measured.pairs.items()}
    kinds = {}
    for kind in dict.fromkeys(kind for kind, _, _ in sorted(measured.kinds)):
        kinds[kind] = {
            name: {
                "said": sum(measured.kinds[kind, certain, at] for at in (True, False)),
                "at the labelled step": measured.kinds[kind, certain, True],
            }
            for name, certain in (("certain", True), ("likely", False))
        }
    times = [1000 * seconds for seconds in measured.times]
    return {
        "solutions": measured.total,
        "with gold": measured.covered,
        "judges": judges,
        "kinds": kinds,
        "milliseconds": {"median": median(times), "largest": max(times)} if times else {},
    }


def _measures(pairs: Sequence[tuple[int, int]]) -> dict[str, float | int | None]:
    """Return the measures of both benchmarks: ProcessBench's F1, and MR-GSM8K's MCC and accuracy of the step."""
    wrong = [label == predicted for label, predicted in pairs if label != RIGHT]
    right = [predicted == RIGHT for label, predicted in pairs if label == RIGHT]
    error, correct = _share(wrong), _share(right)
    both = None if error is None or correct is None else error + correct
    f1 = None if both is None else 2 * (error or 0) * (correct or 0) / both if both else 0.0
    return {
        "erroneous": len(wrong),
        "correct": len(right),
        "error accuracy": error,
        "correct accuracy": correct,
        "F1": f1,
        "MCC": _mcc([(label == RIGHT, predicted == RIGHT) for label, predicted in pairs]),
    }


def _share(hits: Sequence[bool]) -> float | None:
    return 100 * sum(hits) / len(hits) if hits else None


def _mcc(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Return 100 times Matthews' correlation of two judgements; None if all labels are the same."""
    count = Counter(pairs)
    tp, tn, fp, fn = (count[pair] for pair in ((True, True), (False, False), (False, True), (True, False)))
    below = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    if not (tp + fn) or not (tn + fp):
        return None
    return 100 * (tp * tn - fp * fn) / sqrt(below) if below else 0.0


def _written(name: str, data: Mapping[str, Any]) -> list[str]:
    """Return the figures as text."""
    columns = ["error accuracy", "correct accuracy", "F1"] if name == "processbench" else ["error accuracy", "MCC"]
    show: Callable[[float | None], str] = lambda value: "-" if value is None else f"{value:.1f}"  # noqa: E731
    judges: list[tuple[str, Sequence[str]]] = [
        (judge, [show(found[column]) for column in columns]) for judge, found in data["judges"].items()
    ]
    counts = next(iter(data["judges"].values()), {"erroneous": 0, "correct": 0})
    lines = [
        f"solutions: {data['solutions']}; to problems with gold, and measured: {data['with gold']} "
        f"({counts['erroneous']} erroneous, {counts['correct']} correct)",
        "The reference is used: step verdicts and controls compare with gold.",
        "",
        *Table(columns, judges).to_text(),
    ]
    if not counts["correct"]:
        lines += ["", "All solutions of this file are wrong, so there is no MCC and no accuracy on correct ones."]
    if name == "processbench":
        own: list[tuple[str, Sequence[str]]] = [(judge, [show(value)]) for judge, value in PUBLISHED.items()]
        lines += ["", "Published, on the whole GSM8K part and without the reference:", *Table(["F1"], own).to_text()]
    kinds: list[tuple[str, Sequence[str]]] = [
        (kind, [f"{found[how]['at the labelled step']} of {found[how]['said']}" for how in ("certain", "likely")])
        for kind, found in data["kinds"].items()
    ]
    lines += ["", "First wrong steps at the labelled step, by kind:", *Table(["certain", "likely"], kinds).to_text()]
    if times := data["milliseconds"]:
        lines += ["", f"time a solution: median {times['median']:.1f} ms, largest {times['largest']:.0f} ms"]
    return lines
