"""Rows from all records of a dataset: in their order, one for each, in one process or in several.

Records come from a list, from any other iterable, from a file, or from a dataset of the `datasets` library. What comes
out is of the same kind: a list for a list, an iterator that derives as it goes for anything that is read as it goes, a
`Dataset` for a `Dataset`. With several processes only a few parcels of records are under way at a time, so that a
million records take no more memory than a thousand.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from draw_dataset.errors import ChoiceError, shown
from draw_dataset.sources.fields import FIELDS, Names
from draw_dataset.sources.files import Record, read_records
from draw_dataset.sources.recipes import Recipe, recipe_for

PARCEL = 64
"""Records that a process gets at a time."""

MOST_PROCESSES = 256


def derive(
    rows: Any,
    *,
    preset: str | None = None,
    question: Names | None = None,
    equations: str | None = None,
    formula: str | None = None,
    solution: str | None = None,
    answer: str | None = None,
    id: str | None = None,
    num_proc: int | None = None,
    progress: bool = False,
) -> Any:
    """Return rows with derivations for the problems of any dataset: one for each, in order.

    >>> problems = [{"text": "Ann had 12 pens. She gave 5 to Bob.", "calculation": "12 - 5", "result": 7}]
    >>> row = derive(problems, question="text", equations="calculation", answer="result")[0]
    >>> row["id"], row["derivation"], row["status"]
    (0, 'm = q1 - q2', 'decided')
    >>> worked = {"question": "Eggs cost $2. Bo buys 3 and pays with $10.", "answer": "3*2=6. 10-6=4. #### 4"}
    >>> derive([worked], preset="gsm8k")[0]["derivation"]
    'm = q3 - q2*q1'

    Args:
        rows: the problems: a list or another iterable of mappings, a `datasets.Dataset` or `IterableDataset`, or the
            path of a file (JSON, JSON lines, CSV, TSV, XML).
        preset: ``gsm8k``, ``svamp``, ``asdiv`` or ``mawps``: where the fields of that dataset are.
        question: the field with the text, or several.
        equations: the field with equations, or with an expression that is the answer.
        formula: the field with a formula such as "7+2=9", with units and steps.
        solution: the field with a worked solution.
        answer: the field with the answer, which the reference must come to; a row whose answer is no number is refused.
        id: the field with the id; where there is none, a row is called by its position.
        num_proc: how many processes work; one if not given.
        progress: whether to show a bar on stderr.

    Returns:
        A list for a list, a `Dataset` for a `Dataset`, an `IterableDataset` for an `IterableDataset`, else an iterator.
        Each row has `status` (``decided``, ``ambiguous`` or ``refused``), `reason`, `readings` and `constants`.

    Raises:
        ChoiceError: there is no such preset or column, or nothing says what a derivation is read from.
    """
    named = (question, equations, formula, solution, answer, id)
    recipe = recipe_for(preset, dict(zip(FIELDS, named, strict=True)))
    if num_proc is not None and (type(num_proc) is not int or not 1 <= num_proc <= MOST_PROCESSES):
        raise ChoiceError(f"num_proc: expected a whole number from 1 to {MOST_PROCESSES}, but got {shown(num_proc)}")
    if type(rows).__module__.partition(".")[0] == "datasets":
        # Only here, as importing datasets takes seconds.
        from draw_dataset.sources.columns import derive_dataset

        return derive_dataset(rows, recipe, num_proc)
    if isinstance(rows, (str, os.PathLike)):
        return derived(read_records(rows, recipe.element), recipe, num_proc, progress=progress)
    if isinstance(rows, Mapping):
        raise ChoiceError("expected the problems as a list, but got one mapping: put it into a list")
    if isinstance(rows, bytes) or not isinstance(rows, Iterable):
        raise ChoiceError(f"expected the problems as a list, a dataset or the path of a file, but got {shown(rows)}")
    if isinstance(rows, (list, tuple)):
        return list(derived(rows, recipe, num_proc, progress=progress, total=len(rows)))
    return derived(rows, recipe, num_proc, progress=progress)


def derived(
    records: Iterable[Record],
    recipe: Recipe,
    num_proc: int | None = None,
    *,
    first: int = 0,
    progress: bool = False,
    total: int | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the rows of records, in their order.

    Args:
        records: the records.
        recipe: how they become rows.
        num_proc: how many processes work.
        first: the position of the first record.
        progress: whether to show a bar on stderr.
        total: how many records there are, for the bar.
    """
    work = _in_processes if num_proc is not None and num_proc > 1 else _in_line
    made = work(records, recipe, first, num_proc or 1)
    if not progress:
        yield from made
        return
    from tqdm import tqdm

    with tqdm(total=total, initial=first, unit=" problems", leave=False) as bar:
        for row in made:
            yield row
            bar.update()


def _in_line(records: Iterable[Record], recipe: Recipe, first: int, _: int) -> Iterator[dict[str, Any]]:
    return (recipe.row(record, position) for position, record in enumerate(records, first))


def _in_processes(records: Iterable[Record], recipe: Recipe, first: int, num_proc: int) -> Iterator[dict[str, Any]]:
    # Only here, as one process does without them.
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing import get_context

    source = iter(records)
    under_way: deque[Future[list[dict[str, Any]]]] = deque()
    with ProcessPoolExecutor(num_proc, mp_context=get_context("spawn")) as pool:
        position = first
        try:
            while True:
                while len(under_way) < 3 * num_proc and (parcel := list(islice(source, PARCEL))):
                    under_way.append(pool.submit(recipe.rows, parcel, position))
                    position += len(parcel)
                if not under_way:
                    return
                yield from under_way.popleft().result()
        finally:
            for waiting in under_way:
                waiting.cancel()
