"""Alternatives: which derivations of a row count, in every way of scoring, and what the signature says of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from metric.metric_inputs import metric

from draw_dataset import grade, score, score_file
from draw_dataset.cli import main
from draw_dataset.errors import ChoiceError, RowError
from draw_dataset.scoring.options import GoldMode, Options, signature_parts

# "Three times as many as 12" may be 3 times 12, or 12 and three times 12 more.
ROW: dict[str, Any] = {
    "id": 7,
    "question": "Ann has 12 hens . Bo has 3 times more . How many has Bo ?",
    "equations": ["x = 3*12"],
    "solutions": [36.0],
    "template": ["m = a*b"],
    "alignment": [
        {"slot": "a", "sentence": 1, "token": 2, "value": 3.0},
        {"slot": "b", "sentence": 0, "token": 2, "value": 12.0},
    ],
    "equiv_tnum": [],
    "alternatives": ["bos_hens = q1 + q2*q1"],
    "asked": ["m"],
}
GOLD, OTHER, WRONG = "m = q2*q1", "m = q1*q2 + q1", "m = q1 + q2"
PLAIN = {name: value for name, value in ROW.items() if name not in ("alternatives", "asked")}


def graded(prediction: Any, gold: GoldMode | None = None, **changes: Any) -> tuple[bool, float, bool]:
    verdict = grade(prediction, {**ROW, **changes}, gold=gold)
    return verdict.derivation, verdict.equation, verdict.solution


@pytest.mark.parametrize("match", ["algorithm1", "quantities"])
def test_an_alternative_counts_only_under_any(match: Any) -> None:
    assert not grade(OTHER, ROW, match=match).derivation
    assert not grade(OTHER, ROW, match=match, gold="one").derivation
    verdict = grade(OTHER, ROW, match=match, gold="any")
    assert (verdict.derivation, verdict.equation, verdict.solution) == (True, 1, True)


def test_auto_is_any_for_ambiguous_rows() -> None:
    assert graded(OTHER, status="ambiguous") == (True, 1, True)
    assert graded(OTHER, "one", status="ambiguous") == (False, 0, False)
    assert graded(OTHER, status="decided") == graded(OTHER, "auto") == (False, 0, False)


def test_gold_counts_under_every_rule_and_what_is_wrong_under_none() -> None:
    for gold in ("auto", "one", "any"):
        assert graded(GOLD, gold) == (True, 1, True)  # type: ignore[arg-type]
        assert graded(WRONG, gold) == (False, 0, False)  # type: ignore[arg-type]


def test_the_solution_of_an_alternative_counts_with_it() -> None:
    assert graded({"solutions": [48]}, "any") == (False, 0, True)
    assert graded({"solutions": [48]}, "one") == (False, 0, False)


def test_answers_of_language_models_may_take_an_alternative() -> None:
    answer = {"answer": "Bo has three times more, so x = 12 + 3*12 = 48. The answer is 48."}
    assert graded(answer, "one") == (False, False, False)
    assert graded(answer, "any") == (True, True, True)
    assert grade(answer, ROW, match="algorithm1", gold="any").derivation


def test_scores_without_alternatives_say_nothing_of_them() -> None:
    plain, with_alternatives = score([GOLD], [PLAIN]), score([GOLD], [ROW])
    assert str(plain.signature) == str(with_alternatives.signature)
    assert "gold:" not in str(plain.signature)


def test_the_signature_says_when_alternatives_counted() -> None:
    any_ = signature_parts(str(score([OTHER], [ROW], gold="any").signature))
    assert any_["gold"] == "any"
    changed = {**ROW, "alternatives": ["m = q1 + q2*q1"]}
    assert any_["alternatives"] != signature_parts(str(score([OTHER], [changed], gold="any").signature))["alternatives"]
    ambiguous = {**ROW, "status": "ambiguous"}
    assert signature_parts(str(score([OTHER], [ambiguous]).signature)) == any_
    assert signature_parts(str(score([OTHER], [ambiguous], gold="one").signature))["gold"] == "one"
    mixed = signature_parts(str(score([OTHER, OTHER], [ambiguous, {**ROW, "id": 8}]).signature))
    assert mixed["gold"] == "auto"


def test_what_is_asked_is_in_the_signature_of_answers_only() -> None:
    answers = score([{"answer": "x = 3*12 = 36"}], [ROW])
    assert "asked" in signature_parts(str(answers.signature))
    assert "asked" not in signature_parts(str(score([GOLD], [ROW]).signature))
    assert "asked" not in signature_parts(str(score([{"answer": "x = 3*12 = 36"}], [PLAIN]).signature))


@pytest.mark.parametrize(
    ("alternative", "message"),
    [
        ("m = q9", r"problem 7: alternatives\[0\]: .*expected q1 to q2, but got q9"),
        ("m + n = q1", r"problem 7: alternatives\[0\]: expected equations with one solution"),
        ("m = = q1", r"problem 7: alternatives\[0\]: "),
    ],
    ids=["no such number", "not determined", "no equation"],
)
def test_an_alternative_that_cannot_be_read_is_bad_gold(alternative: str, message: str) -> None:
    row = {**ROW, "alternatives": [alternative]}
    assert grade(GOLD, row).derivation  # nobody asked for it
    with pytest.raises(RowError, match=message):
        grade(WRONG, row, gold="any")


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(ChoiceError, match="gold: expected auto, one or any, but got 'both'"):
        Options(gold="both")  # type: ignore[arg-type]


def test_files_the_metric_and_the_command_take_the_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    predictions, rows = tmp_path / "p.jsonl", tmp_path / "rows.jsonl"
    predictions.write_text(json.dumps({"id": 7, "prediction": OTHER}), encoding="utf-8")
    rows.write_text(json.dumps(ROW), encoding="utf-8")
    assert score_file(predictions, [ROW], gold="any").derivation_accuracy == 1
    assert score_file(predictions, [ROW]).derivation_accuracy == 0
    computed = metric().compute(predictions=[OTHER], references=[ROW], gold="any")
    assert computed["derivation_accuracy"] == 1
    stored = metric()
    stored.add(prediction=OTHER, reference={**ROW, "status": "ambiguous"})
    assert stored.compute()["derivation_accuracy"] == 1
    assert main(["score", str(predictions), "--references", str(rows), "--gold", "any", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)["systems"][0]
    assert told["derivation_accuracy"] == 1
    assert "|gold:any|" in told["signature"]
