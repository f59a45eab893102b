"""Judging pages one by one in a task: what a filter drops is written down with the reason, the rest goes on."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import IO, Any

from datatrove.data import Document
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.writers.jsonl import JsonlWriter

from draw_dataset.cleaning.pool.edits import without_pleas
from draw_dataset.cleaning.pool.funnel import KNOWN
from draw_dataset.cleaning.pool.judging import judge_alone, record_of
from draw_dataset.cleaning.pool.record import Record
from draw_dataset.files import json_line
from draw_dataset.pipelines.pages import page_of

JUDGED, DROPPED, RESTORED = "judged", "dropped by ", "restored from "
"""What the statistics call records; the funnel is made of them."""


def document_of_record(record: Record, text: str = "") -> Document:
    """Return a record as a document."""
    return Document(text=text, id=f"{record.site} {record.id}", metadata={"record": record.to_json()})


def compared_document(record: Record) -> Document:
    """Return a record as a document whose text is what is compared with others."""
    return document_of_record(record, without_pleas(record.posted))


class RecordWriter(JsonlWriter):
    """Writes the records of documents, byte by byte as ``draw clean`` writes them."""

    def __init__(self, folder: str, filename: str) -> None:
        super().__init__(folder, filename, compression=None)

    def _default_adapter(self, document: Document) -> Any:
        return document.metadata["record"]

    def _write(self, document: dict[str, Any], file_handler: IO[bytes], filename: str) -> None:
        file_handler.write(json_line(document).encode())


class JudgeAlone(PipelineStep):
    """Judges the pages of documents; those that stay go on as records.

    Args:
        dropped: writes what is dropped.
        known: the numbers of questions on the site that Draw-1k has.
        restore: the numbers of questions that no filter may drop.
    """

    type = "🧹 - CLEANING"
    name = "🔎 judge pages"

    def __init__(self, dropped: RecordWriter, known: Collection[int], restore: Collection[int]) -> None:
        super().__init__()
        self.dropped = dropped
        self.known = frozenset(known)
        self.restore = frozenset(restore)

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Judge all pages of a task."""
        with self.dropped as writer:
            for document in data:
                with self.track_time():
                    record = self._judged(judge_alone(record_of(page_of(document)), self.restore))
                    if record.dropped_by:
                        writer.write(document_of_record(record), rank)
                    self.stat_update(JUDGED)
                    if record.dropped_by:
                        self.stat_update(f"{DROPPED}{record.dropped_by}")
                    if record.restored_from:
                        self.stat_update(f"{RESTORED}{record.restored_from}")
                    kept = None if record.dropped_by else compared_document(record)
                if kept is not None:
                    yield kept

    def _judged(self, record: Record) -> Record:
        """Drop what Draw-1k has under the same number; that needs no other record."""
        if record.dropped_by or record.restored_from or record.id not in self.known:
            return record
        dropped = record.dropped(KNOWN, f"it is draw1k {record.id}")
        return dropped.restored() if record.id in self.restore else dropped
