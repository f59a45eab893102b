"""The data of a signature: its digest and its name are those of the rows, whatever is done with them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from datasets import Dataset, concatenate_datasets, load_dataset
from update_origins import main as update_origins

import draw_dataset  # noqa: F401 - makes the bare names work
from draw_dataset import Problem, score, score_file
from draw_dataset.adapters.lm_eval import documents
from draw_dataset.data.catalog import DATASETS, load, load_dataset_splits
from draw_dataset.data.corrections import names
from draw_dataset.data.features import rows_dataset
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.problem import read_rows, write_rows
from draw_dataset.errors import ScoreError
from draw_dataset.scoring.evaluate_metric import MetricSettings, compute_at_once, compute_stored, encoded_pairs
from draw_dataset.scoring.gold import Origin, annotation_digest, name_data, origin_of
from draw_dataset.scoring.gold_rows import FiledReferences, ListedReferences
from draw_dataset.scoring.options import signature_parts
from draw_dataset.scoring.score import Tally, complete, merge_tallies, score_shard

PROBLEMS = [replace(problem, asked=("m",), alternatives=("m = q1",)) for problem in load_sample()["test"][:6]]
ROWS = [problem.to_row() for problem in PROBLEMS]
ANSWERS = [{"answer": "x = 5. The answer is 5.", "prompt_style": "plain/2"}] * len(ROWS)
GOLD = [row["derivation"] for row in ROWS]


def data_parts(signature: object) -> list[str | None]:
    parts = signature_parts(str(signature))
    return [parts["data"], parts.get("alternatives"), parts.get("asked"), parts.get("prompt")]


EXPECTED = data_parts(score(ANSWERS, ROWS, gold="any").signature)


def test_the_digests_are_those_of_the_rows_whatever_the_predictions_are() -> None:
    assert None not in EXPECTED
    abstaining = score([None, {"answer": None}, *ANSWERS[2:]], ROWS, gold="any")
    several = score([*ANSWERS, None, *ANSWERS[1:]], ROWS * 2, gold="any")
    backwards = score(ANSWERS, ROWS[::-1], gold="any")
    wrong = score([{"answer": "", "prompt_style": "plain/2"}, *ANSWERS[1:]], ROWS, gold="any")
    for found in (abstaining, several, backwards, wrong):
        assert data_parts(found.signature) == EXPECTED
    assert data_parts(score(GOLD, ROWS).signature)[0] == EXPECTED[0]
    assert data_parts(score(ANSWERS[1:], ROWS[1:], gold="any").signature) != EXPECTED


@pytest.mark.parametrize("changed", [{"asked": ["m + 1"]}, {"alternatives": ["m = q2"]}, {"solutions": [1.0]}])
def test_other_gold_has_another_signature(changed: dict[str, Any]) -> None:
    rows = [ROWS[0] | changed, *ROWS[1:]]
    assert data_parts(score(ANSWERS, rows, gold="any").signature) != EXPECTED


@pytest.mark.parametrize("filed", [True, False])
def test_a_file_of_predictions_has_the_digests_of_its_rows(filed: bool, tmp_path: Path) -> None:
    lines = [{"id": row["id"], **answer} for row, answer in zip(ROWS[:-1], ANSWERS, strict=False)]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    # Two rows that share an id are one row of the data.
    write_rows(tmp_path / "rows.jsonl", [*PROBLEMS, PROBLEMS[-1], PROBLEMS[0]])
    rows: Any = FiledReferences(tmp_path / "rows.jsonl") if filed else read_rows(tmp_path / "rows.jsonl")
    found = score_file(tmp_path / "answers.jsonl", rows, gold="any", missing="abstain")
    assert found.count == len(ROWS) + 2
    assert data_parts(found.signature) == EXPECTED


def test_parts_have_the_digests_and_prompts_of_all_rows() -> None:
    rows = ListedReferences(ROWS)
    options = replace(score(ANSWERS, ROWS).signature.options, match="auto", gold="any")
    given = [(rows.id_at(at % 5), {**ANSWERS[0], "sample": at}) for at in range(200)]
    shards = [score_shard(given[at::3], rows, options, shard=at) for at in range(3)]
    stored = [Tally.from_json(json.loads(json.dumps(shard.to_json()))) for shard in shards]
    found = complete(merge_tallies(stored), rows, "abstain")
    assert data_parts(found.signature) == EXPECTED


def test_parts_with_other_gold_of_a_problem_are_refused() -> None:
    other = [ROWS[0] | {"solutions": [1.0]}, *ROWS[1:]]
    parts = [score_shard([(ROWS[0]["id"], None)], rows) for rows in (ROWS, other)]
    with pytest.raises(ScoreError, match="the gold of a problem differs"):
        merge_tallies(parts)


def test_the_metric_has_the_digests_of_its_rows() -> None:
    for found in (
        compute_at_once([None, *ANSWERS[1:]], ROWS, MetricSettings(gold="any")),
        compute_stored(*encoded_pairs([None, *ANSWERS[1:]], ROWS, start=0), MetricSettings(gold="any")),
    ):
        assert data_parts(found["signature"]) == EXPECTED


def sample(tmp_path: Path) -> dict[str, Any]:
    """Return the test split of the sample after it was stored and turned into other things."""
    rows = load_dataset("draw_sample", split="test", cache_dir=str(tmp_path / "cache"))
    rows.to_parquet(tmp_path / "rows.parquet")
    rows.to_json(tmp_path / "rows.jsonl")
    frame = pd.read_parquet(tmp_path / "rows.parquet")
    lines = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    return {
        "dataset": rows,
        "list": list(rows),
        "selected": rows.select([3, 1]),
        "filtered": rows.filter(lambda row: row["id"] % 2 == 0),
        "shuffled": rows.shuffle(seed=1),
        "joined": concatenate_datasets([rows.select([0]), rows.select([1])]),
        "fewer columns": rows.remove_columns(["numbers", "derivation", "findings", "asked", "alternatives"]),
        "string ids": rows_dataset([*rows.select([0]), {**rows[1], "id": "mine"}]),
        "problems": [Problem.from_row(row) for row in rows],
        "streamed": rows.to_iterable_dataset(),
        "DataFrame": rows.to_pandas(),
        "Parquet": Dataset.from_parquet(str(tmp_path / "rows.parquet"), cache_dir=str(tmp_path / "cache")),
        "Parquet in pandas": frame,
        "JSON lines": lines,
    }


def test_rows_are_named_by_their_origin_whatever_is_done_with_them(tmp_path: Path) -> None:
    for what, rows in sample(tmp_path).items():
        count = len(rows) if hasattr(rows, "__len__") else 30
        found = score([None] * count, rows)
        assert found.signature.data == "sample/test", what
        if not isinstance(rows, list) or isinstance(rows[0], dict):
            assert "|data:sample/test@" in compute_at_once([None] * count, rows)["signature"], what


@pytest.mark.parametrize(
    ("rows", "name"),
    [
        (load_sample()["test"] + load_sample()["train"], "sample/train,sample/test"),
        ([problem for split in load_sample().values() for problem in split], "sample/all"),
        ([PROBLEMS[0], replace(PROBLEMS[1], template=("m = a",), alignment=PROBLEMS[1].alignment[:1])], "rows"),
    ],
)
def test_the_name_of_several_splits_and_of_changed_rows(rows: list[Problem], name: str) -> None:
    assert score([None] * len(rows), rows).signature.data == name


def test_a_name_that_was_given_stays() -> None:
    assert score([None], ROWS[:1], data="mine").signature.data == "mine"


PUBLISHED = Origin("draw1k", "test", ("v2", "v1"))
CORRECTED = PUBLISHED._replace(corrected=True)
LATER = Origin("draw1k", "test", ("v2",), corrected=True)


@pytest.mark.parametrize(
    ("given", "origins", "name"),
    [
        ("rows", {PUBLISHED}, "draw1k/test"),
        ("rows", {CORRECTED}, "draw1k/test+corrected-v2"),
        ("rows", {CORRECTED, LATER._replace(corrected=False)}, "draw1k/test+corrected-v1"),
        ("rows", {PUBLISHED, LATER}, "draw1k/test+corrected-mixed"),
        ("rows", {CORRECTED, None}, "rows+corrected-v2"),
        ("mine", {CORRECTED}, "mine+corrected-v2"),
        ("draw1k/test+corrected-v2[:5]", {CORRECTED}, "draw1k/test+corrected-v2[:5]"),
        ("draw1k/test+corrected-v1", {CORRECTED}, "draw1k/test+corrected-v1"),
        ("draw1k/test+corrected-v1", {LATER}, "draw1k/test+corrected-v1+corrected-v2"),
    ],
)
def test_the_name_says_which_corrections_were_applied(given: str, origins: set[Origin | None], name: str) -> None:
    assert name_data(given, origins) == name


def test_every_row_of_the_sample_has_its_origin() -> None:
    for split, problems in load_sample().items():
        assert {origin_of(problem) for problem in problems} == {Origin("sample", split)}


def test_documents_of_a_harness_say_what_they_are() -> None:
    label = str(score([None] * 30, load_sample()["test"]).signature).split("|")[1].removeprefix("data:")
    assert set(documents("sample/test")["test"]["data"]) == {label}


@pytest.mark.release
def test_the_table_of_origins_is_current(release_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert update_origins(["--check", "--data-dir", str(release_dir)]) == 0, capsys.readouterr().out


@pytest.mark.release
@pytest.mark.parametrize("dataset", [name for name in DATASETS if name != "sample"])
def test_published_and_corrected_gold_never_look_alike(dataset: str, release_dir: Path) -> None:
    published = load(dataset, release_dir)
    assert score([None] * len(published), published).signature.data == f"{dataset}/all"
    for selection in names():
        corrected = load(dataset, release_dir, selection, refused=True)
        found = score([None] * len(corrected), corrected, data="mine").signature.data
        same = "v1" if selection == "v1-derivations" else selection  # version 1 has no others
        latest = "v2" if dataset == "alg514" and selection == "v2-derivations" else same  # nor has Alg-514
        assert found == f"mine+corrected-{latest}"
        pairs = zip(published, corrected, strict=True)
        changed = [new for old, new in pairs if annotation_digest(new) != annotation_digest(old)]
        assert {origin.corrected for problem in changed if (origin := origin_of(problem)) is not None} == {True}


@pytest.mark.release
def test_no_two_rows_of_the_release_share_a_digest_but_two_of_one_split(release_dir: Path) -> None:
    found: dict[str, set[tuple[str, str]]] = {}
    for dataset in DATASETS:
        for corrected in (False, "v2", "v3"):
            for split, problems in load_dataset_splits(dataset, release_dir, corrected).items():
                for problem in problems:
                    found.setdefault(annotation_digest(problem), set()).add((dataset, split))
    assert {len(places) for places in found.values()} == {1}


@pytest.mark.release
@pytest.mark.parametrize("kept", [lambda rows: rows, list, lambda rows: rows.to_pandas()])
def test_corrected_rows_of_a_dataset_say_so(kept: Callable[[Dataset], Any], release_dir: Path, tmp_path: Path) -> None:
    options = {"data_dir": str(release_dir), "cache_dir": str(tmp_path)}
    for corrected, name in ((False, "draw1k/test"), (True, "draw1k/test+corrected-v3")):
        rows = load_dataset("draw1k", split="test", corrected=corrected, **options)
        assert score([None] * 200, kept(rows)).signature.data == name
        assert f"|data:{name}@" in compute_at_once([None] * 200, kept(rows))["signature"]
