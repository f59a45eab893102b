"""The figures of Table 2: what is counted, on cases of our own, on the sample and on the release."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from draw_dataset.data.release import DATASETS, load_problems
from draw_dataset.data.sample import load_sample
from draw_dataset.data.statistics import (
    FIGURES,
    Statistics,
    as_data,
    as_markdown,
    as_text,
    measure,
    save_plot,
    template_of_equations,
)
from draw_dataset.derivation.problem import AlignedNumber, Problem
from draw_dataset.errors import ChoiceError, ExtraMissing, FolderError, RowError
from draw_dataset.text.numbers import locate_numbers
from draw_dataset.text.question import is_ambiguous, is_ambiguous_in_context


def problem(question: str, value: float, place: tuple[int, int]) -> Problem:
    numbers, _ = locate_numbers(question)
    return Problem(1, question, numbers, (f"x = {value}",), (value,), ("m = a",), (AlignedNumber("a", *place, value),))


def sample() -> list[Problem]:
    return [problem for problems in load_sample().values() for problem in problems]


@pytest.mark.parametrize(
    ("question", "value", "place", "word_by_word", "in_context"),
    [
        ("Ann has 5 pens and Ben 7 .", 5.0, (0, 2), False, False),
        ("Ann has 5 pens and Ben five .", 5.0, (0, 2), True, True),
        ("One number is 1 more than the other .", 1.0, (0, 3), True, False),
        ("Twice a number is 2 .", 2.0, (0, 4), True, True),
        ("The two-digit number is 2 more .", 2.0, (0, 4), True, False),
        ("Two odd integers differ by six .", 2.0, (0, 0), True, True),
        ("Dimes and quarters are 10 dimes worth .", 0.1, (0, 0), True, True),
        ("A year ago he was 1 year old .", 1.0, (0, 5), False, True),
        ("One hundred and five is 5 more than a hundred .", 5.0, (0, 5), False, False),
    ],
)
def test_what_is_ambiguous(
    question: str, value: float, place: tuple[int, int], word_by_word: bool, in_context: bool
) -> None:
    case = problem(question, value, place)
    assert (is_ambiguous(case), is_ambiguous_in_context(case)) == (word_by_word, in_context)


def test_rounded_annotations_still_match_their_number() -> None:
    case = problem("One-third of it and 1/3 of that .", 0.3333333432674408, (0, 0))
    assert is_ambiguous(case)


def test_templates_before_are_read_off_the_equations() -> None:
    aligned = (AlignedNumber("a", 0, 0, 0.05), AlignedNumber("b", 0, 2, 1200.0))
    base = Problem(7, "", (), ("0.05*(cheap + dear) = 1,200", "2 cheap = dear"), (), (), aligned)
    assert str(template_of_equations(base)) == "s1*(x1 + x2) = s2; 2*x1 = x2"
    with pytest.raises(RowError, match="problem 7: equations: equation 1"):
        template_of_equations(replace(base, equations=("x = = 2",)))


def test_no_problems_have_figures_too(tmp_path: Path) -> None:
    nothing = measure([])
    assert (nothing.problems, nothing.ambiguity, nothing.templates, nothing.reduction) == (0, 0.0, 0, 0.0)
    assert "0" in as_text({"nothing": nothing})
    save_plot({"nothing": nothing}, tmp_path / "nothing.png")


def test_an_unreadable_template_names_its_problem() -> None:
    with pytest.raises(RowError, match="problem 1: template: equation 1"):
        measure([replace(sample()[0], template=("m = + ",))])


def test_the_sample() -> None:
    figures = measure(sample())
    assert (figures.problems, figures.ids) == (120, 120)
    assert figures.ambiguity >= 30
    assert figures.templates >= 40
    assert set(figures.unknowns) == {1, 2, 3}
    assert set(figures.slots) == set(range(7))
    assert sum(figures.template_frequency) == 120
    assert figures.findings == {}


def test_findings_are_counted_by_problem() -> None:
    first, second, *_ = sample()
    figures = measure([replace(first, findings=("b", "a", "a")), replace(second, findings=("b",))])
    assert figures.findings == {"a": 1, "b": 2}


def test_every_figure_is_defined_in_every_form() -> None:
    columns = {"draw1k": measure(sample()), "mine": measure(sample()[:10])}
    text, markdown, data = as_text(columns), as_markdown(columns), as_data(columns)
    for figure in FIGURES:
        assert figure.title in text
        assert figure.definition in markdown
        assert data["definitions"][figure.name] == figure.definition
        assert figure.name in data["datasets"]["mine"]
    assert data["datasets"]["draw1k"]["paper"]["templates"] == "224"
    assert data["datasets"]["mine"]["paper"] == {}


@pytest.mark.parametrize(
    ("suffix", "magic"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF"), (".SVG", b"<?xml")]
)
def test_plots_are_drawn_and_are_the_same_each_time(tmp_path: Path, suffix: str, magic: bytes) -> None:
    columns = {"sample": measure(sample()), "rows.jsonl": measure(sample()[:7])}
    paths = [tmp_path / f"{name}{suffix}" for name in "ab"]
    for path in paths:
        save_plot(columns, path)
    first, second = (path.read_bytes() for path in paths)
    assert first.startswith(magic)
    assert first == second


def test_a_plot_refuses_what_it_cannot_draw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ChoiceError, match=r"\.png, \.svg, \.pdf, but got 'figure\.bmp'"):
        save_plot({}, tmp_path / "figure.bmp")
    with pytest.raises(FolderError, match="there is no folder"):
        save_plot({}, tmp_path / "nowhere" / "figure.png")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ExtraMissing, match=r"pip install 'draw-dataset\[report\]'"):
        save_plot({}, tmp_path / "figure.png")


def test_drawing_leaves_pyplot_alone(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from draw_dataset.data.statistics import measure\n"
        "from draw_dataset.data.statistics import save_plot\n"
        f"save_plot({{'x': measure([])}}, Path({str(tmp_path / 'x.png')!r}))\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.fixture(scope="module")
def release(release_dir: Path) -> dict[str, list[Problem]]:
    return {name: [p for ps in load_problems(name, release_dir).values() for p in ps] for name in DATASETS}


@pytest.fixture(scope="module")
def measured(release: dict[str, list[Problem]]) -> list[Statistics]:
    return [measure(problems) for problems in release.values()]


@pytest.mark.release
class TestRelease:
    def test_problems(self, measured: list[Statistics]) -> None:
        assert [(s.problems, s.ids) for s in measured] == [(1000, 999), (514, 514), (831, 831)]

    def test_ambiguity(self, measured: list[Statistics]) -> None:
        assert [s.ambiguous for s in measured] == [210, 115, 298]
        assert [round(s.ambiguity, 1) for s in measured] == [21.0, 22.4, 35.9]
        assert [round(s.ambiguity_in_context, 1) for s in measured] == [20.4, 22.2, 36.2]

    def test_vocabulary(self, measured: list[Statistics]) -> None:
        assert [s.vocabulary for s in measured] == [2213, 1833, 336]

    def test_templates(self, release: dict[str, list[Problem]], measured: list[Statistics]) -> None:
        assert [(s.template_texts, s.templates) for s in measured] == [(230, 226), (25, 24), (215, 209)]
        everything = measure(p for problems in release.values() for p in problems)
        assert (everything.template_texts, everything.templates) == (392, 382)

    def test_templates_before(self, measured: list[Statistics]) -> None:
        # The paper: 329, 30, 273. No reading that we know of gives all three.
        assert [(s.equation_texts, s.templates_before) for s in measured] == [(575, 277), (104, 29), (465, 285)]

    def test_slots_and_unknowns(self, measured: list[Statistics]) -> None:
        assert [s.slots for s in measured] == [
            {1: 2, 2: 216, 3: 396, 4: 341, 5: 22, 6: 23},
            {2: 104, 3: 121, 4: 261, 6: 28},
            {0: 2, 1: 115, 2: 257, 3: 308, 4: 131, 5: 14, 6: 4},
        ]
        assert [s.unknowns for s in measured] == [{1: 255, 2: 745}, {1: 91, 2: 423}, {1: 612, 2: 195, 3: 24}]
