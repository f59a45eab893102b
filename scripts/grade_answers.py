"""Grade the answers of language models in a folder, and say how well the grader agrees with labels made by reading.

The folder holds ``chatgpt_draw1k.jsonl``, ``gpt35_draw1k.jsonl`` and ``gpt35_alg514.jsonl`` (``{"id", "answer"}``, or
with ``"sample"``), and ``gsm8k_models.jsonl`` with worked solutions and the answers of several models. GSM8K has no
derivations of its own: the worked solution of a problem is its gold.

    python scripts/grade_answers.py --answers ../shared/llm_answers --data-dir ../shared/release
    python scripts/grade_answers.py --labels tests/answers/labels.jsonl
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from draw_dataset.answers.worked import WorkedGold, worked_golds
from draw_dataset.catalog import load
from draw_dataset.core.asked import asked_values
from draw_dataset.core.quantities import GoldQuantities
from draw_dataset.errors import DrawError, ReadError
from draw_dataset.files import read_json_lines
from draw_dataset.scoring.answers import Asked, Judged, judge_answer, judge_by_any, values_of
from draw_dataset.scoring.comparison import bootstrap_interval
from draw_dataset.scoring.verdict import Reason

SETS = {"chatgpt_draw1k": "draw1k", "gpt35_draw1k": "draw1k", "gpt35_alg514": "alg514"}
"""The files of answers, and the data that they answer."""

GSM8K = "gsm8k_models"

PARTS = ("first", "fresh", "second", "third", "fourth", "fifth")
"""The sets of labels in the order in which they were made; docs/answers.md says which were looked at while tuning."""

_REASONS = (Reason.SLIP, Reason.LUCKY, Reason.SHORTCUT, Reason.PART, Reason.NO_DERIVATION, Reason.UNREAD)


class Graded(NamedTuple):
    """One answer with what is said of it."""

    set: str
    id: int
    sample: int | str | None
    judged: Judged


class References:
    """The gold data of the answers, each row prepared once.

    Args:
        data_dir: the folder of the release's files.
    """

    def __init__(self, data_dir: str | None) -> None:
        self._data_dir = data_dir
        self._problems: dict[str, dict[int | str, Any]] = {}
        self._asked: dict[tuple[str, int | str], Asked] = {}
        self._worked: dict[int, list[Asked]] = {}

    def of_problem(self, config: str, id_: int) -> Asked:
        """Return what answers to a problem of the release are compared with."""
        key = config, id_
        if key not in self._asked:
            if config not in self._problems:
                self._problems[config] = {problem.id: problem for problem in load(config, self._data_dir)}
            problem = self._problems[config][id_]
            gold = GoldQuantities(problem)
            solutions = values_of(gold) or tuple(Fraction(str(value)) for value in problem.solutions)
            wanted = asked_values(problem)
            self._asked[key] = Asked(gold, gold.classes, solutions, problem.question, wanted=wanted)
        return self._asked[key]

    def of_solution(self, id_: int, question: str, solution: str) -> list[Asked]:
        """Return what answers to a problem with a worked solution are compared with; nothing if it cannot be read."""
        if id_ not in self._worked:
            try:
                golds: Sequence[WorkedGold] = worked_golds(question, solution)
            except ReadError:
                golds = []
            classes = tuple(range(len(golds[0].numbers))) if golds else ()
            self._worked[id_] = [Asked(gold, classes, values_of(gold), question, chain=True) for gold in golds]
        return self._worked[id_]


def graded(folder: Path, references: References, wanted: set[tuple[str, int, Any]] | None = None) -> Iterator[Graded]:
    """Yield the answers of a folder with their verdicts; only those that are wanted, if that is said."""
    for name, config in SETS.items():
        for line in read_json_lines(folder / f"{name}.jsonl"):
            entry = line.value
            id_, sample = entry["id"], entry.get("sample")
            if wanted is None or (name, id_, sample) in wanted:
                yield Graded(name, id_, sample, judge_answer(entry["answer"], references.of_problem(config, id_)))
    for line in read_json_lines(folder / f"{GSM8K}.jsonl"):
        entry = line.value
        asked = references.of_solution(entry["id"], entry["question"], entry["solution"])
        for model, answer in entry["answers"].items():
            if asked and (wanted is None or ("gsm8k", entry["id"], model) in wanted):
                name = f"gsm8k {model}" if wanted is None else "gsm8k"
                yield Graded(name, entry["id"], model, judge_by_any(answer, asked))


def figures(rows: Sequence[Graded]) -> dict[str, Any]:
    """Return the accuracies of a set with their intervals, and how often each reason was given."""
    found: dict[str, Any] = {"answers": len(rows)}
    for name in ("solution", "derivation", "certain"):
        values = [float(getattr(row.judged, name)) for row in rows]
        interval = bootstrap_interval(values, samples=1000, seed=0)
        found[name] = {"share": sum(values) / len(values), "interval": [interval.low, interval.high]}
    reasons = Counter(row.judged.reason for row in rows)
    return found | {str(reason): reasons[reason] for reason in _REASONS}


def majority(rows: Sequence[Graded]) -> dict[str, float]:
    """Return the share of problems of which more than half of the samples are right."""
    by_problem: dict[int, list[Graded]] = defaultdict(list)
    for row in rows:
        by_problem[row.id].append(row)
    return {
        name: sum(2 * sum(getattr(row.judged, name) for row in group) > len(group) for group in by_problem.values())
        / len(by_problem)
        for name in ("solution", "derivation")
    }


def agreement(rows: Sequence[Graded], labels: Mapping[tuple[str, int, Any], Mapping[str, Any]]) -> dict[str, Any]:
    """Return how verdicts agree with labels made by reading."""
    found: dict[str, Any] = {}
    for part in PARTS:
        for group in ("algebra", "gsm8k"):
            chosen = [
                (row.judged, label)
                for row in rows
                if (label := labels[row.set, row.id, row.sample])["part"] == part
                and (row.set == "gsm8k") == (group == "gsm8k")
            ]
            if not chosen:
                continue
            right = [j for j, label in chosen if label["derivation"] == "right"]
            wrong = [j for j, label in chosen if label["derivation"] != "right"]
            lucky = [j for j, label in chosen if label["lucky"]]
            sound = [j for j, label in chosen if label["derivation"] == label["solution"] == "right"]
            found[f"{part} {group}"] = {
                "answers": len(chosen),
                "derivation agrees": sum(j.derivation == (label["derivation"] == "right") for j, label in chosen),
                "right called right": [sum(j.derivation for j in right), len(right)],
                "wrong called wrong": [sum(not j.derivation for j in wrong), len(wrong)],
                "lucky called wrong": [sum(not j.derivation for j in lucky), len(lucky)],
                "sound called right": [sum(j.derivation for j in sound), len(sound)],
                "unread": sum(j.reason is Reason.UNREAD for j, _ in chosen),
                "solution agrees": sum(j.solution == (label["solution"] == "right") for j, label in chosen),
            }
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Grade and print; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    where = os.environ.get("DRAW_ANSWERS_DIR", "../shared/llm_answers")
    parser.add_argument("--answers", type=Path, default=Path(where), metavar="DIR", help=f"default: {where}")
    parser.add_argument("--data-dir", metavar="DIR", help="the folder with the files of the release")
    parser.add_argument("--labels", type=Path, metavar="FILE", help="grade the labelled answers only, and compare")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args(argv)
    try:
        references = References(arguments.data_dir)
        if arguments.labels is not None:
            entries = [line.value for line in read_json_lines(arguments.labels)]
            labels = {(entry["set"], entry["id"], entry["sample"]): entry for entry in entries}
            rows = list(tqdm(graded(arguments.answers, references, set(labels)), total=len(labels), leave=False))
            result = agreement(rows, labels)
        else:
            by_set: dict[str, list[Graded]] = defaultdict(list)
            for row in tqdm(graded(arguments.answers, references), leave=False):
                by_set[row.set].append(row)
            result = {name: figures(rows) for name, rows in by_set.items()}
            for name, rows in by_set.items():
                if any(row.sample is not None for row in rows) and not name.startswith("gsm8k"):
                    result[name]["majority"] = majority(rows)
    except DrawError as error:
        print(f"grade_answers: {error}", file=sys.stderr)
        return 2
    if arguments.json:
        print(json.dumps(result, indent=1))
    else:
        print("\n".join(f"{name}: {json.dumps(values)}" for name, values in result.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
