"""The figures of the paper, and which jobs make up its tables."""

from __future__ import annotations

import doctest
import importlib
import json
from pathlib import Path

import pytest
from reproduction import jobs
from reproduction.figures import problems_of
from reproduction.jobs import Plan, SolverJob, job_of
from tables.made_records import PAPER

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
    found = list(jobs.ACCURACIES[data, more])
    if minus:
        found = [round(a - b, 1) for a, b in zip(found, jobs.ACCURACIES[data, less], strict=True)]
    assert found == values


def test_no_figure_of_the_paper_is_left_out() -> None:
    assert {(data, setting) for data, setting, _ in figures(PRINTED) if "-" not in setting} == set(jobs.ACCURACIES)
    assert jobs.TABLE5 == {
        "alg514": {"ours": 76.2, "KAZB": 68.7, "ZDC": 79.7},
        "dolphin_l": {"ours": 55.1, "KAZB": 37.5, "SWLLR": 46.3},
        "draw1k": {"ours": 52.0, "KAZB": 43.2},
    }
    assert all(row["ours"] == jobs.TABLE3[data, "TE"].solution for data, row in jobs.TABLE5.items())
    assert {solver.quoted for solver in jobs.SOLVERS.values()} <= {name for row in jobs.TABLE5.values() for name in row}


@pytest.mark.parametrize("name", ["jobs", "tables", "store"])
def test_the_examples_in_docstrings_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"reproduction.{name}")).failed == 0


def test_a_plan_trains_every_setting_on_every_fold() -> None:
    planned = Plan(seeds=2, systems=("zdc", "similarity")).jobs()
    # Two folded datasets, Draw-1k on 600 and on 800 problems, both with two settings; two pairs with three settings.
    solvers = 2 * 4 * (2 * 2 * 5 + 2 * 2 + 2 * 3)
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
