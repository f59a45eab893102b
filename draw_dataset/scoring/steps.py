r"""Verdicts on the steps of an answer: where it first goes wrong, why, and what would have been right.

A step is a given string, or a line or sentence of an answer with a calculation or a number. Its calculations are
compared with the quantities that gold and its alternatives are made of: intermediate results, partial sums and
products. Another calculation is right too if a later quantity of gold uses it. Only in an answer whose result or
derivation is wrong does a step count as an error; everything else that is not understood stays `unknown`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from draw_dataset.algebra.number import short_number
from draw_dataset.algebra.polynomial import PRIME
from draw_dataset.derivation.derivation import Derivation
from draw_dataset.errors import DrawError
from draw_dataset.reading.answer import cached_number_origins, parse_answer
from draw_dataset.reading.arithmetic import FOREIGN, FORM, Arithmetic, GoldFunction, functions_of
from draw_dataset.reading.compare import GoldQuantities
from draw_dataset.reading.functions import LEAVES, Expression, q_notation, same_function_key, value_of
from draw_dataset.scoring.answers import false_equations
from draw_dataset.scoring.gold import GoldForAnswers, PreparedProblem
from draw_dataset.scoring.options import Options
from draw_dataset.scoring.verdict import StepKind, StepVerdict

MAX_STEPS = 300  # steps of one answer
NAMELESS = "result"  # the name of a step of a derived row for which its solution has no word
MAX_FUNCTION = 300  # characters of a function that is shown
MAX_NAMES = 60  # steps of gold with names

Span = tuple[int, int]


def judge_steps(
    answer: str,
    given: Sequence[str] | None,
    reference: PreparedProblem,
    options: Options,
    *,
    is_wrong: bool,
    is_slip: bool,
) -> tuple[StepVerdict, ...]:
    """Return the verdicts on the steps of an answer: the given ones, or its lines and sentences.

    `is_wrong` says that its result or derivation is, `is_slip` that it has gold's set-up, and then a slip.
    """
    golds = [reference.for_answers, *(other.for_answers for other, _ in reference.alternatives(options))]
    spans = None if given is None else spans_of(given)
    names = names_of_steps(reference) if is_wrong else {}
    return tuple(_StepReader(answer, spans, golds, names, is_wrong=is_wrong, is_slip=is_slip).judge())


def names_of_steps(reference: PreparedProblem) -> dict[int, str]:
    """Return the names that the steps of a row give to gold's quantities, by the value of each in the field.

    A step is a line such as ``eaten = q2 + q3``; it may use the names before it.
    """
    written: dict[str, str] = {}
    names: dict[int, str] = {}
    for line in reference.problem.steps[:MAX_NAMES]:
        name, _, text = (part.strip() for part in line.partition("="))
        whole = _NAME.sub(lambda found: f"({written[found[0]]})" if found[0] in written else found[0], text)
        if len(whole) > MAX_FUNCTION or not _NAME.fullmatch(name):
            continue
        written[name] = whole
        try:
            derivation = Derivation.read(f"m = {whole}", reference.problem.numbers)
            expressions = GoldQuantities(reference.problem.with_gold(derivation, ())).expressions
        except DrawError:
            continue
        key = same_function_key(expressions[0]) if expressions else None
        word = name.rstrip("0123456789").replace("_", " ").strip()
        if key is not None and len(word) > 1 and word != NAMELESS:
            names.setdefault(key, word)
    return names


def spans_of(steps: Iterable[str]) -> list[Span]:
    """Return where the steps stand in the answer that consists of them, one a line.

    >>> spans_of(["3 + 4 = 7", "", "7 * 2 = 14"])
    [(0, 9), (10, 10), (11, 21)]
    """
    spans, start = [], 0
    for step in steps:
        spans.append((start, start + len(step)))
        start += len(step) + 1
    return spans


@dataclass(slots=True)
class _Closure:
    """The quantities that gold and its alternatives are made of, by their values in the field."""

    keys: set[int] = field(default_factory=set)
    inverses: set[int] = field(default_factory=set)
    order: list[tuple[int, Expression]] = field(default_factory=list)  # gold's own, each after what it is made of
    numbers: Sequence[Fraction] = ()
    is_known: bool = True  # whether all gold quantities are chains of calculations

    def add(self, gold: GoldFunction) -> None:
        """Add a gold quantity and everything that it is made of."""
        self.numbers = gold.numbers
        self.is_known = self.is_known and gold.is_written
        self.keys.update(key for key in (gold.key, gold.short) if key is not None)
        for _, functions in gold.by_value:
            self.keys |= functions.keys()
        if not self.order and gold.expression is not None:
            self.order = list(_in_order(gold.expression))
        self.inverses = {pow(key, -1, PRIME) for key in self.keys if key}

    def next_after(self, done: Collection[int]) -> Expression | None:
        """Return gold's next quantity that is not done and whose inputs are; gold itself if it is done."""
        if self.order and self.order[-1][0] in done:
            return self.order[-1][1]
        for key, expression in self.order:
            inputs = [part for part in expression[1:] if part[0] not in LEAVES]
            if key not in done and all(same_function_key(part) in done for part in inputs):
                return expression
        return self.order[-1][1] if self.order else None


