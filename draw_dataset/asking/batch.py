"""Batch API files: requests in one file, results in another, in the format of OpenAI that other servers read, too.

The ``custom_id`` of a request has the problem, the sample and a digest of the request, so that results of other
problems, prompts or parameters are refused and not mixed in.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from draw_dataset.asking.endpoint import Response, hide_in_response, hide_key, read_completion
from draw_dataset.asking.request import Key, body_of, seeded
from draw_dataset.errors import AskError, JournalError, short_repr
from draw_dataset.io.jsonl import read_json_lines
from draw_dataset.prompting import Prompt
from draw_dataset.report.picture import clip, printable

URL = "/v1/chat/completions"
MOST_REQUESTS = 50_000
"""The most requests of one file that OpenAI takes."""

_LONGEST = 300
"""Characters of an error that are shown."""

_PLAIN = re.compile(r"[A-Za-z0-9_]{1,40}")


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """One request of a batch, for one or several samples of a problem."""

    custom_id: str
    keys: tuple[Key, ...]
    prompt: Prompt
    body: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the line of the file."""
        return {"custom_id": self.custom_id, "method": "POST", "url": URL, "body": dict(self.body)}


def requests_of(
    work: Iterable[tuple[tuple[Key, ...], Prompt]], request: Mapping[str, Any], guided: str
) -> Iterator[BatchRequest]:
    """Yield a request of a batch for each group of samples (see `group_work`)."""
    for keys, prompt in work:
        body = body_of(prompt, seeded(request, keys[0][1]), False, guided=guided, count=len(keys))
        del body["stream"]
        yield BatchRequest(_custom_id(keys[0], body), keys, prompt, body)


def _custom_id(key: Key, body: Mapping[str, Any]) -> str:
    """Return an id of letters, digits, hyphens and underscores, which every server takes."""
    id_, sample = key
    digest = hashlib.sha256(json.dumps([id_, sample, body], sort_keys=True).encode()).hexdigest()
    name = str(id_) if _PLAIN.fullmatch(str(id_)) else f"x{digest[16:32]}"
    return f"{name}-{sample}-{digest[:12]}"


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The responses to one request of a batch, or why there are none."""

    request: BatchRequest
    responses: tuple[Response, ...]
    error: str = ""


def read_results(
    path: str | os.PathLike[str], requests: Sequence[BatchRequest], key: str | None = None
) -> Iterator[BatchResult]:
    """Yield the results of a file, in its order; raises `JournalError` if a line is no result of these requests.

    An API key that a server echoed is hidden in errors.
    """
    by_id = {request.custom_id: request for request in requests}
    for line in read_json_lines(path, error=JournalError):
        given, where = line.value, f"{os.fspath(path)}, line {line.number}"
        custom_id = given.get("custom_id") if isinstance(given, dict) else None
        if not isinstance(custom_id, str):
            raise JournalError(f"{where}: expected a result of a batch, with custom_id, but got {short_repr(given)}")
        request = by_id.get(custom_id)
        if request is None:
            raise JournalError(
                f"{where}: Unknown custom_id {short_repr(custom_id)}: expected results of --batch-out with the same "
                "model, problems, prompts and parameters"
            )
        yield _result(request, given, key)


def _result(request: BatchRequest, given: Mapping[str, Any], key: str | None) -> BatchResult:
    response = given.get("response")
    response = response if isinstance(response, Mapping) else {}
    body, status = response.get("body"), response.get("status_code", 200)
    if given.get("error") or status != 200 or not isinstance(body, Mapping):
        why = given.get("error") or body or "no response"
        return BatchResult(request, (), f"status {short_repr(status)}: {_shown(json.dumps(why), key)}")
    try:
        found = read_completion(json.dumps(body).encode())
    except AskError as error:
        return BatchResult(request, (), _shown(str(error), key))
    return BatchResult(request, tuple(hide_in_response(response, key) for response in found))


def _shown(message: str, key: str | None) -> str:
    return clip(printable(hide_key(message[:_LONGEST], key)), _LONGEST)
