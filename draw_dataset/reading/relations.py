"""Relations that a text states: equations, values, definitions in words, and expressions by themselves.

For every equals sign, its sides are the longest expression that ends before it and the longest that begins after it;
``a = b = c`` is one chain. If there is no equals sign, "is" and similar words may replace it: "the other number is 20 -
x". An expression with a name and an operator that is not a side of anything is kept as well: "20 - x dimes" names a
quantity.
"""

from __future__ import annotations

from dataclasses import dataclass

from draw_dataset.reading.expressions import LeadsIn, Parsed, Parser, Unreadable, phrase_key
from draw_dataset.reading.quantities import Literal, Node, is_bare, names_of
from draw_dataset.reading.tokens import COMPARING, COPULAS, FILLERS, JOINING, LEADING, Sort, Token

MAX_RELATIONS = 600  # relations read per text
_REACH = 60  # longest left side, in tokens
_LONGEST_NAME = 16  # tokens in the name of a quantity
_SIGNS = frozenset((Sort.EQUALS, Sort.COMPARISON))
_OPERANDS = frozenset((Sort.NUMBER, Sort.NAME, Sort.CURRENCY))
_IN_NAMES = (Sort.WORD, Sort.NUMBER, Sort.PERCENT, Sort.CURRENCY)


@dataclass(frozen=True, slots=True)
class Relation:
    """One statement of a text."""

    sides: tuple[Node, ...]  # the expressions that are said to be equal, in their order; one if it is only named
    start: int
    end: int
    signs: tuple[str, ...]  # the sign before each further side: ``=``, ``≈``, ``is`` or a comparison
    line: int  # which line of the text it stands on


def relations_of(tokens: list[Token], ranks: int = 0) -> tuple[list[Relation], list[Literal]]:
    """Return the relations of a text and their numbers; q1, q2, … up to `ranks` are numbers of the problem."""
    found: list[Relation] = []
    literals: list[Literal] = []
    parser = Parser(tokens, ranks)
    for start, end, line in _clauses(tokens):
        clause = _Clause(parser, start, end, line, len(literals))
        found += clause.relations()
        literals += clause.literals
        if len(found) >= MAX_RELATIONS:
            break
    return found[:MAX_RELATIONS], literals


def _clauses(tokens: list[Token]) -> list[tuple[int, int, int]]:
    """Return start, end and line of each clause."""
    found: list[tuple[int, int, int]] = []
    start, depth, line = 0, 0, 0
    for place, token in enumerate(tokens):
        sort = token[0]
        if sort not in _BETWEEN:
            continue
        text = token[1]
        if sort is Sort.OPERATOR:
            if text in ("(", "["):
                depth += 1
            elif text in (")", "]") and depth:
                depth -= 1
            continue
        if sort is Sort.COMMA and depth:
            continue
        if text == ":" and 0 < place < len(tokens) - 1 and _is_ratio(tokens, place):
            continue
        depth = 0
        if place > start:
            found.append((start, place, line))
        start = place + 1
        line += text == "\n"
    if start < len(tokens):
        found.append((start, len(tokens), line))
    return found


# The sorts of tokens at which a clause may end, and those that have the brackets.
_BETWEEN = frozenset((Sort.OPERATOR, Sort.STOP, Sort.BOX, Sort.COMMA))


def _is_ratio(tokens: list[Token], place: int) -> bool:
    before, after = tokens[place - 1], tokens[place + 1]
    return before.sort in (Sort.NUMBER, Sort.NAME) and after.sort in (Sort.NUMBER, Sort.NAME) and after.glued


_STATING = frozenset({*COPULAS, "call", "denote"})  # the words by which something is stated without a sign


