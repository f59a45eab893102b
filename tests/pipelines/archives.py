"""Archives of the stand-in site, and the pool that one plain loop makes of them."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from cleaning.stand_in import HOST, pages_of, site_of

from draw_dataset.cli import main
from draw_dataset.collect.ledger import Ledger, StoredPage
from draw_dataset.collect.politeness import Answer
from draw_dataset.collect.warc import WarcArchive, import_archives, raw_records

BOUND = 2 * 2**20


@lru_cache(maxsize=2)
def stand_in_pages(size: int) -> tuple[StoredPage, ...]:
    return tuple(pages_of(site_of(size, 3)))


def answer_of(page: StoredPage, **headers: str) -> Answer:
    told = {"content-type": f"text/html; charset={page.charset}", **headers}
    return Answer(page.url, 200, told, page.body)


def write_archives(folder: Path, pages: Sequence[StoredPage], files: int) -> list[Path]:
    """Spread pages over WARC files, some pages captured several times, and put in what is no whole page."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{number:03d}.warc.gz" for number in range(files)]
    for number, path in enumerate(paths):
        with WarcArchive(path, "draw-dataset/test") as archive:
            for place, page in list(enumerate(pages))[number::files]:
                archive.write(answer_of(page), 1.5e9 + place)
            # An older capture of a page that another file has, and a newer one that is not whole.
            other = pages[(number + 1) % len(pages)]
            archive.write(answer_of(replace(other, body=b"<html>old</html>")), 1.4e9)
            archive.write(Answer(other.url, 200, {}, other.body[:50], length_known=False), 1.6e9)
            archive.write(Answer("https://elsewhere.example/", 200, {}, b"<html></html>"), 1.5e9)
    return paths


def plain_pool(folder: Path, archives: Sequence[Path], release: str | None = None) -> Path:
    """Take archives into a ledger and clean it in one loop; return the folder with the pool."""
    folder.mkdir(parents=True, exist_ok=True)
    with Ledger.open(folder / "crawl.sqlite", create=True) as ledger:
        import_archives(ledger, archives, HOST, BOUND, lambda message: None)
    given = ["clean", str(folder / "crawl.sqlite"), "--out", str(folder), "--json", "--quiet"]
    assert main([*given, "--release", release] if release else given) == 0
    return folder


def damaged(path: Path, target: Path) -> None:
    """Copy an archive with one record in its middle broken."""
    data = bytearray(path.read_bytes())
    offsets = [record.offset for record in raw_records(path, BOUND)]
    start = offsets[len(offsets) // 2]
    for place in range(start + 40, start + 60):
        data[place] ^= 0xFF
    target.write_bytes(bytes(data))


def plain_copy(path: Path, target: Path) -> None:
    target.write_bytes(gzip.decompress(path.read_bytes()))
