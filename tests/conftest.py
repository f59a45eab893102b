"""Where data that is not ours is found, and what happens to its tests when it is not.

Three kinds of data lie outside the repository: the public release, answers of language models, and problems of other
sources. A test that needs one is marked by its name and skipped by name where it is missing. `--require-data NAME`, as
``.ci/run`` gives it for every folder that is there, makes two things failures: that the data is not found, and that a
test which needs it was skipped for whatever reason. The second is seen in the reports, which come to the controller
from wherever the tests ran; so it holds with any number of processes.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

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


def pytest_configure(config: pytest.Config) -> None:
    config.stash[SKIPPED] = []
    for name in config.getoption("--require-data"):
        if not OUTSIDE[name].is_there:
            raise pytest.UsageError(f"--require-data {name}: there is no {OUTSIDE[name].folder / OUTSIDE[name].file}")


@pytest.hookimpl(tryfirst=True)  # before xdist looks at the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("xdist_group") is None and shares_a_fixture(item):
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
        for name, data in OUTSIDE.items():
            if item.get_closest_marker(name) is not None:
                item.user_properties.append(("needs", name))
                if not data.is_there:
                    item.add_marker(pytest.mark.skip(reason=data.lacking))


def shares_a_fixture(item: pytest.Item) -> bool:
    """Say whether a test uses what its module makes once; such tests run in one process, so that it stays once."""
    known = getattr(item, "_fixtureinfo", None)
    used = [] if known is None else [definitions[-1] for definitions in known.name2fixturedefs.values()]
    return any(definition.scope in ("module", "class") for definition in used)


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
