"""Segments of an explanation, each with at most one equation, without labels and decoration.

Lines are joined if one ends with, or the next begins with, an operator or ``=``. Then each is cut at arrows, bars,
leaders of dots or dashes, semicolons, colons, commas that are not in numbers, and full stops that are not decimal
points. A label is removed only if it cannot be a factor: after a leader, as ``eq.1``, or where the labels (1), (2), …
follow each other. If both are possible, as in ``= .30 (9)`` and ``= 45 (1)``, the segment has both readings, and the
other statements decide. Every pattern takes linear time: no two of its parts can share a run of blanks or letters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from draw_dataset.reading.plain import SIGNS, Plain, plain_formulas, plain_latex, without_dollars
from draw_dataset.text.tokens import Spotter

UNREADABLE = "unreadable layout"
MAX_SEGMENT = 1_000  # characters per segment; no real equation is that long
_REMARK = "\x02"  # replaces a remark in brackets or a label that was removed
# Begins a piece whose first digit follows a leader of dots: the last of them may be a decimal point, as in ....05x.
_MAYBE_POINT = "\x01"
_FOLD = str.maketrans({
    **SIGNS, "\t": "   ", "—": "--", "•": "*", "→": " --> ", "⇒": " ==> ", "⟹": " ==> ", "➔": " --> ",
})  # fmt: skip
# Only from the beginning of a word on: from within a long one, each letter would look for its @ again.
_ADDRESS = re.compile(r"(?<!\S)\S+@\S+|(?:https?://|www\.)\S+", re.IGNORECASE)
_LATEX = re.compile(r"\\(?:[()\[\]]|[A-Za-z]{2})")
_RULE = re.compile(r"^[\s=\-_*~+.|#]*$")
_NAMED_LABEL = Spotter.of(
    r"[(\[{]?\b(?:eqs?|eqns?|equations?|step|no|line|part)\b\.?\s*+#?\s*+[(\[{]?\s*+(?:\d{1,2}|[ivx]{1,3}|[A-E])\s*[)\]}]*"
    r"(?![\w.=+*/^-])"
    r"|#\s*\d{1,2}(?![\w.])",
    "eq step no line part #",
)
_NAMED_LABEL_BEFORE_DASH = re.compile(
    r"\b(?:eqs?|eqns?|equations?)\b\.?\s*+#?\s*+[(\[{]?\s*+\d{1,2}\s*+[)\]}]?\s*+-\s", re.IGNORECASE
)
_CUT = re.compile(
    r"={1,}>+|<?-{1,}>+|<[-=]{2,}|~+>+|>{2,}|-{2,}|~{2,}|={2,}|\.{2,}|…|[|;?!\"\\`\x02\x03]|\s\*{2,}\s"
    r"|(?<=[A-Za-z]{2}):|:(?=\s|$)"  # not the colon of a ratio
    r"|(?<!\d),|,(?!\s?\d)|,(?=\s\d)(?!\s\d{3}(?!\d))"  # not a comma within a number: 1,000 or 10, 000 or 0,5
    r"|\.(?=\s|$)|(?<=[A-Za-z])\.(?!\d)"
)
_SAYS_SOMETHING = re.compile("[=≈<>≤≥≠]")
_TWO_EQUATIONS = re.compile(r"([^=]*=[^=]*\d),(\d[^=]*=[^=]*)")
_COLUMNS = re.compile(r"(?<=[\w)\]%]) {3,}(?=[\w(\[.$-])")
_UNREADABLE_LINE = re.compile(
    r"^\s*-{2,}\s*[=+*/]|[=+*/]\s*-{2,}(?!>)(?!\s*\()|_{3,}"  # a fraction drawn over three lines
    r"|[\w)]\s*:\s*[\w(.]+\s*=\s*[\w(.]+\s*:\s*[\w(.]"  # a ratio
    r"|(?:^|[=+*/(-])\s*\.\s+\d"  # a decimal point with a blank after it
)
_MAY_BE_UNREADABLE = re.compile(r"--|___|:|\.\s")  # stands in every line that cannot be read
_OPENING_LABEL = re.compile(
    r"^\s*+(?P<bracket>[(\[{<])?\s*+(?P<name>\d{1,2}|[ivIV]{1,3}|[A-Ea-e])\s*(?(bracket)[)\]}>]|\))\s+(?=(?P<next>.))"
)
_BEGINS_EQUAL, _ENDS_OPERAND = re.compile(r"\s*=(?![=>])"), re.compile(r"[\w)\]%]$")
_OPEN_END, _BEGINS_OPERAND = re.compile(r"[\w)\]%]\s*[=+*/]$"), re.compile(r"\s*[\w.($\[-]")
_JOINS = ("=", "+", "*", "/")
_BRACES = str.maketrans("{}", "()")
_SERIES = ("123456789", "abcde", "ABCDE", ("i", "ii", "iii", "iv"))
_BULLET = re.compile(r"^\s*(?:[*#]+|o)\s+(?=\S)|^\s*[*#]+\s*(?=[\d.$(A-Za-z-])")
_DASH_BULLET = re.compile(r"^\s*[-+]\s+(?=\S)")
_CLOSING_LABEL = re.compile(r"^(.*[\w)\]])(\s*)([(\[{<])\s*(\d{1,2}|[A-E]|[ivIV]{1,3})\s*[)\]}>]\s*$")
_OPERATOR = re.compile(r"\s*(?:[+*/^)]|=(?!=*>))")
_MINUS = re.compile(r"\s*-\s*(?:[\d.($\[]|[A-Za-z](?![A-Za-z]))")
_COMMENT = re.compile(
    r"\"[^\"=]{0,80}\"|"
    # Right after an operand, as in 2(the width), it is a factor.
    r"(?<![\w)])\(\s*+(?:[A-Za-z]{2}|I\b)[^()=]*\)|(?<![\w)])\((?=[^()=]*[A-Za-z]{4}\s+[A-Za-z]{3})[^()=]*\)"
    r"|\[\s*+[A-Za-z]{3}[^\[\]=]*\]"
)


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment of an explanation."""

    text: str
    line: int
    readings: tuple[str, ...]  # texts without decoration; several if that is not certain
    note: str = ""  # reason if it cannot be read
    doubt: str = ""  # reason if it may not be a segment of its own


