"""Numbers that are raised by hand: each is held beside a fingerprint of what must raise it.

CONTRIBUTING.md has the table of them. A test that fails here says which number to raise; where the change means nothing
to anybody's files or scores, only the fingerprint is to be written anew.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from reproduction.jobs import job_of
from reproduction.store import FORMAT
from reproduction.store import Store as RecordStore
from solver.story_problems import stories

from draw_dataset import canonical_key, grade, prompt_for, score
from draw_dataset.annotate.store import Store
from draw_dataset.collect.ledger import Ledger
from draw_dataset.data.features import row_features
from draw_dataset.data.sample import PREDICTIONS, load_sample, load_sample_predictions
from draw_dataset.draw1k import ROWS_VERSION
from draw_dataset.io.jsonl import read_json_lines
from draw_dataset.scoring.prompted import STYLES
from draw_dataset.solver.systems import save_model, train

ROOT = Path(__file__).parents[1]
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
RESULTS = ROOT / "docs" / "results"

KNOWN = {
    "metric": ("6", "3e6c9738ce7e7368"),
    "rows": ("1.2.0", "6a4728ba4a724863"),
    "canonical key": ("1", "59de62f009988e3c"),
    "store of annotations": ("3", "eeea2bf4e0676efc"),
    "ledger": ("1", "7b0d7205e105ef41"),
    "model file": ("3", "772c92b27716c8bf"),
    "features paper": ("1", "a33dce1c5cf958e7"),
    "features extended": ("1", "0c54a40db70952e9"),
    "record of a job": ("2", "c2efddd61dff4457"),
    "prompt styles": ("marked/1 plain/2 json/1", "3a9cfdbe09de0535"),
}
"""Each number with the fingerprint of what it stands for."""


def check(name: str, number: object, parts: Iterable[str]) -> None:
    told = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    known, fingerprint = KNOWN[name]
    assert str(number) == known, f"{name}: the number is {number} now; write {number} and {told} into KNOWN"
    assert told == fingerprint, (
        f"{name}: what {known} stands for has changed. Raise the number as the table in CONTRIBUTING.md says, and "
        f"write it with {told} into KNOWN; keep the number only if no file and no score of anybody is touched."
    )


ODD = (
    "x + y = q1; x = q2",
    "x + m = q1; x = q2",
    "q1 = q2",
    {"template": ["x = a + b"], "alignment": [], "solutions": [1]},
    {"solutions": [1]},
    {"template": ["m = a^65"], "alignment": [{"slot": "a", "sentence": 0, "token": 0}]},
    [[]],
    {"answer": "40 - 9 = 31.\n31 - 5 = 26.\n#### 26"},
    {"answer": "The answer is 41, 42 or 43."},
    {"answer": "<think>40 - 9 = 31"},
    {"answer": "The result is 50.01, 100 and 200."},
)
"""Predictions that versions of the metric have judged differently, or might."""


def test_the_metric() -> None:
    rows = [problem.to_row() for problem in load_sample()["test"]]
    told, signature = [], ""
    for name in PREDICTIONS:
        predictions = load_sample_predictions(name)
        verdicts = [grade(predictions[row["id"]], row) for row in rows]
        told += [f"{v.derivation} {v.equation} {v.solution} {v.reason}" for v in verdicts]
        signature = str(score([predictions[row["id"]] for row in rows], rows, data="sample/test").signature)
    told += [str(grade(prediction, rows[0]).reason) for prediction in ODD]
    number = re.search(r"\|metric:(\w+)", signature)
    assert number is not None
    check("metric", number[1], told)


def test_the_row() -> None:
    row = load_sample()["test"][0].to_row()
    assert list(row) == list(row_features())
    check("rows", ROWS_VERSION, [json.dumps(row), json.dumps(row_features().to_dict(), sort_keys=True)])


TEMPLATES = [
    "m = a + b",
    "m = a - b",
    "m + n = a; m - n = b",
    "a*m + b*n = c*d; m + n = d",
    "m = a + b*n; m = c - n",
    "a*m = b*n; c*m + d*n = e",
    "0.01*a*m + 0.01*b*n = c; m + n = d",
    "m + n + o = a; m = b*n; o = n + c",
    "12/(15 + m) = a/(15 - m)",
    "m = a*b/(a + b)",
    "m + n = a",
    "m = a; m = b",
    "a*m = a*b",
    "m = 2",
]


def test_canonical_keys() -> None:
    keys = [canonical_key(template) for template in TEMPLATES]
    numbers = {key.partition("|")[0] for key in keys}
    assert len(numbers) == 1
    check("canonical key", numbers.pop(), keys)


@pytest.mark.parametrize(("name", "kind"), [("store of annotations", Store), ("ledger", Ledger)])
def test_the_tables_of_a_file(name: str, kind: type[Store] | type[Ledger], tmp_path: Path) -> None:
    path = tmp_path / "file"
    with kind.open(path, create=True):
        pass
    connection = sqlite3.connect(path)
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name").fetchall()
    connection.close()
    # Comments and layout of the statements mean nothing to a file.
    plain = [" ".join(re.sub(r"--.*", "", sql).split()) for _, sql in tables]
    check(name, version, [re.sub(r" ?([(),]) ?", r"\1", sql) for sql in plain])


@pytest.mark.parametrize("features", ["paper", "extended"])
def test_the_solver_s_features_and_its_files(features: str, tmp_path: Path) -> None:
    model = train(stories(6), features=features, epochs=1)
    save_model(model, tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz") as file:
        about = json.loads(bytes(file["about"]))
        arrays = [f"{name} {file[name].dtype} {file[name].ndim}" for name in sorted(file.files)]
    names = [f"{kind} {name}" for kind, listed in about["attributes"].items() for name in sorted(listed)]
    columns = [f"{kind} {table.shape[1]}" for kind, table in sorted(model.weights.items())]
    assert about["features"][0] == features
    check(f"features {features}", about["features"][1], [*names, *columns])
    check("model file", about["format"], [*sorted(about), *arrays])


def test_the_record_of_a_job(tmp_path: Path) -> None:
    kinds = {}
    for line in read_json_lines(RESULTS / "jobs.jsonl"):
        kinds.setdefault(line.value["job"]["kind"], line.value)
    told = []
    for kind, stored in sorted(kinds.items()):
        job = job_of(stored["job"])
        store = RecordStore(tmp_path, {kind: "code"})
        store.write(job, {name: value for name, value in stored.items() if name not in ("format", "job", "code")})
        record = json.loads(store.path(job).read_text(encoding="utf-8"))
        told += [kind, *sorted(record), *sorted(record["job"])]  # the shape; which job comes first does not matter
    check("record of a job", FORMAT, told)


def test_the_prompts() -> None:
    row = load_sample()["test"][0]
    told = [prompt_for(row, style, shots=1).text + str(prompt_for(row, style).schema) for style in STYLES]
    check("prompt styles", " ".join(style.label() for style in STYLES.values()), told)


def test_the_table_has_every_number() -> None:
    section = CONTRIBUTING.read_text(encoding="utf-8").partition("## Numbers that are raised by hand")[2]
    rows = re.findall(r"^\| ([a-z ]+) \|", section.partition("\n## ")[0], re.MULTILINE)
    assert sorted(rows) == sorted(["number", "package", *KNOWN])
