"""Archives: what is written can be read again, and a broken record affects only itself."""

from __future__ import annotations

import gzip
import os
import random
import re
import threading
import zlib
from pathlib import Path

import pytest
from crawl.harness import run, states
from crawl.stand_in_site.plan import Site

from draw_dataset.collect.ledger import Ledger, State
from draw_dataset.collect.politeness import Answer
from draw_dataset.collect.warc import Import, WarcArchive, import_archives
from draw_dataset.errors import ArchiveError

SITE = Site(30, manners=False)
IDS = sorted(SITE.questions)
BOUND = 2**20


def address(number: int) -> str:
    return f"https://www.algebra.com{SITE.questions[number].path}"


def answer(number: int, status: int = 200, **headers: str) -> Answer:
    told = {"content-type": "text/html; charset=utf-8", **{k.replace("_", "-"): v for k, v in headers.items()}}
    return Answer(address(number), status, told, SITE.body(number) if status == 200 else b"no")


def archived(path: Path, *answers: Answer) -> Path:
    with WarcArchive(path, "draw-dataset/test") as archive:
        for place, each in enumerate(answers):
            archive.write(each, 1.5e9 + place)
    return path


def taken(folder: Path, *paths: Path, bound: int = BOUND) -> tuple[Import, dict[int, bytes], list[str]]:
    said: list[str] = []
    with Ledger.open(folder / "taken.sqlite", create=True) as ledger:
        done = import_archives(ledger, paths, "https://www.algebra.com", bound, said.append)
        return done, {page.id: page.body for page in ledger.bodies()}, said


def plain(path: Path) -> Path:
    """The same archive, not compressed."""
    target = path.with_suffix("")
    target.write_bytes(gzip.decompress(path.read_bytes()))
    return target


def members(path: Path) -> list[bytes]:
    """The compressed records of an archive."""
    data, found = path.read_bytes(), []
    while data:
        unpacker = zlib.decompressobj(31)
        unpacker.decompress(data)
        found.append(data[: len(data) - len(unpacker.unused_data)])
        data = unpacker.unused_data
    return found


@pytest.mark.parametrize("compressed", [True, False])
def test_what_was_written_is_read(tmp_path: Path, compressed: bool) -> None:
    path = archived(tmp_path / "a.warc.gz", *(answer(number) for number in IDS))
    done, bodies, said = taken(tmp_path, path if compressed else plain(path))
    assert bodies == {number: SITE.body(number) for number in IDS}
    assert (done.records, done.stored, done.others, said) == (31, 30, 1, [])
    with Ledger.open(tmp_path / "taken.sqlite") as ledger:
        page = next(ledger.bodies())
        assert (page.content_type, page.charset, page.fetched_at) == ("text/html", "utf-8", 1.5e9)
        assert page.topic == SITE.questions[page.id].topic


def test_an_archive_is_continued_not_overwritten(tmp_path: Path) -> None:
    archived(tmp_path / "a.warc.gz", answer(IDS[0]))
    path = archived(tmp_path / "a.warc.gz", answer(IDS[1]))
    assert sorted(taken(tmp_path, path)[1]) == IDS[:2]


def test_an_archive_goes_through_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    with WarcArchive(pipe, "draw-dataset/test") as archive:
        archive.write(Answer("http://a.example/", 200, {}, b"<html></html>"), 1.0)
    reader.join(10)
    assert b"<html></html>" in gzip.decompress(got[0])
    assert pipe.is_fifo()


def test_compressed_and_chunked_captures_are_decoded(tmp_path: Path) -> None:
    body = SITE.body(IDS[0])
    packed = Answer(address(IDS[0]), 200, {"content-encoding": "gzip"}, gzip.compress(body))
    first = archived(tmp_path / "a.warc.gz", packed)
    chunks = b"%x\r\n%b\r\n%x\r\n%b\r\n0\r\n\r\n" % (100, body[:100], len(body) - 100, body[100:])
    block = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {address(IDS[1])}\r\nWARC-Date: 2015-03-01T00:00:00Z\r\n"
    )
    head += f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    second = tmp_path / "chunked.warc"
    second.write_bytes(head.encode() + block + b"\r\n\r\n")
    assert taken(tmp_path, first, second)[1] == {IDS[0]: body, IDS[1]: body}


def test_captures_of_failures_do_not_replace_pages_and_pages_replace_them(tmp_path: Path) -> None:
    one, two, three = IDS[:3]
    path = archived(
        tmp_path / "a.warc.gz",
        answer(one), answer(one, 404), answer(two, 404), answer(two), answer(three, 503), answer(IDS[3], 410),
        answer(IDS[4], 302, location="/"),
    )  # fmt: skip
    done, bodies, _ = taken(tmp_path, path)
    assert sorted(bodies) == [one, two]
    assert states(tmp_path / "taken.sqlite") == {one: "stored", two: "stored", IDS[3]: "gone"}
    assert (done.known, done.passing, done.ended) == (1, 1, {State.NOT_FOUND: 1, State.GONE: 1})
    again, _, _ = taken(tmp_path, path)
    assert again.stored == 0
    assert again.known == 4


def test_pages_of_other_sites_are_passed_by(tmp_path: Path) -> None:
    there = Answer(address(IDS[0]).replace("www.algebra.com", "copies.example"), 200, {}, SITE.body(IDS[0]))
    early = Answer(address(IDS[1]).replace("https://www.", "http://"), 200, {}, SITE.body(IDS[1]))
    done, bodies, said = taken(tmp_path, archived(tmp_path / "a.warc.gz", there, early))
    assert list(bodies) == [IDS[1]]
    assert (done.others, said) == (2, [])


