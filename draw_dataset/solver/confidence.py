"""Solver answers, and their confidence: the probability that an answer is right.

A score only compares derivations of one text. So training holds out each fifth of its problems, lets a model of the
others answer them, and fits a logistic regression with a ridge from the confidence features of an answer to whether it
was right. No probability is nearer to 0 or 1 than the number of held-out answers allows.

This holds for texts like those held out. For a text less familiar than nearly all of them (`STRANGE`) the probability
falls: with one in a thousand texts as strange, to a fiftieth. That keeps the solver from being sure about problems of
another kind.
"""

from __future__ import annotations

import math
import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from draw_dataset.algebra.grammar import write
from draw_dataset.algebra.solution import Solution
from draw_dataset.derivation.derivation import Derivation
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import ChoiceError, LimitError, TrainingError, short_repr
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.options import Options
from draw_dataset.scoring.score import Score, score
from draw_dataset.solver.features import question_words
from draw_dataset.solver.naming.names import NOTHING, Naming, name_unknowns
from draw_dataset.solver.naming.pairs import Name
from draw_dataset.solver.search import EncodedText
from draw_dataset.solver.templates import Inventory
from draw_dataset.solver.text import TaggedText
from draw_dataset.text.numbers import rule_of
from draw_dataset.text.tokens import Rule, tokenize

# The interface of all systems (`Answerer`), their answers, and the texts that all of them refuse. The numbers are
# those found in the text, never those of a gold annotation.


MAX_WORDS = 1_000  # words of a text; the longest problem of the release has 140
MAX_NUMBERS = 40  # numbers of a text; the release has at most 11

# Share of the words of a text that training must have seen: below, it is another language, or no word problem. Trained
# on Draw's train split, the least share is 0.63 on validation; texts in four other languages have 0.13 to 0.38.
KNOWN_WORDS = 0.5


class Abstention(StrEnum):
    """Why the solver abstains; the codes are stable."""

    NO_NUMBERS = "no numbers"
    TOO_FEW_NUMBERS = "too few numbers"
    TOO_MANY_NUMBERS = "too many numbers"
    TOO_LONG = "too long"
    UNKNOWN_WORDS = "unknown words"
    NOTHING_SOLVABLE = "nothing solvable"
    LOW_CONFIDENCE = "low confidence"


@dataclass(frozen=True, slots=True, repr=False)
class SolverAnswer:
    """Answer of a system: a derivation with its exact solution, or the reason for an abstention.

    >>> from draw_dataset.text.numbers import locate_numbers
    >>> text = "Nina is six years older than Omar. Their ages sum to 40. How old is Omar?"
    >>> derivation = Derivation.read("m + n = q2; m = n + q1", locate_numbers(text)[0])
    >>> answer = SolverAnswer(derivation, derivation.solve(), question=text)
    >>> answer
    SolverAnswer('m + n = q2; m = n + q1', {'Omar': 17, 'Nina': 23})
    >>> [f"{name.words} is asked for" for name in answer.asked]
    ['Omar is asked for']
    """

    derivation: Derivation | None  # the best derivation; None if it abstains
    solution: Solution | None = None  # the exact solution of its equations
    score: float = 0.0  # comparable only between derivations of the same text
    reason: Abstention | None = None  # why it abstains; None if it does not
    message: str = ""  # the same for a person, in a sentence
    # Probability that the derivation is right, as `grade` decides it, for texts like those of training; also of one
    # that is withheld because of it. None if the system is not calibrated or found no derivation.
    confidence: float | None = None
    runner_up: SolverAnswer | None = None  # the best derivation not equivalent to this one, if the system looks for it
    stated: tuple[str, ...] = ()  # statements of the text about its unknowns, in its words, as far as they are read
    question: str = field(default="", compare=False)  # the text

    @property
    def q_notation(self) -> str:
        """The derivation in q-notation; empty if it abstains."""
        return self.derivation.q_notation() if self.derivation is not None else ""

    @property
    def equations(self) -> tuple[str, ...]:
        """The equations with the numbers in their slots."""
        if self.derivation is None:
            return ()
        source = self.derivation.template.source
        values = {slot: str(number.value) for slot, number in self.derivation.alignment.items()}
        held = {slot: f"({value})" if "/" in value or "-" in value else value for slot, value in values.items()}
        return tuple(write(source, lambda token: held.get(source.name(token), source.name(token))).split("; "))

    @property
    def naming(self) -> Naming:
        """Names of the unknowns in words of the text, and what the question asks for; computed when it is asked for."""
        if self.derivation is None or not self.question:
            return NOTHING
        return name_unknowns(self.question, self.derivation)

    @property
    def named(self) -> dict[str, Fraction]:
        """The values by name, what the question asks for first; empty if the unknowns have no names."""
        values = {} if self.solution is None else dict(self.solution.values)
        naming = self.naming
        return (
            {one.name.words: one.value(values) for one in naming.quantities}
            if naming.names.keys() <= values.keys()
            else {}
        )

    @property
    def asked(self) -> tuple[Name, ...]:
        """The names of what the question asks for; empty if that is not clear."""
        return tuple(one.name for one in self.naming.asked)

    def __repr__(self) -> str:
        if self.derivation is None:
            return f"SolverAnswer(None, reason={str(self.reason)!r})"
        values = self.named or ({} if self.solution is None else self.solution.values)
        shown = ", ".join(f"{name!r}: {value}" for name, value in values.items())
        sure = "" if self.confidence is None else f", confidence={self.confidence}"
        return f"SolverAnswer({self.q_notation!r}, {{{shown}}}{sure})"

    def to_dict(self) -> dict[str, Any] | None:
        """Return the prediction as the metric takes it; None if it abstains."""
        if self.derivation is None or self.solution is None:
            return None
        return {
            "template": list(self.derivation.template.equations),
            "alignment": [
                {"slot": slot, "sentence": number.sentence, "token": number.token}
                for slot, number in self.derivation.alignment.items()
            ],
            "solutions": [float(value) for value in self.solution.numbers],
        }


