r"""Result of an answer: its final numbers.

The last explicit mark wins: a box, ``####``, "the answer is", ``Answer:``, or the final field of an answer in JSON
(`draw_dataset.reading.plain` writes boxes for those fields, and ``Answer:`` for ``####``). Several marks in a row, with
no number between them, give the values of several unknowns. Without a mark the result is in the conclusion: the last
paragraph, and the one before a check.

A problem with one unknown has one result (`single_result`): it is sought in the last mark, or in the last clause that
has a number. A list of candidates, "41, 42 or 43", is no result. An answer that ends within a thought has none.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import itemgetter

from draw_dataset.algebra.number import is_rounded
from draw_dataset.reading.plain import BOX_CLOSE, BOX_OPEN
from draw_dataset.reading.tokens import Sort, Token
from draw_dataset.text.lexicon import singular
from draw_dataset.text.tokens import Spotter


@dataclass(frozen=True, slots=True)
class Final:
    """A number that an answer gives as its result."""

    value: Fraction  # the number, with its sign
    start: int
    end: int
    step: Fraction  # unit of the last written digit
    marked: bool
    percent: bool
    unit: tuple[str, ...] = ()  # the words beside it: a currency sign before it, or up to four words after it
    last: bool = True  # whether it stands in the last mark, or in the closing clause
    candidate: bool = False  # whether it is one of several values that are offered: 41, 42 or 43


_MARK = re.compile(
    r"^[ ]*A[ ]*:|<answer>"
    r"|\b(?:answers?|ответ|respuesta|réponse|antwort|resposta|risposta)\b"
    r"(?:[ ](?:to|for|of|in)\b[^\n.=:?!,\d\x02]{0,60}?)?[ ]*(?::|=|\b(?:is|are)\b)"
    r"|^[ ]*(?:the )?(?:final )?answer[ ]*$|答案(?:是|:|：)",
    re.MULTILINE | re.IGNORECASE,
)
MAX_FINALS = 60  # numbers in a result, counted from the end; real answers give up to 35
MAX_LINES = 4  # lines of a conclusion if an answer has no paragraphs
MAX_TAIL = 400  # characters read after a mark for the values of several unknowns
MILLION = 10**6
_SCALES = {"thousand": 1000, "hundred": 100, "k": 1000}
_ONE = Fraction(1)
_DIGIT = re.compile(r"\d")
_VISIBLE = re.compile(r"\S")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|(?<![:=])\n")


def finals_of(text: str, tokens: list[Token], steps: Sequence[tuple[int, int]] = ()) -> list[Final]:
    """Return the final numbers of an answer in their order; numbers in `steps`, spans of equations, do not count."""
    text = text[: _farewell(text)]
    check = _last_check(text)
    if _is_empty_mark(text):
        return []
    regions = _marked_regions(text, tokens, len(text) if check is None else check)
    taken_back = _retraction(text)
    regions = [region for region in regions if region[1] > taken_back]
    if regions:
        first, last = regions[0][0], regions[-1]
        boxed = text[first - 1 : first] == BOX_OPEN
        end = last[1] if boxed else min(len(text), max(last[1], first + MAX_TAIL))
        found = _numbers(text, tokens, (first, end), last, marked=True)
        if boxed:
            found = [final for final in found if _covers(regions, final.start)]
        found = [final for final in found if final.start >= taken_back]
        if found:
            return _as_candidates(text, _without_denied(text, found)[-MAX_FINALS:])
    start = max(tail_start(text), taken_back)
    found = _numbers(text, tokens, (start, len(text)), _closing(text, start, len(text)), marked=False)
    if check is not None and check <= start:
        # The result stands before its check.
        end = len(text[:check].rstrip())
        begin = tail_start(text[:end])
        result = _numbers(text, tokens, (begin, end), _closing(text, begin, end), marked=False)
        if result:
            found = [replace(final, last=False) for final in found] + result
    found = _without_denied(text, found)[-MAX_FINALS:]
    return [final for final in found if not _covers(steps, final.start)] or found


_FAREWELL = re.compile(
    r"(?:(?<=[.!?\n])|(?<=[.!?] ))[ ]*(?:I hope (?:this|that|it) helps|let me know|feel free|if you have any|"
    r"(?:I'?m |I am )?happy to help|do you (?:have|want|need)|would you like)\b",
    re.IGNORECASE,
)
_RETRACTION = Spotter.of(
    r"(?:^|(?<=[.!?,\n\x03])|(?<=[.!?,\x03] ))(?:wait|actually|correction|scratch that|oops|"
    r"let me (?:re-?compute|re-?calculate|redo))\b"
    r"|\b(?:that|this)(?:'s| is| was) (?:wrong|incorrect|not right|not correct)\b|(?<=\d), no,",
    ("wait", "actually", "correct", "scratch that", "oops", "let me re", "wrong", "not right", ", no,"),
)
_LATE = 500  # characters at the end of an answer in which a result is taken back, or a reader is seen off


def _farewell(text: str) -> int:
    """Return where an answer ends and only the reader is seen off: let me know if you have 2 or 3 more questions."""
    found = _FAREWELL.search(text, max(len(text) - _LATE, 0))
    if found is None or not _DIGIT.search(text, 0, found.start()):
        return len(text)
    marked = BOX_OPEN in text[found.end() :] or _MARK.search(text, found.end()) is not None
    return len(text) if marked else found.start()


def _retraction(text: str) -> int:
    """Return the end of the last words that take a result back, if a number follows; else 0."""
    start = max(len(text) - _LATE, 0)
    if not _RETRACTION.may_find(text[start:]):
        return 0
    places = [found.end() for found in _RETRACTION.pattern.finditer(text, start)]
    return next((place for place in reversed(places) if _DIGIT.search(text, place)), 0)


_MULTIPLE = re.compile(
    r"(?:\b(?:half|twice|double|triple|thrice|between|from|quarter|third)(?: of)?|\btimes|sqrt\(|"
    r"(?:[\x02:]|\bis)[ ]*[<>≤≥])[ ]*[$€£]?\Z",
    re.IGNORECASE,
)
_POWER = re.compile(r"[ ]*\^[ ]*\(?\d")
_JOINED = re.compile(r"[ ]*(?:[-+*^]|[<≤][ ]*[A-Za-z][ ]*[<≤])[ ]*[$€£]?[ ]*(?=[\d.])")


def _as_candidates(text: str, found: list[Final]) -> list[Final]:
    """Return the numbers of a mark, those that are only a part of what it says as candidates: 2 * 43, half of 43."""
    result = list(found)
    for at, final in enumerate(found):
        if not final.last:
            continue
        joined = at + 1 < len(found) and _JOINED.match(text, final.end) is not None
        before = _MULTIPLE.search(text, max(final.start - 24, 0), final.start)
        if joined or before or _POWER.match(text, final.end):
            result[at] = replace(final, candidate=True)
        if joined:
            result[at + 1] = replace(found[at + 1], candidate=True)
    return result


_NO_NUMBER = re.compile(
    r"(?:\banswer[ ]*(?::|=|is\b)|\x02)[ ]*(?!correct|right|confirmed|verified|valid)"
    r"(?:[^\W\d]++[ -]*+){0,8}[.\x03]*+\s*\Z",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:not|never|(?:is|are|was|were)n'?t|(?P<bound>(?:less|more|fewer|greater) than))[ ]+(?:[a-z]+[ ]+)?[$€£]?\Z",
    re.IGNORECASE,
)


_DENIED_AFTER = re.compile(
    r"[ ]*(?:is|was|would be)(?: also)? (?:wrong|incorrect|not (?:right|correct))\b", re.IGNORECASE
)


def _without_denied(text: str, found: Sequence[Final]) -> list[Final]:
    """Return the final numbers without those that are denied; what the last one denies is nowhere the result."""
    last = found[-1].value if found and _is_denied(text, found[-1]) else None
    return [final for final in found if final.value != last and not _is_denied(text, final)]


def _is_empty_mark(text: str) -> bool:
    """Decide whether an answer ends in a mark that holds words and no number: Answer: none."""
    return _NO_NUMBER.search(text, max(len(text.rstrip()) - 60, 0)) is not None


def _is_denied(text: str, final: Final) -> bool:
    """Decide whether a number is said not to be the result: not 43, or a mark with "less than 60"."""
    if _DENIED_AFTER.match(text, final.end):
        return True
    found = _DENIED.search(text[max(final.start - 24, 0) : final.start])
    return found is not None and (final.marked or found["bound"] is None)


def _covers(spans: Sequence[tuple[int, int]], place: int) -> bool:
    """Decide whether a place is in one of several spans, in their order."""
    at = bisect_right(spans, place, key=itemgetter(0)) - 1
    return at >= 0 and place < spans[at][1]


def _marked_regions(text: str, tokens: list[Token], check: int) -> list[tuple[int, int]]:
    """Return the spans of the last mark and of the marks before that belong to it.

    "Answer:" may also head a whole solution: then calculations follow, and it is no mark of the result.
    """
    regions = _boxes(tokens) if BOX_OPEN in text else []
    equals = next((t.start for t in reversed(tokens) if t.sort is Sort.EQUALS and t.start < check), -1)
    end = 0
    for match in _MARK.finditer(text):
        start = next(_VISIBLE.finditer(text, match.end()), match).start()
        if start >= end:
            end = _end_of_sentence(text, start, len(text))
        alone = _ALONE.match(text, match.start())
        end = end if alone is None else alone.end()
        if (equals < end or alone) and not _CHECK.match(text, text.rfind("\n", 0, match.start()) + 1):
            regions.append((match.end(), end))
    regions.sort()
    # A mark within another one is the more exact: the answer is \boxed{12} dollars.
    kept: list[tuple[int, int]] = []
    for region in regions:
        if kept and region[0] < kept[-1][1]:
            kept.pop()
        if _DIGIT.search(text, *region):
            kept.append(region)
    first = len(kept) - 1
    while first > 0 and _DIGIT.search(text, kept[first - 1][1], kept[first][0]) is None:
        first -= 1
    return kept[max(first, 0) :]


# Matches a mark that holds only a number, perhaps with its unit: it counts though calculations follow.
_ALONE = re.compile(
    r"(?:<answer>|(?:final )?answer[ ]*:)[ ]*[$€£]?\d[\d,]*+(?:\.\d+)?+[%°]?(?:[ ][A-Za-z]+){0,2}[ ]*\.?"
    r"(?=\n|</answer>|\Z)",
    re.IGNORECASE,
)


def _boxes(tokens: list[Token]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    opened: int | None = None
    for token in tokens:
        if token.sort is Sort.BOX:
            if token.text == BOX_OPEN:
                opened = token.end
            elif opened is not None:
                found.append((opened, token.start))
                opened = None
    return found


_THEREFORE = re.compile(
    r"(?:^|(?<=[.!?\n]))[ ]*(?:therefore|thus|hence|in conclusion|conclusion|to conclude)\b",
    re.IGNORECASE | re.MULTILINE,
)
_CLAUSE = re.compile(
    r"[,;] (?:and )?(?:so|therefore|thus|hence)\b"
    r"|\b(?:gives?(?: us)?|yields|equals|makes|leaves|leaving|totals|totaling|comes to|amounts to|adds up to)\b",
    re.IGNORECASE,
)
_SINCE = re.compile(r"\s*(?:since|because|as|if|after|given)\b", re.IGNORECASE)
_COMMA = re.compile(r",(?!\d)")


def _closing(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the closing clause: of the last "therefore" after all calculations, or of the last sentence with a number.

    It begins after the last ", so" or verb such as "gives"; in a sentence with "since …," after the last comma.
    """
    begin, after = start, end
    for match in _THEREFORE.finditer(text, max(start, text.rfind("=", start, end)), end):
        stop = _end_of_sentence(text, match.end(), end)
        if _DIGIT.search(text, match.end(), stop) is not None:
            begin, after = match.end(), stop
    if begin == start:
        for match in _SENTENCE_END.finditer(text, begin, max(_last_digit(text, end), begin)):
            begin = match.end()
    digit = _last_digit(text, after)
    for pattern in (_COMMA, _CLAUSE) if _SINCE.match(text, begin) else (_CLAUSE,):
        for match in pattern.finditer(text, begin, max(digit, begin)):
            begin = match.end()
    return begin, after


