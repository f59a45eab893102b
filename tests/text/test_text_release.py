"""How well the rules fit the release: measured on all of its problems."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from draw_dataset.text.numbers import NumberWords, find_numbers
from draw_dataset.text.tokens import detect_rule

pytestmark = pytest.mark.release

FILES = ("draw.json", "kushman.json", "dolphin_t2_final.json")
FLOAT32_NOISE = 1e-6


@dataclass
class Fit:
    """What became of the aligned positions, and how many numbers were found beside them."""

    problems: int = 0
    aligned: int = 0
    right: int = 0
    other_value: int = 0
    unaligned: int = 0
    missed: Counter[str] = field(default_factory=Counter)


@pytest.fixture(scope="module")
def problems(release_dir: Path) -> list[dict[str, Any]]:
    return [problem for name in FILES for problem in json.loads((release_dir / name).read_text(encoding="utf-8"))]


def fit(problems: list[dict[str, Any]], setting: NumberWords) -> Fit:
    result = Fit(problems=len(problems))
    for problem in problems:
        text = problem["sQuestion"]
        found = {(number.sentence, number.token): number for number in find_numbers(text, setting)}
        known = {(member[0], member[1]) for group in problem["Equiv"] for member in group}
        for entry in problem["Alignment"]:
            place = (entry["SentenceId"], entry["TokenId"])
            known.add(place)
            result.aligned += 1
            number = found.get(place)
            noise = FLOAT32_NOISE * max(1, abs(entry["Value"]))
            if number is not None and abs(number.value - entry["Value"]) <= noise:
                result.right += 1
                continue
            result.other_value += number is not None
            result.missed[token_at(text, place)] += 1
        result.unaligned += len(found.keys() - known)
    return result


def token_at(text: str, place: tuple[int, int]) -> str:
    sentences: list[list[str]] = [[]]
    for token in text.split():
        sentences[-1].append(token)
        if token in (".", "?", "!"):
            sentences.append([])
    return sentences[place[0]][place[1]].lower()


def test_every_text_of_the_release_is_seen_as_tokenised(problems: list[dict[str, Any]]) -> None:
    assert [problem["iIndex"] for problem in problems if detect_rule(problem["sQuestion"]) == "raw"] == []


def test_the_standard_setting_finds_the_aligned_numbers(problems: list[dict[str, Any]]) -> None:
    standard = fit(problems, "standard")
    assert (standard.problems, standard.aligned) == (2345, 7188)
    assert standard.right == 7155  # 99.54 %
    assert standard.unaligned == 1228  # 0.52 a problem


def test_what_the_standard_setting_misses_are_articles_and_the_like(
    problems: list[dict[str, Any]],
) -> None:
    standard = fit(problems, "standard")
    # The release gives 425137 and 2102 a wrong value; in 2001792 it has 5 and 1/6, where we read five sixths.
    assert standard.other_value == 3
    assert standard.missed == {
        "a": 16,
        "an": 4,
        "last": 3,
        "one": 3,
        "next": 2,
        "tens": 1,
        "sixths": 1,
        "3/4": 1,
        "5": 2,
    }


def test_the_broad_setting_finds_more_at_the_price_of_false_candidates(
    problems: list[dict[str, Any]],
) -> None:
    broad = fit(problems, "broad")
    assert broad.right == 7181  # 99.90 %
    assert broad.unaligned == 3039  # 1.30 a problem


def glued(text: str) -> str:
    """Undo the tokenisation of a text: as people would have written it."""
    for token, sign in (("-LRB-", "("), ("-RRB-", ")"), ("``", '"'), ("''", '"')):
        text = text.replace(token, sign)
    text = re.sub(r" ([.,?!;:%)]+|'s|'re|n't)(?= |$)", r"\1", text, flags=re.IGNORECASE)
    return re.sub(r"([$(]) ", r"\1", text)


def test_the_raw_rule_reads_the_same_numbers_from_the_same_text_untokenised(
    problems: list[dict[str, Any]],
) -> None:
    def places(text: str, rule: Literal["release", "raw"]) -> list[tuple[object, ...]]:
        return [(n.sentence, n.token, n.value, n.kind) for n in find_numbers(text, rule=rule)]

    same = sum(
        places(problem["sQuestion"], "release") == places(glued(problem["sQuestion"]), "raw") for problem in problems
    )
    # 98.8 %. Most of the others are tokenised wrongly in the release (two sentences in one word).
    assert same == 2316
