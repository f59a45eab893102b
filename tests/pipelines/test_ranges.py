"""Byte ranges from a URL index: the pool of the whole archives, from a server that knows nothing but ranges."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytest.importorskip("datatrove", reason="draw pipeline needs the extra scale")

from cleaning.stand_in import HOST
from pipelines.archives import BOUND, plain_pool, stand_in_pages, write_archives

from draw_dataset.cli import main
from draw_dataset.collect.warc import capture_of, raw_records

pytestmark = pytest.mark.xdist_group("pipelines")

PAGES = stand_in_pages(90)[:40]


class Ranges(BaseHTTPRequestHandler):
    """Serves byte ranges of files; the first request for each fails."""

    folder: Path
    asked: list[str]

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        path = self.folder / self.path.lstrip("/")
        first = self.path not in self.asked
        self.asked.append(self.path)
        if not path.is_file():
            self.send_error(404)
        elif first:
            self.send_error(503)
        elif wanted is None:
            self.send_error(416)
        else:
            body = path.read_bytes()[int(wanted[1]) : int(wanted[2]) + 1]
            self.send_response(206)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_archives(tmp_path_factory.mktemp("ranges") / "crawl", PAGES, 2)


@pytest.fixture
def server(archives: list[Path]) -> Iterator[str]:
    handler = type("Handler", (Ranges,), {"folder": archives[0].parent, "asked": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as httpd:
        thread = threading.Thread(target=httpd.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{httpd.server_port}/"
        httpd.shutdown()


def index_of(archives: list[Path], *, as_json: bool) -> str:
    """Return the lines of an index of archives, in either of its forms, with lines that do not matter."""
    lines = ['com,elsewhere)/ 20200101000000 {"url": "https://elsewhere.example/", "status": "200"}']
    for path in archives:
        records = list(raw_records(path, BOUND))
        ends = [record.offset for record in records[1:]] + [path.stat().st_size]
        for record, end in zip(records, ends, strict=True):
            capture = capture_of(record, HOST, BOUND)
            if capture is None or isinstance(capture, str):
                continue
            when = datetime.fromtimestamp(capture.fetched, UTC).strftime("%Y%m%d%H%M%S")
            entry = {
                "url": capture.url, "mime": "text/html", "status": "200", "filename": path.name,
                "offset": str(record.offset), "length": str(end - record.offset),
            }  # fmt: skip
            if as_json:
                lines.append(json.dumps({"urlkey": "x", "timestamp": when, **entry}))
            else:
                lines.append(f"example,site)/x {when} {json.dumps(entry)}")
        lines.append(f"x 20200101000000 {json.dumps({'url': PAGES[0].url, 'status': '404'})}")
    return "\n".join(lines) + "\n"


def run(index: Path, base: str, out: Path) -> int:
    arguments = ["--cc-index", str(index), "--cc-base", base, "--out", str(out), "--site", HOST]
    return main(["pipeline", "clean", *arguments, "--tasks", "3", "--workers", "1", "--quiet"])


@pytest.mark.parametrize("as_json", [False, True])
def test_ranges_give_the_pool_of_whole_archives(
    as_json: bool, archives: list[Path], server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DRAW_RELEASE_DIR", raising=False)
    plain = plain_pool(tmp_path / "plain", archives)
    index = tmp_path / "index.cdxj"
    index.write_text(index_of(archives, as_json=as_json))
    assert run(index, server, tmp_path / "out") == 0
    for name in ("problems.jsonl", "funnel.json"):
        ours = (tmp_path / "out" / name).read_text()
        assert ours.replace("(--release)", "(--release or DRAW_RELEASE_DIR)") == (plain / name).read_text()


def test_what_cannot_be_had_stops_the_run_and_is_told(
    archives: list[Path], server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index = tmp_path / "index.cdxj"
    index.write_text(index_of(archives, as_json=False).replace(archives[0].name, "missing.warc.gz"))
    assert run(index, server, tmp_path / "out") == 2
    assert "cannot find" in (said := capsys.readouterr().err)
    assert "missing.warc.gz" in said
    index.write_text("no index\n")
    assert run(index, server, tmp_path / "other") == 2
    assert "line 1" in capsys.readouterr().err
    index.write_text('x 20200101000000 {"url": "https://elsewhere.example/"}\n')
    assert run(index, server, tmp_path / "third") == 2
    assert "expected captures of question pages" in capsys.readouterr().err
