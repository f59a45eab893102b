"""Probing: derivation accuracy from final answers alone.

The answers to a problem and to its variants are taken together (`verdicts` says how). The reasoning in an answer is not
needed; if there is a text, the derivation that is read in it is one more rival.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from draw_dataset.answers.reading import read_answer
from draw_dataset.core.derivation import Derivation
from draw_dataset.core.problem import Problem, ProblemId, is_problem_id
from draw_dataset.core.row_shapes import rows_of
from draw_dataset.errors import ChoiceError, DrawError, RowError, ScoreError, shown
from draw_dataset.scoring.signature import check_data_name
from draw_dataset.variants.columns import rival_of
from draw_dataset.variants.describing import Describer
from draw_dataset.variants.explaining import SHOWN, Explainer, Explanation, Item
from draw_dataset.variants.fields import Puzzle, puzzle_of
from draw_dataset.variants.given import read_given
from draw_dataset.variants.making import inventory_of
from draw_dataset.variants.originals import Variant
from draw_dataset.variants.probe import DescribedExplanation, ItemVerdict, Probe, ProbeSignature, ProblemProbe
from draw_dataset.variants.rivals import Inventory, Rival
from draw_dataset.variants.verdicts import FromAnswers, decide

ORIGINAL = "original"
"""The kind of an answer to the problem itself."""


@dataclass(frozen=True, slots=True)
class Case:
    """A problem with its variants, prepared for answers.

    Attributes:
        puzzle: the original.
        variants: its variants, in order.
    """

    puzzle: Puzzle
    variants: tuple[Variant, ...]

    @property
    def id(self) -> ProblemId:
        """The id of the original."""
        return self.puzzle.problem.id


def cases_of(variants: Iterable[Mapping[str, Any]]) -> list[Case]:
    """Return the problems of variants, in the order of their first variant.

    Raises:
        RowError: a row is no variant, or an id stands twice.
    """
    grouped: dict[ProblemId, list[Variant]] = {}
    seen: set[ProblemId] = set()
    for row in rows_of(variants, "variants"):
        variant = Variant.of(row)
        if variant.problem.id in seen:
            raise RowError(f"variants: expected each id once, but got {shown(variant.problem.id)} twice")
        seen.add(variant.problem.id)
        grouped.setdefault(variant.source_id, []).append(variant)
    cases = []
    for listed in grouped.values():
        # Undoing changed numbers is safer than removing a sentence.
        first = next((variant for variant in listed if variant.kind == "numbers"), listed[0])
        cases.append(Case(puzzle_of(first.original(), must_move=False), tuple(listed)))
    return cases


def probe(
    answers: Mapping[ProblemId, Any] | Iterable[Mapping[str, Any]],
    variants: Iterable[Mapping[str, Any]],
    *,
    inventory: Inventory | Iterable[Mapping[str, Any] | Problem] | None = None,
    data: str = "variants",
    missing: str = "error",
) -> Probe:
    """Say from final answers to problems and their variants which derivations are right.

    >>> from draw_dataset.sample import load_sample
    >>> from draw_dataset.variants.making import make_variants
    >>> problem = load_sample()["test"][0]
    >>> variants = make_variants([problem], count=3)
    >>> answers = {row["id"]: row["solutions"] for row in variants} | {problem.id: problem.solutions}
    >>> str(probe(answers, variants).problems[0].verdict)
    'right'

    Args:
        answers: the answer to each row by its id, or lines with ``id`` and ``answer``; answers to the originals are
            optional. An answer is a number, a list of numbers, or a text.
        variants: the variants, as rows.
        inventory: the templates of the rivals, or rows that have them; by default those of the variants.
        data: the name of the variants in the signature.
        missing: what to do about variants without an answer: ``error``, or ``abstain``, which counts as wrong.

    Returns:
        A verdict on each problem with explanations of wrong derivations, the figures over all problems, and a
        signature.

    Raises:
        RowError: a row is not a variant.
        ScoreError: a variant has no answer, or an answer has an unknown id.
        ChoiceError: `missing` has an unknown value.
    """
    check_data_name(data)
    if missing not in ("error", "abstain"):
        raise ChoiceError(f"missing: expected error or abstain, but got {shown(missing)}")
    cases = cases_of(variants)
    if not cases:
        raise ScoreError("expected at least one variant, but got none")
    given = answers_by_id(answers)
    _check(given, cases, missing)
    rivals = inventory_of([case.puzzle.problem for case in cases] if inventory is None else inventory)
    problems = tuple(probe_case(case, given, rivals) for case in cases)
    return Probe(problems, _signature(cases, rivals, data, missing))


def answers_by_id(answers: Mapping[ProblemId, Any] | Iterable[Mapping[str, Any]]) -> dict[ProblemId, Any]:
    """Return answers by the ids of their rows.

    Raises:
        ScoreError: a line has no id, or an id stands twice.
    """
    if isinstance(answers, Mapping):
        return dict(answers)
    if isinstance(answers, (str, bytes)) or not isinstance(answers, Iterable):
        raise ScoreError(f"answers: expected a mapping from ids to answers, or lines, but got {shown(answers)}")
    found: dict[ProblemId, Any] = {}
    for line in answers:
        id_ = line.get("id") if isinstance(line, Mapping) else None
        if not is_problem_id(id_):
            raise ScoreError(f"answers: expected lines with id and answer, but got {shown(line)}")
        if id_ in found:
            raise ScoreError(f"answers: expected one answer for each id, but got two for {shown(id_)}")
        keys = ("answer", "solutions", "prediction")
        found[id_] = next((line[key] for key in keys if line.get(key) is not None), None)
    return found


def _check(given: dict[ProblemId, Any], cases: Sequence[Case], missing: str) -> None:
    wanted = [variant.problem.id for case in cases for variant in case.variants]
    known = {*wanted, *(case.id for case in cases)}
    by_text = {str(id_): id_ for id_ in known}
    for id_ in [id_ for id_ in given if id_ not in known]:
        # In a dataset of the `datasets` library all ids of a column are strings.
        meant = by_text.get(str(id_))
        if meant is None or meant in given:
            raise ScoreError(f"answers: Unknown id {shown(id_)}: expected ids of variants, or of their originals")
        given[meant] = given.pop(id_)
    without = [id_ for id_ in wanted if id_ not in given]
    if without and missing == "error":
        raise ScoreError(
            f"answers: {len(without)} of {len(wanted)} variants have none, the first is {shown(without[0])}; "
            "missing='abstain' counts them as wrong"
        )


def probe_case(case: Case, answers: Mapping[ProblemId, Any], inventory: Inventory) -> ProblemProbe:
    """Return what the answers to one problem and its variants say."""
    items = items_of(case, answers)
    answered = [item for item in items if item.given is not None]
    explainer = Explainer(case.puzzle, answered)
    right = dict(zip([item.id for item in answered], explainer.gold(), strict=True))
    gold = sum(right.values())
    best = explainer.best(inventory, gold, _read(case, answers) if gold < len(answered) else ())
    rival = best[0].count if best else 0
    verdict = decide(gold, rival, len(answered))
    described: tuple[DescribedExplanation, ...] = ()
    slips = [id_ for id_, fine in right.items() if not fine] if verdict is FromAnswers.RIGHT else []
    if verdict is FromAnswers.WRONG and rival > gold and rival >= 2:
        described = _described(case.puzzle, best)
        slips = [item.id for item, fine in zip(answered, best[0].fits, strict=True) if not fine]
    return ProblemProbe(
        id=case.id,
        items=tuple(ItemVerdict(i.id, i.kind, right.get(i.id, False), i.given is not None) for i in items),
        verdict=verdict,
        explained=rival if described else 0,
        explanations=described,
        others=max(len(best) - SHOWN, 0) if described else 0,
        slips=tuple(slips),
    )


def items_of(case: Case, answers: Mapping[ProblemId, Any]) -> list[Item]:
    """Return the answers to a problem and its variants; the original only if there is an answer to it."""
    puzzle = case.puzzle
    first = [puzzle.columns.index(position) for position in range(len(puzzle.fields))]
    items = []
    if case.id in answers:
        given = read_given(answers[case.id], puzzle.problem)
        items.append(Item(case.id, ORIGINAL, puzzle.values, None, given))
    for variant in case.variants:
        numbers = variant.problem.numbers[1:] if variant.trap is not None else variant.problem.numbers
        values = tuple(numbers[rank].value or Fraction(0) for rank in first)
        given = read_given(answers.get(variant.problem.id), variant.problem)
        items.append(Item(variant.problem.id, variant.kind, values, variant.trap, given))
    return items


def _read(case: Case, answers: Mapping[ProblemId, Any]) -> list[Rival]:
    """Return the derivations that are read in answers that are texts, in the numbers of the original."""
    found: dict[str, Rival] = {}
    rows: list[tuple[Problem, bool]] = [(case.puzzle.problem, False)]
    rows += [(variant.problem, variant.trap is not None) for variant in case.variants]
    for problem, trapped in rows:
        answer = answers.get(problem.id)
        text = answer.get("answer") if isinstance(answer, Mapping) else answer
        if not isinstance(text, str):
            continue
        reading = read_answer(text, problem)
        equations = reading.setup or [f"r{at} = {result}" for at, result in enumerate(reading.chain, 1)]
        numbers = problem.numbers
        try:
            derivation = Derivation.read("; ".join(equations), numbers) if equations else None
            if derivation is None or (trapped and numbers[0].place in derivation.places):
                continue
            ranks = {number.place: rank - trapped for rank, number in enumerate(numbers)}
            originals = case.puzzle.problem.numbers
            alignment = {slot: originals[ranks[n.place]] for slot, n in derivation.alignment.items()}
            moved = Derivation(derivation.template, alignment)
            found.setdefault(moved.q_notation(), rival_of(case.puzzle, moved, steps=1))
        except DrawError:
            continue  # what was read is no derivation that could be compared
    return list(found.values())


def _described(puzzle: Puzzle, best: Sequence[Explanation]) -> tuple[DescribedExplanation, ...]:
    describer = Describer(puzzle)
    described: dict[str, DescribedExplanation] = {}
    for explanation in best:
        if len(described) == SHOWN:
            break
        written = describer.derivation(explanation)
        described.setdefault(written, DescribedExplanation(written, describer.sentence(explanation), explanation.count))
    return tuple(described.values())


def _signature(cases: Sequence[Case], inventory: Inventory, data: str, missing: str) -> ProbeSignature:
    digest = 0
    kinds: dict[str, None] = {}
    for case in cases:
        for variant in case.variants:
            kinds[variant.kind] = None
            text = variant.problem.gold_text().encode("utf-8", "surrogatepass")
            digest += int.from_bytes(hashlib.sha256(text).digest(), "big")
    count = sum(len(case.variants) for case in cases)
    return ProbeSignature(data, digest, len(cases), count, tuple(kinds), len(inventory), missing)
