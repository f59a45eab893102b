"""Every kind of suspicion, raised and not raised, by small problems of our own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from checks.made import derived

from draw_dataset.checks.suspicions import OF_TOKENS, SUSPICIONS, WEAK, find_suspicions, suspicions_of
from draw_dataset.cli import main
from draw_dataset.derivation.problem import Problem
from draw_dataset.text.question import counts_asked, questions_of, sentences_of

STALLS = "Ann sold 30 mugs and bowls for $ 100 . A mug is $ 3 and a bowl $ 4 . How many mugs did she sell ?"
AGES = "Bo is 4 times as old as Cleo . In 4 years Bo will be 3 times as old as Cleo then . How old is Bo ?"
TRIP = "A boat goes 30 minutes at 12 miles per hour . How far does it go in miles ?"
PARTS = "A bar of 90 cm is cut into 2 pieces . One piece is 2 times as long as the other . How long is each ?"
MIX = "Dan mixes 8 liters of 30 % syrup with 50 % syrup and gets 35 % syrup . How many liters of 50 % syrup ?"
SAVED = "Eve put $ 900 in part at 5 % and in part at 8 % . She got $ 60 . How much was at 5 % ?"

CASES = [
    ("impossible-solution", STALLS, "m + n = q1; q3*m - q4*n = q2", True),
    ("impossible-solution", STALLS, "m + n = q1; q3*m + q4*n = q2", False),
    ("impossible-solution", STALLS, "q1*m = q2 + q1; n = m", True),
    ("not-consecutive", "The sum of two consecutive integers is 41 . Find them .", "m + n = q2; m - n = 4", True),
    ("not-consecutive", "The sum of two consecutive integers is 41 . Find them .", "m + n = q2; m - n = 1", False),
    ("words-contradict", "The difference of two numbers is 6 . Their sum is 20 .", "m + n = q2; m = q3", True),
    ("words-contradict", "The difference of two numbers is 6 . Their sum is 20 .", "m - n = q2; m + n = q3", False),
    ("relation-misread", AGES, "m - q2*n = 0; m - q3*n = q3*q1 - q1", True),
    ("relation-misread", AGES, "m - q1*n = 0; m - q3*n = q3*q2 - q2", False),
    ("relation-misread", "One number is 7 more than another . Their sum is 31 .", "m + n = q2; m - q1*n = 0", True),
    ("multiplier-unused", PARTS, "m + n = q1; m - q2*n = 0", True),
    ("multiplier-unused", PARTS, "m + n = q1; m - q3*n = 0", False),
    ("question-number-unused", "Ann is 5 . How old will she be in 9 years ?", "m = q1", True),
    ("question-number-unused", "Ann is 5 . How old will she be in 9 years ?", "m = q1 + q2", False),
    ("number-unused", TRIP, "m = q2", True),
    ("number-unused", TRIP, "m = 1/60*q1*q2", False),
    ("dimension-mismatch", TRIP, "m = q1*q2", True),
    ("dimension-mismatch", TRIP, "m = 1/60*q1*q2", False),
    ("dimension-mismatch", MIX, "q3*m - q4*m = q4*q1 - q2", True),
    ("dimension-mismatch", MIX, "q3*m - q4*m = q4*q1 - q2*q1", False),
    ("dimension-mismatch", SAVED, "q2*m + q3*n = q4; m + n = q1", True),
    ("dimension-mismatch", SAVED, "0.01*q2*m + 0.01*q3*n = q4; m + n = q1", False),
    ("equal-unaligned", PARTS, "m + n = q1; m - q2*n = 0", True),
    ("equal-unaligned", PARTS, "m + n = q1; m - q3*n = 0", False),
    ("equal-exchanged", AGES, "m - q1*n = 0; m - q3*n = q3*q2 - q2", True),
    ("equal-exchanged", STALLS, "m + n = q1; q3*m + q4*n = q2", False),
]


@pytest.mark.parametrize(("code", "question", "derivation", "raised"), CASES, ids=lambda value: str(value)[:40])
def test_each_kind_is_raised_where_it_should_be(code: str, question: str, derivation: str, raised: bool) -> None:
    found = {finding.code for finding in suspicions_of(derived(question, derivation))}
    assert (code in found) is raised, found


def test_problems_in_the_same_words_with_other_derivations() -> None:
    words = "A farmer has {} hens and ducks in his yard , and {} more hens than ducks . How many hens are there now ?"
    one = derived(words.format(30, 4), "m + n = q1; m - n = q2", id=1)
    other = derived(words.format(50, 6), "m + n = q1; m - q2*n = 0", id=2)
    same = derived(words.format(70, 8), "n - m = q2; m + n = q1", id=3)
    found = [(f.problem_id, f.message) for f in find_suspicions([one, other, same]) if f.code == "alike-gold"]
    assert [id_ for id_, _ in found] == [1, 2, 3]
    assert re.search(r"\b2\b", found[0][1])
    assert [f.code for f in find_suspicions([one, same])] == []


def test_the_sample_raises_only_weak_suspicions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "sample", "--suspicions", "--json"]) in (0, 1)
    codes = [json.loads(line)["code"] for line in capsys.readouterr().out.splitlines()]
    assert len([code for code in codes if code not in WEAK]) <= 3, codes


def test_the_kinds_are_known() -> None:
    assert set(SUSPICIONS) >= WEAK | OF_TOKENS
    assert not WEAK & OF_TOKENS


def test_the_command_names_every_suspicion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row_of(derived(PARTS, "m + n = q1; m - q2*n = 0", id=5))), encoding="utf-8")
    assert main(["check", str(path), "--suspicions"]) == 1
    printed = capsys.readouterr().out
    assert "equal-unaligned: " in printed
    assert re.findall(r"\d+", printed.splitlines()[-1]) == ["2", "1"]


def row_of(problem: Problem) -> dict[str, object]:
    return {**problem.to_row(), "equations": ["m + n = 90", "m = 2*n"]}


def test_sentences_and_questions() -> None:
    text = "It costs $ 3.50 a lb. of tea . Find the price . How many cups is that ?"
    assert [span.text for span in sentences_of(text)][1:] == ["Find the price .", "How many cups is that ?"]
    assert len(questions_of(text)) == 2
    assert counts_asked(text) == []
    assert counts_asked("How many hens are there ?") == ["hens are there "]
