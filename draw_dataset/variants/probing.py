"""`probe`: derivation accuracy from final answers alone, and robustness by kind of variant.

The answers to a problem and to its variants with other numbers are taken together (`explaining.decide`). The reasoning
in an answer is not needed; if there is a text, the derivation that is read in it is one more rival. Variants with
another text have a gold of their own, by which each answer is judged alone.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from statistics import fmean, stdev
from typing import Any

from draw_dataset.algebra.number import short_number
from draw_dataset.derivation.derivation import Derivation, TextNumber
from draw_dataset.derivation.problem import Problem, ProblemId, is_problem_id, rows_of
from draw_dataset.errors import ChoiceError, DrawError, RowError, ScoreError, short_repr
from draw_dataset.reading.answer import read_answer
from draw_dataset.scoring.options import check_data_name
from draw_dataset.variants.explaining import (
    LEAST_EXPLAINED,
    RIGHT_LEVEL,
    SHOWN,
    SLIPS,
    TOLERANCE,
    WRONG_LEVEL,
    DerivationVerdict,
    Describer,
    Explainer,
    Explanation,
    FinalNumbers,
    Item,
    decide,
    given_answer,
    judge,
    read_final_numbers,
    rows_that_fit,
    share,
)
from draw_dataset.variants.fields import VariableProblem, analyse
from draw_dataset.variants.making import Variant, inventory_of
from draw_dataset.variants.rivals import Rival, RivalInventory, rival_of
from draw_dataset.version import __version__

PROBE_VERSION = 4  # raised whenever the same answers could get another verdict


@dataclass(frozen=True, slots=True)
class ItemVerdict:
    """The verdict on one answer."""

    id: ProblemId
    kind: str  # ``original``, or the kind of the variant
    right: bool  # whether it is right
    answered: bool  # whether it gives a number at all
    sample: int = 1  # which of several answers to the same row
    given: str = ""  # the numbers that it gives
    undecidable: bool = False  # whether the right answer is that the question cannot be decided
    difficulty: tuple[tuple[str, int], ...] = ()  # measures of the variant: steps, digits

    @property
    def answered_anyway(self) -> bool:
        """Whether it gives a number for a question that cannot be decided."""
        return self.undecidable and self.answered and not self.right


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
    verdict: DerivationVerdict | None  # that on the derivation, except for fixed numbers; None without evidence for it
    explained: int  # how many answers the best explanation explains; 0 if there is none
    # If it is wrong: those that explain the most, simplest first; none unless the first one is told from the next.
    explanations: tuple[DescribedExplanation, ...]
    others: int  # how many more there are
    slips: tuple[ProblemId, ...]  # the answers that the derivation does not explain
    evidence: int = 0  # how many answers with a number are evidence for the derivation

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
            "derivation": None if self.verdict is None else str(self.verdict),
            "all_right": self.all_right,
            "share_right": self.share_right,
            "items": [
                {**asdict(item), "difficulty": dict(item.difficulty), "answered_anyway": item.answered_anyway}
                for item in self.items
            ],
            "explained": self.explained,
            "explanations": [asdict(one) for one in self.explanations],
            "other_explanations": self.others,
            "evidence": self.evidence,
            "slips": list(self.slips),
        }


@dataclass(frozen=True, slots=True)
class ProbeSignature:
    """The conditions of a probe; `str` gives the text.

    >>> signature = ProbeSignature("v.jsonl", 0xABCDEF0123, 30, 90, ("numbers",), 26, version="1.0")
    >>> str(signature).split("|slips:")[0]
    'probe|data:v.jsonl@cdef0123|n:30|variants:90|kinds:numbers|rivals:26-templates+one-step+read'
    >>> str(signature).split("|slips:")[1]
    '0.2-5%-1%|sol:tol0.0001|up-to:fixed-numbers|probe:4|version:1.0'
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
            f"slips:{float(SLIPS):g}-{float(RIGHT_LEVEL):.0%}-{float(WRONG_LEVEL):.0%}",
            f"sol:tol{float(TOLERANCE):g}",
            *([f"missing:{self.missing}"] if self.missing != "error" else []),
            *([f"samples:{self.samples}"] if self.samples > 1 else []),
            "up-to:fixed-numbers",
            f"probe:{PROBE_VERSION}",
            f"version:{self.version}",
        ]
        return "|".join(parts)


