"""Print the figures of docs/sources.md: what is derived of each source, and how well.

The folder of sources holds ``gsm8k_test.jsonl``, ``svamp.json``, ``asdiv.xml`` and ``mawps.csv``, all or some; the
folder of answers holds ``gsm8k_models.jsonl``. Neither is part of this package.

    python scripts/measure_sources.py --sources ../shared/sources
    python scripts/measure_sources.py --sources ../shared/sources --part models --answers ../shared/llm_answers
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from draw_dataset.errors import DrawError
from draw_dataset.files import read_json_lines
from draw_dataset.scoring.comparison import bootstrap_interval
from draw_dataset.scoring.score import score
from draw_dataset.scoring.verdict import Verdict
from draw_dataset.sources.bulk import derive
from draw_dataset.sources.deriving import derive_row
from draw_dataset.sources.fields import problem_of
from draw_dataset.sources.files import Broken, read_records
from draw_dataset.sources.presets import PRESETS
from draw_dataset.sources.presets.mawps import _PLACEHOLDER, filled
from draw_dataset.sources.record import reason_of
from draw_dataset.sources.tally import Tally
from draw_dataset.text import find_numbers

FILES = {"gsm8k": "gsm8k_test.jsonl", "svamp": "svamp.json", "asdiv": "asdiv.xml", "mawps": "mawps.csv"}
"""The file of each preset."""

NO_FORMULA = frozenset(
    (
        "division with remainder", "least common multiple", "greatest common divisor", "comparison", "number pattern",
        "clock time", "inequality", "root or power of an unknown", "not linear in its unknowns",
        "equations without one solution",
    )
)  # fmt: skip
"""Reasons that say that a formula is neither arithmetic nor linear equations."""


def rows_of(folder: Path, half: str) -> dict[str, list[dict[str, Any]]]:
    """Return the derived rows of each source; of a half only every second."""
    found = {}
    for preset, name in FILES.items():
        if (folder / name).is_file():
            rows = list(derive(folder / name, preset=preset))
            found[preset] = rows if half == "all" else rows[half == "odd" :: 2]
    return found


def statuses(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """Return how many rows are decided, ambiguous and refused, and why."""
    found = {}
    for preset, listed in rows.items():
        tally = Tally()
        for row in listed:
            tally.add(row)
        found[preset] = {name: value for name, value in tally.to_dict().items() if name != "examples"}
        if preset == "asdiv":
            asked = [row for row in listed if reason_of(row) not in NO_FORMULA]
            derived = sum(row["status"] != "refused" for row in asked)
            found[preset]["arithmetic or linear"] = [derived, len(asked), round(100 * derived / len(asked), 2)]
        if preset == "gsm8k":
            derived = sum(row["status"] != "refused" for row in listed)
            found[preset]["come to a function"] = [derived, len(listed), round(100 * derived / len(listed), 2)]
    return found


def numbers(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """Return how many numbers that references use the rules find: those of the release, and the ordinary ones."""
    found = {}
    for preset, listed in rows.items():
        counts: Counter[str] = Counter()
        for row in listed:
            standard = {(n.sentence, n.token) for n in find_numbers(row["question"])}
            places = [(entry["sentence"], entry["token"]) for entry in row["alignment"]]
            missed = sum("of the solution" in name for name in row["constants"])
            missed += reason_of(row) == "number not in the text"
            counts["used"] += len(places) + missed
            counts["standard rules"] += sum(place in standard for place in places)
            counts["ordinary rules"] += len(places)
        shares = {name: round(100 * counts[name] / counts["used"], 2) for name in ("standard rules", "ordinary rules")}
        found[preset] = {**counts, "percent": shares}
    return found


def placeholders(folder: Path, half: str) -> dict[str, Any]:
    """Return whether the numbers that are chosen are those of MAWPS's own placeholders, with and without their help."""
    counts: Counter[str] = Counter()
    preset = PRESETS["mawps"]
    records = [record for record in read_records(folder / FILES["mawps"]) if not isinstance(record, Broken)]
    for position, record in enumerate(records if half == "all" else records[half == "odd" :: 2]):
        if not _PLACEHOLDER.search(record["Question"]):
            continue
        problem = problem_of(record, preset.fields, position, preset.adjust)
        values = record["Numbers"].split()
        used = {int(which) for which in _PLACEHOLDER.findall(record["Equation"])}
        shown = {starts_at for which, starts_at in _shown_starts(record, problem.question).items() if which in used}
        distinct = len({float(value) for value in values}) == len(values)
        for name, given in (("preset", problem), ("blind", replace(problem, places=()))):
            row = derive_row(given)
            counts[f"{name}: problems"] += 1
            counts[f"{name}: {row['status']}"] += 1
            if row["status"] != "decided":
                continue
            by_place = {(n["sentence"], n["token"]): n["start"] for n in row["numbers"]}
            chosen = {by_place[entry["sentence"], entry["token"]] for entry in row["alignment"]}
            counts[f"{name}: decided, numbers of the placeholders"] += chosen == shown
            if distinct:
                counts[f"{name}: decided, all values different"] += 1
                counts[f"{name}: all values different, numbers of the placeholders"] += chosen == shown
    return dict(counts)


