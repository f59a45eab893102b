from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from draw_dataset.data.manifest import COMMIT, RELEASE
from draw_dataset.errors import DrawError, ReleaseRequestError


def test_every_dataset_has_its_problems_and_its_splits() -> None:
    assert {name: len(files) for name, files in RELEASE.datasets.items()} == {
        "draw1k": 4,
        "alg514": 6,
        "dolphin_l": 6,
    }
    assert len(RELEASE.files) == 16
    assert all(re.fullmatch("[0-9a-f]{64}", file.sha256) for file in RELEASE.files.values())


def test_the_public_copy_is_addressed_at_its_commit() -> None:
    url = RELEASE.url(RELEASE.files["draw.json"])
    assert url == f"https://raw.githubusercontent.com/rlebras/wordproblems-dataset/{COMMIT}/draw.json"


def test_a_mirror_is_named_by_the_argument_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    file = RELEASE.files["draw-dev.txt"]
    monkeypatch.setenv("DRAW_RELEASE_URL", "https://mirror.example/a")
    assert RELEASE.url(file) == "https://mirror.example/a/draw-dev.txt"
    assert RELEASE.url(file, "http://other.example/") == "http://other.example/draw-dev.txt"


@pytest.mark.parametrize("base", ["file:///srv/release", "/srv/release", "ftp://mirror.example"])
def test_an_address_that_is_not_http_is_refused(base: str) -> None:
    with pytest.raises(ReleaseRequestError, match="must start with http"):
        RELEASE.url(RELEASE.files["draw.json"], base)


def test_a_selection_has_each_file_once_in_order() -> None:
    names = [file.name for file in RELEASE.select(["draw-dev.txt", "draw1k", "kushman.json"])]
    assert names == ["draw-dev.txt", "draw.json", "draw-train.txt", "draw-test.txt", "kushman.json"]


@pytest.mark.parametrize("kind", [DrawError, ValueError])
def test_an_unknown_name_says_which_there_are(kind: type[Exception]) -> None:
    with pytest.raises(kind, match=r"draw1k, alg514, dolphin_l.*draw\.json.*'draw2k'"):
        RELEASE.select("draw2k")


def test_the_entries_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        RELEASE.files["draw.json"].size = 0  # type: ignore[misc]
    with pytest.raises(TypeError):
        RELEASE.datasets["draw1k"] = ()  # type: ignore[index]


@pytest.mark.release
def test_the_entries_are_those_of_the_release(release_dir: Path) -> None:
    lines = (release_dir / "SHA256SUMS").read_text().splitlines()
    sums = {name: digest for digest, name in map(str.split, lines)}
    del sums["RELEASE-README.txt"]
    assert {file.name: file.sha256 for file in RELEASE.files.values()} == sums
    for file in RELEASE.files.values():
        assert (release_dir / file.name).stat().st_size == file.size
