"""Formats: an answer as plain text, whatever it is written in, and the place of each character.

Language models write plain text, Markdown, LaTeX, Python and JSON, often in one answer. All of it becomes plain lines
of prose and arithmetic, and each character of the result keeps its place in the answer. So everything that is found can
be shown where it stands. Nothing is run: LaTeX is rewritten command by command, Python is read with `ast`, JSON is
decoded.
"""

from __future__ import annotations

import json
import re

from draw_dataset.prose.code import read_code
from draw_dataset.prose.latex import plain_latex
from draw_dataset.prose.plain import BOX_CLOSE, BOX_OPEN, MAX_CHARACTERS, SIGNS, Plain, PlainBuilder


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
    source = source.sub(_FOLDED, lambda match: _FOLD[match.group()])
    if "'" in source.text or '"' in source.text:
        source = source.sub(_QUOTATION, " ")
    source = _plain_marks(source)
    if "\\" in source.text or "$" in source.text:
        source = plain_latex(source)
    return _plain_markdown(source)


def _after_thinking(answer: str) -> int:
    """Return where the answer proper begins: after the thoughts, unless nothing follows them."""
    closed = answer.rfind("</think>")
    if closed >= 0 and answer[closed + 8 :].strip():
        return closed + 8
    return 0


def is_unfinished_thought(answer: str) -> bool:
    """Say whether an answer breaks off within a thought, so that it has no result.

    >>> is_unfinished_thought("<think>6*8=48, maybe"), is_unfinished_thought("<think>6*8</think> 48")
    (True, False)
    """
    return answer.rfind("<think>") > answer.rfind("</think>")


_FOLD = {
    **SIGNS, "\t": "    ", "—": " -- ", "•": "\n- ", "→": " ; ", "⇒": " ; ", "⟹": " ; ", "➔": " ; ", "=>": " ; ",
    "->": " ; ", "∴": " ; ", "∵": " ; ", "...": " ; ", "…": " ; ", "==": "=", ">=": "≥", "<=": "≤",
}  # fmt: skip
_FOLDED = re.compile("|".join(re.escape(sign) for sign in sorted(_FOLD, key=len, reverse=True)))

_QUOTATION = re.compile(r"(?<![A-Za-z])'|'(?![A-Za-z])|\"")
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
    """Say whether an equals sign stands before a place, blanks and dollar signs aside."""
    while place and text[place - 1] in " $":
        place -= 1
    return place > 0 and text[place - 1] == "="


_FENCE = re.compile(r"^[ ]{0,3}(?:```|~~~)[^\n]*$", re.MULTILINE)
_BOLD = re.compile(r"\*\*(?=\S)([^*\n]{1,300}?)(?<=\S)\*\*|__(?=\S)([^_\n]{1,300}?)(?<=\S)__")
_ITALIC = re.compile(
    r"(?<![\w*)\]])\*(?=[A-Za-z])([^*\n=+/]{1,80}?)(?<=[A-Za-z.,:])\*(?![\w*(])"
    r"|(?<![\w_])_(?=[A-Za-z])([^_\n]{1,80}?)_(?![\w_])"
)
_RESULT = re.compile(
    r"(?<!#)####[ ]*(?=(?:\*\*)?[ ]{0,2}[-−]?[ ]?[$£€]?[ ]?\.?\d[\d,./ ]{0,30}%?"
    r"[ ]{0,3}(?:\*\*)?[A-Za-z$ ]{0,40}\.?[ ]{0,20}$)",
    re.MULTILINE,
)
"""Matches the mark of GSM8K before a result, which is no heading: the number stands alone, or with its unit."""

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
