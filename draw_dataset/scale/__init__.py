"""Cleaning archives and grading answers on many processes or machines, on datatrove.

`readers` reads question pages of WARC files or byte ranges, `steps` judges and deduplicates them, `grading` counts
predictions, and `run` puts the steps in order and gives them to an executor. Needs the extra ``scale``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext


def worker_context() -> ForkServerContext:
    """Return the context in which workers start; its server begins to import the engine at once.

    The import takes a second. Call this before the own import of `run`, so that both go on at the same time.
    """
    import multiprocessing
    from multiprocessing import forkserver

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["draw_dataset.scale.run"])
    forkserver.ensure_running()
    return context
