"""Final annotation of each problem, agreement between annotators, progress of a store, and exported rows.

An adjudicator's decision overrules all others. Without one, a problem is settled if it needs no person and nobody has
worked on it, or if the submitted works are the same: equivalent derivations, the same groups of equivalent numbers, the
same quantities asked for, the same text. A derivation that people wrote needs as many people as any other, although the
problem was refused or needed nobody. The words of roles may differ. A flag is a vote against all of them. The rest
depends on a policy:

* ``adjudicated``: only what all agree on, or what an adjudicator decided;
* ``majority``: also what more than half of those who submitted or flagged it agree on;
* ``annotator``: the work of one person, whatever others say, adjudicators included.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from itertools import combinations, groupby, permutations
from statistics import median
from typing import Any, Literal

from draw_dataset.algebra.polynomial import POINT
from draw_dataset.algebra.solution import SolutionKind
from draw_dataset.annotate.agenda import Progress
from draw_dataset.annotate.decisions import AnnotationState, fresh_work, normal_name, same_name
from draw_dataset.annotate.intake import FIXED
from draw_dataset.annotate.normal import read_expressions
from draw_dataset.annotate.store import Store
from draw_dataset.annotate.tables import STATUSES, ProblemEntry
from draw_dataset.derivation.derivation import Derivation, NumberClasses, Place, TextNumber
from draw_dataset.derivation.equivalence import canonical_key, derivations_equivalent, templates_equivalent
from draw_dataset.derivation.problem import ProblemId, value_at
from draw_dataset.errors import AlignmentError, AnnotationError, ChoiceError, LimitError, StoreError
from draw_dataset.io.jsonl import json_line
from draw_dataset.reading.tokens import STOP_WORDS
from draw_dataset.text.edits import carry_numbers
from draw_dataset.text.lexicon import stem

# Comparison of two works, number by number. Numbers of an edited text are found in the other text (`text.edits`); a
# number that is not there differs from all others. Numbers that both call equivalent are one, and literals that can be
# exchanged without changing the derivation are not a disagreement. An annotation is the derivation and EquivTNum. If a
# derivation is stated, literals cannot be compared: then alignments agree if they use the same numbers.


FIELDS = ("alignment", "equiv_tnum", "template", "derivation", "annotation", "asked", "roles")
ROLES = FIELDS[-1]  # the field in which works may differ and still be the same

Span = tuple[int, int]  # the characters of a literal in the equations; they identify it, whatever the text is

_NOWHERE = 1_000_000  # added to the sentence of a number that the other text does not have


@dataclass(frozen=True, slots=True)
class PlacedWork:
    """Complete work, with the places of its numbers in the text of another work."""

    work: AnnotationState
    origins: Mapping[Span, Place | None]  # the place that each literal comes from; None for a constant
    names: Mapping[Place, str]  # the names of the numbers at the places
    groups: frozenset[frozenset[Place]]
    derivation: Derivation
    asked: tuple[AskedForm, ...] | None  # None if nobody said what is asked


@dataclass(frozen=True, slots=True)
class Comparison:
    """The fields in which two works on a problem agree, and their differences in words."""

    counts: Mapping[str, tuple[int, int]]  # by `FIELDS`: how many judgements agree, and how many are compared
    same_text: bool
    details: tuple[str, ...]  # the differences in words, each naming both annotators

    @property
    def differing(self) -> tuple[str, ...]:
        """The fields in which they differ, and ``text`` if the texts differ; empty if the works are the same."""
        fields = (field for field, (agreeing, compared) in self.counts.items() if agreeing < compared)
        return (*fields, *(() if self.same_text else ("text",)))

    @property
    def is_disputed(self) -> bool:
        """Whether an adjudicator has to decide: they differ in more than the words of roles."""
        return bool({*self.differing} - {ROLES})


def place_work(work: AnnotationState, reference: AnnotationState) -> PlacedWork:
    """Return complete work with the places of another's text."""
    proposal, derivation = work.proposal, work.derivation
    if derivation is None:
        raise AnnotationError(f"problem {work.problem_id}: {work.lacking()}")
    where = carry_numbers(work.question, work.numbers, reference.question, reference.numbers)

    def move_number(number: TextNumber) -> TextNumber:
        if number.place in where:
            return where[number.place]
        return replace(number, sentence=_NOWHERE + (number.sentence or 0))

    origins: dict[Span, Place | None] = {}
    for position, literal in enumerate(proposal.literals if proposal is not None and work.stated is None else ()):
        number = work.chosen.get(position, literal.origins[0]).number
        origins[literal.start, literal.end] = None if number is None else move_number(number).place
    return PlacedWork(
        work,
        origins,
        {move_number(number).place: str(number) for number in work.numbers},
        frozenset(frozenset(move_number(number).place for number in group) for group in work.groups),
        Derivation(derivation.template, {slot: move_number(number) for slot, number in derivation.alignment.items()}),
        None if work.asked is None else _read_forms(work, work.asked),
    )


