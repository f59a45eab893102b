"""How fast responses to prompts of ours are graded, gold being prepared: what a trainer waits for."""

from __future__ import annotations

import random
import re
from typing import Any

from benchmarks.measures import timed
from benchmarks.rows import Row
from draw_dataset.adapters.grades import quick_figures
from draw_dataset.adapters.rows import as_text
from draw_dataset.catalog import load
from draw_dataset.core.problem import Problem
from draw_dataset.prompting import answer_for


def _wrong(problem: Problem, seed: int) -> str:
    """Return gold with other numbers of the text in its slots, and another result."""
    draw, most = random.Random(f"{seed} {problem.id}"), max(len(problem.numbers), 1)
    text = re.sub(r"q\d+", lambda _: f"q{draw.randint(1, most)}", answer_for(problem, "marked"))
    return text.replace("Answer: ", "Answer: 7")


def _wrong_in_plain(problem: Problem, seed: int) -> str:
    """Return gold in plain style with other numbers, and another result."""
    draw = random.Random(f"{seed} {problem.id}")
    text = re.sub(r"\d+(?:\.\d+)?", lambda match: str(draw.choice((match[0], draw.randint(2, 99)))),
                  answer_for(problem, "plain"))  # fmt: skip
    return text.replace("Answer: ", "Answer: 7")


def section_x(_: list[Row], quick: bool) -> dict[str, Any]:
    """Rewards a second of one core, gold prepared (aim: 2,000 in marked style)."""
    grade = quick_figures.__wrapped__  # without the cache that the rewards of one completion share
    problems = load("sample")
    rows = [as_text(problem.to_row()) for problem in problems]
    rounds = 3 if quick else 20
    marked = [answer_for(problem, "marked") for problem in problems]
    plain = [answer_for(problem, "plain") for problem in problems]
    repeated = [_wrong(problem, -1) for problem in problems]
    for problem, text, row in zip(problems, marked, rows, strict=True):
        # Gold is prepared, and so are the tables of the text's numbers that answers in prose are read by.
        grade(text, row, "marked")
        grade(f"So we get:\n{answer_for(problem, 'plain')}", row, "plain")

    def speed(texts: list[list[str]], style: str) -> int:
        def all_of_them() -> None:
            for round_ in texts:
                for text, row in zip(round_, rows, strict=True):
                    grade(text, row, style)

        return round(len(texts) * len(rows) / timed(all_of_them))

    return {
        "marked, right": speed([marked] * rounds, "marked"),
        "marked, wrong, equations seen before": speed([repeated] * rounds, "marked"),
        "marked, half right, half wrong and seen before": speed([marked, repeated] * (rounds // 2 or 1), "marked"),
        "marked, wrong, ever new": speed([[_wrong(p, seed) for p in problems] for seed in range(rounds)], "marked"),
        "garbled": speed([["Lorem ipsum dolor sit amet."] * len(rows)] * 3, "marked"),
        "plain, right": speed([plain] * (rounds // 4 or 1), "plain"),
        "plain, wrong, ever new": speed(
            [[_wrong_in_plain(problem, seed) for problem in problems] for seed in range(rounds // 4 or 1)], "plain"
        ),
    }
