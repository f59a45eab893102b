"""The question: what is asked on a page, and how do its tutors explain it.

The words of the page are the anchors, not its markup: ``Question 123:`` (or ``Question 123This question is from
textbook …:``) begins the question, ``Found 2 solutions by …`` or the first ``Answer by name(count) (Show Source):``
ends it; each answer goes up to the next. ``You can put this solution on YOUR website!`` is dropped. What identifies
people is not kept: of a tutor only the name on the site, and no addresses, telephone numbers or closing formulas.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from draw_dataset.cleaning.pages.encoding import decode_body
from draw_dataset.cleaning.pages.markup import text_of

_HIDDEN = (("<!--", "-->"), ("<script", "</script"), ("<style", "</style"), ("<title", "</title"), ("<h1", "</h1"))
# Patterns begin with a letter, and what stands before it is looked at after: so their place is found faster.
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
    """What one tutor wrote.

    Attributes:
        tutor: the tutor's name on the site.
        text: the explanation, formulas between three braces.
    """

    tutor: str
    text: str


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """What a page holds.

    Attributes:
        id: the question's number, as the page says it.
        question: the text asked, formulas between three braces; may be empty.
        explanations: what tutors wrote, in their order.
        textbook: the book that the question is from; empty if none is named.
        repair: what was wrong with its encoding; empty if nothing was.
    """

    id: int
    question: str
    explanations: tuple[Explanation, ...]
    textbook: str
    repair: str


def parse_page(body: bytes, charset: str | None = None, expected: int | None = None) -> ParsedPage | None:
    r"""Return what a page holds; None if it is no page of a question.

    >>> page = b"<h1>SOLUTION: What</h1>Question 7: What is 2x = 6?<br>Answer by amy(12) (Show Source):<br>"
    >>> page += b"You can put this solution on YOUR website!<br>2x = 6<br>x = 3<br>Cheers, amy@example.com"
    >>> parse_page(page).explanations
    (Explanation(tutor='amy', text='2x = 6\nx = 3'),)
    """
    decoded = decode_body(body, charset)
    source = decoded.text if expected is None else _from_question(decoded.text, expected)
    return parse_text(text_of(source), decoded.repair, expected)


def _from_question(source: str, expected: int) -> str:
    """Return the source from its question on: what a page shows before it is most of the work, and of no use."""
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
    """Return what the text of a page holds; None if nothing in it begins a question.

    Args:
        text: the text, line by line.
        repair: what was wrong with its encoding.
        expected: the number of the question; a heading may quote another ``Question 5:`` before it.
    """
    begins = list(_QUESTION.finditer(text))
    if not begins:
        return None
    begin = next((match for match in begins if int(match.group(1)) == expected), begins[0])
    start = begin.end()
    textbook = ""
    book = _TEXTBOOK.match(text, start)
    if book:
        textbook, start = " ".join((book.group(1) or book.group(2) or "").split()), book.end()
    answers = [
        match for match in _ANSWER.finditer(text, start) if match.group("source") or match.group(0).endswith(":")
    ]
    end = answers[0].start() if answers else len(text)
    found = _FOUND.search(text, start, end)
    if found:
        end = found.start()
    question = text[start:end].lstrip(" :\n")
    if not answers:
        question = _before_footer(question)
    explanations = []
    for place, match in enumerate(answers):
        stop = answers[place + 1].start() if place + 1 < len(answers) else len(text)
        body = _before_footer(text[match.end() : stop])
        explanations.append(Explanation(_tutor(match.group("name")), _impersonal(_INVITATION.sub("", body, count=1))))
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


def _tutor(name: str) -> str:
    """Return the name on the site, without an address."""
    return " ".join(without_addresses(name).split())[:60]


def _impersonal(text: str) -> str:
    """Drop addresses, and the closing formula with what follows it, from the end of an explanation."""
    lines = without_addresses(text).split("\n")
    for place in range(max(0, len(lines) - 6), len(lines)):
        if _SIGNED.match(lines[place]) and not any("=" in line.strip("= -") for line in lines[place:]):
            del lines[place:]
            break
    while lines and (not lines[-1].strip(" =-_*~") or _CLOSING.match(lines[-1])):
        del lines[-1]
    return "\n".join(lines).strip("\n ")
