"""Plain text of an answer, with the offset of each character in the original.

Language models write plain text, Markdown, LaTeX, Python and JSON, often in one answer. All of it becomes plain lines
of prose and arithmetic with offsets, so that everything found can be shown where it stands. Nothing is run: LaTeX is
rewritten command by command, Python is read with `ast`, and JSON is decoded. Formulas of algebra.com, ``{{{ … }}}``,
are rewritten without offsets.
"""

from __future__ import annotations

import ast
import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

MAX_CHARACTERS = 60_000  # characters read per text

BOX_OPEN, BOX_CLOSE = "\x02", "\x03"  # stand around what an answer puts into a box

# Typographic signs, each with its typed form; signs that separate, such as an arrow, are not among them.
SIGNS = {
    "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2003": " ", "\r": "", "\u200b": "", "\ufeff": "",
    "−": "-", "–": "-", "×": "*", "·": "*", "⋅": "*", "∙": "*", "✕": "*", "✖": "*", "÷": "/", "∕": "/", "⁄": "/",
    "’": "'", "‘": "'", "“": '"', "”": '"', "≅": "≈", "≃": "≈", "∼": "≈", "²": "^2", "³": "^3", "¢": " cents ",
    # With a blank before it: 2½ is a mixed number, not a product.
    "½": " 1/2", "¼": " 1/4", "¾": " 3/4", "⅓": " 1/3", "⅔": " 2/3", "⅕": " 1/5", "⅛": " 1/8",
    "％": "%", "＝": "=", "（": "(", "）": ")", **{chr(0x2080 + digit): str(digit) for digit in range(10)},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Plain:
    """A text with offsets into the original, piece by piece."""

    text: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]  # the place in the answer that each piece comes from
    steps: tuple[int, ...]  # 1 if a piece runs parallel to the answer, 0 if it stands for one place of it

    @classmethod
    def of(cls, text: str, origin: int = 0) -> Plain:
        """Return a text that is its own origin."""
        return cls(text, (0,), (origin,), (1,))

    def origin(self, place: int) -> int:
        """Return the place in the answer that a place of the plain text comes from."""
        piece = bisect_right(self.starts, place) - 1
        return self.origins[piece] + (place - self.starts[piece]) * self.steps[piece]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the stretch of the answer for a stretch of the plain text."""
        if end <= start:
            return self.origin(start), self.origin(start)
        piece = bisect_right(self.starts, end - 1) - 1
        last = self.origin(end - 1)
        if not self.steps[piece]:
            # The answer has another form here, so the stretch extends to the origin of the next piece.
            for origin in self.origins[piece + 1 : piece + 9]:
                if origin > last:
                    return self.origin(start), origin
        return self.origin(start), last + 1

    def sub(self, pattern: re.Pattern[str], replacement: str | Callable[[re.Match[str]], str]) -> Plain:
        """Return the text with every match replaced.

        A replacement has the offset of the match, but a part of the match in it, or its groups in order, keep theirs.
        """
        builder: PlainBuilder | None = None
        end = 0
        for match in pattern.finditer(self.text):
            if builder is None:
                builder = PlainBuilder(self)
            builder.copy(end, match.start())
            new = replacement if isinstance(replacement, str) else replacement(match)
            inside = match.group().find(new) if len(new) > 1 else -1
            if inside >= 0:
                builder.copy(match.start() + inside, match.start() + inside + len(new))
            else:
                _put_around(builder, match, new)
            end = match.end()
        if builder is None:
            return self
        builder.copy(end, len(self.text))
        return builder.build()


def _put_around(builder: PlainBuilder, match: re.Match[str], new: str) -> None:
    """Add a replacement; the groups of the match that are in it keep their places."""
    at, place = 0, match.start()
    for number, group in enumerate(match.groups(), 1):
        inside = new.find(group, at) if group else -1
        if inside >= 0:
            builder.put(new[at:inside], place)
            builder.copy(match.start(number), match.end(number))
            at, place = inside + len(group), max(match.end() - 1, 0)
    builder.put(new[at:], place)


class PlainBuilder:
    """Builds a plain text from pieces of another."""

    def __init__(self, source: Plain) -> None:
        self._source = source
        self._pieces: list[str] = []
        self._length = 0
        self._starts: list[int] = []
        self._origins: list[int] = []
        self._steps: list[int] = []

    def copy(self, start: int, end: int) -> None:
        """Add a span of the other text, which keeps its offsets."""
        if start >= end:
            return
        source, shift = self._source, self._length - start
        first, last = bisect_right(source.starts, start), bisect_left(source.starts, end)
        self._add(source.text[start:end], source.origin(start), source.steps[first - 1])
        self._starts += [place + shift for place in source.starts[first:last]]
        self._origins += source.origins[first:last]
        self._steps += source.steps[first:last]

    def put(self, text: str, place: int) -> None:
        """Add a new text that comes from a place of the other text."""
        if text:
            last = max(len(self._source.text) - 1, 0)
            self._add(text, self._source.origin(min(place, last)), 0)

    def _add(self, text: str, origin: int, step: int) -> None:
        self._pieces.append(text)
        self._starts.append(self._length)
        self._origins.append(origin)
        self._steps.append(step)
        self._length += len(text)

    def build(self) -> Plain:
        """Return the built text."""
        if not self._starts:
            return Plain("", (0,), (0,), (0,))
        return Plain("".join(self._pieces), tuple(self._starts), tuple(self._origins), tuple(self._steps))


# Python: assignments, ``Eq(…)`` and the arguments of ``solve`` become equations, and a returned value a boxed result.
# Everything else, including f-strings, is ignored.


MAX_CODE = 20_000  # characters per piece of code
_CODE_FENCE = re.compile(r"```[ \t]*+(?:python|py|tool_code)?+[ \t]*+\n(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE)
_LOOKS_LIKE_CODE = re.compile(r"^[^\S\n]*+(?:def \w+\(|from sympy|import sympy|import math|print\()", re.MULTILINE)
# A text without any of these has no code; looking for them is many times faster than the patterns.
_SIGNS_OF_CODE = ("```", "def ", "sympy", "import math", "print(")


def read_code(source: Plain) -> Plain:
    """Return the text with Python code replaced by the equations it states."""
    text = source.text
    if not any(sign in text for sign in _SIGNS_OF_CODE):
        return source
    spans = [match.span(1) for match in _CODE_FENCE.finditer(text) if len(match.group(1)) <= MAX_CODE]
    if not spans and _LOOKS_LIKE_CODE.search(text) and len(text) <= MAX_CODE:
        spans = [(0, len(text))]
    read = [(span, lines) for span in spans if (lines := _equations_of_code(text[slice(*span)])) is not None]
    if not read:
        return source
    builder = PlainBuilder(source)
    end = 0
    for (start, stop), lines in read:
        builder.copy(end, start)
        for line, place in lines:
            builder.put("\n", start + place)
            builder.put(line, start + place)
        builder.put("\n", stop - 1)
        end = stop
    builder.copy(end, len(text))
    return builder.build()


def _equations_of_code(code: str) -> list[tuple[str, int]] | None:
    try:
        tree = ast.parse(_dedent(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    starts = [0]
    for line in code.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    found: list[tuple[str, int]] = []

    def walk(statements: list[ast.stmt]) -> None:
        for node in statements:
            if len(found) >= MAX_LINES:
                return
            place = starts[min(node.lineno - 1, len(starts) - 1)]
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                assign(node.targets[0], node.value, place)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                assign(node.target, node.value, place)
            elif isinstance(node, ast.AugAssign):
                assign(node.target, ast.BinOp(_named(node.target), node.op, node.value), place)
            elif isinstance(node, ast.Expr):
                if not equations(node.value, place):
                    printed(node.value, place)
            elif isinstance(node, (ast.For, ast.While)):
                rounds = _rounds(node) if isinstance(node, ast.For) else 0
                for _ in range(rounds):
                    walk(node.body)
                if not rounds:
                    found.append(("unread_round + unread_round", place))  # a calculation that nobody can follow
            elif isinstance(node, (ast.FunctionDef, ast.If, ast.With)):
                walk(node.body)
            elif isinstance(node, ast.Return) and isinstance(node.value, ast.expr):
                text = _write_code(node.value)
                if text is not None:
                    found.append((f"{BOX_OPEN}{text}{BOX_CLOSE}", place))

    def assign(target: ast.expr, value: ast.expr, place: int) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for one, other in zip(target.elts, value.elts, strict=True):
                assign(one, other, place)
            return
        if not isinstance(target, ast.Name):
            return
        if isinstance(value, ast.Call) and (
            _called(value) in ("Symbol", "symbols", "Var", "Variable") or equations(value, place)
        ):
            return
        text = _write_code(value)
        if text is not None:
            found.append((f"{target.id} = {text}", place))

    def printed(value: ast.expr, place: int) -> None:
        """Add the calculations that a call of print writes."""
        if isinstance(value, ast.Call) and _called(value) == "print":
            for argument in value.args:
                text = _write_code(argument) if isinstance(argument, ast.BinOp) else None
                if text is not None:
                    found.append((text, place))

    def equations(value: ast.expr, place: int) -> bool:
        """Add the equations in a call; return whether there were any."""
        before = len(found)
        for node in ast.walk(value):
            if isinstance(node, ast.Call) and _called(node) == "Eq" and len(node.args) == 2:
                sides = [_write_code(side) for side in node.args]
                if None not in sides:
                    found.append((f"{sides[0]} = {sides[1]}", place))
        if isinstance(value, ast.Call) and _called(value) in ("solve", "linsolve", "nsolve", "solveset") and value.args:
            first = value.args[0]
            for item in first.elts if isinstance(first, (ast.List, ast.Tuple)) else [first]:
                if isinstance(item, ast.BinOp):
                    text = _write_code(item)
                    if text is not None:
                        found.append((f"{text} = 0", place))
            return True
        return len(found) > before

    walk(tree.body)
    return found


def _named(target: ast.expr) -> ast.expr:
    """Return what an augmented assignment changes as it is read."""
    return ast.Name(target.id) if isinstance(target, ast.Name) else ast.Constant(None)


MAX_ROUNDS = 24  # of a loop
MAX_LINES = 400  # equations and calculations of one piece of code


def _rounds(loop: ast.For) -> int:
    """Return how often a loop is run, if that is a number and nothing in it depends on the round; else 0."""
    call, target = loop.iter, loop.target
    if not isinstance(call, ast.Call) or _called(call) != "range" or len(call.args) != 1:
        return 0
    count = call.args[0].value if isinstance(call.args[0], ast.Constant) else None
    used = {node.id for part in loop.body for node in ast.walk(part) if isinstance(node, ast.Name)}
    if not isinstance(count, int) or not isinstance(target, ast.Name) or target.id in used:
        return 0
    return count if 0 < count <= MAX_ROUNDS else 0


def _dedent(code: str) -> str:
    """Return code without a common indent, its lines where they were."""
    lines = code.split("\n")
    depth = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[depth:] for line in lines)


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "^", ast.FloorDiv: "/",
}  # fmt: skip


def _write_code(node: ast.expr, depth: int = 0) -> str | None:
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
        inner = _write_code(node.operand, depth + 1)
        return None if inner is None else f"(-{inner})" if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        left = _write_code(node.left, depth + 1)
        right = _write_code(node.right, depth + 1)
        return None if left is None or right is None else f"({left} {_OPERATORS[type(node.op)]} {right})"
    called = _called(node) if isinstance(node, ast.Call) and node.args else ""
    if isinstance(node, ast.Call) and called in ("Rational", "Fraction") and len(node.args) == 2:
        above, below = (_write_code(argument, depth + 1) for argument in node.args)
        return None if above is None or below is None else f"({above})/({below})"
    if called == "sum" and isinstance(node, ast.Call) and isinstance(node.args[0], (ast.List, ast.Tuple)):
        parts = [_write_code(part, depth + 1) for part in node.args[0].elts]
        return None if not parts or None in parts else f"({' + '.join(map(str, parts))})"
    if isinstance(node, ast.Call) and called in ("float", "int", "round", "Fraction", "Rational", "Decimal"):
        return _write_code(node.args[0], depth + 1)
    return None


# LaTeX: every pattern has bounded repetition, and nested commands are undone from the inside.


# A lookbehind stands after the first character: before it, it would be tried at every character of an answer.
# A blank within a number: always if it is a narrow or fixed one, an ordinary one only before three zeros.
_GROUPS = re.compile(r"[\u00a0\u202f\u2009](?<=\d.)(?=\d{3}(?!\d))| (?=000(?!\d)(?! \d{4}))(?<=\d )")

MAX_PASSES = 12  # nesting depth of commands
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\{[a-zA-Z*]{1,20}\}(?:\{[^{}]{0,20}\}|\[[^\[\]]{0,20}\])?")
_DELIMITER = re.compile(r"\\[()\[\]]|\$\$")
_NEW_LINE = re.compile(r"\\\\(?:\[[^\]\n]{0,12}\])?")
_THOUSANDS = re.compile(r",\\[!,](?<=\d,\\.)(?=\d{3})")
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
_ROOT = re.compile(r"\\sqrt\s*+(?:\[[^\]]{0,8}\])?\s*+\{([^{}]*)\}")
_SUBSCRIPT = re.compile(r"_(?<=[A-Za-z]_)\{?\s*([A-Za-z0-9]{1,20})\s*\}?")
_POWER = re.compile(r"\^\s*\{([^{}]{1,40})\}")
_BARE_BRACES = re.compile(r"[{}](?<!\\.)")
_ESCAPED = re.compile(r"\\([%$#&_{}])")
_COMMAND = re.compile(r"\\[A-Za-z]+\*?")
_ESCAPED_DOLLAR = re.compile(r"\\\$")
_PRICE = "\ue000"  # stands for an escaped dollar sign while the others are looked at
# As Pandoc has it: no blank after the first sign or before the last, and no digit after the last.
_DOLLAR_MATH = re.compile(r"\$(?=[^\s$])([^$\n]{0,300}[^\s$])\$(?!\d)")


def plain_latex(source: Plain) -> Plain:
    """Return a text with its LaTeX written plainly."""
    # A text may come here for its dollar signs alone, which are mostly prices. Nothing below makes a backslash.
    commands = "\\" in source.text
    if commands:
        source = source.sub(_ENVIRONMENT, "\n").sub(_NEW_LINE, "\n")
    source = source.sub(_DELIMITER, " ")
    if commands:
        source = source.sub(_THOUSANDS, ",").sub(_ESCAPED_DOLLAR, _PRICE)
    source = without_dollars(source).sub(_SPACING, " ")
    if _PRICE in source.text:
        source = source.sub(re.compile(_PRICE), "$")
    if commands:
        source = source.sub(_SIGNS, lambda match: _SIGN.get(match.group()[1:], " ; "))
    source = source.sub(re.compile(r"&(?<!\\&)"), " ")
    source = source.sub(re.compile(r"\{,\}"), ",")
    for _ in range(MAX_PASSES):
        before = source
        if commands:
            source = source.sub(_SHORT_FRACTION, lambda m: f"({m.group(1)})/({m.group(2)})")
            source = source.sub(_WORDS, lambda match: f" {match.group(1)} ")
            source = source.sub(_FRACTION, _fraction)
        source = source.sub(_POWER, lambda match: f"^({match.group(1)})")
        if commands:
            source = source.sub(_ROOT, lambda match: f"sqrt({match.group(1)})")
            source = source.sub(_BOXED, lambda match: f"{BOX_OPEN}{match.group(1)}{BOX_CLOSE}")
        source = source.sub(_SUBSCRIPT, lambda match: ("" if match[1].isdigit() else "_") + match[1])
        if source is before or source.text == before.text:
            break
    if commands:
        source = source.sub(_ESCAPED, lambda match: match.group(1))
    source = source.sub(_BARE_BRACES, " ")
    return source.sub(_COMMAND, " ") if commands else source


def without_dollars(source: Plain) -> Plain:
    """Return a text without the dollar signs around formulas; dollar signs of prices stay."""
    return source.sub(_DOLLAR_MATH, lambda match: f" {match.group(1)} " if _is_math(match.group(1)) else match.group())


def _fraction(match: re.Match[str]) -> str:
    above, below = match.groups()
    # A fraction of two numbers is one number, and after another one a mixed number.
    return f" {above}/{below} " if above.isdigit() and below.isdigit() else f"({above})/({below})"


def _is_math(inside: str) -> bool:
    """Decide whether what stands between two dollar signs is a formula, and not the text between two prices."""
    words = re.findall(r"[A-Za-z]{3,}", re.sub(r"\\[A-Za-z]+", "", inside))
    return (len(words) <= 3 or "\\text" in inside) and re.search(r"[=+*/^\\A-Za-z]", inside) is not None


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
    source = spoken if spoken is not None else read_code(source)
    source = source.sub(_GROUPS, "").sub(_FOLDED, lambda match: _FOLD[match.group()])
    if is_foreign(source.text):
        source = source.sub(_DECIMAL_COMMA, ".")
    if "'" in source.text or '"' in source.text:
        source = source.sub(_QUOTATION, " ")
    source = _plain_marks(source)
    if "\\" in source.text or "$" in source.text:
        source = plain_latex(source)
    source = _plain_markdown(source)
    if ":" in source.text:
        source = source.sub(_COLON, _as_division)
    return source.sub(_PART_IS, lambda match: f"{match[1]} = ")


_PART_IS = re.compile(
    r"\b((?:half|(?:a|one) (?:half|third|quarter|fourth|fifth)|two thirds|three (?:quarters|fourths)|twice|double"
    r"|triple)(?: of)? [$€£]?\d{1,15}(?:[.,]\d{1,9}){0,4}) is (?=[$€£]?\d)",
    re.IGNORECASE,
)
"""Matches a part or a multiple of a number that is said to be a number: half of 36 is 18."""


_COLON = re.compile(
    r"((?:(?<![\w.,:/^])[$€£]?\d{1,15}(?:[.,]\d{1,9})?|(?<=\d)\))[ ]*):"
    r"([ ]*(?:[$€£]?\d{1,15}(?:\.\d{1,9})?|\([^()=:\n]{1,80}\))[ ]*=(?![ ]*[$€£]?\d[\d.,]*[ ]*:[ ]*\d))"
)
_NUMBERED = re.compile(
    r"\b(?:step|day|case|eq|equations?|part|answer|question|problem|week|line|no|number|page|option|method|stage|ratio|"
    r"ratio of|ratio is|proportion)[. ]*\Z",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"\d\d?:[0-5]\d[ ]*=")


def _as_division(match: re.Match[str]) -> str:
    """Return a colon between two numbers before an equals sign as a division: 60 : 0.75 = 80.

    A label (Step 2: 60 = 5*12), a ratio and a time (9:15) stay.
    """
    before, after = match[1], match[2]
    one_sided = before.endswith(" ") is not after.startswith(" ")
    is_label = _NUMBERED.search(match.string, max(match.start() - 20, 0), match.start()) is not None
    return match[0] if one_sided or is_label or _CLOCK.fullmatch(match[0]) else f"{before}/{after}"


_TAGS = r"think|thinking|thoughts?|reasoning|reason|scratchpad|analysis"
_THOUGHT_BEGINS = re.compile(rf"<(?:{_TAGS})>|\[THINK\]|◁think▷|<\|begin_of_thought\|>", re.IGNORECASE)
_THOUGHT_ENDS = re.compile(rf"</(?:{_TAGS})>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>", re.IGNORECASE)


def _after_thinking(answer: str) -> int:
    """Return the start of the answer proper: after the thoughts, unless nothing follows them."""
    closed = max((match.end() for match in _THOUGHT_ENDS.finditer(answer)), default=-1)
    return closed if closed >= 0 and answer[closed:].strip() else 0


def is_unfinished_thought(answer: str) -> bool:
    """Decide whether an answer breaks off within a thought, so that it has no result.

    >>> is_unfinished_thought("<think>6*8=48, maybe"), is_unfinished_thought("<think>6*8</think> 48")
    (True, False)
    """
    opened = max((match.start() for match in _THOUGHT_BEGINS.finditer(answer)), default=-1)
    return opened > max((match.start() for match in _THOUGHT_ENDS.finditer(answer)), default=-1)


_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d{1,2}(?!\d))")


def is_foreign(text: str) -> bool:
    """Decide whether a text is written in letters whose words are not read; its numbers and signs are.

    >>> is_foreign("Всего 12 + 3 = 15"), is_foreign("In all 12 + 3 = 15, naïve")
    (True, False)
    """
    return not text.isascii() and 4 * sum(map(str.isalpha, text)) > 5 * sum(
        map(str.isalpha, text.encode("ascii", "ignore").decode())
    )


_FOLD = {
    **SIGNS, "\t": "    ", "—": " -- ", "•": "\n- ", "→": " ; ", "⇒": " ; ", "⟹": " ; ", "➔": " ; ", "=>": " ; ",
    "->": " ; ", "∴": " ; ", "∵": " ; ", "...": " ; ", "…": " ; ", "==": "=", ">=": "≥", "<=": "≤",
}  # fmt: skip
_FOLDED = re.compile("|".join(re.escape(sign) for sign in sorted(_FOLD, key=len, reverse=True)))
_QUOTATION = re.compile(r"'(?<![A-Za-z]')|'(?![A-Za-z])|\"")
_MARK = re.compile(r"<<([^<>\n]{1,200}?)=([^<>=\n]{1,60})>>(\s*-?[\d.,]*\d)?")
_MARKED_EQUATION = re.compile(
    r"\[\[\s*+(?:eq|equation)?+\s*+:?+([^\[\]\n]{1,400})\]\]|\[\[([^\[\]\n]{1,400})\]\]", re.IGNORECASE
)
_MARKED_NUMBER = re.compile(r"\[q(\d{1,3})\s*:[^\[\]\n]{0,60}\]", re.IGNORECASE)


def _plain_marks(source: Plain) -> Plain:
    """Remove the marks of calculators and of prompts: ``<<3*4=12>>12``, ``[[eq …]]``, ``[q3: 7]``."""
    text = source.text
    if "<<" in text:

        def unmarked(match: re.Match[str]) -> str:
            result = (match.group(3) or match.group(2)).strip()
            worked = match.group(1) if re.search(r"\d\s*[-+*/]", match.group(1)) else ""
            if not _follows_equals(text, match.start()):
                return f" {match.group(1)} = {result}"
            # After an equals sign the calculation has been written out already, but perhaps with words in it.
            return f" {result} ; {worked} = {result} ; " if worked else f" {result}"

        source = source.sub(_MARK, unmarked)
    if "[" in source.text:
        source = source.sub(_MARKED_NUMBER, lambda match: f"q{match.group(1)}")
        source = source.sub(_MARKED_EQUATION, lambda match: f"\n{match.group(1) or match.group(2)}\n")
    return source


def _follows_equals(text: str, place: int) -> bool:
    """Decide whether an equals sign stands before a place, blanks and dollar signs aside."""
    while place and text[place - 1] in " $":
        place -= 1
    return place > 0 and text[place - 1] == "="


_FENCE = re.compile(r"^[ ]{0,3}(?:```|~~~)[^\n]*$", re.MULTILINE)
_BOLD = re.compile(r"\*\*(?=\S)([^*\n]{1,300}?)(?<=\S)\*\*|__(?=\S)([^_\n]{1,300}?)(?<=\S)__")
_ITALIC = re.compile(
    r"\*(?=[A-Za-z])(?<![\w*)\]]\*)([^*\n=+/]{1,80}?)(?<=[A-Za-z.,:])\*(?![\w*(])"
    r"|_(?=[A-Za-z])(?<![\w_]_)([^_\n]{1,80}?)_(?![\w_])"
)
# Matches the mark of GSM8K before a result, which is no heading: the number stands alone, or with its unit.
_RESULT = re.compile(
    r"(?<!#)####[ ]*(?=(?:\*\*)?[ ]{0,2}[-−]?[ ]?[$£€]?[ ]?\.?\d[\d,./ ]{0,30}%?"
    r"[ ]{0,3}(?:\*\*)?[A-Za-z$ ]{0,40}\.?[ ]{0,20}$|(?:not|less than|more than) \d)",
    re.MULTILINE,
)

_HEADER = re.compile(r"^[ ]{0,3}#{1,6}[ ]+", re.MULTILINE)
_QUOTE = re.compile(r"^[ ]{0,3}>[ ]?", re.MULTILINE)
_BULLET = re.compile(
    r"^[ ]*(?:[-*+•][ ]+(?=\S)|(?:step[ ]+)?\d{1,2}[.)][ ]+(?=\S)|\(\d{1,2}\)[ ]+(?=[^\s*/+=^)-])"
    r"|[a-hA-H][.)][ ]+(?=\S)|[ivx]{1,4}[.)][ ]+(?=\S))",
    re.MULTILINE | re.IGNORECASE,
)
_DASHES = re.compile(r"(?<=\s)-{2,}(?=[\s(])|-{3,}")
_TABLE_RULE = re.compile(r"^(?=[ :|-]++$)[^\n]*?--[^\n]*+", re.MULTILINE)


def _plain_markdown(source: Plain) -> Plain:
    # A search for a sign is many times faster than one for a pattern, and most answers have few of these signs.
    text = source.text
    if "```" in text or "~~~" in text:
        source = source.sub(_FENCE, "")
    if "|" in text:
        source = source.sub(_TABLE_RULE, "").sub(re.compile(r"\|"), " ; ")
    if "--" in text:
        source = source.sub(_DASHES, " ; ")
    source = source.sub(_BULLET, "")
    if "*" in text or "_" in text:
        source = source.sub(_BOLD, lambda match: match.group(1) or match.group(2))
        source = source.sub(_ITALIC, lambda match: match.group(1) or match.group(2))
    if "#" in text:
        source = source.sub(_RESULT, "\nAnswer: ").sub(_HEADER, "")
    if ">" in text:
        source = source.sub(_QUOTE, "")
    return source.sub(re.compile("`"), " ") if "`" in text else source


# JSON

_JSON_OPENS = re.compile(r"```(?:json)?+(?=\s*+\{)\s*\n([^\S\n]*+\{)")
_JSON_CLOSES = re.compile(r"\}\s*\n```")
_FIELDS = (
    "equations", "equation", "derivation", "steps", "reasoning", "solution", "answer", "solutions", "answers",
    "final_answer",
)  # fmt: skip


def _from_json(source: Plain) -> Plain | None:
    """Return the strings of an answer that is a JSON object, one per line; None if it is not one."""
    text = source.text
    stripped = text.strip()
    offset = text.find(stripped)
    if not stripped.startswith("{"):
        opens = _JSON_OPENS.search(text)
        closes = _JSON_CLOSES.search(text, opens.end()) if opens else None
        if opens is None or closes is None:
            return None
        offset = opens.start(1)
        stripped = text[offset : closes.start() + 1]
    try:
        found = json.loads(stripped)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not any(name in found for name in _FIELDS):
        return None
    builder = PlainBuilder(source)
    for name in _FIELDS:
        final = name in ("answer", "answers", "final_answer")
        for line in _texts(found.get(name), 0):
            place = text.find(line, offset)
            place = offset if place < 0 else place
            boxed = final and "=" not in line
            builder.put(BOX_OPEN if boxed else "", place)
            if text.startswith(line, place):
                builder.copy(place, place + len(line))
            else:
                builder.put(line, place)
            builder.put(f"{BOX_CLOSE}\n" if boxed else "\n", place)
    return builder.build()


def _texts(value: object, depth: int) -> list[str]:
    if depth > 6:
        return []
    if isinstance(value, str):
        return [value]
    if isinstance(value, (int, float)):
        return [repr(value)] if abs(value) < 1e18 and not isinstance(value, bool) else []
    if isinstance(value, list):
        return [text for item in value[:200] for text in _texts(item, depth + 1)]
    if isinstance(value, dict):
        texts = [(name, text) for name, item in list(value.items())[:200] for text in _texts(item, depth + 1)]
        return [f"{name} = {text}" if re.fullmatch(r"[-\d./]+", text) else text for name, text in texts]
    return []


# Formulas of algebra.com: marks that only change the look are dropped, ``system(a=b, c=d)`` and the rows of
# ``matrix(…)`` become equations separated by ``;``, and a word replaces a crossed-out factor, so that no equation is
# read across it.


CROSSED = "crossedout"  # the word that replaces a crossed-out factor
MAX_FORMULA = 2_000  # characters per formula
MAX_CALLS = 20  # calls of one function per formula
_FORMULA = re.compile(r"\{\{\{(.*?)\}\}\}", re.DOTALL)
_LOOKS = re.compile(r"\b(?:highlight\w*|red|green|blue|black|brown|orange|purple|pink|large|small)\s*\(", re.IGNORECASE)
_CROSS = re.compile(r"\bcross\s*\(", re.IGNORECASE)
_DRAWING = re.compile(r"\b(?:graph|drawing|number_line|plot|circle|line|locate)\s*\(", re.IGNORECASE)
_SYSTEM = re.compile(r"\bsystem\s*\(", re.IGNORECASE)
_MATRIX = re.compile(r"\bmatrix\s*\(", re.IGNORECASE)
_CALL = re.compile(r"\w\w\s*\(")  # stands in every formula with a call
_PLAIN_SUBSCRIPT = re.compile(r"(?<![A-Za-z])([A-Za-z])\[\s*(\w{1,4})\s*\]")
_MIXED = re.compile(r"(?<![\d.])(\d+)\s*&\s*(\d+\s*/\s*\d+)")
_TIGHT_BEFORE, _TIGHT_AFTER = ("*", "/", ")"), ("*", "/", "^", "(")


@lru_cache(maxsize=16)
def plain_formulas(text: str) -> str:
    """Return a text with every formula written as plain text; cached, because a filter asks before the reader does.

    >>> plain_formulas('{{{1/5}}}{{{""+""}}}{{{1/x}}} = {{{highlight(4&2/3)}}}').split()
    ['1/5', '+', '1/x', '=', '4', '2/3']
    >>> plain_formulas("{{{system(x+y=10, d[1]=2y)}}}").strip()
    'x+y=10 ; d1=2y'
    """
    pieces: list[str] = []
    position = 0
    # Up to the last end of a formula: after it, searching the end of each beginning would be useless.
    for match in _FORMULA.finditer(text, 0, text.rfind("}}}") + 3):
        between = text[position : match.start()]
        formula = plain_formula(match.group(1))
        after = text[match.end() : match.end() + 1]
        if pieces and "=" in formula and not between.strip(" ") and "=" in pieces[-1]:
            between = " ; "  # two equations side by side
        before = (pieces[-1] + between)[-1:] if pieces else between[-1:]
        tight = before in _TIGHT_BEFORE or after in _TIGHT_AFTER or before.isalnum() or after.isalnum()
        if tight and _is_sum(formula):
            formula = f"{CROSSED} {formula} {CROSSED}"  # the factor next to it may belong to a part of the sum
        pieces += between, f" {formula} "
        position = match.end()
    return "".join([*pieces, text[position:]])


def _is_sum(formula: str) -> bool:
    """Decide whether a formula, no equation, has a plus or minus outside of brackets."""
    depth = 0
    for position, sign in enumerate(formula):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(sign, 0)
        if sign in "+-" and depth == 0 and formula[:position].strip(" +-"):
            return "=" not in formula and bool(formula[position + 1 :].strip())
    return False


def plain_formula(formula: str) -> str:
    """Return the text between the braces as plain text; `CROSSED` if it is too long."""
    if len(formula) > MAX_FORMULA:
        return CROSSED
    text = formula
    if _CALL.search(formula):
        if any(len(name.findall(formula)) > MAX_CALLS for name in (_DRAWING, _CROSS, _LOOKS, _SYSTEM, _MATRIX)):
            return CROSSED
        text = _replace_calls(text, _DRAWING, lambda _: " ")
        text = _replace_calls(text, _CROSS, lambda _: f" {CROSSED} ")
        text = _replace_calls(text, _LOOKS, lambda inner: inner)
        text = _replace_calls(text, _SYSTEM, lambda inner: " ; ".join(part.strip() for part in _split(inner)))
        text = _replace_calls(text, _MATRIX, _matrix_rows)
    text = text.replace('"', " ")
    text = _PLAIN_SUBSCRIPT.sub(lambda m: m.group(1) + ("" if m.group(2).isdigit() else "_") + m.group(2), text)
    return _MIXED.sub(r" \1 \2", text).strip()


def _replace_calls(text: str, name: re.Pattern[str], replace: Callable[[str], str]) -> str:
    """Replace each call of a function by `replace` of its argument."""
    position = 0
    while (match := name.search(text, position)) is not None:
        end = _closing(text, match.end())
        new = replace(text[match.end() : end])
        text = text[: match.start()] + new + text[end + 1 :]
        position = match.start()  # calls may be nested
    return text


def _closing(text: str, start: int) -> int:
    """Return the end of the bracket opened before `start`, or of the text."""
    depth = 1
    for position in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if depth == 0:
            return position
    return len(text)


def _split(text: str) -> list[str]:
    """Cut at the commas that stand in no bracket."""
    parts, depth, start = [], 0, 0
    for position, sign in enumerate(text):
        if sign in "([":
            depth += 1
        elif sign in ")]":
            depth -= 1
        elif sign == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]]


def _matrix_rows(inner: str) -> str:
    entries = [entry.strip().strip('"').strip() for entry in _split(inner)]
    if len(entries) < 3 or not (entries[0].isdigit() and entries[1].isdigit()) or not int(entries[1]):
        return f" {CROSSED} "
    columns, cells = int(entries[1]), entries[2:]
    return " ; ".join(" ".join(cells[start : start + columns]) for start in range(0, len(cells), columns))
