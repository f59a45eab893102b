"""Variants that ask another question: a given number becomes the question, a fact is missing, a step is added, units.

Each has a gold of its own, made of the original's in q-notation. It is proved before it is written: the rules for
numbers find the expected numbers in the new text, gold has one exact solution, and gold in q-notation is graded right.
A text with a fact missing has no gold; that its answer changes with the missing number is proved instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

from draw_dataset.algebra.number import decimals_of, number_literal, number_text
from draw_dataset.algebra.solution import SolutionKind, solve_grounded
from draw_dataset.checks.findings import check_problem
from draw_dataset.derivation.derivation import Derivation, Place, TextNumber
from draw_dataset.derivation.problem import REFUSED, Problem, Role, asked_values
from draw_dataset.errors import DrawError
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.grading import grade_derivation
from draw_dataset.text.lexicon import singular, split_words
from draw_dataset.text.numbers import find_numbers, number_words_of
from draw_dataset.text.question import questions_of, sentences_of
from draw_dataset.text.tokens import tokenize
from draw_dataset.text.units import MEASURED, UNITS, spellings, unit_named
from draw_dataset.variants.consistency import Consistency
from draw_dataset.variants.fields import (
    AGES,
    CannotVary,
    Field,
    NumberContext,
    VariableProblem,
    Words,
    analyse,
    bounds_of,
)
from draw_dataset.variants.rebuilding import CarriedNumbers, Edit, Rewritten, carry_groups, carry_numbers

_LETTERS = ("m", "n", "o")  # the unknowns of a row
_NAME = re.compile(r"\b(?:q(\d{1,9})|new(\d))\b")


@dataclass(frozen=True, slots=True)
class _Draft:
    """Another text, and its gold in q-notation: q5 is a number of the original, new1 the first that an edit adds."""

    edits: tuple[Edit, ...]
    equations: tuple[str, ...]
    asked: tuple[str, ...]
    roles: tuple[Role, ...]
    values: tuple[Fraction | None, ...]  # of the numbers of the original; None for one that is taken away
    added: tuple[tuple[int, Fraction], ...]  # offsets in the new text, and values, of the numbers that are added
    again: tuple[int, ...]  # for each of these the rank of the number that it says again, or 0
    answer: tuple[Fraction, ...]  # what is asked for, by another way than gold


class _Source:
    """A problem, as the makers of variants see it."""

    def __init__(self, problem: Problem) -> None:
        if problem.alternatives:
            raise CannotVary("its text allows several derivations")
        self.problem = problem
        self.variable: VariableProblem = analyse(problem, must_move=False)
        self.rule = self.variable.rule
        self.answer = asked_values(problem)
        if not self.answer:
            raise CannotVary("it is not decided what its question asks for")
        self.words = Words(tokenize(problem.question, self.rule))
        self.arounds = [self.words.around(number) for number in problem.numbers]
        self.findings = {one.code for one in check_problem(problem)}
        self.equations = tuple(problem.derivation.q_notation().split("; "))
        self.unknowns = problem.derivation.template.unknowns
        if not set(self.unknowns) <= set(_LETTERS):
            raise CannotVary("its unknowns have other names than m, n and o")
        self.values: tuple[Fraction, ...] = tuple([number.value or Fraction(0) for number in problem.numbers])
        text = problem.question
        self.end = len(text.rstrip())
        asking, spans = questions_of(text), sentences_of(text)
        if len(asking) != 1 or asking[0].start != spans[-1].start:
            raise CannotVary("its text does not end with its only question")
        self.question = asking[0]
        self.question_start = asking[0].end - len(text[asking[0].start : asking[0].end].lstrip())
        mark = text[self.end - 1]
        self.mark = "" if mark in ".?!" else "?" if re.search(r"\b(?:how|what)\b", asking[0].text.lower()) else "."

    @property
    def flows(self) -> bool:
        """Whether it is about a wind or a current, so that a speed may be one of two."""
        return not {"wind", "current", "stream", "tailwind", "headwind", "upstream"}.isdisjoint(self.words.lower)

    def spaced(self, text: str) -> str:
        """Return a text with its marks as the problem has them: apart from words in the release, else not."""
        return text if self.rule == "release" else re.sub(r" (?=[.,?]|'s)", "", text.replace("$ ", "$"))

    def append(self, text: str) -> Edit:
        """Return the edit that adds sentences after the question."""
        return Edit(self.end, "", self.spaced((f" {self.mark} " if self.mark else " ") + text))

    def movable(self) -> Iterator[tuple[int, Field]]:
        """Yield the fields that may take another value, with their positions."""
        yield from ((at, field) for at, field in enumerate(self.variable.fields) if field.moves and field.mentions)

    def ranks(self, field: Field) -> list[int]:
        """Return the ranks of a field's numbers as q-notation has them."""
        return [mention.rank + 1 for mention in field.mentions]

    def number(self, rank: int) -> TextNumber:
        """Return a number by its rank in q-notation."""
        return self.problem.numbers[rank - 1]

    def after(self, number: TextNumber) -> str:
        """Return the character after a number."""
        return self.problem.question[number.end or 0 :][:1]

    def before(self, number: TextNumber) -> str:
        """Return the character before a number."""
        return self.problem.question[: number.start or 0][-1:]

    def is_asking(self, number: TextNumber) -> bool:
        """Return True if a number stands in the question."""
        return (number.start or 0) >= self.question_start


def _put(text: str, rank: int, name: str) -> str:
    """Return q-notation with something else for one number.

    >>> _put("m + q2*n = q21", 2, "o")
    'm + o*n = q21'
    """
    return re.sub(rf"\bq{rank}\b", name, text)


def _prove(source: _Source, draft: _Draft) -> Rewritten | None:
    """Return the problem of a draft; None if it cannot be proved right."""
    problem = source.problem
    carried = carry_numbers(problem, source.rule, draft.edits, draft.values, draft.added)
    places = None if carried is None else carry_groups(problem, source.rule, draft.edits, carried)
    if carried is None or places is None:
        return None
    by_place = {number.place: number for number in carried.numbers}
    names = {f"q{old.index}": f"q{by_place[places[old.place]].index}" for old in problem.numbers if old.place in places}
    new = [number for number, rank in zip(carried.added, draft.again, strict=True) if not rank]
    names |= {f"new{at}": f"q{number.index}" for at, number in enumerate(new, 1)}

    def renamed(text: str) -> str:
        return _NAME.sub(lambda match: names.get(match[0], "?"), text)

    try:
        derivation = Derivation.read([renamed(one) for one in draft.equations], carried.numbers)
        solution = derivation.solve()
        if solution.kind is not SolutionKind.UNIQUE or len(draft.equations) != len(derivation.template.unknowns):
            return None
        texts = [
            number_literal(n.value or Fraction(0)) for n in derivation.alignment.in_slots(derivation.template.slots)
        ]
        values = [solution.values[name] for name in derivation.template.unknowns]
        made = replace(
            _plain(problem).with_gold(derivation, values),
            question=carried.question,
            numbers=carried.numbers,
            equations=tuple(derivation.template.written_with(texts).split("; ")),
            equiv_tnum=_groups(problem, carried, places, draft),
            asked=tuple([renamed(one) for one in draft.asked]),
            roles=draft.roles,
        )
        # The row is read again, so that gold is judged as whoever reads the file sees it.
        made = Problem.from_row(made.to_row())
        verdict = grade_derivation(made.derivation.q_notation(), PreparedProblem(made))
        proved = verdict.derivation and verdict.solution and asked_values(made) == draft.answer
        proved = proved and not {one.code for one in check_problem(made)} - source.findings
    except DrawError:  # not linear, or no system of equations
        return None
    return Rewritten(made, draft.edits) if proved else None


