"""The wheel: it carries the metric, nothing next to the package, and works alone, on every Python of this machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import click
import pytest
from interpreter import NO_NETWORK, OFFLINE, ROOT, environment

from draw_dataset.data.registration import metric_folder

FILES = {"README.md", "app.py", "derivation_accuracy.py", "requirements.txt"}

pytestmark = pytest.mark.skipif(not (ROOT / "pyproject.toml").is_file(), reason="needs a checkout")


def test_a_checkout_uses_its_own_folder() -> None:
    assert metric_folder() == ROOT / "metric"
    assert {path.name for path in (metric_folder() / "derivation_accuracy").iterdir()} >= FILES


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel with the hatchling at hand, as no test may need a network."""
    pytest.importorskip("hatchling", reason="needs hatchling, which the extra test brings")
    folder = tmp_path_factory.mktemp("wheel")
    code = f"import hatchling.build; print(hatchling.build.build_wheel({str(folder)!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / done.stdout.strip().splitlines()[-1]


def test_the_wheel_carries_the_metric_and_nothing_beside_the_package(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    # verifiers finds a taskset only as a top-level module: the one name besides the package's.
    assert {name.split("/")[0].split("-")[0] for name in names} == {"draw_dataset", "draw_derivations.py"}
    assert "draw_dataset/adapters/lm_eval_tasks/draw1k_marked_chat.yaml" in names
    assert "draw_dataset/adapters/lm_eval_tasks/_marked_chat" in names
    carried = {name.removeprefix("draw_dataset/_metric/derivation_accuracy/") for name in names if "/_metric/" in name}
    assert carried == FILES


def test_the_wheel_has_every_public_name(wheel: Path, tmp_path: Path) -> None:
    # Also from the archive itself, which has no files to open.
    code = (
        f"import sys; sys.path.insert(0, {str(wheel)!r})\n"
        "from draw_dataset import *\n"
        "import draw_dataset; assert '.whl' in draw_dataset.__file__\n"
        "print(templates_equivalent.__name__)"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "templates_equivalent\n"), done.stderr


def test_the_installed_wheel_passes_the_readme_and_loads_the_metric_from_an_empty_folder(
    wheel: Path, tmp_path: Path
) -> None:
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    python = tmp_path / "venv" / "bin" / "python"
    base = {name: value for name, value in environment(tmp_path).items() if name != "PYTHONPATH"} | OFFLINE
    empty = tmp_path / "empty"
    empty.mkdir()
    [site] = (tmp_path / "venv" / "lib").glob("python*/site-packages")
    zipfile.ZipFile(wheel).extractall(site)
    # The libraries are those of this interpreter, found last; their own path files, which an editable install of this
    # package may be one of, are not read.
    libraries = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site / "libraries.pth").write_text("\n".join(sorted(libraries)) + "\n")
    code = NO_NETWORK + (
        "import doctest, sys, draw_dataset, evaluate\n"
        "from draw_dataset.data.registration import metric_folder\n"
        "from draw_dataset.data.sample import load_sample\n"
        "rows = [problem.to_row() for problem in load_sample()['test']]\n"
        "metric = evaluate.load('derivation_accuracy')\n"
        "print(metric.compute(predictions=[row['derivation'] for row in rows], references=rows)['counts'])\n"
        "print(metric_folder())\n"
        "sys.exit(doctest.testfile(sys.argv[1], module_relative=False).failed)"
    )
    command = [str(python), "-c", code, str(ROOT / "README.md")]
    done = subprocess.run(command, cwd=empty, env=base, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines() == ["{'right': 30}", os.path.join(site, "draw_dataset", "_metric")]


def pythons() -> list[str]:
    """Return an interpreter of each version that this machine has and the package supports."""
    offered = [shutil.which(f"python3.{minor}") for minor in range(11, 20)]
    offered += map(str, sorted(Path.home().glob(".pyenv/versions/3.*/bin/python")))
    found: dict[str, str] = {}
    for path in filter(None, offered):
        code = "import sys; print('.'.join(map(str, sys.version_info[:2])))"
        done = subprocess.run([path, "-c", code], capture_output=True, text=True, check=False)
        version = done.stdout.strip()
        if done.returncode == 0 and tuple(map(int, version.split("."))) >= (3, 11):
            found.setdefault(version, path)
    return [found[version] for version in sorted(found)]


def without_libraries(page: str) -> str:
    """Return the Python examples of a page that need no other library."""
    blocks = re.findall(r"^```python\n(>>>.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return "\n".join(block for block in blocks if "datasets" not in block.split() and "evaluate" not in block)


@pytest.mark.parametrize("python", pythons(), ids=lambda path: path.replace("/", " ").strip())
def test_the_wheel_and_click_alone_run_on_every_python(python: str, wheel: Path, tmp_path: Path) -> None:
    subprocess.run([python, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    own = tmp_path / "venv" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(own), "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "install", "--no-index", "--no-deps", "--no-compile", str(wheel)], check=True)
    site = next((tmp_path / "venv" / "lib").glob("python3.*/site-packages"))
    shutil.copytree(Path(click.__file__).parent, site / "click")
    base = {name: value for name, value in environment(tmp_path).items() if name != "PYTHONPATH"}

    def run(*command: str) -> str:
        done = subprocess.run(command, cwd=tmp_path, env=base, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    draw = str(own.with_name("draw"))
    assert "slip" in run(draw, "read", "60 + 25m = 15 + 34m, so m = 6.", "--id", "95", "--no-colour")
    examples = tmp_path / "examples.txt"
    examples.write_text(without_libraries((ROOT / "README.md").read_text(encoding="utf-8")), encoding="utf-8")
    assert examples.read_text(encoding="utf-8").count(">>>") >= 8
    code = "import doctest, sys; sys.exit(doctest.testfile(sys.argv[1], module_relative=False).failed)"
    run(str(own), "-c", code, str(examples))
