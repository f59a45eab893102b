"""Into the store and out of it: files, rows, datasets, round trips, and the score of what gold annotators export."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from annotation.simulated import TIES, Choices, annotate, as_stored, gold_choices, sample_problems

from draw_dataset import score
from draw_dataset.annotate.decisions import fresh_work
from draw_dataset.annotate.intake import read_problems
from draw_dataset.annotate.outcome import export_rows, settle
from draw_dataset.annotate.store import Store
from draw_dataset.cli import main
from draw_dataset.derivation.problem import read_rows
from draw_dataset.errors import RowError


def written(path: Path, *lines: object) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


ROW: dict[str, Any] = {"id": 7, "question": TIES.question, "equations": list(TIES.equations)}


def test_a_problem_keeps_its_other_fields_but_not_its_gold(tmp_path: Path) -> None:
    row = {
        **ROW, "template": ["m = a"], "alignment": [], "numbers": [], "solutions": [7.0], "equiv_tnum": [],
        "derivation": "m = q1", "findings": [], "alternatives": [], "asked": [], "roles": [], "correction": None,
        "annotated": "agreed", "annotators": ["Ann"],
        "source": "https://example.org/7", "changes": [{"rule": "unit", "before": "4ml", "after": "4 ml"}],
    }  # fmt: skip
    (problem,) = read_problems(written(tmp_path / "p.jsonl", row, ""))
    assert (problem.id, problem.question, problem.equations) == (7, TIES.question, TIES.equations)
    assert problem.extra == {"source": row["source"], "changes": row["changes"]}


def test_a_mark_of_the_byte_order_is_no_part_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps(ROW), encoding="utf-8-sig")
    assert [problem.id for problem in read_problems(path)] == [7]


def test_equations_may_be_one_text(tmp_path: Path) -> None:
    (problem,) = read_problems(written(tmp_path / "p.jsonl", {**ROW, "equations": "x = 2 + 5; y = 5"}))
    assert fresh_work(problem, "").left == (0,)


SALE = "A 20 dollar hat is sold at 25% off . What does it cost ?"


@pytest.mark.parametrize(
    ("equation", "derivation"),
    [
        ("x = 20*(1 - 25%)", "m = q1*(1 - (0.01*q2))"),
        ("x = 20 - 25 %*20", "m = q1 - (0.01*q2)*q1"),
        ("x = 20 - 25.0%*20", "m = q1 - (0.01*q2)*q1"),
        ("x = 20/25%", "m = q1/(0.01*q2)"),
        ("x + 12.5% = 20", "m + (0.01*12.5) = q1"),
    ],
)
def test_a_percentage_in_an_equation_comes_from_the_percentage_of_the_text(
    tmp_path: Path, equation: str, derivation: str
) -> None:
    (problem,) = read_problems(written(tmp_path / "p.jsonl", {"id": 1, "question": SALE, "equations": [equation]}))
    proposal = fresh_work(problem, "").proposal
    assert proposal is not None
    assert [found.q_notation() for found in proposal] == [derivation]


@pytest.mark.parametrize("equation", ["x = 20 % 7", "x = 20%(7)", "x = 2^25%", "x = y%", "x = 20%x", "x = 1e3%"])
def test_another_percent_sign_stays_and_is_refused(tmp_path: Path, equation: str) -> None:
    (problem,) = read_problems(written(tmp_path / "p.jsonl", {"id": 1, "question": SALE, "equations": [equation]}))
    assert problem.equations == (equation,)
    assert re.search("^equations: .*'%'", fresh_work(problem, "").refusal or "")


def test_propose_reads_percentages_in_equations(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["annotate", "propose", "--question", SALE, "x = 20*(1 - 25%)"]) == 0
    assert "m = q1*(1 - (0.01*q2))" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", r"line 2: .*JSON"),
        ("[]", r"line 2: .*JSON.*\[\]"),
        ("[" * 100_000, r"line 2: .*JSON"),
        ('{"id": 1}', r"line 2: .*question, equations"),
        ('{"id": "", "question": "2", "equations": []}', r"line 2: id: .*''"),
        ('{"id": NaN, "question": "2", "equations": []}', r"line 2: id: .*nan"),
        ('{"id": 1, "question": null, "equations": []}', r"line 2: question: .*None"),
        ('{"id": 1, "question": "\\ud800", "equations": []}', "line 2: question: "),
        ('{"id": 1, "question": "2", "equations": ["\\udc00"]}', "line 2: equations: "),
        ('{"id": 1, "question": "2", "equations": [], "id": 2}', r"line 2: .*JSON.*'id'"),
        ('{"id": 1, "question": "2", "equations": 3}', r"line 2: equations: .*3"),
        (
            '{"id": 1, "question": "2", "equations": [3]}',
            r"line 2: equations: .*UTF-8.*3",
        ),
        (
            '{"id": 1, "question": "2", "equations": [], "x": NaN}',
            "line 2: ",
        ),
        (
            f'{{"id": {"9" * 400}, "question": "2", "equations": []}}',
            r"line 2: id: .*1329",
        ),
        (f'{{"id": {"9" * 5000}, "question": "2", "equations": []}}', r"line 2: id: .*inf"),
    ],
)
def test_a_line_that_is_no_problem_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = written(tmp_path / "p.jsonl", ROW, line)
    with pytest.raises(RowError, match=rf"p\.jsonl, {message}"):
        list(read_problems(path))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(RowError, match=r"none\.jsonl: "):
        list(read_problems(tmp_path / "none.jsonl"))
    (tmp_path / "latin.jsonl").write_bytes(b'{"id": 1, "question": "\xe9"}')
    with pytest.raises(RowError, match=r"latin\.jsonl, line 1: .*UTF-8"):
        list(read_problems(tmp_path / "latin.jsonl"))


def test_halves_of_characters_in_other_fields_survive(tmp_path: Path) -> None:
    path = written(
        tmp_path / "p.jsonl", '{"id": 7, "question": "2 .", "equations": ["x = 2"], "odd": "\\ud800\\u0000"}'
    )
    with Store.open(tmp_path / "work.db", create=True) as store:
        store.add_problems(read_problems(path))
        assert store.problem(7).stored.extra == {"odd": "\ud800\0"}
        assert store.add_problems(read_problems(path)).unchanged == (7,)
    out = tmp_path / "out.jsonl"
    assert main(["annotate", "export", "--store", str(tmp_path / "work.db"), "--out", str(out)]) == 0
    assert json.loads(out.read_text(encoding="utf-8"))["odd"] == "\ud800\0"


@pytest.fixture(scope="module")
def gold_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, annotated by Ann and Bob with the decisions that gold needs."""
    path = tmp_path_factory.mktemp("gold") / "work.db"
    with Store.open(path, create=True) as store:
        store.add_problems(as_stored(sample_problems()))
        for name in ("Ann", "Bob"):
            store.add_annotator(name)
        for gold in sample_problems():
            entry = store.problem(gold.id)
            proposal = fresh_work(entry.stored, "").proposal
            if proposal is None:
                continue
            choices: Choices | None = gold_choices(proposal, gold)
            assert choices is not None
            # What needs no person and is right stays as it is.
            if choices or gold.equiv_tnum:
                for name in ("Ann", "Bob"):
                    annotate(store, gold.id, name, choices, gold)
    return path