def _end_of_sentence(text: str, start: int, end: int) -> int:
    found = _SENTENCE_END.search(text, start, end)
    return end if found is None else found.start()


def _last_digit(text: str, end: int) -> int:
    """Return the last digit before a place; -1 if there is none."""
    return max(text.rfind(digit, 0, end) for digit in "0123456789")


def single_result(
    finals: Sequence[Final], question: str, results: Collection[Fraction], given: Collection[Fraction]
) -> list[Final]:
    """Return the one final number of an answer; several where nothing tells which is meant.

    Several numbers may stand in one closing clause: "she walks at 2 mph for the remaining 6 miles". The one meant is
    the first after the last equals sign; else the one beside the words that the question asks for; else one of
    `results`, the last result and the values of unknowns; else the one that is not `given` in the problem.
    """
    closing = [final for final in finals if final.last] or list(finals)
    if any(final.candidate for final in closing):
        return []
    rules: tuple[Callable[[Final], bool], ...] = (
        lambda final: _is_asked_for(final, question),
        lambda final: any(is_rounded(result, abs(final.value), final.step) for result in results),
        lambda final: final.value not in given,
    )
    for rule in rules:
        if _is_one(closing):
            break
        closing = [final for final in closing if rule(final)] or closing
    return closing


def _is_one(finals: Sequence[Final]) -> bool:
    """Decide whether numbers are the same one, written again or in two units."""
    return len({final.value for final in finals}) == 1 or len({final.start for final in finals}) == 1


