"""The similarity system: a text is answered as the most similar training problem is, with its own numbers.

Shi and others (2015) compare their rules with "the equations of the lexically nearest training problem". How near two
texts are is not in what we could read of them; the recipe here is the usual one. A text is a bag of lemmas, digits read
as ``#``. A lemma weighs its count times ln((N+1)/(df+1)) for N training problems, df of which have it. The likeness of
two texts is the weighted Jaccard index: the sum of the lesser weights over the sum of the greater ones. The nearest
problem is taken, of equally near ones the first; its derivation is filled with the numbers of the text. If the text has
too few numbers for that, or the equations then have no unique solution, the next nearest problem is tried.

Numbers take their places in one of two ways. By **rank**, the third number stands where the third number of the
training problem stood. By **context**, the numbers are matched: for each two, the Jaccard index of the words up to four
before and after them (each counted once for itself and once with its side), less 0.02 for the difference of their
places in the text from 0 to 1; the matching with the greatest sum is taken (`assignment`).

Nothing is tuned and nothing is drawn: the seed does not matter.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from draw_dataset.core.derivation import Derivation
from draw_dataset.core.equations import SolutionKind
from draw_dataset.core.problem import Problem
from draw_dataset.solver.answerer import Abstention, SolverAnswer, abstain, tagged_or_refused
from draw_dataset.solver.array_archive import Arrays
from draw_dataset.solver.assignment import best_assignment
from draw_dataset.solver.inventory import Inventory
from draw_dataset.solver.layout import Vocabulary
from draw_dataset.solver.saved_parts import inventory_as_data, read_inventory, texts, typed, write_saved
from draw_dataset.solver.supervision import (
    Choice,
    Setting,
    check_choices,
    inventory_of,
    located,
    right_derivations,
    signature,
)
from draw_dataset.solver.tagged_text import TaggedText
from draw_dataset.text.tokens import Rule

NumberPlaces = Literal["context", "rank"]
"""How the numbers of a text take the places of those of the training problem."""

REACH = 4
"""Words before and after a number that are its context."""

FAR = 0.02
"""What a difference of 1 between the places of two numbers in their texts costs."""

MAX_TRIES = 50
"""Training problems that are tried before the system gives up."""

ARRAYS = dict.fromkeys(("sizes", "words", "counts", "lengths", "templates", "ranks", "spots", "contexts"), "<i8")
"""The arrays of a file: bags of words (how many lemmas, which, how often), then derivations and contexts of numbers."""

Integers = npt.NDArray[np.int64]


class Neighbour(NamedTuple):
    """A training problem, as far as it is needed to answer as it is answered.

    Attributes:
        bag: how often each lemma occurs, by its number in the vocabulary.
        length: how many words the text has.
        template: the template of its derivation.
        ranks: for each slot, which number of the text fills it, from 0.
        spots: for each slot, on which word that number stands.
        contexts: for each slot, the words around that number: `REACH` before, then as many after; -1 where is none.
    """

    bag: Mapping[int, int]
    length: int
    template: int
    ranks: tuple[int, ...]
    spots: tuple[int, ...]
    contexts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Similarity:
    """A trained similarity system.

    Attributes:
        inventory: the templates of its training problems.
        vocabulary: the lemmas of its training problems.
        neighbours: its training problems.
        numbers: how numbers take their places.
        signature: how it was trained.
        postings: for each lemma, the training problems that have it, and how often.
        weights: what a lemma weighs each time it occurs; the last is for lemmas that no training problem has.
        totals: what all lemmas of each training problem weigh.
        lexicon: the lemmas that are words.
    """

    inventory: Inventory
    vocabulary: Vocabulary
    neighbours: tuple[Neighbour, ...]
    numbers: NumberPlaces
    signature: str
    postings: tuple[tuple[Integers, Integers], ...]
    weights: npt.NDArray[np.float64]
    totals: npt.NDArray[np.float64]
    lexicon: frozenset[str]

    @classmethod
    def of(
        cls,
        inventory: Inventory,
        vocabulary: Vocabulary,
        neighbours: Sequence[Neighbour],
        numbers: NumberPlaces,
        signature: str,
    ) -> Similarity:
        """Return the system of training problems."""
        listed: list[list[tuple[int, int]]] = [[] for _ in range(len(vocabulary))]
        for at, neighbour in enumerate(neighbours):
            for word, count in neighbour.bag.items():
                listed[word].append((at, count))
        postings = []
        for found in listed:
            pairs = np.array(found, dtype=np.int64).reshape(-1, 2)
            postings.append((pairs[:, 0], pairs[:, 1]))
        frequencies = np.array([*(len(found) for found in listed), 0])
        weights = np.log((len(neighbours) + 1) / (frequencies + 1))
        totals = np.zeros(len(neighbours))
        for word, (where, counts) in enumerate(postings):
            totals[where] += weights[word] * counts
        lexicon = frozenset(name for name in vocabulary.names if name.isalpha())
        return cls(
            inventory, vocabulary, tuple(neighbours), numbers, signature, tuple(postings), weights, totals, lexicon
        )

    @classmethod
    def learn(
        cls,
        problems: Sequence[Problem],
        *,
        setting: Setting = "TD",
        choice: Choice = "first",
        numbers: NumberPlaces = "context",
        seed: int = 0,  # noqa: ARG003 - as every system is called; nothing is drawn here
        progress: Callable[[int, int], None] = lambda *_: None,  # noqa: ARG003 - there is one round, and it is short
    ) -> Similarity:
        """Learn problems by heart.

        Args:
            problems: the problems; those without a derivation are left out.
            setting: TD takes annotated derivations, TE and TE* those that lead to the equations.
            choice: of several right derivations always the first is taken.
            numbers: how numbers take their places, by ``context`` or by ``rank``.
            seed: does not matter.
            progress: is told nothing.

        Raises:
            ExtraMissing: the tagger is not installed.
            ChoiceError: an option is none of those offered.
            RowError: the gold of a problem cannot be read; names the problem.
            TrainingError: there is nothing to learn from.
        """
        check_choices(setting=(setting, Setting), choice=(choice, Literal["first"]), numbers=(numbers, NumberPlaces))
        golds = [right_derivations(problem, setting, choice) for problem in problems]
        inventory = inventory_of(golds, setting)
        vocabulary = Vocabulary()
        neighbours = []
        for problem, gold in zip(problems, golds, strict=True):
            text = TaggedText.of_problem(problem)
            right = located(text, gold[:1], inventory)
            if right:
                for word in text.words:
                    vocabulary.add(word.lemma)
                neighbours.append(_neighbour(text, vocabulary, *right[0]))
        said = signature(problems, setting, choice, system="similarity", numbers=numbers)
        return cls.of(inventory, vocabulary, neighbours, numbers, said)

    def predict(self, given: str | Problem, rule: Rule = "auto") -> SolverAnswer:
        """Solve a text; see `Answerer.predict`. The score is the likeness of the training problem that was taken."""
        text = tagged_or_refused(given, rule, self.inventory, self.lexicon)
        if isinstance(text, SolverAnswer):
            return text
        likeness = self.likeness(text)
        count, tries = len(text.numbers), 0
        for at in np.argsort(-likeness, kind="stable").tolist():
            neighbour = self.neighbours[at]
            if len(neighbour.ranks) > count or (self.numbers == "rank" and max(neighbour.ranks, default=0) >= count):
                continue
            found = self.inventory.classes[neighbour.template]
            chosen = neighbour.ranks if self.numbers == "rank" else self._matched(text, neighbour)
            derivation = Derivation(
                found.template, {slot: text.numbers[i] for slot, i in zip(found.slots, chosen, strict=True)}
            )
            solution = derivation.solve()
            if solution.kind is SolutionKind.UNIQUE:
                return SolverAnswer(derivation, solution, float(likeness[at]))
            tries += 1
            if tries == MAX_TRIES:
                break
        return abstain(Abstention.NOTHING_SOLVABLE, "no similar problem has an answer with the numbers of the text")

    def predict_all(self, problems: Iterable[str | Problem]) -> list[SolverAnswer]:
        """Solve texts, one after the other."""
        return [self.predict(problem) for problem in problems]

    def likeness(self, text: TaggedText) -> npt.NDArray[np.float64]:
        """Return how like a text each training problem is, from 0 to 1."""
        shared = np.zeros(len(self.neighbours))
        total = 0.0
        for lemma, count in Counter(word.lemma for word in text.words).items():
            word = self.vocabulary.number.get(lemma, len(self.vocabulary))
            total += self.weights[word] * count
            if word < len(self.postings):
                where, counts = self.postings[word]
                shared[where] += self.weights[word] * np.minimum(counts, count)
        union = self.totals + total - shared
        return np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)

    def _matched(self, text: TaggedText, neighbour: Neighbour) -> list[int]:
        """Return which number of a text takes the place of each number of a training problem."""
        if not neighbour.ranks:
            return []
        number = self.vocabulary.number
        # Lemmas that training has not seen are unlike each other and all that it has.
        unseen = {word.lemma: -2 - i for i, word in enumerate(text.words)}
        lemmas = [number.get(word.lemma, unseen[word.lemma]) for word in text.words]
        here = [_sided(_around(lemmas, spot)) for spot in text.spots]
        there = [_sided(context) for context in neighbour.contexts]
        gain = np.array([[_jaccard(one, other) for other in here] for one in there])
        places = np.array(text.spots) / len(lemmas)
        apart = np.abs(np.array(neighbour.spots)[:, None] / neighbour.length - places[None, :])
        return best_assignment(gain - FAR * apart)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the system to a file; see `Answerer.save`."""
        every = self.neighbours
        parts: dict[str, Iterable[int]] = {
            "sizes": (len(n.bag) for n in every),
            "words": (word for n in every for word in n.bag),
            "counts": (count for n in every for count in n.bag.values()),
            "lengths": (n.length for n in every),
            "templates": (n.template for n in every),
            "ranks": (rank for n in every for rank in n.ranks),
            "spots": (spot for n in every for spot in n.spots),
            "contexts": (word for n in every for context in n.contexts for word in context),
        }
        about = {
            "signature": self.signature,
            "numbers": self.numbers,
            **inventory_as_data(self.inventory),
            "vocabulary": self.vocabulary.names,
        }
        write_saved(path, "similarity", about, {name: np.fromiter(part, dtype="<i8") for name, part in parts.items()})


