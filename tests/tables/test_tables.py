"""What is made of records: pooled folds, tables, error analysis, the plot, a page."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import reproduce_tables
from reproduction import tables
from reproduction.jobs import Plan, SolverJob
from reproduction.output import BEGIN, BEGIN_TABLE5, END, as_data, as_markdown, save_plot, update_page
from reproduction.tables import error_tables, read_system
from tables.made_records import PAPER, PLAN, accuracies, made_records

from draw_dataset.errors import ChoiceError

ROOT = Path(reproduce_tables.__file__).parents[1]


def test_folds_are_pooled_by_their_size() -> None:
    made = made_records()
    first = SolverJob("release", "alg514", "TE", "first", "paper", 10, 0, 0)
    made[first] = accuracies(100, 100, 100, n=100, job=first.as_data())
    found = tables.pooled(made, PLAN, ("paper", 10), "alg514", "TE")
    assert found.tested == 100 + 120 + 140 + 160 + 180
    assert found.accuracy("derivation").values[0] == pytest.approx(100 * (100 + 0.4 * 600) / 700)
    assert found.accuracy("derivation").values[1] == pytest.approx(42)


def test_a_seed_that_lacks_a_fold_does_not_count() -> None:
    made = made_records()
    del made[SolverJob("release", "alg514", "TE", "first", "paper", 10, 1, 3)]
    found = tables.pooled(made, PLAN, ("paper", 10), "alg514", "TE")
    assert list(found.accuracy("solution").values) == [0]
    assert str(tables.Pooled({}).accuracy("solution")) == "–"


def test_means_and_standard_deviations() -> None:
    spread = tables.Spread({0: 50.0, 1: 52.0, 2: 57.0})
    assert spread.mean == 53.0
    assert spread.deviation == pytest.approx(13**0.5)
    assert str(spread) == "53.0 ± 3.6"
    assert str(tables.Spread({0: 50.04})) == "50.0"
    assert str(spread - tables.Spread({0: 49.0, 1: 51.0})) == "1.0 ± 0.0"
    assert str(tables.Spread({0: -0.01})) == "0.0"


def test_a_table_shows_the_papers_figures_and_ours() -> None:
    made = made_records()
    (table,) = tables.tables_of(made, Plan(("table3",), variants=PAPER, seeds=2))
    assert table.title.startswith("Table 3")
    assert "k = 10" in table.title
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


def test_answers_are_scored_on_corrected_gold_where_records_have_it() -> None:
    plan = Plan(("table5",), variants=PAPER, systems=("similarity",), seeds=2)
    made = made_records(plan)
    assert len(tables.tables_of(made, plan)) == 1
    for job, record in made.items():
        if isinstance(job, SolverJob) and job.data == "alg514" and job.seed == 0:
            corrected = accuracies(50, 45, 44, n=record["score"]["n"])["score"]
            later = job.features == "similarity"
            signature = f"deriv|data:alg514/fold0+corrected-v{3 if later else 2}@1|n:1"
            (record["score"] if later else record)[tables.CORRECTED] = {**corrected, "signature": signature}
    _, second, third = tables.tables_of(made, plan)
    figures = ["50.0", "50.0", "45.0", "45.0", "40.0", "44.0", "1"]
    assert list(second.rows) == [["Alg-514"], ["paper features, k = 10, TE", *figures]]
    assert list(third.rows) == [["Alg-514"], ["similarity, numbers by context, TE", *figures]]
    assert second.head[-3:] == ["deriv, published", "deriv, v2", "seeds"]


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


def test_a_page_may_have_table_5(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(f"before\n{BEGIN_TABLE5}\nold\n{END}\nafter\n", encoding="utf-8")
    update_page(path, made_records(), PLAN)
    text = path.read_text(encoding="utf-8")
    assert "| paper features, k = 10 | 76.2 | 50.5 ± 0.7 | 45.0 ± 0.0 | 41.0 ± 1.4 | 2 |" in text
    assert "old" not in text
    path.write_text(f"{BEGIN_TABLE5}{BEGIN}{END}", encoding="utf-8")
    with pytest.raises(ChoiceError, match="once each, in this order"):
        update_page(path, made_records(), PLAN)


def test_what_is_kept_in_docs_is_made_of_the_records_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = ROOT / "docs" / "results"
    assert [page.name for page in reproduce_tables.PAGES] == ["paper.md", "systems.md"]
    for page in reproduce_tables.PAGES:
        shutil.copy(page, tmp_path)
        arguments = ["--from", str(kept / "jobs.jsonl"), "--out", str(tmp_path), "--no-plot"]
        assert reproduce_tables.main([*arguments, "--update-page", str(tmp_path / page.name)]) in (0, 1)
        capsys.readouterr()
        assert (tmp_path / page.name).read_bytes() == page.read_bytes()
    tables_kept = (kept / "tables.md").read_text(encoding="utf-8")
    assert (tmp_path / "tables.md").read_text(encoding="utf-8") == re.sub(r"!\[.*\]\(.*\)\n\n", "", tables_kept)
    assert (tmp_path / "jobs.jsonl").read_bytes() == (kept / "jobs.jsonl").read_bytes()
