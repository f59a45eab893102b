"""Python in an answer, as the equations that it states; it is read with `ast` and never run.

Assignments, ``Eq(…)`` and the arguments of ``solve`` become equations; what a function returns becomes a boxed result.
Everything else, including f-strings, is ignored.
"""

from __future__ import annotations

import ast
import re

from draw_dataset.prose.plain import BOX_CLOSE, BOX_OPEN, Plain, PlainBuilder

MAX_CODE = 20_000
"""How many characters one piece of code may have."""

_CODE_FENCE = re.compile(r"```[ \t]*+(?:python|py|tool_code)?+[ \t]*+\n(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE)
_LOOKS_LIKE_CODE = re.compile(r"^[^\S\n]*+(?:def \w+\(|from sympy|import sympy|import math|print\()", re.MULTILINE)

_SIGNS_OF_CODE = ("```", "def ", "sympy", "import math", "print(")
"""A text without any of these has no code; looking for them is many times faster than the patterns."""


def read_code(source: Plain) -> Plain:
    """Return the text with Python code replaced by the equations it states."""
    text = source.text
    if not any(sign in text for sign in _SIGNS_OF_CODE):
        return source
    spans = [match.span(1) for match in _CODE_FENCE.finditer(text) if len(match.group(1)) <= MAX_CODE]
    if not spans and _LOOKS_LIKE_CODE.search(text) and len(text) <= MAX_CODE:
        spans = [(0, len(text))]
    builder = PlainBuilder(source)
    end = 0
    changed = False
    for start, stop in spans:
        lines = _equations_of_code(text[start:stop])
        if lines is None:
            continue
        changed = True
        builder.copy(end, start)
        for line, place in lines:
            builder.put("\n", start + place)
            builder.put(line, start + place)
        builder.put("\n", stop - 1)
        end = stop
    if not changed:
        return source
    builder.copy(end, len(text))
    return builder.done()


def _equations_of_code(code: str) -> list[tuple[str, int]] | None:
    try:
        tree = ast.parse(_dedented(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    starts = [0]
    for line in code.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    found: list[tuple[str, int]] = []

    def walk(statements: list[ast.stmt]) -> None:
        for node in statements:
            place = starts[min(node.lineno - 1, len(starts) - 1)]
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                assign(node.targets[0], node.value, place)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                assign(node.target, node.value, place)
            elif isinstance(node, ast.AugAssign):
                continue
            elif isinstance(node, ast.Expr):
                equations(node.value, place)
            elif isinstance(node, (ast.FunctionDef, ast.For, ast.While, ast.If, ast.With)):
                walk(node.body)
            elif isinstance(node, ast.Return) and isinstance(node.value, ast.expr):
                text = _written(node.value)
                if text is not None:
                    found.append((f"{BOX_OPEN}{text}{BOX_CLOSE}", place))

    def assign(target: ast.expr, value: ast.expr, place: int) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for one, other in zip(target.elts, value.elts, strict=True):
                assign(one, other, place)
            return
        if not isinstance(target, ast.Name):
            return
        if isinstance(value, ast.Call):
            if _called(value) in ("Symbol", "symbols", "Var", "Variable"):
                return
            if equations(value, place):
                return
        text = _written(value)
        if text is not None:
            found.append((f"{target.id} = {text}", place))

    def equations(value: ast.expr, place: int) -> bool:
        """Write down the equations in a call; say whether there were any."""
        before = len(found)
        for node in ast.walk(value):
            if isinstance(node, ast.Call) and _called(node) == "Eq" and len(node.args) == 2:
                sides = [_written(side) for side in node.args]
                if None not in sides:
                    found.append((f"{sides[0]} = {sides[1]}", place))
        if isinstance(value, ast.Call) and _called(value) in ("solve", "linsolve", "nsolve", "solveset") and value.args:
            first = value.args[0]
            for item in first.elts if isinstance(first, (ast.List, ast.Tuple)) else [first]:
                if isinstance(item, ast.BinOp):
                    text = _written(item)
                    if text is not None:
                        found.append((f"{text} = 0", place))
            return True
        return len(found) > before

    walk(tree.body)
    return found


def _dedented(code: str) -> str:
    """Return code without a common indent, its lines where they were."""
    lines = code.split("\n")
    depth = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[depth:] for line in lines)


def _called(node: ast.Call) -> str:
    function = node.func
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "^",
    ast.FloorDiv: "/",
}


def _written(node: ast.expr, depth: int = 0) -> str | None:
    """Return an expression of names, numbers and arithmetic as text; None if it is anything else."""
    if depth > 40:
        return None
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant):
        value = node.value
        plain = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e18
        return repr(value) if plain else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        inner = _written(node.operand, depth + 1)
        return None if inner is None else f"(-{inner})" if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        left = _written(node.left, depth + 1)
        right = _written(node.right, depth + 1)
        return None if left is None or right is None else f"({left} {_OPERATORS[type(node.op)]} {right})"
    if isinstance(node, ast.Call) and _called(node) in ("Rational", "Fraction") and len(node.args) == 2:
        above, below = (_written(argument, depth + 1) for argument in node.args)
        return None if above is None or below is None else f"({above})/({below})"
    if (
        isinstance(node, ast.Call)
        and _called(node) in ("float", "int", "round", "Fraction", "Rational", "Decimal")
        and node.args
    ):
        return _written(node.args[0], depth + 1)
    return None
