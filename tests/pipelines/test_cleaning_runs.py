"""Cleaning in many tasks: the pool of one plain loop, byte by byte, whatever is killed and whatever is broken."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("datatrove", reason="draw pipeline needs the extra scale")

from cleaning.stand_in import HOST
from pipelines import killing
from pipelines.archives import BOUND, answer_of, damaged, plain_copy, plain_pool, stand_in_pages, write_archives
from pipelines.killing import BEFORE, UNMARKED, plan

from draw_dataset.cli import main
from draw_dataset.collect.ledger import StoredPage
from draw_dataset.collect.warc import WarcArchive
from draw_dataset.scale import run as running
from draw_dataset.scale.run import CleaningPlan, Execution, Workers, cleaning_stages

pytestmark = pytest.mark.xdist_group("pipelines")

PAGES = stand_in_pages(90)
RESULTS = ("problems.jsonl", "funnel.json")


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Archives with everything that archives have: old captures, parts of pages, other charsets, damage."""
    folder = tmp_path_factory.mktemp("warc")
    _, second, third = write_archives(folder, PAGES, 3)
    damaged(second, folder / "damaged.warc.gz")
    second.unlink()
    plain_copy(third, folder / "plain.warc")
    third.unlink()
    (folder / "empty.warc.gz").write_bytes(b"")
    (folder / "other.warc.gz").write_bytes(b"not an archive")
    with WarcArchive(folder / "odd.warc.gz", "draw-dataset/test") as archive:
        archive.write(answer_of(windows_page()), 1.7e9)
        archive.write(answer_of(replace(PAGES[5], body=PAGES[5].body + b" " * (10 * 2**20))), 1.7e9)
    return folder


def windows_page() -> StoredPage:
    """A newer capture of a page that is kept, in Windows-1252 and declared as UTF-8."""
    page = PAGES[0]
    body = page.body.replace(b"Question %d" % page.id, "£5 – that’s it. Question %d".encode("cp1252") % page.id)
    assert body != page.body
    return replace(page, body=body, charset="utf-8")


