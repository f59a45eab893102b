"""How sure the solver says it is: probabilities, runners-up, and answers that are held back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from solver.story_problems import make, stories

from draw_dataset import Problem
from draw_dataset.cli import main
from draw_dataset.commands.solve import FEWEST as FEWEST_OF_COMMAND
from draw_dataset.derivation.equivalence import derivations_equivalent
from draw_dataset.derivation.problem import write_rows
from draw_dataset.errors import ChoiceError, ModelError, TrainingError
from draw_dataset.solver.confidence import (
    CONFIDENCE_FEATURES,
    Abstention,
    Calibration,
    Diagnostics,
    cross_validation_folds,
)
from draw_dataset.solver.files import write_arrays
from draw_dataset.solver.model import FEWEST, Model
from draw_dataset.solver.systems import load_model, save_model, train

TEXT = "Ann and Ben have 77 coins together . Ann has 5 more than Ben . How many does each have ?"
RIDDLE = "Ann and Ben see 77 coins and 5 coins . What is it ?"


def puzzling() -> list[Problem]:
    """Return problems that can be solved, and among them some whose text does not say what to do."""
    found = stories(60)
    for i in range(20):
        template = ["m = a + b", "m = a * b"][i * 7 % 5 % 2]
        text = f"Ann and Ben see {31 + i} coins and {4 + i % 5} coins . What is it ?"
        found.insert(3 * i, make(100 + i, text, [template], ["x = 1"], {"a": 1, "b": 2}))
    return found


@pytest.fixture(scope="module")
def sure() -> Model:
    model = train(puzzling(), epochs=2, calibrate=True)
    assert isinstance(model, Model)
    return model


@pytest.fixture(scope="module")
def saved(sure: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "sure.npz"
    save_model(sure, path)
    return path


def test_a_calibrated_model_tells_how_sure_it_is(sure: Model) -> None:
    answer, riddle = sure.predict(TEXT), sure.predict(RIDDLE)
    assert answer.confidence is not None
    assert riddle.confidence is not None
    assert 0.1 < riddle.confidence < 0.6 < 0.8 < answer.confidence < 1
    assert sure.calibration is not None
    assert sure.calibration.count == 80
    assert sure.signature == train(puzzling(), epochs=2).signature  # answers are the same, with and without


def test_the_runner_up_is_another_derivation_and_scores_less(sure: Model) -> None:
    answer = sure.predict(TEXT)
    second = answer.runner_up
    assert second is not None
    assert second.derivation is not None
    assert answer.derivation is not None
    assert second.solution is not None
    assert second.score <= answer.score
    assert not derivations_equivalent(second.derivation, answer.derivation)
    assert second.runner_up is None


def test_a_text_with_one_derivation_has_no_runner_up() -> None:
    sums = [p for p in stories(60) if "together" in p.question]
    assert train(sums, epochs=1).predict("They have 50 cards together. Ann has 50 more than Ben.").runner_up is not None
    products = [p for p in stories(60) if "cost" in p.question]
    answer = train(products, epochs=1).predict("Ann buys 12 cards that cost $ 3 each . How much does Ann pay ?")
    assert answer.q_notation in ("m = q1*q2", "m = q2*q1")
    assert answer.runner_up is None


def test_an_answer_that_is_too_unsure_is_held_back(sure: Model) -> None:
    answer = sure.predict(TEXT)
    assert sure.predict(TEXT, min_confidence=answer.confidence) == answer
    assert sure.predict_all([TEXT], min_confidence=0) == [answer]
    back = sure.predict(TEXT, min_confidence=1.0)
    assert (back.derivation, back.reason, back.confidence) == (None, Abstention.LOW_CONFIDENCE, answer.confidence)
    assert back.to_dict() is None
    assert str(back.reason) == "low confidence"
    assert "at least 1 is asked for" in back.message
    assert sure.predict("How many ?", min_confidence=0.5).reason is Abstention.NO_NUMBERS


def test_without_calibration_nothing_is_claimed(model: Model) -> None:
    assert model.predict(TEXT).confidence is None
    with pytest.raises(ChoiceError):
        model.predict(TEXT, min_confidence=0.5)
    for least in (-0.1, 1.5, float("nan"), True, "much"):
        with pytest.raises(ChoiceError, match=r"\b0\b.*\b1\b"):
            model.predict(TEXT, min_confidence=least)


def test_strange_texts_make_it_less_sure(sure: Model) -> None:
    usual = sure.predict(TEXT).confidence
    strange = sure.predict(
        "Ann and Ben , whose gardener grew 77 tulips , have coins together ; how many more than 5 does each have ?"
    )
    assert strange.confidence is not None
    assert usual is not None
    assert strange.confidence < usual / 2


def test_a_saved_model_is_as_sure(sure: Model, saved: Path) -> None:
    loaded = load_model(saved)
    assert isinstance(loaded, Model)
    assert loaded.calibration == sure.calibration
    assert loaded.predict(TEXT) == sure.predict(TEXT)


def test_a_file_of_the_first_format_has_no_confidence(sure: Model, tmp_path: Path) -> None:
    path = tmp_path / "old.npz"
    about, arrays = parts_of(sure, tmp_path)
    del about["calibration"]
    write(path, about | {"format": 1}, arrays)
    assert load_model(path).predict(TEXT).confidence is None
    assert load_model(path).predict(TEXT).q_notation == sure.predict(TEXT).q_notation


@pytest.mark.parametrize(
    "change",
    [
        {"signs": ["lead"]}, {"weights": [1.0]}, {"weights": ["a", 1.0, 1.0, 1.0]}, {"weights": None}, {"bias": 1e999},
        {"count": 0}, {"count": True}, {"strange": [0.9, 0.1]}, {"strange": [0.1] * 81}, {"strange": "many"},
    ],
)  # fmt: skip
def test_a_damaged_calibration_is_refused(change: dict[str, object], sure: Model, tmp_path: Path) -> None:
    about, arrays = parts_of(sure, tmp_path)
    write(tmp_path / "bad.npz", about | {"calibration": about["calibration"] | change}, arrays)
    with pytest.raises(ModelError, match=r"bad\.npz"):
        load_model(tmp_path / "bad.npz")


def parts_of(model: Model, folder: Path) -> tuple[dict, dict]:
    path = folder / "whole.npz"
    save_model(model, path)
    with np.load(path) as held:
        arrays = dict(held)
    return json.loads(arrays.pop("about").tobytes()), arrays


def write(path: Path, about: dict, arrays: dict) -> None:
    write_arrays(path, {"about": np.frombuffer(json.dumps(about).encode(), dtype=np.uint8), **arrays})


def test_parts_that_are_held_out_are_never_learnt_from() -> None:
    problems = [replace(p, question=p.question.lower()) if i % 7 == 0 else p for i, p in enumerate(stories(60))]
    twice = [*problems, *problems[:9]]
    asked_in_all: list[Problem] = []
    for learnt, asked in cross_validation_folds(twice, 5, lambda p: p.question):
        assert not {p.question for p in learnt} & {p.question for p in asked}
        assert len(learnt) + len(asked) == len(twice)
        asked_in_all += asked
    assert sorted(p.question for p in asked_in_all) == sorted(p.question for p in twice)


def test_too_few_problems_are_not_calibrated_on() -> None:
    with pytest.raises(TrainingError, match=rf"calibrate.*\b{FEWEST}\b"):
        train(stories(12), calibrate=True)
    assert FEWEST_OF_COMMAND == FEWEST


def test_a_calibration_finds_the_frequencies() -> None:
    doubts = [Diagnostics((x % 10 / 10, 0.0, 0.0, 0.0), 0.9) for x in range(1000)]
    right = [x // 10 % 10 < x % 10 for x in range(1000)]  # in x tenths of the cases
    fitted = Calibration.fit(doubts, right)
    for tenth in range(2, 9):
        assert fitted.probability(Diagnostics((tenth / 10, 0.0, 0.0, 0.0), 0.9)) == pytest.approx(tenth / 10, abs=0.08)
    assert len(CONFIDENCE_FEATURES) == len(fitted.weights)
    against = Calibration.fit(doubts, [not one for one in right])
    assert against.weights == (0.0, 0.0, 0.0, 0.0)  # a lead never speaks against an answer
    assert against.probability(doubts[0]) == pytest.approx(0.55, abs=0.02)


def test_the_command_tells_confidence_and_runner_up(
    sure: Model, saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = sure.predict(TEXT)
    assert answer.runner_up is not None
    assert main(["solve", TEXT, "--model", str(saved), "--no-colour"]) == 0
    told = capsys.readouterr().out.splitlines()
    # A model of few problems says how little its confidence is based on.
    assert sure.calibration is not None
    count = sure.calibration.count
    rough = f" (a rough estimate, from {count} held-out answers)" if count < 500 else ""
    assert told[-2:] == [f"confidence {answer.confidence:.2f}{rough}", f"runner-up {answer.runner_up.q_notation}"]
    assert main(["solve", TEXT, "--model", str(saved), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["confidence"] == answer.confidence
    assert data["runner_up"]["derivation"] == answer.runner_up.q_notation
    assert data["runner_up"]["solution"]
    assert main(["solve", TEXT, "--model", str(saved), "--min-confidence", "1"]) == 1
    held = capsys.readouterr().out
    assert "low confidence" in held
    assert "m + n = q1; m - n" in held
    assert main(["solve", TEXT, "--model", str(saved), "--min-confidence", "1", "--json"]) == 1
    held = json.loads(capsys.readouterr().out)
    assert (held["reason"], held["derivation"], held["confidence"]) == ("low confidence", None, answer.confidence)
    assert main(["solve", TEXT, "--model", str(saved), "--min-confidence", "2"]) == 2
    assert "'2'" in capsys.readouterr().err


def test_predictions_carry_confidence_and_are_scored(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    write_rows(rows, puzzling()[:30])
    assert main(["solve", "predict", str(rows), "--model", str(saved), "--out", str(out)]) == 0
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert all(0 < line["confidence"] < 1 and isinstance(line["runner_up"], str) for line in lines)
    assert main(["score", str(out), "--references", str(rows)]) == 0
    least = sorted(line["confidence"] for line in lines)[20]
    sure = sum(line["confidence"] >= least for line in lines)
    command = ["solve", "predict", str(rows), "--model", str(saved), "--min-confidence", str(least), "--out", str(out)]
    assert main(command) == 0
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert sum(line["prediction"] is not None for line in lines) == sure
    assert {line.get("reason") for line in lines} == {None, "low confidence"}
    assert main(["score", str(out), "--references", str(rows)]) == 0


def test_a_model_without_calibration_is_refused_before_any_work(
    model: Model, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "plain.npz"
    save_model(model, path)
    assert main(["solve", TEXT, "--model", str(path), "--min-confidence", "0.5"]) == 2
    assert capsys.readouterr().out == ""


def test_the_command_calibrates_where_it_can(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    many, few, more = (tmp_path / f"{name}.jsonl" for name in ("many", "few", "more"))
    listed = stories(60)
    write_rows(many, listed)
    write_rows(few, listed[:24])
    write_rows(more, [replace(p, status="ambiguous" if i % 2 else "decided") for i, p in enumerate(listed[24:36])])
    out = str(tmp_path / "model.npz")

    def model_of(*arguments: str) -> Model:
        assert main(["solve", "train", *arguments, "--epochs", "1", "--out", out]) == 0
        found = load_model(out)
        assert isinstance(found, Model)
        return found

    assert model_of(str(many)).calibration is not None
    assert model_of(str(many), "--no-calibrate").calibration is None
    assert "|n:24@" in model_of(str(few)).signature
    assert model_of(str(few), "--also", str(more)).signature.count("|n:30@") == 1
    assert "6 of 12 " in capsys.readouterr().err
    assert "|n:48@" in model_of(str(many), "--no-calibrate", "--without", str(tmp_path / "more.jsonl")).signature
    assert "12 of 60 " in capsys.readouterr().err
    assert main(["solve", "train", str(few), "--calibrate", "--out", out]) == 2
    assert "50" in capsys.readouterr().err
