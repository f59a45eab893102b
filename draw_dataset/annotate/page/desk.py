"""Import and export on the page, for those who lead an annotation: forms without scripts.

`AccessControl` refuses people who are not logged in, forms of other sites, long forms and wrong tokens of the lead.
Here the content of a form is read; nothing of it becomes a path, and all or none of its problems are imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from draw_dataset.annotate.intake import REMEDY, Intake, check_new_problems, constants_text, read_problem_bytes
from draw_dataset.annotate.outcome import POLICIES, export_rows, settle
from draw_dataset.annotate.page.render import data_html
from draw_dataset.annotate.store import Store
from draw_dataset.errors import AnnotationError, ChoiceError
from draw_dataset.io.jsonl import json_line

DATA, IMPORT, EXPORT = "/data", "/data/import", "/data/export"
DESK_PATHS = (DATA, IMPORT, EXPORT)
MAX_UPLOAD = 1 << 24  # bytes of a form with a file
MAX_PROBLEMS = 5_000  # in one file; proposing derivations for more keeps the server busy for too long

OFFERED = tuple(policy for policy in POLICIES if policy != "annotator")

_LONGEST_NAME = 100
_NAMED = 10


@dataclass(frozen=True, slots=True)
class Export:
    """A file to download."""

    name: str
    content: bytes


class Desk:
    """Imports and exports of one store; `token` is the lead's, or None if everybody here may lead."""

    def __init__(self, store: Store, token: str | None) -> None:
        self.token = token
        self._store = store
        self._lock = Lock()  # one import at a time

    def page(self, lines: Sequence[str] = (), problem: str = "") -> str:
        """Return the page with the forms, the result of the last import and what was refused."""
        return data_html(lines, problem, OFFERED, asks_token=self.token is not None, megabytes=MAX_UPLOAD >> 20)

    def import_file(self, content: bytes, name: str, *, update: bool) -> list[str]:
        """Import the problems of an uploaded file; return what happened, in lines."""
        if not content.strip():
            raise AnnotationError("file: expected a JSONL, CSV or TSV file with problems, but got an empty one")
        shown = name.replace("\\", "/").rpartition("/")[2][:_LONGEST_NAME] or "file"
        notes: list[str] = []
        problems = check_new_problems(read_problem_bytes(content, shown, MAX_PROBLEMS, notes))
        with self._lock:
            return [*notes, *_told(self._store.add_problems(problems, update))]

    def export(self, policy: str) -> Export:
        """Return the annotated rows as JSON lines."""
        found = next((known for known in OFFERED if known == policy), None)
        if found is None:
            raise ChoiceError(f"policy: expected {' or '.join(OFFERED)}, but got {policy[:40]!r}")
        rows = export_rows(settle(self._store, found, least=None)).rows
        return Export(f"rows-{found}.jsonl", "".join(map(json_line, rows)).encode())


def _told(intake: Intake) -> list[str]:
    counts = {"added": len(intake.added), "updated": len(intake.updated), "already there": len(intake.unchanged)}
    lines = [", ".join(f"{count} {name}" for name, count in counts.items() if count) or "no problem in the file"]
    if intake.added or intake.updated:
        lines.append("of those: " + ", ".join(f"{count} {name}" for name, count in intake.counts.items() if count))
    if intake.constants:
        lines.append(constants_text(intake.constants))
    refused = list(intake.refused.items())
    lines += [f"problem {id_} cannot be annotated as it is: {message}" for id_, message in refused[:_NAMED]]
    lines += [f"and {len(refused) - _NAMED} more"] * (len(refused) > _NAMED)
    return lines + [f"for those: {REMEDY}"] * bool(refused)
