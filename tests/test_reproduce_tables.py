"""The tables of the paper: its figures, jobs and their store, what is made of them, and a smoke run from end to end."""

from __future__ import annotations

import doctest
import importlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import reproduce_tables
from reproduction import jobs, paper, summary, tables
from reproduction.analysis import error_tables
from reproduction.figures import problems_of
from reproduction.jobs import DatasetJob, Job, Plan, SolverJob, job_of
from reproduction.output import BEGIN, END, as_data, as_markdown, save_plot, update_page
from reproduction.store import Store, clear_parts, read_records, write_records
from reproduction.systems import read_system

from draw_dataset.errors import ChoiceError, DrawError, RowError, ScoreError
from draw_dataset.fingerprint import plain_code
from draw_dataset.sample import load_sample

ROOT = Path(reproduce_tables.__file__).parents[1]
QUICK_JOBS = 21 + 5
TABLE5_JOBS = 5 + 5

# Solution, equation and derivation accuracy as the paper prints them, differences included.
PRINTED = """
alg514           TE      76.2 72.7 75.5
alg514           TD      78.4 73.9 77.8
alg514           TD-TE    2.2  1.2  2.3
draw1k           TE      52.0 48.0 48.0
draw1k           TD      55.0 48.0 53.0
draw1k           TD-TE    3.0  0    5.0
dolphin_l        TE      55.1 50.1 44.2
dolphin_l        TD      57.5 36.8 54.9
dolphin_l        TD-TE    2.4 -13.3 10.7
draw1k+alg514    TE      32.5 31.5 29.5
draw1k+alg514    TE*     60.5 56.0 54.0
draw1k+alg514    TD      62.0 53.0 59.5
draw1k+alg514    TD-TE*   1.5 -3.0  5.5
draw1k+dolphin_l TE      41.0 37.5 37.5
draw1k+dolphin_l TE*     58.5 55.5 51.5
draw1k+dolphin_l TD      60.0 53.0 58.0
draw1k+dolphin_l TD-TE*   1.5 -2.5  6.5
"""


def figures(text: str) -> list[tuple[str, str, list[float]]]:
    lines = [line.split() for line in text.strip().splitlines()]
    return [(data, setting, [float(value) for value in values]) for data, setting, *values in lines]


@pytest.mark.parametrize(("data", "setting", "values"), figures(PRINTED), ids=lambda value: str(value))
def test_the_papers_accuracies_are_as_printed(data: str, setting: str, values: list[float]) -> None:
    more, minus, less = setting.partition("-")
    found = list(paper.ACCURACIES[data, more])
    if minus:
        found = [round(a - b, 1) for a, b in zip(found, paper.ACCURACIES[data, less], strict=True)]
    assert found == values


def test_no_figure_of_the_paper_is_left_out() -> None:
    assert {(data, setting) for data, setting, _ in figures(PRINTED) if "-" not in setting} == set(paper.ACCURACIES)
    assert paper.TABLE5 == {
        "alg514": {"ours": 76.2, "KAZB": 68.7, "ZDC": 79.7},
        "dolphin_l": {"ours": 55.1, "KAZB": 37.5, "SWLLR": 46.3},
        "draw1k": {"ours": 52.0, "KAZB": 43.2},
    }
    assert all(row["ours"] == paper.TABLE3[data, "TE"].solution for data, row in paper.TABLE5.items())
    assert {solver.quoted for solver in jobs.SOLVERS.values()} <= {
        name for row in paper.TABLE5.values() for name in row
    }


@pytest.mark.parametrize("name", ["jobs", "tables", "systems", "store", "summary"])
def test_the_examples_in_docstrings_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"reproduction.{name}")).failed == 0


def test_a_plan_trains_every_setting_on_every_fold() -> None:
    planned = Plan(seeds=2, systems=("zdc", "similarity")).jobs()
    # Two folded datasets, Draw-1k on 600 and on 800 problems, both with two settings; two pairs with three settings.
    solvers = 2 * 3 * (2 * 2 * 5 + 2 * 2 + 2 * 3)
    # Other systems: two folded datasets and Draw-1k, trained on equations; nothing is drawn for similarity.
    assert len(planned) == 3 + solvers + (2 + 1) * (2 * 5 + 1)
    assert len({job.name for job in planned}) == len(planned)
    trained = [job for job in planned if isinstance(job, SolverJob)]
    assert {(job.setting, job.k) for job in trained if job.features in jobs.SYSTEMS} == {("TE", None)}
    assert [job.seed for job in trained] == sorted(job.seed for job in trained)
    assert {job.fold for job in trained if job.data == "alg514"} == set(range(5))
    assert {job.fold for job in trained if job.data.startswith("draw1k")} == {None}
    assert {job.setting for job in trained if job.data == "draw1k+alg514"} == {"TE", "TE*", "TD"}


