"""lm-evaluation-harness by its own command line, against the stand-in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harnesses.agreement import ROWS, SHARES, check, check_explanations, draw_score, harness, run, same_score_of_the_log
from harnesses.stand_in import Models, StandIn

from draw_dataset.adapters.lm_eval import documents, process_results, task_folder
from draw_dataset.errors import RowError

harness("lm_eval")

CHAT = ("draw_sample_marked_chat", "draw_sample_plain_chat", "draw_sample_marked_reasoning")
BASE = ("draw_sample_marked_base", "draw_sample_plain_base")


def evaluate(model: str, tasks: tuple[str, ...], out: Path, *further: str) -> dict[str, Any]:
    with StandIn(Models(ROWS)) as server:
        chat = tasks[0].endswith(("chat", "reasoning"))
        address = f"base_url={server.url}/{'chat/' if chat else ''}completions"
        kind = "local-chat-completions" if chat else "local-completions"
        arguments = f"model={model},{address}" + ("" if chat else ",tokenized_requests=False,tokenizer_backend=None")
        run(
            "lm_eval",
            *("--model", kind, "--model_args", arguments, "--tasks", ",".join(tasks)),
            *("--include_path", str(task_folder()), "--log_samples", "--output_path", str(out)),
            *(["--apply_chat_template"] if chat else []),
            *further,
            OPENAI_API_KEY="none",
        )
    results = json.loads(next(out.rglob("results_*.json")).read_text("utf-8"))["results"]
    logged = {task: [] for task in tasks}
    for path in out.rglob("samples_*.jsonl"):
        task = next(task for task in tasks if path.name.startswith(f"samples_{task}_2"))
        logged[task] = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return {"results": results, "samples": logged}


@pytest.mark.parametrize("model", SHARES)
def test_the_command_line_gives_the_figures_of_draw_score(model: str, tmp_path: Path) -> None:
    # One start of the harness takes longer than all its tasks; base models are asked with the oracle only.
    for tasks in (CHAT, BASE) if model == "oracle" else (CHAT,):
        found = evaluate(model, tasks, tmp_path / f"{model}{len(tasks)}")
        for task in tasks:
            samples = found["samples"][task]
            style = samples[0]["doc"]["prompt_style"]
            responses = [(int(sample["doc"]["id"]), sample["resps"][0][0]) for sample in samples]
            assert len(responses) == 30
            figures = {name.partition(",")[0]: value for name, value in found["results"][task].items()}
            told = draw_score(tmp_path, responses, style)
            check(figures, told, model)
            logged = {int(sample["doc"]["id"]): sample["explanation"] for sample in samples}
            check_explanations(logged, told)
            path = next(path for path in (tmp_path / f"{model}{len(tasks)}").rglob(f"samples_{task}_2*.jsonl"))
            same_score_of_the_log(path, told)
            named = sum(one["first_error"] is not None for one in logged.values())
            assert figures["explanation"] == named / 30
            if task == "draw_sample_marked_base":
                context = samples[0]["arguments"]["gen_args_0"]["arg_0"]
                assert context.count("Problem: ") == 5  # four worked examples of our train split
                assert context.startswith("You set up and solve math word problems.")
                assert context.endswith("\nSolution:") or context.endswith("\nSolution:\n")
                assert sum(row["question"][:20] in context for row in ROWS) <= 1


def test_rows_of_ones_own_are_asked_by_metadata(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in ROWS[:4]), encoding="utf-8")
    found = documents(version=1.0, data=str(path), prompt_style="plain", model="as the command line adds it")
    assert [doc["prompt_style"] for doc in found["test"]] == ["plain/2"] * 4


def test_groups_add_their_tasks_up() -> None:
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=str(task_folder()), include_defaults=False)
    groups = {f"draw_{style}_{kind}" for style in ("marked", "plain") for kind in ("chat", "reasoning", "base")}
    assert groups <= set(manager.all_groups)
    assert len([task for task in manager.all_subtasks if task.startswith("draw_sample")]) == 6
    assert len(manager.all_subtasks) == 36


def test_a_row_that_is_none_ends_the_run() -> None:
    with pytest.raises(RowError, match="7"):
        process_results({"id": "7", "row": '{"id": 7, "question": "?"}', "prompt_style": "marked"}, ["m = q1"])
