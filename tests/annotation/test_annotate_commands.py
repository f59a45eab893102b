"""``draw annotate``: import, status, agreement, adjudicate, export as people and scripts meet them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from simulated import TIES, TWO_QUESTIONS, annotate

from draw_dataset.annotation.store import Store
from draw_dataset.cli import main
from draw_dataset.commands.annotate import ACTIONS


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

    def data(self, action: str, *arguments: str) -> Any:
        return json.loads(self(action, "--json", *arguments))


@pytest.fixture
def shell(tmp_path: Path, problems: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    """A store in which Ann and Bob disagree about problem 7, agree about 8, and Bob has edited nothing."""
    shell = Shell(tmp_path / "work.db", capsys)
    shell("import", str(problems))
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
    assert shell.data("import", str(problems)) == {
        "added": [7, 8, 9, 10], "updated": [], "unchanged": [],
        "counts": {"automatic": 1, "open": 2, "refused": 1},
        "refused": {"10": "question: expected at least one number, but got none"},
    }  # fmt: skip
    assert shell("import", str(problems)) == f"{shell.store}: 4 already there\n"
    told = shell("import", str(problems), "sample", status=2)
    assert "problem 7: expected each id once, but got two different problems with it" in told


def test_import_refuses_other_problems_of_the_same_ids_unless_they_update(shell: Shell, tmp_path: Path) -> None:
    mended = tmp_path / "mended.jsonl"
    mended.write_text('{"id": 10, "question": "Nothing but 3 .", "equations": ["x = 3"]}', encoding="utf-8")
    told = shell("import", str(mended), status=2)
    assert "but 1 differ from it: 10. Nothing was imported; give --update" in told
    told = shell("import", str(mended), "--update", "--annotators-per-problem", "3", "--seed", "5")
    assert told == f"{shell.store}: 1 updated\nof those added or updated: 1 automatic\n"
    assert shell.data("status")["annotators_per_problem"] == 3


def test_a_failed_import_makes_no_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.jsonl").write_text('{"id": 1}\n', encoding="utf-8")
    shell = Shell(tmp_path / "new.db", capsys)
    assert "bad.jsonl, line 1: expected id, question and equations" in shell(
        "import", str(tmp_path / "bad.jsonl"), status=2
    )
    assert not shell.store.exists()
    (tmp_path / "half.jsonl").write_text('{"id": 1, "question": "\\ud800", "equations": []}\n', encoding="utf-8")
    assert "half.jsonl, line 1: question: expected strings that can be written" in shell(
        "import", str(tmp_path / "half.jsonl"), status=2
    )
    assert not shell.store.exists()


@pytest.mark.parametrize("option", [["--seed", "-1"], ["--seed", "x"], ["--annotators-per-problem", "0"]])
def test_import_wants_whole_numbers(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["annotate", "import", "sample", *option])
    assert stopped.value.code == 2
    assert "expected a whole number from" in capsys.readouterr().err


def test_status_shows_everyone_and_what_is_left(shell: Shell) -> None:
    data = shell.data("status")
    assert data["problems"] == {"automatic": 1, "open": 2, "refused": 1}
    assert data["annotators"]["Ann"] == {
        "submitted": 2, "flagged": 0, "skipped": 0, "left": 0, "seconds": 60.0, "median_seconds": 30.0,
    }  # fmt: skip
    assert data["disagreements"] == [7]
    text = shell("status")
    assert "problems: 4 (1 automatic, 2 open, 1 refused)" in text
    assert "settled: 2 (1 agreed, 1 automatic)" in text
    assert "10: question: expected at least one number, but got none" in text
    assert "7: annotators disagree" in text


def test_agreement_as_a_table_and_as_data(shell: Shell) -> None:
    data = shell.data("agreement")
    assert data["problems"] == 2
    assert data["fields"]["annotation"] == {
        "agreeing": 1, "compared": 2, "percent": 50.0, "alpha": None, "units": None,
    }  # fmt: skip
    assert data["fields"]["template"]["alpha"] == 1.0
    assert data["disagreements"] == [
        {
            "id": 7, "annotators": ["Ann", "Bob"], "fields": ["alignment", "derivation", "annotation"],
            "details": ['2 comes from "Two" (q1) for Ann, but from "2" (q2) for Bob'],
        }
    ]  # fmt: skip
    text = shell("agreement")
    assert "alignment        1/2       50.0" in text
    assert "median seconds a problem: 30.0 (Ann 30.0, Bob 40.0)" in text


def test_adjudicating_from_the_shell(shell: Shell, tmp_path: Path) -> None:
    (listed,) = shell.data("adjudicate")
    assert (listed["id"], [w["derivation"] for w in listed["works"]]) == (7, ["m = q1 + q4", "m = q2 + q4"])
    text = shell("adjudicate")
    assert text.startswith("1 open disagreement\n")
    assert "numbers: q1 Two, q2 2, q3 4, q4 5" in text
    assert "values: 1: 2, 2: 5" in text
    assert shell("adjudicate", "7", "--as", "Carol", "--take", "Bob") == (
        "7: settled by Carol (the work of Bob): m = q2 + q4\n"
    )
    assert shell("adjudicate") == "no open disagreements\n"
    told = shell.data("adjudicate", "7", "--as", "Carol", "--choose", "1=q1", "--equivalent", "q1,q2")
    assert (told["derivation"], len(told["equiv_tnum"]), told["took"]) == ("m = q1 + q4", 1, None)
    out = tmp_path / "rows.jsonl"
    shell("export", "--out", str(out))
    rows = {row["id"]: row for row in map(json.loads, out.read_text(encoding="utf-8").splitlines())}
    assert (rows[7]["annotated"], rows[7]["annotators"], rows[7]["source"]) == ("adjudicated", ["Carol"], "a book")
    assert shell("adjudicate", "7", "--as", "Carol", "--flag", "unclear") == "7: settled by Carol: flagged: unclear\n"
    assert shell.data("export", "--out", str(out))["left_out"] == {"flagged": [7], "refused": [10]}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["7"], "expected an ID, --as NAME and what to decide"),
        (["7", "--take", "Ann"], "expected an ID, --as NAME and what to decide"),
        (["--as", "Carol", "--take", "Ann"], "expected an ID, --as NAME and what to decide"),
        (["7", "--as", "Carol"], "expected an ID, --as NAME and what to decide"),
        (["--as", "Carol"], "expected an ID, --as NAME and what to decide"),
        (["7", "--as", "Carol", "--take", "Zoe"], "Unknown annotator 'Zoe': the store has Ann, Bob"),
        (["99", "--as", "Carol", "--take", "Ann"], "Unknown problem 99"),
        (["7", "--as", "a\nb", "--take", "Ann"], "name: expected characters that can be seen"),
        (["7", "--as", "Carol", "--choose", "x=q1"], "--choose: expected a value and its number, as 2=q4"),
        (["7", "--as", "Carol", "--choose", "0=q1"], "--choose: expected a value and its number, as 2=q4"),
        (["7", "--as", "Carol", "--choose", "1=q9"], "expected q1 to q4, or constant, but got 'q9'"),
        (["7", "--as", "Carol", "--choose", "1=q3"], "literal 2: expected a number of that value"),
        (["7", "--as", "Carol", "--equivalent", "q1,q3"], "expected numbers of one value"),
        (["7", "--as", "Carol", "--equivalent", "q1,q2"], "expected every value to be decided"),
    ],
)
def test_adjudications_that_are_refused_change_nothing(shell: Shell, arguments: list[str], message: str) -> None:
    assert message in shell("adjudicate", *arguments, status=2)
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
    assert "left out, disagreement: 1 (7)" in shell("export", "--out", str(out), "--policy", "majority")


def test_exports_that_are_refused_write_nothing(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    out.write_text("mine", encoding="utf-8")
    assert "expected where to write" in shell("export", status=2)
    assert "Unknown annotator 'Zoe'" in shell("export", "--out", str(out), "--annotator", "Zoe", status=2)
    assert "and only with it" in shell(
        "export", "--out", str(out), "--policy", "majority", "--annotator", "Ann", status=2
    )
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
    assert "make one with: draw annotate import FILE" in shell(action, *more, status=2)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("action", ACTIONS)
def test_every_action_has_help_with_examples(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["annotate", action, "--help"])
    assert stopped.value.code == 0
    told = capsys.readouterr().out
    assert "examples:" in told
    assert "--json" in told