def test_captures_that_were_cut_are_not_stored(tmp_path: Path) -> None:
    path = archived(tmp_path / "a.warc.gz", answer(IDS[1]))
    record = gzip.decompress(members(path)[1]).replace(b"WARC-Type", b"WARC-Truncated: length\r\nWARC-Type")
    (tmp_path / "cut.warc").write_bytes(record)
    large = Answer(address(IDS[2]), 200, {}, random.Random(1).randbytes(3 * BOUND))
    done, bodies, said = taken(
        tmp_path, tmp_path / "cut.warc", archived(tmp_path / "b.warc.gz", large, answer(IDS[3])), bound=BOUND
    )
    assert said == []
    assert list(bodies) == [IDS[3]]
    assert states(tmp_path / "taken.sqlite") == {IDS[1]: "truncated", IDS[2]: "too-large", IDS[3]: "stored"}
    assert done.broken == 0


@pytest.mark.parametrize("damage", ["bits", "cut in the middle", "garbage between", "checksum"])
def test_a_broken_record_is_reported_and_the_rest_goes_on(tmp_path: Path, damage: str) -> None:
    path = archived(tmp_path / "a.warc.gz", *(answer(number) for number in IDS))
    records = members(path)
    broken = records[10]
    if damage == "bits":
        place = len(broken) // 2
        records[10] = broken[:place] + bytes(b ^ 0x55 for b in broken[place : place + 20]) + broken[place + 20 :]
    elif damage == "cut in the middle":
        records[10] = broken[: len(broken) // 2]
    elif damage == "garbage between":
        records.insert(10, random.Random(3).randbytes(70_000))
    else:
        records[10] = broken[:-8] + b"\0\0\0\0" + broken[-4:]
    path.write_bytes(b"".join(records))
    done, bodies, said = taken(tmp_path, path)
    lost = set() if damage == "garbage between" else {IDS[9]}
    assert set(bodies) == set(IDS) - lost
    assert bodies == {number: SITE.body(number) for number in bodies}
    assert done.broken == len(said) >= 1
    assert f"broken record at byte {sum(map(len, records[:10]))}" in said[0]


def test_a_plain_archive_with_wrong_lengths_and_changed_bytes_loses_only_these(tmp_path: Path) -> None:
    path = plain(archived(tmp_path / "a.warc.gz", *(answer(number) for number in IDS)))
    data = path.read_bytes()
    parts = data.split(b"\r\n\r\nWARC/1.0\r\n")
    assert len(parts) == 31
    parts[5] = parts[5].replace(b"Content-Length: ", b"Content-Length: 9", 1)
    parts[8] = parts[8].replace(b"</html>", b"</htmL>")
    path.write_bytes(b"\r\n\r\nWARC/1.0\r\n".join(parts)[:-300])
    done, bodies, said = taken(tmp_path, path)
    assert set(bodies) == set(IDS) - {IDS[4], IDS[7], IDS[29]}
    assert done.broken == len(said) == 3
    assert any("digest" in line for line in said)


def test_a_file_that_is_no_archive_is_reported_and_the_others_are_read(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(b"<html></html>")
    good = archived(tmp_path / "a.warc.gz", answer(IDS[0]))
    done, bodies, said = taken(tmp_path, page, tmp_path / "absent.warc", tmp_path, good)
    assert list(bodies) == IDS[:1]
    assert done.unreadable == 3
    assert "expected a WARC file" in said[0]
    assert "cannot read" in said[1]
    assert "cannot read" in said[2]


def test_an_archive_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="cannot write"):
        WarcArchive(tmp_path / "absent" / "a.warc.gz", "draw-dataset/test")


def test_the_command_takes_archives_and_says_what_was_broken(tmp_path: Path) -> None:
    path = archived(tmp_path / "a.warc.gz", *(answer(number) for number in IDS))
    path.write_bytes(path.read_bytes()[:-50])
    _, said = run("--ledger", str(tmp_path / "l.sqlite"), "--from-warc", str(path), status=1)
    assert re.search(r"\b29\b.*\b0\b.*\b1\b", said)
    assert list(states(tmp_path / "l.sqlite")) == IDS[:29]


def test_an_archive_that_was_compressed_as_a_whole_is_read(tmp_path: Path) -> None:
    path = archived(tmp_path / "a.warc.gz", *(answer(number) for number in IDS))
    whole = tmp_path / "whole.warc.gz"
    whole.write_bytes(gzip.compress(plain(path).read_bytes()))
    done, bodies, said = taken(tmp_path, whole)
    assert bodies == {number: SITE.body(number) for number in IDS}
    assert (done.records, done.stored, said) == (31, 30, [])


def test_of_an_archive_that_was_compressed_as_a_whole_and_cut_the_beginning_is_read(tmp_path: Path) -> None:
    path = archived(tmp_path / "a.warc.gz", *(answer(number) for number in IDS))
    data = plain(path).read_bytes()
    broken = data.replace(b"</html>", b"</htmL>", 1)
    whole = tmp_path / "whole.warc.gz"
    whole.write_bytes(gzip.compress(broken)[:-3_000])
    done, bodies, said = taken(tmp_path, whole)
    assert 5 < len(bodies) < 29
    assert all(body == SITE.body(number) for number, body in bodies.items())
    assert done.broken == len(said) >= 2
