"""Import of problems and readings into a store: read from files, assessed, compared with the store; all or none.

A line or a row of a table that is no problem is `Broken`; whoever reads leaves it out, or refuses the whole file. Id,
question and equations may have other common names: `scoring.layouts` has the rule, `scoring.problem_layouts` the names
of questions. The lines of a file without ids are numbered.

Gold columns of a line are ignored, other fields are exported again; ``look_at`` (reasons for review) and
``number_words`` are also used. A problem that cannot be annotated stays in the store, since its text can be edited.

A *reading* is a whole annotation in one line, with equations of its own. It becomes an annotator's decisions.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BufferedReader, BytesIO
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from draw_dataset.annotate.decisions import (
    MAX_WHY,
    AnnotationState,
    Decision,
    StoredProblem,
    apply_decision,
    fresh_work,
    read_decision,
    read_id,
)
from draw_dataset.annotate.normal import carry_derivation, carry_expression, read_stated
from draw_dataset.annotate.tables import STATUSES, ProblemEntry, StoreTables
from draw_dataset.derivation.derivation import Place, TextNumber
from draw_dataset.derivation.problem import BadField, ProblemId, id_named, is_problem_id, read_each, read_number
from draw_dataset.errors import AnnotationError, DrawError, RowError, short_repr
from draw_dataset.io.inflate import inflate
from draw_dataset.io.jsonl import (
    MAX_NESTING,
    begins_array,
    decode_json,
    decode_whole_line,
    display_name,
    json_values,
    numbered_lines,
    open_input,
    read_json_lines,
)
from draw_dataset.io.records import Broken, csv_records, format_suffix
from draw_dataset.scoring.layouts import HEAD, ID_FIELDS, find_field
from draw_dataset.scoring.problem_layouts import TEXTS

GOLD = (
    "numbers", "solutions", "template", "alignment", "equiv_tnum", "derivation", "findings", "alternatives", "asked",
    "roles", "correction", "status", "reason", "readings", "constants",
)  # fmt: skip
"""The fields of a row that annotation makes again."""

DERIVED = ("decided", "ambiguous", "refused")
"""The statuses of rows of other sources, whose numbers are found by the rules for ordinary English."""

OURS = ("annotated", "annotators")  # the fields that an export adds

FIXED = frozenset({"id", "question", "equations", *GOLD, *OURS})
"""The fields that have a place of their own; all others stay with the problem as they are."""

REMEDY = (
    "write a derivation yourself (D on the page), mark a number (w), edit the text (t), or correct the file and import "
    "it with --update"
)
"""Advice on problems that cannot be annotated as they are."""

_COLUMNS = ("id", "question", "equations")
_NAMED = 20  # ids in a message


@dataclass(frozen=True, slots=True)
class Intake:
    """Result of an import."""

    added: tuple[ProblemId, ...]
    updated: tuple[ProblemId, ...]  # in the store with other content, or with the status that earlier rules gave it
    unchanged: tuple[ProblemId, ...]  # in the store with the same content
    counts: Mapping[str, int]  # added and updated problems by status
    refused: Mapping[ProblemId, str]  # messages
    constants: Mapping[ProblemId, tuple[str, ...]]  # values of equations that neither the text nor common use explains


class ReadProblem(NamedTuple):
    """A problem of a file."""

    problem: StoredProblem
    numbers: object  # the field ``numbers`` of its line
    where: str


def read_problems(path: Path) -> Iterator[StoredProblem]:
    """Yield the problems of a file of JSON lines, CSV or TSV, or of standard input if it is called ``-``."""
    for read in read_each_problem(path):
        if isinstance(read, Broken):
            raise RowError(read.message)
        yield read.problem


def read_each_problem(path: Path, notes: list[str] | None = None) -> Iterator[ReadProblem | Broken]:
    """Yield the problems of a file, and the lines that are none or another problem of the same id.

    `notes` gets what other names of fields were taken for.
    """
    name = display_name(path)
    known: dict[ProblemId, ReadProblem] = {}
    with open_input(path, RowError) as file:
        for where, row in _rows_of(inflate(file, name, RowError)[0], name, notes):
            try:
                read = row if isinstance(row, Broken) else ReadProblem(*_read_problem(row, where), where)
            except RowError as error:
                read = Broken(str(error))
            if isinstance(read, ReadProblem):
                first = known.setdefault(read.problem.id, read)
                if not _same(first.problem, read.problem):
                    read = Broken(f"{where}: expected each id once, but got another problem {read.problem.id} before")
            yield read


_Row = Mapping[str, Any]


def _rows_of(file: BufferedReader, name: str, notes: list[str] | None = None) -> Iterator[tuple[str, _Row | Broken]]:
    """Yield the rows of a file with our own names of fields, each with its place."""
    is_table = format_suffix(name) in (".csv", ".tsv")
    rows = _written_rows(file, name)
    head = list(islice(rows, HEAD))
    renamed = _find_fields([row for _, row in head if not isinstance(row, Broken)])
    for number, (where, row) in enumerate(chain(head, rows), 1):
        if isinstance(row, Broken):
            yield where, row
            continue
        ours = {renamed.get(field, field): value for field, value in row.items()}
        if "id" not in renamed.values():
            ours["id"] = str(number) if is_table else number
        yield where, _read_cells(ours, row, name) if is_table else ours
    if notes is not None and head:
        said = [f'"{field}" as the {ours}' for field, ours in renamed.items() if field != ours]
        said += ["the number of each line as its id"] * ("id" not in renamed.values())
        notes += [f"{name}: took {', '.join(said)}"] * bool(said)


_QUESTIONS = (*TEXTS, "text", "body")
_EQUATIONS = ("equations", "equation", "lEquations", "formula", "formulas", "solution")


def _find_fields(entries: Sequence[_Row]) -> dict[str, str]:
    """Return the fields of some records that are id, question and equations, each with our name for it."""
    names = {"id": ("id", *ID_FIELDS), "question": _QUESTIONS, "equations": _EQUATIONS}
    found = {find_field(entries, given): ours for ours, given in names.items()}
    # Another field counts as the id only if it could be one in each line.
    return {
        field: ours
        for field, ours in found.items()
        if field is not None and (ours != "id" or field == "id" or all(is_problem_id(e.get(field)) for e in entries))
    }


def _written_rows(file: BufferedReader, name: str) -> Iterator[tuple[str, _Row | Broken]]:
    suffix = format_suffix(name)
    if suffix in (".csv", ".tsv"):
        yield from csv_records(file, name, delimiter="\t" if suffix == ".tsv" else None, different=True)
        return
    if begins_array(file.peek()):
        for value in json_values(file, name, error=RowError):
            yield f"{name}, line {value.number}", value.value
        return
    for number, line in enumerate(numbered_lines(file, name, RowError), 1):
        where = f"{name}, line {number}"
        if line.strip() not in (b"", BOM_UTF8):
            try:
                yield where, decode_whole_line(line, where, RowError, MAX_NESTING)
            except RowError as error:
                yield where, Broken(str(error))


# Neither an exponent, nor the % of a program, which stands between two operands.
_PERCENTAGE = re.compile(
    r"(?<![\w.,])(?<!\^)(?<!\^ )((?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d*)?|\.\d+)\s*%(?!\s*[\w.(\[])", re.ASCII
)


def expand_percentages(equation: str) -> str:
    """Return an equation in which each percentage is a product, since the algebra of equations has no ``%``.

    >>> expand_percentages("x = 20*(1 - 25%)"), expand_percentages("x = 7 % 4")
    ('x = 20*(1 - (0.01*25))', 'x = 7 % 4')
    """
    return _PERCENTAGE.sub(r"(0.01*\1)", equation)


_SEPARATOR = re.compile(r"[;\r\n]+")


def _read_cells(row: Mapping[str, str], written: Mapping[str, str], name: str) -> dict[str, Any]:
    """Return a row of a table as a line of JSON would have it. An empty cell of another column says nothing."""
    missing = [column for column in _COLUMNS if column not in row]
    if missing:
        raise RowError(
            f"{name}: expected columns for question and equations, but got none for {' and '.join(missing)}; the "
            f"header has {', '.join(map(short_repr, written))}"
        )
    found: dict[str, Any] = {column: text for column, text in row.items() if text and column not in GOLD}
    found["id"], found["question"] = id_named(row["id"].strip()), row["question"]
    found["equations"] = [part.strip() for part in _SEPARATOR.split(row["equations"]) if part.strip()]
    if "look_at" in found:
        found["look_at"] = [found["look_at"]]
    return found


def read_problem_bytes(content: bytes, name: str, most: int, notes: list[str] | None = None) -> Iterator[StoredProblem]:
    """Yield at most so many problems of an uploaded file of JSON lines, CSV or TSV; `name` is the file in messages.

    >>> [problem.id for problem in read_problem_bytes(b'{"id": 7, "question": "", "equations": []}', "mine.jsonl", 10)]
    [7]
    """
    # Uploads are not decompressed.
    for count, (where, row) in enumerate(_rows_of(BufferedReader(BytesIO(content)), name, notes), 1):
        if count > most:
            raise RowError(f"{name}: expected at most {most} problems, but got more; use draw annotate import")
        if isinstance(row, Broken):
            raise RowError(row.message)
        yield _read_problem(row, where)[0]


def _read_problem(row: Mapping[str, Any], where: str) -> tuple[StoredProblem, object]:
    missing = [name for name in _COLUMNS if name not in row]
    if missing:
        raise RowError(f"{where}: expected id, question and equations, but {', '.join(missing)} is missing")
    equations = [row["equations"]] if isinstance(row["equations"], str) else row["equations"]
    if not isinstance(equations, list):
        raise RowError(f"{where}: equations: expected a list of strings, but got {short_repr(equations)}")
    extra = {name: value for name, value in row.items() if name not in FIXED}
    if row.get("status") in DERIVED:
        extra["number_words"] = "ordinary"
    expanded = (expand_percentages(text) if isinstance(text, str) else text for text in equations)
    problem = StoredProblem(row["id"], row["question"], tuple(expanded), extra)
    _check(problem, where, RowError)
    return problem, row.get("numbers")


def check_new_problems(problems: Iterable[StoredProblem]) -> list[StoredProblem]:
    """Return problems that may be imported, each once."""
    found: dict[ProblemId, StoredProblem] = {}
    for problem in problems:
        _check(problem, f"problem {short_repr(problem.id)}", AnnotationError)
        if not _same(found.setdefault(problem.id, problem), problem):
            raise AnnotationError(
                f"problem {problem.id}: expected each id once, but got two different problems with it"
            )
    return list(found.values())


def _check(problem: StoredProblem, where: str, error: type[DrawError]) -> None:
    read_id(problem.id, where, error)
    for name, text in (("question", problem.question), *(("equations", equation) for equation in problem.equations)):
        if not isinstance(text, str) or any("\ud800" <= character <= "\udfff" for character in text):
            raise error(f"{where}: {name}: expected strings that can be written as UTF-8, but got {short_repr(text)}")
    try:
        decode_json(_extra_json(problem.extra), "as they would be read again")
    except (TypeError, ValueError, RecursionError) as cause:  # RowError is a ValueError, too
        raise error(f"{where}: expected other fields as plain data, but got {cause}") from cause


def _extra_json(extra: Mapping[str, Any]) -> str:
    """Return the other fields of a problem in one order."""
    return json.dumps(dict(extra), sort_keys=True, allow_nan=False)


def _same(one: StoredProblem, other: StoredProblem) -> bool:
    return (one.question, one.equations) == (other.question, other.equations) and (
        _extra_json(one.extra) == _extra_json(other.extra)
    )


def assess(stored: StoredProblem) -> ProblemEntry:
    """Decide whether a problem needs a person.

    >>> assess(StoredProblem(1, "Ann has 3 and 4 .", ("x = 3 + 4",))).status
    'automatic'
    """
    work = fresh_work(stored, "")
    if work.proposal is None:
        return ProblemEntry(stored, "refused", 0, work.refusal)
    if work.left:
        return ProblemEntry(stored, "open", len(work.left), None)
    try:
        work.problem()
    except AnnotationError as error:
        return ProblemEntry(stored, "refused", 0, str(error))
    return ProblemEntry(stored, "open" if stored.look_at else "automatic", 0, None)


def import_problems(tables: StoreTables, assessed: Sequence[ProblemEntry], update: bool) -> Intake:
    """Write problems into a store, within the caller's transaction."""
    entries = {entry.stored.id: entry for entry in tables.entries()}
    there = {id_: entry.stored for id_, entry in entries.items()}
    same = [e for e in assessed if e.stored.id in there and _same(there[e.stored.id], e.stored)]
    known = {entry.stored.id for entry in same}
    # The rules may have changed since, so that a person has to decide what was automatic.
    judged = [e for e in same if e.status != entries[e.stored.id].status]
    changed = [entry for entry in assessed if entry.stored.id in there and entry.stored.id not in known]
    if changed and not update:
        ids = [entry.stored.id for entry in changed]
        raise AnnotationError(
            f"expected new problems, or the same as in the store, but {len(ids)} differ from it: {name_some(ids)}. "
            "Nothing was imported; give --update to make them new revisions, which keeps all work and its history"
        )
    for entry in changed:
        tables.update_problem(_with_revision(entry, there[entry.stored.id].revision + 1))
    for entry in judged:
        tables.update_status(_with_revision(entry, there[entry.stored.id].revision))
    added = [entry for entry in assessed if entry.stored.id not in there]
    for position, entry in enumerate(added, tables.last_position() + 1):
        tables.add_problem(_with_revision(entry, 1), position)
    new = [*added, *changed, *judged]
    counts = Counter(entry.status for entry in new)
    return Intake(
        added=tuple(entry.stored.id for entry in added),
        updated=tuple(entry.stored.id for entry in (*changed, *judged)),
        unchanged=tuple(e.stored.id for e in same if e.status == entries[e.stored.id].status),
        counts={status: counts[status] for status in STATUSES},
        refused={entry.stored.id: entry.message or "" for entry in new if entry.status == "refused"},
        constants={e.stored.id: values for e in new if e.status == "open" and (values := _unexplained(e.stored))},
    )


