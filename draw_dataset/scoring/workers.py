"""Worker processes for grading a long file of predictions; every verdict is that of one process.

Workers are spawned, so nothing is shared: each gets predictions with their problems, prepares the gold and keeps it.
The steps of a wrong answer are judged there, too. The caller counts the verdicts in the order of the predictions. Gold
that cannot be read is left to the caller, whose error says where it is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import DrawError, ScoreError
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.grading import judge, with_steps
from draw_dataset.scoring.options import Options
from draw_dataset.scoring.prediction import answer_of
from draw_dataset.scoring.verdict import Status, StepVerdict, Verdict

if TYPE_CHECKING:
    from concurrent.futures import Future

    from draw_dataset.reading.answer import Reading

FEW = 500
"""Up to this many predictions are graded in the caller's process: starting others takes as long."""

_CHUNK = 32  # predictions sent to a worker at a time
_AHEAD = 3  # chunks a worker that are sent before the first one is counted


class Graded(NamedTuple):
    """The verdict on a prediction by the gold of its row, and by corrected gold if that differs."""

    verdict: Verdict
    corrected: Verdict | None = None


class Task(NamedTuple):
    """A prediction with the gold of its row."""

    position: int  # of its row
    prediction: Any
    reference: PreparedProblem
    sample: int | str | None = None  # its number, if the problem has several
    is_first: bool = True  # whether it is the first one of its problem


Item = tuple[Task, Graded | None]
"""A task with its verdicts; None if the caller has to grade it."""


def grade_tasks(tasks: Iterable[Task], options: Options, workers: int) -> Iterator[Item]:
    """Yield every task with its verdicts, in order; with one worker, or for few tasks, without verdicts.

    Raises:
        ScoreError: a worker process was killed.
    """
    rest = iter(tasks)
    first = list(islice(rest, FEW + 1)) if workers > 1 else []
    if len(first) <= FEW:
        yield from ((task, None) for task in chain(first, rest))
        return
    # Imported here: most files are graded in one process.
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    running: deque[tuple[Sequence[Task], Future[list[_Sent | None]]]] = deque()
    try:
        for chunk in _chunks(chain(first, rest)):
            sent = [(task.prediction, task.reference.problem) for task in chunk]
            running.append((chunk, pool.submit(_grade_chunk, sent, options)))
            if len(running) >= _AHEAD * workers:
                yield from _collect(*running.popleft(), options)
        while running:
            yield from _collect(*running.popleft(), options)
    except BrokenProcessPool as error:
        raise ScoreError(
            "workers: expected worker processes that live until the end, but one was killed, perhaps for want of "
            "memory; fewer workers need less"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _chunks(tasks: Iterator[Task]) -> Iterator[list[Task]]:
    while chunk := list(islice(tasks, _CHUNK)):
        yield chunk


def _collect(chunk: Sequence[Task], future: Future[list[_Sent | None]], options: Options) -> Iterator[Item]:
    for task, sent in zip(chunk, future.result(), strict=True):
        yield task, None if sent is None else Graded(_receive(task, sent, options), sent.corrected)


def _receive(task: Task, sent: _Sent, options: Options) -> Verdict:
    """Return a verdict whose reading is made here on first access, and its steps unless the worker has judged them."""
    if answer_of(task.prediction) is None:
        return sent.verdict
    verdict = _copy(sent.verdict, partial(_read_again, task, options))
    if sent.steps:
        return verdict.with_steps(partial(tuple, sent.steps))
    return with_steps(task.prediction, task.reference, options, verdict)


def _read_again(task: Task, options: Options) -> Reading | None:
    return judge(task.prediction, task.reference, task.reference.gold(options), options).reading


class _Sent(NamedTuple):
    """What a worker sends back: verdicts without readings, which are large and rarely asked for, and judged steps."""

    verdict: Verdict
    steps: tuple[StepVerdict, ...]
    corrected: Verdict | None


def _grade_chunk(chunk: Sequence[tuple[Any, Problem]], options: Options) -> list[_Sent | None]:
    """Return the verdicts on predictions; the work of a worker."""
    return [_grade(prediction, _prepare(problem), options) for prediction, problem in chunk]


@lru_cache(maxsize=512)  # problems whose gold a worker keeps
def _prepare(problem: Problem) -> PreparedProblem:
    return PreparedProblem(problem)


def _grade(prediction: Any, reference: PreparedProblem, options: Options) -> _Sent | None:
    try:
        verdict = judge(prediction, reference, reference.gold(options), options)
        # Of a right answer no first error is looked for, so its steps can wait.
        is_wrong = not verdict.solution or verdict.status is Status.WRONG
        steps = verdict.steps if is_wrong else ()
        corrected = reference.corrected if reference.is_published else reference
        if corrected is None or corrected is reference:
            return _Sent(_copy(verdict), steps, None)
        other = judge(prediction, corrected, corrected.gold(options), options)
        return _Sent(_copy(verdict), steps, _copy(other))
    except DrawError:
        return None


def _copy(verdict: Verdict, reading: Callable[[], Reading | None] | None = None) -> Verdict:
    """Return a verdict with another reading, and without steps."""
    return Verdict(
        derivation=verdict.derivation,
        equation=verdict.equation,
        solution=verdict.solution,
        reason=verdict.reason,
        message=verdict.message,
        slot_map=verdict.slot_map,
        certain=verdict.certain,
        reading=reading,
        witness=verdict.witness,
    )
