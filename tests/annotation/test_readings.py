"""Readings as the work of annotators: their files and numbers, what cannot be recorded, and the census of a release."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from draw_dataset.annotate.decisions import StoredProblem
from draw_dataset.annotate.intake import read_readings
from draw_dataset.annotate.store import Store
from draw_dataset.cli import main
from draw_dataset.derivation.problem import read_asked, read_rows
from draw_dataset.errors import RowError

READINGS = Path(__file__).parents[2] / "scripts" / "gold" / "readings"

FARM = {
    "id": 1,
    "question": "A farm has 30 hens and goats , 8 more hens than goats . Of the 30 animals , how many are goats ?",
    "equations": ["x + y = 30", "x = y + 8"],
}
SHOP = {"id": 2, "question": "Add a pen for 3 coins to 4 pens of 2 coins .", "equations": ["x = 3 + 4*2"]}
ODD = {"id": 3, "question": "What do 5 and 6 have in common ?", "equations": ["x*x = 6"]}
ANN = {
    "id": 1,
    "d": "m + n = q1; m = n + q2",
    "asked": ["n"],
    "roles": {"m": "hens", "n": "goats"},
    "same": [[1, 3]],
    "status": "ok",
}


def lines(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    return lines(tmp_path / "problems.jsonl", FARM, SHOP, ODD)


Run = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path, problems: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Import readings under a name into a store, and return what the command prints as data, or its error."""

    def run(name: str, *readings: dict[str, Any], more: tuple[str, ...] = (), source: Path = problems) -> Any:
        file = lines(tmp_path / f"{name}.jsonl", *readings)
        command = ["annotate", "import", str(source), "--readings", str(file), "--as", name, "--json"]
        status = main([*command, "--store", str(tmp_path / "work.db"), *more])
        told = capsys.readouterr()
        return json.loads(told.out)["readings"] if status < 2 else told.err

    return run


def test_a_reading_is_submitted_work_with_all_it_says(run: Run, tmp_path: Path) -> None:
    told = run("Ann", ANN, {**ANN, "id": 99})
    assert (told["annotator"], told["recorded"], told["other"], told["refused"]) == ("Ann", [1], [99], {})
    with Store.open(tmp_path / "work.db") as store:
        work = store.work(1, "Ann")
        kinds = [decision.kind for decision in store.history(1, "Ann")]
    assert kinds == ["derivation", "equivalent", "asked", "role", "role", "submit"]
    row = work.problem().to_row()
    assert (work.submitted, row["derivation"], row["asked"], row["alternatives"]) == (True, ANN["d"], ["n"], [])
    assert row["roles"] == [{"unknown": "m", "role": "hens"}, {"unknown": "n", "role": "goats"}]
    assert [[n["value"] for n in group] for group in row["equiv_tnum"]] == [[30.0, 30.0]]