def _unexplained(stored: StoredProblem) -> tuple[str, ...]:
    """Return the constants of a problem that a person has to confirm, as written, each once."""
    proposal = fresh_work(stored, "").proposal
    literals = () if proposal is None else proposal.literals
    return tuple(dict.fromkeys(literal.text for literal in literals if literal.is_unexplained))


def constants_text(constants: Mapping[ProblemId, Sequence[str]]) -> str:
    """Return a sentence about constants that the text does not give, with the problems that have them.

    >>> constants_text({"clock-9": ("2.5",), 7: ("3.40", "5")})
    '2 problems use constants that the text does not give: clock-9 (2.5), 7 (3.40, 5)'
    """
    listed = [f"{id_} ({', '.join(values)})" for id_, values in constants.items()]
    uses = "problem uses" if len(listed) == 1 else "problems use"
    return f"{len(listed)} {uses} constants that the text does not give: {name_some(listed)}"


def _with_revision(entry: ProblemEntry, revision: int) -> ProblemEntry:
    return replace(entry, stored=replace(entry.stored, revision=revision))


def name_some(ids: Sequence[ProblemId]) -> str:
    """Return the first ids of a list, and how many more there are."""
    return ", ".join(map(str, ids[:_NAMED])) + (f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else "")


# Readings count the numbers of a row (q1, q2 …), which may be others than those that the rules find here. A number that
# the rules do not find is marked, and the reading is written with the numbers of the text as they are then.