class Answerer(Protocol):
    """A trained system that answers texts."""

    @property
    def signature(self) -> str:
        """How it was trained."""

    @property
    def inventory(self) -> Inventory:
        """The templates it knows."""

    def predict(self, given: str | Problem, rule: Rule = "auto") -> SolverAnswer:
        """Solve a text, or the text of a problem, whose own tokenizer rule is used. Gold is not looked at."""

    def predict_all(self, problems: Iterable[str | Problem]) -> list[SolverAnswer]:
        """Solve texts, one after the other."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file that `load_model` reads."""


def tag_or_abstain(
    given: str | Problem, rule: Rule, inventory: Inventory, lexicon: frozenset[str]
) -> TaggedText | SolverAnswer:
    """Return a tagged text, or an abstention: too long, too few or too many numbers, or too many unknown words."""
    text = given.question if isinstance(given, Problem) else given
    try:
        words = len(tokenize(text, rule))  # before they are tagged, which takes far longer
        if words > MAX_WORDS:
            return abstain(Abstention.TOO_LONG, f"expected at most {MAX_WORDS} words, but got {words}")
        tagged = TaggedText.of(text, rule_of(given) if isinstance(given, Problem) else rule)
    except LimitError as error:
        return abstain(Abstention.TOO_LONG, str(error))
    return _reason_to_abstain(tagged, inventory, lexicon) or tagged


def _reason_to_abstain(text: TaggedText, inventory: Inventory, lexicon: frozenset[str]) -> SolverAnswer | None:
    count = len(text.numbers)
    fewest = min((c.structure.slot_count for c in inventory.classes), default=0)
    if count == 0:
        return abstain(Abstention.NO_NUMBERS, "the text has no number")
    if count < fewest:
        return abstain(
            Abstention.TOO_FEW_NUMBERS, f"the text has {count}, and every known template needs at least {fewest}"
        )
    if count > MAX_NUMBERS:
        return abstain(Abstention.TOO_MANY_NUMBERS, f"expected at most {MAX_NUMBERS} numbers, but got {count}")
    words = text.content_lemmas
    known = sum(lemma in lexicon for lemma in words)
    if known < KNOWN_WORDS * len(words):
        return abstain(
            Abstention.UNKNOWN_WORDS, f"training has seen {known} of the {len(words)} words; is it an English problem?"
        )
    return None


def with_question(answer: SolverAnswer, given: str | Problem) -> SolverAnswer:
    """Return an answer that knows its text, so that its unknowns have names."""
    return replace(answer, question=given.question if isinstance(given, Problem) else given)


def abstain(reason: Abstention, message: str) -> SolverAnswer:
    """Return an answer without a derivation."""
    return SolverAnswer(None, reason=reason, message=message)


def evaluate(
    answerer: Answerer,
    problems: Sequence[Problem],
    options: Options = Options(),  # noqa: B008 - frozen
    *,
    data: str = "rows",
) -> Score:
    """Score the answers of a system; `data` names the problems in the signature of the score."""
    predictions = [answer.to_dict() for answer in answerer.predict_all(problems)]
    return score(predictions, [PreparedProblem(problem) for problem in problems], options, data=data)


# Confidence features of an answer, chosen by five-fold cross-validation over Draw's train and validation splits
# (docs/confidence.md). They cannot tell whether a text is like those of training at all; `familiarity` does.


