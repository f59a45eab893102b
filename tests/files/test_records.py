"""Records of files: hostile tables, archives and compressed files, and what memory they may take."""

from __future__ import annotations

import csv
import gzip
import io
import json
import struct
import sys
import time
import tracemalloc
import zipfile
import zlib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draw_dataset.errors import ExtraMissing, ScoreError
from draw_dataset.io import inflate as inflating
from draw_dataset.io.inflate import MAX_MEMBER, archive_members, inflate
from draw_dataset.io.jsonl import MAX_LINE
from draw_dataset.io.records import Broken, csv_records, open_records


def read(path: Path) -> tuple[str, list[Any]]:
    with open_records(path, error=ScoreError, nesting=500) as records:
        return records.kind, [item.value for item in records.items]


def refused(path: Path) -> str:
    with pytest.raises(ScoreError) as error, open_records(path, error=ScoreError, nesting=500) as records:
        list(records.items)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)
    return str(error.value)


def zstd(content: bytes) -> bytes:
    module = inflating._zstd_module()
    return bytes(module.compress(content))


# Kinds


@pytest.mark.parametrize(
    ("name", "content", "kind", "values"),
    [
        ("a", b'{"id": 1}\n{"id": 2}\n', "lines", [{"id": 1}, {"id": 2}]),
        ("a", b'\xef\xbb\xbf\n{"id": 1}', "document", [{"id": 1}]),
        ("a", b'\n\n [\n{"id": 1},\n{"id": 2}]', "objects", [{"id": 1}, {"id": 2}]),
        ("a", b'{\n"id": 1}\n{"id":\n2}', "objects", [{"id": 1}, {"id": 2}]),
        ("a", b'{\n"7": "x"}', "document", [{"7": "x"}]),
        ("a", b'["x", null]', "texts", ["x", None]),
        ("a", b"[]", "objects", []),
        ("a", b"", "lines", []),
        ("a.txt", b"x = 1\r\n\r\n{y}\n", "texts", ["x = 1", "", "{y}"]),
        ("a.txt", b"\nx\n\n", "texts", ["", "x", ""]),
        ("a.txt", b"[5] apples\n", "texts", ["[5] apples"]),
        ("a.txt", b'{"id": 1}\n{"id": 2}', "lines", [{"id": 1}, {"id": 2}]),
        ("a.csv", b'\xef\xbb\xbfid,text\n1,"a\nb"\n\n2,\xc3\xa9\n', "table",
         [{"id": "1", "text": "a\nb"}, {"id": "2", "text": "é"}]),
        ("a.CSV", b"id;text\n1;a,b\n", "table", [{"id": "1", "text": "a,b"}]),
        ("a.csv", b"id\ttext\n1\ta\n", "table", [{"id": "1", "text": "a"}]),
        ("a.csv", b"text\nx\n", "table", [{"text": "x"}]),
        ("a.csv", b"", "table", []),
    ],
)  # fmt: skip
def test_a_file_is_of_a_kind(name: str, content: bytes, kind: str, values: list[Any], tmp_path: Path) -> None:
    for ending, packed in (("", content), (".gz", gzip.compress(content)), (".zst", zstd(content))):
        path = tmp_path / f"{name}{ending}"
        path.write_bytes(packed)
        assert read(path) == (kind, values)


@given(st.lists(st.lists(st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"])), min_size=2,
                         max_size=2), max_size=5), st.sampled_from(",;\t"))  # fmt: skip
def test_tables_are_read_as_they_were_written(rows: list[list[str]], delimiter: str) -> None:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerows([["id", "text"], *rows])
    found = [row for _, row in csv_records(io.BytesIO(out.getvalue().encode()), "a.csv", delimiter=None)]
    assert found == [dict(zip(("id", "text"), row, strict=True)) for row in rows]


