"""Where files are looked for, in which order, and what is said when they are not there or are not right."""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from release.loopback import CONTENTS, Loopback

import draw_dataset
from draw_dataset.data.fetch import cache_folder, locate
from draw_dataset.data.manifest import RELEASE, Manifest
from draw_dataset.errors import (
    ChecksumError,
    DownloadError,
    DrawError,
    ReadError,
    ReleaseAccessError,
    ReleaseFileMissing,
    ReleaseRequestError,
)

WRONG = b"x" * len(CONTENTS["big.json"])


def sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def test_data_dir_comes_before_every_other_place(
    server: Loopback, manifest: Manifest, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DRAW_RELEASE_DIR", str(tmp_path / "elsewhere"))
    found = locate("tiny", folder, manifest=manifest)
    assert found == {name: folder / name for name in CONTENTS}
    assert server.requests == []


def test_only_the_files_asked_for_are_needed(manifest: Manifest, folder: Path) -> None:
    (folder / "big.json").unlink()
    assert locate(["ids.txt"], folder, manifest=manifest) == {"ids.txt": folder / "ids.txt"}


def test_data_dir_may_start_with_a_tilde(manifest: Manifest, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder.parent))
    assert locate("ids.txt", "~/mine", manifest=manifest) == {"ids.txt": folder / "ids.txt"}


@pytest.mark.parametrize("kind", [ReleaseFileMissing, DrawError, FileNotFoundError])
def test_data_dir_that_lacks_files_says_which(
    kind: type[Exception], server: Loopback, manifest: Manifest, folder: Path
) -> None:
    (folder / "ids.txt").unlink()
    with pytest.raises(kind) as caught:
        locate("tiny", folder, manifest=manifest)
    assert caught.value.names == ("ids.txt",)
    assert caught.value.where == f"data_dir={folder}"
    assert server.requests == []


def test_data_dir_that_does_not_exist_says_so(manifest: Manifest, tmp_path: Path) -> None:
    with pytest.raises(ReleaseFileMissing) as missing:
        locate("tiny", tmp_path / "none", manifest=manifest)
    assert missing.value.names == ("big.json", "ids.txt")
    assert str(tmp_path / "none") in missing.value.where


@pytest.mark.parametrize("kind", [ChecksumError, DrawError, ValueError])
def test_data_dir_with_a_wrong_file_names_both_checksums(
    kind: type[Exception], manifest: Manifest, folder: Path
) -> None:
    (folder / "big.json").write_bytes(WRONG)
    with pytest.raises(kind) as caught:
        locate("tiny", folder, manifest=manifest)
    expected, got = sha256(CONTENTS["big.json"]), sha256(WRONG)
    assert f"{folder / 'big.json'}: expected sha256 {expected}, but got {got}" in str(caught.value)
    assert (folder / "big.json").read_bytes() == WRONG  # the user's own files are left alone


def test_a_wrong_size_is_told_as_well(manifest: Manifest, folder: Path) -> None:
    (folder / "ids.txt").write_bytes(b"11\n12\n")  # line ends converted
    with pytest.raises(ChecksumError, match=r"ids\.txt.*\b6\b.*\b8\b"):
        locate("tiny", folder, manifest=manifest)


def test_a_folder_in_a_file_s_place_is_a_missing_file(manifest: Manifest, folder: Path) -> None:
    (folder / "ids.txt").unlink()
    (folder / "ids.txt").mkdir()
    with pytest.raises(ReleaseFileMissing, match=r"ids\.txt"):
        locate("tiny", folder, manifest=manifest)


def test_a_file_that_cannot_be_read_is_named(manifest: Manifest, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any) -> Any:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(hashlib, "file_digest", broken)
    with pytest.raises(ReleaseAccessError) as refused:
        locate("tiny", folder, manifest=manifest)
    assert refused.value.path == str(folder / "big.json")
    assert refused.value.reason == "Input/output error"


