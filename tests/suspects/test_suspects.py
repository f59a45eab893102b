"""Gold that answers contradict: grouping, ranking, files of several samples, the solver as a voice, the command."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from checks.made import derived
from solver.story_problems import stories

from draw_dataset.checks.voices import find_suspects, group_votes, read_answers, read_vote, solver_answers
from draw_dataset.cli import main
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import ScoreError
from draw_dataset.scoring.gold import PreparedProblem

STALL = "Ann sold 30 mugs and bowls for $ 100 . A mug is $ 3 and a bowl $ 4 . How many of each did she sell ?"
RIGHT, WRONG = "m + n = q1; q3*m + q4*n = q2", "q3*m = q1; q4*n = q2"

TWO = "Let x be the mugs and y the bowls. x + y = 30 and 3x + 4y = 100. So y = 10 and x = 20. 20 mugs, 10 bowls."
ONE = "Let m be the number of mugs; then 30 - m bowls. 3m + 4(30 - m) = 100, so m = 20. She sold 20 mugs and 10 bowls."
SLIP = "x + y = 30. 3x + 4y = 100. Then 3x + 120 - 4x = 100, so x = 25 and y = 5."
OTHER = "x - y = 30 and 3x + 4y = 100, so x = 31.43 and y = 1.43."
NOTHING = "I cannot say."


def stall(derivation: str = RIGHT, id: int = 1) -> Problem:
    return derived(STALL, derivation, id=id)


def said(*answers: str, id: int = 1) -> list[tuple[int, dict[str, Any]]]:
    return [(id, {"answer": answer}) for answer in answers]


def test_a_right_gold_is_no_suspect() -> None:
    assert find_suspects([stall()], {"a": said(TWO, ONE, SLIP)}) == []


def test_a_wrong_gold_is_found_with_both_figures_and_the_rival() -> None:
    (suspect,) = find_suspects([stall(WRONG)], {"a": said(TWO, ONE), "b": said(SLIP)})
    assert (suspect.voices, suspect.for_gold, suspect.agreeing, suspect.models) == (3, 0, 3, 2)
    told = suspect.to_dict()
    assert sorted(told["rival_values"]) == ["10", "20"]
    assert told["gold"] == WRONG
    assert set(suspect.sources) == {"a#1", "a#2", "b#1"}
    assert suspect.sentence in (0, 1)
    assert suspect.text


def test_one_derivation_in_other_words_is_one_group() -> None:
    reference = PreparedProblem(stall(WRONG))
    voices = [read_vote({"answer": text}, reference, text, "a") for text in (OTHER, TWO, ONE, SLIP)]
    assert [len(group) for group in group_votes(voices)] == [3, 1]
    # Who does not slip speaks for the group.
    assert not group_votes(voices)[0][0].slips


def test_templates_and_answers_are_voices_alike() -> None:
    (suspect,) = find_suspects([stall(WRONG)], {"a": said(ONE), "b": [(1, RIGHT), (1, {"derivation": RIGHT})]})
    assert suspect.agreeing == 3


def test_what_cannot_be_read_says_nothing() -> None:
    assert find_suspects([stall(WRONG)], {"a": said(NOTHING, NOTHING, "")}) == []
    (suspect,) = find_suspects([stall(WRONG)], {"a": said(NOTHING, TWO, ONE)})
    assert suspect.voices == 2


def test_one_voice_alone_is_not_several() -> None:
    assert find_suspects([stall(WRONG)], {"a": said(TWO)}) == []


def test_the_surest_come_first() -> None:
    problems = [stall(WRONG, id=1), stall(WRONG, id=2), stall(WRONG, id=3)]
    answers = said(TWO, OTHER, id=1) + said(TWO, ONE, SLIP, id=2) + said(TWO, ONE, id=3)
    assert [suspect.id for suspect in find_suspects(problems, {"a": answers})] == [2, 3, 1]


def test_an_alternative_is_a_gold_that_counts() -> None:
    row = stall(WRONG).to_row() | {"alternatives": [RIGHT], "equations": ["m = 1"]}
    assert find_suspects([Problem.from_row(row)], {"a": said(TWO, ONE)}) == []


def test_a_wrong_number_of_the_right_value_needs_no_voice_against_it() -> None:
    text = "A bar of 90 cm is cut into 2 pieces . One piece is 2 times as long as the other . How long is each ?"
    answer = "x + y = 90 and x = 2y, so y = 30 and x = 60."
    (suspect,) = find_suspects([derived(text, "m + n = q1; m - q2*n = 0")], {"a": said(answer)})
    assert (suspect.for_gold, suspect.agreeing) == (1, 0)
    assert find_suspects([derived(text, "m + n = q1; m - q3*n = 0")], {"a": said(answer)}) == []


def test_an_unknown_id_is_refused() -> None:
    with pytest.raises(ScoreError, match=r"^a\b.*\b9\b"):
        find_suspects([stall()], {"a": said(TWO, id=9)})


def test_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    paths = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        paths.append(tmp_path / folder / "answers.jsonl")
        paths[-1].write_text(json.dumps({"id": 1, "sample": 0, "answer": TWO}), encoding="utf-8")
    assert list(read_answers(paths)) == [str(path) for path in paths]
    assert read_answers(paths[:1])["answers"][0][0] == 1


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows, answers = tmp_path / "rows.jsonl", tmp_path / "gpt.jsonl"
    row = stall(WRONG, id=4).to_row() | {"equations": ["3*m = 30", "4*n = 100"]}
    rows.write_text(json.dumps(row), encoding="utf-8")
    lines = [{"id": 4, "sample": n, "text": text} for n, text in enumerate((TWO, ONE, SLIP, OTHER))]
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    asked = ["check", str(rows), "--answers", str(answers), "--field", "text"]
    assert main([*asked, "--json"]) == 1
    (told,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (told["id"], told["rank"], told["dataset"], told["agreeing"]) == (4, 1, str(rows), 3)
    assert main(asked) == 1
    printed = capsys.readouterr().out
    assert re.search(r"\b4 of 4\b.*\b3\b", printed)
    assert re.search(r"^1 suspect .*\b1\b", printed, re.MULTILINE)
    assert main([*asked, "--cut", "2"]) == 0
    assert main([*asked, "--figures"]) == 1
    printed = capsys.readouterr().out
    assert f"gold      {stall(WRONG).derivation.template}" in printed
    assert "predicted x + y = a" in printed


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--cut", "1"], r"--answers.*--cut"),
        (["--solver"], r"--answers.*--solver"),
        (["--suspicions", "--figures"], r"--answers.*--figures"),
        (["--suspicions", "--code", "duplicate-id"], "--suspicions"),
        (["--corrections", "v9"], r"--corrections.*\bv1\b"),
    ],
)
def test_options_that_change_nothing_are_refused(
    options: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "sample", *options]) == 2
    assert re.search(told, capsys.readouterr().err)


def test_the_solver_is_held_against_golds_that_it_has_not_seen() -> None:
    problems = stories(20)
    first = solver_answers(problems, parts=4)
    assert {id_ for id_, _ in first} <= {problem.id for problem in problems}
    assert len(first) > 10
    assert solver_answers(problems, parts=4) == first


def test_three_models_that_share_another_result_propose_a_correction() -> None:
    (suspect,) = find_suspects([stall(WRONG)], {"a": said(TWO), "b": said(ONE), "c": said(TWO)})
    assert suspect.proposed_as == "correction"
    derivation = derived(STALL, suspect.proposal).derivation
    assert sorted(derivation.solve().numbers) == [10, 20]
    (two,) = find_suspects([stall(WRONG)], {"a": said(TWO, TWO), "b": said(ONE)})
    assert two.proposal == ""


def test_three_models_that_share_another_way_to_the_same_result_propose_an_alternative() -> None:
    text = "Ann has 10 pens . 4 are red , 2 are blue , and the others are green . How many are not red ?"
    problem = derived(text, "m = q1 - q2")
    other, gold = "4 are red and 2 blue: 4 + 2 = 6. The answer is 6.", "10 - 4 = 6. The answer is 6."
    answers = {"a": said(other), "b": said(other), "c": said(other), "d": said(gold, gold, gold, gold, gold, gold)}
    (suspect,) = find_suspects([problem], answers)
    assert (suspect.proposed_as, suspect.proposal) == ("alternative", "m = q2 + q3")
    assert suspect.sources == ("a#1", "b#1", "c#1")
