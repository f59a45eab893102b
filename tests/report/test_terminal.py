"""The figure as text, and ``draw show``."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from report.problems import EVIL, MIXTURE, hostile

from draw_dataset.cli import main
from draw_dataset.report.terminal import derivation_text

GOLD = """\
problem 7

  A painter mixes a paste of [30]q1 % chalk with one of
  [10]q2 % chalk . How many grams of the [30]q3=q1 % and the
  [10]q4=q2 % paste give [40]q5 grams of a [15]q6 % paste in
  (2)q7 pots ?

gold      a*m + b*n = c*d; m + n = d
          q1*m + q2*n = q6*q5; m + n = q5
          slot a = 30 (q1)
          slot b = 10 (q2)
          slot c = 15 (q6)
          slot d = 40 (q5)
solutions 10, 30"""

WRONG = """
predicted a*m + b*n = c*d; m + n = d
          q1*m + q2*n = q7*q5; m + n = q5
          slot a = 30 (q1)
          slot b = 10 (q2)
          slot c = 2 (q7)  <- gold has 15 (q6)
          slot d = 40 (q5)
verdict   wrong number: slot c takes "2" (q7) where gold
          takes "15" (q6)"""

EQUIVALENT = """
predicted a*x + b*y = c*d; x + y = d
          q3*x + q2*y = q6*q5; x + y = q5
          slot a = 30 (q3)
          slot b = 10 (q2)
          slot c = 15 (q6)
          slot d = 40 (q5)
verdict   the same derivation as gold"""


def test_gold() -> None:
    assert derivation_text(MIXTURE, width=60, colour=False) == GOLD


ROLES = """\
          m: grams of the strong paste
          n: grams of the weak paste
