"""Defects of one problem, of a list of problems, and of whole datasets with their splits.

A defect is a `Finding`: a code that does not change between versions, the problem, and a message. For a problem that
cannot be read, only its annotations are checked. A check of one problem returns its message, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isclose
from types import MappingProxyType
from typing import NamedTuple

from draw_dataset.algebra.grammar import Source, Token
from draw_dataset.algebra.limits import comparison_budget
from draw_dataset.algebra.linear import primitive_vector
from draw_dataset.algebra.number import equals_stored, exact, short_number
from draw_dataset.algebra.polynomial import POINT, PRIME, factors
from draw_dataset.algebra.solution import SolutionKind, regular_point, solution_set
from draw_dataset.algebra.system import System, system_of
from draw_dataset.derivation.consistent import Choices, Piece, find_pieces, is_rounding, read_equations, replace_pieces
from draw_dataset.derivation.derivation import Derivation, Place
from draw_dataset.derivation.equivalence import canonical_key, same_solutions
from draw_dataset.derivation.problem import Problem, read_asked
from draw_dataset.errors import DrawError, LimitError, NotLinearError, RowError
from draw_dataset.text.numbers import find_numbers, locate_numbers, number_words_of
from draw_dataset.text.similarity import NearDuplicates

# Annotations that do not fit the text: numbers, values and Equiv groups.


def number_missed(problem: Problem) -> str | None:
    """Find aligned tokens that the rules for numbers do not see."""
    found = {(n.sentence, n.token) for n in find_numbers(problem.question, number_words_of(problem))}
    missed = [a for a in problem.alignment if (a.sentence, a.token) not in found]
    if not missed:
        return None
    return "expected numbers that the rules find, but got " + ", ".join(
        f"slot {a.slot} at {_where((a.sentence, a.token))}" for a in missed
    )


def value_mismatch(problem: Problem) -> str | None:
    """Find annotated values that do not stand on their tokens."""
    try:
        numbers, _ = locate_numbers(
            problem.question,
            {(a.sentence, a.token): exact(a.value) for a in problem.alignment},
            number_words_of(problem),
        )
    except RowError as error:
        return str(error)
    value_at = {number.place: number.value for number in numbers}
    for a in problem.alignment:
        value = value_at[a.sentence, a.token]
        if value is not None and not equals_stored(a.value, value):
            return f"slot {a.slot}: expected {value}, the value at {_where((a.sentence, a.token))}, but got {a.value}"
    return None


def equiv_token(problem: Problem) -> str | None:
    """Find members of Equiv groups that are not numbers, or have another value than their group."""
    # Broad, because an annotator may call an article the same as an aligned number.
    known: dict[Place, Fraction | None] = {
        (n.sentence, n.token): n.value for n in find_numbers(problem.question, "broad")
    }
    known |= {number.place: number.value for number in problem.numbers}
    aligned = {(a.sentence, a.token) for a in problem.alignment}
    for group in problem.equiv_tnum:
        for member in group:
            if member.place not in known:
                return f"there is no number at {_where(member.place)}"
        # The value of a group is that of its aligned number; of its first number if none is aligned.
        leading = sorted(group, key=lambda member: member.place not in aligned)
        wanted = known[leading[0].place] if leading else None
        for member in group:
            for got in (known[member.place], member.value):
                if got is not None and wanted is not None and not equals_stored(got, wanted):
                    return f"expected the value {wanted} of the group, but got {got} at {_where(member.place)}"
    return None


def equiv_joins_slots(problem: Problem) -> str | None:
    """Find Equiv groups that hold the numbers of two slots."""
    slot_at: dict[Place, str] = {(a.sentence, a.token): a.slot for a in problem.alignment}
    for group in problem.equiv_tnum:
        joined = [slot_at[member.place] for member in group if member.place in slot_at]
        if len(joined) > 1:
            return f"expected a group with the number of one slot, but got those of {', '.join(sorted(joined))}"
    return None


def _where(place: Place) -> str:
    return f"sentence {place[0]}, token {place[1]}"


# Derivability. A *reading* of the equations says of each literal that it came from a slot, or is a constant. Gold is
# derivable if under some reading the equations have the solutions of its template, as functions of the slots, and every
# slot is used. Readings are more generous than consistent derivations, because annotators were: a literal may stay a
# constant though the text has its value, may be another form of a slot (`FORMS`), and a quotient such as ``3/4`` may be
# one slot. A literal that is divided by may be the reciprocal of a slot, as the 2 of ``x/2`` is of a half. Each reading
# is solved at one point of a prime field; a hit there is proved by exact comparison.


MAX_READINGS = 200_000  # of one problem
MAX_PROOFS = 2_000  # exact comparisons; only a system that is not regular needs more than a few

FORMS = (Fraction(-1), Fraction(1, 100), Fraction(100))
"""Factors between a number and a literal that comes from it: the opposite, a percentage, an amount in cents."""

_PART_FORMS = (Fraction(1), Fraction(1, 100))
"""Factors between a number and a divisor that is its reciprocal: a part, or a percentage."""


@dataclass(frozen=True, slots=True)
class _Meaning:
    """Meaning of a piece under a reading: `factor` times a slot, or the constant `factor` without one."""

    slot: int | None
    factor: Fraction
    is_reciprocal: bool = False  # one divided by that


def is_derivable(equations: Sequence[str], gold: Derivation) -> bool:
    """Return True if some reading of the equations is the gold derivation."""
    source, _ = read_equations(equations)
    if len(source.unknowns) != len(gold.template.unknowns):
        return False
    values = [gold.alignment[slot].value for slot in gold.template.slots]
    pieces = find_pieces(source)
    joined = find_pieces(source, lambda value: value in values)
    ways = [pieces] if joined == pieces else [pieces, joined]
    return any(_has_reading(source, way, values, gold) for way in ways)


def _has_reading(source: Source, pieces: Sequence[Piece], values: Sequence[Fraction | None], gold: Derivation) -> bool:
    tokens = source.tokens
    divided = [piece.start > 0 and tokens[piece.start - 1] == "/" for piece in pieces]
    readings = Choices(
        [_meanings(piece.value, values, is_divisor=below) for piece, below in zip(pieces, divided, strict=True)]
    )
    if readings.count > MAX_READINGS:
        raise LimitError(f"expected at most {MAX_READINGS} readings of the equations, but got more")
    everything = set(range(len(values)))
    proofs = 0
    for reading in _promising(source, pieces, readings, gold):
        if {meaning.slot for meaning in reading} - {None} != everything:
            continue
        proofs += 1
        if proofs > MAX_PROOFS:
            raise LimitError(f"expected at most {MAX_PROOFS} readings to compare exactly, but got more")
        system = system_of(_ground(source, pieces, reading, gold.template.slots))
        if same_solutions(system, gold.template.system, tuple(range(len(values)))):
            return True
    return False


def _meanings(value: Fraction, values: Sequence[Fraction | None], *, is_divisor: bool) -> list[_Meaning]:
    found: list[_Meaning] = []
    for slot, known in enumerate(values):
        if known is None:
            continue
        if known == value or is_rounding(value, known):
            found.append(_Meaning(slot, Fraction(1)))
        elif value:
            found += [_Meaning(slot, form) for form in FORMS if known * form == value]
            if is_divisor and value != 1:
                found += [_Meaning(slot, form, True) for form in _PART_FORMS if known * form * value == 1]
    return [*found, _Meaning(None, value)]


def _promising(
    source: Source, pieces: Sequence[Piece], readings: Choices[_Meaning], gold: Derivation
) -> Iterator[tuple[_Meaning, ...]]:
    """Yield the readings that give the gold solution at one point; all of them if the point decides nothing."""
    wanted = _solution_at(gold.template.system, POINT)
    # Every piece has a slot of its own.
    slots: list[list[Token]] = [[2 * i] for i in range(len(pieces))]
    names = tuple(f"piece{i}" for i in range(len(pieces)))
    generic = system_of(Source(source.text, replace_pieces(source, pieces, slots), names, source.unknowns))
    residue_of = {meaning: _residue(meaning) for options in readings.options for meaning in options}
    for reading in readings:
        found = _solution_at(generic, [residue_of[meaning] for meaning in reading])
        if wanted is None or found is None or found == wanted:
            yield reading


def _solution_at(system: System, point: Sequence[int]) -> list[int] | None:
    vector = regular_point(system, point)
    if vector is None:
        return None
    inverse = pow(vector[-1], -1, PRIME)
    return sorted(h * inverse % PRIME for h in vector[:-1])


def _residue(meaning: _Meaning) -> int:
    factor = meaning.factor.numerator * pow(meaning.factor.denominator, -1, PRIME)
    residue = factor * (1 if meaning.slot is None else POINT[meaning.slot]) % PRIME
    return pow(residue, -1, PRIME) if meaning.is_reciprocal else residue


def _ground(source: Source, pieces: Sequence[Piece], reading: Sequence[_Meaning], slots: tuple[str, ...]) -> Source:
    """Return the equations with every piece replaced by its meaning under a reading."""
    written: list[list[Token]] = []
    for meaning in reading:
        factor = meaning.factor
        sign: list[Token] = ["-"] if factor < 0 else []
        slot: list[Token] = [] if meaning.slot is None else ["*", 2 * meaning.slot]
        value: list[Token] = ["(", *sign, str(abs(factor.numerator)), *slot, "/", str(factor.denominator), ")"]
        written.append(["(", "1", "/", *value, ")"] if meaning.is_reciprocal else value)
    return Source(source.text, replace_pieces(source, pieces, written), slots, source.unknowns)


# Gold derivations that do not fit their solutions and equations, or have slots without effect; see `unreadable`.


# Tolerances of gold solutions, relative and absolute. Not `is_rounded`: numeric solvers gave most gold solutions, as
# 24.9998 for 25, so their last digits are noise.
ROUNDED, ZERO = 1e-3, 1e-6


def unreadable(problem: Problem) -> str | None:
    """Find gold that cannot be read at all."""
    try:
        _ = problem.derivation
        _ = problem.number_classes
        read_equations(problem.equations)
        read_asked(problem)
    except DrawError as error:
        return str(error)
    return None


def solution_mismatch(problem: Problem) -> str | None:
    """Find a template that with its numbers has no unique solution, or another than the gold one."""
    derivation = problem.derivation
    unknown = [slot for slot, number in derivation.alignment.items() if number.value is None]
    if unknown:
        return f"expected a number for each slot, but slot {unknown[0]} has none"
    solution = derivation.solve()
    if solution.kind is not SolutionKind.UNIQUE:
        return f"expected one solution, but the grounded template has {solution.kind}"
    got = [float(value) for value in solution.numbers]
    wanted = sorted(problem.solutions)
    if len(got) == len(wanted) and all(
        isclose(g, w, rel_tol=ROUNDED, abs_tol=ZERO) for g, w in zip(got, wanted, strict=True)
    ):
        return None
    return f"expected the solutions {list_numbers(wanted)}, but the grounded template gives {list_numbers(got)}"


def list_numbers(values: Iterable[float | Fraction]) -> str:
    """Return numbers as text, separated by commas."""
    return ", ".join(map(short_number, values))


def not_derivable(problem: Problem) -> str | None:
    """Find a derivation that no reading of the equations gives."""
    try:
        if is_derivable(problem.equations, _as_written(problem)):
            return None
    except (NotLinearError, LimitError) as error:
        return f"undecided: {error}"
    return "expected a derivation that some reading of the equations gives, but got another"


def _as_written(problem: Problem) -> Derivation:
    """Return the gold derivation with the values that stand in the text: a wrong annotated value is another defect."""
    known = {number.place: number for number in problem.numbers}
    gold = problem.derivation
    return Derivation(gold.template, {slot: known.get(n.place, n) for slot, n in gold.alignment.items()})


def slot_cancels(problem: Problem) -> str | None:
    """Find slots that do not influence the solution."""
    template = problem.derivation.template
    solutions = solution_set(template.system)
    if solutions.kind is SolutionKind.NONE:
        return None
    rows = [solutions.vector] if solutions.kind is SolutionKind.UNIQUE else solutions.rows
    # Without a common factor, a slot that influences nothing does not occur.
    reduced = [primitive_vector(row, comparison_budget()) for row in rows]
    used = {index for row in reduced for polynomial in row for monomial in polynomial for index in factors(monomial)}
    idle = [slot for index, slot in enumerate(template.slots) if index not in used]
    return f"expected slots that matter, but got {', '.join(idle)}" if idle else None


# Repeated problems. Two texts are the same if their numbers have equal values and their letters and digits agree, apart
# from case, spacing and punctuation. Each function returns messages by position in the list.


Messages = dict[int, str]


class ProblemPlace(NamedTuple):
    """A problem with its dataset and split."""

    dataset: str
    split: str
    problem: Problem


def duplicate_id(problems: Sequence[Problem]) -> Messages:
    """Find ids that several problems have."""
    return {
        at: f"expected an id of its own, but {len(group)} problems have it"
        for group in _groups(problems, lambda p: p.id)
        for at in group
    }


def duplicate_text(problems: Sequence[Problem]) -> Messages:
    """Find texts that several problems of different ids have."""
    return {
        at: f"expected a text that no other problem has, but got that of {_others(problems, group, at)}"
        for group in _groups(problems, text_key)
        for at in group
        if _others(problems, group, at)
    }


def other_gold(problems: Sequence[Problem]) -> Messages:
    """Find problems of one text whose gold templates are not equivalent."""
    messages: Messages = {}
    for group in _groups(problems, text_key):
        keys = {at: canonical_key(problems[at].template) for at in group}
        for at in group:
            others = _others(problems, [other for other in group if keys[other] != keys[at]], at)
            if others:
                messages[at] = f"expected an equivalent template, but {others}, with the same text, has another"
    return messages


def near_duplicates(places: Sequence[ProblemPlace]) -> dict[str, Messages]:
    """Find problems that are nearly the same as one of another dataset, or of another split, by code."""
    partners: dict[str, dict[int, list[str]]] = {"near-duplicate-dataset": {}, "near-duplicate-split": {}}
    seen = NearDuplicates()
    for second, (dataset, split, problem) in enumerate(places):
        for first, likeness in seen.add(problem.question, problem.numbers):
            other = places[first]
            if (dataset, split) == (other.dataset, other.split):
                continue
            found = partners["near-duplicate-dataset" if dataset != other.dataset else "near-duplicate-split"]
            found.setdefault(first, []).append(f"{dataset}/{split}/{problem.id} ({likeness:.2f})")
            name = f"{other.dataset}/{other.split}/{other.problem.id} ({likeness:.2f})"
            found.setdefault(second, []).append(name)
    return {
        code: {
            at: f"expected a problem unlike all others, but it is nearly {', '.join(names)}"
            for at, names in messages.items()
        }
        for code, messages in partners.items()
    }


def id_order(id_: int | str) -> tuple[bool, int | str]:
    """Return the sort key of an id: numbers by their value, before texts."""
    return (isinstance(id_, str), id_)


def text_key(problem: Problem) -> tuple[str, tuple[Fraction | None, ...]]:
    """Return a key that is equal for two problems exactly if their texts are the same."""
    letters = "".join(character for character in problem.question.casefold() if character.isalnum())
    return letters, tuple(number.value for number in problem.numbers)


def _groups(problems: Sequence[Problem], key: Callable[[Problem], Hashable]) -> list[list[int]]:
    found: dict[Hashable, list[int]] = {}
    for at, problem in enumerate(problems):
        found.setdefault(key(problem), []).append(at)
    return [group for group in found.values() if len(group) > 1]


def _others(problems: Sequence[Problem], group: Sequence[int], at: int) -> str:
    ids = {problems[other].id for other in group} - {problems[at].id}
    return ", ".join(str(id_) for id_ in sorted(ids, key=id_order))


CODES: Mapping[str, str] = MappingProxyType(
    {
        "unreadable": "the equations, the template, the alignment, the Equiv groups or what is asked cannot be read",
        "number-missed": "an aligned token that the rules for numbers do not find",
        "value-mismatch": "an annotated value that is not at its token",
        "solution-mismatch": "the grounded template does not give the solutions",
        "not-derivable": "no reading of the equations gives the derivation",
        "reviewed-wrong": "a derivation that a reader found wrong (release only)",
        "reviewed-wrong-equations": "a derivation that a reader found wrong with its equations (release only)",
        "reviewed-arguable": "a text that allows another derivation too, which is in alternatives (release only)",
        "equiv-token": "a member of an Equiv group that is not a number, or has another value than the group",
        "equiv-joins-slots": "an Equiv group that holds the numbers of two slots",
        "slot-cancels": "a slot that does not influence the solution",
        "duplicate-id": "an id that another problem has",
        "duplicate-text": "the text of another problem of the dataset",
        "other-gold": "the text of another problem, with a gold template that is not equivalent",
        "near-duplicate-dataset": "nearly the text of a problem of another dataset, with the same numbers",
        "near-duplicate-split": "nearly the text of a problem of another split, with the same numbers",
    }
)
"""Every code with its meaning, in the order of reports."""

UNTRUSTED = frozenset(
    {
        "unreadable", "value-mismatch", "solution-mismatch", "not-derivable", "reviewed-wrong",
        "reviewed-wrong-equations", "equiv-token",
    }
)  # fmt: skip
"""The codes of a gold that is not to be trusted: nothing may be made of it as if it were right."""

LASTING = frozenset({"number-missed", "equiv-joins-slots", "slot-cancels"})
"""The codes that stay true of a trusted gold with other numbers; the others are about its text."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A defect of a problem."""

    code: str  # one of `CODES`
    problem_id: int | str
    message: str  # expected and got, without quoting the text


