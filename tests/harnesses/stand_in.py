"""A stand-in for a server of language models: the endpoints of OpenAI's API on loopback, with models that know gold.

The model ``oracle`` writes gold in the form that the prompt asks for, ``wrong`` does so but for every third problem,
``garbled`` writes what nobody can read. ``python stand_in.py`` serves the test split of the sample and prints its port.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from draw_dataset.adapters.common import rows_of
from draw_dataset.prompting import answer_for, question_for
from draw_dataset.scoring.prompted import STYLES

GARBLED = "Lorem ipsum dolor sit amet."


def style_of(prompt: str) -> str:
    return "json" if "JSON object" in prompt else "marked" if "fenced block" in prompt else "plain"


def wrong_answer(gold: str) -> str:
    """Return an answer whose equations and result are not gold's."""
    return (
        gold.replace("=", "= 7919 +", 1).replace("Answer: ", "Answer: 7919").replace('"answers": [', '"answers": [7919')
    )


class Models:
    """What the models write."""

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self.rows = list(rows)
        self._at = {(style, question_for(row, style)): at for at, row in enumerate(self.rows) for style in STYLES}

    def answer(self, model: str, prompt: str) -> str:
        style = style_of(prompt)
        problem = "Problem: " + prompt.rpartition("Problem: ")[2].partition("\n")[0]
        at = self._at[style, problem]
        gold = answer_for(self.rows[at], style)
        if model == "garbled":
            return GARBLED
        return wrong_answer(gold) if model == "wrong" and at % 3 == 0 else gold


Fault = Callable[[str, int], str]
"""What goes wrong with a request, by its prompt and how many requests came before; empty if nothing does."""


class StandIn(ThreadingHTTPServer):
    """The server.

    Attributes:
        asked: the prompts of all requests.
        answered: those that got a whole answer.
        bodies: what was sent.
        silent: how many requests get no answer until the server ends.
        formats: the types of ``response_format`` that are not refused.
        most: how many answers one request gets at most.
        counts: whether tokens are counted.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, models: Models, fault: Fault = lambda prompt, count: "") -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.models = models
        self.fault = fault
        self.ending = threading.Event()
        self.silent = 0
        self.formats = {"json_schema", "json_object"}
        self.most = 100
        self.counts = True
        self.lock = threading.Lock()
        self.asked: list[str] = []
        self.answered: list[str] = []
        self.bodies: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def __enter__(self) -> StandIn:
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ending.set()
        self.shutdown()
        self.server_close()


@contextmanager
def nobody() -> Iterator[str]:
    """Give an address at which nobody listens, and nobody can begin to."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: StandIn

    def do_GET(self) -> None:
        self._send(200, {"object": "list", "data": [{"id": name, "object": "model"} for name in ("oracle", "wrong")]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        chat = "messages" in body
        if chat:
            prompt = "\n".join(_text(message["content"]) for message in body["messages"])
        else:
            prompt = body["prompt"] if isinstance(body["prompt"], str) else body["prompt"][0]
        with self.server.lock:
            fault = self.server.fault(prompt, len(self.server.asked))
            self.server.asked.append(prompt)
            self.server.bodies.append(body)
        if fault == "hang":
            self._be_silent()
            return
        if fault.isdigit():
            headers = {"Retry-After": "0"} if fault == "429" else {}
            self._send(int(fault), {"error": {"message": f"fault {fault}"}}, headers)
            return
        form = body.get("response_format")
        if form is not None and form["type"] not in self.server.formats:
            self._send(400, {"error": {"message": f"response_format {form['type']} is unavailable"}})
            return
        try:
            count = min(body.get("n", 1), self.server.most)
            texts = [self.server.models.answer(body["model"], prompt) for _ in range(count)]
        except KeyError:
            self._send(400, {"error": {"message": "this problem is not known"}})
            return
        usage = {"prompt_tokens": len(prompt.split()), "completion_tokens": sum(len(text.split()) for text in texts)}
        usage = {**usage, "total_tokens": sum(usage.values())} if self.server.counts else {}
        tool = body["tool_choice"]["function"]["name"] if "tool_choice" in body else ""
        if body.get("stream"):
            self._stream(body["model"], texts, usage, chat, fault, tool)
        else:
            self._send(200, _whole(body["model"], texts, usage, chat, tool), cut=fault == "cut")
        if not fault:
            with self.server.lock:
                self.server.answered.append(prompt)

    def _be_silent(self) -> None:
        with self.server.lock:
            self.server.silent += 1
        self.server.ending.wait()
        self.close_connection = True

    def _send(self, status: int, value: dict[str, Any], headers: Mapping[str, str] = {}, cut: bool = False) -> None:
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, text in headers.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if cut else content)
        if cut:
            self.close_connection = True

    def _stream(self, model: str, texts: list[str], usage: dict[str, int], chat: bool, fault: str, tool: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        # The pieces of several answers come in turns, as from servers that write them at the same time.
        longest = max(map(len, texts))
        pieces = [(n, text[at : at + 7]) for at in range(0, longest, 7) for n, text in enumerate(texts)]
        for at, (index, piece) in enumerate(pieces):
            if fault == "cut" and at == len(pieces) // 2:
                break
            if fault == "stall" and at == len(pieces) // 2:
                self._be_silent()
                break
            said = _said_by_tool(piece, tool) if tool else {"role": "assistant", "content": piece}
            delta = {"delta": said} if chat else {"text": piece}
            self._event({"id": "1", "model": model, "choices": [{"index": index, **delta, "finish_reason": None}]})
        else:
            finish = "length" if fault == "length" else "stop"
            end = {"delta": {}} if chat else {"text": ""}
            for index in range(len(texts)):
                self._event({"id": "1", "model": model, "choices": [{"index": index, **end, "finish_reason": finish}]})
            self._event({"id": "1", "model": model, "choices": [], "usage": usage})
            self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _event(self, value: dict[str, Any]) -> None:
        value = {"object": "chat.completion.chunk", "created": 0, **value}
        self.wfile.write(f"data: {json.dumps(value)}\n\n".encode())

    def log_message(self, *_: object) -> None:
        pass


def _text(content: object) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)  # type: ignore[attr-defined]


def _said_by_tool(text: str, tool: str) -> dict[str, Any]:
    call = {"index": 0, "id": "1", "type": "function", "function": {"name": tool, "arguments": text}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _whole(model: str, texts: list[str], usage: dict[str, int], chat: bool, tool: str) -> dict[str, Any]:
    kind = "chat.completion" if chat else "text_completion"
    choices = []
    for index, text in enumerate(texts):
        message = _said_by_tool(text, tool) if tool else {"role": "assistant", "content": text}
        said = {"message": message} if chat else {"text": text}
        choices.append({"index": index, "finish_reason": "stop", "logprobs": None, **said})
    return {"id": "1", "object": kind, "created": 0, "model": model, "choices": choices, "usage": usage}


if __name__ == "__main__":
    with StandIn(Models(rows_of(sys.argv[1] if len(sys.argv) > 1 else "sample/test"))) as server:
        print(server.url, flush=True)
        server._thread.join()
