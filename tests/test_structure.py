"""The house: one direction of imports, and what importing costs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

import draw_dataset

PACKAGE = Path(draw_dataset.__file__).parent
DOCUMENT = PACKAGE.parent / "docs" / "architecture.md"
HUGGING_FACE = {"datasets", "evaluate", "huggingface_hub", "pyarrow", "pandas", "numpy"}

# Each part may import the parts before it.
ORDER = [
    *("errors", "version", "fingerprint", "io", "algebra", "derivation", "text", "reading"),
    *("data", "scoring", "prompting", "report", "annotate", "deriving", "solver", "checks", "variants", "collect"),
    *("draw1k", "adapters", "asking", "scale", "commands", "cli", "__init__"),
]


def part_of(module: str) -> str:
    pieces = module.split(".")
    return pieces[1] if len(pieces) > 1 else "__init__"


def test_every_part_has_a_place_in_the_order() -> None:
    parts = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in PACKAGE.rglob("*.py")}
    assert parts == set(ORDER)


def test_the_architecture_page_names_the_order_and_every_module() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    named = re.search(r"```\n(.*?)```", text, flags=re.DOTALL)
    assert named is not None
    assert named[1].split() == ORDER[:-1]
    rows = set(re.findall(r"`([a-z_0-9.]+)`", "\n".join(line for line in text.splitlines() if line.startswith("| "))))
    modules = {module_name(path).removeprefix("draw_dataset.") for path in PACKAGE.rglob("*.py")}
    assert {name for name in modules if "." in name and not is_package(name)} <= rows


def is_package(name: str) -> bool:
    return (PACKAGE / name.replace(".", "/")).is_dir()


def imports_of(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add(node.module or "")
    return found


def modules() -> list[Path]:
    return sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")])


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_one_way(path: Path) -> None:
    own = path.relative_to(PACKAGE).parts[0].partition(".")[0]
    for module in imports_of(path):
        if module.split(".")[0] == "draw_dataset" and (target := part_of(module)) != own:
            assert ORDER.index(target) < ORDER.index(own), f"{path} may not import {module}"


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def run_time_imports(path: Path, known: set[str]) -> set[str]:
    """Return which of the known modules a module imports when it runs, at its top or inside a function."""
    found: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            waiting += node.orelse
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            # A name of a package is either a module of its own or something that the package itself has.
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= whole & known
            if not whole <= known:
                found.add(node.module or "")
        waiting += ast.iter_child_nodes(node)
    return (found & known) - {module_name(path)}


def import_graph(folder: Path) -> dict[str, set[str]]:
    paths = {module_name(path): path for path in folder.rglob("*.py")}
    return {module: run_time_imports(path, set(paths)) for module, path in paths.items()}


PARTS = [path.parent for path in sorted(PACKAGE.glob("*/__init__.py"))]


@pytest.mark.parametrize("folder", PARTS, ids=lambda folder: folder.name)
def test_no_module_of_a_part_imports_itself_by_way_of_others(folder: Path) -> None:
    TopologicalSorter(import_graph(folder)).prepare()


def test_a_cycle_is_seen_in_functions_and_not_under_type_checking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[__name__], "PACKAGE", tmp_path)
    for name, text in {
        "__init__": "",
        "one": f"from {tmp_path.name}.part import two",
        "two": f"def later():\n    from {tmp_path.name}.part.one import thing",
        "three": f"if TYPE_CHECKING:\n    from {tmp_path.name}.part.four import Thing",
        "four": f"import {tmp_path.name}.part.three",
    }.items():
        (tmp_path / "part").mkdir(exist_ok=True)
        (tmp_path / "part" / f"{name}.py").write_text(text, encoding="utf-8")
    graph = import_graph(tmp_path / "part")
    with pytest.raises(CycleError):
        TopologicalSorter(graph).prepare()
    part = f"{tmp_path.name}.part"
    assert graph == {
        part: set(),
        f"{part}.one": {f"{part}.two"},
        f"{part}.two": {f"{part}.one"},
        f"{part}.three": set(),
        f"{part}.four": {f"{part}.three"},
    }


LIGHT = [
    path
    for part in ("algebra", "derivation", "text", "reading", "report")
    for path in sorted((PACKAGE / part).rglob("*.py"))
]


@pytest.mark.parametrize("path", LIGHT, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_the_first_parts_and_report_need_the_standard_library_only(path: Path) -> None:
    outside = {m.split(".")[0] for m in imports_of(path)} - set(sys.stdlib_module_names) - {"draw_dataset"}
    # grammar imports sympy inside the function that makes sympy objects, for those who ask for them.
    assert outside <= ({"sympy"} if path.name == "grammar.py" else set())


def loaded_after(code: str) -> set[str]:
    script = f"{code}\nimport sys\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_loads_no_hugging_face_library() -> None:
    assert not loaded_after("import draw_dataset") & HUGGING_FACE


def test_using_the_core_loads_no_foreign_library() -> None:
    code = "import draw_dataset as d; d.Template; d.solve; d.reconcile; d.templates_equivalent('m = a', 'n = b')"
    assert not loaded_after(code) & (HUGGING_FACE | {"sympy"})


PROMISED = {
    "Template", "Derivation", "Problem", "Verdict", "Score", "Reading", "templates_equivalent", "find_slot_map",
    "all_slot_maps", "canonical_key", "derivations_equivalent", "solve", "reconcile", "grade", "score", "score_file",
    "compare_scores", "show", "find_numbers", "read_answer", "make_variants", "probe", "derive", "prompt_for",
}  # fmt: skip
"""Names that other people's programs call."""


def test_every_public_name_is_there() -> None:
    assert set(draw_dataset.__all__) >= PROMISED
    for name in draw_dataset.__all__:
        assert getattr(draw_dataset, name) is not None
    assert {*draw_dataset.__all__, "__all__", "__version__"} <= set(dir(draw_dataset))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        draw_dataset.nothing  # noqa: B018


def test_the_table_of_public_names_is_what_type_checkers_read() -> None:
    read = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8")).body[1:]
    assert all(isinstance(node, ast.ImportFrom) and len(node.names) == 1 for node in read)
    told = {node.names[0].asname: node.module for node in read if isinstance(node, ast.ImportFrom)}
    assert told.pop("__version__") == "draw_dataset.version"
    assert told == draw_dataset._homes()
    for name, home in told.items():
        assert getattr(draw_dataset, name) is getattr(import_module(home), name)


def test_a_star_brings_every_public_name() -> None:
    code = "from draw_dataset import *; import draw_dataset; assert set(draw_dataset.__all__) <= set(globals())"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_oldest_versions_tried_are_the_lower_bounds() -> None:
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (Path(__file__).parent / "oldest-versions.txt").read_text(encoding="utf-8").splitlines()
    tried = dict(line.split("==") for line in lines if "==" in line)
    for name, bound in (requirement.split(">=") for requirement in project["dependencies"]):
        assert tried[name] in (bound, f"{bound}.0"), name
