"""The row as typed columns of the `datasets` library: the one place that knows both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from datasets import Dataset, Features, List, Value

from draw_dataset.errors import RowError


def rows_dataset(rows: Iterable[Mapping[str, Any]], more: Mapping[str, Any] | None = None) -> Dataset:
    """Return rows as a `Dataset`. A column has one type: where an id is a text, all ids become texts.

    >>> from draw_dataset.sample import load_sample
    >>> rows = [problem.to_row() for problem in load_sample()["test"][:2]]
    >>> rows_dataset([rows[0], {**rows[1], "id": "mine-2"}])["id"][:]
    ['91', 'mine-2']

    Args:
        rows: the rows.
        more: the features of further fields.

    Raises:
        RowError: a number and a text would become one id.
    """
    listed = [dict(row) for row in rows]
    as_texts = any(isinstance(row["id"], str) for row in listed)
    if as_texts:
        ids = {row["id"] for row in listed}
        if len(set(map(str, ids))) < len(ids):
            raise RowError("expected ids that differ as strings, but got one both as a number and as a string")
        listed = [{**row, "id": str(row["id"])} for row in listed]
    features = row_features("string" if as_texts else "int64")
    return Dataset.from_list(listed, features=Features({**features, **(more or {})}))


def row_features(id_type: str = "int64") -> Features:
    """Return the features of a row (see `draw_dataset.core.problem`).

    Args:
        id_type: of the ids; the release's are whole numbers, in other data they may be texts (``string``).
    """
    # Lists of dicts, not Sequence: that would turn them into dicts of lists.
    return Features(
        {
            "id": Value(id_type),
            "question": Value("string"),
            "numbers": List(
                {
                    "index": Value("int32"),
                    "sentence": Value("int32"),
                    "token": Value("int32"),
                    "start": Value("int32"),
                    "end": Value("int32"),
                    "text": Value("string"),
                    "value": Value("float64"),
                }
            ),
            "equations": List(Value("string")),
            "solutions": List(Value("float64")),
            "template": List(Value("string")),
            "alignment": List(
                {
                    "slot": Value("string"),
                    "sentence": Value("int32"),
                    "token": Value("int32"),
                    "value": Value("float64"),
                }
            ),
            "equiv_tnum": List(List({"sentence": Value("int32"), "token": Value("int32"), "value": Value("float64")})),
            "derivation": Value("string"),
            "findings": List(Value("string")),
            "alternatives": List(Value("string")),
            "asked": List(Value("string")),
        }
    )