@pytest.fixture(scope="module")
def plain(archives: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DRAW_RELEASE_DIR", raising=False)
        return plain_pool(tmp_path_factory.mktemp("plain"), sorted(archives.iterdir()))


@pytest.fixture(autouse=True)
def _without_release(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DRAW_RELEASE_DIR", raising=False)


def command(archives: Path, out: Path, *more: str) -> list[str]:
    return ["pipeline", "clean", "--warc", str(archives), "--out", str(out), "--site", HOST, "--quiet", *more]


def same_pool(out: Path, plain: Path) -> None:
    assert (out / "problems.jsonl").read_bytes() == (plain / "problems.jsonl").read_bytes()
    ours, theirs = (json.loads((folder / "funnel.json").read_text()) for folder in (out, plain))
    assert {**ours, "notes": []} == {**theirs, "notes": []}


def dropped_lines(out: Path) -> list[str]:
    return sorted(line for path in (out / "dropped").iterdir() for line in path.read_text().splitlines())


@pytest.fixture(scope="module")
def here(archives: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("one") / "pool"
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DRAW_RELEASE_DIR", raising=False)
        assert main(command(archives, out, "--workers", "1", "--parquet")) == 0
    return out


def test_one_worker_gives_the_pool_of_the_plain_loop(here: Path, plain: Path) -> None:
    same_pool(here, plain)
    assert dropped_lines(here) == sorted((plain / "dropped.jsonl").read_text().splitlines())
    notes = json.loads((here / "funnel.json").read_text())["notes"]
    assert any("1 broken records were ignored" in note for note in notes)
    assert any("1 unreadable files were ignored" in note for note in notes)
    kept = [json.loads(line) for line in (here / "problems.jsonl").read_text().splitlines()]
    assert next(row for row in kept if row["id"] == PAGES[0].id)["repair"].startswith("windows-1252")


def test_the_pool_is_there_as_parquet(here: Path) -> None:
    import pyarrow.parquet as pq

    rows = [row for path in sorted((here / "parquet").iterdir()) for row in pq.read_table(path).to_pylist()]
    kept = [json.loads(line) for line in (here / "problems.jsonl").read_text().splitlines()]
    assert sorted((json.loads(row["record"]) for row in rows), key=lambda row: row["id"]) == kept
    assert {row["site"] for row in rows} == {"site.example"}


def test_the_same_command_again_does_nothing_and_another_is_refused(
    archives: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.stat().st_mtime_ns for path in here.rglob("*") if path.is_file()}
    assert main(command(archives, here, "--workers", "1", "--parquet")) == 0
    assert {path: path.stat().st_mtime_ns for path in here.rglob("*") if path.is_file()} == before
    assert main(command(archives, here, "--workers", "1", "--parquet", "--max-size", "1000")) == 2
    assert "belongs to another run: max_size was 2097152 and is now 1000" in capsys.readouterr().err
    assert main(command(archives / "nothing", here)) == 2
    assert "cannot find" in capsys.readouterr().err


def test_status_tells_what_is_done_left_and_failed(
    archives: Path, here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pipeline", "status", str(here), "--json"]) == 0
    stages = {stage["stage"]: stage for stage in json.loads(capsys.readouterr().out)["stages"]}
    assert stages["clean"]["left"] == 0
    assert stages["clean"]["items"] > len(PAGES)
    assert stages["clean"]["items_a_second_a_worker"] > 0
    assert main(["pipeline", "status", str(tmp_path)]) == 2
    # A reader that is refused: the archive is a folder of nothing that can be read.
    (tmp_path / "a.warc.gz").write_bytes((archives / "000.warc.gz").read_bytes())
    out = tmp_path / "pool"
    (out / "state" / "captures" / "00000").mkdir(parents=True)
    (out / "state" / "captures" / "00000" / "00000.jsonl").mkdir()
    assert main(command(tmp_path / "a.warc.gz", out, "--workers", "1")) == 2
    said = capsys.readouterr().err
    assert "stage captures: 1 of 1 tasks are not complete (0)" in said
    assert main(["pipeline", "status", str(out)]) == 1
    assert "task 0 failed: " in capsys.readouterr().out
    # What stood in the way is gone: the same command goes on.
    (out / "state" / "captures" / "00000" / "00000.jsonl").rmdir()
    assert main(command(tmp_path / "a.warc.gz", out, "--workers", "1")) == 0


def test_a_full_disk_is_told_and_leaves_nothing_that_looks_whole(archives: Path, plain: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands for a disk that is full: writing fails in the middle of a file."""
    out = tmp_path / "pool"
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)); "
    program = "import sys; from draw_dataset.cli import main; sys.exit(main(sys.argv[1:]))"
    full = [sys.executable, "-c", limit + program, *command(archives, out, "--workers", "1")]
    done = subprocess.run(full, capture_output=True, text=True)
    assert done.returncode == 2, done.stderr
    assert "File too large" in done.stderr
    assert "to continue, run the same command again" in done.stderr
    assert not (out / "problems.jsonl").exists()
    assert main(command(archives, out, "--workers", "1")) == 0
    same_pool(out, plain)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Gives a folder on a disk of a size of its own, in memory; called again, it makes that disk larger."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def mount(size: str) -> Path:
        options = f"size={size}" if not folder.is_mount() else f"remount,size={size}"
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"no disk of its own can be mounted here: {done.stderr.strip()}")
        return folder

    if shutil.which("mount") is None or os.geteuid() != 0:
        pytest.skip("mounting a small disk needs root")
    yield mount
    if folder.is_mount():
        subprocess.run(["umount", "--lazy", folder], check=True)  # a file of the failed run may still be open


@pytest.mark.parametrize("size", ["4k", "600k"])
def test_a_disk_that_is_really_full_is_told_and_goes_on_with_room(
    size: str,
    small_disk: Callable[[str], Path],
    archives: Path,
    plain: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Full before anything is written, and while pages are compared; while they are cleaned is the test before."""
    out = small_disk(size) / "pool"
    assert main(command(archives, out, "--workers", "1")) == 2
    said = capsys.readouterr().err
    assert "the disk is full (No space left on device); make room first" in said
    assert len(said.splitlines()) == 1
    assert not (out / "problems.jsonl").exists()
    small_disk("64m")
    assert main(command(archives, out, "--workers", "1")) == 0
    same_pool(out, plain)


STAGES = ("captures", "newest", "clean", "buckets", "clusters", "candidates", "decide", "pool", "collect")
MOMENTS = [("clean", 0, BEFORE)] + [
    (stage, 0, UNMARKED if place % 2 == 0 else BEFORE) for place, stage in enumerate(STAGES)
]
"""Ten moments in all stages: before a task, and when its files are written but it is not marked complete.

All are of the first task, so that they come one after the other and each kill has a run of its own.
"""
FEW = [("clean", 1, UNMARKED), ("decide", 0, BEFORE)]
KILLS = int(os.environ.get("DRAW_KILLS", "0"))
"""How often a run is killed at any moment; ``make test-scale`` does it ten times."""


def killed_run(whom: str, moments: list[tuple[str, int, str]], arguments: list[str], folder: Path) -> list[int]:
    """Run a command that is killed at some moments until it ends by itself; return how each run ended."""
    plan(folder, moments)
    program = [sys.executable, str(Path(killing.__file__)), whom, str(folder), *arguments]
    tests = str(Path(killing.__file__).parents[1])
    paths = os.pathsep.join([tests, *filter(None, [os.environ.get("PYTHONPATH")])])
    ended: list[int] = []
    while not ended or (ended[-1] != 0 and len(ended) <= len(moments)):
        process = subprocess.Popen(
            program, env={**os.environ, "PYTHONPATH": paths}, stderr=subprocess.PIPE, start_new_session=True
        )
        _, said = process.communicate(timeout=1_200)
        ended.append(process.returncode)
        assert process.returncode in (0, -signal.SIGKILL), said.decode()
        _gone(process.pid)
    assert not list(folder.iterdir())
    return ended


def test_workers_killed_ten_times_are_started_again(archives: Path, plain: Path, tmp_path: Path) -> None:
    """One command survives it: nobody has to start it again."""
    out = tmp_path / "pool"
    assert len(MOMENTS) == 10
    assert killed_run("worker", MOMENTS, command(archives, out, "--workers", "2"), tmp_path / "moments") == [0]
    same_pool(out, plain)


def test_a_worker_killed_before_all_tasks_are_given_is_started_again(
    archives: Path, plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The pool then refuses the next task, at any place of the list."""
    given, submit = 0, Workers.submit

    def refusing(workers: Workers, function: Callable[..., object], *arguments: object) -> Future[object]:
        nonlocal given
        given += 1
        if given in (1, 9):
            raise BrokenProcessPool("killed")
        return submit(workers, function, *arguments)

    monkeypatch.setattr(Workers, "submit", refusing)
    assert main(command(archives, tmp_path / "pool", "--workers", "2")) == 0
    assert capsys.readouterr().err.count("a worker was killed") == 2
    same_pool(tmp_path / "pool", plain)


def test_a_killed_parent_goes_on_to_the_same_pool(archives: Path, plain: Path, tmp_path: Path) -> None:
    out = tmp_path / "pool"
    moments = MOMENTS if KILLS else FEW
    ended = killed_run("parent", moments, command(archives, out, "--workers", "2"), tmp_path / "moments")
    assert ended == [-signal.SIGKILL] * len(moments) + [0]
    same_pool(out, plain)


@pytest.mark.skipif(not KILLS, reason="killing at any moment takes minutes; make test-scale does it")
@pytest.mark.parametrize("whom", ["parent", "worker"])
def test_a_run_killed_at_any_moment_goes_on_to_the_same_pool(
    whom: str, archives: Path, plain: Path, tmp_path: Path
) -> None:
    """Kill the parent, or single workers, each time a little later; the last run must end by itself."""
    out = tmp_path / "pool"
    program = "import sys; from draw_dataset.cli import main; sys.exit(main(sys.argv[1:]))"
    started = [sys.executable, "-c", program, *command(archives, out, "--workers", "2")]
    kills = 0
    process = subprocess.Popen(started, stderr=subprocess.PIPE, start_new_session=True)
    deadline = time.monotonic() + 1_200
    done = -1
    while process.poll() is None and time.monotonic() < deadline:
        complete = len(list(out.glob("logs/*/completions/*")))
        # Another task is complete since the last time.
        if kills < KILLS and complete > done and (victims := _victims(process.pid, whom)):
            os.kill(victims[0], signal.SIGKILL)
            kills += 1
            done = complete
            if whom == "parent":
                process.wait()
                _gone(process.pid)
                process = subprocess.Popen(started, stderr=subprocess.PIPE, start_new_session=True)
        time.sleep(0.02)
        if whom == "worker" and process.poll() not in (None, 0):
            # More kills than restarts in one stage: it gave up, and said so.
            assert b"a worker was killed" in process.stderr.read()  # type: ignore[union-attr]
            process = subprocess.Popen(started, stderr=subprocess.PIPE, start_new_session=True)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said.decode()
    assert kills == KILLS
    same_pool(out, plain)
    assert not [path for path in out.rglob("*.part-*") if "state" not in path.parts and "logs" not in path.parts]


def _victims(parent: int, whom: str) -> list[int]:
    if whom == "parent":
        return [parent]
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            fields = (path / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == parent and int(path.name) != parent and _forked(path):
                found.append(int(path.name))
        except OSError:
            continue
    return found


def _forked(path: Path) -> bool:
    """Say whether a process of the session is a worker: a child of the fork server, not the server itself."""
    above = int((path / "stat").read_text().rpartition(")")[2].split()[1])
    return b"forkserver" in Path(f"/proc/{above}/cmdline").read_bytes()


def _gone(session: int) -> None:
    """Wait until all of a session have ended, as they must without their parent."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        alive = [
            path
            for path in Path("/proc").glob("[0-9]*")
            if (stat := _stat(path)) and int(stat[3]) == session and stat[0] != "Z"
        ]
        if not alive:
            return
        time.sleep(0.05)
    pytest.fail("workers outlive their parent")


def _stat(path: Path) -> list[str]:
    try:
        return (path / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def test_ray_gives_the_same_pool(archives: Path, plain: Path, tmp_path: Path) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed; make test-scale installs it")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        more = ("--executor", "ray", "--workers", "2", "--set", "mem_per_cpu_gb=0.1", "--set", "tasks_per_job=8")
        assert main(command(archives, tmp_path / "pool", *more)) == 0
    finally:
        ray.shutdown()
    same_pool(tmp_path / "pool", plain)


def test_executors_are_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str], archives: Path) -> None:
    assert main(command(archives, tmp_path / "a", "--set", "partition=cpu")) == 2
    assert "the local executor takes no options, but got partition" in capsys.readouterr().err
    assert main(command(archives, tmp_path / "b", "--set", "partition")) == 2
    assert "expected NAME=VALUE" in capsys.readouterr().err
    assert main(command(archives, tmp_path / "c", "--executor", "slurm", "--set", "colour=red")) == 2
    assert "executor slurm" in capsys.readouterr().err


def test_slurm_gets_one_script_a_stage_each_after_the_one_before(
    archives: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in for sbatch takes the scripts; running them is the engine's own command."""
    given: list[tuple[str, tuple[str, ...]]] = []

    def submit(script: str, _retrieve: object, *arguments: str) -> str:
        given.append((script, arguments))
        return str(100 + len(given))

    monkeypatch.setattr("datatrove.executor.slurm.launch_slurm_job", submit)
    out = tmp_path / "pool"
    plan = CleaningPlan(str(out), [str(p) for p in sorted(archives.iterdir())], 4, HOST, BOUND)
    stages = cleaning_stages(plan)
    options = {"partition": "cpu", "time": "1:00:00", "mem_per_cpu_gb": 1}
    assert running.run_stages(stages, str(out), Execution("slurm", 2, options)) is False
    jobs = [(script, arguments) for script, arguments in given if "launch_pickled_pipeline" in script]
    assert len(jobs) == len(stages)
    for place, (stage, (script, arguments)) in enumerate(zip(stages, jobs, strict=True)):
        assert f"#SBATCH --job-name=draw-{stage.name}\n" in script
        assert f"#SBATCH --array=0-{stage.tasks - 1}%2\n" in script
        assert "#SBATCH --partition=cpu\n" in script
        assert "#SBATCH --mem-per-cpu=1G\n" in script
        assert any("--dependency=afterok:" in argument for argument in arguments) is (place > 0)
        assert (out / "logs" / stage.name / "executor.pik").is_file()