def _in_order(expression: Expression) -> Iterator[tuple[int, Expression]]:
    """Yield the calculations in an expression, each after those that it uses."""
    if expression[0] in LEAVES:
        return
    for part in expression[1:]:
        yield from _in_order(part)
    key = same_function_key(expression)
    if key is not None:
        yield key, expression


class _Finding(NamedTuple):
    """A calculation or an equation of an answer, as it was judged."""

    segment: int
    kind: StepKind
    place: int  # in the plain text
    key: int | None = None  # the quantity of gold that it is
    function: Expression | None = None
    value: Fraction | None = None  # by its numbers as written
    stated: Fraction | None = None
    certain: bool = False
    at: int | None = None  # its number among the calculations
    foreign: Fraction | None = None  # an operand from nowhere
    holds: str = ""  # an equation that gold's value does not satisfy


class _StepReader:
    """Reads the steps of one answer to one problem."""

    def __init__(
        self,
        answer: str,
        spans: Sequence[Span] | None,
        golds: Sequence[GoldForAnswers],
        names: Mapping[int, str],
        *,
        is_wrong: bool,
        is_slip: bool,
    ) -> None:
        asked = golds[0]
        text = cached_number_origins(tuple(asked.gold.numbers), asked.classes)
        self._answer, self._asked = answer, asked
        self._is_wrong, self._is_slip = is_wrong, is_slip
        self._names = names  # of gold's quantities
        self._done: Collection[int] = ()  # the quantities of gold that are there before the step that is looked at
        self._labels = text.labels
        self._work = parse_answer(answer, text)
        plain = self._work.plain
        self._text = plain.text
        self._arithmetic = Arithmetic(self._work.tokens, text, asked.question, plain.text, asked.nouns)
        self._closure = _Closure()
        for gold in golds:
            for function in functions_of(gold.gold):
                if function.key is not None:
                    self._arithmetic.expect(function, function.key)
                self._closure.add(function)
        self._mentions = [(token.value, token.start) for token in self._work.tokens if token.value is not None]
        self._last = dict(self._mentions)
        self._mentioned = [place for _, place in self._mentions]
        places = [plain.origin(place) for _, place in self._mentions]
        self._spans = _segments(answer, places) if spans is None else list(spans)
        self._starts = [start for start, _ in self._spans]

    def judge(self) -> Iterator[StepVerdict]:
        """Yield the verdict on each step."""
        if not self._spans or self._work.unfinished:
            return
        findings = self._findings()
        errors = [finding.segment for finding in findings if finding.kind.is_error]
        end = self._end(findings) if self._is_wrong and not errors else None
        done: set[int] = set()
        for index, span in enumerate(self._spans):
            own = [finding for finding in findings if finding.segment == index]
            # A calculation says more than the statement in which it stands.
            wrong = sorted((finding for finding in own if finding.kind.is_error), key=lambda one: one.at is None)
            error = wrong[0] if wrong else None
            before = set(done)
            done.update(finding.key for finding in own if finding.key is not None)
            if error is not None:
                before.update(finding.key for finding in own if finding.key is not None and finding.place < error.place)
                yield self._wrong_step(index, span, error, before)
            elif index == end:
                yield self._left_out(index, span, own, done)
            else:
                yield self._other_step(index, span, own)

    # What is found

    def _findings(self) -> list[_Finding]:
        """Return the calculations and equations of an answer in their order."""
        found = [self._calculation(at) for at in range(len(self._arithmetic.steps))]
        found = self._support(found)
        if self._is_wrong:
            found += [*self._statement_slips(), *self._false_equations()]
        else:
            found = [self._without_error(finding, found) for finding in found]
        return sorted(found, key=lambda finding: (finding.segment, finding.place))

    def _calculation(self, at: int) -> _Finding:
        arithmetic, closure = self._arithmetic, self._closure
        step = arithmetic.steps[at]
        place = step.until - 1 if step.until else step.stated[-1].start if step.stated else step.start
        ways = arithmetic.functions(at)
        own = [(way, key) for key, way in ways.items() if key in closure.keys and way.rank < FOREIGN]
        best = min(ways.values(), key=lambda way: (way.rank, way.size), default=None)
        natural = best is not None and best.rank <= FORM
        finding = _Finding(
            self._segment(place),
            StepKind.UNKNOWN,
            place,
            function=None if best is None else best.expression,
            value=step.total,
            stated=step.stated[-1].value if step.stated else None,
            at=at,
        )
        is_part = self._is_part(at, place)
        has_letters = _LETTER.search(self._text, self._begin(at, place), place + 1) is not None
        if not (is_part or has_letters) and step.slip and not _is_floor(step.value, step.stated):
            key = own[0][1] if own else None
            return finding._replace(
                kind=StepKind.SLIP, key=key, value=step.value, certain=not self._has_names(at, place)
            )
        if own:
            way, key = min(own, key=lambda pair: pair[0].rank)
            return finding._replace(kind=StepKind.RIGHT, key=key, function=way.expression, certain=way.rank <= FORM)
        is_number = step.tree[0] in ("n", "step") or (best is not None and best.expression[0] in LEAVES)
        if is_part or is_number or not closure.is_known or not self._is_stated(at, place):
            return finding
        if not closure.inverses.isdisjoint(ways):
            return finding._replace(kind=StepKind.RIGHT)
        foreign = arithmetic.foreign_operand(at)
        if foreign is not None:
            # The step that first mentions the number is the one that brings it in.
            first = next((start for value, start in self._mentions if value == foreign.value), place)
            segment = min(finding.segment, self._segment(first))
            return finding._replace(kind=StepKind.FOREIGN, segment=segment, foreign=foreign.value, certain=True)
        return finding._replace(kind=StepKind.OTHER, certain=natural and not arithmetic.crowded)

    def _support(self, found: list[_Finding]) -> list[_Finding]:
        """Return the calculations, those as right that a new quantity of gold uses."""
        seen: set[int] = set()
        known: set[int] = set()
        for finding in found:
            if finding.at is None or finding.key is None or finding.kind is not StepKind.RIGHT or finding.key in known:
                continue
            known.add(finding.key)
            todo = [finding.at]
            while todo:
                new = self._arithmetic.uses(todo.pop()) - seen
                seen |= new
                todo += new
        unsure = (StepKind.OTHER, StepKind.FOREIGN)
        return [
            one._replace(kind=StepKind.RIGHT, certain=False) if one.at in seen and one.kind in unsure else one
            for one in found
        ]

    def _without_error(self, finding: _Finding, found: Sequence[_Finding]) -> _Finding:
        """Return a calculation of an answer that is right: only false arithmetic remains an error there."""
        if finding.kind not in (StepKind.OTHER, StepKind.FOREIGN):
            return finding
        is_used = any(one.at is not None and finding.at in self._arithmetic.uses(one.at) for one in found)
        kind = StepKind.UNKNOWN if is_used or finding.kind is StepKind.FOREIGN else StepKind.ASIDE
        return finding._replace(kind=kind, certain=False)

    def _statement_slips(self) -> Iterator[_Finding]:
        """Yield the equations that do not follow from the answer's own set-up."""
        for slip in self._work.setup.slips:
            place = self._work.statements[slip.at].start
            kind = StepKind.SLIP if self._is_slip else StepKind.OTHER
            yield _Finding(
                self._segment(place),
                kind,
                place,
                value=slip.expected,
                stated=slip.got,
                certain=self._is_slip,
                holds="it does not follow from what was set up",
            )

    def _false_equations(self) -> Iterator[_Finding]:
        """Yield the equations in the letter of the result that gold's value does not satisfy."""
        for place, letter, value in false_equations(self._work, self._asked):
            holds = f"with {letter} = {short_number(value)} this equation does not hold"
            yield _Finding(self._segment(place), StepKind.OTHER, place, certain=True, holds=holds)

    def _end(self, findings: Sequence[_Finding]) -> int | None:
        """Return the step that says what the result is, although something is missing."""
        finals = self._work.closing
        if not finals or not self._closure.is_known:
            return None
        values = {final.value for final in finals}
        last = max((finding.place for finding in findings), default=-1)
        later = (self._segment(place) for value, place in self._mentions if value in values and place > last)
        said = list(dict.fromkeys(later))
        plain = [index for index in said if not _MARK.search(self._answer, *self._spans[index])]
        if plain or said:
            return (plain or said)[0]
        ends = {at for final in finals for at in self._arithmetic.ends(final)}
        calculated = [finding.segment for finding in findings if finding.at in ends]
        return calculated[0] if calculated else len(self._spans) - 1

    # Places

    def _segment(self, place: int) -> int:
        """Return the step in which a place of the plain text stands."""
        return max(bisect_right(self._starts, self._work.plain.origin(place)) - 1, 0)

    def _begin(self, at: int, place: int) -> int:
        """Return where a calculation begins as it is written, without what its names stand for."""
        starts = [number.start for number in self._arithmetic.operands(at) if number.start <= place]
        near = [start for start in starts[:MAX_STEPS] if "\n" not in self._text[start:place]]
        return min((start for start in near if "=" not in self._text[start:place]), default=place)

    def _is_part(self, at: int, place: int) -> bool:
        """Decide whether a calculation is only a part of a side with letters: the sum in 9x + 55 + 75 = 157."""
        begin = self._begin(at, place)
        if _OPERATOR_BEFORE.search(self._text, max(begin - 12, 0), begin) is not None:
            return True
        return any(_LETTER_AFTER.match(self._text, number.end) for number in self._arithmetic.steps[at].stated)

    def _has_names(self, at: int, place: int) -> bool:
        """Decide whether a calculation is written with names for some of its numbers, or with more numbers."""
        begin = self._begin(at, place)
        starts = {number.start for number in self._arithmetic.operands(at)}
        todo = [leaf[1] for leaf in self._arithmetic.leaves(at) if leaf[0] == "step"]
        while todo:  # what stands in brackets was read before
            inner = todo.pop()
            starts.update(number.start for number in self._arithmetic.operands(inner))
            todo += [leaf[1] for leaf in self._arithmetic.leaves(inner) if leaf[0] == "step"]
        first = bisect_left(self._mentioned, begin)
        return starts != set(self._mentioned[first : bisect_right(self._mentioned, place)])

    def _is_stated(self, at: int, place: int) -> bool:
        """Decide whether the value of a calculation is stated, here or later, or is given a name in code."""
        step = self._arithmetic.steps[at]
        if step.stated or self._last.get(step.total, -1) > place:
            return True
        if step.until and _NEGATIVE.match(self._text, step.until):
            return True
        start, stop = self._text.rfind("\n", 0, place) + 1, self._text.find("\n", place)
        line = self._text[start : stop if stop >= 0 else len(self._text)].rstrip()
        return step.until >= start + len(line) and _ASSIGNMENT.fullmatch(line[:MAX_FUNCTION]) is not None

    # Verdicts

    def _wrong_step(self, index: int, span: Span, error: _Finding, done: Collection[int]) -> StepVerdict:
        self._done = done
        after = self._closure.next_after(done)
        expected = error.value if error.kind is StepKind.SLIP else self._value(after)
        return StepVerdict(
            index=index,
            span=span,
            kind=error.kind,
            function=self._written(error.function),
            stated=error.stated,
            expected=expected,
            certain=error.certain,
            because=self._because(index + 1, error, after),
        )

    def _left_out(self, index: int, span: Span, own: Sequence[_Finding], done: Collection[int]) -> StepVerdict:
        after = self._closure.next_after(done)
        stated = self._work.closing[-1].value if self._work.closing else None
        text = f"Step {index + 1} takes {'this' if stated is None else short_number(stated)} for the result"
        return StepVerdict(
            index=index,
            span=span,
            kind=StepKind.LEFT_OUT,
            function=self._written(next((one.function for one in reversed(own) if one.key is not None), None)),
            stated=stated,
            expected=self._value(after),
            because=f"{text}{self._next(after) or ', and something is still to be done'}.",
        )

    def _other_step(self, index: int, span: Span, own: Sequence[_Finding]) -> StepVerdict:
        rank = (StepKind.RIGHT, StepKind.ASIDE, StepKind.UNKNOWN)
        best = min(own, key=lambda one: (rank.index(one.kind), -one.place), default=None)
        if best is None or best.kind is StepKind.UNKNOWN:
            return StepVerdict(index=index, span=span, kind=StepKind.UNKNOWN)
        return StepVerdict(
            index=index,
            span=span,
            kind=best.kind,
            function=self._written(best.function),
            stated=best.stated,
            certain=all(one.certain for one in own if one.kind is StepKind.RIGHT),
        )

    def _because(self, number: int, error: _Finding, after: Expression | None) -> str:
        """Return why a step is wrong, as a sentence."""
        value = "" if error.value is None else short_number(error.value)
        if error.kind is StepKind.SLIP:
            stated = "" if error.stated is None else f", not {short_number(error.stated)}"
            return f"Step {number} should give {value}{stated}." if value else f"Step {number} does not follow."
        if error.holds:
            return f"Step {number} is wrong: {error.holds}."
        if error.kind is StepKind.FOREIGN:
            number_used = short_number(error.foreign or 0)
            return f"Step {number} uses {number_used}, which nothing before it gives{self._next(after)}."
        does = self._repeated(error) or f"calculates {self._calculated(error.function) or value}"
        return f"Step {number} {does}{self._next(after)}."

    def _repeated(self, error: _Finding) -> str:
        """Return that a step multiplies or divides a result by a number that is in it already."""
        function = error.function
        if function is None or function[0] not in "*/" or function[1][0] in LEAVES or function[2][0] != "q":
            return ""
        if same_function_key(function[1]) not in self._closure.keys or not _is_factor(function[2], function[1]):
            return ""
        verb = "multiplies" if function[0] == "*" else "divides"
        by, result = self._value(function[2]), self._value(function[1])
        named = f"{short_number(result or 0)}{self._named(function[1])}"
        return f"{verb} by {short_number(by or 0)} again, which {named} already has"

    def _next(self, after: Expression | None) -> str:
        """Return what comes next, with the numbers of the problem, as the end of a sentence."""
        calculated = self._calculated(after)
        if not calculated:
            return ""
        is_done = after is self._closure.order[-1][1] and self._closure.order[-1][0] in self._done
        return f"; {calculated} was the result" if is_done else f"; {calculated}{self._named(after)} comes next"

    def _named(self, expression: Expression | None) -> str:
        """Return the name of a quantity of gold in brackets; empty if it has none."""
        key = None if expression is None or not self._names else same_function_key(expression)
        return f" ({self._names[key]})" if key is not None and key in self._names else ""

    def _calculated(self, expression: Expression | None) -> str:
        """Return an operation on values: 119 * 6 = 714; empty if it is none."""
        value = self._value(expression)
        if expression is None or value is None or expression[0] in LEAVES:
            return ""
        first, second = (short_number(self._value(part) or 0) for part in expression[1:])
        return f"{first} {expression[0]} {second} = {short_number(value)}"

    def _value(self, expression: Expression | None) -> Fraction | None:
        return None if expression is None else value_of(expression, self._closure.numbers)

    def _written(self, expression: Expression | None) -> str:
        text = "" if expression is None else q_notation(expression, self._labels)
        return text if len(text) <= MAX_FUNCTION else ""


