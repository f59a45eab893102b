"""``draw pipeline clean``: from web archives to the pool of problems, in many processes."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from draw_dataset.commands.clean import read_ids
from draw_dataset.commands.options import whole_number
from draw_dataset.commands.pipeline.execution import SLURM, add_execution, execution_of, tasks_of
from draw_dataset.errors import ChoiceError

HELP = "read web archives and write the pool of problems that can be annotated, in many processes"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "The pool is the one that draw clean writes for the same pages, byte by byte, however many tasks there are:\n"
        "problems.jsonl and funnel.json, dropped/ with every page that was dropped and why, with --parquet parquet/.\n"
        "logs/ and state/ are the engine's and ours; draw pipeline status reads them. Archives and folders may be\n"
        "anywhere that fsspec reaches, as in s3://bucket/crawl/*.warc.gz. The same command goes on after a stop.\n\n"
        "With --cc-index, lines of Common Crawl's URL index for the site, only their byte ranges are read.\n\n"
        "examples:\n"
        "  draw pipeline clean --warc archives/ --out pool --workers 8\n"
        "  draw pipeline clean --warc 's3://bucket/*.warc.gz' --out s3://bucket/pool --tasks 500 --release release\n"
        f"  draw pipeline clean --warc /data/warc --out /data/pool {SLURM}\n"
        "  draw pipeline clean --cc-index algebra.cdxj.gz --out pool --tasks 100 --workers 16"
    )
    what = parser.add_argument_group("what is cleaned")
    pages = what.add_mutually_exclusive_group(required=True)
    pages.add_argument("--warc", nargs="+", metavar="URL", help="WARC files, folders of them, or patterns with *")
    pages.add_argument("--cc-index", type=Path, metavar="FILE", help="lines of a URL index, plain or .gz")
    what.add_argument("--cc-base", metavar="URL", help="where the files of the index are (default Common Crawl's)")
    what.add_argument("--out", required=True, metavar="URL", help="the folder to write to; made if missing")
    what.add_argument("--site", metavar="URL", help="the site whose pages are taken (default algebra.com)")
    what.add_argument(
        "--max-size", type=whole_number(1, 1 << 30), metavar="BYTES", help="the bound of a page (default 2 MB)"
    )
    release = "the files of the release, to drop known problems (default DRAW_RELEASE_DIR)"
    what.add_argument("--release", metavar="DIR", help=release)
    what.add_argument("--restore", metavar="IDS", help="ids that no filter may drop: 1,2,3 or @file (default none)")
    what.add_argument("--parquet", action="store_true", help="write the problems as Parquet, too")
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
            raise ChoiceError("expected --cc-base with --cc-index, but got it with --warc")
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
        print(f"submitted; draw pipeline status {out} says how far it is, and {out}/problems.jsonl is the end")
        return 0
    funnel = Funnel.from_json(json.loads(read_whole(out, "funnel.json")))
    print(json.dumps(funnel.to_json()) if arguments.json else funnel.to_text())
    return 0