def _plain(problem: Problem) -> Problem:
    """Return a problem without what was said about its old gold."""
    status = "decided" if problem.status else ""
    return replace(problem, alternatives=(), correction=None, status=status, reason="", edition=0, steps=())


def _groups(
    problem: Problem, carried: CarriedNumbers, places: dict[Place, Place], draft: _Draft
) -> tuple[tuple[TextNumber, ...], ...]:
    """Return the groups of equivalent numbers without those that are no longer in the text."""
    values = {number.place: number.value for number in carried.numbers}
    again = [
        (places[problem.numbers[rank - 1].place], number.place)
        for number, rank in zip(carried.added, draft.again, strict=True)
        if rank
    ]
    gone = {number.place for number, value in zip(problem.numbers, draft.values, strict=True) if value is None}
    groups = []
    for group in problem.equiv_tnum:
        left = [places[member.place] for member in group if member.place not in gone]
        old = [member.value for member in group if member.place not in gone]
        if len(left) > 1:
            groups.append([TextNumber(*at, values.get(at, was)) for at, was in zip(left, old, strict=True)])
    for first, second in again:
        mine = next((group for group in groups if any(member.place == first for member in group)), None)
        if mine is None:
            groups.append(mine := [TextNumber(*first, values[first])])
        mine.append(TextNumber(*second, values[second]))
    return tuple([tuple(group) for group in groups])


@dataclass(frozen=True, slots=True)
class _Marked:
    """An edit whose new text may have numbers that are not in the original: those in braces."""

    edit: Edit
    numbers: tuple[tuple[int, Fraction, int], ...]  # the offset of each in the edit, its value, and what it says again

    @classmethod
    def of(cls, edit: Edit, values: Sequence[Fraction]) -> _Marked:
        """Read an edit, as in ``What is {7} more than the price of the {12@3} pens ?``: 12 is the number q3."""
        text, numbers = "", []
        for at, piece in enumerate(re.split(r"[{}]", edit.after)):
            written, _, rank = piece.partition("@") if at % 2 else (piece, "", "")
            if at % 2:
                numbers.append((len(text), values[int(rank) - 1] if rank else Fraction(written), int(rank or 0)))
            text += written
        return cls(replace(edit, after=text), tuple(numbers))


def _draft(
    source: _Source,
    edits: Sequence[Edit],
    *,
    equations: Sequence[str],
    asked: Sequence[str],
    answer: Sequence[Fraction],
    roles: Sequence[Role] = (),
    values: dict[int, Fraction] | None = None,
) -> _Draft:
    """Return a draft; `values` has the new values of numbers by their ranks, others in edited places are gone."""
    marked = sorted([_Marked.of(edit, source.values) for edit in edits], key=lambda one: one.edit)
    shift, added = 0, []
    for one in marked:
        added += [(one.edit.start + shift + at, value) for at, value, _ in one.numbers]
        shift += len(one.edit.after) - len(one.edit.before)
    new: list[Fraction | None] = list(source.values)
    for at, number in enumerate(source.problem.numbers):
        start, end = number.start or 0, number.end or 0
        if any(one.edit.start < end and start < one.edit.start + len(one.edit.before) for one in marked):
            new[at] = (values or {}).get(at + 1)
    return _Draft(
        edits=tuple([one.edit for one in marked]),
        equations=tuple(equations),
        asked=tuple(asked),
        roles=tuple(roles),
        values=tuple(new),
        added=tuple(added),
        again=tuple([rank for one in marked for *_, rank in one.numbers]),
        answer=tuple(answer),
    )


def _is_short(value: Fraction) -> bool:
    """Return True if a text can state a value: two decimals at most."""
    return decimals_of(value) <= 2 and abs(value) < 10**7


# Reversed: a given number becomes a letter, and what was asked is given.

_UNKNOWN_LETTERS = "xyzkw"
_AN = frozenset("x")  # letters that begin with the sound of a vowel
_SCALED = frozenset(
    split_words("dozen hundred thousand million billion trillion / : * + = x st nd rd th negative minus")
)
_GIVEN = (
    "If the answer to this question is {%s} , what is %s ?",
    "The answer to this question is {%s} . What is %s ?",
    "If the answer to the question is {%s} , what is the value of %s ?",
    "The answer is {%s} . Find %s .",
)


def _reverse(problem: Problem, random: Random) -> Iterator[Rewritten]:
    source = _Source(problem)
    lower = set(source.words.lower)
    letter = next((one for one in _UNKNOWN_LETTERS if one not in lower), None)
    if letter is None:
        raise CannotVary("its text has the letters x, y, z, k and w")
    fields = [(at, field) for at, field in source.movable() if _can_be_a_letter(source, field)]
    if not fields:
        raise CannotVary("no number can be replaced by a letter")
    random.shuffle(fields)
    for _, field in fields:
        for ending in _endings(source, random):
            found = _reverse_one(source, field, letter, ending)
            if found is not None:
                yield found
                break


def _can_be_a_letter(source: _Source, field: Field) -> bool:
    return not field.bounds.only and all(_letter_fits(source, mention.rank) for mention in field.mentions)


def _letter_fits(source: _Source, rank: int) -> bool:
    number, around = source.problem.numbers[rank], source.arounds[rank]
    kind = next(
        (
            n.kind
            for n in find_numbers(source.problem.question, number_words_of(source.problem), source.rule)
            if n.start == number.start
        ),
        None,
    )
    value = number.value or Fraction(0)
    return (
        kind in ("digits", "word")
        and not around.starts
        and (value >= 1 or value < 0 or around.unit == "$")
        and source.before(number) in (" ", "$", "(")
        and source.after(number) in (" ", "%", "-", ".", ",", "?", "")
        and around.next not in _SCALED
        and around.previous not in _SCALED
        and not around.next[:1].isdigit()
    )


@dataclass(frozen=True, slots=True)
class _Ending:
    """The end of a reversed text: the edit that states an answer, what it states, and its value."""

    edit: Edit
    given: str
    value: Fraction


