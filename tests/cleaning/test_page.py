"""Pages into questions and explanations: all kinds of the stand-in site, and pages of bad manners."""

from __future__ import annotations

import re

import pytest
from cleaning.stand_in import site_of
from crawl.stand_in_site.pages import page_of
from crawl.stand_in_site.questions import Question

from draw_dataset.collect.page import ParsedPage, decode_body, decode_formula, parse_page, text_of, without_addresses
from draw_dataset.reading.plain import plain_formulas

SITE = site_of(400, 3)


def plain(text: str) -> str:
    return " ".join(text.replace("’", "'").replace("–", "-").split())


def equations_of(text: str) -> list[str]:
    """Return the lines with an equals sign, without blanks: what must survive the markup."""
    text = re.sub(r"</?pre>", "", plain_formulas(text))
    return [re.sub(r"\s+", "", plain(line)) for line in text.split("\n") if "=" in line and "@" not in line]


def check(parsed: ParsedPage | None, question: Question) -> None:
    assert parsed is not None
    assert parsed.id == question.id
    assert plain(parsed.question) == plain(question.posted)
    assert parsed.textbook == (question.textbook or "")
    assert [e.tutor for e in parsed.explanations] == [e.tutor for e in question.explanations]
    for got, known in zip(parsed.explanations, question.explanations, strict=True):
        assert equations_of(got.text) == equations_of(known.source)
        assert "@" not in got.text
        assert "Show Source" not in got.text
        assert "YOUR website" not in got.text
        assert "RELATED" not in got.text


def test_every_page_of_the_stand_in_is_parsed_whole() -> None:
    for question in SITE.listed:
        check(parse_page(SITE.body(question.id), "utf-8", question.id), question)


@pytest.mark.parametrize(("encoding", "declared", "header"), [
    ("utf-8", "utf-8", "utf-8"), ("utf-8", None, None), ("cp1252", "utf-8", "utf-8"), ("cp1252", None, None),
    ("cp1252", "iso-8859-1", None), ("utf-8", "iso-8859-1", "latin-1"), ("cp1252", "nonsense-5", None),
])  # fmt: skip
def test_a_wrong_or_missing_charset_is_repaired(encoding: str, declared: str | None, header: str | None) -> None:
    for question in SITE.listed[:40]:
        body = page_of(question, encoding, declared, curly=True)
        parsed = parse_page(body, header, question.id)
        check(parsed, question)
        assert parsed is not None
        assert "�" not in parsed.question + "".join(e.text for e in parsed.explanations)


def test_what_was_wrong_with_the_encoding_is_said() -> None:
    assert decode_body("it’s".encode("cp1252"), "utf-8").repair == "windows-1252 declared as utf-8"
    assert decode_body("it’s".encode(), "iso-8859-1").repair == "utf-8 declared as iso-8859-1"
    assert decode_body("½ it".encode() + b"\x92s", "utf-8").text == "½ it’s"
    assert decode_body("itâ€™s".encode(), "utf-8").text == "it’s"
    assert decode_body("it’s 5".encode("cp1252"), None).text == "it’s 5"
    assert decode_body("Привет".encode("cp1251"), "windows-1251").text == "Привет"
    assert decode_body(b"plain", "utf-8").repair == ""


ANSWER = "Answer by ann(1) (Show Source):<br>You can put this solution on YOUR website!<br>"


@pytest.mark.parametrize(
    "body", [b"", b"   ", b"<html></html>", b"<p>404 not found", b"\x00\xff\xfe\x00", b"Question :"]
)
def test_a_page_of_something_else_is_no_question(body: bytes) -> None:
    assert parse_page(body, "utf-8") is None


def test_half_a_page_gives_what_it_has() -> None:
    whole = f"<b>Question 7</b>: How old is Ann?<p>{ANSWER}x + 1 = 5<br>x = 4<hr></td></tr></table>".encode()
    for length in range(len(whole)):
        parsed = parse_page(whole[:length], "utf-8", 7)
        assert parsed is None or whole.decode().startswith("<b>Question 7")
    parsed = parse_page(whole[:-30], "utf-8", 7)
    assert parsed is not None
    assert parsed.explanations[0].text.startswith("x + 1 = 5")


def test_beginning_at_the_question_changes_nothing() -> None:
    for question in SITE.listed[:100]:
        body = SITE.body(question.id)
        assert parse_page(body, "utf-8", question.id) == parse_page(body, "utf-8")


@pytest.mark.parametrize("hidden", [
    "<!-- Question 7: no -->", "<script>'Question 7: no'</script>", "<title>Question 7: no</title>",
    '<img alt="Question 7: no">', "<STYLE>Question 7: no</STYLE>", "<h1>SOLUTION: Question 7 was: no</h1>",
])  # fmt: skip
def test_a_question_that_is_not_shown_does_not_begin_it(hidden: str) -> None:
    parsed = parse_page(f"<html>{hidden}<b>Question 7</b>: How many?<br>{ANSWER}x = 4".encode(), None, 7)
    assert parsed is not None
    assert (parsed.question, parsed.explanations[0].text) == ("How many?", "x = 4")


