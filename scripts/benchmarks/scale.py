"""How fast pages are cleaned and answers graded in many processes, by stage, and how that grows."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import resource
import runpy
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks import Row

# Where pipelines are run, as far as it is installed
EXECUTORS = {
    "1 worker": ["--workers", "1"],
    "2 workers": ["--workers", "2"],
    "Ray, 2 workers": [
        "--workers",
        "2",
        "--executor",
        "ray",
        "--set",
        "mem_per_cpu_gb=0.1",
        "--set",
        "tasks_per_job=4",
    ],
}

SURVIVE = 0.12  # the share of pages that the paper's text filters leave: 12k of 100k


def cpu(work: Callable[[], object], repeats: int = 3) -> float:
    """Return the least CPU time of some runs: others on the machine disturb it less than they do the clock."""
    best = float("inf")
    for _ in range(repeats):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


def an_item(work: Callable[[Any], object], batches: Sequence[Sequence[Any]]) -> float:
    """Return the least CPU seconds an item of some batches, each worked on once: what is remembered does not help."""
    return min(cpu(lambda items=items: [work(item) for item in items], 1) / len(items) for items in batches)  # type: ignore[misc]


def told_apart(pages: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return the pages that the text filters drop, and those that survive them."""
    from draw_dataset.collect.filters import TEXT_FILTERS, record_of

    dropped, surviving = [], []
    for page in pages:
        record = record_of(page)
        gone = record.dropped_by or any(check(record) for check in TEXT_FILTERS.values())
        (dropped if gone else surviving).append(page)
    return dropped, surviving


def paper_mix(pages: Sequence[Any], count: int, seed: int) -> tuple[list[Any], list[Any]]:
    """Return pages of which 12 % survive the text filters, each of these once, and all that survive."""
    dropped, surviving = told_apart(pages)
    rng = random.Random(seed)
    mix = surviving[: round(SURVIVE * count)]
    mix += [rng.choice(dropped) for _ in range(count - len(mix))]
    rng.shuffle(mix)
    return mix, surviving


