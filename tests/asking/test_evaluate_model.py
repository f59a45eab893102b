"""``draw evaluate-model`` with a server that streams, fails, times out and cuts off, and with kill -9 in the middle."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harnesses.stand_in import Models, StandIn, nobody

from draw_dataset.adapters.common import rows_of
from draw_dataset.asking.outcome import derivation_majority, solution_majority
from draw_dataset.asking.session import Pace, Patience
from draw_dataset.cli import main
from draw_dataset.scoring.grading import grade
from draw_dataset.scoring.prompted import STYLES
from draw_dataset.scoring.score import pass_at_k

ROWS = rows_of("sample/test")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Patience, "wait_before", lambda self, attempt: 0.01)


@pytest.fixture
def server() -> Iterator[StandIn]:
    with StandIn(Models(ROWS)) as made:
        yield made


def asked(server: StandIn, out: Path, *further: str, model: str = "oracle") -> int:
    return main(["evaluate-model", "--base-url", server.url, "--model", model, "--out", str(out), "--references",
                 "sample/test", *further])  # fmt: skip


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    return json.loads(capsys.readouterr().out)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize(("model", "style", "share"), [
    ("oracle", "marked", 1.0), ("wrong", "plain", 20 / 30), ("wrong", "json", 20 / 30), ("garbled", "marked", 0.0),
])  # fmt: skip
def test_the_figures_are_those_of_draw_score(
    server: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str], model: str, style: str, share: float
) -> None:
    out = tmp_path / "responses.jsonl"
    assert asked(server, out, "--style", style, "--json", model=model) == 0
    found = told(capsys)
    assert main(["score", str(out), "--references", "sample/test", "--format", "json"]) == (3 if not share else 0)
    scored = told(capsys)["systems"][0]
    mine = found["scores"][0]
    assert mine["derivation_accuracy"] == share
    assert {name: scored[name] for name in mine} == mine
    assert f"|prompt:{STYLES[style].label()}|" in mine["signature"]
    assert found["derivation"] == {"majority": found["derivation"]["pass@1"], "pass@1": share}
    assert found["tokens"]["total_tokens"] == sum(line["usage"]["total_tokens"] for line in lines_of(out))
    assert lines_of(out)[0]["request"] == {"model": model, "temperature": 0.0, "prompt_style": STYLES[style].label()}


def test_faults_are_outlived_and_nothing_is_asked_twice(
    server: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    faults = ["500", "", "cut", "429", "", "hang", "503", "stall"]
    server.fault = lambda prompt, count: faults[count % len(faults)] if count < 24 else ""
    out = tmp_path / "responses.jsonl"
    assert asked(server, out, "--json", "--timeout", "0.5", "--concurrency", "8", "--retries", "100") == 0
    assert told(capsys)["scores"][0]["derivation_accuracy"] == 1.0
    lines = lines_of(out)
    assert sorted(line["id"] for line in lines) == sorted(row["id"] for row in ROWS)
    # A busy machine may answer too late, so how many attempts there are is not known; all of them are counted.
    assert len(server.asked) <= sum(line["attempts"] for line in lines)
    assert max(line["attempts"] for line in lines) > 1
    with nobody() as address:
        assert asked(server, out, "--json", "--base-url", address, "--retries", "0") == 0
    assert told(capsys)["scores"][0]["derivation_accuracy"] == 1.0


def test_what_fails_for_good_is_left_open_and_asked_again(
    server: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = ROWS[4]["question"][-40:]
    server.fault = lambda prompt, count: "400" if broken in prompt else ""
    out = tmp_path / "responses.jsonl"
    assert asked(server, out, "--style", "plain") == 4
    said = capsys.readouterr()
    assert "1 of 30 requests failed. The first (problem 95, sample 0): status 400" in said.err
    assert not said.out
    assert asked(server, out, "--style", "plain", "--missing", "abstain", "--json") == 4
    assert told(capsys)["scores"][0]["counts"]["abstained"] == 1
    server.fault = lambda prompt, count: ""
    before = len(server.asked)
    assert asked(server, out, "--style", "plain", "--json") == 0
    assert len(server.asked) == before + 1
    assert told(capsys)["scores"][0]["derivation_accuracy"] == 1.0


def test_a_server_that_refuses_us_is_asked_no_more(
    server: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.fault = lambda prompt, count: "401"
    assert asked(server, tmp_path / "responses.jsonl") == 2
    assert "status 401" in capsys.readouterr().err
    assert len(server.asked) < 30


def test_a_response_that_was_cut_by_the_limit_is_kept_and_counted(
    server: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.fault = lambda prompt, count: "length" if count == 0 else ""
    assert asked(server, tmp_path / "responses.jsonl", "--limit", "3", "--max-tokens", "400") == 0
    assert "1 cut off by the token limit" in capsys.readouterr().out
    assert server.bodies[0]["max_tokens"] == 400


def test_going_on_with_something_else_is_refused(
    server: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "responses.jsonl"
    # One at a time, so that the first line is the first problem's.
    assert asked(server, out, "--limit", "2", "--concurrency", "1") == 0
    for further, message in (
        (("--temperature", "0.7"), "its temperature is 0.0, but now temperature is 0.7"),
        (("--style", "plain"), "its prompt_style is 'marked/1', but now prompt_style is 'plain/2'"),
    ):
        assert asked(server, out, "--limit", "2", *further) == 2
        assert message in capsys.readouterr().err
    lines = out.read_text("utf-8")
    out.write_text(lines.replace('"prompt_sha256": "', '"prompt_sha256": "0'), encoding="utf-8")
    assert asked(server, out, "--limit", "2") == 2
    assert "problem 91 was asked with another prompt" in capsys.readouterr().err
    out.write_text(lines + lines, encoding="utf-8")
    assert asked(server, out, "--limit", "2") == 2
    assert "expected each sample of a problem once" in capsys.readouterr().err


def test_half_a_line_at_the_end_is_asked_again(
    server: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "responses.jsonl"
    assert asked(server, out, "--limit", "3", "--concurrency", "1") == 0
    whole = out.read_bytes()
    out.write_bytes(whole[:-20])
    assert asked(server, out, "--limit", "3") == 0
    assert "2 of 3 responses are stored already; the last line was only half written" in capsys.readouterr().err
    assert len(server.asked) == 4
    assert [line["answer"] for line in lines_of(out)] == [json.loads(line)["answer"] for line in whole.splitlines()]


def test_several_samples(server: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Every problem is asked three times; the model that answers is wrong once about every third problem.
    answer = server.models.answer
    seeds = Counter[str]()

    def answered(model: str, prompt: str) -> str:
        seeds[prompt] += 1
        return answer("wrong" if seeds[prompt] == 2 else "oracle", prompt)

    server.models.answer = answered  # type: ignore[method-assign]
    out = tmp_path / "responses.jsonl"
    assert asked(server, out, "--samples", "3", "--seed", "7", "--concurrency", "1", "--json") == 0
    found = told(capsys)
    assert [one["derivation_accuracy"] for one in found["scores"]] == [1.0, 20 / 30, 1.0]
    assert found["derivation"] == {"majority": 1.0, "pass@1": 8 / 9, "pass@2": 1.0, "pass@3": 1.0}
    assert {body["seed"] for body in server.bodies} == {7, 8, 9}
    assert "temperature" not in server.bodies[0]
    assert main(["score", str(out), "--references", "sample/test", "--format", "json", "--answer-sample", "1"]) == 0
    assert told(capsys)["systems"][0]["derivation_accuracy"] == 20 / 30
    assert main(["score", str(out), "--references", "sample/test", "--format", "json"]) == 0
    scored = told(capsys)["systems"][0]
    for name in ("derivation", "solution"):
        assert {f"pass@{k}": scored[name][f"pass@{k}"] for k in (1, 2, 3)} == {
            f"pass@{k}": found[name][f"pass@{k}"] for k in (1, 2, 3)
        }
    assert asked(server, out, "--samples", "3", "--seed", "7") == 0
    assert "majority 100.0" in capsys.readouterr().out


def test_pass_at_k_and_majorities() -> None:
    assert pass_at_k([1, 3], 3, 2) == 5 / 6
    row = next(row for row in ROWS if row["id"] == 99)
    right, other, garbled = (
        grade({"answer": text, "prompt_style": "marked"}, row)
        for text in (
            f"```\n{row['derivation']}\n```\nAnswer: 36, 84",
            "```\nm = q1 + q2\n```\nAnswer: 10",
            "lorem ipsum",
        )
    )
    assert derivation_majority([other, right, right])
    assert not derivation_majority([other, other, right])
    assert derivation_majority([garbled, garbled, right])
    assert not derivation_majority([garbled])
    assert solution_majority([right, other, right])
    assert not solution_majority([other, garbled, right])  # of equal groups the first


def test_the_rate_is_kept() -> None:
    import threading

    pace = Pace(1200, threading.Event())
    started = time.monotonic()
    for _ in range(5):
        pace.start()
    assert time.monotonic() - started >= 4 * 60 / 1200 - 0.01
    started = time.monotonic()
    pace.hold(0.2)
    pace.start()
    assert time.monotonic() - started >= 0.19


def test_kill_9_in_the_middle_loses_nothing_and_asks_nothing_twice(tmp_path: Path) -> None:
    out = tmp_path / "responses.jsonl"
    enough = 0
    with StandIn(Models(ROWS)) as server:
        # Both threads get answers until there are enough, and then none, so that nothing else is on its way.
        server.fault = lambda prompt, count: "hang" if len(server.answered) >= enough else ""
        command = [
            sys.executable, "-m", "draw_dataset.cli", "evaluate-model", "--base-url", server.url, "--model", "oracle",
            "--out", str(out), "--references", "sample/test", "--concurrency", "2", "--json",
        ]  # fmt: skip
        for kill in (1, 2):  # each time with a few more responses on the disk
            enough = 7 * kill
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                while server.silent < 2 * kill:
                    assert process.poll() is None
                    time.sleep(0.01)
                process.send_signal(signal.SIGKILL)
        kept = out.read_bytes()
        stored = {line["id"] for line in map(json.loads, kept.splitlines())}
        assert len(stored) == len(server.answered) >= 14
        with out.open("ab") as file:
            file.write(kept[:40])  # half a line, as a process leaves it that is killed while it writes
        before, enough = len(server.asked), len(ROWS)
        assert before == len(stored) + 2 * 2  # those that two threads waited for, killed twice
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["scores"][0]["derivation_accuracy"] == 1.0
    # What was stored stands as it stood, and was not asked again.
    assert out.read_bytes().startswith(kept)
    assert sorted(line["id"] for line in lines_of(out)) == sorted(row["id"] for row in ROWS)
    assert len(server.asked) - before == len(ROWS) - len(stored)


def test_two_processes_do_not_write_one_file(
    server: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from filelock import FileLock

    out = tmp_path / "responses.jsonl"
    with FileLock(f"{out}.lock"):
        assert asked(server, out) == 2
    assert "another process is writing to it" in capsys.readouterr().err


def test_the_first_refused_connection_is_told_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    # Nothing listens there now.
    command = ["evaluate-model", "--base-url", f"http://127.0.0.1:{port}/v1", "--model", "m", "--references"]
    command += ["sample/test", "--limit", "2", "--retries", "1", "--out", str(tmp_path / "responses.jsonl")]
    assert main(command) == 4
    lines = [line for line in capsys.readouterr().err.splitlines() if "asking again" in line]
    assert len(lines) == 1
    assert "Connection refused" in lines[0]
    assert lines[0].endswith(f"Is a server running at http://127.0.0.1:{port}/v1?")
