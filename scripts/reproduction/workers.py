"""The question: how are many jobs worked off by several processes.

Workers are started anew rather than forked, load each dataset once and keep what the tagger has said of its texts. Each
writes the record of its job itself. A worker that finds its parent gone ends as well, so that a run that was killed
leaves nobody after who writes into the store.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

from reproduction.figures import figures_of
from reproduction.jobs import Job
from reproduction.store import Store

WATCH = 0.5  # seconds between two looks of a worker at whether its parent is there


class Done(NamedTuple):
    """A job that was worked off."""

    job: Job
    seconds: float  # how long it took
    work: float  # the seconds of processor time in it, which other work on the machine does not prolong


def run_jobs(
    jobs: Sequence[Job], store: Store, code: Mapping[str, str], processes: int, data_dir: str | None
) -> Iterator[Done]:
    """Work off jobs and store their records; yield each when it is stored."""
    if processes == 1 or len(jobs) < 2:
        for job in jobs:
            yield _work(job, store.folder, code, data_dir)
        return
    pool = ProcessPoolExecutor(
        min(processes, len(jobs)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_watch_parent,
        initargs=(os.getpid(),),
    )
    try:
        futures: list[Future[Done]] = [pool.submit(_work, job, store.folder, code, data_dir) for job in jobs]
        for future in as_completed(futures):
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _work(job: Job, folder: Path, code: Mapping[str, str], data_dir: str | None) -> Done:
    started, processor = time.perf_counter(), time.process_time()
    Store(folder, code).write(job, figures_of(job, data_dir))
    return Done(job, time.perf_counter() - started, time.process_time() - processor)


def _watch_parent(parent: int) -> None:
    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    # At Ctrl-C the parent says what there is to say.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