_NAME = re.compile(r"[A-Za-z_]\w*")
_MARK = re.compile(r"####|answer is:|print\(", re.IGNORECASE)
_NEGATIVE = re.compile(r"[^\n=.]{0,30}=[ ]{0,3}[-($]{1,3}[ ]?\d")
_ASSIGNMENT = re.compile(r"(?:Step \d+:)?[ ]*[A-Za-z_]\w*[ ]*=[ ]*[\w+*/(). -]+")
_OPERATOR_BEFORE = re.compile(r"[\w)][ ]{0,3}[-+*/^][ ($]{0,3}\Z")
_LETTER_AFTER = re.compile(r"[ ]{0,3}(?:[A-Za-z]{2,20}[ ])?(?:[-+*/^][ ]?)(?:[a-z]\b|\d*[a-z]\b)")
_LETTER = re.compile(r"(?<![A-Za-z'])[B-HJ-WYZb-hj-wyz](?![A-Za-z'.])|\d[A-Z]")
_SENTENCE = re.compile(r"[.!?][)\"'*]{0,3}[ \t]+(?=[A-Z\\$*(\[\d])|\n+")
_SHORT = 4  # visible characters of a list number, which is no sentence


def _segments(answer: str, places: Sequence[int]) -> list[Span]:
    """Return the lines and sentences of an answer in which one of some places stands."""
    spans: list[Span] = []
    start, begin = 0, 0
    for match in [*_SENTENCE.finditer(answer), None]:
        end = len(answer) if match is None else match.start() + (match.group()[0] != "\n")
        stretch = answer[start:end]
        is_short = match is not None and match.group()[0] != "\n" and len(stretch.strip()) < _SHORT
        if is_short:
            continue
        begin = bisect_right(places, start - 1)
        if begin < len(places) and places[begin] < end:
            lead = len(stretch) - len(stretch.lstrip())
            spans.append((start + lead, start + len(stretch.rstrip())))
        start = end if match is None else match.end()
        if len(spans) >= MAX_STEPS:
            break
    return spans


def _is_floor(value: Fraction, stated: Sequence[object]) -> bool:
    """Decide whether a value is stated without its fraction: 36 / 5 = 7, with a remainder."""
    numbers = [getattr(number, "value", None) for number in stated]
    return any(isinstance(n, Fraction) and n.denominator == 1 and abs(value - n) < 1 for n in numbers)


def _is_factor(leaf: Expression, expression: Expression) -> bool:
    """Decide whether a product has a number of the text as a factor."""
    if expression[0] == "*":
        return any(_is_factor(leaf, part) for part in expression[1:])
    return expression == leaf
