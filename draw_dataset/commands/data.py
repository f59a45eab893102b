"""``draw stats``, ``build``, ``register``, ``unregister``, ``demo`` and ``app``: the datasets and the metric's page."""

from __future__ import annotations

import json
import os
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from draw_dataset.commands.options import (
    CONFIGS,
    DATA_DIR,
    JSON,
    RELEASE,
    Arguments,
    command,
    load_problems,
    option,
    require_extra,
    sources,
    whole_number,
)
from draw_dataset.errors import ChoiceError
from draw_dataset.io.atomic import check_writable
from draw_dataset.io.jsonl import json_line

if TYPE_CHECKING:
    from draw_dataset.scoring.table import ScoreTable


@command(
    sources("[SOURCE]...", "the three datasets of the release"),
    *RELEASE,
    JSON,
    option("--plot FILE", "also draw a figure: .png, .svg or .pdf", type=Path),
)
def stats(arguments: Arguments) -> int:
    """Print the paper's Table 2 next to our figures, or the figures of your own rows.

    Examples:
      draw stats                           the three datasets of the release, and all of them together
      draw stats sample                    the embedded sample; needs no file
      draw stats draw1k/test rows.jsonl --json
      draw stats --plot figure.svg
    """
    from draw_dataset.data.catalog import resolve
    from draw_dataset.data.release import DATASETS
    from draw_dataset.data.statistics import as_data, as_text, measure, save_plot
    from draw_dataset.io.plot import check_plot

    if arguments.plot is not None:
        check_plot(arguments.plot)  # before the work, not after it
    sources = {source.title: source for source in map(resolve, arguments.sources or DATASETS)}
    problems = {name: load_problems(source, arguments) for name, source in sources.items()}
    columns = {name: measure(listed) for name, listed in problems.items()}
    if arguments.plot is not None:
        save_plot(columns, arguments.plot)
    if not arguments.sources:
        columns["all"] = measure(problem for listed in problems.values() for problem in listed)
    print(json.dumps(as_data(columns), ensure_ascii=False) if arguments.json else as_text(columns))
    return 0


@command(
    option("--out DIR", "folder to write", required=True),
    option(
        "--only NAME",
        f"write only these rows: {', '.join(CONFIGS)}; a dataset of the release also with _corrected or _clean, as in "
        "draw1k_clean; repeatable",
        multiple=True,
    ),
    DATA_DIR,
    option("--force", "replace the folder if it is not empty"),
    option("--push-to-hub REPO", "show the upload to this repository"),
    option("--private", "with --push-to-hub: the repository must be private"),
    option("--yes", "with --push-to-hub: upload, instead of showing the upload"),
    JSON,
)
def build(arguments: Arguments) -> int:
    """Write the datasets as a Hugging Face Hub repository (Parquet files and a card), and push it.

    Each dataset of the release is written as published, corrected (draw1k_corrected, the latest edition), and clean
    (draw1k_clean: that edition without excluded and arguable rows, and test rows without duplicates).

    The word problems of the release belong to their authors: make sure that you may publish what you push.

    Examples:
      draw build --out hub                         all datasets; then load_dataset('./hub', 'alg514_cv0')
      draw build --out hub --only draw1k_clean     one set of rows; load_dataset('./hub', 'draw1k_clean')
      draw build --out hub --only sample           needs no release file
      draw build --out hub --push-to-hub me/draw --private          shows the upload
      draw build --out hub --push-to-hub me/draw --private --yes --force   builds again and uploads
    """
    from draw_dataset.data.hub import build
    from draw_dataset.data.upload import check_repo, plan, push

    if arguments.push_to_hub is not None:
        check_repo(arguments.push_to_hub)
    elif arguments.yes or arguments.private:
        raise ChoiceError("--yes and --private are only for --push-to-hub REPO, which is missing")
    names = [name.strip() for text in arguments.only for name in text.split(",") if name.strip()]
    built = build(arguments.out, names if arguments.only else None, arguments.data_dir, force=arguments.force)
    told = (lambda _: None) if arguments.json else print
    data = {"folder": str(built.folder), "rows": built.rows, "files": dict(built.files)}
    told(f"{built.folder}: {built.rows:,} rows in {len(built.files)} files, {sum(built.files.values()):,} bytes")
    if arguments.push_to_hub is not None:
        upload = plan(built.folder, arguments.push_to_hub, private=arguments.private)
        data |= {"upload": {"repo": upload.repo, "private": upload.private, "files": dict(upload.files)}}
        if arguments.yes:
            told(f"uploading to the {upload.describe()}")
            data["uploaded"] = push(upload)
            told(f"uploaded: {data['uploaded']}")
        else:
            told(f"would upload to the {upload.describe()}\nadd --yes to upload it (and --force to build it again)")
    if arguments.json:
        print(json_line(data), end="")
    return 0


