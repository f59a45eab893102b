"""``draw harness``: what it prints and writes, and that the tasks of lm-eval are complete."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from draw_dataset.adapters.common import ALGORITHM1, COMPONENTS, EXPLANATION, grade_response, rows_of
from draw_dataset.adapters.lm_eval import task_folder
from draw_dataset.cli import main
from draw_dataset.commands.ask import PACKAGES


@pytest.mark.parametrize("name", PACKAGES)
def test_it_says_how_to_run_a_harness(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["harness", name]) == 0
    assert PACKAGES[name] in capsys.readouterr().out
    assert main(["harness", name, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["harness"] == name


def test_it_lists_them_and_prints_the_folder_of_tasks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["harness", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)["harnesses"]) == set(PACKAGES)
    assert main(["harness", "lm-eval", "--path"]) == 0
    assert Path(capsys.readouterr().out.strip()) == task_folder()


def test_it_writes_training_sets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "train.parquet"
    for name in ("trl", "verl"):
        assert main(["harness", name, "sample/train", "--out", str(out), "--style", "plain"]) == 0
        assert f"60 rows for {name}, style plain" in capsys.readouterr().out
    assert main(["harness", "trl", "sample/test", "--out", str(out)]) == 0
    assert "do not train on it" in capsys.readouterr().err


def test_an_explanation_names_the_first_wrong_step_and_what_it_should_have_been() -> None:
    row = next(row for row in rows_of("sample/test") if row["id"] == 99)
    told = grade_response("3x + 7x = 120, so 10x = 120 and x = 11. Answer: 33, 77", row, "plain").explanation()
    assert (told["status"], told["reason"]) == ("right", "slip")
    assert told["first_error"]["kind"] == "slip"
    assert told["expected"] == told["first_error"]["expected"] == "12"
    assert told["first_error"]["because"]
    right = grade_response("3x + 7x = 120, so x = 12. Answer: 36, 84", row, "plain").explanation()
    assert (right["first_error"], right["expected"]) == (None, None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["helm"], "Unknown harness 'helm': expected one of inspect, lm-eval"),
        (["trl", "sample/train"], "expected SOURCE and --out FILE"),
        (["inspect", "sample/train", "--out", "x"], "expected trl or verl, which take training sets"),
        (["trl", "--path"], "--path is for lm-eval"),
        (["trl", "sample/train", "--out", "/nowhere/x"], "cannot write"),
    ],
)
def test_what_it_refuses(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["harness", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_every_task_of_lm_eval_is_there_and_logs_every_component() -> None:
    class Loader(yaml.SafeLoader):
        """Reads the names of functions as texts."""

    Loader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))
    folder = task_folder()
    names = {path.stem for path in folder.glob("*.yaml")}
    for style in ("marked", "plain"):
        for kind in ("chat", "reasoning", "base"):
            base = yaml.load((folder / f"_{style}_{kind}").read_text("utf-8"), Loader)
            assert [metric["metric"] for metric in base["metric_list"]] == [*COMPONENTS, ALGORITHM1, EXPLANATION]
            assert bool(base["generation_kwargs"]["until"]) == (kind == "base")
            assert base["fewshot_config"]["samples"] == f"draw_functions.{style}_shots"
            joined = ("gsm8k_derivations", "svamp_derivations")
            for data in ("draw1k", "alg514", "dolphin_l", "draw_sample", "draw", *joined):
                assert f"{data}_{style}_{kind}" in names
    assert len(names) == 42
