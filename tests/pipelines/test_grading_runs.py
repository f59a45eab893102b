"""Grading in many tasks: the score of the plain loop, whoever runs the tasks."""

from __future__ import annotations

import csv
import gzip
import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("datatrove", reason="draw pipeline needs the extra scale")

from draw_dataset.cli import main
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.problem import write_rows
from draw_dataset.errors import PipelineError
from draw_dataset.scale import run as running
from draw_dataset.scoring.grading import grade
from draw_dataset.scoring.options import signature_parts
from draw_dataset.scoring.score import Score, score

pytestmark = pytest.mark.xdist_group("pipelines")

PROBLEMS = load_sample()["test"]


def lines(count: int) -> list[dict[str, Any]]:
    rng = random.Random(4)
    made = []
    for place in range(count):
        problem = PROBLEMS[place % len(PROBLEMS)]
        other = rng.choice(PROBLEMS)
        prediction = rng.choice([problem.derivation.q_notation(), other.derivation.q_notation(), None, "x == y"])
        made.append({"id": problem.id, "prediction": prediction})
    return made


@pytest.fixture(scope="module")
def predictions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("predictions")
    made = lines(150)
    for number in range(4):
        text = "".join(json.dumps(line) + "\n" for line in made[number * 40 : (number + 1) * 40])
        if number == 2:
            (folder / f"{number}.jsonl.gz").write_bytes(gzip.compress(text.encode()))
        else:
            (folder / f"{number}.jsonl").write_text(text + "\n")
    return folder


@pytest.fixture(scope="module")
def plain() -> Score:
    by_id = {problem.id: problem for problem in PROBLEMS}
    made = lines(150)
    return score([line["prediction"] for line in made], [by_id[line["id"]] for line in made], data="sample/test")


def graded(predictions: Path | str, out: Path | str, *more: str) -> int:
    given = ["--predictions", str(predictions), "--references", "sample/test", "--out", str(out)]
    return main(["pipeline", "grade", *given, "--quiet", *more])


def same_score(out: Path, plain: Score) -> None:
    found = json.loads((out / "score.json").read_text())
    assert {name: found[name] for name in plain.to_dict()} == plain.to_dict()
    assert found["slices"] == plain.slices()


