"""Scoring a file of predictions, line by line: JSONL keyed by ``id``, in any order.

A line is ``{"id": 7, "prediction": …}``, or has the prediction's own fields next to the id: ``{"id": 7, "template":
[…], "alignment": […]}``. An id is a whole number or a string; 7 and "7" are two ids. Every id must be an id of the rows
and occur once. Missing ids are an error, or count as abstentions. Only the result of a line is kept, so the length of
the file does not matter.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from draw_dataset.derivation.problem import Problem, ProblemId
from draw_dataset.errors import ChoiceError, RowError, ScoreError, short_repr
from draw_dataset.io.jsonl import DEEPEST_NESTING, display_name, read_json_lines
from draw_dataset.scoring.gold import ROWS, PreparedProblem
from draw_dataset.scoring.gold_rows import FiledReferences, ListedReferences, lacking, unknown_id
from draw_dataset.scoring.options import GoldMode, MatchMode, Missing, Options
from draw_dataset.scoring.prediction import text_field
from draw_dataset.scoring.score import ItemResults, Score, Tally
from draw_dataset.scoring.verdict import Verdict

_FIELDS = ("template", "alignment", "derivation", "solutions", "answer")
"""Fields of a prediction that may stand next to the id."""


class Judged(NamedTuple):
    """A prediction with its gold and its verdict."""

    reference: PreparedProblem
    prediction: Any
    verdict: Verdict


def read_predictions(
    path: str | os.PathLike[str], *, field: str | None = None, sample: int | None = None, progress: bool = False
) -> Iterator[tuple[int, ProblemId, Any]]:
    """Yield the line number, the id and the prediction of each line of a file; see `score_file` for the arguments."""
    for line in read_json_lines(path, error=ScoreError, nesting=DEEPEST_NESTING, progress=progress):
        entry, where = line.value, f"{display_name(path)}, line {line.number}"
        if sample is None or entry.get("sample") == sample:
            yield line.number, *read_entry(entry, where, field)


def _without_field(entry: dict[str, Any], field: str) -> str:
    """Return the complaint about a line without the field of the answer, with the field that may be meant."""
    if field in entry:
        return f"expected a string as {field}, or null to abstain, but got {short_repr(entry[field])}"
    other = text_field(entry)
    hint = f": did you mean field={other}?" if other else ""
    return f"expected the field {field}, but got the keys {short_repr(sorted(entry)[:8])}{hint}"


def read_entry(entry: Any, where: str, field: str | None = None) -> tuple[ProblemId, Any]:
    """Return the id and the prediction of a line; raises `ScoreError`, which names where, if it has none."""
    if not isinstance(entry, dict):
        raise ScoreError(f"{where}: expected an object with an id, but got {short_repr(entry)}")
    if field is not None:
        if field not in entry or not (entry[field] is None or isinstance(entry[field], str)):
            raise ScoreError(f"{where}: {_without_field(entry, field)}")
        # Of lines with an answer, naming that field changes nothing.
        kept = ("prompt_style", "sample") if field == "answer" else ("sample",)
        answer = {"answer": entry[field], **{name: entry[name] for name in kept if name in entry}}
        entry = {"id": entry["id"], "prediction": answer} if "id" in entry else entry
    if "id" not in entry:
        raise ScoreError(f"{where}: expected an id, but got the keys {short_repr(sorted(entry)[:8])}")
    id_ = entry["id"]
    if type(id_) is not int and type(id_) is not str:
        raise ScoreError(f"{where}: expected a whole number or a string as the id, but got {short_repr(id_)}")
    if "prediction" not in entry:
        return id_, entry
    fields = [name for name in _FIELDS if name in entry]
    if fields:
        raise ScoreError(f"{where}: expected a prediction or its fields next to the id, but got both ({fields[0]})")
    return id_, entry["prediction"]


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
    sample: int | None = None,
    judged: Callable[[Judged], object] | None = None,
    progress: bool = False,
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
        path: the file; ``-`` is standard input.
        rows: the rows, in any form, or references that have been read already.
        options: how to grade.
        match: when a derivation counts as right; overrides the options, see `Options`.
        gold: gold derivations to accept; overrides the options, see `Options`.
        data: the name of the rows in the signature, such as ``draw1k/test``; by default as `score` names them.
        missing: what to do about rows without a prediction: ``error``, or ``abstain``, which counts as wrong.
        field: the field with the text of a language model, if lines are not predictions.
        sample: if a problem has several lines, use only lines with this number in their field ``sample``.
        judged: called with every prediction and its verdict, in the order of the file.
        progress: whether to show a progress bar on stderr.

    Returns:
        The score, its items in the order of the rows. Refused rows have no gold: they and their predictions are left
        out.

    Raises:
        ScoreError: the file cannot be read, a line is not a prediction, or an id is repeated, unknown or missing. Names
            file, line and id.
        RowError: a row or its gold cannot be read.
        ChoiceError: the name of the data cannot stand in a signature, or an option has an unknown value.
    """
    if missing not in ("error", "abstain"):
        raise ChoiceError(f"missing: expected error or abstain, but got {short_repr(missing)}")
    references = rows if isinstance(rows, (ListedReferences, FiledReferences)) else ListedReferences(rows)
    if not len(references):
        raise ScoreError("expected at least one reference, but got none")
    results = ItemResults(keep_references=references.few)
    tally = Tally(options.with_match(match).with_gold(gold), data, results)
    order = array("q")
    seen = bytearray(len(references))

    def add(position: int, prediction: Any) -> None:
        reference = references.reference(position)
        is_new = references.positions(reference.problem.id)[0] == position  # rows that share an id are the same
        try:
            verdict = tally.add(prediction, reference, is_new=is_new)
        except RowError as error:
            raise references.located(position, error) from error
        order.append(position)
        seen[position] = True
        if judged is not None:
            judged(Judged(reference, prediction, verdict))

    for number, id_, prediction in read_predictions(path, field=field, sample=sample, progress=progress):
        positions = references.positions(id_)
        if not positions and id_ in references.refused:
            continue
        if not positions:
            raise ScoreError(f"{display_name(path)}, line {number}: {unknown_id(id_, references, data)}")
        if seen[positions[0]]:
            several = isinstance(prediction, Mapping) and "sample" in prediction and sample is None
            hint = " (of several samples, sample=0 scores the first)" if several else ""
            raise ScoreError(
                f"{display_name(path)}, line {number}: expected each id once, but got {short_repr(id_)} again{hint}"
            )
        for position in positions:
            add(position, prediction)
    if len(order) < len(references):
        if missing == "error":
            raise lacking(display_name(path), references, seen)
        at = seen.find(0)
        while at >= 0:
            add(at, None)
            at = seen.find(0, at + 1)
    return tally.result(missing, order)
