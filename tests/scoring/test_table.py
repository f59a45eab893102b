"""The table of systems: the figures in all three forms, and what may not be compared."""

from __future__ import annotations

import json

import pytest

from draw_dataset import Score, compare_scores, score
from draw_dataset.data.sample import PREDICTIONS, load_sample, load_sample_predictions
from draw_dataset.errors import ScoreError
from draw_dataset.scoring.options import Options
from draw_dataset.scoring.significance import bootstrap_interval, randomisation_test

ROWS = [problem.to_row() for problem in load_sample()["test"]]


def scored(name: str, options: Options = Options()) -> Score:  # noqa: B008
    predictions = load_sample_predictions(name)
    return score([predictions[row["id"]] for row in ROWS], ROWS, options, data="sample/test")


@pytest.fixture(scope="module")
def scores() -> dict[str, Score]:
    return {name: scored(name) for name in PREDICTIONS}


def test_the_table_has_the_figures_of_the_scores(scores: dict[str, Score]) -> None:
    table = compare_scores(scores)
    data = json.loads(json.dumps(table.to_dict()))
    assert [system["name"] for system in data["systems"]] == list(PREDICTIONS)
    careful, lucky, mixed = data["systems"]
    assert careful["derivation_accuracy"] == scores["careful"].derivation_accuracy
    assert careful["against_first"] == {}
    expected = randomisation_test(scores["lucky"].items["derivation"], scores["careful"].items["derivation"])
    assert lucky["against_first"]["derivation"]["p_value"] == expected.p_value
    assert lucky["against_first"]["derivation"]["significant"] is True
    assert lucky["against_first"]["solution"]["significant"] is False
    interval = bootstrap_interval(scores["mixed"].items["solution"])
    assert mixed["intervals"]["solution"] == [interval.low, interval.high]
    assert mixed["abstained"] == 5
    assert mixed["slices"] == scores["mixed"].slices()


def test_text_is_narrow_and_says_the_signature_once(scores: dict[str, Score]) -> None:
    text = compare_scores(scores, slices=True).to_text()
    lines = text.splitlines()
    assert all(len(line) <= 100 for line in lines if "|" not in line)
    assert [line.split(": ", 1)[1] for line in lines if "|" in line] == [str(scores["careful"].signature)]
    assert lines[:3] == [f"{name}: {scores[name].right_reasons}" for name in PREDICTIONS]
    assert lines[4].split() == list(PREDICTIONS)
    assert lines[5].split("  ")[0] == "derivation accuracy"
    assert "86.7 [73.3, 96.7]" in lines[5]
    assert lines[6].count("*") == 2
    assert "by ambiguity: derivation/equation/solution" in lines
    assert "by ambiguity" not in compare_scores(scores).to_text()


def test_many_systems_come_in_blocks(scores: dict[str, Score]) -> None:
    many = {f"{name}-with-quite-a-long-name-{i}": one for i in range(3) for name, one in scores.items()}
    lines = compare_scores(many, samples=100).to_text().splitlines()
    assert all(len(line) <= 100 for line in lines if "|" not in line)
    assert sum(line.startswith("derivation accuracy") for line in lines) == 3


def test_one_system_is_compared_with_nothing(scores: dict[str, Score]) -> None:
    text = compare_scores({"alone": scores["lucky"]}).to_text()
    assert "against" not in text.lower()
    assert "Which gold to report" not in text
    assert "right answer, wrong derivation" in text


def test_markdown_is_a_table(scores: dict[str, Score]) -> None:
    lines = compare_scores(scores).to_markdown().splitlines()
    assert lines[0] == "- careful: 28 right answers: 26 for the right reason, 2 for a wrong one, 0 not known"
    assert lines[4] == "| | careful | lucky | mixed |"
    rows = lines[4 : lines.index("", 4)]
    assert {line.count("|") for line in rows} == {5}
    assert "| derivation accuracy | 86.7 [73.3, 96.7] | 33.3 [16.7, 50.0] | 36.7 [20.0, 53.3] |" in rows


def test_signatures_that_differ_are_all_told(scores: dict[str, Score]) -> None:
    first = scored("careful", Options(equation="first"))
    text = compare_scores({"random": scores["careful"], "first": first}).to_text()
    assert f"Signature of random: {scores['careful'].signature}" in text
    assert f"Signature of first: {first.signature}" in text


def test_other_rows_are_not_compared(scores: dict[str, Score]) -> None:
    short = score([None] * 29, ROWS[:29], data="sample/test")
    with pytest.raises(ScoreError, match=r"expected scores on the same rows, but careful has .*, n:30 and short has"):
        compare_scores({"careful": scores["careful"], "short": short})
    with pytest.raises(ScoreError, match="at least one score"):
        compare_scores({})


def test_a_table_becomes_a_data_frame(scores: dict[str, Score]) -> None:
    frame = compare_scores(scores, samples=100).to_pandas()
    assert list(frame.index) == list(PREDICTIONS)
    assert frame.loc["lucky", "solution_accuracy"] == scores["lucky"].solution_accuracy
    assert frame.loc["lucky", "right_answer_wrong_derivation"] == scores["lucky"].lucky
