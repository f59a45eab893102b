"""How fast pages are cleaned and answers graded in many processes, by stage, and how that grows."""

from __future__ import annotations

import contextlib
import io
import json
import random
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.rows import Row

SURVIVE = 0.12
"""The share of pages that the paper's text filters leave: 12k of 100k."""


def cpu(work: Callable[[], object], repeats: int = 3) -> float:
    """Return the least CPU time of some runs: others on the machine disturb it less than they do the clock."""
    best = float("inf")
    for _ in range(repeats):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


def paper_mix(pages: Sequence[Any], count: int) -> tuple[list[Any], list[Any]]:
    """Return pages of which 12 % survive the text filters, and those among all that do."""
    from draw_dataset.cleaning.pool.filters import TEXT_FILTERS
    from draw_dataset.cleaning.pool.judging import judge_alone, record_of

    dropped, surviving = [], []
    for page in pages:
        (dropped if judge_alone(record_of(page)).dropped_by in TEXT_FILTERS else surviving).append(page)
    rng = random.Random(1)
    return [rng.choice(surviving if rng.random() < SURVIVE else dropped) for _ in range(count)], surviving


def section_k(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Clean pages without memory, by stage, and in the pipeline, at growing numbers of pages."""
    del rows
    try:
        from cleaning.stand_in import pages_of, site_of
        from pipelines.archives import write_archives
    except ImportError as error:
        return {"skipped": f"{error} (pip install 'draw-dataset[test]')"}
    from draw_dataset.cleaning.pool.duplicates import shape_of_record
    from draw_dataset.cleaning.pool.judging import judge_alone, record_of, with_equations

    pages = pages_of(site_of(500 if quick else 1_500, 7))
    mix, surviving = paper_mix(pages, 500 if quick else 2_000)
    records = [record_of(page) for page in mix]
    left = [record_of(page) for page in surviving]
    result: dict[str, Any] = {
        "pages a second a core, a mix like the paper's (12 % survive the text filters)": round(
            len(mix) / cpu(lambda: [judge_alone(record_of(page)) for page in mix])
        ),
        "aim": "1,000",
        "pages a second a core where all survive": round(
            len(surviving) / cpu(lambda: [judge_alone(record_of(page)) for page in surviving])
        ),
        "aim where all survive": "300",
        "microseconds a page": {
            "parse and tidy": round(1e6 * cpu(lambda: [record_of(page) for page in mix]) / len(mix)),
            "text filters and the equations of what is left": round(
                1e6 * cpu(lambda: [judge_alone(record) for record in records]) / len(mix)
            ),
            "equations, of a page that survives": round(
                1e6 * cpu(lambda: [with_equations(record) for record in left]) / len(left)
            ),
            "what is compared, of a page that survives": round(
                1e6 * cpu(lambda: [shape_of_record(record) for record in left]) / len(left)
            ),
        },
    }
    sizes = (1_000,) if quick else (10_000, 100_000, 1_000_000)
    result["in the pipeline, 1 worker"] = {f"{size} pages": _pipeline(mix, size, write_archives) for size in sizes}
    return result


def _pipeline(mix: Sequence[Any], size: int, write: Callable[..., Any]) -> dict[str, Any]:
    from cleaning.stand_in import HOST, renumbered

    from draw_dataset.cli import main
    from draw_dataset.pipelines.status import status_of

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        step = 10_000
        for start in range(0, size, step):
            count = min(step, size - start)
            pages = [renumbered(mix[(start + i) % len(mix)], start + i + 1) for i in range(count)]
            write(folder / "warc" / f"{start:08d}", pages, 1)
        arguments = ["pipeline", "clean", "--warc", str(folder / "warc"), "--out", str(folder / "out")]
        started, used = time.perf_counter(), time.process_time()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            assert main([*arguments, "--site", HOST, "--workers", "1", "--quiet"]) == 0
        spent, used = time.perf_counter() - started, time.process_time() - used
        stages = {stage.name: round(stage.rate) for stage in status_of(str(folder / "out")) if stage.rate}
        kept = json.loads((folder / "out" / "funnel.json").read_text(encoding="utf-8"))["steps"]["deduplicated"]
    return {
        "kept": kept,
        "pages a second, all stages, by CPU": round(size / used),
        "pages a second, all stages, by the clock": round(size / spent),
        "items a second by stage": stages,
        "megabytes at most": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def section_y(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Grade answers in parts, against the plain loop."""
    del rows
    from draw_dataset.cli import main
    from draw_dataset.sample import load_sample
    from draw_dataset.scoring.references import ListedReferences
    from draw_dataset.scoring.score import score
    from draw_dataset.scoring.shards import score_shard

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
    try:
        import draw_dataset.pipelines.stages  # noqa: F401
    except ImportError as error:
        return {**result, "draw pipeline": f"skipped: {error}"}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in").mkdir()
        for part in range(4):
            lines = (json.dumps({"id": id_, "prediction": text}) + "\n" for id_, text in pairs[part::4])
            (folder / "in" / f"{part}.jsonl").write_text("".join(lines), encoding="utf-8")
        arguments = ["--predictions", str(folder / "in"), "--references", "sample/test", "--out", str(folder / "out")]
        started = time.process_time()
        with contextlib.redirect_stdout(io.StringIO()):
            assert main(["pipeline", "grade", *arguments, "--workers", "1", "--quiet"]) == 0
        result["answers a second, draw pipeline grade, 1 worker, all in"] = round(
            count / (time.process_time() - started)
        )
    return result
