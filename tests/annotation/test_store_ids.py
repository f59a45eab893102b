"""Ids may be whole numbers or strings: in a store, on the pages, in commands, and in exports."""

from __future__ import annotations

import json
import re
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from annotation.simulated import TIES, annotate
from hypothesis import given
from hypothesis import strategies as st

from draw_dataset.annotate.outcome import export_rows, settle
from draw_dataset.annotate.page.controllers import AdjudicationController, AnnotationController
from draw_dataset.annotate.store import Store
from draw_dataset.cli import main
from draw_dataset.derivation.problem import id_named, name_of
from draw_dataset.errors import AnnotationError

IDS = (7, "7", "train/12", 'say "a&b" <b>', "07", "ä 1")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    opened = Store.open(tmp_path / "work.db", create=True)
    opened.add_problems([replace(TIES, id=id_) for id_ in IDS])
    for name in ("Ann", "Bob"):
        opened.add_annotator(name)
    return opened


@given(st.one_of(st.integers(0, 2**63 - 1), st.text(min_size=1, max_size=20), st.from_regex(r'"?[0-9]+"?')))
def test_an_id_is_known_by_how_it_is_written(id_: int | str) -> None:
    assert id_named(name_of(id_)) == id_
    assert type(id_named(name_of(id_))) is type(id_)


def test_a_store_tells_a_number_from_a_text_and_gives_back_what_it_got(store: Store) -> None:
    assert [entry.stored.id for entry in store.problems()] == list(IDS)
    for name in ("Ann", "Bob"):
        assert sorted(map(str, store.queue(name))) == sorted(map(str, IDS))
        annotate(store, "7", name, {0: [0, 2]})
    assert store.work(7, "Ann").status == "untouched"
    assert 7 in store.queue("Ann")
    assert "7" not in store.queue("Ann")
    rows = export_rows(settle(store)).rows
    assert [row["id"] for row in rows] == ["7"]
    assert store.add_problems([replace(TIES, id="7")]).unchanged == ("7",)


@pytest.mark.parametrize("id_", IDS)
def test_a_page_goes_to_each_of_them(store: Store, id_: int | str) -> None:
    controller = AnnotationController(store, lambda: 0)
    html = controller.answer("Ann", {"do": "open", "problem": name_of(id_)})["html"]
    message = {"problem": _root(html, "problem"), "seen": 0}
    assert message["problem"] == name_of(id_)
    assert re.fullmatch(r"\?problem=[\w.%-]+", _root(html, "address"))
    html = controller.answer("Ann", {**message, "do": "choose", "literal": 0, "number": 1})["html"]
    assert "Saved: 2 is q1." in html
    html = controller.answer("Ann", {**message, "seen": 1, "do": "submit"})["html"]
    assert store.work(id_, "Ann").submitted
    annotate(store, id_, "Bob", {0: [0, 2]})
    adjudication = AdjudicationController(store)
    assert _root(adjudication.answer("Cy", {"do": "open"})["html"], "problem") == name_of(id_)
    adjudication.answer("Cy", {"do": "take", "problem": name_of(id_), "seen": 0, "which": 1})
    assert store.adjudications()[id_].taken == "Bob"