# Saved models hold these names in this order.
CONFIDENCE_FEATURES = ("lead", "crowd", "rare template", "more unknowns than asked")
DIRECTIONS = (1, 1, -1, -1)  # 1 if a larger feature speaks for an answer, -1 if it speaks against it
LARGEST_LEAD = 5.0  # leads are cut here, and have this value without a rival; training asks for a lead of 1
COMPETITION_RANGE = 0.2  # a template this far behind the best counts about a third

# Lemmas of a question that asks for several things, in the problems of Draw's train split
_SEVERAL = frozenset(
    ["each", "both", "two", "and", "number", "integer", "angle", "respectively", "either", "pair", "digit", "every"]
)


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """Evidence for the confidence of an answer."""

    features: tuple[float, ...]  # in the order of `CONFIDENCE_FEATURES`
    familiarity: float  # share of the text's attributes that training has seen, from 0 to 1


def template_competition(best_of_templates: npt.NDArray[np.float64]) -> float:
    """Return how alone the best template stands: 0 if no other comes near, -ln 2 with one that is as good.

    >>> round(template_competition(np.array([3.0, 3.0, -50.0])), 4)
    -0.6931
    """
    behind = np.sort(best_of_templates.max() - best_of_templates)
    return -float(np.log(np.exp(-behind / COMPETITION_RANGE).sum()))


def seems_to_ask_for_one(text: TaggedText) -> bool:
    """Decide whether a question mentions nothing plural.

    Not `draw_dataset.text.question.asks_for_one`: calibrated models have a weight for exactly this feature.

    >>> seems_to_ask_for_one(TaggedText.of("Ann has 5 pens. How many pens are left?"))
    True
    >>> seems_to_ask_for_one(TaggedText.of("They have 5 pens. How many does each have?"))
    False
    """
    asked = question_words(text.words)
    words = {word.text for word in asked}
    return _SEVERAL.isdisjoint(word.lemma for word in asked) and not {"what", "are"} <= words


def familiarity(seen: Mapping[str, list[list[str]]], encoded: EncodedText) -> float:
    """Return the share of a text's attributes, also those at its numbers and between them, that have weights."""
    count = sum(len(listed) for lists in seen.values() for listed in lists)
    known = len(encoded.text_rows) + int(encoded.number_seen.sum()) + int(encoded.pair_seen.sum())
    return known / count if count else 0.0


T = TypeVar("T")

RIDGE = 1.0  # of the weights of standardised features
STEPS = 50  # steps of Newton's method; it settles after about eight
DIGITS = 4  # digits of a probability after the point: more would only be noise, and might differ between processors

STRANGE = 0.05  # share of held-out texts, the least familiar, that count as strange; chosen on Draw and half of SVAMP

FOLDS = 5  # of cross-validation


@dataclass(frozen=True, slots=True)
class Calibration:
    """Logistic model of the probability that an answer is right."""

    weights: tuple[float, ...]  # of the confidence features
    bias: float
    strange: tuple[float, ...]  # familiarity of the least familiar held-out texts, ascending
    count: int  # held-out answers it was fitted on

    def probability(self, doubt: Diagnostics) -> float:
        """Return the probability that an answer is right.

        >>> fitted = Calibration(weights=(2.0,), bias=-1.0, strange=(0.4, 0.5, 0.6, 0.7), count=98)
        >>> fitted.probability(Diagnostics((0.5,), 0.9)), fitted.probability(Diagnostics((90.0,), 0.9))
        (0.5, 0.99)
        >>> fitted.probability(Diagnostics((0.5,), 0.3))
        0.101
        """
        total = math.fsum([self.bias, *(w * s for w, s in zip(self.weights, doubt.features, strict=True))])
        nearest = 1 / (self.count + 2)
        usual = min(max(_logistic(total), nearest), 1 - nearest)
        as_strange = (bisect_right(self.strange, doubt.familiarity) + 1) / (self.count + 1)
        return round(usual * min(1.0, as_strange / STRANGE), DIGITS)

    @classmethod
    def fit(
        cls, doubts: Sequence[Diagnostics], right: Sequence[bool], directions: Sequence[int] = DIRECTIONS
    ) -> Calibration:
        """Fit a calibration to held-out answers; a direction is -1 if a larger feature speaks against an answer.

        A feature whose weight gets the wrong sign, which happens with few answers, is left out.

        >>> seen = [Diagnostics((x / 10,), 0.9 + x / 1000) for x in range(20)]
        >>> fitted = Calibration.fit(seen, [x >= 10 for x in range(20)], [1])
        >>> fitted.probability(Diagnostics((0.2,), 0.95)) < 0.2, fitted.probability(Diagnostics((1.8,), 0.95)) > 0.8
        (True, True)
        """
        if not doubts:
            raise TrainingError("expected held-out answers to calibrate on, but the solver abstained from all of them")
        seen = np.array([doubt.features for doubt in doubts], dtype=np.float64)
        mean, spread = seen.mean(axis=0), seen.std(axis=0)
        spread[spread == 0] = 1
        x = np.concatenate([np.ones((len(seen), 1)), (seen - mean) / spread], axis=1)
        y = np.array(right, dtype=np.float64)
        kept = list(range(x.shape[1]))
        while True:
            fitted = _regression(x[:, kept], y)
            wrong = [at for at, w in zip(kept, fitted, strict=True) if at and w * directions[at - 1] < 0]
            if not wrong:
                break
            kept = [at for at in kept if at not in wrong]
        w = np.zeros(x.shape[1])
        w[kept] = fitted
        scaled = w[1:] / spread
        bias = float(w[0] - (scaled * mean).sum())
        strange = sorted(round(doubt.familiarity, 6) for doubt in doubts)[: round(STRANGE * len(doubts))]
        return cls(tuple(round(float(weight), 6) for weight in scaled), round(bias, 6), tuple(strange), len(seen))


