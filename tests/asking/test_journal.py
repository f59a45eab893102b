"""The file of responses: a file that is no journal of this run stays as it is, byte for byte."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from asking.bad_server import BadServer, reply
from harnesses.stand_in import Models, StandIn

from draw_dataset.adapters.common import rows_of
from draw_dataset.asking.session import Journal
from draw_dataset.cli import main
from draw_dataset.errors import AskError, JournalError
from draw_dataset.io.jsonl import MAX_LINE

ROWS = rows_of("sample/test")
REQUEST = {"model": "größer", "temperature": 0.0}
PROMPTS: dict[int | str, str] = {91: "a" * 16, "x/ü": "b" * 16}


@pytest.fixture
def server() -> Iterator[StandIn]:
    with StandIn(Models(ROWS)) as made:
        yield made


def run(server: StandIn | BadServer, out: Path, *further: str) -> int:
    return main(["evaluate-model", "--base-url", server.url, "--model", "oracle", "--out", str(out), "--references",
                 "sample/test", "--limit", "2", "--concurrency", "1", *further])  # fmt: skip


def opened(path: Path) -> Journal:
    return Journal(path, REQUEST, PROMPTS)


def stored(path: Path, count: int = 2) -> bytes:
    """Make a journal of some lines and return its bytes."""
    with opened(path) as journal:
        for id_ in list(PROMPTS)[:count]:
            journal.store({(id_, 0): {"answer": "m = q1"}})
    return path.read_bytes()


FOREIGN = {
    "text": b"dear diary\nnothing happened",
    "text of one line": b"dear diary",
    "text with a line end": b"dear diary\n",
    "predictions": b'{"id": 91, "prediction": "m = q1"}\n{"id": 95, "prediction": null}\n',
    "predictions, the last without its line end": b'{"id": 91, "answer": "a"}\n{"id": 95, "answer": "b"}',
    "one prediction without its line end": b'{"id": 91, "answer": "m = q1"}',
    "one sample without its line end": b'{"id": 91, "sample": 0, "answer": "m = q1"}',
    "an empty array": b"[]\n",
    "an array": b'[{"id": 91}]',
    "a number": b"7",
    "an empty object": b"{}",
    "bytes": bytes(range(256)) * 300,
    "a line that is too long": b"x" * (MAX_LINE + 5),
    "a byte order mark": b"\xef\xbb\xbf",
}


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
def test_a_foreign_file_is_refused_and_stays(
    content: bytes, server: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "mine.txt"
    out.write_bytes(content)
    for _ in range(2):
        assert run(server, out) == 2
        assert out.read_bytes() == content
    assert "mine.txt" in capsys.readouterr().err
    assert not server.asked


def test_a_foreign_file_behind_a_link_is_refused_and_stays(server: StandIn, tmp_path: Path) -> None:
    target, link = tmp_path / "mine.txt", tmp_path / "link.jsonl"
    target.write_bytes(b"dear diary")
    link.symlink_to(target)
    assert run(server, link) == 2
    assert link.is_symlink()
    assert target.read_bytes() == b"dear diary"


def test_a_journal_of_another_run_with_half_a_line_stays(server: StandIn, tmp_path: Path) -> None:
    out = tmp_path / "o.jsonl"
    assert run(server, out) == 0
    whole = out.read_bytes()
    for content in (whole[:-20], whole[:-1], whole[: whole.index(b"\n")], whole[: whole.index(b'"answer"') + 20]):
        out.write_bytes(content)
        assert run(server, out, "--temperature", "0.7") == 2
        assert out.read_bytes() == content


def test_a_foreign_end_of_a_journal_stays(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    whole = stored(path)
    for end in (b"a note", b"7", b"{}", b'{"note": 1', b'{"id": 91, "sample": 0}\n'):
        path.write_bytes(whole + end)
        with pytest.raises(JournalError, match="line 3"):
            opened(path)
        assert path.read_bytes() == whole + end


def test_half_a_line_of_ours_is_cut_wherever_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    whole = stored(path)
    first = whole.index(b"\n") + 1
    for end in range(1, len(whole)):
        path.write_bytes(whole[:end])
        with opened(path) as journal:
            assert journal.dropped is (end != first)
            assert len(journal.responses) == (end >= first)
        assert path.read_bytes() == (whole[:first] if end >= first else b"")


def test_half_a_line_after_lines_of_an_older_version_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    line = {"id": 91, "sample": 0, "answer": "m = q1", "prompt_sha256": PROMPTS[91], "request": REQUEST}
    whole = json.dumps(line).encode() + b"\n"
    path.write_bytes(whole + b'{"id": 95, "sample": 0, "answer": "m =')
    with opened(path) as journal:
        assert journal.dropped
        assert list(journal.responses) == [(91, 0)]
    assert path.read_bytes() == whole


def test_an_empty_file_is_a_new_journal_and_blank_lines_are_none(server: StandIn, tmp_path: Path) -> None:
    out = tmp_path / "o.jsonl"
    out.touch()
    assert run(server, out) == 0
    whole = out.read_bytes()
    out.write_bytes(b"\n" + whole)
    assert run(server, out) == 0
    assert out.read_bytes() == b"\n" + whole


def test_a_folder_a_device_and_a_pipe_are_no_journals(
    server: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "pipe")
    for out in (tmp_path, tmp_path / "pipe", Path(os.devnull)):
        assert run(server, out) == 2
        assert str(out) in capsys.readouterr().err
        with pytest.raises(JournalError, match="expected a file"):
            opened(out)
        assert not Path(f"{out}.lock").exists()
    assert not server.asked


def test_a_link_to_a_journal_is_resumed_and_stays_a_link(server: StandIn, tmp_path: Path) -> None:
    target, link = tmp_path / "real.jsonl", tmp_path / "link.jsonl"
    link.symlink_to(target)
    assert run(server, link) == 0
    assert run(server, link) == 0
    assert link.is_symlink()
    assert len(target.read_bytes().splitlines()) == len(server.asked) == 2


def test_a_journal_has_one_writer_by_whatever_name(tmp_path: Path) -> None:
    target, link = tmp_path / "real.jsonl", tmp_path / "link.jsonl"
    link.symlink_to(target)
    with opened(target), pytest.raises(JournalError, match="another process"):
        opened(link)


def test_a_long_answer_with_lone_surrogates_can_be_read_again(server: StandIn, tmp_path: Path) -> None:
    text = "ü" * (4 << 20)  # as escapes of six characters it would be longer than a line may be
    message = f'{{"choices": [{{"finish_reason": "stop", "message": {{"content": "{text}\\ud800"}}}}]}}'
    out = tmp_path / "o.jsonl"
    with BadServer(reply(message)) as bad:
        assert run(bad, out, "--no-stream") == 0
    assert run(server, out, "--no-stream") == 0
    assert not server.asked


def test_a_line_that_is_too_long_fails_its_request_and_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    whole = stored(path, 1)
    with opened(path) as journal:
        with pytest.raises(AskError, match="bytes") as caught:
            journal.store({("x/ü", 0): {"answer": "\ud800" * (MAX_LINE // 6 + 1)}})
        assert not caught.value.transient
    assert path.read_bytes() == whole
    with opened(path) as journal:
        assert list(journal.responses) == [(91, 0)]


def test_a_process_killed_in_the_middle_of_a_line_loses_that_line_only(tmp_path: Path) -> None:
    """The system kills it, as kill -9 does, when a file of limited size holds 1 MB of a line of 8 MB."""
    path = tmp_path / "o.jsonl"
    program = """
