"""All the way: a site is crawled, its pages cleaned, problems drawn, annotated and exported, as people would do it.

At the end the derivations are scored against those that the stand-in site knows of its own questions.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from annotation.simulated import annotate, gold_choices
from crawl import harness
from crawl.stand_in_site.plan import Site
from crawl.stand_in_site.questions import Question
from crawl.stand_in_site.server import serving

from draw_dataset import Problem, Verdict, canonical_key, score
from draw_dataset.annotate.store import Store
from draw_dataset.cli import main
from draw_dataset.derivation.derivation import TextNumber
from draw_dataset.derivation.problem import AlignedNumber
from draw_dataset.text.edits import carry_numbers

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"


def script(name: str, *arguments: object) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / f"{name}.py"), *map(str, arguments)], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr


def carried(known: dict[str, Any], question: str, numbers: tuple[TextNumber, ...]) -> Problem:
    """Return what the site knows of a problem, with the places that its numbers have in a text with pleas around it."""
    gold = Problem.from_row(known)
    where = carry_numbers(gold.question, gold.numbers, question, numbers)

    def moved(a: AlignedNumber) -> AlignedNumber:
        number = where[a.sentence, a.token]
        return replace(a, sentence=number.sentence or 0, token=number.token)

    return replace(
        gold,
        question=question,
        numbers=numbers,
        alignment=tuple(map(moved, gold.alignment)),
        equiv_tnum=tuple(tuple(where[n.place] for n in group) for group in gold.equiv_tnum),
    )


def forms_of(question: Question, text: str, numbers: tuple[TextNumber, ...]) -> list[Problem]:
    """Return the forms in which the site knows a problem: in all its unknowns, and in one as tutors like it."""
    assert question.row is not None
    known = [question.row, *({**row, "id": question.id} for row in question.known.short_rows)]
    return [carried(row, text, numbers) for row in known]


def gold_of(question: Question, annotated: Problem) -> Problem:
    """Return the form whose template an annotated problem has; the first if none is."""
    forms = forms_of(question, annotated.question, annotated.numbers)
    key = canonical_key(annotated.derivation.template)
    return next((form for form in forms if canonical_key(form.derivation.template) == key), forms[0])


def test_from_the_site_to_rows_that_are_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site = Site(220, seed=11)
    ledger, pool, sample, rows = (tmp_path / n for n in ("crawl.sqlite", "pool", "sample.jsonl", "rows.jsonl"))
    with serving(site) as server:
        harness.crawl(server, ledger)
    script("clean_problems", ledger, "--out", pool, "--quiet")
    script("sample_problems", pool, "--out", sample, "--count", "100", "--seed", "1")
    drawn = [json.loads(line) for line in sample.read_text(encoding="utf-8").splitlines()]
    assert len(drawn) == 100

    store_path = tmp_path / "work.db"
    assert main(["annotate", "import", str(sample), "--store", str(store_path), "--json"]) == 0
    taken = json.loads(capsys.readouterr().out)
    assert taken["counts"]["refused"] == 0
    with Store.open(store_path) as store:
        store.add_annotator("Ada")
        for id_ in store.queue("Ada"):
            work = store.work(id_, "Ada")
            if work.stored.look_at:  # a plea with a number in it, which cleaning does not dare to remove
                work = store.decide(id_, "Ada", "edit", {"question": site.questions[id_].known.question})
            assert work.proposal is not None
            forms = forms_of(site.questions[id_], work.question, work.numbers)
            answers = [a for form in forms if (a := gold_choices(work.proposal, form)) is not None]
            assert answers, (id_, work.question, work.stored.equations)
            annotate(store, id_, "Ada", answers[0])
    export = ["annotate", "export", "--store", str(store_path), "--out", str(rows), "--json", "--least", "1"]
    assert main(export) == 0

    exported = [Problem.from_row(json.loads(line)) for line in rows.read_text(encoding="utf-8").splitlines()]
    assert len(exported) == 100
    golds = [gold_of(site.questions[problem.id], problem) for problem in exported]
    verdicts: list[Verdict] = []
    predictions = [problem.derivation.q_notation() for problem in exported]
    result = score(predictions, [gold.to_row() for gold in golds], verdicts=verdicts)
    wrong = [problem.id for problem, verdict in zip(exported, verdicts, strict=True) if not verdict.derivation]
    assert wrong == []
    assert result.derivation_accuracy == 1.0
