"""Files that are not stores, or damaged, or of a later version, and full disks."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from annotation.simulated import TIES, annotate

from draw_dataset.annotate.decisions import StoredProblem
from draw_dataset.annotate.store import SCHEMA, Store
from draw_dataset.errors import StoreError
from draw_dataset.io.sqlite import APPLICATION_ID


def closed(store: Store) -> Path:
    store.close()
    return store.path


def test_a_store_that_is_not_there_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"none\.db.*draw annotate import"):
        Store.open(tmp_path / "none.db")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(StoreError, match=r"none\.db"):
        Store.open(tmp_path / "no" / "none.db", create=True)
    with pytest.raises(StoreError, match="Is a directory"):
        Store.open(tmp_path, create=True)


@pytest.mark.parametrize(
    "content", [b"id,question\n1,2\n", b"SQLite", b"\0" * 4096, b"SQLite format 3\0" + b"x" * 5000]
)
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "work.db"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"work\.db: "):
        Store.open(path, create=True)
    assert path.read_bytes() == content


def test_an_empty_file_is_a_store_only_to_be_made(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    path.touch()
    with pytest.raises(StoreError, match=r"work\.db: "):
        Store.open(path)
    with Store.open(path, create=True) as store:
        assert store.problems() == []


def test_a_database_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    for statement in ("CREATE TABLE theirs (a)", "PRAGMA application_id = 77"):
        connection = sqlite3.connect(path)
        connection.execute(statement)
        connection.commit()
        connection.close()
        before = path.read_bytes()
        with pytest.raises(StoreError, match=path.name):
            Store.open(path, create=True)
        assert path.read_bytes() == before


def test_a_store_of_a_later_version_is_refused_and_left_alone(store: Store) -> None:
    path = closed(store)
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=rf"\b{SCHEMA + 1}\b.*\b{SCHEMA}\b"):
        Store.open(path)
    assert path.read_bytes() == before


def test_half_a_file_is_refused(store: Store) -> None:
    annotate(store, 7, "Ann", {0: [0, 0]})
    path = closed(store)
    whole = path.read_bytes()
    for share in (0.01, 0.3, 0.5, 0.9):
        path.write_bytes(whole[: int(len(whole) * share)])
        with pytest.raises(StoreError, match=r"damaged|something else"):
            Store.open(path)
    path.write_bytes(whole)
    with Store.open(path) as again:
        assert again.work(7, "Ann").submitted


def test_a_damaged_page_is_found_when_the_store_is_opened(store: Store) -> None:
    path = closed(store)
    broken = bytearray(path.read_bytes())
    broken[4096 * 3 : 4096 * 3 + 200] = os.urandom(200)
    path.write_bytes(broken)
    with pytest.raises(StoreError, match=path.name):
        Store.open(path)


def test_the_file_carries_our_number_and_survives_power_loss_by_its_settings(store: Store) -> None:
    asked = {
        name: store._connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("application_id", "user_version", "journal_mode", "synchronous", "foreign_keys")
    }
    assert asked == {
        "application_id": APPLICATION_ID, "user_version": SCHEMA, "journal_mode": "wal", "synchronous": 2,
        "foreign_keys": 1,
    }  # fmt: skip


def turn_over(store: Store) -> None:
    """Flag the problem, or reopen it: a decision that always fits."""
    if store.work(7, "Ann").flagged is None:
        store.decide(7, "Ann", "flag", {"why": "w" * 900})
    else:
        store.decide(7, "Ann", "reopen")


def test_a_full_database_refuses_a_decision_and_keeps_all_others(store: Store) -> None:
    (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    confirmed = 0
    refused = ""
    while not refused and confirmed < 1_000:
        try:
            turn_over(store)
        except StoreError as error:
            refused = str(error)
        else:
            confirmed += 1
    assert refused
    assert len(store.history(7, "Ann")) == confirmed
    store._connection.execute("PRAGMA max_page_count = 100000")
    turn_over(store)
    assert len(store.history(7, "Ann")) == confirmed + 1


DECIDE_UNTIL_REFUSED = """
import sys
from draw_dataset.annotate.store import Store
from draw_dataset.annotate.decisions import StoredProblem
from draw_dataset.errors import StoreError
from draw_dataset.io.sqlite import APPLICATION_ID
{before}
store = Store.open(sys.argv[1])
confirmed = len(store.history(7, "Ann"))
refused = None
try:
    for _ in range(5000):
        flagged = store.work(7, "Ann").flagged is not None
        store.decide(7, "Ann", "reopen" if flagged else "flag", None if flagged else {{"why": "w" * 900}})
        confirmed += 1