@dataclass(frozen=True, slots=True)
class KindFigures:
    """The figures of one kind of variant, as GSM-Plus and GSM-Symbolic print them."""

    count: int  # answers
    accuracy: float  # the mean over its rows, of the share of right answers to each
    original_accuracy: float | None  # the accuracy on the originals of these rows that have an answer
    drop: float | None  # 1 - accuracy / original accuracy over the problems with both: GSM-Plus' performance drop rate
    instances: tuple[float, ...]  # the accuracy on the first variants of all problems, on the second ones, and so on
    deviation: float | None  # the standard deviation of the accuracies on these sets
    answered_anyway: float | None  # of questions that cannot be decided: the share of answers with a number

    @property
    def mean(self) -> float:
        """The mean of the accuracies on the sets of instances."""
        return fmean(self.instances) if self.instances else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {
            "n": self.count,
            "accuracy": self.accuracy,
            "original_accuracy": self.original_accuracy,
            "performance_drop_rate": self.drop,
            "instances": {
                "accuracies": list(self.instances),
                "mean": self.mean if self.instances else None,
                "standard_deviation": self.deviation,
            },
            "answered_anyway": self.answered_anyway,
        }


@dataclass(frozen=True, slots=True)
class CommonError:
    """An error of one system that occurs in several problems."""

    kind: str  # of `ErrorKind`, or ``answered anyway``, ``unexplained``
    problems: int  # in how many problems
    example: ProblemId  # one of them, or one of its variants
    sentence: str  # what is wrong there


