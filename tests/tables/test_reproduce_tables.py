"""The command that reproduces the tables: what it refuses, a smoke run, a run that is killed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import reproduce_tables
from reproduction.jobs import DatasetJob, SolverJob
from reproduction.store import read_records, write_records

ROOT = Path(reproduce_tables.__file__).parents[1]
QUICK_JOBS = 21 + 5
TABLE5_JOBS = 5 + 5


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
        (["--only", "table9"], r"--only.*table2, table3, table4, table5.*'table9'"),
        (["--features", "best"], r"--features.*relations, extended, inferred, paper.*'best'"),
        (
            ["--systems", "best"],
            r"--systems.*kazb, kazb-parsed, zdc, zdc-qp, similarity",
        ),
        (["--k", "0"], r"--k.*'0'"),
        (["--only", "table3", "--data-dir", "/nowhere"], "/nowhere"),
        (["--from", "/nowhere/jobs.jsonl"], r"/nowhere/jobs\.jsonl"),
        (["--quick", "--system", "mine"], r"--system.*NAME=FILE.*'mine'"),
    ],
)
def test_refusals(arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert reproduce_tables.main([*arguments, "--store", str(tmp_path)]) == 2
    captured = capsys.readouterr()
    assert re.search(message, captured.err)
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


def test_figures_that_are_equal_get_the_key_of_the_present_code(
    quick: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = read_records(quick / "out" / "jobs.jsonl")
    path = tmp_path / "jobs.jsonl"
    stale = {job: {**record, "behaviour": "code:0"} for job, record in records.items() if isinstance(job, DatasetJob)}
    write_records(path, {**records, **stale})
    assert reproduce_tables.main(["--restamp", str(path)]) == 0
    assert read_records(path) == records
    other = next(iter(stale))
    write_records(path, {other: {**stale[other], "statistics": {"problems": 0}}})
    assert reproduce_tables.main(["--restamp", str(path)]) == 1
    assert read_records(path)[other]["behaviour"] == "code:0"


def test_table_2_alone_has_no_plot(quick: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--quick", "--only", "table2", "--store", str(quick / "store"), "--out", str(tmp_path)]
    assert reproduce_tables.main(arguments) == 0
    assert capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["jobs.jsonl", "tables.md"]


def test_two_runs_do_not_share_a_store(quick: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from filelock import FileLock

    with FileLock(quick / "store" / ".lock"):
        assert reproduce_tables.main(["--quick", "--store", str(quick / "store")]) == 2
    assert str(quick / "store") in capsys.readouterr().err


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