def fold_text(text: str) -> str:
    """Return a text with typographic signs written plainly, without addresses."""
    text = text.translate(_FOLD)
    # Most texts have no address, and these searches are faster than the pattern.
    return _ADDRESS.sub(" ", text) if "@" in text or "://" in text or "www." in text.lower() else text


def segments(explanation: str) -> list[Segment]:
    """Return the segments of an explanation that hold an equals sign or an inequality.

    >>> [s.readings for s in segments("(1) x + y = 10 ==> y = 10 - x ....(2)")]
    [('x + y = 10', '(1)x + y = 10'), ('y = 10 - x',)]
    >>> [s.readings for s in segments("x = .25(10)")]
    [('x = .25(10)',)]
    """
    source = Plain.of(plain_formulas(explanation))
    source = plain_latex(source) if _LATEX.search(source.text) else without_dollars(source)
    lines = _join_lines(fold_text(source.text).split("\n"))
    labels = _Labels.of([line for _, line in lines])
    found = []
    for number, line in lines:
        if "=" in line and _is_unreadable(line):
            found.append(Segment(line.strip(), number, (), UNREADABLE))
            continue
        for piece in _pieces(line):
            if len(piece) > MAX_SEGMENT:
                if "=" in piece:
                    found.append(Segment(piece[:MAX_SEGMENT].strip(), number, (), "too long"))
                continue
            if not _SAYS_SOMETHING.search(piece):
                continue
            parts = _TWO_EQUATIONS.fullmatch(piece) if "," in piece else None
            doubt = "the comma may be a decimal comma" if parts else ""
            found += [
                Segment(part.strip().strip(_MAYBE_POINT), number, _readings(part, labels), doubt=doubt)
                for part in (parts.groups() if parts else (piece,))
                if _SAYS_SOMETHING.search(part)
            ]
    return found


def _join_lines(lines: list[str]) -> list[tuple[int, str]]:
    """Join lines that hold one equation."""
    joined: list[tuple[int, str]] = []
    for number, line in enumerate(lines):
        if not line.strip() or (_RULE.match(line) and line.strip() != "="):
            continue
        previous = joined[-1] if joined and len(joined[-1][1]) <= MAX_SEGMENT else None
        if previous is not None:
            before = previous[1].rstrip()
            continues = _BEGINS_EQUAL.match(line) and _ENDS_OPERAND.search(before, len(before) - 1)
            open_end = before[-1:] in _JOINS and _OPEN_END.search(before) and _BEGINS_OPERAND.match(line)
            if (continues or open_end) and not _is_unreadable(line) and not _is_unreadable(previous[1]):
                joined[-1] = (previous[0], f"{before} {line.strip()}")
                continue
        joined.append((number, line))
    return joined


