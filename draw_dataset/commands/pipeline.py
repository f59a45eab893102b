"""``draw pipeline``: clean archives and grade answers in many processes, here, on Slurm or on Ray."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from draw_dataset.commands.collect import read_ids
from draw_dataset.commands.options import (
    FIELDS,
    JSON,
    QUIET,
    Arguments,
    Option,
    argument,
    command,
    find_references,
    group,
    option,
    references,
    say,
    say_note,
    whole_number,
)
from draw_dataset.commands.score import GRADING, UNREAD, grading_options
from draw_dataset.errors import ChoiceError, ExtraMissing
from draw_dataset.io.atomic import STANDARD
from draw_dataset.io.jsonl import json_line
from draw_dataset.scale import worker_context

if TYPE_CHECKING:
    from draw_dataset.scale.run import Execution

SLURM = "--executor slurm --workers 200 --set partition=cpu --set time=12:00:00"
EXECUTION: list[Option | str] = [
    "Execution",
    option(
        "--tasks N",
        "number of tasks; each can run again alone (default: one per file, at most 1000)",
        type=whole_number(1, 100_000),
    ),
    option("--workers M", "number of tasks at the same time (default: one per core)", type=whole_number(1, 100_000)),
    option("--executor local|slurm|ray", "where tasks run", default="local"),
    option(
        "--set NAME=VALUE",
        "option of datatrove's executor, such as partition, time, mem_per_cpu_gb or cpus_per_task",
        dest="settings",
        multiple=True,
    ),
    JSON,
    QUIET,
]


def _count_tasks(arguments: Arguments, items: int) -> int:
    return max(1, min(arguments.tasks or 1000, items))


def _execution(arguments: Arguments) -> Execution:
    is_local = arguments.executor == "local"
    workers = arguments.workers or (len(os.sched_getaffinity(0)) if is_local else -1)
    if is_local and workers > 1:
        worker_context()
    _require_engine()
    from draw_dataset.scale.run import Execution

    progress = not arguments.quiet and sys.stderr.isatty()
    return Execution(arguments.executor, workers, _settings(arguments.settings), _report, progress)


def _report(message: str) -> None:
    print(f"draw pipeline: {message}", file=sys.stderr)


def _settings(given: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign or not name.isidentifier():
            raise ChoiceError(f"--set: expected NAME=VALUE, but got {text[:80]!r}")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def _require_engine() -> None:
    try:
        import datatrove  # noqa: F401
        import warcio  # noqa: F401
    except ImportError as error:
        raise ExtraMissing(f"draw pipeline needs {error.name}: pip install 'draw-dataset[scale]'") from error


def _say_submitted(out: str, result: str, *, as_json: bool) -> None:
    """Say that a cluster has the run, and which file of the folder will have its result."""
    print(json_line({"submitted": out, "result": result}).rstrip("\n") if as_json else _submission_text(out, result))


def _submission_text(out: str, result: str) -> str:
    return f"Submitted. Show the progress with: draw pipeline status {out}\nThe result will be {out}/{result}"


@group()
def pipeline() -> None:
    """Clean web archives and grade answers in many processes: here, on Slurm or on Ray.

    Examples:
      draw pipeline clean --warc archives/ --out pool --tasks 64 --workers 8
      draw pipeline grade --predictions 'answers/*.jsonl' --references draw1k/test --out graded --workers 8
      draw pipeline status pool
    """


@command(
    "Input",
    option("--warc URL", "WARC files, folders, or patterns with *", several=True),
    option("--cc-index FILE", "file with URL index lines, plain or .gz", type=Path),
    option("--cc-base URL", "address before the file names of the index (default: Common Crawl's)"),
    option("--out URL", "folder to write to; made if missing", required=True),
    option("--site URL", "take only pages of this site (default: algebra.com)"),
    option("--max-size BYTES", "ignore larger pages (default: 2 MB)", type=whole_number(1, 1 << 30)),
    option("--release DIR", "release folder, to drop its problems (default: DRAW_RELEASE_DIR)"),
    option("--restore IDS", "keep these ids in spite of the filters: 1,2,3 or @file"),
    option("--parquet", "also write the problems as Parquet"),
    *EXECUTION,
    parent=pipeline,
    name="clean",
    more=f"\n  draw pipeline clean --warc /data/warc --out /data/pool {SLURM}",
)
def clean_archives(arguments: Arguments) -> int:
    """Clean web archives and write the pool of problems to annotate, in many processes.

    The pool is the same, byte for byte, as draw clean writes for the same pages, with any number of tasks.
    The folder gets problems.jsonl (the pool), funnel.json (the counts), dropped/ (every dropped page, with the
    filter and the reason) and, with --parquet, parquet/. draw pipeline status reads logs/ and state/. Archives
    and folders can be any address that fsspec can open, such as s3://bucket/crawl/*.warc.gz.

    The same command resumes an interrupted or failed run.

    --cc-index takes lines of Common Crawl's URL index. Then only the pages of the site are fetched, not whole
    archives.

    Examples:
      draw pipeline clean --warc archives/ --out pool --workers 8
      draw pipeline clean --warc 's3://bucket/*.warc.gz' --out s3://bucket/pool --tasks 500 --release release
      draw pipeline clean --cc-index algebra.cdxj.gz --out pool --tasks 100 --workers 16
    """
    if bool(arguments.warc) == (arguments.cc_index is not None):
        raise ChoiceError("expected --warc or --cc-index, and not both")
    execution = _execution(arguments)
    from draw_dataset.collect.addresses import SITE
    from draw_dataset.collect.filters import Funnel
    from draw_dataset.collect.politeness import MAX_SIZE
    from draw_dataset.scale.readers import BASE, absolute, find_files, ranges_of_index, read_whole
    from draw_dataset.scale.run import CleaningPlan, claim_folder, cleaning_stages, run_stages

    out = absolute(arguments.out)
    site = arguments.site or SITE
    release = arguments.release or os.environ.get("DRAW_RELEASE_DIR")
    urls: list[str] = []
    ranges = ""
    if arguments.warc:
        if arguments.cc_base:
            raise ChoiceError("--cc-base needs --cc-index, but got --warc")
        urls = find_files(arguments.warc)
        items = len(urls)
    else:
        ranges = f"{out}/state/ranges"
        items = ranges_of_index(arguments.cc_index, site, ranges)
    plan = CleaningPlan(
        out=out,
        urls=urls,
        tasks=_count_tasks(arguments, items),
        site=site,
        max_size=arguments.max_size or MAX_SIZE,
        ranges=ranges,
        base=arguments.cc_base or BASE,
        release=str(Path(release).resolve()) if release else None,
        restore=read_ids(arguments.restore) if arguments.restore else frozenset(),
        parquet=arguments.parquet,
    )
    stages = cleaning_stages(plan)
    claim_folder(out, plan.to_json(), stages)
    if not run_stages(stages, out, execution):
        _say_submitted(out, "problems.jsonl", as_json=arguments.json)
        return 0
    funnel = Funnel.from_json(json.loads(read_whole(out, "funnel.json")))
    print(json_line(funnel.to_json()).rstrip("\n") if arguments.json else funnel.to_text())
    return 0


@command(
    "Input",
    option("--predictions URL", "files, folders, or patterns with *", several=True, required=True),
    option("--out URL", "folder to write to; made if missing", required=True),
    option("--verdicts", "also write every verdict, as Parquet, into the folder verdicts/"),
    *FIELDS,
    *references(),
    *GRADING,
    *EXECUTION,
    parent=pipeline,
    name="grade",
    more=f" {SLURM}",
)
def grade_files(arguments: Arguments) -> int:
    r"""Grade prediction files in many processes, and add up one score.

    Files look as for draw score, in any of its formats. A problem may have any number of predictions,
    in any file. The score is the same as draw score gives for the same predictions; its intervals are a
    bootstrap over problems. Memory grows with the number of problems, not with the number of lines.
    The folder gets score.json and score.txt, tallies/ with the sums of each task and, with --verdicts, verdicts/.
    Files and folders can be any address that fsspec can open, such as s3://bucket/answers/*.parquet.

    Before the first task, the files are read until every row has a prediction; --missing abstain or skip omits that.
    The same command resumes an interrupted or failed run. --missing may change then: nothing is graded again.

    Exit status: 0 graded, 2 input refused, 3 graded, but more than half of the predictions could not be read

    Examples:
      draw pipeline grade --predictions answers/ --references draw1k/test --out graded --workers 8
      draw pipeline grade --predictions 's3://bucket/*.jsonl.zst' --field completion --references rows.jsonl \
          --out /data/graded
    """
    execution = _execution(arguments)
    from draw_dataset.scale.grading import GradingPlan, check_missing, layout_note, references_of
    from draw_dataset.scale.readers import absolute, find_files, read_whole
    from draw_dataset.scale.run import claim_folder, grading_stages, run_stages

    source = find_references(arguments)
    if source.file == STANDARD:
        raise ChoiceError(
            "--references: expected a dataset or a file, which every task can read, but got standard input"
        )
    data = source.data_name(arguments.corrected)
    urls = find_files(arguments.predictions)
    out = absolute(arguments.out)
    plan = GradingPlan(
        out=out,
        urls=urls,
        tasks=_count_tasks(arguments, len(urls)),
        source=source.title if source.file is None else os.path.abspath(source.file),
        data_dir=os.path.abspath(arguments.data_dir) if arguments.data_dir else None,
        corrected=arguments.corrected,
        data=data,
        options=grading_options(arguments),
        missing=arguments.missing,
        field=arguments.field,
        id_field=arguments.id_field,
        verdicts=arguments.verdicts,
    )
    if refused := references_of(plan).refused:
        say(f"{data}: left out {len(refused)} refused rows, which have no gold")
    if note := layout_note(plan):
        say_note(note)
    if plan.missing == "error":
        check_missing(plan)
    stages = grading_stages(plan)
    claim_folder(out, plan.to_json(), stages)
    if not run_stages(stages, out, execution):
        _say_submitted(out, "score.json", as_json=arguments.json)
        return 0
    result = json.loads(read_whole(out, "score.json"))
    print((json_line(result) if arguments.json else read_whole(out, "score.txt")).rstrip("\n"))
    if note := result.get("unread_note"):
        say(note)
    return UNREAD if result.get("mostly_unread") else 0


@command(argument("out", "URL", "folder of the run"), JSON, parent=pipeline)
def status(arguments: Arguments) -> int:
    """Show the progress of a run: tasks done and left, rate and failures of each stage.

    It only reads the folder of the run, so it works during a run, after it, and from another machine.
    The rate is per worker.

    Exit status: 0 all is done, 1 something is left, 2 the folder does not belong to a run

    Examples:
      draw pipeline status pool
      draw pipeline status s3://bucket/pool --json
    """
    _require_engine()
    from draw_dataset.scale.readers import absolute
    from draw_dataset.scale.run import status_of, status_text

    stages = status_of(absolute(arguments.out))
    if arguments.json:
        print(json_line({"stages": [stage.to_json() for stage in stages]}), end="")
    else:
        print(status_text(stages))
    return 0 if all(stage.done == stage.tasks for stage in stages) else 1
