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

from draw_dataset.asking.budget import Budget
from draw_dataset.asking.endpoint import Endpoint, Response
from draw_dataset.asking.request import GUIDED, Guidance, Key, body_of, group_work, seeded
from draw_dataset.derivation.problem import ProblemId, is_problem_id
from draw_dataset.errors import AskError, DrawError, JournalError, short_repr
from draw_dataset.io.jsonl import MAX_LINE, decode_line, json_line
from draw_dataset.prompting import Prompt

# A journal is a JSONL file with one response on each line, which ``draw score`` scores. After a crash it may end in
# half a line; that response is dropped and asked again. A file is changed only if all of it is a journal of this run.
# Journals with other parameters, or other prompts under the same ids, are refused: the figures would mix two models.


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

    def store(self, entries: Mapping[Key, Mapping[str, Any]]) -> None:
        """Store the responses to one request and wait until they are on the disk. Any thread may call it."""
        lines = {key: self._line(key, entry) for key, entry in entries.items()}
        contents = [json_line(line).encode() for line in lines.values()]
        longest = max(map(len, contents))
        if longest > MAX_LINE:
            raise AskError(
                f"expected a response that fits into a line of {MAX_LINE} bytes, but got {longest}",
                transient=False,
            )
        content = b"".join(contents)
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
            self.responses.update(lines)


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


@dataclass(frozen=True, slots=True)
class Run:
    """How a server is asked, besides the parameters of a request."""

    patience: Patience
    guidance: Guidance
    stream: bool = True
    per_request: int = 1  # how many samples of a problem one request asks for
    budget: Budget | None = None


def ask_all(
    endpoint: Endpoint,
    journal: Journal,
    work: Iterable[tuple[Key, Prompt]],
    request: Mapping[str, Any],
    run: Run,
    advance: Callable[[int, int], object],
) -> dict[Key, AskError]:
    """Ask what is not stored yet, store each response at once, and return what failed for good.

    What the budget does not allow is neither stored nor failed. `advance` is called with the number of responses that
    were stored, and of those that failed.
    """
    asking = _Asking(endpoint, journal, request, run)
    left = group_work([(key, prompt) for key, prompt in work if key not in journal.responses], run.per_request)
    failed: dict[Key, AskError] = {}
    with ThreadPoolExecutor(run.patience.concurrency, thread_name_prefix="ask") as pool:
        try:
            waiting: dict[Future[None], tuple[Key, ...]] = {}
            for keys, prompt in left:
                waiting[pool.submit(asking.ask, keys, prompt)] = keys
                if len(waiting) >= 4 * run.patience.concurrency:
                    _settle(waiting, journal, failed, advance)
            while waiting:
                _settle(waiting, journal, failed, advance)
        except BaseException:
            asking.stopped.set()
            pool.shutdown(cancel_futures=True)
            raise
    return failed


def _settle(
    waiting: dict[Future[None], tuple[Key, ...]],
    journal: Journal,
    failed: dict[Key, AskError],
    advance: Callable[[int, int], object],
) -> None:
    done, _ = wait(waiting, return_when=FIRST_COMPLETED)
    for future in done:
        keys = waiting.pop(future)
        missing: list[Key] = []
        try:
            future.result()
        except AskError as error:
            if error.hopeless:
                raise
            missing = [key for key in keys if key not in journal.responses]
            failed |= dict.fromkeys(missing, error)
        advance(sum(key in journal.responses for key in keys), len(missing))


class _Asking:
    """Requests of a run. Each thread calls `ask`."""

    def __init__(self, endpoint: Endpoint, journal: Journal, request: Mapping[str, Any], run: Run) -> None:
        self._endpoint, self._journal, self._request, self._run = endpoint, journal, request, run
        self.stopped = threading.Event()
        self._pace = Pace(run.patience.per_minute, self.stopped)

    def ask(self, keys: Sequence[Key], prompt: Prompt) -> None:
        """Ask for some samples of a problem, and store them. A server may send fewer than it was asked for."""
        left = list(keys)
        budget = self._run.budget
        while left:
            if budget is not None and not budget.start(self.stopped):
                return
            cost = None
            try:
                responses, way, attempts, seconds = self._ask_guided(left, prompt)
                if budget is not None:
                    cost = budget.cost(responses[0].usage)
                more = {"attempts": attempts, "seconds": round(seconds, 3)}
                entries = entries_of(left, responses, prompt, way, more)
                self._journal.store(entries)
            finally:
                if budget is not None:
                    budget.settle(cost)
            if budget is not None and cost is None:
                raise AskError(
                    "--budget: expected token counts, but the server sends none; ask without --budget",
                    transient=False,
                    hopeless=True,
                )
            left = left[len(entries) :]

    def _ask_guided(self, left: Sequence[Key], prompt: Prompt) -> tuple[tuple[Response, ...], str, int, float]:
        request = seeded(self._request, left[0][1])

        def send(way: str) -> tuple[tuple[Response, ...], int, float]:
            return self._ask_with_retries(body_of(prompt, request, self._run.stream, guided=way, count=len(left)))

        if prompt.schema is None:
            responses, attempts, seconds = send(GUIDED[-1])
            return responses, GUIDED[-1], attempts, seconds
        (responses, attempts, seconds), way = self._run.guidance.ask(send)
        return responses, way, attempts, seconds

    def _ask_with_retries(self, body: Mapping[str, Any]) -> tuple[tuple[Response, ...], int, float]:
        patience = self._run.patience
        attempt = 0
        while True:
            self._pace.start()
            if self.stopped.is_set():
                raise AskError("stopped", transient=True)
            started = time.monotonic()
            try:
                return self._endpoint.ask(body, self.stopped), attempt + 1, time.monotonic() - started
            except AskError as error:
                attempt += 1
                if not error.transient or attempt > patience.retries:
                    raise
                if error.wait is not None:
                    self._pace.hold(error.wait)
                self.stopped.wait(max(error.wait or 0.0, patience.wait_before(attempt)))


def entries_of(
    keys: Sequence[Key], responses: Sequence[Response], prompt: Prompt, guided: str, more: Mapping[str, Any]
) -> dict[Key, dict[str, Any]]:
    """Return the responses to one request as lines of a journal; `more` is what else is known of the request."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    entries = {}
    for key, response in zip(keys, responses, strict=False):
        entries[key] = {
            "answer": response.text,
            **({"from_tool": True} if response.from_tool else {}),
            **({"no_answer": response.no_answer} if response.no_answer else {}),
            **({"reasoning": response.reasoning} if response.reasoning else {}),
            "prompt_style": prompt.label,
            **({} if prompt.schema is None else {"guided": guided}),
            "finish_reason": response.finish_reason,
            "usage": dict(response.usage),
            **({} if key == keys[0] else {"usage_in_sample": keys[0][1]}),
            "served_model": response.model,
            **more,
            "time": now,
        }
    return entries
