"""Frozen gold of GSM8K and SVAMP: derivations that were read once, joined with the texts when they are loaded.

``data/derivations/`` has annotations without text: for each problem its id, the SHA-256 of its question, derivation,
alternatives, constants, steps, numbers that mean the same, status, and by what it was read. The texts come from the
Hub or a folder. A question with another hash is said, and derived afresh.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from draw_dataset.algebra.solution import solve
from draw_dataset.data.catalog import JOINED
from draw_dataset.derivation.derivation import Derivation, TextNumber
from draw_dataset.derivation.problem import REFUSED, Problem
from draw_dataset.deriving.files import Record, read_records
from draw_dataset.deriving.recipe import Recipe, in_values, recipe_for
from draw_dataset.deriving.records import Derived, Refusal, SourceProblem, derived_row, problem_of, with_names
from draw_dataset.errors import ChangedTextWarning, DrawError, SourceTextMissing
from draw_dataset.io.jsonl import decode_line
from draw_dataset.text.numbers import find_numbers

EDITION = 1  #: the edition of the frozen derivations

Folder = str | os.PathLike[str] | None


@dataclass(frozen=True, slots=True)
class Source:
    """Where the texts of a dataset are."""

    preset: str  # names the fields
    hub: str  # the dataset on the Hub
    config: str | None  # its configuration
    names: tuple[str, ...]  # of its files in a folder, the first that is there


SOURCES: Mapping[str, Source] = {
    "gsm8k_derivations": Source(
        "gsm8k", "openai/gsm8k", "main", ("gsm8k_{split}_full.jsonl", "gsm8k_{split}.jsonl", "{split}.jsonl")
    ),
    "svamp_derivations": Source("svamp", "ChilleD/SVAMP", None, ("svamp_full.json", "SVAMP.json", "svamp.json")),
}


@lru_cache(maxsize=4)
def read_frozen(dataset: str) -> dict[str, tuple[Mapping[str, Any], ...]]:
    """Return the annotations of a dataset by split."""
    text = files("draw_dataset.data").joinpath("derivations", f"{SOURCES[dataset].preset}.jsonl").read_text("utf-8")
    found: dict[str, list[Mapping[str, Any]]] = {split: [] for split in JOINED[dataset]}
    for number, line in enumerate(text.splitlines(), 1):
        annotation = decode_line(line, f"{dataset}:{number}")
        found[annotation["split"]].append(annotation)
    return {split: tuple(lines) for split, lines in found.items()}


def load_frozen(dataset: str, data_dir: Folder = None, splits: Iterable[str] = ()) -> dict[str, list[Problem]]:
    """Return the problems of a dataset by split, texts and annotations joined; without `splits` of all."""
    rows = load_frozen_rows(dataset, data_dir, splits)
    return {split: [Problem.from_row(row) for row in own] for split, own in rows.items()}


def load_frozen_rows(
    dataset: str, data_dir: Folder = None, splits: Iterable[str] = ()
) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a dataset by split.

    Raises:
        SourceTextMissing: the texts are not in the folder, or not all of them.
    """
    return {split: join(dataset, split, _records(dataset, split, data_dir)) for split in splits or JOINED[dataset]}


def join(dataset: str, split: str, records: Iterable[Record]) -> list[dict[str, Any]]:
    """Return the rows of a split, in the order of its annotations, from records that have the texts.

    Raises:
        SourceTextMissing: a text is missing.
    """
    recipe = recipe_for(SOURCES[dataset].preset, {})
    by_hash = {line["sha256"]: line for line in read_frozen(dataset)[split]}
    by_id = {line["id"]: line for line in read_frozen(dataset)[split]}
    rows: dict[str, dict[str, Any]] = {}
    changed: dict[str, dict[str, Any]] = {}
    given = list(_questions(records, recipe, split))
    known: list[str | None] = [by_hash.get(digest(question), {}).get("id") for _, question, _ in given]
    order = list(by_id)
    for position, (id_, question, record) in enumerate(given):
        own = known[position]
        if own is not None:
            rows[own] = frozen_row(by_id[own], question)
        elif id_ in by_id and (_has_id(record, recipe) or _stands_between(position, known, order)):
            changed[id_] = {**recipe.row(record, position), "id": id_, "steps": [], "edition": 0}
    changed = {id_: row for id_, row in changed.items() if id_ not in rows}
    missing = [id_ for id_ in by_id if id_ not in rows and id_ not in changed]
    if missing:
        raise SourceTextMissing(f"{dataset}/{split}", len(missing), len(by_id), missing[0])
    if changed:
        some = ", ".join(list(changed)[:3])
        text = f"{dataset}/{split}: {len(changed)} questions are not those that were read ({some}); derived afresh"
        warnings.warn(text, ChangedTextWarning, stacklevel=3)
    return [rows.get(id_) or changed[id_] for id_ in by_id]


