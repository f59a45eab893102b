"""Follows the README and the tutorials as a new user would: in a fresh environment, command by command.

A wheel is built and installed into new environments: alone for the README, with the extra `all` for the tutorials.
Every shell block of a tutorial is then run in an empty folder, and what it prints is compared with the text block after
it (``...`` stands for anything). The Python examples of the pages are run as doctests. The commands of the README are
not run, since they name files of the reader and the release; but the installed `draw` must know them.

    python scripts/follow_docs.py                     new environments in a temporary folder; some minutes
    python scripts/follow_docs.py --python python3.13
    python scripts/follow_docs.py --here              in the environment of this Python, without installing
    python scripts/follow_docs.py docs/tutorials/annotate.md

Exit status: 0 everything is as the pages say, 1 something is not.
"""

from __future__ import annotations

import argparse
import doctest
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

# The one command that does not end by itself
ROOT = Path(__file__).resolve().parents[1]
TUTORIALS = tuple(sorted((ROOT / "docs" / "tutorials").glob("*.md")))
SERVES = "draw annotate serve"

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Step:
    """A shell block of a page, and the text block after it, if there is one."""

    line: int
    commands: str
    output: str | None


def steps_of(page: Path) -> Iterator[Step]:
    """Yield the shell blocks of a page."""
    text = page.read_text(encoding="utf-8")
    found = list(_FENCE.finditer(text))
    for at, block in enumerate(found):
        if block[1] == "sh":
            after = found[at + 1] if at + 1 < len(found) else None
            follows = after is not None and after[1] == "text" and not text[block.end() : after.start()].strip()
            yield Step(text.count("\n", 0, block.start()) + 1, block[2], after[2] if after and follows else None)


def draw_commands(page: Path) -> Iterator[list[str]]:
    """Yield the arguments of each ``draw`` command in the shell blocks of a page."""
    for step in steps_of(page):
        for line in step.commands.replace("\\\n", " ").splitlines():
            if line.startswith("draw "):
                words = shlex.split(line, comments=True)[1:]
                yield words[: words.index(">")] if ">" in words else words


def follow(page: Path, folder: Path, python: Path) -> list[str]:
    """Run the shell blocks of a page in a folder; return what is not as the page says."""
    environment = os.environ | {
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
        "HF_HOME": str(folder / ".huggingface"),
        "DRAW_CACHE_DIR": str(folder / ".draw"),
        "HF_HUB_OFFLINE": "1",
        "COLUMNS": "100",
        "NO_COLOR": "1",
    }
    wrong = []
    for step in steps_of(page):
        where = f"{page.name}, line {step.line}"
        if step.commands.startswith(SERVES):
            printed, status = _served(step.commands, folder, environment)
        else:
            command = ["bash", "-euo", "pipefail", "-c", step.commands]
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
            printed, status = done.stdout, done.returncode
            if status:
                printed += done.stderr
        if status:
            wrong.append(f"{where}: exit status {status}\n{printed}")
        elif step.output is not None and not _fits(step.output, printed):
            wrong.append(f"{where}: expected\n{step.output}but got\n{printed}")
    return wrong


def _served(command: str, folder: Path, environment: dict[str, str]) -> tuple[str, int]:
    """Start a server, take what it prints once it serves, and interrupt it as a user does."""
    process = subprocess.Popen(
        ["bash", "-c", f"exec {command.strip()} --port 0"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    printed = url = ""
    for line in process.stdout:
        url = url or line.removeprefix("annotate:").strip()
        printed += re.sub(r":\d{4,5}/", ":7860/", line)
        if line.startswith("stop it with"):
            # It listens already, and answers once it serves: only then can it be interrupted in an orderly way.
            urllib.request.urlopen(url, timeout=600).close()
            break
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=600)
    return (printed, 0) if printed else (errors, process.returncode or 1)


def _fits(expected: str, printed: str) -> bool:
    checker = doctest.OutputChecker()
    return checker.check_output(expected, printed, doctest.ELLIPSIS)


def fresh_environment(folder: Path, base: str, extra: str = "") -> Path:
    """Build the wheel, install it into a new environment, and return the Python of that."""
    subprocess.run([base, "-m", "venv", str(folder / "env")], check=True)
    python = folder / "env" / "bin" / "python"
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT)], check=True)
    (wheel,) = folder.glob("draw_dataset-*.whl")
    subprocess.run([*pip, "install", f"{wheel}{extra}"], check=True)
    return python


_DOCTEST = (
    "import doctest, sys; failed, _ = doctest.testfile(sys.argv[1], module_relative=False, "
    "optionflags=doctest.ELLIPSIS); sys.exit(bool(failed))"
)
_KNOWN = (
    "import json, sys; from draw_dataset.cli import main; from draw_dataset.commands.options import Command; "
    "Command.invoke = lambda *_: 0; sys.exit(any([main(arguments) for arguments in json.load(sys.stdin)]))"
)


def check_examples(page: Path, folder: Path, python: Path) -> list[str]:
    """Run the Python examples of a page, and let the installed command read its commands; return what went wrong."""
    import json

    environment = os.environ | {"HF_HOME": str(folder / ".huggingface"), "HF_HUB_OFFLINE": "1"}
    wrong = []
    given = json.dumps(list(draw_commands(page)))
    for command, stdin in (([python, "-c", _DOCTEST, page], ""), ([python, "-c", _KNOWN], given)):
        done = subprocess.run(
            list(map(str, command)),
            cwd=folder,
            env=environment,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            wrong.append(f"{page.name}: {done.stdout}{done.stderr}")
    return wrong


def main(argv: Sequence[str] | None = None) -> int:
    """Follow the pages, and print what is not as they say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", type=Path, help="pages to follow (default: the README and all tutorials)")
    parser.add_argument(
        "--python", default=sys.executable, help="the Python of the new environments (default: this one)"
    )
    parser.add_argument("--here", action="store_true", help="use the environment of this Python, and install nothing")
    arguments = parser.parse_args(argv)
    pages = [page.resolve() for page in arguments.pages] or [ROOT / "README.md", *TUTORIALS]
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        made: dict[str, Path] = {}
        for page in pages:
            extra = "" if page.name == "README.md" else "[all]"
            if arguments.here:
                made[extra] = Path(sys.executable)
            elif extra not in made:
                place = Path(name, f"environment{len(made)}")
                place.mkdir()
                made[extra] = fresh_environment(place, arguments.python, extra)
            folder = Path(name, page.stem)
            folder.mkdir()
            found = check_examples(page, folder, made[extra])
            if page.name != "README.md":
                found += follow(page, folder, made[extra])
            print(f"{page.relative_to(ROOT)}: {'as it says' if not found else f'{len(found)} wrong'}")
            wrong += found
    for one in wrong:
        print(one, file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
