"""Training of KAZB: from problems to a model.

Templates come from the annotated derivations (TD) or from the first derivation that leads to the gold equations (TE,
TE*). Under TE and TE* all derivations of known templates count as right that lead to the gold equations
(``supervision="equations"``) or to the gold answer (``"answer"``). Nouns are never annotated. Training is
deterministic; the seed only breaks ties.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import ChoiceError, TrainingError, short_repr
from draw_dataset.solver.arrays import Floats, all_ways, is_enumerable
from draw_dataset.solver.kazb.beam import Beam, Completions, Constraint, Flags, Found, KazbOptions, solve
from draw_dataset.solver.kazb.encoding import (
    ATTRIBUTE_KINDS,
    Columns,
    EncodedReading,
    Integers,
    SparseRows,
    Weights,
    encode,
    extract_attributes,
    frequent_names,
    score_tables,
    tie_breakers,
)
from draw_dataset.solver.kazb.model import KazbModel
from draw_dataset.solver.kazb.readings import COMPARISONS, Nouns, check_reader, read_nouns
from draw_dataset.solver.learning import (
    Gold,
    Setting,
    build_inventory,
    check_choices,
    locate_golds,
    right_derivations,
    signature,
)
from draw_dataset.solver.templates import Inventory
from draw_dataset.solver.text import TaggedText
from draw_dataset.solver.training import GRAIN

# Limited-memory BFGS with Armijo's condition. The beam makes the function jump, most of all at the start, where all
# derivations score alike; so the first step goes down the slope unchecked. Where no cut of a step lowers the value,
# the memory is cleared and the search goes straight down; it ends where that fails too, or after `PATIENCE` small
# steps.


Vector = npt.NDArray[np.float32]

MEMORY = 6  # steps that are remembered
MAX_CUTS = 6  # times that one step is cut
ENOUGH = 1e-4  # share of the promised descent that a step must bring
SETTLED = 1e-3  # relative descent of a step that is small, as in the released configuration of the paper's system
PATIENCE = 3  # small steps in a row that end the search; a single one may be the beam's jump and not the end
Function = Callable[[Vector], tuple[float, Vector]]  # gives the value and the slope at a point


def minimise(
    function: Function, start: Vector, iterations: int, watch: Callable[[int, float], None] = lambda *_: None
) -> Vector:
    """Minimise a function, given as value and slope; `watch` gets each step, from 1, and its value.

    >>> hill = lambda at: (float(((at - 3) ** 2 * [1, 9]).sum()), np.float32(2 * (at - 3) * [1, 9]))
    >>> minimise(hill, np.zeros(2, dtype=np.float32), 30).round(3).tolist()
    [3.0, 3.0]
    """
    _, slope = function(start)
    at = _first_step(start, slope)
    value, slope = function(at)
    watch(1, value)
    steps: deque[tuple[Vector, Vector, float]] = deque(maxlen=MEMORY)
    small = 0
    for iteration in range(2, iterations + 1):
        found = _line_search(function, at, value, slope, _direction(slope, steps), first=not steps)
        if found is None and steps:
            steps.clear()
            found = _line_search(function, at, value, slope, -slope, first=True)
        if found is None:
            break
        there, new_value, new_slope = found
        move, change = there - at, new_slope - slope
        curvature = float(np.dot(move, change))
        if curvature > 1e-10:
            steps.append((move, change, curvature))
        descent = value - new_value
        at, value, slope = there, new_value, new_slope
        watch(iteration, value)
        small = small + 1 if descent < SETTLED * abs(value) else 0
        if small == PATIENCE:
            break
    return at


def _first_step(start: Vector, slope: Vector) -> Vector:
    """Return where a step of length 1 at most leads, straight down the slope."""
    steep = float(np.linalg.norm(slope))
    return start if steep == 0 else np.asarray(start - np.float32(min(1.0, 1.0 / steep)) * slope)


def _line_search(
    function: Function, at: Vector, value: float, slope: Vector, direction: Vector, first: bool
) -> tuple[Vector, float, Vector] | None:
    """Return point, value and slope after a step (a first one is at most 1 long); None if none lowers the value."""
    promised = float(np.dot(slope, direction))
    if promised >= 0:  # the memory misleads, or this is the least value
        return None
    length = min(1.0, 1.0 / float(np.sqrt(-promised))) if first else 1.0
    for _ in range(MAX_CUTS):
        there = np.asarray(at + np.float32(length) * direction)
        new_value, new_slope = function(there)
        if new_value <= value + ENOUGH * length * promised:
            return there, new_value, new_slope
        # The least of the parabola through both values, but neither too near nor too far.
        length *= float(np.clip(-promised * length / (2 * (new_value - value - promised * length)), 0.1, 0.5))
    return None


def _direction(slope: Vector, steps: deque[tuple[Vector, Vector, float]]) -> Vector:
    """Return the direction of descent."""
    direction = -slope
    shares = []
    for move, change, curvature in reversed(steps):
        share = float(np.dot(move, direction)) / curvature
        shares.append(share)
        direction -= np.float32(share) * change
    if steps:
        _, change, curvature = steps[-1]
        direction *= np.float32(curvature / float(np.dot(change, change)))
    for (move, change, curvature), share in zip(steps, reversed(shares), strict=True):
        direction += np.float32(share - float(np.dot(change, direction)) / curvature) * move
    return np.asarray(direction)


# Negative log-likelihood and its gradient. A problem's likelihood is the share of its right derivations, by
# exp(score), summed over nouns. Both sums go over the beam: over all derivations, and over those held to the right
# numbers (which count in both). The gradient is the difference of the expected features.


NEGLIGIBLE = 1e-5  # a derivation whose share changes the slope by less than this is passed over


@dataclass(frozen=True, slots=True)
class Example:
    """A problem to learn from."""

    encoded: EncodedReading  # its text
    completions: Completions  # cached for its text
    right: tuple[Constraint, ...]  # the templates with their numbers that are right


class WeightSpace:
    """All weights as one vector, and as one table for each kind."""

    def __init__(self, shapes: Mapping[str, tuple[int, int]]) -> None:
        self.shapes = dict(shapes)
        self.size = sum(rows * columns for rows, columns in self.shapes.values())

    def tables(self, vector: Vector) -> dict[str, npt.NDArray[np.float32]]:
        """Return the tables of a vector; they share its memory."""
        found, start = {}, 0
        for kind, (rows, columns) in self.shapes.items():
            found[kind] = vector[start : start + rows * columns].reshape(rows, columns)
            start += rows * columns
        return found


class Likelihood:
    """The negative log-likelihood of examples, with a penalty on large weights."""

    def __init__(
        self,
        columns: Columns,
        space: WeightSpace,
        examples: Sequence[Example],
        options: KazbOptions,
        ties: Floats,
        watch: Callable[[], None] = lambda: None,
    ) -> None:
        self._columns, self._space, self._examples = columns, space, examples
        self._options, self._ties, self._watch = options, ties, watch
        self.wrong = 0  # how many examples had a wrong derivation as their best when it was last called

    def __call__(self, vector: Vector) -> tuple[float, Vector]:
        """Return the value and the slope at a vector of weights."""
        slope = np.asarray(2 * self._options.penalty * vector, dtype=np.float32)
        value = self._options.penalty * float(np.dot(vector, vector))
        weights, slopes = self._space.tables(vector), self._space.tables(slope)
        self.wrong = 0
        for example in self._examples:
            value += self._look(example, weights, slopes)
            self._watch()
        for kind in self._options.unused:
            slopes[kind][:] = 0
        return value, slope

    def _look(self, example: Example, weights: Weights, slopes: Weights) -> float:
        encoded = example.encoded
        tables = score_tables(self._columns, weights, encoded, self._ties, np.float32)
        found = Beam(self._columns, encoded, tables, example.completions, self._options, example.right).run()
        right = found.held | _is_gold(self._columns, encoded, found, example.right)
        _, kept = np.unique(example.completions.keys(found.templates, found.filled, nouns=True), return_index=True)
        scores, right = found.scores[kept].astype(np.float64), right[kept]
        if not right.any():
            return 0.0
        self.wrong += not right[scores.argmax()]
        shares = np.exp(scores - scores.max())
        whole, part = float(shares.sum()), float(shares[right].sum())
        amounts = shares / whole - np.where(right, shares / part, 0.0)
        touched = np.abs(amounts) > NEGLIGIBLE
        self._add(example, found, kept[touched], amounts[touched], slopes)
        return float(np.log(whole) - np.log(part))

    def _add(self, example: Example, found: Found, at: Integers, amounts: Floats, slopes: Weights) -> None:
        """Add the features of derivations to the slopes, each with its amount."""
        columns, encoded = self._columns, example.encoded
        templates, filled = found.templates[at], found.filled[at]
        by_template = np.bincount(templates, amounts, minlength=len(columns))
        slopes["document"][encoded.document_rows] += by_template.astype(np.float32)
        slots = np.arange(columns.slots) < (columns.nouns + columns.numbers)[templates][:, None]
        d, s = np.nonzero(slots)
        for kind, by_slot, sets, which in (
            ("single", columns.slot_columns, encoded.singles, encoded.single_of),
            ("constant", columns.constant_columns, encoded.constants, encoded.constant_of),
        ):
            _spread(slopes[kind], sets, which[filled[d, s]], by_slot[templates[d], s], amounts[d])
        first, second, pair = np.moveaxis(columns.all_pairs[templates], 2, 0)
        every = np.arange(len(templates))[:, None]
        looks = encoded.looks[filled[every, first], filled[every, second]]
        own = columns.pair_columns[pair.ravel()]
        _spread(slopes["pair"], encoded.pairs, looks.ravel(), own, np.repeat(amounts, pair.shape[1]))
        self._add_completions(example.completions, templates, filled, amounts, slopes)

    def _add_completions(
        self, completions: Completions, templates: Integers, filled: Integers, amounts: Floats, slopes: Weights
    ) -> None:
        columns = self._columns
        solved, which = completions.find(templates, filled)
        slopes["solution"][:, 0] += (amounts @ solved.seen[which]).astype(np.float32)
        compared = solved.compared[which].astype(np.int64)
        own = columns.pair_columns[columns.compared[templates, :, 2].ravel()]
        touched, table = _collect(
            len(COMPARISONS), len(columns.pair), compared.ravel(), own, np.repeat(amounts, compared.shape[1])
        )
        slopes["pair"][-len(COMPARISONS) :, touched] += table
        joined = np.where(completions.parallel(templates, filled), amounts[:, None], 0.0)
        width = len(columns.parallel) + 1
        parallel = np.bincount(columns.parallel_columns[templates].ravel(), joined.ravel(), minlength=width)
        slopes["parallel"][0] += parallel[:-1].astype(np.float32)


def _spread(
    slope: npt.NDArray[np.float32], sets: SparseRows, which: Integers, columns: npt.NDArray[np.int32], amounts: Floats
) -> None:
    """Add `amounts[i]` to the rows of the set `which[i]` in each of `columns[i]`."""
    touched, table = _collect(sets.count, slope.shape[1], which, columns, amounts)
    sets.scatter(table, touched, slope)


def _collect(
    sets: int, width: int, which: Integers, columns: npt.NDArray[np.int32], amounts: Floats
) -> tuple[Integers, npt.NDArray[np.float32]]:
    """Return the columns that are touched, and a table of sets by these columns; the column `width` is a filler."""
    touched = np.flatnonzero(np.bincount(columns.ravel(), minlength=width + 1))
    place = np.zeros(width + 1, dtype=np.int64)
    place[touched] = np.arange(len(touched))
    places = which[:, None] * len(touched) + place[columns]
    weights = np.broadcast_to(amounts[:, None], columns.shape)
    table = np.bincount(places.ravel(), weights.ravel(), minlength=sets * len(touched))
    real = touched < width
    return touched[real], table.reshape(sets, len(touched))[:, real].astype(np.float32)


def _is_gold(columns: Columns, encoded: EncodedReading, found: Found, right: Sequence[Constraint]) -> Flags:
    """Decide for each derivation whether its template and numbers are right ones."""
    is_right = np.zeros(len(found.templates), dtype=bool)
    for template, numbers in right:
        own = np.flatnonzero(found.templates == template)
        first = int(columns.nouns[template])
        given = found.filled[own, first : first + len(numbers)] - encoded.nouns
        is_right[own[(given == np.array(numbers, dtype=np.int64)).all(axis=1)]] = True
    return is_right


# Gold constraints: the templates with numbers that the beam is held to. Fillings equal by symmetry are all right.


# Templates with their numbers that count as right for one problem; those of frequent templates come first
MAX_RIGHT = 100

_NEAR = 1e-4


def constraints_from_equations(
    golds: tuple[Gold, ...], inventory: Inventory, columns: Columns
) -> tuple[Constraint, ...]:
    """Return right candidates and their symmetric variants as constraints of the beam."""
    found: dict[Constraint, None] = {}
    for template, row in golds:
        if columns.usable[template]:
            for symmetry in inventory.classes[template].structure.automorphisms:
                own = [row[i] for i in symmetry]
                found[template, tuple(own[slot] for slot in columns.plans[template].numbers)] = None
    return tuple(sorted(found)[:MAX_RIGHT])


def constraints_from_answer(problem: Problem, encoded: EncodedReading, columns: Columns) -> tuple[Constraint, ...]:
    """Return the templates with numbers whose solution holds all values of the gold answer."""
    wanted = np.array(sorted(float(value) for value in problem.solutions))
    count = len(encoded.values)
    found: list[Constraint] = []
    for template in np.flatnonzero(columns.usable & (columns.numbers <= count)).tolist():
        slots, unknowns = int(columns.numbers[template]), 1 + max(columns.plans[template].unknowns, default=-1)
        if not 0 < len(wanted) <= unknowns or not is_enumerable(count, slots):
            continue
        rows = all_ways(count, slots).rows
        filled = np.zeros((len(rows), columns.slots), dtype=np.int64)
        first = int(columns.nouns[template])
        filled[:, first : first + slots] = encoded.nouns + rows
        solved = solve(columns, encoded, np.full(len(rows), template), filled)
        fits = solved.solvable & _has_values(solved.solutions[:, :unknowns], wanted)
        found += [(template, tuple(row)) for row in rows[fits].tolist()]
    return tuple(found[:MAX_RIGHT])


def _has_values(solutions: Floats, wanted: Floats) -> Flags:
    """Decide for each solution whether it has all wanted values, each as often as it is wanted."""
    taken = np.zeros(solutions.shape, dtype=bool)
    holds = np.ones(len(solutions), dtype=bool)
    for value in wanted:
        near = (np.abs(solutions - value) <= _NEAR * max(abs(float(value)), 1.0)) & ~taken
        holds &= near.any(axis=1)
        taken[np.arange(len(solutions)), near.argmax(axis=1)] |= near.any(axis=1)
    return holds


Supervision = Literal["equations", "answer"]

MIN_TEXTS = 2  # texts in which something must be seen to get weights


def train_kazb(
    problems: Sequence[Problem],
    *,
    setting: Setting = "TE",
    seed: int = 0,  # of tie breakers
    nouns: Nouns = "near",  # by counting words, or parsed, from dependency parses (needs the extra ``kazb``)
    supervision: Supervision = "equations",  # under TE and TE*, derivations with the gold equations or answer are right
    progress: Callable[[int, int], None] | None = None,  # gets each step, from 0, and its number of wrong answers
    options: KazbOptions = KazbOptions(),  # noqa: B008 - frozen
) -> KazbModel:
    """Train the system of Kushman and others (2014)."""
    check_choices(setting=(setting, Setting), nouns=(nouns, Nouns), supervision=(supervision, Supervision))
    if type(seed) is not int or seed < 0:
        raise ChoiceError(f"seed: expected a whole number from 0, but got {short_repr(seed)}")
    check_reader(nouns)
    inventory = build_inventory([right_derivations(problem, setting, "first") for problem in problems], setting)
    columns = Columns(inventory)
    texts = [TaggedText.of_problem(problem) for problem in problems]
    readings = [read_nouns(text, given, "auto", nouns) for text, given in zip(texts, problems, strict=True)]
    seen = [extract_attributes(reading) for reading in readings]
    attributes = {kind: frequent_names(seen, kind, MIN_TEXTS) for kind in ATTRIBUTE_KINDS}
    examples = []
    for problem, text, reading, one in zip(problems, texts, readings, seen, strict=True):
        encoded = encode(reading, one, attributes)
        if setting != "TD" and supervision == "answer":
            right = constraints_from_answer(problem, encoded, columns)
        else:
            golds = locate_golds(text, right_derivations(problem, setting, "latent"), inventory)
            right = constraints_from_equations(golds, inventory, columns)
        if right:
            examples.append(Example(encoded, Completions(columns, encoded), right))
    if not examples:
        raise TrainingError(f"expected problems that can be solved, but none of the {len(problems)} can")
    space = WeightSpace(columns.shapes(*(len(attributes[kind]) for kind in ATTRIBUTE_KINDS)))
    likelihood = Likelihood(columns, space, examples, options, tie_breakers(columns, seed))
    found = minimise(
        likelihood,
        np.zeros(space.size, dtype=np.float32),
        options.iterations,
        lambda step, _: progress(step - 1, likelihood.wrong) if progress is not None else None,
    )
    return KazbModel(
        inventory=inventory,
        columns=columns,
        attributes=attributes,
        weights=space.tables(np.asarray(np.round(found * GRAIN) / GRAIN, dtype=np.float32)),
        lexicon=frozenset(lemma for text in texts for lemma in text.content_lemmas),
        nouns=nouns,
        seed=seed,
        options=options,
        signature=signature(problems, setting, supervision, system="kazb", nouns=nouns, seed=seed),
    )
