"""What `scripts/benchmark.py` measures by and on: processor time, resident memory, rows and their rewriting."""

from __future__ import annotations

import gc
import json
import os
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rewriting import renamed, rewrite

from draw_dataset import Template

# The modules whose caches are emptied
CACHING = tuple(f"draw_dataset.{part}." for part in ("adapters", "algebra", "derivation", "reading", "scoring"))


def forget_everything() -> None:
    """Empty every cache, so that the next call sees its argument for the first time."""
    for name, module in list(sys.modules.items()):
        if name.startswith(CACHING):
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


ROOT = Path(__file__).resolve().parents[2]
DATASETS = ("draw1k", "alg514", "dolphin_l")
FILES = ("draw.json", "kushman.json", "dolphin_t2_final.json")
BUILT_IN = (
    ["m + n = a", "m - n = b"], ["a * m + b * n = c * d", "m + n = d"], ["a * m + b * n = c", "d * m + e * n = f"],
    ["m = a * b + c"], ["a * m - b * m = c"], ["m + n = a", "b * m - c * n = d"], ["1 / a * m + 1 / b * m = 1"],
    ["0.01 * a * m + 0.01 * b * n = c", "m + n = d"], ["m = a + b * n", "m + n = c"], ["a * m + b * m = c - d"],
    ["m + n + o = a", "m - n = b", "o = c * n"], ["a * m + b * n = c * d + e * f", "m + n = d"],
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """What a benchmark needs of a problem."""

    template: list[str]
    alignment: dict[str, tuple[int, int]]
    equiv: list[list[tuple[int, int]]]
    equations: list[str]
    question: str = ""


def release_folder() -> Path | None:
    """Return the folder of the release, if it is there."""
    folder = Path(os.environ.get("DRAW_RELEASE_DIR") or ROOT.parent / "shared" / "release")
    return folder if (folder / FILES[0]).is_file() else None


def load_rows() -> tuple[str, list[Row]]:
    """Return where the rows come from, and the rows."""
    folder = release_folder()
    if folder is None:
        return "built-in", [built_in_row(equations) for equations in BUILT_IN]
    rows = []
    for name in FILES:
        for p in json.loads((folder / name).read_text(encoding="utf-8")):
            alignment = {a["coeff"]: (a["SentenceId"], a["TokenId"]) for a in p["Alignment"]}
            groups = [[(s, t) for s, t, _ in group] for group in p["Equiv"]]
            rows.append(Row(p["Template"], alignment, groups, p["lEquations"], p["sQuestion"]))
    return "release", rows


def built_in_row(equations: list[str]) -> Row:
    """Return a row for a template, its alignment and equations made up."""
    slots = Template(equations).slots
    alignment = {slot: (i // 2, 3 * i + 1) for i, slot in enumerate(slots)}
    grounded = [e.translate({ord(s): str(3 * i + 2) for i, s in enumerate(slots)}) for e in equations]
    return Row(equations, alignment, [], grounded)


def prediction(row: Row, kind: int, rng: random.Random) -> tuple[list[str], dict[str, tuple[int, int]]]:
    """Return a prediction: gold renamed (0), reordered (1), rescaled (2), numbers swapped (3) or wrong (4)."""
    equations, alignment = (
        renamed(row.template, row.alignment, rng) if kind in (0, 3) else (row.template, dict(row.alignment))
    )
    if kind in (1, 2):
        equations = rewrite(equations, rng, scale=kind == 2, reorder=kind == 1)
    if kind == 3 and len(alignment) > 1:
        one, other = rng.sample(sorted(alignment), 2)
        alignment[one], alignment[other] = alignment[other], alignment[one]
    if kind == 4 and alignment:
        alignment[rng.choice(sorted(alignment))] = (rng.randrange(4), 1000 + rng.randrange(20))
    return equations, alignment
