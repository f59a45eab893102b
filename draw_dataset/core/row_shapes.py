"""Rows in other shapes: a slice of a dataset, a table, arrays.

A row is a dict of plain values. Libraries give the same data in other shapes: ``ds[:]`` is a dict of columns, a pandas
DataFrame and an Arrow table are tables, and a dataset in numpy format has arrays and numpy's numbers inside its rows.
No library is imported for this: a shape is recognised by its methods.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from draw_dataset.errors import RowError

_COLUMN = "question"
"""A column that every row has, and whose value in one row is a string."""

_ADVICE = "give list(ds) of a dataset, or to_dict('records') of a DataFrame"


def rows_of(given: Any, what: str = "references") -> Sequence[Any]:
    """Return the rows of a collection as a sequence. The rows themselves are not checked.

    >>> rows_of({"id": [1, 2], "question": ["One pear .", "Two pears ."]})
    [{'id': 1, 'question': 'One pear .'}, {'id': 2, 'question': 'Two pears .'}]

    Args:
        given: a list of rows, a dataset, a slice of one (a dict of columns), a DataFrame, an Arrow table, or any
            iterable of rows.
        what: what an error message calls it.

    Raises:
        RowError: it is one row, several splits, or no collection; says what to give instead.
    """
    if isinstance(given, (list, tuple)):
        return given
    if isinstance(given, Mapping):
        return _rows_of_columns(given, what)
    if hasattr(given, "to_dict") and hasattr(given, "columns"):  # a DataFrame
        return list(given.to_dict("records"))
    if hasattr(given, "to_pylist"):  # an Arrow table
        return list(given.to_pylist())
    if hasattr(given, "with_format") and getattr(given, "format", {}).get("type") is not None:  # a formatted dataset
        return list(given.with_format(None))
    if given is None or isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise RowError(f"{what}: expected a list of rows, but got {_kind(given)}; {_ADVICE}")
    return given if isinstance(given, Sequence) or hasattr(given, "__len__") else list(given)  # type: ignore[return-value]


def _rows_of_columns(columns: Mapping[Any, Any], what: str) -> list[dict[Any, Any]]:
    column = columns.get(_COLUMN)
    if isinstance(column, str):
        raise RowError(f"{what}: expected a list of rows, but got one row; give [row]")
    if column is None:
        splits = [str(name) for name, value in columns.items() if hasattr(value, "features")]
        if splits:
            named = ", ".join(splits)
            raise RowError(f"{what}: expected one split, but got {named}; give one, as in ds[{splits[-1]!r}]")
        raise RowError(f"{what}: expected a list of rows, but got {_kind(columns)}; {_ADVICE}")
    lengths = {len(values) if hasattr(values, "__len__") else None for values in columns.values()}
    if len(lengths) != 1:
        raise RowError(f"{what}: expected columns of one length, but got columns of different lengths")
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def plain_row(row: Any) -> Any:
    """Return a row with Python's own lists and numbers instead of arrays and numbers of numpy or pandas.

    >>> class Array(list):
    ...     def tolist(self):
    ...         return list(self)
    >>> plain_row({"id": 1, "solutions": Array([2.0])})
    {'id': 1, 'solutions': [2.0]}
    """
    if hasattr(row, "to_dict") and not hasattr(row, "columns") and not isinstance(row, Mapping):  # a Series
        row = row.to_dict()
    return _plain(row, 0) if isinstance(row, Mapping) else row


def _plain(value: Any, depth: int) -> Any:
    if depth > 8:  # no row is nested that deep; its reader reports what is wrong
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {key: _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, depth + 1) for item in value]
    return value


def not_a_row(value: object) -> str:
    """Return what an error message says about a value that should be a row."""
    return f"expected a row, which is a dict with question, equations and so on, but got {_kind(value)}; {_ADVICE}"


def _kind(value: object) -> str:
    return "nothing" if value is None else f"a value of type {type(value).__name__}"
