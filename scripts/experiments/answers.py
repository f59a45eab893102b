"""Experiments on scores: model answers graded and compared with labels, and systems on published and corrected gold."""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from draw_dataset.data.catalog import load
from draw_dataset.derivation.problem import ProblemId
from draw_dataset.deriving.solutions import WorkedGold, worked_golds
from draw_dataset.errors import ChoiceError, ReadError
from draw_dataset.io.jsonl import read_json_lines
from draw_dataset.scoring.answers import JudgedAnswer, judge_answer, judge_by_any
from draw_dataset.scoring.gold import GoldForAnswers, PreparedProblem, gold_values
from draw_dataset.scoring.options import GoldMode
from draw_dataset.scoring.score import score
from draw_dataset.scoring.significance import bootstrap_interval
from draw_dataset.scoring.verdict import Reason
from draw_dataset.solver.systems import train
from experiments import DATA_DIR, experiment, folds, option, print_head, print_row

# The files of answers, and the data that they answer
SETS = {"chatgpt_draw1k": "draw1k", "gpt35_draw1k": "draw1k", "gpt35_alg514": "alg514"}

GSM8K = "gsm8k_models"

# The sets of labels in the order in which they were made; docs/answers.md says which were looked at while tuning
PARTS = ("first", "fresh", "second", "third", "fourth", "fifth")

_REASONS = (Reason.SLIP, Reason.LUCKY, Reason.SHORTCUT, Reason.PART, Reason.NO_DERIVATION, Reason.UNREAD)
_ANSWERS = os.environ.get("DRAW_ANSWERS_DIR", "../shared/llm_answers")


@experiment(
    "answers",
    option("--answers", type=Path, default=Path(_ANSWERS), metavar="DIR", help=f"default: {_ANSWERS}"),
    DATA_DIR,
    option("--labels", type=Path, metavar="FILE", help="grade the labelled answers only, and compare"),
    option("--json", action="store_true", help="print one JSON object"),
)
def run_answers(arguments: argparse.Namespace) -> None:
    """Grade the model answers in a folder, and say how well the grader agrees with labels (docs/answers.md).

    The folder holds chatgpt_draw1k.jsonl, gpt35_draw1k.jsonl and gpt35_alg514.jsonl ({"id", "answer"}, or with
    "sample"), and gsm8k_models.jsonl with worked solutions and the answers of several models. GSM8K has no derivations
    of its own: the worked solution of a problem is its gold. tests/answers/labels.jsonl has labels made by reading.
    """
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
    if arguments.json:
        print(json.dumps(result, indent=1))
    else:
        print("\n".join(f"{name}: {json.dumps(values)}" for name, values in result.items()))


class Graded(NamedTuple):
    """One answer with what is said of it."""

    set: str
    id: int
    sample: int | str | None
    judged: JudgedAnswer


class References:
    """The gold data of the answers, each row prepared once."""

    def __init__(self, data_dir: str | None) -> None:
        self._data_dir = data_dir
        self._problems: dict[str, dict[int | str, Any]] = {}
        self._asked: dict[tuple[str, int | str], GoldForAnswers] = {}
        self._worked: dict[int, list[GoldForAnswers]] = {}

    def of_problem(self, config: str, id_: int) -> GoldForAnswers:
        """Return what answers to a problem of the release are compared with."""
        key = config, id_
        if key not in self._asked:
            if config not in self._problems:
                self._problems[config] = {problem.id: problem for problem in load(config, self._data_dir)}
            self._asked[key] = PreparedProblem(self._problems[config][id_]).for_answers
        return self._asked[key]

    def of_solution(self, id_: int, question: str, solution: str) -> list[GoldForAnswers]:
        """Return what answers to a problem with a worked solution are compared with; nothing if it cannot be read."""
        if id_ not in self._worked:
            try:
                golds: Sequence[WorkedGold] = worked_golds(question, solution)
            except ReadError:
                golds = []
            classes = tuple(range(len(golds[0].numbers))) if golds else ()
            self._worked[id_] = [
                GoldForAnswers(gold, classes, gold_values(gold), question, chain=True, trusted=len(golds) == 1)
                for gold in golds
            ]
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


