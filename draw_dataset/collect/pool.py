"""Pool of problems from stored pages: known problems and duplicates dropped, samples drawn, rows for annotation.

Only the index of duplicates grows with the number of pages. Pages in the order of their keys lead to the same pool here
and in `draw_dataset.scale`, where many processes share the work.
"""

from __future__ import annotations

import os
import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from draw_dataset.collect.filters import DUPLICATE, KNOWN, Funnel, judge_alone, record_of
from draw_dataset.collect.ledger import StoredPage
from draw_dataset.collect.record import Key, Record, doubtful_sentences, without_pleas
from draw_dataset.data.release import load_problems
from draw_dataset.text.numbers import find_numbers
from draw_dataset.text.similarity import NearDuplicates, Shape, shape_of

RELEASED = ("draw1k", "alg514")  # datasets whose problems are known
_MOST_COMPARED = 20_000  # characters of a text that are compared with others


def shape_to_compare(text: str) -> Shape:
    """Return the part of a text that is compared with others: its words and numbers."""
    text = text[:_MOST_COMPARED]
    return shape_of(text, find_numbers(text))


def shape_of_record(record: Record) -> Shape:
    """Return the shape of a record's question without pleas."""
    return shape_to_compare(without_pleas(record.posted))


class SeenProblems:
    """Index of problems by near-duplicate text: nearly the same words about the same numbers.

    >>> seen = SeenProblems()
    >>> seen.add(1, "Ann has 20 coins in nickels and dimes worth $1.45. How many of each does she have?")
    >>> seen.find("ann has 20 coins, in nickels and dimes, worth $1.45! How many of each does she have")
    1
    >>> seen.find("Ann has 30 coins in nickels and dimes worth $1.45. How many of each does she have?") is None
    True
    """

    def __init__(self) -> None:
        self._index = NearDuplicates()
        self._ids: list[int | str | Key] = []
        self._known: set[int | str | Key] = set()

    def add(self, id_: int | str | Key, text: str) -> None:
        """Add a problem to the index, unless its id is there already."""
        self.add_shape(id_, shape_to_compare(text))

    def add_shape(self, id_: int | str | Key, shape: Shape) -> None:
        """Add a problem by its shape."""
        if id_ not in self._known:
            self._known.add(id_)
            self._ids.append(id_)
            self._index.add_shape(shape)

    def find(self, text: str) -> int | str | Key | None:
        """Return the first added problem that a text repeats, if any."""
        return self.find_shape(shape_to_compare(text))

    def find_shape(self, shape: Shape) -> int | str | Key | None:
        """Return the first added problem with nearly the same shape, if any."""
        near = self._index.find_shape(shape)
        return self._ids[near[0].position] if near else None


class KnownProblems:
    """The problems of Draw-1k and Alg-514."""

    def __init__(self, data_dir: str | os.PathLike[str]) -> None:
        self.ids: set[int | str] = set()
        self.shapes: dict[str, Shape] = {}
        self._seen = SeenProblems()
        for dataset in RELEASED:
            for problems in load_problems(dataset, data_dir).values():
                for problem in problems:
                    if dataset == "draw1k":  # only the ids of Draw-1k are those of the site
                        self.ids.add(problem.id)
                    name = f"{dataset} {problem.id}"
                    if name not in self.shapes:
                        self.shapes[name] = shape_to_compare(problem.question)
                        self._seen.add_shape(name, self.shapes[name])

    def find(self, id_: int, question: str) -> str | None:
        """Return the dataset and id of a known problem, as in ``draw1k 337``; None if it is new."""
        return self.find_shape(id_, shape_to_compare(question))

    def find_shape(self, id_: int, shape: Shape) -> str | None:
        """Return the dataset and id of a known problem by its id on the site or its shape."""
        if id_ in self.ids:
            return f"draw1k {id_}"
        found = self._seen.find_shape(shape)
        return None if found is None else str(found)


