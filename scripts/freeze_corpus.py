"""Record what the package answers on all local data, and compare two records.

A record is a folder outside the repository with one JSONL file a section (``{"key", "value"}``) and ``digests.json``.
The modules of ``scripts/frozen`` make the sections. They use only the public surface of the package, so the same script
runs before and after modules are moved. With ``--only``, other sections of an existing record are kept.

    python scripts/freeze_corpus.py /tmp/freeze/mine --jobs 2
    python scripts/freeze_corpus.py /tmp/freeze/quick --every 10 --only answers,commands
    python scripts/freeze_corpus.py --compare /tmp/freeze/baseline /tmp/freeze/mine
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby, islice, takewhile
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from frozen import commands, data
from frozen.values import PIECES, SHARED, Item, mask, read_lines

PRODUCERS: dict[str, tuple[Callable[..., Iterator[Item]], tuple[str, ...], list[tuple[Any, ...]]]] = {
    "commands": (commands.freeze_commands, ("commands", "stderr", "pages", "help"), [()]),
    "solver": (commands.freeze_solver, ("solver",), [
        ("draw1k template-first",), ("built-in",), ("sample similarity",), ("sample zdc",), ("sample kazb",)]),
    "answers": (data.freeze_answers, ("answers", "messages", "readings"), [
        (name, piece) for name in data.ANSWER_FILES for piece in range(PIECES)]),
    "derived": (data.freeze_derived, ("derived",), [(name, piece) for name in data.SOURCES for piece in (
        range(PIECES) if name.endswith("jsonl") else (0,))]),
    "rows": (data.freeze_rows, ("rows",), [(name,) for name in data.DATASETS]),
    "algebra": (data.freeze_algebra, ("keys", "numbers", "shown", "pairs"), [(name,) for name in data.DATASETS]),
    "variants": (data.freeze_variants, ("variants", "probes"), [(name,) for name in data.DATASETS]),
    "scores": (data.freeze_scores, ("scores",), [(name,) for name in (*data.DATASETS, "svamp_full.json")]),
    "adapters": (data.freeze_adapters, ("adapters",), [()]),
}  # fmt: skip
SECTIONS = [section for _, sections, _ in PRODUCERS.values() for section in sections]


def run_task(task: tuple[str, tuple[Any, ...], int]) -> tuple[list[tuple[str, str, str]], float]:
    """Return the items of a task with values as JSON, and how many seconds of processor time it took."""
    name, arguments, every = task
    begun = time.process_time()
    items = []
    try:
        for section, key, value in PRODUCERS[name][0](every, *arguments):
            items.append((section, key, json.dumps(value, ensure_ascii=False)))
    except Exception as error:  # a crash is a difference, and the other tasks still run
        trace = "".join(traceback.format_exception(error)[-2:])
        print(f"freeze_corpus: {name} {arguments} crashed: {trace}", file=sys.stderr)
        items.append((PRODUCERS[name][1][0], f"crash: {name} {arguments}", json.dumps(mask(trace))))
    return items, time.process_time() - begun


def record(out: Path, tree: Path, only: Sequence[str], every: int, jobs: int) -> None:
    """Write a record."""
    tasks = [(name, one, every) for name, (_, parts, all_) in PRODUCERS.items() if {*parts} & {*only} for one in all_]
    temporary = tempfile.mkdtemp(prefix="freeze-")
    os.environ.update(
        FREEZE_TEMPORARY=temporary, FREEZE_TREE=str(tree), DRAW_RELEASE_DIR=str(SHARED / "release"),
        DRAW_CACHE_DIR=f"{temporary}/draw", HF_HOME=f"{temporary}/hf", HF_DATASETS_CACHE=f"{temporary}/hf/datasets",
        HF_HUB_OFFLINE="1", HF_DATASETS_DISABLE_PROGRESS_BARS="1", TQDM_DISABLE="1", OMP_NUM_THREADS="1",
        OPENBLAS_NUM_THREADS="1", COLUMNS="100", NO_COLOR="1", PYTHONPATH=str(tree),
    )  # fmt: skip
    sys.path.insert(0, str(tree))  # spawned processes take it over
    import draw_dataset

    if not Path(draw_dataset.__file__).is_relative_to(tree):
        raise SystemExit(f"freeze_corpus: draw_dataset comes from {draw_dataset.__file__}, not from {tree}")
    out.mkdir(parents=True, exist_ok=True)
    spent: dict[str, float] = {}
    try:
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
            results = zip(tasks, pool.map(run_task, tasks), strict=True)
            for name, group in groupby(results, key=lambda result: result[0][0]):
                found: dict[str, dict[str, str]] = {part: {} for part in PRODUCERS[name][1] if part in only}
                for _, (items, seconds) in group:
                    spent[name] = spent.get(name, 0) + seconds
                    for section, key, value in items:
                        if section in found and found[section].setdefault(key, value) != value:
                            raise SystemExit(f"freeze_corpus: {section} has two values of {key!r}")
                write_sections(out, found, every)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    print("seconds of processor time:", ", ".join(f"{name} {seconds:.0f}" for name, seconds in spent.items()))


def write_sections(out: Path, found: Mapping[str, Mapping[str, str]], every: int) -> None:
    """Write sections that are complete, and their digests."""
    summary = out / "digests.json"
    before = json.loads(summary.read_text(encoding="utf-8")) if summary.exists() else {}
    digests: dict[str, Any] = before["sections"] if before.get("every") == every else {}
    for section, values in found.items():
        keyed = ((json.dumps(key, ensure_ascii=False), value) for key, value in values.items())
        text = "".join(f'{{"key": {key}, "value": {value}}}\n' for key, value in keyed)
        (out / f"{section}.jsonl").write_text(text, encoding="utf-8")
        digests[section] = {"items": len(values), "sha256": hashlib.sha256(text.encode()).hexdigest()}
        print(f"{section:10} {len(values):7} items  {digests[section]['sha256'][:16]}", flush=True)
    summary.write_text(json.dumps({"every": every, "sections": digests}, indent=1), encoding="utf-8")


def differences(one: Any, other: Any, where: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield the places where two values differ, with both parts."""
    if isinstance(one, dict) and isinstance(other, dict) and [*one] == [*other]:
        for name in one:
            yield from differences(one[name], other[name], f"{where}.{name}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for at, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, f"{where}[{at}]")
    elif one != other:
        yield where, one, other


def shorten(one: Any, other: Any) -> tuple[str, str]:
    """Return two values as short texts that begin a little before they differ."""
    texts = [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in (one, other)]
    same = takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False))
    begin = max(0, sum(1 for _ in same) - 40)
    cut = ["…" * (begin > 0) + text[begin : begin + 160] + "…" * (len(text) > begin + 160) for text in texts]
    return repr(cut[0]), repr(cut[1])