import resource, signal, sys
from draw_dataset.asking.session import Journal
with Journal(sys.argv[1], {"model": "größer", "temperature": 0.0}, {91: "a" * 16, "x/ü": "b" * 16}) as journal:
    if sys.argv[2] == "after":
        journal.store({(91, 0): {"answer": "m = q1"}})
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.RLIM_INFINITY))
    journal.store({("x/ü", 0): {"answer": "n" * (8 << 20)}})
"""
    for when, kept in (("first", []), ("after", [(91, 0)])):
        path.unlink(missing_ok=True)
        done = subprocess.run([sys.executable, "-c", program, str(path), when], check=False)
        assert done.returncode == -signal.SIGXFSZ
        content = path.read_bytes()
        assert len(content) == 1 << 20
        with opened(path) as journal:
            assert journal.dropped
            assert list(journal.responses) == kept
            journal.store({("x/ü", 0): {"answer": "m = q2"}})
        assert [json.loads(line)["id"] for line in path.read_bytes().splitlines()] == [id_ for id_, _ in kept] + ["x/ü"]


def test_a_full_disk_leaves_no_half_line(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    program = """
import resource, signal, sys
from draw_dataset.asking.session import Journal
from draw_dataset.errors import JournalError
with Journal(sys.argv[1], {"model": "größer", "temperature": 0.0}, {91: "a" * 16, "x/ü": "b" * 16}) as journal:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.RLIM_INFINITY))
    try:
        journal.store({("x/ü", 0): {"answer": "n" * (8 << 20)}})
    except JournalError as error:
        print(error)
    journal.store({(91, 0): {"answer": "m = q1"}})
"""
    done = subprocess.run([sys.executable, "-c", program, str(path)], check=True, capture_output=True, text=True)
    assert "cannot write to it" in done.stdout
    with opened(path) as journal:
        assert not journal.dropped
        assert list(journal.responses) == [(91, 0)]
