"""One request: what comes whole, and what is said of what does not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from harnesses.stand_in import GARBLED, Models, StandIn, nobody

from draw_dataset.adapters.common import rows_of
from draw_dataset.asking.endpoint import Endpoint, _read_stream, _retry_after, read_completion
from draw_dataset.asking.session import body_of
from draw_dataset.errors import AskError, ChoiceError
from draw_dataset.prompting import Prompt, answer_for, prompt_for

ROWS = rows_of("sample/test")[:3]
PROMPT = prompt_for(ROWS[0])


@pytest.fixture
def server() -> Iterator[StandIn]:
    with StandIn(Models(ROWS)) as made:
        yield made


def body(prompt: Prompt = PROMPT, model: str = "oracle", stream: bool = True) -> dict[str, object]:
    return body_of(prompt, {"model": model, "temperature": 0.0, "prompt_style": prompt.label}, stream)


@pytest.mark.parametrize("stream", [True, False])
def test_a_response_comes_whole(server: StandIn, stream: bool) -> None:
    (response,) = Endpoint(server.url, "secret").ask(body(stream=stream))
    assert response.text == answer_for(ROWS[0])
    assert response.finish_reason == "stop"
    assert response.usage["total_tokens"] == response.usage["prompt_tokens"] + response.usage["completion_tokens"]
    sent = server.bodies[0]
    assert "prompt_style" not in sent
    assert sent["stream"] is stream
    assert Endpoint(server.url).ask(body(model="garbled", stream=stream))[0].text == GARBLED


def test_a_schema_is_sent_where_the_style_has_one(server: StandIn) -> None:
    Endpoint(server.url).ask(body(prompt_for(ROWS[0], "json")))
    assert server.bodies[0]["response_format"]["json_schema"]["schema"]["required"] == [
        "reasoning", "equations", "answers",
    ]  # fmt: skip


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("fault", "message", "transient", "hopeless"),
    [
        ("500", "status 500", True, False),
        ("429", "status 429", True, False),
        ("400", "status 400", False, False),
        ("401", "status 401", False, True),
        ("404", "status 404", False, True),
        ("cut", "cut off|expected JSON|IncompleteRead", True, False),
        ("hang", "no answer within 0.3 s", True, False),
    ],
)
def test_what_goes_wrong_is_said(
    server: StandIn, stream: bool, fault: str, message: str, transient: bool, hopeless: bool
) -> None:
    server.fault = lambda prompt, count: fault
    with pytest.raises(AskError, match=message) as caught:
        # Only who waits for what never comes may wait for a short time: a busy machine answers late.
        Endpoint(server.url, timeout=0.3 if fault == "hang" else 60).ask(body(stream=stream))
    assert (caught.value.transient, caught.value.hopeless) == (transient, hopeless)
    assert caught.value.wait == (0.0 if fault == "429" else None)


def test_a_stream_that_stalls_and_a_server_that_is_not_there(server: StandIn) -> None:
    server.fault = lambda prompt, count: "stall"
    with pytest.raises(AskError, match="no answer within"):
        Endpoint(server.url, timeout=0.3).ask(body())
    with nobody() as address, pytest.raises(AskError, match="ConnectionRefusedError") as caught:
        Endpoint(address).ask(body())
    assert caught.value.transient


def test_thoughts_are_kept_apart() -> None:
    lines = [
        b'data: {"choices": [{"delta": {"reasoning_content": "hm"}}]}\n',
        b": a comment\n",
        b'data: {"choices": [{"delta": {"content": "m = q1"}, "finish_reason": "stop"}]}\n',
        b"data: [DONE]\n",
    ]
    (response,) = _read_stream(iter(lines))
    assert (response.text, response.reasoning) == ("m = q1", "hm")
    (whole,) = read_completion(
        b'{"choices": [{"finish_reason": "stop", "message": {"content": null, "reasoning": "hm"}}]}'
    )
    assert (whole.text, whole.reasoning) == ("", "hm")


@pytest.mark.parametrize("content", [b"", b"[]", b'{"choices": []}', b'{"choices": [{"message": "x"}]}', b"[" * 9999])
def test_nonsense_is_no_response(content: bytes) -> None:
    with pytest.raises(AskError):
        read_completion(content)
    with pytest.raises(AskError):
        _read_stream(iter([b"data: " + content + b"\n"]))


def test_how_long_a_server_wants_us_to_wait() -> None:
    assert _retry_after("7") == 7.0
    assert _retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0
    assert _retry_after("99999") == 300.0
    assert [_retry_after(value) for value in (None, "", "soon", "nan")] == [None] * 4


def test_the_key_is_not_shown_and_an_address_is_one() -> None:
    assert "secret" not in repr(Endpoint("http://127.0.0.1:9/v1", "secret"))
    for address in ("127.0.0.1:8000", "file:///etc/passwd", "http://"):
        with pytest.raises(ChoiceError, match="expected an address"):
            Endpoint(address)


def test_an_answer_in_parts_is_an_answer() -> None:
    parts = '[{"type": "thinking", "text": "hm"}, {"type": "text", "text": "m = "}, {"type": "text", "text": "q1"}]'
    (whole,) = read_completion(
        f'{{"choices": [{{"finish_reason": "stop", "message": {{"content": {parts}}}}}]}}'.encode()
    )
    assert whole.text == "m = q1"
    streamed = f'data: {{"choices": [{{"delta": {{"content": {parts}}}, "finish_reason": "stop"}}]}}\n'.encode()
    assert _read_stream(iter([streamed]))[0].text == "m = q1"


def test_an_address_without_its_version_is_pointed_out(server: StandIn) -> None:
    server.fault = lambda prompt, count: "404"
    with pytest.raises(AskError, match="status 404"):
        Endpoint(server.url).ask(body())
    with pytest.raises(AskError, match="--base-url that ends in /v1"):
        Endpoint(server.url.removesuffix("/v1")).ask(body())


def test_extra_fields_can_take_a_parameter_back() -> None:
    request = {"model": "oracle", "temperature": 0.0, "extra": {"temperature": None, "top_k": 1}}
    sent = body_of(PROMPT, request, stream=False)
    assert "temperature" not in sent
    assert sent["top_k"] == 1
