"""The question: which problems are known already, from the released datasets or from another page.

Problems are the same as `draw_dataset.text.likeness` says: nearly the same words about the same numbers. Records come
in the order of their keys (site, then number); each is compared with the problems of the release and with those kept
before it. So which of several stays depends on the set of records alone, not on who read which first.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass, field

from draw_dataset.cleaning.pool.edits import without_pleas
from draw_dataset.cleaning.pool.funnel import DUPLICATE, KNOWN
from draw_dataset.cleaning.pool.record import Key, Record
from draw_dataset.release import load_problems
from draw_dataset.text import find_numbers
from draw_dataset.text.likeness import NearDuplicates, Shape, shape_of

RELEASED = ("draw1k", "alg514")
"""The datasets whose problems are known."""

_MOST_COMPARED = 20_000
"""Characters of a text that are compared with others."""


def compared_shape(text: str) -> Shape:
    """Return what of a text is compared with others."""
    text = text[:_MOST_COMPARED]
    return shape_of(text, find_numbers(text))


def shape_of_record(record: Record) -> Shape:
    """Return what of a record is compared with others: its question without pleas."""
    return compared_shape(without_pleas(record.posted))


class SeenProblems:
    """An index of problems, in which those that are the same are found.

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
        """Put a problem into the index; one that is there already is replaced by nothing."""
        self.add_shape(id_, compared_shape(text))

    def add_shape(self, id_: int | str | Key, shape: Shape) -> None:
        """Put a problem into the index by what is compared of it."""
        if id_ not in self._known:
            self._known.add(id_)
            self._ids.append(id_)
            self._index.add_shape(shape)

    def find(self, text: str) -> int | str | Key | None:
        """Return the problem that a text repeats, the one first added if there are several; None if there is none."""
        return self.find_shape(compared_shape(text))

    def find_shape(self, shape: Shape) -> int | str | Key | None:
        """Return the problem that a text repeats, given what is compared of it."""
        near = self._index.find_shape(shape)
        return self._ids[near[0].position] if near else None


class KnownProblems:
    """The problems of Draw-1k and Alg-514.

    Args:
        data_dir: the folder with the files of the release.

    Raises:
        DrawError: the files cannot be read, or are not the release.
    """

    def __init__(self, data_dir: str | os.PathLike[str]) -> None:
        self.ids: set[int | str] = set()
        self.shapes: dict[str, Shape] = {}
        self._seen = SeenProblems()
        for dataset in RELEASED:
            for problems in load_problems(dataset, data_dir).values():
                for problem in problems:
                    # Only the ids of Draw-1k are those of the site.
                    if dataset == "draw1k":
                        self.ids.add(problem.id)
                    name = f"{dataset} {problem.id}"
                    if name not in self.shapes:
                        self.shapes[name] = compared_shape(problem.question)
                        self._seen.add_shape(name, self.shapes[name])

    def find(self, id_: int, question: str) -> str | None:
        """Return where a problem is known from, as in ``draw1k 337``; None if it is not."""
        return self.find_shape(id_, compared_shape(question))

    def find_shape(self, id_: int, shape: Shape) -> str | None:
        """Return where a problem is known from, given what is compared of it."""
        if id_ in self.ids:
            return f"draw1k {id_}"
        found = self._seen.find_shape(shape)
        return None if found is None else str(found)


@dataclass(slots=True)
class Duplicates:
    """Drops what is known or repeats an earlier record, of records that come in the order of their keys.

    Attributes:
        known: the problems of the released datasets; None if they are not at hand.
        restore: the numbers of questions that are not dropped.
    """

    known: KnownProblems | None = None
    restore: Collection[int] = frozenset()
    _seen: SeenProblems = field(default_factory=SeenProblems)

    def judge(self, record: Record) -> Record:
        """Return a record as it is, or dropped with what it repeats; a dropped one passes through."""
        return record if record.dropped_by else self.judge_by_shape(record, shape_of_record(record))

    def judge_by_shape(self, record: Record, shape: Shape) -> Record:
        """Judge a record of which we know what is compared; nothing else of its text is looked at."""
        judged = record if record.restored_from else self._held(record, shape)
        if judged.dropped_by and record.id in self.restore:
            judged = judged.restored()
        if not judged.dropped_by:
            self._seen.add_shape(record.key, shape)
        return judged

    def _held(self, record: Record, shape: Shape) -> Record:
        """Hold a record against the release and against those kept before."""
        if self.known is not None and (source := self.known.find_shape(record.id, shape)):
            return record.dropped(KNOWN, f"it is {source}")
        repeated = self._seen.find_shape(shape)
        if repeated is None:
            return record
        return record.dropped(DUPLICATE, f"it repeats {_named(repeated, record.site)}")


def _named(repeated: int | str | Key, site: str) -> str:
    """Name an earlier record: by its number, and by its site where that is another one."""
    if isinstance(repeated, tuple):
        return str(repeated[1]) if repeated[0] == site else f"{repeated[1]} of {repeated[0]}"
    return str(repeated)
