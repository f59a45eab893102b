"""Installs each harness into an environment of its own and runs its test there, with the oldest and the newest release.

    python scripts/test_harnesses.py                                     all of tests/harnesses/versions.txt
    python scripts/test_harnesses.py inspect-newest lm_eval-newest       these
    python scripts/test_harnesses.py trl --envs /tmp/envs                every version of one, environments elsewhere

An environment is kept and used again while its requirements and ours stay the same. Packages are installed by uv, which
takes a fraction of pip's time; it looks for wheels where PIP_FIND_LINKS says. The exit status is 1 if a test failed.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "tests" / "harnesses" / "versions.txt"
TESTING = ("pytest", "hypothesis")


@dataclass(frozen=True, slots=True)
class Trial:
    """A harness to try."""

    name: str  # as in ``inspect-newest``
    module: str  # whose absence fails the tests; ``-`` if it may be absent
    test: str  # the file of tests
    requirements: tuple[str, ...]  # what is installed
    alone: tuple[str, ...] = ()  # what is installed without its own requirements


def read_table() -> list[Trial]:
    """Return the harnesses of the table."""
    trials = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line and line[0] != "#":
            whole, _, alone = line.partition(" --no-deps ")
            name, module, test, *requirements = whole.split()
            trials.append(Trial(name, module, test, tuple(requirements), tuple(alone.split())))
    return trials


def installed(trial: Trial, folder: Path) -> Path:
    """Return the Python of a harness's environment, which is made if it is not there or not up to date."""
    home = folder / trial.name
    python = home / "bin" / "python"
    wanted = "\n".join([*trial.requirements, *trial.alone, (ROOT / "pyproject.toml").read_text(encoding="utf-8")])
    stamp = home / ".requirements"
    digest = hashlib.sha256(wanted.encode()).hexdigest()
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == digest:
        return python
    installer = folder / "uv"
    if not (installer / "bin" / "uv").is_file():
        venv.create(installer, with_pip=True)
        subprocess.run([installer / "bin" / "python", "-m", "pip", "install", "--quiet", "uv"], check=True)
    uv = str(installer / "bin" / "uv")
    links = [part for place in os.environ.get("PIP_FIND_LINKS", "").split() for part in ("--find-links", place)]
    subprocess.run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, home], check=True)
    packages = [*trial.requirements, *TESTING, "--editable", str(ROOT)]
    subprocess.run([uv, "pip", "install", "--quiet", "--python", python, *links, *packages], check=True)
    if trial.alone:
        subprocess.run(
            [uv, "pip", "install", "--quiet", "--no-deps", "--python", python, *links, *trial.alone], check=True
        )
    stamp.write_text(digest, encoding="utf-8")
    return python


def main(argv: Sequence[str] | None = None) -> int:
    """Try harnesses and say which passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="as in the table, or without the part after the hyphen"
    )
    parser.add_argument("--envs", type=Path, default=ROOT / ".venv-harnesses", metavar="DIR", help="the environments")
    arguments = parser.parse_args(argv)
    table = read_table()
    known = {name for trial in table for name in (trial.name, trial.name.partition("-")[0])}
    unknown = [name for name in arguments.names if name not in known]
    if unknown:
        parser.error(f"Unknown harness {unknown[0]}: there are {', '.join(sorted(known))}")
    wanted = [t for t in table if not arguments.names or {t.name, t.name.partition("-")[0]} & {*arguments.names}]
    arguments.envs.mkdir(parents=True, exist_ok=True)
    outcomes: dict[str, str] = {}
    for trial in wanted:
        try:
            python = installed(trial, arguments.envs)
        except subprocess.CalledProcessError as error:
            outcomes[trial.name] = f"cannot be installed (status {error.returncode})"
            continue
        environment = {**os.environ, "DRAW_HARNESS": trial.module, "HF_HUB_OFFLINE": "1"}
        command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"tests/harnesses/{trial.test}"]
        done = subprocess.run(command, cwd=ROOT, env=environment, check=False)
        outcomes[trial.name] = "passed" if done.returncode == 0 else f"failed (status {done.returncode})"
    for name, outcome in outcomes.items():
        print(f"{name:18}{outcome}")
    return int(any(outcome != "passed" for outcome in outcomes.values()))


if __name__ == "__main__":
    sys.exit(main())
