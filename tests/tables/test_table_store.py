"""The store of jobs: records are found again, damaged ones count as missing, nothing half written stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from reproduction import jobs
from reproduction.jobs import DatasetJob, SolverJob
from reproduction.store import PARTS, Store, clear_parts, read_records, restamp, write_records
from tables.made_records import made_records

import draw_dataset
from draw_dataset.errors import RowError
from draw_dataset.fingerprint import plain_code

JOB = SolverJob("sample", "draw1k", "TE*", "first", "paper", None, 0, None)
CODE = {"solver": "c0de", "dataset": "c0de"}


def test_a_record_is_found_again_and_no_other_is_taken_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path, CODE)
    assert store.read(JOB) is None
    store.write(JOB, {"score": 1})
    record = store.read(JOB)
    assert record is not None
    assert record["score"] == 1
    assert store.jobs() == [JOB]
    assert store.read(DatasetJob("sample", "draw1k")) is None
    assert (record["behaviour"], record["code"]) == ("paper:1", "c0de")
    # Renaming something in the code changes no figure; a version that was raised says that figures have moved.
    assert Store(tmp_path, {**CODE, "solver": "other"}).read(JOB) == record
    raised = {**jobs.SOLVERS, "paper": jobs.SOLVERS["paper"]._replace(behaviour=2)}
    with monkeypatch.context() as patched:
        patched.setattr("reproduction.store.SOLVERS", raised)
        assert store.read(JOB) is None
        assert store.jobs() == []
    dataset = DatasetJob("sample", "draw1k")
    store.write(dataset, {})
    assert store.read(dataset) is not None
    assert Store(tmp_path, {**CODE, "dataset": "other"}).read(dataset) is None
    store.path(dataset).unlink()
    # The same name, but another source.
    assert store.read(SolverJob("release", "draw1k", "TE*", "first", "paper", None, 0, None)) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 2}', '{"format": 99, "job": {}}', "\x00"])
def test_a_damaged_record_counts_as_missing(tmp_path: Path, text: str) -> None:
    store = Store(tmp_path, CODE)
    store.path(JOB).write_text(text, encoding="utf-8")
    assert store.read(JOB) is None
    assert store.jobs() == []


def test_nothing_half_written_stays(tmp_path: Path) -> None:
    store = Store(tmp_path, CODE)
    store.write(JOB, {})
    (tmp_path / ".some.json.abc.part").write_text("{", encoding="utf-8")
    clear_parts(tmp_path)
    assert list(tmp_path.iterdir()) == [store.path(JOB)]


def test_records_are_taken_over_where_they_are_of_the_behaviour_at_hand(tmp_path: Path) -> None:
    made = made_records()
    other = next(iter(made))
    made[other] = {**made[other], "behaviour": "paper:0"}
    store = Store(tmp_path, CODE)
    assert store.adopt(made) == len(made) - 1
    assert store.read(other) is None
    assert store.adopt(made) == 0
    assert store.read_all(made) == {job: record for job, record in made.items() if job != other}


def test_records_in_one_file(tmp_path: Path) -> None:
    made = made_records()
    write_records(tmp_path / "jobs.jsonl", made)
    assert read_records(tmp_path / "jobs.jsonl") == made
    (tmp_path / "jobs.jsonl").write_text('{"format": 1}\n', encoding="utf-8")
    with pytest.raises(RowError, match=r"line 1\b"):
        read_records(tmp_path / "jobs.jsonl")


def test_only_keys_that_go_by_the_code_are_stamped_anew() -> None:
    dataset = DatasetJob("sample", "draw1k")
    record = {"behaviour": "code:old", "code": "old", "statistics": {}}
    assert restamp(dataset, record, CODE) == {"behaviour": "code:c0de", "code": "c0de", "statistics": {}}
    for job, made in made_records().items():
        assert restamp(job, made, CODE) == made


def test_the_parts_that_figures_depend_on_are_there() -> None:
    package = Path(draw_dataset.__file__).parent
    assert [part for parts in PARTS.values() for part in parts if not (package / part).exists()] == []


def test_comments_and_docstrings_are_no_code() -> None:
    one = 'def f(a):\n    """Say."""\n    # why\n    return  a\n'
    assert plain_code(one) == plain_code("def f(a): return a")
    assert plain_code(one) != plain_code("def f(a): return a + 1")
    assert plain_code('class C:\n    """Only this."""\n') == plain_code("class C:\n    pass\n")
