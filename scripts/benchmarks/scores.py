"""How fast predictions, model answers and responses to prompts are scored, and in how much memory a long file."""

from __future__ import annotations

import gc
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import (
    DATASETS,
    ROOT,
    Row,
    forget_everything,
    memory_now,
    paused_collector,
    prediction,
    release_folder,
    timed,
)
from draw_dataset import Problem, Score, grade, score
from draw_dataset.adapters.common import as_text, quick_figures
from draw_dataset.data.catalog import load
from draw_dataset.data.release import load_problems
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.problem import REFUSED
from draw_dataset.deriving.frozen import load_frozen_rows
from draw_dataset.io.jsonl import read_json_lines
from draw_dataset.prompting import answer_for
from draw_dataset.scoring.gold import PreparedProblem, equation_references, intervals
from draw_dataset.scoring.options import Options


def problems() -> list[Problem]:
    """Return the problems of the release, or of the sample where the release is not at hand."""
    folder = release_folder()
    if folder is None:
        return [p for listed in load_sample().values() for p in listed]
    return [p for name in DATASETS for listed in load_problems(name, folder).values() for p in listed]


def predicted(problem: Problem, kind: int, rng: random.Random) -> dict[str, Any]:
    """Return gold renamed (0), reordered (1), rescaled (2), numbers swapped (3), or another of the text's (4)."""
    row = Row(
        list(problem.template), {a.slot: (a.sentence, a.token) for a in problem.alignment}, [], list(problem.equations)
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
    known = {id(problem): PreparedProblem(problem) for problem in listed}
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
    from draw_dataset.scoring.evaluate_metric import compute_at_once

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
    golds = [PreparedProblem.of(row) for row in references]
    options = Options(match="algorithm1")
    report["rows a second, reading rows"] = rate(lambda: [Problem.from_row(row) for row in references])
    report["rows a second, reading rows and gold derivations"] = rate(
        lambda: [PreparedProblem.of(row) for row in references]
    )
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


MODERN = ((0, 2_000), (2_000, 8_000), (8_000, 128_000))  # lengths of answers, in characters
WIDEST = "answers of 21 recent models, {} to {} characters"


def modern_answers() -> list[tuple[str, Mapping[str, Any]]]:
    """Return answers of recent models to GSM8K, each with the row of its problem; none without outside data."""
    folders = [
        Path(os.environ.get(name) or ROOT.parent / "shared" / default)
        for name, default in (("DRAW_ANSWERS_DIR", "llm_answers"), ("DRAW_SOURCES_DIR", "sources"))
    ]
    file = folders[0] / "modern_gsm8k.jsonl"
    if not file.is_file() or not folders[1].is_dir():
        return []
    rows: dict[int, Mapping[str, Any]] = {}
    for split, first in (("test", 0), ("train", 100_000)):
        for number, row in enumerate(load_frozen_rows("gsm8k_derivations", folders[1], [split])[split]):
            rows[number + first] = row
    entries = [line.value for line in read_json_lines(file)]
    return [(e["answer"], rows[e["id"]]) for e in entries if rows[e["id"]]["status"] != REFUSED]


def section_r(rows: object, quick: bool) -> dict[str, Any]:
    """Read and grade answers of language models, against math-verify on their final answers, and `json.loads`."""
    del rows
    source, listed = answers()
    old = [(answer, problem.id, problem.to_row()) for answer, problem in listed]
    new = [(answer, row["id"], row) for answer, row in modern_answers()]
    sets = {f"answers of {source}": old}
    for least, most in MODERN if new else ():
        sets[WIDEST.format(f"{least:,}", f"{most:,}")] = [entry for entry in new if least <= len(entry[0]) < most]
    aim = "under 2,000 characters median 2 ms, 99th percentile 20 ms; at most 100 ms at 8,000; memory flat"
    return {"aim": aim} | {name: _speed_of_reading(entries, quick) for name, entries in sets.items()}


def _speed_of_reading(entries: list[tuple[str, Any, Mapping[str, Any]]], quick: bool) -> dict[str, Any]:
    random.Random(11).shuffle(entries)
    entries = entries[: 300 if quick else 3_000]
    # Gold is prepared once for a problem, as where a file is scored.
    references = {id_: PreparedProblem.of(row) for _, id_, row in entries}
    given = [(answer, references[id_]) for answer, id_, _ in entries]
    for answer, reference in given:
        grade({"answer": answer[:1]}, reference)
    before = memory_now()
    gc.collect()
    gc.disable()  # a collection of all that the benchmark holds takes a fifth of a second, whatever is graded then
    ours = [spent(lambda a=answer, r=one: grade({"answer": a}, r).status) for answer, one in given]  # type: ignore[misc]
    gc.enable()
    lines = [json.dumps({"answer": answer}) for answer, _ in given]
    floor = [spent(lambda text=line: json.loads(text)) for line in lines]  # type: ignore[misc]
    result: dict[str, Any] = {
        "answers": len(given),
        "answers a second": round(len(given) / sum(ours)),
        "milliseconds, median": round(quantile(ours, 0.5), 2),
        "milliseconds, 99th percentile": round(quantile(ours, 0.99), 2),
        "milliseconds, most": round(max(ours) * 1e3, 1),
        "megabytes more at the end": round(memory_now() - before, 1),
        "times json.loads": round(sum(ours) / sum(floor)),
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
        "milliseconds of math-verify, 99th percentile": round(quantile(peer, 0.99), 2),
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


def _wrong(problem: Problem, seed: int) -> str:
    """Return gold with other numbers of the text in its slots, and another result."""
    draw, most = random.Random(f"{seed} {problem.id}"), max(len(problem.numbers), 1)
    text = re.sub(r"q\d+", lambda _: f"q{draw.randint(1, most)}", answer_for(problem, "marked"))
    return text.replace("Answer: ", "Answer: 7")


def _wrong_in_plain(problem: Problem, seed: int) -> str:
    """Return gold in plain style with other numbers, and another result."""
    draw = random.Random(f"{seed} {problem.id}")
    text = re.sub(r"\d+(?:\.\d+)?", lambda match: str(draw.choice((match[0], draw.randint(2, 99)))),
                  answer_for(problem, "plain"))  # fmt: skip
    return text.replace("Answer: ", "Answer: 7")


def _group_and_alone(problems: Sequence[Problem], rows: Sequence[str]) -> tuple[float, float]:
    """Return the time of eight rewards for one prompt together, and of each by itself; nothing is prepared."""
    grade = quick_figures.__wrapped__
    group = alone = 0.0
    for problem, row in zip(problems, rows, strict=False):
        texts = [_wrong_in_plain(problem, seed) for seed in range(8)]
        forget_everything()
        group += timed(lambda t=texts, r=row: [grade(text, r, "plain") for text in t])  # type: ignore[misc]
        for text in texts:
            forget_everything()
            alone += timed(lambda t=text, r=row: grade(t, r, "plain"))  # type: ignore[misc]
    return group, alone


def section_x(_: list[Row], quick: bool) -> dict[str, Any]:
    """Rewards a second of one core, gold prepared (aim: 2,000 in marked style)."""
    grade = quick_figures.__wrapped__  # without the cache that the rewards of one completion share
    problems = load("sample")
    rows = [as_text(problem.to_row()) for problem in problems]
    rounds = 3 if quick else 20
    marked = [answer_for(problem, "marked") for problem in problems]
    plain = [answer_for(problem, "plain") for problem in problems]
    repeated = [_wrong(problem, -1) for problem in problems]
    for problem, text, row in zip(problems, marked, rows, strict=True):
        # Gold is prepared, and so are the tables of the text's numbers that answers in prose are read by.
        grade(text, row, "marked")
        grade(f"So we get:\n{answer_for(problem, 'plain')}", row, "plain")

    def speed(texts: list[list[str]], style: str) -> int:
        def all_of_them() -> None:
            for round_ in texts:
                for text, row in zip(round_, rows, strict=True):
                    grade(text, row, style)

        return round(len(texts) * len(rows) / timed(all_of_them))

    report: dict[str, Any] = {
        "marked, right": speed([marked] * rounds, "marked"),
        "marked, wrong, equations seen before": speed([repeated] * rounds, "marked"),
        "marked, half right, half wrong and seen before": speed([marked, repeated] * (rounds // 2 or 1), "marked"),
        "marked, wrong, ever new": speed([[_wrong(p, seed) for p in problems] for seed in range(rounds)], "marked"),
        "garbled": speed([["Lorem ipsum dolor sit amet."] * len(rows)] * 3, "marked"),
        "plain, right": speed([plain] * (rounds // 4 or 1), "plain"),
        "plain, wrong, ever new": speed(
            [[_wrong_in_plain(problem, seed) for problem in problems] for seed in range(rounds // 4 or 1)], "plain"
        ),
    }
    group, alone = _group_and_alone(problems[: 5 if quick else 15], rows)  # last, as it forgets what was prepared
    share = "8 completions to one prompt in plain style, gold not prepared, as a share of the sum of each alone"
    return report | {share: round(group / alone, 2)}