_ASKED_NOUN = re.compile(
    r"\bhow many\s+((?:[a-z'-]{1,30}\s+){0,2}[a-z'-]{1,30})|\bhow (?:fast|quickly)\b|\b(?:speed|rate|pace)\b",
    re.IGNORECASE,
)
_RATE = re.compile(r"(?:\S+ )?(?:per|an|a) (?:second|minute|hour|day|week|month|year|h|s|min)\b|(?:mph|kph|kmh)\b")


def _is_asked_for(final: Final, question: str) -> bool:
    """Decide whether the words beside a number are those that the last question asks for."""
    matches = list(_ASKED_NOUN.finditer(question))
    if not matches:
        return False
    asked = matches[-1]
    rate = _RATE.match(" ".join(final.unit)) is not None
    if asked[1] is None:
        return rate
    nouns = {singular(word) for word in asked[1].lower().split()} - _COMMON
    return (not rate or "per" in asked[1]) and any(singular(word) in nouns for word in final.unit)


_COMMON = frozenset({"of", "the", "more", "total", "doe", "did", "do", "are", "i", "in", "a", "will", "each", "per"})


_WITHOUT = re.compile(
    r"\b(?:no (?:real |valid |possible |unique )?(?:solutions?|answer)|impossible|not possible|typo|contradict\w*"
    r"|cannot (?:be )?(?:solved?|determined?|find|have)|can't (?:be )?(?:solved?|find)|not enough information"
    r"|does(?:n't| not) make sense|made (?:an error|a mistake))\b",
    re.IGNORECASE,
)


