"""The addresses of algebra.com: which one is a question, which one a listing, and where a question is found by its id.

A question page is ``/algebra/homework/<section>/<Topic>.faq.question.<id>.html``; by id alone the site has
``/cgi-bin/jump-to-question.mpl?question=<id>``, which redirects there. A topic's first listing is ``<Topic>.faq``; its
ranges are linked from it, and their addresses contain ``hide_answer``.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

SITE = "https://www.algebra.com"

TOPICS = (
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
"""The topics of word problems; not all of their names are certain, and a name that is wrong ends as not-found."""

MAX_ID = 10**9
_QUESTION = re.compile(r"(?:/algebra/homework/(?P<topic>.+))?\.faq\.question\.(?P<id>\d{1,9})\.html")
_JUMP_PATH = "/cgi-bin/jump-to-question.mpl"


def question_id(url: str) -> int | None:
    """Return the id of the question that an address names; None if it names none.

    >>> question_id("https://www.algebra.com/algebra/homework/word/age/Age_Word_Problems.faq.question.4711.html")
    4711
    >>> question_id("/cgi-bin/jump-to-question.mpl?question=12"), question_id("/algebra/about/")
    (12, None)
    """
    parts = _split(url)
    if parts is None:
        return None
    path, query = parts
    found = _QUESTION.search(path)
    if found:
        return int(found["id"])
    if path == _JUMP_PATH:
        given = parse_qs(query).get("question", [""])[0]
        if given.isascii() and given.isdecimal() and len(given) <= 9:
            return int(given)
    return None


def topic_of(url: str) -> str | None:
    """Return the topic under which an address has its question.

    >>> topic_of("https://www.algebra.com/algebra/homework/word/age/Age_Word_Problems.faq.question.4711.html")
    'word/age/Age_Word_Problems'
    """
    parts = _split(url)
    found = _QUESTION.search(parts[0]) if parts else None
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
    """Say whether an address is a range of a topic's questions.

    >>> is_listing("/algebra/homework/word/age/Age_Word_Problems.faq.hide_answers.46.html")
    True
    """
    parts = _split(url)
    return parts is not None and "hide_answer" in parts[0] + parts[1]


def same_site(url: str, base_url: str) -> bool:
    """Say whether an address is on the site, with or without ``www.``.

    >>> same_site("http://algebra.com/x", "https://www.algebra.com"), same_site("http://a.example/", "http://b.example")
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


def _split(url: str) -> tuple[str, str] | None:
    try:
        parts = urlsplit(url)
    except ValueError:  # such as an unclosed [ of an IPv6 address
        return None
    return parts.path, parts.query
