"""The bare names: in whatever order, folder and thread the libraries are imported, and nothing else disturbed."""

from __future__ import annotations

import json
from pathlib import Path

import datasets
import pytest
from interpreter import NO_NETWORK, OFFLINE, ROOT, run

from draw_dataset.data.catalog import find_bare_name
from draw_dataset.errors import ChoiceError

ORDERS = {
    "draw_dataset first": "import draw_dataset\nimport datasets\n",
    "datasets first": "import datasets\nimport draw_dataset\n",
    "functions taken first": (
        "from datasets import load_dataset, load_dataset_builder, get_dataset_config_names, get_dataset_split_names\n"
        "import draw_dataset, datasets\n"
    ),
    "the factory taken by inspect first": "import datasets.inspect, draw_dataset, datasets\n",
}

ASK_EVERYTHING = """
from datasets import load_dataset, load_dataset_builder, get_dataset_config_names, get_dataset_split_names
import json
names = ["draw1k", "alg514", "dolphin_l", "draw_sample", "gsm8k_derivations"]
print(json.dumps({
    "rows": [len(load_dataset("draw_sample", split="all")), len(load_dataset("draw1k", "sample", split="test"))],
    "builders": [load_dataset_builder(name).config.name for name in names],
    "configs": [len(get_dataset_config_names(name)) for name in names],
    "splits": [len(get_dataset_split_names(name)) for name in names],
    "folds": get_dataset_split_names("draw1k", "alg514_cv3"),
}))
"""

EVERYTHING = {
    "rows": [120, 30],
    "builders": ["draw1k", "alg514", "dolphin_l", "sample", "gsm8k_derivations"],
    "configs": [16, 6, 6, 1, 1],
    "splits": [3, 5, 6, 3, 2],
    "folds": ["train", "test"],
}


@pytest.mark.parametrize("offline", [False, True], ids=["online", "offline"])
@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_the_names_work_from_an_empty_folder_without_a_network(order: str, offline: bool, tmp_path: Path) -> None:
    told = run(NO_NETWORK + order + ASK_EVERYTHING, tmp_path, **(OFFLINE if offline else {}))
    assert json.loads(told) == EVERYTHING


def test_a_local_directory_keeps_precedence(tmp_path: Path) -> None:
    folder = tmp_path / "here" / "draw1k"
    folder.mkdir(parents=True)
    (folder / "train.jsonl").write_text('{"mine": 1}\n{"mine": 2}\n')
    code = (
        "import draw_dataset, datasets\n"
        "print(datasets.load_dataset('draw1k', split='train')['mine'][:])\n"
        "print(datasets.load_dataset('draw_sample', split='all').num_rows)\n"
    )
    assert run(code, tmp_path, folder.parent, **OFFLINE).splitlines() == ["[1, 2]", "120"]


