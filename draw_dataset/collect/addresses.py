"""Addresses of algebra.com: question pages, topic listings, links of a listing, and files of question ids.

The page of a question is ``/algebra/homework/<section>/<Topic>.faq.question.<id>.html``, to which
``/cgi-bin/jump-to-question.mpl?question=<id>`` redirects. A topic's first listing is ``<Topic>.faq``; the addresses of
its ranges contain ``hide_answer``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs, urldefrag, urljoin, urlsplit

from draw_dataset.errors import IdListError, short_repr

SITE = "https://www.algebra.com"

TOPICS = (  # not all names are certain; a wrong one ends as not-found
    "word/age/Age_Word_Problems",
    "word/travel/Travel_Word_Problems",
    "word/mixtures/Mixture_Word_Problems",
    "word/finance/Money_Word_Problems",
    "word/misc/Miscellaneous_Word_Problems",
    "word/numbers/Numbers_Word_Problems",
    "word/coins/Word_Problems_With_Coins",
    "word/geometry/Geometry_Word_Problems",
    "Rate-of-work-word-problems/Rate-of-work-word-problems",
)

_QUESTION = re.compile(r"(?:/algebra/homework/(?P<topic>.+))?\.faq\.question\.(?P<id>\d{1,9})\.html")
_JUMP_PATH = "/cgi-bin/jump-to-question.mpl"


def question_id(url: str) -> int | None:
    """Return the id of the question that an address names, if any.

    >>> question_id("https://www.algebra.com/algebra/homework/word/age/Age_Word_Problems.faq.question.4711.html")
    4711
    >>> question_id("/cgi-bin/jump-to-question.mpl?question=12"), question_id("/algebra/about/")
    (12, None)
    """
    path, query = _split(url)
    if found := _QUESTION.search(path):
        return int(found["id"])
    if path == _JUMP_PATH:
        given = parse_qs(query).get("question", [""])[0]
        if given.isascii() and given.isdecimal() and len(given) <= 9:
            return int(given)
    return None


def topic_of(url: str) -> str | None:
    """Return the topic in the address of a question.

    >>> topic_of("https://www.algebra.com/algebra/homework/word/age/Age_Word_Problems.faq.question.4711.html")
    'word/age/Age_Word_Problems'
    """
    found = _QUESTION.search(_split(url)[0])
    return found["topic"] if found else None


def jump_url(base_url: str, number: int) -> str:
    """Return the address that leads to a question by its id alone.

    >>> jump_url("https://www.algebra.com", 4711)
    'https://www.algebra.com/cgi-bin/jump-to-question.mpl?question=4711'
    """
    return f"{base_url.rstrip('/')}{_JUMP_PATH}?question={number}"


def topic_url(base_url: str, topic: str) -> str:
    """Return the first listing of a topic; an address is taken as it is.

    >>> topic_url("https://www.algebra.com", "word/age/Age_Word_Problems")
    'https://www.algebra.com/algebra/homework/word/age/Age_Word_Problems.faq'
    """
    return topic if "://" in topic else f"{base_url.rstrip('/')}/algebra/homework/{topic.strip('/')}.faq"


def is_listing(url: str) -> bool:
    """Decide whether an address is a listing of some questions of a topic.

    >>> is_listing("/algebra/homework/word/age/Age_Word_Problems.faq.hide_answers.46.html")
    True
    """
    return "hide_answer" in "".join(_split(url))


def is_same_site(url: str, base_url: str) -> bool:
    """Decide whether an address is on the site, with or without ``www.``.

    >>> is_same_site("http://algebra.com/x", "https://www.algebra.com"), is_same_site("http://a.org/", "http://b.org")
    (True, False)
    """
    try:
        ours, theirs = urlsplit(base_url), urlsplit(url)
        ports = _port(ours.scheme, ours.port), _port(theirs.scheme, theirs.port)
    except ValueError:
        return False
    if theirs.scheme not in ("http", "https"):
        return False
    hosts = {(parts.hostname or "").removeprefix("www.") for parts in (ours, theirs)}
    # http and https of one host are one site; any other port is another server.
    return len(hosts) == 1 and (ports[0] == ports[1] or {*ports} == {80, 443})


def _port(scheme: str, port: int | None) -> int:
    return port or (443 if scheme == "https" else 80)


def _split(url: str) -> tuple[str, str]:
    """Return the path and the query of an address."""
    try:
        parts = urlsplit(url)
    except ValueError:  # such as an unclosed [ of an IPv6 address
        return "", ""
    return parts.path, parts.query


@dataclass(frozen=True, slots=True)
class Links:
    """Links of a listing, each once."""

    questions: tuple[tuple[int, str], ...]  # the number and address of each question, once
    listings: tuple[str, ...]  # the address of each listing, once


class _Anchors(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.base: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        href = next((value for name, value in attrs if name == "href" and value), None)
        if href is not None and tag == "a":
            self.found.append(href)
        elif href is not None and tag == "base" and self.base is None:
            self.base = href


def links_of(body: bytes, url: str, base_url: str) -> Links:
    """Return the questions and listings of the same site that a page links to, in its order.

    >>> page = b'<a href="T.faq.question.8.html#a">8</a> <a href=T.faq.hide_answers.46.html>46..90</a> <a href=/>x</a>'
    >>> links_of(page, "http://a.example/algebra/homework/w/T.faq", "http://a.example")
    Links(questions=((8, 'http://a.example/algebra/homework/w/T.faq.question.8.html'),), \
listings=('http://a.example/algebra/homework/w/T.faq.hide_answers.46.html',))
    """
    anchors = _Anchors()
    # Addresses are ASCII: latin-1 reads any bytes and keeps them.
    anchors.feed(body.decode("latin-1"))
    anchors.close()
    questions: dict[int, str] = {}
    listings: dict[str, None] = {}
    for href in anchors.found:
        try:
            link = urldefrag(urljoin(urljoin(url, anchors.base or ""), href.strip())).url
        except ValueError:  # a link that is no address, such as http://[
            continue
        if not is_same_site(link, base_url):
            continue
        number = question_id(link)
        if number is not None and ".faq.question." in link:
            questions.setdefault(number, link)
        elif is_listing(link):
            listings.setdefault(link)
    return Links(tuple(questions.items()), tuple(listings))


def read_ids(path: Path, report: Callable[[str], None]) -> list[int]:
    """Return the ids of a file in its order, each once; report lines that are not ids. ``#`` begins a comment."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise IdListError(f"cannot read {path}: {error.strerror or error}") from error
    found: dict[int, None] = {}
    for place, line in enumerate(lines, 1):
        text = line.partition(b"#")[0].strip().removeprefix(b"\xef\xbb\xbf")
        if not text:
            continue
        if text.isdigit() and len(text) <= 9:
            found.setdefault(int(text))
        else:
            got = short_repr(text.decode("utf-8", errors="replace"))
            report(f"{path}, line {place}: expected the number of a question, but got {got}; passed over")
    if not found:
        raise IdListError(f"{path}: expected numbers of questions, one a line, but got none in {len(lines)} lines")
    return list(found)
