"""The notebooks run, print what they have stored, and show no sentence of data that is not ours."""

from __future__ import annotations

import json
import re
from pathlib import Path

import nbformat
import pytest
from execute_notebooks import NOTEBOOKS, execute, texts_of

OURS, REAL = (next(path for path in NOTEBOOKS if path.stem == stem) for stem in ("from-data-to-report", "real-answers"))


def printed(notebook: nbformat.NotebookNode) -> list[str]:
    """Return what was printed, without signatures: these carry the version."""
    return [re.sub(r"Signature: .*", "", text) for text in texts_of(notebook)]


def test_from_load_dataset_to_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "huggingface"))
    stored = printed(nbformat.read(OURS, as_version=4))
    assert printed(execute(OURS, tmp_path)) == stored, (
        "run python scripts/execute_notebooks.py, and look at what changed"
    )
    assert (tmp_path / "report.html").is_file()


@pytest.mark.release
@pytest.mark.answers
def test_an_analysis_of_real_answers(
    tmp_path: Path, release_dir: Path, answers_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DRAW_RELEASE_DIR", str(release_dir))
    monkeypatch.setenv("DRAW_ANSWERS_DIR", str(answers_dir))
    stored, made = texts_of(nbformat.read(REAL, as_version=4)), texts_of(execute(REAL, tmp_path))
    # The figures move with the reader of answers; what is shown stays.
    assert len(made) == len(stored)
    assert made[0] == "500"
    assert "slip" in "".join(made)
    whole = REAL.read_text(encoding="utf-8") + json.dumps(made)
    for line in (answers_dir / "chatgpt_draw1k.jsonl").open(encoding="utf-8"):
        words = json.loads(line)["answer"].split()
        for at in range(0, len(words) - 6, 6):
            assert " ".join(words[at : at + 6]) not in whole