def test_two_readings_are_compared_adjudicated_and_exported(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop = {"id": 2, "d": "m = q1 + q2*q3", "asked": ["m"], "roles": {"m": "coins"}}
    run("Ann", ANN, shop)
    run("Bob", {**ANN, "d": "n + m = q1; m - n = q2", "alt": ["m + n = q3; m = n + q2"]}, {**shop, "d": "m = q1 + q2"})
    store = ["--store", str(tmp_path / "work.db")]
    assert main(["annotate", "agreement", "--json", *store]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["fields"]["derivation"]["agreeing"], found["fields"]["asked"]["agreeing"]) == (1, 2)
    assert [d["id"] for d in found["disagreements"]] == [2]
    assert main(["annotate", "agreement", *store]) == 0
    assert "median seconds" not in capsys.readouterr().out
    assert main(["annotate", "adjudicate", *store]) == 0
    assert "Ann: m = q1 + q2*q3 (asks for m, m is coins)" in capsys.readouterr().out
    assert main(["annotate", "adjudicate", "2", "--as", "Carol", "--take", "Ann", *store]) == 0
    out = tmp_path / "rows.jsonl"
    assert main(["annotate", "export", "--out", str(out), *store]) == 0
    rows = read_rows(out)
    assert [row.derivation.q_notation() for row in rows] == ["n + m = q1; m - n = q2", "m = q1 + q2*q3"]
    assert rows[0].alternatives == ("m + n = q3; m = n + q2",)
    assert all(read_asked(row) and row.roles for row in rows)


def test_an_adjudicator_may_state_a_derivation_from_the_shell(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("Ann", ANN)
    command = ["annotate", "adjudicate", "1", "--as", "Carol", "--store", str(tmp_path / "work.db"), "--json"]
    more = ["--derivation", "n = q1 - m; m = n - q2", "--asked", "m", "--role", "m=the goats", "--role", "n = hens"]
    assert main([*command, *more]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["derivation"], told["asked"]) == ("n = q1 - m; m = n - q2", ["m"])
    assert told["roles"] == [{"unknown": "m", "role": "the goats"}, {"unknown": "n", "role": "hens"}]
    for wrong, said in (("m", "--role: "), ("x=hens", "unknown: "), ("o=hens", "role: ")):
        assert main([*command, "--derivation", "m = q1", "--role", wrong]) == 2
        assert said in capsys.readouterr().err


def test_importing_the_same_readings_again_changes_nothing_and_others_need_an_update(run: Run, tmp_path: Path) -> None:
    run("Ann", ANN)
    assert run("Ann", ANN)["unchanged"] == [1]
    other = {**ANN, "asked": ["m"]}
    told = run("Ann", other)
    assert "problems: 1." in told
    assert "--update" in told
    assert run("Ann", other, more=("--update",))["recorded"] == [1]
    with Store.open(tmp_path / "work.db") as store:
        assert store.work(1, "Ann").asked == ("m",)
        kinds = [decision.kind for decision in store.history(1, "Ann")]
    assert kinds.count("undo") == 6
    assert run("Ann", other)["unchanged"] == [1]


def test_work_that_was_begun_on_the_page_is_not_replaced_without_an_update(run: Run, tmp_path: Path) -> None:
    run("Ann")
    with Store.open(tmp_path / "work.db") as store:
        store.decide(1, "Ann", "role", {"unknown": "m", "role": "birds"})
    assert "--update" in run("Ann", ANN)
    with Store.open(tmp_path / "work.db") as store:
        assert [decision.kind for decision in store.history(1, "Ann")] == ["role"]


def test_a_reading_that_excludes_a_problem_flags_it_with_the_reason(run: Run, tmp_path: Path) -> None:
    told = run("Ann", {**ANN, "status": "excluded", "why": "no goat is counted"}, {"id": 2, "d": ""})
    assert told["flagged"] == told["recorded"] == [1, 2]
    with Store.open(tmp_path / "work.db") as store:
        assert store.work(1, "Ann").flagged == "no goat is counted"
        assert store.work(2, "Ann").flagged


def test_parts_that_cannot_be_recorded_are_named_and_the_rest_is(run: Run, tmp_path: Path) -> None:
    odd = {**ANN, "asked": ["m*n"], "same": [[1, 2], [1, 9]], "roles": {"m": "hens", "o": "owls"}, "alt": "m = q9"}
    told = run("Ann", odd, {"id": 2, "d": "m + n = q1", "asked": []}, {"id": 3, "d": "m = q2", "asked": ["m"]})
    assert told["recorded"] == [1, 3]
    assert list(told["refused"]) == ["2"]
    assert "one solution" in told["refused"]["2"]
    notes = told["notes"]["1"]
    assert [note.partition(":")[0] for note in notes] == ["alternative", "equivalent", "same", "asked", "role"]
    with Store.open(tmp_path / "work.db") as store:
        work = store.work(1, "Ann")
        assert (work.submitted, work.asked, work.roles, work.groups) == (True, None, (("m", "hens"),), ())
        # Its equations are not linear, so nothing can be proposed for it.
        assert (store.work(3, "Ann").submitted, store.problem(3).status) == (True, "refused")


def test_numbers_of_the_row_are_counted_even_where_the_rules_do_not_find_them(run: Run, tmp_path: Path) -> None:
    texts = [(1, "a", 1.0), (4, "3", 3.0), (7, "4", 4.0), (10, "2", 2.0)]
    numbers = [
        {"index": i, "sentence": 0, "token": token, "start": 0, "end": 1, "text": text, "value": value}
        for i, (token, text, value) in enumerate(texts, 1)
    ]
    rows = lines(tmp_path / "rows.jsonl", {**SHOP, "numbers": numbers})
    told = run("Ann", {"id": 2, "d": "m = q1*q2 + q3*q4", "asked": ["q1*m"]}, source=rows)
    assert told["recorded"] == [2]
    with Store.open(tmp_path / "work.db") as store:
        assert [decision.kind for decision in store.history(2, "Ann")] == ["number", "derivation", "asked", "submit"]
        row = store.work(2, "Ann").problem().to_row()
    assert (row["derivation"], row["solutions"], row["asked"]) == ("m = q1*q2 + q3*q4", [11.0], ["q1*m"])
    assert [(n["token"], n["value"]) for n in row["numbers"]] == [(token, value) for token, _, value in texts]
    assert "numbers[0].token" in run(
        "Bob", ANN, source=lines(tmp_path / "bad.jsonl", {**SHOP, "id": 5, "numbers": [{**numbers[0], "token": -1}]})
    )


def test_a_rounded_third_is_marked_as_a_third(run: Run, tmp_path: Path) -> None:
    third = {"index": 1, "sentence": 0, "token": 2, "start": 0, "end": 1, "text": "some", "value": 0.3333333}
    row = {"id": 9, "question": "Take away some of it .", "equations": ["x = 1"], "numbers": [third]}
    told = run("Ann", {"id": 9, "d": "m = q1"}, source=lines(tmp_path / "rows.jsonl", row))
    assert told["recorded"] == [9]
    with Store.open(tmp_path / "work.db") as store:
        assert store.work(9, "Ann").problem().solutions == (1 / 3,)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({}, "id: "),
        ({"id": -1, "d": ""}, "id: "),
        ({"id": 1}, "d: .*None"),
        ({"id": 1, "d": 3}, "d: .*3"),
        ({"id": 1, "d": "m = q1", "asked": [3]}, r"asked: .*\[3\]"),
        ({"id": 1, "d": "m = q1", "asked": {"m": 1}}, "asked: "),
        ({"id": 1, "d": "m = q1", "alt": 3}, "alt: .*3"),
        ({"id": 1, "d": "m = q1", "roles": ["m"]}, r"roles: .*\['m'\]"),
        ({"id": 1, "d": "m = q1", "roles": {"m": 3}}, "roles: "),
        ({"id": 1, "d": "m = q1", "same": [3]}, r"same: .*\[3\]"),
        ({"id": 1, "d": "m = q1", "same": [[0, 1]]}, "same: "),
        ({"id": 1, "d": "m = q1", "same": "q1"}, "same: .*'q1'"),
    ],
)
def test_a_line_that_is_no_reading_is_named_and_no_store_is_made(
    run: Run, tmp_path: Path, line: dict[str, Any], message: str
) -> None:
    with pytest.raises(RowError, match=rf"line 2: {message}"):
        read_readings(lines(tmp_path / "r.jsonl", {**ANN, "id": 5}, line))
    assert "line 2: " in run("Ann", {**ANN, "id": 5}, line)
    assert not (tmp_path / "work.db").exists()


