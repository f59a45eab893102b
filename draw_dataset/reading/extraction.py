"""Extraction of the equations of a question from explanations that people or programs wrote for it.

Each explanation is read by itself, since some on a page are about another problem; `_rank` chooses between them. The
problem's own equations come first and use the numbers of the question, so statements are ordered by missing literals,
certainty and place, and the smallest set of the first ones that determines its unknowns is taken. Every certain
statement about the same unknowns must hold for the solution, up to rounding. A doubtful reading is used only if another
statement confirms the solution. If most numbers of the set are not those of the question, or the explanation begins
with an equation that has other numbers, the equations are steps or belong to another problem, and none are returned.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction

from draw_dataset.algebra.linear import Elimination
from draw_dataset.algebra.number import CARRIED_ROUNDING
from draw_dataset.reading.expressions import WrittenNumber
from draw_dataset.reading.plain import MAX_CHARACTERS
from draw_dataset.reading.statements import MORE_READINGS, Kind, Statement, residual, statements_of
from draw_dataset.text.numbers import find_numbers
from draw_dataset.text.tokens import Spotter

# A literal is *covered* if the text has its value, as it is, as a percentage or in cents: .08 for 8%, 575 for $5.75. It
# is *free* if equations need it anyway: 0, 1, 2, 100, the value of a coin that is named, the months of a year. Anything
# else is *missing*: it is the result of a calculation, or belongs to another problem.


_ALWAYS = frozenset(map(Fraction, (0, 1, 2, 100))) | {Fraction(1, 100)}
_SMALL = frozenset(map(Fraction, (0, 1, 2, 3)))
_BY_WORD: tuple[tuple[Spotter, tuple[Fraction, ...]], ...] = tuple(
    (Spotter.of(pattern, words), tuple(map(Fraction, values)))
    for pattern, words, values in (
        (r"penn(?:y|ies)|cents?\b|\bcoins?\b", "penn cent coin", ("1", "0.01")),
        (r"nickel", "nickel", ("5", "0.05")),
        (r"dime", "dime", ("10", "0.1")),
        (r"quarter", "quarter", ("25", "0.25", "4")),
        (r"half.dollar", "half", ("50", "0.5")),
        (r"coins|change\b", "coins change", ("5", "10", "25", "0.05", "0.1", "0.25")),
        (r"dozen", "dozen", ("12",)),
        (r"consecutive", "consecutive", ("3", "4", "5", "6", "8")),
        (r"hour|minute|\bseconds\b|per second|\bhrs?\b|\bmin\b|[ap]\.?m\b", "hour min second hr am a.m pm p.m",
         ("60", "3600")),
        (r"year|month|annual", "year month annual", ("12",)),
        (r"week|day", "week day", ("7", "24")),
        (r"inch|feet|foot|yard", "inch feet foot yard", ("12", "3", "36")),
        (r"triangle|supplement|angle", "angle supplement", ("180", "90", "360", "3")),
        (r"complement", "complement", ("90",)),
        (r"square|rectang", "square rectang", ("4",)),
        (r"digit", "digit", ("10", "11", "9", "99")),
        (r"average|mean", "average mean", ("3", "4", "5")),
        (r"pound|ounce", "pound ounce", ("16",)),
        (r"triple|thrice", "triple thrice", ("3",)),
        (r"twice|double|half", "twice double half", ("0.5",)),
        (r"quadruple", "quadruple", ("4",)),
        (r"chicken|duck|bird|cow|horse|sheep|pig|goat|legs|wheel",
         "chicken duck bird cow horse sheep pig goat legs wheel", ("4", "3")),
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Coverage:
    """The literals of some equations, by their origin."""

    covered: frozenset[Fraction] = frozenset()  # the numbers of the question that they use
    missing: tuple[Fraction, ...] = ()  # the literals that neither the question nor custom explains
    derived: tuple[Fraction, ...] = ()  # 1 plus or minus a percentage of the question: .85 for 15% off


class QuestionNumbers:
    """The numbers of a question, and those that its words bring along.

    >>> numbers = QuestionNumbers("20 coins, nickels and dimes, are worth $1.45.")
    >>> numbers.cover([(Fraction(5, 100),), (Fraction(145),), (Fraction(7),)]).missing
    (Fraction(7, 1),)
    """

    __slots__ = ("_counted", "_free", "_origins", "_values")

    def __init__(self, question: str) -> None:
        self._values = frozenset(number.value for number in find_numbers(question[:20_000]))
        self._counted = self._values - _SMALL
        low = question.lower()
        self._free = _ALWAYS | {value for word, values in _BY_WORD if word.search(question, low) for value in values}
        self._origins: dict[Fraction, Fraction | None] = {}

    def share(self, covered: frozenset[Fraction]) -> Fraction:
        """Return the share of covered numbers of the question, small counts as in "two numbers" aside."""
        counted = self._counted
        return Fraction(len(covered & counted), len(counted)) if counted else Fraction(1)

    def cover(self, literals: Iterable[WrittenNumber]) -> Coverage:
        """Return the coverage of the literals of an equation."""
        covered: set[Fraction] = set()
        missing: list[Fraction] = []
        derived: list[Fraction] = []
        for whole, *parts in literals:
            if parts and whole in self._values:
                covered.add(whole)
                continue
            for literal in parts or [whole]:
                origin = self._origin(literal)
                if origin is not None:
                    covered.add(origin)
                elif literal in self._free:
                    continue
                elif literal < 2 and abs(literal - 1) * 100 in self._values:
                    derived.append(literal)
                else:
                    missing.append(literal)
        return Coverage(frozenset(covered), tuple(missing), tuple(derived))

    def _origin(self, literal: Fraction) -> Fraction | None:
        """Return the number of the text that a literal is, as it stands, as a percentage, in cents, or as a divisor."""
        # Cached, because the equations of one explanation have the same few literals.
        if literal not in self._origins:
            options = [literal, literal * 100, literal / 100]
            if literal.denominator == 1 and literal > 2:
                options.append(1 / literal)
            self._origins[literal] = next((value for value in options if value in self._values), None)
        return self._origins[literal]


# Selection: statements are taken in order, each if those taken do not imply it, until the unknowns of a connected group
# are determined: as many statements as unknowns, since none implies another. After that a statement is taken only if it
# adds one unknown and an unused number of the question.

# The coverage of each statement by its id, because equal statements may stand in several lines.
Coverages = Mapping[int, Coverage]
MAX_TAKEN = 20  # statements among which a group is searched; a word problem has few unknowns


class Refusal(StrEnum):
    """Why an explanation gives no equations."""

    NO_EXPLANATION = "no explanation"
    NO_EQUATION = "no equation was found"
    ONLY_ANSWER = "only the answer is given"
    NOT_LINEAR = "an equation is not linear"
    CONTRADICTION = "statements contradict each other"
    UNITS = "units of different size are mixed in one equation"
    NUMBERS = "numbers of the equations are not in the question"
    UNDETERMINED = "the equations do not determine their unknowns"
    DOUBTFUL = "an equation could be read in more than one way and nothing confirms the reading"


def _covered(statements: Iterable[Statement], coverage: Coverages) -> frozenset[Fraction]:
    """Return the numbers of the question that some statements use."""
    return frozenset().union(*(coverage[id(s)].covered for s in statements))


def _unknowns(statements: Iterable[Statement]) -> set[str]:
    return {name for s in statements if s.linear for name in s.linear.coefficients}


def count_foreign(coverage: Coverage) -> int:
    """Return the number of literals that the question does not have as they are."""
    return len(coverage.missing) + len(coverage.derived)


def choose_group(
    order: Sequence[Statement], coverage: Coverages, usable: Sequence[Statement]
) -> list[Statement] | Refusal:
    """Return the first group of statements that determines its unknowns, extended by statements with new numbers."""
    taken: list[Statement] = []
    elimination: Elimination[str] = Elimination()
    group: list[Statement] = []
    for statement in order:
        if statement.linear is None:
            continue
        rest, constant = elimination.reduce(*statement.linear.form)
        if not rest:
            if constant and not statement.doubt and not nearly_holds(statement, elimination.values()):
                return Refusal.CONTRADICTION
        elif not group:
            if statement.doubt and _is_refuted(statement, usable):
                continue
            taken.append(statement)
            elimination.add(*statement.linear.form)
            group = _group(taken)
            if not group and len(taken) == MAX_TAKEN:
                break
        elif _extends(statement, group, coverage):
            elimination.add(*statement.linear.form)
            group = [*group, statement]
    return group


def _extends(statement: Statement, group: Sequence[Statement], coverage: Coverages) -> bool:
    """Decide whether a certain statement determines one more unknown by a number of the question not used so far."""
    if statement.linear is None or statement.doubt or statement.kind is not Kind.EQUATION:
        return False
    if coverage[id(statement)].missing or len(statement.linear.coefficients.keys() - _unknowns(group)) != 1:
        return False
    return not coverage[id(statement)].covered <= _covered(group, coverage)


def _is_refuted(statement: Statement, usable: Sequence[Statement]) -> bool:
    """Decide whether a doubtful statement in one unknown disagrees with a certain one about it."""
    if statement.linear is None or len(statement.linear.coefficients) != 1:
        return False
    values = Elimination([statement.linear.form]).values()
    return any(
        not s.doubt and is_about(s, values) and not nearly_holds(s, values) for s in usable if s is not statement
    )


def _group(statements: Sequence[Statement]) -> list[Statement]:
    """Return the connected statements around the last one, if they determine all their unknowns."""
    group, others = [statements[-1]], list(statements[:-1])
    names = set(group[0].linear.coefficients) if group[0].linear else set()
    grew = True
    while grew:
        grew = False
        for statement in list(others):
            if statement.linear and names & statement.linear.coefficients.keys():
                group.append(statement)
                others.remove(statement)
                names |= statement.linear.coefficients.keys()
                grew = True
    return group if len(group) == len(names) else []


def drop_redundant(chosen: list[Statement], coverage: Coverages) -> list[Statement]:
    """Drop statements whose unknown occurs nowhere else and whose numbers the others use."""
    for statement in list(reversed(chosen)):
        others = [s for s in chosen if s is not statement]
        if not others or statement.linear is None:
            continue
        own = statement.linear.coefficients.keys() - _unknowns(others)
        if len(own) == 1 and coverage[id(statement)].covered <= _covered(others, coverage):
            chosen = others
    return chosen


def drop_auxiliaries(
    chosen: list[Statement], order: Sequence[Statement], coverage: Coverages, usable: Sequence[Statement]
) -> list[Statement]:
    """Do without unknowns such as d1 and d2 that nobody asks for, if the same numbers determine the others."""
    stated = _unknowns(s for s in usable if s.kind is Kind.VALUE)
    auxiliary = {name for name in _unknowns(chosen) - stated if len(name) > 1}
    if not auxiliary:
        return chosen
    rest = [s for s in order if s.linear and not auxiliary & s.linear.coefficients.keys()]
    smaller = choose_group(rest, coverage, usable)
    if isinstance(smaller, Refusal) or not smaller:
        return chosen
    smaller = drop_redundant(smaller, coverage)
    fits = _covered(chosen, coverage) <= _covered(smaller, coverage)
    return smaller if fits and not any(count_foreign(coverage[id(s)]) for s in smaller) else chosen


def is_about(statement: Statement, values: dict[str, Fraction]) -> bool:
    """Decide whether all unknowns of a statement have a value."""
    return statement.linear is not None and statement.linear.coefficients.keys() <= values.keys()


def nearly_holds(statement: Statement, values: dict[str, Fraction]) -> bool:
    """Decide whether a statement holds at some values, up to rounding."""
    if statement.linear is None:
        return True
    rest, total, size = residual(statement.linear, values)
    if rest or abs(total) <= CARRIED_ROUNDING * size:
        return True
    if statement.kind is Kind.VALUE:
        if statement.approximate:
            return abs(total) <= Fraction(1, 2) * max(abs(c) for c in statement.linear.coefficients.values())
        if "0.01*" in statement.equation:  # x = 5% where x counts percent
            scaled = {name: value / 100 for name, value in values.items()}
            return not residual(statement.linear, scaled)[1]
    return False


# More than this share of the question's numbers must be used, else the equations belong to another problem. Of the 600
# training problems of Draw-1k, 592 use more than half of the numbers in their text.
USED = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Extraction:
    """The equations of a question."""

    equations: tuple[str, ...] = ()  # the chosen set, in the core's plain form; empty if there is a reason
    solution: dict[str, Fraction] = field(default_factory=dict)  # the exact value of each unknown
    reason: Refusal | None = None
    detail: str = ""  # the words or equations in the way
    confirmed: int = 0  # how many other statements of the explanation agree with the solution
    used: Fraction = Fraction(0)  # the share of the question's numbers that the chosen set uses
    missing: tuple[Fraction, ...] = ()  # literals of the set that are not in the question, as 2.5 for .25*10
    explanation: int | None = None  # which explanation they come from, from 0
    others: tuple[Statement, ...] = ()  # all statements of that explanation that were not chosen


def extract_equations(question: str, explanations: Sequence[str]) -> Extraction:
    r"""Return the equations of a question, or the reason why there are none.

    >>> question = "How much 10% acid must be mixed with 30% acid for 10 liters of 25% acid?"
    >>> found = extract_equations(question, ["Let x = amt of 10%\n.10x + .30(10-x) = .25(10)\n-.2x = -.5\nx = 2.5"])
    >>> found.equations, found.solution
    (('.10*x + .30*(10 - x) = .25*10',), {'x': Fraction(5, 2)})
    >>> str(extract_equations(question, ["twice x + 3 = 15"]).reason)
    'no equation was found'
    """
    numbers = QuestionNumbers(question) if question.strip() else None
    best: Extraction | None = None
    refused: Extraction | None = None
    for place, explanation in enumerate(explanations):
        if not explanation.strip():
            continue
        found = replace(choose(statements_of(explanation[:MAX_CHARACTERS]), numbers), explanation=place)
        if found.reason is Refusal.NOT_LINEAR:
            return found  # one tutor treats the problem as linear, another does not, and nothing decides between them
        if found.reason is not None:
            refused = refused or found
        elif best is None or _rank(found) < _rank(best):
            best = found
    return best or refused or Extraction(reason=Refusal.NO_EXPLANATION)


def _rank(found: Extraction) -> tuple[int, Fraction, bool]:
    return len(found.missing), -found.used, not found.confirmed


def choose(statements: Sequence[Statement], numbers: QuestionNumbers | None = None) -> Extraction:
    """Return the equations among the statements of one explanation, or the reason why there are none.

    Without `numbers`, those of the question, literals are not compared.

    >>> choose(statements_of("x + y = 10; x - y = 4; 2x = 14; x = 7; y = 3")).equations
    ('x + y = 10', 'x - y = 4')
    >>> str(choose(statements_of("x + y = 10; x - y = 4; x = 8")).reason)
    'statements contradict each other'
    """
    problem = next((s for s in statements if s.kind is Kind.NOT_LINEAR and not s.doubt), None)
    if problem is not None:
        return _none(statements, Refusal.NOT_LINEAR, problem.text)
    usable = [s for s in statements if s.linear is not None and s.linear.coefficients]
    pool = [s for s in usable if s.kind in (Kind.EQUATION, Kind.COMPUTED)]
    if not pool:
        if usable:
            return _none(statements, Refusal.ONLY_ANSWER, usable[0].equation)
        note = next((s.note for s in statements if s.note), "")
        return _mixed_units(statements) or _none(statements, Refusal.NO_EQUATION, note)
    coverage = {id(s): numbers.cover(s.literals) if numbers else Coverage() for s in pool}
    # The first statement comes first even if its reading is doubtful; if that fails, the certain ones come first.
    first = sorted(pool, key=lambda s: (s.kind is Kind.COMPUTED, count_foreign(coverage[id(s)])))
    found = _choose_in_order(first, statements, usable, coverage, numbers)
    if found.equations or not any(s.doubt for s in pool):
        return found
    certain = sorted(first, key=lambda s: (s.kind is Kind.COMPUTED, count_foreign(coverage[id(s)]), bool(s.doubt)))
    return _choose_in_order(certain, statements, usable, coverage, numbers)


def _choose_in_order(
    order: Sequence[Statement],
    statements: Sequence[Statement],
    usable: Sequence[Statement],
    coverage: Coverages,
    numbers: QuestionNumbers | None,
) -> Extraction:
    chosen = choose_group(order, coverage, usable)
    if isinstance(chosen, Refusal):
        return _none(statements, chosen, "")
    if not chosen:
        return _mixed_units(statements) or _none(statements, Refusal.UNDETERMINED, _list_equations(order[:4]))
    chosen = drop_auxiliaries(drop_redundant(chosen, coverage), order, coverage, usable)
    return _judge(statements, sorted(chosen, key=lambda s: statements.index(s)), usable, coverage, numbers)


def _mixed_units(statements: Sequence[Statement]) -> Extraction | None:
    found = next((s for s in statements if s.note.startswith("units")), None)
    return _none(statements, Refusal.UNITS, f"{found.text}: {found.note}") if found else None


def _judge(
    statements: Sequence[Statement],
    chosen: Sequence[Statement],
    usable: Sequence[Statement],
    coverage: Coverages,
    numbers: QuestionNumbers | None,
) -> Extraction:
    """Compare a set with every other statement of the explanation."""
    solution = Elimination([s.linear.form for s in chosen if s.linear]).values()
    for statement in chosen:
        for coefficients, constant in statement.linear.divisors if statement.linear else ():
            if not sum((c * solution[n] for n, c in coefficients.items()), constant):
                return _none(statements, Refusal.CONTRADICTION, f"{statement.equation} divides by zero")
    texts = {s.equation for s in chosen}
    places = {(s.line, s.text) for s in chosen if s.doubt}
    confirmed = 0
    for statement in usable:
        if statement.equation in texts or not is_about(statement, solution):
            continue
        if nearly_holds(statement, solution):
            # Another reading of the same words confirms nothing.
            confirmed += (statement.line, statement.text) not in places and statement.doubt != MORE_READINGS
        elif not statement.doubt:
            detail = f"{statement.equation} does not follow from {_list_equations(chosen)}"
            return _none(statements, Refusal.CONTRADICTION, detail)
    covered = _covered(chosen, coverage)
    missing = tuple(literal for s in chosen for literal in coverage[id(s)].missing)
    if numbers is not None and not (len(missing) < len(covered) and numbers.share(covered) > USED):
        return _none(statements, Refusal.NUMBERS, _list_equations(chosen))
    if numbers is not None and _begins_elsewhere([s for s in usable if s in chosen or not s.doubt], coverage):
        return _none(statements, Refusal.NUMBERS, f"the explanation does not begin with {_list_equations(chosen)}")
    doubtful = next((s for s in chosen if s.doubt), None)
    if doubtful is not None and not confirmed:
        return _none(statements, Refusal.DOUBTFUL, f"{doubtful.text}: {doubtful.doubt}")
    return Extraction(
        equations=tuple(s.equation for s in chosen),
        solution=solution,
        confirmed=confirmed,
        used=numbers.share(covered) if numbers else Fraction(0),
        missing=missing,
        others=tuple(s for s in statements if s not in chosen),
    )


def _begins_elsewhere(usable: Sequence[Statement], coverage: Coverages) -> bool:
    """Decide whether the first equations of an explanation are of another problem, and only a later step fits."""
    first = choose_group([s for s in usable if s.kind is Kind.EQUATION], coverage, usable)
    if isinstance(first, Refusal) or not first:
        return False
    return sum(len(coverage[id(s)].missing) for s in first) >= max(1, len(_covered(first, coverage)))


def _list_equations(chosen: Sequence[Statement]) -> str:
    return "; ".join(s.equation for s in chosen)


def _none(statements: Sequence[Statement], reason: Refusal, detail: str) -> Extraction:
    return Extraction(reason=reason, detail=detail[:300], others=tuple(statements))
