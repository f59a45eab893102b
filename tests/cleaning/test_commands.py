"""From stored pages to a sample for annotation, by the scripts, with good and bad input."""

from __future__ import annotations

import importlib.util
import json
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cleaning.stand_in import fill_ledger, pages_of, site_of
from prose.outcomes import known_systems, same_form

from draw_dataset import solve
from draw_dataset.collect.filters import Funnel
from draw_dataset.collect.pool import draw_sample
from draw_dataset.collect.record import Record
from draw_dataset.errors import RowError
from draw_dataset.io.jsonl import read_json_lines
from draw_dataset.text.edits import Change, apply_changes

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
SITE = site_of(400, 3)
FEW = 60


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


clean_problems = script("clean_problems")
sample_problems = script("sample_problems")


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("crawl") / "crawl.sqlite"
    fill_ledger(path, pages_of(SITE))
    return path


@pytest.fixture(scope="module")
def pool(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pool")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DRAW_RELEASE_DIR", raising=False)
        assert clean_problems.main([str(ledger), "--out", str(folder), "--quiet"]) == 0
    return folder


@pytest.fixture(scope="module")
def small_ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("small") / "crawl.sqlite"
    fill_ledger(path, pages_of(SITE)[:FEW])
    return path


def lines(path: Path) -> list[dict[str, Any]]:
    return [line.value for line in read_json_lines(path)]


def test_the_equations_of_sampled_problems_are_those_that_the_stand_in_knows(pool: Path, tmp_path: Path) -> None:
    out = tmp_path / "sample.jsonl"
    assert sample_problems.main([str(pool), "--out", str(out), "--count", "100000"]) == 0
    rows = lines(out)
    assert len(rows) > 200
    misses = [
        (row["id"], row["equations"])
        for row in rows
        if not any(same_form(row["equations"], known) for known in known_systems(SITE.questions[row["id"]]))
    ]
    assert len(misses) <= 0.05 * len(rows), misses
    for row in rows:
        assert row["solutions"] == [float(v) for _, v in sorted(solve(row["equations"]).values.items())]
        source = row["source"]
        assert apply_changes(source["posted"], map(Change.from_json, source["changes"])).strip() == row["question"]
        assert SITE.questions[row["id"]].usable or SITE.questions[row["id"]].trap == "duplicate"


def test_nearly_all_usable_problems_are_kept(pool: Path) -> None:
    kept = {row["id"] for row in lines(pool / "problems.jsonl")}
    repeated = {row["id"] for row in lines(pool / "dropped.jsonl") if row["dropped_by"] == "duplicate"}
    usable = {number for number in SITE.stored if SITE.questions[number].usable}
    lost = usable - kept - repeated
    assert len(lost) <= 0.05 * len(usable), sorted(lost)


def test_every_page_is_kept_or_dropped_with_a_reason(pool: Path) -> None:
    kept, dropped = lines(pool / "problems.jsonl"), lines(pool / "dropped.jsonl")
    assert sorted(row["id"] for row in kept + dropped) == SITE.stored
    assert all(row["equations"] and not row["dropped_by"] for row in kept)
    assert all(row["dropped_by"] and row["why"] for row in dropped)
    counts = json.loads((pool / "funnel.json").read_text(encoding="utf-8"))
    assert counts["steps"]["crawled"] == len(SITE.stored)
    assert counts["steps"]["deduplicated"] == len(kept)
    assert sum(counts["dropped"].values()) == len(dropped)
    assert counts["paper"] == {"crawled": "100k", "with x": "12k", "sampled": "1,000"}
    assert "not compared with Draw-1k" in counts["notes"][0]
    assert [Record.from_json(row).to_json() for row in kept] == kept


