"""A file or folder appears complete or not at all; devices and pipes are written to directly."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from draw_dataset.errors import FolderError, RowError
from draw_dataset.io.atomic import atomic_file, check_apart, check_writable, new_folder, write_atomically


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write_half(path: Path) -> None:
    with atomic_file(path) as file:
        file.write("half")
        raise RowError("of the work")


def fill_half(path: Path) -> None:
    with new_folder(path) as work:
        (work / "half").write_text("x")
        raise RowError("of the work")


def test_a_file_appears_only_when_all_is_written(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    with atomic_file(target) as file:
        file.write("all")
        assert not target.exists()
    assert target.read_text() == "all"
    assert left_in(tmp_path) == ["a.txt"]


def test_an_error_of_the_work_leaves_the_old_file_and_no_trace(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    with pytest.raises(RowError, match="of the work"):
        write_half(target)
    assert target.read_text() == "old"
    assert left_in(tmp_path) == ["a.txt"]


def test_a_link_stays_and_what_it_points_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target = tmp_path / "there" / "a.txt"
    target.write_text("old")
    link = tmp_path / "link"
    link.symlink_to(target)
    write_atomically(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_link_to_a_file_that_is_not_there_makes_that_file(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "later.txt")
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "later.txt").read_bytes() == b"new"


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_the_mode_is_what_the_umask_gives(tmp_path: Path, mask: int) -> None:
    script = (
        f"import os, sys; os.umask({mask})\n"
        "from draw_dataset.io.atomic import write_atomically; write_atomically(sys.argv[1], 'x')"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "a")], check=True)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o666 & ~mask


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    write_atomically(pipe, "through")
    reader.join(10)
    assert got == ["through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes device nodes")
@pytest.mark.parametrize(("minor", "refused"), [(3, False), (7, True)], ids=["null", "full"])
def test_a_device_stays_a_device(tmp_path: Path, minor: int, refused: bool) -> None:
    node = tmp_path / "node"
    try:
        os.mknod(node, 0o666 | stat.S_IFCHR, os.makedev(1, minor))
        node.open("w").close()
    except OSError:
        pytest.skip("no device nodes here")
    if refused:
        with pytest.raises(FolderError, match="No space left"):
            write_atomically(node, "x")
    else:
        write_atomically(node, "x")
    assert stat.S_ISCHR(node.stat().st_mode)


def test_an_open_descriptor_is_written_to_though_a_file_is_behind_it(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    link = tmp_path / "stdout"
    link.symlink_to("/proc/self/fd/1")
    script = (
        "import sys; from draw_dataset.io.atomic import write_atomically; "
        "write_atomically(sys.argv[1], 'first\\n'); print('second', flush=True)"
    )
    with out.open("a") as file:
        subprocess.run([sys.executable, "-c", script, str(link)], stdout=file, check=True)
    assert "second" in out.read_text()
    assert left_in(tmp_path) == ["out.txt", "stdout"]


def test_a_dash_is_standard_output(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    write_atomically("-", "printed")
    assert capsys.readouterr().out == "printed"
    assert left_in(tmp_path) == []


def test_a_name_as_long_as_names_may_be_is_written(tmp_path: Path) -> None:
    write_atomically(tmp_path / ("é" * 120), "x")
    assert left_in(tmp_path) == ["é" * 120]


@pytest.mark.parametrize("place", ["no/a.txt", "folder"])
def test_what_cannot_be_written_is_said_with_its_name(tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()
    for act in (check_writable, lambda path: write_atomically(path, "x")):
        with pytest.raises(FolderError, match=place):
            act(tmp_path / place)
    assert left_in(tmp_path) == ["folder"]


def test_a_lone_surrogate_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="UTF-8"):
        write_atomically(tmp_path / "a.txt", "\ud800")
    assert left_in(tmp_path) == []


def test_nobody_can_guess_the_name_of_an_unfinished_file(tmp_path: Path) -> None:
    names: set[str] = set()
    for _ in range(3):
        with atomic_file(tmp_path / "a"):
            names |= {path.name for path in tmp_path.iterdir()} - {"a"}
    assert len(names) == 3
    assert all(name.startswith(".a.") and name.endswith(".part") for name in names)


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(RowError, match="of the work"):
        fill_half(tmp_path / "a")
    assert left_in(tmp_path) == []
    with new_folder(tmp_path / "a") as work:
        (work / "whole").write_text("x")
        assert not (tmp_path / "a").exists()
    assert left_in(tmp_path / "a") == ["whole"]
    with pytest.raises(FolderError, match="not empty"), new_folder(tmp_path / "a"):
        pass
    with new_folder(tmp_path / "a", force=True) as work:
        (work / "other").write_text("x")
    assert left_in(tmp_path / "a") == ["other"]
    assert left_in(tmp_path) == ["a"]


def test_an_output_that_is_an_input_or_another_output_is_refused(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("kept")
    check_apart([other, None, "-"], [one, "-", None])
    with pytest.raises(FolderError, match="input of the same run"):
        check_apart([tmp_path / "." / "one"], [one])
    with pytest.raises(FolderError, match="output of the same run"):
        check_apart([other, other], [one])