@command(option("--status", "only show whether the names are registered"), JSON)
def register(arguments: Arguments) -> int:
    """Register the names draw1k, alg514 … in this environment, without import draw_dataset.

    It writes one .pth file into the environment's site-packages, which imports draw_dataset at every start of
    the interpreter (a few milliseconds, no Hugging Face library). draw unregister removes the file.

    Exit status: 0 registered, 1 not registered (with --status), 2 the environment cannot be written

    Examples:
      draw register
      draw register --status
      draw unregister
    """
    from draw_dataset.data.catalog import BARE_NAMES, DATASETS
    from draw_dataset.data.registration import METRICS, register, registration_files

    if arguments.status:
        files = registration_files()
        if arguments.json:
            print(json_line({"registered_by": [*map(str, files)], "environment": sys.prefix}), end="")
            return 0 if files else 1
        for path in files:
            print(f"registered by {path}")
        if not files:
            print(f"not registered in {sys.prefix}")
        return 0 if files else 1
    path, new = register()
    if arguments.json:
        print(json_line({"registered_by": [str(path)], "new": new, "environment": sys.prefix}), end="")
        return 0
    print(f"{'wrote' if new else 'already registered by'} {path}")
    names = [*(name for name, config in BARE_NAMES.items() if config in DATASETS), *METRICS]
    print(f"{', '.join(names)} need no import of draw_dataset in {sys.prefix}; draw unregister undoes it")
    return 0


@command(JSON)
def unregister(arguments: Arguments) -> int:
    """Undo draw register."""
    from draw_dataset.data.registration import unregister

    removed = unregister()
    if arguments.json:
        print(json_line({"removed": [*map(str, removed)], "environment": sys.prefix}), end="")
        return 0
    for path in removed:
        print(f"removed {path}")
    if not removed:
        print(f"not registered, so there is nothing to remove in {sys.prefix}")
    return 0


_PRINTED_ANSWER = ("careful", 95)  # system and problem of the answer that is printed with its marks
_TEMPLATES = (
    ("templates (1) and (2) of the paper", "m = a + b*n; m = c - n", "m + n = a; m - c*n = b"),
    ("the template of Figure 1 and a wrong one", "a*m = b*n; c*m + d*n = e", "a*m = b*n; a*m + a*n = c"),
    ("sum and difference", "m = a + b", "m = a - b"),
)
_DERIVATIONS = (
    ("right answer, wrong numbers", "m + n = q2; q1*m - q5*n = q7 + q3", "m + n = q2; q4*m - q7*n = q6 + q3"),
    ("right equations, wrong number", "m - q3*n = q1; m + n = q4", "m - q3*n = q2; m + n = q4"),
    ("written differently", "n = q4 - m; m = q2 + n*q3", "m - q3*n = q2; m + n = q4"),
)


@command(option("--html FILE", "file of the page", type=Path, default=Path("demo.html")), JSON)
def demo(arguments: Arguments) -> int:
    """Load the embedded sample, score predictions and answers, and write a page; works offline.

    Examples:
      draw demo
      draw demo --html /tmp/demo.html
    """
    # The sample is inside the package, so the network is off, whatever the settings of the machine.
    os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = os.environ["HF_EVALUATE_OFFLINE"] = "1"
    from datasets import load_dataset
    from datasets.utils.logging import disable_progress_bar

    check_writable(arguments.html)
    disable_progress_bar()
    sample = load_dataset("draw1k", "sample")
    rows = list(sample["test"])
    # Before anything is printed, because the reader of a pipe may be gone after a line.
    predictions, answers = _write_page(rows, arguments.html)
    if arguments.json:
        tables = {"predictions": predictions.to_dict(), "answers": answers.to_dict()}
        print(json_line({**tables, "page": str(arguments.html.resolve())}), end="")
        return 0
    _show_sample(sample)
    _show_templates()
    _show_derivations()
    with warnings.catch_warnings():
        # Some sample predictions are unreadable on purpose; the table counts them.
        warnings.simplefilter("ignore", UserWarning)
        _show_metric(rows)
    print(f"The same systems side by side, as draw score prints them:\n\n{predictions.to_text()}\n")
    print(f"Answers of language models, read and graded:\n\n{answers.to_text()}\n")
    _show_answer(rows)
    print(f"All predictions with figures, and the answers with their marks: {arguments.html.resolve()}")
    return 0


def _show_sample(sample: Any) -> None:
    sizes = ", ".join(f"{split} {rows.num_rows}" for split, rows in sample.items())
    print(f'load_dataset("draw1k", "sample"): {sizes}')
    row = sample["test"][0]
    print(f"  {row['question']}")
    print("  numbers    " + ", ".join(f"q{n['index']} = {n['text']}" for n in row["numbers"]))
    print(f"  derivation {row['derivation']}")
    print("  solutions  " + ", ".join(f"{value:g}" for value in row["solutions"]))


