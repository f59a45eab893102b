"""The store of what has been computed already, which survives a process that is killed.

Every job has a file of its own, which is written next to its place and then takes it: a file that is there is whole. A
record says of which job it is, and which behaviour of the solver it shows; a record of another behaviour counts as
missing, since figures of two solvers must not meet in one table. The behaviour of a solver is a version that is raised
by hand (`jobs.SOLVERS`): figures take hours, and a hash of the code changes with every name in it. That hash is kept in
the record, too, so that it can be seen which code made it; `--recompute` compares some figures with those of the code
at hand. The figures of a dataset are quickly made again and go by the hash. Nothing in a record depends on when or how
fast it was made: two runs give the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from draw_dataset.errors import DrawError, FolderError, RowError, short_repr
from draw_dataset.fingerprint import fingerprint_of
from draw_dataset.io.atomic import write_atomically
from draw_dataset.io.jsonl import decode_json, read_json_lines, read_text, write_json_lines
from reproduction.jobs import SOLVERS, Job, SolverJob, job_of

FORMAT = 2  # the version of a record's shape

# The parts of the package that the figures of each kind of job depend on; all depend on figures.py next to us
PARTS = {
    "solver": ("algebra", "derivation", "text", "data", "scoring", "solver"),
    "dataset": ("algebra", "derivation", "text", "data", "annotate"),
}

CORRECTED = "corrected"  # where a record has the score on corrected gold. Records made before it was computed have none

# What a record says about itself, and is no figure
_ABOUT = frozenset(["format", "job", "behaviour", "code", "model", "signature"])

Record = Mapping[str, Any]
Records = Mapping[Job, Record]


@lru_cache(maxsize=1)
def code_hashes() -> dict[str, str]:
    """Return the hash of the code behind each kind of job."""
    beside = [Path(__file__).with_name("figures.py")]
    return {kind: fingerprint_of(parts, beside, plain=True) for kind, parts in PARTS.items()}


def behaviour_of(job: Job, code: Mapping[str, str]) -> str:
    """Return what the figures of a job go by: the version of the solver, or the code that measures a dataset."""
    if isinstance(job, SolverJob):
        return f"{job.features}:{SOLVERS[job.features].behaviour}" if job.features in SOLVERS else "unknown"
    return f"code:{code['dataset']}"


class Store:
    """A folder of records."""

    def __init__(self, folder: Path, code: Mapping[str, str]) -> None:
        self.folder = folder
        self._code = code
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FolderError(f"cannot make the folder {folder}: {error}") from error

    def path(self, job: Job) -> Path:
        """Return the file of a job."""
        return self.folder / f"{job.name}.json"

    def read(self, job: Job) -> Record | None:
        """Return the record of a job; None if there is none, or none of this job, code and shape."""
        record = _read(self.path(job))
        data = job.as_data()
        if record.get("format") != FORMAT or record.get("job") != data:
            return None
        return record if record.get("behaviour") == behaviour_of(job, self._code) else None

    def write(self, job: Job, figures: Record) -> None:
        """Keep the figures of a job: all of them, or nothing."""
        data = job.as_data()
        about = {"behaviour": behaviour_of(job, self._code), "code": self._code[data["kind"]]}
        record = {"format": FORMAT, "job": data, **about, **figures}
        write_atomically(self.path(job), json.dumps(record, indent=1) + "\n")

    def adopt(self, records: Records) -> int:
        """Take over records of the behaviour at hand that are not here; return how many."""
        taken = [job for job, record in records.items() if record.get("behaviour") == behaviour_of(job, self._code)]
        missing = [job for job in taken if self.read(job) is None]
        for job in missing:
            write_atomically(self.path(job), json.dumps(records[job], indent=1) + "\n")
        return len(missing)

    def read_all(self, jobs: Iterable[Job]) -> dict[Job, Record]:
        """Return the records of those jobs that have one."""
        return {job: record for job in jobs if (record := self.read(job)) is not None}

    def jobs(self) -> list[Job]:
        """Return the jobs that have a record, in the order of their names."""
        found = []
        for path in sorted(self.folder.glob("*.json")):
            try:
                job = job_of(_read(path).get("job"))
            except ValueError:
                continue  # not ours
            if path == self.path(job) and self.read(job) is not None:
                found.append(job)
        return found


def _read(path: Path) -> dict[str, Any]:
    """Return the object in a file; an empty one if there is none."""
    try:
        record = decode_json(read_text(path), f"{path}")
    except DrawError:
        return {}
    return record if isinstance(record, dict) else {}


def differences(stored: Record, made: Record) -> dict[str, tuple[Any, Any]]:
    """Return the figures of a stored record that are others in one that was made now, by name, each with both values.

    Signatures are no figures: they name versions.

    >>> differences({"score": {"n": 2, "signature": "a"}, "templates": 3}, {"score": {"n": 1}, "templates": 3})
    {'score.n': (2, 1)}
    """
    found: dict[str, tuple[Any, Any]] = {}
    for name, value in stored.items():
        if name in _ABOUT:
            continue
        if isinstance(value, dict) and isinstance(made.get(name), dict):
            found |= {f"{name}.{inner}": both for inner, both in differences(value, made[name]).items()}
        elif made.get(name) != value:
            found[name] = (value, made.get(name))
    return found


def clear_parts(folder: Path) -> None:
    """Remove what killed processes have left half written; nobody else may be at work in the folder."""
    for path in folder.glob(".*.part"):
        path.unlink(missing_ok=True)


def write_records(path: Path, records: Records) -> None:
    """Write records as one file, a JSON object a line, in the order of their names."""
    ordered = sorted(records.items(), key=lambda item: item[0].name)
    write_json_lines(path, (record for _, record in ordered))


def read_records(path: Path) -> dict[Job, Record]:
    """Return the records of a file that `write_records` has written."""
    found: dict[Job, Record] = {}
    for line in read_json_lines(path):
        try:
            if line.value.get("format") != FORMAT:
                raise ValueError(f"the format {short_repr(line.value.get('format'))}")
            found[job_of(line.value.get("job"))] = line.value
        except ValueError as error:
            raise RowError(f"{path}, line {line.number}: expected a stored job, but got {error}") from error
    return found


def restamp(job: Job, record: Record, code: Mapping[str, str]) -> Record:
    """Return a record with the key of the present code, which must make the same figures.

    Only the figures of datasets go by a hash of the code, which moving a module changes; the key of a solver's figures
    is a version, and their hash says which code made them, so that these stay as they are.
    """
    return (
        record
        if isinstance(job, SolverJob)
        else {**record, "behaviour": behaviour_of(job, code), "code": code["dataset"]}
    )
