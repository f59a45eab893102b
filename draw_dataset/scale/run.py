"""Stages of a run, their execution (local, Slurm, Ray) and status. A stage starts when the one before is complete.

captures    list the whole pages of every archive         (not with an index, which lists them)
newest      find captures that are older than another
clean       judge each page by itself; signatures of what stays
release-*   the released datasets as an index
buckets, clusters   candidates for repetition
candidates, decide  compare them exactly
pool        write what stays, by task
collect     one file in order, and the funnel
"""

from __future__ import annotations

import errno
import io
import json
import logging
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, redirect_stderr
from copy import copy, deepcopy
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from datatrove.executor.local import LocalPipelineExecutor
from datatrove.io import get_datafolder
from datatrove.pipeline.dedup.minhash import MinhashBuildIndex, MinhashDedupBuckets, MinhashDedupCluster
from datatrove.utils.logging import logger
from tqdm import tqdm

from draw_dataset.data.release import load_problems
from draw_dataset.errors import ChoiceError, ExtraMissing, PipelineError, short_repr
from draw_dataset.scale import worker_context
from draw_dataset.scale.grading import GradeFiles, GradingPlan, MergeTallies
from draw_dataset.scale.readers import (
    FindSuperseded,
    ListCaptures,
    RangePages,
    WarcPages,
    check_address,
    list_files,
    whole_output,
)
from draw_dataset.scale.steps import (
    BUCKETS,
    CONFIG,
    ApplyDecisions,
    CollectPool,
    DecideCandidates,
    JudgeAlone,
    ListCandidates,
    ParquetPool,
    RecordWriter,
    ReleaseTexts,
    TextSignatures,
    stat_total,
    sum_stats,
    task_stats,
)

