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


@pytest.fixture(scope="module")
def zsh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("zsh") is None:
        pytest.skip("needs zsh, as in: apt-get install zsh")
    folder = tmp_path_factory.mktemp("zsh")
    (folder / "draw.zsh").write_text(script(build_parser(), "zsh"), encoding="utf-8")
    (folder / ".zshrc").write_text(f"PROMPT='> '; source {folder / 'draw.zsh'}\n", encoding="utf-8")
    return folder


def test_the_script_for_zsh_is_a_completion_of_draw(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "zsh"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("#compdef draw\n")
    assert "bashcompinit" in told


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
    done = subprocess.run(["zsh", "-f", "-c", code], capture_output=True, text=True, check=True, timeout=600)
    assert shown in done.stdout
