"""How fast predictions are scored, and in how much memory a long file of them."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.measures import forget_everything, paused_collector, timed
from benchmarks.rows import DATASETS, Row, prediction, release_folder
from draw_dataset import Problem, Score, score
from draw_dataset.release import load_problems
from draw_dataset.sample import load_sample
from draw_dataset.scoring.prepared_gold import equation_references, intervals
from draw_dataset.scoring.reference import Reference
from draw_dataset.scoring.signature import Options


def problems() -> list[Problem]:
    """Return the problems of the release, or of the sample where the release is not at hand."""
    folder = release_folder()
    if folder is None:
        return [p for listed in load_sample().values() for p in listed]
    return [p for name in DATASETS for listed in load_problems(name, folder).values() for p in listed]


def predicted(problem: Problem, kind: int, rng: random.Random) -> dict[str, Any]:
    """Return gold renamed (0), reordered (1), rescaled (2), numbers swapped (3), or another of the text's (4)."""
    row = Row(
        list(problem.template),
        {a.slot: (a.sentence, a.token) for a in problem.alignment},
        [],
        list(problem.equations),
    )
    equations, alignment = prediction(row, kind if kind < 4 else 0, rng)
    if kind == 4 and alignment:
        taken = set(alignment.values())
        spare = [(n.sentence, n.token) for n in problem.numbers if n.sentence is not None and n.place not in taken]
        if spare:
            alignment[rng.choice(sorted(alignment))] = rng.choice(spare)
    entries = [{"slot": slot, "sentence": place[0], "token": place[1]} for slot, place in alignment.items()]
    return {"template": equations, "alignment": entries}


