"""Files of predictions: read in the layouts that people have, and scored.

A record is ``{"id": 7, "prediction": …}``, or has the prediction's own fields next to the id: ``{"id": 7, "template":
[…], "alignment": […]}``, in any order; `draw_dataset.scoring.layouts` recognizes others. Every id must be an id of the
rows. It occurs once, or once for each sample: with another ``sample``, or as often as every other id. Missing ids are
an error, count as abstentions, or are skipped; unknown ids are an error, or are ignored. A file is read for its ids
before anything is graded. Only the result of a line is kept, so the length of a file of lines does not matter.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from draw_dataset.derivation.problem import Problem, ProblemId
from draw_dataset.errors import ChoiceError, RowError, ScoreError, short_repr
from draw_dataset.io.atomic import STANDARD
from draw_dataset.io.jsonl import DEEPEST_NESTING, decode_json, display_name
from draw_dataset.io.records import Record, Records, open_records
from draw_dataset.scoring.gold import ROWS, PreparedProblem
from draw_dataset.scoring.gold_rows import FiledReferences, KnownIds, ListedReferences, lacking, unknown_id
from draw_dataset.scoring.layouts import (
    HEAD,
    Layout,
    answer_texts,
    find_layout,
    is_own,
    records_of_document,
    row_text,
    texts_are_derivations,
)
from draw_dataset.scoring.options import GoldMode, MatchMode, Missing, Options
from draw_dataset.scoring.problem_layouts import Columns, system_field
from draw_dataset.scoring.score import ItemResults, Score, Tally
from draw_dataset.scoring.verdict import Verdict
from draw_dataset.scoring.workers import Graded, Task, grade_tasks

Note = Callable[[str], object]
"""What is called with a sentence about a file: which fields are used, how ids are matched."""


_WORDS = {int: "numbers", str: "strings"}


class Judged(NamedTuple):
    """A prediction with its gold and its verdict."""

    reference: PreparedProblem
    prediction: Any
    verdict: Verdict
    sample: int | str | None = None  # which of several samples of its problem it is
    corrected: Verdict | None = None  # on corrected gold, where that differs from published gold
    columns: Columns = ()  # the other columns of its record


class ReadPrediction(NamedTuple):
    """A prediction of a file."""

    where: str  # file and line, as messages give it
    id: ProblemId
    prediction: Any


class OneSystem(NamedTuple):
    """Whose records of a file count: those with a value in a field."""

    field: str
    name: str


def systems_in(path: str | os.PathLike[str], by: str | None = None) -> list[OneSystem]:
    """Return the systems that the records of a file name in the field ``model``, or in another; none if not several.

    Raises `ScoreError` if a record lacks the field `by`.
    """
    if not _is_file(path):  # a pipe can be read only once
        if by is not None:
            raise ScoreError(f"{display_name(path)}: expected a file to split by {by}, but got a pipe")
        return []
    names: dict[str, None] = {}
    with open_records(path, error=ScoreError, nesting=DEEPEST_NESTING) as records:
        items = records.items
        if records.kind == "document":
            document = next(items)
            items = iter(records_of_document(document.value, document.where, None))
        for where, entry in items:
            found = by or (system_field([entry]) if isinstance(entry, dict) else None)
            if found is None:
                return []
            name = _system_of(entry, found)
            if by is not None and name is None:
                raise ScoreError(f"{where}: expected the field {by} with the name of a system, but got none")
            names.setdefault(str(name))
            field = found
    return [OneSystem(field, name) for name in names] if len(names) > 1 else []


def _system_of(entry: Any, field: str) -> str | None:
    value = entry.get(field) if isinstance(entry, dict) else None
    return None if value is None else str(value)


def read_predictions(
    path: str | os.PathLike[str],
    *,
    field: str | None = None,
    id_field: str | None = None,
    sample: int | None = None,
    known: KnownIds | None = None,
    note: Note | None = None,
    progress: bool = False,
) -> Iterator[ReadPrediction]:
    """Yield the predictions of a file; see `score_file` for the arguments. `known` are the ids of the rows."""
    with open_records(path, error=ScoreError, nesting=DEEPEST_NESTING, progress=progress) as records:
        name = display_name(path)
        yield from predictions_of(records, name, field=field, id_field=id_field, sample=sample, known=known, note=note)


def predictions_of(
    records: Records,
    name: str,
    *,
    field: str | None = None,
    id_field: str | None = None,
    sample: int | None = None,
    known: KnownIds | None = None,
    note: Note | None = None,
) -> Iterator[ReadPrediction]:
    """Yield the predictions of the records of a file with a name."""
    for read, _ in _samples_of(records, name, field=field, id_field=id_field, sample=sample, known=known, note=note):
        yield read


def _samples_of(
    records: Records,
    name: str,
    *,
    field: str | None = None,
    id_field: str | None = None,
    sample: int | None = None,
    known: KnownIds | None = None,
    note: Note | None = None,
    only: OneSystem | None = None,
) -> Iterator[tuple[ReadPrediction, Any]]:
    """Yield the predictions of the records of a file, each with the number of its sample, or None."""
    items = records.items
    if records.kind == "texts":
        if field is not None or id_field is not None:
            raise ScoreError(f"{name}: expected records with fields, but got texts without any")
        yield from _in_order(items, name, sample, known, note)
        return
    if records.kind == "document":
        document = next(items)
        items = iter(records_of_document(document.value, document.where, known))
    if only is not None:
        items = (item for item in items if _system_of(item.value, only.field) == only.name)
    layout, items = layout_of(records, items, field=field, id_field=id_field, known=known)
    told = note or (lambda _: None)
    if layout.note:
        told(f"{name}: {layout.note}")
    # A table or an object by id does not say which type an id has.
    other = None if known is None or records.kind in ("table", "document") else known.id_type
    for where, entry in items:
        for id_, prediction, number in layout.read(entry, where, sample):
            if other is not None and type(id_) is not other and known is not None and known.positions(id_):
                told(f"{name}: ids are {_WORDS[type(id_)]} here and matched as {_WORDS[other]}, as the rows have them")
                other = None
            yield ReadPrediction(where, id_, prediction), number


def rows_in_logs(paths: Iterable[str | os.PathLike[str]]) -> list[dict[str, Any]] | None:
    """Return the rows that logs of our tasks for inspect-ai and lm-eval carry, each once; None if a record has none."""
    rows: dict[str, dict[str, Any]] = {}
    for path in paths:
        if not _is_file(path):  # a pipe can be read only once
            return None
        with open_records(path, error=ScoreError, nesting=DEEPEST_NESTING) as records:
            items = records.items
            if records.kind == "document":
                document = next(items)
                items = iter(records_of_document(document.value, document.where, None))
            for where, entry in items:
                row = row_text(entry)
                if row is None:
                    return None
                if row not in rows:
                    rows[row] = decode_json(row, where, ScoreError)
    return list(rows.values())


def read_final_answers(
    path: str | os.PathLike[str],
    *,
    field: str | None = None,
    id_field: str | None = None,
    known: KnownIds | None = None,
    note: Note | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the lines of a file of final answers, each with its id: numbers, lists of numbers, texts or predictions."""
    with open_records(path, error=ScoreError, nesting=DEEPEST_NESTING) as records:
        name = display_name(path)
        if records.kind not in ("lines", "objects"):
            for _, id_, given in predictions_of(records, name, field=field, id_field=id_field, known=known, note=note):
                yield {**given, "id": id_} if isinstance(given, Mapping) else {"id": id_, "prediction": given}
            return
        layout, items = layout_of(records, records.items, field=field, id_field=id_field, known=known)
        if layout.note and note is not None:
            note(f"{name}: {layout.note}")
        for where, entry in items:
            if layout.is_own:
                yield entry
            elif (line := layout.final_answer(entry, where)) is not None:
                yield line
            else:
                for id_, given, _ in layout.read(entry, where):
                    yield {**given, "id": id_} if isinstance(given, Mapping) else {"id": id_, "prediction": given}


