"""What the solver answers must not drift: the answers of one model to the whole sample, kept as a digest.

The sums of a finished model are exact, so the digest is the same on every machine. Training adds up single floats, in
an order that is the machine's own choice; of its weights we keep the size, within a few hundredths.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from draw_dataset import Problem
from draw_dataset.data.sample import load_sample
from draw_dataset.solver.model import Model, Ranking
from draw_dataset.solver.relations.use import AnnotationConventions
from draw_dataset.solver.search import Weights
from draw_dataset.solver.systems import load_model, save_model, train

GRAIN = 4096

ANSWERS = {
    "paper": ("62069e8e6b9e788f", 117),
    "extended": ("78e2052be91a9bc0", 117),
    "relations": ("97bdf31c2ea0f0bd", 117),
}
SIZES = {
    "paper": {"text": 25.336, "number": 0.0, "pair": 3.484, "solution": 1.050},
    "extended": {"text": 8.286, "number": 8.959, "pair": 5.792, "solution": 0.759},
}


@pytest.fixture(scope="module")
def sample() -> list[Problem]:
    return [problem for split in load_sample().values() for problem in split]


@pytest.fixture(scope="module", params=["paper", "extended"])
def trained(request: pytest.FixtureRequest, sample: list[Problem]) -> Model:
    return train(sample[:30], features=request.param, k=8, epochs=2, relations=False)


def test_a_saved_model_answers_as_it_always_has(trained: Model, sample: list[Problem], tmp_path: Path) -> None:
    made_up_model = with_made_up_weights(trained)
    models = {trained.features.name: made_up_model}
    if trained.features.name == "extended":
        models["relations"] = replace(made_up_model, conventions=AnnotationConventions(composes=True, consecutive=True))
    for name, model in models.items():
        save_model(model, tmp_path / "model.npz")
        answers = load_model(tmp_path / "model.npz").predict_all(sample)
        told = "\n".join(f"{answer.q_notation} {answer.score!r} {answer.reason}" for answer in answers)
        answered = sum(answer.derivation is not None for answer in answers)
        assert (hashlib.sha256(told.encode()).hexdigest()[:16], answered) == ANSWERS[name]


def test_training_gives_the_weights_it_always_has(trained: Model) -> None:
    sizes = {kind: float(np.abs(table).sum()) for kind, table in trained.weights.items()}
    assert sizes == pytest.approx(SIZES[trained.features.name], rel=0.05)


def with_made_up_weights(model: Model) -> Model:
    """Return a model with weights that come from no training, so that they are the same on every machine."""
    assert model.ranking is not None
    tables = {kind: made_up(table) for kind, table in model.weights.items()}
    return replace(model, weights=tables, ranking=Ranking(made_up(model.ranking.weights)))


def made_up(table: Weights) -> Weights:
    """Return a table of multiples of the grain, from the places alone; the last column is a filler and is zero."""
    places = np.arange(table.size, dtype=np.int64).reshape(table.shape)
    made = ((places * 7919 + 104_729) % 1009 - 504) / GRAIN
    made[:, -1] = 0
    return made.astype(np.float32)
