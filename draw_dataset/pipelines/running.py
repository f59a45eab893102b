"""Giving stages to an executor of the engine: here, on Slurm or on Ray.

The local executor is the engine's with another pool under it. The engine's own waits for ever for a worker that was
killed alone, as the kernel does when memory is short; ours notices at once, says so, and starts what was lost again.
And workers end with their parent: a run that is killed leaves nobody behind that would write a file the next run
writes, too.

A folder belongs to one run. What was asked for is written down first, and another question for the same folder is
refused; the same one goes on where the last stopped.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from copy import copy, deepcopy
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from datatrove.executor.local import LocalPipelineExecutor
from datatrove.io import get_datafolder
from datatrove.utils.logging import logger
from tqdm import tqdm

from draw_dataset.errors import ChoiceError, ExtraMissing, PipelineError, shown
from draw_dataset.pipelines.folders import whole_output
from draw_dataset.pipelines.stages import Stage

_RESTARTS = 3
"""How often workers that were killed are started again in one stage."""

_QUIET = 1
"""The engine prints the log of the first worker; all logs are in files."""


@dataclass(frozen=True, slots=True)
class Execution:
    """How stages are run.

    Attributes:
        kind: ``local``, ``slurm`` or ``ray``.
        workers: how many tasks run at a time; -1 is as many as there are.
        options: the engine's own, such as partition and time of Slurm.
        report: told what a person should know.
        progress: whether to show a progress bar on stderr.
    """

    kind: str = "local"
    workers: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)
    report: Callable[[str], None] = lambda message: print(message, file=sys.stderr)
    progress: bool = False


def begin(out: str, asked: Mapping[str, Any], stages: Sequence[Stage]) -> None:
    """Write down what a run is, or see that it is the one that its folder belongs to.

    Raises:
        PipelineError: the folder belongs to another run.
    """
    folder = get_datafolder(out)
    described = {"asked": asked, "stages": [[stage.name, stage.tasks] for stage in stages]}
    if folder.isfile("state/run.json"):
        with folder.open("state/run.json", "rb") as file:
            before = json.loads(file.read())
        if before != described:
            differ = [name for name in asked if before["asked"].get(name) != asked[name]] or ["stages"]
            name = differ[0]
            raise PipelineError(
                f"{out} belongs to another run: {name} was {shown(before['asked'].get(name))} and is now "
                f"{shown(asked.get(name))}; give another --out, or remove the folder"
            )
        return
    with whole_output(out, "state/run.json") as file:
        file.write(json.dumps(described, indent=1).encode())


def run_stages(stages: Sequence[Stage], out: str, execution: Execution) -> bool:
    """Run all stages; return whether they are complete, which on Slurm they are later.

    Raises:
        PipelineError: tasks have failed; says which and why.
        ChoiceError: there is no such executor, or it has no such option.
        ExtraMissing: the executor is not installed.
    """
    if execution.kind == "local":
        _run_here(stages, out, execution)
        return True
    if execution.kind == "ray":
        _run_on_ray(stages, out, execution)
        return True
    if execution.kind == "slurm":
        _submit_to_slurm(stages, out, execution)
        return False
    raise ChoiceError(f"executor: expected local, slurm or ray, but got {shown(execution.kind)}")


def _logs(out: str, stage: Stage) -> str:
    return f"{out.rstrip('/')}/logs/{stage.name}"


def _check(stage: Stage, incomplete: Sequence[int], out: str, why: str) -> None:
    if incomplete:
        named = ", ".join(map(str, incomplete[:5])) + (", …" if len(incomplete) > 5 else "")
        raise PipelineError(
            f"stage {stage.name}: {len(incomplete)} of {stage.tasks} tasks are not complete ({named}){why}; the same "
            f"command goes on from here, and {_logs(out, stage)}/logs has what each task said"
        )


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

    def run_in(self, workers: Workers, execution: Execution, stage: Stage) -> dict[int, BaseException]:
        """Run what is not complete; return why tasks have failed."""
        todo: list[int] = self.get_incomplete_ranks()
        if not todo:
            return {}
        self.save_executor_as_json()
        shown_bar = tqdm(
            total=stage.tasks, initial=stage.tasks - len(todo), desc=stage.name, unit=" tasks", file=sys.stderr,
            disable=not execution.progress,
        )  # fmt: skip
        with shown_bar as bar:
            for restart in range(_RESTARTS + 1):
                failed, killed = self._run_once(workers, todo, bar)
                if not killed:
                    return failed
                todo = [rank for rank in self.get_incomplete_ranks() if rank not in failed]
                again = f"starting again ({restart + 1} of {_RESTARTS})" if restart < _RESTARTS else "giving up"
                execution.report(
                    f"stage {stage.name}: a worker was killed, perhaps for want of memory; {len(todo)} tasks are left: "
                    f"{again}"
                )
                workers.drop()
        return dict.fromkeys(todo, BrokenProcessPool("workers were killed again and again"))

    def run_rank(self, rank: int) -> None:
        """Run one task, its steps being its own: they count what they do."""
        one = copy(self)
        one.pipeline = deepcopy(self.pipeline)
        one._run_for_rank(rank, _QUIET)

    def _run_once(
        self, workers: Workers, todo: Sequence[int], bar: Any
    ) -> tuple[dict[int, BaseException], BrokenProcessPool | None]:
        failed: dict[int, BaseException] = {}
        running = {workers.submit(self.run_rank, rank): rank for rank in todo}
        for future in as_completed(running):
            error = future.exception()
            if isinstance(error, BrokenProcessPool):
                return failed, error
            if error is not None:
                failed[running[future]] = error
            else:
                bar.update()
        return failed, None


def _run_here(stages: Sequence[Stage], out: str, execution: Execution) -> None:
    if execution.options:
        raise ChoiceError(f"the local executor takes no options, but got {', '.join(execution.options)}")
    count = max(stage.tasks for stage in stages) if execution.workers < 1 else execution.workers
    with workers_of(count) as workers:
        for stage in stages:
            executor = LocalTasks(stage.steps, stage.tasks, count, logging_dir=_logs(out, stage))
            failed = executor.run_in(workers, execution, stage)
            first = min(failed) if failed else -1
            why = f": task {first}: {_told(failed[first])}" if failed else ""
            _check(stage, executor.get_incomplete_ranks(), out, why)


def _told(error: BaseException) -> str:
    return str(error) or type(error).__name__


def _run_on_ray(stages: Sequence[Stage], out: str, execution: Execution) -> None:
    try:
        import ray
        from datatrove.executor.ray import RayPipelineExecutor
    except ImportError as error:
        raise ExtraMissing("the executor ray needs Ray: pip install 'ray[default]'") from error
    if not ray.is_initialized():
        ray.init(log_to_driver=False)
    for stage in stages:
        try:
            executor = RayPipelineExecutor(
                stage.steps, stage.tasks, execution.workers, logging_dir=_logs(out, stage), **execution.options
            )
        except TypeError as error:
            raise ChoiceError(f"executor ray: {error}") from error
        executor.run()
        _check(stage, executor.get_incomplete_ranks(), out, "")


def _submit_to_slurm(stages: Sequence[Stage], out: str, execution: Execution) -> None:
    from datatrove.executor.slurm import SlurmPipelineExecutor

    before = None
    for stage in stages:
        try:
            before = SlurmPipelineExecutor(
                stage.steps,
                stage.tasks,
                workers=execution.workers,
                job_name=f"draw-{stage.name}",
                logging_dir=_logs(out, stage),
                depends=before,
                **execution.options,
            )
        except TypeError as error:
            raise ChoiceError(
                f"executor slurm: {error}; give it as in --set partition=cpu --set time=2:00:00"
            ) from error
    if before is not None:
        try:
            before.run()
        except FileNotFoundError as error:
            raise PipelineError(f"cannot submit to Slurm: {error}; the scripts are in {out}/logs") from error
