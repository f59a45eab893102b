"""The commands: files in, files out, the same bytes for the same seed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from report.pages import index_of

from draw_dataset.cli import main


@pytest.fixture
def variants(tmp_path: Path) -> Path:
    path = tmp_path / "v.jsonl"
    arguments = ["variants", "make", "sample/test", "--count", "1", "--with-originals", "--out", str(path)]
    assert main([*arguments, "--refused", str(tmp_path / "refused.jsonl")]) == 0
    return path


def test_variants_are_rows_that_pass_the_checks(variants: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [json.loads(line) for line in variants.read_text().splitlines()]
    assert all(row["variant"]["kind"] == "numbers" for row in rows if "variant" in row)
    only = variants.with_name("only.jsonl")
    only.write_text("".join(json.dumps(row) + "\n" for row in rows if "variant" in row))
    assert main(["check", str(only)]) == 0
    assert "no findings" in capsys.readouterr().out


def test_the_same_seed_gives_the_same_file_and_another_seed_another(tmp_path: Path) -> None:
    written = []
    for number, seed in enumerate(["0", "0", "1"]):
        path = tmp_path / f"{number}.jsonl"
        main(["variants", "make", "sample/test", "--count", "1", "--seed", seed, "--kind", "twins", "--out", str(path)])
        written.append(path.read_bytes())
    assert written[0] == written[1] != written[2]


def test_answers_are_scored_and_explained_on_a_page(
    variants: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [json.loads(line) for line in variants.read_text().splitlines()]
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text("".join(json.dumps({"id": row["id"], "answer": row["solutions"]}) + "\n" for row in rows))
    lines = [{"id": row["id"], "text": f"The answer is {row['numbers'][0]['value']:g}."} for row in rows]
    bad.write_text("".join(json.dumps({"id": one["id"], "answer": one["text"]}) + "\n" for one in lines))
    page, verdicts = tmp_path / "page.html", tmp_path / "verdicts.jsonl"
    arguments = ["variants", "score", str(good), str(bad), "--variants", str(variants), "--inventory", "sample"]
    assert main([*arguments, "--html", str(page), "--verdicts", str(verdicts), "--json"]) == 0
    systems = json.loads(capsys.readouterr().out)["systems"]
    assert systems[0]["macro_accuracy"] == 1
    assert systems[0]["gap"] == 0
    assert systems[0]["signature"].startswith("probe|data:v.jsonl@")
    text = page.read_text()
    assert "require-trusted-types-for 'script'" in text
    listed = index_of(text)
    assert (listed["systems"], listed["kinds"]) == (["good", "bad"], ["original", "numbers"])
    assert len(listed["rows"]) == systems[0]["n"]
    assert {json.loads(line)["system"] for line in verdicts.read_text().splitlines()} == {"good", "bad"}


def test_a_dataset_has_the_splits_of_its_source(tmp_path: Path) -> None:
    from datasets import load_from_disk

    folder = tmp_path / "made"
    assert main(["variants", "make", "sample", "--count", "1", "--out-dataset", str(folder)]) == 0
    made = load_from_disk(str(folder))
    assert set(made) == {"train", "validation", "test"}
    sources = {split: set(made[split]["source_id"]) for split in made}
    assert not sources["train"] & sources["test"]
    assert made["test"][0]["variant"]["kind"] == "numbers"


def test_what_cannot_be_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"id": 1}\n')
    assert main(["variants", "score", str(rows), "--variants", str(rows)]) == 2
    assert "1 row" in capsys.readouterr().err


def lines_of(path: Path, rows: list[dict[str, object]]) -> str:
    path.write_text("".join(json.dumps({"id": row["id"], "answer": row["solutions"]}) + "\n" for row in rows))
    return str(path)


def test_what_is_there_is_scored_and_what_is_missing_is_named(
    variants: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [json.loads(line) for line in variants.read_text().splitlines()]
    made = [row for row in rows if "variant" in row]
    some = lines_of(tmp_path / "some.jsonl", made[3:])
    every = lines_of(tmp_path / "every.jsonl", made)
    arguments = ["variants", "score", some, every, "--variants", str(variants)]
    assert main([*arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    first, second = json.loads(out)["systems"]
    assert first["missing"] == [row["id"] for row in made[:3]]
    assert (first["accuracy"], first["n"], second["n"]) == (1, len(made) - 3, len(made))
    assert second["missing"] == []
    assert "missing:skip" in first["signature"]
    assert "missing:" not in second["signature"]
    assert f"3 of {len(made)} variants have no answer and are left out: {made[0]['id']}, " in err
    assert main([*arguments]) == 0
    assert "variants without an answer" in capsys.readouterr().out
    assert main([*arguments, "--missing", "error"]) == 2
    assert main([*arguments, "--missing", "abstain", "--json"]) == 0
    first, _ = json.loads(capsys.readouterr().out)["systems"]
    assert first["accuracy"] == pytest.approx(1 - 3 / len(made))
    none = lines_of(tmp_path / "none.jsonl", [row for row in rows if "variant" not in row][:1])
    assert main(["variants", "score", none, "--variants", str(variants)]) == 2


def test_several_samples_of_a_variant_are_judged(
    variants: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [json.loads(line) for line in variants.read_text().splitlines()]
    wrong = [{**row, "solutions": [-1.5 for _ in row["solutions"]]} for row in rows]
    path = lines_of(tmp_path / "samples.jsonl", [*rows, *rows, *rows, *wrong])
    verdicts = tmp_path / "verdicts.jsonl"
    arguments = ["variants", "score", path, "--variants", str(variants), "--verdicts", str(verdicts), "--json"]
    assert main(arguments) == 0
    (system,) = json.loads(capsys.readouterr().out)["systems"]
    assert system["accuracy"] == pytest.approx(0.75)
    assert "samples:4" in system["signature"]
    first = json.loads(verdicts.read_text().splitlines()[0])
    assert [item["sample"] for item in first["items"]] == [1, 2, 3, 4] * 2
    assert [item["right"] for item in first["items"]] == [True, True, True, False] * 2
    assert first["derivation"] == "right"


def test_each_kind_has_its_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "v.jsonl"
    arguments = ["variants", "make", "sample/test", "--out", str(path)]
    assert main([*arguments, "--kinds", "numbers=2,traps=1", "--count", "5", "--json"]) == 0
    kinds = json.loads(capsys.readouterr().out.splitlines()[0])["kinds"]
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert kinds == {kind: sum(row["variant"]["kind"] == kind for row in rows) for kind in ("numbers", "trap")}
    of_one = [row["id"] for row in rows if row["source_id"] == rows[0]["source_id"]]
    assert len(of_one) == 3
    assert main([*arguments, "--kinds", "numbers=2,traps", "--count", "1"]) == 0
    assert f"(numbers {kinds['numbers']}, trap {kinds['trap']})" in capsys.readouterr().out
    alone = tmp_path / "alone.jsonl"
    assert main(["variants", "make", "sample/test", "--kind", "numbers", "--count", "2", "--out", str(alone)]) == 0
    numbers = [line for line in path.read_text().splitlines() if json.loads(line)["variant"]["kind"] == "numbers"]
    assert alone.read_text().splitlines() == numbers


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        (["--kinds", "numbers=x"], "KIND=COUNT"),
        (["--kinds", "numbers=0"], "from 1 to 100"),
        (["--kinds", "jokes=2"], "expected some of numbers"),
        (["--kinds", ""], "expected some of numbers"),
        (["--kind", "jokes"], "expected some of numbers"),
        (["--kinds", "traps", "--kind", "numbers"], "got both"),
    ],
)
def test_kinds_that_cannot_be_are_refused(chosen: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["variants", "make", "sample/test", *chosen]) == 2
    assert said in capsys.readouterr().err


def test_originals_without_an_answer_are_named(
    variants: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [json.loads(line) for line in variants.read_text().splitlines()]
    originals = [row for row in rows if "variant" not in row]
    path = lines_of(tmp_path / "some.jsonl", [row for row in rows if row not in originals[:2]])
    assert main(["variants", "score", path, "--variants", str(variants), "--json"]) == 0
    out, err = capsys.readouterr()
    (system,) = json.loads(out)["systems"]
    assert system["missing_originals"] == [row["id"] for row in originals[:2]]
    assert (system["original_accuracy"], system["missing"]) == (1, [])
    assert f"2 of {len(originals)} originals have no answer: {originals[0]['id']}, {originals[1]['id']};" in err


def test_the_output_names_common_errors_and_drops_by_kind(
    variants: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["variants", "make", "sample/test", "--count", "3", "--with-originals", "--out", str(variants)]
    assert main(arguments) == 0
    rows = [json.loads(line) for line in variants.read_text().splitlines()]
    originals = {row["id"]: row["solutions"] for row in rows if "variant" not in row}
    lines = [{**row, "solutions": originals[row.get("source_id", row["id"])]} for row in rows]
    path = lines_of(tmp_path / "again.jsonl", lines)
    assert main(["variants", "score", path, "--variants", str(variants)]) == 0
    out = capsys.readouterr().out
    assert "by kind: accuracy ± deviation, drop" in out
    assert "0.0, drop 100.0" in out
    assert "Most common errors of again:\n  memorised: " in out
    assert "gives the original's answer to every variant" in out


def written(path: Path, records: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return str(path)


def test_questions_with_equations_or_solutions_make_variants(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "A stall sells cards for $3 and stamps for $2 . Uma buys 8 items for $19 . How many cards does she buy ?"
    records = [
        {"id": "list", "question": text, "equations": ["c + s = 8", "3*c + 2*s = 19"]},
        {"id": "named", "question": text, "solution": "cards + stamps = 8; 3*cards + 2*stamps = 19"},
        {
            "question": "Rolls cost $2 . Pia buys 4 rolls and pays with $10 . What does she get back ?",
            "answer": "10-4*2",
        },
        {"id": "number", "question": text, "solution": 3},
    ]
    out = tmp_path / "v.jsonl"
    assert main(["variants", "make", written(tmp_path / "own.jsonl", records), "--count", "1", "--out", str(out)]) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["source_id"] for row in rows] == ["list", "named", 3]
    assert all(row["solutions"] and row["template"] for row in rows)
    told = capsys.readouterr().err
    assert "derived gold of 3 of 4 questions from their solutions" in told
    assert "left out, without a derivation: number: the solution is only a number" in told
    table = tmp_path / "own.csv"
    table.write_text(f'id,question,solution\na,"{text}","c + s = 8; 3*c + 2*s = 19"\n', encoding="utf-8")
    assert main(["variants", "make", str(table), "--count", "1", "--out", str(out)]) == 0
    assert json.loads(out.read_text())["source_id"] == "a"
    bad = written(tmp_path / "bad.jsonl", [{"id": 1, "question": text, "solution": "cards + stamps = 8"}])
    assert main(["variants", "make", bad]) == 2
    assert "line 1: solution: expected equations with one solution for cards, stamps" in capsys.readouterr().err
