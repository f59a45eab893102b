"""Several processes use one store, and processes are killed: what was confirmed is there."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from annotation.simulated import TIES

from draw_dataset.annotate.store import Store

# Decides over and over; prints the number of decisions that the store has confirmed.
DECIDE = """
import sys
from draw_dataset.annotate.store import Store
path, name, problem, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
with Store.open(path) as store:
    for _ in range(count):
        flagged = store.work(problem, name).flagged is not None
        kind, payload = ("reopen", {}) if flagged else ("flag", {"why": "w" * 500})
        work = store.decide(problem, name, kind, payload, 1.0)
        print(work.decided, flush=True)
"""


def decider(path: Path, name: str, problem: int, count: int) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-c", DECIDE, str(path), name, str(problem), str(count)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)


def test_what_was_confirmed_is_there_after_kill_nine(store: Store) -> None:
    chance = random.Random(20261116)
    confirmed = recorded = 0
    for _ in range(10):
        process = decider(store.path, "Ann", 7, 100_000)
        assert process.stdout is not None
        process.stdout.readline()  # it has begun
        time.sleep(chance.uniform(0.0, 0.15))
        process.send_signal(signal.SIGKILL)
        rest = [line for line in process.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
        assert process.wait() == -signal.SIGKILL
        confirmed = int(rest[-1]) if rest else confirmed + 1
        with Store.open(store.path) as again:
            recorded = len(again.history(7, "Ann"))
            # At most the one decision that was on the disk but not yet confirmed.
            assert confirmed <= recorded <= confirmed + 1
            work = again.work(7, "Ann")
            assert work.decided == recorded
            assert (work.flagged is not None) is (recorded % 2 == 1)
            assert work.seconds == recorded
        confirmed = recorded
    assert recorded >= 10
    (result,) = store._connection.execute("PRAGMA integrity_check").fetchone()
    assert result == "ok"


def test_two_processes_decide_at_once(store: Store) -> None:
    processes = [decider(store.path, name, problem, 60) for name, problem in (("Ann", 7), ("Bob", 7), ("Ann", 8))]
    assert [process.wait() for process in processes] == [0, 0, 0]
    for name, problem in (("Ann", 7), ("Bob", 7), ("Ann", 8)):
        assert len(store.history(problem, name)) == 60
    numbers = [d.number for name, problem in (("Ann", 7), ("Bob", 7), ("Ann", 8)) for d in store.history(problem, name)]
    assert sorted(numbers) == list(range(1, 181))


MAKE = """
import sys
from draw_dataset.annotate.store import Store
from draw_dataset.annotate.decisions import StoredProblem
print("ready", flush=True)
sys.stdin.readline()
with Store.open(sys.argv[1], create=True) as store:
    intake = store.add_problems([StoredProblem(i, "Two and 2 and 5 .", ("x = 2 + 5",)) for i in range(20)])
    store.add_annotator(sys.argv[2])
    print(len(intake.added), len(intake.unchanged))
"""


def test_several_processes_may_make_the_same_store_at_once(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", MAKE, str(path), f"annotator {i}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for i in range(4)
    ]  # fmt: skip
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    told = []
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        told.append(tuple(map(int, process.communicate()[0].split())))
        assert process.returncode == 0
    assert sorted(told) == [(0, 20), (0, 20), (0, 20), (20, 0)]
    with Store.open(path) as store:
        assert len(store.problems()) == 20
        assert sorted(store.annotators()) == [f"annotator {i}" for i in range(4)]


# Kills itself before a given statement of the import; the last statement is the commit.
IMPORT_UNTIL = """
import os, signal, sys
from draw_dataset.annotate.store import Store
from draw_dataset.annotate.decisions import StoredProblem
problems = [StoredProblem(i, f"Two and 2 and {i + 10} .", (f"x = 2 + {i + 10}",)) for i in range(60)]
left = int(sys.argv[2])
def count(statement):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
with Store.open(sys.argv[1], create=True) as store:
    store._connection.set_trace_callback(count)
    store.add_problems(problems)
    store._connection.set_trace_callback(None)
    print(int(sys.argv[2]) - left)
"""


def test_an_import_killed_at_any_moment_is_whole_or_not_there(tmp_path: Path) -> None:
    def importing(path: Path, until: int) -> subprocess.CompletedProcess[str]:
        arguments = [sys.executable, "-c", IMPORT_UNTIL, str(path), str(until)]
        return subprocess.run(arguments, stdout=subprocess.PIPE, text=True)

    done = importing(tmp_path / "whole.db", 10**9)
    statements = int(done.stdout)
    assert statements > 60
    for until in (1, 2, statements // 2, statements - 1, statements):
        path = tmp_path / f"{until}.db"
        assert importing(path, until).returncode == -signal.SIGKILL
        with Store.open(path, create=True) as store:
            assert len(store.problems()) == 0
            assert store.add_problems([replace(TIES, id=1_000)]).added == (1_000,)
    with Store.open(tmp_path / "whole.db") as store:
        assert len(store.problems()) == 60
