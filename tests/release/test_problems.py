"""The release's records as problems and rows: nothing lost; and files that are not the release."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from draw_dataset.data.manifest import SPLITS, divide, read_ids
from draw_dataset.data.release import DATA_FILE, DATASETS, load_problems, raw_record, read_problem, read_records
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import RowError, SplitError

RECORD = {
    "sQuestion": "Ten boys share a bag of 40 nuts . How many does each get ?",
    "lEquations": ["10*x=40"],
    "lSolutions": [4],
    "Template": ["a * m = b"],
    "iIndex": 3,
    "Alignment": [
        {"coeff": "a", "SentenceId": 0, "Value": 10, "TokenId": 0},
        {"coeff": "b", "SentenceId": 0, "Value": 40.0, "TokenId": 6},
    ],
    "Equiv": [[[0, 0, 10], [1, 3, 10.0]]],
}


def test_a_record_survives_the_way_to_a_row_and_back() -> None:
    problem = read_problem(RECORD, ["some-code"])
    assert problem.findings == ("some-code",)
    assert raw_record(problem) == RECORD
    assert raw_record(Problem.from_row(problem.to_row())) == RECORD


def test_an_aligned_token_that_the_rules_miss_enters_the_numbers() -> None:
    question = "Next to a tree stand 6 sheep . How many legs are there ?"
    alignment = [{"coeff": "a", "SentenceId": 0, "Value": 4.0, "TokenId": 6}, RECORD["Alignment"][1] | {"TokenId": 5}]
    record = RECORD | {"sQuestion": question, "Alignment": alignment, "Equiv": []}
    numbers = read_problem(record).numbers
    assert [(n.index, n.text, n.value) for n in numbers] == [(1, "6", 6), (2, "sheep", 4)]
    assert question[numbers[1].start : numbers[1].end] == "sheep"


def test_an_alignment_outside_the_text_is_refused() -> None:
    with pytest.raises(RowError, match=r"\b9\b.*\b0\b"):
        read_problem(RECORD | {"Alignment": [{"coeff": "a", "SentenceId": 9, "Value": 1.0, "TokenId": 0}]})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "expected JSON"),
        ("{}", "dict"),
        ("[3]", r"record 0: .*sQuestion"),
        (json.dumps([RECORD, {k: v for k, v in RECORD.items() if k != "Equiv"}]), r"record 1: .*Equiv"),
        (json.dumps([RECORD | {"iIndex": "3"}]), r"record 0: .*iIndex.*'3'"),
    ],
)
def test_a_file_that_is_not_the_release_is_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "draw.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(RowError, match=message):
        read_records(path)


def test_split_files_are_read_with_any_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "ids.txt"
    path.write_bytes(b"3\r\n5\n\r\n8")
    assert read_ids(path) == [3, 5, 8]
    path.write_text("3\nx4\n", encoding="utf-8")
    with pytest.raises(SplitError, match=r"ids\.txt, line 2\b.*'x4'"):
        read_ids(path)


def test_items_are_divided_in_the_order_of_the_ids() -> None:
    items = [(3, "c"), (1, "a"), (3, "c again"), (2, "b")]
    assert divide("draw1k", items, {"train": [3], "test": [2, 1]}) == {"train": ["c", "c again"], "test": ["b", "a"]}
    assert divide("dolphin_l", items, {"fold0": [2]})["development"] == ["c", "c again", "a"]


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ({"train": [1, 9]}, "draw1k/train: Unknown id 9"),
        ({"train": [1], "test": [2, 1]}, r"draw1k/test: .*\b1\b.*train"),
        ({"train": [1]}, r"draw1k: .*1.*2"),
    ],
)
def test_splits_that_do_not_fit_are_refused(ids: dict[str, list[int]], message: str) -> None:
    with pytest.raises(SplitError, match=message):
        divide("draw1k", [(1, "a"), (2, "b")], ids)


SIZES = {
    "draw1k": {"train": 600, "validation": 200, "test": 200},
    "alg514": {"fold0": 102, "fold1": 102, "fold2": 102, "fold3": 102, "fold4": 106},
    "dolphin_l": {"fold0": 134, "fold1": 131, "fold2": 132, "fold3": 132, "fold4": 130, "development": 172},
}


@pytest.mark.release
@pytest.mark.parametrize("dataset", DATASETS)
def test_every_record_can_be_rebuilt_from_its_row(dataset: str, release_dir: Path) -> None:
    splits = load_problems(dataset, release_dir)
    assert {split: len(problems) for split, problems in splits.items()} == SIZES[dataset]
    assert {split.name: split.size for split in SPLITS[dataset]} == SIZES[dataset]
    assert [split.name for split in SPLITS[dataset]] == list(splits)
    records: dict[int, list[dict]] = {}
    for record in read_records(release_dir / DATA_FILE[dataset]):
        records.setdefault(record["iIndex"], []).append(record)
    rebuilt = 0
    for problems in splits.values():
        for problem in problems:
            row = problem.to_row()
            again = Problem.from_row(json.loads(json.dumps(row)))
            assert again == problem
            assert again.to_row() == row
            assert raw_record(again) in records[problem.id], problem.id
            rebuilt += 1
    assert rebuilt == sum(map(len, records.values()))


@pytest.mark.release
def test_gold_derivations_give_the_gold_solutions(release_dir: Path) -> None:
    """All but the two of Dolphin-L that are known to be wrong; gold is rounded, once to four digits."""
    wrong = set()
    for dataset in DATASETS:
        for problems in load_problems(dataset, release_dir).values():
            for problem in problems:
                solution = problem.derivation.solve()
                if sorted(map(float, solution.numbers)) != pytest.approx(sorted(problem.solutions), rel=1e-3):
                    wrong.add(problem.id)
    assert wrong == {2000334, 2000661}