def common_classes(placed: Sequence[PlacedWork]) -> NumberClasses:
    """Return the groups of numbers that all call equivalent."""
    groups: list[frozenset[Place]] = list(placed[0].groups)
    for work in placed[1:]:
        groups = [one & other for one in groups for other in work.groups]
    shared: list[list[Place]] = [sorted(group, key=_order) for group in groups if len(group) > 1]
    return NumberClasses(shared)


def compare(one: AnnotationState, other: AnnotationState) -> Comparison:
    """Compare two complete works on a problem.

    >>> from draw_dataset.annotate.decisions import Decision, StoredProblem, fold
    >>> problem = {1: StoredProblem(7, "Two and 2 make 4 . Add 5 .", ("x = 2 + 5",))}
    >>> ann = fold(problem, "Ann", [Decision("choose", {"literal": 0, "place": [0, 0]})])
    >>> bob = fold(problem, "Bob", [Decision("choose", {"literal": 0, "place": [0, 2]})])
    >>> found = compare(ann, bob)
    >>> found.differing, found.details
    (('alignment', 'derivation', 'annotation'), ('2 comes from "Two" (q1) for Ann, but from "2" (q2) for Bob',))
    """
    first, second = place_work(one, one), place_work(other, one)
    classes = common_classes([first, second])
    derivation = derivations_equivalent(first.derivation, second.derivation, classes)
    stated = one.stated is not None or other.stated is not None
    apart = [] if derivation or stated else _apart(first, second, classes)
    groups = first.groups == second.groups
    agrees = {
        "alignment": derivation or (_used(first, classes) == _used(second, classes) if stated else not apart),
        "equiv_tnum": groups,
        "template": templates_equivalent(first.derivation.template, second.derivation.template),
        "derivation": derivation,
        "annotation": derivation and groups,
    }
    counts = {field: (int(agree), 1) for field, agree in agrees.items()}
    matches = match_unknowns(first.derivation, second.derivation, classes)
    both_asked = first.asked is not None and second.asked is not None
    same_asked = both_asked and _ask_the_same(first, second, matches, equivalent=derivation)
    counts["asked"] = int(same_asked), int(both_asked)
    roles = _compare_roles(one, other, matches)
    counts[ROLES] = sum(pair.agrees for pair in roles), len(roles)
    same_text = one.question == other.question
    details = [_detail(span, first, second) for span in apart]
    if not derivation and not apart:
        # One number for two literals, or two numbers that mean the same: the alignment agrees, the template does not.
        written = [f"{r.derivation.q_notation()} for {r.work.annotator}" for r in (first, second)]
        details.append(f"the derivation is {', but '.join(written)}")
        details += [*_allowed(first, second, classes), *_allowed(second, first, classes)]
    details += [_describe_group(group, first, second) for group in _sort_groups(first.groups - second.groups)]
    details += [_describe_group(group, second, first) for group in _sort_groups(second.groups - first.groups)]
    if both_asked and not same_asked:
        said = [f"{', '.join(work.asked or ()) or 'nothing'} for {work.annotator}" for work in (one, other)]
        details.append(f"the question asks for {', but for '.join(said)}")
    details += [pair.describe(one, other) for pair in roles if not pair.agrees]
    if not same_text:
        details.append(f"{one.annotator} and {other.annotator} have different texts")
    return Comparison(counts, same_text, tuple(details))


def _used(work: PlacedWork, classes: NumberClasses) -> set[Place]:
    return set(classes.of_places(work.derivation.places))


def _allowed(one: PlacedWork, other: PlacedWork, classes: NumberClasses) -> Iterator[str]:
    """Yield that a derivation is one of the other's alternatives, if it is."""
    for text in other.work.alternatives if one.work.question == other.work.question else ():
        if derivations_equivalent(one.derivation, Derivation.read(text, other.work.numbers), classes):
            yield f"{other.work.annotator} allows the derivation of {one.work.annotator} as well"
            return