def _endings(source: _Source, random: Random) -> list[_Ending]:
    """Return the ways to state one answer and to ask for the letter, which is written as ``§x``."""
    asked = source.problem.asked
    if len(asked) == 1:
        if not _is_short(source.answer[0]):
            raise CannotVary("its answer has more than two decimals")
        frames = random.sample(_GIVEN, len(_GIVEN))
        said = frames[0] % (number_text(source.answer[0]), "§x")
        return [_Ending(source.append(said), asked[0], source.answer[0])]
    found = []
    for expression, value in zip(asked, source.answer, strict=True):
        stated = _say_role(source, source.problem.role_of.get(expression, ""))
        if stated is not None and _is_short(value):
            stated = stated.replace("§v", f"{{{number_text(value)}}}")
            edit = _replace_question(source, stated) or source.append(f"If {stated} , what is §x ?")
            found.append(_Ending(edit, expression, value))
    if not found:
        raise CannotVary("it asks for several things, and none of them can be stated")
    random.shuffle(found)
    return found


_NEEDED = re.compile(
    r"\b(?:if|when|to (?:get|make|obtain|produce|have|form|be|mix|yield|create|fill|cover|earn)|in order|so that|such|"
    r"after|before|while|per|each of them|and (?:what|how)|without)\b"
)
_ASKING_CLAUSE = re.compile(r"(?: ,|,) (?:and )?(?:how|what|find|determine|calculate)\b[^,.?!]*[.?!]?$", re.IGNORECASE)


def _replace_question(source: _Source, said: str) -> Edit | None:
    """Return the edit that states something where the question was, and asks for the letter."""
    text = source.problem.question
    start, end = source.question_start, source.end
    sentence = text[start:end]
    clause = _ASKING_CLAUSE.search(sentence)
    if re.match(r"(?:if|when)\b", sentence, re.IGNORECASE) and clause is not None:
        start += clause.start()
        asking, stated = text[start:end], f" and {said} , what is §x ?"
    else:
        asking, stated = sentence, f"{said[:1].upper()}{said[1:]} . What is §x ?"
        previous = sentences_of(text[:start])
        if not previous or re.match(r"if\b", previous[-1].text, re.IGNORECASE) or text[:start].rstrip()[-1] not in ".!":
            return None
        if "," in asking or ":" in asking:
            return None
    has_numbers = any(
        (number.start or 0) >= start and source.variable.columns[at] is not None
        for at, number in enumerate(source.problem.numbers)
    )
    if has_numbers or _NEEDED.search(asking.lower()):
        return None
    return Edit(start, asking, source.spaced(stated))


_NO_PLURAL = frozenset(split_words("less is was his its this as"))
_ORDINALS = frozenset(
    split_words(
        "larger smaller largest smallest greater lesser greatest least other original bigger the of first second"
    )
)
_COUNT_ROLE = re.compile(
    r"^(?:number of )?((?:[\w@{}.$%'-]+ )*[a-z-]+s(?: (?:sold|bought|won|lost|purchased|ordered|attending))?)$"
)
_INVESTED_ROLE = re.compile(r"^(?:money|dollars|amount)(?: invested)? at (.+%)$")
_MEASURED_ROLE = re.compile(r"^([a-z]+s|km|kg|cc|ml|g) of (.+)$")
_SINGULAR_ROLE = re.compile(
    r"^(?:the )?((?:larger|smaller|largest|smallest|greater|lesser|first|second|third|bigger|longer|shorter) "
    r"(?:number|integer|angle|part|piece))$"
)
_OF_ROLE = re.compile(
    r"^(?:the )?(age|price|cost|speed|rate|length|width|height|weight) of (?:(the|a|an|his|her|one) )?(.+)$"
)
_OWNED_ROLE = re.compile(r"^(.+?) ?'s (?:(?:present|current) )?age(?: now)?$")
_SPEED_ROLE = re.compile(r"^([A-Z][a-z]+) ?'s (rate|speed)$")
_PEOPLE = frozenset(
    split_words("father mother dad mom son daughter man woman boy girl uncle aunt brother sister teacher")
)
_NO_COUNT = frozenset(
    split_words(
        "money series species ages class glass address business price cost interest lens mass gas less process "
        "sales his is was at per"
    )
)


def _say_role(source: _Source, role: str) -> str | None:
    """Return a sentence that states an unknown, as ``the price of the pen is §v``."""
    role = " ".join(role.split())
    stems = {singular(word) for word in source.words.lower}
    words = [word for word in re.findall(r"[A-Za-z]+", role.replace("'s", " ")) if word.lower() not in _ORDINALS]
    if not role or any(
        singular(word) not in stems for word in words if word not in ("number", "now", "present", "age", "current")
    ):
        return None
    linked = _link_numbers(source, role)
    if linked is None:
        return None
    role = linked
    own = _OWNED_ROLE.match(role)
    if own is not None:
        owner = own[1].removeprefix("the ")
        if re.fullmatch(r"[A-Z][a-z]+", owner):
            return f"{owner} is now §v years old"
        kin = owner.split()[-1] in _PEOPLE and re.fullmatch(r"(?:(?:his|her|my|your) )?[a-z]+", owner)
        return None if not kin else f"{owner if ' ' in owner else 'the ' + owner} is now §v years old"
    if role == "my age":
        return "I am now §v years old"
    for pattern, said in ((_SINGULAR_ROLE, "the {0} is §v"), (_SPEED_ROLE, "{0} 's {1} is §v")):
        plain = pattern.match(role)
        if plain is not None:
            return None if pattern is _SPEED_ROLE and source.flows else said.format(*plain.groups())
    of = _OF_ROLE.match(role)
    if of is not None:
        name = of[3][:1].isupper()
        if singular(of[3].split()[-1]) != of[3].split()[-1].lower() and not name:
            return None
        told = re.search(
            rf"\b(?:the|a|an|his|her|each|one|other) {re.escape(of[3].lower())}\b", " ".join(source.words.lower)
        )
        thing = f"{'' if name else of[2] or ('the' if told or of[1] != 'age' else '')} {of[3]}".strip()
        if of[1] == "age":
            return f"{thing} is now §v years old"
        if of[1] in ("speed", "rate") and (
            source.flows or not {"%", "percent", "interest"}.isdisjoint(source.words.lower)
        ):
            return None
        return f"the {of[1]} of {thing} is §v"
    measured = _MEASURED_ROLE.match(role)
    if measured is not None and unit_named(measured[1]) is not None:
        first = measured[2].split()[0]
        ends = measured[2].split()[-1] in ("alloy", "solution", "mixture")
        the = "the " if "{" in measured[2] or ends or first in _ORDINALS - {"the", "of"} else ""
        return f"the number of {measured[1]} of {the}{measured[2].removeprefix('the ')} is §v"
    invested = _INVESTED_ROLE.match(role)
    if invested is not None and "invest" in " ".join(source.words.lower):
        return f"the amount invested at {invested[1]} is §v"
    count = _COUNT_ROLE.match(role)
    last = next((word for word in reversed(count[1].split()) if word.endswith("s")), "") if count is not None else ""
    if count is None or singular(last) == last or set(re.findall(r"[a-z]+", count[1])) & _NO_COUNT or unit_named(last):
        return None
    return f"the number of {count[1]} is §v".replace("'s", " 's" if source.rule == "release" else "'s")


