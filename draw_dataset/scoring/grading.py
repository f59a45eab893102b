"""Grading one prediction: derivation, equation and solution, with the reason.

A derivation is decided by `derivations`, a model answer by `answers`, an answer to one of our prompts by `prompted`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeGuard

from draw_dataset.derivation.problem import Problem, ProblemId, is_problem_id, rows_of
from draw_dataset.errors import ScoreError, short_repr
from draw_dataset.scoring.answers import judge_answer_text
from draw_dataset.scoring.derivations import judge_derivation
from draw_dataset.scoring.gold import PreparedGold, PreparedProblem, PreparedProblemCache, refused_id
from draw_dataset.scoring.gold_rows import ListedIds
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


def pair_with_rows(predictions: Any, rows: Any, *, samples: bool = False) -> list[tuple[Any, Any]]:
    """Return each prediction with its row; raises `ScoreError` if there are not as many, or ids do not match.

    Predictions may be a mapping by id. With `samples`, lists of predictions are the samples of their rows, if all are.
    """
    listed = rows_of(rows)
    if isinstance(predictions, Mapping) and not _PREDICTION_FIELDS & set(predictions):
        given, listed = match_ids(predictions, listed)
    else:
        given = _list_predictions(predictions)
    if len(given) != len(listed):
        raise ScoreError(f"expected as many predictions as references, but got {len(given)} and {len(listed)}")
    pairs = list(zip(given, listed, strict=True))
    if samples and given and all(map(_are_samples, given)):
        return [(sample, row) for own, row in pairs for sample in own]
    return pairs


_PREDICTION_FIELDS = {"template", "alignment", "derivation", "answer", "steps", "solutions"}
"""Keys of one prediction, which is no mapping by id."""


def _are_samples(given: Any) -> bool:
    return (
        isinstance(given, (list, tuple))
        and bool(given)
        and all(sample is None or isinstance(sample, (str, Mapping)) for sample in given)
    )


def match_ids(predictions: Mapping[Any, Any], rows: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return predictions by id in the order of the rows; raises `ScoreError` that says what to do if ids differ."""
    kept = [row for row in rows if refused_id(row) is None]
    refused = {refused_id(row) for row in rows} - {None}
    ids = [_id_of_row(row) for row in kept]
    known = ListedIds(ids, [id_ for id_ in refused if id_ is not None])
    found: dict[int, Any] = {}
    unknown = []
    for id_, prediction in predictions.items():
        number = id_.item() if type(id_).__module__ == "numpy" and hasattr(id_, "item") else id_
        if type(number) is not int and type(number) is not str:
            raise ScoreError(f"predictions: expected ids as keys, whole numbers or strings, but got {short_repr(id_)}")
        positions = known.positions(number)
        if positions and positions[0] in found:
            raise ScoreError(f"predictions: expected each id once, but got {short_repr(id_)} as a number and a string")
        if not positions and not known.is_refused(number):
            unknown.append(id_)
        for position in positions:
            found[position] = prediction
    missing = [id_ for position, id_ in enumerate(ids) if position not in found]
    if unknown or missing:
        raise ScoreError(_explain_ids(unknown, missing, ids))
    return [found[position] for position in range(len(kept))], kept


def _id_of_row(row: Any) -> ProblemId:
    problem = row.problem if isinstance(row, PreparedProblem) else row
    id_ = problem.id if isinstance(problem, Problem) else problem.get("id") if isinstance(problem, Mapping) else None
    if not is_problem_id(id_):
        raise ScoreError(f"predictions by id: expected rows with an id, but got {short_repr(row)}; give a list instead")
    return id_


def _explain_ids(unknown: Sequence[Any], missing: Sequence[ProblemId], ids: Sequence[ProblemId]) -> str:
    """Return which ids of predictions and rows do not match, and what to do."""
    told = []
    if unknown:
        told.append(f"{len(unknown)} ids are of no row ({_some_ids(unknown)})")
    if missing:
        told.append(f"{len(missing)} of {len(ids)} rows have no prediction ({_some_ids(missing)})")
    if len(missing) == len(ids):
        remedy = "the keys must be the rows' ids, row['id']; give a list if predictions are in the order of the rows"
    else:
        steps = ["leave the others out of predictions"] * bool(unknown)
        steps += ["give None to count a row as an abstention, or score only the rows with a prediction: "
                  "[row for row in rows if row['id'] in predictions]"] * bool(missing)  # fmt: skip
        remedy = "; ".join(steps)
    return f"predictions: {', and '.join(told)}: {remedy}"


def _some_ids(ids: Sequence[Any]) -> str:
    return ", ".join(map(short_repr, ids[:3])) + ", …" * (len(ids) > 3)


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
    return with_steps(prediction, reference, options, best)


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


def with_steps(prediction: Any, reference: PreparedProblem, options: Options, verdict: Verdict) -> Verdict:
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
