"""Suspects: problems whose gold derivation independent answers contradict.

A *vote* is a model answer or a solver's derivation. Two votes agree if the final quantities of one, as functions of the
numbers of the text, are among the quantities of the other. After a slip, what the set-up determines counts as final.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any

from draw_dataset.algebra.nonlinear import Algebra, Ratio
from draw_dataset.algebra.number import is_rounded, short_number
from draw_dataset.checks.suspicions import OF_TOKENS, WEAK, find_suspicions
from draw_dataset.derivation.derivation import Derivation
from draw_dataset.derivation.problem import Problem, ProblemId
from draw_dataset.errors import DrawError, LimitError, ScoreError, short_repr
from draw_dataset.io.records import file_stem
from draw_dataset.reading.answer import reading_of
from draw_dataset.reading.compare import agree, setup_of
from draw_dataset.reading.quantities import Evaluation, Node, SetUp, is_worded
from draw_dataset.scoring.answers import judge_by_any
from draw_dataset.scoring.files import Note, read_predictions
from draw_dataset.scoring.gold import PreparedProblem, gold_values
from draw_dataset.scoring.gold_rows import KnownIds, as_id_type
from draw_dataset.scoring.grading import judge
from draw_dataset.scoring.options import Options
from draw_dataset.scoring.prediction import Refused, answer_of, read_prediction
from draw_dataset.scoring.verdict import UNREAD, Reason
from draw_dataset.text.similarity import mask_words
from draw_dataset.text.tokens import sentences

_OPTIONS = Options(match="quantities", gold="any")
MOST_FINAL = 4  # final quantities of a vote; a list of all intermediate results does not count


class FinalQuantities:
    """The final quantities of a vote as functions of the numbers of the text."""

    __slots__ = ("_setup", "nodes", "numbers", "ones")

    def __init__(self, setup: SetUp, nodes: Sequence[Node], numbers: Sequence[Fraction], ones: frozenset[int]) -> None:
        self._setup = setup
        self.nodes = tuple(nodes)
        self.numbers = tuple(numbers)
        self.ones = ones

    @property
    def expressions(self) -> tuple[()]:
        """They are not known as expressions."""
        return ()

    @property
    def offset(self) -> int:
        """No constants of the derivation are known."""
        return 0

    @property
    def is_written(self) -> bool:
        """They are not written as one expression."""
        return False

    def at(self, algebra: Algebra, numbers: Sequence[Ratio]) -> list[Ratio] | None:
        """Return the quantities with given quotients for the numbers; None if one is not determined."""
        evaluation = Evaluation(self._setup, algebra, numbers)
        try:
            evaluation.add_all()
            found = [evaluation.known(node) for node in self.nodes]
        except (LimitError, ZeroDivisionError):
            return None
        # A name that is left has a number from 0.
        determined = all(below and all(v < 0 for m in (*above, *below) for v in m) for above, below in found)
        return found if determined else None


@dataclass(frozen=True, slots=True)
class Vote:
    """An answer or a derivation as it was read."""

    source: str  # the file and the sample it comes from
    model: str  # the file alone; samples of one file are less independent than answers of two
    for_gold: bool  # it has gold's derivation, or one of the alternatives
    same_result: bool  # its result is gold's
    reason: Reason  # of its verdict
    setup: SetUp | None  # its equations and calculations
    final: FinalQuantities | None  # None if it derives nothing
    result: tuple[Fraction, ...]  # the numbers that it gives as its result
    slips: bool  # something in it does not follow
    written: str  # its derivation in q-notation, as far as it was read

    def supports(self, other: Vote) -> bool:
        """Return True if this vote has the derivation of another."""
        return self.setup is not None and other.final is not None and agree(self.setup, other.final).complete

    def states(self, values: Sequence[Fraction]) -> bool:
        """Return True if all values are in its result, up to rounding."""
        return bool(values) and all(any(is_rounded(value, given) for given in self.result) for value in values)


def read_vote(prediction: Any, reference: PreparedProblem, source: str, model: str) -> Vote:
    """Read a prediction in any form that `draw_dataset.scoring` takes."""
    answer = answer_of(prediction)
    if answer is not None:
        return _read_answer_vote(answer, reference, source, model)
    verdict = judge(prediction, reference, reference.gold_without_equations(_OPTIONS), _OPTIONS)
    said = (source, model, verdict.derivation, verdict.solution, verdict.reason)
    read = read_prediction(prediction, reference)
    if isinstance(read, Refused):
        return Vote(*said, None, None, (), slips=False, written="")
    gold = reference.quantities
    places = reference.classes.of_places(read.places)
    setup = setup_of(read.template.system, [gold.class_of[place] for place in places])
    final, values = _final_quantities(setup, [node for node, _ in setup.quantities], reference)
    ranks = {n.place: f"q{n.index}" for n in reference.problem.numbers}
    written = read.template.written_with([ranks[place] for place in read.places])
    return Vote(*said, setup, final, values, slips=False, written=written)


def _read_answer_vote(answer: str, reference: PreparedProblem, source: str, model: str) -> Vote:
    others = reference.alternatives(_OPTIONS) if reference.problem.alternatives else ()
    judged = judge_by_any(answer, [reference.for_answers, *(other.for_answers for other, _ in others)])
    work = judged.work
    setup = work.setup
    stated = {abs(stated.value) for stated in work.finals}
    named = [(node, value) for node, value in setup.values.items() if node[0] == "name"]
    letters = [(node, value) for node, value in named if not is_worded(node[1])] or named
    chosen = [one for one in letters if abs(one[1]) in stated] or [one for one in named if abs(one[1]) in stated]
    if not chosen:
        chosen = [one for one in setup.values.items() if abs(one[1]) in stated][:1] or letters
    final, _ = _final_quantities(setup, [node for node, _ in chosen], reference)
    if judged.reason in UNREAD:
        final = None
    written = ""
    if not judged.derivation and final is not None:
        reading = reading_of(work)
        written = "; ".join(reading.setup or reading.chain)
    return Vote(
        source,
        model,
        judged.derivation,
        judged.solution,
        judged.reason,
        None if final is None else setup,
        final,
        tuple(stated.value / (100 if stated.percent else 1) for stated in work.finals),
        slips=bool(setup.slips),
        written=written,
    )


def _final_quantities(
    setup: SetUp, nodes: Sequence[Node], reference: PreparedProblem
) -> tuple[FinalQuantities | None, tuple[Fraction, ...]]:
    """Return the final ones among some quantities, each value once, and their values."""
    gold = reference.quantities
    exact = Algebra()
    numbers: list[Ratio] = [exact.number(value) for value in gold.numbers]
    evaluation = Evaluation(setup, exact, numbers)
    by_value: dict[Fraction, Node] = {}
    try:
        evaluation.add_all()
        for node in nodes:
            value = evaluation.value(node)
            if value is not None:
                by_value.setdefault(Fraction(value), node)
    except (LimitError, ZeroDivisionError):
        return None, ()
    if not by_value:
        return None, ()
    kept = dict(list(by_value.items())[:MOST_FINAL])
    return FinalQuantities(setup, list(kept.values()), gold.numbers, gold.ones), tuple(kept)


# Ranking. The votes against gold are grouped by derivation; the largest group is the rival of gold. The score is the
# mean of the share of votes against gold and the share that agree on the rival, with one empty vote added, so that two
# out of two weigh less than six out of six; suspicions of the problem itself add to it. At least two votes must be
# against gold; one is enough next to a strong suspicion, and none is needed for the kinds that show a wrong number of
# the right value, which no answer can contradict. An unreadable vote supports the rival by half if it states its
# result. The weights and `CUT` were chosen by reading all suspects of one half of Draw-1k and Alg-514;
# docs/known-defects.md has the figures.


CUT = 0.3  # the least score of a suspect

MODELS = 3  # how many models must share a derivation that is proposed

STRONG_WEIGHT, WEAK_WEIGHT = 0.3, 0.1  # added to the score for suspicions of strong and of weak kinds, each once

MOST_TRIED = 4  # values of a rival that are put into the gold equations


@dataclass(frozen=True, slots=True)
class Suspect:
    """A problem whose gold may be wrong."""

    id: ProblemId
    score: float  # from 0 to about 1.4
    voices: int  # readable votes
    for_gold: int  # votes with gold's derivation
    agreeing: int  # votes for the rival
    models: int  # files that these come from
    gold: str  # in q-notation
    gold_values: tuple[Fraction, ...]
    rival: str  # in q-notation, as far as it was read
    rival_values: tuple[Fraction, ...]
    sentence: int | None  # the sentence of the text at which gold and rival part, from 0; None where that is not clear
    text: str  # that sentence
    suspicions: Mapping[str, str]  # messages by kind
    sources: tuple[str, ...]  # of the rival's votes
    proposal: str = ""  # the rival as a derivation, if enough models share it
    proposed_as: str = ""  # alternative: it has gold's result; correction: it has another, and most voices

    def to_dict(self) -> dict[str, Any]:
        """Return the suspect as plain data."""
        return asdict(self) | {
            "score": round(self.score, 4),
            "gold_values": [short_number(value) for value in self.gold_values],
            "rival_values": [short_number(value) for value in self.rival_values],
            "sources": list(self.sources),
        }


def suspect_of(reference: PreparedProblem, votes: Sequence[Vote], suspicions: Mapping[str, str]) -> Suspect | None:
    """Return the suspect that votes and suspicions make of a problem; None if too little is against its gold."""
    heard = [vote for vote in votes if vote.for_gold or vote.final is not None]
    against = [vote for vote in heard if not vote.for_gold]
    strong = any(code not in WEAK for code in suspicions)
    needed = 0 if OF_TOKENS.intersection(suspicions) else 1 if strong else 2
    if not heard or len(against) < needed:
        return None
    rival = group_votes(against)[0] if against else []
    final = rival[0].final if rival else None
    values = () if final is None else gold_values(final)
    others = [vote for vote in votes if not vote.for_gold and not any(vote is one for one in rival)]
    agreeing = len(rival) + sum(vote.states(values) for vote in others) / 2
    score = (len(against) + min(agreeing, len(against))) / (2 * len(heard) + 2)
    score += (STRONG_WEIGHT if strong else 0) + (WEAK_WEIGHT if any(code in WEAK for code in suspicions) else 0)
    proposal, proposed_as = _propose(reference, rival, for_gold=len(heard) - len(against))
    sentence = _parting_sentence(reference, values)
    spans = sentences(reference.problem.question)
    text = "" if sentence is None else " ".join(token.text for token in spans[sentence])
    return Suspect(
        id=reference.problem.id,
        score=score,
        voices=len(heard),
        for_gold=len(heard) - len(against),
        agreeing=len(rival),
        models=len({vote.model for vote in rival}),
        gold=reference.derivation.q_notation(),
        gold_values=gold_values(reference.quantities),
        rival=rival[0].written if rival else "",
        rival_values=values,
        sentence=sentence,
        text=text,
        suspicions=dict(suspicions),
        sources=tuple(vote.source for vote in rival),
        proposal=proposal,
        proposed_as=proposed_as,
    )


def _propose(reference: PreparedProblem, rival: Sequence[Vote], *, for_gold: int) -> tuple[str, str]:
    """Return a derivation that several models share, in q-notation, and as what it is proposed; empty if none is."""
    if len({vote.model for vote in rival}) < MODELS:
        return "", ""
    same = sum(vote.same_result for vote in rival) * 2 > len(rival)
    if not same and len(rival) <= for_gold:
        return "", ""
    for vote in rival:
        for text in (vote.written, f"m = {vote.written.rpartition('; ')[2]}"):
            values = _solutions(text, reference) if vote.written else ()
            if values and vote.states(values):
                return text, "alternative" if same else "correction"
    return "", ""


def _solutions(text: str, reference: PreparedProblem) -> tuple[Fraction, ...]:
    """Return the solutions of a derivation in q-notation; none if it is not one with one solution."""
    try:
        derivation = Derivation.read(text, reference.problem.numbers)
        return () if derivation.by_rank else tuple(derivation.solve().numbers)
    except DrawError:
        return ()


def rank_suspects(suspects: Iterable[Suspect | None], cut: float = CUT) -> list[Suspect]:
    """Return the suspects with at least a score or with a proposal, the surest first."""
    found = [one for one in suspects if one is not None and (one.score >= cut or one.proposal)]
    return sorted(found, key=lambda one: -one.score)


def group_votes(votes: Sequence[Vote]) -> list[list[Vote]]:
    """Return votes in groups of one derivation, the largest group first."""
    groups: list[list[Vote]] = []
    for vote in votes:
        home = next((g for g in groups if vote.supports(g[0]) or g[0].supports(vote)), None)
        if home is None:
            groups.append([vote])
        else:
            home.append(vote)
    # A vote with a slip has the derivation as well, but one without a slip shows it better.
    return sorted(([*sorted(group, key=lambda v: v.slips)] for group in groups), key=len, reverse=True)


def _parting_sentence(reference: PreparedProblem, values: Sequence[Fraction]) -> int | None:
    """Return the sentence with most numbers of the gold equations that a rival's values break, in their best order."""
    derivation = reference.derivation
    system = derivation.template.system
    slots = [number.value for number in derivation.alignment.in_slots(derivation.template.slots)]
    known = [value for value in slots if value is not None]
    if len(known) < len(slots) or len(values) < system.unknown_count or len(values) > MOST_TRIED:
        return None
    fewest: list[int] | None = None
    for chosen in permutations(values, system.unknown_count):
        broken = []
        for number, terms in enumerate(system.terms):
            total = Fraction(0)
            for column, coefficient, factors in terms:
                term = Fraction(coefficient)
                for slot in factors:
                    term *= known[slot]
                total += term * (chosen[column] if column < system.unknown_count else 1)
            if total:
                broken.append(number)
        if fewest is None or len(broken) < len(fewest):
            fewest = broken
    if not fewest:
        return None
    counts: dict[int, int] = {}
    for number in fewest:
        used = {slot for _, _, factors in system.terms[number] for slot in factors}
        for slot in used:
            sentence = derivation.places[slot][0]
            if sentence is not None:
                counts[sentence] = counts.get(sentence, 0) + 1
    return max(counts, key=lambda s: (counts[s], s)) if counts else None