def section_k(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Clean pages without memory, by stage, and in the pipeline, at growing numbers of pages."""
    del rows
    try:
        from cleaning.stand_in import pages_of, site_of
        from pipelines.archives import write_archives  # noqa: F401
    except ImportError as error:
        return {"skipped": f"{error} (pip install 'draw-dataset[test]')"}
    from draw_dataset.collect.filters import judge_alone, record_of, with_equations
    from draw_dataset.collect.pool import shape_of_record

    size = 300 if quick else 800
    pairs = [paper_mix(pages_of(site_of(size, seed)), 4 * size, seed) for seed in (7, 8, 9)]
    mixes, surviving = [mix for mix, _ in pairs], [left for _, left in pairs]
    result: dict[str, Any] = {
        "pages a second a core, a mix like the paper's (12 % survive the text filters)": round(
            1 / an_item(lambda page: judge_alone(record_of(page)), mixes)
        ),
        "aim": "1,000",
        "pages a second a core where all survive": round(
            1 / an_item(lambda page: judge_alone(record_of(page)), surviving)
        ),
        "aim where all survive": "300",
    }
    records = [[record_of(page) for page in mix] for mix in mixes]
    left = [[record_of(page) for page in pages] for pages in surviving]
    result["microseconds a page"] = {
        "parse and tidy": round(1e6 * an_item(record_of, mixes)),
        "text filters and the equations of what is left": round(1e6 * an_item(judge_alone, records)),
        "equations, of a page that survives": round(1e6 * an_item(with_equations, left)),
        "what is compared, of a page that survives": round(1e6 * an_item(shape_of_record, left)),
    }
    result["scaling by processor time"] = {
        f"{count} pages": on_more_cores(count) for count in ((1_600,) if quick else (4_000, 16_000))
    }
    sizes = (1_000,) if quick else (10_000, 100_000, 1_000_000)
    result["in the pipeline by executor, by the clock"] = by_executor(500 if quick else 5_000)
    result["in the pipeline, 1 worker"] = {f"{size} pages": in_pipeline(size) for size in sizes}
    return result


def write_mix(folder: Path, size: int, step: int = 10_000) -> None:
    """Write archives of so many pages in the paper's mix, each with survivors of a site of its own."""
    from cleaning.stand_in import Site, pages_of, renumbered
    from pipelines.archives import write_archives

    for start in range(0, size, step):
        count = min(step, size - start)
        mix, _ = paper_mix(pages_of(Site(max(100, count // 6), 1_000 + start // step)), count, start)
        pages = [renumbered(page, start + place) for place, page in enumerate(mix, 1)]
        write_archives(folder / f"{start:08d}", pages, 1)


def by_executor(size: int) -> dict[str, str]:
    """Return how fast pages are cleaned on the executors that are installed, and whether their pools are the same."""
    from cleaning.stand_in import HOST

    from draw_dataset.cli import main

    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_mix(folder / "warc", size, step=size // 4)
        pools = set()
        for title, more in EXECUTORS.items():
            if "ray" in more and find_spec("ray") is None:
                found[title] = "skipped: Ray is not installed"
                continue
            out = folder / title
            arguments = ["--warc", str(folder / "warc"), "--out", str(out), "--site", HOST, "--quiet", *more]
            started = time.perf_counter()
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                assert main(["pipeline", "clean", *arguments]) == 0
            spent = time.perf_counter() - started
            pools.add((out / "problems.jsonl").read_bytes())
            same = "the same pool" if len(pools) == 1 else "ANOTHER POOL"
            found[title] = f"{round(size / spent)} pages a second ({spent:.1f} s), {same}"
    return found


def in_pipeline(size: int) -> dict[str, Any]:
    """Return what cleaning so many pages in the pipeline takes, with one worker."""
    from cleaning.stand_in import HOST

    from draw_dataset.cli import main
    from draw_dataset.scale.run import status_of

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_mix(folder / "warc", size)
        arguments = ["pipeline", "clean", "--warc", str(folder / "warc"), "--out", str(folder / "out")]
        started, used = time.perf_counter(), time.process_time()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            assert main([*arguments, "--site", HOST, "--workers", "1", "--quiet"]) == 0
        spent, used = time.perf_counter() - started, time.process_time() - used
        stages = {stage.name: round(stage.rate) for stage in status_of(str(folder / "out")) if stage.rate}
        funnel = json.loads((folder / "out" / "funnel.json").read_text(encoding="utf-8"))
    return {
        "kept": funnel["steps"]["deduplicated"],
        "dropped as repeated": funnel["dropped"]["duplicate"],
        "pages a second, all stages, by CPU": round(size / used),
        "pages a second, all stages, by the clock": round(size / spent),
        "items a second by stage": stages,
        "megabytes at most": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def longest(costs: Sequence[float], workers: int) -> float:
    """Return how long the last of some workers takes, each of which gets the next task when it is free."""
    spent = [0.0] * workers
    for cost in costs:
        spent[spent.index(min(spent))] += cost
    return max(spent)


def on_more_cores(size: int, files: int = 16) -> dict[str, Any]:
    """Return how cleaning scales, from the processor time of each task: other programs do not disturb that."""
    from cleaning.stand_in import HOST

    from draw_dataset.cli import main
    from draw_dataset.scale import run

    spent: dict[str, list[float]] = {}

    class TimedTasks(run.LocalTasks):
        """Tasks that note their processor time."""

        def run_rank(self, rank: int) -> None:
            started = time.process_time()
            super().run_rank(rank)
            spent.setdefault(Path(self.logging_dir.path).name, []).append(time.process_time() - started)

    code = "import time, draw_dataset.scale.run; print(time.process_time())"
    start = min(float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(3))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_mix(folder / "warc", size, step=size // files)
        usual, run.LocalTasks = run.LocalTasks, TimedTasks  # type: ignore[misc]
        arguments = ["--warc", str(folder / "warc"), "--out", str(folder / "out"), "--site", HOST]
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                assert main(["pipeline", "clean", *arguments, "--workers", "1", "--quiet"]) == 0
        finally:
            run.LocalTasks = usual  # type: ignore[misc]
    work = {workers: sum(longest(costs, workers) for costs in spent.values()) for workers in (1, 2, 4, 8)}
    found: dict[str, Any] = {
        "seconds to import the engine": round(start, 2),
        "seconds of all tasks": round(work[1], 2),
        "seconds of the stages with one task": round(sum(sum(c) for c in spent.values() if len(c) == 1), 3),
    }
    for workers in (2, 4, 8):
        one = start + work[1]
        found[f"{workers} workers: tasks, with the start, with two starts one after the other"] = ", ".join(
            f"{ratio:.2f}"
            for ratio in (
                work[1] / work[workers],
                one / (start + work[workers]),
                one / (2 * start + work[workers]),
            )
        )
    return found


def answers_of(kind: str, count: int) -> list[dict[str, Any]]:
    """Return answers to the sample, a third of them wrong, each wrong one another."""
    from draw_dataset.data.sample import load_sample
    from draw_dataset.prompting import answer_for

    problems, made = load_sample()["test"], []
    for place in range(count):
        problem = problems[place % len(problems)]
        if kind == "q-notation":
            other = problems[place * 7 % len(problems)] if place % 3 == 0 else problem
            made.append({"id": problem.id, "prediction": other.derivation.q_notation()})
            continue
        text = answer_for(problem.to_row(), kind)
        if place % 3 == 0:
            text = text.replace("=", f"= {1_000 + place} +", 1).replace("Answer: ", f"Answer: {place}")
        made.append({"id": problem.id, "answer": text, "prompt_style": f"{kind}/{'2' if kind == 'plain' else '1'}"})
    return made


def grading_costs(count: int) -> dict[str, str]:
    """Return the processor time of an answer in ``draw pipeline grade``, by form and format."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    import draw_dataset.scale.run  # noqa: F401 - so that its import is not measured
    from draw_dataset.cli import main

    found = {}
    for kind, form, more in (
        ("q-notation", "jsonl", ()),
        ("q-notation", "parquet", ()),
        ("q-notation", "parquet", ("--verdicts",)),
        ("marked", "jsonl", ()),
        ("plain", "jsonl", ()),
    ):
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / f"answers.{form}"
            rows = answers_of(kind, count if kind == "q-notation" else count // 10)
            if form == "parquet":
                pq.write_table(pa.Table.from_pylist(rows), path)
            else:
                path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
            arguments = ["--predictions", str(path), "--references", "sample/test", "--out", str(Path(name) / "out")]
            started = time.process_time()
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                assert main(["pipeline", "grade", *arguments, *more, "--workers", "1", "--quiet"]) in (0, 3)
            spent = (time.process_time() - started) / len(rows)
            title = " ".join(["answers in", kind, "as", form, *more])
            found[title] = f"{1e6 * spent:.0f} microseconds, {1e6 / 3600 * spent:.3f} core hours a million"
    return found


def section_y(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Grade answers in parts, against the plain loop."""
    del rows
    from draw_dataset.data.sample import load_sample
    from draw_dataset.scoring.gold_rows import ListedReferences
    from draw_dataset.scoring.score import score, score_shard

    problems = load_sample()["test"]
    count = 3_000 if quick else 50_000
    chosen = [problems[i % len(problems)] for i in range(count)]
    given = [chosen[(i * 7) % count if i % 3 == 0 else i].derivation.q_notation() for i in range(count)]
    references = ListedReferences(problems)
    by_row = [references.reference(i % len(problems)) for i in range(count)]
    pairs = [(problem.id, text) for problem, text in zip(chosen, given, strict=True)]
    plain = cpu(lambda: score(given, by_row), 2)
    parts = cpu(lambda: score_shard(pairs, references), 2)
    result: dict[str, Any] = {
        "answers": count,
        "answers a second, plain loop": round(count / plain),
        "answers a second, score_shard": round(count / parts),
    }
    expected = score(given, by_row).to_dict()
    result["in the pipeline, by CPU"] = grading_costs(count)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in").mkdir()
        for part in range(4):
            lines = (json.dumps({"id": id_, "prediction": text}) + "\n" for id_, text in pairs[part::4])
            (folder / "in" / f"{part}.jsonl").write_text("".join(lines), encoding="utf-8")
        result["by the clock, start included"] = {
            **_graded_in_pipeline(folder, count, expected),
            **_graded_by_examples(folder, pairs, expected),
        }
    return result


def _told(count: int, spent: float, same: bool) -> str:
    return f"{round(count / spent):,} a second ({spent:.1f} s), {'the same score' if same else 'ANOTHER SCORE'}"


def _graded_in_pipeline(folder: Path, count: int, expected: dict[str, Any]) -> dict[str, str]:
    """Return how fast ``draw pipeline grade`` is on the executors that are installed."""
    if find_spec("datatrove") is None:
        return {"draw pipeline grade": "skipped: datatrove is not installed"}
    from draw_dataset.cli import main

    found = {}
    for title, more in EXECUTORS.items():
        if "ray" in more and find_spec("ray") is None:
            found[f"draw pipeline grade, {title}"] = "skipped: Ray is not installed"
            continue
        out = folder / title
        arguments = ["--predictions", str(folder / "in"), "--references", "sample/test", "--out", str(out), *more]
        started = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            assert main(["pipeline", "grade", *arguments, "--quiet"]) == 0
        spent = time.perf_counter() - started
        score = json.loads((out / "score.json").read_text(encoding="utf-8"))
        found[f"draw pipeline grade, {title}"] = _told(
            count, spent, all(score[name] == value for name, value in expected.items() if name != "signature")
        )
    return found


def _graded_by_examples(folder: Path, pairs: Sequence[Any], expected: dict[str, Any]) -> dict[str, str]:
    """Return how fast the examples of docs/scale.md are: `score_shard` in engines that people have already."""
    from pipelines.test_examples import example

    found = {}
    lines = (json.dumps({"id": id_, "prediction": text}) + "\n" for id_, text in pairs)
    (folder / "predictions.jsonl").write_text("".join(lines), encoding="utf-8")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    for name, module in (("Plain Python", "json"), ("Ray Data", "ray"), ("Spark", "pyspark")):
        if find_spec(module) is None:
            found[f"score_shard, {name}"] = "skipped: it is not installed"
            continue
        script = folder / "example.py"
        script.write_text(example(name), encoding="utf-8")
        started = time.perf_counter()
        with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
            scope = runpy.run_path(str(script), run_name="__main__")
        spent = time.perf_counter() - started
        told = scope["result"].to_dict()
        same = all(told[key] == value for key, value in expected.items() if key != "signature")
        found[f"score_shard, {name}"] = _told(len(pairs), spent, same)
    return found