def _apart(first: PlacedWork, second: PlacedWork, classes: NumberClasses) -> list[Span]:
    """Return the literals that come from different numbers."""

    def origin(work: PlacedWork, span: Span) -> Place | str | None:
        place = work.origins.get(span, "no literal")
        return place if place is None or isinstance(place, str) else classes.of_place(place)

    spans = sorted({*first.origins, *second.origins})
    return [span for span in spans if origin(first, span) != origin(second, span)]


def _detail(span: Span, first: PlacedWork, second: PlacedWork) -> str:
    proposal = first.work.proposal
    text = "?" if proposal is None else proposal.equations[span[0] : span[1]]
    one, other = (f"{_name_place(r, span)} for {r.work.annotator}" for r in (first, second))
    return f"{text} comes from {one}, but from {other}"


def _name_place(work: PlacedWork, span: Span) -> str:
    place = work.origins.get(span)
    return "no number" if place is None else work.names[place]


def _describe_group(group: frozenset[Place], having: PlacedWork, lacking: PlacedWork) -> str:
    members = ", ".join(having.names[place] for place in sorted(group, key=_order))
    return f"{members} mean the same for {having.work.annotator}, but not for {lacking.work.annotator}"


def _sort_groups(groups: frozenset[frozenset[Place]]) -> list[frozenset[Place]]:
    return sorted(groups, key=lambda group: sorted(map(_order, group)))


def _order(place: Place) -> tuple[int, int]:
    return place[0] or 0, place[1]


# Unknowns of two derivations are matched if they are the same function of the numbers, else by their names. Where
# several unknowns are the same function, each match counts. What is asked is compared as linear forms at the values of
# the text; if the derivations differ, equal values are enough. Roles are compared by the stems of their words.


AskedForm = tuple[frozenset[tuple[str, Fraction]], Fraction, Fraction | None]
"""The factors of unknowns, the constant, and the value at the solution."""

Match = Mapping[str, str]  # from unknowns of the second work to those of the first


def match_unknowns(first: Derivation, second: Derivation, classes: NumberClasses) -> list[Match]:
    """Return the best matches of the unknowns of two derivations, each from those of the second.

    >>> first, second = Derivation.read("m + n = q1; m = n + q2"), Derivation.read("n + m = q1; n - m = q2")
    >>> match_unknowns(first, second, NumberClasses())
    [{'n': 'm', 'm': 'n'}]
    """
    ours, theirs = _solve_alike([first, second], classes)
    names, others = first.template.unknowns, second.template.unknowns
    size = max(len(names), len(others))
    best: list[Match] = []
    most = -1, -1
    for order in permutations([*names, *[""] * (size - len(names))]):
        match = {other: name for other, name in zip(others, order, strict=False) if name}
        equal = sum(name in ours and ours[name] == theirs.get(other) for other, name in match.items())
        found = equal, 0 if equal == size else sum(other == name for other, name in match.items())
        if found > most:
            most, best = found, []
        if found == most and match not in best:
            best.append(match)
    return best


def _solve_alike(derivations: Sequence[Derivation], classes: NumberClasses) -> list[dict[str, Fraction]]:
    """Return the solutions of derivations for the same numbers: generic ones, or those of the text if need be."""
    places = {place for derivation in derivations for place in classes.of_places(derivation.places)}
    generic = dict(zip(sorted(places, key=_order), map(Fraction, POINT), strict=False))
    points = [
        [{slot: generic[classes.of_place(n.place)] for slot, n in d.alignment.items()} for d in derivations],
        [{slot: n.value for slot, n in d.alignment.items() if n.value is not None} for d in derivations],
    ]
    for point in points:
        try:
            solved = [d.template.solve(values) for d, values in zip(derivations, point, strict=True)]
        except (AlignmentError, LimitError):
            continue
        if all(solution.kind is SolutionKind.UNIQUE for solution in solved):
            return [solution.values for solution in solved]
    return [{} for _ in derivations]


def _read_forms(work: AnnotationState, asked: Sequence[str]) -> tuple[AskedForm, ...]:
    """Return what a work says is asked for, as forms."""
    unknowns, numbers = work.unknowns, [number.value or Fraction(0) for number in work.numbers]
    solution = {} if work.derivation is None else work.derivation.solve().values
    found: list[AskedForm] = []
    for expression in read_expressions(asked, unknowns, work.numbers):
        form = expression.form(numbers) or (Fraction(0),) * (len(unknowns) + 1)
        factors = frozenset((name, factor) for name, factor in zip(unknowns, form, strict=False) if factor)
        known = all(name in solution for name, _ in factors)
        value = value_at(form, [solution.get(name, Fraction(0)) for name in unknowns]) if known else None
        found.append((factors, form[-1], value))
    return tuple(found)


