"""The links of a listing: questions and further listings of the site, in the order of the page."""

from __future__ import annotations

from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import urldefrag, urljoin

from draw_dataset.crawl.addresses import is_listing, question_id, same_site


@dataclass(frozen=True, slots=True)
class Links:
    """What a listing links to.

    Attributes:
        questions: the number and address of each question, once.
        listings: the address of each listing, once.
    """

    questions: tuple[tuple[int, str], ...]
    listings: tuple[str, ...]


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
    """Return the questions and listings that a page links to.

    Args:
        body: the page.
        url: its address, which its links start from.
        base_url: the site; links that leave it do not count.

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
        if not same_site(link, base_url):
            continue
        number = question_id(link)
        if number is not None and ".faq.question." in link:
            questions.setdefault(number, link)
        elif is_listing(link):
            listings.setdefault(link)
    return Links(tuple(questions.items()), tuple(listings))
