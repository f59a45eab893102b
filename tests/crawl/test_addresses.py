"""Which links of a listing are questions, which are listings, and which are neither."""

from __future__ import annotations

import pytest
from crawl.stand_in_site.plan import Site

from draw_dataset.collect.addresses import is_same_site, links_of, question_id, topic_url

BASE = "http://a.example"
HERE = f"{BASE}/algebra/homework/word/age/Age.faq"


def test_every_listing_of_the_site_gives_its_questions() -> None:
    site = Site(130)
    found: dict[int, str] = {}
    for path, body in site.listings.items():
        found.update(links_of(body, f"{BASE}{path}", BASE).questions)
    assert found == {q.id: f"{BASE}{q.path}" for q in site.listed}


@pytest.mark.parametrize(
    "link",
    [
        '<a href="http://other.example/x.faq.question.5.html">',
        '<a href="/cgi-bin/show-question-source.mpl?solution=5">',
        '<a href="/cgi-bin/jump-to-question.mpl?question=5">',
        '<a href="mailto:x.faq.question.5.html">',
        '<a href="http://[/x.faq.question.5.html">',
        '<a href="x.faq.question.five.html">',
        '<img src="x.faq.question.5.html">',
        "<!-- <a href=x.faq.question.5.html> -->",
        '<a href="">',
        "<a href>",
    ],
)
def test_what_is_no_question_is_not_taken_for_one(link: str) -> None:
    assert links_of(link.encode(), HERE, BASE).questions == ()


@pytest.mark.parametrize(
    "link",
    [
        "<A HREF='Age.faq.question.5.html'>",
        "<a href=Age.faq.question.5.html>",
        '<a class="q"\n href="\n/algebra/homework/word/age/Age.faq.question.5.html#top ">',
        '<base href="http://a.example/algebra/homework/word/age/"><a href="Age.faq.question.5.html">',
        '<a href="//a.example/algebra/homework/word/age/Age.faq.question.5.html">',
        '<a href="http://www.a.example/algebra/homework/word/age/Age.faq.question.5.html">',
        '<a href="Age.faq.question.5.html"><a href="Age.faq.question.5.html?again">',
    ],
)
def test_a_question_is_found_however_it_is_written(link: str) -> None:
    found = links_of(link.encode(), HERE, BASE).questions
    assert [number for number, _ in found] == [5]
    assert found[0][1].endswith("/algebra/homework/word/age/Age.faq.question.5.html")


def test_bytes_that_are_no_text_do_no_harm() -> None:
    body = bytes(range(256)) + b'<a href="Age.faq.question.5.html">' + b"<" * 1000
    assert [number for number, _ in links_of(body, HERE, BASE).questions] == [5]


def test_addresses_are_told_apart() -> None:
    assert question_id("http://a.example/x.faq.question.0005.html") == 5
    assert question_id("http://a.example/x.faq.question.12345678901.html") is None
    assert question_id("http://[") is None
    assert not is_same_site("http://a.example:81/", BASE)
    assert not is_same_site("ftp://a.example/", BASE)
    assert not is_same_site("http://a.example:no/", BASE)
    assert is_same_site("https://a.example/", BASE)
    assert topic_url(BASE, "http://a.example/own") == "http://a.example/own"