EXCLUDED = "excluded"
_FINEST = 10**6  # the largest denominator of a marked number


@dataclass(frozen=True, slots=True)
class Reading:
    """The reading of a problem: a derivation, and what it says besides."""

    id: ProblemId
    derivation: str  # in q-notation
    alternatives: tuple[str, ...] = ()
    asked: tuple[str, ...] | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    groups: tuple[tuple[int, ...], ...] = ()  # numbers that mean the same, by rank from 1
    excluded: str | None = None  # why no derivation is right


@dataclass(frozen=True, slots=True)
class RecordedReading:
    """The decisions that record a reading."""

    id: ProblemId
    decisions: tuple[Decision, ...]
    notes: tuple[str, ...] = ()  # the parts that cannot be recorded
    refused: str | None = None  # why nothing can be recorded


@dataclass(frozen=True, slots=True)
class ReadingIntake:
    """Result of an import of readings."""

    annotator: str
    recorded: tuple[ProblemId, ...]
    unchanged: tuple[ProblemId, ...]  # recorded before
    flagged: tuple[ProblemId, ...]  # those of both that the readings exclude
    other: tuple[ProblemId, ...]  # readings of other problems
    refused: Mapping[ProblemId, str]  # readings that cannot be recorded, with the reason
    notes: Mapping[ProblemId, tuple[str, ...]]  # the parts of recorded readings that could not be recorded