def test_table_5_alone_trains_on_equations_alone() -> None:
    planned = Plan(("table5",), variants=(("extended", 10),), systems=("zdc",)).jobs()
    assert {job.setting for job in planned if isinstance(job, SolverJob)} == {"TE"}
    assert len(planned) == 2 * 11


def trained(plan: Plan) -> list[SolverJob]:
    return [job for job in plan.jobs() if isinstance(job, SolverJob)]


def test_names_tell_jobs_apart_and_are_names_of_files() -> None:
    many = [
        *Plan().jobs(),
        *(
            job
            for job in Plan(choice="latent", systems=()).jobs()
            if isinstance(job, SolverJob) and job.setting != "TD"
        ),
        *(job for job in Plan(epochs=3, systems=()).jobs() if isinstance(job, SolverJob)),
    ]
    names = [job.name for job in many]
    assert len(set(names)) == len(set(many)) == len(many)
    assert not any(set(name) & set("*/\\: ") for name in names)
    assert [job_of(json.loads(json.dumps(job.as_data()))) for job in many] == many


def accuracies(solution: float, equation: float, derivation: float, n: int = 100, **more: Any) -> dict[str, Any]:
    """Return a record with accuracies in percent."""
    right = round(n * derivation / 100)
    lucky = round(n * (solution - derivation) / 100)
    return {
        "code": "c0de",
        "behaviour": "paper:1",
        "format": 2,
        "model": "solver|train:TD|features:paper|k:10|rule:perceptron|epochs:5|seed:0|n:60@0|version:0.1.0",
        "score": {
            "n": n,
            "solution_accuracy": solution / 100,
            "equation_accuracy": equation / 100,
            "derivation_accuracy": derivation / 100,
            "counts": {"right": right, "alignment": lucky, "template": n - right - lucky},
            "right_answer_wrong_derivation": lucky,
            "signature": f"deriv|data:some@0|n:{n}|sol:tol0.0001|version:0.1.0",
        },
        "lucky_reasons": {"alignment": lucky} if lucky else {},
        "lucky_ids": [],
        "abstained": {},
        "unseen_templates": 10,
        "right_with_unseen_template": 0,
        **more,
    }


PAPER: tuple[tuple[str, int | None], ...] = (("paper", 10),)
PLAN = Plan(("table3", "table4", "table5"), variants=PAPER, systems=(), seeds=2)


def made_records(plan: Plan = PLAN) -> dict[Job, dict[str, Any]]:
    """Return records in which TD is better than TE, and seed 1 better than seed 0."""
    made: dict[Job, dict[str, Any]] = {}
    for job in plan.jobs():
        assert isinstance(job, SolverJob)
        better = {"TE": 0, "TE*": 4, "TD": 8}[job.setting] + 2 * job.seed
        made[job] = accuracies(50 + better / 2, 45, 40 + better, n=100 + 20 * (job.fold or 0), job=job.as_data())
    return made


def test_folds_are_pooled_by_their_size() -> None:
    made = made_records()
    first = SolverJob("release", "alg514", "TE", "first", "paper", 10, 0, 0)
    made[first] = accuracies(100, 100, 100, n=100, job=first.as_data())
    found = summary.pooled(made, PLAN, ("paper", 10), "alg514", "TE")
    assert found.tested == 100 + 120 + 140 + 160 + 180
    assert found.accuracy("derivation").values[0] == pytest.approx(100 * (100 + 0.4 * 600) / 700)
    assert found.accuracy("derivation").values[1] == pytest.approx(42)


def test_a_seed_that_lacks_a_fold_does_not_count() -> None:
    made = made_records()
    del made[SolverJob("release", "alg514", "TE", "first", "paper", 10, 1, 3)]
    found = summary.pooled(made, PLAN, ("paper", 10), "alg514", "TE")
    assert list(found.accuracy("solution").values) == [0]
    assert str(summary.Pooled({}).accuracy("solution")) == "–"


