"""The end of a cleaning: one file of all problems in the order of their keys, and the funnel of the statistics.

The funnel is summed over the statistics that each task of the engine has left, of whichever run: what the engine prints
after a restart covers the tasks that ran again only.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from datatrove.data import Document
from datatrove.io import get_datafolder
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.writers.parquet import ParquetWriter

from draw_dataset.cleaning.pool.funnel import Funnel
from draw_dataset.cleaning.pool.record import Key, site_of
from draw_dataset.files import json_line
from draw_dataset.pipelines.cleaning import DROPPED, JUDGED, RESTORED
from draw_dataset.pipelines.folders import list_files, read_lines, whole_output
from draw_dataset.pipelines.pages import BROKEN, UNREADABLE

_SCHEMA = {
    "id": pa.int64(),
    "site": pa.string(),
    "url": pa.string(),
    "topic": pa.string(),
    "question": pa.string(),
    "posted": pa.string(),
    "equations": pa.list_(pa.string()),
    "solutions": pa.list_(pa.struct([("unknown", pa.string()), ("value", pa.string())])),
    "record": pa.string(),
}


class ParquetPool(ParquetWriter):
    """Writes problems as Parquet: what most readers want in columns, and the whole record as JSON."""

    def __init__(self, folder: str) -> None:
        schema = pa.schema(list(_SCHEMA.items()))
        super().__init__(folder, "${rank}.parquet", max_file_size=-1, schema=schema)

    def _default_adapter(self, document: Document) -> dict[str, Any]:
        record = document.metadata["record"]
        return {
            **{name: record[name] for name in ("id", "url", "topic", "question", "posted", "equations")},
            "site": site_of(record["url"]),
            "solutions": [{"unknown": name, "value": value} for name, value in record["solutions"].items()],
            "record": json_line(record).rstrip("\n"),
        }


class CollectPool(PipelineStep):
    """Merges the problems of all tasks, each in the order of keys, into one file, and writes the funnel.

    Args:
        out: the folder of the run.
        notes: what was not done, for the funnel.
    """

    type = "🧹 - CLEANING"
    name = "🏁 collect the pool"

    def __init__(self, out: str, notes: list[str]) -> None:
        super().__init__()
        self.out = out
        self.notes = notes

    def run(self, data: Any = None, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Write both files."""
        funnel = funnel_of(self.out)
        funnel.notes = [*self.notes, *funnel.notes]
        parts = [self._rows(path) for path in list_files(self.out, "problems")]
        with whole_output(self.out, "problems.jsonl") as file:
            for _, row in heapq.merge(*parts, key=lambda pair: pair[0]):
                file.write(json_line(row).encode())
        with whole_output(self.out, "funnel.json") as file:
            file.write((json.dumps(funnel.to_json(), indent=1, ensure_ascii=False) + "\n").encode())
        yield from ()

    def _rows(self, path: str) -> Iterator[tuple[Key, Any]]:
        for row in read_lines(self.out, path):
            yield (site_of(row["url"]), row["id"]), row


def counted(out: str, stage: str) -> dict[str, int]:
    """Return what the tasks of a stage have counted, added up, of all runs."""
    folder = get_datafolder(out)
    totals: dict[str, int] = {}
    for path in list_files(out, f"logs/{stage}/stats"):
        with folder.open(path, "rb") as file:
            steps = json.loads(file.read())
        for step in steps:
            for name, value in step["stats"].items():
                totals[name] = totals.get(name, 0) + round(value["total"] if isinstance(value, dict) else value)
    return totals


def funnel_of(out: str) -> Funnel:
    """Return the funnel of a run, of its statistics."""
    alone, repeated = counted(out, "clean"), counted(out, "pool")
    funnel = Funnel(crawled=alone.get(JUDGED, 0))
    for totals in (alone, repeated):
        for name, count in totals.items():
            for prefix, counts in ((DROPPED, funnel.dropped), (RESTORED, funnel.restored)):
                if name.startswith(prefix):
                    found = name.removeprefix(prefix)
                    counts[found] = counts.get(found, 0) + count
    for name in (BROKEN, UNREADABLE):
        if alone.get(name):
            funnel.notes.append(f"{alone[name]} {name} were ignored; the logs of the stage clean name them")
    return funnel
