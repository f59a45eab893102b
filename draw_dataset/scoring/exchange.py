"""The question: how do predictions and rows get from one process to another without a change in what is graded.

The batched calls of `evaluate` store what they are given in an Arrow file and read it back later. Typed columns convert
(a token 1.5 becomes 1), and a column of JSON reads a text that happens to be JSON (the prediction ``"2"`` comes back as
the number 2). So both sides are reduced to plain data first: None, bool, int, float, str, and lists and dicts of these,
of exactly these types. Python's own JSON gives back plain data exactly, NaN and lone surrogates included, and is stored
as text. The one-shot call reduces to plain data too, and goes no further: that is why both calls grade the same.

Only what grading looks at is kept, so that an extra key may hold anything. Whatever a model can write is plain and gets
a verdict; what only a program can hand over, an array or an object, is a mistake of that program and raises.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from draw_dataset.core.exact import exact
from draw_dataset.errors import ChoiceError, ReadError, RowError, ScoreError, shown
from draw_dataset.scoring.reference import Reference
from draw_dataset.scoring.score import score
from draw_dataset.scoring.signature import EquationMode, Options, check_data_name
from draw_dataset.scoring.standard import standard_of
from draw_dataset.scoring.verdict import Verdict

MAX_NESTING = 40
"""Lists and dicts within each other; an alignment needs three."""

MAX_INT = 10**600
"""Whole numbers from here on are refused: Python may be set to write no more than 640 digits."""

_PREDICTION_KEYS = frozenset({"template", "alignment", "solutions", "derivation"})
_ROW_KEYS = ("id", "question", "numbers", "equations", "solutions", "template", "alignment", "equiv_tnum", "findings")
_ATOMS = frozenset({str, float, bool, type(None)})


class _NotPlain(Exception):
    """Something that is not plain; the path to it is collected on the way out."""

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

    Args:
        prediction: what was given; a mapping keeps the keys that grading looks at, and the names of the others.
        index: its place among the predictions, for the error.

    Raises:
        ScoreError: it holds something that no JSON could; says where.
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
    """Return a row as plain data, without the fields that grading does not need.

    Raises:
        RowError: it is not a mapping.
        ScoreError: it holds something that no JSON could; says where.
    """
    if not isinstance(row, Mapping):
        raise RowError(f"references[{index}]: expected a row, but got {_shown(row)}")
    try:
        return _plain_items({name: row[name] for name in _ROW_KEYS if name in row}, 0, None)
    except _NotPlain as error:
        raise error.at(f"references[{index}]") from None


def _plain(value: Any, depth: int) -> Any:
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is int:
        if not -MAX_INT < value < MAX_INT:
            raise _NotPlain("a whole number of at most 600 digits", f"one of {value.bit_length()} bits")
        return value
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
    raise _NotPlain("None, a bool, an int, a float, a text, or a list or dict of these", _shown(value))


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
                raise _NotPlain("keys that are texts", _shown(key))
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
        return f"{shown(value)} ({type(value).__name__})"
    return f"an object of type {type(value).__module__}.{type(value).__qualname__}"


_write = json.JSONEncoder(check_circular=False, separators=(",", ":")).encode


def encode(plain: Any) -> str:
    """Return plain data as a text.

    >>> encode({"template": ["m = a"], "solutions": [float("nan"), 1, 1.0]})
    '{"template":["m = a"],"solutions":[NaN,1,1.0]}'
    """
    return _write(plain)


def decode(text: str) -> Any:
    """Return the plain data of a text that `encode` made."""
    return json.loads(text)


def listed(predictions: Any, references: Any) -> tuple[list[Any], list[Any]]:
    """Return predictions and references as lists of one length.

    Raises:
        ScoreError: one of them is missing or no collection of items, or their lengths differ.
    """
    given, rows = _listed(predictions, "predictions"), _listed(references, "references")
    if len(given) != len(rows):
        raise ScoreError(f"expected as many predictions as references, but got {len(given)} and {len(rows)}")
    return given, rows


def _listed(items: Any, name: str) -> list[Any]:
    # A text would be taken for its characters, a row or a dict of columns for its keys.
    if items is None or isinstance(items, (str, bytes, Mapping)) or not isinstance(items, Iterable):
        got = "none" if items is None else f"{type(items).__name__}"
        raise ScoreError(f"{name}: expected a list, one item a problem, but got {got}")
    return list(items)


def read_options(merge_equiv: Any, tolerance: Any, equation: EquationMode, seed: Any) -> Options:
    """Return the options that untyped arguments mean.

    Raises:
        ChoiceError: an argument is not of its type or out of its range; names it.
    """
    if type(merge_equiv) is not bool:
        raise ChoiceError(f"merge_equiv: expected True or False, but got {_shown(merge_equiv)}")
    try:
        wide: Fraction = exact(tolerance)
    except ReadError as error:
        raise ChoiceError(f"tolerance: expected {error.expected}, but got {error.got}") from error
    return Options(merge_equiv=merge_equiv, tolerance=wide, equation=equation, seed=seed)


def encoded_pairs(predictions: Any, references: Any, start: int) -> tuple[list[str], list[str]]:
    """Return predictions and rows as texts to be stored.

    Args:
        predictions: a collection of predictions.
        references: as many rows.
        start: the place of the first one, for errors.

    Raises:
        ScoreError: see `listed` and `plain_prediction`.
        RowError: see `plain_row`.
    """
    given, rows = _plain_pairs(predictions, references, start)
    # A row that comes again as the same object is written once.
    texts = {id(row): encode(row) for row in rows}
    return [encode(prediction) for prediction in given], [texts[id(row)] for row in rows]


def _plain_pairs(predictions: Any, references: Any, start: int) -> tuple[list[Any], list[dict[str, Any]]]:
    """Return predictions and rows as plain data; rows that are one object stay one."""
    given, rows = listed(predictions, references)
    known: dict[int, dict[str, Any]] = {}
    for index, row in enumerate(rows):
        given[index] = plain_prediction(given[index], start + index)
        if id(row) not in known:
            known[id(row)] = plain_row(row, start + index)
    return given, [known[id(row)] for row in rows]


def compute_at_once(predictions: Any, references: Any, **settings: Any) -> dict[str, Any]:
    """Return the figures of predictions that need not be stored; see `figures` for the settings.

    Raises:
        DrawError: as `encoded_pairs` and then `compute_stored` do.
    """
    return figures(*_plain_pairs(predictions, references, 0), **settings)


def compute_stored(predictions: Iterable[str], references: Sequence[str], **settings: Any) -> dict[str, Any]:
    """Return the figures of encoded predictions and rows; the settings are those of `figures`."""
    # Texts that are equal become one row, as rows do that are one object.
    rows = {text: decode(text) for text in dict.fromkeys(references)}
    return figures([decode(text) for text in predictions], [rows[text] for text in references], **settings)


def figures(
    predictions: Sequence[Any],
    references: Sequence[dict[str, Any]],
    *,
    merge_equiv: Any = False,
    tolerance: Any = 1e-4,
    equation: EquationMode = "random",
    seed: Any = 0,
    data: Any = "rows",
    return_verdicts: Any = False,
) -> dict[str, Any]:
    """Return the figures of plain predictions and rows.

    Args:
        predictions: the predictions.
        references: as many rows.
        merge_equiv: see `Options`; so are the next three.
        tolerance: a number.
        equation: a mode of equation accuracy.
        seed: a whole number.
        data: what the rows are called in the signature.
        return_verdicts: whether the verdicts are added to the figures.

    Raises:
        ChoiceError: a setting is not one of those offered.
        ScoreError: there is nothing to score.
        RowError: the gold of a row cannot be read; names its place and its id.
    """
    options = read_options(merge_equiv, tolerance, equation, seed)
    check_data_name(data)
    if type(return_verdicts) is not bool:
        raise ChoiceError(f"return_verdicts: expected True or False, but got {_shown(return_verdicts)}")
    verdicts: list[Verdict] | None = [] if return_verdicts else None
    found = score(predictions, _prepared(references, options), options, data=data, verdicts=verdicts).to_dict()
    if verdicts is not None:
        found["verdicts"] = [verdict.to_dict() for verdict in verdicts]
    return found


def _prepared(rows: Sequence[dict[str, Any]], options: Options) -> list[Reference]:
    """Return the references of rows; those that say the same are one, prepared once."""
    by_object: dict[int, Reference] = {}
    by_question: dict[str, list[tuple[dict[str, Any], Reference]]] = {}
    for index, row in enumerate(rows):
        if id(row) in by_object:
            continue
        question = row.get("question")
        # Compared as texts, which tell 1 from 1.0; most questions come once, and their rows are never written.
        alike = by_question.setdefault(question, []) if type(question) is str else []
        same = next((reference for other, reference in alike if encode(other) == encode(row)), None)
        if same is None:
            same = _reference(row, index, options)
            alike.append((row, same))
        by_object[id(row)] = same
    return [by_object[id(row)] for row in rows]


def _reference(row: dict[str, Any], index: int, options: Options) -> Reference:
    try:
        reference = Reference.of(row)
        standard_of(reference, options)  # what is wrong with gold is said now, with its place
    except RowError as error:
        raise RowError(f"references[{index}]: {error}") from error
    return reference
