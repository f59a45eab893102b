"""Gold of a problem, prepared for grading, and the origin of a row.

`PreparedProblem` computes once whatever does not depend on the prediction, most of it on first access. Equation
accuracy uses as gold one of the derivations that lead from the text to the gold equations; the treatment of constants
has the largest effect on it, so that policy (`derivation.consistent.POLICY`) stands in the signature. Solutions are
compared in integers, because fractions would be too slow. An alternative is compared as gold would be; its solutions
are those of its equations, and it is the only reference of its equation accuracy.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from importlib.resources import files
from math import fsum, lcm
from typing import TYPE_CHECKING, Any, NamedTuple

from draw_dataset.algebra.nonlinear import Algebra, constant_ratio
from draw_dataset.algebra.number import exact
from draw_dataset.algebra.solution import SolutionKind, solve_integers
from draw_dataset.algebra.system import System, merge_slots
from draw_dataset.data.corrections import changes, correct
from draw_dataset.derivation.consistent import ConsistentDerivations
from draw_dataset.derivation.derivation import Derivation, Place, TextNumber
from draw_dataset.derivation.equivalence import match_slots
from draw_dataset.derivation.problem import (
    EXCLUDED,
    REFUSED,
    Problem,
    ProblemId,
    asked_values,
    is_problem_id,
    not_a_row,
    plain_row,
)
from draw_dataset.errors import DrawError, LimitError, NotLinearError, RowError, short_repr
from draw_dataset.io.jsonl import decode_json
from draw_dataset.reading.compare import Agreement, GoldQuantities, agree_systems
from draw_dataset.reading.functions import leaves
from draw_dataset.reading.points import Gold
from draw_dataset.reading.setup import BETWEEN_UNITS
from draw_dataset.scoring.options import Options
from draw_dataset.scoring.roles import NO_ROLES, Roles, roles_of
from draw_dataset.text.lexicon import singular, things
from draw_dataset.text.numbers import find_numbers, locate_numbers, number_words_of
from draw_dataset.text.question import is_ambiguous_in_context
from draw_dataset.text.units import is_known, name_of_constant, unit_named

if TYPE_CHECKING:
    from draw_dataset.scoring.prompted import Block
    from draw_dataset.scoring.verdict import Verdict


# A row carries its origin in its content: ``origins.json`` (by ``scripts/update_origins.py``) has a digest of the text
# and annotation of every problem of the release and the sample. So the origin survives ``select``, a DataFrame or a
# file.

TABLE = "origins.json"
ROWS = "rows"
"""The name of rows to which no other was given: a signature names them by their origins if they have some."""

_DIGITS = 12
_MARK = re.compile(r"\+corrected-([\w-]+)")
_MIXED = "mixed"


class Origin(NamedTuple):
    """The origin of a row."""

    dataset: str
    split: str  # its split there
    corrections: tuple[str, ...] = ()  # the selections (``v2``, ``v2-derivations``) that change the row, or give it so
    corrected: bool = False  # whether the row is as these give it; otherwise it is as published


class _Table(NamedTuple):
    """The file: origins by digest, the splits of each dataset, and the selections, the preferred ones first."""

    origins: dict[str, Origin]
    splits: dict[str, tuple[str, ...]]
    selections: tuple[str, ...]


def origin_of(problem: Problem) -> Origin | None:
    """Return the origin of a problem; None if it is no problem of the release or the sample as we know it."""
    return _table().origins.get(annotation_digest(problem))


def annotation_digest(problem: Problem) -> str:
    """Return a digest of the text and the annotation of a problem: the fields that a release states.

    Floats count with seven digits, so a file that rounds them has the same rows.
    """
    annotation = (
        problem.question,
        problem.equations,
        [f"{value:.7g}" for value in problem.solutions],
        problem.template,
        [(a.slot, a.sentence, a.token, f"{a.value:.7g}") for a in problem.alignment],
        [[(n.sentence, n.token, n.value and f"{float(n.value):.7g}") for n in group] for group in problem.equiv_tnum],
    )
    text = repr(annotation).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=_DIGITS // 2).hexdigest()


def name_data(given: str, origins: Collection[Origin | None]) -> str:
    """Return the name of rows in a signature.

    >>> name_data("rows", {Origin("draw1k", "test"), Origin("draw1k", "test", ("v1", "v2"), True)})
    'draw1k/test+corrected-v2'
    >>> name_data("mine", {Origin("draw1k", "test")}), name_data("rows", {Origin("draw1k", "test"), None})
    ('mine', 'rows')
    """
    name = _places(origins) if given == ROWS else given
    selections = _selections(origins)
    said = _MARK.search(name)
    if not selections or (said is not None and said[1] in selections):
        return name
    return f"{name}+corrected-{selections[0]}"


def _places(origins: Collection[Origin | None]) -> str:
    splits: dict[str, set[str]] = {}
    for origin in origins:
        if origin is None:
            return ROWS
        splits.setdefault(origin.dataset, set()).add(origin.split)
    names: list[str] = []
    for dataset, own in _table().splits.items():
        found = [split for split in own if split in splits.get(dataset, ())]
        names += [f"{dataset}/all"] if len(found) == len(own) > 1 else [f"{dataset}/{split}" for split in found]
    return ",".join(names) or ROWS


def _selections(origins: Collection[Origin | None]) -> list[str]:
    """Return the selections of corrections that give just these rows, the preferred one first; none if as published."""
    told = [origin for origin in origins if origin is not None and origin.corrections]
    if not any(origin.corrected for origin in told):
        return []
    fits = [
        selection
        for selection in _table().selections
        if all((selection in origin.corrections) is origin.corrected for origin in told)
    ]
    return fits or [_MIXED]


@lru_cache(maxsize=1)
def _table() -> _Table:
    text = files("draw_dataset.scoring").joinpath(TABLE).read_text(encoding="utf-8")
    data: dict[str, Any] = decode_json(text, TABLE)
    origins: dict[str, Origin] = {}
    for dataset, own in data["datasets"].items():
        for split, known in own.items():
            listed = known["published"]
            for at in range(0, len(listed), _DIGITS):
                origins[listed[at : at + _DIGITS]] = Origin(dataset, split)
            for published, corrected, selections in known["corrected"]:
                others = origins[published].corrections
                origins[published] = Origin(dataset, split, (*others, *selections))
                origins[corrected] = Origin(dataset, split, tuple(selections), corrected=True)
    splits = {dataset: tuple(own) for dataset, own in data["datasets"].items()}
    return _Table(origins, splits, tuple(data["selections"]))


_NEEDED = ("question", "equations", "solutions", "template", "alignment", "equiv_tnum")
_READ = (
    "id", *_NEEDED, "numbers", "findings", "alternatives", "asked", "roles", "correction", "status", "reason",
)  # fmt: skip
"""The fields of a row that are read."""

SLICES = ("slots", "unknowns", "ambiguity", "numbers")
"""The properties of problems by which scores are split."""

MAX_REFERENCES = 20_000
"""The largest number of derivations for the expectation; the release has up to 2,187 for one problem."""

Classes = tuple[Place, ...]
"""The class of the number in each slot of a template."""

Intervals = tuple[tuple[int, int, int], ...]
"""For each gold number, in ascending order: the smallest and the largest number near enough, and their denominator."""


class Values(NamedTuple):
    """The values of the numbers of a text as integers."""

    whole: dict[Place, int]  # the value of each number that has one, multiplied by `denominator`
    denominator: int  # the common denominator


class RowDigests(NamedTuple):
    """The digests of a row that a signature is made of; its integers are hashes."""

    gold: int  # identifies the gold
    alternatives: int  # identifies the alternatives; 0 if there are none
    asked: int  # identifies what the question asks for; 0 if that is not decided
    ambiguous: bool  # whether the alternatives count by default
    origin: Origin | None  # where the row comes from


class WeightedReference(NamedTuple):
    """A reference of equation accuracy, and the share of the draws that give it or one equivalent to it."""

    system: System  # the system of its template
    classes: Classes  # the class of the number in each of its slots
    weight: float
    is_gold: bool  # whether it is equivalent to gold


@dataclass(frozen=True, slots=True)
class EquationReferences:
    """The references of equation accuracy for one problem."""

    count: int  # how many derivations lead to the equations
    chosen: tuple[WeightedReference, ...]  # their weights sum to one; empty if no derivation is linear

    @property
    def share_not_gold(self) -> float:
        """The share of the references that are not equivalent to gold."""
        return fsum([r.weight for r in self.chosen if not r.is_gold]) if self.chosen else 1.0


class PreparedGold:
    """The gold of a problem under given options."""

    __slots__ = ("_gold", "_gold_solved", "equations", "solutions")

    def __init__(self, gold: Derivation, equations: EquationReferences, solutions: Intervals) -> None:
        self.equations = equations
        self.solutions = solutions
        self._gold = gold
        self._gold_solved: bool | None = None

    @property
    def gold_solved(self) -> bool:
        """Whether the gold derivation gives the gold solutions; in a few rows of the release it does not."""
        if self._gold_solved is None:
            solution = _solve(self._gold)
            self._gold_solved = solution is not None and all_found(*solution, self.solutions)
        return self._gold_solved


@dataclass(frozen=True, slots=True)
class GoldForAnswers:
    """The gold that model answers to one problem are compared with."""

    gold: Gold  # the gold quantities
    classes: tuple[int, ...]  # the class of each number of the text
    solutions: tuple[Fraction, ...]  # the gold solutions at the numbers of the text
    question: str
    chain: bool = False  # whether gold is a chain of arithmetic, of which only the last result is asked for
    wanted: tuple[Fraction, ...] = ()  # the values that the question asks for, if the row says so
    tolerance: Fraction = Options().tolerance
    derived: bool = False  # whether gold was derived from a worked solution
    nouns: tuple[frozenset[str], ...] = ()  # the words beside each class of numbers
    trusted: bool = True  # whether a result that is right by another derivation may be called lucky
    roles: Roles = NO_ROLES  # the words that tell two unknowns apart

    @property
    def exact(self) -> bool:
        """Whether gold is what the question asks for; a question of the release may ask for something that follows."""
        return self.chain or self.derived


def gold_values(gold: Gold) -> tuple[Fraction, ...]:
    """Return the gold quantities at the numbers of the text; empty if they have no value."""
    return values_at(gold, gold.numbers)


def values_at(gold: Gold, numbers: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Return the gold quantities at other numbers; empty if they have no value."""
    algebra = Algebra()
    try:
        found = gold.at(algebra, [algebra.number(value) for value in numbers])
    except (LimitError, ZeroDivisionError):
        return ()
    values = [constant_ratio(algebra, *ratio) for ratio in found or ()]
    return tuple(Fraction(value) for value in values if value is not None)


