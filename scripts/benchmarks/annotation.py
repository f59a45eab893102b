"""How fast derivations are proposed, and decisions recorded: against the disk alone, and in a large store."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.measures import timed
from benchmarks.rows import DATASETS, Row, release_folder
from draw_dataset.annotation.outcome import measure_agreement
from draw_dataset.annotation.proposal import propose
from draw_dataset.annotation.store import Store, StoredProblem
from draw_dataset.core.problem import Problem
from draw_dataset.errors import AnnotationError
from draw_dataset.release import load_problems
from draw_dataset.sample import load_sample


def section_g(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Propose derivations for every problem, and make the first of each."""
    del rows, quick
    folder = release_folder()
    problems: list[Problem] = [
        problem
        for splits in ([load_problems(name, folder) for name in DATASETS] if folder else [load_sample()])
        for split in splits.values()
        for problem in split
    ]
    # Once: a second time the equations would be remembered.
    asking = timed(lambda: _propose(problems, derive=False))
    deriving = timed(lambda: _propose(problems, derive=True))
    listing = "He wrote " + " , ".join(["3"] * 40) + " ."
    wide = timed(lambda: propose(listing, "x = 3*3 + 3*3 + 3*3 + 3").nth(2187))
    return {
        "problems": len(problems),
        "problems a second, what is open": round(len(problems) / asking),
        "problems a second, with the first derivation, equations read before": round(len(problems) / deriving),
        "ms for 40 numbers and 40^7 candidates, the 2187th made": round(1000 * wide, 1),
        "aim": "at least 500 problems a second",
    }


def _propose(problems: list[Problem], derive: bool) -> None:
    for problem in problems:
        try:
            proposal = propose(problem.question, problem.equations)
        except AnnotationError:
            continue
        if derive:
            proposal.derive()


def section_h(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Record decisions of two annotators in a store of many problems; wall time, since it waits for the disk."""
    del rows
    count = 1_000 if quick else 10_000
    problems = [
        StoredProblem(i, f"Two and 2 make {i + 5} . Add {i + 7} .", (f"x = 2 + {i + 7}",)) for i in range(count)
    ]
    with TemporaryDirectory() as folder, Store.open(Path(folder, "work.db"), create=True) as store:
        importing = _waited(lambda: store.add_problems(problems))
        for name in ("Ann", "Bob"):
            store.add_annotator(name)
        queueing = _waited(lambda: store.queue("Ann"))
        worked = store.queue("Ann")[:500]
        deciding = _waited(lambda: _decide(store, worked)) / (4 * len(worked))
        inserting = _waited(lambda: _insert(Path(folder, "plain.db"), 4 * len(worked))) / (4 * len(worked))
        measuring = _waited(lambda: measure_agreement(store.works())) / len(worked)
    return {
        "problems": count,
        "imported a second": round(count / importing),
        "ms for a queue": round(1000 * queueing, 1),
        "ms for a decision, on the disk": round(1000 * deciding, 2),
        "times a bare INSERT of SQLite with the same settings": round(deciding / inserting, 1),
        "ms a problem to measure agreement": round(1000 * measuring, 2),
        "aim": "a decision within 50 ms, which nobody notices",
    }


def _waited(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _decide(store: Store, problems: list[int]) -> None:
    for problem in problems:
        for name in ("Ann", "Bob"):
            store.decide(problem, name, "choose", {"literal": 0, "place": [0, 2]}, 1.0)
            store.decide(problem, name, "submit", None, 1.0)


def _insert(path: Path, count: int) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    for setting in ("journal_mode = WAL", "synchronous = FULL"):
        connection.execute(f"PRAGMA {setting}")
    connection.execute("CREATE TABLE decisions (number INTEGER PRIMARY KEY, payload TEXT)")
    for _ in range(count):
        connection.execute("INSERT INTO decisions (payload) VALUES (?)", ('{"literal":0,"place":[0,2]}',))
    connection.close()