def test_the_environment_s_folder_is_used(
    server: Loopback, manifest: Manifest, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DRAW_RELEASE_DIR", str(folder))
    assert locate("tiny", manifest=manifest) == {name: folder / name for name in CONTENTS}
    assert server.requests == []


def test_what_the_environment_s_folder_lacks_is_fetched_with_a_warning(
    server: Loopback,
    manifest: Manifest,
    folder: Path,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    (folder / "big.json").unlink()
    monkeypatch.setenv("DRAW_RELEASE_DIR", str(folder))
    with caplog.at_level(logging.WARNING):
        found = locate("tiny", manifest=manifest)
    assert found == {"big.json": cache / "big.json", "ids.txt": folder / "ids.txt"}
    assert list(found) == ["big.json", "ids.txt"]
    assert server.requests == ["big.json"]
    assert f"DRAW_RELEASE_DIR={folder} lacks big.json" in caplog.text


def test_a_wrong_file_in_the_environment_s_folder_is_an_error(
    server: Loopback, manifest: Manifest, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "big.json").write_bytes(WRONG)
    monkeypatch.setenv("DRAW_RELEASE_DIR", str(folder))
    with pytest.raises(ChecksumError, match="DRAW_RELEASE_DIR"):
        locate("tiny", manifest=manifest)
    assert server.requests == []


@pytest.mark.parametrize("variable", ["HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"])
@pytest.mark.parametrize("value", ["1", "true", "ON"])
def test_offline_with_nothing_at_hand_names_every_way_out(
    variable: str,
    value: str,
    server: Loopback,
    manifest: Manifest,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ReleaseFileMissing) as caught:
        locate("tiny", manifest=manifest)
    message = str(caught.value)
    for part in (
        "big.json, ids.txt",
        variable,
        "data_dir=",
        "DRAW_RELEASE_DIR=",
        "it is not set",
        str(cache),
    ):
        assert part in message
    assert 'load_dataset("draw1k", "sample")' in message
    assert server.requests == []
    assert not cache.exists()


def test_offline_the_folder_that_lacks_files_is_named(
    manifest: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("DRAW_RELEASE_DIR", str(tmp_path / "typo"))
    with pytest.raises(ReleaseFileMissing, match=r"\btypo\b"):
        locate("tiny", manifest=manifest)


def test_offline_a_full_cache_is_enough(
    server: Loopback, manifest: Manifest, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locate("tiny", manifest=manifest)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert locate("tiny", manifest=manifest) == {name: cache / name for name in CONTENTS}


def test_offline_a_damaged_cache_is_an_error(manifest: Manifest, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locate("tiny", manifest=manifest)
    (cache / "big.json").write_bytes(WRONG)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ChecksumError, match=sha256(WRONG)):
        locate("tiny", manifest=manifest)


def test_offline_means_nothing_when_it_is_switched_off(
    server: Loopback, manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    locate("tiny", manifest=manifest)
    assert sorted(server.requests) == sorted(CONTENTS)


def test_an_unknown_dataset_is_told_before_any_place_is_looked_at(manifest: Manifest, tmp_path: Path) -> None:
    with pytest.raises(ReleaseRequestError, match="but got 'draw1k'"):
        locate("draw1k", tmp_path / "none", manifest=manifest)


def test_the_cache_is_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tail = Path("release", RELEASE.version)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DRAW_CACHE_DIR", "~/own")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "own" / tail
    monkeypatch.delenv("DRAW_CACHE_DIR")
    assert cache_folder() == tmp_path / "xdg" / "draw_dataset" / tail
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/is/ignored")
    assert cache_folder() == tmp_path / ".cache" / "draw_dataset" / tail
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == tmp_path / ".cache" / "draw_dataset" / tail


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gets the path of each file when it is hashed."""
    paths: list[str] = []
    genuine = hashlib.file_digest

    def counting(source: Any, name: str) -> Any:
        paths.append(str(source.name))
        return genuine(source, name)

    monkeypatch.setattr(hashlib, "file_digest", counting)
    return paths


def test_a_file_at_rest_is_hashed_once_and_again_when_it_changes(
    manifest: Manifest, folder: Path, hashed: list[str]
) -> None:
    path = folder / "ids.txt"
    os.utime(path, (1_000_000_000, 1_000_000_000))
    for _ in range(3):
        locate("ids.txt", folder, manifest=manifest)
    assert hashed == [str(path)]
    path.write_bytes(b"11\r\n13\r\n")
    with pytest.raises(ChecksumError):
        locate("ids.txt", folder, manifest=manifest)
    os.utime(path, (1_000_000_000, 1_000_000_000))  # the times of before do not bring trust back
    with pytest.raises(ChecksumError):
        locate("ids.txt", folder, manifest=manifest)


def test_a_file_written_just_now_is_hashed_every_time(manifest: Manifest, folder: Path, hashed: list[str]) -> None:
    path = folder / "ids.txt"
    os.utime(path)
    for _ in range(3):
        locate("ids.txt", folder, manifest=manifest)
    assert hashed == [str(path)] * 3


@pytest.mark.parametrize(
    "error",
    [
        ReadError("here", "this", "that"),
        ReleaseFileMissing(("a", "b"), "there", "advice"),
        ReleaseAccessError("/a", "read", "reason"),
        ChecksumError("a", "0", "1", "advice"),
        DownloadError("http://a", "reason", True, "advice"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_survives_the_way_back_from_a_worker(error: Exception) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)


def test_importing_it_is_light() -> None:
    heavy = ["datasets", "huggingface_hub", "evaluate", "numpy", "urllib.request", "http", "filelock", "tqdm"]
    code = f"import sys, draw_dataset.data.fetch; print([m for m in {heavy} if m in sys.modules])"
    root = Path(draw_dataset.__file__).parents[1]
    ran = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
