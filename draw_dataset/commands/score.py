"""``draw score``, ``read``, ``show`` and ``equiv``: grade predictions; inspect one answer, problem or template."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from draw_dataset.commands.options import (
    FIELDS,
    FORMAT,
    JSON,
    JSON_FORMAT,
    NO_COLOUR,
    SAMPLE,
    Arguments,
    Option,
    argument,
    check_svg,
    command,
    find_references,
    load_problems,
    option,
    references,
    say,
    say_note,
    say_written,
    whole_number,
)
from draw_dataset.errors import ChoiceError, ProblemFieldsError, ScoreError, short_repr
from draw_dataset.io.atomic import STANDARD, atomic_file, check_apart, check_writable, write_atomically
from draw_dataset.io.jsonl import decode_json, display_name, is_array_file, json_line, read_text
from draw_dataset.io.markup import Table, escape
from draw_dataset.io.records import file_stem

if TYPE_CHECKING:
    from draw_dataset.algebra.solution import Solution
    from draw_dataset.data.catalog import DataRef
    from draw_dataset.data.editions import Comparison
    from draw_dataset.derivation.equivalence import Difference, SlotMap
    from draw_dataset.derivation.problem import Problem, ProblemId
    from draw_dataset.derivation.template import Template
    from draw_dataset.deriving.own_problems import Fields
    from draw_dataset.reading.answer import Reading
    from draw_dataset.report.entries import Entries
    from draw_dataset.report.picture import Stretch
    from draw_dataset.scoring.files import Judged, OneSystem
    from draw_dataset.scoring.gold_rows import FiledReferences, ListedReferences
    from draw_dataset.scoring.options import Options
    from draw_dataset.scoring.score import Score
    from draw_dataset.scoring.verdict import Verdict

_LONGEST_TITLE = 80  # of a page, in characters
FEW = 20  # predictions of which each verdict is printed, without intervals
UNREAD = 3  # exit code if most predictions of one file could not be read


def _fraction(text: str) -> Fraction:
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise click.BadParameter(f"expected a number, but got {text[:40]!r}") from None


def _sample_counts(text: str) -> tuple[int, ...]:
    """Return the numbers of samples in a list such as ``1,4``."""
    parts = [part.strip() for part in text.split(",")]
    if not all(len(part) < 10 and part.isascii() and part.isdecimal() and int(part) for part in parts):
        raise click.BadParameter(f"expected numbers from 1 with commas, such as 1,4,16, but got {text[:40]!r}")
    return tuple(sorted({int(part) for part in parts}))


_LEAST_BOOTSTRAP = 100


def _bootstrap_samples(text: str) -> int:
    """Return the number of bootstrap samples; a few are probably meant as samples of answers."""
    if text.isascii() and text.isdecimal() and len(text) < 3:
        raise click.BadParameter(
            f"expected at least {_LEAST_BOOTSTRAP} bootstrap samples, but got {text}; several answers of a problem are "
            "found without an option, and --pass-at chooses the k of pass@k"
        )
    return whole_number(_LEAST_BOOTSTRAP, 1_000_000)(text)


GRADING: list[Option | str] = [
    "Grading (every option is in the signature)",
    option(
        "--missing error|abstain|skip",
        "problems without a prediction: refuse them, count them as abstentions, or score only the others",
        default="error",
    ),
    option(
        "--match auto|algorithm1|quantities",
        "derivation equivalence; auto = algorithm1 for templates and q-notation, quantities for answers",
        default="auto",
    ),
    option(
        "--gold auto|one|any",
        "gold derivations to accept: one = gold only; any = also its alternatives; auto = any for ambiguous "
        "rows, one for the others",
        default="auto",
    ),
    option("--merge-equiv", "count equivalent numbers in two slots as one number"),
    option("--tolerance T", "tolerance for solutions, relative if gold is above 1 (default: 0.0001)", type=_fraction),
    option("--equation random|first|expected", "reference for equation accuracy", default="random"),
    option("--seed N", "seed of random reference and bootstrap", type=int, default=0),
]


def grading_options(arguments: Arguments) -> Options:
    """Return the grading options of a command."""
    from draw_dataset.scoring.options import Options

    return Options(
        merge_equiv=arguments.merge_equiv,
        equation=arguments.equation,
        seed=arguments.seed,
        match=arguments.match,
        gold=arguments.gold,
        **({} if arguments.tolerance is None else {"tolerance": arguments.tolerance}),
    )


@command(
    argument("files", "FILE...", "predictions of a system, or -; the others are compared with the first", reads="file"),
    "Gold data",
    *references(),
    "Options",
    *FIELDS,
    option("--question-field NAME", "own problems: field of a record that holds the question"),
    option("--solution-field NAME", "own problems: field of a record that holds its solution"),
    option("--by NAME", "field that says whose answer a record has, if a file has several systems (default: model)"),
    option(
        "--answer-sample N",
        "score only answer number N of each problem, of several samples",
        type=whole_number(0, 10**9),
    ),
    option(
        "--pass-at K,…",
        "with several samples a problem: show pass@K (default: 1, 2, 4, 8, … and all samples)",
        type=_sample_counts,
    ),
    option("--ignore-unknown", "leave out predictions for ids that the problems do not have"),
    *GRADING,
    "Output",
    FORMAT,
    JSON_FORMAT,
    option("--slices", "also print accuracies by slots, unknowns, ambiguity and kind of numbers"),
    option(
        "--bootstrap --samples N",
        "bootstrap samples for intervals and tests (default: 10000); samples of answers need no option",
        dest="samples",
        type=_bootstrap_samples,
    ),
    option("--verdicts FILE", "write every verdict, one JSON object a line", type=Path),
    option("--steps FILE", "write the steps of every answer, one JSON object a line", type=Path),
    option("--html FILE", "write a page with all predictions and their figures", type=Path),
    option("--eval-results FILE", "write .eval_results YAML for a Hub model", type=Path),
    option("--hub-dataset REPO", "with --eval-results: Hub dataset, owner/name"),
    option("--hub-revision SHA", "with --eval-results: its commit"),
    option("--hub-link URL", "with --eval-results: link to the responses"),
    option("--progress", "show a progress bar even if stderr is not a terminal"),
    option(
        "--workers N",
        "processes that grade long files of predictions for --references (default: 1)",
        type=whole_number(1, 1_000),
        default=1,
    ),
)
def score(arguments: Arguments) -> int:
    """Score prediction files, and compare systems.

    Without --references, each record has its own question, its solution (worked, equations or the final
    number) and the model's answer. Records with the same question and solution are samples of one problem.
    Systems are compared by question; --missing skip takes the problems that all have.

    With --references, each line of a file is {"id": 7, "prediction": P}, in any order. P is one of:
    {"template": [...], "alignment": [...]}, a string in q-notation, {"answer": text} for a model answer, or
    null to abstain. Its fields may also be next to the id.

    Logs of our tasks in lm-eval and inspect-ai carry their rows, so they need no --references.

    Files are JSONL, JSON, CSV, TSV, Parquet or TXT, also as .gz and .zst, lm-eval samples_*.jsonl, inspect-ai
    logs (.eval, .json), batch results and chats. Common field names are found; --field and --id-field name
    others. Texts without ids are matched to the problems in order, if there are as many.

    Several answers of each problem (lists, a field sample, or an id on several lines) are samples: the table has
    pass@k, and samples of a problem are never counted as other problems in intervals and tests.

    Exit status: 0 scored, 2 input refused, 3 scored, but more than half of one file's predictions could not be read

    Examples:
      draw score mine.jsonl                       each line has a question, its solution and an answer
      draw score mine.csv --question-field Aufgabe --solution-field Ergebnis --field 'LLM Reply (v2)'
      draw score small.jsonl large.jsonl --missing skip           two models on your own problems
      draw score mine.jsonl --config draw1k --split test
      draw score baseline.jsonl mine.jsonl --references rows.jsonl --format markdown
      draw score outputs.csv --id-field nr --field reply_en --config draw1k/test
      draw score run.eval                                         scores a log of inspect-ai or lm-eval again
      draw score samples_mine_2026.jsonl run.eval batch_output.jsonl --config draw1k/test
      draw score mine.jsonl --config draw1k/test --match quantities
      draw score mine.jsonl --config alg514_cv0 --split test --missing abstain --verdicts verdicts.jsonl
      draw score part.jsonl --config draw1k/test --missing skip --ignore-unknown
      draw score answers.jsonl --references rows.jsonl --workers 4
    """
    from draw_dataset.report.entries import Entries
    from draw_dataset.report.page import write_page
    from draw_dataset.report.picture import clip
    from draw_dataset.scoring.gold import ROWS
    from draw_dataset.scoring.significance import SAMPLES
    from draw_dataset.scoring.table import compare_scores

    options = grading_options(arguments)
    form = "json" if arguments.json else arguments.format
    if arguments.html:
        check_writable(arguments.html)
    if arguments.pass_at:
        _check_pass_at(arguments)
    if arguments.eval_results:
        _check_eval_results(arguments)
    entries = Entries() if arguments.html else None
    errors: dict[str, Counter[str]] = {}
    listed: list[tuple[str, Judged]] = []
    with ExitStack() as stack:
        outputs = (arguments.verdicts, arguments.steps, arguments.html, arguments.eval_results)
        check_apart(outputs, arguments.files)
        data, references = _references(arguments, stack, outputs)
        verdicts = stack.enter_context(atomic_file(arguments.verdicts)) if arguments.verdicts else None
        steps = stack.enter_context(atomic_file(arguments.steps)) if arguments.steps else None
        watch = partial(_record, verdicts, steps, errors, entries, listed)
        files = systems_of(arguments.files)
        if references is not None and (arguments.question_field or arguments.solution_field):
            raise ChoiceError(
                "--question-field and --solution-field are for own problems: leave out --references and --config"
            )
        if references is None:
            scores = _score_by_solutions(files, arguments, options, watch)
        else:
            scores = _score_by_rows(files, references, data, arguments, options, watch)
    samples = arguments.samples or SAMPLES
    table = compare_scores(
        scores, samples=samples, seed=arguments.seed, slices=arguments.slices, pass_at=arguments.pass_at
    )
    # Before anything is printed, because the reader of a pipe may be gone after a line.
    if entries is not None:
        title = ", ".join(scores) if data == ROWS else data
        write_page(arguments.html, table, entries, title=clip(title, _LONGEST_TITLE))
    if arguments.eval_results:
        from draw_dataset.data.upload import eval_results

        (only,) = scores.values()
        hub = {"revision": arguments.hub_revision, "link": arguments.hub_link}
        write_atomically(
            arguments.eval_results,
            eval_results(only.to_dict(), find_references(arguments), arguments.hub_dataset, **hub),
        )
    is_short = form != "json" and len(listed) <= FEW
    print(format_table(replace(table, with_intervals=False) if is_short else table, form))
    if is_short:
        print("\n".join(["", *_list_verdicts(listed, form)]))
    say_written(arguments.verdicts, arguments.steps, arguments.html, arguments.eval_results)
    errors = {name: errors.get(name, Counter()) for name in scores}
    if form != "json" and any(errors.values()):
        print("\n".join(["", "First wrong steps of answers, by kind:", "", *_write_errors(errors, form)]))
    for name, score in scores.items():
        if score.unread_note:
            say(f"{name}: {score.unread_note}")
    return UNREAD if any(score.mostly_unread for score in scores.values()) else 0


def _score_by_solutions(
    files: dict[str, str], arguments: Arguments, options: Options, watch: Callable[[str, Judged], object]
) -> dict[str, Score]:
    """Score files without --references: their records have their questions and solutions."""
    from draw_dataset.deriving.own_problems import score_own_files

    if arguments.workers > 1:
        say_note("own problems are graded in one process: --workers is for --references")
    try:
        return score_own_files(
            files,
            options,
            fields=_own_fields(arguments),
            missing=arguments.missing,
            sample=arguments.answer_sample,
            note=say_note,
            judged=watch,
        )
    except ProblemFieldsError as error:
        raise ChoiceError(
            f"{error} For answers to the problems of a dataset name it: "
            f"draw score {shlex.quote(arguments.files[0])} --references sample/test"
        ) from error


def _own_fields(arguments: Arguments) -> Fields:
    from draw_dataset.deriving.own_problems import Fields

    return Fields(arguments.field, arguments.id_field, arguments.question_field, arguments.solution_field, arguments.by)


def _score_by_rows(
    files: dict[str, str],
    references: ListedReferences | FiledReferences,
    data: str,
    arguments: Arguments,
    options: Options,
    watch: Callable[[str, Judged], object],
) -> dict[str, Score]:
    """Score files of predictions for the rows of a dataset."""
    from draw_dataset.scoring.files import score_file

    return {
        name: score_file(
            path,
            references,
            options,
            data=data,
            missing=arguments.missing,
            field=arguments.field,
            id_field=arguments.id_field,
            sample=arguments.answer_sample,
            ignore_unknown=arguments.ignore_unknown,
            note=say_note,
            judged=partial(watch, name),
            progress=arguments.progress or sys.stderr.isatty(),
            only=only,
            workers=arguments.workers,
        )
        for name, path, only in _split_systems(files, arguments.by)
    }


def _split_systems(files: dict[str, str], by: str | None) -> Iterator[tuple[str, str, OneSystem | None]]:
    """Yield each system with its file, and whose records of the file count."""
    from draw_dataset.scoring.files import systems_in

    for name, path in files.items():
        found = systems_in(path, by)
        if not found:
            yield name, path, None
            continue
        say(f"{display_name(path)}: answers of {len(found)} systems, by the field {found[0].field}")
        for only in found:
            yield only.name if len(files) == 1 else f"{name}/{only.name}", path, only


def _check_pass_at(arguments: Arguments) -> None:
    """Refuse a k above the number of samples before anything is graded; a pipe is read only once, and checked later."""
    from draw_dataset.deriving.own_problems import count_samples
    from draw_dataset.scoring.files import read_predictions

    by_rows = any((arguments.references, arguments.config, arguments.split))
    most = max(arguments.pass_at)
    for path in arguments.files:
        if not os.path.isfile(path):
            continue
        if by_rows:
            # Texts without ids have one sample for each row.
            found = read_predictions(path, field=arguments.field, id_field=arguments.id_field, progress=False)
            counts: Counter[Any] = Counter()
            try:
                counts.update(one.id for one in found)
            except ScoreError:
                continue  # said when the file is scored, with the rows
        else:
            counts = count_samples(path, _own_fields(arguments))
        least = min(counts.values(), default=most)
        if least < most and arguments.answer_sample is None:
            raise ChoiceError(
                f"--pass-at: expected a k from 1 to {least}, the smallest number of samples of a problem in "
                f"{display_name(path)}, but got {most}"
            )


def _check_eval_results(arguments: Arguments) -> None:
    """Refuse --eval-results before any work if they cannot be written."""
    from draw_dataset.data.upload import check_repo, task_ids

    if not arguments.hub_dataset:
        raise ChoiceError("--eval-results: expected --hub-dataset owner/name, the dataset that was scored, with it")
    if len(arguments.files) != 1:
        raise ChoiceError(f"--eval-results is about one model: expected one file, but got {len(arguments.files)}")
    check_repo(arguments.hub_dataset)
    task_ids(find_references(arguments))
    check_writable(arguments.eval_results)


def _references(
    arguments: Arguments, stack: ExitStack, outputs: Sequence[Path | None]
) -> tuple[str, ListedReferences | FiledReferences | None]:
    """Return the name of the gold data in the signature, and the gold rows: by default those in logs, else none."""
    from draw_dataset.scoring.files import rows_in_logs
    from draw_dataset.scoring.gold import ROWS
    from draw_dataset.scoring.gold_rows import FiledReferences, ListedReferences
    from draw_dataset.scoring.options import check_data_name

    if arguments.references is None and arguments.config is None and arguments.split is None:
        logged = rows_in_logs(arguments.files)
        if logged:
            say(f"gold is that of the {len(logged)} rows in the logs; --references names other rows")
        return ROWS, ListedReferences(logged) if logged else None
    source = find_references(arguments)
    check_apart(outputs, [source.file])
    data = source.data_name(arguments.corrected)
    check_data_name(data)
    # A file of lines stays on the disk; a pipe can be read only once, and an array only as a whole.
    on_disk = source.file is not None and os.path.isfile(source.file) and not is_array_file(source.file)
    references: ListedReferences | FiledReferences
    if source.file is not None and on_disk and not arguments.corrected:
        references = stack.enter_context(FiledReferences(source.file))
    else:
        references = ListedReferences(load_problems(source, arguments, refused=True))
    if references.refused:
        say(f"{data}: left out {len(references.refused)} refused rows, which have no gold")
    return data, references


def systems_of(paths: Sequence[str]) -> dict[str, str]:
    """Return the files by system name: the file name without its suffix, or the path if names repeat."""
    stems = list(map(file_stem, paths))
    for names in (stems, list(paths)):
        if len(set(names)) == len(paths):
            return dict(zip(names, paths, strict=True))
    raise ChoiceError(f"expected different files, but got {', '.join(paths)[:200]}")


def _record(
    verdicts: IO[str] | None,
    steps: IO[str] | None,
    errors: dict[str, Counter[str]],
    entries: Entries | None,
    listed: list[tuple[str, Judged]],
    system: str,
    judged: Judged,
) -> None:
    """Write a verdict and its steps to files, count its first error, and collect the prediction for list and page."""
    if len(listed) <= FEW:
        listed.append((system, judged))
    verdict, named = judged.verdict, {"id": judged.reference.problem.id, "system": system}
    if judged.sample is not None:
        named["sample"] = judged.sample
    if verdicts is not None:
        mended = {} if judged.corrected is None else {"corrected_status": str(judged.corrected.status)}
        verdicts.write(json_line({**named, **verdict.to_dict(), **mended}))
    error = verdict.first_error
    if error is not None:
        errors.setdefault(system, Counter())[f"{error.kind}" if error.certain else f"{error.kind}, likely"] += 1
    if steps is not None and verdict.steps:
        first = None if error is None else error.index
        steps.write(json_line({**named, "first_error": first, "steps": [step.to_dict() for step in verdict.steps]}))
    if entries is not None:
        entries.add(system, judged)


def _list_verdicts(listed: Sequence[tuple[str, Judged]], form: str) -> list[str]:
    """Return a table with a line for each prediction, as text or Markdown: id, verdict, solution and reason."""
    from draw_dataset.derivation.problem import name_of
    from draw_dataset.report.picture import clip, printable

    several = len({system for system, _ in listed}) > 1
    rows = []
    for system, (reference, _, verdict, sample, _, columns) in listed:
        name = name_of(reference.problem.id) + ("" if sample is None else f" #{sample}")
        if columns and len(columns[0][1]) <= _LONGEST_COLUMN:
            name += f" ({columns[0][1]})"
        told = printable(clip(f"{verdict.reason}: {verdict.message}", _LONGEST_REASON))
        rows.append((printable(f"{system}: {name}" if several else name), [str(verdict.status), verdict.result, told]))
    head = ["derivation", "solution", "reason"]
    if form == "markdown":
        return Table(head, rows).to_markdown()
    first = max(len(name) for name, _ in rows)
    lines = [("", head), *rows]
    return [f"{name:{first}}  {one:<{_LABEL}}{two:<{_LABEL}}{told}".rstrip() for name, (one, two, told) in lines]


_LONGEST_REASON = 110
_LONGEST_COLUMN = 20  # characters of another column beside the id


def _write_errors(errors: dict[str, Counter[str]], form: str) -> list[str]:
    """Return a table of the first wrong steps of each system, as text or Markdown."""
    kinds = sorted({kind for counts in errors.values() for kind in counts})
    table = Table(list(errors), [(kind, [str(counts[kind]) for counts in errors.values()]) for kind in kinds])
    return table.to_markdown() if form == "markdown" else table.to_text()


def format_table(table: Any, form: str) -> str:
    """Return a table of scores as text, Markdown or JSON."""
    if form == "json":
        return json_line(table.to_dict()).rstrip("\n")
    return table.to_markdown() if form == "markdown" else table.to_text()  # type: ignore[no-any-return]


MAX_BYTES = 1 << 22  # size limit of an answer file

_STYLES = {  # bold green, cyan, dim, dim underlined, bold red underlined, struck through, inverse
    "set-up": "1;32", "definition": "36", "step": "2", "value": "2;4", "slip": "1;4;31", "dropped": "9", "result": "7",
}  # fmt: skip
_LABEL = 12  # width of a label


@command(
    argument("answer", "[ANSWER]", "the answer itself, or - for standard input"),
    option("--file FILE", "file with the answer", reads="file"),
    option("--id ID", "problem that is answered; the answer is graded as well"),
    option("--question TEXT", "text of a problem without id"),
    option(
        "--solution TEXT",
        "with --question: its worked solution, equations or final number; the answer is graded as well",
    ),
    *references(default="sample"),
    NO_COLOUR,
    JSON,
)
def read(arguments: Arguments) -> int:
    """Read a model answer: mark its set-up, steps, slips and results, and grade it.

    The answer is printed with its marks: in colours on a terminal (unless NO_COLOR is set), as in
    [set-up: x + y = 20] elsewhere. Below it is the derivation that was read, with the numbers of the
    problem written as q1, q2, … If the problem has an id, or a solution is given, the verdict follows.

    Exit status: 0 read, 2 input refused

    Examples:
      draw read "3x + 7x = 120, so 10x = 120 and x = 11" --id 99
      draw read --file answer.txt --id 804723 --config draw1k
      some-model | draw read - --id 99 --json
      draw read "x + y = 20, x = y + 4" --question "Two numbers add up to 20 . One is 4 more ."
      draw read "He gets 10 - 3*2 = 4" --question "Al buys 3 pens at 2 , pays 10 . What does he get ?" --solution 10-6
    """
    from draw_dataset.reading.answer import read_answer
    from draw_dataset.report.picture import stretches
    from draw_dataset.report.terminal import wants_colour
    from draw_dataset.scoring.gold import PreparedProblem
    from draw_dataset.scoring.grading import grade
    from draw_dataset.text.numbers import find_numbers

    if (arguments.id is None) == (arguments.question is None):
        if arguments.id is None:
            raise ChoiceError("expected the problem that is answered, but got none: give --id ID or --question TEXT")
        raise ChoiceError("expected --id or --question, and not both")
    if arguments.solution is not None and arguments.question is None:
        raise ChoiceError("--solution: expected --question TEXT with it; a problem with an id has its gold")
    answer = _answer(arguments)
    verdict = None
    if arguments.id is not None:
        reference = PreparedProblem(_find_answered(arguments))
        numbers: Sequence[Any] = reference.problem.numbers
        verdict = grade({"answer": answer}, reference)
        reading = verdict.reading or read_answer(answer, reference.problem)
    else:
        numbers = find_numbers(arguments.question)
        if arguments.solution is not None:
            from draw_dataset.deriving.grading import grade as grade_by_solution

            verdict = grade_by_solution({"answer": answer}, question=arguments.question, solution=arguments.solution)
        own = verdict.reading if verdict is not None else None
        reading = own or read_answer(answer, arguments.question)
    if arguments.json:
        data: dict[str, Any] = {"reading": reading.to_dict()}
        if verdict is not None:
            data["verdict"] = verdict.to_dict()
            data["steps"] = [step.to_dict() for step in verdict.steps]
        print(json_line(data), end="")
        return 0
    colour = wants_colour() and not arguments.no_colour
    print(mark_answer(stretches(answer, reading), colour).rstrip() or "(an empty answer)")
    print()
    if colour:
        print(_line("marks", " ".join(_style(kind, kind) for kind in _STYLES)))
    print(_line("numbers", ", ".join(_number_line(i, number) for i, number in enumerate(numbers, 1)) or "none"))
    print("\n".join(summary(reading, verdict)))
    return 0


def _answer(arguments: Arguments) -> str:
    given = [value for value in (arguments.answer, arguments.file) if value is not None]
    if len(given) != 1:
        raise ChoiceError(f"expected ANSWER or --file, but got {'both' if given else 'neither'}")
    if arguments.answer is not None and arguments.answer != STANDARD:
        return str(arguments.answer)
    return read_text(given[0], most=MAX_BYTES)


def _find_answered(arguments: Arguments) -> Problem:
    source = find_references(arguments, SAMPLE)
    for problem in load_problems(source, arguments):
        if str(problem.id) == arguments.id:
            return problem
    raise ChoiceError(f"Unknown id {arguments.id}: draw show --list --references {source.title} prints all ids")


def mark_answer(found: Sequence[Stretch], colour: bool) -> str:
    """Return an answer with its marks, as colours or as named brackets.

    >>> from draw_dataset.reading.answer import read_answer
    >>> from draw_dataset.report.picture import stretches
    >>> text = "x = 5 + 3, so x = 9"
    >>> print(mark_answer(stretches(text, read_answer(text, "Add 5 and 3 .")), colour=False))
    [set-up: x = 5 + 3], so [slip: x = [result: 9]]
    """
    return "".join(_colour(stretch) if colour else _bracket(stretch) for stretch in found)


def _colour(stretch: Stretch) -> str:
    kinds = ["result" if part.result else stretch.kind for part in stretch.parts]
    return "".join(_style(p.text, kind) if kind else p.text for p, kind in zip(stretch.parts, kinds, strict=True))


def _bracket(stretch: Stretch) -> str:
    inside = "".join(f"[result: {part.text}]" if part.result else part.text for part in stretch.parts)
    return inside if stretch.kind in ("", "result") else f"[{stretch.kind}: {inside}]"


def _style(text: str, kind: str) -> str:
    return f"\x1b[{_STYLES[kind]}m{text}\x1b[0m"


def summary(reading: Reading, verdict: Verdict | None = None) -> list[str]:
    """Return the result of an answer and its verdict, a line each."""
    from draw_dataset.report.picture import printable, summarize_reading
    from draw_dataset.scoring.verdict import StepKind

    lines = summarize_reading(reading)
    if verdict is not None:
        sure = "" if not verdict.derivation else " (in every reading)" if verdict.certain else " (in some reading)"
        lines += [
            ("derivation", f"{verdict.status}{sure}"),
            ("solution", verdict.result),
            ("reason", printable(f"{verdict.reason}: {verdict.message}")),
            *(
                (f"step {step.index + 1}", f"{step.kind}{': ' * bool(step.function)}{step.function}")
                for step in verdict.steps
                if step.kind is not StepKind.UNKNOWN  # nothing is said of it
            ),
        ]
        if verdict.first_error is not None:
            lines.append(("first error", printable(verdict.first_error.because)))
    return [_line(label, text) for label, text in lines]


def _line(label: str, text: str) -> str:
    return f"{label:{_LABEL}}{text}"


def _number_line(rank: int, number: Any) -> str:
    from draw_dataset.algebra.number import number_text
    from draw_dataset.report.picture import printable

    text = printable(number.text or "")
    value = number_text(number.value if number.value is not None else Fraction(0))
    plain = text in (value, "") or text.replace(",", "").replace(".", "").isdecimal()
    return f"q{rank} = {text}" if plain else f"q{rank} = {text} ({value})"


@command(
    argument("id", "[ID]", "id of the problem, or SOURCE/ID"),
    option("--list", "list all ids with their derivations"),
    *references(default="sample"),
    option("--prediction TEXT", "a prediction: q-notation, or a JSON object"),
    option("--predictions FILE", "predictions as JSON lines with ids; - is standard input", reads="file"),
    option("--svg FILE", "also write the figure as SVG", type=Path),
    option("--html FILE", "also write the figure as an HTML page", type=Path),
    NO_COLOUR,
    JSON,
)
def show(arguments: Arguments) -> int:
    """Draw the derivation of a problem, and its difference to a prediction.

    [12]q2 is a number that a slot holds, [12]q4=q2 one that means the same, (7)q1 one that is not used.
    Rows with roles also say what each unknown is, rows with asked what the question asks for. With --corrected
    or --corrections, a changed row is drawn as published and as corrected, with the reason; the prediction,
    --svg and --html are about the corrected row.

    Examples:
      draw show 92
      draw show draw1k/804723
      draw show --list
      draw show 1 --prediction "m = n + q1; m + n = q3"
      draw show 804723 --config draw1k --predictions mine.jsonl --svg figure.svg
      draw show 7 --references rows.jsonl --html figure.html
      draw show 17610 --config draw1k --corrected          before and after the correction
      draw show 92 --prediction "m = q1" --json            the row, and the verdict on the prediction
    """
    from draw_dataset.derivation.problem import name_of
    from draw_dataset.report.picture import printable
    from draw_dataset.report.svg import derivation_html, derivation_svg
    from draw_dataset.report.terminal import derivation_text
    from draw_dataset.scoring.gold import PreparedProblem
    from draw_dataset.scoring.grading import grade

    if arguments.prediction is not None and arguments.predictions is not None:
        raise ChoiceError("expected --prediction or --predictions, but got both")
    if arguments.svg is not None:
        check_svg(arguments.svg)
    if arguments.html is not None:
        check_writable(arguments.html)
    if arguments.id is not None and "/" in arguments.id and arguments.references is None and arguments.config is None:
        arguments.references, _, arguments.id = arguments.id.rpartition("/")
    source = find_references(arguments, SAMPLE)
    problems = load_problems(source, arguments, refused=True)
    if arguments.list:
        for problem in problems:
            refused = _why_refused(problem) if problem.is_refused else None
            derivation = "" if refused is not None else problem.derivation.q_notation()
            if arguments.json:
                found = {"derivation": derivation} if refused is None else {"refused": refused}
                print(json_line({"id": problem.id, **found}), end="")
            else:
                print(f"{name_of(problem.id)}\t{derivation if refused is None else f'refused: {refused}'}")
        return 0
    problem = _find_problem(problems, arguments.id, source.title)
    colour = False if arguments.no_colour else None
    comparison = _compare_published(source, problem, arguments)
    correction = {} if comparison is None or not arguments.json else {"correction": comparison.to_dict()}
    if problem.is_refused and arguments.json:
        shown = {"id": problem.id, "question": problem.question, "refused": _why_refused(problem)}
        print(json_line({**shown, **correction}), end="")
        return 0
    if problem.is_refused:
        if comparison is not None:
            print(f"As published:\n\n{derivation_text(comparison.published, colour=colour)}\n\n{_reason(comparison)}")
            return 0
        why = printable(_why_refused(problem))
        print(f"{printable(problem.question)}\n\nrefused   {why}: it has no derivation to show")
        return 0
    reference = PreparedProblem(problem)
    prediction = _prediction(arguments, problem.id, problems)
    # Before anything is printed, because the reader of a pipe may be gone after a line.
    if arguments.svg is not None:
        write_atomically(arguments.svg, derivation_svg(reference, prediction) + "\n")
    if arguments.html is not None:
        write_atomically(arguments.html, _document(f"Problem {problem.id}", derivation_html(reference, prediction)))
    if arguments.json:
        verdict = {} if prediction is None else {"verdict": grade(prediction, reference).to_dict()}
        print(json_line({**problem.to_row(), **correction, **verdict}), end="")
        say_written(arguments.svg, arguments.html)
        return 0
    drawn = derivation_text(reference, prediction, colour=colour)
    if comparison is not None:
        reason = _reason(comparison)
        alternatives = "".join(f"\n\nalternative {text}" for text in problem.alternatives)
        if comparison.changes_gold:
            before = derivation_text(comparison.published, colour=colour)
            drawn = f"As published:\n\n{before}\n\n{reason}\n\n{drawn}{alternatives}"
        else:
            drawn = f"{drawn}{alternatives}\n\n{reason}"
    print(drawn)
    say_written(arguments.svg, arguments.html)
    return 0


def _compare_published(source: DataRef, problem: Problem, arguments: Arguments) -> Comparison | None:
    """Return a corrected row beside the published one; None if the row is as published or not of the release."""
    from draw_dataset.data.catalog import load
    from draw_dataset.data.corrections import Selection
    from draw_dataset.data.editions import Comparison

    selection = Selection.of(arguments.corrected)
    if selection is None or source.config is None or problem.correction is None:
        return None
    published = _find_problem(load(source, arguments.data_dir, refused=True), str(problem.id), source.title)
    return Comparison.of(source.config.dataset, published, selection)


def _reason(comparison: Comparison) -> str:
    """Return a line with the edition, kind and reason of a correction."""
    from draw_dataset.data.corrections import KINDS

    row = comparison.row
    return "" if row is None else f"Corrected by edition {row.edition}, {row.kind} ({KINDS[row.kind]}): {row.why}"


def _why_refused(problem: Problem) -> str:
    return "a correction excludes it" if problem.is_excluded and not problem.reason else problem.reason


def _find_problem(problems: Sequence[Problem], wanted: str | None, source: str) -> Problem:
    from draw_dataset.derivation.problem import id_named

    advice = f"draw show --list --references {source} prints the {len(problems)} ids"
    if wanted is None:
        raise ChoiceError(f"expected the id of a problem, but got none; {advice}")
    # An id that is a string of digits may be typed as a number.
    for id_ in dict.fromkeys((id_named(wanted), wanted)):
        for problem in problems:
            if problem.id == id_:
                return problem
    raise ChoiceError(f"Unknown id {short_repr(id_named(wanted))} in {source}: {advice}")


def _prediction(arguments: Arguments, id_: ProblemId, problems: Sequence[Problem]) -> Any:
    if arguments.predictions is not None:
        return _read_prediction(arguments.predictions, id_, problems)
    text = arguments.prediction
    if text is None or not text.lstrip().startswith(("{", "[", '"')):
        return text
    return decode_json(text, "--prediction", ScoreError)


def _read_prediction(path: str, wanted: ProblemId, problems: Sequence[Problem]) -> Any:
    """Return the prediction for a problem from a file; null becomes the empty text, which abstains."""
    from draw_dataset.derivation.problem import name_of
    from draw_dataset.scoring.files import read_predictions
    from draw_dataset.scoring.gold_rows import ListedIds

    known = ListedIds(problem.id for problem in problems)
    for _, id_, prediction in read_predictions(path, known=known, note=say_note):
        if any(known.id_at(position) == wanted for position in known.positions(id_)):
            return "" if prediction is None else prediction
    raise ChoiceError(f"{display_name(path)}: expected a prediction for problem {name_of(wanted)}, but got none")


def _document(title: str, fragment: str) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title></head><body>{fragment}</body></html>\n"
    )


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


@command(
    argument("first", "T1", "a template: equations separated by ';'"),
    argument("second", "T2", "another template"),
    option("--all", "print every slot map, not just one"),
    option("--limit N", "with --all: maximum number of maps", type=whole_number(1, 1_000_000), default=1000),
    JSON,
    option(
        "--unknowns X,Y",
        "unknowns; all other names are slots (default: m,n,o, or x,y,z in a template without these)",
        type=_names,
    ),
)
def equiv(arguments: Arguments) -> int:
    """Decide whether two templates are equivalent; show the slot map or the difference.

    Exit status: 0 equivalent, 1 not equivalent, 2 an argument cannot be read

    Examples:
      draw equiv "m = a + b*n; m = c - n" "m + n = a; m - c*n = b"
      draw equiv --all "m = a + b" "n = a + b"
      draw equiv --json "m = a + b" "m = a - b"
      draw equiv --unknowns u,v "u + v = a" "u = a - v"
    """
    from draw_dataset.derivation.equivalence import all_slot_maps, find_difference, find_slot_map
    from draw_dataset.derivation.template import Template

    one = Template(arguments.first, unknowns=arguments.unknowns)
    other = Template(arguments.second, unknowns=arguments.unknowns)
    limit = arguments.limit
    slot_map = find_slot_map(one, other)
    maps: list[SlotMap] = [] if slot_map is None else [slot_map]
    more = False
    if slot_map is not None and arguments.all:
        maps = list(islice(all_slot_maps(one, other), limit + 1))
        more = len(maps) > limit
        maps = maps[:limit]
    difference = find_difference(one, other) if slot_map is None else None
    if arguments.json:
        print(json.dumps(_equivalence_data(one, other, maps, more, difference)))
    else:
        _print_equivalence(maps, more, difference)
    return 1 if difference else 0


def _equivalence_data(
    one: Template, other: Template, maps: list[SlotMap], more: bool, difference: Difference | None
) -> dict[str, Any]:
    result: dict[str, Any] = {
        "equivalent": difference is None,
        "templates": [list(one.equations), list(other.equations)],
        "slot_maps": maps,
        "more_slot_maps": more,
    }
    if difference is not None:
        result["reason"] = {"code": difference.code, "message": difference.message}
        if difference.witness is not None:
            witness = difference.witness
            result["reason"]["witness"] = {
                "values": [witness.values, witness.other_values],
                "solutions": [_solution_data(witness.solution), _solution_data(witness.other_solution)],
                "ways_to_fill_the_second": witness.ways,
            }
    return result


def _solution_data(solution: Solution) -> dict[str, str]:
    """Return the solution as text, since JSON has no exact fractions."""
    return {name: str(value) for name, value in solution.values.items()}


def _print_equivalence(maps: list[SlotMap], more: bool, difference: Difference | None) -> None:
    if difference is not None:
        print(f"not equivalent: {difference.message}")
        return
    print("equivalent")
    for slot_map in maps:
        print("  " + (", ".join(f"{slot} -> {image}" for slot, image in slot_map.items()) or "(no slots)"))
    if more:
        print("  … and more; raise --limit to see them")
