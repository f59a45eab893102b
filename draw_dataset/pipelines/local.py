"""Tasks in processes of this machine: the engine's local executor with another pool under it.

The engine's own waits for ever for a worker that was killed alone, as the kernel does when memory is short; ours
notices at once, says so, and starts what was lost again. And workers end with their parent: a run that is killed leaves
nobody behind that would write a file the next run writes, too. Where the disk is full, tasks that have not begun are
left alone, and the run says so.
"""

from __future__ import annotations

import errno
import io
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, redirect_stderr
from copy import copy, deepcopy
from multiprocessing.connection import Connection
from typing import Any

from datatrove.executor.local import LocalPipelineExecutor
from datatrove.utils.logging import logger
from tqdm import tqdm

from draw_dataset.pipelines.stages import Stage

_RESTARTS = 3
"""How often workers that were killed are started again in one stage."""

_QUIET = 1
"""The engine prints the log of the first worker; all logs are in files."""


class Workers:
    """Processes that run tasks, kept from stage to stage, and made anew when one of them is killed.

    A single worker is a thread of this process: there is nothing to be won by another.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool: Executor | None = None
        if count > 1:
            self._context = multiprocessing.get_context("forkserver")
            self._context.set_forkserver_preload(["draw_dataset.pipelines.stages"])
            # Workers hold the other end; it is closed when this process ends, however it does.
            self._read, self._write = self._context.Pipe(duplex=False)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Run a function in a worker."""
        if self._pool is None:
            if self.count > 1:
                self._pool = ProcessPoolExecutor(self.count, self._context, _end_with_parent, (self._read,))
            else:
                logger.remove()
                self._pool = ThreadPoolExecutor(1)
        return self._pool.submit(function, *arguments)

    def drop(self) -> None:
        """Let all workers go."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


@contextmanager
def workers_of(count: int) -> Iterator[Workers]:
    """Make workers, and let them go at the end."""
    workers = Workers(count)
    try:
        yield workers
    finally:
        workers.drop()


def _end_with_parent(parent: Connection) -> None:
    logger.remove()

    def wait() -> None:
        try:
            parent.recv_bytes()
        except (EOFError, OSError):
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


class LocalTasks(LocalPipelineExecutor):
    """The engine's local executor over workers that may be killed."""

    def run_in(
        self, workers: Workers, stage: Stage, report: Callable[[str], None], progress: bool
    ) -> dict[int, BaseException]:
        """Run what is not complete; return why tasks have failed.

        Args:
            workers: who runs it.
            stage: the stage, as messages name it.
            report: told when a worker was killed.
            progress: whether to show a bar.
        """
        todo: list[int] = self.get_incomplete_ranks()
        if not todo:
            return {}
        self.save_executor_as_json()
        shown_bar = tqdm(
            total=stage.tasks, initial=stage.tasks - len(todo), desc=stage.name, unit=" tasks", file=sys.stderr,
            disable=not progress,
        )  # fmt: skip
        with shown_bar as bar:
            for restart in range(_RESTARTS + 1):
                failed, killed = self._run_once(workers, todo, bar)
                if not killed:
                    return failed
                todo = [rank for rank in self.get_incomplete_ranks() if rank not in failed]
                again = f"starting again ({restart + 1} of {_RESTARTS})" if restart < _RESTARTS else "giving up"
                report(
                    f"stage {stage.name}: a worker was killed, perhaps because memory ran out; "
                    f"{len(todo)} tasks are left: {again}"
                )
                workers.drop()
        return dict.fromkeys(todo, BrokenProcessPool("workers were killed again and again"))

    def run_rank(self, rank: int) -> None:
        """Run one task, its steps being its own: they count what they do."""
        one = copy(self)
        one.pipeline = deepcopy(self.pipeline)
        failed: OSError | None = None
        # Its log has all that a task says. Here would come a stack for every failure, and bars of the engine's own.
        with redirect_stderr(io.StringIO()):
            try:
                one._run_for_rank(rank, _QUIET)
            except OSError as error:
                # The stack holds generators that write once more when they are closed, which is to happen here.
                failed = error.with_traceback(None)
        if failed is not None:
            raise failed

    def _run_once(
        self, workers: Workers, todo: Sequence[int], bar: Any
    ) -> tuple[dict[int, BaseException], BrokenProcessPool | None]:
        failed: dict[int, BaseException] = {}
        try:
            running = {workers.submit(self.run_rank, rank): rank for rank in todo}
        except BrokenProcessPool as broken:  # a worker was killed before all tasks were given
            return failed, broken
        for future in as_completed(running):
            if future.cancelled():
                continue
            error = future.exception()
            if isinstance(error, BrokenProcessPool):
                return failed, error
            if error is not None:
                failed[running[future]] = error
                if is_full(error):
                    # What has not begun would fail as well.
                    for other in running:
                        other.cancel()
            else:
                bar.update()
        return failed, None


def is_full(error: BaseException) -> bool:
    """Say whether a failure is that of a full disk."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def told(error: BaseException) -> str:
    """Return why a task has failed, in words."""
    if is_full(error):
        return f"the disk is full ({os.strerror(errno.ENOSPC)}); make room first"
    return str(error) or type(error).__name__
