"""Records from files of every format, whole and broken, and rows in files that can be gone on with."""

from __future__ import annotations

import csv
import io
import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sources.source_problems import FORMULAS, GSM8K, MAWPS, SVAMP, asdiv_xml

from draw_dataset import derive
from draw_dataset.cli import main
from draw_dataset.deriving.files import Broken, read_records
from draw_dataset.deriving.run import DerivedCounts, row_file
from draw_dataset.errors import ChoiceError, RowError


def as_csv(records: list[dict[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, records[0].keys())
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


def as_lines(records: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def found(path: Path, text: str | bytes) -> list[Any]:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return list(read_records(path))


def test_every_format_gives_the_same_records(tmp_path: Path) -> None:
    assert found(tmp_path / "a.jsonl", as_lines(SVAMP)) == SVAMP
    assert found(tmp_path / "a.json", json.dumps(SVAMP, indent=1)) == SVAMP
    assert found(tmp_path / "a.json", "\ufeff" + json.dumps(SVAMP)) == SVAMP
    assert found(tmp_path / "b.json", as_lines(SVAMP)) == SVAMP
    assert found(tmp_path / "a.csv", as_csv(MAWPS)) == MAWPS
    assert found(tmp_path / "a.tsv", as_csv(MAWPS).replace(",", "\t")) == MAWPS
    first, *_ = found(tmp_path / "a.xml", asdiv_xml(FORMULAS))
    assert (first["ID"], first["Formula"], first["Answer"]) == ("a-1", "7+2=9", "9 (apples)")


def test_a_list_longer_than_a_piece_is_read_piece_by_piece(tmp_path: Path) -> None:
    records = [{"id": number, "text": "é½" * 40} for number in range(3_000)]
    assert found(tmp_path / "long.json", json.dumps(records, ensure_ascii=False)) == records


BROKEN: dict[str, tuple[str, Callable[[], str | bytes], int, str]] = {
    "a line that is no JSON": ("x.jsonl", lambda: '{"a": 1}\n{"a": \n{"a": 3}\n', 2, r"line 2: .*JSON"),
    "a line that is no object": ("x.jsonl", lambda: '[1]\n{"a": 3}\n', 1, r"line 1: .*JSON"),
    "a line that is no UTF-8": ("x.jsonl", lambda: b'{"a": "\xff"}\n{"a": 3}\n', 1, "line 1"),
    "a list that ends too early": ("x.json", lambda: '[{"a": 1}, {"a": 2', 1, "record 2"),
    "a list with rubbish": ("x.json", lambda: '[{"a": 1}, rubbish, {"a": 2}]', 1, "record 2"),
    "a list of numbers": ("x.json", lambda: '[{"a": 1}, 7, {"a": 2}]', 2, "record 2: "),
    "a list that is no UTF-8": ("x.json", lambda: b'[{"a": "\xff\xff\xff\xff\xff"}]', 0, "not UTF-8"),
    "a row with a field too few": ("x.csv", lambda: "a,b\n1,2\n3\n4,5\n", 2, r"line 3: .*2.*1"),
    "a row that is no UTF-8": ("x.csv", lambda: b"a,b\n\xff,2\n4,5\n", 1, "not UTF-8"),
    "a quote that is not closed": ("x.csv", lambda: 'a,b\n1,2\n"3,4\n', 1, "line 3"),
    "a document that ends too early": ("x.xml", lambda: asdiv_xml(FORMULAS)[:700], 3, "line"),
    "a document with a wrong end": ("x.xml", lambda: "<A><Problem ID='1'></B></A>", 0, "mismatched tag"),
    "a document with entities": (
        "x.xml",
        lambda: '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;">]><a><Problem>&c;</Problem></a>',
        0,
        "entities",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_broken_is_named_and_the_rest_is_read(what: str, tmp_path: Path) -> None:
    name, text, good, said = BROKEN[what]
    records = found(tmp_path / name, text())
    broken = [record.message for record in records if isinstance(record, Broken)]
    assert len(records) - len(broken) == good
    assert len(broken) == 1
    assert re.search(said, broken[0])


def test_files_that_are_not_there_or_of_another_kind_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RowError, match="file not found"):
        list(read_records(tmp_path / "none.jsonl"))
    with pytest.raises(ChoiceError, match=r"\.jsonl"):
        list(read_records(tmp_path / "none.txt"))


def test_derive_takes_a_file(tmp_path: Path) -> None:
    path = tmp_path / "gsm8k.jsonl"
    path.write_text(as_lines(GSM8K), encoding="utf-8")
    rows = derive(path, preset="gsm8k")
    assert next(rows)["id"] == 40
    assert sum(1 for _ in rows) == 3


def test_any_iterable_is_derived_as_it_goes() -> None:
    taken = []

    def problems() -> Any:
        for problem in GSM8K:
            taken.append(problem["id"])
            yield problem

    rows = derive(problems(), preset="gsm8k")
    next(rows)
    assert taken == [40]


def test_several_processes_give_the_same_rows() -> None:
    many = GSM8K * 50
    assert derive(many, preset="gsm8k", num_proc=2) == derive(many, preset="gsm8k")


# The command


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "svamp.json"
    path.write_text(json.dumps(SVAMP), encoding="utf-8")
    return path


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_command_writes_rows_and_counts_them(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "rows.jsonl"
    assert main(["derive", str(source), "--preset", "svamp", "--out", str(out), "--json", "--quiet"]) == 0
    assert rows_of(out) == derive(SVAMP, preset="svamp")
    told = json.loads(capsys.readouterr().out)
    assert (told["rows"], told["decided"], told["ambiguous"], told["refused"]) == (2, 1, 1, 0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.jsonl", "svamp.json"]


def test_the_command_writes_to_standard_output(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", str(source), "--preset", "svamp", "--quiet", "--limit", "1"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["id"] == "s-1"
    assert "1 row" in captured.err


def test_broken_records_are_named_and_make_the_status_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(as_lines(GSM8K[:1]) + "{\n" + as_lines(GSM8K[1:2]), encoding="utf-8")
    assert main(["derive", str(path), "--preset", "gsm8k", "--out", str(tmp_path / "r.jsonl"), "--quiet"]) == 1
    assert "x.jsonl, line 2" in capsys.readouterr().err
    assert [row["status"] for row in rows_of(tmp_path / "r.jsonl")] == ["decided", "refused", "decided"]


def test_the_command_says_that_an_answer_is_no_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "mine.csv"
    source.write_text(
        "question,sum,result\nAnn has 7 pens and 2 cups.,7 + 2,B\nBo has 3 of 4.,3 + 4,7\n", encoding="utf-8"
    )
    out = tmp_path / "rows.jsonl"
    assert main(["derive", str(source), "--equations", "sum", "--answer", "result", "--out", str(out)]) == 0
    assert [row["reason"] for row in rows_of(out)] == ["answer is no number: 'B'", ""]
    assert "answer is no number" in capsys.readouterr().out


def test_wrong_fields_are_an_error_that_names_them(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["derive", str(source), "--solution", "worked", "--out", str(tmp_path / "r"), "--quiet"]) == 2
    assert "question, worked" in capsys.readouterr().err


def test_a_stopped_run_goes_on_where_it_stopped(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "rows.jsonl"
    command = ["derive", str(source), "--preset", "svamp", "--out", str(out), "--quiet"]
    assert main(command) == 0
    whole = out.read_text(encoding="utf-8")
    # As if it had been killed within the second row.
    note = {}

    def stop(made_of: dict[str, Any]) -> None:
        note.update(made_of)
        raise KeyboardInterrupt

    from draw_dataset.commands import derive as command_module

    original = command_module._inputs
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command_module, "_inputs", lambda *given: stop(dict(original(*given))))
        assert main(command) == 130
    first, second = whole.splitlines(keepends=True)
    out.unlink()
    Path(f"{out}.part").write_text(first.replace("Tom", "Tim") + second[:30], encoding="utf-8")
    Path(f"{out}.part.json").write_text(json.dumps(note, sort_keys=True, ensure_ascii=False), encoding="utf-8")
    capsys.readouterr()
    assert main(command) == 0
    assert "resuming after 1 rows" in capsys.readouterr().err
    assert out.read_text(encoding="utf-8") == first.replace("Tom", "Tim") + second


def test_rows_made_of_something_else_are_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    row = {"id": 1, "status": "decided"}
    stopped = row_file(path, {"source": "one"})
    stopped.__enter__().write(row)
    assert stopped.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None) in (None, False)
    with row_file(path, {"source": "two"}) as file:
        assert file.done == 0
        file.write(row)
    assert len(rows_of(path)) == 1


# Runs draw, and kills itself before it writes row 301: no sooner and no later, however busy the machine is.
KILLED_AFTER_ROWS = """
import os, signal, sys
from draw_dataset.cli import main
from draw_dataset.deriving.run import RowFile
genuine, left = RowFile.write, 300
def write(self, row):
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    genuine(self, row)
RowFile.write = write
sys.exit(main(sys.argv[1:]))
"""


def test_a_killed_process_leaves_what_it_has_written(tmp_path: Path) -> None:
    """Kill a run in its middle, for good, and let another finish it: the rows are those of one run."""
    many = [dict(problem, id=number) for number, problem in enumerate(GSM8K * 200)]
    path, out = tmp_path / "many.jsonl", tmp_path / "rows.jsonl"
    path.write_text(as_lines(many), encoding="utf-8")
    arguments = ["derive", str(path), "--preset", "gsm8k", "--out", str(out), "--quiet"]
    killed = subprocess.run([sys.executable, "-c", KILLED_AFTER_ROWS, *arguments], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not out.exists()
    command = [sys.executable, "-m", "draw_dataset.cli", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "resuming after" in done.stderr
    assert [row["id"] for row in rows_of(out)] == list(range(len(many)))
    assert rows_of(out)[:4] == derive(many[:4], preset="gsm8k")


def test_the_tally_names_reasons() -> None:
    tally = DerivedCounts()
    for row in derive(GSM8K, preset="gsm8k"):
        tally.add(row)
    assert tally.to_dict()["reasons"] == {"reference does not come to its own answer": 1}
    assert "e.g. 43" in tally.to_text()


def test_a_long_file_takes_no_more_memory_than_a_short_one(tmp_path: Path) -> None:
    import tracemalloc

    def records(count: int) -> Any:
        return (dict(SVAMP[0], ID=number) for number in range(count))

    def peak(count: int) -> int:
        tracemalloc.start()
        for _ in derive(records(count), preset="svamp"):
            pass
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(400)  # what is remembered of words and forms
    assert peak(1_200) < peak(300) + 400_000  # a row has three thousand bytes


def test_a_finished_file_and_a_stopped_run_survive_wrong_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "a.jsonl", tmp_path / "rows.jsonl"
    source.write_text(as_lines(GSM8K), encoding="utf-8")
    assert main(["derive", str(source), "--preset", "gsm8k", "--out", str(out), "--quiet"]) == 0
    rows = out.read_text(encoding="utf-8")
    assert main(["derive", str(source), "--preset", "gsm8k", "--question", "body", "--out", str(out)]) == 2
    assert "no problem has all of the fields" in capsys.readouterr().err
    assert out.read_text(encoding="utf-8") == rows
    assert main(["derive", str(source), "--preset", "gsm8k", "--out", str(source)]) == 2
    assert source.read_text(encoding="utf-8") == as_lines(GSM8K)
    part = tmp_path / "rows.jsonl.part"
    assert part.is_file()  # of the run with wrong fields
    assert main(["derive", str(source), "--preset", "gsm8k", "--limit", "1", "--out", str(out)]) == 0
    assert (tmp_path / "rows.jsonl.part.old").is_file()