def gives_up(text: str) -> bool:
    """Decide whether an answer concludes that there is no solution."""
    return _WITHOUT.search(text, max(tail_start(text), len(text) - 700)) is not None


_UNDECIDED = re.compile(
    r"\b(?:can(?:not|[ ]not|'t)|could(?:[ ]not|n't)|unable|impossible|not[ ](?:possible|able|be[ ]able)|no[ ]way)"
    r"(?:[ ]+(?:be|to|for|me|us|you|one|even|tell|for[ ]sure|[a-z]+ly))*[ ]+"
    r"(?:determin|solv|answer|calculat|comput|find|found|know|tell|told|say|said|decid|figur|work(?:ed)?[ ]out"
    r"|conclud|infer|deduc|deriv|establish|specif)\w*"
    r"|\b(?:not|\w+n't|no|without|lack\w*|too[ ]little|insufficient|inadequate|missing|incomplete|needs?|needed)"
    r"[ ]+(?:[a-z]+[ ]+){0,2}(?:information|data|details?|facts)\b"
    r"|\b(?:information|data)[ ]+(?:[a-z]+[ ]+){0,3}(?:missing|incomplete|insufficient|lacking)\b"
    r"|\b(?:undetermined|undeterminable|indeterminate|under-?[ ]?determined|undecid(?:ed|able)|unanswerable|unsolvable"
    r"|unknowable|not[ ](?:\w+ly[ ]|well[- ])?(?:determined|determinable|solvable|answerable|defined)|ambiguous"
    r"|infinitely[ ]many|no[ ](?:unique|single|one|definit(?:e|ive)|numerical|valid|real|possible)[ ]"
    r"(?:solution|answer|value)"
    r"|no[ ](?:solution|answer)\b|more[ ]than[ ]one[ ](?:possible[ ])?(?:solution|answer|value)"
    r"|many[ ](?:possible[ ])?(?:solutions|answers|values)"
    r"|(?:problem|question|statement|text)[ ](?:is|seems|appears|looks)[ ](?:to[ ]be[ ])?"
    r"(?:incomplete|impossible|missing))",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(
    r"\b(?:not|\w+n't|never)[ ](?:\w+ly[ ])?(?:given|stated|specified|provided|mentioned|known|told|said|clear"
    r"|indicated|say|state|specify|tell|mention|give|provide|know|indicate|include)\b"
    r"|\b(?:missing|unknown|unspecified|unstated|unclear|depends[ ]on|need[ ]to[ ]know)\b",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"\W*(?:none|null|n/?a|unknown|undetermined|undefined|impossible|indeterminate|(?:it[ ])?can(?:not|'t)[ ]tell"
    r"|no[ ]answer|not[ ](?:known|applicable|possible)|\?)\W*",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"[ ]*(?:[A-Za-z]\w{0,20}[ ]*[=:≈][ ]*|(?:about|approximately|around|roughly|exactly|only)[ ]+)?[-$€£]*[ ]*\.?\d"
)
_IN_FORMULA = re.compile(r"[-+*/^][ ]*[$€£]?\Z")
_GOES_ON = re.compile(r"[A-Za-z(^]|[ ]*[-+*/^]")


def is_left_open(text: str, finals: Sequence[Final], given: Collection[Fraction]) -> bool:
    """Decide whether an answer concludes that the question cannot be decided, and gives no number after all.

    The last mark wins, as for results: "Answer: 12" is a number even if the answer doubts it. Without a mark, "it
    cannot be determined" must be the last word: a number behind it that the problem has not `given` is a result. That
    something is not stated is a conclusion only if there is no result at all.
    """
    text = text[: _farewell(text)]
    marked = _last_marked(text)
    if marked is not None:
        words = text[slice(*marked)]
        if _VALUE.match(words):
            return False
        if _NOTHING.fullmatch(words) or _UNDECIDED.search(words) or _UNKNOWN.search(words):
            return True
    lines = text.split("\n")
    closing = next((line for line in reversed(lines) if line.strip()), "")
    if _NOTHING.fullmatch(closing):
        return True
    own = [final for final in finals if abs(final.value) not in given and not _is_in_formula(text, final)]
    said = [match.end() for match in _UNDECIDED.finditer(text)]
    if said:
        return all(final.start < said[-1] for final in own)
    return _UNKNOWN.search(text) is not None and not own


def _last_marked(text: str) -> tuple[int, int] | None:
    """Return the span behind the last mark: in a box, or to the end of a sentence."""
    opened = text.rfind(BOX_OPEN)
    found: tuple[int, int] | None = None
    if opened >= 0:
        closed = text.find(BOX_CLOSE, opened)
        found = (opened + 1, closed if closed >= 0 else len(text))
    for last in deque(_MARK.finditer(text, 0 if found is None else found[1]), maxlen=1):
        start = next(_VISIBLE.finditer(text, last.end()), last).start()
        found = (last.end(), max(_end_of_sentence(text, start, len(text)), last.end()))
    return found


def _is_in_formula(text: str, final: Final) -> bool:
    """Decide whether a number is a part of a formula, as the 5 of 5p + 15."""
    before = _IN_FORMULA.search(text, max(final.start - 4, 0), final.start)
    return before is not None or _GOES_ON.match(text, final.end) is not None


_CHECK = re.compile(
    r"^[ ]*(?:(?:to|we can|let's|let us|you can|now,? let's)[ ]+)?(?:double[- ]?)?"
    r"(?:check|verify|verification|confirm)\b",
    re.MULTILINE | re.IGNORECASE,
)

_CHECK_WORDS = Spotter(_CHECK, ("check", "verif", "confirm"))


def _last_check(text: str) -> int | None:
    """Return the start of the check at the end of an answer, if there is one."""
    if not _CHECK_WORDS.may_find(text):
        return None
    places = [match.start() for match in _CHECK.finditer(text, len(text) // 4)]
    return places[-1] if places else None


_TIME = re.compile(
    r"(\d{1,6})\s*(hours?|hrs?|minutes?|mins?)(?:\s*,)?(?:\s+and)?\s+(\d{1,6})(\.\d{1,6})?\s*"
    r"(minutes?|mins?|seconds?|secs?)\b",
    re.IGNORECASE,
)
_MIXED = re.compile(r"\b(\d{1,6})[ ]+and[ ]+(\d{1,4})/(\d{1,4})\b")


def _composed(text: str, start: int, end: int) -> Iterator[Final]:
    """Yield the numbers of two parts: 2 and 2/7, or 1 hour and 20 minutes, in the larger and in the smaller unit."""
    for match in _MIXED.finditer(text, start, end):
        whole, above, below = (Fraction(group) for group in match.groups())
        if 0 < above < below:
            yield Final(whole + above / below, match.start(), match.end(), _ONE, marked=False, percent=False)
    for match in _TIME.finditer(text, start, end):
        smaller = 60 * int(match[1]) + Fraction(match[3] + (match[4] or ""))
        step = Fraction(1, 10 ** max(len(match[4] or "") - 1, 0))
        for scale, unit in ((Fraction(1, 60), match[2]), (_ONE, match[5])):
            places = (match.start(), match.end(), step * scale)
            yield Final(smaller * scale, *places, marked=False, percent=False, unit=(unit.lower(),))


def tail_start(text: str) -> int:
    """Return the start of the conclusion: the last paragraph that has a number."""
    end = len(text.rstrip())
    starts = [match.end() for match in re.finditer(r"\n[ ]*\n", text[: max(_last_digit(text, end), 0)])]
    start = starts[-1] if starts else 0
    lines = [match.end() for match in re.finditer(r"\n", text[start:end])]
    return start + lines[-MAX_LINES] if len(lines) >= MAX_LINES else start


def _numbers(text: str, tokens: list[Token], span: tuple[int, int], last: tuple[int, int], marked: bool) -> list[Final]:
    """Return the numbers of a span.

    `last` is the part with the result: there, only the first number after an equals sign counts, else those outside
    brackets, which hold remarks.
    """
    start, end = span
    composed = sorted(_composed(text, start, end), key=lambda final: final.start)
    spans = [(final.start, final.end) for final in composed]
    simple = [final for final in _simple_numbers(tokens, start, end) if not _covers(spans, final.start)]
    found = sorted([*simple, *composed], key=lambda final: final.start)
    places = sorted({final.start for final in found if last[0] <= final.start < last[1]})
    equals = text.rfind("=", *last)
    inside = set(places[bisect_left(places, equals) :][:1]) if equals >= 0 else set()
    inside = inside or _outside_brackets(text, places, last)
    return _with_candidates(text, [replace(final, marked=marked, last=final.start in inside) for final in found])


def _outside_brackets(text: str, places: Sequence[int], span: tuple[int, int]) -> set[int]:
    """Return the places of a span outside brackets; all of them if none is."""
    found: set[int] = set()
    depth, at = 0, span[0]
    for place in places:
        depth = max(depth + text.count("(", at, place) - text.count(")", at, place), 0)
        at = place
        if not depth:
            found.add(place)
    return found or set(places)


def _simple_numbers(tokens: list[Token], start: int, end: int) -> Iterator[Final]:
    place = bisect_left(tokens, start, key=lambda token: token.start)
    while place < len(tokens) and tokens[place].start < end:
        token = tokens[place]
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        coefficient = after is not None and after.sort is Sort.NAME and after.glued and after.text not in _SCALES
        if token.value is not None and token.end <= end and not coefficient:
            value, stop = token.value, token.end
            rest = tokens[place + 1 : place + 4]
            signs = [token.text for token in rest]
            if signs[:1] == ["/"] and rest[0].glued and len(rest) >= 2 and rest[1].value:
                value /= rest[1].value
                stop = rest[1].end
            elif signs[1:2] == ["/"] and len(rest) == 3 and rest[0].sort is Sort.NUMBER and rest[2].value:
                value += (rest[0].value or 0) / rest[2].value
                stop = rest[2].end
            begin, unit = token.start, _unit(tokens, place, stop)
            sign = place - 1
            if sign >= 0 and tokens[sign].sort is Sort.CURRENCY:
                begin = tokens[sign].start
                unit = ("$", *unit)
                sign -= 1
            if sign >= 0 and tokens[sign].text == "-" and not _is_operand(tokens[sign - 1] if sign else None):
                value, begin = -value, tokens[sign].start
            percent = after is not None and (after.sort is Sort.PERCENT or after.text == "percent")
            if after is not None and after.text in _SCALES and (after.text != "k" or after.glued):
                value *= _SCALES[after.text]
            yield Final(value, begin, stop, _last_written(token), marked=False, percent=percent, unit=unit)
            while place + 1 < len(tokens) and tokens[place + 1].end <= stop:
                place += 1
        place += 1


def _last_written(token: Token) -> Fraction:
    """Return the unit of the last written digit of a number: 100,000 for 7.5 million."""
    digits = token.text.replace(",", "")
    step = Fraction(1, 10 ** len(digits.partition(".")[2]))
    if token.value and token.value.denominator == 1 and not digits.isdecimal() and digits.replace(".", "").isdecimal():
        step *= token.value / Fraction(digits)
    return step


def _is_operand(token: Token | None) -> bool:
    return token is not None and (token.sort in (Sort.NUMBER, Sort.NAME) or token.text == ")")


def _unit(tokens: list[Token], place: int, stop: int) -> tuple[str, ...]:
    """Return up to four words that follow a number without a comma or the end of a sentence."""
    value = tokens[place].value
    large = value is not None and abs(value) >= MILLION > Fraction(tokens[place].text.replace(",", "") or 0)
    words = ["million"] if large else []  # 7.5 million is one token
    for token in tokens[place + 1 : place + 9]:
        if token.end <= stop:
            continue
        if token.sort not in (Sort.WORD, Sort.NAME) and token.text != "/":
            break
        words.append("per" if token.text == "/" else token.text)
        if len(words) == 4:
            break
    return tuple(words)


_LISTED = re.compile(r"[ ]*(?:[a-z]+[ ]*)?,?[ ]*(?:or[ ]+)?[$]?-?", re.IGNORECASE)
_OR = re.compile(r"\bor\b", re.IGNORECASE)


def _with_candidates(text: str, finals: list[Final]) -> list[Final]:
    """Mark the numbers of lists of candidates: 41, 42, 43 or 44."""
    found = list(finals)
    for at in range(len(finals) - 1):
        between = text[finals[at].end : finals[at + 1].start]
        if len(between) > 30 or not _OR.search(between) or not _LISTED.fullmatch(between):
            continue
        one, other = finals[at], finals[at + 1]
        units = {final.unit[0] for final in (one, other) if final.unit and final.unit[0] != "or"}
        if one.value == other.value or len(units) > 1:
            continue  # 90 minutes or 1.5 hours
        first = at
        while first and "," in (gap := text[finals[first - 1].end : finals[first].start]) and _LISTED.fullmatch(gap):
            first -= 1
        for place in range(first, at + 2):
            found[place] = replace(finals[place], candidate=True)
    return found


_SEPARATOR = re.compile(r"(?:[\s,;]|\band\b|\bor\b|&)+[$]?-?", re.IGNORECASE)
_REPEATED = 24  # characters between the items of a list of one kind: 1 dollar, 2 dollars; x = 1, x = 2


def without_long_lists(text: str, finals: Sequence[Final], most: int) -> list[Final]:
    """Return the final numbers but those of a list with more values than a question asks for, or of candidates.

    Who writes "Answer: 0, 1, 2, 3", "x = 0, x = 1, x = 2, x = 3" or "18 or 23" has not said which number is meant.
    """
    kept: list[Final] = []
    run: list[Final] = []
    between: set[str] = set()  # what stands between the numbers of the run, but separators
    for at, final in enumerate(finals):
        run.append(final)
        gap = text[final.end : finals[at + 1].start] if at + 1 < len(finals) else ""
        kind = "" if _SEPARATOR.fullmatch(gap) else " ".join(gap.lower().split()).replace("dollars", "dollar")
        if gap and (not kind or len(kind) <= _REPEATED) and between <= {kind}:
            between.add(kind)
            continue
        values = {one.value for one in run}
        allowed = most if between <= {""} else max(most + 1, 3)
        if len(values) <= allowed and not (len(values) > 1 and any(one.candidate for one in run)):
            kept += run
        run, between = [], set()
    return kept