def section_s(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Score 100,000 predictions, against decoding them."""
    del rows
    rng = random.Random(6)
    count = 20_000 if quick else 100_000
    listed = problems()
    chosen = [rng.choice(listed) for _ in range(count)]
    known = {id(problem): Reference(problem) for problem in listed}
    golds = [known[id(problem)] for problem in chosen]
    lines = [json.dumps(predicted(problem, i % 5, rng)) for i, problem in enumerate(chosen)]
    decoded = [json.loads(line) for line in lines]
    score([None] * len(listed), list(known.values()))  # gold is prepared once, however many predictions come
    found: list[Score] = []
    rounds: list[tuple[float, float, float]] = []
    for _ in range(2):
        # Side by side, as other work on the machine slows down one as it does the other; the best round counts.
        floor = min(timed(lambda: [json.loads(line) for line in lines]) for _ in range(2))
        forget_everything()
        cold = timed(lambda: found.append(score(decoded, golds)))
        rounds.append((cold / floor, cold, floor))
    ratio, cold, floor = min(rounds)
    return {
        "predictions": count,
        "different lines": len(set(lines)),
        "counts": found[0].counts,
        "microseconds json.loads": round(floor / count * 1e6, 2),
        "microseconds to score": round(cold / count * 1e6, 2),
        "ratio": round(ratio, 2),
        "ratio in the other round": round(max(rounds)[0], 2),
        "aim": "ratio at most 6 for 100,000",
    }


def section_o(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Score every row once, in one call of the metric's scoring, against reading the rows."""
    del rows
    from draw_dataset.scoring.exchange import compute_at_once

    rng = random.Random(9)
    listed = problems()
    references = [problem.to_row() for problem in listed]
    given = {
        "rewritten and wrong": [predicted(problem, i % 5, rng) for i, problem in enumerate(listed)],
        "gold": [{"template": row["template"], "alignment": row["alignment"]} for row in references],
        "none": [None] * len(references),
    }
    report: dict[str, Any] = {"rows": len(references)}
    rounds = 3 if quick else 9

    def rate(work: Callable[[], object]) -> int:
        times = []
        for _ in range(rounds):
            forget_everything()
            times.append(timed(work))
        return round(len(references) / min(times))

    for name, predictions in given.items():
        report[f"rows a second, predictions {name}"] = rate(lambda p=predictions: compute_at_once(p, references))  # type: ignore[misc]
    with paused_collector():
        most = given["rewritten and wrong"]
        report["rows a second, rewritten and wrong, collector paused"] = rate(lambda: compute_at_once(most, references))
    # Where the time goes: the steps of one call, each with what the one before it made.
    golds = [Reference.of(row) for row in references]
    options = Options(match="algorithm1")
    report["rows a second, reading rows"] = rate(lambda: [Problem.from_row(row) for row in references])
    report["rows a second, reading rows and gold derivations"] = rate(lambda: [Reference.of(row) for row in references])
    report["rows a second, preparing gold"] = rate(
        lambda: [(equation_references(gold, options), intervals(gold.solutions, options.tolerance)) for gold in golds]
    )
    lines = [[json.dumps(row), json.dumps(p)] for row, p in zip(references, given["rewritten and wrong"], strict=True)]
    floor = rate(lambda: [json.loads(line) for pair in lines for line in pair])
    report["rows a second, json.loads of row and prediction (the floor)"] = floor
    report["times the floor, rewritten and wrong"] = round(
        floor / report["rows a second, predictions rewritten and wrong"], 1
    )
    return report | {"aim": "at least 6,000 rows a second, nothing remembered"}


def section_v(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Compute the metric of evaluate at once and in batches, against score."""
    del rows
    import evaluate

    rng = random.Random(8)
    count = 5_000 if quick else 50_000
    listed = problems()
    as_rows = {id(problem): problem.to_row() for problem in listed}
    chosen = [rng.choice(listed) for _ in range(count)]
    references = [as_rows[id(problem)] for problem in chosen]
    predictions = [predicted(problem, i % 5, rng) for i, problem in enumerate(chosen)]
    times: dict[str, list[float]] = {"score": [], "compute": [], "add_batch": []}
    results: list[Any] = []
    for _ in range(1 if quick else 2):
        forget_everything()
        times["score"].append(timed(lambda: results.append(score(predictions, references).derivation_accuracy)))
        forget_everything()
        metric = evaluate.load("derivation_accuracy")
        times["compute"].append(timed(lambda: results.append(in_one_call(metric, predictions, references))))
        forget_everything()
        metric = evaluate.load("derivation_accuracy")
        times["add_batch"].append(timed(lambda: results.append(in_batches(metric, predictions, references))))
    floor = min(times["score"])
    return {
        "predictions": count,
        "results are equal": len(set(results)) == 1,
        "ratio of compute to score": round(min(times["compute"]) / floor, 2),
        "ratio of add_batch and compute to score": round(min(times["add_batch"]) / floor, 2),
        "rows a second, score": round(count / floor),
        "rows a second, compute": round(count / min(times["compute"])),
        "rows a second, add_batch and compute": round(count / min(times["add_batch"])),
        "aim": "compute at most 1.3 times score",
    }


def in_one_call(metric: Any, predictions: list[Any], references: list[Any]) -> float:
    """Compute at once."""
    accuracy: float = metric.compute(predictions=predictions, references=references)["derivation_accuracy"]
    return accuracy


def in_batches(metric: Any, predictions: list[Any], references: list[Any]) -> float:
    """Compute in batches of a thousand."""
    for start in range(0, len(predictions), 1000):
        metric.add_batch(predictions=predictions[start : start + 1000], references=references[start : start + 1000])
    accuracy: float = metric.compute()["derivation_accuracy"]
    return accuracy


def section_f(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Score a long file of predictions against a file of as many rows, in another order."""
    del rows
    count = 100_000 if quick else 1_000_000
    result: dict[str, Any] = {"aim": "flat: ten times as many lines, a few ten megabytes more"}
    listed = problems()
    for size in (count // 10, count):
        with tempfile.TemporaryDirectory() as folder:
            references, predictions = Path(folder) / "rows.jsonl", Path(folder) / "predictions.jsonl"
            write_long_files(listed, size, references, predictions)
            arguments = [str(predictions), "--references", str(references), "--format", "json"]
            started = time.perf_counter()
            # The figure of the child itself: what it writes last is the most memory it has ever had.
            code = (
                "import resource, sys; from draw_dataset.cli import main; status = main(sys.argv[1:]); "
                "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss); sys.exit(status)"
            )
            done = subprocess.run(
                [sys.executable, "-c", code, "score", *arguments], check=True, capture_output=True, text=True
            )
            spent = time.perf_counter() - started
            table, most = done.stdout.splitlines()
            result[f"{size} lines"] = {
                "megabytes of files": round((references.stat().st_size + predictions.stat().st_size) / 2**20),
                "megabytes resident at most": round(int(most) / 2**10, 1),
                "seconds": round(spent, 1),
                "microseconds a line": round(spent / size * 1e6),
                "derivation accuracy": json.loads(table)["systems"][0]["derivation_accuracy"],
            }
    return result


def write_long_files(listed: list[Problem], size: int, references: Path, predictions: Path) -> None:
    """Write so many rows, each with an id of its own, and a prediction for each in another order."""
    rng = random.Random(7)
    tails = [json.dumps({name: v for name, v in p.to_row().items() if name != "id"})[1:] for p in listed]
    with references.open("w", encoding="utf-8") as file:
        for id_ in range(size):
            file.write(f'{{"id": {id_}, {tails[id_ % len(listed)]}\n')
    step = 7919  # a prime that divides no round number, so that every id comes once
    with predictions.open("w", encoding="utf-8") as file:
        for i in range(size):
            id_ = i * step % size
            line = {"id": id_, "prediction": predicted(listed[id_ % len(listed)], i % 5, rng)}
            file.write(json.dumps(line) + "\n")
