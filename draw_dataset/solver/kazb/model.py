"""Trained KAZB model.

Derivations found by the beam that lead to the same solution add up their probabilities. The answer is the solution with
the greatest sum, with its most probable derivation, solved exactly.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from draw_dataset.algebra.solution import SolutionKind
from draw_dataset.derivation.derivation import Derivation
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import ModelError, short_repr
from draw_dataset.solver.arrays import Floats
from draw_dataset.solver.confidence import Abstention, SolverAnswer, abstain, tag_or_abstain, with_question
from draw_dataset.solver.files import (
    PLACES,
    VALUES,
    Arrays,
    check_texts,
    check_type,
    inventory_as_data,
    read_inventory,
    read_weights,
    weights_as_arrays,
    write_saved,
)
from draw_dataset.solver.kazb.beam import TABLES, Beam, Completions, KazbOptions
from draw_dataset.solver.kazb.encoding import (
    ATTRIBUTE_KINDS,
    Columns,
    Scores,
    encode,
    extract_attributes,
    score_tables,
    tie_breakers,
)
from draw_dataset.solver.kazb.readings import COMPARISONS, Nouns, read_nouns
from draw_dataset.solver.model import MAX_WEIGHTS
from draw_dataset.solver.search import Vocabulary
from draw_dataset.solver.templates import Inventory
from draw_dataset.solver.text import TaggedText
from draw_dataset.text.tokens import Rule

VERSION = 1  # the version of the features: raised whenever their names mean something else
MAX_TRIES = 50  # solutions that are made exactly before the system gives up


@dataclass(frozen=True, slots=True)
class KazbModel:
    """A trained model."""

    inventory: Inventory  # the templates it knows
    columns: Columns  # the same as arrays
    attributes: Mapping[str, Vocabulary]  # the names of the rows of its weights
    weights: Mapping[str, npt.NDArray[np.float32]]
    lexicon: frozenset[str]  # the lemmas that training has seen
    nouns: Nouns  # how it reads nouns
    seed: int  # of tie breakers
    options: KazbOptions  # how it was trained, and searches
    signature: str  # how it was trained

    def predict(self, given: str | Problem, rule: Rule = "auto") -> SolverAnswer:
        """Solve a text."""
        tagged = tag_or_abstain(given, rule, self.inventory, self.lexicon)
        if isinstance(tagged, SolverAnswer):
            return tagged
        return with_question(self._solve(tagged, given, rule), given)

    def predict_all(self, problems: Iterable[str | Problem]) -> list[SolverAnswer]:
        """Solve texts, one after the other."""
        return [self.predict(problem) for problem in problems]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file that `load_model` reads."""
        about = {
            **inventory_as_data(self.inventory),
            "features": VERSION,
            "signature": self.signature,
            "nouns": self.nouns,
            "seed": self.seed,
            "beam": [self.options.width, self.options.share],
            "attributes": {kind: names.names for kind, names in self.attributes.items()},
            "lexicon": sorted(self.lexicon),
        }
        tables = [weights_as_arrays(name, table) for name, table in self.weights.items()]
        write_saved(path, "kazb", about, {name: array for arrays in tables for name, array in arrays.items()})

    def _solve(self, text: TaggedText, given: str | Problem, rule: Rule) -> SolverAnswer:
        reading = read_nouns(text, given, rule, self.nouns)
        encoded = encode(reading, extract_attributes(reading), self.attributes)
        tables = score_tables(self.columns, self.weights, encoded, tie_breakers(self.columns, self.seed), np.float64)
        completions = Completions(self.columns, encoded)
        found = Beam(self.columns, encoded, tables, completions, self.options).run()
        solved, which = completions.find(found.templates, found.filled)
        for at, share in _answers(found.scores, solved.solutions[which]):
            template = int(found.templates[at])
            known = self.inventory.classes[template]
            first = int(self.columns.nouns[template])
            numbers = self.columns.plans[template].numbers
            items = found.filled[at, first : first + len(numbers)] - encoded.nouns
            alignment = {known.slots[slot]: text.numbers[item] for slot, item in zip(numbers, items, strict=True)}
            derivation = Derivation(known.template, {slot: alignment[slot] for slot in known.slots})
            solution = derivation.solve()
            if solution.kind is SolutionKind.UNIQUE:
                return SolverAnswer(derivation, solution, float(np.log(share)))
        return abstain(Abstention.NOTHING_SOLVABLE, "no candidate has exactly one solution")


def _answers(scores: Scores, solutions: Floats) -> Iterator[tuple[int, float]]:
    """Yield the best derivation of each solution and the probability of the solution, the most probable first."""
    if not len(scores):
        return
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    best: dict[tuple[str, ...], int] = {}
    sums: dict[tuple[str, ...], float] = {}
    for at in np.argsort(-scores, kind="stable").tolist():
        answer = tuple(sorted(f"{value + 0.0:.6g}" for value in solutions[at].tolist()))
        best.setdefault(answer, at)
        sums[answer] = sums.get(answer, 0.0) + float(shares[at])
    for answer in sorted(best, key=lambda answer: (-sums[answer], best[answer]))[:MAX_TRIES]:
        yield best[answer], sums[answer]


# Reading a model file, with every field checked. A file is valid for one version of the features only.


MAX_KEPT = 100_000  # derivations that a beam may keep

# The arrays of a model, and their types
ARRAYS = {f"{table} {part}": kind for table in TABLES for part, kind in (("places", PLACES), ("values", VALUES))}


def read_kazb(about: Mapping[str, Any], arrays: Arrays) -> KazbModel:
    """Return the model that a file holds."""
    if about.get("features") != VERSION:
        got = short_repr(about.get("features"))
        raise ModelError(f"expected features of version {VERSION}, but got {got}; train the model again")
    nouns = check_type(about["nouns"], str, "nouns")
    if nouns not in get_args(Nouns):
        raise ValueError(f"nouns: {short_repr(nouns)}")
    seed = check_type(about["seed"], int, "seed")
    width, share = (check_type(number, int, "beam") for number in check_type(about["beam"], list, "beam"))
    if seed < 0 or not (1 <= width <= MAX_KEPT and 1 <= share <= MAX_KEPT):
        raise ValueError(f"seed {short_repr(seed)}, beam {short_repr([width, share])}")
    inventory = read_inventory(about)
    columns = Columns(inventory)
    named = check_type(about["attributes"], dict, "attributes")
    attributes = {kind: Vocabulary(check_texts(named[kind], f"attributes of {kind}")) for kind in ATTRIBUTE_KINDS}
    if tuple(attributes["pair"].names[-len(COMPARISONS) :]) != COMPARISONS:
        raise ValueError("the attributes of pairs end otherwise")
    shapes = columns.shapes(*(len(attributes[kind]) for kind in ATTRIBUTE_KINDS))
    if sum(rows * wide for rows, wide in shapes.values()) > MAX_WEIGHTS:
        raise ValueError(f"more than {MAX_WEIGHTS} weights")
    return KazbModel(
        inventory=inventory,
        columns=columns,
        attributes=attributes,
        weights={kind: read_weights(arrays, kind, shape, filler=False) for kind, shape in shapes.items()},
        lexicon=frozenset(check_texts(about["lexicon"], "lexicon")),
        nouns=nouns,
        seed=seed,
        options=KazbOptions(width=width, share=share),
        signature=check_type(about["signature"], str, "signature"),
    )