# Damage


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.gz", gzip.compress(b"x" * 1000, mtime=0)[:20], "cannot decompress it"),
        ("a.gz", b"\x1f\x8b" + b"\0" * 40, "cannot decompress it"),
        ("a.gz", gzip.compress(b'{"id": 1}', mtime=0)[:-8] + b"\1" * 8, "cannot decompress it: CRC"),
        ("a.zst", zstd(bytes(range(256)) * 9)[:-30], "cannot decompress it"),
        ("a.zst", b"\x28\xb5\x2f\xfd" + b"\xff" * 40, "cannot decompress it"),
        ("a.parquet", b"PAR1" + b"\0" * 60 + b"PAR1", "cannot read this Parquet file"),
        ("a.eval", b"PK\3\4" + b"\0" * 90, "cannot read this zip archive"),
        ("a.csv", b"id,id\n1,2\n", "line 1: expected different columns, but got 'id' twice"),
        ("a.csv", b"id,text\n1\n", "line 2: expected 2 fields, but got 1"),
        ("a.csv", b"id,text\n1,\xff\n", "line 2: bytes that are not UTF-8"),
        ("a.csv", b'id,text\n1,"x\n', "line 2: "),
        ("a.txt", b"x\n\xff\n", "line 2: expected UTF-8"),
        ("a.json", b'{"id": 1', "line 1: expected JSON, but got "),
        ("a.json", b'{\n"id": 1,\n', "line 1: expected JSON, but got "),
        ("a.json", b'{\n"id": 1}\n[2]', "line 3: expected a JSON object, but got [2]"),
        ("a.json", b'["x", {"id": 1}]', "line 1: expected a string as before, but got {'id': 1}"),
        ("a.json", b'{"a": 1}\n["x"]\n', "line 2: expected a JSON object, but got ['x']"),
        ("a.json", b"{" + b'"a": {' * 5000 + b"\n", "line 1: expected JSON, but got "),
        (
            "a.json",
            b'{"a":\n' + b"[" * 600 + b"]" * 600 + b"}",
            "line 1: expected lists and objects nested at most 500",
        ),
    ],
)
def test_damage_is_named(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert message in refused(path)


def archive(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


def test_an_archive_that_is_no_log_is_refused(tmp_path: Path) -> None:
    assert "no log of inspect-ai" in refused(archive(tmp_path / "a.xlsx", {"xl/workbook.xml": b"<a/>"}))
    assert "no log of inspect-ai" in refused(archive(tmp_path / "b.zip", {"../../etc/x.json": b"{}"}))
    path = archive(tmp_path / "c.eval", {"header.json": b"{}", "samples/1_epoch_1.json": b"[]"})
    assert "samples/1_epoch_1.json: expected a sample" in refused(path)
    path = archive(tmp_path / "d.eval", {"samples/1.json": b"{" * 9})
    assert "samples/1.json: expected JSON" in refused(path)
    assert read(archive(tmp_path / "e.eval", {"header.json": b"{}"})) == ("archive", [])


def test_names_in_an_archive_are_only_names(tmp_path: Path) -> None:
    members = {"samples/../../../x_epoch_1.json": b'{"id": 1}', "/samples/y.json": b'{"id": 2}', "samples/z.txt": b"no"}
    assert read(archive(tmp_path / "a.eval", members)) == ("archive", [{"id": 1}])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.eval"]


def test_members_that_are_encrypted_or_packed_in_another_way_are_refused(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.eval", {"samples/1.json": b"{}"}, zipfile.ZIP_BZIP2)
    assert "expected a member that is stored, deflated or Zstandard" in refused(path)
    path = archive(tmp_path / "b.eval", {"samples/1.json": b"{}"}, zipfile.ZIP_STORED)
    content = bytearray(path.read_bytes())
    directory = content.index(b"PK\1\2")
    content[directory + 8] |= 1
    path.write_bytes(content)
    assert "not encrypted" in refused(path)


def test_members_packed_with_zstandard_are_read(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.eval", {"samples/1.json": b'{"id": 1, "output": {}}'}, zipfile.ZIP_STORED)
    plain = path.read_bytes()
    content, packed = b'{"id": 1, "output": {}}', zstd(b'{"id": 1, "output": {}}')
    at, directory, end = plain.index(content), plain.index(b"PK\1\2"), plain.index(b"PK\5\6")
    head, entry, tail = bytearray(plain[:at]), bytearray(plain[directory:end]), bytearray(plain[end:])
    for header, offset in ((head, 8), (entry, 10)):
        header[offset : offset + 2] = struct.pack("<H", 93)
        header[offset + 10 : offset + 14] = struct.pack("<I", len(packed))
    tail[16:20] = struct.pack("<I", at + len(packed))
    path.write_bytes(head + packed + entry + tail)
    assert read(path) == ("archive", [{"id": 1, "output": {}}])


# Bombs


def gzip_bomb(count: int) -> bytes:
    """Return blank lines of so many megabytes, packed as tightly as gzip can."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    line = b" " * ((1 << 20) - 1) + b"\n"
    return b"".join([*(packer.compress(line) for _ in range(count)), packer.flush()])


@pytest.fixture
def _small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inflating, "FREE", 1 << 22)
    monkeypatch.setattr(inflating, "MAX_MEMBER", 1 << 21)


@pytest.mark.usefixtures("_small_limits")
@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl.zst", "a.csv.gz", "a.txt.gz"])
def test_bombs_are_refused_before_they_are_inflated(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(gzip_bomb(40) if name.endswith(".gz") else zstd((b" " * 999 + b"\n") * 40_000))
    tracemalloc.start()
    assert "or 200 times its size, but got more" in refused(path)
    assert tracemalloc.get_traced_memory()[1] < 60 << 20
    tracemalloc.stop()


@pytest.mark.usefixtures("_small_limits")
def test_archives_of_bombs_are_refused(tmp_path: Path) -> None:
    one = archive(tmp_path / "a.eval", {"samples/1.json": b" " * (3 << 20)})
    assert "samples/1.json: expected at most 2097152 bytes" in refused(one)
    many = archive(tmp_path / "b.eval", {f"samples/{at}.json": b"{}" + b" " * (1 << 20) for at in range(9)})
    assert "or 200 times its size" in refused(many)


def test_an_archive_with_a_huge_directory_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(inflating, "MAX_DIRECTORY", 1 << 10)
    path = archive(tmp_path / "a.eval", {f"samples/{at}.json": b"{}" for at in range(40)}, zipfile.ZIP_STORED)
    assert "expected a zip archive with a directory of at most 1024 bytes" in refused(path)


def test_a_large_file_that_shrinks_little_is_read(tmp_path: Path) -> None:
    lines = b"".join(b'{"id": %d, "answer": "x = %d"}\n' % (at, at * 7919 % 10**9) for at in range(60_000))
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(lines))
    with open_records(path, error=ScoreError) as records:
        assert sum(1 for _ in records.items) == 60_000
    assert MAX_MEMBER > MAX_LINE


def test_a_row_that_never_ends_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("draw_dataset.io.records.MAX_LINE", 1 << 16)
    for content in (b'id,text\n1,"' + b"x\n" * (1 << 16), b'id,text\n1,"' + b'x\n","' * (1 << 15)):
        found = [row for _, row in csv_records(io.BytesIO(content), "a.csv")]
        assert isinstance(found[0], Broken)
        assert "is a quote open?" in found[0].message


def test_lines_are_read_one_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        b'{"id": 1, "answer": "' + b"x" * 10_000 + b'"}\n' + (b'{"id": 2, "answer": "' + b"y" * 500 + b'"}\n') * 20_000
    )
    tracemalloc.start()
    with open_records(path, error=ScoreError) as records:
        assert sum(1 for _ in records.items) == 20_001
    assert tracemalloc.get_traced_memory()[1] < 3 << 20  # the file has 10 MB
    tracemalloc.stop()


# Libraries that are missing


def test_missing_libraries_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.zst"
    path.write_bytes(zstd(b'{"id": 1}'))
    for name in ("compression.zstd", "backports.zstd", "pyarrow.parquet", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ExtraMissing, match=r"backports\.zstd: pip install 'draw-dataset\[zstd\]'"):
        read(path)
    (tmp_path / "b").write_bytes(b"PAR1PAR1")
    with pytest.raises(ExtraMissing, match="Parquet needs pyarrow"):
        read(tmp_path / "b")
    (tmp_path / "c.gz").write_bytes(gzip.compress(b'{"id": 1}'))
    assert read(tmp_path / "c.gz")[1] == [{"id": 1}]


def test_nothing_is_imported_for_lines() -> None:
    import subprocess

    code = (
        "import sys, tempfile, os; from draw_dataset.io.records import open_records\n"
        "from draw_dataset.errors import ScoreError\n"
        "path = os.path.join(tempfile.mkdtemp(), 'a'); open(path, 'w').write('{}')\n"
        "with open_records(path, error=ScoreError) as records: list(records.items)\n"
        "print([name for name in ('pyarrow', 'numpy', 'backports.zstd', 'pandas') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_file_that_cannot_be_peeked_or_sought_is_read() -> None:
    class Pipe:
        def __init__(self, content: bytes) -> None:
            self.rest = content

        def read(self, most: int) -> bytes:
            piece, self.rest = self.rest[:most], self.rest[most:]
            return piece

    source, is_packed = inflate(Pipe(gzip.compress(b"x\n" * 9)), "a", ScoreError)  # type: ignore[arg-type]
    assert is_packed
    assert source.read() == b"x\n" * 9
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        file.writestr("samples/1.json", json.dumps({"id": 1}))
    members = archive_members(content, len(content.getvalue()), "a", ScoreError, str.isprintable)
    assert list(members) == [("samples/1.json", b'{"id": 1}')]
    assert import_module("zipfile") is zipfile


def test_many_objects_on_many_lines_take_time_in_proportion(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'{\n"id": 1}\n' * 200_000)
    started = time.process_time()
    assert len(read(path)[1]) == 200_000
    path.write_bytes(b"{" + b", ".join(b'"%d": 0' % at for at in range(200_000)) + b', "7": 0}')
    assert "the key '7' twice in the same object" in refused(path)
    assert time.process_time() - started < 20
