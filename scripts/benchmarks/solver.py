"""How fast the solver answers, and how fast it scores candidates against a plain dictionary of weights."""

from __future__ import annotations

import time
from itertools import combinations
from typing import Any

import numpy as np

from benchmarks import Row, release_folder, timed
from draw_dataset import Problem
from draw_dataset.data.release import load_problems
from draw_dataset.data.sample import load_sample
from draw_dataset.solver import text as tagged_text
from draw_dataset.solver.model import Model
from draw_dataset.solver.search import Candidates, EncodedText, Searcher, attributes_of, encode_text
from draw_dataset.solver.systems import train
from draw_dataset.solver.text import TaggedText
from draw_dataset.text.numbers import rule_of


def train_and_test() -> tuple[list[Problem], list[Problem]]:
    """Return problems to learn from and others to answer: Draw's train and validation, or the sample's."""
    folder = release_folder()
    splits = load_sample() if folder is None else load_problems("draw1k", folder)
    return splits["train"], splits["validation"]


def section_t(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Train the solver and solve with it; score candidates, against a dictionary of weights."""
    del rows
    learnt, asked = train_and_test()
    tagged = timed(lambda: [tagged_text.tag(p.question, rule_of(p)) for p in [*learnt, *asked]])
    words = sum(len(tagged_text.tag(p.question, rule_of(p))) for p in [*learnt, *asked])
    result: dict[str, Any] = {"words tagged a second": round(words / tagged)}
    for k in (10,) if quick else (10, None):
        models: list[Model] = []
        trained = timed(lambda: models.append(train(learnt, k=k)))
        answered = timed(lambda: models[0].predict_all(asked))
        result[f"k = {'all' if k is None else k}"] = {
            "templates": len(models[0].inventory),
            "seconds to train": round(trained, 1),
            "milliseconds a prediction, tags known": round(answered / len(asked) * 1e3, 1),
            **candidates_a_second(models[0], asked[:10] if quick else asked[:40]),
        }
    result["aim"] = (
        "training with k = 10 in seconds, k = all below a minute; candidates ten times as fast as by dictionary"
    )
    return result


def candidates_a_second(model: Model, asked: list[Problem]) -> dict[str, Any]:
    """Score all candidates of problems by tables, and a sample of them by a dictionary of named weights."""
    encoded_texts: list[tuple[EncodedText, dict[str, list[list[str]]], list[Candidates]]] = []
    searcher = Searcher(model.layout, model.weights)
    for problem in asked:
        text = TaggedText.of(problem.question, rule_of(problem))
        seen = attributes_of(text, model.features)
        encoded = encode_text(text, seen, model.attributes)
        if encoded.count:
            encoded_texts.append((encoded, seen, searcher.candidates(encoded, model.chosen(encoded))))
    count = sum(int((c.codes >= 0).sum()) for _, _, ready in encoded_texts for c in ready)
    spent = timed(lambda: [searcher.score_all(encoded, {}, ready) for encoded, _, ready in encoded_texts])
    by_name = DictionaryScorer(model)
    tried, slow, difference = 0, 0.0, 0.0
    for encoded, seen, ready in encoded_texts:
        for candidates, scores in searcher.score_all(encoded, {}, ready):
            chosen = np.flatnonzero(candidates.codes[0] >= 0)[:100]
            started = time.process_time()
            base = by_name.text_score(seen, candidates)
            values = [base + by_name.score(seen, encoded.count, candidates, int(c)) for c in chosen]
            slow += time.process_time() - started
            tried += len(chosen)
            difference = max([difference, *(abs(v - scores[0, c]) for v, c in zip(values, chosen, strict=True))])
    return {
        "candidates a problem": round(count / len(encoded_texts)),
        "candidates a second": round(count / spent),
        "candidates a second, by dictionary": round(tried / slow),
        "ratio (tables share sums between candidates)": round(count / spent / (tried / slow), 1),
        "largest difference of scores": difference,
    }


class DictionaryScorer:
    """The plain way: weights in a dictionary by name; the text summed once a template, the rest for each candidate."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.weights: dict[tuple[str, str, str], float] = {}
        for kind, table in model.weights.items():
            attributes, columns = model.attributes[kind].names, model.layout.columns[kind].names
            for row, column in np.argwhere(table):
                self.weights[kind, attributes[row], columns[column]] = float(table[row, column])
        self.columns = {kind: [*names.names, ""] for kind, names in model.layout.columns.items()}
        rows = model.layout.solution_rows
        self.codes = [[model.attributes["solution"].names[a] for a in np.flatnonzero(row)] for row in rows]

    def text_score(self, seen: dict[str, list[list[str]]], candidates: Candidates) -> float:
        """Return what the text gives to the first of the templates."""
        group = self.model.layout.groups[candidates.group]
        return self._sum("text", seen["text"][0], group.text_columns[int(candidates.which[0])])

    def score(self, seen: dict[str, list[list[str]]], count: int, candidates: Candidates, c: int) -> float:
        """Return what a way to fill the first of the templates adds to its score."""
        group = self.model.layout.groups[candidates.group]
        t = int(candidates.which[0])
        row = candidates.ways.rows[c].tolist()
        total = self._sum("solution", self.codes[candidates.codes[0, c]], group.solution_columns[t])
        for slot, number in enumerate(row):
            total += self._sum("number", seen["number"][number], group.slot_columns[t, slot])
        forth = len(self.columns["pair"])
        for p, (i, j) in enumerate(combinations(range(group.slot_count), 2)):
            columns = group.pair_columns[t, p]
            total += self._sum("pair", seen["pair"][row[i] * count + row[j]], columns[columns < forth])
            total += self._sum("pair", seen["pair"][row[j] * count + row[i]], columns[columns >= forth] - forth)
        return total

    def _sum(self, kind: str, attributes: list[str], columns: Any) -> float:
        weights, names = self.weights, self.columns[kind]
        return sum(weights.get((kind, a, names[column]), 0.0) for a in attributes for column in columns)
