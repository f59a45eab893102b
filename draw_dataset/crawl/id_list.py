"""Reading a list of question ids: one a line; what is no id is reported, and the rest is used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from draw_dataset.crawl.addresses import MAX_ID
from draw_dataset.errors import IdListError, shown


def read_ids(path: Path, report: Callable[[str], None]) -> list[int]:
    """Return the ids of a file in its order, each once.

    Empty lines, and what follows a ``#``, do not count.

    Args:
        path: the file.
        report: told about each line that is no id.

    Raises:
        IdListError: the file cannot be read, or has no id in it.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise IdListError(f"cannot read {path}: {error.strerror or error}") from error
    found: dict[int, None] = {}
    for place, line in enumerate(lines, 1):
        text = line.partition(b"#")[0].strip().removeprefix(b"\xef\xbb\xbf")
        if not text:
            continue
        if text.isdigit() and len(text) <= 9 and 0 < int(text) < MAX_ID:
            found.setdefault(int(text))
        else:
            written = text.decode("utf-8", errors="replace")
            report(f"{path}, line {place}: expected the number of a question, but got {shown(written)}; passed over")
    if not found:
        raise IdListError(f"{path}: expected numbers of questions, one a line, but got none in {len(lines)} lines")
    return list(found)
