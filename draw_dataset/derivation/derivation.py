"""Derivations: a template, and which number of the text fills each of its slots. The paper's z = (T, A).

In **q-notation** a derivation is its template with every slot replaced by its number, counted from 1 in the text: ``m +
n = q2; q4*m - q7*n = q6 + q3``. Every name that is not a q followed by a number is an unknown. Without the list of the
text's numbers, q2 only means "the second number". Such derivations can be compared with each other, but not with
derivations that give places.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from math import isfinite
from string import ascii_lowercase
from typing import Any, NoReturn

from draw_dataset.algebra.grammar import Source, join_equations, scan, write
from draw_dataset.algebra.limits import MAX_NAMES, MEGABYTE, weighted_cache
from draw_dataset.algebra.number import exact, short_number
from draw_dataset.algebra.solution import Solution
from draw_dataset.algebra.system import system_of
from draw_dataset.derivation.template import UNKNOWNS, Template
from draw_dataset.errors import AlignmentError, NumberClassesError, ReadError, short_repr
from draw_dataset.io.markup import Table, one_line

# A number is identified by its place (sentence and token, counted from 0), never by its value: "two" and "2" in one
# text are different numbers.
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
                raise AlignmentError(f"{where}: expected a number counted from 1, but got {short_repr(value)}")
            return cls(None, value, index=value)
        if isinstance(value, Mapping):
            sentence, token = value.get("sentence"), value.get("token")
            known = value.get("value")
        elif isinstance(value, (tuple, list)) and len(value) in (2, 3):
            sentence, token, known = (*value, None)[:3]
        else:
            raise AlignmentError(
                f"{where}: expected a rank, (sentence, token) or a mapping with these, but got {short_repr(value)}"
            )
        return cls(
            _whole(sentence, "sentence", where), _whole(token, "token", where), None if known is None else exact(known)
        )

    def __str__(self) -> str:
        # By `short_repr`: a prediction may give a place with more digits than Python writes.
        name = f"sentence {short_repr(self.sentence)}, token {short_repr(self.token)}"
        if self.index is not None:
            name = f"q{short_repr(self.index)}"
        return f'"{self.text}" ({name})' if self.text else name


def _whole(part: object, name: str, where: str) -> int:
    # Not isinstance: True is no token, and 1.0 is no place.
    if type(part) is not int or part < 0:
        raise AlignmentError(f"{where}: expected {name} to be a whole number from 0, but got {short_repr(part)}")
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
            raise AlignmentError(f"alignment: expected a mapping or a list of entries, but got {short_repr(entries)}")
        for slot, number in pairs:
            if not isinstance(slot, str):
                raise AlignmentError(f"alignment: expected the name of a slot, but got {short_repr(slot)}")
            if slot in numbers:
                raise AlignmentError(f"alignment: expected slot {slot!r} once, but got it twice")
            numbers[slot] = number if type(number) is TextNumber else TextNumber.of(number, f"slot {short_repr(slot)}")
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
        raise AlignmentError(f"alignment: expected entries with slot, sentence and token, but got {short_repr(entry)}")
    if "slot" not in entry:
        raise AlignmentError(f"alignment: expected an entry with a slot, but got the keys {short_repr(list(entry))}")
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
            raise NumberClassesError(f"groups: expected lists of numbers, but got {short_repr(groups)}")
        for position, group in enumerate(groups, 1):
            if isinstance(group, (str, Mapping)) or not isinstance(group, Iterable):
                raise NumberClassesError(f"group {position}: expected a list of numbers, but got {short_repr(group)}")
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


class Derivation:
    """A template and the numbers that fill its slots; immutable.

    >>> d = Derivation(["m + n = a", "m - n = b"], {"a": 2, "b": 5})
    >>> d.q_notation()
    'm + n = q2; m - n = q5'
    >>> Derivation.read("x + y = q2; x - y = q5").template
    Template('x + y = a; x - y = b')

    Args:
        template: a `Template`, or its equations.
        alignment: an `Alignment`, or anything that `Alignment` takes.

    Attributes:
        template: the equation system.
        alignment: the number in each slot.
        places: the place of the number in each of the template's slots, in the order of the slots.
        by_rank: whether the numbers are known by rank only; None if there are no numbers.

    Raises:
        AlignmentError: a slot of the template has no number, or the alignment names a slot that the template lacks.
        ReadError: the equations cannot be read.
    """

    __slots__ = ("alignment", "by_rank", "places", "template")

    template: Template
    alignment: Alignment
    places: tuple[Place, ...]
    by_rank: bool | None

    def __init__(
        self,
        template: Template | str | Sequence[str],
        alignment: Alignment | Mapping[str, object] | Iterable[Mapping[str, Any]],
    ) -> None:
        template = Template.coerce(template)
        if not isinstance(alignment, Alignment):
            alignment = Alignment(alignment)
        try:
            numbers = alignment.in_slots(template.slots)
        except KeyError:
            numbers = []
        if len(numbers) < len(template.slots) or len(alignment) > len(numbers):
            missing = [slot for slot in template.slots if slot not in alignment]
            extra = [slot for slot in alignment if slot not in template.slots]
            problem = (
                f"no number for {missing}" if missing else f"numbers for {extra}, which are not slots of the template"
            )
            raise AlignmentError(f"alignment: expected a number for each of {list(template.slots)}, but got {problem}")
        object.__setattr__(self, "template", template)
        object.__setattr__(self, "alignment", alignment)
        places = tuple([(number.sentence, number.token) for number in numbers])
        object.__setattr__(self, "places", places)
        by_rank = {sentence is None for sentence, _ in places}
        if len(by_rank) > 1:
            raise AlignmentError("alignment: expected all numbers by place, or all by rank, but got both")
        object.__setattr__(self, "by_rank", by_rank.pop() if by_rank else None)

    @classmethod
    def of(cls, value: Derivation | Mapping[str, Any] | str) -> Derivation:
        """Return a derivation that is given in any of the accepted forms.

        Args:
            value: a `Derivation`, a mapping with ``template`` and ``alignment``, or q-notation.
        """
        if isinstance(value, Derivation):
            return value
        if isinstance(value, str):
            return cls.read(value)
        if not isinstance(value, Mapping) or "template" not in value or "alignment" not in value:
            raise AlignmentError(
                f"derivation: expected a mapping with template and alignment, but got {short_repr(value)}"
            )
        return cls(value["template"], value["alignment"])

    @classmethod
    def read(cls, text: str | Sequence[str], numbers: Sequence[TextNumber] = ()) -> Derivation:
        """Read q-notation.

        Args:
            text: the derivation.
            numbers: the numbers of the text in their order; without them q2 is known by its rank only.

        Raises:
            AlignmentError: a q has a larger rank than the text has numbers.
            ReadError: the text is not a system of equations, or has no unknown.
        """
        template, ranks = _read_q(join_equations(text))
        alignment: dict[str, TextNumber] = {}
        if isinstance(numbers, Mapping) or not isinstance(numbers, Sequence):
            raise AlignmentError(f"q-notation: expected the numbers of the text, but got {short_repr(numbers)}")
        for slot, rank in zip(template.slots, ranks, strict=True):
            if not numbers:
                alignment[slot] = TextNumber.of(rank)
            elif rank > len(numbers):
                raise AlignmentError(f"q-notation: expected q1 to q{len(numbers)}, but got q{rank}")
            else:
                alignment[slot] = numbers[rank - 1]
        return cls(template, alignment)

    def q_notation(self) -> str:
        """Write the template with every slot replaced by its number.

        Raises:
            AlignmentError: the rank of a number in the text is not known.
        """
        written: list[str] = []
        for number in self.alignment.in_slots(self.template.slots):
            if number.index is None:
                slot = self.template.slots[len(written)]
                raise AlignmentError(f"q-notation: expected the rank of each number, but slot {slot!r} has {number}")
            written.append(f"q{number.index}")
        return self.template.written_with(written)

    def solve(self) -> Solution:
        """Put the values of the numbers into the template and solve it.

        Raises:
            AlignmentError: the value of a number is not known.
        """
        values: dict[str, Fraction] = {}
        for slot, number in self.alignment.items():
            if number.value is None:
                raise AlignmentError(f"solving: expected the value of each number, but slot {slot!r} has {number}")
            values[slot] = number.value
        return self.template.solve(values)

    def __eq__(self, other: object) -> bool:
        """Compare what is written, not what it means. For the meaning, see `derivations_equivalent`."""
        if not isinstance(other, Derivation):
            return NotImplemented
        return self.template == other.template and self.places == other.places

    def __hash__(self) -> int:
        return hash((self.template, self.places))

    def __repr__(self) -> str:
        numbers = self.alignment.in_slots(self.template.slots)
        if any(number.index is None for number in numbers):
            return one_line(f"Derivation({str(self.template)!r}, {self.alignment!r})")
        return one_line(f"Derivation.read({self.q_notation()!r})")

    def _repr_html_(self) -> str:
        rows = [("", [equation]) for equation in self.template.equations]
        for slot, number in self.alignment.items():
            value = "" if number.value is None else short_number(number.value)
            equals = f" = {value}" if value not in ("", number.text) else ""
            rows.append((f"slot {slot}", [f"{number}{equals}"]))
        return Table([], rows).to_html(title="Derivation")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Derivation cannot be changed (setting {name!r})")

    def __reduce__(self) -> tuple[Any, ...]:
        return Derivation, (self.template, self.alignment)


def read_places(template: Template, alignment: Any) -> tuple[Place, ...]:
    """Return the place of the number in each slot of a template, after the checks that `Derivation` makes."""
    # A well-formed list of entries, as nearly all predictions have, is recognised at a tenth of the cost. Everything
    # else goes to `Derivation`, which says what is wrong.
    if type(alignment) is list and len(alignment) == len(template.slots):
        found: dict[str, Place] = {}
        for entry in alignment:
            if type(entry) is not dict:
                break
            try:
                slot, sentence, token = entry["slot"], entry["sentence"], entry["token"]
            except KeyError:
                break
            if type(slot) is not str or type(sentence) is not int or type(token) is not int:
                break
            if sentence < 0 or token < 0:
                break
            if len(entry) > 3:
                value = entry.get("value")
                # Integers are finite, and math.isfinite fails for one of 400 digits.
                if value is not None and type(value) is not int and not (type(value) is float and isfinite(value)):
                    break
            found[slot] = (sentence, token)
        else:
            try:
                places = tuple([found[slot] for slot in template.slots])
            except KeyError:
                places = ()
            if len(set(places)) == len(alignment):
                return places
    return Derivation(template, alignment).places


class _QNames:
    """The names of q-notation: a q followed by a number is a slot, everything else is an unknown."""

    def is_unknown(self, name: str) -> bool:
        return not (name[0] == "q" and name[1:].isdecimal() and name.isascii() and name[1] != "0")

    def expected(self) -> str:
        return "a name"


_Q_NAMES = _QNames()


def _weigh_q(read: tuple[Template, tuple[int, ...]], text: str) -> int:
    return 1_000 + 2 * len(text) + 16 * len(read[0].source.tokens) + read[0].system.weight


@weighted_cache(16 * MEGABYTE, _weigh_q)
def _read_q(text: str) -> tuple[Template, tuple[int, ...]]:
    """Read q-notation: return its template, with letters as slots, and the rank of the number in each slot."""
    source = scan(text, _Q_NAMES)
    system = system_of(source)
    if not source.unknowns:  # there is nothing to compare
        got = f"only {', '.join(source.slots)}" if source.slots else "no name"
        raise ReadError("q-notation", "an unknown: a name other than q1, q2, …", got)
    letters = slot_letters(len(source.slots), avoiding={*source.unknowns, *UNKNOWNS})
    renamed = Source(text, source.tokens, letters, source.unknowns)
    long = next((name for name in source.slots if len(name) > 10), None)
    if long is not None:  # Python refuses to read thousands of digits
        raise AlignmentError(f"q-notation: expected a number of the text, but got {short_repr(long)}")
    ranks = tuple([int(name[1:]) for name in source.slots])
    return Template.from_system(
        Source(write(renamed, renamed.name), source.tokens, letters, source.unknowns), system
    ), ranks


def slot_letters(count: int, avoiding: set[str]) -> tuple[str, ...]:
    """Return names for slots: a, b, c … except the given ones, then s1, s2 …."""
    return tuple(islice((name for name in _SLOT_NAMES if name not in avoiding), count))


_SLOT_NAMES = (*ascii_lowercase, *(f"s{i}" for i in range(1, 2 * MAX_NAMES + 1)))