# The golds: which corrections are applied, and whether alternatives count
GOLDS: Mapping[str, tuple[bool | str, GoldMode]] = {
    "published": (False, "one"),
    "v1": ("v1", "one"),
    "v2-derivations": ("v2-derivations", "one"),
    "v2": ("v2", "one"),
    "v2, any": ("v2", "any"),
    "v3": ("v3", "auto"),
}


@experiment(
    "golds",
    option("--answers", type=Path, metavar="DIR", help="the folder of answers"),
    option("--solver", action="store_true", help="train and score the solver, too"),
    option("--kept", type=Path, metavar="DIR", help="score the answers that confidence has kept"),
    option("--templates", type=int, default=10, metavar="K", help="that the solver tries (default 10)"),
    DATA_DIR,
    option("--json", action="store_true", help="print one JSON object a line, with signatures"),
)
def run_golds(arguments: argparse.Namespace) -> None:
    """Compare scores on the published and on the corrected gold (docs/known-defects.md).

    The answers are those of a folder, as the experiment answers has it. The solver is trained on the published gold,
    and once more on the corrected one, and scored on both: on Draw-1k's test split, and cross-validated over the folds
    of Alg-514 and Dolphin-L. With --kept, answers of the solver with all templates that confidence has kept are scored.
    """
    if arguments.answers is None and arguments.kept is None and not arguments.solver:
        raise ChoiceError("expected --answers DIR, --solver, --kept DIR, or several of them")
    if not arguments.json:
        print_head("system", "gold", "n", "solution", "derivation", "right answer, wrong derivation")
    for system, config, predictions in gold_systems(arguments):
        for name, (corrected, gold) in GOLDS.items():
            rows = {problem.id: problem for problem in load(config, arguments.data_dir, corrected)}
            kept = [(id_, given) for id_, given in predictions if id_ in rows]  # v3 excludes a few
            said, golds = [given for _, given in kept], [rows[id_] for id_, _ in kept]
            found = score(said, golds, gold=gold, data=config)
            one = {
                "system": system,
                "gold": name,
                "n": found.count,
                "solution": round(100 * found.solution_accuracy, 1),
                "derivation": round(100 * found.derivation_accuracy, 1),
                "lucky": found.lucky,
            }
            if arguments.json:
                print(json.dumps({**one, "signature": str(found.signature)}), flush=True)
            else:
                print_row(*one.values())


Predictions = list[tuple[ProblemId, Any]]


def gold_systems(arguments: argparse.Namespace) -> Iterator[tuple[str, str, Predictions]]:
    """Yield the name of each system, the data that it answers, and its predictions."""
    for name, config in SETS.items() if arguments.answers else ():
        lines = [line.value for line in read_json_lines(arguments.answers / f"{name}.jsonl")]
        yield name, config, [(line["id"], {"answer": line["answer"]}) for line in lines]
    for corrected in (False, True) if arguments.solver else ():
        for dataset in ("draw1k", "alg514", "dolphin_l"):
            predictions: Predictions = []
            for _, learnt, asked in folds(dataset, arguments.data_dir, corrected):
                # The solver that learns alone, as the paper's does.
                model = train(learnt, k=arguments.templates, relations=False)
                predictions += [(problem.id, model.predict(problem).to_dict()) for problem in asked]
            yield f"solver on {dataset}, trained on {'v3' if corrected else 'published'}", dataset, predictions
    if arguments.kept:
        from experiments.confidence import answers

        kept = answers(arguments.kept)
        for dataset, name in (("draw1k", "draw-test"), ("alg514", "alg514"), ("dolphin_l", "dolphin_l")):
            if name in kept:
                told = [(line["id"], line["prediction"]) for line in kept[name]]
                yield f"solver on {dataset}, all templates", dataset, told
