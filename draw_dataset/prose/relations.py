"""Relations: what a text states. Equations, values, definitions in words, and expressions by themselves.

For every equals sign, its sides are the longest expression that ends before it and the longest that begins after it;
``a = b = c`` is one chain. If there is no equals sign, "is" and similar words may replace it: "the other number is 20 -
x". An expression with a name and an operator that is not a side of anything is kept as well: "20 - x dimes" names a
quantity.
"""

from __future__ import annotations

from dataclasses import dataclass

from draw_dataset.core.quantities import Literal, Node, is_bare, names_of
from draw_dataset.prose.expressions import LeadsIn, Parser, Unreadable
from draw_dataset.prose.tokens import Sort, Token
from draw_dataset.prose.vocabulary import COMPARING, COPULAS, FILLERS, JOINING, LEADING
from draw_dataset.prose.wording import phrase_key

MAX_RELATIONS = 600
"""How many relations of one text are read."""

_REACH = 60
"""How many tokens before an equals sign its left side may begin."""

_LONGEST_NAME = 16
"""How many tokens the name of a quantity may have."""

_SIGNS = frozenset((Sort.EQUALS, Sort.COMPARISON))
_OPERANDS = frozenset((Sort.NUMBER, Sort.NAME, Sort.CURRENCY))
_IN_NAMES = (Sort.WORD, Sort.NUMBER, Sort.PERCENT, Sort.CURRENCY)


@dataclass(frozen=True, slots=True)
class Relation:
    """Something that a text states.

    Attributes:
        sides: the expressions that are said to be equal, in their order; one if it is only named.
        start: where it begins in the plain text.
        end: where it ends.
        signs: the sign before each further side: ``=``, ``≈``, ``is`` or a comparison.
        line: which line of the text it stands on.
    """

    sides: tuple[Node, ...]
    start: int
    end: int
    signs: tuple[str, ...]
    line: int


def relations_of(tokens: list[Token], literals: list[Literal], ranks: int = 0) -> list[Relation]:
    """Return what a text states, in its order; their numbers are put into `literals`.

    Args:
        tokens: the tokens of the text.
        literals: where the numbers are put.
        ranks: how many numbers the problem has, that may be written as q1, q2, …
    """
    found: list[Relation] = []
    parser = Parser(tokens, literals, ranks)
    for start, end, line in _clauses(tokens):
        found += _Clause(parser, start, end, line).relations()
        if len(found) >= MAX_RELATIONS:
            break
    return found[:MAX_RELATIONS]


def _clauses(tokens: list[Token]) -> list[tuple[int, int, int]]:
    """Return where clauses begin and end, and their lines."""
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


_BETWEEN = frozenset((Sort.OPERATOR, Sort.STOP, Sort.BOX, Sort.COMMA))
"""The sorts of tokens at which a clause may end, and those that have the brackets."""


def _is_ratio(tokens: list[Token], place: int) -> bool:
    before, after = tokens[place - 1], tokens[place + 1]
    return before.sort in (Sort.NUMBER, Sort.NAME) and after.sort in (Sort.NUMBER, Sort.NAME) and after.glued


_STATING = frozenset({*COPULAS, "call", "denote"})
"""The words by which something is stated without a sign."""


