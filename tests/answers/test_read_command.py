"""``draw read``: the answer with its marks, what it comes to, and the verdict; from an argument, a file or a pipe."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from draw_dataset import read_answer
from draw_dataset.cli import main

ANSWER = "3x + 7x = 120, so 10x = 120 and x = 15. That is 45 herons."
TOLD = """\
[set-up: 3x + 7x = 120], so [step: 10x = 120] and [slip: x = [result: 15]]. That is [result: 45] herons.

numbers     q1 = 7, q2 = 3, q3 = 7, q4 = 120
set-up      q2*x + q3*x = q4
comes to    x = 12
slip        x = 15; expected 12
results     15, 45
doubt       1 number may come from several numbers of the text
derivation  right (in some reading)
solution    wrong
reason      slip: the set-up is gold's, then a slip: 'x = 15' should give 12
step 1      slip
first error Step 1 should give 12, not 15.
"""


def test_an_answer_is_marked_and_graded(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", ANSWER, "--id", "99"]) == 0
    assert capsys.readouterr().out == TOLD


def test_an_answer_comes_from_a_file_or_a_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "answer.txt"
    path.write_text(f"{ANSWER}\n", encoding="utf-8")
    assert main(["read", "--file", str(path), "--id", "99"]) == 0
    assert capsys.readouterr().out == TOLD
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    assert main(["read", "-", "--id", "99"]) == 0
    assert capsys.readouterr().out == TOLD


def test_json_has_reading_and_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", ANSWER, "--id", "99", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"]["reason"] == "slip"
    assert told["reading"]["slips"] == [{"text": "x = 15", "start": 32, "end": 38, "expected": "12", "got": "15"}]
    assert main(["read", "x \ud800 = 5", "--question", "Add 5 and 3 .", "--json"]) == 0
    assert "verdict" not in json.loads(capsys.readouterr().out)


def test_a_question_of_ones_own_will_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", "8 - 5 = 3, 3 / 2 = 1.5", "--question", "8 pears less 5 , and half of the rest ."]) == 0
    told = capsys.readouterr().out
    assert "numbers     q1 = 8, q2 = 5, q3 = half (0.5)\n" in told
    assert "calculates  " in told
    assert "derivation" not in told


def test_an_empty_answer_abstains(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", "", "--id", "99"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("(an empty answer)\n")
    assert "abstained" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x = 5"], "expected the problem that is answered, but got none: give --id ID or --question TEXT"),
        (["x = 5", "--id", "99", "--question", "Add 5 ."], "expected --id or --question, and not both"),
        (["--id", "99"], "expected ANSWER or --file, but got neither"),
        (["x = 5", "--file", __file__, "--id", "99"], "expected ANSWER or --file, but got both"),
        (["--file", "nowhere.txt", "--id", "99"], "nowhere.txt: file not found"),
        (["x = 5", "--id", "7777"], "Unknown id 7777: draw show --list --references sample prints all ids"),
    ],
)
def test_what_is_refused_is_said(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_no_answer_steers_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", "x = 5\x1b[2J \u202e and \x07 x = 6", "--id", "99"]) == 0
    told = capsys.readouterr().out
    assert not {"\x1b", "\u202e", "\x07"} & set(told)


@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colours_are_for_terminals_that_want_them(variables: dict[str, str], coloured: bool) -> None:
    ours, theirs = os.openpty()
    code = f"import sys; from draw_dataset.cli import main; sys.exit(main(['read', {ANSWER!r}, '--id', '99']))"
    environment = {**os.environ, "TERM": "xterm", **variables}
    if "NO_COLOR" not in variables:
        environment.pop("NO_COLOR", None)
    with subprocess.Popen([sys.executable, "-c", code], stdout=theirs, env=environment) as process:
        os.close(theirs)
        told = b""
        while chunk := _read(ours):
            told += chunk
    os.close(ours)
    assert process.returncode == 0
    text = told.decode().replace("\r\n", "\n")
    if coloured:
        assert "\x1b[1;32m3x + 7x = 120\x1b[0m" in text
        assert "\x1b[1;4;31mslip\x1b[0m" in text  # in the line that says what the marks are
        assert "[set-up:" not in text
    else:
        assert text == TOLD


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:  # how Linux says that the other side is gone
        return b""


APPLES = "Ann has 12 apples . She gives 5 away . How many are left ?"


@pytest.mark.parametrize(
    ("answer", "results"),
    [
        ("She has 12 apples and gives 5 away, so 7 are left.", ["7"]),
        ("The number of apples is 12. She gives away 5. 12 - 5 = 7", ["7"]),
        ("12 - 5 = 7 apples are left of the 12 apples.", ["7"]),
        ("She keeps 12 apples.", ["12"]),  # there is no other number
        ("5 of 12 are gone. Answer: 5", ["5"]),  # a mark says what the result is
        ("x + 5 = 10, so x = 5.", ["5"]),  # the value of an unknown
    ],
)
def test_given_numbers_are_no_results(answer: str, results: list[str]) -> None:
    assert [final.text for final in read_answer(answer, APPLES).finals] == results


def test_a_number_that_two_numbers_explain_together_is_doubted(capsys: pytest.CaptureFixture[str]) -> None:
    question = (
        "A tour took 12 people for 75 dollars . Adults paid 8 dollars and pupils paid 5 dollars . How many adults ?"
    )
    assert main(["read", "12 - 7 = 5, so 5 adults.", "--question", question]) == 0
    assert "doubt       7 is no number of the text; it may be q1 - q4" in capsys.readouterr().out
    assert main(["read", "12 - 5 = 7, so 7.", "--question", question]) == 0
    assert "doubt" not in capsys.readouterr().out
