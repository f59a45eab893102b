"""Experiment on the cost of systems: a module of its own, as what it imports counts as memory."""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

from reproduction.figures import problems_of
from reproduction.jobs import SOLVERS, VARIANTS, SolverJob
from reproduction.tables import variant_title

from draw_dataset.solver.systems import train
from experiments import DATA_DIR, ROOT, experiment, option, print_head, print_row


@experiment(
    "systems",
    option("--systems", default=",".join(SOLVERS), metavar="A,B", help=f"some of {', '.join(SOLVERS)}"),
    DATA_DIR,
    option("--one", choices=list(SOLVERS), help=argparse.SUPPRESS),
)
def run_systems(arguments: argparse.Namespace) -> None:
    """Measure what each system of Table 5 costs: seconds to train, milliseconds an answer, memory (docs/systems.md).

    Each system is trained on the equations (TE) of Draw-1k's train split, 600 problems, and answers its test split,
    200, in a process of its own. Seconds are of processor time, so that other work on the machine counts little; memory
    is the most that the process held. The tagger has seen no text before: tagging is part of both times.
    """
    if arguments.one is not None:
        print(json.dumps(system_costs(arguments.one, arguments.data_dir)))
        return
    print_head("system", "seconds to train", "milliseconds an answer", "MB", right=(1, 2, 3))
    for name in arguments.systems.split(","):
        command = [sys.executable, str(ROOT / "scripts" / "lab.py"), "systems", "--one", name]
        command += ["--data-dir", arguments.data_dir] if arguments.data_dir else []
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            sys.exit(done.returncode)
        train_seconds, milliseconds, memory = json.loads(done.stdout)
        title = variant_title((name, dict(VARIANTS).get(name)))
        print_row(title, f"{train_seconds:.1f}", f"{milliseconds:.1f}", f"{memory:.0f}")


def system_costs(name: str, data_dir: str | None) -> tuple[float, float, float]:
    """Return the seconds to train a system, its milliseconds an answer, and megabytes."""
    k = dict(VARIANTS).get(name)
    divided = problems_of(SolverJob("release", "draw1k", "TE", "first", name, k, 0, None), data_dir)
    options = dict(SOLVERS[name].options) | ({} if SOLVERS[name].system else {"k": k})
    started = time.process_time()
    answerer = train(divided.train, setting="TE", **options)
    trained = time.process_time()
    answerer.predict_all(divided.test)
    milliseconds = 1000 * (time.process_time() - trained) / len(divided.test)
    return trained - started, milliseconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