def read_similarity(about: Mapping[str, Any], arrays: Arrays) -> Similarity:
    """Return the system that a file holds.

    Raises:
        ValueError: something does not fit; KeyError: something is lacking.
    """
    inventory = read_inventory(about)
    vocabulary = Vocabulary(texts(about["vocabulary"], "vocabulary"))
    numbers = typed(about["numbers"], str, "numbers")
    if numbers not in get_args(NumberPlaces):
        raise ValueError(f"numbers: {numbers[:40]}")
    slots = np.array([c.structure.slot_count for c in inventory.classes], dtype=np.int64)
    count = len(arrays["sizes"])
    _check("templates", arrays, count, 0, len(inventory))
    _check("lengths", arrays, count, 1, 1 << 20)
    _check("sizes", arrays, count, 0, 1 << 20)
    words = int(arrays["sizes"].sum())
    _check("words", arrays, words, 0, len(vocabulary))
    _check("counts", arrays, words, 1, 1 << 20)
    sizes = slots[arrays["templates"]]
    filled = int(sizes.sum())
    _check("ranks", arrays, filled, 0, 1 << 20)
    _check("spots", arrays, filled, 0, 1 << 20)
    _check("contexts", arrays, filled * 2 * REACH, -1, len(vocabulary))
    bags = np.split(np.stack([arrays["words"], arrays["counts"]], axis=1), np.cumsum(arrays["sizes"])[:-1])
    ranks = np.split(arrays["ranks"], np.cumsum(sizes)[:-1])
    spots = np.split(arrays["spots"], np.cumsum(sizes)[:-1])
    contexts = np.split(arrays["contexts"].reshape(-1, 2 * REACH), np.cumsum(sizes)[:-1])
    neighbours = [
        Neighbour(
            bag=dict(bags[i].tolist()),
            length=int(arrays["lengths"][i]),
            template=int(arrays["templates"][i]),
            ranks=tuple(ranks[i].tolist()),
            spots=tuple(spots[i].tolist()),
            contexts=tuple(tuple(context) for context in contexts[i].tolist()),
        )
        for i in range(count)
    ]
    said = typed(about["signature"], str, "signature")
    return Similarity.of(inventory, vocabulary, neighbours, numbers, said)