def test_cleaning_again_gives_the_same_bytes(
    small_ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DRAW_RELEASE_DIR", raising=False)
    written = []
    for _ in range(2):
        assert clean_problems.main([str(small_ledger), "--out", str(tmp_path), "--quiet"]) == 0
        written.append({path.name: path.read_bytes() for path in tmp_path.iterdir()})
    assert written[0] == written[1]
    assert sorted(written[0]) == ["dropped.jsonl", "funnel.json", "problems.jsonl"]


def test_dropped_problems_come_back_by_their_ids(
    small_ledger: Path, pool: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DRAW_RELEASE_DIR", raising=False)
    ids = [row["id"] for row in lines(pool / "dropped.jsonl") if row["id"] in SITE.stored[:FEW]][:3]
    (tmp_path / "ids.txt").write_text("\n".join(map(str, ids)), encoding="utf-8")
    arguments = [str(small_ledger), "--out", str(tmp_path), "--quiet", "--restore", f"@{tmp_path / 'ids.txt'}"]
    assert clean_problems.main(arguments) == 0
    back = {row["id"]: row for row in lines(tmp_path / "problems.jsonl") if row["restored_from"]}
    assert sorted(back) == sorted(ids)


def test_the_draw_is_repeated_by_its_seed_alone(pool: Path, tmp_path: Path) -> None:
    drawn = {}
    for name, more in {
        "one": ["--seed", "1"], "again": ["--seed", "1"], "two": ["--seed", "2"],
        "topics": ["--seed", "1", "--by-topic"],
    }.items():  # fmt: skip
        out = tmp_path / f"{name}.jsonl"
        assert sample_problems.main([str(pool), "--out", str(out), "--count", "50", *more]) == 0
        drawn[name] = out.read_bytes()
        assert len(lines(out)) == 50
    assert drawn["one"] == drawn["again"] != drawn["two"]


def test_the_draw_does_not_depend_on_the_order_of_the_pool_and_topics_get_their_share() -> None:
    records = [Record(i, "", "age" if i % 4 else "coins", f"text {i}") for i in range(200)]
    assert draw_sample(records, 20, 5) == draw_sample(records[::-1], 20, 5)
    topics = [record.topic for record in draw_sample(records, 40, 5, by_topic=True)]
    assert (topics.count("age"), topics.count("coins")) == (30, 10)
    assert draw_sample(records, 500) == records


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_the_funnel_is_printed_and_drawn(
    pool: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], suffix: str
) -> None:
    plot = tmp_path / f"funnel{suffix}"
    assert sample_problems.main([str(pool), "--out", str(tmp_path / "s"), "--count", "10", "--plot", str(plot)]) == 0
    table = capsys.readouterr().out
    assert [line.split()[0] for line in table.splitlines()[1:4]] == ["crawled", "parsed", "questions"]
    assert "12k" in table
    first = plot.read_bytes()
    assert len(first) > 2000
    sample_problems.main([str(pool), "--out", str(tmp_path / "s"), "--count", "10", "--plot", str(plot), "--json"])
    assert json.loads(capsys.readouterr().out)["steps"]["sampled"] == 10
    assert plot.read_bytes() == first


def test_a_sample_goes_where_it_is_sent(pool: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain, target, link, pipe = (tmp_path / name for name in ("plain", "target", "link", "pipe"))
    link.symlink_to(target)
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    mask = os.umask(0o027)
    try:
        for out in (plain, link, pipe):
            assert sample_problems.main([str(pool), "--out", str(out), "--count", "5"]) == 0
    finally:
        os.umask(mask)
    reader.join(10)
    capsys.readouterr()
    assert sample_problems.main([str(pool), "--out", "-", "--count", "5", "--json"]) == 0
    printed, told = capsys.readouterr()
    assert plain.read_bytes() == target.read_bytes() == got[0] == printed.encode()
    assert json.loads(told)["steps"]["sampled"] == 5
    assert stat.S_IMODE(plain.stat().st_mode) == 0o640
    assert link.is_symlink()
    assert pipe.is_fifo()


def test_files_are_there_though_nobody_reads_what_is_printed(small_ledger: Path, tmp_path: Path) -> None:
    """As with ``| head -0``: the reader has gone before the first line."""

    def run(*arguments: object) -> None:
        reader, writer = os.pipe()
        os.close(reader)
        buffered = {name: value for name, value in os.environ.items() if name not in ("PYTHONUNBUFFERED",)}
        command = [sys.executable, "-m", "draw_dataset.cli", *map(str, arguments)]
        done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=120, env=buffered)
        os.close(writer)
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
        assert "BrokenPipe" not in done.stderr

    run("clean", small_ledger, "--out", tmp_path / "pool", "--quiet")
    sample = ("sample", tmp_path / "pool", "--count", 5)
    run(*sample, "--out", tmp_path / "sample.jsonl", "--plot", tmp_path / "funnel.svg")
    run(*sample, "--out", "-", "--plot", tmp_path / "again.svg")
    run("crawl", "--ledger", small_ledger, "--status")
    assert len(lines(tmp_path / "sample.jsonl")) == 5
    assert (tmp_path / "funnel.svg").read_bytes() == (tmp_path / "again.svg").read_bytes()


def test_a_damaged_page_is_passed_over_and_named(
    small_ledger: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DRAW_RELEASE_DIR", raising=False)
    copy = tmp_path / "copy.sqlite"
    with sqlite3.connect(small_ledger) as source, sqlite3.connect(copy) as target:
        source.backup(target)
    victims = SITE.stored[3], SITE.stored[FEW - 1]
    with sqlite3.connect(copy) as connection:
        for number in victims:
            connection.execute("UPDATE bodies SET body = x'00' WHERE id = ?", (number,))
    connection.close()
    assert clean_problems.main([str(copy), "--out", str(tmp_path / "pool"), "--quiet", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["steps"]["crawled"] == FEW - 2
    assert all(f"question {number}" in said.err for number in victims)


@pytest.mark.parametrize("what", ["missing", "no ledger", "newer"])
def test_a_bad_ledger_is_refused_and_nothing_is_written(
    ledger: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    path = tmp_path / "bad.sqlite"
    if what == "no ledger":
        path.write_bytes(b"something else" * 100)
    if what == "newer":
        with sqlite3.connect(ledger) as source, sqlite3.connect(path) as target:
            source.backup(target)
            target.execute("PRAGMA user_version = 99")
    out = tmp_path / "pool"
    assert clean_problems.main([str(path), "--out", str(out), "--quiet"]) == 2
    assert str(path) in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(("arguments", "message"), [
    (["--restore", "12,x"], "expected ids of questions, but got 'x'"),
    (["--restore", "@/nowhere/ids"], "/nowhere/ids: file not found"), (["--release", "/nowhere"], "/nowhere"),
])  # fmt: skip
def test_bad_arguments_are_refused(
    ledger: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert clean_problems.main([str(ledger), "--out", str(tmp_path / "p"), "--quiet", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_half_a_pool_is_refused_with_the_line(pool: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "funnel.json").write_bytes((pool / "funnel.json").read_bytes())
    whole = (pool / "problems.jsonl").read_bytes()
    (tmp_path / "problems.jsonl").write_bytes(whole[: whole.index(b"\n") + 50])
    out = tmp_path / "sample.jsonl"
    assert sample_problems.main([str(tmp_path), "--out", str(out)]) == 2
    assert "line 2: " in capsys.readouterr().err
    assert not out.exists()
    (tmp_path / "problems.jsonl").write_bytes(whole[: whole.index(b"\n") + 1])
    assert sample_problems.main([str(tmp_path), "--out", str(out)]) == 2
    assert "of different runs" in capsys.readouterr().err
    (tmp_path / "funnel.json").write_text("[]", encoding="utf-8")
    assert sample_problems.main([str(tmp_path), "--out", str(out)]) == 2
    assert sample_problems.main([str(tmp_path / "nowhere"), "--out", str(out)]) == 2
    assert sample_problems.main([str(pool), "--out", str(out), "--count", "0"]) == 2
    assert sample_problems.main([str(pool), "--out", str(out), "--plot", str(tmp_path / "p.gif")]) == 2


def test_records_and_funnels_of_another_shape_are_refused() -> None:
    for data in (
        {},
        {"id": "1", "posted": ""},
        {"id": 1, "posted": "", "changes": [{}]},
        {"id": 1, "posted": "", "solutions": 5},
    ):
        with pytest.raises(RowError):
            Record.from_json(data)
    funnel = Funnel(10, {"no-x": 2}, {"known": 1}, 5, ["a note"])
    assert Funnel.from_json(funnel.to_json()) == funnel
    with pytest.raises(RowError):
        Funnel.from_json({"steps": 5})
