"""An answer as text: its statements as they stand, and its derivation in the numbers of the problem.

A number that comes from the text is written as q1, q2, … In a statement every other number stays as it was written. In
a derivation nothing is left open: a number that stands for an earlier result is replaced by the calculation, one that
stands for an unknown by its name, and one that was computed silently from two numbers by those two. So the result can
be read as q-notation. A calculation that would be very long is written as its number.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from draw_dataset.answers.setup import Worked
from draw_dataset.core.quantities import Node, Source, is_bare, literals_of
from draw_dataset.core.quantities.expressions import Literal
from draw_dataset.prose.sides import ATOM, PRODUCT, SUM, Written, held, joined, write_node

MAX_RESULT = 200
"""How many characters a calculation may have that replaces its result."""

_SIGNS = {"sum": "+", "difference": "-", "product": "*", "quotient": "/"}


def write_equation(sides: Sequence[Node], signs: Sequence[str], setup: Worked) -> str:
    """Return expressions that are said to be equal as one text."""
    writer = _Writer(setup)
    written = writer.side(sides[0])
    for side, sign in zip(sides[1:], signs, strict=True):
        written += f" {'=' if sign == 'is' else sign} {writer.side(side)}"
    return written


def write_derivation(setup: Worked) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the equations of a set-up, or the last results of its calculations if there are no equations.

    A result is a last one if no later calculation uses it.
    """
    writer = _Writer(setup, [])
    used: set[object] = set()
    for result in setup.results:
        # In their order, since each uses those before: no recursion, and no string that doubles in every step.
        text, tightness = writer.node(result.node)
        writer.results.append((text, tightness) if len(text) <= MAX_RESULT else (result.stated.text, ATOM))
        used |= {s.of for s in (setup.sources[i][0] for i in literals_of(result.node)) if s.kind == "result"}
    if setup.equations:
        equations = [f"{writer.node(left)[0]} = {writer.node(right)[0]}" for left, right, _ in setup.equations]
        return tuple(equations), ()
    ends = [text for place, (text, _) in enumerate(writer.results) if place not in used]
    return (), tuple(dict.fromkeys(ends))


class _Writer:
    """Writes expressions of one set-up.

    Args:
        setup: the set-up.
        results: its calculations as text, if they shall be put in for their results.
    """

    def __init__(self, setup: Worked, results: list[Written] | None = None) -> None:
        self._setup = setup
        self._whole = results is not None
        self.results = results or []

    def side(self, node: Node) -> str:
        """Return a side of a statement; a number alone is what came out, and seldom a multiple of another."""
        if is_bare(node):
            source: Source = self._setup.sources[literals_of(node)[0]][0]
            if source.scale != 1 or source.offset or source.inverse:
                text = _as_written(self._setup.literals[literals_of(node)[0]])[0]
                return f"-{text}" if node[0] == "neg" else text
        return self.node(node)[0]

    def node(self, node: Node) -> Written:
        """Return an expression."""
        return write_node(node, self._literal, _name)

    def _literal(self, index: int) -> Written:
        literal = self._setup.literals[index]
        source: Source = self._setup.sources[index][0]
        if source.kind == "text":
            found: Written = (self._setup.labels[source.of], ATOM)
        elif not self._whole:
            return _as_written(literal)
        elif source.kind == "result" and source.of < len(self.results):
            found = self.results[source.of]
        elif source.kind == "name":
            found = _name(source.of), ATOM
        elif source.kind in _SIGNS:
            labels = [(self._setup.labels[of], ATOM) for of in source.of]
            found = joined(labels[0], _SIGNS[source.kind], labels[1])
        else:
            return _exactly(literal)
        return _changed(found, source) if self._whole or not source.offset else _as_written(literal)


def _changed(found: Written, source: Source) -> Written:
    """Return a number times what it is multiplied by, plus what is added."""
    scale = source.scale
    if source.inverse:
        above = scale if scale.denominator == 1 else Fraction(1)
        found = joined((str(above), ATOM), "/", found)
        scale = scale / above
    if scale not in (1, -1):
        found = joined((_decimal(abs(scale)), ATOM), "*", found)
    if source.offset:
        return joined((_decimal(source.offset), ATOM), "-" if scale < 0 else "+", found)
    return (f"-{held(found, PRODUCT)}", SUM) if scale < 0 else found


def _name(name: str) -> str:
    return name if " " not in name else "_".join(name.split())


def _as_written(literal: Literal) -> Written:
    text = literal.text + ("%" if literal.percent else "")
    return text, PRODUCT if "/" in text else ATOM if not text.startswith("-") else SUM


def _exactly(literal: Literal) -> Written:
    """Return a number as equations have it: without commas, a percentage as hundredths."""
    text = literal.text.replace(",", "")
    if literal.percent:
        return f"{text}/100", PRODUCT
    return text, PRODUCT if "/" in text else ATOM if not text.startswith("-") else SUM


def _decimal(value: Fraction) -> str:
    text = f"{float(value):g}"
    return text if len(text) <= 6 and Fraction(text) == value else f"({value})"
