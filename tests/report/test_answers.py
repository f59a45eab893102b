"""Answers on the page: their text with marks, complete or cut around them, and escaped."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report.pages import Elements, listed
from report.problems import EVIL, MIXTURE, QUOTES, hostile, problem, scored

from draw_dataset import grade, read_answer
from draw_dataset.data.sample import ANSWERS, load_sample, load_sample_answers
from draw_dataset.report.entries import Entries
from draw_dataset.report.page import REASON_TEXTS, STEP_TEXTS, page_html
from draw_dataset.report.picture import (
    KINDS,
    MAX_SHOWN,
    picture_of,
    printable,
    setup_notation,
    stretches,
    summarize_reading,
)
from draw_dataset.report.svg import answer_css, answer_html, legend_html
from draw_dataset.report.terminal import derivation_text
from draw_dataset.scoring.files import Judged
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.verdict import Reason, StepKind

TEST = load_sample()["test"]
PROBLEMS = {problem.id: problem for problem in TEST}
SAMPLE = scored(TEST, {n: [{"answer": load_sample_answers(n)[p.id]} for p in TEST] for n in ANSWERS})
QUESTION = "Two numbers add up to 20 . One is 4 more than the other ."


def marked(answer: str, question: str = QUESTION, limit: int | None = None) -> list[tuple[str, str]]:
    """The stretches that are marked, results in braces."""
    return [
        (s.kind, "".join(f"{{{part.text}}}" if part.result else part.text for part in s.parts))
        for s in stretches(answer, read_answer(answer, question), limit)
        if s.kind
    ]


def test_every_kind_is_marked_where_it_stands() -> None:
    answer = "Let x be the larger number. x + y = 20 and x = y + 4.\nSo 2y = 16 and y = 9. That is 11 and 9."
    assert marked(answer) == [
        ("definition", "x be the larger number"),
        ("set-up", "x + y = 20"),
        ("set-up", "x = y + 4"),
        ("step", "2y = 16"),
        ("slip", "y = {9}"),
        ("result", "{11}"),
        ("result", "{9}"),
    ]


@pytest.mark.parametrize("name", ANSWERS)
def test_nothing_is_lost_or_said_twice(name: str) -> None:
    for id_, answer in load_sample_answers(name).items():
        found = stretches(answer, read_answer(answer, PROBLEMS[id_]))
        assert "".join(stretch.text for stretch in found) == answer


PIECES = st.sampled_from(
    ["x + y = 20", "x = y + 4", "2y = 16", "y = 9", "20 - 4 = 16", r"\frac{1}{2}x", r"\boxed{8}", "$", "**",
     "```python\n", "```\n", "Eq(x, 3)", "\n", "\n\n\n", " ", "so ", "<b>", "&amp;", "}", "{", "\\", "\x1b", "\u202e",
     "9" * 50, "| ", "</think>"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=40).map("".join), st.one_of(st.none(), st.integers(0, 400)))
def test_any_answer_becomes_a_sound_page_with_all_of_its_text_or_a_note(answer: str, limit: int | None) -> None:
    reading = read_answer(answer, QUESTION)
    found = stretches(answer, reading, limit)
    kept = "".join(stretch.text for stretch in found if stretch.kind != "cut")
    if limit is None or len(answer) <= limit:
        assert "".join(kept.split()) == "".join("".join(map(printable, answer.split())).split())
    else:
        assert any(stretch.kind == "cut" for stretch in found) or len(kept) <= len(answer)
    Elements(answer_html(answer, reading, limit))


def test_a_command_of_latex_is_marked_as_a_whole() -> None:
    found = marked(r"\[ \frac{3}{4}L + L = 21 \]. So \boxed{12}.", "One village laid 3/4 of the other , 21 km in all .")
    assert found == [("set-up", r"\frac{3}{4}L + L = 21"), ("result", "{12}")]


def test_of_a_chain_only_what_came_out_is_a_result() -> None:
    assert marked("20 - 4 = 16. Then 16 / 2 = 8.") == [("step", "20 - 4 = {16}"), ("step", "16 / 2 = {8}")]


def test_a_long_answer_is_cut_around_its_marks() -> None:
    filler = "We think about it for a while and write down more words. " * 250
    answer = f"{filler}x + y = 20. {filler}x = y + 4. {filler}So y = 9. {filler}"
    reading = read_answer(answer, QUESTION)
    found = stretches(answer, reading, MAX_SHOWN)
    assert [s.text for s in found if s.kind in ("set-up", "slip")] == ["x + y = 20", "x = y + 4", "y = 9"]
    notes = [int(s.text.split()[1].replace(",", "")) for s in found if s.kind == "cut"]
    assert sum(len(s.text) for s in found if s.kind != "cut") + sum(notes) == len(answer)
    assert len(answer_html(answer, reading)) < 3 * MAX_SHOWN


def test_an_answer_full_of_marks_has_an_end() -> None:
    answer = "\n".join(f"{i} + {i + 1} = {2 * i + 1}" for i in range(3_000)) + "\nx + y = 20"
    reading = read_answer(answer[:60_000], QUESTION)
    assert len(reading.statements) > 500
    page = answer_html(answer, reading)
    assert len(page) < 12 * MAX_SHOWN
    assert "characters left out" in page
    one = "1" + " + 1" * 15_000 + " = 15001"
    assert len(answer_html(one, read_answer(one, QUESTION))) < 3 * MAX_SHOWN


@pytest.mark.parametrize("answer", [EVIL, QUOTES, f"x = 5 {EVIL}", "x = 5\x1b[31m \u202e = 6\x00", "x \ud800= 3"])
def test_an_answer_is_text_and_nothing_else(answer: str) -> None:
    page = answer_html(answer, read_answer(answer, QUESTION))
    names = {tag for tag, _ in Elements(page).found}
    assert names <= {"div", "dl", "dt", "dd", "mark", "span", "b"}
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e\ud800]", page)


def test_every_mark_has_a_line_of_its_own_and_a_meaning() -> None:
    rule = r"\.dd-mark\.dd-([\w-]+) \{ text-decoration: (none|[a-z- ]+)"
    lines = [(kind, line.strip()) for kind, line in re.findall(rule, answer_css())]
    assert {kind for kind, _ in lines} == set(KINDS)
    assert len({line for _, line in lines}) == len(KINDS)  # so the colour is never the only sign
    legend = legend_html()
    for meaning in KINDS.values():
        assert meaning in legend


def test_what_an_answer_comes_to_is_said() -> None:
    told = summarize_reading(read_answer("x + y = 20 and x = y + 4, so 2y = 16, y = 9.", QUESTION))
    assert told == [
        ("set-up", "x + y = q2; x = y + q3"),
        ("comes to", "x = 12, y = 8"),
        ("slip", "y = 9; expected 8"),
        ("results", "9"),
    ]
    assert summarize_reading(read_answer("20 - 4 = 16, 16 / 2 = 8", QUESTION))[0] == ("calculates", "(q2 - q3)/q1")
    assert summarize_reading(read_answer("No idea.", QUESTION)) == [("set-up", "none"), ("results", "none")]


def test_the_figure_shows_what_was_read_beside_gold() -> None:
    answer = "30x + 10y = 15 * 40, x + y = 40"
    text = derivation_text(MIXTURE, {"answer": answer}, width=100)
    assert "read      a*x + b*y = c*d; x + y = d" in text
    assert setup_notation(read_answer(answer, MIXTURE)) == "q1*x + q2*y = q6*q5; x + y = q5"
    swapped = derivation_text(MIXTURE, {"answer": "10x + 30y = 40 * 40, x + y = 15"}, width=100)
    assert "verdict   another derivation than gold" in swapped
    assert "read" not in derivation_text(MIXTURE, "x + y = q5")


def test_every_reason_and_every_kind_of_error_has_a_text() -> None:
    assert set(REASON_TEXTS) == set(Reason)
    assert set(STEP_TEXTS) == {kind for kind in StepKind if kind.is_error}


def test_every_answer_is_on_the_page_right_ones_too() -> None:
    page = page_html(*SAMPLE)
    Elements(page)
    entries = listed(page)
    assert len(entries) == 60
    for system in SAMPLE[0].systems:
        own = [one for one in entries if one.system == system.name]
        assert Counter(one.reason for one in own) == system.score.counts
        for one in own:
            assert one.answer == load_sample_answers(system.name)[int(one.id)]
            assert one.length == len(one.answer)
        for reason in system.score.counts:
            assert f'href="#reason={reason}"' in page or reason == "right"
            assert f'<option value="{reason}">' in page


def test_a_slip_is_marked_in_the_data_and_named_as_the_first_error() -> None:
    slips = [one for one in listed(page_html(*SAMPLE)) if one.reason == "slip"]
    assert slips
    for one in slips:
        assert (one.verdict, one.solution) == ("right", False)
        assert "slip" in {part[0] for part in one.details["answer"] if isinstance(part, list)}
        assert one.details["side"]["note"] == "the same derivation, then a slip"
        assert [step["kind"] for step in one.details["steps"] if "first" in step] == [one.first_error]
        assert dict(one.details["reading"])["set-up"]


def test_a_wrong_derivation_has_its_witness_and_a_right_one_says_if_it_is_certain() -> None:
    entries = listed(page_html(*SAMPLE))
    lucky = [one for one in entries if one.reason == "lucky"]
    assert lucky
    assert all("this way gives" in one.details["witness"] for one in lucky)
    certain = dict.fromkeys(ANSWERS, 0)
    for one in entries:
        certain[one.system] += one.details.get("certain", False)
    assert certain == {s.name: round(s.score.certain * 30) for s in SAMPLE[0].systems}


def test_a_part_of_a_derivation_is_listed_as_such() -> None:
    fence = problem(
        "A fence has 8 posts , 3 of them oak . An oak post costs $ 20 . How many are not oak ? What do the oaks cost ?",
        ["m = 8 - 3", "n = 3*20"],
        ["m = a - b", "n = b*c"],
        {"a": (0, 3, 8.0), "b": (0, 6, 3.0), "c": (1, 5, 20.0)},
        solutions=(5.0, 60.0),
    )
    answer = "x = 8 - 3 and y = 8 * 20. So x = 6 and y = 160."
    (one,) = listed(page_html(*scored([fence], {"model": [{"answer": answer}]})))
    assert one.reason == "part"
    assert "1 of gold's 2 quantities, not the others" in one.details["message"]
    assert one.details["side"]["note"] == "a part of the derivation"


def test_markup_in_answers_stays_text_on_the_page() -> None:
    page = page_html(*scored([MIXTURE, hostile()], {"a": [{"answer": f"x = 3 {EVIL}{QUOTES}"}, {"answer": ""}]}))
    elements = Elements(page)
    kinds = [a.get("type") for tag, a in elements.found if tag == "script"]
    assert kinds == ["application/gzip", "application/gzip", None]
    assert not any(tag == "img" for tag, _ in elements.found)
    assert EVIL not in page
    assert [one.answer for one in listed(page)] == [f"x = 3 {EVIL}{QUOTES}", ""]


def test_two_thousand_long_answers_make_a_page_of_bounded_size() -> None:
    entries = Entries()
    filler = " And so on, as anybody can see." * 1_900
    answers = [(id_, text + filler) for name in ANSWERS for id_, text in load_sample_answers(name).items()]
    graded = [(id_, text, grade({"answer": text}, PROBLEMS[id_].to_row())) for id_, text in answers]
    for place in range(2_000):
        id_, text, verdict = graded[place % len(graded)]
        row = PROBLEMS[id_].to_row() | {"id": f"p{place}"}
        entries.add("hasty", Judged(PreparedProblem.of(row), {"answer": text}, verdict))
    page = page_html(SAMPLE[0], entries)
    found = listed(page)
    assert len(found) == 2_000
    assert max(len(one.answer) for one in found) < 1.2 * MAX_SHOWN
    assert min(one.length for one in found) > 50_000
    assert len(page) < 1_500_000


def test_the_figure_of_a_right_answer_is_in_the_reading_that_agrees_with_gold() -> None:
    # The values of numbers occur twice in these texts; the most natural reading takes the others.
    rows = {problem.id: PreparedProblem(problem) for problem in load_sample()["test"]}
    for id_ in (101, 102, 105, 117, 119):
        for name in ANSWERS:
            verdict = grade({"answer": load_sample_answers(name)[id_]}, rows[id_])
            if verdict.reason is not Reason.RIGHT:
                continue
            drawn = picture_of(rows[id_], ({"answer": load_sample_answers(name)[id_]},), verdict).above
            assert drawn is not None
            assert grade(drawn.notation, rows[id_], match="quantities").derivation, (id_, name, drawn.notation)


def test_algorithm_1_shows_the_natural_reading_that_it_compares() -> None:
    problem = PreparedProblem(next(problem for problem in load_sample()["test"] if problem.id == 105))
    answer = {"answer": load_sample_answers("careful")[105]}
    by_quantities, by_algorithm = (grade(answer, problem, match=match) for match in ("auto", "algorithm1"))
    assert by_quantities.derivation
    assert by_algorithm.reading is not None
    assert grade("; ".join(by_algorithm.reading.setup), problem).derivation == by_algorithm.derivation