def test_another_question_quoted_before_does_not_count() -> None:
    page = f"<h1>SOLUTION: Question 5: see there</h1>Question 7: What is x + 1 = 5?<br>{ANSWER}x = 4".encode()
    parsed = parse_page(page, None, 7)
    assert parsed is not None
    assert (parsed.id, parsed.question) == (7, "What is x + 1 = 5?")


def test_an_answer_without_text_is_empty() -> None:
    parsed = parse_page(b"Question 7: How many?<p>Answer by ann(12,345) (Show Source):", None, 7)
    assert parsed is not None
    assert [(e.tutor, e.text) for e in parsed.explanations] == [("ann", "")]


def test_the_textbook_is_taken_out_of_the_question() -> None:
    book = "<i>This question is from textbook <a>Algebra: One</a></i> :"
    parsed = parse_page(f"Question 7{book} How many?<br>{ANSWER}x = 4".encode(), None, 7)
    assert parsed is not None
    assert (parsed.question, parsed.textbook) == ("How many?", "Algebra: One")


@pytest.mark.parametrize(("closing", "left"), [
    ("Cheers,<br>Stan", ""), ("Hope this helps!", ""), ("write to me: ann.b@mail.example", "write to me:"),
    ("call 555-123-4567", "call"), ("see http://ann.example/x=5", "see"), ("ann (at) mail.example", ""),
])  # fmt: skip
def test_what_identifies_people_is_not_kept(closing: str, left: str) -> None:
    parsed = parse_page(f"Question 7: How many?<br>{ANSWER}2x = 8<br>x = 4<br>{closing}".encode(), None, 7)
    assert parsed is not None
    assert parsed.explanations[0].text == f"2x = 8\nx = 4\n{left}".strip()


def test_markup_becomes_lines_and_formulas() -> None:
    source = (
        "<script>if (x < 3) { x = 5 }</script><!-- x = 1 --><title>x = 2</title>"
        "a<BR>b<br/>c<p>d</p><table><tr><td>e<td>f</tr></table>x<sup>2</sup> y<sub>1</sub> &lt; &amp;&nbsp;&frac12;"
        '<img src="/smile.gif" alt="x = 9">'
        '<img alt="+x+%2B+1+=+5+" src="/cgi-bin/plot-formula.mpl?expression=+x+%2B+1+=+5+&amp;x=3">'
        "<pre>  x   y\n  =====\n</pre>5 < 6"
    )
    assert text_of(source).split("\n") == [
        "a", "b", "c", "d", "  e   f", "x^2 y1 < &\xa0½{{{x + 1 = 5}}}", "  x   y", "  =====", "5 < 6",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "source", ["<", "<<>>", "<a", "<!--", "<script>", "<pre>", "&#0;", "&#xffffffff;", "<img", "\x00", "<a '>"]
)
def test_broken_markup_is_read_without_an_error(source: str) -> None:
    text_of(source)
    text_of(f"Question 1: a {source} b <br> c")


@pytest.mark.parametrize(("formula", "plainly"), [
    ("highlight(x = 5)", "x = 5"), ("highlight_green(2x) = red(4)", "2x = 4"), ("system(a=b,c=d)", "a=b ; c=d"),
    ("d[1] + d[2] = 5", "d1 + d2 = 5"), ("4&2/3", "4 2/3"), ('"" = ""', "="), ("matrix(1,3,x,\"=\",5)", "x = 5"),
    ("matrix(2,3,x,=,5,y,=,6)", "x = 5 ; y = 6"), ("sqrt(x) = 3", "sqrt(x) = 3"), ("graph(300,200,-1,1,-1,1,x^2)", ""),
    ("highlight(highlight(x))", "x"), ("system(x+max(1,2)=3,y=4)", "x+max(1,2)=3 ; y=4"), ("highlight(x", "x"),
])  # fmt: skip
def test_formulas_are_written_plainly(formula: str, plainly: str) -> None:
    assert " ".join(plain_formulas(f"{{{{{{{formula}}}}}}}").split()) == plainly


def test_a_crossed_out_factor_is_not_read_as_if_it_stood_there() -> None:
    assert "9" not in plain_formulas("{{{cross(9)*x/cross(9) = 12}}}")


def test_an_encoded_alternative_is_decoded_and_a_plain_one_is_not() -> None:
    assert decode_formula("+a+%2B+b+=+5+") == "a + b = 5"
    assert decode_formula("x+y=5") == "x+y=5"
    assert decode_formula("wrong", "/cgi-bin/plot-formula.mpl?expression=x%2By=5&x=0003") == "x+y=5"


@pytest.mark.parametrize("junk", ["<script ", "http", '<a "', "Answer by x", "a@b."])
def test_a_page_full_of_beginnings_is_parsed(junk: str) -> None:
    page = "Question 7: What is 2x = 6?<br>Answer by amy(12) (Show Source):<br>2x = 6<br>" + junk * 20_000
    parsed = parse_page(page.encode(), "utf-8", 7)
    assert parsed is not None
    assert parsed.question == "What is 2x = 6?"


def test_addresses_are_dropped_from_their_first_letter_on() -> None:
    text = "ask tim.b+x@example.com, mailto:ann@uni.example or http://a.example/x and bob(at)home.example about 5"
    assert without_addresses(text) == "ask ,  or  and  about 5"
