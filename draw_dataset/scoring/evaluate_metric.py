"""The metric for `evaluate`: predictions and rows as plain data, so that storing them does not change what is graded.

Typed Arrow columns convert (a token 1.5 becomes 1), and a column of JSON decodes a string that happens to be JSON. So
predictions and rows are first reduced to None, bool, int, float, str, and lists and dicts of exactly these, and stored
as JSON. The one-shot call does the same without storing, so both grade the same. Only the parts that grading uses are
kept. Whatever a model can write gets a verdict; an array or an object is a mistake of a program and raises.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from draw_dataset.algebra.number import exact
from draw_dataset.derivation.problem import not_a_row, rows_of
from draw_dataset.derivation.problem import plain_row as convert_row
from draw_dataset.errors import ChoiceError, DrawError, ReadError, RowError, ScoreError, UnreadWarning, short_repr
from draw_dataset.scoring.gold import ROWS, PreparedProblem, PreparedProblemCache, refused_id
from draw_dataset.scoring.options import Options, check_data_name
from draw_dataset.scoring.score import score
from draw_dataset.scoring.verdict import Verdict

MAX_NESTING = 40
"""How deep lists and dicts may be nested; an alignment needs three levels."""

MAX_INT = 10**600
"""Larger whole numbers are replaced by this one: Python may be set to write no more than 640 digits.

No number of a text, no place in it and no gold solution comes near it, so the verdict is the same.
"""

_PREDICTION_KEYS = frozenset({"template", "alignment", "solutions", "derivation", "answer", "prompt_style"})
_ROW_KEYS = (
    "id", "question", "numbers", "equations", "solutions", "template", "alignment", "equiv_tnum", "findings",
    "alternatives", "asked", "roles", "correction", "status",
)  # fmt: skip
_ENTRY_KEYS = frozenset({"index", "slot", "sentence", "token", "start", "end", "text", "value"})
_ATOMS = frozenset({str, float, bool, type(None)})


class _NotPlain(Exception):
    """A value that is not plain; the path to it is collected as the error passes upwards."""

    def __init__(self, expected: str, got: str) -> None:
        super().__init__(expected, got)
        self.expected = expected
        self.got = got
        self.path: list[str] = []

    def at(self, where: str) -> ScoreError:
        return ScoreError(f"{where}{''.join(reversed(self.path))}: expected {self.expected}, but got {self.got}")


def plain_prediction(prediction: Any, index: int) -> Any:
    """Return a prediction as plain data.

    >>> plain_prediction({"template": ("m = a",), "logits": object()}, 0)
    {'template': ['m = a'], 'logits': None}

    A mapping keeps the keys that grading looks at, and the names of the others. Raises `ScoreError` if JSON cannot hold
    it.
    """
    if prediction is None or type(prediction) is str:
        return prediction
    try:
        if isinstance(prediction, Mapping):
            return _plain_items(prediction, 0, _PREDICTION_KEYS)
        return _plain(prediction, 0)
    except _NotPlain as error:
        raise error.at(f"predictions[{index}]") from None


def plain_row(row: Any, index: int) -> dict[str, Any]:
    """Return the fields of a row that grading uses as plain data; raises `ScoreError` if JSON cannot hold them."""
    if not isinstance(row, Mapping):
        raise RowError(f"references[{index}]: {not_a_row(row)}")
    try:
        return _plain_row(row)
    except _NotPlain:
        pass  # arrays and numbers of another library, perhaps
    try:
        return _plain_row(convert_row(row))
    except _NotPlain as error:
        raise error.at(f"references[{index}]") from None


def _plain_row(row: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: row[name] for name in _ROW_KEYS if name in row}
    for name in ("numbers", "alignment", "equiv_tnum"):
        if name in kept:
            kept[name] = _entries(kept[name])
    return _plain_items(kept, 0, None)


def _entries(value: Any) -> Any:
    """Return the entries of a list, or of the lists in it, with only the keys that grading uses."""
    if isinstance(value, (list, tuple)):
        return [_entries(item) if isinstance(item, (list, tuple)) else _entry(item) for item in value]
    return value


def _entry(value: Any) -> Any:
    return {key: value[key] for key in _ENTRY_KEYS if key in value} if isinstance(value, Mapping) else value


def _plain(value: Any, depth: int) -> Any:
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is int:
        return max(-MAX_INT, min(value, MAX_INT))
    if isinstance(value, (list, tuple)):
        return _plain_list(value, depth)
    if isinstance(value, Mapping):
        return _plain_items(value, depth, None)
    # Subclasses, such as numpy's float64 and str_ or the members of an enumeration: the same value, plain.
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, int):
        return _plain(int.__int__(value), depth)
    raise _NotPlain("None, a bool, an int, a float, a string, or a list or dict of these", _shown(value))


def _plain_list(value: Sequence[Any], depth: int) -> list[Any]:
    if depth == MAX_NESTING:
        raise _NotPlain(f"lists and dicts nested at most {MAX_NESTING} deep", "more")
    items: list[Any] = []
    for index, item in enumerate(value):
        kind = type(item)
        if kind in _ATOMS or (kind is int and -MAX_INT < item < MAX_INT):
            items.append(item)
            continue
        try:
            items.append(_plain_items(item, depth + 1, None) if kind is dict else _plain(item, depth + 1))
        except _NotPlain as error:
            error.path.append(f"[{index}]")
            raise
    return items


def _plain_items(value: Mapping[Any, Any], depth: int, looked_at: frozenset[str] | None) -> dict[str, Any]:
    if depth == MAX_NESTING:
        raise _NotPlain(f"lists and dicts nested at most {MAX_NESTING} deep", "more")
    items: dict[str, Any] = {}
    for key, item in value.items():
        if type(key) is not str:
            if not isinstance(key, str):
                raise _NotPlain("keys that are strings", _shown(key))
            key = str.__str__(key)
        kind = type(item)
        if looked_at is not None and key not in looked_at:
            items[key] = None
        elif kind in _ATOMS or (kind is int and -MAX_INT < item < MAX_INT):
            items[key] = item
        else:
            try:
                items[key] = _plain(item, depth + 1)
            except _NotPlain as error:
                error.path.append(f".{key:.40}")
                raise
    return items


def _shown(value: object) -> str:
    """Return an object's type, and its beginning where that is safe to write."""
    if value is None or isinstance(value, (str, bytes, float, complex)):
        return f"{short_repr(value)} ({type(value).__name__})"
    return f"an object of type {type(value).__module__}.{type(value).__qualname__}"


