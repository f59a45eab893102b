"""Messages about records name the place where a person looks: the first line of a row, a column of that line."""

from __future__ import annotations

from pathlib import Path

import pytest

from draw_dataset.errors import RowError, ScoreError
from draw_dataset.io.jsonl import decode_json
from draw_dataset.io.records import open_records


@pytest.mark.parametrize(
    ("text", "column"), [('{"a": 1, "b"\n', 13), ('{"a": 1,\r\n', 9), ('{"a" 1}\n', 6), ('{"a": 1}\nx', 1), ("x", 1)]
)
def test_a_column_is_counted_in_the_line_and_not_after_its_end(text: str, column: int) -> None:
    with pytest.raises(RowError, match=f"at column {column}$"):
        decode_json(text, "here")


def test_a_row_with_a_cell_of_several_lines_is_named_by_its_first(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('id,text\n1,"a\nb\nc"\n2,d\n', encoding="utf-8")
    with open_records(path, error=ScoreError) as records:
        assert [where.rpartition(" ")[2] for where, _ in records.items] == ["2", "5"]
