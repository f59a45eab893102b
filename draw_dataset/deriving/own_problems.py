"""Scores of own problems: `score` and `score_file` of the package, with rows or with records that have their gold.

A record has a question, its solution and a model answer (`draw_dataset.scoring.problem_layouts` finds the fields). A
problem is a question with its solution, whatever the ids say: several records of a problem are samples, and systems are
compared on the problems that they share. Records are kept in memory, because systems may have them in another order.
"""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, Literal

from draw_dataset.derivation.problem import Problem, ProblemId
from draw_dataset.deriving.grading import NOT_CLEAR, DerivedGold, as_prediction, gold_of, grade_by, plain_solution
from draw_dataset.errors import ChoiceError, ProblemFieldsError, RowError, ScoreError, UnreadWarning, short_repr
from draw_dataset.io.jsonl import DEEPEST_NESTING, display_name
from draw_dataset.io.records import Record, open_records
from draw_dataset.scoring.files import Judged, Note
from draw_dataset.scoring.files import score_file as score_file_with_rows
from draw_dataset.scoring.gold import ROWS, PreparedProblem
from draw_dataset.scoring.gold_rows import FiledReferences, ListedReferences
from draw_dataset.scoring.layouts import HEAD, records_of_document
from draw_dataset.scoring.options import GoldMode, MatchMode, Missing, Options
from draw_dataset.scoring.problem_layouts import (
    Columns,
    OwnRecord,
    ProblemLayout,
    find_problem_layout,
    without_problems,
)
from draw_dataset.scoring.score import ItemResults, Score, Tally
from draw_dataset.scoring.score import score as score_with_rows
from draw_dataset.scoring.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields that the caller names; the others are found by common names."""

    answer: str | None = None
    id: str | None = None
    question: str | None = None
    solution: str | None = None
    by: str | None = None  # the field that says whose answers a record has

    def layout(self, entries: Sequence[Any], *, is_table: bool = False) -> ProblemLayout | None:
        """Return the layout of records with these fields."""
        return find_problem_layout(
            entries,
            field=self.answer,
            id_field=self.id,
            question_field=self.question,
            solution_field=self.solution,
            by=self.by,
            is_table=is_table,
        )


def read_own(path: str | os.PathLike[str], fields: Fields = Fields(), note: Note | None = None) -> list[OwnRecord]:
    """Return the records of a file; raises `ScoreError` with the fields if they lack question, solution or answer."""
    with open_records(path, error=ScoreError, nesting=DEEPEST_NESTING) as records:
        items = records.items
        if records.kind == "document":
            document = next(items)
            parts = records_of_document(document.value, document.where, None)
            is_list = fields.layout([document.value]) is None and fields.layout([one.value for one in parts[:HEAD]])
            items = iter(parts if is_list else [document])
        return list(_read(items, display_name(path), fields, note, is_table=records.kind == "table"))


def _read(
    items: Iterator[Record], name: str, fields: Fields, note: Note | None, *, is_table: bool = False
) -> Iterator[OwnRecord]:
    head = list(islice(items, HEAD))
    # A later record of another kind is an error of its own.
    values = [record.value for record in head if isinstance(record.value, dict)] or [record.value for record in head]
    layout = fields.layout(values, is_table=is_table)
    if layout is None:
        raise ProblemFieldsError(without_problems(values, head[0].where if head else name))
    if note is not None:
        note(f"{name}: {layout.note}")
    for where, entry in chain(head, items):
        record = layout.read(entry, where)
        if record is None:
            continue
        if fields.by is not None and record.system is None:
            raise ScoreError(f"{where}: expected the field {fields.by} with the name of a system, but got none")
        yield record


def score_systems(
    systems: Mapping[str, Sequence[OwnRecord]],
    options: Options = Options(),  # noqa: B008
    *,
    missing: Missing = "error",
    sample: int | None = None,
    note: Note | None = None,
    judged: Callable[[str, Judged], object] | None = None,
    keep_messages: bool = False,
) -> dict[str, Score]:
    """Score the records of systems on the same problems, as `grade` does without a row.

    Args:
        systems: the records of each system by its name.
        options: how to grade.
        missing: what to do about problems that only some of the systems have: ``error``; ``abstain``, which counts as
            wrong; or ``skip``, which scores only those that all have.
        sample: score only the sample with this number.
        note: called with a sentence about samples and solutions.
        judged: called with the name of the system and every prediction with its verdict.
        keep_messages: whether `Score.verdicts` have messages.

    Raises:
        ScoreError: an id has several problems, or systems have different problems.
        RowError: a solution has neither equations nor numbers.
    """
    told, problems = note or (lambda _: None), _Problems()
    collected = {name: problems.collect(name, records, told) for name, records in systems.items()}
    wanted = problems.common(collected, missing)
    without = sum(problems.gold[key].missing is not None for key in wanted)
    if without:
        told(
            f"{without} of {len(wanted)} solutions have no derivation to compare with; there only the result is graded"
        )
    unclear = sum(problems.gold[key].all_asked is not None for key in wanted)
    if unclear:
        told(f"{unclear} of {len(wanted)} solutions have several unknowns, and {NOT_CLEAR}")
    scores = {}
    for name, answers in collected.items():
        tally = Tally(options, results=ItemResults(keep_messages=keep_messages))
        for at, key in enumerate(wanted):
            derived, given = problems.gold[key], answers.get(key) or [(0, None, ())]
            for number, answer, columns in given:
                if sample is not None and number != sample:
                    continue
                prediction, verdict = as_prediction(answer), grade_by(answer, derived, options)
                tally.add(prediction, derived.reference, problem=at, verdict=verdict)
                if judged is not None:
                    shown = number if len(given) > 1 else None
                    judged(name, Judged(derived.reference, prediction, verdict, shown, columns=columns))
        if sample is not None and not tally.count:
            raise ScoreError(f"{name}: expected answers with the sample number {sample}, but got none")
        scores[name] = tally.result(missing if len(systems) > 1 else "error")
    return scores


Key = tuple[str, str]
"""A problem: its question and its solution, without differences of spaces and of number types."""

Answers = dict[Key, list[tuple[int | str, Any, Columns]]]
"""The samples of each problem, with their numbers and the other columns of their records."""


@dataclass(slots=True)
class _Problems:
    """The problems of all systems, each with its gold."""

    gold: dict[Key, DerivedGold] = field(default_factory=dict)
    _ids: set[ProblemId] = field(default_factory=set)

    def collect(self, system: str, records: Sequence[OwnRecord], told: Callable[[str], object]) -> Answers:
        """Return the answers of a system to each problem."""
        answers: Answers = {}
        by_id: dict[ProblemId, Key] = {}
        ids: dict[Key, ProblemId] = {}
        several = 0
        for record in records:
            key = self._key(system, record)
            if record.id is not None:
                known = by_id.setdefault(record.id, key)
                if known != key:
                    what = "question" if known[0] != key[0] else "solution"
                    raise ScoreError(
                        f"{record.where}: expected one {what} for each id, but got another one for "
                        f"{short_repr(record.id)}"
                    )
                several += ids.setdefault(key, record.id) != record.id
            given = answers.setdefault(key, [])
            taken = {number for number, *_ in given}
            for answer in record.answers:
                number: int | str = next(free for free in range(len(taken) + 1) if free not in taken)
                said = record.sample if len(record.answers) == 1 else None
                if isinstance(said, (int, str)) and said not in taken:
                    number = said
                taken.add(number)
                given.append((number, answer, record.columns))
        counts = {len(given) for given in answers.values()}
        if several:
            told(f"{system}: {several} ids repeat a question and its solution; they are samples of one problem")
        if len(counts) > 1:
            told(f"{system}: problems have {min(counts)} to {max(counts)} answers")
        return answers

    def _key(self, system: str, record: OwnRecord) -> Key:
        try:
            solution = plain_solution(record.solution)
            key = " ".join(record.question.split()), _solution_key(solution)
            if key not in self.gold:
                derived = gold_of(record.question, solution)
                id_ = self._id(system, record)
                own = PreparedProblem(replace(derived.reference.problem, id=id_))
                every = derived.all_asked and PreparedProblem(replace(derived.all_asked.problem, id=id_))
                self.gold[key] = DerivedGold(own, derived.missing, every)
        except RowError as error:
            raise RowError(f"{record.where}: {error}") from error
        return key

    def _id(self, system: str, record: OwnRecord) -> ProblemId:
        """Return an id that no other problem has: the one of the record, or the number of the problem."""
        number: ProblemId = len(self.gold) + 1 if record.id is None else record.id
        if number in self._ids:
            number = f"{system}/{number}"
        while number in self._ids:
            number = f"{number}'"
        self._ids.add(number)
        return number

    def common(self, systems: Mapping[str, Answers], missing: Missing) -> list[Key]:
        """Return the problems to score; raises `ScoreError` if systems have different ones and may not."""
        shared = [key for key in self.gold if all(key in answers for answers in systems.values())]
        if len(shared) == len(self.gold) or missing == "abstain":
            return list(self.gold)
        if missing == "skip" and shared:
            return shared
        lacks = {name: [key for key in self.gold if key not in answers] for name, answers in systems.items()}
        name, without = max(lacks.items(), key=lambda one: len(one[1]))
        question, solution = without[0]
        other = next((key[1] for key in systems[name] if key[0] == question), None)
        differs = (
            "" if other is None else f", which it has with the solution {short_repr(other)}, not {short_repr(solution)}"
        )
        raise ScoreError(
            f"{name}: expected answers to the {len(self.gold)} problems of all systems, but it lacks {len(without)}: "
            f"{short_repr(question)}{differs} (missing='skip' scores only the {len(shared)} that all have, "
            "missing='abstain' counts them as abstentions)"
        )


def _solution_key(solution: str | tuple[Any, ...]) -> str:
    """Return a solution as text, the same for 13, 13.0 and "13"."""
    parts = [solution] if isinstance(solution, str) else solution
    plain = [int(part) if isinstance(part, float) and part.is_integer() else part for part in parts]
    return "; ".join(" ".join(str(part).split()) for part in plain)


def split_systems(records: Sequence[OwnRecord]) -> dict[str, list[OwnRecord]]:
    """Return the records by the system that they name; one without a name if they name at most one."""
    names = {record.system for record in records}
    if len(names) < 2:
        return {"": list(records)}
    found: dict[str, list[OwnRecord]] = {}
    for record in records:
        found.setdefault(record.system or "(none)", []).append(record)
    return found


def score_own_files(
    files: Mapping[str, str | os.PathLike[str]],
    options: Options = Options(),  # noqa: B008
    *,
    fields: Fields = Fields(),
    missing: Missing = "error",
    sample: int | None = None,
    note: Note | None = None,
    judged: Callable[[str, Judged], object] | None = None,
) -> dict[str, Score]:
    """Score files whose records have their own problems; see `score_systems`.

    A file whose records name several models in the field ``model``, or in the one that `Fields.by` names, holds several
    systems.
    """
    systems: dict[str, Sequence[OwnRecord]] = {}
    for name, path in files.items():
        found = split_systems(read_own(path, fields, note))
        if len(found) > 1 and note is not None:
            note(f"{display_name(path)}: answers of {len(found)} systems: {', '.join(found)}"[:300])
        for own, records in found.items():
            both = own if own and len(files) == 1 else f"{name}/{own}" if own else name
            systems[both] = records
    return score_systems(systems, options, missing=missing, sample=sample, note=note, judged=judged)


def count_samples(path: str | os.PathLike[str], fields: Fields) -> Counter[Any]:
    """Return how many answers each system of a file has to each problem; nothing is graded."""
    counts: Counter[Any] = Counter()
    for record in read_own(path, fields):
        key = record.system, record.question, _solution_key(plain_solution(record.solution))
        counts[key] += len(record.answers)
    return counts


def _only(records: Sequence[OwnRecord]) -> Sequence[OwnRecord]:
    """Return records of one system; raises `ChoiceError` if they name several."""
    found = split_systems(records)
    if len(found) > 1:
        raise ChoiceError(
            f"expected the answers of one system, but the records name {len(found)}: {', '.join(found)[:200]}; score "
            "each by itself and pass them to compare_scores"
        )
    return records


def score(
    predictions: Iterable[Any] | Mapping[Any, Any],
    rows: Sequence[Mapping[str, Any] | Problem | PreparedProblem] | None = None,
    options: Options = Options(),  # noqa: B008
    *,
    match: MatchMode | None = None,
    gold: GoldMode | None = None,
    data: str = ROWS,
    verdicts: list[Verdict] | None = None,
    keep_verdicts: bool = False,
) -> Score:
    """Score predictions: with the rows of their problems, or records that have their own questions and solutions.

    >>> question = "Eggs cost $2 . Bo buys 3 eggs and pays with $10 . How much does he get back ?"
    >>> record = {"question": question, "solution": "10 - 3*2 = 4", "answer": "3 eggs are 3*2 = $6, so 10-6 = $4"}
    >>> score([record]).counts
    {'right': 1}
    >>> from draw_dataset.data.sample import load_sample
    >>> rows = load_sample()["test"]
    >>> score([row.derivation.q_notation() for row in rows], rows).derivation_accuracy
    1.0

    Args:
        predictions: the predictions, in any form of `draw_dataset.scoring.prediction`, in the order of the rows; or a
            mapping from ids to predictions, ``{91: prediction, …}``, where "91" is the id 91 if all ids are numbers. If
            every item is a list, it has the samples of a problem, and the score a pass@k (`Score.pass_at`). Without
            rows: records with a question, its solution and a model answer, whose fields are found by common names;
            records with the same question and solution are samples.
        rows: the rows, problems or prepared problems, in the same order. Refused rows have no gold and are left out. A
            row that is repeated has several samples.
        options: how to grade.
        match: when a derivation counts as right; overrides the options, see `Options`.
        gold: gold derivations to accept; overrides the options, see `Options`.
        data: the name of the rows in the signature. By default rows of the release and of the sample are named by
            their origin, such as ``draw1k/test+corrected-v2``, and others ``rows``.
        verdicts: a list to which every verdict is appended, if you want them. A verdict on a model answer keeps its
            reading, so many of them take much memory.
        keep_verdicts: whether rows of `Score.verdicts` and `Score.to_pandas` have the column ``message``. Writing the
            messages takes time, and each is a line of memory; the other columns are always there.

    Raises:
        ScoreError: the numbers of predictions and rows differ, ids do not match, there are no predictions, or records
            lack their question, solution or answer.
        RowError: a row, its gold or a solution cannot be read.
        ChoiceError: the name of the data cannot stand in a signature, `match` or `gold` has an unknown value, or
            records have answers of several models.
    """
    if rows is not None:
        scored = score_with_rows(
            predictions,
            rows,
            options,
            match=match,
            gold=gold,
            data=data,
            verdicts=verdicts,
            keep_verdicts=keep_verdicts,
        )
        if scored.mostly_unread:
            strongly = " All accuracies are therefore zero." if scored.nothing_read else ""
            warnings.warn(f"score: {scored.unread_note}{strongly}", UnreadWarning, stacklevel=2)
        return scored
    if isinstance(predictions, (str, bytes, Mapping)) or not isinstance(predictions, Iterable):
        raise ScoreError(
            "expected rows, or records with a question, its solution and the answer of the model, but got "
            f"{short_repr(predictions)} without rows"
        )
    items = (Record(f"predictions[{at}]", entry) for at, entry in enumerate(predictions))
    records = list(_read(items, "predictions", Fields(), None))
    listed: list[Judged] = []
    options = options.with_match(match).with_gold(gold)
    keep = None if verdicts is None else lambda _, one: listed.append(one)
    found = score_systems({"predictions": _only(records)}, options, judged=keep, keep_messages=keep_verdicts)
    if verdicts is not None:
        verdicts.extend(one.verdict for one in listed)
    return found["predictions"]


def score_file(
    path: str | os.PathLike[str],
    rows: ListedReferences | FiledReferences | Iterable[Mapping[str, Any] | Problem | PreparedProblem] | None = None,
    options: Options = Options(),  # noqa: B008
    *,
    match: MatchMode | None = None,
    gold: GoldMode | None = None,
    data: str = ROWS,
    missing: Literal["error", "abstain", "skip"] = "error",
    field: str | None = None,
    id_field: str | None = None,
    question_field: str | None = None,
    solution_field: str | None = None,
    sample: int | None = None,
    ignore_unknown: bool = False,
    note: Note | None = None,
    judged: Callable[[Judged], object] | None = None,
    progress: bool = False,
    workers: int = 1,
) -> Score:
    """Score a file of predictions: with rows, or one whose records have their own questions and solutions.

    >>> import json, pathlib, tempfile
    >>> question = "Eggs cost $2 . Bo buys 3 eggs and pays with $10 . How much does he get back ?"
    >>> record = {"Question": question, "Gold": "10 - 3*2 = 4", "Model Output": "3*2 = $6, so he gets 10-6 = $4"}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "mine.jsonl")
    ...     _ = path.write_text(json.dumps(record))
    ...     score_file(path).counts
    {'right': 1}

    Args:
        path: the file; ``-`` is standard input. Its format is JSON lines, JSON, CSV, TSV, Parquet, plain text or a log
            of inspect-ai, and it may be compressed with gzip or Zstandard.
        rows: the rows, in any form, or references that have been read already. Without them each record has a question,
            its solution and a model answer; records with the same question and solution are samples.
        options: how to grade.
        match: when a derivation counts as right; overrides the options, see `Options`.
        gold: gold derivations to accept; overrides the options, see `Options`.
        data: the name of the rows in the signature, such as ``draw1k/test``; by default as `score` names them.
        missing: what to do about rows without a prediction: ``error``; ``abstain``, which counts as wrong; or ``skip``,
            which scores only rows with a prediction. The same holds for samples that a problem has less than others.
        field: the field with the text of a language model, if records are not predictions; by default fields with
            common names are found.
        id_field: the field with the id; by default ``id``, or another common name.
        question_field: without rows, the field with the question; by default a common name.
        solution_field: without rows, the field with the solution; by default a common name.
        sample: if a problem has several samples, score only the one with this number in the field ``sample``; a line
            without the field is sample 0. By default all are scored, and the score has a pass@k (`Score.pass_at`).
        ignore_unknown: whether to leave out predictions for ids that the rows do not have; their number is noted.
        note: called with a sentence about how the file is read, if it is not in our own layout.
        judged: called with every prediction and its verdict, in the order of the file.
        progress: whether to show a progress bar on stderr.
        workers: how many processes grade a file of more than 500 predictions; the figures are the same. They are
            spawned, so a program that asks for several guards its start by ``if __name__ == "__main__"``. Without rows
            one process grades.

    Returns:
        The score, its items in the order of the rows. Refused rows have no gold: they and their predictions are left
        out.

    Raises:
        ScoreError: the file cannot be read, a line is not a prediction, or an id is repeated, unknown or missing. Names
            file, line and id. Without rows: records lack their question, solution or answer.
        RowError: a row, its gold or a solution cannot be read.
        ChoiceError: the name of the data cannot stand in a signature, an option has an unknown value, or records
            without rows have answers of several models.
    """
    if rows is not None:
        if question_field is not None or solution_field is not None:
            raise ChoiceError("expected rows, or question_field= and solution_field= of own problems, but got both")
        return score_file_with_rows(
            path,
            rows,
            options,
            match=match,
            gold=gold,
            data=data,
            missing=missing,
            field=field,
            id_field=id_field,
            sample=sample,
            ignore_unknown=ignore_unknown,
            note=note,
            judged=judged,
            progress=progress,
            workers=workers,
        )
    fields = Fields(field, id_field, question_field, solution_field)
    records = _only(read_own(path, fields, note))
    options = options.with_match(match).with_gold(gold)
    keep = None if judged is None else lambda _, one: judged(one)
    return score_systems({"": records}, options, sample=sample, note=note, judged=keep)[""]