def _link_numbers(source: _Source, role: str) -> str | None:
    """Return a role with its numbers in braces, each with the number of the text that it says again."""
    if source.rule == "release":
        role = " ".join(role.replace("%", " %").replace("$", "$ ").split())
    pieces, at = [], 0
    for said in find_numbers(role):
        alike = [rank for rank, value in enumerate(source.values) if value == said.value]
        fields = {source.variable.columns[rank] for rank in alike} - {None}
        aligned = [rank for rank in alike if source.variable.columns[rank] is not None]
        if not alike or len(fields) > 1:
            return None
        rank = (aligned or alike)[0]
        text = source.problem.numbers[rank].text
        if said.kind != "coin":
            pieces += [role[at : said.start], f"{{{text}@{rank + 1}}}"]
        else:
            pieces += [role[at : said.start], f"{{{said.text}@{rank + 1}}}"]
        at = said.end
    return "".join([*pieces, role[at:]])


def _reverse_one(source: _Source, field: Field, letter: str, ending: _Ending) -> Rewritten | None:
    ranks = source.ranks(field)
    if any(
        ending.edit.start <= (source.number(rank).start or 0) < ending.edit.start + len(ending.edit.before)
        for rank in ranks
    ) or any(f"@{rank}}}" in ending.edit.after for rank in ranks):
        return None
    edits = [replace(ending.edit, after=ending.edit.after.replace("§x", letter))]
    for mention in field.mentions:
        number = source.problem.numbers[mention.rank]
        edits.append(Edit(number.start or 0, number.text, letter))
        article = mention.article
        wanted = "an" if letter in _AN else "a"
        if article is not None and article.text.lower() != wanted:
            cased = wanted.capitalize() if article.text[0].isupper() else wanted
            edits.append(Edit(article.start, article.text, cased))
    eliminated = ending.given if ending.given in source.unknowns else None
    free = [one for one in _LETTERS if one not in source.unknowns] + ([eliminated] if eliminated else [])
    if not free:
        return None
    name = free[-1]
    equations = list(source.equations)
    if eliminated:
        equations = [re.sub(rf"\b{eliminated}\b", "new1", equation) for equation in equations]
    else:
        equations.append(f"{ending.given} = new1")
    for rank in ranks:
        equations = [_put(equation, rank, name) for equation in equations]
    roles = [(unknown, role) for unknown, role in source.problem.roles if unknown != eliminated]
    around = source.arounds[field.mentions[0].rank]
    plural = singular(around.next) != around.next and around.next.isalpha() and around.next not in _NO_PLURAL
    roles.append((name, f"{letter} {around.next}" if plural else letter))
    draft = _draft(
        source,
        edits,
        equations=equations,
        asked=[name],
        answer=[field.value],
        roles=roles if source.problem.roles else (),
    )
    return _prove(source, draft)


# Added: one more operation on the result.

_OPERATIONS = (
    ("+", "What do you get if you add {{{k}}} to this {noun} ?"),
    ("+", "What is {{{k}}} more than this {noun} ?"),
    ("+", "Add {{{k}}} to this {noun} . What is the result ?"),
    ("-", "What do you get if you subtract {{{k}}} from this {noun} ?"),
    ("-", "What is {{{k}}} less than this {noun} ?"),
    ("-", "Subtract {{{k}}} from this {noun} . What is the result ?"),
    ("*", "What do you get if you multiply this {noun} by {{{k}}} ?"),
    ("*", "Multiply this {noun} by {{{k}}} . What is the result ?"),
    ("*", "What is {{{k}}} times this {noun} ?"),
    ("/", "What do you get if you divide this {noun} by {{{k}}} ?"),
    ("/", "Divide this {noun} by {{{k}}} . What is the result ?"),
)
_MONEY_OPERATIONS = (
    ("+", "What amount is $ {{{k}}} more than that ?"),
    ("-", "What amount is $ {{{k}}} less than that ?"),
    ("-", "How much is left of this amount after $ {{{k}}} is taken away ?"),
    ("/", "How much is each share if this amount is divided equally among {{{k}}} people ?"),
)
_AGE_OPERATIONS = (("+", "What is this age plus {{{k}}} years ?"), ("-", "What is this age minus {{{k}}} years ?"))
_RESULT_NOUNS: tuple[tuple[str, str], ...] = (
    (r"\bpercent(?:age)?\b|%", "percentage"),
    (r"\bhow (?:old|young)\b|\bages?\b", "age"),
    (r"\bhow many (?:hours?|minutes?|days?|weeks?|months?|years?|seconds?)\b", "number"),
    (
        r"\bhow much (?:money|did|does|do|will|would|was|is|are|more|less|profit|change|change|total|total money)\b",
        "amount",
    ),
    (r"\bhow far\b|\b(?:what|find) (?:is |was )?the (?:total )?distance\b", "distance"),
    (r"\bhow many\b", "number"),
    (r"\b(?:what|find|which) (?:is |was |are )?(?:the |that |this )?(?:[a-z'-]+ ){0,3}(?:number|integer)\b", "number"),
)


# Such a question names no unit, so that 7 more could be hours or minutes.
_UNIT_IS_OPEN = re.compile(
    r"\bhow (?:long|far|tall|high|heavy|fast|wide|deep|quickly)\b|\bwhen\b|"
    r"\b(?:distance|speed|rate|velocity|length|width|height|weight|time)\b(?!s)"
)


def _add(problem: Problem, random: Random) -> Iterator[Rewritten]:
    source = _Source(problem)
    if len(source.answer) > 2:
        raise CannotVary("it asks for more than two things")
    free = [one for one in _LETTERS if one not in source.unknowns]
    if not free:
        raise CannotVary("its gold has three unknowns already")
    if not all(_is_short(value) and value > 0 for value in source.answer):
        raise CannotVary("its answer is negative or has more than two decimals")
    frames = list(_added_frames(source, random) if len(source.answer) == 1 else _combined_frames(source, random))
    if not frames:
        raise CannotVary("no operation on its answers makes sense")
    for sentence, expression, answer in frames:
        draft = _draft(
            source,
            [source.append(sentence)],
            equations=[*source.equations, f"{free[0]} = {expression}"],
            asked=[free[0]],
            answer=[answer],
            roles=[*source.problem.roles, (free[0], "the result")] if source.problem.roles else (),
        )
        found = _prove(source, draft)
        if found is not None:
            yield found


def _result_noun(text: str) -> str:
    low = text.lower()
    return next((noun for pattern, noun in _RESULT_NOUNS if re.search(pattern, low)), "answer")


def _added_frames(source: _Source, random: Random) -> Iterator[tuple[str, str, Fraction]]:
    """Yield sentences that do something with the one answer, with the expression and its value."""
    noun, answer = _result_noun(source.question.text), source.answer[0]
    if noun == "percentage":
        raise CannotVary("it asks for a percentage")
    in_money = noun == "amount" and "$" in source.problem.question
    frames = {"age": _AGE_OPERATIONS, "amount": _MONEY_OPERATIONS if in_money else _OPERATIONS}.get(noun, _OPERATIONS)
    scales_only = _UNIT_IS_OPEN.search(source.question.text.lower()) is not None
    for operation, sentence in random.sample(frames, len(frames)):
        if scales_only and operation in "+-":
            continue
        k = _draw_operand(source, operation, answer, random)
        if k is None:
            continue
        value = {"+": answer + k, "-": answer - k, "*": answer * k, "/": answer / k}[operation]
        yield (
            sentence.format(k=k, noun="answer" if noun == "amount" else noun),
            f"{_group(source.problem.asked[0])} {operation} new1",
            value,
        )


