"""A trained model of this system, and how it answers a text.

The beam finds derivations; those that lead to the same solution add up their probabilities, and the solution with the
greatest sum is given out. The metric also asks for a derivation: it is the most probable one with that solution. The
one that is given out is solved exactly; a solution that does not hold then is passed over.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from draw_dataset.core.derivation import Derivation
from draw_dataset.core.equations import SolutionKind
from draw_dataset.core.problem import Problem
from draw_dataset.solver.answerer import Abstention, SolverAnswer, abstain, tagged_or_refused
from draw_dataset.solver.inventory import Inventory
from draw_dataset.solver.kazb.beam import Beam
from draw_dataset.solver.kazb.columns import Columns
from draw_dataset.solver.kazb.encoding import encode, seen_in
from draw_dataset.solver.kazb.endings import Endings
from draw_dataset.solver.kazb.options import KazbOptions
from draw_dataset.solver.kazb.reading_texts import read_nouns
from draw_dataset.solver.kazb.readings import Nouns
from draw_dataset.solver.kazb.score_tables import Scores, chances, score_tables
from draw_dataset.solver.layout import Vocabulary
from draw_dataset.solver.saved_parts import inventory_as_data, weights_as_arrays, write_saved
from draw_dataset.solver.solutions import Floats
from draw_dataset.solver.tagged_text import TaggedText
from draw_dataset.text.tokens import Rule

VERSION = 1
"""The version of the features: raised whenever their names mean something else."""

MAX_TRIES = 50
"""Solutions that are made exactly before the system gives up."""


@dataclass(frozen=True, slots=True)
class KazbModel:
    """A trained model.

    Attributes:
        inventory: the templates it knows.
        columns: the same as arrays.
        attributes: the names of the rows of its weights.
        weights: its weights.
        lexicon: the lemmas that training has seen.
        nouns: how it reads nouns.
        seed: of what breaks ties.
        options: how it was trained, and searches.
        signature: how it was trained.
    """

    inventory: Inventory
    columns: Columns
    attributes: Mapping[str, Vocabulary]
    weights: Mapping[str, npt.NDArray[np.float32]]
    lexicon: frozenset[str]
    nouns: Nouns
    seed: int
    options: KazbOptions
    signature: str

    def predict(self, given: str | Problem, rule: Rule = "auto") -> SolverAnswer:
        """Solve a text.

        Args:
            given: a text, or a problem, of which nothing but the text is looked at.
            rule: how a text is cut into tokens; a problem's own rule is used for a problem.

        Raises:
            ExtraMissing: the tagger, or the parser, is not installed.
        """
        tagged = tagged_or_refused(given, rule, self.inventory, self.lexicon)
        return tagged if isinstance(tagged, SolverAnswer) else self._solve(tagged, given, rule)

    def predict_all(self, problems: Iterable[str | Problem]) -> list[SolverAnswer]:
        """Solve texts, one after the other."""
        return [self.predict(problem) for problem in problems]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file that `load_model` reads.

        Raises:
            FolderError: the file cannot be written.
            ModelError: it is larger than a file of a model may be.
        """
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
        encoded = encode(reading, seen_in(reading), self.attributes)
        tables = score_tables(self.columns, self.weights, encoded, chances(self.columns, self.seed), np.float64)
        endings = Endings(self.columns, encoded)
        found = Beam(self.columns, encoded, tables, endings, self.options).run()
        solved, which = endings.find(found.templates, found.filled)
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