"""


def test_roles_stand_below_gold_and_what_is_asked_before_the_solutions() -> None:
    problem = replace(
        MIXTURE, roles=(("m", "grams of the strong paste"), ("n", "grams of the weak paste")), asked=("m", "10*m + n")
    )
    told = GOLD.replace("          slot a", f"{ROLES}          slot a").replace(
        "solutions ", "asked for m, 10*m + n\nsolutions "
    )
    assert derivation_text(problem, width=60, colour=False) == told
    assert derivation_text(replace(problem, asked=()), width=60, colour=False).count("asked") == 0


def test_a_long_role_is_clipped_and_wrapped() -> None:
    problem = replace(MIXTURE, roles=(("m", "very long " * 30),))
    text = derivation_text(problem, width=40, colour=False)
    assert max(map(len, text.splitlines())) <= 40
    assert text.count("long") == 5
    assert "…" in text


def test_the_slot_that_differs_is_pointed_at() -> None:
    text = derivation_text(MIXTURE, "q1*m + q2*n = q7*q5; m + n = q5", width=60, colour=False)
    assert text == GOLD.replace("(2)q7", "[2]q7") + "\n" + WRONG


def test_an_equivalent_number_is_no_difference() -> None:
    text = derivation_text(MIXTURE, "q3*x + q2*y = q6*q5; x + y = q5", width=60, colour=False)
    assert text == GOLD + "\n" + EQUIVALENT


@pytest.mark.parametrize("width", [1, 40, 80, 200])
def test_lines_keep_to_the_width(width: int) -> None:
    text = derivation_text(MIXTURE, "m = q1 + q2", width=width, colour=False)
    assert max(map(len, text.splitlines())) <= max(width, 30)


def test_colours_change_nothing_but_the_colour() -> None:
    coloured = derivation_text(MIXTURE, "m = q1", width=60, colour=True)
    plain = derivation_text(MIXTURE, "m = q1", width=60, colour=False)
    assert "\x1b[31m" in coloured
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[\d+m", "", coloured) == plain


def test_no_colours_where_they_are_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b" in derivation_text(MIXTURE)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in derivation_text(MIXTURE)


def test_a_terminal_obeys_nothing_in_the_data() -> None:
    problem = replace(hostile(), roles=(("m", "\x1b[2J pears"),), asked=("\x1b[2J",))
    assert "\x1b" not in derivation_text(problem, "\x1b[2J" + EVIL, colour=False)


def test_show_prints_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    svg, html = tmp_path / "a.svg", tmp_path / "a.html"
    status = main(["show", "1", "--prediction", "m = n + q1; m + n = q3", "--svg", str(svg), "--html", str(html)])
    assert status == 0
    told = capsys.readouterr().out
    assert "<- gold has five (q2)" in told
    assert "          m: Mona's age\n          n: Faisal's age\n" in told
    assert "\nasked for m, n\n" in told
    assert svg.read_text(encoding="utf-8").startswith("<svg ")
    assert "<figcaption>Problem 1: wrong number" in html.read_text(encoding="utf-8")


def test_show_reads_rows_and_predictions_from_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows, predictions = tmp_path / "rows.jsonl", tmp_path / "predictions.jsonl"
    rows.write_text(json.dumps(MIXTURE.to_row()) + "\n", encoding="utf-8")
    lines = [{"id": 6, "prediction": "m = q1"}, {"id": 7, "prediction": None}]
    predictions.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert main(["show", "7", "--references", str(rows), "--predictions", str(predictions)]) == 0
    assert "predicted nothing" in capsys.readouterr().out
    assert main(["show", "7", "--references", str(rows), "--prediction", '{"derivation": "m = q1"}']) == 0
    assert "another template" in capsys.readouterr().out


def test_an_unknown_id_is_an_error_that_says_how_to_list_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "999"]) == 2
    assert "draw show --list --references sample prints the 120 ids" in capsys.readouterr().err
    assert main(["show"]) == 2
    assert main(["show", "--list"]) == 0
    assert capsys.readouterr().out.startswith("1\tm = n + q2; m + n = q3\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--prediction", "{"], "--prediction: expected JSON, but got"),
        (["--predictions", "/nowhere.jsonl"], "file not found"),
        (["--svg", "/nowhere/a.svg"], "cannot write /nowhere/a.svg"),
        (["--references", "/nowhere.jsonl"], "/nowhere.jsonl: file not found"),
    ],
)
def test_what_cannot_be_read_or_written(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "1", *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.release
@pytest.mark.parametrize(("config", "id_"), [("dolphin_l", "2001307"), ("draw1k", "804723"), ("alg514", "6254")])
def test_the_case_studies_of_the_paper_can_be_shown(
    config: str, id_: str, release_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["show", id_, "--config", config, "--data-dir", str(release_dir), "--corrected", "--no-colour"]
    assert main(arguments) == 0
    assert f"problem {id_}\n" in capsys.readouterr().out


def test_show_finds_ids_that_are_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = tmp_path / "rows.jsonl"
    listed = [MIXTURE.to_row() | {"id": id_} for id_ in ("a/7", "8", 9, "9")]
    rows.write_text("\n".join(map(json.dumps, listed)), encoding="utf-8")
    predictions = tmp_path / "predictions.jsonl"
    predictions.write_text(json.dumps({"id": "9", "prediction": "m = q1"}), encoding="utf-8")
    source = ["--references", str(rows)]
    for wanted, title in (("a/7", "problem a/7"), ("8", "problem 8"), ("9", "problem 9"), ('"9"', "problem 9")):
        assert main(["show", wanted, *source]) == 0
        assert capsys.readouterr().out.startswith(f"{title}\n")
    assert main(["show", '"9"', *source, "--predictions", str(predictions)]) == 0
    assert "another template" in capsys.readouterr().out
    assert main(["show", "9", *source, "--predictions", str(predictions)]) == 2
    assert "expected a prediction for problem 9, but got none" in capsys.readouterr().err
    assert main(["show", "--list", *source]) == 0
    assert [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()] == ["a/7", '"8"', "9", '"9"']
    assert main(["show", "b", *source]) == 2
    assert "Unknown id 'b' in " in capsys.readouterr().err
