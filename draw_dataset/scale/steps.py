"""Cleaning steps of the engine: judge pages, find near-duplicates, write the pool and its funnel."""

from __future__ import annotations

import hashlib
import heapq
import json
import struct
from array import array
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import IO, Any

import numpy as np
import pyarrow as pa
from datatrove.data import Document
from datatrove.io import get_datafolder
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupSignature
from datatrove.pipeline.writers.jsonl import JsonlWriter
from datatrove.pipeline.writers.parquet import ParquetWriter
from datatrove.utils.word_tokenizers import WordTokenizer

from draw_dataset.collect.filters import KNOWN, Funnel, judge_alone, record_of
from draw_dataset.collect.pool import RELEASED, Duplicates, KnownProblems, shape_of_record, shape_to_compare
from draw_dataset.collect.record import Key, Record, site_of, without_pleas
from draw_dataset.data.release import load_problems
from draw_dataset.io.jsonl import json_line
from draw_dataset.scale.readers import BROKEN, UNREADABLE, list_files, page_of, read_lines, whole_output, write_lines
from draw_dataset.text.similarity import Shape

JUDGED, DROPPED, RESTORED = "judged", "dropped by ", "restored from "  # names in the statistics, for the funnel


def document_of_record(record: Record, text: str = "") -> Document:
    """Return a record as a document."""
    return Document(text=text, id=f"{record.site} {record.id}", metadata={"record": record.to_json()})


class RecordWriter(JsonlWriter):
    """Writes the records of documents, byte for byte as ``draw clean`` does."""

    def __init__(self, folder: str, filename: str) -> None:
        super().__init__(folder, filename, compression=None)

    def _default_adapter(self, document: Document) -> Any:
        return document.metadata["record"]

    def _write(self, document: dict[str, Any], file_handler: IO[bytes], filename: str) -> None:
        file_handler.write(json_line(document).encode())


class JudgeAlone(PipelineStep):
    """Judges pages; kept ones go on as records, dropped ones are written."""

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
                    record = self._drop_known(judge_alone(record_of(page_of(document)), self.restore))
                    self.stat_update(JUDGED)
                    if record.restored_from:
                        self.stat_update(f"{RESTORED}{record.restored_from}")
                    if record.dropped_by:
                        writer.write(document_of_record(record), rank)
                        self.stat_update(f"{DROPPED}{record.dropped_by}")
                        continue
                    kept = document_of_record(record, without_pleas(record.posted))
                yield kept

    def _drop_known(self, record: Record) -> Record:
        """Drop a problem of Draw-1k by its number; that needs no other record."""
        if record.dropped_by or record.restored_from or record.id not in self.known:
            return record
        dropped = record.drop(KNOWN, f"it is draw1k {record.id}")
        return dropped.restore() if record.id in self.restore else dropped


# Near-duplicates without shared memory: candidates by MinHash on disk, then an exact comparison as in ``draw clean``.
# Each shingle is combined with a hash of the text's numbers, so texts with other numbers share none. With one hash a
# bucket, a pair at the threshold of one half is missed with a probability of 2 to the power of minus `BUCKETS`.

BUCKETS = 24
CONFIG = MinhashConfig(num_buckets=BUCKETS, hashes_per_bucket=1)


class _NoWords(WordTokenizer):
    """Stub for the engine's tokenizer, which would load a language model; our shingles need none."""

    def word_tokenize(self, text: str) -> list[str]:
        return text.split()

    def sent_tokenize(self, text: str) -> list[str]:
        return [text]

    def span_tokenize(self, text: str) -> list[tuple[int, int]]:
        return [(0, len(text))]


class TextSignatures(MinhashDedupSignature):
    """The engine's signatures over our shingles."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder, CONFIG, language=_NoWords())

    def get_shingles(self, text: str) -> Any:
        """Return the hashes of a text's shingles, each combined with the hash of its numbers."""
        shape = shape_to_compare(text)
        numbers = hashlib.blake2b(" ".join(map(str, shape.values)).encode(), digest_size=8).digest()
        return (np.asarray(shape.shingles, dtype=np.uint64) ^ np.uint64(int.from_bytes(numbers, "big"))).reshape(-1, 1)