def layout_of(
    records: Records,
    items: Iterator[Record],
    *,
    field: str | None = None,
    id_field: str | None = None,
    known: KnownIds | None = None,
) -> tuple[Layout, Iterator[Record]]:
    """Return the layout of records, and the records again."""
    head: list[Record] = []
    for item in items:
        head.append(item)
        if len(head) == HEAD or (field is None and id_field is None and is_own(item.value)):
            break
    is_table = records.kind == "table"
    layout = find_layout(head, field=field, id_field=id_field, known=known, is_table=is_table)
    return layout, chain(head, items)


def _in_order(
    items: Iterator[Record], name: str, sample: int | None, known: KnownIds | None, note: Note | None
) -> Iterator[tuple[ReadPrediction, Any]]:
    """Yield texts without ids as predictions of the rows in their order."""
    if known is None:
        raise ScoreError(f"{name}: expected records with ids, but got texts without any")
    # One more than there are rows says that there are too many.
    texts = [item for item, _ in zip(items, range(len(known) + 1), strict=False)]
    if len(texts) != len(known):
        got = f"more than {len(known)}" if len(texts) > len(known) else str(len(texts))
        raise ScoreError(
            f"{name}: expected a text for each of the {len(known)} rows, because texts without ids are matched in "
            f"order, but got {got}"
        )
    is_derivation = texts_are_derivations([item.value for item in texts])
    if note is not None:
        what = "predictions in q-notation" if is_derivation else "model answers"
        note(f"{name}: {len(texts)} texts without ids are matched to the rows in order, as {what}")
    for position, item in enumerate(texts):
        id_ = known.id_at(position)
        if known.positions(id_)[0] != position:
            continue  # a row that is the same as one before
        if is_derivation:
            yield ReadPrediction(item.where, id_, item.value), None
            continue
        found = answer_texts(item.value)
        if found is None:
            raise ScoreError(f"{item.where}: expected a text, or null to abstain, but got {short_repr(item.value)}")
        for number, text in enumerate(found):
            if sample is None or number == sample:
                several = {"sample": number} if len(found) > 1 else {}
                yield ReadPrediction(item.where, id_, {"answer": text, **several}), several.get("sample")