class _Clause:
    """Finds the relations of one clause from left to right; the numbers of a side are kept only if it is accepted."""

    def __init__(self, parser: Parser, start: int, end: int, line: int, first: int) -> None:
        self.tokens = parser.tokens
        self.literals: list[Literal] = []  # the numbers that were kept
        self.first = first
        self.start, self.end, self.line = start, end, line
        self.parser = parser
        self.found: list[Relation] = []

    def relations(self) -> list[Relation]:
        tokens = self.tokens
        signs = [p for p in range(self.start, self.end) if tokens[p][0] in _SIGNS]
        at = self.start
        index = 0
        while index < len(signs):
            place = signs[index]
            if self._read_labelled(at, place):
                at = signs[index + 1] if index + 1 < len(signs) else self.end
                index += 1
                continue
            left = self._ending_at(at, place)
            if left is None:
                self._without_sign(at, place)
                at = place + 1
                index += 1
                continue
            parsed, begin = left
            sides, used = [self._keep(parsed)], []
            self._without_sign(at, begin)
            sign_at = place
            while index < len(signs) and signs[index] == sign_at:
                limit = signs[index + 1] if index + 1 < len(signs) else self.end
                right = self._from(sign_at + 1, limit)
                if right is None:
                    sign_at += 1
                    index += 1
                    break
                sides.append(self._keep(right))
                used.append(tokens[sign_at].text)
                index += 1
                sign_at = right.after
            if used:
                self._add(sides, used, begin, sign_at)
            at = sign_at
        self._without_sign(at, self.end)
        return self.found

    def _read_labelled(self, start: int, place: int) -> bool:
        """Read two sides that differ in the last letter only (cost of A = cost of B), and return whether they do."""
        tokens = self.tokens
        begin = place - 1
        if begin <= start or tokens[begin].sort is not Sort.NAME:
            return False
        while begin > start and tokens[begin - 1].sort is Sort.WORD and tokens[begin - 1].text not in LEADING:
            begin -= 1
        length = place - begin
        stop = place + 1 + length
        if length < 2 or stop > self.end or tokens[stop - 1].sort is not Sort.NAME:
            return False
        words, others = tokens[begin : place - 1], tokens[place + 1 : stop - 1]
        if [token.text for token in words] != [token.text for token in others]:
            return False
        if stop < self.end and tokens[stop].sort is not Sort.EQUALS:
            return False
        self._without_sign(start, begin)
        one, other = tokens[place - 1].text, tokens[stop - 1].text
        self._add([("name", one), ("name", other)], [tokens[place].text], begin, stop)
        return True

    def _add(self, sides: list[Node], signs: list[str], begin: int, end: int) -> None:
        start, stop = self.tokens[begin].start, self.tokens[max(end - 1, begin)].end
        self.found.append(Relation(tuple(sides), start, stop, tuple(signs), self.line))

    def _keep(self, parsed: Parsed) -> Node:
        """Keep the numbers of an expression, and return it."""
        self.literals += parsed.literals
        return parsed.node

    def _parse(self, at: int, end: int, pending: int = 0) -> Parsed:
        """Return the longest expression from a place on; `pending` numbers may be kept before its own."""
        return self.parser.expression(at, end, self.first + len(self.literals) + pending)

    def _ending_at(self, start: int, end: int, pending: int = 0) -> tuple[Parsed, int] | None:
        """Return the longest expression that ends at a place, and where it begins."""
        read_from = max(start, end - _REACH)
        for begin in range(read_from, end):
            if begin < read_from:
                continue
            token = self.tokens[begin]
            if token.sort is Sort.OPERATOR and token.text not in ("(", "[", "-"):
                continue
            if token.text == "-" and begin > start and not self._may_be_sign(begin):
                continue
            try:
                parsed = self._parse(begin, end, pending)
            except LeadsIn:
                read_from = self.parser.words.skip_words(begin, end)
                continue
            except Unreadable:
                continue
            if parsed.after == end or self._only_words(parsed.after, end):
                if self._explains(start, begin):
                    return None
                if is_bare(parsed.node) and start < begin == end - 1 and self._is_numbered(begin):
                    return self._numbered(start, begin)
                return parsed, begin
        return None

    def _explains(self, start: int, begin: int) -> bool:
        """Decide whether a bracket explains the last of several words: wage (9x) minus the fine (40 - x) = 50."""
        if self.tokens[begin].text not in ("(", "[") or begin == start:
            return False
        before = self.tokens[begin - 1]
        if before.sort is not Sort.WORD or before.text in LEADING or before.text in FILLERS:
            return False
        return any(token.text in JOINING or token.text in "+*/" for token in self.tokens[start:begin])

    def _is_numbered(self, place: int) -> bool:
        """Decide whether a number belongs to the word before it, as in Plan 2 = 65 + 0.4x."""
        number, before = self.tokens[place], self.tokens[place - 1]
        return (
            number.value is not None and number.value in range(1, 10) and number.text.isdigit()
            and before.sort is Sort.WORD and before.text not in LEADING and before.text not in FILLERS
        )  # fmt: skip

    def _numbered(self, start: int, place: int) -> tuple[Parsed, int] | None:
        begin = place
        while begin > start and self.tokens[begin - 1].sort is Sort.WORD:
            begin -= 1
        key = phrase_key([token.text for token in self.tokens[begin:place]])
        return (Parsed(("name", f"{key} {self.tokens[place].text}"), place + 1, []), begin) if key else None

    def _may_be_sign(self, place: int) -> bool:
        before = self.tokens[place - 1]
        return before.sort not in (Sort.NUMBER, Sort.NAME) and before.text not in (")", "]")

    def _only_words(self, start: int, end: int) -> bool:
        """Decide whether only remarks stand between a side and its sign."""
        place = start
        while place < end:
            token = self.tokens[place]
            if token.text in ("(", "["):
                close = self.parser.words.closing(place, end)
                if close is None or not self.parser.words.is_remark(place, close):
                    return False
                place = close + 1
            elif token.sort is Sort.WORD and place - start < 6:
                place += 1
            else:
                return False
        return True

    def _from(self, start: int, end: int) -> Parsed | None:
        """Return the longest expression from a place on, up to the place after its remarks."""
        while start < end and self.tokens[start].sort is Sort.WORD and self.tokens[start].text in FILLERS:
            start += 1
        try:
            parsed = self._parse(start, end)
        except Unreadable:
            return None
        if parsed.after < end and self._only_words(parsed.after, end):
            return parsed._replace(after=self._next_of_list(parsed.after, end) if is_bare(parsed.node) else end)
        return parsed

    def _next_of_list(self, start: int, end: int) -> int:
        """Return where the next name of a list begins (Ann = 24 and Ben = 8); the end if there is none."""
        if end >= self.end or self.tokens[end].sort is not Sort.EQUALS:
            return end
        return next((place for place in range(start, end - 1) if self.tokens[place].text == "and"), end)

    def _without_sign(self, start: int, end: int) -> None:
        """Find the relations in words, and the expressions, of a stretch without equals signs."""
        tokens = self.tokens
        at = start
        for place in range(start, end):
            text = tokens[place][1]
            if text not in _STATING or place < at or tokens[place].sort is not Sort.WORD:
                continue
            done = self._by_copula(at, place, end) if text in COPULAS else self._by_call(place + 1, end)
            if done is not None:
                at = done
        self._expressions(at, end)

    def _by_copula(self, start: int, place: int, end: int) -> int | None:
        tokens = self.tokens
        right = self._from(place + 1, end)
        if right is None or place == start:
            return None
        before = tokens[place - 1]
        left: tuple[Parsed, int] | None = None
        if before.sort is Sort.WORD or before.sort is Sort.PERCENT or before.text == ")":
            begin = place
            while begin > start and tokens[begin - 1].sort in _IN_NAMES and place - begin < _LONGEST_NAME:
                begin -= 1
            key = phrase_key([token.text for token in tokens[begin:place] if token.sort is not Sort.CURRENCY])
            if key and any(token.sort is Sort.WORD for token in tokens[begin:place]):
                left = Parsed(("name", key), place, []), begin
        else:
            left = self._ending_at(start, place, pending=len(right.literals))
        if left is None or is_bare(left[0].node) or (is_bare(right.node) and self._compares(right.after, end)):
            return None
        if all(side.node[0] == "name" and len(side.node[1]) > 2 for side in (left[0], right)):
            return None  # words on both sides: a sentence
        sides = [self._keep(right), self._keep(left[0])]
        self._add(sides[::-1], ["is"], left[1], right.after)
        return right.after

    def _compares(self, start: int, end: int) -> bool:
        """Decide whether words after a number make it part of a comparison: B is 4 years older than E."""
        return any(self.tokens[place].text in COMPARING for place in range(start, min(end, start + 5)))

    def _by_call(self, start: int, end: int) -> int | None:
        """Read "call the number of hours h"."""
        tokens = self.tokens
        place = start
        while place < end and place - start < _LONGEST_NAME and tokens[place].sort is Sort.WORD:
            place += 1
        if place == start or place >= end or tokens[place].sort is not Sort.NAME:
            return None
        key = phrase_key([token.text for token in tokens[start:place]])
        if not key:
            return None
        self._add([("name", tokens[place].text), ("name", key)], ["is"], start, place + 1)
        return place + 1

    def _expressions(self, start: int, end: int) -> None:
        at = start
        while at < end:
            token = self.tokens[at]
            if token[0] in _OPERANDS or token[1] in ("(", "["):
                try:
                    parsed = self._parse(at, end)
                except Unreadable:
                    at += 1
                    continue
                node = parsed.node
                if not is_bare(node) and node[0] != "name" and not any(" " in name for name in names_of(node)):
                    self._add([self._keep(parsed)], [], at, parsed.after)
                at = max(parsed.after, at + 1)
            else:
                at += 1