def test_means_and_standard_deviations() -> None:
    spread = summary.Spread({0: 50.0, 1: 52.0, 2: 57.0})
    assert spread.mean == 53.0
    assert spread.deviation == pytest.approx(13**0.5)
    assert str(spread) == "53.0 ± 3.6"
    assert str(summary.Spread({0: 50.04})) == "50.0"
    assert str(spread - summary.Spread({0: 49.0, 1: 51.0})) == "1.0 ± 0.0"
    assert str(summary.Spread({0: -0.01})) == "0.0"


def test_a_table_shows_the_papers_figures_and_ours() -> None:
    made = made_records()
    (table,) = tables.tables_of(made, Plan(("table3",), variants=PAPER, seeds=2))
    assert table.title == "Table 3: training on equations and on derivations; paper features, k = 10"
    assert list(table.rows[:4]) == [
        ["Alg-514"],
        ["TE", "76.2", "72.7", "75.5", "50.5 ± 0.7", "45.0 ± 0.0", "41.0 ± 1.4"],
        ["TD", "78.4", "73.9", "77.8", "54.5 ± 0.7", "45.0 ± 0.0", "49.0 ± 1.4"],
        ["TD - TE", "2.2", "1.2", "2.3", "4.0 ± 0.0", "0.0 ± 0.0", "8.0 ± 0.0"],
    ]
    assert table.rows[8] == ["Draw-1k, trained on train and validation"]
    assert table.rows[9][:4] == ["TE", "–", "–", "–"]
    for form in (table.to_text(), table.to_markdown()):
        assert "54.5 ± 0.7" in form


def test_table_4_compares_with_reconciled_equations() -> None:
    (table,) = tables.tables_of(made_records(), Plan(("table4",), variants=PAPER, seeds=2))
    assert table.rows[4] == ["TD - TE*", "1.5", "-3.0", "5.5", "2.0 ± 0.0", "0.0 ± 0.0", "4.0 ± 0.0"]


def test_table_5_has_room_for_other_systems(tmp_path: Path) -> None:
    (tmp_path / "reported.toml").write_text("[alg514]\nsolution = 83.5\n", encoding="utf-8")
    system = read_system(f"theirs={tmp_path / 'reported.toml'}", "sample", None)
    plan = Plan(("table5",), variants=PAPER, systems=("zdc", "similarity"), seeds=2)
    (table,) = tables.tables_of(made_records(), plan, [system])
    assert table.head == ["trained on equations (TE)", "paper soln", "here soln", "here eqn", "here deriv", "seeds"]
    assert list(table.rows[:4]) == [
        ["Alg-514"],
        ["paper features, k = 10", "76.2", "50.5 ± 0.7", "45.0 ± 0.0", "41.0 ± 1.4", "2"],
        ["theirs", "–", "83.5", "–", "–", "–"],
        ["Draw-1k"],
    ]
    made = made_records(plan)
    assert {job.seed for job in made if isinstance(job, SolverJob) and job.features == "similarity"} == {0}
    (table,) = tables.tables_of(made, plan)
    assert [row[:2] for row in table.rows[-3:]] == [
        ["paper features, k = 10", "55.1"],
        ["ZDC, margin rule", "–"],
        ["similarity, numbers by context", "46.3"],
    ]
    assert table.rows[2][:3] == ["ZDC, margin rule", "79.7", "50.5 ± 0.7"]
    assert table.rows[-1][-1] == "1"


def test_the_error_analysis_counts_reasons_and_lucky_answers() -> None:
    verdicts, lucky = error_tables(made_records(), PLAN)
    assert verdicts.head == ["% of the test problems", "right", "template", "alignment"]
    # Seed 0: 40 right and 10 lucky; seed 1: 42 right and 9 lucky (of 100); all lucky ones are wrong alignments.
    assert verdicts.rows[2] == ["Draw-1k, TE", "41.0", "49.5", "9.5"]
    assert lucky.head[1:] == [
        "right answer",
        "of these with a wrong derivation",
        "by alignment",
        "template not trained on",
        "of these with a right derivation",
    ]
    assert lucky.rows[2] == ["Draw-1k, TE", "50.5", "9.5", "9.5", "10.0", "0.0"]
    errors = as_data(made_records(), PLAN, [])["errors"]
    one = next(e for e in errors if (e["data"], e["setting"]) == ("draw1k", "TE"))
    assert one["tested"] == 200
    assert one["reasons"] == {"alignment": 19, "right": 82, "template": 99}
    assert one["right_answer_wrong_derivation_reasons"] == {"alignment": 19}