def score_file(
    path: str | os.PathLike[str],
    rows: ListedReferences | FiledReferences | Iterable[Mapping[str, Any] | Problem | PreparedProblem],
    options: Options = Options(),  # noqa: B008
    *,
    match: MatchMode | None = None,
    gold: GoldMode | None = None,
    data: str = ROWS,
    missing: Missing = "error",
    field: str | None = None,
    id_field: str | None = None,
    sample: int | None = None,
    ignore_unknown: bool = False,
    note: Note | None = None,
    judged: Callable[[Judged], object] | None = None,
    progress: bool = False,
    workers: int = 1,
    only: OneSystem | None = None,
) -> Score:
    """Score a file of predictions.

    >>> import json, pathlib, tempfile
    >>> from draw_dataset.data.sample import load_sample
    >>> rows = [problem.to_row() for problem in load_sample()["test"][:2]]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "predictions.jsonl")
    ...     _ = path.write_text(json.dumps({"id": 91, "prediction": rows[0]["derivation"]}))
    ...     score_file(path, rows, missing="abstain").counts
    {'right': 1, 'abstained': 1}

    Args:
        path: the file; ``-`` is standard input. Its format is JSON lines, JSON, CSV, TSV, Parquet, plain text or a log
            of inspect-ai, and it may be compressed with gzip or Zstandard.
        rows: the rows, in any form, or references that have been read already.
        options: how to grade.
        match: when a derivation counts as right; overrides the options, see `Options`.
        gold: gold derivations to accept; overrides the options, see `Options`.
        data: the name of the rows in the signature, such as ``draw1k/test``; by default as `score` names them.
        missing: what to do about rows without a prediction: ``error``; ``abstain``, which counts as wrong; or ``skip``,
            which scores only rows with a prediction. The same holds for samples that a problem has less than others.
        field: the field with the text of a language model, if records are not predictions; by default fields with
            common names are found.
        id_field: the field with the id; by default ``id``, or another common name.
        sample: if a problem has several samples, score only the one with this number in the field ``sample``; a line
            without the field is sample 0. By default all are scored, and the score has a pass@k (`Score.pass_at`).
        ignore_unknown: whether to leave out predictions for ids that the rows do not have; their number is noted.
        note: called with a sentence about how the file is read, if it is not in our own layout.
        judged: called with every prediction and its verdict, in the order of the file.
        progress: whether to show a progress bar on stderr.
        workers: how many processes grade a file of more than 500 predictions; the figures are the same. They are
            spawned, so a program that asks for several guards its start by ``if __name__ == "__main__"``.
        only: score only the records of one of several systems in the file, see `systems_in`.

    Returns:
        The score, its items in the order of the rows. Refused rows have no gold: they and their predictions are left
        out.

    Raises:
        ScoreError: the file cannot be read, a line is not a prediction, or an id is repeated, unknown or missing. Names
            file, line and id.
        RowError: a row or its gold cannot be read.
        ChoiceError: the name of the data cannot stand in a signature, or an option has an unknown value.
    """
    if missing not in ("error", "abstain", "skip"):
        raise ChoiceError(f"missing: expected error, abstain or skip, but got {short_repr(missing)}")
    if type(workers) is not int or workers < 1:
        raise ChoiceError(f"workers: expected a whole number from 1, but got {short_repr(workers)}")
    references = rows if isinstance(rows, (ListedReferences, FiledReferences)) else ListedReferences(rows)
    if not len(references):
        raise ScoreError("expected at least one reference, but got none")
    results = ItemResults(keep_references=references.few)
    options = options.with_match(match).with_gold(gold)
    tally = Tally(options, data, results)
    order = array("q")

    def add(task: Task, graded: Graded | None = None) -> None:
        position, prediction, reference = task.position, task.prediction, task.reference
        # Rows that share an id are the same, and so are the rows of several samples.
        is_new = task.is_first and references.positions(reference.problem.id)[0] == position
        try:
            verdict = tally.add(prediction, reference, is_new=is_new, problem=position, graded=graded)
        except RowError as error:
            raise references.located(position, error) from error
        order.append(position)
        if judged is not None:
            corrected = tally.corrected_verdict
            judged(Judged(reference, prediction, verdict, task.sample, corrected=corrected))

    pairing = _Pairing(path, references, data, ignore_unknown, field, id_field, sample, only)
    told = note
    if _is_file(path):  # a pipe can be read only once
        for _ in pairing.pairs(note):
            pass
        pairing.check(missing, note)
        told = None
    has_samples = pairing.most > 1
    tasks = (
        # A pipe shows only later whether there are several samples.
        Task(
            position,
            given.prediction,
            references.reference(position),
            given.sample if has_samples or given.is_numbered or not given.is_first else None,
            given.is_first,
        )
        for given in pairing.pairs(told, progress=progress)
        for position in given.positions
    )
    for task, graded in grade_tasks(tasks, options, workers):
        add(task, graded)
    pairing.check(missing, told)
    if missing == "abstain":
        for position, number, is_first in pairing.lacking():
            sample_ = number if pairing.most > 1 else None
            add(Task(position, None, references.reference(position), sample_, is_first))
    if len(order) == len(references) and pairing.most < 2:
        return tally.result(missing, order)
    places = array("q", bytes(8 * len(order)))
    for place, at in enumerate(sorted(range(len(order)), key=order.__getitem__)):
        places[at] = place
    return tally.result(missing, places)


