"""Where data that is not ours is found, and what happens to its tests when it is not.

Three kinds of data lie outside the repository: the public release, answers of language models, and problems of other
sources. A test that needs one is marked by its name and skipped by name where it is missing. `--require-data NAME`, as
``.ci/run`` gives it for every folder that is there, makes two things failures: that the data is not found, and that a
test which needs it was skipped for whatever reason. The second is seen in the reports, which come to the controller
from wherever the tests ran; so it holds with any number of processes.
"""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Generator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, settings

# The arrays of the solver are small: threads of linear algebra would wait for each other, and for those of the other
# processes. They are settled when numpy is imported, so this must come before.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

# Continuous integration draws the same examples every time, so that a failure comes from the change under test. Other
# runs draw new ones. Neither the deadline of an example nor the check for slow drawing applies: both measure wall-clock
# time, and the machine may be busy.
_CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("local", _CALM)
settings.register_profile("ci", _CALM, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")

SHARED = Path(__file__).resolve().parents[2] / "shared"


class OutsideData(NamedTuple):
    """Data outside the repository: what it is, the variable that names its folder, the usual folder, a file in it."""

    title: str
    variable: str
    usual: Path
    file: str

    @property
    def folder(self) -> Path:
        return Path(os.environ.get(self.variable) or self.usual)

    @property
    def is_there(self) -> bool:
        return (self.folder / self.file).is_file()

    @property
    def lacking(self) -> str:
        return f"needs {self.title}: set {self.variable}"


OUTSIDE = {
    "release": OutsideData("the release", "DRAW_RELEASE_DIR", SHARED / "release", "draw.json"),
    "answers": OutsideData(
        "answers of language models", "DRAW_ANSWERS_DIR", SHARED / "llm_answers", "gpt35_draw1k.jsonl"
    ),
    "sources": OutsideData("problems of other sources", "DRAW_SOURCES_DIR", SHARED / "sources", "svamp.json"),
}
SKIPPED = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--require-data",
        action="append",
        choices=list(OUTSIDE),
        default=[],
        help="fail if this data is not there, or if a test that needs it is skipped; may be given several times",
    )


class _Surroundings:
    """Keeps earlier tests of a process from changing what a test prints or how long it takes."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        os.environ["COLUMNS"] = "80"
        if item.get_closest_marker("no_cover") is not None:
            gc.freeze()  # a collection of what earlier tests have kept takes up to a second


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_Surroundings())
    config.stash[SKIPPED] = []
    for name in config.getoption("--require-data"):
        if not OUTSIDE[name].is_there:
            raise pytest.UsageError(f"--require-data {name}: there is no {OUTSIDE[name].folder / OUTSIDE[name].file}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        # Bounds of processor time hold without a tracer.
        if item.get_closest_marker("slow") is not None or "thread_time" in _text_of(item.path):
            item.add_marker(pytest.mark.no_cover)
        for name, data in OUTSIDE.items():
            if item.get_closest_marker(name) is not None:
                item.add_marker(pytest.mark.slow)
                item.add_marker(pytest.mark.no_cover)
                item.user_properties.append(("needs", name))
                if not data.is_there:
                    item.add_marker(pytest.mark.skip(reason=data.lacking))
        if item.get_closest_marker("xdist_group") is not None or _PROCESSES.search(_text_of(item.path)):
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Run tests marked ``no_cover`` without a tracer, because pytest-cov does not stop it in the processes of xdist."""
    tracer = sys.gettrace() if item.get_closest_marker("no_cover") is not None else None
    if tracer is not None:
        sys.settrace(None)
    try:
        return (yield)
    finally:
        if tracer is not None:
            sys.settrace(tracer)


_PROCESSES = re.compile(
    r"^(?:from|import) (?:subprocess|multiprocessing|concurrent|interpreter|playwright|browser|crawl\.harness|"
    r"page_server|follow_docs|loopback|bad_server|nbclient|nbformat)\b",
    re.MULTILINE,
)
"""Imports of test files that start processes, servers or browsers: `make fast` leaves these files out."""


@cache
def _text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.suffix == ".py" else ""


_SHARED_FIXTURE = re.compile(r"scope=\"(?:module|class)\"")
_GROUP = re.compile(r"xdist_group\(\"(\w+)\"\)")


def scope_of(nodeid: str, root: Path) -> str:
    """Return what a test is scheduled with: its group, its file if that has a fixture made once, or itself.

    The scheduler sees ids only, so this reads the file: with xdist's own groups, which are suffixes of ids, pytest 9.2
    spreads a group over processes without a word, and every process makes the fixture.
    """
    name = nodeid.partition("::")[0]
    text = _text_of(root / name)
    group = _GROUP.search(text)
    return group[1] if group else name if _SHARED_FIXTURE.search(text) else nodeid


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give tests that share a fixture, or are of one group, to one process."""
    if config.getoption("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class ByFixture(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return scope_of(nodeid, config.rootpath)

    return ByFixture(config, log)


class _Watch:
    """Takes down which tests were skipped though the data that they need is required."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        needed = {value for key, value in report.user_properties if key == "needs"}
        if report.skipped and needed & set(self._config.getoption("--require-data")):
            self._config.stash[SKIPPED].append(report.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._config.stash[SKIPPED] and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        skipped = self._config.stash[SKIPPED]
        if skipped:
            terminalreporter.section("skipped, though their data is required", red=True)
            for nodeid in skipped:
                terminalreporter.line(nodeid)


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):  # the controller, or the only process
        session.config.pluginmanager.register(_Watch(session.config))


def _folder(name: str) -> Path:
    if not OUTSIDE[name].is_there:
        pytest.skip(OUTSIDE[name].lacking)
    return OUTSIDE[name].folder


@pytest.fixture(scope="session")
def release_dir() -> Path:
    return _folder("release")


@pytest.fixture(scope="session")
def answers_dir() -> Path:
    return _folder("answers")


@pytest.fixture(scope="session")
def sources_dir() -> Path:
    return _folder("sources")