def _rename_forms(forms: Iterable[AskedForm], match: Match) -> Counter[Hashable]:
    """Return forms in the unknowns of another work; an unknown without a match keeps a name of its own."""
    return Counter(
        (frozenset((match.get(name, f"other {name}"), factor) for name, factor in factors), constant)
        for factors, constant, _ in forms
    )


def _own_forms(work: PlacedWork) -> Counter[Hashable]:
    return _rename_forms(work.asked or (), {name: name for name in work.derivation.template.unknowns})


def _ask_the_same(first: PlacedWork, second: PlacedWork, matches: Sequence[Match], *, equivalent: bool) -> bool:
    forms = _own_forms(first)
    if any(_rename_forms(second.asked or (), match) == forms for match in matches):
        return True
    values = [Counter(value for *_, value in work.asked or ()) for work in (first, second)]
    return not equivalent and values[0] == values[1] and None not in values[0]


@dataclass(frozen=True, slots=True)
class RolePair:
    """The roles of one unknown in two works."""

    unknown: str
    role: str
    other_unknown: str
    other_role: str
    fits: str  # the unknown of the first work whose role the second one fits best; empty if it fits none
    agrees: bool

    def describe(self, one: AnnotationState, other: AnnotationState) -> str:
        """Return the difference in words."""
        name = "" if self.unknown == self.other_unknown else f" {self.other_unknown} is"
        return (
            f"{self.unknown} is “{self.role}” for {one.annotator}, but{name} “{self.other_role}” for {other.annotator}"
        )


def _compare_roles(one: AnnotationState, other: AnnotationState, matches: Sequence[Match]) -> list[RolePair]:
    """Return the roles of the unknowns that both works name, under the match in which most agree."""
    return max([_pair_roles(one, other, match) for match in matches], key=lambda pairs: sum(p.agrees for p in pairs))


def _pair_roles(one: AnnotationState, other: AnnotationState, match: Match) -> list[RolePair]:
    """Return pairs of roles; a pair agrees if it shares a word, and neither role shares more with another unknown's.

    *Larger number* shares a word with *smaller number*, but two with *larger number*.
    """
    ours, theirs = dict(one.roles), dict(other.roles)
    shared = {(u, v): len(_content(ours[u]) & _content(theirs[v])) for u in ours for v in theirs}
    pairs = []
    for v, u in match.items():
        if u in ours and v in theirs:
            most = max(shared[name, v] for name in ours)
            fits = u if shared[u, v] == most else next(name for name in ours if shared[name, v] == most)
            agrees = 0 < shared[u, v] == most == max(most, *(shared[u, name] for name in theirs))
            pairs.append(RolePair(u, ours[u], v, theirs[v], fits if most else "", agrees))
    return sorted(pairs, key=lambda pair: pair.unknown)


def _content(role: str) -> frozenset[str]:
    """Return the stems of a role's words, without stop words unless it has no others."""
    words = re.findall(r"[^\W_]+", role.lower())
    return frozenset(map(stem, [word for word in words if word not in STOP_WORDS] or words))


Policy = Literal["adjudicated", "majority", "annotator"]
POLICIES: tuple[Policy, ...] = ("adjudicated", "majority", "annotator")


@dataclass(frozen=True, slots=True)
class Settled:
    """The final annotation of a problem."""

    entry: ProblemEntry
    work: AnnotationState | None  # the work that counts
    # ``automatic``, ``annotator``, ``agreed``, ``majority`` or ``adjudicated``; without work the reason: ``refused``,
    # ``flagged``, ``not submitted``, ``too few annotators`` or ``disagreement``
    how: str
    annotators: tuple[str, ...] = ()  # all who agree, or the adjudicator


TOO_FEW = "too few annotators"


