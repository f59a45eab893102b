"""Several samples of a problem: pass@k, intervals over problems, and files in which ids are repeated."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draw_dataset.cli import main
from draw_dataset.data.sample import load_sample
from draw_dataset.errors import ChoiceError, ScoreError
from draw_dataset.report.entries import Entries
from draw_dataset.scoring.files import Judged, score_file
from draw_dataset.scoring.gold_rows import ListedReferences
from draw_dataset.scoring.score import complete, default_ks, merge_tallies, pass_at_k, score, score_shard
from draw_dataset.scoring.significance import bootstrap_interval
from draw_dataset.scoring.table import compare_scores

ROWS = [problem.to_row() for problem in load_sample()["test"][:3]]
IDS = [row["id"] for row in ROWS]
WRONG = {"solutions": [-1.0]}
# Right samples of each problem, of four: 0, 1 and 3.
RIGHT = (0, 1, 3)
SAMPLES: list[list[Any]] = [
    [row["derivation"]] * right + [WRONG] * (4 - right) for row, right in zip(ROWS, RIGHT, strict=True)
]
PASS = {1: Fraction(4, 12), 2: Fraction(0 + 3 + 6, 18), 4: Fraction(2, 3)}


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def own_lines() -> list[dict[str, Any]]:
    """Return a line for each sample with its number, which stands next to a prediction."""
    return [
        {"id": id_, "sample": number, "prediction": sample}
        for id_, samples in zip(IDS, SAMPLES, strict=True)
        for number, sample in enumerate(samples)
    ]


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=6), min_size=1, max_size=4), st.data())
def test_pass_at_k_is_the_share_of_choices_with_a_right_sample(problems: list[list[bool]], data: Any) -> None:
    k = data.draw(st.integers(1, min(map(len, problems))))
    shares = []
    for samples in problems:
        choices = list(combinations(samples, k))
        shares.append(Fraction(sum(map(any, choices)), len(choices)))
    found = pass_at_k([sum(one) for one in problems], [len(one) for one in problems], k)
    assert found == float(sum(shares, Fraction(0)) / len(shares))


def test_default_ks_are_powers_of_two_and_all_samples() -> None:
    assert [default_ks(n) for n in (0, 1, 2, 3, 4, 6)] == [(), (), (1, 2), (1, 2, 3), (1, 2, 4), (1, 2, 4, 6)]


def test_lists_rows_and_ids_give_the_same_pass_at_k() -> None:
    by_list = score(SAMPLES, ROWS)
    by_id = score(dict(zip(map(str, reversed(IDS)), reversed(SAMPLES), strict=True)), ROWS)
    flat = [sample for samples in SAMPLES for sample in samples]
    by_row = score(flat, [row for row in ROWS for _ in range(4)])
    for found in (by_list, by_id, by_row):
        assert (found.count, found.problems, found.samples) == (12, 3, 4)
        assert {k: found.pass_at(k) for k in PASS} == {k: float(value) for k, value in PASS.items()}
        assert found.to_dict() == by_list.to_dict()
    assert by_list.to_dict()["derivation"] == {f"pass@{k}": float(value) for k, value in PASS.items()}
    assert [row["sample"] for row in by_list.verdicts] == [0, 1, 2, 3] * 3


def test_one_prediction_a_problem_has_no_pass_at_k_in_the_figures() -> None:
    once = score([row["derivation"] for row in ROWS], ROWS)
    assert (once.problems, once.samples, once.pass_at(1)) == (3, 1, 1.0)
    assert "derivation" not in once.to_dict()
    assert "sample" not in once.verdicts[0]
    assert "pass@" not in compare_scores({"one": once}, samples=10).to_text()


def test_a_k_beyond_the_samples_is_refused() -> None:
    found = score(SAMPLES, ROWS)
    for k in (0, 5, True):
        with pytest.raises(ChoiceError, match="from 1 to 4"):
            found.pass_at(k)
    with pytest.raises(ChoiceError, match="derivation or solution"):
        found.pass_at(1, "equation")


def test_intervals_and_tests_draw_problems_and_not_samples() -> None:
    # Four equal samples say no more than one.
    once = [row["derivation"] for row in ROWS[:2]] + [None]
    often = [[one] * 4 for one in once]
    ours, single = score(often, ROWS), score(once, ROWS)
    assert ours.intervals() == single.intervals()
    tables = [
        compare_scores({"a": a, "b": score([None] * 3, ROWS)}, samples=500).systems for a in (ours, single)
    ]  # other systems may have another number of samples
    assert tables[0][0].intervals == tables[1][0].intervals
    assert tables[0][1].against_first == tables[1][1].against_first
    chances = [0.0, 0.5, 1.0]  # pass@2 of the problems
    interval = bootstrap_interval(chances)
    assert score(SAMPLES, ROWS).pass_at_interval(2) == (interval.low, interval.high)


def test_lines_of_samples_are_scored_in_any_order(tmp_path: Path) -> None:
    expected = score(SAMPLES, ROWS)
    lines = own_lines()
    for name, given_lines in (("a", lines), ("b", lines[::-1]), ("c", lines[::2] + lines[1::2])):
        found = score_file(write(tmp_path / f"{name}.jsonl", given_lines), ROWS)
        assert found.to_dict() == expected.to_dict()
        assert found.intervals() == expected.intervals()


def test_ids_that_are_all_repeated_as_often_are_samples(tmp_path: Path) -> None:
    lines = [{key: value for key, value in line.items() if key != "sample"} for line in own_lines()]
    judged: list[Judged] = []
    found = score_file(write(tmp_path / "p.jsonl", lines), ROWS, judged=judged.append)
    assert found.to_dict() == score(SAMPLES, ROWS).to_dict()
    assert [one.sample for one in judged] == [0, 1, 2, 3] * 3
    with pytest.raises(ScoreError, match=r"line 2: expected each id once, but got .* again; if lines are samples"):
        score_file(write(tmp_path / "p.jsonl", lines[:-1]), ROWS, missing="skip")


def test_a_sample_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    lines = own_lines()
    for number in (1, 70, "best"):
        path = write(tmp_path / "p.jsonl", [*lines, *[{**lines[0], "sample": number}] * 2])
        with pytest.raises(ScoreError, match=f"expected each sample of a problem once, but got sample {number!r}"):
            score_file(path, ROWS)


def test_missing_samples_are_refused_abstain_or_are_skipped(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", [line for line in own_lines() if line["id"] != IDS[1] or line["sample"] < 2])
    with pytest.raises(ScoreError, match="expected 4 samples of each problem, but 1 have fewer"):
        score_file(path, ROWS)
    judged: list[Judged] = []
    filled = score_file(path, ROWS, missing="abstain", judged=judged.append)
    assert filled.counts["abstained"] == 2
    assert {one.sample for one in judged if one.reference.problem.id == IDS[1]} == {0, 1, 2, 3}
    assert {k: filled.pass_at(k) for k in PASS} == {k: float(value) for k, value in PASS.items()}
    skipped = score_file(path, ROWS, missing="skip")
    assert (skipped.count, skipped.samples) == (10, 2)
    assert skipped.pass_at(2) == float(Fraction(0 + 1 + 1, 3))
    with pytest.raises(ChoiceError, match="from 1 to 2"):
        compare_scores({"p": skipped}, pass_at=(4,))


def test_parts_that_are_merged_have_pass_at_k() -> None:
    rows = ListedReferences(ROWS)
    parts = [[(id_, sample) for id_, sample in zip(IDS, column, strict=True)] for column in zip(*SAMPLES, strict=True)]
    merged = complete(merge_tallies(score_shard(part, rows) for part in parts), rows, "error")
    assert {k: merged.pass_at(k) for k in PASS} == {k: float(value) for k, value in PASS.items()}
    assert "derivation pass@4       66.7" in merged.to_text()


def test_the_command_prints_pass_at_k(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = write(tmp_path / "p.jsonl", own_lines()), tmp_path / "verdicts.jsonl"
    given_ = ["score", str(path), "--references", "sample/test", "--missing", "skip", "--samples", "200"]
    main([*given_, "--format", "json", "--verdicts", str(out)])
    system = json.loads(capsys.readouterr().out)["systems"][0]
    assert system["derivation"]["pass@4"] == pytest.approx(2 / 3)
    assert set(system["derivation"]["intervals"]) == {"pass@1", "pass@2", "pass@4"}
    assert (system["problems"], system["samples"], system["n"]) == (3, 4, 12)
    assert [json.loads(line)["sample"] for line in out.read_text().splitlines()] == [0, 1, 2, 3] * 3
    main([*given_, "--pass-at", "3"])
    text = capsys.readouterr().out
    assert text.count("pass@3") == 2
    assert "pass@4" not in text


@pytest.mark.parametrize("given_", ["0", "1,", "a", "-1", "1;2"])
def test_numbers_of_samples_that_are_none_are_refused(given_: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "p.jsonl", "--references", "sample/test", "--pass-at", given_]) == 2
    assert "expected numbers from 1 with commas" in capsys.readouterr().err


def test_each_sample_has_a_row_in_the_report(tmp_path: Path) -> None:
    entries = Entries()
    score_file(write(tmp_path / "p.jsonl", own_lines()), ROWS, judged=lambda one: entries.add("p", one))
    assert [row[0] for row in entries.index(["p"])][:5] == [*(f"{IDS[0]} #{n}" for n in range(4)), f"{IDS[1]} #0"]
    assert entries.samples() == [0] * 4 + [4] * 4 + [8] * 4


def test_predictions_by_id_need_no_order_and_ids_of_either_type() -> None:
    ordered = score([row["derivation"] for row in ROWS], ROWS)
    for convert in (str, int):
        found = score({convert(row["id"]): row["derivation"] for row in reversed(ROWS)}, ROWS)
        assert found.to_dict() == ordered.to_dict()
    texts = [{**row, "id": f"p{row['id']}"} for row in ROWS]
    assert score({row["id"]: row["derivation"] for row in texts}, texts).derivation_accuracy == 1


def test_ids_that_do_not_match_say_what_to_do() -> None:
    gold = {row["id"]: row["derivation"] for row in ROWS}
    with pytest.raises(ScoreError, match=r"1 of 3 rows have no prediction .*give None .*row\['id'\] in predictions"):
        score({id_: gold[id_] for id_ in IDS[:2]}, ROWS)
    with pytest.raises(ScoreError, match=r"1 ids are of no row \('other'\): leave the others out"):
        score({**gold, "other": None}, ROWS)
    with pytest.raises(ScoreError, match=r"3 ids are of no row .*the keys must be the rows' ids, row\['id'\]"):
        score(dict(enumerate(gold.values())), ROWS)
    with pytest.raises(ScoreError, match="as a number and a string"):
        score({**gold, str(IDS[0]): None}, ROWS)
    with pytest.raises(ScoreError, match="expected ids as keys"):
        score({**gold, 1.5: None}, ROWS)
    with pytest.raises(ScoreError, match="expected a list with one for each row"):
        score({"answer": "x = 3"}, ROWS)


def test_a_single_sample_is_no_sample_on_the_page(tmp_path: Path) -> None:
    rows = load_sample()["test"][:3]
    entries = Entries()
    for name, further in (("a", {}), ("b", {"sample": 0})):
        path = tmp_path / f"{name}.jsonl"
        write(path, [{"id": row.id, "prediction": row.derivation.q_notation(), **further} for row in rows])
        score_file(path, rows, judged=partial(entries.add, name))
    assert [(row[0], len(row[2]), len(row[3])) for row in entries.index(["a", "b"])] == [
        (str(row.id), 6, 6) for row in rows
    ]
    assert entries.samples() == []


def test_a_single_answer_stands_beside_the_first_of_several_samples(tmp_path: Path) -> None:
    entries = Entries()
    score_file(write(tmp_path / "many.jsonl", own_lines()), ROWS, judged=partial(entries.add, "many"))
    single = write(tmp_path / "one.jsonl", [{"id": id_, "prediction": WRONG} for id_ in IDS])
    score_file(single, ROWS, judged=partial(entries.add, "one"))
    index = entries.index(["many", "one"])
    assert [row[0] for row in index] == [f"{id_} #{number}" for id_ in IDS for number in range(4)]
    assert [row[3] is not None for row in index] == [True, False, False, False] * 3
    assert entries.samples() == [0] * 4 + [4] * 4 + [8] * 4