Splits = Mapping[str, Sequence[Problem]]

_OF_ANNOTATION: dict[str, Callable[[Problem], str | None]] = {
    "number-missed": number_missed,
    "value-mismatch": value_mismatch,
    "equiv-token": equiv_token,
    "equiv-joins-slots": equiv_joins_slots,
}
_OF_REASONING: dict[str, Callable[[Problem], str | None]] = {
    "solution-mismatch": solution_mismatch,
    "not-derivable": not_derivable,
    "slot-cancels": slot_cancels,
}
_ORDER = {code: position for position, code in enumerate(CODES)}


def check_problem(problem: Problem) -> list[Finding]:
    """Return the defects that one problem has by itself."""
    message = unreadable(problem)
    findings = [Finding("unreadable", problem.id, message)] if message else []
    checks = _OF_ANNOTATION if message else _OF_ANNOTATION | _OF_REASONING
    for code, check in checks.items():
        message = check(problem)
        if message:
            findings.append(Finding(code, problem.id, message))
    return in_order(findings)


def check_problems(problems: Sequence[Problem], *, progress: bool = False) -> list[Finding]:
    """Return the defects of a list of problems: of each by itself, and problems that are there twice."""
    return check_datasets({"problems": {"all": problems}}, progress=progress)["problems"]


