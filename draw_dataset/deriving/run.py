"""`derive`: rows from all records of a dataset, their counts, and files of rows that can be resumed.

With several processes only a few parcels of records are under way at a time, so that a million records take no more
memory than a thousand.
"""

from __future__ import annotations

import json
import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice, starmap
from pathlib import Path
from typing import IO, Any, TypeVar

from draw_dataset.derivation.problem import AMBIGUOUS, REFUSED
from draw_dataset.deriving.files import Record, read_records
from draw_dataset.deriving.recipe import Recipe, recipe_for
from draw_dataset.deriving.records import DECIDED, FIELDS, STATUSES, Names, Reason, reason_of
from draw_dataset.deriving.transfer import Siblings
from draw_dataset.errors import ChoiceError, FolderError, short_repr
from draw_dataset.io.atomic import PART, STANDARD, write_atomically
from draw_dataset.io.jsonl import json_line

PARCEL = 64  # records that a process gets at a time

MOST_PROCESSES = 256

Result = TypeVar("Result")


def derive(
    rows: Any,
    *,
    preset: str | None = None,
    question: Names | None = None,
    equations: str | None = None,
    formula: str | None = None,
    solution: str | None = None,
    answer: str | None = None,
    id: str | None = None,
    num_proc: int | None = None,
    progress: bool = False,
    verify: bool = False,
    sibling_field: str | None = None,
) -> Any:
    """Return rows with derivations for the problems of any dataset: one for each, in order.

    >>> problems = [{"text": "Ann had 12 pens. She gave 5 to Bob.", "calculation": "12 - 5", "result": 7}]
    >>> row = derive(problems, question="text", equations="calculation", answer="result")[0]
    >>> row["id"], row["derivation"], row["status"]
    (0, 'm = q1 - q2', 'decided')
    >>> worked = {"question": "Eggs cost $2. Bo buys 3 and pays with $10.", "answer": "3*2=6. 10-6=4. #### 4"}
    >>> derive([worked], preset="gsm8k")[0]["derivation"]
    'm = q3 - q2*q1'
    >>> text, calculation = "Mia has {0} jars and {1} lids. She fills {1} jars.", "{0} - {1}"
    >>> twins = [{"text": text.format(*n), "by": calculation.format(*n)} for n in ((9, 4), (8, 3))]
    >>> answered = [twin | {"result": 5} for twin in twins]
    >>> [row["siblings"] for row in derive(answered, question="text", equations="by", answer="result", verify=True)]
    [1, 1]

    Args:
        rows: the problems: a list or another iterable of mappings, a `datasets.Dataset` or `IterableDataset`, or the
            path of a file (JSON, JSON lines, CSV, TSV, XML).
        preset: ``gsm8k``, ``svamp``, ``asdiv`` or ``mawps``: where the fields of that dataset are.
        question: the field with the text, or several.
        equations: the field with equations, or with an expression that is the answer.
        formula: the field with a formula such as "7+2=9", with units and steps.
        solution: the field with a worked solution.
        answer: the field with the answer, which the reference must come to; a row whose answer is no number is refused.
        id: the field with the id; where there is none, a row is called by its position.
        num_proc: how many processes work; one if not given.
        progress: whether to show a bar on stderr.
        verify: whether derivations must give the answers of siblings, which are problems with the same text but for
            names and numbers. The problems are read twice, so they may be no iterator.
        sibling_field: the field that siblings have in common; by default `original_id`, `original_question` or
            `seed_question`, if there is one.

    Returns:
        A list for a list, a `Dataset` for a `Dataset`, an `IterableDataset` for an `IterableDataset`, else an iterator.
        Each row has `status` (``decided``, ``ambiguous`` or ``refused``), `reason`, `readings` and `constants`, and
        with `verify` also `siblings`: how many siblings the derivation gives the answers of.

    Raises:
        ChoiceError: there is no such preset or column, nothing says what a derivation is read from, or problems that
            are to be verified can be read only once.
    """
    named = (question, equations, formula, solution, answer, id)
    recipe = recipe_for(preset, dict(zip(FIELDS, named, strict=True)))
    if num_proc is not None and (type(num_proc) is not int or not 1 <= num_proc <= MOST_PROCESSES):
        raise ChoiceError(
            f"num_proc: expected a whole number from 1 to {MOST_PROCESSES}, but got {short_repr(num_proc)}"
        )
    check_sibling_field(sibling_field, verify=verify)
    if type(rows).__module__.partition(".")[0] == "datasets":
        # Only here, as importing datasets takes seconds.
        from draw_dataset.deriving.columns import derive_dataset

        siblings = find_siblings(rows, recipe, num_proc, field=sibling_field) if verify else None
        return derive_dataset(rows, recipe, num_proc, siblings)
    if isinstance(rows, (str, os.PathLike)):
        if verify and os.fspath(rows) == STANDARD:
            raise read_once("standard input")
        again = read_records(rows, recipe.element)
        siblings = find_siblings(again, recipe, num_proc, field=sibling_field) if verify else None
        return derive_rows(read_records(rows, recipe.element), recipe, num_proc, progress=progress, siblings=siblings)
    if isinstance(rows, Mapping):
        raise ChoiceError("expected the problems as a list, but got one mapping: put it into a list")
    if isinstance(rows, bytes) or not isinstance(rows, Iterable):
        raise ChoiceError(
            f"expected the problems as a list, a dataset or the path of a file, but got {short_repr(rows)}"
        )
    if verify and iter(rows) is rows:
        raise read_once("an iterator")
    siblings = find_siblings(rows, recipe, num_proc, field=sibling_field) if verify else None
    if isinstance(rows, (list, tuple)):
        return list(derive_rows(rows, recipe, num_proc, progress=progress, total=len(rows), siblings=siblings))
    return derive_rows(rows, recipe, num_proc, progress=progress, siblings=siblings)


