"""Experiment on trust: how often verdicts on answers of today's models are right, in five parts."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from draw_dataset import derive, grade
from draw_dataset.data.catalog import load
from draw_dataset.data.sample import load_sample
from draw_dataset.deriving.frozen import digest, frozen_row, read_frozen
from draw_dataset.io.jsonl import read_json_lines
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.verdict import Verdict
from experiments import DATA_DIR, ROOT, experiment, option, print_head, print_row
from experiments.planting import KINDS, STYLES, Planted, planted_answers, read_gold

_ANSWERS = os.environ.get("DRAW_ANSWERS_DIR", "../shared/llm_answers")
_SOURCES = os.environ.get("DRAW_SOURCES_DIR", "../shared/sources")
LABELS = ROOT / "tests" / "answers" / "modern_labels.jsonl"
DECIDED = "decided"
REFUSED = "refused"
_READ = 1500  # problems of GSM8K that are derived for planting

Row = Mapping[str, Any]
Table = list[dict[str, Any]]


@experiment(
    "trust",
    option("--only", choices=["labels", "processbench", "planted", "gold", "models"], help="print one part"),
    option("--answers", type=Path, default=Path(_ANSWERS), metavar="DIR", help=f"default: {_ANSWERS}"),
    option("--sources", type=Path, default=Path(_SOURCES), metavar="DIR", help=f"default: {_SOURCES}"),
    option("--labels", type=Path, default=LABELS, metavar="FILE", help="default: tests/answers/modern_labels.jsonl"),
    option("--frozen", action="store_true", help="grade the labelled answers that are kept for the end, too"),
    option("--gold", choices=["frozen", "derived"], default="frozen", help="gold of GSM8K (default frozen)"),
    option("--wanted", type=int, default=160, metavar="N", help="planted answers a source (default 160)"),
    option("--seed", type=int, default=0, metavar="N", help="of the planted answers (default 0)"),
    option("--limit", type=int, metavar="N", help="read at most so many problems or answers a part"),
    option("--examples", type=int, default=0, metavar="N", help="print so many failures a kind"),
    DATA_DIR,
    option("--json", action="store_true", help="print one JSON object"),
)
def run_trust(arguments: argparse.Namespace) -> None:
    """Measure how far verdicts on answers of today's models can be trusted (docs/answers.md).

    labels: answers that were labelled by reading, beside two controls. processbench: solutions with experts' labels.
    planted: answers made by program, each with a wrong derivation and the right result, and right ones. gold: GSM8K's
    worked solutions as answers. models: the accuracies of the models.
    """
    parts: dict[str, Callable[[argparse.Namespace], dict[str, Table]]] = {
        "labels": measure_labels,
        "processbench": measure_processbench,
        "planted": measure_planted,
        "gold": measure_gold,
        "models": measure_models,
    }
    found = {}
    for name, measure in parts.items():
        if arguments.only in (None, name):
            tables = found[name] = measure(arguments)
            for title, rows in tables.items() if not arguments.json else ():
                print_table(title, rows)
    if arguments.json:
        print(json.dumps(found))


def print_table(title: str, rows: Table) -> None:
    """Print rows with the same columns as a table in Markdown, under a title."""
    print(f"\n{title}\n")
    if rows:
        print_head(*rows[0], right=range(1, len(rows[0])))
        for row in rows:
            print_row(*row.values())


def share(part: int, total: int) -> str:
    """Return a count with its share.

    >>> share(1, 4), share(0, 0)
    ('1 (25.0 %)', '-')
    """
    return f"{part} ({100 * part / total:.1f} %)" if total else "-"


class Grader:
    """Grades answers to rows; each row is prepared once."""

    def __init__(self) -> None:
        self._prepared: dict[int, tuple[Row, PreparedProblem]] = {}

    def __call__(self, answer: str, row: Row) -> Verdict:
        """Return the verdict on an answer."""
        key = id(row)
        if key not in self._prepared:
            self._prepared[key] = row, PreparedProblem.of(row)
        return grade({"answer": answer}, self._prepared[key][1])


def gold_rows(records: Iterable[Mapping[str, Any]], gold: str) -> dict[Any, Row]:
    """Return the rows of problems of GSM8K by id, without those that have no derivation."""
    listed = [dict(record) for record in records]
    rows = derive(listed, preset="gsm8k", id="id")
    if gold == "frozen":
        lines = {line["sha256"]: line for split in read_frozen("gsm8k_derivations").values() for line in split}
        texts = [digest(record["question"].strip()) for record in listed]
        rows = [
            {**frozen_row(lines[text], row["question"]), "id": row["id"]} if text in lines else row
            for text, row in zip(texts, rows, strict=True)
        ]
    return {row["id"]: row for row in rows if row["status"] != REFUSED}


def read_answers(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the answers of today's models."""
    lines = (line.value for line in read_json_lines(arguments.answers / "modern_gsm8k.jsonl"))
    return list(islice(lines, arguments.limit))


