"""How fast answers of language models are read and graded, next to a peer that looks at their final answers only."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.measures import memory_now
from benchmarks.rows import ROOT, release_folder
from draw_dataset import grade
from draw_dataset.catalog import load
from draw_dataset.core.problem import Problem
from draw_dataset.files import read_json_lines
from draw_dataset.sample import load_sample
from draw_dataset.scoring.reference import Reference

SETS = {"chatgpt_draw1k": "draw1k", "gpt35_draw1k": "draw1k", "gpt35_alg514": "alg514"}


def answers() -> tuple[str, list[tuple[str, Problem]]]:
    """Return where the answers come from, and each with its problem."""
    folder = Path(os.environ.get("DRAW_ANSWERS_DIR") or ROOT.parent / "shared" / "llm_answers")
    release = release_folder()
    if release is None or not folder.is_dir():
        known = {problem.id: problem for split in load_sample().values() for problem in split}
        files = sorted((ROOT / "draw_dataset" / "sample" / "answers").glob("*.jsonl"))
        entries = [line.value for file in files for line in read_json_lines(file)]
        return "sample", [(entry["answer"], known[entry["id"]]) for entry in entries]
    found = []
    for name, config in SETS.items():
        known = {problem.id: problem for problem in load(config, str(release))}
        entries = [line.value for line in read_json_lines(folder / f"{name}.jsonl")]
        found += [(entry["answer"], known[entry["id"]]) for entry in entries]
    return "language models", found


def section_r(rows: object, quick: bool) -> dict[str, Any]:
    """Read and grade answers of language models, against math-verify on their final answers."""
    del rows
    source, listed = answers()
    random.Random(11).shuffle(listed)
    rows_of = {id(problem): problem.to_row() for _, problem in listed}
    # Gold is prepared once for a problem, as where a file is scored.
    references = {key: Reference.of(row) for key, row in rows_of.items()}
    given = [(answer, references[id(problem)]) for answer, problem in listed[: 300 if quick else 3_000]]
    for answer, reference in given:
        grade({"answer": answer[:1]}, reference)
    before = memory_now()
    ours = [spent(lambda a=answer, r=one: grade({"answer": a}, r)) for answer, one in given]  # type: ignore[misc]
    result: dict[str, Any] = {
        "answers": len(given),
        "from": source,
        "answers a second": round(len(given) / sum(ours)),
        "milliseconds, median": round(quantile(ours, 0.5), 2),
        "milliseconds, 99th percentile": round(quantile(ours, 0.99), 2),
        "megabytes more at the end": round(memory_now() - before, 1),
        "aim": "median 2 ms, 99th percentile 20 ms, memory flat",
    }
    try:
        from math_verify import parse, verify
    except ImportError:
        return result | {"peer": "math-verify is not installed (pip install 'draw-dataset[bench]')"}
    peer = [
        spent(lambda a=answer, g=one.problem.solutions: verify(parse(f"${', '.join(map(str, g))}$"), parse(a)))  # type: ignore[misc]
        for answer, one in given[: 40 if quick else 200]
    ]
    return result | {
        "milliseconds of math-verify, median": round(quantile(peer, 0.5), 2),
        "ratio of medians": round(quantile(peer, 0.5) / quantile(ours, 0.5), 1),
    }


def spent(work: Any) -> float:
    """Return the processor time of some work."""
    started = time.process_time()
    work()
    return time.process_time() - started


def quantile(times: Sequence[float], share: float) -> float:
    """Return a quantile in milliseconds."""
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] * 1e3
