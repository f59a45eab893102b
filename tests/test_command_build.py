"""``draw build``: what it prints, the dry run and the upload, as a user runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hub_stand_in import TOKEN, StandIn

from draw_dataset.cli import main


@pytest.fixture
def hub() -> Iterator[StandIn]:
    server = StandIn()
    server.start()
    yield server
    server.stop()


def draw(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own: huggingface_hub reads its settings when it is imported."""
    settings = {k: v for k, v in os.environ.items() if not k.startswith("HF_")} | environment
    command = [sys.executable, "-m", "draw_dataset.cli", "build", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=settings)


def test_a_build_says_what_it_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main(["build", "--out", str(out), "--only", "sample"]) == 0
    assert capsys.readouterr().out.startswith(f"{out}: 120 rows in 7 files, ")
    assert main(["build", "--out", str(out), "--only", "sample"]) == 2
    assert "is not empty" in capsys.readouterr().err
    assert main(["build", "--out", str(out), "--only", "sample", "--force"]) == 0


def test_without_yes_nothing_is_sent(tmp_path: Path, hub: StandIn) -> None:
    done = draw(
        *("--out", str(tmp_path / "out"), "--only", "sample", "--push-to-hub", "someone/draw", "--private"),
        HF_ENDPOINT=hub.url,
        HF_TOKEN=TOKEN,
        HF_HOME=str(tmp_path / "home"),
    )
    assert done.returncode == 0, done.stderr
    assert "would upload to the private dataset repository someone/draw\n" in done.stdout
    assert "sample/train-00000-of-00001.parquet" in done.stdout
    assert "add --yes to upload it" in done.stdout
    assert hub.calls == []


def test_with_yes_the_folder_is_sent(tmp_path: Path, hub: StandIn) -> None:
    done = draw(
        *("--out", str(tmp_path / "out"), "--only", "sample", "--push-to-hub", "draw", "--yes"),
        HF_ENDPOINT=hub.url,
        HF_TOKEN=TOKEN,
        HF_HOME=str(tmp_path / "home"),
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f"uploaded: {hub.url}/datasets/someone/draw\n")
    sent = hub.repos["someone/draw"]["files"]
    assert {name: (tmp_path / "out" / name).read_bytes() for name in sent} == sent
    assert len(sent) == 7


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"HF_HUB_OFFLINE": "1", "HF_TOKEN": TOKEN}, "HF_HUB_OFFLINE forbids the network"),
        ({}, "hf auth login"),
    ],
    ids=["offline", "nobody logged in"],
)
def test_a_push_that_cannot_be_says_what_to_do(
    environment: dict[str, str], message: str, tmp_path: Path, hub: StandIn
) -> None:
    done = draw(
        *("--out", str(tmp_path / "out"), "--only", "sample", "--push-to-hub", "someone/draw", "--yes"),
        HF_ENDPOINT=hub.url,
        HF_HOME=str(tmp_path / "home"),
        **environment,
    )
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert hub.repos == {}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "nothing"], "Unknown configuration 'nothing': There are draw1k, alg514, dolphin_l, sample"),
        (["--only", "DRAW-1k"], "Unknown configuration 'DRAW-1k': did you mean draw1k?"),
        (["--only", "draw1k-clean"], "Unknown configuration 'draw1k-clean': did you mean draw1k_clean?"),
        (["--only", "sample_clean"], "Unknown configuration 'sample_clean': There are draw1k, "),
        (["--only", "sample", "--push-to-hub", "a b"], "expected a repository as in owner/name, but got 'a b'"),
        (["--only", "sample", "--yes"], "only for --push-to-hub REPO"),
        (["--only", "draw1k,sample", "--data-dir", "/nowhere"], "--data-dir /nowhere (no such folder) lacks 4 files"),
    ],
)
def test_refusals_come_before_any_work(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build", "--out", str(tmp_path / "out"), *arguments]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_help_loads_no_hugging_face_library() -> None:
    code = "import sys; from draw_dataset.cli import main; main(['build', '-h']); assert 'datasets' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
