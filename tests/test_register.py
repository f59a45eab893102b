"""``draw register``: the bare names without an import, in an environment of the test's own, at next to no cost."""

from __future__ import annotations

import subprocess
import sysconfig
import venv
from pathlib import Path

import click
import pytest
from interpreter import NO_NETWORK, OFFLINE, ROOT, environment

from draw_dataset.cli import main
from draw_dataset.data import registration
from draw_dataset.data.registration import FILE_NAME


class Environment:
    """A virtual environment that sees this package and the libraries, by a path file as of an editable install."""

    def __init__(self, home: Path) -> None:
        self.home = home
        venv.create(home / "venv", with_pip=False, symlinks=True)
        self.python = home / "venv" / "bin" / "python"
        site = self.run("import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip()
        self.site = Path(site)
        self.path_file = self.site / "_editable.pth"
        libraries = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
        self.path_file.write_text("\n".join([str(ROOT), *libraries]) + "\n")

    def run(self, code: str) -> subprocess.CompletedProcess[str]:
        return self._run("-c", code)

    def draw(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self._run("-m", "draw_dataset.cli", *arguments)

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        variables = {name: value for name, value in environment(self.home).items() if name != "PYTHONPATH"}
        return subprocess.run(
            [self.python, *arguments],
            cwd=self.home,
            env=variables | OFFLINE,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def fresh(tmp_path: Path) -> Environment:
    return Environment(tmp_path)


ASK = NO_NETWORK + "import datasets; print(datasets.load_dataset('draw_sample', split='all').num_rows)"


def test_registered_names_need_no_import(fresh: Environment) -> None:
    assert fresh.run(ASK).returncode != 0
    done = fresh.draw("register")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(
        f"wrote {fresh.site / FILE_NAME}\ndraw1k, alg514, dolphin_l, draw_sample, derivation_accuracy need no import"
    )
    told = fresh.run(ASK)
    assert (told.returncode, told.stdout.strip()) == (0, "120"), told.stderr
    told = fresh.run(NO_NETWORK + "import evaluate; print(evaluate.load('derivation_accuracy').module_type)")
    assert (told.returncode, told.stdout.strip()) == (0, "metric"), told.stderr


def test_registering_is_told_undone_and_may_be_repeated(fresh: Environment) -> None:
    path = fresh.site / FILE_NAME
    before = sorted(fresh.site.iterdir())
    steps = [
        (["register", "--status"], 1, f"not registered in {fresh.home / 'venv'}"),
        (["unregister"], 0, f"not registered, so there is nothing to remove in {fresh.home / 'venv'}"),
        (["register"], 0, f"wrote {path}"),
        (["register"], 0, f"already registered by {path}"),
        (["register", "--status"], 0, f"registered by {path}"),
        (["unregister"], 0, f"removed {path}"),
        (["register", "--status"], 1, f"not registered in {fresh.home / 'venv'}"),
    ]
    for arguments, status, first_line in steps:
        done = fresh.draw(*arguments)
        assert (done.returncode, done.stdout.splitlines()[0], done.stderr) == (status, first_line, ""), arguments
    assert sorted(fresh.site.iterdir()) == before


def test_a_file_of_another_version_is_replaced(fresh: Environment) -> None:
    (fresh.site / FILE_NAME).write_text("import sys\n")
    assert fresh.draw("register").stdout.startswith("wrote")
    assert (fresh.site / FILE_NAME).read_text() == registration.LINE


def test_the_start_of_the_interpreter_stays_light(fresh: Environment) -> None:
    count = "import sys; print('\\n'.join(sys.modules))"
    before = set(fresh.run(count).stdout.split())
    fresh.draw("register")
    added = {name.partition(".")[0] for name in set(fresh.run(count).stdout.split()) - before}
    assert added <= {"draw_dataset", "importlib", "warnings", "__future__"}


def test_the_file_does_no_harm_once_the_package_is_gone(fresh: Environment) -> None:
    fresh.draw("register")
    fresh.path_file.unlink()
    done = fresh.run("import sys; print('draw_dataset' in sys.modules)")
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "False", "")


@pytest.mark.parametrize(
    "fault",
    ["raise RuntimeError('broken')", "raise ValueError", "1/0", "import nothing_like_it", "def broken(:", "\0"],
    ids=["an error", "another", "arithmetic", "a missing library", "syntax", "a null byte"],
)
def test_the_file_does_no_harm_where_the_package_raises(fault: str, fresh: Environment) -> None:
    fresh.draw("register")
    broken = fresh.home / "broken"
    (broken / "draw_dataset").mkdir(parents=True)
    (broken / "draw_dataset" / "__init__.py").write_text(f"{fault}\n")
    fresh.path_file.write_text(f"{broken}\n")
    done = fresh.run("import sys; print('draw_dataset' in sys.modules)")
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "False", "")


def test_the_package_works_where_the_libraries_are_not_installed(fresh: Environment) -> None:
    fresh.path_file.write_text(f"{ROOT}\n")
    (fresh.site / "click").symlink_to(Path(click.__file__).parent)  # the command line itself
    assert fresh.draw("register").returncode == 0
    done = fresh.run("import draw_dataset; print(draw_dataset.templates_equivalent('m = a', 'n = b'))")
    assert (done.stdout.strip(), done.stderr) == ("True", "")


def test_an_environment_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(registration, "site_folders", lambda: [tmp_path / "file" / "site-packages"])
    assert main(["register"]) == 2
    assert f"{tmp_path / 'file' / 'site-packages'}: Not a directory" in capsys.readouterr().err


def test_the_user_s_folder_is_the_second_choice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    user = tmp_path / "user"
    monkeypatch.setattr(registration, "site_folders", lambda: [tmp_path / "file" / "site-packages", user])
    assert main(["register"]) == 0
    assert (user / FILE_NAME).read_text() == registration.LINE
    assert main(["unregister"]) == 0
    assert list(user.iterdir()) == []
    assert capsys.readouterr().out.splitlines()[-1] == f"removed {user / FILE_NAME}"
