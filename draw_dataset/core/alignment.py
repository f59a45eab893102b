"""Numbers of a text: where they stand, which slot each fills, and which of them mean the same.

A number of a text is identified by its place (sentence and token, counted from 0), never by its value: "two" and "2" in
one text are different numbers. EquivTNum, the groups of numbers that mean the same thing, is a partition:
`NumberClasses`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NoReturn

from draw_dataset.core.exact import exact
from draw_dataset.errors import AlignmentError, NumberClassesError, shown

Place = tuple[int | None, int]
"""Sentence and token. For a number that is known only by its rank in the text: None and the rank."""


@dataclass(frozen=True, slots=True)
class TextNumber:
    """A number of a text (an element of the paper's Q(x)).

    Two numbers are the same if they stand at the same place. The value plays no part in that.

    >>> TextNumber(0, 3, Fraction(1, 2), text="half").place
    (0, 3)
    >>> TextNumber.of({"sentence": 0, "token": 3}) == TextNumber(0, 3)
    True

    Attributes:
        sentence: the sentence, counted from 0; None if only the number's rank in the text is known.
        token: the token of the sentence, counted from 0; the rank if `sentence` is None.
        value: the exact value, if it is known.
        index: the rank in the text, counted from 1, if it is known.
        text: the words or digits that express the number.
        start: the offset of its first character in the question.
        end: the offset after its last character.
    """

    sentence: int | None
    token: int
    value: Fraction | None = field(default=None, compare=False)
    index: int | None = field(default=None, compare=False)
    text: str = field(default="", compare=False)
    start: int | None = field(default=None, compare=False)
    end: int | None = field(default=None, compare=False)

    @property
    def place(self) -> Place:
        """Sentence and token: what identifies the number."""
        return self.sentence, self.token

    @classmethod
    def of(cls, value: object, where: str = "number") -> TextNumber:
        """Return a number that is given in any of the accepted forms.

        Args:
            value: a `TextNumber`, a rank, a pair (sentence, token), or a mapping with the keys ``sentence`` and
                ``token``.
            where: what the error message calls the place where the value stands.

        Raises:
            AlignmentError: the value has none of these forms.
        """
        if isinstance(value, TextNumber):
            return value
        if type(value) is int:
            if value < 1:
                raise AlignmentError(f"{where}: expected a number counted from 1, but got {shown(value)}")
            return cls(None, value, index=value)
        if isinstance(value, Mapping):
            sentence, token = value.get("sentence"), value.get("token")
            known = value.get("value")
        elif isinstance(value, (tuple, list)) and len(value) in (2, 3):
            sentence, token, known = (*value, None)[:3]
        else:
            raise AlignmentError(
                f"{where}: expected a rank, (sentence, token) or a mapping with these, but got {shown(value)}"
            )
        return cls(
            _whole(sentence, "sentence", where),
            _whole(token, "token", where),
            None if known is None else exact(known),
        )

    def __str__(self) -> str:
        # By `shown`: a prediction may give a place with more digits than Python writes.
        name = f"sentence {shown(self.sentence)}, token {shown(self.token)}"
        if self.index is not None:
            name = f"q{shown(self.index)}"
        return f'"{self.text}" ({name})' if self.text else name


def _whole(part: object, name: str, where: str) -> int:
    # Not isinstance: True is no token, and 1.0 is no place.
    if type(part) is not int or part < 0:
        raise AlignmentError(f"{where}: expected {name} to be a whole number from 0, but got {shown(part)}")
    return part


class Alignment(Mapping[str, TextNumber]):
    """Which number of the text fills each slot (the paper's A).

    An alignment is a read-only mapping from slots to numbers. No number fills two slots.

    >>> Alignment({"a": (0, 3), "b": (1, 0)})["b"].place
    (1, 0)
    >>> Alignment([{"slot": "a", "sentence": 0, "token": 3}]) == Alignment({"a": (0, 3)})
    True

    Args:
        entries: a mapping from slots to numbers in any form that `TextNumber.of` takes, or a list of mappings with the
            keys ``slot``, ``sentence`` and ``token``, as in a row.

    Raises:
        AlignmentError: a slot or a number occurs twice, or an entry has neither form.
    """

    __slots__ = ("_numbers",)

    def __init__(self, entries: Mapping[str, object] | Iterable[Mapping[str, Any]]) -> None:
        numbers: dict[str, TextNumber] = {}
        if type(entries) is dict or isinstance(entries, Mapping):
            pairs: Iterable[tuple[Any, object]] = entries.items()
        elif isinstance(entries, Iterable) and not isinstance(entries, str):
            pairs = map(_slot_and_number, entries)
        else:
            raise AlignmentError(f"alignment: expected a mapping or a list of entries, but got {shown(entries)}")
        for slot, number in pairs:
            if not isinstance(slot, str):
                raise AlignmentError(f"alignment: expected the name of a slot, but got {shown(slot)}")
            if slot in numbers:
                raise AlignmentError(f"alignment: expected slot {slot!r} once, but got it twice")
            numbers[slot] = number if type(number) is TextNumber else TextNumber.of(number, f"slot {shown(slot)}")
        if len({(n.sentence, n.token) for n in numbers.values()}) < len(numbers):
            _refuse_twice(numbers)
        self._numbers = numbers

    def __getitem__(self, slot: str) -> TextNumber:
        return self._numbers[slot]

    def in_slots(self, slots: Iterable[str]) -> list[TextNumber]:
        """Return the numbers that fill the given slots, in the given order.

        Raises:
            KeyError: a slot is not in the alignment.
        """
        numbers = self._numbers
        return [numbers[slot] for slot in slots]

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __repr__(self) -> str:
        return f"Alignment({{{', '.join(f'{s!r}: {n.place}' for s, n in self._numbers.items())}}})"

    def __hash__(self) -> int:
        return hash(frozenset(self._numbers.items()))


def _refuse_twice(numbers: Mapping[str, TextNumber]) -> NoReturn:
    slots = list(numbers)
    second = next(at for at, slot in enumerate(slots) if numbers[slot] in [numbers[s] for s in slots[:at]])
    first = next(slot for slot in slots if numbers[slot] == numbers[slots[second]])
    raise AlignmentError(
        f"alignment: expected a number of its own for slot {slots[second]!r}, but got {numbers[first]}, "
        f"which fills slot {first!r}"
    )


def _slot_and_number(entry: object) -> tuple[object, object]:
    if not isinstance(entry, Mapping):
        raise AlignmentError(f"alignment: expected entries with slot, sentence and token, but got {shown(entry)}")
    if "slot" not in entry:
        raise AlignmentError(f"alignment: expected an entry with a slot, but got the keys {shown(list(entry))}")
    return entry["slot"], entry


class NumberClasses:
    """Which numbers of a text mean the same thing (the paper's EquivTNum), as a partition.

    >>> classes = NumberClasses([[(0, 7), (1, 4)]])
    >>> classes.of_place((1, 4)) == classes.of_place((0, 7))
    True

    Args:
        groups: the groups of numbers that mean the same; numbers in any form that `TextNumber.of` takes.

    Raises:
        NumberClassesError: two groups share a number.
    """

    __slots__ = ("_first", "by_rank", "groups")

    def __init__(self, groups: Iterable[Iterable[object]] = ()) -> None:
        first: dict[Place, Place] = {}
        kept: list[tuple[TextNumber, ...]] = []
        if not isinstance(groups, Iterable):
            raise NumberClassesError(f"groups: expected lists of numbers, but got {shown(groups)}")
        for position, group in enumerate(groups, 1):
            if isinstance(group, (str, Mapping)) or not isinstance(group, Iterable):
                raise NumberClassesError(f"group {position}: expected a list of numbers, but got {shown(group)}")
            members = tuple(TextNumber.of(member, f"group {position}") for member in group)
            for member in members:
                if member.place in first:
                    raise NumberClassesError(
                        f"group {position}: expected each number in one group only, but {member} "
                        "is also in an earlier group"
                    )
            first.update((member.place, members[0].place) for member in members)
            kept.append(members)
        by_rank = {sentence is None for sentence, _ in first}
        if len(by_rank) > 1:
            raise NumberClassesError("groups: expected all numbers by place, or all by rank, but got both")
        self.by_rank = by_rank.pop() if by_rank else None
        self._first = first
        self.groups = tuple(kept)

    @classmethod
    def of(cls, value: NumberClasses | Iterable[Iterable[object]]) -> NumberClasses:
        """Return classes unchanged, or make them from groups."""
        return value if isinstance(value, NumberClasses) else cls(value)

    def of_place(self, place: Place) -> Place:
        """Return the place that represents the class of a number: its own place if it is in no group."""
        return self._first.get(place, place)

    def of_places(self, places: tuple[Place, ...]) -> tuple[Place, ...]:
        """Return the representative of each of several numbers."""
        first = self._first
        return tuple([first.get(place, place) for place in places]) if first else places

    def __repr__(self) -> str:
        return f"NumberClasses({[[n.place for n in group] for group in self.groups]})"
