"""``draw score``: files of predictions against a dataset or a file of rows, the systems side by side."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from typing import IO, TYPE_CHECKING

from draw_dataset.catalog import load
from draw_dataset.commands.options import add_references, references_of, takes_files, whole_number
from draw_dataset.errors import ChoiceError
from draw_dataset.files import STANDARD, atomic_file, json_line, write_atomically
from draw_dataset.files.atomic import check_writable
from draw_dataset.files.json_array import is_array_file

if TYPE_CHECKING:
    from draw_dataset.report.page import ErrorCollector
    from draw_dataset.scoring.files import Judged
    from draw_dataset.scoring.references import FiledReferences, ListedReferences
    from draw_dataset.scoring.score import Score
    from draw_dataset.scoring.signature import Options
    from draw_dataset.scoring.table import ScoreTable

NOTHING_READ = 3
"""The exit status where none of the predictions of a file could be read."""

HELP = "score files of predictions, and compare systems"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        'Each line of a file is {"id": 7, "prediction": P}, in any order. P is one of: {"template": [...],\n'
        '"alignment": [...]}, a string in q-notation, {"answer": text} for what a language model has written, or null\n'
        "to abstain. Its fields may also be next to the id. One JSON array of such objects works as well.\n\n"
        "exit status: 0 scored, 2 something is refused, 3 scored, but of some file no prediction could be read\n\n"
        "examples:\n"
        "  draw score mine.jsonl --config draw1k --split test\n"
        "  draw score baseline.jsonl mine.jsonl --references rows.jsonl --format markdown\n"
        "  draw score outputs.jsonl --field completion --config draw1k/test\n"
        "  draw score mine.jsonl --config draw1k/test --match quantities\n"
        "  draw score mine.jsonl --config alg514_cv0 --split test --missing abstain --verdicts verdicts.jsonl"
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="predictions of a system, or - for standard input; the others are compared with the first",
    )
    takes_files(parser, "files")
    rows = parser.add_argument_group("the gold data")
    add_references(rows)
    parser.add_argument("--field", metavar="NAME", help="the field of a line that has the answer of a language model")
    parser.add_argument(
        "--answer-sample",
        type=whole_number(0, 10**9),
        metavar="N",
        help="score answer number N of each problem, if there are several, as from draw evaluate-model --samples",
    )
    add_grading(parser)
    output = parser.add_argument_group("what is written")
    output.add_argument("--format", choices=["text", "markdown", "json"], default="text")
    output.add_argument(
        "--slices", action="store_true", help="also print accuracies by slots, unknowns, ambiguity and kind of numbers"
    )
    output.add_argument(
        "--samples",
        type=whole_number(1, 1_000_000),
        metavar="N",
        help="how many samples for intervals and tests (default 10000)",
    )
    output.add_argument("--verdicts", type=Path, metavar="FILE", help="write every verdict, one JSON object per line")
    output.add_argument("--html", type=Path, metavar="FILE", help="write one page with figures of the errors")
    output.add_argument(
        "--eval-results", type=Path, metavar="FILE", help="write what .eval_results of a model on the Hub holds, YAML"
    )
    output.add_argument("--hub-dataset", metavar="REPO", help="with --eval-results: the dataset on the Hub, owner/name")
    output.add_argument("--hub-revision", metavar="SHA", help="with --eval-results: its commit")
    output.add_argument("--hub-link", metavar="URL", help="with --eval-results: where the responses can be seen")
    output.add_argument("--progress", action="store_true", help="show a progress bar even if this is not a terminal")


def add_grading(parser: argparse.ArgumentParser) -> None:
    """Declare how predictions are graded; see `options_of`."""
    grading = parser.add_argument_group("how they are graded (every option is in the signature)")
    grading.add_argument(
        "--missing",
        choices=["error", "abstain"],
        default="error",
        help="what to do with problems that have no prediction (default error)",
    )
    grading.add_argument(
        "--match",
        choices=["auto", "algorithm1", "quantities"],
        default="auto",
        help="when a derivation is right; auto: algorithm1 for templates and q-notation, quantities for answers",
    )
    grading.add_argument(
        "--gold",
        choices=["auto", "one", "any"],
        default="auto",
        help="which derivations of a row count: one, gold; any, gold or one of its alternatives; auto: any for rows "
        "whose status is ambiguous, one for the others",
    )
    grading.add_argument(
        "--merge-equiv", action="store_true", help="count equivalent numbers in two slots as one number"
    )
    grading.add_argument(
        "--tolerance",
        type=_fraction,
        metavar="T",
        help="how far a solution may be from gold, relative where gold is above 1 (default 0.0001)",
    )
    grading.add_argument(
        "--equation",
        choices=["random", "first", "expected"],
        default="random",
        help="the reference of equation accuracy (default random)",
    )
    grading.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of the random reference and of the bootstrap"
    )


def options_of(arguments: argparse.Namespace) -> Options:
    """Return how predictions are graded."""
    from draw_dataset.scoring.signature import Options

    return Options(
        merge_equiv=arguments.merge_equiv,
        equation=arguments.equation,
        seed=arguments.seed,
        match=arguments.match,
        gold=arguments.gold,
        **({} if arguments.tolerance is None else {"tolerance": arguments.tolerance}),
    )


def _fraction(text: str) -> Fraction:
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(f"expected a number, but got {text[:40]!r}") from None


def run(arguments: argparse.Namespace) -> int:
    """Score the files and print the table."""
    # Here, as the other subcommands do not need them.
    from draw_dataset.report.page import ErrorCollector, write_page
    from draw_dataset.scoring.comparison import SAMPLES
    from draw_dataset.scoring.files import score_file
    from draw_dataset.scoring.table import compare_scores

    options = options_of(arguments)
    if arguments.html:
        check_writable(arguments.html)
    if arguments.eval_results:
        _check_eval_results(arguments)
    scores: dict[str, Score] = {}
    wrong: dict[str, ErrorCollector] = {}
    with ExitStack() as stack:
        data, references = _references(arguments, stack)
        verdicts = stack.enter_context(atomic_file(arguments.verdicts)) if arguments.verdicts else None
        for name, path in systems_of(arguments.files).items():
            wrong[name] = ErrorCollector()
            watch = _Watch(name, verdicts, wrong[name] if arguments.html else None)
            scores[name] = score_file(
                path,
                references,
                options,
                data=data,
                missing=arguments.missing,
                field=arguments.field,
                sample=arguments.answer_sample,
                judged=watch if verdicts or arguments.html else None,
                progress=arguments.progress or sys.stderr.isatty(),
            )
    samples = arguments.samples or SAMPLES
    table = compare_scores(scores, samples=samples, seed=arguments.seed, slices=arguments.slices)
    # Before anything is printed: whoever reads that may be gone after a line.
    if arguments.html:
        write_page(arguments.html, table, {name: ones.found for name, ones in wrong.items()}, title=data)
    if arguments.eval_results:
        from draw_dataset.hub.evaluation import eval_results

        (only,) = scores.values()
        hub = {"revision": arguments.hub_revision, "link": arguments.hub_link}
        write_atomically(
            arguments.eval_results, eval_results(only, references_of(arguments), arguments.hub_dataset, **hub)
        )
    print(_formatted(table, arguments.format))
    for name, score in scores.items():
        if score.unread_note:
            print(f"draw score: {name}: {score.unread_note}", file=sys.stderr)
    return NOTHING_READ if any(score.nothing_read for score in scores.values()) else 0


def _check_eval_results(arguments: argparse.Namespace) -> None:
    """Say before the work if the results of a model cannot be written."""
    from draw_dataset.hub.evaluation import task_ids
    from draw_dataset.hub.upload import check_repo

    if not arguments.hub_dataset:
        raise ChoiceError("--eval-results: expected --hub-dataset owner/name, the dataset that was scored, with it")
    if len(arguments.files) != 1:
        raise ChoiceError(f"--eval-results is about one model: expected one file, but got {len(arguments.files)}")
    check_repo(arguments.hub_dataset)
    task_ids(references_of(arguments))
    check_writable(arguments.eval_results)


def _references(arguments: argparse.Namespace, stack: ExitStack) -> tuple[str, ListedReferences | FiledReferences]:
    """Return what the rows are called, and the rows."""
    from draw_dataset.scoring.references import FiledReferences, ListedReferences
    from draw_dataset.scoring.signature import check_data_name

    source = references_of(arguments)
    data = source.data_name(arguments.corrected)
    check_data_name(data)
    # A file of lines stays on the disk; a pipe can be read only once, and an array only as a whole.
    on_disk = source.file is not None and os.path.isfile(source.file) and not is_array_file(source.file)
    references: ListedReferences | FiledReferences
    if source.file is not None and on_disk and not arguments.corrected:
        references = stack.enter_context(FiledReferences(source.file))
    else:
        references = ListedReferences(load(source, arguments.data_dir, arguments.corrected, refused=True))
    if references.refused:
        count = len(references.refused)
        print(f"draw score: {data}: left out {count} refused rows, which have no gold", file=sys.stderr)
    return data, references


def systems_of(paths: Sequence[str]) -> dict[str, str]:
    """Return the files by what their systems are called: their names without ending, where these differ."""
    stems = ["stdin" if path == STANDARD else Path(path).stem for path in paths]
    for names in (stems, list(paths)):
        if len(set(names)) == len(paths):
            return dict(zip(names, paths, strict=True))
    raise ChoiceError(f"expected different files, but got {', '.join(paths)[:200]}")


class _Watch:
    """Takes down what was judged: the verdicts to a file, wrong predictions for a page."""

    def __init__(self, system: str, verdicts: IO[str] | None, wrong: ErrorCollector | None) -> None:
        self._system = system
        self._verdicts = verdicts
        self._wrong = wrong

    def __call__(self, judged: Judged) -> None:
        if self._verdicts is not None:
            line = {"id": judged.reference.problem.id, "system": self._system, **judged.verdict.to_dict()}
            self._verdicts.write(json_line(line))
        if self._wrong is not None:
            self._wrong(judged)


def _formatted(table: ScoreTable, form: str) -> str:
    if form == "json":
        return json_line(table.to_dict()).rstrip("\n")
    return table.to_markdown() if form == "markdown" else table.to_text()