_write = json.JSONEncoder(check_circular=False, separators=(",", ":")).encode


def encode(plain: Any) -> str:
    """Return plain data as a string."""
    return _write(plain)


def decode(text: str) -> Any:
    """Return the plain data of a string that `encode` made."""
    return json.loads(text)


def listed(predictions: Any, references: Any) -> tuple[list[Any], list[Any]]:
    """Return predictions and references as lists of the same length; raises `ScoreError` or `RowError` otherwise."""
    given = _listed(predictions, "predictions")
    if references is None:
        raise ScoreError("references: expected a list, one item per problem, but got none")
    rows = list(rows_of(references))
    if len(given) != len(rows):
        raise ScoreError(f"expected as many predictions as references, but got {len(given)} and {len(rows)}")
    return given, rows


def _listed(items: Any, name: str) -> list[Any]:
    # A string would become its characters, and a row or a dict of columns its keys.
    if items is None or isinstance(items, (str, bytes, Mapping)) or not isinstance(items, Iterable):
        got = "none" if items is None else f"{type(items).__name__}"
        raise ScoreError(f"{name}: expected a list, one item per problem, but got {got}")
    return list(items)


def encoded_pairs(predictions: Any, references: Any, start: int) -> tuple[list[str], list[str]]:
    """Return predictions and rows as strings that can be stored; errors count positions from `start`."""
    given, rows = listed(predictions, references)
    stored: list[str] = []
    texts: dict[int, str] = {}  # a row that occurs again as the same object is written once
    for index, row in enumerate(rows):
        stored.append(encode(plain_prediction(given[index], start + index)))
        if id(row) not in texts:
            texts[id(row)] = encode(plain_row(row, start + index))
    return stored, [texts[id(row)] for row in rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSettings:
    """The settings of the metric. They come from any caller, so they are checked here."""

    merge_equiv: Any = False  # see `Options`, also for the other options
    tolerance: Any = 1e-4
    equation: Any = "random"
    seed: Any = 0
    data: Any = ROWS  # the name of the rows in the signature
    return_verdicts: Any = False  # whether the verdicts are added to the figures
    text: Any = "q-notation"  # what a prediction that is a string is: ``q-notation``, or a model ``answer``
    match: Any = "auto"
    gold: Any = "auto"

    @property
    def options(self) -> Options:
        """The options of grading."""
        if type(self.merge_equiv) is not bool:
            raise ChoiceError(f"merge_equiv: expected True or False, but got {_shown(self.merge_equiv)}")
        try:
            wide: Fraction = exact(self.tolerance)
        except ReadError as error:
            raise ChoiceError(f"tolerance: expected {error.expected}, but got {error.got}") from error
        return Options(self.merge_equiv, wide, self.equation, self.seed, self.match, self.gold)

    def check(self) -> None:
        """Raise `ChoiceError` if a setting other than the options is not one of those offered."""
        check_data_name(self.data)
        if type(self.return_verdicts) is not bool:
            raise ChoiceError(f"return_verdicts: expected True or False, but got {_shown(self.return_verdicts)}")
        if self.text not in ("q-notation", "answer"):
            raise ChoiceError(f"text: expected q-notation or answer, but got {_shown(self.text)}")


def compute_at_once(predictions: Any, references: Any, settings: MetricSettings = MetricSettings()) -> dict[str, Any]:
    """Return the figures of predictions that need not be stored; raises as `encoded_pairs` and `compute_stored`."""
    given, rows = listed(predictions, references)
    known = PreparedProblemCache()
    for index, row in enumerate(rows):
        given[index] = plain_prediction(given[index], index)
        if refused_id(row) is not None:
            continue  # it has no gold
        try:
            rows[index] = known.prepared(row)
        except DrawError:
            rows[index] = plain_row(row, index)  # its error names the place
    return _figures(given, rows, settings)


def compute_stored(
    predictions: Iterable[str],
    references: Sequence[str],
    settings: MetricSettings = MetricSettings(),
) -> dict[str, Any]:
    """Return the figures of encoded predictions and rows."""
    rows = {text: decode(text) for text in dict.fromkeys(references)}
    return _figures([decode(text) for text in predictions], [rows[text] for text in references], settings)


def _figures(
    predictions: Sequence[Any], references: Sequence[PreparedProblem | dict[str, Any]], settings: MetricSettings
) -> dict[str, Any]:
    """Return the figures of plain predictions and rows; equal rows are one object.

    Rows without gold are left out; among the verdicts theirs is None. Warns once if some predictions could not be read.
    """
    options = settings.options
    settings.check()
    if settings.text == "answer":
        predictions = [{"answer": given} if isinstance(given, str) else given for given in predictions]
    verdicts: list[Verdict] | None = [] if settings.return_verdicts else None
    scored = score(predictions, _prepare(references, options), options, data=settings.data, verdicts=verdicts)
    if scored.unread_note:
        strongly = " All accuracies are therefore zero." if scored.nothing_read else ""
        # The caller of the metric is three calls away.
        warnings.warn(f"derivation_accuracy: {scored.unread_note}{strongly}", UnreadWarning, stacklevel=4)
    found = scored.to_dict()
    if verdicts is not None:
        left = iter(verdicts)
        found["verdicts"] = [None if refused_id(row) is not None else next(left).to_dict() for row in references]
    return found


def _prepare(
    rows: Sequence[PreparedProblem | dict[str, Any]], options: Options
) -> list[PreparedProblem | dict[str, Any]]:
    """Return the gold of rows after checking all of it; rows without gold as they are."""
    made: dict[int, PreparedProblem | dict[str, Any]] = {}
    for index, row in enumerate(rows):
        if refused_id(row) is not None:
            made[id(row)] = row
        elif id(row) not in made:
            try:
                made[id(row)] = prepared = PreparedProblem.of(row)
                prepared.gold(options)
                prepared.alternatives(options)
            except RowError as error:
                raise RowError(f"references[{index}]: {error}") from error
    return [made[id(row)] for row in rows]
