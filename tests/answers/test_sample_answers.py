"""The bundled answers: in several styles, right, and wrong for nearly every reason."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from draw_dataset import grade, score, score_file
from draw_dataset.cli import main
from draw_dataset.data.sample import ANSWERS, load_sample, load_sample_answers

ROWS = {problem.id: problem.to_row() for problem in load_sample()["test"]}
EXPECTED = {
    "careful": {91: "shortcut", 95: "slip"},
    "hasty": {
        91: "shortcut", 92: "no-derivation", 93: "other", 94: "other", 97: "other", 98: "other",
        100: "lucky", 101: "slip", 103: "undecided", 104: "other", 105: "other",
        108: "no-derivation", 109: "no-derivation", 112: "other", 114: "other",
        116: "unread", 119: "other",
    },
}  # fmt: skip
"""The problems whose answer is anything but right."""


@pytest.mark.parametrize("name", ANSWERS)
def test_every_answer_gets_the_reason_it_was_written_for(name: str) -> None:
    answers = load_sample_answers(name)
    assert list(answers) == list(ROWS)
    reasons = {id_: str(grade({"answer": text}, ROWS[id_]).reason) for id_, text in answers.items()}
    assert {id_: reason for id_, reason in reasons.items() if reason != "right"} == EXPECTED[name]


STYLES = {
    "a system": "3r + 2p = 7\n", "one unknown": "60 + 25m = 15 + 34m", "a chain": "3 + 7 = 10 parts",
    "LaTeX": r"\frac{3}{4}L + L = 21", "cases": r"\begin{cases}", "a box": r"\boxed{22}", "Python": "```python",
    "JSON": '{"equations"', "a table": "| baskets | x + y = 48 |", "a list": "1. 5s + 8j = 51", "thoughts": "</think>",
    "q-notation": "[[eq c = q6*a + q5]]", "another attempt": "Let me try again",
}  # fmt: skip


@pytest.mark.parametrize("style", STYLES)
def test_every_style_is_among_the_right_answers(style: str) -> None:
    answers = load_sample_answers("careful")
    fitting = [id_ for id_, text in answers.items() if STYLES[style] in text]
    assert any(grade({"answer": answers[id_]}, ROWS[id_]).derivation for id_ in fitting)


def test_every_reason_that_the_problems_admit_is_there() -> None:
    # Of no problem in the test split does one quantity hang on fewer numbers than another: none can be had in part.
    given = [grade({"answer": load_sample_answers(name)[id_]}, row) for name in ANSWERS for id_, row in ROWS.items()]
    reasons = {str(verdict.reason) for verdict in given}
    assert reasons == {"right", "slip", "lucky", "shortcut", "other", "no-derivation", "unread", "undecided"}
    kinds = {s.kind for v in given if v.reading is not None for s in v.reading.statements}
    assert {"set-up", "definition", "step", "value", "slip", "dropped"} <= kinds


def test_answers_are_scored_as_predictions_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = load_sample_answers("hasty")
    found = score([{"answer": answers[id_]} for id_ in ROWS], list(ROWS.values()), data="sample/test")
    right = sum(grade({"answer": answers[id_]}, row).derivation for id_, row in ROWS.items())
    assert found.derivation_accuracy == right / len(ROWS)
    assert found.certain < found.derivation_accuracy
    for field in ("answer", "completion"):
        path = tmp_path / f"{field}.jsonl"
        path.write_text("".join(json.dumps({"id": i, field: text}) + "\n" for i, text in answers.items()))
        given = None if field == "answer" else field
        assert score_file(path, list(ROWS.values()), data="sample/test", field=given).to_dict() == found.to_dict()
        option = [] if given is None else ["--field", field]
        assert main(["score", str(path), "--config", "sample/test", "--samples", "100", *option]) == 0
        assert "in every reading" in capsys.readouterr().out


def test_a_field_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 91, "text": "x = 5"}\n')
    assert main(["score", str(path), "--config", "sample/test", "--field", "answer"]) == 2
    assert re.search(r"line 1\b.*\banswer\b.*'id', 'text'.*--field text\b", capsys.readouterr().err)
