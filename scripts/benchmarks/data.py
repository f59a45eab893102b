"""How fast texts are read, datasets loaded, and the package imported."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from typing import Any

from benchmarks.measures import timed
from benchmarks.rows import DATASETS, FILES, Row, release_folder
from draw_dataset import find_numbers
from draw_dataset.sample import load_sample


def section_n(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Find the numbers of the texts."""
    questions = [row.question for row in rows if row.question] or [
        p.question for problems in load_sample().values() for p in problems
    ]
    repeats = 1 if quick else 5
    spent = min(timed(lambda: [find_numbers(question) for question in questions]) for _ in range(repeats))
    return {
        "texts": len(questions),
        "problems a second": round(len(questions) / spent),
        "aim": "at least 10,000 a second",
    }


def section_l(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Load a dataset, against decoding its file and against Dataset.from_list of the same rows."""
    del quick
    folder = release_folder()
    if folder is None:
        return {"skipped": "needs the release"}
    from datasets import Dataset, disable_progress_bars

    from draw_dataset.draw1k import Draw1k
    from draw_dataset.huggingface.features import row_features
    from draw_dataset.release import load_problems

    disable_progress_bars()
    result: dict[str, Any] = {"aim": "seconds for all configs"}
    total = timed(lambda: [json.loads((folder / name).read_text(encoding="utf-8")) for name in FILES])
    problems = [p for d in DATASETS for ps in load_problems(d, folder).values() for p in ps]
    as_rows = [p.to_row() for p in problems]
    from_list = timed(lambda: Dataset.from_list(as_rows, features=row_features()))
    reading = timed(lambda: [[p.to_row() for ps in load_problems(d, folder).values() for p in ps] for d in DATASETS])
    with tempfile.TemporaryDirectory() as cache:
        started = time.perf_counter()
        for name in DATASETS:
            builder = Draw1k(config_name=name, cache_dir=cache, data_dir=str(folder), hash="benchmark")
            builder.download_and_prepare()
        built = time.perf_counter() - started
    result["rows"] = len(rows)
    result["rows a second, json.load alone"] = round(len(rows) / total)
    result["rows a second, problems and rows from the files"] = round(len(rows) / reading)
    result["rows a second, Dataset.from_list of the rows"] = round(len(rows) / from_list)
    result["rows a second, the builder from nothing to Arrow files"] = round(len(rows) / built)
    return result


def section_i(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Import the package, against starting Python."""
    del rows
    times = {}
    for name, code in (("python alone", "pass"), ("import draw_dataset", "import draw_dataset")):
        runs = []
        for _ in range(5 if quick else 15):
            started = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            runs.append(time.perf_counter() - started)
        times[name] = min(runs)
    added = times["import draw_dataset"] - times["python alone"]
    return {"milliseconds added": round(added * 1e3, 1), "aim": "at most 200 milliseconds"}
