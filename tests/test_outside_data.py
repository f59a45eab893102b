"""What happens to tests whose data lies outside the repository, in one process and in several."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import scope_of

TESTS = """
import pytest

@pytest.mark.answers
def test_that_reads(answers_dir):
    assert (answers_dir / "gpt35_draw1k.jsonl").read_text() == "an answer"

@pytest.mark.answers
def test_that_gives_up():
    pytest.skip("for a reason of its own")

@pytest.mark.sources
def test_of_other_sources(sources_dir):
    pass

def test_of_ours():
    pass
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a small project with our conftest, answers beside it, and no other sources."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_some.py").write_text(TESTS, encoding="utf-8")
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path / "tests")
    settings = ["[pytest]", "addopts = --strict-markers -rs -p no:cacheprovider", "markers ="]
    settings += [f"  {name}: as in ours" for name in ("release", "answers", "sources", "slow", "no_cover")]
    (tmp_path / "pytest.ini").write_text("\n".join(settings), encoding="utf-8")
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / "gpt35_draw1k.jsonl").write_text("an answer", encoding="utf-8")
    return tmp_path


def run(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("DRAW_", "PYTEST_"))}
    environment |= {"DRAW_ANSWERS_DIR": str(project / "answers"), "DRAW_SOURCES_DIR": str(project / "nothing")}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # to be quick
    command = [sys.executable, "-m", "pytest", "tests", *arguments]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


def test_tests_are_skipped_by_name_where_their_data_is_missing(project: Path) -> None:
    done = run(project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "DRAW_SOURCES_DIR" in done.stdout
    assert "2 passed, 2 skipped in " in done.stdout.splitlines()[-1]


@pytest.mark.parametrize("processes", [(), ("-p", "xdist.plugin", "-n", "2")])
def test_a_skipped_test_of_required_data_fails_the_run(project: Path, processes: tuple[str, ...]) -> None:
    done = run(project, "--require-data", "answers", *processes)
    assert done.returncode == 1, done.stdout + done.stderr
    told = done.stdout.partition("data is required")[2]
    assert "test_some.py::test_that_gives_up" in told
    assert "test_that_reads" not in told
    assert "test_of_other_sources" not in told
    assert "2 passed, 2 skipped in " in done.stdout.splitlines()[-1]


def test_required_data_must_be_there(project: Path) -> None:
    done = run(project, "--require-data", "answers", "--require-data", "sources")
    assert done.returncode == 4
    assert "--require-data sources: there is no" in done.stderr


def test_tests_that_share_a_fixture_or_a_group_are_scheduled_together(tmp_path: Path) -> None:
    texts = {"shares": 'scope="module"', "grouped": 'mark.xdist_group("browser")', "plain": 'scope="session"'}
    for name, text in texts.items():
        (tmp_path / f"test_{name}.py").write_text(text, encoding="utf-8")
    scopes = [scope_of(f"test_{name}.py::test_{at}", tmp_path) for name in texts for at in range(2)]
    assert scopes[:4] == ["test_shares.py", "test_shares.py", "browser", "browser"]
    assert len(set(scopes[4:])) == 2


FIXTURE = """
import pytest

@pytest.fixture(scope="module")
def made():
    with open("made.txt", "a") as file:
        file.write("once")

@pytest.mark.parametrize("at", range(8))
def test_that_shares(made, at):
    pass
"""


def test_a_fixture_of_a_module_is_made_in_one_process(project: Path) -> None:
    (project / "tests" / "test_some.py").write_text(FIXTURE, encoding="utf-8")
    done = run(project, "-p", "xdist.plugin", "-n", "2", "--dist", "loadgroup")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (project / "made.txt").read_text(encoding="utf-8") == "once"
