"""``draw demo``: the embedded sample through `load_dataset`, the metric through `evaluate`, and the page of errors.

The sample comes with predictions of three systems, templates with alignments, and with answers of two, written
as language models write. Both kinds are scored; the page shows all five.
"""

from __future__ import annotations

import argparse
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from draw_dataset.core.equivalence import derivations_equivalent, find_difference, find_slot_map
from draw_dataset.files.atomic import check_writable

if TYPE_CHECKING:
    from draw_dataset.scoring.table import ScoreTable

HELP = "load the embedded sample, score predictions and answers, write a page; needs no network and no release"

_READ_ALOUD = ("careful", 95)
"""The answer that is printed with its marks."""

_TEMPLATES = (
    ("templates (1) and (2) of the paper", "m = a + b*n; m = c - n", "m + n = a; m - c*n = b"),
    ("the template of Figure 1 and a wrong one", "a*m = b*n; c*m + d*n = e", "a*m = b*n; a*m + a*n = c"),
    ("sum and difference", "m = a + b", "m = a - b"),
)
_DERIVATIONS = (
    (
        "right answer, wrong numbers",
        "m + n = q2; q1*m - q5*n = q7 + q3",
        "m + n = q2; q4*m - q7*n = q6 + q3",
    ),
    ("right equations, wrong number", "m - q3*n = q1; m + n = q4", "m - q3*n = q2; m + n = q4"),
    ("written differently", "n = q4 - m; m = q2 + n*q3", "m - q3*n = q2; m + n = q4"),
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = "examples:\n  draw demo\n  draw demo --html /tmp/demo.html"
    parser.add_argument(
        "--html", type=Path, default=Path("demo.html"), metavar="FILE", help="where the page goes (default demo.html)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print a problem of the sample, the paper's examples, and the scores of the bundled predictions; write a page."""
    # The sample is inside the package: nothing may be asked of the network, whatever the machine is set to.
    os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = os.environ["HF_EVALUATE_OFFLINE"] = "1"
    check_writable(arguments.html)
    sample = _load_sample()
    rows = list(sample["test"])
    # Before anything is printed: whoever reads that may be gone after a line.
    predictions, answers = _write_page(rows, arguments.html)
    _show_sample(sample)
    _show_templates()
    _show_derivations()
    with warnings.catch_warnings():
        # Some of the sample's predictions cannot be read on purpose; the table counts them.
        warnings.simplefilter("ignore", UserWarning)
        _show_metric(rows)
    print(f"The same systems side by side, as draw score prints them:\n\n{predictions.to_text()}\n")
    print(f"What language models write, read and graded:\n\n{answers.to_text()}\n")
    _show_answer(rows)
    print(f"The errors with figures, and the answers with their marks: {arguments.html.resolve()}")
    return 0


def _load_sample() -> Any:
    from datasets import load_dataset
    from datasets.utils.logging import disable_progress_bar

    disable_progress_bar()
    return load_dataset("draw1k", "sample")


def _show_sample(sample: Any) -> None:
    sizes = ", ".join(f"{split} {rows.num_rows}" for split, rows in sample.items())
    print(f'load_dataset("draw1k", "sample"): {sizes}')
    row = sample["test"][0]
    print(f"  {row['question']}")
    print("  numbers    " + ", ".join(f"q{n['index']} = {n['text']}" for n in row["numbers"]))
    print(f"  derivation {row['derivation']}")
    print("  solutions  " + ", ".join(f"{value:g}" for value in row["solutions"]))


def _show_templates() -> None:
    print("Are these templates the same?")
    for title, first, second in _TEMPLATES:
        slot_map = find_slot_map(first, second)
        difference = find_difference(first, second)
        if slot_map is not None:
            verdict = "yes, by " + ", ".join(f"{a} -> {b}" for a, b in slot_map.items())
        else:
            verdict = f"no: {difference.message if difference else ''}"
        print(f"  {title}\n    {first}\n    {second}\n    {verdict}")


def _show_derivations() -> None:
    print("Are these derivations the same? (q1, q2 … are the numbers of the text)")
    for title, predicted, gold in _DERIVATIONS:
        verdict = "yes" if derivations_equivalent(predicted, gold) else "no"
        print(f"  {title}\n    predicted {predicted}\n    gold      {gold}\n    {verdict}")


def _show_metric(rows: list[dict[str, Any]]) -> None:
    import evaluate

    from draw_dataset.sample import ANSWERS, PREDICTIONS, load_sample_answers, load_sample_predictions
    from draw_dataset.scoring.verdict import ACCURACIES

    metric = evaluate.load("derivation_accuracy")
    print('evaluate.load("derivation_accuracy").compute(predictions=…, references=…)')
    for name in PREDICTIONS:
        predictions = load_sample_predictions(name)
        figures = metric.compute(predictions=[predictions[row["id"]] for row in rows], references=rows)
        accuracies = ", ".join(f"{kind} {figures[f'{kind}_accuracy']:.3f}" for kind in ACCURACIES)
        print(f"  {name:8} {accuracies}; right answer, wrong derivation: {figures['right_answer_wrong_derivation']}")
    print("The same of what language models write, each prediction {'answer': text}:")
    for name in ANSWERS:
        answers = load_sample_answers(name)
        figures = metric.compute(predictions=[{"answer": answers[row["id"]]} for row in rows], references=rows)
        share = {kind: f"{figures[f'{kind}_accuracy']:.3f}" for kind in ("derivation", "solution")}
        reasons = ", ".join(f"{count} {reason}" for reason, count in figures["counts"].items())
        print(f"  {name:8} derivation {share['derivation']}, solution {share['solution']}: {reasons}")


def _show_answer(rows: list[dict[str, Any]]) -> None:
    from draw_dataset.commands.read import marked, summary
    from draw_dataset.report.marks import stretches
    from draw_dataset.sample import load_sample_answers
    from draw_dataset.scoring.grading import grade

    name, id_ = _READ_ALOUD
    answer = load_sample_answers(name)[id_]
    verdict = grade({"answer": answer}, next(row for row in rows if row["id"] == id_))
    if verdict.reading is None:
        return
    told = [*marked(stretches(answer, verdict.reading), colour=False).splitlines(), *summary(verdict.reading, verdict)]
    print(f"One of these answers, as draw read --id {id_} marks it:")
    print("\n".join(f"  {line}" for line in told) + "\n")


def _write_page(rows: list[dict[str, Any]], target: Path) -> tuple[ScoreTable, ScoreTable]:
    """Write the page about all systems; return the table of those that predict, and that of those that answer."""
    from draw_dataset.report.page import ErrorCollector, write_page
    from draw_dataset.sample import ANSWERS, PREDICTIONS, load_sample_answers, load_sample_predictions
    from draw_dataset.scoring.files import Judged
    from draw_dataset.scoring.reference import Reference
    from draw_dataset.scoring.score import score
    from draw_dataset.scoring.table import compare_scores
    from draw_dataset.scoring.verdict import Verdict

    references = [Reference.of(row) for row in rows]
    given: dict[str, dict[int, Any]] = {name: load_sample_predictions(name) for name in PREDICTIONS}
    for name in ANSWERS:
        answers = load_sample_answers(name)
        given[f"{name} answers"] = {id_: {"answer": text} for id_, text in answers.items()}
    scores = {}
    wrong = {name: ErrorCollector() for name in given}
    for name, by_id in given.items():
        predictions = [by_id[row["id"]] for row in rows]
        verdicts: list[Verdict] = []
        scores[name] = score(predictions, references, data="sample/test", verdicts=verdicts)
        for judged in zip(references, predictions, verdicts, strict=True):
            wrong[name](Judged(*judged))
    found = {name: ones.found for name, ones in wrong.items()}
    write_page(target, compare_scores(scores), found, title="The sample's test split")
    apart = [{name: one for name, one in scores.items() if (name in PREDICTIONS) == own} for own in (True, False)]
    return compare_scores(apart[0]), compare_scores(apart[1])
