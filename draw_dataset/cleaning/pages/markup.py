"""The question: what does a page say, line by line, if its markup is taken away but its formulas are kept.

One pass of one regular expression over the source. Comments, scripts, styles and the head are ignored; ``<br>``,
and the beginning and end of paragraphs, rows and headings, end a line; cells are kept apart by blanks; superscripts
become ``^2`` and subscripts part of their name; an image of a formula becomes ``{{{ … }}}`` again. Blanks are joined
except inside ``<pre>``, where tables are drawn with them. Broken markup costs nothing but itself: a ``<`` that opens
no tag is a character, an unclosed element is simply not closed.
"""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import unquote_plus

_PIECE = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(?P<skip>script|style|title|select|noscript)\b[^>]{0,2000}>.*?(?:</(?P=skip)\s*>|\Z)"
    r"|<(?P<name>/?[a-zA-Z][a-zA-Z0-9]*)(?P<attributes>(?:[^<>\"']|\"[^\"]*\"|'[^']*')*)>"
    r"|<[!?][^>]*>",
    re.DOTALL | re.IGNORECASE,
)
_PREFORMATTED = re.compile(r"<pre\b[^>]*>(.*?)(?:</pre\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_ALT = re.compile(r"""\balt\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", re.IGNORECASE)
_SRC = re.compile(r"""\bsrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", re.IGNORECASE)
# All but a blank by itself, which stays as it is.
_BLANKS = re.compile(r"[\t\r\f\v\u00a0\n][ \t\r\f\v\u00a0\n]*| [ \t\r\f\v\u00a0\n]+")
_LINES = "br p div tr table h1 h2 h3 h4 h5 h6 li ul ol hr blockquote center dt dd form tbody"
_WRITTEN = {
    **{prefix + name: "\n" for name in _LINES.split() for prefix in ("", "/")},
    **dict.fromkeys(("td", "th", "/td", "/th"), "   "),
    "sup": "^",
}
"""What is written where an element begins or, with a slash, ends; nothing for all others."""
_FORMULA = "\x00"
"""Stands for a formula until the rest of the text is unescaped."""
_ENTRY = re.compile(r"expression=([^&]*)")
_ENCODED = re.compile(r"%[0-9A-Fa-f]{2}|^\+|\+$|\+=|=\+")


def text_of(source: str) -> str:
    r"""Return the text of a page, its formulas between three braces.

    >>> text_of('<p>Let <b>x</b> = 5<br>2x<sup>2</sup> &lt; 9 <img src="plot-formula.mpl?expression=x%2B1"></p>')
    'Let x = 5\n2x^2 < 9 {{{x+1}}}'
    """
    formulas: list[str] = []

    def written(match: re.Match[str]) -> str:
        name = match.group("name")
        if name is None:
            return ""
        name = name.lower()
        if name == "img":
            formula = _image(match.group("attributes"))
            if formula:
                formulas.append(formula)
                return _FORMULA
            return ""
        return _WRITTEN.get(name, "")

    pieces = []
    for place, part in enumerate(_PREFORMATTED.split(source.replace(_FORMULA, ""))):
        if place % 2:
            pieces += ["\n", _PIECE.sub(written, part.replace("\r", "")), "\n"]
        else:
            # Blanks at the beginning of a line are those of the source, not of the tutor.
            pieces.append(_PIECE.sub(written, _BLANKS.sub(" ", part)).replace("\n ", "\n"))
    text = unescape("".join(pieces))
    if formulas:
        around = text.split(_FORMULA)
        text = around[0] + "".join(f"{{{{{{{f}}}}}}}{rest}" for f, rest in zip(formulas, around[1:], strict=True))
    return "\n".join(line.rstrip() for line in text.split("\n") if line.strip()).strip("\n")


def decode_formula(alternative: str, source: str = "") -> str:
    """Return the formula behind an image: from its address, else from its alternative text; empty if there is none.

    An address is always encoded; an alternative text is taken for encoded only where it cannot be plain, since ``x+y``
    is a sum in one and a product in the other.

    >>> decode_formula("+a+%2B+b+=+5+")
    'a + b = 5'
    >>> decode_formula("", "/cgi-bin/plot-formula.mpl?expression=x%2F5+=+3&x=0003")
    'x/5 = 3'
    >>> decode_formula("x+y=5"), decode_formula("+x+=+5+")
    ('x+y=5', 'x = 5')
    """
    found = _ENTRY.search(source)
    if found:
        return " ".join(unquote_plus(found.group(1)).split())
    text = alternative.strip()
    if " " not in text and _ENCODED.search(text):
        text = unquote_plus(text)
    return " ".join(text.split())


def _image(attributes: str) -> str:
    source = _attribute(_SRC, attributes)
    alternative = _attribute(_ALT, attributes)
    if "plot-formula" not in source and "expression=" not in source:
        return ""
    return decode_formula(alternative, source)


def _attribute(pattern: re.Pattern[str], attributes: str) -> str:
    found = pattern.search(attributes)
    return unescape(next((group for group in found.groups() if group is not None), "")) if found else ""
