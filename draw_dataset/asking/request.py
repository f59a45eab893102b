"""Bodies of requests: sampling parameters, reasoning effort, guided decoding, several responses to one request.

Guided decoding makes a server write only answers that fit a schema. Servers offer it in different ways, or not at all,
so a run takes the strongest way that the server accepts, and the same way for every response.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from draw_dataset.derivation.problem import ProblemId
from draw_dataset.errors import AskError
from draw_dataset.prompting import Prompt

Key = tuple[ProblemId, int]
"""A problem and the number of a sample, from 0."""

_OURS = frozenset({"prompt_style", "extra", "base_url", "system", "guided", "reasoning_effort", "reasoning_as"})
"""Parameters of a run that are not fields of a request."""

REASONING = ("field", "object", "template")
"""Ways to ask for reasoning effort.

``field`` is ``reasoning_effort``, which OpenAI, vLLM, SGLang, Ollama and most hosts take; ``object`` is ``reasoning:
{"effort": …}`` of OpenRouter; ``template`` passes it to the chat template of a model (``chat_template_kwargs``), as
vLLM, SGLang and llama.cpp do.
"""


def _reasoning_fields(effort: str, form: str) -> dict[str, Any]:
    if form == "object":
        return {"reasoning": {"effort": effort}}
    if form == "template":
        # Templates have one or the other variable, and ignore what they do not know.
        return {"chat_template_kwargs": {"enable_thinking": effort != "none", "reasoning_effort": effort}}
    return {"reasoning_effort": effort}


GUIDED = ("schema", "object", "tool", "off")
"""Ways to guide decoding: a JSON schema, any JSON object, the arguments of a tool, none."""

AUTO = GUIDED[:2] + GUIDED[3:]
"""Ways that are tried in turn if none is chosen. A tool is only for servers that force its call."""

TOOL = "submit_derivation"


def _guided_fields(schema: Mapping[str, Any], guided: str) -> dict[str, Any]:
    if guided == "schema":
        named = {"name": "derivation", "schema": schema, "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    if guided == "object":
        return {"response_format": {"type": "json_object"}}
    if guided == "tool":
        told = "Submit the reasoning, the equations and the answers."
        function = {"name": TOOL, "description": told, "parameters": schema, "strict": True}
        choice = {"type": "function", "function": {"name": TOOL}}
        return {"tools": [{"type": "function", "function": function}], "tool_choice": choice}
    return {}


def body_of(
    prompt: Prompt, request: Mapping[str, Any], stream: bool, *, guided: str = GUIDED[0], count: int = 1
) -> dict[str, Any]:
    """Return the body of a request for `count` responses. Fields of ``extra`` replace ours; None removes a field."""
    body = {name: value for name, value in request.items() if name not in _OURS}
    if effort := request.get("reasoning_effort"):
        body |= _reasoning_fields(effort, request.get("reasoning_as", REASONING[0]))
    if prompt.schema is not None:
        body |= _guided_fields(prompt.schema, guided)
    if count > 1:
        body["n"] = count
    body |= request.get("extra") or {}
    body = {name: value for name, value in body.items() if value is not None}
    body |= {"messages": prompt.messages, "stream": stream}
    if stream:
        body["stream_options"] = {"include_usage": True}
    return body


def seeded(request: Mapping[str, Any], sample: int) -> Mapping[str, Any]:
    """Return the parameters of a sample. Each has its own seed; with the same seed all would be the same."""
    seed = request.get("seed")
    return request if seed is None or not sample else {**request, "seed": seed + sample}


def with_system(prompt: Prompt, system: str) -> Prompt:
    """Return a prompt with a text before its instructions; its label says so."""
    return replace(prompt, system=f"{system}\n\n{prompt.system}", label=f"{prompt.label}+system")


def work_of(prompts: Mapping[Any, Prompt], samples: int) -> Sequence[tuple[Key, Prompt]]:
    """Return everything that is to be asked: the first sample of every problem, then the second, and so on."""
    return [((id_, sample), prompt) for sample in range(samples) for id_, prompt in prompts.items()]


def group_work(work: Sequence[tuple[Key, Prompt]], size: int) -> list[tuple[tuple[Key, ...], Prompt]]:
    """Return work in requests of up to `size` samples of one problem, the first samples of every problem first.

    >>> prompt = Prompt("plain/2", "", (), "")
    >>> [keys for keys, _ in group_work(work_of({7: prompt, 8: prompt}, 3), 2)]
    [((7, 0), (7, 1)), ((8, 0), (8, 1)), ((7, 2),), ((8, 2),)]
    """
    by_problem: dict[ProblemId, list[tuple[Key, Prompt]]] = {}
    for key, prompt in work:
        by_problem.setdefault(key[0], []).append((key, prompt))
    rounds = max(map(len, by_problem.values()), default=0)
    return [
        (tuple(key for key, _ in part), part[0][1])
        for start in range(0, rounds, size)
        for items in by_problem.values()
        if (part := items[start : start + size])
    ]


_Response = TypeVar("_Response")

_UNSUPPORTED = frozenset({400, 404, 415, 422, 501})
"""Statuses with which servers refuse a field that they do not know."""


class Guidance:
    """The way of guided decoding of a run: the first of some ways that the server accepts.

    The first response decides, and every later request is like it. `told` is called with the way if it is not the
    first one.
    """

    def __init__(self, ways: Sequence[str], told: Callable[[str, AskError], object]) -> None:
        self._ways = tuple(ways)
        self._told = told
        self._deciding = threading.Lock()
        self.chosen = self._ways[0] if len(self._ways) == 1 else None

    def ask(self, send: Callable[[str], _Response]) -> tuple[_Response, str]:
        """Return a response, and the way in which it was guided; raises the error of the first way that is refused."""
        if self.chosen is None:
            with self._deciding:
                if self.chosen is None:
                    return self._decide(send)
        return send(self.chosen), self.chosen

    def _decide(self, send: Callable[[str], _Response]) -> tuple[_Response, str]:
        refused: AskError | None = None
        for way in self._ways:
            try:
                response = send(way)
            except AskError as error:
                if error.status not in _UNSUPPORTED:
                    raise
                refused = refused or error
                continue
            self.chosen = way
            if refused is not None:
                self._told(way, refused)
            return response, way
        raise refused or AskError("no way to ask was given", transient=False)