def _is_file(path: str | os.PathLike[str]) -> bool:
    # Anything else is refused by name when it is opened.
    return isinstance(path, (str, os.PathLike)) and os.fspath(path) != STANDARD and os.path.isfile(path)


class _Pair(NamedTuple):
    """A prediction of a file with its rows."""

    positions: Sequence[int]
    prediction: Any
    sample: int | str
    is_numbered: bool  # whether the file gives the number of the sample
    is_first: bool  # whether the rows have had no prediction before


_FLAGS = 63
"""Numbers of samples that are kept as bits of an integer; others are kept in a set."""


class _Pairing:
    """The predictions of a file with the positions of their rows."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        references: ListedReferences | FiledReferences,
        data: str,
        ignore_unknown: bool,
        field: str | None,
        id_field: str | None,
        sample: int | None,
        only: OneSystem | None,
    ) -> None:
        self._path, self._references, self._data = path, references, data
        self._ignore_unknown = ignore_unknown
        self._field, self._id_field, self._sample = field, id_field, sample
        self._only = only
        self._unknown = 0
        self._start()

    def _start(self) -> None:
        rows = len(self._references)
        self.seen = bytearray(rows)  # for each row whether it has a prediction
        self._counts = array("L", bytes(array("L").itemsize * rows))
        self._numbers = array("Q", bytes(8 * rows))  # for each row its samples below `_FLAGS`, as bits
        self._others: set[tuple[int, int | str]] = set()  # rows with samples that have other numbers
        self.most = 0  # the largest number of predictions for a row
        self._repeat = ""  # where an id first occurs again without a number of its sample
        self._unknown = 0

    def pairs(self, note: Note | None, *, progress: bool = False) -> Iterator[_Pair]:
        """Read the file from its start; raises `ScoreError` if an id is unknown or a sample is repeated."""
        references = self._references
        self._start()
        for (where, id_, prediction), given in self._read(note, progress):
            positions = references.positions(id_)
            if not positions and references.is_refused(id_):
                continue
            if not positions and self._ignore_unknown:
                self._unknown += 1
                continue
            if not positions:
                raise ScoreError(
                    f"{where}: {unknown_id(id_, references, self._data)}; ignore_unknown=True leaves such lines out"
                )
            count = self._counts[positions[0]]
            is_numbered = type(given) is int or type(given) is str
            if count and not is_numbered and self._sample is not None:
                raise ScoreError(f"{where}: expected each id once, but got {short_repr(id_)} again")
            if count and not is_numbered and not self._repeat:
                self._repeat = f"{where}: expected each id once, but got {short_repr(id_)} again"
            number: int | str = given if is_numbered and given is not None else count
            if not self._is_new(positions[0], number):
                raise ScoreError(
                    f"{where}: expected each sample of a problem once, but got sample {short_repr(number)} of "
                    f"{short_repr(id_)} again"
                )
            for position in positions:
                self.seen[position] = True
                self._counts[position] += 1
            self.most = max(self.most, count + 1)
            yield _Pair(positions, prediction, number, is_numbered, not count)

    def _read(self, note: Note | None, progress: bool) -> Iterator[tuple[ReadPrediction, Any]]:
        with open_records(self._path, error=ScoreError, nesting=DEEPEST_NESTING, progress=progress) as records:
            yield from _samples_of(
                records,
                display_name(self._path),
                field=self._field,
                id_field=self._id_field,
                sample=self._sample,
                known=self._references,
                note=note,
                only=self._only,
            )

    def _is_new(self, position: int, number: int | str) -> bool:
        """Note a sample of a row, and return whether it has not occurred yet."""
        if isinstance(number, int) and 0 <= number < _FLAGS:
            before = self._numbers[position]
            self._numbers[position] = before | 1 << number
            return not before >> number & 1
        size = len(self._others)
        self._others.add((position, number))
        return len(self._others) > size

    def lacking(self) -> Iterator[tuple[int, int, bool]]:
        """Yield a row for each sample that it lacks, with a free number, and whether the row has no prediction."""
        most = max(self.most, 1)
        for position, count in enumerate(self._counts):
            free = (number for number in range(most + count) if not self._has(position, number))
            for at, number in zip(range(count, most), free, strict=False):
                yield position, number, at == 0

    def _has(self, position: int, number: int) -> bool:
        return bool(self._numbers[position] >> number & 1) if number < _FLAGS else (position, number) in self._others

    def check(self, missing: Missing, note: Note | None) -> None:
        """Say how many ids were unknown; raises `ScoreError` if predictions are missing and may not be."""
        name = display_name(self._path)
        if self._unknown and note is not None:
            what = "1 prediction for an id" if self._unknown == 1 else f"{self._unknown} predictions for ids"
            note(f"{name}: left out {what} that the rows do not have")
        if self.most > 1:
            self._check_samples(missing)
        if 0 not in self.seen:
            return
        if missing == "error":
            raise lacking(name, self._references, self.seen)
        if missing == "skip" and 1 not in self.seen:
            raise ScoreError(
                f"{name}: expected a prediction for at least one of the {len(self.seen)} rows, but got none"
            )

    def _check_samples(self, missing: Missing) -> None:
        """Raise `ScoreError` if an id is repeated by mistake, or samples are missing and may not be."""
        few = [position for position, count in enumerate(self._counts) if 0 < count < self.most]
        if few and self._repeat:
            raise ScoreError(f"{self._repeat}; if lines are samples, give each a field sample: 0, 1, …")
        if few and missing == "error":
            names = ", ".join(short_repr(self._references.id_at(position)) for position in few[:3])
            raise ScoreError(
                f"{display_name(self._path)}: expected {self.most} samples of each problem, but {len(few)} have fewer: "
                f"{names}{', …' if len(few) > 3 else ''} (missing='abstain' counts them as abstentions, "
                "missing='skip' scores only the others; of several samples, sample=0 scores the first)"
            )
