"""How fast decisions are recorded, against the disk alone, and what a large store costs."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.rows import Row
from draw_dataset.annotation.outcome import measure_agreement
from draw_dataset.annotation.store import Store, StoredProblem


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
