"""The pages on the rows that the latest edition changes agree with the edition."""

from __future__ import annotations

from pathlib import Path

import list_changes
import pytest

from draw_dataset.data.corrections import changes
from draw_dataset.data.editions import changed_rows


def test_the_pages_on_changed_rows_are_current(capsys: pytest.CaptureFixture[str]) -> None:
    assert list_changes.main(["--check"]) == 0, capsys.readouterr().out


def test_every_changed_row_has_a_line() -> None:
    lines = [line.split(" | ")[0] for line in list_changes.list_text().splitlines() if line.startswith("| ")]
    ids = [line.removeprefix("| ") for line in lines if line[2:].isdecimal()]
    assert ids == [str(row.id) for row in changed_rows()]
    assert len(ids) == sum(map(len, changes().values()))


def test_a_stale_page_is_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = (list_changes.DOCS / "gold.md").read_text(encoding="utf-8")
    (tmp_path / "gold.md").write_text(gold.replace("| groups |", "| group |"), encoding="utf-8")
    monkeypatch.setattr(list_changes, "DOCS", tmp_path)
    assert list_changes.main(["--check"]) == 1
    assert "run scripts/list_changes.py" in capsys.readouterr().out
    assert list_changes.main([]) == 0
    assert (tmp_path / "gold.md").read_text(encoding="utf-8") == gold
    assert list_changes.main(["--check"]) == 0
