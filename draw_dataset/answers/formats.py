r"""The question: what does an answer say as plain text, whatever it is written in, and where does each character stand.

Language models write plain text, Markdown, LaTeX, Python and JSON, often in one answer. Everything is turned into plain
lines of prose and arithmetic, and each character of the result knows the place in the answer that it comes from:
whatever is found can be shown where it stands. Nothing is run: LaTeX is rewritten command by command, Python is read
with `ast`, JSON is decoded.
"""

from __future__ import annotations

import ast
import json
import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

MAX_CHARACTERS = 60_000
"""What is read of one answer."""

_MAX_CODE = 20_000
_MAX_PASSES = 12


@dataclass(frozen=True, slots=True)
class Plain:
    """A text that knows where it comes from.

    Attributes:
        text: the plain text.
        starts: where pieces of it begin.
        origins: the place in the answer that each piece comes from.
        steps: 1 where a piece goes along with the answer, 0 where it stands for one place of it.
    """

    text: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]
    steps: tuple[int, ...]

    @classmethod
    def of(cls, text: str, origin: int = 0) -> Plain:
        """Return a text that is its own origin."""
        return cls(text, (0,), (origin,), (1,))

    def origin(self, place: int) -> int:
        """Return the place in the answer that a place of the plain text comes from."""
        piece = bisect_right(self.starts, place) - 1
        return self.origins[piece] + (place - self.starts[piece]) * self.steps[piece]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the stretch of the answer behind a stretch of the plain text."""
        if end <= start:
            return self.origin(start), self.origin(start)
        return self.origin(start), self.origin(end - 1) + 1

    def sub(self, pattern: re.Pattern[str], replacement: str | Callable[[re.Match[str]], str]) -> Plain:
        """Return the text with every match replaced; what is put in comes from where the match began.

        A replacement that is a stretch of the match itself keeps its own places.
        """
        matches = list(pattern.finditer(self.text))
        if not matches:
            return self
        builder = _Builder(self)
        end = 0
        for match in matches:
            builder.copy(end, match.start())
            new = replacement if isinstance(replacement, str) else replacement(match)
            inside = match.group().find(new) if len(new) > 1 else -1
            if inside >= 0:
                builder.copy(match.start() + inside, match.start() + inside + len(new))
            else:
                builder.put(new, match.start())
            end = match.end()
        builder.copy(end, len(self.text))
        return builder.done()


class _Builder:
    """Puts a plain text together from pieces of another."""

    def __init__(self, source: Plain) -> None:
        self._source = source
        self._pieces: list[str] = []
        self._length = 0
        self._starts: list[int] = []
        self._origins: list[int] = []
        self._steps: list[int] = []

    def copy(self, start: int, end: int) -> None:
        source = self._source
        while start < end:
            piece = bisect_right(source.starts, start) - 1
            stop = min(end, source.starts[piece + 1] if piece + 1 < len(source.starts) else end)
            self._add(source.text[start:stop], source.origin(start), source.steps[piece])
            start = stop

    def put(self, text: str, place: int) -> None:
        if text:
            last = max(len(self._source.text) - 1, 0)
            self._add(text, self._source.origin(min(place, last)), 0)

    def _add(self, text: str, origin: int, step: int) -> None:
        self._pieces.append(text)
        self._starts.append(self._length)
        self._origins.append(origin)
        self._steps.append(step)
        self._length += len(text)

    def done(self) -> Plain:
        if not self._starts:
            return Plain("", (0,), (0,), (0,))
        return Plain("".join(self._pieces), tuple(self._starts), tuple(self._origins), tuple(self._steps))


def plain_text(answer: str) -> Plain:
    r"""Return an answer as plain text.

    >>> plain_text(r"So \(\frac{x}{2} + 3 = 7\), **hence** $x = 8$.").text
    'So  (x)/(2) + 3 = 7 , hence  x = 8 .'
    >>> plain_text("```python\nx = Symbol('x')\neq = Eq(x + 3, 7)\n```").text.split()
    ['(x', '+', '3)', '=', '7']
    """
    answer = answer[:MAX_CHARACTERS]
    start = _after_thinking(answer)
    source = Plain.of(answer[start:], start)
    spoken = _from_json(source)
    source = spoken if spoken is not None else _read_code(source)
    source = source.sub(_FOLDED, lambda match: _FOLD[match.group()])
    source = source.sub(_QUOTATION, " ")
    source = _plain_marks(source)
    if "\\" in source.text or "$" in source.text:
        source = _plain_latex(source)
    return _plain_markdown(source)


def _after_thinking(answer: str) -> int:
    """Return where the answer proper begins: behind the thoughts, unless nothing follows them."""
    closed = answer.rfind("</think>")
    if closed >= 0 and answer[closed + 8 :].strip():
        return closed + 8
    return 0


_FOLD = {
    "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2003": " ", "\t": "    ", "\r": "", "\u200b": "", "\ufeff": "",
    "−": "-", "–": "-", "—": " -- ", "×": "*", "·": "*", "⋅": "*", "∙": "*", "✕": "*", "✖": "*", "÷": "/", "∕": "/",
    "⁄": "/", "’": "'", "‘": "'", "“": '"', "”": '"', "→": " ; ", "⇒": " ; ", "⟹": " ; ", "➔": " ; ", "=>": " ; ",
    "≅": "≈", "≃": "≈", "∼": "≈", "²": "^2", "³": "^3", "½": " 1/2", "¼": " 1/4", "¾": " 3/4", "⅓": " 1/3",
    "⅔": " 2/3", "⅕": " 1/5", "⅛": " 1/8", "•": "\n- ", "∴": " ; ", "∵": " ; ", "==": "=", "...": " ; ", "…": " ; ",
    "->": " ; ", "≥": "≥", "≤": "≤", ">=": "≥", "<=": "≤", "¢": " cents ", "％": "%", "＝": "=", "（": "(", "）": ")",
    **{chr(0x2080 + digit): str(digit) for digit in range(10)},
}  # fmt: skip
_FOLDED = re.compile("|".join(re.escape(sign) for sign in sorted(_FOLD, key=len, reverse=True)))

_QUOTATION = re.compile(r"(?<![A-Za-z])'|'(?![A-Za-z])|\"")
_MARK = re.compile(r"<<([^<>\n]{1,200}?)=([^<>=\n]{1,60})>>(\s*-?[\d.,]*\d)?")
_MARKED_EQUATION = re.compile(r"\[\[\s*(?:eq|equation)?\s*:?([^\[\]\n]{1,400})\]\]", re.IGNORECASE)
_MARKED_NUMBER = re.compile(r"\[q(\d{1,3})\s*:[^\[\]\n]{0,60}\]", re.IGNORECASE)


def _plain_marks(source: Plain) -> Plain:
    """Take away the marks of calculators and of prompts: ``<<3*4=12>>12``, ``[[eq …]]``, ``[q3: 7]``."""
    text = source.text
    if "<<" in text:

        def unmarked(match: re.Match[str]) -> str:
            before = text[: match.start()].rstrip(" $")
            result = (match.group(3) or match.group(2)).strip()
            worked = match.group(1) if re.search(r"\d\s*[-+*/]", match.group(1)) else ""
            if not before.endswith("="):
                return f" {match.group(1)} = {result}"
            # Behind an equals sign the calculation has been written out already, but perhaps with words in it.
            return f" {result} ; {worked} = {result} ; " if worked else f" {result}"

        source = source.sub(_MARK, unmarked)
    source = source.sub(_MARKED_NUMBER, lambda match: f"q{match.group(1)}")
    return source.sub(_MARKED_EQUATION, lambda match: f"\n{match.group(1)}\n")


# LaTeX

_ENVIRONMENT = re.compile(r"\\(?:begin|end)\{[a-zA-Z*]{1,20}\}(?:\{[^{}]{0,20}\}|\[[^\[\]]{0,20}\])?")
_DELIMITER = re.compile(r"\\[()\[\]]|\$\$")
_NEW_LINE = re.compile(r"\\\\(?:\[[^\]\n]{0,12}\])?")
_SPACING = re.compile(
    r"\\(?:[,;:!> ]|q?quad\b|displaystyle\b|left\b\.?|right\b\.?|[bB]ig+[lrgm]?\b|limits\b|hline\b|tag\*?\{[^{}]*\})|~"
)
_SIGNS = re.compile(
    r"\\(?:cdot|times|div|le(?:q|qslant)?|ge(?:q|qslant)?|approx|sim|simeq|implies|Rightarrow|rightarrow|to|therefore|"
    r"because|quad|pm|mp|ldots|dots|cdots|lt|gt|ne(?:q)?|equiv|colon|land|lor|star|ast|bullet|checkmark|circ|"
    r"longrightarrow|Longrightarrow|iff|Leftrightarrow)(?![A-Za-z])"
)
_SIGN = {
    "cdot": " * ", "times": " * ", "ast": " * ", "div": " / ", "le": " ≤ ", "leq": " ≤ ", "leqslant": " ≤ ",
    "ge": " ≥ ", "geq": " ≥ ", "geqslant": " ≥ ", "approx": " ≈ ", "sim": " ≈ ", "simeq": " ≈ ", "equiv": " = ",
    "lt": " < ", "gt": " > ", "colon": ":", "pm": " ± ", "mp": " ± ",
}  # fmt: skip
_FRACTION = re.compile(r"\\[dtc]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_SHORT_FRACTION = re.compile(r"\\[dtc]?frac\s*(\d)\s*(\d)")
_WORDS = re.compile(
    r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathit|mbox|operatorname|emph|underline|bm|boldsymbol|mathsf|texttt)\s*\{([^{}]*)\}"
)
_BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{([^{}]*)\}")
_ROOT = re.compile(r"\\sqrt\s*(?:\[[^\]]{0,8}\])?\s*\{([^{}]*)\}")
_SUBSCRIPT = re.compile(r"(?<=[A-Za-z])_\{?\s*([A-Za-z0-9]{1,20})\s*\}?")
_POWER = re.compile(r"\^\s*\{([^{}]{1,40})\}")
_BARE_BRACES = re.compile(r"(?<!\\)[{}]")
_ESCAPED = re.compile(r"\\([%$#&_{}])")
_COMMAND = re.compile(r"\\[A-Za-z]+\*?")
_DOLLAR_MATH = re.compile(r"\$(?=[^\s$])([^$\n]{0,300}[^\s$])\$(?!\d)")
"""As Pandoc has it: no blank behind the first sign or before the last, and no digit behind the last."""

BOX_OPEN, BOX_CLOSE = "\x02", "\x03"
"""Stand around what an answer puts into a box."""


def _plain_latex(source: Plain) -> Plain:
    source = source.sub(_ENVIRONMENT, "\n").sub(_NEW_LINE, "\n").sub(_DELIMITER, " ")
    source = source.sub(re.compile(r"\\\$"), " ")
    source = source.sub(
        _DOLLAR_MATH, lambda match: f" {match.group(1)} " if _is_math(match.group(1)) else match.group()
    )
    source = source.sub(_SPACING, " ")
    source = source.sub(_SIGNS, lambda match: _SIGN.get(match.group()[1:], " ; "))
    source = source.sub(re.compile(r"(?<!\\)&"), " ")
    source = source.sub(re.compile(r"\{,\}"), ",")
    for _ in range(_MAX_PASSES):
        before = source
        source = source.sub(_SHORT_FRACTION, lambda m: f"({m.group(1)})/({m.group(2)})")
        source = source.sub(_WORDS, lambda match: f" {match.group(1)} ")
        source = source.sub(_FRACTION, _fraction)
        source = source.sub(_POWER, lambda match: f"^({match.group(1)})")
        source = source.sub(_ROOT, lambda match: f"sqrt({match.group(1)})")
        source = source.sub(_BOXED, lambda match: f"{BOX_OPEN}{match.group(1)}{BOX_CLOSE}")
        source = source.sub(
            _SUBSCRIPT, lambda match: match.group(1) if match.group(1).isdigit() else f"_{match.group(1)}"
        )
        if source is before or source.text == before.text:
            break
    source = source.sub(_ESCAPED, lambda match: match.group(1))
    return source.sub(_BARE_BRACES, " ").sub(_COMMAND, " ")


def _fraction(match: re.Match[str]) -> str:
    above, below = match.groups()
    # A fraction of two numbers is one number, and behind another one a mixed number.
    return f" {above}/{below} " if above.isdigit() and below.isdigit() else f"({above})/({below})"


def _is_math(inside: str) -> bool:
    """Say whether what stands between two dollar signs is a formula, and not the text between two prices."""
    words = re.findall(r"[A-Za-z]{3,}", re.sub(r"\\[A-Za-z]+", "", inside))
    return (len(words) <= 3 or "\\text" in inside) and re.search(r"[=+*/^\\A-Za-z]", inside) is not None


# Markdown

_FENCE = re.compile(r"^[ ]{0,3}(?:```|~~~)[^\n]*$", re.MULTILINE)
_BOLD = re.compile(r"\*\*(?=\S)([^*\n]{1,300}?)(?<=\S)\*\*|__(?=\S)([^_\n]{1,300}?)(?<=\S)__")
_ITALIC = re.compile(
    r"(?<![\w*)\]])\*(?=[A-Za-z])([^*\n=+/]{1,80}?)(?<=[A-Za-z.,:])\*(?![\w*(])"
    r"|(?<![\w_])_(?=[A-Za-z])([^_\n]{1,80}?)_(?![\w_])"
)
_HEADER = re.compile(r"^[ ]{0,3}#{1,6}[ ]+", re.MULTILINE)
_QUOTE = re.compile(r"^[ ]{0,3}>[ ]?", re.MULTILINE)
_BULLET = re.compile(
    r"^[ ]*(?:[-*+•][ ]+(?=\S)|(?:step[ ]+)?\d{1,2}[.)][ ]+(?=\S)|\(\d{1,2}\)[ ]+(?=[^\s*/+=^)-])"
    r"|[a-hA-H][.)][ ]+(?=\S)|[ivx]{1,4}[.)][ ]+(?=\S))",
    re.MULTILINE | re.IGNORECASE,
)
_TABLE_RULE = re.compile(r"^[ ]*\|?[ :|-]*-{2,}[ :|-]*\|?[ ]*$", re.MULTILINE)


def _plain_markdown(source: Plain) -> Plain:
    source = source.sub(_FENCE, "")
    if "|" in source.text:
        source = source.sub(_TABLE_RULE, "").sub(re.compile(r"\|"), " ; ")
    source = source.sub(_BULLET, "")
    source = source.sub(_BOLD, lambda match: match.group(1) or match.group(2))
    source = source.sub(_ITALIC, lambda match: match.group(1) or match.group(2))
    return source.sub(_HEADER, "").sub(_QUOTE, "").sub(re.compile("`"), " ")


# JSON

_JSON_FENCE = re.compile(r"```(?:json)?\s*\n(\s*\{.*?\})\s*\n```", re.DOTALL)
_FIELDS = (
    "equations",
    "equation",
    "derivation",
    "steps",
    "reasoning",
    "solution",
    "answer",
    "solutions",
    "answers",
    "final_answer",
)


def _from_json(source: Plain) -> Plain | None:
    """Return the texts of an answer that is a JSON object, one a line; None if it is none."""
    text = source.text
    stripped = text.strip()
    offset = text.find(stripped)
    if not stripped.startswith("{"):
        fenced = _JSON_FENCE.search(text)
        if fenced is None:
            return None
        stripped, offset = fenced.group(1), fenced.start(1)
    try:
        found = json.loads(stripped)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not any(name in found for name in _FIELDS):
        return None
    builder = _Builder(source)
    for name in _FIELDS:
        final = name in ("answer", "answers", "final_answer")
        for line in _texts(found.get(name), 0):
            place = text.find(line, offset)
            place = offset if place < 0 else place
            shown = f"{BOX_OPEN}{line}{BOX_CLOSE}" if final and "=" not in line else line
            if shown == line and text.startswith(line, place):
                builder.copy(place, place + len(line))
            else:
                builder.put(shown, place)
            builder.put("\n", place)
    return builder.done()


def _texts(value: object, depth: int) -> list[str]:
    if depth > 6:
        return []
    if isinstance(value, str):
        return [value]
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, (int, float)):
        return [repr(value)] if abs(value) < 1e18 else []
    if isinstance(value, list):
        return [text for item in value[:200] for text in _texts(item, depth + 1)]
    if isinstance(value, dict):
        lines = []
        for name, item in list(value.items())[:200]:
            lines += [
                f"{name} = {text}" if re.fullmatch(r"[-\d./]+", text) else text for text in _texts(item, depth + 1)
            ]
        return lines
    return []


# Python

_CODE_FENCE = re.compile(r"```[ \t]*(?:python|py|tool_code)?[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE)
_LOOKS_LIKE_CODE = re.compile(r"^\s*(?:def \w+\(|from sympy|import sympy|import math|print\()", re.MULTILINE)


def _read_code(source: Plain) -> Plain:
    """Return the text with Python code replaced by the equations it states."""
    text = source.text
    spans = [match.span(1) for match in _CODE_FENCE.finditer(text) if len(match.group(1)) <= _MAX_CODE]
    if not spans and _LOOKS_LIKE_CODE.search(text) and len(text) <= _MAX_CODE:
        spans = [(0, len(text))]
    builder = _Builder(source)
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
    symbols: dict[str, str] = {}

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
                text = _written(node.value, symbols)
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
        text = _written(value, symbols)
        if text is not None:
            found.append((f"{target.id} = {text}", place))

    def equations(value: ast.expr, place: int) -> bool:
        """Write down the equations in a call; say whether there were any."""
        before = len(found)
        for node in ast.walk(value):
            if isinstance(node, ast.Call) and _called(node) == "Eq" and len(node.args) == 2:
                sides = [_written(side, symbols) for side in node.args]
                if None not in sides:
                    found.append((f"{sides[0]} = {sides[1]}", place))
        if isinstance(value, ast.Call) and _called(value) in ("solve", "linsolve", "nsolve", "solveset") and value.args:
            first = value.args[0]
            for item in first.elts if isinstance(first, (ast.List, ast.Tuple)) else [first]:
                if isinstance(item, ast.BinOp):
                    text = _written(item, symbols)
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


def _written(node: ast.expr, symbols: dict[str, str], depth: int = 0) -> str | None:
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
        inner = _written(node.operand, symbols, depth + 1)
        return None if inner is None else f"(-{inner})" if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        left = _written(node.left, symbols, depth + 1)
        right = _written(node.right, symbols, depth + 1)
        return None if left is None or right is None else f"({left} {_OPERATORS[type(node.op)]} {right})"
    if isinstance(node, ast.Call) and _called(node) in ("Rational", "Fraction") and len(node.args) == 2:
        above, below = (_written(argument, symbols, depth + 1) for argument in node.args)
        return None if above is None or below is None else f"({above})/({below})"
    if (
        isinstance(node, ast.Call)
        and _called(node) in ("float", "int", "round", "Fraction", "Rational", "Decimal")
        and node.args
    ):
        return _written(node.args[0], symbols, depth + 1)
    return None