def _group(expression: str) -> str:
    """Return an expression as an operand."""
    return expression if expression.isalnum() else f"({expression})"


def _draw_operand(source: _Source, operation: str, answer: Fraction, random: Random) -> int | None:
    """Return a whole number of a fitting size that the text does not have."""
    if operation in "*/":
        choices = [k for k in range(2, 10) if operation == "*" or not (answer * 10 ** min(decimals_of(answer), 2)) % k]
        choices = [
            k
            for k in choices
            if operation == "*" or (answer / k >= 2 and decimals_of(answer / k) <= decimals_of(answer))
        ]
    else:
        size = int(answer)
        step = 10 ** max(len(str(size)) - 2, 0)
        most = size - 1 if operation == "-" else max(size, 12)
        choices = [step * k for k in range(2, 100) if step * k <= most and 10 * step * k >= size]
    choices = [k for k in choices if k not in source.values]
    return random.choice(choices) if choices else None


_SUM_WORDS = frozenset(split_words("sum total add together combined plus added all altogether"))
_KIND_OF_ROLE: tuple[tuple[str, str], ...] = (
    (r"\bages?\b|\bold\b", "ages"),
    (r"\b(?:speed|rate)\b", "speeds"),
    (r"\b(?:price|cost)\b", "prices"),
    (r"\b(?:number|integer|digit)\b(?! of)", "numbers"),
    (r"\bangle\b", "angles"),
)


def _combined_frames(source: _Source, random: Random) -> Iterator[tuple[str, str, Fraction]]:
    """Yield sentences that combine two answers: their sum, their difference, or more than the larger of them."""
    problem = source.problem
    roles = [problem.role_of.get(name, "") for name in problem.asked]
    kinds = {_kind_of_role(role) for role in roles}
    if len(kinds) > 1 or None in kinds:
        raise CannotVary("its two answers are of different kinds")
    noun = kinds.pop()
    (one, two), (first, second) = problem.asked, source.answer
    if first == second:
        raise CannotVary("its two answers are equal")
    larger, smaller = (one, two) if first > second else (two, one)
    high, low = max(first, second), min(first, second)
    found = [
        ("What is the sum of these {noun} ?", f"{_group(larger)} + {_group(smaller)}", high + low),
        ("What is the difference between these {noun} ?", f"{_group(larger)} - {_group(smaller)}", high - low),
        ("By how much do these {noun} differ ?", f"{_group(larger)} - {_group(smaller)}", high - low),
    ]
    found = [frame for frame in found if frame[2] not in source.values]
    for words, expression in (("larger", larger), ("smaller", smaller)):
        value = high if words == "larger" else low
        k = _draw_operand(source, "+", value, random)
        if k is not None and noun in ("numbers", "ages", "angles"):
            found.append(
                (
                    f"What is {{{k}}} more than the {words} of these {{noun}} ?",
                    f"{_group(expression)} + new1",
                    value + k,
                )
            )
        k = _draw_operand(source, "*", value, random)
        if k is not None:
            found.append(
                (f"What is {{{k}}} times the {words} of these {{noun}} ?", f"{_group(expression)} * new1", value * k)
            )
    random.shuffle(found)
    yield from (
        (sentence.replace("{noun}", noun or "numbers"), expression, value) for sentence, expression, value in found
    )


_AMOUNT_NAMES = {"money": "amounts", "weight": "amounts", "volume": "amounts", "length": "distances", "time": "times"}


def _kind_of_role(role: str) -> str | None:
    """Return what a role speaks of, in the plural; counts and amounts are numbers."""
    low = role.lower()
    found = next((kind for pattern, kind in _KIND_OF_ROLE if re.search(pattern, low)), None)
    if found is not None or not low:
        return found
    words = re.findall(r"[a-z]+", low)
    unit = unit_named(words[0]) if words else None
    if unit is not None and UNITS[unit].family in _AMOUNT_NAMES:
        return _AMOUNT_NAMES[UNITS[unit].family]
    if words[:1] in (["money"], ["amount"], ["dollars"]):
        return "amounts"
    return "numbers" if _is_plural_role(words) else None


def _is_plural_role(words: Sequence[str]) -> bool:
    return words[:2] == ["number", "of"] or any(singular(word) != word for word in words)


# Units: one number in another unit; what is asked for stays in the old one.

_PLURALS = {"inch": "inches", "foot": "feet", "century": "centuries"}
_SMALLEST_CHANGE: dict[tuple[str, str], tuple[Fraction, Fraction]] = {
    # from a unit to another: the least and the most of the new unit that people say
    (one, two): (Fraction(least), Fraction(most))
    for one, two, least, most in (
        ("hour", "minute", "5", "360"), ("minute", "hour", "0.5", "24"), ("minute", "second", "10", "300"),
        ("second", "minute", "0.5", "60"), ("week", "day", "7", "70"), ("day", "week", "1", "20"),
        ("day", "hour", "12", "96"), ("hour", "day", "1", "10"), ("year", "month", "12", "36"),
        ("month", "year", "0.5", "10"), ("foot", "inch", "3", "360"), ("inch", "foot", "0.5", "30"),
        ("yard", "foot", "3", "600"), ("foot", "yard", "1", "200"), ("kilometer", "meter", "100", "20000"),
        ("meter", "kilometer", "0.5", "100"), ("meter", "centimeter", "10", "2000"),
        ("centimeter", "meter", "0.5", "20"), ("centimeter", "millimeter", "5", "1000"),
        ("kilogram", "gram", "100", "20000"), ("gram", "kilogram", "0.1", "100"), ("pound", "ounce", "4", "160"),
        ("ounce", "pound", "0.25", "20"), ("gallon", "quart", "1", "80"), ("quart", "gallon", "0.5", "50"),
        ("gallon", "pint", "4", "80"), ("liter", "milliliter", "100", "20000"),
        ("milliliter", "liter", "0.1", "50"), ("dollar", "cent", "5", "500"), ("cent", "dollar", "0.05", "20"),
    )
}  # fmt: skip
_NOT_AFTER_UNIT = frozenset(
    split_words(
        "per / a an each every old of squared square cubed bill bills coin coins note notes piece pieces stamp "
        "stamps and older younger ago later earlier less more fewer"
    )
)
_NOT_BEFORE_UNIT = frozenset(
    split_words(
        "every each per the these those same last next first this that another all both other few square cubic ratio to"
    )
)
_ASKS_FAMILY: tuple[tuple[str, frozenset[str]], ...] = (
    (r"\bhow (?:far|tall|high|wide|deep)\b|\b(?:distance|length|width|height|perimeter)\b", frozenset({"length"})),
    (r"\bhow long\b", frozenset({"length", "time"})),
    (r"\bhow (?:old|young|soon)\b|\bwhen\b|\btime\b|\bages?\b", frozenset({"time"})),
    (r"\bhow (?:fast|quickly)\b|\b(?:speed|rate|velocity|pace)s?\b", frozenset({"time", "length"})),
    (r"\bhow much (?:does|do|did|will|would|was|is|are)?[\w' ]*\b(?:weigh|weight)\b|\bweigh", frozenset({"weight"})),
    (
        r"\b(?:money|cost|costs|price|pay|paid|spend|spent|earn|earned|profit|change|dollars|save|saved)\b",
        frozenset({"money"}),
    ),
)


