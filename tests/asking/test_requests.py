"""Requests and files of ``draw evaluate-model``: guided decoding, effort, several answers, costs, batches."""

from __future__ import annotations

import json
import sys
import threading
import urllib.request
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from harnesses.stand_in import Models, StandIn

from draw_dataset.adapters.common import rows_of
from draw_dataset.asking import request as requests_module
from draw_dataset.asking.budget import Budget, Prices
from draw_dataset.asking.endpoint import _read_stream, read_completion
from draw_dataset.asking.request import AUTO, Guidance, body_of
from draw_dataset.asking.session import Patience
from draw_dataset.cli import main
from draw_dataset.commands import ask
from draw_dataset.errors import AskError
from draw_dataset.prompting import prompt_for

ROWS = rows_of("sample/test")
LIMIT = ("--limit", "6")


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


def test_the_choices_of_the_command_are_those_of_the_requests() -> None:
    assert (ask.GUIDED, ask.REASONING) == (requests_module.GUIDED, requests_module.REASONING)


# Guided decoding


@pytest.mark.parametrize(
    ("formats", "way"), [({"json_schema", "json_object"}, "schema"), ({"json_object"}, "object"), (set(), "off")]
)
def test_the_strongest_way_that_the_server_accepts_guides_every_response(
    formats: set[str], way: str, server: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.formats = formats
    assert asked(server, tmp_path / "o.jsonl", *LIMIT, "--style", "json", "--json") == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert found["guided"] == {way: 6}
    assert found["scores"][0]["derivation_accuracy"] == 1.0
    assert {line["guided"] for line in lines_of(tmp_path / "o.jsonl")} == {way}
    # Only the first request tries what the server refuses.
    assert len(server.bodies) == 6 + AUTO.index(way)
    assert ("refuses the JSON schema (status 400" in said.err) == (way != "schema")


def test_a_resumed_run_is_guided_as_it_began(
    server: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "o.jsonl"
    server.formats = set()
    assert asked(server, out, "--limit", "2", "--style", "json") == 0
    before = len(server.bodies)
    server.formats = {"json_schema"}
    assert asked(server, out, *LIMIT, "--style", "json", "--json") == 0
    assert len(server.bodies) == before + 4
    assert not any("response_format" in body for body in server.bodies[before:])
    server.formats = set()
    other = tmp_path / "other.jsonl"
    # Chosen by hand, a way that is refused is an error.
    assert asked(server, other, "--limit", "1", "--style", "json", "--guided", "schema") == 4
    assert "response_format json_schema is unavailable" in capsys.readouterr().err
    assert asked(server, out, *LIMIT, "--style", "json", "--guided", "off") == 2
    assert "its guided is None, but now guided is 'off'" in capsys.readouterr().err


@pytest.mark.parametrize("stream", [(), ("--no-stream",)])
def test_the_arguments_of_a_tool_call_are_the_answer(
    stream: tuple[str, ...], server: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "o.jsonl"
    assert asked(server, out, *LIMIT, "--style", "json", "--guided", "tool", "--json", *stream, model="wrong") == 0
    found = told(capsys)
    assert found["from_tools"] == 6
    assert found["no_answer"] == {}
    assert found["scores"][0]["derivation_accuracy"] == 4 / 6
    sent = server.bodies[0]
    assert sent["tools"][0]["function"]["parameters"]["required"] == ["reasoning", "equations", "answers"]
    assert sent["tool_choice"]["function"]["name"] == sent["tools"][0]["function"]["name"]
    assert "response_format" not in sent
    assert all(line["from_tool"] and json.loads(line["answer"]) for line in lines_of(out))


def test_the_last_call_with_arguments_counts_in_all_that_servers_send() -> None:
    calls = [{"function": {"arguments": "{}"}}, {"function": {"arguments": {"equations": ["m = q1"]}}}, {"id": "3"}]
    for message in ({"tool_calls": calls}, {"function_call": {"arguments": '{"equations": ["m = q1"]}'}}):
        content = json.dumps({"choices": [{"finish_reason": "tool_calls", "message": message}]}).encode()
        assert read_completion(content)[0].text == '{"equations": ["m = q1"]}'
    events = [
        {"delta": {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}, "finish_reason": end}
        for index, piece, end in ((0, '{"a"', None), (1, "{", None), (0, ": 1}", None), (1, "}", "tool_calls"))
    ]
    assert _read_stream(f"data: {json.dumps({'choices': [event]})}\n".encode() for event in events)[0].text == "{}"


def test_a_refusal_of_one_problem_does_not_change_the_way() -> None:
    said: list[str] = []
    guidance = Guidance(AUTO, lambda way, error: said.append(way))

    def refuse(way: str) -> str:
        raise AskError(f"{way}: too long", transient=False, status=400)

    with pytest.raises(AskError, match="schema: too long"):
        guidance.ask(refuse)
    assert guidance.ask(lambda way: way) == ("schema", "schema")
    with pytest.raises(AskError, match="schema: too long"):
        guidance.ask(refuse)
    assert guidance.chosen == "schema"
    assert not said

    def break_down(way: str) -> str:
        raise AskError(f"{way}: down", transient=True, status=503)

    with pytest.raises(AskError, match="schema: down"):
        Guidance(AUTO, lambda way, error: said.append(way)).ask(break_down)


# Effort and instructions


@pytest.mark.parametrize(
    ("form", "level", "fields"),
    [
        ("field", "high", {"reasoning_effort": "high"}),
        ("object", "none", {"reasoning": {"effort": "none"}}),
        ("template", "none", {"chat_template_kwargs": {"enable_thinking": False, "reasoning_effort": "none"}}),
        ("template", "low", {"chat_template_kwargs": {"enable_thinking": True, "reasoning_effort": "low"}}),
    ],
)
def test_effort_is_sent_as_servers_call_it(
    form: str, level: str, fields: dict[str, Any], server: StandIn, tmp_path: Path
) -> None:
    out = tmp_path / "o.jsonl"
    assert asked(server, out, "--limit", "1", "--reasoning-effort", level, "--reasoning-as", form) == 0
    sent = server.bodies[0]
    assert {name: value for name, value in sent.items() if "reasoning" in name or "template" in name} == fields
    # A model that reasons takes no temperature.
    assert ("temperature" in sent) == (level == "none")
    assert lines_of(out)[0]["request"]["reasoning_effort"] == level


def test_a_text_before_the_instructions_is_in_the_prompt_and_in_the_signature(
    server: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "o.jsonl"
    assert asked(server, out, *LIMIT, "--system", "detailed thinking off", "--json") == 0
    found = told(capsys)["scores"][0]
    assert found["derivation_accuracy"] == 1.0
    assert "|prompt:marked/1+system|" in found["signature"]
    system = server.bodies[0]["messages"][0]
    assert system["content"].startswith("detailed thinking off\n\nYou set up and solve math word problems.")
    assert main(["score", str(out), "--references", "sample/test", "--missing", "skip", "--format", "json"]) == 0
    assert told(capsys)["systems"][0]["derivation_accuracy"] == 1.0
    assert asked(server, out, *LIMIT, "--system", "detailed thinking on") == 2


def test_extra_fields_replace_ours() -> None:
    prompt = prompt_for(ROWS[0], "json")
    assert "response_format" not in body_of(prompt, {"extra": {"response_format": None}}, stream=False)
    assert body_of(prompt, {"seed": 3, "extra": {"seed": 4}}, stream=False)["seed"] == 4


# Several answers to one request


@pytest.mark.parametrize("most", [5, 1])
@pytest.mark.parametrize("stream", [(), ("--no-stream",)])
def test_one_request_gets_several_samples_and_asks_for_the_rest(
    most: int, stream: tuple[str, ...], server: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.most = most
    out = tmp_path / "o.jsonl"
    prices = ("--price-in", "1000000", "--price-out", "0")
    assert asked(server, out, *LIMIT, "--samples", "5", "--n", "3", "--seed", "7", "--json", *prices, *stream) == 0
    found = told(capsys)
    assert [one["derivation_accuracy"] for one in found["scores"]] == [1.0] * 5
    lines = lines_of(out)
    assert sorted((line["id"], line["sample"]) for line in lines) == sorted(
        (row["id"], sample) for row in ROWS[:6] for sample in range(5)
    )
    if most == 5:
        assert sorted(body.get("n", 1) for body in server.bodies) == [2] * 6 + [3] * 6
        assert {body["seed"] for body in server.bodies} == {7, 10}
        # Tokens of a request are counted once.
        assert {line.get("usage_in_sample") for line in lines} == {None, 0, 3}
    else:
        assert sorted(body.get("n", 1) for body in server.bodies) == [1] * 12 + [2] * 12 + [3] * 6
    assert found["tokens"]["responses_without_count"] == 0
    assert found["tokens"]["prompt_tokens"] == sum(len(prompt.split()) for prompt in server.asked) == found["cost"]


def test_a_stream_of_several_is_whole_only_if_each_is() -> None:
    events = [{"index": 0, "delta": {"content": "a"}, "finish_reason": "stop"}, {"index": 1, "delta": {"content": "b"}}]
    lines = [f"data: {json.dumps({'choices': [event]})}\n".encode() for event in events]
    with pytest.raises(AskError, match="cut off"):
        _read_stream(iter(lines))


# Costs


def test_a_budget_stops_before_it_is_passed_and_a_larger_one_resumes(
    server: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "o.jsonl"
    prices = ("--price-in", "1000", "--price-out", "2000")
    assert asked(server, out, *prices, "--json") == 0
    whole = told(capsys)["cost"]
    used = [line["usage"] for line in lines_of(out)]
    expected = sum(1000 * each["prompt_tokens"] + 2000 * each["completion_tokens"] for each in used) / 1e6
    assert whole == pytest.approx(expected)
    dearest = max(1000 * each["prompt_tokens"] + 2000 * each["completion_tokens"] for each in used) / 1e6
    out.unlink()
    for share in (0.3, 0.7):
        budget = f"{share * whole:.6f}"
        assert asked(server, out, *prices, "--budget", budget) == 4
        said = capsys.readouterr()
        assert f"because the budget of {ask._money(Fraction(budget))} is used up" in said.err
        assert not said.out
        stored = [line["usage"] for line in lines_of(out)]
        spent = sum(1000 * each["prompt_tokens"] + 2000 * each["completion_tokens"] for each in stored) / 1e6
        assert float(budget) - 2 * dearest < spent <= float(budget)
    # The same budget again asks nothing.
    before = len(server.asked)
    assert asked(server, out, *prices, "--budget", budget, "--missing", "abstain", "--json") == 4
    assert len(server.asked) == before
    assert told(capsys)["scores"][0]["counts"]["abstained"] > 0
    assert asked(server, out, *prices, "--budget", "1000", "--json") == 0
    assert told(capsys)["cost"] == pytest.approx(whole)
    assert len(server.asked) == 2 * len(ROWS)


def test_a_server_that_does_not_count_cannot_keep_a_budget(
    server: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.counts = False
    out = tmp_path / "o.jsonl"
    prices = ("--price-in", "1", "--price-out", "1")
    assert asked(server, out, *prices, "--budget", "1") == 2
    assert "--budget: expected token counts, but the server sends none" in capsys.readouterr().err
    assert len(lines_of(out)) == len(server.asked) == 1  # nothing runs beside the first request
    assert asked(server, out, *prices, "--budget", "1") == 2
    assert "expected token counts of every stored response" in capsys.readouterr().err
    assert asked(server, out, *prices) == 0
    assert "cost        at least 0" in capsys.readouterr().out


def test_costs_are_exact() -> None:
    prices = Prices(Fraction("0.15"), Fraction("0.60"))
    assert prices.cost({"prompt_tokens": 3, "completion_tokens": 1}) == Fraction(105, 10**8)
    assert prices.cost({"prompt_tokens": 3}) is None
    budget, stopped = Budget(prices, Fraction(1), [Fraction("0.3")]), threading.Event()
    assert budget.start(stopped)
    assert budget.start(stopped)  # two of the dearest fit in beside what was spent
    budget.settle(Fraction("0.3"))
    budget.settle(None)  # a request that failed costs nothing
    assert budget.start(stopped)
    budget.settle(Fraction("0.2"))
    assert budget.spent == Fraction("0.8")
    assert not budget.start(stopped)


# Batch files


def run_batch(server: StandIn, path: Path, out: Path, *, fail: str = "") -> None:
    """Answer the requests of a batch as a host of batches does: by the server, in another order, errors included."""
    results = []
    for line in reversed(lines_of(path)):
        assert line["method"], line["url"] == ("POST", "/v1/chat/completions")
        result: dict[str, Any] = {"id": "b", "custom_id": line["custom_id"], "response": None, "error": None}
        if fail and line["custom_id"].startswith(fail):
            result["error"] = {"code": "batch_expired", "message": "too late"}
        else:
            address = server.url.removesuffix("/v1") + line["url"]
            request = urllib.request.Request(address, json.dumps(line["body"]).encode())
            with urllib.request.urlopen(request) as response:
                result["response"] = {"status_code": response.status, "body": json.load(response)}
        results.append(json.dumps(result))
    out.write_text("\n".join(results) + "\n", encoding="utf-8")


@pytest.mark.parametrize("n", ["1", "2"])
def test_a_batch_gives_the_figures_of_requests(
    n: str, server: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--samples", "2", "--n", n, "--style", "json", *LIMIT, "--seed", "5")
    assert asked(server, tmp_path / "direct.jsonl", *options, "--json", model="wrong") == 0
    direct = told(capsys)
    out, batch, results = (tmp_path / name for name in ("o.jsonl", "batch.jsonl", "results.jsonl"))

    def evaluate(*further: str) -> int:
        command = ["evaluate-model", "--model", "wrong", "--out", str(out), "--references", "sample/test", *options]
        return main([*command, *further])

    assert evaluate("--batch-out", str(batch)) == 0
    count = 12 // int(n)
    assert f"{batch}: {count} requests" in capsys.readouterr().out
    lines = lines_of(batch)
    assert len({line["custom_id"] for line in lines}) == count
    assert "stream" not in lines[0]["body"]
    failing = lines[0]["custom_id"].partition("-")[0] + "-"
    run_batch(server, batch, results, fail=failing)
    assert evaluate("--batch-in", str(results)) == 4
    said = capsys.readouterr().err
    assert "2 of 12 requests failed" in said
    assert "too late" in said
    # What is missing is asked again in another batch.
    assert evaluate("--batch-out", str(batch)) == 0
    assert len(lines_of(batch)) == 2 // int(n)
    second = tmp_path / "second.jsonl"
    run_batch(server, batch, second)
    capsys.readouterr()
    assert evaluate("--batch-in", str(results), "--batch-in", str(second), "--json") == 0
    found = told(capsys)
    assert found["scores"] == direct["scores"]
    assert found["tokens"] == direct["tokens"]
    assert len(lines_of(out)) == 12


def test_results_of_another_run_are_refused(
    server: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    batch, results = tmp_path / "batch.jsonl", tmp_path / "results.jsonl"
    base = ["evaluate-model", "--model", "oracle", "--references", "sample/test", *LIMIT]
    assert main([*base, "--out", str(tmp_path / "a.jsonl"), "--batch-out", str(batch)]) == 0
    run_batch(server, batch, results)
    for further in (("--style", "plain"), ("--temperature", "1"), ("--seed", "1")):
        other = tmp_path / f"{further[1]}.jsonl"
        assert main([*base, *further, "--out", str(other), "--batch-in", str(results)]) == 2
        assert "expected results of --batch-out with the same model" in capsys.readouterr().err
        assert not other.read_bytes()
    results.write_text('{"id": 1, "answer": "x"}\n', encoding="utf-8")
    assert main([*base, "--out", str(tmp_path / "a.jsonl"), "--batch-in", str(results)]) == 2
    assert "expected a result of a batch, with custom_id" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--price-in", "1"), "--price-in and --price-out, but got only one"),
        (("--budget", "1"), "--budget: expected --price-in and --price-out with it"),
        (("--price-in", "1e9", "--price-out", "1"), "expected an amount such as 0.25, but got '1e9'"),
        (("--guided", "tool"), "--guided: expected --style json with it"),
        (("--n", "2"), "--n: expected at most --samples 1"),
        (("--extra", '{"n": 3}'), "--n N asks for several responses"),
        (("--batch-out", "x", "--batch-in", __file__), "expected --batch-out or --batch-in, but got both"),
    ],
)
def test_what_does_not_go_together_is_refused(
    options: tuple[str, ...], message: str, server: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert asked(server, tmp_path / "o.jsonl", *options) == 2
    assert message in capsys.readouterr().err
    assert not server.asked


# Progress


def test_progress_is_told_in_lines_where_there_is_no_terminal(
    server: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = ROWS[4]["question"][-40:]
    server.fault = lambda prompt, count: "400" if broken in prompt else ""
    assert not sys.stderr.isatty()
    assert asked(server, tmp_path / "o.jsonl", *LIMIT, "--style", "plain", "--missing", "abstain", "--json") == 4
    said = capsys.readouterr()
    lines = [line for line in said.err.splitlines() if line.startswith("asking: ")]
    assert "0/6" in lines[0]
    assert "5/6" in lines[-1]
    assert "1 failed" in lines[-1]
    assert "\r" not in said.err
    json.loads(said.out)
    server.fault = lambda prompt, count: ""
    assert asked(server, tmp_path / "p.jsonl", *LIMIT, "--quiet") == 0
    assert "asking" not in capsys.readouterr().err