@pytest.mark.parametrize(("tasks", "workers"), [("1", "1"), ("3", "2")])
def test_the_score_is_that_of_the_plain_loop(
    tasks: str, workers: str, predictions: Path, plain: Score, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert graded(predictions, tmp_path / "out", "--tasks", tasks, "--workers", workers) == 0
    same_score(tmp_path / "out", plain)
    said = capsys.readouterr().out
    assert "150 for 30 problems" in said
    assert str(plain.signature) in said
    assert len(list((tmp_path / "out" / "tallies").iterdir())) == int(tasks)


def test_files_of_other_formats_give_the_same_score(plain: Score, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    made = [{**line, "prediction": line["prediction"] or ""} for line in lines(150)]
    with (folder / "a.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["prediction", "id"])
        writer.writeheader()
        writer.writerows(made[:50])
    renamed = [{"task_id": str(line["id"]), "prediction": line["prediction"]} for line in made[50:100]]
    (folder / "b.json").write_text(json.dumps(renamed, indent=1))
    text = "".join(json.dumps({"prediction": line["prediction"], "id": str(line["id"])}) + "\n" for line in made[100:])
    (folder / "c.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    assert graded(folder, tmp_path / "out", "--workers", "1") == 0
    same_score(tmp_path / "out", plain)


def test_most_that_cannot_be_read_are_no_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.jsonl"
    texts = ["= ="] * 29 + [PROBLEMS[-1].derivation.q_notation()]
    path.write_text("".join(json.dumps({"nr": p.id, "q": t}) + "\n" for p, t in zip(PROBLEMS, texts, strict=True)))
    assert graded(path, tmp_path / "a", "--workers", "1", "--id-field", "nr") == 2
    assert "did you mean --field q?" in capsys.readouterr().err
    path.write_text(
        "".join(json.dumps({"nr": p.id, "prediction": t}) + "\n" for p, t in zip(PROBLEMS, texts, strict=True))
    )
    assert graded(path, tmp_path / "b", "--workers", "1", "--id-field", "nr") == 3
    assert "29 of 30 predictions could not be read. The first (" in capsys.readouterr().err
    path.write_text("".join(json.dumps({"task_id": p.id, "response": "x = 3"}) + "\n" for p in PROBLEMS))
    assert graded(path, tmp_path / "c", "--workers", "1") == 0
    assert 'using "response" as the answer, "task_id" as the id' in capsys.readouterr().err


def test_what_is_wrong_is_told_with_its_place(
    predictions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"id": "nobody", "prediction": null}\n')
    assert graded(bad, tmp_path / "a", "--workers", "1") == 2
    assert "Unknown id 'nobody'" in capsys.readouterr().err
    bad.write_text('{"id": 1\n')
    assert graded(bad, tmp_path / "b", "--workers", "1") == 2
    assert f"{bad}, line 1: expected JSON" in capsys.readouterr().err
    assert graded(predictions / "0.jsonl", tmp_path / "c", "--workers", "1", "--match", "quantities") == 0


def test_missing_predictions_are_known_before_the_first_task(
    predictions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, few = tmp_path / "out", tmp_path / "few.jsonl"
    few.write_text(json.dumps({"prediction": None, "id": PROBLEMS[0].id}) + "\n")
    assert graded(few, out, "--workers", "1") == 2
    said = capsys.readouterr().err
    assert "29 have none" in said
    assert "--missing abstain" in said
    assert not out.exists()
    # Both pieces of the advice help, in the same folder.
    assert graded(few, out, "--workers", "1", "--missing", "abstain") == 0
    given = ["--predictions", str(few), str(predictions), "--references", "sample/test"]
    assert main(["pipeline", "grade", *given, "--out", str(tmp_path / "more"), "--quiet", "--workers", "1"]) == 0


def test_what_is_done_about_missing_predictions_may_change_after_grading(
    predictions: Path, plain: Score, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, few = tmp_path / "out", tmp_path / "few.jsonl"
    few.write_text(json.dumps({"id": PROBLEMS[0].id, "prediction": None}) + "\n")

    def tallies(folder: Path) -> list[tuple[int, int]]:
        return [(about.st_ino, about.st_mtime_ns) for path in folder.glob("tallies/*") for about in [path.stat()]]

    assert graded(predictions, out, "--workers", "1", "--missing", "abstain") == 0
    made = tallies(out)
    assert "|missing:abstain|" in capsys.readouterr().out
    assert graded(predictions, out, "--workers", "1") == 0
    assert str(plain.signature) in capsys.readouterr().out
    same_score(out, plain)
    assert tallies(out) == made
    # A refusal loses nothing either.
    other = tmp_path / "other"
    for missing, status in (("abstain", 0), ("error", 2), ("abstain", 0)):
        before = tallies(other)
        assert graded(few, other, "--workers", "1", "--missing", missing) == status
        assert before in ([], tallies(other))


def test_the_signature_has_the_data_and_the_prompts_of_all_parts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [replace(problem, asked=("m",)) for problem in PROBLEMS[:3]]
    write_rows(tmp_path / "rows.jsonl", rows)
    answer = {"answer": "x = 5. The answer is 5.", "prompt_style": "plain/2"}
    one = [{"id": problem.id, **answer} for problem in rows]
    many = [*one * 20, {"id": rows[0].id, "prediction": None}]
    found = []
    for name, listed in {
        "one": one,
        "many": many,
        "abstaining": [{"id": rows[0].id, "answer": None}, *one[1:]],
    }.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in listed))
        given = ["--predictions", str(tmp_path / f"{name}.jsonl"), "--references", str(tmp_path / "rows.jsonl")]
        assert main(["pipeline", "grade", *given, "--out", str(tmp_path / name), "--quiet", "--json"]) == 0
        found.append(signature_parts(json.loads(capsys.readouterr().out)["signature"]))
    main(["score", str(tmp_path / "one.jsonl"), "--references", str(tmp_path / "rows.jsonl")])
    assert "|".join(f"{name}:{value}" for name, value in found[0].items()) in capsys.readouterr().out
    assert found[0]["prompt"] == "plain/2"
    assert [parts.pop("n") for parts in found] == ["3", "61", "3"]
    assert found[0] == found[1] == found[2]


def test_predictions_for_refused_rows_are_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = PROBLEMS[0].to_row()
    rows, predictions = tmp_path / "rows.jsonl", tmp_path / "predictions.jsonl"
    rows.write_text("".join(json.dumps(one) + "\n" for one in (row, {**row, "id": "none", "status": "refused"})))
    lines = [{"id": id_, "prediction": row["derivation"]} for id_ in ("none", row["id"])]
    predictions.write_text("".join(json.dumps(line) + "\n" for line in lines))
    given = ["--predictions", str(predictions), "--references", str(rows), "--out", str(tmp_path / "out")]
    assert main(["pipeline", "grade", *given, "--quiet", "--json", "--workers", "1"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["n"] == 1
    assert "left out 1 refused rows" in said.err


def test_every_verdict_is_written_as_parquet(predictions: Path, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    out = tmp_path / "out"
    assert graded(predictions, out, "--tasks", "2", "--workers", "1", "--verdicts") == 0
    found = pq.read_table(out / "verdicts").to_pylist()
    made = lines(150)
    by_place = {verdict["where"]: verdict for verdict in found}
    assert len(found) == len(by_place) == len(made)
    for number, line in enumerate(made):
        name = "2.jsonl.gz" if number // 40 == 2 else f"{number // 40}.jsonl"
        told = by_place[f"{predictions / name}, line {number % 40 + 1}"]
        verdict = grade(line["prediction"], next(problem for problem in PROBLEMS if problem.id == line["id"]))
        assert told["id"] == str(line["id"])
        for column in ("derivation", "solution", "certain", "message"):
            assert told[column] == getattr(verdict, column)
        assert (told["reason"], told["status"]) == (str(verdict.reason), str(verdict.status))
    # A run without verdicts is another run.
    assert graded(predictions, out, "--tasks", "2", "--workers", "1") == 2


def test_parquet_comes_from_and_goes_to_any_file_system(plain: Score, tmp_path: Path) -> None:
    """fsspec's file system in memory, whose files cannot be peeked at, stands for an object store."""
    import fsspec
    import pyarrow as pa
    import pyarrow.parquet as pq

    with fsspec.open("memory://answers/one.parquet", "wb") as file:
        pq.write_table(pa.Table.from_pylist(lines(150)), file, row_group_size=20)
    assert graded("memory://answers/*.parquet", "memory://graded", "--workers", "1", "--verdicts") == 0
    memory = fsspec.filesystem("memory")
    found = json.loads(memory.cat("/graded/score.json"))
    assert {name: found[name] for name in plain.to_dict()} == plain.to_dict()
    with memory.open("/graded/verdicts/00000.parquet") as file:
        assert pq.read_table(file).num_rows == 150
    assert main(["pipeline", "status", "memory://graded"]) == 0
    memory.rm("/graded", recursive=True)


def test_a_file_system_that_is_not_known_or_installed_is_told(
    predictions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)
    for given, out, words in (
        ("other://answers", str(tmp_path / "a"), "cannot open other://answers: Protocol not known: other"),
        ("s3://answers", str(tmp_path / "b"), "cannot open s3://answers: Install s3fs"),
        (str(predictions), "s3://answers/out", "cannot open s3://answers/out: Install s3fs"),
    ):
        assert graded(given, out, "--workers", "1") == 2
        assert words in capsys.readouterr().err


def test_the_server_of_workers_starts_before_the_engine_is_imported() -> None:
    code = (
        "import sys\n"
        "from multiprocessing import forkserver\n"
        "from draw_dataset.scale import worker_context\n"
        "worker_context()\n"
        "assert forkserver._forkserver._forkserver_pid\n"
        "assert not {'datatrove', 'numpy', 'fsspec'} & set(sys.modules)\n"
        "import draw_dataset.scale.run\n"
        "assert 'aiohttp' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_ray_raises_while_it_starts_is_one_line() -> None:
    ray = SimpleNamespace(exceptions=SimpleNamespace(RayError=LookupError))
    for error in (Exception("timed out.\nduring startup."), OSError("timed out. during startup")):
        with (
            pytest.raises(PipelineError, match=r"cannot start Ray: timed out\. during startup; see"),
            running._RayStart(ray, "", "see"),
        ):
            raise error
    with pytest.raises(TypeError), running._RayStart(ray, "", "see"):
        raise TypeError


def test_ray_gives_the_same_score(predictions: Path, plain: Score, tmp_path: Path) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed; make test-scale installs it")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        more = ("--executor", "ray", "--workers", "2", "--tasks", "3", "--set", "mem_per_cpu_gb=0.1")
        assert graded(predictions, tmp_path / "out", *more) == 0
    finally:
        ray.shutdown()
    same_score(tmp_path / "out", plain)
