from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import draw_dataset.text

MODULES = sorted(Path(draw_dataset.text.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.stem)
def test_the_package_needs_nothing_but_the_errors_and_the_standard_library(module: Path) -> None:
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        for name in names:
            is_standard = name.partition(".")[0] in sys.stdlib_module_names
            assert is_standard or name.startswith(("draw_dataset.text", "draw_dataset.errors")), name
