"""verl by its own reward manager, and by its command for the evaluation of stored responses."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from harnesses.agreement import ROWS, SHARES, check, draw_score, harness, run
from harnesses.stand_in import Models

from draw_dataset.adapters.common import COMPONENTS
from draw_dataset.adapters.verl import compute_score, to_verl
from draw_dataset.errors import ScoreError

harness("verl")

import numpy as np  # noqa: E402
import torch  # noqa: E402
import verl  # noqa: E402
from omegaconf import OmegaConf, open_dict  # noqa: E402
from verl import DataProto  # noqa: E402
from verl.trainer.ppo import reward as rewards  # noqa: E402


class Characters:
    """A tokenizer whose tokens are characters."""

    pad_token_id = 0
    eos_token = ""

    def decode(self, ids: Any, skip_special_tokens: bool = True) -> str:
        return "".join(chr(int(i)) for i in ids if int(i))


def configured() -> Any:
    config = OmegaConf.load(Path(verl.__file__).parent / "trainer/config/_generated_ppo_trainer.yaml")
    place = config.reward if "reward" in config else config
    with open_dict(config):
        place.custom_reward_function = {
            "path": "pkg://draw_dataset.adapters.verl", "name": "compute_score", "reward_kwargs": {}
        }  # fmt: skip
    return config


def proto(record: dict[str, Any], response: str) -> DataProto:
    ids = torch.tensor([[ord(letter) for letter in response]])
    tensors = {
        "prompts": torch.ones((1, 1), dtype=torch.long),
        "responses": ids,
        "attention_mask": torch.ones((1, 1 + ids.shape[1]), dtype=torch.long),
    }
    others = {name: np.array([record[name]], dtype=object) for name in ("data_source", "reward_model", "extra_info")}
    return DataProto.from_dict(tensors=tensors, non_tensors=others)


def graded(records: list[dict[str, Any]], responses: list[str]) -> list[dict[str, float]]:
    config, tokenizer = configured(), Characters()
    if "reward" in config:

        async def all_of_them() -> list[Any]:
            manager = rewards.load_reward_manager(config, tokenizer)
            asked = [proto(record, text) for record, text in zip(records, responses, strict=True)]
            return await asyncio.gather(*[manager.run_single(one) for one in asked])

        return [{"score": one["reward_score"], **one["reward_extra_info"]} for one in asyncio.run(all_of_them())]
    manager = rewards.load_reward_manager(config, tokenizer, num_examine=0)
    found = []
    for record, text in zip(records, responses, strict=True):
        told = manager(proto(record, text), return_dict=True)["reward_extra_info"]
        found.append({name: float(values[0]) for name, values in told.items()})
    return found


@pytest.mark.parametrize("style", ["marked", "plain"])
@pytest.mark.parametrize("model", SHARES)
def test_the_reward_manager_gives_the_figures_of_draw_score(model: str, style: str, tmp_path: Path) -> None:
    records = to_verl("sample/test", tmp_path / "train.parquet", style=style)
    spoken = Models(ROWS)
    responses = [spoken.answer(model, "\n".join(turn["content"] for turn in record["prompt"])) for record in records]
    found = graded(records, responses)
    figures = {name: fmean(one[name] for one in found) for name in COMPONENTS}
    ids = [int(record["extra_info"]["id"]) for record in records]
    check(figures, draw_score(tmp_path, zip(ids, responses, strict=True), style), model)
    assert [one["score"] for one in found] == [one["veto"] for one in found]
    assert all(one["veto"] == (one["solution"] and (one["derivation"] or not one["decided"])) for one in found)
    assert len({tuple(one) for one in found}) == 1  # the same keys every time


def test_the_command_for_stored_responses(tmp_path: Path) -> None:
    import pandas

    path = tmp_path / "train.parquet"
    records = to_verl("sample/test", path)
    table = pandas.read_parquet(path)
    spoken = Models(ROWS)
    prompts = ["\n".join(turn["content"] for turn in record["prompt"]) for record in records]
    table["responses"] = [[spoken.answer("wrong", prompt)] for prompt in prompts]
    table.to_parquet(path)
    newer = "reward" in configured()
    key = "+reward.custom_reward_function" if newer else "custom_reward_function"
    out = run(
        "python", "-m", "verl.trainer.main_eval", f"data.path={path}", "data.response_key=responses",
        f"{key}.path=pkg://draw_dataset.adapters.verl", f"{key}.name=score_only",
        f"+{key.lstrip('+')}.reward_kwargs.prompt_style=marked", "+ray_kwargs.ray_init.num_cpus=1",
        f"hydra.run.dir={tmp_path / 'hydra'}",
    )  # fmt: skip
    # One wrong answer has a right result and is undecided, so the veto pays it.
    told = float(re.search(r"test_score/draw_dataset'?: (?:np\.float64\()?([0-9.]+)", out)[1])
    rows = [(record["reward_model"]["ground_truth"], record["extra_info"]) for record in records]
    wrong = [spoken.answer("wrong", prompt) for prompt in prompts]
    paid = [compute_score("", text, row, info)["veto"] for text, (row, info) in zip(wrong, rows, strict=True)]
    assert told == fmean(paid) == 21 / 30


def test_a_record_without_a_style_is_refused() -> None:
    with pytest.raises(ScoreError, match="prompt_style in extra_info"):
        compute_score("mine", "m = q1", json.dumps(ROWS[0]), {})
