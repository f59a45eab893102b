"""Options and signatures: the conditions of a score, with every option that can change it.

Scores with equal signatures can be compared; scores of the same rows can stand in one table. A signature is printed as
a string, as in sacrebleu; `signature_parts` splits it. It always names the match rule that was used, so a score of
answers and a score of templates never have equal signatures. It names the treatment of alternatives if they counted, or
would have counted by default, with a digest of them; and a digest of `asked` if there were answers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from draw_dataset.derivation.consistent import POLICY
from draw_dataset.errors import ChoiceError, short_repr
from draw_dataset.version import __version__

EquationMode = Literal["random", "first", "expected"]
Missing = Literal["error", "abstain", "skip"]
MatchMode = Literal["auto", "algorithm1", "quantities"]
GoldMode = Literal["auto", "one", "any"]

METRIC_VERSION = 6
"""Raised whenever the same predictions could get another score."""


@dataclass(frozen=True, slots=True)
class Options:
    """How predictions are graded.

    Attributes:
        merge_equiv: whether two equivalent numbers in two slots count as one number in one slot.
        tolerance: the largest difference of a solution from gold, relative to gold if gold is larger than one.
        equation: the reference of equation accuracy: one drawn at random, the first, or the expectation over all.
            Gold itself does not reach 1: if a value stands twice in a text, the equations do not say which number is
            meant, and the reference may have the other one (84.5 % on the test split of Draw-1k, random, seed 0).
        seed: the seed of the random draw; a problem gets the same draw in any order and process.
        match: when a derivation is right: by ``algorithm1`` of the paper, by its ``quantities``, or ``auto``, which is
            Algorithm 1 for templates and q-notation and quantities for answers of language models.
        gold: which derivations of a row count: ``one``, its gold derivation; ``any``, that or one of its alternatives;
            or ``auto``, which is ``any`` for rows whose status is ``ambiguous`` or that edition 3 of the corrections
            changes, and ``one`` for all others.
    """

    merge_equiv: bool = False
    tolerance: Fraction = Fraction(1, 10_000)
    equation: EquationMode = "random"
    seed: int = 0
    match: MatchMode = "auto"
    gold: GoldMode = "auto"

    def __post_init__(self) -> None:
        if self.gold not in ("auto", "one", "any"):
            raise ChoiceError(f"gold: expected auto, one or any, but got {short_repr(self.gold)}")
        if self.match not in ("auto", "algorithm1", "quantities"):
            raise ChoiceError(f"match: expected auto, algorithm1 or quantities, but got {short_repr(self.match)}")
        if self.equation not in ("random", "first", "expected"):
            raise ChoiceError(f"equation: expected random, first or expected, but got {short_repr(self.equation)}")
        if type(self.seed) is not int or self.seed < 0:
            raise ChoiceError(f"seed: expected a whole number from 0, but got {short_repr(self.seed)}")
        if not 0 <= self.tolerance < 1:
            raise ChoiceError(f"tolerance: expected a number from 0 and below 1, but got {short_repr(self.tolerance)}")

    def with_match(self, match: MatchMode | None) -> Options:
        """Return these options with another match rule; None keeps it."""
        return self if match is None or match == self.match else replace(self, match=match)

    def with_gold(self, gold: GoldMode | None) -> Options:
        """Return these options with another rule for gold derivations; None keeps it."""
        return self if gold is None or gold == self.gold else replace(self, gold=gold)

    def __hash__(self) -> int:
        # Options are looked up for every prediction, and hashing a Fraction is slow; equality still compares it.
        return hash((self.merge_equiv, self.equation, self.seed))


@dataclass(frozen=True, slots=True)
class Signature:
    """The conditions of a score; `str` gives the printed form.

    >>> print(Signature("sample/test", 0xABCDEF0123, 30, Options(seed=7, match="algorithm1"), "abstain", version="1.0"))
    deriv|data:sample/test@cdef0123|n:30|match:algorithm1|sol:tol0.0001|eq:random-seed7|abstain:wrong|missing:abstain|\