_MOST_PARTS = 32  # of keys and clusters: each part stays small, and there are not too many files


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of a run."""

    name: str
    tasks: int
    steps: list[Any]
    always: bool = False  # run complete tasks again, because their result depends on more than their files


@dataclass(frozen=True, slots=True)
class CleaningPlan:
    """Input and options of a cleaning run."""

    out: str  # the folder of the run, as fsspec has it
    urls: list[str]  # the WARC files; none with an index
    tasks: int
    site: str
    max_size: int  # bytes of a page
    ranges: str = ""  # the folder of byte ranges made of an index, if any
    base: str = ""  # prefix of the files in the index
    release: str | None = None  # the folder of the release; None compares with nothing
    restore: frozenset[int] = field(default_factory=frozenset)  # numbers of questions that no filter may drop
    parquet: bool = False  # write Parquet as well

    def to_json(self) -> dict[str, Any]:
        """Return the plan as plain data, to recognize the run."""
        return {**asdict(self), "restore": sorted(self.restore)}


def cleaning_stages(plan: CleaningPlan) -> list[Stage]:
    """Return the stages of a cleaning."""
    out, tasks = plan.out.rstrip("/"), plan.tasks
    parts = min(tasks, _MOST_PARTS)
    state = f"{out}/state"
    reader: Any
    stages = []
    if plan.ranges:
        reader = RangePages(plan.ranges, plan.base, plan.site, plan.max_size)
    else:
        reader = WarcPages(plan.urls, plan.site, plan.max_size, f"{state}/superseded")
        every = WarcPages(plan.urls, plan.site, plan.max_size)
        stages = [
            Stage("captures", tasks, [every, ListCaptures(f"{state}/captures", parts)]),
            Stage("newest", parts, [FindSuperseded(f"{state}/captures", f"{state}/superseded")]),
        ]
    judge = JudgeAlone(RecordWriter(f"{out}/dropped", "${rank}.alone.jsonl"), _draw_ids(plan.release), plan.restore)
    kept, signatures = f"{state}/kept", f"{state}/signatures"
    stages.append(
        Stage("clean", tasks, [reader, judge, RecordWriter(kept, "${rank}.jsonl"), TextSignatures(signatures)])
    )
    index = None
    if plan.release:
        index = f"{state}/release-index"
        texts = [ReleaseTexts(plan.release), TextSignatures(f"{state}/release-signatures")]
        build = MinhashBuildIndex(f"{state}/release-signatures", index, "release", CONFIG)
        stages += [Stage("release-signatures", 1, texts), Stage("release-index", BUCKETS, [build])]
    pairs, clusters = f"{state}/pairs", f"{state}/clusters"
    buckets = MinhashDedupBuckets(signatures, pairs, index, CONFIG, only_dedup_in_index=False, lines_to_buffer=1000)
    cluster = MinhashDedupCluster(pairs, clusters, CONFIG, save_cluster_id=True, lines_to_buffer=1000)
    candidates, decisions = f"{state}/candidates", f"{state}/decisions"
    writers: list[Any] = [RecordWriter(f"{out}/problems", "${rank}.jsonl")]
    if plan.parquet:
        writers.append(ParquetPool(f"{out}/parquet"))
    apply = ApplyDecisions(kept, decisions, RecordWriter(f"{out}/dropped", "${rank}.repeated.jsonl"))
    notes = [] if plan.release else ["not compared with Draw-1k and Alg-514: that needs the release (--release)"]
    return [
        *stages,
        Stage("buckets", BUCKETS, [buckets]),
        Stage("clusters", 1, [cluster]),
        Stage("candidates", tasks, [ListCandidates(kept, clusters, candidates, parts)]),
        Stage("decide", parts, [DecideCandidates(candidates, decisions, plan.release, plan.restore)]),
        Stage("pool", tasks, [apply, *writers]),
        Stage("collect", 1, [CollectPool(out, notes)]),
    ]


def _draw_ids(release: str | None) -> Sequence[int]:
    """Return the ids of Draw-1k, which are numbers of questions on the site."""
    if not release:
        return ()
    return [p.id for problems in load_problems("draw1k", release).values() for p in problems if isinstance(p.id, int)]


def grading_stages(plan: GradingPlan) -> list[Stage]:
    """Return the stages of a grading."""
    # --missing may change after all is graded, so the merge always runs.
    return [Stage("grade", plan.tasks, [GradeFiles(plan)]), Stage("merge", 1, [MergeTallies(plan)], always=True)]


# Tasks in processes of this machine: the engine's local executor with another pool under it. The engine's own waits for
# ever for a killed worker; this one starts its tasks again. Workers end with their parent, so that no orphan writes the
# files of the next run.

_RESTARTS = 3  # of killed workers in one stage
_QUIET = 1  # the engine prints the log of the first worker; all logs are in files


class Workers:
    """Processes that run tasks, kept from stage to stage and replaced when one is killed; one worker is a thread."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool: Executor | None = None
        if count > 1:
            self._context = worker_context()
            # Workers hold the read end; the write end closes however this process ends.
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
        """Shut all workers down."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


@contextmanager
def workers_of(count: int) -> Iterator[Workers]:
    """Provide workers, and shut them down at the end."""
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
        """Run incomplete tasks; return the errors of failed ones."""
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
        """Run one task on its own copy of the steps, because steps keep counts."""
        one = copy(self)
        one.pipeline = deepcopy(self.pipeline)
        failed: OSError | None = None
        # The task's log has it all; stderr would show a stack for every failure, and the engine's own bars.
        with redirect_stderr(io.StringIO()):
            try:
                one._run_for_rank(rank, _QUIET)
            except OSError as error:
                # The stack holds generators that write once more when they are closed: close them here.
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
                if is_disk_full(error):
                    for other in running:  # tasks that have not begun would fail as well
                        other.cancel()
            else:
                bar.update()
        return failed, None


def is_disk_full(error: BaseException) -> bool:
    """Decide whether an error is that of a full disk."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def _describe_error(error: BaseException) -> str:
    if is_disk_full(error):
        return f"the disk is full ({os.strerror(errno.ENOSPC)}); make room first"
    return str(error) or type(error).__name__


