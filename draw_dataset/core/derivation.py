"""Derivations: a template, and which number of the text fills each of its slots. The paper's z = (T, A).

In **q-notation** a derivation is its template with every slot replaced by its number, counted from 1 in the text: ``m +
n = q2; q4*m - q7*n = q6 + q3``. Every name that is not a q followed by a number is an unknown. Without the list of the
text's numbers, q2 only means "the second number". Such derivations can be compared with each other, but not with
derivations that give places.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from math import isfinite
from string import ascii_lowercase
from typing import Any

from draw_dataset.core.alignment import Alignment, Place, TextNumber
from draw_dataset.core.equations import Solution, Source, join_equations, scan, system_of, write
from draw_dataset.core.limits import MAX_NAMES
from draw_dataset.core.memory import MEGABYTE, remembered
from draw_dataset.core.template import UNKNOWNS, Template
from draw_dataset.errors import AlignmentError, ReadError, shown


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
        template = Template.of(template)
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
            raise AlignmentError(f"derivation: expected a mapping with template and alignment, but got {shown(value)}")
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
            raise AlignmentError(f"q-notation: expected the numbers of the text, but got {shown(numbers)}")
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
        return f"Derivation({str(self.template)!r}, {self.alignment!r})"

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Derivation cannot be changed (setting {name!r})")

    def __reduce__(self) -> tuple[Any, ...]:
        return Derivation, (self.template, self.alignment)


def read_places(template: Template, alignment: Any) -> tuple[Place, ...]:
    """Return the place of the number in each slot of a template, after the checks that `Derivation` makes.

    Predictions come by the hundred thousand as decoded JSON, and nearly all of them are well formed. This function
    recognises a well-formed list of entries at a tenth of the cost. Everything else goes to `Derivation`, which says
    what is wrong.
    """
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


@remembered(16 * MEGABYTE, _weigh_q)
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
        raise AlignmentError(f"q-notation: expected a number of the text, but got {shown(long)}")
    ranks = tuple([int(name[1:]) for name in source.slots])
    return Template.read(Source(write(renamed, renamed.name), source.tokens, letters, source.unknowns), system), ranks


def slot_letters(count: int, avoiding: set[str]) -> tuple[str, ...]:
    """Return names for slots: a, b, c … except the given ones, then s1, s2 …."""
    return tuple(islice((name for name in _SLOT_NAMES if name not in avoiding), count))


_SLOT_NAMES = (*ascii_lowercase, *(f"s{i}" for i in range(1, 2 * MAX_NAMES + 1)))