def test_a_file_has_one_reading_of_a_problem(tmp_path: Path) -> None:
    with pytest.raises(RowError, match=r"line 2: .*\b1\b"):
        read_readings(lines(tmp_path / "r.jsonl", ANN, ANN))


@pytest.mark.parametrize("options", [["--as", "Ann"], ["--readings", "{readings}"]])
def test_readings_and_their_reader_belong_together(
    problems: Path, tmp_path: Path, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    readings = lines(tmp_path / "r.jsonl", ANN)
    store = tmp_path / "work.db"
    given = [option.format(readings=readings) for option in options]
    assert main(["annotate", "import", str(problems), *given, "--store", str(store)]) == 2
    assert "--readings FILE with --as NAME" in capsys.readouterr().err
    assert not store.exists()


def test_the_text_of_an_import_says_what_was_left_out(
    problems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    readings = lines(
        tmp_path / "r.jsonl", {**ANN, "asked": ["m*n"]}, {**ANN, "id": 99}, {"id": 2, "d": "m = q9"}, {"id": 3, "d": ""}
    )
    command = ["annotate", "import", str(problems), "--readings", str(readings), "--as", "Ann", "--ask-roles"]
    assert main([*command, "--store", str(tmp_path / "work.db")]) == 0
    told = capsys.readouterr().out
    assert "readings of Ann: 2 recorded, 1 left out\n" in told
    assert "1 flagged\n" in told
    assert "readings of other problems: 1\n" in told
    assert "left out 2: " in told
    assert "1: left out a part: asked: " in told
    with Store.open(tmp_path / "work.db") as store:
        assert store.ask_roles
        assert store.add_problems([StoredProblem(7, "Add 3 and 4 .", ("x = 3 + 4",))]).added == (7,)


@pytest.mark.release
def test_the_census_of_a_release(
    release_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DRAW_RELEASE_DIR", str(release_dir))
    store = str(tmp_path / "census.db")
    for reader in (1, 2):
        readings = str(READINGS / f"alg514.{reader}.jsonl")
        command = ["annotate", "import", "alg514", "--readings", readings, "--as", f"reader {reader}", "--json"]
        assert main([*command, "--store", store]) == 0
        told = json.loads(capsys.readouterr().out)["readings"]
        assert (len(told["recorded"]), told["refused"], told["notes"]) == (514, {}, {})
    assert main(["annotate", "agreement", "--store", store, "--json"]) == 0
    fields = json.loads(capsys.readouterr().out)["fields"]
    assert {name: field["compared"] for name, field in fields.items() if name != "roles"} == dict.fromkeys(
        ["alignment", "equiv_tnum", "template", "derivation", "annotation", "asked"], 514
    )
    assert all(field["percent"] > 99 for field in fields.values())
    out = tmp_path / "rows.jsonl"
    assert main(["annotate", "export", "--store", store, "--out", str(out)]) == 0
    rows = read_rows(out)
    assert len(rows) > 500
    assert all(len(row.roles) == len(row.derivation.template.unknowns) for row in rows)
