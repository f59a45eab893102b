"""The command line speaks its own terms, checks files before anything else, and names what is not installed."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import draw_dataset
from draw_dataset.cli import main
from draw_dataset.commands.options import PHRASES, cli_message, require_extra
from draw_dataset.data.sample import load_sample, load_sample_predictions
from draw_dataset.errors import ExtraMissing

ROWS = [problem.to_row() for problem in load_sample()["test"]]


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(arguments) == 2
    told = capsys.readouterr()
    assert told.out == ""
    return told.err


def test_options_are_named_as_they_are_typed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    few = tmp_path / "few.jsonl"
    few.write_text('{"id": 91, "prediction": null}\n', encoding="utf-8")
    told = refused(["score", str(few), "--config", "sample/test"], capsys)
    assert "--missing abstain counts them as abstentions" in told
    told = refused(["score", str(few), "--config", "draw1k/test", "--data-dir", str(tmp_path)], capsys)
    assert told.startswith(f"draw score: --data-dir {tmp_path} lacks 4 files of the release")


@cache
def package_texts() -> list[str]:
    """Return the texts of the package outside its commands and docstrings; an f-string has … for each value."""
    package = Path(draw_dataset.__file__).parent
    texts = []
    for path in package.rglob("*.py"):
        if "commands" in path.parts:
            continue
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        alone = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        inside = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in nodes:
            if isinstance(node, ast.JoinedStr):
                texts.append("".join(str(p.value) if isinstance(p, ast.Constant) else "…" for p in node.values))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone | inside:
                texts.append(node.value)
    return texts


@pytest.mark.parametrize("phrase", PHRASES)
def test_every_rewritten_phrase_is_in_a_message(phrase: str) -> None:
    assert any(phrase in text for text in package_texts())


def test_no_message_is_left_with_an_argument_of_these_options() -> None:
    named = re.compile(
        r"\b(?:data_dir|corrected|unknowns|missing|sample|ignore_unknown)=(?!FOLDER\b)"
        r"|did you mean (?:id_)?field=|(?:;| and) field="
    )
    left = [text for text in package_texts() if named.search(cli_message(text))]
    assert left == []


def test_the_ways_to_get_the_release_are_options(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DRAW_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("DRAW_RELEASE_DIR", raising=False)
    told = refused(["show", "7", "--config", "draw1k"], capsys)
    assert "1. the option --data-dir FOLDER;" in told
    assert "--config sample" in told
    assert "data_dir" not in told


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "nowhere.jsonl", "--config", "draw1k/test"],
        ["show", "7", "--config", "draw1k", "--predictions", "nowhere.jsonl"],
        ["stats", "draw1k", "nowhere.jsonl"],
        ["check", "draw1k", "nowhere.jsonl"],
        ["solve", "train", "draw1k", "nowhere.jsonl", "--out", "model.npz"],
        ["annotate", "import", "draw1k", "nowhere.jsonl", "--store", "work.db"],
        ["annotate", "evaluate", "draw1k", "nowhere.jsonl"],
        ["read", "--file", "nowhere.jsonl", "--id", "7", "--config", "draw1k"],
    ],
)
def test_files_are_checked_before_the_network_is_tried(
    arguments: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DRAW_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("DRAW_RELEASE_DIR", raising=False)

    def fill(*_: object) -> None:
        pytest.fail("the network was tried")

    monkeypatch.setattr("draw_dataset.data.download.fill", fill)
    assert "nowhere.jsonl: file not found" in refused(arguments, capsys)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_command_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scroe", "x"]) == 2
    assert capsys.readouterr().err.endswith("draw: unknown command 'scroe': did you mean score? See draw --help.\n")
    assert main(["annotate", "exprot"]) == 2
    assert "draw annotate: unknown command 'exprot': did you mean export?" in capsys.readouterr().err
    assert main(["variants", "sample/test"]) == 2
    assert "did you mean draw variants make sample/test?" in capsys.readouterr().err


def test_an_error_names_the_subcommand(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert refused(["annotate", "status", "--store", str(tmp_path / "no.db")], capsys).startswith(
        "draw annotate status: "
    )
    assert refused(["solve", "train", "no.jsonl", "--out", "m.npz"], capsys).startswith("draw solve train: ")


def test_what_is_not_installed_is_said_before_any_work(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ExtraMissing, match=r"nothing_here is not installed; .*: pip install 'draw-dataset\[solver\]'"):
        require_extra("solver", "json", "nothing_here")
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    for arguments, extra in [
        (["solve", "train", "draw1k", "--out", str(tmp_path / "m.npz")], "solver"),
        (["solve", "Ann has 3 pears."], "solver"),
        (["annotate", "serve", "--store", str(tmp_path / "no.db")], "annotate"),
        (["clean", str(tmp_path / "no.sqlite"), "--out", str(tmp_path / "pool")], "crawl"),
    ]:
        assert f"pip install 'draw-dataset[{extra}]'" in refused(arguments, capsys)
    assert list(tmp_path.iterdir()) == []


def test_a_json_array_is_as_good_as_lines(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    predictions = [{"id": id_, "prediction": p} for id_, p in load_sample_predictions("careful").items()]
    lines, array, rows = tmp_path / "careful.jsonl", tmp_path / "array" / "careful.json", tmp_path / "rows.json"
    array.parent.mkdir()
    lines.write_text("".join(json.dumps(entry) + "\n" for entry in predictions), encoding="utf-8")
    array.write_text(json.dumps(predictions, indent=2), encoding="utf-8")
    rows.write_text(json.dumps(ROWS), encoding="utf-8")
    printed = []
    for given, references in ((lines, "sample/test"), (array, "sample/test"), (array, str(rows))):
        assert main(["score", str(given), "--references", references, "--samples", "100"]) == 0
        printed.append(re.sub(r"Signature.*", "", capsys.readouterr().out))
    assert printed[0] == printed[1] == printed[2]


def test_standard_input_may_be_an_array(tmp_path: Path) -> None:
    given = json.dumps([{"id": row["id"], "prediction": row["derivation"]} for row in ROWS])
    command = [sys.executable, "-m", "draw_dataset.cli", "score", "-", "--config", "sample/test", "--format", "json"]
    done = subprocess.run([*command, "--samples", "100"], input=given, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["systems"][0]["derivation_accuracy"] == 1


def test_a_redirected_bar_is_a_few_lines(tmp_path: Path) -> None:
    given = tmp_path / "gold.jsonl"
    entries = [{"id": row["id"], "prediction": row["derivation"]} for row in ROWS]
    given.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "draw_dataset.cli",
        "score",
        str(given),
        "--config",
        "sample/test",
        "--samples",
        "100",
    ]
    silent = subprocess.run(command, capture_output=True, text=True, check=True)
    assert silent.stderr == ""
    shown = subprocess.run([*command, "--progress"], capture_output=True, text=True, check=True)
    assert "\r" not in shown.stderr
    assert 1 <= len(shown.stderr.splitlines()) <= 3
    assert shown.stdout == silent.stdout
