"""Templates: equation systems whose numbers are slots to be filled from a text.

The paper's T, an un-grounded equation system, with its coefficients C(T), here called slots.

Which names are unknowns is a convention: m, n and o, as in the release; in a template that has none of these, x, y and
z. A template without any unknown says nothing that could be compared, and is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from draw_dataset.algebra.grammar import Names, Source, join_equations, latex, scan, sympy_system, write
from draw_dataset.algebra.limits import MEGABYTE, weighted_cache
from draw_dataset.algebra.number import Number, exact
from draw_dataset.algebra.solution import Solution, solve_grounded
from draw_dataset.algebra.system import System, system_of
from draw_dataset.errors import AlignmentError, ReadError

UNKNOWNS = frozenset("mno")  #: the letters that are unknowns unless said otherwise; the release's convention

OTHER_UNKNOWNS = frozenset("xyz")
"""The letters that are unknowns in a template without any of `UNKNOWNS`, unless said otherwise."""

_DEFAULT = Names(unknowns=UNKNOWNS)
_OTHERWISE = Names(unknowns=OTHER_UNKNOWNS)


class Template:
    """An equation system with slots, linear in its unknowns; immutable.

    >>> t = Template(["m + n = a", "b*m - n = 0"])
    >>> t.slots, t.unknowns
    (('a', 'b'), ('m', 'n'))
    >>> print(t)
    m + n = a; b*m - n = 0
    >>> t.solve({"a": 12, "b": 0.5}).values
    {'m': Fraction(8, 1), 'n': Fraction(4, 1)}
    >>> Template("x = a*y; x + y = b").unknowns, Template("m = x + y").unknowns
    (('x', 'y'), ('m',))
    >>> Template("u = a*b", unknowns="u").slots
    ('a', 'b')

    Args:
        equations: one text (equations separated by ``;`` or line ends) or a list of equations.
        unknowns: the names that are unknowns, all others being slots; by default m, n and o, or x, y and z if the text
            has none of those three.
        slots: the names that are slots, all others being unknowns; with both, no other name may occur.

    Raises:
        ReadError: the text is not a system of equations, or has no unknown; says where, expected and got.
        NotLinearError: an equation is not linear in the unknowns.
        LimitError: the text is larger than the bounds in `draw_dataset.algebra.limits`.
    """

    __slots__ = ("_pieces", "slots", "source", "system", "unknowns")

    slots: tuple[str, ...]
    unknowns: tuple[str, ...]
    source: Source
    system: System
    _pieces: list[str] | None

    def __init__(
        self,
        equations: str | Sequence[str],
        *,
        unknowns: Iterable[str] | None = None,
        slots: Iterable[str] | None = None,
    ) -> None:
        text = join_equations(equations)
        names = _DEFAULT
        if unknowns is not None or slots is not None:
            names = Names(
                frozenset(unknowns) if unknowns is not None else None, frozenset(slots) if slots is not None else None
            )
        source = scan(text, names)
        if not source.unknowns and names is _DEFAULT:
            source = scan(text, _OTHERWISE)
        self._fill(source, system_of(source))
        if not source.unknowns:
            raise _no_unknown(source, names)

    def _fill(self, source: Source, system: System) -> None:
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "system", system)
        object.__setattr__(self, "slots", source.slots)
        object.__setattr__(self, "unknowns", source.unknowns)
        object.__setattr__(self, "_pieces", None)

    @classmethod
    def coerce(cls, value: Template | str | Sequence[str], unknowns: Iterable[str] | None = None) -> Template:
        """Return a template unchanged, or read one.

        Args:
            value: a template, or its equations.
            unknowns: if equations are given, the names that are unknowns; see `Template`.
        """
        if isinstance(value, Template):
            return value
        text = join_equations(value)
        return _read(text) if unknowns is None else _read(text, tuple(unknowns))

    @classmethod
    def from_system(cls, source: Source, system: System) -> Template:
        """Return the template of a system that has been read already, with or without unknowns."""
        template = cls.__new__(cls)
        template._fill(source, system)
        return template

    @property
    def equations(self) -> tuple[str, ...]:
        """The equations in one plain form, such as ``a*m + b*n = c``."""
        return tuple(str(self).split("; "))

    def written_with(self, texts: Sequence[str]) -> str:
        """Write the equations with other strings in place of the slots.

        >>> Template("a*m = b + a").written_with(["q3", "q1"])
        'q3*m = q1 + q3'

        Args:
            texts: one string for each slot, in the order of the slots.
        """
        pieces = self._pieces
        if pieces is None:
            # No name holds a line end, so it can stand around the slots; what is between is written once.
            text = write(self.source, lambda token: self.source.name(token) if token & 1 else f"\n{token >> 1}\n")
            pieces = text.split("\n")
            object.__setattr__(self, "_pieces", pieces)
        written = pieces[:]
        for at in range(1, len(pieces), 2):
            written[at] = texts[int(pieces[at])]
        return "".join(written)

    def solve(self, values: Mapping[str, Number]) -> Solution:
        """Put values into the slots and solve the system exactly.

        Args:
            values: the value of each slot.

        Returns:
            The values of the unknowns, or that there are none or infinitely many.

        Raises:
            AlignmentError: a slot has no value, or a value has no slot.
        """
        if values.keys() != set(self.slots):
            raise AlignmentError(
                f"values: expected one for each of the slots {list(self.slots)}, but got {sorted(values)}"
            )
        return solve_grounded(self.system, [exact(values[slot]) for slot in self.slots], self.unknowns)

    def to_latex(self) -> str:
        r"""Return the equations as LaTeX.

        >>> Template("m / 2 = (a + b) * m").to_latex()
        '\\frac{m}{2} = \\left(a + b\\right) \\, m'
        """
        return latex(self.source)

    def _repr_latex_(self) -> str:
        return f"${self.to_latex()}$"

    def to_sympy(self) -> list[Any]:
        """Return the equations as sympy objects. This imports sympy."""
        return sympy_system(self.source)

    def __str__(self) -> str:
        return write(self.source, self.source.name)

    def __repr__(self) -> str:
        return f"Template({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        """Compare what is written, not what it means. For the meaning, see `templates_equivalent`."""
        if not isinstance(other, Template):
            return NotImplemented
        return (self.source.tokens, self.slots, self.unknowns) == (other.source.tokens, other.slots, other.unknowns)

    def __hash__(self) -> int:
        return hash((self.source.tokens, self.slots, self.unknowns))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Template cannot be changed (setting {name!r})")

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self.source.text, self.unknowns, self.slots)


def _no_unknown(source: Source, names: Names) -> ReadError:
    expected = "m, n or o; if there is none of these, x, y or z; or a name given with unknowns="
    if names is not _DEFAULT:
        given = ", ".join(sorted(names.unknowns or ())) or "unknowns= is empty"
        expected = given if names.unknowns is not None else "a name that is not a slot"
    got = f"only {', '.join(source.slots)}" if source.slots else "no name"
    return ReadError("template", f"an unknown ({expected})", got)


def _unpickle(text: str, unknowns: tuple[str, ...], slots: tuple[str, ...]) -> Template:
    source = scan(text, Names(frozenset(unknowns), frozenset(slots)))
    return Template.from_system(source, system_of(source))


def _weigh(template: Template, *_: object) -> int:
    return 600 + 16 * len(template.source.tokens) + template.system.weight


@weighted_cache(24 * MEGABYTE, _weigh)
def _read(text: str, unknowns: tuple[str, ...] | None = None) -> Template:
    return Template(text, unknowns=unknowns)