def _has_id(record: Record, recipe: Recipe) -> bool:
    """Decide whether a record says its id, and is not only known by its place."""
    names = [name for name in (recipe.fields.id, "id", "ID") if name is not None]
    return isinstance(record, Mapping) and any(record.get(name) is not None for name in names)


def _stands_between(position: int, known: Sequence[str | None], order: Sequence[str]) -> bool:
    """Decide whether the neighbours of a text that is not known are those of its place."""
    near = [place for place in (position - 1, position + 1) if 0 <= place < len(known)]
    return position < len(order) and all(place < len(order) and known[place] == order[place] for place in near)


def texts_fingerprint(dataset: str, data_dir: Folder) -> str:
    """Return a hash of the files that a folder has the texts in; empty if they come from the Hub."""
    if data_dir is None:
        return ""
    paths = [_find(dataset, split, data_dir) for split in JOINED[dataset]]
    return sha256(b"".join(sha256(path.read_bytes()).digest() for path in paths)).hexdigest()[:16]


def digest(question: str) -> str:
    """Return the hash by which a question is known."""
    return sha256(question.encode()).hexdigest()


def _questions(records: Iterable[Record], recipe: Recipe, split: str) -> Iterator[tuple[str, str, Record]]:
    """Yield the id, the question and the record of each problem that can be read."""
    for position, record in enumerate(records):
        if isinstance(record, Mapping):
            try:
                problem = problem_of(with_names(record, ["ID", "Body", "Question"]), recipe.fields, position)
            except Refusal:
                continue
            own = str(problem.id)
            yield own if own.startswith("chal-") else f"{split}-{own}", problem.question, record


def frozen_row(line: Mapping[str, Any], question: str) -> dict[str, Any]:
    """Return the row of a question with its annotations."""
    found = find_numbers(question, "ordinary")
    numbers = tuple([TextNumber(n.sentence, n.token, n.value, n.index, n.text, n.start, n.end) for n in found])
    more = {"steps": list(line.get("steps", ())), "edition": EDITION}
    if line["status"] == REFUSED:
        problem = Problem(line["id"], question, numbers, (), (), (), (), status=REFUSED, reason=line["reason"])
        return problem.to_row() | {"readings": 0, "constants": []} | more
    derivations = tuple([Derivation.read(text, numbers) for text in (line["derivation"], *line["alternatives"])])
    equation = f"x = {in_values(derivations[0])}"
    derived = Derived(
        numbers=numbers,
        equations=(equation,),
        derivations=derivations,
        readings=len(derivations),
        solutions=tuple(solve(equation).numbers),
        constants=tuple(line["constants"]),
        asked=("m",),
    )
    row = derived_row(SourceProblem(line["id"], question), derived)
    places = {n.index: {"sentence": n.sentence, "token": n.token, "value": float(n.value)} for n in found}
    same = [[places[index] for index in group] for group in line["same"]]
    return row | more | {"status": line["status"], "equiv_tnum": same}


def _find(dataset: str, split: str, data_dir: str | os.PathLike[str]) -> Path:
    """Return the file of a folder that has the texts of a split."""
    folder = Path(data_dir).expanduser()
    names = [name.format(split=split) for name in SOURCES[dataset].names]
    path = next((folder / name for name in names if (folder / name).is_file()), None)
    if path is None:
        place = f"the folder {folder} has none of {', '.join(names)}"
        raise SourceTextMissing(f"{dataset}/{split}", place=place)
    return path


def _records(dataset: str, split: str, data_dir: Folder) -> Sequence[Record]:
    """Return the records of a split, from a folder or from the Hub."""
    if data_dir is not None:
        return list(read_records(_find(dataset, split, data_dir)))
    source = SOURCES[dataset]
    # Imported here: it takes seconds, and a folder needs none of it.
    import datasets

    try:
        found = datasets.load_dataset(source.hub, source.config)
    except (OSError, ValueError, DrawError) as error:
        place = f"the Hub does not give {source.hub} ({str(error)[:200]})"
        raise SourceTextMissing(f"{dataset}/{split}", place=place) from error
    own = [split] if split in found and len(JOINED[dataset]) > 1 else list(found)
    return [record for name in own for record in found[name]]