def test_other_names_are_left_to_the_library(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text('{"a": 1}\n')
    code = (
        "import sys\n"
        "if sys.argv[0] == '-c' and {ours}: import draw_dataset\n"
        "import datasets\n"
        f"print(datasets.load_dataset('json', data_files={str(tmp_path / 'mine.jsonl')!r}, split='train')[0])\n"
        "for name in ['webtext', 'someone/draw1k', 'someone/draw-1k', './draw1k', 'nothing_here']:\n"
        "    try:\n"
        "        datasets.load_dataset(name)\n"
        "    except Exception as error:\n"
        "        print(name, type(error).__name__, error)\n"
    )
    ours, plain = (run(code.replace("{ours}", flag), tmp_path, **OFFLINE) for flag in ("True", "False"))
    assert ours == plain
    assert len(ours.splitlines()) >= 5


def test_a_misspelt_name_is_told_before_the_hub_is_asked() -> None:
    for name, meant in (("draw_sampel", "draw_sample"), ("draw1kk", "draw1k"), ("dolphn_l", "dolphin_l")):
        with pytest.raises(ChoiceError, match=f"Unknown name '{name}': did you mean {meant}"):
            datasets.load_dataset(name)


def test_a_near_miss_is_answered_without_the_network(tmp_path: Path) -> None:
    code = NO_NETWORK + (
        "import draw_dataset, datasets, evaluate\n"
        "calls = [(datasets.load_dataset, name) for name in ('draw-1k', 'DRAW1K', 'dolphin-l', 'draw-sample')]\n"
        "calls += [(datasets.load_dataset_builder, 'Alg_514'), (datasets.get_dataset_config_names, 'alg514-cv0')]\n"
        "calls += [(evaluate.load, 'derivation-accuracy'), (evaluate.load, 'DerivationAccuracy')]\n"
        "for call, name in calls:\n"
        "    try:\n"
        "        call(name)\n"
        "    except draw_dataset.DrawError as error:\n"
        "        print(error)\n"
    )
    assert run(code, tmp_path).splitlines() == [
        f"Unknown name '{name}': did you mean {right}?"
        for name, right in {
            "draw-1k": "draw1k",
            "DRAW1K": "draw1k",
            "dolphin-l": "dolphin_l",
            "draw-sample": "draw_sample",
            "Alg_514": "alg514",
            "alg514-cv0": "alg514_cv0",
            "derivation-accuracy": "derivation_accuracy",
            "DerivationAccuracy": "derivation_accuracy",
        }.items()
    ]


def test_a_name_that_people_try_is_answered_without_the_network(tmp_path: Path) -> None:
    near = ("sample", "dolphin", "Dolphin", "draw", "draw1k_cv0", "draw1k_corrected", "dolphin-l-corrected")
    code = NO_NETWORK + (
        "import draw_dataset, datasets\n"
        f"for name in {near!r}:\n"
        "    try:\n"
        "        datasets.load_dataset(name)\n"
        "    except draw_dataset.DrawError as error:\n"
        "        print(error)\n"
    )
    assert run(code, tmp_path).splitlines() == [
        "Unknown name 'sample': did you mean load_dataset(\"draw_sample\")?",
        "Unknown name 'dolphin': did you mean load_dataset(\"dolphin_l\")?",
        "Unknown name 'Dolphin': did you mean load_dataset(\"dolphin_l\")?",
        "Unknown name 'draw': did you mean load_dataset(\"draw1k\")?",
        "Unknown name 'draw1k_cv0': did you mean load_dataset(\"draw1k\"), which has no folds, "
        'or load_dataset("alg514_cv0")?',
        "Unknown name 'draw1k_corrected': did you mean load_dataset(\"draw1k\", corrected=True)?",
        "Unknown name 'dolphin-l-corrected': did you mean load_dataset(\"dolphin_l\", corrected=True)?",
    ]


@pytest.mark.parametrize("name", ["someone/sample", "./sample", "samples", "alg", "drawing", "dolphins"])
def test_a_name_of_somebody_else_is_left_alone(name: str) -> None:
    assert find_bare_name(name) is None


def test_a_local_path_of_such_a_name_keeps_precedence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample").write_text("")
    assert find_bare_name("sample") is None


def test_a_name_with_a_slash_is_understood_or_answered_without_the_network(tmp_path: Path) -> None:
    code = NO_NETWORK + (
        "import draw_dataset, datasets\n"
        "print(datasets.get_dataset_config_names('alg514/cv0')[:2])\n"
        "print(datasets.load_dataset_builder('alg514/cv3').config.name)\n"
        "calls = [('draw1k/test',), ('draw_sample/dev',), ('alg514/cv0/train',), ('alg514', 'cv2')]\n"
        "for call in calls:\n"
        "    try:\n"
        "        datasets.load_dataset(*call)\n"
        "    except draw_dataset.DrawError as error:\n"
        "        print(str(error).partition(' There are')[0])\n"
    )
    assert run(code, tmp_path).splitlines() == [
        "['alg514', 'alg514_cv0']",
        "alg514_cv3",
        "Unknown name 'draw1k/test': did you mean draw1k with split='test', "
        "as in load_dataset('draw1k', split='test')?",
        "Unknown name 'draw_sample/dev': did you mean draw_sample with split='validation', "
        "as in load_dataset('draw_sample', split='validation')?",
        "Unknown name 'alg514/cv0/train': did you mean alg514_cv0 with split='train', "
        "as in load_dataset('alg514_cv0', split='train')?",
        "Unknown configuration 'cv2': did you mean alg514_cv2?",
    ]


def test_a_local_directory_of_a_near_miss_keeps_precedence(tmp_path: Path) -> None:
    folder = tmp_path / "here" / "draw-1k"
    folder.mkdir(parents=True)
    (folder / "train.jsonl").write_text('{"mine": 1}\n')
    code = "import draw_dataset, datasets; print(datasets.load_dataset('draw-1k', split='train')['mine'][:])"
    assert run(code, tmp_path, folder.parent, **OFFLINE) == "[1]"


def test_a_revision_is_a_question_for_the_hub(tmp_path: Path) -> None:
    code = (
        "import draw_dataset, datasets\n"
        "datasets.load_dataset('draw_sample')\n"
        "try:\n"
        "    datasets.load_dataset('draw_sample', revision='main')\n"
        "except ConnectionError:\n"
        "    print('asked')\n"
    )
    assert run(code, tmp_path, **OFFLINE) == "asked"


def test_what_we_cached_is_not_mistaken_for_a_dataset_of_the_hub(tmp_path: Path) -> None:
    run("import draw_dataset, datasets; datasets.load_dataset('draw1k', 'sample')", tmp_path, **OFFLINE)
    code = (
        "import datasets\n"
        "try:\n"
        "    print(datasets.load_dataset('draw1k'))\n"
        "except ConnectionError:\n"
        "    print('not found')\n"
    )
    assert run(code, tmp_path, **OFFLINE) == "not found"


def test_threads_may_import_both_at_once(tmp_path: Path) -> None:
    code = (
        "import sys, threading\n"
        "sys.setswitchinterval(1e-5)\n"
        "failed = []\n"
        "threading.excepthook = failed.append\n"
        "tasks = ['import draw_dataset', 'import datasets'] * 4\n"
        "gate = threading.Barrier(len(tasks))\n"
        "threads = [threading.Thread(target=lambda task=task: (gate.wait(), exec(task))) for task in tasks]\n"
        "[thread.start() for thread in threads]\n"
        "[thread.join() for thread in threads]\n"
        "assert not failed, failed\n"
        "import datasets\n"
        "print(datasets.load_dataset('draw_sample', split='all').num_rows)\n"
        "print(datasets.get_dataset_config_names('alg514')[0])\n"
    )
    assert run(code, tmp_path, **OFFLINE).split() == ["120", "alg514"]


# The mechanics, on a library that is imported in no time: `lib.load.factory` returns the name it was asked for.


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """Return a folder with the library, one module that takes the function by import, and our answer."""
    home = tmp_path / "path"
    (home / "lib").mkdir(parents=True)
    (home / "lib" / "__init__.py").write_text("")
    (home / "lib" / "load.py").write_text("def factory(path, option=None):\n    return path, option\n")
    (home / "lib" / "inspect.py").write_text("from .load import factory\n")
    (home / "bystander.py").write_text("from lib.load import factory\n")
    (home / "answers.py").write_text(
        "def answer(original, path, *args, **kwargs):\n"
        "    return ('meaning', args, kwargs) if path == 'ours' else original(path, *args, **kwargs)\n"
    )
    return home


HOOKED = """
import sys
from draw_dataset.data import hooks
from draw_dataset.data.hooks import install
hooks.BARE_NAMES = (
    hooks.BareNames(module="lib.load", function="factory", answer="answers:answer"),
)
"""


def run_with(library: Path, code: str) -> list[str]:
    path = f"{ROOT}:{library}"
    return run(HOOKED + code, library.parent, PYTHONPATH=path).splitlines()


@pytest.mark.parametrize("first", ["install()\nimport lib.inspect", "import lib.inspect\ninstall()"])
def test_every_reference_of_the_library_is_wrapped(first: str, library: Path) -> None:
    code = (
        f"{first}\n"
        "import lib.load\n"
        "assert lib.inspect.factory is lib.load.factory\n"
        "print(lib.inspect.factory('ours', 1, option=2), lib.load.factory(path='ours'))\n"
        "print(lib.load.factory('theirs', option=3), lib.load.factory(None), lib.load.factory(['ours']))\n"
        "print(lib.load.factory.__name__, lib.load.factory.__wrapped__('ours'))\n"
    )
    assert run_with(library, code) == [
        "('meaning', (1,), {'option': 2}) ('meaning', (), {})",
        "('theirs', 3) (None, None) (['ours'], None)",
        "factory ('ours', None)",
    ]


def test_modules_of_others_are_not_touched(library: Path) -> None:
    code = "import bystander, lib.load\ninstall()\nprint(bystander.factory('ours'), lib.load.factory('ours')[0])"
    assert run_with(library, code) == ["('ours', None) meaning"]


def test_installing_again_changes_nothing(library: Path) -> None:
    code = (
        "install(); install()\n"
        "import lib.load\n"
        "install(); install()\n"
        "print(sum(hasattr(finder, hooks._MARK) for finder in sys.meta_path))\n"
        "print(hasattr(lib.load.factory, hooks._MARK), hasattr(lib.load.factory.__wrapped__, hooks._MARK))\n"
        "for name in [name for name in sys.modules if name.startswith('draw_dataset')]: del sys.modules[name]\n"
        "import draw_dataset\n"
        "print(sum(hasattr(finder, hooks._MARK) for finder in sys.meta_path))\n"
    )
    assert run_with(library, code) == ["1", "True False", "1"]


def test_a_reloaded_module_is_wrapped_anew(library: Path) -> None:
    code = (
        "install()\n"
        "import importlib, inspect, lib.load\n"
        "importlib.reload(lib.load)\n"
        "print(lib.load.factory('ours')[0], hasattr(lib.load.factory.__wrapped__, hooks._MARK))\n"
        "print(inspect.getsource(lib.load).splitlines()[0])\n"
    )
    assert run_with(library, code) == ["meaning False", "def factory(path, option=None):"]


def test_a_library_without_the_function_is_imported_with_a_warning(library: Path) -> None:
    (library / "lib" / "load.py").write_text("value = 1\n")
    (library / "lib" / "inspect.py").write_text("")
    for first in ("install()\nimport lib.load", "import lib.load\ninstall()"):
        code = (
            "import logging; logging.basicConfig(stream=sys.stdout, format='%(message)s')\n"
            f"{first}\nprint(lib.load.value)\n"
        )
        told = run_with(library, code)
        assert told[-1] == "1"
        assert told[0].startswith("lib.load has no factory, so our names are not known to it")


def test_a_library_that_cannot_be_imported_fails_as_without_us(library: Path) -> None:
    (library / "lib" / "load.py").write_text("raise ValueError('theirs')\n")
    code = (
        "install()\n"
        "for name in ('lib.load', 'lib.nothing'):\n"
        "    try:\n"
        "        __import__(name)\n"
        "    except (ValueError, ModuleNotFoundError) as error:\n"
        "        print(error)\n"
        "install()\n"
    )
    assert run_with(library, code) == ["theirs", "No module named 'lib.nothing'"]


def test_installing_waits_for_an_import_in_another_thread(library: Path) -> None:
    load = library / "lib" / "load.py"
    load.write_text("import time, sys\nsys.begun.set()\ntime.sleep(0.5)\n" + load.read_text())
    code = (
        "import threading\n"
        "sys.begun = threading.Event()\n"
        "thread = threading.Thread(target=__import__, args=('lib.inspect',))\n"
        "thread.start()\n"
        "sys.begun.wait()\n"
        "install()\n"
        "thread.join()\n"
        "import lib.inspect, lib.load\n"
        "print(lib.load.factory('ours')[0], lib.inspect.factory('ours')[0])\n"
    )
    assert run_with(library, code) == ["meaning meaning"]


@pytest.mark.parametrize("place", ["0", "len(sys.meta_path)"])
def test_another_finder_of_our_kind_does_no_harm(place: str, library: Path) -> None:
    code = (
        "class Other:\n"
        "    def find_spec(self, fullname, path=None, target=None):\n"
        "        for finder in sys.meta_path:\n"
        "            if finder is not self:\n"
        "                spec = finder.find_spec(fullname, path, target)\n"
        "                if spec is not None:\n"
        "                    return spec\n"
        "install()\n"
        "import importlib.util\n"
        f"sys.meta_path.insert({place}, Other())\n"
        "import lib.load\n"
        "print(lib.load.factory('ours')[0])\n"
    )
    assert run_with(library, code) == ["meaning"]


LOADERS = {
    "a class": "type('Class', (), {'create_module': lambda spec: None, 'exec_module': run})",
    "an object of slots": "type('Bare', (), {'__slots__': (), 'create_module': none, 'exec_module': method})()",
    "an object": "type('Object', (), {'create_module': none, 'exec_module': method})()",
}


@pytest.mark.parametrize("kind", LOADERS)
def test_loaders_of_every_kind_load(kind: str, library: Path) -> None:
    code = (
        "from importlib.machinery import ModuleSpec\n"
        "def run(module):\n"
        "    module.factory = lambda path, option=None: (path, option)\n"
        "def none(self, spec):\n"
        "    return None\n"
        "def method(self, module):\n"
        "    run(module)\n"
        "class Other:\n"
        "    def find_spec(self, fullname, path=None, target=None):\n"
        f"        return ModuleSpec(fullname, {LOADERS[kind]}) if fullname == 'lib.load' else None\n"
        "sys.meta_path.insert(0, Other())\n"
        "install()\n"
        "import lib.load\n"
        "print(lib.load.factory('ours'))\n"
    )
    assert run_with(library, code) == ["('meaning', (), {})" if kind == "an object" else "('ours', None)"]