except StoreError as error:
    refused = str(error)
{after}
print(confirmed, len(store.history(7, "Ann")), refused, sep="|")
"""


def decided_until_refused(
    path: Path, before: str, after: str = "", prefix: tuple[str, ...] = ()
) -> tuple[int, int, str]:
    code = DECIDE_UNTIL_REFUSED.format(before=before, after=after)
    done = subprocess.run([*prefix, sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    confirmed, there, refused = done.stdout.strip().split("|", 2)
    return int(confirmed), int(there), refused


def test_a_file_that_may_not_grow_refuses_a_decision_and_keeps_all_others(store: Store) -> None:
    path = closed(store)
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))"
    confirmed, there, refused = decided_until_refused(path, limit)
    assert 0 < confirmed == there
    assert refused
    with Store.open(path) as again:
        assert len(again.history(7, "Ann")) == confirmed
        again.decide(7, "Ann", "undo")


MOUNT = ("unshare", "--map-root-user", "--mount")


def can_mount() -> bool:
    """Whether this machine lets us have a small disk of our own."""
    if shutil.which("unshare") is None:
        return False
    trial = [*MOUNT, "sh", "-c", "mount -t tmpfs -o size=64k tmpfs /mnt"]
    return subprocess.run(trial, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not can_mount(), reason="this machine does not let us mount a small disk")
def test_a_full_disk_refuses_a_decision_keeps_all_others_and_goes_on_when_there_is_room(
    store: Store, tmp_path: Path
) -> None:
    path = closed(store)
    disk = tmp_path / "disk"
    disk.mkdir()
    script = f'mount -t tmpfs -o size=400k tmpfs {disk} && cp {path} {disk}/work.db && exec "$@"'
    after = f"""
import subprocess
subprocess.run(["mount", "-o", "remount,size=4m", "{disk}"], check=True)
store.decide(7, "Ann", "undo")
confirmed += 1
store.close()
store = Store.open(sys.argv[1])
"""
    confirmed, there, refused = decided_until_refused(disk / "work.db", "", after, (*MOUNT, "sh", "-c", script, "sh"))
    assert 1 < confirmed == there
    assert "disk is full" in refused


@pytest.mark.skipif(not can_mount(), reason="this machine does not let us mount a disk")
def test_a_store_on_a_disk_that_may_not_be_written_is_refused(store: Store) -> None:
    path = closed(store)
    folder = path.parent
    script = f'mount --bind {folder} {folder} && mount -o remount,ro,bind {folder} && exec "$@"'
    code = "import sys; from draw_dataset.cli import main; sys.exit(main(['annotate', *sys.argv[1:]]))"
    command = [*MOUNT, "sh", "-c", script, "sh", sys.executable, "-c", code, "import", "sample", "--store", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "draw annotate import: " in done.stderr
    assert "writable" in done.stderr


def test_an_import_that_does_not_fit_on_the_disk_leaves_the_store_as_it_was(store: Store) -> None:
    (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
    store._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    long = [StoredProblem(100 + i, f"{TIES.question} {'word ' * 900}", TIES.equations) for i in range(50)]
    with pytest.raises(StoreError, match="the disk is full"):
        store.add_problems(long)
    assert len(store.problems()) == 2
