"""Parser of question pages: bytes to text, HTML to lines, lines to a question and its explanations.

Valid UTF-8 is UTF-8. Other bytes are read as declared if that is a known encoding other than UTF-8 and Latin-1, else as
Windows-1252, and so are stray bytes in a UTF-8 page. ftfy repairs text that was decoded wrongly before it was stored.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from html import unescape
from urllib.parse import unquote_plus

from draw_dataset.errors import ExtraMissing

_META = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
_TRACE = re.compile("[ÂÃâ][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹Œ‘’“”•–—˜™š›œžŸ¡-¿]")
_AS_WINDOWS = frozenset(("iso8859-1", "cp1252", "ascii"))


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded page."""

    text: str
    repair: str = ""  # deviation from the declared encoding, if any


def decode_body(body: bytes, declared: str | None = None) -> Decoded:
    """Return the text of a page, whatever its header or ``meta`` element declares.

    >>> decode_body("it’s 5 £".encode("cp1252"), "utf-8")
    Decoded(text='it’s 5 £', repair='windows-1252 declared as utf-8')
    >>> decode_body("½ kg".encode(), None).text
    '½ kg'
    """
    if body.isascii():
        return _repair(body.decode("ascii"), "")
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _repair(body.decode("utf-16", errors="replace"), "utf-16")
    meta = None if declared else _META.search(body[:4096])
    name = meta.group(1).decode("ascii", errors="replace") if meta else declared
    try:
        codec = codecs.lookup(name).name if name else ""
    except LookupError:
        codec = ""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _decode_not_utf8(body, name or "nothing", codec)
    return _repair(text, "" if codec in ("", "utf-8", "utf-8-sig") else f"utf-8 declared as {name}")


def _decode_not_utf8(body: bytes, name: str, codec: str) -> Decoded:
    if codec and codec not in _AS_WINDOWS and not codec.startswith("utf"):
        return _repair(body.decode(codec, errors="replace"), "")
    text = body.decode("utf-8", errors=_HANDLER)
    stray = sum(byte >= 0x80 for byte in body)
    kept = len(re.findall("[^\x00-\x7f]", text))
    # Each stray byte becomes one character; sequences of UTF-8 become fewer.
    if kept < stray:
        return _repair(text, f"windows-1252 and utf-8 mixed, declared as {name}")
    return _repair(text, "" if codec in _AS_WINDOWS else f"windows-1252 declared as {name}")


