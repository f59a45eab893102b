"""Scoring a file of predictions, line by line: JSONL keyed by ``id``, in any order.

A line is ``{"id": 7, "prediction": …}``, or has the prediction's own fields beside the id: ``{"id": 7, "template": […],
"alignment": […]}``. Every id must be one of the rows' and come once; ids that do not come are an error, or abstain.
Nothing is kept of a line but its marks, so that the length of the file does not matter.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Literal, NamedTuple

from draw_dataset.core.problem import Problem, ProblemId
from draw_dataset.errors import ChoiceError, ScoreError, shown
from draw_dataset.scoring.golds import FiledGolds, ListedGolds
from draw_dataset.scoring.reference import Reference
from draw_dataset.scoring.score import Score, Tally
from draw_dataset.scoring.signature import Options
from draw_dataset.scoring.verdict import Verdict

Missing = Literal["error", "abstain"]

_NAMED = 5
"""Missing ids that an error names."""

_FIELDS = ("template", "alignment", "derivation", "solutions")
"""What of a prediction may stand beside the id."""


class Judged(NamedTuple):
    """A prediction with what it was held against and what is said of it."""

    reference: Reference
    prediction: Any
    verdict: Verdict


def read_predictions(path: Path, *, progress: bool = False) -> Iterator[tuple[int, int, Any]]:
    """Yield the line number, the id and the prediction of each line of a file; blank lines are passed over.

    Args:
        path: the file.
        progress: whether to show a progress bar on stderr.

    Raises:
        ScoreError: the file cannot be read, or a line is no prediction with an id; names file and line.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise ScoreError(f"{path}: expected a JSONL file of predictions, but got {error}") from error
    with file, _bar(path, path.stat().st_size) if progress else nullcontext(lambda _: None) as advance:
        try:
            for number, line in enumerate(file, 1):
                advance(len(line))
                if line.strip():
                    yield number, *_read_line(line, f"{path}, line {number}")
        except OSError as error:
            raise ScoreError(f"{path}: cannot read it: {error}") from error


@contextmanager
def _bar(path: Path, size: int) -> Iterator[Callable[[int], object]]:
    """Show a bar over the bytes of a file; it is advanced by calling what this gives."""
    from tqdm import tqdm

    with tqdm(total=size or None, unit="B", unit_scale=True, desc=path.name, leave=False) as bar:
        yield bar.update


def _read_line(line: bytes, where: str) -> tuple[int, Any]:
    try:
        entry = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ScoreError(f"{where}: expected a JSON object, but got {error}") from error
    if type(entry) is not dict:
        raise ScoreError(f"{where}: expected a JSON object with an id, but got {shown(entry)}")
    if "id" not in entry:
        raise ScoreError(f"{where}: expected an id, but got the keys {shown(sorted(entry)[:8])}")
    id_ = entry["id"]
    if type(id_) is not int:
        raise ScoreError(f"{where}: expected a whole number as the id, but got {shown(id_)}")
    if "prediction" not in entry:
        return id_, entry
    beside = [name for name in _FIELDS if name in entry]
    if beside:
        raise ScoreError(f"{where}: expected a prediction or its fields beside the id, but got both ({beside[0]})")
    return id_, entry["prediction"]


def score_file(
    path: str | Path,
    rows: ListedGolds | FiledGolds | Iterable[Mapping[str, Any] | Problem | Reference],
    options: Options = Options(),  # noqa: B008
    *,
    data: str = "rows",
    missing: Missing = "error",
    judged: Callable[[Judged], object] | None = None,
    progress: bool = False,
) -> Score:
    """Score a file of predictions.

    Args:
        path: the file.
        rows: the rows, in any form, or golds.
        options: how to grade.
        data: what the rows are called in the signature, as in ``draw1k/test``.
        missing: what to do about ids that do not come.
        judged: called with every prediction and its verdict, in the order of the file.
        progress: whether to show a progress bar on stderr.

    Returns:
        The score, its items in the order of the rows.

    Raises:
        ScoreError: the file cannot be read; a line is no prediction; an id comes twice, is not one of the rows', or
            does not come. Names file, line and id.
        RowError: a row is none, or its gold cannot be read.
    """
    if missing not in ("error", "abstain"):
        raise ChoiceError(f"missing: expected error or abstain, but got {shown(missing)}")
    path = Path(path)
    golds = rows if isinstance(rows, (ListedGolds, FiledGolds)) else ListedGolds(rows)
    if not len(golds):
        raise ScoreError("expected at least one reference, but got none")
    tally = Tally(options, data, keep_references=golds.few)
    order = array("q")
    seen = bytearray(len(golds))

    def add(position: int, prediction: Any) -> None:
        reference = golds.reference(position)
        verdict = tally.add(prediction, reference)
        order.append(position)
        seen[position] = True
        if judged is not None:
            judged(Judged(reference, prediction, verdict))

    for number, id_, prediction in read_predictions(path, progress=progress):
        positions = golds.positions(id_)
        if not positions:
            raise ScoreError(
                f"{path}, line {number}: expected one of the {len(golds)} ids of {data}, but got {id_}, which is none"
            )
        if seen[positions[0]]:
            raise ScoreError(f"{path}, line {number}: expected each id once, but got {id_} again")
        for position in positions:
            add(position, prediction)
    if len(order) < len(golds):
        if missing == "error":
            _refuse_missing(path, golds, seen)
        at = seen.find(0)
        while at >= 0:
            add(at, None)
            at = seen.find(0, at + 1)
    return tally.result(order)


def _refuse_missing(path: Path, golds: ListedGolds | FiledGolds, seen: bytearray) -> None:
    absent = seen.count(0)
    named: list[ProblemId] = []
    at = seen.find(0)
    while at >= 0 and len(named) < _NAMED:
        if golds.id_at(at) not in named:
            named.append(golds.id_at(at))
        at = seen.find(0, at + 1)
    more = ", …" if at >= 0 else ""
    raise ScoreError(
        f"{path}: expected a prediction for each of the {len(golds)} rows, but {absent} "
        f"{'has' if absent == 1 else 'have'} none: {', '.join(map(str, named))}{more} "
        "(missing: abstain, counts them as abstentions)"
    )
