"""Each filter with its cases; dropping is counted and can be undone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from cleaning.stand_in import page_of, pages_of, site_of

from draw_dataset.collect.filters import FILTERS, describe, language_of, record_of, uses_x
from draw_dataset.collect.page import Explanation, ParsedPage
from draw_dataset.collect.pool import Cleaning, KnownProblems, SeenProblems
from draw_dataset.collect.record import Record
from draw_dataset.data.release import load_problems

GOOD = "Ann has 20 coins, nickels and dimes, worth $1.45. How many of each does she have?"
SOLVED = "x + y = 20\n.05x + .10y = 1.45\nx = 11\ny = 9"


def made(question: str = GOOD, explanation: str = SOLVED, id_: int = 1) -> Record:
    return describe(ParsedPage(id_, question, (Explanation("ann", explanation),), "", ""), "", "coins")


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("", made()),
        ("", made("Ann has 20 coins in nickels and dimes. They are worth $1.45.")),
        (
            "other-language",
            made("Ana tiene 20 monedas de 5 y de 10 centavos. ¿Cuántas monedas de cada una tiene en total?"),
        ),
        ("other-language", made("У Анны 20 монет по 5 и по 10 центов. Сколько у неё тех и других?")),
        ("no-question", made("")),
        ("no-question", made("help")),
        ("no-question", made("I bought a bag of coins that is worth $145 in all.")),
        ("no-question", made("Please help me with this problem???")),
        ("no-number", made("Ann is older than her brother. How old is she?")),
        ("not-linear-words", made("A rectangle has an area of 48. Use the quadratic formula. How wide is it?")),
        ("not-linear-words", made("The product of two consecutive integers is 132. What is the smaller one?")),
        ("not-linear-words", made(explanation="x^2 + 3x = 20\nx = 4")),
        ("not-linear-equations", made(explanation="x(x + 3) = 20\nx = 3.2")),
        ("no-x", made(explanation="n + k = 20\n.05n + .10k = 1.45\nn = 11\nk = 9")),
        ("no-x", made(explanation="20 x 5 = 100 and 145 - 100 = 45, so there are 9 dimes.")),
        ("no-x", made(explanation="")),
        ("no-equations", made(explanation="Take x of them and see what is left.")),
        ("no-equations", made(explanation="x + y = 20\n.05x + .10y = 1.45\nx = 12\ny = 9")),
        ("no-equations", made(explanation=".15x + .45(60 - x) = .25(60)\nx = 40")),
    ],
)
def test_each_filter_drops_its_own(name: str, record: Record) -> None:
    judged = Cleaning().judge(record)
    assert judged.dropped_by == name, judged.why
    assert bool(judged.why) == bool(name)


def test_there_is_a_case_for_every_filter() -> None:
    assert set(FILTERS) == {
        "other-language",
        "no-question",
        "no-number",
        "not-linear-words",
        "not-linear-equations",
        "no-x",
        "no-equations",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2x = 5", True),
        ("let x be", True),
        ("X + 3", True),
        ("{{{x/2 = 3}}}", True),
        ("3x(4)", True),
        ("5 - x", True),
        ("next six boxes", False),
        ("3 x 4 = 12", False),
        ("3x4", False),
        ("5 x $3", False),
        ("20% x 50", False),
        ("2 hours x 3", False),
        ("(2+3) x 4", False),
        ("the x-axis", False),
        ("Xavier's", False),
        ("", False),
        ("3 x 4 = 12 but x = 5", True),
        ("10 x + 4", True),
    ],
)
def test_x_counts_as_an_unknown_only(text: str, expected: bool) -> None:
    assert uses_x(text) is expected


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How many dimes are there?", "English"),
        ("Lou had 5 jujubes.", "English"),
        ("x + y = 5", "English"),
        ("La suma de dos números es 20 y su diferencia es 4. ¿Cuáles son los números?", "Spanish"),
        (
            "La somme de deux nombres est 20 et le plus grand est le double de l'autre. Quels sont ces nombres?",
            "French",
        ),
        (
            "Die Summe von zwei Zahlen ist 20 und die eine ist um 4 größer als die andere. Wie heißen die Zahlen?",
            "German",
        ),
        ("Two numbers la suma de whose is 20. Find the numbers that have a difference of 4.", "English"),
    ],
)
def test_the_language_is_told(text: str, language: str) -> None:
    assert language_of(text) == language


def test_texts_alike_with_other_numbers_are_other_problems() -> None:
    cleaning = Cleaning()
    twice = made(id_=2)
    other = made(GOOD.replace("20", "18").replace("1.45", "1.25"), "x + y = 18\n.05x + .10y = 1.25\nx = 11\ny = 7", 3)
    worded = made(
        f"Please help me. {GOOD.replace('Ann has', 'ANN has')} I have been at it for 3 hours, pls help!", id_=4
    )
    verdicts = [cleaning.judge(record) for record in (made(), twice, other, worded)]
    assert [(v.dropped_by, v.why) for v in verdicts] == [
        ("", ""),
        ("duplicate", "it repeats 1"),
        ("", ""),
        ("duplicate", "it repeats 1"),
    ]
    assert cleaning.funnel.dropped == {"duplicate": 2}


def test_a_dropped_record_does_not_make_another_one_a_duplicate() -> None:
    cleaning = Cleaning()
    assert cleaning.judge(made(explanation="see above, x = 11")).dropped_by == "no-equations"
    assert cleaning.judge(made(id_=2)).dropped_by == ""


def test_a_dropped_record_can_be_restored() -> None:
    cleaning = Cleaning(restore=frozenset((2,)))
    kept = [cleaning.judge(made(explanation="n = 5", id_=id_)) for id_ in (1, 2)]
    assert [(r.dropped_by, r.restored_from) for r in kept] == [("no-x", ""), ("", "no-x")]
    assert (cleaning.funnel.dropped, cleaning.funnel.restored) == ({"no-x": 1}, {"no-x": 1})
    assert kept[0].restore().dropped_by == ""


def test_the_likeness_of_texts_does_not_depend_on_their_order() -> None:
    texts = [site_of(400, 3).questions[n].posted for n in site_of(400, 3).stored[:150]]
    verdicts = []
    for order in (texts, texts[::-1]):
        seen = SeenProblems()
        groups = 0
        for place, text in enumerate(order):
            if seen.find(text) is None:
                seen.add(place, text)
                groups += 1
        verdicts.append(groups)
    assert verdicts[0] == verdicts[1]


def test_the_traps_of_the_stand_in_fall_into_the_right_filters() -> None:
    site = site_of(400, 3)
    cleaning = Cleaning()
    where: dict[str | None, set[str]] = {}
    kept = set()
    for record in cleaning.run(pages_of(site)):
        where.setdefault(site.questions[record.id].trap, set()).add(record.dropped_by)
        if not record.dropped_by:
            kept.add(record.id)
    assert where[None] <= {"", "duplicate"}
    assert where["variant"] == {""}
    assert where["duplicate"] <= {"duplicate", ""}  # the first of two may not have been stored
    assert where["not-linear"] <= {"not-linear-words", "not-linear-equations"}
    assert where["no-x"] | where["no-explanation"] == {"no-x"}
    assert where["no-question"] <= {"no-question", "no-number"}
    assert where["no-number"] <= {"no-number", "no-equations"}
    assert where["wrong-solution"] == {"no-equations"}
    # A duplicate is kept only if its original was not.
    assert not [id_ for id_ in kept if site.questions[id_].trap == "duplicate" and site.questions[id_].repeats in kept]


def test_a_page_that_cannot_be_parsed_is_dropped_with_the_reason() -> None:
    site = site_of(400, 3)
    page = page_of(site, site.listed[0])
    whys = [record_of(replace(page, body=body)).why for body in (b"", b"<p>Sorry")]
    whys.append(record_of(replace(page, id=5)).why)
    assert len(set(whys)) == 3
    assert str(page.id) in whys[2]
    huge = f"Question {page.id}: {'how ' * 9000}".encode()
    assert record_of(replace(page, body=huge)).dropped_by == "unparsed"


@pytest.mark.release
def test_problems_of_the_release_are_known_by_id_and_by_text(release_dir: Path) -> None:
    known = KnownProblems(release_dir)
    draw = load_problems("draw1k", release_dir)["train"][:40]
    alg = load_problems("alg514", release_dir)["fold0"][:40]
    for problem in draw:
        assert known.find(problem.id, "something else") == f"draw1k {problem.id}"
        assert known.find(0, problem.question) is not None
        assert known.find(0, f"{problem.question.upper()} Thanks!") is not None
    for problem in alg:
        assert known.find(0, problem.question) is not None
    assert known.find(0, GOOD) is None
    judged = Cleaning(known=known).judge(replace(made(), id=draw[0].id))
    assert (judged.dropped_by, judged.why) == ("known", f"it is draw1k {draw[0].id}")
