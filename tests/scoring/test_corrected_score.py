"""Scores on published rows of the release carry the score on the latest edition of the corrections."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from report.pages import listed

from draw_dataset.data.catalog import load
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.problem import Problem, read_rows
from draw_dataset.prompting import answer_for
from draw_dataset.report.page import page_html
from draw_dataset.scoring.evaluate_metric import compute_at_once
from draw_dataset.scoring.files import Judged, score_file
from draw_dataset.scoring.gold_rows import ListedReferences
from draw_dataset.scoring.score import Score, Tally, complete, merge_tallies, score, score_shard
from draw_dataset.scoring.table import compare_scores

pytestmark = pytest.mark.release


def published_and_corrected(dataset: str, release_dir: Path) -> tuple[list[Problem], list[Problem]]:
    by_id = {problem.id: problem for problem in load(dataset, release_dir)}
    return list(by_id.values()), list({p.id: p for p in load(dataset, release_dir, True)}.values())


def figures(found: Score | None) -> dict[str, Any]:
    assert found is not None
    return {name: value for name, value in found.to_dict().items() if name != "corrected"}


@pytest.mark.parametrize("dataset", ["draw1k/test", "alg514", "dolphin_l/development"])
def test_it_is_the_score_on_the_corrected_rows(dataset: str, release_dir: Path) -> None:
    published, corrected = published_and_corrected(dataset, release_dir)
    kept = {problem.id for problem in corrected}
    for given in (lambda p: p.derivation.q_notation(), lambda p: {"answer": answer_for(p, "plain")}, lambda _: None):
        predictions = {problem.id: given(problem) for problem in published}
        found = score(list(predictions.values()), published)
        alone = score([predictions[problem.id] for problem in corrected], corrected)
        assert figures(found.corrected) == figures(alone)
        assert found.count - len(corrected) == len(predictions.keys() - kept)


def test_parts_and_files_in_any_order_have_it_too(release_dir: Path, tmp_path: Path) -> None:
    published, _ = published_and_corrected("draw1k/test", release_dir)
    predictions = [(p.id, p.derivation.q_notation() if at % 3 else None) for at, p in enumerate(published)]
    whole = score([prediction for _, prediction in predictions], published)
    random.Random(0).shuffle(predictions)
    path = tmp_path / "predictions.jsonl"
    path.write_text("".join(json.dumps({"id": id_, "prediction": given}) + "\n" for id_, given in predictions))
    filed = score_file(path, published, data="draw1k/test")
    assert figures(filed.corrected) == figures(whole.corrected)
    assert filed.corrected is not None
    assert whole.corrected is not None
    assert filed.corrected.items == whole.corrected.items
    rows = ListedReferences(published)
    shards = [score_shard(predictions[at::3], rows, whole.signature.options, shard=at) for at in range(3)]
    stored = [Tally.from_json(json.loads(json.dumps(shard.to_json()))) for shard in shards]
    merged = complete(merge_tallies(stored), rows, "error")
    assert {**figures(merged.corrected), "signature": "", "match": ""} == {
        **figures(whole.corrected), "signature": "", "match": "",
    }  # fmt: skip


def test_the_table_and_the_metric_show_both(release_dir: Path) -> None:
    published, corrected = published_and_corrected("draw1k/test", release_dir)
    gold = [problem.derivation.q_notation() for problem in published]
    text = compare_scores({"gold": score(gold, published)}, samples=50).to_text()
    assert "on corrected gold, edition 3" in text
    assert "published gold to compare with the paper, corrected gold (edition 3)" in " ".join(text.split())
    assert "Signature on corrected gold: deriv|data:draw1k/test+corrected-v3@" in text
    found = compute_at_once(gold, [problem.to_row() for problem in published])
    assert found["derivation_accuracy"] == 1.0 > found["corrected"]["derivation_accuracy"]
    assert found["corrected"]["n"] == len(corrected)


def test_only_published_rows_have_it(release_dir: Path) -> None:
    published, corrected = published_and_corrected("draw1k/test", release_dir)
    sample = load_sample()["test"]
    for rows in (corrected, sample, [*published, *sample], [*sample, *published]):
        assert score([None] * len(rows), rows).corrected is None
    parts = [score_shard([(rows[0].id, None)], rows) for rows in ([published[0]], [sample[0]])]
    assert merge_tallies(parts).result().corrected is None


def test_rows_that_were_written_as_json_are_the_same_rows(release_dir: Path, tmp_path: Path) -> None:
    from draw_dataset.data.features import rows_dataset

    for dataset in ("draw1k/test", "alg514", "dolphin_l"):
        published, _ = published_and_corrected(dataset, release_dir)
        path = tmp_path / "rows.jsonl"
        rows_dataset([problem.to_row() for problem in published]).to_json(path)  # pandas writes ten decimals
        stored = read_rows(path)
        answers = [{"answer": answer_for(problem, "plain")} for problem in published]
        found, again = score(answers, published), score(answers, stored)
        assert again.signature.data == found.signature.data
        # In a row of Alg-514 a value is a sixth with the noise of 24 bits, of which JSON keeps ten digits.
        same = [
            [n.value for n in p.numbers] == [n.value for n in q.numbers] for p, q in zip(published, stored, strict=True)
        ]
        assert same.count(False) <= 1
        pairs = zip(same, found.verdicts, again.verdicts, strict=True)
        assert all(one["reason"] == other["reason"] for is_same, one, other in pairs if is_same)
        assert figures(again.corrected)["n"] == figures(found.corrected)["n"]


def test_rows_that_only_corrected_gold_calls_right_are_counted_and_marked(release_dir: Path, tmp_path: Path) -> None:
    published, corrected = published_and_corrected("draw1k/test", release_dir)
    given = {problem.id: problem.derivation.q_notation() for problem in corrected}
    lines = [
        {"id": problem.id, "sample": sample, "prediction": given.get(problem.id)}
        for sample in range(2)
        for problem in published
    ]
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    judged: list[Judged] = []
    found = score_file(path, published, data="draw1k/test", judged=judged.append)
    mended = [one for one in judged if one.corrected is not None]
    assert 0 < len(mended) < len(judged)
    only = [one for one in mended if one.corrected is not None and one.corrected.derivation > one.verdict.derivation]
    assert found.corrected is not None
    table = compare_scores({"mine": found}, samples=100)
    text = table.to_text()
    block = text[text.index("on corrected gold") :].splitlines()[:8]
    assert block[4].split() == ["problems", str(found.corrected.problems)]
    assert block[5].split() == ["predictions", str(found.corrected.count)]
    assert found.corrected.count == 2 * found.corrected.problems
    assert block[6].split()[-1] == str(found.corrected.lucky)
    page = page_html(table, {"mine": judged})
    assert f"{found.corrected.lucky} on corrected gold" in page
    assert sum(one.is_mended for one in listed(page)) == len(only) > 0


def test_a_row_that_the_release_repeats_is_explained(release_dir: Path) -> None:
    rows = list(load("draw1k", release_dir))
    found = score([None] * len(rows), rows)
    ids = {row.id for row in rows}
    assert found.repeated == found.problems - len(ids)
    note = "repeats the id of another"
    assert (note in " ".join(compare_scores({"none": found}, samples=100).to_text().split())) == (found.repeated == 1)