def cross_validation_folds(
    problems: Sequence[T], folds: int, of: Callable[[T], str]
) -> Iterator[tuple[list[T], list[T]]]:
    """Yield the training and test problems of each fold; problems with the same text stay together.

    >>> list(cross_validation_folds("abca", 2, str))
    [(['b'], ['a', 'c', 'a']), (['a', 'c', 'a'], ['b'])]
    """
    part = {text: i % folds for i, text in enumerate(dict.fromkeys(of(problem) for problem in problems))}
    for fold in range(min(folds, len(part))):
        learnt = [problem for problem in problems if part[of(problem)] != fold]
        asked = [problem for problem in problems if part[of(problem)] == fold]
        yield learnt, asked


def check_confidence(least: float, answerer: object) -> None:
    """Raise ChoiceError if a threshold is no probability, or if the system is not calibrated."""
    if type(least) not in (int, float) or not 0 <= least <= 1:
        raise ChoiceError(f"min_confidence: expected a probability from 0 to 1, but got {short_repr(least)}")
    if getattr(answerer, "calibration", None) is None:
        raise ChoiceError(
            "min_confidence: this model cannot tell how sure it is; train it again with calibration, which "
            "draw solve train does by default, and train(..., calibrate=True) in Python"
        )


def apply_threshold(answer: SolverAnswer, least: float | None) -> SolverAnswer:
    """Return an answer, or an abstention if its confidence is below the threshold."""
    if least is None or answer.confidence is None or answer.confidence >= least:
        return answer
    return SolverAnswer(
        None,
        reason=Abstention.LOW_CONFIDENCE,
        message=f"the best derivation is {answer.q_notation}, right with a probability of {answer.confidence:.2f}, "
        f"and at least {least:g} is asked for",
        confidence=answer.confidence,
    )


def calibration_as_data(calibration: Calibration) -> dict[str, Any]:
    """Return a calibration as model files hold it."""
    return {
        "signs": list(CONFIDENCE_FEATURES),
        "weights": list(calibration.weights),
        "bias": calibration.bias,
        "strange": list(calibration.strange),
        "count": calibration.count,
    }


def read_calibration(data: Any) -> Calibration | None:
    """Return the calibration of a model file, checked; None if it has none."""
    if data is None:
        return None
    if type(data) is not dict or data["signs"] != list(CONFIDENCE_FEATURES):
        raise ValueError(f"a calibration of other signs than {', '.join(CONFIDENCE_FEATURES)}; train the model again")
    weights, bias, strange, count = data["weights"], data["bias"], data["strange"], data["count"]
    if type(weights) is not list or type(strange) is not list or type(count) is not int or count < 1:
        raise ValueError(f"calibration: {short_repr(data)}")
    if not all(type(value) is float and math.isfinite(value) for value in (*weights, bias, *strange)):
        raise ValueError("calibration: something that is no number")
    if len(weights) != len(CONFIDENCE_FEATURES) or len(strange) > count or strange != sorted(strange):
        raise ValueError("calibration: weights that do not fit, or texts in disorder")
    return Calibration(tuple(weights), bias, tuple(strange), count)


def _regression(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the weights of a logistic regression with a ridge, by Newton's method."""
    w = np.zeros(x.shape[1])
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        slope = x.T @ (y - p) - RIDGE * w
        bend = (x * (p * (1 - p))[:, None]).T @ x + RIDGE * np.eye(x.shape[1])
        step = np.linalg.solve(bend, slope)
        w = w + step
        if float(np.abs(step).max()) < 1e-9:
            break
    return np.asarray(w)


def _logistic(total: float) -> float:
    return 1 / (1 + math.exp(-total)) if total >= 0 else math.exp(total) / (1 + math.exp(total))
