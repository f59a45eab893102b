"""Quality of proposals, measured on problems whose gold derivation is known but hidden.

A candidate equivalent to gold uses exactly the numbers of gold's classes, so all other origins are left out before
candidates are made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil

from draw_dataset.annotate.normal import induce
from draw_dataset.annotate.proposal import Proposal, propose
from draw_dataset.derivation.consistent import Choices
from draw_dataset.derivation.equivalence import canonical_key, derivations_equivalent
from draw_dataset.derivation.problem import Problem, ProblemId
from draw_dataset.errors import AnnotationError, LimitError

MAX_COMPARED = 100_000  # candidates of one problem

CAUSES = {
    "refused": "no derivation can be proposed for the problem",
    "number not found": "gold aligns a token that the rules do not see as a number",
    "gold keeps a constant": "a value of the text is a constant in gold",
    "gold aligns a constant": "gold aligns a number that no value of the equations fits",
    "other": "the numbers fit, but they are used differently",
}
"""The reasons why gold is not among the candidates."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Counts over some of the problems."""

    problems: int
    among: int  # those with a candidate that is equivalent to gold
    automatic: int  # those that need no person
    automatic_right: int  # those of them whose one candidate is equivalent to gold


@dataclass(frozen=True, slots=True)
class ProposalEvaluation:
    """Figures of proposals on problems with gold."""

    every: Shares  # over all problems
    clean: Shares  # over the problems without findings
    needing: int  # the problems that need a person
    questions: tuple[int, ...]  # for each problem that could be proposed for, how many questions it has
    candidates: int  # the largest number of candidates of a problem
    missed: Mapping[str, tuple[ProblemId, ...]]  # gold is not among the candidates: by cause, without findings
    missed_with_findings: Mapping[str, tuple[ProblemId, ...]]  # the same for problems with findings
    wrong: tuple[ProblemId, ...]  # the ids of problems without findings that need no person and come out wrong
    templates: int  # of the proposed derivations (gold's where it is among them), in the normal form
    classes: int  # the same up to equivalence

    @property
    def mean_questions(self) -> float:
        """Questions per problem, those without any included."""
        return sum(self.questions) / len(self.questions) if self.questions else 0.0

    @property
    def p95_questions(self) -> int:
        """The smallest number of questions that 95 of 100 problems do not exceed."""
        ordered = sorted(self.questions)
        return ordered[max(0, ceil(0.95 * len(ordered)) - 1)] if ordered else 0

    def as_data(self) -> dict[str, object]:
        """Return the figures as plain data."""
        return {
            "problems": self.every.problems,
            "needing_a_person": self.needing,
            "needing_a_person_percent": _percent(self.needing, self.every.problems),
            "questions_mean": round(self.mean_questions, 3),
            "questions_p95": self.p95_questions,
            "candidates_max": self.candidates,
            "templates_before": self.templates,
            "templates_after": self.classes,
            **{
                name: {
                    "problems": shares.problems,
                    "gold_among_candidates": shares.among,
                    "gold_among_candidates_percent": _percent(shares.among, shares.problems),
                    "automatic": shares.automatic,
                    "automatic_right": shares.automatic_right,
                    "automatic_right_percent": _percent(shares.automatic_right, shares.automatic),
                }
                for name, shares in (("without_findings", self.clean), ("all", self.every))
            },
            "missed": {cause: list(ids) for cause, ids in self.missed.items()},
            "missed_with_findings": {cause: list(ids) for cause, ids in self.missed_with_findings.items()},
            "automatic_wrong": list(self.wrong),
        }


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 2) if whole else 0.0


@dataclass(slots=True)
class _Tally:
    problems: int = 0
    among: int = 0
    automatic: int = 0
    right: int = 0
    missed: dict[str, list[ProblemId]] = field(default_factory=dict)
    wrong: list[ProblemId] = field(default_factory=list)

    def shares(self) -> Shares:
        return Shares(self.problems, self.among, self.automatic, self.right)


def evaluate_proposals(problems: Iterable[Problem]) -> ProposalEvaluation:
    """Propose for problems with hidden gold, and compare."""
    clean, flawed = _Tally(), _Tally()
    questions: list[int] = []
    needing = most = 0
    templates: set[str] = set()
    classes: set[str] = set()
    for problem in problems:
        tally = flawed if problem.findings else clean
        tally.problems += 1
        try:
            proposal = propose(problem.question, problem.equations)
        except (AnnotationError, LimitError):
            tally.missed.setdefault("refused", []).append(problem.id)
            continue
        questions.append(len(proposal.questions))
        most = max(most, proposal.count)
        automatic = not proposal.questions
        needing += not automatic
        tally.automatic += automatic
        index = find_gold(proposal, problem)
        derivation = proposal.nth(index or 0)
        templates.add(str(induce(derivation).template))
        classes.add(canonical_key(derivation.template))
        if index is not None:
            tally.among += 1
            tally.right += automatic
            continue
        tally.missed.setdefault(_cause(proposal, problem), []).append(problem.id)
        if automatic:
            tally.wrong.append(problem.id)
    both = [clean, flawed]
    return ProposalEvaluation(
        every=Shares(*(sum(getattr(t, name) for t in both) for name in ("problems", "among", "automatic", "right"))),
        clean=clean.shares(),
        needing=needing,
        questions=tuple(questions),
        candidates=most,
        missed=_by_cause(clean),
        missed_with_findings=_by_cause(flawed),
        wrong=tuple(clean.wrong),
        templates=len(templates),
        classes=len(classes),
    )


def find_gold(proposal: Proposal, problem: Problem) -> int | None:
    """Return the rank of the first candidate that is equivalent to gold, or None if there is none."""
    gold, classes = problem.derivation, problem.number_classes
    wanted = {classes.of_place(number.place) for number in gold.alignment.values()}
    usable: list[list[int]] = []
    for literal in proposal.literals:
        fitting = [
            i
            for i, origin in enumerate(literal.origins)
            if origin.number is None or classes.of_place(origin.number.place) in wanted
        ]
        # A slot that cancels becomes a constant, whatever number it held.
        usable.append(fitting or list(range(len(literal.origins))))
    fitting_ways = Choices(usable)
    if fitting_ways.count > MAX_COMPARED:
        raise LimitError(f"problem {problem.id}: expected at most {MAX_COMPARED} candidates to compare, but got more")
    for chosen in fitting_ways:
        rank = proposal.ways.rank(chosen)
        if derivations_equivalent(proposal.nth(rank), gold, classes):
            return rank
    return None


def _cause(proposal: Proposal, problem: Problem) -> str:
    """Return the cause why gold is not among the candidates, a key of `CAUSES`."""
    classes = problem.number_classes
    gold = {classes.of_place((a.sentence, a.token)) for a in problem.alignment}
    known = {classes.of_place(number.place) for number in proposal.numbers}
    if not gold <= known:
        return "number not found"
    offered = [
        {classes.of_place(o.number.place) for o in literal.origins if o.number is not None}
        for literal in proposal.literals
    ]
    if any(places and not places & gold for places in offered):
        return "gold keeps a constant"
    return "other" if gold <= set().union(*offered) else "gold aligns a constant"


def _by_cause(tally: _Tally) -> dict[str, tuple[ProblemId, ...]]:
    return {cause: tuple(tally.missed[cause]) for cause in CAUSES if cause in tally.missed}
