"""Grading one prediction: derivation, equation and solution, with the reason.

A derivation is decided by `derivations`, a model answer by `answers`, an answer to one of our prompts by `prompted`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeGuard

from draw_dataset.derivation.problem import Problem, rows_of
from draw_dataset.errors import ScoreError, short_repr
from draw_dataset.scoring.answers import judge_answer_text
from draw_dataset.scoring.derivations import judge_derivation
from draw_dataset.scoring.gold import PreparedGold, PreparedProblem, PreparedProblemCache
from draw_dataset.scoring.options import GoldMode, MatchMode, Options
from draw_dataset.scoring.prediction import answer_of, given_steps
from draw_dataset.scoring.prompted import find_style, judge_prompted
from draw_dataset.scoring.verdict import Reason, Status, StepVerdict, Verdict


def grade(
    prediction: Any,
    row: Mapping[str, Any] | PreparedProblem,
    options: Options = Options(),  # noqa: B008
    *,
    match: MatchMode | None = None,
    gold: GoldMode | None = None,
) -> Verdict:
    """Grade one prediction.

    >>> from draw_dataset.data.sample import load_sample
    >>> row = load_sample()["train"][0].to_row()
    >>> grade("m = n + q2; m + n = q3", row).derivation
    True
    >>> wrong = grade("m = n + q1; m + n = q3", row)
    >>> str(wrong.reason), wrong.solution
    ('alignment', False)

    Args:
        prediction: the prediction, in any form of `draw_dataset.scoring.prediction`.
        row: the row of the problem, or its prepared problem.
        options: how to grade.
        match: when a derivation counts as right; overrides the options, see `Options`.
        gold: gold derivations to accept; overrides the options, see `Options`.

    Returns:
        Whether derivation, equations and solution are right, and why. A prediction that cannot be read is wrong, and
        the verdict says so; it does not raise.

    Raises:
        RowError: the row or its gold cannot be read.
        ChoiceError: `match` or `gold` has an unknown value.
        LimitError: the expected mode of equation accuracy would compare with too many derivations.
    """
    options = options.with_match(match).with_gold(gold)
    reference = PreparedProblem.of(row)
    return judge(prediction, reference, reference.gold(options), options)


def pair_with_rows(predictions: Iterable[Any], rows: Any) -> list[tuple[Any, Any]]:
    """Return each prediction with its row; raises `ScoreError` if there are not as many."""
    given, listed = _list_predictions(predictions), rows_of(rows)
    if len(given) != len(listed):
        raise ScoreError(f"expected as many predictions as references, but got {len(given)} and {len(listed)}")
    return list(zip(given, listed, strict=True))


def _list_predictions(predictions: Iterable[Any]) -> list[Any]:
    if isinstance(predictions, (str, bytes, Mapping)) or not isinstance(predictions, Iterable):
        raise ScoreError(f"predictions: expected a list with one for each row, but got {short_repr(predictions)}")
    return list(predictions)


def grade_many(
    predictions: Iterable[Any],
    rows: Sequence[Mapping[str, Any] | Problem | PreparedProblem] | Mapping[str, Any] | Problem | PreparedProblem,
    options: Options = Options(),  # noqa: B008
    *,
    match: MatchMode | None = None,
    gold: GoldMode | None = None,
) -> list[Verdict]:
    """Grade many predictions. Gold of a problem is prepared once, however many predictions there are for it.

    >>> from draw_dataset.data.sample import load_sample
    >>> row = load_sample()["train"][0].to_row()
    >>> samples = ["m = n + q2; m + n = q3", "m = n + q1; m + n = q3", None]
    >>> [str(verdict.reason) for verdict in grade_many(samples, row)]
    ['right', 'alignment', 'abstained']

    Args:
        predictions: the predictions, in any form of `draw_dataset.scoring.prediction`.
        rows: the row of each prediction, in the same order; or one row, if all predictions are for that.
        options: how to grade.
        match: when a derivation counts as right; overrides the options, see `Options`.
        gold: gold derivations to accept; overrides the options, see `Options`.

    Returns:
        A verdict for each prediction, in order.

    Raises:
        ScoreError: there are not as many rows as predictions.
        RowError: a row or its gold cannot be read.
        ChoiceError: `match` or `gold` has an unknown value.
        LimitError: the expected mode of equation accuracy would compare with too many derivations.
    """
    options = options.with_match(match).with_gold(gold)
    if _is_one_row(rows):
        predictions = _list_predictions(predictions)
        rows = [PreparedProblem.of(rows)] * len(predictions)
    prepared = PreparedProblemCache()
    references = [(given, prepared.prepared(row)) for given, row in pair_with_rows(predictions, rows)]
    return [judge(given, reference, reference.gold(options), options) for given, reference in references]


def _is_one_row(rows: Any) -> TypeGuard[Mapping[str, Any] | Problem | PreparedProblem]:
    return isinstance(rows, (Problem, PreparedProblem)) or (
        isinstance(rows, Mapping) and isinstance(rows.get("question"), str)
    )


def grade_derivation(prediction: Any, reference: PreparedProblem) -> Verdict:
    """Grade a prediction without its equation accuracy, for showing derivations."""
    options = Options()
    return judge(prediction, reference, reference.gold_without_equations(options), options)


def judge(prediction: Any, reference: PreparedProblem, gold: PreparedGold, options: Options) -> Verdict:
    """Grade one prediction. Gold is prepared first, so a broken row raises instead of scoring 0.

    If alternatives count, the verdict is the best one of gold and the alternatives; if they are equal, gold's.
    """
    best = _judge(prediction, reference, gold, options)
    if not best.derivation and reference.problem.alternatives:
        for other, its_gold in reference.alternatives(options):
            verdict = _judge(prediction, other, its_gold, options)
            if _worth(verdict) > _worth(best):
                best = verdict
    return _with_steps(prediction, reference, options, best)


def _worth(verdict: Verdict) -> tuple[bool, bool, bool, float]:
    return verdict.derivation, verdict.certain, verdict.solution, verdict.equation


@dataclass(frozen=True, slots=True)
class _Steps:
    """The steps of an answer before they are judged; a pickle of it has all that this takes."""

    answer: str
    given: tuple[str, ...] | None
    reference: PreparedProblem
    options: Options
    is_wrong: bool
    is_slip: bool

    def __call__(self) -> tuple[StepVerdict, ...]:
        # Imported here: most verdicts are never asked for their steps.
        from draw_dataset.scoring.steps import judge_steps

        return judge_steps(
            self.answer, self.given, self.reference, self.options, is_wrong=self.is_wrong, is_slip=self.is_slip
        )


def _with_steps(prediction: Any, reference: PreparedProblem, options: Options, verdict: Verdict) -> Verdict:
    """Return the verdict on a prediction with its steps, if it is an answer."""
    answer = answer_of(prediction)
    if answer is None or verdict.reason is Reason.ABSTAINED:
        return verdict
    is_wrong = not verdict.solution or verdict.status is Status.WRONG
    is_slip = verdict.reason is Reason.SLIP
    return verdict.with_steps(_Steps(answer, given_steps(prediction), reference, options, is_wrong, is_slip))


def _judge_with(prediction: Any, reference: PreparedProblem, gold: PreparedGold, options: Options) -> Verdict:
    answer = answer_of(prediction)
    if answer is None:
        return judge_derivation(prediction, reference, gold, options)
    style = prediction.get("prompt_style")
    if style is None:
        return judge_answer_text(answer, reference, options)
    return judge_prompted(answer, find_style(style), reference, options)


# A `partial`, because `datasets` hashes functions with dill, which follows functions into functions for minutes.
_judge = partial(_judge_with)
