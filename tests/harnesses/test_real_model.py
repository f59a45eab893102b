"""A real model behind llama.cpp: ``draw evaluate-model``, inspect-ai and lm-eval by their own command lines.

What the model says is not known, so the tests hold the figures of each program against those of ``draw score`` on what
it stored. ``make test-model`` installs everything; the variable ``DRAW_HARNESS`` names the program to try.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harnesses.agreement import harness, run
from harnesses.real_model import MODEL, real_model

from draw_dataset.adapters.lm_eval import task_folder
from draw_dataset.cli import main
from draw_dataset.scoring.prompted import STYLES

harness("xllamacpp")

COUNT, TOKENS = 3, 24
ASKED = (
    *("--references", "sample/test", "--limit", str(COUNT), "--max-tokens", str(TOKENS), "--concurrency", "1"),
    *("--timeout", "600"),  # a busy machine takes minutes to read the first prompt
)
TRIED = os.environ.get("DRAW_HARNESS", "xllamacpp")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with real_model() as served:
        yield served


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    return json.loads(capsys.readouterr().out)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def scored(path: Path, capsys: pytest.CaptureFixture[str], *further: str) -> dict[str, Any]:
    """Return what one command says of a stored file; logs of harnesses carry their rows."""
    capsys.readouterr()
    assert main(["score", str(path), "--json", *further]) in (0, 3)
    return told(capsys)["systems"][0]


@pytest.mark.skipif(TRIED != "xllamacpp", reason="tried once, without a harness")
class TestEvaluateModel:
    @pytest.mark.parametrize("stream", [(), ("--no-stream",)])
    @pytest.mark.parametrize("style", STYLES)
    def test_every_style_is_asked_and_scored(
        self, address: str, style: str, stream: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "o.jsonl"
        command = ["evaluate-model", "--base-url", address, "--model", MODEL, "--out", str(out), *ASKED]
        assert main([*command, "--style", style, "--json", *stream]) == 0
        found = told(capsys)
        lines = lines_of(out)
        assert len(lines) == COUNT
        assert {line["served_model"] for line in lines} == {MODEL}
        assert all(0 < line["usage"]["completion_tokens"] <= TOKENS for line in lines)
        assert found["tokens"]["responses_without_count"] == 0
        assert found["guided"] == ({"schema": COUNT} if style == "json" else {})
        mine = found["scores"][0]
        theirs = scored(out, capsys, "--references", "sample/test", "--missing", "skip")
        for name in ("n", "counts", "derivation_accuracy", "solution_accuracy", "derivation_accuracy_certain"):
            assert mine[name] == theirs[name], name
        if style == "json":  # the grammar of the schema allows no other beginning, whatever the model would say
            starts = {"".join(line["answer"].split())[:12] for line in lines}
            assert starts == {'{"reasoning"'}

    def test_kill_9_and_resume(self, address: str, tmp_path: Path) -> None:
        out = tmp_path / "o.jsonl"
        command = [sys.executable, "-m", "draw_dataset.cli", "evaluate-model", "--base-url", address, "--model", MODEL,
                   "--out", str(out), *ASKED, "--json"]  # fmt: skip
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            while not out.exists() or b"\n" not in out.read_bytes():
                assert process.poll() is None
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
        kept = out.read_bytes()
        kept = kept[: kept.rindex(b"\n") + 1]
        assert 1 <= kept.count(b"\n") < COUNT
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
        assert json.loads(done.stdout)["scores"][0]["n"] == COUNT
        assert out.read_bytes().startswith(kept)
        assert len({line["id"] for line in lines_of(out)}) == len(lines_of(out)) == COUNT

    def test_several_samples_in_one_request(
        self, address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "o.jsonl"
        command = ["evaluate-model", "--base-url", address, "--model", MODEL, "--out", str(out), *ASKED, "--limit", "2"]
        more = ["--samples", "2", "--n", "2", "--temperature", "1", "--price-in", "1", "--price-out", "2", "--json"]
        assert main([*command, *more]) == 0
        found = told(capsys)
        assert found["samples"] == 2
        assert found["cost"] > 0
        answers = {(line["id"], line["sample"]): line["answer"] for line in lines_of(out)}
        assert len(answers) == 4
        assert any(answers[id_, 0] != answers[id_, 1] for id_, _ in answers)


FIGURES = {
    "derivation": "derivation_accuracy", "certain": "derivation_accuracy_certain", "solution": "solution_accuracy",
}  # fmt: skip


@pytest.mark.skipif(TRIED != "inspect_ai", reason="DRAW_HARNESS is not inspect_ai")
@pytest.mark.parametrize("style", STYLES)
def test_inspect_gives_the_figures_of_draw_score(
    address: str, style: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = tmp_path / "logs"
    run(
        "inspect",
        *("eval", "draw_dataset/draw_sample", "--model", f"openai-api/local/{MODEL}", "-T", f"style={style}"),
        *(
            "--limit",
            str(COUNT),
            "--max-tokens",
            str(TOKENS),
            "--max-connections",
            "2",
            "--display",
            "none",
            "--log-dir",
            str(logs),
        ),
        LOCAL_API_KEY="none",
        LOCAL_BASE_URL=address,
    )
    (path,) = logs.glob("*.eval")
    from inspect_ai.log import read_eval_log

    log = read_eval_log(str(path))
    assert log.status == "success", log.error
    theirs = {
        score.name: (score.metrics.get("accuracy") or score.metrics["mean"]).value for score in log.results.scores
    }
    mine = scored(path, capsys)
    assert mine["n"] == COUNT
    assert {name: theirs[name] for name in FIGURES} == {name: mine[key] for name, key in FIGURES.items()}


@pytest.mark.skipif(TRIED != "lm_eval", reason="DRAW_HARNESS is not lm_eval")
@pytest.mark.parametrize("style", ["marked", "plain"])
def test_lm_eval_gives_the_figures_of_draw_score(
    address: str, style: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task, out = f"draw_sample_{style}_chat", tmp_path / "out"
    run(
        "lm_eval",
        *("--model", "local-chat-completions", "--apply_chat_template", "--include_path", str(task_folder())),
        *("--model_args", f"model={MODEL},base_url={address}/chat/completions", "--tasks", task),
        *("--gen_kwargs", f"max_gen_toks={TOKENS}", "--limit", str(COUNT), "--log_samples", "--output_path", str(out)),
        OPENAI_API_KEY="none",
    )
    found = json.loads(next(out.rglob("results_*.json")).read_text("utf-8"))["results"][task]
    theirs = {name.partition(",")[0]: value for name, value in found.items()}
    (path,) = out.rglob("samples_*.jsonl")
    mine = scored(path, capsys)
    assert mine["n"] == COUNT
    assert {name: theirs[name] for name in FIGURES} == {name: mine[key] for name, key in FIGURES.items()}