def read_readings(path: Path) -> list[Reading]:
    """Return the readings of a JSONL file: lines with id, d, asked, roles and, if needed, same, alt, status and why."""
    found: dict[ProblemId, Reading] = {}
    for line in read_json_lines(path, error=RowError):
        where = f"{display_name(path)}, line {line.number}"
        reading = _read_reading(line.value, where)
        if reading.id in found:
            raise RowError(f"{where}: expected one reading of each problem, but got a second one of {reading.id}")
        found[reading.id] = reading
    return list(found.values())


def _read_reading(row: Mapping[str, Any], where: str) -> Reading:
    read_id(row.get("id"), where, RowError)
    derivation, roles, same = row.get("d"), row.get("roles", {}), row.get("same", [])
    if not isinstance(derivation, str):
        raise RowError(f"{where}: d: expected a derivation in q-notation, but got {short_repr(derivation)}")
    if not isinstance(roles, dict) or not all(isinstance(role, str) for role in roles.values()):
        raise RowError(f"{where}: roles: expected a role for each unknown, but got {short_repr(roles)}")
    groups: list[Any] = same if isinstance(same, list) else [None]
    ranks = [rank for group in groups for rank in (group if isinstance(group, list) else [None])]
    if not all(type(rank) is int and rank > 0 for rank in ranks):
        raise RowError(f"{where}: same: expected groups of numbers counted from 1, but got {short_repr(same)}")
    excluded = None
    if EXCLUDED in (row.get("status"), row.get("annotation")) or not derivation.strip():
        why = row.get("why") or row.get("reason")
        excluded = why[:MAX_WHY] if isinstance(why, str) else "excluded by the reading, without a reason"
    return Reading(
        id=row["id"],
        derivation=derivation,
        alternatives=_read_texts(row.get("alt", []), f"{where}: alt"),
        asked=_read_texts(row["asked"], f"{where}: asked") if row.get("asked") is not None else None,
        roles={unknown: role for unknown, role in roles.items() if role.strip()},
        groups=tuple(tuple(group) for group in groups),
        excluded=excluded,
    )


