"""``draw pipeline status``: how far a run is, how fast, and what has failed."""

from __future__ import annotations

import argparse
import json

from draw_dataset.commands.pipeline.execution import needed

HELP = "show how far a run is: tasks done and left, rate and failures of each stage"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "It only reads the folder of the run, so it works during a run, after it, and from another machine.\n"
        "The rate is per worker.\n\n"
        "exit status: 0 all is done, 1 something is left, 2 the folder does not belong to a run\n\n"
        "examples:\n"
        "  draw pipeline status pool\n"
        "  draw pipeline status s3://bucket/pool --json"
    )
    parser.add_argument("out", metavar="URL", help="the folder of the run")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Print the status; return 1 if something is left."""
    needed()
    from draw_dataset.pipelines.folders import absolute
    from draw_dataset.pipelines.status import status_of, status_text

    stages = status_of(absolute(arguments.out))
    if arguments.json:
        print(json.dumps({"stages": [stage.to_json() for stage in stages]}))
    else:
        print(status_text(stages))
    return 0 if all(stage.done == stage.tasks for stage in stages) else 1