# Executors. A folder belongs to one run: the same plan resumes it, another plan is refused.


@dataclass(frozen=True, slots=True)
class Execution:
    """Options of an executor."""

    kind: str = "local"  # ``local``, ``slurm`` or ``ray``
    workers: int = 1  # tasks at a time; -1 for all
    options: Mapping[str, Any] = field(default_factory=dict)  # the engine's own, such as partition and time of Slurm
    report: Callable[[str], None] = lambda message: print(message, file=sys.stderr)
    progress: bool = False  # show a progress bar on stderr


def claim_folder(out: str, asked: Mapping[str, Any], stages: Sequence[Stage]) -> None:
    """Write the plan of a run into its folder, or check that the folder belongs to this run."""
    check_address(out)
    folder = get_datafolder(out)
    described = {"asked": asked, "stages": [[stage.name, stage.tasks] for stage in stages]}
    if folder.isfile("state/run.json"):
        with folder.open("state/run.json", "rb") as file:
            before = json.loads(file.read())
        if before != described:
            differ = [name for name in asked if before["asked"].get(name) != asked[name]] or ["stages"]
            name = differ[0]
            raise PipelineError(
                f"{out} belongs to another run: {name} was {short_repr(before['asked'].get(name))} and is now "
                f"{short_repr(asked.get(name))}; give another --out, or remove the folder"
            )
        return
    try:
        with whole_output(out, "state/run.json") as file:
            file.write(json.dumps(described, indent=1).encode())
    except OSError as error:
        raise _write_error(out, error) from error


def run_stages(stages: Sequence[Stage], out: str, execution: Execution) -> bool:
    """Run all stages; return whether they are complete. On Slurm they are only submitted."""
    _forget(stages, out)
    if execution.kind == "local":
        try:
            _run_locally(stages, out, execution)
        except OSError as error:
            raise _write_error(out, error) from error
        return True
    if execution.kind == "ray":
        _run_on_ray(stages, out, execution)
        return True
    if execution.kind == "slurm":
        _submit_to_slurm(stages, out, execution)
        return False
    raise ChoiceError(f"executor: expected local, slurm or ray, but got {short_repr(execution.kind)}")


def _forget(stages: Sequence[Stage], out: str) -> None:
    """Remove the completion marks of stages that always run."""
    for stage in stages:
        folder = get_datafolder(_logs(out, stage))
        if stage.always and folder.isdir("completions"):
            try:
                folder.rm("completions", recursive=True)
            except OSError as error:
                raise _write_error(out, error) from error


def _write_error(out: str, error: OSError) -> PipelineError:
    if is_disk_full(error):
        return PipelineError(f"{out}: {_describe_error(error)}; to continue, run the same command again")
    return PipelineError(f"cannot write to {out}: {error.strerror or error}")


def _logs(out: str, stage: Stage) -> str:
    return f"{out.rstrip('/')}/logs/{stage.name}"


def _check(stage: Stage, incomplete: Sequence[int], out: str, why: str) -> None:
    if incomplete:
        named = ", ".join(map(str, incomplete[:5])) + (", …" if len(incomplete) > 5 else "")
        raise PipelineError(
            f"stage {stage.name}: {len(incomplete)} of {stage.tasks} tasks are not complete ({named}){why}; "
            f"to continue, run the same command again (the logs of the tasks are in {_logs(out, stage)}/logs)"
        )


def _run_locally(stages: Sequence[Stage], out: str, execution: Execution) -> None:
    if execution.options:
        raise ChoiceError(f"the local executor takes no options, but got {', '.join(execution.options)}")
    count = max(stage.tasks for stage in stages) if execution.workers < 1 else execution.workers
    with workers_of(count) as workers:
        for stage in stages:
            executor = LocalTasks(stage.steps, stage.tasks, count, logging_dir=_logs(out, stage))
            failed = executor.run_in(workers, stage, execution.report, execution.progress)
            first = min(failed) if failed else -1
            why = f": task {first}: {_describe_error(failed[first])}" if failed else ""
            _check(stage, executor.get_incomplete_ranks(), out, why)