def _read_texts(value: object, where: str) -> tuple[str, ...]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise RowError(f"{where}: expected a list of strings, but got {short_repr(value)}")
    return tuple(texts)


def read_numbers(value: object, where: str) -> tuple[TextNumber, ...] | None:
    """Return the numbers of a row; None if it has none."""
    if value is None:
        return None
    try:
        return read_each(value, read_number)
    except BadField as error:
        raise RowError(f"{where}: numbers{error}") from None


def decisions_of_reading(
    stored: StoredProblem, annotator: str, reading: Reading, numbers: Sequence[TextNumber] | None
) -> RecordedReading:
    """Return the decisions that record a reading, made on the text as it was imported.

    >>> problem = StoredProblem(7, "Ann has 3 times as many as Bob , 12 in all .", ("a + b = 12", "a = 3*b"))
    >>> reading = Reading(7, "n = q1*m; m + n = q2", asked=("n",), roles={"m": "Bob's", "n": "Ann's"})
    >>> [decision.kind for decision in decisions_of_reading(problem, "Ann", reading, None).decisions]
    ['derivation', 'asked', 'role', 'role', 'submit']
    """
    recording = _Recording(fresh_work(stored, annotator))
    if reading.excluded is not None:
        recording.add("flag", {"why": reading.excluded})
        return RecordedReading(reading.id, tuple(recording.decisions))
    try:
        recording.mark(numbers or ())
        recording.state(reading, numbers)
    except DrawError as error:
        return RecordedReading(reading.id, (), refused=str(error))
    recording.say(reading, numbers)
    recording.add("submit", {})
    return RecordedReading(reading.id, tuple(recording.decisions), tuple(recording.notes))


