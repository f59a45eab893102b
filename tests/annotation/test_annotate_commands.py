"""``draw annotate``: import, status, agreement, adjudicate, export as people and scripts meet them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from annotation.simulated import TIES, TWO_QUESTIONS, annotate

from draw_dataset.annotate.store import Store
from draw_dataset.cli import main
from draw_dataset.commands.annotate import annotate as annotate_group


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    path = tmp_path / "problems.jsonl"
    lines = [
        {"id": 7, "question": TIES.question, "equations": list(TIES.equations), "source": "a book"},
        {"id": 8, "question": TWO_QUESTIONS.question, "equations": list(TWO_QUESTIONS.equations)},
        {"id": 9, "question": "Add 3 and 4 .", "equations": ["x = 3 + 4"]},
        {"id": 10, "question": "Nothing .", "equations": ["x = 3"]},
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


class Shell:
    """Runs ``draw annotate`` on one store."""

    def __init__(self, store: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.store = store
        self.capsys = capsys

    def __call__(self, action: str, *arguments: str, status: int = 0) -> str:
        assert main(["annotate", action, "--store", str(self.store), *arguments]) == status
        told = self.capsys.readouterr()
        assert (told.out == "") is (status == 2)
        return told.err if status == 2 else told.out

    def data(self, action: str, *arguments: str, status: int = 0) -> Any:
        return json.loads(self(action, "--json", *arguments, status=status))


@pytest.fixture
def shell(tmp_path: Path, problems: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    """A store in which Ann and Bob disagree about problem 7, agree about 8, and Bob has edited nothing."""
    shell = Shell(tmp_path / "work.db", capsys)
    shell("import", str(problems), status=1)  # problem 10 is refused
    with Store.open(shell.store) as store:
        for name, place, seconds in (("Ann", [0, 0], 30), ("Bob", [0, 2], 50)):
            store.add_annotator(name)
            annotate(store, 7, name, {0: place}, seconds=seconds)
            annotate(store, 8, name, {0: [0, 2], 1: [0, 5], 2: [1, 2]}, seconds=10)
    return shell


def test_import_says_what_became_of_the_problems(
    tmp_path: Path, problems: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shell = Shell(tmp_path / "new.db", capsys)
    data = shell.data("import", str(problems), status=1)
    assert list(data.pop("refused")) == ["10"]
    assert data == {
        "added": [7, 8, 9, 10], "updated": [], "unchanged": [],
        "counts": {"automatic": 1, "open": 2, "refused": 1}, "constants": {}, "lines_left_out": [], "notes": [],
    }  # fmt: skip
    assert shell("import", str(problems)).startswith(f"{shell.store}: 4 ")
    assert "problem 7: " in shell("import", str(problems), "sample", status=2)


def test_import_refuses_other_problems_of_the_same_ids_unless_they_update(shell: Shell, tmp_path: Path) -> None:
    mended = tmp_path / "mended.jsonl"
    mended.write_text('{"id": 10, "question": "Nothing but 3 .", "equations": ["x = 3"]}', encoding="utf-8")
    told = shell("import", str(mended), status=2)
    assert re.search(r"\b1\b.*\b10\b.*--update", told)
    told = shell("import", str(mended), "--update", "--annotators-per-problem", "3", "--seed", "5")
    assert told.startswith(f"{shell.store}: 1 updated\n")
    assert "1 automatic" in told
    assert shell.data("status")["annotators_per_problem"] == 3


def test_a_failed_import_makes_no_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.jsonl").write_text('{"id": 1}\n', encoding="utf-8")
    shell = Shell(tmp_path / "new.db", capsys)
    assert "bad.jsonl, line 1: " in shell("import", str(tmp_path / "bad.jsonl"), status=2)
    assert not shell.store.exists()
    (tmp_path / "half.jsonl").write_text('{"id": 1, "question": "\\ud800", "equations": []}\n', encoding="utf-8")
    assert "half.jsonl, line 1: question: " in shell("import", str(tmp_path / "half.jsonl"), status=2)
    assert not shell.store.exists()


TABLE = (
    "id,question,equations,source\n"
    '1,"Ann has 3 hats and 4 caps, all new.","x = 3; y = 4",a book\n'
    "b2,Kim runs 5 km twice .,x = 2*5,\n"
    '3,"Two lines, with 6 and 7.","x + y = 6\nx - y = 7",\n'
)


def test_a_table_is_imported_like_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, content in (
        ("t.csv", "\ufeff" + TABLE),
        ("t.tsv", TABLE.replace("hats and 4 caps, all", "hats and 4 caps - all").replace('"Two lines, ', '"Two lines ')
         .replace(",", "\t")),
    ):  # fmt: skip
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        shell = Shell(tmp_path / f"{name}.db", capsys)
        assert shell.data("import", str(path))["added"] == [1, "b2", 3]
        with Store.open(shell.store) as store:
            assert [entry.stored.equations for entry in store.problems()] == [
                ("x = 3", "y = 4"), ("x = 2*5",), ("x + y = 6", "x - y = 7"),
            ]  # fmt: skip
            assert [dict(entry.stored.extra) for entry in store.problems()] == [{"source": "a book"}, {}, {}]
        assert "3 already there" in shell("import", str(path))
    capsys.readouterr()
    assert main(["annotate", "propose", str(tmp_path / "t.csv"), "--json"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_a_table_without_the_columns_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text("number,question\n1,How many are 3 and 4 ?\n", encoding="utf-8")
    told = Shell(tmp_path / "work.db", capsys)("import", str(tmp_path / "t.csv"), status=2)
    assert re.search(r"t\.csv: expected columns for question and equations, but got none for equations.*'number'", told)


@pytest.mark.parametrize(
    ("name", "content", "said", "ids"),
    [
        (
            "t.csv", "Problem,Solution\nAdd 3 and 4 .,x = 3 + 4\nAdd 5 .,x = 5\n",
            't.csv: took "Problem" as the question, "Solution" as the equations, the number of each line as its id',
            [1, 2],
        ),
        (
            "t.tsv", "Problem ID\tProblem-Text\tFORMULA\na1\tAdd 3 and 4 .\tx = 3 + 4\n",
            't.tsv: took "Problem ID" as the id, "Problem-Text" as the question, "FORMULA" as the equations',
            ["a1"],
        ),
        (
            "t.jsonl", '{"iIndex": 4, "sQuestion": "Add 3 and 4 .", "lEquations": ["x = 3 + 4"], "source": "s"}\n',
            't.jsonl: took "iIndex" as the id, "sQuestion" as the question, "lEquations" as the equations',
            [4],
        ),
        (
            "t.jsonl", '{"question": "Add 3 and 4 .", "equations": "x = 3 + 4"}',
            "t.jsonl: took the number of each line as its id", [1],
        ),
    ],
)  # fmt: skip
def test_files_of_ones_own_are_read_with_their_own_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: str, said: str, ids: list[object]
) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    shell = Shell(tmp_path / "work.db", capsys)
    assert said in shell("import", str(path)).splitlines()[0]
    with Store.open(shell.store) as store:
        assert [entry.stored.id for entry in store.problems()] == ids
        assert {entry.status for entry in store.problems()} == {"automatic"}


def test_a_line_without_an_id_in_a_file_with_ids_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": 1, "question": "Add 5 .", "equations": ["x = 5"]}\n{"question": "?", "equations": []}\n')
    shell = Shell(tmp_path / "work.db", capsys)
    assert "line 2: expected id, question and equations, but id is missing" in shell("import", str(path), status=1)


def test_import_and_propose_take_and_leave_the_same_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": 1, "question": "Add 5 ."}\n{"id": 2, "question": "Add 5 .", "equations": ["x = 5"]}\n')
    shell = Shell(tmp_path / "work.db", capsys)
    reason = "line 1: expected id, question and equations, but equations is missing"
    assert reason in shell("import", str(path), status=1)
    assert main(["annotate", "propose", str(path)]) == 1
    told = capsys.readouterr().out
    assert re.search(rf"^left out: .*{reason}", told, re.MULTILINE)
    assert "2: x = 5" in told
    assert main(["annotate", "propose", str(path), "--json"]) == 1
    assert reason in json.loads(capsys.readouterr().out.splitlines()[-1])["left_out"]


def test_import_tells_by_its_status_that_a_problem_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": 1, "question": "No .", "equations": ["x = 5"]}\n', encoding="utf-8")
    shell = Shell(tmp_path / "work.db", capsys)
    told = shell("import", str(path), status=1)
    assert "1 refused" in told
    assert "write a derivation yourself" in told
    assert "1 already there" in shell("import", str(path))


def test_one_bad_line_does_not_stop_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = [{"id": i, "question": f"Add {i} and 9 .", "equations": [f"x = {i} + 9"]} for i in (1, 2)]
    path = tmp_path / "p.jsonl"
    lines = [json.dumps(good[0]), "{", '{"id": 3}', json.dumps({**good[0], "question": "Another 1 ."}), "[1]"]
    path.write_text("\n".join([*lines, json.dumps(good[1])]), encoding="utf-8")
    shell = Shell(tmp_path / "work.db", capsys)
    assert "p.jsonl, line 2: expected JSON" in shell("import", str(path), "--strict", status=2)
    assert not shell.store.exists()
    told = shell("import", str(path), status=1)
    assert re.search(r": 2 added\n.*^lines left out: 4$", told, re.MULTILINE | re.DOTALL)
    for line, reason in ((2, "expected JSON"), (3, "expected id"), (4, "expected each id"), (5, "expected a JSON")):
        assert re.search(rf"^  \S*p\.jsonl, line {line}: {reason}", told, re.MULTILINE)
    with Store.open(shell.store) as store:
        assert [entry.stored.id for entry in store.problems()] == [1, 2]
    (tmp_path / "t.csv").write_text("id,question,equations\n4,Add 4 and 9,x = 4 + 9\n5,Add 5, 5,x = 10\n", "utf-8")
    told = shell("import", str(tmp_path / "t.csv"), "--json", status=1)
    assert json.loads(told)["added"] == [4]
    assert re.search(r"t\.csv, line 3: expected 3 fields, but got 4", json.loads(told)["lines_left_out"][0])


@pytest.mark.parametrize("option", [["--seed", "-1"], ["--seed", "x"], ["--annotators-per-problem", "0"]])
def test_import_wants_whole_numbers(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["annotate", "import", "sample", *option]) == 2
    assert option[0] in capsys.readouterr().err


def test_status_shows_everyone_and_what_is_left(shell: Shell) -> None:
    data = shell.data("status")
    assert data["problems"] == {"automatic": 1, "open": 2, "refused": 1}
    assert data["annotators"]["Ann"] == {
        "submitted": 2, "flagged": 0, "skipped": 0, "left": 0, "seconds": 60.0, "median_seconds": 30.0,
    }  # fmt: skip
    assert data["disagreements"] == [7]
    text = shell("status")
    assert re.search(r"\b4\b.*\b1 automatic, 2 open, 1 refused\b", text)
    assert re.search(r"\b2\b.*\b1 agreed, 1 automatic\b", text)
    assert re.search(r"^ *10: ", text, re.MULTILINE)
    assert re.search(r"^ *7: ", text, re.MULTILINE)


def test_agreement_as_a_table_and_as_data(shell: Shell) -> None:
    data = shell.data("agreement")
    assert data["problems"] == 2
    assert data["fields"]["annotation"] == {
        "agreeing": 1, "compared": 2, "percent": 50.0, "alpha": None, "units": None,
    }  # fmt: skip
    assert data["fields"]["template"]["alpha"] == 1.0
    (disagreement,) = data["disagreements"]
    (detail,) = disagreement.pop("details")
    assert re.search(r'"Two" \(q1\).*Ann.*"2" \(q2\).*Bob', detail)
    assert disagreement == {
        "id": 7, "annotators": ["Ann", "Bob"], "fields": ["alignment", "derivation", "annotation"],
    }  # fmt: skip
    text = shell("agreement")
    assert "alignment        1/2       50.0" in text
    assert "30.0 (Ann 30.0, Bob 40.0)" in text


def test_adjudicating_from_the_shell(shell: Shell, tmp_path: Path) -> None:
    (listed,) = shell.data("adjudicate")
    assert (listed["id"], [w["derivation"] for w in listed["works"]]) == (7, ["m = q1 + q4", "m = q2 + q4"])
    text = shell("adjudicate")
    assert text.startswith("1 open disagreement\n")
    assert "numbers: q1 Two, q2 2, q3 4, q4 5" in text
    assert "values: 1: 2, 2: 5" in text
    told = shell("adjudicate", "7", "--as", "Carol", "--take", "Bob")
    assert re.search(r"^7: .*Carol.*Bob.* m = q2 \+ q4$", told)
    assert shell("adjudicate") == "no open disagreements\n"
    told = shell.data("adjudicate", "7", "--as", "Carol", "--choose", "1=q1", "--equivalent", "q1,q2")
    assert (told["derivation"], len(told["equiv_tnum"]), told["took"]) == ("m = q1 + q4", 1, None)
    out = tmp_path / "rows.jsonl"
    shell("export", "--out", str(out))
    rows = {row["id"]: row for row in map(json.loads, out.read_text(encoding="utf-8").splitlines())}
    assert (rows[7]["annotated"], rows[7]["annotators"], rows[7]["source"]) == ("adjudicated", ["Carol"], "a book")
    assert re.search("^7: .*Carol.*unclear$", shell("adjudicate", "7", "--as", "Carol", "--flag", "unclear"))
    assert shell.data("export", "--out", str(out))["left_out"] == {"flagged": [7], "refused": [10]}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["7"], r"\bID\b.*--as"),
        (["7", "--take", "Ann"], r"\bID\b.*--as"),
        (["--as", "Carol", "--take", "Ann"], r"\bID\b.*--as"),
        (["7", "--as", "Carol"], r"\bID\b.*--as"),
        (["--as", "Carol"], r"\bID\b.*--as"),
        (["7", "--as", "Carol", "--take", "Zoe"], r"'Zoe'.*Ann, Bob"),
        (["99", "--as", "Carol", "--take", "Ann"], r"\b99\b"),
        (["7", "--as", "a\nb", "--take", "Ann"], "name: "),
        (["7", "--as", "Carol", "--choose", "x=q1"], r"--choose: .*2=q4"),
        (["7", "--as", "Carol", "--choose", "0=q1"], r"--choose: .*2=q4"),
        (["7", "--as", "Carol", "--choose", "1=q9"], r"q1.*q4.*constant.*'q9'"),
        (["7", "--as", "Carol", "--choose", "1=q3"], "literal 2: "),
        (["7", "--as", "Carol", "--equivalent", "q1,q3"], "equivalent: "),
        (["7", "--as", "Carol", "--equivalent", "q1,q2"], "problem 7: "),
    ],
)
def test_adjudications_that_are_refused_change_nothing(shell: Shell, arguments: list[str], message: str) -> None:
    assert re.search(message, shell("adjudicate", *arguments, status=2))
    assert len(shell.data("adjudicate")) == 1
    assert list(shell.data("status")["annotators"]) == ["Ann", "Bob"]


def test_export_by_policy_says_what_is_left_out(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    assert shell.data("export", "--out", str(out)) == {
        "policy": "adjudicated", "rows": 2, "counts": {"agreed": 1, "automatic": 1},
        "left_out": {"disagreement": [7], "refused": [10]},
    }  # fmt: skip
    assert shell.data("export", "--out", str(out), "--annotator", "Bob")["counts"] == {"annotator": 2, "automatic": 1}
    assert shell.data("export", "--out", str(out), "--least", "3")["left_out"]["too few annotators"] == [7, 8]
    assert "disagreement: 1 (7)" in shell("export", "--out", str(out), "--policy", "majority")


def test_what_one_of_two_has_submitted_stays_open(tmp_path: Path, problems: Path, shell: Shell) -> None:
    with Store.open(shell.store) as store:
        store.decide(8, "Bob", "reopen")
    out = tmp_path / "rows.jsonl"
    assert shell.data("status")["unsettled"] == {"disagreement": 1, "too few annotators": 1, "refused": 1}
    assert re.search(r"too few annotators: 1; fewer than 2 .*--least 1", shell("status"))
    told = shell("export", "--out", str(out))
    assert re.search(r"left out, too few annotators: 1 \(8\); fewer than 2 .*--least 1", told)
    assert [json.loads(line)["id"] for line in out.read_text(encoding="utf-8").splitlines()] == [9]
    assert shell.data("export", "--out", str(out), "--least", "1")["counts"] == {"annotator": 1, "automatic": 1}
    assert shell.data("export", "--out", str(out), "--annotator", "Ann")["counts"] == {"annotator": 2, "automatic": 1}
    shell("import", str(problems), "--annotators-per-problem", "1")
    assert shell.data("export", "--out", str(out))["counts"] == {"annotator": 1, "automatic": 1}
    assert "too few" not in shell("status")


def test_one_person_is_enough_for_a_problem_that_needs_none(tmp_path: Path, shell: Shell) -> None:
    with Store.open(shell.store) as store:
        annotate(store, 9, "Ann", {})
    out = str(tmp_path / "rows.jsonl")
    assert shell.data("export", "--out", out)["counts"] == {"agreed": 1, "annotator": 1}


def test_exports_that_are_refused_write_nothing(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    out.write_text("mine", encoding="utf-8")
    assert "--out" in shell("export", status=2)
    assert "'Zoe'" in shell("export", "--out", str(out), "--annotator", "Zoe", status=2)
    assert "annotator" in shell("export", "--out", str(out), "--policy", "majority", "--annotator", "Ann", status=2)
    nowhere = tmp_path / "no" / "rows.jsonl"
    assert f"cannot write {nowhere}: No such file" in shell("export", "--out", str(nowhere), status=2)
    assert "is a file" in shell("export", "--out-dataset", str(out), status=2)
    assert out.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("action", ["status", "agreement", "adjudicate", "export"])
def test_actions_on_no_store_say_how_to_make_one(
    tmp_path: Path, action: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shell = Shell(tmp_path / "none.db", capsys)
    more = ["--out", str(tmp_path / "rows.jsonl")] if action == "export" else []
    assert "draw annotate import" in shell(action, *more, status=2)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("action", annotate_group.commands)
def test_every_action_has_help_with_examples(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["annotate", action, "--help"]) == 0
    told = capsys.readouterr().out
    assert "Examples:" in told
    assert "--json" in told


def test_import_names_the_constants_that_a_text_does_not_give(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.jsonl"
    lines = [
        {"id": "clock-9", "question": "A bus drives 300 km from 9:15 to 11:45 .", "equations": ["v = 300/2.5"]},
        {"id": "sum", "question": "Add 3 and 4 .", "equations": ["x = 3 + 4"]},
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    shell = Shell(tmp_path / "work.db", capsys)
    assert "\n1 problem uses constants that the text does not give: clock-9 (2.5)" in shell("import", str(path))
    with Store.open(shell.store) as store:
        store.add_annotator("Ann")
        assert store.queue("Ann") == ["clock-9"]
        store.decide("clock-9", "Ann", "choose", {"literal": 1, "place": None})
        assert store.decide("clock-9", "Ann", "submit").problem().derivation.q_notation() == "m = 0.4*q1"
    assert main(["annotate", "propose", str(path)]) == 0
    assert "2.5 at column 9 is no number of the text" in capsys.readouterr().out


def test_values_to_choose_are_counted_from_1_in_messages_too(shell: Shell) -> None:
    told = shell("adjudicate", "7", "--as", "Lea", "--choose", "9=q3", status=2)
    assert "--choose: expected a value from 1 to 2, but got 9" in told


def test_what_the_page_offers_passes_the_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, rows = tmp_path / "p.jsonl", tmp_path / "rows.jsonl"
    line = {"id": 1, "question": "Tom has half of the 12 pears of Sam .", "equations": ["t = s/2", "s = 12"]}
    path.write_text(json.dumps(line), encoding="utf-8")
    shell = Shell(tmp_path / "work.db", capsys)
    shell("import", str(path), "--annotators-per-problem", "1")
    with Store.open(shell.store) as store:
        store.add_annotator("Ann")
        (position,) = store.work(1, "Ann").left
        annotate(store, 1, "Ann", {position: [0, 2]})
    shell("export", "--out", str(rows))
    assert "q1" in json.loads(rows.read_text(encoding="utf-8"))["derivation"]
    assert main(["check", str(rows)]) == 0
    assert "no findings" in capsys.readouterr().out
