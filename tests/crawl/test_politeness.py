"""Contacts, Retry-After and robots.txt, by themselves."""

from __future__ import annotations

import pytest

from draw_dataset.collect.politeness import Rules, retry_after, user_agent
from draw_dataset.errors import ContactError


@pytest.mark.parametrize("contact", ["me@uni.example", "https://uni.example/crawler", " me@uni.example "])
def test_a_contact_is_in_the_user_agent(contact: str) -> None:
    assert contact.strip() in user_agent(contact)


@pytest.mark.parametrize(
    "contact", [None, "", "me", "me@", "@uni.example", "me @uni.example", "me@uni.example\r\nX: y", "mé@uni.example"]
)
def test_what_nobody_can_write_to_is_no_contact(contact: str | None) -> None:
    with pytest.raises(ContactError, match="--contact"):
        user_agent(contact)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("0", 0.0),
        ("7", 7.0),
        (" 7 ", 7.0),
        ("Thu, 01 Jan 1970 00:02:00 GMT", 20.0),
        ("Thu, 01 Jan 1970 00:00:01 GMT", 0.0),  # a date that has passed
        ("-5", None),
        ("", None),
        ("tomorrow", None),
        ("1.5", None),
        ("9" * 40, None),
        ("Thu, 99 Foo 1970 00:02:00 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(given: str, expected: float | None) -> None:
    assert retry_after({"retry-after": given}, now=100.0) == expected


def test_nothing_in_robots_means_everything_may_be_read() -> None:
    rules = Rules.read(b"")
    assert rules.allow("http://a.example/anything?x=1")
    assert rules.delay == 0.0


def test_the_rules_for_us_go_before_those_for_all() -> None:
    rules = Rules.read(
        b"User-agent: *\nDisallow: /\nCrawl-delay: 90\n\nUser-agent: draw-dataset\nDisallow: /a\nCrawl-delay: 4"
    )
    assert rules.delay == 4.0
    assert rules.allow("http://a.example/b")
    assert not rules.allow("http://a.example/a/b")


def test_wildcards_and_queries_are_understood() -> None:
    rules = Rules.read(b"User-agent: *\nDisallow: /*.mpl?solution=\nAllow: /cgi-bin/jump\n")
    assert not rules.allow("http://a.example/cgi-bin/show-question-source.mpl?solution=5")
    assert rules.allow("http://a.example/cgi-bin/jump-to-question.mpl?question=5")


@pytest.mark.parametrize(
    "text",
    [b"\xff\xfe\x00garbage", b"<html>not robots</html>", b"Crawl-delay: soon\n" * 3, b"User-agent: *\nCrawl-delay: x"],
)
def test_a_robots_file_that_is_nonsense_forbids_nothing(text: bytes) -> None:
    rules = Rules.read(text)
    assert rules.allow("http://a.example/")
    assert rules.delay == 0.0
