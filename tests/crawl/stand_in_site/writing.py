"""How tutors write an equation: decimals without a nought, products without a sign, labels, arrows, units, typos.

An equation comes in canonical form, ``0.1*x + 0.3*(10 - x) = 0.25*10``: every product with its star, every decimal with
its nought. A `Hand` is the habits of one tutor.
"""

from __future__ import annotations

import ast
import operator
import random
import re
from dataclasses import dataclass
from fractions import Fraction

from crawl.stand_in_site.problems import decimal

_PERCENT = re.compile(r"0\.01\*(\d+)")


@dataclass(frozen=True)
class Hand:
    """Habits: which forms this tutor prefers."""

    formula: bool  # {{{...}}} or plain text
    bare_decimals: bool  # .25 or 0.25
    two_places: bool  # .10 or .1
    bare_products: bool  # 3x and .25(10), or 3*x and .25*10
    spaces: bool
    capital: bool  # X
    label: str  # "", "(1)", "....(1)", "eq.1"
    arrow: str  # "", "==>", "-->", "~>"
    dollars: bool
    units: bool
    typo: bool  # .o5 for .05

    @classmethod
    def of(cls, rng: random.Random) -> Hand:
        return cls(
            formula=rng.random() < 0.4,
            bare_decimals=rng.random() < 0.7,
            two_places=rng.random() < 0.6,
            bare_products=rng.random() < 0.8,
            spaces=rng.random() < 0.8,
            capital=rng.random() < 0.08,
            label=rng.choice(("", "", "(1)", "....(1)", "eq.1")),
            arrow=rng.choice(("", "", "==>", "-->", "~>", "=>")),
            dollars=rng.random() < 0.5,
            units=rng.random() < 0.5,
            typo=rng.random() < 0.03,
        )


def percents_folded(equation: str) -> str:
    """Write 0.01*20 as 0.2, which is what people do with 20 percent.

    >>> percents_folded("0.01*20*x = 0.01*5*(20 + x)")
    '0.2*x = 0.05*(20 + x)'
    """
    return _PERCENT.sub(lambda found: decimal(Fraction(int(found[1]), 100)), equation)


def written(equation: str, hand: Hand, money: bool = False, unit: str = "") -> str:
    """Write an equation as this tutor does, inside of a formula or out of it."""
    text = equation
    if hand.two_places:
        text = re.sub(r"\b0\.(\d)\b", r"0.\g<1>0", text)
    if hand.bare_decimals:
        text = re.sub(r"\b0\.", ".", text)
    if hand.bare_products:
        text = re.sub(r"(?<=[\d)])\*(?=[a-z(])", "", text)
        text = re.sub(r"(\d)\*(\.?\d[\d.]*)", r"\1(\2)", text)
    if not hand.spaces:
        text = text.replace(" ", "")
    if hand.capital:
        text = text.replace("x", "X").replace("y", "Y")
    if hand.typo:
        text = re.sub(r"(?<!\d)\.0(?=\d)", ".o", text)
    if hand.formula:
        text = re.sub(r"\((\d+)/(\d+)\)$", _mixed, text)
        return "{{{" + text + "}}}"
    if money and hand.dollars:
        text = re.sub(r"=(\s*)(?=[\d.]+$)", r"=\1$", text)
        text = re.sub(r"(?<![\w.$])(\.\d\d(?=[xy]))", r"$\1", text)
    if unit and hand.units and re.fullmatch(r"[xXyY] ?= ?[\d.]+", text):
        text = f"{text} {unit}"
    return text


def _mixed(found: re.Match[str]) -> str:
    whole, rest = divmod(int(found[1]), int(found[2]))
    return f"{whole}&{rest}/{found[2]}" if whole else f"{rest}/{found[2]}"


def split_formula(equation: str) -> str:
    """Write an equation as a row of little formulas, one a side or an addend."""
    pieces = re.split(r" ([+=]) ", equation)
    return "".join("{{{" + (f'""{piece}""' if piece in "+=" else piece) + "}}}" for piece in pieces)


def solving_steps(equations: tuple[str, ...], solutions: dict[str, Fraction]) -> list[str]:
    """Return true equations that lead from a system in one or two unknowns to its solution."""
    unknowns = list(solutions) if len(equations) > 1 else ["x"]
    rows = [_coefficients(equation, unknowns) for equation in equations]
    if len(rows) == 1:
        p, q = rows[0]
        return _isolated(unknowns[0], p, -q)
    (a, b, c), (d, e, f) = rows
    first, second = unknowns
    # Such multiples of both are added that the first unknown goes.
    steps = _isolated(second, b * d - e * a, f * a - c * d)
    left, right = (a, -c - b * solutions[second]) if a else (d, -f - e * solutions[second])
    return steps + _isolated(first, left, right)


def _isolated(name: str, factor: Fraction, value: Fraction) -> list[str]:
    """Return ``3*x = 12`` and ``x = 12/3 = 4``; the last alone where the factor is 1."""
    if factor < 0:
        factor, value = -factor, -value
    if factor == 1:
        return [f"{name} = {decimal(value)}"]
    whole = value / factor
    chain = whole.denominator == 1 and 10**4 % value.denominator == 0
    middle = f"{decimal(value)}/{decimal(factor)} = " if chain else ""
    return [f"{decimal(factor)}*{name} = {decimal(value)}", f"{name} = {middle}{decimal(whole)}"]


def _coefficients(equation: str, unknowns: list[str]) -> list[Fraction]:
    """Return the coefficients of left - right: one an unknown, and the constant, nothing reduced."""
    sides = [ast.parse(side.strip(), mode="eval").body for side in equation.split("=")]

    def difference(values: dict[str, Fraction]) -> Fraction:
        return _value(sides[0], values) - _value(sides[1], values)

    nowhere = dict.fromkeys(unknowns, Fraction(0))
    constant = difference(nowhere)
    return [*(difference({**nowhere, name: Fraction(1)}) - constant for name in unknowns), constant]


def _value(node: ast.expr, values: dict[str, Fraction]) -> Fraction:
    if isinstance(node, ast.Constant):
        return Fraction(str(node.value))
    if isinstance(node, ast.Name):
        return values[node.id]
    assert isinstance(node, ast.BinOp), ast.dump(node)
    operation = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
    return operation[type(node.op)](_value(node.left, values), _value(node.right, values))