@dataclass(frozen=True, slots=True)
class Probe:
    """The verdicts on the answers of one system."""

    problems: tuple[ProblemProbe, ...]  # the verdict on each problem
    signature: ProbeSignature
    missing: tuple[ProblemId, ...] = ()  # variants without an answer, which are left out
    missing_originals: tuple[ProblemId, ...] = ()  # originals without an answer: gap and drop do not count them

    @property
    def accuracy(self) -> float:
        """The share of answers to variants that are right."""
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
    def judged(self) -> tuple[ProblemProbe, ...]:
        """The problems that have a verdict on their derivation."""
        return tuple([one for one in self.problems if one.verdict is not None])

    @property
    def derivation_accuracy(self) -> float | None:
        """The share of judged problems whose derivation is right by the answers alone, up to fixed numbers."""
        judged = self.judged
        return share([one.verdict is DerivationVerdict.RIGHT for one in judged]) if judged else None

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

    @property
    def answered_anyway(self) -> float | None:
        """The share of questions that cannot be decided, and are answered with a number; None if there are none."""
        open_ = [item.answered_anyway for one in self.problems for item in one.items if item.undecidable]
        return share(open_) if open_ else None

    def by_kind(self) -> dict[str, KindFigures]:
        """Return the figures of each kind of row."""
        kinds = dict.fromkeys(item.kind for one in self.problems for item in one.items)
        return {kind: _kind_figures(self.problems, kind) for kind in kinds}

    def by_difficulty(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return the accuracy on variants by the number of their steps and of their digits, where rows have them."""
        rights: dict[str, dict[int, list[bool]]] = {}
        for one in self.problems:
            for item in one.items:
                for measure, value in item.difficulty:
                    rights.setdefault(measure, {}).setdefault(value, []).append(item.right)
        return {
            measure: {str(value): {"n": len(by[value]), "accuracy": share(by[value])} for value in sorted(by)}
            for measure, by in rights.items()
        }

    def errors(self) -> list[CommonError]:
        """Return the errors by how many problems have them, the most common first, each with an example."""
        found: dict[str, list[tuple[ProblemId, str]]] = {}
        for one in self.problems:
            if one.explanations:
                first = one.explanations[0]
                found.setdefault(first.kind, []).append((one.id, first.sentence))
            elif one.verdict is DerivationVerdict.WRONG:
                found.setdefault(UNEXPLAINED, []).append((one.id, "no derivation explains the wrong answers"))
            anyway = next((item for item in one.items if item.answered_anyway), None)
            if anyway is not None:
                said = f"gives {anyway.given}, although the question cannot be decided"
                found.setdefault(ANYWAY, []).append((anyway.id, said))
        errors = [CommonError(kind, len(listed), *listed[0]) for kind, listed in found.items()]
        return sorted(errors, key=lambda one: (one.kind == UNEXPLAINED, -one.problems))

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {
            "derivation_accuracy_from_answers": self.derivation_accuracy,
            "accuracy": self.accuracy,
            "macro_accuracy": self.macro_accuracy,
            "original_accuracy": self.original_accuracy,
            "gap": self.gap,
            "answered_anyway": self.answered_anyway,
            "derivations": self.counts,
            "explained": self.explained,
            "slips": self.slips,
            "by_kind": {kind: figures.to_dict() for kind, figures in self.by_kind().items()},
            "by_difficulty": self.by_difficulty(),
            "errors": [asdict(error) for error in self.errors()],
            "n": len(self.problems),
            "missing": list(self.missing),
            "missing_originals": list(self.missing_originals),
            "signature": str(self.signature),
        }


UNEXPLAINED = "unexplained"
ANYWAY = "answered anyway"


def _kind_figures(problems: Sequence[ProblemProbe], kind: str) -> KindFigures:
    """Return the figures of one kind, over the problems that have it."""
    items = [item for one in problems for item in one.items if item.kind == kind]
    by_problem = [_shares_by_row(one, kind) for one in problems]
    rows = [row for shares in by_problem for row in shares]
    both = [
        (shares, _shares_by_row(one, ORIGINAL))
        for one, shares in zip(problems, by_problem, strict=True)
        if shares and any(item.kind == ORIGINAL for item in one.items)
    ]
    original = fmean([share for _, originals in both for share in originals]) if both else None
    drop = None
    if original and kind != ORIGINAL:
        drop = 1 - fmean([share for shares, _ in both for share in shares]) / original
    # Sets of instances are compared over the same problems: those with the most frequent number of variants, or more.
    lengths = Counter(len(shares) for shares in by_problem if shares)
    count = max(lengths, key=lambda length: (lengths[length], length), default=0)
    whole = [shares for shares in by_problem if len(shares) >= count]
    instances = tuple([fmean([shares[at] for shares in whole]) for at in range(count)])
    open_ = [item.answered_anyway for item in items if item.undecidable]
    return KindFigures(
        count=len(items),
        accuracy=fmean(rows),
        original_accuracy=original,
        drop=drop,
        instances=() if kind == ORIGINAL else instances,
        deviation=stdev(instances) if len(instances) > 1 else None,
        answered_anyway=share(open_) if open_ else None,
    )


def _shares_by_row(one: ProblemProbe, kind: str) -> list[float]:
    """Return the share of right answers to each row of a kind, in their order."""
    found: dict[ProblemId, list[bool]] = {}
    for item in one.items:
        if item.kind == kind:
            found.setdefault(item.id, []).append(item.right)
    return [share(rights) for rights in found.values()]


ORIGINAL = "original"  # the kind of an answer to the problem itself


@dataclass(frozen=True, slots=True)
class Case:
    """A problem with its variants, prepared for answers."""

    variable: VariableProblem | None  # the original, if a variant is evidence for its derivation
    variants: tuple[Variant, ...]  # its variants, in order
    original: Problem | None = None  # the original where `variable` is None, if it was given
    difficulty: Mapping[ProblemId, tuple[tuple[str, int], ...]] = field(default_factory=dict)  # by variant

    @property
    def problem(self) -> Problem | None:
        """The original, if it is known."""
        return self.original if self.variable is None else self.variable.problem

    @property
    def id(self) -> ProblemId:
        """The id of the original."""
        return self.variants[0].source_id if self.problem is None else self.problem.id


def cases_of(rows: Iterable[Mapping[str, Any]]) -> list[Case]:
    """Return the problems of variants, in the order of their first variant; originals may be among the rows."""
    grouped: dict[ProblemId, list[Variant]] = {}
    difficulty: dict[ProblemId, tuple[tuple[str, int], ...]] = {}
    originals: dict[ProblemId, Mapping[str, Any]] = {}
    seen: set[ProblemId] = set()
    for row in rows_of(rows, "variants"):
        if isinstance(row, Mapping) and row.get("variant") is None and is_problem_id(row.get("id")):
            originals.setdefault(row["id"], row)
            continue
        variant = Variant.of(row)
        if variant.problem.id in seen:
            raise RowError(f"variants: expected each id once, but got {short_repr(variant.problem.id)} twice")
        seen.add(variant.problem.id)
        difficulty[variant.problem.id] = _difficulty(row)
        grouped.setdefault(variant.source_id, []).append(variant)
    for id_ in originals:
        if id_ not in grouped:
            raise RowError(f"row {short_repr(id_)}: expected a variant or the original of one, but it is neither")
    return [_case(listed, originals.get(id_), difficulty) for id_, listed in grouped.items()]


def _case(
    variants: Sequence[Variant],
    original: Mapping[str, Any] | None,
    difficulty: Mapping[ProblemId, tuple[tuple[str, int], ...]],
) -> Case:
    own = {variant.problem.id: difficulty[variant.problem.id] for variant in variants}
    evidence = [variant for variant in variants if not variant.has_own_gold]
    if evidence:
        # Undoing changed numbers is safer than removing a sentence.
        first = next((variant for variant in evidence if variant.extra_rank is None), evidence[0])
        return Case(analyse(first.original(), must_move=False), tuple(variants), None, own)
    return Case(None, tuple(variants), None if original is None else Problem.from_row(original), own)


def _difficulty(row: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    """Return the measures of a variant; files of older versions have none."""
    told = row["variant"].get("difficulty")
    if told is None:
        return ()
    if not isinstance(told, Mapping) or not all(type(value) is int and value >= 0 for value in told.values()):
        raise RowError(
            f"row {short_repr(row.get('id'))}: variant.difficulty: expected whole numbers from 0 by name, "
            f"but got {short_repr(told)}"
        )
    return tuple([(str(name), value) for name, value in told.items()])


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
        variants: the variants, as rows; their originals may be among them, and are needed to judge the answers to
            originals all of whose variants have a gold of their own.
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
    if inventory is None:
        inventory = [case.variable.problem for case in cases if case.variable is not None]
    rivals = inventory_of(inventory)
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
    judged = [case.id for case in left if case.problem is not None]
    return Probe(
        problems,
        signature,
        tuple(without) if missing == "skip" else (),
        tuple([id_ for id_ in judged if id_ not in given]),
    )


MISSING = ("error", "abstain", "skip")  # the policies for variants without an answer


def _leave_out(cases: Sequence[Case], without: Sequence[ProblemId]) -> list[Case]:
    """Return cases with the variants that have an answer; without those that have none."""
    gone = frozenset(without)
    kept = [tuple([variant for variant in case.variants if variant.problem.id not in gone]) for case in cases]
    return [replace(case, variants=variants) for case, variants in zip(cases, kept, strict=True) if variants]


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
    found = _Derivation() if case.variable is None else _probe_derivation(case, case.variable, answers, inventory)
    told: list[ItemVerdict] = []
    if case.id in answers and case.variable is not None:
        told += found.items.get(case.id, ())
    elif case.id in answers and case.original is not None:
        told += _judge_row(case.original, ORIGINAL, answers)
    for variant in case.variants:
        id_ = variant.problem.id
        items = _judge_row(variant.problem, variant.kind, answers) if variant.has_own_gold else found.items[id_]
        told += [replace(item, difficulty=case.difficulty.get(id_, ())) for item in items]
    return ProblemProbe(
        id=case.id,
        items=tuple(told),
        verdict=found.verdict,
        explained=found.explained,
        explanations=found.explanations,
        others=found.others,
        slips=found.slips,
        evidence=found.evidence,
    )


@dataclass(frozen=True, slots=True)
class _Derivation:
    """The verdict on the derivation of a problem, by the answers that are evidence for it."""

    items: Mapping[ProblemId, Sequence[ItemVerdict]] = field(default_factory=dict)
    verdict: DerivationVerdict | None = None
    explained: int = 0
    explanations: tuple[DescribedExplanation, ...] = ()
    others: int = 0
    slips: tuple[ProblemId, ...] = ()
    evidence: int = 0


def _judge_row(problem: Problem, kind: str, answers: Mapping[ProblemId, Any]) -> list[ItemVerdict]:
    """Return the verdicts on the answers to one row, by its own gold."""
    if problem.id not in answers:
        return [ItemVerdict(problem.id, kind, right=False, answered=False, undecidable=problem.is_refused)]
    told = []
    for sample, answer in enumerate(samples_of(answers, problem.id), 1):
        judged = judge(answer, problem)
        told.append(
            ItemVerdict(
                problem.id,
                kind,
                judged.right,
                judged.given is not None,
                sample,
                _numbers_text(judged.given),
                problem.is_refused,
            )
        )
    return told


def _numbers_text(given: FinalNumbers | None) -> str:
    return "" if given is None else ", ".join(map(short_number, dict.fromkeys(given.values)))


def _probe_derivation(
    case: Case, variable: VariableProblem, answers: Mapping[ProblemId, Any], inventory: RivalInventory
) -> _Derivation:
    items = items_of(case, answers)
    answered = [item for item in items if item.given is not None]
    explainer = Explainer(variable, answered)
    fine = explainer.gold()
    gold = sum(fine)
    best = explainer.best(inventory, gold, _read(case, answers) if gold < len(answered) else ())
    rival = best[0].count if best else 0
    by_best = best[0].fits if best else (False,) * len(answered)
    compared = zip(answered, fine, by_best, strict=True)
    verdict = decide(
        [*rows_that_fit(answered, fine).values()],
        [*rows_that_fit(answered, by_best).values()],
        fine,
        len({item.id for item, of_gold, of_rival in compared if of_gold and not of_rival}),
    )
    if verdict is DerivationVerdict.RIGHT and _has_other(variable, answered, fine, inventory):
        verdict = DerivationVerdict.UNDECIDED
    described: tuple[DescribedExplanation, ...] = ()
    slips: list[ProblemId] = []
    if verdict is DerivationVerdict.RIGHT:
        slips = [item.id for item, is_right in zip(answered, fine, strict=True) if not is_right]
    if verdict is DerivationVerdict.WRONG:
        habits = explainer.habits()
        if habits and habits[0].count > rival:
            best = habits[:1]
        if best and best[0].count > gold and explainer.is_named(best):
            described = _describe(variable, best)
            slips = [item.id for item, fits in zip(answered, best[0].fits, strict=True) if not fits]
    rights = iter(fine)
    told: dict[ProblemId, list[ItemVerdict]] = {}
    for item in items:
        own = told.setdefault(item.id, [])
        is_right = item.given is not None and next(rights)
        own.append(
            ItemVerdict(item.id, item.kind, is_right, item.given is not None, len(own) + 1, _numbers_text(item.given))
        )
    return _Derivation(
        told,
        verdict,
        explained=best[0].count if described else 0,
        explanations=described,
        others=max(len(best) - SHOWN, 0) if described else 0,
        slips=tuple(slips),
        evidence=len(answered),
    )


def _has_other(
    variable: VariableProblem, items: Sequence[Item], fine: Sequence[bool], inventory: RivalInventory
) -> bool:
    """Return True if one other derivation explains what gold misses: in three rows, or in two and a quarter of all."""
    missed = [item for item, is_right in zip(items, fine, strict=True) if not is_right]
    if len({item.id for item in missed}) < _LEAST_OTHER:
        return False
    best = Explainer(variable, missed).best(inventory, _LEAST_OTHER)
    explained = [item.id for item, fits in zip(missed, best[0].fits, strict=True) if fits] if best else []
    rows = len(set(explained))
    return rows >= LEAST_EXPLAINED or (rows >= _LEAST_OTHER and 4 * len(explained) >= len(items))


_LEAST_OTHER = 2  # in how many rows another derivation must be seen beside gold


def items_of(case: Case, answers: Mapping[ProblemId, Any]) -> list[Item]:
    """Return the answers that are evidence for a derivation; that to the original only if there is one."""
    variable = case.variable
    if variable is None:
        return []
    first = [variable.columns.index(position) for position in range(len(variable.fields))]
    items = []
    if case.id in answers:
        for answer in samples_of(answers, case.id):
            given = read_final_numbers(answer, variable.problem)
            items.append(Item(case.id, ORIGINAL, variable.values, None, given))
    for variant in case.variants:
        if variant.has_own_gold:
            continue
        id_, numbers = variant.problem.id, variant.kept_numbers
        values = tuple(numbers[rank].value or Fraction(0) for rank in first)
        moved = values != variable.values
        for answer in samples_of(answers, id_) if id_ in answers else (None,):
            given = read_final_numbers(answer, variant.problem)
            items.append(Item(id_, variant.kind, values, variant.trap, given, moved))
    return items


def _read(case: Case, answers: Mapping[ProblemId, Any]) -> list[Rival]:
    """Return the derivations that are read in answers that are texts, in the numbers of the original."""
    variable = case.variable
    if variable is None:
        return []
    found: dict[str, Rival] = {}
    rows: list[tuple[Problem, Sequence[TextNumber]]] = [(variable.problem, variable.problem.numbers)]
    rows += [(one.problem, one.kept_numbers) for one in case.variants if not one.has_own_gold]
    given = [(*row, one) for row in rows if row[0].id in answers for one in samples_of(answers, row[0].id)]
    for problem, kept, answer in given:
        text = answer.get("answer") if isinstance(answer, Mapping) else answer
        if not isinstance(text, str):
            continue
        reading = read_answer(text, problem)
        equations = reading.setup or [f"r{at} = {result}" for at, result in enumerate(reading.chain, 1)]
        ranks = {number.place: rank for rank, number in enumerate(kept)}
        try:
            derivation = Derivation.read("; ".join(equations), problem.numbers) if equations else None
            if derivation is None or any(place not in ranks for place in derivation.places):
                continue  # nothing was read, or it uses the number of a trap
            originals = variable.problem.numbers
            alignment = {slot: originals[ranks[n.place]] for slot, n in derivation.alignment.items()}
            moved = Derivation(derivation.template, alignment)
            found.setdefault(moved.q_notation(), rival_of(variable, moved, steps=1))
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
            problem = variant.problem
            text = f"{problem.id} {problem.question}" if problem.is_refused else problem.gold_text()
            digest += int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")
    count = sum(len(case.variants) for case in cases)
    return ProbeSignature(data, digest, len(cases), count, tuple(kinds), len(inventory), missing)
