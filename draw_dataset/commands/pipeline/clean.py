"""``draw pipeline clean``: from web archives to the pool of problems, in many processes."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from draw_dataset.commands.clean import read_ids
from draw_dataset.commands.options import whole_number
from draw_dataset.commands.pipeline.execution import SLURM, add_execution, execution_of, submitted, tasks_of
from draw_dataset.errors import ChoiceError

HELP = "read web archives and write the pool of problems that can be annotated, in many processes"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "The pool is the same, byte for byte, as draw clean writes for the same pages, with any number of tasks.\n"
        "The folder gets problems.jsonl (the pool), funnel.json (the counts), dropped/ (every dropped page, with the\n"
        "filter and the reason) and, with --parquet, parquet/. draw pipeline status reads logs/ and state/. Archives\n"
        "and folders can be any address that fsspec can open, such as s3://bucket/crawl/*.warc.gz.\n\n"
        "To continue a run that was stopped or has failed, run the same command again.\n\n"
        "--cc-index takes lines of Common Crawl's URL index. Then only the pages of the site are fetched, not whole\n"
        "archives.\n\n"
        "examples:\n"
        "  draw pipeline clean --warc archives/ --out pool --workers 8\n"
        "  draw pipeline clean --warc 's3://bucket/*.warc.gz' --out s3://bucket/pool --tasks 500 --release release\n"
        f"  draw pipeline clean --warc /data/warc --out /data/pool {SLURM}\n"
        "  draw pipeline clean --cc-index algebra.cdxj.gz --out pool --tasks 100 --workers 16"
    )
    what = parser.add_argument_group("what is cleaned")
    pages = what.add_mutually_exclusive_group(required=True)
    pages.add_argument(
        "--warc", nargs="+", metavar="URL", help="WARC files, folders with WARC files, or patterns with *"
    )
    pages.add_argument("--cc-index", type=Path, metavar="FILE", help="a file with lines of the URL index, plain or .gz")
    what.add_argument(
        "--cc-base", metavar="URL", help="the address before the file names of the index (default Common Crawl's)"
    )
    what.add_argument("--out", required=True, metavar="URL", help="the folder to write to; made if missing")
    what.add_argument("--site", metavar="URL", help="take only pages of this site (default algebra.com)")
    what.add_argument(
        "--max-size",
        type=whole_number(1, 1 << 30),
        metavar="BYTES",
        help="ignore pages larger than this (default 2 MB)",
    )
    release = "the folder of the release, to drop problems that it has (default DRAW_RELEASE_DIR)"
    what.add_argument("--release", metavar="DIR", help=release)
    what.add_argument(
        "--restore", metavar="IDS", help="keep these ids whatever the filters say: 1,2,3 or @file (default none)"
    )
    what.add_argument("--parquet", action="store_true", help="also write the problems as Parquet")
    add_execution(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the stages and print the funnel."""
    execution = execution_of(arguments)
    # Here, as the other subcommands do not need them.
    from draw_dataset.cleaning.pool.funnel import Funnel
    from draw_dataset.crawl.addresses import SITE
    from draw_dataset.crawl.judgement import MAX_SIZE
    from draw_dataset.pipelines.folders import absolute, found_files, read_whole
    from draw_dataset.pipelines.ranges import BASE, ranges_of_index
    from draw_dataset.pipelines.running import begin, run_stages
    from draw_dataset.pipelines.stages import CleaningPlan, cleaning_stages

    out = absolute(arguments.out)
    site = arguments.site or SITE
    release = arguments.release or os.environ.get("DRAW_RELEASE_DIR")
    urls: list[str] = []
    ranges = ""
    if arguments.warc:
        if arguments.cc_base:
            raise ChoiceError("--cc-base needs --cc-index, but got --warc")
        urls = found_files(arguments.warc)
        items = len(urls)
    else:
        ranges = f"{out}/state/ranges"
        items = ranges_of_index(arguments.cc_index, site, ranges)
    plan = CleaningPlan(
        out=out,
        urls=urls,
        tasks=tasks_of(arguments, items),
        site=site,
        max_size=arguments.max_size or MAX_SIZE,
        ranges=ranges,
        base=arguments.cc_base or BASE,
        release=str(Path(release).resolve()) if release else None,
        restore=read_ids(arguments.restore) if arguments.restore else frozenset(),
        parquet=arguments.parquet,
    )
    stages = cleaning_stages(plan)
    begin(out, plan.to_json(), stages)
    if not run_stages(stages, out, execution):
        print(submitted(out, "problems.jsonl"))
        return 0
    funnel = Funnel.from_json(json.loads(read_whole(out, "funnel.json")))
    print(json.dumps(funnel.to_json()) if arguments.json else funnel.to_text())
    return 0
