"""The verdicts of a score as rows and as a DataFrame, and its short forms."""

from __future__ import annotations

import pytest

from draw_dataset import compare_scores, grade_many, score
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.derivation import Derivation
from draw_dataset.errors import ScoreError
from draw_dataset.scoring.score import merge_tallies, score_shard


def test_a_score_has_its_verdicts_as_rows() -> None:
    pandas = pytest.importorskip("pandas")
    rows = [problem.to_row() for problem in load_sample()["test"]][:4]
    given = [rows[0]["derivation"], rows[1]["derivation"], None, {"answer": "It is 3."}]
    result = score(given, rows)
    assert [(row["id"], row["status"], row["reason"]) for row in result.verdicts] == [
        (rows[0]["id"], "right", "right"),
        (rows[1]["id"], "right", "right"),
        (rows[2]["id"], "undecided", "abstained"),
        (rows[3]["id"], "undecided", "no-derivation"),
    ]
    frame = score(given, rows, keep_verdicts=True).to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    columns = ["id", "derivation", "equation", "solution", "status", "reason", "message", "certain"]
    assert list(frame.columns) == columns
    assert list(frame["message"]) == [verdict.message for verdict in grade_many(given, rows)]


def test_predictions_graded_in_parts_have_no_rows() -> None:
    problem = load_sample()["test"][0]
    part = score_shard([(problem.id, problem.derivation.q_notation())], [problem])
    with pytest.raises(ScoreError, match="graded in parts"):
        _ = merge_tallies([part]).result().verdicts


def test_objects_have_a_short_line_and_an_escaped_table() -> None:
    rows = [problem.to_row() for problem in load_sample()["test"]]
    texts = ["<script>x = 5 + 3, so x = <b>9</b></script>" + " y = 4 + 4" * 50] * len(rows)
    given = [{"answer": text} for text in texts]
    result = score(given, rows)
    verdict = grade_many(given[:1], rows[:1])[0]
    long = Derivation.read("; ".join(f"x{at} = q{at}" for at in range(1, 30)))
    for one in (result, compare_scores({"<i>": result}, samples=20), verdict, verdict.reading, long):
        assert len(repr(one)) <= 180
        assert "\n" not in repr(one)
        drawn = one._repr_html_()
        assert drawn.startswith("<div")
        assert not any(tag in drawn for tag in ("<script", "<b>", "<i>", "http"))
    assert repr(long).startswith("Derivation.read('x1 = q1; ")
