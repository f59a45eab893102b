"""The question: which responses are stored already, and how is a new one stored so that nothing can lose it.

A journal is a JSONL file with one response on each line: the id of the problem, the digest of its prompt, the
parameters of the request, the number of the sample, the answer and more. ``draw score`` scores such a file. A line is
written at once and is on the disk before another problem is asked in its place. After a crash the file may end in half
a line; that response is dropped and asked again. A file is changed only if all of it is a journal of this run: every
whole line, and the beginning of a half one. Other files are refused as they are, and so are journals with other
parameters, or with other prompts under the same ids: the figures would mix two models. Only one process at a time may
write.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from draw_dataset.core.problem import ProblemId, is_problem_id
from draw_dataset.errors import AskError, DrawError, JournalError, shown
from draw_dataset.files import json_line
from draw_dataset.files.jsonl import MAX_LINE, decode_line

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
        if os.path.exists(self.path) and not os.path.isfile(self.path):
            raise JournalError(f"{self.path}: expected a file, but this is a folder, a device or a pipe")
        # Of the file itself, by whatever link it is named.
        self._lock = FileLock(f"{os.path.realpath(self.path)}.lock")
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise JournalError(f"{self.path}: another process is writing to it: wait, or name another file") from None
        except OSError as error:
            raise self._unwritable(error) from error
        self._file = -1
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
            self.dropped = self._read()
        except DrawError:
            self._close()
            raise
        except OSError as error:
            self._close()
            raise self._unwritable(error) from error

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

    def _unwritable(self, error: OSError) -> JournalError:
        return JournalError(f"{self.path}: cannot write to it: {error.strerror or error}")

    def _read(self) -> bool:
        """Read every line, and only then cut half a line at the end; say whether there was one."""
        size = 0
        with open(self._file, "rb", closefd=False) as file:
            for number, line in enumerate(iter(lambda: file.readline(MAX_LINE + 1), b""), 1):
                where = f"{self.path}, line {number}"
                if len(line) > MAX_LINE:
                    raise JournalError(f"{where}: expected at most {MAX_LINE} bytes, but got more: name another file")
                if not line.endswith(b"\n"):
                    if not self._begins_line(line):
                        raise JournalError(
                            f"{where}: expected a response of this run, but got {shown(line[:60])}: name another file"
                        )
                    os.ftruncate(self._file, size)
                    return True
                if line.strip():
                    self._take(decode_line(line, where, JournalError), where)
                size += len(line)
        return False

    def _begins_line(self, half: bytes) -> bool:
        """Say whether half a line is ours.

        After whole lines of this run its first key shows it. Alone, it must hold a prompt and the parameters of this
        run, as far as it goes.
        """
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
            AskError: the line would be longer than a file may have it.
            JournalError: it cannot be written, for example because the disk is full.
        """
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
                raise self._unwritable(error) from error
            self.responses[key] = line
