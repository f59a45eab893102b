"""Measures the package as a house: its files and lines, and how far six everyday calls walk through it.

    python scripts/house.py             Markdown
    python scripts/house.py --json      one JSON object

A walk is one call of a public name in a process of its own, with cold caches. Every Python call inside the package is
counted, except for imports. A call changes the module (or the package) if its nearest caller inside the package is in
another module (or package); generators count once for each time they are resumed.
"""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from types import FrameType
from typing import Any

import draw_dataset

PACKAGE = Path(draw_dataset.__file__).parent
SHORT = 60
"""A module with fewer lines counts as short."""

RECORD = {
    "question": "Natalia sold 48 clips in April . She sold half as many in May . How many clips did she sell in all ?",
    "answer": "In May she sold 48/2 = <<48/2=24>>24 clips.\nIn all she sold 48+24 = <<48+24=72>>72 clips.\n#### 72",
}


def measure_files() -> dict[str, Any]:
    """Return the sizes of the modules, and how many modules have a single importer."""
    lines = {_module(path): len(path.read_text(encoding="utf-8").splitlines()) for path in PACKAGE.rglob("*.py")}
    importers: Counter[str] = Counter()
    for path in PACKAGE.rglob("*.py"):
        importers.update(set(_imports(path, set(lines))) - {_module(path)})
    alone = [name for name in lines if importers[name] == 1]
    largest = max(lines, key=lambda name: (lines[name], name))
    return {
        "files": len(lines),
        "lines": sum(lines.values()),
        "median lines of a file": median(lines.values()),
        "modules with exactly one importer": len(alone),
        "lines in modules with exactly one importer": sum(lines[name] for name in alone),
        f"modules under {SHORT} lines": sum(count < SHORT for count in lines.values()),
        "largest module": f"{largest} ({lines[largest]} lines)",
    }


def _module(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(path: Path, known: set[str]) -> Iterator[str]:
    """Yield the modules of the package that a module imports anywhere."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module in known:
            # A name of a package is either a module of its own or something that the package itself has.
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in known else node.module


class Walk:
    """Counts the calls inside the package while it is entered."""

    def __init__(self) -> None:
        self.calls = self.module_changes = self.package_changes = 0
        self.functions: set[tuple[str, int]] = set()
        self.modules: set[str] = set()
        self.crossings: Counter[tuple[str, ...]] = Counter()
        self._stack: list[tuple[str, str]] = []  # module and function of the open calls inside the package
        self._importing = 0

    def __enter__(self) -> Walk:
        sys.setprofile(self._see)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _see(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event not in ("call", "return") or not code.co_filename.startswith(f"{PACKAGE}/"):
            return
        if event == "return":
            if self._stack:
                _, name = self._stack.pop()
                self._importing -= name == "<module>"
            return
        module = code.co_filename[len(str(PACKAGE)) + 1 : -3]
        self._importing += code.co_name == "<module>"
        if not self._importing:
            self.calls += 1
            self.modules.add(module)
            self.functions.add((module, code.co_firstlineno))
            if self._stack and self._stack[-1][0] != module:
                self.module_changes += 1
                packages = _package(self._stack[-1][0]), _package(module)
                if packages[0] != packages[1]:
                    self.package_changes += 1
                    self.crossings[tuple(sorted(packages))] += 1
        self._stack.append((module, code.co_name))

    def as_data(self) -> dict[str, Any]:
        """Return the counts."""
        return {
            "modules": len(self.modules),
            "functions": len(self.functions),
            "calls": self.calls,
            "module changes": self.module_changes,
            "package changes": self.package_changes,
            "packages": dict(Counter(map(_package, self.modules)).most_common()),
            "crossings": {" - ".join(pair): count for pair, count in self.crossings.most_common(3)},
        }


def _package(module: str) -> str:
    return module.partition("/")[0]


def _grade_answer(rows: list[dict[str, Any]]) -> Callable[[], object]:
    row = rows[2]
    answer = {"answer": f"Let {' and '.join(row['equations'])}, so the answers are 9 and 12."}
    return lambda: draw_dataset.grade(answer, row)


def _grade_notation(rows: list[dict[str, Any]]) -> Callable[[], object]:
    return lambda: draw_dataset.grade(rows[2]["derivation"], rows[2])


def _load(rows: list[dict[str, Any]]) -> Callable[[], object]:
    del rows
    return _load_sample


def _make_variants(rows: list[dict[str, Any]]) -> Callable[[], object]:
    return lambda: draw_dataset.make_variants([rows[2]], 1, 0)


def _derive(rows: list[dict[str, Any]]) -> Callable[[], object]:
    del rows
    return lambda: draw_dataset.derive([RECORD], preset="gsm8k")


def _solve(rows: list[dict[str, Any]]) -> Callable[[], object]:
    from draw_dataset.solver.systems import train

    problems = [draw_dataset.Problem.from_row(row) for row in rows]
    model = train(problems[3:], k=10)
    return lambda: model.predict(problems[2])


WALKS: dict[str, Callable[[list[dict[str, Any]]], Callable[[], object]]] = {
    "grade a one-line answer": _grade_answer,
    "grade q-notation": _grade_notation,
    'load_dataset("draw_sample")': _load,
    "make_variants, 1 row": _make_variants,
    "derive, 1 GSM8K-like record": _derive,
    "solve 1 problem": _solve,
}


def _load_sample() -> Any:
    from datasets import disable_progress_bars, load_dataset

    disable_progress_bars()
    with tempfile.TemporaryDirectory() as cache:  # so that the rows are made, and not taken from a cache
        return load_dataset("draw_sample", cache_dir=cache)["test"].to_list()


def measure_walk(name: str) -> dict[str, Any]:
    """Return the counts of a walk; call it in a new process."""
    walked = WALKS[name](json.load(sys.stdin))
    with Walk() as walk:
        walked()
    return walk.as_data()


def measure_walks() -> dict[str, Any]:
    """Return the counts of all walks, each made in a process of its own."""
    rows = json.dumps(_load_sample())
    return {
        name: json.loads(
            subprocess.run(
                [sys.executable, __file__, "--walk", name], input=rows, stdout=subprocess.PIPE, text=True, check=True
            ).stdout
        )
        for name in WALKS
    }


def as_markdown(files: dict[str, Any], walks: dict[str, Any]) -> str:
    """Return both tables."""
    lines = ["| the package | |", "|---|---:|", *(f"| {name} | {value} |" for name, value in files.items()), ""]
    figures = ("modules", "functions", "calls", "module changes", "package changes")
    lines += [f"| walk | {' | '.join(figures)} | modules of each package | packages most often changed |"]
    lines += ["|---|" + "---:|" * len(figures) + "---|---|"]
    for name, found in walks.items():
        packages = ", ".join(f"{package} {count}" for package, count in found["packages"].items())
        crossings = ", ".join(f"{pair} {count}" for pair, count in found["crossings"].items())
        lines.append(f"| {name} | {' | '.join(str(found[f]) for f in figures)} | {packages} | {crossings} |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--walk", choices=list(WALKS), help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    if arguments.walk is not None:
        print(json.dumps(measure_walk(arguments.walk)))
        return 0
    files, walks = measure_files(), measure_walks()
    print(json.dumps({"files": files, "walks": walks}, indent=1) if arguments.json else as_markdown(files, walks))
    return 0


if __name__ == "__main__":
    sys.exit(main())
