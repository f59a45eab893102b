"""Completion: a real bash completes commands, options and values by the script that draw prints."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from draw_dataset.cli import COMMANDS, build_parser, main
from draw_dataset.commands.completion import script


@pytest.fixture(scope="module")
def bash(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("completion") / "draw.bash"
    path.write_text(script(build_parser(), "bash"), encoding="utf-8")
    return path


def completed(path: Path, *words: str) -> set[str]:
    listed = " ".join(f"'{word}'" for word in words)
    asked = f"COMP_WORDS=(draw {listed}); COMP_CWORD={len(words)}; _draw"
    code = f"source {path}; {asked}; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("",), {*COMMANDS, "unregister", "--version", "--citation", "--help", "-h"}),
        (("sc",), {"score"}),
        (("annotate", "ad"), {"adjudicate"}),
        (("annotate", "import", "--ann"), {"--annotators-per-problem"}),
        (("solve", "tr"), {"train"}),
        (("solve", "evaluate", "--mod"), {"--model"}),
        (("score", "x.jsonl", "--missing", ""), {"error", "abstain"}),
        (("score", "--format", "m"), {"markdown"}),
        (("completion", ""), {"bash", "zsh", "-h", "--help"}),
        (("score", "no-such-option-or-command"), set()),
    ],
)
def test_bash_completes(bash: Path, words: tuple[str, ...], expected: set[str]) -> None:
    assert completed(bash, *words) == expected


def test_zsh_reads_the_same_by_bashcompinit(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["completion", "zsh"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("#compdef draw\n")
    assert "bashcompinit" in told
    if shutil.which("zsh"):
        path = tmp_path / "draw.zsh"
        path.write_text(told, encoding="utf-8")
        subprocess.run(["zsh", "-fn", str(path)], check=True)
