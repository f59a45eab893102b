"""The table of systems: each is trained, saved, read and scored through the same four functions."""

from __future__ import annotations

from pathlib import Path

import pytest

from draw_dataset import Problem
from draw_dataset.commands.solve import OPTIONS, SYSTEMS
from draw_dataset.errors import ChoiceError
from draw_dataset.solver import systems
from draw_dataset.solver.confidence import evaluate
from draw_dataset.solver.systems import load_model, save_model, train


@pytest.mark.parametrize("system", systems.system_names())
def test_every_system_learns_and_answers_alike_from_its_file(
    system: str, problems: list[Problem], tmp_path: Path
) -> None:
    answerer = train(problems[:24], system=system, setting="TE")
    path = tmp_path / "model.npz"
    save_model(answerer, path)
    loaded = load_model(path)
    assert loaded.signature == answerer.signature
    assert len(loaded.inventory) == len(answerer.inventory)
    answers = answerer.predict_all(problems[24:])
    assert answers == loaded.predict_all([problem.question for problem in problems[24:]])
    assert evaluate(loaded, problems[24:]).derivation_accuracy >= 0.9
    save_model(loaded, tmp_path / "again.npz")
    assert path.read_bytes() == (tmp_path / "again.npz").read_bytes()


@pytest.mark.parametrize("system", systems.system_names())
@pytest.mark.parametrize(
    ("text", "reason"),
    [("How many are there ?", "no numbers"), ("Hol van a 3 kutya és a 4 macska ?", "unknown words")],
)
def test_every_system_abstains_from_what_it_was_not_made_for(
    system: str, text: str, reason: str, problems: list[Problem]
) -> None:
    answer = train(problems[:6], system=system).predict(text)
    assert answer.derivation is None
    assert answer.reason == reason


def test_strange_systems_and_options_are_refused(problems: list[Problem]) -> None:
    with pytest.raises(ChoiceError, match=r"system.*template-first.*'best'"):
        train(problems, system="best")
    with pytest.raises(ChoiceError, match=r"nouns.*template-first.*choice"):
        train(problems, nouns="near")


def test_the_command_offers_the_systems_and_all_their_options() -> None:
    assert systems.system_names() == SYSTEMS
    assert {name for system in systems.SYSTEMS.values() for name in system.options} == set(OPTIONS)