const:constant-only-if-no-number-fits|metric:6|version:1.0

    Attributes:
        data: the name of the rows, such as ``draw1k/test``.
        digest: a number that identifies the gold of all rows, in any order: the sum of their hashes. A row counts once,
            whatever its predictions are and however many.
        count: how many predictions there were.
        options: how predictions were graded; its match is the rule that was used, ``auto`` only if both were used.
        missing: what was done about rows without a prediction.
        prompt: the styles of the prompts that answers were given to, with versions and worked examples; empty if not
            known.
        constants: how constants of equations are treated.
        metric: the version of the metric.
        version: the version of this package.
        gold: which derivations counted, if that makes a difference (see `gold_used`); else empty.
        alternatives: a number that identifies the alternatives that counted, as `digest` does for gold.
        asked: the same for what the questions of all rows ask for, if there were answers to compare with that; else 0.

    Raises:
        ChoiceError: the name of the data cannot stand in a signature.
    """

    data: str
    digest: int
    count: int
    options: Options
    missing: Missing = "error"
    constants: str = POLICY
    metric: int = METRIC_VERSION
    version: str = __version__
    gold: str = ""
    alternatives: int = 0
    asked: int = 0
    prompt: str = ""

    def __post_init__(self) -> None:
        check_data_name(self.data)

    @property
    def rows(self) -> str:
        """Which rows, apart from their name: equal for the same gold, and practically never for another."""
        return f"{self.digest % (1 << 256):064x}"

    @property
    def named_rows(self) -> str:
        """The name of the rows and the end of their digest, as the printed form has them."""
        return f"{self.data}@{self.rows[-8:]}"

    @property
    def match(self) -> str:
        """The rule that was used; ``algorithm1+quantities`` means the first for templates, the second for answers."""
        return "algorithm1+quantities" if self.options.match == "auto" else self.options.match

    def __str__(self) -> str:
        options = self.options
        equation = f"random-seed{options.seed}" if options.equation == "random" else options.equation
        parts = [
            "deriv",
            f"data:{self.named_rows}",
            f"n:{self.count}",
            f"match:{self.match}",
            *([f"prompt:{self.prompt}"] if self.prompt else []),
            f"sol:tol{float(options.tolerance):g}",
            f"eq:{equation}",
            "abstain:wrong",
            *(["equiv:merged"] if options.merge_equiv else []),
            *([f"gold:{self.gold}"] if self.gold else []),
            *([f"alternatives:{_short(self.alternatives)}"] if self.alternatives else []),
            *([f"asked:{_short(self.asked)}"] if self.asked else []),
            *([f"missing:{self.missing}"] if self.missing != "error" else []),
            f"const:{self.constants.replace(' ', '-')}",
            f"metric:{self.metric}",
            f"version:{self.version}",
        ]
        return "|".join(parts)


def _short(digest: int) -> str:
    return f"{digest % (1 << 32):08x}"


def gold_used(gold: GoldMode, *, ambiguous: bool, settled: bool) -> str:
    """Return what a signature says about which derivations counted; empty if no alternative did or would by default.

    >>> gold_used("auto", ambiguous=False, settled=True), gold_used("auto", ambiguous=True, settled=False)
    ('', 'any')
    >>> gold_used("auto", ambiguous=True, settled=True), gold_used("one", ambiguous=True, settled=False)
    ('auto', 'one')

    `ambiguous` and `settled` say whether there were rows with alternatives with the status ambiguous, and others.
    """
    if gold == "any":
        return "any"
    if not ambiguous:
        return ""
    return "any" if gold == "auto" and not settled else gold


def match_used(match: MatchMode, *, answers: bool, others: bool) -> MatchMode:
    """Return the rule by which derivations were judged; ``auto`` only if both rules were used.

    >>> match_used("auto", answers=True, others=False), match_used("quantities", answers=False, others=True)
    ('quantities', 'quantities')

    `answers` and `others` say whether there were model answers, and whether there were templates or q-notation.
    """
    if match != "auto":
        return match
    if not answers:
        return "algorithm1"
    return "auto" if others else "quantities"


def signature_parts(text: str) -> dict[str, str]:
    """Return the parts of a printed signature by their names, to see where two differ."""
    kind, *parts = text.split("|") if isinstance(text, str) else [""]
    if kind != "deriv" or not all(":" in part for part in parts):
        raise ChoiceError(f"signature: expected deriv|data:…, but got {short_repr(text)}")
    return {name: value for name, _, value in (part.partition(":") for part in parts)}


def check_data_name(data: object) -> None:
    """Raise `ChoiceError` if a name is no printable string, or has a ``|``, which separates parts of a signature."""
    if not isinstance(data, str) or "|" in data or not data.isprintable():
        raise ChoiceError(f"data: expected a printable name without |, but got {short_repr(data)}")
