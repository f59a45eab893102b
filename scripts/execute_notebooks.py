"""Executes the notebooks of the documentation, and stores what they print.

    python scripts/execute_notebooks.py               all of them
    python scripts/execute_notebooks.py docs/notebooks/from-data-to-report.ipynb

The second notebook needs the release and answers of language models (DRAW_RELEASE_DIR, DRAW_ANSWERS_DIR); its outputs
are counts and plots, never a sentence of the data. Each notebook runs in an empty folder.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from draw_dataset.io.atomic import write_atomically

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = tuple(sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")))


def execute(path: Path, folder: Path) -> Any:
    """Return a notebook as it is after all its cells were run in a folder."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        coalesce_streams=True,  # else a slow machine may store one text in pieces
        resources={"metadata": {"path": str(folder)}},
    ).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it ran, which would differ each time
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    return notebook


def texts_of(notebook: Any) -> list[str]:
    """Return what the cells printed or returned, as plain strings."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return [output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs]


def main(argv: Sequence[str] | None = None) -> int:
    """Execute the notebooks and write them back."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", nargs="*", type=Path, default=NOTEBOOKS)
    for path in parser.parse_args(argv).notebooks:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["HF_HOME"] = str(Path(folder, "huggingface"))
            write_atomically(path, nbformat.writes(execute(path, Path(folder))) + "\n")
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
