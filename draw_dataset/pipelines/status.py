"""How far a run is, from what the engine leaves behind: completions, statistics and logs of its tasks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from datatrove.io import get_datafolder

from draw_dataset.errors import PipelineError
from draw_dataset.pipelines.folders import list_files


@dataclass(frozen=True, slots=True)
class StageStatus:
    """How far a stage is.

    Attributes:
        name: the stage.
        tasks: how many there are.
        done: how many are complete.
        items: what its tasks have worked on, as its first step counts.
        seconds: how long tasks have worked, all together.
        unfinished: tasks that have begun and are not complete: they run now, or were killed.
        failures: of these, the tasks whose log ends in an error, with that error.
    """

    name: str
    tasks: int
    done: int
    items: int
    seconds: float
    unfinished: tuple[int, ...]
    failures: dict[int, str]

    @property
    def rate(self) -> float | None:
        """Items a second of one worker; None where nothing was counted or timed."""
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
    """Return how far each stage of a run is.

    Raises:
        PipelineError: the folder is not of a run.
    """
    folder = get_datafolder(out)
    if not folder.isfile("state/run.json"):
        raise PipelineError(f"{out}: expected the folder of a run, but there is no state/run.json in it")
    with folder.open("state/run.json", "rb") as file:
        stages = json.loads(file.read())["stages"]
    return [_stage(out, name, tasks) for name, tasks in stages]


def _stage(out: str, name: str, tasks: int) -> StageStatus:
    done = {int(path.rpartition("/")[2]) for path in list_files(out, f"logs/{name}/completions")}
    begun = {int(path[-9:-4]) for path in list_files(out, f"logs/{name}/logs") if path.endswith(".log")}
    items, seconds = _worked(out, name)
    unfinished = tuple(sorted(begun - done))
    failures = {rank: said for rank in unfinished if (said := _last_error(out, name, rank))}
    return StageStatus(name, tasks, len(done), items, seconds, unfinished, failures)


_COUNTED = ("records", "ranges", "graded", "judged", "captures", "candidates", "total")


def _worked(out: str, name: str) -> tuple[int, float]:
    folder = get_datafolder(out)
    items, seconds = 0, 0.0
    for path in list_files(out, f"logs/{name}/stats"):
        with folder.open(path, "rb") as file:
            steps = json.loads(file.read())
        totals: dict[str, float] = {}
        longest = 0.0
        for step in steps:
            for label, value in step["stats"].items():
                totals[label] = totals.get(label, 0) + (value["total"] if isinstance(value, dict) else value)
            taken = step["time_stats"]
            # A step that takes what others give it counts their time as well.
            longest = max(longest, taken["total"] if isinstance(taken, dict) else taken)
        seconds += longest
        items += round(next((totals[label] for label in _COUNTED if label in totals), 0))
    return items, seconds


def _last_error(out: str, name: str, rank: int) -> str:
    folder = get_datafolder(out)
    with folder.open(f"logs/{name}/logs/task_{rank:05d}.log", "rb") as file:
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