def _change_units(problem: Problem, random: Random) -> Iterator[Rewritten]:
    source = _Source(problem)
    fields = [field for _, field in source.movable() if len(field.mentions) == 1]
    random.shuffle(fields)
    seen = False
    for field in fields:
        others = _other_units(source, field)
        random.shuffle(others)
        for edits, value, factor in others[:1]:
            seen = True
            rank = field.mentions[0].rank + 1
            shown = number_literal(factor) if factor.denominator == 1 else f"1/{factor.denominator}"
            draft = _draft(
                source,
                edits,
                equations=[_put(one, rank, f"({shown}*q{rank})") for one in source.equations],
                asked=[_put(one, rank, f"({shown}*q{rank})") for one in problem.asked],
                answer=source.answer,
                roles=problem.roles,
                values={rank: value},
            )
            found = _prove(source, draft)
            if found is not None:
                yield found
    if not seen:
        raise CannotVary("no number has a unit that could be another one")


def _other_units(source: _Source, field: Field) -> list[tuple[list[Edit], Fraction, Fraction]]:
    """Return the edits that give a number another unit, each with the new value and the factor back to the old one."""
    rank = field.mentions[0].rank
    number, around, value = source.problem.numbers[rank], source.arounds[rank], field.value
    if field.mentions[0].style.kind not in ("digits", "word") or value <= 0 or field.bounds.only or around.starts:
        return []
    span = _unit_span(source, number, around)
    if span is None:
        return []
    start, end, unit, noun = span
    found = []
    for (one, other), (least, most) in _SMALLEST_CHANGE.items():
        told = _answer_unit(source, rank, unit, other) if one == unit else None
        if told is None:
            continue
        end_edits = [source.append(told)] if told else []
        factor = UNITS[one].size / UNITS[other].size
        new = value * factor
        places = decimals_of(new)
        if not least <= new <= most or places > (2 if other == "dollar" else 1) or new == 1 or new in source.values:
            continue
        if other == "dollar":
            written = number_text(new) if places == 0 else f"{int(new)}.{int(new * 100 % 100):02d}"
            text = source.spaced(f"$ {written}")
        else:
            plural = _PLURALS.get(other, f"{other}s") if noun == "plural" or (noun == "$" and new > 1) else other
            text = f"{number_text(new)} {plural.upper() if source.problem.question.isupper() else plural}"
        before = source.problem.question[start:end]
        if find_numbers(text)[0].value != new:
            continue
        # The number's own text is replaced with the rest, so that it is found again at the same place.
        found.append(([Edit(start, before, text), *end_edits], new, 1 / factor))
    return found


_AFTER_MONEY = frozenset(
    split_words(
        "each for in on at with if when or apiece more less than from while but the his her he she they then "
        "total of as because so worth"
    )
)
_NOT_AFTER_MONEY = frozenset(split_words("bill bills coin coins and million note notes per an a to -"))
_FLUIDS = frozenset(
    split_words("gallon gallons cup cups liter liters water milk juice drink drinks drank soda coffee tea fluid")
)
_ANIMALS = frozenset(split_words("head heads legs animals cows chickens hens pigs rabbits ducks sheep horses feathers"))


def _unit_span(source: _Source, number: TextNumber, around: NumberContext) -> tuple[int, int, str, str] | None:
    """Return where a number with its unit begins and ends, the unit, and the form of its word."""
    text = source.problem.question
    start, end = number.start or 0, number.end or 0
    if around.glued:
        return None
    if around.previous in ("$",) or text[start - 1 : start] == "$":
        sign = text.rfind("$", 0, start)
        following = around.near[0] if around.near else ""
        bad = following in _NOT_AFTER_MONEY or (following.isalpha() and following not in _AFTER_MONEY)
        return None if bad or sign < 0 else (sign, end, "dollar", "$")
    word = re.match(r" ([A-Za-z]+)\b(?![-/])", text[end:])
    unit = unit_named(word[1]) if word is not None else None
    if word is None or unit is None or UNITS[unit].family not in MEASURED or len(word[1]) < 2:
        return None
    after = around.after[1] if len(around.after) > 1 else ""
    before = around.previous
    if after in _NOT_AFTER_UNIT or before in _NOT_BEFORE_UNIT:
        return None
    if around.after[1:3] in (("in", "a"), ("in", "an"), ("in", "one"), ("in", "each"), ("make", "a")):
        return None  # the size of a unit
    if unit == "ounce" and not _FLUIDS.isdisjoint(source.words.lower):
        return None
    if unit == "foot" and not _ANIMALS.isdisjoint(source.words.lower):
        return None
    whole = len(word[1]) > 3 or word[1].lower() == unit  # not an abbreviation
    plural = "singular" if whole and singular(word[1]) == word[1].lower() and number.value != 1 else "plural"
    return start, end + word.end(), unit, plural


# A working day is no 24 hours: 3 days at 5 hours a day.
_RATES_OF_DAYS = re.compile(
    r"\b(?:per|a|an|each|every|one) (?:\w+ )?(?:day|week)\b|\b(?:daily|weekly|weekends?|workdays?)\b"
)


def _answer_unit(source: _Source, rank: int, unit: str, other_unit: str) -> str | None:
    """Return the sentence that names the unit of the answer, if the text needs one; None if that is not clear."""
    family = UNITS[unit].family
    asking = source.question.text.lower()
    named = {unit_named(word) for word in re.findall(r"[a-z]+|[$¢]", asking.split("how ", 1)[-1][:40])}
    said = any(f"in {word}" in asking for word in UNITS[unit].spellings if len(word) > 1)
    if unit in named and (said or "how many" in asking or re.search(r"\bin (?:[a-z]+ )?[a-z]+ ?\??$", asking)):
        return ""
    if {"day", "week"} & {unit, other_unit} and _RATES_OF_DAYS.search(source.problem.question.lower()):
        return None
    how_many = re.search(r"\bhow many (?:more |fewer |of (?:the|each) )?([a-z-]+)", asking)
    if how_many is not None:
        other = unit_named(how_many[1])
        return "" if other is None or UNITS[other].family != family else None
    if "what time" in asking:
        return None
    if family == "money":
        here = [other for other, near in enumerate(source.arounds) if other != rank and near.unit == "$"]
        if (unit == "dollar") != bool(here):
            return None
    families = [names for pattern, names in _ASKS_FAMILY if re.search(pattern, asking)]
    if not any(family in names for names in families):
        return "" if families or family == "money" else None
    if family == "money" or (unit == "year" and re.search(r"\bhow old\b|\bages?\b", asking)):
        return ""
    if re.search(_SPEEDS, asking):
        return "" if re.search(r"\b(?:mph|km/h|kph|mi/h|m/s|per|an hour)\b", source.problem.question.lower()) else None
    units = {unit_named(near.next) for near in source.arounds} - {None}
    if any(UNITS[other].family == family and other != unit for other in units if other is not None):
        return None
    return f"Give the answer in {_PLURALS.get(unit, unit + 's')} ."


