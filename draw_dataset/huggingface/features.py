"""The row as typed columns of the `datasets` library: the one place that knows both."""

from __future__ import annotations

from datasets import Features, List, Value


def row_features() -> Features:
    """Return the features of a row (see `draw_dataset.core.problem`)."""
    # Lists of dicts, not Sequence: that would turn them into dicts of lists.
    return Features(
        {
            "id": Value("int64"),
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
        }
    )