def settle(
    store: Store, policy: Policy = "adjudicated", annotator: str | None = None, least: int | None = 1
) -> list[Settled]:
    """Return the final annotation of each problem, in the order of import.

    At least `least` annotators must have submitted or flagged a problem; with None, as many as the store gives it to.
    """
    if policy not in POLICIES:
        raise ChoiceError(f"expected a policy ({', '.join(POLICIES)}), but got {policy!r}")
    if (policy == "annotator") != (annotator is not None):
        raise AnnotationError("expected the name of an annotator with the policy 'annotator', and only with it")
    names = store.annotators()
    if annotator is not None:
        given = normal_name(annotator)
        annotator = same_name(given, names)
        if annotator is None:
            raise AnnotationError(f"Unknown annotator {given!r}: the store has {', '.join(names) or 'none yet'}")
    works = {id_: list(group) for id_, group in groupby(store.works(), key=lambda work: work.problem_id)}
    adjudicated: Mapping[ProblemId, AnnotationState] = {} if policy == "annotator" else store.adjudications()
    per_problem, ask_roles = store.annotators_per_problem, store.ask_roles
    found = []
    for entry in store.problems():
        own = [w for w in works.get(entry.stored.id, []) if annotator is None or w.annotator == annotator]
        # Only these are in the queues. Who confirms what the program decides alone is enough.
        is_queued = entry.status == "open" or (entry.status == "automatic" and ask_roles)
        is_queued = is_queued or any(work.submitted and work.is_own for work in own)
        wanted = least if least is not None else per_problem if is_queued else 1
        settled = _settle(entry, own, adjudicated.get(entry.stored.id), policy, wanted)
        if settled.how == "automatic" and settled.work is not None and not settled.work.is_complete:
            raise StoreError(
                f"{store.path}: problem {entry.stored.id}: the store says that nothing is left to decide, but "
                f"{settled.work.lacking()}; import it again"
            )
        found.append(settled)
    return found


def _settle(
    entry: ProblemEntry,
    works: Sequence[AnnotationState],
    adjudicated: AnnotationState | None,
    policy: Policy,
    least: int,
) -> Settled:
    if adjudicated is not None:
        if adjudicated.flagged is not None:
            return Settled(entry, None, "flagged", (adjudicated.annotator,))
        return Settled(entry, adjudicated, "adjudicated", (adjudicated.annotator,))
    submitted = [work for work in works if work.submitted]
    flagged = [work for work in works if work.flagged is not None]
    if not submitted:
        if flagged:
            return Settled(entry, None, "flagged", tuple(work.annotator for work in flagged))
        if entry.status == "automatic" and all(work.status == "untouched" for work in works):
            return Settled(entry, fresh_work(entry.stored, ""), "automatic")
        return Settled(entry, None, "refused" if entry.status == "refused" else "not submitted")
    if policy == "annotator":
        return Settled(entry, submitted[0], "annotator", (submitted[0].annotator,))
    votes = len(submitted) + len(flagged)
    if votes < least:
        return Settled(entry, None, TOO_FEW)
    largest = max(group_equal(submitted), key=len)
    names = tuple(work.annotator for work in largest)
    if len(largest) == votes:
        return Settled(entry, _fullest(largest), "agreed" if votes > 1 else "annotator", names)
    if policy == "majority" and 2 * len(largest) > votes:
        return Settled(entry, _fullest(largest), "majority", names)
    return Settled(entry, None, "disagreement")


def _fullest(works: Sequence[AnnotationState]) -> AnnotationState:
    """Return the first of equal works that says most of what is asked, of roles and of alternatives."""
    return max(works, key=lambda work: (work.asked is not None, len(work.roles), len(work.alternatives)))


def group_equal(works: Sequence[AnnotationState]) -> list[list[AnnotationState]]:
    """Return the submitted works of a problem, grouped by equal annotation."""
    groups: list[list[AnnotationState]] = []
    for work in works:
        for group in groups:
            # With all of a group: what one leaves unsaid, two others may say differently.
            if not any(compare(member, work).is_disputed for member in group):
                group.append(work)
                break
        else:
            groups.append([work])
    return groups


def open_disagreements(store: Store) -> list[list[AnnotationState]]:
    """Return the submitted and flagged works of each problem that needs an adjudicator: they differ, none decided."""
    adjudicated = store.adjudications()
    found = []
    for id_, group in groupby(store.works(), key=lambda work: work.problem_id):
        works = [work for work in group if work.is_done]
        submitted = [work for work in works if work.submitted]
        differ = len(submitted) < len(works) or len(group_equal(submitted)) > 1
        if submitted and differ and id_ not in adjudicated:
            found.append(works)
    return found