_SPEEDS = r"\bhow (?:fast|quickly)\b|\b(?:speed|rate|velocity|pace)s?\b"


# Missing: a number or a fact is taken away, so that the question cannot be decided.

CANNOT_BE_DECIDED = "it cannot be decided"
"""How the reason of a row begins from which something needed was taken away."""

_BE = frozenset(split_words("is was are were be 's"))
_VERBS = _BE | frozenset(
    split_words(
        "ate baked bakes bought brings brought buy buys catches caught collected collects contains cost costs counted "
        "cut cuts drank drinks drives drove earned earns eats flew found gave gets gives got grew grows had has have "
        "holds invited keeps lasted lasts lost made makes measures need needed needs ordered orders owns paid painted "
        "paints pays picked planted ran read received rode runs saved saw scored scores sees sell sells sold spends "
        "spent takes took traveled travels used uses walked walks wants weighed weighs won worked works writes wrote"
    )
)
_COMPARED = (
    "more fewer less older younger longer shorter taller greater larger smaller heavier lighter faster slower bigger "
    "higher lower cheaper"
)
_COMPARISON = re.compile(rf"(?:[A-Za-z]+ )?(?:{'|'.join(_COMPARED.split())})\b(?: [\w'-]+(?: '?s)?){{0,4}}? than\b")
_IRREGULAR_PLURALS = frozenset(split_words("people children men women feet mice geese"))
_NO_NOUN = frozenset(
    split_words(f"{_COMPARED} dozen dozens times is was has as this plus minus less % percent dollars cents")
) | spellings(["dollar", "cent"])
_ADJECTIVES = frozenset(
    split_words("red blue green yellow white black brown pink purple gray grey new small large big little ripe fresh")
)
_MANY_TIMES = frozenset(split_words("as the his her its their that this older larger more bigger longer"))
_RATE_AFTER = frozenset(split_words("per a an each every / old apart away tall long wide high deep"))
_POINTS_BACK = re.compile(
    r"\b(?:this|these|those|then|rest|remaining|remainder|left|another|it|its|both|that|such|again|also|same|now)\b"
)
_FUNCTION_WORDS = frozenset(
    split_words(
        "the and was were are has have had his her their they them she for with from that this than then how many much "
        "what all into each more less some two three one did does will would he a of in on is it to if at by as be"
    )
)


def _remove(problem: Problem, random: Random) -> Iterator[Rewritten]:
    source = _Source(problem)
    _refuse_spare_numbers(source)
    consistency = Consistency(source.variable)
    fields = [(at, field) for at, field in source.movable() if _is_needed(source, consistency, at)]
    if not fields:
        raise CannotVary("its answer does not change with any one number")
    edits = [edit for _, field in fields for edit in _vague_edits(source, field)]
    edits += _removed_facts(source, [field for _, field in fields])
    random.shuffle(edits)
    if not edits:
        raise CannotVary("no number can be left out of its sentence")
    for edit in edits:
        found = _without(source, edit)
        if found is not None:
            yield found


def _refuse_spare_numbers(source: _Source) -> None:
    """Refuse a text with numbers that gold does not use: what is missing might follow from them."""
    kinds = {
        n.start: n.kind for n in find_numbers(source.problem.question, number_words_of(source.problem), source.rule)
    }
    for at, number in enumerate(source.problem.numbers):
        if source.variable.columns[at] is None:
            kind = kinds.get(number.start or 0, "article")
            if not bounds_of(kind, source.values[at], source.arounds[at], source.words.lower).fixed:
                raise CannotVary("its text has numbers that gold does not use")


_OTHERS = 60  # how many values on each side of a number are tried
_ENOUGH = 2  # how many other values a missing number must be able to have


def _is_needed(source: _Source, consistency: Consistency, at: int) -> bool:
    """Return True if other values of a number fit everything else in the text, and each gives another answer."""
    variable, field = source.variable, source.variable.fields[at]
    step = max(mention.style.step for mention in field.mentions)
    answers = {source.answer}
    for distance in range(1, _OTHERS + 1):
        for value in (field.value + distance * step, field.value - distance * step):
            if value <= 0 or not field.allows(value):
                continue
            values = (*variable.values[:at], value, *variable.values[at + 1 :])
            solution = solve_grounded(variable.system, variable.slot_values(values), source.unknowns)
            if solution.kind is not SolutionKind.UNIQUE:
                continue
            exact = [solution.values[name] for name in source.unknowns]
            alike = all(
                (new > 0) == (old > 0) and decimals_of(new) <= max(decimals_of(old), 0)
                for new, old in zip(exact, variable.solution, strict=True)
            )
            if alike and consistency.accepts(values, exact):
                answers.add(tuple(exact))
                if len(answers) > _ENOUGH:
                    return True
    return False


_ENUMERABLE = 4  # the text may name the members of a smaller group one by one


def _vague_edits(source: _Source, field: Field) -> Iterator[Edit]:
    """Yield the edits that leave a number out, or put *some* or *several* for it."""
    if len(field.mentions) != 1:
        return
    mention = field.mentions[0]
    number, around = source.problem.numbers[mention.rank], source.arounds[mention.rank]
    text = source.problem.question
    start, end = number.start or 0, number.end or 0
    if mention.style.kind not in ("digits", "word") or around.starts or around.glued or field.value < 2:
        return
    asking = max([match.start() for match in re.finditer(r"\b(?:how|what)\b", text[: source.end].lower())], default=0)
    if source.is_asking(number) and start > asking:
        return
    begin = text.rfind("$", 0, start) if around.previous == "$" or text[start - 1] == "$" else start
    words = re.findall(r"[A-Za-z']+", text[:begin])[-1:]
    previous = words[0].lower() if words and re.search(r"[A-Za-z'] $", text[:begin]) else ""
    compared = _COMPARISON.match(text, end + 1)
    if compared is not None and previous in _VERBS and "." not in compared[0]:
        word = re.search(rf"\b(?:{'|'.join(_COMPARED.split())})\b", compared[0])
        skipped = compared[0][: word.start()] if word is not None else ""
        if not skipped or unit_named(skipped.strip()) is not None:
            yield Edit(begin, text[begin : end + 1 + len(skipped)], "")
        return
    if begin < start:
        return
    near = around.near
    if near[:1] == ("times",) and near[1:2] and near[1] in _MANY_TIMES and previous in _VERBS:
        yield Edit(start, number.text, "several")
    if near[:1] and near[0] in _ADJECTIVES:
        near = near[1:]
    noun = near[0] if near else ""
    if not noun.isalpha() or noun in _NO_NOUN or (len(near) > 1 and near[1] in _RATE_AFTER):
        return
    plural = noun in _IRREGULAR_PLURALS or singular(noun) != noun
    unit = unit_named(noun)
    measured = unit is not None and UNITS[unit].family in MEASURED
    if not plural or noun in AGES or not frozenset(_COMPARED.split()).isdisjoint(near[1:4]):
        return
    if measured and (previous in _VERBS - _BE or previous in ("in", "after", "for")):
        yield Edit(start, number.text, "several")
    elif (
        not measured
        and field.value >= _ENUMERABLE
        and (previous in _VERBS - {"costs", "cost", "is", "was", "be", "'s"})
    ):
        yield Edit(start, number.text, "some" if previous not in ("are", "were") else "several")


