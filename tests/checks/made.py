"""Problems of our own to check."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from draw_dataset.algebra.number import from_float64
from draw_dataset.derivation.derivation import Derivation, TextNumber
from draw_dataset.derivation.problem import AlignedNumber, Problem
from draw_dataset.text.numbers import locate_numbers

TEXT = "A kite and two bells cost 11 pesos . The kite costs 5 pesos more than a bell . What does each cost ?"

Entry = tuple[str, int, int, float]
Member = tuple[int, int, float]


def problem(
    *,
    id: int | str = 1,
    question: str = TEXT,
    equations: Sequence[str] = ("kite + 2*bell = 11", "kite = bell + 5"),
    solutions: Sequence[float] = (7.0, 2.0),
    template: Sequence[str] = ("m + a*n = b", "m - n = c"),
    alignment: Sequence[Entry] = (("a", 0, 3, 2.0), ("b", 0, 6, 11.0), ("c", 1, 3, 5.0)),
    equiv_tnum: Sequence[Sequence[Member]] = (),
) -> Problem:
    """Return a problem without defects, but for what is given."""
    entries = tuple(AlignedNumber(*entry) for entry in alignment)
    annotated = {(a.sentence, a.token): from_float64(a.value) for a in entries}
    numbers, _ = locate_numbers(question, annotated, rule="release")
    groups = tuple(tuple(TextNumber(s, t, Fraction(str(v))) for s, t, v in group) for group in equiv_tnum)
    return Problem(id, question, numbers, tuple(equations), tuple(solutions), tuple(template), entries, groups)


def derived(question: str, derivation: str, id: int | str = 1) -> Problem:
    """Return a problem whose gold is a derivation in q-notation over the numbers that the rules find."""
    numbers, _ = locate_numbers(question, {}, rule="release")
    read = Derivation.read(derivation, numbers)
    plain = Problem(id, question, numbers, (), (), ("m = 1",), ())
    return plain.with_gold(read, read.solve().numbers)