@dataclass(frozen=True, slots=True)
class Overview:
    """Progress of the annotation of a store."""

    problems: Mapping[str, int]  # by ``automatic``, ``open`` and ``refused``
    annotators_per_problem: int
    settled: Mapping[str, int]  # by `Settled.how`
    unsettled: Mapping[str, int]
    annotators: Mapping[str, Progress]
    refused: Mapping[ProblemId, str]  # messages
    flagged: Mapping[ProblemId, Mapping[str, str]]  # reasons, by problem and annotator
    disagreements: tuple[ProblemId, ...]  # problems that need an adjudicator

    def as_data(self) -> dict[str, Any]:
        """Return the overview as plain data."""
        return asdict(self)


def survey(store: Store) -> Overview:
    """Return the progress of a store."""
    entries, works = store.problems(), store.works()
    statuses = Counter(entry.status for entry in entries)
    outcomes = settle(store, least=None)
    adjudicators = {work.annotator for work in store.works(role="adjudicator")} - {work.annotator for work in works}
    flagged: dict[ProblemId, dict[str, str]] = {}
    for work in works:
        if work.flagged is not None:
            flagged.setdefault(work.problem_id, {})[work.annotator] = work.flagged
    return Overview(
        problems={status: statuses[status] for status in STATUSES},
        annotators_per_problem=store.annotators_per_problem,
        settled=dict(Counter(outcome.how for outcome in outcomes if outcome.work is not None)),
        unsettled=dict(Counter(outcome.how for outcome in outcomes if outcome.work is None)),
        annotators={name: store.progress(name) for name in store.annotators() if name not in adjudicators},
        refused={entry.stored.id: entry.message or "" for entry in entries if entry.status == "refused"},
        flagged=flagged,
        disagreements=tuple(works[0].problem_id for works in open_disagreements(store)),
    )


# Agreement, field by field. Raw agreement, as in the paper, is the share of agreeing pairs among the pairs of
# annotators who both submitted a problem. Alpha is Krippendorff's for nominal data (Computing Krippendorff's
# Alpha-Reliability, 2011, section C), computed exactly; it is not defined if all values are the same. Its units need
# values that mean the same in every problem: for the alignment, the rank of the chosen candidate of each open literal;
# for EquivTNum, the equivalence of each pair of equal numbers; for the template, its class; for what is asked, whether
# each unknown, and each other expression that somebody names, is asked for; for roles, the unknown of the first
# annotator whose role the words fit best. For stated derivations the alignment is whether each number is used. Whole
# derivations have no alpha. What is asked and roles are compared where both annotators have said them.


