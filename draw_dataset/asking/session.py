"""The question: how is everything asked that is not stored yet, without asking anything twice.

Work is a list of problems and samples. What the journal holds is left out; a few threads ask the rest. The starts of
requests keep the distance that the rate demands. A request that fails for a passing reason is tried again, each time
after twice the wait (a random part of it, so that threads do not come back together). If the server says how long to
wait, all threads wait that long. A request that fails for good is left open, and the next run asks it again. If the
server refuses every request, nothing more is asked.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from draw_dataset.asking.endpoint import Endpoint, Response
from draw_dataset.asking.journal import Journal, Key
from draw_dataset.errors import AskError
from draw_dataset.prompting import Prompt


@dataclass(frozen=True, slots=True)
class Patience:
    """How fast a server is asked, and how often again.

    Attributes:
        concurrency: requests at a time.
        per_minute: at most this many requests a minute; None is no limit.
        retries: how often a failed request is tried again.
        first_wait: how many seconds to wait before the first retry.
        longest_wait: how many seconds to wait at most, unless the server asks for more.
    """

    concurrency: int = 4
    per_minute: float | None = None
    retries: int = 5
    first_wait: float = 1.0
    longest_wait: float = 60.0

    def wait_before(self, attempt: int) -> float:
        """Return how many seconds to wait before a retry; the first retry is 1."""
        longest = min(self.first_wait * float(1 << min(attempt - 1, 30)), self.longest_wait)
        return longest * random.uniform(0.5, 1.0)


class Pace:
    """When the next request may start, for all threads together."""

    def __init__(self, per_minute: float | None, stopped: threading.Event) -> None:
        self._step = 60.0 / per_minute if per_minute else 0.0
        self._next = 0.0
        self._lock = threading.Lock()
        self._stopped = stopped

    def start(self) -> None:
        """Wait until a request may start."""
        with self._lock:
            now = time.monotonic()
            at = max(self._next, now)
            self._next = at + self._step
        self._stopped.wait(max(at - now, 0.0))

    def hold(self, seconds: float) -> None:
        """Let nobody start for a while."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)


def body_of(prompt: Prompt, request: Mapping[str, Any], stream: bool) -> dict[str, Any]:
    """Return what is sent for a prompt.

    Args:
        prompt: the prompt.
        request: the parameters, such as ``model`` and ``temperature``; our own (``prompt_style`` …) are not sent, and
            neither is what is None, so that ``extra`` can take a parameter back.
        stream: whether the response comes piece by piece.
    """
    body = {name: value for name, value in request.items() if name not in _OURS}
    body |= request.get("extra") or {}
    body = {name: value for name, value in body.items() if value is not None}
    body |= {"messages": prompt.messages, "stream": stream}
    if stream:
        body["stream_options"] = {"include_usage": True}
    if prompt.schema is not None:
        named = {"name": "derivation", "schema": prompt.schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    return body


_OURS = frozenset({"prompt_style", "extra", "base_url"})


def ask_all(
    endpoint: Endpoint,
    journal: Journal,
    work: Iterable[tuple[Key, Prompt]],
    request: Mapping[str, Any],
    patience: Patience = Patience(),
    *,
    stream: bool = True,
    advance: Callable[[], object] = lambda: None,
) -> dict[Key, AskError]:
    """Ask what is not stored yet, and store each response as soon as it is there.

    Args:
        endpoint: the server.
        journal: where responses are stored.
        work: problems and samples, each with its prompt.
        request: the parameters of every request.
        patience: how fast to ask, and how often again.
        stream: whether responses come piece by piece.
        advance: called after each request that ends, from the calling thread.

    Returns:
        What failed for good.

    Raises:
        AskError: the server refuses every request.
        JournalError: a response cannot be stored.
    """
    stopped = threading.Event()
    pace = Pace(patience.per_minute, stopped)
    left = [(key, prompt) for key, prompt in work if key not in journal.responses]
    failed: dict[Key, AskError] = {}

    def one(key: Key, prompt: Prompt) -> None:
        body = body_of(prompt, _seeded(request, key[1]), stream)
        response, attempts, seconds = _persistent(endpoint, body, patience, pace, stopped)
        journal.store(key, _entry(response, prompt, attempts, seconds))

    with ThreadPoolExecutor(patience.concurrency, thread_name_prefix="ask") as pool:
        try:
            waiting: dict[Future[None], Key] = {}
            for key, prompt in left:
                waiting[pool.submit(one, key, prompt)] = key
                if len(waiting) >= 4 * patience.concurrency:
                    _settle(waiting, failed, advance)
            while waiting:
                _settle(waiting, failed, advance)
        except BaseException:
            stopped.set()
            pool.shutdown(cancel_futures=True)
            raise
    return failed


def _settle(waiting: dict[Future[None], Key], failed: dict[Key, AskError], advance: Callable[[], object]) -> None:
    done, _ = wait(waiting, return_when=FIRST_COMPLETED)
    for future in done:
        key = waiting.pop(future)
        try:
            future.result()
        except AskError as error:
            if error.hopeless:
                raise
            failed[key] = error
        advance()


def _seeded(request: Mapping[str, Any], sample: int) -> Mapping[str, Any]:
    """Return the parameters of a sample. Each has its own seed; with the same seed all would be the same."""
    seed = request.get("seed")
    return request if seed is None or not sample else {**request, "seed": seed + sample}


def _persistent(
    endpoint: Endpoint, body: Mapping[str, Any], patience: Patience, pace: Pace, stopped: threading.Event
) -> tuple[Response, int, float]:
    attempt = 0
    while True:
        pace.start()
        if stopped.is_set():
            raise AskError("stopped", transient=True)
        started = time.monotonic()
        try:
            return endpoint.ask(body, stopped), attempt + 1, time.monotonic() - started
        except AskError as error:
            attempt += 1
            if not error.transient or attempt > patience.retries:
                raise
            if error.wait is not None:
                pace.hold(error.wait)
            stopped.wait(max(error.wait or 0.0, patience.wait_before(attempt)))


def _entry(response: Response, prompt: Prompt, attempts: int, seconds: float) -> dict[str, Any]:
    return {
        "answer": response.text,
        **({"no_answer": response.no_answer} if response.no_answer else {}),
        **({"reasoning": response.reasoning} if response.reasoning else {}),
        "prompt_style": prompt.label,
        "finish_reason": response.finish_reason,
        "usage": dict(response.usage),
        "served_model": response.model,
        "attempts": attempts,
        "seconds": round(seconds, 3),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def work_of(prompts: Mapping[Any, Prompt], samples: int) -> Sequence[tuple[Key, Prompt]]:
    """Return everything that is to be asked: the first sample of every problem, then the second, and so on."""
    return [((id_, sample), prompt) for sample in range(samples) for id_, prompt in prompts.items()]