def check_datasets(datasets: Mapping[str, Splits], *, progress: bool = False) -> dict[str, list[Finding]]:
    """Return the defects of datasets, each divided into splits, near duplicates between them included."""
    from tqdm import tqdm  # imported here, so that the command line starts fast

    places = [
        ProblemPlace(dataset, split, problem)
        for dataset, splits in datasets.items()
        for split in splits
        for problem in splits[split]
    ]
    problems = [problem for _, _, problem in places]
    findings: dict[str, list[Finding]] = {dataset: [] for dataset in datasets}
    readable: list[int] = []
    for at, (dataset, _, problem) in enumerate(tqdm(places, "checking", unit=" problems", disable=not progress)):
        found = check_problem(problem)
        findings[dataset] += found
        if not any(finding.code == "unreadable" for finding in found):
            readable.append(at)
    for dataset in datasets:
        own = [problem for name, _, problem in places if name == dataset]
        for code, messages in (("duplicate-id", duplicate_id(own)), ("duplicate-text", duplicate_text(own))):
            findings[dataset] += [Finding(code, own[at].id, message) for at, message in messages.items()]
    for at, message in other_gold([problems[at] for at in readable]).items():
        dataset, _, problem = places[readable[at]]
        findings[dataset].append(Finding("other-gold", problem.id, message))
    for code, messages in near_duplicates(places).items():
        for at, message in messages.items():
            findings[places[at][0]].append(Finding(code, problems[at].id, message))
    return {dataset: in_order(found) for dataset, found in findings.items()}


def codes_by_id(findings: Iterable[Finding]) -> dict[int | str, tuple[str, ...]]:
    """Return the codes of each problem that has any, sorted."""
    found: dict[int | str, set[str]] = {}
    for finding in sorted(findings, key=lambda finding: id_order(finding.problem_id)):
        found.setdefault(finding.problem_id, set()).add(finding.code)
    return {id_: tuple(sorted(codes)) for id_, codes in found.items()}


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings in the order of reports: by code, then by problem."""
    return sorted(findings, key=lambda finding: (_ORDER[finding.code], id_order(finding.problem_id)))
