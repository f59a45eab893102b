"""Files of predictions: any order, the errors with file, line and id, and rows in memory or on disk."""

from __future__ import annotations

import gc
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from draw_dataset import score, score_file
from draw_dataset.data.sample import load_sample, load_sample_predictions
from draw_dataset.errors import ChoiceError, DrawError, RowError, ScoreError
from draw_dataset.scoring.files import Judged
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.gold_rows import FiledReferences, ListedReferences
from draw_dataset.scoring.options import Options
from draw_dataset.scoring.verdict import Reason, Verdict

ROWS = [problem.to_row() for problem in load_sample()["test"]]
MIXED = load_sample_predictions("mixed")
IDS = [row["id"] for row in ROWS]


def write(path: Path, lines: list[Any]) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def mixed_lines() -> list[Any]:
    return [{"id": id_, "prediction": MIXED[id_]} for id_ in IDS]


@pytest.mark.parametrize("equation", ["random", "expected"])
def test_the_order_of_lines_does_not_matter(tmp_path: Path, equation: Any) -> None:
    options = Options(equation=equation)
    lines = mixed_lines()
    random.Random(1).shuffle(lines)
    found = score_file(write(tmp_path / "p.jsonl", lines), ROWS, options)
    direct = score([MIXED[id_] for id_ in IDS], ROWS, options)
    assert found.to_dict() == direct.to_dict()
    assert found.items == direct.items
    assert found.slices() == direct.slices()
    assert [r.problem.id for r in found.references] == IDS


def test_fields_may_stand_beside_the_id(tmp_path: Path) -> None:
    lines = [
        {"id": id_, **p} if isinstance(p, dict) and "template" in p else {"id": id_, "prediction": p}
        for id_, p in MIXED.items()
    ]
    assert any("template" in line for line in lines)
    assert (
        score_file(write(tmp_path / "p.jsonl", lines), ROWS).to_dict()
        == score([MIXED[id_] for id_ in IDS], ROWS).to_dict()
    )