def _check(name: str, arrays: Arrays, count: int, least: int, below: int) -> None:
    found = arrays[name]
    if len(found) != count or (count and not (found.min() >= least and found.max() < below)):
        raise ValueError(f"{name}: expected {count} numbers from {least} to {below - 1}")


def _neighbour(text: TaggedText, vocabulary: Vocabulary, template: int, ranks: tuple[int, ...]) -> Neighbour:
    lemmas = [vocabulary.number[word.lemma] for word in text.words]
    spots = tuple(text.spots[rank] for rank in ranks)
    contexts = tuple(_around(lemmas, spot) for spot in spots)
    return Neighbour(Counter(lemmas), len(lemmas), template, ranks, spots, contexts)


def _around(lemmas: Sequence[int], spot: int) -> tuple[int, ...]:
    """Return the words around a number: those before it, then those after it; -1 where there is none."""
    places = [*range(spot - REACH, spot), *range(spot + 1, spot + REACH + 1)]
    return tuple(lemmas[i] if 0 <= i < len(lemmas) else -1 for i in places)


def _sided(context: Sequence[int]) -> set[tuple[int, str]]:
    """Return the words of a context, each alone and with its side."""
    found = set()
    for i, word in enumerate(context):
        if word != -1:
            found |= {(word, ""), (word, "<" if i < REACH else ">")}
    return found


def _jaccard(one: set[tuple[int, str]], other: set[tuple[int, str]]) -> float:
    union = len(one | other)
    return len(one & other) / union if union else 0.0
