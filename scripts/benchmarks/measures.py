"""How it is measured: processor time, resident memory, and caches emptied before."""

from __future__ import annotations

import gc
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


def forget_everything() -> None:
    """Empty every cache, so that the next call sees its argument for the first time."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("draw_dataset.core.", "draw_dataset.scoring.")):
            for value in vars(module).values():
                if hasattr(value, "cache_clear") and not isinstance(value, type):
                    value.cache_clear()


@contextmanager
def paused_collector() -> Iterator[None]:
    """Pause the garbage collector, whose part of the work depends on what else is in memory."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def timed(work: Callable[[], object]) -> float:
    """Return the processor time of some work: what else the machine does should not count."""
    gc.collect()
    started = time.process_time()
    work()
    return time.process_time() - started


def timed_list(target: list[bool], work: Callable[[], list[bool]]) -> float:
    """Return the processor time of some work, and put what it returns into a list."""
    return timed(lambda: target.__setitem__(slice(None), work()))


def memory_now() -> float:
    """Return the resident memory of this process in megabytes."""
    try:
        fields = Path("/proc/self/statm").read_text(encoding="ascii").split()
        return int(fields[1]) * resource.getpagesize() / 2**20
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
