"""inspect-ai by its own command line, against the stand-in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harnesses.agreement import ROWS, SHARES, check, check_explanations, draw_score, harness, run, same_score_of_the_log
from harnesses.stand_in import Models, StandIn

from draw_dataset.errors import RowError
from draw_dataset.scoring.prompted import STYLES

harness("inspect_ai")

COMPONENTS = ("derivation", "certain", "solution", "readable", "slip", "veto", "decided", "algorithm1")


def evaluate(model: str, logs: Path, *further: str, task: str = "draw_sample") -> Any:
    with StandIn(Models(ROWS)) as server:
        run(
            "inspect",
            *("eval", f"draw_dataset/{task}", "--model", f"openai-api/standin/{model}"),
            *("--display", "none", "--log-dir", str(logs), *further),
            STANDIN_API_KEY="none",
            STANDIN_BASE_URL=server.url,
        )
    return read(next(logs.glob("*.eval")))


def read(path: Path) -> Any:
    from inspect_ai.log import read_eval_log

    log = read_eval_log(str(path))
    assert log.status == "success", log.error
    return log


def figures_of(log: Any) -> dict[str, float]:
    found = {}
    for score in log.results.scores:
        metrics = score.metrics
        found[score.name] = (metrics.get("accuracy") or metrics["mean"]).value
    assert set(found) == set(COMPONENTS)
    return found


@pytest.mark.parametrize(("model", "style"), [*((model, style) for model in SHARES for style in STYLES)])
def test_the_command_line_gives_the_figures_of_draw_score(model: str, style: str, tmp_path: Path) -> None:
    log = evaluate(model, tmp_path / "logs", "-T", f"style={style}")
    responses = [(sample.id, sample.output.completion) for sample in log.samples]
    assert len(responses) == 30
    told = draw_score(tmp_path, responses, style)
    check(figures_of(log), told, model)
    logged = {sample.id: score.metadata for sample in log.samples for score in sample.scores.values()}
    check_explanations(logged, told)
    same_score_of_the_log(next((tmp_path / "logs").glob("*.eval")), told)
    if model == "garbled":
        explained = {score.explanation for sample in log.samples for score in sample.scores.values()}
        assert explained == {"unread: no equation and no number was found"}


def test_a_saved_log_is_scored_later(tmp_path: Path) -> None:
    evaluate("wrong", tmp_path / "logs", "--no-score", "-T", "style=plain")
    path, scored = next((tmp_path / "logs").glob("*.eval")), tmp_path / "scored.eval"
    scorer = "draw_dataset/derivation_scorer"
    run(
        "inspect",
        "score",
        str(path),
        "--scorer",
        scorer,
        "--output-file",
        str(scored),
        "--display",
        "none",
        STANDIN_API_KEY="none",
        STANDIN_BASE_URL="http://127.0.0.1:9/v1",
    )
    log = read(scored)
    responses = [(sample.id, sample.output.completion) for sample in log.samples]
    check(figures_of(log), draw_score(tmp_path, responses, "plain/2"), "wrong")


def test_rows_of_ones_own_and_examples(tmp_path: Path) -> None:
    from draw_dataset.adapters.inspect import draw_rows

    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in ROWS[:3]), encoding="utf-8")
    task = draw_rows(str(path), shots=2)
    assert [len(sample.input) for sample in task.dataset] == [6, 6, 6]
    assert task.dataset[0].metadata["prompt_style"] == "marked/1+2shots"


def test_a_sample_without_a_row_ends_the_evaluation() -> None:
    from draw_dataset.adapters.inspect import _find_row

    with pytest.raises(RowError, match="sample 5: expected a row in its metadata, or -S data=NAME"):
        _find_row(None, None, 5)
    assert json.loads(_find_row("sample/test", None, 99))["id"] == 99