def _stray_bytes(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    byte = error.object[error.start : error.start + 1]
    try:
        return byte.decode("cp1252"), error.start + 1
    except UnicodeDecodeError:  # a byte that Windows-1252 leaves undefined becomes a control of Latin-1
        return byte.decode("latin-1"), error.start + 1


_HANDLER = "draw_dataset.collect.stray_bytes"
codecs.register_error(_HANDLER, _stray_bytes)


def _repair(text: str, repair: str) -> Decoded:
    if text.isascii() or not _TRACE.search(text):
        return Decoded(text, repair)
    try:
        import ftfy
    except ImportError as error:
        raise ExtraMissing("repairing wrongly decoded text needs ftfy: pip install 'draw-dataset[crawl]'") from error
    mended = ftfy.fix_encoding(text)
    if mended == text:
        return Decoded(text, repair)
    return Decoded(mended, f"{repair}; decoded twice" if repair else "decoded twice")


# HTML to lines in one pass of one regular expression. Superscripts become ``^2``, an image of a formula becomes
# ``{{{ … }}}`` again, and blanks are joined except inside ``<pre>``. A ``<`` that opens no tag is a character.

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
_TAG_TEXT = {  # replacements of tags; all others are dropped
    **{prefix + name: "\n" for name in _LINES.split() for prefix in ("", "/")},
    **dict.fromkeys(("td", "th", "/td", "/th"), "   "),
    "sup": "^",
}
_FORMULA = "\x00"  # placeholder of a formula until the rest of the text is unescaped
_ENTRY = re.compile(r"expression=([^&]*)")
_ENCODED = re.compile(r"%[0-9A-Fa-f]{2}|^\+|\+$|\+=|=\+")


def text_of(source: str) -> str:
    r"""Return the text of a page, its formulas between three braces.

    >>> text_of('<p>Let <b>x</b> = 5<br>2x<sup>2</sup> &lt; 9 <img src="plot-formula.mpl?expression=x%2B1"></p>')
    'Let x = 5\n2x^2 < 9 {{{x+1}}}'
    """
    formulas: list[str] = []

    def replace_tag(match: re.Match[str]) -> str:
        name = (match.group("name") or "").lower()
        if name == "img" and (formula := _image_formula(match.group("attributes"))):
            formulas.append(formula)
            return _FORMULA
        return _TAG_TEXT.get(name, "")

    pieces = []
    for place, part in enumerate(_PREFORMATTED.split(source.replace(_FORMULA, ""))):
        if place % 2:
            pieces += ["\n", _PIECE.sub(replace_tag, part.replace("\r", "")), "\n"]
        else:
            # Blanks at the beginning of a line are those of the source, not of the tutor.
            pieces.append(_PIECE.sub(replace_tag, _BLANKS.sub(" ", part)).replace("\n ", "\n"))
    text = unescape("".join(pieces))
    if formulas:
        around = text.split(_FORMULA)
        text = around[0] + "".join(f"{{{{{{{f}}}}}}}{rest}" for f, rest in zip(formulas, around[1:], strict=True))
    return "\n".join(line.rstrip() for line in text.split("\n") if line.strip()).strip("\n")


def decode_formula(alternative: str, source: str = "") -> str:
    """Return the formula of an image: from its address, else from its alternative text; empty if there is none.

    An address is always encoded; an alternative text only if it cannot be plain, since ``x+y`` may be a sum.

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


def _image_formula(attributes: str) -> str:
    source = _attribute(_SRC, attributes)
    if "plot-formula" not in source and "expression=" not in source:
        return ""
    return decode_formula(_attribute(_ALT, attributes), source)


def _attribute(pattern: re.Pattern[str], attributes: str) -> str:
    found = pattern.search(attributes)
    return unescape(next((group for group in found.groups() if group is not None), "")) if found else ""


# Lines to a question and its explanations, by the words of the page, not its markup: ``Question 123:`` begins the
# question; ``Found 2 solutions by …`` or ``Answer by name(count) (Show Source):`` ends it. Personal data are dropped:
# of a tutor only the name on the site is kept, and no addresses, telephone numbers or closing formulas.

_HIDDEN = (("<!--", "-->"), ("<script", "</script"), ("<style", "</style"), ("<title", "</title"), ("<h1", "</h1"))
# Patterns begin with a letter and look behind afterwards, because that is faster to search for.
_QUESTION = re.compile(r"[Qq](?i:uestion)(?<!\w.{8})\s+#?(\d{1,9})\s*(?=:|(?i:This question is from))")
_NUMBERED = re.compile(r"Question\s+#?(\d+)")
# A title may have a colon of its own; the one after it has a blank before it.
_TEXTBOOK = re.compile(r"This question is from (?:the )?textbook\b[ \t]*(?:([^\n]{0,200}?)\s+:|([^\n:]{0,200}):)")
_FOUND = re.compile(r"Found(?<!\wFound)\s+\d+\s+solutions?\s+by\b[^\n]*")
_ANSWER = re.compile(
    r"Answer(?<!\wAnswer)\s+by\s+(?P<name>[^\n]{1,120}?)\s*\((?P<count>[\d,]*)\)[ \t]*\n?\s*"
    r"(?P<source>(?:About Me\s*)?\(?\s*Show Source\s*\)?\s*)?:?"
)
_INVITATION = re.compile(r"You can put this solution on YOUR website!?", re.IGNORECASE)
_FOOTER = re.compile(
    r"^.*(?:\bRELATED\b|©)|^\s*(?:Related questions|Older solutions\s*:|Newer solutions\s*:|Algebra\.com\b"
    r"|Ask a (?:free )?tutor"
    r"|Return to |Copyright\b|Privacy policy|Terms of use)",
    re.MULTILINE,
)
_ADDRESS = re.compile(
    # Only from the beginning of a name on: from within a long one, each letter would look for its @ again.
    r"(?:mailto:)?(?<![\w.+=%-])[\w.+=%-]+\s?(?:@|\(at\)|\[at\])\s?[\w-]+(?:\.[\w-]+)+|(?:https?://|www\.)\S+",
    re.IGNORECASE,
)
_PHONE = re.compile(r"(?<![\d.])(?:\+?1[-. ])?\(?\d{3}\)?[-. ]\d{3}[-. ]\d{4}(?![\d.])")
_END_OF_PHONE = re.compile(r"\d{3}[-. ]\d{4}")
_CLOSING = re.compile(
    r"^\W*(?:cheers|regards|best regards|sincerely|good luck|hope (?:this|that|it) helps?|thanks?(?: you)?(?: for .*)?"
    r"|best wishes|have a (?:nice|great|good) day|e-?mail me.*|if you (?:have|need) .*(?:question|help|e-?mail).*"
    r"|happy (?:learning|calculating|studying).*|visit my .*)\b[^=\d]*$",
    re.IGNORECASE,
)
_SIGNED = re.compile(r"^\W*(?:cheers|regards|best regards|sincerely|best wishes)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Explanation of one tutor, formulas between three braces."""

    tutor: str
    text: str


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """Content of a page, formulas between three braces."""

    id: int  # as the page states it
    question: str
    explanations: tuple[Explanation, ...]
    textbook: str
    repair: str  # of the encoding, as in `Decoded`


def parse_page(body: bytes, charset: str | None = None, expected: int | None = None) -> ParsedPage | None:
    r"""Return the content of a page; None if it is not a question page.

    >>> page = b"<h1>SOLUTION: What</h1>Question 7: What is 2x = 6?<br>Answer by amy(12) (Show Source):<br>"
    >>> page += b"You can put this solution on YOUR website!<br>2x = 6<br>x = 3<br>Cheers, amy@example.com"
    >>> parse_page(page).explanations
    (Explanation(tutor='amy', text='2x = 6\nx = 3'),)
    """
    decoded = decode_body(body, charset)
    source = decoded.text if expected is None else _from_question(decoded.text, expected)
    return parse_text(text_of(source), decoded.repair, expected)


def _from_question(source: str, expected: int) -> str:
    """Return the source from its question on; the useless part before it would be most of the work."""
    number = str(expected)
    for match in _NUMBERED.finditer(source):
        if match.group(1) != number:
            continue
        before = source[: match.start()]
        outside = before.rfind(">") >= before.rfind("<")
        lower = before.lower()
        if outside and all(lower.rfind(opening) <= lower.rfind(closing) for opening, closing in _HIDDEN):
            return source[match.start() :]
    return source


def parse_text(text: str, repair: str = "", expected: int | None = None) -> ParsedPage | None:
    """Return the content of a page; `expected` is the id of its question, so that another one quoted is skipped."""
    begins = list(_QUESTION.finditer(text))
    if not begins:
        return None
    begin = next((match for match in begins if int(match.group(1)) == expected), begins[0])
    start = begin.end()
    textbook = ""
    if book := _TEXTBOOK.match(text, start):
        textbook, start = " ".join((book.group(1) or book.group(2) or "").split()), book.end()
    answers = [
        match for match in _ANSWER.finditer(text, start) if match.group("source") or match.group(0).endswith(":")
    ]
    end = answers[0].start() if answers else len(text)
    if found := _FOUND.search(text, start, end):
        end = found.start()
    question = text[start:end].lstrip(" :\n")
    if not answers:
        question = _before_footer(question)
    explanations = []
    for place, match in enumerate(answers):
        stop = answers[place + 1].start() if place + 1 < len(answers) else len(text)
        body = _before_footer(text[match.end() : stop])
        tutor = " ".join(without_addresses(match.group("name")).split())[:60]
        explanations.append(Explanation(tutor, _without_closing(_INVITATION.sub("", body, count=1))))
    return ParsedPage(int(begin.group(1)), without_addresses(question), tuple(explanations), textbook, repair)


def without_addresses(text: str) -> str:
    """Return a text without e-mail addresses, links and telephone numbers.

    >>> without_addresses("write to tim.b@example.com or 555-123-4567 about 3 x 4")
    'write to  or  about 3 x 4'
    """
    if "@" in text or "http" in text or "www." in text or "(at)" in text or "[at]" in text:
        text = _ADDRESS.sub("", text)
    return (_PHONE.sub("", text) if _END_OF_PHONE.search(text) else text).strip()


def _before_footer(text: str) -> str:
    footer = _FOOTER.search(text)
    return text[: footer.start()] if footer else text


def _without_closing(text: str) -> str:
    """Return an explanation without addresses, and without its closing formula and the lines after it."""
    lines = without_addresses(text).split("\n")
    for place in range(max(0, len(lines) - 6), len(lines)):
        if _SIGNED.match(lines[place]) and not any("=" in line.strip("= -") for line in lines[place:]):
            del lines[place:]
            break
    while lines and (not lines[-1].strip(" =-_*~") or _CLOSING.match(lines[-1])):
        del lines[-1]
    return "\n".join(lines).strip("\n ")