def compare(first: Path, second: Path, only: Sequence[str], shown: int) -> int:
    """Print how two records differ; return 1 if they do."""
    pair = [json.loads((folder / "digests.json").read_text(encoding="utf-8")) for folder in (first, second)]
    if pair[0]["every"] != pair[1]["every"]:
        raise SystemExit(f"freeze_corpus: --every is {pair[0]['every']} in one and {pair[1]['every']} in the other")
    status = 0
    for section in only:
        have = [section in one["sections"] for one in pair]
        if not all(have):
            if any(have):
                print(f"{section:10} only in {first if have[0] else second}: not compared")
            continue
        old, new = (
            {i["key"]: i["value"] for i in read_lines(folder / f"{section}.jsonl")} for folder in (first, second)
        )
        changed = [key for key in old if key in new and json.dumps(old[key]) != json.dumps(new[key])]
        removed, added = [key for key in old if key not in new], [key for key in new if key not in old]
        order = not (changed or removed or added) and [*old] != [*new]
        equal = len(old) - len(changed) - len(removed)
        print(
            f"{section:10} {equal:7} equal {len(changed):6} changed {len(added):6} added {len(removed):6} removed"
            + " (another order)" * order
        )
        status |= bool(changed or removed or added or order)
        for key in changed[:shown]:
            print(f"    {key}")
            for where, one, other in islice(differences(old[key], new[key]), 3):
                print("        {}\n          - {}\n          + {}".format(where or "(value)", *shorten(one, other)))
        for sign, keys in (("-", removed), ("+", added)):
            print("".join(f"    {sign} {key}\n" for key in keys[:shown]), end="")
    return status


def main(argv: Sequence[str] | None = None) -> int:
    """Record or compare; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("out", type=Path, nargs="?", metavar="OUT_DIR", help="the folder to write, outside the tree")
    parser.add_argument("--compare", type=Path, nargs=2, metavar=("DIR_A", "DIR_B"), help="compare two records")
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, with commas: %(default)s")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth item")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes (default %(default)s)")
    parser.add_argument("--shown", type=int, default=5, metavar="N", help="changed keys to show a section")
    here = Path(__file__).resolve().parents[1]
    parser.add_argument("--tree", type=Path, default=here, help="the working tree whose package is recorded")
    arguments = parser.parse_args(argv)
    only = arguments.only.split(",")
    if unknown := {*only} - {*SECTIONS}:
        parser.error(f"unknown sections: {', '.join(sorted(unknown))}")
    if arguments.compare:
        return compare(*arguments.compare, only, arguments.shown)
    if arguments.out is None or arguments.every < 1:
        parser.error("expected OUT_DIR or --compare, and --every from 1")
    tree = arguments.tree.resolve()
    if any(arguments.out.resolve().is_relative_to(folder) for folder in (tree, here)):
        parser.error("OUT_DIR is inside the repository; records hold texts that must not enter it")
    record(arguments.out, tree, only, arguments.every, arguments.jobs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