Answers = Mapping[str, Iterable[tuple[ProblemId, Any]]]
"""Pairs of an id and a prediction, by the name of their source; an id may come several times."""


def find_suspects(
    problems: Sequence[Problem], answers: Answers, *, cut: float = CUT, progress: bool = False
) -> list[Suspect]:
    """Return the problems whose gold the answers contradict, the surest first.

    >>> from draw_dataset.data.sample import load_sample
    >>> problems = load_sample()["test"][:3]
    >>> says = [(problem.id, "m = q1 + q1") for problem in problems for _ in range(3)]
    >>> [suspect.agreeing for suspect in find_suspects(problems, {"mine": says})]
    [3, 3, 3]
    """
    from tqdm import tqdm  # imported here, so that the command line starts fast

    references = {problem.id: PreparedProblem(problem) for problem in problems}
    votes: dict[ProblemId, list[Vote]] = {}
    for name, said in answers.items():
        for id_, prediction in tqdm(said, name, unit=" answers", disable=not progress):
            if id_ not in references:
                raise ScoreError(
                    f"{name}: Unknown id {short_repr(id_)}: expected one of the {len(references)} problems"
                )
            heard = votes.setdefault(id_, [])
            count = sum(vote.model == name for vote in heard)
            heard.append(read_vote(prediction, references[id_], f"{name}#{count + 1}", name))
    told: dict[ProblemId, dict[str, str]] = {}
    for finding in find_suspicions(problems):
        told.setdefault(finding.problem_id, {}).setdefault(finding.code, finding.message)
    return rank_suspects((suspect_of(references[id_], heard, told.get(id_, {})) for id_, heard in votes.items()), cut)


