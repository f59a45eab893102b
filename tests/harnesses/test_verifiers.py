"""verifiers by its own command line, against the stand-in, which streams."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean

import pytest
from harnesses.agreement import ROWS, SHARES, check, draw_score, harness, run
from harnesses.stand_in import Models, StandIn

from draw_dataset.adapters.common import as_text
from draw_dataset.scoring.prompted import STYLES

harness("verifiers")


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("model", SHARES)
def test_the_command_line_gives_the_figures_of_draw_score(model: str, style: str, tmp_path: Path) -> None:
    # It starts a process for each problem, which takes seconds, so one style is asked about all problems. Of the first
    # six the models know the same shares as of all thirty.
    data, count = "sample/test", 30
    if style != "marked":
        data, count = str(tmp_path / "six.jsonl"), 6
        Path(data).write_text("\n".join(map(as_text, ROWS[:count])), encoding="utf-8")
    with StandIn(Models(ROWS)) as server:
        run(
            "vf-eval", "draw_derivations", "--env.taskset.data", data, "--env.taskset.style", style,
            "--env.agent.harness.id", "null", "--env.agent.runtime.type", "subprocess",
            "--client.base-url", server.url, "--client.api-key-var", "STANDIN_API_KEY", "-m", model,
            "--no-push", "--no-rich", "-n", str(count), "--output-dir", str(tmp_path / "out"),
            STANDIN_API_KEY="none",
        )  # fmt: skip
    (path,) = (tmp_path / "out").rglob("traces.jsonl")
    traces = [trace for line in path.read_text("utf-8").splitlines() for trace in json.loads(line)["traces"]]
    assert len(traces) == count
    figures = {name: fmean(trace["metrics"][name] for trace in traces) for name in ("certain", "solution", "readable")}
    figures["derivation"] = fmean(trace["rewards"]["derivation"]["score"] for trace in traces)
    responses = [(int(trace["task"]["data"]["id"]), trace["nodes"][-1]["message"]["content"]) for trace in traces]
    check(figures, draw_score(tmp_path, responses, style, data), model)
