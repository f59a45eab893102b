"""``draw show``: SOURCE/ID, and files that are written and said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from draw_dataset.cli import main
from draw_dataset.data.sample import load_sample

PROBLEM = load_sample()["test"][0]


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(["show", *words])
    told = capsys.readouterr()
    return status, told.out, told.err


def test_a_source_and_an_id_are_one_word(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(PROBLEM.to_row()))
    expected = shown(capsys, str(PROBLEM.id))
    assert expected[0] == 0
    for name in ("sample", "draw_sample", "sample/test", str(path)):
        assert shown(capsys, f"{name}/{PROBLEM.id}") == expected


def test_an_unknown_source_before_an_id_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = shown(capsys, "drw1k/1")
    assert (status, out) == (2, "")
    assert "Unknown data 'drw1k': did you mean draw1k?" in err


def test_an_id_with_a_slash_is_found_in_the_rows_that_are_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({**PROBLEM.to_row(), "id": "set/4"}))
    assert shown(capsys, "set/4", "--references", str(path))[0] == 0


def test_written_files_are_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    figure, page = tmp_path / "x.svg", tmp_path / "x.html"
    status, _, err = shown(capsys, str(PROBLEM.id), "--svg", str(figure), "--html", str(page))
    assert (status, err.splitlines()) == (0, [f"draw show: wrote {figure}", f"draw show: wrote {page}"])
    assert figure.read_text().startswith("<svg")


@pytest.mark.parametrize("name", ["x.png", "x.PDF", "x.jpg"])
def test_a_name_of_another_format_is_refused(name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / name
    status, out, err = shown(capsys, str(PROBLEM.id), "--svg", str(path))
    assert (status, out) == (2, "")
    assert f"expected a name such as {path.with_suffix('.svg')}, but got {path}" in err
    assert not path.exists()


def test_draw_score_says_what_it_wrote(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    given, verdicts, page = tmp_path / "mine.jsonl", tmp_path / "verdicts.jsonl", tmp_path / "x.html"
    given.write_text(json.dumps({"id": PROBLEM.id, "prediction": PROBLEM.derivation.q_notation()}))
    wanted = ["--references", "sample/test", "--missing", "abstain", "--samples", "100"]
    assert main(["score", str(given), *wanted, "--verdicts", str(verdicts), "--html", str(page)]) == 0
    told = capsys.readouterr().err.splitlines()
    assert told == [f"draw score: wrote {verdicts}", f"draw score: wrote {page}"]
