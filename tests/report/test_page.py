"""The page: complete, self-contained and harmless; a browser tests it in test_page_browser.py."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report.pages import Elements, index_of, listed
from report.problems import EVIL, MIXTURE, QUOTES, hostile, scored

from draw_dataset import compare_scores, score
from draw_dataset.data.sample import PREDICTIONS, load_sample, load_sample_predictions
from draw_dataset.derivation.problem import AppliedCorrection
from draw_dataset.errors import FolderError, ScoreError
from draw_dataset.report.entries import Entries
from draw_dataset.report.page import VIEWS, page_html, write_page
from draw_dataset.report.picture import MAX_SHOWN

TEST = load_sample()["test"]
SAMPLE = scored(TEST, {n: [load_sample_predictions(n)[p.id] for p in TEST] for n in PREDICTIONS})
HOSTILE = scored([MIXTURE, hostile()], {f"{EVIL}{QUOTES}": ["m = q1", EVIL], "b": [QUOTES, {"template": [EVIL]}]})


def test_every_prediction_is_on_the_page_with_its_verdict() -> None:
    page = page_html(*SAMPLE, title="The sample")
    Elements(page)
    entries = listed(page)
    assert len(entries) == 90
    for system in SAMPLE[0].systems:
        own = [one for one in entries if one.system == system.name]
        assert [one.id for one in own] == [str(problem.id) for problem in TEST]
        assert sum(one.verdict == "right" for one in own) == round(30 * system.score.derivation_accuracy)
        assert sum(one.solution for one in own) == round(30 * system.score.solution_accuracy)
        assert sum(one.verdict == "wrong" and one.solution for one in own) == system.score.lucky
        assert str(system.score.signature) in page
        assert f"<b>{100 * system.score.derivation_accuracy:.1f} %</b>" in page
    assert "16.7 to 50.0" in page  # the interval of the lucky system
    assert "ambiguity: ambiguous" in page


def test_the_data_has_what_a_figure_needs() -> None:
    entries = scored([MIXTURE], {"a": ["q1*m + q2*n = q7*q5; m + n = q5"]})
    (one,) = listed(page_html(*entries))
    numbers = [piece for piece in one.problem["question"] if isinstance(piece, list)]
    assert [(text, label) for text, label, _ in numbers] == [
        ("30", "q1"), ("10", "q2"), ("30", "q3"), ("10", "q4"), ("40", "q5"), ("15", "q6"), ("2", "q7"),
    ]  # fmt: skip
    classes = {label: own for _, label, own in numbers}
    assert (classes["q1"], classes["q2"]) == (classes["q3"], classes["q4"])
    assert len(set(classes.values())) == 5
    text = "".join(piece if isinstance(piece, str) else piece[0] for piece in one.problem["question"])
    assert text == MIXTURE.question
    gold, side = one.problem["gold"], one.details["side"]
    assert gold["equations"] == ["\na\n*m + \nb\n*n = \nc\n*\nd\n", "m + n = \nd\n"]
    assert gold["slots"] == [["a", "q1"], ["b", "q2"], ["c", "q6"], ["d", "q5"]]
    assert side["slots"][2] == ["c", "q7", 1, "q6"]
    assert one.details["goldDiffers"] == ["c"]
    assert one.problem["solutions"] == "10, 30"


def test_gold_is_told_in_words() -> None:
    row = replace(
        MIXTURE,
        roles=(("m", "grams of the strong paste"),),
        asked=("m", "10*m"),
        alternatives=("q1*m = q5",),
        correction=AppliedCorrection(3, "derivation"),
    )
    (one,) = listed(page_html(*scored([row], {"a": [None]})))
    assert one.problem["roles"] == [["m", "grams of the strong paste"]]
    assert one.problem["asked"] == ["m", "10*m"]
    assert one.problem["alternatives"] == ["q1*m = q5"]
    assert one.problem["correction"][:2] == [3, "derivation"]
    assert (one.verdict, one.reason, one.details.get("given", "")) == ("undecided", "abstained", "")


def test_ids_keep_their_type() -> None:
    rows = [replace(MIXTURE, id=id_) for id_ in (7, "7", "a/7", (1 << 62) + 1)]
    page = page_html(*scored(rows, {"a": ["m = q1"] * 4}))
    assert [row[0] for row in index_of(page)["rows"]] == ["7", '"7"', "a/7", str((1 << 62) + 1)]


def test_views_and_counts_lead_to_filters_that_the_form_has() -> None:
    page = page_html(*SAMPLE)
    fields = {a["name"] for tag, a in Elements(page).found if tag in ("select", "input")}
    links = [a["href"] or "" for tag, a in Elements(page).found if tag == "a"]
    named = {part.split("=")[0] for link in links if "=" in link for part in link[1:].split("&")}
    assert named <= fields
    assert set().union(*VIEWS.values()) <= fields
    assert "#verdict=wrong&system=lucky" in links
    assert "#reason=slot+count&system=lucky" in links


def test_the_page_needs_nothing_from_elsewhere() -> None:
    page = page_html(*SAMPLE)
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
    for _, attributes in Elements(page).found:
        assert not {"src", "style"} & attributes.keys()
        assert attributes.get("href", "#").startswith("#")  # type: ignore[union-attr]


def test_only_our_script_and_style_are_allowed_to_work() -> None:
    page = page_html(*HOSTILE)
    policy = next(a["content"] for tag, a in Elements(page).found if "http-equiv" in a) or ""
    for kind in ("style", "script"):
        found = re.findall(rf"<{kind}>(.*?)</{kind}>", page, re.DOTALL)
        assert len(found) == 1
        digest = base64.b64encode(hashlib.sha256(found[0].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "require-trusted-types-for 'script'; trusted-types 'none'" in policy


def test_the_script_never_makes_markup_or_code_of_text() -> None:
    (script,) = re.findall(r"<script>(.*?)</script>", page_html(*SAMPLE), re.DOTALL)
    for name in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "DOMParser"):
        assert name not in script


def test_no_markup_of_the_data_survives() -> None:
    page = page_html(*HOSTILE, title=EVIL)
    elements = Elements(page)
    kinds = [a.get("type") for tag, a in elements.found if tag == "script"]
    assert kinds == ["application/gzip", "application/gzip", None]
    assert not any(tag == "img" for tag, _ in elements.found)
    assert not any(name.startswith("on") for _, attributes in elements.found for name in attributes)
    assert EVIL not in page
    assert index_of(page)["systems"] == [f"{EVIL}{QUOTES}", "b"]


NASTY = st.lists(
    st.sampled_from(
        ["</script>", "<!--", "]]>", "&lt;", '"', "'", "\\", "\x00", "\ud800", "\udfff", "\u202e", "\u2028", "\ufeff",
         "\U0001f600", "x = q1", "3 + 5 = 8", " ", "\n", "`", "$", "=1+1", "é"]
    ) | st.text(max_size=4),
    max_size=12,
).map("".join)  # fmt: skip


def all_texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = [*value, *value.values()]
    return [text for item in value for text in all_texts(item)] if isinstance(value, list) else []


@settings(max_examples=60, deadline=None)
@given(NASTY, NASTY, NASTY, st.booleans())
def test_no_text_can_leave_its_place(name: str, given_: str, id_: str, is_answer: bool) -> None:
    row = replace(hostile(), id="".join(filter(str.isprintable, f"a{id_}"))[:50])  # other ids are refused
    prediction: Any = {"answer": given_} if is_answer else given_
    page = page_html(*scored([row], {name: [prediction], f"{name} 2": [None]}), title=name)
    page.encode()  # no lone surrogate
    elements = Elements(page)
    kinds = [a.get("type") for tag, a in elements.found if tag == "script"]
    assert kinds == ["application/gzip", "application/gzip", None]
    assert len(listed(page)) == 2
    one = listed(page)[0]
    texts = all_texts([index_of(page)["systems"], one.id, one.problem, one.details])
    assert not {c for text in texts for c in text.replace("\n", "") if unicodedata.category(c)[0] == "C"} - {"\ufffd"}
    if is_answer:
        assert len("".join(one.answer.split())) == len("".join(given_.split()))


def test_an_answer_of_a_megabyte_is_clipped_and_its_length_is_told() -> None:
    long = "We think. " * 100_000
    page = page_html(*scored([MIXTURE], {"a": [{"answer": long}], "b": [long]}))
    answer, text = listed(page)
    assert answer.length == len(long)
    assert len(answer.answer) < MAX_SHOWN + 100
    assert len(text.details["given"]) <= 2_000
    assert len(page) < 200_000


def test_systems_whose_names_look_alike_are_told_apart() -> None:
    page = page_html(*scored([MIXTURE], {"a\x00": ["m = q1"], "a\x01": [None]}))
    names = index_of(page)["systems"]
    assert len(set(names)) == 2
    assert [one.reason for one in listed(page)] == ["slot count", "abstained"]


def test_a_page_without_errors() -> None:
    page = page_html(*scored([MIXTURE], {"gold": [MIXTURE.derivation.q_notation()]}))
    Elements(page)
    assert "1 right answer: 1 for the right reason, 0 for a wrong one, 0 not known" in page
    assert "First errors" not in page
    assert [one.verdict for one in listed(page)] == ["right"]


def test_a_page_without_predictions_still_has_the_scores() -> None:
    page = page_html(SAMPLE[0], {})
    assert listed(page) == []
    assert f"<b>{100 * SAMPLE[0].systems[0].score.derivation_accuracy:.1f} %</b>" in page


def test_parts_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(ScoreError, match="page: expected predictions of careful, lucky, mixed, but got some of"):
        page_html(SAMPLE[0], {"another": []})
    with pytest.raises(ScoreError, match="but got some of 'a'"):
        page_html(SAMPLE[0], scored([MIXTURE], {"a": [None]})[1])


def test_a_system_may_lack_predictions_of_some_problems() -> None:
    entries = Entries()
    table, both = scored([MIXTURE, hostile()], {"a": [None, None], "b": [None, None]})
    assert both.systems == ["a", "b"]
    assert len(listed(page_html(table, both))) == 4
    assert listed(page_html(table, entries)) == []


def test_the_page_has_the_intervals_and_tests_of_the_table() -> None:
    scores = {system.name: system.score for system in SAMPLE[0].systems}
    table = compare_scores(scores, samples=20, seed=3)
    page = page_html(table, {})
    assert "with 95% bootstrap intervals (20 samples)" in page
    assert "Against careful: difference in points and p-value" in page
    for system in table.systems:
        for interval in system.intervals.values():
            assert f"{100 * interval.low:.1f} to {100 * interval.high:.1f}" in page
        for difference in system.against_first.values():
            assert f"{100 * difference.difference:+.1f} p={difference.p_value:.4f}" in page
    assert "p=" not in page_html(compare_scores({"alone": scores["lucky"]}), {}).split('id="reasons"')[0]


def test_open_predictions_give_an_upper_bound_and_a_decided_share() -> None:
    rows = [problem.to_row() for problem in TEST]
    found = score([{"answer": "No idea."}, *[row["derivation"] for row in rows[1:]]], rows)
    page = page_html(compare_scores({"a": found}, samples=10), {})
    assert found.derivation_accuracy < found.derivation_accuracy_upper == 1
    assert re.sub(r"<[^>]+>", "", page).count(f"at most 100.0 %; {100 * found.decided:.1f} % decided") == 1
    assert "“undecided” means that nothing is proved" in page


def test_the_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("old", encoding="utf-8")
    write_page(path, *HOSTILE)
    assert path.read_text(encoding="utf-8") == page_html(*HOSTILE)
    assert os.listdir(tmp_path) == ["report.html"]
    with pytest.raises(FolderError, match="cannot write"):
        write_page(tmp_path / "nowhere" / "report.html", *HOSTILE)
    (tmp_path / "folder").mkdir()
    with pytest.raises(FolderError, match="cannot write"):
        write_page(tmp_path / "folder", *HOSTILE)
    assert sorted(os.listdir(tmp_path)) == ["folder", "report.html"]
