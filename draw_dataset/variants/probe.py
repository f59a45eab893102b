"""The result of probing: verdicts on each problem and on all of them, and the conditions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from draw_dataset.core.problem import ProblemId
from draw_dataset.variants.given import TOLERANCE
from draw_dataset.variants.verdicts import SLIPS, FromAnswers, share
from draw_dataset.version import __version__

PROBE_VERSION = 2
"""Raised whenever the same answers could get another verdict."""


@dataclass(frozen=True, slots=True)
class ItemVerdict:
    """The verdict on one answer.

    Attributes:
        id: the id of the row.
        kind: ``original``, or the kind of the variant.
        right: whether it is right.
        answered: whether it gives a number at all.
    """

    id: ProblemId
    kind: str
    right: bool
    answered: bool


@dataclass(frozen=True, slots=True)
class DescribedExplanation:
    """An explanation for a person.

    Attributes:
        derivation: the derivation in q-notation.
        sentence: how it differs from gold.
        explained: how many answers it explains.
    """

    derivation: str
    sentence: str
    explained: int


@dataclass(frozen=True, slots=True)
class ProblemProbe:
    """The verdict on the answers to one problem and its variants.

    Attributes:
        id: the id of the problem.
        items: each answer, the one to the original first if there is one.
        verdict: what they say about the derivation, except for fixed numbers.
        explained: how many answers the best explanation explains; 0 if there is none.
        explanations: the derivations that explain the most answers, simplest first, if the derivation is wrong.
        others: how many more there are.
        slips: the answers that the derivation does not explain.
    """

    id: ProblemId
    items: tuple[ItemVerdict, ...]
    verdict: FromAnswers
    explained: int
    explanations: tuple[DescribedExplanation, ...]
    others: int
    slips: tuple[ProblemId, ...]

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
            "items": [{"id": i.id, "kind": i.kind, "right": i.right, "answered": i.answered} for i in self.items],
            "explained": self.explained,
            "explanations": [
                {"derivation": one.derivation, "sentence": one.sentence, "explained": one.explained}
                for one in self.explanations
            ],
            "other_explanations": self.others,
            "slips": list(self.slips),
        }


@dataclass(frozen=True, slots=True)
class ProbeSignature:
    """The conditions of a probe; `str` gives the text.

    >>> print(ProbeSignature("v.jsonl", 0xABCDEF0123, 30, 90, ("numbers",), 26, version="1.0"))
    probe|data:v.jsonl@cdef0123|n:30|variants:90|kinds:numbers|rivals:26-templates+one-step+read|slips:0.2|\
sol:tol0.0001|up-to:fixed-numbers|probe:2|version:1.0

    Attributes:
        data: what the variants are called.
        digest: a number that identifies the gold of all variants, in any order.
        count: how many problems there were.
        variants: how many variants.
        kinds: of which kinds.
        templates: how many templates the rivals were made of.
        missing: what was done about variants without an answer.
        version: of this package.
    """

    data: str
    digest: int
    count: int
    variants: int
    kinds: tuple[str, ...]
    templates: int
    missing: str = "error"
    version: str = __version__

    @property
    def rows(self) -> str:
        """Which variants: equal for the same gold, and practically never for another."""
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
            "up-to:fixed-numbers",
            f"probe:{PROBE_VERSION}",
            f"version:{self.version}",
        ]
        return "|".join(parts)


@dataclass(frozen=True, slots=True)
class Probe:
    """The verdicts on the answers of one system.

    Attributes:
        problems: the verdict on each problem.
        signature: the conditions.
    """

    problems: tuple[ProblemProbe, ...]
    signature: ProbeSignature

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
        """How much more often originals are right than variants, over the problems that have both."""
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
        return share([one.verdict is FromAnswers.RIGHT for one in self.problems])

    @property
    def counts(self) -> dict[str, int]:
        """How many problems have each verdict."""
        found = Counter(str(one.verdict) for one in self.problems)
        return {str(verdict): found[verdict] for verdict in FromAnswers}

    @property
    def explained(self) -> int:
        """How many wrong derivations are explained."""
        return sum(bool(one.explanations) for one in self.problems)

    @property
    def slips(self) -> int:
        """How many answers are slips of a right derivation."""
        return sum(len(one.slips) for one in self.problems if one.verdict is FromAnswers.RIGHT)

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
            "signature": str(self.signature),
        }