def test_rows_may_stay_in_their_file(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", mixed_lines())
    shuffled = random.Random(2).sample(ROWS, len(ROWS))
    rows = write(tmp_path / "rows.jsonl", ["", *shuffled, "  "])
    with FiledReferences(rows) as golds:
        filed = score_file(path, golds)
    listed = score_file(path, shuffled)
    assert filed.to_dict() == listed.to_dict()
    assert filed.items == listed.items
    assert filed.slices() == listed.slices()
    assert filed.references == ()


def test_one_prediction_serves_rows_that_are_the_same(tmp_path: Path) -> None:
    rows = [*ROWS[:3], ROWS[1]]
    lines = [{"id": row["id"], "prediction": row["derivation"]} for row in ROWS[:3]]
    path = write(tmp_path / "p.jsonl", lines)
    assert score_file(path, rows).count == 4
    with FiledReferences(write(tmp_path / "rows.jsonl", rows)) as golds:
        found = score_file(path, golds)
    assert (found.count, found.derivation_accuracy) == (4, 1)


def test_different_rows_may_not_share_an_id(tmp_path: Path) -> None:
    rows = [ROWS[0], ROWS[1] | {"id": ROWS[0]["id"]}]
    with pytest.raises(RowError, match="expected different ids, but got 91 twice"):
        ListedReferences(rows)
    with pytest.raises(RowError, match=r"rows.jsonl: expected different ids, but got 91 twice"):
        FiledReferences(write(tmp_path / "rows.jsonl", rows))


def test_missing_ids_may_abstain(tmp_path: Path) -> None:
    found = score_file(write(tmp_path / "p.jsonl", mixed_lines()[3:]), ROWS, missing="abstain")
    whole = score([None, None, None, *(MIXED[id_] for id_ in IDS[3:])], ROWS)
    assert "|abstain:wrong|missing:abstain|" in str(found.signature)
    assert replace(found.signature, missing="error") == whole.signature
    assert found.to_dict() | {"signature": ""} == whole.to_dict() | {"signature": ""}
    assert score_file(write(tmp_path / "none.jsonl", []), ROWS, missing="abstain").counts == {"abstained": 30}


@pytest.mark.parametrize("filed", [False, True])
def test_missing_ids_may_be_skipped(tmp_path: Path, filed: bool) -> None:
    some = [20, 3, 17, 28]
    rows = FiledReferences(write(tmp_path / "rows.jsonl", ROWS)) if filed else ROWS
    found = score_file(write(tmp_path / "p.jsonl", [mixed_lines()[at] for at in some]), rows, missing="skip")
    direct = score([MIXED[IDS[at]] for at in sorted(some)], [ROWS[at] for at in sorted(some)])
    assert replace(found.signature, missing="error") == direct.signature
    assert found.items == direct.items
    assert found.slices() == direct.slices()
    assert f"|n:{len(some)}|" in str(found.signature)
    assert "|missing:skip|" in str(found.signature)
    with pytest.raises(ScoreError, match="for at least one of the 30 rows, but got none"):
        score_file(write(tmp_path / "none.jsonl", []), rows, missing="skip")


def test_unknown_ids_may_be_ignored(tmp_path: Path) -> None:
    told: list[str] = []
    path = write(tmp_path / "p.jsonl", [{"id": 7, "prediction": None}, *mixed_lines(), {"id": "z", "prediction": "?"}])
    found = score_file(path, ROWS, ignore_unknown=True, note=told.append)
    assert found.to_dict() == score([MIXED[id_] for id_ in IDS], ROWS).to_dict()
    assert told == [f"{path}: left out 2 predictions for ids that the rows do not have"]


def test_ids_are_checked_before_anything_is_graded(tmp_path: Path) -> None:
    judged: list[Judged] = []
    for lines in (mixed_lines()[:-1], [*mixed_lines(), {"id": 7, "prediction": None}], [*mixed_lines()[:2]] * 2):
        with pytest.raises(ScoreError):
            score_file(write(tmp_path / "p.jsonl", lines), ROWS, judged=judged.append)
    assert judged == []


def test_a_line_without_a_sample_is_sample_0(tmp_path: Path) -> None:
    more = [
        {"id": IDS[0], "sample": 1, "prediction": None},
        {"id": IDS[1], "sample": None, "prediction": MIXED[IDS[1]]},
    ]
    path = write(tmp_path / "p.jsonl", [mixed_lines()[0], *more, *mixed_lines()[2:]])
    assert score_file(path, ROWS, sample=0).to_dict() == score([MIXED[id_] for id_ in IDS], ROWS).to_dict()
    texts = [{"id": id_, "response": "x = 5"} for id_ in IDS]
    assert score_file(write(tmp_path / "r.jsonl", texts), ROWS, sample=0).count == 30


def test_missing_ids_are_named(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", mixed_lines()[7:])
    with pytest.raises(ScoreError, match=r"of the 30 rows, but 7 have none: 91, 92, 93, 94, 95, …"):
        score_file(path, ROWS)
    with pytest.raises(ScoreError, match=r"but 1 has none: 91 \("):
        score_file(write(tmp_path / "q.jsonl", mixed_lines()[1:]), ROWS)


@pytest.mark.parametrize("depth", [60, 61, 490])
@pytest.mark.parametrize("written", ['{"id": %d, "prediction": %s}', '{"id": %d, "template": %s}'])
def test_a_prediction_that_is_nested_deep_is_unreadable(tmp_path: Path, written: str, depth: int) -> None:
    path = write(tmp_path / "p.jsonl", [written % (IDS[0], "[" * depth + "]" * depth), *mixed_lines()[1:]])
    verdicts: list[Verdict] = []
    score_file(path, ROWS, judged=lambda judged: verdicts.append(judged.verdict))
    assert verdicts[0].reason is Reason.UNREADABLE
    assert len(verdicts) == len(ROWS)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": 93, "template": ' + "[" * 501 + "]" * 501 + "}", "line 3: .* nested at most 500 deep, but got more"),
        ("{", "line 3: expected JSON, but got"),
        ("[" * 100_000, "line 3: expected JSON, but got lists and objects nested too deep"),
        ('{"id": ' + "9" * 5000 + "}", "line 3: expected a whole number or a string as the id, but got inf"),
        ("7", "line 3: expected a JSON object, but got 7"),
        ("null", "line 3: expected a JSON object, but got None"),
        ({"template": [], "index": 7}, r"line 3: expected an id, but got the keys \['index', 'template'\]"),
        ({"id": "093"}, "line 3: Unknown id '093': there is 93: expected one of the 30 ids of rows"),
        ({"id": "91"}, "line 3: expected each id once, but got '91' again"),
        ({"id": 93.0}, "line 3: expected a whole number or a string as the id, but got 93.0"),
        ({"id": True}, "line 3: expected a whole number or a string as the id, but got True"),
        ({"id": 91}, "line 3: expected each id once, but got 91 again"),
        ({"id": 7, "prediction": None}, "line 3: Unknown id 7: expected one of the 30 ids of rows"),
        ({"id": -1}, "Unknown id -1: expected"),
        ({"id": 10**30}, f"Unknown id {10**30}: expected"),
        ({"id": 10**400}, "Unknown id <an integer of 1329 bits>: expected"),
        (
            {"id": 93, "prediction": None, "template": []},
            r"line 3: expected a prediction or its fields .* \(template\)",
        ),
    ],
)
@pytest.mark.parametrize("filed", [False, True])
def test_a_bad_line_is_named(tmp_path: Path, line: Any, message: str, filed: bool) -> None:
    path = write(tmp_path / "p.jsonl", [*mixed_lines()[:2], line, *mixed_lines()[2:]])
    rows: Any = FiledReferences(write(tmp_path / "rows", ROWS)) if filed else ROWS
    with pytest.raises(ScoreError, match=rf"p\.jsonl, {message}" if message.startswith("line") else message):
        score_file(path, rows)
    if filed:
        rows.close()


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(b'{"id": 91, "prediction": "\xff"}\n')
    with pytest.raises(ScoreError, match="line 1: expected JSON, but got bytes that are not UTF-8"):
        score_file(path, ROWS)