def _run_on_ray(stages: Sequence[Stage], out: str, execution: Execution) -> None:
    try:
        import ray
        from datatrove.executor.ray import RayPipelineExecutor
    except ImportError as error:
        raise ExtraMissing("the executor ray needs Ray: pip install 'ray[default]'") from error
    if not ray.is_initialized():
        _start_ray(ray)
    for stage in stages:
        try:
            executor = RayPipelineExecutor(
                stage.steps, stage.tasks, execution.workers, logging_dir=_logs(out, stage), **execution.options
            )
        except TypeError as error:
            raise ChoiceError(f"executor ray: {error}") from error
        _check_resources(ray, executor)
        executor.run()
        left = executor.get_incomplete_ranks()
        said = _last_error(out, stage.name, left[0]) if left else ""
        _check(stage, left, out, f": task {left[0]}: {said}" if said else "")


_ANSWERS_IN = 10  # seconds for the first answer of a Ray cluster; Ray itself tries for minutes


class _RayStart:
    """Turns what Ray raises while it starts into one line."""

    def __init__(self, ray: Any, address: str, advice: str) -> None:
        self._errors = (OSError, RuntimeError, ValueError, ray.exceptions.RayError)
        self._address, self._advice = address, advice

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        # A node that does not start in time is a plain Exception.
        if error is not None and (kind is Exception or isinstance(error, self._errors)):
            where = f"connect to the Ray cluster at {self._address}" if self._address else "start Ray"
            said = " ".join(str(error).split())[:300].rstrip(".")
            raise PipelineError(f"cannot {where}: {said}; {self._advice}") from error


def _start_ray(ray: Any) -> None:
    """Connect to the Ray cluster that RAY_ADDRESS names or that runs on this machine, or start one here."""
    address = os.environ.get("RAY_ADDRESS", "")
    folder = os.path.join(os.environ.get("RAY_TMPDIR", "/tmp"), "ray")
    advice = "set RAY_ADDRESS to HOST:PORT, as ray start --head prints it" if address else f"its logs are in {folder}"
    last = os.path.join(folder, "ray_current_cluster")
    if not address and os.path.isfile(last):  # a head that was killed leaves its address
        with open(last, encoding="utf-8") as file:
            address = file.read().strip()
        advice = f"if it has ended, remove {last}"
    host, _, port = address.rpartition("://")[2].rpartition(":")
    with _RayStart(ray, address, advice):
        if host and port.isdecimal():
            socket.create_connection((host.strip("[]"), int(port)), _ANSWERS_IN).close()
        ray.init(log_to_driver=False, logging_level=logging.ERROR)


def _check_resources(ray: Any, executor: Any) -> None:
    """Refuse tasks that no node of the cluster has room for, because Ray waits for such a node for ever."""
    needed = {"CPU": executor.cpus_per_task, "memory": executor.mem_per_cpu_gb * executor.cpus_per_task * 2**30}
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    if not any(all(node.get(name, 0) >= count for name, count in needed.items()) for node in nodes):
        having = "; ".join(f"{node.get('CPU', 0):g} cores, {node.get('memory', 0) / 2**30:.1f} GB" for node in nodes)
        raise PipelineError(
            f"executor ray: expected a node with {needed['CPU']:g} cores and {needed['memory'] / 2**30:.1f} GB for a "
            f"task, but got {having or 'no node'}; ask for less, as in --set mem_per_cpu_gb=0.5"
        )


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
        except (FileNotFoundError, subprocess.CalledProcessError) as error:
            raise PipelineError(f"cannot submit to Slurm: {error}; the scripts are in {out}/logs") from error


# Status of a run, from the completions, statistics and logs that the engine writes.