def _shown_starts(record: Mapping[str, Any], question: str) -> dict[int, int]:
    """Return where the value of each placeholder begins in the text that was made."""
    from draw_dataset.sources.presets.mawps import _values

    text, starts = filled(record["Question"], _values(record["Numbers"]))
    offset = len(text) - len(text.lstrip()) if text.strip() == question else 0
    return {which: start - offset for which, start in starts.items()}


def speeds(folder: Path) -> dict[str, float]:
    """Return how many problems are derived in a second of processor time."""
    found = {}
    for preset, name in FILES.items():
        if (folder / name).is_file():
            records = [record for record in read_records(folder / name) if not isinstance(record, Broken)]
            derive(records[:20], preset=preset)
            start = time.process_time()
            derive(records, preset=preset)
            found[preset] = round(len(records) / (time.process_time() - start), 1)
    return found


def models(answers: Path) -> dict[str, Any]:
    """Return the accuracies of models on GSM8K, the derived rows being gold."""
    entries = [line.value for line in read_json_lines(answers / "gsm8k_models.jsonl")]
    problems = [{"id": e["id"], "question": e["question"], "answer": e["solution"]} for e in entries]
    rows = derive(problems, preset="gsm8k")
    kept = [(entry, row) for entry, row in zip(entries, rows, strict=True) if row["status"] != "refused"]
    found = {}
    for model in entries[0]["answers"]:
        verdicts: list[Verdict] = []
        result = score(
            [{"answer": entry["answers"][model]} for entry, _ in kept],
            [row for _, row in kept],
            data="gsm8k",
            verdicts=verdicts,
        )
        reasons = Counter(str(verdict.reason) for verdict in verdicts)
        found[model] = {
            "answers": len(verdicts),
            **{name: _share(verdicts, name) for name in ("solution", "derivation", "certain")},
            "reasons": dict(reasons.most_common(8)),
            "signature": str(result.signature),
        }
    return found


def _share(verdicts: Sequence[Verdict], name: str) -> list[float]:
    values = [float(bool(getattr(verdict, name))) for verdict in verdicts]
    interval = bootstrap_interval(values, samples=1000, seed=0)
    return [round(100 * figure, 1) for figure in (sum(values) / len(values), interval.low, interval.high)]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    where = os.environ.get("DRAW_SOURCES_DIR", "../shared/sources")
    parser.add_argument("--sources", type=Path, default=Path(where), metavar="DIR", help=f"default: {where}")
    parser.add_argument("--answers", type=Path, default=Path("../shared/llm_answers"), metavar="DIR")
    parser.add_argument("--half", choices=["all", "even", "odd"], default="all", help="only every second row")
    parts: dict[str, Callable[[argparse.Namespace], Any]] = {
        "status": lambda given: statuses(rows_of(given.sources, given.half)),
        "numbers": lambda given: numbers(rows_of(given.sources, given.half)),
        "placeholders": lambda given: placeholders(given.sources, given.half),
        "speed": lambda given: speeds(given.sources),
        "models": lambda given: models(given.answers),
    }
    parser.add_argument("--part", choices=list(parts), action="append", help="only this; may be repeated")
    arguments = parser.parse_args(argv)
    try:
        for name in arguments.part or ("status", "numbers", "placeholders", "speed"):
            print(json.dumps({name: parts[name](arguments)}, indent=1))
    except DrawError as error:
        print(f"measure_sources: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
