"""Where the release is found, and what happens to its tests when it is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Continuous integration draws the same examples every time, so that a change is judged by itself; at a desk every run
# draws new ones. An example has no deadline: the machine may be busy, and no test is about time but the fuzz test.
settings.register_profile("desk", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "desk")

DEFAULT_RELEASE = Path(__file__).resolve().parents[2] / "shared" / "release"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--require-release",
        action="store_true",
        help="fail, instead of skipping, the tests that need the release when it is not there",
    )


def find_release() -> Path | None:
    folder = Path(os.environ.get("DRAW_RELEASE_DIR") or DEFAULT_RELEASE)
    return folder if (folder / "draw.json").is_file() else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if find_release() is not None:
        return
    for item in items:
        if item.get_closest_marker("release") is None:
            continue
        if config.getoption("--require-release"):
            raise pytest.UsageError(f"{item.nodeid} needs the release, which is not in {DEFAULT_RELEASE}")
        item.add_marker(pytest.mark.skip(reason="needs the release: set DRAW_RELEASE_DIR"))


@pytest.fixture(scope="session")
def release_dir() -> Path:
    folder = find_release()
    if folder is None:
        pytest.skip("needs the release: set DRAW_RELEASE_DIR")
    return folder