class _Clause:
    """One clause: finds what it states from left to right."""

    def __init__(self, parser: Parser, start: int, end: int, line: int) -> None:
        self.tokens = parser.tokens
        self.literals = parser.literals
        self.start = start
        self.end = end
        self.line = line
        self.parser = parser
        self.found: list[Relation] = []

    def relations(self) -> list[Relation]:
        tokens = self.tokens
        signs = [p for p in range(self.start, self.end) if tokens[p][0] in _SIGNS]
        at = self.start
        index = 0
        while index < len(signs):
            place = signs[index]
            if self._labelled(at, place):
                at = signs[index + 1] if index + 1 < len(signs) else self.end
                index += 1
                continue
            left = self._ending_at(at, place)
            if left is None:
                self._without_sign(at, place)
                at = place + 1
                index += 1
                continue
            node, begin = left
            self._without_sign(at, begin)
            sides, used = [node], []
            sign_at = place
            while index < len(signs) and signs[index] == sign_at:
                limit = signs[index + 1] if index + 1 < len(signs) else self.end
                right = self._from(sign_at + 1, limit)
                if right is None:
                    sign_at += 1
                    index += 1
                    break
                node, after = right
                sides.append(node)
                used.append(tokens[sign_at].text)
                index += 1
                sign_at = after
            if used:
                self._add(sides, used, begin, sign_at)
            at = sign_at
        self._without_sign(at, self.end)
        return self.found

    def _labelled(self, start: int, place: int) -> bool:
        """Read what is the same but for a letter after it: cost of A = cost of B."""
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

    def _ending_at(self, start: int, end: int) -> tuple[Node, int] | None:
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
            kept = len(self.literals)
            try:
                node, after = self.parser.expression(begin, end)
            except LeadsIn:
                del self.literals[kept:]
                read_from = self.parser.words.skip_words(begin, end)
                continue
            except Unreadable:
                del self.literals[kept:]
                continue
            if after == end or self._only_words(after, end):
                if self._explains(start, begin):
                    del self.literals[kept:]
                    return None
                if is_bare(node) and start < begin == end - 1 and self._is_numbered(begin):
                    del self.literals[kept:]
                    return self._numbered(start, begin)
                return node, begin
            del self.literals[kept:]
        return None

    def _explains(self, start: int, begin: int) -> bool:
        """Say whether a bracket belongs to the last of several things: his wage (9x) minus the fine (40 - x) = 50."""
        if self.tokens[begin].text not in ("(", "[") or begin == start:
            return False
        before = self.tokens[begin - 1]
        if before.sort is not Sort.WORD or before.text in LEADING or before.text in FILLERS:
            return False
        return any(token.text in JOINING or token.text in "+*/" for token in self.tokens[start:begin])

    def _is_numbered(self, place: int) -> bool:
        """Say whether a number belongs to the word before it, as in Plan 2 = 65 + 0.4x."""
        number, before = self.tokens[place], self.tokens[place - 1]
        return (
            number.value is not None and number.value in range(1, 10) and number.text.isdigit()
            and before.sort is Sort.WORD and before.text not in LEADING and before.text not in FILLERS
        )  # fmt: skip

    def _numbered(self, start: int, place: int) -> tuple[Node, int] | None:
        begin = place
        while begin > start and self.tokens[begin - 1].sort is Sort.WORD:
            begin -= 1
        key = phrase_key([token.text for token in self.tokens[begin:place]])
        return (("name", f"{key} {self.tokens[place].text}"), begin) if key else None

    def _may_be_sign(self, place: int) -> bool:
        before = self.tokens[place - 1]
        return before.sort not in (Sort.NUMBER, Sort.NAME) and before.text not in (")", "]")

    def _only_words(self, start: int, end: int) -> bool:
        """Say whether only remarks stand between a side and its sign."""
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

    def _from(self, start: int, end: int) -> tuple[Node, int] | None:
        """Return the longest expression from a place on and the place after it and its remarks."""
        while start < end and self.tokens[start].sort is Sort.WORD and self.tokens[start].text in FILLERS:
            start += 1
        kept = len(self.literals)
        try:
            node, after = self.parser.expression(start, end)
        except Unreadable:
            del self.literals[kept:]
            return None
        if after < end and self._only_words(after, end):
            after = end
        return node, after

    def _without_sign(self, start: int, end: int) -> None:
        """Find what a stretch without equals signs states by words, and the expressions in it."""
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
        kept = len(self.literals)
        right = self._from(place + 1, end)
        if right is None:
            return None
        node, after = right
        before = tokens[place - 1] if place > start else None
        if before is None:
            del self.literals[kept:]
            return None
        left: tuple[Node, int] | None = None
        if before.sort is Sort.WORD or before.sort is Sort.PERCENT or before.text == ")":
            begin = place
            while begin > start and tokens[begin - 1].sort in _IN_NAMES and place - begin < _LONGEST_NAME:
                begin -= 1
            key = phrase_key([token.text for token in tokens[begin:place] if token.sort is not Sort.CURRENCY])
            if key and any(token.sort is Sort.WORD for token in tokens[begin:place]):
                left = ("name", key), begin
        else:
            left = self._ending_at(start, place)
            if left is not None and is_bare(left[0]):
                left = None
        if left is None:
            del self.literals[kept:]
            return None
        if is_bare(node) and self._compares(after, end):
            del self.literals[kept:]
            return None
        if right[0][0] == "name" and left[0][0] == "name" and len(left[0][1]) > 2 and len(right[0][1]) > 2:
            del self.literals[kept:]
            return None  # words on both sides: a sentence
        self._add([left[0], node], ["is"], left[1], after)
        return after

    def _compares(self, start: int, end: int) -> bool:
        """Say whether words after a number make it part of a comparison: B is 4 years older than E."""
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
                kept = len(self.literals)
                try:
                    node, after = self.parser.expression(at, end)
                except Unreadable:
                    del self.literals[kept:]
                    at += 1
                    continue
                if not is_bare(node) and node[0] != "name" and not any(" " in name for name in names_of(node)):
                    self._add([node], [], at, after)
                else:
                    del self.literals[kept:]
                at = max(after, at + 1)
            else:
                at += 1