class PreparedProblem:
    """A problem as gold. Raises `RowError` if the gold derivation or the classes cannot be read."""

    # Slots for what every score needs, a dict only for the rest: each object that the collector follows costs time.
    __slots__ = (
        "__dict__", "_digests", "_gold", "_last_agreement", "_solutions", "_values",
        "by_place", "classes", "derivation", "gold_classes", "problem",
    )  # fmt: skip

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.derivation = problem.derivation
        self.classes = problem.number_classes
        self.gold_classes: Classes = self.classes.of_places(self.derivation.places)
        self.by_place: dict[Place, TextNumber] = {(n.sentence, n.token): n for n in problem.numbers}
        self._gold: dict[Options, PreparedGold] = {}
        self._solutions: tuple[Fraction, ...] | None = None
        self._values: Values | None = None
        self._digests: RowDigests | None = None
        self._last_agreement: tuple[System, Classes, Agreement] | None = None

    def __reduce__(self) -> tuple[type[PreparedProblem], tuple[Problem]]:
        # Prepared results are not pickled: they are larger than the problem, and can be computed again.
        return PreparedProblem, (self.problem,)

    @classmethod
    def of(cls, row: PreparedProblem | Problem | Mapping[str, Any]) -> PreparedProblem:
        """Return the gold of a row or a problem; a prepared problem is returned unchanged.

        In a row ``id``, ``numbers``, ``derivation``, ``findings`` and the fields after it may be absent.
        """
        if isinstance(row, PreparedProblem):
            return row
        if isinstance(row, Problem):
            return cls(row)
        try:
            return cls._of_row(row)
        except RowError:
            # Numbers and arrays of other libraries become plain only where something is wrong: rows are read often.
            return cls._of_row(plain_row(row))

    @classmethod
    def _of_row(cls, row: Mapping[str, Any]) -> PreparedProblem:
        if not isinstance(row, Mapping):
            raise RowError(f"reference: {not_a_row(row)}")
        missing = [name for name in _NEEDED if name not in row]
        if missing:
            raise RowError(
                f"reference {short_repr(row.get('id'))}: expected the fields {', '.join(_NEEDED)}, "
                f"but {', '.join(missing)} is missing"
            )
        try:
            return cls(_problem(row))
        except RowError:
            raise
        except DrawError as error:  # a text that is too long
            raise RowError(f"reference {short_repr(row.get('id'))}: {error}") from error

    @property
    def solutions(self) -> tuple[Fraction, ...]:
        """The gold solutions as exact numbers; raises `RowError` if one is not a finite number."""
        if self._solutions is None:
            try:
                self._solutions = tuple([exact(value) for value in self.problem.solutions])
            except DrawError as error:
                raise self._bad("gold solutions", error) from error
        return self._solutions

    @property
    def consistent(self) -> ConsistentDerivations:
        """The derivations that lead to the gold equations; raises `RowError` if these are not short strings."""
        try:
            return ConsistentDerivations.of(self.problem.equations, self.problem.numbers)
        except DrawError as error:
            raise self._bad("gold equations", error) from error

    def check(self) -> None:
        """Raise `RowError` if the gold cannot be read, before anything is graded."""
        _, consistent = self.solutions, self.consistent
        try:
            consistent.check()
        except DrawError as error:
            raise self._bad("gold equations", error) from error

    def _bad(self, what: str, error: DrawError) -> RowError:
        return RowError(f"problem {self.problem.id}: {what}: {error}")

    @property
    def values(self) -> Values:
        """The values of the text's numbers as integers."""
        if self._values is None:
            known = {n.place: n.value.as_integer_ratio() for n in self.problem.numbers if n.value is not None}
            common = lcm(*[denominator for _, denominator in known.values()])
            self._values = Values({place: n * (common // d) for place, (n, d) in known.items()}, common)
        return self._values

    @cached_property
    def quantities(self) -> GoldQuantities:
        """The gold quantities, as functions of the numbers of the text."""
        return GoldQuantities(self.problem)

    @cached_property
    def for_answers(self) -> GoldForAnswers:
        """The gold that model answers are compared with."""
        gold, problem = self.quantities, self.problem
        solutions = gold_values(gold) or self.solutions
        return GoldForAnswers(
            gold,
            gold.classes,
            solutions,
            problem.question,
            roles=roles_of(problem, solutions),
            wanted=asked_values(problem),
            derived=bool(problem.status),
            nouns=_nouns(problem, gold),
            trusted=_is_trusted(gold, problem),
        )

    @property
    def is_published(self) -> bool:
        """Whether it is a row of the release as it was published."""
        origin = self.digests.origin
        return (
            origin is not None
            and origin.dataset in changes()
            and not origin.corrected
            and self.problem.correction is None
        )

    @cached_property
    def corrected(self) -> PreparedProblem | None:
        """A published row as the latest edition of the corrections has it; None if that excludes it."""
        origin = self.digests.origin
        changed = self.problem if origin is None else correct(origin.dataset, self.problem)
        if changed is self.problem:
            return self
        return None if changed.is_excluded else PreparedProblem(changed)

    @cached_property
    def as_shown(self) -> PreparedProblem:
        """The gold in the numbering of a marked prompt (see `shown_problem`)."""
        problem = shown_problem(self.problem)
        return self if problem is self.problem else PreparedProblem(problem)

    @property
    def digests(self) -> RowDigests:
        """The digests of the row, for signatures."""
        if self._digests is None:
            problem = self.problem
            self._digests = RowDigests(
                gold=_digest(problem.gold_text()),
                alternatives=_digest(repr((problem.id, problem.alternatives))) if problem.alternatives else 0,
                asked=_digest(repr((problem.id, problem.asked))) if problem.asked else 0,
                ambiguous=problem.accepts_alternatives,
                origin=origin_of(problem),
            )
        return self._digests

    @cached_property
    def prompted_verdicts(self) -> dict[Options, dict[Block, Verdict]]:
        """Under given options, verdicts on the last blocks of answers to our prompts."""
        return {}

    @cached_property
    def _gold_without_equations(self) -> dict[Options, PreparedGold]:
        return {}

    @cached_property
    def _alternatives(self) -> dict[Fraction, list[Alternative]]:
        return {}

    @property
    def labels(self) -> tuple[str, ...]:
        """The value of the problem for each of `SLICES`; not cached, because slices are rarely asked for."""
        template = self.derivation.template
        ambiguity = "ambiguous" if is_ambiguous_in_context(self.problem) else "unambiguous"
        aligned = [self.by_place[place] for place in self.derivation.places if place in self.by_place]
        kinds = {_digits_or_words(number.text) for number in aligned}
        kind = "digits and words" if len(kinds) > 1 else kinds.pop() if kinds else "none"
        return str(len(template.slots)), str(len(template.unknowns)), ambiguity, kind

    def gold(self, options: Options) -> PreparedGold:
        """Return the gold under given options."""
        known = self._gold.get(options)
        if known is None:
            wanted = intervals(self.solutions, options.tolerance)
            known = PreparedGold(self.derivation, equation_references(self, options), wanted)
            self._gold[options] = known
        return known

    def gold_without_equations(self, options: Options) -> PreparedGold:
        """Return the gold for derivations and solutions only, without the references of equation accuracy."""
        known = self._gold_without_equations.get(options)
        if known is None:
            wanted = intervals(self.solutions, options.tolerance)
            known = PreparedGold(self.derivation, EquationReferences(0, ()), wanted)
            self._gold_without_equations[options] = known
        return known

    def alternatives(self, options: Options) -> Sequence[Alternative]:
        """Return the alternatives that count under given options; raises `RowError` as `alternative_problems` does."""
        if options.gold == "one" or (options.gold == "auto" and not self.problem.accepts_alternatives):
            return ()
        known = self._alternatives.get(options.tolerance)
        if known is None:
            known = [_prepare_alternative(one, options.tolerance) for one in alternative_problems(self.problem)]
            self._alternatives[options.tolerance] = known
        return known

    def agreement(self, system: System, classes: Classes) -> Agreement:
        """Return how much of the gold derivation a predicted system has, given the class in each of its slots."""
        last = self._last_agreement
        if last is not None and last[0] is system and last[1] == classes:
            return last[2]  # an answer whose own result differs from that of its equations is judged twice
        gold = self.quantities
        found = agree_systems(system, [gold.class_of[place] for place in classes], gold)
        self._last_agreement = system, classes, found
        return found


def _nouns(problem: Problem, gold: GoldQuantities) -> tuple[frozenset[str], ...]:
    """Return the words beside each class of numbers: the currency before, and up to three words of a thing after."""
    found: list[set[str]] = [set() for _ in gold.numbers]
    for number, class_ in zip(problem.numbers, gold.classes, strict=True):
        if number.start is not None and number.end is not None:
            beside = _BESIDE.match(problem.question, number.end)
            found[class_].update(_counted((beside[0] if beside else "").replace("-", " ").split(), number))
            before = problem.question[max(number.start - 2, 0) : number.start].strip()[-1:]
            found[class_].update(before if before in _CURRENCY else ())
    return tuple([frozenset(words) for words in found])


def _counted(words: Sequence[str], number: TextNumber) -> list[str]:
    """Return the words for what a number counts; none if no word behind it can be counted: three are left."""
    if words[:1] in (["times"], ["percent"], ["time"]):
        return []
    named = things(words)[:3]
    raw = {singular(word): word.lower() for word in reversed(words)}  # the first of equal ones counts
    places = [place for place, word in enumerate(named) if raw[word] != word or unit_named(word) or number.value == 1]
    return named[: places[-1] + 1] if places else []


_BESIDE = re.compile(r"(?:[ -]?[A-Za-z]+){0,6}")
_CURRENCY = "$£€"


_COMPOUND = frozenset({14, 28, 120, 128, 1440, 3600})  # two weeks: often a number of the text times another constant


def _is_trusted(gold: GoldQuantities, problem: Problem) -> bool:
    """Decide whether gold is the only derivation of a problem, and was read or hides no number in a constant."""
    if problem.alternatives:
        return False
    if not problem.status or problem.edition:
        return True
    parts = [leaf for expression in gold.expressions for leaf in leaves(expression)]
    constants = {leaf[1] for leaf in parts if leaf[0] == "c"} - {0, 1}
    used = {leaf[1] - 1 for leaf in parts if leaf[0] == "q"}
    left = [value for class_, value in enumerate(gold.numbers) if class_ not in used and value]
    hidden = any(value / other in BETWEEN_UNITS or value == other for value in constants for other in left) or any(
        value in _COMPOUND and is_known(value / other) for value in constants for other in gold.numbers if other
    )
    return not hidden and all(name_of_constant(value, problem.question) is not None for value in constants)


Alternative = tuple[PreparedProblem, PreparedGold]
"""An alternative as a prepared problem, and its gold."""


class PreparedProblemCache:
    """The prepared problems of rows. Equal rows share one, because preparing gold costs more than grading."""

    # A row is recognised as an object, or by its content, because a dataset makes a new object on every access. Objects
    # stay alive here, so that no other row gets the ``id()`` of one.
    def __init__(self) -> None:
        self._by_object: dict[int, tuple[object, PreparedProblem]] = {}
        self._by_content: dict[str, PreparedProblem] = {}
        self._first: dict[str, tuple[Mapping[str, Any], PreparedProblem] | None] = {}

    def prepared(self, row: PreparedProblem | Problem | Mapping[str, Any]) -> PreparedProblem:
        """Return the reference of a row."""
        if isinstance(row, PreparedProblem):
            return row
        known = self._by_object.get(id(row))
        if known is not None:
            return known[1]
        question = row.get("question") if isinstance(row, Mapping) else None
        if not isinstance(row, Mapping) or type(question) is not str:
            return self._keep(row, PreparedProblem.of(row))
        if question not in self._first:
            prepared = self._keep(row, PreparedProblem.of(row))
            self._first[question] = row, prepared
            return prepared
        first = self._first[question]
        if first is not None:
            self._first[question] = None
            self._by_content[_content(first[0])] = first[1]
        content = _content(row)
        same = self._by_content.get(content) if content else None
        if same is not None:
            return same
        self._by_content[content] = prepared = self._keep(row, PreparedProblem.of(row))
        return prepared

    def _keep(self, row: object, prepared: PreparedProblem) -> PreparedProblem:
        self._by_object[id(row)] = row, prepared
        return prepared


def _content(row: Mapping[str, Any]) -> str:
    """Return the fields of a row that are read, as one string; empty if they are no plain data."""
    for plain in (dict, plain_row):
        try:
            given = plain(row)
            # JSON distinguishes 1 from 1.0, which are not equal as ids.
            return json.dumps([given.get(name) for name in _READ])
        except (TypeError, ValueError, RecursionError):
            continue
    return ""


def refused_id(row: Mapping[str, Any] | Problem | PreparedProblem) -> ProblemId | None:
    """Return the id of a row without gold: refused when it was derived, or excluded; None for any other row."""
    if isinstance(row, Problem):
        return row.id if row.is_refused else None
    if isinstance(row, Mapping) and is_problem_id(row.get("id")):
        correction = row.get("correction")
        kind = correction.get("kind") if isinstance(correction, Mapping) else ""
        id_: ProblemId = row["id"]
        return id_ if row.get("status") == REFUSED or kind == EXCLUDED else None
    return None


def _digest(text: str) -> int:
    """Return a number that identifies a string. Sums of them identify sets of strings in any order."""
    # A lone surrogate, which a string from JSON may have, cannot be encoded as UTF-8.
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")


def _digits_or_words(text: str) -> str:
    if text.isalpha() or text.isdecimal():  # nearly all are
        return "words" if text.isalpha() else "digits"
    return "digits" if any(c.isdigit() for c in text) else "words"


def _problem(row: Mapping[str, Any]) -> Problem:
    if "id" not in row:
        row = {**row, "id": 0}
    if row.get("numbers") is not None:
        return Problem.from_row(row)
    problem = Problem.from_row({**row, "numbers": []})
    annotated = {(a.sentence, a.token): exact(a.value) for a in problem.alignment}
    try:
        numbers, _ = locate_numbers(problem.question, annotated, number_words_of(problem))
    except RowError as error:
        raise RowError(f"problem {problem.id}: {error}") from error
    return replace(problem, numbers=numbers)


def matches(predicted: System, predicted_classes: Classes, gold: System, gold_classes: Classes, merge: bool) -> bool:
    """Decide whether two derivations are equivalent; with `merge`, slots of the same class count as one slot."""
    if predicted is gold and predicted_classes == gold_classes:
        return True
    if merge:
        predicted, predicted_classes = _merge_classes(predicted, predicted_classes)
        gold, gold_classes = _merge_classes(gold, gold_classes)
    return match_slots(predicted, predicted_classes, gold, gold_classes) is not None


def _merge_classes(system: System, classes: Classes) -> tuple[System, Classes]:
    """Return a system in which each class has one slot, and the classes."""
    different = tuple(dict.fromkeys(classes))
    if len(different) == len(classes):
        return system, classes
    number = {c: i for i, c in enumerate(different)}
    return merge_slots(system, tuple([number[c] for c in classes])), different


def _solve(gold: Derivation) -> tuple[list[int], int] | None:
    """Solve gold with the annotated values, which may differ from those of the text."""
    numbers = gold.alignment.in_slots(gold.template.slots)
    ratios = [number.value.as_integer_ratio() for number in numbers if number.value is not None]
    if len(ratios) < len(numbers):
        return None
    common = lcm(*[denominator for _, denominator in ratios])
    values = [numerator * (common // denominator) for numerator, denominator in ratios]
    return solve_integers(gold.template.system, values, common)


def equation_references(problem: PreparedProblem, options: Options) -> EquationReferences:
    """Return the references of equation accuracy; the expectation takes at most `MAX_REFERENCES` derivations."""
    consistent = problem.consistent
    count = consistent.count
    if options.equation == "expected":
        return EquationReferences(count, _all(consistent, problem, options))
    start = 0 if options.equation == "first" else drawn_reference(problem, options.seed, count)
    # Equations may be linear only because of the values of their literals; then the next derivation is tried, and
    # where none is linear there is no reference.
    for step in range(min(count, MAX_REFERENCES)):
        found = _system_and_classes(consistent, problem, (start + step) % count)
        if found is not None:
            return EquationReferences(count, (_weighted(*found, 1.0, problem, options),))
    return EquationReferences(count, ())


def drawn_reference(problem: PreparedProblem, seed: int, count: int) -> int:
    """Return the index of the reference among `count` derivations: drawn by the problem, so equal in any process."""
    if count == 1:
        return 0
    key = f"{seed}|{problem.problem.id}|{problem.problem.question}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(key).digest()[:16], "big") % count


def _system_and_classes(
    consistent: ConsistentDerivations, problem: PreparedProblem, index: int
) -> tuple[System, Classes] | None:
    try:
        system, places = consistent.system(index)
    except DrawError as error:
        problem.check()  # if it is the equations themselves that cannot be read, this says where
        if isinstance(error, NotLinearError):
            return None
        raise RowError(f"problem {problem.problem.id}: gold equations: {error}") from error
    return system, problem.classes.of_places(places)


def _weighted(
    system: System, classes: Classes, weight: float, problem: PreparedProblem, options: Options
) -> WeightedReference:
    gold = problem.derivation.template.system
    is_gold = matches(system, classes, gold, problem.gold_classes, options.merge_equiv)
    return WeightedReference(system, classes, weight, is_gold)


def _all(
    consistent: ConsistentDerivations, problem: PreparedProblem, options: Options
) -> tuple[WeightedReference, ...]:
    """Return all references, those that are equivalent to each other as one."""
    count = consistent.count
    if count > MAX_REFERENCES:
        raise LimitError(
            f"problem {problem.problem.id}: expected at most {MAX_REFERENCES} derivations of its equations for the "
            f"expected equation accuracy, but got {count}; use random or first"
        )
    groups: list[tuple[System, Classes, list[int]]] = []
    total = 0
    for index in range(count):
        found = _system_and_classes(consistent, problem, index)
        if found is None:
            continue
        total += 1
        for system, classes, size in groups:
            if matches(*found, system, classes, options.merge_equiv):
                size[0] += 1
                break
        else:
            groups.append((*found, [1]))
    return tuple(_weighted(system, classes, size[0] / total, problem, options) for system, classes, size in groups)


def intervals(wanted: Sequence[Fraction], tolerance: Fraction) -> Intervals:
    """Return the interval of numbers near each wanted one: relative to it where it is larger than one."""
    part, whole = tolerance.as_integer_ratio()
    found = []
    for number in sorted(wanted):
        numerator, denominator = number.as_integer_ratio()
        margin = part * max(abs(numerator), denominator)
        found.append((numerator * whole - margin, numerator * whole + margin, denominator * whole))
    return tuple(found)


def all_found(numerators: Sequence[int], denominator: int, wanted: Intervals) -> bool:
    """Decide whether each wanted number is in a solution, given by ascending numerators over one denominator."""
    if len(numerators) < len(wanted):
        return False
    # The smallest wanted number takes the smallest that fits: on a line, no other choice does better.
    left = list(numerators)
    for low, high, scale in wanted:
        least, greatest = low * denominator, high * denominator
        for at, value in enumerate(left):
            if least <= value * scale <= greatest:
                del left[at]
                break
        else:
            return False
    return True


def alternative_problems(problem: Problem) -> list[Problem]:
    """Return the problem once for each alternative, with that alternative as its gold.

    >>> from dataclasses import replace
    >>> from draw_dataset.data.sample import load_sample
    >>> problem = replace(load_sample()["test"][0], alternatives=("m = q1",))
    >>> [other.template for other in alternative_problems(problem)]
    [('m = a',)]
    """
    made = []
    for at, text in enumerate(problem.alternatives):
        try:
            made.append(_with_gold(problem, text))
        except DrawError as error:
            raise RowError(f"problem {problem.id}: alternatives[{at}]: {error}") from error
    return made


def _with_gold(problem: Problem, text: str) -> Problem:
    derivation = Derivation.read(text, problem.numbers)
    if derivation.by_rank:
        raise RowError("expected a problem with numbers, but got one without")
    solution = derivation.solve()
    if solution.kind is not SolutionKind.UNIQUE:
        raise RowError(f"expected equations with one solution, but {text} has {solution.kind.value}")
    return problem.with_gold(derivation, solution.numbers)


def _prepare_alternative(problem: Problem, tolerance: Fraction) -> Alternative:
    made = PreparedProblem(problem)
    itself = WeightedReference(made.derivation.template.system, made.gold_classes, 1.0, is_gold=True)
    return made, PreparedGold(made.derivation, EquationReferences(1, (itself,)), intervals(made.solutions, tolerance))


def shown_problem(problem: Problem) -> Problem:
    """Return a problem with its numbers in the order in which a marked prompt shows them, the others at the end.

    Most problems are returned unchanged: their numbers are those that `find_numbers` finds.
    """
    found = find_numbers(problem.question, number_words_of(problem))
    known = problem.numbers
    if len(found) == len(known) and all(_is_same_number(n, m) for n, m in zip(found, known, strict=True)):
        return problem
    left = list(known)
    ordered: list[TextNumber] = []
    for index, number in enumerate(found, 1):
        own = next((other for other in left if _is_same_number(number, other)), None)
        if own is None:
            # The row does not have this number, so it gets a place that no number has: beyond the end of the sentence.
            place = (number.sentence, len(problem.question) + index)
            own = TextNumber(*place, number.value, index, number.text, number.start, number.end)
        else:
            left.remove(own)
        ordered.append(replace(own, index=index))
    ordered += [replace(number, index=len(found) + at) for at, number in enumerate(left, 1)]
    return replace(problem, numbers=tuple(ordered))


def _is_same_number(found: object, known: TextNumber) -> bool:
    """Decide whether a found number is one of the row: by its characters where the row has them."""
    here = (found.start, found.end) if known.start is not None else (found.sentence, found.token)  # type: ignore[attr-defined]
    return here == ((known.start, known.end) if known.start is not None else known.place)