@dataclass(frozen=True, slots=True)
class FieldAgreement:
    """Agreement of annotators in one field."""

    agreeing: int  # pairs of works, or of roles, that agree
    compared: int  # pairs of works, or of roles
    alpha: Fraction | None = None  # Krippendorff's alpha; None where it is not defined
    units: int | None = None  # the judgements that alpha rests on

    @property
    def percent(self) -> float | None:
        """The raw percentage; None if nothing was compared."""
        return 100 * self.agreeing / self.compared if self.compared else None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two works on a problem that differ."""

    problem_id: ProblemId
    annotators: tuple[str, str]
    comparison: Comparison

    def as_data(self) -> dict[str, Any]:
        """Return the difference as plain data."""
        return {
            "id": self.problem_id,
            "annotators": list(self.annotators),
            "fields": list(self.comparison.differing),
            "details": list(self.comparison.details),
        }


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of annotators."""

    problems: int  # those that at least two annotators have submitted
    fields: Mapping[str, FieldAgreement]  # by `FIELDS`
    disagreements: tuple[Disagreement, ...]  # pairs of works for an adjudicator, in the order of the problems
    wordings: tuple[Disagreement, ...]  # pairs of works that differ only in the words of roles
    median_seconds: float | None  # of an annotator for a submitted problem
    seconds_by_annotator: Mapping[str, float]

    def as_data(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {
            "problems": self.problems,
            "fields": {
                name: {
                    "agreeing": field.agreeing,
                    "compared": field.compared,
                    "percent": field.percent,
                    "alpha": None if field.alpha is None else float(field.alpha),
                    "units": field.units,
                }
                for name, field in self.fields.items()
            },
            "median_seconds": self.median_seconds,
            "seconds_by_annotator": dict(self.seconds_by_annotator),
            "disagreements": [found.as_data() for found in self.disagreements],
            "wordings": [found.as_data() for found in self.wordings],
        }


def measure_agreement(works: Iterable[AnnotationState]) -> Agreement:
    """Return the agreement of annotators in their submitted works."""
    submitted = [work for work in works if work.submitted]
    by_problem = [list(group) for _, group in groupby(submitted, key=lambda work: work.problem_id)]
    overlapping = [group for group in by_problem if len(group) > 1]
    agreeing, compared = dict.fromkeys(FIELDS, 0), dict.fromkeys(FIELDS, 0)
    disagreements: list[Disagreement] = []
    wordings: list[Disagreement] = []
    units: dict[str, list[Sequence[Hashable]]] = {
        name: [] for name in ("alignment", "equiv_tnum", "template", "asked", ROLES)
    }
    for group in overlapping:
        for one, other in combinations(group, 2):
            comparison = compare(one, other)
            for field, (agree, of) in comparison.counts.items():
                agreeing[field] += agree
                compared[field] += of
            if comparison.differing:
                found = Disagreement(one.problem_id, (one.annotator, other.annotator), comparison)
                (disagreements if comparison.is_disputed else wordings).append(found)
        placed = [place_work(work, group[0]) for work in group]
        units["alignment"] += _alignment_units(placed)
        units["equiv_tnum"] += _group_units(placed)
        units["template"].append([canonical_key(work.derivation.template) for work in placed])
        units["asked"] += _asked_units([work for work in placed if work.asked is not None])
        units[ROLES] += _role_units([work for work in placed if work.work.roles])
    times: dict[str, list[float]] = {}
    for work in submitted:
        times.setdefault(work.annotator, []).append(work.seconds)
    return Agreement(
        problems=len(overlapping),
        fields={
            field: FieldAgreement(agreeing[field], compared[field], nominal_alpha(units[field]), len(units[field]))
            if field in units
            else FieldAgreement(agreeing[field], compared[field])
            for field in FIELDS
        },
        disagreements=tuple(disagreements),
        wordings=tuple(wordings),
        median_seconds=median(work.seconds for work in submitted) if submitted else None,
        seconds_by_annotator={name: median(seconds) for name, seconds in times.items()},
    )


def _alignment_units(placed: Sequence[PlacedWork]) -> Iterator[list[Hashable]]:
    """Yield, for each literal that was a question, the ranks of the candidates that annotators chose.

    If a derivation is stated: for each number of the text, whether annotators use it.
    """
    classes = common_classes(placed)
    if any(work.work.stated is not None for work in placed):
        used = [_used(work, classes) for work in placed]
        numbers = {classes.of_place(number.place) for number in placed[0].work.numbers}
        for place in sorted(numbers.union(*used), key=_order):
            yield ["used" if place in own else "not used" for own in used]
        return
    # If derivations are equivalent, their literals count as aligned like those of the first of them.
    alike = [
        next(first for first in placed if derivations_equivalent(work.derivation, first.derivation, classes))
        for work in placed
    ]
    for span in sorted({span for work in placed for span in work.origins}):
        candidates = _candidates(placed[0], span, classes)
        values = [_which(work, span, candidates, classes) for work in alike]
        # A literal that was not a question counts only if someone has changed it.
        if len(candidates) > 1 or len(set(values)) > 1:
            yield values


def _candidates(work: PlacedWork, span: Span, classes: NumberClasses) -> list[Place | None]:
    """Return the possible places of a literal in the text used for comparing, each class once."""
    proposal = work.work.proposal
    for literal in () if proposal is None else proposal.literals:
        if (literal.start, literal.end) == span:
            places = [None if o.number is None else classes.of_place(o.number.place) for o in literal.origins]
            return list(dict.fromkeys(places))
    return []


def _which(work: PlacedWork, span: Span, candidates: Sequence[Place | None], classes: NumberClasses) -> Hashable:
    if span not in work.origins:
        return "no literal"
    place = work.origins[span]
    place = None if place is None else classes.of_place(place)
    return candidates.index(place) if place in candidates else ("other", place)


def _group_units(placed: Sequence[PlacedWork]) -> Iterator[list[Hashable]]:
    """Yield, for each pair of equal numbers, the judgements of equivalence."""
    values = {number.place: number.value for number in placed[0].work.numbers}
    pairs = {frozenset(pair) for pair in combinations(values, 2) if values[pair[0]] == values[pair[1]]}
    pairs |= {frozenset(pair) for r in placed for group in r.groups for pair in combinations(group, 2)}
    for pair in pairs:
        yield [any(pair <= group for group in work.groups) for work in placed]


def _asked_units(placed: Sequence[PlacedWork]) -> Iterator[list[Hashable]]:
    """Yield, for each unknown of the first work and every other expression, whether it is asked for."""
    if len(placed) < 2:
        return
    first = placed[0]
    forms = _own_forms(first)
    listed = [forms]
    for work in placed[1:]:
        classes = common_classes([first, work])
        matches = match_unknowns(first.derivation, work.derivation, classes)
        equivalent = derivations_equivalent(first.derivation, work.derivation, classes)
        same = _ask_the_same(first, work, matches, equivalent=equivalent)
        renamed = [_rename_forms(work.asked or (), match) for match in matches]
        listed.append(forms if same else max(renamed, key=lambda own: (own & forms).total()))
    unknowns = [(frozenset({(name, Fraction(1))}), Fraction(0)) for name in first.derivation.template.unknowns]
    every: dict[Hashable, None] = dict.fromkeys([*unknowns, *(form for own in listed for form in own)])
    for form in every:
        yield ["asked" if form in own else "not asked" for own in listed]


def _role_units(placed: Sequence[PlacedWork]) -> Iterator[list[Hashable]]:
    """Yield, for each role of the first work, the unknown whose role in that work each annotator's words fit."""
    if len(placed) < 2:
        return
    first = placed[0]
    fits: dict[str, list[Hashable]] = {unknown: [unknown] for unknown, _ in first.work.roles}
    for work in placed[1:]:
        matches = match_unknowns(first.derivation, work.derivation, common_classes([first, work]))
        for pair in _compare_roles(first.work, work.work, matches):
            fits[pair.unknown].append(pair.fits)
    yield from (values for values in fits.values() if len(values) > 1)


def nominal_alpha(units: Iterable[Sequence[Hashable]]) -> Fraction | None:
    """Return alpha of the values that units were given, each unit by any number of annotators.

    >>> alpha = nominal_alpha(["ab", "aa", "bb", "bb", "db", "cc", "cc", "cc", "ee", "dd", "dd", "ad"])
    >>> alpha, f"{float(alpha):.3f}"
    (Fraction(155, 224), '0.692')
    """
    total: Counter[Hashable] = Counter()
    unequal_within = Fraction(0)
    for values in units:
        size = len(values)
        if size < 2:
            continue
        counts = Counter(values)
        total.update(counts)
        unequal_within += Fraction(_unequal_pairs(counts), size - 1)
    unequal = _unequal_pairs(total)
    if not unequal:
        return None
    return 1 - (total.total() - 1) * unequal_within / unequal


def _unequal_pairs(counts: Counter[Hashable]) -> int:
    """Return the number of ordered pairs of unequal values."""
    return counts.total() ** 2 - sum(count * count for count in counts.values())


# An exported row also has ``annotated`` (how it was settled), ``annotators``, the other imported fields, and the
# imported text if an annotator has edited it.


EDITED_FROM = "edited_from"


@dataclass(frozen=True, slots=True)
class Exported:
    """Annotated rows of a store."""

    rows: tuple[dict[str, Any], ...]  # in the order of import
    counts: Mapping[str, int]  # rows by `Settled.how`
    left_out: Mapping[str, tuple[ProblemId, ...]]  # problems that are not settled, by reason


def export_rows(settled: Iterable[Settled]) -> Exported:
    """Return the rows of settled problems."""
    rows: list[dict[str, Any]] = []
    counts: Counter[str] = Counter()
    left_out: dict[str, list[ProblemId]] = {}
    for one in settled:
        if one.work is None:
            left_out.setdefault(one.how, []).append(one.entry.stored.id)
            continue
        counts[one.how] += 1
        row = one.work.problem().to_row() | {"annotated": one.how, "annotators": list(one.annotators)}
        row |= {name: value for name, value in one.entry.stored.extra.items() if name not in row}
        if one.work.question != one.work.original:
            row[EDITED_FROM] = one.work.original
        rows.append(row)
    return Exported(tuple(rows), dict(counts), {why: tuple(ids) for why, ids in left_out.items()})


def as_columns(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return an exported row for a table: fields that not every row has become one JSON string.

    >>> as_columns({"id": 1, "question": "…", "annotated": "automatic", "source": {"page": 3}})
    {'id': 1, 'question': '…', 'annotated': 'automatic', 'extra': '{"source": {"page": 3}}'}
    """
    extra = {name: value for name, value in row.items() if name not in FIXED}
    return {**{name: value for name, value in row.items() if name in FIXED}, "extra": json_line(extra).rstrip("\n")}
