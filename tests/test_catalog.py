"""The catalogue: data is named in one way everywhere, and a near miss gets the right name at once."""

from __future__ import annotations

import io
import json
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from draw_dataset.cli import main
from draw_dataset.data.catalog import (
    BARE_NAMES,
    CONFIGS,
    DATASETS,
    JOINED,
    find_bare_name,
    find_config,
    load,
    load_splits,
    resolve,
)
from draw_dataset.data.sample import load_sample
from draw_dataset.errors import ChoiceError

LUCKY = str(files("draw_dataset.data.sample").joinpath("predictions", "lucky.jsonl"))


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(problem.to_row()) + "\n" for problem in load_sample()["test"]), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("draw1k", "draw1k/all"),
        ("draw1k/all", "draw1k/all"),
        ("draw1k/test", "draw1k/test"),
        ("sample", "sample/all"),
        ("draw_sample", "sample/all"),
        ("draw_sample/train", "sample/train"),
        ("alg514_cv0", "alg514_cv0/all"),
        ("alg514/cv0", "alg514_cv0/all"),
        ("alg514_cv0/train", "alg514_cv0/train"),
        ("alg514/cv0/train", "alg514_cv0/train"),
        ("alg514/fold3", "alg514/fold3"),
        ("dolphin_l/development", "dolphin_l/development"),
        ("some/where/rows.jsonl", "rows.jsonl"),
        ("-", "stdin"),
    ],
)
def test_a_name_means_what_one_expects(name: str, data: str) -> None:
    assert resolve(name).data_name() == data


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("draw-1k", "draw1k"),
        ("DRAW1K", "draw1k"),
        ("draw_1k", "draw1k"),
        ("Draw 1k", "draw1k"),
        ("draw2k", "draw1k"),
        ("dolphin", "dolphin_l"),
        ("Dolphin-L", "dolphin_l"),
        ("alg_514", "alg514"),
        ("ALG-514/cv0", "alg514_cv0"),
        ("alg514-cv3", "alg514_cv3"),
        ("draw1k/dev", "draw1k/validation"),
        ("draw1k/valid", "draw1k/validation"),
        ("draw1k/Test", "draw1k/test"),
        ("draw-1k/dev", "draw1k/validation"),
        ("dolphin/val", "dolphin_l/development"),
        ("dolphin_l/dev", "dolphin_l/development"),
        ("alg514/fold-2", "alg514/fold2"),
        ("alg514/test", "alg514_cv0/test"),
        ("sampel/test", "sample/test"),
    ],
)
def test_a_near_miss_is_answered_with_the_right_name(name: str, right: str) -> None:
    with pytest.raises(ChoiceError, match=rf"^Unknown .*: did you mean {right}\? There are "):
        resolve(name)
    assert resolve(right).data_name()


@pytest.mark.parametrize("name", ["gsm8k", "x", "", "/", "//", "draw1k/", "nothing/test", "draw1k/test/more"])
def test_what_is_no_name_lists_those_there_are(name: str) -> None:
    with pytest.raises(ChoiceError, match=r"^Unknown .*There are ") as caught:
        resolve(name)
    assert "\n" not in str(caught.value)


def test_a_file_of_that_name_keeps_precedence(rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows.rename("draw1k")
    assert resolve("draw1k").file == "draw1k"
    assert len(load("draw1k")) == 30
    Path("alg514").mkdir()
    assert resolve("alg514").config is CONFIGS["alg514"]


def test_standard_input_is_read_as_rows(rows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(rows.read_bytes())))
    assert load_splits("-") == {"all": load_sample()["test"]}


def test_splits_come_in_their_order_and_all_is_all_of_them() -> None:
    sample = load_sample()
    assert load_splits("sample") == sample
    assert load("sample/all") == [*sample["train"], *sample["validation"], *sample["test"]]
    assert load_splits("sample/test") == {"test": sample["test"]}


def test_a_file_has_no_corrections(rows: Path) -> None:
    with pytest.raises(ChoiceError, match=f"Corrections are for the release, but got the file {rows}"):
        load(str(rows), corrected=True)


def test_every_configuration_resolves_to_itself() -> None:
    for name, config in CONFIGS.items():
        assert find_config(name) is config
        assert resolve(name).config is config
        assert sum(config.sizes.values()) == sum((DATASETS | JOINED)[config.dataset].values())
        for split in config.splits:
            assert resolve(f"{name}/{split}").data_name() == f"{name}/{split}"


@pytest.mark.parametrize("name", ["draw-1k", "DRAW1K", "Draw_1K", "alg-514", "dolphin-l", "draw-sample", "draw1k_"])
def test_a_bare_name_of_another_spelling_is_refused(name: str) -> None:
    with pytest.raises(ChoiceError, match=f"Unknown name '{name}': did you mean "):
        find_bare_name(name)


@pytest.mark.parametrize(
    "name", ["squad", "json", "samples", "alg", "drawn", "someone/draw1k", "someone/draw-1k", "draw2k", "./draw-1k"]
)
def test_names_of_others_are_left_to_the_library(name: str) -> None:
    assert find_bare_name(name) is None


def test_every_configuration_but_the_sample_is_its_own_bare_name() -> None:
    assert {name: find_bare_name(name) for name in BARE_NAMES} == dict(BARE_NAMES)
    assert dict(BARE_NAMES) == {name: name for name in CONFIGS if name != "sample"} | {"draw_sample": "sample"}


COMMANDS = [
    ["stats", "{}"],
    ["check", "{}"],
    ["score", LUCKY, "--references", "{}"],
    ["score", LUCKY, "--config", "{}"],
    ["show", "--list", "--references", "{}"],
    ["show", "--list", "--config", "{}"],
    ["annotate", "evaluate", "{}"],
    ["annotate", "reconcile", "{}"],
    ["annotate", "import", "{}", "--store", "work.db"],
    ["solve", "train", "{}", "--out", "m.npz"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_answers_a_near_miss_at_once(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([word.format("draw-1k/test") for word in command]) == 2
    assert "did you mean draw1k/test?" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (command, name)
        for command in COMMANDS[:-1]
        for name in ["sample/test", "draw_sample/test", "{rows}", "-"]
        if "--config" not in command or name.endswith("/test")
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_every_command_takes_the_one_grammar(
    command: list[str],
    name: str,
    rows: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(rows.read_bytes())))
    # The sample has problems without numbers: an import says so by its status, and keeps them as refused.
    status = 1 if command[:2] == ["annotate", "import"] else 0
    assert main([word.format(name.format(rows=rows)) for word in command]) == status, capsys.readouterr().err


def test_references_and_config_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, message in [
        (["--references", "sample", "--config", "sample"], "but got --config with --references"),
        (["--references", "sample", "--split", "test"], "but got --split with --references"),
        (["--split", "test"], "expected --config with --split test"),
        (["--config", "sample", "--split", "dev"], "did you mean sample/validation?"),
        (["--config", "smaple", "--split", "test"], "did you mean sample?"),
    ]:
        assert main(["show", "--list", *arguments]) == 2
        assert message in capsys.readouterr().err
