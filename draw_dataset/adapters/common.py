"""Rows, grades and training sets for harnesses and trainers.

Harnesses flatten, retype or drop nested fields of a record, so a row travels as one JSON text. Gold is prepared once
for each different text. Nothing here uses signals or processes; the only state are bounded caches.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from draw_dataset.algebra.limits import MEGABYTE, weighted_cache
from draw_dataset.data.catalog import left_out, load, resolve
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import ChoiceError, RefusedWarning, RowError, ScoreError, short_repr
from draw_dataset.io.atomic import atomic_file
from draw_dataset.io.jsonl import decode_line, json_line
from draw_dataset.io.records import open_records
from draw_dataset.prompting import Prompt, answer_for, prompt_for
from draw_dataset.scoring.gold import ROWS, PreparedProblem, refused_id
from draw_dataset.scoring.grading import grade
from draw_dataset.scoring.options import Options
from draw_dataset.scoring.score import DataDigest, PredictionKinds
from draw_dataset.scoring.verdict import UNREAD, Reason, Status, StepKind, Verdict

Rows = str | os.PathLike[str] | Iterable[Mapping[str, Any] | Problem]
"""The name of data (see `draw_dataset.data.catalog`), a file of rows, or rows."""

_PREPARED = 256 * MEGABYTE
"""Bytes of prepared gold in the cache: some nine thousand rows."""


def rows_of(
    source: Rows, data_dir: str | os.PathLike[str] | None = None, corrected: bool = False
) -> list[dict[str, Any]]:
    """Return the rows of data. Rows of a file keep every field, such as the source of a variant."""
    if isinstance(source, (str, os.PathLike)):
        named = resolve(os.fspath(source))
        if named.file is not None and not corrected:
            with open_records(named.file, error=RowError) as records:
                return [_row(record.value) for record in records.items]
        return [problem.to_row() for problem in load(named, data_dir, corrected)]
    if isinstance(source, (bytes, Mapping)) or not isinstance(source, Iterable):
        raise ChoiceError(f"rows: expected the name of data or rows, but got {short_repr(source)}")
    return [_row(row) for row in source]


def _row(row: Mapping[str, Any] | Problem) -> dict[str, Any]:
    if isinstance(row, Problem):
        return row.to_row()
    if not isinstance(row, Mapping):
        raise RowError(f"rows: expected a row, but got {short_repr(row)}")
    return dict(row)


def label_of(source: Rows, rows: Iterable[Mapping[str, Any]], corrected: bool = False) -> str:
    """Return the name and the digest of rows, as signatures have them, for the log of a harness."""
    name = resolve(os.fspath(source)).data_name(corrected) if isinstance(source, (str, os.PathLike)) else ROWS
    digests = {PreparedProblem.of(row).digests for row in rows if refused_id(row) is None}
    return DataDigest(Options(), name, digests).signature(PredictionKinds(), len(digests), "error").named_rows


def as_text(row: Mapping[str, Any]) -> str:
    """Return a row as one JSON text."""
    try:
        return json_line(row).rstrip("\n")
    except TypeError as error:
        name, value = next((name, value) for name, value in row.items() if not _is_plain(value))
        raise RowError(
            f"row {short_repr(row.get('id'))}: expected plain data in {name}, but got {type(value).__name__}; "
            "read the rows with load_dataset, or write them to a file and give its name"
        ) from error


def _is_plain(value: Any) -> bool:
    try:
        json_line({"": value})
    except TypeError:
        return False
    return True


def gold_of(row: str | Mapping[str, Any] | PreparedProblem) -> PreparedProblem:
    """Return the gold of a row. The gold of a JSON text is prepared once and kept."""
    return _prepare(row) if isinstance(row, str) else PreparedProblem.of(row)


def _weigh(_: PreparedProblem, text: str) -> int:
    # A row of Draw-1k has 1,000 characters, and 26,000 bytes once answers to it were graded.
    return 16_000 + 12 * len(text)


@weighted_cache(_PREPARED, _weigh)
def _prepare(text: str) -> PreparedProblem:
    reference = PreparedProblem.of(decode_line(text.encode("utf-8", "surrogatepass"), "row"))
    reference.check()  # now, with its id, and not as a wrong answer later
    return reference


# ``derivation`` is the main figure, judged by quantities. ``certain``: right in every reading of the numbers; ``slip``:
# a right set-up with a wrong result; ``veto``: a right result whose derivation is not proved wrong; ``decided``: the
# derivation is proved right or wrong; ``algorithm1``: the set-up is gold's by Algorithm 1 of the paper.

COMPONENTS = ("derivation", "certain", "solution", "readable", "slip", "veto", "decided")
"""The figures that are logged of every response, each 0 or 1."""

ALGORITHM1 = "algorithm1"
"""A further figure, not logged with rewards, where every millisecond counts."""


@dataclass(frozen=True, slots=True)
class Grades:
    """The grades of one response: the verdict by quantities, and Algorithm 1 too if it was computed."""

    verdict: Verdict
    algorithm1: bool | None = None

    @property
    def readable(self) -> bool:
        """Whether anything could be read."""
        return is_readable(self.verdict)

    def figures(self) -> dict[str, float]:
        """Return every component as a number."""
        found = dict(zip(COMPONENTS, _figures(self.verdict), strict=True))
        return found if self.algorithm1 is None else {**found, ALGORITHM1: float(self.algorithm1)}

    def explanation(self) -> dict[str, Any]:
        """Return why the response is graded so: status, reason, message, and the first wrong step with its value.

        `expected` is what the first wrong step would have been; None if there is no such step, or it is not known.
        """
        error = self.verdict.first_error
        told = None if error is None else error.to_dict()
        return {
            "status": str(self.verdict.status),
            "reason": str(self.verdict.reason),
            "message": self.verdict.message,
            "first_error": told,
            "expected": None if told is None else told["expected"],
        }


EXPLANATION = "explanation"
"""What harnesses log of each response besides figures; see `Grades.explanation`."""


def is_readable(verdict: Verdict) -> bool:
    """Decide whether anything of a response could be read."""
    return verdict.reason not in UNREAD and verdict.reason is not Reason.ABSTAINED


def _figures(verdict: Verdict) -> tuple[float, ...]:
    return (
        float(verdict.derivation),
        float(verdict.certain),
        float(verdict.solution),
        float(is_readable(verdict)),
        float(verdict.reason is Reason.SLIP),
        float(verdict.solution and verdict.status is not Status.WRONG),
        float(verdict.status is not Status.UNDECIDED),
    )


def grade_response(response: Any, row: str | Mapping[str, Any] | PreparedProblem, style: str) -> Grades:
    r"""Grade the response of a model.

    >>> row = {"id": 1, "question": "Add 5 and 3 .", "equations": ["x = 5 + 3"], "solutions": [8.0],
    ...     "template": ["m = a + b"], "equiv_tnum": [], "alignment": [
    ...         {"slot": "a", "sentence": 0, "token": 1, "value": 5.0},
    ...         {"slot": "b", "sentence": 0, "token": 3, "value": 3.0}]}
    >>> figures = grade_response("```\nm = q2 + q1\n```\nAnswer: 9", row, "marked").figures()
    >>> [name for name, figure in figures.items() if figure]
    ['derivation', 'certain', 'readable', 'slip', 'decided', 'algorithm1']
    """
    gold = gold_of(row)
    prediction = {"answer": response_text(response), "prompt_style": style}
    return Grades(grade(prediction, gold), grade(prediction, gold, match="algorithm1").derivation)


def _weigh_grade(_: object, response: str, row: str, style: str) -> int:
    # The text of the row is usually shared with other entries, but it is counted here as if it were not.
    return 600 + 4 * (len(response) + len(row) + len(style))


@weighted_cache(64 * MEGABYTE, _weigh_grade)
def quick_figures(response: str, row: str, style: str) -> tuple[tuple[float, ...], str]:
    """Return the components and the reason, without Algorithm 1, for rewards; several ask about one response."""
    verdict = grade({"answer": response, "prompt_style": style}, gold_of(row))
    return _figures(verdict), str(verdict.reason)


STEPS = "steps"
"""A dense reward, not logged unless it is chosen: how far an answer gets before it goes wrong."""


@weighted_cache(16 * MEGABYTE, _weigh_grade)
def quick_progress(response: str, row: str, style: str) -> float:
    """Return how far an answer gets: 1 for a right result that the veto lets pass, 0 if no wrong step can be named.

    Otherwise the quantities of gold before the first wrong step, each counted once, as a share of them and of the steps
    from there on: what is said again, or leads nowhere, brings nothing.
    """
    verdict = grade({"answer": response, "prompt_style": style}, gold_of(row))
    if verdict.solution and verdict.status is not Status.WRONG:
        return 1.0
    error = verdict.first_error
    if error is None:
        return 0.0
    before = {step.function for step in verdict.steps[: error.index] if step.kind is StepKind.RIGHT and step.function}
    return len(before) / (len(before) + len(verdict.steps) - error.index)


def reward_progress(completion: Any, row: Any, style: Any) -> float:
    """Return the dense reward of one completion; the arguments are those of `reward_figures`."""
    _, reason = reward_figures(completion, row, style)
    return 0.0 if reason == NOT_TEXT else quick_progress(response_text(completion), row, style)


NOT_TEXT = "not text"
"""The reason of a completion that is neither a text nor messages. It is graded as an empty answer."""


def reward_figures(completion: Any, row: Any, style: Any) -> tuple[tuple[float, ...], str]:
    """Return the components and the reason of one completion; one that is no text counts as an empty answer."""
    if not isinstance(row, str):
        raise ScoreError(
            f"rewards: expected rows as JSON text, as to_trl and to_verl write them, but got {short_repr(row)}"
        )
    if not isinstance(style, str):
        raise ScoreError(f"rewards: expected prompt_style as text, such as 'marked/1', but got {short_repr(style)}")
    try:
        text = response_text(completion)
    except ChoiceError:
        return quick_figures("", row, style)[0], NOT_TEXT
    return quick_figures(text, row, style)


def response_text(response: Any) -> str:
    """Return the text of a response."""
    if isinstance(response, str):
        return response
    if isinstance(response, Sequence) and response and isinstance(response[-1], Mapping) and "content" in response[-1]:
        content = response[-1]["content"]
        if content is None:
            return ""
        if isinstance(content, str):
            return content
        if isinstance(content, Sequence) and not isinstance(content, (bytes, bytearray)):
            texts = (part.get("text") for part in content if isinstance(part, Mapping))
            return "".join(text for text in texts if isinstance(text, str))
    raise ChoiceError(f"response: expected a text or messages with content, but got {short_repr(response)}")


Record = dict[str, Any]


class Shape(Protocol):
    """Makes the record of a row for one trainer."""

    def __call__(self, row: Mapping[str, Any], at: int, prompt: Prompt, gold_answer: str) -> Record:
        """Return the record of a row with its number, its prompt and its gold as an answer."""


def training_set(
    rows: Rows,
    shape: Shape,
    out: str | os.PathLike[str] | None,
    *,
    style: str,
    shots: int,
    data_dir: str | os.PathLike[str] | None,
    corrected: bool,
) -> list[Record]:
    """Return the records that `shape` makes of rows (see `to_trl`); write them to a Parquet file if one is named."""
    records = []
    given = rows_of(rows, data_dir, corrected)
    kept = [row for row in given if refused_id(row) is None]
    if len(kept) < len(given):
        warnings.warn(left_out(len(given) - len(kept)), RefusedWarning, stacklevel=3)
    for at, row in enumerate(kept):
        PreparedProblem.of(row).check()  # a bad row is refused now, and not in the middle of training
        records.append(shape(row, at, prompt_for(row, style, shots), answer_for(row, style)))
    if out is not None:
        # Imported here, since rewards do not need it.
        import pyarrow as pa
        import pyarrow.parquet as pq

        with atomic_file(out, binary=True) as file:
            pq.write_table(pa.Table.from_pylist(records), file)
    return records