def read_answers(
    paths: Sequence[str | os.PathLike[str]],
    *,
    field: str | None = None,
    id_field: str | None = None,
    known: KnownIds | None = None,
    note: Note | None = None,
) -> dict[str, list[tuple[ProblemId, Any]]]:
    """Return the predictions of files, by file name without ending, or by path if names repeat.

    With `known`, the ids of the problems, ids are given as the problems have them.
    """
    stems = list(map(file_stem, paths))
    names = stems if len(set(stems)) == len(stems) else [str(path) for path in paths]
    return {
        name: [
            (_as_known(id_, known), prediction)
            for _, id_, prediction in read_predictions(path, field=field, id_field=id_field, known=known, note=note)
        ]
        for name, path in zip(names, paths, strict=True)
    }


def _as_known(id_: ProblemId, known: KnownIds | None) -> ProblemId:
    meant = None if known is None else as_id_type(id_, known.id_type)
    return id_ if meant is None else meant


# The solver as one more source. Problems with the same text stay in one part of the cross-validation, so that no
# prediction uses the gold with which it is compared.


PARTS = 5
TEMPLATES = 10  # tried for a text: the paper's number, which is fast; all of them take ten times as long


def solver_answers(
    problems: Sequence[Problem], *, parts: int = PARTS, k: int | None = TEMPLATES, seed: int = 0, progress: bool = False
) -> list[tuple[ProblemId, dict[str, Any]]]:
    """Return the cross-validated predictions of the solver; problems on which it abstains have none."""
    from tqdm import tqdm

    # Imported here: numpy and the tagger take long to import, and only this needs them.
    from draw_dataset.solver.systems import train

    texts: dict[str, list[Problem]] = {}
    for problem in problems:
        texts.setdefault(" ".join(mask_words(problem.question, problem.numbers)), []).append(problem)
    groups = [texts[text] for text in sorted(texts)]
    random.Random(seed).shuffle(groups)
    said: list[tuple[ProblemId, dict[str, Any]]] = []
    for part in tqdm(range(parts), "solver", unit=" parts", disable=not progress):
        held = [problem for at, group in enumerate(groups) if at % parts == part for problem in group]
        model = train([p for at, group in enumerate(groups) if at % parts != part for p in group], k=k, seed=seed)
        for problem in held:
            prediction = model.predict(problem).to_dict()
            if prediction is not None:
                said.append((problem.id, prediction))
    return said
