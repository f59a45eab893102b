"""``draw pipeline grade``: grades files of predictions in many processes, and adds up one score."""

from __future__ import annotations

import argparse
import os
import sys

from draw_dataset.commands.options import add_references, references_of
from draw_dataset.commands.pipeline.execution import SLURM, add_execution, execution_of, submitted, tasks_of
from draw_dataset.commands.score import add_grading, options_of
from draw_dataset.errors import ChoiceError
from draw_dataset.files import STANDARD

HELP = "grade files of predictions in many processes, and add up one score"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "Lines look as draw score takes them. Files may be compressed (.gz, .zst). A problem may have any number of\n"
        "lines, in any file. The score is the same as draw score gives for the same predictions; its intervals are a\n"
        "bootstrap over problems. The memory needed grows with the number of problems, not with the number of lines.\n"
        "The folder gets score.json and score.txt, and tallies/ with the sums of each task.\n\n"
        "Before the first task, the files are read until every row has a prediction; --missing abstain skips that.\n"
        "To continue a run that was stopped or has failed, run the same command again. --missing may change then:\n"
        "nothing is graded again.\n\n"
        "examples:\n"
        "  draw pipeline grade --predictions answers/ --references draw1k/test --out graded --workers 8\n"
        "  draw pipeline grade --predictions 's3://bucket/*.jsonl.zst' --field completion --references rows.jsonl \\\n"
        f"      --out /data/graded {SLURM}"
    )
    what = parser.add_argument_group("what is graded")
    what.add_argument(
        "--predictions",
        nargs="+",
        required=True,
        metavar="URL",
        help="JSONL files, folders with JSONL files, or patterns with *",
    )
    what.add_argument("--out", required=True, metavar="URL", help="the folder to write to; made if missing")
    what.add_argument("--field", metavar="NAME", help="the field of a line that holds the answer of a language model")
    add_references(what)
    add_grading(parser)
    add_execution(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the stages and print the score."""
    execution = execution_of(arguments)
    # Here, as the other subcommands do not need them.
    from draw_dataset.pipelines.folders import absolute, found_files, read_whole
    from draw_dataset.pipelines.grading import GradingPlan, check_missing
    from draw_dataset.pipelines.grading import references_of as references_of_plan
    from draw_dataset.pipelines.running import begin, run_stages
    from draw_dataset.pipelines.stages import grading_stages

    source = references_of(arguments)
    if source.file == STANDARD:
        raise ChoiceError(
            "--references: expected a dataset or a file, which every task can read, but got standard input"
        )
    data = source.data_name(arguments.corrected)
    urls = found_files(arguments.predictions)
    out = absolute(arguments.out)
    plan = GradingPlan(
        out=out,
        urls=urls,
        tasks=tasks_of(arguments, len(urls)),
        source=source.title if source.file is None else os.path.abspath(source.file),
        data_dir=os.path.abspath(arguments.data_dir) if arguments.data_dir else None,
        corrected=arguments.corrected,
        data=data,
        options=options_of(arguments),
        missing=arguments.missing,
        field=arguments.field,
    )
    refused = references_of_plan(plan).refused
    if refused:
        print(f"draw pipeline grade: {data}: left out {len(refused)} refused rows, which have no gold", file=sys.stderr)
    if plan.missing == "error":
        check_missing(plan)
    stages = grading_stages(plan)
    begin(out, plan.to_json(), stages)
    if not run_stages(stages, out, execution):
        print(submitted(out, "score.json"))
        return 0
    print(read_whole(out, "score.json" if arguments.json else "score.txt").rstrip("\n"))
    return 0
