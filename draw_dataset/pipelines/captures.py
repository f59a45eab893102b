"""The question: which of several captures of a page is the newest. A reduce by key, in two stages.

First each task lists the whole pages of its files, in as many lists as there are parts, by a hash of (site, number).
Then each part looks at all captures of its keys and says which are older than another: these are few, so only these are
written down, for the task that will pass them over. Of two captures of one second, that with the larger digest wins, as
in a ledger.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from datatrove.pipeline.base import PipelineStep

from draw_dataset.cleaning.pool.record import Key, site_of
from draw_dataset.pipelines.folders import list_files, read_lines, write_lines
from draw_dataset.pipelines.pages import digest_of_page


def part_of(key: Key, parts: int) -> int:
    """Return the part that a key belongs to, the same on every machine.

    >>> part_of(("algebra.com", 7), 4) == part_of(("algebra.com", 7), 4)
    True
    """
    return int.from_bytes(hashlib.blake2b(repr(key).encode(), digest_size=8).digest(), "big") % parts


class ListCaptures(PipelineStep):
    """Lists the whole pages of a task's files, by part.

    Args:
        folder: where to.
        parts: how many.
    """

    type = "🧹 - CLEANING"
    name = "📋 list captures"

    def __init__(self, folder: str, parts: int) -> None:
        super().__init__()
        self.folder = folder
        self.parts = parts

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """List all pages; none goes on."""
        lists: list[list[list[Any]]] = [[] for _ in range(self.parts)]
        for document in data:
            known = document.metadata
            key = site_of(known["url"]), known["number"]
            when = [known["fetched"], digest_of_page(document)]
            lists[part_of(key, self.parts)].append([*key, when, rank, known["source"], known["offset"]])
            self.stat_update("captures")
        for part, lines in enumerate(lists):
            write_lines(self.folder, f"{part:05d}/{rank:05d}.jsonl", lines)
        yield from ()


class FindSuperseded(PipelineStep):
    """Says, of the keys of one part, which captures are older than another.

    Args:
        folder: where the captures are listed.
        out: where to write, by the task that reads the capture.
    """

    type = "🧹 - CLEANING"
    name = "🕰 find older captures"

    def __init__(self, folder: str, out: str) -> None:
        super().__init__()
        self.folder = folder
        self.out = out

    def run(self, data: Any = None, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Look at one part."""
        newest: dict[Key, tuple[Any, ...]] = {}
        older: dict[int, list[tuple[int, int]]] = {}
        for path in list_files(self.folder, f"{rank:05d}"):
            for site, number, when, task, source, offset in read_lines(self.folder, path):
                capture = (when, (task, source, offset))
                other = newest.get((site, number))
                if other is None or other < capture:
                    newest[site, number] = capture
                    loser = other
                else:
                    loser = capture
                if loser is not None:
                    at, *where = loser[1]
                    older.setdefault(at, []).append(tuple(where))
                    self.stat_update("superseded")
        for task, places in older.items():
            write_lines(self.out, f"{task:05d}/{rank:05d}.jsonl", sorted(places))
        yield from ()
