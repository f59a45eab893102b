"""The similarity system: which problem is nearest, which number takes which place, and damaged files."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from solver.story_problems import make

from draw_dataset import Problem
from draw_dataset.data.manifest import FOLDS
from draw_dataset.data.release import load_problems
from draw_dataset.errors import ChoiceError, ModelError, TrainingError
from draw_dataset.solver.confidence import evaluate
from draw_dataset.solver.similarity import Similarity, best_assignment
from draw_dataset.solver.systems import load_model
from draw_dataset.solver.text import TaggedText


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (2, 5), (3, 4), (4, 4)])
def test_no_assignment_gains_more(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    rows, columns = shape
    for _ in range(20):
        gain = rng.integers(-5, 6, shape) / 4
        found = best_assignment(gain)
        assert len(set(found)) == rows
        most = max(gain[range(rows), list(chosen)].sum() for chosen in permutations(range(columns), rows))
        assert gain[range(rows), found].sum() == most


HOUSES = make(
    1,
    "A house costs 90 thousand more than a boat . Both together cost 150 thousand . What does the boat cost ?",
    ["m - n = a", "m + n = b"],
    ["x - y = 90", "x + y = 150"],
    {"a": 1, "b": 2},
)
PRICES = make(2, "A pen costs 3 dollars . What do 12 pens cost ?", ["m = a * b"], ["x = 3 * 12"], {"a": 1, "b": 2})
TURNED = "A car and a bike together cost 7000 dollars . The car costs 5000 more than the bike . What does each cost ?"


def test_likeness_is_one_for_the_same_words_and_counts_rare_words_most() -> None:
    system = Similarity.learn([HOUSES, PRICES])
    assert system.likeness(TaggedText.of(PRICES.question)).tolist()[1] == pytest.approx(1)
    boat, pen = system.likeness(TaggedText.of("What does the 1 boat cost ?"))
    assert boat > pen == 0  # what and cost are in both problems, and weigh nothing


def test_numbers_take_places_by_rank_or_by_context() -> None:
    by_rank = Similarity.learn([HOUSES, PRICES], numbers="rank").predict(TURNED)
    by_context = Similarity.learn([HOUSES, PRICES]).predict(TURNED)
    assert by_rank.q_notation == "m - n = q1; m + n = q2"
    assert by_context.q_notation == "m - n = q2; m + n = q1"
    assert by_context.solution is not None
    assert sorted(by_context.solution.numbers) == [1000, 6000]


@pytest.mark.parametrize("numbers", ["context", "rank"])
def test_a_text_with_too_few_numbers_goes_to_the_next_nearest_problem(numbers: Any) -> None:
    one = make(3, "A kite is worth 4 coins . What is it worth ?", ["m = a"], ["x = 4"], {"a": 1})
    answer = Similarity.learn([HOUSES, one], numbers=numbers).predict("A house costs 90 thousand . What does it cost ?")
    assert answer.q_notation == "m = q1"


def test_what_cannot_be_learnt_is_refused(problems: list[Problem]) -> None:
    with pytest.raises(TrainingError):
        Similarity.learn([])
    with pytest.raises(ChoiceError, match=r"numbers.*context, rank.*'best'"):
        Similarity.learn(problems, numbers="best")  # type: ignore[arg-type]
    with pytest.raises(ChoiceError, match=r"choice.*\bfirst\b"):
        Similarity.learn(problems, choice="latent")


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("words", lambda a: a + 10**6, "words: expected .* numbers from 0 to"),
        ("counts", lambda a: a - a, "counts: expected"),
        ("templates", lambda a: a - 1, "templates: expected"),
        ("ranks", lambda a: a[:-1], "ranks: expected"),
        ("contexts", lambda a: a[:-1], "contexts: expected"),
        ("sizes", lambda a: a[:-1], "expected"),
        ("about", {"numbers": "best"}, "numbers: best"),
        ("about", {"vocabulary": ["a", "a"]}, "vocabulary"),
        ("about", {"system": "template-first"}, "a part called"),
    ],
)
def test_a_damaged_file_is_refused(
    problems: list[Problem], tmp_path: Path, name: str, change: Any, message: str
) -> None:
    path = tmp_path / "model.npz"
    Similarity.learn(problems[:6]).save(path)
    with np.load(path) as file:
        arrays = {key: file[key] for key in file.files}
    if name == "about":
        said = json.loads(bytes(arrays["about"]).decode()) | change
        arrays["about"] = np.frombuffer(json.dumps(said).encode(), dtype=np.uint8)
    else:
        arrays[name] = change(arrays[name])
    np.savez(path, **arrays)
    with pytest.raises(ModelError, match=message):
        load_model(path)


@pytest.mark.release
def test_a_fold_of_dolphin_l_is_answered_about_as_often_as_was_reported(release_dir: Path) -> None:
    splits = load_problems("dolphin_l", release_dir)
    system = Similarity.learn([p for name, split in splits.items() if name != FOLDS[0] for p in split], setting="TE")
    # 46.3 is reported and 46.9 measured over five folds; one of them has 132 problems.
    assert 0.36 <= evaluate(system, splits[FOLDS[0]]).solution_accuracy <= 0.57
