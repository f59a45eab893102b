"""`probe`: derivation accuracy from final answers alone.

The answers to a problem and to its variants are taken together (`explaining.decide`). The reasoning in an answer is not
needed; if there is a text, the derivation that is read in it is one more rival.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

from draw_dataset.derivation.derivation import Derivation
from draw_dataset.derivation.problem import Problem, ProblemId, is_problem_id, rows_of
from draw_dataset.errors import ChoiceError, DrawError, RowError, ScoreError, short_repr
from draw_dataset.reading.answer import read_answer
from draw_dataset.scoring.options import check_data_name
from draw_dataset.variants.explaining import (
    SHOWN,
    SLIPS,
    TOLERANCE,
    DerivationVerdict,
    Describer,
    Explainer,
    Explanation,
    Item,
    decide,
    given_answer,
    read_final_numbers,
    share,
)
from draw_dataset.variants.fields import VariableProblem, analyse
from draw_dataset.variants.making import Variant, inventory_of
from draw_dataset.variants.rivals import Rival, RivalInventory, rival_of
from draw_dataset.version import __version__

PROBE_VERSION = 3  # raised whenever the same answers could get another verdict


@dataclass(frozen=True, slots=True)
class ItemVerdict:
    """The verdict on one answer."""

    id: ProblemId
    kind: str  # ``original``, or the kind of the variant
    right: bool  # whether it is right
    answered: bool  # whether it gives a number at all
    sample: int = 1  # which of several answers to the same row


@dataclass(frozen=True, slots=True)
class DescribedExplanation:
    """An explanation for a person."""

    derivation: str  # the derivation in q-notation
    sentence: str  # how it differs from gold
    explained: int  # how many answers it explains
    kind: str = "other derivation"  # of `ErrorKind`


@dataclass(frozen=True, slots=True)
class ProblemProbe:
    """The verdict on the answers to one problem and its variants."""

    id: ProblemId
    items: tuple[ItemVerdict, ...]  # each answer, the one to the original first if there is one
    verdict: DerivationVerdict  # that on the derivation, except for fixed numbers
    explained: int  # how many answers the best explanation explains; 0 if there is none
    # If it is wrong: those that explain the most, simplest first; none unless the first one is told from the next.
    explanations: tuple[DescribedExplanation, ...]
    others: int  # how many more there are
    slips: tuple[ProblemId, ...]  # the answers that the derivation does not explain

    @property
    def all_right(self) -> bool:
        """Whether every answer is right."""
        return all(item.right for item in self.items)

    @property
    def share_right(self) -> float:
        """The share of right answers."""
        return share([item.right for item in self.items])

    def of_kind(self, original: bool) -> list[bool]:
        """Return whether each answer is right: that to the original, or those to the variants."""
        return [item.right for item in self.items if (item.kind == "original") == original]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "id": self.id,
            "derivation": str(self.verdict),
            "all_right": self.all_right,
            "share_right": self.share_right,
            "items": [asdict(item) for item in self.items],
            "explained": self.explained,
            "explanations": [asdict(one) for one in self.explanations],
            "other_explanations": self.others,
            "slips": list(self.slips),
        }


@dataclass(frozen=True, slots=True)
class ProbeSignature:
    """The conditions of a probe; `str` gives the text.

    >>> signature = ProbeSignature("v.jsonl", 0xABCDEF0123, 30, 90, ("numbers",), 26, version="1.0")
    >>> str(signature).split("|slips:")[0]
    'probe|data:v.jsonl@cdef0123|n:30|variants:90|kinds:numbers|rivals:26-templates+one-step+read'
    >>> str(signature).split("|slips:")[1]
    '0.2|sol:tol0.0001|up-to:fixed-numbers|probe:3|version:1.0'
    """

    data: str
    digest: int  # identifies the gold of all variants, in any order
    count: int
    variants: int
    kinds: tuple[str, ...]
    templates: int  # how many templates the rivals were made of
    missing: str = "error"  # the policy for variants without an answer
    version: str = __version__
    samples: int = 1  # how many answers a row has, at most

    @property
    def rows(self) -> str:
        """The digest of the variants: equal for the same gold, and practically never for another."""
        return f"{self.digest % (1 << 256):064x}"

    def __str__(self) -> str:
        parts = [
            "probe",
            f"data:{self.data}@{self.rows[-8:]}",
            f"n:{self.count}",
            f"variants:{self.variants}",
            f"kinds:{'+'.join(self.kinds)}",
            f"rivals:{self.templates}-templates+one-step+read",
            f"slips:{float(SLIPS):g}",
            f"sol:tol{float(TOLERANCE):g}",
            *([f"missing:{self.missing}"] if self.missing != "error" else []),
            *([f"samples:{self.samples}"] if self.samples > 1 else []),
            "up-to:fixed-numbers",
            f"probe:{PROBE_VERSION}",
            f"version:{self.version}",
        ]
        return "|".join(parts)


@dataclass(frozen=True, slots=True)
class Probe:
    """The verdicts on the answers of one system."""

    problems: tuple[ProblemProbe, ...]  # the verdict on each problem
    signature: ProbeSignature
    missing: tuple[ProblemId, ...] = ()  # variants without an answer, which are left out

    @property
    def accuracy(self) -> float:
        """The share of variants that are answered right."""
        return share([right for one in self.problems for right in one.of_kind(original=False)])

    @property
    def original_accuracy(self) -> float | None:
        """The share of originals that are answered right, of those that are answered; None if none is."""
        rights = [right for one in self.problems for right in one.of_kind(original=True)]
        return share(rights) if rights else None

    @property
    def gap(self) -> float | None:
        """The accuracy on originals minus that on variants, over the problems that have both."""
        both = [one for one in self.problems if one.of_kind(original=True)]
        if not both:
            return None
        return share([r for one in both for r in one.of_kind(True)]) - share(
            [r for one in both for r in one.of_kind(False)]
        )

    @property
    def macro_accuracy(self) -> float:
        """The share of problems all of whose answers are right."""
        return share([one.all_right for one in self.problems])

    @property
    def derivation_accuracy(self) -> float:
        """The share of problems whose derivation is right by the answers alone, up to fixed numbers."""
        return share([one.verdict is DerivationVerdict.RIGHT for one in self.problems])

    @property
    def counts(self) -> dict[str, int]:
        """The number of problems with each verdict."""
        found = Counter(str(one.verdict) for one in self.problems)
        return {str(verdict): found[verdict] for verdict in DerivationVerdict}

    @property
    def explained(self) -> int:
        """The number of wrong derivations that are explained."""
        return sum(bool(one.explanations) for one in self.problems)

    @property
    def slips(self) -> int:
        """The number of answers that are slips of a right derivation."""
        return sum(len(one.slips) for one in self.problems if one.verdict is DerivationVerdict.RIGHT)

    def by_kind(self) -> dict[str, dict[str, float]]:
        """Return the accuracy of each kind of row, and how many there are."""
        rights: dict[str, list[bool]] = {}
        for one in self.problems:
            for item in one.items:
                rights.setdefault(item.kind, []).append(item.right)
        return {kind: {"n": len(values), "accuracy": share(values)} for kind, values in rights.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {
            "derivation_accuracy_from_answers": self.derivation_accuracy,
            "accuracy": self.accuracy,
            "macro_accuracy": self.macro_accuracy,
            "original_accuracy": self.original_accuracy,
            "gap": self.gap,
            "derivations": self.counts,
            "explained": self.explained,
            "slips": self.slips,
            "by_kind": self.by_kind(),
            "n": len(self.problems),
            "missing": list(self.missing),
            "signature": str(self.signature),
        }


ORIGINAL = "original"  # the kind of an answer to the problem itself


@dataclass(frozen=True, slots=True)
class Case:
    """A problem with its variants, prepared for answers."""

    variable: VariableProblem  # the original
    variants: tuple[Variant, ...]  # its variants, in order

    @property
    def id(self) -> ProblemId:
        """The id of the original."""
        return self.variable.problem.id


def cases_of(variants: Iterable[Mapping[str, Any]]) -> list[Case]:
    """Return the problems of variants, in the order of their first variant."""
    grouped: dict[ProblemId, list[Variant]] = {}
    seen: set[ProblemId] = set()
    for row in rows_of(variants, "variants"):
        variant = Variant.of(row)
        if variant.problem.id in seen:
            raise RowError(f"variants: expected each id once, but got {short_repr(variant.problem.id)} twice")
        seen.add(variant.problem.id)
        grouped.setdefault(variant.source_id, []).append(variant)
    cases = []
    for listed in grouped.values():
        # Undoing changed numbers is safer than removing a sentence.
        first = next((variant for variant in listed if variant.kind == "numbers"), listed[0])
        cases.append(Case(analyse(first.original(), must_move=False), tuple(listed)))
    return cases


def probe(
    answers: Mapping[ProblemId, Any] | Iterable[Mapping[str, Any]],
    variants: Iterable[Mapping[str, Any]],
    *,
    inventory: RivalInventory | Iterable[Mapping[str, Any] | Problem] | None = None,
    data: str = "variants",
    missing: str = "error",
) -> Probe:
    """Say from final answers to problems and their variants which derivations are right.

    >>> from draw_dataset.data.sample import load_sample
    >>> from draw_dataset.variants.making import make_variants
    >>> problem = load_sample()["test"][0]
    >>> variants = make_variants([problem], count=3)
    >>> answers = {row["id"]: row["solutions"] for row in variants} | {problem.id: problem.solutions}
    >>> str(probe(answers, variants).problems[0].verdict)
    'right'

    Args:
        answers: the answer to each row by its id, or lines with ``id`` and ``answer``; answers to the originals are
            optional. An answer is a number, a list of numbers, or a text; several lines with the same id are samples.
        variants: the variants, as rows.
        inventory: the templates of the rivals, or rows that have them; by default those of the variants.
        data: the name of the variants in the signature.
        missing: what to do about variants without an answer: ``error``; ``abstain``, which counts as wrong; or
            ``skip``, which leaves them out and names them in `Probe.missing`.

    Returns:
        A verdict on each problem with explanations of wrong derivations, the figures over all problems, and a
        signature.

    Raises:
        RowError: a row is not a variant.
        ScoreError: a variant has no answer, or an answer has an unknown id.
        ChoiceError: `missing` has an unknown value.
    """
    check_data_name(data)
    if missing not in MISSING:
        raise ChoiceError(f"missing: expected one of {', '.join(MISSING)}, but got {short_repr(missing)}")
    cases = cases_of(variants)
    if not cases:
        raise ScoreError("expected at least one variant, but got none")
    given = answers_by_id(answers)
    without = _check(given, cases, missing)
    rivals = inventory_of([case.variable.problem for case in cases] if inventory is None else inventory)
    left = _leave_out(cases, without) if missing == "skip" else cases
    if not left:
        raise ScoreError("answers: expected an answer to a variant, but none has one")
    problems = tuple(probe_case(case, given, rivals) for case in left)
    policy = "error" if missing == "skip" and not without else missing
    signature = replace(
        _signature(cases, rivals, data, policy),
        count=len(left),
        variants=sum(len(case.variants) for case in left),
        samples=max([len(samples_of(given, id_)) for id_ in given], default=1),
    )
    return Probe(problems, signature, tuple(without) if missing == "skip" else ())


MISSING = ("error", "abstain", "skip")  # the policies for variants without an answer


def _leave_out(cases: Sequence[Case], without: Sequence[ProblemId]) -> list[Case]:
    """Return cases with the variants that have an answer; without those that have none."""
    gone = frozenset(without)
    left = [
        Case(case.variable, tuple([variant for variant in case.variants if variant.problem.id not in gone]))
        for case in cases
    ]
    return [case for case in left if case.variants]


@dataclass(frozen=True, slots=True)
class Samples:
    """Several answers to one row."""

    answers: tuple[Any, ...]


def samples_of(answers: Mapping[ProblemId, Any], id_: ProblemId) -> tuple[Any, ...]:
    """Return the answers to a row: several if they are samples."""
    given = answers[id_]
    return given.answers if isinstance(given, Samples) else (given,)


def answers_by_id(answers: Mapping[ProblemId, Any] | Iterable[Mapping[str, Any]]) -> dict[ProblemId, Any]:
    """Return answers by the ids of their rows; several lines with the same id are samples."""
    if isinstance(answers, Mapping):
        return dict(answers)
    if isinstance(answers, (str, bytes)) or not isinstance(answers, Iterable):
        raise ScoreError(f"answers: expected a mapping from ids to answers, or lines, but got {short_repr(answers)}")
    found: dict[ProblemId, list[Any]] = {}
    for line in answers:
        id_ = line.get("id") if isinstance(line, Mapping) else None
        if not is_problem_id(id_):
            raise ScoreError(f"answers: expected lines with id and answer, but got {short_repr(line)}")
        found.setdefault(id_, []).append(given_answer(line))
    return {id_: Samples(tuple(listed)) if len(listed) > 1 else listed[0] for id_, listed in found.items()}


def _check(given: dict[ProblemId, Any], cases: Sequence[Case], missing: str) -> list[ProblemId]:
    """Return the variants without an answer, after all ids are checked."""
    wanted = [variant.problem.id for case in cases for variant in case.variants]
    known = {*wanted, *(case.id for case in cases)}
    by_text = {str(id_): id_ for id_ in known}
    for id_ in [id_ for id_ in given if id_ not in known]:
        # In a dataset of the `datasets` library all ids of a column are strings.
        meant = by_text.get(str(id_))
        if meant is None or meant in given:
            raise ScoreError(f"answers: Unknown id {short_repr(id_)}: expected ids of variants, or of their originals")
        given[meant] = given.pop(id_)
    without = [id_ for id_ in wanted if id_ not in given]
    if without and missing == "error":
        raise ScoreError(
            f"answers: {len(without)} of {len(wanted)} variants have none, the first is {short_repr(without[0])}; "
            "missing='abstain' counts them as wrong, and skip leaves them out"
        )
    return without


def probe_case(case: Case, answers: Mapping[ProblemId, Any], inventory: RivalInventory) -> ProblemProbe:
    """Return the verdict on the answers to one problem and its variants."""
    items = items_of(case, answers)
    answered = [item for item in items if item.given is not None]
    explainer = Explainer(case.variable, answered)
    fine = explainer.gold()
    gold = sum(fine)
    best = explainer.best(inventory, gold, _read(case, answers) if gold < len(answered) else ())
    rival = best[0].count if best else 0
    verdict = decide(gold, rival, len(answered))
    described: tuple[DescribedExplanation, ...] = ()
    slips: list[ProblemId] = []
    if verdict is DerivationVerdict.RIGHT:
        slips = [item.id for item, is_right in zip(answered, fine, strict=True) if not is_right]
    if verdict is DerivationVerdict.WRONG:
        habits = explainer.habits()
        if habits and habits[0].count > rival:
            best = habits[:1]
        if best and best[0].count > gold and explainer.is_named(best):
            described = _describe(case.variable, best)
            slips = [item.id for item, fits in zip(answered, best[0].fits, strict=True) if not fits]
    rights = iter(fine)
    told: list[ItemVerdict] = []
    seen: Counter[ProblemId] = Counter()
    for item in items:
        seen[item.id] += 1
        is_right = item.given is not None and next(rights)
        told.append(ItemVerdict(item.id, item.kind, is_right, item.given is not None, seen[item.id]))
    return ProblemProbe(
        id=case.id,
        items=tuple(told),
        verdict=verdict,
        explained=best[0].count if described else 0,
        explanations=described,
        others=max(len(best) - SHOWN, 0) if described else 0,
        slips=tuple(slips),
    )


def items_of(case: Case, answers: Mapping[ProblemId, Any]) -> list[Item]:
    """Return the answers to a problem and its variants; the original only if there is an answer to it."""
    variable = case.variable
    first = [variable.columns.index(position) for position in range(len(variable.fields))]
    items = []
    if case.id in answers:
        for answer in samples_of(answers, case.id):
            given = read_final_numbers(answer, variable.problem)
            items.append(Item(case.id, ORIGINAL, variable.values, None, given))
    for variant in case.variants:
        id_ = variant.problem.id
        numbers = variant.problem.numbers[1:] if variant.trap is not None else variant.problem.numbers
        values = tuple(numbers[rank].value or Fraction(0) for rank in first)
        for answer in samples_of(answers, id_) if id_ in answers else (None,):
            given = read_final_numbers(answer, variant.problem)
            items.append(Item(id_, variant.kind, values, variant.trap, given))
    return items


def _read(case: Case, answers: Mapping[ProblemId, Any]) -> list[Rival]:
    """Return the derivations that are read in answers that are texts, in the numbers of the original."""
    found: dict[str, Rival] = {}
    rows: list[tuple[Problem, bool]] = [(case.variable.problem, False)]
    rows += [(variant.problem, variant.trap is not None) for variant in case.variants]
    given = [(*row, one) for row in rows if row[0].id in answers for one in samples_of(answers, row[0].id)]
    for problem, trapped, answer in given:
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
            originals = case.variable.problem.numbers
            alignment = {slot: originals[ranks[n.place]] for slot, n in derivation.alignment.items()}
            moved = Derivation(derivation.template, alignment)
            found.setdefault(moved.q_notation(), rival_of(case.variable, moved, steps=1))
        except DrawError:
            continue  # what was read is no derivation that could be compared
    return list(found.values())


def _describe(variable: VariableProblem, best: Sequence[Explanation]) -> tuple[DescribedExplanation, ...]:
    describer = Describer(variable)
    described: dict[str, DescribedExplanation] = {}
    for explanation in best:
        if len(described) == SHOWN:
            break
        written = describer.derivation(explanation)
        if written not in described:
            sentence, kind = describer.sentence(explanation), str(describer.kind(explanation))
            described[written] = DescribedExplanation(written, sentence, explanation.count, kind)
    return tuple(described.values())


def _signature(cases: Sequence[Case], inventory: RivalInventory, data: str, missing: str) -> ProbeSignature:
    digest = 0
    kinds: dict[str, None] = {}
    for case in cases:
        for variant in case.variants:
            kinds[variant.kind] = None
            text = variant.problem.gold_text().encode("utf-8", "surrogatepass")
            digest += int.from_bytes(hashlib.sha256(text).digest(), "big")
    count = sum(len(case.variants) for case in cases)
    return ProbeSignature(data, digest, len(cases), count, tuple(kinds), len(inventory), missing)
