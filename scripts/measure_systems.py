"""Measures what each system of Table 5 costs: seconds to train, milliseconds an answer, and memory.

Each system is trained on the equations (TE) of Draw-1k's train split, 600 problems, and answers its test split, 200, in
a process of its own. Seconds are of processor time, so that other work on the machine counts little; memory is the most
that the process held. The tagger has seen no text before: tagging is part of both times.

    python scripts/measure_systems.py --data-dir ../shared/release
    python scripts/measure_systems.py --systems zdc,similarity --data-dir ../shared/release
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Sequence

from reproduction.figures import problems_of
from reproduction.jobs import SOLVERS, VARIANTS, SolverJob
from reproduction.tables import variant_title
from reproduction.threads import one_thread


def measure(name: str, data_dir: str | None) -> dict[str, float]:
    """Return what a system costs."""
    from draw_dataset.solver import train

    k = dict(VARIANTS).get(name)
    divided = problems_of(SolverJob("release", "draw1k", "TE", "first", name, k, 0, None), data_dir)
    options = dict(SOLVERS[name].options) | ({} if SOLVERS[name].system else {"k": k})
    started = time.process_time()
    answerer = train(divided.train, setting="TE", **options)
    trained = time.process_time()
    answerer.predict_all(divided.test)
    answered = time.process_time()
    return {
        "seconds to train": trained - started,
        "milliseconds an answer": 1000 * (answered - trained) / len(divided.test),
        "MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the systems, each in a process of its own, and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", default=",".join(SOLVERS), metavar="A,B", help=f"some of {', '.join(SOLVERS)}")
    parser.add_argument("--data-dir", metavar="DIR", help="the folder of the release's files")
    parser.add_argument("--one", choices=list(SOLVERS), help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    one_thread()
    if arguments.one is not None:
        print(json.dumps(measure(arguments.one, arguments.data_dir)))
        return 0
    print("| system | seconds to train | milliseconds an answer | MB |\n|---|---:|---:|---:|")
    for name in arguments.systems.split(","):
        command = [sys.executable, __file__, "--one", name]
        command += ["--data-dir", arguments.data_dir] if arguments.data_dir else []
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            return done.returncode
        found = json.loads(done.stdout)
        title = variant_title((name, dict(VARIANTS).get(name)))
        print(
            f"| {title} | {found['seconds to train']:.1f} | {found['milliseconds an answer']:.1f} | {found['MB']:.0f} |"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
