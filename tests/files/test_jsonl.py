"""One rule for every file of JSON lines."""

from __future__ import annotations

import io
import math
import re
from pathlib import Path

import pytest

from draw_dataset.errors import RowError, ScoreError
from draw_dataset.io.jsonl import MAX_LINE, MAX_NESTING, json_line, read_json_lines, write_json_lines


def rows(path: Path) -> list[dict[str, object]]:
    return [line.value for line in read_json_lines(path)]


def test_marks_line_ends_and_blank_lines_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": 1}\r\n\r\n  \n{"id": 2}')
    found = list(read_json_lines(path))
    assert [(line.number, line.value) for line in found] == [(1, {"id": 1}), (4, {"id": 2})]
    with path.open("rb") as file:
        file.seek(found[1].start)
        assert file.read() == b'{"id": 2}'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", r"line 2: .*JSON"),
        (b"[1]", r"line 2: .*JSON.*\[1\]"),
        (b'{"a": 1, "a": 2}', r"line 2: .*JSON.*'a'"),
        (b'{"x": [{"a": 1, "a": 1}]}', "line 2: .*twice in the same object"),
        (b'{"a": "\xff"}', r"line 2: .*JSON.*UTF-8.*8"),
        (b'{"a":' + b"[" * 200_000 + b"}", "line 2: .*(nested|Expecting)"),
        (b'{"a":' + b"[" * (MAX_NESTING + 1) + b"]" * (MAX_NESTING + 1) + b"}", "line 2: .*nested at most"),
        (b'{"a": "' + b"x" * MAX_LINE + b'"}', "line 2: "),
    ],
    ids=["cut", "list", "twice", "twice-inside", "bytes", "deep", "rather-deep", "long"],
)
def test_a_bad_line_is_named(tmp_path: Path, line: bytes, message: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(b'{"id": 1}\n' + line + b"\n")
    with pytest.raises(RowError, match=f"bad.jsonl, {message}"):
        rows(path)
    with pytest.raises(ScoreError):
        list(read_json_lines(path, error=ScoreError))


def test_a_last_line_without_its_end_may_be_half_of_one(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"id": 1}\n{"id": 2, "te')
    with pytest.raises(RowError, match="line 2") as cut:
        rows(path)
    path.write_bytes(b'{"id": 1}\n{"id": 2, "te\n')
    with pytest.raises(RowError, match="line 2") as wrong:
        rows(path)
    assert str(cut.value) != str(wrong.value)
    path.write_bytes(b'{"id": 1, "te\n')
    with pytest.raises(RowError) as caught:
        rows(path)
    assert "cut off" not in str(caught.value)


def test_the_deepest_nesting_admitted_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a":' + b"[" * (MAX_NESTING - 1) + b"]" * (MAX_NESTING - 1) + b"}")
    assert len(rows(path)) == 1


def test_numbers_longer_than_python_reads_become_infinities(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"a": {"9" * 5000}, "b": -{"9" * 5000}, "c": {"9" * 400}}}')
    assert rows(path) == [{"a": math.inf, "b": -math.inf, "c": int("9" * 400)}]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RowError, match=r"no\.jsonl"):
        rows(tmp_path / "no.jsonl")
    with pytest.raises(RowError, match=re.escape(str(tmp_path))):
        rows(tmp_path)


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(b'{"id": 1}\n{')

    monkeypatch.setattr("sys.stdin", Stdin)
    lines = read_json_lines("-")
    assert next(lines).value == {"id": 1}
    with pytest.raises(RowError, match="standard input, line 2"):
        next(lines)


def test_what_is_written_is_read_again_surrogates_included(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    values = [{"id": 1, "text": "½ \u2028 x"}, {"id": 2, "text": "\ud800"}, {"id": 3, "text": "\n"}]
    write_json_lines(path, values)
    assert rows(path) == values
    assert path.read_bytes().count(b"\n") == 3


def test_a_line_has_one_form() -> None:
    assert json_line({"a": [1, 2.5], "b": "é"}) == '{"a": [1, 2.5], "b": "é"}\n'