@dataclass(frozen=True, slots=True)
class StageStatus:
    """Progress of a stage."""

    name: str
    tasks: int
    done: int  # complete tasks
    items: int  # as its first step counts
    seconds: float  # of all tasks together
    unfinished: tuple[int, ...]  # tasks that have begun and are not complete: they run now, or were killed
    failures: dict[int, str]  # of these, the tasks whose log ends in an error, with that error

    @property
    def rate(self) -> float | None:
        """Items a second of one worker; None if nothing was counted or timed."""
        return self.items / self.seconds if self.items and self.seconds else None

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "stage": self.name,
            "tasks": self.tasks,
            "done": self.done,
            "left": self.tasks - self.done,
            "items": self.items,
            "items_a_second_a_worker": None if self.rate is None else round(self.rate, 1),
            "unfinished": list(self.unfinished),
            "failures": {str(task): said for task, said in self.failures.items()},
        }


def status_of(out: str) -> list[StageStatus]:
    """Return the status of each stage of a run."""
    check_address(out)
    folder = get_datafolder(out)
    if not folder.isfile("state/run.json"):
        raise PipelineError(f"{out}: expected the folder of a run, but there is no state/run.json in it")
    with folder.open("state/run.json", "rb") as file:
        stages = json.loads(file.read())["stages"]
    return [_stage_status(out, name, tasks) for name, tasks in stages]


def _stage_status(out: str, name: str, tasks: int) -> StageStatus:
    done = {int(path.rpartition("/")[2]) for path in list_files(out, f"logs/{name}/completions")}
    begun = {int(path[-9:-4]) for path in list_files(out, f"logs/{name}/logs") if path.endswith(".log")}
    items, seconds = _count_work(out, name)
    unfinished = tuple(sorted(begun - done))
    failures = {rank: said for rank in unfinished if (said := _last_error(out, name, rank))}
    return StageStatus(name, tasks, len(done), items, seconds, unfinished, failures)


_COUNTED = ("records", "ranges", "graded", "judged", "captures", "candidates", "total")


def _count_work(out: str, name: str) -> tuple[int, float]:
    items, seconds = 0, 0.0
    for steps in task_stats(out, name):
        totals = sum_stats(steps)
        # A step that takes the output of others counts their time as well.
        seconds += max((stat_total(step["time_stats"]) for step in steps), default=0.0)
        items += round(next((totals[label] for label in _COUNTED if label in totals), 0))
    return items, seconds


def _last_error(out: str, name: str, rank: int) -> str:
    folder, log = get_datafolder(out), f"logs/{name}/logs/task_{rank:05d}.log"
    if not folder.isfile(log):  # the task has never begun
        return ""
    with folder.open(log, "rb") as file:
        lines = file.read().decode("utf-8", errors="replace").splitlines()
    if not any("| ERROR" in line for line in lines):
        return ""
    said = [line for line in lines if line.strip() and not line.startswith((" ", ">", "│", "└", "\t"))]
    return said[-1][:300] if said else "an error"


def status_text(stages: list[StageStatus]) -> str:
    """Return the status as a table for a terminal."""
    lines = [f"{'stage':<20}{'tasks':>7}{'done':>7}{'left':>7}{'items':>12}{'a second':>11}  unfinished"]
    for stage in stages:
        rate = "" if stage.rate is None else f"{stage.rate:,.0f}"
        begun = ", ".join(map(str, stage.unfinished[:8])) + (", …" if len(stage.unfinished) > 8 else "")
        lines.append(
            f"{stage.name:<20}{stage.tasks:>7}{stage.done:>7}{stage.tasks - stage.done:>7}"
            f"{stage.items or '':>12}{rate:>11}  {begun}".rstrip()
        )
        lines += [f"  task {task} failed: {said}" for task, said in stage.failures.items()]
    if any(stage.unfinished for stage in stages):
        lines.append(
            "Unfinished tasks are running now, or were killed. If none is running, run the command again to continue."
        )
    return "\n".join(lines)