class _Recording:
    """Decisions that are being made, one after the other."""

    def __init__(self, work: AnnotationState) -> None:
        self.work = work
        self.decisions: list[Decision] = []
        self.notes: list[str] = []

    def add(self, kind: str, payload: Mapping[str, Any]) -> None:
        decision = read_decision(kind, payload)
        self.work = apply_decision(self.work, decision)
        self.decisions.append(decision)

    def try_add(self, kind: str, payload: Mapping[str, Any]) -> None:
        """Make a decision, or note why it cannot be made."""
        try:
            self.add(kind, payload)
        except AnnotationError as error:
            self.notes.append(str(error))

    def mark(self, numbers: Sequence[TextNumber]) -> None:
        """Mark the numbers that the rules do not find."""
        known = {number.place for number in self.work.numbers}
        for number in numbers:
            if number.place not in known:
                # An annotated third is the float next to it.
                value = "" if number.value is None else str(number.value.limit_denominator(_FINEST))
                self.add("number", {"place": list(number.place), "value": value})

    def state(self, reading: Reading, numbers: Sequence[TextNumber] | None) -> None:
        """Make the decision for the derivation and its alternatives."""
        alternatives = []
        for text in reading.alternatives:
            try:
                carried = self._carry(text, numbers)
                read_stated(carried, self.work.numbers)
                alternatives.append(carried)
            except DrawError as error:
                self.notes.append(f"alternative: {error}")
        self.add("derivation", {"derivation": self._carry(reading.derivation, numbers), "alternatives": alternatives})

    def _carry(self, text: str, numbers: Sequence[TextNumber] | None) -> str:
        """Return a derivation with the numbers of the text as they are counted here."""
        if numbers is None:
            return text
        carried = carry_derivation(text, numbers, self._where())
        if carried is None:
            raise AnnotationError(f"derivation {short_repr(text)}: expected numbers of the text, but got others")
        return carried

    def _where(self) -> dict[Place, TextNumber]:
        return {number.place: number for number in self.work.numbers}

    def say(self, reading: Reading, numbers: Sequence[TextNumber] | None) -> None:
        """Make the decisions for all but the derivation; what does not fit is noted."""
        counted = self.work.numbers if numbers is None else numbers
        for group in reading.groups:
            if max(group, default=0) > len(counted):
                self.notes.append(f"same: expected q1 to q{len(counted)}, but got q{max(group)}")
            else:
                self.try_add("equivalent", {"places": [list(counted[rank - 1].place) for rank in group]})
        if reading.asked is not None:
            self.try_add("asked", {"asked": [self._carry_asked(text, counted) for text in reading.asked]})
        for unknown, role in reading.roles.items():
            self.try_add("role", {"unknown": unknown, "role": role})

    def _carry_asked(self, text: str, numbers: Sequence[TextNumber]) -> str:
        try:
            return carry_expression(text, numbers, self._where()) or text
        except DrawError:
            return text  # the decision is refused, and says why
