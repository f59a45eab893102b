"""TRL by its own trainer: a small model whose `generate` writes what the stand-in's models write."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from harnesses.agreement import ROWS, SHARES, check, draw_score, harness
from harnesses.stand_in import Models

from draw_dataset.adapters.common import as_text
from draw_dataset.adapters.trl import derivation_reward, readable_reward, solution_reward, to_trl
from draw_dataset.scoring.prompted import STYLES

os.environ["HF_HUB_OFFLINE"] = "1"
harness("trl")

import torch  # noqa: E402
from datasets import Dataset  # noqa: E402
from tokenizers import Tokenizer, decoders, models, pre_tokenizers  # noqa: E402
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM  # noqa: E402
from trl import GRPOConfig, GRPOTrainer  # noqa: E402


def byte_tokenizer() -> PreTrainedTokenizerFast:
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({letter: at for at, letter in enumerate([*letters, "<pad>", "<eos>"])}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    template = "{% for m in messages %}{{ m.content }}\n{% endfor %}"
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>", chat_template=template
    )


def small_model(kind: type[Qwen2ForCausalLM], tokenizer: PreTrainedTokenizerFast) -> Any:
    config = Qwen2Config(
        vocab_size=len(tokenizer), hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1,
        num_key_value_heads=1, max_position_embeddings=8192,
    )  # fmt: skip
    return kind(config)


class Speaker(Qwen2ForCausalLM):  # type: ignore[misc]
    """A model of one layer that says what it is told, and learns nothing from it."""

    def generate(self, input_ids: Any = None, **_: Any) -> Any:
        said = []
        for ids in input_ids:
            prompt = self.tokenizer.decode([i for i in ids.tolist() if i != self.tokenizer.pad_token_id])
            text = self.spoken.answer(self.model_name, prompt.rstrip("\n"))
            said.append(self.tokenizer(text)["input_ids"] + [self.tokenizer.eos_token_id])
        longest = max(map(len, said))
        padded = [ids + [self.tokenizer.pad_token_id] * (longest - len(ids)) for ids in said]
        return torch.cat([input_ids, torch.tensor(padded)], dim=1)


def trainer_of(model: Any, rewards: list[Any], style: str, folder: Path, **settings: Any) -> GRPOTrainer:
    path = folder / "train.parquet"
    to_trl("sample/test", path, style=style)
    config = GRPOConfig(
        output_dir=str(folder), use_cpu=True, num_generations=2, report_to=[], logging_steps=1, save_strategy="no",
        shuffle_dataset=False, **settings,
    )  # fmt: skip
    return GRPOTrainer(
        model=model, reward_funcs=rewards, args=config, processing_class=byte_tokenizer(),
        train_dataset=Dataset.from_parquet(str(path), cache_dir=str(folder / "cache")),
    )  # fmt: skip


def trained(
    model_name: str, style: str, folder: Path
) -> tuple[dict[str, float], list[tuple[int, str]], list[list[float]]]:
    """Return the means of what is logged in three steps of ten problems each, the responses, and their rewards."""
    tokenizer = byte_tokenizer()
    model = small_model(Speaker, tokenizer)
    model.tokenizer, model.spoken, model.model_name = tokenizer, Models(ROWS), model_name
    responses: list[tuple[int, str]] = []
    rewards: list[list[float]] = []

    def watched(completions: Any, **columns: Any) -> list[float]:
        found = derivation_reward(completions, **columns)
        texts = [completion[-1]["content"] for completion in completions]
        responses.extend(zip(map(int, columns["id"]), texts, strict=True))
        rewards.append(found)
        return found

    trainer = trainer_of(
        model, [watched, solution_reward, readable_reward], style, folder, max_steps=3,
        per_device_train_batch_size=10, gradient_accumulation_steps=2, max_completion_length=400,
        reward_weights=[1.0, 0.0, 0.0],
    )  # fmt: skip
    trainer.train()
    steps = [log for log in trainer.state.log_history if "reward" in log]
    assert len(steps) == 3
    return {name: fmean(log[name] for log in steps) for name in steps[0]}, responses, rewards


def is_paid(verdict: dict[str, Any]) -> bool:
    """Say whether the veto pays a verdict: a right result whose derivation is not proved wrong."""
    return bool(verdict["solution"]) and verdict["status"] != "wrong"


def derivation_rewards(responses: list[tuple[int, str]], style: str) -> dict[str, float]:
    """Return every component as `derivation_reward` logs it."""
    rows = {row["id"]: as_text(row) for row in ROWS}
    logged: dict[str, float] = {}
    columns = {"row": [rows[id_] for id_, _ in responses], "prompt_style": [style] * len(responses)}
    derivation_reward([text for _, text in responses], **columns, log_metric=logged.__setitem__)
    return logged


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("model", SHARES)
def test_steps_of_the_trainer_give_the_figures_of_draw_score(model: str, style: str, tmp_path: Path) -> None:
    log, responses, rewards = trained(model, style, tmp_path)
    assert len(responses) == 60  # two completions a problem
    assert len(set(responses)) == 30
    told = draw_score(tmp_path, sorted(set(responses)), style)
    # The rewards themselves are compared to the last digit; TRL logs means in 32 bits.
    responded = derivation_rewards(responses, style)
    check(responded, told, model)
    for name, value in responded.items():
        assert log[name] == pytest.approx(value, abs=1e-6), name
    given = [reward for one in rewards for reward in one]
    assert given == [float(is_paid(told["verdicts"][id_])) for id_, _ in responses]
    assert log["rewards/solution_reward/mean"] == pytest.approx(told["solution_accuracy"], abs=1e-6)  # in 32 bits
    assert log["rewards/readable_reward/mean"] == pytest.approx(log["readable"], abs=1e-6)


PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "train.md"


def table_of(printed: str, title: str) -> dict[str, tuple[float, float]]:
    """Return what the program of the page prints of a run: the means of the first steps, and of the last."""
    after = printed[re.search(rf"^{title} +steps 1-5", printed, re.MULTILINE).end() :]
    lines = re.findall(r"^  ([\w/]+) +([\d.]+) +([\d.]+)$", after, re.MULTILINE)
    return {name: (float(first), float(last)) for name, first, last in lines[:8]}


def test_the_program_of_the_page_trains_and_shows_what_the_page_says(tmp_path: Path) -> None:
    if version("trl") < "1.16":
        pytest.skip("the page is written for the newest release")
    text = PAGE.read_text(encoding="utf-8")
    program, printed = re.search(
        r"^```python\n(.*?)^```.*?^```text\n(.*?)^```", text, re.DOTALL | re.MULTILINE
    ).groups()
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=1800
    )
    assert done.returncode == 0, done.stderr[-4000:]
    for title, gap in (("veto", True), ("veto-and-proved", False)):
        shown, run = table_of(printed, title), table_of(done.stdout, title)
        assert set(shown) == set(run)
        for name in shown:  # the processor decides the last digits, and with them what is sampled
            if not name.startswith("completions"):
                assert run[name] == pytest.approx(shown[name], abs=0.15), (title, name)
        for figures in (shown, run):
            assert figures["reward"][1] > figures["reward"][0] + 0.1
            assert (figures["reward"][1] > figures["derivation"][1]) == gap
    for text in (printed, done.stdout):
        assert re.search(r"^\d+ of 640 completions were vetoed, such as: '.+'$", text, re.MULTILINE)


def test_an_untrained_model_is_trained_on_what_it_writes_itself(tmp_path: Path) -> None:
    model = small_model(Qwen2ForCausalLM, byte_tokenizer())
    trainer = trainer_of(
        model, [derivation_reward, readable_reward], "marked", tmp_path, max_steps=2, per_device_train_batch_size=2,
        max_completion_length=16,
    )  # fmt: skip
    trainer.train()
    steps = [log for log in trainer.state.log_history if "reward" in log]
    assert [log["rewards/derivation_reward/mean"] for log in steps] == [0.0, 0.0]
    assert [log["derivation"] for log in steps] == [0.0, 0.0]
