"""The load test of the page runs and says what it found; how fast it is depends on the machine and is not asked."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.slow

pytest.importorskip("gradio", reason="needs gradio: pip install 'draw-dataset[annotate]'")


def test_two_people_work_without_errors(capsys: pytest.CaptureFixture[str]) -> None:
    import load_annotation

    assert (
        load_annotation.main(["--people", "2", "--seconds", "2", "--every", "0.4", "--problems", "20", "--json"]) == 0
    )
    said = json.loads(capsys.readouterr().out)
    assert said["errors"] == 0
    assert said["acts"] >= 2  # each of them opened the page
    assert 0 < said["median"] <= said["p95"] <= said["longest"]