# Everyone knows how many ounces are in a cup.
_IN_A_UNIT = re.compile(
    rf"\b(?:in|per|equals?|make|is) (?:a|an|one|each|every|1) (?:{'|'.join(sorted(spellings(least=3)))})\b",
    re.IGNORECASE,
)


def _removed_facts(source: _Source, fields: Sequence[Field]) -> Iterator[Edit]:
    """Yield the edits that take away a sentence, or the end of one, and with it every mention of a needed number."""
    text, spans = source.problem.question, sentences_of(source.problem.question)
    for at, span in enumerate(spans[1:-1], 1):
        start = span.end - len(text[span.start : span.end].lstrip())
        after = spans[at + 1].end - len(text[spans[at + 1].start : spans[at + 1].end].lstrip())
        if _IN_A_UNIT.search(span.text) is not None:
            continue
        if span.text.endswith(".") and _has_all(source, fields, start, span.end) and _can_go(text, start, span.end):
            yield Edit(start, text[start:after], "")
    for span in spans[:-1]:
        clause = re.search(
            r" ?, and (?:the|their|his|her|its|together|[A-Z][a-z]+)\b[^,]*?(?= ?\.$)",
            text[span.start : span.end].rstrip(),
        )
        if clause is None or text[span.start : span.end].count(",") - len(re.findall(r"\d,\d", span.text)) > 1:
            continue
        start, end = span.start + clause.start(), span.start + clause.end()
        finite = all(_BE_OR_HAVE.search(part) for part in (text[span.start : start], clause[0]))
        if (
            finite
            and "if" not in span.text.lower().split()
            and _has_all(source, fields, start, end)
            and _can_go(text, start, end)
        ):
            yield Edit(start, text[start:end], "")


_BE_OR_HAVE = re.compile(r"\b(?:is|are|was|were|has|have|had|costs?|weighs?|equals|gives?|makes?|earns?|pays?|adds?)\b")


def _has_all(source: _Source, fields: Sequence[Field], start: int, end: int) -> bool:
    """Return True if a part of the text has every mention of one of some fields, and a fact that the rest needs."""
    inside = {
        position
        for position, field in enumerate(source.variable.fields)
        if field.mentions
        and all(start <= (source.problem.numbers[mention.rank].start or 0) < end for mention in field.mentions)
    }
    return any(
        position in inside and _is_a_fact(source, position, inside)
        for position, field in enumerate(source.variable.fields)
        if field in fields
    )


def _is_a_fact(source: _Source, position: int, inside: Collection[int]) -> bool:
    """Return True if the text cannot be read as if there was nothing to say, as it can without a fee or a discount.

    Either the equations of a number have no number that stays, and the others do not decide the unknowns, or the
    system has no sensible solution if the number is nothing, or if what it divides is nothing.
    """
    variable = source.variable
    columns = [{variable.field_of[slot] for _, _, slots in terms for slot in slots} for terms in variable.system.terms]
    whole = all(columns[at] <= set(inside) for at in range(len(columns)) if position in columns[at])
    left = sum(position not in fields for fields in columns)
    if whole and left < len(source.unknowns):
        return True
    # The other numbers also take other values, so that a difference of equal ones is not nothing by chance.
    points = [variable.values, tuple([value * (1 + Fraction(at + 1, 7)) for at, value in enumerate(variable.values)])]
    return not any(
        _is_sensible(source, values, position, value) for values in points for value in (Fraction(0), _ENDLESS)
    )


_ENDLESS = Fraction(10**9)  # stands for a number without end, so that what it divides is nothing


def _is_sensible(source: _Source, values: Sequence[Fraction], position: int, value: Fraction) -> bool:
    """Return True if a system's solution keeps its signs and its size when one number takes another value."""
    variable = source.variable
    changed = tuple([value if at == position else old for at, old in enumerate(values)])
    before, after = (
        solve_grounded(variable.system, variable.slot_values(one), source.unknowns) for one in (tuple(values), changed)
    )
    if after.kind is not SolutionKind.UNIQUE or before.kind is not SolutionKind.UNIQUE:
        return False
    return all(
        new == old == 0 or (old != 0 and Fraction(1, 1000) < new / old < 1000)
        for new, old in zip(after.values.values(), before.values.values(), strict=True)
    )


def _can_go(text: str, start: int, end: int) -> bool:
    """Return True if nothing after a part of the text speaks of something that only this part names."""
    part, later = text[start:end], text[end:]
    before = {singular(word) for word in re.findall(r"[A-Za-z]+", text[:start])}
    new = {singular(word) for word in re.findall(r"[A-Za-z]+", part)} - before - _FUNCTION_WORDS
    after = {singular(word) for word in re.findall(r"[A-Za-z]+", later)}
    following = re.match(r"[^.?!]*", later.lstrip(" ."))
    names = re.findall(r"(?<!^)\b[A-Z][a-z]+", part.lstrip(" ,"))
    return (
        not new & after
        and not (following is not None and _POINTS_BACK.search(following[0].lower()))
        and not (names and re.search(r"\b(?:he|she|him|her|his|they)\b", later.lower()))
    )


def _without(source: _Source, edit: Edit) -> Rewritten | None:
    """Return the problem without what an edit takes away, as a row that has no gold."""
    problem = source.problem
    values: list[Fraction | None] = list(source.values)
    for at, number in enumerate(problem.numbers):
        if edit.start <= (number.start or 0) < edit.start + len(edit.before):
            values[at] = None
    carried = carry_numbers(problem, source.rule, [edit], values)
    if carried is None:
        return None
    # A row without gold is read as ordinary English.
    found = [(n.start, n.value) for n in find_numbers(carried.question, "ordinary", source.rule)]
    if found != [(number.start, number.value) for number in carried.numbers]:
        return None
    gone = ", ".join(number.text for number, value in zip(problem.numbers, values, strict=True) if value is None)
    made = replace(
        _plain(problem),
        question=carried.question,
        numbers=carried.numbers,
        equations=(),
        solutions=(),
        template=(),
        alignment=(),
        equiv_tnum=(),
        findings=(),
        asked=(),
        roles=(),
        status=REFUSED,
        reason=f"{CANNOT_BE_DECIDED}: without {gone} of the original the text allows several answers",
    )
    return Rewritten(made, (edit,))


KINDS: dict[str, Callable[[Problem, Random], Iterator[Rewritten]]] = {
    "reversed": _reverse,
    "missing": _remove,
    "added": _add,
    "units": _change_units,
}
"""The kinds of variants of this module: each yields variants of a problem, or raises `CannotVary`."""