def check_sibling_field(sibling_field: str | None, *, verify: bool) -> None:
    """Refuse a field of siblings that is no name, or that nothing is verified by."""
    if sibling_field is not None and not verify:
        raise ChoiceError("a field of siblings is only used to verify: expected verify (--verify) with it")
    if sibling_field is not None and not isinstance(sibling_field, str):
        raise ChoiceError(f"sibling_field: expected the name of a field, but got {short_repr(sibling_field)}")


def read_once(what: str) -> ChoiceError:
    """Return the error for problems that are to be verified and cannot be read twice."""
    return ChoiceError(
        f"verifying reads the problems twice, but {what} can be read only once: "
        "expected a list, a dataset or the name of a file"
    )


def derive_rows(
    records: Iterable[Record],
    recipe: Recipe,
    num_proc: int | None = None,
    *,
    first: int = 0,
    progress: bool = False,
    total: int | None = None,
    siblings: Siblings | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the rows of records, in their order; with siblings, verified by them."""
    tasks = (
        (record, position, None if siblings is None else siblings.of(position))
        for position, record in enumerate(records, first)
    )
    rows = _map(recipe.row, tasks, num_proc)
    if not progress:
        yield from rows
        return
    from tqdm import tqdm

    with tqdm(total=total, initial=first, unit=" problems", leave=False) as bar:
        for row in rows:
            yield row
            bar.update()


def find_siblings(
    records: Iterable[Record], recipe: Recipe, num_proc: int | None = None, *, field: str | None = None
) -> Siblings:
    """Return the siblings of all records: problems with the same text, or an equal value in a field."""
    named = False

    def tasks() -> Iterator[tuple[Record, int, str | None]]:
        nonlocal named
        for position, record in enumerate(records):
            named = named or (isinstance(record, Mapping) and field in record)
            yield record, position, field

    found = Siblings(_map(recipe.instance, tasks(), num_proc))
    if field is not None and not named:
        raise ChoiceError(f"no problem has the field {short_repr(field)} that siblings have in common")
    return found


def _map(function: Callable[..., Result], tasks: Iterable[tuple[Any, ...]], num_proc: int | None) -> Iterator[Result]:
    """Yield the results of a function for all tasks, in their order."""
    if num_proc is not None and num_proc > 1:
        return _map_in_processes(function, tasks, num_proc)
    return starmap(function, tasks)


def _run_parcel(function: Callable[..., Result], parcel: Sequence[tuple[Any, ...]]) -> list[Result]:
    return list(starmap(function, parcel))


def _map_in_processes(
    function: Callable[..., Result], tasks: Iterable[tuple[Any, ...]], num_proc: int
) -> Iterator[Result]:
    # Only here, as one process does without them.
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing import get_context

    source = iter(tasks)
    under_way: deque[Future[list[Result]]] = deque()
    with ProcessPoolExecutor(num_proc, mp_context=get_context("spawn")) as pool:
        try:
            while True:
                while len(under_way) < 3 * num_proc and (parcel := list(islice(source, PARCEL))):
                    under_way.append(pool.submit(_run_parcel, function, parcel))
                if not under_way:
                    return
                yield from under_way.popleft().result()
        finally:
            for waiting in under_way:
                waiting.cancel()


MAX_EXAMPLES = 3  # rows that are named for each reason


@dataclass(slots=True)
class DerivedCounts:
    """Counts of derived rows, by status and reason."""

    statuses: Counter[str] = field(default_factory=Counter)  # how many rows have each status
    reasons: Counter[str] = field(default_factory=Counter)  # how many refused rows have each reason
    examples: dict[str, list[tuple[int | str, str]]] = field(default_factory=dict)  # id and full reason, by reason
    text_ids: bool = False  # whether an id is a string
    verifies: bool = False  # whether rows were verified
    verified: int = 0  # how many derivations give the answers of siblings
    siblings: int = 0  # the answers of how many siblings they give

    def add(self, row: Mapping[str, Any]) -> None:
        """Count a row."""
        self.statuses[row["status"]] += 1
        self.text_ids = self.text_ids or isinstance(row["id"], str)
        self.verifies = self.verifies or "siblings" in row
        self.verified += row.get("siblings", 0) > 0
        self.siblings += row.get("siblings", 0)
        if row["status"] == REFUSED:
            reason = reason_of(row)
            self.reasons[reason] += 1
            named = self.examples.setdefault(reason, [])
            if len(named) < MAX_EXAMPLES:
                named.append((row["id"], row["reason"]))

    @property
    def total(self) -> int:
        """How many rows were counted."""
        return sum(self.statuses.values())

    @property
    def broken(self) -> int:
        """How many records could not be read, or lack a field."""
        return self.reasons[Reason.BROKEN.value] + self.reasons[Reason.MISSING.value]

    @property
    def transfer(self) -> dict[str, int]:
        """How many derivations were verified, failed, and have no siblings; empty if rows were not verified."""
        failed = self.reasons[Reason.TRANSFER.value]
        without = self.total - self.statuses[REFUSED] - self.verified
        counts = {
            "verified": self.verified,
            "by siblings": self.siblings,
            "failed": failed,
            "without siblings": without,
        }
        return counts if self.verifies else {}

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        transfer = {"transfer": self.transfer} if self.verifies else {}
        return {
            "rows": self.total,
            **{status: self.statuses[status] for status in STATUSES},
            **transfer,
            "reasons": dict(self.reasons.most_common()),
            "examples": {
                reason: [{"id": id_, "reason": why} for id_, why in named] for reason, named in self.examples.items()
            },
        }

    def to_text(self) -> str:
        """Return the counts as a small table.

        >>> counts = DerivedCounts()
        >>> counts.add({"id": 1, "status": "decided"})
        >>> counts.add({"id": 2, "status": "refused", "reason": "comparison"})
        >>> print(counts.to_text())
        2 rows
          decided           1   50.0 %
          ambiguous         0    0.0 %
          refused           1   50.0 %
            comparison      1   e.g. 2
        """
        width = max([9, *(len(reason) + 2 for reason in self.reasons)])
        lines = [f"{self.total:,} row{'' if self.total == 1 else 's'}"]
        for status in (DECIDED, AMBIGUOUS, REFUSED):
            count = self.statuses[status]
            lines.append(f"  {status:{width}} {count:6,}  {100 * count / max(1, self.total):5.1f} %")
        for reason, count in self.reasons.most_common():
            ids = ", ".join(str(id_) for id_, _ in self.examples[reason])
            lines.append(f"    {reason:{width - 2}} {count:6,}   e.g. {ids}")
        if self.verifies:
            told = self.transfer
            lines.append(
                f"verified by {told['by siblings']:,} siblings: {told['verified']:,}; "
                f"failed: {told['failed']:,}; without siblings: {told['without siblings']:,}"
            )
        return "\n".join(lines)


# Rows are written to ``FILE.part``. ``FILE.part.json`` says what they are made of: the source with its size and time,
# the fields, and the version of this package. A run that finds both, made of the same, continues.

FLUSHED = 200  # rows after which what was written is handed to the system


@dataclass(slots=True)
class RowFile:
    """A file of rows that is being written."""

    done: int  # how many rows it had when it was opened
    counts: DerivedCounts  # what the rows are, those that were there included
    kept: Path | None  # where the rows of a stopped run are that are made of something else
    _file: IO[str]
    _waiting: int = 0

    def write(self, row: Mapping[str, Any]) -> None:
        """Write a row."""
        self._file.write(json_line(row))
        self.counts.add(row)
        self._waiting += 1
        if self._waiting >= FLUSHED:
            self._file.flush()
            self._waiting = 0


@contextmanager
def row_file(path: Path, made_of: Mapping[str, Any]) -> Iterator[RowFile]:
    """Open a file of rows to write or to continue; it takes its name when the block ends well."""
    part, note = path.with_name(path.name + PART), path.with_name(f"{path.name}{PART}.json")
    said = json.dumps(made_of, sort_keys=True, ensure_ascii=False)
    try:
        counts, kept = _count_written(part, note, said), None
        if counts is None:
            counts = DerivedCounts()
            if part.is_file() and part.stat().st_size:
                kept = part.with_name(f"{part.name}.old")
                os.replace(part, kept)
            write_atomically(note, said)
        with part.open("a", encoding="utf-8", newline="\n") as file:
            yield RowFile(counts.total, counts, kept, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
        note.unlink(missing_ok=True)
    except FolderError:
        raise
    except OSError as error:
        raise FolderError(f"cannot write {path}: {error.strerror or error}") from error


def _count_written(part: Path, note: Path, said: str) -> DerivedCounts | None:
    """Count the rows that are there already, if they are made of the same; drop a last line that was cut off."""
    if not part.is_file() or not note.is_file() or note.read_text(encoding="utf-8") != said:
        return None
    counts, end = DerivedCounts(), 0
    with part.open("r+b") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            try:
                row = json.loads(line)
            except ValueError:
                break
            counts.add(row)
            end += len(line)
        file.truncate(end)
    return counts
