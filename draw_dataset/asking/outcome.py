"""Figures of a run: scores, pass@k and majority, with one sample of each problem or with several.

*pass@k* is 1 - C(n - c, k) / C(n, k) for c right samples of n, averaged over the problems. *Majority* takes the answer
(numbers, or equivalent set-ups) that most samples agree on, the first of equally large groups. A sample that could not
be read has no vote; without any vote the majority is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from draw_dataset.asking.budget import Prices
from draw_dataset.asking.endpoint import token_counts
from draw_dataset.asking.request import Key
from draw_dataset.derivation.equivalence import derivations_equivalent
from draw_dataset.errors import DrawError
from draw_dataset.report.picture import printable
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.options import Options
from draw_dataset.scoring.score import Score, pass_at_k, score
from draw_dataset.scoring.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Outcome:
    """The figures of a run."""

    scores: tuple[Score, ...]  # the score of each sample
    pass_at: Mapping[str, tuple[float, ...]]  # derivation and solution: pass@1, pass@2, … up to the samples
    majority: Mapping[str, float]  # derivation and solution of what most samples agree on
    tokens: Mapping[str, int]  # how many tokens were used, by kind, as far as the server counts them
    uncounted: int  # responses whose tokens the server did not count
    finish_reasons: Mapping[str, int]  # how many responses ended for each reason
    no_answer: Mapping[str, int]  # the same for responses without an answer, such as ``only reasoning``
    from_tools: int = 0  # responses whose answer is the arguments of a tool call
    guided: Mapping[str, int] = field(default_factory=dict)  # responses by the way in which decoding was guided
    cost: Fraction | None = None  # the cost of the requests whose tokens were counted, if the prices are known

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {
            "samples": len(self.scores),
            "scores": [one.to_dict() for one in self.scores],
            **{
                name: {"majority": self.majority[name]}
                | {f"pass@{k}": value for k, value in enumerate(self.pass_at[name], 1)}
                for name in self.pass_at
            },
            "tokens": {**self.tokens, "responses_without_count": self.uncounted},
            **({} if self.cost is None else {"cost": float(self.cost)}),
            "finish_reasons": dict(self.finish_reasons),
            "no_answer": dict(self.no_answer),
            "from_tools": self.from_tools,
            "guided": dict(self.guided),
        }


def outcome_of(
    responses: Mapping[Key, Mapping[str, Any]],
    references: Sequence[PreparedProblem],
    samples: int,
    options: Options = Options(),  # noqa: B008
    *,
    data: str = "rows",
    prices: Prices | None = None,
) -> Outcome:
    """Score the responses to problems, lines of a journal. A missing response counts as no answer."""
    verdicts: list[list[Verdict]] = []
    scores = []
    for sample in range(samples):
        found: list[Verdict] = []
        given = [responses.get((reference.problem.id, sample)) for reference in references]
        scores.append(score(given, references, options, data=data, verdicts=found))
        verdicts.append(found)
    by_problem = list(zip(*verdicts, strict=True))
    kinds: dict[str, Callable[[Verdict], bool]] = {
        "derivation": lambda verdict: verdict.derivation,
        "solution": lambda verdict: verdict.solution,
    }
    pass_at = {
        name: tuple(pass_at_k([sum(map(right, one)) for one in by_problem], samples, k) for k in range(1, samples + 1))
        for name, right in kinds.items()
    }
    majority = {
        "derivation": _share([derivation_majority(one) for one in by_problem]),
        "solution": _share([solution_majority(one) for one in by_problem]),
    }
    asked = {reference.problem.id for reference in references}
    lines = [line for (id_, sample), line in responses.items() if id_ in asked and sample < samples]
    counted = usages_of(lines)
    used: Counter[str] = Counter()
    for counts in counted:
        used.update(counts)
    reasons = Counter(printable(str(line.get("finish_reason"))) for line in lines)
    silent = Counter(why for line in lines if (why := _why_no_answer(line)))
    return Outcome(
        scores=tuple(scores),
        pass_at=pass_at,
        majority=majority,
        tokens=dict(used),
        uncounted=counted.count({}),
        finish_reasons=dict(reasons.most_common()),
        no_answer=dict(silent.most_common()),
        from_tools=sum(line.get("from_tool") is True for line in lines),
        cost=None if prices is None else sum((prices.cost(counts) or Fraction(0) for counts in counted), Fraction(0)),
        guided=dict(Counter(printable(str(line["guided"])) for line in lines if "guided" in line).most_common()),
    )


def usages_of(lines: Iterable[Mapping[str, Any]]) -> list[dict[str, int]]:
    """Return the token counts of the requests behind responses, lines of a journal; empty where none were counted."""
    return [token_counts(line.get("usage")) for line in lines if "usage_in_sample" not in line]


def _why_no_answer(line: Mapping[str, Any]) -> str:
    """Return why a response has no answer, or nothing if it has one. Older journals do not say why."""
    if line["answer"].strip():
        return ""
    return printable(str(line.get("no_answer") or ("only reasoning" if line.get("reasoning") else "empty")))


def solution_majority(verdicts: Sequence[Verdict]) -> bool:
    """Decide whether the result that most samples give is right."""
    groups: dict[Hashable, list[Verdict]] = {}
    for verdict in verdicts:
        finals = verdict.reading.finals if verdict.reading is not None else ()
        if finals:
            groups.setdefault(tuple(sorted({final.value for final in finals})), []).append(verdict)
    return bool(groups) and max(groups.values(), key=len)[0].solution


def derivation_majority(verdicts: Sequence[Verdict]) -> bool:
    """Decide whether the derivation that most samples have is right."""
    groups: list[tuple[str, list[Verdict]]] = []
    for verdict in verdicts:
        reading = verdict.reading
        if reading is None or not (reading.setup or reading.chain):
            continue
        ends = [f"r{number} = {result}" for number, result in enumerate(reading.chain, 1)]
        text = "; ".join(reading.setup or ends)
        for other, members in groups:
            if _equivalent(text, other):
                members.append(verdict)
                break
        else:
            groups.append((text, [verdict]))
    return bool(groups) and max((members for _, members in groups), key=len)[0].derivation


def _equivalent(first: str, second: str) -> bool:
    if first == second:
        return True
    try:
        return derivations_equivalent(first, second)
    except DrawError:  # what a model set up need not be linear, or small
        return False


def _share(right: Sequence[bool]) -> float:
    return sum(right) / len(right)
