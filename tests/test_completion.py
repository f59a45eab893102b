"""Completion: a real shell completes commands, options and values by the script that draw prints."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from draw_dataset.cli import COMMANDS, main


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a command draw that runs this package, and with the scripts of the shells."""
    made = tmp_path_factory.mktemp("completion")
    (made / "draw").write_text(f'#!/bin/sh\nexec {sys.executable} -m draw_dataset.cli "$@"\n', encoding="utf-8")
    (made / "draw").chmod(0o755)
    for shell in ("bash", "zsh"):
        command = [sys.executable, "-m", "draw_dataset.cli", "completion", shell]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        (made / f"draw.{shell}").write_text(done.stdout, encoding="utf-8")
    return made


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def completed(folder: Path, *words: str) -> set[str]:
    listed = " ".join(f"'{word}'" for word in words)
    asked = f"COMP_WORDS=(draw {listed}); COMP_CWORD={len(words)}; _draw_completion draw"
    code = f"source {folder / 'draw.bash'}; {asked}; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True, env=environment(folder))
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("",), set(COMMANDS)),
        (("--",), {"--version", "--citation", "--help"}),
        (("sc",), {"score"}),
        (("annotate", "ad"), {"adjudicate"}),
        (("annotate", "import", "--ann"), {"--annotators-per-problem"}),
        (("solve", "tr"), {"train"}),
        (("solve", "evaluate", "--mod"), {"--model"}),
        (("solve", "--mod"), {"--model"}),
        (("score", "x.jsonl", "--missing", ""), {"error", "abstain", "skip"}),
        (("score", "--format", "m"), {"markdown"}),
        (("score", "x.jsonl", "--references", "dol"), {"dolphin_l"}),
        (("stats", "dra"), {"draw1k"}),
        (("completion", ""), {"bash", "zsh", "fish"}),
        (("score", "--no-such-option"), set()),
    ],
)
def test_bash_completes(folder: Path, words: tuple[str, ...], expected: set[str]) -> None:
    assert completed(folder, *words) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_has_a_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert f"_DRAW_COMPLETE={shell}_complete" in capsys.readouterr().out


@pytest.fixture(scope="module")
def zsh(folder: Path) -> Path:
    if shutil.which("zsh") is None:
        pytest.skip("needs zsh, as in: apt-get install zsh")
    (folder / ".zshrc").write_text(
        f"PROMPT='> '; autoload -U compinit; compinit -u; source {folder / 'draw.zsh'}\n", encoding="utf-8"
    )
    return folder


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("draw annotate adj", "draw annotate adjudicate "),
        ("draw score x.jsonl --missing abst", "draw score x.jsonl --missing abstain "),
        ("draw solve evaluate --mod", "draw solve evaluate --model "),
    ],
)
def test_an_interactive_zsh_completes_at_a_tab(zsh: Path, typed: str, shown: str) -> None:
    """A real zsh, in a terminal of its own, as zpty of zsh gives it."""
    code = f"""
zmodload zsh/zpty
zpty shell 'ZDOTDIR={zsh} TERM=dumb zsh -i'
zpty -r shell prompt '*> '
zpty -w -n shell $'{typed}\\t'
zpty -r shell line '*{shown}'
print -r -- "$line"
zpty -d shell
"""
    done = subprocess.run(
        ["zsh", "-f", "-c", code], capture_output=True, text=True, check=True, timeout=600, env=environment(zsh)
    )
    assert shown in done.stdout
