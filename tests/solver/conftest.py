from __future__ import annotations

import pytest
from solver.story_problems import stories

from draw_dataset import Problem
from draw_dataset.solver.model import Model
from draw_dataset.solver.systems import train


@pytest.fixture(scope="session")
def problems() -> list[Problem]:
    return stories()


@pytest.fixture(scope="session")
def model(problems: list[Problem]) -> Model:
    return train(problems[:24])