@dataclass(slots=True)
class Duplicates:
    """Drops known and repeated problems. Records come in the order of their keys, so the first of several stays."""

    known: KnownProblems | None = None  # None compares with no release
    restore: Collection[int] = frozenset()  # numbers of questions that are not dropped
    _seen: SeenProblems = field(default_factory=SeenProblems)

    def judge(self, record: Record) -> Record:
        """Return a record unchanged, or dropped if it repeats another; a dropped one passes through."""
        return record if record.dropped_by else self.judge_by_shape(record, shape_of_record(record))

    def judge_by_shape(self, record: Record, shape: Shape) -> Record:
        """Judge a record by its shape and key alone."""
        judged = record if record.restored_from else self._compare(record, shape)
        if judged.dropped_by and record.id in self.restore:
            judged = judged.restore()
        if not judged.dropped_by:
            self._seen.add_shape(record.key, shape)
        return judged

    def _compare(self, record: Record, shape: Shape) -> Record:
        if self.known is not None and (source := self.known.find_shape(record.id, shape)):
            return record.drop(KNOWN, f"it is {source}")
        repeated = self._seen.find_shape(shape)
        if repeated is None:
            return record
        if isinstance(repeated, tuple):
            site, number = repeated
            repeated = number if site == record.site else f"{number} of {site}"
        return record.drop(DUPLICATE, f"it repeats {repeated}")


@dataclass(slots=True)
class Cleaning:
    """All filters in one process, with their counts."""

    known: KnownProblems | None = None  # None compares with no release
    restore: frozenset[int] = frozenset()  # ids that no filter may drop
    funnel: Funnel = field(default_factory=Funnel)
    _duplicates: Duplicates = field(init=False)

    def __post_init__(self) -> None:
        self._duplicates = Duplicates(self.known, self.restore)

    def run(self, pages: Iterable[StoredPage]) -> Iterator[Record]:
        """Yield a record for every page, kept or dropped, in their order."""
        for page in pages:
            yield self.judge(record_of(page))

    def judge(self, record: Record) -> Record:
        """Pass a record without equations through the filters."""
        record = self._duplicates.judge(judge_alone(record, self.restore))
        self.funnel.count(record.dropped_by, record.restored_from)
        return record


def draw_sample(pool: Sequence[Record], count: int, seed: int = 0, by_topic: bool = False) -> list[Record]:
    """Return a random sample of the pool in the order of ids, whatever the order of the pool; all if it is not larger.

    >>> pool = [Record(i, "", "age" if i < 8 else "coins", f"text {i}") for i in range(10)]
    >>> [record.id for record in draw_sample(pool, 5, by_topic=True)]
    [0, 4, 5, 6, 9]
    """
    ordered = sorted(pool, key=lambda record: record.id)
    if count >= len(ordered):
        return ordered
    rng = random.Random(f"sample {seed}")
    if not by_topic:
        return sorted(rng.sample(ordered, count), key=lambda record: record.id)
    groups: dict[str, list[Record]] = defaultdict(list)
    for record in ordered:
        groups[record.topic].append(record)
    drawn = []
    sizes = {topic: len(group) for topic, group in sorted(groups.items())}
    for topic, share in proportional_shares(sizes, count).items():
        drawn += rng.sample(groups[topic], share)
    return sorted(drawn, key=lambda record: record.id)


def proportional_shares(sizes: dict[str, int], count: int) -> dict[str, int]:
    """Divide `count` among groups in proportion to their sizes, by the method of largest remainders.

    >>> proportional_shares({"age": 6, "coins": 3, "work": 1}, 4)
    {'age': 3, 'coins': 1, 'work': 0}
    """
    total = sum(sizes.values())
    exact = {name: Fraction(count * size, total) for name, size in sizes.items()}
    result = {name: int(share) for name, share in exact.items()}
    by_rest = sorted(sizes, key=lambda name: (result[name] - exact[name], name))
    for name in by_rest[: count - sum(result.values())]:
        result[name] += 1
    return result


def annotation_row(record: Record) -> dict[str, Any]:
    """Return a row for ``draw annotate import``, with its source and points to review in ``look_at``."""
    return {
        "id": record.id,
        "question": record.question,
        "equations": list(record.equations),
        "solutions": [float(Fraction(value)) for _, value in record.solutions],
        "look_at": [f"{sentence!r} may not belong to the problem" for sentence in doubtful_sentences(record.question)],
        "source": {
            "url": record.url,
            "topic": record.topic,
            "posted": record.posted,
            "changes": [change.to_json() for change in record.changes],
            "solution": dict(record.solutions),
            "missing": list(record.missing),
            "confirmed": record.confirmed,
            "other_equations": [dict(other) for other in record.others],
        },
    }
