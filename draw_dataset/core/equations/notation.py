"""A system of equations as LaTeX and as sympy objects.

Both are algebras for the one grammar: the text is walked as it was written, never evaluated.
"""

from __future__ import annotations

from typing import Any

from draw_dataset.core.equations.grammar import Reader
from draw_dataset.core.equations.tokens import Source, split_equations
from draw_dataset.core.exact import read_number

_SUM, _NEGATION, _PRODUCT, _POWER, _ATOM = range(5)

_Tex = tuple[str, int]
"""LaTeX, and how tightly it binds."""


class _LatexAlgebra:
    """Builds LaTeX; brackets of the text are dropped where a fraction bar replaces them."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def number(self, literal: str) -> _Tex:
        return literal.replace(",", "{,}"), _ATOM

    def name(self, token: int) -> _Tex:
        name = self._source.name(token)
        stem = name.rstrip("0123456789")
        if stem != name and len(stem) == 1:
            return f"{stem}_{{{name[len(stem) :]}}}", _ATOM
        if len(name) == 1:
            return name, _ATOM
        escaped = name.replace("_", r"\_")
        return rf"\mathit{{{escaped}}}", _ATOM

    def group(self, value: _Tex) -> _Tex:
        return value

    def add(self, left: _Tex, right: _Tex) -> _Tex:
        return f"{left[0]} + {_holding(right, _PRODUCT)}", _SUM

    def subtract(self, left: _Tex, right: _Tex) -> _Tex:
        return f"{left[0]} - {_holding(right, _PRODUCT)}", _SUM

    def multiply(self, left: _Tex, right: _Tex) -> _Tex:
        right_text = _holding(right, _POWER)
        sign = r" \cdot " if right_text[0].isdigit() or right_text[0] == "." else r" \, "
        return f"{_holding(left, _NEGATION)}{sign}{right_text}", min(left[1], _PRODUCT) or _PRODUCT

    def divide(self, left: _Tex, right: _Tex) -> _Tex:
        return rf"\frac{{{left[0]}}}{{{right[0]}}}", _POWER

    def negate(self, value: _Tex) -> _Tex:
        return f"-{_holding(value, _PRODUCT)}", _NEGATION

    def power(self, base: _Tex, exponent: int) -> _Tex:
        return f"{_holding(base, _ATOM)}^{{{exponent}}}", _POWER


def _holding(value: _Tex, tightness: int) -> str:
    text, own = value
    return text if own >= tightness else rf"\left({text}\right)"


def latex(source: Source) -> str:
    """Return the system as LaTeX, several equations in a ``cases`` environment."""
    algebra = _LatexAlgebra(source)
    sides = [Reader(tokens, algebra).equation() for _, tokens in split_equations(source.tokens)]
    equations = [f"{left[0]} = {right[0]}" for left, right in sides]
    if len(equations) == 1:
        return equations[0]
    return r"\begin{cases} " + r" \\ ".join(equations) + r" \end{cases}"


class _SympyAlgebra:
    """Builds sympy expressions by their constructors, so that no text reaches sympy's own reader."""

    def __init__(self, source: Source) -> None:
        # Imported here: importing sympy takes longer than importing all of the core, and few need it.
        import sympy

        self._sympy = sympy
        self._source = source

    def number(self, literal: str) -> Any:
        return self._sympy.Rational(*read_number(literal))

    def name(self, token: int) -> Any:
        return self._sympy.Symbol(self._source.name(token))

    def group(self, value: Any) -> Any:
        return value

    def add(self, left: Any, right: Any) -> Any:
        return left + right

    def subtract(self, left: Any, right: Any) -> Any:
        return left - right

    def multiply(self, left: Any, right: Any) -> Any:
        return left * right

    def divide(self, left: Any, right: Any) -> Any:
        return left / right

    def negate(self, value: Any) -> Any:
        return -value

    def power(self, base: Any, exponent: int) -> Any:
        return base**exponent

    def equal(self, left: Any, right: Any) -> Any:
        return self._sympy.Eq(left, right, evaluate=False)


def sympy_system(source: Source) -> list[Any]:
    """Return the system as sympy equations."""
    algebra = _SympyAlgebra(source)
    return [algebra.equal(*Reader(tokens, algebra).equation()) for _, tokens in split_equations(source.tokens)]