def test_what_is_missing_is_said() -> None:
    made = made_records()
    del made[SolverJob("release", "draw1k", "TD", "first", "paper", 10, 1, None)]
    markdown = as_markdown(made, PLAN, [], plot=False)
    assert "- Seeds: paper features, k = 10 2 or 1.\n" in markdown
    assert "| TD | 55.0 | 48.0 | 53.0 | 54.0 | 45.0 | 48.0 |" in markdown


def test_what_nobody_has_computed_is_left_out() -> None:
    plan = Plan(variants=(*PAPER, ("inferred", 10)), seeds=2)
    markdown = as_markdown(made_records(), plan, [], plot=False)
    assert "inferred" not in markdown
    assert "ZDC" not in markdown
    assert "jobs are done" not in markdown
    made = {job: record for job, record in made_records().items() if "+" not in job.data}
    titles = [table.title for table in tables.tables_of(made, PLAN)]
    assert [title.partition(":")[0] for title in titles] == ["Table 3", "Table 5"]


def test_the_plot_has_a_panel_for_each_dataset_and_is_the_same_each_time(tmp_path: Path) -> None:
    for name in ("one.svg", "other.svg"):
        save_plot(made_records(), PLAN, tmp_path / name)
    drawn = (tmp_path / "one.svg").read_text(encoding="utf-8")
    for title in ("Alg-514", "Dolphin-L", "Draw-1k + Alg-514", "paper features, k = 10"):
        assert title in drawn
    assert drawn == (tmp_path / "other.svg").read_text(encoding="utf-8")


JOB = SolverJob("sample", "draw1k", "TE*", "first", "paper", None, 0, None)
CODE = {"solver": "c0de", "dataset": "c0de"}


def test_a_record_is_found_again_and_no_other_is_taken_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path, CODE)
    assert store.read(JOB) is None
    store.write(JOB, {"score": 1})
    record = store.read(JOB)
    assert record is not None
    assert record["score"] == 1
    assert store.jobs() == [JOB]
    assert store.read(DatasetJob("sample", "draw1k")) is None
    assert (record["behaviour"], record["code"]) == ("paper:1", "c0de")
    # Renaming something in the code changes no figure; a version that was raised says that figures have moved.
    assert Store(tmp_path, {**CODE, "solver": "other"}).read(JOB) == record
    raised = {**jobs.SOLVERS, "paper": jobs.SOLVERS["paper"]._replace(behaviour=2)}
    with monkeypatch.context() as patched:
        patched.setattr("reproduction.store.SOLVERS", raised)
        assert store.read(JOB) is None
        assert store.jobs() == []
    dataset = DatasetJob("sample", "draw1k")
    store.write(dataset, {})
    assert store.read(dataset) is not None
    assert Store(tmp_path, {**CODE, "dataset": "other"}).read(dataset) is None
    store.path(dataset).unlink()
    # The same name, but another source.
    assert store.read(SolverJob("release", "draw1k", "TE*", "first", "paper", None, 0, None)) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 2}', '{"format": 99, "job": {}}', "\x00"])
def test_a_damaged_record_counts_as_missing(tmp_path: Path, text: str) -> None:
    store = Store(tmp_path, CODE)
    store.path(JOB).write_text(text, encoding="utf-8")
    assert store.read(JOB) is None
    assert store.jobs() == []


def test_nothing_half_written_stays(tmp_path: Path) -> None:
    store = Store(tmp_path, CODE)
    store.write(JOB, {})
    (tmp_path / ".some.json.abc.part").write_text("{", encoding="utf-8")
    clear_parts(tmp_path)
    assert list(tmp_path.iterdir()) == [store.path(JOB)]


def test_records_are_taken_over_where_they_are_of_the_behaviour_at_hand(tmp_path: Path) -> None:
    made = made_records()
    other = next(iter(made))
    made[other] = {**made[other], "behaviour": "paper:0"}
    store = Store(tmp_path, CODE)
    assert store.adopt(made) == len(made) - 1
    assert store.read(other) is None
    assert store.adopt(made) == 0
    assert store.read_all(made) == {job: record for job, record in made.items() if job != other}


