"""Grading of prediction files, one tally a task.

A task reads its own lines, because documents of the engine would cost three times as much as grading. Lines are those
of ``draw score``; a problem may have any number of lines.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import IO, Any, BinaryIO

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
from datatrove.pipeline.base import PipelineStep

from draw_dataset.data.catalog import load
from draw_dataset.derivation.problem import ProblemId
from draw_dataset.errors import ScoreError
from draw_dataset.io.inflate import inflate
from draw_dataset.io.jsonl import DEEPEST_NESTING, decode_json, numbered_lines
from draw_dataset.io.records import COMPRESSIONS, read_opened
from draw_dataset.scale.readers import list_files, read_lines, whole_output, write_lines
from draw_dataset.scoring.files import ReadPrediction, layout_of, predictions_of
from draw_dataset.scoring.gold_rows import ListedReferences, lacking, unknown_id
from draw_dataset.scoring.layouts import Layout
from draw_dataset.scoring.options import Missing, Options
from draw_dataset.scoring.score import Score, Tally, complete, merge_tallies, score_shard
from draw_dataset.scoring.verdict import Verdict


@dataclass(frozen=True, slots=True)
class GradingPlan:
    """Input and options of a grading run."""

    out: str  # the folder of the run, as fsspec has it
    urls: list[str]  # the files of predictions
    tasks: int
    source: str  # the references, as commands name them: ``draw1k/test`` or a JSONL file of rows
    data_dir: str | None  # the folder of the release; None finds it as usual
    corrected: bool  # whether corrections are applied to the references
    data: str  # the name of the references in the signature
    options: Options
    missing: Missing = "error"  # for rows without a prediction
    field: str | None = None  # the field with the answer of a language model, if lines are not predictions
    id_field: str | None = None  # the field with the id, if it is not ``id``
    verdicts: bool = False  # also write every verdict, as Parquet

    def to_json(self) -> dict[str, Any]:
        """Return the plan as plain data, to recognize the run; without `missing`, which only the merge needs."""
        asked = {**asdict(self), "options": repr(self.options)}
        del asked["missing"]
        for name in ("id_field", "verdicts"):  # so that runs of older versions go on
            if not asked[name]:
                del asked[name]
        return asked


def references_of(plan: GradingPlan) -> ListedReferences:
    """Return the references of a run, read once a process; a changed file is read again."""
    about = os.stat(plan.source) if os.path.isfile(plan.source) else None
    version = about and (about.st_mtime_ns, about.st_size)
    return _references(plan.source, plan.data_dir, plan.corrected, version)


@lru_cache(maxsize=2)
def _references(
    source: str,
    data_dir: str | None,
    corrected: bool,
    version: tuple[int, int] | None,  # noqa: ARG001 - part of the key
) -> ListedReferences:
    return ListedReferences(load(source, data_dir, corrected, refused=True))


def layout_note(plan: GradingPlan) -> str:
    """Return which fields of the first file are used; empty if they are our own."""
    told: list[str] = []
    url = plan.urls[0]
    with _open(url) as file:
        records = read_opened(file, url, error=ScoreError, nesting=DEEPEST_NESTING)
        given = predictions_of(
            records, url, field=plan.field, id_field=plan.id_field, known=references_of(plan), note=told.append
        )
        next(given, None)
    return told[0] if told else ""


def check_missing(plan: GradingPlan) -> None:
    """Refuse a run in which rows have no prediction, before anything is graded; only the ids of lines are decoded."""
    references = references_of(plan)
    seen = bytearray(len(references))
    left = len(references)
    for url in plan.urls:
        for where, id_ in _ids(url, plan, references):
            positions = references.positions(id_)
            if not positions and not references.is_refused(id_):
                raise ScoreError(f"{where}: {unknown_id(id_, references, plan.data)}")
            for position in positions:
                left -= not seen[position]
                seen[position] = True
            if not left:
                return
    if left:
        raise lacking("--predictions", references, seen)


_FIRST_ID = re.compile(rb'\s*\{\s*"id"\s*:\s*(\d{1,18}|"[^"\\\x00-\x1f]*")\s*[,}]')


def _ids(url: str, plan: GradingPlan, references: ListedReferences) -> Iterator[tuple[str, ProblemId]]:
    """Yield the ids of a file; of lines in our own layout that begin with the id, only that is decoded."""
    with _open(url) as file:
        records = read_opened(file, url, error=ScoreError, nesting=DEEPEST_NESTING)
        is_plain = records.kind == "lines" and plan.field is None and plan.id_field is None
        layout = layout_of(records, records.items, known=references)[0] if is_plain else None
    if layout is None or not layout.is_own:
        for where, id_, _ in _predictions(url, plan, references):
            yield where, id_
        return
    with _open(url) as file:
        whole = inflate(file, url, ScoreError)[0]
        for number, line in enumerate(numbered_lines(whole, url, ScoreError), 1):
            if line.strip():
                where = f"{url}, line {number}"
                yield from [(where, id_) for id_ in _ids_of(line, where, layout)]


def _ids_of(line: bytes, where: str, layout: Layout) -> list[ProblemId]:
    if first := _FIRST_ID.match(line):
        return [decode_json(first[1], where, ScoreError)]
    return [id_ for id_, *_ in layout.read(decode_json(line, where, ScoreError, nesting=DEEPEST_NESTING), where)]


def _predictions(url: str, plan: GradingPlan, references: ListedReferences) -> Iterator[ReadPrediction]:
    with _open(url) as file:
        records = read_opened(file, url, error=ScoreError, nesting=DEEPEST_NESTING)
        yield from predictions_of(records, url, field=plan.field, id_field=plan.id_field, known=references)


@contextmanager
def _open(url: str) -> Iterator[BinaryIO]:
    """Open a file; what `draw_dataset.io.inflate` does not decompress, the file system does."""
    compression = None if url.endswith(COMPRESSIONS) else "infer"
    with fsspec.open(url, "rb", compression=compression) as file:
        yield file


_VERDICTS = pa.schema(
    [
        ("id", pa.string()),
        ("where", pa.string()),  # file and line, or row
        ("derivation", pa.bool_()),
        ("equation", pa.float64()),
        ("solution", pa.bool_()),
        ("certain", pa.bool_()),
        ("status", pa.dictionary(pa.int8(), pa.string())),
        ("reason", pa.dictionary(pa.int8(), pa.string())),
        ("message", pa.string()),
    ]
)
_BATCH = 10_000  # verdicts that are in memory


class _VerdictFile:
    """A Parquet file of verdicts, written in batches."""

    def __init__(self, file: IO[bytes]) -> None:
        self.where = ""  # of the prediction that is graded now
        self._writer = pq.ParquetWriter(file, _VERDICTS, compression="zstd")
        self._rows: list[dict[str, Any]] = []

    def add(self, id_: ProblemId, verdict: Verdict) -> None:
        """Write a verdict, with the rest of its batch."""
        told = {name: getattr(verdict, name) for name in ("derivation", "solution", "certain", "message")}
        texts = {"id": str(id_), "where": self.where, "status": str(verdict.status), "reason": str(verdict.reason)}
        self._rows.append({**texts, **told, "equation": float(verdict.equation)})
        if len(self._rows) == _BATCH:
            self.flush()

    def flush(self) -> None:
        """Write the present batch."""
        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, _VERDICTS))
            self._rows.clear()

    def close(self) -> None:
        """Write the rest and the end of the file."""
        self.flush()
        self._writer.close()


class GradeFiles(PipelineStep):
    """Counts the predictions of a task's files."""

    type = "🎓 - GRADING"
    name = "🎓 grade predictions"

    def __init__(self, plan: GradingPlan) -> None:
        super().__init__()
        self.plan = plan

    def run(self, data: Any = None, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Write the tally of a task, and its verdicts if they are asked for."""
        urls = self.plan.urls[rank::world_size]
        if self.plan.verdicts:
            with whole_output(self.plan.out, f"verdicts/{rank:05d}.parquet") as file:
                verdicts = _VerdictFile(file)
                tally = self._grade(urls, rank, verdicts)
                verdicts.close()
        else:
            tally = self._grade(urls, rank, None)
        self.stat_update("graded", value=tally.count)
        write_lines(self.plan.out, f"tallies/{rank:05d}.jsonl", [tally.to_json()])
        yield from ()

    def _grade(self, urls: list[str], rank: int, verdicts: _VerdictFile | None) -> Tally:
        plan = self.plan
        references = references_of(plan)

        def pairs() -> Iterator[tuple[ProblemId, Any]]:
            for url in urls:
                for where, id_, prediction in _predictions(url, plan, references):
                    if verdicts is not None:
                        verdicts.where = where
                    yield id_, prediction

        judged = None if verdicts is None else verdicts.add
        with self.track_time():
            return score_shard(pairs(), references, plan.options, data=plan.data, shard=rank, judged=judged)


class MergeTallies(PipelineStep):
    """Adds up the tallies of all tasks and writes the score."""

    type = "🎓 - GRADING"
    name = "➕ merge tallies"

    def __init__(self, plan: GradingPlan) -> None:
        super().__init__()
        self.plan = plan

    def run(self, data: Any = None, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Write the score."""
        score = merge_score(self.plan)
        intervals = score.intervals()
        more = {"problems": len(score.results), "intervals": intervals, "slices": score.slices()}
        unread = {"mostly_unread": score.mostly_unread, "unread_note": score.unread_note}
        result = {**score.to_dict(), **more, **unread}
        with whole_output(self.plan.out, "score.json") as file:
            file.write((json.dumps(result, indent=1, ensure_ascii=False) + "\n").encode())
        with whole_output(self.plan.out, "score.txt") as file:
            file.write((score.to_text(intervals) + "\n").encode())
        yield from ()


def merge_score(plan: GradingPlan) -> Score:
    """Return the score of the present tallies."""
    paths = list_files(plan.out, "tallies")
    merged = merge_tallies(Tally.from_json(row) for path in paths for row in read_lines(plan.out, path))
    return complete(merged, references_of(plan), plan.missing)
