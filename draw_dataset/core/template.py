"""Templates: equation systems whose numbers are slots to be filled from a text.

The paper's T, an un-grounded equation system, with its coefficients C(T), here called slots.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from draw_dataset.core.equations import (
    Names,
    Solution,
    Source,
    System,
    join_equations,
    latex,
    read_system,
    solve_grounded,
    sympy_system,
    write,
)
from draw_dataset.core.exact import Number, exact
from draw_dataset.errors import AlignmentError

UNKNOWNS = frozenset("mno")
"""The letters that are unknowns unless said otherwise; the release's convention."""

_DEFAULT = Names(unknowns=UNKNOWNS)


class Template:
    """An equation system with slots, linear in its unknowns; immutable.

    >>> t = Template(["m + n = a", "b*m - n = 0"])
    >>> t.slots, t.unknowns
    (('a', 'b'), ('m', 'n'))
    >>> print(t)
    m + n = a; b*m - n = 0
    >>> t.solve({"a": 12, "b": 0.5}).values
    {'m': Fraction(8, 1), 'n': Fraction(4, 1)}

    Args:
        equations: one text (equations separated by ``;`` or line ends) or a list of equations.
        unknowns: the names that are unknowns, all others being slots; by default m, n and o.
        slots: the names that are slots, all others being unknowns; with both, no other name may occur.

    Raises:
        ReadError: the text is not a system of equations; says where, expected and got.
        NotLinearError: an equation is not linear in the unknowns.
        LimitError: the text is larger than the bounds in `draw_dataset.core.limits`.
    """

    __slots__ = ("slots", "source", "system", "unknowns")

    slots: tuple[str, ...]
    unknowns: tuple[str, ...]
    source: Source
    system: System

    def __init__(
        self,
        equations: str | Sequence[str],
        *,
        unknowns: Iterable[str] | None = None,
        slots: Iterable[str] | None = None,
    ) -> None:
        names = _DEFAULT
        if unknowns is not None or slots is not None:
            names = Names(
                frozenset(unknowns) if unknowns is not None else None,
                frozenset(slots) if slots is not None else None,
            )
        self._fill(*read_system(join_equations(equations), names))

    def _fill(self, source: Source, system: System) -> None:
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "system", system)
        object.__setattr__(self, "slots", source.slots)
        object.__setattr__(self, "unknowns", source.unknowns)

    @classmethod
    def of(cls, value: Template | str | Sequence[str]) -> Template:
        """Return a template as it is, or read one; short texts are remembered."""
        if isinstance(value, Template):
            return value
        text = join_equations(value)
        return _remembered(text) if len(text) <= _REMEMBERED_CHARACTERS else cls(text)

    @classmethod
    def read(cls, source: Source, system: System) -> Template:
        """Return the template of a system that is read already."""
        template = cls.__new__(cls)
        template._fill(source, system)
        return template

    @property
    def equations(self) -> tuple[str, ...]:
        """The equations in one plain form, ``a*m + b*n = c``."""
        return tuple(str(self).split("; "))

    def solve(self, values: Mapping[str, Number]) -> Solution:
        """Solve the system that the given slot values make of the template, exactly.

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
        """Return the equations as sympy objects (imports sympy)."""
        return sympy_system(self.source)

    def __str__(self) -> str:
        return write(self.source, self.source.name)

    def __repr__(self) -> str:
        return f"Template({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        """Compare what is written, not what it means; for that see `templates_equivalent`."""
        if not isinstance(other, Template):
            return NotImplemented
        return (self.source.tokens, self.slots, self.unknowns) == (
            other.source.tokens,
            other.slots,
            other.unknowns,
        )

    def __hash__(self) -> int:
        return hash((self.source.tokens, self.slots, self.unknowns))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Template cannot be changed (setting {name!r})")

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self.source.text, self.unknowns, self.slots)


def _unpickle(text: str, unknowns: tuple[str, ...], slots: tuple[str, ...]) -> Template:
    return Template(text, unknowns=unknowns, slots=slots)


_REMEMBERED_CHARACTERS = 400
_remembered = lru_cache(maxsize=1 << 13)(Template)