def test_records_in_one_file(tmp_path: Path) -> None:
    made = made_records()
    write_records(tmp_path / "jobs.jsonl", made)
    assert read_records(tmp_path / "jobs.jsonl") == made
    (tmp_path / "jobs.jsonl").write_text('{"format": 1}\n', encoding="utf-8")
    with pytest.raises(RowError, match="line 1: expected a stored job"):
        read_records(tmp_path / "jobs.jsonl")


def test_comments_and_docstrings_are_no_code() -> None:
    one = 'def f(a):\n    """Say."""\n    # why\n    return  a\n'
    assert plain_code(one) == plain_code("def f(a): return a")
    assert plain_code(one) != plain_code("def f(a): return a + 1")
    assert plain_code('class C:\n    """Only this."""\n') == plain_code("class C:\n    pass\n")


def perfect(split: str) -> list[dict[str, Any]]:
    return [{"id": p.id, "prediction": p.derivation.q_notation()} for p in load_sample()[split]]


def write_lines(path: Path, lines: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return f"mine={path}"


def test_predictions_of_a_system_are_scored_where_they_belong(tmp_path: Path) -> None:
    system = read_system(write_lines(tmp_path / "p.jsonl", perfect("test")), "sample", None)
    assert system.figures == {"draw1k": {"solution": 100.0, "equation": pytest.approx(86.67, abs=0.01),
                                         "derivation": 100.0}}  # fmt: skip
    assert system.signatures["draw1k"].startswith("deriv|data:draw1k/tested@")
    both = read_system(write_lines(tmp_path / "p.jsonl", perfect("test") + perfect("validation")), "sample", None)
    assert {data: found["derivation"] for data, found in both.figures.items()} == {"draw1k": 100.0, "alg514": 100.0}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "", "expected a file ending in .jsonl, .json or .toml"),
        ("a.json", "[]", "expected figures for some of draw1k, alg514, dolphin_l"),
        ("a.json", '{"draw": {}}', "expected figures for some of draw1k, alg514, dolphin_l"),
        ("a.json", '{"draw1k": {"speed": 1}}', "draw1k: expected some of solution, equation, derivation"),
        ("a.json", '{"draw1k": {"solution": 130}}', "draw1k, solution: expected a percentage, but got 130"),
        ("a.toml", "[draw1k", "expected figures in TOML"),
        ("a.jsonl", "", "expected ids of test problems, but got none"),
        ("a.jsonl", '{"id": 999999, "prediction": null}', "expected ids of test problems, but got 999999"),
    ],
)
def test_systems_that_are_none_are_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(DrawError, match=message):
        read_system(f"mine={tmp_path / name}", "sample", None)
    with pytest.raises(ChoiceError, match="expected NAME=FILE"):
        read_system(str(tmp_path / name), "sample", None)


def test_predictions_for_a_part_of_a_dataset_are_refused(tmp_path: Path) -> None:
    some = perfect("test")
    with pytest.raises(ScoreError, match="for all 30 test problems of draw1k or for none, but got 29"):
        read_system(write_lines(tmp_path / "p.jsonl", some[1:]), "sample", None)
    with pytest.raises(ScoreError, match="line 31: expected each id once"):
        read_system(write_lines(tmp_path / "p.jsonl", [*some, some[0]]), "sample", None)


