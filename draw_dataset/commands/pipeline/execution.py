"""What the runs of ``draw pipeline`` declare alike: tasks, workers, and the executor with its own options."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import TYPE_CHECKING, Any

from draw_dataset.commands.options import whole_number
from draw_dataset.errors import ChoiceError, ExtraMissing

if TYPE_CHECKING:
    from draw_dataset.pipelines.running import Execution

SLURM = "--executor slurm --workers 200 --set partition=cpu --set time=12:00:00"


def add_execution(parser: argparse.ArgumentParser) -> None:
    """Declare how a run is executed."""
    group = parser.add_argument_group("how it runs")
    group.add_argument(
        "--tasks", type=whole_number(1, 100_000), metavar="N",
        help="how many pieces to cut the work into; each can be run again alone (default one per file, at most 1000)",
    )  # fmt: skip
    group.add_argument(
        "--workers",
        type=whole_number(1, 100_000),
        metavar="M",
        help="how many tasks run at the same time (default one per core)",
    )
    group.add_argument(
        "--executor", choices=["local", "slurm", "ray"], default="local", help="where tasks run (default local)"
    )
    group.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", dest="settings",
        help="an option of datatrove's executor, such as partition, time, mem_per_cpu_gb or cpus_per_task",
    )  # fmt: skip
    group.add_argument("--json", action="store_true", help="print the result as one JSON object")
    group.add_argument("--quiet", action="store_true", help="show no progress")


def tasks_of(arguments: argparse.Namespace, items: int) -> int:
    """Return how many tasks there are: as asked, and no more than there are items."""
    return max(1, min(arguments.tasks or 1000, items))


def execution_of(arguments: argparse.Namespace) -> Execution:
    """Return how a run is executed.

    Raises:
        ChoiceError: an option is not of the form NAME=VALUE.
        ExtraMissing: datatrove is not installed.
    """
    needed()
    from draw_dataset.pipelines.running import Execution

    workers = arguments.workers
    if workers is None:
        workers = len(os.sched_getaffinity(0)) if arguments.executor == "local" else -1
    return Execution(
        arguments.executor, workers, _settings(arguments.settings), _tell, not arguments.quiet and sys.stderr.isatty()
    )


def _tell(message: str) -> None:
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


def needed() -> None:
    """Refuse to go on without the engine.

    Raises:
        ExtraMissing: datatrove is not installed.
    """
    try:
        import datatrove  # noqa: F401
        import warcio  # noqa: F401
    except ImportError as error:
        raise ExtraMissing(f"draw pipeline needs {error.name}: pip install 'draw-dataset[scale]'") from error


def submitted(out: str, result: str) -> str:
    """Return what is said of a run whose tasks wait in the queue of a cluster."""
    return f"Submitted. See how far it is with: draw pipeline status {out}\nThe result will be {out}/{result}"