def _root(html: str, name: str) -> str:
    found = re.search(rf'<div id="draw"[^>]*data-{name}="([^"]*)"', html)
    assert found is not None
    return found[1].replace("&quot;", '"').replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def test_commands_take_them_and_files_keep_their_types(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [{"id": id_, "question": "Ann has 3 and 4 .", "equations": ["x = 3 + 4"], "source": "here"} for id_ in IDS]
    (tmp_path / "problems.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    store, out = str(tmp_path / "work.db"), tmp_path / "rows.jsonl"
    assert main(["annotate", "import", str(tmp_path / "problems.jsonl"), "--store", store]) == 0
    assert main(["annotate", "adjudicate", "train/12", "--as", "Cy", "--flag", "odd", "--store", store]) == 0
    assert main(["annotate", "adjudicate", '"7"', "--as", "Cy", "--flag", "odd", "--store", store]) == 0
    assert main(["annotate", "adjudicate", "08", "--as", "Cy", "--flag", "odd", "--store", store]) == 2
    assert "Unknown problem 8" in capsys.readouterr().err
    assert main(["annotate", "export", "--store", store, "--out", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["left_out"] == {"flagged": ["7", "train/12"]}
    found = [json.loads(line)["id"] for line in out.read_text(encoding="utf-8").splitlines()]
    assert found == [id_ for id_ in IDS if id_ not in ("7", "train/12")]


def test_mixed_ids_become_strings_in_a_dataset_and_the_command_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from datasets import load_from_disk

    with Store.open(tmp_path / "work.db", create=True) as store:
        store.add_problems([replace(TIES, id=id_, question="2 and 5 .") for id_ in ("a", 7)])
    command = ["annotate", "export", "--store", str(tmp_path / "work.db"), "--out-dataset", str(tmp_path / "set")]
    assert main(command) == 0
    assert "ids are strings there" in capsys.readouterr().out
    assert load_from_disk(str(tmp_path / "set"))["id"] == ["a", "7"]
    with Store.open(tmp_path / "work.db") as store:
        store.add_problems([replace(TIES, id="7", question="2 and 5 .")])
    assert main([*command, "--force"]) == 2
    assert "but got 7 as a whole number and as a string" in capsys.readouterr().err
    assert load_from_disk(str(tmp_path / "set"))["id"] == ["a", "7"]


def test_a_dataset_has_texts_as_ids_where_all_are(tmp_path: Path) -> None:
    from datasets import load_from_disk

    with Store.open(tmp_path / "work.db", create=True) as store:
        store.add_problems([replace(TIES, id=id_, question="2 and 5 .") for id_ in ("a", "7")])
    command = ["annotate", "export", "--store", str(tmp_path / "work.db"), "--out-dataset", str(tmp_path / "set")]
    assert main(command) == 0
    assert load_from_disk(str(tmp_path / "set"))["id"] == ["a", "7"]


def test_rows_go_to_standard_output_and_words_about_them_do_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Store.open(tmp_path / "work.db", create=True) as store:
        store.add_problems([replace(TIES, id="a", question="2 and 5 .")])
    assert main(["annotate", "export", "--store", str(tmp_path / "work.db"), "--out", "-"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["id"] == "a"
    assert "1 rows (1 automatic)" in told.err


# The tables as version 1 of the schema had them.
OLD = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE problems (
    id INTEGER PRIMARY KEY,
    position INTEGER NOT NULL UNIQUE,
    revision INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('automatic', 'open', 'refused')),
    questions INTEGER NOT NULL,
    message TEXT
);
CREATE TABLE revisions (
    problem INTEGER NOT NULL REFERENCES problems (id),
    revision INTEGER NOT NULL,
    question TEXT NOT NULL,
    equations TEXT NOT NULL,
    extra TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (problem, revision)
);
CREATE TABLE annotators (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, added TEXT NOT NULL);
CREATE TABLE decisions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    problem INTEGER NOT NULL REFERENCES problems (id),
    annotator INTEGER NOT NULL REFERENCES annotators (id),
    role TEXT NOT NULL CHECK (role IN ('annotator', 'adjudicator')),
    revision INTEGER NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    seconds REAL NOT NULL,
    at TEXT NOT NULL
);
CREATE INDEX decisions_of_work ON decisions (problem, annotator, role, number);
CREATE TABLE works (
    problem INTEGER NOT NULL REFERENCES problems (id),
    annotator INTEGER NOT NULL REFERENCES annotators (id),
    role TEXT NOT NULL,
    status TEXT NOT NULL,
    seconds REAL NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (problem, annotator, role)
);
INSERT INTO problems VALUES (7, 1, 1, 'open', 1, NULL);
INSERT INTO revisions VALUES (7, 1, 'Two and 2 make 4 . Add 5 .', '["x = 2 + 5"]', '{}', '2026-01-01T00:00:00.000000Z');
INSERT INTO annotators VALUES (1, 'Ann', '2026-01-01T00:00:00.000000Z');
INSERT INTO decisions VALUES (1, 7, 1, 'annotator', 1, 'choose', '{"literal":0,"place":[0,2]}', 2.5,
    '2026-01-01T00:00:00.000000Z');
INSERT INTO works VALUES (7, 1, 'annotator', 'started', 2.5, 1);
PRAGMA application_id = 0x44524157;
PRAGMA user_version = 1;
"""


def test_a_store_of_the_first_version_goes_on_with_whole_numbers(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    connection = sqlite3.connect(path)
    connection.executescript(OLD)
    connection.close()
    with Store.open(path) as store:
        assert store.decide(7, "Ann", "submit").seconds == 2.5
        assert store.add_problems([replace(TIES, id=8)]).added == (8,)
        with pytest.raises(AnnotationError, match=r"old\.db: .*\b1\b.*'a'"):
            store.add_problems([replace(TIES, id=9), replace(TIES, id="a")])
        assert [entry.stored.id for entry in store.problems()] == [7, 8]
        for text in ("7", "a"):
            with pytest.raises(AnnotationError, match="Unknown problem"):
                store.work(text, "Ann")
        assert (store.find("7"), store.queue("Ann")) == (7, [8])
        with pytest.raises(AnnotationError, match="Unknown problem 'a'"):
            store.find("a")
    assert sqlite3.connect(path).execute("PRAGMA user_version").fetchone() == (1,)