def _is_unreadable(line: str) -> bool:
    return bool(_MAY_BE_UNREADABLE.search(line) and _UNREADABLE_LINE.search(line))


def _pieces(line: str) -> list[str]:
    if _NAMED_LABEL.may_find(line):
        line = _NAMED_LABEL_BEFORE_DASH.sub(" ; ", line)
        line = _NAMED_LABEL.pattern.sub(f" {_REMARK} ", line)
    if "(" in line or "[" in line or '"' in line:
        line = _COMMENT.sub(f" {_REMARK} ", line)
    pieces: list[str] = []
    start, begun = 0, ""
    for match in _CUT.finditer(line):
        if _goes_on(match.group(), line, match.end()):
            continue
        pieces.append(begun + line[start : match.start()])
        start = match.end()
        begun = _MAYBE_POINT if match.group().startswith("..") and line[start : start + 1].isdigit() else ""
    return [column for piece in [*pieces, begun + line[start:]] for column in _columns(piece)]


def _columns(piece: str) -> list[str]:
    """Cut where several blanks stand between two equations."""
    if "   " not in piece:
        return [piece]
    columns = _COLUMNS.split(piece)
    return columns if all("=" in column.strip("= ") for column in columns) else [piece]


def _goes_on(cut: str, line: str, end: int) -> bool:
    """Decide whether an equation continues after a cut, so that the part before would be half of it."""
    if cut.endswith(">"):
        return False
    return bool(_OPERATOR.match(line, end) or (cut == _REMARK and _MINUS.match(line, end)))


@dataclass(frozen=True, slots=True)
class _Labels:
    """The labels that count 1, 2, … or a, b, … at the beginnings and at the ends of lines."""

    opening: frozenset[str]
    closing: frozenset[str]

    @classmethod
    def of(cls, lines: list[str]) -> _Labels:
        equations = [line for line in lines if "=" in line]
        begins = [match.group("name") for line in equations if (match := _OPENING_LABEL.match(line))]
        ends = [match.group(4) for line in equations if (match := _CLOSING_LABEL.match(line))]
        return cls(_series(begins), _series(ends))


def _series(found: list[str]) -> frozenset[str]:
    """Return the names that count from the first on, at least two of them and each once."""
    for series in _SERIES:
        length = 0
        while length < len(series) and found.count(series[length]) == 1:
            length += 1
        if length >= 2:
            return frozenset(series[:length])
    return frozenset()


def _readings(piece: str, labels: _Labels) -> tuple[str, ...]:
    """Return the possible texts of a piece without bullets and labels."""
    if piece.startswith(_MAYBE_POINT):
        return _readings(piece[1:], labels) + _readings(f".{piece[1:]}", labels)
    if piece.count("{") > piece.count("}"):
        piece = piece.replace("{", " ", 1)  # the brace of a system, drawn at every line
    options = [piece.strip()]
    if bullet := _BULLET.match(piece):
        options = [piece[bullet.end() :].strip()]
    elif dash := _DASH_BULLET.match(piece):
        options = [piece.strip(), piece[dash.end() :].strip()]
    opened: list[str] = []
    for option in options:
        label = _OPENING_LABEL.match(option)
        if label is None or label.group("next") in "*/^=)":
            opened.append(option)  # no label, or an operand
        elif label.group("bracket") and (label.group("next") in "+-(" or label.group("name") not in labels.opening):
            rest = option[label.end() :]
            opened += [rest, option[: label.end()].rstrip() + rest]  # (2) x = 10 may be a product
        else:
            opened.append(option[label.end() :])
    closed = [reading for option in opened for reading in _without_closing_label(option, labels)]
    return tuple(dict.fromkeys(option.translate(_BRACES) for option in closed if option))


def _without_closing_label(option: str, labels: _Labels) -> list[str]:
    label = _CLOSING_LABEL.match(option)
    if label is None:
        return [option]
    body, blanks, bracket, name = label.groups()
    if "=" not in body or not re.search(r"[=+*/-]\s*\S", body):
        return [option]
    if not blanks and name not in labels.closing:
        return [option]  # .25(10)
    if blanks and (bracket != "(" or (len(blanks) > 2 and name in labels.closing)):
        return [body]
    option = f"{body}({name})"  # glued, as a blank would make it a remark
    # .30 (9) is a product and x + y = 45 (1) is not: the other statements decide.
    return [body, option] if name in labels.closing or not name.isdigit() else [option, body]
