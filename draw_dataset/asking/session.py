"""Asking a server about problems, and the journal in which every response is stored before the next request.

A few threads share the rate. A request that fails for a passing reason is retried, each time after twice the wait, or
after the wait that the server demands of all. One that fails for good is left open for the next run. If the server
refuses every request, nothing more is asked.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from draw_dataset.asking.endpoint import Endpoint, Response
from draw_dataset.derivation.problem import ProblemId, is_problem_id
from draw_dataset.errors import AskError, DrawError, JournalError, short_repr
from draw_dataset.io.jsonl import MAX_LINE, decode_line, json_line
from draw_dataset.prompting import Prompt

# A journal is a JSONL file with one response on each line, which ``draw score`` scores. After a crash it may end in
# half a line; that response is dropped and asked again. A file is changed only if all of it is a journal of this run.
# Journals with other parameters, or other prompts under the same ids, are refused: the figures would mix two models.

Key = tuple[ProblemId, int]
"""A problem and the number of a sample, from 0."""


def digest_of(messages: Sequence[Mapping[str, str]]) -> str:
    """Return the digest of a prompt, which a journal stores instead of the prompt."""
    return hashlib.sha256(json.dumps(messages).encode()).hexdigest()[:16]


class Journal:
    """A file of responses by problem and sample, open for writing by one process, with the same parameters."""

    def __init__(
        self, path: str | os.PathLike[str], request: Mapping[str, Any], prompts: Mapping[ProblemId, str]
    ) -> None:
        self.path = Path(path)
        self.responses: dict[Key, dict[str, Any]] = {}
        self._request = dict(request)
        self._prompts = prompts
        self._writing = threading.Lock()
        if os.path.exists(self.path) and not os.path.isfile(self.path):
            raise JournalError(f"{self.path}: expected a file, but this is a folder, a device or a pipe")
        # Of the file itself, by whatever link it is named.
        self._lock = FileLock(f"{os.path.realpath(self.path)}.lock")
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise JournalError(f"{self.path}: another process is writing to it: wait, or name another file") from None
        except OSError as error:
            raise self._write_error(error) from error
        self._file = -1
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
            self.dropped = self._read()
        except DrawError:
            self._close()
            raise
        except OSError as error:
            self._close()
            raise self._write_error(error) from error

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        with self._writing:
            if self._file >= 0:
                os.close(self._file)
            self._file = -1  # whoever writes now must not meet another file under the same number
        self._lock.release()

    def _write_error(self, error: OSError) -> JournalError:
        return JournalError(f"{self.path}: cannot write to it: {error.strerror or error}")

    def _read(self) -> bool:
        """Read every line, and only then cut half a line at the end; return whether there was one."""
        size = 0
        with open(self._file, "rb", closefd=False) as file:
            for number, line in enumerate(iter(lambda: file.readline(MAX_LINE + 1), b""), 1):
                where = f"{self.path}, line {number}"
                if len(line) > MAX_LINE:
                    raise JournalError(f"{where}: expected at most {MAX_LINE} bytes, but got more: name another file")
                if not line.endswith(b"\n"):
                    if not self._begins_line(line):
                        raise JournalError(
                            f"{where}: expected a response of this run, but got {short_repr(line[:60])}: "
                            "name another file"
                        )
                    os.ftruncate(self._file, size)
                    return True
                if line.strip():
                    self._take(decode_line(line, where, JournalError), where)
                size += len(line)
        return False

    def _begins_line(self, half: bytes) -> bool:
        """Decide whether half a line is ours."""
        # After whole lines of this run its first key shows it. Alone, it must hold a prompt and the parameters.
        starts = [b'{"id": '] if self.responses else map(self._start, self._prompts)
        return any(half.startswith(start) or start.startswith(half) for start in starts)

    def _start(self, id_: ProblemId) -> bytes:
        """Return how each line of a problem starts, up to the number of the sample."""
        return json_line(self._line((id_, 0), {})).encode().rpartition(b"0")[0]

    def _line(self, key: Key, entry: Mapping[str, Any]) -> dict[str, Any]:
        # First what tells whose line it is, even if only half of it is there.
        id_, sample = key
        return {"id": id_, "prompt_sha256": self._prompts[id_], "request": self._request, "sample": sample, **entry}

    def _take(self, stored: dict[str, Any], where: str) -> None:
        id_, sample, answer = stored.get("id"), stored.get("sample"), stored.get("answer")
        if not is_problem_id(id_) or type(sample) is not int or not isinstance(answer, str):
            got = short_repr(sorted(stored)[:8])
            raise JournalError(f"{where}: expected a response with id, sample and answer, but got the keys {got}")
        self._compare(stored, id_, where)
        if (id_, sample) in self.responses:
            got = f"{short_repr((id_, sample))} again"
            raise JournalError(f"{where}: expected each sample of a problem once, but got {got}")
        self.responses[id_, sample] = stored

    def _compare(self, stored: Mapping[str, Any], id_: ProblemId, where: str) -> None:
        then = stored.get("request")
        then = then if isinstance(then, Mapping) else {}
        other = [name for name in sorted({*then, *self._request}) if then.get(name) != self._request.get(name)]
        if other:
            name = other[0]
            raise JournalError(
                f"{where}: its {name} is {short_repr(then.get(name))}, but now {name} is "
                f"{short_repr(self._request.get(name))}: name another file, or ask as before"
            )
        if id_ in self._prompts and stored.get("prompt_sha256") != self._prompts[id_]:
            raise JournalError(f"{where}: problem {short_repr(id_)} was asked with another prompt: name another file")

    def store(self, key: Key, entry: Mapping[str, Any]) -> None:
        """Store a response and wait until it is on the disk. Any thread may call it."""
        line = self._line(key, entry)
        content = json_line(line).encode()
        if len(content) > MAX_LINE:
            raise AskError(
                f"expected a response that fits into a line of {MAX_LINE} bytes, but got {len(content)}",
                transient=False,
            )
        with self._writing:
            try:
                size = os.fstat(self._file).st_size
                try:
                    written = 0
                    while written < len(content):
                        written += os.write(self._file, content[written:])
                    os.fsync(self._file)
                except OSError:
                    # Another thread may yet write; half a line in the middle would spoil the file.
                    with suppress(OSError):
                        os.ftruncate(self._file, size)
                    raise
            except OSError as error:
                raise self._write_error(error) from error
            self.responses[key] = line


@dataclass(frozen=True, slots=True)
class Patience:
    """The rate of requests, and the retries."""

    concurrency: int = 4  # requests at a time
    per_minute: float | None = None  # at most this many requests a minute; None is no limit
    retries: int = 5  # how often a failed request is tried again
    first_wait: float = 1.0  # how many seconds to wait before the first retry
    longest_wait: float = 60.0  # how many seconds to wait at most, unless the server asks for more

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
    """Return the body of a request. Our own parameters (``prompt_style`` …) and those that are None are not sent."""
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
    """Ask what is not stored yet, store each response at once, and return what failed for good."""
    stopped = threading.Event()
    pace = Pace(patience.per_minute, stopped)
    left = [(key, prompt) for key, prompt in work if key not in journal.responses]
    failed: dict[Key, AskError] = {}

    def one(key: Key, prompt: Prompt) -> None:
        body = body_of(prompt, _with_seed(request, key[1]), stream)
        response, attempts, seconds = _ask_with_retries(endpoint, body, patience, pace, stopped)
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


def _with_seed(request: Mapping[str, Any], sample: int) -> Mapping[str, Any]:
    """Return the parameters of a sample. Each has its own seed; with the same seed all would be the same."""
    seed = request.get("seed")
    return request if seed is None or not sample else {**request, "seed": seed + sample}


def _ask_with_retries(
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
