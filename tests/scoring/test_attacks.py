"""What no prediction and no row may do: end a run, whatever numbers and characters they hold."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from draw_dataset import compare_scores, grade, score, score_file, show
from draw_dataset.cli import main
from draw_dataset.data.sample import load_sample
from draw_dataset.errors import ChoiceError, RowError
from draw_dataset.report.page import page_html
from draw_dataset.scoring.evaluate_metric import MetricSettings, compute_at_once, compute_stored, encoded_pairs
from draw_dataset.scoring.files import Judged
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.gold_rows import FiledReferences
from draw_dataset.scoring.verdict import Verdict

ROWS = [problem.to_row() for problem in load_sample()["test"]]
ROW = ROWS[0]
HUGE = 10**400
LONE = "\ud800"


def with_entry(**changes: Any) -> dict[str, Any]:
    first, *others = ({name: e[name] for name in ("slot", "sentence", "token")} for e in ROW["alignment"])
    return {"template": ROW["template"], "alignment": [first | changes, *others]}


def with_both(**changes: Any) -> dict[str, Any]:
    return {"template": ROW["template"], "alignment": [entry | changes for entry in with_entry()["alignment"]]}


GOLD = with_entry()


def attacks(huge: int) -> dict[str, tuple[Any, str]]:
    """Return predictions with a number that is too large for something, and with a character that is none."""
    return attacks_by_number(huge) | {
        "a literal": (f"m = {huge}", "too large"),
        "a rank": (f"m = q{huge}", "bad alignment"),
        "lone text": (LONE, "unreadable"),
        "lone template": (GOLD | {"template": [LONE]}, "unreadable"),
        "lone slot": (with_entry(slot=LONE), "bad alignment"),
        "lone key": (GOLD | {LONE: LONE}, "right"),
        "lone behind": (f"m = q1 {LONE}", "unreadable"),
    }


def attacks_by_number(huge: int) -> dict[str, tuple[Any, str]]:
    return {
        "value": (with_entry(value=huge), "right"),
        "token": (with_entry(token=huge), "bad alignment"),
        "sentence": (with_entry(sentence=huge), "bad alignment"),
        "places": (with_both(token=huge), "bad alignment"),
        "slot": (with_entry(slot=huge), "bad alignment"),
        "another key": (with_entry(seconds=huge), "right"),
        "beside": (GOLD | {"seconds": huge}, "right"),
        "solutions": (GOLD | {"solutions": [huge]}, "right"),
        "a number": (huge, "unreadable"),
        "in a list": ([huge], "unreadable"),
        "ranks": (GOLD | {"alignment": {"a": huge}}, "bad alignment"),
    }


ATTACKS = attacks(10**400) | {f"{name}, 4000 digits": made for name, made in attacks_by_number(10**4000).items()}


@pytest.mark.parametrize("huge", [10**5000, -(10**5000)], ids=["positive", "negative"])
def test_a_number_that_python_does_not_write_gets_a_verdict(huge: int) -> None:
    for prediction, _ in attacks_by_number(huge).values():
        assert grade(prediction, ROW).message
        verdicts = compute_at_once([prediction], [ROW], MetricSettings(return_verdicts=True))["verdicts"]
        assert verdicts[0]["message"]


@pytest.mark.parametrize("name", ATTACKS)
def test_a_prediction_gets_a_verdict_everywhere(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prediction, reason = ATTACKS[name]
    verdict = grade(prediction, ROW)
    assert (str(verdict.reason), bool(verdict.message)) == (reason, True)
    rows = ROWS[:2]
    predictions = [prediction, rows[1]["derivation"]]
    verdicts: list[Verdict] = []
    found = score(predictions, rows, verdicts=verdicts)
    assert found.count == 2
    figures = compute_at_once(predictions, rows, MetricSettings(return_verdicts=True))
    assert figures["verdicts"][0]["reason"] == reason
    assert compute_stored(*encoded_pairs(predictions, rows, 0), MetricSettings(return_verdicts=True)) == figures
    reference = PreparedProblem.of(ROW)
    str(show(reference, prediction)).encode()
    show(reference, prediction)._repr_html_().encode()
    judged = Judged(reference, prediction, verdict)
    page_html(compare_scores({"one": found}, samples=10), {"one": [judged]}).encode()
    files = [tmp_path / name for name in ("predictions.jsonl", "rows.jsonl", "verdicts.jsonl", "page.html")]
    given = [{"id": row["id"], "prediction": p} for row, p in zip(rows, predictions, strict=True)]
    for path, listed in zip(files, (given, rows), strict=False):
        path.write_text("".join(json.dumps(line) + "\n" for line in listed), encoding="utf-8")
    with FiledReferences(files[1]) as golds:
        assert score_file(files[0], golds).counts == found.counts
    options = ["--verdicts", str(files[2]), "--html", str(files[3]), "--samples", "100"]
    assert main(["score", str(files[0]), "--references", str(files[1]), *options]) == 0
    assert json.loads(files[2].read_text(encoding="utf-8").splitlines()[0])["reason"] == reason
    arguments = ["--references", str(files[1]), "--predictions", str(files[0]), "--svg", str(tmp_path / "a.svg")]
    assert main(["show", str(ROW["id"]), *arguments]) == 0
    capsys.readouterr().out.encode()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"solutions": [HUGE]}, "solutions: expected a finite number, but got <an integer of 1329 bits>"),
        ({"alignment": [ROW["alignment"][0] | {"value": HUGE}]}, r"alignment\[0\].value: expected a finite number"),
        ({"alignment": [ROW["alignment"][0] | {"token": HUGE}]}, r"alignment\[0\].token: expected a whole number"),
        ({"numbers": [ROW["numbers"][0] | {"value": HUGE}]}, r"numbers\[0\].value: expected a finite number"),
        ({"numbers": [ROW["numbers"][0] | {"start": HUGE}]}, r"numbers\[0\].start: expected a whole number"),
        ({"id": HUGE}, "id: expected a whole number"),
        ({"id": LONE}, "id: expected a whole number"),
        ({"equations": [f"x = {HUGE}"]}, "gold equations: expected a number of at most 100 digits"),
        ({"template": [LONE]}, "gold derivation"),
    ],
)
def test_bad_gold_is_a_sentence(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RowError, match=message):
        grade(None, ROW | changes)


def test_a_question_may_hold_anything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    question = f"{ROW['question']} {LONE} {HUGE}"
    located = {name: value for name, value in ROW.items() if name not in ("numbers", "derivation")}
    for row in (ROW | {"question": question}, located | {"question": question}):
        found = score([row.get("derivation", ROW["derivation"])], [row], data="rows")
        assert (found.derivation_accuracy, found.count) == (1, 1)
        str(show(row)).encode()
        show(row).svg.encode()
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps(ROW | {"question": question}), encoding="utf-8")
    assert main(["show", str(ROW["id"]), "--references", str(rows)]) == 0
    capsys.readouterr().out.encode()


@pytest.mark.parametrize("name", ["a|b", "a\nb", LONE, 7, None])
def test_a_name_that_cannot_stand_in_a_signature_is_refused_in_every_way(name: Any, tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text(json.dumps({"id": ROW["id"], "prediction": None}), encoding="utf-8")
    calls = [
        lambda: score([None], [ROW], data=name),
        lambda: score_file(path, [ROW], data=name),
        lambda: compute_at_once([None], [ROW], MetricSettings(data=name)),
    ]
    for call in calls:
        with pytest.raises(ChoiceError, match=r"data: expected a printable name without \|, but got"):
            call()


def test_the_command_refuses_rows_of_such_a_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows, predictions = tmp_path / "a|b.jsonl", tmp_path / "predictions.jsonl"
    rows.write_text(json.dumps(ROW), encoding="utf-8")
    predictions.write_text(json.dumps({"id": ROW["id"], "prediction": None}), encoding="utf-8")
    assert main(["score", str(predictions), "--references", str(rows)]) == 2
    assert "expected a printable name without |, but got 'a|b.jsonl'" in capsys.readouterr().err


# Output.


def draw(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "draw_dataset.cli", *arguments]
    return subprocess.run(command, stderr=subprocess.PIPE, timeout=240, check=False, **options)


def closed_pipe() -> int:
    """A pipe whose reader has gone, as after `head`."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


@pytest.mark.parametrize("command", ["show", "score"])
def test_files_are_written_though_the_reader_has_gone(command: str, tmp_path: Path) -> None:
    predictions = tmp_path / "predictions.jsonl"
    predictions.write_text("", encoding="utf-8")
    page = tmp_path / "page.html"
    arguments = {
        "show": ["1", "--html", str(page), "--svg", str(tmp_path / "figure.svg")],
        "score": [str(predictions), "--references", "sample/test", "--missing", "abstain", "--html", str(page)],
    }[command]
    pipe = closed_pipe()
    done = draw(command, *arguments, stdout=pipe)
    os.close(pipe)
    assert (done.returncode, done.stderr) == (0, b"")
    assert page.read_text(encoding="utf-8").endswith("</html>\n")
    assert command == "score" or (tmp_path / "figure.svg").stat().st_size > 1000


def test_output_that_finds_no_room_is_one_sentence(tmp_path: Path) -> None:
    """A limit on the size of files stands for a full disk."""
    with (tmp_path / "out").open("wb") as sink:
        done = draw("show", "1", stdout=sink, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16)))
    assert done.returncode == 2
    assert done.stderr == b"draw show: cannot write the output: File too large\n"