def rows_of_answers(answers: Iterable[Mapping[str, Any]], gold: str) -> dict[Any, Row]:
    """Return the rows of the problems that are answered."""
    by_id = {a["id"]: {"id": a["id"], "question": a["question"], "answer": a["solution"]} for a in answers}
    return gold_rows(by_id.values(), gold)


# Labels


def measure_labels(arguments: argparse.Namespace) -> dict[str, Table]:
    """Return how verdicts agree with labels that were made by reading."""
    labels = {(e["id"], e["model"]): e for e in (line.value for line in read_json_lines(arguments.labels))}
    chosen = [
        answer
        for answer in read_answers(arguments)
        if (label := labels.get((answer["id"], answer["model"]))) is not None
        and (arguments.frozen or label["part"] == "seen")
    ]
    rows = rows_of_answers(chosen, arguments.gold)
    grader = Grader()
    tallies: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    controls: dict[tuple[str, str], dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for answer in chosen:
        label = labels[answer["id"], answer["model"]]
        places = [(label["part"], "all"), (label["part"], answer["format"])]
        if answer["id"] not in rows:
            for place in places:
                tallies[place]["no gold"] += 1
            continue
        verdict = grader(answer["answer"], rows[answer["id"]])
        reference = final_number(answer["solution"])
        said: dict[str, bool | None] = {
            "verdict": verdict.solution,
            "final number": reference is not None and final_number(answer["answer"]) == reference,
            "math-verify": math_verify_agrees(answer["solution"], answer["answer"]),
        }
        for place in places:
            _count_label(tallies[place], label, verdict)
            for name, right in said.items():
                _count_control(controls[place][name], right, right_label=label["final"] == "right")
    return {
        "Labelled answers": [_label_row(*place, tallies[place]) for place in sorted(tallies)],
        "Results of labelled answers, beside controls": [
            _control_row(*place, name, tally) for place in sorted(controls) for name, tally in controls[place].items()
        ],
    }


def _count_label(tally: Counter[str], label: Mapping[str, Any], verdict: Verdict) -> None:
    right, sound = label["final"] == "right", label["derivation"] == "sound"
    lucky = verdict.reason == "lucky"
    tally["n"] += 1
    tally["decided"] += verdict.status != "undecided"
    tally["lucky"] += lucky
    tally["lucky and true"] += lucky and right and label["derivation"] == "wrong"
    tally["wrong results"] += not right
    tally["wrong results passed"] += verdict.solution and not right
    tally["final number agrees"] += verdict.solution == right
    if sound and right:
        tally["sound"] += 1
        tally[f"sound {verdict.status}"] += 1


def _label_row(part: str, form: str, tally: Counter[str]) -> dict[str, Any]:
    n, sound = tally["n"], tally["sound"]
    return {
        "part": part,
        "format": form,
        "n": n,
        "no gold": tally["no gold"],
        "sound and right": sound,
        "called right": share(tally["sound right"], sound),
        "undecided": share(tally["sound undecided"], sound),
        "vetoed": share(tally["sound wrong"], sound),
        "wrong results passed": f"{tally['wrong results passed']} of {tally['wrong results']}",
        "lucky said, true": f"{tally['lucky']}, {tally['lucky and true']}",
        "decided": share(tally["decided"], n),
        "final number agrees": share(tally["final number agrees"], n),
    }


def _count_control(tally: Counter[str], said: bool | None, *, right_label: bool) -> None:
    if said is not None:
        tally["n"] += 1
        tally["agrees"] += said == right_label
        tally["passed"] += said and not right_label
        tally["refused"] += right_label and not said


def _control_row(part: str, form: str, name: str, tally: Counter[str]) -> dict[str, Any]:
    said = bool(tally["n"])
    return {
        "part": part,
        "format": form,
        "judge": name,
        "n": tally["n"] if said else "-",
        "agrees": share(tally["agrees"], tally["n"]),
        "wrong results passed": tally["passed"] if said else "-",
        "right results refused": tally["refused"] if said else "-",
    }


_VALUE = r"(-?[\d,]*\.?\d+(?:/\d+)?)"
_MARKS = (
    re.compile(rf"####\s*\\?[$£€]?\s*{_VALUE}"),
    re.compile(rf"\\boxed\{{[^\d{{}}-]*{_VALUE}"),
    re.compile(rf"(?i:answer)(?i: is|:)[^\d\n-]{{0,40}}{_VALUE}"),
    re.compile(_VALUE),
)


def final_number(text: str) -> Fraction | None:
    """Return the last number after the first kind of mark that a text has, else its last number: the control.

    >>> final_number("2 + 3 = 5. The answer is $1,005."), final_number("none")
    (Fraction(1005, 1), None)
    """
    text = text.rpartition("</think>")[2]
    for mark in _MARKS:
        for number in reversed(mark.findall(text)):
            try:
                return Fraction(number.replace(",", ""))
            except (ValueError, ZeroDivisionError):
                continue
    return None


def math_verify_agrees(solution: str, answer: str) -> bool | None:
    """Decide by math-verify whether an answer has the result of a worked solution; None if it is not installed."""
    try:
        from math_verify import parse, verify
    except ImportError:
        return None
    return bool(verify(parse(solution.rpartition("####")[2]), parse(answer.rpartition("</think>")[2])))


# ProcessBench


def measure_processbench(arguments: argparse.Namespace) -> dict[str, Table]:
    """Return how verdicts agree with the experts' labels of ProcessBench."""
    lines = [line.value for line in read_json_lines(arguments.answers / "processbench_gsm8k.jsonl")]
    lines = lines[: arguments.limit]
    wanted = {_plain(line["problem"]) for line in lines}
    records = {}
    for file in ("gsm8k_test_full.jsonl", "gsm8k_train.jsonl"):
        for line in read_json_lines(arguments.sources / file):
            if (text := _plain(line.value["question"])) in wanted:
                records[text] = {**line.value, "id": len(records)}
    derived = gold_rows(records.values(), arguments.gold)
    rows = {text: derived[record["id"]] for text, record in records.items() if record["id"] in derived}
    grader = Grader()
    tally: Counter[str] = Counter()
    for line in lines:
        row = rows.get(_plain(line["problem"]))
        kind = "correct" if line["label"] == -1 else "erroneous"
        if row is None:
            tally[f"{kind} without gold"] += 1
            continue
        verdict = grader("\n".join(line["steps"]), row)
        tally[kind] += 1
        tally[f"{kind} {verdict.status}"] += 1
        tally[f"{kind} found"] += not verdict.solution or verdict.status == "wrong"
        tally[f"{kind} with another result"] += not verdict.solution
    correct, wrong = tally["correct"], tally["erroneous"]
    one = {
        "no gold": tally["correct without gold"] + tally["erroneous without gold"],
        "correct": correct,
        "called right": share(tally["correct right"], correct),
        "undecided": share(tally["correct undecided"], correct),
        "vetoed": share(tally["correct wrong"], correct),
        "result called wrong": share(tally["correct with another result"], correct),
        "erroneous": wrong,
        "found": share(tally["erroneous found"], wrong),
        "result called wrong too": share(tally["erroneous with another result"], wrong),
    }
    return {"ProcessBench": [one]}


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


# Planted luck


def measure_planted(arguments: argparse.Namespace) -> dict[str, Table]:
    """Return how many planted wrong derivations with a right result are found, and how many right ones are vetoed."""
    grader = Grader()
    tallies: dict[str, dict[str, Counter[str]]] = {name: defaultdict(Counter) for name in ("kind", "style", "source")}
    shown: Counter[str] = Counter()
    for planted in plant_all(arguments):
        verdict = grader(planted.text, planted.gold.row)
        side = "luck" if planted.kind else "right"
        named = {"kind": planted.kind, "style": planted.style, "source": planted.gold.source}
        for by, name in named.items():
            tally = tallies[by][name or "right"]
            tally[side] += 1
            tally[f"{side} {verdict.status}"] += 1
            tally[f"{side} result"] += verdict.solution
        failed = verdict.status != ("wrong" if planted.kind else "right") or not verdict.solution
        if failed and shown[planted.kind] < arguments.examples:
            shown[planted.kind] += 1
            _show(planted, verdict)
    return {
        "Planted luck by kind": [_planted_row("kind", kind, tallies["kind"][kind]) for kind in KINDS],
        "Planted luck and right answers by style": [
            {**_planted_row("style", style, tally), **_right_row(tally)}
            for style in STYLES
            if (tally := tallies["style"][style])
        ],
        "Planted luck and right answers by source": [
            {**_planted_row("source", source, tally), **_right_row(tally)}
            for source, tally in tallies["source"].items()
        ],
    }


def _planted_row(by: str, name: str, tally: Counter[str]) -> dict[str, Any]:
    luck = tally["luck"]
    return {
        by: name,
        "luck": luck,
        "found": share(tally["luck wrong"], luck),
        "passed as right": share(tally["luck right"], luck),
        "undecided": share(tally["luck undecided"], luck),
    }


def _right_row(tally: Counter[str]) -> dict[str, Any]:
    right = tally["right"]
    return {
        "right answers": right,
        "called right": share(tally["right right"], right),
        "right, vetoed": share(tally["right wrong"], right),
        "right, undecided": share(tally["right undecided"], right),
        "right, result refused": right - tally["right result"],
    }


def plant_all(arguments: argparse.Namespace) -> Iterator[Planted]:
    """Yield planted answers to problems of the sample, of Draw-1k and of GSM8K without the labelled ones."""
    sample = [problem.to_row() for split in load_sample().values() for problem in split]
    yield from _plant(sample, "sample", arguments)
    yield from _plant((problem.to_row() for problem in load("draw1k", arguments.data_dir)), "Draw-1k", arguments)
    labelled = {line.value["id"] for line in read_json_lines(arguments.labels)}
    lines = (line.value for line in read_json_lines(arguments.sources / "gsm8k_train.jsonl"))
    records = [record for record in lines if record["id"] + 100_000 not in labelled]
    rows = gold_rows(records[: arguments.limit or _READ], arguments.gold).values()
    yield from _plant((row for row in rows if row["status"] == DECIDED), "GSM8K", arguments)


def _plant(rows: Iterable[Row], source: str, arguments: argparse.Namespace) -> list[Planted]:
    golds = (gold for row in islice(rows, arguments.limit) if (gold := read_gold(row, source)) is not None)
    return planted_answers(golds, arguments.wanted, arguments.seed)


def _show(planted: Planted, verdict: Verdict) -> None:
    row = planted.gold.row
    print(f"\n--- {planted.kind or 'right'}, {planted.style}: {row['question']}\n{row['derivation']}\n{planted.text}")
    print(f"{verdict.status}, {verdict.reason}, solution {verdict.solution}: {verdict.message}")


# Gold's own text

_MARKED: dict[str, str] = {
    "#### n": "#### {}",
    r"\boxed{n}": "\\boxed{{{}}}",
    "The answer is n.": "The answer is {}.",
    "**Answer:** n": "**Answer:** {}",
    "Answer: n": "Answer: {}",
    "Therefore, … n": "Therefore, the result is {}.",
    r"$\boxed{n}$": "$\\boxed{{{}}}$",
    "Final answer: n": "Final answer: {}",
}


def measure_gold(arguments: argparse.Namespace) -> dict[str, Table]:
    """Return the verdicts on the worked solutions of decided rows, in many forms."""
    everything = (line.value for line in read_json_lines(arguments.answers / "modern_gsm8k.jsonl"))
    answers = list(islice({answer["id"]: answer for answer in everything}.values(), arguments.limit))
    solutions = {answer["id"]: answer["solution"] for answer in answers}
    rows = {id_: row for id_, row in rows_of_answers(answers, arguments.gold).items() if row["status"] == DECIDED}
    grader = Grader()
    tallies: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    shown: Counter[str] = Counter()
    for id_, row in rows.items():
        bad: Counter[str] = Counter()
        for marks, lines, name, text in gold_texts(solutions[id_]):
            verdict = grader(text, row)
            for place in (("", "all"), ("marks", marks), ("lines", lines), ("final mark", name)):
                tallies[place]["n"] += 1
                tallies[place][str(verdict.status)] += 1
                tallies[place]["result"] += verdict.solution
            if verdict.status != "right" or not verdict.solution:
                bad[f"{verdict.status}, result {'right' if verdict.solution else 'refused'}"] += 1
                if bad.total() == 1 and shown[str(verdict.status)] < arguments.examples:
                    shown[str(verdict.status)] += 1
                    print(f"\n--- gold of {id_}: {row['question']}\n{row['derivation']}\n{text}\n{verdict.message}")
        tallies["", "all"]["rows"] += 1
        tallies["", "all"]["rows with a failure"] += bool(bad)
    table: Table = [
        {
            "form": f"{by} {name}".strip(),
            "n": tally["n"],
            "right": share(tally["right"], tally["n"]),
            "undecided": share(tally["undecided"], tally["n"]),
            "vetoed": share(tally["wrong"], tally["n"]),
            "result refused": tally["n"] - tally["result"],
        }
        for (by, name), tally in tallies.items()
    ]
    rows_table = [{"rows": tallies["", "all"]["rows"], "with a failure": tallies["", "all"]["rows with a failure"]}]
    return {"Gold's own text": table, "Rows of gold's own text": rows_table}


def gold_texts(solution: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield a worked solution of GSM8K in its forms: with and without <<…>>, on a line or several, each final mark."""
    worked, _, final = solution.rpartition("####")
    for marks, body in (("with <<…>>", worked), ("without", re.sub(r"<<[^<>]*>>", "", worked))):
        lines = [line.strip() for line in body.strip().splitlines() if line.strip()]
        sentences = [line if line[-1] in ".!?:;," else f"{line}." for line in lines]
        for layout, text, gap in (("several", "\n".join(lines), "\n"), ("one", " ".join(sentences), " ")):
            for name, mark in _MARKED.items():
                yield marks, layout, name, f"{text}{gap}{mark.format(final.strip())}"


# Models


def measure_models(arguments: argparse.Namespace) -> dict[str, Table]:
    """Return the accuracies of each model, with the bounds that undecided verdicts leave."""
    answers = read_answers(arguments)
    rows = rows_of_answers(answers, arguments.gold)
    grader = Grader()
    tallies: dict[str, Counter[str]] = defaultdict(Counter)
    for answer in answers:
        tally = tallies[answer["model"]]
        if answer["id"] not in rows:
            tally["no gold"] += 1
            continue
        verdict = grader(answer["answer"], rows[answer["id"]])
        tally["n"] += 1
        tally["solution"] += verdict.solution
        tally["certain"] += verdict.certain
        tally["lucky"] += verdict.reason == "lucky"
        tally[str(verdict.status)] += 1
    return {"Models on GSM8K, percent": [_model_row(model, tallies[model]) for model in sorted(tallies)]}


def _model_row(model: str, tally: Counter[str]) -> dict[str, Any]:
    n = tally["n"] or 1

    @cache
    def percent(*names: str) -> str:
        return f"{100 * sum(tally[name] for name in names) / n:.1f}"

    return {
        "model": model,
        "n": tally["n"],
        "no gold": tally["no gold"],
        "solution": percent("solution"),
        "derivation": percent("right"),
        "upper bound": percent("right", "undecided"),
        "decided": percent("right", "wrong"),
        "certain": percent("certain"),
        "lucky": percent("lucky"),
    }
