"""Frozen gold of GSM8K and SVAMP: annotations without text, joined with the texts that they were read from."""

from __future__ import annotations

import json
import re
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from datasets import Dataset, load_dataset
from freeze_derivations import is_plain, may_leave_half

from draw_dataset import derive, grade, score
from draw_dataset.adapters.lm_eval import documents
from draw_dataset.adapters.trl import to_trl
from draw_dataset.data.catalog import JOINED, load, load_splits
from draw_dataset.deriving import frozen
from draw_dataset.deriving.frozen import digest, frozen_row, join, load_frozen_rows, read_frozen
from draw_dataset.errors import ChangedTextWarning, ChoiceError, RefusedWarning, SourceTextMissing

DUCKS = "Mia has 9 ducks. She gives 4 to Tom and buys twice as many as are left. How many does she buy?"
KITES = "Sam flies 6 kites a day for 3 days. How many kites does he fly?"
DUCK = {
    "id": "test-0", "split": "test", "sha256": digest(DUCKS), "status": "decided", "derivation": "m = (q1 - q2)*q3",
    "alternatives": [], "steps": ["left = q1 - q2", "m = left*q3"], "constants": [], "same": [], "by": "two readings",
}  # fmt: skip
KITE = DUCK | {"id": "test-1", "sha256": digest(KITES), "derivation": "m = q1*q2", "steps": ["m = q1*q2"]}
LOST = {name: DUCK[name] for name in ("split", "sha256", "by")} | {"id": "test-2", "status": "refused", "reason": "odd"}
RECORDS = [
    {"question": DUCKS, "answer": "9-4=<<9-4=5>>5\n5*2=<<5*2=10>>10\n#### 10"},
    {"question": KITES, "answer": "6*3=<<6*3=18>>18\n#### 18"},
]


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the annotations be those of two problems of our own."""
    monkeypatch.setattr(frozen, "read_frozen", lambda dataset: {"train": (), "test": (DUCK, KITE)})


@pytest.mark.usefixtures("two")
def test_texts_are_joined_by_their_hash_in_any_order() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows = join("gsm8k_derivations", "test", RECORDS[::-1])
    assert [row["id"] for row in rows] == ["test-0", "test-1"]
    first = rows[0]
    assert (first["question"], first["derivation"], first["solutions"]) == (DUCKS, "m = (q1 - q2)*q3", [10.0])
    assert (first["status"], first["steps"], first["edition"], first["asked"]) == (
        "decided", ["left = q1 - q2", "m = left*q3"], frozen.EDITION, ["m"],
    )  # fmt: skip
    assert grade({"answer": "9 - 4 = 5 and 5 * 2 = 10. #### 10"}, first).derivation
    assert str(grade({"answer": "4 * 2 = 8 and 8 + 2 = 10. #### 10"}, first).status) == "wrong"


@pytest.mark.usefixtures("two")
def test_a_question_that_changed_is_said_and_derived_afresh() -> None:
    other = RECORDS[1] | {"question": KITES.replace("6 kites", "7 kites"), "answer": "7*3=<<7*3=21>>21\n#### 21"}
    with pytest.warns(ChangedTextWarning, match=r"gsm8k_derivations/test: 1 questions .* \(test-1\)"):
        rows = join("gsm8k_derivations", "test", [RECORDS[0], other])
    assert (rows[1]["id"], rows[1]["solutions"], rows[1]["edition"]) == ("test-1", [21.0], 0)


@pytest.mark.usefixtures("two")
def test_a_missing_text_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SourceTextMissing, match="1 of its 2 texts are not there, the first is test-1"):
        join("gsm8k_derivations", "test", RECORDS[:1])
    with pytest.raises(SourceTextMissing, match=r"has none of gsm8k_test_full\.jsonl.*data_dir"):
        load_frozen_rows("gsm8k_derivations", tmp_path, ["test"])
    with pytest.raises(ChoiceError, match="Corrections are for the release"):
        load_splits("gsm8k_derivations/test", tmp_path, corrected=True)


@pytest.mark.usefixtures("two")
def test_texts_may_come_from_a_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Dataset.from_list(RECORDS).to_json(tmp_path / "hub" / "test.jsonl")
    source = frozen.SOURCES["gsm8k_derivations"]
    there = frozen.Source(source.preset, str(tmp_path / "hub"), None, source.names)
    monkeypatch.setitem(frozen.SOURCES, "gsm8k_derivations", there)  # type: ignore[arg-type]
    assert [row["id"] for row in load_frozen_rows("gsm8k_derivations", None, ["test"])["test"]] == ["test-0", "test-1"]
    nowhere = frozen.Source(source.preset, str(tmp_path / "nowhere"), None, source.names)
    monkeypatch.setitem(frozen.SOURCES, "gsm8k_derivations", nowhere)  # type: ignore[arg-type]
    with pytest.raises(SourceTextMissing, match="the Hub does not give"):
        load_frozen_rows("gsm8k_derivations", None, ["test"])


def test_what_is_refused_stays_a_row_without_gold() -> None:
    row = frozen_row(LOST, DUCKS)
    assert (row["status"], row["derivation"], row["steps"]) == ("refused", "", [])


def test_numbers_that_mean_the_same_are_one() -> None:
    question = "Lou has 8 jars. Each of the 8 jars holds 5 figs. How many figs has she?"
    row = frozen_row(DUCK | {"derivation": "m = q1*q3", "steps": ["m = q1*q3"], "same": [[1, 2]]}, question)
    assert grade("m = q2*q3", row).derivation


@pytest.mark.parametrize(
    ("question", "half", "may"),
    [
        ("Ann ate half of the 8 figs. How many figs are there now?", "half", True),
        ("Half of them are red.", "Half", True),
        ("Bo sold half his 30 hens.", "half", True),
        ("Cy gave Di half of what he had.", "half", True),
        ("Ann spends half that amount, and then 3 dollars.", "half", True),
        ("Ann has half the number of figs. How many are left?", "half", True),
        ("Ann read 0.5 of a book.", "0.5", True),
        ("Bo has half as many hens as Cy.", "half", False),
        ("Bo has one-half times as many.", "one-half", False),
        ("Di walks half an hour.", "half", False),
        ("Di buys 1/2 cup of rice.", "1/2", False),
        ("A half-hour walk.", "half", False),
        ("A fig costs $0.50 each.", "0.50", False),
        ("Ed is half the age of Flo.", "half", False),
        ("Ed is half Flo's age.", "half", False),
        ("Ed has 9 hens, and Flo has half that many.", "half", False),
        ("Tickets for kids are half price.", "half", False),
    ],
)
def test_a_half_may_leave_another_half_only_if_it_is_taken(question: str, half: str, may: bool) -> None:
    start = question.index(half)
    assert may_leave_half(question, start, start + len(half)) is may


def test_rows_whose_halves_or_factors_may_be_meant_in_another_way_are_read() -> None:
    def is_left_unread(question: str, answer: str) -> bool:
        (row,) = derive([{"question": question, "answer": answer}], preset="gsm8k")
        return is_plain(row)

    assert not is_left_unread("Ann ate half of the 8 figs. How many are left?", "8/2=<<8/2=4>>4\n#### 4")
    assert is_left_unread("Bo has half as many figs as Cy, who has 8. How many?", "8/2=<<8/2=4>>4\n#### 4")
    again = "6*2=<<6*2=12>>12\n12*2=<<12*2=24>>24\n#### 24"
    assert not is_left_unread(
        "Di eats 6 figs. Ed eats twice as many for another day, too. How many does Ed eat?", again
    )


@pytest.mark.parametrize("dataset", JOINED)
def test_annotations_have_no_text_and_fit_their_splits(dataset: str) -> None:
    lines = read_frozen(dataset)
    assert {split: len(own) for split, own in lines.items()} == JOINED[dataset]
    fields = {
        "id",
        "split",
        "sha256",
        "status",
        "derivation",
        "alternatives",
        "steps",
        "constants",
        "same",
        "by",
        "reason",
    }
    for line in (line for own in lines.values() for line in own):
        assert set(line) <= fields
        assert re.fullmatch("[0-9a-f]{64}", line["sha256"])
        for step in line.get("steps", ()):
            assert re.fullmatch(r"[a-z][a-z0-9_]* = [a-z0-9_+*/().^ -]+", step), step


def final(record: dict[str, Any]) -> Fraction:
    """Return the published answer of a record."""
    if "Answer" in record:
        return Fraction(str(record["Answer"]))
    return Fraction(re.sub(r"[,$%]", "", record["answer"].rpartition("####")[2].strip()))


@pytest.mark.parametrize(
    ("dataset", "split", "name"),
    [
        ("gsm8k_derivations", "test", "gsm8k_test_full.jsonl"),
        ("gsm8k_derivations", "train", "gsm8k_train.jsonl"),
        ("svamp_derivations", "test", "svamp_full.json"),
    ],
)
def test_every_derivation_comes_to_the_published_answer(dataset: str, split: str, name: str, sources_dir: Path) -> None:
    text = (sources_dir / name).read_text(encoding="utf-8")
    records = [json.loads(line) for line in text.strip().split("\n")] if name.endswith("l") else json.loads(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ChangedTextWarning)
        rows = load_frozen_rows(dataset, sources_dir, [split])[split]
    assert len(rows) == len(records) == JOINED[dataset][split]
    wrong = [
        row["id"]
        for row, record in zip(rows, records, strict=True)
        if row["status"] != "refused"
        and abs(row["solutions"][0] - float(final(record))) > 1e-6 * abs(row["solutions"][0])
    ]
    assert wrong == []
    assert sum(row["status"] == "refused" for row in rows) <= 0.03 * len(rows)


def test_the_names_load_as_any_dataset(sources_dir: Path, tmp_path: Path) -> None:
    rows = load_dataset("svamp_derivations", data_dir=str(sources_dir), split="test", cache_dir=str(tmp_path))
    assert len(rows) == 1000
    assert {"question", "derivation", "status", "steps", "edition"} <= set(rows.column_names)
    with pytest.warns(RefusedWarning):
        problems = load("svamp_derivations/test", sources_dir)
    assert len(problems) == sum(status != "refused" for status in rows["status"])
    some = [row for row in rows.select(range(40)) if row["status"] != "refused"]
    gold = [{"answer": f"So {row['equations'][0]}. The answer is {row['solutions'][0]:g}."} for row in some]
    assert score(gold, some).derivation_accuracy >= 0.95


def test_harnesses_and_trainers_take_the_names(sources_dir: Path) -> None:
    found = documents("svamp_derivations/test", "plain", str(sources_dir))
    assert len(found["test"]) == 975
    rows = to_trl("svamp_derivations/test", data_dir=sources_dir)
    assert len(rows) == 975
