"""Giving stages to an executor of the engine: here, on Slurm or on Ray.

A folder belongs to one run. What was asked for is written down first, and another question for the same folder is
refused; the same one goes on where the last stopped.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from datatrove.io import get_datafolder

from draw_dataset.errors import ChoiceError, ExtraMissing, PipelineError, shown
from draw_dataset.pipelines.folders import whole_output
from draw_dataset.pipelines.local import LocalTasks, is_full, told, workers_of
from draw_dataset.pipelines.stages import Stage


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
        PipelineError: the folder belongs to another run, or cannot be written to.
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
    try:
        with whole_output(out, "state/run.json") as file:
            file.write(json.dumps(described, indent=1).encode())
    except OSError as error:
        raise _unwritten(out, error) from error


def run_stages(stages: Sequence[Stage], out: str, execution: Execution) -> bool:
    """Run all stages; return whether they are complete, which on Slurm they are later.

    Raises:
        PipelineError: tasks have failed; says which and why.
        ChoiceError: there is no such executor, or it has no such option.
        ExtraMissing: the executor is not installed.
    """
    _forget(stages, out)
    if execution.kind == "local":
        try:
            _run_here(stages, out, execution)
        except OSError as error:
            raise _unwritten(out, error) from error
        return True
    if execution.kind == "ray":
        _run_on_ray(stages, out, execution)
        return True
    if execution.kind == "slurm":
        _submit_to_slurm(stages, out, execution)
        return False
    raise ChoiceError(f"executor: expected local, slurm or ray, but got {shown(execution.kind)}")


def _forget(stages: Sequence[Stage], out: str) -> None:
    """Remove the marks of complete tasks from stages that always run."""
    for stage in stages:
        folder = get_datafolder(_logs(out, stage))
        if stage.always and folder.isdir("completions"):
            try:
                folder.rm("completions", recursive=True)
            except OSError as error:
                raise _unwritten(out, error) from error


def _unwritten(out: str, error: OSError) -> PipelineError:
    if is_full(error):
        return PipelineError(f"{out}: {told(error)}; to continue, run the same command again")
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


def _run_here(stages: Sequence[Stage], out: str, execution: Execution) -> None:
    if execution.options:
        raise ChoiceError(f"the local executor takes no options, but got {', '.join(execution.options)}")
    count = max(stage.tasks for stage in stages) if execution.workers < 1 else execution.workers
    with workers_of(count) as workers:
        for stage in stages:
            executor = LocalTasks(stage.steps, stage.tasks, count, logging_dir=_logs(out, stage))
            failed = executor.run_in(workers, stage, execution.report, execution.progress)
            first = min(failed) if failed else -1
            why = f": task {first}: {told(failed[first])}" if failed else ""
            _check(stage, executor.get_incomplete_ranks(), out, why)


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
