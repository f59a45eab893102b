"""The page: complete, self-contained, harmless, and usable in a real browser."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from pathlib import Path
from typing import Any

import pytest
from report.pages import Elements, index_of, shown
from report.problems import EVIL, MIXTURE, QUOTES, hostile, scored

from draw_dataset.data.sample import PREDICTIONS, load_sample, load_sample_predictions
from draw_dataset.errors import FolderError, ScoreError
from draw_dataset.report.page import page_html, write_page
from draw_dataset.scoring.table import compare_scores

TEST = load_sample()["test"]
SAMPLE = scored(TEST, {n: [load_sample_predictions(n)[p.id] for p in TEST] for n in PREDICTIONS})
HOSTILE = scored([MIXTURE, hostile()], {f"{EVIL}{QUOTES}": ["m = q1", EVIL], "b": [QUOTES, {"template": [EVIL]}]})


def test_everything_is_on_the_page() -> None:
    page = page_html(*SAMPLE, title="The sample")
    elements = Elements(page)
    scores = [system.score for system in SAMPLE[0].systems]
    wrong = sum(score.count - score.counts["right"] for score in scores)
    articles = [attributes for tag, attributes in elements.found if tag == "article"]
    assert [a["data-item"] for a in articles] == [str(i) for i in range(wrong)]
    assert len(index_of(page)) == wrong
    lucky, others = page.split('id="others"')
    assert lucky.count("<article") == sum(score.lucky for score in scores)
    assert others.count("<article") == wrong - lucky.count("<article")
    for score in scores:
        assert str(score.signature) in page
        assert f"<b>{100 * score.derivation_accuracy:.1f} %</b>" in page
    assert "16.7 to 50.0" in page  # the interval of the lucky system
    assert "ambiguity: ambiguous" in page
    assert "are left out" not in page


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


def test_no_markup_of_the_data_survives() -> None:
    page = page_html(*HOSTILE, title=EVIL)
    elements = Elements(page)
    assert [a.get("type") for tag, a in elements.found if tag == "script"] == ["application/json", None]
    assert not any(tag == "img" for tag, _ in elements.found)
    assert not any(name.startswith("on") for _, attributes in elements.found for name in attributes)
    assert EVIL not in page
    assert "<" not in re.findall(r'id="index">(.*?)</script>', page, re.DOTALL)[0]
    assert index_of(page)[0]["system"] == f"{EVIL}{QUOTES}"


def test_the_page_has_an_end() -> None:
    page = page_html(*SAMPLE, figures=5)
    assert page.count("<article") == 5 == len(index_of(page))
    assert "38 of 43 predictions that are not right are left out" in page
    assert page_html(*SAMPLE, figures=0).count("<article") == 0


def test_a_page_without_errors() -> None:
    page = page_html(*scored([MIXTURE], {"gold": [MIXTURE.derivation.q_notation()]}))
    Elements(page)
    assert "0 right answers had a wrong derivation" in page


def test_parts_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(ScoreError, match="page: expected wrong predictions of careful, lucky, mixed, but got some of"):
        page_html(SAMPLE[0], {"another": []})


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


@pytest.mark.xdist_group("browser")
def test_a_browser_filters_by_system_reason_and_words(tmp_path: Path, browse: Any) -> None:
    page = tmp_path / "report.html"
    write_page(page, *SAMPLE)
    document = browse(f"{page.as_uri()}#system=lucky&reason=alignment&q=sandwiches")
    items = index_of(page.read_text(encoding="utf-8"))
    fitting = [
        i
        for i, item in enumerate(items)
        if (item["system"], item["reason"]) == ("lucky", "alignment") and "sandwiches" in item["text"]
    ]
    assert [re.findall(r'data-item="(\d+)"', a)[0] for a in shown(document)] == [str(i) for i in fitting]
    assert fitting
    assert f"{len(fitting)} of {len(items)} shown" in document
    assert re.search(r'<p id="none" hidden', document)


@pytest.mark.xdist_group("browser")
def test_a_browser_runs_no_script_of_the_data(tmp_path: Path, browse: Any) -> None:
    page = tmp_path / "report.html"
    write_page(page, *HOSTILE, title=EVIL)
    document = browse(f"{page.as_uri()}#q=nothinglikethis")
    assert shown(document) == []
    assert "0 of 4 shown" in document
    assert "<img" not in document
