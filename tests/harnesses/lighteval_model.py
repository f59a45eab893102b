"""A model for ``lighteval custom``: it says what the stand-in's models say, by the name it is given."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # lighteval loads this file by its path

from harnesses.agreement import ROWS
from harnesses.stand_in import Models
from lighteval.models.abstract_model import LightevalModel
from lighteval.models.model_output import ModelResponse
from lighteval.utils.cache_management import SampleCache


class Spoken(LightevalModel):  # type: ignore[misc]
    """The model."""

    def __init__(self, config: Any) -> None:
        self.config = config
        self._cache = SampleCache(config)
        self._models = Models(ROWS)

    tokenizer = None
    add_special_tokens = False
    max_length = 8192

    def greedy_until(self, docs: list[Any]) -> list[ModelResponse]:
        name = self.config.model_name
        return [ModelResponse(text=[self._models.answer(name, f"{doc.instruction}\n{doc.query}")]) for doc in docs]

    def loglikelihood(self, docs: list[Any]) -> list[ModelResponse]:
        raise NotImplementedError

    def loglikelihood_rolling(self, docs: list[Any]) -> list[ModelResponse]:
        raise NotImplementedError