def test_the_export_of_gold_decisions_scores_one_against_gold(gold_store: Path, tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    assert main(["annotate", "export", "--store", str(gold_store), "--out", str(out), "--json"]) == 0
    golds = {problem.id: problem for problem in sample_problems()}
    exported = read_rows(out)
    without_numbers = {problem.id for problem in golds.values() if not problem.numbers}
    assert {problem.id for problem in exported} == set(golds) - without_numbers
    assert len(without_numbers) == 3
    rows = [problem.to_row() for problem in exported]
    references = [golds[problem.id].to_row() for problem in exported]
    result = score(rows, references, data="sample")
    assert (result.derivation_accuracy, result.solution_accuracy) == (1.0, 1.0)
    # And the other way round: gold is right under the groups of equivalent numbers that were exported.
    assert score(references, rows, data="exported").derivation_accuracy == 1.0
    groups = [{frozenset((n["sentence"], n["token"]) for n in g) for g in row["equiv_tnum"]} for row in rows]
    gold_groups = [{frozenset((n["sentence"], n["token"]) for n in g) for g in row["equiv_tnum"]} for row in references]
    assert groups == gold_groups


def test_an_export_imported_and_exported_again_is_the_same(gold_store: Path, tmp_path: Path) -> None:
    with Store.open(gold_store) as store:
        first = export_rows(settle(store, least=1)).rows
    path = written(tmp_path / "rows.jsonl", *({**row, "source": {"line": i}} for i, row in enumerate(first)))
    with Store.open(tmp_path / "again.db", create=True) as store, Store.open(gold_store) as old:
        store.add_problems(read_problems(path))
        for name in ("Ann", "Bob"):
            store.add_annotator(name)
        for work in old.works():
            for decision in old.history(work.problem_id, work.annotator):
                store.decide(work.problem_id, work.annotator, decision.kind, decision.payload, decision.seconds)
        second = export_rows(settle(store, least=1)).rows
    assert second == tuple({**row, "source": {"line": i}} for i, row in enumerate(first))


def test_an_edited_text_is_exported_with_the_imported_one_and_comes_back_so(tmp_path: Path) -> None:
    path = written(tmp_path / "p.jsonl", {**ROW, "source": "a"})
    with Store.open(tmp_path / "work.db", create=True) as store:
        store.add_problems(read_problems(path))
        store.add_annotator("Ann")
        store.decide(7, "Ann", "edit", {"question": "Two and 2 make 4 ! Add 5 ."})
        annotate(store, 7, "Ann", {0: [0, 2]})
        (row,) = export_rows(settle(store)).rows
    assert (row["question"], row["edited_from"], row["source"]) == ("Two and 2 make 4 ! Add 5 .", TIES.question, "a")
    assert (row["annotated"], row["annotators"], row["derivation"]) == ("annotator", ["Ann"], "m = q2 + q4")
    (problem,) = read_problems(written(tmp_path / "again.jsonl", row))
    assert problem.question == row["question"]
    assert problem.extra == {"source": "a", "edited_from": TIES.question}


def test_the_dataset_has_the_rows(gold_store: Path, tmp_path: Path) -> None:
    from datasets import load_from_disk

    out, folder = tmp_path / "rows.jsonl", tmp_path / "dataset"
    command = ["annotate", "export", "--store", str(gold_store), "--out", str(out), "--out-dataset", str(folder)]
    assert main(command) == 0
    dataset = load_from_disk(str(folder))
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [{k: v for k, v in row.items() if k != "extra"} for row in dataset] == rows
    assert set(dataset["extra"]) == {"{}"}
    assert main(command) == 2  # it is there already
    assert main([*command, "--force"]) == 0
