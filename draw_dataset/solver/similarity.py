"""Similarity system: a text is answered like the most similar training problem, with its own numbers.

Shi and others (2015) compare with "the equations of the lexically nearest training problem"; the recipe is ours. A text
is a bag of lemmas, digits read as ``#``, weighted by ln((N+1)/(df+1)). Likeness is the weighted Jaccard index; ties go
to the first. If the text has too few numbers or the equations no unique solution, the next problem is tried.

By **rank**, the third number takes the place of the third number. By **context**, numbers are matched for the greatest
sum of the Jaccard indices of their contexts, less `FAR` times the difference of their relative places. Nothing is tuned
or drawn.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from draw_dataset.algebra.solution import SolutionKind
from draw_dataset.derivation.derivation import Derivation
from draw_dataset.derivation.problem import Problem
from draw_dataset.solver.confidence import Abstention, SolverAnswer, abstain, tag_or_abstain, with_question
from draw_dataset.solver.files import Arrays, check_texts, check_type, inventory_as_data, read_inventory, write_saved
from draw_dataset.solver.learning import (
    Choice,
    Setting,
    build_inventory,
    check_choices,
    locate_golds,
    right_derivations,
    signature,
)
from draw_dataset.solver.search import Vocabulary
from draw_dataset.solver.templates import Inventory
from draw_dataset.solver.text import TaggedText
from draw_dataset.text.tokens import Rule

# Hungarian method with shortest augmenting paths, in rows² x columns steps.


def best_assignment(gain: npt.NDArray[np.float64]) -> list[int]:
    """Return a column for each row, none twice, with the greatest sum of gains.

    >>> best_assignment(np.array([[5.0, 4.0, 0.0], [5.0, 1.0, 0.0]]))
    [1, 0]
    """
    rows, columns = gain.shape
    row_price, column_price = np.zeros(rows + 1), np.zeros(columns + 1)
    held = np.zeros(columns + 1, dtype=np.int64)  # the row that holds each column; column 0 is the one being placed
    for row in range(1, rows + 1):
        held[0] = row
        at = 0
        slack = np.full(columns + 1, np.inf)
        came_from = np.zeros(columns + 1, dtype=np.int64)
        done = np.zeros(columns + 1, dtype=bool)
        while held[at]:
            done[at] = True
            current = held[at]
            cost = -gain[current - 1] - row_price[current] - column_price[1:]
            nearer = ~done[1:] & (cost < slack[1:])
            slack[1:][nearer] = cost[nearer]
            came_from[1:][nearer] = at
            following = int(np.where(done, np.inf, slack)[1:].argmin()) + 1
            step = slack[following]
            row_price[held[done]] += step
            column_price[done] -= step
            slack[~done] -= step
            at = following
        while at:
            held[at] = held[came_from[at]]
            at = int(came_from[at])
    found = [0] * rows
    for column in range(1, columns + 1):
        if held[column]:
            found[held[column] - 1] = column - 1
    return found


NumberPlaces = Literal["context", "rank"]  # how the numbers of a text take the places of those of the training problem
REACH = 4  # words before and after a number that are its context
FAR = 0.02  # cost of a difference of 1 between the relative places of two numbers
MAX_TRIES = 50  # training problems that are tried before the system gives up

# The arrays of a file: bags of words (how many lemmas, which, how often), then derivations and contexts of numbers
ARRAYS = dict.fromkeys(("sizes", "words", "counts", "lengths", "templates", "ranks", "spots", "contexts"), "<i8")

Integers = npt.NDArray[np.int64]


class Neighbour(NamedTuple):
    """A training problem, as far as it is needed to answer as it is answered."""

    bag: Mapping[int, int]  # how often each lemma occurs, by its number in the vocabulary
    length: int  # how many words the text has
    template: int  # the template of its derivation
    ranks: tuple[int, ...]  # for each slot, which number of the text fills it, from 0
    spots: tuple[int, ...]  # for each slot, on which word that number stands
    # for each slot, the words around that number: `REACH` before, then as many after; -1 where is none
    contexts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Similarity:
    """A trained similarity system."""

    inventory: Inventory  # the templates of its training problems
    vocabulary: Vocabulary  # the lemmas of its training problems
    neighbours: tuple[Neighbour, ...]  # its training problems
    numbers: NumberPlaces  # how numbers take their places
    signature: str  # how it was trained
    postings: tuple[tuple[Integers, Integers], ...]  # for each lemma, the training problems that have it, and how often
    weights: npt.NDArray[np.float64]  # of lemmas; the last is for those that no training problem has
    totals: npt.NDArray[np.float64]  # the weight of all lemmas of each training problem
    lexicon: frozenset[str]  # the lemmas that are words

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
        """Learn problems by heart."""
        check_choices(setting=(setting, Setting), choice=(choice, Literal["first"]), numbers=(numbers, NumberPlaces))
        golds = [right_derivations(problem, setting, choice) for problem in problems]
        inventory = build_inventory(golds, setting)
        vocabulary = Vocabulary()
        neighbours = []
        for problem, gold in zip(problems, golds, strict=True):
            text = TaggedText.of_problem(problem)
            right = locate_golds(text, gold[:1], inventory)
            if right:
                for word in text.words:
                    vocabulary.add(word.lemma)
                neighbours.append(_neighbour(text, vocabulary, *right[0]))
        said = signature(problems, setting, choice, system="similarity", numbers=numbers)
        return cls.of(inventory, vocabulary, neighbours, numbers, said)

    def predict(self, given: str | Problem, rule: Rule = "auto") -> SolverAnswer:
        """Solve a text; see `Answerer.predict`. The score is the likeness of the training problem that was taken."""
        text = tag_or_abstain(given, rule, self.inventory, self.lexicon)
        if isinstance(text, SolverAnswer):
            return text
        likeness = self.likeness(text)
        count, tries = len(text.numbers), 0
        for at in np.argsort(-likeness, kind="stable").tolist():
            neighbour = self.neighbours[at]
            if len(neighbour.ranks) > count or (self.numbers == "rank" and max(neighbour.ranks, default=0) >= count):
                continue
            found = self.inventory.classes[neighbour.template]
            chosen = neighbour.ranks if self.numbers == "rank" else self._match_numbers(text, neighbour)
            derivation = Derivation(
                found.template, {slot: text.numbers[i] for slot, i in zip(found.slots, chosen, strict=True)}
            )
            solution = derivation.solve()
            if solution.kind is SolutionKind.UNIQUE:
                return with_question(SolverAnswer(derivation, solution, float(likeness[at])), given)
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

    def _match_numbers(self, text: TaggedText, neighbour: Neighbour) -> list[int]:
        """Return which number of a text takes the place of each number of a training problem."""
        if not neighbour.ranks:
            return []
        number = self.vocabulary.number
        # Lemmas that training has not seen are unlike each other and all that it has.
        unseen = {word.lemma: -2 - i for i, word in enumerate(text.words)}
        lemmas = [number.get(word.lemma, unseen[word.lemma]) for word in text.words]
        here = [_words_with_sides(_around(lemmas, spot)) for spot in text.spots]
        there = [_words_with_sides(context) for context in neighbour.contexts]
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
    """Return the system that a file holds."""
    inventory = read_inventory(about)
    vocabulary = Vocabulary(check_texts(about["vocabulary"], "vocabulary"))
    numbers = check_type(about["numbers"], str, "numbers")
    if numbers not in get_args(NumberPlaces):
        raise ValueError(f"numbers: {numbers[:40]}")
    slots = np.array([c.structure.slot_count for c in inventory.classes], dtype=np.int64)
    count = len(arrays["sizes"])
    _check_array("templates", arrays, count, 0, len(inventory))
    _check_array("lengths", arrays, count, 1, 1 << 20)
    _check_array("sizes", arrays, count, 0, 1 << 20)
    words = int(arrays["sizes"].sum())
    _check_array("words", arrays, words, 0, len(vocabulary))
    _check_array("counts", arrays, words, 1, 1 << 20)
    sizes = slots[arrays["templates"]]
    filled = int(sizes.sum())
    _check_array("ranks", arrays, filled, 0, 1 << 20)
    _check_array("spots", arrays, filled, 0, 1 << 20)
    _check_array("contexts", arrays, filled * 2 * REACH, -1, len(vocabulary))
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
    said = check_type(about["signature"], str, "signature")
    return Similarity.of(inventory, vocabulary, neighbours, numbers, said)


def _check_array(name: str, arrays: Arrays, count: int, least: int, below: int) -> None:
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


def _words_with_sides(context: Sequence[int]) -> set[tuple[int, str]]:
    """Return the words of a context, each alone and with its side."""
    found = set()
    for i, word in enumerate(context):
        if word != -1:
            found |= {(word, ""), (word, "<" if i < REACH else ">")}
    return found


def _jaccard(one: set[tuple[int, str]], other: set[tuple[int, str]]) -> float:
    union = len(one | other)
    return len(one & other) / union if union else 0.0
