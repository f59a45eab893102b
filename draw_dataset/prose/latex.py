r"""LaTeX as plain text, command by command.

Commands that only change the look are dropped; fractions, signs and environments are written plainly. Every pattern has
bounded repetition, and nested commands are undone from the inside, at most `MAX_PASSES` deep.
"""

from __future__ import annotations

import re

from draw_dataset.prose.plain import BOX_CLOSE, BOX_OPEN, Plain

MAX_PASSES = 12
"""How deep commands may stand in each other."""

_ENVIRONMENT = re.compile(r"\\(?:begin|end)\{[a-zA-Z*]{1,20}\}(?:\{[^{}]{0,20}\}|\[[^\[\]]{0,20}\])?")
_DELIMITER = re.compile(r"\\[()\[\]]|\$\$")
_NEW_LINE = re.compile(r"\\\\(?:\[[^\]\n]{0,12}\])?")
_THOUSANDS = re.compile(r"(?<=\d),\\[!,](?=\d{3})")
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
_SUBSCRIPT = re.compile(r"(?<=[A-Za-z])_\{?\s*([A-Za-z0-9]{1,20})\s*\}?")
_POWER = re.compile(r"\^\s*\{([^{}]{1,40})\}")
_BARE_BRACES = re.compile(r"(?<!\\)[{}]")
_ESCAPED = re.compile(r"\\([%$#&_{}])")
_COMMAND = re.compile(r"\\[A-Za-z]+\*?")
_DOLLAR_MATH = re.compile(r"\$(?=[^\s$])([^$\n]{0,300}[^\s$])\$(?!\d)")
"""As Pandoc has it: no blank after the first sign or before the last, and no digit after the last."""


def plain_latex(source: Plain) -> Plain:
    """Return a text with its LaTeX written plainly."""
    # A text may come here for its dollar signs alone, which are mostly prices. Nothing below makes a backslash.
    commands = "\\" in source.text
    if commands:
        source = source.sub(_ENVIRONMENT, "\n").sub(_NEW_LINE, "\n")
    source = source.sub(_DELIMITER, " ")
    if commands:
        source = source.sub(_THOUSANDS, ",").sub(re.compile(r"\\\$"), " ")
    source = without_dollars(source).sub(_SPACING, " ")
    if commands:
        source = source.sub(_SIGNS, lambda match: _SIGN.get(match.group()[1:], " ; "))
    source = source.sub(re.compile(r"(?<!\\)&"), " ")
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
        source = source.sub(
            _SUBSCRIPT, lambda match: match.group(1) if match.group(1).isdigit() else f"_{match.group(1)}"
        )
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
    """Say whether what stands between two dollar signs is a formula, and not the text between two prices."""
    words = re.findall(r"[A-Za-z]{3,}", re.sub(r"\\[A-Za-z]+", "", inside))
    return (len(words) <= 3 or "\\text" in inside) and re.search(r"[=+*/^\\A-Za-z]", inside) is not None