def _show_templates() -> None:
    from draw_dataset.derivation.equivalence import find_difference, find_slot_map

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
    from draw_dataset.derivation.equivalence import derivations_equivalent

    print("Are these derivations the same? (q1, q2 … are the numbers of the text)")
    for title, predicted, gold in _DERIVATIONS:
        verdict = "yes" if derivations_equivalent(predicted, gold) else "no"
        print(f"  {title}\n    predicted {predicted}\n    gold      {gold}\n    {verdict}")


def _show_metric(rows: list[dict[str, Any]]) -> None:
    import evaluate

    from draw_dataset.data.sample import ANSWERS, PREDICTIONS, load_sample_answers, load_sample_predictions
    from draw_dataset.scoring.verdict import ACCURACIES

    metric = evaluate.load("derivation_accuracy")
    print('evaluate.load("derivation_accuracy").compute(predictions=…, references=…)')
    for name in PREDICTIONS:
        predictions = load_sample_predictions(name)
        figures = metric.compute(predictions=[predictions[row["id"]] for row in rows], references=rows)
        accuracies = ", ".join(f"{kind} {figures[f'{kind}_accuracy']:.3f}" for kind in ACCURACIES)
        print(f"  {name:8} {accuracies}; right answer, wrong derivation: {figures['right_answer_wrong_derivation']}")
    print("The same for answers of language models, each prediction {'answer': text}:")
    for name in ANSWERS:
        answers = load_sample_answers(name)
        figures = metric.compute(predictions=[{"answer": answers[row["id"]]} for row in rows], references=rows)
        share = {kind: f"{figures[f'{kind}_accuracy']:.3f}" for kind in ("derivation", "solution")}
        reasons = ", ".join(f"{count} {reason}" for reason, count in figures["counts"].items())
        print(f"  {name:8} derivation {share['derivation']}, solution {share['solution']}: {reasons}")


def _show_answer(rows: list[dict[str, Any]]) -> None:
    from draw_dataset.commands.score import mark_answer, summary
    from draw_dataset.data.sample import load_sample_answers
    from draw_dataset.report.picture import stretches
    from draw_dataset.scoring.grading import grade

    name, id_ = _PRINTED_ANSWER
    answer = load_sample_answers(name)[id_]
    verdict = grade({"answer": answer}, next(row for row in rows if row["id"] == id_))
    if verdict.reading is None:
        return
    lines = mark_answer(stretches(answer, verdict.reading), colour=False).splitlines()
    print(f"One of these answers, as draw read --id {id_} marks it:")
    print("\n".join(f"  {line}" for line in [*lines, *summary(verdict.reading, verdict)]) + "\n")


def _write_page(rows: list[dict[str, Any]], target: Path) -> tuple[ScoreTable, ScoreTable]:
    """Write the page of all systems; return the tables of predictions and of answers."""
    from draw_dataset.data.sample import ANSWERS, PREDICTIONS, load_sample_answers, load_sample_predictions
    from draw_dataset.report.entries import Entries
    from draw_dataset.report.page import write_page
    from draw_dataset.scoring.files import Judged
    from draw_dataset.scoring.gold import PreparedProblem
    from draw_dataset.scoring.score import score
    from draw_dataset.scoring.table import compare_scores
    from draw_dataset.scoring.verdict import Verdict

    references = [PreparedProblem.of(row) for row in rows]
    given: dict[str, dict[int, Any]] = {name: load_sample_predictions(name) for name in PREDICTIONS}
    for name in ANSWERS:
        answers = load_sample_answers(name)
        given[f"{name} answers"] = {id_: {"answer": text} for id_, text in answers.items()}
    scores = {}
    entries = Entries()
    for name, by_id in given.items():
        predictions = [by_id[row["id"]] for row in rows]
        verdicts: list[Verdict] = []
        scores[name] = score(predictions, references, data="sample/test", verdicts=verdicts)
        for judged in zip(references, predictions, verdicts, strict=True):
            entries.add(name, Judged(*judged))
    write_page(target, compare_scores(scores), entries, title="The sample's test split")
    apart = [{name: one for name, one in scores.items() if (name in PREDICTIONS) == own} for own in (True, False)]
    return compare_scores(apart[0]), compare_scores(apart[1])


@command(
    option("--port PORT", "port on this computer (default: the first free one from 7860)", type=whole_number(1, 65535)),
    option("--open", "open the page in a browser"),
)
def app(arguments: Arguments) -> int:
    """Open a page that grades one answer or derivation, of the sample or of a problem of your own.

    The page is served to this computer only, until Ctrl-C. It needs the extra [app].

    Examples:
      draw app
      draw app --port 8000 --open
    """
    require_extra("app", "gradio")
    from runpy import run_path

    from draw_dataset.data.registration import metric_folder

    os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
    page = run_path(str(metric_folder() / "derivation_accuracy" / "app.py"), run_name="derivation_accuracy_app")
    page["build"]().launch(server_name="127.0.0.1", server_port=arguments.port, inbrowser=arguments.open)
    return 0
