"""The HTML of the site: question pages in the text order of the real ones, and listings of 45 questions each.

Only the words are modelled on what is known of algebra.com, not its markup, which a parser should not rely on.
"""

from __future__ import annotations

import html
import random
import re
from collections.abc import Sequence
from urllib.parse import quote_plus

from crawl.stand_in_site.explanations import Explanation
from crawl.stand_in_site.questions import Question

PER_LISTING = 45
_FORMULA = re.compile(r"\{\{\{(.*?)\}\}\}", re.DOTALL)
_CURLY = str.maketrans({"'": "\u2019", "-": "\u2013"})


def page_of(question: Question, encoding: str = "utf-8", declared: str | None = "utf-8", curly: bool = False) -> bytes:
    """Return the page of a question.

    Args:
        question: what stands on it.
        encoding: how its characters are written.
        declared: what its meta element says about that; None for no such element.
        curly: with apostrophes and dashes that ASCII lacks, as word processors make them.
    """
    rng = random.Random(f"page {question.id}")
    meta = "" if declared is None else f'<meta http-equiv="Content-Type" content="text/html; charset={declared}">\n'
    title = " ".join(question.posted.split())[:120]
    posted = _text(question.posted, rng, curly)
    crumbs = question.topic.rpartition("/")[2].replace("_", " ").replace("-", " ")
    textbook = ""
    if question.textbook is not None:
        textbook = f"<I>This question is from textbook <a href=/textbooks/>{html.escape(question.textbook)}</a></I> "
    tutors = [explanation.tutor for explanation in question.explanations]
    found = f"<B>Found {len(tutors)} solutions by {', '.join(tutors)}:</B><BR>\n" if len(tutors) > 1 else ""
    answers = "\n".join(_answer(explanation, rng, curly) for explanation in question.explanations)
    sign = "\u00a9" if curly else "&copy;"
    page = f"""<!DOCTYPE html>
<html><head>{meta}<title>SOLUTION: {html.escape(title)}</title>
<script>var x = "Question 1: 2x = 4"; if (x < 3 && x > 1) {{ x = 5; }}</script>
<style>.x {{ width: 45px }}</style></head>
<body bgcolor=white>
<table width=100%><tr><td><a href="/">Algebra</a> <a href="/services/">Solvers</a> <a href="/lessons/">Lessons</a>
<form action="/cgi-bin/search.mpl"><input name=q></form></td></tr></table>
<a href="/algebra/homework/word/">Word Problems</a> -&gt; <a href="{question.path.split(".faq")[0]}.faq">{crumbs}</a>
-&gt; SOLUTION: {html.escape(title)} <!-- id {question.id} --><hr>
<table><tr><td><b>Question {question.id}</b>{textbook}: {posted}
<p>{found}{answers}
</td></tr></table>
<div><a href="/cgi-bin/jump-to-question.mpl?question={question.id + 1}">next</a> RELATED
<a href="/algebra/homework/word/">More word problems</a> {sign} the tutors</div>
</body></html>
"""
    return page.encode(encoding, errors="xmlcharrefreplace")


def _answer(explanation: Explanation, rng: random.Random, curly: bool) -> str:
    head = (
        f'<b>Answer by <a href="/tutors/aboutme.mpl?userid={quote_plus(explanation.tutor)}">{explanation.tutor}</a>'
        f"({explanation.count})</b> <small>(<a href="
        f'"/cgi-bin/show-question-source.mpl?solution={explanation.number}">Show Source</a>)</small>:<br>'
    )
    if not explanation.source and explanation.number % 2:
        return head
    put = 'You can <a href="/tutors/put.mpl">put this solution on YOUR website!</a><br>\n'
    return f"{head}\n{put}{body_of(explanation.source, rng, curly)}<hr>"


def body_of(source: str, rng: random.Random, curly: bool = False) -> str:
    """Return the HTML that the site makes of what a tutor typed."""
    pieces: list[str] = []
    last = 0
    for formula in _FORMULA.finditer(source):
        pieces += _typed(source[last : formula.start()], rng, curly), _image(formula[1])
        last = formula.end()
    return "".join([*pieces, _typed(source[last:], rng, curly)])


def _typed(text: str, rng: random.Random, curly: bool) -> str:
    """Escape what is no markup of the tutor's own, and break the lines outside of ``<pre>``."""
    outside = [
        piece if piece.startswith("<pre>") else _lines(piece, rng, curly)
        for piece in re.split(r"(<pre>.*?</pre>)", text, flags=re.S)
    ]
    return "".join(outside)


def _lines(text: str, rng: random.Random, curly: bool) -> str:
    return _text(text, rng, curly, equations=True).replace("\n", rng.choice(("<br>\n", "<BR>", "<br />\n")))


def _text(text: str, rng: random.Random, curly: bool, equations: bool = False) -> str:
    escaped = html.escape(text, quote=False)
    if curly:
        # A dash in an equation is a minus, which nobody curls.
        escaped = escaped.replace("'", "\u2019") if equations else escaped.translate(_CURLY)
    elif rng.random() < 0.2:
        escaped = escaped.replace("'", rng.choice(("&#39;", "&rsquo;", "&#8217;")))
    if rng.random() < 0.2:
        escaped = escaped.replace("  ", "&nbsp; ").replace(". ", ".&nbsp; ")
    return escaped


def _image(expression: str) -> str:
    encoded = quote_plus(f" {expression} ", safe="=()")
    return f'<img src="/cgi-bin/plot-formula.mpl?expression={encoded}&amp;x=0003" alt="{encoded}" align=middle>'


def listing_page(topic: str, questions: Sequence[Question], first: int, extra: Sequence[str] = ()) -> bytes:
    """Return a listing of a topic's questions.

    Args:
        topic: the topic.
        questions: all of the topic's questions, newest first.
        first: the place of the first one to show, from 1; 0 for the topic's front page, which shows ranges only.
        extra: further links to put on it.
    """
    name = topic.rpartition("/")[2]
    ranges = [
        f'<a href="{name}.faq.hide_answers.{start}.html">{start}..{min(start + PER_LISTING - 1, len(questions))}</a>'
        for start in range(1, len(questions) + 1, PER_LISTING)
    ]
    shown = questions[first - 1 : first - 1 + PER_LISTING] if first else ()
    entries = "\n".join(_entry(question, name, place) for place, question in enumerate(shown))
    more = "\n".join(f'<a href="{link}">more</a>' for link in extra)
    return f"""<html><head><title>Questions on {name.replace("_", " ")} answered by real tutors!</title></head><body>
<A HREF='/'>Algebra</A> <a href="http://elsewhere.example/faq.question.5.html">ad</a> <a name=top>
<a href="mailto:tutors@site.example">write</a> <a href="javascript:void(0)">x</a> <a href="http://[broken/">y</a>
<p>Older solutions: {", ".join(ranges)}
<table>{entries}</table>
{more}
<a href="/cgi-bin/show-question-source.mpl?solution=5">a source, not a question</a>
</body></html>
""".encode()


def _entry(question: Question, name: str, place: int) -> str:
    short = html.escape(" ".join(question.posted.split())[:60])
    # A link is written in several ways: from the root, without quotation marks, with a fragment, from this page.
    href = (f'"{question.path}"', question.path, f'"{question.path}#answer"', f'"{question.path}"')[place % 4]
    if place % 4 == 3 and not question.topic.startswith("private/"):
        href = f'"{name}.faq.question.{question.id}.html"'
    return (
        f"<tr><td><a class=q href={href}>Question {question.id}</a></td><td>{short} <a href={href}>(more)</a></td></tr>"
    )