class ReleaseTexts(PipelineStep):
    """Reads the texts of the released datasets."""

    type = "📖 - READER"
    name = "📚 released problems"

    def __init__(self, data_dir: str) -> None:
        super().__init__()
        self.data_dir = data_dir

    def run(self, data: Any = None, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Yield every problem once."""
        for dataset in RELEASED:
            for problems in load_problems(dataset, self.data_dir).values():
                for problem in problems:
                    yield Document(text=problem.question, id=f"{dataset} {problem.id}")


class ListCandidates(PipelineStep):
    """Lists the records of a task that are in a cluster, with their shapes, by part."""

    type = "🧹 - CLEANING"
    name = "👯 list candidates"

    def __init__(self, kept: str, clusters: str, out: str, parts: int) -> None:
        super().__init__()
        self.kept, self.clusters, self.out, self.parts = kept, clusters, out, parts

    def run(self, data: Any = None, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """List the candidates of a task."""
        cluster_of = read_clusters(self.clusters, rank)
        lists: dict[int, list[Any]] = {}
        for place, row in enumerate(read_lines(self.kept, f"{rank:05d}.jsonl")):
            cluster = cluster_of.get(place)
            if cluster is not None:
                record = Record.from_json(row)
                shape = shape_of_record(record)
                lists.setdefault(cluster % self.parts, []).append(
                    [record.url, record.id, record.restored_from, rank, place, *_shape_data(shape)]
                )
                self.stat_update("candidates")
        for part, lines in lists.items():
            write_lines(self.out, f"{part:05d}/{rank:05d}.jsonl", lines)
        yield from ()


def read_clusters(folder: str, rank: int) -> dict[int, int]:
    """Return the cluster of each clustered record of a task, by its place among the kept ones."""
    # The engine's own filter skips a task whose clusters all keep their first member there.
    files = get_datafolder(folder)
    path = f"{rank:06d}.clusters"
    return dict(struct.iter_unpack("<2I", files.open(path, "rb").read())) if files.isfile(path) else {}


def _shape_data(shape: Shape) -> list[Any]:
    return [[None if value is None else str(value) for value in shape.values], shape.shingles.tobytes().hex()]


def _read_shape(values: list[str | None], shingles: str) -> Shape:
    hashes = array("Q")
    hashes.frombytes(bytes.fromhex(shingles))
    return Shape(tuple(None if value is None else Fraction(value) for value in values), hashes)


class DecideCandidates(PipelineStep):
    """Decides the clusters of one part in the order of keys, and writes the decisions by task."""

    type = "🧹 - CLEANING"
    name = "⚖ compare candidates"

    def __init__(self, candidates: str, out: str, data_dir: str | None, restore: Collection[int]) -> None:
        super().__init__()
        self.candidates, self.out, self.data_dir = candidates, out, data_dir
        self.restore = frozenset(restore)

    def run(self, data: Any = None, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Decide one part."""
        rows = [row for path in list_files(self.candidates, f"{rank:05d}") for row in read_lines(self.candidates, path)]
        decided: dict[int, list[Any]] = {}
        if rows:
            duplicates = Duplicates(KnownProblems(self.data_dir) if self.data_dir else None, self.restore)
            records = [(Record(row[1], row[0], "", "", restored_from=row[2]), row) for row in rows]
            for record, (_, _, _, task, place, *shape) in sorted(records, key=lambda pair: pair[0].key):
                judged = duplicates.judge_by_shape(record, _read_shape(*shape))
                if (judged.dropped_by, judged.restored_from) != ("", record.restored_from):
                    decided.setdefault(task, []).append([place, judged.dropped_by, judged.why, judged.restored_from])
        for task, lines in decided.items():
            write_lines(self.out, f"{task:05d}/{rank:05d}.jsonl", lines)
        yield from ()


class ApplyDecisions(PipelineStep):
    """Applies the decisions to the records of a task; kept ones come in the order of keys."""

    type = "🧹 - CLEANING"
    name = "✂ drop repeated"

    def __init__(self, kept: str, decisions: str, dropped: RecordWriter) -> None:
        super().__init__()
        self.kept, self.decisions, self.dropped = kept, decisions, dropped

    def run(self, data: Any = None, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Yield the kept records."""
        decided = {
            place: said
            for path in list_files(self.decisions, f"{rank:05d}")
            for place, *said in read_lines(self.decisions, path)
        }
        staying = []
        with self.dropped as writer:
            for place, row in enumerate(read_lines(self.kept, f"{rank:05d}.jsonl")):
                record = Record.from_json(row)
                if place in decided:
                    by, why, restored_from = decided[place]
                    record = replace(record, dropped_by=by, why=why, restored_from=restored_from)
                    self.stat_update(f"{DROPPED}{by}" if by else f"{RESTORED}{restored_from}")
                if record.dropped_by:
                    writer.write(document_of_record(record), rank)
                else:
                    staying.append(record)
        for record in sorted(staying, key=lambda record: record.key):
            yield document_of_record(record)


# The funnel is summed over the statistics that each task has left, because the engine's own summary after a restart
# covers only the tasks that ran again.

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
    """Writes problems as Parquet: the usual fields as columns, and the whole record as JSON."""

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
    """Merges the problems of all tasks, each in the order of keys, into one file, and writes the funnel."""

    type = "🧹 - CLEANING"
    name = "🏁 collect the pool"

    def __init__(self, out: str, notes: list[str]) -> None:
        super().__init__()
        self.out, self.notes = out, notes

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


def task_stats(out: str, stage: str) -> Iterator[list[dict[str, Any]]]:
    """Yield the statistics of each task of a stage, one entry a step."""
    folder = get_datafolder(out)
    for path in list_files(out, f"logs/{stage}/stats"):
        with folder.open(path, "rb") as file:
            yield json.loads(file.read())


def stat_total(value: Any) -> float:
    """Return the total of a statistic, which is a number or a summary."""
    total: float = value["total"] if isinstance(value, dict) else value
    return total


def sum_stats(steps: Iterable[dict[str, Any]]) -> dict[str, float]:
    """Return the counts of some steps, added up by name."""
    totals: dict[str, float] = {}
    for step in steps:
        for name, value in step["stats"].items():
            totals[name] = totals.get(name, 0) + stat_total(value)
    return totals


def _count_stage(out: str, stage: str) -> dict[str, int]:
    steps = (step for steps in task_stats(out, stage) for step in steps)
    return {name: round(total) for name, total in sum_stats(steps).items()}


def funnel_of(out: str) -> Funnel:
    """Return the funnel of a run from its statistics."""
    alone, repeated = _count_stage(out, "clean"), _count_stage(out, "pool")
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
