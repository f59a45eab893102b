"""A run that is killed at chosen moments, each once: before a task begins, or when its work is done but not marked so.

As a program, it runs ``draw`` with tasks that look for their moment in a folder. A moment is a file; whoever takes it
away kills the worker that it is in, or the parent of all. So the number of kills and what they hit do not depend on how
fast the machine is.

    python killing.py worker|parent FOLDER draw-arguments…
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from draw_dataset.cli import main
from draw_dataset.scale import run as running
from draw_dataset.scale.run import LocalTasks

BEFORE, UNMARKED = "before", "unmarked"


class KilledTasks(LocalTasks):
    """Tasks whose process dies at chosen moments."""

    moments = Path()
    victim = 0  # the worker itself

    def run_rank(self, rank: int) -> None:
        self._moment(BEFORE, rank)
        super().run_rank(rank)

    def mark_rank_as_completed(self, rank: int) -> None:
        self._moment(UNMARKED, rank)
        super().mark_rank_as_completed(rank)

    def _moment(self, when: str, rank: int) -> None:
        stage = Path(self.logging_dir.path).name
        try:
            (self.moments / f"{stage} {rank} {when}").unlink()
        except FileNotFoundError:
            return
        os.kill(self.victim or os.getpid(), signal.SIGKILL)
        signal.pause()  # until the worker sees that its parent is gone


def plan(folder: Path, moments: list[tuple[str, int, str]]) -> None:
    """Write moments down, as (stage, task, when)."""
    folder.mkdir(exist_ok=True)
    for stage, rank, when in moments:
        (folder / f"{stage} {rank} {when}").touch()


def tasks_killed_in(folder: Path, victim: int) -> type[LocalTasks]:
    """Return tasks whose instances carry the folder and the victim to the workers."""

    def made(*arguments: object, **options: object) -> LocalTasks:
        tasks = KilledTasks(*arguments, **options)
        tasks.moments, tasks.victim = folder, victim
        return tasks

    return made


if __name__ == "__main__":
    whom, where, *given = sys.argv[1:]
    # Workers import the class by the name of this module, which is another one while it is the program.
    from pipelines import killing

    running.LocalTasks = killing.tasks_killed_in(Path(where), os.getpid() if whom == "parent" else 0)
    sys.exit(main(given))