def test_a_byte_order_mark_and_a_last_line_without_end(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": 91}\r\n\r\n{"id": 92}')
    assert score_file(path, ROWS[:2]).counts == {"unreadable": 2}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "rows, line 2: expected JSON"),
        ({"question": ""}, "rows, line 2: expected a row with an id, a whole number or a string, but got None"),
        ({"id": 1 << 64}, "rows, line 2: expected a row with an id"),
        ({"id": 7.0}, "rows, line 2: expected a row with an id"),
        ({"id": 5}, "rows, line 2: reference 5: expected the fields"),
        (ROWS[0] | {"id": 5, "template": ["m ="]}, "rows, line 2: problem 5: gold derivation"),
        (ROWS[0] | {"id": 5, "solutions": [float("nan")]}, "rows, line 2: row 5: solutions: expected a finite number"),
        (ROWS[0] | {"id": 5, "equations": ["x = "]}, "problem 5: gold equations: equation 1"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, line: Any, message: str) -> None:
    rows = write(tmp_path / "rows", ["", line])
    path = write(tmp_path / "p.jsonl", [{"id": 5, "prediction": None}])
    with pytest.raises(RowError, match=message), FiledReferences(rows) as golds:
        score_file(path, golds)


def test_what_is_judged_is_told(tmp_path: Path) -> None:
    told: list[Judged] = []
    found = score_file(write(tmp_path / "p.jsonl", mixed_lines()[::-1]), ROWS, judged=told.append)
    assert [one.reference.problem.id for one in told] == IDS[::-1]
    assert sum(one.verdict.derivation for one in told) == found.counts["right"]
    assert told[-1].prediction == MIXED[91]


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", mixed_lines())
    with pytest.raises(ScoreError, match=r"nothing\.jsonl: file not found"):
        score_file(tmp_path / "nothing.jsonl", ROWS)
    with pytest.raises(ScoreError, match="at least one reference"):
        score_file(path, [])
    with pytest.raises(RowError, match=r"nothing\.jsonl: file not found"):
        FiledReferences(tmp_path / "nothing.jsonl")
    with pytest.raises(ChoiceError, match="expected error, abstain or skip"):
        score_file(path, ROWS, missing="drop")  # type: ignore[arg-type]
    with pytest.raises(DrawError):
        score_file(tmp_path, ROWS)


