"""lighteval by its own command line, with a model of our own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from harnesses.agreement import SHARES, check, draw_score, harness, run

harness("lighteval")
pytest.importorskip(
    "draw_dataset.adapters.lighteval", reason="this release of lighteval cannot be imported", exc_type=Exception
)

HERE = Path(__file__).parent
STYLES = ("marked", "plain")


@pytest.mark.parametrize("model", SHARES)
def test_the_command_line_gives_the_figures_of_draw_score(model: str, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    out = tmp_path / "out"
    run(
        "python", str(HERE / "lighteval_offline.py"), "custom", model, str(HERE / "lighteval_model.py"),
        ",".join(f"draw_sample_{style}|0" for style in STYLES),
        "--custom-tasks", "draw_dataset.adapters.lighteval", "--output-dir", str(out), "--save-details",
        HF_HOME=str(tmp_path / "home"),
    )  # fmt: skip
    (path,) = out.rglob("results_*.json")
    results = json.loads(path.read_text("utf-8"))["results"]
    for style in STYLES:
        (details,) = out.rglob(f"details_draw_sample_{style}*.parquet")
        rows = pq.read_table(details).to_pylist()
        assert len(rows) == 30
        responses = [
            (json.loads(row["doc"]["specific"]["row"])["id"], row["model_response"]["text"][0]) for row in rows
        ]
        folder = tmp_path / style
        folder.mkdir()
        check(results[f"draw_sample_{style}|0"], draw_score(folder, responses, style), model)