def test_a_page_is_refreshed_between_its_marks(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(f"before\n\n{BEGIN}\nold\n{END}\n\nafter\n", encoding="utf-8")
    update_page(path, made_records(), PLAN)
    once = path.read_text(encoding="utf-8")
    assert once.startswith("before\n\n")
    assert once.endswith("\n\nafter\n")
    assert "| Draw-1k, TD | 55.0 / 48.0 / 53.0 | 54.5 / 45.0 / 49.0 |" in once
    assert "old" not in once
    update_page(path, made_records(), PLAN)
    assert path.read_text(encoding="utf-8") == once
    path.write_text(f"{END}{BEGIN}", encoding="utf-8")
    with pytest.raises(ChoiceError, match="once each, in this order"):
        update_page(path, made_records(), PLAN)


def test_our_page_has_the_marks() -> None:
    text = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")
    assert text.count(BEGIN) == text.count(END) == 1


def test_what_is_kept_in_docs_is_made_of_the_records_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = ROOT / "docs" / "results"
    page = ROOT / "docs" / "paper.md"
    shutil.copy(page, tmp_path)
    arguments = ["--from", str(kept / "jobs.jsonl"), "--out", str(tmp_path), "--no-plot"]
    assert reproduce_tables.main([*arguments, "--update-page", str(tmp_path / page.name)]) in (0, 1)
    capsys.readouterr()
    tables_kept = (kept / "tables.md").read_text(encoding="utf-8")
    assert (tmp_path / "tables.md").read_text(encoding="utf-8") == re.sub(r"!\[.*\]\(.*\)\n\n", "", tables_kept)
    assert (tmp_path / "jobs.jsonl").read_bytes() == (kept / "jobs.jsonl").read_bytes()
    assert (tmp_path / page.name).read_bytes() == page.read_bytes()


def test_files_are_written_even_if_nobody_reads_the_tables(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, str(ROOT / "scripts" / "reproduce_tables.py"), "--no-plot", "--out", str(tmp_path)]
    command += ["--from", str(ROOT / "docs" / "results" / "jobs.jsonl")]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert done.returncode == 0
    assert b"Broken" not in done.stderr
    assert (tmp_path / "tables.md").read_text(encoding="utf-8").endswith("\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "table9"], "--only: expected some of table2, table3, table4, table5, but got 'table9'"),
        (["--features", "best"], "--features: expected some of extended, inferred, paper, but got 'best'"),
        (
            ["--systems", "best"],
            "--systems: expected some of kazb, kazb-parsed, zdc, zdc-qp, similarity",
        ),
        (["--k", "0"], "--k: expected numbers from 1 or all, but got '0'"),
        (["--only", "table3", "--data-dir", "/nowhere"], "data_dir=/nowhere (no such folder) lacks"),
        (["--from", "/nowhere/jobs.jsonl"], "/nowhere/jobs.jsonl: file not found"),
        (["--quick", "--system", "mine"], "--system: expected NAME=FILE, but got 'mine'"),
    ],
)
def test_refusals(arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert reproduce_tables.main([*arguments, "--store", str(tmp_path)]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store that a whole smoke run has filled."""
    folder = tmp_path_factory.mktemp("quick")
    assert reproduce_tables.main(["--quick", "--store", str(folder / "store"), "--out", str(folder / "out")]) == 0
    return folder


def test_a_smoke_run_makes_every_table(quick: Path) -> None:
    assert len(list((quick / "store").glob("*.json"))) == QUICK_JOBS
    markdown = (quick / "out" / "tables.md").read_text(encoding="utf-8")
    for title in (
        "Table 2: ",
        "Table 2, continued",
        "Table 3: ",
        "Table 4: ",
        "Table 5: ",
        "Verdicts by reason; ",
        "Right answers",
    ):
        assert f"## {title}" in markdown
    assert "jobs are done" not in markdown
    assert "smoke run" in markdown
    assert (quick / "out" / "tables.svg").is_file()
    assert len(read_records(quick / "out" / "jobs.jsonl")) == QUICK_JOBS


def test_a_rerun_computes_nothing(quick: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.stat().st_mtime_ns for path in (quick / "store").glob("*.json")}
    arguments = ["--quick", "--store", str(quick / "store")]
    assert reproduce_tables.main(arguments) == 0
    captured = capsys.readouterr()
    assert f"{QUICK_JOBS} jobs, {QUICK_JOBS} of them stored" in captured.err
    assert {path: path.stat().st_mtime_ns for path in (quick / "store").glob("*.json")} == before
    assert reproduce_tables.main([*arguments, "--no-run"]) == 0
    assert capsys.readouterr().out == captured.out
    kept = ["--quick", "--from", str(quick / "out" / "jobs.jsonl")]
    assert reproduce_tables.main(kept) == 0
    assert capsys.readouterr().out == captured.out
    assert reproduce_tables.main([*kept, "--format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["accuracies"]) == 14 + 3
    assert reproduce_tables.main([*kept, "--format", "markdown"]) == 0
    assert capsys.readouterr().out.count("## Table") == 5


def test_figures_that_are_missing_make_the_exit_status_1(
    quick: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (quick / "out" / "jobs.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "jobs.jsonl").write_text("".join(lines[1:]), encoding="utf-8")
    assert reproduce_tables.main(["--quick", "--from", str(tmp_path / "jobs.jsonl")]) == 1
    assert "jobs are done" not in capsys.readouterr().out


def test_stored_figures_are_compared_with_those_of_the_code_at_hand(
    quick: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = read_records(quick / "out" / "jobs.jsonl")
    chosen = {job: record for job, record in records.items() if isinstance(job, SolverJob) and job.data == "draw1k"}
    write_records(tmp_path / "jobs.jsonl", chosen)
    arguments = ["--quick", "--recompute", "2", "--adopt", str(tmp_path / "jobs.jsonl"), "--store"]
    assert reproduce_tables.main([*arguments, str(tmp_path / "store")]) == 0
    assert capsys.readouterr().out.count(": equal\n") == 2
    write_records(tmp_path / "jobs.jsonl", {job: {**record, "templates": 1} for job, record in chosen.items()})
    assert reproduce_tables.main([*arguments, str(tmp_path / "other")]) == 1
    assert "'templates': (1, " in capsys.readouterr().out


def test_table_2_alone_has_no_plot(quick: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--quick", "--only", "table2", "--store", str(quick / "store"), "--out", str(tmp_path)]
    assert reproduce_tables.main(arguments) == 0
    assert "problems that need a person" in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["jobs.jsonl", "tables.md"]


def test_two_runs_do_not_share_a_store(quick: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from filelock import FileLock

    with FileLock(quick / "store" / ".lock"):
        assert reproduce_tables.main(["--quick", "--store", str(quick / "store")]) == 2
    assert "another run is at work there" in capsys.readouterr().err


def test_a_run_that_was_killed_goes_on_and_gives_the_same_files(quick: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "reproduce_tables.py"), "--quick", "--only", "table5"]
    command += ["--jobs", "2", "--store", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 600
    while not list(tmp_path.glob("*.json")) and time.monotonic() < deadline:
        time.sleep(0.005)
    workers = children_of(process.pid)
    process.send_signal(signal.SIGKILL)
    process.wait()
    stored = {path.name: path.read_bytes() for path in tmp_path.glob("*.json")}
    assert stored
    # On a busy machine all jobs may be done before this process notices the first.
    assert workers or len(stored) == TABLE5_JOBS
    while any(is_alive(worker) for worker in workers) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(is_alive(worker) for worker in workers), "workers outlive the run"

    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"{TABLE5_JOBS} jobs, " in done.stderr
    assert f"{TABLE5_JOBS} jobs, 0 of them" not in done.stderr
    found = {path.name: path.read_bytes() for path in tmp_path.glob("*.json")}
    assert len(found) == TABLE5_JOBS
    assert found.items() >= stored.items()
    for name, content in found.items():
        assert content == (quick / "store" / name).read_bytes(), name
    assert not list(tmp_path.glob(".*.part"))


def children_of(parent: int) -> list[int]:
    """Return the processes that another has started, those of multiprocessing's own tracker left out."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                status = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if int(status[1]) == parent and b"spawn_main" in line:
                found.append(int(entry.name))
    return found


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.release
def test_the_problems_of_each_job_are_those_of_the_paper(release_dir: Path) -> None:
    counts: dict[str, list[tuple[int, int]]] = {}
    for job in Plan(("table3", "table4"), variants=PAPER).jobs():
        assert isinstance(job, SolverJob)
        divided = problems_of(job, str(release_dir))
        ids = {problem.id for problem in divided.train}
        assert not ids & {problem.id for problem in divided.test}
        found = counts.setdefault(job.data, [])
        if job.setting == "TE":
            found.append((len(divided.train), len(divided.test)))
    assert counts["draw1k"] == [(600, 200)]
    assert counts["draw1k+validation"] == [(800, 200)]
    assert counts["draw1k+alg514"] == [(600 + 514, 200)]
    assert counts["draw1k+dolphin_l"] == [(600 + 831, 200)]
    assert [sum(pair) for pair in counts["alg514"]] == [514] * 5
    assert sum(test for _, test in counts["alg514"]) == 514
    assert [sum(pair) for pair in counts["dolphin_l"]] == [831] * 5
    assert sum(test for _, test in counts["dolphin_l"]) == 659


def test_the_sample_stands_in_without_test_problems_in_training() -> None:
    for job in Plan(source="sample", variants=PAPER).jobs():
        if isinstance(job, SolverJob):
            divided = problems_of(job, None)
            assert divided.train
            assert not {p.id for p in divided.train} & {p.id for p in divided.test}
    assert jobs.folds_of("sample", "alg514") == (0, 1)