# Ids that are texts.

NAMED = [row | {"id": f"p/{row['id']}"} for row in ROWS[:3]] + [ROWS[3] | {"id": 7}, ROWS[4] | {"id": "7"}]


@pytest.mark.parametrize("filed", [False, True])
def test_ids_may_be_texts(tmp_path: Path, filed: bool) -> None:
    lines = [{"id": row["id"], "prediction": row["derivation"]} for row in NAMED]
    path = write(tmp_path / "p.jsonl", lines[::-1])
    told: list[Judged] = []
    rows: Any = FiledReferences(write(tmp_path / "rows.jsonl", NAMED)) if filed else NAMED
    found = score_file(path, rows, judged=told.append)
    assert (found.count, found.derivation_accuracy) == (5, 1)
    assert [one.reference.problem.id for one in told] == ["7", 7, "p/93", "p/92", "p/91"]
    with pytest.raises(ScoreError, match=r"but 2 have none: 'p/93', 7 \("):
        score_file(write(tmp_path / "q.jsonl", [*lines[:2], lines[4]]), rows)
    for id_, message in (("8", "Unknown id '8': expected"), (91, "Unknown id 91: expected"), ("93", "Unknown id '93'")):
        with pytest.raises(ScoreError, match=message):
            score_file(write(tmp_path / "q.jsonl", [{"id": id_}]), rows)
    if filed:
        rows.close()


def test_different_rows_may_not_share_an_id_that_is_a_text(tmp_path: Path) -> None:
    rows = [NAMED[0], NAMED[1] | {"id": NAMED[0]["id"]}]
    for make in (ListedReferences, lambda rows: FiledReferences(write(tmp_path / "rows.jsonl", rows))):
        with pytest.raises(RowError, match="expected different ids, but got 'p/91' twice"):
            make(rows)
        assert len(make([NAMED[0], NAMED[0], NAMED[1]])) == 3  # type: ignore[arg-type]


def test_predictions_may_come_by_standard_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", mixed_lines())
    with path.open(encoding="utf-8") as file:
        monkeypatch.setattr("sys.stdin", file)
        found = score_file("-", ROWS)
    assert found.to_dict() == score_file(path, ROWS).to_dict()
    with (tmp_path / "p.jsonl").open("a", encoding="utf-8") as file:
        file.write("{")
    with path.open(encoding="utf-8") as file:
        monkeypatch.setattr("sys.stdin", file)
        with pytest.raises(ScoreError, match="standard input, line 31: expected JSON"):
            score_file("-", ROWS)


def test_references_of_long_rows_are_not_all_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("draw_dataset.scoring.gold_rows._CACHED", 1 << 20)
    rows = [ROWS[0] | {"id": id_, "question": ROWS[0]["question"] + " a" * 5_000} for id_ in range(60)]
    with FiledReferences(write(tmp_path / "rows.jsonl", rows)) as references:
        for position in range(60):
            references.reference(position)
        kept = [
            thing
            for thing in gc.get_objects()
            if type(thing) is PreparedProblem and len(thing.problem.question) > 9_000
        ]
    assert 5 < len(kept) < 30
