"""Experiments on data: what is derived of public sources, and what variants of problems say of systems."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, product
from pathlib import Path
from random import Random
from typing import Any

from tqdm import tqdm

from draw_dataset.data.catalog import load, resolve
from draw_dataset.derivation.derivation import Derivation
from draw_dataset.derivation.problem import REFUSED, Problem
from draw_dataset.deriving.files import Broken, read_records
from draw_dataset.deriving.frozen import digest, frozen_row, read_frozen
from draw_dataset.deriving.recipe import derive_row, recipe_for
from draw_dataset.deriving.records import (
    _PLACEHOLDER,
    DECIDED,
    PRESETS,
    Reason,
    fill_placeholders,
    mawps_values,
    problem_of,
    reason_of,
)
from draw_dataset.deriving.run import DerivedCounts, derive, find_siblings
from draw_dataset.deriving.transfer import Sibling, gives, value_at
from draw_dataset.io.jsonl import read_json_lines
from draw_dataset.reading.answer import number_origins_of, parse_answer
from draw_dataset.reading.result import is_left_open
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.grading import grade
from draw_dataset.scoring.score import score
from draw_dataset.scoring.significance import bootstrap_interval
from draw_dataset.scoring.verdict import Verdict
from draw_dataset.text.numbers import find_numbers
from draw_dataset.variants.fields import CannotVary, analyse
from draw_dataset.variants.making import KINDS as VARIANT_KINDS
from draw_dataset.variants.making import VariantSet, inventory_of, make_variants
from draw_dataset.variants.probing import Case, DescribedExplanation, cases_of, probe_case
from draw_dataset.variants.rivals import RivalInventory, generic_values, rival_of
from draw_dataset.variants.sampling import candidates
from experiments import experiment, option
from experiments.simulating import (
    Answers,
    Planted,
    ask_often,
    guesses,
    half,
    memorised,
    mixed,
    one_off,
    original_of,
    planted_number,
    planted_outside,
    planted_step,
    planted_wrong,
    right,
)

# The file of each preset
FILES = {"gsm8k": "gsm8k_test.jsonl", "svamp": "svamp.json", "asdiv": "asdiv.xml", "mawps": "mawps.csv"}

# Reasons that say that a formula is neither arithmetic nor linear equations
NO_FORMULA = frozenset(
    (
        "division with remainder", "least common multiple", "greatest common divisor", "comparison", "number pattern",
        "clock time", "inequality", "root or power of an unknown", "not linear in its unknowns",
        "equations without one solution",
    )
)  # fmt: skip
# The files of each preset that hold whole datasets, if they are at hand
WHOLE = {
    "gsm8k": ("gsm8k_train.jsonl", "gsm8k_test_full.jsonl"),
    "svamp": ("svamp_full.json",),
    "asdiv": ("asdiv.xml",),
    "mawps": ("mawps.csv",),
}
PARTS = ("status", "numbers", "placeholders", "speed", "transfer", "models")
_SOURCES = os.environ.get("DRAW_SOURCES_DIR", "../shared/sources")


@experiment(
    "sources",
    option("--sources", type=Path, default=Path(_SOURCES), metavar="DIR", help=f"default: {_SOURCES}"),
    option("--answers", type=Path, default=Path("../shared/llm_answers"), metavar="DIR"),
    option("--half", choices=["all", "even", "odd"], default="all", help="only every second row"),
    option("--part", choices=PARTS, action="append", help="only this; may be repeated (default: all but models)"),
)
def run_sources(arguments: argparse.Namespace) -> None:
    """Measure what is derived of each public source, and how well (docs/sources.md).

    The folder of sources holds gsm8k_test.jsonl, svamp.json, asdiv.xml and mawps.csv, all or some; the folder of
    answers holds gsm8k_models.jsonl. Neither is part of this package.
    """
    folder, half = arguments.sources, arguments.half
    parts = {
        "status": lambda: statuses(rows_of(folder, half)),
        "numbers": lambda: numbers(rows_of(folder, half)),
        "placeholders": lambda: placeholders(folder, half),
        "speed": lambda: speeds(folder),
        "transfer": lambda: {**transfers(folder), "gsm8k test, made siblings": made_transfers(folder)},
        "models": lambda: models(arguments.answers),
    }
    for name in arguments.part or PARTS[:5]:
        print(json.dumps({name: parts[name]()}, indent=1))


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
        tally = DerivedCounts()
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
    text, starts = fill_placeholders(record["Question"], mawps_values(record["Numbers"]))
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


def transfers(folder: Path) -> dict[str, dict[str, int]]:
    """Return how many problems have siblings, and how many derivations give all of their answers."""
    found = {}
    for preset, names in WHOLE.items():
        paths = [folder / name for name in names if (folder / name).is_file()]
        records = [{**record} for path in paths for record in read_records(path) if isinstance(record, Mapping)]
        if not records:
            continue
        siblings = find_siblings(records, recipe_for(preset, {}))
        counts = Counter(problems=len(records))
        unverified, verified = (derive(records, preset=preset, verify=verify) for verify in (False, True))
        for position, (before, after) in enumerate(zip(unverified, verified, strict=True)):
            own = siblings.of(position)
            if not own or before["status"] == REFUSED:
                continue
            counts["derived, with siblings"] += 1
            counts["siblings"] += len(own)
            for name, row in (("unverified", before), ("verified", after)):
                if row["status"] != REFUSED:
                    derivation = Problem.from_row(row).derivation
                    given = [gives(value_at(derivation, sibling.numbers), sibling.answer) for sibling in own]
                    counts[f"{name}: gives all answers"] += all(given)
                    counts[f"{name}: decided"] += row["status"] == DECIDED
            counts["does not transfer"] += reason_of(after) == Reason.TRANSFER
            counts["another derivation is the first"] += before["derivation"] != after["derivation"]
        found[preset] = dict(counts)
    return found


def made_transfers(folder: Path, count: int = 4) -> dict[str, int]:
    """Return how derived rows of GSM8K test fare with siblings that are made with the frozen derivations.

    A sibling has the numbers of a variant of the frozen row, and the answer that the frozen derivation gives for them.
    """
    counts: Counter[str] = Counter()
    path = folder / WHOLE["gsm8k"][1]
    if not path.is_file():
        return {}
    lines = {line["sha256"]: line for line in read_frozen("gsm8k_derivations")["test"] if line["status"] == DECIDED}
    for position, record in enumerate(read_records(path)):
        line = None if isinstance(record, Broken) else lines.get(digest(record["question"]))
        if line is None or isinstance(record, Broken):
            continue
        gold = Problem.from_row(frozen_row(line, record["question"]))
        siblings: list[Sibling] = []
        try:
            variable = analyse(gold)
            for candidate in islice(candidates(variable, Random(0)), count):
                numbers = tuple(variable.number_values(candidate.values))
                answer = value_at(gold.derivation, numbers)
                siblings += [] if answer is None else [Sibling(len(siblings), numbers, answer)]
        except CannotVary:
            continue
        if len(siblings) < count:
            continue
        problem = problem_of(record, PRESETS["gsm8k"].fields, position)
        before, after = derive_row(problem), derive_row(problem, siblings)
        if before["status"] == REFUSED:
            continue
        counts["derived, with made siblings"] += 1
        for name, derived in (("unverified", before), ("verified", after)):
            counts[f"{name}: {derived['status']}"] += 1
            if derived["status"] != REFUSED:
                derivation = Problem.from_row(derived).derivation
                right = all(gives(value_at(derivation, sibling.numbers), sibling.answer) for sibling in siblings)
                counts[f"{name}: gives all answers"] += right
                counts[f"{name}: decided, and gives all answers"] += right and derived["status"] == DECIDED
    return dict(counts)


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


def read(name: str, corrected: bool = False) -> list[Problem]:
    """Return the problems of a source; of derived rows those that have a derivation."""
    source = resolve(name)
    if source.file is None:
        return load(source, corrected=corrected)
    rows = [line.value for line in read_json_lines(source.file)]
    return [Problem.from_row(row) for row in rows if row.get("status") != "refused" and row.get("template")]


def made(
    problems: Sequence[Problem], inventory: RivalInventory, count: int, kinds: Sequence[str], seed: int = 0
) -> VariantSet:
    """Return variants with a progress bar."""
    whole = VariantSet([], [], {})
    for start in tqdm(range(0, len(problems), 20), disable=not sys.stderr.isatty(), leave=False):
        found = make_variants(problems[start : start + 20], count, seed, kinds=kinds, inventory=inventory)
        whole.rows.extend(found.rows)
        whole.made.extend(found.made)
        whole.refused.update(found.refused)
    return whole


@experiment(
    "variants-coverage",
    option("sources", nargs="+", help="configurations or files of rows"),
    option("--count", type=int, default=5),
    option("--kind", action="append", choices=VARIANT_KINDS),
    option("--corrected", action="store_true", help="gold of edition 3"),
)
def run_coverage(arguments: argparse.Namespace) -> None:
    """Count how many rows give how many variants, and how fast (docs/variants.md, coverage and speed)."""
    for name in arguments.sources:
        problems = read(name, arguments.corrected)
        inventory = inventory_of(problems)
        started = time.process_time()
        found = made(problems, inventory, arguments.count, arguments.kind or ["numbers"])
        seconds = time.process_time() - started
        counts = Counter(min(one.count, 5) for one in found.made)
        by_kind = Counter(row["variant"]["kind"] for row in found)
        print(
            json.dumps(
                {
                    "source": Path(name).name,
                    "rows": len({problem.id for problem in problems}),
                    "five or more": counts[5],
                    "one to four": sum(counts[n] for n in range(1, 5)),
                    "none": len(found.refused),
                    "variants": dict(by_kind),
                    "a second": round(len(found) / seconds),
                    **found.summary()["rivals"],
                    "inconsistent": found.inconsistent(),
                    "why none": found.summary()["why_refused"],
                }
            ),
            flush=True,
        )


@experiment(
    "variants-sample",
    option("sources", nargs="+", help="configurations or files of rows"),
    option("--count", type=int, default=8, help="variants of each kind and source (default: 8)"),
    option("--kind", action="append", choices=VARIANT_KINDS),
    option("--seed", type=int, default=0),
    option("--corrected", action="store_true", help="gold of edition 3"),
)
def run_sample(arguments: argparse.Namespace) -> None:
    """Print variants of rows drawn at random beside their originals, for readers (docs/variants.md, naturalness)."""
    chance = Random(arguments.seed)
    for name in arguments.sources:
        problems = read(name, arguments.corrected)
        originals = {problem.id: problem.question for problem in problems}
        inventory = inventory_of(problems)
        for kind in arguments.kind or VARIANT_KINDS:
            drawn = (
                found[-1]
                for problem in chance.sample(problems, len(problems))
                if len(found := make_variants([problem], 1, arguments.seed, kinds=[kind], inventory=inventory))
            )
            for row in islice(drawn, arguments.count):
                shown = {name: row[name] for name in ("id", "question", "asked", "solutions")}
                gold = row["derivation"] if row["template"] else row["reason"]
                print(json.dumps({"kind": kind, "original": originals[row["source_id"]], **shown, "gold": gold}))


SYSTEMS = (
    "gold",
    "gold, 5 % slips",
    "gold, 10 % slips",
    "gold, 20 % slips",
    "wrong",
    "wrong, 5 % slips",
    "wrong, 20 % slips",
    "lucky",
    "wrong number",
    "number twice",
    "one step",
    "memorised",
    "one off",
    "half and half",
    "half of the answers",
    "outside",
    "guessing",
)


@experiment(
    "variants-identify",
    option("sources", nargs="+", help="configurations or files of rows"),
    option("--variants", type=int, nargs="+", default=[0, 1, 2, 3, 5]),
    option("--rows", type=int, default=0, help="only so many, drawn at random (default: all)"),
    option("--seed", type=int, default=0, help="seed of the variants, the rows and the planted errors"),
    option("--samples", type=int, nargs="+", default=[1], help="how often each row is answered"),
    option("--system", action="append", choices=list(SYSTEMS), help="repeatable (default: all)"),
    option("--made", help="file of variants to use instead of making some"),
    option("--corrected", action="store_true", help="gold of edition 3"),
)
def run_identify(arguments: argparse.Namespace) -> None:
    """Measure what probing says of planted derivations, by how many variants there are (docs/variants.md)."""
    for name in arguments.sources:
        problems = read(name, arguments.corrected)
        inventory = inventory_of(problems)
        if arguments.rows:
            problems = Random(arguments.seed + 1).sample(problems, min(arguments.rows, len(problems)))
        if arguments.made:
            chosen = {problem.id for problem in problems}
            lines = [line.value for line in read_json_lines(arguments.made)]
            cases = cases_of([row for row in lines if row.get("source_id") in chosen])
        else:
            cases = cases_of(made(problems, inventory, max(arguments.variants), ["numbers"], arguments.seed))
        full = [case for case in cases if len(case.variants) >= max(arguments.variants)]
        for system in arguments.system or SYSTEMS:
            for count, samples in product(arguments.variants, arguments.samples):
                found = _of_system(system, full, count, samples, inventory, arguments.seed)
                print(json.dumps({"source": Path(name).name, **found}), flush=True)


def _of_system(
    system: str, cases: Sequence[Case], count: int, samples: int, inventory: RivalInventory, seed: int
) -> dict[str, Any]:
    said: Counter[str] = Counter()
    # The same answers, taken both ways: how often the planted derivation is named, and what a reader of texts says.
    named = first = unexplained = reads = agree = planted_count = 0
    for whole in tqdm(cases, desc=f"{system}, {count}", disable=not sys.stderr.isatty(), leave=False):
        case = Case(whole.variable, whole.variants[:count])
        random = Random(f"{system}|{case.id}|{seed}" if seed else f"{system}|{case.id}")
        planted, ask = _plant(system, case, inventory, random)
        if ask is None:
            continue
        first_answers = ask()
        found = probe_case(case, first_answers if samples == 1 else ask_often(ask, samples), inventory)
        said[found.verdict] += 1
        unexplained += found.verdict == "wrong" and not found.explanations
        if planted is None and system not in ("memorised", "one off"):
            continue
        planted_count += 1
        meant = [_is_meant(told, planted, system, case) for told in found.explanations]
        named += any(meant)
        first += any(meant[:1])
        if planted is None:
            continue
        # The other way: the same answers with their equations, read and graded on the original.
        text = planted.texts(first_answers)[case.id]
        verdict = grade({"answer": text}, PreparedProblem(original_of(case).problem))
        reads += verdict.derivation
        agree += (str(found.verdict) == "right") == verdict.derivation
    total = sum(said.values()) or 1
    return {
        "system": system,
        "variants": count,
        "samples": samples,
        "problems": sum(said.values()),
        "called": {str(verdict): number for verdict, number in said.items()},
        **{verdict: round(100 * said[verdict] / total, 1) for verdict in ("right", "wrong", "undecided")},
        "named": round(100 * named / (planted_count or 1), 1),
        "named first": round(100 * first / (planted_count or 1), 1),
        "first": first,
        "planted": planted_count,
        "unexplained": unexplained,
        "read as right": round(100 * reads / (planted_count or 1), 1),
        "agree": round(100 * agree / (planted_count or 1), 1),
    }


def _is_meant(told: DescribedExplanation, planted: Planted | None, system: str, case: Case) -> bool:
    """Return True if an explanation is the planted one: the same error, or a derivation that is always the same."""
    if planted is None or not told.derivation or "trap" in told.derivation:
        return told.kind == system
    if told.derivation == planted.written:
        return True
    variable = original_of(case)
    named = rival_of(variable, Derivation.read(told.derivation, variable.problem.numbers))
    point = generic_values(variable, everything=True)
    return sorted(named.solve(point) or ()) == sorted(planted.rival.solve(point) or ())


def _plant(
    system: str, case: Case, inventory: RivalInventory, random: Random
) -> tuple[Planted | None, Callable[[], Answers] | None]:
    """Return the derivation of a system, if it has one, and a function that answers every row once."""
    if system == "memorised":
        return None, lambda: memorised(case)
    if system == "one off":
        answers = one_off(case, random)
        return None, lambda: answers
    if system == "guessing":
        return None, lambda: guesses(case, random)
    slips = 0.05 if " 5 %" in system else 0.1 if "10 %" in system else 0.2 if "20 %" in system else 0.0
    if system.startswith("gold"):
        planted: Planted | None = right(case)
    elif system == "outside":
        planted = planted_outside(case, inventory, random)
    elif system in ("wrong number", "number twice"):
        planted = planted_number(case, random, twice=system == "number twice")
    elif system == "one step":
        planted = planted_step(case, random)
    else:
        planted = planted_wrong(case, inventory, random, lucky=system == "lucky")
    if planted is None:
        return None, None
    if system.startswith("half"):
        mix, own = half if system == "half and half" else mixed, planted
        return None, lambda: mix(case, own, random)
    return planted, partial(planted.answers, random, slips)


@experiment(
    "variants-agree",
    option("predictions", help="what draw solve predict has written, for originals and variants"),
    option("variants", help="what draw variants make --with-originals has written"),
    option("--inventory", default="draw1k"),
)
def run_agree(arguments: argparse.Namespace) -> None:
    """Compare what probing says of answers with what the metric says of their derivations (docs/variants.md)."""
    rows = [line.value for line in read_json_lines(arguments.variants)]
    predictions = {line.value["id"]: line.value["prediction"] for line in read_json_lines(arguments.predictions)}
    answers = {id_: None if one is None else one.get("solutions") for id_, one in predictions.items()}
    inventory = inventory_of(read(arguments.inventory))
    table: Counter[tuple[str, str]] = Counter()
    for case in tqdm(cases_of([row for row in rows if row.get("variant")]), disable=not sys.stderr.isatty()):
        found = probe_case(case, answers, inventory)
        problems = [original_of(case).problem, *(variant.problem for variant in case.variants)]
        rights = [grade(predictions[one.id], PreparedProblem(one)).derivation for one in problems]
        said = "all right" if all(rights) else "original right" if rights[0] else "original wrong"
        table[str(found.verdict), said] += 1
    for (verdict, said), count in sorted(table.items()):
        print(json.dumps({"from answers": verdict, "by Algorithm 1": said, "problems": count}))


@experiment(
    "variants-open",
    option("files", nargs="+", help="files of model answers to problems that can be decided"),
    option("--every", type=int, default=1, help="only every so many"),
    option("--field", default="answer", help="field of the answer"),
)
def run_open(arguments: argparse.Namespace) -> None:
    """Count the answers that are read as leaving their question open, and print their ends (docs/variants.md)."""
    read_count, found = 0, []
    for name in arguments.files:
        for line in islice(read_json_lines(name), 0, None, arguments.every):
            text = line.value.get(arguments.field)
            if not isinstance(text, str):
                continue
            read_count += 1
            work = parse_answer(text, number_origins_of(""))
            if is_left_open(work.plain.text, work.finals, set()):
                found.append(text[-120:])
    print(json.dumps({"answers": read_count, "left open": len(found), "ends": found}))
