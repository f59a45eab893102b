"""What is repeated, without shared memory: candidates by MinHash on disk, and an exact comparison among them.

A text's shingles are those of `draw_dataset.text.likeness`, each combined with a hash of the text's numbers: texts with
other numbers share none, which makes the rule "alike and the same numbers" of plain MinHash. So buckets may be
generous: one hash each, `BUCKETS` of them. A pair at the threshold of one half is missed with a chance of 2 to the
power of minus `BUCKETS`, and what is brought together without being alike has at least the same numbers, which is
little.

The engine finds clusters of candidates, the release being an index of its own. Then each cluster is decided as
``draw clean`` decides: records in the order of their keys, each held exactly against the release and against those kept
before it. Clusters are spread over parts by their number.
"""

from __future__ import annotations

import hashlib
import struct
from array import array
from collections.abc import Collection, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from datatrove.data import Document
from datatrove.io import get_datafolder
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupSignature
from datatrove.utils.word_tokenizers import WordTokenizer

from draw_dataset.cleaning.pool.duplicates import RELEASED, Duplicates, KnownProblems, compared_shape, shape_of_record
from draw_dataset.cleaning.pool.record import Record
from draw_dataset.pipelines.cleaning import DROPPED, RESTORED, RecordWriter, document_of_record
from draw_dataset.pipelines.folders import list_files, read_lines, write_lines
from draw_dataset.release import load_problems
from draw_dataset.text.likeness import Shape

BUCKETS = 24
CONFIG = MinhashConfig(num_buckets=BUCKETS, hashes_per_bucket=1)


class _NoWords(WordTokenizer):
    """Stands where the engine wants a tokenizer, which would load a language model; our shingles need none."""

    def word_tokenize(self, text: str) -> list[str]:
        return text.split()

    def sent_tokenize(self, text: str) -> list[str]:
        return [text]

    def span_tokenize(self, text: str) -> list[tuple[int, int]]:
        return [(0, len(text))]


class TextSignatures(MinhashDedupSignature):
    """The engine's signatures, of our shingles."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder, CONFIG, language=_NoWords())

    def get_shingles(self, text: str) -> Any:
        """Return the hashes of a text's shingles, each combined with the hash of its numbers."""
        shape = compared_shape(text)
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
    """Lists the records of a task that are in a cluster, with what is compared of them, by part."""

    type = "🧹 - CLEANING"
    name = "👯 list candidates"

    def __init__(self, kept: str, clusters: str, out: str, parts: int) -> None:
        super().__init__()
        self.kept = kept
        self.clusters = clusters
        self.out = out
        self.parts = parts

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
    """Return the cluster of each record of a task that is in one, by its place among those kept."""
    # The engine's own filter passes over a task whose clusters all keep their first member there.
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
    """Decides the clusters of one part, in the order of keys, and writes what is dropped, by the task that has it."""

    type = "🧹 - CLEANING"
    name = "⚖ compare candidates"

    def __init__(self, candidates: str, out: str, data_dir: str | None, restore: Collection[int]) -> None:
        super().__init__()
        self.candidates = candidates
        self.out = out
        self.data_dir = data_dir
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
    """Reads the records of a task again and drops what was decided; the rest comes in the order of keys."""

    type = "🧹 - CLEANING"
    name = "✂ drop repeated"

    def __init__(self, kept: str, decisions: str, dropped: RecordWriter) -> None:
        super().__init__()
        self.kept = kept
        self.decisions = decisions
        self.dropped = dropped

    def run(self, data: Any = None, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Yield what stays."""
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
                    record = record.decided(by, why, restored_from)
                    self.stat_update(f"{DROPPED}{by}" if by else f"{RESTORED}{restored_from}")
                if record.dropped_by:
                    writer.write(document_of_record(record), rank)
                else:
                    staying.append(record)
        for record in sorted(staying, key=lambda record: record.key):
            yield document_of_record(record)
