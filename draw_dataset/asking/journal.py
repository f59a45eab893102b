"""The question: which responses are stored already, and how is a new one stored so that nothing can lose it.

A journal is a JSONL file with one response on each line: the id of the problem, the number of the sample, the answer,
the style of its prompt, and the parameters of the request. ``draw score`` scores such a file. A line is written at once
and is on the disk before another problem is asked in its place. After a crash the file may end in half a line; that
response is dropped and asked again. Only one process at a time may write. Other parameters, or other prompts under the
same ids, are refused: the figures would mix two models.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from draw_dataset.core.problem import ProblemId, is_problem_id
from draw_dataset.errors import DrawError, JournalError, shown
from draw_dataset.files import json_line, read_json_lines

Key = tuple[ProblemId, int]
"""A problem and the number of a sample, from 0."""


def digest_of(messages: Sequence[Mapping[str, str]]) -> str:
    """Return the digest of a prompt, which a journal stores instead of the prompt."""
    return hashlib.sha256(json.dumps(messages).encode()).hexdigest()[:16]


class Journal:
    """A file of responses, open for writing.

    Args:
        path: the file; it is made if it does not exist.
        request: the parameters of every request.
        prompts: the digest of the prompt of each problem that is asked.

    Attributes:
        responses: the stored lines by problem and sample.
        dropped: whether half a line was dropped.

    Raises:
        JournalError: another process writes it, it is no journal, or it was made with other parameters or prompts.
    """

    def __init__(
        self, path: str | os.PathLike[str], request: Mapping[str, Any], prompts: Mapping[ProblemId, str]
    ) -> None:
        self.path = Path(path)
        self.responses: dict[Key, dict[str, Any]] = {}
        self._request = dict(request)
        self._prompts = prompts
        self._writing = threading.Lock()
        self._lock = FileLock(f"{self.path}.lock")
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise JournalError(f"{self.path}: another process is writing to it: wait, or name another file") from None
        except OSError as error:
            raise JournalError(f"{self.path}: cannot write to it: {error.strerror or error}") from error
        try:
            self.dropped = self._cut_half_line()
            if self.path.exists():
                self._read()
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
            self._file = os.open(self.path, flags, 0o666)
        except DrawError:
            self._lock.release()
            raise
        except OSError as error:
            self._lock.release()
            raise JournalError(f"{self.path}: cannot write to it: {error.strerror or error}") from error

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)
        self._lock.release()

    def _cut_half_line(self) -> bool:
        """Drop what follows the last line end: a line that a killed process did not finish."""
        try:
            with self.path.open("rb+") as file:
                end = file.seek(0, os.SEEK_END)
                at = end
                while at > 0:
                    start = max(at - (1 << 16), 0)
                    file.seek(start)
                    found = file.read(at - start).rfind(b"\n")
                    if found >= 0:
                        at = start + found + 1
                        break
                    at = start
                if at < end:
                    file.truncate(at)
                return at < end
        except FileNotFoundError:
            return False

    def _read(self) -> None:
        for line in read_json_lines(self.path, error=JournalError):
            stored, where = line.value, f"{self.path}, line {line.number}"
            id_, sample, answer = stored.get("id"), stored.get("sample"), stored.get("answer")
            if not is_problem_id(id_) or type(sample) is not int or not isinstance(answer, str):
                got = shown(sorted(stored)[:8])
                raise JournalError(f"{where}: expected a response with id, sample and answer, but got the keys {got}")
            self._compare(stored, id_, where)
            if (id_, sample) in self.responses:
                got = f"{shown((id_, sample))} again"
                raise JournalError(f"{where}: expected each sample of a problem once, but got {got}")
            self.responses[id_, sample] = stored

    def _compare(self, stored: Mapping[str, Any], id_: ProblemId, where: str) -> None:
        then = stored.get("request")
        then = then if isinstance(then, Mapping) else {}
        other = [name for name in sorted({*then, *self._request}) if then.get(name) != self._request.get(name)]
        if other:
            name = other[0]
            raise JournalError(
                f"{where}: its {name} is {shown(then.get(name))}, but now {name} is "
                f"{shown(self._request.get(name))}: name another file, or ask as before"
            )
        if id_ in self._prompts and stored.get("prompt_sha256") != self._prompts[id_]:
            raise JournalError(f"{where}: problem {shown(id_)} was asked with another prompt: name another file")

    def store(self, key: Key, entry: Mapping[str, Any]) -> None:
        """Store a response and wait until it is on the disk. Any thread may call it.

        Raises:
            JournalError: it cannot be written, for example because the disk is full.
        """
        id_, sample = key
        line = {"id": id_, "sample": sample, **entry, "prompt_sha256": self._prompts[id_], "request": self._request}
        content = json_line(line).encode()
        with self._writing:
            try:
                written = 0
                while written < len(content):
                    written += os.write(self._file, content[written:])
                os.fsync(self._file)
            except OSError as error:
                raise JournalError(f"{self.path}: cannot write to it: {error.strerror or error}") from error
            self.responses[key] = line
